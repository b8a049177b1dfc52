--- The longest times that a scenario names: between failures, of bursts. Runs too short to see them
--- say nothing of them.
--
-- Owns how long runs have to be for that, and what is said where they are not. Called by
-- plan/question, plan/space and plan/report.
local arrivals = require "tandem.explain.arrivals"
local format = require "tandem.text.format"
local moments = require "tandem.explain.moments"
local units = require "tandem.units"

local periods = {}

local WANTED <const> = 10 -- times that something should happen in all runs of a candidate
local NEARLY <const> = 0.95 -- of a course: how long so many requests take is about so sure
local BLOCK <const> = 8   -- their number

---@class tandem.PlanPeriod
---@field what string        in words: "a failure of L4", "a round of its bursts"
---@field seconds number     the mean time from one to the next
---@field each boolean|nil   of each of what is counted, so that more of these see more of them
---@field many integer       else how many have it
---@field fails boolean|nil

local function add(out, seen, what, mean, each, fails)
  if not mean then return end
  if not seen[what] then
    seen[what] = { what = what, seconds = mean, each = each, fails = fails, many = 0 }
    out[#out + 1] = seen[what]
  end
  seen[what].many = seen[what].many + 1
end

local function mean_of(dist)
  local found = dist and moments.of_distribution(dist)
  return found and found.mean or nil
end

--- Those of a scenario.
---@param model table  as it is lowered
---@param counted boolean  GPUs are counted
---@return tandem.PlanPeriod[]
function periods.of(model, counted)
  local out, seen = {}, {}
  for _, gpu in ipairs(model.gpus) do
    local what = "a failure of " .. (gpu.kind or gpu.name):gsub("#%d+$", "")
    add(out, seen, what, mean_of(gpu.mtbf), counted, true)
  end
  for _, station in ipairs(model.stations) do
    local what = "a failure of " .. station.name:gsub("#%d+$", "")
    add(out, seen, what, mean_of(station.mtbf), counted and station.replica, true)
  end
  for _, class in ipairs(model.classes) do
    local sum, states = 0, class.arrivals.states or {}
    for i = 2, #states, 2 do sum = sum + states[i] end -- rate, mean time in it
    if sum > 0 then
      add(out, seen, #model.classes > 1 and "a round of the rates of " .. class.name
        or "a round of its rates", sum)
    end
  end
  return out
end

--- Of a load that moves, that runs end before it has been seen whole; nil where they do not.
---@param model table
---@param rate number|nil  requests a second, over time
---@return string|nil
function periods.part_of_course(model, rate)
  local whole_s = arrivals.whole_s(model)
  local ends_s = math.min(model.duration or math.huge,
    model.requests and rate and model.requests / rate or math.huge)
  if ends_s >= NEARLY * whole_s then return nil end
  return ("The load takes %s to run its course and the scenario ends before: the answer is for its "
    .. "beginning alone. --duration %s sees it whole."):format(format.time(whole_s),
    (units.format(whole_s, "s"):gsub(" ", "")))
end

--- How long a run should be to see them all, in seconds.
---@param list tandem.PlanPeriod[]
---@return number
function periods.window(list)
  local longest = 0
  for _, one in ipairs(list) do longest = math.max(longest, one.seconds) end
  return longest * WANTED / BLOCK
end

--- Those that all runs of a candidate together are too short to see, with how often they are to be
--- expected in them.
---@param list tandem.PlanPeriod[]
---@param seconds number  of all runs
---@param count integer   of what is counted
---@return { period: tandem.PlanPeriod, expected: number }[]
function periods.unseen(list, seconds, count)
  local out = {}
  for _, one in ipairs(list) do
    local expected = seconds / one.seconds * (one.each and count or one.many)
    if expected < WANTED then out[#out + 1] = { period = one, expected = expected } end
  end
  return out
end

--- What is said of one of them.
---@param one { period: tandem.PlanPeriod, expected: number }
---@param seconds number
---@param who string  "3 × L4"
---@param find string  what the plan is for
---@return string
function periods.words(one, seconds, who, find)
  return ("The runs of %s last %s in all, and %s comes once in %s: %.2g are to be expected in "
    .. "them, too few for the answer to speak of.%s"):format(who, format.time(seconds),
    one.period.what, format.time(one.period.seconds), one.expected, one.period.fails
      and (" It is for the time between failures; --survive 1%s plans with one down."):format(
        find == "gpus" and "" or " with --find gpus") or "")
end

return periods
