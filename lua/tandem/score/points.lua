--- How far a scenario is off what a load generator summed up: operating points.
--
-- The scenario is simulated under each point's load (its clients or its rate, its lengths, as many
-- requests, from an empty server), several times: what is recorded is one such run, so it differs
-- from their mean by what they differ among themselves, and that is the interval. Owns the loads
-- and the tables. Called by init.lua.
local answers = require "tandem.analysis.answer"
local core = require "tandem.core"
local described = require "tandem.score.columns"
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local gates = require "tandem.score.gate"
local nearest = require "tandem.text.nearest"
local verdicts = require "tandem.score.verdict"

local points = {}

local INVALID <const>, USAGE <const> = 3, 2

local MOST <const> = 50000 -- requests of a simulation
-- How long it is where the file does not say.
local ROUNDS <const>, TIME_S <const> = 10, 300
local TIMES <const> = { "ttft", "tpot", "itl", "e2e" }
local LEVELS <const> = { p1 = 0.01, p5 = 0.05, p10 = 0.1, p25 = 0.25, p50 = 0.5, p75 = 0.75,
  p90 = 0.9, p95 = 0.95, p99 = 0.99, p999 = 0.999 }
local ORDER <const> = { "mean", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99",
  "p999" }
-- What the verdict has a line of; the rest is in a table of its own.
local JUDGED <const> = { mean = true, p99 = true }

-- ---- loads

-- A distribution that has the percentiles told; only their mean where these are too few.
local function law_of(statistics)
  local edges, shares, before = {}, {}, 0
  local td = require "tandem"
  if statistics.min and statistics.max and statistics.min < statistics.max then
    edges[1] = statistics.min
    for _, name in ipairs(ORDER) do
      local level, value = LEVELS[name], statistics[name]
      if level and value and value > edges[#edges] and value < statistics.max then
        edges[#edges + 1], shares[#shares + 1], before = value, level - before, level
      end
    end
    edges[#edges + 1], shares[#shares + 1] = statistics.max, 1 - before
  end
  if #edges < 4 then return statistics.mean and math.max(1, math.floor(statistics.mean + 0.5)) end
  edges[1] = math.max(1, edges[1])
  return td.histogram { edges = edges, counts = shares }
end

-- The scenario under a point's load; nil and what is wrong. Lengths that it has by other names
-- stay as they are.
local function loaded(scenario, point)
  local td = require "tandem"
  local usual = point.clients and ROUNDS * point.clients or point.rate * TIME_S
  local requests = math.max(1, math.floor(math.min(point.requests or usual, MOST)))
  local changes = { workload = point.clients
    and td.closed { users = math.floor(point.clients), requests = requests }
    or td.poisson { rps = point.rate, requests = requests } }
  local made, problems = scenario:try_with(changes)
  if not made then
    return nil, ("its load does not become the file's: %s"):format(tostring(problems))
  end
  local kept = {}
  for name, statistics in pairs(point.lengths or {}) do
    local law = law_of(statistics)
    local path = ("attrs.%s_tokens"):format(name)
    local changed = law and made:try_with { [path] = law }
    if changed then made = changed elseif law then kept[#kept + 1] = name end
  end
  return made, nil, kept
end

-- ---- figures

local function figure(name, statistic, unit, real)
  return { name = statistic and ("%s %s"):format(name, statistic) or name, subject = name,
    statistic = statistic or "mean", unit = unit, real = real }
end

-- What the point tells, in order.
local function figures_of(point)
  local out = {}
  for _, name in ipairs(TIMES) do
    local told = point.times[name]
    for _, statistic in ipairs(ORDER) do
      local value = told and told[statistic]
      if value then out[#out + 1] = figure(name, statistic, "ns", value * 1e9) end
    end
  end
  if point.served then out[#out + 1] = figure("throughput", nil, "1/s", point.served) end
  if point.tokens_s then out[#out + 1] = figure("tokens_out", nil, "tok/s", point.tokens_s) end
  return out
end

-- The level among those that the result has, which ascend.
local function quantile(cdf, name, level)
  for i, known in ipairs(cdf and cdf[name] and cdf.levels or {}) do
    if math.abs(known - level) < 1e-9 then return cdf[name][i] end
  end
end

-- A figure of a simulation; nil: it has none.
local function simulated(result, one)
  local server = #(result.llm or {}) == 1 and result.llm[1] or nil
  if one.subject == "throughput" then
    return result.duration_s > 0 and result.requests / result.duration_s or nil
  elseif one.subject == "tokens_out" then
    local rate = server and server.output_tokens_per_s
    return rate and rate.value
  end
  local times = server and server[one.subject] or one.subject == "e2e" and result.latency
  if not times then return nil end
  local at = times[one.statistic]
  local value = at and at.value
    or server and quantile(server.cdf, one.subject, LEVELS[one.statistic] or -1)
  return value and value * 1e9
end

local function moments(values)
  local sum, squares = 0, 0
  for _, value in ipairs(values) do sum = sum + value end
  local mean = sum / #values
  for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
  return mean, #values > 1 and math.sqrt(squares / (#values - 1)) or nil
end

-- The recording is one more such run: its distance from the mean of n has n + 1 runs' luck.
local function compared(real, values, confidence)
  local mean, deviation = moments(values)
  local made = { real = real, simulated = mean, least = math.min(table.unpack(values)),
    most = math.max(table.unpack(values)) }
  if real <= 0 then return made end
  made.difference = mean / real - 1
  if deviation then
    local half = core.stats.student_quantile((1 + confidence) / 2, #values - 1) * deviation
      * math.sqrt(1 + 1 / #values) / real
    made.low, made.high = made.difference - half, made.difference + half
  end
  return made
end

-- ---- points

local function label(point)
  if point.clients then return format.plural(math.floor(point.clients), "client") end
  return format.rate(point.rate)
end

local Scorer = {}
Scorer.__index = Scorer

function Scorer:simulate(scenario, point)
  local made, problem, kept = loaded(scenario, point)
  if not made then return nil, problem, INVALID end
  for _, name in ipairs(kept) do self.kept[name] = true end
  local runs = {}
  for seed = 1, self.own.replications do
    local result, message, code = made:run { replications = 1, seed = seed, warmup = "none" }
    if not result then return nil, tostring(message), code or INVALID end
    if result.interrupted then return nil, "interrupted", 130 end
    runs[seed] = result
  end
  return runs
end

-- The verdict's intervals hold together over all points.
local function count_of(list)
  local count = 0
  for _, point in ipairs(list) do
    for _, one in ipairs(figures_of(point)) do
      count = count + (JUDGED[one.statistic] and 1 or 0)
    end
  end
  return math.max(count, 1)
end

function Scorer:add(point, runs, confidence)
  local by_name = {}
  local prefix = self.several and label(point) .. ": " or ""
  for _, one in ipairs(figures_of(point)) do
    local values = {}
    for i, result in ipairs(runs) do values[i] = simulated(result, one) end
    if #values < #runs then
      self.found[one.subject] = self.found[one.subject] or false
    else
      local judged = JUDGED[one.statistic]
      local made = compared(one.real, values, judged and confidence or self.own.confidence)
      if judged then
        self.verdict[#self.verdict + 1] = verdicts.line(prefix .. one.name, "point", one.unit,
          made, #values, self.own.within)
      end
      self.figures[#self.figures + 1] = { point = label(point), name = one.name, unit = one.unit,
        real = one.real, simulated = made.simulated, least = made.least, most = made.most,
        difference = made.difference }
      local subject = by_name[one.subject] or { unit = one.unit, measures = {} }
      subject[one.statistic] = compared(one.real, values, self.own.confidence)
      table.insert(subject.measures, one.statistic)
      by_name[one.subject], self.found[one.subject] = subject, true
    end
  end
  local throughput = by_name.throughput
  by_name.throughput = nil -- a subject of its own
  return { by_name = by_name, lanes_by_name = {}, throughput = throughput and throughput.mean }
end

local function gate_rows(self, parts)
  local rows = {}
  for i, part in ipairs(parts) do
    for _, one in ipairs(self.own.gates) do
      local row, message = gates.judge(part, one)
      if not row then return nil, message end
      if self.several then row.gate = ("%s: %s"):format(label(self.list[i]), row.gate) end
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- Of several points only how many lines are off, and the one that is so the most.
local function overall(self)
  local last = verdicts.overall(self.verdict)
  if not self.several or last.verdict == "within" then return last end
  local off, open, worst = 0, 0, nil
  for _, row in ipairs(self.verdict) do
    if row.verdict == "cannot tell" then open = open + 1 end
    if row.verdict == "off" then
      off = off + 1
      local size = math.abs(math.log(row.simulated / row.real))
      if not worst or size > worst.size then worst = { row = row, size = size } end
    end
  end
  last.says = ("%d of %s off%s, %d cannot be told"):format(off,
    format.plural(#self.verdict, "line"), worst and (", the most: %s %s"):format(worst.row.name,
      format.change(worst.row.difference)) or "", open)
  return last
end

local function basis(self)
  local own = self.own
  local list = { ("each point: %s of the scenario under its load, from an empty server, as many "
    .. "requests; a rate comes at random (Poisson)"):format(
    format.plural(own.replications, "simulation")),
    ("errors are shares of the recorded figure; the recording is taken for one more such run, "
      .. "and intervals allow for its luck too; they hold together with %s confidence (Bonferroni "
      .. "over %d lines)"):format(format.percent(own.confidence), #self.verdict) }
  for _, name in ipairs(nearest.sorted_keys(self.kept)) do
    list[#list + 1] = ("the scenario has no attrs.%s_tokens: its own lengths stay"):format(name)
  end
  return list
end

local FRAMES <const> = { figures = { title = "All figures", plain = true, columns = {
  columns.text("point"), columns.text("name"), columns.text("unit"),
  columns.number("real", nil, 6), columns.number("simulated", nil, 6),
  columns.number("least", nil, 6), columns.number("most", nil, 6),
  columns.number("difference", nil, 4) } } }

local function description(within, last)
  local frames = described.frames(within)
  return { title = "Score", summary = "", heading = described.heading, about = described.overall(
    last, within), plots = function(score) return { require("tandem.score.charts").errors(score) }
    end, frames = { verdict = frames.verdict, gates = frames.gates, figures = FRAMES.figures } }
end

--- How far a scenario is off the operating points of a file.
---@param measured tandem.llm.Measured  of kind "points"
---@param name string                   of its file
---@param scenario tandem.Scenario
---@param own tandem.ScoreAsked
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function points.score(measured, name, scenario, own)
  local list = {}
  for _, point in ipairs(measured.points) do
    if point.times and (point.clients or point.rate) then list[#list + 1] = point end
  end
  if #list == 0 then
    return nil, ("%s: its operating points are of a table, which tells no load of a benchmark; "
      .. "tandem fit takes it"):format(name), INVALID
  end
  local self = setmetatable({ own = own, list = list, several = #list > 1, kept = {},
    found = {}, verdict = {}, figures = {} }, Scorer)
  local confidence, parts = 1 - (1 - own.confidence) / count_of(list), {}
  for i, point in ipairs(list) do
    local runs, message, code = self:simulate(scenario, point)
    if not runs then return nil, message, code end
    parts[i] = self:add(point, runs, confidence)
  end
  local notes = basis(self)
  for _, note in ipairs(measured.notes) do notes[#notes + 1] = "of the file: " .. note end
  local last = overall(self)
  self.verdict[#self.verdict + 1] = last
  local frames = { { name = "verdict", columns = {}, rows = self.verdict },
    { name = "figures", columns = {}, rows = self.figures } }
  if #own.gates > 0 then
    local rows, message = gate_rows(self, parts)
    if not rows then return nil, message, USAGE end
    table.insert(frames, 2, { name = "gates", columns = {}, rows = rows })
  end
  local cannot = {}
  for _, subject in ipairs(nearest.sorted_keys(self.found)) do
    if not self.found[subject] then
      cannot[#cannot + 1] = ("%s: the simulation has no such figure"):format(subject)
    end
  end
  local real = { id = "–", kind = "points", name = name }
  local made = answers.new("score", description(own.within, last), { run = real, filter = {} },
    { frames = frames, basis = notes, cannot = cannot })
  made.compared = { a = { real }, b = { { id = "–", kind = "scenario", name = scenario.name } } }
  made.within, made.verdict = own.within, last.verdict
  return made
end

return points
