--- What the sources say about their own functions: LuaCATS comments, read from the program.
--
-- Owns the reading of `---` blocks and the index of what they stand above. Built on first use,
-- from the embedded sources, so that help can never be older than the code. Used by help.
local annotations = {}

---@class tandem.shell.Parameter
---@field name string    with "?" when it may be left out
---@field type string
---@field text string

---@class tandem.shell.Entry
---@field kind "function"|"class"|"value"
---@field file string
---@field line integer
---@field owner? string   the table in front: Result in `function Result:plot()`
---@field separator? string  "." or ":"
---@field name string
---@field parameters string  "(a, b)" as in the source
---@field text string[]      paragraphs, line by line
---@field params tandem.shell.Parameter[]
---@field returns tandem.shell.Parameter[]
---@field fields tandem.shell.Parameter[]
---@field parent? string    of a class: the class whose members it also has
---@field held_in? string   of a class: the local table that stands under it, with its methods

local OPEN = { ["("] = ")", ["{"] = "}", ["<"] = ">", ["["] = "]" }
local CLOSE = { [")"] = true, ["}"] = true, [">"] = true, ["]"] = true }

--- Cuts a type off the front of a text: it ends at a space outside brackets that joins nothing.
local function split_type(text)
  local depth, position = 0, 1
  while position <= #text do
    local letter = text:sub(position, position)
    if OPEN[letter] then
      depth = depth + 1
    elseif CLOSE[letter] then
      depth = depth - 1
    elseif letter == '"' then
      position = text:find('"', position + 1, true) or #text
    elseif letter == " " and depth <= 0 then
      local joined = text:find("^%s*[|]", position) or text:sub(1, position - 1):find("[|:,]%s*$")
      if not joined then
        break
      end
    end
    position = position + 1
  end
  return text:sub(1, position - 1), text:sub(position):match("^%s*[#@]?%s*(.-)%s*$")
end

local function new_entry(kind, file, line)
  return { kind = kind, file = file, line = line, name = "", parameters = "", text = {},
    params = {}, returns = {}, fields = {} }
end

--- Adds one `---@tag rest` to an entry.
local function add_tag(entry, tag, rest)
  if tag == "param" or tag == "field" then
    if rest:find "^private%s" then return end
    local name, after = rest:match("^(%[[^%]]*%]%??)%s+(.*)$")
    if not name then
      name, after = rest:match("^(%S+)%s*(.*)$")
    end
    if name then
      local kind, text = split_type(after)
      -- LuaCATS' own words for this keep other files of ours out, too.
      if tag == "field" and text == "internal" then return end
      local list = tag == "param" and entry.params or entry.fields
      list[#list + 1] = { name = name, type = kind, text = text }
    end
  elseif tag == "return" then
    local kind, text = split_type(rest)
    entry.returns[#entry.returns + 1] = { name = "", type = kind, text = text }
  end
end

--- What a line of code defines, if it is something a comment can describe.
local function definition(code)
  local owner, separator, name, parameters =
    code:match("^function ([%w_.]-)([.:])([%w_]+)%s*(%b())")
  if name then
    return "function", owner, separator, name, parameters
  end
  owner, name, parameters = code:match("^([%w_.]+)%.([%w_]+)%s*=%s*function%s*(%b())")
  if name then
    return "function", owner, ".", name, parameters
  end
  owner, name = code:match("^([%w_.]+)%.([%w_]+)%s*=")
  if name then
    return "value", owner, ".", name, ""
  end
end

--- All documented definitions of one source text.
---@param file string
---@param source string
---@return tandem.shell.Entry[]
function annotations.parse(file, source)
  local entries, number = {}, 0
  local block, class
  local open -- the tag whose lines are being read: { entry, tag, text }
  local function close()
    if open then add_tag(table.unpack(open)) end
    open = nil
  end
  for line in (source .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local comment = line:match("^%-%-%-(.*)$") or block and line:match("^%-%-(.*)$")
    local tag, rest = (comment or ""):match("^%s*@(%a+)%s*(.*)$")
    local more = not tag and open and (comment or ""):match "^%s%s+(%S.*)$"
    if not more then close() end
    if more then
      open[3] = open[3] .. " " .. more
    elseif comment then
      block = block or new_entry("value", file, number)
      if tag == "class" then
        class = new_entry("class", file, number)
        class.name, class.text = rest:match("^[%w_.]+") or "", block.text
        class.parent = rest:match "^[%w_.]+%s*:%s*([%w_.]+)"
        class.text[#class.text + 1] = not class.parent and rest:match "^[%w_.]+%s+(%S.*)$" or nil
        entries[#entries + 1] = class
        block.text = {}
      elseif tag then
        open = { tag == "field" and class or block, tag, rest }
      else
        block.text[#block.text + 1] = comment:gsub("^ ", "")
      end
    else
      if block then
        local kind, owner, separator, name, parameters = definition(line)
        if kind and (#block.text > 0 or #block.params > 0 or #block.returns > 0) then
          block.kind, block.owner, block.separator = kind, owner, separator
          block.name, block.parameters, block.line = name, parameters, number
          entries[#entries + 1] = block
        end
      end
      if class then class.held_in = line:match "^local ([%w_]+) = {" end
      block, class = nil, nil
    end
  end
  return entries
end

--- Entries of a file of the program; parsed once.
local parsed = {}
local function entries_of(file, source)
  parsed[file] = parsed[file] or annotations.parse(file, source)
  return parsed[file]
end

--- Calls visit(file, source) for every Lua file of the front end until it returns something.
local function each_source(visit)
  local embedded = require "tandem.embedded"
  for _, file in ipairs(embedded.list("lua/tandem/")) do
    local found = file:find("%.lua$") and visit(file, embedded.read(file) or "")
    if found then
      return found
    end
  end
  -- What stands in no source, and so the last.
  local stubs = require "tandem.help.stubs"
  return visit(stubs.FILE, stubs.declarations())
end

--- The documented definitions of one file of the program.
---@param file string
---@return tandem.shell.Entry[]
function annotations.file(file)
  return entries_of(file, require("tandem.embedded").read(file) or "")
end

local indexed

--- Every documented definition of the program, by name: functions and values by their last name,
--- classes by their whole one and by its last part.
---@return table<string, tandem.shell.Entry[]>
function annotations.index()
  if indexed then
    return indexed
  end
  indexed = {}
  local function add(key, entry)
    indexed[key] = indexed[key] or {}
    table.insert(indexed[key], entry)
  end
  each_source(function(file, source)
    for _, entry in ipairs(entries_of(file, source)) do
      add(entry.name, entry)
      local last = entry.kind == "class" and entry.name:match("%.([%w_]+)$")
      if last then
        add(last, entry)
      end
    end
  end)
  return indexed
end

--- The entry of a function: the one above the line where it is defined.
---@param f function
---@return tandem.shell.Entry|nil
function annotations.of(f)
  local info = debug.getinfo(f, "S")
  local file = info.source:match("(lua/tandem/.*)$")
  for _, entry in ipairs(file and annotations.file(file) or {}) do
    if entry.line == info.linedefined and entry.kind == "function" then return entry end
  end
end

--- The class of that name, "tandem.Result" or "Result". Reads only the file that has it, since
--- completion must not wait for all of them.
---@param name string
---@return tandem.shell.Entry|nil
function annotations.class(name)
  for _, entry in ipairs(indexed and indexed[name] or {}) do
    if entry.kind == "class" then return entry end
  end
  if indexed then return nil end
  local written = "---@class " .. (name:find(".", 1, true) and name or "tandem." .. name)
  return each_source(function(file, source)
    if source:find(written, 1, true) then
      for _, entry in ipairs(entries_of(file, source)) do
        local matches = entry.name == name or entry.name:match("[%w_]+$") == name
        if entry.kind == "class" and matches then
          return entry
        end
      end
    end
  end)
end

--- The names of a class's fields, and of the methods in the file that describes it.
---@param name any  the class's whole name, or anything else
---@return string[]
function annotations.members(name)
  local class = type(name) == "string" and annotations.class(name)
  if not class then
    return {}
  end
  local names = {}
  for _, field in ipairs(class.fields) do
    names[#names + 1] = (field.name:gsub("%?$", ""))
  end
  for _, entry in ipairs(parsed[class.file]) do
    if entry.separator == ":" then
      names[#names + 1] = entry.name
    end
  end
  return names
end

return annotations
