--- Drift that no window shows: figures that move a little, window after window.
--
-- Each window is compared with the mean of the recording and of all windows before it, in units of
-- what luck makes of such a difference: where nothing has changed these are independent with
-- variance 1, however short the recording was (a self-starting CUSUM, Hawkins 1987). Their sum
-- beyond a reference value, up and down, is an alarm above a bound. The bound is such that of runs
-- of so many windows in which nothing has changed a stated share has an alarm in any figure: by
-- Siegmund's average run length, over what the simulated windows leave open of their scatter, which
-- grows where windows follow each other. Called by follow.lua and tests.
local core = require "tandem.core"
local drift = require "tandem.twin.drift"

local slow = {}

local REFERENCE <const> = 0.25 -- half of the shift, in deviations, that is found soonest
local ALARM <const> = 0.05     -- of runs in which nothing has changed
local HORIZON <const> = 168    -- windows of a run: a week of hours
local POINTS <const> = 20      -- over which the scatter's doubt is averaged

slow.ALARM, slow.HORIZON = ALARM, HORIZON

-- Windows until a one-sided sum of N(0, 1) beyond k passes h, in the mean.
local function run_length(k, h)
  local x = 2 * k * (h + 1.166)
  return (math.exp(math.min(x, 600)) - x - 1) / (2 * k * k)
end

-- What the true deviation may be of a measured one out of n values (Wilson and Hilferty).
local function ratios(n)
  local out, nu = {}, n - 1
  for i = 1, POINTS do
    local z = core.stats.normal_quantile((i - 0.5) / POINTS)
    out[i] = 1 / math.sqrt((1 - 2 / (9 * nu) + z * math.sqrt(2 / (9 * nu))) ^ 3)
  end
  return out
end

-- The bound at which a share of runs of one figure has an alarm.
local function bound_of(count, horizon, share)
  local list, low, high = ratios(count), 0.5, 200
  while high - low > 1e-3 do
    local h, mean = (low + high) / 2, 0
    for _, ratio in ipairs(list) do
      local expected = 2 * horizon / run_length(REFERENCE / ratio, h / ratio)
      mean = mean + (1 - math.exp(-expected)) / #list
    end
    if mean > share then low = h else high = h end
  end
  return high
end

---@class tandem.twin.Slow
---@field horizon integer  windows
---@field alarm number     share of unchanged runs of so many windows
---@field figures table<string, { deviation: number, bound: number, mean: number, weight: number,
---                               first: number, up: number, down: number, up_from: number?,
---                               down_from: number? }>
local Slow = {}
Slow.__index = Slow

--- A detector that begins with a twin's recording.
---@param detector tandem.twin.Drift
---@param horizon integer|nil
---@param alarm number|nil
---@return tandem.twin.Slow
function slow.of(detector, horizon, alarm)
  local self = setmetatable({ window_s = detector.window_s, horizon = horizon or HORIZON,
    alarm = alarm or ALARM, figures = {} }, Slow)
  local count = 0
  for _ in pairs(detector.expected) do count = count + 1 end
  for key, expected in pairs(detector.expected) do
    local luck = detector.luck[key]
    self.figures[key] = { deviation = luck.deviation * math.sqrt((1 + luck.follows)
        / (1 - luck.follows)),
      bound = bound_of(luck.count, self.horizon, self.alarm / count), first = math.log(expected),
      mean = math.log(expected), weight = detector.long_s / detector.window_s, up = 0, down = 0 }
  end
  return self
end

---@class tandem.twin.Moved
---@field key string
---@field name string
---@field change number  of the windows since then, against the recording
---@field since number   when the sum began to grow

-- One figure of a window; which way it has moved, and since when.
local function add(one, x, weight, at)
  local residual = (x - one.mean) / (one.deviation * math.sqrt(1 / weight + 1 / one.weight))
  one.mean = (one.mean * one.weight + x * weight) / (one.weight + weight)
  one.weight = one.weight + weight
  for side, sign in pairs { up = 1, down = -1 } do
    local before = one[side]
    one[side] = math.max(0, before + sign * residual - REFERENCE)
    if before == 0 then one[side .. "_from"], one[side .. "_sum"], one[side .. "_n"] = at, 0, 0 end
    one[side .. "_sum"] = one[side .. "_sum"] + x * weight
    one[side .. "_n"] = one[side .. "_n"] + weight
  end
  local side = one.up >= one.down and "up" or "down"
  if one[side] > one.bound then return side end
end

--- Adds a window; the figures that have moved, or nil.
---@param seen table<string, number>|nil  drift.seen of it; nil: too little came
---@param length_s number
---@param at number  when it began
---@return tandem.twin.Moved[]|nil
function Slow:add(seen, length_s, at)
  if not seen then return nil end
  local out = {}
  for _, figure in ipairs(drift.figures) do
    local one, value = self.figures[figure.key], seen[figure.key]
    local side = one and value and add(one, math.log(value), length_s / self.window_s, at)
    if side then
      out[#out + 1] = { key = figure.key, name = figure.name, since = one[side .. "_from"],
        change = math.exp(one[side .. "_sum"] / one[side .. "_n"] - one.first) - 1 }
    end
  end
  return out[1] and out or nil
end

return slow
