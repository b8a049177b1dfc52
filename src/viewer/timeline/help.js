// The toolbar's buttons, and the sheet with keys and what colours mean.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  // Which of a run's spans are here.
  function thinnedWords({ thinned: { whole_ns: whole, group } }) {
    return `On this page are ${whole === undefined ? "" : `all spans of at least ${Format.length(whole)}, shorter ones where they stand apart, and `
    }the longest of each ${Format.count(group)} neighbours in a row; a paler block stands for what lies between, as busy as it was. Curves and totals are of all.`;
  }

  TimelineFeatures.push((parts, keys) => {
    const { view, time, scene, runs } = parts, sheet = byId("tl-help");
    const bind = (id, act) => byId(id).addEventListener("click", act);
    bind("tl-fit", () => time.fit());
    bind("tl-in", () => time.zoom(0.6, time.width / 2));
    bind("tl-out", () => time.zoom(1 / 0.6, time.width / 2));
    bind("tl-all", () => {
      const open = !scene.items.some((item) => item.kind === "track");
      scene.setAll(open);
      view.arranged();
    });
    const show = () => (sheet.open ? sheet.close() : sheet.showModal());
    bind("tl-help-button", show);
    keys["?"] = show;
    keys.e = () => byId("tl-all").click();
    const spans = runs.reduce((sum, run) => sum + run.spans, 0);
    const instants = runs.reduce((sum, run) => sum + run.instants, 0);
    // Counted like everywhere else; what has no length is not drawn.
    if (instants > 0) byId("tl-count").title = `${Format.count(instants)} of them instants, which are not drawn`;
    const held = runs.reduce((sum, run) => sum + run.held, 0);
    if (held < spans) byId("tl-count").title = runs.filter((run) => run.thinned).map(thinnedWords).join(" ");
    const words = () => {
      byId("tl-span").textContent = `${Format.length(time.length)} of ${Format.length(time.last - time.first)}`;
      byId("tl-count").textContent = spans === 0 && instants > 0 ? `${Format.count(instants)} instants, not drawn`
        : `${held < spans ? `${Format.count(held)} of ` : ""}${Format.count(spans + instants)} spans`;
    };
    view.over.push(words);
    const align = byId("tl-shift");
    if (runs.length < 2) {
      align.closest("label").remove();
      return;
    }
    // Milliseconds that the second run is moved by, beyond what its clock says.
    const base = runs[1].shift;
    align.addEventListener("input", () => {
      const by = Number(align.value);
      if (Number.isNaN(by)) return;
      runs[1].shift = base + by * 1e6;
      time.first = Math.min(...runs.map((run) => run.shift));
      time.last = Math.max(...runs.map((run) => run.shift + run.length));
      view.soon();
    });
  });
})();
