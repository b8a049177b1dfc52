-- tandem.deploy: what each form says of a deployment made by hand, so that every option, name and
-- number is one that was put in. Layouts and refusals of planned ones are in deploy_spec.lua.
local deploy = require "tandem.deploy"
local json = require "tandem.io.json"
local launch = require "tandem.deploy.launch"
local rules = require "tandem.deploy.rules"

local function merged(...)
  local out = {}
  for _, from in ipairs { ... } do
    for key, value in pairs(from) do out[key] = value end
  end
  return out
end

-- An engine that asks for nothing.
local function pool(more, shape, engine)
  return merged({ name = "gpu", role = "whole", replicas = 1, gpus = 1, machines = 1, gpu = "H100",
    engine = merged({ memory = 0.9, chunked_prefill = false, prefix_caching = true,
      plans_ahead = true }, engine or {}),
    shape = merged({ tp = 1, pp = 1, dp = 1, ep = 1, model = {} }, shape or {}) }, more or {})
end

local function server(name, kind, ...)
  return { name = name, model = "org/" .. name, weights = "org/" .. name, guessed = false,
    server = kind, version = "1.2", pools = { ... }, outstanding = 3 }
end

local function deployed(...)
  return { name = "d", load = 2.5, servers = { ... }, objectives = {}, untold = {}, words = {} }
end

local function text(form, what) return deploy.text(assert(deploy.form(form)), what) end

local function plan_error(form, what)
  local ok, problem = pcall(text, form, what)
  assert.is_false(ok)
  return problem.plan
end

local function options(kind, ...)
  local one = server("s", kind, pool(...))
  local _, out = launch.arguments(one, one.pools[1])
  return table.concat(out, " ")
end

local function notes(kind, engine)
  return launch.notes(deployed(server("s", kind, pool({}, {}, engine))))
end

describe("launch arguments", function()
  it("say what differs from none, for vLLM", function()
    assert.equal("--served-model-name org/s --tensor-parallel-size 1 --gpu-memory-utilization 0.9 "
      .. "--enable-prefix-caching --no-enable-chunked-prefill --async-scheduling", options "vllm")
    local all = options("vllm", { role = "decode" }, { tp = 2, pp = 3, dp = 4, ep = 2,
      model = { kv = "e4m3" } }, { max_seqs = 5, max_batched_tokens = 6, block_tokens = 7,
      prefix_caching = false, chunked_prefill = true, long_prefill_tokens = 8, plans_ahead = false,
      order = "priority", memory = 0.123456789012345 })
    local want = "--served-model-name org/s --tensor-parallel-size 2 --pipeline-parallel-size 3 "
      .. "--data-parallel-size 4 --enable-expert-parallel "
      .. "--gpu-memory-utilization 0.12345678901234 --max-num-seqs 5 --max-num-batched-tokens 6 "
      .. "--block-size 7 --no-enable-prefix-caching "
      .. "--enable-chunked-prefill --long-prefill-token-threshold 8 --no-async-scheduling "
      .. "--scheduling-policy priority --kv-cache-dtype fp8 --kv-transfer-config "
    assert.equal(want, all:sub(1, #want))
    assert.same({ kv_connector = "NixlConnector", kv_role = "kv_both" },
      json.decode(all:sub(#want + 1)))
    assert.is_nil(options("vllm", {}, {}, { long_prefill_tokens = 0 }):find "long%-prefill")
    assert.is_nil(options("vllm", {}, { model = { kv = "bf16" } }):find "kv%-cache%-dtype")
  end)

  it("say what differs from none, for SGLang", function()
    assert.equal("--served-model-name org/s --tp-size 1 --mem-fraction-static 0.9 "
      .. "--chunked-prefill-size -1 --enable-metrics", options "sglang")
    assert.equal("--served-model-name org/s --tp-size 8 --pp-size 3 --dp-size 4 "
      .. "--enable-dp-attention --ep-size 2 --mem-fraction-static 0.9 --max-running-requests 5 "
      .. "--chunked-prefill-size 6 --max-prefill-tokens 8 --page-size 7 --schedule-policy lpm "
      .. "--disable-radix-cache --disable-overlap-schedule --kv-cache-dtype fp8_e4m3 "
      .. "--enable-metrics",
      options("sglang", {}, { tp = 2, pp = 3, dp = 4, ep = 2, model = { kv = "fp8_e4m3" } },
        { max_seqs = 5, max_batched_tokens = 6, block_tokens = 7, max_prefill_tokens = 8,
          prefix_caching = false, chunked_prefill = true, plans_ahead = false,
          order = "longest_prefix" }))
    assert.truthy(options("sglang", {}, {}, { order = "priority" })
      :find("--schedule-policy fcfs --enable-priority-scheduling", 1, true))
    assert.truthy(options("sglang", {}, {}, { order = "prefix_weight" })
      :find("dfs-weight", 1, true))
    assert.is_nil(options("sglang", {}, {}, { max_prefill_tokens = 0 }):find "max%-prefill")
  end)

  it("say what differs from none, for TensorRT-LLM", function()
    assert.equal("--backend pytorch --tp_size 1 --kv_cache_free_gpu_memory_fraction 0.9",
      options "tensorrt_llm")
    assert.equal("--backend pytorch --tp_size 2 --pp_size 3 --ep_size 2 "
      .. "--kv_cache_free_gpu_memory_fraction 0.9 --max_batch_size 5 --max_num_tokens 6 "
      .. "--enable_chunked_prefill", options("tensorrt_llm", {}, { tp = 2, pp = 3, ep = 2 },
        { max_seqs = 5, max_batched_tokens = 6, chunked_prefill = true }))
  end)

  it("note what has no option, once for all pools", function()
    for kind, known in pairs { vllm = { order = "fcfs", admit = "input", preempt = "last",
      chunk = "greedy" }, sglang = { order = "prefix_weight", admit = "estimate",
      preempt = "least_output", chunk = "greedy" }, tensorrt_llm = { order = "fcfs",
      admit = "maximum", preempt = "last", chunk = "blocks" } } do
      assert.same({}, notes(kind, known))
      for _, key in ipairs { "order", "admit", "preempt", "chunk" } do
        assert.same({ ('s: engine.%s = "odd" was simulated; the server has no option for it.')
          :format(key) }, notes(kind, { [key] = "odd" }))
        for _, own in ipairs { print, {} } do
          assert.same({ ("s: engine.%s is a function of the scenario: the server has no such "
            .. "policy."):format(key) }, notes(kind, { [key] = own }))
        end
      end
    end
    assert.same({}, notes("vllm", { batching = "continuous" }))
    local what = deployed(server("s", "vllm", pool({}, {}, { batching = "batch" }),
      pool({}, {}, { batching = "batch", speculation = { tokens = 2, acceptance = 0.5 } })))
    assert.same({ "s: whole batches were simulated; this server batches continuously.",
      "s: speculation was simulated with 2 drafted tokens and an acceptance of 0.5: which method "
      .. "drafts them, set yourself." }, launch.notes(what))
  end)

  it("name the image of a version, or the newest and say so", function()
    for kind, image in pairs { vllm = "vllm/vllm-openai:", sglang = "lmsysorg/sglang:",
      tensorrt_llm = "nvcr.io/nvidia/tensorrt-llm/release:" } do
      local v = kind == "tensorrt_llm" and "" or "v"
      assert.equal(image .. v .. "1.2", (launch.image { server = kind, version = "v1.2" }))
      assert.equal(image .. v .. "1.2", (launch.image { server = kind, version = "1.2" }))
      local newest, note = launch.image { server = kind }
      assert.equal(image .. "latest", newest)
      assert.truthy(note:find("names no version", 1, true))
    end
  end)
end)

describe("a launch script", function()
  it("has a command a pool, wrapped behind 90 letters", function()
    local one = server("s", "vllm", pool({ role = "prefill", replicas = 2, gpus = 8 }),
      pool({ role = "decode" }))
    local script = text("launch", deployed(one))
    local commands = {}
    for about, command in script:gmatch "# (s, [^\n]+)\n(vllm serve.-[^\\])\n" do
      commands[#commands + 1] = { about, command }
    end
    assert.equal("s, prefill: 2 replicas of 8 H100 each", commands[1][1])
    assert.equal("s, decode: 1 replica of 1 H100 each", commands[2][1])
    for _, command in ipairs(commands) do
      local words, position = {}, 0
      for line in (command[2] .. "\n"):gmatch "([^\n]*)\n" do
        position = position + 1
        local piece = line:gsub(" \\$", "")
        assert.is_true(#piece <= 91)
        assert.equal(position > 1, piece:find "^  " ~= nil)
        words[#words + 1] = piece:match "^%s*(.*)$"
      end
      assert.is_true(position > 3)
      local _, given = launch.arguments(one, one.pools[1])
      local plain = table.concat(words, " "):gsub("'", "")
      assert.equal("vllm serve org/s " .. table.concat(given, " "), plain)
    end
  end)

  it("fills a line to the last letter", function()
    for extra = 0, 1 do
      local one = server("s", "tensorrt_llm", pool())
      -- "trtllm-serve " and a name: the next piece, "--backend pytorch", ends at letter 91 or not.
      one.weights = ("w"):rep(73 - #"trtllm-serve " + extra)
      local lines = {}
      for line in text("launch", deployed(one)):gmatch "[^\n]+" do lines[#lines + 1] = line end
      local first
      for i, line in ipairs(lines) do if line:find "^trtllm" then first = lines[i] end end
      assert.equal(extra == 0, first:find("--backend pytorch", 1, true) ~= nil)
    end
  end)

  it("says what the plan says, and whose weights are not known", function()
    local one, two = server("s", "vllm", pool()), server("t", "vllm", pool())
    two.guessed = true
    local what = deployed(one, two)
    what.words = { "planned", "with care" }
    local script = text("launch", what)
    assert.truthy(script:find("#!/bin/sh\n# planned\n# with care\n# Where the weights of org/t are "
      .. "is not known: set it.\n", 1, true))
    assert.is_nil(script:find("weights of org/s", 1, true))
  end)
end)

describe("a graph of Dynamo", function()
  -- The arguments of each worker.
  local function arguments(form, what)
    local out, words = {}, nil
    for line in text(form, what):gmatch "[^\n]+" do
      local word = words and line:match "^ +%- (.*)$"
      if word then words[#words + 1] = (word:gsub('^"(.*)"$', "%1"))
      elseif line:find "^ +args:$" then
        words = {}
        out[#out + 1] = words
      else words = nil end
    end
    for k, list in ipairs(out) do out[k] = table.concat(list, " ") end
    return out
  end

  it("gives workers their engine's options without those that it sets itself", function()
    local shape, engine = { tp = 2, pp = 3, ep = 2 }, { max_seqs = 5, max_batched_tokens = 6,
      chunked_prefill = true }
    for _, form in ipairs { "dynamo", "dynamo-v1alpha1" } do
      assert.same("--model org/s --served-model-name org/s --tensor-parallel-size 1 "
        .. "--gpu-memory-utilization 0.9 --enable-prefix-caching --no-enable-chunked-prefill "
        .. "--async-scheduling", arguments(form, deployed(server("s", "vllm", pool())))[1])
      assert.same("--model-path org/s --served-model-name org/s --tp-size 1 --mem-fraction-static "
        .. "0.9 --chunked-prefill-size -1 --disaggregation-mode decode",
        arguments(form, deployed(server("s", "sglang", pool { role = "decode" })))[1])
      assert.same("--model-path org/s --tensor-parallel-size 2 --pipeline-parallel-size 3 "
        .. "--expert-parallel-size 2 --free-gpu-memory-fraction 0.9 --max-batch-size 5 "
        .. "--max-num-tokens 6", arguments(form, deployed(server("s", "tensorrt_llm",
          pool({}, shape, engine))))[1])
    end
  end)

  it("names components by their server where there are several", function()
    local one = text("dynamo", deployed(server("a", "vllm", pool())))
    assert.truthy(one:find("name: worker\n", 1, true))
    local two = text("dynamo", deployed(server("a", "vllm", pool()), server("b", "vllm",
      pool { role = "prefill", gpus = 16, machines = 2, replicas = 3 }, pool { role = "decode" })))
    for _, name in ipairs { "a-worker", "b-prefill", "b-decode" } do
      assert.truthy(two:find(("name: %s\n"):format(name), 1, true))
    end
    assert.truthy(two:find('nvidia.com/gpu: "8"', 1, true))
    local _, several = two:gsub("nodeCount: 2", "")
    assert.equal(1, several)
    local old = text("dynamo-v1alpha1", deployed(server("a", "vllm", pool { role = "prefill" })))
    assert.truthy(old:find("subComponentType: prefill", 1, true))
    assert.is_nil(text("dynamo-v1alpha1", deployed(server("a", "vllm", pool())))
      :find "subComponentType")
  end)

  it("has one engine, and says what is left to do", function()
    assert.truthy(plan_error("dynamo", deployed(server("a", "vllm", pool()),
      server("b", "sglang", pool()))):find("one graph has one engine", 1, true))
    local chunked = text("dynamo", deployed(server("a", "tensorrt_llm", pool({ gpu = "B200" }, {},
      { chunked_prefill = true }), pool { gpu = "A100" })))
    assert.truthy(chunked:find("# enable_chunked_prefill: true belongs", 1, true))
    assert.truthy(chunked:find("Simulated on A100: [^\n]+\n# Simulated on B200: "))
    for _, other in ipairs { server("a", "tensorrt_llm", pool()),
      server("a", "vllm", pool({}, {}, { chunked_prefill = true })) } do
      assert.is_nil(text("dynamo", deployed(other)):find "enable_chunked_prefill: true")
    end
  end)
end)

describe("values of llm-d", function()
  it("leave to the chart what it makes of them", function()
    local out = text("llm-d", deployed(server("s", "vllm", pool({ gpus = 8, machines = 2,
      replicas = 3 }, { tp = 2, dp = 4 }))))
    for _, said in ipairs { "multinode: true\n", "tensor: 2\n", "data: 4\n", "dataLocal: 2\n",
      "workers: 2\n", "replicas: 3\n", "uri: \"hf://org/s\"\n", "name: org/s\n",
      "prefill:\n  create: false\n", "enabled: false\n", "vllm/vllm-openai:v1.2\"",
      "- \"--gpu-memory-utilization\"\n    - \"0.9\"\n" } do
      assert.truthy(out:find(said, 1, true), said .. "\n" .. out)
    end
    for _, chart in ipairs { "tensor-parallel-size", "data-parallel-size", "served-model-name" } do
      assert.is_nil(out:find(chart, 1, true))
    end
    assert.is_nil(out:find("args:\n    - org/s", 1, true))
    local small = text("llm-d", deployed(server("s", "vllm",
      pool { role = "prefill", machines = 4 }, pool { role = "decode" })))
    assert.truthy(small:find("dataLocal: 1\n", 1, true))
    assert.truthy(small:find("enabled: true\n", 1, true))
    assert.truthy(text("llm-d", deployed(server("s", "vllm", pool())))
      :find("multinode: false\n", 1, true))
  end)

  it("are of one server, of vLLM, on one kind of GPU", function()
    local one = server("a", "vllm", pool())
    assert.truthy(plan_error("llm-d", deployed(one, one)):find("several servers", 1, true))
    assert.truthy(plan_error("llm-d", deployed(server("a", "sglang", pool())))
      :find("runs vLLM, not sglang", 1, true))
    assert.truthy(plan_error("llm-d", deployed(server("a", "vllm", pool(), pool())))
      :find("one kind of GPU", 1, true))
  end)
end)

describe("documents of Kubernetes", function()
  local function scaling(more)
    return merged({ min = 1, max = 3, target = 7.5, up_after = 0.4, down_after = 299.5, every = 0.2,
      found = true }, more or {})
  end
  local function kinds(form, what)
    local out = {}
    for kind in text(form, what):gmatch "\nkind: (%S+)" do out[#out + 1] = kind end
    return table.concat(out, " ")
  end

  it("are a deployment a pool, what scales it, and a service", function()
    local one = deployed(server("s", "vllm", pool { scaling = scaling() }))
    assert.equal("Deployment HorizontalPodAutoscaler Service", kinds("kubernetes", one))
    assert.equal("Deployment ScaledObject Service", kinds("keda", one))
    assert.equal("Deployment Service", kinds("kubernetes",
      deployed(server("s", "vllm", pool { scaling = scaling { max = 1 } }))))
    assert.equal("Deployment HorizontalPodAutoscaler Service", kinds("kubernetes",
      deployed(server("s", "vllm", pool { scaling = scaling { max = 2 } }))))
    assert.equal("Deployment Deployment Service Deployment Service", kinds("kubernetes",
      deployed(server("s", "vllm", pool { name = "h100" }, pool { name = "a100" }),
        server("t", "vllm", pool()))))
  end)

  it("name pools where there are several", function()
    local two = text("kubernetes", deployed(server("s", "vllm", pool { name = "h100" },
      pool { name = "a100" })))
    for _, name in ipairs { "h100", "a100" } do
      assert.truthy(two:find(("name: s-%s\n"):format(name), 1, true))
      assert.truthy(two:find(("component: %s\n"):format(name), 1, true))
    end
    local one = text("kubernetes", deployed(server("s", "vllm", pool { name = "h100" })))
    assert.is_nil(one:find("h100", 1, true))
    assert.is_nil(one:find("component", 1, true))
  end)

  it("scale between bounds, in whole seconds", function()
    local hpa = text("kubernetes", deployed(server("s", "vllm",
      pool { scaling = scaling { min = 0 } })))
    for _, said in ipairs { "minReplicas: 1\n", "maxReplicas: 3\n", 'averageValue: "7.5"',
      "scaleUp:\n      stabilizationWindowSeconds: 0\n",
      "scaleDown:\n      stabilizationWindowSeconds: 300\n",
      "# s: 7.5 requests a replica, running and waiting, as at the planned load" } do
      assert.truthy(hpa:find(said, 1, true), said)
    end
    local keda = text("keda", deployed(server("s", "vllm", pool { scaling = scaling { min = 0,
      every = 0.2, found = false } })))
    for _, said in ipairs { "minReplicaCount: 0\n", "pollingInterval: 1\n", 'threshold: "7.5"',
      "as the scenario's autoscale says" } do
      assert.truthy(keda:find(said, 1, true), said)
    end
    assert.truthy(text("keda", deployed(server("s", "vllm", pool { scaling = scaling {
      every = 14.5 } }))):find("pollingInterval: 15\n", 1, true))
  end)

  it("have pods of one machine", function()
    assert.truthy(plan_error("keda", deployed(server("s", "vllm",
      pool { gpus = 16, machines = 2 })))
      :find("a replica of 16 GPUs takes 2 machines", 1, true))
  end)
end)

describe("rules and dashboards", function()
  local function objective(of, quantile, limit)
    return { server = "s", metric = of .. (quantile and ("_p%.0f"):format(quantile * 100)
      or "_mean"), of = of,
      quantile = quantile, limit = limit }
  end
  local METRICS <const> = {
    vllm = { "vllm:num_requests_running", "vllm:num_requests_waiting", "sum" },
    sglang = { "sglang:num_running_reqs", "sglang:num_queue_reqs", "max" },
    tensorrt_llm = { "trtllm_num_requests_running", "trtllm_num_requests_waiting", "sum" },
  }

  it("add up what each pod has, and of ranks that tell the same one", function()
    for kind, names in pairs(METRICS) do
      local one = server("s", kind, pool())
      local function by_pod(name)
        return ('%s by (namespace, pod) (%s{model_name="org/s"})'):format(names[3], name)
      end
      assert.equal(("sum(%s + %s)"):format(by_pod(names[1]), by_pod(names[2])),
        rules.outstanding(one))
      assert.equal(("sum(%s)"):format(by_pod(names[2])), rules.over_all(one, "waiting"))
    end
    local odd = server("s", "vllm", pool())
    odd.model = 'a"b\\c\nd'
    assert.truthy(rules.over_all(odd, "kv"):find('model_name="a\\"b\\\\c\\nd"', 1, true))
  end)

  it("ask for a quantile or a mean of what the server exports", function()
    local one = server("s", "sglang", pool())
    assert.equal("histogram_quantile(0.95, sum by (le) (rate(sglang:inter_token_latency_seconds"
      .. '_bucket{model_name="org/s"}[5m])))', rules.figure(one, objective("itl", 0.95, 1)))
    assert.equal('sum(rate(sglang:queue_time_seconds_sum{model_name="org/s"}[5m])) / '
      .. 'sum(rate(sglang:queue_time_seconds_count{model_name="org/s"}[5m]))',
      rules.figure(one, objective("queueing", nil, 1)))
    assert.is_nil(rules.figure(one, objective("tpot", 0.5, 1)))
  end)

  it("alert on each objective of a server, and say what they cannot", function()
    local what = deployed(server("s", "sglang", pool()), server("t-u", "vllm", pool()))
    what.objectives = { objective("ttft", 0.99, 0.25), objective("tpot", nil, 1) }
    what.untold = { "met" }
    local out = text("rules", what)
    local alerts = {}
    for name in out:gmatch "alert: (%S+)" do alerts[#alerts + 1] = name end
    assert.same({ "STtftP99", "SLoadAbovePlan", "SKvCacheFull", "TULoadAbovePlan",
      "TUKvCacheFull" }, alerts)
    assert.truthy(out:find("> 0.25\"", 1, true))
    assert.truthy(out:find("> 2.5\"", 1, true))
    assert.truthy(out:find("# tpot_mean is not exported by this server: no alert.\n", 1, true))
    assert.truthy(out:find("# met is not told by metrics of the server: no alert.\n", 1, true))
    assert.has_error(function()
      rules.server_of(what, { server = "nobody" })
    end)
  end)

  it("draw limits as lines, and targets over all replicas", function()
    local what = deployed(server("s", "sglang", pool { replicas = 2 },
      pool { replicas = 3, scaling = { target = 4 } }))
    what.name = ("n"):rep(40)
    what.objectives = { objective("ttft", 0.99, 0.25), objective("tpot", nil, 1) }
    local board = json.decode(text("grafana", what))
    assert.equal("tandem-" .. ("n"):rep(33), board.uid)
    local panels = {}
    for _, panel in ipairs(board.panels) do panels[panel.title] = panel end
    local function line(title)
      local defaults = panels[title].fieldConfig.defaults
      local step = defaults.thresholds.steps[2]
      return { defaults.custom.thresholdsStyle.mode, step and step.value, step and step.color }
    end
    assert.same({ "line", 0.25, "red" }, line "s: ttft_p99")
    assert.is_nil(panels["s: tpot_mean"])
    assert.same({ "line", 2.5, "blue" }, line "s: load, and what was planned for")
    assert.same({ "line", 20, "blue" }, line "s: requests in its replicas")
    assert.same({ "line", 0.95, "red" }, line "s: fullest KV cache")
    assert.same({ "off" }, line "s: output tokens")
    local asked = panels["s: requests in its replicas"].targets
    assert.same({ "A", "running", "B", "waiting" }, { asked[1].refId, asked[1].legendFormat,
      asked[2].refId, asked[2].legendFormat })
    what.servers[1].pools[2].scaling = nil
    board = json.decode(text("grafana", what))
    assert.equal("off", board.panels[3].fieldConfig.defaults.custom.thresholdsStyle.mode)
  end)
end)
