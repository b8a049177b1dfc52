--- `td.score(real, simulated)`: how far a simulation is off what was measured, and where.
--
-- Owns which figures are compared, on which requests and over which time, and the verdict. The
-- method is compare.lua's, lanes over time lanes.lua's, errors by request requests.lua's, gates
-- gate.lua's, the tables columns.lua's. Works on tandem.Visits: a measured run has them by a map.
-- Called by cli/score.lua and by fits.
local answers = require "tandem.analysis.answer"
local charts = require "tandem.score.charts"
local compare = require "tandem.score.compare"
local described = require "tandem.score.columns"
local format = require "tandem.text.format"
local gates = require "tandem.score.gate"
local lanes = require "tandem.score.lanes"
local options = require "tandem.score.options"
local requests = require "tandem.score.requests"
local samples = require "tandem.score.samples"
local verdicts = require "tandem.score.verdict"

local score = {}

---@class tandem.Score: tandem.Answer
---@field verdict "within"|"off"|"cannot tell"
---@field within number
---@field real tandem.Visits
---@field simulated tandem.Visits
---@field distributions { name: string, real: number[], simulated: number[] }[]
---@field lanes string[]  those that both runs have

---@class tandem.ScoreParts  what gates ask
---@field by_name table<string, table<string, tandem.Comparison>>  stages, and total
---@field lanes_by_name table<string, table<string, tandem.Comparison>>
---@field throughput tandem.Comparison
---@field per_request table[]|nil

local USAGE <const>, INVALID <const> = 2, 3
local LEVELS <const> = { 0.5, 0.95, 0.99 }
local LEVEL_NAMES <const> = { "p50", "p95", "p99" }
-- Slices a bin: so short that batch means may choose their own length; and of few bins so many in
-- all that they may be worth the twenty that an interval wants.
local SLICES_A_BIN <const>, SLICES <const> = 8, 160
local TOTAL <const> = "total"
-- What requests as wholes have, beside their stages.
local OF_REQUESTS <const> = { { name = "(waiting)", key = "waiting" },
  { name = "(between)", key = "between" }, { name = TOTAL, key = "total" } }
local LANE_MEASURES <const> = { utilization = "busy", in_service = "serving", queue = "waiting" }

local function is_visits(value)
  return type(value) == "table" and type(rawget(value, "stages")) == "table" and value.of ~= nil
end

local function visits_of(value, map, which)
  if is_visits(value) then return value end
  if type(value) ~= "table" or type(value.visits) ~= "function" then
    error(("score wants a run or its Visits as %s"):format(which), 4)
  end
  return value:visits(value.kind == "measured" and map or nil)
end

-- ---- comparing ----

-- What one of them has and the other has not, and what both have, in the order of the real run.
local function matched(real, simulated)
  local both, only_real, only_simulated = {}, {}, {}
  for _, stage in ipairs(real.stages) do
    local list = simulated.by_name[stage.name] and both or only_real
    list[#list + 1] = stage.name
  end
  for _, stage in ipairs(simulated.stages) do
    if not real.by_name[stage.name] then only_simulated[#only_simulated + 1] = stage.name end
  end
  return both, only_real, only_simulated
end

local function names_of(sample)
  local names = {}
  for i, stage in ipairs(sample.stages) do names[i] = stage.name end
  return #names > 0 and table.concat(names, ", ") or "none"
end

local function stage_row(name, lane, real, simulated, made)
  local row = { name = name, lane = lane, real_count = real and #real,
    simulated_count = simulated and #simulated }
  for _, level in ipairs { "mean", "p50", "p95", "p99", "wait" } do
    local one, key = made[level], level == "wait" and "wait_mean" or level
    if one then
      row["real_" .. key .. "_ns"], row["simulated_" .. key .. "_ns"] = one.real, one.simulated
      row[level .. "_difference"] = one.difference
      row[level .. "_low"], row[level .. "_high"] = one.low, one.high
    end
  end
  local d = made.distance
  if d then
    row.ks, row.ks_p, row.wasserstein_ns, row.wasserstein_share = d.ks, d.ks_p, d.wasserstein,
      d.wasserstein_share
  end
  return row
end

-- A stage of one run only: what it has.
local function lone_row(side, stage)
  local row = { name = stage.name, lane = stage.lane, [side .. "_count"] = #stage.own }
  local one = compare.means(stage.own, stage.own, false, 0.95)
  row[side .. "_mean_ns"] = one.real
  return row
end

-- ---- the common time ----

local function last_end(sample)
  local last = -math.huge
  for _, i in ipairs(sample.request) do last = math.max(last, sample.requests.end_ns[i]) end
  return last
end

-- The clock and the window, or why there is none.
local function common_time(real, simulated, own)
  local clock = require "tandem.overlay.clock"
  local found, message, code = clock.align(real.visits, simulated.visits,
    { by = own.align, drift = own.drift })
  if not found then return nil, message, code end
  local function to_real(ns) return clock.time(found, ns) end
  local window = { slices = own.bins * math.max(SLICES_A_BIN, -(-SLICES // own.bins)),
    from = math.max(real.visits.first_ns, to_real(simulated.visits.first_ns)),
    to = math.min(last_end(real), to_real(last_end(simulated))) }
  if not (window.to > window.from) then
    return nil, ("aligned by %s the runs have no time in common"):format(found.by), INVALID
  end
  return { found = found, to_real = to_real, window = window }
end

local function clock_words(time, real)
  local found = time.found
  local function since(ns) return format.time((ns - real.visits.first_ns) / 1e9) end
  local words = ("lanes are compared from %s to %s after the first real arrival, clocks put "
    .. "together by %s"):format(since(time.window.from), since(time.window.to), found.by)
  if found.residual_ns then
    words = ("%s, residual %s"):format(words, format.time(found.residual_ns / 1e9))
  end
  if found.drift_ppm ~= 0 then words = ("%s, drift %.3g ppm"):format(words, found.drift_ppm) end
  return words
end

-- ---- the parts of the answer ----

---@class tandem.Scorer
---@field own table
---@field real tandem.ScoreSample
---@field simulated tandem.ScoreSample
---@field paired boolean
---@field smooth integer  see samples.smooth
---@field both string[]
---@field only_real string[]
---@field only_simulated string[]
---@field time table|nil
---@field lane_pairs tandem.LanePair[]
---@field parts tandem.ScoreParts
local Scorer = {}
Scorer.__index = Scorer

-- Everything about one stage, or about the totals. What a stage takes by itself may come one by
-- one; waits do not, nor what is shared.
function Scorer:figures_of(real, simulated, key)
  local a, b, confidence = real[key], simulated[key], self.own.confidence
  local alike, smooth = self.paired and samples.are_paired(real, simulated), self.smooth
  local own = (key ~= "own" or simulated.shared) and smooth or nil
  local made = { mean = compare.means(a, b, alike, confidence, own), paired = alike,
    distance = compare.distributions(a, b) }
  for i, one in ipairs(compare.quantiles(a, b, LEVELS, alike, confidence, own)) do
    made[LEVEL_NAMES[i]] = one
  end
  if key == "own" then
    made.wait = compare.means(real.wait, simulated.wait, alike, confidence, smooth)
  end
  return made
end

function Scorer:stage_rows()
  local rows, parts = {}, self.parts
  for _, name in ipairs(self.both) do
    local a, b = self.real.by_name[name], self.simulated.by_name[name]
    local made = self:figures_of(a, b, "own")
    parts.by_name[name] = made
    rows[#rows + 1] = stage_row(name, a.lane, a.own, b.own, made)
  end
  for _, name in ipairs(self.only_real) do
    rows[#rows + 1] = lone_row("real", self.real.by_name[name])
  end
  for _, name in ipairs(self.only_simulated) do
    rows[#rows + 1] = lone_row("simulated", self.simulated.by_name[name])
  end
  for _, one in ipairs(OF_REQUESTS) do
    local made = self:figures_of(self.real, self.simulated, one.key)
    parts.by_name[one.name] = parts.by_name[one.name] or made
    rows[#rows + 1] = stage_row(one.name, nil, self.real[one.key], self.simulated[one.key], made)
  end
  return rows
end

-- Rates are one over the mean time from one end to the next.
function Scorer:throughput(confidence)
  local a, b = samples.between_ends(self.real), samples.between_ends(self.simulated)
  local made = compare.means(b, a, self.paired and #a == #b, confidence)
  return { real = made.simulated and made.simulated > 0 and 1e9 / made.simulated or nil,
    simulated = made.real and made.real > 0 and 1e9 / made.real or nil,
    difference = made.difference, low = made.low, high = made.high }, math.min(#a, #b)
end

function Scorer:throughput_rows()
  local rows, whole = {}, self.parts.throughput
  for i, side in ipairs { "real", "simulated" } do
    local sample = self[side]
    local arrival, n = sample.requests.arrival_ns, sample.visits.count
    local arriving = arrival[n] - arrival[1]
    rows[i] = { of = side, requests = n, served = #sample.request,
      arrivals_rps = arriving > 0 and (n - 1) / arriving * 1e9 or nil,
      throughput_rps = whole[side], span_s = (last_end(sample) - arrival[1]) / 1e9 }
  end
  return rows
end

function Scorer:lane_figures()
  for _, pair in ipairs(self.lane_pairs) do
    local figures = {}
    for measure, what in pairs(LANE_MEASURES) do
      figures[measure] = lanes.compare(pair, what, self.paired, self.own.confidence)
    end
    self.parts.lanes_by_name[pair.name] = figures
  end
end

function Scorer:basis()
  local own, list = self.own, {}
  list[1] = "own time: the part of a request's time in a stage when every instant counts once; "
    .. "(waiting): before stages that were full; (between): nothing of the request ran; total: "
    .. "from arrival to end, all of these"
  list[2] = ("differences are shares of the real figure; within %s: all of the interval is, off: "
    .. "none of it, cannot tell: a part"):format(format.percent(own.within))
  list[3] = ("intervals of the verdict all hold with %s confidence (Bonferroni over %d lines), "
    .. "those of other tables and of gates one by one"):format(format.percent(own.confidence),
    verdicts.lines(self))
  list[4] = (self.paired and "both runs had the same requests: intervals are of their differences"
    or "intervals are of each run, taken as independent of one another")
    .. "; by batch means, or by sections where values hang together, as waits do, and none where "
    .. "these went up and down too seldom"
  list[5] = "p of Kolmogorov and Smirnov takes values as independent; it is left out where "
    .. "neighbours are not"
  if #self.delays > 0 then
    list[#list + 1] = ("delays of the simulation alone are time between stages: %s"):format(
      format.list(self.delays))
  end
  if self.time then
    list[#list + 1] = "utilization: share of that time in which a stage of the lane served some "
      .. "request; queue: requests that waited"
    list[#list + 1] = clock_words(self.time, self.real)
  end
  for _, side in ipairs { "real", "simulated" } do
    local sample = self[side]
    if sample.left_out > 0 then
      list[#list + 1] = ("%s of the %s run left out: they were not served"):format(
        format.plural(sample.left_out, "request"), side)
    end
  end
  return list
end

local DESCRIPTION <const> = { title = "Score", summary = "", heading = described.heading,
  plots = charts.of }

local function compared(visits)
  local run = visits.run
  return { { id = run and run.id or "–", kind = visits.kind,
    name = run and run.name or "requests made by hand", requests = visits.count } }
end

function Scorer:answer(raw)
  local rows = raw.frames[1].rows
  local description = setmetatable({ frames = described.frames(self.own.within),
    about = described.overall(rows[#rows], self.own.within) }, { __index = DESCRIPTION })
  local run = self.real.visits.run or { id = "–", kind = self.real.visits.kind,
    name = "requests made by hand" }
  local made = answers.new("score", description, { run = run, filter = {} }, raw)
  made.compared = { a = compared(self.real.visits), b = compared(self.simulated.visits) }
  made.within, made.real, made.simulated = self.own.within, self.real.visits,
    self.simulated.visits
  made.distributions, made.lanes = {}, {}
  for i, name in ipairs(self.both) do
    made.distributions[i] = { name = name, real = self.real.by_name[name].own,
      simulated = self.simulated.by_name[name].own }
  end
  made.distributions[#made.distributions + 1] = { name = TOTAL, real = self.real.total,
    simulated = self.simulated.total }
  for _, pair in ipairs(self.lane_pairs) do
    if pair.real and pair.simulated then made.lanes[#made.lanes + 1] = pair.name end
  end
  return made --[[@as tandem.Score]]
end

-- Every table, the verdict first.
function Scorer:frames(cannot)
  local frames = {}
  local function add(name, rows)
    frames[#frames + 1] = { name = name, columns = {}, rows = rows }
  end
  local stages = self:stage_rows()
  self.parts.throughput = self:throughput(self.own.confidence)
  self:lane_figures()
  local lines = verdicts.rows(self)
  add("verdict", lines)
  add("stages", stages)
  if self.paired then
    self.parts.per_request = requests.rows(self.real, self.simulated)
    add("requests", self.parts.per_request)
    add("worst", requests.worst(self.real, self.simulated, self.own.worst))
  else
    cannot[#cannot + 1] = ("errors request by request: the runs had other requests (%s)"):format(
      self.unpaired_why)
  end
  if self.time then add("lanes", lanes.rows(self.lane_pairs)) end
  add("throughput", self:throughput_rows())
  if self.time then
    add("over_time", lanes.over_time(self.lane_pairs, self.time.window, self.own.bins))
  end
  return frames, lines[#lines].verdict
end

-- Samples of both runs, or why they cannot be compared.
local function scorer_of(real, simulated, own)
  local self = setmetatable({ own = own, real = samples.of(real), simulated = samples.of(simulated),
    parts = { by_name = {}, lanes_by_name = {} }, lane_pairs = {} }, Scorer)
  for _, side in ipairs { "real", "simulated" } do
    if #self[side].request == 0 then
      return nil, ("the %s run has no request that was served: nothing to score"):format(side),
        INVALID
    end
  end
  self.both, self.only_real, self.only_simulated = matched(self.real, self.simulated)
  if #self.both == 0 then
    return nil, ("no stage of the real run (%s) is one of the simulation's (%s): give them the "
      .. "same names, in the map or in the scenario"):format(names_of(self.real),
      names_of(self.simulated)), INVALID
  end
  self.smooth = samples.smooth(self.simulated)
  self.paired, self.unpaired_why = samples.have_same_requests(self.real, self.simulated)
  return self
end

-- A run of scrapes has no visits, unless a map says what they are.
local function is_scraped(value, map)
  return not map and type(value) == "table" and not is_visits(value)
    and rawget(value, "store") ~= nil and require("tandem.score.scrapes").are(value)
end

-- A file of operating points, and a scenario.
local function of_points(path, scenario, own)
  local measured, message = require("tandem.llm.read").file(path)
  if not measured then
    return nil, message or ("%s: is nothing measured of an LLM server"):format(path), INVALID
  elseif measured.kind ~= "points" then
    return nil, ("%s: is of %s, which are no operating points; `tandem import` makes a run of "
      .. "requests"):format(path, measured.kind), INVALID
  elseif type(scenario) ~= "table" or type(scenario.try_with) ~= "function" then
    return nil, "operating points are compared with a scenario, which is simulated under their "
      .. "load; give its file", USAGE
  end
  return require("tandem.score.points").score(measured, path:match "[^/]+/*$", scenario, own)
end

--- How far a simulation is off: a run or its visits off another one, or a scenario or a run with
--- metrics off a run of a server's scrapes, or a scenario off a load generator's sums (their file).
---@param real tandem.Run|tandem.Visits|string
---@param simulated tandem.Run|tandem.Visits|tandem.Scenario
---@param given? tandem.ScoreOptions
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function score.of(real, simulated, given)
  given = given or {}
  local own, wrong = options.asked(given)
  if not own then return nil, wrong, USAGE end
  if type(real) == "string" then return of_points(real, simulated, own) end
  if is_scraped(real, given.map) then
    return require("tandem.score.scraped").score(real --[[@as tandem.Run]], simulated, own)
  end
  local a, message, code = visits_of(real, given.map, "the real one")
  if not a then return nil, message, code end
  local b
  b, message, code = visits_of(simulated, given.map, "the simulated one")
  if not b then return nil, message, code end
  local delays
  b, delays = require("tandem.visits.leave_out").delays(b, a)
  local self
  self, message, code = scorer_of(a, b, own)
  if not self then return nil, message, code end
  self.delays = delays
  local cannot = {}
  self.time, message, code = common_time(self.real, self.simulated, own)
  if self.time then
    self.lane_pairs = lanes.of(a, b, self.time.to_real, self.time.window)
  elseif own.align or code == USAGE then
    return nil, message, code
  else
    cannot[1] = ("lanes over time: %s"):format(message)
  end
  local frames, verdict = self:frames(cannot)
  if #own.gates > 0 then
    local rows = {}
    for i, one in ipairs(own.gates) do
      rows[i], message = gates.judge(self.parts, one)
      if not rows[i] then return nil, message, USAGE end
    end
    table.insert(frames, 2, { name = "gates", columns = {}, rows = rows })
  end
  local made = self:answer { frames = frames, basis = self:basis(), cannot = cannot }
  made.verdict = verdict
  return made
end

return score
