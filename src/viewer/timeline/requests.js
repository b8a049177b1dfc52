// One request's way: all its spans in order of time, outlined everywhere and joined by a line.
"use strict";

(() => {
  TimelineFeatures.push((parts, keys) => {
    const { view, detail } = parts;
    let shown = null;

    async function spansOf(run, row) {
      const all = await run.requestsKnown(), from = all.arrival[row];
      const to = Number.isNaN(all.end[row]) ? run.length : all.end[row], out = [];
      const rows = Range.allRows(run, (track) => track.kind !== "other" || track.name !== "requests");
      // A moment more on either side: spans without length, and those that only touch.
      await Range.between(run, rows, from - 1, to + 1, (part, first, last, number) => {
        for (let i = first; i < last; i++) {
          if (part.request[i] === row && run.layouts[part.layout[i]].category !== "request") {
            out.push(run.spanOf(part, number + i - first));
          }
        }
      });
      return out.sort((a, b) => a.start - b.start || a.end - b.end);
    }

    function heading(run, all, row) {
      const end = all.end[row], rows = [["Class", run.classes[all.class[row]]],
        ["Arrival", Format.exact(all.arrival[row])], ["Outcome", run.outcomes[all.outcome[row]]]];
      if (!Number.isNaN(end)) rows.push(["Latency", Format.length(end - all.arrival[row])]);
      return Detail.table(rows);
    }

    function list(run, all, row, spans) {
      const made = Detail.element("ol", undefined, "tl-way"), from = all.arrival[row];
      const to = Math.max(...spans.map((span) => span.end), from + 1);
      for (const span of spans) {
        const item = Detail.element("li"), button = Detail.element("button"), bar = Detail.element("i");
        button.type = "button";
        bar.style.marginLeft = `${(span.start - from) / (to - from) * 100}%`;
        bar.style.width = `${Math.max(span.length / (to - from) * 100, 0.5)}%`;
        bar.className = span.category === "wait" ? "wait" : "";
        button.append(Detail.element("span", span.category === "wait" ? `waits: ${span.name}` : span.name),
          Detail.element("small", `${span.track.name} · ${Format.length(span.length)}`), bar);
        button.addEventListener("click", () => detail.choose(span, true));
        item.append(button);
        made.append(item);
      }
      return made;
    }

    async function show(span, body) {
      if (span.request === null) {
        shown = null;
        return;
      }
      const { run, request: row } = span, all = await run.requestsKnown(), spans = await spansOf(run, row);
      if (detail.span !== span) return;
      shown = { run, row, spans };
      const number = all.id[row] % 2 ** 48;
      body.append(Detail.element("h3", `Request ${Format.count(number + 1)}: ${spans.length} spans${
        run.thinned ? " on this page" : ""}`),
        heading(run, all, row), list(run, all, row, spans));
      view.soon();
    }
    detail.more.push(show);
    detail.changed.push(({ span }) => { if (!span || span.request === null) shown = null; });

    // The next or the last request of the run, at the same stage where it has one.
    async function step(by) {
      if (!shown) return;
      const { run } = shown, all = await run.requestsKnown(), row = shown.row + by;
      if (row < 0 || row >= all.rows) return;
      const spans = await spansOf(run, row);
      const here = detail.span;
      const same = spans.find((one) => here && one.name === here.name && one.category === here.category);
      if (spans.length > 0) detail.choose(same || spans[0], true);
    }
    keys["]"] = () => step(1);
    keys["["] = () => step(-1);
    parts.requestOf = (span) => spansOf(span.run, span.request);

    view.over.push((pen) => {
      if (!shown) return;
      const boxes = shown.spans.map((span) => view.boxOf(span)).filter(Boolean);
      pen.strokeStyle = view.colours.inkText;
      pen.lineWidth = 1.25;
      for (const box of boxes) pen.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
      pen.globalAlpha = 0.6;
      pen.beginPath();
      boxes.forEach((box, i) => {
        if (i > 0) pen.lineTo(box.x, box.y + box.height / 2);
        pen.moveTo(box.x + box.width, box.y + box.height / 2);
      });
      pen.stroke();
      pen.globalAlpha = 1;
    });
  });
})();
