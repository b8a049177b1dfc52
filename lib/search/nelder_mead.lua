--- Nelder–Mead: downhill with a simplex, over several ranges at once and without derivatives.
--
-- Moves n + 1 points by reflection, expansion, contraction and shrinking. Sources: J. A. Nelder and
-- R. Mead, "A simplex method for function minimization", Computer Journal 7 (1965), 308–313; rules
-- and coefficients (1, 2, 1/2, 1/2) of J. C. Lagarias, J. A. Reeds, M. H. Wright and P. E. Wright,
-- "Convergence properties of the Nelder–Mead simplex method in low dimensions", SIAM Journal on
-- Optimization 9 (1998), 112–147.
--
-- Safe to use for smooth objectives of two to about eight dimensions with one valley. It finds a
-- local minimum: with several valleys, start it from several points or use search.anneal.
--
-- Bounds: points outside are moved to the nearest one inside, which can flatten the simplex;
-- therefore the search starts anew from its best point, with a simplex half as large, until that
-- gains nothing (at most `restarts` times). Whole numbers: the simplex moves freely and points are
-- rounded; at the end the whole neighbours of the best point are tried, one step in each dimension,
-- until none is better. Choices must be numbers in rising order, and are then stepped through like
-- whole numbers.
--
-- Noise: when the values of the simplex cannot be told apart, twice as many replications are asked
-- for, up to `doublings` times; the search ends when that does not help.
--
-- Options: over       dimensions
--          start      a point; the middle of the space
--          size       of the first simplex as a part of each range; 0.25
--          tolerance  size of the last simplex, likewise; 0.001
--          restarts   2
--          doublings  2
--          ahead      true: asks for all four trial points of a step together; half as many rounds,
--                     more evaluations. For when evaluations run beside each other anyway
-- Details: note       one line, when noise ended the search
local search = require "tandem.search"

local takes = {
  over = { kind = "space", needed = true },
  start = { kind = "table" },
  size = { kind = "number", default = 0.25, above = 0, most = 1 },
  tolerance = { kind = "number", default = 1e-3, above = 0, most = 1 },
  restarts = { kind = "integer", default = 2, least = 0 },
  doublings = { kind = "integer", default = 2, least = 0 },
  ahead = { kind = "boolean", default = false },
}

local REFLECT <const>, EXPAND <const>, CONTRACT <const>, SHRINK <const> = 1, 2, 0.5, 0.5

local function unordered(over)
  for _, dimension in ipairs(over.dimensions) do
    for i, choice in ipairs(dimension.choices or {}) do
      if type(choice) ~= "number" or (i > 1 and choice < dimension.choices[i - 1]) then
        return ("search.nelder_mead: %s has no order to move along; its choices must be rising "
          .. "numbers, and search.anneal takes any"):format(dimension.name)
      end
    end
  end
end

-- a + t (b − a), kept inside the unit cube.
local function along(a, b, t)
  local result = {}
  for i = 1, #a do result[i] = math.max(0, math.min(1, a[i] + t * (b[i] - a[i]))) end
  return result
end

-- Lagarias' order: by value, and the newer of equals after the older.
local function insert(simplex, vertex)
  local position = #simplex + 1
  while position > 1 and vertex.told.value < simplex[position - 1].told.value do
    position = position - 1
  end
  table.insert(simplex, position, vertex)
end

local function diameter(simplex)
  local widest = 0
  for v = 2, #simplex do
    for i, u in ipairs(simplex[v].unit) do
      widest = math.max(widest, math.abs(u - simplex[1].unit[i]))
    end
  end
  return widest
end

return function(given)
  local options, wrong = search.options("search.nelder_mead", given, takes)
  wrong = wrong or unordered(options.over)
  local over = options and options.over
  if not wrong and options.start then
    local problem = over:problem(options.start)
    wrong = problem and "search.nelder_mead: start: " .. problem
  end
  if wrong then error(wrong, 2) end
  local count = #over.dimensions

  return function(ask)
    local best -- over all simplexes

    -- Asks for points of the unit cube together; vertices, or nil when the budget is used up.
    local function vertices(units)
      local points = {}
      for i, unit in ipairs(units) do points[i] = over:point(unit) end
      local told = ask(points)
      if not told then return nil end
      best = search.best(told, best)
      local result = {}
      for i, unit in ipairs(units) do result[i] = { unit = unit, told = told[i] } end
      return result
    end

    local function one(unit)
      local list = vertices { unit }
      return list and list[1]
    end

    -- The first simplex around a point: a step along each dimension, inwards where it must.
    local function around(unit, size)
      local units = { unit }
      for i, dimension in ipairs(over.dimensions) do
        local step = size
        if dimension.kind ~= "range" and dimension.high > dimension.low then
          step = math.max(step, 1 / (dimension.high - dimension.low)) -- at least to the neighbour
        end
        local moved = table.move(unit, 1, count, 1, {})
        moved[i] = unit[i] + step <= 1 and unit[i] + step or math.max(0, unit[i] - step)
        units[#units + 1] = moved
      end
      local list, simplex = vertices(units), {}
      if not list then return nil end
      for _, vertex in ipairs(list) do insert(simplex, vertex) end
      return simplex
    end

    -- Whether the best and the worst vertex can be told apart; nil when the budget ended.
    local function decided(simplex)
      for attempt = 0, options.doublings do
        local first, last = simplex[1].told, simplex[#simplex].told
        if first.value == math.huge or search.apart(first, last) then return true end
        if attempt == options.doublings then return false end
        local list = {}
        for i, vertex in ipairs(simplex) do list[i] = vertex.told end
        local told, grown = search.more(ask, list)
        if not told then return nil end
        if not grown then return false end
        for i, vertex in ipairs(simplex) do
          if vertex.told.point == best.point then best = told[i] end
          vertex.told = told[i]
        end
        best = search.best(told, best)
        table.sort(simplex, function(a, b) return a.told.value < b.told.value end)
      end
    end

    -- One step. True when the simplex moved, nil when the budget ended.
    local function step(simplex)
      local worst = table.remove(simplex)
      local centre = {}
      for i = 1, count do
        local sum = 0
        for _, vertex in ipairs(simplex) do sum = sum + vertex.unit[i] end
        centre[i] = sum / count
      end
      local function trial(t) return along(centre, worst.unit, t) end
      if options.ahead and not vertices { trial(-REFLECT), trial(-EXPAND * REFLECT),
        trial(-CONTRACT * REFLECT), trial(CONTRACT) } then
        return nil
      end

      local reflected = one(trial(-REFLECT))
      if not reflected then return nil end
      local value = reflected.told.value
      local accepted
      if value < simplex[1].told.value then
        local expanded = one(trial(-EXPAND * REFLECT))
        if not expanded then return nil end
        accepted = expanded.told.value < value and expanded or reflected
      elseif value < simplex[#simplex].told.value then
        accepted = reflected
      elseif value < worst.told.value then
        local outside = one(trial(-CONTRACT * REFLECT))
        if not outside then return nil end
        accepted = outside.told.value <= value and outside or nil
      else
        local inside = one(trial(CONTRACT))
        if not inside then return nil end
        accepted = inside.told.value < worst.told.value and inside or nil
      end
      if accepted then
        insert(simplex, accepted)
        return true
      end

      local units = {}
      simplex[#simplex + 1] = worst
      for v = 2, #simplex do units[#units + 1] = along(simplex[1].unit, simplex[v].unit, SHRINK) end
      local list = vertices(units)
      if not list then return nil end
      for v = #simplex, 2, -1 do simplex[v] = nil end
      for _, vertex in ipairs(list) do insert(simplex, vertex) end
      return true
    end

    -- Down from a point until the simplex is small, noise hides the way or the budget ends.
    local function descend(unit, size)
      local simplex = around(unit, size)
      if not simplex then return "budget" end
      while diameter(simplex) > options.tolerance do
        local sure = decided(simplex)
        if sure == nil then return "budget" end
        if not sure then return "noise" end
        if not step(simplex) then return "budget" end
      end
      return "small"
    end

    -- Whole neighbours of the best point, until none is better.
    local function polish()
      while true do
        local units, centre = {}, over:unit(best.point)
        for i, dimension in ipairs(over.dimensions) do
          for _, direction in ipairs { -1, 1 } do
            local number = dimension.kind ~= "range" and dimension.high > dimension.low
              and over:neighbour(best.point, i, direction)
            if number then
              local moved = table.move(centre, 1, count, 1, {})
              moved[i] = over:unit(number)[i]
              units[#units + 1] = moved
            end
          end
        end
        local before = best
        if #units == 0 or not vertices(units) or best == before then return end
      end
    end

    local unit = options.start and over:unit(options.start)
    if not unit then
      unit = {}
      for i = 1, count do unit[i] = 0.5 end
    end
    local size, note = options.size, nil
    for _ = 0, options.restarts do
      local before = best
      local why = descend(unit, size)
      if why == "budget" or not best then return best end
      if why == "noise" then
        note = ("the last %d points differ by less than the noise; more replications would go on")
          :format(count + 1)
        break
      end
      local gain = before and before.value - best.value
      if gain and gain <= 1e-6 * math.abs(best.value) then break end
      unit, size = over:unit(best.point), size / 2
    end
    if not note then polish() end
    return best, { note = note }
  end
end
