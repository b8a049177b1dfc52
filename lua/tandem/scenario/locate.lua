--- Finds the scenario that a command line or a script names.
--
-- Owns the rule: a file that exists is that file, "-" is standard input, and a bare name is one of
-- the scenarios shipped with tandem ("demo", "01-demo" and "scenarios/01-demo.lua" all find the
-- first; those in JSON are found the same way). Reads shipped scenarios from the program itself;
-- loading is tandem.scenario's.
local locate = {}

---@class tandem.Shipped
---@field path string   "scenarios/01-demo.lua"
---@field name string   "01-demo"
---@field short string  "demo"

--- The shipped scenarios, in order.
---@return tandem.Shipped[]
function locate.shipped()
  local list = {}
  for _, path in ipairs(require("tandem.embedded").list("scenarios/")) do
    local name, ending = path:match("^scenarios/([^/]+)(%.%l+)$")
    if ending == ".lua" or ending == ".json" then
      list[#list + 1] = { path = path, name = name, short = name:gsub("^%d+%-", "") }
    end
  end
  return list
end

-- What a path leads to. A directory opens, but does not read; a pipe, the shell's <(…), gives what
-- it has once, and has no place to go back to.
local function look(path)
  local file <close>, message = io.open(path, "rb")
  if not file then return nil, message end
  local is_pipe = not file:seek "cur"
  local text, why, code = file:read(is_pipe and "a" or 0)
  if not text and code then return nil, path .. ": " .. why end
  return { path = path, text = is_pipe and text or nil, shown = path }
end

--- Without the ending of a scenario.
local function bare(path)
  return (path:gsub("%.lua$", ""):gsub("%.json$", ""))
end

local function find_shipped(wanted)
  wanted = bare(wanted)
  for _, one in ipairs(locate.shipped()) do
    if wanted == one.name or wanted == one.short or wanted == bare(one.path) then
      return one
    end
  end
end

--- Is it the name of a shipped scenario?
---@param name string
---@return boolean
function locate.is_shipped(name) return find_shipped(name) ~= nil end

--- A shipped scenario's path and text, whatever files there are; nil: none has this name.
---@param name string
---@return string|nil path
---@return string|nil text
function locate.shipped_text(name)
  local one = find_shipped(name)
  if one then return one.path, require("tandem.embedded").read(one.path) end
end

--- What was meant by a mistyped name: a shipped scenario, if one is near.
local function nearest_shipped(wanted)
  local nearest, names = require "tandem.text.nearest", {}
  for _, one in ipairs(locate.shipped()) do
    names[#names + 1] = one.name
    names[#names + 1] = one.short
  end
  return nearest.word(bare(wanted):gsub("^.*/", ""), names)
end

---@class tandem.Located
---@field path string         what to load: a path, or "-"
---@field text? string        the source, when it comes from the program itself or from a pipe
---@field shown string        what to call it in commands we print

--- Finds a scenario by path, "-" or shipped name.
---@param wanted string
---@return tandem.Located|nil
---@return string|nil message
function locate.find(wanted)
  if wanted == "-" then
    return { path = "-", shown = "-" }
  end
  local file, why = look(wanted)
  if file then return file end
  local shipped = find_shipped(wanted)
  if shipped then
    local text = assert(require("tandem.embedded").read(shipped.path))
    return { path = shipped.path, text = text, shown = shipped.name }
  end
  local message = "cannot read " .. tostring(why)
  local hint = require("tandem.io.infile").hint(wanted)
  local near = hint == "" and nearest_shipped(wanted)
  message = message .. hint
  if near then
    message = message .. ("; did you mean the shipped scenario '%s'?"):format(near)
  end
  return nil, message
end

return locate
