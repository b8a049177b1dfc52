--- Charts of a score: how far each figure is off, distributions side by side, lanes over time.
--
-- Owns what is drawn and how many; drawing is tandem.plot's. Used by init.lua.
local core = require "tandem.core"
local format = require "tandem.text.format"

local charts = {}

-- Pages with more show less.
local MOST_DISTRIBUTIONS <const> = 9
local POINTS <const> = 100
local WIDTH <const> = 540 -- two beside one another on a page

local function plots() return require "tandem.plot" end

--- Bars of the differences with their intervals, and the tolerance.
---@param score tandem.Score
---@return tandem.AnalysisPlot|nil
function charts.errors(score)
  local rows = {}
  for _, row in ipairs(score:frame "verdict".rows) do
    if row.difference then
      local half = row.low and math.max(row.difference - row.low, row.high - row.difference)
      rows[#rows + 1] = { name = row.name, value = row.difference, half = half,
        front = row.verdict == "off" }
    end
  end
  if #rows == 0 then return nil end
  return { title = "Error", chart = plots().bars { width = WIDTH,
    title = "How far the simulation is off",
    subtitle = "simulated against real, with the intervals of the verdict", rows = rows,
    x = { unit = "%" }, limits = { { x = -score.within },
      { x = score.within, label = ("within %s"):format(format.percent(score.within)) } } } }
end

-- A distribution function as points: its quantiles.
local function curve(name, values)
  local levels, series = {}, { name = name, x = {}, y = {} }
  for i = 0, POINTS do levels[i + 1] = i / POINTS end
  for i, one in ipairs(core.estimate.quantiles(values, levels)) do
    series.x[i], series.y[i] = one.value / 1e9, levels[i]
  end
  return series
end

local function distribution(name, real, simulated)
  local title = name == "total" and "Total time of requests" or ("Own time of %s"):format(name)
  return { title = title, chart = plots().lines { width = WIDTH, title = title,
    subtitle = "share of the requests that took no longer", x = { unit = "time" },
    y = { unit = "%", min = 0, max = 1 },
    series = { curve("real", real), curve("simulated", simulated) } } }
end

local function over_time(score, lane)
  local busy = { { name = "real", x = {}, y = {}, step = "after" },
    { name = "simulated", x = {}, y = {}, step = "after" } }
  local queued, any = { { name = "real", x = {}, y = {}, step = "after" },
    { name = "simulated", x = {}, y = {}, step = "after" } }, false
  for _, row in ipairs(score:frame "over_time".rows) do
    if row.lane == lane then
      for i, side in ipairs { "real", "simulated" } do
        for list, name in pairs { [busy] = "_busy", [queued] = "_queue" } do
          local value = row[side .. name]
          list[i].x[#list[i].x + 1], list[i].y[#list[i].y + 1] = row.at_s, value or 0 / 0
          any = any or name == "_queue" and value ~= nil and value > 0
        end
      end
    end
  end
  local made = { { title = lane, chart = plots().lines { width = WIDTH,
    title = ("%s: busy"):format(lane),
    x = { label = "from the first common arrival", unit = "s" },
    y = { unit = "%", min = 0, max = 1 }, series = busy } } }
  if any then
    made[2] = { title = lane, chart = plots().lines { width = WIDTH,
      title = ("%s: requests that wait"):format(lane), y = { min = 0 }, series = queued,
      x = { label = "from the first common arrival", unit = "s" } } }
  end
  return made
end

--- The charts of a score, the error first.
---@param score tandem.Score
---@return tandem.AnalysisPlot[]
function charts.of(score)
  local made = {}
  made[1] = charts.errors(score)
  for i, one in ipairs(score.distributions) do
    if i <= MOST_DISTRIBUTIONS then
      made[#made + 1] = distribution(one.name, one.real, one.simulated)
    end
  end
  for _, row in ipairs(score.lanes) do
    table.move(over_time(score, row), 1, 2, #made + 1, made)
  end
  return made
end

return charts
