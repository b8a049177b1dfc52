--- Whether a server still is what its twin was made of, window by window.
--
-- What a window of so long shows when nothing has changed is known from the twin: it is simulated
-- for many of them. A window has drifted where a figure is further from the recording the twin was
-- made of than luck puts it in one of so many windows, all figures together (`alarm`). What the
-- twin itself is off its recording is taken off, and how long that was counts: a short one leaves
-- the figures in doubt. What moves so slowly that no window shows it is slow.lua's. Called by
-- follow.lua and tests.
local arrivals = require "tandem.twin.arrivals"
local core = require "tandem.core"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local simulated = require "tandem.metrics.simulated"

local drift = {}

local WINDOWS <const> = 48  -- simulated
local ALARM <const> = 0.01  -- of windows in which nothing has changed
local LEAST <const> = 20    -- requests in a window, to judge it

---@class tandem.twin.Figure
---@field key string
---@field name string
---@field unit "req/s"|"tok"|"s"

---@type tandem.twin.Figure[]
drift.figures = { { key = "rate", name = "rate", unit = "req/s" },
  { key = "prompt", name = "prompt", unit = "tok" }, { key = "output", name = "output",
    unit = "tok" }, { key = "ttft", name = "TTFT", unit = "s" },
  { key = "gap", name = "time of a token", unit = "s" } }

local function total(list, first, last)
  local sum = 0
  for k = first, last do sum = sum + list[k] end
  return sum
end

-- A mean over bins: of a histogram, else of totals by requests that ended.
local function mean_of(merged, known, histogram, totals, first, last)
  local h = known[histogram] and merged:histogram(known[histogram])
  if h then
    local n = total(h.count, first, last)
    return n > 0 and total(h.sum, first, last) / n or nil
  end
  local tokens = totals and known[totals] and merged:gained(known[totals])
  local n = tokens and total(merged:gained(known.ended), first, last)
  return tokens and n > 0 and total(tokens, first, last) / n or nil
end

--- The figures of the time from one scrape to another; nil where too few requests came.
---@param merged tandem.metrics.Instance
---@param known table<string, string>  its names
---@param first integer|nil  bin
---@param last integer|nil
---@return table<string, number>|nil
function drift.seen(merged, known, first, last)
  local counts = arrivals.counts(merged, known)
  first, last = first or 1, last or #counts
  local came = total(counts, first, last)
  if came < LEAST then return nil end
  return { rate = came / (merged.times[last + 1] - merged.times[first]),
    prompt = mean_of(merged, known, "prompt", "prompts", first, last),
    output = mean_of(merged, known, "output", "generated", first, last),
    ttft = mean_of(merged, known, "ttft", nil, first, last),
    gap = mean_of(merged, known, known.itl and "itl" or "tpot", nil, first, last) }
end

-- How much a value follows the one before it: their correlation, from 0 on.
local function follows_of(list, mean, deviation)
  local sum = 0
  for i = 2, #list do sum = sum + (list[i] - mean) * (list[i - 1] - mean) end
  return math.min(0.9, math.max(0, sum / ((#list - 1) * math.max(deviation ^ 2, 1e-300))))
end

-- How far ln of each figure varies from window to window where nothing changes, of how many, and
-- how much a window follows the one before.
local function luck_of(scenario, window_s, gap)
  local long, message = scenario:try_with { ["workload.duration"] = (WINDOWS + 2) * window_s }
  local instances, code
  if long then instances, message, code = simulated(long, 1, window_s) end
  if not instances then return nil, tostring(message), code or 3 end
  local merged, known, lists = metrics.merged(instances), names.own(), {}
  if gap == "tpot" then known.itl = nil end
  for k = 2, WINDOWS + 1 do -- the first one begins empty
    for key, value in pairs(drift.seen(merged, known, k, k) or {}) do
      lists[key] = lists[key] or {}
      table.insert(lists[key], math.log(value))
    end
  end
  local out = {}
  for key, list in pairs(lists) do
    local mean, deviation = core.stats.moments(list)
    if #list >= WINDOWS // 2 then
      out[key] = { deviation = deviation, count = #list,
        follows = follows_of(list, mean, deviation) }
    end
  end
  return out
end

---@class tandem.twin.Drift
---@field window_s number
---@field alarm number         share of unchanged windows that are called drifted
---@field expected table<string, number>  by figure, as recorded
---@field limit table<string, number>     how far ln of a window may be from it
---@field luck table<string, { deviation: number, count: integer, follows: number }>  of windows
---@field long_s number        of the recording
---@field left_out string[]
local Drift = {}
Drift.__index = Drift

--- A detector for a twin.
---@param twin tandem.Twin
---@param window_s number
---@param alarm number|nil
---@return tandem.twin.Drift|nil
---@return string|nil message
---@return integer|nil code
function drift.of(twin, window_s, alarm)
  alarm = alarm or ALARM
  local merged, known, a = twin.recorded.merged, twin.recorded.names, twin.arrivals
  local recorded = drift.seen(merged, known, a.first, a.last)
  if not recorded then return nil, "too few requests are in the recording", 3 end
  local sim, message, code = luck_of(twin.scenario, window_s, known.itl and "itl" or "tpot")
  if not sim then return nil, message, code end
  local self = setmetatable({ window_s = window_s, alarm = alarm, expected = {}, limit = {},
    luck = sim, left_out = {} }, Drift)
  if a.kind == "curve" then
    self.left_out[1] = "the rate moves by itself in the recording"
    sim.rate = nil
  end
  local count = 0
  for _, figure in ipairs(drift.figures) do
    if recorded[figure.key] and sim[figure.key] then count = count + 1 end
  end
  local long_s = merged.times[a.last + 1] - merged.times[a.first]
  self.long_s = long_s
  for _, figure in ipairs(drift.figures) do
    local one = sim[figure.key]
    if recorded[figure.key] and one then
      local t = core.stats.student_quantile(1 - alarm / count / 2, one.count - 1)
      self.expected[figure.key] = recorded[figure.key]
      self.limit[figure.key] = t * one.deviation * math.sqrt(1 + window_s / long_s)
    end
  end
  return self
end

---@class tandem.twin.Judged
---@field key string
---@field name string
---@field unit string
---@field value number
---@field expected number
---@field low number
---@field high number
---@field drifted boolean

--- A window, figure by figure; nil where too few requests came to judge it.
---@param seen table<string, number>|nil  drift.seen of it
---@param length_s number
---@return tandem.twin.Judged[]|nil rows
---@return boolean|nil drifted
function Drift:judge(seen, length_s)
  if not seen then return nil end
  local rows, any = {}, false
  local wider = math.sqrt(self.window_s / length_s)
  for _, figure in ipairs(drift.figures) do
    local expected, value = self.expected[figure.key], seen[figure.key]
    if expected and value then
      local limit = self.limit[figure.key] * wider
      local row = { key = figure.key, name = figure.name, unit = figure.unit, value = value,
        expected = expected, low = expected * math.exp(-limit),
        high = expected * math.exp(limit) }
      row.drifted = value < row.low or value > row.high
      any = any or row.drifted
      rows[#rows + 1] = row
    end
  end
  return rows, any
end

return drift
