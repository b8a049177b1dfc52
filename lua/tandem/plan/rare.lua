--- A number of GPUs whose failures are too rare for runs to see: looks at it in parts until its
-- limits are decided.
--
-- All time is one of: so many are down and the rest keeps up (steady), or an episode, from the
-- failure of one too many until all is as before (outages.lua says how much of the time each is).
-- Steady parts are runs with as many GPUs fewer; episodes are runs of their own, in which the
-- failures are forced (target.outages), each with its length and weight. Shares of requests and
-- means over time are those of the parts by their weights; what they may be off by is put together
-- of the parts' own intervals, as independent errors are, and of what was not simulated: an episode
-- that was cut, a part too seldom to matter, of which nothing is known but that it is no more than
-- all. What is least sure is looked at again. Called by plan/find in place of plan/trial, as which
-- it looks from outside.
local mixture = require "tandem.plan.mixture"
local outages = require "tandem.plan.outages"
local space_of = require "tandem.plan.space"
local verdict = require "tandem.plan.verdict"

local rare = {}

local SEEN <const> = 100        -- failures in runs of the usual length: these will do
local BLOCK <const> = 8         -- replications of a steady part; episodes of the first look
local EPISODES <const> = 128    -- the most of one kind
local FIRST_CUT <const> = 60000 -- requests of an episode, at first
local LONG <const> = 200000     -- … of which fewer are looked at first
local LONGEST <const> = 400000  -- requests of a steady run, twice as many to confirm
local MOST <const> = 40000000   -- requests of all of them
local LITTLE <const> = 0.02     -- a part of so much of what may be slow is left out at first
local SELDOM <const> = 0.2     -- a steady part of so much of the time begins with shorter runs
local LEAD <const> = 6          -- settling times before an episode
local SLICES <const> = 64       -- of a run; a warm-up ends with one

---@class tandem.PlanPart
---@field weight number   share of the time
---@field kind "steady"|"alone"|"several"
---@field down integer|nil  of a steady one
---@field requests integer|nil  of a run of a steady one
---@field count integer|nil  of episodes
---@field cut number|nil   requests of one, at most
---@field by table<string, table>  by key of a limit: value, low, high, at(x) of a share; else
---                                 value, half
---@field known boolean|nil  it was simulated

---@class tandem.PlanRare: tandem.PlanTrial
local Rare = {}
Rare.__index = Rare

--- May failures be too rare for runs of the usual length?
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param number integer
---@return boolean
function rare.wanted(q, space, number)
  local failing = q.failing
  if not failing or not space.counted or (space.size or 1) > 1 then return false end
  local rate = q.demand.total and q.demand.total * (space.load_factor or 1)
  local seconds = rate and BLOCK * 2 * LONGEST / rate
  return rate ~= nil and space.forecast(number).gpu ~= nil
    and number * failing.rate * seconds < SEEN
end

-- What may be slow, or lost, of all: the least of the limits says what matters.
local function allowance(limit)
  if limit.quantile then return 1 - limit.quantile end
  if limit.metric == "met" then return 1 - limit.limit end
  return limit.lost and limit.limit or 0
end

-- How many requests of an episode are looked at, at first: where all of it may be slow, as much of
-- it as would be too much.
local function cut_of(one, kind)
  local allowed = 1
  for _, limit in ipairs(one.conditions.limits) do allowed = math.min(allowed, allowance(limit)) end
  local episodes = one.states.alone + one.states.several
  local seconds = one.states.length * math.min(1, 1.3 * allowed / episodes)
  return kind == "alone" and math.max(FIRST_CUT, math.ceil(seconds * one.fleet.load)) or FIRST_CUT
end

--- A number that has not been looked at.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param number integer
---@param order integer
---@param conditions tandem.PlanTrialConditions
---@param set table<string, any>  changes beside the number
---@param factor number           load over the scenario's own
---@return tandem.PlanRare
function rare.new(q, space, number, order, conditions, set, factor)
  local load = q.demand.total * factor
  local at = factor / (space.load_factor or 1)
  local one = setmetatable({ set = set, order = order, conditions = conditions, label = number,
    space = space, q = space_of.calm(q),
    failing = q.failing, factor = factor, number = number, replications = 0, look = 1, facts = {},
    total = 0, estimates = {}, parts = {}, spent = 0 }, Rare)
  local function forecast(down) return space.calm.forecast(number - down, at) end
  one.fleet = { count = number, rate = q.failing.rate, repairs = q.failing.repairs,
    repair = q.failing.repair, load = load,
    seed = conditions.seed,
    capacity = function(down) return down < number and load / forecast(down).gpu or 0 end,
    settle = function(down) return forecast(down).settling / load end }
  one.states = outages.states(one.fleet)
  local rest = 1 - one.states.alone - one.states.several
  for down = 0, one.states.steady do
    local weight = rest * one.states.chances[down + 1]
    local requests = space_of.requests(one.q, forecast(down), nil, factor)
    -- What is seldom need not be known as closely.
    if weight < SELDOM then requests = math.max(1000, requests // 4000 * 1000) end
    one.parts[#one.parts + 1] = { kind = "steady", down = down, weight = weight, by = {},
      requests = requests }
  end
  for _, kind in ipairs { "alone", "several" } do
    if one.states[kind] > 0 then
      one.parts[#one.parts + 1] = { kind = kind, weight = one.states[kind], by = {},
        cut = cut_of(one, kind) }
      one.parts[#one.parts].count = one.parts[#one.parts].cut > LONG and BLOCK // 2 or BLOCK
    end
  end
  one:begin()
  return one
end

-- What the first look is at: all that may matter, the failures last.
function Rare:begin()
  local least = 1
  for _, limit in ipairs(self.conditions.limits) do least = math.min(least, allowance(limit)) end
  self.due = {}
  for _, part in ipairs(self.parts) do
    if part.kind == "steady" and (part.down == 0 or part.weight > LITTLE * least)
      or self.conditions.once and part.weight > LITTLE * least then
      self.due[#self.due + 1] = part
    end
  end
end

function Rare:alpha()
  return verdict.alpha(self.conditions.confidence, self.order, self.look)
    / #self.conditions.limits
end

-- ---- jobs

local FACTS <const> = { "bottleneck", "utilization", "throughput_rps", "overload",
  "overload.reason", "requests", "lost" }

local function metrics_of(self)
  local out, seen = {}, {}
  for _, path in ipairs(FACTS) do out[#out + 1], seen[path] = path, true end
  for _, limit in ipairs(self.conditions.limits) do
    for _, path in ipairs(self.conditions.paths[limit.key]) do
      if not seen[path] then out[#out + 1], seen[path] = path, true end
    end
  end
  return out
end

local function job_of(self, set, replications, first)
  for path, value in pairs(self.set) do
    if set[path] == nil then set[path] = value end
  end
  return { base = 2, set = set, seed = self.conditions.seed, first = first,
    replications = replications, values = true, metrics = metrics_of(self),
    confidence = 1 - 2 * self:alpha() }
end

-- The run of an episode: a lead-in, which is left out, then as much of it as is looked at.
local function episode_job(self, part, episode, index)
  local fleet = self.fleet
  local seconds = math.min(episode.seconds, part.cut / fleet.load)
  local lead = math.max(LEAD * fleet.settle(self.states.steady), 3000 / fleet.load)
  local slices = math.max(1, math.min(SLICES - 4, math.ceil(SLICES * lead / (lead + seconds))))
  local from = seconds * slices / (SLICES - slices)
  local list = {}
  for i, outage in ipairs(episode.list) do
    list[i] = outage[1] < 0 and { 0, from + math.max(1e-6, outage[2] - 1) }
      or { from + outage[1], outage[2] }
  end
  episode.seen = seconds
  self.spent = self.spent + (from + seconds) * fleet.load
  local set = { [self.space.counted] = self.number, [self.failing.path] = list,
    duration = from + seconds, warmup = (slices - 0.5) * (from + seconds) / SLICES }
  if self.failing.on_failure then set[self.failing.rule] = self.failing.on_failure end
  return job_of(self, set, 1, index)
end

--- The jobs of its next look.
---@return tandem.Job[]
function Rare:jobs()
  local jobs = {}
  for _, part in ipairs(self.due) do
    if part.kind == "steady" then
      jobs[#jobs + 1] = job_of(self, { [self.space.counted] = self.number - part.down,
        requests = part.requests }, BLOCK, 0)
      self.spent = self.spent + BLOCK * part.requests
    else
      part.episodes = {}
      for i = 1, part.count do
        local alone, several = outages.episode(self.fleet, self.states.steady, i, part.count)
        part.episodes[i] = part.kind == "alone" and alone or several
        jobs[#jobs + 1] = episode_job(self, part, part.episodes[i], i)
      end
    end
  end
  return jobs
end

local function add_facts(self, part, answer)
  local metrics, facts = answer.metrics, self.facts
  self.total = self.total + (metrics.requests and metrics.requests.value or 0)
  if part.kind ~= "steady" or part.down > 0 then return end
  facts.utilization = metrics.utilization and metrics.utilization.value
  facts.bottleneck, facts.overload = metrics.bottleneck, metrics.overload or nil
  facts.throughput = metrics.throughput_rps and metrics.throughput_rps.value
  facts.lost = metrics.lost and metrics.lost.value or 0
end

--- Takes the answers to its jobs and decides, where that suffices.
---@param answers tandem.Answer[]
function Rare:take(answers)
  local at = 0
  for _, part in ipairs(self.due) do
    local own = table.move(answers, at + 1, at + (part.episodes and #part.episodes or 1), 1, {})
    at = at + #own
    for _, answer in ipairs(own) do
      if not answer.ok then
        self.state, self.message = "failed", answer.message or "failed"
        return
      end
      add_facts(self, part, answer)
    end
    for _, limit in ipairs(self.conditions.limits) do
      local say = part.kind == "steady" and mixture.steady(self, own[1], limit)
        or part.kind ~= "steady" and mixture.episodes(self, part, own, limit)
      if not say then
        self.state, self.message = "failed", ("a run has no %s"):format(limit.label)
        return
      end
      part.by[limit.key] = say
    end
    part.known = true
    self.replications = self.replications + (part.episodes and #own or BLOCK)
  end
  self:judge()
end

-- ---- all of it together

local function verdict_of(self)
  local out = { state = "meets", figures = {}, close = false, short = false }
  for i, limit in ipairs(self.conditions.limits) do
    local figure = mixture.figure(self, limit)
    out.figures[i] = figure
    if not out.binding or figure.margin < out.binding.margin then out.binding = figure end
    if figure.state == "undecided" and out.state == "meets" then out.state = "undecided" end
    if figure.state == "misses" then out.state = "misses" end
  end
  return out
end

-- Parts whose share in what is unsure is at least a quarter of the largest one.
local function unsure(self)
  local widths, most = {}, 0
  for i, part in ipairs(self.parts) do
    widths[i] = 0
    for j, limit in ipairs(self.conditions.limits) do
      if self.verdict.figures[j].state == "undecided" then
        local say = part.by[limit.key]
        local width = part.weight * (not say and 1 or say.at and say.high - say.low
          or 2 * math.min(say.half, 1e9) / math.max(limit.limit, 1e-12))
        widths[i] = math.max(widths[i], width)
      end
    end
    most = math.max(most, widths[i])
  end
  local out = {}
  for i, part in ipairs(self.parts) do
    if widths[i] > 0 and widths[i] >= most / 4 then out[#out + 1] = part end
  end
  return out
end

-- Makes the next look at a part a better one; false where there is none.
local function refine(part)
  if not part.known then return true end
  if part.kind == "steady" then
    if part.requests >= 2 * LONGEST then return false end
    part.requests = math.min(2 * part.requests, 2 * LONGEST)
    return true
  end
  local cut = 0
  for _, say in pairs(part.by) do cut = math.max(cut, say.cut or 0) end
  local width = 0
  for _, say in pairs(part.by) do width = math.max(width, say.at and say.high - say.low or 0) end
  if cut > 0 and cut >= width / 3 then
    part.cut = part.cut * 4
  elseif part.count < EPISODES then
    part.count = part.count * 2
  else
    return false
  end
  return true
end

function Rare:look_again()
  self.look = self.look + 1
  self.due = {}
  if self.spent < MOST then
    for _, part in ipairs(unsure(self)) do
      if refine(part) then self.due[#self.due + 1] = part end
    end
  end
  if #self.due == 0 then
    self.state = "undecided"
    self.facts.why = "what its failures do could not be told closely enough"
  end
end

-- Meets: a fleet may still be filling up, so twice the length must say so, too.
function Rare:confirm()
  if self.confirmed and self.before and verdict.settled(self.before, self.verdict) then
    self.state = "meets"
    return
  end
  self.confirmed, self.due = true, {}
  for _, part in ipairs(self.parts) do
    if part.kind == "steady" and part.known and part.requests < 2 * LONGEST then
      part.requests = math.min(2 * part.requests, 2 * LONGEST)
      self.due[#self.due + 1] = part
    end
  end
  if #self.due == 0 then
    self.state = "undecided"
    self.facts.why = self.facts.why or "its figures still move as runs grow"
  end
end

function Rare:judge()
  self.before, self.verdict = self.verdict, verdict_of(self)
  local state = self.verdict.state
  self.requests = self.parts[1].requests
  if self.conditions.once then
    self.state = verdict.by_estimate(self.verdict)
  elseif state == "misses" then
    self.state = state
  elseif state == "meets" then
    self:confirm()
  else
    self.confirmed = nil
    self:look_again()
  end
end

return rare
