--- What of the program is for scripts: the functions of td, and the methods of the objects that
--- these give.
--
-- Owns the rule that says what is public: what td has, and what the engine gives to functions of
-- scenarios (help/given.lua); then every class that the annotations of something public name, with
-- its methods and its fields. Nothing is listed by hand: what a name does stands in the comment
-- above its definition, what may go wrong and an example in tandem.help.calls. Used by help on
-- names (help/call.lua), the reference (page/reference.lua), the editor stubs and the specs.
local annotations = require "tandem.shell.annotations"
local nearest = require "tandem.text.nearest"

local public = {}

---@class tandem.PublicName
---@field name string        "td.plan.gpus", "Result:find"
---@field owner string       "td", "td.plan", "Result"
---@field word string        its last part
---@field is_table? boolean  a table that is called, and has functions of its own
---@field entry tandem.shell.Entry
---@field options? tandem.shell.Parameter[]  of an analysis: what its table may have

---@class tandem.PublicClass
---@field name string        "Result"
---@field entry tandem.shell.Entry
---@field methods tandem.PublicName[]
---@field fields tandem.shell.Parameter[]  its parent's last

-- Entries of values that are no functions of their own: functions.max = apply("max", …).
local function value_entry(word)
  for _, entry in ipairs(annotations.index()[word] or {}) do
    local of_td = entry.owner == "functions" or entry.owner == "td"
    if entry.kind == "value" and of_td then return entry end
  end
end

local function is_constructor(word)
  local spec = require("tandem.language.node").types[word]
  return spec ~= nil and spec.group ~= "record"
end

-- What a table of functions has, its own tables included; constructors have their specifications.
local function add_functions(into, owner, functions)
  for _, word in ipairs(nearest.sorted_keys(functions)) do
    local value, name = rawget(functions, word), owner .. "." .. tostring(word)
    local of_table = type(value) == "table" and debug.getmetatable(value)
    local call = of_table and rawget(of_table, "__call")
    if type(value) == "function" and not (owner == "td" and is_constructor(word)) then
      into[#into + 1] = { name = name, owner = owner, word = word,
        entry = annotations.of(value) or value_entry(word) }
    elseif type(value) == "table" then
      if call then
        into[#into + 1] = { name = name, owner = owner, word = word, is_table = true,
          entry = annotations.of(call) or value_entry(word) }
      end
      add_functions(into, name, value)
    end
  end
  return into
end

--- The functions of td that are no constructors, by name. One without an annotation has no entry.
---@return tandem.PublicName[]
function public.functions()
  return add_functions({}, "td", require "tandem")
end

--- The constructors of td: words whose help is their specification's.
---@return string[]
function public.constructors()
  local words = {}
  for _, word in ipairs(nearest.sorted_keys(require "tandem")) do
    if is_constructor(word) then words[#words + 1] = word end
  end
  return words
end

-- ---- classes ----

local function short(name) return (name:gsub("^tandem%.", "")) end

-- An analysis is a method, too; its words are its description's.
local function analyses_of(owner)
  local methods = {}
  for _, word in ipairs(require("tandem.analysis").names()) do
    local about = require("tandem.analysis").named(word)
    local options = {}
    for _, list in ipairs { about.options or {}, require("tandem.analysis.options").filter } do
      for _, option in ipairs(list) do
        local kind = option.kind or "string"
        if option.choices then
          kind = '"' .. table.concat(option.choices, '"|"') .. '"'
        elseif kind == "time" then
          kind = "string|integer"
        elseif not option.value then
          kind = "boolean"
        end
        options[#options + 1] = { name = option.name .. "?", type = kind, text = option.help }
      end
    end
    methods[#methods + 1] = { name = owner .. ":" .. word, owner = owner, word = word,
      options = options, entry = { kind = "function", file = "lua/tandem/analysis/" .. word
        .. ".lua", line = 0, owner = owner, separator = ":", name = word,
        parameters = "(options)", text = { about.about }, fields = {},
        params = { { name = "options?", type = "table", text = "those below" } },
        returns = { { name = "", type = "tandem.Answer|nil", text = "" },
          { name = "", type = "string|nil", text = "message" },
          { name = "", type = "integer|nil", text = "code" } } } }
  end
  return methods
end

-- The methods that a class's own file defines.
local function own_methods(class)
  local methods, others = {}, {}
  local entries = annotations.file(class.file)
  for _, entry in ipairs(entries) do
    if entry.kind == "class" and entry ~= class and entry.held_in then
      others[entry.held_in] = true
    end
  end
  for _, entry in ipairs(class.held_in and entries or {}) do
    if entry.separator == ":" and not others[entry.owner] then
      local owner = short(class.name)
      methods[#methods + 1] = { name = owner .. ":" .. entry.name, owner = owner,
        word = entry.name, entry = entry }
    end
  end
  table.sort(methods, function(a, b) return a.word < b.word end)
  return methods
end

local function class_of(entry)
  local fields, methods = {}, own_methods(entry)
  local name, parent = short(entry.name), entry
  while parent do
    table.move(parent.fields, 1, #parent.fields, #fields + 1, fields)
    if parent.parent == "tandem.Analyses" then
      table.move(analyses_of(name), 1, #require("tandem.analysis").names(), #methods + 1, methods)
      break
    end
    parent = parent.parent and annotations.class(parent.parent)
  end
  return { name = name, entry = entry, methods = methods, fields = fields }
end

local function each_type(entry, visit)
  for _, list in ipairs { entry.params, entry.returns, entry.fields } do
    for _, one in ipairs(list) do
      for name in one.type:gmatch "tandem%.[%w_.]*[%w_]" do visit(name) end
    end
  end
  if entry.parent then visit(entry.parent) end
end

-- What the engine gives to functions of scenarios.
local GIVEN <const> = "lua/tandem/help/given.lua"

local classes

--- The classes that scripts meet, by name.
---@return tandem.PublicClass[]
function public.classes()
  if classes then return classes end
  local seen, list, waiting = { ["tandem.Analyses"] = true }, {}, {}
  local function want(name)
    if not seen[name] then
      seen[name] = true
      waiting[#waiting + 1] = name
    end
  end
  for _, one in ipairs(public.functions()) do
    if one.entry then each_type(one.entry, want) end
  end
  for _, entry in ipairs(annotations.file(GIVEN)) do
    if entry.kind == "class" then want(entry.name) end
  end
  while #waiting > 0 do
    local entry = annotations.class(table.remove(waiting))
    if entry then
      local class = class_of(entry)
      list[#list + 1] = class
      each_type(entry, want)
      for _, method in ipairs(class.methods) do each_type(method.entry, want) end
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  classes = list
  return list
end

-- ---- finding ----

local names

--- Every public name: functions, then methods, each sorted.
---@return tandem.PublicName[]
function public.names()
  if names then return names end
  names = public.functions()
  for _, class in ipairs(public.classes()) do
    table.move(class.methods, 1, #class.methods, #names + 1, names)
  end
  return names
end

local function class_named(name)
  for _, class in ipairs(public.classes()) do
    if class.name:lower() == name:lower() then return class end
  end
end

--- The class of that name, "tandem.Result" or "Result".
---@param name string
---@return tandem.PublicClass|nil
function public.class(name)
  local class = class_named((short(name)))
  return class and class.name == short(name) and class or nil
end

-- A method of a class or of one that it is made of.
local function method_of(class, word)
  while class do
    for _, method in ipairs(class.methods) do
      if method.word == word then return method end
    end
    class = class.entry.parent and class_named(short(class.entry.parent))
  end
end

--- The public name that a person means: td.load, load, Result:find, result:find, run.kernels.
---@param text string
---@return tandem.PublicName|nil
function public.find(text)
  local name = text:gsub("^tandem%.", "")
  for _, one in ipairs(public.functions()) do
    if one.name == name or one.name == "td." .. name then return one end
  end
  local owner, word = name:match "^([%w_]+)[.:]([%w_]+)$"
  local class = owner and class_named(owner)
  return class and method_of(class, word)
end

--- The public name that a function is; nil of any other.
---@param f function
---@return tandem.PublicName|nil
function public.of(f)
  local entry = annotations.of(f)
  if not entry then return nil end
  for _, one in ipairs(public.names()) do
    local same = one.entry and one.entry.file == entry.file and one.entry.line == entry.line
    if same then return one end
  end
end

-- Does an annotation's type name a class?
local function names_class(kind, class)
  for name in kind:gmatch "tandem%.[%w_.]*[%w_]" do
    if name == class.entry.name then return true end
    local entry = annotations.class(name) -- a table of options with more of its own
    while entry and entry.parent do
      if entry.parent == class.entry.name then return true end
      entry = annotations.class(entry.parent)
    end
  end
  return false
end

--- The public names with a parameter of that class.
---@param class tandem.PublicClass
---@return tandem.PublicName[]
function public.takers(class)
  local list = {}
  for _, one in ipairs(public.names()) do
    local takes = one.options and class.name == "AnalysisFilter"
    for _, param in ipairs(one.entry and one.entry.params or {}) do
      takes = takes or names_class(param.type, class)
    end
    if takes then list[#list + 1] = one end
  end
  return list
end

--- The tables of options: classes that something takes and that have no methods.
---@return tandem.PublicClass[]
function public.option_tables()
  local list = {}
  for _, class in ipairs(public.classes()) do
    if #class.methods == 0 and class.name:find "Options$" or class.name:find "Spec$"
      or class.name:find "Filter$" or class.name:find "^Plot%u" then
      list[#list + 1] = class
    end
  end
  return list
end

return public
