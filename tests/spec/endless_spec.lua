-- Functions of a scenario that never return, in the middle of a run; commands that are proposed.
local core = require "tandem.core"
local td = require "tandem"

describe("a call that never returns", function()
  it("is stopped, with its line", function()
    local calls = 0
    local scenario = td.scenario "endless" {
      workload = td.poisson { rps = 10, requests = 1000 }, target = td.gpu "L4" {},
      pipeline = { td.stage "s" { on = "gpu", cost = function()
        calls = calls + 1
        if calls > 200 then
          repeat calls = calls + 1 until calls < 0
        end
        return 0.001
      end } },
    }
    for threads = 1, 2 do
      local result, problem = core.run(scenario:model(), { replications = 2, threads = threads,
        call_s = 0.05 })
      assert.is_nil(result)
      assert.matches("endless_spec.lua:13: one call ran for more than 0.05 s of processor time",
        problem, 1, true)
    end
  end)
end)

describe("a call that takes all memory", function()
  local function run_of(cost, options)
    local scenario = td.scenario "greedy" {
      workload = td.poisson { rps = 10, requests = 1000 }, target = td.gpu "L4" {},
      pipeline = { td.stage "s" { on = "gpu", cost = cost } } }
    options.replications, options.threads = 2, 2
    return core.run(scenario:model(), options)
  end

  it("is stopped, with the line of its function", function()
    local kept = {}
    local result, problem = run_of(function(r)
      if r.id > 20 then for i = 1, 1000 do kept[i] = ("x"):rep(100000) .. i end end
      return 0.001 + 0 * #kept
    end, { memory_bytes = 20000000 })
    assert.is_nil(result)
    assert.matches("endless_spec.lua:%d+: the functions hold more than 20000000 bytes of memory",
      problem)
  end)

  it("has a limit where none was asked for", function()
    local result, problem = run_of(function(r)
      return r.id > 20 and #("x"):rep(1 << 31) or 0.001
    end, {})
    assert.is_nil(result)
    assert.matches("endless_spec.lua:%d+: the functions hold more than 1073741824 bytes", problem)
  end)

  it("says in one line what it raised", function()
    local result, problem = run_of(function(r)
      if r.id > 20 then error "a\nb\27[31m" end
      return 0.001
    end, {})
    assert.is_nil(result)
    assert.matches("endless_spec.lua:%d+: a b%?%[31m$", problem)
  end)
end)

describe("a call of a library that never returns", function()
  local pattern <const> = ("a*"):rep(40) .. "b"
  local subject <const> = ("a"):rep(40)
  local arrivals = {
    cost = function(endless)
      return { workload = td.poisson { rps = 10, requests = 1000 }, pipeline = {
        td.stage "s" { on = "gpu", cost = function(r)
          if r.id > 20 then return endless() end
          return 0.001
        end } } }
    end,
    arrival = function(endless)
      return { pipeline = { td.stage "s" { on = "gpu", cost = "1ms" } },
        workload = td.arrivals { requests = 1000, fn = function(now_s)
          if now_s > 2 then return endless() end
          return 0.1
        end } }
    end,
  }
  local calls = {
    find = function() return subject:find(pattern) end,
    gmatch = function() return subject:gmatch(pattern)() end,
    caught = function() return pcall(string.gsub, subject, pattern, "") and 1 or 2 end,
    move = function() return #table.move({}, 1, 1 << 60, 2) end,
  }
  for what, make in pairs(arrivals) do
    for name, call in pairs(calls) do
      it(("in %s of a request is stopped, with its line: %s"):format(what, name), function()
        local parts = make(call)
        parts.target = td.gpu "L4" {}
        local model = td.scenario "endless" (parts):model()
        local result, problem = core.run(model, { replications = 2, threads = 2, call_s = 0.05 })
        assert.is_nil(result)
        assert.matches("endless_spec.lua:%d+: one call ran for more than 0.05 s", problem)
      end)
    end
  end

  it("in a coroutine is stopped, with its line", function()
    for name, call in pairs(calls) do
      local model = td.scenario "endless" { target = td.gpu "L4" {},
        pipeline = { td.stage "s" { on = "gpu", cost = "1ms" } },
        workload = td.arrivals_coroutine { requests = 100, fn = function()
          for _ = 1, 10 do coroutine.yield(0.01) end
          call()
        end } }:model()
      local result, problem = core.run(model, { replications = 1, threads = 1, call_s = 0.05 })
      assert.is_nil(result)
      assert.matches("endless_spec.lua:%d+: one call ran for more than 0.05 s", problem, 1, false,
        name)
    end
  end)

  it("is stopped where a scenario is loaded, too", function()
    local text = ([[local td = require "tandem"
      return td.scenario "s" {
        workload = td.poisson { rps = 1, requests = 10 }, target = td.gpu "L4" {},
        pipeline = { td.stage "s" { on = "gpu", cost = function(r)
          return (("a"):rep(40)):find(("a*"):rep(40) .. "b")
        end } } }]])
    local made, problems = require("tandem.sandbox").load_scenario("x.lua", { text = text })
    local message = made and tostring(select(2, pcall(made.model, made))) or tostring(problems)
    assert.matches("x.lua:5: one call ran for more than 50000000 instructions", message, 1, true)
  end)
end)

describe("commands that are proposed", function()
  it("repeat --trusted where it was given", function()
    local scenario = td.scenario "s" { workload = td.poisson { rps = 1, requests = 100 },
      pipeline = { td.delay "d" { time = "1s" } } }
    local result = assert(scenario:run { replications = 2 })
    local text = result:report { file = "my.lua", trusted = true }
    assert.matches("tandem run my.lua --trusted", text, 1, true)
    assert.matches("tandem explain my.lua --trusted", text, 1, true)
    assert.falsy(result:report({ file = "my.lua" }):find("--trusted", 1, true))
    assert.matches("tandem run my.lua --trusted",
      require "tandem.explain"(scenario, { file = "my.lua", trusted = true }), 1, true)
  end)
end)
