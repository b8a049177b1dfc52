-- "Which measurement would narrow it most": benchmarks of a known truth, fitted. What is left of
-- the doubt is what was foretold, and intervals after the fit hold the truth.

local calibrate = require "tandem.llm.calibrate"
local td = require "tandem"

local DRAWS <const> = 30

local state = 20261128
local function uniform()
  state = state * 6364136223846793005 + 1442695040888963407
  return ((state >> 11) + 0.5) / (1 << 53)
end
local function normal()
  return math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
end

local function server(gpu, rps)
  return td.scenario "measured" { workload = td.poisson { rps = rps, requests = 400 },
    attrs = { prompt_tokens = td.lognormal { p50 = 512, p99 = 4000 },
      output_tokens = td.lognormal { p50 = 100, p99 = 400 } },
    target = td.gpu(gpu) {}, pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } }
end

local function tpot_of(scenario, doubted)
  return assert(scenario:run { seed = 3, replications = 1, brief = true, doubt = doubted })
    .llm[1].tpot.p50
end

local function fit(gpu, at, tpot_s)
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "w"))
  assert(file:write("concurrency,isl,osl,ttft_ms,tpot_ms,model,gpu,tp,backend\n",
    ("%d,%d,%d,100,%.6f,Llama-3.1-8B,%s,1,vllm\n"):format(at.seqs, at.prompt, at.output,
      1e3 * tpot_s, gpu)))
  file:close()
  local fitted = assert(calibrate.run { file = path })
  os.remove(path)
  return fitted
end

describe("a measurement that would narrow a plan", function()
  it("leaves what was foretold, around the truth", function()
    for _, case in ipairs { { "H100 SXM", 8 }, { "B300", 8 }, { "Gaudi 3", 4 } } do
      local base = server(case[1], case[2])
      local answer = td.plan.gpus { scenario = base, slo = { tpot_p50 = "200ms" }, max = 4,
        replications = 8 }
      local at, held = answer:records().rows[1].doubt.measure, 0
      local bench = base:with { workload = td.closed { users = at.seqs, requests = 200 },
        attrs = { prompt_tokens = at.prompt, output_tokens = at.output } }
      for _ = 1, DRAWS do
        -- The truth is off by a draw of what is doubted, and its benchmark by luck.
        local truth = tpot_of(bench:with { ["doubt.steps"] = normal() }).value
        local fitted = fit(case[1], at, truth * math.exp(0.05 * normal()))
        assert.near(1, fitted.engines[1].spread / at.left, 0.04)
        local told = tpot_of(bench:with { ["pipeline.answer.step"] = fitted:step() }, true).model
        held = held + (told.low <= truth and truth <= told.high and 1 or 0)
      end
      -- The spread also has the shape of other batches, so that more than 90 % are held at its own.
      assert.is_true(held >= 0.9 * DRAWS, ("%s: %d of %d"):format(case[1], held, DRAWS))
    end
  end)
end)
