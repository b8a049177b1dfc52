--- What the model leaves open of a result: a second interval beside that of luck.
--
-- A run's own intervals say how far chance moves its figures. How fast the GPUs are is an estimate,
-- too; here the same run is made again with step models that are off by what 90 % of the doubt
-- amounts to, along each of the directions of llm/doubt.lua, with the same luck, so that only the
-- model differs. Directions are at right angles, so what they do to a figure adds up as squares, on
-- logarithms. Four runs beside the first, two where prompts have no doubt of their own.
--
-- Owns the intervals of results (each `model = { low, high }`), and result.doubt. Called by
-- scenario:run { doubt = true }; plans search with moved models instead (plan/doubt.lua).
local core = require "tandem.core"
local deployment = require "tandem.llm.deployment"

local doubt = {}

--- Of the model's intervals.
doubt.confidence = 0.9
local LEAST <const> = 0.02 -- standard deviation of prompts' own doubt that is worth two runs

--- Standard deviations to the ends of a two-sided interval.
---@param confidence number
---@return number
function doubt.deviations(confidence)
  return core.stats.normal_quantile(0.5 + confidence / 2)
end

---@class tandem.DoubtPlace: tandem.llm.Place
---@field server string

--- Where each LLM server of a result works.
---@param result tandem.Result
---@return tandem.DoubtPlace[]
function doubt.places(result)
  local out = {}
  for _, server in ipairs(result.llm or {}) do
    local function of(name) return server[name] and server[name].value or 0 end
    local rps = of "finished_rps"
    if rps > 0 and of "batch" > 0 then
      local prompt = math.max(1, of "prompt_tokens_per_s" / rps * (1 - of "cached"))
      local output = of "output_tokens_per_s" / rps
      local seqs, step_s = of "batch", of "step_s"
      for _, pool in ipairs(server.pools or {}) do
        -- Of prefill and decode replicas the latter have the sequences.
        if pool.name:find "^decode" then seqs, step_s = pool.batch.value, pool.step_s.value end
      end
      local schedulers = math.max(1, server.replicas_mean and of "replicas_mean"
        or server.replicas or 1)
      out[#out + 1] = { server = server.name, seqs = math.max(1, seqs),
        context = prompt + output / 2, prompt = prompt,
        prefill = rps * prompt * step_s / schedulers }
    end
  end
  return out
end

--- What is doubted of a scenario where its servers work so.
---@param scenario tandem.Scenario
---@param places tandem.DoubtPlace[]
---@return tandem.llm.Doubted[]
function doubt.of(scenario, places)
  local by_server = {}
  for _, place in ipairs(places) do by_server[place.server] = place end
  return deployment.doubts(rawget(scenario, "checked"), by_server)
end

--- A scenario's `doubt`: what `with` sets.
---@param places tandem.DoubtPlace[]
---@param steps number    standard deviations
---@param prompts number
---@return table
function doubt.key(places, steps, prompts)
  local at = {}
  for i, place in ipairs(places) do
    at[i] = { server = place.server, seqs = place.seqs, context = place.context,
      prompt = place.prompt, prefill = place.prefill }
  end
  return { steps = steps, prompts = prompts, at = at }
end

--- What somebody should know of what a doubted pool rests on.
---@param one tandem.llm.Doubted
---@return table
function doubt.record(one)
  local known, gpu = one.subject.known, one.pool.gpu
  local server = one.pool.shape.engine.server
  return { server = one.server, pool = one.pool.name ~= one.server and one.pool.name or nil,
    gpu = gpu.name, engine = server, step = one.directions.step, prompt = one.directions.prompt,
    points = known.points, configurations = known.configurations, near = known.near,
    kernels = known.kernels, few = require("tandem.llm.rates").few(gpu.name),
    seqs = one.place.seqs,
    measured = one.subject.own and "own" or require("tandem.llm.rates").measured(known) }
end

-- ---- intervals of a result

local TIMES <const> = { "ttft", "tpot", "itl", "e2e", "normalized", "queueing" }
local RATES <const> = { "output_tokens_per_s", "output_tokens_per_s_gpu", "finished_rps",
  "goodput_rps", "batch", "joules_per_output_token", "usd_per_million_tokens", "power_w" }

-- Steps stay as long as the largest batch makes them, however long an overload lasts.
local OF_STEPS <const> = { tpot = true, itl = true }

local function kind_of_objective(metric)
  local kind = require("tandem.result.metric").kind("slo." .. metric)
  if kind == "percent" then return "share" end
  return kind == "time" and not OF_STEPS[metric:match "^%a+"] and "grows" or nil
end

-- Calls visit(estimate, the same ones of the other results, what it is): "grows" is a time that
-- grows as long as an overload lasts, "share" one that ends at 1.
local function each_estimate(result, others, visit)
  local function at(value, rest, kind)
    if type(value) ~= "table" or type(value.value) ~= "number" then return end
    visit(value, rest, kind)
  end
  local function pick(list, key)
    local out = {}
    for i, one in ipairs(list) do out[i] = type(one) == "table" and one[key] or false end
    return out
  end
  local function summary(times, rest, kind)
    for name, value in pairs(times or {}) do at(value, pick(rest, name), kind) end
  end
  summary(result.latency, pick(others, "latency"), "grows")
  for _, name in ipairs { "throughput_rps", "goodput_rps" } do
    at(result[name], pick(others, name))
  end
  at(result.slo_met, pick(others, "slo_met"), "share")
  local function server(one, rest)
    for _, name in ipairs(TIMES) do
      summary(one[name], pick(rest, name), not OF_STEPS[name] and "grows" or nil)
    end
    for _, name in ipairs(RATES) do at(one[name], pick(rest, name)) end
    at(one.slo_met, pick(rest, "slo_met"), "share")
    for i, class in ipairs(one.classes or {}) do
      server(class, pick(pick(rest, "classes"), i))
    end
  end
  local lists = pick(others, "llm")
  for i, one in ipairs(result.llm or {}) do server(one, pick(lists, i)) end
  for i, class in ipairs(result.classes or {}) do
    local rest = pick(pick(others, "classes"), i)
    summary(class.latency, pick(rest, "latency"), "grows")
    for j, slo in ipairs(class.slo or {}) do
      at(slo.value, pick(pick(pick(rest, "slo"), j), "value"), kind_of_objective(slo.metric))
    end
  end
end

-- How far pairs of ends move a figure down and up: on logarithms, directions as squares.
local function interval(value, ends)
  local down, up = 0, 0
  for k = 1, #ends, 2 do
    local low, high = 0, 0
    for _, one in ipairs { ends[k], ends[k + 1] } do
      local moved = math.log(one / value)
      low, high = math.min(low, moved), math.max(high, moved)
    end
    down, up = down + low * low, up + high * high
  end
  return value * math.exp(-math.sqrt(down)), value * math.exp(math.sqrt(up))
end

local function settle(estimate, others, runs, kind)
  local ends, endless = {}, false
  for k, run in ipairs(runs) do
    local other = others[k] and others[k].value
    if not other or other <= 0 then return end
    ends[k], endless = other, endless or run.overload ~= nil
  end
  if estimate.value <= 0 then return end
  local low, high = interval(estimate.value, ends)
  if kind == "share" then high = math.min(1, high) end
  -- Times of a server that does not keep up grow with the run: they say nothing but that.
  estimate.model = { low = low, high = not (kind == "grows" and endless) and high or nil }
end

--- Both ends of each direction in which servers may be off, as standard deviations of steps and of
--- the rest of prompts; the slow end first. That of prompts only where it is worth two runs.
---@param doubted tandem.llm.Doubted[]
---@return number[][][]
function doubt.ends(doubted)
  local z, rest = doubt.deviations(doubt.confidence), 0
  for _, one in ipairs(doubted) do rest = math.max(rest, one.directions.rest) end
  local ends = { { { z, 0 }, { -z, 0 } } }
  if rest > LEAST then ends[2] = { { 0, z }, { 0, -z } } end
  return ends
end

--- Adds the model's intervals to a result; nothing where nothing is known of its step models.
---@param result tandem.Result
---@param scenario tandem.Scenario  that was run
---@param again fun(changes: table): tandem.Result|nil, string?, integer?  the same with changes
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function doubt.add(result, scenario, again)
  local places = doubt.places(result)
  local doubted = #places > 0 and doubt.of(scenario, places) or {}
  if #doubted == 0 or rawget(scenario, "checked").doubt or result.interrupted then return true end
  local runs = {}
  for _, direction in ipairs(doubt.ends(doubted)) do
    for _, at in ipairs(direction) do
      local other, message, code = again { doubt = doubt.key(places, at[1], at[2]) }
      if not other then return nil, message, code end
      if other.interrupted then return true end
      runs[#runs + 1] = other
    end
  end
  each_estimate(result, runs, function(estimate, others, kind)
    settle(estimate, others, runs, kind)
  end)
  result.doubt = { confidence = doubt.confidence, servers = {},
    overload = not result.overload and runs[1].overload or nil }
  for i, one in ipairs(doubted) do result.doubt.servers[i] = doubt.record(one) end
  return true
end

return doubt
