--- Two stations one after the other, of which the cheapest pair of sizes is asked: the truth from
--- formulas. Requests leave M/M/c as they come (Burke), so that each station is by itself, and what
--- a request takes in the one says nothing of the other. GPUs behind a random router are so many
--- M/M/1, servers of a pool M/M/c.
local td = require "tandem"
local formulas = require "tests.theory.support.formulas"

local pairs_of = {}

---@class pairs.Problem
---@field name string
---@field scenario tandem.Scenario
---@field counts string[]  the paths that are counted
---@field metric string
---@field limit number
---@field exact fun(a: integer, b: integer): number  the figure; infinite where overloaded
---@field prices number[]
---@field most integer   of each
---@field answer integer[]
---@field cost number

local function generator(seed)
  local state = (seed * 2654435761 + 4321) % 2 ^ 32
  local function draw(low, high)
    for _ = 1, 3 do state = (state * 1664525 + 1013904223) % 2 ^ 32 end
    return low + (high - low) * state / 2 ^ 32
  end
  for _ = 1, 5 do draw(0, 1) end
  return draw
end

-- A station: its mean time in the system and the chance of more than t, by its size.
local function station(kind, rate, service)
  local mu = 1 / service * (1 + 1e-9) -- the formula has no c·mu - lambda equal to mu
  return function(size)
    if rate * service >= size * (1 - 1e-12) then return nil end
    if kind == "gpus" then
      local left = 1 / service - rate / size
      return { mean = 1 / left, tail = function(t) return math.exp(-left * t) end }
    end
    return { mean = formulas.mmc_wait(rate, 1 / service, size) + service,
      tail = function(t) return formulas.mmc_tail(rate, mu, size, t) end }
  end
end

local CELLS <const> = 1500

-- P(A + B > t), A and B independent: by midpoints of B over equal parts of A's range.
local function beyond(a, b, t)
  local sum, before = a.tail(t), 1
  for i = 1, CELLS do
    local s = t * i / CELLS
    local after = a.tail(s)
    sum = sum + (before - after) * b.tail(t - s + t / CELLS / 2)
    before = after
  end
  return sum
end

local function quantile(a, b, p)
  local low, high = 0, a.mean + b.mean
  while beyond(a, b, high) > 1 - p do low, high = high, 2 * high end
  for _ = 1, 30 do
    local middle = (low + high) / 2
    if beyond(a, b, middle) > 1 - p then low = middle else high = middle end
  end
  return high
end

-- The cheapest pair within the limit by looking at all of them; fewer in all where costs are equal.
local function cheapest(problem)
  local best, least, sum
  for i = 1, problem.most do
    for j = 1, problem.most do
      local cost = problem.prices[1] * i + problem.prices[2] * j
      local ahead = not least or cost < least - 1e-9 or cost < least + 1e-9 and i + j < sum
      if ahead and problem.exact(i, j) <= problem.limit then
        best, least, sum = { i, j }, cost, i + j
      end
    end
  end
  return best, least
end

local METRICS <const> = { "mean", "p90", "p99" }

--- A problem: the same for a seed everywhere. Nil where no pair will do.
---@param seed integer
---@return pairs.Problem|nil
function pairs_of.problem(seed)
  local draw = generator(seed)
  local gpus, metric = draw(0, 1) < 0.5, METRICS[1 + math.floor(draw(0, 2.9999))]
  local rate = 10
  local sizes = { draw(1, 12), draw(1, 12) }
  local services = { sizes[1] * draw(0.6, 0.95) / rate, sizes[2] * draw(0.6, 0.95) / rate }
  local first = station(gpus and "gpus" or "pool", rate, services[1])
  local second = station("pool", rate, services[2])
  local raw = { workload = td.poisson { rps = rate },
    prices = { b = ("%.2f$/h"):format(draw(0.05, 1.5)) }, slo = {} }
  local from = td.exponential(("%.9gs"):format(services[1]))
  local to = td.stage "second" { on = "b", cost = td.exponential(("%.9gs"):format(services[2])) }
  local problem = { name = ("pair %d"):format(seed), metric = metric, most = 40,
    prices = { draw(0.5, 3) // 0.01 / 100, tonumber(raw.prices.b:match "^[%d.]+") } }
  raw.resources = { td.pool "b" { servers = 2 } }
  if gpus then
    raw.target, raw.router = td.gpu "L40S" { price = problem.prices[1] .. "$/h" }, "random"
    raw.pipeline = { td.stage "first" { on = "gpu", cost = from }, to }
    problem.counts = { "gpus", "resources.b.servers" }
  else
    raw.resources[2], raw.prices.a = td.pool "a" { servers = 2 }, problem.prices[1] .. "$/h"
    raw.pipeline = { td.stage "first" { on = "a", cost = from }, to }
    problem.counts = { "resources.a.servers", "resources.b.servers" }
  end
  local memo = {}
  function problem.exact(i, j)
    local key = i * 1000 + j
    if not memo[key] then
      local a, b = first(i), second(j)
      memo[key] = not (a and b) and math.huge or metric == "mean" and a.mean + b.mean
        or quantile(a, b, tonumber(metric:match "%d+") / 100)
    end
    return memo[key]
  end
  problem.limit = problem.exact(40, 40) * draw(1.1, 2.5)
  raw.slo[metric] = ("%.9gs"):format(problem.limit)
  problem.answer, problem.cost = cheapest(problem)
  if not problem.answer then return nil end
  problem.scenario = td.scenario(problem.name)(raw)
  return problem
end

---@class pairs.Outcome
---@field what "exact"|"low"|"dearer"|"none"
---@field told boolean  a pair that is cheaper, and would do, is told as undecided
---@field row table

--- What a plan makes of a problem, held against the truth.
---@param problem pairs.Problem
---@return pairs.Outcome
function pairs_of.solve(problem)
  local row = td.plan.gpus({ scenario = problem.scenario, count = problem.counts,
    sensitivity = false }).rows[1]
  if not row.count then return { what = "none", told = false, row = row } end
  local cost = problem.prices[1] * row.count + problem.prices[2] * row.with
  local what = problem.exact(row.count, row.with) > problem.limit and "low"
    or cost > problem.cost + 1e-9 and "dearer" or "exact"
  local told = false
  for _, one in ipairs(row.pair.undecided) do
    told = told or problem.exact(one.count, one.with) <= problem.limit
  end
  return { what = what, told = told, row = row }
end

return pairs_of
