// Two runs side by side: their figures, what changed and whether it is more than noise, both timelines.
import { get, text } from "./api.js";
import { analyses, tablesOf } from "./answer.js";
import { h, head, link, notice, problem, replace, table, tabs } from "./dom.js";
import { date, estimate, time, valueOf } from "./format.js";
import { framed } from "./frame.js";
import { tabAddress } from "./run.js";
import { drawn, forRoom } from "./svg.js";

const FIGURES = [
  ["throughput", "throughput_rps", "rate"],
  ["goodput", "goodput_rps", "rate"],
  ["in time", "slo_met", "percent"],
  ["in the system", "in_system", "count"],
];
const LATENCIES = ["mean", "p50", "p90", "p95", "p99", "p999"];

// "+42 %", whether it is within the intervals of both, and whether there are enough requests to tell.
function change(a, b) {
  const [x, y] = [valueOf(a), valueOf(b)];
  if (typeof x !== "number" || typeof y !== "number" || x === 0) return "–";
  const noise = Math.hypot(a?.half || 0, b?.half || 0);
  if (x === y) return "same";
  if (Math.abs(y - x) <= noise) return h("span", { class: "muted" }, "within the noise");
  if (a?.needs || b?.needs) return h("span", { class: "muted" }, "too few requests");
  return `${y > x ? "+" : ""}${((100 * (y - x)) / Math.abs(x)).toFixed(1)} %`;
}

function sideBySide(a, b) {
  const rows = [];
  const add = (name, x, y, kind) => {
    if (typeof valueOf(x) === "number" || typeof valueOf(y) === "number") rows.push({ name, x, y, kind });
  };
  for (const [name, key, kind] of FIGURES) add(name, a.result?.[key], b.result?.[key], kind);
  for (const key of LATENCIES)
    add(`${key === "p999" ? "p99.9" : key} latency`, a.result?.latency?.[key], b.result?.latency?.[key], "time");
  for (const one of a.result?.resources || []) {
    const other = (b.result?.resources || []).find((two) => two.name === one.name);
    if (typeof one.servers === "number" && other) add(`${one.name} in use`, one.utilization, other.utilization, "percent");
  }
  if (rows.length === 0) return null;
  const sortable = { sort: false };
  return table(
    [
      { key: "name", title: "", lead: true, ...sortable },
      { key: "x", title: `A · ${a.run_id}`, right: true, show: (row) => estimate(row.x, row.kind), ...sortable },
      { key: "y", title: `B · ${b.run_id}`, right: true, show: (row) => estimate(row.y, row.kind), ...sortable },
      { key: "change", title: "B against A", right: true, show: (row) => change(row.x, row.y), ...sortable },
    ],
    rows,
    { caption: "Figures" },
  );
}

const page = (run) => (run.kind === "measured" ? "#/real/" : "#/run/") + run.run_id;

const side = (letter, run) =>
  h(
    "section",
    { class: "card" },
    h("h2", {}, h("span", { class: "letter" }, letter), " ", h("a", { href: page(run) }, run.name)),
    h(
      "p",
      { class: "muted" },
      [
        run.kind,
        run.run_id,
        date(run.created_utc_ns),
        run.kind === "simulated" ? `seed ${run.seed}` : null,
        time(run.duration_s),
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  );

async function differences(a, b) {
  const told = await get(`/v1/runs/${a.run_id}/compare?with=${b.run_id}`);
  // The figures are above, in words; those of one run alone say nothing here.
  const tables = told.tables.filter((one) => one.name !== "figures" || !a.result || !b.result);
  return h("div", { class: "stack" }, tablesOf({ ...told, tables }, (await analyses()).get("diff")));
}

// Of one run, on axes that hold the figures of the other one too.
async function charts(letter, run, other) {
  if (run.kind !== "simulated") return [];
  const { plots } = await get(`/v1/runs/${run.run_id}/plots`);
  const wanted = plots.filter((one) => ["latency", "resources", "stages", "in_system"].includes(one.name));
  const beside = other.kind === "simulated" && `with=${other.run_id}`;
  return Promise.all(wanted.map((one) => drawn((room) => text(`${one.href}${forRoom(room, beside)}`),
    { caption: `${letter} · ${run.name} · ${run.run_id}` })));
}

export async function compare(root, params) {
  const [a, b] = await Promise.all([get(`/v1/runs/${params.a}`), get(`/v1/runs/${params.b}`)]);
  const real = [a, b].find((run) => run.kind === "measured"),
    sim = [a, b].find((run) => run.kind === "simulated");
  const [chosen, changed] = tabAddress(params),
    kept = a.spans > 0 && b.spans > 0;
  replace(
    root,
    head(
      "Comparison",
      `${a.name} and ${b.name}`,
      link(`#/compare/${b.run_id}/${a.run_id}`, "Swap"),
      kept &&
        link(real && sim ? `#/overlay/${sim.run_id}/${real.run_id}` : `#/overlay/${a.run_id}/${b.run_id}`, "Overlay"),
    ),
    h("div", { class: "columns" }, side("A", a), side("B", b)),
    tabs(
      [
        {
          id: "changes",
          title: "Changes",
          show: async () =>
            h(
              "div",
              { class: "stack" },
              sideBySide(a, b),
              await differences(a, b).catch((error) =>
                error.status === 422 ? notice("info", error.message) : problem(error),
              ),
            ),
        },
        {
          id: "charts",
          title: "Charts",
          show: async () => {
            const [left, right] = await Promise.all([charts("A", a, b), charts("B", b, a)]);
            if (left.length + right.length === 0)
              return notice("info", "Measured runs have their charts on their own pages.");
            return h(
              "div",
              { class: "figures" },
              left.flatMap((one, i) => [one, right[i]]),
              right.slice(left.length),
            );
          },
        },
        {
          id: "timeline",
          title: "Timeline",
          show: () =>
            kept
              ? framed(`/v1/runs/${a.run_id}/timeline?with=${b.run_id}`, "Both timelines",
                  [a.run_id, b.run_id])
              : notice("info", "The spans of one of them were not kept."),
        },
      ],
      chosen,
      changed,
    ),
  );
}
