--- The verdict: a line for each figure that counts, and one that sums them up.
--
-- Owns which figures these are, that their intervals hold together, and what a line says where
-- there is no interval. Used by init.lua.
local compare = require "tandem.score.compare"
local format = require "tandem.text.format"
local lanes = require "tandem.score.lanes"
local samples = require "tandem.score.samples"

local verdict = {}

-- Eight batches are the fewest that batch means take.
local LEAST <const> = 8

local function why_none(made, count, kind)
  if count < LEAST then return ("%s: too few"):format(format.plural(count, "value")) end
  if not made.difference then return "the real one is 0" end
  if made.needs and made.needs > count then
    if kind == "lane" then return ("needs about %.2g× the time"):format(made.needs / count) end
    return ("needs about %s %s"):format(format.about(made.needs),
      kind == "stage" and "visits" or "requests")
  end
  return "it drifts or varies too much"
end

--- One line.
---@param name string
---@param kind string
---@param unit string
---@param made tandem.Comparison
---@param count integer  values that it rests on
---@param within number
---@return table
function verdict.line(name, kind, unit, made, count, within)
  local row = { name = name, kind = kind, unit = unit, real = made.real,
    simulated = made.simulated, difference = made.difference, low = made.low, high = made.high }
  row.verdict = compare.verdict(made, within)
  if not made.low then row.says = why_none(made, count, kind) end
  return row
end

-- Of what one run has only.
local function lone(name, side, kind, value, unit)
  return { name = name, kind = kind, unit = unit, [side] = value, verdict = "only " .. side }
end

local function mean_of(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return #values > 0 and sum / #values or nil
end

--- How many lines compare something.
---@param scorer tandem.Scorer
---@return integer
function verdict.lines(scorer)
  local count = #scorer.both + 2
  for _, pair in ipairs(scorer.lane_pairs) do
    if pair.real and pair.simulated then count = count + 1 end
  end
  return count
end

local function add_stages(rows, scorer, means)
  for _, name in ipairs(scorer.both) do
    local made, count = means(scorer.real.by_name[name], scorer.simulated.by_name[name], "own")
    rows[#rows + 1] = verdict.line(name, "stage", "ns", made, count, scorer.own.within)
  end
  for _, name in ipairs(scorer.only_real) do
    rows[#rows + 1] = lone(name, "real", "stage", mean_of(scorer.real.by_name[name].own), "ns")
  end
  for _, name in ipairs(scorer.only_simulated) do
    rows[#rows + 1] = lone(name, "simulated", "stage", mean_of(scorer.simulated.by_name[name].own),
      "ns")
  end
end

local function add_lanes(rows, scorer, confidence)
  for _, pair in ipairs(scorer.lane_pairs) do
    local made = lanes.compare(pair, "busy", scorer.paired, confidence)
    local name = pair.name .. " utilization"
    if pair.real and pair.simulated then
      rows[#rows + 1] = verdict.line(name, "lane", "", made, scorer.time.window.slices,
        scorer.own.within)
    else
      local side = pair.real and "real" or "simulated"
      rows[#rows + 1] = lone(name, side, "lane", mean_of(pair[side].busy), "")
    end
  end
end

--- The line over all.
---@param rows table[]
---@return table
function verdict.overall(rows)
  local off, open, only = {}, {}, {}
  for _, row in ipairs(rows) do
    if row.verdict == "off" then
      off[#off + 1] = ("%s %s"):format(row.name, format.change(row.difference))
    elseif row.verdict == "cannot tell" then
      open[#open + 1] = row.name
    elseif row.verdict ~= "within" then
      only[#only + 1] = ("%s is in the %s run only"):format(row.name,
        row.verdict:match "^only (.+)$")
    end
  end
  local says = {}
  if #off > 0 then says[1] = format.list(off) end
  if #open > 0 then says[#says + 1] = (#off > 0 and "cannot tell: " or "") .. format.list(open) end
  if #only > 0 then says[#says + 1] = table.concat(only, ", ") end
  return { name = "overall", kind = "overall", verdict = #off > 0 and "off"
    or #says > 0 and "cannot tell" or "within",
    says = #says > 0 and table.concat(says, "; ") or "every line" }
end

--- The lines, the one over all of them last.
---@param scorer tandem.Scorer
---@return table[]
function verdict.rows(scorer)
  local own, rows = scorer.own, {}
  -- So that all intervals hold at once (Bonferroni).
  local confidence = 1 - (1 - own.confidence) / verdict.lines(scorer)
  local function means(a, b, key)
    return compare.means(a[key], b[key], scorer.paired and samples.are_paired(a, b), confidence,
      (key ~= "own" or b.shared) and scorer.smooth or nil), math.min(#a[key], #b[key])
  end
  add_stages(rows, scorer, means)
  local made, count = means(scorer.real, scorer.simulated, "total")
  rows[#rows + 1] = verdict.line("total", "total", "ns", made, count, own.within)
  made, count = scorer:throughput(confidence)
  rows[#rows + 1] = verdict.line("throughput", "throughput", "1/s", made, count, own.within)
  add_lanes(rows, scorer, confidence)
  rows[#rows + 1] = verdict.overall(rows)
  return rows
end

return verdict
