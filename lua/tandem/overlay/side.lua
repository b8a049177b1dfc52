--- One of the two runs that are laid over one another: a stored run, or a tandem.Visits of one.
--
-- Owns what both have in common for an overlay: a name, lanes, arrivals of requests. Used by
-- clock.lua and the overlay; counting is src/analysis/overlay's.
local core = require "tandem.core"

local side = {}

---@class tandem.OverlaySide
---@field word string   "real", "simulated", "other", or visits' own: what legends call it
---@field run tandem.Run|nil
---@field visits table|nil  tandem.Visits
---@field filter tandem.AnalysisFilter
---@field private made table<string, userdata>
local Side = {}
Side.__index = Side

--- Is a value a tandem.Visits, or made like one?
---@param value any
---@return boolean
function side.is_visits(value)
  return type(value) == "table" and type(rawget(value, "stages")) == "table" and value.of ~= nil
end

local function kind_of(value)
  return type(value) == "table" and value.kind or nil
end

--- Both sides of an overlay. What is neither a run nor a Visits raises.
---@param real tandem.Run|table
---@param sim tandem.Run|table
---@param filters? { real?: tandem.AnalysisFilter, sim?: tandem.AnalysisFilter }
---@return tandem.OverlaySide real
---@return tandem.OverlaySide sim
function side.both(real, sim, filters)
  local kinds, made = { kind_of(real), kind_of(sim) }, {}
  for i, value in ipairs { real, sim } do
    if kinds[i] ~= "measured" and kinds[i] ~= "simulated" then
      error("an overlay wants two runs, or tandem.Visits of runs", 3)
    end
    local visits = side.is_visits(value) and value or nil
    made[i] = setmetatable({ run = visits and visits.run or not visits and value or nil,
      visits = visits, made = {},
      filter = (filters or {})[i == 1 and "real" or "sim"] or {} }, Side)
    made[i].word = kinds[i] == "measured" and "real" or visits and visits.word or "simulated"
  end
  if made[1].word == made[2].word then made[2].word = "other" end
  return made[1], made[2]
end

--- What a person calls it: the run's name.
---@return string
function Side:name() return self.run and self.run.name or "requests made by hand" end

---@return boolean
function Side:is_simulated()
  return (self.visits and self.visits.kind or self.run.kind) == "simulated"
end

--- The view of its run.
---@return tandem.View|nil
---@return string|nil message
---@return integer|nil code
function Side:view()
  if not self.run then return nil, "these requests come from no stored run", 3 end
  return require("tandem.analysis.view").of(self.run, self.filter)
end

local function visit_lanes(visits)
  local list = {}
  for i, stage in ipairs(visits.stages) do
    local of = visits:of(stage.name)
    list[i] = { label = stage.name, lane = stage.lane, start_ns = of.start_ns, end_ns = of.end_ns,
      busy_ns = of.busy_ns }
  end
  return core.overlay.given(list)
end

--- Its lanes, made once a `by`: "lane", "device", "stream", "stage".
---@param by string
---@return userdata|nil
---@return string|nil message
---@return integer|nil code
function Side:lanes(by)
  if self.made[by] then return self.made[by] end
  local lanes, message, code
  if by == "stage" and self.visits then
    lanes, message, code = visit_lanes(self.visits)
  else
    local view
    view, message, code = self:view()
    if not view then return nil, message, code end
    lanes, message, code = core.overlay.lanes(view.core, by)
    if not lanes then message = require("tandem.store.run").lost_spans(self.run) or message end
  end
  if not lanes then return nil, ("%s, %s: %s"):format(self.word, self:name(), message), code end
  self.made[by] = lanes
  return lanes
end

--- When its requests arrived, in order; nil when it does not know requests.
---@return integer[]|nil
function Side:arrivals()
  if self.visits then return self.visits:requests().arrival_ns end
  if self.run.kind ~= "simulated" then return nil end
  local list = {}
  for row in self.run:requests() do list[#list + 1] = row.arrival_ns end
  return #list > 0 and list or nil
end

return side
