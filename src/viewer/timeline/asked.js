// SQL over what the page holds: the answer as a table, and rows that have a time as a track.
//
// Owns the panel. In tandem serve the page around has one over the whole store, and this one goes.
"use strict";

TimelineFeatures.push((parts, keys) => {
  const byId = (id) => document.getElementById(id), SHOWN = 200, MOST = 100000;
  const { meta, runs, view } = parts, box = byId("tl-sql"), area = byId("tl-sql-text"), said = byId("tl-sql-said");
  const table = byId("tl-sql-rows"), go = byId("tl-sql-go"), { MOST_SPANS, rolesOf, tracksOf, placeOf } = AnsweredRows;
  const lanes = meta.lanes.slice(), instants = runs.reduce((sum, run) => sum + run.instants, 0);
  const thin = runs.filter((run) => run.thinned), sum = (key) => Format.count(runs.reduce((all, run) => all + run[key], 0));
  const coarse = runs.reduce((all, run) => all + run.counters.filter((one) => one.coarse).length, 0);
  const thinned = thin.length === 0 ? "" : `the table span has ${sum("held")} of the ${sum("spans")} spans${
    thin.some((run) => run.requests) ? ", request those that these tell of" : ""}${
    coarse > 0 ? `, counter lacks ${Format.count(coarse)} with many samples` : ""}: counts and sums are of these`;
  let asked = 0, running = false;

  area.value = `SELECT name, start_ns, dur_ns, track FROM span
${runs[0].layouts.some((layout) => layout?.category === "kernel") ? "WHERE category = 'kernel'\n" : ""}ORDER BY dur_ns DESC LIMIT 100`;

  // Numbers that JavaScript and people read; the engine's reals are objects.
  const plain = (value) => (value instanceof Real ? value.value : value);

  function cell(name, value) {
    const made = Detail.element("td", value === null ? "" : typeof value === "number" && !/_ns$/.test(name)
      ? Format.value(value) : String(value));
    if (typeof value === "number" || typeof value === "bigint") {
      made.className = "tl-number";
      if (/_ns$/.test(name) && !/^(start|end|at|time|begin|arrival)_/.test(name)) made.textContent = Format.length(Number(value));
    }
    return made;
  }

  function line(columns, row, is) {
    const made = Detail.element("tr");
    if (is) {
      const place = Detail.element("td"), button = Detail.element("button", "↗");
      button.type = "button";
      button.setAttribute("aria-label", "Show it in the timeline");
      button.addEventListener("click", () => parts.showOnClock(...placeOf(row, is)));
      if (row[is.start] !== null) place.append(button);
      made.append(place);
    }
    made.append(...columns.map((name) => cell(name, row[name])));
    return made;
  }

  // Another run's rows stand where its clock is shifted to.
  function shifted(row, is) {
    const run = runs[Number(row.run) - 1], first = runs[0];
    if (!run || run === first || row[is.start] === null) return row;
    const by = BigInt(first.origin) - BigInt(run.origin) + BigInt(Math.round(run.shift));
    const moved = { ...row };
    for (const key of [is.start, is.end]) if (key && row[key] !== null && row[key] !== undefined) moved[key] = BigInt(row[key]) + by;
    return moved;
  }

  function show({ columns: names, rows: values, whole }) {
    // Of columns of one name the first has it, others a number, as nothing else tells them apart.
    const columns = names.map((name, i) => (names.indexOf(name) === i ? name : `${name}:${i + 1}`));
    let rows = values.map((row) => Object.fromEntries(columns.map((name, i) => [name, plain(row[i])])));
    const is = rolesOf(columns, rows);
    if (is && columns.includes("run")) rows = rows.map((row) => shifted(row, is));
    const tracks = is ? tracksOf(columns, rows, is) : [], drawn = tracks.length > 0;
    parts.madeOnClock("query", tracks);
    const head = Detail.element("tr");
    if (drawn) head.append(Detail.element("td"));
    head.append(...columns.map((name) => {
      const made = Detail.element("th", name);
      made.scope = "col";
      return made;
    }));
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...rows.slice(0, SHOWN).map((row) => line(columns, row, drawn ? is : null)));
    table.hidden = rows.length === 0;
    const words = [`${whole ? "" : "the first "}${Format.count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`];
    if (rows.length > SHOWN) words.push(`${SHOWN} of them here`);
    if (drawn) words.push(`those with a time are the lane "query"${rows.length > MOST_SPANS ? `, the first ${Format.count(MOST_SPANS)} of them` : ""}`);
    if (thinned) words.push(thinned);
    if (instants > 0) words.push(`${Format.count(instants)} instants are not on this page`);
    said.textContent = `${words.join("; ")}.`;
  }

  async function ask() {
    if (running) {
      asked++;
      return;
    }
    const mine = ++asked;
    running = true;
    go.textContent = "stop";
    said.className = "tl-note";
    said.textContent = "asking …";
    try {
      const answer = await SqlQuery(area.value, PageTables.of(runs, lanes), PageTables.functions(runs), { most: MOST,
        stopped: () => mine !== asked, told: (part) => { said.textContent = `asking … ${Math.round(100 * part)} %`; } });
      if (answer) show(answer);
      else said.textContent = "stopped";
    } catch (error) {
      said.className = "tl-wrong";
      said.textContent = error.message;
    }
    running = false;
    go.textContent = "ask";
    view.soon();
  }

  // Where the store is asked, the page around makes the query: what stands here is no one's to trust.
  parts.askSpans = (spans) => {
    if (box.hidden) {
      window.parent.postMessage({ timeline: "spans", spans }, "*");
      return;
    }
    box.open = true;
    area.value = AnsweredRows.spansQuery(spans);
    if (running) asked++;
    else ask();
  };

  go.addEventListener("click", ask);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
    if (event.key !== "Escape") return;
    box.open = false;
    view.scroll.focus();
  });
  keys.q = () => {
    box.open = true;
    area.focus();
  };
  if (window.parent !== window) {
    window.addEventListener("message", ({ source, data }) => {
      if (source !== window.parent || data?.sql !== "around") return;
      box.hidden = true;
      delete keys.q;
    });
  }
});
