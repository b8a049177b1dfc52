--- When recorded requests come again: a window of the recording, more or fewer of them, faster or
--- slower, over and over.
-- Owns what td.replay's from, to, limit, sample, speed, rps, time and repeats do to times; rows are
-- told by number only. A unit is what arrives: a request, or a conversation. Called by
-- tandem.replay.

local core = require "tandem.core"

local schedule = {}

-- A number in 0…1 that depends on the unit's number alone: the same requests whatever the seed.
local function share_of(index)
  return core.fraction(0, index)
end

-- Units whose times are in the window, in seconds from its begin, and how long it is.
local function window(times, options)
  local from, to = options.from or 0, options.to or math.huge
  local kept, at = {}, {}
  for i, t in ipairs(times) do
    if t >= from and t < to then
      kept[#kept + 1], at[#at + 1] = i, t - from
      if options.limit and #kept >= options.limit then break end
    end
  end
  if #kept == 0 then
    return nil, ("no request between %g s and %g s; the recording is %g s long"):format(from, to,
      times[#times]), options.from and "from" or "to"
  end
  local whole = to < math.huge and not options.limit
  -- The gap behind the last is that of the others, so that repeats go on at the same rate.
  local mean = #at > 1 and at[#at] / (#at - 1) or 0
  return kept, at, whole and to - from or at[#at] + mean
end

-- Copies of a unit share the time up to the next one.
local function copies(kept, at, period, sample)
  local units, times, copy = {}, {}, {}
  for i, unit in ipairs(kept) do
    local count = sample // 1 + (share_of(unit) < sample % 1 and 1 or 0)
    local gap = (at[i + 1] or period) - at[i]
    for k = 0, count - 1 do
      units[#units + 1], copy[#copy + 1] = unit, k
      times[#times + 1] = at[i] + gap * k / count
    end
  end
  return units, times, copy
end

---@class tandem.Schedule
---@field units integer[]   which unit comes
---@field copies integer[]  which copy of it, from 0
---@field times number[]    seconds, rising
---@field period number     seconds until the first may come again
---@field speed number      seconds of the recording to one of these

--- When which units come.
---@param times number[]  of all units, seconds, rising
---@param options table   checked keys of td.replay
---@return tandem.Schedule|nil
---@return string|nil problem
---@return string|nil key of the option at fault
function schedule.make(times, options)
  local kept, at, period = window(times, options)
  if not kept then return nil, at, period end
  local sample = options.sample or 1
  if period == 0 and (options.rps or options.time or options.repeats) then
    return nil, "all requests come at once: there is no rate to scale",
      options.rps and "rps" or options.time and "time" or "repeats"
  end
  if options.rps and options.time then sample = options.rps * options.time / #kept end
  local units, when, copy = kept, at, nil
  if sample ~= 1 then units, when, copy = copies(kept, at, period, sample) end
  if #units == 0 then return nil, "leaves no request", "sample" end
  local speed = options.speed or 1
  if options.time then
    speed = period / options.time
  elseif options.rps then
    speed = options.rps * period / #units
  end
  if speed ~= 1 then
    for i, t in ipairs(when) do when[i] = t / speed end
  end
  return { units = units, copies = copy, times = when, period = period / speed,
    speed = speed }
end

return schedule
