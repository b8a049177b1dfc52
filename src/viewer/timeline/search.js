// Search: names of spans, tracks and threads, and arguments. What is found stands out in the picture,
// the list says how often it occurs and how long in all, and the occurrences can be walked through.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), SHOWN = 200;

  TimelineFeatures.push((parts, keys) => {
    const { runs, view, time, detail, scene } = parts;
    const box = byId("tl-search"), list = byId("tl-found"), count = byId("tl-found-count");
    let found = [], chosen = null, places = [], arguments_ = null, asked = 0;

    function search() {
      const text = box.value.trim(), match = text && Arrangement.matcher(text);
      box.setAttribute("aria-invalid", String(text !== "" && !match));
      chosen = arguments_ = null;
      asked++;
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
      places = [...scene.byKey.values()].filter((node) => node.kind !== "heading" && match(scene.nameOf(node)));
      if (/^[\w.]+\s*=\s*\S/.test(text)) inArguments(text);
      found.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
      show();
      view.soon();
    }

    function show() {
      const spans = found.reduce((sum, one) => sum + one.count, 0);
      const words = [found.length > 0 && `${Format.count(found.length)} names, ${Format.count(spans)} spans${thinned ? " (steps go through those on this page)" : ""}`,
        places.length > 0 && `${Format.count(places.length)} tracks`].filter(Boolean);
      count.textContent = words.length === 0 ? "nothing found" : words.join(", ");
      list.replaceChildren(...places.slice(0, 20).map((node) => line(scene.nameOf(node),
        `${node.kind}${node.track ? ` of ${node.run.groupOf(node.track)}` : ""}`, () => goTo(node))), ...found.slice(0, SHOWN).map((one) => {
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
      if (!arguments_ && hasArguments) {
        list.append(line("Look into arguments", `of ${Format.count(all)} spans${thinned ? " on this page" : ""}; key=value asks for one`,
          () => inArguments(box.value.trim())));
      }
      list.hidden = found.length === 0 && places.length === 0 && !hasArguments;
    }
    const all = runs.reduce((sum, run) => sum + run.held, 0), thinned = runs.some((run) => run.thinned);
    const hasArguments = runs.some((run) => run.layouts.some((layout) => layout?.args.length > 0));

    function line(text, small, act) {
      const item = Detail.element("li"), button = Detail.element("button");
      button.type = "button";
      button.append(Detail.element("span", text), Detail.element("small", small));
      button.addEventListener("click", act);
      item.append(button);
      return item;
    }

    // A lane, track or counter: there, whatever hid it.
    function goTo(node) {
      const { arrangement } = scene;
      for (const one of [node, node.parent].filter(Boolean)) {
        arrangement.hidden.delete(one.key);
        if (one !== node) scene.open.add(one.key);
      }
      scene.arrange();
      if (!scene.items.some((item) => item.key === node.key)) arrangement.filter = "";
      parts.arranged();
      view.bring(node.key);
      view.draw();
      view.labels.made.get(node.key)?.focus();
    }

    // From here on, walking goes through the spans whose arguments say so.
    async function inArguments(text) {
      const mine = ++asked, out = [];
      for (const run of runs) {
        const numbers = await Found.of(run, text, () => mine !== asked, (part) => {
          count.textContent = `looking into arguments … ${Math.round(100 * part)} %`;
        });
        if (!numbers) return;
        out.push(...numbers.map((number) => ({ run, number })));
      }
      if (mine !== asked) return;
      arguments_ = { list: out, at: -1 };
      count.textContent = out.length === 0 ? `no argument${thinned ? " on this page" : ""} says so`
        : `${thinned ? "on this page " : ""}${out.length >= Found.MOST ? "the first " : ""}${Format.count(out.length)} spans by their arguments`;
      if (out.length > 0) stepArguments(1);
    }

    async function stepArguments(direction) {
      const { list: spans } = arguments_, at = arguments_.at + direction;
      if (at < 0 || at >= spans.length) {
        count.textContent = direction > 0 ? "that was the last" : "that was the first";
        return;
      }
      arguments_.at = at;
      const span = await spans[at].run.span(spans[at].number);
      count.textContent = `${Format.count(at + 1)} of ${Format.count(spans.length)} by their arguments`;
      await detail.choose(span, true);
    }

    // The next occurrence after (or the last before) where we are, over all tracks.
    async function step(direction) {
      if (arguments_) {
        await stepArguments(direction);
        return;
      }
      const wanted = chosen ? [chosen] : found;
      if (wanted.length === 0) return;
      const here = detail.span ? detail.span.start + detail.span.run.shift
        : direction > 0 ? time.from : time.to;
      let best = null;
      for (const run of new Set(wanted.map((one) => one.run))) {
        const ids = new Set(wanted.filter((one) => one.run === run).map((one) => one.id));
        const tracks = new Set(wanted.filter((one) => one.run === run).flatMap((one) => [...one.tracks]));
        best = await Neighbours.nearest(run, { ids, tracks, here, direction, from: detail.span, reach: time.length }, best);
      }
      if (best) await detail.choose(await best.run.span(best.number), true);
      else count.textContent = direction > 0 ? "that was the last" : "that was the first";
      return best !== null;
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

    // The next span of this name, whose stars stand for what differs; of a long one its beginning.
    const LONG = 300;
    let walked = null;
    parts.walk = async (name) => {
      const pattern = name.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}/]/g, "\\$&")).join(".*");
      const text = name.length < LONG && /[*/]/.test(name) ? `/^${pattern}$/` : name;
      if (walked !== name || box.value !== text || !chosen) {
        box.value = text;
        search();
        chosen = found.find((one) => one.name === name) || null;
      }
      walked = name;
      if (found.length === 0 || !await step(1) && !await step(-1)) return;
      const { span } = detail, from = span.start + span.run.shift, to = span.end + span.run.shift;
      if (to - from < time.length / 50) time.show(from, to, 0.05);
    };
  });
})();
