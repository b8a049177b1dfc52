// Back to the windows that were looked at before, and forth again.
//
// Owns the list of them. A window counts once nothing has moved for a moment, so that a drag is one.
"use strict";

TimelineFeatures.push(({ time }, keys) => {
  const MOST = 200, REST_MS = 400;
  const before = [], after = [];
  let settled = { from: time.from, to: time.to }, waiting = 0;

  function settle() {
    clearTimeout(waiting);
    waiting = 0;
    if (time.from === settled.from && time.to === settled.to) return;
    before.push(settled);
    if (before.length > MOST) before.shift();
    after.length = 0;
    settled = { from: time.from, to: time.to };
  }

  const { changed } = time;
  time.changed = () => {
    changed();
    clearTimeout(waiting);
    waiting = setTimeout(settle, REST_MS);
  };

  function go(from, to) {
    settle();
    if (from.length === 0) return;
    to.push(settled);
    settled = from.pop();
    time.from = settled.from;
    time.to = settled.to;
    time.changed();
  }
  keys.z = () => go(before, after);
  keys.Z = () => go(after, before);
});
