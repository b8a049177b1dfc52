// A flame graph on a canvas. A frame is an index into columns in preorder, so that its children are
// found by the sizes of subtrees; frames under half a pixel are neither laid out nor drawn, so that a
// picture costs what can be seen of it, however many frames there are.
"use strict";
(() => {
  const ROW = 20;
  const LEAST = 4; // characters that are words of a frame
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("flame-data").textContent);
  const box = byId("flame");
  const view = byId("flame-view");
  const canvas = byId("flame-canvas");
  const room = byId("flame-room");
  const pen = canvas.getContext("2d");
  if (!pen) return;
  box.hidden = false;

  // ---- trees ----

  // Totals and sizes of subtrees from preorder depths. "was" is the other run's weight.
  function finish(tree) {
    const count = tree.depth.length;
    tree.total = Float64Array.from(tree.self);
    tree.wasTotal = tree.was ? Float64Array.from(tree.was) : null;
    tree.size = new Uint32Array(count).fill(1);
    tree.parent = new Int32Array(count).fill(-1);
    const path = [];
    tree.deepest = 0;
    for (let i = 0; i < count; i++) {
      path[tree.depth[i]] = i;
      if (i > 0) tree.parent[i] = path[tree.depth[i] - 1];
      tree.deepest = Math.max(tree.deepest, tree.depth[i]);
    }
    for (let i = count - 1; i > 0; i--) {
      const parent = tree.parent[i];
      tree.total[parent] += tree.total[i];
      tree.size[parent] += tree.size[i];
      if (tree.was) tree.wasTotal[parent] += tree.wasTotal[i];
    }
    return tree;
  }
  const isStructure = (kind) => data.colors[kind] === 0;

  // The same weights from the leaves: under each function its callers.
  function inverted(tree) {
    const root = { children: new Map(), name: tree.name[0], kind: tree.kind[0], self: 0, was: 0,
      count: 0, sum: 0, wasSum: 0 };
    const keys = data.kinds.length;
    for (let i = 1; i < tree.depth.length; i++) {
      const was = tree.was ? tree.was[i] : 0;
      if (tree.self[i] <= 0 && was <= 0) continue;
      let node = root;
      let last = null;
      for (let at = i; at > 0; at = tree.parent[at]) {
        if (isStructure(tree.kind[at]) && at !== i) continue;
        const key = tree.name[at] * keys + tree.kind[at];
        last = node.children.get(key);
        if (!last) {
          last = { children: new Map(), name: tree.name[at], kind: tree.kind[at], self: 0, was: 0,
            count: 0, sum: 0, wasSum: 0 };
          node.children.set(key, last);
        }
        last.sum += tree.self[i];
        last.wasSum += was;
        if (node === root) last.count += tree.count[i];
        node = last;
      }
      node.self += tree.self[i];
      node.was += was;
    }
    const out = { name: [], kind: [], depth: [], self: [], count: [], was: tree.was ? [] : null };
    const stack = [[root, 0]];
    while (stack.length > 0) {
      const [node, depth] = stack.pop();
      out.name.push(node.name);
      out.kind.push(node.kind);
      out.depth.push(depth);
      out.self.push(node.self);
      out.count.push(node.count);
      if (out.was) out.was.push(node.was);
      const children = [...node.children.values()];
      children.sort((p, q) => Math.max(p.sum, p.wasSum) - Math.max(q.sum, q.wasSum));
      for (const child of children) stack.push([child, depth + 1]);
    }
    return finish(out);
  }

  const whole = finish({ name: data.name, kind: data.kind, depth: data.depth, self: data.self,
    count: data.count, was: data.was || null });
  let fromLeaves = null;

  // ---- state ----

  let tree = whole;
  let zoom = 0;        // the frame that is as wide as the view
  let cursor = 0;      // the frame of the keyboard
  let hovered = -1;
  let matches = null;  // by name: whether it is looked for
  let useOther = false;
  let useShares = false;
  let drawn = [];      // { frame, x, width } of every row, for the mouse
  let pending = false;

  const widths = () => (useOther ? tree.wasTotal : tree.total);

  // ---- words ----

  const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const integer = new Intl.NumberFormat("en-US");
  function weightWords(value) {
    if (data.unit !== "ns") return integer.format(value) + (value === 1 ? " sample" : " samples");
    const size = Math.abs(value);
    const [unit, name] = UNITS.find(([least]) => size >= least) || UNITS[3];
    const scaled = value / unit;
    const digits = unit === 1 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(scaled) || 1)));
    return scaled.toFixed(Math.min(digits, 2)) + " " + name;
  }
  function shareWords(part, all) {
    return all > 0 ? (100 * part / all).toFixed(part / all < 0.1 ? 2 : 1) + " %" : "–";
  }
  function selfOf(frame) {
    return tree.self[frame];
  }
  function wordsOf(frame) {
    const lines = [];
    lines.push(weightWords(tree.total[frame]) + (frame === 0 ? "" : " · " + shareWords(tree.total[frame],
      tree.total[0]) + " of all") + (zoom > 0 && frame !== zoom
      ? " · " + shareWords(tree.total[frame], tree.total[zoom]) + " of the zoomed frame" : ""));
    if (tree === whole && selfOf(frame) > 0) lines.push("own " + weightWords(selfOf(frame)));
    if (tree.count[frame] > 0) {
      lines.push(integer.format(tree.count[frame]) + " times, mean "
        + weightWords(tree.total[frame] / tree.count[frame]));
    }
    if (tree.was) {
      const was = tree.wasTotal[frame];
      const now = tree.total[frame];
      let text = "was " + weightWords(was) + " (" + shareWords(was, tree.wasTotal[0]) + ")";
      if (was > 0 && now > 0) text += ", × " + (now / was).toFixed(2);
      else text += was > 0 ? ", gone" : ", new";
      lines.push(text);
    }
    if (frame !== 0) lines.push(data.kinds[tree.kind[frame]]);
    return lines;
  }
  function write(target, frame) {
    target.textContent = "";
    const name = document.createElement("b");
    name.textContent = data.names[tree.name[frame]] || "(no name)";
    target.append(name);
    for (const line of wordsOf(frame)) {
      const span = document.createElement("span");
      span.textContent = (target.id === "flame-info" ? " · " : "") + line;
      target.append(span);
    }
  }

  // ---- colours ----

  let colors = {};
  function readColors() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue("--" + name).trim();
    colors = { ink: value("ink"), muted: value("muted"), grid: value("grid"),
      paper: value("paper"), grown: value("limit"), shrunk: value("shrunk"),
      wash: value("wash"), font: value("font"), series: [] };
    for (let i = 1; i <= 8; i++) colors.series[i] = value("series" + i);
  }
  // Neighbours of one kind differ a little by their names.
  const shades = new Float32Array(data.names.length);
  data.names.forEach((name, i) => {
    let hash = 7;
    for (let k = 0; k < name.length && k < 64; k++) hash = (hash * 31 + name.charCodeAt(k)) >>> 0;
    shades[i] = 0.3 + (hash % 17) / 17 * 0.24;
  });
  function changeOf(frame) {
    let now = tree.total[frame];
    let was = tree.wasTotal[frame];
    if (useShares) {
      now /= tree.total[0] || 1;
      was /= tree.wasTotal[0] || 1;
    }
    const most = Math.max(now, was);
    return most > 0 ? (now - was) / most : 0;
  }
  function fillOf(frame) {
    const kind = tree.kind[frame];
    if (tree.was) {
      const change = changeOf(frame);
      if (Math.abs(change) < 0.02) return [colors.grid, 1];
      return [change > 0 ? colors.grown : colors.shrunk,
        0.12 + 0.46 * Math.pow(Math.abs(change), 0.7)];
    }
    const color = data.colors[kind];
    return color === 0 ? [colors.grid, 1] : [colors.series[color], shades[tree.name[frame]]];
  }

  // ---- drawing ----

  const measured = new Map();
  function fitted(name, width) {
    let full = measured.get(name);
    if (full === undefined) {
      full = pen.measureText(name).width;
      measured.set(name, full);
    }
    if (full <= width) return name;
    // Its middle is left out. What a path ends with (a file, a function) says more than its beginning.
    const part = /\.py\(\d+\)/.test(name) ? 0.25 : 0.6, room = width - pen.measureText("…").width;
    const fit = (most, make) => {
      let low = 0, high = name.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (pen.measureText(make(middle)).width <= most) low = middle; else high = middle - 1;
      }
      return make(low);
    };
    const head = fit(room * part, (n) => name.slice(0, n));
    const text = head + "…" + fit(room - pen.measureText(head).width, (n) => name.slice(name.length - n));
    return text.length > LEAST ? text : "";
  }

  function place(frame, x, width, row) {
    (drawn[row] = drawn[row] || []).push({ frame, x, width });
  }
  function layOut(width) {
    drawn = [];
    const weight = widths();
    for (let at = zoom; at >= 0; at = tree.parent[at]) place(at, 0, width, tree.depth[at]);
    const scale = weight[zoom] > 0 ? width / weight[zoom] : 0;
    const stack = [[zoom, 0]];
    while (stack.length > 0) {
      const [frame, left] = stack.pop();
      const end = frame + tree.size[frame];
      let x = left;
      let thin = -1; // where children begin that are too thin, the lightest being the last
      for (let child = frame + 1; child < end; child += tree.size[child]) {
        const wide = weight[child] * scale;
        if (wide >= 0.5) {
          place(child, x, wide, tree.depth[child]);
          stack.push([child, x]);
          thin = -1;
        } else if (thin < 0) {
          thin = x;
        }
        x += wide;
      }
      if (thin >= 0 && x - thin >= 1) place(-1, thin, x - thin, tree.depth[frame] + 1);
    }
  }

  function drawFrame(one, y) {
    const { frame, x, width } = one;
    if (frame < 0) {
      pen.globalAlpha = 0.55;
      pen.fillStyle = colors.grid;
      pen.fillRect(x, y, width, ROW - 1);
      pen.globalAlpha = 1;
      return;
    }
    const [color, alpha] = fillOf(frame);
    const dimmed = matches && !matches[tree.name[frame]];
    pen.globalAlpha = dimmed ? alpha * 0.3 : matches ? Math.min(1, alpha + 0.3) : alpha;
    pen.fillStyle = color;
    pen.fillRect(x, y, Math.max(width - 0.75, 0.4), ROW - 1);
    pen.globalAlpha = 1;
    if (frame === cursor || frame === hovered) {
      pen.strokeStyle = colors.ink;
      pen.lineWidth = frame === cursor ? 1.5 : 1;
      pen.strokeRect(x + 0.75, y + 0.75, Math.max(width - 2.2, 0.5), ROW - 2.5);
    }
    if (width < 22) return;
    const text = fitted(data.names[tree.name[frame]] || "(no name)", width - 9);
    if (text === "") return;
    pen.globalAlpha = dimmed ? 0.5 : tree.depth[frame] < tree.depth[zoom] ? 0.65 : 1;
    pen.fillStyle = colors.ink;
    pen.fillText(text, x + 5, y + ROW / 2);
    pen.globalAlpha = 1;
  }

  function draw() {
    pending = false;
    const width = view.clientWidth;
    const height = view.clientHeight;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    layOut(width);
    room.style.height = Math.max(0, drawn.length * ROW + 8 - height) + "px";
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px " + colors.font;
    pen.textBaseline = "middle";
    const top = view.scrollTop;
    const from = Math.floor(top / ROW);
    const to = Math.min(drawn.length, Math.ceil((top + height) / ROW));
    for (let row = from; row < to; row++) {
      for (const one of drawn[row] || []) drawFrame(one, row * ROW - top);
    }
  }
  function refresh() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(draw);
  }

  // ---- search ----

  function isFound(query) {
    const pattern = query.match(/^\/(.+)\/?$/);
    if (pattern) {
      try {
        const expression = new RegExp(pattern[1].replace(/\/$/, ""), "i");
        return (name) => expression.test(name);
      } catch { return null; }
    }
    const text = query.toLowerCase();
    return (name) => name.toLowerCase().includes(text);
  }
  function search() {
    const query = byId("flame-search").value.trim();
    const found = byId("flame-found");
    const test = query === "" ? null : isFound(query);
    matches = test ? data.names.map(test) : null;
    found.textContent = query !== "" && !test ? "not a pattern" : "";
    if (matches) {
      const end = zoom + tree.size[zoom];
      let sum = 0;
      for (let i = zoom; i < end;) { // the outermost of frames inside one another
        if (matches[tree.name[i]]) {
          sum += widths()[i];
          i += tree.size[i];
        } else {
          i++;
        }
      }
      found.textContent = "matches " + shareWords(sum, widths()[zoom])
        + (zoom > 0 ? " of this" : "");
    }
    refresh();
  }

  // ---- moving ----

  function zoomTo(frame) {
    zoom = frame;
    cursor = frame;
    write(byId("flame-info"), frame);
    byId("flame-reset").disabled = zoom === 0;
    search();
  }
  function pointAt(frame) {
    cursor = frame;
    write(byId("flame-info"), frame);
    const y = tree.depth[frame] * ROW;
    if (y < view.scrollTop) view.scrollTop = y;
    else if (y + ROW > view.scrollTop + view.clientHeight) {
      view.scrollTop = y + ROW - view.clientHeight;
    }
    refresh();
  }
  function sibling(frame, step) {
    const row = (drawn[tree.depth[frame]] || []).filter((one) => one.frame >= 0);
    const sorted = row.sort((p, q) => p.x - q.x);
    const at = sorted.findIndex((one) => one.frame === frame);
    const next = sorted[at + step];
    return next ? next.frame : frame;
  }
  function firstChild(frame) {
    const below = drawn[tree.depth[frame] + 1] || [];
    let best = null;
    for (const one of below) {
      if (one.frame >= 0 && tree.parent[one.frame] === frame && (!best || one.width > best.width)) best = one;
    }
    return best ? best.frame : frame;
  }
  function under(event) {
    const bounds = view.getBoundingClientRect();
    const row = Math.floor((event.clientY - bounds.top + view.scrollTop) / ROW);
    const x = event.clientX - bounds.left;
    for (const one of drawn[row] || []) {
      if (x >= one.x && x < one.x + one.width) return one.frame;
    }
    return -1;
  }

  view.addEventListener("keydown", (event) => {
    const moves = {
      ArrowDown: () => pointAt(firstChild(cursor)),
      ArrowUp: () => pointAt(cursor === 0 ? 0 : tree.parent[cursor]),
      ArrowLeft: () => pointAt(sibling(cursor, -1)),
      ArrowRight: () => pointAt(sibling(cursor, 1)),
      Home: () => pointAt(zoom),
      Enter: () => zoomTo(cursor),
      " ": () => zoomTo(cursor),
      Escape: () => zoomTo(0),
      Backspace: () => zoomTo(Math.max(0, tree.parent[zoom])),
    };
    const move = !event.ctrlKey && !event.metaKey && !event.altKey && moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea")) return;
    event.preventDefault();
    byId("flame-search").focus();
  });
  view.addEventListener("click", (event) => {
    const frame = under(event);
    if (frame >= 0) zoomTo(frame);
  });
  const tip = byId("flame-tip");
  view.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const frame = under(event);
    if (frame !== hovered) {
      hovered = frame;
      refresh();
    }
    tip.hidden = frame < 0;
    if (frame < 0) return;
    write(tip, frame);
    const bounds = box.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    tip.style.left = Math.max(4, Math.min(x + 14, bounds.width - tip.offsetWidth - 4)) + "px";
    const below = y + 18 + tip.offsetHeight < bounds.height;
    tip.style.top = Math.max(4, below ? y + 18 : y - tip.offsetHeight - 10) + "px";
  });
  view.addEventListener("pointerleave", () => {
    hovered = -1;
    tip.hidden = true;
    refresh();
  });
  view.addEventListener("scroll", refresh);
  byId("flame-search").addEventListener("input", search);
  byId("flame-reset").addEventListener("click", () => zoomTo(0));

  function toggle(id, change) {
    const button = byId(id);
    if (!button) return;
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(pressed));
      change(pressed);
    });
  }
  toggle("flame-leaves", (pressed) => {
    if (pressed && !fromLeaves) fromLeaves = inverted(whole);
    tree = pressed ? fromLeaves : whole;
    view.scrollTop = 0;
    zoomTo(0);
  });
  toggle("flame-other", (pressed) => { useOther = pressed; zoomTo(0); });
  toggle("flame-shares", (pressed) => { useShares = pressed; legend(); refresh(); });

  // ---- legend, theme, size ----

  const GROUPS = { kernel: "kernels", graph: "graphs", stage: "services", memcpy: "copies",
    memset: "memsets", cpu_op: "operators", sample: "sampled frames", frame: "sampled frames",
    python_function: "Python", nvtx: "NVTX ranges", user_annotation: "annotations",
    runtime: "runtime calls", driver: "driver calls", osrt: "operating system", mpi: "MPI",
    nccl: "NCCL" };
  function legend() {
    const target = byId("flame-legend");
    target.textContent = "";
    const add = (color, alpha, text) => {
      const item = document.createElement("span");
      const square = document.createElement("i");
      square.style.background = color;
      square.style.opacity = alpha;
      item.append(square, text);
      target.append(item);
    };
    if (whole.was) {
      const what = useShares ? " share than in " : " than in ";
      add(colors.grown, 0.7, "more" + what + data.other);
      add(colors.shrunk, 0.7, "less");
      add(colors.grid, 1, "within 2 %");
      return;
    }
    const words = new Map();
    data.kinds.forEach((kind, i) => {
      const color = data.colors[i];
      if (color === 0 || !GROUPS[kind]) return;
      const said = words.get(color) || new Set();
      words.set(color, said.add(GROUPS[kind]));
    });
    for (const [color, said] of words) add(colors.series[color], 0.55, [...said].join(", "));
  }
  function repaint() {
    readColors();
    legend();
    refresh();
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(refresh).observe(view);

  // No taller than the picture.
  view.style.maxHeight = (whole.deepest + 1) * ROW + 12 + "px";
  readColors();
  legend();
  zoomTo(0);
  draw();
})();
