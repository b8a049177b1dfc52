// Bottlenecks where they are: stretches in which something was saturated or a queue grew, with the
// reason. What they are was found when the page was made (meta.marks).
"use strict";

(() => {
  TimelineFeatures.push((parts) => {
    const { meta, runs, view, time, detail } = parts, marks = meta.marks || [];
    const list = document.getElementById("tl-marks");
    if (marks.length === 0) {
      list.closest("details").remove();
      return;
    }
    for (const mark of marks) {
      const item = Detail.element("li"), button = Detail.element("button");
      button.type = "button";
      button.append(Detail.element("span", mark.text), Detail.element("small",
        `${Format.length(mark.to - mark.from)} from ${Format.exact(mark.from + runs[mark.run].shift)}`));
      button.addEventListener("click", () => {
        const { shift } = runs[mark.run];
        time.show(mark.from + shift, mark.to + shift, 0.8);
      });
      item.append(button);
      list.append(item);
    }

    // A bar over the lane that a mark is about.
    view.over.push((pen, top, items) => {
      for (const item of items) {
        if (item.kind !== "lane") continue;
        for (const mark of marks) {
          if (mark.lane !== item.lane) continue;
          const { shift } = runs[mark.run], x = time.x(mark.from + shift), to = time.x(mark.to + shift);
          if (to < 0 || x > view.width) continue;
          pen.fillStyle = view.colours.limit;
          pen.fillRect(x, item.y - top, Math.max(to - x, 2), 3);
        }
      }
    });

    const hover = detail.tipText.bind(detail);
    detail.tipText = (hit) => {
      const lines = hover(hit);
      if (!lines || hit.item.kind !== "lane") return lines;
      const here = marks.filter((mark) => mark.lane === hit.item.lane
        && hit.time >= mark.from + runs[mark.run].shift && hit.time <= mark.to + runs[mark.run].shift);
      return [...lines, ...here.map((mark) => `! ${mark.text}`)];
    };
  });
})();
