-- What the help of public names lacks: held against the live program by help_calls_spec.lua.

local node = require "tandem.language.node"
local public = require "tandem.help.public"

local support = {}

-- Words that say what a number is counted in. A plain count is an integer, and needs none.
local UNITS <const> = { "second", "nanosec", "%f[%a]ns%f[%A]", "%f[%a]ms%f[%A]", "microsec", "byte",
  "share", "fraction", "ratio", "%f[%a]SI%f[%A]", "unit", "plain number", "dollar", "usd", "watt",
  "%%", "factor", "times", "pixel", "FLOP", "token", "rps", "req/s", "between 0 and 1", "from 0 to",
  "in %[0, 1%)", "0 to 1", "how many", "GPUs", "requests" }
-- Names that say it themselves.
local NAMED <const> = { "_s$", "_ns$", "_bytes$", "^bytes$", "_rps$", "_per_second$", "^seconds$",
  "_share$", "^share$", "^fraction$", "_usd", "^usd", "_watts$", "^watts$", "_w$" }

local function says_unit(name, text)
  for _, pattern in ipairs(UNITS) do
    if text:find(pattern) then return true end
  end
  for _, pattern in ipairs(NAMED) do
    if (name:gsub("%?$", "")):find(pattern) then return true end
  end
  return false
end

-- A type that is or may be a number that is no count; functions and tables of numbers say theirs.
local function is_number(kind)
  local bare = kind:gsub("fun%b()[^|]*", ""):gsub("%b{}", ""):gsub("%b<>", "")
  return bare:find "%f[%w]number%f[%W]" ~= nil
end

local function check_values(list, what, words, problems)
  for _, one in ipairs(list) do
    local name = one.name ~= "" and one.name or "its return"
    if one.type == "" then
      problems[#problems + 1] = ("%s: %s has no type"):format(what, name)
    elseif is_number(one.type) and not says_unit(one.name, one.text .. words) then
      problems[#problems + 1] = ("%s: %s is a number without a unit"):format(what, name)
    end
  end
end

-- The names between the brackets of a definition.
local function parameters_of(entry)
  local names = {}
  for name in entry.parameters:gmatch "[%w_.]+" do names[#names + 1] = name end
  return names
end

--- What the help of one public name lacks.
---@param one tandem.PublicName
---@param about tandem.CallHelp|nil
---@return string[]
function support.lacks(one, about)
  local problems, entry = {}, one.entry
  local function lack(what) problems[#problems + 1] = one.name .. ": no " .. what end
  if not entry then return { one.name .. ": no comment above its definition" } end
  if not table.concat(entry.text):find "%S" then lack "description" end
  local described = {}
  for _, param in ipairs(entry.params) do described[param.name:gsub("%?$", "")] = true end
  for _, name in ipairs(parameters_of(entry)) do
    if not described[name] then lack(("type of its parameter %s"):format(name)) end
  end
  check_values(entry.params, one.name, "", problems)
  check_values(entry.returns, one.name, " " .. table.concat(entry.text, " "), problems)
  if not (about and about.errors) then lack "errors" end
  if not require("tandem.help.call").example(one) then lack "example" end
  for _, other in ipairs(about and about.see or {}) do
    if not public.find(other) and not node.types[other:gsub("^td%.", "")] then
      problems[#problems + 1] = ("%s: see also %s, which there is not"):format(one.name, other)
    end
  end
  return problems
end

--- What the help of a table of options lacks.
---@param class tandem.PublicClass
---@return string[]
function support.lacks_of_options(class)
  local problems = {}
  for _, field in ipairs(class.fields) do
    local what = ("%s.%s"):format(class.name, field.name:gsub("%?$", ""))
    if not field.text:find "%S" then problems[#problems + 1] = what .. ": no description" end
    check_values({ field }, what, "", problems)
  end
  if #public.takers(class) == 0 then
    problems[#problems + 1] = class.name .. ": nothing takes it"
  end
  return problems
end

return support
