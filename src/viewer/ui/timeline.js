// A run's timeline, with a panel for SQL over it: rows that have a time become a track, and open their place.
import "./rows.js";
import { text } from "./api.js";
import { byName, count, plural } from "./format.js";
import { button, h, notice, problem, replace, table } from "./dom.js";
import { framed } from "./frame.js";

const { MOST_SPANS, spansQuery, rolesOf, tracksOf, placeOf } = globalThis.AnsweredRows;

// Whole numbers beyond 2^53 stay texts: moments since 1970 are such.
const EXACT = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
const exact = (json) => JSON.parse(json.replace(EXACT, (found) => (found[0] === '"' ? found : `"${found}"`)));

const beginning = ({ run_id: id, kind }) => `SELECT name, start_ns, dur_ns FROM span
WHERE run = run('${id}')${kind === "measured" ? " AND category = 'kernel'" : ""}
ORDER BY dur_ns DESC LIMIT 100`;

// { node, put } of the panel: `put` asks a query; `tell` sends to the timeline.
function panel(run, tell) {
  const area = h("textarea", { id: "sql", rows: "4", spellcheck: "false", "aria-label": "SQL" }), said = h("div");
  area.value = beginning(run);
  const show = (row, is) => tell({ clock: placeOf(row, is) });
  async function ask() {
    go.disabled = true;
    replace(said, h("p", { class: "muted" }, "Asking …"));
    try {
      const told = exact(await text("/v1/sql", null, { query: area.value }));
      const names = told.columns, is = rolesOf(names, told.rows);
      const tracks = is ? tracksOf(names, told.rows, is) : [];
      tell({ made: { title: "query", tracks } });
      const columns = names.map((name) => {
        const right = told.rows.some((row) => typeof row[name] === "number") || name === is?.start;
        const long = told.rows.some((row) => typeof row[name] === "string" && row[name].length > 24);
        return { key: name, title: name, right, class: long && !right ? "text" : null, show: (row) => byName(name, typeof row[name] === "string"
          && name === is?.start ? Number(row[name]) : row[name]) };
      });
      if (tracks.length > 0) {
        columns.unshift({ key: "go", title: "", sort: false, show: (row) => (row[is.start] === null ? ""
          : button("↗", () => show(row, is), { class: "button small", "aria-label": "Show it in the timeline" })) });
      }
      replace(said, h("p", { class: "muted" }, tracks.length > 0
        ? `${plural(told.rows.length, "row")}; those with a time are the lane "query"${
          told.rows.length > MOST_SPANS ? `, the first ${count(MOST_SPANS)} of them` : ""}.`
        : `${plural(told.rows.length, "row")}. Rows with start_ns and dur_ns become a track.`),
      table(columns, told.rows, { few: 20, caption: "Rows" }));
    } catch (error) {
      replace(said, problem(error));
    }
    go.disabled = false;
  }
  const go = button("Ask", ask, { class: "button primary", id: "sql-go" });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
  });
  const node = h("details", { class: "card sql" }, h("summary", {}, "SQL"), h("div", { class: "stack" },
    h("p", { class: "muted" }, "Nothing can be changed. Tables: span, edge, counter, track, request, class, metric, …; times are "
      + "nanoseconds. Ctrl Enter asks."), area, h("div", { class: "actions" }, go), said));
  const put = (query) => {
    if (!query) return;
    node.open = true;
    area.value = query;
    node.scrollIntoView({ block: "start" });
    ask();
  };
  return { node, put };
}

export function timeline(run) {
  const frame = framed(`/v1/runs/${run.run_id}/timeline`, "Timeline", [run.run_id]);
  // Of this run, whatever the frame says.
  const queryOf = (spans) => (Array.isArray(spans?.runs) && spans.runs.length === 1
    ? spansQuery({ category: spans.category, runs: [{ ...spans.runs[0], run: `run('${run.run_id}')` }] }) : null);
  // The page's own panel asks its own data; here the whole store answers.
  const asking = panel(run, frame.tell);
  const listen = ({ source, data }) => {
    if (!frame.isConnected) window.removeEventListener("message", listen);
    else if (!frame.isFrom(source)) return;
    else if (data?.timeline === "ready") frame.tell({ sql: "around" });
    else if (data?.timeline === "spans") asking.put(queryOf(data.spans));
  };
  window.addEventListener("message", listen);
  return h("div", { class: "stack" }, asking.node, frame);
}
