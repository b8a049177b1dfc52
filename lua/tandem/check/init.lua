--- Reading what the user wrote: every key known, every unit right, every value possible.
-- Owns the walk over nodes by their specifications (node.types) and the kinds of value. Problems
-- and positions are problem.lua's, quantities quantity.lua's, the rules that span a whole scenario
-- scenario.lua's. Output is canonical: SI numbers, {dist=…}, expression arrays.

local core = require "tandem.core"
local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local problem = require "tandem.check.problem"
local units = require "tandem.units"

local check = {
  problem = problem.new, problems = problem.list, is_problems = problem.is_list,
  describe = problem.describe,
  context = problem.context, at = problem.at,
}

local kinds = {}
check.kinds = kinds
require("tandem.check.quantity").install(kinds)

local describe = problem.describe

function kinds.string(ctx, v, _, key)
  if type(v) == "string" and not v:find "\0" then return v end
  ctx:problem(key, type(v) == "string" and "holds a zero byte"
    or ("is %s; wanted a text"):format(describe(v)))
end

function kinds.boolean(ctx, v, _, key)
  if type(v) == "boolean" then return v end
  if v == "true" or v == "false" then return v == "true" end
  ctx:problem(key, ("is %s; wanted true or false"):format(describe(v)))
end

function kinds.fn(ctx, v, _, key)
  if type(v) == "function" then return v end
  ctx:problem(key, ("is %s; wanted a function"):format(describe(v)))
end

function kinds.enum(ctx, v, spec, key)
  if type(v) == "string" then
    for _, name in ipairs(spec.of) do
      if name == v then return v end
    end
    ctx:problem(key, ("'%s' is not known; %s"):format(v, nearest.hint(v, spec.of)))
    return nil
  end
  ctx:problem(key, ("is %s; wanted %s"):format(describe(v),
    nearest.hint("", spec.of)))
end

-- The keys of a specification in order: it never changes once scenarios are checked.
local key_lists = setmetatable({}, { __mode = "k" })

local function known_keys(keys)
  local list = key_lists[keys]
  if not list then
    list = nearest.sorted_keys(keys)
    key_lists[keys] = list
  end
  return list
end

-- Where a key belongs that stands one table too far in or out.
local function misplaced(spec, around, k)
  if around and around.keys[k] then return "it is one of the table around this one" end
  for _, name in ipairs(known_keys(spec.keys)) do
    local key_spec = spec.keys[name]
    local inner = key_spec.kind == "record" and node.types[key_spec.of]
    if inner and inner.keys[k] then return ("%s has it"):format(name) end
  end
end

--- Look at every key of a record against its specification; returns the canonical fields.
---@param ctx tandem.CheckContext with the record already pushed
---@param raw table
---@param spec tandem.Spec
---@return table
---@return table<string, true> failed keys with a problem at or below them
function check.fields(ctx, raw, spec)
  local failed = {}
  local out = { type = spec.group ~= "record" and spec.type or nil }
  local source = {}
  local list
  for k, v in next, raw do
    if type(k) == "number" and spec.items then
      list = list or {}
      list[k] = v
    else
      source[k] = v
    end
  end
  if list then source[spec.items] = list end
  if spec.named then
    local name = source.name
    if name ~= nil and type(name) ~= "string" then
      ctx:problem("name", ("is %s; wanted a text"):format(describe(name)))
    elseif name and #name > problem.NAME_MOST then
      ctx:problem("name", problem.too_long(name))
    elseif name ~= nil and name:find "%c" then
      ctx:problem("name", "holds a control character; wanted one line of plain text")
    else
      out.name = name
    end
  end
  local known, around = known_keys(spec.keys), ctx.around
  ctx.around = spec
  for _, k in ipairs(nearest.sorted_keys(source)) do
    local pattern = spec.pattern and type(k) == "string" and spec.pattern.match(k)
    if not (spec.keys[k] or pattern or (k == "type" and spec.group ~= "record")
      or (k == "name" and spec.named)) then
      if type(k) == "number" then
        ctx:problem(k, ("takes keys, not a list (%s)"):format(nearest.hint("", known)))
      elseif misplaced(spec, around, k) and not nearest.word(("%s"):format(k), known) then
        ctx:problem(k, "unknown key here; " .. misplaced(spec, around, k))
      else
        local candidates = { table.unpack(known) }
        if spec.pattern then candidates[#candidates + 1] = spec.pattern.example end
        for _, one in ipairs(spec.pattern and spec.pattern.near or {}) do
          if nearest.word(("%s"):format(k), { one }) then candidates[#candidates + 1] = one end
        end
        ctx:problem(k, ("unknown key; %s"):format(nearest.hint(("%s"):format(k), candidates)))
      end
    elseif pattern and not spec.keys[k] then
      out[k] = kinds[spec.pattern.spec.kind](ctx, source[k], spec.pattern.spec, k)
    end
  end
  for _, k in ipairs(spec.order or known) do
    local key_spec = spec.keys[k]
    local v = source[k]
    if v == nil then
      if key_spec.required then
        local doc = key_spec.words or key_spec.dim and units.describe(key_spec.dim)
        ctx:problem(k, "is missing" .. (doc and " (" .. doc .. ")" or ""))
        failed[k] = true
      elseif type(key_spec.default) == "function" then
        out[k] = kinds[key_spec.kind](ctx, expr.symbol(key_spec.default()), key_spec, k)
      else
        out[k] = key_spec.default
      end
    else
      local before = #ctx.problems
      out[k] = kinds[key_spec.kind](ctx, v, key_spec, k)
      if #ctx.problems > before then failed[k] = true end
    end
  end
  ctx.around = around
  return out, failed
end

local function run_spec(ctx, raw, spec, key, items)
  ctx:push(key, raw, items or spec.items)
  local before = #ctx.problems
  local out = check.fields(ctx, raw, spec)
  if spec.validate then spec.validate(ctx, raw) end
  if spec.finish and #ctx.problems == before then
    local replaced = spec.finish(ctx, out, raw)
    if replaced ~= nil then out = replaced end
  end
  ctx:pop()
  return out
end

--- A plain table of known keys; a bare value fills the first positional key (batch = 8).
function kinds.record(ctx, v, spec, key)
  local record = node.types[spec.of]
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    local first = record.positional and record.keys[record.positional[1]]
    if first and (type(v) ~= "table" or first.kind == "link" and node.group(v)) then
      v = { [record.positional[1]] = v }
    else
      ctx:problem(key, ("is %s; wanted a table with %s"):format(describe(v),
        nearest.hint("", nearest.sorted_keys(record.keys))))
      return nil
    end
  end
  return run_spec(ctx, v, record, key)
end

function kinds.batch(ctx, v, _, key) return kinds.record(ctx, v, { of = "batch" }, key) end

local group_words = { stage = "a step (td.fixed, td.transfer, td.tokens, td.compute, td.stage, …)",
  arrivals = "an arrival process (td.poisson, td.paced, td.closed, td.replay, …)",
  dist = "a distribution (td.exponential, td.lognormal, …)",
  resource = "a resource (td.gpu, td.pool, td.link, td.memory, …)",
  llm = "a part of td.generate (td.llm, td.roofline, td.affine, td.step_table)",
  rows = "recorded requests (td.resample { file = … })" }

local function constructors_of(groups, types)
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(node.types)) do
    local spec = node.types[name]
    if groups[spec.group] and (not types or types[name]) then names[#names + 1] = name end
  end
  return names
end

--- A node of one of the groups (and types) of the specification.
function kinds.node(ctx, v, spec, key)
  if spec.fn and type(v) == "function" then return v end
  local wanted
  for _, group in ipairs(nearest.sorted_keys(spec.groups)) do
    wanted = (wanted and wanted .. " or " or "") .. group_words[group]
  end
  if type(v) == "string" and spec.from then v = spec.from(v) end
  if type(v) ~= "table" or (getmetatable(v) ~= nil and not node.group(v)) then
    ctx:problem(key, ("is %s; wanted %s"):format(describe(v), wanted))
    return nil
  end
  local type_name = rawget(v, "type")
  if type(type_name) ~= "string" then
    ctx:problem(key, ("is a table without a type; wanted %s"):format(wanted))
    return nil
  end
  local known = node.types[type_name]
  if not known or known.group == "record" then
    ctx:problem(key, ("unknown type '%s'; %s"):format(type_name,
      nearest.hint(type_name, constructors_of(spec.groups, spec.types))))
    return nil
  end
  if not spec.groups[known.group] or (spec.types and not spec.types[type_name]) then
    ctx:problem(key, ("is a td.%s; wanted %s"):format(type_name, spec.types
      and "td." .. table.concat(constructors_of(spec.groups, spec.types), " or td.") or wanted))
    return nil
  end
  return run_spec(ctx, v, known, key)
end

--- A distribution, in canonical form {dist = …}; a plain quantity is a constant.
function kinds.dist(ctx, v, spec, key)
  local dim, signed = ctx.dim, ctx.signed
  if not spec.inherit then ctx.dim, ctx.signed = spec.dim, spec.signed end
  local out
  if type(v) == "number" or type(v) == "string" then
    local n = kinds.quantity(ctx, v, { dim = ctx.dim, signed = "inherit" }, key)
    out = n and { dist = "constant", value = n }
  else
    local before = #ctx.problems
    out = kinds.node(ctx, v, { groups = { dist = true } }, key)
    if #ctx.problems > before then out = nil end
    if out and not out.dist then
      out.dist, out.type = out.type, nil
    end
    local impossible = out and core.dist_problem(out)
    if impossible then
      ctx:problem(key, impossible)
      out = nil
    end
  end
  ctx.dim, ctx.signed = dim, signed
  return out
end

--- A multiplier: a number s means normal(1, s) cut at 0.
function kinds.jitter(ctx, v, _, key)
  if type(v) == "number" or type(v) == "string" then
    local sd = kinds.quantity(ctx, v, { dim = "1", max = 10 }, key)
    if not sd or sd == 0 then return nil end
    return { dist = "normal", mean = 1.0, sd = sd, min = 0.0 }
  end
  return kinds.dist(ctx, v, { dim = "1" }, key)
end

-- How a value that should be a list is wrong, or nil.
local function not_a_list(v)
  if type(v) ~= "table" or expr.is_symbol(v) then
    return ("is %s; wanted a list { … }"):format(describe(v))
  end
  local group = node.group(v)
  if group then
    local name = ("%s"):format(rawget(v, "type"))
    return ("is a single td.%s; wanted a list { td.%s … }"):format(name, name)
  end
  if getmetatable(v) ~= nil then return "is an object; wanted a list { … }" end
  for _, k in ipairs(nearest.sorted_keys(v)) do
    if type(k) ~= "number" then
      return ("wanted a list; '%s' is a key, not a place in it"):format(k)
    end
  end
  local n = 0
  for _ in next, v do n = n + 1 end
  for i = 1, n do
    if v[i] == nil then return ("has a hole: element %d is nil"):format(i) end
  end
end

function kinds.list(ctx, v, spec, key)
  local wrong = not_a_list(v)
  if wrong then
    ctx:problem(key, wrong)
    return nil
  end
  if #v < (spec.min or 0) then
    ctx:problem(key, spec.min == 1 and "is empty" or ("wants at least %d"):format(spec.min))
    return nil
  end
  local out = {}
  ctx:push(key, v)
  for i, x in ipairs(v) do
    out[#out + 1] = kinds[spec.of.kind](ctx, x, spec.of, i)
  end
  ctx:pop()
  return out
end

--- { {first, second}, … }
function kinds.pairs(ctx, v, spec, key)
  local wrong = not_a_list(v)
  if wrong then
    ctx:problem(key, wrong .. " of " .. spec.words)
    return nil
  end
  if #v < (spec.min or 1) then
    ctx:problem(key, ("wants at least %d of %s"):format(spec.min or 1, spec.words))
    return nil
  end
  local out = {}
  ctx:push(key, v)
  for i, pair in ipairs(v) do
    if type(pair) ~= "table" or getmetatable(pair) ~= nil or #pair ~= 2 then
      ctx:problem(i, ("is %s; wanted %s"):format(describe(pair), spec.words))
    else
      ctx:push(i, pair)
      local first_spec, second_spec = spec.first, spec.second
      local a = kinds[first_spec.kind or "quantity"](ctx, pair[1], first_spec, 1)
      local b = kinds[second_spec.kind or "quantity"](ctx, pair[2], second_spec, 2)
      ctx:pop()
      if a ~= nil and b ~= nil then out[#out + 1] = { a, b } end
    end
  end
  ctx:pop()
  return out
end

--- Any keys, values of one kind; `attributes` says that the keys name attributes of a request, and
--- which of its other fields may stand there all the same.
function kinds.map(ctx, v, spec, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    ctx:problem(key, ("is %s; wanted a table of names and values"):format(describe(v)))
    return nil
  end
  local out = {}
  ctx:push(key, v)
  for _, k in ipairs(nearest.sorted_keys(v)) do
    if type(k) ~= "string" then
      ctx:problem(k, "wants a name = value")
    elseif spec.attributes and expr.request_fields[k] and k ~= spec.attributes.but then
      ctx:problem(k, ("every request has its own r.%s; choose another name, such as '%s_'")
        :format(k, k))
    else
      out[k] = kinds[spec.of.kind](ctx, v[k], spec.of, k)
    end
  end
  ctx:pop()
  return out
end

--- A list of steps; unnamed ones are named after their type, names are unique among siblings, but
--- of steps that ask the same LLM server.
function kinds.steps(ctx, v, spec, key)
  local steps = kinds.list(ctx, v, { min = spec.min or 1,
    of = { kind = "node", groups = { stage = true } } }, key)
  if not steps then return nil end
  local taken = {}
  for i, s in ipairs(steps) do
    local other = s.name and taken[s.name]
    if other and not (other == "generate" and s.type == "generate") then
      ctx:push(key, v)
      ctx:problem(i, ("two steps are named '%s'"):format(s.name))
      ctx:pop()
    elseif s.name then
      taken[s.name] = s.type
    end
  end
  for _, s in ipairs(steps) do
    if not s.name then
      local name, n = s.type, 1
      while taken[name] do
        n = n + 1
        name = s.type .. n
      end
      s.name, taken[name] = name, true
    end
  end
  return steps
end

--- Where a step runs: a role, the name of a resource, or the resource itself.
function kinds.place(ctx, v, spec, key)
  local name = v
  if node.group(v) == "resource" or type(v) == "table" and rawget(v, "type") then
    local r = kinds.node(ctx, v, { groups = { resource = true },
      types = spec.memory and { memory = true } or { pool = true, link = true } }, key)
    if not r then return nil end
    ctx.resources[#ctx.resources + 1] = { resource = r, where = ctx:here(key) }
    name = r.name
  end
  if type(name) ~= "string" then
    ctx:problem(key, ("is %s; wanted \"gpu\", \"cpu\", \"h2d\", \"d2h\", \"none\" or a resource")
      :format(describe(v)))
    return nil
  end
  ctx.references[#ctx.references + 1] = { name = name, where = ctx:here(key), memory = spec.memory }
  return name
end

--- A link: td.link … or the name of one in resources.
function kinds.link(ctx, v, _, key)
  if type(v) == "string" then
    ctx.references[#ctx.references + 1] = { name = v, where = ctx:here(key), link = true }
    return v
  end
  local r = kinds.node(ctx, v, { groups = { resource = true }, types = { link = true } }, key)
  if not r then return nil end
  ctx.resources[#ctx.resources + 1] = { resource = r, where = ctx:here(key) }
  return r.name
end

function kinds.router(ctx, v, spec, key)
  if type(v) == "function" then return v end
  return kinds.enum(ctx, v, spec, key)
end

return check
