// A plot's page in a real browser: from disk, without a network, in light and dark; its buttons save files.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { close, folder, open, tandem } from "./browser.mjs";

const file = (name) => path.join(folder, name);
const script = `
local td = require "tandem"
local plot = td.plot.line { title = "p99 <over> load", x = { 10, 20, 40 }, y = { 3, 4, 9 }, x_unit = "rps",
  y_unit = "ms", band = { { 2, 3, 7 }, { 4, 5, 12 } }, limits = { { y = 8, label = "SLO" } } }
assert(plot:save(${JSON.stringify(file("plot.html"))}))
`;

// The saved file of a click: its name and its bytes.
async function saved(page, text) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text=${text}`)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

// Width, height and the colour of a corner's neighbour (the paper) of a PNG, as the browser reads it.
const look = (page, bytes) => page.evaluate(async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, image.width, image.height).data, colours = new Set();
  for (let i = 0; i < data.length; i += 4) colours.add(data.slice(i, i + 3).join());
  return { width: image.width, height: image.height, colours: colours.size,
    paper: [...context.getImageData(40, image.height - 8, 1, 1).data].slice(0, 3) };
}, "data:image/png;base64," + bytes.toString("base64"));

after(close);

for (const [scheme, paper] of [["light", [255, 255, 255]], ["dark", [13, 17, 23]]]) {
  describe(`the page of a plot in ${scheme}`, () => {
    let page;
    before(async () => {
      writeFileSync(file("plot.lua"), script);
      tandem("lua", file("plot.lua"));
      page = await open(file("plot.html"), { colorScheme: scheme });
    });
    after(() => page.close());

    it("asks the network for nothing and has no errors", () => {
      assert.deepEqual(page.problems, []);
      assert.deepEqual(page.asked.filter((url) => !/^(file|data):/.test(url)), []);
    });

    it("shows its title once, above everything", async () => {
      const seen = await page.evaluate(() => [...document.querySelectorAll("h1, svg.tdm text")]
        .filter((one) => one.textContent.startsWith("p99 <over>") && one.checkVisibility() && one.getBoundingClientRect().width > 5)
        .map((one) => one.localName));
      assert.deepEqual(seen, ["text"]);
      assert.equal(await page.locator("h1").textContent(), "p99 <over> load");
    });

    it("saves the picture as PNG, twice as fine, in the colours on the screen", async () => {
      const { name, bytes } = await saved(page, "Save as PNG");
      assert.equal(name, "p99-over-load.png");
      assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
      const natural = await page.evaluate(() => {
        const { width, height } = document.querySelector(".figure svg").viewBox.baseVal;
        return { width, height };
      });
      const image = await look(page, bytes);
      assert.equal(image.width, 2 * natural.width);
      assert.equal(image.height, 2 * natural.height);
      assert.deepEqual(image.paper, paper);
      assert.ok(image.colours > 50, `${image.colours} colours: nothing drawn`);
    });

    it("saves the picture as SVG that stands by itself", async () => {
      const { name, bytes } = await saved(page, "Save as SVG");
      assert.equal(name, "p99-over-load.svg");
      const root = await page.evaluate((text) => {
        const made = new DOMParser().parseFromString(text, "image/svg+xml");
        return { name: made.documentElement.localName, title: made.querySelector("title").textContent };
      }, bytes.toString());
      assert.deepEqual(root, { name: "svg", title: "p99 <over> load" });
    });

    it("shows the figures as a table, each with its unit", async () => {
      const head = await page.$$eval("thead th", (cells) => cells.map((cell) => cell.textContent));
      assert.deepEqual(head, ["x", "y", "low", "high"]);
      const rows = await page.$$eval("tbody tr", (all) => all.map((row) => [...row.cells].map((c) => c.textContent)));
      assert.deepEqual(rows[2], ["40 /s", "9 ms", "7 ms", "12 ms"]);
    });
  });
}
