--- Networks drawn at random, as users would write them, with the truth from long runs and what
--- `explain` says of them before.
--
-- Owns the families, the length of the runs (the interval of the mean latency is below 2 % of it)
-- and the comparison. Called by explain_spec.lua and by tests/accuracy/networks.lua.
local td = require "tandem"
local explain = require "tandem.explain"

local networks = {}

---@class networks.Draw
---@field between fun(low: number, high: number): number
---@field whole fun(low: integer, high: integer): integer
---@field pick fun(list: any[]): any

-- A generator of our own: the networks are the same everywhere.
local function generator(seed)
  local state = (seed * 2654435761 + 97531) % 2 ^ 32
  local function unit()
    for _ = 1, 3 do state = (state * 1664525 + 1013904223) % 2 ^ 32 end
    return state / 2 ^ 32
  end
  for _ = 1, 5 do unit() end
  local draw = {}
  function draw.between(low, high) return low + (high - low) * unit() end
  function draw.whole(low, high) return low + math.floor(unit() * (high - low + 1) * 0.9999999) end
  function draw.pick(list) return list[draw.whole(1, #list)] end
  return draw
end

-- A time by its mean and squared coefficient of variation.
local function time(mean, cv2)
  if cv2 == 0 then return mean end
  if cv2 == 1 then return td.exponential(mean) end
  if cv2 > 1 then return td.lognormal { mean = mean, cv = math.sqrt(cv2) } end
  return td.gamma { mean = mean, cv = math.sqrt(cv2) }
end

local SPREADS <const> = { 0, 0.25, 0.5, 1, 1, 2, 4 }

local function arrivals(draw, rps)
  local kind = draw.whole(1, 6)
  if kind <= 2 then return td.poisson { rps = rps } end
  if kind <= 4 then return td.paced { rps = rps } end
  return td.renewal { rps = rps, cv = draw.pick { 0.4, 0.7, 1.5, 2 } }
end

-- A step on a new pool, sized so that `rps` visits keep it as busy as drawn.
local function new_step(made, draw, rps, fields)
  fields = fields or {}
  local index = #made.resources + 1
  local servers = fields.servers or draw.pick { 1, 1, 1, 2, 4 }
  local mean = (fields.busy or draw.between(0.25, 0.88)) * servers / rps
  made.resources[index] = td.pool("p" .. index) { servers = servers,
    discipline = fields.discipline, mtbf = fields.mtbf and fields.mtbf(mean),
    mttr = fields.mttr and fields.mttr(mean) }
  local cv2 = fields.cv2 or draw.pick(SPREADS)
  return td.stage("s" .. index) { on = "p" .. index, cost = time(mean, cv2),
    batch = fields.batch }, mean
end

local function chain(made, draw, rps, count, list)
  list = list or {}
  for _ = 1, count do list[#list + 1] = new_step(made, draw, rps) end
  return list
end

-- Each fills `made`, a scenario's table with empty resources, at one request a second in all.
networks.families = {
  { "chains", function(made, draw)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(2, 6))
  end },
  { "branches", function(made, draw)
    made.workload = arrivals(draw, 1)
    local p = draw.between(0.2, 0.8)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    table.insert(made.pipeline, td.branch "way" {
      { p = p, steps = chain(made, draw, p, draw.whole(1, 2)) },
      { steps = chain(made, draw, 1 - p, draw.whole(0, 2)) } })
    chain(made, draw, 1, draw.whole(1, 2), made.pipeline)
  end },
  { "classes", function(made, draw)
    local count, left = draw.whole(2, 4), 1
    local shared = chain(made, draw, 1, draw.whole(1, 2))
    made.classes = {}
    for i = 1, count do
      local rps = i == count and left or left * draw.between(0.2, 0.6)
      left = left - rps
      local own = draw.whole(0, 2)
      local list = chain(made, draw, rps, own)
      table.move(shared, 1, #shared, #list + 1, list)
      made.classes[i] = { name = "c" .. i, workload = arrivals(draw, rps), pipeline = list }
    end
  end },
  { "loops", function(made, draw)
    local again = draw.between(0.1, 0.6)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    local loop = { again = again }
    for _, step in ipairs(chain(made, draw, 1 / (1 - again), draw.whole(1, 3))) do
      loop[#loop + 1] = step
    end
    table.insert(made.pipeline, td.loop "again" (loop))
    chain(made, draw, 1, draw.whole(0, 1), made.pipeline)
  end },
  { "forks", function(made, draw)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    local branches = {}
    for i = 1, draw.whole(2, 4) do branches[i] = chain(made, draw, 1, draw.whole(1, 2)) end
    table.insert(made.pipeline, td.fork "all" (branches))
    chain(made, draw, 1, draw.whole(0, 1), made.pipeline)
  end },
  { "batches", function(made, draw)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    local most, busy = draw.pick { 4, 8, 16 }, draw.between(0.2, 0.85)
    local fixed = draw.between(0.3, 0.9) -- of the time of a full batch
    local full = busy * most
    local servers = draw.pick { 1, 1, 1, 2 }
    full = full * servers
    made.resources[#made.resources + 1] = td.pool "batcher" { servers = servers }
    table.insert(made.pipeline, td.stage "batched" { on = "batcher",
      batch = { max = most, wait = draw.pick { 0, 0, 0, 2 } },
      cost = ("%.6f+%.6f*r.batch"):format(fixed * full, (1 - fixed) * full / most) })
    chain(made, draw, 1, draw.whole(0, 2), made.pipeline)
  end },
  { "groups", function(made, draw)
    local size = draw.whole(2, 6)
    made.workload = td.renewal { batch = size,
      gap = draw.pick { td.exponential(size), size, td.gamma { mean = size, cv = 0.5 } } }
    made.pipeline = chain(made, draw, 1, draw.whole(1, 4))
  end },
  { "fleets", function(made, draw)
    local count = draw.whole(2, 8)
    local mean = draw.between(0.4, 0.9) * count
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 1))
    made.target = td.fleet "fleet" { td.gpu "L40" { count = count },
      router = draw.pick { "round_robin", "random", "least_outstanding", "shortest_queue",
        "power_of_two" } }
    table.insert(made.pipeline, td.stage "work" { on = "gpu",
      cost = time(mean, draw.pick(SPREADS)) })
    chain(made, draw, 1, draw.whole(0, 1), made.pipeline)
  end },
  { "sharing", function(made, draw)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    table.insert(made.pipeline, (new_step(made, draw, 1, { servers = math.huge, discipline = "ps",
      busy = 0 })))
    made.resources[#made.resources].servers = math.huge
    made.pipeline[#made.pipeline].cost = time(draw.between(0.3, 0.85), draw.pick(SPREADS))
    chain(made, draw, 1, draw.whole(0, 2), made.pipeline)
  end },
  { "priorities", function(made, draw)
    local share = draw.between(0.2, 0.8)
    local list = chain(made, draw, 1, draw.whole(0, 1))
    table.insert(list, (new_step(made, draw, 1,
      { discipline = draw.pick { "priority", "priority", "preempt" } })))
    chain(made, draw, 1, draw.whole(0, 1), list)
    made.classes = {
      { name = "first", priority = 0, workload = arrivals(draw, share), pipeline = list },
      { name = "second", priority = 1, workload = arrivals(draw, 1 - share), pipeline = list } }
  end },
  { "failures", function(made, draw)
    local up, cycle = draw.between(0.85, 0.97), draw.between(10, 100)
    made.workload = arrivals(draw, 1)
    made.pipeline = chain(made, draw, 1, draw.whole(0, 2))
    table.insert(made.pipeline, (new_step(made, draw, 1, { servers = 1,
      busy = draw.between(0.3, 0.7),
      mtbf = function(mean) return td.exponential(up * cycle * mean) end,
      mttr = function(mean) return td.exponential((1 - up) * cycle * mean) end })))
    chain(made, draw, 1, draw.whole(0, 2), made.pipeline)
  end },
  { "bursts", function(made, draw)
    local peak, share = draw.between(1.3, 3), draw.between(0.1, 0.3)
    local calm = (1 - share * peak) / (1 - share)
    local cycle = 10 ^ draw.between(0.7, 2.5)
    made.workload = td.mmpp { { peak, share * cycle }, { calm, (1 - share) * cycle } }
    made.pipeline = chain(made, draw, 1, draw.whole(1, 4))
  end },
  { "product form", function(made, draw)
    made.workload = td.poisson { rps = 1 }
    local function list(rps, count)
      local steps = {}
      for i = 1, count do steps[i] = new_step(made, draw, rps, { cv2 = 1 }) end
      return steps
    end
    local p, again = draw.between(0.2, 0.8), draw.between(0.1, 0.5)
    made.pipeline = list(1, draw.whole(1, 2))
    table.insert(made.pipeline, td.branch "way" { { p = p, steps = list(p, 1) },
      { steps = list(1 - p, draw.whole(0, 1)) } })
    local loop = list(1 / (1 - again), draw.whole(1, 2))
    loop.again = again
    if draw.whole(0, 1) == 1 then table.insert(made.pipeline, td.loop "again" (loop)) end
    -- The last one may take any time: it is M/G/1.
    table.insert(made.pipeline, (new_step(made, draw, 1, { servers = 1 })))
  end },
  { "users", function(made, draw)
    made.pipeline = chain(made, draw, 1, draw.whole(1, 4))
    local mean = #made.pipeline
    made.workload = td.closed { users = draw.whole(2, 20),
      think = td.exponential(mean * draw.between(0.5, 8)) }
  end },
  { "merged paces", function(made, draw)
    local count = draw.whole(2, 6)
    local shared = chain(made, draw, 1, draw.whole(1, 3))
    made.classes = {}
    for i = 1, count do
      local rps = 1 / count * (i == count and 1 or draw.pick { 1, 1, 0.97, 0.91 })
      made.classes[i] = { name = "c" .. i, pipeline = shared,
        workload = td.renewal { rps = rps, cv = draw.pick { 0.1, 0.1, 0.25 } } }
    end
  end },
}

-- ---- everything together: routes as trees, pools that several steps share

-- A list of steps at a rate; what a step takes is settled when the rates of its pool are known.
local function mixed_list(made, draw, rate, depth)
  local list = {}
  for _ = 1, draw.whole(1, depth > 0 and 3 or 2) do
    local kind = depth > 0 and draw.whole(1, 10) or 1
    if kind == 10 then
      local p = draw.between(0.2, 0.8)
      list[#list + 1] = { kind = "branch", p = p, mixed_list(made, draw, rate * p, depth - 1),
        draw.whole(1, 2) == 1 and mixed_list(made, draw, rate * (1 - p), depth - 1) or {} }
    elseif kind == 9 then
      local again = draw.between(0.1, 0.5)
      list[#list + 1] = { kind = "loop", again = again,
        mixed_list(made, draw, rate / (1 - again), depth - 1) }
    elseif kind == 8 then
      list[#list + 1] = { kind = "fork", mixed_list(made, draw, rate, depth - 1),
        mixed_list(made, draw, rate, depth - 1) }
    elseif kind == 7 then
      list[#list + 1] = { kind = "delay", mean = draw.between(0.1, 3), cv2 = draw.pick(SPREADS) }
    else
      local pool = #made.pools > 0 and draw.whole(1, 4) == 1 and draw.pick(made.pools)
      if not pool then
        pool = { servers = draw.pick { 1, 1, 1, 2, 4 }, busy = draw.between(0.2, 0.88), work = 0 }
        made.pools[#made.pools + 1] = pool
      end
      local step = { kind = "stage", pool = pool, mean = draw.between(0.5, 2),
        cv2 = draw.pick(SPREADS) }
      pool.work = pool.work + rate * step.mean
      list[#list + 1] = step
    end
  end
  return list
end

local function mixed_steps(made, list)
  local out = {}
  for i, item in ipairs(list) do
    made.named = made.named + 1
    local name, inner = "t" .. made.named, {}
    for k, one in ipairs(item) do inner[k] = mixed_steps(made, one) end
    if item.kind == "branch" then
      out[i] = td.branch(name) { { p = item.p, steps = inner[1] }, { steps = inner[2] } }
    elseif item.kind == "loop" then
      inner[1].again = item.again
      out[i] = td.loop(name)(inner[1])
    elseif item.kind == "fork" then
      out[i] = td.fork(name)(inner)
    elseif item.kind == "delay" then
      out[i] = td.delay(name) { time = time(item.mean, item.cv2) }
    else
      local pool = item.pool
      out[i] = td.stage(name) { on = pool.name,
        cost = time(item.mean * pool.busy * pool.servers / pool.work, item.cv2) }
    end
  end
  return out
end

table.insert(networks.families, { "mixed", function(made, draw)
  local count, left, lists, rates = draw.whole(1, 3), 1, {}, {}
  made.pools, made.named, made.classes = {}, 0, {}
  for i = 1, count do
    rates[i] = i == count and left or left * draw.between(0.2, 0.7)
    left = left - rates[i]
    lists[i] = mixed_list(made, draw, rates[i], 2)
  end
  for i, pool in ipairs(made.pools) do
    pool.name = "p" .. i
    made.resources[i] = td.pool(pool.name) { servers = pool.servers }
  end
  for i = 1, count do
    made.classes[i] = { name = "c" .. i, workload = arrivals(draw, rates[i]),
      pipeline = mixed_steps(made, lists[i]) }
  end
  made.pools, made.named = nil, nil
end })

---@class networks.Problem
---@field name string
---@field family string
---@field scenario tandem.Scenario

--- Network number n, of the families in turn.
---@param n integer
---@return networks.Problem
function networks.problem(n)
  local family = networks.families[(n - 1) % #networks.families + 1]
  local made = { resources = {} }
  family[2](made, generator(n))
  local name = ("%s %d"):format(family[1], n)
  return { name = name, family = family[1], scenario = td.scenario(name)(made) }
end

---@class networks.Truth
---@field mean_s number
---@field half number       of its 95 % interval, as a share
---@field wait table<string, number>  mean wait a visit, by resource
---@field busy table<string, number>

--- The truth, by runs as long as it takes.
---@param problem networks.Problem
---@param sure? number   half of the interval of the mean latency, as a share of it: 0.02
---@param most? integer  requests of each of eight runs, at most
---@return networks.Truth
function networks.truth(problem, sure, most)
  local requests, r, half = 20000
  sure = sure or 0.02
  repeat
    r = assert(problem.scenario:run { requests = requests, replications = 8, seed = 4711,
      threads = tonumber(os.getenv "NETWORKS_THREADS") })
    local mean = r.latency.mean
    half = mean.half and mean.half / mean.value or math.huge
    requests = requests * math.max(2, math.min(8, math.ceil(1.2 * (half / sure) ^ 2)))
  until half <= sure or requests > (most or 800000)
  local truth = { mean_s = r.latency.mean.value, half = half, wait = {}, busy = {} }
  for _, stage in ipairs(r.stages) do
    truth.wait[stage.name] = stage.wait.mean and stage.wait.mean.value or nil
  end
  for _, one in ipairs(r.resources) do truth.busy[one.name] = one.utilization.value end
  return truth
end

local function factor(said, true_value)
  return math.max(said / true_value, true_value / said)
end

---@class networks.Row
---@field family string
---@field mark "exact"|"about"|"rough"
---@field said_s number
---@field off number      how many times too long or too short the mean latency is
---@field waits number[]  … the waits of steps that are felt: a fiftieth of a visit or more
---@field busy number[]   … how busy stations are
---@field why string      the reasons of what is rough

--- What explain says, against the truth.
---@param problem networks.Problem
---@param truth networks.Truth
---@return networks.Row
function networks.compare(problem, truth)
  local said = explain.numbers(problem.scenario:model())
  local bounds = said.bounds
  local row = { family = problem.family, said_s = bounds.mean_s, waits = {}, busy = {},
    off = factor(bounds.mean_s, truth.mean_s), why = table.concat(bounds.rough, "; "),
    mark = bounds.exact and "exact" or #bounds.rough > 0 and "rough" or "about" }
  for _, station in ipairs(said.stations) do
    local step = station.name:match "^p(%d+)$"
    local wait = step and truth.wait["s" .. step]
    if wait and wait > 0.02 * station.service.mean and station.wait_s > 0 then
      row.waits[#row.waits + 1] = factor(station.wait_s, wait)
    end
    local busy = truth.busy[station.name]
    if busy and busy > 0 and station.servers < math.huge then
      row.busy[#row.busy + 1] = factor(station.busy, busy)
    end
  end
  return row
end

return networks
