--- One configuration under test: replications in blocks until its limits are decided.
--
-- Owns how many replications the next look adds and how long the runs are. Replications are
-- numbered from 0 for every configuration and the seed is one for all: common random numbers. The
-- sizes of blocks depend on the length of the runs only, never on the threads.
local verdict = require "tandem.plan.verdict"

local trial = {}

local BLOCK <const> = 8
local SPLIT <const> = 40000    -- requests of a block from which it is cut in two jobs
local STRETCH <const> = 4
local LONGEST <const> = 400000  -- requests of a run that we made longer, unless the conditions say

---@class tandem.PlanTrial
---@field set table<string, any>
---@field label any          whatever the search calls it
---@field order integer      number among the search's candidates, from 1
---@field requests integer|nil  of a replication; nil: as the scenario says
---@field replications integer
---@field look integer
---@field values table<string, number[]>  by key of the limit
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

--- A trial that has not begun.
---@param set table<string, any>
---@param order integer
---@param requests integer|nil
---@param conditions tandem.PlanTrialConditions
---@param label any
---@return tandem.PlanTrial
function trial.new(set, order, requests, conditions, label)
  return setmetatable({ set = set, order = order, requests = requests, conditions = conditions,
    label = label, base = 1, replications = 0, look = 0, values = {}, facts = {},
    total = 0 }, Trial)
end

-- What is kept beside the limits: the reasons in an answer.
local FACTS = { "bottleneck", "utilization", "throughput_rps", "overload",
  "overload.reason", "requests", "lost", "unsettled", "unsettled.reason" }

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

--- The jobs of its next look.
---@return tandem.Job[]
function Trial:jobs()
  local count = self.look == 0 and BLOCK or math.max(BLOCK, self.replications)
  count = math.min(count, math.max(BLOCK, self.conditions.most - self.replications))
  local set = {}
  for path, value in pairs(self.set) do set[path] = value end
  if self.requests then set.requests = self.requests end
  local size = (self.requests or 0) * BLOCK > SPLIT and BLOCK // 2 or BLOCK
  local jobs = {}
  for first = self.replications, self.replications + count - 1, size do
    jobs[#jobs + 1] = { base = self.base, set = set, seed = self.conditions.seed, first = first,
      replications = math.min(size, self.replications + count - first), values = true,
      metrics = self:metrics() }
  end
  return jobs
end

-- The values of a limit in one answer: where it is about several resources, of the worst.
local function values_of(answer, limit, paths)
  local out
  for _, path in ipairs(paths) do
    local values = answer.values and answer.values[path]
    if values and out then
      for i, v in ipairs(values) do
        out[i] = limit.least and math.min(out[i], v) or math.max(out[i], v)
      end
    elseif values then
      out = table.move(values, 1, #values, 1, {})
    end
  end
  return out
end

function Trial:fail(message)
  self.state, self.message = "failed", message
end

local function add_facts(self, answers)
  local busy, count, lost = 0, 0, 0
  for _, answer in ipairs(answers) do
    local metrics = answer.metrics
    if metrics.utilization then
      busy, count = busy + metrics.utilization.value, count + 1
    end
    lost = lost + (metrics.lost and metrics.lost.value or 0)
    self.facts.bottleneck = self.facts.bottleneck or metrics.bottleneck
    self.facts.overload = self.facts.overload or metrics.overload or nil
    self.facts.why = self.facts.why or metrics["overload.reason"]
    self.facts.growing = self.facts.growing or metrics["unsettled.reason"]
    self.facts.throughput = self.facts.throughput
      or metrics.throughput_rps and metrics.throughput_rps.value
    self.total = self.total + (metrics.requests and metrics.requests.value or 0)
  end
  self.facts.lost = lost / #answers
  if count > 0 then self.facts.utilization = busy / count end
end

--- Takes the answers to its jobs and decides, where they suffice.
---@param answers tandem.Answer[]
function Trial:absorb(answers)
  local conditions = self.conditions
  for _, answer in ipairs(answers) do
    if not answer.ok then return self:fail(answer.message or "failed") end
    for _, limit in ipairs(conditions.limits) do
      local values = values_of(answer, limit, conditions.paths[limit.key])
      if not values then
        return self:fail(("a run has no %s"):format(limit.label))
      end
      local all = self.values[limit.key] or {}
      self.values[limit.key] = table.move(values, 1, #values, #all + 1, all)
    end
  end
  self.replications = #(self.values[conditions.limits[1].key])
  add_facts(self, answers)
  self.look = self.look + 1
  self:judge()
end

function Trial:judge()
  local conditions = self.conditions
  self.verdict = verdict.of(conditions.limits, self.values, {
    alpha = conditions.candidates
      and verdict.alpha_of(conditions.confidence, conditions.candidates, self.look)
      or verdict.alpha(conditions.confidence, self.order, self.look),
    confidence = conditions.confidence, precision = conditions.precision })
  if self.facts.overload then verdict.endless(self.verdict) end
  local state = self.verdict.state
  local growing = self.facts.growing and state ~= "misses"
  local longer = self.requests and self.requests * STRETCH <= (conditions.longest or LONGEST)
  if conditions.once then
    self.state = verdict.by_estimate(self.verdict)
  elseif state ~= "undecided" and not growing then
    self.state = state
  elseif self.verdict.close and not growing then
    self.state, self.close = "undecided", true
  elseif (self.verdict.short or growing) and longer then
    -- More of the same short runs would be wrong more precisely.
    self.requests = self.requests * STRETCH
    self.replications, self.values, self.facts.growing = 0, {}, nil
  elseif growing then
    self.state, self.facts.why = "undecided", self.facts.growing
  elseif self.replications >= conditions.most then
    self.state = "undecided"
  end
end

--- Tests several configurations beside each other until each is decided.
---@param trials tandem.PlanTrial[]
---@param ask fun(jobs: tandem.Job[]): tandem.Answer[]|nil, string?
---@return boolean finished  false when there will be no more answers
function trial.run(trials, ask)
  while true do
    local jobs, spans = {}, {}
    for _, one in ipairs(trials) do
      if not one.state then
        local own = one:jobs()
        spans[#spans + 1] = { one, #jobs + 1, #jobs + #own }
        table.move(own, 1, #own, #jobs + 1, jobs)
      end
    end
    if #jobs == 0 then return true end
    local answers = ask(jobs)
    if not answers then return false end
    for _, span in ipairs(spans) do
      span[1]:absorb(table.move(answers, span[2], span[3], 1, {}))
    end
  end
end

return trial
