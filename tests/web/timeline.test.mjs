// The timeline in a real browser: that it shows what the store holds, and what a person can do with it.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { close, folder, open, settled, sql, tandem } from "./browser.mjs";

const ready = (page) => page.waitForSelector("#tl[data-ready]");
const file = (name) => path.join(folder, name);

async function timeline(name, args, options, hash = "") {
  tandem("view", ...args, "-o", file(name));
  const page = await open(file(name) + hash, options);
  await ready(page);
  return page;
}

// All spans of the page's first run as [start, length, name, category, track], by start.
const allSpans = (page) => page.evaluate(async () => {
  const { runs: [run] } = window.timeline, out = [];
  for (let n = 0; n < run.spans; n++) {
    const span = await run.span(n);
    out.push([span.start, span.length, span.name, span.category, span.track.id]);
  }
  return out;
});

after(close);

describe("the timeline of a capture", () => {
  let page;
  before(async () => {
    tandem("import", "tests/data/kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz");
    page = await timeline("capture.html", ["last"]);
  });
  after(() => page.close());

  it("asks the network for nothing and has no errors", () => {
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.asked.filter((url) => !url.startsWith("file:")), []);
  });

  it("takes no damaged block for data", async () => {
    const [blocks, bad] = await page.evaluate(async () => {
      const { text, lengths, begin } = window.timeline.blocks, bad = [];
      for (let i = 0; i < lengths.length; i++) {
        for (const part of [0, 0.3, 0.6, 0.9]) {
          const at = begin[i] + Math.floor(lengths[i] * part), digit = text[at] === "0" ? "1" : "0";
          const other = new Blocks(text.slice(0, at) + digit + text.slice(at + 1), lengths);
          let told = 0;
          other.broken = () => told++;
          const error = await other.decode(i, []).then(() => "taken", (e) => e.message);
          if (told !== 1 || error !== `block ${i} of its data cannot be unpacked`) bad.push([i, part, error]);
        }
      }
      return [lengths.length, bad];
    });
    assert.ok(blocks > 10);
    assert.deepEqual(bad, []);
  });

  it("says that its file is damaged", async () => {
    const whole = readFileSync(file("capture.html"), "utf8"), { begin, first, chunk } = await page.evaluate(() => {
      const { begin, text } = window.timeline.blocks, [run] = window.timeline.runs;
      return { begin: [...begin], first: text.slice(0, 20), chunk: Math.max(...run.chunks) };
    });
    const from = whole.indexOf(first), damaged = async (at, length) => {
      writeFileSync(file("damaged.html"), whole.slice(0, at) + "0".repeat(length) + whole.slice(at + length));
      const other = await open(file("damaged.html"));
      await other.waitForFunction(() => !document.getElementById("tl-wait")?.textContent.startsWith("Reading"));
      const said = await other.textContent("#tl-wait");
      assert.equal(other.problems.length > 0, true);
      await other.close();
      return said;
    };
    const told = "The timeline cannot be read; the file of this page is damaged: ";
    assert.match(await damaged(from + begin[chunk] + 9, 9), new RegExp(`^${told}block ${chunk} of its data`));
    assert.match(await damaged(whole.indexOf("timeline-meta") + 40, 9), new RegExp(`^${told}.*JSON`));
  });

  it("holds every span of the store, to the nanosecond", async () => {
    const rows = sql("select cast(start_ns as text) start_ns, dur_ns, name, category, track from span"
      + " where run = run('last') and shape in ('span', 'open', 'async')");
    const origin = await page.evaluate(() => window.timeline.runs[0].origin);
    const key = (a) => a.join("\u0001");
    const fromOrigin = (row) => Number(BigInt(row.start_ns) - BigInt(origin));
    const stored = rows.map((r) => key([fromOrigin(r), r.dur_ns, r.name, r.category, r.track])).sort();
    const shown = (await allSpans(page)).map(key).sort();
    assert.ok(stored.length > 1000);
    assert.deepEqual(shown, stored);
  });

  it("keeps the spans of a drawing row apart and in order", async () => {
    const overlaps = await page.evaluate(async () => {
      const { runs: [run] } = window.timeline;
      let bad = 0;
      for (let r = 0; r < run.rows; r++) {
        for (let n = run.first[r] + 1; n < run.first[r + 1]; n++) {
          const before = await run.span(n - 1), span = await run.span(n);
          if (span.start < before.end || span.row !== r) bad++;
        }
      }
      return bad;
    });
    assert.equal(overlaps, 0);
  });

  it("has levels of detail whose nodes come to their spans", async () => {
    const checked = await page.evaluate(async () => {
      const { runs: [run] } = window.timeline;
      let nodes = 0, wrong = 0;
      for (let level = 1; level < run.levelFirst.length; level++) {
        for (let r = 0; r < run.rows; r++) {
          const first = run.levelFirst[level], each = run.constructor.FAN ** level;
          for (let n = first[r]; n < first[r + 1]; n++) {
            const part = await run.load(level, n), i = n % run.constructor.CHUNK;
            const from = run.first[r] + (n - first[r]) * each, to = Math.min(from + each, run.first[r + 1]);
            let busy = 0;
            for (let k = from; k < to; k++) busy += (await run.span(k)).length;
            const begin = (await run.span(from)).start, end = (await run.span(to - 1)).end;
            nodes++;
            if (part.count[i] !== to - from || part.busy[i] !== busy) wrong++;
            if (part.start[i] !== begin || part.end[i] !== end) wrong++;
          }
        }
      }
      return { nodes, wrong };
    });
    assert.ok(checked.nodes > 25);
    assert.equal(checked.wrong, 0);
  });

  it("tells all arguments of a span that is chosen", async () => {
    const [row] = sql("select start_ns, name, args from span where category = 'kernel' and run = run('last') limit 1");
    const found = await page.evaluate(async ([name]) => {
      const { runs: [run], detail } = window.timeline;
      for (let n = 0; n < run.spans; n++) {
        const span = await run.span(n);
        if (span.category === "kernel" && span.name === name) {
          await detail.choose(span, true);
          return { start: span.start, args: Object.fromEntries(await run.args(n)) };
        }
      }
      return null;
    }, [row.name]);
    const wanted = JSON.parse(sql("select args from span where category = 'kernel' and run = run('last')"
      + ` and name = '${row.name.replaceAll("'", "''")}' order by start_ns limit 1`)[0].args);
    const texts = Object.fromEntries(Object.entries(wanted).map(([key, value]) =>
      [key, typeof value === "object" ? JSON.stringify(value) : String(value)]));
    assert.deepEqual(Object.keys(found.args).sort(), Object.keys(texts).sort());
    assert.equal(found.args.grid_x, texts.grid_x);
    const pane = await page.textContent("#tl-detail");
    assert.ok(pane.includes(row.name) && pane.includes("correlation"));
  });

  it("draws an arrow from a call to the kernel that it launched", async () => {
    await page.evaluate(async () => {
      const { runs: [run], detail } = window.timeline;
      let span;
      for (let n = 0; (span = await run.span(n)).category !== "kernel"; n++);
      await detail.choose(span, true);
    });
    await page.waitForSelector("#tl-detail-body .tl-way button span");
    const arrows = await page.locator("#tl-detail-body .tl-way button span").allTextContents();
    assert.ok(arrows.some((text) => /^← cu(da)?Launch/.test(text)), arrows.join());
  });

  it("finds names, says how often, and walks through them", async () => {
    const [{ n }] = sql("select count(*) n from span where name like '%gemm%' and run = run('last')"
      + " and shape in ('span', 'open', 'async')");
    await page.evaluate(() => window.timeline.detail.clear());
    await page.fill("#tl-search", "gemm");
    await page.waitForFunction(() => /spans/.test(document.getElementById("tl-found-count").textContent));
    assert.ok((await page.textContent("#tl-found-count")).includes(`${n.toLocaleString("en")} spans`));
    await page.press("#tl-search", "Enter");
    await page.waitForFunction(() => window.timeline.detail.span);
    const first = await page.evaluate(() => window.timeline.detail.span);
    await page.press("#tl-search", "Enter");
    await page.waitForFunction((start) => window.timeline.detail.span.start > start, first.start);
    assert.match(await page.textContent("#tl-detail-title"), /gemm/i);
    await page.press("#tl-search", "Escape");
  });

  it("adds up what ran in a range", async () => {
    const range = await page.evaluate(async () => {
      const { runs: [run], detail } = window.timeline;
      const range = { from: run.length * 0.3, to: run.length * 0.5 };
      detail.mark(range.from, range.to, true);
      while (!document.querySelector("#tl-detail-body ol")) await new Promise((done) => setTimeout(done, 50));
      const text = document.querySelector("#tl-detail-body [data-category=kernel] ol li").textContent;
      return { ...range, origin: run.origin, text };
    });
    const moment = (ns) => BigInt(range.origin) + BigInt(Math.round(ns));
    const from = moment(range.from), to = moment(range.to);
    const [top] = sql(`select name, count(*) n, sum(min(end_ns, ${to}) - max(start_ns, ${from})) busy from span
      where run = run('last') and shape in ('span','open','async') and start_ns < ${to} and end_ns > ${from}
      and category = 'kernel' group by name order by busy desc limit 1`);
    assert.ok(range.text.startsWith(top.name), `${range.text} / ${top.name}`);
  });

  it("comes back to the same picture from its address", async () => {
    const address = await page.evaluate(async () => {
      const { runs: [run], time, detail, address } = window.timeline;
      await detail.choose(await run.span(100), true);
      time.set(run.length * 0.25, run.length * 0.5);
      return address();
    });
    const other = await open(file("capture.html") + address);
    await ready(other);
    await other.waitForFunction(() => window.timeline.detail.span?.number === 100);
    const seen = (one) => one.evaluate(() => [window.timeline.time.from, window.timeline.time.to]);
    const [a, b] = await Promise.all([page, other].map(seen));
    assert.ok(Math.abs(a[0] - b[0]) < 2 && Math.abs(a[1] - b[1]) < 2);
    await other.close();
  });

  it("shows memory over time, its highest as the analysis says", async () => {
    const { tables } = JSON.parse(tandem("memory", "last", "--json")).result;
    const { rows } = tables.find((table) => table.name === "peaks");
    const peaks = Object.fromEntries(rows.map((row) => [row.device, row.peak_bytes]));
    const shown = await page.evaluate(() => window.timeline.runs[0].counters
      .filter((one) => one.name.startsWith("memory of ")).map((one) => [one.name.replace("memory of ", ""),
        one.series.top, ["B", "KiB", "MiB", "GiB"].indexOf(one.unit)]));
    assert.ok(shown.length > 0);
    assert.deepEqual(Object.fromEntries(shown.map(([name, top, unit]) => [name, top * 1024 ** unit])), peaks);
    assert.ok(shown.every(([, top, unit]) => top >= 1 && (top < 1024 || unit === 3) || unit === 0));
  });

  it("can be used by keyboard alone", async () => {
    await page.evaluate(() => { window.timeline.detail.clear(); window.timeline.time.fit(); });
    await page.focus("#tl-scroll");
    const length = () => page.evaluate(() => window.timeline.time.length);
    const whole = await length();
    await page.keyboard.press("w");
    assert.ok(await length() < whole);
    const from = await page.evaluate(() => window.timeline.time.from);
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.evaluate(() => window.timeline.time.from) > from);
    await page.keyboard.press("f"); // nothing is chosen
    assert.equal(await length(), whole);
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#tl-help"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tl-search");
  });

  it("zooms about the pointer with Ctrl and the wheel", async () => {
    await page.evaluate(() => window.timeline.time.fit());
    const box = await page.locator("#tl-canvas").boundingBox(), x = box.width * 0.3;
    const under = () => page.evaluate((at) => window.timeline.time.time(at), x);
    const before = await under();
    await page.mouse.move(box.x + x, box.y + 40);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await page.waitForFunction(() => window.timeline.time.length < window.timeline.runs[0].length * 0.9);
    assert.ok(Math.abs(await under() - before) < await page.evaluate(() => window.timeline.time.nsPerPixel) * 2);
  });
});

describe("the timeline of a simulated run", () => {
  let page;
  before(async () => {
    tandem("run", "scenarios/01-demo.lua", "--spans", "all");
    page = await timeline("demo.html", ["last"]);
  });
  after(() => page.close());

  it("shows one request's way through all stages", async () => {
    const way = await page.evaluate(async () => {
      const { runs: [run], requestOf } = window.timeline;
      for (let n = 0; ; n++) {
        const span = await run.span(n);
        if (span.name === "compute" && span.category === "stage") {
          const spans = await requestOf(span);
          return { id: span.request, spans: spans.map((one) => [one.category, one.name, one.start]) };
        }
      }
    });
    const stages = way.spans.filter(([category]) => category === "stage");
    assert.deepEqual(stages.map(([, name]) => name), ["preprocess", "h2d", "compute", "d2h", "postprocess"]);
    for (let i = 1; i < way.spans.length; i++) assert.ok(way.spans[i][2] >= way.spans[i - 1][2]);
  });

  it("counts how many are active as the spans say", async () => {
    const worst = await page.evaluate(async () => {
      const { runs: [run], scene } = window.timeline;
      const lane = scene.lanes.indexOf("GPU"), { series } = run.activity.find((one) => one.lane === lane);
      const spans = [];
      for (let n = 0; n < run.spans; n++) {
        const span = await run.span(n);
        if (span.category === "stage" && run.tracks[span.track.index].lane === lane) spans.push(span);
      }
      let worst = 0;
      for (let k = 0; k < 500; k++) {
        const at = run.length * (k + 0.5) / 500;
        const active = spans.filter((span) => span.start <= at && span.end > at).length;
        worst = Math.max(worst, Math.abs(active - series.at(at)));
      }
      return worst;
    });
    assert.equal(worst, 0);
  });

  it("plays, with live counters", async () => {
    await page.click("#tl-play");
    await page.waitForFunction(() => window.timeline.moment() > 0
      && /QUEUE \d.* GPU \d.*use of L40 gpu [\d.]+ %/.test(document.getElementById("tl-live").textContent));
    await page.click("#tl-play");
    const at = await page.evaluate(() => window.timeline.moment());
    await settled(page);
    assert.equal(await page.evaluate(() => window.timeline.moment()), at);
  });

  it("marks bottlenecks with figures that the spans say", async () => {
    const [mark, track] = await page.evaluate(() => {
      const mark = window.timeline.marks.find((one) => one.kind === "saturated");
      const { run, ...rest } = mark;
      return [{ ...rest, origin: run.origin }, run.tracks[mark.track].id];
    });
    const from = BigInt(mark.origin) + BigInt(mark.from), to = BigInt(mark.origin) + BigInt(mark.to);
    const [{ busy }] = sql(`select sum(min(end_ns, ${to}) - max(start_ns, ${from})) busy from span
      where run = run('last') and track = ${track} and category = 'stage' and start_ns < ${to} and end_ns > ${from}`);
    const [{ waiting }] = sql(`select sum(min(end_ns, ${to}) - max(start_ns, ${from})) waiting from span
      where run = run('last') and track = ${track} + 1 and category = 'wait'
      and start_ns < ${to} and end_ns > ${from}`);
    const length = Number(to - from);
    assert.ok(Math.abs(busy / length / mark.slots - mark.busy) < 1e-4);
    assert.ok(Math.abs(waiting / length - mark.waiting) < 1e-3 * mark.waiting);
    assert.match(mark.text, new RegExp("^L40 gpu: all 4 servers busy for [\\d.]+ % of [\\d.]+ ms; "
      + "[\\d.]+ waited on average, at most \\d+, most for compute$"));
    await page.click(".tl-drop:has(#tl-marks) summary");
    const first = page.locator("#tl-marks button").first();
    assert.equal(await first.locator("span").textContent(), await page.evaluate(() => window.timeline.bottlenecks[0].text));
    await first.click();
    const near = await page.evaluate(() => { const { time, bottlenecks: [one] } = window.timeline;
      return time.from <= one.from && time.to >= one.to && time.length < 2 * (one.to - one.from); });
    assert.ok(near);
    await page.click(".tl-drop:has(#tl-marks) summary");
  });

  it("shows how far each station is used, as its spans say", async () => {
    const found = await page.evaluate(() => {
      const { runs: [run] } = window.timeline;
      return run.counters.filter((one) => one.derived).map((one) => [one.name, one.unit, run.tracks[one.track].id,
        one.series.bins(0, run.length, 1).mean[0], run.length, run.tracks[one.track].capacity]);
    });
    assert.deepEqual(found.map(([name]) => name), ["use of L40 h2d", "use of L40 gpu", "use of L40 d2h"]);
    for (const [name, unit, track, mean, length, capacity] of found) {
      const [{ busy }] = sql(`select sum(dur_ns) busy from span
        where run = run('last') and track = ${track} and category = 'stage'`);
      assert.equal(unit, "%");
      assert.ok(Math.abs(100 * busy / length / capacity - mean) < 0.02 * mean + 0.5, `${name}: ${mean}`);
    }
  });

  it("follows the system into the dark, and fits a phone", async () => {
    const dark = await open(file("demo.html"), { colorScheme: "dark", viewport: { width: 390, height: 800 } });
    await ready(dark);
    const [paper, wide] = await dark.evaluate(() =>
      [window.timeline.colours.paper, document.documentElement.scrollWidth]);
    assert.ok(paper.every((part) => part < 60));
    assert.ok(wide <= 390, `${wide} px wide`);
    await dark.close();
  });
});

describe("the timeline on a phone", () => {
  let page, touch;
  before(async () => {
    page = await open(file("demo.html"), { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    await ready(page);
    const session = await page.context().newCDPSession(page);
    touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  });
  after(() => page.close());
  const seen = () => page.evaluate(() => { const { from, to } = window.timeline.time; return [from, to]; });

  it("zooms by a pinch, about what the fingers hold", async () => {
    const box = await page.locator("#tl-canvas").boundingBox(), middle = box.width / 2, y = box.y + 60;
    const held = await page.evaluate((x) => window.timeline.time.time(x), middle);
    const before = await seen();
    await touch("touchStart", [box.x + middle - 20, y], [box.x + middle + 20, y]);
    for (let spread = 25; spread <= 80; spread += 5) {
      await touch("touchMove", [box.x + middle - spread, y], [box.x + middle + spread, y]);
    }
    await touch("touchEnd");
    const after = await seen();
    assert.ok(Math.abs((before[1] - before[0]) / (after[1] - after[0]) - 4) < 0.2, `${before} ${after}`);
    const now = await page.evaluate((x) => window.timeline.time.time(x), middle);
    assert.ok(Math.abs(now - held) < (after[1] - after[0]) / 100);
  });

  it("pans by a drag and shows a span that is tapped, within the screen", async () => {
    const box = await page.locator("#tl-canvas").boundingBox(), before = await seen(), y = box.y + 60;
    await touch("touchStart", [box.x + 150, y]);
    for (let x = 145; x >= 50; x -= 5) await touch("touchMove", [box.x + x, y]);
    await touch("touchEnd");
    const after = await seen();
    assert.ok(Math.abs((after[0] - before[0]) / (before[1] - before[0]) - 100 / box.width) < 0.03);
    await page.evaluate(async () => {
      const { runs: [run], time } = window.timeline;
      let span;
      for (let n = 0; ; n++) if ((span = await run.span(n)).category === "stage" && span.name === "compute") break;
      time.show(span.start, span.end, 0.3);
      window.tapped = span;
    });
    await settled(page);
    const at = await page.evaluate(() => {
      const place = window.timeline.view.boxOf(window.tapped);
      return [place.x + place.width / 2, place.y + place.height / 2];
    });
    await page.touchscreen.tap(box.x + at[0], box.y + at[1]);
    await page.waitForFunction(() => window.timeline.detail.span);
    await page.waitForFunction(() => document.querySelector("#tl-detail-body ol"));
    const pane = await page.locator("#tl-detail").boundingBox();
    assert.ok(pane.y + pane.height <= 800.5 && pane.height > 150 && pane.x + pane.width <= 390, JSON.stringify(pane));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  });

  it("has lists and help within the screen", async () => {
    await page.click(".tl-drop:has(#tl-marks) summary");
    const list = await page.locator("#tl-marks").boundingBox();
    assert.ok(list.x >= 0 && list.x + list.width <= 390);
    await page.click(".tl-drop:has(#tl-marks) summary");
    await page.click("#tl-help-button");
    assert.ok(await page.locator("#tl-help-title").isVisible());
    assert.ok((await page.locator("#tl-help-title").boundingBox()).y > 0);
    assert.ok(await page.evaluate(() => document.getElementById("tl-help").scrollWidth) <= 390);
    await page.keyboard.press("Escape");
    assert.deepEqual(page.problems, []);
  });
});

describe("a person who does without sight, pointer or motion", () => {
  let page;
  before(async () => {
    page = await open(file("demo.html"), { reducedMotion: "reduce" });
    await ready(page);
  });
  after(() => page.close());

  it("meets lanes and tracks from top to bottom, also after some were opened", async () => {
    await page.click(".tl-lane >> nth=1");
    await page.click(".tl-lane >> nth=1");
    await settled(page);
    const tops = await page.evaluate(() => [...document.querySelectorAll("#tl-gutter .tl-label")]
      .map((one) => one.getBoundingClientRect().top));
    assert.ok(tops.length > 8);
    assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
  });

  it("is told what every control is", async () => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length))
      .map((one) => one.outerHTML));
    assert.deepEqual(nameless, []);
    assert.match(await page.getAttribute("#tl-scroll", "aria-label"), /keys/);
  });

  it("opens and shuts a lane and walks to the next request by keys", async () => {
    const lane = page.locator(".tl-lane").first();
    const open_ = await lane.getAttribute("aria-expanded");
    await lane.focus();
    await page.keyboard.press("Enter");
    await settled(page);
    assert.notEqual(await lane.getAttribute("aria-expanded"), open_);
    await page.keyboard.press("Enter");
    await page.fill("#tl-search", "compute");
    await settled(page);
    await page.press("#tl-search", "Enter");
    await page.waitForFunction(() => document.querySelector("#tl-detail-body ol"));
    const request = () => page.evaluate(() => window.timeline.detail.span.request);
    const first = await request();
    await page.press("#tl-search", "Tab");
    await page.focus("#tl-scroll");
    await page.keyboard.press("]");
    await page.waitForFunction((row) => window.timeline.detail.span.request === row + 1, first);
  });

  it("sees playback go on by steps, not by motion", async () => {
    const moments = [];
    for (let i = 0; i < 3; i++) {
      await page.click("#tl-play");
      await settled(page);
      moments.push(await page.evaluate(() => window.timeline.moment() / window.timeline.time.last));
      assert.equal(await page.getAttribute("#tl-play", "aria-label"), "Play");
    }
    for (let i = 1; i < 3; i++) assert.ok(Math.abs(moments[i] - moments[i - 1] - 0.05) < 1e-6, `${moments}`);
  });
});

describe("two runs on one clock", () => {
  it("stand stacked, over each other, or as their difference, and can be moved", async () => {
    const runs = JSON.parse(tandem("runs", "--json")).result.rows;
    const real = runs.find((run) => run.kind === "measured"), sim = runs.find((run) => run.kind === "simulated");
    const page = await timeline("two.html", [real.id, sim.id, "--align", "first"]);
    const pictures = [];
    for (const mode of ["stacked", "overlay", "difference"]) {
      await page.check(`#tl-modes input[value=${mode}]`);
      await settled(page);
      pictures.push((await page.locator("#tl-canvas").screenshot()).toString("base64"));
    }
    assert.equal(new Set(pictures).size, 3);
    const use = await page.evaluate(() => {
      const { runs: [run] } = window.timeline, { series } = run.counters.find((one) => /^use of/.test(one.name));
      const beyond = series.bins(run.length * 1.01, run.length * 2, 10);
      return [series.at(run.length / 2), series.at(run.length * 1.01), beyond.mean.some((n) => !Number.isNaN(n))];
    });
    assert.deepEqual([use[0] >= 0, Number.isNaN(use[1]), use[2]], [true, true, false]);
    const shift = await page.evaluate(() => window.timeline.runs[1].shift);
    await page.fill("#tl-shift", "2.5");
    assert.equal(await page.evaluate(() => window.timeline.runs[1].shift), shift + 2.5e6);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});

describe("a report", () => {
  it("has the timeline inside, without the network", async () => {
    tandem("report", "last", "-o", file("report.html"));
    const page = await open(file("report.html"));
    await page.locator("iframe.timeline").scrollIntoViewIfNeeded();
    const inside = await (await page.waitForSelector("iframe.timeline")).contentFrame();
    await inside.waitForSelector("#tl[data-ready]");
    const [{ n }] = sql("select count(*) n from span where run = run('last')");
    assert.equal(await inside.evaluate(() => window.timeline.runs[0].spans), n);
    await inside.click("#tl-in");
    await settled(page);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.asked.filter((url) => !/^(file|about|data):/.test(url)), []);
    await page.close();
  });

  it("gives its timeline the room that its tracks need, and more when they unfold", async () => {
    tandem("import", "tests/data/xplane/jax_te_fused_attn.xplane.pb.gz");
    tandem("report", "last", "-o", file("report.html"));
    for (const width of [400, 2560]) {
      const page = await open(file("report.html"), { viewport: { width, height: 1000 } });
      const frame = page.locator("iframe.timeline");
      await frame.scrollIntoViewIfNeeded();
      const inside = await (await page.waitForSelector("iframe.timeline")).contentFrame();
      await inside.waitForSelector("#tl[data-ready]");
      await page.waitForFunction(() => document.querySelector("iframe.timeline").style.getPropertyValue("--tall"));
      const least = 24 * 16 + 2; // so much is left to what opens over it
      const blank = () => inside.evaluate(() => window.timeline.view.height - window.timeline.view.scene.height);
      await page.waitForFunction((most) => document.querySelector("iframe.timeline").offsetHeight < most, 500);
      const { height } = await frame.boundingBox();
      assert.ok(height <= least || await blank() < 4, `${height}, ${await blank()} are blank`);
      await page.close();
    }
  });

  it("opens the place of a row: a gap of the GPU lies where it does nothing", async () => {
    tandem("import", "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz");
    tandem("report", "last", "-o", file("report.html"));
    const page = await open(file("report.html"));
    const row = page.locator("#gpu-gaps tr[data-place]").first();
    const [from, to] = (await row.getAttribute("data-place")).split("..").map(Number);
    await row.locator("button.place").click();
    const inside = await (await page.waitForSelector("iframe.timeline")).contentFrame();
    await inside.waitForSelector("#tl-detail-title:has-text('selected')");
    const [seenFrom, seenTo, origin] = await inside.evaluate(() =>
      [window.timeline.time.from, window.timeline.time.to,
        JSON.parse(document.getElementById("timeline-meta").textContent).runs[0].origin]);
    assert.ok(seenFrom < from && seenTo > to && seenTo - seenFrom < 2 * (to - from), `${seenFrom}..${seenTo}`);
    const at = (ns) => BigInt(origin) + BigInt(ns);
    const busy = (a, b) => sql(`select count(*) n from span where run = run('last') and category in
      ('kernel', 'memcpy', 'memset') and start_ns < ${at(b)} and start_ns + dur_ns > ${at(a)}`)[0].n;
    assert.equal(busy(from, to), 0);
    assert.ok(busy(from - 1, to) > 0 && busy(from, to + 1) > 0);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
