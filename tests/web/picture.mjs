// The README's pictures of a timeline and of the server's pages, as a browser shows them:
//   make test-web; node tests/web/picture.mjs > scenarios/img/timeline.png
//   node tests/web/picture.mjs ui > scenarios/img/ui.png
// The demo where its GPU is saturated, and one request's way through it; the demo's run.
import path from "node:path";
import { close, folder, open, tandem } from "./browser.mjs";
import { serve, stopAll, visit } from "./server.mjs";

tandem("run", "scenarios/01-demo.lua", "--spans", "all");
if (process.argv[2] === "ui") {
  const shown = await visit(await serve(), "#/run/last", { viewport: { width: 1280, height: 1010 },
    deviceScaleFactor: 0.8 });
  process.stdout.write(await shown.screenshot());
  await stopAll();
  await close();
  process.exit(0);
}
tandem("view", "last", "-o", path.join(folder, "demo.html"));
const page = await open(path.join(folder, "demo.html"), { viewport: { width: 1240, height: 640 } });
await page.waitForSelector("#tl[data-ready]");
await page.evaluate(async () => {
  const { marks, time, view, detail, scene } = window.timeline, [mark] = marks, { run } = mark;
  scene.openUpTo(view.height);
  const middle = (mark.from + mark.to) / 2, length = mark.to - mark.from;
  const rows = Array.from({ length: run.tracks[mark.track].rows }, (_, k) => run.tracks[mark.track].firstRow + k);
  for (const row of rows) {
    for (let n = run.first[row]; n < run.first[row + 1]; n++) {
      const span = await run.span(n);
      if (span.start < middle || span.category !== "stage") continue;
      time.set(middle - length * 0.2, middle + length * 0.2);
      await detail.choose(span, true);
      time.set(middle - length * 0.2, middle + length * 0.2);
      view.scroll.scrollTop = 0;
      return;
    }
  }
});
await page.waitForTimeout(500);
process.stdout.write(await page.screenshot());
await close();
