// Charts that the server drew, put into the page: only shapes and words, without scripts, without
// links, without style sheets. theme.css has the classes they use.

const SHAPES = new Set([
  "svg",
  "g",
  "path",
  "rect",
  "circle",
  "ellipse",
  "line",
  "polyline",
  "polygon",
  "text",
  "tspan",
  "title",
  "desc",
  "defs",
  "clipPath",
  "linearGradient",
  "stop",
  "marker",
]);
const SVG = "http://www.w3.org/2000/svg";

function copy(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || node.namespaceURI !== SVG || !SHAPES.has(node.localName)) return null;
  const made = document.createElementNS(SVG, node.localName);
  for (const { name, value } of node.attributes) {
    if (/^on|href|^style$|^xmlns/i.test(name) || /url\((?!#)/i.test(value)) continue;
    made.setAttribute(name, value);
  }
  for (const child of node.childNodes) {
    const part = copy(child);
    if (part) made.append(part);
  }
  return made;
}

const NARROW = matchMedia("(max-width: 480px)"), WIDE = matchMedia("(min-width: 1100px)");
const redraws = new WeakMap(); // a figure → what draws it for another screen

// What a screen has room for: a telephone "slim", a page that gives a chart all of its width (`alone`) "wide".
const roomFor = (alone) => (NARROW.matches ? "slim" : alone && WIDE.matches ? "wide" : "");

// Draws a figure again when the screen becomes one of another kind: a telephone that is turned, a window made wider.
function follows(made, now, load, { caption, alone } = {}) {
  redraws.set(made, async () => {
    const next = roomFor(alone);
    if (next === now) return;
    now = next;
    made.dataset.drawing = "";
    const text = await Promise.resolve(load(next)).catch(() => null);
    if (next !== now) return;
    if (text) made.replaceChildren(...figure(text, caption).childNodes);
    delete made.dataset.drawing;
  });
  return made;
}
for (const screen of [NARROW, WIDE]) {
  screen.addEventListener("change", () => document.querySelectorAll(".figure").forEach((one) => redraws.get(one)?.()));
}

// A chart as the server draws it for this screen: load(room) → the promise of an SVG's text.
export async function drawn(load, options = {}) {
  const room = roomFor(options.alone);
  return follows(figure(await load(room), options.caption), room, load, options);
}

// What the address of a chart ends with for a room.
export const forRoom = (room, ...more) => {
  const words = [room && `${room}=yes`, ...more].filter(Boolean);
  return words.length > 0 ? `?${words.join("&")}` : "";
};

// The chart of a study.
export function chartOf({ plot, plot_slim: slim }) {
  const load = (room) => (room === "slim" && slim ? slim : plot), room = roomFor();
  return plot && follows(figure(load(room)), room, load);
}

// The text of an SVG file → a figure that scrolls in itself where it does not fit.
export function figure(text, caption) {
  // A style sheet would be refused, and said so in the console, before it could be left out.
  const bare = text.replace(/<style>[^]*?<\/style>/g, "");
  const parsed = new DOMParser().parseFromString(bare, "image/svg+xml");
  const svg = parsed.documentElement.localName === "svg" ? copy(parsed.documentElement) : null;
  const made = document.createElement("figure");
  made.className = "figure";
  if (!svg) {
    made.textContent = "This chart could not be read.";
    return made;
  }
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", caption || svg.querySelector("title")?.textContent || "chart");
  box.style.setProperty("--natural", `${parseFloat(svg.getAttribute("width")) || 0}px`);
  box.append(svg);
  made.append(box);
  if (caption) {
    const words = document.createElement("figcaption");
    words.textContent = caption;
    made.append(words);
  }
  return made;
}
