-- Plans of fleets, each of which takes seconds: replicas of several GPUs, bursts under a demand to
-- be sure, GPUs that fail.
local td = require "tandem"

local function refused(options, pattern)
  local ok, message = pcall(td.plan.gpus, options)
  assert.is_false(ok)
  assert.matches(pattern, tostring(message))
end

local function chat(extra)
  local s = td.scenario "chat" { workload = td.poisson { rps = 12, duration = "60s" },
    attrs = { prompt_tokens = td.lognormal { p50 = 600, p99 = 5000 }, output_tokens = 100 },
    target = td.gpu "L4" { count = 8 }, slo = { ttft_p99 = "2s" },
    pipeline = { td.generate "chat" { model = td.llm "Qwen3-8B" } } }
  return s:with(extra)
end

describe("td.plan.gpus", function()
  it("counts in whole ones, and more load never takes fewer", function()
    local a = td.plan.gpus { scenario = chat { tp = 2 }, load = "9rps", max = 21,
      slo = { ttft_p99 = "1500ms" } }
    local row = a.rows[1]
    assert.is_true(a.ok)
    assert.equal(20, row.high)
    for _, number in ipairs(row.outcome.order) do assert.equal(0, number % 2) end
    assert.is_true(row.count > 2)
    assert.equal(row.count - 2, row.fewer.count)
    assert.matches(("That is %d replicas of 2 GPUs"):format(row.count / 2),
      (tostring(a):gsub("%s+", " ")))
    for _, one in ipairs(row.sensitivity) do
      assert.equal(0, one.difference % 2)
      assert.is_true(one.difference * one.change >= 0)
    end
    local none = td.plan.gpus { scenario = chat { tp = 8 }, max = 4 }
    assert.is_false(none.ok)
    assert.matches("one replica takes 8 GPUs, and no more than 4 are allowed", tostring(none))
  end)

  it("never says that more load takes fewer", function()
    -- So sure that the answer is the safe one of three that might do.
    local s = td.scenario "bursts" {
      workload = td.bursts { rps = 400, idle_rps = 40, on = "1s", off = "3s", duration = "20s" },
      target = td.gpu "A10G" {}, slo = { p99 = "120ms" },
      pipeline = { td.stage "work" { on = "gpu", cost = "17ms" } } }
    for seed = 1, 3 do
      local a = td.plan.gpus { scenario = s, load = "180rps", replications = 8, seed = seed,
        confidence = 0.999999 }
      assert.equal("undecided", a.rows[1].fewer.state)
      for _, one in ipairs(a.rows[1].sensitivity) do
        assert.is_true((one.difference or 1) * one.change >= 0)
      end
    end
  end)

  it("plans with some of them down, and says what its runs are too short for", function()
    local function fleet(extra)
      return td.scenario "fleet" { workload = td.poisson { rps = 90, duration = "60s" },
        target = td.gpu "A10G" { mtbf = extra and extra.mtbf, mttr = extra and "1min" },
        router = "least_outstanding", slo = { p99 = "200ms" },
        pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "20ms" } } }
    end
    local function ask(scenario, survive)
      return td.plan.gpus { scenario = scenario, survive = survive, sensitivity = false, max = 8 }
    end
    local whole = ask(fleet()).rows[1].count
    for survive = 1, 2 do
      -- What is left is a fleet of the number that suffices, whether these would fail or not.
      local a = ask(fleet { mtbf = "1h" }, survive)
      assert.equal(whole + survive, a.rows[1].count)
      assert.equal(whole + survive, a.rows[1].gpus)
      assert.matches(("with %d of them down meets"):format(survive),
        (tostring(a):gsub("%s+", " ")))
    end
    -- Runs of minutes do not see what comes once in 300 h: that is looked at by itself.
    local rare = (tostring(ask(fleet { mtbf = "300h" })):gsub("%s+", " "))
    assert.matches("One of them fails every 100 h, for 60 s: 99.98 %% of the time all are up and "
      .. "0.02 %% of the time 1 is down%. p99 is of all that time", rare)
    -- … but not with a highest load.
    local load = td.plan.load { scenario = fleet { mtbf = "300h" }, gpus = 2 }
    assert.matches("a failure of A10G comes once in .-, too few for the answer to speak of%. "
      .. "It is for the time between failures; %-%-survive 1 with %-%-find gpus plans with one",
      (tostring(load):gsub("%s+", " ")))
    local often = (tostring(ask(fleet { mtbf = "5min" })):gsub("%s+", " "))
    assert.is_nil(often:find("comes once in", 1, true))
    refused({ scenario = fleet(), survive = 8, max = 8 },
      "survive: is 8, and no more than 8 are allowed %(max%)")
    refused({ scenario = fleet(), survive = 1, mix = true }, "goes with one kind")
    refused({ scenario = fleet(), survive = 1, count = "concurrency" },
      "survive: concurrency is a setting")
  end)
end)
