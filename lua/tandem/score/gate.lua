--- Gates of a score: conditions on how far the simulation may be off, for CI: "h2d.mean<5%".
--
-- Owns their grammar and which figure of the score one means; the form of a condition is that of
-- the gates of tandem diff. A limit without a sign is one on the size of the difference; what the
-- interval of the difference leaves open is undecided.
local conditions = require "tandem.diff.gate"
local format = require "tandem.text.format"
local nearest = require "tandem.text.nearest"

local gate = {}

---@class tandem.ScoreGate: tandem.Condition
---@field text string
---@field subject string   a stage, total, throughput, requests, or a lane: gpu
---@field measure string

-- What a subject has: the measures of differences, and those that are figures themselves.
local OF_STAGE <const> = { "mean", "p50", "p95", "p99", "wait", "ks", "wasserstein" }
-- Of total, (waiting) and (between), which wait for nothing as wholes.
local OF_WHOLE <const> = { "mean", "p50", "p95", "p99", "ks", "wasserstein" }
local OF_LANE <const> = { "utilization", "in_service", "queue" }
local OF_REQUESTS <const> = { "mean", "median", "p95", "bias" }
local OF_THROUGHPUT <const> = { "rate" }

local function has(list, word)
  for _, one in ipairs(list) do
    if one == word then return true end
  end
  return false
end

--- A gate from its text.
---@param text string
---@return tandem.ScoreGate|nil
---@return string|nil message
function gate.parse(text)
  local one = conditions.split(text)
  if not one then
    return nil, ("a gate is SUBJECT.MEASURE<LIMIT, such as h2d.mean<5%%, total.p99<10%%, "
      .. "gpu.utilization<3%%, compute.ks<0.1 or throughput<5%%, not '%s'"):format(text)
  end
  local subject, measure = one.left:match "^(.+)%.([%w_]+)$"
  if not subject then
    subject, measure = one.left, one.left == "throughput" and "rate" or "mean"
  end
  one.text, one.subject, one.measure, one.left = text, subject, measure, nil
  return one
end

local WORDS <const> = { mean = "mean", p50 = "p50", p95 = "p95", p99 = "p99", wait = "wait" }

-- What the measures of a stage are in its row: a comparison, or a figure.
local function of_stage(found, measure)
  -- A distance of shares is a share: 0.1 and 10 % are the same limit.
  if measure == "ks" then
    return { value = found.distance.ks, share = found.distance.ks, unit = "" }
  end
  if measure == "wasserstein" then
    return { value = found.distance.wasserstein, share = found.distance.wasserstein_share,
      unit = "ns" }
  end
  return { comparison = found[WORDS[measure]], unit = found.unit or "ns" }
end

local function of_requests(score, measure)
  local row = score.per_request and score.per_request[1]
  if not row then return nil, "the runs have not the same requests; run:replay makes them so" end
  if measure == "bias" then return { value = row.bias_ns, share = row.bias_share, unit = "ns" } end
  local value = row[measure == "mean" and "mean_abs_ns" or measure .. "_ns"]
  return { value = value, unit = "ns", share = row.mean_abs_ns == 0 and 0
    or row.mean_abs_share and row.mean_abs_share * value / row.mean_abs_ns }
end

-- What a gate is about: { comparison } or { value, share }, and its unit; or what is wrong.
local function measured(score, one)
  local lane, known, measures = score.lanes_by_name[one.subject:upper()], {}, nil
  local found
  local stage = score.by_name[one.subject]
  -- The stage h2d is not the lane h2d: what is measured tells them apart.
  if stage and not (lane and has(OF_LANE, one.measure)) then
    measures = stage.measures or stage.wait and OF_STAGE or OF_WHOLE
    found = function() return of_stage(stage, one.measure) end
  elseif one.subject == "throughput" then
    measures = OF_THROUGHPUT
    found = function() return { comparison = score.throughput, unit = "1/s" } end
  elseif one.subject == "requests" then
    measures = OF_REQUESTS
    found = function() return of_requests(score, one.measure) end
  elseif lane then
    measures = OF_LANE
    found = function() return { comparison = lane[one.measure], unit = "" } end
  end
  if not measures then
    -- A stage and its lane may have one name.
    for name in pairs(score.by_name) do known[name] = true end
    for name in pairs(score.lanes_by_name) do known[name:lower()] = true end
    known.throughput, known.requests = true, true
    return nil, ("%s: there is no '%s'; %s"):format(one.text, one.subject,
      nearest.hint(one.subject, nearest.sorted_keys(known)))
  elseif not has(measures, one.measure) then
    return nil, ("%s: %s has no '%s'; %s"):format(one.text, one.subject, one.measure,
      nearest.hint(one.measure, measures))
  end
  local made, why = found()
  if not made then return nil, ("%s: %s"):format(one.text, why) end
  return made
end

-- The part of an interval that counts: of the size of a difference where the limit has no sign.
local function sized(one, value, low, high)
  if one.signed then return value, low, high end
  if not low then return math.abs(value) end
  local least = low <= 0 and high >= 0 and 0 or math.min(math.abs(low), math.abs(high))
  return math.abs(value), least, math.max(math.abs(low), math.abs(high))
end

local function worded(value, one, unit)
  if one.relative then return format.percent(value) end
  if unit == "ns" then return format.time(value / 1e9) end
  return format.quantity(value, "count")
end

-- { value, low, high } in the unit of the limit, all nil where there is none.
local function value_of(one, made)
  local c = made.comparison
  if not c then
    local value = made.value
    if one.relative then value = made.share end
    return value, value, value
  elseif not (c.real and c.simulated) then
    return nil
  elseif one.relative then
    return c.difference, c.low, c.high
  end
  local scale = c.real
  return c.simulated - c.real, c.low and c.low * scale, c.high and c.high * scale
end

--- The verdict on a gate, as a row.
---@param score tandem.ScoreParts
---@param one tandem.ScoreGate
---@return table|nil row  gate, verdict, value, low, high, limit, says
---@return string|nil message
function gate.judge(score, one)
  local made, message = measured(score, one)
  if not made then return nil, message end
  local limit
  limit, message = conditions.limit_of(one, made.unit)
  if not limit then return nil, message end
  local value, low, high = value_of(one, made)
  local row = { gate = one.text, limit = limit }
  if not value then
    local real_is_zero = made.value or made.comparison.real and made.comparison.simulated
    row.verdict, row.says = "undecided", real_is_zero
      and "the real one is 0, of which nothing is a share" or "both runs do not have it"
    return row
  end
  value, low, high = sized(one, value, low, high)
  row.value, row.low, row.high = value, low, high
  local against = conditions.worded_limit(one, limit, made.unit)
  if not low then
    row.verdict = "undecided"
    row.says = ("%s, no interval to judge it by%s"):format(worded(value, one, made.unit), against)
    return row
  end
  local at_low = conditions.holds(one.op, low, limit)
  local at_high = conditions.holds(one.op, high, limit)
  row.verdict = at_low ~= at_high and "undecided" or at_low and "holds" or "fails"
  row.says = (low == high and worded(value, one, made.unit) or ("%s, between %s and %s"):format(
    worded(value, one, made.unit), worded(low, one, made.unit), worded(high, one, made.unit)))
    .. against
  return row
end

return gate
