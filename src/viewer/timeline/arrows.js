// Arrows of the chosen span: what it launched, what launched it, the edges that its source tells.
"use strict";

(() => {
  TimelineFeatures.push((parts, keys) => {
    const { view, detail } = parts;
    let shown = [];

    // Of a run, by the span that they leave and by the one that they reach.
    async function index(run) {
      if (run.arrowIndex) return run.arrowIndex;
      const all = await run.blocks.all(run.arrows, ["from", "to", "kind"].map((name) => [name, "number"]));
      // An end that is not here is NaN, in order before all others.
      const sorted = (end) => Uint32Array.from({ length: all.rows }, (_, i) => i)
        .sort((a, b) => (Number.isNaN(end[a]) ? -1 : end[a]) - (Number.isNaN(end[b]) ? -1 : end[b]));
      run.arrowIndex = { all, byTarget: sorted(all.to), bySource: run.thinned ? sorted(all.from) : null };
      return run.arrowIndex;
    }

    function firstAt(count, value, wanted) {
      let low = 0, high = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value(middle) < wanted) low = middle + 1; else high = middle;
      }
      return low;
    }

    async function arrowsOf(span) {
      const { run, number } = span, { all, byTarget, bySource } = await index(run), out = [];
      const placed = (order, k) => (order ? order[k] : k), valueOf = (end, order) => (k) => {
        const value = end[placed(order, k)];
        return Number.isNaN(value) ? -1 : value;
      };
      out.missing = 0; // other ends that are not on this page
      const walk = async (end, other, order, make) => {
        for (let i = firstAt(all.rows, valueOf(end, order), number); i < all.rows; i++) {
          const at = placed(order, i);
          if (end[at] !== number) break;
          if (Number.isNaN(other[at])) out.missing++;
          else out.push(make(await run.span(other[at]), run.arrow_kinds[all.kind[at]]));
        }
      };
      await walk(all.from, all.to, bySource, (to, kind) => ({ to, from: span, kind }));
      await walk(all.to, all.from, byTarget, (from, kind) => ({ from, to: span, kind }));
      return out;
    }

    detail.more.push(async (span, body) => {
      const arrows = await arrowsOf(span);
      if (detail.span !== span) return;
      shown = arrows;
      if (arrows.length + arrows.missing === 0) return;
      const list = Detail.element("ul", undefined, "tl-way");
      for (const { from, to, kind } of arrows.slice(0, 100)) {
        const other = from === span ? to : from, item = Detail.element("li"), button = Detail.element("button");
        button.type = "button";
        button.append(Detail.element("span", `${from === span ? "→" : "←"} ${other.name}`),
          Detail.element("small",
            `${kind} · ${other.track.name} · ${Format.length(to.start - from.start)} from start to start`));
        button.addEventListener("click", () => detail.choose(other, true));
        item.append(button);
        list.append(item);
      }
      body.append(Detail.element("h3", `Arrows (${Format.count(arrows.length + arrows.missing)})`), list);
      if (arrows.missing > 0) body.append(Detail.element("p", `${Format.count(arrows.missing)} of them ${
        arrows.missing === 1 ? "has its" : "have their"} other end among the spans that are not on this page.`, "tl-note"));
      view.soon();
    });
    detail.changed.push(() => { shown = []; });
    keys["."] = () => {
      const next = shown.find((one) => one.from === detail.span);
      if (next) detail.choose(next.to, true);
    };
    keys[","] = () => {
      const last = shown.find((one) => one.to === detail.span);
      if (last) detail.choose(last.from, true);
    };

    view.over.push((pen) => {
      pen.strokeStyle = pen.fillStyle = view.colours.limit;
      pen.lineWidth = 1.5;
      for (const { from, to } of shown) {
        const a = view.boxOf(from), b = view.boxOf(to);
        if (!a || !b) continue;
        const x0 = a.x + Math.min(a.width, 6), y0 = a.y + a.height / 2, x1 = b.x, y1 = b.y + b.height / 2;
        const bend = Math.max(20, Math.abs(x1 - x0) / 2);
        pen.beginPath();
        pen.moveTo(x0, y0);
        pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
        pen.stroke();
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.lineTo(x1 - 7, y1 - 4);
        pen.lineTo(x1 - 7, y1 + 4);
        pen.fill();
      }
    });
  });
})();
