--- Which rules hold for an engine and a model, in which order, as one compiled set.
--
-- Packs are looked for by name in the files that were named (--rules), in the folder of rules, in
-- lib/rules: the first of these that has the name decides, so that a user's pack takes the
-- place of a shipped one. Without an engine the named files hold whole, else all that is shipped.
-- Called by the analysis `categories` and its command.
local nearest = require "tandem.text.nearest"
local read = require "tandem.categories.read"

local choose = {}

local USAGE <const> = 2

---@class tandem.RuleChoice
---@field rules? string   a file of rules
---@field engine? string  a pack's name
---@field model? string

---@class tandem.ChosenRules
---@field list table[]     for core.rule_set
---@field packs string[]   names, in order
---@field set userdata     core.rule_set

local function shipped()
  local packs = {}
  for i, one in ipairs(require "lib.rules") do packs[i] = one end
  return packs
end

local function named(packs, name)
  local found = {}
  for _, one in ipairs(packs) do
    if one.name == name then found[#found + 1] = one end
  end
  return #found > 0 and found or nil
end

-- Packs of every source, nearest first.
local function nearest_packs(choice)
  local list = {}
  if choice.rules then
    local packs, message, code = read.file(choice.rules)
    if not packs then return nil, message, code end
    list[1] = packs
  end
  if choice.engine then
    local found = {}
    for _, path in ipairs(read.files(read.folder())) do
      local packs, message, code = read.file(path)
      if not packs then return nil, message, code end
      table.move(packs, 1, #packs, #found + 1, found)
    end
    list[#list + 1] = found
  end
  list[#list + 1] = shipped()
  return list
end

local function lookup(all, name)
  for _, packs in ipairs(all) do
    local found = named(packs, name)
    if found then return found end
  end
end

local function unknown(all, name)
  local names = {}
  for _, packs in ipairs(all) do table.move(packs, 1, #packs, #names + 1, names) end
  return ("there are no rules for the engine '%s'; %s"):format(name,
    nearest.hint(name, read.names(names)))
end

-- The packs in order, each with those that it extends behind it.
local function with_extended(all, packs)
  local list, seen = {}, {}
  local open, at = table.move(packs, 1, #packs, 1, {}), 1
  while open[at] do
    local one = open[at]
    at = at + 1
    if not seen[one] then
      seen[one] = true
      list[#list + 1] = one
      for _, name in ipairs(one.extends or {}) do
        local found = lookup(all, name)
        if not found then return nil, unknown(all, name) end
        table.move(found, 1, #found, #open + 1, open)
      end
    end
  end
  return list
end

local function has(list, word)
  for _, one in ipairs(list) do
    if one == word then return true end
  end
  return false
end

-- Every model that some rule is for, and whether some rule is for all.
local function models_of(packs)
  local seen, any = {}, false
  for _, one in ipairs(packs) do
    for _, rule in ipairs(one.rules) do
      any = any or not rule.models
      for _, model in ipairs(rule.models or {}) do seen[model] = true end
    end
  end
  return nearest.sorted_keys(seen), any
end

-- The model whose rules are meant; nil: only the rules for all.
local function model_of(packs, choice)
  local models, any = models_of(packs)
  if choice.model and has(models, choice.model) then return choice.model end
  if any then return nil end
  if #models == 0 then return nil, ("%s has no rules"):format(choice.engine or choice.rules) end
  if choice.model then
    return nil, ("%s has no rules for the model '%s'; %s"):format(choice.engine or choice.rules,
      choice.model, nearest.hint(choice.model, models))
  end
  if #models == 1 then return models[1] end
  return nil, ("say which model: %s has rules for %s"):format(choice.engine or choice.rules,
    table.concat(models, ", "))
end

local function one_engine(packs, choice)
  local names = read.names(packs)
  local _, any = models_of(packs)
  if #names < 2 or any then return true end
  return nil, ("say which engine: %s has rules for %s"):format(choice.rules,
    table.concat(names, ", "))
end

local function first_packs(all, choice)
  if choice.engine then
    local found = lookup(all, choice.engine)
    if not found then return nil, unknown(all, choice.engine) end
    return found
  end
  if not choice.rules then return all[#all] end
  local ok, message = one_engine(all[1], choice)
  return ok and all[1], message
end

-- The rules of packs as core.rule_set takes them.
local function flatten(packs, model)
  local list = {}
  for _, one in ipairs(packs) do
    for _, rule in ipairs(one.rules) do
      if not rule.models or model and has(rule.models, model) then
        local copy = { file = one.file or "lib/rules/" .. one.name .. ".lua" }
        for key, value in pairs(rule) do copy[key] = value end
        copy.models, copy.why = nil, nil
        if rule.id ~= rule.match then copy.id = one.name .. "/" .. rule.id end
        list[#list + 1] = copy
      end
    end
  end
  return list
end

local function names_of(packs)
  local names = {}
  for _, one in ipairs(packs) do
    if not has(names, one.name) then names[#names + 1] = one.name end
  end
  return names
end

--- The rules for a choice, compiled.
---@param choice tandem.RuleChoice
---@return tandem.ChosenRules|nil
---@return string|nil message
---@return integer|nil code
function choose.rules(choice)
  local all, message, code = nearest_packs(choice)
  if not all then return nil, message, code end
  local packs, model
  packs, message = first_packs(all, choice)
  if packs then packs, message = with_extended(all, packs) end
  if not packs then return nil, message, USAGE end
  model, message = model_of(packs, choice)
  if message then return nil, message, USAGE end
  local list = flatten(packs, model)
  local set
  set, message, code = require("tandem.core").rule_set(list)
  if not set then return nil, message, code end
  return { list = list, packs = names_of(packs), set = set }
end

return choose
