--- `td.advice "name" { … }`: a rule of advice as a record, checked when it is made.
--
-- Owns the keys of a rule and the meaning of its threshold. Rules are files of lib/advice and of
-- users; tandem.advice runs them.
--
--   local td = require "tandem"
--   return td.advice "gpu-gaps" {
--     title = "GPU idle for long",
--     looks_for = "gaps without any work on a GPU",
--     needs = { "kernel|graph" },    -- categories, or category.argument; | : any of them
--     threshold = "1ms",             -- a time (given to find in ns), a share ("5%") or a number
--     asks_limits = true,            -- where find calls view:limits(): see tandem.advice
--     find = function(view, threshold) … return findings or nil, what is missing end,
--     what_to_do = "…", source = "…",
--   }
--
-- A finding: { evidence = "why it is one, with figures", claims = { … }, how = "how the gain was
-- estimated", where = "GPU #0", gain_bytes = …, rows = { { what, start_ns, dur_ns, count } } }. It
-- may have a title and a what_to_do of its own.
--
-- `claims` say which time of the run is meant, and how much faster it would be, from `low` (1) to
-- `high` (gone): { { cause = "copy", name = "HtoD, pageable", low = 1, high = 3 } }; without a name
-- it is all of the cause (tandem advice --table causes lists them), { cause = "wait" } is waits of
-- the host, { cause = "within", start_ns, dur_ns } a time in which something was seen. What is
-- claimed is replayed, and no time is claimed twice; `cap_ns` is the most that may be gained, and
-- `sure_ns`, where it is less, the most that is told at least.
-- `symptom = true` has to wait for causes. Without claims there may be `gain_ns`: what would be
-- gained at most; and `least_ns` at least.
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"

local rule = {}

---@class tandem.AdviceRule
---@field name string
---@field title string
---@field looks_for string
---@field needs string[]
---@field threshold? number|string
---@field asks_limits? boolean  it calls view:limits(), which is then asked before the critical path
---@field find fun(view: tandem.AdviceView, threshold: number): table|nil, string|nil
---@field what_to_do string
---@field source string
local Rule = { __name = "tandem.AdviceRule" }

local KEYS <const> = { title = "string", looks_for = "string", needs = "table", find = "function",
  what_to_do = "string", source = "string", threshold = false, asks_limits = false }

--- A threshold as the number that `find` gets: "5%" → 0.05, "1ms" → 1e6, "64KiB" → 65536.
---@param value number|string
---@return number|nil
---@return string|nil message
function rule.threshold(value)
  if type(value) == "number" and value == value then return value end
  if type(value) == "string" then
    local percent = tonumber(value:match "^%s*([%d.]+)%s*%%%s*$")
    if percent then return percent / 100 end
    if tonumber(value) then return tonumber(value) end
    local seconds = units.as(value, "s")
    if seconds then return seconds * 1e9 end
    local bytes = units.as(value, "B")
    if bytes then return bytes end
  end
  return nil, ("a threshold is a time, a share or a number, not '%s'"):format(tostring(value))
end

local function check(name, body)
  if type(body) ~= "table" then error(("td.advice %q wants { … }"):format(name), 3) end
  local known = nearest.sorted_keys(KEYS)
  for _, key in ipairs(nearest.sorted_keys(body)) do
    if KEYS[key] == nil then
      error(("td.advice %q: there is no key '%s'; %s"):format(name, tostring(key),
        nearest.hint(tostring(key), known)), 3)
    end
  end
  for _, key in ipairs(known) do
    if KEYS[key] and type(body[key]) ~= KEYS[key] then
      error(("td.advice %q: %s must be a %s"):format(name, key, KEYS[key]), 3)
    end
  end
  for _, need in ipairs(body.needs) do
    if type(need) ~= "string" then
      error(("td.advice %q: needs is a list of texts, such as \"kernel\", not of a %s"):format(name,
        type(need)), 3)
    end
  end
  if body.threshold ~= nil then
    local _, message = rule.threshold(body.threshold)
    if message then error(("td.advice %q: %s"):format(name, message), 3) end
  end
end

--- A rule of advice: its name, then a table of what it looks for and how it is found (tandem help
--- rules), for `tandem advice --rules FILE`.
---@param name string  lower case, words joined with "-"
---@return fun(body: table): tandem.AdviceRule
function rule.define(name)
  if type(name) ~= "string" or not name:match "^[%l%d][%l%d-]*$" then
    error("td.advice wants a name of lower-case words joined with '-'", 2)
  end
  return function(body)
    check(name, body)
    local made = { name = name }
    for key in pairs(KEYS) do made[key] = body[key] end
    return setmetatable(made, Rule)
  end
end

---@param value any
---@return boolean
function rule.is(value) return getmetatable(value) == Rule end

return rule
