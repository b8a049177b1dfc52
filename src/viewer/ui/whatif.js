// What if: variants beside a scenario on the same random numbers, or which input matters most.
import { h, table } from "./dom.js";
import { count, estimate, percent, quantity } from "./format.js";
import { cautions, kindOf, titleOf } from "./sweep.js";
import { entry, labelled, lines, planner, select, starter } from "./work.js";
import { chartOf } from "./svg.js";

const QUESTIONS = [["variants", "what do variants change?"], ["inputs", "which input matters most?"]];
const METRICS = [["latency.p99", "p99 latency"], ["latency.p50", "median latency"], ["latency.mean", "mean latency"],
  ["throughput_rps", "throughput"]];
const LLM = [["ttft.p99", "p99 TTFT"], ["tpot.p99", "p99 TPOT"], ["e2e.p99", "p99 E2E"]];

// ---- the question

// Changes as the scenario writes them: a table of paths, or words already.
const words = (changes) => (typeof changes !== "object" || changes === null ? String(changes)
  : Object.entries(changes).map(([path, value]) => `${path}=${typeof value === "string" && /\s/.test(value)
    ? `'${value}'` : value}`).join(" "));

function ask({ told }, start) {
  const own = Object.entries(told.data.whatif || {}), llm = /"type":\s*"generate"/.test(JSON.stringify(told.data));
  const question = select("whatif-question", QUESTIONS);
  const variants = lines([{ label: "Variant", placeholder: "two GPUs" },
    { label: "Changes of variant", sign: ":", placeholder: "gpus=2" }],
  own.length > 0 ? own.map(([name, changes]) => [name, words(changes)]) : [["two GPUs", "gpus=2"]], "+ variant");
  const metric = select("whatif-metric", [...METRICS, ...(llm ? LLM : [])]), by = entry("whatif-by", "10 %", "10 %");
  const replications = entry("whatif-replications", "", "10"), turned = labelled(by.id, "Turned by", by);
  const list = h("div", { class: "field" }, h("div", { class: "label" }, h("span", { class: "key" }, "Variants"),
    h("span", { class: "doc" }, "a name, and what it changes: paths and values")), variants.node);
  const adapt = () => {
    list.hidden = question.value === "inputs";
    turned.hidden = question.value !== "inputs";
  };
  question.addEventListener("change", adapt);
  adapt();
  const go = starter("whatif-go", "Find out", () => {
    const body = { metric: metric.value };
    if (replications.value.trim()) body.replications = Number(replications.value);
    if (body.replications !== undefined && !Number.isInteger(body.replications)) return "Repetitions are a whole number.";
    if (question.value === "inputs") {
      return start({ ...body, tornado: true, by: by.value.replaceAll(" ", "") || "10%" }, inputs);
    }
    body.variant = variants.read().map(([name, changes]) => `${name || changes}: ${changes}`);
    if (body.variant.length === 0) return "A variant is wanted: a name, and what it changes.";
    return start(body, compared);
  });
  return h("div", { class: "stack" }, labelled(question.id, "Question", question), list,
    labelled(metric.id, "Judged by", metric),
    h("div", { class: "grid three" }, turned, labelled(replications.id, "Repetitions", replications)), go);
}

// ---- the answers

const signed = (text) => (/^[-–0]/.test(text) ? text : `+${text}`);
const shift = (one, kind) => (one?.value === undefined ? "–" : signed(estimate(one, kind)));
const relative = (one) => (one?.relative === undefined ? "" : signed(percent(one.relative)));

function compared(found) {
  const kind = kindOf(found.metric), rows = [{ ...found.base, name: found.base.name || "as it is", base: true },
    ...found.variants];
  const figureOf = (row) => row.metrics?.[found.metric];
  const other = ["latency.p50", "throughput_rps", "usd_per_hour", "watts"].filter((name) => name !== found.metric
    && rows.some((row) => row.metrics?.[name] !== undefined));
  const open = (row) => row.differences?.[found.metric]?.model;
  return [cautions(found), chartOf(found),
    h("div", {}, table([
      { key: "name", title: "variant", lead: true },
      { key: "value", title: titleOf(found.metric), right: true, value: (row) => figureOf(row)?.value,
        show: (row) => (row.ok === false ? row.message : estimate(figureOf(row), kind)) },
      { key: "change", title: "change", right: true, value: (row) => row.differences?.[found.metric]?.value,
        show: (row) => (row.base ? "" : shift(row.differences?.[found.metric], kind)) },
      { key: "relative", title: "in percent", right: true, value: (row) => row.differences?.[found.metric]?.relative,
        show: (row) => (row.base ? "" : relative(row.differences?.[found.metric])) },
      ...(found.variants.some(open) ? [{ key: "model", title: "model, 90 %", right: true,
        value: (row) => open(row)?.low, show: (row) => (open(row)
          ? `${signed(quantity(open(row).low, kind))} … ${signed(quantity(open(row).high, kind))}` : "") }] : []),
      ...other.map((name) => ({ key: name, title: titleOf(name), right: true, value: (row) => row.metrics?.[name]?.value,
        show: (row) => quantity(row.metrics?.[name], kindOf(name)) })),
      { key: "busy", title: "busiest", value: (row) => row.metrics?.utilization?.value,
        show: (row) => (row.metrics ? `${percent(row.metrics.utilization)} ${row.metrics.bottleneck ?? ""}` : "–") },
    ], rows, { caption: "Variants" }))];
}

function inputs(found) {
  const kind = kindOf(found.metric);
  const turn = (one) => (one === undefined ? "" : ` (${signed(percent(one))})`);
  return [chartOf(found),
    h("div", {}, table([
      { key: "name", title: "input", lead: true, show: (row) => [row.name, h("span", { class: "under" }, row.path)] },
      { key: "low", title: "turned down", right: true, value: (row) => row.low?.value,
        show: (row) => `${shift(row.low, kind)}${turn(row.low_by === undefined ? undefined : -row.low_by)}` },
      { key: "high", title: "turned up", right: true, value: (row) => row.high?.value,
        show: (row) => `${shift(row.high, kind)}${turn(row.high_by)}` },
      { key: "swing", title: `swing of ${titleOf(found.metric)}`, right: true,
        show: (row) => quantity(row.swing, kind) },
    ], found.inputs, { caption: `${count(found.inputs.length)} inputs; ${titleOf(found.metric)} is ${
      estimate(found.base, kind)}`, sort: { key: "swing", down: true } }))];
}

export const whatif = (root, params) => planner(root, params, { id: "whatif", usual: "demo", title: "What if",
  words: "Variants of a scenario on the same random numbers, so that even small changes show; or which of its inputs "
    + "moves the answer most.",
  before: "The answer comes here: what each variant changes, with the interval of the difference.",
  path: "/v1/whatifs", label: "Simulating", ask });
