-- How far the paces of machines and of GPUs spread: the two standard deviations with which all rows
-- are likeliest.
--
-- Given both spreads the rows are Gaussian, and so is what they say of the paces once all else is
-- integrated out (Pooled:of_paces): precision Λ, pull r. With D the spreads of each pace the rows'
-- density is proportional to |1 + DΛD|^(−1/2) · exp(½ rᵀD (1 + DΛD)⁻¹ Dr). Owns this choice. Called
-- by estimate.lua.

local linear = require "tests.accuracy.calibrate.linear"

local paces = {}

local STEP <const>, MOST <const> = 0.01, 0.5

--- Logarithm of the rows' density, but for a constant.
---@param precision number[][]  the lower half
---@param pull number[]
---@param levels ("family"|"gpu")[]
---@param spreads { family: number, gpu: number }
---@return number
function paces.evidence(precision, pull, levels, spreads)
  local A, b, sum = linear.zeros(#levels), {}, 0
  for i, level in ipairs(levels) do
    local own = spreads[level]
    for j = 1, i do A[i][j] = own * precision[i][j] * spreads[levels[j]] end
    A[i][i], b[i] = A[i][i] + 1, own * pull[i]
  end
  local L = linear.cholesky(A)
  for i, y in ipairs(linear.forward(L, b)) do sum = sum + 0.5 * y * y - math.log(L[i][i]) end
  return sum
end

--- Spreads of paces that make what rows say of them likeliest.
---@param precision number[][]
---@param pull number[]
---@param levels ("family"|"gpu")[]
---@return { family: number, gpu: number }
function paces.likeliest(precision, pull, levels)
  local best, out = -math.huge, nil
  for family = 0, MOST, STEP do
    for gpu = 0, MOST, STEP do
      local one = { family = family, gpu = gpu }
      local now = paces.evidence(precision, pull, levels, one)
      if now > best then best, out = now, one end
    end
  end
  return out --[[@as { family: number, gpu: number }]]
end

--- Spreads with those of paces as the rows have them.
---@param fit tests.Pooled
---@param rows table[]  that it was solved from
---@return tests.FactorSpreads
function paces.choose(fit, rows)
  local out = paces.likeliest(fit:of_paces(rows))
  for level, spread in pairs(fit.spreads) do out[level] = out[level] or spread end
  return out --[[@as tests.FactorSpreads]]
end

return paces
