-- The points of a kept sweep as SQL columns (sweep/view): values and half-widths as the JSON has
-- them, hostile names, bounds, points that failed, sweeps of one name, stores that are merged.
local core = require "tandem.core"
local ledger = require "tandem.sweep.ledger"
local merge = require "tandem.sweep.merge"

local function fill(path, name, key, points)
  local book <close> = assert(ledger.open(path))
  local id = assert(book:sweep { key = key, name = name, points = #points, seed = 1,
    metrics = { "latency.p99", "met", 'x"y', "bottleneck" } })
  for n, one in ipairs(points) do assert(book:add(id, n, one[1], one[2])) end
  return id
end

local function rows(path, query)
  local db <close> = assert(core.database(path, { readonly = true }))
  return assert(db:all(query))
end

local function answer(p99, half, met)
  return { ok = true, metrics = { ["latency.p99"] = { value = p99, half = half }, met = met,
    bottleneck = "L40 gpu" } }
end

describe("points_of_NAME", function()
  local directory, path
  before_each(function()
    directory = io.popen("mktemp -d"):read "l"
    path = directory .. "/runs.db"
  end)
  after_each(function() os.execute(("rm -rf '%s'"):format(directory)) end)

  it("has a column for each axis, figure and half-width, in the order of the points", function()
    fill(path, "demo", "k", { { { rps = 40, kind = "L40" }, answer(0.25, 0.125, true) },
      { { rps = 80, kind = "L40" }, answer(math.huge, nil, false) },
      { { rps = 90, kind = "L4O" }, { ok = false, message = "unknown GPU" } } })
    local all = rows(path, "SELECT * FROM points_of_demo")
    assert.same({ { number = 1, ok = 1, rps = 40, kind = "L40", ["latency.p99"] = 0.25,
      ["latency.p99_half"] = 0.125, met = 1, bottleneck = "L40 gpu" },
      { number = 2, ok = 1, rps = 80, kind = "L40", ["latency.p99"] = math.huge, met = 0,
        bottleneck = "L40 gpu" },
      { number = 3, ok = 0, rps = 90, kind = "L4O", message = "unknown GPU" } }, all)
  end)

  it("takes names as they come", function()
    local name = [[it's "a"; DROP TABLE sweep_point]]
    fill(path, name, "k", { { { ["a'b;c"] = 1, Number = 7 }, answer(1, nil, true) } })
    local one = rows(path, "SELECT * FROM points_of_it_s_a_DROP_TABLE_sweep_point")[1]
    assert.equal(1, one["a'b;c"])
    assert.equal(1, one.number)
    assert.equal(1, #rows(path, "SELECT * FROM sweep_point"))
  end)

  it("is of the sweep of that name that got answers last", function()
    fill(path, "demo", "k", { { { rps = 40 }, answer(1, nil, true) } })
    fill(path, "demo", "l", { { { gpus = 2 }, answer(2, nil, true) } })
    local all = rows(path, "SELECT * FROM points_of_demo")
    assert.equal(1, #all)
    assert.equal(2, all[1].gpus)
    fill(path, "demo", "k", { { { rps = 40 }, answer(3, nil, true) } })
    assert.equal(3, rows(path, "SELECT * FROM points_of_demo")[1]["latency.p99"])
  end)

  it("is there where stores were merged", function()
    local other, into = directory .. "/other.db", directory .. "/into.db"
    fill(path, "demo", "k", { { { rps = 40 }, answer(1, nil, true) } })
    fill(other, "more", "l", { { { rps = 50 }, answer(2, nil, true) } })
    assert(merge(into, { path, other }))
    assert.equal(40, rows(into, "SELECT rps FROM points_of_demo")[1].rps)
    assert.equal(50, rows(into, "SELECT rps FROM points_of_more")[1].rps)
  end)
end)
