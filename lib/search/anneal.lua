--- Simulated annealing: over any space, choices and several valleys included.
--
-- Walkers step at random; a worse point is taken with probability exp(−difference / temperature),
-- and the temperature falls. Source: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization
-- by simulated annealing", Science 220 (1983), 671–680. Geometric cooling, as there; the first
-- temperature is the mean difference of the first points, so that about 37 % of such climbs pass.
--
-- Safe to use nearly everywhere, and costly: for mixed choices and ranges, and where other methods
-- stop in a side valley. It proves nothing: the answer is the best point it came by. For few
-- alternatives search.ocba is better, and tells how sure it is.
--
-- All walkers step at once, so that `walkers` evaluations run beside each other. Random numbers
-- come from `seed` alone: the same seed gives the same search. Without `steps` it divides the
-- driver's budget among the walkers.
--
-- Noise: the lowest of many noisy values looks better than it is. When values have half-widths,
-- the `finalists` best points get twice as many replications at the end, and the best of these is
-- the answer.
--
-- Options: over       dimensions
--          seed       1
--          start      a point, where the first walker begins; the others begin at the best of a
--                     few random points
--          steps      of each walker; from the budget, and 100 where there is none
--          walkers    4
--          hot, cold  first and last temperature, in units of the objective; from the first values
--                     and a thousandth of that
--          finalists  4
-- Details: hot, cold  as used
--          accepted   steps taken, as a part of all
local search = require "tandem.search"

local takes = {
  over = { kind = "space", needed = true },
  seed = { kind = "integer", default = 1 },
  start = { kind = "table" },
  steps = { kind = "integer", least = 1 },
  walkers = { kind = "integer", default = 4, least = 1 },
  hot = { kind = "number", above = 0 },
  cold = { kind = "number", above = 0 },
  finalists = { kind = "integer", default = 4, least = 0 },
}

-- Points tried before the first step, to know how much values differ.
local FIRST_POINTS <const> = 8
-- Mean length of a step, as a part of a range, in the heat and in the cold.
local LONG <const>, SHORT <const> = 0.3, 0.01
-- Steps of each walker when neither `steps` nor a budget says.
local STEPS <const>, NO_BUDGET <const> = 100, 1e6

--- A point anywhere, every choice and whole number equally likely.
local function anywhere(over, random)
  local unit = {}
  for i, dimension in ipairs(over.dimensions) do
    if dimension.kind == "range" or dimension.log then
      unit[i] = random:uniform()
    else
      local count = dimension.high - dimension.low
      unit[i] = count > 0 and (random:integer(math.floor(count) + 1) - 1) / count or 0
    end
  end
  return over:point(unit)
end

-- A number inside 0…1, from beyond by reflection.
local function reflect(u)
  u = u % 2
  return u > 1 and 2 - u or u
end

-- Moves one coordinate of a unit vector, so that it does change where it can.
local function shift(dimension, u, length, random)
  local count = dimension.high - dimension.low
  if dimension.kind == "choice" then
    if count == 0 then return u end
    local index = math.floor(u * count + 0.5)
    return ((index + random:integer(count)) % (count + 1)) / count
  end
  local move = length * random:normal()
  if dimension.kind == "integer" and math.abs(move) * count < 1 and not dimension.log then
    move = (move < 0 and -1 or 1) / count
  end
  return reflect(u + move)
end

-- A neighbour of a point: one dimension changed, others sometimes too.
local function neighbour(over, point, length, random)
  local unit, count = over:unit(point), #over.dimensions
  local chosen = random:integer(count)
  for i, dimension in ipairs(over.dimensions) do
    if i == chosen or random:uniform() < 0.25 then
      unit[i] = shift(dimension, unit[i], length, random)
    end
  end
  return over:point(unit)
end

local function mean_difference(told)
  local sum, count = 0, 0
  for i = 1, #told do
    for j = i + 1, #told do
      if told[i].ok and told[j].ok then
        sum, count = sum + math.abs(told[i].value - told[j].value), count + 1
      end
    end
  end
  return count > 0 and sum / count or 0
end

local function check(given)
  local options, wrong = search.options("search.anneal", given, takes)
  if not options then return nil, wrong end
  local problem = options.start and options.over:problem(options.start)
  if problem then return nil, "search.anneal: start: " .. problem end
  if options.hot and options.cold and options.cold > options.hot then
    return nil, ("search.anneal: cold = %s is above hot = %s; temperatures fall"):format(
      options.cold, options.hot)
  end
  return options
end

-- The best points once more, each with twice its replications; the best of these.
local function final(ask, seen, finalists)
  local list = {}
  for _, e in ipairs(seen) do
    if #list < finalists and e.ok then list[#list + 1] = e end
  end
  local noisy = list[1] and list[1].half
  return search.best(noisy and search.more(ask, list) or seen)
end

return function(given)
  local options, wrong = check(given)
  if not options then error(wrong, 2) end
  local over, walkers = options.over, options.walkers

  return function(ask, left)
    local random = search.random.new(options.seed)
    local seen, ordinal = {}, {} -- every evaluation once, and its point in that list
    local function evaluate(points)
      local told = ask(points)
      for _, e in ipairs(told or {}) do
        if not ordinal[e] then
          seen[#seen + 1] = e
          ordinal[e] = #seen
        end
      end
      return told
    end

    local first = {}
    for i = 1, math.max(walkers, math.min(FIRST_POINTS, left())) do
      first[i] = i == 1 and options.start or anywhere(over, random)
    end
    local told = evaluate(first)
    if not told then return nil end

    local hot = options.hot or mean_difference(told)
    if hot <= 0 then hot = options.cold or 1e-12 end
    local cold = math.min(hot, options.cold or hot * 1e-3)
    local starts = table.move(told, 1, #told, 1, {}) -- the walkers stand at the first of these
    table.sort(starts, function(a, b)
      local sa, sb = options.start and a == told[1], options.start and b == told[1]
      if sa ~= sb then return sa == true end
      if a.value ~= b.value then return a.value < b.value end
      return ordinal[a] < ordinal[b]
    end)

    local steps = options.steps
    if not steps then
      local reserve = told[1].half and options.finalists or 0
      steps = left() < NO_BUDGET and math.max(1, (left() - reserve) // walkers) or STEPS
    end
    local taken, tried = 0, 0
    for step = 1, steps do
      local progress = steps > 1 and (step - 1) / (steps - 1) or 1
      local temperature = hot * (cold / hot) ^ progress
      local length = LONG * (SHORT / LONG) ^ progress
      local points = {}
      for w = 1, walkers do points[w] = neighbour(over, starts[w].point, length, random) end
      local answers = evaluate(points)
      if not answers then return search.best(seen) end
      for w, answer in ipairs(answers) do
        local climb = answer.value - starts[w].value
        local luck = random:uniform() -- drawn always, so that one walker's luck is its own
        tried = tried + 1
        if answer.ok and (climb <= 0 or luck < math.exp(-climb / temperature)) then
          starts[w] = answer
          taken = taken + 1
        end
      end
    end
    table.sort(seen, function(a, b)
      if a.value ~= b.value then return a.value < b.value end
      return ordinal[a] < ordinal[b]
    end)
    return final(ask, seen, options.finalists), { hot = hot, cold = cold, accepted = taken / tried }
  end
end
