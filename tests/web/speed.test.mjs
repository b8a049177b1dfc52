// How large a timeline is, how soon its first picture comes and how long pictures take while a person
// zooms and pans, for half a million spans, and for five million: a run with as many as a store keeps
// over the one before. Prints the figures with their bars. Time is no test: what is done before the
// first picture is.
import { after, describe, it } from "node:test";
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import path from "node:path";
import { browserPage, close, folder, sql, tandem } from "./browser.mjs";

const CASES = [
  { requests: 76500, spans: 5e5, megabytes: 4.5, first: 800, frame: 16 },
  { requests: 765000, spans: 5e6, first: 1500, frame: 16, both: true },
];

after(close);

// Zooms in, pans and zooms out, picture by picture; the time in ms that 90 % of pictures keep.
const frames = (page) => page.evaluate(async () => {
  const { view, time } = window.timeline;
  view.frames.length = 0;
  for (let i = 0; i < 120; i++) {
    if (i % 40 < 20) time.zoom(0.85, view.width * 0.4);
    else if (i % 40 < 30) time.pan(60);
    else time.zoom(1.25, view.width * 0.4);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  }
  return [...view.frames].sort((a, b) => a - b)[Math.floor(view.frames.length * 0.9)];
});

// What the page does until its first picture is there: pictures it draws, blocks it unpacks while it draws.
const watch = () => {
  const done = window.done = { pictures: 0, within: 0 };
  let blocks = 0;
  const first = () => performance.getEntriesByName("timeline-first").length === 0;
  const { requestAnimationFrame: frame, DecompressionStream: Stream } = window;
  window.DecompressionStream = function (format) { blocks++; return new Stream(format); };
  window.requestAnimationFrame = (act) => frame((time) => {
    const before = blocks;
    act(time);
    if (first()) done.within += blocks - before;
  });
  const { putImageData: put } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function (...args) {
    if (first()) done.pictures++;
    return put.apply(this, args);
  };
};

describe("a large timeline", () => {
  for (const { requests, spans, megabytes, first, frame, both } of CASES) {
    it(`of ${spans / 1e6} million spans is small and quick`, async (t) => {
      const file = path.join(folder, `${spans}.html`);
      tandem("run", "scenarios/01-demo.lua", "--spans", "all", "--replications", "1", "--set", `requests=${requests}`);
      const runs = sql("select id, spans from run order by number desc").slice(0, both ? 2 : 1);
      const n = runs.reduce((sum, run) => sum + run.spans, 0);
      assert.ok(n >= spans, `${n} spans`);
      const began = performance.now();
      tandem("view", ...runs.map((run) => run.id), "--align", "none", "-o", file);
      const written = performance.now() - began;
      const quiet = loadavg()[0] < cpus().length;
      const page = await browserPage();
      await page.addInitScript(watch);
      await page.goto(`file://${file}`);
      await page.waitForSelector("#tl[data-ready]");
      const [seen, loaded, done] = await page.evaluate(() => [performance.getEntriesByName("timeline-first")[0].startTime,
        performance.getEntriesByType("navigation")[0].loadEventEnd, window.done]);
      assert.deepEqual(done, { pictures: 1, within: 0 });
      await frames(page); // unpacks what it sees
      const p90 = await frames(page), size = statSync(file).size / 1e6;
      t.diagnostic(`figure: ${n} spans: written in ${(written / 1000).toFixed(2)} s, ${size.toFixed(2)} MB`
        + `${megabytes ? ` (bar ${megabytes})` : ""}, first picture ${Math.round(seen)} ms after the page is asked for (bar ${first}), `
        + `${Math.round(seen - loaded)} after it has loaded, `
        + `p90 of frames ${p90.toFixed(1)} ms (bar ${frame})${quiet ? "" : "; the machine was busy"}`);
      assert.deepEqual(page.problems, []);
      if (megabytes) assert.ok(size <= megabytes);
      await page.close();
    });
  }
});
