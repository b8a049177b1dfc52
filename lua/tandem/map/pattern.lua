--- Patterns of maps: globs (`*` any text, `?` one character, the whole name), and expressions
--- between slashes (PCRE2, found anywhere in the name).
--
-- Owns what such a text may be, and matching in Lua of few names: a proposal tries its patterns on
-- each distinct name once. Rows are matched in C (src/analysis/visits/pattern.c), which also
-- takes a number out of a name.
local pattern = {}

--- The expression of `/…/`; nil for a glob.
---@param text string
---@return string|nil
function pattern.expression(text)
  if #text > 2 then return text:match "^/(.*)/$" end
end

local function rule_set(expression)
  return require("tandem.core").rule_set { { id = "1", file = "map", match = expression,
    category = "yes" } }
end

--- What is wrong with a pattern; nil when nothing is.
---@param text string
---@return string|nil
function pattern.problem(text)
  if text == "" then return "is empty; \"*\" takes every name" end
  if text:find "%c" then return "holds a control character" end
  if text == "/" or text == "//" then return "is an empty expression; \"*\" takes every name" end
  if text:find "^/" and not text:find "/$" then
    return ("is '%s', which begins with a slash and does not end with one; an expression stands "
      .. "between two: '%s/'"):format(text, text)
  end
  local expression = pattern.expression(text)
  if not expression then return nil end
  local set, message = rule_set(expression)
  if set then return nil end
  message = tostring(message):gsub("^map: rule 1: ", "")
  return ("is not an expression: %s"):format(message)
end

local function glob(text)
  local quoted = text:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
  return "^" .. quoted:gsub("%*", ".*"):gsub("%?", ".") .. "$"
end

--- A function that tells whether a name matches.
---@param text string  checked
---@return fun(name: string): boolean
function pattern.matcher(text)
  local expression = pattern.expression(text)
  if expression then
    local set = assert(rule_set(expression))
    return function(name) return set:match(name).category ~= nil end
  end
  if not text:find "[%*%?]" then return function(name) return name == text end end
  local lua = glob(text)
  return function(name) return name:find(lua) ~= nil end
end

return pattern
