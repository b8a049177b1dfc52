--- What the model leaves open, in words: a second interval of a run's figures, what it rests on.
-- Owns the rows and sentences; the numbers are tandem.doubt's. Called by report/text.lua, page/llm
-- and the words of plans.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local report = {}

local ROWS <const> = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "e2e", "E2E" } }
local FIELDS <const> = { "p50", "p99" }

-- JSON's null is no value.
local function given(value)
  if type(value) == "userdata" then return nil end
  return value
end

report.engines = require("tandem.llm.engines").names

-- Of a GPU with an engine that nobody ran.
local function never_ran(one, who)
  local kernels = given(one.kernels) and (" (kernels of %s alone)"):format(one.kernels) or ""
  local few = given(one.few)
  if one.measured == "relatives" and few then
    return ("NOBODY MEASURED runs of %s: of its architecture there %s %s, which tell%s little of "
      .. "others"):format(who, few == 1 and "is" or "are", format.plural(few,
      "measured configuration"), few == 1 and "s" or "")
  end
  if one.measured == "relatives" then
    return ("NOBODY MEASURED runs of %s%s: it is taken to be as what was measured of its "
      .. "architecture"):format(who, kernels)
  end
  return ("NOBODY MEASURED %s%s, nor anything of its architecture: it is known by its datasheet, "
    .. "and architectures differ"):format(who, kernels)
end

local function who_of(one)
  return ("%s on %s"):format(report.engines[one.engine] or one.engine, one.gpu or "this GPU")
end

--- What is said ahead of a GPU and engine that nobody ran; nil of others.
---@param one table  tandem.doubt's record
---@return string|nil
function report.unmeasured(one)
  return (one.measured == "relatives" or one.measured == "none") and never_ran(one, who_of(one))
    or nil
end

--- What is to be known of scenarios whose servers' GPUs nobody measured, or which may not draw what
--- they are rated for, a sentence each GPU and server.
---@param scenarios tandem.Scenario[]
---@return string[]
function report.cautions(scenarios)
  local doubt, out, seen = require "tandem.doubt", {}, {}
  local function add(text)
    if text and not seen[text] then out[#out + 1], seen[text] = text .. ".", true end
  end
  for _, scenario in ipairs(scenarios) do
    for _, one in ipairs(doubt.of(scenario, {})) do add(report.unmeasured(doubt.record(one))) end
    for _, text in ipairs(require("tandem.llm.deployment").capped(rawget(scenario, "checked"))) do
      add(text)
    end
  end
  return out
end

--- What the constants of a GPU and engine rest on, without a verb.
---@param one table  gpu, engine, points, configurations, near, measured, kernels
---@return string
function report.rests_on(one)
  local who = who_of(one)
  if one.measured == "own" then return who .. ", by the scenario's own measurement" end
  if one.measured == "runs" then
    local few = given(one.few)
    return ("%s: %s of %s%s"):format(who, format.plural(one.points, "measured point"),
      format.plural(one.configurations, "configuration"),
      few and ", too few to tell what other models do on its architecture" or "")
  end
  return never_ran(one, who)
end

--- "-22 % … +28 %": what is within the model's interval of a time, by the standard deviation of
--- its logarithm.
---@param deviation number
---@return string
function report.percent_range(deviation)
  local doubt = require "tandem.doubt"
  local z = doubt.deviations(doubt.confidence)
  return ("%s … %s"):format(format.change(math.exp(-z * deviation) - 1),
    format.change(math.exp(z * deviation) - 1))
end

--- What is doubted, a sentence a pool.
---@param doubt table  of a result
---@return string[]
function report.sources(doubt)
  local out = {}
  for i, one in ipairs(doubt.servers) do
    local pool = given(one.pool)
    local name = pool and ("%s %s"):format(one.server, pool) or one.server
    out[i] = ("Steps of %s: %s. %s."):format(styles.clean(name), report.percent_range(one.step),
      report.rests_on(one))
  end
  return out
end

--- "15.6 – 27 ms"; an end where the server does not keep up is told as such.
---@param estimate table  with `model`
---@param kind tandem.QuantityKind
---@return string
function report.range(estimate, kind)
  local model = given(estimate.model)
  if not model then return "–" end
  local low = format.quantity(model.low, kind)
  local high = given(model.high)
  return high and ("%s – %s"):format(low, format.quantity(high, kind))
    or ("%s – without end"):format(low)
end

--- What is to be added to a verdict that the model's interval leaves open; nil of others.
---@param verdict { value: table|nil, limit: number }
---@param kind tandem.QuantityKind
---@return string|nil
function report.undecided(verdict, kind)
  local model = given(verdict.value) and given(verdict.value.model)
  if not model then return nil end
  local high = given(model.high)
  if verdict.limit < model.low or high and verdict.limit > high then return nil end
  return ("the model leaves it open: %s"):format(report.range(verdict.value, kind))
end

--- Figures with both intervals: name, luck, model.
---@param result table
---@return string[][]
function report.rows(result)
  local rows = {}
  local function add(name, estimate, kind)
    estimate = given(estimate)
    if estimate and given(estimate.value) and given(estimate.model) then
      rows[#rows + 1] = { name, format.estimate(estimate, kind), report.range(estimate, kind) }
    end
  end
  for _, server in ipairs(given(result.llm) or {}) do
    local name = styles.clean(server.name)
    for _, time in ipairs(ROWS) do
      for _, field in ipairs(FIELDS) do
        local times = given(server[time[1]])
        add(("%s %s %s"):format(name, time[2], field), times and times[field], "time")
      end
    end
    add(name .. " tokens/s", server.output_tokens_per_s, "count")
  end
  return rows
end

--- What follows where the slow end of the doubt is another regime.
---@param result table
---@return string[]
function report.findings(result)
  local doubt = given(result.doubt)
  local overload = doubt and given(doubt.overload)
  if not overload then return {} end
  return { ("At the slow end of what the model leaves open it does not keep up: %s."):format(
    styles.clean(tostring(given(overload.reason) or overload.resource))) }
end

local function measure_words(row, words)
  local one = row.doubt.measure
  if not one then
    return "No single measurement of a server's TPOT would narrow that by a tenth."
  end
  local text = ("An hour's benchmark of %s on %s at %s (prompts of %s, outputs of %s tokens) would "
    .. "narrow it most: steps then %s"):format(report.engines[one.engine] or one.engine,
    format.plural(one.gpus, styles.clean(one.gpu or "GPU")),
    format.plural(one.seqs, "concurrent request"), format.integer(one.prompt),
    format.integer(one.output), report.percent_range(one.left))
  if not one.answer then return text .. "." end
  return ("%s; if it says what the model does, the answer is %s."):format(text, words(one.answer))
end

--- What a plan says of the model's doubt: what the answer holds over, what it would be without,
--- what would narrow it.
---@param row tandem.PlanRow
---@param words fun(number: number): string  an answer in words
---@return string[]
function report.of_plan(row, words)
  local one, out = row.doubt, {}
  if not one then return out end
  if one.stopped then
    return { "THE MODEL'S DOUBT IS NOT IN IT: the search was stopped before." }
  end
  local plan = require "tandem.plan.doubt"
  local rests, seen = {}, {}
  for _, server in ipairs(one.servers) do
    local text = report.rests_on(server)
    if not seen[text] then rests[#rests + 1] = text end
    seen[text] = true
  end
  out[1] = ("The model's doubt is in all of that: steps may take %s (90 %%; %s)."):format(
    report.percent_range(one.step), table.concat(rests, "; "))
  if one.exact then
    local exact = ("Were the model exact, the answer would be %s"):format(words(one.exact))
    local fast, slow = plan.interval(row)
    out[2] = not fast and exact .. "."
      or fast == slow and exact .. ", and so over 90 % of what it leaves open."
      or ("%s; over 90 %% of what it leaves open it goes from %s to %s."):format(exact,
        words(math.min(fast, slow)), words(math.max(fast, slow)))
  end
  out[#out + 1] = measure_words(row, words)
  return out
end

return report
