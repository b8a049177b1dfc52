--- Lengths out of histograms: a distribution whose shares at the bounds are those of the buckets
--- and whose mean is that of the sum.
-- Between two bounds nobody knows; there it goes as a lognormal of the whole would, bent until the
-- mean is right. Called by twin.

local lengths = {}

local PARTS <const> = 4 -- pieces of a bucket
local MOST_TILT <const> = 40
local WRITTEN <const> = "%.4g" -- figures of edges in the twin's file (twin/report.lua)

-- Φ, to 1e-7.
local function normal(x)
  local t = 1 / (1 + 0.3275911 * math.abs(x) / math.sqrt(2))
  local erf = 1 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t
    + 0.254829592) * t * math.exp(-x * x / 2)
  return x >= 0 and (1 + erf) / 2 or (1 - erf) / 2
end

-- Buckets with somebody in them: { low, high, count }, whole numbers low + 0.5 to high + 0.5.
local function buckets_of(histogram)
  local out, low = {}, 0
  for b, bound in ipairs(histogram.bounds) do
    local count = 0
    for _, more in ipairs(histogram.counts[b]) do count = count + more end
    local high = bound < math.huge and bound or math.max(2 * low, low + 1)
    if count > 0 then out[#out + 1] = { low = low + 0.5, high = high + 0.5, count = count } end
    low = bound
  end
  return out
end

local function lognormal_of(buckets)
  local n, sum, squares = 0, 0, 0
  for _, b in ipairs(buckets) do
    local middle = (math.log(b.low) + math.log(b.high)) / 2
    n, sum = n + b.count, sum + b.count * middle
    squares = squares + b.count * (middle ^ 2 + (math.log(b.high / b.low)) ^ 2 / 12)
  end
  local mean = sum / n
  return mean, math.sqrt(math.max(squares / n - mean ^ 2, 1e-4))
end

-- Pieces of all buckets: edges, and each piece's share before it is bent.
local function pieces_of(buckets)
  local mean, deviation = lognormal_of(buckets)
  local pieces = {}
  for _, b in ipairs(buckets) do
    for p = 1, PARTS do
      local low = p == 1 and b.low or b.low * (b.high / b.low) ^ ((p - 1) / PARTS)
      local high = p == PARTS and b.high or b.low * (b.high / b.low) ^ (p / PARTS)
      local share = normal((math.log(high) - mean) / deviation)
        - normal((math.log(low) - mean) / deviation) + 1e-9
      pieces[#pieces + 1] = { low = low, high = high, share = share, bucket = b,
        place = (p - 0.5) / PARTS - 0.5 }
    end
  end
  return pieces
end

local function bend(pieces, tilt)
  local sums = {}
  for _, p in ipairs(pieces) do
    p.weight = p.share * math.exp(tilt * p.place)
    sums[p.bucket] = (sums[p.bucket] or 0) + p.weight
  end
  local mean, total = 0, 0
  for _, p in ipairs(pieces) do
    p.weight = p.weight / sums[p.bucket] * p.bucket.count
    mean, total = mean + p.weight * (p.low + p.high) / 2, total + p.weight
  end
  return mean / total
end

-- Edges and counts of pieces in a row. Edges that a file of the twin cannot tell apart are one.
local function joined(pieces)
  local edges, counts, waiting = { pieces[1].low }, {}, 0
  local function is_new(edge) return WRITTEN:format(edge) ~= WRITTEN:format(edges[#edges]) end
  for i, p in ipairs(pieces) do
    if is_new(p.low) then edges[#edges + 1], counts[#counts + 1] = p.low, 0 end -- an empty bucket
    if is_new(p.high) or i == #pieces and #counts == 0 then
      edges[#edges + 1], counts[#counts + 1], waiting = p.high, p.weight + waiting, 0
    elseif #counts > 0 then
      counts[#counts] = counts[#counts] + p.weight
    else
      waiting = waiting + p.weight
    end
  end
  return edges, counts
end

---@class tandem.twin.Lengths
---@field mean number
---@field low number      95 % interval of the mean
---@field high number
---@field cv number
---@field edges number[]
---@field counts number[]
---@field totals boolean|nil  of the mean alone
---@field by_times boolean|nil  of the mean, and of how long requests take

--- Nil where nobody has been counted.
---@param histogram tandem.metrics.Histogram|nil
---@return tandem.twin.Lengths|nil
function lengths.of(histogram)
  if not histogram then return nil end
  local buckets, n, sum = buckets_of(histogram), 0, 0
  for k, count in ipairs(histogram.count) do n, sum = n + count, sum + histogram.sum[k] end
  if n < 1 or #buckets == 0 then return nil end
  local mean, pieces = sum / n, pieces_of(buckets)
  local low, high = -MOST_TILT, MOST_TILT
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if bend(pieces, middle) < mean then low = middle else high = middle end
  end
  local squares = 0
  for _, p in ipairs(pieces) do
    squares = squares + p.weight * (p.low ^ 2 + p.low * p.high + p.high ^ 2) / 3
  end
  local edges, counts = joined(pieces)
  local deviation = math.sqrt(math.max(squares / n - mean ^ 2, 0))
  local half = 1.96 * deviation / math.sqrt(n)
  return { mean = mean, low = mean - half, high = mean + half, cv = deviation / mean,
    edges = edges, counts = counts }
end

local function summed(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum
end

--- Lengths of answers of which totals alone are counted, where requests' times have histograms:
--- behind its first token a request takes as long as its answer has tokens, so the one is spread as
--- the other. Nil where times tell nothing.
---@param tokens number[]|nil  by bin
---@param e2e tandem.metrics.Histogram|nil
---@param ttft tandem.metrics.Histogram|nil
---@return tandem.twin.Lengths|nil
function lengths.of_times(tokens, e2e, ttft)
  if not (tokens and e2e and ttft) then return nil end
  local n, first = summed(e2e.count), summed(ttft.sum) / summed(ttft.count)
  local more = summed(tokens) / n - 1 -- tokens behind the first
  local token_s = (summed(e2e.sum) / n - first) / more
  if not (n >= 1 and more > 0 and token_s > 0 and token_s < math.huge) then return nil end
  local scaled = { bounds = {}, counts = {}, count = e2e.count, sum = tokens }
  local before
  for b, bound in ipairs(e2e.bounds) do
    local counts = e2e.counts[b]
    if before then
      local sums = {}
      for k, count in ipairs(counts) do sums[k] = count + (before[k] or 0) end
      counts = sums
    end
    local length = (bound - first) / token_s + 1
    if length > 1 then
      local at = #scaled.bounds + 1
      scaled.bounds[at], scaled.counts[at], before = length, counts, nil
    else
      before = counts -- shorter than a first token usually takes: the shortest that are told apart
    end
  end
  local made = lengths.of(scaled)
  if made then made.by_times = true end
  return made
end

local SPREAD <const> = 48 -- edges of a length of which the mean alone is known

--- Lengths of which totals alone are counted: exponential, as the least that a mean says. Nil where
--- nobody has been counted.
---@param tokens number[]|nil  by bin
---@param requests number[]
---@return tandem.twin.Lengths|nil
function lengths.of_totals(tokens, requests)
  local sum, n, squares = 0, 0, 0
  for k, count in ipairs(tokens or {}) do sum, n = sum + count, n + requests[k] end
  if n < 1 or sum <= 0 then return nil end
  local mean = sum / n
  for k, count in ipairs(tokens --[[@as number[] ]]) do
    squares = squares + (count - mean * requests[k]) ^ 2
  end
  local bins = #tokens
  local half = 1.96 * math.sqrt(squares * bins / math.max(bins - 1, 1)) / n
  local edges, counts, before = { 0.5 }, {}, 0
  for b = 1, SPREAD do
    local high = math.max(0.5 + b, mean * 8 * (b / SPREAD) ^ 2)
    local share = 1 - math.exp(-high / mean)
    edges[b + 1], counts[b], before = high, share - before, share
  end
  return { mean = mean, low = math.max(mean - half, 0), high = mean + half, cv = 1,
    edges = edges, counts = counts, totals = true }
end

--- The prefix that all requests share, so that each finds `hits` of its tokens on average: whole
--- blocks, and one token at least is computed.
---@param prompts tandem.twin.Lengths
---@param hits number
---@param block integer
---@return integer
function lengths.prefix(prompts, hits, block)
  local total = 0
  for _, count in ipairs(prompts.counts) do total = total + count end
  local best, off = 0, hits
  for blocks = 1, math.ceil(prompts.edges[#prompts.edges] / block) do
    local prefix, sum = blocks * block, 0
    for i, count in ipairs(prompts.counts) do
      local middle = (prompts.edges[i] + prompts.edges[i + 1]) / 2
      sum = sum + count * math.min(prefix, (middle - 1) // block * block)
    end
    local mean = sum / total
    if math.abs(mean - hits) < off then best, off = prefix, math.abs(mean - hits) end
    if mean > hits then break end
  end
  return best
end

return lengths
