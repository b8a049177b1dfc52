// The picture: spans as pixels, words and curves over them.
//
// A row is drawn from its coarsest nodes down. A node narrower than a pixel or so is drawn as what
// share of its pixel is busy, in the colour of the name with most time; a wider one by what is under
// it. So the cost is one of pixels, not of spans. Where a part has not been unpacked yet its node
// stands for it, until it comes; where spans of a thinned run are missing it stands under those that are
// there, so that no time looks idle that is not. Owns the pixels and the labels of one picture.
"use strict";

const Paint = (() => {
  const THIN = 1.5, LABEL = 34, LABELS_MOST = 600;

  class Paint {
    constructor(canvas, colours) {
      this.canvas = canvas;
      this.pen = canvas.getContext("2d", { alpha: false });
      this.colours = colours;
      this.clip = 0; // nothing of a row is drawn above it
      this.chosen = null; // names that stand out: a Set of ids by run, or null
    }

    resize(width, height, ratio) {
      this.ratio = ratio;
      this.width = Math.max(1, Math.round(width * ratio));
      this.height = Math.max(1, Math.round(height * ratio));
      this.canvas.width = this.width;
      this.canvas.height = this.height;
      this.image = this.pen.createImageData(this.width, this.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.cover = new Float32Array(this.width);
      this.best = new Float32Array(this.width);
      this.shade = new Int16Array(this.width);
    }

    begin(from, to) {
      this.from = from;
      this.scale = this.width / (to - from);
      this.pixels.fill(this.colours.paperPixel);
      this.labels = [];
      this.drawn = 0;
      this.coarse = 0;
      this.partly = false; // under a node that has not all of its spans
    }

    // Spans of a row between y and y + height (pixels of the screen).
    row(run, row, y, height) {
      const top = Math.max(Math.round(this.clip * this.ratio), Math.round(y * this.ratio));
      const bottom = Math.min(this.height, Math.round((y + height) * this.ratio));
      if (bottom <= top) return;
      this.top = top;
      this.bottom = bottom;
      this.run = run;
      this.shift = run.shift;
      this.shades = this.colours.shadesOf(run);
      this.standing = this.chosen && (this.chosen.get(run) || new Set());
      this.thinFrom = this.width;
      this.thinTo = -1;
      const level = run.topLevel(row), first = run.levelFirst[level];
      this.range(row, level, first[row], first[row + 1]);
      this.blit();
    }

    // Nodes (or spans) first … last − 1 of a level.
    range(row, level, first, last) {
      const from = this.from - this.shift, to = from + this.width / this.scale;
      const CHUNK = Run.CHUNK;
      for (let n = first; n < last;) {
        const part = this.run.part(level, n), stop = Math.min(last, n - n % CHUNK + CHUNK);
        if (!part) {
          n = stop;
          continue;
        }
        let i = n % CHUNK;
        const end = i + stop - n;
        const begin = part.start;
        if (begin[i] < from) i = this.skip(part, level, i, end, from);
        for (; i < end && begin[i] < to; i++) this.one(row, level, part, i, n - n % CHUNK + i);
        if (i < end) return;
        n = stop;
      }
    }

    // The first that ends after `from`.
    skip(part, level, low, high, from) {
      while (low < high) {
        const middle = (low + high) >> 1;
        const end = level === 0 ? part.start[middle] + part.length[middle] : part.end[middle];
        if (end < from) low = middle + 1; else high = middle;
      }
      return low;
    }

    one(row, level, part, i, number) {
      const start = part.start[i], length = level === 0 ? part.length[i] : part.end[i] - start;
      const x0 = (start + this.shift - this.from) * this.scale, wide = length * this.scale;
      if (wide < THIN) {
        if (level > 0 || !this.partly) this.thin(x0 + wide / 2, (level === 0 ? length : part.busy[i]) * this.scale, part.name[i]);
      } else if (level === 0) {
        this.wide(x0, wide, part.name[i], number);
      } else {
        const under = this.run.under(row, level, number, part), here = this.run.has(under);
        if (!here) this.coarse++;
        if (!here || !under.whole) this.block(x0, wide, part.busy[i] / length, part.name[i]);
        if (!here) return;
        this.partly = !under.whole;
        this.range(row, under.level, under.first, under.last);
        this.partly = false;
      }
    }

    thin(x, busy, name) {
      const at = Math.floor(x);
      if (at < 0 || at >= this.width) return;
      this.drawn++;
      if (this.thinTo < 0) {
        this.cover.fill(0);
        this.best.fill(-1);
      }
      if (at < this.thinFrom) this.thinFrom = at;
      if (at > this.thinTo) this.thinTo = at;
      this.cover[at] += Math.max(busy, 0.02);
      if (busy > this.best[at]) {
        this.best[at] = busy;
        this.shade[at] = this.pick(name);
      }
    }

    // The number of a shade; negative: faded.
    pick(name) {
      const shade = this.shades[name];
      return this.standing && !this.standing.has(name) ? -1 - shade : shade;
    }

    pixelOf(shade) {
      return shade < 0 ? this.colours.dim[-1 - shade] : this.colours.pixels[shade];
    }

    fill(from, to, pixel) {
      for (let y = this.top; y < this.bottom - (this.bottom - this.top > 5 ? 1 : 0); y++) {
        this.pixels.fill(pixel, y * this.width + from, y * this.width + to);
      }
    }

    wide(x0, wide, name, number) {
      const from = Math.max(0, Math.round(x0)), to = Math.min(this.width, Math.max(Math.round(x0 + wide), from + 1));
      if (to <= from) return;
      this.drawn++;
      const shade = this.pick(name);
      this.fill(from, to - (to - from > 4 ? 1 : 0), this.pixelOf(shade));
      if (to - from > LABEL * this.ratio && this.bottom - this.top > 10 * this.ratio
        && this.labels.length < LABELS_MOST) {
        this.labels.push(from, to, this.top, this.bottom, shade, number, this.run);
      }
    }

    // What is still coming, or not here.
    block(x0, wide, busy, name) {
      const from = Math.max(0, Math.floor(x0)), to = Math.min(this.width, Math.ceil(x0 + wide));
      const pixel = this.pixelOf(this.pick(name));
      this.fill(from, to, Colours.blend(this.colours.paperPixel, pixel, 0.12 + 0.63 * Math.min(1, busy)));
    }

    blit() {
      for (let x = this.thinFrom; x <= this.thinTo; x++) {
        if (this.best[x] < 0) continue;
        const part = Math.min(1, 0.22 + 0.78 * this.cover[x]);
        const pixel = Colours.blend(this.colours.paperPixel, this.pixelOf(this.shade[x]), part);
        const last = this.bottom - (this.bottom - this.top > 5 ? 1 : 0);
        for (let y = this.top; y < last; y++) this.pixels[y * this.width + x] = pixel;
      }
    }

    // The area of a curve with a band from least to greatest, in a box of the screen, as Curves.draw has it: a path of
    // a thousand rectangles takes longer than all spans. Only where a level ends within a pixel is mixed.
    curve(series, from, to, box, colour, top) {
      const count = Math.max(1, Math.round(box.width)), { ratio, pixels, width } = this;
      const bins = series.bins(from, to, count), bottom = Math.min(0, series.bottom || 0);
      const scale = box.height / (top - bottom || 1) * ratio, floor = Math.round((box.y + box.height) * ratio);
      const first = Math.max(0, Math.round(this.clip * ratio)), end = Math.min(this.height, floor);
      const { paperPixel } = this.colours, band = Colours.blend(paperPixel, colour, 0.3);
      const column = (x, high, above, pixel) => {
        const exact = floor - high * scale, y = Math.ceil(exact);
        for (let k = Math.max(first, y); k < end; k++) pixels[k * width + x] = pixel;
        if (y - 1 >= first && y - 1 < end && y > exact) {
          pixels[(y - 1) * width + x] = Colours.blend(above, pixel, y - exact);
        }
      };
      for (let i = 0; i < count; i++) {
        const mean = bins.mean[i], most = bins.most[i], has = most >= bins.least[i] && most > 0;
        const x0 = Math.round((box.x + i) * ratio), x1 = Math.min(width, Math.round((box.x + i + 1) * ratio));
        for (let x = x0; x < x1; x++) {
          if (has) column(x, most - bottom, paperPixel, band);
          if (mean > bottom) {
            const under = has && most >= mean ? band : paperPixel;
            column(x, mean - bottom, under, Colours.blend(has ? band : paperPixel, colour, 0.75));
          }
        }
      }
    }

    // Puts the pixels down; from here on the pen draws over them in pixels of the screen.
    commit() {
      this.pen.setTransform(1, 0, 0, 1, 0, 0);
      this.pen.putImageData(this.image, 0, 0);
      this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      this.words();
    }

    words() {
      const pen = this.pen, ratio = this.ratio, l = this.labels;
      pen.font = "11px system-ui, sans-serif";
      pen.textBaseline = "middle";
      pen.textAlign = "left";
      for (let i = 0; i < l.length; i += 7) {
        const span = l[i + 6].spanNow(l[i + 5]);
        if (!span) continue;
        const x = l[i] / ratio, room = (l[i + 1] - l[i]) / ratio - 7;
        const text = Paint.fit(pen, span.name, room, l[i + 6].differsAt(span.nameId));
        if (!text) continue;
        const shade = l[i + 4];
        pen.fillStyle = shade < 0 ? this.colours.muted : this.colours.darkWords[shade] ? "#11151a" : "#ffffff";
        pen.fillText(text, x + 3, (l[i + 2] + l[i + 3]) / 2 / ratio);
      }
    }
  }

  const widths = new Map();
  // A text within a room: cut at its end, or, where its beginning tells it from nothing (`differs`: the first
  // character that does), in its middle, before that character.
  Paint.fit = (pen, text, room, differs = 0) => {
    if (room < 12) return "";
    const each = widths.get(pen.font) || pen.measureText("abcdefghijklmnopqrstuvwxyz").width / 26;
    widths.set(pen.font, each);
    const most = Math.floor(room / each);
    if (text.length <= most) return text;
    if (most < 3) return "";
    if (differs < most - 1 || most < 6) return `${text.slice(0, most - 1)}…`;
    const head = Math.max(1, Math.floor((most - 1) / 3)), rest = most - 1 - head;
    const from = Math.max(head, Math.min(differs - 1, text.length - rest));
    const end = text.slice(from, from + rest);
    return `${text.slice(0, head)}…${from + rest < text.length ? `${end.slice(0, -1)}…` : end}`;
  };
  return Paint;
})();
