// What a person does with the tracks of a timeline, in a real browser: pin, hide, move, make taller,
// filter, select for sums; that it is kept, and that labels can be told apart.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { writeFileSync } from "node:fs";
import { close, folder, open, settled, tandem } from "./browser.mjs";

const file = path.join(folder, "tracks.html");
const ready = (page) => page.waitForSelector("#tl[data-ready]");
const label = (page, name) => page.locator(`#tl-gutter .tl-label:has(span:text-is("${name}"))`);
// Names in the picture from top to bottom, as the keyboard meets them.
const names = (page) => page.evaluate(() => [...document.querySelectorAll("#tl-gutter .tl-label")]
  .map((one) => window.timeline.scene.nameOf(one.item)));
const top = async (page, name) => (await label(page, name).boundingBox()).y;

after(close);

describe("tracks of a timeline", () => {
  let page;
  before(async () => {
    const threads = ["main", "loader"], streams = [7, 13];
    // Names that begin alike, for the labels.
    for (let i = 0; i < 8; i++) threads.push(`data loader of tensor parallel rank zero, worker number ${i}`);
    const spans = (name, tid, more) => Array.from({ length: 20 }, (_, k) =>
      ({ ph: "X", name: `${name} ${k % 3}`, pid: 1, tid, ts: 100 * k + tid, dur: 50, ...more(k) }));
    const events = [...threads.flatMap((name, i) => [
      { ph: "M", name: "thread_name", pid: 1, tid: i + 1, args: { name } },
      ...spans(name, i + 1, () => ({ cat: i === 0 ? "user_annotation" : "cpu_op" })),
    ]), ...streams.flatMap((stream) => spans("gemm", 100 + stream,
      (k) => ({ cat: "kernel", pid: 0, args: { device: 0, stream, correlation: 1000 * stream + k } })))];
    writeFileSync(path.join(folder, "tracks.json"), JSON.stringify({ traceEvents: events }));
    tandem("import", path.join(folder, "tracks.json"));
    tandem("view", "last", "-o", file);
    page = await open(file);
    await ready(page);
    await page.evaluate(() => { window.timeline.scene.setAll(true); window.timeline.view.arranged(); });
    await label(page, "loader").waitFor();
  });
  after(() => page.close());

  it("are pinned by a key and stay while the others scroll", async () => {
    await page.setViewportSize({ width: 1400, height: 300 });
    await label(page, "loader").focus();
    await page.keyboard.press("p");
    const head = await page.locator("#tl-scroll").boundingBox();
    const pinned = page.locator(".tl-label.tl-pinned");
    assert.equal(await pinned.count(), 1);
    assert.ok(Math.abs((await pinned.boundingBox()).y - head.y) < 1.5);
    await page.evaluate(() => { document.getElementById("tl-scroll").scrollTop = 150; });
    await settled(page);
    assert.ok(Math.abs((await pinned.boundingBox()).y - head.y) < 1.5);
    // What is under the pointer there is a span of the pinned track.
    const found = await page.evaluate(async () => {
      const { view, runs: [run], time } = window.timeline;
      const track = run.tracks.find((one) => one.name === "loader"), span = await run.span(run.first[track.firstRow]);
      return view.hit(time.x(span.start + span.length / 2), 8).span.track.name;
    });
    assert.equal(found, "loader");
    await pinned.focus();
    await page.keyboard.press("p");
    assert.equal(await page.locator(".tl-label.tl-pinned").count(), 0);
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  it("are hidden by the menu and come back by the list", async () => {
    await label(page, "stream 13").click({ button: "right" });
    await page.locator("#tl-menu button", { hasText: "Hide" }).click();
    assert.ok(!(await names(page)).includes("stream 13"));
    assert.match(await page.textContent("#tl-tracks-words"), /1 hidden/);
    await page.click("#tl-tracks-words");
    await page.locator("#tl-hidden button", { hasText: "Show stream 13" }).click();
    assert.ok((await names(page)).includes("stream 13"));
    await page.click("#tl-tracks-words");
  });

  it("move by keys and by a drag", async () => {
    assert.ok(await top(page, "main") < await top(page, "loader"));
    await label(page, "loader").focus();
    await page.keyboard.press("Alt+ArrowUp");
    assert.ok(await top(page, "main") > await top(page, "loader"));
    assert.equal(await page.evaluate(() => window.timeline.scene.nameOf(document.activeElement.item)), "loader");
    const a = await label(page, "stream 7").boundingBox(), b = await label(page, "stream 13").boundingBox();
    assert.ok(a.y < b.y);
    await page.mouse.move(a.x + 60, a.y + 6);
    await page.mouse.down();
    await page.mouse.move(a.x + 60, b.y + b.height - 2, { steps: 8 });
    await page.mouse.up();
    assert.ok(await top(page, "stream 7") > await top(page, "stream 13"));
  });

  it("become taller by keys and by their lower edge, and labels wider", async () => {
    const height = async () => (await label(page, "main").boundingBox()).height, at = await height();
    await label(page, "main").focus();
    await page.keyboard.press("Alt++");
    const taller = await height();
    assert.ok(taller > at, `${taller} > ${at}`);
    const box = await label(page, "main").boundingBox();
    await page.mouse.move(box.x + 80, box.y + box.height - 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + box.height + 38, { steps: 5 });
    await page.mouse.up();
    assert.ok(Math.abs(await height() - taller - 40) < 6, `${await height()}`);
    const width = async () => (await page.locator("#tl-gutter").boundingBox()).width, wide = await width();
    await page.focus("#tl-split");
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs(await width() - wide - 24) < 1.5);
    const split = await page.locator("#tl-split").boundingBox();
    await page.mouse.move(split.x + 4, split.y + 200);
    await page.mouse.down();
    await page.mouse.move(split.x + 64, split.y + 200, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs(await width() - wide - 84) < 6, `${await width()}`);
  });

  it("are filtered by name", async () => {
    await page.focus("#tl-scroll");
    await page.keyboard.press("t");
    await page.fill("#tl-filter", "stream 1");
    await page.waitForFunction(() => window.timeline.arrangement.filter !== "");
    const tracks = await page.evaluate(() => window.timeline.scene.items.filter((one) => one.kind === "track")
      .map((one) => one.track.name));
    assert.deepEqual(tracks, ["stream 13"]);
    await page.press("#tl-filter", "Escape");
    assert.ok((await names(page)).includes("main"));
  });

  it("are as they were on another visit, and by an address for somebody else", async () => {
    const seen = (one) => one.evaluate(() => {
      const { scene } = window.timeline;
      scene.setAll(true);
      return [scene.items.map((item) => [scene.nameOf(item), item.height, Boolean(item.pinned)]),
        document.getElementById("tl-gutter").clientWidth];
    });
    await label(page, "main").focus();
    await page.keyboard.press("p");
    const was = await seen(page), address = await page.evaluate(() => window.timeline.address());
    await page.goto("about:blank");
    await page.goto(`file://${file}`);
    await ready(page);
    assert.deepEqual(await seen(page), was);
    const other = await open(file + address);
    await ready(other);
    await other.waitForFunction(() => window.timeline.arrangement.pinned.length > 0);
    assert.deepEqual(await seen(other), was);
    await other.close();
    await page.click("#tl-tracks-words");
    await page.locator("#tl-hidden button", { hasText: "as it was at first" }).click();
    await page.click("#tl-tracks-words");
    assert.equal(await page.locator(".tl-label.tl-pinned").count(), 0);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });

  it("have labels that tell them apart however narrow", async () => {
    await page.evaluate(() => { window.timeline.scene.setAll(true); window.timeline.view.arranged(); });
    for (const width of [400, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      const words = await page.evaluate(() => [...document.querySelectorAll("#tl-gutter .tl-track")]
        .filter((one) => /number \d/.test(window.timeline.scene.nameOf(one.item)))
        .map((one) => [one.firstChild.textContent, one.firstChild.scrollWidth <= one.firstChild.clientWidth + 1]));
      assert.equal(words.length, 8);
      assert.equal(new Set(words.map(([text]) => text)).size, 8, words.join());
      assert.ok(words.every(([text, fits]) => fits && text.includes("…")), words.join());
    }
  });

  it("say beside a name nothing that has no room for a word", async () => {
    await page.evaluate(() => { window.timeline.scene.setAll(true); window.timeline.view.arranged(); });
    for (const [width, least] of [[400, 0], [1400, 4]]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      const rooms = await page.evaluate(() => [...document.querySelectorAll("#tl-gutter .tl-track small:not([hidden])")]
        .filter((one) => one.textContent).map((one) => [one.textContent, one.clientWidth, one.scrollWidth]));
      assert.ok(rooms.length >= least, `${rooms.length} at ${width}`);
      for (const [text, has, wants] of rooms) assert.ok(has >= Math.min(wants, 38), `${text}: ${has} of ${wants} at ${width}`);
    }
    await page.setViewportSize({ width: 400, height: 900 });
    await settled(page);
    const counters = await page.evaluate(() => window.timeline.scene.runs[0].counters.map(({ series }) => series.top));
    const words = await page.locator("#tl-gutter .tl-counter small").allTextContents();
    assert.ok(counters.length > 0);
    assert.deepEqual(words.map((text) => Math.round(parseFloat(text.match(/^most ([\d.,]+)/)[1].replace(/,/g, "")))),
      counters.map((value) => Math.round(value)));
    assert.match(await page.locator("#tl-gutter .tl-heading span").first().textContent(), /^Counters \(\d+\)$/);
  });

  it("are drawn without asking the page anew for each label", async () => {
    const { asked, labels } = await page.evaluate(() => {
      const { view, scene } = window.timeline, usual = Object.getOwnPropertyDescriptor(Element.prototype, "scrollTop");
      let asked = 0;
      scene.setAll(true);
      view.arranged();
      view.draw();
      Object.defineProperty(view.scroll, "scrollTop", { configurable: true,
        get() { asked++; return usual.get.call(this); }, set(to) { usual.set.call(this, to); } });
      view.draw();
      delete view.scroll.scrollTop;
      return { asked, labels: view.labels.made.size };
    });
    assert.ok(labels > 10);
    assert.ok(asked <= 2, `${asked} times`);
  });

  it("has no errors", () => assert.deepEqual(page.problems, []));
});

describe("a report on a phone", () => {
  it("shows every value of its tables within the screen", async () => {
    tandem("import", "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz");
    tandem("report", "last", "-o", path.join(folder, "phone.html"));
    const page = await open(path.join(folder, "phone.html"), { viewport: { width: 400, height: 900 } });
    await page.waitForSelector(".table.stacked");
    const seen = (width) => page.evaluate((wide) => {
      const cut = [], rows = [...document.querySelectorAll("#where-gpu-time-goes tbody tr, #advice tbody tr")];
      for (const cell of rows.filter((row) => !row.hidden).flatMap((row) => [...row.cells])) {
        const box = cell.getBoundingClientRect();
        if (box.width > 0 && (box.right > wide || cell.scrollWidth > cell.clientWidth + 1)) cut.push(cell.textContent);
      }
      const figures = [...document.querySelectorAll("#where-gpu-time-goes .scroll")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1);
      return { cells: rows.length, cut, figures: figures.length, page: document.documentElement.scrollWidth };
    }, width);
    const phone = await seen(400);
    assert.ok(phone.cells > 3);
    assert.deepEqual([phone.cut, phone.figures, phone.page], [[], 0, 400]);
    const named = await page.evaluate(() => [...document.querySelectorAll("#advice .stacked tbody tr:first-child > *")]
      .map((cell) => cell.dataset.title));
    assert.ok(named.includes("rule"), named.join());
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.waitForFunction(() => !document.querySelector(".table.stacked"));
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
