--- What is told while a plan is worked on: that its runs are long, what short ones say, how far it
--- is.
--
-- Owns words for whoever waits, on the clock of this machine; hence no part of an answer, but for
-- what short runs say where there is none. Called by plan/gpus.
local core = require "tandem.core"
local find = require "tandem.plan.find"
local format = require "tandem.text.format"
local job = require "tandem.sweep.job"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"
local words = require "tandem.plan.words"

local ahead = {}

local LOOK <const> = 8        -- runs of one
local PILOT <const> = 50      -- requests of a run that is timed
local PATIENCE_S <const> = 10 -- what nobody is told of ahead
local ROUGH <const> = 3       -- pilots in length, of runs that give a first idea
local ROUGH_RUNS <const> = 2
-- What a first idea may take, unless one run does: so long, or a share of a look, or the most.
local ROUGH_S <const>, ROUGH_SHARE <const>, ROUGH_MOST_S <const> = 8, 0.2, 60
local LOOKS <const> = 8       -- of a search, about

-- One look that claims nothing, at runs that are short.
local function rough_look(q, space, number, requests)
  local one = trial.new(space.tested(number), 1, requests,
    find.conditions(q, space.paths(number), true), number)
  local asked = one:job()
  asked.replications, asked.threads = ROUGH_RUNS, q.threads or core.processors()
  local answer = job.run(q.bases, q.values, asked)
  if job.starved(answer) then error("not enough memory", 0) end
  if not answer.ok or answer.interrupted then return nil end
  one:absorb(answer)
  return one.verdict and one or nil
end

---@class tandem.PlanRough
---@field requests integer  of a run
---@field number integer|nil  the fewest that may do
---@field figure tandem.PlanFigure|nil  there
---@field missed integer|nil  the most that did not
---@field missing tandem.PlanFigure|nil  there
---@field look_s number|nil  what one look at a candidate takes on this machine

--- The fewest that do by runs that are too short to be sure: a first idea, found by doubling and
--- halving.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param requests integer
---@param seconds number|nil  no look is begun after so long
---@return tandem.PlanRough
function ahead.rough(q, space, requests, seconds)
  local began, out = core.clock(), { requests = requests }
  local numbers, low, at = {}, 0, 1
  for number = space.low, space.high do
    local counts = not space.numbers or space.above(number - 1) == number
    if counts then numbers[#numbers + 1] = number end
    if counts and number <= space.start then at = #numbers end
  end
  local high = #numbers + 1
  -- From where theory starts, in steps that double, then by halves.
  local stride = 1
  while numbers[at] and high - low > 1 do
    if seconds and core.clock() - began > seconds then break end
    local one = rough_look(q, space, numbers[at], requests)
    if not one then break end
    if one.state == "meets" then
      high, out.number, out.figure = at, numbers[at], one.verdict.binding
    else
      low, out.missed = at, numbers[at]
      out.missing = one.verdict.binding
    end
    if low > 0 and high <= #numbers then at = (low + high) // 2
    elseif low > 0 then at = low < #numbers and math.min(low + stride, #numbers) or high
    else at = math.max(1, high - stride) end
    stride = 2 * stride
  end
  return out
end

local function figure_words(figure)
  return figure.value == math.huge and figure.label .. " without end"
    or ("%s %s"):format(figure.label, format.quantity(figure.value, figure.kind))
end

--- A first idea in words; nil where there is none.
---@param q tandem.PlanQuestion
---@param kind tandem.PlanKind
---@param rough tandem.PlanRough
---@return string|nil
function ahead.rough_words(q, kind, rough)
  local runs = ("runs of %s requests, too short to be sure,"):format(
    format.integer(rough.requests))
  local missed = rough.missed and ("%s would miss it (%s)"):format(
    words.amount(q, kind, rough.missed), figure_words(rough.missing))
  if rough.number then
    return ("by %s %s may do (%s)%s"):format(runs, words.amount(q, kind, rough.number),
      figure_words(rough.figure), missed and " and " .. missed or "")
  elseif rough.missed then
    return ("by %s %s"):format(runs, missed)
  end
end

--- How long the search would have taken, and a limit that would do.
---@param rough tandem.PlanRough
---@return string
function ahead.patience_words(rough)
  local whole = LOOKS * rough.look_s
  local minutes = whole < 3600
  return ("one look at a candidate takes about %s here and a search has some %d of them: "
    .. "--time-limit %d%s would do"):format(format.time(tonumber(("%.1g"):format(rough.look_s))),
      LOOKS, math.ceil(whole / (minutes and 60 or 3600)), minutes and "min" or "h")
end

--- Says that the runs are long: how long, a short one says; and what short ones say of the answer.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
function ahead.warn(q, row)
  local space = row.space
  local number = space.start
  local requests = number and space_of.requests(q, space.forecast(number), nil,
    space.load_factor or 1)
  if not requests or q.failing then return end
  local function timed(count)
    local began = core.clock()
    local ran = space_of.with(q, space_of.merge(space.tested(number), { requests = count }))
      :run { replications = 1, threads = 1, brief = true }
    return ran and core.clock() - began
  end
  local pilot = math.max(PILOT, requests // 1000)
  local short = timed(pilot)
  -- What is fast is not timed any more closely.
  if not short or short * requests / pilot * LOOK < PATIENCE_S then return end
  local long = timed(ROUGH * pilot)
  if not long then return end -- the search itself says what fails
  local seconds = math.max(0, long - short) * requests / ((ROUGH - 1) * pilot)
    * LOOK / math.min(LOOK, q.threads and q.threads > 0 and q.threads or core.processors())
  if seconds <= PATIENCE_S then return end
  q.tell(("one look at a candidate is %d runs of %s requests, about %s here; --time-limit bounds "
    .. "the search"):format(LOOK, format.integer(requests), format.time(tonumber(("%.1g")
    :format(seconds)))))
  local patience = math.min(ROUGH_MOST_S, math.max(ROUGH_S, ROUGH_SHARE * seconds))
  row.rough = ahead.rough(q, space, ROUGH * pilot,
    math.min(patience, q.deadline and (q.deadline - core.clock()) / 2 or patience))
  row.rough.look_s = seconds
  local rough = ahead.rough_words(q, row.choice, row.rough)
  if rough then q.tell("so far: " .. rough) end
end

--- What is known of the rows, for a line of progress.
---@param q tandem.PlanQuestion
---@param rows tandem.PlanRow[]
---@return string
function ahead.so_far(q, rows)
  if #rows > 1 then
    local decided = 0
    for _, row in ipairs(rows) do decided = decided + (row.state and 1 or 0) end
    return ("%d of %d rows are decided"):format(decided, #rows)
  end
  local row = rows[1]
  local plane = row.plane
  if plane then
    return plane.best and words.pair(q, row.choice, plane.counts[plane.best.i], plane.best.with)
      .. " will do" or "nothing is decided yet"
  end
  local fewest, most
  for number, one in pairs(row.space and row.space.trials or {}) do
    if one.state == "meets" then fewest = math.min(fewest or number, number) end
    if one.state == "misses" then most = math.max(most or number, number) end
  end
  local parts = { fewest and words.amount(q, row.choice, fewest) .. " will do",
    most and words.amount(q, row.choice, most) .. " would miss it" }
  if not fewest and not most then return "nothing is decided yet" end
  return fewest and most and table.concat(parts, ", ") or parts[1] or parts[2]
end

return ahead
