--- The stages of a map as lanes of a timeline: one track for the requests, one for each stage.
--
-- Owns nothing. Called by tandem.timeline.
local stages = {}

---@class tandem.TimelineStage
---@field name string
---@field start integer[]     nanoseconds from the origin
---@field length integer[]
---@field request (integer|string)[]

local function lane(name, starts, ends, request_of, origin_ns)
  local made = { name = name, start = {}, length = {}, request = {} }
  for i, start in ipairs(starts) do
    made.start[i], made.length[i] = start - origin_ns, ends[i] - start
    made.request[i] = request_of(i)
  end
  return made
end

--- Nil and why where the map does not fit the run.
---@param run tandem.Run
---@param map tandem.Map
---@param origin_ns integer  of the timeline, on the run's clock
---@return tandem.TimelineStage[]|nil
---@return string|nil message
---@return integer|nil code
function stages.of(run, map, origin_ns)
  local visits, message, code = run:visits(map)
  if not visits then return nil, message, code end
  local requests = visits:requests()
  local list = { lane("requests", requests.arrival_ns, requests.end_ns,
    function(i) return requests.id[i] end, origin_ns) }
  for _, stage in ipairs(visits.stages) do
    local of = visits:of(stage.name)
    list[#list + 1] = lane(stage.name, of.start_ns, of.end_ns,
      function(i) return requests.id[of.request[i]] end, origin_ns)
  end
  return list
end

return stages
