// SQL beside a timeline of tandem serve: rows as a track, each opens its place; notes kept with the run; lanes of a
// map's stages.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { close, folder, open, sql, tandem } from "./browser.mjs";
import { serve, shown, sound, stopAll, visit } from "./server.mjs";

const ORIGIN_US = 1700000000000000; // since 1970: in nanoseconds beyond what a double holds
let server, run, epoch;

const newest = () => JSON.parse(tandem("runs", "--json", "--limit", "1")).result.rows[0].id;

before(async () => {
  tandem("run", "demo", "--duration", "5s", "--spans", "all");
  run = newest();
  const events = [];
  for (let i = 0; i < 20; i++) {
    const at = ORIGIN_US + i * 1000;
    events.push({ ph: "X", cat: "user_annotation", name: `request ${i}`, pid: 1, tid: 1, ts: at, dur: 900 });
    events.push({ ph: "X", cat: "user_annotation", name: "decode", pid: 1, tid: 1, ts: at + 100, dur: 500 });
    events.push({ ph: "X", cat: "user_annotation", name: "send", pid: 1, tid: 1, ts: at + 700, dur: 100 });
  }
  const file = path.join(folder, "epoch.json");
  writeFileSync(file, JSON.stringify({ traceEvents: events }));
  tandem("import", file);
  epoch = newest();
  server = await serve();
});

after(async () => {
  await stopAll();
  await close();
});

async function timelineOf(page) {
  await page.waitForSelector("iframe[data-filled]");
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame.waitForSelector("#tl[data-ready]");
  return frame;
}

const ask = async (page, query) => {
  await page.locator("details.sql").evaluate((node) => { node.open = true; });
  if (query) await page.getByLabel("SQL").fill(query);
  await page.locator("#sql-go").click();
  await page.locator(".sql caption").waitFor();
};

test("rows of a query are a track, and open their place", async () => {
  const page = await visit(server, `#/run/${run}?tab=timeline`), frame = await timelineOf(page);
  await ask(page); // what stands there already
  const query = await page.getByLabel("SQL").inputValue();
  const rows = sql(query);
  assert.equal(rows.length, 100);
  await page.getByText('100 rows; those with a time are the lane "query".').waitFor();
  const made = await frame.evaluate(() => {
    const { scene } = window.timeline, item = scene.items.find((one) => one.kind === "track" && one.run.title === "query");
    return { lane: scene.items[0].kind === "lane" && scene.lanes[scene.items[0].lane], spans: item.run.spans,
      origin: Number(window.timeline.runs[0].origin) };
  });
  assert.deepEqual({ lane: made.lane, spans: made.spans }, { lane: "query", spans: 100 });
  await page.getByLabel("Show it in the timeline").first().click();
  const range = await frame.evaluate(async () => {
    for (;;) {
      if (window.timeline.detail.range) return window.timeline.detail.range;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  assert.equal(range.from, rows[0].start_ns - made.origin);
  assert.equal(range.to - range.from, rows[0].dur_ns);
  // A click on the track tells the row.
  const at = await frame.evaluate(async () => {
    const { view, scene, detail } = window.timeline, { run } = scene.made.get("query");
    for (let n = 0; n < run.spans; n++) {
      const span = await run.span(n), box = span.start === detail.range.from && view.boxOf(span);
      if (!box) continue;
      return { x: box.x + box.width / 2, y: box.y + 0.8 * box.height }; // rows may be 2 pixels high
    }
    return null;
  });
  await frame.locator("#tl-scroll").click({ position: at });
  await frame.waitForFunction(() => /Arguments/.test(document.querySelector("#tl-detail-body").innerText));
  const told = await frame.locator("#tl-detail-body").innerText();
  assert.match(told, new RegExp(`start_ns\\s+${rows[0].start_ns}`));
  await sound(page);
});

test("moments since 1970 stay exact, columns named track make several, no time makes none", async () => {
  const page = await visit(server, `#/real/${epoch}?tab=timeline`), frame = await timelineOf(page);
  await ask(page, `SELECT name AS track, start_ns, dur_ns, 'a' AS name FROM span WHERE run = run('${epoch}')
    AND name IN ('decode', 'send') ORDER BY start_ns`);
  const tracks = await frame.evaluate(async () => {
    for (;;) {
      const made = window.timeline.scene.made.get("query")?.run;
      if (made) return made.tracks.map((track) => ({ name: track.name, starts: [...made.part(0, made.first[track.firstRow]).start] }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  assert.deepEqual(tracks.map((one) => one.name), ["decode", "send"]);
  assert.deepEqual(tracks[0].starts.slice(0, 2), [100000, 1100000]);
  await ask(page, "SELECT count(*) AS n FROM span");
  await page.getByText("Rows with start_ns and dur_ns become a track.").waitFor();
  assert.equal(await frame.evaluate(() => window.timeline.scene.lanes[window.timeline.scene.items[0].lane] === "query"), false);
  await page.getByLabel("SQL").fill("DELETE FROM run");
  await page.locator("#sql-go").click();
  await page.locator(".sql .notice.error").waitFor();
  page.problems = page.problems.filter((text) => !/Failed to load resource/.test(text));
  await sound(page);
});

test("notes are kept with the run: for another browser, in the page that view writes, gone with the run", async () => {
  let page = await visit(server, `#/run/${run}?tab=timeline`), frame = await timelineOf(page);
  await frame.locator("#tl-notes summary").click();
  await frame.locator("#tl-note-text").fill("here <b>it</b> begins");
  const put = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await frame.locator("#tl-note-add").click();
  assert.equal((await put).status(), 200);
  assert.deepEqual(sql("SELECT count(*) AS n FROM run_note"), [{ n: 1 }]);
  await sound(page);
  page = await visit(server, `#/run/${run}?tab=timeline`); // a context of its own, without storage
  frame = await timelineOf(page);
  await frame.waitForFunction(() => window.timeline.notes().length === 1);
  assert.equal(await frame.evaluate(() => window.timeline.notes()[0].text), "here <b>it</b> begins");
  tandem("view", run, "-o", path.join(folder, "noted.html"));
  const alone = await open(path.join(folder, "noted.html"));
  await alone.waitForSelector("#tl[data-ready]");
  assert.equal(await alone.evaluate(() => window.timeline.notes()[0].text), "here <b>it</b> begins");
  await frame.locator("#tl-notes summary").click();
  const away = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await frame.getByLabel("Remove the note here").click();
  await away;
  assert.deepEqual(sql("SELECT count(*) AS n FROM run_note"), [{ n: 0 }]);
  await sound(page);
});

test("stages of a map are lanes, exactly where the map has them", async () => {
  const map = path.join(folder, "map.lua"), html = path.join(folder, "mapped.html");
  tandem("map", epoch, "--out", map);
  tandem("view", epoch, "--map", map, "-o", html);
  const page = await open(html);
  await page.waitForSelector("#tl[data-ready]");
  const lanes = await page.evaluate(() => {
    const { run } = window.timeline.scene.made.get("stages");
    return run.tracks.map((track) => [track.name, Array.from({ length: 20 }, (_, i) => {
      const part = run.part(0, 0), n = run.first[track.firstRow] + i;
      return [part.start[n], part.length[n]];
    })]);
  });
  const expected = (at, length) => Array.from({ length: 20 }, (_, i) => [i * 1e6 + at, length]);
  assert.deepEqual(lanes, [["requests", expected(0, 900000)], ["decode", expected(100000, 500000)],
    ["send", expected(700000, 100000)]]);
  await page.screenshot({ path: process.env.PICTURES ? path.join(process.env.PICTURES, "stages.png")
    : path.join(folder, "stages.png") });
  assert.deepEqual(page.problems, []);
});
