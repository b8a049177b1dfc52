-- The API server of td.generate: against queueing theory, a recursion of its own, and in words.

local td = require "tandem"

local function checked(extra)
  local raw = { name = "llm", workload = td.poisson { rps = 10, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 } }
  for k, v in pairs(extra) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

-- Steps of a nanosecond: nothing but the API server takes time.
local function server(api)
  return { td.generate "answer" { step = td.affine { step = 1e-9 }, api = api,
    engine = { max_seqs = 64, max_batched_tokens = 4096, kv_blocks = 100000 } } }
end

local function near(expected, actual, within)
  assert.is_true(math.abs(actual / expected - 1) <= within,
    ("%g is not within %g %% of %g"):format(actual, within * 100, expected))
end

describe("an API server", function()
  it("of one worker is an M/D/1 queue", function()
    local service, load = 0.008, 0.8
    local one = checked { workload = td.poisson { rps = load / service, duration = "600s" },
      pipeline = server { request = "6ms", prompt_token = "50us" } }
      :run { replications = 4 }.llm[1]
    near(service + load * service / (2 * (1 - load)), one.queueing.mean.value, 0.03)
    near(load, one.api.value, 0.01)
  end)

  it("gives each request to the first worker that is free, in order of arrival", function()
    local rows, at, state = {}, 0, 4711
    for i = 1, 400 do
      state = (state * 1103515245 + 12345) % (1 << 31)
      at = at + state % 1000 * 4e-6
      rows[i] = { arrival = at, prompt_tokens = 1 + state % 90, output_tokens = 1 }
    end
    for workers = 1, 5 do
      local one = checked { workload = td.replay { rows = rows }, attrs = {},
        pipeline = server { prompt_token = "100us", workers = workers } }
        :run { replications = 1, warmup = "none" }.llm[1]
      local free, sum, most = {}, 0, 0
      for w = 1, workers do free[w] = 0 end
      for _, row in ipairs(rows) do
        local first = 1
        for w = 2, workers do if free[w] < free[first] then first = w end end
        free[first] = math.max(free[first], row.arrival) + row.prompt_tokens * 1e-4
        sum, most = sum + free[first] - row.arrival, math.max(most, free[first] - row.arrival)
      end
      near(sum / #rows, one.queueing.mean.value, 1e-5)
      near(most, one.queueing.max, 1e-5)
    end
  end)

  it("delays tokens, not the time between them", function()
    local function run(api)
      return checked { pipeline = { td.generate "answer" { api = api,
        step = td.affine { step = "2ms", decode_seqs = "100us" },
        engine = { max_seqs = 8, kv_blocks = 1000 } } } }
        :run { replications = 1, warmup = "none" }.llm[1]
    end
    local without, with = run(nil), run { output_token = "3ms", workers = 8 }
    near(without.ttft.mean.value + 0.003, with.ttft.mean.value, 1e-6)
    near(without.e2e.p50.value + 0.003, with.e2e.p50.value, 1e-6)
    near(without.tpot.mean.value, with.tpot.mean.value, 1e-6)
    near(without.itl.mean.value, with.itl.mean.value, 1e-6)
    assert.is_nil(without.api)
  end)

  it("counts what streaming takes, beyond all of its time too", function()
    local function api_of(rps)
      return checked { workload = td.poisson { rps = rps, duration = "60s" },
        pipeline = server { request = "1ms", output_token = "200us", workers = 2 } }
        :run { replications = 2, warmup = "none" }.llm[1]
    end
    near(300 * (1e-3 + 10 * 200e-6) / 2, api_of(300).api.value, 0.02)
    local over = api_of(1000)
    assert.is_true(over.queueing.mean.value > 3)
    assert.is_true(over.api.value > 1.2)
  end)

  it("lets nobody in who has timed out meanwhile", function()
    local result = checked { workload = td.paced { rps = 1, requests = 3 }, timeout = "200ms",
      pipeline = server { request = "500ms" } }:run { replications = 1, warmup = "none" }
    assert.equal(3, result.classes[1].timed_out)
    assert.equal(0, result:get "llm.answer.output_tokens_per_s")
    assert.is_true(result.checks.ok)
  end)

  it("stands for what requests take beside steps, which else is as measured", function()
    local rates = require "tandem.llm.rates"
    local function run(own, more)
      local keys = { model = td.llm "Llama-3.1-8B", step = own }
      for k, v in pairs(more or {}) do keys[k] = v end
      return checked { target = td.gpu "H100 SXM" { count = 2 },
        pipeline = { td.generate "answer" (keys) } }
        :run { replications = 1, warmup = "none" }.llm[1]
    end
    local none, slow = td.roofline { request = 0 }, td.roofline { request = "50ms" }
    local apart = { prefill = { replicas = 1 }, decode = { replicas = 1 },
      handover = td.link "net" { bandwidth = "50GB/s" } }
    for _, case in ipairs {
      { rates.entry("H100 SXM", "vllm").constants.request_s, run(), run(none) },
      { 0.05, run(slow), run(none) }, { 0, run(nil, { api = {} }), run(none) },
      { 0.05, run(slow, apart), run(none, apart) } } do
      local without = case[3]
      for _, time in ipairs { "ttft", "e2e" } do
        assert.near(case[1], case[2][time].mean.value - without[time].mean.value, 2e-9)
      end
      for _, time in ipairs { "tpot", "itl", "queueing" } do
        assert.near(without[time].mean.value, case[2][time].mean.value, 1e-9)
      end
    end
    local affine = server(nil)
    assert.is_true(checked { pipeline = affine }:run { replications = 1 }.llm[1].ttft.max < 1e-6)
  end)

  it("says what is wrong in its keys", function()
    local s, problems = td.check { name = "llm", workload = td.poisson { rps = 1, duration = "1s" },
      attrs = { prompt_tokens = 1, output_tokens = 1 }, pipeline = server { worker = 2 } }
    assert.is_nil(s)
    assert.matches("workers", tostring(problems), 1, true)
  end)
end)
