// Editors of values by their kind: numbers with units, formulas, distributions, names, lists, tables.
//
// Owns how text becomes a value and back. Records and labels are fields.js's.
import { button, h, replace } from "./dom.js";
import {
  editors, field, fresh, functionMark, initial, isObject, moved, record, remover, source,
} from "./fields.js";
import { quantity } from "./format.js";
import { below, valueOf } from "./model.js";

const FORMATS = { s: "time", "s/tok": "time", B: "bytes", "B/s": "speed", "FLOP/s": "flops", "req/s": "rate" };
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function parse(text) {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return NUMBER.test(trimmed) ? Number(trimmed) : trimmed;
}

const show = (value) => (value === undefined || value === null ? "" : String(value));

function placeholder(spec) {
  if (spec.default !== undefined) {
    const kind = FORMATS[spec.dim];
    return typeof spec.default === "number" && kind && spec.default !== 0 ? quantity(spec.default, kind)
      : String(spec.default);
  }
  return (spec.wants || "").match(/such as "([^"]+)"/)?.[1]?.replace(/^/, "e.g. ") ?? "";
}

function input(form, place, spec, id, options = {}) {
  const value = valueOf(place);
  if (value !== undefined && typeof value === "object") return null;
  const hint = h("span", { class: "hint" });
  const tell = () => {
    const now = valueOf(place), kind = FORMATS[spec.dim];
    hint.textContent = typeof now === "number" && kind && now !== 0 ? quantity(now, kind) : "";
    // A formula wants to be seen whole.
    const length = String(now ?? "").length, box = node.closest(".field");
    box?.classList.toggle("long", spec.cost === true && length > 14 && length <= 40);
    box?.classList.toggle("longer", spec.cost === true && length > 40);
  };
  const node = h("input", { id, value: show(value), placeholder: options.placeholder ?? placeholder(spec),
    list: options.list,
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", oninput: () => {
      const text = node.value;
      form.set(place, options.text ? (text.trim() === "" ? undefined : text) : parse(text));
      tell();
      options.changed?.();
    } });
  tell();
  queueMicrotask(tell);
  return { node: h("div", { class: "entry" }, node, hint, options.beside) };
}

function choice(form, place, spec, id, choices, none, changed) {
  const value = valueOf(place);
  if (value !== undefined && typeof value === "object") return null;
  const known = choices.some(([one]) => one === value);
  const node = h("select", { id, onchange: () => {
    const chosen = choices.find(([one]) => String(one) === node.value);
    form.set(place, node.value === "" ? undefined : chosen ? chosen[0] : node.value);
    changed?.();
  } }, none !== null && h("option", { value: "" }, none),
  value !== undefined && !known && h("option", { value: String(value) }, String(value)),
  choices.map(([one, words]) => h("option", { value: String(one) }, words)));
  node.value = value === undefined ? "" : String(value);
  return { node };
}

const unset = (spec) => (spec.required ? "choose …" : spec.default !== undefined ? `${spec.default} (default)` : "–");

// Distributions that data can say: those that want a function cannot.
function distributions(form) {
  return Object.keys(form.language.types).filter((name) => {
    const type = form.type(name);
    return type.group === "dist" && !type.order.some((key) => type.keys[key].required && type.keys[key].kind === "fn");
  }).sort();
}

// A number, a text with a unit, a formula, or a distribution.
function amount(form, place, spec, id) {
  const box = h("div", { class: "amount" });
  const may = spec.cost || spec.dist || spec.kind === "dist" || spec.kind === "jitter";
  const named = (value) => isObject(value) && form.type(value.type ?? value.dist)?.group === "dist";
  if (isObject(valueOf(place)) && !named(valueOf(place)) || Array.isArray(valueOf(place))) return null;
  const draw = (focus) => {
    const value = valueOf(place), dist = named(value);
    const mode = may && h("select", { class: dist ? "mode" : "mode closed", "aria-label": "value or distribution",
      title: "A value, or a distribution", onchange: () => {
        form.set(place, mode.value === "" ? plainOf(value) : distributed(form.type(mode.value), mode.value, value));
        draw(true);
      } }, h("option", { value: "" }, spec.cost ? "= value or formula" : "= value"),
    distributions(form).map((name) => h("option", { value: name, title: form.type(name).doc }, `~ ${name}`)));
    if (mode) mode.value = dist ? value.type ?? value.dist : "";
    if (dist) {
      box.classList.add("broad");
      replace(box, mode, record(form, place, form.type(value.type), { dim: spec.kind === "jitter" ? "1" : spec.dim }));
    } else {
      box.classList.remove("broad");
      replace(box, input(form, place, spec.kind === "jitter" ? { ...spec, wants: "", dim: "1" } : spec, id,
        { beside: mode }).node);
    }
    if (focus) box.querySelector("input")?.focus();
  };
  draw(false);
  return { node: box, labelled: true };
}

// From a distribution to a value and back the mean stays, as far as there is one.
const plainOf = (value) => (isObject(value) ? value.mean ?? value.value ?? value.p50 : value);

function distributed(type, name, value) {
  const made = { type: name }, mean = isObject(value) ? plainOf(value) : value;
  for (const key of ["mean", "value"]) {
    if (type.keys[key] && mean !== undefined && typeof mean !== "object") made[key] = mean;
  }
  if (isObject(value)) for (const key of type.order) if (key in value) made[key] = value[key];
  if (type.items) made[type.items] ||= [];
  return made;
}

const resources = (form, types) => (form.model.data.resources || []).filter((one) => types.includes(one?.type)
  && one.name)
  .map((one) => [one.name, `your ${one.type}`]);

// A table of two columns.
function pairs(form, place, spec, id) {
  if (valueOf(place) !== undefined && !Array.isArray(valueOf(place))) return null;
  const box = h("div", { class: "pairs", id, tabindex: "-1" });
  const titles = (spec.words || "").replace(/[{}]/g, "").split(",").map((word) => word.trim());
  const draw = (at) => {
    const rows = valueOf(place) || [];
    if (rows.some((row) => !Array.isArray(row))) return replace(box, source(form, place, id).node);
    const cell = (row, i, column) => field(form, below(below(place, rows, i), row, column),
      { ...(column ? spec.second : spec.first), doc: titles[column], inherit: undefined }, { label: null });
    replace(box, h("div", { class: "pair titles" }, h("span", {}, titles[0]), h("span", {}, titles[1]), h("span")),
      rows.map((row, i) => h("div", { class: "pair" }, cell(row, i, 0), cell(row, i, 1), !form.model.fixed
        && button("×", () => { form.set(place, rows.filter((_, k) => k !== i)); draw(); }, { class: "button small",
          "aria-label": `Remove row ${i + 1}` }))),
      !form.model.fixed && button("+ row", () => {
        form.set(place, [...rows, [rows.at(-1)?.[0] ?? 1, isObject(rows.at(-1)?.[1]) ? { ...rows.at(-1)[1] }
          : rows.at(-1)?.[1] ?? 1]]);
        draw(rows.length);
      }, { class: "button small" }));
    if (at !== undefined) box.querySelectorAll(".pair input")[2 * at]?.focus();
    return null;
  };
  draw();
  return { node: box, wide: true };
}

// Names and values.
function map(form, place, spec, id) {
  if (valueOf(place) !== undefined && !isObject(valueOf(place))) return null;
  const box = h("div", { class: "grid", id, tabindex: "-1" });
  const draw = (focus) => {
    const value = valueOf(place) || {};
    const rename = (from, to) => form.set(place, Object.fromEntries(Object.entries(value)
      .map(([key, one]) => [key === from ? to : key, one])));
    const fixed = form.model.fixed;
    replace(box, Object.keys(value).map((key) => field(form, below(place, value, key), { doc: "", ...spec.of }, {
      label: fixed ? key : h("input",
        { class: "name", value: key, "aria-label": "name", spellcheck: "false", onchange: (event) => {
        const to = event.target.value.trim();
        if (to && !(to in value)) rename(key, to);
        draw();
      } }), remove: !fixed && remover(`Remove ${key}`, () => {
        form.set(place, Object.fromEntries(Object.entries(value).filter(([one]) => one !== key)));
        draw();
      }) })), !fixed && h("div", { class: "field add" }, button("+ name", () => {
      let name = "name";
      for (let n = 2; name in value; n++) name = `name${n}`;
      form.set(place, { ...value, [name]: 1 });
      draw(name);
    }, { class: "button small" })));
    if (focus) [...box.querySelectorAll("input.name")].at(-1)?.select();
  };
  draw(false);
  return { node: box, wide: true };
}

// A list: of plain values on one line, of records each by itself.
function list(form, place, spec, id) {
  const value = valueOf(place);
  if (value !== undefined && !Array.isArray(value)
    && !(isObject(value) && Object.keys(value).length === 0)) return null;
  if (["quantity", "string", "scalar"].includes(spec.of.kind)) {
    if ((value || []).some?.((one) => typeof one === "object")) return null;
    const node = h("input", { id, value: (Array.isArray(value) ? value : []).join(", "), placeholder: "one, two, …",
      spellcheck: "false",
      oninput: () => {
        const words = node.value.split(",").map((word) => (spec.of.kind === "string" ? word.trim() : parse(word)))
          .filter((word) => word !== undefined && word !== "");
        form.set(place, words.length ? words : undefined);
      } });
    return { node, labelled: true, wide: true };
  }
  const make = editors.items;
  return make(form, place, spec, id);
}

// Records or nodes one below the other; `spec.of` says what each is.
function items(form, place, spec, id) {
  const box = h("div", { class: "items", id, tabindex: "-1" });
  const draw = (focus) => {
    if (!Array.isArray(valueOf(place)) && valueOf(place) !== undefined) place.holder[place.key] = [];
    const all = valueOf(place) || [], fixed = form.model.fixed;
    const change = (next, at) => { form.set(place, next); draw(at); };
    replace(box, all.map((_, i) => h("div", { class: "item" },
      field(form, below(place, all, i), spec.of, { label: `${i + 1}`,
      remove: !fixed && [i > 0 && button("↑", () => change(moved(all, i, i - 1), i - 1),
        { class: "button small", "aria-label": `Move ${i + 1} up` }),
        remover(`Remove ${i + 1}`, () => change(all.filter((__, k) => k !== i)))] }))),
    !fixed && adder(form, spec.of, (made) => change([...all, made], all.length)));
    if (focus !== undefined) box.children[focus]?.querySelector("input, select")?.focus();
  };
  draw();
  return { node: box, wide: true };
}

function adder(form, spec, add) {
  if (spec.kind === "node") {
    return h("div", { class: "adder" }, spec.types.map((name) => button(`+ ${name}`, () => add(fresh(form, name)),
      { class: "button small", title: form.type(name).doc })));
  }
  return h("div", { class: "adder" }, button("+ add", () => add(initial(form, spec)), { class: "button small" }));
}

// A record of known keys; a bare value stands for its first one.
function recordField(form, place, spec, id) {
  const type = form.type(spec.record);
  const first = type.positional?.[0];
  const box = h("div", { class: "record", id, tabindex: "-1" });
  let wide = false;
  // A list alone is what its array part stands for.
  if (Array.isArray(valueOf(place)) && type.items && !form.model.fixed) {
    place.holder[place.key] = { [type.items]: valueOf(place) };
  }
  const draw = (focus) => {
    const value = valueOf(place);
    wide = isObject(value);
    if (wide) {
      replace(box, record(form, place, type, {}));
    } else if (first && (value === undefined || typeof value !== "object")) {
      replace(box, h("div", { class: "entry" }, input(form, place, { ...type.keys[first], default: undefined,
        wants: type.keys[first].doc }, `${id}-i`, { placeholder: first }).node,
      button("…", () => { form.set(place, value === undefined ? {} : { [first]: valueOf(place) }); draw(true); },
        { class: "button small", title: `All settings: ${type.order.join(", ")}`,
          "aria-label": `All settings of ${place.key}` })));
    } else if (value === undefined) {
      replace(box, button("+ set", () => { form.set(place, {}); draw(true); }, { class: "button small" }));
    } else {
      replace(box, source(form, place, id).node);
    }
    box.closest(".field")?.classList.toggle("broad", wide);
    if (focus) box.querySelector("input, select")?.focus();
  };
  draw(false);
  return { node: box, wide };
}

// A node: its type where there are several, its name, its keys.
function nodeField(form, place, spec, id) {
  const types = spec.types || [];
  if (typeof valueOf(place) === "string" && !form.model.fixed) {
    place.holder[place.key] = { type: types[0], name: valueOf(place) };
  }
  if (valueOf(place) !== undefined && !isObject(valueOf(place))) return null;
  const box = h("div", { class: "node", id, tabindex: "-1" });
  const draw = (focus) => {
    const value = valueOf(place);
    if (value === undefined) {
      return replace(box, types.map((name) => button(`+ ${name}`, () => {
        form.set(place, fresh(form, name));
        draw(true);
      }, { class: "button small", title: form.type(name).doc })));
    }
    const type = form.type(value.type);
    const kind = types.length > 1 && h("select", { "aria-label": "kind", title: type?.doc, onchange: () => {
      const next = form.type(kind.value), made = fresh(form, kind.value);
      for (const key of [...next.order, ...(next.named ? ["name"] : [])]) {
        if (key in value && key !== next.items) made[key] = value[key];
      }
      form.set(place, made);
      draw(true);
    } }, !type && h("option", { value: value.type ?? "" }, value.type ?? "choose …"),
    types.map((name) => h("option", { value: name }, name)));
    if (kind) kind.value = value.type ?? "";
    replace(box, kind && h("div", { class: "kind" }, kind, h("span", { class: "doc" }, type?.doc)),
      type ? record(form, place, type, { named: type.named }) : source(form, place, id).node);
    if (focus) box.querySelector("select, input")?.focus();
    return null;
  };
  draw(false);
  return { node: box, wide: true };
}

function workload(form, place, spec, id) {
  const one = { kind: "node", types: spec.types.filter((name) => !form.type(name).keys.fn), doc: spec.doc };
  const box = h("div", { class: "workload", id, tabindex: "-1" });
  const draw = () => {
    const value = valueOf(place), many = Array.isArray(value);
    replace(box, many ? items(form, place, { of: one }, id).node : nodeField(form, place, one, id)?.node
      ?? source(form, place, id).node, !form.model.fixed && isObject(value) && button("+ another process",
      () => { form.set(place, [value, { type: "poisson", rps: 1, duration: value.duration }]); draw(); },
      { class: "button small", title: "Several arrival processes at once, each of its class" }));
  };
  draw();
  return { node: box, wide: true };
}

// Anything at all, as JSON.
const json = (form, place, spec, id) => source(form, place, id);

Object.assign(editors, {
  quantity: amount, dist: amount, jitter: amount,
  string: (form, place, spec, id) => input(form, place, spec, id, { text: true }),
  name: (form, place, spec, id) => input(form, place, spec, id, { text: true }),
  warmup: (form, place, spec, id) => input(form, place, spec, id, { placeholder: "auto",
    list: form.datalist("warmup", [["auto"], ["none"]]) }),
  scalar: (form, place, spec, id) => input(form, place, spec, id),
  any: (form, place, spec, id) => input(form, place, spec, id),
  boolean: (form, place, spec, id) => choice(form, place, spec, id, [[true, "yes"], [false, "no"]], unset(spec)),
  enum: (form, place, spec, id) => choice(form, place, spec, id, spec.choices.map((one) => [one, one]), unset(spec)),
  router: (form, place, spec, id) => choice(form, place, spec, id, spec.choices.map((one) => [one, one]), unset(spec)),
  place: (form, place, spec, id) => input(form, place, spec, id,
    { text: true, list: form.datalist(`place${spec.memory || ""}`,
    spec.memory ? [["gpu", "the card's own"], ...resources(form, ["memory"])]
      : [["gpu"], ["cpu"], ["h2d"], ["d2h"], ["none"], ...resources(form, ["pool", "link"])]) }),
  link: (form, place, spec, id) => input(form, place, spec, id,
    { text: true, list: form.datalist("link", resources(form, ["link"])) })
    || nodeField(form, place, { ...spec, types: ["link"] }, id),
  record: recordField, batch: recordField, node: nodeField, target: nodeField, list, items, pairs, map, workload,
  fn: functionMark, expect: json, over: json, points: json, whatif: json,
});
