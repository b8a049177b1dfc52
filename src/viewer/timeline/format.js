// Numbers as people read them. Times are nanoseconds.
"use strict";

const Format = (() => {
  const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const plain = new Intl.NumberFormat("en"), LONG = 1e4; // from there on digits are grouped

  function unitOf(ns) {
    const size = Math.abs(ns);
    return UNITS.find(([, scale]) => size >= scale) || UNITS[3];
  }

  // 12.35 ms; of a length, four digits.
  function length(ns) {
    if (ns === 0) return "0 ns";
    const [unit, scale] = unitOf(ns), value = ns / scale;
    return `${scale === 1 || Math.abs(value) >= LONG ? plain.format(Math.round(value)) : value.toPrecision(4)} ${unit}`;
  }

  // A moment, with as many digits as a step of `step` ns needs.
  function moment(ns, step) {
    const [unit, scale] = ns === 0 ? unitOf(step) : unitOf(Math.max(Math.abs(ns), step));
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9)));
    const value = ns / scale;
    return `${digits === 0 && Math.abs(value) >= LONG ? plain.format(Math.round(value)) : value.toFixed(digits)} ${unit}`;
  }

  // To the nanosecond: 1.234 567 890 s.
  function exact(ns) {
    const whole = Math.round(ns), sign = whole < 0 ? "−" : "", size = Math.abs(whole);
    const tail = String(size % 1e9).padStart(9, "0").replace(/(...)(?=.)/g, "$1 ");
    return `${sign}${plain.format(Math.floor(size / 1e9))}.${tail} s`;
  }

  const count = (n) => plain.format(n);
  const share = (part) => `${(100 * part).toFixed(part < 0.1 ? 2 : 1)} %`;

  function value(n) {
    if (Number.isInteger(n)) return plain.format(n);
    const size = Math.abs(n);
    return size >= 1e6 || (size > 0 && size < 1e-3) ? n.toExponential(3) : String(+n.toPrecision(5));
  }

  // 1, 2 or 5 times a power of ten, at least `least`.
  function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999999);
  }

  return { length, moment, exact, count, share, value, niceStep };
})();
