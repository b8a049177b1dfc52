// Bottlenecks, what matters first: GPUs that idle, then what was saturated and where queues grew, each
// with its stretches and the reason. Where they are, and the figures, was found when the page was made (src/write/timeline/marks.c).
"use strict";

(() => {
  const SHOWN = 100, IDLE_LEAST = 0.05, MANY = 6;

  // What a mark or a station is about; a GPU of several ranks with its rank.
  const whatOf = (run, { what, track }) => `${run.rankOf(run.tracks[track])}${what}`;

  function reasonOf(run, mark) {
    const what = whatOf(run, mark);
    const time = Format.length(mark.to - mark.from), busy = Format.share(mark.busy);
    const number = (n) => Format.value(+n.toPrecision(n < 10 ? 2 : 3));
    const stage = mark.stage ? `, most for ${mark.stage}` : "";
    const waiting = mark.most === 0 ? "nothing waited"
      : `${number(mark.waiting)} waited on average, at most ${Format.count(mark.most)}${stage}`;
    if (mark.kind === "queue") {
      const who = mark.slots === 0 ? "launches waited for the GPU" : "waited";
      return `${what}: its queue grew from ${number(mark.first)} to ${number(mark.last)} in ${time}: ${who}, `
        + `at most ${Format.count(mark.most)}${stage}; ${busy} busy`;
    }
    if (mark.slots === 0) return `${what}: work on it for ${busy} of ${time}; ${waiting}`;
    return `${what}: ${mark.slots === 1 ? "its one server" : `all ${Format.count(mark.slots)} servers`} `
      + `busy for ${busy} of ${time}; ${waiting}`;
  }

  // Of all runs, the longest first.
  function marksOf(runs, lanes) {
    const laneOf = (run, mark) => (mark.slots === 0 ? lanes.indexOf("GPU") : run.tracks[mark.track].lane);
    return runs.flatMap((run) => run.marks.map((mark) => ({ ...mark, run, text: reasonOf(run, mark),
      lane: laneOf(run, mark), word: mark.kind === "queue" ? "queue forming" : "saturated" })))
      .sort((a, b) => b.to - b.from - (a.to - a.from));
  }

  // What a station or a GPU comes to, those that cost most time first: { text, small, run, from, to,
  // cost, marks }: where to look, and the single stretches.
  function summed(runs, marks) {
    const out = [];
    for (const run of runs) {
      for (const one of run.stations) {
        const time = one.to - one.from, idle = time - one.busy;
        if (one.slots > 0 || time <= 0 || idle / time < IDLE_LEAST) continue;
        const gap = one.idle_to - one.idle_from;
        out.push({ run, kind: "idle", from: one.idle_from, to: one.idle_to, cost: idle, share: idle / time, marks: [],
          of: whatOf(run, one), gpu: true, text: `${whatOf(run, one)}: idle for ${Format.share(idle / time)} of ${Format.length(time)}`,
          small: `${Format.length(idle)} in all, the longest time ${Format.length(gap)}` });
      }
    }
    const groups = new Map(), stationOf = new Map();
    for (const run of runs) stationOf.set(run, new Map(run.stations.map((one) => [one.track, one])));
    for (const mark of marks) {
      const key = `${mark.run.index} ${mark.track} ${mark.kind}`;
      if (groups.has(key)) groups.get(key).push(mark);
      else groups.set(key, [mark]);
    }
    for (const list of groups.values()) {
      const [longest] = list, { run, kind } = longest, what = whatOf(run, longest); // marks are sorted
      const cost = list.reduce((sum, mark) => sum + mark.to - mark.from, 0);
      const station = stationOf.get(run).get(longest.track);
      const share = Format.share(cost / run.length), times = `${Format.count(list.length)} times`;
      const used = station && station.slots > 0 ? `; its servers are used for ${Format.share(station.used)} in all` : "";
      out.push({ run, kind, from: longest.from, to: longest.to, cost, share: cost / run.length, of: what,
        gpu: longest.slots === 0, marks: list.length > 1 ? list : [],
        text: list.length === 1 ? longest.text
          : `${what}: ${kind === "queue" ? "a queue grew" : "saturated"} ${times}, ${share} of the run`,
        small: list.length === 1 ? `${longest.word}, from ${Format.exact(longest.from + run.shift)}`
          : `${Format.length(cost)} in all, the longest ${Format.length(longest.to - longest.from)}${used}` });
    }
    return folded(out.sort((a, b) => b.cost - a.cost)).sort((a, b) => b.cost - a.cost);
  }

  // Where many say the same, as GPUs of many ranks do, one entry for all of them, with each under it.
  function folded(entries) {
    const alike = new Map(), words = { idle: "idle for", saturated: "saturated for", queue: "a queue grew for" };
    for (const one of entries) {
      const key = `${one.run.index} ${one.kind} ${one.gpu}`;
      if (alike.has(key)) alike.get(key).push(one);
      else alike.set(key, [one]);
    }
    return [...alike.values()].flatMap((list) => {
      if (list.length <= MANY) return list;
      const [first] = list, shares = list.map((one) => one.share);
      return [{ ...first, marks: [], parts: list, small: `most on ${first.of}, from ${Format.exact(first.from + first.run.shift)}`,
        text: `${Format.count(list.length)} ${first.gpu ? "GPUs" : "stations"}: ${words[first.kind]} `
          + `${Format.share(Math.min(...shares))} to ${Format.share(Math.max(...shares))} of the ${first.kind === "idle" ? "time that they have work in" : "run"}` }];
    });
  }

  TimelineFeatures.push((parts) => {
    const { meta, runs, view, time, detail } = parts, marks = marksOf(runs, meta.lanes);
    const list = document.getElementById("tl-marks"), entries = summed(runs, marks);
    parts.marks = marks;
    parts.bottlenecks = entries;
    if (entries.length === 0) {
      list.closest("details").remove();
      return;
    }
    list.closest("details").querySelector("summary").textContent = `bottlenecks (${Format.count(entries.length)})`;
    const whose = (run) => (runs.length > 1 ? `${run.word}: ` : "");

    function entry(text, small, { run, from, to }) {
      const item = Detail.element("li"), button = Detail.element("button");
      button.type = "button";
      button.append(Detail.element("span", text), Detail.element("small", `${whose(run)}${small}`));
      button.addEventListener("click", () => time.show(from + run.shift, to + run.shift, 0.8));
      item.append(button);
      return item;
    }

    const stretch = (mark) => entry(mark.text, `${mark.word}, from ${Format.exact(mark.from + mark.run.shift)}`, mark);

    function whole(one) {
      const item = entry(one.text, one.small, one);
      if (one.parts) item.append(each(one.parts, whole, "more"));
      else if (one.marks.length > 0) item.append(each(one.marks, stretch, "shorter ones, each a bar over its lane"));
      return item;
    }

    // What is under an entry is made when somebody asks for it.
    function each(all, make, rest) {
      const part = Detail.element("details"), inner = Detail.element("ul");
      part.append(Detail.element("summary", `each of the ${Format.count(all.length)}`), inner);
      part.addEventListener("toggle", () => {
        if (inner.firstChild) return;
        inner.append(...all.slice(0, SHOWN).map(make));
        if (all.length > SHOWN) inner.append(Detail.element("li", `and ${Format.count(all.length - SHOWN)} ${rest}`));
      });
      return part;
    }
    list.append(...entries.map(whole));

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
