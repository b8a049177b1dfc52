// `tandem mcp` and /mcp driven by clients that others wrote: the protocol's client library in both
// eras, and its inspector. The packages are found under $BUILD/npm (make test-web puts them there).
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
