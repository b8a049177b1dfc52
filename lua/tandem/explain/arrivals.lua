--- What can be said of arrival processes before they run: rates, spread of the gaps, words.
-- Owns what groups change; what each kind promises is language/arrivals.lua's. Called by load.lua,
-- by plans and the store.

local moments = require "tandem.explain.moments"
local node = require "tandem.language.node"
require "tandem.language.arrivals"

---@class tandem.ArrivalRate
---@field rps? number       mean requests per second; nil for closed, and where it cannot be said
---@field peak_rps? number  the highest rate, where it moves
---@field cv2 number        squared coefficient of variation of the gaps
---@field poisson boolean
---@field shape? number     the gaps are independent and gamma of this shape; infinite: all alike
---@field states? number[]   of a rate that switches: requests a second and mean seconds, in turn
---@field waves? boolean     recorded arrivals come in waves
---@field groups? { size: number, total: number, poisson: boolean, approximate: boolean }  requests
---        that come together: E[X²]/E[X] of their number, and the spread of all that come
---@field users? integer
---@field think_s? number
---@field words string

local arrivals, expects = {}, {}

for _, spec in pairs(node.types) do
  if spec.kind then expects[spec.kind] = spec.expects end
end

-- Of independent gaps that are gamma, or all alike.
local function shape_of(process, cv2)
  if process.kind == "constant" then return math.huge end
  local family = process.kind == "renewal" and process.gap.dist
  if family == "constant" then return math.huge end
  local is_gamma = family == "gamma" or family == "erlang" or family == "exponential"
  return is_gamma and cv2 > 0 and 1 / cv2 or nil
end

local WINDOWS <const> = 32

-- Of recorded times: how spread their gaps are, and whether they come in waves that gaps do not
-- tell: many more in some windows of time than in others.
local function recorded(times)
  local count = #times
  local span = count > 1 and times[count] - times[1] or 0
  if span <= 0 then return 1, false end
  local squares, inside, spread = 0, {}, 0
  for i = 1, WINDOWS do inside[i] = 0 end
  for i = 2, count do
    squares = squares + (times[i] - times[i - 1]) ^ 2
    local at = math.min(WINDOWS, 1 + math.floor((times[i] - times[1]) / span * WINDOWS))
    inside[at] = inside[at] + 1
  end
  local mean = (count - 1) / WINDOWS
  for i = 1, WINDOWS do spread = spread + (inside[i] - mean) ^ 2 / WINDOWS end
  local cv2 = squares * (count - 1) / span ^ 2 - 1
  return math.max(0, cv2), mean >= 2 and spread / mean > 2.5 * math.max(1, cv2)
end

--- What can be said of an arrival process before running it.
---@param process table
---@param duration? number  seconds
---@return tandem.ArrivalRate
function arrivals.rate(process, duration)
  local found = expects[process.kind](process, moments.of_distribution, duration)
  if process.kind == "list" then found.cv2, found.waves = recorded(process.times) end
  found.shape = found.rps and shape_of(process, found.cv2) or nil
  local size = process.batch and moments.of_distribution(process.batch)
  if size and found.rps then
    -- Requests that come together: the gaps inside a group are zero.
    found.rps = found.rps * size.mean
    if size.mean ~= 1 or size.var > 0 then
      -- How a random number is rounded is not said here.
      local total = size.mean * found.cv2 + size.var / size.mean
      found.groups = { size = size.mean + size.var / size.mean, total = total,
        poisson = found.poisson or false, approximate = size.approximate or size.var > 0 }
      found.cv2, found.poisson, found.shape = total, false, nil
    end
    found.words = found.words .. ", in groups"
  end
  found.poisson = found.poisson or false
  found.states = process.kind == "mmpp" and process.states or nil
  return found
end

-- The rate of a curve at a moment: straight between its points, and again after its period.
local function curve_at(a, at_s)
  local points = a.points
  if a.period then at_s = points[1] + (at_s - points[1]) % a.period end
  if at_s <= points[1] then return points[2] end
  for index = 3, #points, 2 do
    if at_s <= points[index] then
      local width = points[index] - points[index - 2]
      local part = width > 0 and (at_s - points[index - 2]) / width or 1
      return points[index - 1] + part * (points[index + 1] - points[index - 1])
    end
  end
  return points[#points]
end

--- What arrives at a moment, of a process that moves; of any other, what always arrives.
---@param process table
---@param at_s number
---@param duration? number
---@return tandem.ArrivalRate
function arrivals.at(process, at_s, duration)
  local found = arrivals.rate(process, duration)
  if process.kind ~= "curve" or not found.rps then return found end
  local mean = expects.curve(process, moments.of_distribution, duration).rps
  found.rps = mean > 0 and found.rps * curve_at(process, at_s) / mean or 0
  return found
end

--- The times at which the rate of a process bends.
---@param process table
---@return number[] seconds
function arrivals.points_s(process)
  local out = {}
  for index = 1, process.kind == "curve" and #process.points or 0, 2 do
    out[#out + 1] = process.points[index]
  end
  return out
end

--- How long the load of a model takes to run its course: a period, or as long as requests arrive.
---@param model table
---@return number seconds
function arrivals.course_s(model)
  local longest = 0
  for _, class in ipairs(model.classes) do
    local process = class.arrivals
    if process.kind == "curve" then
      longest = math.max(longest, process.period or process.duration or model.duration
        or process.points[#process.points - 1])
    end
  end
  return longest
end

--- How long it takes until a load that moves has been seen whole: the longest period, or the last
--- point of a curve that does not come again.
---@param model table
---@return number seconds  0 where nothing moves
function arrivals.whole_s(model)
  local longest = 0
  for _, class in ipairs(model.classes) do
    local process = class.arrivals
    if process.kind == "curve" then
      longest = math.max(longest, process.period or process.points[#process.points - 1])
    end
  end
  return longest
end

--- Does the rate of a model move with time, so that it has no steady state?
---@param model table
---@return boolean
function arrivals.moves(model)
  for _, class in ipairs(model.classes) do
    if class.arrivals.kind == "curve" then return true end
  end
  return false
end

return arrivals
