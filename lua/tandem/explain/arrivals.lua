--- What can be said of arrival processes before they run: rates, spread of the gaps, words.
-- Called by load.lua, by plans and the store.

local moments = require "tandem.explain.moments"

---@class tandem.ArrivalRate
---@field rps? number       mean requests per second; nil for closed, and where it cannot be said
---@field peak_rps? number  the highest rate, where it moves
---@field cv2 number        squared coefficient of variation of the gaps
---@field poisson boolean
---@field groups? { size: number, cv2: number, poisson: boolean, approximate: boolean }  requests
---        that come together: E[X²]/E[X] of their number, and the gaps between groups
---@field users? integer
---@field think_s? number
---@field words string

local arrivals, of = {}, {}

function of.constant(a)
  return { rps = a.rps, cv2 = 0, words = "evenly spaced" }
end

function of.renewal(a)
  local gap = moments.of_distribution(a.gap)
  if not gap or not (gap.mean > 0) then
    return { cv2 = 1, words = "gaps of a distribution" }
  end
  local poisson = a.gap.dist == "exponential"
  return { rps = 1 / gap.mean, cv2 = gap.var / gap.mean ^ 2, poisson = poisson,
    words = poisson and "Poisson" or a.gap.dist .. " gaps" }
end

function of.mmpp(a)
  local time, requests, peak = 0, 0, 0
  for _, state in ipairs(a.states) do
    time, requests = time + state.mean_s, requests + state.rps * state.mean_s
    peak = math.max(peak, state.rps)
  end
  return { rps = requests / time, peak_rps = peak, cv2 = 1, words = "Poisson whose rate switches" }
end

function of.curve(a, duration)
  local points, area, peak = a.points, 0, 0
  for index = 3, #points, 2 do
    area = area + (points[index] - points[index - 2]) * (points[index + 1] + points[index - 1]) / 2
  end
  for index = 2, #points, 2 do
    peak = math.max(peak, points[index])
  end
  local length = points[#points - 1] - points[1]
  if a.period then
    area = area + (a.period - length) * points[#points]
    length = a.period
  elseif duration and duration > length then
    area = area + (duration - length) * points[#points]
    length = duration
  end
  return { rps = length > 0 and area / length or peak, peak_rps = peak, cv2 = 1,
    words = "a rate that moves" }
end

function of.closed(a)
  local think = moments.of_distribution(a.think or { dist = "constant", value = 0 })
  return { users = a.users, think_s = think and think.mean, cv2 = 1,
    words = "users who wait for their answer" }
end

function of.list(a)
  local count = #a.times
  local span = count > 1 and a.times[count] - a.times[1] or 0
  return { rps = span > 0 and (count - 1) / span or nil, cv2 = 1, words = "a recorded trace" }
end

of["lua"] = function()
  return { cv2 = 1, words = "a Lua function" }
end

function of.coroutine()
  return { cv2 = 1, words = "a Lua coroutine" }
end

--- What can be said of an arrival process before running it.
---@param process table
---@param duration? number  seconds
---@return tandem.ArrivalRate
function arrivals.rate(process, duration)
  local found = of[process.kind](process, duration)
  local size = process.batch and moments.of_distribution(process.batch)
  if size and found.rps then
    -- Requests that come together: the gaps inside a group are zero.
    found.rps = found.rps * size.mean
    if size.mean ~= 1 or size.var > 0 then
      -- How a random number is rounded is not said here.
      found.groups = { size = size.mean + size.var / size.mean, cv2 = found.cv2,
        poisson = found.poisson or false, approximate = size.approximate or size.var > 0 }
    end
    found.cv2, found.poisson = found.cv2 + size.mean, size.mean == 1 and found.poisson
    found.words = found.words .. ", in groups"
  end
  found.poisson = found.poisson or false
  return found
end

return arrivals
