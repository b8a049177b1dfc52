// The scenario that is being built: plain data, or a Lua script with values that were changed in it.
//
// Owns the data, its history (undo), and the check by the server after every change. Fields change
// it through set(); who wants to know listens: "changed" (data, by a field), "replaced" (all of it,
// draw anew), "checked" (the server's answer). A place is { up, holder, key }: where in the data a
// value is; its path is the one that the checker tells and `--set` takes.
import { get, post } from "./api.js";

const DRAFT = "tandem.draft", WAIT_MS = 250, UNDO_MOST = 200, SAME_EDIT_MS = 900;

// The same text for the same data, in whichever order its keys stand.
const stable = (value) => JSON.stringify(value, (_, one) => (one && typeof one === "object" && !Array.isArray(one)
  ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));

const copy = (value) => JSON.parse(JSON.stringify(value));

export const EMPTY = { name: "scenario", workload: { type: "poisson", rps: 10, duration: "60s" },
  target: { type: "gpu", name: "L40" }, pipeline: [] };

// ---- places

export const below = (up, holder, key) => ({ up, holder, key });

// The scenario itself, which has no part in paths.
export const rootOf = (data) => ({ up: null, holder: { it: data }, key: "it", hidden: true });

function segment({ holder, key }, numbered) {
  if (typeof key !== "number") return `.${key}`;
  const name = holder[key]?.name;
  return typeof name === "string" && name !== "" && !numbered ? `.${name}` : `[${key + 1}]`;
}

// The path of a place; `numbered`: its last part by number even where it has a name.
export function pathOf(place, numbered = false) {
  const parts = [];
  for (let at = place; at && !at.hidden; at = at.up) parts.unshift(segment(at, numbered && at === place));
  return parts.join("").replace(/^\./, "");
}

export const valueOf = (place) => place.holder[place.key];

// ---- the model

export class Model extends EventTarget {
  data = copy(EMPTY);
  script = null;   // the Lua text whose functions data cannot hold
  with = {};       // path → value: what was changed in it
  answer = null;   // what the last check said
  lua = null;      // the Lua text of the data, once it is valid
  #past = [];
  #future = [];
  #last = { path: null, at: 0 };
  #timer = null;
  #turn = 0;

  // What is posted to the server as a scenario.
  get scenario() {
    if (this.script === null) return this.data;
    const changes = Object.entries(this.with);
    return { name: this.data.name || "scenario", script: this.script.split("\n"),
      with: changes.length ? changes.map(([path, value]) => ({ [path]: value })) : undefined };
  }

  get valid() { return Boolean(this.answer?.ok); }
  get fixed() { return this.script !== null; }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #state() { return JSON.stringify({ data: this.data, script: this.script, with: this.with }); }

  #remember(before) {
    this.#past.push(before);
    if (this.#past.length > UNDO_MOST) this.#past.shift();
    this.#future = [];
  }

  // Runs a change; what is typed at one place without a pause is one step of undo.
  change(path, act) {
    const before = this.#state(), now = Date.now();
    act();
    if (this.#state() === before) return;
    if (path === null || path !== this.#last.path || now - this.#last.at > SAME_EDIT_MS) this.#remember(before);
    this.#last = { path, at: now };
    this.#changed();
  }

  #changed() {
    sessionStorage.setItem(DRAFT, this.#state());
    this.#tell("changed");
    this.check();
  }

  // Gives a place a value; undefined takes it away.
  set(place, value) {
    const path = pathOf(place), typed = typeof value !== "object" && typeof valueOf(place) !== "object";
    this.change(typed ? path : null, () => {
      if (value === undefined) delete place.holder[place.key];
      else place.holder[place.key] = value;
      if (this.script === null) return;
      if (value === undefined) delete this.with[path];
      else this.with[path] = copy(value);
    });
  }

  // Takes over what a check told of a scenario, or data. The first is nothing to go back from.
  load(told, first = false) {
    if (!first) this.#remember(this.#state());
    this.#take({ data: told.data || told, script: told.script ?? null,
      with: Object.assign({}, ...(Array.isArray(told.with) ? told.with : [])) });
  }

  #take(state) {
    this.data = state.data;
    this.script = state.script;
    this.with = state.with || {};
    this.lua = null;
    this.#last = { path: null, at: 0 };
    sessionStorage.setItem(DRAFT, this.#state());
    this.#tell("replaced");
    this.check(0);
  }

  #step(from, to) {
    if (from.length === 0) return;
    to.push(this.#state());
    this.#take(JSON.parse(from.pop()));
  }
  undo() { this.#step(this.#past, this.#future); }
  redo() { this.#step(this.#future, this.#past); }

  // What was being built before in this tab.
  restore() {
    try {
      const state = JSON.parse(sessionStorage.getItem(DRAFT));
      if (!state?.data) return false;
      this.#take(state);
      return true;
    } catch {
      return false;
    }
  }

  check(wait = WAIT_MS) {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    this.#tell("checking");
    this.#timer = setTimeout(async () => {
      let answer;
      try {
        answer = await post("/v1/check", { scenario: this.scenario });
      } catch (error) {
        answer = { ok: false, away: error.status === 0, problems: error.problems
          || [{ path: error.path, message: error.message }] };
      }
      if (turn !== this.#turn) return;
      this.answer = answer;
      if (answer.ok) this.lua = answer.lua ?? null;
      // A value that was taken back is the script's again.
      if (answer.ok && this.script !== null && stable(answer.data) !== stable(this.data)) {
        this.data = answer.data;
        this.#tell("replaced");
      }
      this.#tell("checked", answer);
    }, wait);
  }
}

// ---- the language, and what scenarios may name

let asked = null;

export function language() {
  asked ||= get("/v1/catalogue").catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

const plainName = (name) => String(name).toLowerCase().replace(/[^a-z0-9]/g, "")
  .replace(/^(nvidia|amd|geforce|tesla|instinct)(?=.)/, "");

// The card of the catalogue that a name means.
export function gpuNamed(gpus, name) {
  const wanted = plainName(name);
  return gpus.find((one) => [one.name, ...(one.aliases || [])].some((known) => plainName(known) === wanted));
}
