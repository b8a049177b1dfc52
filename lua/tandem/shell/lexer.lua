--- Lua text cut into words, as far as a line in the making can be.
--
-- Owns what a token is; never complains, since what it reads is often unfinished. Used by
-- evaluate (which locals does a line define?) and complete (what stands before the cursor?).
local lexer = {}

---@class tandem.shell.Token
---@field kind "name"|"keyword"|"number"|"string"|"mark"|"comment"
---@field text string   as written; for a string, its contents without quotes
---@field from integer  first byte, 1-based; for a string, its opening quote
---@field to integer    last byte
---@field open? boolean a string or comment that does not end in the text
---@field quote? string the string's opening quote: '"', "'", "[[", "[=["…

---@type table<string, boolean>
lexer.keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
  return then true until while]]):gmatch("%a+") do
  lexer.keywords[word] = true
end

-- Long marks before short ones.
local MARKS = { "...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", ".." }

--- The end of a long bracket that opens at `from` ("[[" or "[==["): last byte, contents, opening.
local function long_bracket(text, from)
  local opening, level = text:match("^(%[(=*)%[)", from)
  if not opening then
    return nil
  end
  local start = from + #opening
  local stop, last = text:find("]" .. level .. "]", start, true)
  if not stop then
    return #text, text:sub(start), opening, true
  end
  return last, text:sub(start, stop - 1), opening, false
end

--- The end of a quoted string that opens at `from`: last byte, contents, whether it stays open.
local function quoted(text, from)
  local quote = text:sub(from, from)
  local position = from + 1
  while position <= #text do
    local byte = text:sub(position, position)
    if byte == quote then
      return position, text:sub(from + 1, position - 1), false
    elseif byte == "\n" then
      return position - 1, text:sub(from + 1, position - 1), false
    end
    position = position + (byte == "\\" and 2 or 1)
  end
  return #text, text:sub(from + 1), true
end

local function mark_at(text, position)
  for _, mark in ipairs(MARKS) do
    if text:sub(position, position + #mark - 1) == mark then
      return mark
    end
  end
  return text:match("^" .. utf8.charpattern, position) or text:sub(position, position)
end

--- Cuts a text into tokens; comments are kept, white space is not.
---@param text string
---@return tandem.shell.Token[]
function lexer.tokens(text)
  local tokens, position = {}, 1
  local function add(kind, to, words, open, quote)
    tokens[#tokens + 1] = { kind = kind, text = words, from = position, to = to, open = open,
      quote = quote }
    position = to + 1
  end
  while true do
    position = text:find("%S", position)
    if not position then
      return tokens
    end
    local word = text:match("^[%a_][%w_]*", position)
    local to, contents, opening, open = long_bracket(text, position)
    if word then
      add(lexer.keywords[word] and "keyword" or "name", position + #word - 1, word)
    elseif text:find("^%.?%d", position) then
      local number = text:match("^0[xX][%x.]*[pP]?[+-]?%x*", position)
        or text:match("^[%d.]+[eE][+-]?%d+", position) or text:match("^[%d.]+", position)
      add("number", position + #number - 1, number)
    elseif to then
      add("string", to, contents, open, opening)
    elseif text:find("^['\"]", position) then
      local quote = text:sub(position, position)
      to, contents, open = quoted(text, position)
      add("string", to, contents, open, quote)
    elseif text:find("^%-%-", position) then
      local last, _, _, unclosed = long_bracket(text, position + 2)
      if not last then
        last = (text:find("\n", position, true) or #text + 1) - 1
        unclosed = last == #text
      end
      to, open = last, unclosed
      add("comment", to, text:sub(position, to), open)
    else
      local mark = mark_at(text, position)
      add("mark", position + #mark - 1, mark)
    end
  end
end

local OPENS = { ["function"] = 1, ["do"] = 1, ["then"] = 1, ["repeat"] = 1 }
local CLOSES = { ["end"] = true, ["until"] = true, ["elseif"] = true, ["else"] = true }

--- The first local variable that a chunk defines outside all blocks, or nil.
---@param text string
---@return string|nil name
---@return boolean|nil is_function  written as `local function`
function lexer.outer_local(text)
  local tokens, depth = lexer.tokens(text), 0
  for index, token in ipairs(tokens) do
    if token.kind == "keyword" then
      if CLOSES[token.text] then
        depth = depth - 1
      end
      if token.text == "else" or OPENS[token.text] then
        depth = depth + 1
      elseif token.text == "local" and depth == 0 then
        local after = tokens[index + 1]
        if after and after.text == "function" then
          return tokens[index + 2] and tokens[index + 2].text, true
        end
        return after and after.text, false
      end
    end
  end
end

return lexer
