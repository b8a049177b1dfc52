// The timeline of a page: opens the data, puts the parts together, says when the first picture is
// there (performance mark "timeline-first" and the attribute data-ready of #tl).
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), root = byId("tl"), wait = byId("tl-wait");
  if (!root) return;
  if (typeof DecompressionStream === "undefined") {
    wait.textContent = "This browser is too old for the timeline: it has no DecompressionStream.";
    return;
  }
  start().catch((error) => {
    wait.textContent = `The timeline cannot be read; the file of this page is damaged: ${error.message}`;
    throw error;
  });

  async function start() {
    const meta = JSON.parse(byId("timeline-meta").textContent);
    const blocks = new Blocks(byId("timeline-data").textContent.trim(), meta.blocks);
    blocks.broken = () => {
      wait.textContent = "A part of this page is damaged: what it holds is not shown.";
      wait.className = "cannot";
      root.before(wait);
    };
    const runs = await Promise.all(meta.runs.map(async (spec, index) => {
      const run = new Run(spec, blocks);
      run.index = index;
      run.shift = spec.shift_ns || 0;
      await Promise.all([run.open(),
        ...run.activity.map(async (one) => { one.series = await Curves.activity(blocks, one); })]);
      run.counters.unshift(...run.memory.map((one) =>
        ({ ...one, derived: true, series: Curves.inline(one, run.length) })));
      run.counters.forEach((counter, i) => { counter.index = i; });
      return run;
    }));
    const from = Math.min(...runs.map((run) => run.shift));
    const to = Math.max(...runs.map((run) => run.shift + run.length));
    const time = new TimeWindow(from, to);
    wait.remove();
    root.hidden = false;
    const arrangement = new Arrangement(runs), scene = new Scene(runs, meta.lanes, arrangement), colours = new Colours(runs);
    const view = new View(scene, time, colours), detail = new Detail(view);
    const parts = { meta, runs, blocks, time, arrangement, scene, colours, view, detail, root };
    Input.attach(view, {
      hover: (hit, event) => detail.hover(hit, event),
      pick: (hit) => detail.pick(hit),
      mark: (a, b, done) => detail.mark(a, b, done),
      marking: () => root.classList.contains("tl-marking"),
    });
    const keys = { Escape: () => detail.clear(), f: () => detail.frame() };
    for (const feature of TimelineFeatures) feature(parts, keys);
    Input.keys(view, keys);
    blocks.arrived = () => view.soon();
    for (const run of runs) {
      for (const counter of run.counters) {
        if (counter.series) continue;
        Curves.samples(blocks, counter, run.length).then((series) => {
          counter.series = series;
          view.soon();
        });
      }
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      colours.read();
      view.soon();
    });
    view.drew = () => {
      view.drew = null;
      requestAnimationFrame(() => {
        performance.mark("timeline-first");
        root.dataset.ready = "true";
      });
    };
    window.timeline = parts;
    view.begin();
  }
})();
