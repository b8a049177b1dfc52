--- Distributions as data: `td.lognormal { p50 = "20ms", p99 = "180ms" }`.
-- Makes a constructor, its keys and its checks from what the core says of each family
-- (src/base/dist/dist.h): there is no list of them here. A quantity's dimension, and whether it may
-- be negative, come from the key that the distribution is used for.

local core = require "tandem.core"
local expr = require "tandem.expr"
local node = require "tandem.language.node"
local units = require "tandem.units"

for name, operator in pairs(expr.operators) do node.metatables.dist[name] = operator end

local dist = {}

---@class tandem.DistParameter what a family takes, as base/dist/dist.h says
---@field key string
---@field doc string
---@field sort "quantity"|"number"|"weights"|"quantities"|"edges"|"parts"|"percentiles"|"function"
---@field sign "positive"|"as_allowed"|"any"|nil  nil: not negative
---@field form integer                            0: of every form
---@field optional boolean|nil
---@field whole boolean|nil
---@field least number|nil
---@field most number|nil
---@field preset number|nil
---@field above string|nil
---@field at_least string|nil

---@class tandem.DistFamily
---@field name string                 in the model table
---@field spelled string              the constructor
---@field doc string
---@field example string
---@field pairs string|nil            the language takes { {weight, this}, … } for the two lists
---@field items string|nil
---@field forms string|nil
---@field positional integer
---@field parameters tandem.DistParameter[]

-- One value of a parameter.
local function value_spec(p)
  if p.sort == "parts" then return { kind = "dist", inherit = true } end
  local quantity = p.sort == "quantity" or p.sort == "quantities" or p.sort == "edges"
    or p.sort == "percentiles"
  return { kind = "quantity", inherit = quantity or nil, dim = not quantity and "1" or nil,
    positive = p.sign == "positive" or nil, integer = p.whole, min = p.least, max = p.most,
    signed = p.sign == "as_allowed" and "inherit" or p.sign == "any" or nil }
end

local fewest = { weights = 1, quantities = 1, edges = 2 }

local function key_spec(p)
  local spec = value_spec(p)
  if fewest[p.sort] then
    spec = { kind = "list", of = spec, min = fewest[p.sort] }
  elseif p.sort == "function" then
    spec = { kind = "fn" }
  end
  spec.required = not p.optional and p.form == 0 or nil
  spec.default, spec.doc = p.preset, p.doc
  return spec
end

-- { {weight, what}, … } for the family's two lists.
local function pairs_spec(family)
  local words = ("{weight, %s}"):format(family.pairs)
  return { parts = { kind = "pairs", required = true, first = value_spec(family.parameters[1]),
    second = value_spec(family.parameters[2]), words = words,
    doc = ("{ %s, … }"):format(words) } }
end

local function keys_of(family)
  if family.pairs then return pairs_spec(family) end
  local keys, pattern = {}, nil
  for _, p in ipairs(family.parameters) do
    if p.sort == "percentiles" then
      pattern = { match = units.is_percentile, example = p.key, spec = value_spec(p) }
    else
      keys[p.key] = key_spec(p)
    end
  end
  return keys, pattern
end

-- The percentiles of a table, rising: p999 is written for 99.9.
local function percentiles(c)
  local found = {}
  for key, value in pairs(c) do
    local text = key:match("^p(%d+%.?%d*)$")
    if text then
      local rank = tonumber(text)
      if rank > 100 then rank = tonumber(text:sub(1, 2) .. "." .. text:sub(3)) end
      found[#found + 1] = { rank = rank, value = value, key = key }
    end
  end
  table.sort(found, function(a, b) return a.rank < b.rank end)
  return found
end

-- What is given of each form: the keys that are there and the first that is not; percentiles are
-- two keys.
local function forms_given(family, c)
  local forms = {}
  for _, p in ipairs(family.parameters) do
    local form = forms[p.form] or { given = {} }
    forms[p.form] = form
    if p.sort == "percentiles" then
      local found = percentiles(c)
      for _, one in ipairs(found) do form.given[#form.given + 1] = one.key end
      form.percentiles, form.wrong = found, #found ~= 2
    elseif c[p.key] ~= nil then
      form.given[#form.given + 1] = p.key
    else
      form.missing = form.missing or p.key
    end
  end
  return forms[1], forms[2]
end

local function check_forms(ctx, family, c)
  local first, second = forms_given(family, c)
  if #first.given > 0 and #second.given > 0 then
    return ctx:problem(second.given[1], ("give %s, not both"):format(family.forms))
  end
  local chosen = #first.given > 0 and first or second
  if chosen.missing and #chosen.given > 0 then
    ctx:problem(nil, ("wants %s beside %s"):format(chosen.missing, chosen.given[1]))
  elseif chosen.missing or chosen.wrong then
    ctx:problem(nil, "wants " .. family.forms)
  elseif chosen.percentiles and chosen.percentiles[1].value >= chosen.percentiles[2].value then
    ctx:problem(chosen.percentiles[2].key,
      ("is not above %s"):format(chosen.percentiles[1].key))
  end
end

local function check_edges(ctx, key, edges)
  for i = 2, #edges do
    if edges[i] <= edges[i - 1] then
      return ctx:problem(key, ("edge %d is not above the one before"):format(i))
    end
  end
end

local function check_parameter(ctx, p, c)
  local value = c[p.key]
  if p.above and c[p.above] and value <= c[p.above] then
    ctx:problem(p.key, "is not above " .. p.above)
  elseif p.at_least and c[p.at_least] and value < c[p.at_least] then
    ctx:problem(p.key, "is below " .. p.at_least)
  elseif p.sort == "edges" then
    check_edges(ctx, p.key, value)
  elseif p.sort == "weights" then
    ctx:check_weights(p.key, value)
  end
end

-- Two lists that belong together.
local function check_lengths(ctx, family, c)
  local a, b = family.parameters[1], family.parameters[2]
  local one, other = b and c[a.key], b and c[b.key]
  if type(one) ~= "table" or type(other) ~= "table" then return end
  if a.sort == "edges" then
    if #one ~= #other + 1 then
      ctx:problem(a.key, ("wants one more than %s (%d, not %d)"):format(b.key, #other + 1, #one))
    end
  elseif #one ~= #other then
    ctx:problem(b.key, ("are not as many as the %s"):format(a.key))
  end
end

-- { {weight, what}, … } as the two lists of the model table.
local function split(ctx, family, c)
  if not c.parts then return nil end
  local weights, others = {}, {}
  for i, pair in ipairs(c.parts) do weights[i], others[i] = pair[1], pair[2] end
  ctx:check_weights("parts", weights)
  return { dist = family.name, [family.parameters[1].key] = weights,
    [family.parameters[2].key] = others }
end

local function finish(family)
  return function(ctx, c)
    if family.pairs then return split(ctx, family, c) end
    if family.forms then check_forms(ctx, family, c) end
    check_lengths(ctx, family, c)
    for _, p in ipairs(family.parameters) do
      if c[p.key] ~= nil then check_parameter(ctx, p, c) end
    end
    c.dist, c.type = family.name, nil
  end
end

for _, family in ipairs(core.distributions() --[[@as tandem.DistFamily[] ]]) do
  local keys, pattern = keys_of(family)
  local positional
  for i = 1, family.positional do
    positional = positional or {}
    positional[i] = family.parameters[i].key
  end
  dist[family.spelled] = node.define { type = family.spelled, group = "dist", doc = family.doc,
    example = family.example, keys = keys, pattern = pattern, positional = positional,
    items = family.items or family.pairs and "parts" or nil, finish = finish(family) }
end

return dist
