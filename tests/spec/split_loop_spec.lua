-- A closed loop whose prefill and decode have engines of their own: against the serving engine,
-- which does it step by step and shares no code, and against Little's law.

local llm = require "tandem.llm"
local split_loop = require "tandem.llm.split_loop"
local td = require "tandem"

-- Steps of 8 ms, 50 us more a sequence and 50 us a prompt token.
local STEP <const>, SEQUENCE <const>, TOKEN <const> = 8e-3, 50e-6, 50e-6

local function model()
  return assert(llm.affine { { step = STEP, decode_seqs = SEQUENCE, prefill_tokens = TOKEN } })
end

local function predicted(loop)
  loop.prefill, loop.budget, loop.spread = model(), 4096, loop.spread or 0.2
  return split_loop.predict(model(), loop)
end

local function lengths(mean) return td.uniform { min = 0.9 * mean, max = 1.1 * mean } end

local function simulated(loop)
  local s, problems = td.check { name = "apart",
    workload = td.closed { users = loop.concurrency, requests = 10 * loop.concurrency },
    attrs = { prompt_tokens = lengths(loop.prompt), output_tokens = lengths(loop.output) },
    target = td.gpu "H100 SXM" { count = loop.prefill_slots + loop.decode_groups },
    replications = 2, warmup = "none",
    resources = { td.link "network" { bandwidth = "1000GB/s" } },
    pipeline = { td.generate "server" { model = td.llm "Llama-3.1-8B",
      step = td.affine { step = STEP, decode_seqs = SEQUENCE, prefill_tokens = TOKEN },
      engine = { kv_blocks = 1000000, max_batched_tokens = 4096 },
      prefill = { replicas = loop.prefill_slots },
      decode = { replicas = loop.decode_groups, engine = { max_seqs = loop.places } },
      handover = { link = "network", latency = 0 } } } }
  assert(s, tostring(problems))
  return s:run({}).llm[1]
end

local function near(expected, actual, within)
  assert.is_true(math.abs(actual / expected - 1) <= within,
    ("%g is not within %g %% of %g"):format(actual, within * 100, expected))
end

describe("a closed loop with prefill apart from decode", function()
  it("waits as the serving engine does where prefill is short", function()
    for _, loop in ipairs {
      { concurrency = 48, prompt = 4000, output = 200, prefill_slots = 1, decode_groups = 2 },
      { concurrency = 200, prompt = 400, output = 300, prefill_slots = 1, decode_groups = 4 },
    } do
      loop.places = 512
      local engine, answer = simulated(loop), predicted(loop)
      near(engine.ttft.p50.value, answer.ttft_median_s, 0.02)
      near(engine.ttft.mean.value, answer.ttft_s, 0.02)
      near(engine.tpot.mean.value, answer.tpot_s, 0.02)
    end
  end)

  it("waits for a place where decode is short, which the engine counts after the first token",
    function()
      local loop = { concurrency = 40, prompt = 400, output = 400, prefill_slots = 1,
        decode_groups = 2, places = 16 }
      local engine, answer = simulated(loop), predicted(loop)
      near(engine.ttft.mean.value + 399 * engine.tpot.mean.value,
        answer.ttft_s + 399 * answer.tpot_s, 0.02)
      -- Little: 8 of 40 clients wait while the others decode.
      near(8 / 32 * 400 * answer.tpot_s, answer.ttft_s, 0.15)
      assert.is_true(answer.ttft_median_s < answer.ttft_s)
    end)

  it("is a prompt and a step for one client", function()
    local answer = predicted { concurrency = 1, prompt = 1000, output = 100, prefill_slots = 4,
      decode_groups = 1, spread = 0, request_s = 0.1 }
    near(STEP + SEQUENCE, answer.tpot_s, 1e-9)
    near(0.1 + STEP + 1000 * TOKEN + answer.tpot_s, answer.ttft_s, 1e-9)
    assert.near(answer.ttft_s, answer.ttft_median_s, 1e-9)
  end)

  it("has the experts of all GPUs for a prompt that comes alone", function()
    local fast = assert(llm.affine { { step = STEP, prefill_tokens = TOKEN / 5 } })
    local loop = { concurrency = 1, prompt = 1000, output = 100, prefill_slots = 8,
      decode_groups = 1, spread = 0, alone = fast }
    local answer = predicted(loop)
    near(STEP + 1000 * TOKEN / 5 + answer.tpot_s, answer.ttft_s, 0.05)
    loop.concurrency = 2000
    assert.is_true(predicted(loop).ttft_s > 20 * answer.ttft_s)
  end)

  it("tells TPOT alone where nothing else is asked for", function()
    local loop = { concurrency = 64, prompt = 400, output = 200, prefill_slots = 1,
      decode_groups = 2 }
    local whole = predicted(loop)
    loop.steps_alone = true
    local alone = predicted(loop)
    assert.equal(whole.tpot_s, alone.tpot_s)
    assert.is_nil(alone.ttft_s)
  end)

  it("predicts the operating points of make accuracy, prefill apart or not", function()
    local roofline = require "tests.accuracy.roofline"
    local constants = require("tandem.llm.rates").constants
    local cut = { tensor = 4, data = 1, pipeline = 1, expert = 1 }
    local point = { backend = "sglang", gpu = "H100 SXM", precision = "fp8", capacity = 2e6,
      architecture = assert(require("tandem.language.generation").architecture "Llama-3.1-70B"),
      parallelism = cut, prompt = 1000, output = 100, mean = 1, spread = 0, concurrency = 8 }
    local whole = roofline.predict(point, constants)
    point.split = { prefill = cut, prefill_workers = 1, decode_workers = 1 }
    local apart = roofline.predict(point, constants)
    assert.is_true(whole.ttft_s > 0 and apart.ttft_s > 0)
    assert.is_true(apart.tpot_s < whole.tpot_s) -- nobody's prompts hold up its steps
  end)
end)
