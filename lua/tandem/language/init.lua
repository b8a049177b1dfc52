--- The language of scenarios as data: every type with its keys, what each wants, units, defaults
--- and help, for whoever draws forms.
--
-- Owns the translation of specifications (node.types) into plain tables; the specifications
-- themselves are those that check scenarios. Called by the server.
local nearest = require "tandem.text.nearest"

local language = {}

-- Fields of a key's specification that are plain data and that a form needs.
local PLAIN <const> = { "kind", "dim", "required", "positive", "signed", "integer", "min", "max",
  "cost", "dist", "attribute", "inherit", "infinite", "words", "doc", "memory", "fn" }

local function names_where(types, fits)
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(types)) do
    if fits(types[name], name) then names[#names + 1] = name end
  end
  return names
end

-- The constructors that may stand at a key of kind "node" and the like.
local GROUP_OF <const> = { jitter = "dist", dist = "dist", workload = "arrivals", steps = "stage",
  pipeline = "stage", link = "resource" }
local TYPES_OF <const> = { target = { gpu = true, fleet = true }, link = { link = true } }

local function allowed(types, spec)
  local groups = spec.groups or GROUP_OF[spec.kind] and { [GROUP_OF[spec.kind]] = true }
  local only = spec.types or TYPES_OF[spec.kind]
  if spec.kind == "target" then groups = { resource = true } end
  if not groups then return nil end
  return names_where(types, function(one, name)
    return groups[one.group] and (not only or only[name])
  end)
end

local function key_of(types, spec)
  local out = { wants = require("tandem.help.reference").wants(spec), types = allowed(types, spec) }
  for _, name in ipairs(PLAIN) do out[name] = spec[name] end
  if spec.signed == "inherit" then out.signed = true end
  if type(spec.default) == "function" then
    out.default = "r." .. spec.default()[2]
  else
    out.default = spec.default
  end
  if spec.kind == "enum" or spec.kind == "router" then
    out.choices = spec.of
  elseif spec.kind == "record" or spec.kind == "batch" then
    out.record = spec.of or "batch"
  elseif type(spec.of) == "table" then
    out.of = key_of(types, spec.of)
  elseif spec.kind == "pairs" then
    out.first = key_of(types, setmetatable({ kind = spec.first.kind or "quantity" },
      { __index = spec.first }))
    out.second = key_of(types, setmetatable({ kind = spec.second.kind or "quantity" },
      { __index = spec.second }))
  end
  return out
end

-- As a person writes them: what must be there first.
local function order_of(spec)
  local order = nearest.sorted_keys(spec.keys)
  local before = require("tandem.scenario.source").before
  table.sort(order, function(a, b)
    local x, y = spec.keys[a].required == true, spec.keys[b].required == true
    if x ~= y then return x end
    return before(a, b)
  end)
  return order
end

local function type_of(types, spec)
  local out = { group = spec.group, doc = spec.doc, named = spec.named, items = spec.items,
    positional = spec.positional, keys = {}, order = order_of(spec),
    pattern = spec.pattern and { example = spec.pattern.example, near = spec.pattern.near,
      spec = key_of(types, spec.pattern.spec) } }
  local example = spec.example or ""
  for key, one in pairs(spec.keys) do
    out.keys[key] = key_of(types, one)
    -- What its example shows is what most people write.
    out.keys[key].usual = example:find("%f[%w_]" .. key .. "%s*=") ~= nil or nil
  end
  return out
end

--- Every type by name: what `td` makes, and the records inside.
---@return table<string, table>
function language.types()
  require("tandem.language.glossary").apply()
  local types, out = require("tandem.language.node").types, {}
  for name, spec in pairs(types) do
    -- Those of the small format are read, and never written.
    if not name:find "^seed" then out[name] = type_of(types, spec) end
  end
  return out
end

--- What each dimension is called, with an example.
---@return table<string, string>
function language.dimensions()
  local out = {}
  for _, dim in ipairs { "s", "B", "B/s", "FLOP", "FLOP/s", "req/s", "1", "s/tok", "tok", "req",
    "W", "$/s" } do
    out[dim] = require("tandem.units").describe(dim)
  end
  return out
end

return language
