--- An answer that holds over luck and model: the search made again with steps that are slower.
--
-- The model's doubt moves the time of steps along one direction (llm/doubt.lua), and what a load
-- takes only grows with it, so the number that suffices for a quantile of the doubt is the quantile
-- of the number. A row's confidence is spent twice: a fifth of what may go wrong on luck, since
-- runs can be longer and GPUs cost more, the rest on the model. A second search at the fast end
-- says how far below the answer may lie.
--
-- Owns which quantiles, where the server works (a short run of the first answer), and which
-- measurement would narrow the count most: by Bayes' rule on the covariance, no simulation. Called
-- by plan/gpus, plan/load and plan/best; words are report/doubt.lua's.
local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"
local evaluate = require "tandem.plan.evaluate"
local llm_doubt = require "tandem.llm.doubt"
local tandem_doubt = require "tandem.doubt"
local space_of = require "tandem.plan.space"

local doubt = {}

local LUCK <const> = 0.2       -- of what may go wrong
local REQUESTS <const> = 2000  -- of the run that says where a server works
local SEQS <const> = { 1, 8, 32, 128, 512 } -- what may be measured beside where it works
local WORTH <const> = 0.9      -- of the doubt that a measurement leaves, to be told

---@class tandem.PlanDoubt
---@field exact number|nil    the answer were the model exact
---@field low number|nil      the answer at the fast end of the model's interval
---@field deviations number   standard deviations that the answer covers
---@field servers table[]     tandem.doubt's records
---@field step number         standard deviation of ln(time of a step) of the most doubted server
---@field measure tandem.PlanMeasure|nil
---@field stopped boolean|nil the answer is of the exact model: the search was stopped before
---@field set table           what rows beside this one are to be tested with

---@class tandem.PlanMeasure
---@field server string
---@field engine string
---@field gpu string
---@field gpus integer     of a replica
---@field seqs integer     concurrent requests
---@field prompt integer
---@field output integer
---@field left number      standard deviation after it
---@field answer number|nil  the answer then, if it says what the model does

--- The question with its share of the error for luck.
---@param q tandem.PlanQuestion
---@return tandem.PlanQuestion
function doubt.question(q)
  return setmetatable({ confidence = 1 - LUCK * (1 - q.confidence) }, { __index = q })
end

--- Standard deviations that an answer covers, on one side.
---@param q tandem.PlanQuestion
---@return number
function doubt.deviations(q)
  return core.stats.normal_quantile(1 - (1 - LUCK) * (1 - q.confidence))
end

-- Where the servers of an answer work.
local function places_of(q, set)
  local changes, demand = space_of.merge(set), q.demand
  if demand.stationary then changes.requests = REQUESTS end
  local result = space_of.with(q, changes):run { replications = 1, brief = true, seed = q.seed,
    precision = false, threads = q.threads }
  return result and tandem_doubt.places(result) or {}
end

-- The place of one's own benchmark that leaves least of the doubt; nil where none is worth it, as
-- where one was made already: a second one takes less than a tenth of what is left.
local function measurement(one, output)
  if one.subject.own then return nil end
  local best
  local limit = one.pool.shape.engine.max_seqs or math.huge
  local places = { one.place }
  for i, seqs in ipairs(SEQS) do
    places[i + 1] = { seqs = seqs, context = one.place.context, prompt = one.place.prompt,
      prefill = 0 }
  end
  for _, at in ipairs(places) do
    if at.seqs <= limit then
      local left = llm_doubt.after(one.subject, one.directions, at)
      -- What is nearly as good where the server works says more of it.
      if not best or left < 0.95 * best.left then
        best = { left = left, seqs = math.floor(at.seqs + 0.5),
          prompt = math.floor(at.prompt + 0.5), output = math.max(1, math.floor(output + 0.5)) }
      end
    end
  end
  best.server, best.gpu, best.gpus = one.server, one.pool.gpu.name, one.pool.gpus
  best.engine = one.pool.shape.engine.server
  return best.left < WORTH * one.directions.step and best or nil
end

--- What is doubted of a configuration: the most doubted server leads. Nil where nothing is.
---@param q tandem.PlanQuestion
---@param set table
---@return tandem.PlanDoubt|nil
function doubt.of(q, set)
  if q.doubt == false or not q.demand.inside or q.base.checked.doubt then return nil end
  local places = places_of(q, set)
  local doubted = #places > 0 and tandem_doubt.of(space_of.with(q, set), places) or {}
  local most
  for _, one in ipairs(doubted) do
    if not most or one.directions.step > most.directions.step then most = one end
  end
  if not most or most.directions.step <= 0 then return nil end
  local out = { deviations = doubt.deviations(q), servers = {}, step = most.directions.step,
    measure = measurement(most, 2 * (most.place.context - most.place.prompt)) }
  for i, one in ipairs(doubted) do out.servers[i] = tandem_doubt.record(one) end
  function out.key(z) return { doubt = tandem_doubt.key(places, z, 0) } end
  out.set = out.key(out.deviations)
  return out
end

---@class tandem.PlanDoubtful   how a question is searched once more
---@field set fun(row: table): table        the configuration of an answer
---@field number fun(row: table): number|nil  its answer
---@field again fun(q: tandem.PlanQuestion, row: table, set: table): function  a search of a kind
---                                          with more changes, that returns a row

--- What is to be known of kinds whose servers nobody measured.
---@param q tandem.PlanQuestion
---@return string[]
function doubt.cautions(q)
  local scenarios = {}
  for _, kind in ipairs(q.demand.inside and q.kinds or {}) do
    local ok, varied = attempt(space_of.with, q, kind.set)
    if ok then scenarios[#scenarios + 1] = varied end
  end
  return require("tandem.report.doubt").cautions(scenarios)
end

--- What an answer becomes once its measurement is made and says what the model does.
---@param q tandem.PlanQuestion
---@param rows (tandem.PlanRow|false)[]
---@param how tandem.PlanDoubtful
---@param options tandem.PlanRunOptions
---@param work tandem.PlanWork
function doubt.foresee(q, rows, how, options, work)
  local bodies, owners = {}, {}
  for _, row in ipairs(rows) do
    local one = row and row.doubt
    if one and one.measure and not one.stopped and not work.stopped then
      local z = one.deviations * one.measure.left / one.step
      bodies[#bodies + 1] = how.again(doubt.question(q), row, one.key(z))
      owners[#owners + 1] = row
    end
  end
  if #bodies == 0 then return end
  for i, found in ipairs(evaluate.run(bodies, options, work)) do
    local one = owners[i].doubt
    one.measure.answer = found and found.state == "meets" and how.number(found) or nil
  end
end

--- The rows of an answer as they are over luck and model; those without LLM servers stay.
---@param q tandem.PlanQuestion
---@param rows (tandem.PlanRow|false)[]
---@param how tandem.PlanDoubtful
---@param options tandem.PlanRunOptions
---@param work tandem.PlanWork
---@return (tandem.PlanRow|false)[]
function doubt.widen(q, rows, how, options, work)
  local bodies, owners = {}, {}
  for i, row in ipairs(rows) do
    local found = row and row.state == "meets" and not work.stopped and doubt.of(q, how.set(row))
    if found then
      row.doubt = found
      found.exact = how.number(row)
      local z = tandem_doubt.deviations(tandem_doubt.confidence)
      bodies[#bodies + 1] = how.again(doubt.question(q), row, found.set)
      bodies[#bodies + 1] = how.again(q, row, found.key(-z))
      owners[#owners + 1] = i
    end
  end
  if #bodies == 0 then return rows end
  local out = table.move(rows, 1, #rows, 1, {})
  local results = evaluate.run(bodies, options, work)
  for k, i in ipairs(owners) do
    local slow, fast, exact = results[2 * k - 1], results[2 * k], rows[i]
    local found = exact.doubt
    found.low = fast and fast.state == "meets" and how.number(fast) or nil
    if not slow or slow.state == "stopped" then
      found.stopped = true
    else
      slow.choice, slow.doubt, exact.doubt = exact.choice, found, nil
      out[i] = slow
    end
  end
  return out
end

--- The ends of the model's interval of a row's number. Nil where an end was not found.
---@param row tandem.PlanRow
---@return number|nil fast, number|nil slow
function doubt.interval(row)
  local one, number = row.doubt, row.rps or row.count
  if not (one.low and one.exact and number) then return nil end
  -- Beyond the interval's slow end by the little that the answer covers more: on logarithms.
  local share = tandem_doubt.deviations(tandem_doubt.confidence) / one.deviations
  local slow = one.exact * (number / one.exact) ^ math.min(1, share)
  if row.rps then return one.low, tonumber(("%.3g"):format(slow)) end
  slow = math.ceil(slow - 1e-6)
  return one.low, row.space.above and row.space.above(slow - 1) or slow
end

--- A row's doubt as plain data.
---@param row tandem.PlanRow
---@return table|nil
function doubt.record(row)
  local one = row.doubt
  if not one then return nil end
  local out = { exact = one.exact, deviations = one.deviations, step = one.step,
    servers = one.servers, stopped = one.stopped, confidence = tandem_doubt.confidence }
  out.fast, out.slow = doubt.interval(row)
  if one.measure then
    out.measure = {}
    for k, v in pairs(one.measure) do out.measure[k] = v end
  end
  return out
end

return doubt
