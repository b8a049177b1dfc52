--- What is held out, and how far predictions of it are off.
-- Owns the split, which a seed decides, and the figures of the errors. Called by the files of this
-- folder.

local core = require "tandem.core"

local holdout = {}

-- Halves are the same everywhere.
local function mixed(n) return core.mix(n) >> 11 end

--- Is item i of `count` held out?
---@param count integer
---@param options { hold: number?, split: string?, seed: integer? }
---@return fun(i: integer): boolean
function holdout.split(count, options)
  local share, seed = options.hold or 0.5, options.seed or 1
  if options.split == "half" then
    local first = count - math.floor(share * count + 0.5)
    return function(i) return i > first end
  end
  local salt = core.mix(0, seed) >> 11
  return function(i) return mixed((i * 0x9e3779b97f4a7c15) ~ salt) < share * (1 << 53) end
end

--- Linear between order statistics; of a sorted list.
local function quantile(list, level)
  local position = 1 + level * (#list - 1)
  local low = math.floor(position)
  local high = math.min(low + 1, #list)
  return list[low] + (position - low) * (list[high] - list[low])
end
holdout.quantile = quantile

local function mean(list)
  local sum = 0
  for _, v in ipairs(list) do sum = sum + v end
  return sum / #list
end

---@class tandem.llm.HoldRow
---@field what string
---@field count integer
---@field predicted number    mean, seconds
---@field observed number
---@field error number        of the mean, relative
---@field median number       of |relative errors|
---@field p90 number
---@field p99_error number    of the 99th percentile, relative

--- Errors of one figure. Nil where nothing was held out.
---@param what string
---@param predicted number[]
---@param observed number[]  > 0
---@return tandem.llm.HoldRow|nil
function holdout.row(what, predicted, observed)
  if #observed == 0 then return nil end
  local errors = {}
  for i, o in ipairs(observed) do errors[i] = math.abs(predicted[i] / o - 1) end
  table.sort(errors)
  local a = table.move(predicted, 1, #predicted, 1, {})
  local b = table.move(observed, 1, #observed, 1, {})
  table.sort(a)
  table.sort(b)
  return { what = what, count = #observed, predicted = mean(predicted), observed = mean(observed),
    error = mean(predicted) / mean(observed) - 1, median = quantile(errors, 0.5),
    p90 = quantile(errors, 0.9), p99_error = quantile(a, 0.99) / quantile(b, 0.99) - 1 }
end

return holdout
