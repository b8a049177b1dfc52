// A range of time that was marked: how long it is, and what ran in it, by name.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), SHOWN = 40;

  TimelineFeatures.push((parts, keys) => {
    const { runs, view, detail, time, root, scene } = parts;
    let asked = 0;

    // Time within the range by run, lane, category and name, of what nothing hides from it.
    async function sums(range, mine) {
      const out = new Map();
      for (const run of runs) {
        const from = range.from - run.shift, to = range.to - run.shift;
        for (const track of run.tracks) {
          await Range.between(run, Range.rowsOf(track), from, to, (part, first, last) => {
            for (let i = first; i < last; i++) {
              const key = `${run.index} ${track.lane} ${part.layout[i]} ${part.name[i]}`;
              let sum = out.get(key);
              if (!sum) {
                sum = { run, lane: scene.lanes[track.lane], name: run.names[part.name[i]],
                  category: run.layouts[part.layout[i]].category, count: 0, busy: 0, longest: 0 };
                out.set(key, sum);
              }
              const inside = Math.min(part.start[i] + part.length[i], to) - Math.max(part.start[i], from);
              sum.count++;
              sum.busy += Math.max(0, inside);
              sum.longest = Math.max(sum.longest, part.length[i]);
            }
          }, () => mine !== asked);
          if (mine !== asked) return null;
        }
      }
      return [...out.values()].sort((a, b) => b.busy - a.busy || b.count - a.count);
    }

    function laneRows(range) {
      const rows = [];
      for (const run of runs) {
        for (const { lane, series } of run.activity) {
          const mean = series.bins(range.from - run.shift, range.to - run.shift, 1).mean[0];
          rows.push([`${runs.length > 1 ? `${run.word}: ` : ""}${scene.lanes[lane]}`,
            `${Format.value(mean)} active on average`]);
        }
      }
      return rows;
    }

    function sumList(list) {
      const made = Detail.element("ol", undefined, "tl-way"), most = list[0] ? list[0].busy : 1;
      for (const sum of list.slice(0, SHOWN)) {
        const item = Detail.element("li"), button = Detail.element("button"), bar = Detail.element("i");
        button.type = "button";
        button.title = "Search this name";
        bar.style.width = `${sum.busy / most * 100}%`;
        button.append(Detail.element("span", sum.name), Detail.element("small",
          `${runs.length > 1 ? `${sum.run.word}: ` : ""}${sum.lane} ${sum.category} · ${Format.count(sum.count)} × · `
          + `${Format.length(sum.busy)} inside, longest ${Format.length(sum.longest)}`), bar);
        button.addEventListener("click", () => parts.search(sum.name));
        item.append(button);
        made.append(item);
      }
      return made;
    }

    async function show({ range }) {
      const mine = ++asked;
      if (!range) return;
      const length = range.to - range.from;
      detail.pane.hidden = false;
      detail.title(`${Format.length(length)} selected`);
      const waiting = Detail.element("p", "Adding up …");
      detail.body.replaceChildren(Detail.table([["From", Format.exact(range.from)], ["To", Format.exact(range.to)],
        ["Length", `${Format.length(length)} (${Format.count(Math.round(length))} ns)`]]),
      Detail.table(laneRows(range)), waiting);
      const list = await sums(range, mine);
      if (!list || mine !== asked) return;
      waiting.replaceWith(Detail.element("h3", list.length > SHOWN
        ? `The ${SHOWN} names with most time, of ${Format.count(list.length)}` : "By name"), sumList(list));
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
