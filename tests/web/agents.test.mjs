// `tandem mcp` and /mcp driven by clients that others wrote: the protocol's client library in both
// eras, and its inspector. The packages are found under $BUILD/npm (make test-web puts them there).
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after } from "node:test";
import assert from "node:assert/strict";
import { serve, stopAll } from "./program.mjs";

const build = path.resolve(process.env.BUILD || "build");
const program = path.join(build, "tandem");
const modules = path.join(build, "npm", "node_modules");
const resolve = createRequire(path.join(modules, "x.js")).resolve;
const load = (name) => import(pathToFileURL(resolve(name)));
const folder = mkdtempSync(path.join(tmpdir(), "tandem-agents-"));
const store = path.join(folder, "runs.db");
const data = path.resolve("tests/data/kineto");
const CAPTURE = "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz";

after(async () => {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
});

const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const LEGACY = {};
const MODERN = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const AUTO = { versionNegotiation: { mode: "auto" } };

const overStdio = () =>
  new StdioClientTransport({ command: program, args: ["mcp", "--store", store, "--files", data], stderr: "pipe" });
const overHttp = async () => new StreamableHTTPClientTransport(new URL(`${(await serve({ at: store })).url}/mcp`));

// What an agent does: looks, imports or simulates, asks, is told what was wrong. The client holds
// each answer against the tool's outputSchema.
async function converse(transport, options, kept) {
  const client = new Client({ name: "tests", version: "1" }, options);
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.ok(tools.length > 45);
  for (const tool of tools) assert.equal(tool.inputSchema.type, "object", tool.name);
  if (kept) {
    const made = await client.callTool({ name: "import", arguments: { files: [CAPTURE] } });
    assert.equal(made.structuredContent.result.spans, 870);
  }
  const kernels = await client.callTool({ name: "kernels", arguments: { run: "last", limit: 1 } });
  const [first] = kernels.structuredContent.result.tables[0].rows;
  const query = `SELECT count(*) AS n FROM span WHERE run = run('last') AND category = 'kernel' AND name = '${first.name}'`;
  const counted = await client.callTool({ name: "sql", arguments: { query } });
  assert.equal(counted.structuredContent.result.rows[0].n, first.count);
  assert.deepEqual(JSON.parse(counted.content[0].text), counted.structuredContent);
  const wrong = await client.callTool({ name: "kernels", arguments: { run: "ffff" } });
  assert.equal(wrong.isError, true);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /Unknown tool/);
  await client.close();
}

test("the client library over stdio, legacy", () => converse(overStdio(), LEGACY, true));
test("the client library over stdio, 2026-07-28", () => converse(overStdio(), MODERN));
test("the client library over stdio, probing", () => converse(overStdio(), AUTO));
test("the client library over HTTP, legacy", async () => converse(await overHttp(), LEGACY));
test("the client library over HTTP, 2026-07-28", async () => converse(await overHttp(), MODERN));
test("the client library over HTTP, probing", async () => converse(await overHttp(), AUTO));

// Every answer of a conversation by hand, in each version, against the facts of its published schema.
const SCHEMAS = JSON.parse(readFileSync("tests/data/schemas/mcp.json", "utf8"));
const Ajv = createRequire(path.join(modules, "x.js"))("ajv").default;

function said(messages) {
  const done = spawnSync(program, ["mcp", "--store", store, "--files", data], { encoding: "utf8",
    input: messages.map((one) => (typeof one === "string" ? one : JSON.stringify({ jsonrpc: "2.0", ...one })) + "\n").join("") });
  return done.stdout.trim().split("\n").map((line) => JSON.parse(line));
}

for (const [version, schemas] of Object.entries(SCHEMAS).filter(([key]) => !key.startsWith("$")))
  test(`answers are what ${version} says`, () => {
    const modern = version === "2026-07-28";
    const checks = Object.fromEntries(Object.entries(schemas).map(([method, schema]) =>
      [method, new Ajv({ strict: false, allErrors: true }).compile(schema)]));
    const params = (more) => modern ? { ...more, _meta: { "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {} } } : more;
    const asked = [modern ? ["server/discover", "server/discover", {}] : ["initialize", "initialize",
      { protocolVersion: version, capabilities: {}, clientInfo: { name: "tests", version: "1" } }],
    ...(modern ? [] : [["ping", "ping", {}]]), ["tools/list", "tools/list", {}],
    ["tools/call", "tools/call", { name: "files" }], ["tools/call", "tools/call", { name: "list", arguments: { what: "links" } }],
    ["tools/call", "tools/call", { name: "kernels", arguments: { run: "ffff" } }],
    ["tools/call", "tools/call", { name: "job_status", arguments: { job_id: "0123456789abcdef" } }],
    ["error", "tools/call", { name: "no_such_tool" }], ["error", "no/method", {}], ["error", "tools/list", { cursor: "x" }]];
    const messages = asked.map(([, method, more], i) => ({ id: i, method, params: params(more) }));
    if (!modern) messages.splice(1, 0, { method: "notifications/initialized" });
    const answers = said(messages);
    assert.equal(answers.length, asked.length);
    for (const answer of answers) {
      const check = checks[asked[answer.id][0]];
      assert.equal(check(answer) || JSON.stringify(check.errors) + JSON.stringify(answer).slice(0, 500), true, asked[answer.id][1]);
    }
    // Keys that no version knows are found.
    const [first] = answers;
    first.result.strange = 1;
    assert.equal(checks[asked[first.id][0]](first), false);
    if (modern) {
      const [refused] = said([{ id: 1, method: "tools/list", params: { _meta: { "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/clientCapabilities": {} } } }]);
      assert.equal(checks.unsupported(refused) || JSON.stringify(checks.unsupported.errors), true);
    }
    const [broken] = said(["{not JSON"]);
    assert.equal(schemas.error.required.includes("id") ? broken.error.code : checks.error(broken) && broken.error.code, -32700);
  });

test("the inspector in both eras", () => {
  const server = { command: program, args: ["mcp", "--store", store] };
  const config = path.join(folder, "mcp.json");
  writeFileSync(config, JSON.stringify({
    mcpServers: { legacy: server, modern: { ...server, protocolEra: "modern" } } }));
  const inspector = path.join(modules, ".bin", "mcp-inspector");
  const ask = (era, ...words) =>
    JSON.parse(execFileSync(inspector, ["--cli", "--config", config, "--server", era, "--format", "json", ...words],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: "memory" } }));
  for (const era of ["legacy", "modern"]) {
    assert.ok(ask(era, "--method", "tools/list").result.tools.length > 45);
    const { result } = ask(era, "--method", "tools/call", "--tool-name", "list", "--tool-arg", "what=links");
    assert.equal(result.structuredContent.code, 0);
  }
});

// From a capture to a finding that was verified: what advice claims is counted in SQL, the change is
// replayed, made in the recording itself, and held against the replay and a gate.
const STALL = "cudaFree";

// The recording as it would be had the longest call of a name returned at once: what came later is
// earlier, what went on around it is shorter.
function mended(text, name) {
  const trace = JSON.parse(text);
  const timed = trace.traceEvents.filter((one) => typeof one.ts === "number");
  const call = timed.filter((one) => one.name === name && one.dur > 0).reduce((a, b) => (b.dur > a.dur ? b : a));
  const [start, took] = [call.ts, call.dur];
  for (const one of timed) {
    if (one.ts >= start + took) one.ts -= took;
    else if (one.ts <= start && one.ts + (one.dur ?? 0) >= start + took) one.dur -= took;
  }
  return JSON.stringify(trace);
}

const GAPS = `WITH w AS (SELECT start_ns, max(end_ns) OVER (ORDER BY start_ns, end_ns
  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM span
  WHERE run = run('before') AND category IN ('kernel', 'memcpy', 'memset'))
  SELECT count(*) AS n, sum(start_ns - before) AS ns FROM w WHERE start_ns - before >= 1000000`;
const CALLS = `SELECT max(dur_ns) AS longest, sum(dur_ns) AS total FROM span
  WHERE run = run('before') AND category = 'runtime' AND name = '${STALL}'`;
const LENGTH = "SELECT run, max(end_ns) - min(start_ns) AS ns FROM span GROUP BY run ORDER BY run";

for (const [era, options] of Object.entries({ legacy: LEGACY, "2026-07-28": MODERN }))
  test(`from a capture to a verified finding, ${era}`, async (t) => {
    const files = path.join(folder, `captures-${era}`);
    mkdirSync(files);
    const text = gunzipSync(readFileSync(path.join(data, CAPTURE))).toString();
    writeFileSync(path.join(files, "before.json"), text);
    writeFileSync(path.join(files, "after.json"), mended(text, STALL));
    const client = new Client({ name: "tests", version: "1" }, options);
    await client.connect(new StdioClientTransport({ command: program, stderr: "pipe",
      args: ["mcp", "--store", path.join(folder, `${era}.db`), "--files", files] }));
    t.after(() => client.close());
    const call = async (name, more) =>
      (await client.callTool({ name, arguments: more })).structuredContent;
    const rows = async (query) => (await call("sql", { query })).result.rows;
    const table = (answer, name) => answer.result.tables.find((one) => one.name === name).rows;

    await call("import", { files: ["before.json"], name: "before" });
    const advice = await call("advice", { run: "before" });
    const finding = table(advice, "findings").find((one) => one.rule === "gpu-gaps");
    const [gaps] = await rows(GAPS);
    assert.equal(Number(/^(\d+) gaps of 1 ms or more/.exec(finding.evidence)[1]), gaps.n);
    assert.ok(Math.abs(finding.held_ns / gaps.ns - 1) < 1e-3);
    assert.match(finding.evidence, new RegExp(`the host was in ${STALL}`));

    const [stall] = await rows(CALLS);
    const replay = await call("critical_path", { run: "before", faster: `${STALL}=1000000x` });
    const [change] = table(replay, "what_if");
    assert.ok(change.gain_ns > 0.99 * stall.longest && change.gain_ns <= stall.total);

    await call("import", { files: ["after.json"], name: "after" });
    const [before, after] = await rows(LENGTH);
    assert.ok(Math.abs(before.ns - after.ns - stall.longest) < 2000);
    assert.ok(before.ns - after.ns <= change.gain_ns && change.gain_ns < 1.1 * (before.ns - after.ns));
    const gate = (base, it) => call("gate", { base, new: it, gate: ["elapsed<-40%"] });
    assert.equal((await gate("before", "after")).code, 0);
    assert.equal((await gate("before", "before")).code, 1);
  });
