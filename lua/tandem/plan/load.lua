--- td.plan.load: the highest load that given GPUs carry within the limits.
--
-- Owns the steps of load: hundredths of what theory says saturates the configuration, tested with
-- the search for the smallest number, which here counts from saturation downwards. Where theory
-- cannot say, the load goes up by doubling first.
local answer = require "tandem.plan.answer"
local attempt = require("tandem.text.shortage").attempt
local bill = require "tandem.scenario.bill"
local demand = require "tandem.plan.demand"
local doubt = require "tandem.plan.doubt"
local evaluate = require "tandem.plan.evaluate"
local find = require "tandem.plan.find"
local format = require "tandem.text.format"
local kinds = require "tandem.plan.kinds"
local limits = require "tandem.plan.limits"
local question = require "tandem.plan.question"
local space_of = require "tandem.plan.space"

local highest = {}

local STEPS <const> = 99       -- hundredths of the load that saturates
local STEPS_CLOSED <const> = 199
local REPLICATIONS <const>, LONGEST <const> = 32, 100000

-- The load to write: three digits say all that steps of a hundredth resolve.
local function rounded(value, unit)
  if unit == "users" then return math.max(1, math.floor(value)) end
  return tonumber(("%.3g"):format(value))
end

local function searcher(q, kind, row)
  local fixed = space_of.merge(kind.set, q.gpus and { gpus = q.gpus } or {})
  local own = q.demand.total
  local function load_at(factor)
    return demand.scaled(q.demand, rounded(own * factor, q.demand.unit) / own)
  end
  local ok, space = attempt(space_of.loads, q, fixed, load_at,
    q.demand.unit == "users" and STEPS_CLOSED or STEPS)
  if not ok then
    row.state, row.reason = "none", (tostring(space):gsub("\n.*", ""))
    return function() return row end
  end
  row.space = space
  function row.load_of(number) return rounded(own * space.factor(number), q.demand.unit) end
  return function(ask)
    local outcome = find.smallest(q, space, ask)
    row.outcome = outcome
    local number = outcome.answer
    row.state = number and "meets" or outcome.finished and "none" or "stopped"
    if not number then return row end
    local one = outcome.trials[number]
    row.number, row.rps = number, row.load_of(number)
    row.figures, row.binding = one.verdict.figures, one.verdict.binding
    row.utilization, row.bottleneck = one.facts.utilization, one.facts.bottleneck
    row.lost, row.trial = one.facts.lost, one
    row.bill = bill.of(space_of.with(q, space.set(number)))
    row.count = row.bill.gpus
    if number > space.low then
      local above = outcome.trials[number - 1]
      row.next_load = row.load_of(number - 1)
      row.next_verdict = above and above.verdict
      row.next_state = above and (above.unsettled and "unsettled" or above.state)
    end
    return row
  end
end

-- How a row is searched once more with steps that are off.
local doubtful = {
  set = function(row) return row.space.set(row.number) end,
  number = function(row) return row.rps end,
  again = function(q, row, set)
    local again = { demand = row.demand, choice = row.choice, high = row.high }
    return searcher(q, { name = row.choice.name, set = space_of.merge(row.choice.set, set) }, again)
  end }

--- Answers the question.
---@param q tandem.PlanQuestion
---@return tandem.PlanAnswer
function highest.answer(q)
  if q.demand.stuck or not q.demand.total or #q.demand.fields == 0 then
    question.fail("scenario: the load of %s cannot be varied; td.poisson, td.paced and their kind "
      .. "can", q.demand.stuck or "this workload")
  end
  local target = q.scenario.checked.target
  if q.gpus and (not target or target.type ~= "gpu") then
    question.fail("gpus: the scenario has no single target GPU whose number could be set")
  elseif q.gpus and (math.type(q.gpus) ~= "integer" or q.gpus < 1) then
    question.fail("gpus: wants a whole number from 1, not %s", tostring(q.gpus))
  end
  q.count, q.noun = "gpus", "GPU"
  -- Loads lie as near to each other as one likes: what is undecided costs a hundredth, not a GPU.
  q.replications, q.longest = math.min(q.replications, REPLICATIONS), LONGEST
  q.loads = { { label = "", factor = 1, set = {} } }
  local bodies = {}
  for i, kind in ipairs(q.kinds) do
    local row = { demand = q.loads[1], choice = kind, high = q.max }
    bodies[i] = searcher(q, kind, row)
  end
  local work = { jobs = 0, replications = 0 }
  local options = { scenarios = q.bases, values = q.values,
    threads = q.threads, backend = q.backend, simulations = q.budget.simulations,
    deadline = q.deadline, progress = evaluate.part(q.progress, 0, 0.5) }
  local rows = evaluate.run(bodies, options, work)
  options.progress = evaluate.part(q.progress, 0.5, 1)
  rows = doubt.widen(q, rows, doubtful, options, work)
  local out = answer.new(q, rows, work)
  -- The best carries most.
  local best = false
  for _, row in ipairs(out.rows) do
    if row.rps and (not best or row.rps > best.rps) then best = row end
  end
  out.best, out.ok = { best }, best ~= false
  out.aim = q.minimize
  out.cautions = kinds.cautions(q)
  local doubted = doubt.cautions(q)
  table.move(doubted, 1, #doubted, #out.cautions + 1, out.cautions)
  doubt.foresee(q, out.best, doubtful, options, work)
  return out
end

--- What is said of the best row.
---@param out tandem.PlanAnswer
---@param row tandem.PlanRow
---@param sure string
---@return string[]
function highest.sentences(out, row, sure)
  local q, sentences, meets = out.question, {}, {}
  for i, figure in ipairs(limits.told(row.figures)) do meets[i] = limits.words(figure) end
  local who = row.choice.name ~= "" and row.bill.gpus > 0
    and ("%d × %s"):format(row.bill.gpus, row.choice.name) or "The scenario"
  sentences[1] = ("%s carries %s with %s at %s confidence (%s %s, %s of room)."):format(who,
    demand.words(row.rps, q.demand.unit), format.list(meets), sure, row.binding.label,
    format.estimate(row.binding, row.binding.kind), format.percent(row.binding.margin))
  if row.next_load then
    local binding = row.next_verdict and row.next_verdict.binding
    local told = demand.words(row.next_load, q.demand.unit)
    if row.next_state == "misses" and binding then
      sentences[#sentences + 1] = ("At %s it would miss %s: %s."):format(told,
        limits.words(binding), format.estimate(binding, binding.kind))
    elseif row.next_state == "undecided" and binding then
      sentences[#sentences + 1] = ("At %s it could not be told: %s is %s, too near to its limit; "
        .. "the safe side was taken."):format(told, binding.label,
        format.estimate(binding, binding.kind))
    elseif not row.next_state then
      sentences[#sentences + 1] = ("Whether it carries %s was not decided: the search was stopped "
        .. "before."):format(told)
    elseif row.next_state == "unsettled" then
      sentences[#sentences + 1] = ("%s is too near to saturation for any run to settle; the safe "
        .. "side was taken."):format(told)
    end
  elseif row.space.top then
    sentences[#sentences + 1] = "That is as near to saturation as is tried."
  end
  if row.space.top then
    local own = q.demand.total
    sentences[#sentences + 1] = ("In theory %s saturates at %s, so this is %s of it."):format(
      row.space.forecast(row.number).bottleneck or "it",
      demand.words(own * row.space.top, q.demand.unit),
      format.percent(row.rps / (own * row.space.top)))
  end
  return sentences
end

return highest
