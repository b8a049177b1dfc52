--- The load of a run as distributions: more of the same, not the same again.
--
-- Owns the choice of an arrival process and of distributions for sizes. Fitting is core.estimate's;
-- what a request's sizes are, visits/arrivals.lua's. Called as v:load() of tandem.Visits and by
-- visits/replayed.lua.
local arrivals = require "tandem.visits.arrivals"
local core = require "tandem.core"
local dist = require "tandem.dist"
local format = require "tandem.format"
local processes = require "tandem.arrivals"

local load_of = {}

---@class tandem.VisitsLoad
---@field workload table  an arrival process
---@field attrs table<string, any>  numbers and distributions of the sizes
---@field notes string[]  what was chosen, and why

-- A family is kept when so bad a fit, or a worse one, has at least this chance.
local LEAST_P <const> = 0.05
local DRAWS <const> = 400
-- Evenly paced: so little spread is a timer's.
local PACED_CV <const> = 0.01
-- So unlikely must it be that independent arrivals never met.
local CLOSED_P <const> = 0.01
-- Values of an empirical distribution: more are thinned to as many quantiles.
local MOST_VALUES <const> = 500

local function spread(values)
  local seen = core.estimate.mean(values)
  return seen.mean, seen.mean ~= 0 and (seen.sd or 0) / math.abs(seen.mean) or 0, seen.correlation
end

-- Distinct values with how often each came; quantiles where there are many.
local function empirical(values)
  local sorted, distinct, weights = table.move(values, 1, #values, 1, {}), {}, {}
  table.sort(sorted)
  for _, value in ipairs(sorted) do
    local n = #distinct
    if distinct[n] == value then
      weights[n] = weights[n] + 1
    else
      distinct[n + 1], weights[n + 1] = value, 1
    end
  end
  if #distinct == 1 then return distinct[1] end
  if #distinct <= MOST_VALUES then
    return dist.empirical { values = distinct, weights = weights }
  end
  local levels, thinned = {}, {}
  for i = 1, MOST_VALUES do levels[i] = (i - 0.5) / MOST_VALUES end
  for i, one in ipairs(core.estimate.quantiles(values, levels)) do thinned[i] = one.value end
  return dist.empirical { values = thinned }
end

-- The first family that may have made the values; its fit.
local function family_of(values, names)
  for _, name in ipairs(names) do
    local fit = core.estimate.family(values, name, DRAWS)
    if fit and fit.p and fit.p >= LEAST_P then return name, fit end
  end
end

local function shown(fit) return ("p = %.2g of Kolmogorov's test"):format(fit.p) end

-- No two requests were ever in the system together. Would independent arrivals have met? The chance
-- that a Poisson stream of their rate leaves all of these times alone is exp(−Σ durations × rate).
local function is_closed(requests, count, mean_gap)
  local busy = 0
  for i = 1, count - 1 do
    if requests.arrival_ns[i + 1] < requests.end_ns[i] then return false end
    busy = busy + (requests.end_ns[i] - requests.arrival_ns[i]) / 1e9
  end
  return mean_gap > 0 and math.exp(-busy / mean_gap) < CLOSED_P
end

local function closed(requests, count, notes)
  local think = {}
  for i = 1, count - 1 do
    think[i] = (requests.arrival_ns[i + 1] - requests.end_ns[i]) / 1e9
  end
  local mean, cv = spread(think)
  notes[#notes + 1] = "each request came after the one before had ended, so often that this is no "
    .. "accident: one user, who thinks " .. format.time(mean) .. " on average"
  local thinks = cv <= PACED_CV and mean or empirical(think)
  return processes.closed { users = 1, think = thinks, requests = count }
end

local function rows(visits, why, notes)
  notes[#notes + 1] = why .. ": the arrivals themselves are replayed"
  return processes.replay { rows = (arrivals.rows(visits)) }
end

local function process_of(visits, notes)
  local requests, count, gaps = visits:requests(), visits.count, {}
  for i = 1, count - 1 do
    gaps[i] = (requests.arrival_ns[i + 1] - requests.arrival_ns[i]) / 1e9
  end
  local mean, cv, correlation = spread(gaps)
  if is_closed(requests, count, mean) then return closed(requests, count, notes) end
  if not (mean > 0) then return rows(visits, "all requests came at once", notes) end
  if cv <= PACED_CV then
    notes[#notes + 1] = ("gaps of %s with a coefficient of variation of %.2g: evenly paced")
      :format(format.time(mean), cv)
    return processes.paced { rps = 1 / mean, requests = count }
  end
  if math.abs(correlation) * math.sqrt(#gaps) > core.stats.normal_quantile(0.995) then
    return rows(visits, ("a gap tells of the next (their correlation is %.2f)"):format(correlation),
      notes)
  end
  local name, fit = family_of(gaps, { "exponential", "gamma" })
  if name == "exponential" then
    notes[#notes + 1] = ("gaps are exponential (%s): Poisson arrivals"):format(shown(fit))
    return processes.poisson { rps = 1 / mean, requests = count }
  elseif name then
    notes[#notes + 1] = ("gaps are gamma distributed (%s)"):format(shown(fit))
    return processes.renewal { rps = 1 / fit.mean, cv = fit.cv, requests = count }
  end
  return rows(visits, "gaps are neither constant nor exponential nor gamma distributed", notes)
end

-- Sizes that hang together do so no longer when each is drawn by itself.
local function warn_of_ties(columns, names, notes)
  if #names > 1 then
    notes[#notes + 1] = ("%s are drawn independently of one another"):format(
      format.list(names))
  end
  for _, note in ipairs(columns.notes) do notes[#notes + 1] = note end
end

--- Arrivals and sizes as distributions that a scenario takes: base:with { workload = l.workload,
--- attrs = l.attrs }.
---@param visits tandem.Visits
---@return tandem.VisitsLoad|nil
---@return string|nil message
---@return integer|nil code
function load_of.of(visits)
  if visits.count < 2 then
    return nil, "one request has no gap to another: nothing says how they arrive", 3
  end
  local notes = {}
  local workload = process_of(visits, notes)
  local columns, attrs, varied = arrivals.columns(visits), {}, {}
  -- Rows have the sizes too.
  for _, name in ipairs(workload.type == "replay" and {} or columns.names) do
    attrs[name] = empirical(columns.values[name])
    if type(attrs[name]) ~= "number" then varied[#varied + 1] = name end
  end
  warn_of_ties(columns, varied, notes)
  return { workload = workload, attrs = attrs, notes = notes }
end

return load_of
