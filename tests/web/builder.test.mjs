// Building, checking, running and planning scenarios in a real browser, against the built program.
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { browserPage, close, folder } from "./browser.mjs";

const build = path.resolve(process.env.BUILD || "build");
let server, origin;

before(async () => {
  server = spawn(path.join(build, "tandem"),
    ["serve", "--listen", "127.0.0.1:0", "--store", path.join(folder, "ui.db")]);
  origin = await new Promise((resolve, reject) => {
    let told = "";
    server.stderr.on("data", (text) => {
      told += text;
      const found = told.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(`the server ended: ${told}`)));
  });
});
after(async () => {
  await close();
  server.removeAllListeners("exit");
  server.kill("SIGTERM");
});

// A page of the server at an address such as "/build"; fails where it said an error or left the origin.
async function visit(hash, act, options = {}) {
  const page = await browserPage({ viewport: { width: 1366, height: 768 }, ...options });
  page.asked.length = 0;
  try {
    await page.goto(`${origin}/#${hash}`);
    await page.waitForSelector(".page[data-ready]");
    await act(page);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url)), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} px wider than the window`);
  } finally {
    await page.close();
  }
}

const fine = (page) => page.waitForSelector(".check .fine");
const json = async (page) => JSON.parse(await page.inputValue("#source"));
const steps = (page) => page.$$eval(".card[data-card=pipeline] > .field > .steps > .step",
  (all) => all.map((one) => one.querySelector("input").value));
const step = (page, name) => page.locator(".step", { has: page.locator(`button[aria-label="Remove ${name}"]`) }).last();
const entry = (where, key) => where.locator(".field",
  { has: where.page().locator(`.label label:text-is("${key}")`) }).last().locator("input").first();

// Waits until the page's data is as wanted.
async function until(page, wanted) {
  for (let tries = 0; tries < 6000; tries++) {
    const data = await json(page);
    if (wanted(data)) return data;
    await page.waitForTimeout(50);
  }
  return assert.fail(`the source stayed ${await page.inputValue("#source")}`);
}

async function begin(page, title) {
  await page.click("text=Start from …");
  await page.fill("dialog input[type=search]", title);
  await page.click(".start-entry >> nth=0");
  await page.waitForSelector("dialog", { state: "detached" });
}

const picture = (page, name) => {
  if (!process.env.PICTURES) return null;
  mkdirSync(process.env.PICTURES, { recursive: true });
  return page.screenshot({ path: path.join(process.env.PICTURES, `${name}.png`), fullPage: true });
};

describe("the scenario builder", () => {
  it("builds a scenario from nothing, tells problems beside their fields, runs it",
    () => visit("/build", async (page) => {
    await begin(page, "An empty scenario");
    await page.click("[data-add=fixed]");
    await page.waitForSelector(".step .wrong >> text=is missing");
    const label = () => document.activeElement.closest(".field").querySelector("label").textContent;
    assert.equal(await page.evaluate(label), "time");
    assert.ok(await page.isDisabled("#run"));
    await page.keyboard.type("2 parsecs");
    await page.waitForSelector(".step .wrong >> text=unknown unit 'parsecs'");
    await picture(page, "build-problem");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("2ms");
    await fine(page);
    await page.click("[data-add=tokens]");
    await entry(step(page, "tokens"), "tokens").fill("64");
    await entry(page.locator("[data-card=workload]"), "duration").fill("3s");
    await entry(page.locator("[data-card=target]"), "name").fill("H100 SXN");
    await page.waitForSelector("[data-card=target] .wrong >> text=did you mean 'H100 SXM'?");
    await entry(page.locator("[data-card=target]"), "name").fill("H100 SXM");
    await page.waitForSelector("[data-card=target] >> text=80 GiB · 3.35 TB/s");
    await until(page, (data) => data.pipeline[1].tokens === 64 && data.target.name === "H100 SXM"
      && data.workload.duration === "3s");
    await fine(page);
    await page.click("#run");
    await page.waitForFunction(() => /^#\/run\/\w+$/.test(location.hash));
    const id = (await page.evaluate(() => location.hash)).split("/").pop();
    const run = await (await page.request.get(`${origin}/v1/runs/${id}`)).json();
    assert.equal(run.state, "complete");
    assert.ok(run.result.latency.mean.value > 0.002);
    await page.goto(`${origin}/#/build?from=${id}`);
    await fine(page);
    assert.deepEqual(await steps(page), ["fixed", "tokens"]);
  }));

  it("moves, copies and removes steps by keyboard, by buttons and by mouse; undo takes it back",
    () => visit("/build?from=demo", async (page) => {
    await fine(page);
    const first = ["preprocess", "h2d", "compute", "d2h", "postprocess"];
    assert.deepEqual(await steps(page), first);
    await step(page, "preprocess").locator(".handle").focus();
    await page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await steps(page), ["h2d", "preprocess", "compute", "d2h", "postprocess"]);
    await page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await steps(page), ["h2d", "compute", "preprocess", "d2h", "postprocess"]);
    await page.keyboard.press("Alt+ArrowUp");
    await page.click('button[aria-label="Move preprocess up"]');
    assert.deepEqual(await steps(page), first);
    await step(page, "d2h").locator(".handle").scrollIntoViewIfNeeded();
    const from = await step(page, "d2h").locator(".handle").boundingBox(), to = await step(page, "h2d").boundingBox();
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(from.x + 5, to.y + 60, { steps: 6 });
    await page.mouse.move(from.x + 5, to.y + 5, { steps: 3 });
    await page.mouse.up();
    assert.deepEqual(await steps(page), ["preprocess", "d2h", "h2d", "compute", "postprocess"]);
    await page.click('button[aria-label="Add compute once more"]');
    assert.deepEqual(await steps(page), ["preprocess", "d2h", "h2d", "compute", "tokens", "postprocess"]);
    await step(page, "tokens").locator(".handle").focus();
    await page.keyboard.press("Delete");
    await until(page, (data) => data.pipeline.length === 5);
    await page.click("button[aria-label=Undo]");
    await page.click("button[aria-label=Undo]");
    await page.click("button[aria-label=Undo]");
    assert.deepEqual(await steps(page), first);
    await page.click("button[aria-label=Redo]");
    assert.deepEqual(await steps(page), ["preprocess", "d2h", "h2d", "compute", "postprocess"]);
    await fine(page);
  }));

  it("makes distributions of values and values of distributions", () => visit("/build?from=demo", async (page) => {
    await fine(page);
    const time = step(page, "preprocess").locator(".field", { has: page.locator('label:text-is("time")') }).first();
    await time.locator("select.mode").selectOption("gamma");
    await time.locator(".grid .field >> nth=1").locator("input").fill("0.5");
    const data = await until(page, (now) => now.pipeline[0].time.cv === 0.5);
    assert.deepEqual(data.pipeline[0].time, { type: "gamma", mean: "2ms", cv: 0.5 });
    await fine(page);
    await time.locator("select.mode").selectOption("");
    await until(page, (now) => now.pipeline[0].time === "2ms");
  }));

  it("keeps form and source in step, in JSON and in Lua, and names the line of what is wrong",
    () => visit("/build?from=demo", async (page) => {
    await fine(page);
    await page.click("#source-lua");
    const lua = await page.inputValue("#source");
    assert.ok(lua.includes('td.transfer "h2d" { bytes = "8MiB" }'));
    await page.fill("#source", lua.replace("8MiB", "9MiB"));
    await page.waitForFunction(() => [...document.querySelectorAll(".step input")].some((one) => one.value === "9MiB"));
    await page.fill("#source", `${lua}\nreturn 1 +`);
    await page.waitForSelector(".source-trouble >> text=line");
    assert.ok(await page.isDisabled("#run"));
    await page.fill("#source", lua);
    await page.waitForFunction(() => [...document.querySelectorAll(".step input")].some((one) => one.value === "8MiB"));
    await page.click("#source-json");
    const data = await json(page);
    data.pipeline[0].tiem = "3ms";
    await page.fill("#source", JSON.stringify(data));
    await page.waitForSelector(".step .wrong >> text=unknown key; did you mean 'time'?");
    await page.click(".to-problem");
    assert.ok(await page.evaluate(() => document.activeElement.closest(".step") !== null));
    await page.fill("#source", "{");
    await page.waitForSelector(".source-trouble li");
    delete data.pipeline[0].tiem;
    await page.fill("#source", JSON.stringify(data));
    await fine(page);
  }));

  it("keeps a scenario with functions as its Lua text and changes its numbers",
    () => visit("/build?from=llm-own-scheduler", async (page) => {
    await fine(page);
    await page.waitForSelector("text=a function of the Lua text");
    assert.equal(await page.locator("[data-add]").count(), 0);
    await entry(step0(page), "max_seqs").fill("16");
    await until(page, (data) => data.with?.[0]?.["pipeline.answer.engine.max_seqs"] === 16);
    await fine(page);
    await page.click("#source-lua");
    assert.ok((await page.inputValue("#source")).includes("function"));
    await page.waitForSelector("text=pipeline.answer.engine.max_seqs = 16");
    await picture(page, "build-script");
  }));

  it("edits an LLM scenario: model, GPU, tp, replicas, load, lengths, objectives",
    () => visit("/build?from=llm-70b-tp4", async (page) => {
    await fine(page);
    const answer = step(page, "answer");
    await entry(answer, "replicas").fill("1");
    await entry(answer, "tp").fill("8");
    await entry(answer.locator(".node"), "name").fill("Llama-3.1-80B");
    await page.waitForSelector(".step .wrong >> text=no model is called 'Llama-3.1-80B'");
    await entry(answer.locator(".node"), "name").fill("Llama-3.1-70B");
    await entry(page.locator("[data-card=workload]"), "rps").fill("6");
    await page.locator("[data-card=workload] .amount.broad").first().locator("input >> nth=2").fill("250");
    await entry(page.locator("[data-card=slo]"), "tpot_p99").fill("60ms");
    const data = await until(page, (now) => now.slo.tpot_p99 === "60ms" && now.workload.rps === 6);
    assert.equal(data.pipeline[1].tp, 8);
    assert.equal(data.pipeline[1].replicas, 1);
    assert.equal(data.attrs.output_tokens.p50, 250);
    await fine(page);
    await picture(page, "build-llm");
  }));

  it("shows every shipped scenario without losing anything of it", () => visit("/build", async (page) => {
    const { examples } = await (await page.request.get(`${origin}/v1/examples`)).json();
    for (const { id } of examples) {
      const before = await (await page.request.post(`${origin}/v1/check`, { data: { scenario_id: id } })).json();
      await page.goto(`${origin}/#/build?from=${id}`);
      await fine(page).catch(() => assert.fail(`${id} is not fine`));
      const shown = await (await page.request.post(`${origin}/v1/check`, {
        data: { scenario: await json(page) } })).json();
      assert.equal(shown.ok, true, id);
      assert.equal(shown.hash, before.hash, id);
      await page.goto(`${origin}/#/gpus`);
      await page.waitForSelector("h1:text-is('GPUs')");
    }
  }));

  for (const [name, options] of [["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ["dark", { colorScheme: "dark" }]]) {
    it(`fits: ${name}`, () => visit("/build?from=batching", async (page) => {
      await fine(page);
      await picture(page, `build-${name}`);
    }, options));
  }
});

const step0 = (page) => page.locator(".step").first();

describe("the catalogue", () => {
  it("finds a GPU, says where its figures come from, and builds with it", () => visit("/gpus", async (page) => {
    await page.fill("input[type=search]", "hopper nvl");
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.click(".name-button");
    await page.waitForSelector(".gpu-detail >> text=NVIDIA");
    await picture(page, "gpus");
    await page.click("text=Build with it");
    await until(page, (data) => data.target.name === "H100 NVL");
  }));
  it("fits a phone", () => visit("/gpus", (page) => picture(page, "gpus-phone"),
    { viewport: { width: 390, height: 844 } }));
});

describe("planning", () => {
  it("answers with words, a table and a curve that can be saved",
    () => visit("/plan?from=how-many-gpus", async (page) => {
    await page.fill("#plan-to", "200rps");
    await page.fill("#plan-steps", "2");
    await page.click('button[aria-label="Without H100 SXM"]');
    await page.click("#plan-go");
    await page.waitForSelector(".answer");
    assert.match(await page.textContent(".answer"), /40 \/s: 1 × .* meets p99 ≤ 120 ms with 95 % confidence/);
    assert.equal(await page.locator("tbody tr").count(), 4);
    assert.match(await page.textContent("tbody"), /p99 [\d.]+ ± [\d.]+ ms/);
    assert.ok(await page.locator("figure svg path, figure svg polyline").count() > 0);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('CSV')")]);
    const lines = readFileSync(await saved.path(), "utf8").trim().split("\n");
    assert.equal(lines.length, 5);
    assert.ok(lines[0].startsWith("load,kind,state,count"));
    await picture(page, "plan");
  }));

  it("says so where no number of GPUs suffices", () => visit("/plan?from=demo", async (page) => {
    await page.fill("#plan-from", "20rps");
    await page.fill("#plan-to", "");
    await page.fill(".limit input >> nth=1", "1ms");
    await page.click("#plan-go");
    await page.waitForSelector(".answer");
    assert.match(await page.textContent(".answer"), /No answer meets all of it.*No number of GPUs changes it/);
    assert.equal(await page.isEnabled("#plan-go"), true);
  }));

  it("finds the highest load of given GPUs", () => visit("/plan?from=demo", async (page) => {
    await page.selectOption("#plan-find", "load");
    await page.fill("#plan-gpus", "2");
    await page.click("#plan-go");
    await page.waitForSelector(".answer");
    assert.match(await page.textContent(".answer"), /2 × L40/);
  }));

  it("says what is wrong with a question, and can be cancelled", () => visit("/plan?from=demo", async (page) => {
    await page.fill("#plan-kinds", "X100");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=No GPU is called 'X100'.");
    await page.fill(".limit input >> nth=1", "soon");
    await page.click("#plan-go");
    await page.waitForSelector(".notice.error");
    await page.fill(".limit input >> nth=1", "60ms");
    await page.fill("#plan-from", "20rps");
    await page.fill("#plan-to", "9000rps");
    await page.fill("#plan-steps", "40");
    await page.click("#plan-go");
    await page.click("text=Cancel");
    await page.waitForSelector("text=Cancelled.");
  }).catch((error) => {
    // The answer to the question that could not be asked is an error of the network to the browser.
    if (!/Failed to load resource/.test(error.message)) throw error;
  }));

  it("fits a phone", () => visit("/plan?from=how-many-gpus", (page) => picture(page, "plan-phone"),
    { viewport: { width: 390, height: 844 } }));
});
