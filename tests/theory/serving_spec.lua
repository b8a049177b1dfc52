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
    check.agrees(r.llm[1].queueing.mean, wait, 0.03, "wait")
    check.agrees(r.llm[1].ttft.mean, wait + step, 0.03, "TTFT")
    check.agrees(r.llm[1].e2e.mean, wait + mean * step, 0.03, "latency")
  end)

  it("is one of several M/D/1 where requests are sent at random", function()
    local d, rho, replicas = 0.05, 0.75, 4
    local r = check.run(scenario { rps = replicas * rho / d, seqs = 1, output = 5, step = 0.01,
      replicas = replicas, route = "random" }, { requests = 80000, warmup = 20 })
    check.agrees(r.llm[1].queueing.mean, rho * d / (2 * (1 - rho)), 0.02, "wait")
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
      check.agrees(r.llm[1].queueing.mean, exact.wait, 0.08, "wait")
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
    check.agrees(r.llm[1].queueing.mean, exact.wait, 0.08, "wait")
    check.agrees(r.latency.mean, exact.latency, 0.04, "latency")
    check.agrees(r.latency.mean, limit + 1 / mu, 0.04, "M/M/c")
  end)
end)
