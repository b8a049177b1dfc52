--- A value as a person wants to see it after typing an expression.
--
-- Owns the choice by type: objects speak for themselves (__tostring), histograms and series over
-- time are drawn, tables of records are set in columns, other tables as braces within the width.
-- Never runs user code other than __tostring. Used by the REPL and the Jupyter kernel.
local column_table = require "tandem.text.columns"
local figures = require "tandem.shell.figures"
local format = require "tandem.text.format"
local lexer = require "tandem.shell.lexer"
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"

local show = {}

local MOST_ROWS <const> = 20    -- of a table of records
local MOST_LINES <const> = 40   -- of a braced table
local MOST_NUMBERS <const> = 24 -- of a list of numbers, before it is summed up
local FIRST_NUMBERS <const> = 6 -- of one that is
local MOST_STRING <const> = 2000
local DEEPEST <const> = 4
local LIBRARY <const> = 10 -- functions that a table must have to be shown as a library

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\", ['"'] = '\\"' }

local function string_text(text, most)
  local rest = ""
  if #text > most then
    local cut = most
    while cut > 1 and text:byte(cut + 1) >= 0x80 and text:byte(cut + 1) < 0xC0 do
      cut = cut - 1
    end
    rest = (" … (%s bytes)"):format(format.integer(#text))
    text = text:sub(1, cut)
  end
  text = text:gsub('[%c"\\]', function(letter)
    return ESCAPES[letter] or ("\\%d"):format(letter:byte())
  end)
  if not utf8.len(text) then
    text = text:gsub("[\128-\255]", function(letter) return ("\\x%02X"):format(letter:byte()) end)
  end
  return '"' .. text .. '"' .. rest
end

local function number_text(number)
  if math.type(number) == "integer" then
    return tostring(number)
  end
  local text = ("%.6g"):format(number)
  if tonumber(text) ~= number then
    text = ("%.14g"):format(number)
  end
  if number == math.floor(number) and not text:find("[%.eni]") then
    text = text .. ".0"
  end
  return text
end

local function function_text(f)
  local info = debug.getinfo(f, "Su")
  local names = {}
  for index = 1, info.nparams do
    names[index] = debug.getlocal(f, index) or "?"
  end
  if info.isvararg then
    names[#names + 1] = "..."
  end
  local where = info.what == "C" and "built in"
    or ("%s, line %d"):format(info.short_src, info.linedefined)
  return ("function(%s) -- %s"):format(table.concat(names, ", "), where)
end

local function speaks(value)
  local meta = getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__tostring") ~= nil
end

--- { value = , half = } is an estimate: "0.50 ± 0.01".
local function estimate_text(value)
  if getmetatable(value) == nil and type(value.value) == "number" then
    for key in next, value do
      if key ~= "value" and key ~= "half" then
        return nil
      end
    end
    local half = value.half
    if half == nil then
      return number_text(value.value)
    elseif type(half) == "number" then
      return ("%.6g ± %.2g"):format(value.value, half)
    end
  end
end

--- Anything on one line.
local function brief(value)
  local kind = type(value)
  if kind == "string" then
    return string_text(value, 60)
  elseif kind == "number" then
    return number_text(value)
  elseif kind == "function" then
    return "function"
  elseif kind == "table" then
    if speaks(value) then
      local text = tostring(value)
      return text:find("\n", 1, true) and text:match("^[^\n]*") .. " …" or text
    end
    local estimate = estimate_text(value)
    if estimate then
      return estimate
    end
    if next(value) == nil then
      return "{}"
    elseif #value > 0 then
      return ("{ %s }"):format(format.plural(#value, "item"))
    end
    return "{…}"
  end
  return tostring(value)
end

local function key_text(key)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") and not lexer.keywords[key] then
    return key
  elseif type(key) == "string" then
    return "[" .. string_text(key, 60) .. "]"
  end
  return "[" .. brief(key) .. "]"
end

local function is_record(value)
  return type(value) == "table" and not speaks(value) and not estimate_text(value)
    and next(value) ~= nil and #value == 0
end

--- The columns of a list of records, or nil when it is no such list.
local function record_keys(list)
  if #list < 2 then
    return nil
  end
  local seen, keys = {}, {}
  for index, record in ipairs(list) do
    if not is_record(record) then
      return nil
    end
    if index <= MOST_ROWS then
      for _, key in ipairs(nearest.sorted_keys(record)) do
        if type(key) ~= "string" then
          return nil
        elseif not seen[key] then
          seen[key] = true
          keys[#keys + 1] = key
        end
      end
    end
  end
  for key in next, list do
    if math.type(key) ~= "integer" then
      return nil
    end
  end
  -- What names a row comes first, then numbers and text, then what is nested.
  local function rank(key)
    if key == "name" or key == "id" then
      return key == "name" and 1 or 2
    end
    for index = 1, math.min(#list, MOST_ROWS) do
      local cell = list[index][key]
      if type(cell) == "table" and not speaks(cell) and not estimate_text(cell) then
        return 4
      end
    end
    return 3
  end
  local ranks = {}
  for _, key in ipairs(keys) do
    ranks[key] = rank(key)
  end
  table.sort(keys, function(a, b)
    return ranks[a] ~= ranks[b] and ranks[a] < ranks[b] or ranks[a] == ranks[b] and a < b
  end)
  return keys
end

local function records_text(list, keys, style)
  local columns, rows = {}, {}
  for index, key in ipairs(keys) do
    local first = list[1][key]
    local numeric = type(first) == "number" or type(first) == "table" and estimate_text(first)
    columns[index] = { title = key, align = numeric and "right" or "left", optional = index > 1 }
  end
  for index = 1, math.min(#list, MOST_ROWS) do
    local row = {}
    for column, key in ipairs(keys) do
      local cell = list[index][key]
      local text = cell == nil and "" or type(cell) == "string" and styles.clean(cell)
        or brief(cell)
      row[column] = styles.cut(text, 40)
    end
    rows[index] = row
  end
  local lines = column_table.lines(columns, rows, { style = style })
  if #list > MOST_ROWS then
    lines[#lines + 1] = ("… %s more rows"):format(format.integer(#list - MOST_ROWS))
  end
  return table.concat(lines, "\n")
end

--- Least, most and mean of a list of nothing but numbers; nil of any other table.
local function range_of(list)
  local sum, least, most = 0.0, math.huge, -math.huge
  for key, value in next, list do
    if type(value) ~= "number" or math.type(key) ~= "integer" then
      return nil
    end
    sum, least, most = sum + value, math.min(least, value), math.max(most, value)
  end
  return least, most, sum / #list
end

--- Texts one after the other in braces, on as many lines as they need.
local function wrapped(parts, style)
  local lines, line = {}, "{"
  for index, part in ipairs(parts) do
    local piece = " " .. part .. (index < #parts and "," or " }")
    if styles.columns(line) + styles.columns(piece) > style.width then
      lines[#lines + 1] = line
      line = " "
    end
    line = line .. piece
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function numbers_text(list, style)
  local least, most, mean = range_of(list)
  if not least then
    return nil
  end
  local parts, tail = {}, ""
  for index = 1, #list <= MOST_NUMBERS and #list or FIRST_NUMBERS do
    parts[index] = number_text(list[index])
  end
  if #parts < #list then
    parts[#parts + 1] = "…"
    local line = figures.spark(list, style)
    tail = ("\n-- %s numbers, %.6g to %.6g, mean %.6g"):format(format.integer(#list), least, most,
      mean) .. (line and "\n   " .. line or "")
  end
  return wrapped(parts, style) .. tail
end

--- A table in braces: on one line where it fits, else a line for each key.
local function braces(value, style, indent, depth, path)
  if speaks(value) then
    return (tostring(value):gsub("\n", "\n" .. indent))
  end
  local estimate = estimate_text(value)
  if estimate then
    return estimate
  elseif path[value] then
    return "{…} -- itself"
  elseif next(value) == nil then
    return "{}"
  elseif depth > DEEPEST then
    return "{…}"
  elseif depth > 1 and #value > MOST_NUMBERS then
    local least, most = range_of(value)
    if least then
      return ("{ %s numbers, %.6g to %.6g }"):format(format.integer(#value), least, most)
    end
  end
  path[value] = true
  local keys, parts, width, flat, longest = nearest.sorted_keys(value), {}, #indent + 4, true, 0
  local left = #keys > MOST_LINES and #keys - MOST_LINES or 0
  for index = 1, #keys - left do
    local key = keys[index]
    local inner = value[key]
    local text
    if type(inner) == "table" then
      text = braces(inner, style, indent .. "  ", depth + 1, path)
    else
      text = brief(inner)
    end
    local head = math.type(key) == "integer" and key == index and "" or key_text(key)
    parts[index] = { head = head, text = text }
    flat = flat and not text:find("\n", 1, true)
    longest = math.max(longest, styles.columns(head))
    width = width + styles.columns(head) + styles.columns(text) + (head == "" and 2 or 5)
  end
  path[value] = nil
  local lines = {}
  if flat and left == 0 and width <= style.width and (depth > 1 or width <= 60) then
    for index, part in ipairs(parts) do
      lines[index] = part.head == "" and part.text or part.head .. " = " .. part.text
    end
    return "{ " .. table.concat(lines, ", ") .. " }"
  end
  for index, part in ipairs(parts) do
    local head = part.head == "" and "" or styles.pad(part.head, math.min(longest, 24)) .. " = "
    local room = math.max(10, style.width - #indent - 3 - styles.columns(head))
    local text = part.text:find("\n", 1, true) and part.text or styles.cut(part.text, room)
    lines[index] = indent .. "  " .. head .. text .. ","
  end
  if left > 0 then
    lines[#lines + 1] = ("%s  … %s more"):format(indent, format.integer(left))
  end
  return "{\n" .. table.concat(lines, "\n") .. "\n" .. indent .. "}"
end

--- A table that holds hardly anything but functions, as td or math: their names.
local function library_text(value, style)
  local names, functions = {}, 0
  for _, key in ipairs(nearest.sorted_keys(value)) do
    if type(key) ~= "string" then
      return nil
    elseif key:sub(1, 2) ~= "__" then
      names[#names + 1] = key
      functions = functions + (type(value[key]) == "function" and 1 or 0)
    end
  end
  if functions < LIBRARY or functions < 0.8 * #names then
    return nil
  end
  return wrapped(names, style) .. ("\n-- %s; ? and a name explain one, as ?td.gpu does"):format(
    format.plural(functions, "function"))
end

local function table_text(value, style)
  if #value > 0 then
    local keys = record_keys(value)
    local text = keys and records_text(value, keys, style)
      or #value > 8 and numbers_text(value, style)
    if text then
      return text
    end
  end
  return figures.text(value, style) or library_text(value, style) or braces(value, style, "", 1, {})
end

--- One value, on as many lines as it deserves.
---@param value any
---@param style? tandem.Style  default: plain, 88 columns wide
---@return string
function show.value(value, style)
  style = style or styles.new { unicode = true }
  local kind = type(value)
  local text
  if kind == "table" and not speaks(value) then
    text = table_text(value, style)
  elseif kind == "string" then
    text = string_text(value, MOST_STRING)
  elseif kind == "function" then
    text = function_text(value)
  else
    text = speaks(value) and tostring(value):gsub("%s+$", "") or brief(value)
  end
  return style:text(text)
end

--- How many of the values that an input returned are worth showing: the message and code that
--- functions leave empty behind an answer are not.
---@param values table  packed
---@return integer
function show.count(values)
  local count = values.n
  while count > 1 and values[1] ~= nil and values[count] == nil do count = count - 1 end
  return count
end

--- Everything that an input returned, a value a line.
---@param values table  packed
---@param style? tandem.Style
---@return string|nil text  nil when there is nothing to show
function show.values(values, style)
  local texts = {}
  for index = 1, show.count(values) do
    texts[index] = show.value(values[index], style)
  end
  return values.n > 0 and table.concat(texts, "\n") or nil
end

return show
