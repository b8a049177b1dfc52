--- Where in an unfinished text somebody is: the brackets that are open, the call that a table or a
-- text belongs to.
--
-- Owns the reading of tokens (lexer's) backwards; knows which constructor takes which keys, and
-- nothing of values. Used by complete and choices.
local node = require "tandem.language.node"

local context = {}

--- What is called with the table or text that begins at a token: td.gpu "L40" { … gives "gpu", "td"
--- and ".".
---@param tokens tandem.shell.Token[]
---@param index integer
---@return string|nil name
---@return string|nil receiver  the name in front of it
---@return string|nil mark      "." or ":" between the two
function context.callee(tokens, index)
  local at = index - 1
  if tokens[at] and tokens[at].text == "(" then
    at = at - 1
  end
  if tokens[at] and tokens[at].kind == "string" then
    at = at - 1
    if tokens[at] and tokens[at].text == "(" then
      at = at - 1
    end
  end
  local name, dot = tokens[at], tokens[at - 1]
  if name and name.kind == "name" then
    if dot and (dot.text == "." or dot.text == ":") then
      return name.text, tokens[at - 2] and tokens[at - 2].text, dot.text
    end
    return name.text
  end
end

--- The names in front of a dot or colon: a.b:c gives { "a", "b" } at the colon; nil when something
--- else than names stands there.
---@param tokens tandem.shell.Token[]
---@param index integer  of the mark
---@return string[]|nil
function context.receiver_names(tokens, index)
  local names = {}
  while true do
    local mark, name = tokens[index], tokens[index - 1]
    if not (mark and (mark.text == "." or mark.text == ":")) then
      return names
    elseif not (name and name.kind == "name") then
      return nil
    end
    table.insert(names, 1, name.text)
    index = index - 2
  end
end

--- The open brackets at the end of the tokens, outermost first, each with its token's index.
---@param tokens tandem.shell.Token[]
---@return integer[]
function context.open_brackets(tokens)
  local stack = {}
  for index, token in ipairs(tokens) do
    if token.kind == "mark" then
      if token.text == "{" or token.text == "(" or token.text == "[" then
        stack[#stack + 1] = index
      elseif token.text == "}" or token.text == ")" or token.text == "]" then
        stack[#stack] = nil
      end
    end
  end
  return stack
end

--- What the table of `base:with { … }` and `base:run { … }` may hold.
local function method_spec(method)
  return node.types[method == "with" and "scenario" or "run"]
end

--- The keys of the table that a bracket opens, or nil: { keys = , name = }.
---@param tokens tandem.shell.Token[]
---@param stack integer[]  open_brackets'
---@param level integer    which of them
---@return table|nil
function context.spec_at(tokens, stack, level)
  local index = stack[level]
  if not index or tokens[index].text ~= "{" then
    return nil
  end
  local before, name = tokens[index - 1], tokens[index - 2]
  if before and before.text == "=" and name and name.kind == "name" then
    local outer = context.spec_at(tokens, stack, level - 1)
    local kind = outer and outer.keys[name.text]
    local record = kind and kind.kind == "record" and node.types[kind.of]
    return record or nil
  elseif before and (before.text == "{" or before.text == ",") then
    return nil
  end
  local called, receiver, mark = context.callee(tokens, index)
  if mark == ":" and (called == "with" or called == "run") then
    return method_spec(called)
  elseif called and (receiver == nil or receiver == "td") then
    return node.types[called]
  end
end

return context
