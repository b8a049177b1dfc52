// What ran in a range of time on some tracks, by category and name. Different categories are never
// added: a kernel, the call that launched it and the range around both are one time, seen three times.
//
// Stretches that lie whole within the range come from the run's table of sums; the spans at its ends
// are looked at. Of a thinned run some of these are not here: how many they are at most, and how long,
// its nodes say. Owns nothing.
"use strict";

const Sums = (() => {
  const CHUNK = Run.CHUNK;

  // The run's table by the first span of its stretches, or null where it has none.
  async function tableOf(run) {
    if (!run.sums || run.sums.length === 0) return null;
    if (!run.sumTable) {
      const kinds = ["first", "name", "layout", "count", "total", "longest"].map((name) => [name, "number"]);
      run.sumTable = await run.blocks.all(run.sums, kinds);
    }
    return run.sumTable;
  }

  function firstRow(table, number) {
    let low = 0, high = table.rows;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (table.first[middle] < number) low = middle + 1; else high = middle;
    }
    return low;
  }

  class Adder {
    constructor(run) {
      this.run = run;
      this.byKey = new Map();
      this.missing = { count: 0, busy: 0 };
      this.categories = [];
      const ids = new Map();
      this.category = run.layouts.map((layout) => {
        if (!layout) return -1;
        if (!ids.has(layout.category)) ids.set(layout.category, this.categories.push(layout.category) - 1);
        return ids.get(layout.category);
      });
    }

    add(name, layout, count, busy, longest) {
      const key = name * this.categories.length + this.category[layout];
      let sum = this.byKey.get(key);
      if (!sum) {
        sum = { run: this.run, name: this.run.names[name], nameId: name,
          category: this.categories[this.category[layout]], count: 0, busy: 0, longest: 0 };
        this.byKey.set(key, sum);
      }
      sum.count += count;
      sum.busy += busy;
      if (longest > sum.longest) sum.longest = longest;
    }
  }

  // The spans of a row that touch [from, to): numbers first … last − 1, and whether one at an end
  // reaches beyond.
  async function rowOf(run, row, from, to) {
    const end = run.first[row + 1];
    const first = from <= 0 ? run.first[row] : await Range.firstAfter(run, row, from);
    if (first >= end) return null;
    let last = to >= run.length ? end : await Range.firstAfter(run, row, to);
    if (last < end) {
      const part = await run.load(0, last);
      if (part.start[last % CHUNK] < to) last++;
    }
    return first < last ? { first, last } : null;
  }

  async function addSpans(run, adder, first, last, from, to) {
    const part = await run.load(0, first);
    for (let i = first % CHUNK, n = first; n < last; i++, n++) {
      const start = part.start[i], length = part.length[i];
      const inside = Math.min(start + length, to) - Math.max(start, from);
      adder.add(part.name[i], part.layout[i], 1, Math.max(0, inside), length);
    }
  }

  async function addRow(run, adder, table, row, from, to) {
    const found = await rowOf(run, row, from, to);
    if (!found) return;
    for (let n = found.first; n < found.last;) {
      const begin = Math.max(run.first[row], n - n % CHUNK), end = Math.min(run.first[row + 1], n - n % CHUNK + CHUNK);
      const stop = Math.min(end, found.last);
      // Whole, and none of its spans reaches out of the range.
      const inner = (n > found.first || from <= 0) && (stop < found.last || to >= run.length);
      if (table && inner && n === begin && stop === end) {
        for (let i = firstRow(table, n); i < table.rows && table.first[i] === n; i++) {
          adder.add(table.name[i], table.layout[i], table.count[i], table.total[i], table.longest[i]);
        }
      } else {
        await addSpans(run, adder, n, stop, from, to);
      }
      n = stop;
    }
  }

  // ---- a thinned run

  // Nodes of a row's lowest level that touch [from, to): numbers first … last − 1.
  async function nodesOf(run, row, level, from, to) {
    const first = run.levelFirst[level][row], end = run.levelFirst[level][row + 1];
    const search = async (low, after) => {
      let high = end;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (after(await run.load(level, middle), middle % CHUNK)) high = middle; else low = middle + 1;
      }
      return low;
    };
    const begin = await search(first, (part, i) => part.end[i] > from || part.start[i] >= from);
    return { begin, stop: await search(begin, (part, i) => part.start[i] >= to), first };
  }

  // The spans under a node that are here one by one, of the others how many there can be in the range.
  async function addNode(run, adder, row, level, number, from, to) {
    const part = await run.load(level, number), i = number % CHUNK, under = run.under(row, level, number, part);
    const start = part.start[i], end = part.end[i], within = start >= from && end <= to;
    let count = part.count[i], busy = part.busy[i];
    for (let n = under.first; n < under.last;) {
      const spans = await run.load(0, n), stop = Math.min(under.last, n - n % CHUNK + CHUNK);
      for (; n < stop; n++) {
        const k = n % CHUNK, at = spans.start[k], length = spans.length[k];
        count--;
        busy -= length;
        if (at + length <= from && at < from || at >= to) continue;
        adder.add(spans.name[k], spans.layout[k], 1, Math.max(0, Math.min(at + length, to) - Math.max(at, from)), length);
      }
    }
    if (count === 0) return;
    adder.missing.count += count;
    adder.missing.busy += within ? busy : Math.min(busy, Math.min(end, to) - Math.max(start, from));
  }

  async function addThinnedRow(run, adder, table, row, from, to) {
    const level = run.bottom[row], fan = Run.FAN ** level;
    const { begin, stop, first } = await nodesOf(run, row, level, from, to), base = run.allFirst[row];
    const stretch = Math.max(run.stretch, fan) / fan, last = run.levelFirst[level][row + 1];
    const isInner = async (number) => {
      const part = await run.load(level, number);
      return part.start[number % CHUNK] >= from && part.end[number % CHUNK] <= to;
    };
    for (let n = begin; n < stop;) {
      const end = Math.min(last, n + stretch - (n - first) % stretch);
      if (table && (n - first) % stretch === 0 && end <= stop && await isInner(n) && await isInner(end - 1)) {
        const wanted = base + (n - first) * fan;
        for (let i = firstRow(table, wanted); i < table.rows && table.first[i] === wanted; i++) {
          adder.add(table.name[i], table.layout[i], table.count[i], table.total[i], table.longest[i]);
        }
        n = end;
      } else {
        await addNode(run, adder, row, level, n++, from, to);
      }
    }
  }

  // All of the time: the run's totals.
  function addTotals(run, adder, keep) {
    const table = run.totalsTable;
    for (let i = 0; i < table.rows; i++) {
      if (!keep(run.tracks[table.track[i]])) continue;
      adder.add(table.name[i], table.layout[i], table.count[i], table.total[i], table.longest[i]);
    }
  }

  // A list of { run, name, category, count, busy, longest }, with `missing`: { count, busy }, how many spans more
  // there are at most that are not on this page; null once `stopped()`. `told` gets the
  // share that is done.
  async function of(runs, range, keep, stopped, told) {
    const out = [];
    out.missing = { count: 0, busy: 0 };
    let done = 0, rows = 0, last = performance.now();
    for (const run of runs) for (const track of run.tracks) if (keep(track)) rows += track.rows;
    for (const run of runs) {
      const adder = new Adder(run), table = await tableOf(run);
      const all = run.thinned && range.from <= run.shift && range.to >= run.shift + run.length;
      if (all) addTotals(run, adder, keep);
      for (const track of run.tracks) {
        if (all || !keep(track)) continue;
        for (let k = 0; k < track.rows; k++) {
          const row = track.firstRow + k, thin = run.bottom?.[row] > 0;
          await (thin ? addThinnedRow : addRow)(run, adder, thin || !run.thinned ? table : null, row,
            range.from - run.shift, range.to - run.shift);
          done++;
          if (performance.now() - last < 50) continue;
          // The page lives meanwhile.
          told(done / rows);
          await new Promise((next) => setTimeout(next, 0));
          last = performance.now();
          if (stopped()) return null;
        }
      }
      out.push(...adder.byKey.values());
      out.missing.count += adder.missing.count;
      out.missing.busy += adder.missing.busy;
    }
    return stopped() ? null : out.sort((a, b) => b.busy - a.busy || b.count - a.count);
  }

  // The same by category, that with most time first: [{ category, count, busy, list }].
  function byCategory(list) {
    const out = new Map();
    for (const sum of list) {
      const one = out.get(sum.category) || { category: sum.category, count: 0, busy: 0, list: [] };
      one.count += sum.count;
      one.busy += sum.busy;
      one.list.push(sum);
      out.set(sum.category, one);
    }
    return [...out.values()].sort((a, b) => b.busy - a.busy || b.count - a.count);
  }
  return { of, byCategory };
})();
