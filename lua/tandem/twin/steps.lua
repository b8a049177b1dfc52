--- What steps cost, out of metrics: the constants of a roofline that make a simulated server show
--- what the real one showed.
--
-- The requests that came are simulated as they came, bin by bin, and what that server's metrics
-- say is held against the recorded ones: the mean gap between tokens, while few and while many
-- requests ran too, and the mean time of a prompt. What is known of the GPU and the server stands
-- before that (Bayes' rule on logarithms, linearized). A constant of which metrics take away
-- little doubt is not identifiable, and stays what is known of the GPU. Called by twin.

local metrics = require "tandem.metrics"
local rates = require "tandem.llm.rates"
local simulated = require "tandem.metrics.simulated"

local steps = {}

local ROUNDS <const> = 5
local NUDGE <const> = -0.1 -- down, since shares cannot exceed 1
local MOST_REQUESTS <const> = 3000
local MOST_MOVE <const> = 0.7 -- of a logarithm, in one round
local FLOOR <const> = 0.01    -- what a simulated mean is off by itself
local APART <const> = 0.05    -- … a part's, whose requests come at other moments
-- … a prompt's: how many steps of others pass before its first token depends on the server's
-- version more than on what steps cost.
local PROMPT <const> = 0.25
local TOLD <const> = 0.35     -- share of its doubt that metrics take away, to call it identifiable

-- Constants, and what is known of their logarithms before.
steps.constants = { { name = "factor", deviation = 0.35 },
  { name = "matrix_efficiency", deviation = 0.4 }, { name = "step", deviation = 0.8 } }

-- ---- statistics

-- Bins by how many requests ran: all, the few, the many. Those without gaps are in none.
local function groups_of(merged, names, first, last)
  local itl = merged:histogram(names.gap)
  local running, bins, total = merged:gauge(names.running), {}, 0
  for k = first, last do
    if itl.count[k] > 0 then
      bins[#bins + 1] = { k = k, load = running[k] + running[k + 1], count = itl.count[k] }
      total = total + itl.count[k]
    end
  end
  table.sort(bins, function(a, b)
    if a.load ~= b.load then return a.load < b.load end
    return a.k < b.k
  end)
  local few, many, sum = {}, {}, 0
  for _, bin in ipairs(bins) do
    table.insert(sum < total / 2 and few or many, bin.k)
    sum = sum + bin.count
  end
  local all = {}
  for i, bin in ipairs(bins) do all[i] = bin.k end
  return #many > 0 and { all, few, many } or { all }
end

-- ln of a mean over bins, and its standard error.
local function ratio(sums, counts, bins, shift)
  local sum, count, n = 0, 0, 0
  for _, k in ipairs(bins) do
    sum, count, n = sum + (sums[k - shift] or 0), count + (counts[k - shift] or 0), n + 1
  end
  if count <= 0 or sum <= 0 then return nil end
  local mean, squares = sum / count, 0
  for _, k in ipairs(bins) do
    squares = squares + ((sums[k - shift] or 0) - mean * (counts[k - shift] or 0)) ^ 2
  end
  local error = n > 1 and math.sqrt(squares * n / (n - 1)) / sum or 0.3
  return math.log(mean), error
end

local function statistics(merged, names, groups, every, shift)
  local itl, prefill = merged:histogram(names.gap), names.start and merged:histogram(names.start)
  local out, errors = {}, {}
  for g, bins in ipairs(groups) do out[g], errors[g] = ratio(itl.sum, itl.count, bins, shift) end
  if prefill then
    out[#groups + 1], errors[#groups + 1] = ratio(prefill.sum, prefill.count, every, shift)
  end
  local floors = { FLOOR }
  for g = 2, #groups do floors[g] = APART end
  floors[#groups + 1] = PROMPT
  for s in pairs(errors) do errors[s] = math.sqrt(2 * errors[s] ^ 2 + floors[s] ^ 2) end
  return out, errors
end

local function mean_of(merged, name)
  local histogram, n, sum = name and merged:histogram(name), 0, 0
  if not histogram then return nil end
  for k, count in ipairs(histogram.count) do n, sum = n + count, sum + histogram.sum[k] end
  return n > 0 and sum / n or nil
end

-- What a request takes beside queue and engine.
local function front_of(merged, names)
  local e2e, queue = mean_of(merged, names.e2e), mean_of(merged, names.queue)
  local inside = mean_of(merged, names.inference)
  return e2e and queue and inside and math.max(0, e2e - queue - inside) or nil
end

-- ---- a small linear solver

-- (A)⁻¹ of a symmetric positive matrix.
local function inverse(a)
  local n, b = #a, {}
  for i = 1, n do
    b[i] = {}
    for j = 1, n do b[i][j], b[i][n + j] = a[i][j], i == j and 1 or 0 end
  end
  for i = 1, n do
    local pivot = b[i][i]
    for j = 1, 2 * n do b[i][j] = b[i][j] / pivot end
    for r = 1, n do
      local times = b[r][i]
      for j = 1, r ~= i and 2 * n or 0 do b[r][j] = b[r][j] - times * b[i][j] end
    end
  end
  local out = {}
  for i = 1, n do out[i] = table.move(b[i], n + 1, 2 * n, 1, {}) end
  return out
end

-- ---- the fit

-- Simulates with constants; its merged metrics.
local function simulate(context, constants)
  local instances, message, code = simulated(context.build(context.workload, constants), 1,
    context.width)
  if not instances then return nil, message, code end
  return metrics.merged(instances)
end
steps.simulate = simulate

local function moved(base, theta)
  local constants = {}
  for i, constant in ipairs(steps.constants) do
    constants[constant.name] = base[constant.name] * math.exp(theta[i])
  end
  constants.matrix_efficiency = math.min(1, constants.matrix_efficiency)
  constants.request = base.request
  return constants
end

--- What is known of a step before it is fitted.
---@param options table  context
---@return table
function steps.known(options)
  local known = rates.known(options.gpu, options.server, options.architecture, options.precision)
  return { factor = known.factor, matrix_efficiency = known.matrix_efficiency, step = known.step_s,
    request = known.request_s or 0 }
end

local function update(theta, seen, errors, shown, slopes)
  local n, a, b = #theta, {}, {}
  for i = 1, n do
    local prior = 1 / steps.constants[i].deviation ^ 2
    a[i], b[i] = {}, -prior * theta[i]
    for j = 1, n do a[i][j] = i == j and prior or 0 end
  end
  for s, value in pairs(seen) do
    if shown[s] then
      local weight = 1 / errors[s] ^ 2
      for i = 1, n do
        b[i] = b[i] + weight * slopes[i][s] * (value - shown[s])
        for j = 1, n do a[i][j] = a[i][j] + weight * slopes[i][s] * slopes[j][s] end
      end
    end
  end
  local covariance = inverse(a)
  for i = 1, n do
    local move = 0
    for j = 1, n do move = move + covariance[i][j] * b[j] end
    theta[i] = theta[i] + math.max(-MOST_MOVE, math.min(MOST_MOVE, move))
  end
  return covariance
end

---@class tandem.twin.Constant
---@field name string
---@field value number
---@field low number
---@field high number
---@field known boolean   metrics tell it; else it is what is known of the GPU

-- Which histograms of both sides say how far tokens are apart, and how long a prompt takes.
local function statistics_of(context)
  local names = context.names
  local gap = names.itl and "itl" or "tpot"
  local start = names.prefill and "prefill" or names.ttft and "ttft" or nil
  for _, of in ipairs { names, context.twin_names } do
    of.gap, of.start = of[gap], start and of[start]
  end
end

--- context: merged, names, arrivals, gpu, server, architecture, precision,
--- build(workload, constants) → scenario.
---@param context table
---@return tandem.twin.Constant[]|nil
---@return string|number message  or what a request takes in front
---@return integer|nil code
function steps.fit(context)
  local merged, names, a = context.merged, context.names, context.arrivals
  statistics_of(context)
  local gaps, last = require("tandem.twin.arrivals").gaps(a, MOST_REQUESTS)
  if last == a.last then last = #a.counts end -- all came: until they have left
  local skip = merged:gauge(names.running)[a.first] > 0 and math.min(2, last - a.first) or 0
  local groups, every = groups_of(merged, names, a.first + skip, last), {}
  for k = a.first + skip, last do every[#every + 1] = k end
  if #groups[1] == 0 then return nil, "no gaps between tokens are in these metrics", 3 end
  context.width = a.width
  context.workload = require("tandem").arrivals(function(n) return gaps[n] end)
  context.whole = last == #a.counts
  local seen, errors = statistics(merged, names, groups, every, 0)
  local front, base, theta = front_of(merged, names), steps.known(context), {}
  for i in ipairs(steps.constants) do theta[i] = 0 end
  local covariance, slopes
  for round = 1, ROUNDS do
    local sim, message, code = simulate(context, moved(base, theta))
    if not sim then return nil, message, code end
    local shown = statistics(sim, context.twin_names, groups, every, a.first - 1)
    if front then
      base.request = math.max(0, base.request + front - front_of(sim, context.twin_names))
    end
    for i = 1, round <= 2 and #theta or 0 do
      local nudged = table.move(theta, 1, #theta, 1, {})
      nudged[i] = nudged[i] + NUDGE
      local other = assert(simulate(context, moved(base, nudged)))
      local varied = statistics(other, context.twin_names, groups, every, a.first - 1)
      slopes = slopes or {}
      slopes[i] = {}
      for s in pairs(seen) do
        slopes[i][s] = varied[s] and shown[s] and (varied[s] - shown[s]) / NUDGE or 0
      end
    end
    covariance = update(theta, seen, errors, shown, slopes)
  end
  local out, constants = {}, moved(base, theta)
  for i, constant in ipairs(steps.constants) do
    local deviation = math.sqrt(covariance[i][i])
    local value = constants[constant.name]
    out[i] = { name = constant.name, value = value, low = value * math.exp(-1.96 * deviation),
      high = math.min(value * math.exp(1.96 * deviation),
        constant.name == "matrix_efficiency" and 1 or math.huge),
      known = deviation < (1 - TOLD) * constant.deviation }
  end
  return out, base.request
end

return steps
