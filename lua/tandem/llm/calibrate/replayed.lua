--- Coefficients of a step model from requests alone: how long each waited for its first token and
-- for the others, without a word of the steps.
--
-- Which steps there were depends on how long they took. So the requests are replayed under a first
-- guess; in that schedule each measured time is a sum of terms, whose coefficients a regression
-- gives; with these they are replayed again, until coefficients and schedule agree. All requests
-- are the load; only those that are not held out are fitted. Owns the iteration. Called by
-- init.lua.

local core = require "tandem.core"
local holdout = require "tandem.llm.calibrate.holdout"
local regression = require "tandem.llm.calibrate.regression"

local replayed = {}

local PASSES <const> = 40
local PATIENCE <const> = 6       -- passes without a better one
local REPLAYS <const> = 8        -- of a pass, in the end
local LAST <const> = 8           -- passes whose differences count as errors
local JITTER <const> = 0.004     -- by which their steps differ in length
local FAR <const> = 4            -- times the least loss
local SHARE_LEAST <const> = 1 / 256
local SETTLED <const> = 1e-5     -- relative change of a time

-- Terms by how much they are needed. request: of a request, before an engine has it.
local NAMES <const> = { "step", "prefill_tokens", "request", "decode_context", "decode_seqs",
  "prefill_attention", "prefill_seqs", "prefill_step" }

local FEW <const> = { "step", "prefill_tokens", "request", "decode_context", "decode_seqs" }

local OPEN <const> = 0.5         -- standard error over value from which a term is left out

-- Batches that differ by less than this factor do not tell what a sequence costs.
local BATCHES_LEAST <const> = 1.3

-- ---- one pass

local function model_of(b)
  local piece = {}
  for name, value in pairs(b) do
    if name ~= "request" then piece[name] = value end
  end
  return core.llm.step { kind = "affine", pieces = { piece }, floor_s = 1e-6 }
end

local function replay(self, b, factor)
  local delay = math.floor((b.request or 0) * 1e9 + 0.5)
  local requests, scaled = {}, {}
  for i, r in ipairs(self.requests) do
    requests[i] = { at_ns = math.floor(r.at_s * 1e9 + 0.5) + delay, prompt = r.prompt,
      output = r.output, hashes = r.hashes }
  end
  for name, value in pairs(b) do scaled[name] = value * factor end
  local model, message = model_of(scaled)
  if not model then return nil, message end
  return core.serving.replay(self.config, model, requests, true)
end

local PARTS <const> = { "waited", "first", "rest" }

--- Outcomes with the mean terms of several replays. How far the engine was in a step when a request
--- came is chance, in the replay as it was in the world: the mean over steps of slightly other
--- lengths leaves only the world's.
local function replay_often(self, b, count)
  local mean
  for k = 1, count do
    local outcomes, message = replay(self, b, 1 + JITTER * ((2 * k - 1) / count - 1) / 2)
    if not outcomes then return nil, message end
    mean = mean or outcomes
    for i, o in ipairs(outcomes) do
      for _, part in ipairs(PARTS) do
        for name, value in pairs(o[part]) do
          mean[i][part][name] = (k > 1 and mean[i][part][name] or 0) + value / count
        end
      end
    end
  end
  return mean
end

--- Simulated times of a request as the measuring clock has them, seconds.
local function times_of(self, r, o)
  local from = self.clock == "engine" and o.queued_ns or math.floor(r.at_s * 1e9 + 0.5)
  local ttft, e2e = (o.first_token_ns - from) * 1e-9, (o.finished_ns - from) * 1e-9
  return { ttft = ttft, e2e = e2e, tpot = r.output > 1 and (e2e - ttft) / (r.output - 1) or nil }
end

local function measured_of(r)
  return { ttft = r.ttft_s, e2e = r.e2e_s,
    tpot = r.output > 1 and (r.e2e_s - r.ttft_s) / (r.output - 1) or nil }
end

local function sum_of(a, b)
  local sum = {}
  for name, value in pairs(a) do sum[name] = value + b[name] end
  return sum
end

-- Measured times of the requests that are fitted, as terms of this schedule.
local function rows_of(self, outcomes)
  local rows, client = {}, self.clock == "client"
  for i, r in ipairs(self.requests) do
    if not self.held(i) then
      local o, measured = outcomes[i], measured_of(r)
      local first = client and sum_of(o.waited, o.first) or o.first
      if client then first.request = 1 end
      rows[#rows + 1] = { y = measured.ttft, x = first, group = "ttft", position = i }
      if measured.tpot and measured.tpot > 0 then
        local rest = {}
        for name, value in pairs(o.rest) do rest[name] = value / (r.output - 1) end
        rows[#rows + 1] = { y = measured.tpot, x = rest, group = "tpot", position = i }
      end
    end
  end
  return rows
end

-- ---- the first guess, and what the data can tell

local function start_of(self)
  local tpots, prefills = {}, {}
  for i, r in ipairs(self.requests) do
    if not self.held(i) then
      local measured = measured_of(r)
      if measured.tpot and measured.tpot > 0 then tpots[#tpots + 1] = measured.tpot end
      prefills[#prefills + 1] = r.ttft_s / r.prompt
    end
  end
  table.sort(tpots)
  table.sort(prefills)
  return { step = #tpots > 0 and 0.7 * holdout.quantile(tpots, 0.1) or nil,
    prefill_tokens = 0.7 * holdout.quantile(prefills, 0.1) }
end

local function ranges_of(rows)
  local range = {}
  local function widen(name, value)
    local r = range[name] or { value, value }
    range[name] = r
    r[1], r[2] = math.min(r[1], value), math.max(r[2], value)
  end
  for _, row in ipairs(rows) do
    if row.group == "tpot" then
      widen("batch", row.x.decode_seqs / row.x.step)
      widen("context", row.x.decode_context / math.max(row.x.decode_seqs, 1e-9))
    end
  end
  return range
end

local function names_of(self, rows, wanted)
  local range, names = ranges_of(rows).batch, {}
  local equal = not range or range[2] < BATCHES_LEAST * range[1]
  local left_out = { request = self.clock == "engine", decode_seqs = equal }
  for _, name in ipairs(wanted or NAMES) do
    if not (left_out[name] or self.dropped[name]) then names[#names + 1] = name end
  end
  return names, equal and range
end

local function change(a, b, rows)
  local most = 0
  for _, name in ipairs(NAMES) do
    local difference, x = math.abs((a[name] or 0) - (b[name] or 0)), 0
    if difference > 0 then
      for _, row in ipairs(rows) do x = math.max(x, (row.x[name] or 0) / row.y) end
    end
    most = math.max(most, difference * x)
  end
  return most
end

-- A share of the way from one to the other.
local function toward(a, b, share)
  local out = {}
  for _, name in ipairs(NAMES) do
    local value = (a[name] or 0) + share * ((b[name] or 0) - (a[name] or 0))
    if value > 0 then out[name] = value end
  end
  return out
end

-- ---- the fit

-- One regression in the schedule of `b`; keeps it where it is the best.
local function improve(self, b, wanted, pass)
  local fitted, why = regression.fit(pass.rows, (names_of(self, pass.rows, wanted)),
    { errors = false })
  if not fitted then return nil, why end
  local best = pass.best
  best.fits[#best.fits + 1] = fitted.b
  if pass.loss < best.loss then
    best.loss, best.b, best.rows, best.fitted, best.since = pass.loss, b, pass.rows, fitted.b, 0
  end
  best.since = best.since + 1
  return fitted.b
end

-- Replays and regressions in turn from `b`; the pass whose simulation is nearest to the measured
-- times. Where a pass went much too far, since steps that take too long pile up requests, only a
-- share of its way is gone.
local function iterate(self, b, wanted, replays)
  local best, last, share = { loss = math.huge, fits = {}, since = 0 }, math.huge, 1
  for pass = 1, PASSES do
    local outcomes, message = replay_often(self, b, replays)
    if not outcomes then return nil, message end
    local rows = rows_of(self, outcomes)
    local loss = regression.loss(rows, b)
    if loss > FAR * best.loss then
      share = share / 2
      if share < SHARE_LEAST then break end
      b = toward(best.b, best.fitted, share)
    else
      local fitted, why = improve(self, b, wanted, { rows = rows, loss = loss, best = best })
      if not fitted then return nil, why end
      -- What went back and forth goes the way between.
      local next_b = loss > last and pass > 2 and toward(b, fitted, 0.5) or fitted
      best.settled = change(b, next_b, rows) < SETTLED
      if best.since > PATIENCE or best.settled then break end
      b, last, share = next_b, loss, 1
    end
  end
  return best
end

-- Few terms first: they lead to a schedule near the real one, in which others can be told.
local function best_of(self)
  local few, message = iterate(self, start_of(self), FEW, 1)
  if not few then return nil, message end
  self.replays = few.settled and 1 or REPLAYS
  return iterate(self, few.b, nil, self.replays)
end

-- What coefficients differ by from pass to pass is the schedules' doing: an error of its own.
local function add_wander(fitted, fits)
  for _, name in ipairs(fitted.names) do
    local list = {}
    for i = math.max(1, #fits - LAST + 1), #fits do list[#list + 1] = fits[i][name] end
    local _, sd = core.stats.moments(list)
    if sd then fitted.errors[name] = math.sqrt(fitted.errors[name] ^ 2 + sd ^ 2) end
  end
end

-- The terms in use with their errors, and why others are not.
local function told_of(self, best, seed)
  local names, equal = names_of(self, best.rows)
  local used = {}
  for _, name in ipairs(names) do
    if best.b[name] then used[#used + 1] = name end
  end
  local fitted, message = regression.fit(best.rows, used, { seed = seed })
  if not fitted then return nil, message end
  add_wander(fitted, best.fits)
  local all = regression.fit(best.rows, names, { errors = false })
  fitted.refused = {}
  for _, refused in ipairs(all and all.refused or {}) do
    if not best.b[refused.name] then table.insert(fitted.refused, refused) end
  end
  if equal then
    table.insert(fitted.refused, { name = "decode_seqs", why = ("all decode steps had about as "
      .. "many sequences (%.1f to %.1f): what another one costs is not in this data"):format(
      equal[1], equal[2]) })
  end
  return fitted
end

--- The term that is least sure, nil when all are; without the first two there is no model.
local function unsure(self, best, fitted)
  local found, worst = nil, OPEN
  for i, name in ipairs(NAMES) do
    if best.b[name] and i > 2 and not self.dropped[name] then
      local share = (fitted.errors[name] or math.huge) / best.b[name]
      if share > worst then found, worst = name, share end
    end
  end
  return found
end

-- Fits until all terms are sure enough.
local function settle(self, seed)
  local refused = {}
  local best, message = best_of(self)
  while true do
    if not best then return nil, message end
    local fitted, why = told_of(self, best, seed)
    if not fitted then return nil, why end
    local name = unsure(self, best, fitted)
    if not name then
      for used in pairs(best.b) do
        if not fitted.b[used] then best.b[used] = nil end
      end
      table.move(refused, 1, #refused, #fitted.refused + 1, fitted.refused)
      return best, fitted
    end
    self.dropped[name] = true
    refused[#refused + 1] = { name = name, why = "too uncertain beside the others" }
    best.b[name] = nil
    best, message = iterate(self, best.b, nil, self.replays)
  end
end

local function hold_rows(self, outcomes)
  local predicted, observed = { ttft = {}, tpot = {}, e2e = {} }, { ttft = {}, tpot = {}, e2e = {} }
  for i, r in ipairs(self.requests) do
    if self.held(i) then
      local mine, theirs = times_of(self, r, outcomes[i]), measured_of(r)
      for name, value in pairs(theirs) do
        if value > 0 then
          table.insert(observed[name], value)
          table.insert(predicted[name], mine[name])
        end
      end
    end
  end
  local rows = {}
  for _, name in ipairs { "ttft", "tpot", "e2e" } do
    rows[#rows + 1] = holdout.row(name:upper(), predicted[name], observed[name])
  end
  return rows
end

---@param measured tandem.llm.Measured
---@param config table    of core.serving.replay
---@param options table   hold, split, seed
---@return table|nil answer  regression, b, rows, ranges
---@return string|nil message
function replayed.fit(measured, config, options)
  local self = { requests = measured.requests, clock = measured.clock, config = config,
    dropped = {}, held = holdout.split(#measured.requests, options) }
  local count = 0
  for i = 1, #self.requests do
    if not self.held(i) then count = count + 1 end
  end
  if count < 4 then
    return nil, ("%d to fit to: too few requests, 4 at least"):format(count)
  end
  local best, fitted = settle(self, options.seed)
  if not best then return nil, fitted end
  local preemptions = 0
  local outcomes, why = replay(self, best.b, 1)
  if not outcomes then return nil, why end
  for _, o in ipairs(outcomes) do preemptions = preemptions + o.preemptions end
  return { regression = fitted, b = best.b, fitted = count, rows = hold_rows(self, outcomes),
    held = #self.requests - count, ranges = ranges_of(best.rows), preemptions = preemptions }
end

return replayed
