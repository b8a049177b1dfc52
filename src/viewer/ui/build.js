// The scenario builder: a form, its source beside it, problems as they arise, and the run.
//
// Owns the page: which keys of a scenario stand together, what one may start from, the source view,
// running. The fields are fields.js's, the data and its check model.js's.
import { button, h, head, notice, problem, progress, replace, say } from "./dom.js";
import { get, job, post, save } from "./api.js";
import { Form, field, record } from "./fields.js";
import { EMPTY, Model, below, language, rootOf } from "./model.js";
import "./inputs.js";
import "./stages.js";
import { named } from "./work.js";

// What stands together; keys of a scenario that are in none of them are in the last card.
const CARDS = [
  ["What arrives", ["workload", "attrs"]],
  ["What it runs on", ["target"]],
  ["What each request does", ["pipeline"]],
  ["What must hold", ["slo"]],
  ["How it is run", ["duration", "requests", "replications", "seed", "warmup"]],
];
const NAMES = ["name", "title", "question", "description"];

// The data with its keys as a person writes them: the type and the name, then in the language's order.
function arranged(known, value, type) {
  if (Array.isArray(value)) return value.map((one) => arranged(known, one));
  if (value === null || typeof value !== "object") return value;
  const order = ["type", "name", ...(known.types[type ?? value.type]?.order || [])];
  const rank = (key) => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(Object.entries(value).map(([key, one], i) => [key, one, i])
    .sort((a, b) => rank(a[0]) - rank(b[0]) || a[2] - b[2]).map(([key, one]) => [key, arranged(known, one)]));
}

const copy = (value) => JSON.parse(JSON.stringify(value));

export async function build(root, params) {
  const known = await language();
  const model = new Model(), form = new Form(model, known);
  const from = params.query.get("from");
  const wanted = from && await post("/v1/check", named(from));
  const sheet = h("div", { class: "sheet" }), side = h("div", { class: "side" });
  const undo = button("↶", () => model.undo(), { class: "button quiet", title: "Undo", "aria-label": "Undo" });
  const redo = button("↷", () => model.redo(), { class: "button quiet", title: "Redo", "aria-label": "Redo" });
  replace(root, head("Build a scenario", "Requests that arrive, the GPUs they run on, and what each of them does.",
    undo, redo,
    button("Start from …", () => startFrom(model, known))), h("div", { class: "builder" }, sheet, side));
  const draw = () => drawSheet(form, sheet);
  const steps = () => { undo.disabled = !model.canUndo; redo.disabled = !model.canRedo; };
  replace(side, runCard(model, form), sourceCard(model, known));
  model.addEventListener("replaced", () => { draw(); steps(); });
  model.addEventListener("changed", steps);
  model.addEventListener("checked", () => form.tell(model.answer.problems));
  const keys = (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z"
      || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    if (event.shiftKey) model.redo();
    else model.undo();
  };
  document.addEventListener("keydown", keys);
  params.leaving?.(() => document.removeEventListener("keydown", keys));
  if (wanted && !wanted.data) {
    model.load(copy(EMPTY), true);
    root.prepend(notice("error", `${from} cannot be shown: ${wanted.problems[0]?.message ?? "it is not a scenario"}`));
  } else if (wanted) {
    model.load(wanted, true);
  } else if (!model.restore()) {
    model.load(copy(EMPTY), true);
  }
  const gpu = params.query.get("gpu");
  if (gpu) {
    if (model.data.target?.type === "gpu") model.set(below(below(rootOf(model.data), model.data, "target"),
      model.data.target, "name"), gpu);
    else model.set(below(rootOf(model.data), model.data, "target"), { type: "gpu", name: gpu });
    draw();
  }
  steps();
}

// ---- the form

function drawSheet(form, sheet) {
  const { model } = form, root = rootOf(model.data), type = form.type("scenario");
  const one = (key, options) => field(form, below(root, model.data, key), type.keys[key], options);
  form.rows = [];
  const inCards = new Set([...NAMES, ...CARDS.flatMap((card) => card[1])]);
  replace(sheet, model.fixed && notice("info",
    "This scenario has functions of its own, so it stays a Lua text: what it does is "
    + "changed in the source. Its numbers can be changed here, as overrides that leave the text as it is."),
  h("section", { class: "card" }, h("div", { class: "grid names" }, NAMES.map((key) => (key === "description"
    ? model.data.description !== undefined && one(key) : one(key))))),
  CARDS.map(([title, keys]) => h("section", { class: "card", data: { card: keys[0] } }, h("h2", {}, title),
    keys.every((key) => type.keys[key].kind !== "workload" && ["quantity", "warmup"].includes(type.keys[key].kind))
      ? h("div", { class: "grid" }, keys.map((key) => one(key)))
      : keys.map((key) => (key === "pipeline" && !("pipeline" in model.data) ? sharedSteps(form)
        : one(key, keys.length === 1
        ? { label: "" } : {}))))),
  h("section", { class: "card" }, h("h2", {}, "Everything else"),
    record(form, root, type, { leave: [...inCards] })));
}

// Where the scenario has no steps of its own.
const sharedSteps = (form) => h("p", { class: "muted" }, "Each class of requests has steps of its own, below. ",
  !form.model.fixed
  && button("+ steps for all", () => {
    form.model.load({ ...copy(form.model.data), pipeline: [] });
  }, { class: "button small" }));

// ---- what to begin with

async function startFrom(model, known) {
  const list = h("div", { class: "starts" }),
    search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search" });
  const dialog = h("dialog", { class: "ask start", onclose: () => dialog.remove() }, h("h2", {}, "Start from"),
    search, list,
    h("div", { class: "actions" }, button("Cancel", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
  const entry = (title, words, act) => h("button", { type: "button", class: "start-entry", onclick: async () => {
    try {
      await act();
      dialog.close();
    } catch (error) {
      dialog.prepend(problem(error));
    }
  } }, h("b", {}, title), h("span", {}, words));
  const entries = [entry("An empty scenario", "One stream of requests, one GPU, no step yet.",
    () => model.load(copy(EMPTY))),
    ...known.presets.map((preset) => entry(`Pipeline: ${preset.name}`, `${preset.models} Only the steps are taken.`,
      () => {
      if (model.fixed) throw new Error("This scenario is a Lua text: begin with an empty one first.");
      model.load({ ...copy(model.data), pipeline: copy(preset.pipeline), attrs: model.data.attrs ?? (/r\.tokens/.test(
        JSON.stringify(preset.pipeline)) ? { tokens: { type: "lognormal", mean: 512, cv: 0.5 } } : undefined) });
    }))];
  try {
    const { examples } = await get("/v1/examples");
    entries.push(...examples.map((one) => entry(one.title || one.name, `${one.question || one.name} · ${one.id}`,
      async () => {
      model.load(await post("/v1/check", { scenario_id: one.id }));
    })));
  } catch (error) {
    dialog.prepend(problem(error));
  }
  const fill = () => replace(list,
    entries.filter((one) => one.textContent.toLowerCase().includes(search.value.toLowerCase())));
  search.addEventListener("input", fill);
  fill();
  search.focus();
}

// ---- the state, and the run

function runCard(model, form) {
  const state = h("div", { class: "check", role: "status" });
  const go = button("Run", run, { class: "button primary", id: "run" });
  const others = [["plan", "Plan capacity"], ["sweep", "Sweep"], ["whatif", "What if"]].map(([path, words]) =>
    h("a", { class: "button", href: `#/${path}?from=draft` }, words));
  const box = h("div");
  let running = null;
  function tell() {
    const answer = model.answer;
    go.disabled = !model.valid || running !== null || Boolean(model.textTrouble);
    if (!answer) return;
    if (model.textTrouble) {
      replace(state, notice("warning", "The source has problems; the form shows what it was before."));
    } else if (answer.ok) {
      replace(state, h("p", { class: "fine" }, "✓ No problems."));
    } else {
      replace(state, h("p", {}, `${answer.problems.length} ${answer.problems.length === 1 ? "problem" : "problems"}`),
        h("ul", { class: "problems" },
          answer.problems.map((one) => h("li", {}, h("button", { type: "button", class: "to-problem",
          onclick: () => {
            const row = form.rowsOf(one.path);
            row?.node.scrollIntoView({ block: "center" });
            row?.focus()?.focus({ preventScroll: true });
          } }, one.path && h("code", {}, one.path), " ", one.message)))));
    }
  }
  async function run() {
    const bar = progress("Running");
    replace(box, bar.node, button("Cancel", () => running?.cancel(), { class: "button small" }));
    running = job("/v1/runs", { scenario: model.scenario }, (now) => bar.set(now.progress ?? null,
      now.state === "queued" ? "waiting" : now.progress ? `${Math.round(100 * now.progress)} %` : ""));
    tell();
    try {
      const { run_id: id } = await running.result;
      running = null;
      if (box.isConnected) location.hash = `#/run/${id}`;
    } catch (error) {
      running = null;
      replace(box, error.code === "cancelled" ? notice("info", "The run was cancelled.") : problem(error));
      if (error.problems) form.tell(error.problems);
    }
    tell();
  }
  model.addEventListener("checked", tell);
  model.addEventListener("text", tell);
  return h("section", { class: "card run-card" }, h("div", { class: "actions" }, go, others), state, box);
}

// ---- the source

function sourceCard(model, known) {
  let shown = "json", timer = null, turn = 0;
  const area = h("textarea", { spellcheck: "false", id: "source", "aria-label": "The scenario as text", wrap: "off" });
  const trouble = h("div", { class: "source-trouble", role: "status" }), note = h("p", { class: "muted" });
  const tab = (id, words) => h("button",
    { type: "button", role: "tab", id: `source-${id}`, onclick: () => { shown = id; refresh(true); } }, words);
  const json = tab("json", "JSON"), lua = tab("lua", "Lua");
  const text = () => (shown === "lua" ? model.script ?? model.lua ?? ""
    : JSON.stringify(arranged(known, model.scenario, "scenario"), null, 2));
  const wrong = (problems) => {
    model.textTrouble = problems.length > 0;
    replace(trouble, problems.length > 0 && h("ul", { class: "problems" }, problems.map((one) => h("li", {},
      one.line && `line ${one.line}: `, one.path && h("code", {}, one.path), " ", one.message))));
    model.dispatchEvent(new CustomEvent("text"));
  };
  function refresh(force) {
    json.setAttribute("aria-selected", String(shown === "json"));
    lua.setAttribute("aria-selected", String(shown === "lua"));
    if (!force && document.activeElement === area) return;
    if (force || !model.textTrouble) {
      area.value = text();
      wrong([]);
    }
    const behind = shown === "lua" && !model.fixed && !model.valid;
    area.readOnly = behind;
    const changes = Object.entries(model.with);
    replace(note, shown === "lua" && model.fixed && changes.length > 0
      && ["Changed in the form: ", changes.map(([path, value]) =>
      [h("code", {}, `${path} = ${JSON.stringify(value)}`), " "])], behind
        && "The Lua text follows when the problems are solved.");
  }
  // What is typed here becomes the form once it reads well; until then the form stays as it was.
  async function take() {
    const mine = ++turn, typed = area.value;
    try {
      if (shown === "json") {
        const data = JSON.parse(typed);
        if (data === null || typeof data !== "object"
          || Array.isArray(data)) throw new Error("a scenario is an object { … }");
        const told = data.script || data.workload?.duration_s !== undefined
          ? await post("/v1/check", { scenario: data }) : { data };
        if (mine !== turn) return;
        if (!told.data) return wrong(told.problems);
        wrong([]);
        return model.load(told);
      }
      const told = await post("/v1/check", { script: typed });
      if (mine !== turn) return;
      if (!told.ok) return wrong(told.problems);
      wrong([]);
      model.load(told.script !== undefined ? told : { data: told.data });
    } catch (error) {
      if (mine === turn) wrong(error.problems || [{ message: error.message }]);
    }
  }
  area.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(take, 400);
  });
  area.addEventListener("blur", () => setTimeout(() => refresh(false), 700));
  for (const name of ["changed", "replaced", "checked"]) model.addEventListener(name, () => refresh(false));
  const file = () => save(new Blob([text()], { type: "text/plain" }),
    `${(model.data.name || "scenario").replace(/[^\w.-]+/g, "-")}.${shown}`);
  const copyText = async () => { await navigator.clipboard.writeText(text()); say("Copied"); };
  const keep = h("span", { class: "muted" });
  const kept = async () => {
    try {
      const { scenario_id: id } = await post("/v1/scenarios", model.scenario);
      replace(keep, "kept as ", h("a", { href: `#/build?from=${id}` }, id));
    } catch (error) {
      replace(keep, error.message);
    }
  };
  refresh(true);
  return h("section", { class: "card source-card" }, h("h2", {}, "Source"),
    h("div", { class: "tabs", role: "tablist" }, json, lua), area,
    trouble, note, h("div", { class: "actions" }, button("Download", file, { class: "button small" }),
      button("Copy", copyText, { class: "button small" }),
        button("Keep on the server", kept, { class: "button small" }), keep));
}
