--- Arithmetic on costs while lowering: numbers fold, expressions grow, functions compose.
-- A cost is a number, an expression array, or { fn = function } (refused by tracing). Owns the
-- combination rules and nothing about stages. Called by lower/steps.lua.

local expr = require "tandem.expr"

local cost = {}

local foldable = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
  max = math.max, min = math.min,
}

local function is_function(c) return type(c) == "table" and c.fn ~= nil end

-- Evaluate an expression on the request a Lua cost function is given at run time.
local function evaluator(e)
  if type(e) == "number" then return function() return e end end
  if is_function(e) then return e.fn end
  return function(r)
    return expr.eval(e, { batch = r.batch, attr = function(k) return r[k] end,
      sum = function(k) return r.sum[k] end, gpu = function(k) return r.gpu[k] end,
      draw = function() error("a distribution cannot be combined with a function that branches", 0)
      end })
  end
end

--- Combine two costs with "add", "sub", "mul", "div", "max" or "min".
---@param op string
---@param a number|table
---@param b number|table
---@return number|table
function cost.combine(op, a, b)
  if type(a) == "number" and type(b) == "number" then return foldable[op](a, b) end
  if is_function(a) or is_function(b) then
    local fa, fb, compute = evaluator(a), evaluator(b), foldable[op]
    return { fn = function(r) return compute(fa(r), fb(r)) end, why = a.why or b.why }
  end
  if op == "mul" and a == 1 then return b end
  if (op == "mul" or op == "div") and b == 1 then return a end
  if op == "add" and b == 0 then return a end
  return { op, a, b }
end

--- Replace GPU fields that every GPU agrees on by their value, and fold what became constant.
---@param c number|table
---@param gpu_value fun(field: string): number|nil
---@return number|table
function cost.settle(c, gpu_value)
  if type(c) ~= "table" or is_function(c) then return c end
  local function fold(e)
    if type(e) ~= "table" then return e end
    if e[1] == "gpu" then return gpu_value(e[2]) or e end
    if not expr.arity[e[1]] then
      if e[1] == "interp" then return { "interp", fold(e[2]), e[3] } end
      return e
    end
    local out, constant = { e[1] }, foldable[e[1]] ~= nil and #e == 3
    for i = 2, #e do
      out[i] = fold(e[i])
      constant = constant and type(out[i]) == "number"
    end
    if constant then return foldable[e[1]](out[2], out[3]) end
    return out
  end
  return fold(c)
end

--- What goes into the model table: an expression, or the Lua function itself.
---@param c number|table
---@return number|table|function
function cost.emit(c)
  if is_function(c) then return c.fn end
  return c
end

cost.is_function = is_function

return cost
