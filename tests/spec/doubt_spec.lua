-- What step models leave open: intervals of runs against runs whose constants were drawn outside.

local rates = require "tandem.llm.rates"
local td = require "tandem"

local function server(options)
  local step = options.step
  return td.scenario "doubted" {
    workload = td.poisson { rps = options.rps or 12, requests = options.requests or 600 },
    attrs = { prompt_tokens = td.lognormal { p50 = 512, p99 = 4000 },
      output_tokens = td.lognormal { p50 = 100, p99 = 400 } },
    target = td.gpu(options.gpu or "H100 SXM") {},
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", step = step } } }
end

local function run(scenario, options)
  local all = { seed = 3, replications = 2, brief = true }
  for k, v in pairs(options or {}) do all[k] = v end
  return assert(scenario:run(all))
end

-- Sums of twelve uniform numbers less six are near enough to Gaussian ones.
local state = 88172645463325252
local function gaussian()
  local sum = -6
  for _ = 1, 12 do
    state = state ~ (state << 13)
    state = state ~ (state >> 7)
    state = state ~ (state << 17)
    sum = sum + (state >> 11) / 2 ^ 53
  end
  return sum
end

local LLAMA <const> = require("tandem.language.generation").architecture "Llama-3.1-8B"

-- A td.roofline with what a dense model in 16 bits on one GPU rests on, drawn from the root as it
-- is written, by no function of the program.
local KEYS <const> = { matrix = "matrix_efficiency", attention = "attention_efficiency",
  weights = "weight_bandwidth", cache = "kv_bandwidth", layer = "layer", sequence = "sequence" }

local function drawn(gpu)
  local data, entry = require "lib.llm_rates", rates.entry(gpu, "vllm")
  local logs = {}
  for i = 1, #data.parameters do logs[i] = 0 end
  for _, vector in ipairs(entry.root) do
    local z = gaussian()
    for i, x in ipairs(vector) do logs[i] = logs[i] + z * x end
  end
  local off = gaussian() * rates.spread(gpu, "vllm", LLAMA, "bf16") + gaussian() * rates.shape()
  local factor = rates.known(gpu, "vllm", LLAMA, "bf16").factor or 1
  local request_s = entry.constants.request_s * math.exp(entry.request_spread * gaussian())
  local out = { factor = factor * math.exp(off), request = request_s }
  local prompts = gaussian() * rates.shape()
  for i, name in ipairs(data.parameters) do
    local key = KEYS[name]
    local constant = key and (entry.constants[key] or entry.constants[key .. "_s"])
    if key then
      local own = (name == "matrix" or name == "attention") and prompts or 0
      out[key] = constant * math.exp(logs[i] - own)
      if key:find "efficiency" or key:find "bandwidth" then out[key] = math.min(1, out[key]) end
    end
  end
  return td.roofline(out)
end

local function quantile(list, q)
  table.sort(list)
  local at = 1 + q * (#list - 1)
  local low = math.floor(at)
  return list[low] + (at - low) * ((list[low + 1] or list[low]) - list[low])
end

describe("what the model leaves open", function()
  it("is what runs with drawn constants have between their quantiles", function()
    for _, case in ipairs { { "H100 SXM", 12 }, { "H100 NVL", 8 } } do
      local told = run(server { gpu = case[1], rps = case[2] }, { doubt = true }).llm[1]
      local tpot, ttft, e2e = {}, {}, {}
      for i = 1, 80 do
        local one = run(server { gpu = case[1], rps = case[2], step = drawn(case[1]) }).llm[1]
        tpot[i], ttft[i], e2e[i] = one.tpot.p50.value, one.ttft.p50.value, one.e2e.p50.value
      end
      for _, pair in ipairs { { told.tpot.p50, tpot }, { told.ttft.p50, ttft },
        { told.e2e.p50, e2e } } do
        local low, high = quantile(pair[2], 0.05), quantile(pair[2], 0.95)
        -- 80 draws know a 95 % quantile to a quarter of its distance.
        local width = math.log(high / low)
        assert.near(math.log(low), math.log(pair[1].model.low), 0.25 * width, case[1])
        assert.near(math.log(high), math.log(pair[1].model.high), 0.25 * width, case[1])
      end
    end
  end)

  it("is the same bytes at any number of threads, and leaves the rest as it is", function()
    local one = server { requests = 200 }
    local a = run(one, { doubt = true, threads = 1 })
    assert.equal(a:to_json(), run(one, { doubt = true, threads = 3 }):to_json())
    assert.equal(run(one).llm[1].tpot.p50.value, a.llm[1].tpot.p50.value)
    assert.is_nil(run(one).doubt)
  end)

  it("is wider where nobody measured, and says so", function()
    local function step(gpu)
      local r = run(server { gpu = gpu, rps = 2, requests = 100 }, { doubt = true })
      return r.doubt.servers[1]
    end
    local seen, near, none = step "H100 SXM", step "H100 NVL", step "Gaudi 3"
    assert.is_true(seen.step < near.step and near.step < none.step)
    assert.same({ "runs", "relatives", "none" },
      { seen.measured, near.measured, none.measured })
    local text = run(server { gpu = "Gaudi 3", rps = 1, requests = 100 }, { doubt = true }):report()
    assert.truthy(text:gsub("%s+", " "):find("NOBODY MEASURED vLLM on Gaudi 3", 1, true))
    text = run(server { gpu = "Gaudi 3", rps = 1, requests = 100 }):report()
    assert.truthy(text:gsub("%s+", " "):find("Note: NOBODY MEASURED vLLM on Gaudi 3", 1, true))
    local nameless = server {}:with { target = td.gpu { bandwidth = "2TB/s",
      flops_bf16 = "400TFLOP/s", memory = "80GiB" }, requests = 100 }
    text = run(nameless, { doubt = true }):report()
    assert.truthy(text:gsub("%s+", " "):find("NOBODY MEASURED vLLM on this GPU", 1, true))
    text = run(server { rps = 1, requests = 100 }):report()
    assert.is_nil(text:find("NOBODY MEASURED", 1, true))
  end)

  it("is nothing where the scenario is sure of its steps, its spread where it says one", function()
    local affine = run(server { step = td.affine { step = "9ms" } }, { doubt = true })
    assert.is_nil(affine.doubt)
    local own = run(server { requests = 200, step = td.roofline { spread = 0.1 } },
      { doubt = true })
    assert.near(0.1, own.doubt.servers[1].step, 1e-9)
    assert.equal("own", own.doubt.servers[1].measured)
    local sure = run(server { requests = 200, step = td.roofline { spread = 0 } },
      { doubt = true })
    local tpot = sure.llm[1].tpot.p50
    assert.near(tpot.value, tpot.model.high, 1e-12)
  end)

  it("tells a slow end that does not keep up", function()
    local r = run(server { rps = 38, requests = 4000 }, { doubt = true })
    assert.is_nil(r.overload)
    assert.truthy(r.doubt.overload)
    assert.is_nil(r.llm[1].ttft.p99.model.high)
    assert.truthy(r:report():find("without end", 1, true))
  end)

  it("says why it does not keep up, or what does not", function()
    local findings = require("tandem.report.doubt").findings
    local head = "At the slow end of what the model leaves open it does not keep up: "
    assert.same({}, findings {})
    assert.same({}, findings { doubt = {} })
    assert.same({ head .. "answer." }, findings { doubt = { overload = { resource = "answer" } } })
    assert.same({ head .. "it fills up." }, findings { doubt = { overload = { resource = "answer",
      reason = "it fills up" } } })
  end)

  it("is told by sweeps and what-ifs, of a point and of a change", function()
    local base = server { requests = 200 }
    local alone = run(base, { doubt = true, seed = 1, replications = 1 })
    local options = { scenario = base, over = { { "rps", { 12, 24 } } }, doubt = true,
      metrics = { "llm.answer.tpot.p50" } }
    local swept = assert(td.sweep(options))
    assert.same(alone.llm[1].tpot.p50.model, swept.rows[1].model["llm.answer.tpot.p50"])
    assert.truthy(swept:to_csv():find("llm.answer.tpot.p50_model_low", 1, true))
    options.doubt = nil
    assert.is_nil(assert(td.sweep(options)).rows[1].model["llm.answer.tpot.p50"])
    local path = "llm.answer.tpot.p50"
    local compared = td.whatif(base, { H200 = { gpu = "H200" }, later = { rps = 6 } },
      { doubt = true, metric = path, seed = 1, replications = 2 })
    local function reach(name)
      local change = compared:row(name).differences[path]
      assert.is_true(change.model.low < change.value and change.value < change.model.high)
      return change.model.high - change.value, change.value - change.model.low
    end
    local function own(scenario)
      local one = run(scenario, { doubt = true, seed = 1 }).llm[1].tpot.p50
      return one.model.high - one.value, one.value - one.model.low
    end
    -- One deployment is off together at both loads: less than either alone. Two cards are each off
    -- by themselves, but for the version that both are of.
    local slow, fast = own(base)
    local slower, faster = own(base:with { gpu = "H200" })
    local up, down = reach "later"
    assert.is_true(up < slow and down < slow)
    up, down = reach "H200"
    local common = rates.version_spread("vllm") ^ 2
    assert.is_true(common > 0)
    assert.is_true(up > 0.6 * math.sqrt(slower ^ 2 + fast ^ 2)
      and up < math.sqrt(slower ^ 2 + fast ^ 2))
    assert.is_true(down > 0.6 * math.sqrt(faster ^ 2 + slow ^ 2)
      and down < math.sqrt(faster ^ 2 + slow ^ 2))
  end)

  it("is foretold of a measurement as a fit to it leaves it", function()
    local path, base = os.tmpname(), server { rps = 8, requests = 300 }
    local function asked(scenario)
      return td.plan.gpus { scenario = scenario, slo = { tpot_p50 = "200ms" }, max = 4,
        replications = 8 }:records().rows[1].doubt
    end
    local before = asked(base)
    local at = before.measure
    assert.is_true(at.left < 0.95 * before.step)
    local file <close> = assert(io.open(path, "w"))
    assert(file:write("concurrency,isl,osl,ttft_ms,tpot_ms,model,gpu,tp,backend\n",
      ("%d,%d,%d,100,11,Llama-3.1-8B,H100 SXM,1,vllm\n"):format(at.seqs, at.prompt, at.output)))
    file:close()
    local fitted = assert(require("tandem.llm.calibrate").run { file = path })
    os.remove(path)
    assert.near(at.left, fitted.engines[1].spread, 0.04 * at.left)
    local after = asked(base:with { ["pipeline.answer.step"] = fitted:step() })
    assert.near(at.left, after.step, 0.04 * at.left)
    assert.is_nil(after.measure) -- a fit begins at what is shipped, not at the one before
  end)

  it("is marked where nobody measured: sweeps, what-ifs, plans, the list", function()
    local mark = "NOBODY MEASURED vLLM on Gaudi 3"
    local base = server { rps = 2, requests = 60 }
    local swept = assert(td.sweep { scenario = base, over = { { "gpu", { "H100", "Gaudi 3" } },
      { "rps", { 1, 2 } } }, metrics = { "llm.answer.tpot.p50" } })
    assert.truthy(tostring(swept):gsub("%s+", " "):find(mark, 1, true))
    assert.equal(1, #swept.cautions)
    assert.truthy(swept:to_json():find('"cautions"', 1, true))
    local alone = assert(td.sweep { scenario = base:with { gpu = "Gaudi 3" },
      over = { gpu = { "H100", "L40S" } }, metrics = { "llm.answer.tpot.p50" } })
    assert.same({}, alone.cautions)
    local compared = td.whatif(base, { other = { gpu = "Gaudi 3" } },
      { metric = "llm.answer.tpot.p50", replications = 2 })
    assert.truthy(tostring(compared):gsub("%s+", " "):find(mark, 1, true))
    assert.truthy(compared:to_json():find(mark, 1, true))
    local best = td.plan.best { scenario = base, over = { gpu = { "H100", "Gaudi 3" } },
      slo = { tpot_p50 = "200ms" }, replications = 8, minimize = "watts" }
    assert.truthy(table.concat(best.cautions, " "):find(mark, 1, true))
    local cell, gpus = require("tandem.report.gpus").runs_cell, require "tandem.catalogue"
    assert.equal("none", cell((gpus.gpu "Gaudi 3")))
    assert.equal("relatives", cell((gpus.gpu "H100 NVL")))
    assert.is_number(tonumber((cell((gpus.gpu "H100 SXM")))))
  end)

  it("is in verdicts that it leaves open, and in no others", function()
    local words = "the model leaves it open: "
    local middle = run(server { requests = 200 }).llm[1].tpot.p50.value
    local function told(limit)
      local slo = { tpot_p50 = ("%.6fs"):format(limit) }
      local r = run(server { requests = 200 }:with { slo = slo }, { doubt = true })
      local model = r.classes[1].slo[1].value.model
      assert.is_true(model.low < middle and middle < model.high)
      return r:report():gsub("%s+", " "):find(words, 1, true) ~= nil
    end
    assert.is_true(told(1.1 * middle))
    assert.is_true(told(0.9 * middle))
    assert.is_false(told(3 * middle))
    assert.is_false(told(0.3 * middle))
  end)

  it("can be set: steps that are slower by standard deviations", function()
    local base = server { requests = 200 }
    local slow = run(base:with { ["doubt.steps"] = 1.645 }).llm[1].tpot.p50.value
    local fast = run(base:with { doubt = { steps = -1.645 } }).llm[1].tpot.p50.value
    local middle = run(base).llm[1].tpot.p50.value
    assert.is_true(fast < middle and middle < slow)
    local _, problems = base:try_with { ["doubt.steps"] = 9 }
    assert.truthy(tostring(problems):find "steps")
    assert.truthy(base:with { ["doubt.steps"] = 1.645 }:run { replications = 1 }:report()
      :gsub("%s+", " "):find("Note: steps are not what is known but +1.645", 1, true))
    _, problems = base:try_with { doubt = { steps = 1, at = { { server = "answr", seqs = 3 } } } }
    assert.truthy(tostring(problems):find("did you mean 'answer'", 1, true))
    _, problems = assert(td.load "demo"):try_with { doubt = 1 }
    assert.truthy(tostring(problems):find("there is no td.generate", 1, true))
  end)
end)

describe("spreads of deployments", function()
  it("are found again where they are known", function()
    local spreads = require "tests.accuracy.calibrate.spreads"
    local rows, answers = {}, {}
    for c = 1, 240 do
      local moe = c % 2 == 0
      local factor = gaussian() * (moe and 0.15 or 0.08)
      for clients = 1, 8 do
        local measured = math.exp(factor + gaussian() * 0.06)
        rows[#rows + 1] = { configuration = c, gpu = c % 3, J = {}, point = { tpot_s = measured,
          concurrency = clients, architecture = { experts = moe and 8 or 0 } } }
        answers[#answers + 1] = { tpot_s = 1, unknown = 0, constants = 0, root = {} }
      end
    end
    local s = spreads.choose(rows, answers, spreads.configurations(rows))
    -- The noise of a measurement that learning reckons with is a part of the shape.
    assert.near(0.06, s.shape, 0.011)
    assert.near(0.08, s.dense, 0.016)
    assert.near(0.15, s.moe, 0.03)
    local alone, three = spreads.nested(rows, answers)
    assert.near(0.9, alone, 0.04)
    assert.near(0.9, three, 0.04)
  end)
end)

describe("parameters of the estimate", function()
  it("each move constants that there are", function()
    for _, name in ipairs(require("lib.llm_rates").parameters) do
      for _, key in ipairs(rates.parameters[name]) do assert.is_number(rates.constants[key]) end
    end
  end)
end)
