--- One configuration under test: looks at it until its limits are decided.
--
-- Owns what the next look simulates. Where runs may be longer, each look is a run of its own:
-- longer than the one before while that saw too little, with more replications when it did not
-- decide; and "meets" is believed only when runs of twice the length say so, too. Where the
-- scenario says how long a run is, replications are added in blocks. They are numbered from 0 for
-- every configuration and the seed is one for all: common random numbers. What is simulated never
-- depends on threads.
local verdict = require "tandem.plan.verdict"

local trial = {}

local BLOCK <const>, MOST <const> = 8, 32 -- replications of a look, where runs may be longer
local STRETCH <const> = 4
local SHORT <const> = 20000 -- requests of a first run, where more are needed for "meets" alone
-- What such a run may be wrong with is a part of the first look's: eight looks leave so much.
local BEFORE <const> = 6
local TAIL <const> = 20     -- … beyond the finest quantile, at least
local LONGEST <const> = 1600000  -- requests of a run that we made longer, unless the conditions say

---@class tandem.PlanTrial
---@field set table<string, any>
---@field label any          whatever the search calls it
---@field order integer      number among the search's candidates, from 1
---@field requests integer|nil  of a replication; nil: as the scenario says
---@field longest integer    requests of a run; twice as many to confirm one
---@field least integer|nil   requests of a run that may say "meets"
---@field count integer      replications of its next look
---@field replications integer  so far
---@field look integer
---@field estimates table<string, tandem.PlanEstimate>  by key of the limit
---@field before tandem.PlanVerdict|nil  of runs half as long, or shorter
---@field state tandem.PlanState|"failed"|nil  nil until it is decided
---@field verdict tandem.PlanVerdict|nil
---@field message string|nil  why it failed
---@field unsettled boolean|nil  undecided without a run: too near to saturation
---@field close boolean|nil   undecided and nearer to its limit than the precision
---@field facts table         bottleneck, utilization, …: of its first block
local Trial = {}
Trial.__index = Trial

---@class tandem.PlanTrialConditions
---@field limits tandem.PlanLimit[]
---@field paths table<string, string[]>  result paths of each limit
---@field confidence number
---@field precision number
---@field most integer       replications
---@field seed integer
---@field candidates integer|nil  share the error evenly with so many
---@field longest integer|nil requests of a run that was made longer
---@field once boolean|nil   one look, decided by the estimates

-- Runs that are too short make times too small: what misses even so is done with.
local function first_of(requests, conditions)
  local short = SHORT
  for _, limit in ipairs(conditions.limits) do
    local beyond = 1 - (limit.quantile or 0)
    if beyond > 0 then short = math.max(short, math.ceil(TAIL / beyond)) end
  end
  return requests and not conditions.once and requests > 2 * short and short or requests
end

--- A trial that has not begun.
---@param set table<string, any>
---@param order integer
---@param requests integer|nil
---@param conditions tandem.PlanTrialConditions
---@param label any
---@return tandem.PlanTrial
function trial.new(set, order, requests, conditions, label)
  return setmetatable({ set = set, order = order, requests = first_of(requests, conditions),
    least = requests, conditions = conditions, label = label,
    longest = math.max(conditions.longest or LONGEST, requests or 0), base = 1, replications = 0,
    look = 1, count = BLOCK, estimates = {}, facts = {}, total = 0 }, Trial)
end

-- What is kept beside the limits: the reasons in an answer.
local FACTS = { "bottleneck", "utilization", "throughput_rps", "overload",
  "overload.reason", "requests", "lost", "unsettled", "unsettled.reason", "usd_per_hour" }

function Trial:metrics()
  local out, seen = {}, {}
  for _, path in ipairs(FACTS) do out[#out + 1] = path end
  for _, limit in ipairs(self.conditions.limits) do
    for _, path in ipairs(self.conditions.paths[limit.key]) do
      if not seen[path] then
        seen[path] = true
        out[#out + 1] = path
      end
    end
  end
  return out
end

-- What "meets" or "misses" may be wrong with at this look.
function Trial:alpha()
  local conditions, alpha = self.conditions
  if conditions.candidates then
    alpha = verdict.alpha_of(conditions.confidence, conditions.candidates, self.look)
  end
  alpha = alpha or verdict.alpha(conditions.confidence, self.order, self.look)
  return self.requests and self.requests < self.least and alpha / BEFORE or alpha
end

-- Does each look begin anew, so that its run says how sure it is? Else it adds replications. What
-- is said of windows of time is of all replications together.
function Trial:anew()
  for _, limit in ipairs(self.conditions.limits) do
    if limit.window then return true end
  end
  return self.requests ~= nil
end

--- The job of its next look.
---@return tandem.Job[]
function Trial:jobs() return { self:job() } end

---@return tandem.Job
function Trial:job()
  local set = {}
  for path, value in pairs(self.set) do set[path] = value end
  if self.requests then set.requests = self.requests end
  return { base = self.base, set = set, seed = self.conditions.seed,
    first = self:anew() and 0 or self.replications,
    replications = self.count, values = true, metrics = self:metrics(),
    confidence = 1 - 2 * self:alpha() / #self.conditions.limits }
end

-- What an answer says of a limit: where that is about several resources, the worst.
local function estimate_of(answer, limit, paths)
  local out
  for _, path in ipairs(paths) do
    local values, metric = answer.values and answer.values[path], answer.metrics[path]
    if values and out then
      for i, v in ipairs(values) do
        out.values[i] = limit.least and math.min(out.values[i], v) or math.max(out.values[i], v)
      end
      if limit.least and metric.value < out.value or not limit.least and metric.value > out.value
      then
        out.value, out.half, out.needs = metric.value, metric.half, metric.needs
      end
      out.met = nil
    elseif values then
      out = { value = metric.value, half = metric.half, needs = metric.needs, met = metric.met,
        values = table.move(values, 1, #values, 1, {}) }
    end
  end
  return out
end

function Trial:fail(message)
  self.state, self.message = "failed", message
end

local function add_facts(self, metrics)
  local facts, lost = self.facts, metrics.lost and metrics.lost.value or 0
  if metrics.utilization then facts.utilization = metrics.utilization.value end
  facts.bottleneck = facts.bottleneck or metrics.bottleneck
  facts.overload = facts.overload or metrics.overload or nil
  facts.why = facts.why or metrics["overload.reason"]
  facts.growing = metrics["unsettled.reason"]
  facts.throughput = facts.throughput or metrics.throughput_rps and metrics.throughput_rps.value
  facts.usd = facts.usd or metrics.usd_per_hour and metrics.usd_per_hour.value
  facts.lost = lost
  self.total = self.total + (metrics.requests and metrics.requests.value or 0)
end

--- Takes the answers to its jobs.
---@param answers tandem.Answer[]
function Trial:take(answers) self:absorb(answers[1]) end

--- Takes the answer to its job and decides, where that suffices.
---@param answer tandem.Answer
function Trial:absorb(answer)
  if not answer.ok then return self:fail(answer.message or "failed") end
  for _, limit in ipairs(self.conditions.limits) do
    local estimate = estimate_of(answer, limit, self.conditions.paths[limit.key])
    if not estimate then return self:fail(("a run has no %s"):format(limit.label)) end
    local before = self.estimates[limit.key]
    if before and not self:anew() then
      -- More replications of the same: one value each, and no interval but theirs.
      estimate = { values = table.move(estimate.values, 1, #estimate.values, #before.values + 1,
        before.values) }
    elseif not self:anew() then
      estimate = { values = estimate.values }
    end
    self.estimates[limit.key] = estimate
  end
  self.replications = self:anew() and self.count or self.replications + self.count
  add_facts(self, answer.metrics)
  self:judge()
end

-- The next look is at runs `factor` times as long.
function Trial:lengthen(factor)
  self.before = self.verdict
  self.requests = math.ceil(math.min(self.requests * factor, 2 * self.longest) / 1000) * 1000
end

-- Meets, by runs of this length: do those half as long say that it will stay so?
function Trial:confirm()
  local now = self.verdict
  if self.before and verdict.settled(self.before, now) then
    self.state = "meets"
  elseif self.requests * 2 <= 2 * self.longest then
    self:lengthen(2)
  else
    self.state = "undecided"
    self.facts.why = self.facts.why or "its figures still move as runs grow"
  end
end

-- Undecided: what would decide it?
function Trial:look_again(growing)
  local most = math.min(self.conditions.most, MOST)
  local longer = self.requests * 2 <= self.longest
  local room = self.count * self.requests <= BLOCK * self.longest
  -- A look that withholds its interval decides nothing by it, and so spends nothing.
  if not self.verdict.short then self.look = self.look + 1 end
  if longer and (growing or self.verdict.short) then
    local lacking = (self.verdict.needs or 0) / (self.requests * self.count)
    self:lengthen(math.max(2, math.min(STRETCH, 1.2 * lacking)))
  elseif not growing and room and self.count * 2 <= most then
    self.count = self.count * 2
  elseif longer and room then
    self:lengthen(2)
  else
    self.state, self.facts.why = "undecided", growing and self.facts.growing or self.facts.why
  end
end

-- Not missed by runs that were too short to meet anything.
function Trial:begin()
  self.requests, self.verdict, self.facts = self.least, nil, {}
end

-- Where the scenario says how long a run is.
function Trial:add_replications(growing)
  local most, state = self.conditions.most, self.verdict.state
  if state ~= "undecided" and not growing then
    self.state = state
  elseif growing or self.verdict.close or self.replications >= most then
    self.state, self.close = "undecided", not growing and self.verdict.close or nil
    if growing then self.facts.why = self.facts.growing end
  else
    self.look = self.look + 1
    self.count = math.min(self.replications, math.max(BLOCK, most - self.replications))
    if self:anew() then self.count = math.min(2 * self.replications, most) end
  end
end

function Trial:judge()
  local conditions = self.conditions
  local last = not self.requests or self.requests * 2 > self.longest
  self.verdict = verdict.of(conditions.limits, self.estimates, { alpha = self:alpha(),
    precision = conditions.precision, last = last })
  -- What is offered in a run that may be shorter than a burst overloads nothing by itself.
  local begun = not self.requests or self.requests >= self.least
  if self.facts.overload and (begun or self.verdict.state == "misses") then
    verdict.endless(self.verdict)
  end
  local state = self.verdict.state
  local growing = self.facts.growing and state ~= "misses"
  if conditions.once then
    self.state = verdict.by_estimate(self.verdict)
  elseif not self.requests then
    self:add_replications(growing)
  elseif state == "misses" then
    self.state = state
  elseif not begun then
    self:begin()
  elseif state == "meets" and not growing then
    self:confirm()
  elseif self.verdict.close and not growing then
    self.state, self.close = "undecided", true
  else
    self:look_again(growing)
  end
end

--- Tests several configurations beside each other until each is decided.
---@param trials (tandem.PlanTrial|tandem.PlanRare)[]
---@param ask fun(jobs: tandem.Job[]): tandem.Answer[]|nil, string?
---@return boolean finished  false when there will be no more answers
function trial.run(trials, ask)
  while true do
    local jobs, asked = {}, {}
    for _, one in ipairs(trials) do
      if not one.state then
        local own = one:jobs()
        asked[#asked + 1] = { one = one, from = #jobs + 1, to = #jobs + #own }
        table.move(own, 1, #own, #jobs + 1, jobs)
      end
    end
    if #jobs == 0 then return true end
    local answers = ask(jobs)
    if not answers then return false end
    for _, who in ipairs(asked) do
      who.one:take(table.move(answers, who.from, who.to, 1, {}))
    end
  end
end

return trial
