-- Service times of a heavy tail: the wait goes by their squares, and who has seen no huge one takes
-- a run for longer than it is. What the model knows of that error, against a plain Lindley
-- recursion of our own; and that intervals say it, or are withheld. THEORY=show prints the figures.
local check = require "tests.theory.support.check"
local coverage = require "tests.theory.support.coverage"
local td = require "tandem"

local shown = os.getenv "THEORY" == "show"

-- Uniform numbers of a seed (xorshift64*).
local function uniform(seed)
  local state = seed * 0x9E3779B97F4A7C15 | 1
  return function()
    state = state ~ (state >> 12)
    state = state ~ (state << 25)
    state = state ~ (state >> 27)
    return ((state * 0x2545F4914F6CDD1D >> 11) + 0.5) / (1 << 53)
  end
end

-- Mean wait of n customers who come at random to one server: W' = max(0, W + S - gap).
local function lindley(rate, service, n, seed)
  local draw = uniform(seed)
  for _ = 1, 100 do draw() end
  local wait, sum = 0, 0
  for _ = 1, n do
    sum = sum + wait
    wait = wait + service(draw()) + math.log(draw()) / rate
    if wait < 0 then wait = 0 end
  end
  return sum / n
end

local function weibull(u) return (-math.log(u)) ^ 3 / 6 end -- shape 1/3, mean 1: E S^k = (3k)!/6^k

describe("a mean wait of heavy-tailed times", function()
  it("is off by as much as the sum of their squares", function()
    local n, runs, sum, squares = 4000, 150, 0, 0
    for seed = 1, runs do
      local wait = lindley(0.3, weibull, n, seed)
      sum, squares = sum + wait, squares + wait ^ 2
    end
    local mean = sum / runs
    local spread = math.sqrt(squares / runs - mean ^ 2) / mean
    local second, fourth = 720 / 36, 479001600 / 1296
    local known = math.sqrt((fourth / second ^ 2 - 1) / n)
    if shown then print(("    spread %.3f, known %.3f"):format(spread, known)) end
    -- The squares are a lower bound, and most of it.
    assert.is_true(spread > 0.8 * known and spread < 1.8 * known, spread / known)
  end)

  it("has an interval that is no shorter than that", function()
    local s = check.station { workload = td.poisson { rps = 0.3 },
      time = td.weibull { shape = 1 / 3, scale = 1 / 6 } }
    local r = assert(s:run { requests = 100000, replications = 8, seed = 3, brief = true })
    local wait = r.stages[1].wait.mean
    local known = 1.959964 * math.sqrt((479001600 / 1296 / 400 - 1) / r.stages[1].visits)
    assert.is_true(wait.half >= known * wait.value * (1 - 1e-9), wait.half)
    assert.is_true(r.latency.mean.half >= known * wait.value * (1 - 1e-9), r.latency.mean.half)
    assert.is_true(r.in_system.half / r.in_system.value
      >= known * wait.value / r.latency.mean.value * 0.99)
  end)

  it("has one once a run is as long as it was told to be", function()
    local s = check.station { workload = td.poisson { rps = 0.3 },
      time = td.lognormal { mean = 1, cv = 3 } }
    local short = assert(s:run { requests = 3000, replications = 8, brief = true }).latency.mean
    assert.is_nil(short.half)
    local each = math.ceil(short.needs.requests / 8)
    local long = assert(s:run { requests = each, replications = 8, brief = true }).latency.mean
    assert.is_number(long.half)
    assert.is_true(math.abs(long.value - (1 + 0.3 / 0.7 * 5)) <= long.half)
  end)
end)

describe("intervals of heavy-tailed service", function()
  it("hold the truth as often as they say, or are withheld", function()
    local cells = coverage.count_of(coverage.heavy, { { 10000, 8, 60 }, { 100000, 8, 12 },
      { 20000, 1, 60 } }, 40000)
    for _, group in ipairs(coverage.pool(cells, function(cell) return cell.system end)) do
      local words = ("%s: %d of %d intervals hold the truth, of %d runs"):format(group.name,
        group.hits, group.printed, group.runs)
      if shown then print("    " .. words) end
      assert.is_true(group.printed >= 60, words)
      assert.is_false(coverage.refutes(group, 0.93), words)
    end
  end)
end)
