--- The help on one public name: what it does, takes, returns, what may go wrong, an example.
--
-- Owns how these are put together as text. The words are the annotation's (shell/annotations.lua)
-- and, of errors and examples, help/calls'. Used by the shell, Jupyter and `tandem help NAME`,
-- which so say the same; the reference (page/reference.lua) sets the same parts as HTML.
local calls = require "tandem.help.calls"
local public = require "tandem.help.public"
local styles = require "tandem.plot.style"

local call = {}

--- The sentences of an annotation, and the code that stands in it.
---@param entry tandem.shell.Entry
---@return string[] words  lines
---@return string|nil code
function call.parts(entry)
  local words, code = {}, {}
  for _, line in ipairs(entry.text) do
    if line:find "^%s%s" then
      code[#code + 1] = line:sub(3)
    else
      words[#words + 1] = line
    end
  end
  return words, #code > 0 and table.concat(code, "\n") or nil
end

--- What calls says of a name; an overload of a parent's method says what the parent's says.
---@param one tandem.PublicName
---@return tandem.CallHelp|nil
function call.about(one) return calls.all()[one.name] end

--- The example of a public name: a whole program.
---@param one tandem.PublicName
---@return string|nil
function call.example(one)
  local about = call.about(one)
  if about and about.example then return about.example end
  if not one.entry then return nil end
  local _, code = call.parts(one.entry)
  return code
end

--- How it is called, with the types of what it takes and gives.
---@param one tandem.PublicName
---@return string
function call.signature(one)
  local parameters = one.entry.parameters
  if parameters == "" then -- a value that is called: its annotations name what it takes
    local names = {}
    for i, param in ipairs(one.entry.params) do names[i] = param.name:gsub("%?$", "") end
    parameters = "(" .. table.concat(names, ", ") .. ")"
  end
  return one.name .. parameters
end

--- Parameters, returns, or fields as rows of (name, type, text).
---@param list table[]  each with name, type and text
---@param unnamed string  stands where one has no name
---@return string[][]
function call.value_rows(list, unnamed)
  local rows = {}
  for index, value in ipairs(list) do
    rows[index] = { value.name ~= "" and value.name or unnamed, value.type, value.text }
  end
  return rows
end

--- Rows of (name, type, text), set in columns with the text wrapped into the last.
---@param lines string[]  gets them
---@param rows string[][]
---@param width integer
function call.add_rows(lines, rows, width)
  local first, second = 0, 0
  for _, row in ipairs(rows) do
    first = math.max(first, math.min(styles.columns(row[1]), 24))
    second = math.max(second, math.min(styles.columns(row[2]), 30))
  end
  for _, row in ipairs(rows) do
    local head = ("  %s  %s"):format(styles.pad(row[1], math.max(first, styles.columns(row[1]))),
      row[2] .. (" "):rep(second - styles.columns(row[2])))
    local indent = first + second + 6
    local room = math.max(12, width - indent)
    local line, words = head, 0
    local used = math.max(0, styles.columns(head) - indent + 2)
    for word in row[3]:gmatch("%S+") do
      if words > 0 and used + 1 + styles.columns(word) > room then
        lines[#lines + 1] = line
        line, used = (" "):rep(indent - 2), 0
      end
      line = line .. (words == 0 and "  " or used == 0 and "  " or " ") .. word
      used, words = used + 1 + styles.columns(word), words + 1
    end
    lines[#lines + 1] = (line:gsub("%s+$", ""))
  end
end

local function add_wrapped(lines, text, width)
  for _, line in ipairs(styles.wrap(text, width - 2)) do lines[#lines + 1] = "  " .. line end
end

-- Paragraphs, however the source breaks their lines.
local function add_words(lines, words, width)
  local wrapped = styles.wrap(table.concat(words, " "), width)
  table.move(wrapped, 1, #wrapped, #lines + 1, lines)
end

-- The tables that a parameter may be.
local function add_tables(lines, one, width)
  local told = {}
  for _, param in ipairs(one.entry.params) do
    for name in param.type:gmatch "tandem%.[%w_.]*[%w_]" do
      local class = public.class(name)
      if class and not told[name] and #class.methods == 0 and #class.fields > 0 then
        told[name] = true
        lines[#lines + 1] = ""
        lines[#lines + 1] = class.entry.name
        call.add_rows(lines, call.value_rows(class.fields, ""), width)
      end
    end
  end
end

--- The help on a public name, line by line.
---@param one tandem.PublicName
---@param width integer  columns
---@return string[]
function call.lines(one, width)
  local entry, about = one.entry, call.about(one)
  local lines = { call.signature(one), "" }
  add_words(lines, (call.parts(entry)), width)
  local rows = call.value_rows(entry.params, "")
  table.move(call.value_rows(entry.returns, "returns"), 1, #entry.returns, #rows + 1, rows)
  if #rows > 0 then
    lines[#lines + 1] = ""
    call.add_rows(lines, rows, width)
  end
  if one.options then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Options"
    call.add_rows(lines, call.value_rows(one.options, ""), width)
  end
  add_tables(lines, one, width)
  if about then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Errors"
    add_wrapped(lines, about.errors, width)
  end
  local code = call.example(one)
  if code then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Example"
    for line in (code .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = "  " .. line end
  end
  if about and about.see then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "See also " .. table.concat(about.see, ", ")
  end
  return lines
end

--- The help on a class: what it is, its fields, its methods; of a table of options, who takes it.
---@param class tandem.PublicClass
---@param width integer  columns
---@return string[]
function call.class_lines(class, width)
  local lines = { class.entry.name }
  if #class.entry.text > 0 then
    lines[#lines + 1] = ""
    add_words(lines, class.entry.text, width)
  end
  if #class.fields > 0 then
    lines[#lines + 1] = ""
    call.add_rows(lines, call.value_rows(class.fields, ""), width)
  end
  local methods, of = {}, class
  while of do
    for _, method in ipairs(of.methods) do methods[#methods + 1] = method.word end
    of = of.entry.parent and public.class(of.entry.parent)
  end
  if #methods > 0 then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Methods"
    add_wrapped(lines, table.concat(methods, " "), width)
    lines[#lines + 1] = ("?%s:%s shows one."):format(class.name, methods[1])
    return lines
  end
  local takers = {}
  for _, one in ipairs(public.takers(class)) do takers[#takers + 1] = one.name end
  if #takers > 0 then
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Taken by " .. table.concat(takers, ", ")
  end
  return lines
end

local CONSTRUCTOR <const> = "Raises where it is not a table, or has a comma behind its name. What "
  .. "its keys hold is checked with the whole: td.scenario raises tandem.Problems."

--- What may go wrong with a constructor.
call.constructor_errors = CONSTRUCTOR

local TOPICS <const> = { stage = "stages", dist = "distributions", arrivals = "arrivals",
  resource = "resources", llm = "llm-steps", rows = "recordings" }

--- The help on a constructor: keys with types and units, errors, an example.
---@param word string  "poisson"
---@param style tandem.Style
---@return string[]|nil
function call.constructor_lines(word, style)
  local text = require("tandem.help.reference").constructor(word, style)
  if not text then return nil end
  local lines = { text, "", "Errors" }
  add_wrapped(lines, CONSTRUCTOR, style.width)
  local group = require("tandem.language.node").types[word].group
  lines[#lines + 1] = ""
  lines[#lines + 1] = "See also tandem help " .. TOPICS[group]
  return lines
end

-- What several objects call the same.
local function several(word, list)
  local lines = { ("%s is a word of several; ?%s tells more."):format(word, list[1].name), "" }
  local rows = {}
  for i, one in ipairs(list) do
    rows[i] = { one.name, "", (call.parts(one.entry)[1] or ""):gsub(":$", "") }
  end
  call.add_rows(lines, rows, 200)
  return lines
end

--- The help on a name of the program: a function, a constructor, a class, a method; nil where it is
--- none.
---@param name string  td.load, load, td.poisson, Result, Result:find, store:import, find
---@param style tandem.Style
---@return string[]|nil
function call.help(name, style)
  local one = public.find(name)
  if one then return call.lines(one, style.width) end
  local word = name:gsub("^td%.", "")
  local of_td = word:find "^[%w_]+$" and rawget(require "tandem", word) ~= nil
  local made = of_td and call.constructor_lines(word, style)
  if made then return made end
  local class = public.class(name)
  if class then return call.class_lines(class, style.width) end
  local list = {}
  for _, method in ipairs(public.names()) do
    if method.word == name then list[#list + 1] = method end
  end
  local record = require("tandem.language.node").types[name]
  if #list == 0 and record and record.group == "record" and not name:find "^seed" then
    local reference = require "tandem.help.reference"
    return { reference.titled(name), "", reference.record(name, style) }
  end
  if #list == 0 then return nil end
  return #list == 1 and call.lines(list[1], style.width) or several(name, list)
end

--- Every name that help knows, for "did you mean".
---@return string[]
function call.known()
  local list = {}
  for _, one in ipairs(public.names()) do list[#list + 1] = one.name end
  for _, class in ipairs(public.classes()) do list[#list + 1] = class.name end
  for _, word in ipairs(public.constructors()) do
    list[#list + 1] = "td." .. word
    list[#list + 1] = word
  end
  return list
end

return call
