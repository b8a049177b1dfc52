// The pages of tandem serve in a real browser: what each shows and does, with mouse and keyboard, in both
// widths and colours, what it says when something is wrong, what the frames may not do.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { close, folder, settled, tandem } from "./browser.mjs";
import { go, serve, shown, sound, stopAll, visit } from "./server.mjs";

const LAPTOP = { viewport: { width: 1366, height: 768 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const TRACE = "tests/data/kineto/call_stack__backward_thread.json";
const TOKEN = "a-token-of-these-tests";

let server, first, second, real;

const idOf = (text) => JSON.parse(text).result.rows[0].id;
const newest = () => idOf(tandem("runs", "--json", "--limit", "1"));

before(async () => {
  tandem("run", "scenarios/01-demo.lua", "--duration", "10s", "--spans", "all");
  first = newest();
  tandem(
    "run",
    "scenarios/01-demo.lua",
    "--duration",
    "10s",
    "--spans",
    "all",
    "--set",
    "workload.rps=60",
    "--seed",
    "3",
  );
  second = newest();
  tandem("import", TRACE);
  real = newest();
  server = await serve();
});

after(async () => {
  await stopAll();
  await close();
});

const rows = (page) => page.locator("tbody tr:visible").count();

test("every page is sound on a laptop and on a phone, light and dark", async () => {
  const pages = [
    "#/",
    `#/run/${first}`,
    `#/run/${first}?tab=stages`,
    `#/run/${first}?tab=requests`,
    `#/real`,
    `#/real/${real}`,
    `#/real/${real}?tab=kernels`,
    `#/real/${real}?tab=idle`,
    `#/real/${real}?tab=overlay`,
    `#/compare/${first}/${second}`,
    `#/overlay/${first}/${real}`,
    "#/build",
    "#/plan",
    "#/jobs",
  ];
  for (const [size, scheme] of [
    [LAPTOP, "light"],
    [PHONE, "dark"],
  ]) {
    for (const hash of pages) {
      const page = await visit(server, hash, { ...size, colorScheme: scheme });
      assert.equal(await page.locator("h1").count(), 1, hash);
      assert.equal(await page.locator(".notice.error").count(), 0, hash);
      await sound(page);
      await page.close();
    }
  }
});

test("runs are filtered, sorted, tagged, chosen and compared", async () => {
  const page = await visit(server, "#/", LAPTOP);
  assert.equal(await rows(page), 3);
  await page.getByLabel("Filter by name, id or note").fill("demo");
  assert.equal(await rows(page), 2);
  await page.getByLabel("Filter by name, id or note").fill("");
  await page.getByLabel("Kind").selectOption("measured");
  assert.equal(await rows(page), 1);
  await page.getByLabel("Kind").selectOption("");
  await page.getByRole("button", { name: "spans", exact: true }).click();
  assert.match(await page.locator("tbody tr").first().innerText(), new RegExp(first));
  await page.getByLabel(`Add a tag to ${first}`).fill("baseline");
  await page.getByLabel(`Add a tag to ${first}`).press("Enter");
  await page.getByLabel(`Remove the tag baseline from ${first}`).waitFor();
  assert.match(tandem("runs", "--tag", "baseline", "--json"), new RegExp(first));
  await page.getByLabel(`Remove the tag baseline from ${first}`).click();
  await page.getByLabel(`Remove the tag baseline from ${first}`).waitFor({ state: "detached" });
  await page.getByLabel(`Choose ${first}, demo`).check();
  assert.equal(await page.getByRole("link", { name: "Compare" }).count(), 0);
  await page.getByLabel(`Choose ${second}, demo`).check();
  await page.getByRole("link", { name: "Compare" }).click();
  await shown(page);
  const figures = page.locator("table", { hasText: "throughput" }).first();
  assert.match(await figures.innerText(), /throughput[^]*\/s[^]*−\d+\.\d %/);
  assert.match(await page.locator("table", { hasText: "compute" }).last().innerText(), /preprocess/);
  await page.getByRole("tab", { name: "Charts" }).click();
  await page.locator(".figure .scroll > svg").nth(7).waitFor();
  await sound(page);
});

test("a run is removed only after it was confirmed", async () => {
  tandem("run", "scenarios/01-demo.lua", "--duration", "2s");
  const id = newest(),
    page = await visit(server, "#/");
  await page.getByLabel(`Remove ${id}`).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(newest(), id);
  await page.getByLabel(`Remove ${id}`).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.locator(".under", { hasText: id }).waitFor({ state: "detached" });
  assert.notEqual(newest(), id);
  await sound(page);
});

test("a run tells its figures as the command line does, and draws its charts", async () => {
  const page = await visit(server, `#/run/${first}`);
  const told = tandem("show", first);
  const p99 = (await page.locator(".tiles").innerText()).replaceAll("\u00a0", " ")
    .match(/((?:\S+ ± |≈ )\S+ \S+)\s+p99 latency/)[1];
  assert.ok(told.replace(/\s+/g, " ").includes(p99), `${p99} is not what tandem show prints`);
  const titles = await page.locator(".figure svg .title").allTextContents();
  assert.deepEqual(titles.slice(0, 2), ["Latency", "Requests in the system"]);
  const colour = await page
    .locator(".figure svg .s1")
    .first()
    .evaluate((node) => getComputedStyle(node).stroke);
  assert.notEqual(colour, "none");
  await sound(page);
});

test("tabs go by arrow keys, and the address keeps them", async () => {
  const page = await visit(server, `#/run/${first}`);
  await page.getByRole("tab", { name: "Overview" }).focus();
  await page.keyboard.press("ArrowRight");
  await shown(page);
  assert.match(page.url(), /tab=stages$/);
  assert.equal(await page.getByRole("tab", { name: "Breakdown" }).getAttribute("aria-selected"), "true");
  await page.reload();
  await shown(page);
  assert.match(await page.locator(".panel").innerText(), /Where the time goes[^]*Resources[^]*Requests by class/);
  await sound(page);
});

test("all of it goes by keyboard", async () => {
  const page = await visit(server, "#/");
  await page.locator("#skip").focus();
  for (let i = 0; i < 8; i++) {
    const name = await page.evaluate(() => document.activeElement.textContent);
    if (name === "Real traces") break;
    await page.keyboard.press("Tab");
  }
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Real traces");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Real traces" }).waitFor();
  await page.locator("#live", { hasText: "Real traces" }).waitFor({ state: "attached" });
  await sound(page);
});

test("the timeline runs in a frame that may ask the server for nothing", async () => {
  const page = await visit(server, `#/run/${first}?tab=timeline`);
  const frame = page.frameLocator("iframe.frame");
  await frame.locator("#tl[data-ready]").waitFor();
  assert.match(await frame.locator("#tl-count").innerText(), /spans/);
  await page.getByRole("tab", { name: "Overview" }).click();
  await frame.locator("#tl[data-ready]").waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "Timeline" }).click();
  await frame.locator("#tl[data-ready]").waitFor();
  const inside = page.frames().find((one) => one !== page.mainFrame());
  assert.equal(await inside.evaluate(() => window.origin), "null");
  const reached = await inside.evaluate(async (url) => {
    const tried = [];
    await fetch(`${url}/v1/runs`).then(
      () => tried.push("fetch"),
      () => {},
    );
    try {
      tried.push(window.parent.document.title);
    } catch {
      /* as it should be */
    }
    try {
      tried.push(window.sessionStorage.length);
    } catch {
      /* as it should be */
    }
    return tried;
  }, server.url);
  assert.deepEqual(reached, []);
  page.problems = page.problems.filter((line) => !/Content Security Policy|Refused to connect/.test(line));
  await sound(page);
});

test("a report opens inside of the page", async () => {
  const page = await visit(server, `#/real/${real}?tab=report`);
  await page.frameLocator("iframe.frame").getByRole("heading", { name: "At a glance" }).waitFor();
  await sound(page);
});

test("downloads are whole files under their run's name", async () => {
  const page = await visit(server, `#/run/${first}`);
  const save = async (words) => {
    await page.locator(".drop").evaluate((drop) => {
      drop.open = true;
    });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: words }).click(),
    ]);
    const at = path.join(folder, file.suggestedFilename());
    await file.saveAs(at);
    return { name: file.suggestedFilename(), text: readFileSync(at, "utf8") };
  };
  const result = await save("Result (JSON)");
  assert.equal(result.name, `${first}-result.json`);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".drop[open]").count(), 0);
  assert.equal(JSON.parse(result.text).result.schema, "tandem.result/1");
  assert.ok(JSON.parse((await save("Chrome trace")).text).traceEvents.length > 100);
  assert.match((await save("CSV")).text, /,compute,/);
  assert.match((await save("Timeline (HTML)")).text, /timeline-data[^]*<\/html>\s*$/);
  await sound(page);
});

test("a trace is uploaded with progress, listed and explained; what is none is refused with a sentence", async () => {
  const page = await visit(server, "#/real", LAPTOP);
  const seen = page.evaluate(
    () =>
      new Promise((resolve) => {
        new MutationObserver((_, watch) => {
          const bar = document.querySelector("progress");
          if (!bar) return;
          watch.disconnect();
          resolve(document.querySelector(".progress").textContent);
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
  await page.getByLabel("Name").fill("from the browser");
  await page.locator("#files").setInputFiles(TRACE);
  assert.match(await seen, /call_stack__backward_thread\.json/);
  await page.getByText("is here:").waitFor();
  await page.getByRole("link", { name: "from the browser" }).first().click();
  await page.getByRole("heading", { name: "from the browser" }).waitFor();
  await shown(page);
  assert.match(await page.locator(".panel").innerText(), /What was recorded[^]*kernel/);
  await sound(page);
  await go(page, "#/real");
  const bad = path.join(folder, "none.bin");
  writeFileSync(bad, "this is not a trace");
  await page.locator("#files").setInputFiles(bad);
  await page.locator(".notice.error").waitFor();
  assert.match(await page.locator(".notice.error").innerText(), /^[A-Z].*\.$/m);
  assert.doesNotMatch(await page.locator(".notice.error").innerText(), /tandem-web|spool/);
});

test("a trace that is dropped anywhere on the page is uploaded", async () => {
  const page = await visit(server, "#/real");
  const data = await page.evaluateHandle(
    (text) => {
      const made = new DataTransfer();
      made.items.add(new File([text], "dropped.json"));
      return made;
    },
    readFileSync(TRACE, "utf8"),
  );
  await page.dispatchEvent("h1", "dragover", { dataTransfer: data });
  assert.equal(await page.locator(".zone.over").count(), 1);
  await page.dispatchEvent("h1", "drop", { dataTransfer: data });
  await page.getByRole("link", { name: "dropped.json" }).first().waitFor();
  await sound(page);
});

test("a real run is laid over a simulated one, and the view is chosen", async () => {
  const page = await visit(server, `#/overlay/${first}/${real}`);
  assert.match(await page.locator(".figure svg .title").first().textContent(), /above/);
  await page.getByLabel("Show", { exact: true }).first().selectOption("difference");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForFunction(
    () => !/above/.test(document.querySelector(".figure svg .title")?.textContent || "above"),
  );
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.frameLocator("iframe.frame").locator("#tl[data-ready]").waitFor();
  await sound(page);
});

test("categories are told of a run, or why they cannot be", async () => {
  const page = await visit(server, `#/real/${real}?tab=categories`);
  await page.getByText("gemm", { exact: true }).first().waitFor();
  await sound(page);
  await page.close();
  tandem("import", "tests/data/torch/memory_timeline.raw.json.gz");
  const other = await visit(server, `#/real/${newest()}?tab=categories`);
  await other.getByText("Cannot answer: the run has no GPU work").waitFor();
  await sound(other);
});

test("an overlay calls two runs what they are, and moves the timeline as it moves the lanes", async () => {
  const page = await visit(server, `#/overlay/${first}/${second}`);
  const words = await page.locator("thead").allTextContents();
  assert.match(words.join(), /simulated busy.*other busy/);
  assert.doesNotMatch(words.join(), /real/);
  await page.getByLabel("or move by").fill("5ms");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("+5.000000 ms", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.frameLocator("iframe.frame").locator("#tl[data-ready]").waitFor();
  assert.ok(page.asked.some((url) => url.endsWith(`/v1/runs/${second}/timeline?with=${first}&offset=5ms`)), page.asked);
  await sound(page);
});

test("work in progress is seen, and cancelled", async () => {
  const page = await visit(server, "#/jobs");
  const ended = page.evaluate(async () => {
    const { job } = await import("/ui/api.js");
    const states = [];
    const going = job("/v1/runs", { scenario_id: "demo", duration: "100000000s" }, (at) => states.push(at.state));
    return going.result.then(
      () => "done",
      (error) => [error.code, states.includes("running")],
    );
  });
  await page.locator("tbody th", { hasText: /^simulation · demo/ }).waitFor();
  await page.getByRole("button", { name: /^Cancel / }).click();
  assert.deepEqual(await ended, ["cancelled", true]);
  await page.locator(".state.cancelled").waitFor();
  await page.evaluate(async () => {
    const { job } = await import("/ui/api.js");
    await job("/v1/plans", { scenario_id: "demo", load: "fast" }).result.catch(() => {});
  });
  const refused = page.locator("tr", { hasText: "plan · demo" });
  await refused.locator(".state.failed", { hasText: "refused" }).waitFor();
  await refused.getByRole("button", { name: /^Why/ }).click();
  await page.locator(".notice.error", { hasText: "'fast' is not a quantity" }).waitFor();
});

test("sentences of the interface are told without its addresses, sizes as people read them", async () => {
  const page = await visit(server, "#/");
  const told = await page.evaluate(async () => {
    const { ApiError } = await import("/ui/api.js");
    return ["No run 'x'; /v1/runs lists them.", "Upload is in none of the formats that are read; `tandem help formats` lists them.",
      "There is nothing at /x; /openapi.json lists what there is.", "The body is longer than the limit of 4294967296 bytes.",
      "rps: 'fast' is not a quantity; wanted a rate."].map((message) => new ApiError(400, { message }).message);
  });
  assert.deepEqual(told, ["No run 'x'.", "Upload is in none of the formats that are read.", "There is nothing at /x.",
    "The body is longer than the limit of 4 GiB.", "rps: 'fast' is not a quantity; wanted a rate."]);
});

test("what is not there is told in a sentence", async () => {
  const page = await visit(server, "#/run/ffffffff");
  assert.equal(await page.locator(".notice.error").innerText(), "No run 'ffffffff'.");
  assert.equal(await page.locator("h1").innerText(), "Nothing here");
  await page.getByRole("link", { name: "All runs" }).waitFor();
  await go(page, "#/nowhere");
  assert.match(await page.locator("main").innerText(), /There is no page at \/nowhere/);
  const failed = await visit(server, `#/compare/${first}/ffffffff`);
  assert.match(await failed.locator(".notice.error").innerText(), /No run 'ffffffff'/);
});

test("names from a trace are text, never markup", async () => {
  const name = "<img src=x onerror=document.title='taken'>";
  const file = path.join(folder, "hostile.json");
  writeFileSync(
    file,
    JSON.stringify({
      traceEvents: [
        { ph: "X", pid: 1, tid: 1, ts: 0, dur: 5, name, cat: "cpu_op" },
        { ph: "X", pid: 1, tid: 1, ts: 9, dur: 5, name: `${name}2`, cat: "cpu_op" },
      ],
    }),
  );
  tandem("import", file, "--name", name);
  const id = newest(),
    page = await visit(server, `#/real/${id}`);
  assert.equal(await page.locator("h1").innerText(), name);
  for (const tab of ["kernels", "analyses", "timeline"]) {
    await go(page, `#/real/${id}?tab=${tab}`);
    await settled(page);
  }
  await go(page, "#/");
  assert.equal(await page.locator("main img").count(), 0);
  assert.notEqual(await page.title(), "taken");
  tandem("rm", id);
});

test("colours follow the reader until told otherwise, and stay as told", async () => {
  const page = await visit(server, "#/", { ...LAPTOP, colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await paper();
  assert.notEqual(light, dark);
  await page.locator("#theme").click();
  assert.equal(await paper(), light);
  await page.locator("#theme").click();
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await paper(), dark);
  await page.reload();
  await shown(page);
  assert.equal(await paper(), dark);
});

test("the files of the pages are asked for again, and answered that nothing changed", async () => {
  const one = await fetch(`${server.url}/ui/app.js`);
  assert.equal(one.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.match(one.headers.get("content-security-policy"), /default-src 'self'/);
  const again = await fetch(`${server.url}/ui/app.js`, { headers: { "If-None-Match": one.headers.get("etag") } });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), "");
  assert.equal((await fetch(`${server.url}/ui/nothing.js`)).status, 404);
  assert.equal((await fetch(`${server.url}/ui/ui.css`, { method: "POST" })).status, 405);
});

test("a server with a token asks for it once, says when it is wrong, and everything goes with it", async () => {
  const guarded = await serve({ token: TOKEN });
  const page = await visit(guarded, `#/run/${first}?tab=timeline`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Token").fill("not the right one at all");
  await dialog.getByRole("button", { name: "Go on" }).click();
  await page.getByText("That token is not the right one.").waitFor();
  await dialog.getByLabel("Token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.frameLocator("iframe.frame").locator("#tl[data-ready]").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("tandem.token")), null);
  await page.reload();
  await page.frameLocator("iframe.frame").locator("#tl[data-ready]").waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page
      .locator(".drop summary")
      .click()
      .then(() => page.getByRole("button", { name: "Result (JSON)" }).click()),
  ]);
  assert.equal(file.suggestedFilename(), `${first}-result.json`);
  await go(page, "#/real");
  await page.locator("#files").setInputFiles(TRACE);
  await page.getByText("is here:").waitFor();
  assert.deepEqual(
    page.asked.filter((url) => url.includes(TOKEN)),
    [],
  );
  await guarded.stop();
  await go(page, "#/").catch(() => {});
  await page.getByText("Is tandem serve still running?").waitFor();
});

test("a run beyond the newest thousand is found by its name", async () => {
  const page = await visit(server, "#/jobs");
  // The newest thousand are made here; a question for a name is the server's own to answer.
  await page.route(/\/v1\/runs\?limit=1000$/, (route) => route.fulfill({ json: {
    runs: Array.from({ length: 1000 }, (_, i) => ({ run_id: `f${String(i).padStart(7, "0")}`, kind: "simulated", name: `new ${i}`,
      state: "complete", created_utc_ns: 1e18, spans: 1, tags: [], note: "" })),
  } }));
  await go(page, "#/");
  await page.getByText("the newest 1,000 runs").waitFor();
  const link = page.locator(`a[href="#/real/${real}"]`).first();
  assert.equal(await link.count(), 0);
  await page.getByLabel("Filter by name, id or note").fill("BACKWARD_thread");
  await link.waitFor();
  await page.getByText(/^\d+ runs? of all$/).waitFor();
  await page.getByLabel("Filter by name, id or note").fill("new 77");
  await page.getByText("11 of the newest 1,000 runs").waitFor();
  assert.equal(await link.count(), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});
