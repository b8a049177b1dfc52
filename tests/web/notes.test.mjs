// Notes and bookmarks on a timeline, in a real browser: made by keys, drawn, kept, carried by a file; in
// the pages of tandem serve, too, whose timelines have no storage of their own.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { close, folder, open, settled, sql, tandem } from "./browser.mjs";
import { serve, stopAll, visit } from "./server.mjs";

const file = path.join(folder, "notes.html");
const ready = (page) => page.waitForSelector("#tl[data-ready]");
const told = (page) => page.evaluate(() => window.timeline.notes());
const EVIL = "<img src=x onerror=alert(1)> here it waits";

after(async () => {
  await stopAll();
  await close();
});
before(() => {
  tandem("run", "scenarios/01-demo.lua", "--spans", "all");
  tandem("view", "last", "-o", file);
});

describe("notes on a timeline", () => {
  let page;
  before(async () => {
    page = await open(file);
    await ready(page);
  });
  after(() => page.close());

  it("are made on a range, on a span and on what is seen", async () => {
    const blank = await page.locator("#tl-canvas").screenshot();
    const span = await page.evaluate(async () => {
      const { detail, runs: [run] } = window.timeline, one = await run.span(20);
      detail.mark(1e9, 2e9, true);
      return [one.start, one.end];
    });
    await page.focus("#tl-scroll");
    await page.keyboard.press("b");
    await page.keyboard.type(EVIL);
    await page.keyboard.press("Enter");
    await page.evaluate(async () => window.timeline.detail.choose(await window.timeline.runs[0].span(20), false));
    await page.keyboard.press("Enter");
    await page.evaluate(() => { window.timeline.detail.clear(); window.timeline.time.set(5e9, 6e9); });
    await page.keyboard.type("window");
    await page.keyboard.press("Enter");
    const notes = await told(page), by = (text) => notes.find((one) => one.text === text);
    assert.equal(notes.length, 3);
    assert.deepEqual([by(EVIL).from, by(EVIL).to], [1e9, 2e9]);
    assert.deepEqual([by("").from, by("").to], span);
    assert.deepEqual([by("window").from, by("window").to], [5e9, 6e9]);
    assert.equal(await page.textContent("#tl-notes-words"), "notes (3)");
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.timeline.time.fit());
    await settled(page);
    assert.notDeepEqual(await page.locator("#tl-canvas").screenshot(), blank);
  });

  it("lead to their place and are there on another visit", async () => {
    await page.goto("about:blank");
    await page.goto(`file://${file}`);
    await ready(page);
    assert.equal((await told(page)).length, 3);
    await page.click("#tl-notes-words");
    await page.locator("#tl-note-list button", { hasText: "here it waits" }).first().click();
    const { from, to, range } = await page.evaluate(() => {
      const { time, detail: { range } } = window.timeline;
      return { from: time.from, to: time.to, range };
    });
    assert.deepEqual(range, { from: 1e9, to: 2e9 });
    assert.ok(from < 1e9 && to > 2e9 && to - from < 2e9);
  });

  it("are carried by a file, and what is none is told", async () => {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#tl-note-save")]);
    const at = path.join(folder, "saved.json");
    await saved.saveAs(at);
    const { schema, notes } = JSON.parse(readFileSync(at, "utf8")), [{ id }] = sql("select id from run order by number desc limit 1");
    assert.equal(schema, "tandem.notes/1");
    assert.ok(notes.length === 3 && notes.every((one) => one.run === id));
    const other = await open(file);
    await ready(other);
    assert.deepEqual(await told(other), []);
    await other.click("#tl-notes-words");
    const bad = path.join(folder, "bad.json");
    writeFileSync(bad, "[1,");
    await other.setInputFiles("#tl-note-file", bad);
    await other.waitForSelector('#tl-note-said:has-text("bad.json is no file of notes.")');
    writeFileSync(bad, JSON.stringify({ schema, notes: [{ run: "0000", from: 1, to: 2, text: "" }] }));
    await other.setInputFiles("#tl-note-file", bad);
    await other.waitForSelector('#tl-note-said:has-text("has no notes on this run")');
    for (let i = 0; i < 2; i++) await other.setInputFiles("#tl-note-file", at); // twice: each once
    await other.waitForFunction(() => window.timeline.notes().length === 3);
    assert.deepEqual(await told(other), await told(page));
    assert.deepEqual(other.problems, []);
    await other.close();
  });

  it("can be taken away", async () => {
    for (let left = 2; left >= 0; left--) {
      await page.locator("#tl-note-list .tl-away").first().click();
      assert.equal((await told(page)).length, left);
    }
    await page.reload();
    await ready(page);
    assert.deepEqual(await told(page), []);
    assert.deepEqual(page.problems, []);
  });
});

describe("notes in the pages of tandem serve", () => {
  it("are there again, with the tracks as they were", async () => {
    const [{ id }] = sql("select id from run order by number desc limit 1");
    const page = await visit(await serve(), `#/run/${id}?tab=timeline`);
    const inside = async () => {
      const frame = await (await page.waitForSelector("iframe[data-filled]")).contentFrame();
      await ready(frame);
      return frame;
    };
    let frame = await inside();
    await frame.locator("#tl-scroll").press("b");
    await frame.fill("#tl-note-text", "kept by the page around");
    await frame.press("#tl-note-text", "Enter");
    await frame.press("#tl-note-text", "Escape");
    await frame.locator(".tl-label").first().press("h");
    await frame.waitForFunction(() => window.timeline.arrangement.hidden.size === 1);
    await page.reload();
    frame = await inside();
    await frame.waitForFunction(() => window.timeline.notes().length === 1 && window.timeline.arrangement.hidden.size === 1);
    assert.equal((await frame.evaluate(() => window.timeline.notes()))[0].text, "kept by the page around");
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
