// All runs: filtered, sorted, tagged; two of them compared; removed.
import { get, post, remove } from "./api.js";
import { button, confirm, h, head, link, notice, problem, replace, say, table } from "./dom.js";
import { count, date, plural, time } from "./format.js";

const EVERY_MS = 5000;
// What the server lists at most.
const MOST = 1000;
const TYPED_MS = 200;
const page = (run) => (run.kind === "measured" ? `#/real/${run.run_id}` : `#/run/${run.run_id}`);

// What two chosen runs can be used for.
function pairActions(chosen) {
  const [a, b] = chosen;
  const real = chosen.find((run) => run.kind === "measured"),
    sim = chosen.find((run) => run.kind === "simulated");
  return [
    link(`#/compare/${a.run_id}/${b.run_id}`, "Compare", "button primary"),
    real && sim
      ? link(`#/overlay/${sim.run_id}/${real.run_id}`, "Overlay")
      : real && link(`#/overlay/${b.run_id}/${a.run_id}`, "Overlay"),
  ];
}

function tagsOf(run, changed) {
  const input = h("input", {
    size: "9",
    placeholder: "add a tag",
    "aria-label": `Add a tag to ${run.run_id}`,
    class: "tag-input",
    onkeydown: async (event) => {
      if (event.key !== "Enter" || !input.value.trim()) return;
      event.preventDefault();
      changed(() => post(`/v1/runs/${run.run_id}/tags`, { add: input.value.trim().split(/\s+/) }));
    },
  });
  return h(
    "span",
    { class: "tags" },
    run.tags.map((tag) =>
      h(
        "span",
        { class: "tag" },
        tag,
        h(
          "button",
          {
            type: "button",
            class: "tag-remove",
            "aria-label": `Remove the tag ${tag} from ${run.run_id}`,
            onclick: () => changed(() => post(`/v1/runs/${run.run_id}/tags`, { remove: [tag] })),
          },
          "×",
        ),
      ),
    ),
    input,
  );
}

export async function history(root, params) {
  let runs = [],
    newest = [],
    older = [], // found beyond the newest
    seen = "",
    waiting = 0;
  const chosen = new Map();
  const text = h("input", {
    type: "search",
    placeholder: "name, id or note",
    "aria-label": "Filter by name, id or note",
    oninput: filter,
  });
  const kind = h(
    "select",
    { "aria-label": "Kind", onchange: filter },
    [
      ["", "all kinds"],
      ["simulated", "simulated"],
      ["measured", "measured"],
    ].map(([value, words]) => h("option", { value }, words)),
  );
  const tag = h("select", { "aria-label": "Tag", onchange: filter });
  const number = h("span", { class: "muted" }),
    bar = h("div", { class: "chosen", hidden: true }),
    trouble = h("div");

  const changed = async (work) => {
    try {
      await work();
      replace(trouble);
    } catch (error) {
      replace(trouble, problem(error));
    }
    await load();
  };

  async function drop(list) {
    const many = list.length === 1 ? `run ${list[0].run_id} (${list[0].name})` : plural(list.length, "run");
    if (!(await confirm(`Remove ${many}? This cannot be undone.`, "Remove"))) return;
    await changed(async () => {
      for (const run of list) {
        await remove(`/v1/runs/${run.run_id}`);
        chosen.delete(run.run_id);
      }
      say(`${many} removed`);
    });
  }

  function choose(run, on) {
    if (on) chosen.set(run.run_id, run);
    else chosen.delete(run.run_id);
    showChosen();
  }

  function showChosen() {
    const list = [...chosen.values()];
    bar.hidden = list.length === 0;
    replace(
      bar,
      h("span", {}, `${plural(list.length, "run")} chosen`),
      list.length === 2
        ? pairActions(list)
        : h("span", { class: "muted" }, list.length === 1 ? "one more to compare" : "two can be compared"),
      button("Remove", () => drop(list), { class: "button danger" }),
      button(
        "None",
        () => {
          chosen.clear();
          show();
        },
        { class: "button quiet" },
      ),
    );
  }

  const columns = [
    {
      key: "chosen",
      title: "",
      sort: false,
      show: (run) =>
        h("input", {
          type: "checkbox",
          checked: chosen.has(run.run_id),
          "aria-label": `Choose ${run.run_id}, ${run.name}`,
          onchange: (event) => choose(run, event.target.checked),
        }),
    },
    {
      key: "name",
      title: "name",
      lead: true,
      show: (run) => [
        h("a", { href: page(run) }, run.name),
        h("span", { class: "under" }, run.run_id, run.state !== "complete" && ` · ${run.state}`),
      ],
    },
    { key: "kind", title: "kind", wide: true, show: (run) => h("span", { class: `tag ${run.kind}` }, run.kind) },
    { key: "created_utc_ns", title: "when", class: "short", show: (run) => date(run.created_utc_ns) },
    { key: "p99_s", title: "p99", right: true, show: (run) => time(run.p99_s) },
    { key: "duration_s", title: "length", right: true, show: (run) => time(run.duration_s) },
    { key: "spans", title: "spans", right: true, show: (run) => (run.spans || run.kind === "measured" ? count(run.spans) : "not kept") },
    {
      key: "seed",
      title: "seed",
      right: true,
      wide: true,
      show: (run) => (run.kind === "simulated" ? String(run.seed) : "–"),
    },
    { key: "tags", title: "tags", value: (run) => run.tags.join(" "), show: (run) => tagsOf(run, changed) },
    {
      key: "do",
      title: "",
      sort: false,
      class: "short",
      show: (run) => [
        run.kind === "simulated" && link(`#/build?from=${run.run_id}`, "Again", "button quiet"),
        button("Remove", () => drop([run]), { class: "button quiet danger", "aria-label": `Remove ${run.run_id}` }),
      ],
    },
  ];
  const list = table(columns, null, { sort: { key: "created_utc_ns", down: true }, empty: "No run is like that." });

  function show() {
    const words = text.value.trim().toLowerCase();
    const found = runs.filter(
      (run) =>
        (!kind.value || run.kind === kind.value) &&
        (!tag.value || run.tags.includes(tag.value)) &&
        (!words || `${run.name} ${run.run_id} ${run.note}`.toLowerCase().includes(words)),
    );
    list.update(found);
    const all = newest.length === MOST ? `the newest ${plural(MOST, "run")}` : plural(runs.length, "run");
    if (older.length > 0) number.textContent = `${plural(found.length, "run")} of all`;
    else number.textContent = found.length === runs.length ? all : `${found.length} of ${all}`;
    showChosen();
  }

  // What is here filters at once; of a store with more runs the server is asked for those of that name, kind and tag.
  function filter() {
    show();
    clearTimeout(waiting);
    if (newest.length < MOST) return;
    waiting = setTimeout(async () => {
      const wanted = [["name", text.value.trim()], ["kind", kind.value], ["tag", tag.value]].filter(([, value]) => value);
      const query = new URLSearchParams([...wanted, ["limit", MOST]]), known = new Set(newest.map((run) => run.run_id));
      const told = wanted.length > 0 ? (await get(`/v1/runs?${query}`)).runs : [];
      if (text.value.trim() !== (query.get("name") ?? "")) return; // another is asked for by now
      older = told.filter((run) => !known.has(run.run_id));
      runs = [...newest, ...older];
      show();
    }, TYPED_MS);
  }

  async function load() {
    const told = await get(`/v1/runs?limit=${MOST}`);
    const now = JSON.stringify(told.runs);
    if (now === seen) return;
    seen = now;
    newest = told.runs;
    runs = [...newest, ...older.filter((run) => !newest.some((one) => one.run_id === run.run_id))];
    for (const id of [...chosen.keys()]) if (!runs.some((run) => run.run_id === id)) chosen.delete(id);
    const tags = [...new Set(runs.flatMap((run) => run.tags))].sort(),
      was = tag.value;
    replace(
      tag,
      h("option", { value: "" }, "all tags"),
      tags.map((one) => h("option", { value: one, selected: one === was }, one)),
    );
    tag.hidden = tags.length === 0;
    empty.hidden = runs.length > 0;
    filled.hidden = runs.length === 0;
    show();
  }

  const filled = h("div", { class: "stack", hidden: true }, h("div", { class: "filters" }, text, kind, tag, number), bar, list);
  const empty = h(
    "div",
    { hidden: true },
    notice(
      "info",
      h("p", {}, "No run is kept here yet. "),
      h(
        "p",
        {},
        h("a", { href: "#/build" }, "Build a scenario"),
        " and simulate it, or ",
        h("a", { href: "#/real" }, "upload a real trace"),
        ". What the command line keeps in this store appears here, too.",
      ),
    ),
  );
  replace(
    root,
    head(
      "Runs",
      "Everything that is kept in this store, simulated and measured.",
      link("#/build", "Build a scenario", "button primary"),
      link("#/real", "Upload a trace"),
    ),
    trouble,
    empty,
    filled,
  );
  await load();
  // Runs come from elsewhere too. Nothing is redrawn while somebody types a tag.
  const timer = setInterval(() => {
    const typing = document.activeElement?.matches(".tag-input");
    if (document.visibilityState === "visible" && !typing) load().catch(() => {});
  }, EVERY_MS);
  params.leaving(() => clearInterval(timer));
}
