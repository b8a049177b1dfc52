// The built program's `tandem serve` on a free port, with the store of these tests, and pages of it.
import { rmSync } from "node:fs";
import assert from "node:assert/strict";
import { browserPage, store } from "./browser.mjs";
import { serve as start } from "./program.mjs";

export { stopAll } from "./program.mjs";

export const serve = (options = {}) => start({ at: store, ...options });

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
  await page.waitForFunction(
    () => ![...document.querySelectorAll("p.muted")].some((p) => p.textContent === "Loading …"),
  );
}

export async function go(page, hash) {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await page.waitForFunction((to) => location.hash.startsWith(to.split("?")[0]), hash);
  await shown(page);
}

// Nothing went wrong, nothing came from elsewhere, nothing is wider than the screen.
export async function sound(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(
    page.asked.filter(
      (url) => !url.startsWith(page.server.url) && !url.startsWith("data:") && !url.startsWith("blob:"),
    ),
    [],
  );
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= room, `the page is ${wide} wide, the screen ${room}`);
}

export const forget = (at) => rmSync(at, { recursive: true, force: true });
