--- Systems whose truth is known, and how often the intervals that runs print hold it.
--
-- Owns the grid, its truths (closed forms where there are any, else one run 1,000 times as long as
-- what is judged, or longer), and the limits of what is accepted. Called by coverage_spec.lua and
-- by tests/accuracy/coverage.lua, which prints the table.
local core = require "tandem.core"
local td = require "tandem"
local check = require "tests.theory.support.check"
local nearest = require "tandem.text.nearest"

local coverage = {}

local LEVELS <const> = { p50 = 0.5, p90 = 0.9, p95 = 0.95, p99 = 0.99, p999 = 0.999 }

local function figures(names, values)
  local truth = {}
  for i, name in ipairs(names) do truth[name] = values[i] end
  return truth
end

local LATENCY <const> = { "latency.mean", "latency.p50", "latency.p90", "latency.p95",
  "latency.p99", "latency.p999", "throughput_rps", "in_system", "resources.station.utilization" }
local ANSWERS <const> = { "latency.mean", "latency.p50", "latency.p90", "latency.p95",
  "latency.p99", "latency.p999", "throughput_rps", "in_system", "llm.1.ttft.mean",
  "llm.1.ttft.p99", "llm.1.tpot.p50", "llm.1.tpot.p99", "llm.1.itl.p99" }

-- Where times have a mean of one, what is left of a latency is the wait.
local function station(name, fields, truth)
  fields.name = name
  if fields.waits then
    truth["stages.work.wait.mean"] = truth["latency.mean"] - 1
    fields.waits = nil
  end
  return { name = name, truth = truth, scenario = check.station(fields) }
end

-- Sojourns are exponential.
local function mm1(rho)
  local mean = 1 / (1 - rho)
  local truth = { ["latency.mean"] = mean, throughput_rps = rho, in_system = rho * mean,
    ["resources.station.utilization"] = rho }
  for name, level in pairs(LEVELS) do truth["latency." .. name] = -mean * math.log(1 - level) end
  truth.slo_met = 1 - math.exp(-3)
  truth.goodput_rps = rho * truth.slo_met
  return station(("M/M/1 %g"):format(rho), { workload = td.poisson { rps = rho },
    time = td.exponential(1), deadline = 3 * mean, waits = true }, truth)
end

-- With room for ten: of n inside, the share rho^n; who meets ten is turned away.
local function limited(rho)
  local all, weights, inside, late = 0, {}, 0, 0
  for n = 0, 10 do weights[n] = rho ^ n; all = all + weights[n] end
  local taken = 1 - weights[10] / all
  for n = 0, 10 do inside = inside + n * weights[n] / all end
  local erlang, term = 0, 1 -- P(n + 1 services > 8): a Poisson number of mean 8 is n or less
  for n = 0, 9 do
    erlang = erlang + term * math.exp(-8)
    term = term * 8 / (n + 1)
    late = late + weights[n] / all * erlang
  end
  return station("turned away", { workload = td.poisson { rps = rho }, time = td.exponential(1),
    queue = 9, deadline = 8 }, { ["latency.mean"] = inside / (rho * taken), in_system = inside,
    carried_rps = rho * taken, throughput_rps = rho * taken, slo_met = taken - late,
    ["resources.station.utilization"] = rho * taken })
end

-- Means without interruption are Cobham's.
local function priorities(truth)
  truth["classes.1.latency.mean"] = 1 + 0.8 / 0.7
  truth["classes.2.latency.mean"] = 1 + 0.8 / (0.7 * 0.2)
  return station("priorities", { time = td.exponential(1), discipline = "priority", classes = {
    { name = "first", workload = td.poisson { rps = 0.3 }, priority = 0 },
    { name = "second", workload = td.poisson { rps = 0.5 }, priority = 1 } } }, truth)
end

local function growing(r) return 0.05 + 0.005 * r.batch end

coverage.systems = {
  mm1(0.5), mm1(0.8), mm1(0.95), limited(0.9),
  priorities(figures({ "latency.mean", "latency.p50", "latency.p90", "latency.p95", "latency.p99",
      "latency.p999", "classes.1.latency.p50", "classes.1.latency.p99", "classes.1.latency.p999",
      "classes.2.latency.p50", "classes.2.latency.p99", "classes.2.latency.p999", "in_system",
      "throughput_rps" },
    { 5, 2.64921, 12.7662, 18.2595, 31.1058, 49.402, 1.72592, 7.90147, 11.2729, 4.08396, 34.8873,
      53.0599, 4, 0.8 })),
  station("lognormal 0.7", { workload = td.poisson { rps = 0.7 },
    time = td.lognormal { mean = 1, cv = 3 }, waits = true },
    figures(LATENCY, { 12.6642, 3.49166, 32.846, 53.0731,
      123.262, 326.049, 0.699994, 8.86485, 0.700012 })),
  station("batches", { workload = td.poisson { rps = 60 }, time = growing,
    batch = { max = 64, wait = 0 } },
    figures(LATENCY, { 0.113299, 0.112092, 0.147475, 0.157084,
      0.175131, 0.196733, 60.0056, 6.79858, 0.99621 })),
  station("sharing 0.8", { workload = td.poisson { rps = 0.8 }, discipline = "ps",
    servers = 1000000, time = td.lognormal { mean = 1, cv = 1.5 } },
    figures(LATENCY, { 5.00161, 2.01361, 11.7681, 19.0094,
      45.3696, 114.735, 0.800074, 4.00166, 0.799851 })),
  station("eight servers", { workload = td.poisson { rps = 6.8 }, time = td.exponential(1),
    servers = 8, waits = true },
    figures(LATENCY, { 1.47715, 1.15821, 3.15195, 3.93508,
      5.68562, 8.10571, 6.80031, 10.0451, 0.850007 })),
  station("MMPP", { workload = td.mmpp { { 0.4, 400 }, { 0.9, 200 } }, time = td.exponential(1) },
    figures(LATENCY, { 4.90774, 2.45518, 12.9114, 18.1425,
      30.3151, 47.7334, 0.566699, 2.7814, 0.566671 })),
  station("closed", { workload = td.closed { users = 10, think = td.exponential(8) },
    time = td.exponential(1) },
    figures(LATENCY, { 3.38352, 2.83721, 6.94047, 8.37649,
      11.3765, 15.2, 0.878352, 2.97192, 0.878195 })),
  { name = "JSQ 16", truth = figures(LATENCY, { 1.57906, 1.16726, 3.52161, 4.4717,
      6.60973, 9.57974, 14.401, 22.7402 }),
    scenario = td.scenario "JSQ 16" { workload = td.poisson { rps = 14.4 },
      target = td.fleet "fleet" { td.gpu "L40" { count = 16 }, router = "shortest_queue" },
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential(1) } } } },
  { name = "LLM", truth = figures(ANSWERS, { 2.54013, 1.80639, 5.18846, 7.00849, 12.3173, 23.177,
      2.40001, 6.09634, 0.0633279, 0.17958, 0.0247938, 0.031389, 0.0642987 }),
    scenario = td.scenario "LLM" { workload = td.poisson { rps = 2.4 },
      pipeline = { td.generate "llm" { prompt = td.lognormal { mean = 500, cv = 1 },
        output = td.lognormal { mean = 100, cv = 1 },
        engine = { kv_blocks = 1 << 20, max_seqs = 32 },
        step = td.affine { step = 0.02, decode_seqs = 0.0005, prefill_tokens = 5e-5 } } } } },
}

-- Heavy tails, with what the others have but for the deadline: means by Pollaczek and Khinchine,
-- quantiles from the transform of a geometric number of equilibrium times, on a grid of 0.005.
local function heavy(name, load, time, second, quantiles)
  local mean = 1 + load / (1 - load) * second / 2
  local truth = { ["latency.mean"] = mean, in_system = load * mean,
    ["stages.work.wait.mean"] = mean - 1, ["resources.station.queue"] = load * (mean - 1) }
  for i, level in ipairs { "p50", "p90", "p95", "p99", "p999" } do
    truth["latency." .. level] = quantiles[i]
  end
  return { name = name, truth = truth, scenario = check.station { name = name,
    workload = td.poisson { rps = load }, time = time } }
end

--- More than exponential ones, so that no sample shows its largest.
coverage.heavy = {
  heavy("lognormal cv 2, 0.7", 0.7, td.lognormal { mean = 1, cv = 2 }, 5,
    { 2.77968, 17.781, 26.5714, 52.6884, 112.283 }),
  heavy("lognormal cv 3, 0.3", 0.3, td.lognormal { mean = 1, cv = 3 }, 10,
    { 0.596795, 6.79549, 12.942, 40.5518, 140.424 }),
  heavy("lognormal cv 5, 0.3", 0.3, td.lognormal { mean = 1, cv = 5 }, 26,
    { 0.447391, 10.8091, 24.837, 104.34, 478.151 }),
  heavy("Weibull 1/3, 0.3", 0.3, td.weibull { shape = 1 / 3, scale = 1 / 6 }, 20,
    { 0.274574, 13.6993, 27.1017, 75.5154, 190.256 }),
  heavy("Weibull 1/2, 0.7", 0.7, td.weibull { shape = 0.5, scale = 0.5 }, 6,
    { 3.68824, 21.7548, 30.4386, 51.4522, 82.3638 }),
  heavy("hyperexponential, 0.7", 0.7,
    td.hyperexponential { { 0.947213595, 0.527864045 }, { 0.052786405, 9.47213595 } }, 10,
    { 3.67379, 37.0868, 51.5506, 85.1296, 133.103 }),
  heavy("Pareto 1.5, 0.3", 0.3, td.pareto { min = 0.336700341, max = 3367.00341, alpha = 1.5 },
    33.67, { 0.698717, 4.54254, 12.1945, 142.774, 1227.15 }),
}

-- Goodput and the share in time of those that have no deadline: with one that a tenth is late for.
local function judged(system)
  local limit, truth = system.truth["latency.p90"], {}
  for path, value in pairs(system.truth) do truth[path] = value end
  if not limit or truth.slo_met then return system.scenario, truth end
  truth.slo_met = 0.9
  truth.goodput_rps = truth.throughput_rps and 0.9 * truth.throughput_rps
  return system.scenario:with { slo = { deadline = ("%.9gs"):format(limit) } }, truth
end

---@class tandem.CoverageCell
---@field system string
---@field requests integer  of a replication
---@field replications integer
---@field path string
---@field runs integer
---@field printed integer   intervals; `hits` of them hold the truth, `above` are below it
---@field old { printed: integer, hits: integer }  means of the replications' own values, with t

local function tally(cell, figure, truth)
  cell.runs = cell.runs + 1
  if figure.half then
    cell.printed = cell.printed + 1
    if math.abs(figure.value - truth) <= figure.half * (1 + 1e-12) then
      cell.hits = cell.hits + 1
    elseif truth > figure.value then
      cell.above = cell.above + 1
    end
  end
  local value, half = core.stats.interval(figure.values, 0.95)
  if half then
    cell.old.printed = cell.old.printed + 1
    if math.abs(value - truth) <= half then cell.old.hits = cell.old.hits + 1 end
  end
end

--- Runs each system at each size and hands over each figure. Seeds are first + 1, first + 2, … for
--- every cell.
---@param systems table[]
---@param sizes { [1]: integer, [2]: integer, [3]: integer }[]  requests, replications, runs
---@param first integer
---@param share number|nil  of the runs, for systems that take the event engine
---@param take fun(system: table, size: integer[], path: string, figure: tandem.Estimate,
---              truth: number)
local function each(systems, sizes, first, share, take)
  for _, system in ipairs(systems) do
    local scenario, truth = judged(system)
    local slow = core.lowering(scenario:model()) ~= nil
    local paths = nearest.sorted_keys(truth)
    for _, size in ipairs(sizes) do
      for i = 1, slow and math.ceil(size[3] * (share or 1)) or size[3] do
        local r = assert(scenario:run { requests = size[1], replications = size[2],
          seed = first + i, values = true, brief = true })
        for _, path in ipairs(paths) do
          take(system, size, path, assert(r:find(path), path), truth[path])
        end
      end
    end
  end
end

--- Those of coverage.systems.
---@param sizes { [1]: integer, [2]: integer, [3]: integer }[]
---@param first integer
---@param share number|nil
---@param take fun(system: table, size: integer[], path: string, figure: tandem.Estimate,
---              truth: number)
function coverage.each(sizes, first, share, take)
  each(coverage.systems, sizes, first, share, take)
end

--- How often the intervals of some systems hold the truth.
---@param systems table[]
---@param sizes { [1]: integer, [2]: integer, [3]: integer }[]
---@param first integer
---@param share? number
---@return tandem.CoverageCell[]
function coverage.count_of(systems, sizes, first, share)
  local cells, by_name = {}, {}
  each(systems, sizes, first, share, function(system, size, path, figure, truth)
    local name = ("%s %d %d %s"):format(system.name, size[1], size[2], path)
    local cell = by_name[name]
    if not cell then
      cell = { system = system.name, requests = size[1], replications = size[2], path = path,
        runs = 0, printed = 0, hits = 0, above = 0, old = { printed = 0, hits = 0 } }
      by_name[name], cells[#cells + 1] = cell, cell
    end
    tally(cell, figure, truth)
  end)
  return cells
end

--- Those of coverage.systems.
---@param sizes { [1]: integer, [2]: integer, [3]: integer }[]
---@param first integer
---@param share? number
---@return tandem.CoverageCell[]
function coverage.count(sizes, first, share)
  return coverage.count_of(coverage.systems, sizes, first, share)
end

--- Cells added up by what `key` makes of them, in order of first appearance.
---@param cells tandem.CoverageCell[]
---@param key fun(cell: tandem.CoverageCell): string
---@return { name: string, runs: integer, printed: integer, hits: integer, above: integer,
---          old: table }[]
function coverage.pool(cells, key)
  local groups, by_name = {}, {}
  for _, cell in ipairs(cells) do
    local name = key(cell)
    local group = by_name[name]
    if not group then
      group = { name = name, runs = 0, printed = 0, hits = 0, above = 0,
        old = { printed = 0, hits = 0 } }
      groups[#groups + 1], by_name[name] = group, group
    end
    for _, field in ipairs { "runs", "printed", "hits", "above" } do
      group[field] = group[field] + cell[field]
    end
    group.old.printed = group.old.printed + cell.old.printed
    group.old.hits = group.old.hits + cell.old.hits
  end
  return groups
end

--- P(X ≥ misses) of `count` intervals of which each misses with probability `rate`.
---@param misses integer
---@param count integer
---@param rate number
---@return number
function coverage.tail(misses, count, rate)
  local term, below = count * math.log(1 - rate), 0
  for k = 0, misses - 1 do
    below = below + math.exp(term)
    term = term + math.log((count - k) / (k + 1)) + math.log(rate / (1 - rate))
  end
  return math.max(0, 1 - below)
end

--- Do the counts refute that at least this share of the intervals hold the truth? At 1 %: of 2,000
--- intervals that cover 90 %, 93 % is refuted with probability 0.98; of ones that cover 95 %, one
--- time in 10^8.
---@param group { printed: integer, hits: integer }
---@param share number
---@return boolean
function coverage.refutes(group, share)
  return coverage.tail(group.printed - group.hits, group.printed, 1 - share) < 0.01
end

return coverage
