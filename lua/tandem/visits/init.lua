--- `tandem.Visits`: a run as requests and visits of stages, measured or simulated alike.
--
-- Owns the object and its slices. What a visit is and where a request's time goes is C
-- (src/analysis/visits/visits.h); columns are made when they are asked for, and kept. Visits of a
-- run: from_run.lua; of tables: from_tables.lua; what a map leaves: coverage.lua. Called by
-- store/run.lua, overlays, scores and fits.
local nearest = require "tandem.text.nearest"

local visits = {}

---@class tandem.VisitStage
---@field name string
---@field lane string
---@field concurrency integer  the most requests at once at one of its resources
---@field capacity? integer    servers; of simulated runs
---@field count integer        visits

---@class tandem.VisitRequests  lists by request, in order of arrival; times are the run's
---@field id (integer|string)[]
---@field arrival_ns integer[]
---@field end_ns integer[]
---@field tail_ns integer[]    after the last visit
---@field outcome? string[]    of simulated runs: "ok", "dropped", …
---@field sizes table<string, (number|false)[]>  false: the request has none

---@class tandem.VisitColumns  lists by visit, in order of their requests
---@field request integer[]    from 1
---@field start_ns integer[]
---@field end_ns integer[]
---@field busy_ns integer[]    the union of its pieces
---@field own_ns integer[]     its part of the request's time, in which every instant counts once
---@field wait_ns integer[]    its resource was full of other requests
---@field rest_ns integer[]    nothing of the request ran
---@field pieces integer[]
---@field bytes? integer[]     0: its pieces did not say

---@class tandem.Visits
---@field run tandem.Run|nil   what they are of; none when they were made from tables
---@field map tandem.Map|nil
---@field kind "measured"|"simulated"
---@field count integer        requests
---@field first_ns integer|nil the first arrival
---@field word string|nil      what simulated ones are called beside others
---@field stages tandem.VisitStage[]  in order of the pipeline: by their mean start
local Visits = { __name = "tandem.Visits" }
Visits.__index = Visits

--- What is behind an object: where its columns are from, and those that were made.
local behind = setmetatable({}, { __mode = "k" })

--- An object of what `source` tells; see from_run.lua.
---@param source { run?: tandem.Run, map?: tandem.Map, kind: string, head: table,
---  requests: (fun(): table), of: (fun(index: integer): table), left: (fun(): table) }
---@return tandem.Visits
function visits.new(source)
  local made = setmetatable({ run = source.run, map = source.map, kind = source.kind,
    count = source.head.count, first_ns = source.head.first_ns, stages = source.head.stages },
    Visits)
  behind[made] = { source = source, columns = {} }
  return made
end

--- Its requests. The lists are shared: do not change them.
---@return tandem.VisitRequests
function Visits:requests()
  local own = behind[self]
  if not own.requests then own.requests = own.source.requests() end
  return own.requests
end

--- The stage of a name; nil, when there is none.
---@param name string
---@return tandem.VisitStage|nil
---@return integer|nil index
function Visits:stage(name)
  for i, stage in ipairs(self.stages) do
    if stage.name == name then return stage, i end
  end
end

--- The visits of a stage. The lists are shared: do not change them.
---@param name string
---@return tandem.VisitColumns
function Visits:of(name)
  local _, index = self:stage(name)
  if not index then
    local names = {}
    for i, stage in ipairs(self.stages) do names[i] = stage.name end
    error(("there is no stage '%s'; %s"):format(tostring(name),
      nearest.hint(tostring(name), names)), 2)
  end
  local own = behind[self]
  if not own.columns[index] then own.columns[index] = own.source.of(index) end
  return own.columns[index]
end

-- ---- some of the requests ----

local function chosen(list, wanted)
  local some = {}
  for i, from in ipairs(wanted) do some[i] = list[from] end
  return some
end

local function some_requests(of, wanted)
  local some = { sizes = {} }
  for key, list in pairs(of) do
    if key ~= "sizes" then some[key] = chosen(list, wanted) end
  end
  for name, list in pairs(of.sizes) do some.sizes[name] = chosen(list, wanted) end
  return some
end

local function some_visits(of, index_of)
  local rows, some = {}, {}
  for i, request in ipairs(of.request) do
    if index_of[request] then rows[#rows + 1] = i end
  end
  for key, list in pairs(of) do some[key] = chosen(list, rows) end
  for i, request in ipairs(some.request) do some.request[i] = index_of[request] end
  return some
end

--- Some of the requests, for which the function says true; waits and concurrency stay as all of
--- them made them.
---@param keep fun(index: integer): boolean
---@return tandem.Visits
function Visits:slice(keep)
  local wanted, index_of, all = {}, {}, self:requests()
  for i = 1, self.count do
    if keep(i) then
      wanted[#wanted + 1] = i
      index_of[i] = #wanted
    end
  end
  local columns, stages = {}, {}
  local function of(index)
    columns[index] = columns[index] or some_visits(self:of(self.stages[index].name), index_of)
    return columns[index]
  end
  for i, stage in ipairs(self.stages) do
    stages[i] = { name = stage.name, lane = stage.lane, concurrency = stage.concurrency,
      capacity = stage.capacity, count = #of(i).request }
  end
  return visits.new { run = self.run, map = self.map, kind = self.kind,
    head = { count = #wanted, first_ns = all.arrival_ns[wanted[1]], stages = stages },
    requests = function() return some_requests(all, wanted) end, of = of,
    left = function()
      local left = behind[self].source.left()
      left.slice_of = self.count
      return left
    end }
end

--- When its requests arrived and how large they were, in seconds from the first: rows of td.replay,
--- so that a scenario sees the same load.
---@return tandem.Arrival[]
---@return string[] notes  what is left out, and why
function Visits:arrivals() return require("tandem.visits.arrivals").rows(self) end

--- Writes them as CSV, which td.replay { file = … } reads.
---@param path string
---@return boolean|nil
---@return string|nil message
---@return integer|nil code
function Visits:write_arrivals(path)
  return require("tandem.visits.arrivals").write(self, path)
end

--- Arrivals and sizes as distributions: more requests that are alike, not the same again.
---@return tandem.VisitsLoad|nil
---@return string|nil message
---@return integer|nil code
function Visits:load() return require("tandem.visits.load").of(self) end

--- A scenario simulated under this load, and kept: request i there is request i here.
---@param scenario tandem.Scenario
---@param options? tandem.ReplayOptions
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Visits:replay(scenario, options)
  return require("tandem.visits.replayed").run(self, scenario, options)
end

--- What the map covers: stages, unmapped time by name, what was left out.
---@return tandem.Answer
function Visits:coverage()
  return require("tandem.visits.coverage").answer(self, behind[self].source.left())
end

Visits.__len = function(self) return self.count end
Visits.__tostring = function(self)
  local names = {}
  for i, stage in ipairs(self.stages) do names[i] = stage.name end
  return ("visits  %s  %d request%s  %s"):format(self.kind, self.count,
    self.count == 1 and "" or "s", table.concat(names, " → "))
end

--- Visits of a run, or of plain tables: see from_run.lua and from_tables.lua.
---@param tables table
---@return tandem.Visits
function visits.of(tables) return require("tandem.visits.from_tables").of(tables) end

--- Of a run.
---@param run tandem.Run
---@param map? tandem.Map
---@param options? tandem.AnalysisFilter
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function visits.of_run(run, map, options)
  return require("tandem.visits.from_run").of(run, map, options)
end

return visits
