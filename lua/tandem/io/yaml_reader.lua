--- YAML: a strict reader of what manifests and Helm values are written in.
--
-- Owns the part of YAML 1.2 that is read: documents, maps and lists by indentation or in brackets,
-- texts plain, quoted and in blocks, comments. Tags, anchors, aliases and keys that are no scalars
-- are refused by their line, and so is a Helm template: those are rendered first. Scalars are of
-- the core schema; null is no key of a map. Used by tandem.deploy.manifest.
--
-- Why not Debian's libyaml: manual, chapter 17. tests/web/manifests.test.mjs compares it with npm's
-- yaml.
local json = require "tandem.io.json"

local reader = {}

local MAX_DEPTH <const> = 100
local REFUSED <const> = { ["&"] = "an anchor", ["*"] = "an alias", ["!"] = "a tag",
  ["@"] = "'@'", ["`"] = "'`'", ["%"] = "'%'" }
local ESCAPES <const> = { ["0"] = "\0", a = "\a", b = "\b", t = "\t", ["\t"] = "\t", n = "\n",
  v = "\v", f = "\f", r = "\r", e = "\27", [" "] = " ", ['"'] = '"', ["/"] = "/", ["\\"] = "\\",
  N = "\u{85}", _ = "\u{a0}", L = "\u{2028}", P = "\u{2029}" }
local DIGITS <const> = { x = 2, u = 4, U = 8 }

-- Where it reads: lines without their ends, the number of the next one, the lines' indentation.
local State = {}
State.__index = State

function State:fail(message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  error({ yaml = ("line %d: %s"):format(self.at, message) }, 0)
end

local function is_item(text) return text == "-" or text:find "^%-%s" ~= nil end

local function is_blank(line) return line:find "^%s*$" or line:find "^%s*#" end

-- The next line that says something, its indentation and text; nil at the end of the document.
function State:peek()
  while self.lines[self.at] and is_blank(self.lines[self.at]) do self.at = self.at + 1 end
  local line = self.lines[self.at]
  if not line or line:find "^%-%-%-%s" or line == "---" or line:find "^%.%.%.%s*$" then return end
  local space, text = line:match "^( *)(.*)$"
  if text:sub(1, 1) == "\t" then self:fail "a tab indents; YAML wants blanks" end
  return #space, text
end

-- ---- scalars

-- What a plain scalar means.
local function plain(text)
  if text == "" or text == "~" or text == "null" or text == "Null" or text == "NULL" then
    return nil
  elseif text == "true" or text == "True" or text == "TRUE" then return true
  elseif text == "false" or text == "False" or text == "FALSE" then return false
  elseif text:find "^[-+]?%d+$" then
    local whole = text:gsub("^%+", "")
    return math.tointeger(tonumber(whole)) or tonumber(whole)
  elseif text:find "^0x%x+$" then return tonumber(text)
  elseif text:find "^0o[0-7]+$" then return tonumber(text:sub(3), 8)
  elseif text:find "^[-+]?%.?%d[%d.]*[eE]?[-+]?%d*$" then
    local number = tonumber((text:gsub("^%+", "")))
    if number then return number + 0.0 end
  elseif text:find "^[-+]?%.[iI]nf$" or text:find "^[-+]?%.INF$" then
    return text:sub(1, 1) == "-" and -math.huge or math.huge
  elseif text == ".nan" or text == ".NaN" or text == ".NAN" then return 0 / 0 end
  return text
end

-- Reads on in the text of the current line; `text` and `pos` are its cursor.
local Flow = {}
Flow.__index = Flow

function Flow:fail(...) self.state:fail(...) end

-- The next line of what is in brackets or quotes.
function Flow:more(what)
  local state = self.state
  if not state.lines[state.at + 1] then self:fail("%s is not closed", what) end
  state.at = state.at + 1
  self.text, self.pos = state.lines[state.at], 1
end

-- Line ends within quotes: one is a blank, more are one fewer.
function Flow:fold(parts)
  parts[#parts] = parts[#parts]:gsub("[ \t]+$", "")
  local breaks = 0
  repeat
    self:more "a text"
    breaks = breaks + 1
  until not self.text:find "^%s*$"
  self.pos = self.text:find "[^ \t]"
  parts[#parts + 1] = breaks == 1 and " " or ("\n"):rep(breaks - 1)
end

function Flow:single()
  local parts = {}
  self.pos = self.pos + 1
  while true do
    local stop = self.text:find("'", self.pos, true)
    parts[#parts + 1] = self.text:sub(self.pos, (stop or 0) - 1)
    if not stop then
      self:fold(parts)
    elseif self.text:sub(stop + 1, stop + 1) == "'" then
      parts[#parts + 1], self.pos = "'", stop + 2
    else
      self.pos = stop + 1
      return table.concat(parts)
    end
  end
end

function Flow:escape()
  local letter = self.text:sub(self.pos + 1, self.pos + 1)
  local wanted = DIGITS[letter]
  if wanted then
    local hex = self.text:sub(self.pos + 2, self.pos + 1 + wanted)
    local code = #hex == wanted and hex:find "^%x+$" and tonumber(hex, 16)
    if not code or code > 0x10ffff or code >= 0xd800 and code < 0xe000 then
      self:fail("\\%s wants %d hexadecimal digits of a character", letter, wanted)
    end
    self.pos = self.pos + 2 + wanted
    return utf8.char(code)
  end
  if not ESCAPES[letter] then self:fail("unknown escape '\\%s'", letter) end
  self.pos = self.pos + 2
  return ESCAPES[letter]
end

function Flow:double()
  local parts = {}
  self.pos = self.pos + 1
  while true do
    local stop = self.text:find('["\\]', self.pos)
    parts[#parts + 1] = self.text:sub(self.pos, (stop or 0) - 1)
    if not stop then
      self:fold(parts)
    elseif self.text:sub(stop, stop) == '"' then
      self.pos = stop + 1
      return table.concat(parts)
    else
      self.pos = stop
      if stop == #self.text then -- the line goes on without a blank
        self:more "a text"
        self.pos = self.text:find "[^ \t]" or 1
      else
        parts[#parts + 1] = self:escape()
      end
    end
  end
end

-- To the next thing in brackets, over lines and comments.
function Flow:skip(what)
  while true do
    local at = self.text:find("[^ \t]", self.pos)
    if at and not (self.text:sub(at, at) == "#" and (at == 1 or self.text:find("^[ \t]", at - 1)))
    then
      self.pos = at
      return self.text:sub(at, at)
    end
    self:more(what)
  end
end

function Flow:quoted()
  local c = self.text:sub(self.pos, self.pos)
  if c == '"' then return self:double() elseif c == "'" then return self:single() end
end

function Flow:plain()
  local stop = self.pos
  while true do
    stop = self.text:find("[,%[%]{}:#]", stop)
    if not stop then stop = #self.text + 1 break end
    local c = self.text:sub(stop, stop)
    if c == ":" and not self.text:find("^[%s,%[%]{}]", stop + 1) and stop < #self.text
      or c == "#" and not self.text:find("^%s", stop - 1) then
      stop = stop + 1
    else
      break
    end
  end
  local word = self.text:sub(self.pos, stop - 1):gsub("%s+$", "")
  if REFUSED[word:sub(1, 1)] then self:fail("%s is not read here", REFUSED[word:sub(1, 1)]) end
  self.pos = stop
  return word
end

local function depth_of(self, by)
  local state = self.state or self
  state.depth = state.depth + by
  if state.depth > MAX_DEPTH then state:fail("nested deeper than %d", MAX_DEPTH) end
end

-- Takes a key once.
local function put(state, out, seen, key, value)
  if type(key) == "table" then state:fail "a key that is no text is not read here" end
  if key == "<<" then state:fail "a merge (<<) is not read here" end
  key = tostring(key)
  if seen[key] then state:fail("'%s' stands twice in one map", key) end
  seen[key], out[key] = true, value
end

function Flow:map()
  local out, seen = {}, {}
  self.pos = self.pos + 1
  while self:skip "a map in brackets" ~= "}" do
    local key = self:quoted() or self:plain()
    local value
    if self:skip "a map in brackets" == ":" then
      self.pos = self.pos + 1
      local c = self:skip "a map in brackets"
      if c ~= "," and c ~= "}" then value = self:value() end
    elseif key:find "^{" then
      self:fail "looks like a Helm template; render it first (helm template)"
    end
    put(self.state, out, seen, key, value)
    local c = self:skip "a map in brackets"
    if c == "," then self.pos = self.pos + 1
    elseif c ~= "}" then self:fail "wanted ',' or '}' here" end
  end
  self.pos = self.pos + 1
  return out
end

function Flow:list()
  local out = json.list()
  self.pos = self.pos + 1
  while self:skip "a list in brackets" ~= "]" do
    local value = self:value()
    if self:skip "a list in brackets" == ":" then
      self:fail "a map without brackets in a list in brackets is not read here"
    end
    out[#out + 1] = value == nil and json.null or value
    local c = self:skip "a list in brackets"
    if c == "," then self.pos = self.pos + 1
    elseif c ~= "]" then self:fail "wanted ',' or ']' here" end
  end
  self.pos = self.pos + 1
  return out
end

function Flow:value()
  local c = self.text:sub(self.pos, self.pos)
  if self.text:find("^{{", self.pos) then
    self:fail "looks like a Helm template; render it first (helm template)"
  elseif c == "{" or c == "[" then
    depth_of(self, 1)
    local out = c == "{" and self:map() or self:list()
    depth_of(self, -1)
    return out
  end
  local text = self:quoted()
  if text then return text end
  text = self:plain()
  if text == "" then self:fail "a value is missing" end
  return plain(text)
end

-- ---- blocks

-- "|" and ">" with their signs; the lines below, of more indentation than the parent.
function State:block_text(head, parent)
  local style, signs = head:match "^([|>])([-+%d]*)%s*$"
  if not style then style, signs = head:match "^([|>])([-+%d]*)%s+#" end
  if not style then self:fail("'%s' does not begin a text", head) end
  local indent = signs:match "%d" and math.max(parent, 0) + tonumber(signs:match "%d")
  local lines, at = {}, self.at + 1
  while self.lines[at] do
    local line = self.lines[at]
    local space = #line:match "^ *"
    if line:find "^ *$" then
      lines[#lines + 1] = indent and line:sub(indent + 1) or ""
    else
      indent = indent or space
      if space < indent or indent <= parent then break end
      lines[#lines + 1] = line:sub(indent + 1)
    end
    at = at + 1
  end
  self.at = at
  local last = #lines
  while last > 0 and lines[last] == "" do last = last - 1 end
  local kept = #lines - last
  local out = {}
  for i = 1, last do
    out[#out + 1] = lines[i]
    local more, before = lines[i + 1] or "", lines[i]
    local fold = style == ">" and i < last and before ~= "" and not before:find "^%s"
      and not more:find "^%s"
    if not fold then
      if i < last then out[#out + 1] = "\n" end
    elseif more ~= "" then out[#out + 1] = " " end
  end
  local text = table.concat(out)
  if signs:find("-", 1, true) then return text end
  if signs:find("+", 1, true) then return text .. ("\n"):rep(last > 0 and kept + 1 or kept) end
  return last > 0 and text .. "\n" or ""
end

-- A key at the front of a text, and what follows its colon; nil: there is none.
local function split_key(state, text)
  local c = text:sub(1, 1)
  if c == '"' or c == "'" then
    local flow = setmetatable({ state = state, text = text, pos = 1 }, Flow)
    local at = state.at
    local key = flow:quoted()
    local rest = flow.text:match("^%s*:(.*)$", flow.pos)
    if state.at == at and rest and (rest == "" or rest:find "^%s") then return key, rest end
    state.at = at
    return nil
  end
  if c == "[" or c == "{" or c == "|" or c == ">" then return nil end
  local from = 1
  while true do
    local colon = text:find(":", from, true)
    if not colon or text:sub(1, colon):find "%s#" or text:find "^%?%s" then return nil end
    if colon == #text or text:find("^%s", colon + 1) then
      local key = text:sub(1, colon - 1):gsub("%s+$", "")
      if REFUSED[c] then state:fail("%s is not read here", REFUSED[c]) end
      return key, text:sub(colon + 1)
    end
    from = colon + 1
  end
end

-- What stands behind a key or a dash, maybe over several lines.
function State:inline(text, parent)
  local c = text:sub(1, 1)
  if c == "|" or c == ">" then return self:block_text(text, parent) end
  if REFUSED[c] then self:fail("%s is not read here", REFUSED[c]) end
  if is_item(text) then self:fail "an item of a list stands behind a key: it wants its own line" end
  if c == '"' or c == "'" or c == "[" or c == "{" then
    local flow = setmetatable({ state = self, text = text, pos = 1 }, Flow)
    local value = flow:value()
    local rest = flow.text:sub(flow.pos)
    if not rest:find "^%s*$" and not rest:find "^%s+#" then
      self:fail("'%s' follows a value", rest:match "^%s*(.-)%s*$")
    end
    self.at = self.at + 1
    return value
  end
  local parts = {}
  repeat
    if text:find "^%?%s" then self:fail "a key of several lines is not read here" end
    local word = text:match "^(.-)%s+#" or text:match "^(.-)%s*$"
    local ended = #word < #text:match "^(.-)%s*$"
    if word:find ":%s" or word:find ":$" then
      self:fail("a text with ': ' wants quotes: %s", word)
    end
    parts[#parts + 1] = word
    self.at = self.at + 1
    local blanks = 0
    while self.lines[self.at] and self.lines[self.at]:find "^%s*$" do
      self.at, blanks = self.at + 1, blanks + 1
    end
    local line = self.lines[self.at]
    local indent = line and #line:match "^ *"
    if ended or not line or indent <= parent or is_blank(line) or line:find "^%-%-%-" then break end
    text = line:sub(indent + 1)
    parts[#parts + 1] = blanks > 0 and ("\n"):rep(blanks) or " "
  until false
  if #parts == 1 then return plain(parts[1]) end
  return table.concat(parts)
end

local function without_comment(text)
  text = text:gsub("^%s+", "")
  return text:find "^#" and "" or text
end

-- The value behind "key:" at `indent`.
function State:behind(rest, indent)
  rest = without_comment(rest)
  if rest ~= "" then return self:inline(rest, indent) end
  self.at = self.at + 1
  local below, text = self:peek()
  if not below then return nil end
  local list = is_item(text)
  if below > indent or list and below == indent then return self:block(below) end
  return nil
end

function State:map(indent)
  local out, seen = {}, {}
  while true do
    local here, text = self:peek()
    if not here or here < indent then return out end
    if here > indent then self:fail("indented by %d, and its map by %d", here, indent) end
    if is_item(text) then
      self:fail "an item of a list stands among the keys of a map"
    end
    local key, rest = split_key(self, text)
    if not key then
      self:fail(text:find "{{" and "looks like a Helm template; render it first (helm template)"
        or ("wanted 'key: value', and there is '%s'"):format(text))
    end
    local at = self.at
    local value = self:behind(rest, indent)
    local went = self.at
    self.at = at
    put(self, out, seen, key, value)
    self.at = went
  end
end

function State:list(indent)
  local out = json.list()
  while true do
    local here, text = self:peek()
    if not here or here < indent then return out end
    if not is_item(text) then
      if here == indent then return out end -- the next key of the map that the list is under
      self:fail("indented by %d, and its list by %d", here, indent)
    elseif here > indent then
      self:fail("indented by %d, and its list by %d", here, indent)
    end
    local space, rest = text:match "^%-(%s*)(.*)$"
    local value
    if rest == "" or rest:find "^#" then
      self.at = self.at + 1
      local below = self:peek()
      if below and below > indent then value = self:block(below) end
    elseif is_item(rest) or split_key(self, rest) then
      -- What follows the dash stands as if alone on its line.
      local inner = indent + 1 + #space
      self.lines[self.at] = (" "):rep(inner) .. rest
      value = self:block(inner)
    else
      value = self:inline(rest, indent)
    end
    out[#out + 1] = value == nil and json.null or value
  end
end

function State:block(indent)
  depth_of(self, 1)
  local _, text = self:peek()
  local out
  if is_item(text) then out = self:list(indent)
  elseif split_key(self, text) then out = self:map(indent)
  elseif text:find "^{{" then
    self:fail "looks like a Helm template; render it first (helm template)"
  else out = self:inline(text, indent - 1) end
  depth_of(self, -1)
  return out
end

local function documents_of(state)
  local out = {}
  while state.lines[state.at] do
    local line = state.lines[state.at]
    if is_blank(line) or line:find "^%.%.%.%s*$" or line:find "^%%YAML" then
      state.at = state.at + 1
    else
      local rest = line:match "^%-%-%-%s*(.*)$"
      if rest then
        state.lines[state.at] = rest
        if without_comment(rest) == "" then state.at = state.at + 1 end
      end
      local indent = state:peek()
      if indent then
        out[#out + 1] = state:block(indent)
        local left, text = state:peek()
        if left then state:fail("'%s' stands outside of the document's map", text) end
      end
    end
  end
  return out
end

--- The documents of a text; empty ones are left out. Nil and what is wrong, with its line.
---@param text string
---@return table[]|nil
---@return string|nil wrong
function reader.documents(text)
  if not utf8.len(text) then return nil, "is no UTF-8 text" end
  local state = setmetatable({ lines = {}, at = 1, depth = 0 }, State)
  text = text:gsub("^\u{feff}", "")
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do state.lines[#state.lines + 1] = line end
  if state.lines[#state.lines] == "" then state.lines[#state.lines] = nil end
  local ok, out = pcall(documents_of, state)
  if ok then return out end
  if type(out) == "table" and out.yaml then return nil, out.yaml end
  error(out, 0)
end

return reader
