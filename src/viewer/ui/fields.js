// Fields of a scenario, made from the tables that check scenarios: labels, records, where problems are told.
//
// Owns which keys of a record are shown, and that a problem stands beside the field whose path it
// names. What no editor can show is shown as its JSON. Editors of single kinds are inputs.js's, lists of
// steps stages.js's; both put themselves into `editors`. Nothing here knows what a key means.
import { button, h, replace } from "./dom.js";
import { quantity } from "./format.js";
import { below, gpuNamed, pathOf, valueOf } from "./model.js";

// By the kinds of lua/tandem/check/init.lua: (form, place, spec, id) → { node, wide?: takes the width of its
// form, labelled?: the label is of its input }, or null where the value is shown as its source.
export const editors = {};

export const SHORT = new Set(["quantity", "string", "boolean", "enum", "place", "link", "router", "jitter", "dist",
  "batch", "warmup", "scalar"]);
const ALL_MOST = 8; // types with no more keys show all that are short

export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

let ids = 0;
const newId = () => `f${++ids}`;

export class Form {
  constructor(model, language) {
    this.model = model;
    this.language = language;
    this.rows = [];           // { place, node, trouble, focus }
    this.open = new WeakMap(); // record → keys that are shown though they are not set
    this.datalists = new Map();
  }
  type(name) { return this.language.types[name]; }
  set(place, value) { this.model.set(place, value); }

  // What a problem is told beside: the field of its path, or the nearest that holds it.
  rowsOf(path) {
    this.rows = this.rows.filter((row) => row.node.isConnected);
    const known = new Map();
    for (const row of this.rows) {
      for (const name of new Set([pathOf(row.place), pathOf(row.place, true)])) {
        if (!known.has(name)) known.set(name, row);
      }
    }
    for (let at = path || ""; at !== ""; at = at.replace(/(\.[^.[\]]*|\[[^\]]*\]|^[^.[\]]+)$/, "")) {
      if (known.has(at)) return known.get(at);
    }
    return null;
  }

  tell(problems) {
    this.rows = this.rows.filter((row) => row.node.isConnected);
    for (const row of this.rows) {
      if (row.trouble.textContent === "") continue;
      row.trouble.textContent = "";
      row.node.classList.remove("wrong");
      row.focus()?.removeAttribute("aria-invalid");
    }
    for (const problem of problems) {
      const row = this.rowsOf(problem.path);
      if (!row) continue;
      const rest = problem.path === pathOf(row.place) ? ""
        : problem.path.slice(pathOf(row.place).length).replace(/^\./, "");
      const words = `${rest && !pathOf(row.place).endsWith(problem.path) ? `${rest} ` : ""}${problem.message}`;
      row.trouble.textContent += (row.trouble.textContent && "; ") + words;
      row.node.classList.add("wrong");
      row.focus()?.setAttribute("aria-invalid", "true");
    }
  }

  // A list that inputs may choose from, once a page.
  datalist(name, options) {
    let list = this.datalists.get(name);
    if (!list?.isConnected) {
      list = h("datalist", { id: `list-${name}` });
      this.datalists.set(name, list);
      document.getElementById("main").append(list);
    }
    replace(list, options.map(([value, label]) => h("option", { value, label })));
    return list.id;
  }
}

// ---- a field: label, editor, what is wrong with it

export function field(form, place, spec, options = {}) {
  const id = newId();
  const made = editor(form, place, spec, id);
  const trouble = h("p", { class: "trouble", id: `${id}-t` });
  const label = options.label ?? String(place.key);
  const title = [spec.doc, spec.wants && spec.wants !== spec.doc
    && `Wants ${spec.wants}.`].filter(Boolean).join(". ").replace("..", ".");
  const node = h("div", { class: `field${made.wide ? " broad" : ""}${spec.required ? " required" : ""}` },
    label !== null && h("div", { class: "label" }, label !== "" && h(made.wide && !made.labelled ? "span" : "label",
      { for: made.wide && !made.labelled ? null : id, title, class: "key" }, label),
    made.wide && spec.doc && h("span", { class: "doc" }, spec.doc), options.remove), made.node, trouble);
  const focus = () => node.querySelector(`#${id}`) || node.querySelector("input, select, textarea, button");
  focus()?.setAttribute("aria-describedby", trouble.id);
  if (label === null) focus()?.setAttribute("aria-label", spec.doc || String(place.key));
  form.rows.push({ place, node, trouble, focus });
  return node;
}

function editor(form, place, spec, id) {
  const value = valueOf(place);
  if (isObject(value) && value.type === "lua") return functionMark();
  if (isObject(value) && value.type === "expr") return source(form, place, id);
  const make = editors[spec.kind] || editors.any;
  return make(form, place, spec, id) || source(form, place, id);
}

// What stands where the Lua text has a function.
export const functionMark = () => ({ node: h("p", { class: "lua-mark" },
  "a function of the Lua text: change it in the source") });

// Anything at all, as JSON.
export function source(form, place, id) {
  const value = valueOf(place);
  const wrong = h("p", { class: "trouble" });
  const area = h("textarea", { id, spellcheck: "false", rows: String(Math.min(9, Math.max(2,
    JSON.stringify(value ?? null, null, 1).split("\n").length))) });
  area.value = value === undefined ? "" : JSON.stringify(value, null, 2);
  area.addEventListener("input", () => {
    try {
      const next = area.value.trim() === "" ? undefined : JSON.parse(area.value);
      wrong.textContent = "";
      form.set(place, next);
    } catch (error) {
      wrong.textContent = `This is not JSON: ${error.message}`;
    }
  });
  return { node: h("div", {}, area, wrong), wide: true, labelled: true };
}

export const remover = (title, act) => button("×", act, { class: "button small remove", title, "aria-label": title });

export const moved = (all, from, to) => {
  const next = all.filter((_, i) => i !== from);
  next.splice(to, 0, all[from]);
  return next;
};

// A new node of a type, with a name of its own where it has one.
export function fresh(form, name, taken = []) {
  const type = form.type(name), made = { type: name };
  if (type.named) {
    made.name = name;
    for (let n = 2; taken.includes(made.name); n++) made.name = `${name}${n}`;
  }
  if (name === "gpu") made.name = form.language.gpus[0].name;
  if (type.items) made[type.items] = [];
  return made;
}

export function initial(form, spec) {
  if (spec.kind === "node") return fresh(form, spec.types[0]);
  if (["list", "steps", "pairs", "pipeline"].includes(spec.kind)) return [];
  if (spec.kind === "workload") return { type: "poisson", rps: 10 };
  if (spec.kind === "record" && spec.record === "class") return { name: "class" };
  return {};
}

// ---- the keys of a record

// Which keys of a record are shown: what is set, wanted or usual; all, where they are few.
function shownKeys(form, type, value) {
  const open = form.open.get(value) || new Set();
  const few = type.order.filter((key) => SHORT.has(type.keys[key].kind)).length <= ALL_MOST;
  return type.order.filter((key) => {
    const spec = type.keys[key];
    if (key in value || open.has(key)) return true;
    if (spec.kind === "fn") return spec.required;
    return spec.required || spec.usual || few && SHORT.has(spec.kind);
  });
}

// options: named (a name stands first), dim (of distributions' parameters), leave (keys shown elsewhere)
export function record(form, place, type, options) {
  const box = h("div", { class: "grid" });
  const draw = (focus) => {
    const value = valueOf(place), leave = options.leave || [];
    const keys = shownKeys(form, type, value).filter((key) => !leave.includes(key));
    const specOf = (key) => {
      const spec = type.keys[key];
      return spec.inherit ? { ...spec, dim: options.dim, wants: spec.wants } : spec;
    };
    const own = Object.keys(value).filter((key) => !type.keys[key] && key !== "type" && key !== "name" && key !== "dist"
      && !leave.includes(key));
    const drop = (key) => !form.model.fixed && key in value && !SHORT.has(type.keys[key]?.kind)
      && !type.keys[key]?.required
      && remover(`Remove ${key}`, () => {
        form.set(below(place, value, key), undefined);
        form.open.get(value)?.delete(key);
        draw();
      });
    replace(box, options.named && nameField(form, place, value),
      keys.map((key) => field(form, below(place, value, key), specOf(key), { remove: drop(key) })),
      own.map((key) => {
        const pattern = type.pattern && /^([a-z]+\d?_)?(p\d|mean$|max$)/.test(key);
        const spec = pattern ? { ...type.pattern.spec, dim: type.pattern.spec.inherit ? options.dim
          : type.pattern.spec.dim }
          : { kind: "any", doc: "not a key that is known" };
        return field(form, below(place, value, key), spec, { remove: !form.model.fixed
          && remover(`Remove ${key}`, () => { form.set(below(place, value, key), undefined); draw(); }) });
      }), more(form, place, type, value, [...keys, ...leave], draw));
    if (focus) {
      const made = form.rows.filter((row) => row.node.isConnected && row.place.holder === value
        && row.place.key === focus)[0];
      made?.focus()?.focus();
    }
    options.drawn?.();
  };
  draw();
  return box;
}

// The other settings there are, each with what it does.
function more(form, place, type, value, shown, draw) {
  const others = type.order.filter((key) => !shown.includes(key) && type.keys[key].kind !== "fn");
  if (others.length === 0 && !type.pattern) return null;
  const words = (key) => {
    const doc = type.keys[key].doc || "";
    return doc ? `${key}: ${doc.length > 70 ? `${doc.slice(0, 69)}…` : doc}` : key;
  };
  const patterns = type.pattern ? [type.pattern.example,
    ...(type.pattern.near || [])].filter((key) => !(key in value)) : [];
  const select = h("select", { class: "more-keys", "aria-label": "More settings", onchange: () => {
    const key = select.value;
    const spec = type.keys[key];
    const whole = spec && !SHORT.has(spec.kind) && spec.kind !== "any" && !form.model.fixed;
    if (whole) form.set(below(place, value, key), initial(form, spec));
    else if (spec) form.open.set(value, (form.open.get(value) || new Set()).add(key));
    else form.set(below(place, value, key), "100ms");
    draw(key);
  } }, h("option", { value: "" }, "+ setting …"), patterns.map((key) => h("option", { value: key }, key)),
  others.sort().map((key) => h("option", { value: key }, words(key))));
  return h("div", { class: "field add" }, select);
}

function nameField(form, place, value) {
  const at = below(place, value, "name");
  const type = value.type;
  const options = type === "gpu" ? form.language.gpus.map((gpu) => [gpu.name, gpuWords(gpu)])
    : type === "llm" ? form.language.models.map((model) => [model.name, model.source]) : null;
  const beside = type === "gpu" && h("span", { class: "gpu-figures" });
  const tell = () => {
    const gpu = beside && gpuNamed(form.language.gpus, value.name || "");
    if (beside) beside.textContent = gpu ? gpuWords(gpu) : "";
  };
  const made = field(form, at, { kind: "name", doc: type === "gpu" ? "a GPU of the catalogue, or a name of your own"
    : "its name" },
    { label: "name" });
  const box = made.querySelector("input");
  if (options) box.setAttribute("list", form.datalist(type, options));
  box.addEventListener("input", tell);
  if (beside) made.append(beside);
  if (type === "gpu") made.classList.add("double");
  tell();
  return made;
}

// What a GPU of the catalogue costs an hour, or nothing.
export const hourly = (gpu) => gpu.price && gpu.price * 3600;

export const gpuWords = (gpu) => [quantity(gpu.memory_bytes, "bytes"), quantity(gpu.bandwidth, "speed"),
  gpu.flops && `${quantity(gpu.flops, "flops")} bf16`, gpu.price && `${quantity(hourly(gpu), "money")}/h`]
  .filter(Boolean).join(" · ");
