-- A run as CSV holds no formulas for spreadsheets, and is the same run when it is read again.
local fixture = require "tests.spec.support.store_fixture"

local NAMES <const> = { "=1+1", "+op", "@SUM(1)", "-1+1", "'=quoted", "''-twice", "it's", "\tTab,",
  "a=b" }

describe("CSV of a run", function()
  it("guards texts that are formulas, and takes the guard off again", function()
    local files = fixture.new()
    local events = {}
    for i, name in ipairs(NAMES) do
      events[i] = { ph = "X", cat = "cpu_op", name = name, pid = 0, tid = 1, ts = i * 10, dur = 5 }
    end
    local trace, table_file = files:path "t.json", files:path "t.csv"
    local file <close> = assert(io.open(trace, "wb"))
    file:write((require("cjson").encode { traceEvents = events }))
    file:close()
    local function tandem(...)
      local out, err, code = files:tandem(...)
      assert.equal(0, code, err)
      return out
    end
    local function names()
      return tandem("sql", "SELECT name, start_ns - (SELECT first_ns FROM run WHERE number = s.run)"
        .. " FROM span s WHERE run = (SELECT max(number) FROM run) ORDER BY start_ns", "--json")
    end
    tandem("import", trace)
    local before = names()
    tandem("export", "last", "--out", table_file)
    local guarded = 0
    for line in io.lines(table_file) do
      local name = line:match "cpu_op,(.*)$"
      assert.is_nil(name and name:match '^"?[=+@\t-]')
      if name and name:find '^"?\'' then guarded = guarded + 1 end
    end
    assert.equal(7, guarded)
    tandem("import", table_file)
    assert.equal(before, names())
    files:remove()
  end)
end)
