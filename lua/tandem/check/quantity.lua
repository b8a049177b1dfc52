--- Quantities: numbers with units and, where a key allows it, distributions, expressions and
-- functions. Owns ranges, expressions written as data or text, and what a traced cost becomes. Adds
-- the kind "quantity" to check/init.lua's kinds.

local attempt = require("tandem.text.shortage").attempt
local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local problem = require "tandem.check.problem"
local units = require "tandem.units"

local describe = problem.describe
local quantity = {}

-- check/init.lua's table of kinds: a distribution inside an expression is checked by its kind.
local kinds

local function in_range(v, spec, signed)
  if v ~= v then return "is not a number (NaN)" end
  if math.abs(v) == math.huge and not (spec.infinite and v > 0) then return "is infinite" end
  if spec.positive and v <= 0 then return ("is %s; it must be more than 0"):format(v) end
  if not signed and v < 0 then return ("is negative (%s)"):format(v) end
  if spec.min and v < spec.min then return ("is %.15g; the least is %.15g"):format(v, spec.min) end
  if spec.max and v > spec.max and v < math.huge then
    return ("is %.15g; the most is %.15g"):format(v, spec.max)
  end
  if spec.integer and v ~= math.huge and v ~= math.floor(v) then
    return ("is %g; it must be a whole number"):format(v)
  end
end

local function finish_number(ctx, v, spec, key)
  local signed = spec.signed
  if signed == "inherit" then signed = ctx.signed end
  local wrong = in_range(v, spec, signed)
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
      return { "draw", kinds.dist(ctx, n[2], { signed = true }, key) or 0 }
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

-- A cost written as text, "2e-6 * r.tokens": compiled as a Lua expression of r. Returns the
-- function, or nil and the name in it that means nothing.
local function compile_text(text)
  local unknown
  local environment = setmetatable({}, { __index = function(_, name)
    unknown = unknown or name
  end })
  for name, f in pairs(expr.functions) do environment[name] = f end
  local chunk = load("local r = ...\nreturn " .. text, "=expression", "t", environment)
  if chunk then
    attempt(chunk, setmetatable({}, { __index = function() return expr.symbol(1) end }))
  end
  if unknown then return nil, unknown end
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
    ctx:problem(key, expression_error .. ("no operator '%s'; %s"):format(("%s"):format(op),
      nearest.hint(("%s"):format(op), nearest.sorted_keys(expr.arity))))
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
  local tracing = require "tandem.expr.tracing"
  local traced = tracing.trace(fn, { gpu = ctx.gpu_params, shared = ctx.shared })
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
local function check_quantity(ctx, v, spec, key)
  local dim = spec.dim
  if spec.inherit then dim = ctx.dim end
  local t = type(v)
  -- A bare number is milliseconds to one reader and seconds to the next.
  local bare = spec.unit and (t == "number" or t == "string") and tonumber(v)
  if bare then
    ctx:problem(key, ("%s has no unit; write \"%gms\" or \"%gs\""):format(tostring(v), bare, bare))
    return nil
  end
  if t == "number" then return finish_number(ctx, v, spec, key) end
  if t == "string" then
    if spec.attribute and v:find("^[%a_][%w_]*$") then return settle(ctx, { "attr", v }, key) end
    local n, wrong = units.as(v, dim)
    if n then return finish_number(ctx, n, spec, key) end
    if spec.cost and not units.parse(v) then
      local fn, unknown = compile_text(v)
      if fn then return trace_function(ctx, fn, key, spec) end
      if unknown then
        local functions = nearest.sorted_keys(expr.functions)
        wrong = nearest.word(unknown, functions)
          and ("there is no '%s'; %s"):format(unknown, nearest.hint(unknown, functions))
          or ("%s, and as a formula it knows no '%s'; an attribute is written r.%s"):format(
            wrong, unknown, unknown)
      end
    end
    ctx:problem(key, wrong)
    return nil
  end
  if (spec.dist or spec.cost) and t == "table" and not expr.is_symbol(v)
    and (node.group(v) == "dist"
      or (rawget(v, "type") ~= nil and rawget(v, "type") ~= "expr")) then
    local d = kinds.dist(ctx, v, { dim = dim, signed = spec.signed }, key)
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

--- Add the kind.
---@param all table<string, function> check/init.lua's kinds
function quantity.install(all)
  kinds = all
  kinds.quantity = check_quantity
end

return quantity
