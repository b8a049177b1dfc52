// The window of time that is looked at: from … to, nanoseconds on the first run's clock.
//
// Owns the window and its limits. Others move it and are told.
"use strict";

class TimeWindow {
  constructor(from, to) {
    this.first = from;
    this.last = Math.max(to, from + 1);
    this.from = this.first;
    this.to = this.last;
    this.width = 1;
    this.changed = () => {};
  }

  get length() { return this.to - this.from; }
  get nsPerPixel() { return this.length / this.width; }
  x(ns) { return (ns - this.from) / this.length * this.width; }
  time(x) { return this.from + x / this.width * this.length; }

  set(from, to) {
    const all = this.last - this.first;
    let length = Math.min(Math.max(to - from, 10), all * 1.1), begin = from + (to - from - length) / 2;
    begin = Math.min(Math.max(begin, this.first - length * 0.5), this.last - length * 0.5);
    this.from = begin;
    this.to = begin + length;
    this.changed();
  }

  zoom(factor, x) {
    const at = this.time(x), left = (at - this.from) * factor, right = (this.to - at) * factor;
    this.set(at - left, at + right);
  }

  pan(pixels) {
    const by = pixels * this.nsPerPixel;
    this.set(this.from + by, this.to + by);
  }

  fit() { this.set(this.first, this.last); }

  // Around a span, so that it fills a part of the window.
  show(from, to, part = 0.6) {
    const length = Math.max(to - from, 20) / part, middle = (from + to) / 2;
    this.set(middle - length / 2, middle + length / 2);
  }

  // So that a span is inside, at the present zoom where it fits.
  reach(from, to) {
    if (to - from > this.length * 0.9) this.show(from, to);
    else if (from < this.from || to > this.to) {
      const middle = (from + to) / 2;
      this.set(middle - this.length / 2, middle + this.length / 2);
    }
  }
}
