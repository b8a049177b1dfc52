// The answer of an analysis: its chart, its tables with the titles that the command line prints, its notes.
import { get, text } from "./api.js";
import { facts, h, minus, notice, problem, table } from "./dom.js";
import { MISSING, byName } from "./format.js";
import { drawn, forRoom } from "./svg.js";

let described = null;

// Descriptions of all analyses, by name: { title, group, summary, frames }.
export async function analyses() {
  described ||= get("/v1/analyses").then((told) => new Map(told.analyses.map((one) => [one.name, one])));
  try {
    return await described;
  } catch (error) {
    described = null;
    throw error;
  }
}

const words = (name) => name.replace(/_(ns|s|share|bytes)$/, "").replaceAll("_", " ");

// A figure of a run has its unit beside it.
const UNITS = {
  ns: (v) => byName("x_ns", v),
  s: (v) => byName("x_s", v),
  B: (v) => byName("bytes", v),
  "1/s": (v) => `${byName("", v)} /s`,
  1: (v) => byName("", v),
};

// Three digits of an offset between clocks that are far apart would be none.
function offset(value) {
  const size = Math.abs(value), sign = value > 0 ? "+" : "-";
  if (value === 0) return "0 s";
  if (size < 1e3) return `${sign}${size} ns`;
  if (size < 1e6) return `${sign}${(size / 1e3).toFixed(3)} µs`;
  if (size < 1e9) return `${sign}${(size / 1e6).toFixed(6)} ms`;
  return `${sign}${Math.floor(size / 1e9)}.${String(size % 1e9).padStart(9, "0")} s`;
}

const change = (value) => (value === 0 ? "0 %" : `${value > 0 ? "+" : ""}${(100 * value).toFixed(1)} %`);

// Two sides of a comparison that differ by no more than the noise.
const noise = (row) => row.significant === false
  || (typeof row.half === "number" && typeof row.a === "number" && row.a !== row.b && Math.abs(row.b - row.a) <= row.half);

function shown(column, row) {
  const value = row[column.name];
  if (column.words && column.words[value]) return column.words[value];
  if (column.name === "change" && typeof value === "number" && noise(row)) return "within the noise";
  if (column.name === "change_ns" && value > 0) return `+${byName(column.name, value)}`;
  const side = column.name.match(/^([ab])_count$/)?.[1], mean = side && row[`${side}_mean_ns`];
  const often = mean > 0 ? row[`${side}_ns`] / mean : value; // a unit of work: what comes once in several is no 0
  if (side && value < 3 && Math.abs(often - value) > 0.05) return String(Number(often.toPrecision(2)));
  if (column.name === "speedup" && typeof value === "number") return `${byName("", Number(value.toPrecision(3)))}×`;
  if (column.name === "offset_ns" && typeof value === "number") return offset(value);
  if (column.name === "change" && typeof value === "number") return change(value);
  if (/(^|_)difference$/.test(column.name) && typeof value === "number") return change(value);
  if (column.name === "low" && row.difference !== undefined) {
    if (typeof value !== "number") return row.says ?? MISSING;
    return value === row.high ? "exactly" : `${change(value)} … ${change(row.high)}`;
  }
  if (/^(a|b|half|value|real|simulated)$/.test(column.name) && UNITS[row.unit]) return UNITS[row.unit](value);
  // In a score what has no unit is a share.
  if (/^(real|simulated)$/.test(column.name) && "difference" in row && typeof value === "number") return byName("share", value);
  if (/_busy$|^both_busy$|^alike$/.test(column.name)) return byName("share", value);
  return byName(column.name, value);
}

// Names of kernels may be a page long: two lines of them, all of it once it is clicked.
const LONG = 80, HEAD = 20, BEFORE = 8, TOLD = 45;

// Long names that begin alike, by the name: what is in common is cut, so that what tells them apart is seen.
function apart(texts) {
  const long = [...new Set(texts.filter((one) => typeof one === "string" && one.length > LONG))].sort(), seen = new Map();
  const common = (a, b) => {
    let n = 0;
    while (a && b && n < a.length && a[n] === b[n]) n++;
    return n;
  };
  const nearest = (list, i) => Math.max(common(list[i], list[i - 1]), common(list[i], list[i + 1]));
  const groups = new Map();
  for (const [i, one] of long.entries()) {
    const alike = nearest(long, i);
    if (alike <= TOLD) continue;
    const cut = `${one.slice(0, HEAD)}…${one.slice(alike - BEFORE)}`, start = cut.slice(0, TOLD);
    seen.set(one, cut);
    groups.set(start, [...(groups.get(start) || []), one]);
  }
  // What tells a name from its neighbour need not tell it from the others.
  for (const group of groups.values()) {
    for (const [i, one] of group.length > 1 ? group.entries() : []) {
      const at = nearest(group, i), rest = seen.get(one).slice(HEAD + 1);
      if (one.length - rest.length > at + BEFORE) {
        seen.set(one, `${one.slice(0, HEAD)}…${one.slice(at - BEFORE, at + BEFORE)}…${rest}`);
      }
    }
  }
  return seen;
}

function short(words, seen) {
  if (words.length <= LONG) return words;
  const cut = seen.get(words);
  if (!cut) return h("details", { class: "whole", title: words }, h("summary", {}, words));
  const summary = h("summary", {}, cut), box = h("details", { class: "whole", title: words }, summary);
  box.addEventListener("toggle", () => { summary.textContent = box.open ? words : cut; });
  return box;
}

// Rows of one table of an answer; columns without a value in any row are left out.
export function rowsTable(name, rows, frame, caption) {
  const known =
    frame?.columns ||
    [...new Set(rows.flatMap((row) => Object.keys(row)))].map((key) => ({ name: key, title: words(key) }));
  const seen = known.filter((one) => !one.hidden && rows.some((row) => row[one.name] !== undefined));
  const headed = (one) => one.title || words(one.name);
  const alike = (one) => seen.filter((other) => headed(other) === headed(one)).length > 1;
  const isText = (one) => rows.some((row) => typeof row[one.name] === "string");
  // On a narrow screen what a row is about should be seen first.
  const texts = seen.filter(isText), different = (one) => new Set(rows.map((row) => row[one.name])).size;
  // What tells the most rows apart leads: on a telephone it is the head of their cards.
  const lead = texts.reduce((best, one) => (best && different(best) >= different(one) ? best : one), null);
  const columns = [...texts, ...seen.filter((one) => !isText(one))].map((one) => {
    const names = apart(rows.map((row) => row[one.name]));
    const numeric = rows.some((row) => typeof row[one.name] === "number");
    const long = rows.some((row) => typeof row[one.name] === "string" && row[one.name].length > 24);
    return {
      key: one.name,
      title: alike(one) ? one.name.replace(/_ns$/, "").replaceAll("_", " ") : headed(one),
      right: numeric,
      lead: one === lead && !numeric,
      class: numeric ? "right" : long ? "text" : "short",
      show: (row) => short(shown(one, row), names),
    };
  });
  const title = caption ?? frame?.title ?? words(name), parts = parted(columns);
  const made = parts.map((part, i) => table(part, rows,
    { caption: parts.length > 1 ? `${title} (${i + 1} of ${parts.length})` : title, few: 50 }));
  return made.length > 1 ? h("div", { class: "stack" }, made) : made[0];
}

// Columns that a page has no room for side by side become several tables, each with what leads; those whose names
// begin alike (p95 real, p95 simulated) stay together.
const MOST_COLUMNS = 16;

function parted(columns) {
  if (columns.length <= MOST_COLUMNS) return [columns];
  const first = columns.filter((one) => one.lead), rest = columns.filter((one) => !one.lead), groups = [];
  for (const one of rest) {
    const word = one.title.split(" ")[0], last = groups[groups.length - 1];
    if (last && last[0].title.split(" ")[0] === word) last.push(one);
    else groups.push([one]);
  }
  const most = Math.ceil(rest.length / Math.ceil(rest.length / (MOST_COLUMNS - 4))), parts = [[]];
  for (const group of groups) {
    const last = parts[parts.length - 1];
    if (last.length > 0 && last.length + group.length > most + 2) parts.push([...group]);
    else last.push(...group);
  }
  return parts.map((part) => [...first, ...part]);
}

// The JSON of an answer (tandem.analysis/1) → elements.
export function tablesOf(told, description) {
  const parts = told.tables
    .filter((one) => one.rows.length > 0)
    .map((one) => rowsTable(one.name, one.rows, description?.frames[one.name]));
  if (told.cannot.length > 0)
    parts.push(
      notice(
        "info",
        told.cannot.map((line) => h("p", {}, `Cannot answer: ${line}.`)),
      ),
    );
  if (told.basis.length > 0) {
    parts.push(
      h(
        "details",
        { class: "how" },
        h("summary", {}, "How it is counted"),
        h(
          "ul",
          { class: "notes" },
          told.basis.map((line) => h("li", {}, minus(line))),
        ),
      ),
    );
  }
  return parts;
}

// A chart of a run, which stands alone or beside others; null where the run cannot tell.
export async function chart(id, name, alone) {
  try {
    return await drawn((room) => text(`/v1/runs/${id}/plots/${name}.svg${forRoom(room)}`), { alone });
  } catch (error) {
    if (error.status === 422 || error.status === 404) return null;
    throw error;
  }
}

// An analysis of a run: { told, description, picture }; without a picture where the run cannot tell.
export async function asked(id, name, alone) {
  const description = (await analyses()).get(name),
    whole = await get(`/v1/runs/${id}/analyses/${name}`);
  const told = whole.profiles ? whole.profiles[0].answer : whole; // categories answers for several runs
  const picture = description.plots && told.cannot.length === 0 ? await chart(id, name, alone) : null;
  return { told, description, picture };
}

// One analysis of a run, asked now → an element.
export async function answer(id, name) {
  const { told, description, picture } = await asked(id, name, true);
  const plain = told.tables.every((one) => one.rows.length === 0) && told.cannot.length === 0;
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "muted" }, `${description.summary.charAt(0).toUpperCase()}${description.summary.slice(1)}.`),
    picture,
    plain && notice("info", "It found nothing."),
    tablesOf(told, description),
  );
}

// What to change, as cards: the largest gain first.
export async function advice(id) {
  const told = await get(`/v1/runs/${id}/analyses/advice`);
  const rows = told.tables.find((one) => one.name === "findings")?.rows || [];
  const cards = rows.map((row) =>
    h(
      "section",
      { class: "card" },
      h("h2", {}, row.title, row.where ? h("span", { class: "muted" }, ` · ${row.where}`) : null),
      h("p", {}, row.evidence.replace(/[^.?!]$/, "$&.")),
      row.what_to_do && h("p", { class: "then" }, row.what_to_do),
      facts([
        [
          "would gain at most",
          row.gain_share === undefined
            ? null
            : `${byName("x_ns", row.gain_ns)}, ${byName("share", row.gain_share)} of the run`,
        ],
        ["memory", row.gain_bytes === undefined ? null : byName("bytes", row.gain_bytes)],
        ["estimated as", row.how],
        ["source", row.source],
      ]),
    ),
  );
  const rest = told.tables.filter((one) => one.name !== "findings");
  return h(
    "div",
    { class: "stack" },
    cards.length > 0 ? cards : notice("good", "No rule found anything to change."),
    tablesOf({ ...told, tables: rest }, (await analyses()).get("advice")),
  );
}

// All analyses of a run: a list to choose from, the answer beside it.
export async function browser(id) {
  const known = [...(await analyses()).values()].filter((one) => one.group);
  const groups = [...new Set(known.map((one) => one.group))];
  const place = h("div", { class: "stack" });
  const select = h(
    "select",
    { id: "analysis", onchange: () => show(select.value) },
    groups.map((group) =>
      h(
        "optgroup",
        { label: group },
        known
          .filter((one) => one.group === group)
          .map((one) => h("option", { value: one.name }, one.title)),
      ),
    ),
  );
  async function show(name) {
    place.replaceChildren(h("p", { class: "muted" }, "Loading …"));
    const made = await answer(id, name).catch(problem);
    if (select.value === name) place.replaceChildren(made);
  }
  show(select.value);
  return h(
    "div",
    { class: "stack" },
    h("div", { class: "filters" }, h("label", { for: "analysis" }, "Analysis"), select),
    place,
  );
}
