--- Visits by a function of the user's: it is asked of every span, in order of start, which request
--- and which stage it is of.
--
-- Owns the walk over the spans. Waits, own time and tails are counted as for any run, in C.
local core = require "tandem.core"
local json = require "tandem.io.json"
local query = require "tandem.store.query"

local from_function = {}

local INVALID <const> = 3

local GPU <const> = { kernel = true, memcpy = true, memset = true, graph = true }
local OF_DEVICE <const> = { GPU = true, COMM = true, H2D = true, D2H = true }

---@class tandem.VisitWalk
---@field keys any[]              of requests, in the order in which they were met
---@field request table<any, integer>
---@field arrival_ns integer[]    of windows; else of the first piece
---@field end_ns integer[]
---@field window boolean[]
---@field stages table[]
---@field stage table<string, integer>
---@field resources table<string, integer>
---@field pieces table
local Walk = {}
Walk.__index = Walk

local function new_walk()
  return setmetatable({ keys = {}, request = {}, arrival_ns = {}, end_ns = {}, window = {},
    stages = {}, stage = {}, resources = {}, resource_count = 0, unmapped = {}, names = {},
    nobody = 0,
    pieces = { request = {}, stage = {}, start_ns = {}, end_ns = {}, resource = {},
      bytes = {}, wait = {} } }, Walk)
end

function Walk:request_of(key, span)
  local known = self.request[key]
  if known then return known end
  local index = #self.keys + 1
  self.keys[index], self.request[key] = key, index
  self.arrival_ns[index], self.end_ns[index] = span.start_ns, span.end_ns
  return index
end

-- The first window says when the request is; pieces before and after make it longer.
function Walk:set_window(request, span)
  if self.window[request] then
    self.arrival_ns[request] = math.min(self.arrival_ns[request], span.start_ns)
    self.end_ns[request] = math.max(self.end_ns[request], span.end_ns)
  else
    self.arrival_ns[request], self.end_ns[request] = span.start_ns, span.end_ns
    self.window[request] = true
  end
end

function Walk:stage_of(name, span)
  local known = self.stage[name]
  if known then return known end
  local index = #self.stages + 1
  self.stages[index] = { name = name, lane = span.lane or "OTHER" }
  self.stage[name] = index
  return index
end

function Walk:resource_of(stage, span)
  local key = OF_DEVICE[self.stages[stage].lane] and span.device
    and ("gpu %s %s"):format(span.source, span.device)
    or ("host %s %s"):format(span.source, span.pid)
  if not self.resources[key] then
    self.resources[key] = self.resource_count
    self.resource_count = self.resource_count + 1
  end
  return self.resources[key]
end

function Walk:add_piece(request, stage, span)
  local pieces, at = self.pieces, #self.pieces.request + 1
  pieces.request[at], pieces.stage[at] = request, stage
  pieces.start_ns[at], pieces.end_ns[at] = span.start_ns, math.max(span.end_ns, span.start_ns)
  pieces.resource[at] = self:resource_of(stage, span)
  pieces.bytes[at] = GPU[span.category] and span.bytes or false
  pieces.wait[at] = false
end

function Walk:leave(span)
  self.nobody = self.nobody + 1
  if not GPU[span.category] then return end
  local one = self.unmapped[span.name]
  if not one then
    one = { where = "GPU", name = span.name, rows = 0, total_ns = 0 }
    self.unmapped[span.name] = one
    self.names[#self.names + 1] = one
  end
  one.rows, one.total_ns = one.rows + 1, one.total_ns + span.dur_ns
end

-- What the function said of a span; a sentence when that is nothing it may say.
function Walk:take(span, key, stage)
  if not key or not stage then
    self:leave(span)
    return nil
  end
  if key ~= key then return "gave NaN as a request" end
  if stage ~= true and (type(stage) ~= "string" or stage == "") then
    return ("gave %s as a stage; wanted its name, or true for the request's window")
      :format(type(stage))
  end
  local request = self:request_of(key, span)
  if stage == true then
    self:set_window(request, span)
  else
    self:add_piece(request, self:stage_of(stage, span), span)
  end
end

local function left_of(walk)
  table.sort(walk.names, function(a, b)
    if a.total_ns ~= b.total_ns then return a.total_ns > b.total_ns end
    return a.name < b.name
  end)
  return { by_nobody = walk.nobody, unmapped = walk.names }
end

-- A span's arguments are text in the store, and read when the function asks for them.
local TEXT <const> = {}
local Span <const> = { __index = function(span, key)
  if key ~= "args" then return nil end
  local args = span[TEXT] and json.decode(span[TEXT]) or {}
  span.args = args
  return args
end }

--- Walks the spans of a run.
---@param run tandem.Run
---@param map tandem.Map
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function from_function.of(run, map)
  local spans, message, code = query.open(run.store.db, { "SELECT * FROM span WHERE run = ?"
    .. " ORDER BY start_ns, dur_ns DESC, id", run.number, n = 2 })
  if not spans then return nil, message, code end
  local walk, ask = new_walk(), (map.spec or map).request.by
  for span in spans do
    span[TEXT], span.args = span.args, nil
    local done, key, stage = pcall(ask, setmetatable(span, Span))
    local wrong = done and walk:take(span, key, stage) or not done and tostring(key)
    if wrong then
      spans:close()
      return nil, ("the map's function, at span %d (%s): %s"):format(span.id, span.name, wrong),
        INVALID
    end
  end
  if #walk.keys == 0 then
    return nil, ("no request in run %s: the map's function gave none of its %d spans to one"
      .. " (it returns a request and a stage)"):format(run.id, walk.nobody), INVALID
  end
  local made
  made, message, code = core.visits_of { stages = walk.stages, arrival_ns = walk.arrival_ns,
    end_ns = walk.end_ns, pieces = walk.pieces }
  if not made then return nil, message, code end
  return require("tandem.visits.from_tables").object(made, { id = walk.keys },
    { run = run, map = map, kind = "measured", left = function() return left_of(walk) end })
end

return from_function
