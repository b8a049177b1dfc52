--- Scenarios as JSON: read from their own form, {"type": …}, or the seed form (seed.lua), and
-- written so that what is read back is equal. JSON itself is tandem.io.json's.

local expr = require "tandem.expr"
local io_json = require "tandem.io.json"
local lines = require "tandem.check.lines"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"

local json = {}

local WRITTEN <const> = { fit = true }

-- Give every table that declares a type its node's metatable.
local function adopt(v)
  if type(v) ~= "table" then return v end
  for _, x in next, v do adopt(x) end
  local spec = type(v.type) == "string" and node.types[v.type]
  if spec and spec.group ~= "record" then node.adopt(v) end
  return v
end

--- A scenario's raw table from JSON text (its own form, or the seed form).
---@param text string
---@param source string chunk name, "@file"
---@return table|nil raw
---@return tandem.Problems|nil problems
function json.read_scenario(text, source)
  local check = require "tandem.check"
  local problems = check.problems()
  local file = lines.file(source)
  local value, wrong = io_json.decode(text, source)
  if value == nil then
    wrong = wrong or { line = 1, message = "is null" }
    problems[1] = check.problem(file, wrong.line, "", wrong.message)
    return nil, problems
  end
  if type(value) ~= "table" or #value > 0 or text:find "^[\239\187\191%s]*%[" then
    problems[1] = check.problem(file, 1, "", "a scenario is a JSON object { … }")
    return nil, problems
  end
  local seed = require "tandem.scenario.seed"
  if seed.matches(value) then return seed.convert(value) end
  if type(value.name) ~= "string" then
    problems[1] = check.problem(file, 1, "name", value.name == nil and "is missing"
      or "wants a text")
    return nil, problems
  end
  return adopt(value)
end

-- Functions that are costs can be written as their traced expression; others cannot. A form wants
-- formulas as text where they have one, and a place for each function that has none.
local function plain(v, path, context)
  local t = type(v)
  if t == "function" then
    local tracing = require "tandem.expr.tracing"
    local traced = context.cost and tracing.trace(v, { shared = context.shared })
    if traced and traced.expr ~= nil then return plain(expr.symbol(traced.expr), path, context) end
    if context.functions then
      context.functions[#context.functions + 1] = path
      return { type = "lua" }
    end
    local check = require "tandem.check"
    local at = lines.of(context.node or {}) or {}
    local p = check.problem(at.source and lines.file(at.source), at.line, path,
      "is a Lua function, which JSON cannot hold"
      .. (traced and traced.why and " (" .. traced.why .. ")" or ""))
    context.problems[#context.problems + 1] = p
    return nil
  end
  if t ~= "table" then return v end
  if expr.is_symbol(v) then
    local function data(e)
      if type(e) ~= "table" then return e end
      if node.group(e) then return plain(e, path, context) end
      local out = {}
      for i, x in ipairs(e) do out[i] = data(x) end
      return out
    end
    if type(v.expr) == "number" then return v.expr end
    local text = context.formulas and expr.source(v.expr)
    return text or { type = "expr", expr = data(v.expr) }
  end
  local spec = node.group(v) and node.types[rawget(v, "type")]
  local outer_node, outer_cost = context.node, context.cost
  if spec then context.node = v end
  local out = {}
  local is_list = #v > 0 and not spec
  for k in next, v do is_list = is_list and type(k) == "number" end
  for _, k in ipairs(nearest.sorted_keys(v)) do
    local label = k
    local x = rawget(v, k)
    if type(k) == "number" and type(x) == "table" and type(rawget(x, "name")) == "string" then
      label = x.name
    end
    if spec then
      local key_spec = spec.keys[k]
      context.cost = key_spec ~= nil and key_spec.cost == true
    elseif path == "attrs" or path:find("%.attrs$") then
      context.cost = true
    end
    local value = plain(x, path == "" and tostring(label) or path .. "." .. label, context)
    if type(k) == "number" and not is_list then
      -- The array part of a record with keys as well: { p = 0.3, step, step }.
      local items = spec and spec.items or "steps"
      out[items] = out[items] or {}
      out[items][#out[items] + 1] = value
    else
      out[k] = value
    end
    context.cost = outer_cost
  end
  context.node = outer_node
  return out
end

--- Scenario data as JSON text. Raises a tandem.Problems value when it holds functions that are not
--- traced.
---@param raw table
---@return string
function json.write_scenario(raw)
  local check, checks = require "tandem.check", require "tandem.check.scenario"
  local context = { problems = check.problems(), node = raw, shared = checks.shared_state(raw) }
  local data = plain(raw, "", context)
  if #context.problems > 0 then error(context.problems, 0) end
  return io_json.encode(data, WRITTEN) .. "\n"
end

--- Scenario data for a form: formulas as text, functions that are none as { type = "lua" }.
---@param raw table
---@param formulas boolean  false: expressions as data
---@return table data
---@return string[] functions  the paths of those functions
function json.form(raw, formulas)
  local check, checks = require "tandem.check", require "tandem.check.scenario"
  local context = { problems = check.problems(), node = raw, shared = checks.shared_state(raw),
    functions = {}, formulas = formulas }
  local data = plain(raw, "", context)
  return data, context.functions
end

--- A scenario that holds functions: its script, line by line, and what `with` changed since. Raises
--- a tandem.Problems value when the changes hold functions.
---@param name string
---@param origin { script: string, changes: table[] }
---@return string
function json.write_script(name, origin)
  local script = {}
  for line in (origin.script .. "\n"):gmatch("(.-)\n") do script[#script + 1] = line end
  return json.write_scenario { name = name, script = script,
    with = #origin.changes > 0 and origin.changes or nil }
end

return json
