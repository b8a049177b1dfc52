--- What is wrong with a scenario, and where: the problems that every check collects.
-- Owns the problem record, the printable list, and the context a check walks with (where it is,
-- what it has read). Knows no kinds of values: those are check/init.lua and quantity.lua.

local expr = require "tandem.expr"
local format = require "tandem.text.format"
local lines = require "tandem.check.lines"
local node = require "tandem.language.node"

local problem = {
  NAME_MOST = 1000, -- bytes of a name: it stands in every table, page and span
}

local MOST_WORDS <const> = 2000 -- bytes of a message: scripts quote what they like

-- Not longer than so many bytes; where it was cut, how many it has.
local function short(text, most)
  if #text <= most then return text end
  return ("%s… (%d bytes)"):format(text:sub(1, most):gsub("[\xc2-\xf4][\x80-\xbf]*$", ""), #text)
end

---@class tandem.Problem
---@field file string|nil
---@field line integer|nil
---@field path string key path, as `with` and `--set` take it
---@field message string what is wrong, and the nearest valid thing
local Problem = {}
Problem.__index = Problem
function Problem:__tostring()
  local where = self.file and (self.line and ("%s:%d: "):format(self.file, self.line)
    or self.file .. ": ") or ""
  local text = where .. (self.path ~= "" and self.path .. ": " or "") .. self.message
  return (text:gsub("%c", "?")) -- one problem, one line, whatever a name holds
end

--- Make a problem record by hand (for the loader, which has no node).
---@return tandem.Problem
function problem.new(file, line, path, message)
  return setmetatable({ file = file, line = line, path = path or "",
    message = message and short(message, MOST_WORDS) }, Problem)
end

---@class tandem.Problems: tandem.Problem[]
local Problems = {}
Problems.__index = Problems
Problems.__name = "tandem.Problems"
function Problems:__tostring()
  if #self == 0 then return "no problems" end
  local out = {}
  for i, p in ipairs(self) do out[i] = tostring(p) end
  return table.concat(out, "\n")
end

--- A printable list of problems, as `error` values and as `check`'s second result.
---@return tandem.Problems
function problem.list() return setmetatable({}, Problems) end

--- Sorts them by file and line, otherwise as found.
function Problems:sort()
  local position = {}
  for i, p in ipairs(self) do position[p] = i end
  table.sort(self, function(a, b)
    local fa, fb = a.file or "", b.file or ""
    if fa ~= fb then return fa < fb end
    if (a.line or 0) ~= (b.line or 0) then return (a.line or 0) < (b.line or 0) end
    return position[a] < position[b]
  end)
end

--- Are these tandem.Problems?
---@param v any
---@return boolean
function problem.is_list(v) return getmetatable(v) == Problems end

---@class tandem.CheckContext
---@field problems tandem.Problems
---@field stack table[] path from the scenario to where the walk is
---@field dim string|nil dimension that a distribution's parameters inherit
---@field signed boolean|nil whether they may be negative
---@field gpu_params table<string, number>|nil parameters of the (first) GPU, for tracing
---@field around table|nil the spec of the table that is being checked
---@field shared table state that hooks and routers assign: functions reading it are not traced
---@field reads table[] attributes and GPU fields read by costs, checked at the end
---@field untraced table[] functions that stay functions, and why
---@field resources table[] pools, links and memories given inline as on = td.pool …
---@field directory string|nil where relative file names start
local Context = {}
Context.__index = Context

--- A fresh context.
---@return tandem.CheckContext
function problem.context(options)
  return setmetatable({ problems = problem.list(), stack = {}, shared = {}, reads = {},
    untraced = {}, resources = {}, references = {}, directory = options and options.directory },
    Context)
end

local function label_of(key, value, list)
  if type(key) == "number" and not (type(list) == "table" and list.type == "map") then
    local name = type(value) == "table" and rawget(value, "name")
    if type(name) == "string" and name ~= "" and #name <= problem.NAME_MOST then
      return "." .. name
    end
    return ("[%s]"):format(key)
  end
  return "." .. short(("%s"):format(key), problem.NAME_MOST)
end

function Context:push(key, value, items)
  self.stack[#self.stack + 1] = { key = key, node = value, items = items,
    label = label_of(key, value) }
end

function Context:pop() self.stack[#self.stack] = nil end

--- Where the walk is now (plus `key`), to be told later: finding lines costs reading the source,
--- so it is done only when there is something to say.
---@param key any
---@return { stack: table[], key: any }
function Context:here(key)
  return { stack = table.move(self.stack, 1, #self.stack, 1, {}), key = key }
end

-- File, line and path of a position.
local function resolve(where)
  local path, stack = {}, where.stack
  for i = 2, #stack do path[#path + 1] = stack[i].label end
  if where.key ~= nil then path[#path + 1] = label_of(where.key) end
  for _, name in ipairs(where.below or {}) do path[#path + 1] = "." .. name end
  local text = (table.concat(path):gsub("^%.", ""))
  local keys = { where.key }
  for i = #stack, 1, -1 do
    local frame = stack[i]
    if type(frame.node) == "table" and lines.of(frame.node) then
      local file, line = lines.locate(frame.node, keys, frame.items)
      return problem.new(file, line, text)
    end
    table.insert(keys, 1, frame.key)
  end
  return problem.new(nil, nil, text)
end

--- Report a problem at a key of the node being checked (nil: the node itself).
---@param key any
---@param message string
function Context:problem(key, message)
  self:report(self:here(key), message)
end

--- The file, line and path of a position that `here` remembered, with a message.
---@return tandem.Problem
function problem.at(where, message)
  local p = resolve(where)
  p.message = short(message, MOST_WORDS)
  return p
end

--- Report a problem at a position that `here` remembered.
---@param where { stack: table[], key: any, below: string[]|nil } below: names under the position
---@param message string
function Context:report(where, message)
  self.problems[#self.problems + 1] = problem.at(where, message)
end

--- Weights must be ≥ 0 and not all 0.
function Context:check_weights(key, weights)
  local sum = 0
  for _, w in ipairs(weights) do sum = sum + w end
  if not (sum > 0) then self:problem(key, "every weight is 0") end
end
--- What is wrong with a name of more bytes than NAME_MOST.
---@param name string
---@return string
function problem.too_long(name)
  return ("has %s bytes; the most is %s"):format(format.integer(#name),
    format.integer(problem.NAME_MOST))
end

--- A value in a few words, for messages.
---@param v any
---@return string
function problem.describe(v)
  local group = node.group(v)
  if group then return ("a td.%s"):format(tostring(rawget(v, "type"))) end
  if expr.is_symbol(v) then return "an expression" end
  if type(v) == "string" then
    return ("the text '%s'"):format(#v > 40 and v:sub(1, 37) .. "…" or v)
  end
  if type(v) == "table" then return "a table" end
  if type(v) == "function" then return "a function" end
  return ("%s"):format(v)
end

return problem
