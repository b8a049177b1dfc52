--- How far off the step model of an LLM server may be, and constants that are off by so much.
--
-- What lib/llm_rates.lua knows of a GPU and engine is an estimate with a covariance, Σ; beside it
-- all times of one deployment have a factor that no constant tells (rates.spread), and what a batch
-- takes beside others of the same deployment is off by its own (rates.shape), so that one
-- measurement does not tell all. To first order ln(time of a step) moves with g = (its derivatives
-- by the parameters, 1, 1), so its variance is gᵀΣg, Σ having these two as more dimensions. Given
-- that steps are z standard deviations slower, the likeliest constants are moved by z·Σg/√(gᵀΣg):
-- "steps". What prompts may be off beyond that is a second direction, at right angles to the first:
-- "prompts", with a shape of their own, which shares of the peak take, and with it what a request
-- takes beside its steps, by its share of the time to a first token.
--
-- Under a cap on what GPUs draw (power.limit), how much longer steps take and how much they want to
-- draw are two more dimensions of both.
--
-- Both are taken where the server works: the batch of its mean step. Owns directions, spreads and
-- what a measurement would leave of them. Rooflines only: other step models were measured by
-- whoever wrote them. Called by llm/deployment.lua, which makes step models of moved constants, and
-- through it by tandem.doubt.

local rates = require "tandem.llm.rates"

local doubt = {}

-- Shares of the peak, which prompts rest on and decode steps hardly.
local OF_PROMPTS <const> = { matrix = true, expert = true, attention = true }
local NUDGE <const> = 0.05 -- of a logarithm, for derivatives
--- Standard deviation of ln TPOT of one's own measurement of one operating point: repeated runs
--- differ by a median of 0.5 %, a ninth decile of 10 %.
doubt.noise = 0.05

---@class tandem.llm.Place           where a server works
---@field seqs number       sequences of a step
---@field context number    tokens of each
---@field prompt number     tokens of a prompt that are computed
---@field prefill number    prompt tokens of a mean step

--- Where nobody says it.
---@type tandem.llm.Place
doubt.somewhere = { seqs = 32, context = 1024, prompt = 1024, prefill = 0 }

local function whole(x) return math.max(1, math.floor(x + 0.5)) end

local function decode(seqs, context)
  seqs, context = whole(seqs), whole(context)
  return { decode_seqs = seqs, decode_context = seqs * context, decode_context_max = context,
    sampled = seqs }
end

local function prefill(batch, tokens)
  tokens = whole(tokens)
  batch.prefill_seqs, batch.prefill_tokens = 1, tokens
  batch.prefill_context, batch.prefill_squares = 0, tokens * tokens
  batch.prefill_attention = tokens * (tokens + 1) / 2
  batch.sampled = (batch.sampled or 0) + 1
  return batch
end

-- Seconds of a server's mean step: of its mean batch, prompts by the share of steps that they are
-- in; and of a prompt alone.
local function times_of(model, place, role)
  local prompt_s = model:step_s(prefill({}, place.prompt))
  if role == "prefill" then return prompt_s, prompt_s end
  local alone = model:step_s(decode(place.seqs, place.context))
  if role == "decode" or place.prefill <= 0 then return alone, prompt_s end
  local mixed = model:step_s(prefill(decode(place.seqs, place.context), place.prompt))
  return alone + (mixed - alone) * place.prefill / place.prompt, prompt_s
end

---@class tandem.llm.Subject   whose doubt it is
---@field constants tandem.llm.Constants
---@field model fun(constants: tandem.llm.Constants): table|nil  the step model that they make
---@field known tandem.llm.Known
---@field fixed table<string, boolean>  constants that somebody else is sure of
---@field spread number        of the factor on all times
---@field shape number         of each batch beside the others
---@field request number       of the logarithm of what a request takes beside its steps
---@field role string          whole, prefill, decode
---@field cap? { spread: number, draw: number }  of GPUs that may not draw what they are rated for

local function parameters_of(subject)
  local out = {}
  for i, name in ipairs(require("lib.llm_rates").parameters) do
    local own = {}
    for _, key in ipairs(rates.parameters[name]) do
      if not subject.fixed[key] then own[#own + 1] = key end
    end
    if #own > 0 then out[#out + 1] = { name = name, at = i } end
  end
  return out
end

local function logs_at(subject, place, moved, cap)
  local model = subject.model(doubt.moved(subject, { moved = moved, factor = 0, request = 0,
    cap = cap }))
  local step_s, prompt_s = times_of(assert(model), place, subject.role)
  return math.log(step_s), math.log(prompt_s), prompt_s
end

-- The share of a first token's time that its prompt takes, where what a request takes beside it is
-- doubted, too.
local function prompt_share(subject, place)
  if subject.request == 0 then return 1 end
  local _, _, prompt_s = logs_at(subject, place, {})
  return prompt_s / (prompt_s + subject.constants.request_s)
end

-- Derivatives of both logarithms, in the coordinates of the root: a number each vector of it, the
-- factor's, shapes' and a request's, and two of a cap. A cap that a step hardly meets binds at one
-- end alone, so these are differences over a whole standard deviation.
local function effects_of(subject, place)
  local root, step, prompt = subject.known.root, {}, {}
  local share = prompt_share(subject, place)
  for i = 1, #root do step[i], prompt[i] = 0, 0 end
  for _, parameter in ipairs(parameters_of(subject)) do
    local a, p = logs_at(subject, place, { [parameter.name] = NUDGE })
    local b, q = logs_at(subject, place, { [parameter.name] = -NUDGE })
    for i, vector in ipairs(root) do
      local own = vector[parameter.at] / (2 * NUDGE)
      step[i], prompt[i] = step[i] + (a - b) * own, prompt[i] + (p - q) * own
    end
  end
  step[#root + 1], prompt[#root + 1] = subject.spread, subject.spread
  step[#root + 2], prompt[#root + 2] = subject.shape, 0
  step[#root + 3], prompt[#root + 3] = 0, subject.shape
  local caps = subject.cap and { { "law", subject.cap.spread }, { "draw", subject.cap.draw } } or {}
  for i, cap in ipairs(caps) do
    local a, p = logs_at(subject, place, {}, { [cap[1]] = cap[2] })
    local b, q = logs_at(subject, place, {}, { [cap[1]] = -cap[2] })
    step[#root + 4 + i], prompt[#root + 4 + i] = (a - b) / 2, share * (p - q) / 2
  end
  for i = 1, #root + 3 do prompt[i] = share * prompt[i] end
  step[#root + 4], prompt[#root + 4] = 0, (1 - share) * subject.request
  return step, prompt
end

local function dot(a, b)
  local sum = 0
  for i, x in ipairs(a) do sum = sum + x * b[i] end
  return sum
end

---@class tandem.llm.Directions
---@field step number      standard deviation of ln(time of the mean step)
---@field prompt number    … of ln(time to a first token that is alone), all of it
---@field rest number      … of it, when the mean step's time is known
---@field effects number[] of the mean step, in the coordinates of the root, factor and shapes
---@field along number[][] unit vectors there: with the step, with the rest of prompts
---@field place tandem.llm.Place

--- Which ways a server's constants may be off, and how far.
---@param subject tandem.llm.Subject
---@param place tandem.llm.Place
---@return tandem.llm.Directions
function doubt.directions(subject, place)
  local step, prompt = effects_of(subject, place)
  local s, p = math.sqrt(dot(step, step)), math.sqrt(dot(prompt, prompt))
  local first, rest = {}, {}
  for i, x in ipairs(step) do first[i] = s > 0 and x / s or 0 end
  local shared = dot(first, prompt)
  for i, x in ipairs(prompt) do rest[i] = x - shared * first[i] end
  local r = math.sqrt(dot(rest, rest))
  for i, x in ipairs(rest) do rest[i] = r > 1e-9 and x / r or 0 end
  return { step = s, prompt = p, rest = r, effects = step, along = { first, rest },
    place = place }
end

---@class tandem.llm.Shift     of logarithms
---@field moved table<string, number>  by parameter
---@field factor number
---@field request number       of what a request takes beside its steps
---@field cap? { law: number, draw: number }

--- What the constants are when steps are off by so many standard deviations, and the rest of
--- prompts by so many.
---@param subject tandem.llm.Subject
---@param directions tandem.llm.Directions
---@param steps number
---@param prompts number
---@return tandem.llm.Shift
function doubt.shift(subject, directions, steps, prompts)
  local root, moved, at = subject.known.root, {}, {}
  for i, x in ipairs(directions.along[1]) do
    at[i] = steps * x + prompts * directions.along[2][i]
  end
  for _, parameter in ipairs(parameters_of(subject)) do
    local sum = 0
    for i, vector in ipairs(root) do sum = sum + vector[parameter.at] * at[i] end
    if OF_PROMPTS[parameter.name] then sum = sum - at[#root + 3] * subject.shape end
    moved[parameter.name] = sum
  end
  local cap = subject.cap and { law = at[#root + 5] * subject.cap.spread,
    draw = at[#root + 6] * subject.cap.draw } or nil
  return { moved = moved, cap = cap,
    factor = at[#root + 1] * subject.spread + at[#root + 2] * subject.shape,
    request = at[#root + 4] * subject.request }
end

--- Constants after a shift; those that somebody else is sure of stay.
---@param subject tandem.llm.Subject
---@param shift tandem.llm.Shift
---@return tandem.llm.Constants
function doubt.moved(subject, shift)
  local out = rates.vary(subject.constants, shift.moved)
  out.request_s = subject.constants.request_s * math.exp(shift.request)
  for key in pairs(subject.fixed) do out[key] = subject.constants[key] end
  out.factor = (subject.constants.factor or 1) * math.exp(shift.factor)
  out.cap = shift.cap
  return out
end

---@class tandem.llm.Learned   what measurements say of constants and factor
---@field mean number[]        in the coordinates of the root and the factor
---@field covariance number[][]
---@field strange integer[]    measurements that lie beyond three standard deviations of what was
---                            expected of them

local STRANGE <const> = 3

--- What measurements of one deployment say, one after the other: Bayes' rule for Gaussians.
---@param measured { effects: number[], left: number }[]  effects on ln(time) in the coordinates of
---                                the root and the factor, and ln(measured / predicted)
---@param shape number             of each beside the others
---@return tandem.llm.Learned
function doubt.learn(measured, shape)
  local n = measured[1] and #measured[1].effects or 0
  local mean, P, strange = {}, {}, {}
  for i = 1, n do
    mean[i], P[i] = 0, {}
    for j = 1, n do P[i][j] = i == j and 1 or 0 end
  end
  for number, one in ipairs(measured) do
    local along = {}
    for i = 1, n do along[i] = dot(P[i], one.effects) end
    local variance = dot(one.effects, along) + shape ^ 2 + doubt.noise ^ 2
    local surprise = one.left - dot(one.effects, mean)
    if math.abs(surprise) > STRANGE * math.sqrt(variance) then strange[#strange + 1] = number end
    for i = 1, n do
      mean[i] = mean[i] + along[i] * surprise / variance
      for j = 1, n do P[i][j] = P[i][j] - along[i] * along[j] / variance end
    end
  end
  return { mean = mean, covariance = P, strange = strange }
end

--- Mean and standard deviation of ln(time) where effects are such, after measurements.
---@param learned tandem.llm.Learned
---@param effects number[]
---@param shape number
---@return number mean, number deviation
function doubt.expect(learned, effects, shape)
  local sum = shape ^ 2
  for i, x in ipairs(effects) do sum = sum + x * dot(learned.covariance[i], effects) end
  return dot(learned.mean, effects), math.sqrt(sum)
end

--- What is left of the standard deviation of steps there once a place was measured: a run's TPOT at
--- so many sequences and so long contexts. It is the spread that a fit to this one point then has
--- (llm/calibrate/sharpen.lua), which holds for all batches: the point's own shape stays open.
---@param subject tandem.llm.Subject
---@param directions tandem.llm.Directions
---@param measured tandem.llm.Place
---@return number
function doubt.after(subject, directions, measured)
  -- The root's, the factor, and a cap's; shapes and what a request takes are the place's own.
  local n = #subject.known.root
  local function shared(effects)
    return table.move(effects, n + 5, #effects, n + 2, table.move(effects, 1, n + 1, 1, {}))
  end
  local learned = doubt.learn({ { effects = shared((effects_of(subject, measured))), left = 0 } },
    subject.shape)
  local _, left = doubt.expect(learned, shared(directions.effects), subject.shape)
  return left
end

return doubt
