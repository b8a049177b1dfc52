--- What the terminal or file we print to can show: its width, Unicode, colour.
--
-- Owns the answer to "may I print this character", the width of text in columns and the plain
-- spelling of everything else. Every terminal plot, table and report takes a style; nobody else
-- looks at LANG, TERM or NO_COLOR.
local safe = require "tandem.text.safe"

local styles = {}

---@class tandem.Style
---@field width integer    columns of text
---@field unicode boolean  may print beyond ASCII
---@field color boolean    may print colour
---@field terminal boolean a person is looking (a terminal, not a pipe)
local Style = {}
Style.__index = Style

local DEFAULT_WIDTH <const> = 88
local NARROWEST <const> = 40
local WIDEST <const> = 110

local COLORS = {
  bold = "\27[1m", dim = "\27[2m", red = "\27[31m", green = "\27[32m", yellow = "\27[33m",
  blue = "\27[34m", magenta = "\27[35m", cyan = "\27[36m",
}
local RESET <const> = "\27[0m"

-- Tables are laid out after this, so a spelling may be longer; blocks and lines keep their width.
local PLAIN = {
  ["µ"] = "u", ["±"] = "+-", ["×"] = "x", ["∞"] = "inf", ["–"] = "-", ["—"] = "-", ["…"] = ".",
  ["·"] = "|", ["≤"] = "<=", ["≥"] = ">=", ["→"] = "->", ["•"] = "*", ["’"] = "'", ["“"] = '"',
  ["”"] = '"', ["ρ"] = "p", ["λ"] = "l", ["✓"] = "+", ["✗"] = "x", ["─"] = "-", ["│"] = "|",
  ["┊"] = ":", ["┤"] = "|", ["├"] = "|", ["└"] = "`", ["┌"] = ".", ["░"] = ".", ["▒"] = "=",
  ["▓"] = "%", ["█"] = "#", ["▉"] = "#", ["▊"] = "#", ["▋"] = "#", ["▌"] = "=", ["▍"] = "=",
  ["▎"] = "-", ["▏"] = "-", ["▁"] = "_", ["▂"] = ".", ["▃"] = "-", ["▄"] = "-", ["▅"] = "=",
  ["▆"] = "=", ["▇"] = "#", ["é"] = "e", ["²"] = "2",
  ["┄"] = "-", ["┴"] = "+", ["╱"] = "/", ["●"] = "@", ["↑"] = "^", ["↓"] = "v",
  ["○"] = "o", ["■"] = "#", ["△"] = "^", ["◆"] = "*", ["□"] = "O",
}

local function says_utf8(name)
  return name and name:lower():find("utf%-?8") ~= nil
end

--- Does the environment say that text is UTF-8? The first of LC_ALL, LC_CTYPE, LANG that is set
--- decides, as in the C library.
---@param getenv fun(name: string): string|nil
---@return boolean
local function environment_is_utf8(getenv)
  for _, name in ipairs { "LC_ALL", "LC_CTYPE", "LANG" } do
    local value = getenv(name)
    if value and value ~= "" then
      return says_utf8(value) and true or false
    end
  end
  return false
end

--- A style with everything given; what is left out is plain.
---@param fields? { width?: integer, unicode?: boolean, color?: boolean, terminal?: boolean }
---@return tandem.Style
function styles.new(fields)
  fields = fields or {}
  return setmetatable({
    width = math.max(NARROWEST, math.min(fields.width or DEFAULT_WIDTH, WIDEST)),
    unicode = fields.unicode or false,
    color = fields.color or false,
    terminal = fields.terminal or false,
  }, Style)
end

local pinned

--- From now on `detect` answers this, wherever the process prints to; nil undoes it. For output
--- that goes onto a page and must not depend on a terminal.
---@param style tandem.Style|nil
function styles.pin(style) pinned = style end

--- The style of a file descriptor of this process: 1 is standard output, 2 standard error.
---@param descriptor? integer
---@param getenv? fun(name: string): string|nil  the environment, for tests
---@return tandem.Style
function styles.detect(descriptor, getenv)
  if pinned and not getenv then return pinned end
  descriptor, getenv = descriptor or 1, getenv or os.getenv
  local found, core = pcall(require, "tandem.core")
  local terminal = found and core.isatty ~= nil and core.isatty(descriptor) or false
  local width = math.tointeger(tonumber(getenv("COLUMNS") or ""))
  if not width and terminal and core.terminal_width then
    width = core.terminal_width(descriptor)
  end
  local no_color = getenv("NO_COLOR")
  local wants_color = (no_color == nil or no_color == "") and getenv("TERM") ~= "dumb"
  return styles.new {
    width = width, unicode = environment_is_utf8(getenv),
    color = terminal and wants_color, terminal = terminal,
  }
end

-- Code points that take two columns, and those that take none.
local WIDE = {
  { 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
  { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff },
  { 0x20000, 0x3fffd },
}
local EMPTY = { { 0x300, 0x36f }, { 0x200b, 0x200f }, { 0xfe00, 0xfe0f } }

local function within(code, ranges)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

local function code_width(code)
  if code < 0x300 then
    return 1
  elseif within(code, EMPTY) then
    return 0
  end
  return within(code, WIDE) and 2 or 1
end

--- Columns that a text takes. Text that is not UTF-8 counts by bytes.
---@param text string
---@return integer
function styles.columns(text)
  if not text:find("[\128-\255]") then
    return #text
  elseif not utf8.len(text) then
    return #text
  end
  local columns = 0
  for _, code in utf8.codes(text) do
    columns = columns + code_width(code)
  end
  return columns
end

--- Cuts a text to a number of columns, the last one saying that it was cut.
---@param text string
---@param columns integer
---@return string
function styles.cut(text, columns)
  if styles.columns(text) <= columns then
    return text
  elseif columns < 1 then
    return ""
  elseif not utf8.len(text) then
    return text:sub(1, columns - 1) .. "…"
  end
  local used, last = 0, 0
  for position, code in utf8.codes(text) do
    local width = code_width(code)
    if used + width > columns - 1 then
      break
    end
    used, last = used + width, position + #utf8.char(code) - 1
  end
  return text:sub(1, last) .. "…"
end

--- A name from a scenario or a trace, made safe to print: control characters (so also the
--- escape sequences that would drive a terminal, and what turns text around) and broken UTF-8
--- become "?".
---@param text any
---@return string
function styles.clean(text)
  text = tostring(text)
  if text:find "^[ -~]*$" then return text end -- as most are
  if not utf8.len(text) then
    text = text:gsub("[\128-\255]", "?")
  end
  return safe.printed(text)
end

--- Text as this style can show it: unchanged where Unicode may be printed, else spelt in ASCII
--- ("?" for what has no spelling).
---@param text string
---@return string
function Style:text(text)
  if self.unicode or not text:find("[\128-\255]") then
    return text
  end
  return (text:gsub(utf8.charpattern, function(character)
    if #character > 1 then
      return PLAIN[character] or "?"
    end
  end))
end

--- Paints a text ("bold", "dim", "red", "green", "yellow", "blue", "magenta",
--- "cyan") where colour may be printed.
---@param text string
---@param color? string
---@return string
function Style:paint(text, color)
  if not self.color or not color or text == "" then
    return text
  end
  return assert(COLORS[color], "no such color") .. text .. RESET
end

--- Pads a text to a number of columns, or cuts it.
---@param text string
---@param columns integer
---@param align? "left"|"right"
---@return string
function styles.pad(text, columns, align)
  text = styles.cut(text, columns)
  local blank = string.rep(" ", columns - styles.columns(text))
  return align == "right" and blank .. text or text .. blank
end

--- Breaks a text into lines of at most `columns`; words longer than a line stay whole, and so do
--- words joined by no-break spaces.
---@param text string
---@param columns integer
---@return string[]
function styles.wrap(text, columns)
  local lines, line, used = {}, {}, 0
  for word in text:gmatch("%S+") do
    local width = styles.columns(word)
    if used > 0 and used + 1 + width > columns then
      lines[#lines + 1] = table.concat(line, " ")
      line, used = {}, 0
    end
    line[#line + 1] = word
    used = used + width + (used > 0 and 1 or 0)
  end
  lines[#lines + 1] = table.concat(line, " ")
  for index, one in ipairs(lines) do
    lines[index] = one:gsub("\u{a0}", " ")
  end
  return lines
end

--- A title, cut to the width; nil where there is none.
---@param title any
---@param color? string  default: "bold"
---@return string|nil
function Style:title(title, color)
  if title == nil then return nil end
  return self:paint(styles.cut(self:text(styles.clean(title)), self.width), color or "bold")
end

return styles
