--- Reference of the constructors (stages, distributions, arrivals, …), made from the very
-- specifications that check scenarios.
--
-- Owns how a specification reads as help: which keys, what they want, their defaults. What a
-- constructor is, which keys it has and an example stands in its definition; the specs run the
-- examples. Used by the manual (help/inserts.lua), `tandem help td.poisson` and the shell.
local column_table = require "tandem.text.columns"
local nearest = require "tandem.text.nearest"

local reference = {}

--- Every specification, with its words.
local function types()
  require("tandem.language.glossary").apply()
  return require("tandem.language.node").types
end

--- The names of a group's constructors, sorted.
---@param group string
---@return string[]
function reference.names(group)
  local names, known = {}, types()
  for _, name in ipairs(nearest.sorted_keys(known)) do
    if known[name].group == group then
      names[#names + 1] = name
    end
  end
  return names
end

local function may_also_be(spec)
  return spec.cost and ", a distribution, or a function of r"
    or spec.dist and ", or a distribution" or ""
end

local function quantity_words(spec)
  local words
  if spec.inherit then
    words = "a quantity"
  elseif spec.dim then
    words = require("tandem.units").describe(spec.dim)
  else
    words = "a quantity"
  end
  if spec.integer then
    words = words:gsub("^a plain number", "a whole number")
  end
  if spec.infinite then
    words = words .. " or math.huge"
  end
  return words .. may_also_be(spec)
end

local kind_words = {
  quantity = quantity_words,
  string = function() return "a text" end,
  boolean = function() return "true or false" end,
  fn = function() return "a function" end,
  enum = function(spec) return table.concat(spec.of, " | ") end,
  scalar = function() return "a number, a text, true or false" end,
  jitter = function() return "a factor: 0.05 is normal(1, 0.05); or a distribution" end,
  batch = function() return "batch = 8, or { max =, wait =, preferred =, static = }" end,
  place = function(spec)
    return spec.memory and 'a td.memory or its name; "gpu" (the default) is the card\'s own'
      or '"cpu", "gpu", "h2d", "d2h", "none", or a resource'
  end,
  link = function() return "a td.link, or the name of one" end,
  router = function() return "a policy (tandem help policies), or a function" end,
  dist = function() return "a distribution" end,
  steps = function() return "a list of steps" end,
  pipeline = function() return "a list of steps" end,
  workload = function() return "an arrival process, or a list of them" end,
  target = function() return "a GPU name, td.gpu or td.fleet" end,
  warmup = function() return '"auto", "none", or a time' end,
  windows = function() return "a time, or false" end,
  expect = function() return "a table (tandem help expect)" end,
  hourly = function() return "dollars an hour: 0.8, \"0.8$/h\"" end,
  prices = function() return "a table of names and dollars an hour" end,
  pairs = function(spec) return "a list of " .. spec.words end,
  map = function() return "a table name = value" end,
}
kind_words.attrs = kind_words.map

function kind_words.record(spec)
  return "{ " .. table.concat(nearest.sorted_keys(types()[spec.of].keys), ", ") .. " }"
end

function kind_words.node(spec)
  if spec.types then
    return "td." .. table.concat(nearest.sorted_keys(spec.types), " or td.")
      .. (spec.fn and " or a function" or "")
  end
  return "one of td's " .. table.concat(nearest.sorted_keys(spec.groups), ", ")
end

function kind_words.list(spec)
  return "a list of " .. reference.wants(spec.of):gsub("^an? ", "")
end

--- What a key wants, in words.
---@param spec table
---@return string
function reference.wants(spec)
  local words = kind_words[spec.kind]
  return words and words(spec) or spec.kind
end

local function default_words(spec)
  if spec.required then
    return "required"
  elseif type(spec.default) == "function" then
    return "default: r." .. spec.default()[2]
  elseif spec.default == nil then
    return ""
  elseif type(spec.default) == "number" and spec.dim and spec.dim ~= "1" then
    return "default: " .. require("tandem.units").format(spec.default, spec.dim)
  end
  return "default: " .. tostring(spec.default)
end

local DIMENSIONS <const> = {
  ["s"] = "time in s", ["B"] = "bytes", ["B/s"] = "bytes/s", ["FLOP"] = "FLOP",
  ["FLOP/s"] = "FLOP/s", ["1/s"] = "rate per s", ["req/s"] = "requests/s", ["req"] = "requests",
  ["1"] = "number", ["tok"] = "tokens", ["s/tok"] = "s per token", ["W"] = "watts",
  ["$/s"] = "$ per s",
}

local SHORT <const> = { fn = "function", dist = "distribution", steps = "list of steps",
  pipeline = "list of steps", record = "table", any = "any", scalar = "number, text, boolean",
  warmup = '"auto", "none", time', map = "table", attrs = "table", place = "resource",
  link = "td.link or its name", target = "GPU, fleet", workload = "arrivals", node = "td.…",
  router = "policy or function", jitter = "factor, distribution", batch = "number, table",
  pairs = "list of pairs", expect = "table", whatif = "table", over = "table",
  points = "number, list", hourly = "$ per hour", offers = "$ per hour, table", prices = "table",
  requests_log = '"all", table', string = "text" }

--- The type of a key in a few words, with its unit; a number with a unit may be a text.
---@param spec table
---@return string
function reference.kind(spec)
  if spec.kind == "enum" then
    local text = table.concat(spec.of, " | ")
    return #text <= 30 and text or "word"
  elseif spec.kind == "quantity" then
    local text = spec.inherit and "quantity" or spec.integer and spec.dim == "1" and "whole number"
      or DIMENSIONS[spec.dim or ""] or spec.dim or "quantity in any unit"
    local also = spec.cost and ", distribution or function" or spec.dist and " or distribution"
    return text .. (also or "")
  elseif spec.kind == "list" then
    return "list of " .. reference.kind(spec.of)
  elseif spec.kind == "node" and spec.groups and spec.groups.rows then
    return "td." .. table.concat(reference.names "rows", ", td.")
  elseif spec.kind == "node" and spec.types then
    return "td." .. table.concat(nearest.sorted_keys(spec.types), ", td.")
      .. (spec.fn and ", function" or "")
  end
  return SHORT[spec.kind] or spec.kind
end

--- The keys of a specification as rows: name, type with its unit, what it is; the required first.
---@param spec tandem.Spec
---@return string[][]
function reference.typed_rows(spec)
  local needed, others = {}, {}
  for _, key in ipairs(spec.order or nearest.sorted_keys(spec.keys)) do
    local key_spec = spec.keys[key]
    local words = key_spec.doc or reference.wants(key_spec)
    if key_spec.kind == "enum" and reference.kind(key_spec) == "word" then
      words = words .. ": " .. reference.wants(key_spec)
    end
    local default = default_words(key_spec)
    local list = key_spec.required and needed or others
    list[#list + 1] = { key, reference.kind(key_spec),
      words .. (default == "" and "" or "; " .. default) }
  end
  local rows = table.move(others, 1, #others, #needed + 1, needed)
  if spec.pattern then
    rows[#rows + 1] = { spec.pattern.example .. ", …", reference.kind(spec.pattern.spec),
      spec.pattern.words or "any percentile" }
  end
  return rows
end

--- How a constructor is called.
---@param name string
---@param spec tandem.Spec
---@return string
function reference.signature(name, spec)
  if spec.named then
    return ('td.%s "name" { … }'):format(name)
  elseif spec.positional then
    return ("td.%s(%s) or td.%s { … }"):format(name, table.concat(spec.positional, ", "), name)
  end
  return ("td.%s { … }"):format(name)
end

--- The help of one constructor.
---@param name string  "poisson"
---@param style tandem.Style
---@return string|nil
function reference.constructor(name, style)
  local spec = types()[name]
  if not spec or spec.group == "record" then
    return nil
  end
  local lines = { style:paint(reference.signature(name, spec), "bold"), "  " .. spec.doc, "" }
  local made = column_table.lines({ { title = "" }, { title = "" }, { title = "", wrap = true } },
    reference.typed_rows(spec), { style = style, indent = 2 })
  table.move(made, 1, #made, #lines + 1, lines)
  if spec.example then
    lines[#lines + 1] = ""
    for line in spec.example:gmatch("[^\n]+") do
      lines[#lines + 1] = "  " .. style:paint(line, "cyan")
    end
  end
  return table.concat(lines, "\n")
end

--- A record's title: how it is written, and what it is.
---@param name string
---@return string
function reference.titled(name)
  return ("%s { … }: %s"):format(name, types()[name].doc)
end

--- The keys of a record such as "scenario" or "slo", as text.
---@param name string
---@param style tandem.Style
---@return string
function reference.record(name, style)
  return column_table.format({ { title = "" }, { title = "" }, { title = "", wrap = true } },
    reference.typed_rows(types()[name]), { style = style, indent = 2 })
end

return reference
