-- How far factors of models and configurations spread: the four standard deviations with which
-- configurations that are left out are predicted best.
--
-- Each fifth of the configurations in turn takes no part in an estimate of θ; what that leaves of
-- them is, for a configuration c, d(c) = factors + noise. Over the configurations of one model d is
-- Gaussian with covariance C: model² + engine² (same engine) + served² (same precision and GPU,
-- too), and on the diagonal configuration² + the variance of its mean. With one left out, the
-- others say of it d(c) − (C⁻¹d)(c) / C⁻¹(c, c), with variance 1 / C⁻¹(c, c); the likelihood of all
-- these, Student's t with four degrees of freedom, is to be largest. Owns this choice. Called by
-- estimate.lua.

local linear = require "tests.accuracy.calibrate.linear"
local pool = require "tests.accuracy.calibrate.pool"

local factors = {}

local FREEDOM <const> = 4
local STEP <const>, LEAST <const>, MOST <const> = 1.25, 0.03, 0.25
local NAMES <const> = { "configuration", "served", "engine", "model" }

-- Mean of what is left of each configuration, by the estimate without it; by model.
local function left_of(rows, fold_of, folds, spreads)
  local by, models = {}, {}
  for fold = 0, folds - 1 do
    local others, own = {}, {}
    for _, row in ipairs(rows) do
      table.insert(fold_of(row) == fold and own or others, row)
    end
    local weights = {}
    for i, row in ipairs(others) do weights[i] = row.weight end
    local left = pool.solve(others, 1, spreads):left(own)
    for i, row in ipairs(others) do row.weight = weights[i] end
    for _, row in ipairs(own) do
      local c = by[row.configuration]
      if not c then
        c = { weight = 0, sum = 0, row = row }
        by[row.configuration] = c
        models[row.model] = models[row.model] or {}
        table.insert(models[row.model], c)
      end
      c.weight, c.sum = c.weight + row.weight, c.sum + row.weight * left[row]
    end
  end
  return models
end

local function covariance(a, b, s)
  local sum = s.model ^ 2
  local one, other = pool.factors(a.row), pool.factors(b.row)
  if one[2][2] == other[2][2] then sum = sum + s.engine ^ 2 end
  if one[3][2] == other[3][2] then sum = sum + s.served ^ 2 end
  return sum
end

-- Logarithm of the likelihood of each configuration from the others of its model.
local function likelihood(list, s)
  local n, C, d = #list, linear.zeros(#list), {}
  for i, a in ipairs(list) do
    d[i] = a.sum / a.weight
    for j = 1, i do C[i][j] = covariance(a, list[j], s) end
    C[i][i] = C[i][i] + s.configuration ^ 2 + 1 / a.weight
  end
  local L, sum = linear.cholesky(C), 0
  local solved = linear.backward(L, linear.forward(L, d))
  for i = 1, n do
    local unit = {}
    for j = 1, n do unit[j] = j == i and 1 or 0 end
    local diagonal = linear.backward(L, linear.forward(L, unit))[i]
    local squared = solved[i] ^ 2 / diagonal
    sum = sum + 0.5 * math.log(diagonal)
      - 0.5 * (FREEDOM + 1) * math.log(1 + squared / FREEDOM)
  end
  return sum
end

local function total(models, s)
  local names, sum = {}, 0
  for name in pairs(models) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do sum = sum + likelihood(models[name], s) end
  return sum
end

--- The spreads with which what is left of configurations is likeliest.
---@param models table<string, table[]>
---@param start tests.FactorSpreads
---@return tests.FactorSpreads
function factors.likeliest(models, start)
  local s = {}
  for key, value in pairs(start) do s[key] = value end
  local best, helped = total(models, s), true
  while helped do
    helped = false
    for _, name in ipairs(NAMES) do
      for _, by in ipairs { STEP, 1 / STEP } do
        local old = s[name]
        s[name] = math.max(LEAST, math.min(MOST, old * by))
        local now = s[name] ~= old and total(models, s) or -math.huge
        if now > best + 1e-9 then best, helped = now, true else s[name] = old end
      end
    end
  end
  return s
end

--- Spreads for rows that were solved once (they have weights).
---@param rows table[]
---@param fold_of fun(row: table): integer
---@param folds integer
---@return tests.FactorSpreads
function factors.choose(rows, fold_of, folds)
  local s = pool.FACTORS
  for _ = 1, 2 do s = factors.likeliest(left_of(rows, fold_of, folds, s), s) end
  return s
end

return factors
