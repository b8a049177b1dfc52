// Numbers as people read them, with the digits and the words of the command line (lua/tandem/text/format.lua).
// Quantities come in SI: seconds, bytes, fractions. What is missing is a dash.

export const MISSING = "–";

// { the smallest value that is told in the unit, its size, its name }, the largest first.
const UNITS = {
  time: [[3600, 3600, "h"], [1, 1, "s"], [1e-3, 1e-3, "ms"], [1e-6, 1e-6, "µs"], [0, 1e-9, "ns"]],
  rate: [[1e9, 1e9, "G/s"], [1e6, 1e6, "M/s"], [1e4, 1e3, "k/s"], [0, 1, "/s"]],
  bytes: [[2 ** 40, 2 ** 40, "TiB"], [2 ** 30, 2 ** 30, "GiB"], [2 ** 20, 2 ** 20, "MiB"], [2 ** 10, 2 ** 10, "KiB"],
    [0, 1, "B"]],
  speed: [[1e12, 1e12, "TB/s"], [1e9, 1e9, "GB/s"], [1e6, 1e6, "MB/s"], [1e3, 1e3, "kB/s"], [0, 1, "B/s"]],
  flops: [[1e15, 1e15, "PFLOP/s"], [1e12, 1e12, "TFLOP/s"], [1e9, 1e9, "GFLOP/s"], [0, 1, "FLOP/s"]],
  count: [[1e9, 1e9, "G"], [1e6, 1e6, "M"], [0, 1, ""]],
  money: [[0, 1, "$"]],
};

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const missing = (value) => value === null || value === undefined || Number.isNaN(value);
const trim = (text) => (text.includes(".") ? text.replace(/\.0+$/, "") : text);

// An estimate { value, half } or a number → the number.
export const valueOf = (given) => (given !== null && typeof given === "object" ? given.value : given);

// The digits before the decimal point in groups: "1234.5" is "1,234.5".
const grouped = (text) => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

export const integer = (value) => (missing(value) ? MISSING : plain.format(value));

function decimals(scaled, digits) {
  if (scaled === 0 || !Number.isFinite(scaled)) return 0;
  const exponent = Math.floor(Math.log10(Math.abs(Number(scaled.toPrecision(digits)))) + 1e-12);
  return Math.max(0, Math.min(digits - 1 - exponent, 9));
}

export function percent(fraction) {
  const value = valueOf(fraction);
  if (missing(value)) return MISSING;
  if (!Number.isFinite(value)) return "∞";
  const scaled = 100 * value, distance = Math.min(Math.abs(scaled), Math.abs(100 - scaled));
  const digits = distance < 1e-9 || Math.abs(scaled) >= 1000 ? 0
    : distance < 0.1 ? Math.min(4, Math.ceil(-Math.log10(distance))) : 1;
  return `${grouped(trim(scaled.toFixed(digits)))} %`;
}

export function quantity(given, kind, digits = 3) {
  const value = valueOf(given);
  if (missing(value)) return MISSING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (kind === "percent") return percent(value);
  if (kind === "money") return `$${grouped(value.toFixed(2))}`;
  if (kind === "power") return `${quantity(value, "count", digits)} W`;
  if (kind === "count" && Math.abs(value) < 1e9 && Number.isInteger(value)) return integer(value);
  if (kind === "count" && given !== value && Math.abs(value) < 1e-4) return "< 0.0001"; // of an estimate
  const units = UNITS[kind];
  if (value === 0 || (kind === "time" && Math.abs(value) < 0.5e-9)) {
    return kind === "time" ? "0 s" : `0 ${units[units.length - 1][2]}`.trim();
  }
  const size = Math.abs(Number(value.toPrecision(3)));
  const [, scale, unit] = units.find((one) => size >= one[0]) || units[units.length - 1];
  const scaled = value / scale;
  return `${grouped(trim(scaled.toFixed(decimals(scaled, digits))))} ${unit}`.trim();
}

export const time = (value) => quantity(value, "time");
export const ns = (value) => (missing(value) ? MISSING : time(value / 1e9));
export const bytes = (value) => quantity(value, "bytes");
export const rate = (value) => quantity(value, "rate");
export const count = (value) => quantity(value, "count");

// "134 ± 6 ms": an estimate with its interval: one or two figures of that, and the value to the same place.
// "≈ 134 ms": the run was too short for an interval.
export function estimate(given, kind) {
  const value = valueOf(given), half = given !== null && typeof given === "object" ? given.half : null;
  if (!missing(value) && given.needs) return `≈ ${quantity(given, kind)}`.replace(/^≈ </, "<");
  if (missing(value) || missing(half) || half === 0 || half < 1e-6 * Math.abs(value) || !Number.isFinite(value)
    || (kind === "count" && Math.abs(value) < 1e-4 && half < 1e-4)) return quantity(given, kind);
  const units = kind === "percent" ? [[0, 0.01, "%"]] : UNITS[kind];
  const size = Number(Math.max(Math.abs(value), half).toPrecision(3));
  const [, scale, unit] = units.find((one) => size >= one[0]) || units[units.length - 1];
  const scaled = value / scale, width = half / scale;
  const figures = Number(width.toExponential(2).slice(0, 4)) < 3.55 ? 2 : 1;
  const whole = Math.abs(scaled) < 1 ? 1 : Math.floor(Math.log10(Math.abs(scaled)) + 1e-12) + 1;
  const places = Math.min(decimals(width, figures), Math.max(0, 6 - whole));
  const [middle, around] = [scaled, width].map((number) => grouped(number.toFixed(places)));
  return kind === "money" ? `$${middle} ± $${around}` : `${middle} ± ${around} ${unit}`.trim();
}

// A moment in nanoseconds since 1970, in the reader's zone: 2026-11-22 11:33.
export function date(utcNs) {
  if (!utcNs) return MISSING;
  const at = new Date(utcNs / 1e6), two = (n) => String(n).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

// A sentence whose figures keep their units beside them where it is broken into lines.
export const whole = (text) => text.replace(/([≤≥≈]) (?=\d)|(\d) (?=(?:[nµm]?s|h|%|\/s|[KMGT]iB|B|W|spans?|requests?)(?![a-z]))/g,
  (_, sign, digit) => `${sign ?? digit}\u00a0`);

export const plural = (n, word) => `${integer(n)} ${word}${n === 1 ? "" : "s"}`;

// By the name of a column: dur_ns, total_s, bytes, share … → text. What is no number stays.
export function byName(name, value) {
  if (missing(value)) return MISSING;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return typeof value === "object" ? JSON.stringify(value) : String(value);
  if (/_ns$/.test(name)) return ns(value);
  if (/_s$/.test(name)) return time(value);
  if (/_rps$/.test(name)) return quantity(value, "rate");
  if (/bytes_per_s|_bps$/.test(name)) return quantity(value, "speed");
  if (/bytes/.test(name)) return bytes(value);
  if (/share|_part$|fraction|utilization/.test(name)) return percent(value);
  return count(Number.isInteger(value) ? value : Number(value.toPrecision(5)));
}

// What the model leaves open of an estimate: "15.6 ms – 27 ms"; an end where a server does not keep up has no number.
export function range(model, kind) {
  if (missing(model)) return MISSING;
  return missing(model.high) ? `${quantity(model.low, kind)} – without end`
    : `${quantity(model.low, kind)} – ${quantity(model.high, kind)}`;
}
