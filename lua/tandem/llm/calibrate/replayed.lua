--- Coefficients of a step model from requests alone: how long each waited for its first token and
-- for the others, without a word of the steps.
--
-- Which steps there were depends on how long they took. So the requests are replayed under a first
-- guess; in that schedule each measured time is a sum of terms, whose coefficients a regression
-- gives; with these they are replayed again, until coefficients and schedule agree. All requests
-- are the load; only those that are not held out are fitted. Owns the iteration. Called by init.lua.

local core = require "tandem.core"
local holdout = require "tandem.llm.calibrate.holdout"
local regression = require "tandem.llm.calibrate.regression"

local replayed = {}

local PASSES <const> = 80
local PATIENCE <const> = 15      -- passes without a better one
local SETTLED <const> = 1e-5     -- relative change of a time

-- Terms by how much they are needed. request: of a request, before an engine has it.
local NAMES <const> = { "step", "prefill_tokens", "request", "decode_context", "decode_seqs",
  "prefill_attention", "prefill_seqs", "prefill_step" }

local FEW <const> = { "step", "prefill_tokens", "request", "decode_context", "decode_seqs" }

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

local function replay(self, b)
  local delay = math.floor((b.request or 0) * 1e9 + 0.5)
  local requests = {}
  for i, r in ipairs(self.requests) do
    requests[i] = { at_ns = math.floor(r.at_s * 1e9 + 0.5) + delay, prompt = r.prompt,
      output = r.output }
  end
  local model, message = model_of(b)
  if not model then return nil, message end
  return core.serving.replay(self.config, model, requests, true)
end

--- Simulated times of a request as the measuring clock has them, seconds.
local function times_of(self, b, r, o)
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
      rows[#rows + 1] = { y = measured.ttft, x = first, group = "ttft", place = i }
      if measured.tpot and measured.tpot > 0 then
        local rest = {}
        for name, value in pairs(o.rest) do rest[name] = value / (r.output - 1) end
        rows[#rows + 1] = { y = measured.tpot, x = rest, group = "tpot", place = i }
      end
    end
  end
  return rows
end

-- Weighted squares of what the simulation misses; the regression weighs the same way.
local function loss_of(rows, b)
  local sums, counts = {}, {}
  for _, row in ipairs(rows) do
    sums[row.group] = (sums[row.group] or 0) + row.y
    counts[row.group] = (counts[row.group] or 0) + 1
  end
  local loss = 0
  for _, row in ipairs(rows) do
    local mean, y = sums[row.group] / counts[row.group], 0
    for name, x in pairs(row.x) do y = y + (b[name] or 0) * x end
    loss = loss + (y - row.y) ^ 2 / (mean * math.max(row.y, 0.05 * mean) * counts[row.group])
  end
  return loss
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
  for _, name in ipairs(wanted or NAMES) do
    if not (name == "request" and self.clock == "engine" or name == "decode_seqs" and equal) then
      names[#names + 1] = name
    end
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

local function between(a, b)
  local out = {}
  for _, name in ipairs(NAMES) do
    local value = ((a[name] or 0) + (b[name] or 0)) / 2
    if value > 0 then out[name] = value end
  end
  return out
end

-- ---- the fit

-- Replays and regressions in turn from `b`; the pass whose simulation is nearest to the measured
-- times.
local function iterate(self, b, wanted)
  local best, last, since = nil, math.huge, 0
  for pass = 1, PASSES do
    local outcomes, message = replay(self, b)
    if not outcomes then return nil, message end
    local rows = rows_of(self, outcomes)
    local loss = loss_of(rows, b)
    since = since + 1
    if not best or loss < best.loss then
      best = { loss = loss, b = b, rows = rows, outcomes = outcomes }
      since = 0
    end
    local fitted, why = regression.fit(rows, (names_of(self, rows, wanted)), { errors = false })
    if not fitted then return nil, why end
    -- Where a pass went too far the way between is taken.
    local next_b = loss > last and pass > 2 and between(b, fitted.b) or fitted.b
    if since >= PATIENCE or change(b, next_b, rows) < SETTLED then break end
    b, last = next_b, loss
  end
  return best
end

-- Few terms first: they lead to a schedule near the real one, in which others can be told.
local function best_of(self)
  local few, message = iterate(self, start_of(self), FEW)
  if not few then return nil, message end
  local all = iterate(self, few.b)
  return all and all.loss < few.loss and all or few
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
  local all = regression.fit(best.rows, names, { errors = false })
  fitted.names, fitted.refused = used, {}
  for _, name in ipairs(used) do fitted.errors[name] = fitted.errors[name] or best.b[name] end
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

local function hold_rows(self, best)
  local predicted, observed = { ttft = {}, tpot = {}, e2e = {} }, { ttft = {}, tpot = {}, e2e = {} }
  for i, r in ipairs(self.requests) do
    if self.held(i) then
      local mine, theirs = times_of(self, best.b, r, best.outcomes[i]), measured_of(r)
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
    held = holdout.split(#measured.requests, options) }
  local count = 0
  for i = 1, #self.requests do
    if not self.held(i) then count = count + 1 end
  end
  if count < 4 then
    return nil, ("%d requests to fit to are too few; 4 at least"):format(count)
  end
  local best, message = best_of(self)
  if not best then return nil, message end
  local fitted, why = told_of(self, best, options.seed)
  if not fitted then return nil, why end
  local preemptions = 0
  for _, o in ipairs(best.outcomes) do preemptions = preemptions + o.preemptions end
  return { regression = fitted, b = best.b, fitted = count, rows = hold_rows(self, best),
    held = #self.requests - count, ranges = ranges_of(best.rows), preemptions = preemptions }
end

return replayed
