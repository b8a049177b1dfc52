-- A scenario held against sums of a load generator. What is "recorded" is a simulated server's run
-- with another seed, summed up here: times of tokens from the histograms that the server exports,
-- whole times from the log of its requests.

local cjson = require "cjson"
local read = require "tandem.llm.read"
local score = require "tandem.score"
local td = require "tandem"

local path

before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local function server(factor)
  return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
    workload = td.poisson { rps = 3, duration = 10 },
    attrs = { prompt_tokens = 500, output_tokens = 110 },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
      step = td.affine { step = 8e-3 * factor, decode_seqs = 2e-4 * factor,
        prefill_tokens = 2e-5 * factor } } } }
end

-- The last scrape's value of a series.
local function last_of(export, name)
  local last
  for value in export:gmatch("vllm:" .. name .. "{[^}]*} (%S+)") do last = tonumber(value) end
  return last
end

local function mean_of(export, histogram)
  return last_of(export, histogram .. "_sum") / last_of(export, histogram .. "_count")
end

-- What `vllm bench serve` would have written of a run.
local function recorded(load, seed, factor)
  local metrics = os.tmpname()
  local scenario = server(factor or 1):with { workload = load }
  local result = assert(scenario:run { seed = seed, replications = 1, warmup = "none",
    requests_log = "all", metrics = metrics, scrape = 5 })
  local file = assert(io.open(metrics))
  local export = file:read "a"
  file:close()
  os.remove(metrics)
  local e2e, last = 0, 0
  for _, request in ipairs(result.requests_log) do
    e2e = e2e + request.latency_s / #result.requests_log
    last = math.max(last, request.arrival_s + request.latency_s)
  end
  return { backend = "vllm", model_id = "a/Llama-3.1-8B", completed = #result.requests_log,
    duration = last, request_throughput = #result.requests_log / last,
    total_input_tokens = last_of(export, "request_prompt_tokens_sum"),
    total_output_tokens = last_of(export, "request_generation_tokens_sum"),
    mean_e2el_ms = e2e * 1e3,
    mean_ttft_ms = mean_of(export, "time_to_first_token_seconds") * 1e3,
    mean_tpot_ms = mean_of(export, "request_time_per_output_token_seconds") * 1e3 }
end

local function written(run)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(cjson.encode(run)))
end

local function at_rate(rate, seed, factor)
  local run = recorded(td.poisson { rps = rate, requests = 150 }, seed, factor)
  run.request_rate = rate
  return run
end

local function of_clients(clients, seed, factor)
  local run = recorded(td.closed { users = clients, requests = 100 }, seed, factor)
  run.request_rate, run.max_concurrency = "inf", clients
  return run
end

local function lines_of(made)
  local out = {}
  for _, row in ipairs(made:frame "verdict".rows) do out[row.name] = row end
  return out
end

describe("a scenario that is what was measured", function()
  local function misses(make)
    local wrong, lines = 0, 0
    for seed = 101, 104 do
      written(make(seed))
      for _, row in ipairs(assert(score.of(path, server(1))):frame "verdict".rows) do
        if row.low then -- closed loops of equal requests are all the same
          lines = lines + 1
          if row.low > 1e-6 or row.high < -1e-6 then wrong = wrong + 1 end
        end
      end
    end
    return wrong, lines
  end

  it("is so within its intervals, which hold together in 95 of 100, at a rate", function()
    local wrong, lines = misses(function(seed) return at_rate(4, seed) end)
    assert.equal(20, lines)
    assert.is_true(wrong <= 1, wrong)
  end)

  it("is so with clients, whose runs hardly differ", function()
    local wrong, lines = misses(function(seed) return of_clients(8, seed) end)
    assert.equal(20, lines)
    assert.is_true(wrong <= 1, wrong)
  end)

  it("is off by what its steps are slower", function()
    written(of_clients(8, 101, 1.25))
    local made = assert(score.of(path, server(1), { gate = { "tpot.mean<5%", "tpot.mean<30%" } }))
    local row = lines_of(made)["tpot mean"]
    assert.near(1 / 1.25 - 1, row.difference, 0.01)
    assert.equal("off", row.verdict)
    assert.equal("off", made.verdict)
    local gates = made:frame "gates".rows
    assert.same({ "fails", "holds" }, { gates[1].verdict, gates[2].verdict })
  end)
end)

describe("sums", function()
  it("at a rate are points by Little's law, which a fit of the steps takes", function()
    local run = at_rate(4, 7)
    written(run)
    local point = assert(read.file(path)).points[1]
    -- Little: what was inside in the mean is the time of all requests over how long it took.
    local inside = run.completed * run.mean_e2el_ms / 1e3 / run.duration
    assert.near(inside, point.concurrency, 1e-9)
    assert.near(run.mean_tpot_ms / 1e3, point.tpot_s, 1e-12)
  end)

  it("of several points have a line each, and so have gates", function()
    local a, b = of_clients(4, 5), at_rate(2, 6)
    local file <close> = assert(io.open(path, "wb"))
    assert(file:write(cjson.encode { a, b }))
    file:close()
    local made = assert(score.of(path, server(1), { replications = 3, gate = "ttft.mean<90%" }))
    local rows = lines_of(made)
    assert.truthy(rows["4 clients: tpot mean"])
    assert.truthy(rows["2 /s: tpot mean"])
    assert.same({ "4 clients: ttft.mean<90%", "2 /s: ttft.mean<90%" },
      { made:frame "gates".rows[1].gate, made:frame "gates".rows[2].gate })
  end)

  it("are scored against a scenario, and only they", function()
    written(of_clients(4, 5))
    local _, message, code = score.of(path, {})
    assert.matches("compared with a scenario", message)
    assert.equal(2, code)
    _, message = score.of("tests/data/serving/clients/aiperf.jsonl", server(1))
    assert.matches("is of requests, which are no operating points", message)
    _, message = score.of("Makefile", server(1))
    assert.matches("is nothing measured of an LLM server", message)
    local _, wrong = score.of(path, server(1), { gate = "ttft.p42<1%" })
    assert.matches("ttft has no 'p42'; one of mean", wrong)
  end)

  it("give percentiles a law of lengths", function()
    written(of_clients(4, 5))
    local measured = assert(read.file(path))
    measured.points[1].lengths.output = { mean = 50, min = 10, p25 = 20, p50 = 40, p75 = 80,
      max = 100 }
    local own = assert(require("tandem.score.options").asked { replications = 2 })
    local made = assert(require("tandem.score.points").score(measured, "x", server(1), own))
    local rate = lines_of(made)["tokens_out"]
    local per_s = lines_of(made)["throughput"]
    -- a quarter each of 10–20, 20–40, 40–80 and 80–100: 48.75 in the mean
    assert.near(48.75, rate.simulated / per_s.simulated, 5)
  end)
end)
