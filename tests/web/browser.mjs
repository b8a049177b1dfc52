// A real browser for the tests of pages: opens files, says what went wrong on them.
//
// Owns the browser, which is shared by the tests of one file. playwright-core is found under
// $BUILD/web (make test-web puts it there), Chromium on the PATH or at $CHROMIUM.
import { createRequire } from "node:module";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import assert from "node:assert/strict";

const build = path.resolve(process.env.BUILD || "build");
const { chromium } = createRequire(path.join(build, "web", "node_modules", "x.js"))("playwright-core");
const found = process.env.CHROMIUM || execFileSync("sh", ["-c", "command -v chromium"]).toString().trim();

export const folder = mkdtempSync(path.join(tmpdir(), "tandem-web-"));
export const store = path.join(folder, "runs.db");

// The program's standard output; fails the test when the program fails.
export function tandem(...args) {
  const done = spawnSync(path.join(build, "tandem"), args, { encoding: "utf8", maxBuffer: 1 << 30,
    env: { ...process.env, TANDEM_STORE: store } });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

export const sql = (text) => JSON.parse(tandem("sql", text, "--json")).result.rows;

let browser;
export const close = () => browser?.close();

// A page that remembers what it asked the network for and what went wrong on it.
export async function browserPage(options = {}) {
  browser ||= await chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, ...options });
  page.setDefaultTimeout(300000); // a hang, on however busy a machine
  page.problems = [];
  page.asked = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") page.problems.push(message.text()); });
  page.on("request", (request) => page.asked.push(request.url()));
  return page;
}

export async function open(file, options = {}) {
  const page = await browserPage(options);
  await page.goto(`file://${file}`);
  return page;
}

// Until a page, or a frame of it, has done what it was told: frames have passed and the page's own timers, of up to
// REST_MS, and it draws and unpacks nothing. By the page's clock: on a busy machine that is later than by ours.
const REST_MS = 150;
export const settled = (page) => page.evaluate(async (rest) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const busy = () => {
    if (document.querySelector("[data-drawing]")) return true;
    const { view, blocks } = window.timeline ?? {};
    return view && (view.pending || blocks.coming.size + blocks.wanted.size > 0);
  };
  do {
    for (let i = 0; i < 2; i++) await frame();
    await new Promise((done) => setTimeout(done, rest));
    await frame();
  } while (busy());
}, REST_MS);
