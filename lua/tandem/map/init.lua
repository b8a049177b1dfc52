--- `td.map { … }`: which spans of a capture are requests, and which of them are their stages.
--
-- Owns the map as an object: what was checked (shape.lua), its text (write.lua), its hash, and
-- files that hold one. A map never changes and says nothing of a run: run:visits(map) applies it.
-- Maps of a run are proposed by propose.lua.
local check = require "tandem.check"
local infile = require "tandem.io.infile"
local lines = require "tandem.check.lines"
local node = require "tandem.language.node"

local map = {}

---@class tandem.Map
---@field spec tandem.MapSpec  as checked
---@field by? fun(span: table): any, string|true|nil  the function of `request = { by = … }`
---@field file? string         where it was loaded from
local Map = { __name = "tandem.Map" }
local methods = {}

Map.__index = function(self, key)
  if methods[key] then return methods[key] end
  if key == "by" then return rawget(self, "spec").request.by end
end
Map.__newindex = function() error("a map does not change; write another with td.map { … }", 2) end
Map.__tostring = function(self) return (require("tandem.map.write").text(self.spec)) end
Map.__eq = function(a, b) return a:hash() == b:hash() end

--- Is a value a map?
---@param value any
---@return boolean
function map.is(value) return getmetatable(value) == Map end

--- Checks a plain table of the form of td.map and makes a map of it.
---@param raw table
---@return tandem.Map|nil
---@return tandem.Problems
function map.check(raw)
  local spec, problems = require("tandem.map.shape").check(raw)
  if not spec then return nil, problems end
  return setmetatable({ spec = spec }, Map), problems
end

-- The file that is loading: `return td.map { … }` is a tail call, which leaves no frame of it.
local loading

--- `td.map { request = …, stages = … }`. Raises a tandem.Problems value that lists all that is
--- wrong with it.
---@param body table
---@return tandem.Map
local function new(body)
  local anchor = {}
  lines.record(anchor, 3)
  if loading then lines.made_at(anchor, loading.source, loading.line) end
  if type(body) ~= "table" or getmetatable(body) ~= nil then
    error("td.map wants a table { request = …, stages = … }", 3)
  end
  local raw = node.copy(body)
  lines.inherit(raw, anchor)
  local made, problems = map.check(raw)
  if not made then error(problems, 0) end
  return made
end

--- A name of the map's meaning: equal for equal maps. One with a function is hashed by its code.
---@return string sixteen hexadecimal digits
function methods:hash()
  local canonical = require "tandem.scenario.canonical"
  return canonical.hash(canonical.text(self.spec))
end

--- The map as the Lua file that a person would have written.
---@param told? tandem.MapTold  what comments say
---@return string
function methods:to_lua(told) return require("tandem.map.write").file(self.spec, told) end

local INVALID <const>, IO <const> = 3, 4

-- The line of the last `return` of a script, 1 where it has none.
local function return_line(text)
  local line, found = 0, 1
  for one in (text .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    if one:find "^%s*return%f[%W]" then found = line end
  end
  return found
end

local SHIPPED <const> = "lib/maps/"

--- The maps that come with tandem: their names, sorted.
---@return string[]
function map.shipped()
  local names = {}
  for _, path in ipairs(require("tandem.embedded").list(SHIPPED)) do
    names[#names + 1] = path:match "([^/]+)%.lua$"
  end
  table.sort(names)
  return names
end

-- The text of a file, else of the shipped map of that name.
local function text_of(path)
  local text, why = infile.read(path)
  if text then return text end
  local names = map.shipped()
  for _, name in ipairs(names) do
    if name == path then return require("tandem.embedded").read(SHIPPED .. name .. ".lua") end
  end
  local near = require("tandem.text.nearest").word(path, names)
  return nil, why .. (near and ("; did you mean the shipped map '%s'?"):format(near) or "")
end

--- Loads a map from a file, or the shipped one of that name; it runs as scenario files do, without
--- files, clock and system.
---@param path string
---@param options? { text?: string, trusted?: boolean, budget?: tandem.Budget }
---@return tandem.Map|nil
---@return tandem.Problems|string|nil problems  a text when the file could not be read
---@return integer|nil code
function map.load(path, options)
  options = options or {}
  local text = options.text
  if not text then
    local why
    text, why = text_of(path)
    if not text then return nil, why, IO end
  end
  local outer = loading
  loading = { source = "@" .. path, line = return_line(text) }
  local value, problems = require("tandem.sandbox").evaluate(text, "@" .. path, options)
  loading = outer
  if problems then return nil, problems, INVALID end
  if map.is(value) then
    rawset(value, "file", path)
    return value
  end
  local wrong = check.problems()
  wrong[1] = check.problem(path, nil, "", ("does not return a map but %s; end it with "
    .. "`return td.map { request = …, stages = … }`"):format(value == nil and "nothing"
    or check.describe(value)))
  return nil, wrong, INVALID
end

local function word(members, absent)
  return setmetatable(members, { __index = function(_, name) error(absent(name), 2) end,
    __call = function(_, body)
      local made = new(body) -- no tail call: positions count frames
      return made
    end })
end

--- Candidate maps of a run, best first, each with what it covers.
---@param run tandem.Run
---@param options? { limit?: integer }  how many (default: 3)
---@return tandem.MapProposal[]|nil
---@return string|nil message
---@return integer|nil code
function map.propose(run, options) return require("tandem.map.propose").of(run, options) end

--- td.map: called it makes a map; td.map.propose proposes maps of a run, td.map.load reads a file.
map.word = word({ load = map.load, is = map.is, propose = map.propose },
  function(name)
    return ("td.map has no '%s'; %s"):format(tostring(name),
      require("tandem.text.nearest").hint(tostring(name), { "propose", "load", "is" }))
  end)

--- td.map as files see it: they describe and read nothing.
map.word_in_files = word({}, function(name)
  return ("td.map.%s reads runs and files, and a map or scenario file only describes: run this "
    .. "script with `tandem lua FILE`"):format(tostring(name))
end)

return map
