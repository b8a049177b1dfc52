-- The page of a plan has the numbers of its text: counts by kind and load, by its table's cells
-- and by the names of the points that are drawn.
local td = require "tandem"

describe("the page of a plan", function()
  local scenario = td.scenario "p" { workload = td.poisson "100rps",
    target = td.gpu "L4" { count = 1 }, slo = { p99 = "100ms" },
    pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "15ms" } } }
  local answer = td.plan.gpus { scenario = scenario, kinds = { "L4", "H100" },
    load = { 50, 120 }, sensitivity = false }
  local path = os.tmpname() .. ".html"
  assert(answer:plot(path))
  local file = assert(io.open(path))
  local page = file:read "a"
  file:close()
  os.remove(path)

  local function said()
    local rows, text = {}, answer:report()
    for load, kind, count in text:gmatch "\n *(%d+) /s +(%w+) +(%d+) " do
      rows[#rows + 1] = ("%s %s %s"):format(kind, load, count)
    end
    table.sort(rows)
    return rows
  end

  it("says in its table what the text says", function()
    local cells, rows = {}, {}
    for cell in page:gmatch "<td[^>]*>([^<]*)" do cells[#cells + 1] = cell end
    for i = 1, #cells, 3 do
      rows[#rows + 1] = ("%s %s %s"):format(cells[i], cells[i + 1], cells[i + 2])
    end
    table.sort(rows)
    assert.equal(4, #rows)
    assert.same(said(), rows)
  end)

  it("draws what the text says", function()
    local rows, wide = {}, page:match "<figure.-scroll slim"
    for kind, count, load in wide:gmatch "<title>(%w+): (%d+) at (%d+)" do
      rows[#rows + 1] = ("%s %s %s"):format(kind, load, count)
    end
    table.sort(rows)
    assert.same(said(), rows)
  end)

  it("and the JSON has the same", function()
    local rows = {}
    for _, row in ipairs(answer.rows) do
      rows[#rows + 1] = ("%s %d %d"):format(row.kind, row.load, row.count)
    end
    table.sort(rows)
    assert.same(said(), rows)
  end)
end)
