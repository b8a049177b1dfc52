// What the server is working on, and what it worked on: progress, cancel.
import { get, remove } from "./api.js";
import { button, h, head, problem, replace, table } from "./dom.js";
import { percent, time } from "./format.js";

const EVERY_MS = 1000;
const KINDS = {
  run: "simulation",
  scenario: "check of a scenario",
  sql: "query",
  check: "check of a scenario",
  import: "import of a trace",
  plan: "plan",
  sweep: "sweep",
  whatif: "what if",
  map: "map",
  fit: "fit",
  score: "score",
  mcp: "call of an agent",
  overlay: "overlay",
  diff: "comparison",
  page: "page",
  plot: "chart",
  answer: "analysis",
  analysis: "analysis",
  profiler: "analysis",
  trace: "export",
  timeline: "timeline (HDF5)",
  table: "table",
};
// Made while somebody looks at a page: of interest only while they last.
const PASSING = new Set(["page", "plot", "answer", "analysis", "profiler", "table", "diff", "scenario", "check"]);
// Whose result is a run that has a page.
const MAKES = new Set(["run", "import"]);

// It ran, and told what is wrong with what was asked.
const refused = (job) => job.state === "done" && job.well === false;

export async function jobs(root, params) {
  const trouble = h("div"),
    all = h("input", { type: "checkbox", id: "all-jobs", onchange: () => load().catch(() => {}) });
  const cancel = async (job) => {
    replace(trouble);
    await remove(`/v1/jobs/${job.job_id}`).catch((error) => replace(trouble, problem(error)));
    await load();
  };
  const open = async (job) => {
    try {
      const made = await get(job.result);
      location.hash = made.run_id ? `#/run/${made.run_id}` : `#/real/${made.real_trace_id}`;
    } catch (error) {
      replace(trouble, problem(error));
    }
  };
  const list = table(
    [
      {
        key: "kind",
        title: "work",
        lead: true,
        show: (job) => [KINDS[job.kind] || job.kind, job.about && ` · ${job.about}`,
          h("span", { class: "under" }, job.job_id)],
      },
      {
        key: "state",
        title: "state",
        show: (job) => (refused(job) ? h("span", { class: "state failed" }, "refused")
          : h("span", { class: `state ${job.state}` }, job.state, job.why && `: ${job.why}`)),
      },
      {
        key: "progress",
        title: "progress",
        right: true,
        show: (job) =>
          job.result
            ? ""
            : job.progress === undefined
              ? h("progress", { "aria-label": "Progress" })
              : [
                  h("progress", { max: "1", value: job.progress, "aria-label": "Progress" }),
                  " ",
                  percent(job.progress),
                ],
      },
      { key: "seconds", title: "took", right: true, show: (job) => time(job.seconds) },
      {
        key: "do",
        title: "",
        sort: false,
        class: "short",
        show: (job) =>
          job.result
            ? (refused(job) && button("Why", () => open(job), { "aria-label": `Why ${job.job_id} was refused` }))
              || (MAKES.has(job.kind) && job.state === "done" && button("Open", () => open(job)))
            : button("Cancel", () => cancel(job), { "aria-label": `Cancel ${job.job_id}` }),
      },
    ],
    null,
    { empty: "No work is going on, and none is remembered." },
  );

  let seen = "";
  async function load() {
    const told = await get("/v1/jobs");
    const shown = told.jobs.filter((job) => all.checked || !job.result || !PASSING.has(job.kind));
    const now = JSON.stringify(shown);
    if (now === seen) return;
    seen = now;
    list.update(shown);
  }
  replace(
    root,
    head("Jobs", "Simulations, imports and searches run as processes of their own; each can be cancelled."),
    h("div", { class: "filters" }, h("label", {}, all, "pages, charts and answers too")),
    trouble,
    list,
  );
  await load();
  const timer = setInterval(() => {
    if (document.visibilityState === "visible") load().catch(() => {});
  }, EVERY_MS);
  params.leaving(() => clearInterval(timer));
}
