--- Memory over time as counters of a timeline, one for each device of a rank: what the analysis
-- `memory` says was held, at the highest moment of each part of the run.
--
-- Owns nothing. Called by tandem.timeline.
local memory = {}

local PARTS <const> = 600

---@class tandem.TimelineMemory
---@field name string
---@field unit string
---@field at number[]     nanoseconds from the origin, rising
---@field value number[]  from then on

local function rows_of(run)
  local answer = run:memory { bins = PARTS }
  for _, frame in ipairs(answer and answer.frames or {}) do
    if frame.name == "timeline" then return frame.table.rows end
  end
  return {}
end

--- In the unit that its peak is told in.
---@param one tandem.TimelineMemory  in bytes
local function scale(one)
  local most = 0
  for _, bytes in ipairs(one.value) do most = math.max(most, math.abs(bytes)) end
  local size, unit = require("tandem.text.format").unit("bytes", most)
  one.unit = unit
  for i, bytes in ipairs(one.value) do one.value[i] = bytes / size end
end

--- Nothing for a run that says nothing about memory.
---@param run tandem.Run
---@param origin_ns integer  of the timeline
---@return tandem.TimelineMemory[]
function memory.of(run, origin_ns)
  if run.kind ~= "measured" then return {} end
  local found, by_key, positions = {}, {}, {}
  for _, row in ipairs(rows_of(run)) do
    local key = ("%s\0%s"):format(row.rank or "", row.device)
    local one = by_key[key]
    if not one then
      one = { name = ("memory of %s%s"):format(row.device,
        row.rank and (" rank %d"):format(row.rank) or ""), unit = "B", at = {}, value = {} }
      by_key[key], found[#found + 1], positions[one] = one, one, {}
    end
    local at = run.first_ns + row.at_ns - origin_ns
    local position = positions[one][at]
    if not position then -- in its first category; the others add to it
      position = #one.at + 1
      positions[one][at], one.at[position], one.value[position] = position, at, 0
    end
    one.value[position] = one.value[position] + row.bytes
  end
  for _, one in ipairs(found) do scale(one) end
  return found
end

return memory
