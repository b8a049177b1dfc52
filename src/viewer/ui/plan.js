// Capacity planning: how many GPUs for a load, or how much load for GPUs; the answer in words, as a
// table and as a curve.
import { button, h, head, notice, problem, progress, replace, say, table } from "./dom.js";
import { get, job, post, save } from "./api.js";
import { gpuWords } from "./fields.js";
import { estimate, percent, quantity } from "./format.js";
import { Model, gpuNamed, language } from "./model.js";
import { figure } from "./svg.js";

const CONFIDENCES = [["0.9", "90 %"], ["0.95", "95 %"], ["0.99", "99 %"], ["0.999", "99.9 %"]];

// What is planned for: the scenario that is being built, a run's, or a shipped one.
// → { title, body: what is posted, data }
async function scenarioOf(id) {
  if (id === "draft") {
    const model = new Model();
    if (!model.restore()) throw new Error("Nothing is being built in this tab.");
    const told = await post("/v1/check", { scenario: model.scenario });
    return { title: model.data.name, body: { scenario: model.scenario }, told };
  }
  const body = /^[0-9a-f]{8,}$/.test(id) ? { run_id: id } : { scenario_id: id };
  const told = await post("/v1/check", body);
  return { title: told.name || id, body, told };
}

const stored = () => Boolean(sessionStorage.getItem("tandem.draft"));

export async function plan(root, params) {
  const [known, { examples }] = await Promise.all([language(), get("/v1/examples")]);
  const from = params.query.get("from") || (stored() ? "draft" : "how-many-gpus");
  const which = h("select", { id: "plan-scenario" }, stored() && h("option", { value: "draft" }, "the one being built"),
    from !== "draft" && !examples.some((one) => one.id === from) && h("option", { value: from }, `of run ${from}`),
    h("optgroup", { label: "Shipped" }, examples.map((one) => h("option", { value: one.id }, one.title || one.name))));
  which.value = from;
  const question = h("div"), answer = h("div", { class: "stack" });
  replace(root, head("Plan capacity",
    "How many GPUs, of which kind, a load needs; or how much load given GPUs take. Simulations decide, "
    + "with repetitions until the answer is sure."),
  h("div", { class: "planner" },
    h("section", { class: "card" }, h("div", { class: "grid" }, h("div", { class: "field broad" },
    h("div", { class: "label" }, h("label", { for: which.id }, "Scenario")), which)), question), answer));
  let running = null;
  params.leaving?.(() => running?.cancel());
  const draw = async () => {
    replace(question, h("p", { class: "muted" }, "Loading …"));
    replace(answer, h("p", { class: "muted" }, "The answer comes here: in words, as a table and as a curve."));
    try {
      const scenario = await scenarioOf(which.value);
      replace(question, ask(known, scenario, (body) => {
        running?.cancel();
        running = work(answer, scenario, body);
        return running.ended;
      }));
    } catch (error) {
      replace(question, problem(error));
    }
  };
  which.addEventListener("change", draw);
  await draw();
}

// ---- the question

const labelled = (id, words, ...nodes) => h("div", { class: "field" },
  h("div", { class: "label" }, h("label", { for: id }, words)), nodes);

// The first rate of arrivals that the scenario names.
function rateOf(data) {
  const first = [data.workload].flat()[0] || {};
  return first.rps ?? first.mean ?? first.users ?? "";
}

function ask(known, { told, title }, start) {
  if (!told.data) {
    return notice("error", h("p", {}, `${title} has problems, so nothing can be planned.`),
      h("ul", {}, told.problems.map((one) => h("li", {}, one.path && h("code", {}, one.path), " ", one.message))));
  }
  const { data } = told, asked = data.plan || {};
  const find = h("select", { id: "plan-find" }, h("option", { value: "gpus" }, "fewest GPUs for a load"),
    h("option", { value: "load" }, "highest load of given GPUs"));
  find.value = asked.find === "load" ? "load" : "gpus";
  const range = asked.load && typeof asked.load === "object" && !Array.isArray(asked.load) ? asked.load : null;
  const rate = rateOf(data);
  const entry = (id, value, placeholder) => h("input",
    { id, value: value === undefined ? "" : String(value), placeholder, spellcheck: "false",
    autocomplete: "off" });
  const low = entry("plan-from", range?.from ?? rate, "40rps"), high = entry("plan-to", range?.to, "one load only");
  const steps = entry("plan-steps", range?.points ?? 5, "5"), gpus = entry("plan-gpus", data.target?.count ?? 1, "1");
  const most = entry("plan-max", asked.max, "64"),
    budget = entry("plan-budget", asked.budget?.usd_per_hour, "no limit");
  const confidence = h("select", { id: "plan-confidence" },
    CONFIDENCES.map(([value, words]) => h("option", { value }, words)));
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
  const wrong = h("div");
  const go = button("Find out", async () => {
    const body = { find: find.value, confidence: Number(confidence.value), kinds: kinds.chosen(), slo: slo.limits() };
    replace(wrong);
    if (find.value === "gpus") {
      if (low.value.trim()) body.load = high.value.trim()
        ? `${low.value.trim()}:${high.value.trim()}:${steps.value.trim() || 5}` : low.value.trim();
      if (most.value.trim()) body.max = Number(most.value);
      if (budget.value.trim()) body.budget = { usd: budget.value.trim() };
    } else {
      body.gpus = Number(gpus.value);
    }
    const odd = [["max", most], ["gpus", gpus]].find(([key]) => key in body && !Number.isInteger(body[key]));
    if (odd) return replace(wrong, notice("error", `'${odd[1].value}' is not a whole number of GPUs.`));
    if (Object.keys(body.slo).length === 0) delete body.slo;
    if (body.kinds.length === 0) delete body.kinds;
    go.disabled = true;
    await start(body);
    go.disabled = false;
    return null;
  }, { class: "button primary", id: "plan-go" });
  return h("div", { class: "stack" }, labelled(find.id, "Question", find), loads, given, kinds.node, slo.node, rest,
    wrong,
    h("div", { class: "actions" }, go));
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
  const rows = Object.entries(data.slo || {}), box = h("div", { class: "stack tight" });
  const inherited = rows.length === 0 && (data.classes || []).some((one) => one.slo);
  const draw = () => replace(box, rows.map((row, i) => h("div", { class: "limit" },
    h("input", { value: row[0], list: "plan-metrics", "aria-label": "Figure", placeholder: "p99",
      spellcheck: "false", oninput: (event) => { row[0] = event.target.value.trim(); } }),
    h("span", {}, "≤"), h("input",
      { value: row[1], "aria-label": `Limit of ${row[0]}`, placeholder: "250ms", spellcheck: "false",
      oninput: (event) => { row[1] = event.target.value.trim(); } }),
    button("×", () => { rows.splice(i, 1); draw(); }, { class: "button small", "aria-label": `Without ${row[0]}` }))),
  button("+ limit", () => { rows.push(["p99",
    ""]); draw(); box.querySelectorAll(".limit")[rows.length - 1].querySelectorAll("input")[1].focus(); },
    { class: "button small" }));
  draw();
  return { node: h("div", { class: "field" },
    h("div", { class: "label" }, h("span", { class: "key" }, "What must hold"),
    inherited && h("span", { class: "doc" }, "default: the objectives of its classes")), box,
  h("datalist", { id: "plan-metrics" },
    ["p50", "p95", "p99", "p99.9", "mean", "max", "ttft_p99", "tpot_p99", "e2e_p99", "goodput"]
    .map((value) => h("option", { value })))),
  limits: () => Object.fromEntries(rows.filter(([metric, limit]) => metric && limit !== "")) };
}

// ---- the answer

function work(place, scenario, body) {
  const bar = progress("Simulating"), began = Date.now();
  const asked = job("/v1/plans", { ...scenario.body, ...body },
    (now) => bar.set(now.progress || null, now.state === "queued" ? "waiting"
    : `${Math.round((Date.now() - began) / 1000)} s`));
  const cancel = () => asked.cancel().catch(() => {});
  replace(place, h("section", { class: "card" }, bar.node,
    h("div", { class: "actions" }, button("Cancel", cancel, { class: "button small" }))));
  const ended = asked.result.then((found) => {
    replace(place, shown(found));
    say("The answer is there");
  }, (error) => replace(place, error.code === "cancelled" ? notice("info", "Cancelled.") : problem(error)));
  return { cancel, ended };
}

const limitOf = (row) => row.figures.find((one) => one.label === row.binding);

// A figure of time against its limit; others are plain numbers.
function figureWords(one) {
  if (!one) return "–";
  const kind = /goodput/.test(one.label) ? "rate" : /met|utilization/.test(one.label) ? "percent" : "time";
  return `${one.label} ${estimate(one, kind)}`;
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
    { key: "value", title: "Tightest limit", value: (row) => limitOf(row)?.value,
      show: (row) => figureWords(limitOf(row)) },
    { key: "margin", title: "Room", right: true, value: (row) => limitOf(row)?.margin,
      show: (row) => (limitOf(row) ? percent(limitOf(row).margin) : "–") },
    { key: "utilization", title: "Busiest", value: (row) => row.utilization,
      show: (row) => (row.utilization === undefined ? "–" : `${percent(row.utilization)} ${row.bottleneck ?? ""}`) },
    { key: "usd_per_hour", title: "$/h", right: true,
      show: (row) => (row.usd_per_hour ? `$${row.usd_per_hour.toFixed(2)}` : "–") },
    { key: "watts", title: "Power", right: true, show: (row) => (row.watts ? `${row.watts} W` : "–") },
    { key: "best", title: "", sort: false,
      show: (row) => (best.has(row) ? h("span", { class: "tag best" }, "best") : "") },
  ], found.rows, { caption: "What was found" });
  const name = `plan-${String(found.scenario).replace(/[^\w.-]+/g, "-")}`;
  const text = (kind, type, body) => button(kind,
    () => save(new Blob([body()], { type }), `${name}.${kind.toLowerCase()}`), { class: "button small" });
  return [h("section", { class: "card answer" }, h("h2", {}, found.ok ? "The answer" : "No answer meets all of it"),
    [found.sentences].flat().filter((one) => typeof one === "string").map((words) => h("p", {}, words)),
    [found.notes].flat().filter((one) => typeof one === "string").map((words) => h("p", { class: "muted" }, words)),
    h("p", { class: "muted" },
      `${found.simulations} simulations, ${percent(found.confidence)} confidence, seed ${found.seed}.`)),
  found.plot && h("section", { class: "card" }, figure(found.plot, null)),
  h("section", { class: "card" }, rows, h("div", { class: "actions" }, h("span", { class: "muted" }, "Download"),
    text("JSON", "application/json", () => JSON.stringify({ ...found, plot: undefined }, null, 2)),
      text("CSV", "text/csv", () => csv(found)),
    found.plot && text("SVG", "image/svg+xml", () => found.plot)))];
}

function csv(found) {
  const keys = ["load", "kind", "state", "count", "gpus", "usd_per_hour", "watts", "bottleneck", "utilization",
    "binding"];
  if (found.counted_with) keys.splice(4, 0, "with");
  const cell = (value) => (/[",\n]/.test(value ?? "") ? `"${String(value).replaceAll('"', '""')}"`
    : String(value ?? ""));
  const labels = found.limits.map((limit) => limit.label);
  const head = [...keys, ...labels.flatMap((label) => [label, `${label} ±`])];
  const rows = found.rows.map((row) => [...keys.map((key) => row[key]), ...labels.flatMap((label) => {
    const one = row.figures.find((each) => each.label === label);
    return [one?.value, one?.half];
  })]);
  return `${[head, ...rows].map((line) => line.map(cell).join(",")).join("\n")}\n`;
}
