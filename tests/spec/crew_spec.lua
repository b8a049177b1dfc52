-- Jobs and crews: the same answers wherever the work is done.
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local td = require "tandem"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 2000 },
    target = td.gpu "L40" { concurrency = 4 },
    pipeline = { td.fixed "work" { time = td.exponential "50ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.scenario "base" (raw)
end

local function answers(options, jobs)
  local out = {}
  local c <close> = crew.open(options)
  for i, one in ipairs(jobs) do c:submit(one, i) end
  while true do
    local tag, answer = c:next()
    if not tag then
      assert.equal("empty", answer)
      return out
    end
    out[tag] = answer
  end
end

describe("a crew", function()
  it("gives the same answers with any number of threads", function()
    local jobs = {}
    for i = 1, 12 do
      jobs[i] = { base = 1, set = { rps = 10 + 5 * i }, seed = 3, replications = 2 }
    end
    local one = answers({ scenarios = { base() }, threads = 1 }, jobs)
    assert.same(one, answers({ scenarios = { base() }, threads = 3 }, jobs))
    assert.is_true(one[1].metrics.met)
    assert.is_false(one[12].metrics.met)
    assert.equal("L40 gpu", one[12].metrics.bottleneck)
    assert.equal(1, one[1].metrics.gpus.value)
  end)

  it("says how much of a job is done while it is under way", function()
    local go = os.tmpname()
    os.remove(go)
    -- Works on until the owner lets it: nothing here depends on how fast anybody is.
    local function work(text)
      local module = require "tandem.core"
      module.crew_share(tonumber(text))
      module.crew_share(0.1) -- nobody goes back
      local file
      repeat file = io.open(go) until file
      file:close()
      return "done"
    end
    local c <close> = core.crew(work, 2)
    assert.equal(0, c:under_way())
    c:give(1, "0.25")
    c:give(2, "0.5")
    repeat until c:under_way() == 0.75
    assert(io.open(go, "w")):close()
    repeat until c:under_way() == 2
    assert.equal("done", select(2, c:take()))
    assert.equal(1, c:under_way())
    c:take()
    assert.equal(0, c:under_way())
    os.remove(go)
    assert.equal(0, select("#", core.crew_share(0.5))) -- no crew's thread: nobody is told
  end)

  it("carries functions, distributions and what they reach", function()
    local slow = { factor = 2 }
    local s = base { pipeline = { td.stage "work" { on = "gpu", cost = function(r)
      if r.id % 2 == 0 then return 0.01 * slow.factor end
      return 0.01
    end } } }
    local jobs = { { base = 1, set = {}, seed = 1, replications = 1 },
      { base = 1, set = { workload = { ["$"] = 1 } }, seed = 1, replications = 1 } }
    local options = { scenarios = { s }, threads = 2,
      values = { td.paced { rps = 5, requests = 100 } } }
    local got = answers(options, jobs)
    options.threads = 1
    assert.same(answers(options, jobs), got)
    assert.near(0.015, got[2].metrics["latency.mean"].value, 1e-9)
  end)

  it("cuts replications in parts that add up to the whole", function()
    local metrics = { "latency.mean", "latency.p99", "slo.p99" }
    local function values(first, count)
      return answers({ scenarios = { base { warmup = "none" } }, threads = 1 }, { { base = 1,
        set = {}, seed = 1, first = first, replications = count, values = true,
        metrics = metrics } })[1].values
    end
    local whole, a, b = values(0, 6), values(0, 2), values(2, 4)
    for _, path in ipairs(metrics) do
      local joined = table.move(b[path], 1, 4, 3, a[path])
      assert.same(whole[path], joined)
    end
    local mean = core.stats.interval(whole["latency.mean"])
    local whole_run = base { warmup = "none" }:run { replications = 6 }
    assert.near(whole_run.latency.mean.value, mean, 1e-12)
    -- A quantile is that of all requests together, near the mean of the replications' own.
    local own = core.stats.interval(whole["latency.p99"])
    assert.near(whole_run.latency.p99.value, own, 0.1 * own)
  end)

  it("tells what is wrong with a point and goes on", function()
    local told = {}
    for _, threads in ipairs { 1, 2 } do
      local got = answers({ scenarios = { base() }, threads = threads }, {
        { base = 1, set = { rps = -1 }, seed = 1, replications = 1 },
        { base = 1, set = { rsp = 1 }, seed = 1, replications = 1 },
        { base = 1, set = { rps = 20 }, seed = 1, replications = 1 } })
      assert.is_false(got[1].ok)
      assert.matches("crew_spec.lua:%d+: workload.rps: is %-1", got[1].message)
      told[threads] = got[1].message
      assert.matches("rsp", got[2].message)
      assert.is_nil(got[2].message:find("\n"))
      assert.is_true(got[3].ok)
    end
    assert.equal(told[1], told[2])
  end)

  it("goes on after it had nothing to do", function()
    local c <close> = crew.open { scenarios = { base() }, threads = 1 }
    for round = 1, 3 do
      c:submit({ base = 1, set = {}, seed = round, replications = 1 }, round)
      assert.equal(round, (c:next()))
      assert.equal("empty", select(2, c:next()))
    end
  end)

  it("says each time why its scenarios cannot be opened", function()
    local work = crew.worker { { raw = { name = 1 } } }
    local _, first = pcall(work, "{}")
    local _, second = pcall(work, "{}")
    assert.matches("name", first)
    assert.equal(first, second)
  end)

  it("is closed once and then refuses work", function()
    local c = crew.open { scenarios = { base() }, threads = 2 }
    c:close()
    c:close()
    assert.error_matches(function() c:submit({ base = 1, set = {} }) end, "closed")
  end)
end)

describe("waiting for an answer", function()
  -- Longer than a second: wherever the wait begins, the clock's second changes meanwhile.
  it("ends when time is up and not before; the answer comes all the same", function()
    local path = os.tmpname()
    assert(os.remove(path) and os.execute("mkfifo " .. path))
    -- From a text: a function written here would carry the specs around it along.
    local work = load [[
      local file = io.open((...)) -- opens when somebody writes
      local text = file:read "a"
      file:close()
      return text
    ]]
    local c <close> = assert(core.crew(work, 1))
    c:give(7, path)
    local began = core.clock()
    assert.same({ nil, "timeout" }, { c:take(1.1) })
    assert.is_true(core.clock() - began > 1)
    local file = assert(io.open(path, "w"))
    file:write "late"
    file:close()
    assert.same({ 7, "late" }, { c:take() })
    assert.same({ nil, "empty" }, { c:take() })
    os.remove(path)
  end)
end)
