// Search by name: what is found stands out in the picture, the list says how often it occurs and how
// long in all, and the occurrences can be walked through.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), SHOWN = 200;

  TimelineFeatures.push((parts, keys) => {
    const { runs, view, time, detail, colours } = parts;
    const box = byId("tl-search"), list = byId("tl-found"), count = byId("tl-found-count");
    let found = [], chosen = null;

    function search() {
      const text = box.value.trim(), match = text && Arrangement.matcher(text);
      box.setAttribute("aria-invalid", String(text !== "" && !match));
      chosen = null;
      if (!match) {
        view.paint.chosen = null;
        list.hidden = true;
        count.textContent = "";
        view.soon();
        return;
      }
      found = [];
      view.paint.chosen = new Map();
      for (const run of runs) {
        const ids = new Set();
        run.names.forEach((name, id) => { if (match(name)) ids.add(id); });
        view.paint.chosen.set(run, ids);
        const table = run.totalsTable, sums = new Map();
        for (let i = 0; i < table.rows; i++) {
          if (!ids.has(table.name[i])) continue;
          const sum = sums.get(table.name[i]) || { run, id: table.name[i], name: run.names[table.name[i]],
            count: 0, total: 0, tracks: new Set() };
          sum.count += table.count[i];
          sum.total += table.total[i];
          sum.tracks.add(table.track[i]);
          sums.set(table.name[i], sum);
        }
        found.push(...sums.values());
      }
      found.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
      show();
      view.soon();
    }

    function show() {
      const spans = found.reduce((sum, one) => sum + one.count, 0);
      count.textContent = found.length === 0 ? "nothing found"
        : `${Format.count(found.length)} names, ${Format.count(spans)} spans`;
      list.replaceChildren(...found.slice(0, SHOWN).map((one) => {
        const item = Detail.element("li"), button = Detail.element("button");
        button.type = "button";
        button.append(Detail.element("span", one.name), Detail.element("small",
          `${runs.length > 1 ? `${one.run.word}: ` : ""}${Format.count(one.count)} × · ${Format.length(one.total)}`));
        button.addEventListener("click", () => {
          chosen = one;
          view.paint.chosen = new Map([[one.run, new Set([one.id])]]);
          step(1);
        });
        item.append(button);
        return item;
      }));
      if (found.length > SHOWN) {
        list.append(Detail.element("li", `and ${Format.count(found.length - SHOWN)} names more`));
      }
      list.hidden = found.length === 0;
    }

    // The next occurrence after (or the last before) where we are, over all tracks.
    async function step(direction) {
      const wanted = chosen ? [chosen] : found;
      if (wanted.length === 0) return;
      const here = detail.span ? detail.span.start + detail.span.run.shift
        : direction > 0 ? time.from : time.to;
      let best = null;
      for (const run of new Set(wanted.map((one) => one.run))) {
        const ids = new Set(wanted.filter((one) => one.run === run).map((one) => one.id));
        const tracks = new Set(wanted.filter((one) => one.run === run).flatMap((one) => [...one.tracks]));
        best = await nearest(run, ids, tracks, here, direction, best);
      }
      if (best) detail.choose(await best.run.span(best.number), true);
      else count.textContent = direction > 0 ? "that was the last" : "that was the first";
    }

    async function nearest(run, ids, tracks, here, direction, best) {
      const at = here - run.shift, length = run.length;
      const rows = Range.allRows(run, (track) => tracks.has(track.index));
      const other = detail.span && detail.span.run === run ? detail.span : null;
      // Windows that double, so that what is near is found without looking at everything.
      for (let size = Math.max(time.length / 4, 1), done = 0; done < length; size *= 4) {
        const from = direction > 0 ? at + done : at - done - size, to = direction > 0 ? at + done + size : at - done;
        await Range.between(run, rows, from, to, (part, first, last, number) => {
          for (let i = first; i < last; i++) {
            const start = part.start[i], n = number + i - first;
            if (!ids.has(part.name[i])) continue;
            const after = other ? start - other.start || n - other.number : start - at || 1;
            if (direction > 0 ? after <= 0 : after >= 0) continue;
            const moment = start + run.shift;
            if (!best || (direction > 0 ? moment < best.moment : moment > best.moment)) {
              best = { run, number: n, moment };
            }
          }
        });
        if (best) return best;
        done += size;
      }
      return best;
    }

    let waiting;
    box.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 120);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        box.value = "";
        search();
        view.scroll.focus();
      }
    });
    keys["/"] = () => box.focus();
    keys.n = () => step(1);
    keys.N = () => step(-1);
    parts.search = (text) => {
      box.value = text;
      return search();
    };
    parts.searchText = () => box.value;
  });
})();
