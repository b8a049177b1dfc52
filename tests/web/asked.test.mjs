// SQL in a page that stands alone: its answers against `tandem sql` of the same run, rows as a track, mistakes.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { close, folder, open, sql, tandem } from "./browser.mjs";

const RUNS = {
  demo: ["run", "demo", "--duration", "20s", "--spans", "all"],
  llm: ["run", "scenarios/23-llm-one-h100.lua", "--duration", "20s", "--spans", "all"],
  h100: ["import", "tests/data/nsys/h100_2gpu_1s.sqlite.gz"],
  alexnet: ["import", "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"],
  rank0: ["import", "tests/data/kineto/timeline_analysis__sampled_rank-0.json.gz"],
};
const ids = {};
const newest = () => JSON.parse(tandem("runs", "--json", "--limit", "1")).result.rows[0].id;

before(() => {
  for (const [name, words] of Object.entries(RUNS)) {
    tandem(...words);
    ids[name] = newest();
  }
});
after(close);

async function pageOf(...names) {
  const file = path.join(folder, `${names.join("-")}.html`);
  tandem("view", ...names.map((name) => ids[name]), ...(names.length > 1 ? ["--align", "first"] : []), "-o", file);
  const page = await open(file);
  await page.waitForSelector("#tl[data-ready]");
  return page;
}

// A page has no instants and no numbers of rows of the store; $ is the run.
const QUERIES = [
  "SELECT count(*) AS n, sum(dur_ns) AS t, min(start_ns) AS a, max(end_ns) AS z, avg(dur_ns) AS m FROM span WHERE $ AND shape <> 'instant'",
  "SELECT category, shape, count(*) AS n, sum(dur_ns) AS t FROM span WHERE $ AND shape <> 'instant' GROUP BY 1, 2 ORDER BY 1, 2",
  "SELECT name, lane, count(*) AS n, sum(dur_ns) / 1e9 AS s FROM span WHERE $ AND shape <> 'instant' GROUP BY name, lane ORDER BY s DESC, name, lane LIMIT 50",
  `SELECT track, device, stream, pid, tid, source, min(start_ns) AS a, count(DISTINCT name) AS names FROM span
   WHERE $ AND shape <> 'instant' GROUP BY track ORDER BY track`,
  `SELECT kind, count(bytes) AS n, sum(bytes) AS b, count(correlation) AS c, max(correlation) AS l, count(request) AS r, sum(request) AS q,
   sum(batch) AS k FROM span WHERE $ AND shape <> 'instant' GROUP BY kind ORDER BY kind`,
  `SELECT start_ns, dur_ns, name, track, args FROM span WHERE $ AND shape <> 'instant' AND dur_ns > 0
   ORDER BY start_ns, dur_ns, track, name, args LIMIT 300`,
  `SELECT length(args) AS l, count(*) AS n FROM span WHERE $ AND shape <> 'instant' GROUP BY l HAVING n > 1 ORDER BY n DESC, l LIMIT 20`,
  "SELECT id, process, name, kind, lane, capacity, pid, tid, device, context, stream, source FROM track WHERE $ AND id IN (SELECTED) ORDER BY id",
  "SELECT * FROM request WHERE $ ORDER BY id LIMIT 500",
  "SELECT * FROM class WHERE $ ORDER BY id",
  "SELECT name, track, unit, count(*) AS n, sum(value) AS s, max(time_ns) AS z FROM counter WHERE $ GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
  `SELECT t.name AS track, s.category, count(*) AS n FROM span s JOIN track t ON t.run = s.run AND t.id = s.track WHERE s.run = run('last')
   AND shape <> 'instant' GROUP BY t.id, 2 ORDER BY t.id, 2`,
];

const ask = (page, query) => page.evaluate(async (text) => {
  const { runs, meta } = window.timeline;
  try {
    const { columns, rows } = await SqlQuery(text, PageTables.of(runs, meta.lanes), PageTables.functions(runs));
    return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] instanceof Real ? row[i].value
      : typeof row[i] === "bigint" ? Number(row[i]) : row[i]])));
  } catch (error) {
    return error.message;
  }
}, query);

const near = (a, b) => a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)));

for (const name of Object.keys(RUNS)) {
  test(`what the page of ${name} answers is what the store answers`, async () => {
    const page = await pageOf(name);
    const shown = await page.evaluate(() => window.timeline.runs[0].tracks.map((track) => track.id).join());
    for (const query of QUERIES) {
      const text = query.replace("SELECTED", shown).replace("$", "run = run('last')");
      const got = await ask(page, text), wanted = sql(text.replaceAll("run('last')", `run('${ids[name]}')`));
      assert.ok(Array.isArray(got), `${text}\n${got}`);
      assert.equal(got.length, wanted.length, text);
      wanted.forEach((row, i) => Object.entries(row).filter(([key]) => key !== "run").forEach(([key, value]) =>
        assert.ok(near(got[i][key], value), `${text}\nrow ${i}: ${key} is ${got[i][key]}, in the store ${value}`)));
    }
    assert.deepEqual(page.problems, []);
    await page.close();
  });
}

test("rows are a table and a track, each opens its place; mistakes are told", async () => {
  const page = await pageOf("h100");
  await page.locator("#tl-scroll").focus();
  await page.keyboard.press("q");
  const first = await page.locator("#tl-sql-text").inputValue();
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => /100 rows; those with a time are the lane "query"/.test(document.querySelector("#tl-sql-said").textContent));
  const rows = sql(first.replace("WHERE", `WHERE run = run('${ids.h100}') AND`));
  assert.equal(await page.locator("#tl-sql-rows tbody tr").count(), 100);
  assert.equal(await page.locator("#tl-sql-rows tbody tr").first().locator("td").nth(2).innerText(), String(rows[0].start_ns));
  const made = await page.evaluate(() => {
    const { scene } = window.timeline;
    return { lane: scene.lanes[scene.items[0].lane], spans: scene.made.get("query").run.spans };
  });
  assert.deepEqual(made, { lane: "query", spans: 100 });
  await page.getByLabel("Show it in the timeline").first().click();
  const range = await page.evaluate(() => [window.timeline.detail.range, Number(window.timeline.runs[0].origin)]);
  assert.equal(range[0].from, rows[0].start_ns - range[1]);
  assert.equal(range[0].to - range[0].from, rows[0].dur_ns);
  await page.locator("#tl-sql-text").fill("SELECT nmae FROM span");
  await page.locator("#tl-sql-go").click();
  await page.getByText("no such column: nmae (line 1, column 8); did you mean 'name'?").waitFor();
  await page.locator("#tl-sql-text").fill("SELECT category, count(*) FROM span GROUP BY 1 ORDER BY 2 DESC");
  await page.locator("#tl-sql-go").click();
  await page.waitForFunction(() => document.querySelector("#tl-sql-rows thead").innerText.includes("count(*)"));
  assert.equal(await page.evaluate(() => window.timeline.scene.made.get("query").run), null); // no time: no track
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("of two runs each says its own, and rows of the second stand where its clock is", async () => {
  const page = await pageOf("h100", "demo");
  assert.deepEqual(await ask(page, "SELECT run, count(*) AS n FROM span GROUP BY 1 ORDER BY 1"), ["h100", "demo"].map((name, i) => ({ run: i + 1,
    n: sql(`SELECT count(*) AS n FROM span WHERE run = run('${ids[name]}') AND shape <> 'instant'`)[0].n })));
  assert.match(await ask(page, "SELECT run('last')"), /^run\('last'\): the page shows \w+ and \w+/);
  assert.equal((await ask(page, `SELECT run('${ids.demo}') AS r`))[0].r, 2);
  await page.locator("#tl-sql summary").click();
  await page.locator("#tl-sql-text").fill("SELECT run, start_ns, dur_ns, name FROM span WHERE run = 2 ORDER BY start_ns LIMIT 5");
  await page.locator("#tl-sql-go").click();
  await page.waitForFunction(() => window.timeline.scene.made.get("query")?.run);
  const [at, wanted] = await page.evaluate(async () => {
    const { scene, runs } = window.timeline, { run } = scene.made.get("query");
    const starts = [];
    for (let n = 0; n < runs[1].spans; n++) starts.push((await runs[1].span(n)).start);
    return [(await run.span(0)).start, Math.min(...starts) + runs[1].shift];
  });
  assert.equal(at, wanted);
  await page.close();
});
