--- How long a request waits for the last of its branches.
--
-- Owns the mean of the longest of some times: gamma by two moments, as if independent, which is too
-- long where they wait for the same arrivals; by how much is known of exponential stations (Nelson
-- and Tantawi 1988). Called by network.lua.
local joins = {}

local POINTS <const> = 240

-- Chances of gamma times to be below t, for t = i·step.
local function below(mean, var, step, count)
  local out = {}
  if var < 1e-12 * mean * mean then
    for i = 0, count do out[i] = i * step >= mean and 1 or 0 end
    return out
  end
  local shape, scale = mean * mean / var, var / mean
  local function of(x)
    -- The series of the incomplete gamma function; far out it is 1.
    if x <= 0 then return 0 end
    if x > shape + 12 * math.sqrt(shape) + 40 then return 1 end
    local sum, term, k = 1 / shape, 1 / shape, shape
    for _ = 1, 2000 do
      k = k + 1
      term = term * x / k
      sum = sum + term
      if term < 1e-10 * sum then break end
    end
    -- Stirling's series is near enough from 8 on; below, by the recursion.
    local n, shift = shape, 0
    while n < 8 do shift, n = shift + math.log(n), n + 1 end
    local log_gamma = (n - 0.5) * math.log(n) - n + 0.9189385332046727 + 1 / (12 * n) - shift
    return math.min(1, sum * math.exp(shape * math.log(x) - x - log_gamma))
  end
  for i = 0, count do out[i] = of(i * step / scale) end
  return out
end

local function harmonic(count)
  local sum = 0
  for k = 1, count do sum = sum + 1 / k end
  return sum
end

--- The longest of some times.
---@param branches { mean: number, var: number, wait: number }[]  wait: the part that is waiting
---@return number mean
---@return number var
---@return number wait
function joins.longest(branches)
  local most, far, waits, total, count = { mean = 0, var = 0, wait = 0 }, 0, 0, 0, 0
  for _, one in ipairs(branches) do
    if one.mean > most.mean then most = one end
    far = math.max(far, one.mean + 9 * math.sqrt(one.var))
    if one.mean > 0 then
      waits, total, count = waits + one.wait, total + one.mean, count + 1
    end
  end
  if count < 2 or far <= 0 then return most.mean, most.var, most.wait end
  local step, all = far / POINTS, {}
  for i = 0, POINTS do all[i] = 1 end
  for _, one in ipairs(branches) do
    if one.mean > 0 then
      local chances = below(one.mean, one.var, step, POINTS)
      for i = 0, POINTS do all[i] = all[i] * chances[i] end
    end
  end
  local mean, square = 0, 0
  for i = 0, POINTS do
    local weight = (i == 0 or i == POINTS) and step / 2 or step
    mean = mean + weight * (1 - all[i])
    square = square + weight * 2 * i * step * (1 - all[i])
  end
  local busy = total > 0 and waits / total or 0
  local h = harmonic(count)
  local together = (h / 1.5 + (1 - h / 1.5) * 4 * busy / 11) * (1.5 - busy / 8)
  local share = math.max(0, math.min(1, (together - 1) / (h - 1)))
  local out = most.mean + math.max(0, mean - most.mean) * share
  return out, math.max(0, square - mean * mean), most.wait
end

return joins
