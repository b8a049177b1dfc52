// Every page of tandem, for the test of their layout and for pictures of them: files that commands write, pages of
// tandem serve.
//
// Owns which pages these are, and what is wrong with a page's layout: words that something cuts off or that
// stand beside the screen.
import path from "node:path";
import { folder, tandem } from "./browser.mjs";

const TRACE = "tests/data/nsys/h100_2gpu_1s.sqlite.gz";
const SNAPSHOT = "tests/data/torch/snapshot.json";
const METRICS = "tests/data/prometheus/sglang_llama8b_overloaded.prom", PROFILED = "tests/data/ncu/copy_blocked.csv";
const TORCH = "tests/data/kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";

// Words of charts that lie on each other, and those that are too small. Runs in the page.
export function crowded() {
  const wrong = new Set();
  for (const svg of document.querySelectorAll(".figure .scroll > svg")) {
    if (!svg.checkVisibility()) continue;
    const part = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, room = svg.parentNode;
    if (innerWidth >= 1400 && room.scrollWidth > room.clientWidth + 1) wrong.add(`a chart of ${room.scrollWidth} has ${room.clientWidth}`);
    const words = [...svg.querySelectorAll("text")].filter((word) => word.textContent.trim())
      .map((word) => [word.textContent, word.getBoundingClientRect(), part * parseFloat(getComputedStyle(word).fontSize)]);
    for (const [text, , size] of words) if (size < 9.3) wrong.add(`${size.toFixed(1)} px: ${text.slice(0, 30)}`);
    for (const [i, [text, a]] of words.entries()) {
      for (const [other, b] of words.slice(i + 1)) {
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > 2 && height > 5) wrong.add(`${text.slice(0, 30)} lies on ${other.slice(0, 30)}`);
      }
    }
  }
  return [...wrong];
}

// Heads of a table that nothing tells apart, and long names that begin a row like the row before and are cut there.
// Runs in the page.
export function alike() {
  const wrong = [];
  for (const box of document.querySelectorAll(".table")) {
    const heads = [...box.querySelectorAll("thead th")].map((head) => head.textContent);
    const told = (one) => box.matches("[data-few]") || one.trim(); // those of buttons need none
    for (const head of new Set(heads.filter((one, i) => told(one) && (!one.trim() || heads.indexOf(one) !== i)))) {
      wrong.push(`${box.getAttribute("aria-label")} has two columns '${head}'`);
    }
    const whole = new Map();
    for (const long of box.querySelectorAll("td details.long, th details.long")) {
      const seen = long.querySelector("summary").textContent, text = long.querySelector("p").textContent;
      if (whole.has(seen) && whole.get(seen) !== text) wrong.push(`two names are seen as ${seen}`);
      whole.set(seen, text);
    }
  }
  return [...new Set(wrong)];
}

// Tables of up to 12 columns, one of them long names, that scroll sideways on a desk's screen, heads broken within a
// word, and what opens a row's place on a line of its own, though there is room behind the name. Runs in the page.
export function sideways() {
  const wrong = [];
  for (const box of document.querySelectorAll(".table")) {
    const room = box.querySelector(".scroll-rows"), heads = [...box.querySelectorAll("thead th")];
    if (!box.checkVisibility() || !room) continue;
    const name = box.getAttribute("aria-label");
    if (heads.length <= 12 && !box.querySelector("tbody td.text") && room.scrollWidth > room.clientWidth + 1) {
      wrong.push(`${name}: ${heads.length} columns of ${room.scrollWidth} have ${room.clientWidth}`);
    }
    for (const head of heads) {
      const lines = head.firstElementChild && /^\S+$/.test(head.textContent.trim())
        && head.firstElementChild.clientHeight / parseFloat(getComputedStyle(head).lineHeight);
      if (lines > 2.4) wrong.push(`${name}: the head ${head.textContent} is broken`);
    }
    for (const place of box.querySelectorAll("details.long:not([open]) + .place")) {
      const under = place.getBoundingClientRect(), last = [...place.previousElementSibling.firstElementChild.getClientRects()].pop();
      const edge = place.parentNode.getBoundingClientRect().right - 16;
      if (last && under.height && under.top > last.bottom - 4 && last.right + under.width + 8 < edge) wrong.push(`${name}: ↗ under ${place.parentNode.textContent.slice(0, 30)}`);
    }
  }
  return wrong;
}

const newest = () => JSON.parse(tandem("runs", "--json", "--limit", "1")).result.rows[0].id;

// Charts that leave much of their room blank, pairs of buttons that save the same, on a telephone sentences beside
// their labels, and, where a row is a card, heads that are broken within a word and numbers that are broken.
// Runs in the page.
export function wasteful() {
  const wrong = [];
  for (const figure of document.querySelectorAll(".figure:has(.scroll > svg)")) {
    const shown = [...figure.querySelectorAll(".scroll")].filter((one) => one.checkVisibility());
    if (!figure.checkVisibility()) continue;
    const name = figure.querySelector("svg title")?.textContent;
    if (shown.length !== 1) wrong.push(`${name} is drawn ${shown.length} times`);
    else if (innerWidth <= 1400 && shown[0].clientWidth < 0.85 * figure.clientWidth) {
      wrong.push(`${name} has ${shown[0].clientWidth} of ${figure.clientWidth}`);
    }
    if (figure.querySelectorAll(".save").length > 1) wrong.push(`${name} is saved by ${figure.querySelectorAll(".save").length}`);
  }
  if (innerWidth > 480) return wrong;
  for (const told of document.querySelectorAll(".facts.told dd")) {
    if (told.checkVisibility() && told.clientWidth < 0.7 * innerWidth) wrong.push(`a sentence has ${told.clientWidth}`);
  }
  for (const cell of document.querySelectorAll(".stacked tbody .right[data-v]")) {
    if (!cell.firstChild || !cell.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(cell);
    const tops = [...range.getClientRects()].map((rect) => rect.top);
    if (Math.max(...tops) - Math.min(...tops) > 8) wrong.push(`${cell.textContent} is broken`);
  }
  const pen = document.createElement("canvas").getContext("2d"), known = new Map();
  for (const cell of document.querySelectorAll(".stacked tbody :is(td, th)[data-title]")) {
    if (!cell.checkVisibility()) continue;
    const style = getComputedStyle(cell, "::before"), room = parseFloat(style.width);
    if (style.content === "none" || !Number.isFinite(room)) continue;
    for (const word of cell.dataset.title.split(/[\s-]+/)) {
      if (!known.has(word)) {
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        known.set(word, pen.measureText(word).width);
      }
      if (known.get(word) > room + 1) wrong.push(`${word} is broken: ${known.get(word).toFixed(0)} in ${room.toFixed(0)}`);
    }
  }
  return [...new Set(wrong)];
}

// What stands askew: values of a card's rows that begin at different places, rows that are indented apart, words that
// a narrow column tears or stacks, numbers whose minus is a hyphen. Runs in the page.
export function askew() {
  const wrong = [];
  for (const row of document.querySelectorAll(".ui .stacked tbody tr")) {
    if (innerWidth > 480 || !row.checkVisibility()) continue;
    const begins = new Map();
    for (const cell of row.querySelectorAll("td[data-title]")) {
      const all = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      let words = all.nextNode();
      while (words && !words.data.trim()) words = all.nextNode();
      if (!words || cell.querySelector("progress") || !cell.checkVisibility() || !cell.dataset.title || cell.querySelector("button, input, .tag")) continue;
      const range = document.createRange();
      range.selectNodeContents(words);
      begins.set(Math.round(range.getBoundingClientRect().left), cell.dataset.title);
    }
    if (begins.size > 1) wrong.push(`values begin at ${[...begins].map((pair) => pair.join(": ")).join(", ")}`);
  }
  for (const row of document.querySelectorAll(".stacked tbody tr")) {
    if (innerWidth > 480 || !row.checkVisibility()) continue;
    const indents = new Set([...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => getComputedStyle(cell).paddingLeft));
    if (indents.size > 1) wrong.push(`a card's rows are indented by ${[...indents].join(" and ")}`);
  }
  for (const cell of document.querySelectorAll("td")) {
    if (!cell.checkVisibility()) continue;
    if (/^-[\d.∞]/.test(cell.textContent) && cell.matches(".right")) wrong.push(`a hyphen for a minus: ${cell.textContent}`);
    if (cell.matches(".text") && cell.clientWidth < 90 && cell.clientHeight > 2 * cell.clientWidth) {
      wrong.push(`words in a column of ${cell.clientWidth} px: ${cell.textContent.slice(0, 40)}`);
    }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    if (!/^\p{L}{3,12}$/u.test(text.data.trim()) || !text.parentElement.checkVisibility()) continue;
    if (text.parentElement.closest("svg, option, textarea, script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) wrong.push(`torn: ${text.data}`);
  }
  return [...new Set(wrong)];
}

// Makes runs and files: { files: [[name, path]], pages: [[name, hash, act?]] }.
export function everything() {
  tandem("run", "llm-one-h100", "--duration", "20s", "--replications", "2", "--spans", "all");
  const llm = newest();
  tandem("run", "failures", "--duration", "60s", "--replications", "2");
  const failures = newest();
  tandem("run", "demo", "--duration", "10s", "--spans", "all");
  const first = newest();
  tandem("run", "demo", "--duration", "10s", "--spans", "all", "--set", "pipeline.compute.tokens=140");
  const second = newest();
  tandem("import", TRACE);
  const nsys = newest();
  for (const id of [first, nsys]) tandem("tag", id, `a-tag-of-one-word-${"that-goes-on-and-on".repeat(6)}`);
  tandem("import", SNAPSHOT);
  const snapshot = newest();
  tandem("import", METRICS);
  const metrics = newest();
  tandem("import", PROFILED);
  const profiled = newest();
  tandem("import", TORCH);
  const torch = newest(), map = path.join(folder, "torch.map.lua");
  tandem("map", torch, "--out", map);
  const files = [];
  const write = (name, ...words) => {
    const file = path.join(folder, `${name}.html`);
    tandem(...words, ...(words.includes("-o") || words.includes("--plot") ? [file] : ["--out", file]));
    files.push([name, file]);
  };
  write("report-simulated", "report", first);
  write("report-nsys", "report", nsys);
  write("report-torch", "report", torch);
  write("report-llm", "report", llm);
  write("report-failures", "report", failures);
  write("report-metrics", "report", metrics);
  write("report-profiled", "report", profiled);
  write("timeline-simulated", "view", first, "-o");
  write("timeline-nsys", "view", nsys, "-o");
  write("timeline-two", "view", nsys, torch, "--align", "first", "-o");
  write("timeline-map", "view", torch, "--map", map, "-o");
  write("diff", "diff", nsys, torch);
  write("score", "score", first, second);
  write("fit", "fit", first);
  write("fit-llm", "fit", llm);
  write("map", "map", torch, "--map", map);
  write("overlay", "overlay", nsys, first);
  write("sweep", "sweep", "demo", "--over", "rps=20:100:5", "--replications", "4", "--no-store", "--plot");
  write("sweep-lines", "sweep", "demo", "--over", "rps=20:100:5", "gpus=1,2", "--replications", "4", "--no-store",
    "--plot");
  write("plan", "plan", "demo", "--load", "50rps:250rps:3", "--slo", "p99=200ms", "--kinds", "H100,L40S", "--plot");
  write("whatif", "whatif", "demo", "--variant", "more: rps=60", "--variant", "twice the link: target.h2d=50GB/s",
    "--replications", "4", "--plot");
  write("whatif-gpus", "whatif", "demo", "--variant", "two: gpus=2", "--replications", "4", "--plot");
  write("plan-best", "plan", "demo", "--find", "best", "--over", "kind=L40S,H100", "gpus=1:2", "--load", "150rps",
    "--slo", "p99=200ms", "--plot");
  write("tornado", "whatif", "demo", "--tornado", "--replications", "4", "--plot");
  write("roofline", "roofline", torch);
  write("ranks", "ranks", nsys);
  write("kernels", "kernels", nsys);
  write("sequences", "sequences", nsys);
  write("flame", "flame", torch);
  write("advice", "advice", torch);
  write("path", "critical-path", nsys);
  write("memory", "memory", torch);
  write("memory-snapshot", "memory", snapshot);
  write("breakdown", "breakdown", nsys);
  write("phases", "phases", nsys);
  write("bandwidth", "bandwidth", nsys);
  write("doc", "doc");
  return { files, pages: [
    ["runs", "#/"], ["run", `#/run/${first}`], ["run-stages", `#/run/${first}?tab=stages`],
    ["run-llm", `#/run/${llm}`], ["run-failures", `#/run/${failures}`],
    ["run-timeline", `#/run/${first}?tab=timeline`], ["run-requests", `#/run/${first}?tab=requests`],
    ["run-analyses", `#/run/${first}?tab=analyses`], ["run-fit", `#/run/${first}?tab=fit`, "#fit-go"],
    ["run-score", `#/run/${first}?tab=score`, "#score-go"], ["run-report", `#/run/${first}?tab=report`],
    ["real", "#/real"], ["trace", `#/real/${nsys}`], ["trace-advice", `#/real/${nsys}?tab=advice`],
    ["trace-kernels", `#/real/${nsys}?tab=kernels`], ["trace-categories", `#/real/${nsys}?tab=categories`],
    ["trace-idle", `#/real/${nsys}?tab=idle`], ["trace-map", `#/real/${torch}?tab=map`],
    ["compare", `#/compare/${first}/${second}`], ["compare-charts", `#/compare/${first}/${second}`, "#tab-charts"],
    ["overlay-page", `#/overlay/${first}/${nsys}`],
    ["build", "#/build?from=demo"], ["plan-page", "#/plan?from=how-many-gpus", "#plan-go"],
    ["plan-one", "#/plan?from=demo", "#plan-go"],
    ["sweep-page", "#/sweep?from=demo", "#sweep-go"], ["whatif-page", "#/whatif?from=demo", "#whatif-go"],
    ["gpus", "#/gpus"], ["jobs", "#/jobs"], ["nowhere", "#/nowhere"],
  ] };
}

// Words of a page that are cut off, or stand beside the screen where nothing scrolls to them. Runs in the page.
export function cutOff() {
  const wrong = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const style = new Map();
  const of = (node) => {
    if (!style.has(node)) style.set(node, getComputedStyle(node));
    return style.get(node);
  };
  const scrolls = (node) => /auto|scroll/.test(of(node).overflowX);
  const told = (node) => /ellipsis/.test(of(node).textOverflow) || of(node).webkitLineClamp !== "none";
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest("script, style, .unseen, .skip, option, svg, [hidden], title, textarea")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1 || rect.height < 1) continue;
      let free = false;
      for (let node = parent; node && node !== document.body && !free; node = node.parentElement) {
        if (told(node) || scrolls(node)) free = true;
        else if (/hidden|clip/.test(of(node).overflowX)) {
          const box = node.getBoundingClientRect();
          if (rect.right > box.right + 1.5 || rect.left < box.left - 1.5) {
            wrong.push(`cut off: ${text.data.trim().slice(0, 50)}`);
            free = true;
          }
        }
        if (of(node).position === "fixed") break;
      }
      if (!free && (rect.right > innerWidth + 1.5 || rect.left < -1.5)) {
        wrong.push(`beside the screen: ${text.data.trim().slice(0, 50)}`);
      }
    }
  }
  // Words of charts within their chart.
  for (const word of document.querySelectorAll("svg text")) {
    if (!word.checkVisibility() || !word.textContent.trim()) continue;
    const box = word.getBoundingClientRect(), room = word.closest("svg:not(svg svg)").getBoundingClientRect();
    if (box.width > 0 && (box.right > room.right + 2 || box.left < room.left - 2)) {
      wrong.push(`out of its chart: ${word.textContent.slice(0, 50)}`);
    }
  }
  return [...new Set(wrong)];
}

// Words whose colour is too near to what is behind them for WCAG's AA: 4.5, of large letters 3. What cannot be used
// and what lies on a picture is left out. Words of charts lie on the last rectangle under them, or on their own rim.
// Runs in the page.
export function faint() {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((one, i) => one * a + under[i] * (1 - a));
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  // What is behind an element's words: [colour, opacity of all that holds them], null on a picture.
  function behind(node) {
    const layers = [];
    let opacity = 1;
    for (; node; node = node.parentElement) {
      const style = getComputedStyle(node);
      if (style.backgroundImage !== "none") return null;
      opacity *= Number(style.opacity);
      const colour = rgba(style.backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const page = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    return [layers.reduceRight((under, colour) => over(colour, under), page), opacity];
  }
  function painted(word, style, paper) {
    if (style.paintOrder.startsWith("stroke") && style.stroke !== "none") return rgba(style.stroke).slice(0, 3);
    const { left, top, width, height } = word.getBoundingClientRect(), x = left + width / 2, y = top + height / 2;
    for (const rect of word.ownerSVGElement.querySelectorAll("rect")) {
      const box = rect.getBoundingClientRect(), { fill, fillOpacity, opacity } = getComputedStyle(rect);
      if (!(rect.compareDocumentPosition(word) & Node.DOCUMENT_POSITION_FOLLOWING) || fill === "none") continue;
      if (box.left > x || box.right < x || box.top > y || box.bottom < y) continue;
      const [r, g, b, a] = rgba(fill);
      paper = over([r, g, b, a * fillOpacity * opacity], paper);
    }
    return paper;
  }
  const wrong = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest("script, style, desc, noscript, .unseen, .skip, option, title, textarea, [hidden], :disabled")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    const found = behind(parent), style = getComputedStyle(parent);
    if (!found) continue;
    const svg = parent.ownerSVGElement, [r, g, b, a] = rgba(svg ? style.fill : style.color), opacity = found[1];
    const paper = svg ? painted(parent, style, found[0]) : found[0];
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const seen = ratio(over([r, g, b, a * opacity], paper), paper);
    if (seen < (large ? 3 : 4.5) - 0.01) wrong.add(`${seen.toFixed(2)} only: ${text.data.trim().slice(0, 40)} (${parent.tagName} ${parent.className})`);
  }
  return [...wrong];
}
