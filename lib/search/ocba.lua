--- OCBA: which of a few noisy alternatives is best, with replications spent where they decide.
--
-- Every alternative gets `n0` replications; then each round gives new ones by the ratios that
-- raise the probability of a correct selection fastest: many to the close rivals and the noisy,
-- few to what is plainly worse. Source: C.-H. Chen, J. Lin, E. Yücesan and S. E. Chick, "Simulation
-- budget allocation for further enhancing the efficiency of ordinal optimization", Discrete Event
-- Dynamic Systems 10 (2000), 251–270.
--
-- Safe to use for up to some hundred alternatives of any kind, whose replications are about normal
-- (means over many requests are). The probability is the paper's approximation: a lower bound by
-- Bonferroni with estimated deviations, so it is rough while replications are few. It takes
-- alternatives as independent; with common random numbers it therefore errs to the safe side.
--
-- The evaluator must tell `sd`, the standard deviation of one replication's value.
--
-- Options: over         a finite space: choices and whole numbers; every combination is one
--          points       or the alternatives themselves, a list of points
--          n0           first replications of each, 10
--          budget       replications of all together; 50 for each alternative
--          round        how many a round gives out; one for each alternative
--          confidence   end when the probability reaches this, 0.95; with 1, at the budget
--          indifference differences smaller than this do not matter, in units of the objective; 0
-- Details: probability  approximately, that the best is the best (or within `indifference` of it)
--          ranking      all alternatives, best first, failed ones last
--          replications spent
local search = require "tandem.search"

local takes = {
  over = { kind = "space" },
  points = { kind = "table" },
  n0 = { kind = "integer", default = 10, least = 2 },
  budget = { kind = "integer", least = 2 },
  round = { kind = "integer", least = 1 },
  confidence = { kind = "number", default = 0.95, above = 0, most = 1 },
  indifference = { kind = "number", default = 0, least = 0 },
}

local MOST_ALTERNATIVES <const> = 1000

--- Probability that a standard normal is above x. Chebyshev fit to erfc, error below 1.2e-7 of the
--- value (Press et al., Numerical Recipes, section 6.2).
local COEFFICIENTS <const> = { 0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807,
  -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223 }
local function tail(x)
  local z = math.abs(x) / math.sqrt(2)
  local t, sum = 1 / (1 + z / 2), 0
  for _, c in ipairs(COEFFICIENTS) do sum = sum * t + c end
  local p = t * math.exp(-z * z + sum) / 2
  return x >= 0 and p or 1 - p
end

local function alternatives_of(options)
  local over, points = options.over, options.points
  if (over == nil) == (points == nil) then
    return nil, "search.ocba wants either over = { kind = { … } } or points = { { … }, … }"
  end
  if over then
    local size = over:size()
    if not size then
      for _, dimension in ipairs(over.dimensions) do
        if dimension.kind == "range" then
          return nil, ("search.ocba wants a finite list: give %s integer = true or choices"):format(
            dimension.name)
        end
      end
    elseif size > MOST_ALTERNATIVES then
      return nil, ("search.ocba: over has %d combinations, more than %d; search.anneal samples "
        .. "large spaces"):format(size, MOST_ALTERNATIVES)
    end
    points = over:points()
  end
  for i, point in ipairs(points) do
    if type(point) ~= "table" or next(point) == nil then
      return nil, ("search.ocba: points[%d] wants named coordinates, such as { kind = \"H100\" }")
        :format(i)
    end
  end
  if #points < 2 then
    return nil, ("search.ocba wants at least 2 alternatives, not %d"):format(#points)
  end
  return points
end

-- The positions of all that did not fail, the best of them, and how far each lies behind it.
local function compare(told, indifference)
  local live, best = {}, nil
  for i, e in ipairs(told) do
    if e.ok then
      if not e.sd then
        error(("search.ocba needs sd, the standard deviation of one replication, and the answer "
          .. "for %s has none"):format(search.space.show(e.point)), 0)
      end
      live[#live + 1] = i
      if not best or e.value < told[best].value then best = i end
    end
  end
  local behind = {}
  for _, i in ipairs(live) do
    behind[i] = math.max(told[i].value - told[best].value, indifference)
  end
  return live, best, behind
end

-- Bonferroni: 1 − Σ P(the alternative's mean is below the best's).
local function correct(told, live, best, behind)
  local wrong = 0
  for _, i in ipairs(live) do
    if i ~= best then
      local spread = math.sqrt(told[i].sd ^ 2 / told[i].n + told[best].sd ^ 2 / told[best].n)
      -- Without spread the order is known, and equals are equally right.
      wrong = wrong + (spread > 0 and tail(behind[i] / spread) or 0)
    end
  end
  return math.max(0, 1 - wrong)
end

-- Shares of the replications, by the paper's ratios: (sd / behind)² for the rivals, and for the
-- best sd · √Σ (share / sd)².
local function shares(told, live, best, behind)
  local widest, largest = 0, 0
  for _, i in ipairs(live) do
    widest, largest = math.max(widest, behind[i]), math.max(largest, told[i].sd)
  end
  -- Ties and constants would divide by zero.
  local least_sd, least_behind = 1e-6 * largest, math.max(1e-3 * widest, 1e-3 * largest)
  local share, sum, squares = {}, 0, 0
  for _, i in ipairs(live) do
    if i ~= best then
      local sd = math.max(told[i].sd, least_sd)
      share[i] = (sd / math.max(behind[i], least_behind)) ^ 2
      sum, squares = sum + share[i], squares + (share[i] / sd) ^ 2
    end
  end
  share[best] = math.max(told[best].sd, least_sd) * math.sqrt(squares)
  sum = sum + share[best]
  for _, i in ipairs(live) do share[i] = share[i] / sum end
  return share
end

-- How many of `count` new replications each gets: what it lacks to its share of all, whole
-- numbers by largest remainder.
local function allot(told, live, share, count)
  local total = count
  for _, i in ipairs(live) do total = total + told[i].n end
  local lack, lacking = {}, 0
  for _, i in ipairs(live) do
    lack[i] = math.max(0, share[i] * total - told[i].n)
    lacking = lacking + lack[i]
  end
  local given, rest = {}, count
  local order = table.move(live, 1, #live, 1, {})
  for _, i in ipairs(live) do
    lack[i] = lack[i] / lacking * count
    given[i] = math.floor(lack[i])
    rest = rest - given[i]
  end
  table.sort(order, function(a, b)
    local ra, rb = lack[a] - given[a], lack[b] - given[b]
    if ra ~= rb then return ra > rb end
    return a < b
  end)
  for k = 1, rest do
    local i = order[(k - 1) % #order + 1]
    given[i] = given[i] + 1
  end
  return given
end

local function ranking_of(told)
  local order, ranking = {}, {}
  for i = 1, #told do order[i] = i end
  table.sort(order, function(a, b)
    if told[a].value ~= told[b].value then return told[a].value < told[b].value end
    return a < b
  end)
  for k, i in ipairs(order) do ranking[k] = told[i] end
  return ranking
end

return function(given)
  local options, wrong = search.options("search.ocba", given, takes)
  local points
  if options then points, wrong = alternatives_of(options) end
  if not points then error(wrong, 2) end
  local count = #points
  local budget = options.budget or 50 * count
  if budget < options.n0 * count then
    error(("search.ocba: budget = %d is less than n0 = %d for each of %d alternatives, %d"):format(
      budget, options.n0, count, options.n0 * count), 2)
  end

  return function(ask)
    local told = ask(points, { replications = options.n0 })
    if not told then return nil end
    while true do
      local live, best, behind = compare(told, options.indifference)
      local spent = 0
      for _, e in ipairs(told) do spent = spent + (e.ok and e.n or 0) end
      local probability = best and correct(told, live, best, behind) or 0
      local function finish()
        return best and told[best], { probability = probability, replications = spent,
          ranking = ranking_of(told) }
      end
      local round = math.min(options.round or count, budget - spent)
      if #live < 2 or round < 1 or probability >= options.confidence then return finish() end

      local more = allot(told, live, shares(told, live, best, behind), round)
      local asked, counts, chosen = {}, {}, {}
      for _, i in ipairs(live) do
        if more[i] > 0 then
          asked[#asked + 1], counts[#counts + 1] = points[i], more[i]
          chosen[#chosen + 1] = i
        end
      end
      local answers = ask(asked, { replications = counts })
      if not answers then return finish() end
      local grown = false
      for k, i in ipairs(chosen) do
        grown = grown or answers[k].n > told[i].n
        told[i] = answers[k]
      end
      if not grown then return finish() end -- the evaluator has no more to give
    end
  end
end
