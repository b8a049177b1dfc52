// One run of a timeline: its tracks, its drawing rows, spans and nodes by number.
//
// Owns what is small (names, tracks, totals, requests, where each row's spans and nodes begin) and
// finds the rest in the blocks. Numbers are those of src/write/timeline/timeline.h.
"use strict";

const Run = (() => {
  const CHUNK = 8192, FAN = 16, WORTH_IT = 64;
  const kinds = (...names) => names.map((name) => [name, "number"]);
  const SPAN = kinds("start", "length", "name", "layout", "request");
  const NODE = kinds("start", "end", "busy", "name", "layout", "count");

  class Run {
    constructor(spec, blocks) {
      const { args, ...rest } = spec; // `sums` are blocks: sums.js
      Object.assign(this, rest);
      this.argBlocks = args;
      this.blocks = blocks;
    }

    async open() {
      const counts = await this.blocks.all(this.row_counts, kinds("count"));
      this.names = await this.blocks.load(this.names);
      this.rows = counts.rows;
      this.first = new Float64Array(this.rows + 1);
      for (let r = 0; r < this.rows; r++) this.first[r + 1] = this.first[r] + counts.count[r];
      this.levelFirst = [this.first];
      for (let level = 1; level <= this.levels.length; level++) {
        const below = this.levelFirst[level - 1], first = new Float64Array(this.rows + 1);
        for (let r = 0; r < this.rows; r++) {
          const n = below[r + 1] - below[r];
          first[r + 1] = first[r] + (n > WORTH_IT ? Math.ceil(n / FAN) : 0);
        }
        this.levelFirst.push(first);
      }
      let row = 0;
      this.rowTrack = new Int32Array(this.rows);
      this.tracks.forEach((track, i) => {
        track.index = i;
        track.run = this;
        track.firstRow = row;
        for (let k = 0; k < track.rows; k++) this.rowTrack[row++] = i;
      });
      this.totalsTable = await this.blocks.all(this.totals, kinds("name", "track", "layout", "count", "total"));
      await this.coarse();
      return this;
    }

    // The top levels are wanted for the first picture.
    async coarse() {
      const wanted = [];
      let size = 0;
      for (let level = this.levels.length; level >= 1 && size < 32; level--) {
        for (const block of this.levels[level - 1]) wanted.push(this.blocks.load(block, NODE));
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
        : this.blocks.ask(this.levels[level - 1][block], NODE);
    }

    // The same once they have come.
    load(level, number) {
      const block = Math.floor(number / CHUNK);
      return level === 0 ? this.blocks.load(this.chunks[block], SPAN)
        : this.blocks.load(this.levels[level - 1][block], NODE);
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
      const types = layout.args.map(([key, type]) => [key, type === "real" ? "real" : "big"]);
      const columns = await this.blocks.load(entry[1], types.map(([, kind], i) => [i, kind]));
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
  Run.REQUEST = kinds("id", "class", "arrival", "end", "outcome", "gpu");
  Run.FAN = FAN;
  return Run;
})();
