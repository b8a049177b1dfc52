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
