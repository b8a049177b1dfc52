--- A server's metrics beside those of its twin: means, shares at the bounds, the 99th percentile.
-- A percentile is known to its bucket, so being in the same one is as near as can be asked. Called
-- by twin and tests.
local shares = require "tandem.metrics.shares"

local compare = {}

---@class tandem.twin.Row
---@field what string
---@field key string
---@field tokens boolean
---@field mean number           recorded
---@field twin_mean number
---@field error number          of the mean, signed share
---@field p99 number[]          recorded: the bounds of its bucket
---@field twin_p99 number       between the bounds of the twin's, by straight lines
---@field p99_near boolean      in the same bucket or within 20 % of it, where so many requests
---                            can put it
---@field apart number|nil      largest difference of shares at a bound that both have
---@field count number

local ROWS <const> = { { "ttft", "TTFT" }, { "itl", "ITL" }, { "tpot", "TPOT" }, { "e2e", "E2E" },
  { "queue", "queueing" }, { "prefill", "prefill" }, { "decode", "decode" },
  { "prompt", "prompt", true }, { "output", "output", true } }

local NEAR <const> = 0.2

-- The bounds between which a percentile lies, and the value between them by straight lines.
local function percentile(of, level)
  local bounds, at = of.bounds, of.at
  for b, bound in ipairs(bounds) do
    if at[b] >= level then
      local low, before = bounds[b - 1] or 0, at[b - 1] or 0
      if bound == math.huge then return low, bound, low end
      local part = (level - before) / math.max(at[b] - before, 1e-12)
      return low, bound, low + (bound - low) * part
    end
  end
  return bounds[#bounds], math.huge, bounds[#bounds]
end

local function row_of(spec, recorded, twin)
  local r, t = shares.of { recorded }, shares.of { twin }
  if r.count < 1 or t.count < 1 then return nil end
  local low, high = percentile(r, 0.99)
  local doubt = 1.96 * math.sqrt(0.99 * 0.01 * (1 / r.count + 1 / t.count))
  local least = percentile(r, 0.99 - doubt)
  local _, most = percentile(r, math.min(0.99 + doubt, 1))
  local _, _, p99 = percentile(t, 0.99)
  local _, apart = shares.apart(r, t)
  local mean, twin_mean = r.sum / r.count, t.sum / t.count
  return { key = spec[1], what = spec[2], tokens = spec[3] or false, mean = mean,
    twin_mean = twin_mean, error = mean > 0 and twin_mean / mean - 1 or 0,
    p99 = { low, high }, twin_p99 = p99, apart = apart, count = r.count,
    p99_near = p99 >= least * (1 - NEAR) and p99 <= most * (1 + NEAR) }
end

--- Rows of what both have.
---@param recorded tandem.metrics.Instance
---@param twin tandem.metrics.Instance
---@param names table<string, string>  of the recorded
---@param twin_names table<string, string>
---@return tandem.twin.Row[]
function compare.rows(recorded, twin, names, twin_names)
  local rows = {}
  for _, spec in ipairs(ROWS) do
    local a = names[spec[1]] and recorded:histogram(names[spec[1]])
    local b = twin:histogram(twin_names[spec[1]])
    rows[#rows + 1] = a and b and row_of(spec, a, b) or nil
  end
  return rows
end

--- The median of the largest differences.
---@param rows tandem.twin.Row[]
---@return number
function compare.apart(rows)
  local list = {}
  for _, row in ipairs(rows) do list[#list + 1] = row.apart end
  table.sort(list)
  return list[(#list + 1) // 2] or 0
end

return compare
