--- The load of a run: when its requests arrived and how large they were, as rows of td.replay.
--
-- Owns which numbers of a request become attributes, and their names; the CSV of rows is
-- tandem.replay's. Called as v:arrivals() of tandem.Visits, by visits/replayed.lua and
-- visits/load.lua.
local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"

local arrivals = {}

---@alias tandem.Arrival table<string, number>  `arrival` in seconds from the first, and sizes

--- A name that costs can read as r.NAME: r has fields of its own, and names are words, but none of
--- Lua's.
---@param name string
---@return string
function arrivals.attribute(name)
  name = name:gsub("[^%w_]", "_"):gsub("^(%d)", "_%1")
  return (expr.request_fields[name] or not load("local " .. name)) and name .. "_" or name
end

local attribute = arrivals.attribute

-- The index of a request where it has no finite number; nil when all have theirs.
local function lacking(values, count)
  for i = 1, count do
    local value = values[i]
    if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then return i end
  end
end

-- Bytes that a stage moved, request by request; requests that skipped it moved none. Nil where no
-- piece of it said its bytes.
local function bytes_of(of_stage, count)
  local bytes, any = {}, false
  for i = 1, count do bytes[i] = 0 end
  for k, request in ipairs(of_stage.request) do
    bytes[request] = of_stage.bytes[k]
    any = any or of_stage.bytes[k] > 0
  end
  return any and bytes or nil
end

-- Pieces of a stage, request by request, where their number tells requests apart.
local function pieces_of(of_stage, count)
  local pieces, least, most = {}, math.huge, 0
  for i = 1, count do pieces[i] = 0 end
  for k, request in ipairs(of_stage.request) do
    pieces[request] = of_stage.pieces[k]
    least, most = math.min(least, pieces[request]), math.max(most, pieces[request])
  end
  return least < most and pieces or nil
end

---@class tandem.ArrivalColumns
---@field times_ns integer[]  from the first arrival
---@field names string[]      of the attributes, sorted
---@field values table<string, number[]>
---@field notes string[]      what is left out, and why

--- The same by column.
---@param visits tandem.Visits
---@return tandem.ArrivalColumns
function arrivals.columns(visits)
  local requests = visits:requests()
  local out = { times_ns = {}, names = {}, values = {}, notes = {} }
  local first = requests.arrival_ns[1]
  for i = 1, visits.count do out.times_ns[i] = requests.arrival_ns[i] - first end
  local function take(name, values, what)
    if out.values[name] then
      out.notes[#out.notes + 1] = ("%s is left out: there is a '%s' already"):format(what, name)
    else
      out.names[#out.names + 1], out.values[name] = name, values
    end
  end
  for _, name in ipairs(nearest.sorted_keys(requests.sizes or {})) do
    local values = requests.sizes[name]
    local without = lacking(values, visits.count)
    if without then
      out.notes[#out.notes + 1] = ("the size '%s' is left out: request %d has none"):format(name,
        without)
    else
      take(attribute(name), values, ("the size '%s'"):format(name))
    end
  end
  for _, stage in ipairs(visits.stages) do
    local of_stage = visits:of(stage.name)
    local bytes = of_stage.bytes and bytes_of(of_stage, visits.count)
    if bytes then
      take(attribute(stage.name .. "_bytes"), bytes, ("the bytes of '%s'"):format(stage.name))
    end
    local pieces = of_stage.pieces and pieces_of(of_stage, visits.count)
    if pieces then
      take(attribute(stage.name .. "_pieces"), pieces, ("the pieces of '%s'"):format(stage.name))
    end
  end
  table.sort(out.names)
  return out
end

--- The requests as rows that td.replay takes, in order of arrival.
---@param visits tandem.Visits
---@return tandem.Arrival[]
---@return string[] notes  what is left out, and why
function arrivals.rows(visits)
  local columns, rows = arrivals.columns(visits), {}
  for i, ns in ipairs(columns.times_ns) do
    local row = { arrival = ns / 1e9 }
    for _, name in ipairs(columns.names) do row[name] = columns.values[name][i] end
    rows[i] = row
  end
  return rows, columns.notes
end

--- Writes them into a CSV file that td.replay { file = … } reads.
---@param visits tandem.Visits
---@param path string
---@return true|nil
---@return string|nil message
---@return integer|nil code
function arrivals.write(visits, path)
  local text = require("tandem.replay").csv_of((arrivals.rows(visits)))
  return require("tandem.io.outfile").write(path, text)
end

return arrivals
