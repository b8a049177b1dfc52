--- Arrival processes lowered to the few kinds the engine knows.
-- Owns what all of them have, and how replayed classes keep their distances; what each becomes is
-- language/arrivals.lua's.

local node = require "tandem.language.node"
local stations = require "tandem.lower.stations"

local arrivals = {}

-- Classes that are replayed from one recording, which is a file or rows beside each other, keep
-- their distances, over and over where it comes again.
local function keep_offsets(group, lowered)
  local offsets = require("tandem.replay").offsets(group)
  local period = 0
  for i, data in ipairs(group) do
    if offsets[i] > 0 then
      local times = {}
      for k, t in ipairs(data.times) do times[k] = t + offsets[i] end
      lowered[i].times = times
    end
    if lowered[i].period then
      lowered[i].period = lowered[i].period + offsets[i]
      period = math.max(period, lowered[i].period)
    end
  end
  for i, data in ipairs(group) do
    if lowered[i].period and data.origin.speed == group[1].origin.speed then
      lowered[i].period = period
    end
  end
end

--- Moves those that are replayed to where they are in their recordings.
---@param classes table[] checked
---@param lowered table[] their arrivals in the model table
function arrivals.align(classes, lowered)
  local groups, order = {}, {}
  for i, class in ipairs(classes) do
    local a = class.arrivals
    local recording = a.type == "replay" and a.data.origin and (a.file or "")
    if recording and not groups[recording] then
      groups[recording] = { data = {}, lowered = {} }
      order[#order + 1] = groups[recording]
    end
    if recording then
      table.insert(groups[recording].data, a.data)
      table.insert(groups[recording].lowered, lowered[i])
    end
  end
  for _, group in ipairs(order) do
    if #group.data > 1 then keep_offsets(group.data, group.lowered) end
  end
end

-- What requests have of a recording; nil when it has nothing but times.
local function rows_of(data)
  if not data or not (next(data.attrs) or data.blocks) then return nil end
  return { count = data.count, attrs = data.attrs, turns = data.turns, blocks = data.blocks,
    roots = data.roots, begun = data.begun, joins = data.joins, random = data.random }
end

--- Lower one checked arrival process.
---@param a table
---@return table ARR of the model table
function arrivals.lower(a)
  local out = node.types[a.type].lower(a, stations.as_dist)
  out.start, out.rows = a.start, rows_of(a.data)
  if a.batch then out.batch = stations.as_dist(a.batch) end
  return out
end

return arrivals
