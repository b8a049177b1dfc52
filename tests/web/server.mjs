// The built program's `tandem serve` on a free port, with the store of these tests, and pages of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";
import { browserPage, store } from "./browser.mjs";

const program = path.join(path.resolve(process.env.BUILD || "build"), "tandem");
const started = new Set();

// { url, token, stop() }. With a token every request must bring it.
export async function serve({ token, at = store } = {}) {
  const { TANDEM_TOKEN, ...rest } = process.env;
  const child = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--store", at, "--spool", `${at}-spool-${started.size}`],
    { stdio: ["ignore", "ignore", "pipe"], env: token ? { ...rest, TANDEM_TOKEN: token } : rest });
  let log = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (text) => {
      log += text;
      const found = log.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`the server did not start: ${log}`)));
  });
  const server = { url, token, log: () => log, async stop() {
    started.delete(server);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  } };
  started.add(server);
  return server;
}

export const stopAll = () => Promise.all([...started].map((server) => server.stop()));

// A page of a server: page.problems has what went wrong on it, but for answers that a test expects.
export async function visit(server, hash = "#/", options = {}) {
  const page = await browserPage(options);
  page.server = server;
  await page.goto(`${server.url}/${hash}`);
  if (!server.token) await shown(page);
  return page;
}

// Until the page that the address means is there, and nothing on it still loads.
export async function shown(page) {
  await page.waitForSelector(".page[data-ready]");
  await page.waitForFunction(() => ![...document.querySelectorAll("p.muted")].some((p) => p.textContent === "Loading …"));
}

export async function go(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForFunction((to) => location.hash.startsWith(to.split("?")[0]), hash);
  await shown(page);
}

// Nothing went wrong, nothing came from elsewhere, nothing is wider than the screen.
export async function sound(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(page.server.url) && !url.startsWith("data:")
    && !url.startsWith("blob:")), []);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= room, `the page is ${wide} wide, the screen ${room}`);
}

export const forget = (at) => rmSync(at, { recursive: true, force: true });
