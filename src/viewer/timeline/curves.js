// Curves of counters and of how many are active in a lane, in levels of detail.
//
// A series answers `bins(from, to, count)` with the mean, least and greatest value of each of
// `count` equal parts of a time: { mean, least, most }, NaN where it says nothing.
"use strict";

const Curves = (() => {
  const numbers = (...names) => names.map((name) => [name, "number"]);
  const NODE = [["first", "number"], ["last", "number"], ["least", "real"], ["most", "real"], ["mean", "real"]];

  function empty(count) {
    return { mean: new Float64Array(count).fill(NaN), least: new Float64Array(count).fill(Infinity),
      most: new Float64Array(count).fill(-Infinity) };
  }

  // A step function: `time` and `value` from then on, 0 before.
  class Steps {
    constructor(time, value) {
      this.time = time;
      this.value = value;
      this.area = new Float64Array(time.length + 1); // ∫ until time[i]
      this.top = 0;
      for (let i = 0; i < time.length; i++) {
        this.top = Math.max(this.top, value[i]);
        const next = i + 1 < time.length ? time[i + 1] : time[i];
        this.area[i + 1] = this.area[i] + value[i] * (next - time[i]);
      }
    }

    // The last step at or before a time, or -1.
    before(at) {
      let low = 0, high = this.time.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.time[middle] <= at) low = middle + 1; else high = middle;
      }
      return low - 1;
    }

    at(time) {
      const i = this.before(time);
      return i < 0 ? 0 : this.value[i];
    }

    integral(to) {
      const i = this.before(to);
      return i < 0 ? 0 : this.area[i] + this.value[i] * (to - this.time[i]);
    }

    bins(from, to, count) {
      const out = empty(count), width = (to - from) / count;
      let before = this.integral(from), i = this.before(from);
      for (let k = 0; k < count; k++) {
        const end = from + (k + 1) * width, until = this.integral(end);
        let least = i < 0 ? 0 : this.value[i], most = least, steps = 0;
        while (i + 1 < this.time.length && this.time[i + 1] < end) {
          i++;
          if (++steps > 64) { // many in a bin: their mean is what can be seen
            i = this.before(end - 1e-9);
            break;
          }
          least = Math.min(least, this.value[i]);
          most = Math.max(most, this.value[i]);
        }
        out.mean[k] = (until - before) / width;
        out.least[k] = least;
        out.most[k] = most;
        before = until;
      }
      return out;
    }
  }

  // Bins of equal width from 0 on.
  class Bins {
    constructor(width, columns) {
      this.width = width;
      Object.assign(this, columns);
      this.top = this.most.reduce((a, b) => Math.max(a, b), 0);
      this.sum = new Float64Array(this.rows + 1);
      for (let i = 0; i < this.rows; i++) this.sum[i + 1] = this.sum[i] + this.mean[i];
    }

    at(time) {
      const i = Math.floor(time / this.width);
      return i >= 0 && i < this.rows ? this.mean[i] : 0;
    }

    integral(to) {
      const at = Math.min(Math.max(to / this.width, 0), this.rows), whole = Math.floor(at);
      const part = whole < this.rows ? this.mean[whole] * (at - whole) : 0;
      return (this.sum[whole] + part) * this.width;
    }

    bins(from, to, count) {
      const out = empty(count), width = (to - from) / count;
      for (let k = 0; k < count; k++) {
        const begin = from + k * width, end = begin + width;
        out.mean[k] = (this.integral(end) - this.integral(begin)) / width;
        let i = Math.max(0, Math.floor(begin / this.width));
        const last = Math.min(this.rows - 1, Math.floor(end / this.width));
        for (let steps = 0; i <= last && steps < 64; i++, steps++) {
          out.least[k] = Math.min(out.least[k], this.least[i]);
          out.most[k] = Math.max(out.most[k], this.most[i]);
        }
      }
      return out;
    }
  }

  // Samples: a value holds until the next, the last until the end of the run. Coarser levels where a
  // bin has many.
  class Samples {
    constructor(levels, end) {
      this.levels = levels;
      this.end = end;
      this.top = levels.at(-1).most.reduce((a, b) => Math.max(a, b), -Infinity);
      this.bottom = levels.at(-1).least.reduce((a, b) => Math.min(a, b), Infinity);
    }

    before(level, at) {
      let low = 0, high = level.rows;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (level.first[middle] <= at) low = middle + 1; else high = middle;
      }
      return low - 1;
    }

    at(time) {
      const i = this.before(this.levels[0], time);
      return i < 0 || time > this.end ? NaN : this.levels[0].mean[i];
    }

    bins(from, to, count) {
      const out = empty(count), width = (to - from) / count;
      const inside = (level) => this.before(level, to) - this.before(level, from);
      const level = this.levels.find((one) => inside(one) <= 8 * count) || this.levels.at(-1);
      let i = this.before(level, from);
      for (let k = 0; k < count; k++) {
        const end = from + (k + 1) * width;
        if (end - width > this.end) break;
        let sum = i >= 0 ? level.mean[i] : 0, seen = i >= 0 ? 1 : 0, fresh = false;
        if (i >= 0) out.least[k] = out.most[k] = level.mean[i];
        while (i + 1 < level.rows && level.first[i + 1] < end) {
          i++;
          if (!fresh) {
            sum = seen = 0;
            fresh = true;
          }
          sum += level.mean[i];
          seen++;
          out.least[k] = Math.min(out.least[k], level.least[i]);
          out.most[k] = Math.max(out.most[k], level.most[i]);
        }
        if (seen > 0) out.mean[k] = sum / seen;
      }
      return out;
    }
  }

  async function activity(blocks, spec) {
    if (spec.steps) {
      const columns = await blocks.all(spec.steps, numbers("time", "value"));
      return new Steps(columns.time, columns.value);
    }
    return new Bins(spec.width_ns, await blocks.all(spec.bins,
      [["mean", "real"], ["least", "number"], ["most", "number"]]));
  }

  async function samples(blocks, spec, end) {
    const levels = [];
    if (!spec.coarse) {
      const raw = await blocks.all(spec.blocks, [["first", "number"], ["mean", "real"]]);
      raw.least = raw.most = raw.mean;
      levels.push(raw);
    }
    for (const list of spec.levels) levels.push(await blocks.all(list, NODE));
    return new Samples(levels, end);
  }

  // Few samples that stand in the page's description: { at, value }.
  function inline({ at, value }, end) {
    return new Samples([{ rows: at.length, first: at, mean: value, least: value, most: value }], end);
  }

  // An area with a band from least to greatest, in a box of the screen.
  function draw(pen, series, from, to, box, colour, top) {
    const count = Math.max(1, Math.round(box.width));
    const bins = series.bins(from, to, count), bottom = Math.min(0, series.bottom || 0);
    const scale = box.height / (top - bottom || 1), floor = box.y + box.height;
    const level = (value) => floor - (value - bottom) * scale;
    pen.fillStyle = colour;
    pen.globalAlpha = 0.3;
    pen.beginPath();
    for (let i = 0; i < count; i++) {
      if (bins.most[i] >= bins.least[i] && bins.most[i] > 0) {
        pen.rect(box.x + i, level(bins.most[i]), 1, floor - level(bins.most[i]));
      }
    }
    pen.fill();
    pen.globalAlpha = 0.75;
    pen.beginPath();
    for (let i = 0; i < count; i++) {
      const mean = bins.mean[i];
      if (mean > bottom) pen.rect(box.x + i, level(mean), 1, floor - level(mean));
    }
    pen.fill();
    pen.globalAlpha = 1;
  }

  return { activity, samples, inline, draw };
})();
