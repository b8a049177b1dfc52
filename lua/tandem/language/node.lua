--- The passive records a scenario is made of, and the registry of their types.
-- A node is a plain table { type=, name=, … } exactly as written, with a metatable per group
-- (stage, arrivals, dist, resource) and a remembered source line. Owns constructors; knows
-- nothing of what keys mean: check/init.lua reads the specifications registered here.

local lines = require "tandem.check.lines"
local units = require "tandem.units"
local nearest = require "tandem.text.nearest"

local node = {}

---@class tandem.Spec what one type of record accepts
---@field type string
---@field group "stage"|"arrivals"|"dist"|"resource"|"llm"|"rows"|"record"
---@field keys table<string, table> key → kind specification (see check/init.lua)
---@field named boolean|nil the constructor takes a name first: td.fixed "pre" { … }
---@field positional string[]|nil keys that plain arguments fill: td.uniform(1, 2)
---@field items string|nil the key that the array part stands for
---@field doc string one line for `tandem list` and `help`
---@field example string|nil a call that works, for `help`

---@type table<string, tandem.Spec>
node.types = {}

node.metatables = {}
for _, group in ipairs { "stage", "arrivals", "dist", "resource", "llm", "rows" } do
  node.metatables[group] = { group = group, __name = "tandem." .. group }
end

---@param v any
---@return string|nil group one of "stage", "arrivals", "dist", "resource", "llm", "rows"
function node.group(v)
  if type(v) ~= "table" then return nil end
  local mt = getmetatable(v)
  return type(mt) == "table" and rawget(mt, "group") or nil
end

--- Give a plain table (from JSON) the metatable of its declared type.
---@param t table with a `type` that is registered
---@return table t
function node.adopt(t)
  local spec = node.types[t.type]
  return spec and setmetatable(t, node.metatables[spec.group]) or t
end

local function merge_body(target, body, spec, what)
  if spec.named and spec.positional and type(body) ~= "table" then
    body = { [spec.positional[1]] = body }
  end
  if type(body) ~= "table" or node.group(body) then
    error(("td.%s %s wants a table { … }, not a %s"):format(what,
      target.name and ("%q"):format(target.name) or "", node.group(body) or type(body)), 3)
  end
  for k, v in next, body do
    if type(k) == "number" and spec.items then
      local list = rawget(target, spec.items)
      if type(list) ~= "table" then
        list = {}
        rawset(target, spec.items, list)
      end
      list[k] = v
    else
      rawset(target, k, v)
    end
  end
  if spec.attach then spec.attach(target) end
  return target
end

-- `td.gpu "L40"` is already a node; calling it with a table makes a new, fuller one.
local function attach(self, body)
  local spec = node.types[rawget(self, "type")]
  local copy = setmetatable({}, getmetatable(self))
  for k, v in next, self do rawset(copy, k, v) end
  lines.inherit(copy, self)
  lines.record(copy, 2)
  -- Not a tail call: error positions count frames.
  local made = merge_body(copy, body, spec, spec.type)
  return made
end
for _, mt in pairs(node.metatables) do mt.__call = attach end

local function show(v, depth)
  if type(v) == "string" then return ("%q"):format(v) end
  if type(v) == "function" then return "function" end
  if type(v) ~= "table" then return ("%s"):format(v) end
  if node.group(v) then return tostring(v) end
  if depth > 3 then return "{…}" end
  local parts = {}
  for _, k in ipairs(nearest.sorted_keys(v)) do
    local text = show(v[k], depth + 1)
    parts[#parts + 1] = type(k) == "number" and text or ("%s = %s"):format(k, text)
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function tostring_node(self)
  local parts = {}
  local name = rawget(self, "name")
  for _, k in ipairs(nearest.sorted_keys(self)) do
    if k ~= "type" and k ~= "name" then
      parts[#parts + 1] = ("%s = %s"):format(k, show(rawget(self, k), 0))
    end
  end
  local head = ("td.%s"):format(rawget(self, "type"))
  if name then head = head .. (" %q"):format(("%s"):format(name)) end
  if #parts == 0 then return head .. (name and "" or "{}") end
  return head .. " { " .. table.concat(parts, ", ") .. " }"
end
for _, mt in pairs(node.metatables) do mt.__tostring = tostring_node end

--- Register a type and return its constructor.
---@param spec tandem.Spec
---@return fun(...): table
function node.define(spec)
  node.types[spec.type] = spec
  local mt = node.metatables[spec.group]
  return function(...)
    local first = ...
    local self = setmetatable({ type = spec.type }, mt)
    lines.record(self, 2)
    local positional = spec.positional
    if spec.named and type(first) == "string" then
      if select("#", ...) > 1 then
        error(("write td.%s %q { … }: the table follows the name without a comma"):format(
          spec.type, first), 2)
      end
      rawset(self, "name", first)
      if spec.attach then spec.attach(self) end
      return self
    end
    if type(first) == "table" and not node.group(first) and not getmetatable(first) then
      local made = merge_body(self, first, spec, spec.type)
      return made
    end
    if positional and select("#", ...) <= #positional then
      for i, key in ipairs(positional) do rawset(self, key, (select(i, ...))) end
      return self
    end
    error(("td.%s wants %s"):format(spec.type,
      spec.named and ("a name and a table: td.%s \"name\" { … }"):format(spec.type)
        or "a table { … }"), 2)
  end
end

--- Deep copy of scenario data; functions, strings and symbols are shared.
--- Raises when a table contains itself.
---@param v any
---@param outer table<table, true>|nil the tables that v lies in
---@return any
function node.copy(v, outer)
  if type(v) ~= "table" then return v end
  local mt = getmetatable(v)
  if mt ~= nil and not node.group(v) then return v end
  outer = outer or {}
  if outer[v] then error("a table contains itself; a scenario is a tree of tables", 0) end
  outer[v] = true
  local out = setmetatable({}, mt)
  for k, x in next, v do rawset(out, k, node.copy(x, outer)) end
  outer[v] = nil
  lines.inherit(out, v)
  return out
end

--- SI number when `v` reads as a quantity of that dimension, else `v` unchanged.
---@param v any
---@param dim string
---@return any
function node.number_or_same(v, dim)
  if type(v) == "string" then return units.as(v, dim) or v end
  return v
end

return node
