--- Editor stubs, build/meta/tandem.lua: what an editor shows while a scenario or a script is
-- written. Made from the specifications that check scenarios and the annotations that help shows,
-- so that they cannot disagree; `make` writes them with `tandem help --stubs`. Owns the layout.
-- shell/annotations.lua reads the declarations, which stand in no source.

local call = require "tandem.help.call"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local public = require "tandem.help.public"
local units = require "tandem.units"

require("tandem.language.glossary").apply()

local stubs = {}

--- What annotations call the file of the declarations.
stubs.FILE = "meta/tandem.lua"

local head = [[
---@meta tandem
-- Editor stubs for `local td = require "tandem"`, made from the specifications that check scenarios
-- by `tandem help --stubs`. Never loaded by the program.
--
-- Every constructor returns plain data. Nothing is checked until td.scenario, which raises one
-- tandem.Problems value that lists everything wrong, each with file, line and key path.

---@alias tandem.Quantity number|string a number in SI units, or text with a unit: "5ms", "8MiB"
---@alias tandem.Random tandem.Quantity|tandem.Dist a quantity or a distribution
---@alias tandem.Cost tandem.Random|tandem.Symbol|fun(r: tandem.Request): any
---@class tandem.Dist
---@class tandem.Arrivals
---@class tandem.Stage
---@class tandem.Resource
---@class tandem.LlmPart
---@class tandem.Recorded

local td = {}
]]

-- The words of a type of a plot's key, as LuaCATS has them.
local PLOT_TYPES = { list = "any[]", ["auto|light|dark"] = '"auto"|"light"|"dark"',
  ["after|before"] = '"after"|"before"' }

local function plot_type(types)
  if PLOT_TYPES[types] then return PLOT_TYPES[types] end
  return (types:gsub("[^|]+", function(one) return PLOT_TYPES[one] or one end))
end

-- The tables that td.plot takes, from the keys that check them.
local function plot_tables(out)
  local keys = require "tandem.plot.public.keys"
  for _, kind in ipairs(keys.order) do
    out[#out + 1] = "---@class tandem.Plot" .. kind:gsub("^%l", string.upper)
    for _, key in ipairs(keys.kinds[kind].keys) do
      out[#out + 1] = ("---@field %s? %s %s"):format(key[1], plot_type(key[2]), key[3])
    end
  end
end

-- ---- functions and objects: their annotations, and what calls says ----

local function add_values(out, tag, list)
  for _, one in ipairs(list) do
    local name = one.name ~= "" and one.name .. " " or ""
    out[#out + 1] = ("---@%s %s%s %s"):format(tag, name, one.type, one.text)
  end
end

local function add_words(out, one)
  local about = call.about(one) or {}
  local words = call.parts(one.entry)
  for _, line in ipairs(words) do out[#out + 1] = "--- " .. line end
  if about.errors then out[#out + 1] = "--- " .. about.errors end
  -- Those of methods begin alike: `?name` and `tandem help` show them.
  local code = one.owner:find "^td" and call.example(one) or ""
  for line in (code .. "\n"):gmatch "(.-)\n" do
    if line ~= "" then out[#out + 1] = "---     " .. line end
  end
end

local function add_call(out, one)
  add_words(out, one)
  if one.options then
    local parts = {}
    for i, option in ipairs(one.options) do
      parts[i] = ("%s: %s"):format(option.name, option.type)
    end
    out[#out + 1] = ("---@param options? { %s }"):format(table.concat(parts, ", "))
  else
    add_values(out, "param", one.entry.params)
  end
  add_values(out, "return", one.entry.returns)
  out[#out + 1] = ("function %s end"):format(call.signature(one))
end

local function functions(out)
  local tables = {}
  for _, one in ipairs(public.functions()) do
    if one.owner ~= "td" and not tables[one.owner] then
      tables[one.owner] = true
      out[#out + 1] = one.owner .. " = {}"
    end
    if one.is_table then
      tables[one.name] = true
      local body = one.entry.params[1]
      out[#out + 1] = ("---@overload fun(%s: %s): %s"):format(body.name, body.type,
        one.entry.returns[1].type)
      add_words(out, one)
      out[#out + 1] = one.name .. " = {}"
    else
      add_call(out, one)
    end
  end
end

local function objects(out)
  for _, one in ipairs(public.classes()) do
    if one.entry.file ~= stubs.FILE then
      local parent = one.entry.parent ~= "tandem.Analyses" and one.entry.parent
      for _, line in ipairs(one.entry.text) do out[#out + 1] = "--- " .. line end
      out[#out + 1] = ("---@class %s%s"):format(one.entry.name,
        parent and ": " .. parent or "")
      add_values(out, "field", one.entry.fields)
      if #one.methods > 0 then out[#out + 1] = ("local %s = {}"):format(one.name) end
      for _, method in ipairs(one.methods) do add_call(out, method) end
      out[#out + 1] = ""
    end
  end
end

local function kind_type(spec)
  local kind = spec.kind
  if kind == "quantity" then
    if spec.cost then return "tandem.Cost" end
    if spec.dist then return "tandem.Random" end
    return "tandem.Quantity"
  elseif kind == "enum" then
    local quoted = {}
    for i, name in ipairs(spec.of) do quoted[i] = ("%q"):format(name) end
    return table.concat(quoted, "|")
  elseif kind == "record" then
    return "tandem.spec." .. spec.of
      .. (node.types[spec.of].positional and "|tandem.Quantity" or "")
  end
  return ({
    fn = "function", string = "string", boolean = "boolean", dist = "tandem.Random",
    jitter = "number|tandem.Dist", batch = "tandem.spec.batch|integer",
    place = "string|tandem.Resource", link = "string|tandem.Resource",
    node = spec.groups and spec.groups.rows and "tandem.Recorded"
      or "tandem.LlmPart" .. (spec.fn and "|fun(batch: tandem.LlmBatch): number" or ""),
    router = "string|function",
    steps = "tandem.Stage[]", pipeline = "tandem.Stage[]",
    workload = "tandem.Arrivals|tandem.Arrivals[]", target = "tandem.Resource|string",
    warmup = '"auto"|"none"|tandem.Quantity', windows = "false|tandem.Quantity",
    expect = "table<string, any>",
    whatif = "table<string, table<string, any>>", over = "table<string, any>|any[][]",
    points = "integer|table<string, any>[]",
    hourly = "number|string", prices = "table<string, number|string|table>",
    scalar = "number|string|boolean", list = "any[]", pairs = "any[][]",
    map = "table<string, any>", attrs = "table<string, tandem.Cost>", any = "any",
    requests_log = '"all"|tandem.spec.requests_log',
  })[kind]
end

local function class(out, name, spec)
  out[#out + 1] = ("---@class tandem.spec.%s"):format(name)
  for _, key in ipairs(nearest.sorted_keys(spec.keys)) do
    local k = spec.keys[key]
    local words = k.doc or ""
    if k.kind == "quantity" and k.dim and k.dim ~= "1" then
      words = words .. (" (%s)"):format(units.describe(k.dim))
    end
    if type(k.default) == "number" or type(k.default) == "string" then
      words = words .. ("; default: %s"):format(k.default)
    end
    out[#out + 1] = ("---@field %s%s %s %s"):format(key, k.required and "" or "?",
      assert(kind_type(k), name .. "." .. key), words)
  end
  if spec.pattern then
    out[#out + 1] = spec.pattern.words and "---@field [string] any " .. spec.pattern.words
      or "---@field [string] tandem.Quantity percentiles: p50, p99, p999, …"
  end
end

local returned = { dist = "tandem.Dist", arrivals = "tandem.Arrivals", stage = "tandem.Stage",
  resource = "tandem.Resource", llm = "tandem.LlmPart", rows = "tandem.Recorded" }

-- Constructors and records, as their specifications have them.
local function types(out)
  for _, name in ipairs(nearest.sorted_keys(node.types)) do
    local spec = node.types[name]
    if not name:find("^seed") then
      class(out, name, spec)
      if spec.group ~= "record" then
        out[#out + 1] = "--- " .. spec.doc
        if spec.named then
          out[#out + 1] = ("---@overload fun(body: tandem.spec.%s): %s"):format(name,
            returned[spec.group])
          out[#out + 1] = "---@param name string"
          out[#out + 1] = ("---@return fun(body: tandem.spec.%s): %s"):format(name,
            returned[spec.group])
          out[#out + 1] = ("function td.%s(name) end"):format(name)
        else
          if spec.positional then
            local parameters = {}
            for i, key in ipairs(spec.positional) do
              parameters[i] = key .. ": " .. kind_type(spec.keys[key])
            end
            out[#out + 1] = ("---@overload fun(%s): %s"):format(table.concat(parameters, ", "),
              returned[spec.group])
          end
          out[#out + 1] = ("---@param body tandem.spec.%s"):format(name)
          out[#out + 1] = "---@return " .. returned[spec.group]
          out[#out + 1] = ("function td.%s(body) end"):format(name)
        end
      end
      out[#out + 1] = ""
    end
  end
end

local function joined(out)
  out[#out + 1] = "return td"
  return (table.concat(out, "\n") .. "\n"):gsub("[ \t]+\n", "\n")
end

--- What is written in no other source: aliases, tables of keys, constructors.
---@return string
function stubs.declarations()
  local out = { head }
  plot_tables(out)
  types(out)
  return (joined(out))
end

--- The whole text.
---@return string
function stubs.text()
  local out = { head }
  functions(out)
  out[#out + 1] = ""
  objects(out)
  plot_tables(out)
  types(out)
  return (joined(out))
end

return stubs
