--- Sizing problems without formulas: fleets that batch, share, prefer, burst, fail, mix kinds,
--- follow a day and serve tokens. The truth is from runs so long that nobody plans with them; the
--- objective lies between what the right number of GPUs gives and what one fewer does, a fiftieth
--- or more from both and beyond the intervals of both.
local td = require "tandem"

local fleets = {}

---@class fleets.Problem
---@field name string
---@field scenario tandem.Scenario  with the objective, one GPU, and no end of its own
---@field answer integer
---@field counted string  the path of what is counted
---@field limit number
---@field truth number    the figure at the answer
---@field fewer number    … and with one fewer

local UNSURE <const> = 0.2 -- how far a figure without an interval may be off
local AGAIN <const> = 4    -- times as long is a run that did not tell two numbers apart
local CLEAR <const> = 1.02 -- a figure is a factor of so much away from its limit
local GLANCE <const> = 10  -- times shorter is a run that sees that two numbers are alike

-- A generator of our own: the problems are the same everywhere.
local function generator(seed)
  local state = (seed * 2654435761 + 12345) % 2 ^ 32
  local function draw(low, high)
    for _ = 1, 3 do state = (state * 1664525 + 1013904223) % 2 ^ 32 end
    return low + (high - low) * state / 2 ^ 32
  end
  for _ = 1, 5 do draw(0, 1) end
  return draw, function(list) return list[1 + math.floor(draw(0, #list * 0.999999))] end
end

-- Each gives a scenario at a load of `busy` times what `gpus` can serve; and, where it is not the
-- number of GPUs, the path of what is counted; and how many runs find the truth, where they have an
-- end of their own.
local KINDS <const> = {
  { "batching", function(busy, gpus, draw, pick)
    local most, fixed, each = pick { 4, 8, 16, 32 }, draw(0.05, 0.4), draw(0.01, 0.06)
    return { workload = td.poisson { rps = busy * gpus * most / (fixed + each * most) },
      target = td.gpu "L40" { count = gpus, concurrency = 1 },
      router = pick { "least_outstanding", "shortest_queue" },
      pipeline = { td.stage "s" { on = "gpu", batch = { max = most, wait = 0 },
        cost = ("%.6f+%.6f*r.batch"):format(fixed, each) } } }
  end },
  { "joined queues", function(busy, gpus, draw, pick)
    local lanes, cv = pick { 1, 2, 4 }, draw(0.5, 2)
    return { workload = td.poisson { rps = busy * gpus * lanes },
      target = td.gpu "L40" { count = gpus, concurrency = lanes }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.lognormal { mean = "1s", cv = cv } } } }
  end },
  { "turns", function(busy, gpus, draw)
    return { workload = td.poisson { rps = busy * gpus }, router = "round_robin",
      target = td.gpu "L40" { count = gpus, concurrency = 1 },
      pipeline = { td.fixed "pre" { time = "20ms" },
        td.stage "s" { on = "gpu", cost = td.gamma { mean = "1s", cv = draw(0.3, 1.2) } } } }
  end },
  { "sharing", function(busy, gpus)
    return { workload = td.poisson { rps = busy * gpus }, router = "least_outstanding",
      target = td.gpu "L40" { count = gpus, discipline = "ps" },
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } }
  end },
  { "priorities", function(busy, gpus, draw)
    local share = draw(0.2, 0.6)
    return { target = td.gpu "L40" { count = gpus, concurrency = 1, discipline = "priority" },
      router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } },
      classes = { { name = "chat", priority = 0,
          workload = td.poisson { rps = share * busy * gpus } },
        { name = "bulk", priority = 5,
          workload = td.poisson { rps = (1 - share) * busy * gpus } } } }
  end },
  { "bursts", function(busy, gpus, draw)
    local peak, on = draw(1.5, 2.4), draw(5, 40)
    return { workload = td.bursts { rps = peak * busy * gpus, on = on, off = on * 1.5,
        idle_rps = (2.5 - peak) / 1.5 * busy * gpus },
      target = td.gpu "L40" { count = gpus, concurrency = 1 }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } }
  end },
  -- Three states, the busiest of which is seldom.
  { "states", function(busy, gpus, draw)
    local share, high, low = draw(0.03, 0.15), draw(1.2, 1.6), draw(0.6, 0.9)
    local middle = (1 - high * share - low * 0.3) / (0.7 - share)
    local stay, mean = draw(10, 60), 0.9 * busy * gpus
    return { workload = td.mmpp { { middle * mean, (0.7 - share) * stay },
        { high * mean, share * stay }, { low * mean, 0.3 * stay } },
      target = td.gpu "L40" { count = gpus, concurrency = 1 }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } }
  end },
  { "two kinds", function(busy, gpus, draw)
    local others, slow = math.max(1, math.floor(draw(0.2, 0.8) * gpus)), draw(1.2, 2)
    local fast = 1 - 0.3 * draw(0, 1)
    return { workload = td.poisson { rps = busy * (gpus / fast + others / slow) },
      target = td.fleet "pool" { td.gpu "new" { count = gpus, params = { s = fast } },
        td.gpu "old" { count = others, params = { s = slow } }, router = "least_outstanding" },
      pipeline = { td.stage "s" { on = "gpu", cost = function(r)
        return td.exponential(1) * r.gpu.s
      end } } }, "target.new.count"
  end },
  { "a day", function(busy, gpus, draw)
    local mean, peak = busy * gpus, draw(1.1, 1.5)
    return { workload = td.diurnal { mean = 0.8 * mean, peak = 0.8 * mean * peak, period = "1h",
        peak_at = "30min", duration = "1h" },
      target = td.gpu "L40" { count = gpus, concurrency = 1 }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } }, warmup = "none" },
      nil, 200
  end },
  { "failures", function(busy, gpus, draw)
    return { workload = td.poisson { rps = 0.9 * busy * gpus },
      target = td.gpu "L40" { count = gpus, concurrency = 1, mttr = draw(20, 200),
        mtbf = td.exponential(draw(2000, 20000)) }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } }
  end },
  { "tokens", function(busy, gpus)
    return { workload = td.poisson { rps = busy * gpus * 2.2 },
      attrs = { prompt_tokens = td.exponential(512), output_tokens = td.exponential(128) },
      target = td.gpu "L4" { count = gpus },
      pipeline = { td.generate "chat" { model = td.llm "Qwen3-8B" } } }
  end },
}

--- The names of what is drawn.
fleets.kinds = {}
for i, kind in ipairs(KINDS) do fleets.kinds[i] = kind[1] end

-- The figure of a fleet, by a run as long as it takes, and how far it may be off; infinite where
-- it is overloaded.
local function figure(spec, counted, gpus, metric, requests, runs)
  local result = td.scenario "truth" (spec):with { [counted] = gpus, requests = not runs
    and requests or nil }:run { replications = runs or 8, seed = 77777 }
  local class = result.classes[1]
  if result.overload then return math.huge, 0 end
  local name = metric:gsub("%.", "")
  local found = class.latency and class.latency[name] or result.latency[name]
  if metric:find "^ttft" then found = result.llm[1].ttft.p99 end
  return found.value, found.half or UNSURE * found.value
end

-- Are a number and one fewer nearly the same? Most large fleets that are not near saturation are,
-- and runs that find the truth would be spent on them. What is near saturation fills up slowly, so
-- that only what is hardly apart at all is given up.
local function alike(spec, counted, gpus, metric, requests, runs)
  requests, runs = requests // GLANCE, runs and runs // GLANCE
  local truth = figure(spec, counted, gpus, metric, requests, runs)
  local fewer = figure(spec, counted, gpus - 1, metric, requests, runs)
  return truth == math.huge or fewer < CLEAR * truth
end

--- Problem number n; nil where what was drawn has no limit that tells two numbers apart.
---@param n integer
---@param requests integer  of each of eight runs that find the truth
---@param most integer      GPUs
---@return fleets.Problem|nil
function fleets.problem(n, requests, most)
  local draw, pick = generator(n)
  local kind = KINDS[(n - 1) % #KINDS + 1]
  local llm = kind[1] == "tokens"
  local gpus = math.floor(draw(2, (llm and math.min(most, 6) or most) + 0.999))
  local metric = llm and "ttft_p99" or pick { "mean", "p90", "p95", "p99" }
  local spec, counted, runs = kind[2](draw(0.55, 0.9), gpus, draw, pick)
  counted = counted or "gpus"
  if llm then requests = requests // 20 end
  local where = draw(0, 1)
  if alike(spec, counted, gpus, metric, requests, runs) then return nil end
  local truth, fewer, low, apart
  for _ = 1, 2 do
    local half, other
    truth, half = figure(spec, counted, gpus, metric, requests, runs)
    fewer, other = figure(spec, counted, gpus - 1, metric, requests, runs)
    if truth == math.huge then return nil end
    low = math.max(truth * CLEAR, truth + half)
    apart = math.min(math.min(fewer / CLEAR, fewer - other), 3 * truth) / low
    if apart > 1.01 then break end
    requests, runs = requests * AGAIN, runs and runs * AGAIN
  end
  if apart <= 1.01 then return nil end
  local limit = low * apart ^ where
  limit = tonumber(("%.5g"):format(limit))
  spec.slo = { [metric] = ("%.5gs"):format(limit) }
  if spec.classes then
    spec.classes[1].slo, spec.slo = spec.slo, nil
  end
  return { name = ("%d, %s"):format(n, kind[1]), kind = kind[1], metric = metric, answer = gpus,
    scenario = td.scenario(("fleet-%d"):format(n))(spec), limit = limit, truth = truth,
    counted = counted, fewer = fewer }
end

--- Asks for the number of GPUs of a problem.
---@param problem fleets.Problem
---@return tandem.PlanRow
---@return number seconds  of processors
function fleets.solve(problem, most)
  local began = os.clock()
  -- The truth is that of the scenario's own step times: what is doubted of them is not asked.
  local answer = td.plan.gpus { scenario = problem.scenario, sensitivity = false, max = most,
    count = problem.counted, doubt = false }
  return answer.rows[1], os.clock() - began
end

return fleets
