// Rows of a report open their place in its timeline: one with a time that time, one that sums spans of a name the
// next of these, over and over, one that sums other rows the largest of them, one about a GPU or a category its tracks.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { close, folder, open, settled, sql, tandem } from "./browser.mjs";

after(close);

// What the timeline shows when the way from the first row of a table has been taken.
async function follow(page, inside, way) {
  const was = await inside.evaluate(() => window.timeline.detail.span?.number ?? -1);
  const { place, find, pick } = await way.evaluate((button) => ({ ...button.closest("tr").dataset }));
  if (pick) await inside.evaluate(() => window.timeline.detail.clear());
  await way.evaluate((button) => button.click());
  if (pick) await inside.waitForSelector("#tl-detail-body .tl-sum");
  if (find !== undefined) {
    await inside.waitForFunction((number) => (window.timeline.detail.span?.number ?? -1) !== number
      || /first|last/.test(document.getElementById("tl-found-count").textContent), was);
  }
  await settled(inside);
  const shown = await inside.evaluate(() => ({ from: window.timeline.time.from, to: window.timeline.time.to,
    span: window.timeline.detail.span && { name: window.timeline.detail.span.name,
      from: window.timeline.detail.span.start, to: window.timeline.detail.span.end } }));
  const picked = await inside.evaluate(() => {
    const { runs: [run], arrangement, scene, view, detail } = window.timeline;
    const tracks = run.tracks.filter((track) => arrangement.selected.has(`T0.${track.id}`));
    const inView = (track) => {
      const item = scene.items.find((one) => one.track === track);
      return item && item.y < view.scroll.scrollTop + view.height && item.y + item.height > view.scroll.scrollTop;
    };
    return { tracks: tracks.map((track) => ({ group: run.groupOf(track), track: track.name, lane: scene.lanes[track.lane],
      id: track.id })), seen: tracks.some(inView), range: detail.range,
      open: [...document.querySelectorAll("#tl-detail-body .tl-sum[open]")].map((one) => one.dataset.category) };
  });
  return { place, find, pick: pick && JSON.parse(pick), picked, ...shown };
}

// Tables whose rows have no place, and why.
const WITHOUT = {
  "Not judged": "what was not recorded lies nowhere",
  "LLM serving: times": "quantiles of all requests",
  "LLM serving: luck and model": "how sure quantiles of all requests are",
};

for (const [name, source, least] of [
  ["Nsight Systems", ["import", "tests/data/nsys/h100_2gpu_1s.sqlite.gz"], 44],
  ["a simulated run", ["run", "demo", "--duration", "5s", "--spans", "all"], 24],
  ["a simulated LLM server", ["run", "llm-one-h100", "--duration", "10s", "--spans", "all", "--replications", "1"], 10],
  ["a run by windows", ["run", "demo", "--duration", "6s", "--windows", "1s", "--spans", "all"], 25],
]) {
  describe(`rows of a report of ${name}`, () => {
    let page, inside;
    before(async () => {
      tandem(...source);
      const file = path.join(folder, "places.html");
      tandem("report", "last", "-o", file);
      page = await open(file);
      await page.locator("iframe.timeline").scrollIntoViewIfNeeded();
      inside = await (await page.waitForSelector("iframe.timeline")).contentFrame();
      await inside.waitForSelector("#tl[data-ready]");
    });
    after(() => page.close());

    it("open what they tell of", async () => {
      let tried = 0;
      for (const table of await page.$$(".table:has(button.place)")) {
        const caption = await table.getAttribute("aria-label"), way = await table.$("button.place");
        const { place, find, pick, picked, from, to, span } = await follow(page, inside, way);
        tried++;
        if (pick) {
          // All of the time, and no tracks but those that SQL says are meant.
          const { group, track, lane, category } = pick, is = (column, value) => (value === undefined ? ""
            : ` and ${column} = '${value.replaceAll("'", "''")}'`);
          const meant = sql(`select distinct t.id from track t join span s on s.run = t.run and s.track = t.id
            where t.run = run('last') and s.shape in ('span', 'open', 'async')${is("t.process", group)}${is("t.name", track)}${
            is("t.lane", lane)}${is("s.category", category)}`).map((row) => row.id).sort((a, b) => a - b);
          assert.ok(meant.length > 0 && picked.seen, `${caption}: ${JSON.stringify(pick)}`);
          assert.deepEqual(picked.tracks.map((one) => one.id).sort((a, b) => a - b), meant, caption);
          assert.ok(from <= picked.range.from && to >= picked.range.to, caption);
          if (category) assert.deepEqual(picked.open, [category], caption);
          continue;
        }
        assert.deepEqual(picked.tracks, [], `${caption}: tracks of the row before are still selected`);
        if (place) {
          const [first, last] = place.split("..").map(Number);
          assert.ok(from <= first && to >= last, `${caption}: ${place} is not in ${from}..${to}`);
          continue;
        }
        const like = new RegExp(`^${find.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}/]/g, "\\$&"))
          .join(".*")}`, "i");
        assert.match(span.name, like, caption);
        assert.ok(from <= span.from && to >= span.to, `${caption}: what is selected is beside the picture`);
        assert.ok(span.to - span.from > (to - from) / 100, `${caption}: what is selected cannot be seen`);
      }
      assert.ok(tried >= least, `${tried} tables have ways`);
      const none = await page.evaluate(() => [...document.querySelectorAll(".table")].filter((table) =>
        !table.querySelector("button.place")).map((table) => table.getAttribute("aria-label")));
      assert.deepEqual(none.filter((caption) => !WITHOUT[caption]), []);
      assert.deepEqual(page.problems, []);
    });
  });
}

describe("one row of a report", () => {
  it("walks through all spans of its name", async () => {
    tandem("import", "tests/data/nsys/h100_2gpu_1s.sqlite.gz");
    const file = path.join(folder, "walk.html");
    tandem("report", "last", "-o", file);
    const page = await open(file);
    const inside = await (await page.waitForSelector("iframe.timeline")).contentFrame();
    const way = page.locator("#api-calls tr", { hasText: "cudaStreamSynchronize" }).locator("button.place");
    await way.scrollIntoViewIfNeeded();
    await page.locator("iframe.timeline").scrollIntoViewIfNeeded();
    await inside.waitForSelector("#tl[data-ready]");
    const there = sql("select start_ns, dur_ns from span where run = run('last') and name = 'cudaStreamSynchronize'"
      + " order by start_ns").map((row) => Number(row.dur_ns));
    const seen = [];
    for (let i = 0; i < there.length; i++) {
      const { span } = await follow(page, inside, await way.elementHandle());
      seen.push(span.to - span.from);
    }
    assert.deepEqual(seen.sort(), there.sort());
    await page.close();
  });
});
