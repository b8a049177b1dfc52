--- What is told of LLM servers: saturation and its reason, normalized latency, distributions, what
--- happened over time, cost; in results, the store and on pages.

local td = require "tandem"

local function scenario(extra)
  local raw = { name = "llm", workload = td.poisson { rps = 8, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 }, replications = 4 }
  for k, v in pairs(extra) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

-- One sequence at a time, 100 ms each: ten a second, exactly.
local function metronome(arrivals, more)
  local raw = { workload = arrivals, attrs = { prompt_tokens = 8, output_tokens = 1 },
    pipeline = { td.generate "answer" { step = td.affine { step = "100ms" },
      engine = { max_seqs = 1, kv_blocks = 10 } } } }
  for k, v in pairs(more or {}) do raw[k] = v end
  return scenario(raw)
end

-- A server with room in everything but what is given.
local function bounded(engine, attrs, rps, slo)
  engine.max_seqs = engine.max_seqs or 64
  engine.kv_blocks = engine.kv_blocks or 100000
  return scenario { workload = td.poisson { rps = rps, duration = "60s" }, attrs = attrs,
    slo = slo, pipeline = { td.generate "answer" { engine = engine,
      step = td.affine { step = "5ms", prefill_tokens = "50us", decode_seqs = "50us" } } } }
end

describe("saturation of an LLM server", function()
  it("is offered over served, by a known capacity", function()
    for _, load in ipairs { 1.1, 1.25, 2, 4 } do
      local result = metronome(td.paced { rps = 10 * load, duration = "100s" }):run {}
      assert(result.overload, load)
      assert.equal("answer", result.overload.resource)
      assert.equal("seqs", result.overload.bound)
      assert.near(load, result.overload.load, 0.01 * load)
      -- So too where a number of requests ends the run, and the queue drains afterwards.
      local counted = metronome(td.poisson { rps = 10 * load, requests = 2000 }):run {}
      assert.near(load, assert(counted.overload, load).load, 0.12 * load)
    end
  end)

  it("is found in one replication", function()
    local result = metronome(td.poisson { rps = 13, duration = "200s" }):run { replications = 1 }
    assert.near(1.3, assert(result.overload).load, 0.15)
  end)

  it("is not cried where the queue only goes up and down", function()
    -- A chance of 0.001 each, were the queue a random walk: 120 runs at 60 to 95 % of the capacity.
    local cried = 0
    for seed = 1, 120 do
      local load = 0.6 + 0.35 * (seed % 8) / 7
      local result = metronome(td.poisson { rps = 10 * load, duration = "150s" }):run {
        replications = 1 + seed % 4, seed = seed }
      if result.overload then cried = cried + 1 end
    end
    assert.is_true(cried <= 1, cried .. " false alarms")
  end)

  it("says what limits: sequences, blocks or tokens", function()
    local long = { prompt_tokens = 100, output_tokens = 200 }
    for bound, s in pairs {
      seqs = bounded({ max_seqs = 4 }, long, 20),
      kv = bounded({ kv_blocks = 80 }, long, 20),
      tokens = bounded({ max_batched_tokens = 512, max_seqs = 256 },
        { prompt_tokens = 2000, output_tokens = 2 }, 12),
    } do
      local result = s:run {}
      assert(result.overload, bound)
      assert.equal(bound, result.overload.bound)
      local key = bound == "kv" and "blocks" or bound
      assert.is_true(result:get("llm.answer.held." .. key) > 0.9, bound)
    end
  end)

  it("stands first in every output", function()
    local result = metronome(td.paced { rps = 15, duration = "60s" }):run {}
    local report = result:report {}
    assert.matches("\nOVERLOAD", report, 1, true)
    assert.matches("max_seqs", report, 1, true)
    assert.matches('"bound": "seqs"', result:to_json(), 1, true)
  end)

  it("is nothing that a closed loop has, which limits itself", function()
    local closed = metronome(td.closed { users = 30, think = "1s", duration = "60s" }):run {}
    assert.is_nil(closed.overload)
  end)
end)

describe("an objective without a figure", function()
  local function first_lines(attrs, engine)
    local s = scenario { attrs = attrs, slo = { tpot_p99 = "50ms", ttft_p99 = "10s" },
      pipeline = { td.generate "answer" { step = td.affine { step = "1ms" },
        engine = engine or { max_seqs = 64, kv_blocks = 1000 } } } }
    local result = assert(s:run { requests = 50 })
    return result:report { style = require("tandem.plot.style").new {} }, result:verdicts(), result
  end

  it("says that answers of one token have no time between tokens", function()
    local text, verdicts, result = first_lines { prompt_tokens = 8, output_tokens = 1 }
    assert.is_true(text:find("no answer had a second token", 1, true) ~= nil, text)
    assert.is_nil(text:find("no request completed", 1, true))
    assert.same({ nil, true }, { verdicts[1].met, verdicts[2].met })
    assert.is_true(result.classes[1].completed > 0)
  end)

  -- Each has its own percentile, mean or maximum, whichever stand beside it.
  it("is the same alone and among others", function()
    local attrs = { prompt_tokens = td.exponential(40), output_tokens = td.exponential(10) }
    local slo = { goodput = "1rps", itl_mean = "5ms", itl_p75 = "9ms", max = "9s", mean = "1s",
      met = "50%", deadline = "90ms", p50 = "1s", p95 = "2s", tpot_p90 = "20ms", ttft_max = "9s",
      ttft_mean = "9ms", ttft_p99 = "1s" }
    local function verdicts(limits)
      local result = assert(bounded({ max_seqs = 2 }, attrs, 8, limits):run { seed = 4 })
      local out = {}
      for _, one in ipairs(result:verdicts()) do out[one.metric] = one.value end
      return out
    end
    local all, count = verdicts(slo), 0
    for metric, limit in pairs(slo) do
      if metric ~= "deadline" then
        local alone = verdicts { [metric] = limit, deadline = slo.deadline }
        assert.same(alone[metric], all[metric], metric)
        count = count + (all[metric] and 1 or 0)
      end
    end
    assert.equal(12, count)
  end)

  it("is missed when every request is lost", function()
    local text, verdicts, result = first_lines({ prompt_tokens = 100000, output_tokens = 4 },
      { max_seqs = 4, kv_blocks = 10 })
    assert.equal(0, result.classes[1].completed)
    assert.same({ false, false }, { verdicts[1].met, verdicts[2].met })
    assert.is_false(result:answer())
    assert.is_true(text:find("no request was served", 1, true) ~= nil, text)
  end)
end)

describe("what is expected of an LLM server", function()
  local serving, load = require "tandem.explain.serving", require "tandem.explain.load"
  local function forecast(s)
    local model = s:model()
    return assert(serving.forecast(model, load.of(model), 1))
  end

  it("is exact where steps take what they take", function()
    local one = forecast(metronome(td.poisson { rps = 4, duration = "60s" }))
    assert.near(10, one.carries_rps, 1e-9)
    assert.near(4, one.offered_rps, 1e-9)
    assert.equal(1, one.sequences)
    assert.near(0.1, one.ttft_s, 1e-12)
  end)

  it("counts every scheduler, and prefill replicas where they are apart", function()
    local function on(gpus, generate)
      generate.step = td.affine { step = "5ms", prefill_tokens = "20us", decode_seqs = "10us" }
      generate.model, generate.engine = td.llm "Llama-3.1-8B", { kv_blocks = 10000, max_seqs = 8 }
      return forecast(scenario { target = td.gpu "H100 SXM" { count = gpus },
        resources = { td.link "network" { bandwidth = "50GB/s" } },
        attrs = { prompt_tokens = 500, output_tokens = 100 },
        pipeline = { td.generate "answer" (generate) } })
    end
    local one = on(1, {})
    -- A prompt's 10 ms beside the others, and an eighth of a hundred steps of 5.08 ms.
    assert.near(1 / (10e-3 + 100 * 5.08e-3 / 8), one.carries_rps, 1e-6)
    assert.near(4 * one.carries_rps, on(4, {}).carries_rps, 1e-6)
    assert.near(2 * one.carries_rps, on(2, { dp = 2 }).carries_rps, 1e-6)
    local apart = on(3, { prefill = { replicas = 1 }, decode = { replicas = 2 },
      handover = "network" })
    assert.near(1 / 15e-3, apart.prefill_rps, 1e-6)
    assert.near(2 * 8 / (100 * 5.08e-3), apart.carries_rps, 1e-6)
  end)

  it("is near what an overloaded server serves, whatever limits it", function()
    local long = { prompt_tokens = 100, output_tokens = 200 }
    for name, s in pairs { max_seqs = bounded({ max_seqs = 16 }, long, 30),
      ["KV cache"] = bounded({ kv_blocks = 200, max_seqs = 64 }, long, 30) } do
      local one, result = forecast(s), s:run {}
      assert.equal(name, one.bound)
      local served = 30 / assert(result.overload, name).load
      assert.is_true(math.abs(one.carries_rps / served - 1) < 0.15,
        ("%s: %g, served %g"):format(name, one.carries_rps, served))
    end
  end)
end)

describe("the only LLM server of a scenario", function()
  it("is changed by short names, in all its classes", function()
    local s = bounded({ max_seqs = 4 }, { prompt_tokens = 10, output_tokens = 10 }, 5)
    local model = s:with { max_seqs = 7, kv_blocks = 77 }:model()
    assert.equal(7, model.servers[1].pools[1].config.max_seqs)
    assert.equal(77, model.servers[1].pools[1].config.blocks)
    local gpu = scenario { target = td.gpu "H100" { count = 2 },
      pipeline = { td.generate "answer" { model = "Llama-3.1-8B" } } }
    assert.equal(2, #gpu:model().servers[1].pools[1].stations)
    local pair = gpu:with { tp = 2, model = "Qwen3-8B" }:model().servers[1].pools[1]
    assert.equal(1, #pair.stations)
    assert.equal(2, pair.gpus)
  end)

  it("is missed in words", function()
    local none = assert(td.check { name = "none", workload = td.poisson { rps = 1,
      duration = "1s" }, pipeline = { td.fixed "work" { time = "1ms" } } })
    local _, problems = none:try_with { max_seqs = 4 }
    assert.matches("there is no td.generate here", tostring(problems), 1, true)
    local gpu = scenario { target = td.gpu "H100" {},
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } }
    _, problems = gpu:try_with { model = "Llama-3.1-8" }
    assert.matches("did you mean 'Llama-3.1-8B'", tostring(problems), 1, true)
    _, problems = gpu:try_with { max_sqs = 4 }
    assert.matches("did you mean 'max_seqs'", tostring(problems), 1, true)
  end)
end)

describe("the facts of LLM servers", function()
  it("have a server's name above them where there are several", function()
    local function named(names)
      local pipeline = {}
      for i, name in ipairs(names) do
        pipeline[i] = td.generate(name) { step = td.affine { step = "5ms" },
          engine = { max_seqs = 9, kv_blocks = 99 } }
      end
      local text = tostring(scenario { workload = td.paced { rps = 8, requests = 20 },
        replications = 1, pipeline = pipeline }:run {})
      local out = {}
      for line in text:gmatch "[^\n]+" do
        local name = line:match "^  (%l+)$"
        if name then out[#out + 1] = name end
      end
      return out
    end
    assert.same({}, named { "answer" })
    assert.same({ "draft", "answer" }, named { "draft", "answer" })
  end)
end)

describe("an LLM server's figures", function()
  it("normalize latency by output tokens", function()
    -- Alone: a step of 5 ms and 100 tokens of prompt, then a step of 10 ms for each token more.
    local result = scenario { workload = td.paced { rps = 0.5, duration = "40s" },
      attrs = { prompt_tokens = 100, output_tokens = 21 },
      pipeline = { td.generate "answer" { engine = { kv_blocks = 100 }, step = td.affine {
        step = "5ms", prefill_tokens = "50us", decode_seqs = "5ms" } } } }:run { replications = 1 }
    assert.near((0.010 + 20 * 0.010) / 21, result:get "llm.answer.normalized.mean", 1e-9)
    assert.near((0.010 + 20 * 0.010) / 21, result:get "llm.answer.normalized.p99", 1e-9)
  end)

  it("add up over time to those of the whole run", function()
    local long = { prompt_tokens = td.uniform(50, 400), output_tokens = td.uniform(1, 300) }
    local result = bounded({ kv_blocks = 200 }, long, 9):run { replications = 1, warmup = "none" }
    local series, sums = result.series.llm[1], {}
    for key, values in pairs(series) do
      if key ~= "name" then
        sums[key] = 0
        for _, value in ipairs(values) do sums[key] = sums[key] + value / #values end
      end
    end
    assert.equal("answer", series.name)
    assert.near(result:get "llm.answer.output_tokens_per_s", sums.output_tokens_per_s, 1e-6)
    assert.near(result:get "llm.answer.kv_mean", sums.kv, 1e-9)
    assert.near(result:get "resources.answer.queue", sums.waiting, 1e-6)
    for _, share in ipairs(series.kv) do assert.is_true(share <= 1 + 1e-12) end
  end)

  it("tell distributions, rising, with the median and the tail of the table", function()
    local result = scenario { pipeline = { td.generate "answer" { engine = { kv_blocks = 1000 },
      step = td.affine { step = "5ms", decode_seqs = "1ms" } } } }:run {}
    local cdf = result.llm[1].cdf
    for _, time in ipairs { "ttft", "tpot", "itl", "e2e", "queueing", "normalized" } do
      local x = cdf[time]
      assert.equal(#cdf.levels, #x)
      for i = 2, #x do assert.is_true(x[i] >= x[i - 1], time) end
      for i, level in ipairs(cdf.levels) do
        if level == 0.5 or level == 0.99 then
          local key = ("llm.answer.%s.p%g"):format(time, level * 100)
          assert.near(result:get(key), x[i], 1e-12, key)
        end
      end
    end
  end)

  it("cost what their GPUs cost", function()
    local result = scenario { target = td.gpu "H100 SXM" { price = "3$/h", count = 2 },
      attrs = { prompt_tokens = 500, output_tokens = 100 },
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } }:run {}
    local server = result.llm[1]
    assert.near(6, server.usd_per_hour, 1e-9)
    assert.near(6 / 3600 / server.output_tokens_per_s.value * 1e6,
      server.usd_per_million_tokens.value, 1e-9)
    -- A GPU counts once, whatever schedules on it.
    for _, split in ipairs { { dp = 2 }, { pp = 2 },
      { prefill = { replicas = 1 }, decode = { replicas = 1 }, handover = "network" } } do
      split.model = td.llm "Llama-3.1-8B"
      local one = scenario { target = td.gpu "H100 SXM" { price = "3$/h", count = 2 },
        resources = { td.link "network" { bandwidth = "50GB/s" } },
        attrs = { prompt_tokens = 500, output_tokens = 100 },
        pipeline = { td.generate "answer" (split) } }:run {}
      assert.near(6, one.llm[1].usd_per_hour, 1e-9)
    end
    local without = scenario { pipeline = { td.generate "answer" { engine = { kv_blocks = 1000 },
      step = td.affine { step = "5ms" } } } }:run {}
    assert.is_nil(without.llm[1].usd_per_million_tokens)
  end)

  it("cost only while a server holds GPUs", function()
    local server = scenario { target = td.gpu "H100 SXM" { price = "3$/h", count = 4 },
      attrs = { prompt_tokens = 500, output_tokens = 100 },
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
        autoscale = { min = 1, max = 4, target = 16 } } } }:run {}.llm[1]
    assert.is_true(server.gpus_mean.value < 3)
    assert.near(3 * server.gpus_mean.value, server.usd_per_hour, 1e-9)
  end)

  it("are in the store, beside one another, and on the page", function()
    local stores = require("tests.spec.support.store_fixture").new()
    local classes = { { name = "chat", workload = td.poisson { rps = 5, duration = "30s" } },
      { name = "batch", workload = td.poisson { rps = 3, duration = "30s" } } }
    for _, class in ipairs(classes) do
      class.attrs = { prompt_tokens = 40, output_tokens = 10 }
      class.pipeline = { td.generate "answer" { engine = { kv_blocks = 1000, order = "fair" },
        step = td.affine { step = "5ms", decode_seqs = "1ms" } } }
    end
    local s = assert(td.check { name = "two", classes = classes, replications = 2 })
    local result = s:run { store = stores:path "a.db", spans = "all" }
    local store <close> = td.store(stores:path "a.db")
    local rows = {}
    for row in store:query "SELECT subject, name, value FROM metric WHERE scope = 'llm'" do
      rows[row.subject .. "/" .. row.name] = row.value
    end
    assert.near(result:get "llm.answer.ttft.p99", rows["answer/ttft.p99"], 1e-12)
    assert.near(result:get "llm.answer.classes.chat.tpot.p50", rows["answer chat/tpot.p50"], 1e-12)
    assert.equal(rows["answer chat/tpot.p50"], rows["answer tenant chat/tpot.p50"])
    assert.near(result:get "llm.answer.fairness", rows["answer/fairness"], 1e-12)
    assert.near(result:get "llm.answer.held.seqs", rows["answer/held.seqs"], 1e-12)
    local text = assert(require("tandem.page.report").of(assert(store:run "last")))
    for _, words in ipairs { "LLM serving: times", "LLM serving: tenants",
      "LLM serving: over time", "Tokens a second", "KV cache", ">TPOT<", ">Steps<" } do
      assert.matches(words, text, 1, true)
    end
    stores:remove()
  end)
end)
