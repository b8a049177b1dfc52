// What `tandem plan --emit` and `tandem sweep --kubernetes` write against published schemas: required keys and their values by
// kubernetes-models' validators, unknown keys by its types.
import { describe, it } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { folder, tandem } from "./browser.mjs";

const modules = path.join(path.resolve(process.env.BUILD || "build"), "npm", "node_modules");
const require = createRequire(path.join(modules, "x.js"));
const { parseAllDocuments } = require("yaml");

const HOMES = { ConfigMap: "kubernetes-models/v1", Job: "kubernetes-models/batch/v1", Deployment: "kubernetes-models/apps/v1", Service: "kubernetes-models/v1",
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
function complaints(all) {
  const text = all.map((document, i) =>
    `import type { I${document.kind} as T${i} } from ${JSON.stringify(path.join(modules, HOMES[document.kind]))};\n` +
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
});
