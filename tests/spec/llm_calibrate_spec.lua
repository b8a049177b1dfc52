-- Step models from measurements. Truths: an engine simulated with coefficients that are known, what
-- a client would have written of it, and these coefficients found again.
local calibrate = require "tandem.llm.calibrate"
local cjson = require "cjson"
local core = require "tandem.core"
local generation = require "tandem.language.generation"
local llm = require "tandem.llm"
local regression = require "tandem.llm.calibrate.regression"

local MEASURED <const> = "tests/data/serving/measured/"

-- ---- a server whose truth is known

local TRUTH <const> = { step = 8e-3, prefill_tokens = 40e-6, decode_context = 80e-9,
  decode_seqs = 30e-6 }
local ENGINE <const> = { max_seqs = 64, max_batched_tokens = 2048, kv_blocks = 100000 }
local REQUEST_S <const> = 12e-3

local function generator(seed)
  return function()
    seed = (seed * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return (seed >> 11) / (1 << 52)
  end
end

local function lognormal(u, v, median, spread)
  return median * math.exp(spread * math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v))
end

--- Requests in waves, so that batches differ; their times on the client's clock, noise as a factor.
local function simulated(count, options)
  options = options or {}
  local uniform, at, requests = generator(options.seed or 7), 0, {}
  for i = 1, count do
    local rate = 9 * (1 + 0.9 * math.sin(i / 25))
    at = at - math.log(1 - uniform()) / rate
    requests[i] = { at_ns = math.floor((at + REQUEST_S) * 1e9),
      prompt = math.max(1, math.floor(lognormal(uniform(), uniform(), 600, 0.6))),
      output = math.max(2, math.floor(lognormal(uniform(), uniform(), 150, 0.5))) }
  end
  local model = assert(llm.affine { options.truth or TRUTH })
  local outcomes = assert(core.serving.replay({ max_seqs = 64, max_batched_tokens = 2048,
    blocks = 100000, prefix_caching = false }, model, requests, true))
  local list = {}
  for i, r in ipairs(requests) do
    local o, noise = outcomes[i], 1 + (options.noise or 0) * (uniform() - 0.5)
    local start = r.at_ns - math.floor(REQUEST_S * 1e9)
    list[i] = { at_s = start * 1e-9, prompt = r.prompt, output = r.output,
      ttft_s = (o.first_token_ns - start) * 1e-9 * noise,
      e2e_s = (o.finished_ns - start) * 1e-9 * noise, queued_s = o.queued_ns * 1e-9,
      first_s = o.first_token_ns * 1e-9, last_s = o.finished_ns * 1e-9 }
  end
  return list, outcomes, model
end

-- Gaps between tokens that sum to what they must.
local function gaps(r)
  local list = setmetatable({}, cjson.array_mt)
  for i = 1, r.output - 1 do list[i] = (r.e2e_s - r.ttft_s) / (r.output - 1) end
  return list
end

local function column(list, of)
  local out = {}
  for i, r in ipairs(list) do out[i] = of(r) end
  return out
end

local function bench_serving(list)
  return { input_lens = column(list, function(r) return r.prompt end),
    output_lens = column(list, function(r) return r.output end),
    ttfts = column(list, function(r) return r.ttft_s end), itls = column(list, gaps),
    start_times = column(list, function(r) return 5000 + r.at_s end),
    errors = column(list, function() return "" end) }
end

local writers = {}

function writers.vllm(list) return cjson.encode(bench_serving(list)) end

function writers.sglang(list)
  local run = bench_serving(list)
  run.total_output_tokens_retokenized = 1
  return cjson.encode(run) .. "\n"
end

function writers.aiperf(list)
  local lines = {}
  for i, r in ipairs(list) do
    lines[i] = cjson.encode { metadata = { request_start_ns = math.floor(1.7e18 + r.at_s * 1e9),
      was_cancelled = false }, metrics = { input_sequence_length = { value = r.prompt },
      output_sequence_length = { value = r.output },
      time_to_first_token = { value = r.ttft_s * 1e3, unit = "ms" },
      request_latency = { value = r.e2e_s * 1e3, unit = "ms" } } }
  end
  return table.concat(lines, "\n") .. "\n"
end

function writers.genai_perf(list)
  local requests = {}
  for i, r in ipairs(list) do
    local start = 10 ^ 12 + r.at_s * 1e9
    requests[i] = { timestamp = start, response_timestamps = { start + r.ttft_s * 1e9,
      start + r.e2e_s * 1e9, start + r.e2e_s * 1e9 + 1 }, response_outputs = {
      { response = 'data: {"choices":[{"delta":{"content":"a"}}]}' },
      { response = 'data: {"choices":[{"delta":{"content":"b"}}]}' },
      { response = ('data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}')
        :format(r.prompt, r.output) } } }
  end
  return cjson.encode { experiments = { { requests = requests } } }
end

function writers.inference_perf(list)
  return cjson.encode(column(list, function(r)
    return { start_time = r.at_s, end_time = r.at_s + r.e2e_s, request = "{}", response = "",
      info = { input_tokens = r.prompt, output_tokens = r.output,
        output_token_times = { r.at_s + r.ttft_s, r.at_s + r.e2e_s } } }
  end))
end

function writers.csv(list)
  local lines = { "arrival_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms" }
  for _, r in ipairs(list) do
    lines[#lines + 1] = ("%.9f,%d,%d,%.6f,%.6f"):format(r.at_s, r.prompt, r.output, r.ttft_s * 1e3,
      r.e2e_s * 1e3)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- What vLLM itself counts: from the time when its loop takes a request in.
function writers.engine(list)
  local lines = {}
  for i, r in ipairs(list) do
    lines[i] = cjson.encode { input_toks = r.prompt, output_toks = r.output,
      queued_ts = r.queued_s, first_token_ts = r.first_s, last_token_ts = r.last_s }
  end
  return table.concat(lines, "\n") .. "\n"
end

local path

local function fit(text, options)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local all = { file = path, engine = ENGINE }
  for key, value in pairs(options or {}) do all[key] = value end
  return calibrate.run(all)
end

local function row(answer, what)
  for _, r in ipairs(answer.rows) do
    if r.what == what then return r end
  end
end

local function refused(answer, name)
  for _, r in ipairs(answer.refused) do
    if r.name == name then return r.why end
  end
end

before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

describe("terms of a replay", function()
  it("times the coefficients are the times, in rows of steps as one by one", function()
    for seed = 1, 6 do
      local uniform, truth = generator(seed), {}
      for _, name in ipairs { "step", "prefill_step", "decode_step", "prefill_seqs",
        "prefill_tokens", "prefill_context", "prefill_attention", "decode_seqs",
        "decode_context", "decode_context_max", "sampled" } do
        local unit = name:find "step$" and 1e-3 or name:find "attention" and 1e-9 or 1e-6
        truth[name] = unit * uniform()
      end
      local _, outcomes = simulated(60, { truth = truth, seed = seed })
      for _, o in ipairs(outcomes) do
        local first, rest = 0, 0
        for name, value in pairs(truth) do
          first, rest = first + value * o.first[name], rest + value * o.rest[name]
        end
        -- Each row of steps ends on a whole nanosecond.
        assert.is_true(math.abs(first - (o.first_token_ns - o.queued_ns) * 1e-9) < 1e-6)
        assert.is_true(math.abs(rest - (o.finished_ns - o.first_token_ns) * 1e-9) < 1e-6)
      end
    end
  end)
end)

describe("requests", function()
  it("give back the coefficients that made them, from a client's times alone", function()
    local answer = assert(fit(writers.vllm((simulated(400)))))
    for _, p in ipairs(answer.parameters) do
      local value = p.name == "request" and REQUEST_S or TRUTH[p.name]
      assert.is_true(math.abs(p.value - value) < math.max(3 * p.error, 0.01 * value), p.name)
      assert.is_true(p.error < 0.2 * value, p.name)
    end
    assert.equal(5, #answer.parameters)
    assert.is_true(math.abs(answer.b.step / TRUTH.step - 1) < 0.005)
    assert.is_true(math.abs(answer.b.prefill_tokens / TRUTH.prefill_tokens - 1) < 0.01)
    for _, r in ipairs(answer.rows) do
      assert.is_true(math.abs(r.error) < (r.what == "TTFT" and 0.03 or 0.005), r.what)
    end
  end)

  it("are the same in each client's format", function()
    local list = simulated(60)
    for name, write in pairs(writers) do
      local file = assert(io.open(path, "w"))
      file:write(write(list))
      file:close()
      local measured = assert(require("tandem.llm.read").file(path))
      assert.equal(60, #measured.requests)
      for i, r in ipairs(measured.requests) do
        local ttft, e2e = list[i].ttft_s, list[i].e2e_s
        if name == "engine" then
          ttft, e2e = list[i].first_s - list[i].queued_s, list[i].last_s - list[i].queued_s
        end
        assert.same({ list[i].prompt, list[i].output }, { r.prompt, r.output })
        assert.is_true(math.abs(r.ttft_s - ttft) < 1e-6 and math.abs(r.e2e_s - e2e) < 1e-6, name)
      end
    end
  end)

  it("on the engine's clock ask nothing before it", function()
    local answer = assert(fit(writers.engine((simulated(300)))))
    assert.is_nil(answer.b.request)
    assert.is_true(math.abs(answer.b.step / TRUTH.step - 1) < 0.005)
    assert.is_true(math.abs(answer.b.prefill_tokens / TRUTH.prefill_tokens - 1) < 0.01)
  end)

  it("are predicted whatever the server is like", function()
    for _, seed in ipairs { 1, 10 } do
      local uniform = generator(77 * seed)
      local truth = { step = 2e-3 + 30e-3 * uniform() ^ 2,
        prefill_tokens = 5e-6 + 100e-6 * uniform() ^ 2, decode_context = 150e-9 * uniform(),
        decode_seqs = 100e-6 * uniform() }
      if uniform() < 0.5 then truth.prefill_attention = 10e-9 * uniform() end
      local answer = assert(fit(writers.csv((simulated(250, { truth = truth, seed = seed })))))
      for _, r in ipairs(answer.rows) do
        assert.is_true(math.abs(r.error) < (r.what == "TTFT" and 0.03 or 0.005), r.what)
      end
      assert.is_true(math.abs(answer.b.step / truth.step - 1) < 0.01)
    end
  end)

  it("whose prompts begin alike tell what a prompt token costs where that is known", function()
    local list, uniform, requests = {}, generator(5), {}
    local shared = {}
    for i = 1, 32 do shared[i] = -i end -- 512 tokens
    for i, r in ipairs((simulated(150))) do
      requests[i] = { at_ns = math.floor(r.at_s * 1e9), prompt = 600 + math.floor(900 * uniform()),
        output = r.output, hashes = shared }
    end
    local outcomes = assert(core.serving.replay({ max_seqs = 64, max_batched_tokens = 2048,
      blocks = 100000, hash_tokens = 16 }, assert(llm.affine { TRUTH }), requests))
    for i, r in ipairs(requests) do
      local o = outcomes[i]
      list[i] = { at_s = r.at_ns * 1e-9, prompt = r.prompt, output = r.output, hashes = shared,
        ttft_s = (o.first_token_ns - o.queued_ns) * 1e-9,
        e2e_s = (o.finished_ns - o.queued_ns) * 1e-9, position = i }
    end
    local answer = assert(calibrate.run { engine = ENGINE, measured = { kind = "requests",
      clock = "engine", format = "ours", notes = {}, requests = list } })
    assert.is_true(outcomes[150].cached_tokens == 512)
    assert.is_true(math.abs(answer.b.prefill_tokens / TRUTH.prefill_tokens - 1) < 0.02)
  end)

  it("with noise give steps as long as the true ones, and intervals that mostly hold", function()
    local inside, all = 0, 0
    for seed = 1, 4 do
      local answer = assert(fit(writers.csv((simulated(150, { noise = 0.1, seed = seed })))))
      -- 12 sequences of 700 tokens, about what the data have; what they cannot tell apart is one.
      local batch = { decode_seqs = 12, decode_context = 8400, decode_context_max = 700,
        sampled = 12, prefill_seqs = 1, prefill_tokens = 500, prefill_attention = 125250 }
      local truth = TRUTH.step + 12 * TRUTH.decode_seqs + 8400 * TRUTH.decode_context
        + 500 * TRUTH.prefill_tokens
      assert.is_true(math.abs(answer:model():step_s(batch) / truth - 1) < 0.04)
      for _, p in ipairs(answer.parameters) do
        if p.name == "step" or p.name == "prefill_tokens" then
          all = all + 1
          inside = inside + (TRUTH[p.name] >= p.low and TRUTH[p.name] <= p.high and 1 or 0)
        end
      end
      for _, r in ipairs(answer.rows) do assert.is_true(math.abs(r.error) < 0.06, r.error) end
    end
    assert.is_true(inside >= 0.7 * all, inside .. " of " .. all)
  end)

  it("that are held out change no coefficient", function()
    local list = simulated(200)
    local options = { split = "half", hold = 0.25 }
    local one = assert(fit(writers.csv(list), options))
    for i = 151, 200 do list[i].ttft_s, list[i].e2e_s = 3 * list[i].ttft_s, 2 * list[i].e2e_s end
    local other = assert(fit(writers.csv(list), options))
    assert.same(one.b, other.b)
    assert.is_true(math.abs(row(one, "E2E").error) < 0.01)
    assert.is_true(row(other, "E2E").error < -0.3)
  end)

  it("of one client do not tell what another sequence costs", function()
    local model, at, list = assert(llm.affine { TRUTH }), 0, {}
    for i = 1, 60 do
      local prompt, output = 200 + 31 * i % 900, 20 + 17 * i % 100
      local first = model:step_s { prefill = { { prompt, 0, true } } }
      local rest = model:decode_run_s({ decode = { prompt + 1 } }, output - 1)
      list[i] = { at_s = at, prompt = prompt, output = output, ttft_s = first,
        e2e_s = first + rest }
      at = at + first + rest + 1e-3
    end
    local answer = assert(fit(writers.csv(list)))
    assert.is_nil(answer.b.decode_seqs)
    assert.matches("all decode steps had about as many sequences %(1.0 to 1.0%)",
      refused(answer, "decode_seqs"))
    assert.is_true(math.abs(row(answer, "E2E").error) < 0.005)
  end)

  it("give the same numbers again, other halves with another seed", function()
    local text = writers.csv((simulated(60, { noise = 0.1 })))
    local one = assert(fit(text))
    assert.equal(one:to_json(), assert(fit(text)):to_json())
    assert.not_same(one.b, assert(fit(text, { seed = 2 })).b)
  end)

  it("that are too few or could never run are refused in one line", function()
    local answer, message = fit "arrival_s,prompt_tokens,output_tokens,ttft_s,e2e_s\n0,9,2,1,2\n"
    assert.is_nil(answer)
    assert.matches("too few requests", message)
    answer, message = fit(writers.csv((simulated(40))), { engine = { kv_blocks = 3 } })
    assert.is_nil(answer)
    assert.matches("KV blocks", message)
    answer, message = fit(writers.csv((simulated(40))), { engine = { max_seqs = 10000 } })
    assert.is_nil(answer)
    assert.matches("max_batched_tokens is below max_seqs", message)
  end)
end)

describe("a measured run", function()
  for _, name in ipairs { "RTX4090", "RTXPRO6000" } do
    it("is predicted within 7 % by the other half of its requests: " .. name, function()
      for _, options in ipairs { {}, { split = "half" } } do
        options.file = MEASURED .. name
        local answer = assert(calibrate.run(options))
        for _, r in ipairs(answer.rows) do assert.is_true(math.abs(r.error) < 0.07, r.error) end
        assert.is_true(math.abs(row(answer, "E2E").p99_error) < 0.07)
      end
    end)
  end

  it("says of its seconds about what it says of its requests", function()
    local seconds = assert(calibrate.run { file = MEASURED .. "RTXPRO6000/timeseries.csv" })
    local requests = assert(calibrate.run { file = MEASURED .. "RTXPRO6000" })
    -- 100 sequences of 1,100 tokens: a typical step of the run.
    local batch = { decode_seqs = 100, decode_context = 110000, decode_context_max = 1100,
      sampled = 100 }
    local ratio = seconds:model():step_s(batch) / requests:model():step_s(batch)
    assert.is_true(ratio > 0.9 and ratio < 1.15, ratio)
  end)
end)

describe("logged steps", function()
  local function rows_of(count)
    local uniform, lines = generator(3), {}
    for i = 1, count do
      local seqs = 1 + math.floor(60 * uniform())
      local prompt = uniform() < 0.3 and math.floor(1500 * uniform()) + 1 or 0
      lines[i] = { seqs = seqs, context = math.floor(seqs * (200 + 900 * uniform())),
        prompt = prompt }
      local l = lines[i]
      l.s = 8e-3 + 40e-6 * prompt + 30e-6 * seqs + 80e-9 * l.context
    end
    return lines
  end

  it("in a table give back their coefficients, and prompts in them too", function()
    local lines = { "prefill_tokens,decode_seqs,decode_context,step_ms" }
    for _, l in ipairs(rows_of(300)) do
      lines[#lines + 1] = ("%d,%d,%d,%.9f"):format(l.prompt, l.seqs, l.context, l.s * 1e3)
    end
    local answer = assert(fit(table.concat(lines, "\n")))
    for name, value in pairs(TRUTH) do
      assert.is_true(math.abs(answer.b[name] / value - 1) < 1e-6, name)
    end
    assert.equal("the data do not say it", refused(answer, "prefill_attention"))
    assert.is_true(math.abs(answer.rows[1].error) < 1e-6)
  end)

  it("of vLLM are fitted without the iterations in which it compiled", function()
    local lines = {}
    for i, l in ipairs(rows_of(300)) do
      local ms = (l.s - 80e-9 * l.context) * 1e3 + (i == 5 and 90000 or i == 70 and 600 or 0)
      lines[i] = ("Iteration(%d): %d context requests, %d context tokens, %d generation requests, "
        .. "%d generation tokens, iteration elapsed time: %.6f ms"):format(i,
        l.prompt > 0 and 1 or 0, l.prompt, l.seqs, l.seqs, ms)
    end
    local answer = assert(fit(table.concat(lines, "\n"), { hold = 0 }))
    assert.equal(2, answer.outliers)
    for _, name in ipairs { "step", "prefill_tokens", "decode_seqs" } do
      assert.is_true(math.abs(answer.b[name] / TRUTH[name] - 1) < 1e-3, name)
    end
  end)
end)

describe("measured operators", function()
  it("are near to an affine model of them", function()
    local answer = assert(calibrate.run { file = "tests/data/serving/step_tables/RTX4090/tp1" })
    assert.equal("meta-llama/Llama-3.1-8B", answer.model_name)
    assert.is_true(answer.rows[1].median < 0.2)
    assert.equal("step_table", answer:step().type)
    assert.equal("affine", answer:step("affine").type)
  end)
end)

describe("operating points", function()
  it("give back the constants that made them", function()
    local closed_loop = require "tandem.llm.closed_loop"
    local rates = require "tandem.llm.rates"
    local constants = {}
    for key, value in pairs(rates.known("H100 SXM")) do constants[key] = value end
    constants.layer_s, constants.weight_bandwidth, constants.request_s = 45e-6, 0.7, 40e-3
    local lines = { "gpu,model,tp,concurrency,isl,osl,ttft_ms,tpot_ms" }
    -- One model would not tell layers from weights.
    for _, name in ipairs { "Llama-3.1-8B", "Qwen3-14B" } do
      local options = { architecture = assert(generation.architecture(name)), gpu = "H100 SXM",
        precision = "bf16" }
      local capacity = assert(llm.kv_tokens(options))
      options.constants = constants
      constants.factor = rates.known("H100 SXM", nil, options.architecture,
        "bf16").factor
      local model = assert(llm.roofline(options))
      for _, clients in ipairs { 1, 2, 4, 8, 16, 32, 64 } do
        for _, lengths in ipairs { { 128, 128 }, { 1024, 256 }, { 4096, 512 }, { 300, 1000 } } do
          local r = closed_loop.predict(model, { concurrency = clients, prompt = lengths[1],
            output = lengths[2], budget = 8192, capacity = capacity, request_s = 40e-3 })
          lines[#lines + 1] = ("H100 SXM,%s,1,%d,%d,%d,%.9f,%.9f"):format(name, clients,
            lengths[1], lengths[2], r.ttft_s * 1e3, r.tpot_s * 1e3)
        end
      end
    end
    local answer = assert(fit(table.concat(lines, "\n"), { engine = {} }))
    assert.is_true(row(answer, "TPOT").median < 1e-4)
    assert.is_true(row(answer, "TTFT").median < 1e-4)
    for _, p in ipairs(answer.parameters) do
      local true_value = constants[p.name] or constants[p.name .. "_s"]
      assert.is_true(math.abs(p.value / true_value - 1) < 1e-3, p.name .. " " .. p.value)
    end
    assert.is_true(#answer.parameters >= 4)
    -- What a request takes is the step model's, not a stage of its own beside it.
    assert.near(constants.request_s, answer:step().request, 1e-4)
    assert.is_nil(answer:source():find("td.fixed", 1, true))
    assert.equal("no point depends on it; the shipped value stays",
      refused(answer, "expert_layer"))
  end)

  it("that were measured are predicted better by the other half than without", function()
    local pipe = assert(io.popen "gzip -dc tests/data/serving/operating_points.csv.gz")
    local lines = { pipe:read "l" }
    for line in pipe:lines() do
      if line:find "h100_sxm,vllm,[^,]*,meta%-llama" then lines[#lines + 1] = line end
    end
    pipe:close()
    local answer = assert(fit(table.concat(lines, "\n"), { engine = {} }))
    local tpot = row(answer, "TPOT")
    assert.is_true(tpot.median < tpot.before and tpot.median < 0.12, tpot.median)
    assert.equal("roofline", answer:step().type)
  end)

  -- Points of one deployment that are off by a factor, as the closed loop has them.
  local function few(clients, off)
    local closed_loop = require "tandem.llm.closed_loop"
    local options = { architecture = assert(generation.architecture "Llama-3.1-8B"),
      gpu = "H100 SXM", precision = "bf16" }
    local capacity, model = assert(llm.kv_tokens(options)), assert(llm.roofline(options))
    local lines = { "gpu,backend,model,tp,concurrency,isl,osl,ttft_ms,tpot_ms" }
    for _, n in ipairs(clients) do
      local r = closed_loop.predict(model, { concurrency = n, prompt = 1024, output = 256,
        budget = 8192, capacity = capacity, request_s = 40e-3 })
      lines[#lines + 1] = ("H100 SXM,vllm,Llama-3.1-8B,1,%d,1024,256,%.9f,%.9f"):format(n,
        r.ttft_s * 1e3, r.tpot_s * 1e3 * off)
    end
    return lines
  end

  it("that are few sharpen what is known of their deployment, by Bayes' rule", function()
    local rates = require "tandem.llm.rates"
    local llama = assert(generation.architecture "Llama-3.1-8B")
    local shape = rates.shape() ^ 2 + 0.05 ^ 2
    local before = rates.spread("H100 SXM", "vllm", llama, "bf16") ^ 2
    local narrow
    for _, clients in ipairs { { 16 }, { 8, 16, 32 }, { 4, 8, 12, 16, 24, 32 } } do
      local answer = assert(fit(table.concat(few(clients, 1.2), "\n"), { engine = {} }))
      local step = answer:step()
      -- All of them say the same of the deployment's factor; constants' own doubt is the lesser.
      local share = before / (before + shape / #clients)
      assert.near(share * math.log(1.2),
        math.log(step.factor / rates.known("H100 SXM", "vllm", llama, "bf16").factor), 0.02)
      local left = math.sqrt(before * (1 - share) + rates.shape() ^ 2)
      assert.near(left, step.spread, 0.03)
      assert.is_true(not narrow or step.spread < narrow)
      narrow = step.spread
    end
  end)

  -- … apart by more than any constant of theirs.
  it("that are many and tell no constant sharpen it, too", function()
    local lines = few({ 15, 15, 16, 16, 16, 17, 17, 17, 18, 18 }, 1.2)
    for i = 2, #lines do
      local by = i % 2 == 0 and 0.8 or 1.25
      lines[i] = lines[i]:gsub("([%d.]+),([%d.]+)$", function(ttft, tpot)
        return ("%.9f,%.9f"):format(ttft / by ^ 3, tpot * by)
      end)
    end
    local step = assert(fit(table.concat(lines, "\n"), { engine = {} })):step()
    local llama = assert(generation.architecture "Llama-3.1-8B")
    local known = require("tandem.llm.rates").known("H100 SXM", "vllm", llama, "bf16").factor
    assert.near(math.log(1.2), math.log(step.factor / known), 0.06)
    assert.is_number(step.spread)
  end)

  it("that are few may be no td.roofline of anything", function()
    local lines = few({ 8, 16 }, 3)
    local answer = assert(fit(table.concat(lines, "\n"), { engine = {} }))
    assert.matches("the point of 8 clients is further off than three standard deviations",
      table.concat(answer.notes, "\n"))
    lines[3] = lines[3]:gsub("Llama%-3.1%-8B,1", "Qwen3-14B,1")
    local _, message = fit(table.concat(lines, "\n"), { engine = {} })
    assert.matches("2 points of vllm tell no constant: they are of several deployments", message)
  end)

  it("of nobody's model or GPU are told so", function()
    local _, message = fit "concurrency,isl,osl,ttft_ms,tpot_ms\n1,100,100,20,10\n"
    assert.matches("no model; %-%-model names one", message)
    _, message = fit("concurrency,isl,osl,ttft_ms,tpot_ms\n1,100,100,20,10\n",
      { model = "Llama-3.1-8B" })
    assert.matches("%-%-gpu names one", message)
  end)
end)

describe("the text", function()
  local td = require "tandem"

  local function load_text(text)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    return assert(td.load(path))
  end

  it("is a scenario that has the load and meets the means", function()
    local list = simulated(200)
    local answer = assert(fit(writers.csv(list)))
    local result = load_text((assert(answer:source()))):run()
    local ttft, e2e = 0, 0
    for _, r in ipairs(list) do ttft, e2e = ttft + r.ttft_s / 200, e2e + r.e2e_s / 200 end
    assert.is_true(math.abs(result:get "latency.mean" / e2e - 1) < 0.01)
    assert.is_true(math.abs(result:get "llm.server.ttft.mean" / (ttft - REQUEST_S) - 1) < 0.04)
  end)

  it("puts the steps into a scenario of one's own", function()
    local answer = assert(calibrate.run { file = MEASURED .. "RTXPRO6000" })
    local mine = assert(td.load "scenarios/23-llm-one-h100.lua")
    local text = assert(answer:source { scenario = mine })
    assert.matches("step = td.affine {", text, 1, true)
    assert.matches("prompt_tokens = td.lognormal", text, 1, true)
    load_text(text)
    local other = td.scenario "none" { workload = td.poisson { rps = 1 }, requests = 5,
      pipeline = { td.fixed "a" { time = "1ms" } } }
    local nothing, message = answer:source { scenario = other }
    assert.is_nil(nothing)
    assert.equal("it has no td.generate", message)
  end)
end)

describe("a regression", function()
  local function rows(count, make)
    local uniform, list = generator(11), {}
    for i = 1, count do
      local x = make(uniform)
      list[i] = { y = 2 * x.a + 3 * (x.b or 0), x = x, group = "one", position = i }
    end
    return list
  end

  it("finds what made the data, and nothing for what did not", function()
    local fitted = assert(regression.fit(rows(100, function(u)
      return { a = 1 + u(), b = u(), c = u() }
    end), { "a", "b", "c", "d" }))
    assert.same({ "a", "b" }, fitted.names)
    assert.is_true(math.abs(fitted.b.a - 2) < 1e-9 and math.abs(fitted.b.b - 3) < 1e-9)
    assert.same({ { name = "c", why = "no effect is seen" },
      { name = "d", why = "nothing in the data asks for it" } }, fitted.refused)
  end)

  it("does not share an effect between what it cannot tell apart", function()
    local fitted = assert(regression.fit(rows(100, function(u)
      local a = 1 + u()
      return { a = a, c = 5 * a }
    end), { "a", "c" }))
    assert.same({ "a" }, fitted.names)
    assert.equal("the data cannot tell it from the others", fitted.refused[1].why)
  end)

  it("has no negative coefficients", function()
    local list = rows(100, function(u) return { a = 2 + u(), b = 0, c = u() } end)
    for _, r in ipairs(list) do r.y = r.y - r.x.c end
    local fitted = assert(regression.fit(list, { "a", "c" }))
    assert.same({ "a" }, fitted.names)
    assert.equal("it came out negative", fitted.refused[1].why)
  end)
end)
