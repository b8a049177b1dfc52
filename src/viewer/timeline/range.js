// Spans of rows within a time, asked for in the background.
//
// `between` calls `take(span columns, first index, last index, number of the first, row)` for every
// stretch of spans of the rows that touch [from, to] (the run's own times); parts are unpacked as
// they are needed. It stops early when `stopped()` says so.
"use strict";

const Range = (() => {
  const CHUNK = Run.CHUNK;

  // The first span of a row that ends after a time.
  async function firstAfter(run, row, time) {
    let low = run.first[row], high = run.first[row + 1];
    for (let level = run.thinned ? 0 : run.topLevel(row); level > 0; level--) {
      // Nodes narrow it down without unpacking spans.
      const first = run.levelFirst[level], span = Run.FAN ** level, base = run.first[row];
      let a = first[row] + Math.floor((low - base) / span), b = Math.min(first[row + 1],
        first[row] + Math.ceil((high - base) / span));
      while (a < b) {
        const middle = Math.floor((a + b) / 2), part = await run.load(level, middle);
        if (part.end[middle % CHUNK] <= time) a = middle + 1; else b = middle;
      }
      low = Math.max(low, Math.min(base + (a - first[row]) * span, high));
      high = Math.min(high, low + span);
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2), part = await run.load(0, middle);
      if (part.start[middle % CHUNK] + part.length[middle % CHUNK] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async function between(run, rows, from, to, take, stopped = () => false) {
    for (const row of rows) {
      const last = run.first[row + 1];
      for (let n = await firstAfter(run, row, from); n < last && !stopped();) {
        const part = await run.load(0, n), i = n % CHUNK, end = Math.min(part.rows, i + last - n);
        let stop = i;
        while (stop < end && part.start[stop] < to) stop++;
        if (stop > i) take(part, i, stop, n, row);
        if (stop < end) break;
        n += end - i;
      }
    }
  }

  const rowsOf = (track) => Array.from({ length: track.rows }, (_, k) => track.firstRow + k);
  const allRows = (run, keep = () => true) => run.tracks.filter(keep).flatMap(rowsOf);
  return { between, firstAfter, rowsOf, allRows };
})();
