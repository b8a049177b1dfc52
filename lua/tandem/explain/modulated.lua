--- What a rate that switches adds to the mean wait of a station.
--
-- Owns the queue with one exponential server in a random environment, solved as a quasi-birth-death
-- process by Neuts' rate matrix (Matrix-Geometric Solutions, 1981). Called by network.lua; what a
-- station waits for at a rate that does not switch is queueing.lua's.
local modulated = {}

local MOST_TURNS <const> = 60

local function product(a, b)
  local n, c = #a, {}
  for i = 1, n do
    c[i] = {}
    for j = 1, n do
      local sum = 0
      for k = 1, n do sum = sum + a[i][k] * b[k][j] end
      c[i][j] = sum
    end
  end
  return c
end

-- x with x·a = b, by elimination with pivots; `a` is spent.
local function solve_left(a, b)
  local n, m = #b, {}
  for i = 1, n do
    m[i] = { [n + 1] = b[i] }
    for j = 1, n do m[i][j] = a[j][i] end
  end
  for column = 1, n do
    local best = column
    for row = column + 1, n do
      if math.abs(m[row][column]) > math.abs(m[best][column]) then best = row end
    end
    m[column], m[best] = m[best], m[column]
    for row = column + 1, n do
      local factor = m[row][column] / m[column][column]
      for k = column, n + 1 do m[row][k] = m[row][k] - factor * m[column][k] end
    end
  end
  local x = {}
  for row = n, 1, -1 do
    local sum = m[row][n + 1]
    for k = row + 1, n do sum = sum - m[row][k] * x[k] end
    x[row] = sum / m[row][row]
  end
  return x
end

local function inverse(a)
  local n, out = #a, {}
  for i = 1, n do
    local unit, copy = {}, {}
    for j = 1, n do unit[j], copy[j] = i == j and 1 or 0, table.move(a[j], 1, n, 1, {}) end
    out[i] = solve_left(copy, unit)
  end
  return out
end

local function each_pair(n, of)
  local out = {}
  for i = 1, n do
    out[i] = {}
    for j = 1, n do out[i][j] = of(i, j) end
  end
  return out
end

-- The rate matrix by logarithmic reduction (Latouche and Ramaswami 1993).
local function rate_matrix(rates, moves, serve)
  local n = #rates
  local stay = each_pair(n, function(i, j)
    return -moves[i][j] + (i == j and rates[i] + serve or 0)
  end)
  local first = inverse(stay)
  local up = each_pair(n, function(i, j) return first[i][j] * rates[j] end)
  local down = each_pair(n, function(i, j) return first[i][j] * serve end)
  local g, t = down, up
  for _ = 1, MOST_TURNS do
    local ud, du = product(up, down), product(down, up)
    local rest = inverse(each_pair(n, function(i, j)
      return (i == j and 1 or 0) - ud[i][j] - du[i][j]
    end))
    up, down = product(rest, product(up, up)), product(rest, product(down, down))
    local more, left = product(t, down), 0
    g = each_pair(n, function(i, j) return g[i][j] + more[i][j] end)
    t = product(t, up)
    for i = 1, n do
      local sum = 0
      for j = 1, n do sum = sum + g[i][j] end
      left = math.max(left, math.abs(1 - sum))
    end
    if left < 1e-11 then break end
  end
  local last = inverse(each_pair(n, function(i, j) return stay[i][j] - rates[i] * g[i][j] end))
  return each_pair(n, function(i, j) return rates[i] * last[i][j] end)
end

--- Mean wait of one exponential server whose arrivals switch between rates in turn; nil where it
--- cannot be had.
---@param rates number[]  arrivals a second in each state
---@param stays number[]  mean seconds in each state
---@param mean number     seconds of a service
---@return number|nil
function modulated.wait(rates, stays, mean)
  local n, moves, total, length = #rates, {}, 0, 0
  for i = 1, n do
    moves[i] = {}
    for j = 1, n do moves[i][j] = 0 end
    moves[i][i] = -1 / stays[i]
    moves[i][i % n + 1] = moves[i][i % n + 1] + 1 / stays[i]
    total, length = total + rates[i] * stays[i], length + stays[i]
  end
  local rate = total / length
  if rate * mean >= 1 or n > 8 then return nil end
  local r = rate_matrix(rates, moves, 1 / mean)
  -- Level 0: x·(Q - Λ + R·μ) = 0 and x·(I - R)⁻¹·1 = 1.
  local level, rest = {}, {}
  for i = 1, n do
    level[i], rest[i] = {}, {}
    for j = 1, n do
      level[i][j] = moves[i][j] + r[i][j] / mean - (i == j and rates[i] or 0)
      rest[i][j] = (i == j and 1 or 0) - r[i][j]
    end
  end
  -- The last equation is replaced by one that fixes the scale.
  local right = {}
  for i = 1, n do level[i][n], right[i] = 1, i == n and 1 or 0 end
  local x = solve_left(level, right)
  local function over(v)
    local copy = {}
    for i = 1, n do copy[i] = table.move(rest[i], 1, n, 1, {}) end
    return solve_left(copy, v)
  end
  local once = over(x)
  local twice, all, inside = over(once), 0, 0
  for i = 1, n do all, inside = all + once[i], inside + twice[i] - once[i] end
  local wait = inside / all / rate - mean
  return wait == wait and wait >= 0 and wait < math.huge and wait or nil
end

return modulated
