--- A scenario as what a form shows and sends back: plain data, and its text as a Lua file.
--
-- Owns what becomes of functions: costs that are formulas are their text; others keep the scenario
-- in its script, whose values a form may still change, as --set would. Reading data is json.lua's,
-- the text source.lua's. Called by `tandem check --source`, which `tandem serve` asks.
local json = require "tandem.scenario.json"
local io_json = require "tandem.io.json"
local scenario = require "tandem.scenario"

local form = {}

---@class tandem.Form
---@field data table           the scenario in JSON's form; { type = "lua" } where a function stands
---@field functions string[]   paths of those functions
---@field hash string          of what it means, however it is written
---@field lua string|nil       as the Lua file a person would have written, without functions
---@field script string|nil    else the script it was loaded from
---@field with table[]|nil      and what was changed since

-- The data read again, when it means the same scenario.
local function read_again(self, data)
  local raw = json.read_scenario(io_json.encode(data), "=form")
  local again = raw and scenario.check(raw, { directory = rawget(self, "directory") })
  return again and again:hash() == self:hash() and raw or nil
end

---@param self tandem.Scenario
---@return tandem.Form
function form.of(self)
  local data, functions = json.form(self.raw, true)
  local out = { data = data, functions = functions, hash = self:hash() }
  if #functions > 0 then
    local origin = rawget(self, "origin")
    out.script = origin and origin.script
    out.with = origin and #origin.changes > 0 and json.form(origin.changes, false) or nil
    return out
  end
  local raw = read_again(self, data)
  if not raw then
    out.data = json.form(self.raw, false)
    raw = json.read_scenario(io_json.encode(out.data), "=form")
  end
  out.lua = raw and require("tandem.scenario.source").of(raw) or nil
  return out
end

return form
