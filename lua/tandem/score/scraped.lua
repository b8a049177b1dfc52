--- How far a simulated server's metrics are off recorded ones, bin by bin.
--
-- An error is a share of the recorded figure over all bins; its interval comes from what each bin
-- adds to it, which depends on its neighbours. A scenario is simulated several times: what a bin
-- shows then has a range, in which the recording lies as often as luck has it when the simulation
-- is right. Owns the verdict and the tables; both sides by bin are scrapes.lua's. Called by
-- init.lua.
local answers = require "tandem.analysis.answer"
local core = require "tandem.core"
local described = require "tandem.score.scraped_columns"
local format = require "tandem.text.format"
local gates = require "tandem.score.gate"
local metrics = require "tandem.metrics"
local scrapes = require "tandem.score.scrapes"
local shares = require "tandem.metrics.shares"
local verdicts = require "tandem.score.verdict"

local scraped = {}

local INVALID <const>, USAGE <const> = 3, 2

-- Bins that an interval wants at least.
local LEAST_BINS <const> = 8
local LEAST_FREE <const> = 3 -- degrees of freedom, below which there is no interval

-- ---- one figure compared

local function total(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum
end

-- What each bin adds to the error of a ratio of sums, around 0.
local function residuals(sums, counts)
  local ratio, mean, out = total(sums) / total(counts), total(counts) / #counts, {}
  for k, sum in ipairs(sums) do out[k] = (sum - ratio * counts[k]) / mean end
  return ratio, out
end

-- The mean over simulations, bin by bin.
local function mean_series(list, key)
  local out = {}
  for k = 1, #list[1][key] do
    local sum = 0
    for _, one in ipairs(list) do sum = sum + one[key][k] end
    out[k] = sum / #list
  end
  return out
end

-- What values of a series are worth that depend on their neighbours (Geyer's initial positive
-- sequence): their variance times that of their mean's, by autocovariances in pairs.
local function inflation(values, mean)
  local n, gamma = #values, {}
  local function at(lag)
    local sum = 0
    for k = 1, n - lag do sum = sum + (values[k] - mean) * (values[k + lag] - mean) end
    return sum / n
  end
  gamma[0] = at(0)
  local sum = -gamma[0]
  for lag = 0, n - 2, 2 do
    local pair = at(lag) + at(lag + 1)
    if pair <= 0 then break end
    sum = sum + 2 * pair
  end
  return gamma[0], gamma[0] > 0 and math.max(1, sum / gamma[0]) or 1
end

-- The half-width of a mean: by batch means where batches look independent, else by inflation.
local function half_of(values, confidence)
  local mean, half = core.stats.batch_means(values, confidence)
  if half then return half end
  local variance, times = inflation(values, mean)
  local free = #values / times - 1
  if free < LEAST_FREE then return nil end
  return core.stats.student_quantile((1 + confidence) / 2, free)
    * math.sqrt(variance * times / (#values - times))
end

local function ones(n)
  local out = {}
  for k = 1, n do out[k] = 1 end
  return out
end

local function same(a, b)
  for k, value in ipairs(a) do
    if value ~= b[k] then return false end
  end
  return true
end

local function compared(real, sims, confidence)
  local sums = mean_series(sims, real.sum and "sum" or "value")
  local real_sums, real_counts = real.sum or real.value, real.count or ones(#sums)
  local counts = real.count and mean_series(sims, "count") or real_counts
  if total(real_counts) <= 0 or total(counts) <= 0 then return {} end
  local r, of_real = residuals(real_sums, real_counts)
  local s, of_sims = residuals(sums, counts)
  local made = { real = r, simulated = s }
  if r <= 0 and s <= 0 or same(real_sums, sums) and same(real_counts, counts) then
    made.difference, made.low, made.high = 0.0, 0.0, 0.0
  end
  if r <= 0 or made.low then return made end
  made.difference = s / r - 1
  local apart = {}
  for k, value in ipairs(of_real) do apart[k] = (of_sims[k] - s / r * value) / r end
  local half = half_of(apart, confidence)
  if half and made.difference - half > -1 then
    made.low, made.high = made.difference - half, made.difference + half
  end
  return made
end

-- Shares at the bounds that both have: rows, and the largest difference.
local function at_bounds(real, sims, figure)
  local list = {}
  for i, one in ipairs(sims) do list[i] = one.histogram end
  local rows, apart = shares.apart(shares.of { real.histogram }, shares.of(list))
  for i, row in ipairs(rows) do
    rows[i] = { name = figure.name, bound = row.bound, real = row.a, simulated = row.b }
  end
  return rows, apart
end

-- How many bins are within the tolerance, how many within the range of the simulations.
local function by_bin(real, sims, within)
  local bins, near, inside, rows = 0, 0, 0, {}
  for k, value in ipairs(real.value) do
    local sum, low, high, n = 0, math.huge, -math.huge, 0
    for _, one in ipairs(sims) do
      local v = one.value[k]
      if v == v then sum, low, high, n = sum + v, math.min(low, v), math.max(high, v), n + 1 end
    end
    local row = { bin = k, real = value == value and value or nil }
    if n > 0 then row.simulated, row.low, row.high = sum / n, low, high end
    rows[k] = row
    if row.real and row.simulated then
      bins = bins + 1
      if math.abs(row.simulated - value) <= within * math.abs(value) then near = near + 1 end
      if value >= low and value <= high then inside = inside + 1 end
    end
  end
  return rows, bins, near, inside
end

-- ---- tables

local Scorer = {}
Scorer.__index = Scorer

function Scorer:add(figure, confidence)
  local real = scrapes.series(self.seen, self.real.names, figure, self.real.count)
  local sims = {}
  for i, merged in ipairs(self.laid) do
    sims[i] = scrapes.series(merged, self.sides[i].names, figure, self.sides[i].count)
  end
  if not real or #sims < #self.laid then
    self.cannot[#self.cannot + 1] = ("%s: the %s has no such metric"):format(figure.name,
      real and "simulation" or "recording")
    return
  end
  local made = compared(real, sims, confidence)
  local rows, bins, near, inside = by_bin(real, sims, self.own.within)
  local row = { name = figure.name, kind = figure.kind, bins = bins,
    within = bins > 0 and near / bins or nil,
    inside = bins > 0 and #sims > 1 and inside / bins or nil }
  if figure.kind == "histogram" then
    local bounds
    bounds, row.apart = at_bounds(real, sims, figure)
    for _, one in ipairs(bounds) do self.bounds[#self.bounds + 1] = one end
  end
  for k, one in ipairs(rows) do
    self.over[#self.over + 1] = { name = figure.name, unit = figure.unit,
      at_s = self.seen.times[k] - self.seen.times[1], real = one.real,
      simulated = one.simulated, low = #sims > 1 and one.low or nil,
      high = #sims > 1 and one.high or nil }
  end
  self.metrics[#self.metrics + 1] = row
  self.verdict[#self.verdict + 1] = verdicts.line(figure.name, figure.kind, figure.unit, made,
    bins, self.own.within)
  self.by_name[figure.name] = { mean = compared(real, sims, self.own.confidence),
    distance = { ks = row.apart }, unit = figure.unit == "ns" and "ns" or "count",
    measures = row.apart and { "mean", "ks" } or { "mean" } }
end

local function basis(self)
  local own, runs = self.own, #self.laid
  local list = { ("a bin is the time between two scrapes; %s, from the first in which requests came"
    .. " in both"):format(format.plural(self.count, "bin")),
    ("errors are shares of the recorded figure over all bins, their intervals from batch means or "
      .. "autocovariances; those of the verdict hold together with %s confidence (Bonferroni over "
      .. "%d lines)")
      :format(format.percent(own.confidence), #self.verdict - 1),
    ("within %s: the share of bins in which the simulated figure is no further off"):format(
      format.percent(own.within)) }
  if runs > 1 then
    list[#list + 1] = ("in range: the share of bins in which the recorded figure lies between the "
      .. "least and the most of %d simulations: %s where the simulation is right"):format(runs,
      format.percent((runs - 1) / (runs + 1)))
  end
  list[#list + 1] = "shares differ by: the largest difference of the shares of requests at a bound "
    .. "of the histogram that both have"
  if self.skipped > 0 then
    list[#list + 1] = ("the first %s left out: the recording began with requests inside, the "
      .. "simulation empty"):format(format.plural(self.skipped, "bin"))
  end
  if self.real.merged.restarts > 0 then
    list[#list + 1] = "the server began anew while it was scraped; what was inside then is in no "
      .. "count"
  end
  return list
end

-- Bins of which the simulation, that begins empty, knows too little: as long as three requests.
local function start_of(real, from, count)
  local e2e = real.names.e2e and real.merged:histogram(real.names.e2e)
  local inside = real.merged:gauge(real.names.running)[from]
  if not (e2e and inside > 0 and total(e2e.count) > 0) then return 0 end
  local mean = total(e2e.sum) / total(e2e.count)
  return math.min(math.ceil(3 * mean / real.arrivals.width), count // 2)
end

local function sides_of(simulated, real, own)
  if type(simulated) == "table" and simulated.merged then return { simulated } end
  local sides = {}
  for seed = 1, own.replications do
    local side, message, code = scrapes.simulated(simulated, seed, real.arrivals.width,
      real.server)
    if not side then return nil, message, code end
    sides[seed] = side
  end
  return sides
end

local function scorer_of(real, sides, own)
  local from, count = scrapes.common(real, sides)
  local skip = start_of(real, from, count)
  if count - skip < LEAST_BINS then
    return nil, ("both have %s in common; comparing wants %d at least"):format(
      format.plural(math.max(count - skip, 0), "bin"), LEAST_BINS), INVALID
  end
  local self = setmetatable({ own = own, real = real, sides = sides, laid = {}, cannot = {},
    metrics = {}, bounds = {}, over = {}, verdict = {}, by_name = {}, skipped = skip,
    count = count - skip }, Scorer)
  local function without_start(merged)
    return skip == 0 and merged
      or metrics.seen_at(merged, table.move(merged.times, skip + 1, #merged.times, 1, {}))
  end
  for i, side in ipairs(sides) do
    self.laid[i] = without_start(scrapes.laid(side, real, from, count))
  end
  local times = table.move(real.merged.times, from + skip, from + count, 1, {})
  self.seen = metrics.seen_at(real.merged, times)
  for _, figure in ipairs(scrapes.figures) do
    self:add(figure, 1 - (1 - own.confidence) / #scrapes.figures)
  end
  self.verdict[#self.verdict + 1] = verdicts.overall(self.verdict)
  return self
end

local function frame(name, rows) return { name = name, columns = {}, rows = rows } end

local function answer_of(self, run, words)
  local frames = { frame("verdict", self.verdict), frame("metrics", self.metrics),
    frame("bounds", self.bounds), frame("over_time", self.over) }
  if #self.own.gates > 0 then
    local rows = {}
    for i, one in ipairs(self.own.gates) do
      local message
      rows[i], message = gates.judge({ by_name = self.by_name, lanes_by_name = {} }, one)
      if not rows[i] then return nil, message, USAGE end
    end
    table.insert(frames, 2, frame("gates", rows))
  end
  local last = self.verdict[#self.verdict]
  local made = answers.new("score", described.of(self.own.within, last), { run = run,
    filter = {} }, { frames = frames, basis = basis(self), cannot = self.cannot })
  made.compared = { a = { words[1] }, b = { words[2] } }
  made.within, made.verdict = self.own.within, last.verdict
  return made
end

-- What is held against the recording: a scenario, or the metrics of a run; nil, why and a code.
local function simulated_of(value)
  if type(value) == "table" and type(value.try_with) == "function" then
    return value, { id = "–", kind = "scenario", name = value.name }
  end
  local words = { id = value.id, kind = value.kind, name = value.name }
  if scrapes.are(value) then
    local side, why = scrapes.side(metrics.of_run(value), value.id)
    if not side then return nil, why end
    return side, words
  elseif not value.scenario then
    return nil, ("%s has neither metrics nor a scenario that can be simulated again"):format(
      value.id)
  end
  local scenario, problems = require("tandem").load(value.name .. ".json",
    { text = value.scenario })
  if not scenario then return nil, tostring(problems) end
  return scenario, words
end

--- How far a scenario, or a run with metrics, is off a run of scrapes.
---@param run tandem.Run
---@param simulated tandem.Scenario|tandem.Run
---@param own tandem.ScoreAsked
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function scraped.score(run, simulated, own)
  local real, why = scrapes.side(metrics.of_run(run), run.id)
  if not real then return nil, why, INVALID end
  local held, words = simulated_of(simulated)
  if not held then return nil, tostring(words), INVALID end
  local sides, message, code = sides_of(held, real, own)
  if not sides then return nil, message, code end
  local self
  self, message, code = scorer_of(real, sides, own)
  if not self then return nil, message, code end
  return answer_of(self, run, { { id = run.id, kind = run.kind, name = run.name }, words })
end

return scraped
