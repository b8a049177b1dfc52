// Pictures of every page at three widths, light and dark, to be looked at:
//   node tests/web/pictures.mjs DIRECTORY [NAME…]
import { mkdirSync } from "node:fs";
import path from "node:path";
import { close, open } from "./browser.mjs";
import { cutOff, everything } from "./every.mjs";
import { serve, shown, stopAll, visit } from "./server.mjs";

const [at, ...only] = process.argv.slice(2), MOST = 6000;
mkdirSync(at, { recursive: true });
const { files, pages } = everything(), server = await serve();
const wanted = ([name]) => only.length === 0 || only.some((one) => name.startsWith(one));

async function take(page, name, width, scheme, whole) {
  for (const frame of await page.locator("iframe[data-page]").all()) await frame.scrollIntoViewIfNeeded();
  for (const frame of await page.locator("iframe").all()) {
    const inside = await (await frame.elementHandle()).contentFrame();
    await inside.waitForSelector("#tl[data-ready], main").catch(() => {});
  }
  await page.waitForFunction(() => !document.querySelector(".progress"));
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(400);
  const height = Math.min(MOST, await page.evaluate(() => document.documentElement.scrollHeight));
  const wrong = await page.evaluate(cutOff);
  for (const one of wrong) console.log(`${name} ${width} ${scheme}: ${one}`);
  for (const one of page.problems) console.log(`${name} ${width} ${scheme}: ${one}`);
  await page.screenshot({ path: path.join(at, `${name}-${width}-${scheme}.png`), fullPage: whole,
    clip: whole ? { x: 0, y: 0, width, height } : undefined });
  await page.close();
}

for (const [width, scheme] of [[400, "light"], [1400, "light"], [2560, "light"], [400, "dark"], [1400, "dark"], [2560, "dark"]]) {
  const options = { viewport: { width, height: width === 400 ? 844 : Math.round(width * 0.6) }, colorScheme: scheme };
  for (const [name, file] of files.filter(wanted)) {
    const page = await open(file, options);
    if (name.startsWith("timeline")) await page.waitForSelector("#tl[data-ready]");
    await take(page, name, width, scheme, !name.startsWith("timeline"));
  }
  for (const [name, hash, press] of pages.filter(wanted)) {
    const page = await visit(server, hash, options);
    if (press) {
      await page.locator(press).click();
      await page.waitForFunction((button) => !document.querySelector(button).disabled, press);
      await shown(page);
    }
    await take(page, name, width, scheme, true);
  }
}
await stopAll();
await close();
