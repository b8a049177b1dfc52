-- Tables in files beside a scenario: what may be read, and what it becomes.
local td = require "tandem"
local core = require "tandem.core"

local folder

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

local function curve(settings)
  return ([[local td = require "tandem"
return td.scenario "c" { workload = td.curve { %s, duration = "40s" },
  pipeline = { td.fixed "x" { time = "1ms" } } }]]):format(settings)
end

local function load(text)
  return td.load("c.lua", { text = text, directory = folder })
end

local function problem(text)
  local made, problems = load(text)
  return made and "fine" or tostring(problems)
end

describe("a file beside a scenario", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(core.files.make(folder .. "/below"))
    write("day.csv", "hour,rps,note\n0,10,night\n1,30,\n2,20,evening\n")
    write("below/cost.csv", "\"batch\",seconds\r\n1,4ms\r\n8, 10 ms\r\n")
    os.execute(("ln -s /etc/hostname %s/out.csv; ln -s below/cost.csv %s/in.csv"):format(folder,
      folder))
  end)

  teardown(function() os.execute("rm -r " .. folder) end)

  it("is a curve", function()
    local points = assert(load(curve 'file = "day.csv", unit = "10s"')):model().classes[1].arrivals
      .points
    assert.same({ 0, 10, 10, 30, 20, 20 }, points)
    points = assert(load(curve 'file = "day.csv", columns = { time = "rps", rps = "hour" }'
      :gsub("rps = \"hour\"", "rps = \"rps\""):gsub("time = \"rps\"", "time = \"hour\"")))
      :model().classes[1].arrivals.points
    assert.same({ 0, 10, 1, 30, 2, 20 }, points)
  end)

  it("is read whole, packed or not", function()
    local rows = {}
    for i = 1, 60000 do rows[i] = ("%d,%d"):format(i, 10 + i % 3) end
    local text = "hour,rps\n" .. table.concat(rows, "\n")
    for _, content in ipairs { text, core.digest.gzip(text) } do
      write("long.csv", content)
      assert.equal(60000, #assert(require("tandem.sandbox.beside").csv("long.csv", folder)))
    end
  end)

  it("is a table of costs", function()
    local made = assert(load [[local td = require "tandem"
      local cost = td.csv("below/cost.csv", { "batch", "seconds" })
      return td.scenario "c" { workload = td.poisson { rps = 5, requests = 5 },
        target = "L4", pipeline = { td.stage "s" { on = "gpu",
          cost = function(r) return td.interp(r.batch + 3.5, cost) end } } }]])
    local result = made:run { replications = 1, warmup = "none" }
    assert(math.abs(result.stages[1].service.mean.value - 0.007) < 1e-9)
  end)

  it("has records where no columns are named", function()
    local made = assert(load [[local td = require "tandem"
      local rows = td.csv "day.csv"
      assert(#rows == 3 and rows[2].rps == 30 and rows[2].note == nil and rows[3].note == "evening")
      return td.scenario "c" { workload = td.poisson { rps = 5 },
        pipeline = { td.fixed "x" { time = "1ms" } } }]])
    assert.equal("c", made.name)
  end)

  it("lies in its folder or below, wherever links lead", function()
    assert.equal("fine", problem(curve 'file = "in.csv"'))
    for _, name in ipairs { "../day.csv", "below/../../day.csv", "out.csv" } do
      local said = problem(curve(("file = %q"):format(name)))
      assert(said:find("outside the scenario's folder", 1, true)
        or said:find("No such file", 1, true), said)
    end
    assert.truthy(problem(curve 'file = "out.csv"'):find("outside", 1, true))
    assert.truthy(problem(curve 'file = "/etc/hostname"'):find("begins with /", 1, true))
    assert.truthy(problem(curve 'file = "below"'):find("no plain file", 1, true))
    assert.truthy(problem 'return require "tandem".csv("../x.csv")':find("td.csv", 1, true))
  end)

  it("says what is wrong with it", function()
    assert.truthy(problem(curve 'file = "nope.csv"'):find("nope.csv: No such file", 1, true))
    assert.truthy(problem(curve 'file = "day.csv", columns = { rps = "rsp" }')
      :find("no column 'rsp'; did you mean 'rps'?", 1, true))
    write("bad.csv", "hour,rps\n0,10\n1,many\n")
    assert.truthy(problem(curve 'file = "bad.csv"'):find("row 2 is 1, many", 1, true))
    write("empty.csv", "hour,rps\n")
    assert.truthy(problem(curve 'file = "empty.csv"'):find("no rows", 1, true))
    assert.truthy(problem(curve 'file = "day.csv", points = { { 0, 1 } }')
      :find("points or a file, not both", 1, true))
    assert.truthy(problem(curve 'unit = "1h"'):find("wants points", 1, true))
    write("large.csv", "a,b\n" .. ("1,2\n"):rep(2 ^ 22 + 1))
    assert.truthy(problem(curve 'file = "large.csv"'):find("larger than 16 MiB", 1, true))
    write("packed.csv", core.digest.gzip("a,b\n" .. ("1,2\n"):rep(2 ^ 22 + 1)))
    assert.truthy(problem(curve 'file = "packed.csv"'):find("larger than 16 MiB", 1, true))
    write("cut.csv", core.digest.gzip("a,b\n1,2\n"):sub(1, -9))
    assert.truthy(problem(curve 'file = "cut.csv"'):find("cut.csv: its gzip data ends too early", 1,
      true))
  end)
end)
