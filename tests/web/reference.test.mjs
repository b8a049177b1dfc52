// The reference in a real browser: from disk, without a network; the search finds names and words.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { close, folder, open, tandem } from "./browser.mjs";

const file = path.join(folder, "reference.html");
const found = (page) => page.$$eval(".found a", (links) => links.map((link) => link.getAttribute("href")));

before(() => tandem("doc", "--out", file));
after(close);

for (const [scheme, paper] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(13, 17, 23)"]]) {
  describe(`the reference in ${scheme}`, () => {
    let page;
    before(async () => { page = await open(file, { colorScheme: scheme }); });
    after(() => page.close());

    it("asks the network for nothing, has no errors, and the paper of the reader's choice", async () => {
      assert.deepEqual(page.problems, []);
      assert.deepEqual(page.asked.filter((url) => !/^(file|data):/.test(url)), []);
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), paper);
    });

    it("finds a name first, whatever stands in front of it", async () => {
      for (const [query, first] of [["import", "#command-import"], ["Result:find", "#Result:find"],
        ["td.poisson", "#td.poisson"], ["?td.load", "#td.load"], ["tandem help units", "#topic-units"]]) {
        await page.fill(".find input", query);
        assert.equal((await found(page))[0], first, query);
      }
      await page.fill(".find input", "import");
      assert.ok((await found(page)).slice(0, 3).includes("#Store:import"));
    });

    it("finds words, says how many, and that there is nothing", async () => {
      await page.fill(".find input", "heavy tail");
      assert.equal((await found(page))[0], "#td.pareto");
      await page.fill(".find input", "the");
      assert.match(await page.textContent(".find output"), /^The first 40 of \d+$/);
      await page.fill(".find input", "xyzzy quux");
      assert.equal(await page.textContent(".find output"), "Nothing found");
      assert.equal((await found(page)).length, 0);
    });

    it("is driven by keys alone", async () => {
      await page.fill(".find input", "");
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("/");
      await page.keyboard.type("td.gpu");
      await page.keyboard.press("Enter");
      assert.equal(new URL(page.url()).hash, "#td.gpu");
      const top = await page.$eval("[id='td.gpu']", (entry) => entry.getBoundingClientRect().top);
      assert.ok(Math.abs(top) < 60, `the entry stands ${top} px below the edge`);
      await page.keyboard.press("Escape");
      assert.equal(await page.$eval(".contents > div:not(.find)", (one) => getComputedStyle(one).display !== "none"),
        true);
    });

    it("fits a phone", async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    });
  });
}
