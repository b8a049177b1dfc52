// A range of time that was marked: how long it is, and what ran in it, by category and name, on the
// tracks that are selected or on all.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), SHOWN = 40;

  TimelineFeatures.push((parts, keys) => {
    const { runs, view, detail, time, root, scene, arrangement } = parts;
    let asked = 0;

    // Tracks that a person selected, or all.
    const keep = (track) => arrangement.selected.size === 0 || arrangement.selected.has(Scene.trackKey(track));

    function laneRows(range) {
      const rows = [];
      for (const run of runs) {
        for (const { lane, series } of run.activity) {
          const mean = series.bins(range.from - run.shift, range.to - run.shift, 1).mean[0];
          rows.push([`${runs.length > 1 ? `${run.word}: ` : ""}${scene.lanes[lane]}`,
            `${mean > 0 && mean < 0.001 ? "< 0.001" : Format.value(+mean.toPrecision(3))} active on average`]);
        }
      }
      return rows;
    }

    function sumList(list, least) {
      const made = Detail.element("ol", undefined, "tl-way"), most = list[0] ? list[0].busy : 1;
      for (const sum of list.slice(0, SHOWN)) {
        const item = Detail.element("li"), button = Detail.element("button"), bar = Detail.element("i");
        button.type = "button";
        button.title = "Search this name";
        bar.style.width = `${sum.busy / most * 100}%`;
        const whose = runs.length > 1 ? `${sum.run.word}: ` : "";
        button.append(Detail.element("span", sum.name), Detail.element("small",
          `${whose}${least}${Format.count(sum.count)} × · ${Format.length(sum.busy)} inside, longest ${Format.length(sum.longest)}`), bar);
        button.addEventListener("click", () => parts.search(sum.name));
        item.append(button);
        made.append(item);
      }
      if (list.length > SHOWN) made.append(Detail.element("li", `and ${Format.count(list.length - SHOWN)} names more`));
      return made;
    }

    // What asks for the spans of a category in the range: moments of each run's clock, tracks of its.
    function spansAsked(category, range) {
      const { selected } = arrangement;
      return { category, runs: runs.map((run) => {
        const moment = (ns) => String(BigInt(run.origin) + BigInt(Math.round(ns - run.shift)));
        const tracks = run.tracks.filter((track) => selected.has(Scene.trackKey(track))).map((track) => track.id);
        return { run: run.index + 1, from: moment(range.from), to: moment(range.to), tracks: selected.size > 0 ? tracks : null };
      }) };
    }

    // Of a thinned run.
    function missingNote({ missing: { count, busy } }) {
      return count === 0 ? [] : [Detail.element("p", `At the ends of the range up to ${Format.count(count)} spans more, at most ${
        Format.length(busy)}, are not on this page: these sums are what is at least there.`, "tl-note tl-missing")];
    }

    // Columns for a spreadsheet: nanoseconds.
    function tableText(list) {
      const lines = list.map((sum) => [...(runs.length > 1 ? [sum.run.word] : []), sum.category,
        sum.name.replace(/[\t\r\n]/g, " "), sum.count, Math.round(sum.busy), Math.round(sum.longest)].join("\t"));
      const { count, busy } = list.missing;
      if (count > 0) lines.push([...(runs.length > 1 ? [""] : []), "", "not on this page, at most", count, Math.round(busy), ""].join("\t"));
      const head = [...(runs.length > 1 ? ["run"] : []), "category", "name", "count", "inside_ns", "longest_ns"].join("\t");
      return `${[head, ...lines].join("\n")}\n`;
    }

    // A part for each category, open where there are few.
    function parted(list, range) {
      const all = Sums.byCategory(list), least = list.missing.count > 0 ? "at least " : "";
      return all.map(({ category, count, busy, list: names }, i) => {
        const part = Detail.element("details", undefined, "tl-sum"), head = Detail.element("summary");
        part.open = parts.openCategory ? category === parts.openCategory : i === 0 && all.length <= 2;
        part.dataset.category = category;
        head.append(Detail.element("strong", category), Detail.element("small",
          `${least}${Format.count(count)} × · ${Format.length(busy)} inside`));
        const spans = Detail.element("button", "list the spans");
        spans.type = "button";
        spans.addEventListener("click", () => parts.askSpans(spansAsked(category, range)));
        part.append(head, spans, sumList(names, least));
        return part;
      });
    }

    function scopeRows() {
      const { size } = arrangement.selected;
      if (size === 0) return [];
      const names = [...arrangement.selected].slice(0, 4).map((key) => scene.byKey.get(key))
        .filter(Boolean).map((one) => scene.nameOf(one));
      return [["Tracks", `${names.join(", ")}${size > names.length ? ` and ${Format.count(size - names.length)} more` : ""}`]];
    }

    async function show({ range }) {
      const mine = ++asked;
      if (!range) return;
      const length = range.to - range.from;
      detail.pane.hidden = false;
      detail.title(`${Format.length(length)} selected`);
      detail.text = "";
      const waiting = Detail.element("p", "Adding up …");
      detail.body.replaceChildren(Detail.table([["From", Format.exact(range.from)], ["To", Format.exact(range.to)],
        ["Length", `${Format.length(length)} (${Format.count(Math.round(length))} ns)`], ...scopeRows()]),
      ...(arrangement.selected.size === 0 ? [Detail.table(laneRows(range))] : []), waiting);
      const list = await Sums.of(runs, range, keep, () => mine !== asked, (part) => {
        if (mine === asked) waiting.textContent = `Adding up … ${Math.round(100 * part)} %`;
      });
      if (!list) return;
      waiting.replaceWith(Detail.element("h3", "By category and name"),
        Detail.element("p", "A span within another of its category counts in both.", "tl-note"), ...missingNote(list),
        ...parted(list, range));
      detail.text = tableText(list);
    }

    detail.changed.push(show);
    const mark = byId("tl-measure");
    const toggle = () => {
      const on = root.classList.toggle("tl-marking");
      mark.setAttribute("aria-pressed", String(on));
    };
    mark.addEventListener("click", toggle);
    keys.m = toggle;
    // The keyboard's way: what the window shows, and the chosen span's time.
    keys.r = () => (detail.span
      ? detail.mark(detail.span.start + detail.span.run.shift, detail.span.end + detail.span.run.shift, true)
      : detail.mark(time.from, time.to, true));
    view.over.push((pen) => {
      if (!detail.range) return;
      const from = time.x(detail.range.from), to = time.x(detail.range.to);
      pen.font = "600 12px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "top";
      const text = Format.length(detail.range.to - detail.range.from), wide = pen.measureText(text).width + 10;
      const x = Math.min(Math.max((from + to) / 2, wide / 2), view.width - wide / 2);
      pen.fillStyle = view.colours.inkText;
      pen.fillRect(x - wide / 2, 4, wide, 20);
      pen.fillStyle = `rgb(${view.colours.paper})`;
      pen.fillText(text, x, 8);
      pen.textAlign = "left";
    });
  });
})();
