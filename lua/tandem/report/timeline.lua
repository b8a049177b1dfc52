--- The run over time, lane by lane: how many wait, and how busy CPU, copy engines and GPUs are.
--
-- Owns how the result's series become lanes; the drawing is plot/lanes.lua's.
local format = require "tandem.text.format"
local lanes = require "tandem.plot.chart.lanes"

local timeline = {}

local ORDER = { "CPU", "H2D", "GPU", "D2H", "COMM", "OTHER" }

local function peak(values)
  local most = 0
  for _, value in ipairs(values) do
    if value == value then
      most = math.max(most, value)
    end
  end
  return most
end

--- Busy servers and servers, per lane; a station without a limit tells how many are at work.
local function busy_by_lane(result, count)
  local by_name, lanes_found = {}, {}
  for _, resource in ipairs(result.resources) do
    by_name[resource.name] = resource
  end
  for _, station in ipairs(result.series.stations) do
    local resource = by_name[station.name]
    if resource then
      local lane = lanes_found[resource.lane]
      if not lane then
        lane = { servers = 0, busy = {} }
        lanes_found[resource.lane] = lane
      end
      lane.servers = lane.servers + resource.servers
      for index = 1, count do
        lane.busy[index] = (lane.busy[index] or 0) + (station.utilization[index] or 0)
          * (resource.servers < math.huge and resource.servers or 1)
      end
    end
  end
  return lanes_found
end

--- The lanes of a result, or nil when it has no series.
---@param result tandem.Result
---@return tandem.Lane[]|nil
---@return number from_s
---@return number to_s
function timeline.lanes(result)
  local series = result.series
  local count = series and series.t and #series.t or 0
  if count < 2 then
    return nil, 0, 0
  end
  local waiting = {}
  for index = 1, count do
    local sum = 0
    for _, station in ipairs(series.stations) do
      sum = sum + (station.queue[index] or 0)
    end
    waiting[index] = sum
  end
  local list = { { label = "QUEUE", values = waiting,
    note = peak(waiting) > 0 and "peak " .. format.quantity(peak(waiting), "count", 2) .. " waiting"
      or "nobody waits" } }
  local found = busy_by_lane(result, count)
  for _, name in ipairs(ORDER) do
    local lane = found[name]
    if lane then
      local values, kind = lane.busy, "count"
      if lane.servers < math.huge then
        kind, values = "percent", {}
        for index = 1, count do
          values[index] = lane.busy[index] / lane.servers
        end
      end
      list[#list + 1] = { label = name, values = values,
        note = "peak " .. format.quantity(peak(values), kind, 2) .. " busy" }
    end
  end
  return list, series.t[1], series.t[1] + count * series.dt_s
end

--- The picture, or no lines when the result has no series.
---@param result tandem.Result
---@param style tandem.Style
---@param indent? integer
---@return string[]
function timeline.lines(result, style, indent)
  local list, from_s, to_s = timeline.lanes(result)
  if not list then
    return {}
  end
  return lanes.lines(list, from_s, to_s, style, indent)
end

return timeline
