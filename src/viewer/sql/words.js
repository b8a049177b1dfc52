// What is wrong with a query: said in one line, with the place, and with the nearest word that would be right.
//
// Owns the error, and the distance of words as lua/tandem/text/nearest.lua has it.
"use strict";

class SqlError extends Error {
  // at: where in the text, or undefined
  constructor(message, query, at, otherwise) {
    let place = "";
    if (at !== undefined) {
      const before = query.slice(0, at).split("\n");
      place = ` (line ${before.length}, column ${before[before.length - 1].length + 1})`;
    }
    super(`${message}${place}${otherwise ? `; ${otherwise}` : ""}`);
  }
}

const SqlWords = (() => {
  // Edits, two neighbours exchanged among them.
  function distance(a, b) {
    let before = null, last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      before = last;
      last = row;
    }
    return last[b.length];
  }

  const allowed = (a, b) => Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));

  // "did you mean 'name'?", or what there is, where nothing is near.
  function nearest(word, candidates) {
    const wanted = word.toLowerCase();
    let best = null, least = Infinity;
    for (const one of word.length <= 200 ? candidates : []) {
      const begins = wanted.length >= 3 && one.length > wanted.length && one.toLowerCase().startsWith(wanted);
      const d = begins ? 1 : distance(wanted, one.toLowerCase());
      const longer = best === null ? 0 : Math.abs(one.length - wanted.length) - Math.abs(best.length - wanted.length);
      if (d < least || (d === least && (longer < 0 || (longer === 0 && one < best)))) {
        best = one;
        least = d;
      }
    }
    if (best !== null && least <= allowed(wanted, best)) return `did you mean '${best}'?`;
    return candidates.length > 0 && candidates.length <= 24 ? `there are ${candidates.join(", ")}` : "";
  }
  return { nearest };
})();
