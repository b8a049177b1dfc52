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

const isNarrow = () => window.innerWidth <= 480;

// What the address of a chart ends with, so that a telephone gets one of its width, and a page that gives it all of
// its own (`alone`) one as wide.
export const forScreen = (alone) => (isNarrow() ? "?slim=yes" : alone && window.innerWidth >= 1100 ? "?wide=yes" : "");

// The chart of a study.
export const chartOf = ({ plot, plot_slim: slim }) => (plot && figure(isNarrow() && slim ? slim : plot, null));

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
