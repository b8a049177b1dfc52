--- The figures of simulated runs beside one another.
--
-- Owns which figures a person compares and whether their intervals leave room for a difference: the
-- runs' own, or with several runs on a side those of the mean over them. Called by tandem.diff.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local figures = {}

-- The rest of the figures says how the run was made.
local WANTED <const> = {
  run = { offered_rps = true, carried_rps = true, throughput_rps = true, goodput_rps = true,
    slo_met = true, in_system = true, ["latency.mean"] = true, ["latency.p50"] = true,
    ["latency.p90"] = true, ["latency.p95"] = true, ["latency.p99"] = true,
    ["latency.p999"] = true, ["latency.max"] = true },
  stage = { ["wait.mean"] = true, ["service.mean"] = true, batch = true },
  resource = { utilization = true, queue = true },
  llm = { ["ttft.mean"] = true, ["ttft.p50"] = true, ["ttft.p99"] = true, ["tpot.mean"] = true,
    ["tpot.p50"] = true, ["tpot.p99"] = true, ["itl.p99"] = true, ["e2e.p99"] = true,
    ["normalized.mean"] = true, output_tokens_per_s = true, prompt_tokens_per_s = true,
    usd_per_million_tokens = true, goodput_rps = true, slo_met = true, batch = true,
    kv_mean = true, kv_peak = true, preemptions = true, cached = true },
  recorded = { mean = true },
}

local SELECT <const> = [[
SELECT scope, subject, name, unit, value FROM metric WHERE run = ? AND value IS NOT NULL
ORDER BY id]]

local function of_run(run)
  local order, by_key = {}, {}
  for _, row in ipairs(run.store.db:all(SELECT, run.number) or {}) do
    local key = ("%s\0%s\0%s"):format(row.scope, row.subject or "", row.name)
    if not by_key[key] then order[#order + 1] = key end
    by_key[key] = row
  end
  return order, by_key
end

-- The intervals of the two leave room for no difference.
local function is_noise(a, b, half)
  if not half then return nil end
  return math.abs(a - b) <= half
end

-- Too few requests for an interval: nobody knows how far it may be off.
local function lacks(by_key, key) return by_key[key .. ".needs"] ~= nil end

local function half_of(by_key, key)
  local row = by_key[key .. ".half"]
  return row and row.value
end

-- The figures of a side: of its run, or means over those figures that all its runs have.
local function of_side(runs)
  local order, first = of_run(runs[1])
  local side, others = { order = {}, value = {}, half = {}, lacks = {}, row = first }, {}
  for i = 2, #runs do others[i] = select(2, of_run(runs[i])) end
  for _, key in ipairs(order) do
    local values = { first[key].value }
    for i = 2, #runs do values[#values + 1] = others[i][key] and others[i][key].value end
    if #values == #runs then
      side.order[#side.order + 1] = key
      side.value[key] = values[1]
      side.half[key] = half_of(first, key)
      side.lacks[key] = #runs == 1 and lacks(first, key) or nil
      if #runs > 1 then
        side.value[key], side.half[key] = require("tandem.core").stats.interval(values)
      end
    end
  end
  return side
end

--- Rows: scope, subject, name, unit, a, b, their half-widths, change, noise, and whether a side
--- has too few requests to tell (unsure).
---@param a tandem.Run[]
---@param b tandem.Run[]
---@return table[]
function figures.rows(a, b)
  local of_a, of_b = of_side(a), of_side(b)
  local order, rows = of_a.order, {}
  for _, key in ipairs(of_b.order) do
    if not of_a.value[key] then order[#order + 1] = key end
  end
  for _, key in ipairs(order) do
    local x, y = of_a.value[key], of_b.value[key]
    local one = of_a.row[key] or of_b.row[key]
    if WANTED[one.scope] and WANTED[one.scope][one.name] then
      local row = { scope = one.scope, subject = one.subject, name = one.name, unit = one.unit,
        a = x, b = y, a_half = of_a.half[key], b_half = of_b.half[key] }
      if x and y then
        row.change = x ~= 0 and (y - x) / math.abs(x) or nil
        row.half = (row.a_half or row.b_half)
          and math.sqrt((row.a_half or 0) ^ 2 + (row.b_half or 0) ^ 2) or nil
        row.noise = is_noise(x, y, row.half)
        row.unsure = of_a.lacks[key] or of_b.lacks[key]
      end
      rows[#rows + 1] = row
    end
  end
  return rows
end

local KINDS <const> = { s = "time", ["1/s"] = "rate", B = "bytes" }

local function estimate_cell(which)
  return function(value, row)
    if value == nil then return "–" end
    local kind = (row.name == "utilization" or row.name == "slo_met") and "percent"
      or KINDS[row.unit] or "count"
    local shown = format.estimate({ value = value, half = row[which .. "_half"] }, kind)
    return row.unsure and not row[which .. "_half"] and "≈ " .. shown or shown
  end
end

local function clean(value) return value and styles.clean(value) or "" end

---@type tandem.RowColumn[]
figures.columns = {
  { name = "scope", hidden = true },
  { name = "subject", title = "of", show = function(value) return clean(value or "the run") end },
  { name = "name", title = "figure", show = clean },
  { name = "unit", hidden = true },
  { name = "a", title = "A", align = "right", show = estimate_cell "a" },
  { name = "b", title = "B", align = "right", show = estimate_cell "b" },
  { name = "a_half", hidden = true },
  { name = "b_half", hidden = true },
  { name = "half", hidden = true },
  { name = "change", title = "change", align = "right", show = function(value, row)
    local why = row.noise and "within the noise" or row.unsure and "too few requests"
    if why and value ~= 0 then return { text = why, color = "dim" } end
    return format.change(value)
  end },
  { name = "noise", hidden = true },
  { name = "unsure", hidden = true },
}

return figures
