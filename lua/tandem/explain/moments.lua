--- Mean and variance of the model's distributions and cost expressions.
--
-- Owns closed forms for every distribution of the model table and the propagation of (mean,
-- variance) through expressions, exact for sums and products of independent parts and said to be
-- approximate elsewhere. Serves explain's bounds; nothing here draws random numbers.
local moments = {}

---@class tandem.Moments
---@field mean number
---@field var number
---@field approximate? boolean  the value is not exact
---@field exponential? boolean  not only two moments: the whole distribution is exponential

local function of(mean, var, approximate)
  return { mean = mean, var = math.max(var or 0, 0), approximate = approximate or nil }
end

local function exponential(mean)
  local found = of(mean, mean ^ 2)
  found.exponential = true
  return found
end

--- ln Γ(x) for x > 0, Lanczos with g = 7: relative error below 1e-14.
local LANCZOS = { 0.99999999999980993, 676.5203681218851, -1259.1392167224028,
  771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012,
  9.9843695780195716e-6, 1.5056327351493116e-7 }

local function log_gamma(x)
  if x < 0.5 then
    return math.log(math.pi / math.sin(math.pi * x)) - log_gamma(1 - x)
  end
  x = x - 1
  local sum = LANCZOS[1]
  for index = 2, 9 do
    sum = sum + LANCZOS[index] / (x + index - 1)
  end
  local t = x + 7.5
  return 0.5 * math.log(2 * math.pi) + (x + 0.5) * math.log(t) - t + math.log(sum)
end

local function gamma(x)
  return math.exp(log_gamma(x))
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

local function weighted(values, weights)
  local total, sum, squares = 0, 0, 0
  for index, value in ipairs(values) do
    local weight = weights and weights[index] or 1
    total, sum, squares = total + weight, sum + weight * value, squares + weight * value * value
  end
  local mean = sum / total
  return of(mean, squares / total - mean * mean)
end

--- The standard normal density and the probability below x (Abramowitz and Stegun 7.1.26 by
--- numeric integration is not needed: 1e-7 is plenty for a bound in words).
local function density(x)
  return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
end

local function below(x)
  local t = 1 / (1 + 0.2316419 * math.abs(x))
  local tail = density(x) * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937
    + t * (-1.821255978 + t * 1.330274429))))
  return x >= 0 and 1 - tail or tail
end

--- The standard normal quantile, by bisection: called a few times per scenario.
local function normal_quantile(p)
  local low, high = -9, 9
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if below(middle) < p then
      low = middle
    else
      high = middle
    end
  end
  return (low + high) / 2
end

local kinds = {}

function kinds.constant(d)
  return of(d.value, 0)
end

function kinds.uniform(d)
  return of((d.min + d.max) / 2, (d.max - d.min) ^ 2 / 12)
end

function kinds.exponential(d)
  return exponential(d.mean)
end

function kinds.normal(d)
  local sd = d.sd
  if not (sd > 0) then
    return of(d.mean, 0)
  end
  local least, most = d.min or 0, d.max
  local a = (least - d.mean) / sd
  local b = most and (most - d.mean) / sd or math.huge
  local inside = (b < math.huge and below(b) or 1) - below(a)
  if inside < 1e-6 then
    return of(math.max(d.mean, least), 0, true)
  end
  local at_a, at_b = density(a), b < math.huge and density(b) or 0
  local shift = (at_a - at_b) / inside
  local spread = 1 + (a * at_a - (b < math.huge and b * at_b or 0)) / inside - shift ^ 2
  return of(d.mean + sd * shift, sd * sd * spread)
end

--- Every key pNN of a table, as { probability, value } in order; "p999" is 99.9 %.
local function percentiles(d)
  local found = {}
  for key, value in pairs(d) do
    local rank = type(key) == "string" and key:match("^p(%d+%.?%d*)$")
    if rank then
      local percent = tonumber(rank) --[[@as number]]
      if percent >= 100 then
        percent = tonumber(rank:sub(1, 2) .. "." .. rank:sub(3)) --[[@as number]]
      end
      found[#found + 1] = { percent / 100, value }
    end
  end
  table.sort(found, function(one, other)
    return one[1] < other[1]
  end)
  return found
end

function kinds.lognormal(d)
  if d.mean then
    return of(d.mean, (d.mean * d.cv) ^ 2)
  end
  local two = percentiles(d)
  local z1, z2 = normal_quantile(two[1][1]), normal_quantile(two[2][1])
  local sigma = (math.log(two[2][2]) - math.log(two[1][2])) / (z2 - z1)
  local mu = math.log(two[1][2]) - sigma * z1
  local mean = math.exp(mu + sigma * sigma / 2)
  return of(mean, mean * mean * (math.exp(sigma * sigma) - 1))
end

function kinds.gamma(d)
  return d.cv == 1 and exponential(d.mean) or of(d.mean, (d.mean * d.cv) ^ 2)
end

function kinds.erlang(d)
  return d.k == 1 and exponential(d.mean) or of(d.mean, d.mean ^ 2 / d.k)
end

function kinds.hyperexponential(d)
  local total, mean, square = 0, 0, 0
  for index, weight in ipairs(d.weights) do
    local m = d.means[index]
    total, mean, square = total + weight, mean + weight * m, square + weight * 2 * m * m
  end
  mean = mean / total
  return of(mean, square / total - mean * mean)
end

function kinds.weibull(d)
  if d.mean then
    return of(d.mean, (d.mean * d.cv) ^ 2)
  end
  local mean = d.scale * gamma(1 + 1 / d.shape)
  return of(mean, d.scale ^ 2 * gamma(1 + 2 / d.shape) - mean * mean)
end

function kinds.pareto(d)
  local low, high, alpha = d.min, d.max, d.alpha
  local scale = alpha * low ^ alpha / (1 - (low / high) ^ alpha)
  local function moment(k)
    if math.abs(alpha - k) < 1e-12 then
      return scale * math.log(high / low)
    end
    return scale * (high ^ (k - alpha) - low ^ (k - alpha)) / (k - alpha)
  end
  local mean = moment(1)
  return of(mean, moment(2) - mean * mean)
end

function kinds.zipf(d)
  -- Beyond a million terms the sums hardly move, but the loop would be felt.
  local count = math.min(d.n, 1000000)
  local total, sum, squares = 0, 0, 0
  for k = 1, count do
    local weight = k ^ -d.s
    total, sum, squares = total + weight, sum + weight * k, squares + weight * k * k
  end
  return of(sum / total, squares / total - (sum / total) ^ 2, count < d.n)
end

function kinds.empirical(d)
  return weighted(d.values, d.weights)
end

function kinds.histogram(d)
  local total, mean, square = 0, 0, 0
  for index, count in ipairs(d.counts) do
    local a, b = d.edges[index], d.edges[index + 1]
    total = total + count
    mean = mean + count * (a + b) / 2
    square = square + count * (a * a + a * b + b * b) / 3
  end
  mean = mean / total
  return of(mean, square / total - mean * mean)
end

function kinds.mixture(d)
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

function kinds.lua(d)
  local ok, found = pcall(by_quantiles, d.fn, 1000)
  return ok and found or nil
end

--- Mean and variance of a distribution of the model table; nil when they cannot be had.
---@param d table
---@return tandem.Moments|nil
function moments.of_distribution(d)
  local kind = kinds[d.dist]
  return kind and kind(d)
end

---@class tandem.ExpressionPlace
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

local function eval_all(expression, place)
  local values, spread, approximate = {}, false, false
  for index = 2, #expression do
    local value = eval(expression[index], place)
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

function eval(expression, place)
  if type(expression) == "number" then
    return of(expression, 0)
  elseif type(expression) ~= "table" then
    return nil
  elseif expression.dist then
    return moments.of_distribution(expression)
  end
  local operator = expression[1]
  if operator == "attr" then
    return place.attrs[expression[2]]
  elseif operator == "sum" then
    local one = place.attrs[expression[2]]
    return one and of(one.mean * place.batch, one.var * place.batch, one.approximate)
  elseif operator == "batch" then
    return of(place.batch, 0)
  elseif operator == "gpu" then
    local value = place.gpu and place.gpu[expression[2]]
    return value and of(value, 0)
  elseif operator == "draw" then
    return moments.of_distribution(expression[2])
  elseif operator == "interp" then
    local x = eval(expression[2], place)
    return x and of(interpolate(x.mean, expression[3]), 0, x.var > 0 or x.approximate)
  end
  local values, uncertain = eval_all(expression, place)
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
---@param place tandem.ExpressionPlace
---@return tandem.Moments|nil
function moments.of_cost(cost, place)
  if type(cost) ~= "function" then
    return eval(cost, place)
  end
  local request = setmetatable({ batch = place.batch, gpu = place.gpu }, {
    __index = function(_, name)
      local value = place.attrs[name]
      return value and value.mean
    end,
  })
  local ok, value = pcall(cost, request)
  if ok and type(value) == "number" and value == value then
    return of(value, 0, true)
  end
end

return moments
