// What `tandem export --format arrow` and parquet write, and --out of sweeps and plans, read back by others' libraries: columns,
// types, nulls and texts against the same run as SQL, one format against the other. Packages are found under $BUILD/npm (make test-web).
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import test, { after, before } from "node:test";
import assert from "node:assert/strict";

const build = path.resolve(process.env.BUILD || "build");
const load = createRequire(path.join(build, "npm", "node_modules", "x.js"));
const { tableFromIPC } = load("apache-arrow");
const folder = mkdtempSync(path.join(tmpdir(), "tandem-columns-"));
const store = path.join(folder, "runs.db");
after(() => rmSync(folder, { recursive: true, force: true }));

const tandem = (...words) =>
  execFileSync(path.join(build, "tandem"), [...words, "--store", store], { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
const sql = (query) => JSON.parse(tandem("sql", query, "--json")).result.rows;
const arrow = (run, ...words) => {
  const file = path.join(folder, `${run}-${words.join("") || "spans"}.arrow`);
  tandem("export", run, "-o", file, ...words);
  return tableFromIPC(readFileSync(file));
};
const plain = (value) => (typeof value === "bigint" ? Number(value) : value);

before(() => {
  tandem("import", "tests/data/nsys/h100_2gpu_1s.sqlite.gz", "--name", "h100");
  tandem("import", "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
    "--name", "alexnet");
  tandem("run", "demo", "--duration", "20s", "--spans", "all", "--seed", "3");
});

for (const run of ["h100", "alexnet", "last"]) {
  test(`spans of ${run} come back as they are in SQL`, () => {
    const table = arrow(run);
    const [counted] = sql(`SELECT count(*) AS n, sum(dur_ns) AS t, count(bytes) AS b, sum(bytes) AS s FROM span WHERE run = run('${run}')`);
    let spans = 0, time = 0n, withBytes = 0, bytes = 0n;
    const names = new Map();
    const at = Object.fromEntries(table.schema.fields.map((f, i) => [f.name, table.getChildAt(i)]));
    let last = -(2n ** 63n);
    for (let i = 0; i < table.numRows; i++) {
      const start = at.start_ns.get(i);
      assert.ok(start >= last);
      last = start;
      const shape = at.shape.get(i);
      if (shape === "edge" || shape === "sample") continue;
      spans++;
      time += at.dur_ns.get(i);
      const key = `${at.category.get(i)}\0${at.name.get(i)}`;
      names.set(key, (names.get(key) || 0n) + at.dur_ns.get(i));
      const moved = at.bytes?.get(i);
      if (moved !== null && moved !== undefined) withBytes++, (bytes += moved);
    }
    assert.equal(spans, counted.n);
    assert.equal(Number(time), counted.t);
    assert.equal(withBytes, counted.b);
    assert.equal(Number(bytes), counted.s ?? 0);
    for (const row of sql(`SELECT category, name, sum(dur_ns) AS t FROM span WHERE run = run('${run}') GROUP BY 1, 2`))
      assert.equal(Number(names.get(`${row.category}\0${row.name}`)), row.t, row.name);
  });
}

async function assertAlike(run, ...words) {
  const file = path.join(folder, `${run}-${words.join("") || "spans"}.parquet`);
  tandem("export", run, "-o", file, ...words);
  const { parquetReadObjects } = await import(pathToFileURL(path.join(build, "npm", "node_modules", "hyparquet", "src", "index.js")));
  const bytes = readFileSync(file);
  const rows = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  const table = arrow(run, ...words);
  assert.equal(rows.length, table.numRows);
  assert.deepEqual(Object.keys(rows[0]), table.schema.fields.map((field) => field.name));
  table.schema.fields.forEach((field, c) => {
    const column = table.getChildAt(c);
    for (let i = 0; i < rows.length; i++) {
      if ((rows[i][field.name] ?? null) !== (column.get(i) ?? null))
        assert.fail(`${field.name}[${i}]: ${rows[i][field.name]}, ${column.get(i)}`);
    }
  });
}

for (const run of ["h100", "alexnet", "last"]) test(`Parquet has of ${run} what Arrow has`, () => assertAlike(run));
test("Parquet has the requests that Arrow has", () => assertAlike("last", "--table", "requests"));

test("requests come back as they are in SQL", () => {
  const table = arrow("last", "--table", "requests");
  const rows = sql("SELECT r.id, c.name AS class, r.arrival_ns, r.end_ns, r.gpu, r.outcome FROM request AS r " +
    "LEFT JOIN class AS c ON c.run = r.run AND c.id = r.class WHERE r.run = run('last')");
  assert.equal(table.numRows, rows.length);
  assert.ok(rows.length > 1000);
  const by = new Map(rows.map((row) => [row.id, row]));
  for (const row of table.toArray()) {
    const wanted = by.get(plain(row.id));
    for (const key of ["class", "arrival_ns", "end_ns", "gpu", "outcome"])
      assert.equal(plain(row[key]) ?? null, wanted[key] ?? null, key);
  }
});

test("names of any bytes are texts", () => {
  const file = path.join(folder, "odd.jsonl");
  writeFileSync(file, Buffer.concat([
    Buffer.from('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"cat":"kernel","name":"a'),
    Buffer.from([0xff, 0xfe]), Buffer.from('b"},{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"cat":"kernel","name":"ü€𝄞"}]}')]));
  tandem("import", file, "--name", "odd");
  const names = arrow("odd").toArray().map((row) => row.name);
  assert.ok(names.some((name) => /^a\uFFFD+b$/.test(name)), names.join());
  assert.ok(names.includes("ü€𝄞"));
});

const parquet = async (file) => {
  const { parquetReadObjects } = await import(pathToFileURL(load.resolve("hyparquet")));
  const bytes = readFileSync(file);
  return parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) });
};

for (const [what, words] of [
  ["points of a sweep", ["sweep", "demo", "--over", "rps=40:80:3", "--over", "kind=L40,L40S", "--replications", "2", "--no-progress"]],
  ["a plan's table", ["plan", "demo", "--kinds", "L40,L40S", "--load", "40rps", "--slo", "mean=200ms", "--no-progress"]],
]) {
  test(`${what} are columns: Arrow, Parquet and CSV say the same as JSON`, async () => {
    const file = (ending) => path.join(folder, `${words[0]}.${ending}`);
    const write = (ending) => execFileSync(path.join(build, "tandem"),
      [...words, ...(words[0] === "sweep" ? ["--store", store] : []), "--json", "--out", file(ending)],
      { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    const { result } = JSON.parse(write("arrow"));
    write("parquet");
    write("csv");
    const table = tableFromIPC(readFileSync(file("arrow")));
    const rows = await parquet(file("parquet"));
    const names = table.schema.fields.map((field) => field.name);
    assert.deepEqual(Object.keys(rows[0]), names);
    assert.equal(table.numRows, result.rows.length);
    assert.equal(rows.length, table.numRows);
    const lines = readFileSync(file("csv"), "utf8").trimEnd().split("\n").map((line) => line.split(","));
    assert.deepEqual(lines[0], names);
    for (let r = 0; r < rows.length; r++)
      names.forEach((name, c) => {
        const cell = plain(table.getChild(name).get(r) ?? undefined);
        assert.deepEqual(plain(rows[r][name] ?? undefined), cell, `${name} of row ${r}`);
        const text = lines[r + 1][c];
        if (text === "") assert.equal(cell, undefined);
        else if (text === "true" || text === "false") assert.equal(cell, Number(text === "true"));
        else if (typeof cell === "number") assert.equal(Number(text), cell);
        else assert.equal(text, cell);
      });
    result.rows.forEach((row, r) => {
      if (words[0] === "sweep") {
        assert.equal(plain(table.getChild("rps").get(r)), row.point.rps);
        assert.equal(table.getChild("kind").get(r), row.point.kind);
        assert.equal(table.getChild("latency.mean").get(r), row.metrics["latency.mean"].value);
        assert.equal(table.getChild("latency.mean_half").get(r), row.metrics["latency.mean"].half ?? null);
        assert.equal(plain(table.getChild("met").get(r)), Number(row.metrics.met));
      } else {
        assert.equal(table.getChild("kind").get(r), row.kind);
        assert.equal(plain(table.getChild("count").get(r)), row.count);
        assert.equal(table.getChild("usd_per_hour").get(r), row.usd_per_hour ?? null);
      }
    });
  });
}
