// How a person gets from one thing of a timeline to the next, in a real browser: the window before, the next span of a
// name or a row, the spans of a range as a list, what is copied; and how a run of many ranks is told apart.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { writeFileSync } from "node:fs";
import { close, folder, open, settled, sql, tandem } from "./browser.mjs";
import { serve, stopAll, visit } from "./server.mjs";

const file = (name) => path.join(folder, name);
const chosen = (page) => page.evaluate(() => window.timeline.detail.span?.number ?? null);

async function timeline(name, ...args) {
  tandem("view", ...args, "-o", file(name));
  const page = await open(file(name));
  await page.waitForSelector("#tl[data-ready]");
  return page;
}

after(async () => {
  await stopAll();
  await close();
});

describe("from one thing to the next", () => {
  let page;
  before(async () => {
    tandem("import", "tests/data/kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz", "--name", "bert");
    page = await timeline("moves.html", "bert");
  });
  after(() => page.close());

  const window_ = () => page.evaluate(() => [window.timeline.time.from, window.timeline.time.to]);

  it("goes back to the windows before, a drag being one, and forth again", async () => {
    const whole = await window_();
    await page.evaluate(() => { for (let i = 0; i < 5; i++) window.timeline.time.zoom(0.8, 300); });
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    const near = await window_();
    await page.evaluate(() => window.timeline.time.pan(200)); // undone before it came to rest
    const beside = await window_();
    await page.keyboard.press("z");
    assert.deepEqual(await window_(), near);
    await page.keyboard.press("z");
    assert.deepEqual(await window_(), whole);
    await page.keyboard.press("z"); // there is none before
    assert.deepEqual(await window_(), whole);
    await page.keyboard.press("Shift+Z");
    await page.keyboard.press("Shift+Z");
    assert.deepEqual(await window_(), beside);
    await page.keyboard.press("0");
  });

  it("walks along a row and stops at its ends", async () => {
    const [first, last] = await page.evaluate(async () => {
      const { runs: [run], detail } = window.timeline;
      const row = Array.from({ length: run.rows }, (_, r) => r).find((r) => run.first[r + 1] - run.first[r] === 3)
        ?? Array.from({ length: run.rows }, (_, r) => r).find((r) => run.first[r + 1] - run.first[r] > 2);
      await detail.choose(await run.span(run.first[row]), true);
      return [run.first[row], run.first[row + 1] - 1];
    });
    await page.keyboard.press("<");
    assert.equal(await chosen(page), first);
    await page.keyboard.press(">");
    await page.waitForFunction((wanted) => window.timeline.detail.span.number === wanted, first + 1);
    await page.evaluate(async (n) => window.timeline.detail.choose(await window.timeline.runs[0].span(n), true), last);
    await page.keyboard.press(">");
    await settled(page);
    assert.equal(await chosen(page), last);
  });

  it("copies a name, and the sums of a range as a table", async () => {
    await page.evaluate(() => {
      window.copied = [];
      Object.defineProperty(navigator, "clipboard", { configurable: true,
        value: { writeText: (text) => { window.copied.push(text); return Promise.resolve(); } } });
    });
    const name = await page.evaluate(() => window.timeline.detail.span.name);
    await page.keyboard.press("c");
    await page.waitForFunction(() => window.copied.length === 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("c"); // nothing is chosen
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.timeline.detail.text !== "");
    await page.click("#tl-copy");
    await page.waitForFunction(() => window.copied.length === 2);
    const [told, table] = await page.evaluate(() => window.copied);
    assert.equal(told, name);
    const [head, ...lines] = table.trim().split("\n").map((line) => line.split("\t"));
    assert.deepEqual(head, ["category", "name", "count", "inside_ns", "longest_ns"]);
    const stored = sql("select category, name, count(*) n, sum(dur_ns) busy, max(dur_ns) longest from span where run = run('bert') "
      + "and shape in ('span', 'open', 'async') group by category, name");
    const key = (list) => list.join(" | ");
    assert.deepEqual(lines.map(key).sort(), stored.map((one) => key([one.category, one.name.replace(/[\t\r\n]/g, " "), one.n,
      one.busy, one.longest])).sort());
  });

  it("copies within a page that has no clipboard", async () => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { configurable: true, value: undefined });
      document.execCommand = (what) => { window.byHand = [what, String(getSelection() || document.activeElement.value)]; return true; };
      window.timeline.detail.text = "a name";
    });
    await page.click("#tl-copy");
    await page.waitForFunction(() => window.byHand);
    assert.equal(await page.evaluate(() => window.byHand[0]), "copy");
    assert.equal(await page.locator("#tl-detail textarea").count(), 0);
  });

  it("lists the spans of a range on the tracks that are selected, as the store has them", async () => {
    const stream = await page.evaluate(() => {
      const { arrangement, scene, time, detail, runs: [run] } = window.timeline;
      const [track] = [...scene.byKey.values()].filter((one) => one.kind === "track" && one.track.kind === "stream");
      arrangement.selected.add(track.key);
      detail.mark(time.first + (time.last - time.first) * 0.3, time.first + (time.last - time.first) * 0.6, true);
      return { id: track.track.id, origin: run.origin, from: Math.round(detail.range.from), to: Math.round(detail.range.to) };
    });
    const part = page.locator('.tl-sum[data-category="kernel"]');
    await part.waitFor();
    await part.evaluate((node) => { node.open = true; });
    const told = await part.locator("summary small").textContent();
    await part.locator("> button").click();
    await page.locator("#tl-sql-said", { hasText: /rows/ }).waitFor();
    const origin = BigInt(stream.origin);
    const [{ n }] = sql(`select count(*) n from span where run = run('bert') and category = 'kernel' and track = ${stream.id}
      and start_ns < ${origin + BigInt(stream.to)} and end_ns > ${origin + BigInt(stream.from)}`);
    const said = await page.textContent("#tl-sql-said");
    assert.ok(n > 10);
    assert.equal(Number(said.match(/^([\d,]+) rows/)[1].replaceAll(",", "")), n);
    assert.ok(told.startsWith(n.toLocaleString("en")), told);
    assert.deepEqual(page.problems, []);
  });

  it("asks the store for them in tandem serve, of this run alone", async () => {
    const id = sql("select id from run where name = 'bert'")[0].id;
    const server = await serve(), around = await visit(server, `#/real/${id}?tab=timeline`);
    await around.waitForSelector("iframe[data-filled]");
    const frame = around.frames().find((one) => one !== around.mainFrame());
    await frame.waitForSelector("#tl[data-ready]");
    await frame.evaluate(() => { const { detail, time } = window.timeline; detail.mark(time.first, time.last, true); });
    const part = frame.locator('.tl-sum[data-category="kernel"]');
    await part.waitFor();
    await part.evaluate((node) => { node.open = true; });
    await part.locator("> button").click();
    await around.locator(".sql caption").waitFor();
    const query = await around.getByLabel("SQL").inputValue();
    assert.match(query, new RegExp(`run = run\\('${id}'\\) AND`));
    const [{ n }] = sql(`select count(*) n from span where run = run('${id}') and category = 'kernel'`);
    await around.getByText(new RegExp(`^${n.toLocaleString("en")} rows`)).first().waitFor();
    // What is no question of this kind is none.
    await frame.evaluate(() => {
      const ask = (spans) => window.parent.postMessage({ timeline: "spans", spans }, "*");
      ask({ category: "x", runs: [{ run: 1, from: "0) OR 1 = 1 --", to: "1", tracks: null }] });
      ask({ category: "x", runs: [{ run: 1, from: "0", to: "1", tracks: ["1) OR (1 = 1"] }] });
      ask({ category: "x", runs: [] });
      ask(null);
    });
    await settled(around);
    assert.equal(await around.getByLabel("SQL").inputValue(), query);
    assert.deepEqual(around.problems, []);
    await around.close();
  });
});

describe("a run of many ranks", () => {
  const RANKS = 12;
  let page;
  before(async () => {
    const files = [];
    for (let rank = 0; rank < RANKS; rank++) {
      const events = Array.from({ length: 40 }, (_, k) => ({ ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7,
        ts: 100 * k, dur: k % 10 < 5 + rank % 3 ? 100 : 10, args: { device: 0, stream: 7, correlation: k } }));
      files.push(file(`rank${rank}.json`));
      writeFileSync(files[rank], JSON.stringify({ distributedInfo: { backend: "nccl", rank, world_size: RANKS }, traceEvents: events }));
    }
    tandem("import", ...files.sort(), "--name", "ranks"); // rank10 stands before rank2
    page = await timeline("ranks.html", "ranks");
  });
  after(() => page.close());

  it("has its tracks in order of ranks, each with its rank", async () => {
    const labels = await page.evaluate(() => {
      const { scene, view } = window.timeline;
      scene.setAll(true);
      view.arranged();
      view.draw();
      return scene.items.filter((one) => one.kind === "track").map((one) => view.labels.moreOf(one));
    });
    assert.deepEqual(labels, Array.from({ length: RANKS }, (_, rank) => `rank ${rank} GPU 0`));
    const counters = await page.evaluate(() => { const { scene } = window.timeline;
      return scene.items.filter((one) => one.kind === "counter").map((one) => scene.nameOf(one)); });
    assert.deepEqual(counters, Array.from({ length: RANKS }, (_, rank) => `use of GPU 0 of rank ${rank}`));
  });

  it("is walked over by name, in order of time on all of its tracks", async () => {
    const order = await page.evaluate(async () => {
      const { runs: [run], detail } = window.timeline, out = [];
      for (let n = 0; n < run.spans; n++) out.push(await run.span(n));
      out.sort((a, b) => a.start - b.start || a.number - b.number);
      await detail.choose(out[0], true);
      return out.map((one) => one.number);
    });
    const step = async (key, number) => {
      await page.keyboard.press(key);
      await page.waitForFunction((wanted) => window.timeline.detail.span?.number === wanted, number);
    };
    for (const number of order.slice(1, 30)) await step("j", number); // of twelve tracks and three moments
    await step("k", order[28]);
    await page.keyboard.press("Escape");
  });

  it("says once what all of its GPUs do, and each under it", async () => {
    const found = await page.evaluate(() => window.timeline.bottlenecks.map(({ kind, text, parts }) =>
      ({ kind, text, parts: parts?.map((one) => [one.of, one.share]) })));
    const idle = found.filter((one) => one.kind === "idle");
    assert.equal(idle.length, 1);
    assert.match(idle[0].text, /^12 GPUs: idle for [\d.]+ % to [\d.]+ % of the time that they have work in$/);
    const stored = sql("select rank, 1 - cast(sum(dur_ns) as real) / (max(end_ns) - min(start_ns)) idle from span "
      + "join source on source.run = span.run and source.id = span.source where span.run = run('ranks') group by rank");
    assert.equal(stored.length, RANKS);
    for (const { rank, idle: share } of stored) {
      const [, seen] = idle[0].parts.find(([of]) => of === `rank ${rank} GPU 0`);
      assert.ok(Math.abs(seen - share) < 1e-6, `rank ${rank}: ${seen} ${share}`);
    }
    await page.click(".tl-drop:has(#tl-marks) > summary");
    const entry = page.locator("#tl-marks > li", { hasText: "12 GPUs: idle" });
    await entry.locator("> details > summary").click();
    await entry.locator("> details > ul > li").nth(RANKS - 1).waitFor(); // it is made when it opens
    assert.equal(await entry.locator("> details > ul > li").count(), RANKS);
    assert.deepEqual(page.problems, []);
  });
});

describe("a simulated LLM server", () => {
  it("is used while it makes steps, and is not called saturated for it", async () => {
    tandem("run", "llm-one-h100", "--requests", "300", "--spans", "all", "--replications", "1");
    const page = await timeline("llm.html", "last");
    const { mean, kinds } = await page.evaluate(() => {
      const { runs: [run], bottlenecks } = window.timeline;
      const counter = run.counters.find((one) => one.name === "use of answer steps");
      return { mean: counter.series.bins(0, run.length, 1).mean[0], kinds: bottlenecks.map((one) => one.kind) };
    });
    const [{ share }] = sql("select 100.0 * (select sum(dur_ns) from span where run = run('last') and category = 'step') "
      + "/ (max(end_ns) - min(start_ns)) share from span where run = run('last')");
    assert.ok(share > 50);
    assert.ok(Math.abs(mean - share) < 0.02 * share + 0.5, `${mean} ${share}`);
    assert.ok(!kinds.includes("saturated"));
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
