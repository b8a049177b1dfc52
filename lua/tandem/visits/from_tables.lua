--- Visits from plain tables: for tests, and for mappings that are made in Lua.
--
-- Owns how such tables are read. Waits, own time and tails are counted as for any run, in C.
local core = require "tandem.core"
local nearest = require "tandem.text.nearest"
local visits = require "tandem.visits"

local from_tables = {}

---@class tandem.VisitTables
---@field kind? "measured"|"simulated"
---@field stages { name: string, lane?: string, capacity?: integer }[]  what stands earlier wins
---@field requests { arrival_ns: integer[], end_ns: integer[], id?: any[], outcome?: string[],
---  sizes?: table<string, (number|false)[]> }  in any order
---@field visits table<string, { request: integer[], start_ns: integer[], end_ns: integer[],
---  bytes?: (integer|false)[], resource?: integer[] }>  by stage; several of one request are pieces
---  of its visit; `resource`: which of the stage's resources, from 0
---@field waits? table<string, { request: integer[], start_ns: integer[], end_ns: integer[] }>  by
---  stage, when they are known, as in a simulation

local function check(condition, message, ...)
  if not condition then error("visits.of: " .. message:format(...), 4) end
end

local function add(pieces, stage, given, is_wait)
  for _, key in ipairs { "request", "start_ns", "end_ns" } do
    check(type(given[key]) == "table" and #given[key] == #given.request,
      "%s: as many %s as requests", stage.name, key)
  end
  local at = #pieces.request
  for i, request in ipairs(given.request) do
    check(math.type(given.start_ns[i]) == "integer" and math.type(given.end_ns[i]) == "integer"
      and given.end_ns[i] >= given.start_ns[i],
      "%s, piece %d: times are whole nanoseconds, the end not before the start", stage.name, i)
    pieces.request[at + i], pieces.stage[at + i] = request, stage.given
    pieces.start_ns[at + i], pieces.end_ns[at + i] = given.start_ns[i], given.end_ns[i]
    pieces.resource[at + i] = given.resource and given.resource[i] or 0
    pieces.bytes[at + i] = given.bytes and given.bytes[i] or false
    pieces.wait[at + i] = is_wait
  end
end

local function all_pieces(tables, by_name)
  local pieces = { request = {}, stage = {}, start_ns = {}, end_ns = {}, resource = {},
    bytes = {}, wait = {} }
  for _, kind in ipairs { "visits", "waits" } do
    for name in pairs(tables[kind] or {}) do
      check(by_name[name], "there is no stage '%s'; %s", name,
        nearest.hint(name, nearest.sorted_keys(by_name)))
    end
    for _, stage in ipairs(tables.stages) do
      local given = tables[kind] and tables[kind][stage.name]
      if given then add(pieces, by_name[stage.name], given, kind == "waits") end
    end
  end
  return pieces
end

local function reordered(list, given)
  local made = {}
  for i, from in ipairs(given) do made[i] = list[from] end
  return made
end

--- What a source of Visits needs, from what C made of tables and the tables' own columns.
---@param made userdata
---@param requests table  as given: id, outcome, sizes
---@param more table      run, map, kind, left
---@return tandem.Visits
function from_tables.object(made, requests, more)
  more.head = made:head()
  more.of = function(index) return made:of(index) end
  more.left = more.left or function() return {} end
  more.requests = function()
    local all = made:requests()
    local given = all.given
    all.given = nil
    if requests.id then all.id = reordered(requests.id, given) else all.id = given end
    if requests.outcome then all.outcome = reordered(requests.outcome, given) end
    all.sizes = {}
    for name, list in pairs(requests.sizes or {}) do all.sizes[name] = reordered(list, given) end
    return all
  end
  return visits.new(more)
end

--- Visits from plain tables. Raises when they do not fit together.
---@param tables tandem.VisitTables
---@return tandem.Visits
function from_tables.of(tables)
  local by_name, stages, requests = {}, {}, tables.requests
  for i, stage in ipairs(tables.stages) do
    check(not by_name[stage.name], "two stages are named '%s'", stage.name)
    by_name[stage.name] = { name = stage.name, given = i }
    stages[i] = { name = stage.name, lane = stage.lane or "OTHER", capacity = stage.capacity }
  end
  check(#requests.arrival_ns == #requests.end_ns, "as many ends as arrivals of requests")
  for i, arrival in ipairs(requests.arrival_ns) do
    check(math.type(arrival) == "integer" and math.type(requests.end_ns[i]) == "integer",
      "request %d: times are whole nanoseconds", i)
  end
  local made = assert(core.visits_of { stages = stages, arrival_ns = requests.arrival_ns,
    end_ns = requests.end_ns, pieces = all_pieces(tables, by_name),
    tells_waits = tables.waits ~= nil })
  return from_tables.object(made, requests, { kind = tables.kind or "measured" })
end

return from_tables
