// The GPU catalogue: every figure with who says so; links and models beside it.
import { card, h, head, link, replace, table, tabs } from "./dom.js";
import { hourly } from "./fields.js";
import { quantity } from "./format.js";
import { language } from "./model.js";

// As a heading; names of types (bf16) stay as they are.
const capital = (words) => (/^[a-z]+\d/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1));

// A column of numbers, called as the command line calls it; a GPU may have no such number.
const column = (columns, name, value) => ({ key: columns[name].key, title: capital(columns[name].title), right: true,
  value: (gpu) => value(gpu) ?? null, show: (gpu) => quantity(value(gpu), columns[name].kind) });

function gpuTable(gpus, columns, chosen) {
  const plain = (name) => column(columns, name, (gpu) => gpu[columns[name].key]);
  return table([
    { key: "name", title: "GPU", lead: true,
      show: (gpu) => h("div", {}, h("button",
        { type: "button", class: "name-button", onclick: () => chosen(gpu) }, gpu.name)) },
    { key: "architecture", title: "Architecture" },
    { key: "year", title: "Year", right: true, show: (gpu) => String(gpu.year ?? "–") },
    plain("memory"), plain("bandwidth"), plain("flops_bf16"), plain("flops_fp8"), plain("flops_fp32"),
    plain("h2d"), plain("tdp_w"), { ...column(columns, "price", hourly), show: (gpu) => quantity(hourly(gpu), "money") },
    { key: "llm_runs", title: "LLM runs", right: true },
  ], gpus, { caption: "GPUs", sort: { key: "bandwidth", down: true }, empty: "No GPU is called so." });
}

function cited(source) {
  if (!source) return null;
  const twice = source.title?.startsWith(source.publisher);
  return [twice ? null : source.publisher, source.title, source.date].filter(Boolean).join(", ");
}

// One GPU: all its figures, each with where it comes from.
function gpuCard(gpu) {
  return card(gpu.name, h("p", { class: "muted" }, [gpu.vendor, gpu.architecture, gpu.chip, gpu.form_factor, gpu.year,
    gpu.aliases?.length && `also called ${gpu.aliases.join(", ")}`].filter(Boolean).join(" · ")),
  h("div", { class: "table" }, h("div",
    { class: "scroll-rows", tabindex: "0", role: "group", "aria-label": `Figures of ${gpu.name}` },
    h("table", {}, h("thead", {}, h("tr", {}, ["Figure", "Value", "Who says so"].map((one) => h("th",
      { scope: "col", class: one === "Value" && "right" }, h("span", {}, one))))),
      h("tbody", {}, gpu.figures.map((one) => h("tr", {}, h("th", { scope: "row" }, capital(one.title)),
        h("td", { class: "right" }, [one.text, one.note].filter(Boolean).join(" ")),
        h("td", { class: "muted cited" }, cited(one.source) || "derived"))))))),
  gpu.notes?.length ? h("ul", { class: "notes" }, gpu.notes.map((note) => h("li", {}, note))) : null,
  h("div", { class: "actions" }, link(`#/build?gpu=${encodeURIComponent(gpu.name)}`, "Build with it")));
}

export async function catalogue(root) {
  const known = await language();
  const detail = h("div", { class: "gpu-detail", tabindex: "-1" });
  const chosen = (gpu) => {
    replace(detail, gpuCard(gpu));
    detail.scrollIntoView({ block: "nearest" });
    detail.focus({ preventScroll: true });
  };
  const shown = gpuTable(known.gpus, known.gpu_columns, chosen);
  const search = h("input", { type: "search", placeholder: "Search: name, architecture, vendor",
    "aria-label": "Search the GPUs", oninput: () => {
    const words = search.value.toLowerCase().split(/\s+/);
    shown.update(known.gpus.filter((gpu) => words.every((word) => [gpu.name, gpu.vendor, gpu.architecture,
      gpu.form_factor,
      ...(gpu.aliases || [])].join(" ").toLowerCase().includes(word))));
  } });
  const links = table([{ key: "name", title: "Link", lead: true },
    { key: "bandwidth", title: "Usable, one direction", right: true, show: (one) => quantity(one.bandwidth, "speed") },
    { key: "latency_s", title: "Latency", right: true, show: (one) => quantity(one.latency_s, "time") },
    { key: "source", title: "Who says so", value: (one) => cited(one.sources?.bandwidth) || "" }], known.links,
      { caption: "Links" });
  const models = table([{ key: "name", title: "Model", lead: true },
    { key: "layers", title: "Layers", right: true }, { key: "hidden", title: "Hidden size", right: true },
    { key: "experts", title: "Experts", right: true }, { key: "source", title: "Source" }], known.models,
      { caption: "Models" });
  replace(root, head("GPUs",
    "What scenarios know by name. Every figure says where it comes from; a scenario may use figures of its own."),
    tabs([{ id: "gpus", title: `GPUs (${known.gpus.length})`,
      show: () => h("div", { class: "stack" }, h("div", { class: "filters" }, search), shown, detail) },
      { id: "links", title: "Links", show: () => links }, { id: "models", title: "Models", show: () => models }]));
}
