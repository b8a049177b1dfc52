--- Coefficients of a step model from steps whose batch and time were logged, or from seconds of a
-- server.
-- Owns outliers: iterations in which an engine compiled or captured graphs take a hundred times as
-- long as their batch. Called by init.lua.

local holdout = require "tandem.llm.calibrate.holdout"
local regression = require "tandem.llm.calibrate.regression"

local steps = {}

local NAMES <const> = { "step", "prefill_tokens", "decode_seqs", "decode_context",
  "prefill_attention", "prefill_seqs", "prefill_step", "prefill_context", "decode_context_max" }
local OUTLIER <const> = 10 -- times the median error
local PASSES <const> = 5

local function predict(b, x)
  local y = 0
  for _, name in ipairs(NAMES) do y = y + (b[name] or 0) * (x[name] or 0) end
  return y
end

-- Rows without those that are far from the fit of all; least errors are of the fit's own size.
local function without_outliers(rows, b)
  local errors = {}
  for i, row in ipairs(rows) do errors[i] = math.abs(row.y - predict(b, row.x)) end
  local sorted = table.move(errors, 1, #errors, 1, {})
  table.sort(sorted)
  local kept, limit = {}, OUTLIER * holdout.quantile(sorted, 0.5)
  for i, row in ipairs(rows) do
    if errors[i] <= limit + 0.5 * row.y then kept[#kept + 1] = row end
  end
  return kept
end

-- Far outliers bend the first fit; the farthest are seen without one.
local function start(rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = row.y end
  table.sort(list)
  local most = 20 * holdout.quantile(list, 0.9)
  local kept = {}
  for _, row in ipairs(rows) do
    if row.y <= most then kept[#kept + 1] = row end
  end
  return kept
end

local function ranges_of(rows)
  local range
  for _, row in ipairs(rows) do
    local batch = (row.x.decode_seqs or 0) / row.x.step
    if batch > 0 then
      range = range or { batch, batch }
      range[1], range[2] = math.min(range[1], batch), math.max(range[2], batch)
    end
  end
  return { batch = range }
end

-- What was not logged is not zero.
local function logged(list)
  local names, missing = {}, {}
  for _, name in ipairs(NAMES) do
    local there = false
    for _, step in ipairs(list) do there = there or step.x[name] ~= nil end
    if there then
      names[#names + 1] = name
    else
      missing[#missing + 1] = { name = name, why = "the data do not say it" }
    end
  end
  return names, missing
end

---@param measured tandem.llm.Measured
---@param options table  hold, split, seed
---@return table|nil answer
---@return string|nil message
function steps.fit(measured, options)
  local held = holdout.split(#measured.steps, options)
  local rows, asked = {}, {}
  for i, step in ipairs(measured.steps) do
    local row = { y = step.y, x = step.x, group = "step", position = i }
    table.insert(held(i) and asked or rows, row)
  end
  if #rows < 4 then return nil, ("%d to fit to: too few steps, 4 at least"):format(#rows) end
  local all, names, missing = #rows, logged(measured.steps)
  rows = start(rows)
  for _ = 1, PASSES do
    local fitted, why = regression.fit(rows, names, { errors = false })
    if not fitted then return nil, why end
    local kept = without_outliers(rows, fitted.b)
    if #kept == #rows then break end
    rows = kept
  end
  local fitted, why = regression.fit(rows, names, { seed = options.seed })
  if not fitted then return nil, why end
  table.move(missing, 1, #missing, #fitted.refused + 1, fitted.refused)
  local predicted, observed = {}, {}
  for i, row in ipairs(asked) do
    predicted[i], observed[i] = predict(fitted.b, row.x), row.y
  end
  return { regression = fitted, b = fitted.b, fitted = all, held = #asked, outliers = all - #rows,
    ranges = ranges_of(rows),
    rows = { holdout.row(measured.kind == "series" and "interval" or "step", predicted,
      observed) } }
end

return steps
