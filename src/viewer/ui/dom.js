// Elements of pages. Text is always text: nothing here makes HTML of it.
import { whole } from "./format.js";

// h("p", { class: "muted", onclick: f, style: { "--w": "40%" } }, "text", node, [more]) → element.
// An attribute that is null, undefined or false is left out; true has no value.
export function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

// A section with a title; what `aside` holds stands beside the title.
export function card(title, ...children) {
  return h("section", { class: "card" }, title && h("h2", {}, title), children);
}

// kind: "error", "warning", "good", "info". Errors are read aloud at once.
export function notice(kind, ...text) {
  return h("div", { class: `notice ${kind}`, role: kind === "error" ? "alert" : "status" }, text);
}

// The sentence of an ApiError or of any other error, with its problems where it has several.
export function problem(error) {
  const many = (error.problems || []).filter((one) => one.message);
  return notice("error", h("p", {}, error.message || String(error)), error.path && many.length < 2
    && h("p", { class: "muted" }, "at ", h("code", {}, error.path)), many.length > 1 && h("ul", {}, many.map((one) =>
    h("li", {}, one.path && h("code", {}, one.path), " ", one.message))));
}

// { node, set(share, words) }: share from 0 to 1, null when nobody knows.
export function progress(label) {
  const bar = h("progress", { max: "1", "aria-label": label });
  const words = h("span", { class: "muted" });
  const node = h("div", { class: "progress", role: "group", "aria-label": label }, h("span", {}, label), bar, words);
  return { node, set(share, text = "") {
    if (share === null || share === undefined) bar.removeAttribute("value");
    else bar.value = share;
    words.textContent = text;
  } };
}

// Tabs: list of { id, title, show() → node or promise of one }, shown when first chosen and kept: what was
// opened there stays as it was. Arrow keys go from one to the next. `changed(id)` is told of each choice.
export function tabs(list, chosen, changed) {
  const places = list.map(() => h("div", { hidden: true }));
  const panel = h("div", { class: "panel", role: "tabpanel", tabindex: "0" }, places);
  const buttons = list.map((one, i) => h("button", { type: "button", role: "tab", id: `tab-${one.id}`,
    onclick: () => choose(i, true) }, one.title));
  const bar = h("div", { class: "tabs", role: "tablist" }, buttons);
  const opened = new Set();
  let now = -1;
  async function open(i) {
    opened.add(i);
    replace(places[i], h("p", { class: "muted" }, "Loading …"));
    try {
      replace(places[i], await list[i].show());
    } catch (error) {
      opened.delete(i);
      replace(places[i], problem(error));
    }
  }
  // The bar scrolls in itself on a telephone; it has a width once it is on the page.
  const seen = (i) => requestAnimationFrame(() => {
    const { offsetLeft: left, offsetWidth: width } = buttons[i];
    bar.scrollLeft = left - bar.offsetLeft - (bar.clientWidth - width) / 2;
  });
  function choose(i, told) {
    now = i;
    buttons.forEach((button, k) => {
      button.setAttribute("aria-selected", String(k === i));
      button.tabIndex = k === i ? 0 : -1;
      places[k].hidden = k !== i;
    });
    panel.setAttribute("aria-labelledby", `tab-${list[i].id}`);
    seen(i);
    if (told && changed) changed(list[i].id);
    if (!opened.has(i)) open(i);
  }
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose((now + step + list.length) % list.length, true);
    buttons[now].focus();
  });
  choose(Math.max(0, list.findIndex((one) => one.id === chosen)), false);
  return h("div", { class: "tabbed" }, bar, panel);
}

// Numbers below zero, with a minus sign as wide as a plus; a hyphen within a word stays one (canvas.minus in Lua).
export const minus = (text) => text.replace(/(^|[\s%(])-(?=[\d∞.])/g, "$1−");

const collator = new Intl.Collator("en", { numeric: true });

function order(a, b) {
  const none = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
  if (none(a) || none(b)) return { missing: none(a) - none(b), order: 0 };
  return { missing: 0, order: typeof a === "number" && typeof b === "number" ? a - b
    : collator.compare(String(a), String(b)) };
}

// A table that sorts by its columns and scrolls in itself where it does not fit.
// columns: { key, title, right?, lead?, wide? (left out on phones), class?, value?(row) → what is sorted by,
// show?(row) → node or text, sort?: false }. rows are null where nobody knows them yet.
// options: { sort: { key, down }, caption, empty: sentence, row?(row, tr), few? }. → element with update(rows)
export function table(columns, rows, options = {}) {
  let sorted = options.sort || null, all = rows, most = options.few || 200;
  const head = columns.map((column) => {
    const button = column.sort === false ? h("span", {}, column.title) : h("button", { type: "button",
      onclick: () => {
        const down = sorted?.key === column.key ? !sorted.down : Boolean(column.right);
        sorted = { key: column.key, down };
        fill();
      } }, column.title);
    const kind = [column.right && "right", column.lead && "lead", column.wide && "wide"].filter(Boolean).join(" ");
    return h("th", { scope: "col", class: kind || null }, button);
  });
  const body = h("tbody");
  const more = h("button", { type: "button", class: "button more", onclick: () => {
    most = Infinity;
    fill();
  } });
  // On a telephone a row with many columns is a list of them.
  const box = h("div", { class: columns.length > 3 ? "table stacked" : "table" }, h("div", { class: "scroll-rows", tabindex: "0", role: "group",
    "aria-label": options.caption || "Table" }, h("table", {},
    options.caption && h("caption", {}, h("span", {}, options.caption)),
    h("thead", {}, h("tr", {}, head)), body)), more);
  // There the names of its columns stand in one of their own.
  const longest = Math.max(...columns.map((column) => (column.lead ? 0 : (column.title ?? "").length)));
  box.style.setProperty("--label", `${Math.max(longest, 8) + 1}ch`);
  const value = (column, row) => (column.value ? column.value(row) : row[column.key]);
  const cell = (column, row) => {
    const shown = column.show ? column.show(row) : value(column, row) ?? "–";
    return h(column.lead ? "th" : "td", { scope: column.lead && "row", data: { title: column.title ?? "" },
      class: [column.class || (column.right && "right"), column.wide && "wide", shown === "–" && "none"]
        .filter(Boolean).join(" ") || null }, typeof shown === "string" && !column.lead ? minus(shown) : shown);
  };
  function fill() {
    columns.forEach((column, i) => {
      if (sorted?.key === column.key) head[i].setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else head[i].removeAttribute("aria-sort");
    });
    const column = columns.find((one) => one.key === sorted?.key);
    if (all === null) return;
    const list = column ? all.map((row) => [value(column, row), row]).sort((a, b) => {
      const found = order(a[0], b[0]);
      return found.missing || (sorted.down ? -found.order : found.order);
    }).map((pair) => pair[1]) : all;
    replace(body, list.slice(0, most).map((row) => {
      const tr = h("tr", {}, columns.map((one) => cell(one, row)));
      if (options.row) options.row(row, tr);
      return tr;
    }), list.length === 0 && h("tr", {}, h("td", { colspan: String(columns.length), class: "muted empty" },
      options.empty || "Nothing here.")));
    more.hidden = list.length <= most;
    more.textContent = `Show all ${list.length}`;
  }
  more.hidden = true;
  fill();
  // Whoever stands on a control of a row stands on it afterwards.
  box.update = (next) => {
    const held = body.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    all = next;
    fill();
    if (held) body.querySelector(`[aria-label="${CSS.escape(held)}"]`)?.focus();
  };
  return box;
}

// Labelled values: facts([["seed", "1"], …], "facts" or "tiles").
export function facts(pairs, kind = "facts") {
  const list = pairs.filter((pair) => pair[1] !== null && pair[1] !== undefined);
  return h("dl", { class: kind }, list.map(([label, text, title]) => {
    const words = kind === "tiles" && typeof text === "string" ? whole(minus(text)) : text;
    const two = [h("dt", {}, label), h("dd", { title }, words)];
    return kind === "tiles" ? h("div", {}, two) : two;
  }));
}

// The head of a page: a title, what stands under it, buttons.
export function head(title, subtitle, ...actions) {
  const some = actions.flat().some(Boolean);
  return h("div", { class: "page-head" },
    h("div", {}, h("h1", {}, title), subtitle && h("p", { class: "subtitle" }, typeof subtitle === "string" ? whole(subtitle) : subtitle)),
    some && h("div", { class: "actions" }, actions));
}

export const link = (href, text, kind = "button") => h("a", { class: kind, href }, text);

export const button = (text, onclick, attributes = {}) => h("button", { type: "button", class: "button", onclick,
  ...attributes }, text);

// Said to who cannot see it happen.
export function say(text) {
  document.getElementById("live").textContent = text;
}

// Asks in a dialog of the page; resolves to whether it was confirmed.
export function confirm(question, yes) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "ask", onclose: () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    } }, h("p", {}, question), h("div", { class: "actions" },
      button("Cancel", () => dialog.close("no")),
      button(yes, () => dialog.close("yes"), { class: "button danger", autofocus: true })));
    document.body.append(dialog);
    dialog.showModal();
  });
}
