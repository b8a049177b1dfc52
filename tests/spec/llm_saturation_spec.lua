--- What is made of an LLM server that does not keep up, its queue being inside the batch: results,
--- objectives, reports, expectations, plans. How surely it is found is tests/theory's.

local expect = require "tandem.result.expect"
local td = require "tandem"

-- Blocks and places for everybody; a request alone takes 0.4 s, full batches about 96 a second.
local function scenario(rps, more)
  local raw = { name = "inside", workload = td.poisson { rps = rps, duration = "60s" },
    attrs = { prompt_tokens = 100, output_tokens = 80 }, replications = 4,
    slo = { ttft_p99 = "100s", goodput = rps / 1000 },
    pipeline = { td.generate "answer" { engine = { max_seqs = 4096, max_batched_tokens = 8192,
      kv_blocks = 200000 }, step = td.affine { step = "5ms", prefill_tokens = "20us",
      decode_seqs = "100us" } } } }
  for k, v in pairs(more or {}) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

describe("an LLM server whose queue is inside the batch", function()
  local result = scenario(120):run {}

  it("is overloaded though nobody waits for a place", function()
    assert.equal("answer", result.overload.resource)
    assert.equal("steps", result.overload.bound)
    assert.near(120 / 101, result.overload.load, 0.1)
    assert.is_true(result:get "llm.answer.held.seqs" == 0)
    assert.is_nil(result.unsettled)
  end)

  it("has the load of what is computed, not of what the cache has", function()
    local cached = td.check { name = "cached", workload = td.poisson(120), duration = "60s",
      attrs = { prompt_tokens = 56 * 16 + 100, output_tokens = 80 }, replications = 4,
      pipeline = { td.generate "answer" { prefix = 56 * 16, group = 1, engine = { max_seqs = 4096,
        max_batched_tokens = 8192, kv_blocks = 200000 }, step = td.affine { step = "5ms",
        prefill_tokens = "20us", decode_seqs = "100us" } } } }
    assert.near(result.overload.load, assert(cached):run {}.overload.load, 0.01)
  end)

  it("meets no limit on times, and others as it does", function()
    assert.is_true(result:get "llm.answer.ttft.p99" < 100)
    local by = {}
    for _, verdict in ipairs(result:verdicts()) do by[verdict.metric] = verdict end
    assert.is_nil(by.ttft_p99.met)
    assert.is_true(by.goodput.met)
    assert.is_false(result:answer())
    assert.is_true(scenario(60):run {}:answer())
  end)

  it("says so in the report, in JSON and in words", function()
    local text = result:report {}
    assert.matches("\nOVERLOAD", text, 1, true)
    assert.matches("compute-bound", text, 1, true)
    assert.matches("it grows with the run", text, 1, true)
    assert.matches('"bound": "steps"', result:to_json(), 1, true)
  end)

  it("is within no expected time, unless overload is expected", function()
    local demand = { path = "llm.answer.ttft.p99", max = 100 }
    local list, ok = expect.verify(result, { demand })
    assert.is_false(ok)
    assert.matches("grows with the run", expect.line(list[1]), 1, true)
    assert.is_true(select(2, expect.verify(result, { demand, { path = "overload",
      equals = true } })))
    assert.is_true(select(2, expect.verify(result, { { path = "llm.answer.ttft.p99",
      min = 0 }, { path = "unsettled", equals = false } })))
    assert.is_true(select(2, expect.verify(scenario(60):run {}, { demand })))
  end)

  it("is never the answer of a plan", function()
    -- Within both limits in a minute, on one GPU.
    local one = scenario(58, { target = td.gpu "H100 SXM" {}, slo = { ttft_p99 = "10s",
      tpot_p99 = "500ms" }, attrs = { prompt_tokens = 300, output_tokens = td.uniform(50, 350) },
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
        engine = { max_seqs = 1024, kv_blocks = 200000 } } } })
    local short = one:run {}
    assert.is_true(short:get "llm.answer.ttft.p99" < 10 and short:get "llm.answer.tpot.p99" < 0.5)
    local row = td.plan.gpus { scenario = one, threads = 1 }.rows[1]
    assert.equal(2, row.count)
    assert.equal(math.huge, row.fewer.binding.value)
  end)
end)

describe("a run that is too short to tell", function()
  -- Near saturation a run fills up for minutes: τ = 0.4 s / (1 - load)².
  it("says so in place of a verdict", function()
    local result = scenario(99, { workload = td.poisson { rps = 99, duration = "15s" } }):run {}
    assert.is_nil(result.overload)
    local unsettled = assert(result.unsettled)
    assert.equal("answer", unsettled.resource)
    assert.is_true(unsettled.load < 1.03)
    assert.matches("too short to tell", unsettled.reason, 1, true)
    assert.matches("\nUNSURE", result:report {}, 1, true)
    assert.matches('"unsettled"', result:to_json(), 1, true)
    assert.is_true(result:get "unsettled")
  end)

  it("says it too where steps are a function, which nobody can ask ahead", function()
    local result = scenario(120, { pipeline = { td.generate "answer" { engine = {
      max_seqs = 4096, max_batched_tokens = 8192, kv_blocks = 200000 },
      step = function(batch)
        return 5e-3 + 20e-6 * batch.prefill_tokens + 100e-6 * batch.decode_seqs
      end } } }):run { replications = 2 }
    assert.is_nil(result.overload)
    assert.is_nil(assert(result.unsettled).load)
    assert.matches("not known", result.unsettled.reason, 1, true)
  end)

  it("is far more than a server can do where it has served nobody", function()
    local judgement = require "tandem.report.judgement"
    assert.equal("120 % of what", judgement.offered(1.2))
    assert.equal("far more than", judgement.offered(math.huge))
  end)
end)
