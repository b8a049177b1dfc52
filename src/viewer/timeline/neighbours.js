// From a span to others: the next one of some names, the next one of its row, and back.
//
// Owns nothing. `nearest` is what search.js walks by, too.
"use strict";

const Neighbours = (() => {
  // The span of `ids` (names) on `tracks` that begins next after the moment `here`, or last before it: the better of
  // it and `best`, { run, number, moment }; `from`: the span where we are. What is near is looked at first.
  async function nearest(run, { ids, tracks, here, direction, from, reach }, best) {
    const at = here - run.shift, length = run.length;
    const rows = Range.allRows(run, (track) => tracks.has(track.index));
    const other = from && from.run === run ? from : null;
    // Windows that double, so that what is near is found without looking at everything.
    for (let size = Math.max(reach / 4, 1), done = 0; done < length; size *= 4) {
      const begin = direction > 0 ? at + done : at - done - size, end = direction > 0 ? at + done + size : at - done + 1;
      await Range.between(run, rows, begin, end, (part, first, last, number) => {
        for (let i = first; i < last; i++) {
          const start = part.start[i], n = number + i - first;
          if (!ids.has(part.name[i])) continue;
          const after = other ? start - other.start || n - other.number : start - at || 1;
          if (direction > 0 ? after <= 0 : after >= 0) continue;
          const moment = start + run.shift;
          // Of those that begin together the one with the next number.
          const beyond = best ? moment - best.moment || (run === best.run ? n - best.number : 0) : -direction;
          if (beyond * direction < 0) best = { run, number: n, moment };
        }
      });
      if (best) return best;
      done += size;
    }
    return best;
  }

  TimelineFeatures.push(({ detail, time }, keys) => {
    // Of the same name, on any track of its run.
    async function sameName(direction) {
      const { span } = detail;
      if (!span) return;
      const { run, nameId } = span, table = run.totalsTable, tracks = new Set();
      if (!table) return; // made on the page
      for (let i = 0; i < table.rows; i++) if (table.name[i] === nameId) tracks.add(table.track[i]);
      const best = await nearest(run, { ids: new Set([nameId]), tracks, here: span.start + run.shift, direction, from: span,
        reach: time.length }, null);
      if (best && detail.span === span) await detail.choose(await run.span(best.number), true);
    }

    async function inRow(by) {
      const { span } = detail;
      if (!span) return;
      const { run, row } = span, number = span.number + by;
      if (number < run.first[row] || number >= run.first[row + 1]) return;
      const next = await run.span(number);
      if (detail.span === span) await detail.choose(next, true);
    }
    keys.j = () => sameName(1);
    keys.k = () => sameName(-1);
    keys[">"] = () => inRow(1);
    keys["<"] = () => inRow(-1);
  });
  return { nearest };
})();
