// Lists of steps: the pipeline, and those inside branches, loops, forks and holds. Steps are added,
// removed and moved by mouse, touch and keyboard.
//
// Owns the order of steps and what a step looks like; its keys are fields.js's.
import { button, h, replace, say } from "./dom.js";
import { editors, field, fresh, moved, record, remover } from "./fields.js";
import { below, valueOf } from "./model.js";

// Types of steps that data can say.
const kinds = (form) => Object.keys(form.language.types).filter((name) => {
  const type = form.type(name);
  return type.group === "stage" && !type.order.some((key) => type.keys[key].required && type.keys[key].kind === "fn");
});

const names = (steps) => steps.map((step) => step?.name).filter(Boolean);

// Follows a pointer from a step's handle to where it is let go; place(y) → new index.
function drag(event, box, index, drop) {
  const steps = [...box.querySelectorAll(":scope > .step")], mine = steps[index];
  const at = (y) => steps.filter((step, i) => i !== index
    && y > step.getBoundingClientRect().top + step.offsetHeight / 2).length;
  const mark = h("div", { class: "drop-mark" });
  let to = index;
  event.preventDefault();
  event.target.setPointerCapture(event.pointerId);
  mine.classList.add("dragged");
  const move = (now) => {
    to = at(now.clientY);
    const others = steps.filter((_, i) => i !== index);
    box.insertBefore(mark, others[to] || steps.at(-1).nextSibling);
    if (now.clientY < 80) window.scrollBy(0, -12);
    else if (now.clientY > window.innerHeight - 60) window.scrollBy(0, 12);
  };
  const end = (now) => {
    event.target.removeEventListener("pointermove", move);
    event.target.removeEventListener("pointerup", end);
    event.target.removeEventListener("pointercancel", end);
    mark.remove();
    mine.classList.remove("dragged");
    if (now.type === "pointerup" && to !== index) drop(to);
  };
  event.target.addEventListener("pointermove", move);
  event.target.addEventListener("pointerup", end);
  event.target.addEventListener("pointercancel", end);
}

const focusOn = (step, what) => (step?.querySelector(what) || step?.querySelector("input"))?.focus();

function steps(form, place, spec, id) {
  if (valueOf(place) !== undefined && !Array.isArray(valueOf(place))
    && Object.keys(valueOf(place)).length > 0) return null;
  const box = h("div", { class: "steps", id, tabindex: "-1" });
  // focus: which step; what: which part of it.
  const draw = (focus, what = ".handle") => {
    if (!Array.isArray(valueOf(place))) place.holder[place.key] = [];
    const all = valueOf(place), fixed = form.model.fixed;
    const change = (next, at, words) => {
      form.set(place, next);
      draw(at);
      say(words);
    };
    const move = (from, to) => {
      if (to >= 0 && to < all.length) change(moved(all, from, to), to,
        `${all[from].name} is now step ${to + 1} of ${all.length}`);
    };
    replace(box, all.map((step, i) => stepNode(form, below(place, all, i), i, all.length, fixed ? null : { move,
      remove: () => change(all.filter((_, k) => k !== i), Math.min(i, all.length - 2), `${step.name} was removed`),
      double: () => {
        const twin = { ...JSON.parse(JSON.stringify(step)), name: fresh(form, step.type, names(all)).name };
        change([...all.slice(0, i + 1), twin, ...all.slice(i + 1)], i + 1, `${twin.name} was added`);
      }, drag: (event) => drag(event, box, i, (to) => move(i, to)) })),
    all.length === 0 && h("p", { class: "muted none" }, "No step yet."),
    fixed ? null : palette(form, (name) => {
      const made = fresh(form, name, names(all));
      form.set(place, [...all, made]);
      draw(all.length, ".grid > .required input");
      say(`${made.name} was added`);
    }));
    if (focus !== undefined && focus >= 0) focusOn(box.querySelectorAll(":scope > .step")[focus], what);
  };
  draw();
  return { node: box, wide: true };
}

function palette(form, add) {
  return h("div", { class: "palette", role: "group", "aria-label": "Add a step" }, h("span", { class: "muted" }, "Add"),
    kinds(form).map((name) => button(name, () => add(name),
      { class: "button small", title: form.type(name).doc, data: { add: name } })));
}

function stepNode(form, place, i, count, acts) {
  const step = valueOf(place), type = form.type(step?.type);
  const title = step?.name || step?.type || "?";
  const handle = acts && button("⠿", null, { class: "button small handle", title: "Drag, or Alt and arrow keys",
    "aria-label": `Step ${i + 1}, ${title}: drag, or Alt with the arrow keys, to move it`, onpointerdown: acts.drag,
    onkeydown: (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (by && event.altKey) {
        event.preventDefault();
        acts.move(i, i + by);
      } else if (event.key === "Delete") {
        acts.remove();
      }
    } });
  const buttons = acts && h("div", { class: "step-actions" },
    button("↑", () => acts.move(i, i - 1),
      { class: "button small", disabled: i === 0, "aria-label": `Move ${title} up` }),
    button("↓", () => acts.move(i, i + 1),
      { class: "button small", disabled: i === count - 1, "aria-label": `Move ${title} down` }),
    button("copy", acts.double, { class: "button small", title: "Once more", "aria-label": `Add ${title} once more` }),
    remover(`Remove ${title}`, acts.remove));
  if (!type || type.group !== "stage") {
    return h("div", { class: "step" }, h("div", { class: "step-head" }, handle, h("b", {}, title), buttons),
      field(form, place, { kind: "expect", doc: "a step as its source" }, { label: title }));
  }
  return h("div", { class: "step" },
    h("div", { class: "step-head" }, handle, h("span", { class: `tag kind-${step.type}`,
    title: type.doc }, step.type), h("span", { class: "doc" }, type.doc), buttons),
  stepTrouble(form, place), record(form, place, type, { named: true }));
}

// What is wrong with the step as a whole.
function stepTrouble(form, place) {
  const trouble = h("p", { class: "trouble" });
  const node = h("div", { class: "whole" }, trouble);
  form.rows.push({ place, node, trouble, focus: () => node.parentNode?.querySelector("input") });
  return node;
}

editors.steps = steps;
editors.pipeline = steps;
