// Bottlenecks where they are: stretches in which something was saturated or a queue grew, with the
// reason. Where they are, and the figures, was found when the page was made (src/write/timeline/marks.c).
"use strict";

(() => {
  const SHOWN = 100;

  function reasonOf(mark) {
    const time = Format.length(mark.to - mark.from), busy = Format.share(mark.busy);
    const number = (n) => Format.value(+n.toPrecision(n < 10 ? 2 : 3));
    const stage = mark.stage ? `, most for ${mark.stage}` : "";
    const waiting = mark.most === 0 ? "nothing waited"
      : `${number(mark.waiting)} waited on average, at most ${Format.count(mark.most)}${stage}`;
    if (mark.kind === "queue") {
      const who = mark.slots === 0 ? "launches waited for the GPU" : "waited";
      return `${mark.what}: its queue grew from ${number(mark.first)} to ${number(mark.last)} in ${time}: ${who}, `
        + `at most ${Format.count(mark.most)}${stage}; ${busy} busy`;
    }
    if (mark.slots === 0) return `${mark.what}: work on it for ${busy} of ${time}; ${waiting}`;
    return `${mark.what}: ${mark.slots === 1 ? "its one server" : `all ${Format.count(mark.slots)} servers`} `
      + `busy for ${busy} of ${time}; ${waiting}`;
  }

  // Of all runs, the longest first.
  function marksOf(runs, lanes) {
    const laneOf = (run, mark) => (mark.slots === 0 ? lanes.indexOf("GPU") : run.tracks[mark.track].lane);
    return runs.flatMap((run) => run.marks.map((mark) => ({ ...mark, run, text: reasonOf(mark),
      lane: laneOf(run, mark), word: mark.kind === "queue" ? "queue forming" : "saturated" })))
      .sort((a, b) => b.to - b.from - (a.to - a.from));
  }

  TimelineFeatures.push((parts) => {
    const { meta, runs, view, time, detail } = parts, marks = marksOf(runs, meta.lanes);
    const list = document.getElementById("tl-marks");
    parts.marks = marks;
    if (marks.length === 0) {
      list.closest("details").remove();
      return;
    }
    list.closest("details").querySelector("summary").textContent = `bottlenecks (${Format.count(marks.length)})`;
    for (const mark of marks.slice(0, SHOWN)) {
      const item = Detail.element("li"), button = Detail.element("button");
      button.type = "button";
      const whose = runs.length > 1 ? `${mark.run.word}: ` : "";
      button.append(Detail.element("span", mark.text), Detail.element("small",
        `${whose}${mark.word}, from ${Format.exact(mark.from + mark.run.shift)}`));
      button.addEventListener("click", () => {
        const { shift } = mark.run;
        time.show(mark.from + shift, mark.to + shift, 0.8);
      });
      item.append(button);
      list.append(item);
    }
    if (marks.length > SHOWN) {
      list.append(Detail.element("li",
        `and ${Format.count(marks.length - SHOWN)} shorter ones, each a bar over its lane`));
    }

    // Over the lane that a mark is about: a bar where it is saturated, teeth where its queue grows.
    view.over.push((pen, _, items) => {
      for (const item of items) {
        if (item.kind !== "lane") continue;
        for (const mark of marks) {
          if (mark.lane !== item.lane) continue;
          const { shift } = mark.run, x = time.x(mark.from + shift), to = time.x(mark.to + shift);
          if (to < 0 || x > view.width) continue;
          pen.fillStyle = view.colours.limit;
          const y = view.yOf(item);
          if (mark.kind === "saturated") {
            pen.fillRect(x, y, Math.max(to - x, 2), 3);
            continue;
          }
          const end = Math.min(Math.max(to, x + 2), view.width);
          for (let at = Math.max(x, x + Math.floor(-x / 6) * 6); at < end; at += 6) {
            pen.fillRect(at, y + 4, Math.min(3, Math.max(to - at, 2)), 3);
          }
        }
      }
    });

    const hover = detail.tipText.bind(detail);
    detail.tipText = (hit) => {
      const lines = hover(hit);
      if (!lines || hit.item.kind !== "lane") return lines;
      const here = marks.filter((mark) => mark.lane === hit.item.lane
        && hit.time >= mark.from + mark.run.shift && hit.time <= mark.to + mark.run.shift);
      return [...lines, ...here.map((mark) => `! ${mark.word}: ${mark.text}`)];
    };
  });
})();
