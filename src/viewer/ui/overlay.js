// A real run laid over a simulated one: the picture of lanes, the tables behind it, both timelines on one clock.
import { get, post, text } from "./api.js";
import { analyses, tablesOf } from "./answer.js";
import { button, h, head, notice, problem, replace, tabs } from "./dom.js";
import { framed } from "./frame.js";
import { tabAddress } from "./run.js";
import { drawn } from "./svg.js";

const VIEWS = [
  ["stacked", "one above the other"],
  ["overlay", "one over the other"],
  ["difference", "where only one is busy"],
];
const BY = [
  ["", "default: lanes"],
  ["lane", "lanes of the whole run"],
  ["device", "lanes of each GPU"],
  ["stream", "streams, threads, stations"],
  ["stage", "stages"],
];
const ALIGN = [
  ["", "arrivals, else first work"],
  ["first", "first work on a common lane"],
  ["arrivals", "arrivals of requests"],
  ["activity", "where lanes are most alike"],
  ["none", "as they are"],
];

const labelled = (id, label, entry) => h("span", { class: "choice" }, h("label", { for: id }, label), entry);

const choice = (id, label, list) =>
  labelled(
    id,
    label,
    h(
      "select",
      { id },
      list.map(([value, words]) => h("option", { value }, words)),
    ),
  );

// The description's columns say real and simulated whatever the runs are; here they say what these are.
function called(description, real, sim) {
  const [over, under] = [real, sim].map((run) => (run.kind === "measured" ? "real" : "simulated"));
  const word = { real: over, simulated: over === under ? "other" : under };
  const frames = Object.entries(description.frames).map(([name, frame]) => [
    name,
    {
      ...frame,
      columns: frame.columns.map((one) => ({
        ...one,
        title: one.title?.replace(/\b(real|simulated)\b/, (found) => word[found]),
      })),
    },
  ]);
  return { ...description, frames: Object.fromEntries(frames) };
}

export async function overlay(root, params) {
  const [sim, real] = await Promise.all([get(`/v1/runs/${params.sim}`), get(`/v1/runs/${params.real}`)]);
  const [chosen, changed] = tabAddress(params);
  const offset = h("input", { id: "ov-offset", size: "8", placeholder: "5ms", "aria-describedby": "ov-help" });
  const form = h(
    "form",
    {
      class: "filters",
      onsubmit: (event) => {
        event.preventDefault();
        show().catch((error) => replace(place, problem(error)));
      },
    },
    choice("ov-view", "Show", VIEWS),
    choice("ov-by", "by", BY),
    choice("ov-align", "clocks by", ALIGN),
    labelled("ov-offset", "or move by", offset),
    button("Show", null, { type: "submit", class: "button primary" }),
  );
  const place = h("div");
  const value = (id) => form.querySelector(`#${id}`).value;

  async function show() {
    const body = { real: real.run_id, sim: sim.run_id, view: value("ov-view") };
    if (value("ov-by")) body.by = value("ov-by");
    if (offset.value.trim()) body.offset = offset.value.trim();
    else if (value("ov-align")) body.align = value("ov-align");
    replace(place, h("p", { class: "muted" }, "Loading …"));
    const [told, chart, known] = await Promise.all([
      post("/v1/overlays", body),
      drawn((room) => text("/v1/overlays", null, { ...body, form: "svg", room: room || undefined }), { alone: true }),
      analyses(),
    ]);
    // The second one is moved, as in the picture.
    const query = new URLSearchParams({ with: sim.run_id });
    for (const name of ["align", "offset"]) if (body[name]) query.set(name, body[name]);
    replace(
      place,
      tabs(
        [
          {
            id: "picture",
            title: "Lanes",
            show: () =>
              h(
                "div",
                { class: "stack" },
                chart,
                tablesOf(
                  { ...told, tables: told.tables.filter((one) => one.name !== "over_time") },
                  called(known.get("overlay"), real, sim),
                ),
              ),
          },
          {
            id: "timeline",
            title: "Timeline",
            show: () => framed(`/v1/runs/${real.run_id}/timeline?${query}`, "Both timelines",
              [real.run_id, sim.run_id]),
          },
        ],
        chosen,
        changed,
      ),
    );
  }

  replace(
    root,
    head("Overlay", [
      h("a", { href: `#/real/${real.run_id}` }, real.name),
      " over ",
      h("a", { href: `#/run/${sim.run_id}` }, sim.name),
    ]),
    real.spans > 0 && sim.spans > 0
      ? form
      : notice("info", "The spans of one of them were not kept: there is nothing to lay over the other."),
    place,
  );
  if (real.spans > 0 && sim.spans > 0) await show().catch((error) => replace(place, problem(error)));
}
