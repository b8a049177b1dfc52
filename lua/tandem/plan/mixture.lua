--- One figure of parts of the time: what runs of each say, and what all of it is like.
--
-- Owns the mixture: shares and means by weight, errors as those of independent parts are, with what
-- is not known at its worst. Runs are plan/rare.lua's, weights outages.lua's.
local core = require "tandem.core"

local mixture = {}

local LITTLE <const> = 0.02 -- of what may be slow: where more of it was cut, values are guesses

---@class tandem.PlanMixture
---@field parts tandem.PlanPart[]
---@field conditions tandem.PlanTrialConditions
---@field states tandem.PlanStates
---@field fleet tandem.PlanFleet
---@field spent number       requests that were simulated
---@field alpha fun(self): number

-- The share of times beyond x, from times that known shares are beyond: straight on logarithms.
local function share_beyond(tail, x)
  local count = tail and #tail // 2 or 0
  if count == 0 or not (tail[2] == tail[2]) then return 0 end
  if x < tail[2] then return 1 - (1 - tail[1]) * math.max(0, x / tail[2]) end
  for i = 2, count do
    local t0, t1 = tail[2 * i - 2], tail[2 * i]
    if x <= t1 then
      local part = t1 > t0 and (x - t0) / (t1 - t0) or 1
      return tail[2 * i - 3] * (tail[2 * i - 1] / tail[2 * i - 3]) ^ part
    end
  end
  return 0
end

local function metric_of(answer, paths)
  return answer.metrics[paths[1]], answer.values and answer.values[paths[1]]
end

--- What a run of a steady part says of a limit.
---@param self tandem.PlanMixture
---@param answer tandem.Answer
---@param limit tandem.PlanLimit
---@return table|nil
function mixture.steady(self, answer, limit)
  local metric, values = metric_of(answer, self.conditions.paths[limit.key])
  if not metric then return nil end
  if limit.quantile and metric.beyond then
    local beyond, tail = metric.beyond, metric.tail
    if answer.metrics.overload == true then beyond = { value = 1, low = 0, high = 1 } end
    return { value = beyond.value, low = beyond.low, high = beyond.high,
      at = function(x) return share_beyond(tail, x) end }
  end
  local half = metric.half
  if not half and not metric.needs and values and #values > 1 then
    local _, sd = core.stats.moments(values)
    half = core.stats.student_quantile(1 - self:alpha(), #values - 1) * sd / math.sqrt(#values)
  end
  return { value = metric.value, half = half or math.huge }
end

-- The mean of y over the mean of w, both by weight, and what it may be off by: neighbours of a
-- sample in its order differ by luck, and by little else.
local function ratio_of(rows, alpha)
  local y, w = 0, 0
  for _, row in ipairs(rows) do y, w = y + row.p * row.y, w + row.p * row.w end
  local value, squares = y / w, 0
  local before
  for _, row in ipairs(rows) do
    local gap = row.p * (row.y - value * row.w)
    if before then squares = squares + (gap - before) ^ 2 / 2 end
    before = gap
  end
  local sd = math.sqrt(squares / (#rows - 1))
  local freedom = math.max(2, 2 * (#rows - 1) // 3)
  return value, core.stats.student_quantile(1 - alpha, freedom) * sd * math.sqrt(#rows) / w, w
end

--- What runs of episodes say of a limit, one answer each.
---@param self tandem.PlanMixture
---@param part tandem.PlanPart
---@param answers tandem.Answer[]
---@param limit tandem.PlanLimit
---@return table|nil
function mixture.episodes(self, part, answers, limit)
  local rows, cut, weight, seen = {}, 0, 0, 0
  for i, episode in ipairs(part.episodes) do
    local metric = metric_of(answers[i], self.conditions.paths[limit.key])
    if not metric then return nil end
    local lost = answers[i].metrics.lost and answers[i].metrics.lost.value or 0
    local share = limit.quantile and metric.beyond and metric.beyond.value or metric.value
    local served = limit.quantile and 1 - lost or 1
    if share ~= share then share, served = 1, 0 end -- nobody was served
    rows[i] = { p = episode.weight, y = share * episode.seen * served,
      w = episode.seconds * (limit.quantile and math.max(served, 1e-9) or 1), tail = metric.tail }
    cut = cut + episode.weight * (episode.seconds - episode.seen)
    weight = weight + episode.weight * episode.seconds
    seen = seen + episode.seen
  end
  local value, half, all = ratio_of(rows, self:alpha())
  cut = cut / weight
  if not limit.quantile then
    local known = limit.metric == "met" or limit.lost
    return { value = value, half = half + (known and cut or cut > 0 and math.huge or 0), cut = cut }
  end
  -- Of a slow request that was never seen, nothing speaks but how many could have been.
  local pieces = seen / math.max(self.fleet.settle(self.states.steady), 1e-9)
  local few = math.min(1, -math.log(self:alpha()) / math.max(pieces, 1))
  half = math.max(half, value < few and few or 0)
  return { value = value, low = math.max(0, value - half), high = math.min(1, value + half + cut),
    cut = cut, at = function(x, whole)
      local sum = 0
      for i, row in ipairs(rows) do
        local episode = part.episodes[i]
        sum = sum + row.p * share_beyond(row.tail, x) * (whole and episode.seconds or episode.seen)
      end
      return sum / all
    end }
end

-- The time that the share q of all is beyond.
local function time_beyond(shares, q)
  local low, high = 1e-9, 1e9
  for _ = 1, 100 do
    local middle = math.sqrt(low * high)
    if shares(middle) > q then low = middle else high = middle end
  end
  return math.sqrt(low * high)
end

-- A quantile: the share beyond the limit decides; its interval turned round is that of the time.
local function share_figure(self, limit, figure)
  local value, up, down, unknown, cut = 0, 0, 0, 0, 0
  for _, part in ipairs(self.parts) do
    local say = part.by[limit.key]
    if say then
      cut = math.max(cut, part.weight * (say.cut or 0))
      value = value + part.weight * say.value
      up = up + (part.weight * (say.high - say.value)) ^ 2
      down = down + (part.weight * (say.value - say.low)) ^ 2
    else
      unknown = unknown + part.weight
    end
  end
  local allowed = 1 - limit.quantile
  local low, high = value - math.sqrt(down), value + math.sqrt(up) + unknown
  local whole = cut > LITTLE * allowed
  local function shares(x)
    local sum = 0
    for _, part in ipairs(self.parts) do
      local say = part.by[limit.key]
      sum = sum + (say and part.weight * say.at(x, whole) or 0)
    end
    return sum
  end
  local there = shares(limit.limit)
  local scale = not whole and there > 0 and value > 0 and value / there or 1
  figure.value = time_beyond(shares, allowed / scale)
  figure.state = high <= allowed and "meets" or low > allowed and "misses" or "undecided"
  figure.share = { value = value, low = math.max(0, low), high = math.min(1, high) }
  if whole then -- what episodes are like that were cut is no more than a guess
    figure.needs = { requests = self.spent, by = "length" }
    return
  end
  local above, below = math.huge, math.huge
  if value > 0 then above = time_beyond(shares, allowed / scale * value / high) - figure.value end
  if low > 0 then below = figure.value - time_beyond(shares, allowed / scale * value / low) end
  local half = figure.state == "meets" and above or figure.state == "misses" and below
    or math.max(above, below)
  if half < 1e8 then figure.half = half
  else figure.needs = { requests = self.spent, by = "length" } end
end

local function mean_figure(self, limit, figure)
  local value, squares, unknown = 0, 0, 0
  for _, part in ipairs(self.parts) do
    local say = part.by[limit.key]
    if say then
      value, squares = value + part.weight * say.value, squares + (part.weight * say.half) ^ 2
    else
      unknown = unknown + part.weight
    end
  end
  local known = limit.metric == "met" or limit.lost
  figure.value = value + (limit.metric == "met" and unknown or 0)
  figure.half = math.sqrt(squares) + (known and unknown or unknown > 1e-9 and math.huge or 0)
  local excess = limit.least and limit.limit - figure.value or figure.value - limit.limit
  figure.state = excess + figure.half <= 0 and "meets" or excess - figure.half > 0 and "misses"
    or "undecided"
  if figure.half == math.huge then
    figure.half = nil
    -- What comes with failures only adds to a time.
    if excess - math.sqrt(squares) > 0 and not limit.least then figure.state = "misses" end
  end
end

--- The figure of all parts.
---@param self tandem.PlanMixture
---@param limit tandem.PlanLimit
---@return tandem.PlanFigure
function mixture.figure(self, limit)
  local figure = { label = limit.label, limit = limit.limit, least = limit.least, bias = 0,
    kind = limit.kind, lost = limit.lost, implied = limit.implied, state = "undecided" }
  if limit.quantile and self.parts[1].by[limit.key].at then share_figure(self, limit, figure)
  else mean_figure(self, limit, figure) end
  figure.margin = limit.least and figure.value / limit.limit - 1 or 1 - figure.value / limit.limit
  return figure
end

return mixture
