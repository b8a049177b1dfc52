-- core.llm and the models made of it.
local closed_loop = require "tandem.llm.closed_loop"
local core = require "tandem.core"
local fit = require "tandem.llm.fit"
local llm = require "tandem.llm"

local CONFIGS <const> = "tests/data/serving/model_configs/"
local llama = assert(llm.architecture(CONFIGS .. "llama-3.1-8b-instruct.json"))

describe("core.llm", function()
  it("takes a batch as sums or as lists", function()
    local model = assert(llm.affine { { step = 1, prefill_tokens = 2, prefill_attention = 3,
      decode_seqs = 5, decode_context = 7, sampled = 11 } })
    local lists = { prefill = { { 4, 6, true }, { 2, 0, false } }, decode = { 9, 3 } }
    local sums = { prefill_seqs = 2, prefill_tokens = 6, prefill_context = 6,
      prefill_attention = 34 + 3, prefill_squares = 20, decode_seqs = 2, decode_context = 12,
      decode_context_max = 9, sampled = 3 }
    assert.equal(1 + 2 * 6 + 3 * 37 + 5 * 2 + 7 * 12 + 11 * 3, model:step_s(lists))
    assert.equal(model:step_s(sums), model:step_s(lists))
    assert.equal(0, model:step_s {})
  end)

  it("sums runs of decode steps", function()
    local model = assert(llm.affine { { step = 1, decode_context = 0.5 } })
    assert.equal(3 + 0.5 * (20 + 22 + 24), model:decode_run_s({ decode = { 10, 10 } }, 3))
  end)

  it("raises on keys and kinds that nobody knows", function()
    local model = assert(llm.affine { { step = 1 } })
    assert.error_matches(function() model:step_s { decode_seq = 1 } end, "no field decode_seq")
    assert.error_matches(function() model:step_s { decode_seqs = "many" } end, "not a whole number")
    assert.error_matches(function() core.llm.step { kind = "magic" } end, "kind is")
    assert.error_matches(function() llm.affine { { prefill = 1 } } end, "no field prefill")
  end)

  it("returns what is wrong with a model in words", function()
    local model, message = llm.affine { { decode_context = -1 } }
    assert.is_nil(model)
    assert.matches("must be ≥ 0", message)
    model, message = llm.roofline { architecture = llama, gpu = "H100 SXM",
      parallelism = { tensor = 3 } }
    assert.is_nil(model)
    assert.matches("cannot be shared evenly", message)
    model, message = llm.roofline { architecture = llama, gpu = "H1000" }
    assert.is_nil(model)
    assert.is_string(message)
    model, message = llm.roofline { architecture = llama, gpu = "H100 SXM", precision = "fp3" }
    assert.is_nil(model)
    assert.matches("no precision \"fp3\"", message)
  end)
end)

describe("a roofline", function()
  local function model(options)
    options.architecture, options.gpu = options.architecture or llama, options.gpu or "H100 SXM"
    return assert(llm.roofline(options))
  end
  local decode = { decode_seqs = 32, decode_context = 32 * 1000, decode_context_max = 1000,
    sampled = 32 }

  it("explains all of its time", function()
    local m, sum = model { parallelism = { tensor = 2 } }, 0
    for _, seconds in pairs(m:explain(decode)) do sum = sum + seconds end
    assert.is_true(math.abs(sum - m:step_s(decode)) < 1e-12)
  end)

  it("gets faster with narrower weights, more GPUs and faster memory", function()
    local plain = model({}):step_s(decode)
    assert.is_true(model({ precision = "fp8" }):step_s(decode) < plain)
    assert.is_true(model({ parallelism = { tensor = 4 } }):step_s(decode) < plain)
    assert.is_true(model({ gpu = "H200 SXM" }):step_s(decode) < plain)
    assert.is_true(model({ gpu = "B200", precision = "fp4" }):step_s(decode) < plain / 2)
  end)

  it("knows how many tokens fit beside the weights", function()
    local tokens = assert(llm.kv_tokens { architecture = llama, gpu = "H100 SXM" })
    -- 0.9 · 80 GiB less 16.06 GB, 131,072 bytes a token
    assert.is_true(math.abs(tokens - (0.9 * 80 * 2 ^ 30 - 16.06e9) / 131072) < 10)
  end)

  it("is within an eighth of measured decode steps that it has not seen", function()
    -- Operators of Llama 3.1 8B summed by hand, RTX PRO 6000: 1, 64 and 256 sequences of 800. What
    -- the host does for each sequence is in none of them.
    local constants = {}
    for key, value in pairs(require("tandem.llm.rates").known("RTX PRO 6000", nil, llama)) do
      constants[key] = value
    end
    constants.sequence_s = 0
    local m = model { gpu = "RTX PRO 6000", constants = constants }
    for seqs, measured_ms in pairs { [1] = 11.3, [64] = 17.65, [256] = 34.04 } do
      local ms = 1e3 * m:step_s { decode_seqs = seqs, decode_context = 800 * seqs,
        decode_context_max = 800, sampled = seqs }
      assert.is_true(math.abs(ms / measured_ms - 1) < 0.125, ms .. " against " .. measured_ms)
    end
  end)
end)

describe("a closed loop", function()
  -- Steps of 10 ms, and 1 ms more for 100 prompt tokens.
  local model = assert(llm.affine { { step = 10e-3, prefill_tokens = 10e-6 } })

  it("with one client is a prompt and its decode steps", function()
    local r = closed_loop.predict(model, { concurrency = 1, prompt = 1000, output = 101,
      budget = 8192 })
    -- While its prompt is computed nobody decodes: E = 20 ms + 100 steps, all of which are its own.
    assert.equal(1, r.running)
    assert.is_true(math.abs(r.prompt_s - 0.01) < 1e-9)
    assert.is_true(r.tpot_s >= 10e-3 and r.tpot_s < 10.3e-3)
  end)

  it("spends on a request all clients' prompts and its own decode steps", function()
    for _, separate in ipairs { false, true } do
      for _, clients in ipairs { 1, 4, 16, 64 } do
        local r = closed_loop.predict(model, { concurrency = clients, prompt = 1000, output = 201,
          budget = 8192, spread = 0.2, separate = separate })
        local work = clients * r.prompt_s + 201 * 10e-3
        assert.is_true(math.abs((r.ttft_s + 200 * r.tpot_s) / work - 1) < 1e-9)
      end
    end
  end)

  it("has as median wait that of requests at random, once the first rounds are outvoted", function()
    local function far(rounds)
      local r = closed_loop.predict(model, { concurrency = 64, prompt = 1000, output = 101,
        budget = 8192, spread = 1, separate = true, rounds = rounds })
      local load = 63 * r.prompt_s / (64 * r.prompt_s + 101 * r.decode_s)
      local wait = r.ttft_median_s - r.prompt_s - 1.5 * r.decode_s
      -- Half of all wait longer than this, waits beyond 0 being exponential with M/D/1's mean.
      return wait / (math.log(2 * load) * r.prompt_s / (2 * (1 - load)))
    end
    assert.near(1, far(400), 0.05)
    assert.is_true(far(1) > 5)
  end)

  it("gives tokens a step later where steps are planned ahead", function()
    local loop = { concurrency = 8, prompt = 1000, output = 201, budget = 8192, spread = 0.2 }
    local now = closed_loop.predict(model, loop)
    loop.ahead = true
    local later = closed_loop.predict(model, loop)
    assert.near(now.ttft_s + now.decode_s, later.ttft_s, 1e-12)
    assert.near(now.ttft_median_s + now.decode_s, later.ttft_median_s, 1e-12)
    assert.equal(now.tpot_s, later.tpot_s)
  end)

  it("repeats the first round's queue when prompts come before all decode steps", function()
    local loop = { concurrency = 32, prompt = 1000, output = 201, budget = 8192 }
    local mixed = closed_loop.predict(model, loop)
    loop.separate = true
    local apart = closed_loop.predict(model, loop)
    assert.is_true(apart.ttft_s > 15 * apart.prompt_s and mixed.ttft_s < 6 * mixed.prompt_s)
  end)

  it("runs no more sequences than its cache holds, and lets the others wait", function()
    local loop = { concurrency = 40, prompt = 900, output = 100, budget = 8192, capacity = 10000 }
    local full = closed_loop.predict(model, loop)
    assert.equal(10, full.running)
    loop.capacity = nil
    assert.is_true(full.ttft_s > closed_loop.predict(model, loop).ttft_s)
  end)

  it("cuts prompts that are longer than a step", function()
    local long = closed_loop.predict(model, { concurrency = 2, prompt = 10000, output = 100,
      budget = 2048 })
    assert.is_true(math.abs(long.prompt_s - 0.1) < 1e-9) -- chunks add their tokens, not their steps
  end)
end)

describe("a fit", function()
  it("finds the constants that made the data", function()
    local true_values = { a = 0.3, b = 20e-6 }
    local function predicted(values, x) return values.a * x + values.b * 1e4 * x * x end
    local function loss(values)
      local list = {}
      for x = 1, 20 do list[x] = { predicted(values, x), predicted(true_values, x) } end
      return fit.loss(list)
    end
    local found, left = fit.search({ a = 1, b = 1e-6 }, loss, { names = { "a", "b" },
      bounds = { a = { 0.01, 10 }, b = { 1e-7, 1e-3 } }, rounds = 60 })
    assert.is_true(math.abs(found.a / true_values.a - 1) < 0.1)
    assert.is_true(math.abs(found.b / true_values.b - 1) < 0.1)
    assert.is_true(left < 0.02)
  end)
end)

describe("measured all-reduces", function()
  local collectives = require "tandem.llm.collectives"
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function write(text)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
  end

  it("are the least time of a group within one machine", function()
    write [[
,time_stats.all_reduce.median,rank,num_workers,size,collective,devices_per_node,max_devices_per_node
0,0.03,0,2,2048,all_reduce,2,8
1,0.01,1,2,2048,all_reduce,2,8
2,0.50,0,2,1048576,all_reduce,2,8
3,0.20,0,4,2048,all_reduce,2,8
]]
    local rows = assert(collectives.all_reduce(path))
    assert.same({ 2, 2048, 1e-5, 2, 1048576, 5e-4 }, rows)
    local spec = assert(llm.spec { architecture = llama, gpu = "H100 SXM",
      parallelism = { tensor = 2 } })
    spec.all_reduce = rows
    local model = assert(core.llm.step(spec))
    -- Two a layer, of 8,192 bytes a token.
    local bytes = 128 * 8192
    local expected = 64 * (1e-5 + (bytes - 2048) / (1048576 - 2048) * 4.9e-4)
    local exchange = model:explain({ prefill = { { 128, 0, true } } }).exchange
    assert.is_true(math.abs(exchange / expected - 1) < 1e-9)
  end)

  it("stand in a scenario, in place of latency and bandwidth", function()
    write "time_stats.all_reduce.median,num_workers,size,devices_per_node\n1,2,1024,2\n1,2,4096,2\n"
    local td = require "tandem"
    local function tpot(step)
      local s, problems = td.check { name = "two", target = td.gpu "H100 SXM" { count = 2 },
        workload = td.paced { rps = 0.2, duration = "50s" },
        attrs = { prompt_tokens = 100, output_tokens = 2 },
        pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", tp = 2, step = step } } }
      if not s then return nil, tostring(problems) end
      return assert(s:run { warmup = "none", replications = 1 }):get "llm.answer.tpot.mean"
    end
    local spec = assert(llm.spec { architecture = llama, gpu = "H100 SXM",
      parallelism = { tensor = 2 } })
    spec.all_reduce = assert(collectives.all_reduce(path))
    local step = assert(core.llm.step(spec)):step_s { decode = { 101 } }
    assert.is_true(step > 64e-3)
    assert.near(step, assert(tpot(td.roofline { all_reduce = path })), 2e-9)
    local _, problem = tpot(td.roofline { all_reduce = path .. ".none" })
    assert.matches("all_reduce: .*No such file", problem)
  end)

  it("say what a file lacks", function()
    write "a,b\n1,2\n"
    local rows, message = collectives.all_reduce(path)
    assert.is_nil(rows)
    assert.matches("has no column", message)
  end)
end)
