// Every page at three widths: no words are cut off, none stand beside the screen, none are too faint in light or dark, charts hold their words, and
// the bar of a timeline leaves three quarters of a telephone to the picture. tests/web/pictures.mjs makes
// pictures of the same.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, open, settled } from "./browser.mjs";
import { alike, askew, crowded, cutOff, everything, faint, sideways, wasteful } from "./every.mjs";
import { serve, shown, stopAll, visit } from "./server.mjs";

const COMMAND_LINE = /(^|[\s(])--[a-z][a-z-]+|\btandem (run|view|map|sweep|plan|import|show)\b|\(tandem [a-z-]+\)/;
let made, server;

before(async () => {
  made = everything();
  server = await serve();
});

after(async () => {
  await stopAll();
  await close();
});

const WIDTHS = [400, 1400, 2560];

// Charts drawn smaller than can be read, figures that are none. Runs in the page.
function unreadable() {
  const wrong = [];
  for (const svg of document.querySelectorAll(".figure .scroll > svg")) {
    const { width } = svg.getBoundingClientRect(), part = width / parseFloat(svg.getAttribute("width"));
    if (width > 0 && part < 0.6) wrong.push(`a chart is drawn at ${part.toFixed(2)} of its size`);
  }
  if (/\bNaN\b|\bundefined\b/.test(document.body.innerText)) wrong.push("a figure is none");
  return wrong;
}

// What is wider than its room on a telephone: the page, a table of words, the chart of a run. Runs in the page.
function tooWide() {
  const wrong = [], page = document.documentElement;
  if (page.scrollWidth > innerWidth + 1) wrong.push(`the page is ${page.scrollWidth} wide`);
  for (const room of document.querySelectorAll(".scroll-rows")) {
    const more = room.scrollWidth - room.clientWidth;
    if (more > 1 && room.checkVisibility()) wrong.push(`${room.querySelector("caption")?.textContent ?? "a table"} is ${more} too wide`);
  }
  for (const cell of document.querySelectorAll(".stacked tbody td")) {
    if (cell.dataset.title === "" && cell.textContent.trim() && !cell.querySelector("button, a, b, input, .tag")) {
      wrong.push(`nothing says what ${cell.textContent.slice(0, 30)} is`);
    }
  }
  return wrong;
}

function pageTooWide() {
  const { scrollWidth } = document.documentElement;
  return scrollWidth > innerWidth + 1 ? [`the page is ${scrollWidth} wide`] : [];
}

// Charts and tables of files whose words cannot be told apart or read.
async function wrongOfFile(page, name) {
  const wrong = [];
  for (const width of WIDTHS) {
    await page.setViewportSize(atWidth(width).viewport);
    await settled(page);
    wrong.push(...(await page.evaluate(crowded)).map((one) => `${name} at ${width}: ${one}`));
  }
  return wrong;
}

// What is wrong with a page at each width.
async function wrongOf(page, name) {
  const wrong = [];
  for (const width of WIDTHS) {
    await page.setViewportSize(atWidth(width).viewport);
    await settled(page); // what follows a change of size
    const found = await page.evaluate(cutOff);
    if (name !== "doc") {
      await page.$$eval("details.part", (list) => list.forEach((one) => { one.open = true; }));
      await settled(page);
      found.push(...await page.evaluate(width === 400 ? tooWide : pageTooWide));
    }
    if (name !== "doc") found.push(...await page.evaluate(unreadable)); // its examples may say anything
    if (name !== "doc") found.push(...await page.evaluate(wasteful), ...await page.evaluate(askew));
    if (name !== "doc" && width === 1400) found.push(...await page.evaluate(alike), ...await page.evaluate(sideways));
    for (const colorScheme of width === 1400 ? ["dark", "light"] : []) {
      await page.emulateMedia({ colorScheme });
      await settled(page); // what follows a change of colours
      found.push(...(await page.evaluate(faint)).map((one) => `${colorScheme}: ${one}`));
    }
    wrong.push(...found.map((one) => `${name} at ${width}: ${one}`));
  }
  return [...wrong, ...page.problems];
}

async function helpOn(page, name) {
  const help = (await page.evaluate(() => {
    for (const source of document.querySelectorAll("pre, .source")) source.remove();
    return document.body.innerText;
  })).match(COMMAND_LINE);
  return help ? [`${name} has help of the command line: ${help[0]}`] : [];
}

const atWidth = (width) => ({ viewport: { width, height: width === 400 ? 844 : Math.round(width * 0.6) } });

test("what is faint is seen, by its colour, its ground and how much shows through", async () => {
  const page = await open(made.files.find(([name]) => name === "diff")[1], atWidth(1400));
  await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", `<div style="background:#fff;font-size:14px">
    <p style="color:#777">a 4.48</p><p style="color:#767676">b 4.54</p><p style="color:#000;opacity:.4">c 2.85</p>
    <p style="color:#949494;font-size:24px">d 3.03</p><p style="color:#fff;background:rgb(0 0 0 / .5)">e 3.95</p></div>`));
  assert.deepEqual((await page.evaluate(faint)).map((one) => one.match(/: (\w [\d.]+)/)?.[1]), ["a 4.48", "c 2.85", "e 3.95"]);
  await page.close();
});

test("files hold all their words at 400, 1400 and 2560 pixels", async () => {
  const wrong = [];
  for (const [name, file] of made.files) {
    const page = await open(file, atWidth(400));
    if (name.startsWith("timeline")) {
      await page.waitForSelector("#tl[data-ready]");
      const bar = await page.locator(".tl-bar").evaluate((node) => node.getBoundingClientRect().height);
      assert.ok(bar <= 844 / 4, `${name}: the bar is ${bar} high`);
    }
    wrong.push(...await wrongOf(page, name), ...name === "doc" ? [] : await wrongOfFile(page, name));
    wrong.push(...name === "doc" ? [] : await helpOn(page, name));
    await page.close();
  }
  assert.deepEqual(wrong, []);
});

// The bars of a chart and what they say, at a glance.
test("charts of traces fit a telephone", async () => {
  const trace = made.pages.find(([name]) => name === "trace")[1];
  const page = await visit(server, trace, atWidth(400));
  const widths = await page.$$eval(".figure .scroll", (list) => list.map((one) => one.scrollWidth - one.clientWidth));
  assert.ok(widths.length >= 2);
  assert.deepEqual(widths.filter((more) => more > 1), []);
  await page.close();
});

test("charts of studies and comparisons fit a telephone, and the tab that is shown is seen", async () => {
  const all = new Map(made.pages.map(([name, hash, press]) => [name, { hash, press }]));
  for (const name of ["plan-page", "sweep-page", "whatif-page", "run-score", "compare-charts"]) {
    const { hash, press } = all.get(name), page = await visit(server, hash, atWidth(400));
    if (press) await page.locator(press).click();
    if (name !== "run-score") await page.locator(".figure .scroll").first().waitFor();
    const wide = await page.$$eval(".figure .scroll", (list) => list.map((one) => one.scrollWidth - one.clientWidth));
    assert.deepEqual(wide.filter((more) => more > 1), [], name);
    for (const tab of await page.locator('[role="tab"][aria-selected="true"]').all()) {
      const { x, width } = await tab.boundingBox();
      assert.ok(x >= 0 && x + width <= 401, `${name}: ${await tab.textContent()} is from ${x} to ${x + width}`);
    }
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test("a chart is drawn again when the screen becomes another: a telephone is turned", async () => {
  const all = new Map(made.pages.map(([name, hash, press]) => [name, { hash, press }]));
  for (const [name, wide] of [["run", 720], ["trace-kernels", 1040], ["overlay-page", 1040], ["sweep-page", 720]]) {
    const { hash, press } = all.get(name), page = await visit(server, hash, atWidth(400));
    if (press) await page.locator(press).click();
    const first = page.locator(".figure .scroll > svg").first();
    await first.waitFor();
    const at = () => first.evaluate((svg) => svg.viewBox.baseVal.width);
    assert.equal(await at(), 380, name);
    await page.setViewportSize(atWidth(1400).viewport);
    await page.waitForFunction(() => document.querySelector(".figure svg").viewBox.baseVal.width > 380);
    assert.equal(await at(), wide, name);
    await page.setViewportSize(atWidth(400).viewport);
    await page.waitForFunction(() => document.querySelector(".figure svg").viewBox.baseVal.width === 380);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test("charts of two runs side by side have the same axes", async () => {
  const page = await visit(server, made.pages.find(([name]) => name === "compare-charts")[1], atWidth(1400));
  await page.locator("#tab-charts").click();
  await page.locator(".figure svg").first().waitFor();
  const ticks = await page.$$eval(".figure", (list) => list.map((one) => [one.querySelector("svg title").textContent,
    [...one.querySelectorAll("svg text.tick:is(.mid, .end)")].map((word) => word.textContent)]));
  assert.equal(ticks.length, 8);
  for (let i = 0; i < ticks.length; i += 2) {
    assert.ok(ticks[i][1].length > 2, ticks[i][0]);
    assert.deepEqual(ticks[i], ticks[i + 1]);
  }
  const said = await page.$$eval(".figure figcaption", (list) => list.map((one) => one.textContent.split(" ")[0]));
  assert.deepEqual(said.slice(0, 2), ["A", "B"]);
  await page.close();
});

test("tables of the server have room, tiles one width, charts that stand alone that of tables", async () => {
  const all = new Map(made.pages.map(([name, hash, press]) => [name, { hash, press }])), wrong = [];
  for (const name of ["run", "run-score", "overlay-page", "trace-categories", "trace-kernels"]) {
    const { hash, press } = all.get(name), page = await visit(server, hash, atWidth(1400));
    if (press) {
      await page.locator(press).click();
      await page.waitForFunction((button) => !document.querySelector(button).disabled, press);
      await shown(page);
    }
    for (const width of [1400, 2560]) {
      await page.setViewportSize(atWidth(width).viewport);
      await settled(page);
      wrong.push(...(await page.evaluate(() => {
        const found = [], shownOf = (list) => [...document.querySelectorAll(list)].filter((one) => one.checkVisibility());
        const right = Math.max(...shownOf(".table").map((one) => one.getBoundingClientRect().right));
        for (const room of shownOf(".scroll-rows")) {
          if (room.scrollWidth > room.clientWidth + 1) found.push(`${room.getAttribute("aria-label")} has ${room.clientWidth} of ${room.scrollWidth}`);
        }
        const tiles = new Set(shownOf(".tiles > div").map((one) => Math.round(one.getBoundingClientRect().width)));
        if (Math.max(...tiles) - Math.min(...tiles) > 2) found.push(`tiles of ${[...tiles]}`);
        for (const chart of shownOf(".stack > .figure > .scroll")) {
          const end = chart.getBoundingClientRect().right;
          if (end < right - 40) found.push(`a chart ends at ${end}, tables at ${right}`);
        }
        return found;
      })).map((one) => `${name} at ${width}: ${one}`));
    }
    await page.close();
  }
  assert.deepEqual(wrong, []);
});

test("cards of a telephone begin with what tells them apart, and their order takes one line", async () => {
  const all = new Map(made.pages.map(([name, hash]) => [name, hash]));
  const page = await visit(server, all.get("trace-categories"), atWidth(400));
  const first = page.locator(".stacked").first();
  const heads = await first.locator("tbody tr").evaluateAll((rows) => rows.slice(0, 3).map((row) => {
    const cells = [...row.children].filter((cell) => cell.checkVisibility());
    return cells.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].textContent;
  }));
  assert.equal(new Set(heads).size, 3, heads.join());
  const bar = await first.locator("thead tr").evaluate((row) => row.getBoundingClientRect().height);
  assert.ok(bar < 48, `the line of orders is ${bar} high`);
  const notice = await visit(server, all.get("run"), atWidth(400));
  assert.match(await notice.locator(".page-head .subtitle").textContent(), /10 replications of 9\.84\u00a0s after \d+\u00a0ms of warm-up/);
  await page.close();
  await notice.close();
});

test("what the server has not told yet is not called empty", async () => {
  const page = await visit(server, "#/gpus");
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route(/\/v1\/(runs|realtraces|jobs)(\?|$)/, async (route) => {
    await held;
    await route.continue();
  });
  for (const hash of ["#/", "#/real", "#/jobs"]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.locator("h1").waitFor();
    await page.waitForFunction(() => document.querySelector("thead"));
    assert.equal(await page.locator("tbody .empty").count(), 0, hash);
  }
  go();
  await shown(page);
  await page.close();
});

test("the question for a token holds its words at 400, 1400 and 2560 pixels", async () => {
  const closed = await serve({ token: "s3cret-s3cret-s3cret" });
  const page = await visit(closed, "#/", atWidth(400));
  await page.locator("dialog[open]").waitFor();
  page.problems.length = 0; // the answer 401 that it asks for
  assert.deepEqual(await wrongOf(page, "token"), []);
  await page.close();
});

test("pages of the server hold all their words at 400, 1400 and 2560 pixels", async () => {
  const wrong = [];
  for (const [name, hash, press] of made.pages) {
    const page = await visit(server, hash, atWidth(400));
    if (press) {
      await page.locator(press).click();
      await page.waitForFunction((button) => !document.querySelector(button).disabled, press);
      await shown(page);
    }
    wrong.push(...await wrongOf(page, name), ...await helpOn(page, name));
    await page.close();
  }
  assert.deepEqual(wrong, []);
});

test("long names in tables of the server are seen by what tells them apart, and whole when they are pressed", async () => {
  const page = await visit(server, made.pages.find(([name]) => name === "trace-kernels")[1]);
  const names = await page.$$eval("details.whole", (list) => list.map((one) => {
    const summary = one.querySelector("summary"), box = summary.getBoundingClientRect();
    return { whole: one.title, seen: summary.textContent, room: box.width };
  }));
  const cut = names.filter((one) => one.seen !== one.whole);
  assert.ok(cut.length > 2, `${cut.length} of ${names.length}`);
  for (const one of cut) {
    let at = 0;
    for (const part of one.seen.split("…")) at = one.whole.indexOf(part, at) + part.length;
    assert.equal(at, one.whole.length, one.seen);
    const like = names.filter((other) => other.whole !== one.whole && other.seen.slice(0, 60) === one.seen.slice(0, 60));
    assert.deepEqual(like, [], one.seen);
  }
  const first = page.locator("details.whole").nth(names.indexOf(cut[0]));
  await first.locator("summary").click();
  assert.equal(await first.locator("summary").textContent(), cut[0].whole);
  await page.close();
});

test("figures that too few requests tell do not differ by percents, as in tandem diff", async () => {
  const page = await visit(server, made.pages.find(([name]) => name === "compare")[1]);
  const rows = await page.$$eval(".table:has(caption) tr", (list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const unsure = rows.filter(([, a, b]) => a?.startsWith("≈") && b?.startsWith("≈") && a !== b);
  assert.ok(unsure.length > 2);
  for (const row of unsure) assert.equal(row[3], "too few requests", row.join(" "));
  await page.close();
});

test("an objective that is wanted high is told as what it is", async () => {
  const page = await visit(server, made.pages.find(([name]) => name === "run-failures")[1]);
  const told = await page.locator(".notice").first().textContent();
  assert.match(told, /^(Met|Missed|Undecided)\. in time .*%, wanted ≥\s97\s%$/);
  await page.close();
});
