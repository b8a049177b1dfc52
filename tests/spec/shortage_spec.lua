-- Memory that is short is no failure that one may go on after.
local shortage = require "tandem.text.shortage"
local td = require "tandem"

describe("an attempt", function()
  it("hands on what is returned and what is raised", function()
    assert.same({ true, 1, nil, 3, n = 4 }, table.pack(shortage.attempt(function(...)
      return ...
    end, 1, nil, 3)))
    local raised = {}
    local ok, what = shortage.attempt(error, raised)
    assert.is_false(ok)
    assert.equal(raised, what)
    assert.same({ false, "out of reach" }, { shortage.attempt(error, "out of reach", 0) })
    assert.same({ false, n = 2 }, table.pack(shortage.attempt(error)))
  end)

  it("raises that memory is short, in one word whoever said it", function()
    for _, text in ipairs { "not enough memory", "lua/tandem/x.lua:3: not enough memory",
      "model.classes[1]: out of memory: 16 bytes for an expression" } do
      assert.same({ false, "not enough memory" }, { pcall(shortage.attempt, error, text, 0) })
    end
  end)

  it("leaves nothing out of a plan or what theory expects", function()
    -- As Lua raises it; to ask for too much in earnest ends a program under a sanitizer.
    local function starve() error("not enough memory", 0) end
    assert.is_true(shortage.is(select(2, pcall(starve))))
    local moments = require "tandem.explain.moments"
    assert.has_error(function() moments.of_distribution { dist = "lua", fn = starve } end,
      "not enough memory")
    local scenario = td.scenario "s" { workload = td.poisson { rps = 1, requests = 10 },
      pipeline = { td.fixed "work" { time = "1ms" } } }
    scenario = setmetatable({ model = starve }, { __index = scenario })
    assert.has_error(function() require("tandem.sweep.job").usual(scenario) end,
      "not enough memory")
  end)
end)
