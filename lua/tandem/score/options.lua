--- The options of a score, checked.
--
-- Owns their names and what is usual. Used by init.lua.
local gates = require "tandem.score.gate"
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"

local options = {}

---@class tandem.ScoreOptions
---@field map? tandem.Map        of measured runs
---@field align? string          how the clocks are put together: see tandem.overlay.clock
---@field drift? string          auto (the default), on, off: clocks that run at another rate
---@field within? number|string  the tolerance (default: 0.05 or "5%")
---@field confidence? number     a fraction (default: 0.95)
---@field gate? string|string[]  conditions that must hold, as `tandem score --gate` takes them
---@field bins? integer          of the table over time (default: 64)
---@field worst? integer         requests in the table of the worst (default: 10)
---@field replications? integer  of a scenario that is held against metrics (default: 19)

---@class tandem.ScoreAsked
---@field align string|nil
---@field drift string|nil
---@field within number
---@field confidence number
---@field bins integer
---@field worst integer
---@field replications integer
---@field gates tandem.ScoreGate[]

local OPTIONS <const> = { "align", "bins", "confidence", "drift", "gate", "map",
  "replications", "within", "worst" }

local function share_of(value, one)
  local number = type(value) == "string" and units.as(value, "1") or value
  if type(number) ~= "number" or not (number > 0 and number < 1) then
    return nil, ("%s is '%s'; wanted a share between 0 and 1, such as \"5%%\""):format(one.name,
      tostring(value))
  end
  return number
end

local function count_of(value, one)
  if math.type(value) ~= "integer" or value < 1 or value > one.most then
    return nil, ("%s is '%s'; wanted a whole number from 1 to %d"):format(one.name,
      tostring(value), one.most)
  end
  return value
end

local NUMBERS <const> = {
  { name = "within", read = share_of, usual = 0.05 },
  { name = "confidence", read = share_of, usual = 0.95 },
  { name = "bins", read = count_of, usual = 64, most = 4096 },
  { name = "worst", read = count_of, usual = 10, most = 1000000 },
  -- The range of so many holds one more of them in 90 % of all cases.
  { name = "replications", read = count_of, usual = 19, most = 1000 },
}

--- The options with what is usual filled in.
---@param given tandem.ScoreOptions
---@return tandem.ScoreAsked|nil
---@return string|nil message
function options.asked(given)
  for _, name in ipairs(nearest.sorted_keys(given)) do
    local known = false
    for _, one in ipairs(OPTIONS) do known = known or one == name end
    if not known then
      return nil, ("score has no option '%s'; %s"):format(tostring(name),
        nearest.hint(tostring(name), OPTIONS))
    end
  end
  local own = { align = given.align, drift = given.drift, gates = {} }
  for _, one in ipairs(NUMBERS) do
    local message
    own[one.name], message = one.read(given[one.name] or one.usual, one)
    if not own[one.name] then return nil, message end
  end
  local texts = type(given.gate) == "string" and { given.gate } or given.gate or {}
  for i, text in ipairs(texts) do
    local message
    own.gates[i], message = gates.parse(text)
    if not own.gates[i] then return nil, message end
  end
  return own
end

return options
