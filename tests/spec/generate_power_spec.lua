-- What the GPUs of a td.generate draw, against sums made by hand.

local core = require "tandem.core"
local td = require "tandem"

local LIMIT <const>, BANDWIDTH <const>, FLOPS <const> = 700, 3.35e12, 989.4e12
local IDLE <const>, ACTIVE <const>, MEMORY <const>, ARITHMETIC <const> = 0.15, 0.44, 0.32, 0.78

local function run(body, extra)
  local raw = { name = "llm", workload = td.poisson { rps = 2, duration = "100s" },
    attrs = { prompt_tokens = 100, output_tokens = 50 }, target = td.gpu "H100 SXM" {},
    replications = 2, warmup = "none" }
  for k, v in pairs(extra or {}) do raw[k] = v end
  raw.pipeline = { td.generate "answer" (body) }
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  local result = s:run {}
  return result.llm[1], result.resources[1].utilization.value
end

local function near(expected, actual, within)
  assert.is_true(math.abs(actual / expected - 1) <= within,
    ("%g is not within %g %% of %g"):format(actual, within * 100, expected))
end

local model = td.llm "Llama-3.1-8B"

describe("power of LLM servers", function()
  it("is that of the steps while they run, and idle otherwise", function()
    local one, busy = run { model = model, step = td.affine { step = "20ms" },
      engine = { kv_blocks = 10000 } }
    -- 8.03e9 parameters less the embedding of 128,256 tokens are read in each step.
    local params = 8.03e9 - 128256 * 4096
    local tokens = one.output_tokens_per_s.value + one.prompt_tokens_per_s.value
    local expected = LIMIT * (IDLE + busy * (ACTIVE - IDLE
      + MEMORY * 2 * params / BANDWIDTH / 0.020) + ARITHMETIC * 2 * params * tokens / FLOPS)
    near(expected, one.power_w.value, 0.02)
  end)

  it("is a cap below the rating, which reports and a plan's budget know", function()
    local deployment = require "tandem.llm.deployment"
    local function said(limit, step)
      local s = assert(td.check { name = "llm",
        workload = td.poisson { rps = 2, duration = "20s" },
        attrs = { prompt_tokens = 100, output_tokens = 50 }, target = td.gpu "H100 SXM" {},
        pipeline = { td.generate "answer" { model = model, step = step,
          power = limit and { limit = limit } or nil } } })
      local ahead = require("tandem.report.doubt").cautions { s, s } -- of plans, sweeps, what-ifs
      local notes = deployment.notes(rawget(s, "checked"), "answer")
      assert.same(notes[1] and { notes[1] .. "." } or {}, ahead)
      return table.concat(notes, "; ")
    end
    local function watts(limit)
      return require("tandem.scenario.bill").of(td.scenario "two" {
        workload = td.poisson { rps = 2, duration = "20s" },
        attrs = { prompt_tokens = 100, output_tokens = 50 },
        target = td.gpu "H100 SXM" { count = 4 },
        pipeline = { td.generate "answer" { model = model, tp = 2, replicas = 2,
          power = limit and { limit = limit } or nil } } }).watts
    end
    assert.same({ 2800, 1400, 2800, 2800 },
      { watts(nil), watts "350W", watts "700W", watts "900W" })
    assert.equal("", said(nil) .. said "700W")
    assert.matches("below the GPU's 700 W: steps that want more take longer", said "350W", 1, true)
    assert.matches("700 W: watts follow it and times do not", said("350W",
      td.affine { step = "20ms" }), 1, true)
    local s, problems = td.check { name = "llm", workload = td.poisson { rps = 1, duration = "1s" },
      attrs = { prompt_tokens = 1, output_tokens = 1 }, target = td.gpu "H100 SXM" {},
      pipeline = { td.generate "answer" { model = model, power = { limit = "105W" } } } }
    assert.is_nil(s)
    assert.matches("is 105 W, and the GPU draws 105 W while it waits", tostring(problems), 1, true)
  end)

  -- By the manual's words: bytes and FLOPs of Llama-3.1-8B counted by hand.
  it("makes steps of a roofline longer where they want more than the cap", function()
    local function alone(limit, prompt, output, metric)
      local one = run({ model = model, step = td.roofline { request = 0 },
        power = limit and { limit = limit } or nil }, { workload = td.paced { rps = 0.01,
          requests = 1 }, replications = 1,
        attrs = { prompt_tokens = prompt, output_tokens = output } })
      return one[metric].mean.value, one
    end
    local function longer(seconds, bytes, flops, cap)
      local wants = ACTIVE + (MEMORY * bytes / BANDWIDTH + ARITHMETIC * flops / FLOPS) / seconds
      if wants <= cap then return 1 end
      local x = (math.min(1, wants) - IDLE) / (cap - IDLE) - 1
      local busy = math.min(1, flops / FLOPS / seconds / 0.6)
      return 1 + (0.15 + 0.2 * busy) * x * x
    end
    -- 32 layers of 4096, 8 of 32 heads of 128 for keys, 14336 wide; the head for one token.
    local layers = 32 * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336)
    local head, kv, prompt = 4096 * 128256, 2 * 32 * 8 * 128 * 2, 4000
    -- What a token moves between products of a layer: ten times its width, three of the inner one.
    local moved = 2 * 32 * (10 * 4096 + 3 * 14336)
    local flops = 2 * layers * prompt + 2 * head + 32 * 4 * 4096 * prompt * (prompt + 1) / 2
    local without = alone(nil, prompt, 1, "ttft")
    for _, watts in ipairs { 600, 450, 300, 200 } do
      local factor = longer(without, 2 * (layers + head) + (kv + moved) * prompt, flops,
        watts / LIMIT)
      assert.is_true(factor > 1)
      near(without * factor, (alone(watts .. "W", prompt, 1, "ttft")), 0.01)
    end
    -- Tokens 101 to 127 after a prompt of 100 read the keys of their row's middle.
    without = alone(nil, 100, 28, "tpot")
    for _, watts in ipairs { 500, 300, 200 } do
      local factor = longer(without, 2 * (layers + head) + kv * 96, 2 * (layers + head),
        watts / LIMIT)
      local time, one = alone(watts .. "W", 100, 28, "tpot")
      near(without * factor, time, 0.01)
      assert.is_true(one.power_w.value <= watts * (1 + 1e-9))
    end
    assert.equal(without, (alone("700W", 100, 28, "tpot")))
    assert.is_true(alone("200W", 100, 28, "tpot") > 1.5 * without)
  end)

  it("leaves more open under a cap that steps meet", function()
    local function spreads(limit)
      local s = assert(td.check { name = "llm",
        workload = td.poisson { rps = 2, duration = "20s" },
        attrs = { prompt_tokens = 2000, output_tokens = 50 }, target = td.gpu "H100 SXM" {},
        pipeline = { td.generate "answer" { model = model,
          power = limit and { limit = limit } or nil } } })
      local d = require("tandem.doubt").of(s, {})[1].directions
      return d.step, d.prompt
    end
    local step, prompt = spreads(nil)
    local same_step, same_prompt = spreads "700W"
    assert.same({ step, prompt }, { same_step, same_prompt })
    local half_step, half_prompt = spreads "350W"
    local third_step, third_prompt = spreads "250W"
    assert.is_true(step < half_step and half_step < third_step and third_step < 1)
    assert.is_true(prompt < half_prompt and half_prompt < third_prompt)
  end)

  it("is more by a share of its own where a model has experts", function()
    local power = require "tandem.llm.power"
    local dense, experts = power.of "H100 SXM", power.of("H100 SXM", { experts = 8 })
    assert.near(power.known.Hopper.experts, experts.active - dense.active, 1e-12)
    assert.equal(dense.memory, experts.memory)
    -- Who says what a GPU draws is taken at their word.
    local function active(shares)
      local generation = require "tandem.language.generation"
      return assert(power.spec { architecture = generation.architecture "Qwen3-30B-A3B",
        gpu = "H100 SXM", parallelism = { tensor = 2 }, limit = LIMIT, shares = shares }).active
    end
    assert.near(ACTIVE + power.known.Hopper.experts, active(), 1e-12)
    assert.equal(0.7, active { active = 0.7 })
  end)

  it("is the same whoever tells how long steps take", function()
    local affine = run { model = model, step = td.affine { step = "20ms" } }
    local own = run { model = model, step = function() return 0.02 end }
    near(affine.power_w.value, own.power_w.value, 1e-9)
  end)

  it("of a server that waits is its idle share, of all GPUs", function()
    for tp = 1, 2 do
      local one = run({ model = model, tp = tp }, { workload = td.poisson { rps = 0.01,
        duration = "4000s" }, attrs = { prompt_tokens = 1, output_tokens = 1 },
        target = td.gpu "H100 SXM" { count = 2 } })
      near(2 * LIMIT * IDLE, one.power_w.value, 0.001)
    end
  end)

  it("is drawn when steps run, not when the last of them ends", function()
    -- Requests of 30 s alone, each a row of steps, at 100, 200 and 300 s; the window begins in the
    -- midst of the first.
    local s = assert(td.check { name = "llm", workload = td.paced { rps = 0.01, requests = 3 },
      attrs = { prompt_tokens = 1, output_tokens = 3000 }, target = td.gpu "H100 SXM" {},
      warmup = "110s", pipeline = { td.generate "answer" { model = model,
        step = td.affine { step = "10ms" }, engine = { kv_blocks = 1000 },
        power = { idle = 0.2, active = 0.5, memory = 0, arithmetic = 0 } } } })
    local result = s:run { replications = 1 }
    local begin_s = result.warmup_s
    assert.is_true(begin_s > 105 and begin_s < 125)
    near(LIMIT * (0.2 * (330 - begin_s) + 0.3 * (60 + 130 - begin_s)), result.llm[1].energy_j.value,
      1e-6)
  end)

  it("never exceeds the limit", function()
    local one = run({ model = model, power = { arithmetic = 3 } }, {
      workload = td.poisson { rps = 200, duration = "20s" },
      attrs = { prompt_tokens = 4000, output_tokens = 2 } })
    assert.is_true(one.power_w.value <= LIMIT * (1 + 1e-9))
    near(LIMIT, one.power_w.value, 0.05)
  end)

  it("and energy agree, a token and in all", function()
    local one = run { model = model }
    near(one.power_w.value, one.joules_per_output_token.value * one.output_tokens_per_s.value, 0.01)
    near(one.power_w.value * 100, one.energy_j.value, 0.02)
  end)

  it("is asked of experts too", function()
    for _, name in ipairs { "Mixtral-8x7B", "Qwen3-30B-A3B" } do
      local one = run({ model = td.llm(name), tp = 4 },
        { target = td.gpu "H100 SXM" { count = 4 } })
      assert.is_true(one.power_w.value > 4 * LIMIT * IDLE and one.power_w.value < 4 * LIMIT)
    end
  end)

  it("can be told, and is not there when the limit is not known", function()
    near(400, run({ model = model, power = { limit = "800W", idle = 0.5, active = 0.5, memory = 0,
      arithmetic = 0 } }).power_w.value, 1e-6)
    local card = { memory = "80GB", bandwidth = "2TB/s", flops_bf16 = "400TFLOP/s" }
    assert.is_nil(run({ model = model }, { target = td.gpu "mine" (card) }).power_w)
    assert.is_nil(run({ step = td.affine { step = "2ms" }, engine = { kv_blocks = 100 } }).power_w)
    local s, problems = td.check { name = "llm", workload = td.poisson { rps = 1, duration = "1s" },
      attrs = { prompt_tokens = 1, output_tokens = 1 }, target = td.gpu "H100 SXM" {},
      pipeline = { td.generate "answer" { model = model, power = { idle = 0.5 } } } }
    assert.is_nil(s)
    assert.matches("above active", tostring(problems), 1, true)
  end)

  it("is affine where the model has no experts", function()
    local power = require "tandem.llm.power"
    local config, words = require("tandem.llm.config").architecture(
      require("lib.models")[1].config)
    require("tandem.llm.precision").apply(config, words, "bf16")
    local spec = assert(power.spec { architecture = config, gpu = "H100 SXM",
      parallelism = { tensor = 1 }, limit = 700 })
    assert.are.equal("affine", spec.memory_step.kind)
    local memory = assert(core.llm.step(spec.memory_step))
    local shard = assert(core.llm.shard(config, { tensor = 1 }))
    local kv = memory:step_s { decode = { 5000 } } - memory:step_s { decode = { 1000 } }
    near(4000 * shard.kv_bytes_token / BANDWIDTH, kv, 1e-6)
  end)
end)
