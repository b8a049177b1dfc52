// Sweeps, what-ifs, maps, fits and scores as pages of tandem serve: asked, cancelled, refused; their figures are those
// of the command line.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { close, folder, tandem } from "./browser.mjs";
import { serve, shown, sound, stopAll, visit } from "./server.mjs";

let server, real, other, measured;

const result = (...args) => JSON.parse(tandem(...args, "--json")).result;
const newest = () => result("runs", "--limit", "1").rows[0].id;
const numbers = (text) => [...text.matchAll(/-?[\d,]+(?:\.\d+)?/g)].map((one) => Number(one[0].replaceAll(",", "")));

// Ten requests of two stages each, as a profiler would have marked them.
function trace() {
  const events = [];
  for (let i = 0; i < 10; i++) {
    const at = i * 5000;
    events.push({ ph: "X", cat: "user_annotation", name: `request ${i}`, pid: 1, tid: 1, ts: at, dur: 3000 });
    events.push({ ph: "X", cat: "user_annotation", name: "decode", pid: 1, tid: 1, ts: at + 100, dur: 2000 + 10 * i });
    events.push({ ph: "X", cat: "user_annotation", name: "send", pid: 1, tid: 1, ts: at + 2400, dur: 500 });
  }
  const file = path.join(folder, "marked.json");
  writeFileSync(file, JSON.stringify({ traceEvents: events, displayTimeUnit: "ms" }));
  return file;
}

before(async () => {
  tandem("run", "demo", "--duration", "20s", "--spans", "all");
  real = newest();
  tandem("run", "demo", "--duration", "20s", "--spans", "all", "--set", "pipeline.compute.tokens=140");
  other = newest();
  tandem("import", trace());
  measured = newest();
  server = await serve();
});

after(async () => {
  await stopAll();
  await close();
});

test("a sweep is a chart and a table, with the figures of the command line", async () => {
  const page = await visit(server, "#/sweep?from=demo");
  await page.getByLabel("Axis 1", { exact: true }).fill("rps");
  await page.getByLabel("Values of axis 1").fill("20:60:3");
  await page.getByRole("button", { name: "+ axis" }).click();
  await page.getByLabel("Axis 2", { exact: true }).fill("gpus");
  await page.getByLabel("Values of axis 2").fill("1,2");
  await page.getByLabel("Repetitions").fill("4");
  await page.locator("#sweep-go").click();
  await page.waitForSelector("tbody tr >> nth=5");
  await page.locator(".figure .scroll > svg").waitFor();
  const told = result("sweep", "demo", "--over", "rps=20:60:3", "--over", "gpus=1,2", "--replications", "4");
  const heads = await page.locator("thead th").allInnerTexts();
  const p99 = heads.indexOf("p99"), rps = heads.indexOf("rps"), gpus = heads.indexOf("gpus");
  const rows = await page.locator("tbody tr").evaluateAll((list) =>
    list.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.equal(rows.length, told.rows.length);
  for (const row of told.rows) {
    const own = rows.find((one) => Number(one[rps]) === row.point.rps && Number(one[gpus]) === row.point.gpus);
    const [value] = numbers(own[p99]);
    assert.ok(Math.abs(value - 1000 * row.metrics["latency.p99"].value) <= 1, `${own[p99]} at ${own[rps]}`);
  }
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const lines = readFileSync(await saved.path(), "utf8").trim().split("\n");
  assert.equal(lines.length, 7);
  assert.match(lines[0], /^gpus,rps,offered_rps/);
  await sound(page);
});

test("a sweep says what is wrong with its axes, and can be cancelled", async () => {
  const page = await visit(server, "#/sweep?from=demo");
  await page.getByLabel("Values of axis 1").fill("");
  await page.locator("#sweep-go").click();
  assert.match(await page.locator(".notice.error").innerText(), /'rps' stands alone/);
  await page.getByLabel("Values of axis 1").fill("20:90:400");
  await page.getByLabel("Repetitions").fill("200");
  await page.locator("#sweep-go").click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled.").waitFor();
  page.problems = page.problems.filter((text) => !/409/.test(text)); // the result of a job that was cancelled
  await sound(page);
});

test("variants are compared, and inputs ranked, as tandem whatif does", async () => {
  const page = await visit(server, "#/whatif?from=demo");
  await page.getByRole("button", { name: "+ variant" }).click();
  await page.getByLabel("Variant 2", { exact: true }).fill("an H100");
  await page.getByLabel("Changes of variant 2").fill("gpu=H100");
  await page.locator("#whatif-go").click();
  await page.waitForSelector("tbody tr >> nth=2");
  const told = result("whatif", "demo", "--variant", "two GPUs: gpus=2", "--variant", "an H100: gpu=H100");
  for (const one of told.variants) {
    const row = await page.locator("tbody tr", { hasText: one.name }).innerText();
    const relative = 100 * one.differences["latency.p99"].relative;
    assert.ok(numbers(row.replaceAll("−", "-")).some((n) => Math.abs(n - relative) < 0.06), `${row}: ${relative}`);
  }
  await page.locator("#whatif-question").selectOption("inputs");
  await page.locator("#whatif-go").click();
  await page.getByText("swing of p99").waitFor();
  const ranked = result("whatif", "demo", "--tornado").inputs;
  assert.equal(await page.locator("tbody tr").count(), ranked.length);
  assert.match(await page.locator("tbody tr").first().innerText(), /concurrency/);
  await page.locator(".figure .scroll > svg").waitFor();
  await sound(page);
});

test("a measured run gets a map, then a fit and a score by it", async () => {
  const page = await visit(server, `#/real/${measured}?tab=fit`);
  await page.locator("#fit-go").click();
  await page.getByRole("link", { name: "Choose a map" }).click();
  await page.getByText("Proposals, best first").waitFor();
  // What the first proposal covers is read at once; to take it again cancels that (409) while it runs.
  await page.getByRole("table", { name: "Stages" }).waitFor();
  await page.getByRole("button", { name: "Take proposal 1" }).click();
  await page.locator("table", { hasText: "decode" }).last().waitFor();
  assert.match(await page.locator("#map-text").inputValue(), /td\.map/);
  assert.match(await page.getByRole("table", { name: "Stages" }).innerText(), /decode[^]*10[^]*send|send[^]*10[^]*decode/);
  await page.getByRole("tab", { name: "Fit", exact: true }).click();
  await page.locator("#fit-go").click();
  await page.getByText("What was held out").waitFor();
  const row = await page.locator("tr", { hasText: "pipeline.send.cost" }).innerText();
  assert.match(row, /500 µs/); // every one of them took that
  await page.getByRole("button", { name: "Build from it" }).click();
  await page.waitForSelector("#source");
  await page.waitForFunction(() => /"name": "send"/.test(document.querySelector("#source").value));
  await sound(page);
});

test("a simulation is held against another, with the verdicts of tandem score", async () => {
  const page = await visit(server, `#/run/${real}?tab=score`);
  await page.locator("#score-sim").selectOption(other);
  await page.locator("#score-go").click();
  const verdict = page.locator("table", { hasText: "Verdict" }).first();
  await verdict.waitFor();
  const told = result("score", real, other).tables.find((one) => one.name === "verdict").rows;
  const shownRows = await verdict.locator("tbody tr").allInnerTexts();
  assert.equal(shownRows.length, told.length);
  for (const one of told) {
    const row = shownRows.find((text) => text.split("\t")[0].trim() === one.name);
    assert.ok(row?.includes(one.verdict), `${one.name}: ${row}`);
  }
  assert.ok(told.some((one) => one.verdict === "off"), "what was changed shows");
  await sound(page);
});

test("pages of studies fit a phone", async () => {
  const PHONE = { viewport: { width: 400, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" };
  for (const hash of ["#/sweep", "#/whatif", `#/real/${measured}?tab=map`, `#/real/${measured}?tab=fit`,
    `#/run/${real}?tab=score`]) {
    const page = await visit(server, hash, PHONE);
    await shown(page);
    await sound(page);
    await page.close();
  }
});
