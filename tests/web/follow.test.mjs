// tandem twin --follow beside a server, which gives one scrape a request, with the time that was then, and
// fails once: told window by window, of a server that is what its twin was made of and of one that is not.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import http from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const build = path.resolve(process.env.BUILD || "build"), program = path.join(build, "tandem");
const folder = mkdtempSync(path.join(tmpdir(), "tandem-follow-"));
const at = (name) => path.join(folder, name);
after(() => rmSync(folder, { recursive: true, force: true }));

const tandem = (...words) => new Promise((done) =>
  execFile(program, words, { cwd: folder, encoding: "utf8" }, (error, stdout, stderr) =>
    done({ code: error ? error.code : 0, stdout, stderr })));

const record = async (name, seed, output) => {
  const { code, stderr } = await tandem("run", "served.lua", "--set", `attrs.output_tokens.mean=${output}`,
    "--seed", String(seed), "--replications", "1", "--no-store", "--no-doubt", "--metrics", at(name), "--scrape", "15s");
  assert.ok(code <= 1, stderr);
};
before(async () => {
  writeFileSync(at("served.lua"), `local td = require "tandem"
return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
  workload = td.poisson { rps = 8, duration = "1200s" }, warmup = "none",
  attrs = { prompt_tokens = td.lognormal { mean = 700, cv = 1 }, output_tokens = td.gamma { mean = 120, cv = 0.7 } },
  pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", engine = { server = "vllm" },
    step = td.roofline { request = "8ms" } } } }
`);
  await record("recorded.prom", 1, 120);
});

// One scrape after the other; the fourth request is refused, and the last scrape stays.
const serving = (name) => new Promise((ready) => {
  const lines = readFileSync(at(name), "utf8").split("\n").filter((line) => line && line[0] !== "#");
  const times = [...new Set(lines.map((line) => line.split(" ").pop()))].sort((a, b) => a - b);
  let asked = 0, next = 0;
  const server = http.createServer((request, answer) => {
    if (++asked === 4) {
      answer.statusCode = 503;
      return answer.end();
    }
    const time = ` ${times[Math.min(next++, times.length - 1)]}`;
    answer.end(lines.filter((line) => line.endsWith(time)).join("\n") + "\n# EOF\n");
  });
  server.listen(0, "127.0.0.1", () => ready(server));
});
const follow = (server, ...words) => ["twin", at("recorded.prom"), "--gpu", "H100 SXM", "--follow",
  `http://127.0.0.1:${server.address().port}/metrics`, "--every", "1ms", "--window", "5min", ...words];

for (const [what, output, seed, drifted] of [["is as it was", 120, 21, false], ["writes longer answers", 200, 22, true]])
  test(`a server that ${what}`, async () => {
    await record("now.prom", seed, output);
    const server = await serving("now.prom");
    const { code, stdout, stderr } = await tandem(...follow(server, "--windows", "2"));
    server.close();
    assert.equal(code, drifted ? 1 : 0, stdout + stderr);
    assert.match(stderr, /it answers 503/);
    const windows = stdout.split("\n").filter((line) => /^\d{4}-\d\d-\d\d /.test(line));
    assert.equal(windows.length, 2, stdout);
    for (const line of windows) assert.match(line, drifted ? /  drifted: .*output .*as recorded/ : /  as the twin: rate /);
    assert.match(stderr, drifted ? /^2 windows, 2 drifted$/m : /^2 windows, 0 drifted$/m);
  });

test("Ctrl-C ends it with what was seen", async () => {
  const server = await serving("recorded.prom");
  const child = spawn(program, follow(server), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "", told = "";
  child.stdout.on("data", (data) => {
    said += data;
    if (/^\d{4}-\d\d-\d\d .*  as the twin: .*\n/m.test(said)) child.kill("SIGINT");
  });
  child.stderr.on("data", (data) => { told += data; });
  const code = await new Promise((done) => child.on("close", done));
  server.close();
  assert.equal(code, 130, said + told);
  assert.match(told, /^\d+ windows?, 0 drifted$/m);
});
