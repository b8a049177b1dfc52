// Figures on the pages of the server read as those of the command line: format.js against tandem.text.format.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { folder, tandem } from "./browser.mjs";

const source = readFileSync("src/viewer/ui/format.js", "utf8");
const format = await import(`data:text/javascript,${encodeURIComponent(source)}`);

const KINDS = ["time", "rate", "bytes", "speed", "flops", "percent", "count", "money", "power"];
const VALUES = [0, 6e-10, 4.2e-5, 0.0123, 0.5, 0.9996, 3, 15.26, 999.4, 1023, 1759.4, 3588, 9988.6, 12001.23, 123456.7,
  1234567, 4.8e9, 1.8e13];
const HALVES = [0.0004, 0.012, 0.36, 7];
const given = KINDS.flatMap((kind) => VALUES.flatMap((value) => [{ kind, value },
  ...(kind === "power" ? [] : HALVES).map((part) => ({ kind, value, half: value * part }))]));

test("a figure is the same text on a page and on the command line", () => {
  const script = path.join(folder, "figures.lua"), list = path.join(folder, "figures.json");
  writeFileSync(list, JSON.stringify(given));
  writeFileSync(script, `
    local format, cjson = require "tandem.text.format", require "cjson"
    for _, one in ipairs(cjson.decode(io.open((...)):read "a")) do
      print(one.half and format.estimate(one, one.kind) or format.quantity(one.value, one.kind))
    end`);
  const wanted = tandem("lua", script, list).trimEnd().split("\n");
  const shown = given.map((one) => (one.half === undefined ? format.quantity(one.value, one.kind) : format.estimate(one, one.kind)));
  const other = given.map((one, i) => [one, shown[i], wanted[i]]).filter(([, ours, theirs]) => ours !== theirs);
  assert.deepEqual(other, []);
  assert.ok(shown.some((text) => text.includes(",")));
});
