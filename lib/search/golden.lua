--- Golden-section search: the lowest value over one range, in few evaluations.
--
-- Narrows a bracket around the lowest point by the golden ratio: each new point shrinks it to 62 %.
-- Source: J. Kiefer, "Sequential minimax search for a maximum", Proc. American Mathematical Society
-- 4 (1953), 502–506.
--
-- Safe to use when the objective falls and then rises over the range (is unimodal; only falling or
-- only rising is fine too): cost per request over a batch size, say. Over whole numbers the answer
-- is then exact. Where a value lies above values on both sides by more than the half-widths, the
-- objective is not unimodal, and the search ends with one line that says so; a second valley
-- between the evaluated points goes unseen, as in every such search.
--
-- Noise: when two values to be compared lie within their half-widths, twice as many replications
-- are asked for, up to `doublings` times. Two comparisons in a row that stay undecided end the
-- search: what is left of the bracket differs by less than the noise.
--
-- Options: over       one dimension, { low, high }, with integer = true or log = true if you like
--          tolerance  width of the last bracket as a part of the range; 0.01
--          doublings  how often replications are doubled to decide a comparison; 2
-- Details: bracket    { low, high }, where the minimum is
--          note       one line, when noise ended the search
local search = require "tandem.search"

-- The smaller part of the golden section.
local SMALL <const> = (3 - math.sqrt(5)) / 2

local takes = {
  over = { kind = "space", needed = true },
  tolerance = { kind = "number", default = 0.01, above = 0, most = 1 },
  doublings = { kind = "integer", default = 2, least = 0 },
}

local function one_range(over)
  local dimension = over.dimensions[1]
  if #over.dimensions > 1 then
    local names = {}
    for i, each in ipairs(over.dimensions) do names[i] = each.name end
    return nil, ("search.golden looks along one dimension, not %s; search.nelder_mead takes "
      .. "several"):format(table.concat(names, ", "))
  elseif dimension.kind == "choice" then
    return nil, ("search.golden wants a range, and %s is a list of choices; search.anneal and "
      .. "search.ocba take those"):format(dimension.name)
  end
  return dimension
end

-- A value above one to its left and one to its right by more than the half-widths, if there is one.
local function bump(known)
  local function beyond(high, low)
    local margin = (high.half or 0) + (low.half or 0)
    return high.value > low.value + margin + 1e-12 * math.abs(low.value)
  end
  local function lower(middle, from, to)
    for i = from, to do
      if beyond(middle.told, known[i].told) then return known[i] end
    end
  end
  for m = 2, #known - 1 do
    local left, right = lower(known[m], 1, m - 1), lower(known[m], m + 1, #known)
    if left and right then return left, known[m], right end
  end
end

local function refuse(name, left, middle, right)
  local function at(probe)
    local value = probe.told.ok and ("%.4g"):format(probe.told.value) or "a failure"
    return value, ("%.6g"):format(probe.told.point[name])
  end
  local lv, lx = at(left)
  local mv, mx = at(middle)
  local rv, rx = at(right)
  error(("search.golden: the objective has more than one valley over %s: %s at %s lies above %s "
    .. "at %s and %s at %s; narrow over, or use search.anneal"):format(name, mv, mx, lv, lx, rv,
    rx), 0)
end

return function(given)
  local options, wrong = search.options("search.golden", given, takes)
  if not options then error(wrong, 2) end
  local dimension, not_one = one_range(options.over)
  if not dimension then error(not_one, 2) end
  local over, name = options.over, dimension.name

  return function(ask)
    local known = {} -- { u, told } by position in the range, each once

    local function probe_at(u)
      local point = over:point { u }
      return { u = over:unit(point)[1], point = point }
    end

    local function add(probes)
      local fresh, points = {}, {}
      for _, probe in ipairs(probes) do
        local seen = false
        for _, other in ipairs(known) do seen = seen or other.u == probe.u end
        for _, other in ipairs(fresh) do seen = seen or other.u == probe.u end
        if not seen then
          fresh[#fresh + 1] = probe
          points[#points + 1] = probe.point
        end
      end
      local told = ask(points)
      if not told then return false end
      for i, probe in ipairs(fresh) do
        probe.told = told[i]
        known[#known + 1] = probe
      end
      table.sort(known, function(a, b) return a.u < b.u end)
      local left, middle, right = bump(known)
      if left then refuse(name, left, middle, right) end
      return true
    end

    local function lowest()
      local best = 1
      for i, probe in ipairs(known) do
        if probe.told.value < known[best].told.value then best = i end
      end
      return best
    end

    -- The next probe: in the wider side of the bracket, away from its middle.
    local function next_probe(at)
      local middle = known[at].u
      local sides = {}
      for _, side in ipairs { -1, 1 } do
        local other = known[at + side]
        if other then sides[#sides + 1] = other.u - middle end
      end
      if sides[2] and math.abs(sides[2]) > math.abs(sides[1]) then
        sides[1], sides[2] = sides[2], sides[1]
      end
      for _, side in ipairs(sides) do
        local probe = probe_at(middle + SMALL * side)
        local seen = false
        for _, other in ipairs(known) do seen = seen or other.u == probe.u end
        if not seen then return probe end
      end
    end

    -- Whether the new probe and the best before it can be told apart, with more replications if
    -- need be; nil when the budget ended.
    local function decided(probe, rival)
      for _ = 1, options.doublings do
        if search.apart(probe.told, rival.told) then return true end
        local told, grown = search.more(ask, { probe.told, rival.told })
        if not told then return nil end
        probe.told, rival.told = told[1], told[2]
        if not grown then break end
      end
      return search.apart(probe.told, rival.told)
    end

    local function finish(note)
      local at = lowest()
      if not known[at] then return nil end
      local low, high = known[math.max(1, at - 1)], known[math.min(#known, at + 1)]
      return known[at].told, { note = note,
        bracket = { low.told.point[name], high.told.point[name] } }
    end

    if not add { probe_at(0), probe_at(SMALL), probe_at(1 - SMALL), probe_at(1) } then
      return finish()
    end
    local undecided = 0
    while true do
      local at = lowest()
      local low, high = known[math.max(1, at - 1)], known[math.min(#known, at + 1)]
      if dimension.kind == "range" and high.u - low.u <= options.tolerance then return finish() end
      local probe, rival = next_probe(at), known[at]
      if not probe or not add { probe } then return finish() end
      local sure = decided(probe, rival)
      if sure == nil then return finish() end
      undecided = sure and 0 or undecided + 1
      if undecided == 2 then
        return finish(("values over %s from %.4g to %.4g differ by less than the noise; more "
          .. "replications would narrow this"):format(name, low.told.point[name],
          high.told.point[name]))
      end
    end
  end
end
