// The GPU catalogue: every figure with who says so; links and models beside it.
import { card, h, head, link, replace, table, tabs } from "./dom.js";
import { percent, quantity } from "./format.js";
import { language } from "./model.js";

const price = (gpu) => gpu.price_per_hour_usd && (gpu.price_per_hour_usd.low + gpu.price_per_hour_usd.high) / 2;
const dollars = (gpu) => (price(gpu) ? `$${price(gpu).toFixed(2)}` : "–");

// A peak rate out of the ones by type; a type a GPU has not is no number.
const rate = (key, title) => ({ key, title, right: true, value: (gpu) => gpu.flops_by_type[key] ?? null,
  show: (gpu) => (gpu.flops_by_type[key] ? quantity(gpu.flops_by_type[key], "flops") : "–") });

function gpuTable(gpus, chosen) {
  return table([
    { key: "name", title: "GPU", lead: true,
      show: (gpu) => h("div", {}, h("button",
        { type: "button", class: "name-button", onclick: () => chosen(gpu) }, gpu.name)) },
    { key: "architecture", title: "Architecture" },
    { key: "year", title: "Year", right: true, show: (gpu) => String(gpu.year ?? "–") },
    { key: "memory_bytes", title: "Memory", right: true, show: (gpu) => quantity(gpu.memory_bytes, "bytes") },
    { key: "bandwidth", title: "Bandwidth", right: true, show: (gpu) => quantity(gpu.bandwidth, "speed") },
    rate("bf16", "bf16"), rate("fp8", "fp8"), rate("fp32", "fp32"),
    { key: "h2d", title: "From the host", right: true, show: (gpu) => quantity(gpu.h2d, "speed") },
    { key: "tdp_w", title: "Power", right: true, show: (gpu) => (gpu.tdp_w ? `${gpu.tdp_w} W` : "–") },
    { key: "price", title: "$/h", right: true, value: (gpu) => price(gpu) ?? null, show: dollars },
  ], gpus, { caption: "GPUs", sort: { key: "bandwidth", down: true }, empty: "No GPU is called so." });
}

function cited(source) {
  if (!source) return null;
  const twice = source.title?.startsWith(source.publisher);
  return [twice ? null : source.publisher, source.title, source.date].filter(Boolean).join(", ");
}

// One GPU: all its figures, each with where it comes from.
function gpuCard(gpu) {
  const said = (key) => cited(gpu.sources?.[key]);
  const rows = [
    ["Memory", quantity(gpu.memory_bytes, "bytes"), said("memory_bytes")],
    ["Memory bandwidth", quantity(gpu.bandwidth, "speed"), said("bandwidth")],
    ...Object.entries(gpu.flops_by_type).map(([kind, flops]) => [`Peak, ${kind}`, quantity(flops, "flops"),
      said("flops")]),
    ["From and to the host", `${quantity(gpu.h2d, "speed")} over ${gpu.link}`, said("h2d")],
    gpu.peer_bandwidth && ["Between GPUs", `${quantity(gpu.peer_bandwidth, "speed")} over ${gpu.peer_link}`,
      said("peer_bandwidth")],
    gpu.tdp_w && ["Power", `${gpu.tdp_w} W`, said("tdp_w")],
    gpu.mfu && ["Share of the peak reached", percent(gpu.mfu.value),
      `measured on ${gpu.mfu.measured_on}; ${said("ms_per_token")}`],
    gpu.price_per_hour_usd && ["Price",
      `$${gpu.price_per_hour_usd.low.toFixed(2)} – $${gpu.price_per_hour_usd.high.toFixed(2)} an hour`,
      cited(gpu.price_per_hour_usd.source)],
  ].filter(Boolean);
  return card(gpu.name, h("p", { class: "muted" }, [gpu.vendor, gpu.architecture, gpu.chip, gpu.form_factor, gpu.year,
    gpu.aliases?.length && `also called ${gpu.aliases.join(", ")}`].filter(Boolean).join(" · ")),
  h("div", { class: "table" }, h("div",
    { class: "scroll-rows", tabindex: "0", role: "group", "aria-label": `Figures of ${gpu.name}` },
    h("table", {}, h("thead", {}, h("tr", {}, ["Figure", "Value", "Who says so"].map((one) => h("th",
      { scope: "col", class: one === "Value" && "right" }, h("span", {}, one))))),
      h("tbody", {}, rows.map(([what, value, source]) => h("tr", {}, h("th", { scope: "row" }, what),
        h("td", { class: "right" }, value),
        h("td", { class: "muted cited" }, source || "derived"))))))),
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
  const shown = gpuTable(known.gpus, chosen);
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
