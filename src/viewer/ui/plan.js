// Capacity planning: how many GPUs for a load, or how much load for GPUs; the answer in words, as a
// table and as a curve.
import { button, h, replace, say, table } from "./dom.js";
import { save } from "./api.js";
import { gpuWords } from "./fields.js";
import { cautions } from "./sweep.js";
import { estimate, percent, quantity } from "./format.js";
import { gpuNamed, language } from "./model.js";
import { chartOf } from "./svg.js";
import { entry, labelled, lines, planner, select, starter } from "./work.js";

const CONFIDENCES = [["0.9", "90 %"], ["0.95", "95 %"], ["0.99", "99 %"], ["0.999", "99.9 %"]];

export async function plan(root, params) {
  const known = await language();
  await planner(root, params, { id: "plan", usual: "how-many-gpus", title: "Plan capacity",
    words: "How many GPUs, of which kind, a load needs; or how much load given GPUs take. Simulations decide, "
      + "with repetitions until the answer is sure.",
    before: "The answer comes here: in words, as a table and as a curve.", path: "/v1/plans", label: "Simulating",
    ask: (scenario, start) => ask(known, scenario.told.data, (body) => start(body, shown)) });
}

// ---- the question

// The first rate of arrivals that the scenario names.
function rateOf(data) {
  const first = [data.workload].flat()[0] || {};
  return first.rps ?? first.mean ?? first.users ?? "";
}

function ask(known, data, start) {
  const asked = data.plan || {};
  const find = select("plan-find", [["gpus", "fewest GPUs for a load"], ["load", "highest load of given GPUs"]]);
  find.value = asked.find === "load" ? "load" : "gpus";
  const range = asked.load && typeof asked.load === "object" && !Array.isArray(asked.load) ? asked.load : null;
  const rate = rateOf(data);
  const low = entry("plan-from", range?.from ?? rate, "40rps"), high = entry("plan-to", range?.to, "one load");
  const steps = entry("plan-steps", range?.points ?? 5, "5"), gpus = entry("plan-gpus", data.target?.count ?? 1, "1");
  const most = entry("plan-max", asked.max, "64"),
    budget = entry("plan-budget", asked.budget?.usd_per_hour, "no limit");
  const confidence = select("plan-confidence", CONFIDENCES);
  confidence.value = CONFIDENCES.some(([value]) => Number(value) === asked.confidence) ? String(asked.confidence)
    : "0.95";
  const kinds = kindsOf(known, asked, data), slo = sloOf(data);
  const loads = h("div", { class: "grid three" }, labelled(low.id, "Load", low), labelled(high.id, "up to", high),
    labelled(steps.id, "in steps", steps));
  const given = labelled(gpus.id, "GPUs", gpus);
  const rest = h("div", { class: "grid three" }, labelled(confidence.id, "Confidence", confidence),
    labelled(most.id, "At most, GPUs", most),
    labelled(budget.id, "At most, $/h", budget));
  const adapt = () => {
    loads.hidden = find.value === "load";
    given.hidden = find.value !== "load";
    most.closest(".field").hidden = budget.closest(".field").hidden = find.value === "load";
  };
  find.addEventListener("change", adapt);
  adapt();
  const go = starter("plan-go", "Find out", () => {
    const body = { find: find.value, confidence: Number(confidence.value), kinds: kinds.chosen(), slo: slo.limits() };
    if (find.value === "gpus") {
      if (low.value.trim()) body.load = high.value.trim()
        ? `${low.value.trim()}:${high.value.trim()}:${steps.value.trim() || 5}` : low.value.trim();
      if (most.value.trim()) body.max = Number(most.value);
      if (budget.value.trim()) body.budget = { usd: budget.value.trim() };
    } else {
      body.gpus = Number(gpus.value);
    }
    const odd = [["max", most], ["gpus", gpus]].find(([key]) => key in body && !Number.isInteger(body[key]));
    if (odd) return `'${odd[1].value}' is not a whole number of GPUs.`;
    if (Object.keys(body.slo).length === 0) delete body.slo;
    if (body.kinds.length === 0) delete body.kinds;
    return start(body);
  });
  return h("div", { class: "stack" }, labelled(find.id, "Question", find), loads, given, kinds.node, slo.node, rest,
    go);
}

// Which GPUs are compared: { node, chosen() }.
function kindsOf(known, asked, data) {
  const own = data.target?.type === "gpu" ? data.target.name : null;
  const names = [asked.kinds || own || []].flat().filter((one) => typeof one === "string")
    .map((name) => gpuNamed(known.gpus, name)?.name ?? name);
  const chosen = new Set(names), chips = h("div", { class: "chips" });
  const input = h("input", { id: "plan-kinds", list: "plan-kinds-list", placeholder: "add a GPU",
    autocomplete: "off", spellcheck: "false" });
  const list = h("datalist", { id: "plan-kinds-list" },
    known.gpus.map((gpu) => h("option", { value: gpu.name, label: gpuWords(gpu) })));
  const wrong = h("p", { class: "trouble" });
  const draw = () => replace(chips,
    [...chosen].map((name) => h("span", { class: "chip", title: gpuWords(gpuNamed(known.gpus, name) || {}) }, name,
    button("×", () => { chosen.delete(name); draw(); input.focus(); },
      { class: "button small", "aria-label": `Without ${name}` }))));
  const take = () => {
    const gpu = gpuNamed(known.gpus, input.value);
    wrong.textContent = input.value.trim() && !gpu ? `No GPU is called '${input.value.trim()}'.` : "";
    if (!gpu) return;
    chosen.add(gpu.name);
    input.value = "";
    draw();
    say(`${gpu.name} is compared`);
  };
  input.addEventListener("change", take);
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") take(); });
  draw();
  return { node: h("div", { class: "field" },
    h("div", { class: "label" }, h("label", { for: input.id }, "GPU kinds to compare"),
    h("span", { class: "doc" }, "default: the scenario's own")), chips, input, list, wrong),
      chosen: () => [...chosen] };
}

// What must hold: { node, limits() }.
function sloOf(data) {
  const rows = Object.entries(data.slo || {});
  const inherited = rows.length === 0 && (data.classes || []).some((one) => one.slo);
  const limits = lines([{ label: "Figure", placeholder: "p99", list: "plan-metrics" },
    { label: "Limit", sign: "≤", placeholder: "250ms" }], rows, "+ limit");
  return { node: h("div", { class: "field" },
    h("div", { class: "label" }, h("span", { class: "key" }, "What must hold"),
    inherited && h("span", { class: "doc" }, "default: the objectives of its classes")), limits.node,
  h("datalist", { id: "plan-metrics" },
    ["p50", "p95", "p99", "p99.9", "mean", "max", "ttft_p99", "tpot_p99", "e2e_p99", "goodput"]
    .map((value) => h("option", { value })))),
  limits: () => Object.fromEntries(limits.read().filter(([metric, limit]) => metric && limit)) };
}

// ---- the answer

// Sentences without the option of the command line that some end with.
const said = (list) => [list].flat().filter((one) => typeof one === "string")
  .map((words) => words.replaceAll(/: --price [^.]*?gives one\./g, "."));

const limitOf = (row) => row.figures.find((one) => one.label === row.binding);

// A figure of time against its limit; others are plain numbers.
function figureWords(one) {
  if (!one) return "–";
  const kind = /goodput/.test(one.label) ? "rate" : /met|utilization/.test(one.label) ? "percent" : "time";
  return `${one.label} ${estimate(one, kind)}`;
}

// What the answer were without the model's doubt, and how far that moves it.
function doubtWords(row) {
  const one = row.doubt;
  if (one?.exact === undefined) return "–";
  const words = one.stopped ? "the answer, too: the search was stopped" : quantity(one.exact, "count");
  return one.fast === undefined || one.fast === one.slow ? words
    : [words, h("span", { class: "under" }, `${quantity(Math.min(one.fast, one.slow), "count")} – ${
      quantity(Math.max(one.fast, one.slow), "count")}, 90 %`)];
}

function shown(found) {
  const best = new Set(found.best.map((index) => (index === false ? null : found.rows[index - 1])));
  const rows = table([
    { key: "load", title: found.find === "load" ? "Highest load" : "Load", right: true,
      show: (row) => (row.load ? `${quantity(row.load, "count")} /s` : "none") },
    { key: "kind", title: "GPU", lead: true },
    { key: "count", title: "GPUs", right: true,
      show: (row) => (row.count ? h("b", {}, String(row.count)) : row.state) },
    ...(found.counted_with ? [{ key: "with", title: found.counted_with, right: true,
      show: (row) => (row.count ? h("b", {}, String(row.with)) : "") }] : []),
    ...(found.rows.some((row) => row.doubt) ? [{ key: "doubt", title: "were the model exact", right: true,
      value: (row) => row.doubt?.exact, show: doubtWords }] : []),
    { key: "value", title: "Tightest limit", class: "short", value: (row) => limitOf(row)?.value,
      show: (row) => figureWords(limitOf(row)) },
    { key: "margin", title: "Room", right: true, value: (row) => limitOf(row)?.margin,
      show: (row) => (limitOf(row) ? percent(limitOf(row).margin) : "–") },
    { key: "utilization", title: "Busiest", class: "short", value: (row) => row.utilization,
      show: (row) => (row.utilization === undefined ? "–" : `${percent(row.utilization)} ${row.bottleneck ?? ""}`) },
    { key: "usd_per_hour", title: "$/h", right: true,
      show: (row) => (row.usd_per_hour ? `$${row.usd_per_hour.toFixed(2)}` : "–") },
    { key: "watts", title: "Power", right: true, show: (row) => (row.watts ? quantity(row.watts, "power") : "–") },
    { key: "best", title: "", sort: false,
      show: (row) => (best.has(row) ? h("span", { class: "tag best" }, "best") : "") },
  ], found.rows, { caption: "What was found" });
  const name = `plan-${String(found.scenario).replace(/[^\w.-]+/g, "-")}`;
  const text = (kind, type, body) => button(kind,
    () => save(new Blob([body()], { type }), `${name}.${kind.toLowerCase()}`), { class: "button small" });
  return [cautions({ cautions: said(found.cautions) }), h("section", { class: "card answer" }, h("h2", {}, found.ok ? "The answer" : "No answer meets all of it"),
    said(found.sentences).map((words) => h("p", {}, words)),
    said(found.notes).map((words) => h("p", { class: "muted" }, words)),
    h("p", { class: "muted" },
      `${found.simulations} simulations, ${percent(found.confidence)} confidence, seed ${found.seed}.`)),
  // One point is told by the sentences.
  found.rows.length > 1 && chartOf(found),
  h("div", {}, rows, h("div", { class: "actions" }, h("span", { class: "muted" }, "Download"),
    text("JSON", "application/json", () => JSON.stringify({ ...found, plot: undefined, plot_slim: undefined }, null, 2)),
      text("CSV", "text/csv", () => csv(found)),
    found.plot && text("SVG", "image/svg+xml", () => found.plot)))];
}

function csv(found) {
  const keys = ["load", "kind", "state", "count", "gpus", "usd_per_hour", "watts", "bottleneck", "utilization",
    "binding"];
  if (found.counted_with) keys.splice(4, 0, "with");
  const doubts = found.rows.some((row) => row.doubt) ? ["exact", "fast", "slow"] : [];
  const cell = (value) => (/[",\n]/.test(value ?? "") ? `"${String(value).replaceAll('"', '""')}"`
    : String(value ?? ""));
  const labels = found.limits.map((limit) => limit.label);
  const head = [...keys, ...doubts.map((key) => `model ${key}`), ...labels.flatMap((label) => [label, `${label} ±`])];
  const rows = found.rows.map((row) => [...keys.map((key) => row[key]),
    ...doubts.map((key) => row.doubt?.[key]), ...labels.flatMap((label) => {
    const one = row.figures.find((each) => each.label === label);
    return [one?.value, one?.half];
  })]);
  return `${[head, ...rows].map((line) => line.map(cell).join(",")).join("\n")}\n`;
}
