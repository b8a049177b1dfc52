// Tracks that no file of spans holds: rows of a query, stages of a map. They are drawn like a run's, in lanes
// of their own above the others.
//
// Owns such a set of tracks: spans laid out in rows where they overlap, and coarse nodes over them as
// src/write/timeline/pyramid.c makes them. A set of the same title takes the place of the one before.
"use strict";

const Made = (() => {
  const { CHUNK, FAN } = Run, WORTH_IT = 64, MOST_ROWS = 40, FIRST_INDEX = 100;
  let index = FIRST_INDEX;

  // Spans in order of time, each in the first row that is free; what finds none lies in the last.
  function laidOut(spans) {
    const rows = [], ends = [];
    for (const span of [...spans].sort((a, b) => a.start - b.start || b.length - a.length)) {
      let row = ends.findIndex((end) => end <= span.start);
      if (row < 0) row = Math.min(ends.length, MOST_ROWS - 1);
      (rows[row] ||= []).push(span);
      ends[row] = Math.max(ends[row] ?? 0, span.start + Math.max(span.length, 1));
    }
    return rows;
  }

  // FAN of a row's entries as one; `busy` sums, the name is that with most time.
  function folded(entries) {
    const out = [];
    for (let from = 0; from < entries.length; from += FAN) {
      const some = entries.slice(from, from + FAN), times = new Map();
      for (const one of some) times.set(one.name, (times.get(one.name) || 0) + one.busy);
      out.push({ start: some[0].start, end: Math.max(...some.map((one) => one.end)),
        busy: some.reduce((sum, one) => sum + one.busy, 0),
        name: [...times].reduce((best, one) => (one[1] > best[1] ? one : best))[0],
        count: some.reduce((sum, one) => sum + one.count, 0) });
    }
    return out;
  }

  // A level's entries, row after row, in parts of CHUNK.
  function partsOf(rows) {
    const all = rows.flat(), out = [];
    for (let from = 0; from < all.length; from += CHUNK) {
      const some = all.slice(from, from + CHUNK);
      const column = (read) => Float64Array.from(some, read);
      out.push({ rows: some.length, start: column((one) => one.start), end: column((one) => one.end),
        length: column((one) => one.end - one.start), busy: column((one) => one.busy), name: column((one) => one.name),
        count: column((one) => one.count), layout: new Float64Array(some.length), number: some.map((one) => one.number),
        request: new Float64Array(some.length).fill(NaN) });
    }
    return out;
  }

  const firsts = (rows) => {
    const first = new Float64Array(rows.length + 1);
    rows.forEach((row, i) => { first[i + 1] = first[i] + row.length; });
    return first;
  };

  class MadeRun extends Run {
    // tracks: [{ name, spans: [{ start, length, name, facts: [[key, text], …] }] }], nanoseconds on the page's clock
    constructor(title, tracks) {
      super({ args: [], title, word: title, groups: [title], shift: 0, activity: [], counters: [], memory: [], marks: [],
        layouts: [{ category: title, shape: "span", args: [] }], arrowIndex: { all: { rows: 0 }, byTarget: [] } }, null);
      this.index = index++;
      const names = new Map(), rows = [];
      const nameOf = (text) => {
        if (!names.has(text)) names.set(text, names.size);
        return names.get(text);
      };
      this.facts = [];
      this.tracks = tracks.map((track, i) => {
        const own = laidOut(track.spans);
        rows.push(...own);
        return { index: i, id: i, run: this, name: track.name, group: 0, rows: own.length,
          firstRow: rows.length - own.length, kind: "made" };
      });
      let level = rows.map((row) => row.map(({ start, length, name, facts }) => ({ start, end: start + length,
        busy: length, name: nameOf(name), count: 1, number: this.facts.push(facts || []) - 1 })));
      this.names = [...names.keys()];
      this.rows = rows.length;
      this.rowTrack = Int32Array.from(this.tracks.flatMap((track) => Array(track.rows).fill(track.index)));
      this.levels = [];
      this.levelFirst = [this.first = firsts(level)];
      this.levelParts = [partsOf(level)];
      this.spans = this.facts.length;
      while (level.some((row) => row.length > WORTH_IT)) {
        level = level.map((row) => (row.length > WORTH_IT ? folded(row) : []));
        this.levels.push([]);
        this.levelFirst.push(firsts(level));
        this.levelParts.push(partsOf(level));
      }
    }

    part(level, number) { return this.levelParts[level][Math.floor(number / CHUNK)]; }
    async load(level, number) { return this.part(level, number); }
    async args(number) { return this.facts[this.part(0, number).number[number % CHUNK]]; }
  }

  TimelineFeatures.push((parts) => {
    const { meta, runs, scene, view, detail } = parts;

    function show(title, tracks) {
      if (detail.span && detail.span.run.title === title) detail.clear();
      scene.put(title, tracks.length > 0 ? new MadeRun(title, tracks) : null);
      view.arranged();
      view.draw();
    }
    parts.made = show;

    // The same of tracks whose starts are on the first run's clock, as texts, numbers or BigInts.
    const origin = BigInt(runs[0].origin);
    parts.madeOnClock = (title, tracks) => {
      show(title, tracks.map(({ name, spans }) => ({ name, spans: spans.map((one) =>
        ({ ...one, start: Number(BigInt(one.start) - origin) })) })));
      view.scroll.scrollTop = 0;
    };
    parts.showOnClock = (from, to) => parts.show(...[from, to].map((at) => Number(BigInt(at) - origin)));

    if (meta.stages) {
      show("stages", meta.stages.map(({ name, start, length, request }) => ({ name, spans: start.map((at, i) =>
        ({ start: at, length: length[i], name: `request ${request[i]}`, facts: [["stage", name]] })) })));
    }

    // Rows of a query, which the page around asked for: { made: { title, tracks: [{ name, spans }] } }, and one of
    // them that is to be seen: { clock: [from, to] }. Times are texts on the run's clock.
    if (window.parent !== window) {
      window.addEventListener("message", ({ source, data }) => {
        if (source !== window.parent) return;
        if (Array.isArray(data?.clock)) parts.showOnClock(...data.clock);
        if (typeof data?.made?.title === "string") parts.madeOnClock(data.made.title, data.made.tracks);
      });
    }
  });
  return MadeRun;
})();
