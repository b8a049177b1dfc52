// A flame graph's page in a real browser: the words that its frames bear.
import { after, describe, it } from "node:test";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { browserPage, close, folder, tandem } from "./browser.mjs";

after(close);

describe("frames of a flame graph", () => {
  it("leave out the middle of a long name, of a path its beginning", async () => {
    const names = ["a_package/of/many/folders/models/module.py(17): forward",
      "void library::kernels::gemm_of_many_tiles<float, 128, 64>::run(int, int)"];
    const events = names.flatMap((name, i) => [{ ph: "X", name, pid: 1, tid: i + 1, ts: 0, dur: 1000,
      cat: i === 0 ? "python_function" : "cpu_op" }]);
    writeFileSync(path.join(folder, "flame.json"), JSON.stringify({ traceEvents: events }));
    tandem("import", path.join(folder, "flame.json"));
    const file = path.join(folder, "flame.html");
    tandem("flame", "last", "--out", file);
    const page = await browserPage({ viewport: { width: 400, height: 844 } });
    await page.addInitScript(() => {
      const usual = CanvasRenderingContext2D.prototype.fillText;
      window.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        window.written.push([text, this.measureText(text).width]);
        return usual.call(this, text, ...rest);
      };
    });
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.written.length > 0);
    const written = await page.evaluate(() => window.written);
    const python = written.find(([text]) => text.endsWith("forward")), kernel = written.find(([text]) => text.startsWith("void"));
    assert.match(python[0], /^a\w*…\S*\(17\): forward$/);
    assert.match(kernel[0], /^void library:\S*…\S*.*int\)$/);
    for (const [text, width] of written) assert.ok(width < 190, `${text} is ${width} wide`);
    assert.deepEqual(page.problems, []);
    const tools = await page.evaluate(() => ["#flame-leaves", "#flame-reset"].map((one) => document.querySelector(one).getBoundingClientRect().top));
    assert.equal(tools[0], tools[1], "both buttons stand in a line");
    assert.match(await page.locator("#flame-info").textContent(), /^all · [\d.]+ ms$/);
  });
});
