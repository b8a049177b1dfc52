--- The options of a search read and checked.
--
-- Owns defaults, kinds and limits of options, and the line that says what is wrong with one. Knows
-- no method: each search in lib/search brings its table of what it takes.
local nearest = require "tandem.text.nearest"
local space = require "tandem.search.space"

---@class tandem.SearchOption
---@field kind "space"|"number"|"integer"|"boolean"|"table"
---@field default any
---@field needed boolean|nil
---@field least number|nil
---@field most number|nil
---@field above number|nil

local function judge(key, value, option)
  local kind = option.kind
  if kind == "space" then
    local made, wrong = space.check(value)
    return made, wrong
  elseif kind == "boolean" or kind == "table" then
    if type(value) == kind then return value end
    return nil, ("%s wants %s, not %s"):format(key, kind == "table" and "a table"
      or "true or false", tostring(value))
  end
  local number = type(value) == "number" and value or nil
  if kind == "integer" then number = number and math.tointeger(number) end
  if not number or number ~= number then
    return nil, ("%s wants a %s, not %s"):format(key,
      kind == "integer" and "whole number" or "number", tostring(value))
  end
  if option.least and number < option.least then
    return nil, ("%s wants at least %s, not %s"):format(key, option.least, value)
  elseif option.above and number <= option.above then
    return nil, ("%s wants more than %s, not %s"):format(key, option.above, value)
  elseif option.most and number > option.most then
    return nil, ("%s wants at most %s, not %s"):format(key, option.most, value)
  end
  return number
end

--- Options with their defaults, or nil and one line.
---@param who string          begins the line: "search.golden"
---@param given table
---@param takes table<string, tandem.SearchOption>
---@return table|nil options
---@return string|nil message
local function read(who, given, takes)
  if type(given) == "function" then
    return nil, ("%s makes a search: drive what %s{ over = … } gives, not %s itself"):format(who,
      who, who)
  elseif type(given) ~= "table" then
    return nil, ("%s wants a table of options: %s{ over = { rps = { 1, 100 } } }"):format(who, who)
  end
  local names = nearest.sorted_keys(takes)
  for _, key in ipairs(nearest.sorted_keys(given)) do
    if not takes[key] then
      return nil, ("%s: unknown option '%s'; %s"):format(who, tostring(key),
        nearest.hint(tostring(key), names))
    end
  end
  local options = {}
  for _, key in ipairs(names) do
    local option, value = takes[key], given[key]
    if value == nil then
      if option.needed then
        return nil, ("%s: %s is missing%s"):format(who, key, option.kind == "space"
          and ": over = { rps = { 1, 100 } } says what to look through" or "")
      end
      options[key] = option.default
    else
      local judged, wrong = judge(key, value, option)
      if wrong then return nil, ("%s: %s"):format(who, wrong) end
      options[key] = judged
    end
  end
  return options
end

return { read = read }
