-- tandem.deploy: what was planned as launch arguments, manifests, rules and a dashboard.
local deploy = require "tandem.deploy"
local json = require "tandem.io.json"
local launch = require "tandem.deploy.launch"
local td = require "tandem"
local yaml = require "tandem.io.yaml"

local function read(written) return assert(require("tandem.io.yaml_reader").documents(written)) end

local function scenario(more, target, rps)
  local step = { model = td.llm "Llama-3.1-70B", tp = 4 }
  for key, value in pairs(more or {}) do step[key] = value end
  return td.scenario "Chat, at noon" {
    workload = td.poisson { rps = rps or 2, duration = "60s" },
    attrs = { prompt_tokens = 400, output_tokens = 100 },
    target = target or td.gpu "H100 SXM" { count = 12 },
    pipeline = { td.generate "the answer" (step) },
    slo = { ttft_p99 = "1s", tpot_mean = "50ms", p95 = "20s", met = "95%" },
    replications = 2, warmup = "none",
  }
end

local function deployed(...) return deploy.of(scenario(...), { "planned" }) end

local function text(name, what) return deploy.text(assert(deploy.form(name)), what) end

local function after(list, word)
  for i, one in ipairs(list) do
    if one == word then return list[i + 1] end
  end
end

describe("what a plan chose", function()
  it("is deployed for the highest of its loads", function()
    local plan = require "tandem.plan.deployed"
    local function row(load, replicas)
      return { load = load, count = replicas, kind = "H100 SXM",
        trial = { set = { ["target.count"] = 4 * replicas } } }
    end
    local function chosen(...)
      local base = scenario()
      return plan.text({ best = { ... }, confidence = 0.95, question = { scenario = base,
        base = base, seed = 1, threads = 1, values = {}, demand = { unit = "rate" } } },
        assert(deploy.form "launch"))
    end
    for _, script in ipairs { chosen(row(20, 5), row(8, 2)), chosen(row(8, 2), row(20, 5)),
      chosen(false, row(20, 5), row(8, 2)) } do
      assert.truthy(script:find("for 20 /s at", 1, true), script)
      assert.truthy(script:find("5 replicas of 4 H100", 1, true), script)
    end
    assert.has_error(function() chosen(false) end)
  end)
end)

describe("yaml", function()
  it("quotes what would be read as anything but a text", function()
    for _, word in ipairs { "yes", "No", "null", "1", "0x1f", "-", "a: b", "# c", "", " a", "é",
      "1:30", "~", "*a", "&a", "!a", "{a", "%a", "a\nb" } do
      local written = yaml.encode(yaml.map { { "key", word } })
      assert.equal(("key: %s\n"):format(json.encode(word)), written)
    end
    assert.equal("key: a/b.c-d\nlist: []\nmap: {}\n", yaml.encode(yaml.map { { "key", "a/b.c-d" },
      { "none", nil }, { "list", {} }, { "map", yaml.map {} } }))
  end)

  it("keeps the order of maps, and maps in lists together", function()
    assert.equal("z: 1\na:\n- b: true\n  c:\n  - 1\n  - x\n- d: \"1\"\n", yaml.encode(yaml.map {
      { "z", 1 }, { "a", { yaml.map { { "b", true }, { "c", { 1, "x" } } },
        yaml.map { { "d", "1" } } } } }))
  end)
end)

describe("a deployment", function()
  it("has the replicas, GPUs and options that were simulated", function()
    local documents = read(text("kubernetes", deployed { engine = { server = "vllm",
      version = "0.15.1", max_seqs = 64, prefix_caching = false } }))
    local found = documents[1]
    assert.equal("Deployment", found.kind)
    assert.equal("the-answer", found.metadata.name)
    assert.equal(3, found.spec.replicas)
    local container = found.spec.template.spec.containers[1]
    assert.equal("4", container.resources.limits["nvidia.com/gpu"])
    assert.equal("vllm/vllm-openai:v0.15.1", container.image)
    assert.same({ "vllm", "serve", "meta-llama/Llama-3.1-70B-Instruct" }, container.command)
    assert.equal("4", after(container.args, "--tensor-parallel-size"))
    assert.equal("64", after(container.args, "--max-num-seqs"))
    assert.equal("8192", after(container.args, "--max-num-batched-tokens")) -- of this version
    assert.truthy(table.concat(container.args, " "):find("--no-enable-prefix-caching", 1,
      true))
    assert.truthy(table.concat(container.args, " "):find("--async-scheduling", 1, true))
    assert.same(found.spec.selector.matchLabels, found.spec.template.metadata.labels)
    assert.same(documents[3].spec.selector, found.spec.selector.matchLabels)
  end)

  it("scales by what the run at the planned load had in a replica", function()
    local what = deployed(nil, nil, 20)
    local result = scenario(nil, nil, 20):run()
    local server = result.llm[1]
    -- Little's law, over three replicas.
    local mean = server.finished_rps.value * server.e2e.mean.value / 3
    local scaler = read(text("kubernetes", what))[2]
    assert.equal("HorizontalPodAutoscaler", scaler.kind)
    assert.is_true(mean > 5)
    assert.equal(math.ceil(mean),
      tonumber(scaler.spec.metrics[1].pods.target.averageValue))
    assert.equal(3, scaler.spec.minReplicas)
    assert.equal(6, scaler.spec.maxReplicas)
  end)

  it("scales as the scenario says where it does", function()
    local what = deployed { autoscale = { min = 1, max = 2, target = 9, up_after = "30s",
      down_after = "2min", every = "10s" } }
    local scaled = read(text("keda", what))[2]
    assert.equal("ScaledObject", scaled.kind)
    assert.equal("9", scaled.spec.triggers[1].metadata.threshold)
    assert.equal(10, scaled.spec.pollingInterval)
    assert.equal(2, scaled.spec.maxReplicaCount)
    local behavior = scaled.spec.advanced.horizontalPodAutoscalerConfig.behavior
    assert.equal(30, behavior.scaleUp.stabilizationWindowSeconds)
    assert.equal(120, behavior.scaleDown.stabilizationWindowSeconds)
  end)

  it("is a graph for Dynamo, in both versions of its API", function()
    local what = deployed({ tp = 16, engine = { server = "sglang" },
      network = "InfiniBand NDR" }, td.gpu "H100 SXM" { count = 16 })
    local new, old = read(text("dynamo", what))[1], read(text("dynamo-v1alpha1", what))[1]
    assert.equal("nvidia.com/v1beta1", new.apiVersion)
    assert.equal("sglang", new.spec.backendFramework)
    local worker = new.spec.components[2]
    assert.equal("worker", worker.type)
    assert.equal(2, worker.multinode.nodeCount)
    local container = worker.podTemplate.spec.containers[1]
    assert.equal("8", container.resources.limits["nvidia.com/gpu"])
    assert.equal("16", after(container.args, "--tp-size"))
    assert.is_nil(after(container.args, "--enable-metrics"))
    local service = old.spec.services.worker
    assert.equal("8", service.resources.limits.gpu)
    assert.same(container.args, service.extraPodSpec.mainContainer.args)
    local ok, why = pcall(text, "kubernetes", what)
    assert.is_false(ok)
    assert.truthy(why.plan:find "takes 2 machines")
  end)

  it("parts prompts from outputs where the cluster has a router for them", function()
    local what = deployed { model = td.llm "Llama-3.1-8B", tp = 1,
      prefill = { replicas = 1 }, decode = { replicas = 2 },
      handover = td.link "net" { bandwidth = "50GB/s" } }
    local parts = read(text("dynamo", what))[1].spec.components
    assert.same({ "frontend", "prefill", "decode" },
      { parts[1].type, parts[2].type, parts[3].type })
    assert.equal("prefill",
      after(parts[2].podTemplate.spec.containers[1].args, "--disaggregation-mode"))
    assert.is_nil(parts[2].multinode)
    local script = text("launch", what)
    assert.truthy(script:find("# the-answer, prefill: 1 replica of 1 H100 SXM each", 1, true))
    assert.truthy(text("launch", deployed()):find("# the-answer: 3 replicas of 4 H100", 1, true))
    local values = read(text("llm-d", what))[1]
    assert.equal(1, values.prefill.replicas)
    assert.equal(2, values.decode.replicas)
    assert.is_true(values.routing.proxy.enabled)
    assert.is_nil(after(values.decode.containers[1].args, "--tensor-parallel-size"))
  end)

  it("watches its objectives with the metrics that its server exports", function()
    local groups = read(text("rules", deployed()))[1].groups
    local by_name = {}
    for _, rule in ipairs(groups[1].rules) do by_name[rule.alert or rule.record] = rule end
    assert.equal("histogram_quantile(0.99, sum by (le) "
      .. '(rate(vllm:time_to_first_token_seconds_bucket{model_name='
      .. '"meta-llama/Llama-3.1-70B-Instruct"}[5m]))) > 1',
      by_name.TheAnswerTtftP99.expr)
    assert.truthy(by_name.TheAnswerP95.expr:find("e2e_request_latency_seconds", 1, true))
    local mean = by_name.TheAnswerTpotMean.expr
    assert.truthy(mean:find "_sum" and mean:find "_count" and mean:find "> 0%.05$")
    assert.truthy(by_name.tandem_outstanding_requests)
    -- What is served in time is in no metric, and said so.
    assert.truthy(text("rules", deployed()):find("# met is not told by metrics", 1, true))
  end)

  it("draws the same expressions on a dashboard without panels over each other", function()
    local board = json.decode(text("grafana", deployed()))
    local taken, ids = {}, {}
    for _, panel in ipairs(board.panels) do
      local place = panel.gridPos.x .. "," .. panel.gridPos.y
      assert.is_nil(taken[place])
      assert.is_nil(ids[panel.id])
      taken[place], ids[panel.id] = true, true
      assert.is_true(#panel.targets > 0)
    end
    assert.equal(1, board.panels[3].fieldConfig.defaults.thresholds.steps[2].value)
    for i, panel in ipairs(board.panels) do
      assert.same({ x = i % 2 == 0 and 12 or 0, y = (i - 1) // 2 * 8, w = 12, h = 8 },
        panel.gridPos)
    end
    local asked = {}
    for _, panel in ipairs(board.panels) do asked[panel.title] = panel.targets[1].expr end
    local model = '{model_name="meta-llama/Llama-3.1-70B-Instruct"}'
    assert.equal(("sum(rate(vllm:request_success_total%s[5m]))"):format(model),
      asked["the-answer: load, and what was planned for"])
    assert.equal(("sum(rate(vllm:generation_tokens_total%s[5m]))"):format(model),
      asked["the-answer: output tokens"])
    assert.equal(("max(vllm:kv_cache_usage_perc%s)"):format(model),
      asked["the-answer: fullest KV cache"])
  end)

  it("says in its first lines what is left to do", function()
    local hpa, keda = text("kubernetes", deployed()), text("keda", deployed())
    for _, said in ipairs { hpa, keda } do
      assert.truthy(said:find("# Simulated on H100 SXM: add the nodeSelector", 1, true))
      assert.truthy(said:find("# The scenario names no version of its server", 1, true))
    end
    assert.truthy(keda:find("# The address of Prometheus is a guess", 1, true))
    assert.truthy(hpa:find("# tandem_outstanding_requests comes from the rules", 1, true))
    assert.is_nil(hpa:find("The address of Prometheus", 1, true))
  end)

  it("launches each server by its own words", function()
    local function words(server, more)
      local engine = { server = server, max_seqs = 32, max_batched_tokens = 4096, memory = 0.8 }
      for key, value in pairs(more or {}) do engine[key] = value end
      local what = deployed { model = td.llm "Llama-3.1-70B" { kv = "fp8" }, tp = 4,
        engine = engine }
      local _, options = launch.arguments(what.servers[1], what.servers[1].pools[1])
      return table.concat(options, " ")
    end
    local model = "--served-model-name meta-llama/Llama-3.1-70B-Instruct "
    assert.equal(model .. "--tensor-parallel-size 4 --gpu-memory-utilization 0.8 --max-num-seqs 32 "
      .. "--max-num-batched-tokens 4096 --block-size 16 --enable-prefix-caching "
      .. "--enable-chunked-prefill --async-scheduling --kv-cache-dtype fp8",
      words("vllm", { version = "0.15" }))
    assert.equal(model .. "--tp-size 4 --mem-fraction-static 0.8 --max-running-requests 32 "
      .. "--chunked-prefill-size 4096 --max-prefill-tokens 16384 --page-size 1 --schedule-policy "
      .. "fcfs --disable-radix-cache --kv-cache-dtype fp8_e4m3 --enable-metrics",
      words("sglang", { prefix_caching = false, plans_ahead = true }))
    assert.equal("--backend pytorch --tp_size 4 --kv_cache_free_gpu_memory_fraction 0.8 "
      .. "--max_batch_size 32 --max_num_tokens 4096", words "tensorrt_llm")
  end)

  it("names the model where nobody knows its repository", function()
    for _, entry in ipairs(require "lib.models") do
      if entry.name == "Gemma-4-31B" then assert.is_nil(entry.repository) end
    end
    local what = deployed { model = td.llm "Gemma-4-31B" }
    assert.same({ "Gemma-4-31B", "Gemma-4-31B", true }, { what.servers[1].model,
      what.servers[1].weights, what.servers[1].guessed })
  end)

  it("quotes for a shell what a shell would take apart", function()
    local what = deployed()
    what.servers[1].weights = "it's $HOME/a b"
    assert.truthy(text("launch", what):find([['it'\''s $HOME/a b']], 1, true))
    what.words = { "one\nrm -rf /" }
    assert.is_nil(text("launch", what):find "\nrm")
  end)

  it("says what no option of the server says", function()
    local launched = text("launch", deployed { engine = { order = "shortest_prompt",
      speculation = { tokens = 3, acceptance = 0.7 } } })
    assert.truthy(launched:find("# the-answer: engine.order = \"shortest_prompt\" was simulated",
      1, true))
    assert.truthy(launched:find("an acceptance of 0.7", 1, true))
  end)

  it("is refused where there is none", function()
    local none = td.scenario "none" { workload = td.poisson { rps = 1, duration = "1s" },
      pipeline = { td.fixed "s" { time = "1ms" } } }
    assert.truthy(deploy.refuses(none, deploy.form "launch"):find "no td.generate")
    local parted = scenario { model = td.llm "Llama-3.1-8B", tp = 1, prefill = { replicas = 1 },
      decode = { replicas = 2 }, handover = td.link "net" { bandwidth = "50GB/s" } }
    assert.truthy(deploy.refuses(parted, deploy.form "keda"):find "want a router")
    assert.is_nil(deploy.refuses(parted, deploy.form "dynamo"))
    local form, why = deploy.form "kubernetis"
    assert.is_nil(form)
    assert.truthy(why:find "kubernetes")
    local answer = td.plan.gpus { scenario = scenario(), slo = { ttft_p99 = "1ms" }, max = 4,
      replications = 8, doubt = false }
    local nothing, because = answer:deploy "launch"
    assert.is_nil(nothing)
    assert.truthy(because:find "nothing meets the objectives")
  end)
end)
