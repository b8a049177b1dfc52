-- Policies of LLM servers in scenarios: whose scheduler, decisions by word and function, tenants.

local td = require "tandem"

-- Functions that go to other threads must not carry the environment of busted.
local math = math

local steps = td.affine { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us" }

local function scenario(engine, extra, stage)
  local body = { step = steps, engine = engine }
  for k, v in pairs(stage or {}) do body[k] = v end
  local raw = { name = "policies", workload = td.poisson { rps = 40, duration = "20s" },
    attrs = { prompt_tokens = td.uniform { min = 1, max = 300 },
      output_tokens = td.uniform { min = 1, max = 80 } },
    pipeline = { td.generate "answer" (body) } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.check(raw)
end

local function run(...)
  local s, problems = scenario(...)
  assert(s, tostring(problems))
  return assert(s:run { replications = 2, warmup = "none" })
end

local function refused(pattern, ...)
  local s, problems = scenario(...)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

local function fails(pattern, engine)
  engine.kv_blocks = engine.kv_blocks or 200
  local result, why = assert(scenario(engine)):run { replications = 1 }
  assert.is_nil(result)
  assert.matches("llm_policies_spec%.lua:%d+: ", why)
  assert.matches(pattern, why, 1, true)
end

local function preemptions(result) return result:get "llm.answer.preemptions" end

describe("an LLM server's policy", function()
  it("serves everybody whoever's scheduler it is and whoever is first", function()
    for _, server in ipairs { "vllm", "sglang", "tensorrt_llm" } do
      for _, word in ipairs(require("tandem.llm.scheduler").words "order") do
        local order = word[1]
        local result = run({ server = server, order = order,
          kv_blocks = server == "sglang" and 2000 or 120 },
          { workload = td.poisson { rps = 10, duration = "10s" } })
        assert.is_true(result.llm[1].e2e.mean.value > 0)
      end
    end
  end)

  it("of one request at a time is the same in all servers", function()
    local times = {}
    for i, server in ipairs { "vllm", "sglang", "tensorrt_llm" } do
      local result = run({ server = server, max_seqs = 1, kv_blocks = 2000 },
        { workload = td.paced { rps = 0.5, duration = "40s" },
          attrs = { prompt_tokens = 64, output_tokens = 10 } })
      times[i] = result.llm[1].e2e.mean.value
    end
    assert.near(2e-3 + 64 * 30e-6 + 9 * 2.05e-3, times[1], 1e-9)
    assert.equal(times[1], times[2])
    assert.equal(times[1], times[3])
  end)

  it("of TensorRT-LLM preempts nobody by default", function()
    local crowd = { kv_blocks = 30, server = "tensorrt_llm", max_seqs = 64 }
    assert.equal(0, preemptions(run(crowd)))
    crowd.admit = "prompt"
    assert.is_true(preemptions(run(crowd)) > 0)
  end)

  it("by priority serves the class with the smaller number first", function()
    local result = run({ order = "priority", max_seqs = 4, kv_blocks = 300 }, {
      workload = { td.poisson { rps = 16, duration = "60s", class = "late" },
        td.poisson { rps = 16, duration = "60s", class = "early" } },
      classes = { { name = "late", priority = 5 }, { name = "early", priority = 1 } } })
    local late = result:get "llm.answer.classes.late.ttft.mean"
    assert.is_true(result:get "llm.answer.classes.early.ttft.mean" * 2 < late)
  end)

  it("by a function does what the word does", function()
    local function e2e(order)
      return run({ order = order, max_seqs = 4, kv_blocks = 300 }).llm[1].e2e.mean.value
    end
    assert.equal(e2e "shortest_prompt", e2e(function(r) return r.prompt end))
    assert.equal(e2e "fcfs", e2e(function(r) return r.arrival end))
    -- Seconds since it came, by the clock of the state.
    assert.equal(e2e "fcfs", e2e(function(r, state)
      if math.abs(r.waited - (state.time - r.arrival)) > 1e-9 then error "waited" end
      return r.arrival
    end))
  end)

  it("asks functions whom to admit, whom to preempt, how much to compute", function()
    local result = run { kv_blocks = 300, admit = function(_, state) return state.running < 3 end }
    assert.is_true(result:get "llm.answer.batch" <= 3)
    assert.equal(0, preemptions(run { kv_blocks = 60,
      admit = function(r, state)
        return state.running == 0 and r.prompt + r.max_output
      end }))
    local last = run { kv_blocks = 40, max_seqs = 16 }
    local same = run { kv_blocks = 40, max_seqs = 16,
      preempt = function(requests) return requests[#requests] end }
    assert.is_true(preemptions(last) > 0)
    assert.equal(last.llm[1].e2e.mean.value, same.llm[1].e2e.mean.value)
    local long = run { kv_blocks = 300, long_prefill_tokens = 50 }
    local chunks = run { kv_blocks = 300,
      chunk = function(_, budget) return math.min(budget, 50) end }
    assert.equal(long.llm[1].e2e.mean.value, chunks.llm[1].e2e.mean.value)
  end)

  it("gives the same bytes at any number of threads, functions or not", function()
    for _, engine in ipairs { { server = "sglang", kv_blocks = 800 },
      { kv_blocks = 60, order = function(r, state) return r.prompt - 50 * state.waiting end } } do
      local s = assert(scenario(engine, { workload = td.poisson { rps = 20, duration = "10s" } }))
      assert.equal(s:run { threads = 1, replications = 4 }:to_json(),
        s:run { threads = 3, replications = 4 }:to_json())
    end
  end)

  it("that are not refused can run, whatever stands beside what", function()
    local function any(list) return list[math.random(#list)] end
    local own = { order = function(r) return r.prompt end, admit = function() return true end,
      preempt = function() return 1 end, chunk = function(_, budget) return budget end }
    local mechanics = { {}, { swap = "1GiB" }, { lora = 2 }, { plans_ahead = true },
      { speculation = { tokens = 2, acceptance = 0.5 } } }
    math.randomseed(7)
    local ran = 0
    for _ = 1, 600 do
      local engine = { kv_blocks = 300, max_seqs = 16, server = any { "vllm", "sglang" },
        batching = any { "continuous", "continuous", "static", "dynamic" },
        order = any { "fcfs", "priority", "shortest_job", "longest_prefix", "prefix_weight", "fair",
          own.order }, admit = any { "input", "maximum", "estimate", own.admit },
        preempt = any { "last", "least_output", own.preempt },
        chunk = any { "greedy", "blocks", own.chunk } }
      for key, value in pairs(any(mechanics)) do engine[key] = value end
      local s = scenario(engine, { workload = td.poisson { rps = 40, duration = "0.5s" },
        target = td.gpu "H100 SXM" {} },
        { model = td.llm "Llama-3.1-8B", adapter = engine.lora and 1 or nil })
      if s then
        ran = ran + 1
        assert(s:run { replications = 1, warmup = "none" })
      end
    end
    assert.is_true(ran > 30, ran)
  end)

  it("names the line of a function that fails", function()
    fails("order returned just nil; wanted a number", { order = function() end })
    fails("admit returned a string; wanted true, false or the tokens",
      { admit = function() return "yes" end })
    fails("preempt returned 99; wanted an index or one of the requests",
      { kv_blocks = 40, preempt = function() return 99 end })
    fails("chunk returned 0; wanted a number of tokens, at least 1",
      { chunk = function() return 0 end })
    fails("attempt to index a nil value", { order = function(r) return r.nobody.knows end })
  end)

  it("gives tenants their shares while they wait", function()
    local result = run({ order = "fair", max_seqs = 4, kv_blocks = 300,
      fairness = { classes = { gold = 3 } } }, {
      workload = { td.poisson { rps = 30, duration = "60s", class = "gold" },
        td.poisson { rps = 30, duration = "60s", class = "plain" } },
      classes = { { name = "gold" }, { name = "plain" } } })
    local plain = result:get "llm.answer.classes.plain.ttft.mean"
    assert.is_true(result:get "llm.answer.classes.gold.ttft.mean" * 1.5 < plain)
    run({ order = "fair", fairness = { tenants = { 1, 2 } }, kv_blocks = 300 },
      { attrs = { prompt_tokens = 10, output_tokens = 5, who = td.empirical { 1, 2 } } },
      { tenant = "r.who" })
  end)

  -- Alone in the server a request of k · 10 tokens takes one step with its prompt, 10 k - 1 more.
  local function alone(tenant) return 2e-3 + 64 * 30e-6 + (10 * tenant - 1) * 2.05e-3 end

  it("tells figures of each tenant, and of the many together", function()
    local s = assert(scenario({ kv_blocks = 2000 }, { slo = { p99 = "60ms" },
      workload = td.paced { rps = 0.5, duration = "400s" },
      attrs = { who = td.empirical { 1, 3, 3, 40, 50 } } },
      { tenant = "r.who", prompt = 64, output = function(r) return math.min(300, 10 * r.who) end }))
    local result = assert(s:run { replications = 2, warmup = "none" })
    local tokens, weights, squares = 0, 0, 0
    for i, name in ipairs { "1", "3", "others" } do
      local tenant = result.llm[1].tenants[i]
      assert.equal(name, tenant.name)
      local time = alone(tonumber(name) or 30)
      for _, field in ipairs { "mean", "p50", "p99" } do
        assert.near(time, tenant.e2e[field].value, 1e-9)
        assert.near(64 * 30e-6 + 2e-3, tenant.ttft[field].value, 1e-9)
        assert.near(2.05e-3, tenant.tpot[field].value, 1e-9)
      end
      assert.equal(time < 60e-3 and 1 or 0, tenant.slo_met.value)
      tokens = tokens + tenant.output_tokens_per_s.value
      if name ~= "others" then
        local service = tenant.prompt_tokens_per_s.value + 2 * tenant.output_tokens_per_s.value
        weights, squares = weights + service, squares + service ^ 2
      end
    end
    assert.equal(3, #result.llm[1].tenants)
    assert.near(result:get "llm.answer.output_tokens_per_s", tokens, 1e-9)
    assert.near(weights ^ 2 / (2 * squares), result:get "llm.answer.fairness", 0.01)
    assert.near(alone(3), result:get "llm.answer.tenants.3.e2e.p99", 1e-9)
    assert.is_nil(result:get "llm.answer.tenants.2.e2e.p99")
    assert.equal(result:get "llm.answer.goodput_rps",
      result:get "llm.answer.classes.default.goodput_rps")
    assert.matches("others", result:report(), 1, true)
  end)

  it("is fair by shares while all wait", function()
    local function fairness(order, shares)
      local engine = { order = order, max_seqs = 4, kv_blocks = 300 }
      if order == "fair" then engine.fairness = { tenants = shares } end
      return run(engine, { workload = td.poisson { rps = 300, duration = "20s" },
        attrs = { prompt_tokens = 50, output_tokens = 20, who = td.empirical { 1, 1, 1, 2 } } },
        { tenant = "r.who" }):get "llm.answer.fairness"
    end
    assert.near((3 + 1) ^ 2 / (2 * (9 + 1)), fairness("fcfs"), 0.02)
    assert.is_true(fairness("fair") > 0.99)
    assert.is_true(fairness("fair", { 1, 2 }) > 0.98)
  end)

  it("refuses what does not go together", function()
    refused("is SGLang's", { max_prefill_tokens = 100, kv_blocks = 100 })
    refused("estimates are SGLang's", { admit = "estimate", kv_blocks = 100 })
    refused("is for server = \"vllm\"", { server = "sglang", swap = "1GiB", kv_blocks = 100 })
    refused("is for order = \"fair\"", { fairness = { input = 1 }, kv_blocks = 100 })
    refused("there is no class 'gold'", { order = "fair", kv_blocks = 100,
      fairness = { classes = { gold = 2 } } })
    refused("is missing: whose request is it?", { order = "fair", kv_blocks = 100,
      fairness = { tenants = { 1 } } })
    refused("prompts share by blocks or equally", { chunk = "equal", kv_blocks = 100 })
    refused("'lpm' is not known", { order = "lpm", kv_blocks = 100 })
  end)
end)
