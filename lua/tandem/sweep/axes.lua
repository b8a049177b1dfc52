--- Axes: what a sweep varies, and the values each of them takes.
-- Owns the reading of `over` and of listed points, short names (kind, batch), what of a value goes
-- into a job, into a row and onto the screen, and the trial of every axis against the scenario.
-- Called by sweep/study.
local keys = require "tandem.sweep.key"
local nearest = require "tandem.text.nearest"
local range = require "tandem.sweep.range"
local checks = require "tandem.check.scenario"
local units = require "tandem.units"

local axes = {}

---@class tandem.AxisValue
---@field value number|string|boolean  in rows: SI numbers, labels of what is no number
---@field label string                 for people
---@field set any                      in jobs: plain, or { ["$"] = k }
---@field given any                    what was written

---@class tandem.Axis
---@field name string      as written
---@field path string      for scenario:with
---@field dim string       of its numbers: "1", "s", "B", …
---@field numeric boolean
---@field values tandem.AxisValue[]|nil  a list, or a range in a grid
---@field range tandem.RangeRead|nil

-- What is tried of a long axis before the sweep begins.
local TRIED <const> = 24

-- The step that `batch` means: the only one on the GPU.
local function batch_path(base)
  local found = {}
  checks.each_step(base.checked.pipeline, function(step)
    if checks.station_of(step) == "gpu" then found[#found + 1] = step.name end
  end)
  if #found == 1 then return "pipeline." .. found[1] .. ".batch" end
  for i, name in ipairs(found) do found[i] = "pipeline." .. name .. ".batch" end
  return nil, #found == 0 and "batch: which step? Write pipeline.NAME.batch"
    or "batch: which step? " .. nearest.hint("", found)
end

--- The path for scenario:with that a name stands for.
---@param base tandem.Scenario
---@param name string
---@return string|nil
---@return string|nil message
function axes.path(base, name)
  if name == "kind" then return "gpu" end
  if name == "batch" then return batch_path(base) end
  return name
end

local function number_label(value, dim)
  if dim ~= "1" then return units.format(value, dim) end
  return math.type(value) == "integer" and tostring(value) or ("%.6g"):format(value)
end

--- An axis value of a number.
---@param value number
---@param dim string
---@return tandem.AxisValue
function axes.number(value, dim)
  return { value = value, label = number_label(value, dim), set = value, given = value }
end

-- "lognormal(mean 0.01, cv 0.5)"; "function" has nothing more to say.
local function node_label(v)
  if type(v) ~= "table" then return type(v) end
  local parts = {}
  for _, key in ipairs(nearest.sorted_keys(v)) do
    local x = rawget(v, key)
    if key ~= "type" and key ~= "name" and (type(x) == "number" or type(x) == "string") then
      parts[#parts + 1] = (type(key) == "string" and key .. " " or "")
        .. (type(x) == "number" and ("%.6g"):format(x) or x)
    end
  end
  local head = rawget(v, "name") or rawget(v, "type")
  local rest = table.concat(parts, ", ")
  if type(head) ~= "string" then return rest ~= "" and rest or "table" end
  return rest == "" and head or ("%s(%s)"):format(head, rest)
end

-- Number and dimension of what was written as a quantity with a unit.
local function quantity(v)
  if type(v) == "number" then return v, "1" end
  if type(v) ~= "string" or tonumber(v) then return nil end
  local value, dim = units.parse(v)
  if value then return value, dim end
end

-- A list of values as axis values; texts with units become numbers where all of them are.
local function read_list(name, list, carried)
  local numeric, dim = true, nil
  for _, v in ipairs(list) do
    local value, own = quantity(v)
    if not value then
      numeric = false
    elseif dim and own ~= dim and own ~= "1" and dim ~= "1" then
      return nil, ("%s: '%s' is %s, the values before it are %s"):format(name, tostring(v),
        (units.describe(own):gsub(" such as.*", "")), (units.describe(dim):gsub(" such as.*", "")))
    else
      dim = dim and dim ~= "1" and dim or own
    end
  end
  local out, seen = {}, {}
  for i, v in ipairs(list) do
    local one
    if type(v) == "number" or type(v) == "string" or type(v) == "boolean" then
      local value = numeric and quantity(v) or v
      one = { value = value, set = v, given = v,
        label = type(v) == "number" and number_label(v, numeric and dim or "1") or tostring(v) }
    elseif type(v) == "table" or type(v) == "function" then
      carried[#carried + 1] = v
      local label = node_label(v)
      if type(v) == "function" or seen[label] then label = label .. " " .. i end
      one = { value = label, label = label, set = { ["$"] = #carried }, given = v }
    else
      return nil, ("%s: value %d is %s; wanted a number, a text, true, false or a td.… value")
        :format(name, i, type(v))
    end
    local text = tostring(one.value)
    if seen[text] then return nil, ("%s: the value %s stands there twice"):format(name, text) end
    seen[text] = true
    out[i] = one
  end
  return out, numeric, dim or "1"
end

local function read_axis(base, name, v, carried, drawn)
  if type(name) ~= "string" then
    return nil, ("over wants { name = values }, not the key %s"):format(tostring(name))
  end
  local path, unknown = axes.path(base, name)
  if not path then return nil, unknown end
  local axis = { name = name, path = path, dim = "1", numeric = false }
  if range.is(v) then
    local read, message = range.read(v)
    if not read then return nil, name .. ": " .. message end
    axis.range, axis.dim, axis.numeric = read, read.dim, true
    if not drawn then
      local values
      values, message = range.values(read)
      if not values then return nil, name .. ": " .. message end
      axis.values = {}
      for i, value in ipairs(values) do axis.values[i] = axes.number(value, read.dim) end
    end
    return axis
  end
  if type(v) ~= "table" or getmetatable(v) ~= nil then v = { v } end
  if #v == 0 then
    return nil, ("%s: no values; give a list { 1, 2, 4 } or td.range(from, to, points)"):format(
      name)
  end
  local numeric, dim
  axis.values, numeric, dim = read_list(name, v, carried)
  if not axis.values then return nil, numeric end
  axis.numeric, axis.dim = numeric, dim
  return axis
end

-- { rps = …, gpus = … } in the order of the names, { { "rps", … }, … } in its own.
local function pairs_of(over)
  local out = {}
  if #over > 0 then
    for i, one in ipairs(over) do
      if type(one) ~= "table" or type(one[1]) ~= "string" or one[2] == nil then
        return nil, ("over: entry %d wants { name, values }"):format(i)
      end
      out[i] = { one[1], one[2] }
    end
  else
    for _, name in ipairs(nearest.sorted_keys(over)) do out[#out + 1] = { name, over[name] } end
  end
  return out
end

--- Reads what a sweep varies.
---@param base tandem.Scenario
---@param over table<string, any>|{ [1]: string, [2]: any }[]
---@param drawn boolean     values are drawn: ranges are not cut into points
---@return tandem.Axis[]|nil
---@return any[]|string carried  what goes into the crew's values, or what is wrong
function axes.read(base, over, drawn)
  if type(over) ~= "table" or getmetatable(over) ~= nil or next(over) == nil then
    return nil, "over is missing: what is varied? over = { rps = td.range(10, 100, 10) }"
  end
  local list, wrong = pairs_of(over)
  if not list then return nil, wrong end
  local out, carried, seen = {}, {}, {}
  for i, one in ipairs(list) do
    local axis, message = read_axis(base, one[1], one[2], carried, drawn)
    if not axis then return nil, message end
    if seen[axis.path] then
      return nil, ("%s and %s are the same; vary it once"):format(seen[axis.path], axis.name)
    end
    seen[axis.path], out[i] = axis.name, axis
  end
  return out, carried
end

--- Reads listed points: the axes are all names in them.
---@param base tandem.Scenario
---@param points table<string, any>[]
---@return tandem.Axis[]|nil
---@return any[]|string carried  or what is wrong
---@return (tandem.AxisValue|false)[][]|nil rows for each point a value for each axis
function axes.listed(base, points)
  local distinct, position = {}, {}
  for i, point in ipairs(points) do
    if type(point) ~= "table" or getmetatable(point) ~= nil or next(point) == nil then
      return nil, ("points: entry %d wants { rps = 10, gpus = 2, … }"):format(i)
    end
    for name, v in pairs(point) do
      distinct[name] = distinct[name] or {}
      position[name] = position[name] or {}
      if position[name][v] == nil then
        distinct[name][#distinct[name] + 1] = v
        position[name][v] = #distinct[name]
      end
    end
  end
  local list, carried = axes.read(base, distinct, false)
  if not list then return nil, carried end
  local rows = {}
  for i, point in ipairs(points) do
    rows[i] = {}
    for k, axis in ipairs(list) do
      local at = position[axis.name][point[axis.name]]
      rows[i][k] = at and axis.values[at] or false
    end
  end
  return list, carried, rows
end

-- Some of the values of an axis, ends included.
local function sample(axis)
  if not axis.values then
    return { axes.number(axis.range.low, axis.dim), axes.number(axis.range.high, axis.dim) }
  elseif #axis.values <= TRIED then
    return axis.values
  end
  local out = {}
  for i = 0, TRIED - 1 do
    out[i + 1] = axis.values[1 + (#axis.values - 1) * i // (TRIED - 1)]
  end
  return out
end

local function first_line(problems)
  return (tostring(problems[1] or problems):gsub("%s*\n.*", ""))
end

--- Tries every axis against the scenario: an axis of which no value can be, alone or beside the
--- others' first ones, is a mistake; single values that cannot are failing points later.
---@param base tandem.Scenario
---@param list tandem.Axis[]
---@return string|nil message
function axes.try(base, list)
  local firsts = {}
  for i, axis in ipairs(list) do firsts[i] = sample(axis)[1] end
  for _, axis in ipairs(list) do
    local good, message = false, nil
    for _, one in ipairs(sample(axis)) do
      local made, problems = base:try_with { [axis.path] = one.given }
      if not made and #list > 1 then
        local together = {}
        for k, other in ipairs(list) do together[other.path] = firsts[k].given end
        together[axis.path] = one.given
        made = base:try_with(together)
      end
      message = message or not made and first_line(problems) or nil
      good = good or made ~= nil
      if good then break end
    end
    if not good then
      return axis.name == axis.path and message or ("%s: %s"):format(axis.name, message)
    end
  end
end

--- What the values of an axis are, for the name of a sweep in a store.
---@param axis tandem.Axis
---@return string
function axes.text(axis)
  local parts = { axis.path }
  if axis.values then
    for i, one in ipairs(axis.values) do
      parts[i + 1] = keys.text(one.given)
    end
  else
    parts[2] = axis.range.shown .. (axis.range.log and ":log" or "")
  end
  return table.concat(parts, "|")
end

return axes
