--- A plan's answer in words: the sentences under its table, and the whole report.
--
-- Owns every judgement that is worded: why not fewer, why none, what happens when the load changes.
-- The data is answer.lua's, the table table.lua's, what it costs costs.lua's.
local ahead = require "tandem.plan.ahead"
local bounds = require "tandem.plan.bounds"
local costs = require "tandem.plan.costs"
local demand = require "tandem.plan.demand"
local format = require "tandem.text.format"
local limits = require "tandem.plan.limits"
local outages = require "tandem.plan.outages"
local pair_words = require "tandem.plan.pair_words"
local periods = require "tandem.plan.periods"
local unserved = require "tandem.result.unserved"
local styles = require "tandem.plot.style"
local tables = require "tandem.plan.table"
local words = require "tandem.plan.words"

local report = {}

-- Why it is not one fewer.
local function binding_words(q, row)
  local fewer = row.fewer
  if row.pair then return pair_words.binding(q, row) end
  if not fewer then
    return ("It is the least there can be; %s has %s of room."):format(row.binding.label,
      format.percent(row.binding.margin))
  end
  return words.fewer(fewer, words.of_row(q, row, fewer.count))
end

local function sensitivity_words(q, row)
  local out = {}
  local names = { load = "load", service = "time of every step" }
  for _, what in ipairs { "load", "service" } do
    local parts = {}
    for _, one in ipairs(row.sensitivity or {}) do
      if one.what == what then
        local change = ("%s%d %%"):format(one.change > 0 and "+" or "−",
          math.floor(math.abs(one.change) * 100 + 0.5))
        parts[#parts + 1] = one.difference == 0 and change .. (one.unsure
            and " may change nothing or one" or " changes nothing")
          or one.difference and ("%s: %s%d (%s%d)"):format(change, one.unsure and "about " or "",
            one.count, one.difference > 0 and "+" or "−", math.abs(one.difference))
          or one.limiting and ("%s: no number up to %d, since %s is the busiest there"):format(
            change, math.max(row.high, row.count), styles.clean(one.limiting))
          or ("%s: more than %d"):format(change, math.max(row.high, row.count))
      end
    end
    if #parts > 0 then
      out[#out + 1] = ("With %sthe %s %s."):format(row.with and format.plural(row.with, q.pair.noun)
        .. " and " or "", names[what], table.concat(parts, ", "))
    end
  end
  return table.concat(out, " ")
end

-- Where the answer itself gives way.
local function knee_words(q, row)
  local one = row.knee
  local text = ("The knee: %s %s within the limits up to about %s"):format(
    words.of_row(q, row, row.count), row.count > 1 and "stay" or "stays", format.rate(one.load))
  if not one.binding then return text .. "; more was not tried." end
  return ("%s; at %s %s.%s"):format(text, format.rate(one.beyond), words.beyond(one.binding),
    words.there(one.overload))
end

-- "1", or "1 replica".
local function replicas_down(q, row)
  local size = row.space and row.space.size or 1
  return size > 1 and format.plural(q.survive, "replica") or tostring(q.survive)
end

-- What is overloaded however many there are of what is counted: its name is nil where theory knows
-- of nothing.
local function limiting_words(q, row)
  local space = row.space
  if not space or not space.template or space.high <= space.least then return nil end
  local last = space.forecast(space.high)
  local name, before = last.bottleneck, space.forecast(space.least)
  if last.utilization < 1 or last.utilization < 0.999 * (before.loads[name] or math.huge) then
    return nil
  end
  local station = bounds.apart(space.template, name)
  local servers = station and station.servers < math.huge and station.servers
  return ("%s is what limits, whatever the %s: it is offered %s of what it can serve%s.")
    :format(styles.clean(name), q.pair and ("number of %ss"):format(q.noun) or words.number_of(q),
      format.percent(last.utilization), servers
      and ("; it would take at least %d in place of its %d, or less work for each request"):format(
        math.floor(servers * last.utilization + 1e-9) + 1, servers) or "")
end

-- A resource that more of what is counted does not relieve, and how busy it is there.
local function elsewhere_words(q, row, trial)
  local facts = trial and trial.facts
  local station = facts and q.count == "gpus"
    and bounds.apart(row.space and row.space.template, facts.bottleneck)
  if not station or not facts.utilization then return nil end
  return (" The busiest resource there is %s, %s of the time, and more GPUs do not relieve it.")
    :format(styles.clean(facts.bottleneck), format.percent(facts.utilization))
end

-- What a GPU (or server) carries at most, when it is what saturates.
local function overload_words(q, row)
  local space = row.space
  local busy = space and space.template
    and bounds.forecast(space.template, 1 / (space.size or 1))
  if not busy or space.low == space.least then return nil end
  if q.count == "gpus" and busy.gpu and row.demand.value and q.demand.unit == "rate" then
    return ("Each %s carries at most %s; %s need at least %s for stability%s."):format(
      styles.clean(row.choice.name), format.rate(row.demand.value / busy.gpu), row.demand.label,
      format.integer(math.ceil(busy.gpu + 1e-9)), q.survive > 0
        and (", beside %s that may be down"):format(replicas_down(q, row)) or "")
  end
  return ("Stability needs %s at least."):format(words.noun(q, space.low))
end

local BUDGETS = { gpus = "GPUs", usd_per_hour = "dollars an hour", watts = "watts" }

--- Why a row has no answer.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@return string
local function none(q, row)
  local parts = { row.demand.label ~= "" and row.demand.label or nil }
  if q.count == "gpus" and row.choice.name ~= "" then
    parts[#parts + 1] = styles.clean(row.choice.name)
  end
  local head = #parts > 0 and table.concat(parts, ", ") .. ": " or ""
  local outcome = row.outcome
  if row.reason then return head .. row.reason end
  if row.beyond_budget then return head .. pair_words.beyond_budget(q, row) end
  if outcome and outcome.failed then return head .. outcome.failed end
  local most = words.of_row(q, row, row.high)
  if row.space and row.space.numbers and row.space.least > row.high then
    return ("%sone replica takes %s, and no more than %d are %s."):format(head,
      words.noun(q, row.space.size), row.high, row.capped and ("within the budget (%s)")
        :format(BUDGETS[row.capped]) or "allowed (max)")
  end
  if row.high < q.min then
    return ("%sthe budget of %s does not pay for one."):format(head, BUDGETS[row.capped] or "it")
  end
  if outcome and outcome.hopeless then
    local figure = outcome.alone.verdict.binding
    if figure.lost then
      return ("%s%s even where one is alone: they are turned away or give up whatever the load. "
        .. "%s changes it."):format(head, unserved.words(figure.value),
        q.find == "load" and "No load, however small," or "No " .. words.number_of(q))
    end
    return ("%s%s cannot be below %s: one request alone takes that%s%s. %s changes it; a faster "
      .. "kind or a shorter step would."):format(head, figure.label,
      format.quantity(figure.value, figure.kind), figure.label:find "p%d"
      and " at " .. figure.label:match "p[%d.]+" or "", row.choice.name ~= "" and " on "
      .. styles.clean(row.choice.name) or "", q.find == "load" and "No load, however small,"
      or "No " .. words.number_of(q))
  end
  if q.find == "load" then return head .. "even the smallest load does not meet the limits." end
  local text = head
  if row.space and row.space.low > row.space.high then
    local limiting = limiting_words(q, row)
    if limiting then return head .. limiting end
    text = text .. ("even %s %s overloaded. "):format(most, row.high == 1 and "is" or "are")
      .. (overload_words(q, row) or "")
  else
    local last = outcome and outcome.trials[row.high]
    local binding = last and last.verdict and last.verdict.binding
    text = text .. ("even %s %s%s."):format(most,
      last and last.state == "undecided" and "could not be shown to suffice" or "do not suffice",
      binding and ": " .. words.beyond(binding) or "")
      .. words.there(last and last.facts and last.facts.why)
    local elsewhere = elsewhere_words(q, row, last)
    if elsewhere then return text .. elsewhere end
  end
  if row.capped then
    text = text .. (" More are beyond the budget (%s)."):format(BUDGETS[row.capped])
  elseif q.count == "gpus" then
    text = text .. (" More than %d were not tried (max)."):format(row.high)
  end
  return text
end

-- GPUs that come in groups: how many groups.
local function replica_words(row)
  local numbers = row.space and row.space.numbers
  for position, number in ipairs(numbers or {}) do
    if number == row.count and numbers[1] == row.space.size then
      return ("That is %s of %s."):format(format.plural(position, "replica"),
        format.plural(row.space.size, "GPU"))
    end
  end
end

-- What the scenario says happens at times, and the runs of the answer are too short for.
local function unseen_words(q, row)
  local trial = row.trial
  local rate = trial and (trial.facts.throughput or row.demand.value)
  if not rate or not trial.requests then return nil end
  local seconds, out = trial.replications * trial.requests / rate, {}
  if trial.states then
    out[1] = outages.words(trial.fleet, trial.states, row.binding and row.binding.label)
  end
  local who = (q.find ~= "load" or row.count > 0 and row.choice.name ~= "")
    and words.of_row(q, row, row.count) or "the scenario"
  for _, one in ipairs(periods.unseen(q.periods, seconds, row.count)) do
    if not (trial.states and one.period.fails) then
      out[#out + 1] = periods.words(one, seconds, who, q.find)
    end
  end
  return #out > 0 and table.concat(out, " ") or nil
end

-- Latencies are of the requests that are served.
local function lost_words(row)
  if not row.lost or row.lost == 0 then return nil end
  local text = unserved.words(row.lost)
  return ("%s (turned away, gave up or timed out); latencies are of those served."):format(text)
end

-- Where a limit on lost requests that nobody asked for may have decided: which, and how to set it.
local function implied_words(answer)
  local said, mattered = {}, false
  for _, limit in ipairs(answer.limits) do
    if limit.implied then said[#said + 1] = limits.words(limit) end
  end
  for _, row in ipairs(#said > 0 and answer.rows or {}) do
    local outcome, facts = row.outcome, row.tried and row.tried.trial and row.tried.trial.facts
    mattered = mattered or facts and (facts.lost or 0) > 0
      or outcome and outcome.alone and (outcome.alone.facts.lost or 0) > 0
    for _, number in ipairs(outcome and outcome.order or {}) do
      mattered = mattered or (outcome.trials[number].facts.lost or 0) > 0
    end
  end
  return mattered and ("No objective says how many requests may be lost, so an answer is held to "
    .. "%s. --slo met=… or --limit lost=… says otherwise."):format(format.list(said)) or nil
end

-- What the model leaves open of a row.
local function doubt_sentences(answer, row)
  local q = answer.question
  return require("tandem.report.doubt").of_plan(row, function(number)
    return answer.find == "load" and demand.words(number, q.demand.unit)
      or row.pair and words.amount(q, row.choice, number) or words.of_row(q, row, number)
  end)
end

local function best_sentences(answer, row, several)
  local q, out = answer.question, {}
  local meets = {}
  for i, figure in ipairs(limits.told(row.figures)) do meets[i] = limits.words(figure) end
  local sure = format.percent(q.confidence):gsub(" %%", " %%")
  if answer.find == "load" then
    out = require("tandem.plan.load").sentences(answer, row, sure)
    for _, text in ipairs { lost_words(row) or false, unseen_words(q, row) or false } do
      if text then table.insert(out, 2, text) end
    end
    return out
  end
  local who = words.of_row(q, row, row.count)
  if q.survive > 0 then
    who = ("%s with %s of them down"):format(who, replicas_down(q, row))
  end
  local plural = row.count > 1 and not row.setting and q.count ~= "gpus" and not q.setting
  out[1] = ("%s: %s %s %s with %s confidence (%s, %s of room)."):format(row.demand.label,
    who, plural and "meet" or "meets", format.list(meets), sure,
    words.beyond(row.binding), format.percent(row.binding.margin))
  out[#out + 1] = unseen_words(q, row)
  out[#out + 1] = lost_words(row)
  out[#out + 1] = replica_words(row)
  out[#out + 1] = answer.find == "gpus" and not row.tried and binding_words(q, row) or nil
  for _, text in ipairs(row.pair and pair_words.others(q, row) or {}) do out[#out + 1] = text end
  if row.bottleneck then
    out[#out + 1] = ("The busiest resource is %s, %s of the time."):format(
      styles.clean(row.bottleneck), format.percent(row.utilization))
  end
  if several then return out end
  if row.space then out[#out + 1] = overload_words(q, row) end
  if row.knee then out[#out + 1] = knee_words(q, row) end
  out[#out + 1] = costs.words(q, row)
  if row.sensitivity then out[#out + 1] = sensitivity_words(q, row) end
  return out
end

-- What is known of a search that was stopped before it had an answer.
local function so_far_words(q, row)
  local outcome, parts = row.outcome, {}
  for _, number in ipairs(outcome and outcome.order or {}) do
    local one = outcome.trials[number]
    local binding = one.verdict and one.verdict.binding
    if binding then
      parts[#parts + 1] = ("%s %s (%s%s)"):format(words.of_row(q, row, number),
        one.state == "misses" and "would miss it" or one.state == "undecided" and "is undecided"
          or binding.margin >= 0 and "may do" or "may not do", words.beyond(binding),
        one.state and "" or " so far")
    end
  end
  local rough = row.rough and ahead.rough_words(q, row.choice, row.rough)
  if #parts == 0 and rough then parts[1] = rough end
  local told = #parts > 0 and format.list(parts) or nil
  if row.rough and row.rough.look_s then
    told = (told and told .. "; " or "") .. ahead.patience_words(row.rough)
  end
  return told and ("%s: stopped before there was an answer; %s."):format(row.demand.label, told)
    or nil
end

-- A budget of simulations is spent in rounds; the one that does not fit is not begun.
local function budget_words(answer)
  local most = format.plural(answer.question.budget.simulations, "simulation")
  if answer.simulations == 0 then
    return ("The budget of %s does not pay for the first round, so nothing was simulated.")
      :format(most)
  end
  return ("The budget of %s was used up (%s ran, and the next round would be beyond it): what is "
    .. "above is what was decided by then."):format(most, format.integer(answer.simulations))
end

--- All sentences, one paragraph each.
---@param answer tandem.PlanAnswer
---@return string[]
function report.sentences(answer)
  local q, out = answer.question, {}
  local found = 0
  for _, best in ipairs(answer.best) do found = found + (best and 1 or 0) end
  for _, best in ipairs(answer.best) do
    if best then
      local several = found > 3 and not best.sensitivity
      out[#out + 1] = table.concat(best_sentences(answer, best, several), " ")
      local doubts = doubt_sentences(answer, best)
      out[#out + 1] = #doubts > 0
        and table.concat(doubts, " ", 1, several and math.min(2, #doubts) or #doubts) or nil
    end
  end
  if answer.tallies then
    for i, load in ipairs(q.loads) do
      local head = #q.loads > 1 and load.label .. ": " or ""
      if not answer.best[i] then
        out[#out + 1] = head .. "no combination was shown to meet the limits."
      end
      out[#out + 1] = head .. require("tandem.plan.best").tally(answer, i)
    end
  end
  local stopped = 0
  for _, row in ipairs(answer.rows) do
    if row.state == "stopped" and not row.tried and not row.reason
      and not (row.outcome and row.outcome.failed) then
      stopped = stopped + 1
      out[#out + 1] = q.find == "gpus" and so_far_words(q, row) or nil
    elseif not row.count and not row.tried then
      local doubts = doubt_sentences(answer, row)
      out[#out + 1] = table.concat({ none(q, row), table.unpack(doubts) }, " ")
    end
    local outcome = row.outcome
    if outcome and outcome.contradiction then
      out[#out + 1] = ("%s, %s: not monotone, %d met the limits and %d did not, so the numbers "
        .. "were tested one after the other from below."):format(row.demand.label,
        styles.clean(row.choice.name), outcome.contradiction.smaller, outcome.contradiction.larger)
    end
    if outcome and q.find == "gpus" then
      for _, number in ipairs(outcome.undecided) do
        local one = outcome.trials[number]
        if not one.unsettled then
          out[#out + 1] = ("%s, %s: UNDECIDED after %s%s; the safe side was taken."):format(
            row.demand.label, words.of_row(q, row, number),
            format.plural(one.replications, "replication"),
            one.close and (" (nearer to the limit than %s)"):format(format.percent(q.precision))
              or "")
        end
      end
    end
  end
  if answer.aim ~= q.minimize and (#q.kinds > 1 or q.find == "best") and answer.ok then
    out[#out + 1] = "No kind has a price, so the best is the one with the fewest GPUs."
  end
  out[#out + 1] = implied_words(answer)
  for _, note in ipairs(answer.notes) do out[#out + 1] = note end
  if stopped > 0 then
    out[#out + 1] = stopped == #answer.rows
      and "There is no answer: the search was stopped before one was found."
      or ("%d of %d rows %s not decided."):format(stopped, #answer.rows,
        stopped == 1 and "was" or "were")
  end
  if answer.stopped == "budget" then
    out[#out + 1] = budget_words(answer)
  elseif answer.stopped then
    out[#out + 1] = ("%s: what is above is what was decided by then."):format(
      answer.interrupted and "Interrupted" or "The time was up")
  end
  return out
end

local TITLES <const> = { gpus = "%s for %s", load = "highest load for %s",
  best = "cheapest for %s" }

local function title(answer)
  local all, q = {}, answer.question
  for i, limit in ipairs(limits.asked(answer.limits)) do all[i] = limits.words(limit) end
  local what = format.list(all)
  if q.pair then
    return TITLES.gpus:format(("cheapest %ss and %ss"):format(q.noun, q.pair.noun), what)
  elseif answer.find == "gpus" then
    return TITLES.gpus:format(q.setting and "lowest " .. q.noun
      or ("fewest %ss"):format(q.noun), what)
  end
  return TITLES[answer.find]:format(what)
end

--- The report of an answer.
---@param answer tandem.PlanAnswer
---@param style? tandem.Style
---@return string
function report.text(answer, style)
  style = style or styles.detect(1)
  local q, lines = answer.question, {}
  local function line(text) lines[#lines + 1] = style:text(text) end
  line(style:paint(("%s: %s"):format(styles.clean(q.scenario.name), title(answer)), "bold"))
  line(style:paint(string.rep("─", style.width), "dim"))
  for _, sentence in ipairs(answer.cautions or {}) do
    for _, wrapped in ipairs(styles.wrap(style:text(styles.clean(sentence)), style.width)) do
      line(style:paint(wrapped, "yellow"))
    end
  end
  if #(answer.cautions or {}) > 0 then line("") end
  local made = tables.of(answer, style):lines(0)
  table.move(made, 1, #made, #lines + 1, lines)
  for _, sentence in ipairs(report.sentences(answer)) do
    line("")
    for _, wrapped in ipairs(styles.wrap(format.bind(style:text(sentence)), style.width)) do
      line(wrapped)
    end
  end
  line("")
  local ran = answer.simulations == 0 and "nothing was simulated" or ("%s of %s in all"):format(
    format.plural(answer.simulations, "simulation"),
    format.plural(answer.replications, "replication"))
  local doubted = false
  for _, row in ipairs(answer.rows) do doubted = doubted or row.doubt and not row.doubt.stopped end
  line(style:paint(("%s · seed %d · %s confidence for each row%s"):format(ran, q.seed,
    format.percent(q.confidence), doubted and ", over luck and model" or ""), "dim"))
  return table.concat(lines, "\n")
end

return report
