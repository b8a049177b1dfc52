--- A scenario as the Lua file that a person would have written.
-- Owns spelling and layout: the order of keys, units, one step a line, comments behind what they
-- speak of. What comments say is the caller's. A scenario that holds functions has no such text:
-- its file is its source. Called by fits.

local spelling = require "tandem.units.spelling"
local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"

local source = {}

local WIDTH <const> = 100
local KEYWORDS <const> = { ["and"] = true, ["break"] = true, ["do"] = true, ["else"] = true,
  ["elseif"] = true, ["end"] = true, ["false"] = true, ["for"] = true, ["function"] = true,
  ["goto"] = true, ["if"] = true, ["in"] = true, ["local"] = true, ["nil"] = true, ["not"] = true,
  ["or"] = true, ["repeat"] = true, ["return"] = true, ["then"] = true, ["true"] = true,
  ["until"] = true, ["while"] = true }
-- What a reader wants to know first; other keys follow in order of the alphabet.
local ORDER <const> = { "title", "question", "description", "workload", "target", "cpu",
  "resources", "attrs", "pipeline", "classes", "p", "time", "cost", "tokens", "time_per_token",
  "bytes", "latency", "flops", "efficiency", "overhead", "points", "on", "jitter", "batch", "rps",
  "mean", "cv", "arrival", "slo", "duration", "requests", "replications", "seed", "expect" }
local RANK <const> = {}
for i, key in ipairs(ORDER) do RANK[key] = i end

---@class tandem.SourceTold
---@field head string[]|nil                lines above the file
---@field comments table<string, string>|nil  by path: "pipeline.h2d.latency", "target.h2d"
---@field digits integer|nil  round numbers that are not whole, but for recorded requests; nil: none

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n"):gsub("\r", "\\r"):gsub("%c",
    function(c) return ("\\%03d"):format(c:byte()) end) .. '"'
end

local function key_text(key)
  if key:find "^[%a_][%w_]*$" and not KEYWORDS[key] then return key end
  return "[" .. quoted(key) .. "]"
end

--- Whether one key is written before another.
---@param a string
---@param b string
---@return boolean
function source.before(a, b)
  local x, y = RANK[a] or math.huge, RANK[b] or math.huge
  if x ~= y then return x < y end
  return a < b
end

-- Keys of the named part, in the order of writing.
local function keys_of(t, leave)
  local keys = {}
  for _, k in ipairs(nearest.sorted_keys(t)) do
    if type(k) == "string" and not leave[k] then keys[#keys + 1] = k end
  end
  table.sort(keys, source.before)
  return keys
end

-- What is known of a key of a record: its dimension, its own record.
local function spec_of(spec, key, dim)
  local found = spec and spec.keys[key] or spec and spec.pattern and spec.pattern.spec
  if not found then return nil, nil end
  local own = found.dim
  if found.inherit then own = dim end
  if found.kind == "jitter" then own = "1" end
  return own, found
end

local Writer = {}
Writer.__index = Writer

-- A piece of source: one line when it fits, else its lines. Each line has its comment beside it.
local function one(text) return { { text = text } } end

local function width(text) return utf8.len(text) or #text end

-- Opens, the parts, closes: on one line where that is short and nothing is told, else each on its
-- own.
local function enclose(open, parts, close, room)
  local flat, length = {}, width(open) + width(close)
  local plain = true
  for i, part in ipairs(parts) do
    plain = plain and #part == 1 and not part[1].comment
    flat[i] = part[1].text
    length = length + width(part[1].text) + 2
  end
  if #parts == 0 then return one(open .. close) end
  if plain and length <= room then
    return one(open .. " " .. table.concat(flat, ", ") .. " " .. close)
  end
  local lines = { { text = open } }
  for _, part in ipairs(parts) do
    for i, line in ipairs(part) do
      lines[#lines + 1] = { text = "  " .. line.text .. (i == #part and "," or ""),
        comment = line.comment }
    end
  end
  lines[#lines + 1] = { text = close }
  return lines
end

-- Short values of a list side by side; steps and tables have lines of their own.
local function fill(parts, room)
  local rows, row = {}, nil
  for _, part in ipairs(parts) do
    if #part > 1 or part[1].comment or part[1].text:find "[{]" or part[1].text:find "^td%." then
      return parts
    end
    local text = part[1].text
    if row and width(row) + width(text) + 4 <= room then
      row = row .. ", " .. text
    else
      if row then rows[#rows + 1] = one(row) end
      row = text
    end
  end
  if row then rows[#rows + 1] = one(row) end
  return rows
end

function Writer:refuse(path, why)
  self.problem = self.problem or ("%s %s"):format(path == "" and "the scenario" or path, why)
  return one "nil"
end

local function below(path, key)
  return path == "" and tostring(key) or path .. "." .. tostring(key)
end

function Writer:pair(t, key, spec, dim, path, room)
  local own, found = spec_of(spec, key, dim)
  local lines = self:value(t[key], own, found, below(path, key), room - 2)
  lines[1].text = key_text(key) .. " = " .. lines[1].text
  local comment = self.comments[below(path, key)]
  if comment then
    self.told[below(path, key)] = true
    lines[1].comment = comment
  end
  return lines
end

-- A table's named and numbered parts.
function Writer:parts(t, spec, dim, path, room, leave)
  local parts, list = {}, {}
  for _, key in ipairs(keys_of(t, leave)) do
    parts[#parts + 1] = self:pair(t, key, spec, dim, path, room)
  end
  for i, v in ipairs(t) do
    local name = type(v) == "table" and rawget(v, "name")
    list[i] = self:value(v, dim, nil, below(path, type(name) == "string" and name or i), room - 2)
  end
  table.move(fill(list, room - 2), 1, #list, #parts + 1, parts)
  return parts
end

-- td.fixed "pre" { time = "1ms" }
function Writer:node(v, dim, path, room)
  local spec = node.types[v.type]
  local open, leave = "td." .. v.type, { type = true }
  -- A step is known by its name, however deep in branches it stands.
  if node.group(v) == "stage" and type(rawget(v, "name")) == "string" then
    path = "pipeline." .. v.name
  end
  if spec and spec.named and type(rawget(v, "name")) == "string" then
    open, leave.name = open .. " " .. quoted(v.name), true
  end
  local t = v
  local items = spec and spec.items
  if items and type(rawget(v, items)) == "table" and not node.group(rawget(v, items)) then
    -- What stands for the array part is written as one.
    t = {}
    for k, x in next, v do t[k] = x end
    for i, x in ipairs(rawget(v, items)) do t[i] = x end
    leave[items] = true
  end
  local digits = self.digits
  -- Requests that were recorded are no estimates: their gaps are far smaller than their times.
  if v.type == "replay" then self.digits = nil end
  local parts = self:parts(t, spec, dim, path, room, leave)
  self.digits = digits
  if #parts == 0 and leave.name then return one(open) end
  return enclose(open .. " {", parts, "}", room)
end

-- A cost function that is a formula of its request, as that formula.
function Writer:formula(fn, path)
  local traced = require("tandem.expr.tracing").trace(fn, {})
  local whole = traced.expr ~= nil and not traced.problem
  if whole then
    expr.walk(traced.expr, function(e)
      local op = type(e) == "table" and e[1]
      whole = whole and op ~= "draw" and op ~= "interp" and op ~= "gpu" and op ~= "sum"
    end)
  end
  if not whole then return self:refuse(path, "is a function, which has no text") end
  return one(quoted(expr.tostring(traced.expr)))
end

function Writer:value(v, dim, spec, path, room)
  local kind = type(v)
  if kind == "number" then
    if spec and spec.integer then return one(spelling.number(v)) end
    return one(spelling.source(v, dim, self.digits))
  elseif kind == "string" then
    return one(quoted(v))
  elseif kind == "boolean" then
    return one(tostring(v))
  elseif expr.is_symbol(v) then
    return one(quoted((expr.tostring(v.expr))))
  elseif kind == "function" and spec and spec.cost then
    return self:formula(v, path)
  elseif kind ~= "table" then
    return self:refuse(path, "is a " .. kind .. ", which has no text")
  elseif node.group(v) then
    return self:node(v, dim, path, room)
  elseif getmetatable(v) ~= nil then
    return self:refuse(path, "is an object, which has no text")
  end
  local record = spec and spec.kind == "record" and node.types[spec.of]
  local inner = spec and (spec.kind == "list" or spec.kind == "map") and spec.of or nil
  if inner and inner.kind == "quantity" then dim = inner.inherit and dim or inner.dim end
  if spec and spec.kind == "map" then record = { keys = {}, pattern = { spec = inner } } end
  return enclose("{", self:parts(v, record, dim, path, room, {}), "}", room)
end

local function fits_beside(line, indent, column)
  return #indent + column + 5 + width(line.comment) <= WIDTH
end

-- The column of the comments of a run of lines: of those whose comment can stand beside them.
local function column_of(lines, from, indent)
  local last, column = from, 0
  while lines[last] and lines[last].comment do
    local own = width(lines[last].text)
    if fits_beside(lines[last], indent, own) then column = math.max(column, own) end
    last = last + 1
  end
  return column, last
end

local function put_above(out, line, indent)
  local own = indent .. line.text:match "^ *"
  for _, words in ipairs(require("tandem.plot.style").wrap(line.comment, WIDTH - width(own) - 3)) do
    out[#out + 1] = own .. "-- " .. words
  end
  out[#out + 1] = indent .. line.text
end

-- Comments stand in one column behind the lines around them, or above a line that is too long.
local function put(lines, indent)
  local out, i = {}, 1
  while i <= #lines do
    local column, after = column_of(lines, i, indent)
    if after == i then
      out[#out + 1] = indent .. lines[i].text
      after = i + 1
    else
      for k = i, after - 1 do
        local line = lines[k]
        local own = width(line.text)
        if own <= column and fits_beside(line, indent, column) then
          out[#out + 1] = indent .. line.text .. (" "):rep(column - own + 2) .. "-- "
            .. line.comment
        else
          put_above(out, line, indent)
        end
      end
    end
    i = after
  end
  return out
end

--- A part of a scenario as its text: td.affine { … }, td.gpu "L4" {}. Nil and a line when it holds
--- what has no text.
---@param part table
---@param digits integer|nil
---@return string|nil
---@return string|nil message
function source.part(part, digits)
  local writer = setmetatable({ comments = {}, digits = digits, told = {} }, Writer)
  local lines = writer:value(part, nil, nil, "", WIDTH)
  if writer.problem then return nil, writer.problem end
  local out = {}
  for i, line in ipairs(lines) do out[i] = line.text end
  return table.concat(out, "\n")
end

--- The file of a scenario. Nil and a line when it holds what has no text (a function).
---@param raw table                    as given to td.scenario: scenario.raw
---@param told tandem.SourceTold|nil
---@return string|nil
---@return string|nil message
function source.of(raw, told)
  told = told or {}
  local writer = setmetatable({ comments = told.comments or {}, digits = told.digits, told = {} },
    Writer)
  local spec = node.types.scenario
  local parts = writer:parts(raw, spec, nil, "", WIDTH - 2, { name = true })
  if writer.problem then return nil, writer.problem end
  local lines = {}
  for _, part in ipairs(parts) do
    for i, line in ipairs(part) do
      lines[#lines + 1] = { text = "  " .. line.text .. (i == #part and "," or ""),
        comment = line.comment }
    end
  end
  local out = {}
  for _, line in ipairs(told.head or {}) do
    out[#out + 1] = (line == "" and "--" or "-- " .. line:gsub("[\r\n]+", " "))
  end
  out[#out + 1] = 'local td = require "tandem"'
  out[#out + 1] = ""
  out[#out + 1] = ("return td.scenario %s {"):format(quoted(raw.name))
  table.move(put(lines, ""), 1, #lines * 8, #out + 1, out)
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

return source
