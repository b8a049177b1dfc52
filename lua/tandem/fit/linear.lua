--- A time as a sum of terms: the regression behind every fitted parameter, and what it predicts.
-- Owns the object that carries coefficients, their covariance and the columns they belong to, its
-- draws and its predictions. The arithmetic is core.estimate's. Called by the files of this folder.

local core = require "tandem.core"
local format = require "tandem.text.format"
local estimate, stats = core.estimate, core.stats

local linear = {}

---@class tandem.FitLinear
---@field b number[]                coefficients, in seconds a unit of their column
---@field errors number[]           standard errors
---@field half number[]             of 95 % intervals
---@field covariance number[][]
---@field df number
---@field columns fun(view: tandem.FitView): number[][]
---@field offset fun(view: tandem.FitView): number[]|nil  seconds that were assumed, not fitted
---@field fit table                 the regression as core.estimate gives it
---@field ratios number[]           time ÷ its mean, by visit: the jitter
---@field count integer             visits
---@field power number              how the variance was taken to grow with the mean
local Linear = {}
Linear.__index = Linear

-- With noise as a factor the weights are 1/µ²; where the form is not quite right these let the sum
-- drift, and 1/µ, which keeps it, is used instead.
local TOTAL_OFF <const> = 0.005

local function regress(y, columns, series)
  local fit, message, condition = estimate.regress(y, columns, { power = 2, series = series })
  if not fit then return nil, message, condition end
  if math.abs(fit.total - 1) <= TOTAL_OFF then return fit, 2 end
  local kept = estimate.regress(y, columns, { power = 1, series = series })
  if kept then return kept, 1 end
  return fit, 2
end

--- Fit times to columns.
---@param view tandem.FitView
---@param y number[]
---@param columns fun(view: tandem.FitView): number[][]
---@param options { offset: (fun(view: tandem.FitView): number[])|nil, series: boolean|nil }|nil
---@return tandem.FitLinear|nil
---@return string|nil message
---@return number|nil condition
function linear.fit(view, y, columns, options)
  options = options or {}
  local offset = options.offset and options.offset(view)
  local above = y
  if offset then
    above = {}
    for i, v in ipairs(y) do above[i] = v - offset[i] end
  end
  local fit, power, condition = regress(above, columns(view), options.series ~= false)
  if not fit then return nil, power --[[@as string]], condition end
  local self = setmetatable({ b = fit.b, errors = fit.errors, half = fit.half,
    covariance = fit.covariance, df = fit.df, columns = columns, offset = options.offset,
    fit = fit, power = power, count = #y, ratios = {} }, Linear)
  for i, v in ipairs(y) do
    self.ratios[i] = v / (fit.mean[i] + (offset and offset[i] or 0))
  end
  return self
end

--- Mean times of the visits of a view, by these coefficients or others.
---@param view tandem.FitView
---@param b number[]|nil
---@return number[]
function Linear:predict(view, b)
  b = b or self.b
  local columns, out = self.columns(view), {}
  local offset = self.offset and self.offset(view)
  for i = 1, view.count do
    local mean = offset and offset[i] or 0
    for j, column in ipairs(columns) do mean = mean + b[j] * column[i] end
    out[i] = mean
  end
  return out
end

--- Standard error of the mean prediction over a view: what the coefficients leave open.
---@param view tandem.FitView
---@return number seconds
function Linear:error_of_mean(view)
  local means, variance = {}, 0
  for j, column in ipairs(self.columns(view)) do
    local sum = 0
    for _, v in ipairs(column) do sum = sum + v end
    means[j] = sum / math.max(view.count, 1)
  end
  for i, a in ipairs(means) do
    for j, c in ipairs(means) do variance = variance + a * c * self.covariance[i][j] end
  end
  return math.sqrt(math.max(variance, 0))
end

-- Lower triangle L with L Lᵀ = the matrix; a direction without variance stays 0.
local function cholesky(matrix)
  local l = {}
  for i = 1, #matrix do
    l[i] = {}
    for j = 1, i do
      local left = matrix[i][j]
      for k = 1, j - 1 do left = left - l[i][k] * l[j][k] end
      if i == j then
        l[i][i] = math.sqrt(math.max(left, 0))
      else
        l[i][j] = l[j][j] > 0 and left / l[j][j] or 0
      end
    end
  end
  return l
end

local function normal(uniform)
  return stats.normal_quantile(math.min(math.max(uniform(), 1e-12), 1 - 1e-12))
end
linear.normal = normal

-- √(df ÷ χ²), by which normal draws become Student's.
local function student_factor(df, uniform)
  if df > 200 then return 1 end
  local squares = 0
  for _ = 1, math.max(1, math.floor(df + 0.5)) do squares = squares + normal(uniform) ^ 2 end
  return math.sqrt(df / squares)
end

local TRIES <const> = 50

--- Coefficients drawn from what the data leave open (multivariate Student), all positive.
---@param uniform fun(): number  in [0, 1)
---@return number[]
function Linear:draw(uniform)
  local l = cholesky(self.covariance)
  for _ = 1, TRIES do
    local factor, z, out, positive = student_factor(self.df, uniform), {}, {}, true
    for i = 1, #self.b do z[i] = normal(uniform) end
    for i, value in ipairs(self.b) do
      for j = 1, i do value = value + factor * l[i][j] * z[j] end
      out[i] = value
      positive = positive and value > 0
    end
    if positive then return out end
  end
  return table.move(self.b, 1, #self.b, 1, {})
end

--- "412 visits, regression on own time" and what a reader should know of it.
---@return string
function Linear:source()
  local fit, words = self.fit, {}
  words[1] = format.plural(self.count, "visit")
  if fit.batches > 0 then
    words[1] = ("%s in %d batches (correlation %.2f)"):format(words[1], fit.batches,
      fit.correlation)
  end
  if fit.outliers > 0 then
    words[#words + 1] = ("%s with %s of the time kept"):format(format.plural(fit.outliers,
      "outlier"), format.percent(fit.outlier_share))
  end
  return table.concat(words, ", ")
end

return linear
