// What pages that ask for long work share: the scenario it is about, and the job with its progress, its cancel and
// what comes of it.
import { button, h, head, notice, problem, progress, replace, say } from "./dom.js";
import { get, job, post } from "./api.js";
import { Model } from "./model.js";

// Posted scenarios are called by 16 digits, runs by fewer.
const IS_RUN = /^[0-9a-f]{6,15}$/;

// What a request says of a scenario, or of a run's.
export const named = (id) => (IS_RUN.test(id) ? { run_id: id } : { scenario_id: id });

// What a page is about: the scenario that is being built, a run's, or a shipped one.
// → { title, body: what is posted, told: what the check said }
async function scenarioOf(id) {
  if (id === "draft") {
    const model = new Model();
    if (!model.restore()) throw new Error("Nothing is being built in this tab.");
    const told = await post("/v1/check", { scenario: model.scenario });
    return { title: model.data.name, body: { scenario: model.scenario }, told };
  }
  const body = named(id);
  const told = await post("/v1/check", body);
  return { title: told.name || id, body, told };
}

// A select of scenarios: the one being built, the one the address names, the shipped ones.
function picker(id, examples, from, usual) {
  const stored = Boolean(sessionStorage.getItem("tandem.draft"));
  const chosen = from || (stored ? "draft" : usual);
  const select = h("select", { id }, stored && h("option", { value: "draft" }, "the one being built"),
    chosen !== "draft" && !examples.some((one) => one.id === chosen)
      && h("option", { value: chosen }, IS_RUN.test(chosen) ? `of run ${chosen}` : chosen),
    h("optgroup", { label: "Shipped" }, examples.map((one) => h("option", { value: one.id }, one.title || one.name))));
  select.value = chosen;
  return select;
}

// What is wrong with a scenario, instead of a form about it.
const broken = ({ told, title }) => notice("error", h("p", {}, `${title} has problems, so nothing can be asked about it.`),
  h("ul", {}, told.problems.map((one) => h("li", {}, one.path && h("code", {}, one.path), " ", one.message))));

export const labelled = (id, words, ...nodes) => h("div", { class: "field" },
  h("div", { class: "label" }, h("label", { for: id }, words)), nodes);

export const select = (id, options) => h("select", { id },
  options.map(([value, words]) => h("option", { value }, words)));

export const entry = (id, value, placeholder) => h("input", { id, placeholder, spellcheck: "false", autocomplete: "off",
  value: value === undefined || value === null ? "" : String(value) });

// Lines of entries that grow: [{ key, placeholder, label }] → { node, read(): [[text, …], …] without empty ones }.
export function lines(columns, first, more) {
  const rows = first.map((row) => [...row]), box = h("div", { class: "stack tight" });
  const draw = () => replace(box, rows.map((row, i) => h("div", { class: "limit" }, columns.map((column, k) => [
    k > 0 && h("span", {}, column.sign), h("input", { value: row[k] ?? "", list: column.list, spellcheck: "false",
    "aria-label": `${column.label} ${i + 1}`, placeholder: column.placeholder,
    oninput: (event) => { row[k] = event.target.value.trim(); } })]),
  button("×", () => { rows.splice(i, 1); draw(); }, { class: "button small", "aria-label": `Without line ${i + 1}` }))),
  button(more, () => {
    rows.push(columns.map(() => ""));
    draw();
    box.querySelectorAll(".limit")[rows.length - 1].querySelector("input").focus();
  }, { class: "button small" }));
  draw();
  return { node: box, read: () => rows.filter((row) => row.some((text) => text)) };
}

// A button that begins work and waits for its end: act() → a promise, or what is wrong with the form.
export function starter(id, words, act) {
  const wrong = h("div"), go = button(words, async () => {
    replace(wrong);
    const begun = act();
    if (typeof begun === "string") return replace(wrong, notice("error", begun));
    go.disabled = true;
    await begun;
    go.disabled = false;
    return null;
  }, { class: "button primary", id });
  return [wrong, h("div", { class: "actions" }, go)];
}

// A page about a scenario: which one, a question about it, the answer. { id, title, words, usual, before, path,
// label, ask(scenario, start) → the form; start(body, shown) ends what was begun before }
export async function planner(root, params, page) {
  const { examples } = await get("/v1/examples");
  const which = picker(`${page.id}-scenario`, examples, params.query.get("from"), page.usual);
  const question = h("div"), answer = h("div", { class: "stack" });
  replace(root, head(page.title, page.words), h("div", { class: "planner" },
    h("section", { class: "card" }, h("div", { class: "grid" }, h("div", { class: "field broad" },
      h("div", { class: "label" }, h("label", { for: which.id }, "Scenario")), which)), question), answer));
  let going = null;
  params.leaving?.(() => going?.cancel());
  const draw = async () => {
    going?.cancel();
    replace(question, h("p", { class: "muted" }, "Loading …"));
    replace(answer, h("p", { class: "muted" }, page.before));
    try {
      const scenario = await scenarioOf(which.value);
      replace(question, scenario.told.data ? page.ask(scenario, (body, shown) => {
        going?.cancel();
        going = work(answer, page.path, { ...scenario.body, ...body }, page.label, shown);
        return going.ended;
      }) : broken(scenario));
    } catch (error) {
      replace(question, problem(error));
    }
  };
  which.addEventListener("change", draw);
  await draw();
}

// Posts a body, shows how far its job is, then what `shown` makes of its answer. → { cancel(), ended: promise }
export function work(place, path, body, label, shown) {
  const bar = progress(label), began = Date.now();
  const asked = job(path, body, (now) => bar.set(now.progress || null, now.state === "queued" ? "waiting"
    : `${Math.round((Date.now() - began) / 1000)} s`));
  const cancel = () => asked.cancel().catch(() => {});
  replace(place, h("section", { class: "card" }, bar.node,
    h("div", { class: "actions" }, button("Cancel", cancel, { class: "button small" }))));
  const ended = asked.result.then(async (found) => {
    replace(place, await shown(found));
    say("The answer is there");
  }).catch((error) => replace(place, error.code === "cancelled" ? notice("info", "Cancelled.") : problem(error)));
  return { cancel, ended };
}
