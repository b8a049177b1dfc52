--- How a simulation is compared with an exact answer: by its interval, and only when the interval
--- is narrow enough to say something.
--
-- Every estimate is a t interval over REPLICATIONS runs at confidence 1 - 1e-4, so that two hundred
-- comparisons raise a false alarm with a probability below 2 %; seeds are fixed, so that a green
-- run stays green. THEORY=show prints every comparison.
local td = require "tandem"

local check = {}

check.REPLICATIONS = 24 -- three vectors of eight
check.CONFIDENCE = 1 - 1e-4

local shown = os.getenv "THEORY" == "show"

--- Runs a scenario under the decision rule; fails when its books do not balance.
---@param scenario tandem.Scenario
---@param options { requests?: integer, duration?: number, warmup?: number|string, seed?: integer,
---        replications?: integer, confidence?: number, engine?: string }
---@return tandem.Result
function check.run(scenario, options)
  local began = os.clock()
  local result = assert(scenario:run {
    requests = options.requests, duration = options.duration, warmup = options.warmup or "none",
    seed = options.seed or 20240, engine = options.engine,
    replications = options.replications or check.REPLICATIONS,
    confidence = options.confidence or check.CONFIDENCE,
  })
  assert(result.checks.ok, "the books do not balance")
  if shown then
    print(("%-28s %9d requests %6.2f s of processor"):format(result.name, result.requests,
      os.clock() - began))
  end
  return result
end

--- Is the exact value inside the interval, and the interval narrow enough?
---@param estimate tandem.Estimate
---@param exact number
---@param power? number  greatest half-width, relative to the exact value (default: 1 %)
---@param what? string
function check.agrees(estimate, exact, power, what)
  power = power or 0.01
  local value, half = estimate.value, estimate.half
  local text = ("%s: %.6g +- %.2g, exactly %.6g (half-width %.2f %%, off by %.2f half-widths)")
    :format(what or "estimate", value, half, exact, 100 * half / math.abs(exact),
      math.abs(value - exact) / half)
  if shown then print("    " .. text) end
  if not (half <= power * math.abs(exact)) then error("no power: " .. text, 2) end
  if not (math.abs(value - exact) <= half) then error("disagrees: " .. text, 2) end
end

--- The same for 1 - estimate: the share of requests over a deadline, or lost (default: 2 %).
---@param estimate tandem.Estimate
---@param exact number
---@param power? number
---@param what? string
function check.rest(estimate, exact, power, what)
  check.agrees({ value = 1 - estimate.value, half = estimate.half }, exact, power or 0.02,
    what or "rest")
end

--- Is the estimate on the stated side of a bound, given its interval?
---@param estimate tandem.Estimate
---@param low number
---@param high number
---@param what? string
function check.between(estimate, low, high, what)
  local text = ("%s: %.6g +- %.2g, wanted between %.6g and %.6g"):format(what or "estimate",
    estimate.value, estimate.half, low, high)
  if shown then print("    " .. text) end
  if not (estimate.value + estimate.half > low and estimate.value - estimate.half < high) then
    error(text, 2)
  end
end

--- Do two computations of one exact number agree to the digits printed?
---@param computed number
---@param printed number
function check.same(computed, printed)
  if not (math.abs(computed - printed) <= 1e-6 * math.max(1, math.abs(printed))) then
    error(("computed %.9g, the literature and the validation paper say %.9g"):format(computed,
      printed), 2)
  end
end

--- One pool of servers with one step on it: the queue of the textbooks.
---@param fields table keys of a scenario; also servers, time, discipline, queue, deadline, batch
---@return tandem.Scenario
function check.station(fields)
  local body = {}
  for key, value in pairs(fields) do body[key] = value end
  body.resources = { td.pool "station" {
    servers = body.servers or 1, discipline = body.discipline, queue = body.queue,
    mtbf = body.mtbf, mttr = body.mttr } }
  if not body.pipeline then
    body.pipeline = { td.stage "work" { on = "station", cost = body.time, batch = body.batch } }
  end
  if body.deadline then body.slo = { deadline = body.deadline .. "s" } end
  for _, key in ipairs { "servers", "discipline", "queue", "mtbf", "mttr", "time", "batch",
    "deadline" } do
    body[key] = nil
  end
  return td.scenario(fields.name or "station")(body)
end

--- The high-variance service of the validation paper: mean 1, second moment 6.5.
---@return table
function check.h2()
  return td.hyperexponential { { 0.9, 0.5 }, { 0.1, 5.5 } }
end

return check
