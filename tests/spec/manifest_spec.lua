-- tandem.deploy.manifest: what is deployed read back as a scenario. What `plan --emit` writes comes
-- back to the same servers; manifests of others are read by the facts of their schemas, in files
-- made here. tests/web/manifests.test.mjs compares the YAML reader with npm's yaml.
local deploy = require "tandem.deploy"
local manifest = require "tandem.deploy.manifest"
local shell = require "tandem.text.shell"
local td = require "tandem"
local yaml = require "tandem.io.yaml_reader"

local function scenario(step, target, more)
  local raw = { workload = td.poisson { rps = 6, duration = "5s" },
    attrs = { prompt_tokens = 300, output_tokens = 40 },
    target = target or td.gpu "H100 SXM" { count = 8 },
    pipeline = { td.generate "answer" (step) }, replications = 1, warmup = "none" }
  for key, value in pairs(more or {}) do raw[key] = value end
  return td.scenario "chat" (raw)
end

local function text(form, what) return deploy.text(assert(deploy.form(form)), what) end

-- Without what is said in comments, and without what scales, which the load decides.
local function body(written)
  return (("\n" .. written):gsub("\n#[^\n]*", "")
    :gsub("%-%-%-\napiVersion: autoscaling.-\n%-%-%-", "---")
    :gsub("%-%-%-\napiVersion: \"?keda.-\n%-%-%-", "---"))
end

local function parse(written, path) return assert(manifest.parse(written, path or "it.yaml")) end

-- Written, read, and written again.
local function again(form, what, gpu)
  local read = parse(text(form, what))
  local back = assert(manifest.scenario(read, { gpu = gpu or "H100 SXM", name = "chat" }))
  return deploy.of(back:with { ["workload.duration"] = "2s", replications = 1 }, {}), read
end

local WHOLE <const> = { "launch", "kubernetes", "keda", "dynamo", "dynamo-v1alpha1", "llm-d" }
local OTHERS <const> = { "launch", "kubernetes", "keda", "dynamo", "dynamo-v1alpha1" }

local CASES <const> = {
  vllm = { WHOLE, { model = td.llm "Llama-3.1-8B" { kv = "fp8", weights = "fp8" }, tp = 2,
    engine = { server = "vllm", version = "0.15.1", max_seqs = 48, max_batched_tokens = 4096,
      memory = 0.85, prefix_caching = false, long_prefill_tokens = 700, plans_ahead = true,
      order = "priority" } } },
  experts = { WHOLE, { model = td.llm "Qwen3-30B-A3B", tp = 2, dp = 2, ep = 4,
    engine = { server = "vllm", chunked_prefill = true } } },
  sglang = { OTHERS, { model = td.llm "Qwen3-30B-A3B", tp = 2, dp = 2, ep = 2, engine = {
    server = "sglang", order = "longest_prefix", max_prefill_tokens = 9000, block_tokens = 16,
    max_batched_tokens = 2048, plans_ahead = false } } },
  tensorrt_llm = { OTHERS, { model = td.llm "Llama-3.1-8B", tp = 4, pp = 2, engine = {
    server = "tensorrt_llm", max_seqs = 96, max_batched_tokens = 3000, memory = 0.7 } } },
}

describe("what plan --emit writes", function()
  for name, case in pairs(CASES) do
    it("comes back to the same servers: " .. name, function()
      local what = deploy.of(scenario(case[2]), {})
      for _, form in ipairs(case[1]) do
        local back, read = again(form, what)
        assert.same({}, read.notes)
        local pool, was = back.servers[1].pools[1], what.servers[1].pools[1]
        for _, key in ipairs { "replicas", "gpus", "machines", "role" } do
          assert.same(was[key], pool[key], form .. " " .. key)
        end
        for _, key in ipairs { "tp", "pp", "dp", "ep" } do
          assert.same(was.shape[key], pool.shape[key], form .. " " .. key)
        end
        if form == "kubernetes" or form == "keda" then
          assert.equal(body(text(form, what)), body(text(form, back)))
        else
          local _, options = require("tandem.deploy.launch").arguments(back.servers[1], pool)
          local _, were = require("tandem.deploy.launch").arguments(what.servers[1], was)
          if form:find "dynamo" and what.servers[1].server == "tensorrt_llm" then
            -- Dynamo's TensorRT-LLM has chunks in a file.
            assert.equal(#were, #options)
          end
          assert.same(were, options, form)
        end
      end
    end)
  end

  it("comes back with prompts and outputs apart", function()
    local what = deploy.of(scenario { model = td.llm "Llama-3.1-8B",
      prefill = { replicas = 2, engine = { server = "vllm", max_seqs = 8 } },
      decode = { replicas = 3, tp = 2 }, handover = td.link "net" { bandwidth = "50GB/s" } }, {})
    for _, form in ipairs { "launch", "dynamo", "dynamo-v1alpha1", "llm-d" } do
      local back, read = again(form, what)
      assert.equal(1, #read.servers)
      local pools = back.servers[1].pools
      assert.same({ "prefill", 2, 1 }, { pools[1].role, pools[1].replicas, pools[1].gpus })
      assert.same({ "decode", 3, 2 }, { pools[2].role, pools[2].replicas, pools[2].gpus })
      assert.equal(8, pools[1].engine.max_seqs)
      assert.equal(body(text("llm-d", what)):match "args:.*", body(text("llm-d", back))
        :match "args:.*")
    end
  end)

  it("comes back over several machines", function()
    local what = deploy.of(scenario({ model = td.llm "Llama-3.1-405B" { weights = "fp8" }, tp = 16,
      network = "InfiniBand NDR", engine = { server = "vllm" } },
      td.gpu "H100 SXM" { count = 16 }), {})
    for _, form in ipairs { "dynamo", "dynamo-v1alpha1" } do
      local back = again(form, what)
      local pool = back.servers[1].pools[1]
      assert.same({ 16, 2, 1 }, { pool.gpus, pool.machines, pool.replicas })
    end
  end)

  it("scales as it did", function()
    local what = deploy.of(scenario { model = td.llm "Llama-3.1-8B", engine = { server = "vllm" },
      autoscale = { min = 2, max = 5, target = 9, up_after = "30s", down_after = "2min",
        every = "10s" } }, {})
    for _, form in ipairs { "kubernetes", "keda" } do
      local read = parse(text(form, what))
      local rule = read.servers[1].pools[1].scaled
      assert.same({ 2, 5, 9, 30, 120 }, { rule.min, rule.max, rule.target, rule.up_after,
        rule.down_after })
      local back = again(form, what)
      assert.equal(2, back.servers[1].pools[1].replicas)
      assert.same(what.servers[1].pools[1].scaling.max, back.servers[1].pools[1].scaling.max)
    end
  end)
end)

local STACK <const> = [[
servingEngineSpec:
  runtimeClassName: ""
  modelSpec:
  - name: "one"
    repository: "lmcache/vllm-openai"
    tag: "v0.9.2"
    modelURL: "meta-llama/Llama-3.1-8B-Instruct"
    replicaCount: 2
    requestGPU: 1
    vllmConfig: {enablePrefixCaching: true, maxModelLen: 32000}
    lmcacheConfig:
      enabled: true
      cpuOffloadingBufferSize: "60"
  - name: "two"
    repository: "lmcache/vllm-openai"
    tag: "v0.9.2"
    modelURL: "meta-llama/Llama-3.1-8B-Instruct"
    replicaCount: 1
    requestGPU: 1
    vllmConfig:
      enablePrefixCaching: true
      maxModelLen: 32000
  - name: "wide"
    repository: "vllm/vllm-openai"
    tag: "latest"
    modelURL: "Qwen/Qwen3-30B-A3B"
    replicaCount: 1
    requestGPU: 4
    vllmConfig:
      enablePrefixCaching: false
      enableChunkedPrefill: true
      tensorParallelSize: 2
      extraArgs: ["--max-num-seqs", "64", --enforce-eager]
routerSpec:
  routingLogic: "prefixaware"
]]

describe("manifests of others", function()
  it("are values of vLLM's production-stack", function()
    local read = parse(STACK)
    assert.equal(2, #read.servers)
    local one, wide = read.servers[1], read.servers[2]
    assert.same({ "one", "vllm", "0.9.2", 3 }, { one.name, one.server, one.version,
      one.pools[1].replicas })
    assert.is_true(one.pools[1].launched.engine.prefix_caching)
    assert.same({ tp = 2, gpus = 2 }, { tp = wide.pools[1].launched.tp, gpus = wide.pools[1].gpus })
    assert.same({ max_seqs = 64, prefix_caching = false, chunked_prefill = true },
      wide.pools[1].launched.engine)
    assert.is_nil(wide.version)
    local notes = table.concat(read.notes, "\n")
    for _, said in ipairs { "LMCache is not simulated", "prefixaware is not simulated",
      "wide: asks for 4 GPUs, and its arguments make 2", "wide: not simulated: --enforce-eager",
      "one: not simulated: --max-model-len" } do
      assert.truthy(notes:find(said, 1, true), said .. " in\n" .. notes)
    end
    local made = assert(manifest.scenario(read, { gpu = "A100 SXM 80GB" }))
    assert.equal(2, #made.checked.resolved)
    local source = assert(manifest.source(read, made, "values.yaml"))
    assert.truthy(source:find("-- What values.yaml deploys.", 1, true))
    local again_made = assert(load(source))()
    assert.equal(made:hash(), again_made:hash())
  end)

  it("are Dynamo's graphs, whose workers say their role by a flag", function()
    local read = parse [[
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: apart
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1
    Decode:
      componentType: worker
      subComponentType: decode
      replicas: 2
      resources: {limits: {gpu: "1"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1
          command: [/bin/sh, -c]
          args:
          - >-
            python3 -m dynamo.vllm
            --model Qwen/Qwen3-8B --is-decode-worker 2>&1
    Prefill:
      componentType: worker
      resources: {limits: {gpu: "1"}}
      extraPodSpec:
        mainContainer:
          command: ["python3", "-m", "dynamo.vllm"]
          args: ["--model", "Qwen/Qwen3-8B", "--is-prefill-worker"]
    Planner:
      componentType: planner
]]
    local pools = read.servers[1].pools
    assert.equal("apart", read.servers[1].name)
    assert.is_nil(read.servers[1].version) -- the image's tag is Dynamo's
    assert.same({ "decode", 2, "prefill", 1 }, { pools[1].role, pools[1].replicas, pools[2].role,
      pools[2].replicas })
    assert.same({ "Dynamo's planner is not simulated: replicas stay as many" }, read.notes)
    local made = assert(manifest.scenario(read, { gpu = "L40S" }))
    assert.equal(3, made.checked.target.count)
  end)

  it("are Deployments by scripts, environments and nodes", function()
    local read = parse [[
---
apiVersion: v1
kind: ConfigMap
metadata: {name: x}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat   # its name
spec:
  replicas: 3
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
      containers:
      - name: proxy
        image: envoy
      - name: app
        image: vllm/vllm-openai:v0.10.0
        env:
        - {name: MODEL, value: meta-llama/Llama-3.1-8B-Instruct}
        - {name: SEQS, value: "32"}
        command:
        - /bin/bash
        - "-exc"
        - |
          set -x  # loud
          pip install nothing && echo ready
          exec python3 -m vllm.entrypoints.openai.api_server \
            --model ${MODEL} --served-model-name 'a b' \
            --max-num-seqs $SEQS --tensor-parallel-size 2
        resources:
          limits:
            nvidia.com/gpu: 2
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: router}
spec: {template: {spec: {containers: [{name: r, image: router, command: [vllm-router]}]}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  scaleTargetRef: {kind: Deployment, name: chat}
  minReplicas: 1
  maxReplicas: 9
  metrics: [{type: Resource, resource: {name: cpu}}]
---
apiVersion: x/v1
kind: Mystery
]]
    assert.equal("H100 SXM", read.gpu)
    local pool = read.servers[1].pools[1]
    assert.same({ 3, 2, 32, "0.10.0" }, { pool.replicas, pool.gpus,
      pool.launched.engine.max_seqs, read.servers[1].version })
    assert.same({ "Deployment router runs no LLM server that is known; it is left out",
      "documents of kind Mystery are not read",
      "chat: what it scales by is not simulated; it stays at 3 replicas" }, read.notes)
    assert.equal(6, assert(manifest.scenario(read, {})).checked.target.count)
  end)

  it("are told keys and arguments that are nearly spelled right, of what scales, too", function()
    local written = [[
kind: List
items:
- kind: Deployment
  metadata: {name: chat}
  spec:
    template: {spec: {containers: [{name: s, image: "vllm/vllm-openai:v0.11",
      args: [m/Llama-3.1-8B, --max-num-seq, "32"], resources: {limits: {nvidia.com/gpu: 1}}}]}}
- kind: HorizontalPodAutoscaler
  metadata: {name: chat}
  spec:
    scaleTargetRef: {name: chat}
    minReplica: 2
    MAX: 4
    metrics: [{pods: {metric: {name: tandem_outstanding_requests}, target: {averageValue: 9}}}]
]]
    local read = parse((written:gsub("MAX", "maxReplicas")))
    assert.same({ "HorizontalPodAutoscaler chat: spec.minReplica is not read; did you mean "
      .. "'minReplicas'?", "chat: not simulated: --max-num-seq (did you mean --max-num-seqs?)" },
      read.notes)
    assert.same({ 1, 4, 9 }, { read.servers[1].pools[1].scaled.min,
      read.servers[1].pools[1].scaled.max, read.servers[1].pools[1].scaled.target })
    read = parse((written:gsub("MAX", "maxReplica")))
    assert.same({ "HorizontalPodAutoscaler chat: spec.maxReplica is not read; did you mean "
      .. "'maxReplicas'?", "HorizontalPodAutoscaler chat: spec.minReplica is not read; did you "
      .. "mean 'minReplicas'?", "chat: what it scales by is not simulated; it stays at 1 replica",
      "chat: not simulated: --max-num-seq (did you mean --max-num-seqs?)" }, read.notes)
  end)

  it("are images whose own command serves, and groups of pods", function()
    local read = parse [[
kind: LeaderWorkerSet
metadata: {name: big}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
        - image: vllm/vllm-openai:v0.11
          args: [meta-llama/Llama-3.1-405B-Instruct-FP8, --tensor-parallel-size=16]
          resources: {limits: {nvidia.com/gpu: "8"}}
]]
    assert.same({ 16, 2, 2 }, { read.servers[1].pools[1].gpus, read.servers[1].pools[1].machines,
      read.servers[1].pools[1].replicas })
    assert.same({}, read.notes)
  end)

  it("are refused in a line where they deploy nothing that is known", function()
    local function wrong(written, more)
      local read, why = manifest.parse(written, "m.yaml")
      if read then read, why = manifest.scenario(read, more or { gpu = "H100 SXM" }) end
      assert.is_nil(read)
      assert.is_nil(why:find "\n")
      return why
    end
    local pod = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{args: [vllm, serve, %s]}]}\n"
    assert.equal("m.yaml: no LLM server of vLLM, SGLang or TensorRT-LLM is deployed here",
      wrong "a: 1\n")
    assert.equal("m.yaml: line 2: wanted 'key: value', and there is '${'", wrong "a: 1\n${\n")
    assert.equal("m.yaml: line 1: looks like a Helm template; render it first (helm template)",
      wrong "replicas: {{ .Values.n }}\n")
    assert.equal("m.yaml: p: --max-num-seqs wants a number, not 'x'",
      wrong(pod:format "m/m, --max-num-seqs, x"))
    assert.truthy(wrong(pod:format "$(NONE)"):find("names no model", 1, true))
    assert.truthy(wrong(pod:format "m/Unheard-Of"):find("no model is called 'Unheard-Of'", 1, true))
    assert.truthy(wrong(pod:format "Qwen/Qwen3-8B", {}):find("--gpu is missing", 1, true))
    assert.truthy(wrong(pod:format "Qwen/Qwen3-8B", { gpu = "H1000" })
      :find("no GPU is called 'H1000'; did you mean", 1, true))
    assert.truthy(wrong(pod:format "m/m"):find "^p: no model is called 'm'")
    assert.truthy(assert(manifest.parse(pod:format "Qwen/Qwen3-8B", "m.yaml")))
  end)
end)

describe("a shell's words", function()
  it("are taken apart as a shell does", function()
    local commands = shell.commands([[a 'b c' "d $X \"q\" \$Y" e\ f # no
      g=${X}h && i|j ; k#l \
  m ''
]], { X = "1" })
    assert.same({ { "a", "b c", 'd 1 "q" $Y', "e f" }, { "g=1h" }, { "i" }, { "j" },
      { "k#l", "m", "" } }, commands)
    for _, word in ipairs { "it's", "a b", "", "$HOME", 'q"', "\\", "--x=y", "#c", "a#b" } do
      assert.same({ "x", word }, shell.words("x " .. shell.word(word)))
    end
  end)
end)

describe("the YAML reader", function()
  local function read(written) return yaml.documents(written) end

  it("reads what manifests are written in", function()
    local written = "---\na: 1\nb:\n- x\n- y: true\n  z: [1, 'q', {c: d}]\n---\n# none\n"
      .. "---\ne: ''\n"
    assert.same({ { a = 1, b = { "x", { y = true, z = { 1, "q", { c = "d" } } } } }, { e = "" } },
      assert(read(written)))
    written = "k: |\n  one\n   two\n\n  three\nf: >-\n  a\n  b\n\n  c\nn: 5 # five\nnull_one: ~\n"
      .. "t: 1:30\ns: 'it''s'\nu: http://x:1/#y\n"
    assert.same({ { k = "one\n two\n\nthree\n", f = "a b\nc", n = 5, t = "1:30", s = "it's",
      u = "http://x:1/#y" } }, assert(read(written)))
  end)

  it("refuses the rest by its line", function()
    for written, why in pairs { ["a: 1\na: 2\n"] = "line 2: 'a' stands twice in one map",
      ["a: &x 1\n"] = "line 1: an anchor is not read here",
      ["a:\n\tb: 1\n"] = "line 2: a tab indents; YAML wants blanks",
      ["a: [1,\n2"] = "line 2: a list in brackets is not closed",
      ["a: 'x\n"] = "line 1: a text is not closed",
      ["a: b: c\n"] = "line 1: a text with ': ' wants quotes: b: c",
      ["a: 1\n   b: 2\n"] = "line 1: a text with ': ' wants quotes: b: 2",
      ["- a\nb: 1\n"] = "line 2: 'b: 1' stands outside of the document's map",
      ["a: !t 1\n"] = "line 1: a tag is not read here",
      ["a: *x\n"] = "line 1: an alias is not read here",
      ["<<: 1\n"] = "line 1: a merge (<<) is not read here",
      ["a: \"\\q\"\n"] = "line 1: unknown escape '\\q'",
      ["a: \xff\n"] = "is no UTF-8 text" } do
      local none, said = read(written)
      assert.is_nil(none)
      assert.equal(why, (said:gsub("^line 2: a text with", "line 1: a text with")))
    end
    local deep = ("["):rep(200)
    assert.truthy(select(2, read("a: " .. deep)):find "nested deeper")
  end)
end)
