--- The keys of td.plot's tables: which plot takes which, of what type, and what they mean.
--
-- Owns the words of every key (the help topic and the editor stubs print them) and the check that
-- names what is wrong: the plot, the path of the key, the nearest key there is.
local nearest = require "tandem.text.nearest"

local keys = {}

---@class tandem.PlotKey
---@field [1] string  its name
---@field [2] string  its types, as Lua and we write them
---@field [3] string  what it means

---@type tandem.PlotKey[]
keys.common = {
  { "title", "string", "above the plot" },
  { "subtitle", "string", "below the title" },
  { "data", "any", "where columns come from: rows, columns, a frame, a query, a sweep, a result" },
  { "width", "number", "of the SVG in pixels (default: 720)" },
  { "height", "number", "of the SVG in pixels, where the rows do not decide it" },
  { "theme", "auto|light|dark", "of the SVG; auto follows the reader's settings" },
}

---@type table<string, tandem.PlotKey>
local axis_keys = {}
for _, axis in ipairs { "x", "y", "z" } do
  local what = axis == "z" and "cells" or axis
  for _, key in ipairs {
    { axis .. "_label", "string", "the title of the axis" },
    { axis .. "_unit", "string", ("the unit that %s is in: ns … s, B … GiB, GB/s, rps, %%, share, "
      .. "$/h, or any word"):format(what) },
    { axis .. "_min", "number", "where the axis begins, in its unit" },
    { axis .. "_max", "number", "where the axis ends, in its unit" },
  } do axis_keys[key[1]] = key end
end

local LOG = { "log", "string", "which axes are logarithmic: \"x\", \"y\" or \"xy\"" }
local LIMITS = { "limits", "list", "lines to compare with: { { y = 250, label = \"SLO\" }, … }" }
local SERIES = { "series", "list|string",
  "several, each with a name and its own keys; or the column that tells them apart" }
local X = { "x", "list|string", "numbers, or a column of data (default: 1, 2, …)" }
local Y = { "y", "list|string", "numbers, a column of data, or a list of columns" }
local BAND = { "band", "list", "confidence: { low, high }, two lists or columns" }
local HALF = { "half", "list|string", "confidence: half-widths" }

-- "x" is an axis of numbers, whose ends can be told; "-x" one whose ends follow from what is drawn.
local function axes(names)
  local list = {}
  for _, name in ipairs(names) do
    local axis = name:match "%a"
    for _, ending in ipairs { "_label", "_unit", "_min", "_max" } do
      if name == axis or ending == "_label" or ending == "_unit" then
        list[#list + 1] = axis_keys[axis .. ending]
      end
    end
  end
  return list
end

local function joined(own, names)
  local list = table.move(own, 1, #own, 1, {})
  local more = axes(names)
  table.move(more, 1, #more, #list + 1, list)
  return table.move(keys.common, 1, #keys.common, #list + 1, list)
end

local LINE_SERIES = { { "name", "string" }, X, Y, BAND, HALF, { "dash", "boolean" } }

--- Keys by kind; `series` are those of one of several.
---@type table<string, { keys: tandem.PlotKey[], series: tandem.PlotKey[]|nil, log: string }>
keys.kinds = {
  line = { keys = joined({ X, Y, SERIES, BAND, HALF, LOG, LIMITS,
    { "dash", "boolean", "a dashed line" } }, { "x", "y" }), series = LINE_SERIES, log = "xy" },
  step = { keys = joined({ X, Y, SERIES, BAND, HALF, LOG, LIMITS,
    { "step", "after|before", "y changes after x (as usual), or is reached before it" },
    { "dash", "boolean", "a dashed line" } }, { "x", "y" }), series = LINE_SERIES, log = "xy" },
  scatter = { keys = joined({ X, Y, SERIES,
    { "names", "list|string", "of the points" },
    { "half", "list|string", "half-widths of y" }, LOG, LIMITS }, { "x", "y" }),
    series = { { "name", "string" }, X, Y, { "names", "list|string" }, { "half", "list|string" } },
    log = "xy" },
  bar = { keys = joined({ { "x", "list|string", "the names of the bars, or their column" },
    { "y", "list|string", "their values, or a column, or a list of columns" }, SERIES,
    { "half", "list|string", "confidence: half-widths" },
    { "notes", "list|string", "words behind the values" },
    LIMITS }, { "-y" }), series = { { "name", "string" }, Y, HALF }, log = "" },
  stacked = { keys = joined({ { "x", "list|string", "the names of the bars, or their column" },
    { "y", "list", "columns: the parts" }, { "series", "list",
      "the parts: { { name = \"wait\", y = { … } }, … }" } }, { "-y" }),
    series = { { "name", "string" }, Y }, log = "" },
  area = { keys = joined({ { "x", "list|string", "where the values stand, ascending" },
    { "y", "list", "columns: the layers, the first at the bottom" }, { "series", "list",
      "the layers: { { name = \"weights\", y = { … } }, … }" } }, { "-x", "-y" }),
    series = { { "name", "string" }, Y }, log = "" },
  histogram = { keys = joined({ { "x", "list|string", "the values, or their column" },
    { "series", "list", "several, each with a name and x" },
    { "bins", "integer|list", "how many intervals, or their edges" },
    { "log", "string", "\"x\": intervals that grow by a factor" }, LIMITS }, { "x" }),
    series = { { "name", "string" }, X, { "data", "any" } }, log = "x" },
  cdf = { keys = joined({ { "x", "list|string", "the values, or their column" },
    { "series", "list", "several, each with a name and x" },
    { "log", "string", "\"x\": a logarithmic axis" }, LIMITS }, { "x" }),
    series = { { "name", "string" }, X, { "data", "any" } }, log = "x" },
  heatmap = { keys = joined({ { "x", "list|string", "names or numbers of the columns" },
    { "y", "list|string", "names or numbers of the rows" },
    { "z", "list|string", "the rows of cells: { { 1, 2 }, { 3, 4 } }, or a column of data" },
    { "log", "string", "\"z\": shades by magnitude" } }, { "-x", "-y", "z" }), log = "z" },
  gantt = { keys = joined({ { "spans", "list",
      "{ lane =, from =, to = (or dur =), name =, kind = }, … ; data serves as well" },
    { "lane", "string", "the column of data that has the lane (default: \"lane\")" },
    { "from", "string", "… the start" }, { "to", "string", "… the end" },
    { "dur", "string", "… the duration, in place of the end" },
    { "name", "string", "… the name" }, { "kind", "string", "… what has a colour" },
    { "lanes", "list", "the order of the lanes" }, LIMITS }, { "x" }), log = "" },
}

--- The kinds, in the order of the help.
keys.order = { "line", "step", "scatter", "bar", "stacked", "area", "histogram", "cdf", "heatmap",
  "gantt" }

local COMMON = {}
for _, key in ipairs(keys.common) do COMMON[key] = true end

--- Has every plot this key?
---@param key tandem.PlotKey
---@return boolean
function keys.is_common(key) return COMMON[key] == true end

local function fail(text, ...) error(text:format(...), 0) end

local THEMES <const> = { auto = true, light = true, dark = true }
local STEPS <const> = { after = true, before = true }

local checks = {
  string = function(value) return type(value) == "string" end,
  number = function(value) return type(value) == "number" and value == value
    and math.abs(value) < math.huge end,
  integer = function(value) return math.type(value) == "integer" end,
  boolean = function(value) return type(value) == "boolean" end,
  list = function(value) return type(value) == "table" end,
  any = function() return true end,
  ["auto|light|dark"] = function(value) return THEMES[value] end,
  ["after|before"] = function(value) return STEPS[value] end,
}

local function fits(value, types)
  if checks[types] then return checks[types](value) end
  for one in types:gmatch "[^|]+" do
    if checks[one](value) then return true end
  end
  return false
end

--- A value of the wrong type, in words.
---@param value any
---@return string
function keys.said(value)
  if type(value) == "string" then
    return ("the text \"%s\""):format(#value > 24 and value:sub(1, 24) .. "…" or value)
  elseif type(value) == "table" then
    return "a table"
  elseif value == nil then
    return "nothing"
  end
  return tostring(value)
end

-- Every key known and of its type.
local function check_table(given, known, path)
  local by_name, names = {}, {}
  for _, key in ipairs(known) do
    by_name[key[1]], names[#names + 1] = key, key[1]
  end
  for _, name in ipairs(nearest.sorted_keys(given)) do
    local key = by_name[name]
    if not key then
      if type(name) ~= "string" then
        fail("%s[%s]: wants keys with names, as y = { … }", path, tostring(name))
      end
      fail("%s: there is no key '%s'; %s", path, name, nearest.hint(name, names))
    elseif not fits(given[name], key[2]) then
      fail("%s.%s: wants %s, not %s", path, name, key[2]:gsub("|", " or "),
        keys.said(given[name]))
    end
  end
end

--- Checks the table of a plot; raises one line.
---@param kind string
---@param given table
function keys.check(kind, given)
  local spec = keys.kinds[kind]
  check_table(given, spec.keys, kind)
  if given.log then
    for letter in given.log:gmatch "." do
      if not spec.log:find(letter, 1, true) then
        local parts = {}
        for one in spec.log:gmatch "." do parts[#parts + 1] = ("\"%s\""):format(one) end
        fail("%s.log: \"%s\" is none of its logarithmic axes: %s", kind, given.log,
          table.concat(parts, ", ") .. (#spec.log > 1 and (", \"%s\""):format(spec.log) or ""))
      end
    end
  end
  if type(given.series) == "table" then
    for index, one in ipairs(given.series) do
      local path = ("%s.series[%d]"):format(kind, index)
      if type(one) ~= "table" then fail("%s: wants a table, not %s", path, keys.said(one)) end
      check_table(one, spec.series, path)
    end
  end
  for index, limit in ipairs(given.limits or {}) do
    local path = ("%s.limits[%d]"):format(kind, index)
    if type(limit) ~= "table" then fail("%s: wants a table, not %s", path, keys.said(limit)) end
    check_table(limit, { { "x", "number" }, { "y", "number" }, { "label", "string" } }, path)
  end
end

return keys
