// Spans whose arguments say something: all parts of the arguments are looked through, in the background.
//
// `key=text` asks for one argument, any other text for all of them; numbers match whole, texts in part.
// Owns nothing. Called by search.js.
"use strict";

const Found = (() => {
  const MOST = 100000;

  // Whether a column of a layout is asked for, and by what values: (value) → bool.
  function tests(run, text) {
    const [, key, wanted] = text.match(/^([\w.]+)\s*=\s*(.+)$/) || [null, null, text];
    const match = Arrangement.matcher(wanted);
    if (!match) return null;
    const ids = new Set();
    run.names.forEach((name, id) => { if (match(name)) ids.add(id); });
    const inText = (value) => ids.has(Number(value));
    return (argument, type) => {
      if (key !== null && key !== argument) return null;
      if (type === "text" || type === "json") return ids.size > 0 ? inText : null;
      const least = type === "bool" ? null : Number(wanted);
      if (type === "bool") return /^(true|false)$/.test(wanted) ? (value) => value === (wanted === "true" ? 1n : 0n) : null;
      if (Number.isNaN(least)) return null;
      if (type === "real") return (value) => value === least;
      return /^-?\d+$/.test(wanted) ? ((whole) => (value) => value === whole)(BigInt(wanted)) : null;
    };
  }

  async function inChunk(run, chunk, testOf, out) {
    let part = null;
    for (const entry of run.argBlocks[chunk]) {
      const [layoutId, block] = entry, layout = run.layouts[layoutId], asked = layout.args.map(([key, type]) => testOf(key, type));
      if (!asked.some(Boolean)) continue;
      const columns = await run.blocks.load(block, Run.argKinds(layout, entry));
      part ||= await run.load(0, chunk * Run.CHUNK);
      for (let i = 0, at = -1; i < part.rows && out.length < MOST; i++) {
        if (part.layout[i] !== layoutId) continue;
        at++;
        if (asked.some((test, a) => test && test(columns[a][at]))) out.push(chunk * Run.CHUNK + i);
      }
    }
  }

  // Numbers of spans of a run, by time; null once `stopped()`.
  async function of(run, text, stopped, told) {
    const testOf = tests(run, text), out = [];
    if (!testOf) return out;
    for (let chunk = 0; chunk < run.chunks.length && out.length < MOST; chunk++) {
      await inChunk(run, chunk, testOf, out);
      told(chunk / run.chunks.length);
      if (stopped()) return null;
    }
    const starts = new Map();
    for (const number of out) starts.set(number, (await run.load(0, number)).start[number % Run.CHUNK]);
    return out.sort((a, b) => starts.get(a) - starts.get(b) || a - b);
  }
  return { of, MOST };
})();
