--- `td.rules "vllm" { … }`: rules from kernel names to categories, as passive data.
--
-- Owns the form of a pack and its checks. A pack is a table with a name and a list of rules;
-- nothing is matched here (src/analysis/rules does). Called by lib/rules and by users' own files.
local nearest = require "tandem.text.nearest"

local pack = {}

---@class tandem.KernelRule
---@field id string             names it in results; unique in its pack
---@field match string          PCRE2, searched anywhere in the name
---@field category? string      what it says; a rule without one gives labels only
---@field why? string           what such kernels are, or where the name comes from
---@field phase? string         "forward", "backward", "prefill", "decode", …
---@field library? string       "cublas", "nccl", …
---@field dtype? string         "bf16", …
---@field tensor_core? boolean
---@field priority? integer     larger ones are asked first (default: 0)
---@field any_case? boolean     upper and lower case are the same
---@field models? string[]      only when one of these models is named

---@class tandem.RulePack
---@field name string
---@field about? string
---@field extends? string[]  packs whose rules come behind its own
---@field rules tandem.KernelRule[]
local Pack = { __name = "tandem.rules" }
Pack.__tostring = function(self)
  return ("rules %q (%d)"):format(self.name, #self.rules)
end

local TYPES <const> = { id = "string", match = "string", category = "string", why = "string",
  phase = "string", library = "string", dtype = "string", tensor_core = "boolean",
  priority = "integer", any_case = "boolean", models = "list" }
local LABELS <const> = { "category", "phase", "library", "dtype", "tensor_core" }

local function is_list(value)
  if type(value) ~= "table" then return false end
  for _, one in ipairs(value) do
    if type(one) ~= "string" then return false end
  end
  return #value > 0
end

local function fits(value, kind)
  if kind == "list" then return is_list(value) end
  if kind == "integer" then return math.type(value) == "integer" end
  return type(value) == kind
end

local function wrong_in_rule(rule)
  for _, key in ipairs(nearest.sorted_keys(rule)) do
    if not TYPES[key] then
      return ("has no key '%s'; %s"):format(tostring(key), nearest.hint(tostring(key),
        nearest.sorted_keys(TYPES)))
    elseif not fits(rule[key], TYPES[key]) then
      return ("wants %s to be a %s, not a %s"):format(key, TYPES[key] == "list"
        and "list of texts" or TYPES[key], type(rule[key]))
    end
  end
  if not rule.match then return "wants match, a regular expression" end
  for _, label in ipairs(LABELS) do
    if rule[label] ~= nil then return nil end
  end
  return "says nothing: give it a category"
end

local function check_rule(rule, index, seen)
  if type(rule) ~= "table" then return ("rule %d is not a table"):format(index) end
  local id = rule.id
  if type(id) ~= "string" or id == "" then return ("rule %d wants an id"):format(index) end
  if seen[id] then return ("two rules have the id '%s'"):format(id) end
  seen[id] = true
  local wrong = wrong_in_rule(rule)
  return wrong and ("rule '%s' %s"):format(id, wrong)
end

local function copy_of(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, one in pairs(value) do out[key] = copy_of(one) end
  return out
end

--- A pack of rules:
---   td.rules "mine" { { id = "attention", match = "flash", category = "attention" } }
---@param name string  what engine=… and the second word of `tandem categories IN,ENGINE` call it
---@return fun(body: table): tandem.RulePack
function pack.new(name)
  if type(name) ~= "string" or name == "" then error("td.rules wants a name", 2) end
  return function(body)
    local function fail(message) error(("td.rules %q: %s"):format(name, message), 3) end
    if type(body) ~= "table" then fail("wants a table { … }") end
    local made, seen = setmetatable({ name = name, rules = {} }, Pack), {}
    for _, key in ipairs(nearest.sorted_keys(body)) do
      if math.type(key) == "integer" then
        local wrong = check_rule(body[key], key, seen)
        if wrong then fail(wrong) end
        made.rules[#made.rules + 1] = copy_of(body[key])
      elseif key == "about" and type(body.about) == "string" then
        made.about = body.about
      elseif key == "extends" and is_list(body.extends) then
        made.extends = copy_of(body.extends)
      else
        fail(("cannot use '%s'; there are about (a text), extends (a list of packs) and rules")
          :format(tostring(key)))
      end
    end
    if #made.rules == 0 and not made.extends then fail("has no rules") end
    return made
  end
end

--- Is a value a pack?
---@param value any
---@return boolean
function pack.is(value) return type(value) == "table" and getmetatable(value) == Pack end

--- A pack whose rules need no check, from data of another form.
---@param name string
---@param rules tandem.KernelRule[]
---@return tandem.RulePack
function pack.of(name, rules) return setmetatable({ name = name, rules = rules }, Pack) end

return pack
