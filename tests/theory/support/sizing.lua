--- Sizing problems with known answers: how many servers does this need? M/M/c, M/D/c, M/H2/c and
--- M/G/c/c, drawn at random, each with the exact figure of every count.
local td = require "tandem"
local formulas = require "tests.theory.support.formulas"

local sizing = {}

---@class sizing.Problem
---@field name string
---@field scenario tandem.Scenario
---@field slo table
---@field metric string
---@field limit number
---@field exact fun(servers: integer): number|nil  nil when overloaded
---@field answer integer
---@field kind "time"|"percent"

-- A generator of our own: the problems are the same everywhere.
local function generator(seed)
  local state = seed * 2654435761 % 2 ^ 32
  return function(low, high)
    for _ = 1, 3 do state = (state * 1664525 + 1013904223) % 2 ^ 32 end
    return low + (high - low) * state / 2 ^ 32
  end
end

local function quantile(tail, p, scale)
  local low, high = 0, scale
  while tail(high) > 1 - p do high = high * 2 end
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if tail(middle) > 1 - p then low = middle else high = middle end
  end
  return high
end

-- Solves x·A = b for a row x, A square, by elimination on the transpose.
local function solve_rows(a, b)
  local n, m = #a, #b
  local work = {}
  for i = 1, n do
    work[i] = {}
    for j = 1, n do work[i][j] = a[j][i] end
    for j = 1, m do work[i][n + j] = b[j][i] end
  end
  for i = 1, n do
    local pivot = i
    for k = i + 1, n do
      if math.abs(work[k][i]) > math.abs(work[pivot][i]) then pivot = k end
    end
    work[i], work[pivot] = work[pivot], work[i]
    for k = 1, n do
      if k ~= i and work[k][i] ~= 0 then
        local f = work[k][i] / work[i][i]
        for j = i, n + m do work[k][j] = work[k][j] - f * work[i][j] end
      end
    end
  end
  local x = {}
  for j = 1, m do
    x[j] = {}
    for i = 1, n do x[j][i] = work[i][n + j] / work[i][i] end
  end
  return x
end

--- Mean wait of M/H2/c: the chain of (customers, of them in service of the first kind), cut off at
--- `last` customers and reduced level by level from the top.
---@return number
function sizing.mh2c_wait(lambda, weights, means, c, last)
  local p, mu1, mu2 = weights[1], 1 / means[1], 1 / means[2]
  local function phases(n) return math.min(n, c) + 1 end
  local function zero(rows, columns)
    local out = {}
    for i = 1, rows do
      out[i] = {}
      for j = 1, columns do out[i][j] = 0 end
    end
    return out
  end
  local function up(n)
    local out = zero(phases(n), phases(n + 1))
    for j = 1, phases(n) do
      if n < c then
        out[j][j + 1], out[j][j] = lambda * p, lambda * (1 - p)
      else
        out[j][j] = lambda
      end
    end
    return out
  end
  local function down(n)
    local out = zero(phases(n), phases(n - 1))
    for j = 1, phases(n) do
      local first = j - 1
      local r1, r2 = first * mu1, (math.min(n, c) - first) * mu2
      local function add(to, rate)
        if rate > 0 then out[j][to] = out[j][to] + rate end
      end
      if n <= c then
        add(j - 1, r1)
        add(j, r2)
      else
        add(j - 1, r1 * (1 - p))
        add(j, r1 * p)
        add(j, r2 * (1 - p))
        add(j + 1, r2 * p)
      end
    end
    return out
  end
  local ratios, above = {}, nil
  for n = last, 1, -1 do
    local size = phases(n)
    local a = zero(size, size)
    for j = 1, size do
      local out_rate = (n < last and lambda or 0) + (j - 1) * mu1
        + (math.min(n, c) - j + 1) * mu2
      a[j][j] = out_rate
    end
    if above then
      local below = down(n + 1)
      for i = 1, size do
        for k = 1, #below do
          for j = 1, size do a[i][j] = a[i][j] - above[i][k] * below[k][j] end
        end
      end
    end
    above = solve_rows(a, up(n - 1))
    ratios[n] = above
  end
  local law, total, queue = { 1 }, 1, 0
  for n = 1, last do
    local next_law = {}
    for j = 1, phases(n) do
      local sum = 0
      for i = 1, #law do sum = sum + law[i] * ratios[n][i][j] end
      next_law[j] = sum
      total, queue = total + sum, queue + sum * math.max(n - c, 0)
    end
    law = next_law
  end
  return queue / total / lambda
end

local families = {}

families["M/M/c"] = function(u)
  local s = u(0.01, 0.1)
  local lambda = u(0.6, 20) / s
  local metrics = { "mean", "p90", "p95", "p99" }
  local metric = metrics[1 + math.floor(u(0, 4))]
  local q = tonumber(metric:match "%d+")
  return { lambda = lambda, s = s, time = td.exponential(s), metric = metric,
    exact = function(c)
      local mu = 1 / s
      if lambda >= c * mu then return nil end
      if metric == "mean" then return formulas.mmc_wait(lambda, mu, c) + s end
      return quantile(function(t)
        return formulas.mmc_tail(lambda, mu * (1 + 1e-9), c, t)
      end, q / 100, s)
    end }
end

families["M/D/c"] = function(u)
  local s = u(0.01, 0.1)
  local lambda = u(0.6, 8) / s
  local metrics = { "p90", "p95", "p99" }
  local metric = metrics[1 + math.floor(u(0, 3))]
  local q = tonumber(metric:match "%d+")
  return { lambda = lambda, s = s, time = td.constant(s), metric = metric,
    exact = function(c)
      if lambda * s >= c then return nil end
      local rho = lambda * s / c
      local law = formulas.mdc(lambda, s, c, math.floor(60 + 12 * c + 6 / (1 - rho)))
      return s + quantile(function(t) return 1 - law(t) end, q / 100, s)
    end }
end

families["M/H2/c"] = function(u)
  local s = u(0.01, 0.1)
  local lambda = u(0.6, 6) / s
  local weights, means = { 0.8, 0.2 }, { 0.5 * s, 3 * s }
  return { lambda = lambda, s = s, metric = "mean",
    time = td.hyperexponential { { 0.8, 0.5 * s }, { 0.2, 3 * s } },
    exact = function(c)
      local rho = lambda * s / c
      if rho >= 1 then return nil end
      return s + sizing.mh2c_wait(lambda, weights, means, c,
        c + math.min(600, math.floor(60 / (1 - rho))))
    end }
end

-- Whatever the service: Erlang B is insensitive.
families["M/G/c/c"] = function(u)
  local s = u(0.01, 0.1)
  local lambda = u(1, 15) / s
  return { lambda = lambda, s = s, metric = "met", queue = 0,
    time = td.lognormal { mean = s, cv = 1.5 },
    exact = function(c) return 1 - formulas.erlang_b(c, lambda * s) end }
end

local ORDER <const> = { "M/M/c", "M/D/c", "M/H2/c", "M/G/c/c" }

local MARGIN <const> = 0.02 -- no figure is nearer to its limit

-- A limit between the figures of two counts, so that the answer is a chosen one.
local function put_limit(p, u)
  local c = math.floor(p.lambda * p.s) + 1 + math.floor(u(0, 3))
  local good, bad = p.exact(c), p.exact(c - 1)
  if not good then return end
  if p.metric == "met" then
    -- Of the share that is lost the margin has to be taken, or every limit is near.
    if c < 2 or good > 0.9995 then return end
    local lost = (1 - good) + u(0.1, 0.9) * (good - bad)
    if lost < (1 - good) * (1 + MARGIN) or lost > (1 - bad) * (1 - MARGIN) then return end
    p.limit, p.answer = 1 - lost, c
    return true
  end
  p.limit = good + u(0.05, 0.95) * ((bad and math.min(bad, 3 * good) or 2 * good) - good)
  if p.limit < good * (1 + MARGIN) or bad and p.limit > bad * (1 - MARGIN) then return end
  p.answer = c
  -- So near to saturation no run settles, and the planner says so.
  return p.lambda * p.s / c < 0.97
end

--- The n-th problem.
---@param n integer
---@return sizing.Problem
function sizing.problem(n)
  local family = ORDER[1 + n % #ORDER]
  local u = generator(n)
  while true do
    local p = families[family](u)
    if put_limit(p, u) then
      p.name, p.kind = ("%s %d"):format(family, n), p.metric == "met" and "percent" or "time"
      p.slo = { [p.metric] = p.metric == "met" and p.limit or ("%.12gs"):format(p.limit) }
      if p.metric == "met" then p.slo.deadline = "1000000s" end
      p.scenario = td.scenario(p.name) {
        workload = td.poisson { rps = p.lambda, requests = 4000 },
        resources = { td.pool "station" { servers = 1, queue = p.queue } },
        pipeline = { td.stage "work" { on = "station", cost = p.time } },
      }
      return p
    end
  end
end

--- Solves it with td.plan.gpus.
---@param p sizing.Problem
---@param options table|nil
---@return tandem.PlanAnswer
function sizing.solve(p, options)
  local question = { scenario = p.scenario, slo = p.slo, count = "resources.station.servers",
    sensitivity = false, threads = 1 }
  for k, v in pairs(options or {}) do question[k] = v end
  return td.plan.gpus(question)
end

return sizing
