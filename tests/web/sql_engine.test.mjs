// The SQL engine of stand-alone pages against SQLite: drawn expressions, and what refuses them. Needs no browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import vm from "node:vm";

const program = path.join(path.resolve(process.env.BUILD || "build"), "tandem");
const folder = mkdtempSync(path.join(tmpdir(), "tandem-engine-")), store = path.join(folder, "a.db");
after(() => rmSync(folder, { recursive: true, force: true }));
const run = (...words) => spawnSync(program, words, { encoding: "utf8", env: { ...process.env, TANDEM_STORE: store } });
run("run", "demo", "--duration", "1s");

const context = vm.createContext({ performance, setTimeout });
const texts = ["words", "values", "functions", "parse", "compile", "query"].map((name) =>
  readFileSync(`src/viewer/sql/${name}.js`, "utf8"));
vm.runInContext(`${texts.join("\n")}\nglobalThis.api = { SqlQuery, SqlValues, Real };`, context);
const { SqlQuery, SqlValues, Real } = context.api;

const ROWS = [[1, 2.5, "ab"], [2, null, "AB"], [3, -1e20, "10"], [3, 0.1, null], [null, 7, ""], [-9007199254740993n, 1 / 3, "zé😀x"],
  [9223372036854775807n, -0.5, "nccl_ab%"], [0, 2, "2.0"]];
const AFFINITY = { a: "number", b: "number", t: "text" };
const tables = () => {
  const rows = ROWS.map(([a, b, t]) => ({ a, b: b === null ? null : new Real(b), t }));
  const columns = new Map(["a", "b", "t"].map((name) => [name, { name, affinity: AFFINITY[name],
    value: (row) => (typeof row[name] === "bigint" ? SqlValues.small(row[name]) : row[name]) }]));
  return { x: { small: true, columns, async* parts() {
    for (let at = 0; at < rows.length; at += 3) { // several parts
      const some = rows.slice(at, at + 3);
      yield { rows: some.length, row: (i) => some[i], done: 1 };
    }
  } } };
};
const quoted = (v) => (v === null ? "NULL" : typeof v === "string" ? `'${v}'` : typeof v === "bigint" ? String(v)
  : Number.isInteger(v) ? v.toExponential(16) : String(v));
// CAST gives columns of a CTE their affinity.
const CTE = `WITH x(a, b, t) AS (SELECT CAST(column1 AS INTEGER), CAST(column2 AS REAL), CAST(column3 AS TEXT) FROM (VALUES ${
  ROWS.map(([a, b, t]) => `(${a === null ? "NULL" : a}, ${quoted(b)}, ${quoted(t)})`).join(", ")})) `;

const WHOLE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// SQLite's rows: reals as { real }, whole numbers exact.
function told(query) {
  const done = run("sql", CTE + query, "--json");
  if (done.status !== 0) return { error: done.stderr.trim() };
  const text = done.stdout.replace(WHOLE, (found) => (found[0] === '"' ? found
    : /^-?\d+$/.test(found) ? `{"whole":"${found}"}` : `{"real":${found}}`));
  return { rows: JSON.parse(text).result.rows.map((row) => Object.values(row)) };
}
const ours = async (query) => {
  try {
    const { rows } = await SqlQuery(query, tables(), {});
    return { rows: rows.map((row) => row.map((v) => (v instanceof Real ? { real: v.value }
      : v === null || typeof v === "string" ? v : { whole: String(v) }))) };
  } catch (error) {
    return { error: error.message };
  }
};
// tandem writes 2.0 as 2: types are asked for by themselves.
const close = (a, b) => {
  if (a?.real === undefined && b?.real === undefined) return JSON.stringify(a) === JSON.stringify(b);
  const [x, y] = [a, b].map((v) => v?.real ?? Number(v?.whole ?? NaN));
  return x === y || Math.abs(x - y) <= 1e-13 * Math.max(Math.abs(x), Math.abs(y));
};

async function same(query) {
  const expected = told(query), got = await ours(query);
  assert.equal(expected.error, undefined, `${query}\n${expected.error}`);
  assert.equal(got.error, undefined, `${query}\n${got.error}`);
  assert.equal(got.rows.length, expected.rows.length, query);
  const columns = query.split(/ AS e\d+,? ?/);
  got.rows.forEach((row, i) => row.forEach((value, j) => assert.ok(close(value, expected.rows[i][j]),
    `${columns.length > 2 ? columns[j] : query}\nrow ${i}, column ${j}: ${JSON.stringify(value)}, SQLite ${JSON.stringify(expected.rows[i][j])}`)));
}

// Numbers of a fixed sequence (mulberry32).
function drawn(seed) {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const LEAVES = ["a", "b", "t", "x.a", "0", "1", "-2", "3", "1000000007", "9007199254740993", "0.5", "2.0", "'ab'", "'3'", "'2.0'", "'x'", "''",
  "NULL"];
function expression(draw, depth) {
  const e = () => expression(draw, depth - 1), one = (list) => list[draw(list.length)];
  if (depth === 0) return one(LEAVES);
  return one([
    () => `(${e()} ${one(["+", "-", "*", "/", "%"])} ${e()})`,
    () => `(${e()} ${one(["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "==", "!="])} ${e()})`,
    () => `(${e()} ${one(["AND", "OR"])} ${e()})`,
    () => `(NOT ${e()})`, () => `(- ${e()})`, () => `(${e()} || ${e()})`,
    () => `(${e()} ${one(["&", "|"])} ${e()})`,
    () => `(${e()} ${one(["IN", "NOT IN"])} (${e()}, ${e()}))`,
    () => `(${e()} ${one(["BETWEEN", "NOT BETWEEN"])} ${e()} AND ${e()})`,
    () => `(t ${one(["LIKE", "NOT LIKE", "GLOB"])} ${one(["'a%'", "'_B'", "'%'", "'nccl*'", "'*[a-z]*'", "'?0'", "'nccl_ab\\%'"])})`,
    () => `CASE WHEN ${e()} THEN ${e()} WHEN ${e()} THEN ${e()} ELSE ${e()} END`,
    () => `CASE ${e()} WHEN ${e()} THEN ${e()} END`,
    () => `CAST(${e()} AS ${one(["INTEGER", "REAL", "TEXT"])})`,
    () => `${one(["length", "lower", "upper", "typeof", "trim", "sign"])}(${e()})`,
    () => `${one(["coalesce", "ifnull", "nullif", "min", "max"])}(${e()}, ${e()})`,
    () => `substr(${e()}, ${one(["-2", "0", "1", "2", "9"])}, ${one(["-1", "1", "3"])})`,
    () => `round(${e()}, ${one(["0", "1", "2"])})`, () => `iif(${e()}, ${e()}, ${e()})`,
    () => `instr(${e()}, ${e()})`, () => `replace(${e()}, 'a', ${e()})`,
    () => `(${e()} ISNULL)`, () => `(${e()} COLLATE NOCASE = ${e()})`,
  ])();
}

test("drawn expressions have SQLite's values and types", async () => {
  const draw = drawn(25);
  for (let round = 0; round < 40; round++) {
    const list = Array.from({ length: 40 }, (_, i) => expression(draw, 1 + (i % 3)));
    await same(`SELECT ${list.map((one, i) => `${one} AS e${2 * i}, typeof(${one}) AS e${2 * i + 1}`).join(", ")} FROM x`);
  }
});

test("drawn queries with groups, order and limits have SQLite's rows", async () => {
  const draw = drawn(7), one = (list) => list[draw(list.length)];
  for (let round = 0; round < 120; round++) {
    const group = one(["a % 2", "t", "typeof(b)", "a > 1", "length(t)", "1 = 1"]);
    const sums = ["count(*)", "count(t)", "count(DISTINCT a)", "min(b)", "max(t)", "avg(b)", "total(a)", "group_concat(t)",
      "sum(b)", "sum(a % 10)", "sum(DISTINCT a % 3)", "avg(a % 7)", "min(a) + max(a % 5)", "CASE WHEN count(*) > 1 THEN sum(b) END"];
    await same(`SELECT ${group} AS g, ${one(sums)} AS s, ${one(sums)} AS u FROM x WHERE ${expression(draw, 2)} GROUP BY ${one(["1", "g", group])} ${
      one(["", "HAVING count(*) > 1", "HAVING g IS NOT NULL"])} ORDER BY ${one(["g", "1"])}${one(["", " DESC"])}`);
    await same(`SELECT ${one(["", "DISTINCT "])}a, t FROM x WHERE ${expression(draw, 2)} ORDER BY ${
      one(["a", "b + 1", "t COLLATE NOCASE", "t DESC", "2 DESC"])}, a DESC, t LIMIT ${draw(5)} OFFSET ${draw(3)}`);
  }
  await same("SELECT max(b), t FROM x"); // the row of the greatest
  await same("SELECT min(a), t, b FROM x WHERE a > 0");
  await same("SELECT count(*), sum(a), max(t) FROM x WHERE 0");
  await same("SELECT a, count(*) FROM x WHERE 0 GROUP BY a");
  await same("SELECT t AS a, a AS t FROM x ORDER BY a, x.a");
  await same("SELECT a FROM x ORDER BY a DESC NULLS FIRST");
  await same("SELECT y.t, z.b FROM x AS y JOIN x AS z ON z.a = y.a ORDER BY 1, 2");
  await same("SELECT y.t, z.b FROM x y LEFT JOIN x z ON z.a = y.a AND z.b > 1 ORDER BY 1, 2");
  await same("SELECT y.t, z.b FROM x y, x z WHERE z.a = y.a + 1 AND y.b > 0 ORDER BY 1, 2");
  await same("SELECT count(*) FROM x y CROSS JOIN x");
});

test("mistakes are told where SQLite tells them, with the nearest word", async () => {
  for (const query of ["SELECT nmae FROM x", "SELECT a FROM y", "SELECT lenght(t) FROM x", "SELECT a FROM x ORDER BY 3", "SELECT a FROM x GROUP BY 2",
    "SELECT a FROM x WHERE count(*) > 1", "SELECT sum(max(a)) FROM x", "SELECT q.a FROM x", "SELECT a FROM x y JOIN x z ON 1", "SELECT abs() FROM x",
    "SELECT FROM x", "SELECT a FROM x WHERE", "SELECT (a FROM x", "SELECT a b c FROM x", "SELECT 'a FROM x", "SELECT a FROM x LIMIT 'b'", "SELECT *",
    "SELECT count(a, b) FROM x", "", "SELECT a FROM x; SELECT 1", "SELECT sum(9223372036854775807 + 0 * a) FROM x WHERE a = 3"]) {
    const expected = told(query), got = await ours(query);
    assert.ok(expected.error, `SQLite takes ${query}`);
    assert.ok(got.error, `taken: ${query}`);
  }
  const said = async (query) => (await ours(query)).error;
  assert.equal(await said("SELECT a,\n  tt FROM x"), "no such column: tt (line 2, column 3); did you mean 't'?");
  assert.equal(await said("SELECT a FROM xx"), "no such table: xx (line 1, column 15); did you mean 'x'?");
  assert.equal(await said("SELECT agv(a) FROM x"), "no such function: agv (line 1, column 8); did you mean 'avg'?");
  assert.equal(await said("DROP TABLE x"), "DROP is not read on this page (line 1, column 1); tandem sql has all of SQLite");
  assert.match(await said("SELECT a FROM x UNION SELECT 1"), /^UNION is not read on this page \(line 1, column 17\)/);
  assert.match(await said(`SELECT ${"(".repeat(300)}1`), /^expressions within expressions: more than 200/);
});
