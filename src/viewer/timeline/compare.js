// Two runs: one above the other, one over the other, or where they differ.
"use strict";

const Compare = (() => {
  // Above the middle where the first run has more active, below it where the second has.
  function drawDifference(pen, view, item, y) {
    const [a, b] = item.parts, count = Math.max(1, Math.round(view.width));
    const binsOf = ({ run, activity }) =>
      activity.series.bins(view.time.from - run.shift, view.time.to - run.shift, count);
    const one = binsOf(a), other = binsOf(b), middle = y + item.height / 2;
    const top = Math.max(a.activity.series.top, b.activity.series.top, 1);
    const scale = (item.height / 2 - 4) / top;
    for (const [sign, colour] of [[1, view.seriesColour(a.run)], [-1, view.seriesColour(b.run)]]) {
      pen.fillStyle = colour;
      pen.beginPath();
      for (let i = 0; i < count; i++) {
        const size = sign * ((one.mean[i] || 0) - (other.mean[i] || 0)) * scale;
        if (size > 0) pen.rect(i, sign > 0 ? middle - size : middle, 1, size);
      }
      pen.fill();
    }
    pen.fillStyle = view.colours.muted;
    pen.fillRect(0, Math.round(middle), view.width, 1);
  }

  TimelineFeatures.push((parts) => {
    const box = document.getElementById("tl-modes");
    if (parts.runs.length < 2) {
      box.remove();
      return;
    }
    box.addEventListener("change", (event) => {
      parts.view.mode = event.target.value;
      parts.view.soon();
    });
  });
  return { drawDifference };
})();
