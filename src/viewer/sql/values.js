// SQL's values as SQLite has them, and what is done with them.
//
// null; whole numbers of 64 bits: a number, or a BigInt beyond 2^53; Real; text: a string. Truth is 1 and 0.
// Owns nothing. Called by the files of this room and by those that fill its tables.
"use strict";

class Real {
  constructor(value) { this.value = value; }
}

const SqlValues = (() => {
  const LEAST = -(1n << 63n), MOST = (1n << 63n) - 1n;
  const isWhole = (v) => typeof v === "number" || typeof v === "bigint";
  const double = (v) => (v instanceof Real ? v.value : Number(v));
  const small = (big) => (big >= -9007199254740991n && big <= 9007199254740991n ? Number(big) : big);
  // A whole number, a real where 64 bits do not hold it.
  const whole = (big) => (big < LEAST || big > MOST ? new Real(Number(big)) : small(big));
  // SQLite has no NaN.
  const real = (value) => (Number.isNaN(value) ? null : new Real(value));

  const NUMBER = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*/;

  function parsed(digits) {
    return /^[+-]?\d+$/.test(digits) ? whole(BigInt(digits.replace(/^\+/, ""))) : new Real(Number(digits));
  }

  // What a text begins with, 0 for none: as arithmetic and CAST see it.
  function number(v) {
    if (typeof v !== "string") return v;
    const found = v.match(NUMBER);
    return found ? parsed(found[1]) : 0;
  }

  // A text that is a number whole becomes it; all else stays: numeric affinity.
  function numeric(v) {
    const found = typeof v === "string" && v.match(NUMBER);
    return found && found[0].length === v.length ? parsed(found[1]) : v;
  }

  // To a whole number, towards 0; of a text the digits that it begins with.
  function truncated(v) {
    if (typeof v === "string") {
      const big = BigInt(v.match(/^\s*\+?(-?\d+)/)?.[1] ?? 0);
      return small(big > MOST ? MOST : big < LEAST ? LEAST : big);
    }
    const n = v;
    if (!(n instanceof Real)) return n;
    if (n.value >= 2 ** 63) return MOST;
    return n.value <= -(2 ** 63) ? LEAST : small(BigInt(Math.trunc(n.value)));
  }

  function realText(value) {
    if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
    if (value === 0) return "0.0";
    const [digits, power] = value.toExponential(14).split("e"), exponent = Number(power);
    const short = digits.replace(/0+$/, "").replace(/\.$/, "");
    if (exponent < -4 || exponent >= 15) {
      const size = String(Math.abs(exponent)).padStart(2, "0");
      return `${short.includes(".") ? short : `${short}.0`}e${exponent < 0 ? "-" : "+"}${size}`;
    }
    const plain = value.toPrecision(15);
    return plain.includes(".") ? plain.replace(/0+$/, "").replace(/\.$/, ".0") : `${plain}.0`;
  }

  const text = (v) => (v === null || typeof v === "string" ? v : v instanceof Real ? realText(v.value) : String(v));

  function truth(v) {
    if (v === null) return null;
    const n = number(v);
    return double(n) !== 0;
  }

  const exactly = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b };

  function divide(a, b) {
    if (b === 0) return null;
    if (typeof a === "number" && typeof b === "number") return (a - a % b) / b + 0;
    return whole(BigInt(a) / BigInt(b));
  }

  function remainder(a, b) {
    const wholes = isWhole(a) && isWhole(b), x = truncated(a), y = truncated(b);
    if (y === 0) return null;
    const rest = typeof x === "number" && typeof y === "number" ? x % y + 0 : small(BigInt(x) % BigInt(y));
    return wholes ? rest : new Real(Number(rest));
  }

  // a sign b of + - * / %.
  function calculate(sign, left, right) {
    if (left === null || right === null) return null;
    const a = number(left), b = number(right);
    if (sign === "%") return remainder(a, b);
    if (isWhole(a) && isWhole(b)) {
      if (sign === "/") return divide(a, b);
      if (typeof a === "number" && typeof b === "number") {
        const quick = exactly[sign](a, b);
        if (Number.isSafeInteger(quick)) return quick + 0;
      }
      return whole(exactly[sign](BigInt(a), BigInt(b)));
    }
    const x = double(a), y = double(b);
    if (sign === "/") return y === 0 ? null : real(x / y);
    return real(exactly[sign](x, y));
  }

  function bits(sign, left, right) {
    if (left === null || right === null) return null;
    const a = BigInt(truncated(left));
    let b = BigInt(truncated(right));
    const cut = (big) => small(BigInt.asIntN(64, big));
    if (sign === "&") return cut(a & b);
    if (sign === "|") return cut(a | b);
    if (sign === ">>") b = -b;
    if (b >= 0n) return b > 63n ? 0 : cut(a << b);
    return -b > 63n ? (a < 0n ? -1 : 0) : cut(a >> -b);
  }

  // By code points, as UTF-8's bytes are ordered; JavaScript goes by halves of pairs.
  function compareTexts(a, b) {
    if (a === b) return 0;
    const least = Math.min(a.length, b.length);
    let i = 0;
    while (i < least && a.charCodeAt(i) === b.charCodeAt(i)) i++;
    if (i === least) return a.length - b.length;
    const x = a.charCodeAt(i), y = b.charCodeAt(i), lifted = (c) => (c >= 0xd800 && c <= 0xdfff ? c + 0x10000 : c);
    return lifted(x) - lifted(y);
  }

  const rank = (v) => (v === null ? 0 : typeof v === "string" ? 2 : 1);

  // Below, equal, above 0, in the order of ORDER BY: NULL, numbers, texts.
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    const x = rank(a), y = rank(b);
    if (x !== y) return x - y;
    if (x === 0) return 0;
    if (x === 2) return compareTexts(a, b);
    const one = a instanceof Real ? a.value : a, other = b instanceof Real ? b.value : b;
    return one < other ? -1 : one > other ? 1 : 0; // a BigInt and a double compare exactly
  }

  // What is equal has one key: of a Map, and as a text.
  function key(v) {
    if (v instanceof Real) {
      const { value } = v;
      return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value + 0;
    }
    return v;
  }
  const keyText = (v) => (typeof v === "string" ? `"${v.length}:${v}` : String(key(v)));

  // % and _, or * ? [ ] of GLOB; LIKE does not tell a from A, of ASCII only.
  function pattern(like, glob, escape) {
    const plain = (c) => {
      if (!glob && /[a-z]/i.test(c)) return `[${c.toLowerCase()}${c.toUpperCase()}]`;
      return c.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    };
    const letters = [...like];
    let out = "";
    for (let i = 0; i < letters.length; i++) {
      const c = letters[i];
      if (!glob && escape && c === escape && i + 1 < letters.length) out += plain(letters[++i]);
      else if (c === (glob ? "*" : "%")) out += "[^]*";
      else if (c === (glob ? "?" : "_")) out += "[^]";
      else if (glob && c === "[" && letters.indexOf("]", i + 2) > 0) {
        const end = letters.indexOf("]", i + 2), inside = letters.slice(i + 1, end).join("");
        out += `[${inside.replace(/[\\\][&~|]/g, "\\$&").replace(/^\\?\^/, "^")}]`;
        i = end;
      } else out += plain(c);
    }
    return new RegExp(`^${out}$`, "u");
  }

  return { isWhole, double, small, whole, real, number, numeric, truncated, text, truth, calculate, bits, compare,
    key, keyText, pattern };
})();
