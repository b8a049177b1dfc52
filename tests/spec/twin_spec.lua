--- Twins of servers of which all is known: simulated ones, of whose metrics alone each is made.

local arrivals = require "tandem.twin.arrivals"
local binned = require "tests.accuracy.binned"
local compare = require "tandem.twin.compare"
local lengths = require "tandem.twin.lengths"
local metrics = require "tandem.metrics"
local server = require "tandem.deploy.arguments"
local td = require "tandem"
local twin = require "tandem.twin"

local function known(options)
  return td.scenario "known" {
    target = td.gpu(options.gpu) { count = options.replicas or 1 },
    workload = options.workload or td.poisson { rps = options.rps, duration = options.duration },
    attrs = { prompt_tokens = td.lognormal { mean = 700, cv = 1 },
      output_tokens = td.gamma { mean = 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm(options.model), replicas = options.replicas,
      prefix = options.prefix, group = options.prefix and 1,
      engine = options.engine or { server = "vllm" },
      step = td.roofline { factor = options.factor, request = "8ms" } } } }
end

local function exported(scenario, seed)
  local path = os.tmpname()
  assert(scenario:run { replications = 1, seed = seed, metrics = path, warmup = "none" })
  return path
end

local function twin_of(options, seed)
  local path = exported(known(options), seed)
  local answer, message = twin.run { files = { path }, gpu = options.gpu, server = options.launch }
  os.remove(path)
  return assert(answer, message)
end

local function parameter(answer, name)
  for _, p in ipairs(answer.parameters) do
    if p.name == name then return p end
  end
  error("no parameter " .. name)
end

local function holds(answer, name, truth)
  local p = parameter(answer, name)
  assert(p.low and p.low <= truth and truth <= p.high, ("%s: %s is not in %s … %s"):format(name,
    truth, p.low, p.high))
end

local CASES <const> = {
  { gpu = "H100 SXM", model = "Llama-3.1-8B", rps = 10, duration = 300, factor = 1.2, prefix = 256,
    launch = "vllm serve meta-llama/Llama-3.1-8B" },
  { gpu = "A100 SXM 80GB", model = "Llama-3.1-8B", rps = 4, duration = 300, factor = 0.85,
    launch = "vllm serve Llama-3.1-8B --max-num-seqs 64",
    engine = { server = "vllm", max_seqs = 64 } },
  { gpu = "H100 SXM", model = "Qwen2.5-7B", rps = 16, duration = 300, factor = 1, replicas = 2,
    launch = "vllm serve Qwen/Qwen2.5-7B" } }

describe("a twin of a simulated server", function()
  it("has its parameters within intervals and behaves like it", function()
    for i, options in ipairs(CASES) do
      local answer = twin_of(options, i)
      holds(answer, "rate", options.rps)
      holds(answer, "prompt", 700)
      holds(answer, "output", 120)
      holds(answer, "burstiness", 1)
      holds(answer, "factor", options.factor)
      if options.prefix then holds(answer, "prefix", options.prefix) end
      for _, row in ipairs(answer.rows) do
        local what = ("case %d, %s: "):format(i, row.what)
        assert(math.abs(row.error) < 0.1 or row.what == "queueing", what .. row.error)
        assert(row.p99_near, what .. row.twin_p99)
      end
      assert(compare.apart(answer.rows) <= 0.05, "shares")
    end
  end)

  it("is a scenario that runs, and says what nobody can tell", function()
    local answer = twin_of(CASES[1], 7)
    local text = assert(answer:source())
    local path = os.tmpname() .. ".lua"
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local loaded = assert(td.load(path))
    os.remove(path)
    local result = assert(loaded:run { replications = 1 })
    assert.is_true(result.llm[1].output_tokens_per_s.value > 0)
    assert.matches("Not identifiable, prompt with output", text, 1, true)
    for _, name in ipairs { "sessions and think times", "hit rate at other cache sizes",
      "burstiness below 15 s" } do
      assert.is_string(parameter(answer, name).why, name)
    end
    assert.is_string(parameter(answer, "step").why) -- the load is even
    assert.matches("not identifiable", answer:report(), 1, true)
    assert.equal("tandem.twin/1", answer:data().schema)
  end)

  -- What the server's own metrics would have shown of three hundred measured requests, and the
  -- requests themselves, of which the twin knows nothing.
  it("is near a measured server of which it saw metrics alone", function()
    local requests = binned.requests "tests/data/serving/measured/RTXPRO6000/per_request.csv"
    assert.equal(300, #requests)
    local path = os.tmpname()
    binned.write(requests, "Llama-3.1-8B", 'block_size="16"', 2, path)
    local answer = assert(twin.run { files = { path }, gpu = "RTX PRO 6000",
      server = "vllm serve Llama-3.1-8B --max-num-batched-tokens 2048 --max-num-seqs 128" })
    os.remove(path)
    local truth = { ttft = 0, e2e = 0, prompt = 0, output = 0 }
    for _, r in ipairs(requests) do
      truth.ttft, truth.e2e = truth.ttft + r.first - r.came, truth.e2e + r.last - r.came
      truth.prompt, truth.output = truth.prompt + r.prompt, truth.output + r.output
    end
    for _, row in ipairs(answer.rows) do
      local mean = truth[row.key] and truth[row.key] / #requests
      if mean then
        -- A first token waits for prompts, whose share of the peak no metric tells.
        local bar = row.key == "ttft" and 0.15 or 0.1
        assert(math.abs(row.twin_mean / mean - 1) < bar, row.key .. ": " .. row.twin_mean)
      end
    end
  end)

  it("plans steps ahead where the recorded server did", function()
    local options = { gpu = "H100 SXM", model = "Llama-3.1-8B", rps = 8, duration = "2min",
      factor = 1, launch = "vllm serve meta-llama/Llama-3.1-8B" }
    for _, ahead in ipairs { true, false } do
      options.engine = { server = "vllm", plans_ahead = ahead }
      local answer = twin_of(options, 5)
      assert.equal(ahead, answer.scenario.checked.pipeline[1].engine.plans_ahead)
      for _, row in ipairs(answer.rows) do
        if row.key == "ttft" then assert.is_true(math.abs(row.error) < 0.1, row.error) end
      end
      assert.matches(ahead and "planned while" or "one after the other", answer.notes[1])
    end
    assert.is_false(server.read("vllm serve m/m --no-async-scheduling").engine.plans_ahead)
  end)

  it("sees bursts and trends in who came", function()
    local function of(workload)
      local path = exported(known { gpu = "H100 SXM", model = "Llama-3.1-8B",
        workload = workload }, 3)
      local merged = metrics.merged(assert(metrics.read { path }))
      os.remove(path)
      return assert(arrivals.of(merged, { ended = "vllm:request_success_total",
        running = "vllm:num_requests_running", waiting = "vllm:num_requests_waiting" }))
    end
    local bursts = of(td.renewal { rps = 6, cv = 3, duration = 600 })
    assert.equal("renewal", bursts.kind)
    assert.is_true(bursts.dispersion_low < 9 and bursts.dispersion_high > 5)
    local even = of(td.paced { rps = 6, duration = 600 })
    assert.equal("renewal", even.kind)
    assert.is_true(even.dispersion < 0.2)
    local day = of(td.curve { { "0s", 1 }, { "300s", 14 }, { "600s", 1 }, duration = 600 })
    assert.equal("curve", day.kind)
    assert.is_true(day.points[(#day.points + 1) // 2][2] > 2 * day.points[1][2])
    local few = of(td.poisson { rps = 6, duration = 60 })
    assert.matches("between scrapes", few.why)
  end)
end)

describe("parts of a twin", function()
  it("are lengths with the shares and the mean of a histogram", function()
    local of = { bounds = { 10, 100, 1000, math.huge }, counts = { { 5 }, { 60 }, { 30 }, { 5 } },
      count = { 100 }, sum = { 18000 } }
    local fit = assert(lengths.of(of))
    local at, sum = {}, 0
    for i, count in ipairs(fit.counts) do
      local low, high = fit.edges[i], fit.edges[i + 1]
      sum = sum + count * (low + high) / 2
      for b, bound in ipairs(of.bounds) do
        if high <= bound + 0.6 then at[b] = (at[b] or 0) + count end
      end
    end
    assert.near(18000, sum, 1)
    assert.near(5, at[1], 1e-6)
    assert.near(65, at[2], 1e-6)
    assert.near(95, at[3], 1e-6)
    assert.is_nil(lengths.of { bounds = { 1, math.huge }, counts = { { 0 }, { 0 } },
      count = { 0 }, sum = { 0 } })
    assert.is_nil(lengths.of(nil))
  end)

  it("are launch arguments", function()
    local read = assert(server.read("vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size=2 "
      .. "--max-num-seqs 128 --no-enable-prefix-caching --dtype bfloat16"))
    assert.equal("Llama-3.1-8B", read.model)
    assert.equal(2, read.tp)
    assert.same({ max_seqs = 128, prefix_caching = false }, read.engine)
    assert.same({ "--dtype" }, read.unknown)
    local none, why = server.read "vllm serve m/M --max-num-seqs many"
    assert.is_nil(none)
    assert.matches("--max-num-seqs wants a number, not 'many'", why, 1, true)
  end)

  it("are counters of several instances, whenever each was scraped and began anew", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    for _, line in ipairs { { "a", 5, 100 }, { "a", 9, 110 }, { "a", 2, 120 }, { "b", 0, 105 },
      { "b", 20, 115 }, { "b", 20, 125 } } do
      file:write(('x_total{instance="%s"} %d %d\n'):format(line[1], line[2], line[3] * 1000))
    end
    file:close()
    local instances = assert(metrics.read { path })
    os.remove(path)
    assert.equal(2, #instances)
    assert.equal(1, instances[1].restarts)
    local merged = metrics.merged(instances)
    assert.same({ 0, 14, 26 }, merged.series.x_total)
  end)
end)
