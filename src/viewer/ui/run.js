// One simulated run: its figures, charts, stages, requests, timeline, report, files.
import { download, get, remove } from "./api.js";
import { browser, chart } from "./answer.js";
import { button, confirm, facts, h, head, link, minus, notice, problem, replace, table, tabs } from "./dom.js";
import { count, date, estimate, integer, ns, percent, plural, quantity, range, time, valueOf, whole } from "./format.js";
import { framed } from "./frame.js";
import { timeline } from "./timeline.js";
import { fitTab, scoreTab } from "./mapping.js";

const mean = (one) => one?.mean ?? null;

// { label, format of /trace, ending }
const FILES = [
  ["Chrome trace", "chrome", ".json"],
  ["Perfetto trace", "perfetto", ".pftrace"],
  ["CSV", "csv", ".csv"],
  ["JSON Lines", "jsonl", ".jsonl"],
];

// A menu of what can be downloaded of a run.
export function downloads(run) {
  const trouble = h("div");
  const one = (words, path, name) =>
    button(
      words,
      async (event) => {
        const source = event.currentTarget;
        source.disabled = true;
        replace(trouble);
        await download(path, name).catch((error) => replace(trouble, problem(error)));
        source.disabled = false;
      },
      { class: "button quiet" },
    );
  const base = `/v1/runs/${run.run_id}`;
  return h(
    "details",
    { class: "drop" },
    h("summary", { class: "button" }, "Download"),
    h(
      "div",
      { class: "menu" },
      one(run.kind === "simulated" ? "Result (JSON)" : "Card (JSON)", base, `${run.run_id}-result.json`),
      one("Report (HTML)", `${base}/report`, `${run.run_id}-report.html`),
      run.spans > 0 && one("Timeline (HTML)", `${base}/timeline`, `${run.run_id}-timeline.html`),
      run.spans > 0 &&
        FILES.map(([words, format, ending]) => one(words, `${base}/trace?format=${format}`, run.run_id + ending)),
      trouble,
    ),
  );
}

// What every page of a run can do with it.
export function runActions(run, ...more) {
  return [
    ...more,
    downloads(run),
    button(
      "Remove",
      async () => {
        if (!(await confirm(`Remove run ${run.run_id} (${run.name})? This cannot be undone.`, "Remove"))) return;
        await remove(`/v1/runs/${run.run_id}`);
        location.hash = "#/";
      },
      { class: "button quiet danger" },
    ),
  ];
}

function verdicts(result) {
  return (result.classes || []).flatMap((one) =>
    (one.slo || []).map((slo) => {
      const whose = result.classes.length > 1 ? `${one.name}: ` : "";
      const metric = slo.metric === "met" ? "in time" : slo.metric.replace(/^([a-z]+)_(\w+)$/, (_, what, which) => `${which} ${what.toUpperCase()}`);
      const model = slo.value?.model, open = model && slo.limit >= model.low && !(slo.limit > model.high);
      // Those that are wanted high are shares and rates.
      const kind = { met: "percent", goodput: "rate" }[slo.metric] ?? "time";
      const words = whole(`${whose}${metric} ${estimate(slo.value, kind)}, wanted ${kind === "time" ? "≤" : "≥"} ${
        quantity(slo.limit, kind)}${open ? `; the model leaves it open: ${range(model, kind)}` : ""}`);
      return slo.met === true
        ? notice(open ? "warning" : "good", h("b", {}, "Met. "), words)
        : slo.met === false
          ? notice("error", h("b", {}, "Missed. "), words)
          : notice("warning", h("b", {}, "Undecided. "), words);
    }),
  );
}

// Waiting and service of each stage as parts of all the time of requests.
function stages(result) {
  const total = (one) => (valueOf(mean(one.wait)) || 0) * one.visits + (valueOf(mean(one.service)) || 0) * one.visits;
  const rows = (result.stages || []).map((one) => ({ ...one, total: total(one) }));
  const all = rows.reduce((sum, one) => sum + one.total, 0) || 1;
  const several = new Set(rows.map((one) => one.class)).size > 1;
  return table(
    [
      { key: "name", title: "stage", lead: true },
      several && { key: "class", title: "class" },
      { key: "lane", title: "lane" },
      { key: "visits", title: "visits", right: true, show: (one) => integer(one.visits) },
      {
        key: "wait",
        title: "waiting",
        right: true,
        value: (one) => valueOf(mean(one.wait)),
        show: (one) => estimate(mean(one.wait), "time"),
      },
      {
        key: "service",
        title: "service",
        right: true,
        value: (one) => valueOf(mean(one.service)),
        show: (one) => estimate(mean(one.service), "time"),
      },
      { key: "delayed", title: "had to wait", right: true, show: (one) => percent(one.delayed) },
      {
        key: "total",
        title: "share of the time",
        right: true,
        show: (one) =>
          h(
            "span",
            { class: "split", title: "dark: service, pale: waiting" },
            h("span", {}, percent(one.total / all)),
            h("i", {
              style: {
                "--service": `${(100 * ((valueOf(mean(one.service)) || 0) * one.visits)) / all}%`,
                "--wait": `${(100 * ((valueOf(mean(one.wait)) || 0) * one.visits)) / all}%`,
              },
            }),
          ),
      },
    ].filter(Boolean),
    rows,
    { caption: "Where the time goes" },
  );
}

const resources = (result) =>
  table(
    [
      { key: "name", title: "resource", lead: true },
      { key: "lane", title: "lane" },
      {
        key: "servers",
        title: "servers",
        right: true,
        show: (one) => (typeof one.servers === "number" ? count(one.servers) : "∞"),
      },
      {
        key: "utilization",
        title: "in use",
        right: true,
        value: (one) => valueOf(one.utilization),
        show: (one) =>
          typeof one.servers !== "number" ? `${estimate(one.utilization, "count")} busy` : estimate(one.utilization, "percent"),
      },
      {
        key: "queue",
        title: "queue",
        right: true,
        value: (one) => valueOf(one.queue),
        show: (one) => estimate(one.queue, "count"),
      },
      { key: "max_wait", title: "longest wait", right: true, show: (one) => time(one.max_wait) },
    ],
    result.resources || [],
    { caption: "Resources" },
  );

const LATENCIES = ["mean", "p50", "p90", "p95", "p99", "p999", "max"];

const classes = (result) =>
  table(
    [
      { key: "name", title: "class", lead: true },
      { key: "arrived", title: "arrived", right: true, show: (one) => integer(one.arrived) },
      { key: "completed", title: "completed", right: true, show: (one) => integer(one.completed) },
      ...["dropped", "timed_out", "abandoned", "retried"]
        .filter((key) => (result.classes || []).some((one) => one[key] > 0))
        .map((key) => ({ key, title: key.replace("_", " "), right: true, show: (one) => integer(one[key]) })),
      ...LATENCIES.map((key) => ({
        key,
        title: key === "p999" ? "p99.9" : key,
        right: true,
        value: (one) => valueOf(one.latency?.[key]),
        show: (one) => time(one.latency?.[key]),
      })),
    ],
    result.classes || [],
    { caption: "Requests by class" },
  );

async function overview(run, result) {
  const [glance, list] = await Promise.all([
    get(`/v1/runs/${run.run_id}/glance`),
    get(`/v1/runs/${run.run_id}/plots`),
  ]);
  const charts = await Promise.all(list.plots.map((one) => chart(run.run_id, one.name)));
  return h(
    "div",
    { class: "stack" },
    verdicts(result),
    facts(
      glance.tiles.map((one) => [one.label, one.text]),
      "tiles",
    ),
    glance.findings.length > 0 &&
      h(
        "ul",
        { class: "findings" },
        glance.findings.map((line) => h("li", {}, minus(line))),
      ),
    glance.open?.length > 0 && table([{ key: "figure", title: "figure", lead: true },
      { key: "luck", title: "luck", right: true, sort: false },
      { key: "model", title: "model, 90 %", right: true, sort: false }], glance.open,
      { caption: "What luck and what step models leave open" }),
    stages(result),
    h("div", { class: "figures" }, charts.filter(Boolean)),
  );
}

const PER_PAGE = 100;

// Requests in the order of arrival, a page at a time; where the spans are kept, with their way.
async function requests(run) {
  let offset = 0;
  const place = h("div", { class: "stack" });
  async function show() {
    const told = await get(`/v1/runs/${run.run_id}/breakdown?limit=${PER_PAGE}&offset=${offset}`);
    const names = [
      ...new Set(
        told.requests.flatMap((one) => (one.stages || []).filter((s) => s.lane !== "OTHER").map((s) => s.name)),
      ),
    ];
    const sum = (one, name, queue) =>
      (one.stages || [])
        .filter((s) => s.name === name && s.lane !== "OTHER" && (s.lane === "QUEUE") === queue)
        .reduce((t, s) => t + s.dur_ns, 0);
    replace(
      place,
      table(
        [
          { key: "id", title: "request", right: true },
          { key: "class", title: "class" },
          { key: "arrival_ns", title: "arrived", right: true, show: (one) => ns(one.arrival_ns) },
          {
            key: "took",
            title: "took",
            right: true,
            value: (one) => (one.end_ns ? one.end_ns - one.arrival_ns : null),
            show: (one) => (one.end_ns ? ns(one.end_ns - one.arrival_ns) : "–"),
          },
          {
            key: "waited",
            title: "waited",
            right: true,
            value: (one) => names.reduce((t, name) => t + sum(one, name, true), 0),
            show: (one) => ns(names.reduce((t, name) => t + sum(one, name, true), 0)),
          },
          ...names.map((name) => ({
            key: `stage ${name}`,
            title: name,
            right: true,
            value: (one) => sum(one, name, false),
            show: (one) => ns(sum(one, name, false)),
          })),
          { key: "outcome", title: "outcome" },
        ],
        told.requests,
        {
          empty: run.spans
            ? "No further requests."
            : "Requests are kept with the spans: run it again with spans kept.",
        },
      ),
      h(
        "div",
        { class: "actions" },
        button("Earlier", () => go(-PER_PAGE), { disabled: offset === 0 }),
        button("Later", () => go(PER_PAGE), { disabled: told.requests.length < PER_PAGE }),
        told.requests.length > 0 &&
          h("span", { class: "muted" }, `${offset + 1} to ${offset + told.requests.length}${
            run.result?.replications > 1 ? " of the first replication, its warm-up included" : ""}`),
      ),
    );
  }
  const go = (step) => {
    offset = Math.max(0, offset + step);
    show().catch((error) => replace(place, problem(error)));
  };
  await show();
  return place;
}

// The tab that is shown is part of the address.
export function tabAddress(params) {
  return [
    params.query.get("tab"),
    (id) => {
      const path = location.hash.slice(1).split("?")[0];
      history.replaceState(null, "", `#${path}?tab=${id}`);
    },
  ];
}

export async function run(root, params) {
  const told = await get(`/v1/runs/${params.id}`);
  if (told.kind === "measured") {
    location.replace(`#/real/${told.run_id}`);
    return;
  }
  const result = told.result || {},
    path = `/v1/runs/${told.run_id}`;
  const words = [
    "simulated",
    told.run_id,
    date(told.created_utc_ns),
    plural(result.requests || 0, "request"),
    result.replications && `${plural(result.replications, "replication")} of ${time(result.duration_s)}${
      result.warmup_s > 0 ? ` after ${time(result.warmup_s)} of warm-up` : ""}`,
    `seed ${told.seed}`,
  ];
  const kept = told.spans > 0;
  const [chosen, changed] = tabAddress(params);
  const missing = () =>
    notice(
      "info",
      "The spans of this run were not kept. ",
      h("a", { href: `#/build?from=${told.run_id}` }, "Run it again"),
      " with spans kept to see its timeline.",
    );
  replace(
    root,
    head(
      told.name,
      words.filter(Boolean).join(" · "),
      runActions(told, link(`#/build?from=${told.run_id}`, "Change and run again", "button primary")),
    ),
    told.note && h("p", {}, told.note),
    told.state !== "complete" && notice("warning", `This run is ${told.state}.`),
    tabs(
      [
        { id: "overview", title: "Overview", show: () => overview(told, result) },
        {
          id: "stages",
          title: "Breakdown",
          show: () => h("div", { class: "stack" }, stages(result), resources(result), classes(result)),
        },
        {
          id: "timeline",
          title: "Timeline",
          show: () => (kept ? timeline(told) : missing()),
        },
        { id: "requests", title: "Requests", show: () => requests(told) },
        { id: "analyses", title: "Analyses", show: () => (kept ? browser(told.run_id) : missing()) },
        { id: "fit", title: "Fit", show: () => (kept ? fitTab(told) : missing()) },
        { id: "score", title: "Score", show: () => (kept ? scoreTab(told) : missing()) },
        { id: "report", title: "Report", show: () => framed(`${path}/report`, "Report") },
      ],
      chosen,
      changed,
    ),
  );
}
