-- How far factors of models, versions and configurations spread: the five standard deviations with
-- which configurations that are left out are predicted best.
--
-- Each fifth of the configurations in turn takes no part in an estimate of θ; what that leaves of
-- them is, for a configuration c, d(c) = factors + noise. Over all configurations d is Gaussian,
-- of covariance C: model² (same model) + engine² (with the same engine) + served² (in the same
-- precision on the same GPU, too) + version² (same version of an engine), and on the diagonal
-- configuration² + the variance of its mean. With one left out, the others say of it
-- d(c) − (C⁻¹d)(c) / C⁻¹(c, c), with variance 1 / C⁻¹(c, c); the likelihood of all these, Student's
-- t with four degrees of freedom, is to be largest. Owns this choice. Called by estimate.lua.

local linear = require "tests.accuracy.calibrate.linear"
local pool = require "tests.accuracy.calibrate.pool"

local factors = {}

local FREEDOM <const> = 4
local STEP <const>, LEAST <const>, MOST <const> = 1.25, 0.03, 0.25
local NAMES <const> = { "configuration", "version", "served", "engine", "model" }

-- Mean of what is left of each configuration, by the estimate without it.
local function left_of(rows, fold_of, folds, spreads)
  local by, list = {}, {}
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
        c = { weight = 0, sum = 0, factors = {} }
        for _, one in ipairs(pool.factors(row)) do c.factors[one[1]] = one[2] end
        by[row.configuration], list[#list + 1] = c, c
      end
      c.weight, c.sum = c.weight + row.weight, c.sum + row.weight * left[row]
    end
  end
  return list
end

local function covariance(a, b, s)
  local sum, one, other = 0, a.factors, b.factors
  if one.model == other.model then
    sum = s.model ^ 2
    if one.engine == other.engine then sum = sum + s.engine ^ 2 end
    if one.served == other.served then sum = sum + s.served ^ 2 end
  end
  if one.version and one.version == other.version then sum = sum + s.version ^ 2 end
  return sum
end

-- Logarithm of the likelihood of each configuration from the others.
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
    local diagonal = linear.inverse_diagonal(L, i)
    local squared = solved[i] ^ 2 / diagonal
    sum = sum + 0.5 * math.log(diagonal)
      - 0.5 * (FREEDOM + 1) * math.log(1 + squared / FREEDOM)
  end
  return sum
end

-- Configurations that share a factor with each other: no covariance joins these groups.
local function groups_of(list)
  local parent = {}
  local function root(name)
    while parent[name] do name = parent[name] end
    return name
  end
  for _, c in ipairs(list) do
    local a, b = root(c.factors.model), c.factors.version and root(c.factors.version)
    if b and a ~= b then parent[b] = a end
  end
  local groups, by = {}, {}
  for _, c in ipairs(list) do
    local name = root(c.factors.model)
    if not by[name] then
      by[name] = {}
      groups[#groups + 1] = by[name]
    end
    table.insert(by[name], c)
  end
  return groups
end

local function total(groups, s)
  local sum = 0
  for _, group in ipairs(groups) do sum = sum + likelihood(group, s) end
  return sum
end

--- The spreads with which what is left of configurations is likeliest.
---@param list { weight: number, sum: number, factors: table<string, string> }[]  weights and
---                                weighted sums of what is left, names of factors by level
---@param start tests.FactorSpreads
---@return tests.FactorSpreads
function factors.likeliest(list, start)
  local s = {}
  for key, value in pairs(start) do s[key] = value end
  local groups = groups_of(list)
  local best, helped = total(groups, s), true
  while helped do
    helped = false
    for _, name in ipairs(NAMES) do
      for _, by in ipairs { STEP, 1 / STEP } do
        local old = s[name]
        s[name] = math.max(LEAST, math.min(MOST, old * by))
        local now = s[name] ~= old and total(groups, s) or -math.huge
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
