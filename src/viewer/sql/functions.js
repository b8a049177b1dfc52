// Functions of SQL: of values, and of groups of rows, as SQLite has them.
//
// A function of values is [least arguments, most, (…values) → value]; one of groups makes states { add(values), end() }.
// Owns nothing. Called by compile.js.
"use strict";

const SqlFunctions = (() => {
  const { isWhole, double, small, real, number, numeric, truncated, text, calculate, compare, keyText } = SqlValues;
  const lowered = (s) => s.replace(/[A-Z]+/g, (c) => c.toLowerCase());
  const raised = (s) => s.replace(/[a-z]+/g, (c) => c.toUpperCase());
  const ofText = (made) => (v, ...rest) => (v === null ? null : made(text(v), ...rest));
  const MOST = 1e6; // characters of a text that a function makes

  function absolute(v) {
    if (v === null) return null;
    const n = number(v);
    if (n instanceof Real) return new Real(Math.abs(n.value));
    if (n === -(1n << 63n)) throw new Error("integer overflow");
    return n < 0 ? small(-BigInt(n)) : n;
  }

  function round(v, digits = 0) {
    if (v === null || digits === null) return null;
    const value = double(number(v)), n = Math.min(30, Math.max(0, Number(truncated(digits))));
    if (Math.abs(value) > 4503599627370496) return real(value);
    // Halves away from 0, of the number as it is written.
    if (n === 0) return real(value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5));
    const size = Math.abs(value), [head, power = "0"] = String(size).split("e");
    const up = Math.round(Number(`${head}e${Number(power) + n}`));
    const [whole, more = "0"] = String(up).split("e"), made = Number(`${whole}e${Number(more) - n}`);
    return real(value < 0 ? -made : made);
  }

  function part(s, from, length) {
    if (from === null || length === null) return null;
    const letters = [...s], n = letters.length;
    let at = Number(truncated(from)), count = length === undefined ? Infinity : Number(truncated(length));
    if (at < 0) {
      at += n;
      if (at < 0) {
        count = count < 0 ? 0 : count + at;
        at = 0;
      }
    } else if (at > 0) at--;
    else if (count > 0) count--;
    if (count < 0) {
      const end = at;
      at = Math.max(0, at + count);
      count = end - at;
    }
    return letters.slice(at, at + count).join("");
  }

  const edges = (s, of, first, last) => {
    if (of === null) return null;
    const away = new Set(of === undefined ? " " : [...text(of)]), letters = [...s];
    let from = 0, to = letters.length;
    while (first && from < to && away.has(letters[from])) from++;
    while (last && to > from && away.has(letters[to - 1])) to--;
    return letters.slice(from, to).join("");
  };

  function instead(s, what, by) {
    if (what === null || by === null) return null;
    const from = text(what);
    if (from === "") return s;
    const made = s.replaceAll(from, () => text(by));
    if (made.length > MOST) throw new Error("string or blob too big");
    return made;
  }

  function place(s, what) {
    if (what === null) return null;
    const at = s.indexOf(text(what));
    return at < 0 ? 0 : [...s.slice(0, at)].length + 1;
  }

  // Of those that are equal the last is the least, the first the greatest.
  const best = (sign) => (...values) => (values.includes(null) ? null
    : values.reduce((one, other) => {
      const order = compare(one, other);
      return (sign < 0 ? order >= 0 : order < 0) ? other : one;
    }));

  // $.key of an object; "key" may be quoted.
  function inside(json, path) {
    if (path === null) return null;
    let told;
    try {
      told = JSON.parse(json);
    } catch {
      throw new Error("malformed JSON");
    }
    for (const [, quoted, word, index] of text(path).matchAll(/\.(?:"([^"]*)"|([^.[]+))|\[(\d+)\]/g)) {
      told = told?.[quoted ?? word ?? Number(index)];
    }
    if (told === null || told === undefined) return null;
    if (typeof told === "boolean") return told ? 1 : 0;
    if (typeof told === "number") return Number.isSafeInteger(told) ? told : new Real(told);
    return typeof told === "string" ? told : JSON.stringify(told);
  }

  const scalar = {
    abs: [1, 1, absolute],
    coalesce: [2, 100, (...values) => values.find((v) => v !== null) ?? null],
    ifnull: [2, 2, (a, b) => a ?? b],
    nullif: [2, 2, (a, b) => (a !== null && b !== null && compare(a, b) === 0 ? null : a)],
    iif: [3, 3, (test, a, b) => (SqlValues.truth(test) ? a : b)],
    length: [1, 1, ofText((s) => [...s].length)],
    lower: [1, 1, ofText(lowered)],
    upper: [1, 1, ofText(raised)],
    substr: [2, 3, ofText(part)],
    substring: [2, 3, ofText(part)],
    trim: [1, 2, ofText((s, of) => edges(s, of, true, true))],
    ltrim: [1, 2, ofText((s, of) => edges(s, of, true, false))],
    rtrim: [1, 2, ofText((s, of) => edges(s, of, false, true))],
    replace: [3, 3, ofText(instead)],
    instr: [2, 2, ofText(place)],
    round: [1, 2, round],
    sign: [1, 1, (v) => {
      const n = numeric(v);
      return n === null || typeof n === "string" ? null : Math.sign(double(n));
    }],
    typeof: [1, 1, (v) => (v === null ? "null" : isWhole(v) ? "integer" : v instanceof Real ? "real" : "text")],
    min: [2, 100, best(-1)],
    max: [2, 100, best(1)],
    json_extract: [2, 2, ofText(inside)],
  };

  class Sum {
    constructor() {
      this.count = 0;
      this.exact = 0; // while all are whole
      this.about = 0;
      this.whole = true;
      this.over = false;
    }

    add(v) {
      if (v === null) return;
      const n = typeof v === "string" ? number(v) : v;
      this.count++;
      this.about += double(n);
      if (!isWhole(n) || (typeof v === "string" && !isWhole(numeric(v)))) this.whole = false;
      else if (!this.over) {
        const sum = calculate("+", this.exact, n);
        if (sum instanceof Real) this.over = true;
        else this.exact = sum;
      }
    }

    sum() {
      if (this.count === 0) return null;
      if (!this.whole) return real(this.about);
      if (this.over) throw new Error("integer overflow");
      return this.exact;
    }
  }

  const summed = (end) => () => {
    const state = new Sum();
    return { add: ([v]) => state.add(v), end: () => end(state) };
  };

  // `wins` says, after add, whether the row's other columns are those of the answer.
  const extreme = (sign) => () => {
    const state = { best: null, wins: false, end: () => state.best };
    state.add = ([v]) => {
      state.wins = v !== null && (state.best === null || sign * compare(v, state.best) > 0);
      if (state.wins) state.best = v;
    };
    return state;
  };

  function joined() {
    let all = null;
    return { add: ([v, between]) => {
      if (v === null) return;
      all = all === null ? text(v) : all + (between === undefined ? "," : text(between) ?? "") + text(v);
      if (all.length > MOST) throw new Error("string or blob too big");
    }, end: () => all };
  }

  function counted() {
    let n = 0;
    return { add: (values) => { if (values.length === 0 || values[0] !== null) n++; }, end: () => n };
  }

  const grouped = {
    count: [0, 1, counted],
    sum: [1, 1, summed((state) => state.sum())],
    total: [1, 1, summed((state) => new Real(state.about))],
    avg: [1, 1, summed((state) => (state.count === 0 ? null : real(state.about / state.count)))],
    min: [1, 1, extreme(-1)],
    max: [1, 1, extreme(1)],
    group_concat: [1, 2, joined],
  };

  // Each value once.
  function once(state) {
    const seen = new Set();
    return { ...state, add: (values) => {
      const key = keyText(values[0]);
      if (values[0] === null || seen.has(key)) return;
      seen.add(key);
      state.add(values);
    } };
  }

  return { scalar, grouped, once };
})();
