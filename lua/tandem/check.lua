--- Reading what the user wrote: every key known, every unit right, every value possible.
-- Owns the walk over nodes by their specifications (node.types) and the kinds of value; collects
-- all problems, each with file, line, key path and the nearest valid thing. The rules that span a
-- whole scenario are in rules.lua. Output is canonical: SI numbers, {dist=…}, expression arrays.

local expr = require "tandem.expr"
local lines = require "tandem.lines"
local nearest = require "tandem.nearest"
local node = require "tandem.node"
local units = require "tandem.units"

local check = {}

---@class tandem.Problem
---@field file string|nil
---@field line integer|nil
---@field path string key path, as `with` and `--set` take it
---@field message string what is wrong, and the nearest valid thing
local Problem = {}
Problem.__index = Problem
function Problem:__tostring()
  local where = self.file and (self.line and ("%s:%d: "):format(self.file, self.line)
    or self.file .. ": ") or ""
  return where .. (self.path ~= "" and self.path .. ": " or "") .. self.message
end

--- Make a problem record by hand (for the loader, which has no node).
---@return tandem.Problem
function check.problem(file, line, path, message)
  return setmetatable({ file = file, line = line, path = path or "", message = message }, Problem)
end

---@class tandem.Problems: tandem.Problem[]
local Problems = {}
Problems.__index = Problems
Problems.__name = "tandem.Problems"
function Problems:__tostring()
  local out = {}
  for i, p in ipairs(self) do out[i] = tostring(p) end
  return table.concat(out, "\n")
end

--- A printable list of problems, as `error` values and as `check`'s second result.
---@return tandem.Problems
function check.problems() return setmetatable({}, Problems) end

--- By file and line, otherwise as found.
function Problems:sort()
  local place = {}
  for i, p in ipairs(self) do place[p] = i end
  table.sort(self, function(a, b)
    local fa, fb = a.file or "", b.file or ""
    if fa ~= fb then return fa < fb end
    if (a.line or 0) ~= (b.line or 0) then return (a.line or 0) < (b.line or 0) end
    return place[a] < place[b]
  end)
end

---@param v any
---@return boolean
function check.is_problems(v) return getmetatable(v) == Problems end

---@class tandem.CheckContext
---@field problems tandem.Problems
---@field stack table[] path from the scenario to where the walk is
---@field dim string|nil dimension that a distribution's parameters inherit
---@field gpu_params table<string, number>|nil parameters of the (first) GPU, for tracing
---@field shared table state that hooks and routers assign: functions reading it are not traced
---@field reads table[] attributes and GPU fields read by costs, checked at the end
---@field untraced table[] functions that stay functions, and why
---@field resources table[] pools, links and memories given inline as on = td.pool …
---@field directory string|nil where relative file names start
local Context = {}
Context.__index = Context

--- A fresh context.
---@return tandem.CheckContext
function check.context(options)
  return setmetatable({ problems = check.problems(), stack = {}, shared = {}, reads = {},
    untraced = {}, resources = {}, places = {}, directory = options and options.directory },
    Context)
end

local function label_of(key, value, list)
  if type(key) == "number" and not (type(list) == "table" and list.type == "map") then
    local name = type(value) == "table" and rawget(value, "name")
    if type(name) == "string" and name ~= "" then return "." .. name end
    return ("[%s]"):format(key)
  end
  return "." .. tostring(key)
end

function Context:push(key, value, items)
  self.stack[#self.stack + 1] = { key = key, node = value, items = items,
    label = label_of(key, value) }
end

function Context:pop() self.stack[#self.stack] = nil end

--- Where the walk is now (plus `key`), to be told later: finding lines costs reading the source,
--- so it is done only when there is something to say.
---@param key any
---@return { stack: table[], key: any }
function Context:here(key)
  return { stack = table.move(self.stack, 1, #self.stack, 1, {}), key = key }
end

-- File, line and path of a place.
local function resolve(where)
  local path, stack = {}, where.stack
  for i = 2, #stack do path[#path + 1] = stack[i].label end
  if where.key ~= nil then path[#path + 1] = label_of(where.key) end
  for _, name in ipairs(where.below or {}) do path[#path + 1] = "." .. name end
  local text = (table.concat(path):gsub("^%.", ""))
  local keys = { where.key }
  for i = #stack, 1, -1 do
    local frame = stack[i]
    if type(frame.node) == "table" and lines.of(frame.node) then
      local file, line = lines.locate(frame.node, keys, frame.items)
      return check.problem(file, line, text)
    end
    table.insert(keys, 1, frame.key)
  end
  return check.problem(nil, nil, text)
end

--- Report a problem at a key of the node being checked (nil: the node itself).
---@param key any
---@param message string
function Context:problem(key, message)
  self:report(self:here(key), message)
end

--- The file, line and path of a place that `here` remembered, with a message.
---@return tandem.Problem
function check.at(where, message)
  local p = resolve(where)
  p.message = message
  return p
end

--- Report a problem at a place that `here` remembered.
---@param where { stack: table[], key: any, below: string[]|nil } below: names under the place
---@param message string
function Context:report(where, message)
  self.problems[#self.problems + 1] = check.at(where, message)
end

--- Weights must be ≥ 0 and not all 0.
function Context:check_weights(key, weights)
  local sum = 0
  for _, w in ipairs(weights) do sum = sum + w end
  if not (sum > 0) then self:problem(key, "every weight is 0") end
end

local kinds = {}
check.kinds = kinds

local function describe(v)
  local group = node.group(v)
  if group then return ("a td.%s"):format(tostring(rawget(v, "type"))) end
  if expr.is_symbol(v) then return "an expression" end
  if type(v) == "string" then
    return ("the text '%s'"):format(#v > 40 and v:sub(1, 37) .. "…" or v)
  end
  if type(v) == "table" then return "a table" end
  if type(v) == "function" then return "a function" end
  return tostring(v)
end

local function in_range(v, spec)
  if v ~= v then return "is not a number (NaN)" end
  if math.abs(v) == math.huge and not (spec.infinite and v > 0) then return "is infinite" end
  if spec.positive and v <= 0 then return ("is %s; it must be more than 0"):format(v) end
  if not spec.signed and v < 0 then return ("is negative (%s)"):format(v) end
  if spec.min and v < spec.min then return ("is %g; the least is %g"):format(v, spec.min) end
  if spec.max and v > spec.max then return ("is %g; the most is %g"):format(v, spec.max) end
  if spec.integer and v ~= math.huge and v ~= math.floor(v) then
    return ("is %g; it must be a whole number"):format(v)
  end
end

local function finish_number(ctx, v, spec, key)
  local wrong = in_range(v, spec)
  if wrong then
    ctx:problem(key, wrong)
    return nil
  end
  if spec.integer and v ~= math.huge then return math.tointeger(v) or math.floor(v) end
  return v + 0.0
end

-- Replace the distributions inside an expression by their checked form and note what it reads.
local function settle(ctx, e, key)
  local settled = expr.map(e, function(n)
    if type(n) == "table" and n[1] == "draw" then
      return { "draw", kinds.dist(ctx, n[2], { dim = nil }, key) or 0 }
    end
  end)
  expr.walk(settled, function(n)
    if type(n) ~= "table" then return end
    if n[1] == "attr" or n[1] == "sum" or n[1] == "gpu" then
      ctx.reads[#ctx.reads + 1] = { what = n[1] == "gpu" and "gpu" or "attr", name = n[2],
        where = ctx:here(key) }
    end
  end)
  return settled
end

-- A cost written as text, "2e-6 * r.tokens": compiled as a Lua expression of r.
local function compile_text(text)
  local environment = {}
  for name, f in pairs(expr.functions) do environment[name] = f end
  local chunk = load("local r = ...\nreturn " .. text, "=expression", "t", environment)
  return chunk
end

local expression_error = "is not a valid expression: "

-- Expressions written as data ({"mul", …}): from JSON, or by hand.
local function check_expr(ctx, e, key, depth)
  if type(e) == "number" then return e end
  if type(e) ~= "table" or depth > 60 then
    ctx:problem(key, expression_error .. (depth > 60 and "too deep" or describe(e)))
    return nil
  end
  local op = e[1]
  if op == "batch" then return { "batch" } end
  if (op == "attr" or op == "sum" or op == "gpu") and type(e[2]) == "string" then
    return { op, e[2] }
  end
  if op == "draw" then
    return { "draw", type(e[2]) == "table" and node.adopt(e[2]) or e[2] }
  end
  if op == "interp" then
    local x = check_expr(ctx, e[2], key, depth + 1)
    local points = e[3]
    if x == nil then return nil end
    if type(points) ~= "table" or #points < 2 or #points % 2 ~= 0 then
      ctx:problem(key, expression_error .. "interp wants x and {x1, y1, x2, y2, …}")
      return nil
    end
    return { "interp", x, points }
  end
  local arity = type(op) == "string" and expr.arity[op]
  if not arity then
    ctx:problem(key, expression_error .. ("no operator '%s'; %s"):format(tostring(op),
      nearest.hint(tostring(op), nearest.sorted_keys(expr.arity))))
    return nil
  end
  if #e - 1 < arity[1] or #e - 1 > arity[2] then
    ctx:problem(key, expression_error .. ("'%s' takes %d operands, not %d"):format(op, arity[1],
      #e - 1))
    return nil
  end
  local out = { op }
  for i = 2, #e do
    out[i] = check_expr(ctx, e[i], key, depth + 1)
    if out[i] == nil then return nil end
  end
  return out
end

local function trace_function(ctx, fn, key, spec)
  local traced = require("tandem.tracing").trace(fn, { gpu = ctx.gpu_params, shared = ctx.shared })
  if traced.problem then
    ctx:problem(key, "the function fails: " .. traced.problem)
    return nil
  end
  if traced.expr ~= nil then
    local e = settle(ctx, traced.expr, key)
    if type(e) == "number" then return finish_number(ctx, e, spec, key) end
    return e
  end
  for _, name in ipairs(nearest.sorted_keys(traced.attrs)) do
    ctx.reads[#ctx.reads + 1] = { what = "attr", name = name, where = ctx:here(key) }
  end
  ctx.untraced[#ctx.untraced + 1] = { where = ctx:here(key), why = traced.why, fn = fn }
  return { fn = fn, why = traced.why }
end

--- Numbers with units; with `dist` also distributions, with `cost` also expressions and functions.
function kinds.quantity(ctx, v, spec, key)
  local dim = spec.dim
  if spec.inherit then dim = ctx.dim end
  local t = type(v)
  if t == "number" then return finish_number(ctx, v, spec, key) end
  if t == "string" then
    if spec.attribute and v:find("^[%a_][%w_]*$") then return settle(ctx, { "attr", v }, key) end
    local n, wrong = units.as(v, dim)
    if n then return finish_number(ctx, n, spec, key) end
    if spec.cost and not units.parse(v) then
      local fn = compile_text(v)
      if fn then return trace_function(ctx, fn, key, spec) end
    end
    ctx:problem(key, wrong)
    return nil
  end
  if (spec.dist or spec.cost) and t == "table" and not expr.is_symbol(v)
    and (node.group(v) == "dist"
      or (rawget(v, "type") ~= nil and rawget(v, "type") ~= "expr")) then
    local d = kinds.dist(ctx, v, { dim = dim }, key)
    if not d then return nil end
    if d.dist == "constant" then return finish_number(ctx, d.value, spec, key) end
    return spec.cost and { "draw", d } or d
  end
  if spec.cost then
    if expr.is_symbol(v) then return settle(ctx, v.expr, key) end
    if t == "function" then return trace_function(ctx, v, key, spec) end
    if t == "table" and rawget(v, "type") == "expr" then
      local e = check_expr(ctx, rawget(v, "expr"), key, 0)
      return e and settle(ctx, e, key)
    end
  end
  local wanted = dim and units.describe(dim) or "a quantity"
  if spec.cost then wanted = wanted .. ", a distribution or a function"
  elseif spec.dist then wanted = wanted .. " or a distribution" end
  ctx:problem(key, ("is %s; wanted %s"):format(describe(v), wanted))
  return nil
end

function kinds.string(ctx, v, _, key)
  if type(v) == "string" then return v end
  ctx:problem(key, ("is %s; wanted a text"):format(describe(v)))
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
    else
      out.name = name
    end
  end
  local known = nearest.sorted_keys(spec.keys)
  for _, k in ipairs(nearest.sorted_keys(source)) do
    local pattern = spec.pattern and type(k) == "string" and k:find(spec.pattern.match)
    if not (spec.keys[k] or pattern or (k == "type" and spec.group ~= "record")
      or (k == "name" and spec.named)) then
      if type(k) == "number" then
        ctx:problem(k, ("takes keys, not a list (%s)"):format(nearest.hint("", known)))
      else
        local candidates = { table.unpack(known) }
        if spec.pattern then candidates[#candidates + 1] = spec.pattern.example end
        ctx:problem(k, ("unknown key; %s"):format(nearest.hint(tostring(k), candidates)))
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
        out[k] = settle(ctx, key_spec.default(), k)
      else
        out[k] = key_spec.default
      end
    else
      local before = #ctx.problems
      out[k] = kinds[key_spec.kind](ctx, v, key_spec, k)
      if #ctx.problems > before then failed[k] = true end
    end
  end
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
    if record.positional and type(v) ~= "table" then
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
  resource = "a resource (td.gpu, td.pool, td.link, td.memory, …)" }

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
  local wanted
  for _, group in ipairs(nearest.sorted_keys(spec.groups)) do
    wanted = (wanted and wanted .. " or " or "") .. group_words[group]
  end
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
  local outer = ctx.dim
  if not spec.inherit then ctx.dim = spec.dim end
  local out
  if type(v) == "number" or type(v) == "string" then
    local n = kinds.quantity(ctx, v, { dim = ctx.dim, signed = true }, key)
    out = n and { dist = "constant", value = n }
  else
    local before = #ctx.problems
    out = kinds.node(ctx, v, { groups = { dist = true } }, key)
    if #ctx.problems > before then out = nil end
    if out and not out.dist then
      out.dist, out.type = out.type, nil
    end
  end
  ctx.dim = outer
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
    local name = tostring(rawget(v, "type"))
    return ("is a single td.%s; wanted a list { td.%s … }"):format(name, name)
  end
  if getmetatable(v) ~= nil then return "is an object; wanted a list { … }" end
  for _, k in ipairs(nearest.sorted_keys(v)) do
    if type(k) ~= "number" then
      return ("wanted a list; '%s' is a key, not a place in it"):format(tostring(k))
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

--- Any keys, values of one kind.
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
    else
      out[k] = kinds[spec.of.kind](ctx, v[k], spec.of, k)
    end
  end
  ctx:pop()
  return out
end

--- A list of steps; unnamed ones are named after their type, names are unique among siblings.
function kinds.steps(ctx, v, spec, key)
  local steps = kinds.list(ctx, v, { min = spec.min or 1,
    of = { kind = "node", groups = { stage = true } } }, key)
  if not steps then return nil end
  local taken = {}
  for i, s in ipairs(steps) do
    if s.name and taken[s.name] then
      ctx:push(key, v)
      ctx:problem(i, ("two steps are named '%s'"):format(s.name))
      ctx:pop()
    elseif s.name then
      taken[s.name] = true
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
  ctx.places[#ctx.places + 1] = { name = name, where = ctx:here(key), memory = spec.memory }
  return name
end

--- A link: td.link … or the name of one in resources.
function kinds.link(ctx, v, _, key)
  if type(v) == "string" then
    ctx.places[#ctx.places + 1] = { name = v, where = ctx:here(key), link = true }
    return v
  end
  local r = kinds.node(ctx, v, { groups = { resource = true }, types = { link = true } }, key)
  if not r then return nil end
  ctx.resources[#ctx.resources + 1] = { resource = r, where = ctx:here(key) }
  return r.name
end

function kinds.router(ctx, v, _, key)
  if type(v) == "function" then return v end
  return kinds.enum(ctx, v, { of = require("tandem.resources").routers }, key)
end

return check
