--- What runs beside user functions in a worker's Lua state: amounts with units or distributions,
-- messages about unknown names, pairs in an order that is the same everywhere.
-- Called by src/bind only, and rarely: what is on the hot path is C.

local check = require "tandem.check"
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"
require "tandem.language.dist" -- the types that check knows

local worker = {}

-- One text for equal distributions; nil when a function is inside.
local function key_of(v)
  if type(v) == "function" then return nil end
  if type(v) ~= "table" then return type(v) == "number" and ("%a"):format(v) or tostring(v) end
  local parts = {}
  for _, k in ipairs(nearest.sorted_keys(v)) do
    local inner = key_of(v[k])
    if not inner then return nil end
    parts[#parts + 1] = tostring(k) .. "=" .. inner
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- A text for a distribution as written, when all its parameters are plain; cheap, because processes
-- like to write p:use("gpu", td.exponential "2ms") inside their loops.
local function written_key(v, dim)
  local parts = { dim }
  for k, x in next, v do
    if type(x) == "string" then
      parts[#parts + 1] = k
      parts[#parts + 1] = #x
      parts[#parts + 1] = x
    elseif type(x) == "number" then
      parts[#parts + 1] = k
      parts[#parts + 1] = ("%a"):format(x)
    else
      return nil
    end
  end
  return table.concat(parts, ":")
end

local known, known_count = {}, 0
local known_limit = 4096

--- A time or size as a number in SI units, or a distribution in checked form and a text that equal
--- distributions share.
---@param v any
---@param dim "s"|"B"
---@return number|table
---@return string|nil
function worker.amount(v, dim)
  if type(v) == "string" then
    local number, problem = units.as(v, dim)
    if not number then error(problem, 0) end
    return number
  end
  if type(v) ~= "table" then
    error(("%s is not %s or a distribution"):format(v == nil and "nothing" or "a " .. type(v),
      units.describe(dim)), 0)
  end
  local written = written_key(v, dim)
  local before = written and known[written]
  if before then return before[1], before[2] end
  local ctx = check.context()
  local checked = check.kinds.dist(ctx, v, { dim = dim })
  if ctx.problems[1] then error(ctx.problems[1].message, 0) end
  local key = key_of(checked)
  if written then
    if known_count >= known_limit then known, known_count = {}, 0 end
    known[written], known_count = { checked, key }, known_count + 1
  end
  return checked, key
end

--- A message about a name that is none of the keys of `names`.
---@param what string
---@param word string
---@param names table<string, any>
---@return string
function worker.unknown(what, word, names)
  return ("%s has no '%s'; %s"):format(what, word, nearest.hint(word, nearest.sorted_keys(names)))
end

--- `pairs` in sorted order: Lua's own depends on where the state lies in memory, and results must
--- not depend on the thread.
---@param t table
function worker.pairs(t)
  local mt = getmetatable(t)
  if type(mt) == "table" and mt.__pairs then return mt.__pairs(t) end
  local keys, i = nearest.sorted_keys(t), 0
  return function()
    i = i + 1
    local k = keys[i]
    if k ~= nil then return k, t[k] end
  end, t, nil
end

return worker
