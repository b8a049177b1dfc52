// The data of a timeline: blocks cut out of the page's text, inflated and unpacked when they are
// first asked for. The format is src/write/timeline/timeline.h's; columns are src/trace/chunk.h's.
//
// Owns the blocks, decoded ones among them. `ask` gives what is there now or null, and fetches what
// is missing; `arrived` is called when something new can be drawn, `broken` where a block cannot be
// read: it is damaged.
"use strict";

const Blocks = (() => {
  const NONE_HIGH = 0x80000000 | 0;
  const WIDTHS = [0, 1, 2, 4, 8];
  const AT_ONCE = 8; // blocks that a picture has fetched
  // What a digit of base 85 is worth in each of its five places.
  const WORTH = [52200625, 614125, 7225, 85, 1].map((place) => {
    const worth = new Uint32Array(128);
    [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-.:;=?@[]^_{|}"]
      .forEach((c, i) => { worth[c.charCodeAt(0)] = i * place; });
    return worth;
  });

  // Five digits are four bytes; at the end one digit more than bytes.
  function bytesOf(text, from, length) {
    const [A, B, C, D, E] = WORTH, rest = length % 5, end = from + length - rest;
    const out = new Uint8Array((length - rest) / 5 * 4 + Math.max(0, rest - 1));
    let at = 0;
    for (let i = from; i < end; i += 5, at += 4) {
      const word = (A[text.charCodeAt(i)] + B[text.charCodeAt(i + 1)] + C[text.charCodeAt(i + 2)]
        + D[text.charCodeAt(i + 3)] + E[text.charCodeAt(i + 4)]) | 0;
      out[at] = word >>> 24;
      out[at + 1] = word >>> 16;
      out[at + 2] = word >>> 8;
      out[at + 3] = word;
    }
    if (rest > 0) {
      let word = 0;
      for (let k = 0; k < 5; k++) word += k < rest ? WORTH[k][text.charCodeAt(end + k)] : WORTH[k][125]; // }: the greatest
      for (let k = 0; k + 1 < rest; k++) out[at + k] = (word | 0) >>> (24 - 8 * k);
    }
    return out;
  }

  // A damaged block rejects on both sides of the stream: the side that is read tells.
  async function inflate(bytes) {
    const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter();
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {});
    return new Uint8Array(await new Response(stream.readable).arrayBuffer());
  }

  // A column as { width, delta, none, base, first, at }, of a chunk's bytes.
  function columnAt(bytes, view, index) {
    const begin = view.getUint32(7 + 4 * index, true), form = bytes[begin];
    return { width: WIDTHS[form & 7], delta: (form & 8) !== 0, none: (form & 16) !== 0,
      lowBase: view.getUint32(begin + 1, true), highBase: view.getInt32(begin + 5, true),
      lowFirst: form & 8 ? view.getUint32(begin + 9, true) : 0,
      highFirst: form & 8 ? view.getInt32(begin + 13, true) : 0,
      at: begin + (form & 8 ? 17 : 9) };
  }

  const number = (high, low) => high * 4294967296 + low;

  // Whole numbers as doubles, exact below 2^53; NaN where there is none.
  function numbers(bytes, view, index, rows) {
    const c = columnAt(bytes, view, index), out = new Float64Array(rows);
    const base = number(c.highBase, c.lowBase), count = c.delta ? rows - 1 : rows;
    const skip = c.delta ? 1 : 0, p = c.at;
    if (c.width === 0 && !c.delta && c.highBase === NONE_HIGH && c.lowBase === 0) return out.fill(NaN);
    for (let i = 0; i < count; i++) {
      let low = 0, high = 0;
      if (c.width > 0) low = bytes[p + i];
      if (c.width > 1) low |= bytes[p + count + i] << 8;
      if (c.width > 2) low |= bytes[p + 2 * count + i] << 16 | bytes[p + 3 * count + i] << 24;
      if (c.width > 4) high = (bytes[p + 4 * count + i] | bytes[p + 5 * count + i] << 8
        | bytes[p + 6 * count + i] << 16 | bytes[p + 7 * count + i] << 24) >>> 0;
      low >>>= 0;
      out[i + skip] = c.none && low === 0 && high === 0 ? NaN : base + number(high, low);
    }
    if (c.delta) {
      out[0] = number(c.highFirst, c.lowFirst);
      for (let i = 1; i < rows; i++) out[i] += out[i - 1];
    }
    return out;
  }

  // All 64 bits: { low: Uint32Array, high: Int32Array }.
  function exact(bytes, view, index, rows) {
    const c = columnAt(bytes, view, index), low = new Uint32Array(rows), high = new Int32Array(rows);
    const count = c.delta ? rows - 1 : rows, skip = c.delta ? 1 : 0;
    for (let i = 0; i < count; i++) {
      let l = 0, h = 0;
      for (let b = 0; b < c.width && b < 4; b++) l |= bytes[c.at + b * count + i] << 8 * b;
      for (let b = 4; b < c.width; b++) h |= bytes[c.at + b * count + i] << 8 * (b - 4);
      if (c.none && l === 0 && h === 0) {
        high[i + skip] = NONE_HIGH;
        continue;
      }
      const sum = (l >>> 0) + c.lowBase;
      low[i + skip] = sum;
      high[i + skip] = h + c.highBase + (sum > 4294967295 ? 1 : 0);
    }
    if (c.delta) {
      low[0] = c.lowFirst;
      high[0] = c.highFirst;
      for (let i = 1; i < rows; i++) {
        const sum = low[i] + low[i - 1];
        high[i] = high[i] + high[i - 1] + (sum > 4294967295 ? 1 : 0);
        low[i] = sum;
      }
    }
    return { low, high };
  }

  function reals(bytes, view, index, rows) {
    const bits = exact(bytes, view, index, rows), out = new Float64Array(rows);
    const words = new Int32Array(out.buffer);
    for (let i = 0; i < rows; i++) {
      words[2 * i] = bits.low[i];
      words[2 * i + 1] = bits.high[i];
    }
    return out;
  }

  function bigs(bytes, view, index, rows) {
    const bits = exact(bytes, view, index, rows), out = new BigInt64Array(rows);
    for (let i = 0; i < rows; i++) out[i] = BigInt(bits.high[i]) << 32n | BigInt(bits.low[i]);
    return out;
  }

  const readers = { number: numbers, real: reals, big: bigs };

  // A columns block as { rows, name: column, … }; kinds: a list of [name, "number" | "real" | "big"], whose `settle`
  // makes of columns as they are written those that are read.
  function columns(bytes, kinds) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const rows = view.getUint32(3, true), out = { rows };
    kinds.forEach(([name, kind], i) => { out[name] = readers[kind](bytes, view, i, rows); });
    kinds.settle?.(out);
    return out;
  }

  class Blocks {
    constructor(text, lengths) {
      this.text = text;
      this.lengths = lengths;
      this.begin = new Float64Array(lengths.length);
      for (let i = 1; i < lengths.length; i++) this.begin[i] = this.begin[i - 1] + lengths[i - 1] + 1;
      this.ready = new Map();
      this.coming = new Map();
      this.wanted = new Map(); // what a picture asks for: block → kinds
      this.fetching = 0; // blocks of these that are on their way
      this.arrived = () => {};
      this.broken = () => {};
    }

    async decode(block, kinds) {
      try {
        const bytes = await inflate(bytesOf(this.text, this.begin[block], this.lengths[block]));
        return kinds ? columns(bytes, kinds) : JSON.parse(new TextDecoder().decode(bytes));
      } catch (cause) {
        this.broken();
        throw new Error(`block ${block} of its data cannot be unpacked`, { cause });
      }
    }

    // What is decoded, as a promise.
    load(block, kinds) {
      if (this.ready.has(block)) return Promise.resolve(this.ready.get(block));
      if (!this.coming.has(block)) {
        this.coming.set(block, this.decode(block, kinds).then((made) => {
          this.ready.set(block, made);
          this.coming.delete(block);
          this.arrived();
          return made;
        }));
      }
      return this.coming.get(block);
    }

    // The same for somebody who goes through everything once: it is not kept.
    async once(block, kinds) { return this.ready.get(block) || this.decode(block, kinds); }

    // What is decoded now, or null. What is not is fetched after the picture that asks for it.
    ask(block, kinds) {
      const made = this.ready.get(block);
      if (made !== undefined) return made;
      if (!this.coming.has(block)) this.wanted.set(block, kinds);
      this.waiting ||= setTimeout(() => this.fetch());
      return null;
    }

    // A new picture asks anew: what only the last one wanted is not fetched any more.
    forget() { this.wanted.clear(); }

    // A few at a time, so that pictures come between.
    fetch() {
      this.waiting = 0;
      for (const [block, kinds] of this.wanted) {
        if (this.fetching === AT_ONCE) return;
        this.wanted.delete(block);
        this.fetching++;
        this.load(block, kinds).finally(() => {
          this.fetching--;
          this.fetch();
        });
      }
    }

    // Several blocks as one set of columns.
    async all(list, kinds) {
      const parts = await Promise.all(list.map((block) => this.load(block, kinds)));
      const rows = parts.reduce((sum, part) => sum + part.rows, 0), out = { rows };
      for (const [name, kind] of kinds) {
        out[name] = kind === "big" ? new BigInt64Array(rows) : new Float64Array(rows);
        let at = 0;
        for (const part of parts) {
          out[name].set(part[name], at);
          at += part.rows;
        }
      }
      return out;
    }
  }
  return Blocks;
})();
