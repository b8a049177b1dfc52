--- Constants fitted to measurements: a search along one constant after the other.
--
-- Constants are positive and span orders of magnitude, so steps are factors: each constant is tried
-- larger and smaller by the step, the better is kept, and the step shrinks when none helped. Shares
-- stay within bounds. No random numbers: the same data give the same constants. Owns the search and
-- the loss; what is predicted is the caller's. Called by calibration and tests/accuracy.

local fit = {}

---@class tandem.llm.FitOptions
---@field names string[]                  constants to fit, in the order in which they are tried
---@field bounds table<string, number[]>  least and most of each
---@field rounds? integer                 at most so many passes over all constants, 12

--- Mean of |ln(predicted / measured)|, each at most 1 so that broken records do not lead.
---@param pairs_list { [1]: number, [2]: number, [3]: number|nil }[] predicted, measured, weight
---@return number
function fit.loss(pairs_list)
  local sum, weights = 0, 0
  for _, pair in ipairs(pairs_list) do
    local weight = pair[3] or 1
    sum = sum + weight * math.min(1, math.abs(math.log(pair[1] / pair[2])))
    weights = weights + weight
  end
  return weights > 0 and sum / weights or 0
end

local function copy(t)
  local c = {}
  for key, value in pairs(t) do c[key] = value end
  return c
end

--- The constants for which `loss` is least, from `start`.
---@param start table<string, number>
---@param loss fun(constants: table<string, number>): number
---@param options tandem.llm.FitOptions
---@return table<string, number> constants, number loss
function fit.search(start, loss, options)
  local best = copy(start)
  for _, name in ipairs(options.names) do
    local least, most = table.unpack(options.bounds[name])
    best[name] = math.max(least, math.min(most, best[name]))
  end
  local value, step = loss(best), 1.6
  for _ = 1, options.rounds or 12 do
    local helped = false
    for _, name in ipairs(options.names) do
      local least, most = table.unpack(options.bounds[name])
      for _, factor in ipairs { step, 1 / step } do
        local trial = copy(best)
        trial[name] = math.max(least, math.min(most, best[name] * factor))
        local now = trial[name] ~= best[name] and loss(trial) or math.huge
        if now < value then
          best, value, helped = trial, now, true
          break
        end
      end
    end
    if not helped then step = math.sqrt(step) end
    if step < 1.02 then break end
  end
  return best, value
end

return fit
