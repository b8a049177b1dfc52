// Sweeps: every point of a design over a scenario's parameters, as a table that sorts and as a chart.
import { button, h, notice, table } from "./dom.js";
import { save } from "./api.js";
import { estimate, quantity, range } from "./format.js";
import { entry, labelled, lines, planner, select, starter } from "./work.js";
import { chartOf } from "./svg.js";

const DESIGNS = [["grid", "every combination"], ["lhs", "a Latin hypercube"], ["random", "at random"]];
const AXES = ["rps", "gpus", "kind", "batch", "target.concurrency", "replications"];
// What is drawn: of LLM servers, some more.
const DRAWN = [["p99", "p99 latency"], ["p50", "median latency"], ["mean", "mean latency"],
  ["throughput_rps", "throughput"], ["utilization", "how busy the busiest is"], ["usd_per_hour", "$/h"]];
const LLM = [["ttft_p99", "p99 TTFT"], ["tpot_p99", "p99 TPOT"], ["e2e_p99", "p99 E2E"]];

// A metric's kind by its name, for its unit.
export function kindOf(name) {
  if (/^(latency|ttft|tpot|itl|e2e|queue)\b|_s$/.test(name) || /^(ttft|tpot|itl|e2e)_/.test(name)) return "time";
  if (/utilization|slo_met|^met_|lost|_share/.test(name)) return "percent";
  if (/_rps$/.test(name)) return "rate";
  if (/^usd/.test(name)) return "money";
  return name === "watts" ? "power" : "count";
}

// What a metric is called where its name does not say it by itself.
const TITLES = { slo_met: "in time", met: "objectives met", unsure: "undecided", watts: "power", gpus: "GPUs",
  in_system: "in the system" };

export const titleOf = (name) => TITLES[name] ?? name.replace(/^latency\./, "").replace(/_rps$/, "").replace("usd_per_hour", "$/h")
  .replaceAll(/[._]/g, " ").replace("p999", "p99.9");

function cell(name, value) {
  if (value === undefined || value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  const words = estimate(value, kindOf(name));
  return value.model ? [words, h("span", { class: "under" }, range(value.model, kindOf(name)))] : words;
}

// GPUs of LLM servers that nobody measured.
export const cautions = (found) => (found.cautions?.length
  ? h("div", { class: "stack" }, found.cautions.map((words) => notice("warning", words))) : null);

const number = (value) => (value !== null && typeof value === "object" ? value.value : value);

// ---- the question

// "10:100:10" and "1,2,4" are numbers along an axis, "L40,H100" are not.
const isNumeric = (values) => /^[\d.:,\s]+(:log)?$/.test(values);

function ask({ told }, start) {
  const swept = told.data.sweep?.over || {}, llm = /"type":\s*"generate"/.test(JSON.stringify(told.data));
  const first = Object.entries(swept).map(([path, values]) => [path, typeof values === "object"
    ? Array.isArray(values) ? values.join(",") : [values.from, values.to, values.points].join(":") : String(values)]);
  const rate = parseFloat(told.data.workload?.rps);
  if (first.length === 0) first.push(rate > 0 ? ["rps", `${rate / 2}:${rate * 1.5}:5`] : ["gpus", "1,2,4"]);
  const axes = lines([{ label: "Axis", placeholder: "rps", list: "sweep-paths" },
    { label: "Values of axis", sign: "=", placeholder: "10:100:10 or 1,2,4" }], first, "+ axis");
  const design = select("sweep-design", DESIGNS), points = entry("sweep-points", 50, "50");
  const drawn = select("sweep-drawn", [...DRAWN, ...(llm ? LLM : [])]);
  const replications = entry("sweep-replications", "", "10"), seed = entry("sweep-seed", "", "1");
  const doubt = h("input", { id: "sweep-doubt", type: "checkbox" });
  const many = labelled(points.id, "Points", points);
  const adapt = () => { many.hidden = design.value === "grid"; };
  design.addEventListener("change", adapt);
  adapt();
  const go = starter("sweep-go", "Simulate all points", () => {
    const over = axes.read();
    if (over.length === 0) return "What is varied? An axis and its values are wanted.";
    const half = over.find(([path, values]) => !path || !values);
    if (half) return `An axis wants a name and values: '${half[0] || half[1]}' stands alone.`;
    const body = { over: Object.fromEntries(over) };
    if (design.value !== "grid") Object.assign(body, { design: design.value, points: Number(points.value) });
    if (llm && doubt.checked) body.doubt = true;
    for (const [key, field] of [["replications", replications], ["seed", seed]]) {
      if (field.value.trim()) body[key] = Number(field.value);
    }
    const odd = ["points", "replications", "seed"].find((key) => key in body && !Number.isInteger(body[key]));
    if (odd) return `${odd} is a whole number.`;
    const along = over.find(([, values]) => isNumeric(values)), beside = over.find((one) => one !== along);
    if (along) body.plot = [along[0], drawn.value, beside?.[0]].filter(Boolean).join(",");
    return start(body, shown);
  });
  return h("div", { class: "stack" }, h("div", { class: "field" },
    h("div", { class: "label" }, h("span", { class: "key" }, "What is varied"),
    h("span", { class: "doc" }, "from:to:how many, or values with commas")), axes.node,
    h("datalist", { id: "sweep-paths" }, AXES.map((value) => h("option", { value })))),
  labelled(design.id, "Points are", design), labelled(drawn.id, "Chart of", drawn),
  h("div", { class: "grid three" }, many, labelled(replications.id, "Repetitions", replications),
    labelled(seed.id, "Seed", seed)),
  llm && h("div", { class: "filters" },
    h("label", {}, doubt, "also what the model leaves open, by up to four more runs of each point")), go);
}

// ---- the answer

// Columns that say nothing are left out: no figure in any row, or the same flag in all.
function said(rows, name) {
  const values = rows.map((row) => row.metrics[name]).filter((one) => one !== undefined && one !== null);
  return values.length > 0 && (name === "met" || values.some((one) => one !== false));
}

function shown(found) {
  const rows = found.rows.filter((row) => row.metrics), failed = (found.failed || []).length;
  const columns = [...found.axes.map((axis) => ({ key: `axis ${axis.name}`, title: axis.name,
    right: rows.some((row) => typeof row.point[axis.name] === "number"), value: (row) => row.point[axis.name],
    show: (row) => (typeof row.point[axis.name] === "number" ? quantity(row.point[axis.name], "count", 4)
      : String(row.point[axis.name])) })),
  ...found.metrics.filter((name) => said(rows, name)).map((name) => ({ key: name, title: titleOf(name),
    right: rows.some((row) => typeof number(row.metrics[name]) === "number"),
    value: (row) => number(row.metrics[name]), show: (row) => cell(name, row.metrics[name]) }))];
  const name = `sweep-${String(found.name).replace(/[^\w.-]+/g, "-")}`;
  const file = (kind, type, text) => button(kind,
    () => save(new Blob([text()], { type }), `${name}.${kind.toLowerCase()}`), { class: "button small" });
  const doubted = rows.some((row) => found.metrics.some((one) => row.metrics[one]?.model));
  return [cautions(found), chartOf(found),
    h("div", {}, doubted && h("p", { class: "muted" },
      "± is luck; below it what the model leaves open, 90 %."), table(columns, rows, { caption: `${rows.length} of ${found.points} points`
      + (failed ? `, ${failed} failed` : ""), sort: { key: columns[0].key, down: false } }),
    h("div", { class: "actions" }, h("span", { class: "muted" }, "Download"),
      file("JSON", "application/json", () => JSON.stringify({ ...found, plot: undefined, plot_slim: undefined }, null, 2)),
      file("CSV", "text/csv", () => csv(found, rows)),
      found.plot && file("SVG", "image/svg+xml", () => found.plot)))];
}

function csv(found, rows) {
  const text = (value) => (/[",\n]/.test(value ?? "") ? `"${String(value).replaceAll('"', '""')}"`
    : String(value ?? ""));
  const doubted = (name) => rows.some((row) => row.metrics[name]?.model);
  const head = [...found.axes.map((axis) => axis.name), ...found.metrics.flatMap((name) => [name, `${name} ±`]
    .concat(doubted(name) ? [`${name} model low`, `${name} model high`] : []))];
  return `${[head, ...rows.map((row) => [...found.axes.map((axis) => row.point[axis.name]),
    ...found.metrics.flatMap((name) => [number(row.metrics[name]), row.metrics[name]?.half]
      .concat(doubted(name) ? [row.metrics[name]?.model?.low, row.metrics[name]?.model?.high] : []))])]
    .map((line) => line.map(text).join(",")).join("\n")}\n`;
}

export const sweep = (root, params) => planner(root, params, { id: "sweep", usual: "demo", title: "Sweep",
  words: "A scenario simulated at every point of a design: rates, GPUs, sizes. All points see the same random "
    + "numbers, and what was simulated before is not simulated again.",
  before: "The answer comes here: a chart, and a table of all points.", path: "/v1/sweeps", label: "Simulating",
  ask });
