--- Random scenarios that are valid and short, the same for the same number.
-- Owns a generator of its own, so that neither Lua's math.random nor the engine's streams decide
-- what is tested. Used by properties_spec and threads_spec.

local td = require "tandem"

local random = {}

---@class tests.Random
---@field state integer
local Random = {}
Random.__index = Random

--- A generator; equal seeds give equal sequences.
---@param seed integer
---@return tests.Random
function random.new(seed) return setmetatable({ state = seed * 0x9E3779B97F4A7C15 }, Random) end

--- Uniform in [0, 1).
function Random:unit()
  self.state = self.state + 0x9E3779B97F4A7C15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return ((z ~ (z >> 31)) >> 11) * 0x1p-53
end
function Random:real(low, high) return low + (high - low) * self:unit() end
function Random:int(low, high) return low + math.floor((high - low + 1) * self:unit()) end
function Random:chance(p) return self:unit() < p end
function Random:of(list) return list[self:int(1, #list)] end

-- Distributions by their mean.
local families = {
  function(_, m) return td.exponential(m) end,
  function(_, m) return m end,
  function(_, m) return td.uniform(0.5 * m, 1.5 * m) end,
  function(g, m) return td.gamma { mean = m, cv = g:real(0.2, 2) } end,
  function(g, m) return td.erlang { k = g:int(1, 5), mean = m } end,
  function(g, m) return td.lognormal { mean = m, cv = g:real(0.2, 2) } end,
  function(g, m) return td.weibull { mean = m, cv = g:real(0.3, 1.5) } end,
  function(_, m) return td.hyperexponential { { 0.9, m / 2 }, { 0.1, 5.5 * m } } end,
  function(_, m) return td.pareto { min = m / 4, max = 20 * m, alpha = 1.5 } end,
  function(_, m) return td.normal { mean = m, sd = m / 3 } end,
  function(_, m)
    return td.mixture { { 0.7, td.constant(m / 2) }, { 0.3, td.exponential(2 * m) } }
  end,
  function(_, m) return td.empirical { m / 2, m, 3 * m, weights = { 3, 2, 1 } } end,
  function(_, m) return td.histogram { edges = { 0, m, 3 * m }, counts = { 3, 1 } } end,
}

--- Some distribution with about this mean.
function random.dist(g, mean) return g:of(families)(g, mean) end

-- Without values that occur twice: no two requests are ever ready in the same nanosecond.
local continuous = table.move(families, 3, 10, 2, { families[1] })

local arrivals = {
  function(_, rps) return td.poisson { rps = rps } end,
  function(_, rps) return td.paced { rps = rps } end,
  function(g, rps) return td.renewal { rps = rps, cv = g:real(0.3, 2.5) } end,
  function(_, rps) return td.mmpp { { rps / 2, 0.2 }, { 3 * rps, 0.05 } } end,
  function(_, rps) return td.bursts { rps = 2 * rps, on = "100ms", off = "100ms" } end,
  function(_, rps) return td.curve { { 0, rps / 2 }, { 1, 2 * rps }, { 2, rps }, period = 2 } end,
  function(g, rps) return td.poisson { rps = rps / 2, batch = td.uniform(1, g:int(1, 4)) } end,
  function(g, rps) return td.closed { users = g:int(1, 12), think = random.dist(g, 4 / rps) } end,
}

local disciplines = { "fifo", "fifo", "fifo", "lifo", "random", "priority", "preempt", "ps" }
local routers = { "round_robin", "random", "least_outstanding", "shortest_queue", "power_of_two",
  "weighted", "affinity" }

local function gpu(g, name, discipline)
  return td.gpu(name) { flops = 1e14, bandwidth = 1e12, h2d = 25e9, d2h = 25e9, memory = 16e9,
    ms_per_token = g:real(0.01, 0.1), concurrency = g:int(1, 4), discipline = discipline,
    count = g:chance(0.4) and g:int(2, 3) or nil, queue = g:chance(0.15) and g:int(0, 8) or nil,
    copy_engines = g:chance(0.2) and 2 or nil,
    mtbf = g:chance(0.12) and td.exponential "800ms" or nil }
end

local function target(g)
  local discipline = g:of(disciplines)
  local gpus, count = {}, 0
  for i = 1, g:int(1, 3) do
    gpus[i] = gpu(g, "G" .. i, discipline)
    if rawget(gpus[i], "mtbf") then
      gpus[i] = gpus[i] { mttr = td.exponential "60ms",
        on_failure = g:of { "wait", "restart", "lost" } }
    end
    count = count + (rawget(gpus[i], "count") or 1)
  end
  local link = g:chance(0.25) and td.link "pcie" { bandwidth = g:real(5e9, 40e9) } or nil
  if #gpus == 1 and g:chance(0.5) then return gpus[1], discipline, link ~= nil end
  local router, weights = g:of(routers), nil
  if router == "weighted" then
    weights = {}
    for i = 1, count do weights[i] = g:real(0.5, 2) end
  end
  gpus.router, gpus.weights, gpus.link = router, weights, link
  gpus.key = router == "affinity" and "tokens" or nil
  return td.fleet(gpus), discipline, link ~= nil
end

-- What steps may use, decided once a scenario.
---@class tests.ScenarioFacts
---@field gpu boolean
---@field whole boolean a GPU serves whole jobs: batches are allowed
---@field names integer steps made so far

local function batch(g, allowed)
  if not allowed or not g:chance(0.3) then return nil end
  return { max = g:int(2, 6), wait = g:chance(0.7) and g:real(0, 5e-3) or nil,
    preferred = g:chance(0.3) and { 2 } or nil }
end

local function plain_step(g, facts, mean)
  facts.names = facts.names + 1
  local name = "s" .. facts.names
  local kind = g:int(1, facts.gpu and 9 or 4)
  if kind == 1 then
    return td.fixed(name) { time = random.dist(g, mean), jitter = g:chance(0.2) and 0.1 or nil,
      batch = batch(g, facts.cpu_whole) }
  elseif kind == 2 then
    return td.stage(name) { on = "cpu", cost = function(r) return mean * r.tokens / 60 end }
  elseif kind == 3 then
    return td.delay(name) { time = random.dist(g, mean) }
  elseif kind == 4 then
    return td.stage(name) { on = "db", cost = td.exponential(mean / 2) + mean / 2 }
  elseif kind <= 6 then
    return td.transfer(name) { on = g:of { "h2d", "d2h" }, bytes = random.dist(g, mean * 10e9) }
  elseif kind == 7 then
    return td.tokens(name) { batch = batch(g, facts.whole) }
  elseif kind == 8 then
    return td.compute(name) { flops = mean * 5e13, bytes = mean * 3e11 }
  end
  return td.stage(name) { on = "gpu", batch = batch(g, facts.whole), cost = function(r)
    return mean / 2 + mean * r.batch / 16 + 1e-6 * r.sum.tokens
  end }
end

local function steps(g, facts, count, mean, depth)
  local out = {}
  for i = 1, count do
    local nested = depth > 0 and g:unit() or 1
    if nested < 0.08 then
      out[i] = td.branch("branch" .. depth .. i) {
        { p = g:real(0.1, 0.6), steps = steps(g, facts, g:int(0, 2), mean, depth - 1) },
        { steps = steps(g, facts, 1, mean, depth - 1) } }
    elseif nested < 0.14 then
      local body = steps(g, facts, 1, mean / 2, depth - 1)
      out[i] = td.loop("loop" .. depth .. i) { steps = body, max = 5,
        again = g:chance(0.5) and 0.3 or nil }
      if not rawget(out[i], "again") then out[i] = out[i] { times = g:int(0, 3) } end
    elseif nested < 0.2 then
      out[i] = td.fork("fork" .. depth .. i) { steps(g, facts, 1, mean, depth - 1),
        steps(g, facts, g:int(0, 2), mean, depth - 1) }
    elseif nested < 0.26 and not facts.holding then
      facts.holding = true
      out[i] = td.hold("hold" .. depth .. i) { on = "store", memory = random.dist(g, 1e9),
        steps = steps(g, facts, 1, mean, depth - 1) }
      facts.holding = false
    else
      out[i] = plain_step(g, facts, mean)
    end
  end
  return out
end

--- The n-th random scenario: a table for td.scenario.
---@param n integer
---@return table
function random.body(n)
  local g = random.new(n)
  local body = { requests = g:int(60, 250), attrs = { tokens = g:of {
    40, td.uniform(1, 120), td.zipf { n = 100, s = 0.8 } } } }
  local facts = { names = 0, gpu = g:chance(0.7) }
  if facts.gpu then
    local discipline, shared
    body.target, discipline, shared = target(g)
    facts.whole = discipline ~= "ps"
    facts.shared = shared
  end
  local discipline = g:of(disciplines)
  facts.cpu_whole = discipline ~= "ps"
  body.cpu = { workers = g:int(1, 6), discipline = discipline,
    queue = g:chance(0.2) and g:int(0, 12) or nil }
  body.resources = { td.pool "db" { servers = g:int(1, 3), discipline = g:of(disciplines) },
    td.memory "store" { bytes = 64e9 } }
  body.pipeline = steps(g, facts, g:int(1, 5), g:real(1e-3, 6e-3), 2)
  local rps = g:real(20, 250)
  if g:chance(0.4) then
    body.classes = {}
    for i = 1, g:int(2, 3) do
      body.classes[i] = { name = "c" .. i, workload = g:of(arrivals)(g, rps / 2),
        priority = g:int(0, 2) }
    end
  else
    body.workload = g:of(arrivals)(g, rps)
  end
  if g:chance(0.2) then body.patience = random.dist(g, 20e-3) end
  if g:chance(0.2) then body.timeout = random.dist(g, 100e-3) end
  if g:chance(0.25) then
    body.retry = { max = g:int(1, 3), backoff = 0.01, factor = 2, jitter = 0.5 }
  end
  if g:chance(0.3) then body.slo = { p99 = ("%.17gs"):format(g:real(5e-3, 0.1)), mean = "20ms" } end
  return body
end

--- The n-th random scenario.
---@param n integer
---@return tandem.Scenario
function random.scenario(n) return td.scenario("random " .. n)(random.body(n)) end

--- A chain of FIFO pools; times are multiplied by `scale`, the servers of stage `more` by 2.
---@param n integer
---@param scale number|nil
---@param more integer|nil
---@return tandem.Scenario
---@return integer stages
function random.chain(n, scale, more)
  local g = random.new(n + 100000)
  scale = scale or 1
  local count = g:int(1, 4)
  local body = { requests = 300, warmup = "none", resources = {}, pipeline = {},
    workload = td.renewal { rps = g:real(50, 150) / scale, cv = g:of { 0.5, 1, 2 } } }
  for i = 1, count do
    local servers = g:int(1, 4)
    body.resources[i] = td.pool("p" .. i) { servers = i == more and 2 * servers or servers }
    body.pipeline[i] = td.stage("s" .. i) { on = "p" .. i,
      cost = g:of(continuous)(g, scale * servers * g:real(3e-3, 8e-3)) }
  end
  return td.scenario("chain " .. n)(body), count
end

return random
