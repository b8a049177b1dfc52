--- A server's metrics beside those of its twin: means, shares at the bounds, the 99th percentile.
-- A percentile is known to its bucket, so being in the same one is as near as can be asked. Called
-- by twin and tests.

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

-- Counts over all time, cumulative by bound, their sum and number.
local function whole(histogram)
  local shares, n, sum = {}, 0, 0
  for k, count in ipairs(histogram.count) do n, sum = n + count, sum + histogram.sum[k] end
  local at = 0
  for b in ipairs(histogram.bounds) do
    for _, count in ipairs(histogram.counts[b]) do at = at + count end
    shares[b] = at / math.max(n, 1)
  end
  return shares, n, sum
end

-- The bounds between which a percentile lies, and the value between them by straight lines.
local function percentile(bounds, shares, level)
  for b, bound in ipairs(bounds) do
    if shares[b] >= level then
      local low, before = bounds[b - 1] or 0, shares[b - 1] or 0
      if bound == math.huge then return low, bound, low end
      local part = (level - before) / math.max(shares[b] - before, 1e-12)
      return low, bound, low + (bound - low) * part
    end
  end
  return bounds[#bounds], math.huge, bounds[#bounds]
end

-- Nil where there is no such bound: servers have bounds of their own.
local function share_at(bounds, shares, bound)
  for b, one in ipairs(bounds) do
    if one == bound then return shares[b] end
  end
  return nil
end

local function row_of(spec, recorded, twin)
  local shares, n, sum = whole(recorded)
  local others, m, other_sum = whole(twin)
  if n < 1 or m < 1 then return nil end
  local low, high = percentile(recorded.bounds, shares, 0.99)
  local doubt = 1.96 * math.sqrt(0.99 * 0.01 * (1 / n + 1 / m))
  local least = percentile(recorded.bounds, shares, 0.99 - doubt)
  local _, most = percentile(recorded.bounds, shares, math.min(0.99 + doubt, 1))
  local _, _, p99 = percentile(twin.bounds, others, 0.99)
  local apart
  for b, bound in ipairs(recorded.bounds) do
    local share = bound < math.huge and share_at(twin.bounds, others, bound)
    if share then apart = math.max(apart or 0, math.abs(shares[b] - share)) end
  end
  return { key = spec[1], what = spec[2], tokens = spec[3] or false, mean = sum / n,
    twin_mean = other_sum / m, error = sum > 0 and other_sum / m / (sum / n) - 1 or 0,
    p99 = { low, high }, twin_p99 = p99, apart = apart, count = n,
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
