// What `tandem plan --emit` and `tandem sweep --kubernetes` write against published schemas: required keys and their values by
// kubernetes-models' validators, unknown keys by its types; Dynamo's graphs and llm-d's values by ajv over the facts of their
// schemas in tests/data/schemas, which say of which versions.
import { describe, it } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { folder, tandem } from "./browser.mjs";

const modules = path.join(path.resolve(process.env.BUILD || "build"), "npm", "node_modules");
const require = createRequire(path.join(modules, "x.js"));
const { parseAllDocuments } = require("yaml");

const { default: Ajv } = require("ajv");
const SCHEMAS = Object.fromEntries(["dynamo", "llm_d"].map((name) =>
  [name, JSON.parse(readFileSync(`tests/data/schemas/${name}.json`, "utf8"))]));

// Forms of servers, written without planning them.
function written(servers, forms) {
  const script = path.join(folder, "emit.lua");
  writeFileSync(script, `local td, deploy = require "tandem", require "tandem.deploy"
local function emit(name, scenario, forms)
  local deployed = deploy.of(scenario, { "by a test" })
  for _, form in ipairs(forms) do
    local file <close> = assert(io.open(("${folder}/%s-%s.yaml"):format(name, form), "wb"))
    file:write(deploy.text(assert(deploy.form(form)), deployed))
  end
end
${Object.entries(servers).map(([name, [engine, more]]) => `emit("${name}", td.scenario "${name}" {
  workload = td.poisson { rps = 1, duration = "2s" }, attrs = { prompt_tokens = 30, output_tokens = 5 }, replications = 1,
  target = td.gpu "H100 SXM" { count = 16 }, pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-70B",
  engine = { server = "${engine}" }, ${more} } } }, { ${forms.map((form) => `"${form}"`).join(", ")} })`).join("\n")}`);
  tandem("lua", script);
  return Object.fromEntries(Object.keys(servers).map((name) => [name, Object.fromEntries(forms.map((form) =>
    [form, parseAllDocuments(readFileSync(path.join(folder, `${name}-${form}.yaml`), "utf8"))[0].toJS()]))]));
}

const HOMES = { PodTemplateSpec: "kubernetes-models/v1", PodSpec: "kubernetes-models/v1", Container: "kubernetes-models/v1", ConfigMap: "kubernetes-models/v1", Job: "kubernetes-models/batch/v1", Deployment: "kubernetes-models/apps/v1", Service: "kubernetes-models/v1",
  HorizontalPodAutoscaler: "kubernetes-models/autoscaling/v2",
  ScaledObject: "@kubernetes-models/keda/keda.sh/v1alpha1" };

function documents(file, ...words) {
  tandem(...words);
  return parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

// What the types say of documents: every error, or nothing.
function complaints(all, of = (document) => document.kind) {
  const text = all.map((document, i) =>
    `import type { I${of(document)} as T${i} } from ${JSON.stringify(path.join(modules, HOMES[of(document)]))};\n` +
    `export const d${i}: T${i} = ${JSON.stringify(document)};\n`);
  const file = path.join(folder, "documents.ts");
  writeFileSync(file, text.join(""));
  const done = spawnSync(process.execPath, [path.join(modules, "typescript", "bin", "tsc"), "--noEmit", "--strict",
    "--skipLibCheck", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler", "--types", "", file],
    { encoding: "utf8" });
  return done.stdout + done.stderr;
}

const kind = async (name) => (await import(path.join(modules, HOMES[name], "index.mjs")))[name];

describe("manifests", () => {
  for (const [form, kinds] of [["kubernetes", ["Deployment", "HorizontalPodAutoscaler", "Service"]],
    ["keda", ["Deployment", "ScaledObject", "Service"]]]) {
    it(`${form} is what its cluster takes`, async () => {
      const file = path.join(folder, `${form}.yaml`);
      const all = documents(file, "plan", "llm-one-h100", "--no-doubt", "--no-progress", "--emit", `${form}=${file}`);
      assert.deepEqual(all.map((document) => document.kind), kinds);
      for (const document of all) {
        const Kind = await kind(document.kind);
        new Kind(document).validate();
      }
      assert.equal(complaints(all), "");
      all[0].spec.replica = 1;
      assert.match(complaints(all), /'"?replica"?' does not exist|known properties/);
      delete all[0].spec.selector;
      const Deployment = await kind("Deployment");
      assert.throws(() => new Deployment(all[0]).validate());
    });
  }

  it("a sweep is an Indexed Job beside its scenario", async () => {
    const file = path.join(folder, "job.yaml");
    const all = documents(file, "sweep", "scenarios/01-demo.lua", "--over", "rps=20:60:5", "--tasks", "4", "--image",
      "tandem:1", "--memory", "1GiB", "--time", "1h", "--kubernetes", file);
    assert.deepEqual(all.map((document) => document.kind), ["ConfigMap", "Job"]);
    for (const document of all) {
      const Kind = await kind(document.kind);
      new Kind(document).validate();
    }
    assert.equal(complaints(all), "");
    assert.equal(all[0].data["01-demo.lua"], readFileSync("scenarios/01-demo.lua", "utf8"));
  });

  const CASES = { vllm: ["vllm", "tp = 4"], wide: ["sglang", 'tp = 16, network = "InfiniBand NDR"'], trt: ["tensorrt_llm", "tp = 4, pp = 2"],
    apart: ["vllm", 'tp = 4, prefill = { replicas = 1 }, decode = { replicas = 2 }, handover = td.link "net" { bandwidth = "50GB/s" }'] };
  for (const version of ["v1beta1", "v1alpha1"]) {
    it(`Dynamo's ${version} is what its cluster takes`, () => {
      const check = new Ajv({ strict: false, allErrors: true }).compile(SCHEMAS.dynamo[version]);
      const pods = [], containers = [], form = version === "v1beta1" ? "dynamo" : "dynamo-v1alpha1";
      for (const [name, { [form]: graph }] of Object.entries(written(CASES, [form]))) {
        assert.equal(check(graph) || JSON.stringify(check.errors), true, name);
        for (const part of graph.spec.components ?? []) {
          pods.push(part.podTemplate);
          // Admission wants a container called main with an image, and sizes of several nodes.
          assert.ok(part.podTemplate.spec.containers.find((one) => one.name === "main").image.match(/:\d+\.\d+\.\d+$/));
        }
        for (const part of Object.values(graph.spec.services ?? {})) containers.push({ name: "main", ...part.extraPodSpec.mainContainer });
        const parts = graph.spec.components ?? Object.values(graph.spec.services);
        if (name === "wide") assert.equal(parts.find((part) => part.multinode)?.multinode.nodeCount, 2);
        const broken = structuredClone(graph);
        (broken.spec.components?.[1] ?? Object.values(broken.spec.services)[1]).replica = 1;
        assert.equal(check(broken), false);
        assert.match(JSON.stringify(check.errors), /additionalProperty":"replica"/);
      }
      assert.equal(complaints(pods, () => "PodTemplateSpec") + complaints(containers, () => "Container"), "");
    });
  }

  it("llm-d's values are what its chart takes", () => {
    const check = new Ajv({ strict: false, allErrors: true }).compile(SCHEMAS.llm_d);
    for (const [name, { "llm-d": values }] of Object.entries(written({ vllm: CASES.vllm, apart: CASES.apart }, ["llm-d"]))) {
      assert.equal(check(values) || JSON.stringify(check.errors), true, name);
      values.decode.paralelism = {};
      values.modelArtifacts.model = "x";
      assert.equal(check(values), false);
      assert.equal(check.errors.length, 2);
    }
  });
});

// Every alert fires when its metrics say what it waits for, and none before: promtool evaluates the expressions itself.
const promtool = path.join(path.resolve(process.env.BUILD || "build"), "promtool");
const lacking = existsSync(promtool) ? false : "promtool is missing (Debian package prometheus)";
const BUCKETS = { vllm: ["0.01", "0.1", "0.5", "1.0", "10.0", "+Inf"], sglang: ["0.01", "0.1", "0.4", "1.0", "10.0", "+Inf"] };

// What a server exports for 40 minutes: every time falls into one bucket; a request ends every `every` seconds of four.
function exported(server, prefix, slow) {
  const where = (more = "") => `{model_name="meta-llama/Llama-3.1-70B-Instruct",namespace="n",pod="p"${more}}`;
  const series = BUCKETS[server].map((le, i, all) => [`${prefix}time_to_first_token_seconds_bucket${where(`,le="${le}"`)}`,
    `0+${i >= (slow ? all.length - 2 : 1) ? 10 : 0}x160`]);
  const names = server === "vllm" ? ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "request_success_total"]
    : ["num_running_reqs", "num_queue_reqs", "token_usage", "num_requests_total"];
  const values = ["3x160", "2x160", `${slow ? 0.99 : 0.5}x160`, `0+${slow ? 600 : 1}x160`];
  names.forEach((name, i) => series.push([prefix + name + where(), values[i]]));
  return series.map(([name, values]) => ({ series: name, values: values.replace(/^([\d.]+)x/, "$1+0x") }));
}

describe("rules of Prometheus", { skip: lacking }, () => {
  for (const [server, prefix] of [["vllm", "vllm:"], ["sglang", "sglang:"]]) {
    it(`of ${server} alert when they should`, () => {
      const file = path.join(folder, `${server}-rules.yaml`), script = path.join(folder, "rules.lua");
      writeFileSync(script, `local td, deploy = require "tandem", require "tandem.deploy"
local out <close> = assert(io.open("${file}", "wb"))
out:write(deploy.text(assert(deploy.form "rules"), deploy.of(td.scenario "x" {
  workload = td.poisson { rps = 1, duration = "2s" }, attrs = { prompt_tokens = 30, output_tokens = 5 }, slo = { ttft_p99 = "1s" },
  target = td.gpu "H100 SXM" { count = 4 }, pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-70B", tp = 4,
  engine = { server = "${server}" } } } }, { "by a test" })))`);
      tandem("lua", script);
      const check = spawnSync(promtool, ["check", "rules", file], { encoding: "utf8" });
      assert.equal(check.status, 0, check.stdout + check.stderr);
      const found = parseAllDocuments(readFileSync(file, "utf8"))[0].toJS().groups[0].rules;
      const alerts = found.filter((rule) => rule.alert);
      assert.deepEqual(alerts.map((rule) => rule.alert).sort(), ["AnswerKvCacheFull", "AnswerLoadAbovePlan", "AnswerTtftP99"]);
      const tests = [true, false].map((slow) => ({ interval: "15s", input_series: exported(server, prefix, slow),
        alert_rule_test: alerts.map((rule) => ({ eval_time: "39m", alertname: rule.alert,
          exp_alerts: slow ? [{ exp_labels: rule.labels, exp_annotations: rule.annotations }] : [] })),
        promql_expr_test: [{ expr: found[0].record, eval_time: "1m", exp_samples: [
          { labels: `${found[0].record}{namespace="n",pod="p",server="answer"}`, value: 5 }] }] }));
      const unit = path.join(folder, `${server}-unit.json`);
      writeFileSync(unit, JSON.stringify({ rule_files: [file], evaluation_interval: "15s", tests }));
      const done = spawnSync(promtool, ["test", "rules", unit], { encoding: "utf8" });
      assert.equal(done.status, 0, done.stdout + done.stderr);
    });
  }
});
