--- Symbolic arithmetic: what a cost function sees when it is traced, and the td.max family.
-- Owns the symbol type, the operators that build expression arrays ({"add", a, b}, …: see
-- src/model/expr/expr.h) and a reference evaluator used to verify traced programs. Does not decide
-- whether a function may be traced: that is tracing.lua. Costs written as text or as data are
-- check/quantity.lua's.

local units = require "tandem.units"

local expr = {}

---@class tandem.Symbol an arithmetic expression that is known but not yet a number
---@field expr any[]|number the expression array
local Symbol = { __name = "tandem.Symbol" }
expr.Symbol = Symbol -- by this name it is found again in other states

--- Raised (as this very table) when a traced function does something a symbol cannot follow.
---@class tandem.Untraceable
local Untraceable = {}
Untraceable.__index = Untraceable
Untraceable.__tostring = function(self) return self.why end
expr.Untraceable = Untraceable

local function refuse(why) error(setmetatable({ why = why }, Untraceable), 0) end

--- Wrap an expression array (or number) as a symbol.
---@param e any[]|number
---@return tandem.Symbol
function expr.symbol(e) return setmetatable({ expr = e }, Symbol) end

---@param v any
---@return boolean
function expr.is_symbol(v) return getmetatable(v) == Symbol end

local function is_dist(v)
  local mt = getmetatable(v)
  return type(mt) == "table" and mt.group == "dist"
end

--- The expression array of a number, unit string, distribution or symbol; nil for anything else.
--- A distribution becomes one random draw per use.
---@param v any
---@return any[]|number|nil expression
---@return string|nil problem
function expr.of(v)
  if type(v) == "number" then return v end
  if type(v) == "table" then
    if getmetatable(v) == Symbol then return v.expr end
    if is_dist(v) then return { "draw", v } end
    return nil, "a table is not a number"
  end
  if type(v) == "string" then return units.parse(v) end
  return nil, ("%s is not a number"):format(type(v))
end

local function operand(v)
  local e, problem = expr.of(v)
  if e == nil then refuse(problem or "not a number") end
  return e
end

local function binary(op)
  return function(a, b) return expr.symbol { op, operand(a), operand(b) } end
end

Symbol.__add, Symbol.__sub, Symbol.__mul = binary "add", binary "sub", binary "mul"
Symbol.__div, Symbol.__pow, Symbol.__mod = binary "div", binary "pow", binary "mod"
Symbol.__unm = function(a) return expr.symbol { "neg", operand(a) } end
Symbol.__idiv = function(a, b)
  return expr.symbol { "floor", { "div", operand(a), operand(b) } }
end
local function branches() refuse "it compares request data (use td.select, td.max or td.min)" end
Symbol.__lt, Symbol.__le, Symbol.__eq = branches, branches, branches
Symbol.__concat = function() refuse "it builds a string from request data" end
Symbol.__len = function() refuse "it takes the length of request data" end
Symbol.__call = function() refuse "it calls request data as a function" end
Symbol.__index = function(_, key)
  refuse(("it reads field '%s' of a request attribute"):format(tostring(key)))
end
Symbol.__newindex = function() refuse "it assigns to request data" end
Symbol.__tostring = function(s) return expr.tostring(rawget(s, "expr")) end
for _, op in ipairs { "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot" } do
  Symbol[op] = function() refuse "it uses bit operators on request data" end
end

--- What every request has besides its attributes, which may not take these names.
expr.request_fields = { id = true, class = true, now = true, time = true, arrival = true,
  waited = true, stage = true, outcome = true, batch = true, sum = true, gpu = true }

--- The operators distributions share, so that `td.exponential "2ms" * 3` is an expression.
expr.operators = {}
for _, name in ipairs { "__add", "__sub", "__mul", "__div", "__pow", "__mod", "__unm", "__idiv" } do
  expr.operators[name] = Symbol[name]
end

local function symbolic(...)
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if type(v) == "table" and (getmetatable(v) == Symbol or is_dist(v)) then return true end
  end
  return false
end

local function plain(v)
  if type(v) == "string" then return units.si(v) end
  return v
end

local function apply(op, compute)
  return function(...)
    if not symbolic(...) then
      local args = table.pack(...)
      for i = 1, args.n do args[i] = plain(args[i]) end
      return compute(table.unpack(args, 1, args.n))
    end
    local e = { op }
    for i = 1, select("#", ...) do e[i + 1] = operand((select(i, ...))) end
    return expr.symbol(e)
  end
end

local function flat_points(points)
  if type(points[1]) ~= "table" then return points end
  local flat = {}
  for _, p in ipairs(points) do
    flat[#flat + 1] = plain(p[1])
    flat[#flat + 1] = plain(p[2])
  end
  return flat
end

local function interpolate(x, points)
  local n = #points // 2
  if x <= points[1] then return points[2] end
  for i = 2, n do
    local x1 = points[2 * i - 1]
    if x <= x1 then
      local x0, y0, y1 = points[2 * i - 3], points[2 * i - 2], points[2 * i]
      if x1 == x0 then return y1 end
      return y0 + (y1 - y0) * ((x - x0) / (x1 - x0))
    end
  end
  return points[2 * n]
end

-- The functions a cost may use on numbers and on symbols alike; copied into `td`.
local functions = {}
expr.functions = functions

--- The largest of the arguments.
---@param ... number|string|tandem.Symbol  in one unit; texts with units are SI values
---@return number|tandem.Symbol  in the unit of the arguments
functions.max = apply("max", math.max)

--- The smallest of the arguments.
---@param ... number|string|tandem.Symbol  in one unit; texts with units are SI values
---@return number|tandem.Symbol  in the unit of the arguments
functions.min = apply("min", math.min)

--- e to the power of x.
---@param x number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number
functions.exp = apply("exp", math.exp)

--- The natural logarithm.
---@param x number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number
functions.log = apply("log", function(x) return math.log(x) end)

--- The square root.
---@param x number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number
functions.sqrt = apply("sqrt", math.sqrt)

--- The value without its sign.
---@param x number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  in the unit of x
functions.abs = apply("abs", math.abs)

--- The largest whole number that is not above x.
---@param x number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number, a float
functions.floor = apply("floor", function(x) return math.floor(x) + 0.0 end)

--- The smallest whole number that is not below x.
---@param x number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number, a float
functions.ceil = apply("ceil", function(x) return math.ceil(x) + 0.0 end)

--- a to the power of b.
---@param a number|tandem.Symbol  a plain number
---@param b number|tandem.Symbol  a plain number
---@return number|tandem.Symbol  a plain number
functions.pow = apply("pow", function(a, b) return a ^ b end)

--- The remainder of a divided by b.
---@param a number|string|tandem.Symbol  in the unit of b
---@param b number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  in the unit of b
functions.mod = apply("mod", function(a, b) return a % b end)

--- 1 when a < b, else 0: for td.select.
---@param a number|string|tandem.Symbol  in the unit of b
---@param b number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  a plain number, 1 or 0
functions.lt = apply("lt", function(a, b) return a < b and 1 or 0 end)

--- 1 when a <= b, else 0: for td.select.
---@param a number|string|tandem.Symbol  in the unit of b
---@param b number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  a plain number, 1 or 0
functions.le = apply("le", function(a, b) return a <= b and 1 or 0 end)

--- 1 when a == b, else 0: for td.select.
---@param a number|string|tandem.Symbol  in the unit of b
---@param b number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  a plain number, 1 or 0
functions.eq = apply("eq", function(a, b) return a == b and 1 or 0 end)

--- `a` when `condition` is true (or a number other than 0), else `b`. Both are evaluated.
---@param condition boolean|number|tandem.Symbol  a plain number, as td.lt gives it
---@param a number|string|tandem.Symbol  in the unit of b
---@param b number|string|tandem.Symbol  in any unit
---@return number|tandem.Symbol  in their unit
function functions.select(condition, a, b)
  if condition == true then return a elseif condition == false then return b end
  if not symbolic(condition, a, b) then
    if condition ~= 0 then return plain(a) else return plain(b) end
  end
  return expr.symbol { "select", operand(condition), operand(a), operand(b) }
end

--- Piecewise linear interpolation, clamped at both ends.
---@param x number|tandem.Symbol  in the unit of the points' x
---@param points number[][]|number[]  {{x, y}, …} or {x1, y1, …}, x increasing, each in one unit
---@return number|tandem.Symbol  in the unit of the points' y
function functions.interp(x, points)
  local flat = flat_points(points)
  if not symbolic(x) then return interpolate(plain(x), flat) end
  return expr.symbol { "interp", operand(x), flat }
end

--- A request attribute as data: `td.attr "tokens"`.
---@param name string
---@return tandem.Symbol
function functions.attr(name) return expr.symbol { "attr", name } end

-- What each operator takes: used by the checker of expressions written as data.
expr.arity = {
  add = { 2, 99 }, sub = { 2, 2 }, mul = { 2, 99 }, div = { 2, 2 }, pow = { 2, 2 },
  min = { 2, 99 }, max = { 2, 99 }, mod = { 2, 2 }, neg = { 1, 1 }, abs = { 1, 1 },
  sqrt = { 1, 1 }, exp = { 1, 1 }, log = { 1, 1 }, floor = { 1, 1 }, ceil = { 1, 1 },
  lt = { 2, 2 }, le = { 2, 2 }, eq = { 2, 2 }, select = { 3, 3 },
}

--- Visit every node of an expression, outermost first.
---@param e any[]|number
---@param visit fun(node: any[]|number)
function expr.walk(e, visit)
  visit(e)
  if type(e) ~= "table" then return end
  local op = e[1]
  if op == "interp" then return expr.walk(e[2], visit) end
  if op == "attr" or op == "sum" or op == "gpu" or op == "batch" or op == "draw" then return end
  for i = 2, #e do expr.walk(e[i], visit) end
end

--- Copy an expression, replacing each node by what `map` returns for it (nil keeps it).
---@param e any[]|number
---@param map fun(node: any[]|number): any[]|number|nil
---@return any[]|number
function expr.map(e, map)
  local new = map(e)
  if new ~= nil then return new end
  if type(e) ~= "table" or not expr.arity[e[1]] and e[1] ~= "interp" then return e end
  local copy = { e[1] }
  for i = 2, #e do
    copy[i] = (e[1] == "interp" and i == 3) and e[3] or expr.map(e[i], map)
  end
  return copy
end

local compute = {}
for name, f in pairs(expr.functions) do compute[name] = f end
function compute.add(a, b, ...) return ... and compute.add(a + b, ...) or a + b end
function compute.mul(a, b, ...) return ... and compute.mul(a * b, ...) or a * b end
function compute.sub(a, b) return a - b end
function compute.div(a, b) return a / b end
function compute.neg(a) return -a end

--- Functions that may be called from a traced function whatever their code looks like: the
--- language's own branch on the types of their arguments, never on request data.
expr.trusted = setmetatable({}, { __mode = "k" })

--- Trust every function of a table.
---@param t table
function expr.trust(t)
  for _, v in next, t do
    if type(v) == "function" then expr.trusted[v] = true end
  end
end
expr.trust(expr.functions) -- formulas of JSON call them, where td was never loaded

---@class tandem.ExprEnvironment
---@field attr fun(name: string): number
---@field sum fun(name: string): number
---@field gpu fun(name: string): number
---@field batch number
---@field draw fun(dist: any): number

--- Evaluate an expression in Lua: the reference the register VM in C is compared with.
---@param e any[]|number
---@param env tandem.ExprEnvironment
---@return number
function expr.eval(e, env)
  if type(e) == "number" then return e end
  local op = e[1]
  if op == "attr" then return env.attr(e[2]) end
  if op == "sum" then return env.sum(e[2]) end
  if op == "gpu" then return env.gpu(e[2]) end
  if op == "batch" then return env.batch end
  if op == "draw" then return env.draw(e[2]) end
  if op == "interp" then return interpolate(expr.eval(e[2], env), e[3]) end
  local args = {}
  for i = 2, #e do args[i - 1] = expr.eval(e[i], env) end
  return compute[op](table.unpack(args))
end

local infix = { add = " + ", sub = " - ", mul = " * ", div = " / ", pow = "^", mod = " % ",
  lt = " < ", le = " <= ", eq = " == " }

--- Print an expression as arithmetic.
---@param e any[]|number
---@return string
function expr.tostring(e)
  if type(e) == "number" then
    if math.type(e) == "integer" then return tostring(e) end
    return e == math.floor(e) and math.abs(e) < 1e6 and ("%d"):format(e) or ("%.6g"):format(e)
  end
  local op = e[1]
  if op == "attr" then return "r." .. e[2] end
  if op == "sum" then return "r.sum." .. e[2] end
  if op == "gpu" then return "r.gpu." .. e[2] end
  if op == "batch" then return "r.batch" end
  if op == "draw" then return tostring(e[2]) end
  if op == "interp" then return "interp(" .. expr.tostring(e[2]) .. ", …)" end
  local parts = {}
  for i = 2, #e do
    local inner = expr.tostring(e[i])
    if infix[op] and type(e[i]) == "table" and infix[e[i][1]] and (e[i][1] ~= op or i > 2) then
      inner = "(" .. inner .. ")"
    end
    parts[#parts + 1] = inner
  end
  if infix[op] then return table.concat(parts, infix[op]) end
  if op == "neg" then return "-(" .. parts[1] .. ")" end
  return op .. "(" .. table.concat(parts, ", ") .. ")"
end

local comparisons = { lt = true, le = true, eq = true }
local sums, products = { add = true, sub = true }, { mul = true, div = true }

--- An expression as the text of a formula that gives the same one again; nil where it draws.
---@param e any[]|number
---@return string|nil
function expr.source(e)
  if type(e) == "number" then
    if e ~= e or math.abs(e) == math.huge then return nil end
    local text = require("tandem.units.spelling").number(e)
    return e < 0 and "(" .. text .. ")" or text
  end
  local op = e[1]
  if op == "draw" then return nil end
  if op == "attr" or op == "sum" or op == "gpu" or op == "batch" then
    return not e[2] and expr.tostring(e) or e[2]:find "^[%a_][%w_]*$" and expr.tostring(e) or nil
  end
  local parts = {}
  for i = 2, op == "interp" and 2 or #e do
    parts[i - 1] = expr.source(e[i])
    if not parts[i - 1] then return nil end
  end
  if op == "interp" then
    local points = {}
    for i, number in ipairs(e[3]) do points[i] = expr.source(number) end
    return ("interp(%s, {%s})"):format(parts[1], table.concat(points, ", "))
  elseif op == "neg" then
    return "-(" .. parts[1] .. ")"
  elseif not infix[op] or comparisons[op] then
    return ("%s(%s)"):format(op, table.concat(parts, ", "))
  end
  for i, part in ipairs(parts) do
    local inner = e[i + 1]
    local bare = type(inner) ~= "table" or not infix[inner[1]] or comparisons[inner[1]]
      or sums[op] and (i == 1 or products[inner[1]])
      or products[op] and i == 1 and products[inner[1]]
    parts[i] = bare and (type(inner) ~= "table" or inner[1] ~= "neg") and part
      or "(" .. part .. ")"
  end
  return table.concat(parts, infix[op])
end

return expr
