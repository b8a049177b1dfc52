// The picture on the page: canvas, ruler and minimap, and when they are drawn anew.
//
// Owns the canvases and the order of drawing; what is where is scene.js's, how it is drawn paint.js's
// and curves.js's, what stands beside it labels.js's. Others add to a picture by `view.over` (functions called with the pen, in order)
// and ask what is under a point by `view.hit`.
"use strict";

const View = (() => {
  const RULER = 26, MINI = 40;
  const byId = (id) => document.getElementById(id);

  class View {
    constructor(scene, time, colours) {
      this.scene = scene;
      this.time = time;
      this.colours = colours;
      this.canvas = byId("tl-canvas");
      this.paint = new Paint(this.canvas, colours);
      this.scroll = byId("tl-scroll");
      this.room = byId("tl-room");
      this.ruler = byId("tl-ruler");
      this.mini = byId("tl-mini");
      this.over = [];
      this.frames = [];
      this.mode = "stacked";
      this.top = null; // where the picture is scrolled to, while it is drawn
      this.labels = new Labels(this);
      time.changed = () => this.soon();
      this.scroll.addEventListener("scroll", () => this.soon(), { passive: true });
      scene.openUpTo(this.scroll.clientHeight);
      this.resize();
    }

    // From here on it is drawn: all that stands beside the picture has its place.
    begin() {
      this.resize();
      this.begun = true;
      new ResizeObserver(() => this.resize()).observe(this.scroll);
      this.soon();
    }

    soon() {
      if (this.pending) return;
      this.pending = requestAnimationFrame(() => {
        this.pending = 0;
        this.draw();
      });
    }

    resize() {
      const ratio = Math.min(window.devicePixelRatio || 1, 2), { clientWidth, clientHeight } = this.scroll;
      if (clientWidth === this.width && clientHeight === this.height && ratio === this.paint.ratio) return;
      this.width = clientWidth;
      this.height = clientHeight;
      this.time.width = this.width;
      this.canvas.style.width = `${this.width}px`;
      this.canvas.style.height = `${this.height}px`;
      this.paint.resize(this.width, this.height, ratio);
      for (const [canvas, height] of [[this.ruler, RULER], [this.mini, MINI]]) {
        canvas.width = Math.max(1, this.width * ratio);
        canvas.height = height * ratio;
        canvas.style.width = `${this.width}px`;
        canvas.style.height = `${height}px`;
        canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
      }
      this.arranged();
      this.draw(); // a resized canvas is empty
    }

    // After the scene has changed.
    arranged() {
      this.room.style.height = `${Math.max(this.scene.height, this.height)}px`;
      // A page around this one gives it no more room than its tracks need.
      const tall = Math.ceil(this.scene.height) + window.innerHeight - this.height;
      if (window.parent !== window && this.height > 0) window.parent.postMessage({ timeline: "tall", tall }, "*");
      this.soon();
    }

    // Height of what stays while the rest scrolls; 0 where that would be most of the picture.
    get stays() {
      const height = this.scene.pinnedHeight;
      return height <= this.height * 0.6 ? height : 0;
    }

    // Where an item stands on the screen.
    yOf(item) { return item.pinned && this.stays > 0 ? item.y : item.y - (this.top ?? this.scroll.scrollTop); }

    // Scrolls so that an item is seen.
    bring(key) {
      const item = this.scene.items.find((one) => one.key === key), { scroll, stays } = this;
      if (!item || (item.pinned && stays > 0)) return;
      if (item.y < scroll.scrollTop + stays) scroll.scrollTop = item.y - stays;
      else if (item.y + item.height > scroll.scrollTop + this.height) {
        scroll.scrollTop = Math.min(item.y - stays, item.y + item.height - this.height);
      }
    }

    // Items that are seen: those that scroll, then those that stay.
    visible() {
      const top = this.scroll.scrollTop, { stays, scene } = this;
      const moving = scene.between(top + stays, top + this.height);
      return stays > 0 ? [...moving.filter((item) => !item.pinned), ...scene.items.slice(0, scene.pinned)] : moving;
    }

    draw() {
      if (!this.begun) return;
      // Asked once: between labels that move, each question would lay the page out anew.
      const begin = performance.now(), top = this.top = this.scroll.scrollTop, items = this.visible();
      this.paint.begin(this.time.from, this.time.to);
      this.scene.runs[0].blocks.forget();
      const pen = this.paint.pen, { stays } = this;
      const within = (item) => {
        this.paint.clip = item.pinned ? 0 : stays;
        return item;
      };
      for (const item of items) this.drawPixels(within(item));
      this.paint.commit();
      pen.save();
      pen.beginPath();
      pen.rect(0, stays, this.width, this.height);
      pen.clip();
      for (const item of items) if (!item.pinned || stays === 0) this.drawItem(pen, item);
      pen.restore();
      if (stays > 0) {
        for (const item of items) if (item.pinned) this.drawItem(pen, item);
        pen.fillStyle = this.colours.inkText;
        pen.fillRect(0, stays - 1, this.width, 1);
      }
      for (const draw of this.over) draw(pen, top, items);
      this.drawRuler();
      this.drawMini();
      this.labels.fill(items);
      this.top = null;
      this.frames.push(performance.now() - begin);
      if (this.frames.length > 1000) this.frames.shift();
      if (this.drew) this.drew();
    }

    drawPixels(item) {
      if (item.kind === "track") this.drawTrack(item);
      else if (item.kind === "lane" && !this.differs(item)) this.drawLane(item, this.yOf(item));
      else if (item.kind === "counter") this.drawCounter(item, this.yOf(item));
    }

    differs(item) { return item.parts.length > 1 && this.mode === "difference"; }

    drawItem(pen, item) {
      const y = this.yOf(item);
      if (item.kind === "lane" && this.differs(item)) Compare.drawDifference(pen, this, item, y);
      this.line(pen, y + item.height, item.kind === "lane");
    }

    drawTrack(item) {
      const { track, run, rowHeight } = item, height = this.height, top = this.yOf(item);
      const shown = item.open ? track.rows : Math.min(track.rows, Math.floor((item.height - 4) / rowHeight));
      for (let k = 0; k < shown; k++) {
        const y = top + 2 + k * rowHeight;
        if (y + rowHeight > 0 && y < height) this.paint.row(run, track.firstRow + k, y, rowHeight);
      }
    }

    line(pen, y, strong) {
      pen.fillStyle = this.colours.gridText;
      pen.globalAlpha = strong ? 1 : 0.55;
      pen.fillRect(0, Math.round(y) - 1, this.width, 1);
      pen.globalAlpha = 1;
    }

    seriesColour(run) { return this.colours.series(run.index === 0 ? 0 : 1); }

    drawLane(item, y) {
      let top = 1;
      for (const { activity } of item.parts) top = Math.max(top, activity.series.top);
      const parts = item.parts.length, stacked = parts > 1 && this.mode === "stacked";
      item.parts.forEach(({ run, activity }, i) => {
        const height = (item.height - 8) / (stacked ? parts : 1);
        const box = { x: 0, y: y + 4 + (stacked ? i * height : 0), width: this.width, height };
        this.paint.curve(activity.series, this.time.from - run.shift, this.time.to - run.shift, box,
          this.colours.seriesPixel(run.index === 0 ? 0 : 1), top);
      });
    }

    drawCounter(item, y) {
      const { run, counter } = item;
      if (!counter.series) return;
      const box = { x: 0, y: y + 4, width: this.width, height: item.height - 8 };
      this.paint.curve(counter.series, this.time.from - run.shift, this.time.to - run.shift, box,
        this.colours.seriesPixel(2), Math.max(counter.series.top, 1e-300));
    }

    drawRuler() {
      const pen = this.ruler.getContext("2d"), step = Format.niceStep(this.time.nsPerPixel * 110);
      pen.fillStyle = `rgb(${this.colours.paper})`;
      pen.fillRect(0, 0, this.width, RULER);
      pen.font = "11px system-ui, sans-serif";
      pen.textBaseline = "middle";
      for (let at = Math.ceil(this.time.from / step) * step; at < this.time.to; at += step) {
        const x = Math.round(this.time.x(at));
        pen.fillStyle = this.colours.gridText;
        pen.fillRect(x, RULER - 7, 1, 7);
        pen.fillStyle = this.colours.muted;
        pen.fillText(Format.moment(at, step), x + 4, RULER / 2 - 1);
      }
    }

    // All of the time in little, kept while it stays the same: the lane with most activity.
    little() {
      const { first, last } = this.time, { width, scene, colours } = this, ratio = this.paint.ratio;
      const key = [first, last, width, ratio, colours.paper, colours.series(0), ...scene.runs.map((run) => run.shift)].join();
      if (this.kept?.key === key) return this.kept.canvas;
      const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
      canvas.width = this.mini.width;
      canvas.height = this.mini.height;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = `rgb(${colours.paper})`;
      pen.fillRect(0, 0, width, MINI);
      for (const run of scene.runs) {
        const busiest = run.activity.find((one) => scene.lanes[one.lane] === "GPU") || run.activity[0];
        if (!busiest) continue;
        const box = { x: 0, y: 3, width, height: MINI - 6 };
        Curves.draw(pen, busiest.series, first - run.shift, last - run.shift, box,
          this.seriesColour(run), busiest.series.top);
      }
      this.kept = { key, canvas };
      return canvas;
    }

    // The window on it.
    drawMini() {
      const pen = this.mini.getContext("2d"), { first, last, from, to } = this.time;
      pen.drawImage(this.little(), 0, 0, this.width, MINI);
      const x = (ns) => (ns - first) / (last - first) * this.width;
      pen.fillStyle = this.colours.inkText;
      pen.globalAlpha = 0.16;
      pen.fillRect(0, 0, x(from), MINI);
      pen.fillRect(x(to), 0, this.width - x(to), MINI);
      pen.globalAlpha = 0.8;
      pen.fillRect(x(from) - 1, 0, 2, MINI);
      pen.fillRect(x(to) - 1, 0, 2, MINI);
      pen.globalAlpha = 1;
    }

    // ---- what is under a point of the canvas

    hit(x, y) {
      const item = this.scene.at(y < this.stays ? y : y + this.scroll.scrollTop);
      if (!item) return null;
      const out = { item, x, y, time: this.time.time(x) };
      if (item.kind !== "track") return out;
      const row = this.scene.rowAt(item, y - this.yOf(item));
      if (row >= 0) Object.assign(out, this.find(item.run, row, out.time));
      return out;
    }

    // The span or node of a row at a time, within two pixels: { run, row, span } or { …, node }.
    find(run, row, time) {
      const slack = 2 * this.time.nsPerPixel, at = time - run.shift;
      let level = run.topLevel(row), first = run.levelFirst[level][row], last = run.levelFirst[level][row + 1];
      const out = { run, row };
      for (;;) {
        const n = this.nearest(run, level, first, last, at, slack);
        if (n < 0) return out;
        const part = run.part(level, n), i = n % Run.CHUNK;
        if (level === 0) return { run, row, span: run.spanOf(part, n) };
        const node = { start: part.start[i], end: part.end[i], busy: part.busy[i],
          name: run.names[part.name[i]], count: part.count[i] };
        if ((node.end - node.start) / this.time.nsPerPixel < 2) return { ...out, node };
        const under = run.under(row, level, n, part);
        if (!run.has(under)) return { ...out, node };
        if (!under.whole) out.node = { ...node, held: under.last - under.first };
        ({ level, first, last } = under);
      }
    }

    nearest(run, level, first, last, at, slack) {
      let best = -1, distance = slack;
      let low = first, high = last;
      const startOf = (n) => { const part = run.part(level, n); return part ? part.start[n % Run.CHUNK] : NaN; };
      while (low < high) {
        const middle = Math.floor((low + high) / 2), start = startOf(middle);
        if (Number.isNaN(start)) return -1;
        if (start <= at) low = middle + 1; else high = middle;
      }
      for (let n = Math.max(first, low - 1); n <= Math.min(last - 1, low); n++) {
        const part = run.part(level, n), i = n % Run.CHUNK;
        if (!part) return -1;
        const end = level === 0 ? part.start[i] + part.length[i] : part.end[i];
        const off = at < part.start[i] ? part.start[i] - at : at > end ? at - end : 0;
        if (off <= distance) {
          distance = off;
          best = n;
        }
      }
      return best;
    }

    // Where a span is drawn, or null when its track is shut away or under what stays.
    boxOf(span) {
      const item = this.scene.items.find((one) => one.track === span.track);
      if (!item) return null;
      const row = span.row - span.track.firstRow;
      const shown = item.open ? row : Math.min(row, Math.floor((item.height - 4) / item.rowHeight) - 1);
      const x = this.time.x(span.start + span.run.shift), y = this.yOf(item) + 2 + shown * item.rowHeight;
      if (!item.pinned && y + item.rowHeight < this.stays) return null;
      return { x, width: Math.max(this.time.x(span.end + span.run.shift) - x, 1), y, height: item.rowHeight - 1 };
    }
  }
  return View;
})();
