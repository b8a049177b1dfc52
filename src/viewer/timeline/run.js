// One run of a timeline: its tracks, its drawing rows, spans and nodes by number.
//
// Owns what is small (names, tracks, totals, requests, where each row's spans and nodes begin) and
// finds the rest in the blocks. Numbers are those of src/write/timeline/timeline.h. A thinned run has
// nodes over all of its spans, but not all spans: `spans` are all, `held` those that are here.
"use strict";

const Run = (() => {
  const CHUNK = 8192, FAN = 32, WORTH_IT = 128;
  const kinds = (...names) => names.map((name) => [name, "number"]);
  const SPAN = kinds("start", "length", "name", "layout", "request");
  const NODE = kinds("start", "length", "busy", "name", "layout", "count");
  const LOWEST = kinds("start", "length", "busy", "name", "layout", "count", "from", "under"); // of a thinned run
  const REQUEST = kinds("id", "class", "arrival", "end", "outcome", "gpu");

  // A start is written as what lies between it and the end before, a request as what it is beyond the one before;
  // of a node what is idle.
  const settleStarts = ({ rows, start, length }) => {
    for (let i = 1; i < rows; i++) start[i] += start[i - 1] + length[i - 1];
  };
  SPAN.settle = (part) => {
    const { rows, request } = part;
    settleStarts(part);
    for (let i = 0, last = 0; i < rows; i++) if (!Number.isNaN(request[i])) last = request[i] += last;
  };
  LOWEST.settle = NODE.settle = (part) => {
    const { rows, start, length, busy } = part;
    settleStarts(part);
    part.end = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      part.end[i] = start[i] + length[i];
      busy[i] = length[i] - busy[i];
    }
  };

  // Nodes over the spans or nodes of a row; how many levels there are.
  const over = (below) => (below > WORTH_IT ? Math.ceil(below / FAN) : 0);
  function topOf(spans) {
    let level = 0;
    for (let n = over(spans); n > 0; n = over(n)) level++;
    return level;
  }

  function firsts(counts) {
    const first = new Float64Array(counts.length + 1);
    counts.forEach((count, i) => { first[i + 1] = first[i] + count; });
    return first;
  }

  class Run {
    constructor(spec, blocks) {
      const { args, ...rest } = spec; // `sums` are blocks: sums.js
      Object.assign(this, rest);
      this.argBlocks = args;
      this.blocks = blocks;
    }

    async open() {
      const COUNT = kinds("count"), { blocks, thinned } = this;
      const [counts, names, held, totals] = await Promise.all([blocks.all(this.row_counts, COUNT), blocks.load(this.names),
        thinned && blocks.all(thinned.rows, COUNT), blocks.all(this.totals, kinds("name", "track", "layout", "count", "total",
          ...(thinned ? ["longest"] : []))), this.coarse()]);
      this.names = names;
      this.totalsTable = totals;
      this.rows = counts.rows;
      this.allFirst = firsts(counts.count);
      this.held = thinned?.spans ?? this.spans;
      this.first = thinned ? firsts(held.count) : this.allFirst;
      this.bottom = thinned ? counts.count.map((spans) => Math.min(topOf(spans), thinned.level)) : null;
      this.levelFirst = [this.first];
      for (let level = 1, nodes = counts.count; level <= this.levels.length; level++) {
        nodes = nodes.map(over);
        this.levelFirst.push(firsts(this.bottom ? nodes.map((n, row) => (level < this.bottom[row] ? 0 : n)) : nodes));
      }
      let row = 0;
      this.rowTrack = new Int32Array(this.rows);
      this.tracks.forEach((track, i) => {
        track.index = i;
        track.run = this;
        track.firstRow = row;
        for (let k = 0; k < track.rows; k++) this.rowTrack[row++] = i;
      });
      return this;
    }

    // "rank 3 " of what lies on a track, where the run is of several ranks.
    rankOf({ source }) {
      const rank = this.ranks?.[source];
      return rank === undefined || rank === null ? "" : `rank ${rank} `;
    }

    groupOf(track) { return `${this.rankOf(track)}${this.groups[track.group]}`; }

    counterName({ name, track }) {
      const rank = track === undefined ? "" : this.rankOf(this.tracks[track]);
      return rank ? `${name} of ${rank.trim()}` : name;
    }

    // The top levels are wanted for the first picture.
    async coarse() {
      const wanted = [];
      let size = 0;
      for (let level = this.levels.length; level >= 1 && size < 32; level--) {
        for (const block of this.levels[level - 1]) wanted.push(this.blocks.load(block, this.kindsOf(level)));
        size += this.levels[level - 1].length;
      }
      if (this.chunks.length <= 24) {
        for (const block of this.chunks) wanted.push(this.blocks.load(block, SPAN));
      }
      await Promise.all(wanted);
    }

    // The coarsest level that a row has: 0 is its spans.
    topLevel(row) {
      let level = this.levels.length;
      while (level > 0 && this.levelFirst[level][row] === this.levelFirst[level][row + 1]) level--;
      return level;
    }

    // Columns that hold node or span `number` of a level, or null while they are coming; it is at
    // number % CHUNK in them.
    part(level, number) {
      const block = Math.floor(number / CHUNK);
      return level === 0 ? this.blocks.ask(this.chunks[block], SPAN)
        : this.blocks.ask(this.levels[level - 1][block], this.kindsOf(level));
    }

    kindsOf(level) { return this.thinned && level <= this.thinned.level ? LOWEST : NODE; }

    // What lies under a node: spans or nodes `first` … `last` − 1 of a level, and whether these are all.
    under(row, level, number, part) {
      if (this.bottom && this.bottom[row] === level) {
        const i = number % CHUNK, first = part.from[i];
        return { level: 0, first, last: first + part.under[i], whole: part.under[i] === part.count[i] };
      }
      const below = this.levelFirst[level - 1], first = below[row] + (number - this.levelFirst[level][row]) * FAN;
      return { level: level - 1, first, last: Math.min(first + FAN, below[row + 1]), whole: true };
    }

    // Whether what lies there can be drawn now.
    has({ level, first, last }) {
      return first === last || Boolean(this.part(level, first) && this.part(level, last - 1));
    }

    // The same once they have come.
    load(level, number) {
      const block = Math.floor(number / CHUNK);
      return level === 0 ? this.blocks.load(this.chunks[block], SPAN)
        : this.blocks.load(this.levels[level - 1][block], this.kindsOf(level));
    }

    // The table of requests: when they came and went is what their spans say, and what the table has besides.
    requestsKnown() {
      this.requestsComing ||= (async () => {
        const all = await this.blocks.all(this.requests || [], REQUEST), seen = new Uint8Array(all.rows);
        const isRequest = this.layouts.map((layout) => layout?.category === "request"), chunks = new Set();
        const totals = this.totalsTable, tracks = new Set();
        for (let i = 0; i < totals.rows; i++) if (isRequest[totals.layout[i]]) tracks.add(totals.track[i]);
        for (const at of all.rows > 0 ? tracks : []) {
          const { firstRow, rows } = this.tracks[at], end = this.first[firstRow + rows];
          for (let n = this.first[firstRow]; n < end; n += CHUNK - n % CHUNK) chunks.add(Math.floor(n / CHUNK));
        }
        for (const chunk of [...chunks].sort((a, b) => a - b)) {
          const part = await this.blocks.once(this.chunks[chunk], SPAN);
          for (let i = 0; i < part.rows; i++) {
            const row = part.request[i];
            if (!isRequest[part.layout[i]] || Number.isNaN(row) || seen[row]) continue;
            seen[row] = 1;
            all.arrival[row] += part.start[i];
            all.end[row] += part.start[i] + part.length[i];
          }
        }
        return all;
      })();
      return this.requestsComing;
    }

    async span(number) { return this.spanOf(await this.load(0, number), number); }

    // The span as it is known now, or null.
    spanNow(number) {
      const part = this.part(0, number);
      return part && this.spanOf(part, number);
    }

    spanOf(part, number) {
      const i = number % CHUNK, layout = this.layouts[part.layout[i]];
      const row = this.rowOf(number), track = this.tracks[this.rowTrack[row]];
      return { run: this, number, row, track, start: part.start[i], length: part.length[i],
        end: part.start[i] + part.length[i], name: this.names[part.name[i]], nameId: part.name[i],
        layout, layoutId: part.layout[i], category: layout.category,
        request: Number.isNaN(part.request[i]) ? null : part.request[i] };
    }

    rowOf(number) {
      let low = 0, high = this.rows;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (this.first[middle] <= number) low = middle; else high = middle;
      }
      return low;
    }

    // The first character of a name that tells it from all others of the run: of names in order, only neighbours
    // can begin alike the longest.
    differsAt(nameId) {
      if (!this.differs) {
        this.differs = new Uint16Array(this.names.length);
        const order = Uint32Array.from(this.names, (_, i) => i);
        order.sort((a, b) => (this.names[a] < this.names[b] ? -1 : this.names[a] > this.names[b] ? 1 : 0));
        for (let i = 1; i < order.length; i++) {
          const a = this.names[order[i - 1]], b = this.names[order[i]], least = Math.min(a.length, b.length);
          let n = 0;
          while (n < least && a[n] === b[n]) n++;
          if (n === a.length && n === b.length) continue;
          for (const id of [order[i - 1], order[i]]) this.differs[id] = Math.max(this.differs[id], Math.min(n, 65535));
        }
      }
      return this.differs[nameId];
    }

    // All arguments of a span: a list of [key, text].
    async args(number) {
      const chunk = Math.floor(number / CHUNK), span = await this.span(number);
      const entry = this.argBlocks[chunk].find(([layout]) => layout === span.layoutId);
      if (!entry) return [];
      const layout = span.layout, part = await this.blocks.load(this.chunks[chunk], SPAN);
      let at = 0;
      for (let i = 0; i < number % CHUNK; i++) at += part.layout[i] === span.layoutId ? 1 : 0;
      const columns = await this.blocks.load(entry[1], Run.argKinds(layout, entry));
      const out = [];
      layout.args.forEach(([key, type], i) => {
        const text = this.value(type, columns[i][at]);
        if (text !== null) out.push([key, text]);
      });
      return out;
    }

    value(type, value) {
      if (type === "real") return Number.isNaN(value) ? null : String(value);
      if (value === -(1n << 63n)) return null;
      if (type === "text" || type === "json") return this.names[Number(value)] ?? null;
      if (type === "bool") return value !== 0n ? "true" : "false";
      return value.toString();
    }
  }
  Run.CHUNK = CHUNK;
  Run.SPAN = SPAN;
  // How arguments of a layout are read: a list of columns by number. One may be written as what it is beyond another.
  Run.argKinds = (layout, [, , beyond]) => {
    const kinds = layout.args.map(([, type], i) => [i, type === "real" ? "real" : "big"]);
    kinds.settle = (columns) => beyond.forEach((from, i) => {
      if (from >= 0) for (let k = 0; k < columns.rows; k++) columns[i][k] += columns[from][k];
    });
    return kinds;
  };
  Run.FAN = FAN;
  return Run;
})();
