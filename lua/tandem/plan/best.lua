--- td.plan.best: the cheapest of all combinations of what may be chosen.
--
-- Owns the combinations (the grid of `over`) and their names. Which is simulated and when,
-- cheapest.lua decides.
local answer = require "tandem.plan.answer"
local bounds = require "tandem.plan.bounds"
local cheapest = require "tandem.plan.cheapest"
local doubt = require "tandem.plan.doubt"
local evaluate = require "tandem.plan.evaluate"
local kinds = require "tandem.plan.kinds"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local question = require "tandem.plan.question"
local resources = require "tandem.language.resources"
local space_of = require "tandem.plan.space"
local styles = require "tandem.plot.style"

local best = {}

local MOST <const> = 100000

local function shown(value)
  if type(value) == "table" then
    return tostring(rawget(value, "name") or node.group(value) or "…")
  end
  return tostring(value)
end

-- The last n parts of a path, in words.
local function ending(path, n)
  local parts = {}
  for part in path:gmatch "[^.]+" do parts[#parts + 1] = part end
  return table.concat(parts, " ", math.max(1, #parts - n + 1)), n >= #parts
end

-- What an axis is called: a pool by its name, else by the end of its path, as much of it as no
-- other axis ends with.
local function name_of(axes, axis)
  local pool = axis.path:match "^resources%.(.+)%.servers$"
  if pool then return pool .. " ×" end
  local function alone(name, n)
    for _, other in ipairs(axes) do
      if other ~= axis and ending(other.path, n) == name then return false end
    end
    return true
  end
  local n, name, whole = 1, ending(axis.path, 1)
  while not whole and not alone(name, n) do
    n = n + 1
    name, whole = ending(axis.path, n)
  end
  return name .. " "
end

-- The axes, checked: { path, values, name } sorted by path, the kind and the number first.
local function axes_of(over)
  if type(over) ~= "table" or next(over) == nil then
    question.fail("over: nothing to choose from; over = { kind = { \"H100\", \"L40S\" }, "
      .. "gpus = td.range(1, 8) }")
  end
  local rank, axes = { kind = 1, gpu = 1, gpus = 2 }, {}
  for _, path in ipairs(nearest.sorted_keys(over)) do
    if type(path) ~= "string" then
      question.fail("over: wants paths and their values, over = { gpus = { 1, 2, 4 } }")
    end
    local values = question.list_of(over[path], path)
    if #values == 0 then question.fail("over: %s has no values", path) end
    for _, value in ipairs(values) do
      if (path == "kind" or path == "gpu") and type(value) == "string" then
        local known, near = resources.catalogue_params(value)
        if not known then
          question.fail("over: unknown GPU '%s'; %s", value, near
            and ("did you mean '%s'?"):format(near) or "tandem list gpus names them")
        end
      end
    end
    axes[#axes + 1] = { path = path, values = values }
  end
  table.sort(axes, function(a, b)
    local ra, rb = rank[a.path] or 3, rank[b.path] or 3
    if ra ~= rb then return ra < rb end
    return a.path < b.path
  end)
  for _, axis in ipairs(axes) do axis.name = name_of(axes, axis) end
  return axes
end

local function words_of(axes, chosen)
  local parts = {}
  for i, axis in ipairs(axes) do
    local value = shown(chosen[i])
    if axis.path == "gpus" then parts[#parts + 1] = "×" .. value
    elseif axis.path == "kind" or axis.path == "gpu" then parts[#parts + 1] = value
    else parts[#parts + 1] = axis.name .. value end
  end
  return table.concat(parts, " ")
end

-- Each as it is to be tested: with what the model leaves open where the scenario's servers work.
local function configurations(q, axes, load, doubted)
  local count = 1
  for _, axis in ipairs(axes) do count = count * #axis.values end
  if count > MOST then
    question.fail("over: makes %d combinations; the most is %d", count, MOST)
  end
  local out, chosen = {}, {}
  local function walk(i, set)
    local axis = axes[i]
    if not axis then
      local exact = space_of.merge(set, load.set)
      out[#out + 1] = { label = words_of(axes, chosen), exact = exact, position = #out + 1,
        set = doubted and space_of.merge(exact, doubted.set) or exact }
      return
    end
    for _, value in ipairs(axis.values) do
      chosen[i] = value
      local put = value
      if type(value) == "table" then
        q.values[#q.values + 1] = value
        put = { ["$"] = #q.values }
      end
      walk(i + 1, space_of.merge(set, { [axis.path] = put }))
    end
  end
  walk(1, {})
  return out
end

-- The kinds among what may be chosen, as a question about kinds has them.
local function kinds_of(q, axes)
  local out = {}
  for _, axis in ipairs(axes) do
    if axis.path == "kind" or axis.path == "gpu" then
      for _, value in ipairs(axis.values) do
        local put = value
        if type(value) == "table" then
          q.values[#q.values + 1] = value
          put = { ["$"] = #q.values }
        end
        out[#out + 1] = { name = shown(value), set = { gpu = put } }
      end
    end
  end
  return setmetatable({ kinds = #out > 0 and out or q.kinds }, { __index = q })
end

-- What it is compared by: what the question says, where anything has it.
local function aim_of(q, lists)
  for _, list in ipairs(lists) do
    for _, one in ipairs(list) do
      if one.cost then return q.minimize end
    end
  end
  return "gpus"
end

--- A configuration as a row of the answer.
---@param load tandem.PlanLoad
---@param one tandem.PlanConfiguration
---@return tandem.PlanRow
function best.row(load, one)
  local verdict = one.trial and one.trial.verdict
  return { demand = load, choice = { name = one.label, set = one.set }, state = one.state or "left",
    count = one.state == "meets" and one.bill.gpus or nil, shown = one.bill and one.bill.gpus,
    setting = one.label, bill = one.bill, figures = verdict and verdict.figures,
    trial = one.trial, lost = one.trial and one.trial.facts.lost,
    binding = verdict and verdict.binding, reason = one.message, tried = one,
    bottleneck = one.trial and one.trial.facts.bottleneck
      or one.forecast and one.forecast.bottleneck,
    utilization = one.trial and one.trial.facts.utilization
      or one.forecast and one.forecast.utilization, high = 0 }
end

--- Of a search that was stopped: nobody knows whether this one would have been the answer.
---@param result { winner: tandem.PlanConfiguration|nil, finished: boolean }|false
---@param one tandem.PlanConfiguration
---@return "open"|nil
local function open(result, one)
  if result and result.finished or one.state or not one.cost then return nil end
  local winner = result and result.winner
  return (not winner or one.cost < winner.cost) and "open" or nil
end

--- Answers the question.
---@param q tandem.PlanQuestion
---@return tandem.PlanAnswer
function best.answer(q)
  q.count, q.noun = "gpus", "GPU"
  local axes, lists, bodies = axes_of(q.over), {}, {}
  local doubted = {}
  for i, load in ipairs(q.loads) do
    doubted[i] = doubt.of(q, load.set)
    lists[i] = configurations(q, axes, load, doubted[i])
    for _, one in ipairs(lists[i]) do cheapest.prepare(q, one, q.minimize) end
  end
  -- One wrong combination is told, all of them are a wrong question.
  local valid, wrong = 0, nil
  for _, list in ipairs(lists) do
    for _, one in ipairs(list) do
      valid = valid + (one.state ~= "invalid" and 1 or 0)
      wrong = wrong or one.message
    end
  end
  if valid == 0 then question.fail("over: %s", wrong) end
  local aim = aim_of(q, lists)
  for i, list in ipairs(lists) do
    if aim ~= q.minimize then
      for _, one in ipairs(list) do one.cost = one.bill and one.bill[aim] end
    end
    bodies[i] = function(ask)
      local winner, finished = cheapest.run(doubted[i] and doubt.question(q) or q, list, nil, ask)
      return { winner = winner, finished = finished }
    end
  end
  local work = { jobs = 0, replications = 0 }
  local results = evaluate.run(bodies, { scenarios = q.bases, values = q.values,
    threads = q.threads, backend = q.backend, simulations = q.budget.simulations,
    deadline = q.deadline, progress = q.progress }, work)
  local rows, tallies = {}, {}
  for i, result in ipairs(results) do
    local tally = { all = #lists[i] }
    for _, one in ipairs(lists[i]) do
      local state = one.state or open(result, one) or one.cost and "left" or "unpriced"
      tally[state] = (tally[state] or 0) + 1
      if one.trial then
        rows[#rows + 1] = best.row(q.loads[i], one)
        if state == "open" then rows[#rows].state = "stopped" end
      end
      local limiting = state == "overload" and bounds.apart(one.bounds, one.forecast.bottleneck)
      if limiting then tally.limiting = limiting.name end
      tally.message = tally.message or one.state == "invalid" and one.message
    end
    tally.finished = result and result.finished
    tallies[i] = tally
  end
  local out = answer.new(q, rows, work)
  for i, row in ipairs(out.best) do
    if row and doubted[i] then row.doubt = doubt.of(q, row.tried.exact) or doubted[i] end
  end
  out.tallies = tallies
  local asked = kinds_of(q, axes)
  out.cautions = kinds.cautions(asked)
  local unmeasured = doubt.cautions(asked)
  table.move(unmeasured, 1, #unmeasured, #out.cautions + 1, out.cautions)
  return out
end

local STATES <const> = { { "meets", "%s meet the limits" }, { "misses", "%s miss them" },
  { "overload", "%s would be overloaded" }, { "unsettled", "%s are too near to saturation" },
  { "undecided", "%s are UNDECIDED" }, { "failed", "%s failed" }, { "invalid", "%s are not valid" },
  { "budget", "%s are beyond the budget" }, { "unpriced", "%s have no price" },
  { "open", "%s are not decided" }, { "dearer", "%s turned out dearer than needed" },
  { "left", "%s are dearer than that" } }

--- What became of all the combinations of a load.
---@param out tandem.PlanAnswer
---@param i integer  of the load
---@return string
function best.tally(out, i)
  local tally, parts = out.tallies[i], {}
  for _, state in ipairs(STATES) do
    if tally[state[1]] then
      local text = state[2]
      if tally[state[1]] == 1 then
        text = text:gsub("meet ", "meets "):gsub("miss ", "misses "):gsub("are ", "is ")
          :gsub("have ", "has ")
      end
      if state[1] == "overload" and tally.limiting then
        text = text .. (" (%s is)"):format(styles.clean(tally.limiting))
      end
      parts[#parts + 1] = text:format(tostring(tally[state[1]]))
    end
  end
  return ("Of %d combinations %s.%s"):format(tally.all,
    require("tandem.text.format").list(parts),
    tally.message and " Not valid: " .. tally.message or "")
end

return best
