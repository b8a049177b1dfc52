--- Rules of advice from where they are kept: the shipped ones, a user's file, a folder of them.
--
-- Owns how a file becomes a rule: users' files run in the environment of scenarios. Called by
-- tandem.advice.
local files = require("tandem.core").files
local infile = require "tandem.io.infile"
local rule = require "tandem.advice.rule"
local sandbox = require "tandem.sandbox"

local loaded = {}

--- The shipped rules, in their order.
---@return tandem.AdviceRule[]
function loaded.shipped()
  local rules = {}
  for i, name in ipairs(require "lib.advice") do rules[i] = require("lib.advice." .. name) end
  return rules
end

local function of_file(path)
  local text, message, code = infile.read(path)
  if not text then return nil, message, code end
  local made, problems = sandbox.evaluate(text, "@" .. path)
  if problems then return nil, tostring(problems[1]), 3 end
  if not rule.is(made) then
    return nil, ("%s: a rule file ends with return td.advice \"name\" { … }"):format(path), 3
  end
  return made
end

--- The rules of a file, or of all .lua files of a folder, by name of file.
---@param path string
---@return tandem.AdviceRule[]|nil
---@return string|nil message
---@return integer|nil code
function loaded.user(path)
  local paths, names = { path }, files.list(path)
  if names then
    paths = {}
    table.sort(names)
    for _, name in ipairs(names) do
      if name:match "%.lua$" then paths[#paths + 1] = path .. "/" .. name end
    end
    if #paths == 0 then return nil, ("%s has no .lua files"):format(path), 4 end
  end
  local rules = {}
  for i, one in ipairs(paths) do
    local made, message, code = of_file(one)
    if not made then return nil, message, code end
    rules[i] = made
  end
  return rules
end

return loaded
