// What a timeline says of a range, of some tracks, of a search and of bottlenecks, in a real browser,
// held against SQL on the store.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { close, folder, open, sql, tandem } from "./browser.mjs";

const DRAWN = "run = run('last') and shape in ('span', 'open', 'async')";
const file = (name) => path.join(folder, name);

async function timeline(name) {
  tandem("view", "last", "-o", file(name));
  const page = await open(file(name));
  await page.waitForSelector("#tl[data-ready]");
  return page;
}

// Marks a range and waits for its sums: by category [count, busy in ns], and the names of one.
const sumsOf = (page, from, to) => page.evaluate(async ([from, to]) => {
  const { detail, runs, arrangement } = window.timeline;
  detail.mark(from, to, true);
  while (!document.querySelector("#tl-detail-body .tl-sum")) await new Promise((done) => setTimeout(done, 20));
  const keep = (track) => arrangement.selected.size === 0 || arrangement.selected.has(`T0.${track.id}`);
  const list = await Sums.of(runs, { from, to }, keep, () => false, () => {});
  return { shown: [...document.querySelectorAll("#tl-detail-body .tl-sum summary")].map((one) => one.textContent),
    names: list.map(({ name, category, count, busy, longest }) => [category, name, count, busy, longest]).sort() };
}, [from, to]);

function wanted(origin, from, to, where = "") {
  const [a, b] = [from, to].map((ns) => BigInt(origin) + BigInt(ns));
  return sql(`select category, name, count(*) n, sum(max(0, min(end_ns, ${b}) - max(start_ns, ${a}))) busy, max(dur_ns) longest
    from span where ${DRAWN} ${where} and start_ns < ${b} and end_ns > ${a} group by 1, 2`)
    .map((row) => [row.category, row.name, row.n, row.busy, row.longest]).sort();
}

after(close);

describe("a long range", () => {
  let page, origin, length;
  before(async () => {
    tandem("run", "scenarios/01-demo.lua", "--spans", "all", "--replications", "1", "--set", "requests=21000");
    page = await timeline("long.html");
    [origin, length] = await page.evaluate(() => [window.timeline.runs[0].origin, window.timeline.runs[0].length]);
    assert.ok(await page.evaluate(() => window.timeline.runs[0].sums.length > 0));
  });
  after(() => page.close());

  it("comes to what its spans come to, in part and as a whole", async () => {
    const between = (a, b) => [Math.round(length * a), Math.round(length * b)];
    for (const [from, to] of [between(0.1, 0.93), between(0.4, 0.4001), between(0, 0.5)]) {
      const { names } = await sumsOf(page, from, to);
      assert.ok(names.length > 2);
      assert.deepEqual(names, wanted(origin, from, to));
    }
    const { names } = await sumsOf(page, 0, length);
    assert.deepEqual(names.map((row) => row.slice(0, 3)), sql(`select category, name, count(*) n from span
      where ${DRAWN} group by 1, 2`).map((row) => Object.values(row)).sort());
  });

  it("is summed up by the key R without unpacking what lies within", async () => {
    const fresh = await open(file("long.html"));
    await fresh.waitForSelector("#tl[data-ready]");
    // Drawing asks by part(); what sums look at, they load.
    await fresh.evaluate(() => {
      const { runs: [run] } = window.timeline, load = run.load.bind(run);
      window.looked = 0;
      run.load = (level, number) => {
        if (level === 0) window.looked++;
        return load(level, number);
      };
    });
    await fresh.focus("#tl-scroll");
    await fresh.keyboard.press("r");
    await fresh.waitForSelector("#tl-detail-body .tl-sum");
    assert.equal(await fresh.evaluate(() => window.looked), 0);
    await fresh.close();
  });

  it("is added up on the tracks that are selected, only", async () => {
    const gpu = page.locator('#tl-gutter .tl-track:has(span:text-is("L40 gpu"))').last();
    await gpu.focus();
    const id = await gpu.evaluate((one) => one.item.track.id);
    await page.keyboard.press("x");
    const from = Math.round(length * 0.2), to = Math.round(length * 0.6), { names, shown } = await sumsOf(page, from, to);
    assert.deepEqual(names, wanted(origin, from, to, `and track = ${id}`));
    assert.equal(shown.length, 1);
    assert.match(await page.textContent("#tl-detail-body"), /Tracks\s*L40 gpu/);
    assert.ok(await gpu.evaluate((one) => one.classList.contains("tl-selected")));
    await gpu.click({ modifiers: ["Control"] });
    assert.equal(await page.evaluate(() => window.timeline.arrangement.selected.size), 0);
    await page.waitForFunction(() => document.querySelectorAll("#tl-detail-body .tl-sum").length > 1);
  });

  it("is what F shows", async () => {
    await page.evaluate(([a, b]) => { window.timeline.time.fit(); window.timeline.detail.mark(a, b, true); }, [length * 0.3, length * 0.31]);
    await page.focus("#tl-scroll");
    await page.keyboard.press("f");
    const [from, to] = await page.evaluate(() => [window.timeline.time.from, window.timeline.time.to]);
    assert.ok(from < length * 0.3 && to > length * 0.31 && to - from < length * 0.012, `${from}..${to}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    assert.equal(await page.evaluate(() => window.timeline.time.length), length);
  });

  it("has each bottleneck once, with its stretches under it", async () => {
    const { entries, marks } = await page.evaluate(() => ({ marks: window.timeline.marks.length,
      entries: window.timeline.bottlenecks.map((one) => [one.text, one.marks.length]) }));
    assert.ok(marks > entries.length && entries.some(([, n]) => n > 1), `${marks} in ${entries.length}`);
    assert.equal(entries.reduce((sum, [, n]) => sum + Math.max(n, 1), 0), marks);
    await page.click(".tl-drop:has(#tl-marks) > summary");
    await page.locator("#tl-marks details summary").first().click();
    await page.locator("#tl-marks details[open] li button").nth(1).waitFor(); // made when it opens
    await page.click(".tl-drop:has(#tl-marks) > summary");
  });

  it("has no errors", () => assert.deepEqual(page.problems, []));
});

describe("a capture", () => {
  let page;
  before(async () => {
    tandem("import", "tests/data/kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz");
    page = await timeline("found.html");
  });
  after(() => page.close());

  it("never adds kernels, calls and ranges up", async () => {
    const length = await page.evaluate(() => window.timeline.runs[0].length), { shown } = await sumsOf(page, 0, length);
    const rows = sql(`select category, count(*) n from span where ${DRAWN} group by 1`);
    assert.equal(shown.length, rows.length);
    for (const { category, n } of rows) {
      assert.ok(shown.some((text) => text.startsWith(`${category}${n.toLocaleString("en")} ×`)), `${category} ${n}: ${shown}`);
    }
  });

  it("counts what the store counts, instants too", async () => {
    const [{ n }] = sql("select count(*) n from span where run = run('last')");
    assert.equal(await page.textContent("#tl-count"), `${n.toLocaleString("en")} spans`);
    const [{ i }] = sql("select count(*) i from span where run = run('last') and shape = 'instant'");
    assert.ok(i > 0);
    assert.match(await page.getAttribute("#tl-count", "title"), new RegExp(`^${i} of them instants`));
  });

  it("names the idle GPU first, with its share", async () => {
    const rows = sql(`select start_ns a, end_ns b from span where ${DRAWN} and category in ('kernel', 'memcpy', 'memset')
      order by start_ns`);
    let busy = 0, end = rows[0].a, longest = 0;
    for (const { a, b } of rows) {
      longest = Math.max(longest, a - end);
      busy += Math.max(0, b - Math.max(a, end));
      end = Math.max(end, b);
    }
    const share = 100 * (1 - busy / (end - rows[0].a));
    const [first] = await page.evaluate(() => window.timeline.bottlenecks.map(({ text, kind, from, to }) => ({ text, kind, from, to })));
    assert.equal(first.kind, "idle");
    assert.ok(first.text.startsWith(`NVIDIA H100 80GB HBM3 #0: idle for ${share.toFixed(1)} % of `), first.text);
    assert.equal(first.to - first.from, longest);
  });

  it("finds spans by their arguments", async () => {
    const [{ grid, n }] = sql(`select json_extract(args, '$.grid_x') grid, count(*) n from span where ${DRAWN}
      and category = 'kernel' group by 1 order by n limit 1`);
    await page.fill("#tl-search", `grid_x=${grid}`);
    await page.waitForFunction((all) => document.getElementById("tl-found-count").textContent.includes(`1 of ${all} by`), n);
    await page.waitForFunction(() => /grid_x/.test(document.getElementById("tl-detail-body").textContent));
    const args = await page.evaluate(async () => {
      const { detail } = window.timeline;
      return Object.fromEntries(await detail.span.run.args(detail.span.number)).grid_x;
    });
    assert.equal(args, String(grid));
    await page.press("#tl-search", "Escape");
  });

  it("finds tracks and goes to them", async () => {
    await page.evaluate(() => { window.timeline.scene.setAll(false); window.timeline.view.arranged(); });
    await page.fill("#tl-search", "stream 7");
    await page.locator("#tl-found button", { hasText: "stream 7" }).first().click();
    assert.equal(await page.evaluate(() => document.activeElement.item?.track.name), "stream 7");
  });

  it("has no errors", () => assert.deepEqual(page.problems, []));
});

describe("what is said of a run", () => {
  it("says that nothing has a length, where a page would be blank without a word", async () => {
    tandem("import", "tests/data/gecko/firefox63_simple.json.gz");
    const samples = await timeline("samples.html");
    assert.equal(await samples.textContent("#tl-count"), "39 instants, not drawn");
    await samples.close();
  });

  it("groups the digits of many seconds", async () => {
    tandem("import", "tests/data/nccl/inspector_readme.jsonl");
    const long = await timeline("weeks.html");
    assert.equal(await long.textContent("#tl-span"), "4,836,852 s of 4,836,852 s");
    assert.equal(await long.evaluate(() => [2e15, 5e12, 1.25e9].map((ns, i) => Format.moment(ns, [1e15, 1e12, 1e7][i])).join()),
      "2,000,000 s,5000 s,1.25 s");
    await long.close();
  });
});
