// Traces of real machines: uploaded (with progress, dropped anywhere on the page), listed; one of them with what
// its GPUs did, where they idled, what to change, its timeline.
import { get, upload } from "./api.js";
import { advice, answer, asked, browser } from "./answer.js";
import { button, card, facts, h, head, link, notice, problem, progress, replace, say, table, tabs } from "./dom.js";
import { byName, bytes, count, date, integer, ns, plural, time } from "./format.js";
import { framed } from "./frame.js";
import { timeline } from "./timeline.js";
import { fitTab, mapTab, scoreTab } from "./mapping.js";
import { runActions, tabAddress } from "./run.js";

const STATES = { queued: "waiting for its turn", running: "importing", done: "done" };

// The form and what becomes of it. done(id) when a trace is here.
function uploader(done, params) {
  const state = h("div", { class: "stack" });
  const files = h("input", {
    type: "file",
    multiple: true,
    id: "files",
    class: "unseen",
    onchange: () => send([...files.files]),
  });
  const name = h("input", { id: "trace-name", placeholder: "as its file is called", maxlength: "200" });
  const zone = h(
    "div",
    { class: "zone" },
    h(
      "p",
      {},
      h("b", {}, "Drop traces here"),
      " or ",
      h("label", { for: "files", class: "button" }, "choose files"),
      files,
    ),
    h(
      "p",
      { class: "muted" },
      "Nsight Systems (.sqlite, .h5; .nsys-rep where nsys is installed), torch profiler, Perfetto, JSON Lines, " +
        "packed or not: the format is found by content. Several files at once are the ranks of one measurement.",
    ),
    h("p", { class: "filters" }, h("label", { for: "trace-name" }, "Name"), name),
  );
  let going = null;

  async function send(list) {
    if (list.length === 0 || going) return;
    const all = list.reduce((sum, file) => sum + file.size, 0),
      what = list.length === 1 ? list[0].name : plural(list.length, "file");
    const bar = progress(what),
      began = performance.now();
    const told = (at) => {
      if (at.state !== "sending") bar.set(at.progress ?? null, STATES[at.state] || at.state);
      else {
        const rate = at.sent / Math.max(0.05, (performance.now() - began) / 1000);
        bar.set(at.progress, `${bytes(at.sent)} of ${bytes(all)}, ${bytes(rate)}/s`);
      }
    };
    going = upload("/v1/realtraces", list, told, name.value.trim() ? { name: name.value.trim() } : {});
    replace(
      state,
      h(
        "div",
        { class: "card" },
        bar.node,
        h(
          "div",
          { class: "actions" },
          button("Cancel", () => going?.cancel()),
        ),
      ),
    );
    try {
      const made = await going.result;
      say(`${made.name} is here`);
      replace(
        state,
        notice(
          "good",
          h("a", { href: `#/real/${made.real_trace_id}` }, made.name),
          ` is here: ${plural(made.rows, "record")}, ${plural(made.spans, "span")}.`,
        ),
      );
      name.value = "";
      done();
    } catch (error) {
      replace(state, error.code === "cancelled" ? notice("info", "The upload was cancelled.") : problem(error));
    }
    going = null;
    files.value = "";
  }

  // Anywhere on the page, so that a file that misses the zone does not replace the page.
  const over = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  };
  const out = (event) => {
    if (!event.relatedTarget) zone.classList.remove("over");
  };
  const drop = (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    send([...event.dataTransfer.files]);
  };
  const listeners = [
    ["dragover", over],
    ["dragleave", out],
    ["drop", drop],
  ];
  for (const [event, f] of listeners) window.addEventListener(event, f);
  params.leaving(() => listeners.forEach(([event, f]) => window.removeEventListener(event, f)));
  return h("div", { class: "stack" }, zone, state);
}

async function list(root, params) {
  const rows = table(
    [
      {
        key: "name",
        title: "name",
        lead: true,
        show: (run) => [
          h("a", { href: `#/real/${run.run_id}` }, run.name),
          h("span", { class: "under" }, run.run_id),
        ],
      },
      { key: "created_utc_ns", title: "imported", class: "short", show: (run) => date(run.created_utc_ns) },
      { key: "duration_s", title: "length", right: true, show: (run) => time(run.duration_s) },
      { key: "spans", title: "spans", right: true, show: (run) => count(run.spans) },
      {
        key: "tags",
        title: "tags",
        value: (run) => run.tags.join(" "),
        show: (run) => run.tags.map((tag) => h("span", { class: "tag" }, tag)),
      },
    ],
    null,
    { sort: { key: "created_utc_ns", down: true }, empty: "No trace has been uploaded or imported yet." },
  );
  const load = async () => rows.update((await get("/v1/realtraces")).runs);
  replace(
    root,
    head(
      "Real traces",
      "What profilers recorded: where the time of GPUs goes, what to change, and how near a " +
        "simulation comes to it.",
    ),
    uploader(() => load().catch(() => {}), params),
    rows,
  );
  await load();
}

// The breakdown first, since it says whether GPUs are the matter at all.
async function overview(run) {
  const [glance, shown, ...answers] = await Promise.all([
    get(`/v1/runs/${run.run_id}/glance`),
    get(`/v1/realtraces/${run.run_id}`),
    ...["breakdown", "utilization"].map((name) => asked(run.run_id, name)),
  ]);
  const some = answers.map((one) => one.picture).filter(Boolean);
  for (const name of ["kernels", "ops", "api"]) {
    const more = some.length === 0 && (await asked(run.run_id, name));
    if (more?.picture) some.push(more.picture);
  }
  const values = shown.facts || [];
  return h(
    "div",
    { class: "stack" },
    facts(
      glance.tiles.map((one) => [one.label, one.text]),
      "tiles",
    ),
    some.length > 0 && h("div", { class: "figures" }, some),
    shown.categories.length > 0 && table(
      [
        { key: "category", title: "kind of record", lead: true },
        { key: "spans", title: "spans", right: true, show: (one) => integer(one.spans) },
        { key: "total_ns", title: "time in all", right: true, show: (one) => ns(one.total_ns) },
      ],
      shown.categories,
      { caption: "What was recorded", sort: { key: "total_ns", down: true } },
    ),
    h(
      "div",
      { class: "columns" },
      card(
        "Files",
        shown.sources.map((one) =>
          facts([
            ["file", one.path.split("/").pop()],
            ["format", `${one.format}, ${one.detail}`],
            ["records", integer(one.rows)],
            ["rank", shown.sources.length > 1 ? String(one.rank) : null],
            ["clock", one.alignment === "none" ? null : `${one.alignment}, moved by ${ns(one.offset_ns)}`],
          ]),
        ),
      ),
      values.length > 0 &&
        h(
          "details",
          { class: "card" },
          h("summary", {}, `What the files say of machine and capture (${values.length})`),
          facts(values.map((one) => [one.key, String(one.value)])),
        ),
    ),
    shown.problems.length > 0
      ? notice(
          "warning",
          h("p", {}, "Dropped or repaired by the reader:"),
          h(
            "ul",
            {},
            shown.problems.map((one) =>
              h(
                "li",
                {},
                [
                  `${integer(one.count)} × ${one.kind}`,
                  ...Object.entries(one)
                    .filter(([key]) => !["source", "count", "kind"].includes(key))
                    .map(([key, value]) => `${key} ${byName(key, value)}`),
                ].join(", "),
              ),
            ),
          ),
        )
      : notice("good", "The reader neither dropped nor repaired a record."),
  );
}

// Simulated runs that this one can be laid over.
async function overlayForm(run) {
  const { runs } = await get("/v1/runs?kind=simulated&limit=1000");
  const usable = runs.filter((one) => one.spans > 0);
  if (usable.length === 0) {
    return notice(
      "info",
      "There is no simulated run with spans to lay it over. ",
      h("a", { href: "#/build" }, "Build a scenario"),
      " and run it with spans kept.",
    );
  }
  const select = h(
    "select",
    { id: "under" },
    usable.map((one) =>
      h("option", { value: one.run_id }, `${one.name} · ${one.run_id} · ${date(one.created_utc_ns)}`),
    ),
  );
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "muted" }, "Both on one clock, lane by lane: when both are busy, when only one is."),
    h(
      "div",
      { class: "filters" },
      h("label", { for: "under" }, "Over"),
      select,
      button(
        "Overlay",
        () => {
          location.hash = `#/overlay/${select.value}/${run.run_id}`;
        },
        { class: "button primary" },
      ),
    ),
  );
}

async function single(root, params) {
  const told = await get(`/v1/runs/${params.id}`);
  if (told.kind !== "measured") {
    location.replace(`#/run/${told.run_id}`);
    return;
  }
  const id = told.run_id,
    [chosen, changed] = tabAddress(params);
  const words = ["measured", id, date(told.created_utc_ns), time(told.duration_s), plural(told.spans, "span")];
  replace(
    root,
    head(told.name, words.join(" · "), runActions(told, link("#/real", "All traces", "button quiet"))),
    told.note && h("p", {}, told.note),
    tabs(
      [
        { id: "overview", title: "Overview", show: () => overview(told) },
        { id: "advice", title: "Advice", show: () => advice(id) },
        { id: "kernels", title: "Kernels", show: () => answer(id, "kernels") },
        { id: "categories", title: "Categories", show: () => answer(id, "categories") },
        {
          id: "idle",
          title: "Idle",
          show: async () =>
            h(
              "div",
              { class: "stack" },
              await Promise.all(["idle", "gaps"].map((name) => answer(id, name).catch(problem))),
            ),
        },
        { id: "timeline", title: "Timeline", show: () => timeline(told) },
        { id: "analyses", title: "Analyses", show: () => browser(id) },
        { id: "map", title: "Map", show: () => mapTab(told) },
        { id: "fit", title: "Fit", show: () => fitTab(told) },
        { id: "score", title: "Score", show: () => scoreTab(told) },
        { id: "overlay", title: "Overlay", show: () => overlayForm(told) },
        { id: "report", title: "Report", show: () => framed(`/v1/runs/${id}/report`, "Report") },
      ],
      chosen,
      changed,
    ),
  );
}

export async function real(root, params) {
  await (params.id ? single(root, params) : list(root, params));
}
