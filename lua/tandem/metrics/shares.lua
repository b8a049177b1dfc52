--- Histograms as shares: which part of all requests is at most so long.
--
-- Owns sums over bins and over histograms, and how far two are apart at the bounds that both have;
-- servers have bounds of their own. Called by twin and score.
local shares = {}

---@class tandem.metrics.Shares
---@field bounds number[]
---@field at number[]    by bound: the share of all that is no larger
---@field count number
---@field sum number

--- Several histograms of the same bounds, over all their bins.
---@param list tandem.metrics.Histogram[]
---@return tandem.metrics.Shares
function shares.of(list)
  local out = { bounds = list[1].bounds, at = {}, count = 0, sum = 0 }
  for _, one in ipairs(list) do
    for k, count in ipairs(one.count) do
      out.count, out.sum = out.count + count, out.sum + one.sum[k]
    end
  end
  local at = 0
  for b in ipairs(out.bounds) do
    for _, one in ipairs(list) do
      for _, count in ipairs(one.counts[b]) do at = at + count end
    end
    out.at[b] = at / math.max(out.count, 1)
  end
  return out
end

--- Shares of both at each bound that both have, and their largest difference; nil: they have none.
---@param a tandem.metrics.Shares
---@param b tandem.metrics.Shares
---@return { bound: number, a: number, b: number }[] rows
---@return number|nil apart
function shares.apart(a, b)
  local of_other, rows, apart = {}, {}, nil
  for k, bound in ipairs(b.bounds) do of_other[bound] = b.at[k] end
  for k, bound in ipairs(a.bounds) do
    local other = bound < math.huge and of_other[bound]
    if other then
      rows[#rows + 1] = { bound = bound, a = a.at[k], b = other }
      apart = math.max(apart or 0, math.abs(other - a.at[k]))
    end
  end
  return rows, apart
end

return shares
