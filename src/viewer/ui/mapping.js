// What a run tells a model: which of its spans are requests and stages (its map), the scenario that fits it, and how far
// a simulation is from it. The map is kept for the tab, by run: fits and scores use it.
import { get, post, text } from "./api.js";
import { analyses, rowsTable, tablesOf } from "./answer.js";
import { button, h, link, notice, problem, replace, table } from "./dom.js";
import { date, estimate, integer, percent, quantity } from "./format.js";
import { labelled, select, starter, work } from "./work.js";

const KINDS = { s: "time", B: "bytes", "B/s": "speed", 1: "count", "FLOP/s": "flops", "1/s": "rate" };
const keyOf = (run) => `tandem.map.${run.run_id}`;
const mapOf = (run) => sessionStorage.getItem(keyOf(run)) || undefined;
const waiting = (words) => h("p", { class: "muted" }, words);
const needs = (run) => (run.kind === "simulated" || mapOf(run) ? null
  : notice("info", "Which of its spans are requests? ", h("a", { href: `#/real/${run.run_id}?tab=map` }, "Choose a map"),
    " first."));

// ---- the map

// A map of this run: proposed ones to choose from, its text, what it covers.
export async function mapTab(run) {
  const area = h("textarea", { id: "map-text", spellcheck: "false", wrap: "off", rows: "14", "aria-label": "The map" });
  const list = h("div", { class: "stack" }), covers = h("div", { class: "stack" });
  area.value = mapOf(run) || "";
  let going = null;
  const cover = () => {
    going?.cancel();
    if (area.value.trim()) sessionStorage.setItem(keyOf(run), area.value);
    else sessionStorage.removeItem(keyOf(run));
    if (!area.value.trim()) return replace(covers, notice("info", "A map is empty: nothing is covered."));
    going = work(covers, "/v1/maps", { run: run.run_id, map: area.value }, "Reading", async (told) =>
      tablesOf(told, (await analyses()).get("coverage")));
    return going.ended;
  };
  const take = (map) => {
    area.value = map;
    cover();
  };
  try {
    const told = await post("/v1/maps", { run: run.run_id, propose: 5 });
    const { rows } = told.tables[0];
    replace(list, table([
      { key: "why", title: "what repeats", lead: true },
      { key: "requests", title: "requests", right: true, show: (row) => integer(row.requests) },
      { key: "share", title: "of their time in stages", right: true, show: (row) => percent(row.share) },
      { key: "do", title: "", sort: false, class: "short", show: (row) => button("Take it", () => take(row.map),
        { class: "button small", "aria-label": `Take proposal ${row.rank}` }) },
    ], rows, { caption: "Proposals, best first" }));
    if (!area.value && rows.length > 0) area.value = rows[0].map;
  } catch (error) {
    replace(list, error.status === 422 ? notice("info", error.message) : problem(error));
  }
  if (area.value) cover();
  return h("div", { class: "stack" }, h("p", { class: "muted" },
    "Which spans of this run are requests, and which of them are their stages."), list,
  h("div", { class: "source-card" }, area, starter("map-cover", "Show what it covers", cover)), covers);
}

// ---- the fit

const figureOf = (row, key) => (row[key] === undefined || row[key] === null ? "–"
  : quantity(row[key], KINDS[row.unit] || "count", 4));

// Rounding of differences that are none.
const NOTHING = 1e-9;

function interval(row) {
  if (row.low === undefined) return "–";
  return row.high === undefined ? `≥ ${figureOf(row, "low")}` : `${figureOf(row, "low")} … ${figureOf(row, "high")}`;
}

function parameters(found) {
  return table([
    { key: "path", title: "parameter", lead: true },
    { key: "value", title: "value", right: true, show: (row) => figureOf(row, "value") },
    { key: "low", title: "95 % interval", right: true, sort: false, show: interval },
    { key: "kind", title: "how" },
    { key: "source", title: "from", class: "text" },
  ], found.parameters, { caption: "Parameters" });
}

async function fitted(found) {
  const kept = h("span");
  const keep = button("Build from it", async () => {
    try {
      const { scenario_id: id } = await post("/v1/scenarios", found.scenario);
      location.hash = `#/build?from=${id}`;
    } catch (error) {
      replace(kept, problem(error));
    }
  });
  return [h("section", { class: "card answer" }, h("h2", {}, found.name), h("p", {},
    `${integer(found.fitted)} requests were fitted, ${integer(found.held_out)} held out and predicted.`),
  found.notes.map((line) => h("p", { class: "muted" }, typeof line === "string" ? line : `${line.path}: ${line.why}`)),
  h("div", { class: "actions" }, keep, kept)),
  table([
    { key: "stage", title: "stage", lead: true },
    { key: "observed", title: "held out", right: true, show: (row) => quantity(row.observed, "time") },
    { key: "predicted", title: "predicted", right: true, show: (row) => quantity(row.predicted, "time") },
    { key: "error", title: "off by", right: true, show: (row) => (Math.abs(row.error) < NOTHING ? "0 %"
      : estimate({ value: row.error, half: row.half }, "percent")) },
    { key: "visits", title: "visits", right: true, show: (row) => integer(row.visits) },
  ], found.rows, { caption: "What was held out" }), parameters(found),
  found.scenario && h("details", { class: "card" }, h("summary", {}, "The scenario"),
    h("pre", { class: "source" }, h("code", {}, found.scenario)))];
}

export async function fitTab(run) {
  const { examples } = await get("/v1/examples");
  const scenario = select("fit-scenario", [["", "a scenario of its own"],
    ...examples.map((one) => [one.id, one.title || one.name])]);
  const split = select("fit-split", [["alternate", "every other request"], ["half", "the last part"]]);
  const place = h("div", { class: "stack" }, waiting("The answer comes here: parameters with their intervals."));
  const go = starter("fit-go", "Fit", () => {
    const missing = needs(run);
    if (missing) return replace(place, missing) && Promise.resolve();
    return work(place, "/v1/fits", { real: run.run_id, map: mapOf(run), scenario_id: scenario.value || undefined,
      split: split.value }, "Fitting", fitted).ended;
  });
  return h("div", { class: "stack" }, h("p", { class: "muted" },
    "What its stages cost, each parameter with its interval; part of the requests is held out and predicted."),
  h("div", { class: "grid wide" }, labelled(scenario.id, "Fitted to", scenario), labelled(split.id, "Held out", split)),
  go, place);
}

// ---- the score

export async function scoreTab(run) {
  const { runs } = await get("/v1/runs?kind=simulated&limit=1000");
  const usable = runs.filter((one) => one.spans > 0 && one.run_id !== run.run_id);
  if (usable.length === 0) {
    return notice("info", "There is no simulated run with spans to hold against it. ",
      link("#/build", "Build a scenario", ""), " and run it with spans kept.");
  }
  const sim = select("score-sim", usable.map((one) => [one.run_id, `${one.name} · ${one.run_id} · ${
    date(one.created_utc_ns)}`]));
  const within = h("input", { id: "score-within", value: "5 %", size: "6" });
  const place = h("div", { class: "stack" }, waiting("The answer comes here: stage by stage, with a verdict each."));
  const go = starter("score-go", "Compare", () => {
    const missing = needs(run);
    if (missing) return replace(place, missing) && Promise.resolve();
    const body = { real: run.run_id, sim: sim.value, map: mapOf(run), within: within.value.replaceAll(" ", "") || "5%" };
    return work(place, "/v1/scores", body, "Comparing", async (told) => {
      const known = (await analyses()).get("score");
      return [tablesOf({ ...told, tables: told.tables.filter((one) => one.name !== "over_time") }, known),
        h("p", {}, button("The whole page", async () => {
          const html = await text("/v1/scores", null, { ...body, form: "html" });
          window.open(URL.createObjectURL(new Blob([html], { type: "text/html" })), "_blank", "noopener");
        }, { class: "button small" }))];
    }).ended;
  });
  return h("div", { class: "stack" }, h("p", { class: "muted" },
    "How far a simulation is from this run: own times of stages, totals, throughput, how busy lanes were."),
  h("div", { class: "grid wide" }, labelled(sim.id, "Simulated run", sim), labelled(within.id, "Within", within)), go, place);
}
