// A timeline that has not all spans of its run: as a whole it looks like the one that has, no time looks idle that
// is not, and whatever it says of the run is true. Held against the whole timeline and SQL on the store.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { close, folder, open, sql, tandem } from "./browser.mjs";

after(close);

const script = path.join(folder, "thin.lua");
writeFileSync(script, `local most, out = tonumber(arg[1]), arg[2]
local td = require "tandem"
local store = assert(td.store(os.getenv "TANDEM_STORE"))
local made = assert(require("tandem.timeline").of(assert(store:run "last"), nil, { most = most }))
local file = assert(io.open(out, "w"))
file:write(require("tandem.page.timeline").of(made))
file:close()
store:close()
`);

const DRAWN = "run = run('last') and shape in ('span', 'open', 'async')";

// All lanes open, a part of the time, everything unpacked: the picture's pixels.
const picture = (page, from, to) => page.evaluate(async ([from, to]) => {
  const { scene, view, time } = window.timeline;
  scene.setAll(true);
  view.arranged();
  time.set(from * time.last, to * time.last);
  do {
    view.draw();
    await new Promise((done) => setTimeout(done, 50));
  } while (view.paint.coarse > 0 || window.timeline.blocks.coming.size > 0);
  view.draw();
  const words = [...view.paint.pixels].map((pixel) => String.fromCharCode(pixel & 65535, pixel >>> 16 & 255)).join("");
  return { words, drawn: view.paint.drawn, paper: String.fromCharCode(view.colours.paperPixel & 65535,
    view.colours.paperPixel >>> 16 & 255) };
}, [from, to]);

const sumsOf = (page, from, to) => page.evaluate(async ([from, to]) => {
  const list = await Sums.of(window.timeline.runs, { from, to }, () => true, () => false, () => {});
  return { missing: list.missing, names: list.map(({ category, name, count, busy, longest }) =>
    ({ category, name, count, busy, longest })) };
}, [from, to]);

function wanted(origin, from, to) {
  const [a, b] = [from, to].map((ns) => BigInt(origin) + BigInt(ns));
  return new Map(sql(`select category, name, count(*) n, sum(max(0, min(end_ns, ${b}) - max(start_ns, ${a}))) busy,
    max(dur_ns) longest from span where ${DRAWN} and start_ns < ${b} and end_ns > ${a} group by 1, 2`)
    .map((row) => [`${row.category} ${row.name}`, row]));
}

for (const [name, source, most] of [
  ["a capture", ["import", "tests/data/nsys/h100_2gpu_1s.sqlite.gz"], 5000],
  ["a simulation", ["run", "demo", "--duration", "20s", "--spans", "all", "--replications", "1"], 4000],
]) {
  describe(`a thinned timeline of ${name}`, () => {
    let whole, page, origin, length, all;
    before(async () => {
      tandem(...source);
      const file = (one) => path.join(folder, `${name.replace(" ", "-")}-${one}.html`);
      tandem("view", "last", "-o", file("whole"));
      tandem("lua", script, String(most), file("thin"));
      [whole, page] = [await open(file("whole")), await open(file("thin"))];
      for (const one of [whole, page]) await one.waitForSelector("#tl[data-ready]");
      [origin, length] = await page.evaluate(() => [window.timeline.runs[0].origin, window.timeline.runs[0].length]);
      all = sql(`select count(*) n from span where ${DRAWN}`)[0].n;
    });
    after(async () => {
      assert.deepEqual([...whole.problems, ...page.problems], []);
      await whole.close();
      await page.close();
    });

    it("says how many of how many spans it has, and which", async () => {
      const said = await page.evaluate(() => ({ held: window.timeline.runs[0].held, spans: window.timeline.runs[0].spans,
        text: document.getElementById("tl-count").textContent, title: document.getElementById("tl-count").title }));
      assert.equal(said.spans, all);
      assert.ok(said.held > most / 4 && said.held <= most && said.held < all / 2, `${said.held} of ${all}`);
      assert.match(said.text, new RegExp(`^${said.held.toLocaleString("en")} of [\\d,]+ spans$`));
      assert.match(said.title, /longest of each \d+ neighbours/);
    });

    it("has every span that is as long as it says", async () => {
      const { least, long } = await page.evaluate(async () => {
        const run = window.timeline.runs[0], least = run.thinned.whole_ns;
        let long = 0;
        for (let n = 0; n < run.held; n++) long += (await run.span(n)).length >= least;
        return { least, long };
      });
      assert.equal(long, sql(`select count(*) n from span where ${DRAWN} and dur_ns >= ${least}`)[0].n);
    });

    it("shows no time as idle that is not", async () => {
      for (const [from, to] of [[0, 1], [0.3, 0.5], [0.42, 0.44], [0.43, 0.431]]) {
        const [a, b] = [await picture(whole, from, to), await picture(page, from, to)];
        assert.equal(a.words.length, b.words.length);
        let hole = 0, busy = 0;
        for (let i = 0; i < a.words.length; i += 2) {
          const idle = (one) => one.words[i] === one.paper[0] && one.words[i + 1] === one.paper[1];
          busy += !idle(a);
          hole += idle(b) && !idle(a);
        }
        assert.equal(hole, 0, `${from}..${to}`);
        assert.ok(busy > 1000, busy);
      }
    });

    it("sums up all of the time exactly, a part to what is at least there", async () => {
      const { names, missing } = await sumsOf(page, 0, length);
      assert.equal(missing.count, 0);
      const truth = new Map(sql(`select category, name, count(*) n, sum(dur_ns) busy, max(dur_ns) longest from span
        where ${DRAWN} group by 1, 2`).map((row) => [`${row.category} ${row.name}`, row]));
      assert.equal(names.length, truth.size);
      for (const one of names) {
        const { n, busy, longest } = truth.get(`${one.category} ${one.name}`);
        assert.deepEqual([one.count, one.busy, one.longest], [n, busy, longest], one.name);
      }
      let without = 0;
      for (const [a, b] of [[0.1, 0.93], [0.4, 0.45], [0.41, 0.411], [0, 0.5]]) {
        const [from, to] = [Math.round(a * length), Math.round(b * length)], part = await sumsOf(page, from, to);
        const there = wanted(origin, from, to);
        let count = 0, busy = 0;
        for (const row of there.values()) {
          count += row.n;
          busy += row.busy;
        }
        for (const one of part.names) {
          const row = there.get(`${one.category} ${one.name}`) || { n: 0, busy: 0, longest: 0 };
          // A span that only touches the range is none of it, and none to SQL.
          assert.ok(one.count <= row.n || one.busy === 0, `${one.name}: ${one.count} of ${row.n}`);
          assert.ok(one.busy <= row.busy, `${one.name}: ${one.busy} of ${row.busy}`);
        }
        const sum = (key) => part.names.reduce((all, one) => all + one[key], 0);
        assert.ok(sum("count") + part.missing.count >= count, `${a}..${b}: ${sum("count")} + ${part.missing.count} of ${count}`);
        assert.ok(sum("busy") + part.missing.busy >= busy, `${a}..${b}: ${sum("busy")} + ${part.missing.busy} of ${busy}`);
        without += part.missing.count;
      }
      assert.ok(without > 0); // else this says nothing
    });

    it("says that a range's sums are what is at least there", async () => {
      const said = await page.evaluate(async ([from, to]) => {
        window.timeline.detail.mark(from, to, true);
        while (!document.querySelector("#tl-detail-body .tl-sum")) await new Promise((done) => setTimeout(done, 20));
        return { note: document.querySelector(".tl-missing")?.textContent, text: window.timeline.detail.text,
          heads: [...document.querySelectorAll("#tl-detail-body .tl-sum > summary small")].map((one) => one.textContent) };
      }, [0.1001 * length, 0.9302 * length]);
      assert.match(said.note, /up to [\d,]+ spans more, at most .* are not on this page/);
      assert.match(said.text, /not on this page, at most/);
      assert.ok(said.heads.length > 0 && said.heads.every((head) => head.startsWith("at least ")), said.heads.join());
    });

    it("finds every name, with counts of all, and goes to those that are there", async () => {
      const names = sql(`select name, count(*) n, sum(dur_ns) busy from span where ${DRAWN} group by 1 order by n desc limit 12`);
      for (const row of names) {
        const said = await page.evaluate(async (text) => {
          await window.timeline.walk(text);
          const found = window.timeline.runs[0].totalsTable, run = window.timeline.runs[0];
          let count = 0, total = 0;
          for (let i = 0; i < found.rows; i++) {
            if (run.names[found.name[i]] !== text) continue;
            count += found.count[i];
            total += found.total[i];
          }
          return { count, total, at: window.timeline.detail.span?.name, words: document.getElementById("tl-found-count").textContent };
        }, row.name);
        assert.deepEqual([said.count, said.total], [row.n, row.busy], row.name);
        assert.equal(said.at, row.name);
        assert.match(said.words, /on this page|that was the (last|first)/);
      }
    });

    it("says of arrows and SQL what they lack", async () => {
      const arrows = await page.evaluate(async () => {
        const { runs: [run], blocks, detail } = window.timeline, out = [];
        const all = await blocks.all(run.arrows, ["from", "to", "kind"].map((key) => [key, "number"]));
        for (let i = 0; i < all.rows && out.length < 20; i++) {
          if (!Number.isNaN(all.from[i]) && Number.isNaN(all.to[i])) out.push(all.from[i]);
        }
        for (const number of out) {
          await detail.choose(await run.span(number), true);
          for (let k = 0; k < 6000 && !/Arrows/.test(document.getElementById("tl-detail-body").textContent); k++) {
            await new Promise((done) => setTimeout(done, 20));
          }
          if (!/other end among the spans that are not on this page/.test(document.getElementById("tl-detail-body").textContent)) return -1;
        }
        return out.length;
      });
      assert.ok(arrows >= 0, "an arrow's end is missing and nothing says so");
      if (name === "a capture") assert.ok(arrows > 0);
      await page.evaluate(() => {
        document.getElementById("tl-sql").open = true;
        document.getElementById("tl-sql-text").value = "SELECT count(*) n FROM span";
        document.getElementById("tl-sql-go").click();
      });
      await page.waitForFunction(() => /\d row/.test(document.getElementById("tl-sql-said").textContent));
      const said = await page.locator("#tl-sql-said").textContent();
      assert.match(said, /the table span has [\d,]+ of the [\d,]+ spans/);
    });
  });
}

describe("a thinned timeline as a whole", () => {
  it("is drawn as the whole one", async () => {
    tandem("run", "scenarios/01-demo.lua", "--spans", "all", "--replications", "1", "--set", "requests=21000");
    const file = (one) => path.join(folder, `same-${one}.html`);
    tandem("view", "last", "-o", file("whole"));
    tandem("lua", script, "120000", file("thin"));
    // A window so small that nodes are narrower than what they are drawn whole from.
    const narrow = { viewport: { width: 640, height: 900 } };
    const pages = [await open(file("whole"), narrow), await open(file("thin"), narrow)];
    for (const one of pages) await one.waitForSelector("#tl[data-ready]");
    const [a, b] = [await picture(pages[0], 0, 1), await picture(pages[1], 0, 1)];
    const held = await pages[1].evaluate(() => window.timeline.runs[0].held);
    const spans = await pages[1].evaluate(() => window.timeline.runs[0].spans);
    assert.ok(held < 120000 && spans > 131072, `${held} of ${spans}`);
    assert.ok(a.drawn > 1000);
    let differ = 0;
    for (let i = 0; i < a.words.length; i += 2) differ += a.words[i] !== b.words[i] || a.words[i + 1] !== b.words[i + 1];
    assert.ok(differ <= a.words.length / 2 / 100, `${differ} of ${a.words.length / 2}`);
    for (const page of pages) await page.close();
  });
});
