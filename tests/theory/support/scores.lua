--- How often the intervals of scores hold the truth: recorded runs of a system against other runs
--- of the same, whose differences are luck. Either the other run has luck of its own, or it replays
--- the recorded requests with other service times.
--
-- Owns the pairs and what is counted of them; the systems are those of coverage.lua. Called by
-- score_spec.lua and by tests/accuracy/scores.lua, which prints the table.
local coverage = require "tests.theory.support.coverage"
local fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local scores = {}

-- What replays is open, and has service times that are drawn.
local NOT_REPLAYED <const> = { closed = true, batches = true, priorities = true }
local QUANTILES <const> = { "mean", "p50", "p95", "p99", "wait" }

---@class tests.ScoreCell
---@field system string
---@field size integer
---@field paired boolean
---@field figure string
---@field runs integer
---@field printed integer   intervals; `hits` of them hold the truth, `above` lie below it
---@field hits integer
---@field above integer
---@field needs integer     those without an interval that say how much would do

local function tally(cells, key, low, high, needs)
  local name = ("%s %d %s %s"):format(key.system, key.size, key.paired, key.figure)
  local cell = cells[name]
  if not cell then
    cell = { system = key.system, size = key.size, paired = key.paired, figure = key.figure,
      runs = 0, printed = 0, hits = 0, above = 0, needs = 0 }
    cells[name], cells[#cells + 1] = cell, cell
  end
  cell.runs = cell.runs + 1
  if not low then
    cell.needs = cell.needs + (needs and 1 or 0)
    return
  end
  cell.printed = cell.printed + 1
  if low <= 1e-12 and high >= -1e-12 then
    cell.hits = cell.hits + 1
  elseif high < 0 then
    cell.above = cell.above + 1
  end
end

-- Of one score: what stages, waits and totals print, and the lines of throughput and lanes.
local function count(cells, system, size, paired, made)
  local function note(figure, row, prefix)
    tally(cells, { system = system, size = size, paired = paired, figure = figure },
      row[prefix .. "low"], row[prefix .. "high"])
  end
  for _, row in ipairs(made:frame "stages".rows) do
    local figure = row.name == "total" and "total" or row.name == "(waiting)" and "waiting"
      or row.name ~= "(between)" and "own"
    for _, of in ipairs(figure and QUANTILES or {}) do
      if row[of .. "_difference"] then note(figure .. " " .. of, row, of .. "_") end
    end
  end
  for _, row in ipairs(made:frame "verdict".rows) do
    if row.kind == "throughput" or row.kind == "lane" then
      note(row.kind == "lane" and "utilization" or "throughput", row, "")
    end
  end
end

--- Counts pairs of each system.
---@param sizes { [1]: integer, [2]: integer }[]  requests, pairs
---@param first integer  seeds are first + 1, first + 2, …
---@param paired boolean
---@return tests.ScoreCell[]
function scores.count(sizes, first, paired)
  local cells = {}
  for _, system in ipairs(coverage.systems) do
    for _, size in ipairs(paired and NOT_REPLAYED[system.name] and {} or sizes) do
      local stores = fixture.new()
      local scenario = system.scenario:with { requests = size[1], replications = 1,
        warmup = "none" }
      local function keep(seed)
        return stores:keep("a.db", { scenario = scenario, seed = seed, replications = 1 })
      end
      local ids = {}
      for i = 1, size[2] * (paired and 1 or 2) do ids[i] = keep(first + i) end
      local store = assert(td.store(stores:path "a.db"))
      for i = 1, size[2] do
        local real = assert(store:run(ids[i]))
        local other = assert(paired and real:replay(scenario, { seed = first + 50000 + i })
          or store:run(ids[size[2] + i]))
        count(cells, system.name, size[1], paired, assert(td.score(real, other,
          { within = "5%", bins = 40 })))
      end
      store:close()
      stores:remove()
    end
  end
  return cells
end

--- Cells added up by what `key` makes of them, in order of first appearance.
---@param cells tests.ScoreCell[]
---@param key fun(cell: tests.ScoreCell): string
---@return table[]
function scores.pool(cells, key)
  local groups, by_name = {}, {}
  for _, cell in ipairs(cells) do
    local name = key(cell)
    local group = by_name[name]
    if not group then
      group = { name = name, runs = 0, printed = 0, hits = 0, above = 0 }
      groups[#groups + 1], by_name[name] = group, group
    end
    for _, field in ipairs { "runs", "printed", "hits", "above" } do
      group[field] = group[field] + cell[field]
    end
  end
  return groups
end

return scores
