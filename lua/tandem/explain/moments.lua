--- Mean and variance of the model's distributions and cost expressions.
--
-- Owns the propagation of (mean, variance) through expressions, exact for sums and products of
-- independent parts and said to be approximate elsewhere. The moments of a distribution are the
-- core's; those of a function are taken over its quantiles. Serves explain's bounds; nothing here
-- draws random numbers.
local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"

local moments = {}

---@class tandem.Moments
---@field mean number
---@field var number
---@field approximate? boolean  the value is not exact
---@field exponential? boolean  not only two moments: the whole distribution is exponential

local function of(mean, var, approximate)
  return { mean = mean, var = math.max(var or 0, 0), approximate = approximate or nil }
end

--- Mean and variance over the midpoints of equal parts of (0, 1): for what has no closed form.
local function by_quantiles(quantile, count)
  local sum, squares = 0, 0
  for index = 1, count do
    local value = quantile((index - 0.5) / count)
    sum, squares = sum + value, squares + value * value
  end
  local mean = sum / count
  return of(mean, squares / count - mean * mean, true)
end

-- A mixture of which some part is a function: known about as well as that part is.
local function mixture(d)
  local total, mean, square, approximate = 0, 0, 0, false
  for index, weight in ipairs(d.weights) do
    local part = moments.of_distribution(d.parts[index])
    if not part then
      return nil
    end
    total, mean = total + weight, mean + weight * part.mean
    square = square + weight * (part.var + part.mean ^ 2)
    approximate = approximate or part.approximate
  end
  mean = mean / total
  return of(mean, square / total - mean * mean, approximate)
end

--- Mean and variance of a distribution of the model table; nil when they cannot be had.
---@param d table
---@return tandem.Moments|nil
function moments.of_distribution(d)
  local mean, variance, is_exponential = core.dist_moments(d)
  if mean then
    local found = of(mean, variance)
    found.exponential = is_exponential or nil
    return found
  elseif d.dist == "lua" then
    local ok, found = attempt(by_quantiles, d.fn, 1000)
    return ok and found or nil
  end
  return d.dist == "mixture" and mixture(d) or nil
end

---@class tandem.CostFacts
---@field attrs table<string, tandem.Moments>  moments of the request's attributes
---@field gpu? table<string, number>           parameters of the GPU
---@field batch number                         members, 1 when not batched

local eval

--- Does a cost follow from what the request carries? Of functions nobody knows.
---@param cost any
---@return boolean
function moments.reads_attributes(cost)
  if type(cost) ~= "table" then return type(cost) == "function" end
  if cost[1] == "attr" or cost[1] == "sum" then return true end
  for index = 2, #cost do
    if moments.reads_attributes(cost[index]) then return true end
  end
  return false
end

-- Operators on independent parts; `a` and `b` are moments.
local exact = {}

function exact.add(a, b)
  return of(a.mean + b.mean, a.var + b.var, a.approximate or b.approximate)
end

function exact.sub(a, b)
  return of(a.mean - b.mean, a.var + b.var, a.approximate or b.approximate)
end

-- What is exponential stays so when it is scaled.
local function scaled(a, by, approximate)
  local found = of(a.mean * by, a.var * by ^ 2, a.approximate or approximate)
  found.exponential = a.exponential and not approximate and by > 0 or nil
  return found
end

function exact.mul(a, b)
  if a.var == 0 or b.var == 0 then
    local spread, fixed = a, b
    if a.var == 0 then spread, fixed = b, a end
    return scaled(spread, fixed.mean, fixed.approximate)
  end
  return of(a.mean * b.mean,
    a.var * b.var + a.var * b.mean ^ 2 + b.var * a.mean ^ 2, a.approximate or b.approximate)
end

function exact.div(a, b)
  if b.var == 0 then
    return scaled(a, 1 / b.mean, b.approximate)
  end
  return of(a.mean / b.mean, a.var / b.mean ^ 2, true)
end

local function truth(condition)
  return condition and 1 or 0
end

-- Everything else is taken at the means.
local at_means = {
  pow = function(a, b) return a ^ b end,
  min = math.min, max = math.max,
  mod = function(a, b) return b ~= 0 and math.fmod(a, b) or 0 end,
  neg = function(a) return -a end, abs = math.abs,
  sqrt = function(a) return math.sqrt(math.max(a, 0)) end,
  exp = math.exp, log = function(a) return math.log(math.max(a, 1e-300)) end,
  floor = function(a) return math.floor(a) end, ceil = function(a) return math.ceil(a) end,
  lt = function(a, b) return truth(a < b) end, le = function(a, b) return truth(a <= b) end,
  eq = function(a, b) return truth(a == b) end,
}

local function interpolate(x, points)
  if x <= points[1] then
    return points[2]
  end
  for index = 3, #points, 2 do
    if x <= points[index] then
      local x1, y1, x2, y2 = points[index - 2], points[index - 1], points[index],
        points[index + 1]
      return x2 > x1 and y1 + (y2 - y1) * (x - x1) / (x2 - x1) or y2
    end
  end
  return points[#points]
end

local function eval_all(expression, known)
  local values, spread, approximate = {}, false, false
  for index = 2, #expression do
    local value = eval(expression[index], known)
    if not value then
      return nil
    end
    values[index - 1] = value
    spread = spread or value.var > 0
    approximate = approximate or value.approximate
  end
  return values, spread or approximate
end

-- Do two parts read the same attribute? Then they are not independent.
local function share_attribute(expression)
  local readers = {}
  local function read(part, reader)
    if type(part) ~= "table" then return false end
    if part[1] == "attr" or part[1] == "sum" then
      local before = readers[part[2]]
      readers[part[2]] = reader
      return before ~= nil and before ~= reader
    end
    for index = 2, #part do
      if read(part[index], reader) then return true end
    end
    return false
  end
  for index = 2, #expression do
    if read(expression[index], index) then return true end
  end
  return false
end

local function fold(operator, values)
  local result = values[1]
  for index = 2, #values do
    result = operator(result, values[index])
  end
  return result
end

function eval(expression, known)
  if type(expression) == "number" then
    return of(expression, 0)
  elseif type(expression) ~= "table" then
    return nil
  elseif expression.dist then
    return moments.of_distribution(expression)
  end
  local operator = expression[1]
  if operator == "attr" then
    return known.attrs[expression[2]]
  elseif operator == "sum" then
    local one = known.attrs[expression[2]]
    return one and of(one.mean * known.batch, one.var * known.batch, one.approximate)
  elseif operator == "batch" then
    return of(known.batch, 0)
  elseif operator == "gpu" then
    local value = known.gpu and known.gpu[expression[2]]
    return value and of(value, 0)
  elseif operator == "draw" then
    return moments.of_distribution(expression[2])
  elseif operator == "interp" then
    local x = eval(expression[2], known)
    return x and of(interpolate(x.mean, expression[3]), 0, x.var > 0 or x.approximate)
  end
  local values, uncertain = eval_all(expression, known)
  if not values then
    return nil
  elseif exact[operator] then
    local found = fold(exact[operator], values)
    if uncertain and share_attribute(expression) then
      found = of(found.mean, found.var, true)
    end
    return found
  elseif operator == "select" then
    local chosen = values[1].mean ~= 0 and values[2] or values[3]
    return of(chosen.mean, chosen.var, uncertain)
  end
  local means = {}
  for index, value in ipairs(values) do
    means[index] = value.mean
  end
  return at_means[operator] and of(at_means[operator](table.unpack(means)), 0, uncertain)
end

--- Mean and variance of a cost: a number, an expression, a distribution, or a Lua function (asked
--- once, at the means). Nil when it cannot be said.
---@param cost any
---@param known tandem.CostFacts
---@return tandem.Moments|nil
function moments.of_cost(cost, known)
  if type(cost) ~= "function" then
    return eval(cost, known)
  end
  local request = setmetatable({ batch = known.batch, gpu = known.gpu }, {
    __index = function(_, name)
      local value = known.attrs[name]
      return value and value.mean
    end,
  })
  local ok, value = attempt(cost, request)
  if ok and type(value) == "number" and value == value then
    return of(value, 0, true)
  end
end

return moments
