// The YAML reader of manifests beside npm's yaml: what it reads, it reads the same; what it refuses is not YAML, or one of the
// things that it says it does not read.
import { describe, it } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { folder } from "./browser.mjs";

const build = path.resolve(process.env.BUILD || "build");
const require = createRequire(path.join(build, "npm", "node_modules", "x.js"));
const { parseAllDocuments, stringify } = require("yaml");

// Texts, each read by tandem: its documents, or { wrong }.
function read(texts) {
  const script = path.join(folder, "read.lua"), input = path.join(folder, "texts.json");
  writeFileSync(input, JSON.stringify(texts));
  writeFileSync(script, `
local json, yaml = require "tandem.io.json", require "tandem.io.yaml_reader"
for _, text in ipairs(json.decode(io.open(arg[1]):read "a")) do
  local documents, wrong = yaml.documents(text)
  print(json.encode(documents and { documents = json.list(documents) } or { wrong = wrong }))
end`);
  const done = spawnSync(path.join(build, "tandem"), ["lua", script, input], { encoding: "utf8" });
  assert.equal(done.stderr, "");
  return done.stdout.trim().split("\n").map((line) => JSON.parse(line));
}

// Maps without keys that are null, empty maps as lists (Lua has one empty table), in the order of keys.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (!value || typeof value !== "object") return value ?? "null";
  const keys = Object.keys(value).filter((key) => value[key] !== null).sort();
  return keys.length ? Object.fromEntries(keys.map((key) => [key, plain(value[key])])) : [];
}

function theirs(text) {
  const all = parseAllDocuments(text);
  const errors = [...all].flatMap((document) => document.errors);
  return errors.length ? null : [...all].map((document) => document.toJS()).filter((value) => value !== null).map(plain);
}

const TEXTS = ["a: 1\nb:\n- x\n- y: 2\n  z: [1, \"q\", {a: b}]\n", "a: |\n  one\n   two\n\n  three\n\nb: >-\n  fold\n  it\n\n  para\n   more\n  end\n",
  "- - 1\n  - 2\n- a: {x: 1,\n     y: 2}\n  b: 'it''s'\n", "a: plain text\n  goes on\n\n  here\nb: 1e3\nc: 0x1f\nd: 0o17\ne: .5\nf: -.inf\ng: ~\nh: yes\ni: 012\nk: +5\n",
  "\"k 1\": \"a\\tb\\u00e9 \\\n   c\n\n  d\"\n'q': \"x: y\" # c\nurl: http://a:80/b#c\n", "---\na: 1\n---\n# only\n---\nb: [ ]\nc: {}\n...\n",
  "a:\n  - b\n\n  -\n    c: 1\n  -   d: 1\n      e: 2\n", "x: |+\n  a\n\ny: |2\n    b\nz: >+\n  q\n\n", "a: - b\n", "a: b: c\n", "a: 1\na: 2\n",
  "{a: 1, b: [x, y:z, 'q']}\n", "a: [\n  b, # c\n  c\n  ]\n", "a:\n\tb: 1\n", "text\n", "a: [1\n", "a: 'x\n", "- a\nb: 1\n", "a:\n - b\n c: 1\n",
  "a: 1 # c\n  b\n", "a: |\n\n  x\nb: 1\n", "-\n  - 1\n- \n- 2\n", "k: \"a\" b\n", "time: 12:30:45\nv: 1.2.3\n", "a: >\n\n  x\n  y\n\n\n  z\n",
  "a: >\n  x\n    y\n  z\n", "a:   \n  b:   c   \n", "a: -\n", "a: -1\nb: 2\n", "a: ?x\n", "a: [a, , b]\n", "a: {b}\n", "a: {b: , c: 1}\n",
  "a: {\"b\":1}\n", "a: \"\\x41\\U0001F600\"\n", "---\n- a\n--- b\n", "--- |\n  a\n", "%YAML 1.2\n---\na: 1\n", "a: [1, 2]]\n", "a: \"b\" : c\n"];
const REFUSED = ["a: &x 1\n", "a: *x\n", "a: !t 1\n", "? a\n: b\n", "a: [a: 1]\n", "<<: {a: 1}\n", "a: {{ x }}\n"];

// Draws by one number, so that a failure comes again.
function generator(seed) {
  let state = seed;
  const next = (most) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * most); };
  const words = ["a", "b c", "", "x: y", "# no", "it's", "\"q\"", "1", "true", "no", "~", "null", "- d", "{e}", "[f", "g\nh\n", "  i", "j\n\n k\n",
    "é😀", "l #m", "n: ", "--tensor-parallel-size", "$(X)", "{\"kv\": \"y\"}", "a long text that has to be folded over several lines by its writer",
    "tab\there", "end ", "%", "@", "`", "&z", "*z", "!t", "1:30", "0x1f", ".5", "|", ">", "?", "? k", ",", "a,b", "trail\n\n\n"];
  const value = (depth) => {
    const kind = next(depth > 3 ? 6 : 9);
    if (kind < 4) return words[next(words.length)];
    if (kind === 4) return next(2000) - 1000;
    if (kind === 5) return [true, false, 1.5, -2.25, 1e21][next(5)];
    if (kind === 6) return Array.from({ length: next(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: next(4) }, () => [words[next(words.length)] || "k", value(depth + 1)]).filter(([key]) => !key.includes("\n")));
  };
  return { next, value };
}

describe("the YAML reader", () => {
  it("reads and refuses as npm's yaml does", () => {
    read(TEXTS).forEach((got, i) => {
      const want = theirs(TEXTS[i]);
      assert.deepEqual(got.wrong ? null : got.documents.map(plain), want, TEXTS[i] + JSON.stringify(got));
    });
  });

  it("says what it does not read", () => {
    read(REFUSED).forEach((got, i) => assert.match(got.wrong ?? "", /^line 1: .*(is not read here|Helm template)/, REFUSED[i]));
  });

  it("reads what npm's yaml writes, in every style", () => {
    const { next, value } = generator(20261127);
    const values = Array.from({ length: 600 }, () => ({ k: value(0), l: value(1) })); // its own reader decides: it misreads some of its own
    const texts = values.map((one) => stringify(one, { indent: 1 + next(4), indentSeq: next(2) === 0, lineWidth: [0, 20, 80][next(3)],
      defaultStringType: ["PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED"][next(5)], aliasDuplicateObjects: false,
      collectionStyle: ["any", "any", "flow"][next(3)], minContentWidth: 0 }));
    read(texts).forEach((got, i) => assert.deepEqual(got.documents?.map(plain), theirs(texts[i]), texts[i] + JSON.stringify(got)));
  });
});
