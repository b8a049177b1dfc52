-- LLM servers in limits that have exact answers: one sequence at a time is a single server; steps
-- of one length, with outputs of geometric length, are a Markov chain, and M/M/c when short.
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

local function scenario(body)
  local engine = { kv_blocks = 1 << 30, max_seqs = body.seqs, max_batched_tokens = body.budget }
  return td.scenario "server" { workload = td.poisson { rps = body.rps }, pipeline = {
    td.generate "llm" { prompt = body.prompt or 1, output = body.output, engine = engine,
      replicas = body.replicas, route = body.route, step = td.affine { step = body.step } } } }
end

-- Geometric from 1, with this mean: an exponential cut to whole numbers.
local function geometric(mean) return td.exponential(-1 / math.log(1 - 1 / mean)) + 0.5 end

describe("a replica of one sequence", function()
  it("is M/D/1 where requests are alike", function()
    for _, rho in ipairs { 0.5, 0.8 } do
      -- A prompt of 700 tokens in pieces of 512, and nine more tokens: eleven steps of 20 ms.
      local d = 11 * 0.02
      local r = check.run(scenario { rps = rho / d, seqs = 1, budget = 512, prompt = 700,
        output = 10, step = 0.02 }, { requests = 60000, warmup = 100 })
      local wait = rho * d / (2 * (1 - rho))
      check.agrees(r.llm[1].queueing.mean, wait, 0.04, "wait")
      check.agrees(r.llm[1].ttft.mean, wait + 2 * 0.02, 0.04, "TTFT")
      check.agrees(r.latency.mean, wait + d, 0.03, "latency")
    end
  end)

  it("is M/G/1 where outputs differ", function()
    local step, mean, rho = 0.01, 20, 0.7
    local p = 1 / mean
    local second = (2 - p) / p ^ 2 * step ^ 2
    local rps = rho / (mean * step)
    local r = check.run(scenario { rps = rps, seqs = 1, output = geometric(mean), step = step },
      { requests = 80000, warmup = 200 })
    local wait = rps * second / (2 * (1 - rho))
    check.agrees(r.llm[1].queueing.mean, wait, 0.035, "wait")
    check.agrees(r.llm[1].ttft.mean, wait + step, 0.035, "TTFT")
    check.agrees(r.llm[1].e2e.mean, wait + mean * step, 0.03, "latency")
  end)

  it("is one of several M/D/1 where requests are sent at random", function()
    local d, rho, replicas = 0.05, 0.75, 4
    local r = check.run(scenario { rps = replicas * rho / d, seqs = 1, output = 5, step = 0.01,
      replicas = replicas, route = "random" }, { requests = 80000, warmup = 20 })
    check.agrees(r.llm[1].queueing.mean, rho * d / (2 * (1 - rho)), 0.025, "wait")
  end)
end)

describe("sequences that share steps of one length", function()
  for _, case in ipairs { { 4, 5, 0.1, 6.4 }, { 16, 20, 0.02, 34 }, { 64, 8, 0.05, 120 } } do
    local seqs, mean, step, rps = table.unpack(case)
    it(("are a chain: %d of them, %d tokens, %g/s"):format(seqs, mean, rps), function()
      local exact = formulas.steps_server(rps, step, 1 / mean, seqs, 2 * seqs + 100)
      local r = check.run(scenario { rps = rps, seqs = seqs, output = geometric(mean),
        step = step }, { requests = 100000, warmup = 100 })
      check.agrees(r.latency.mean, exact.latency, 0.03, "latency")
      check.agrees(r.llm[1].queueing.mean, exact.wait, 0.09, "wait")
      check.agrees(r.llm[1].batch, exact.batch, nil, "batch")
    end)
  end

  it("are M/M/c where steps are short", function()
    local c, mu, lambda = 5, 1, 4
    local tokens = 400
    local step = 1 / (mu * tokens)
    local exact = formulas.steps_server(lambda, step, 1 / tokens, c, 150)
    local limit = formulas.mmc_wait(lambda, mu, c)
    assert.is_true(math.abs(exact.wait - step / 2 * formulas.erlang_c(c, lambda / mu) - limit)
      < 0.01 * limit)
    local r = check.run(scenario { rps = lambda, seqs = c, output = geometric(tokens),
      step = step }, { requests = 60000, warmup = 200 })
    check.agrees(r.llm[1].queueing.mean, exact.wait, 0.09, "wait")
    check.agrees(r.latency.mean, exact.latency, 0.04, "latency")
    check.agrees(r.latency.mean, limit + 1 / mu, 0.04, "M/M/c")
  end)
end)

-- Each request wants 10 s or 0.5 s of steps and waits for 2 s: with room for all of them those that
-- last too long are inside for 2 s, whoever comes (M/G/∞).
describe("what has timed out", function()
  local function impatient(abort, max_seqs)
    return td.scenario "impatient" {
      workload = td.poisson { rps = 1 }, timeout = "2s",
      attrs = { tokens = td.empirical { 10000, 500 } },
      pipeline = { td.generate "g" { prompt = 10, output = "r.tokens",
        step = td.affine { step = "1ms" },
        engine = { max_seqs = max_seqs or 64, kv_blocks = 100000, abort = abort } } },
    }
  end

  it("leaves an LLM server with the next step", function()
    local r = check.run(impatient(), { requests = 12000, warmup = 100 })
    local inside = (2.0005 + 0.5) / 2
    check.agrees(r.in_system, inside, 0.02, "inside")
    check.agrees(r.resources[1].utilization, 1 - math.exp(-inside), 0.02, "in use")
    check.agrees(r.carried_rps, 0.5, 0.03, "carried")
    check.between(r.latency.mean, 0.5, 0.5015, "of those served")
  end)

  it("is finished in vain where the server does not abort", function()
    local r = check.run(impatient(false), { requests = 4000, warmup = 100 })
    check.agrees(r.in_system, (10 + 0.5) / 2, 0.03, "inside")
  end)

  it("makes room for others", function()
    local alone = impatient(nil, 1):with { attrs = { tokens = 10000 } }
    local r = check.run(alone, { requests = 8000, replications = 12 })
    assert.equal(0, r.requests)
    -- One at a time, and nobody waits for longer than 2 s: of those that come none is served.
    check.agrees(r.in_system, 2.0005, 0.15, "inside")
    check.agrees(r.resources[1].utilization, 1 - math.exp(-2.0005), 0.1, "in use")
  end)
end)
