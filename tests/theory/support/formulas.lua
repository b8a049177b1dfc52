--- Exact answers of queueing theory, computed here and nowhere else in the project.
local formulas = {}

--- Erlang B by its recursion: the share lost by c servers offered load a.
---@param c integer
---@param a number
---@return number
function formulas.erlang_b(c, a)
  local b = 1
  for k = 1, c do b = a * b / (k + a * b) end
  return b
end

--- Erlang C: the share that waits in M/M/c.
---@param c integer
---@param a number
---@return number
function formulas.erlang_c(c, a)
  local b, rho = formulas.erlang_b(c, a), a / c
  return b / (1 - rho + rho * b)
end

--- Mean wait of M/M/c.
function formulas.mmc_wait(lambda, mu, c)
  return formulas.erlang_c(c, lambda / mu) / (c * mu - lambda)
end

--- P(T > t) of M/M/c FIFO, c mu - lambda ~= mu.
function formulas.mmc_tail(lambda, mu, c, t)
  local wait, theta = formulas.erlang_c(c, lambda / mu), c * mu - lambda
  return (1 - wait) * math.exp(-mu * t)
    + wait * (theta * math.exp(-mu * t) - mu * math.exp(-theta * t)) / (theta - mu)
end

--- Stationary law of a birth-death chain on 0 … last.
---@param last integer
---@param birth fun(n: integer): number
---@param death fun(n: integer): number
---@return table<integer, number> p from index 0
function formulas.birth_death(last, birth, death)
  local p, sum = { [0] = 1 }, 1
  for n = 1, last do
    p[n] = p[n - 1] * birth(n - 1) / death(n)
    sum = sum + p[n]
  end
  for n = 0, last do p[n] = p[n] / sum end
  return p
end

--- Mean of a law on 0 … last, of f(n) when given.
---@param p table<integer, number>
---@param f? fun(n: integer): number
---@return number
function formulas.mean(p, f)
  local sum = 0
  for n = 0, #p do sum = sum + p[n] * (f and f(n) or n) end
  return sum
end

--- Poisson probabilities 0 … last.
---@return table<integer, number>
function formulas.poisson(mean, last)
  local p = { [0] = math.exp(-mean) }
  for n = 1, last do p[n] = p[n - 1] * mean / n end
  return p
end

--- The law that a chain on 0 … last settles to, from rows of transition probabilities.
---@param rows table<integer, table<integer, number>> rows[i][j]; states missing in a row: 0
---@param last integer
---@return table<integer, number>
function formulas.stationary(rows, last)
  -- State reduction (Grassmann, Taksar & Heyman 1985): sums of positive terms only.
  local p = {}
  for i = 0, last do
    p[i] = {}
    for j = 0, last do p[i][j] = rows[i][j] or 0 end
  end
  for n = last, 1, -1 do
    local out, row = 0, p[n]
    for j = 0, n - 1 do out = out + row[j] end
    for i = 0, n - 1 do
      local into = p[i][n] / out
      p[i][n] = into
      if into > 0 then
        local target = p[i]
        for j = 0, n - 1 do target[j] = target[j] + into * row[j] end
      end
    end
  end
  local law, sum = { [0] = 1 }, 1
  for n = 1, last do
    local value = 0
    for i = 0, n - 1 do value = value + law[i] * p[i][n] end
    law[n] = value
    sum = sum + value
  end
  for n = 0, last do law[n] = law[n] / sum end
  return law
end

--- From the number waiting at the end of each batch: mean time in the system and batch size of a
--- server that takes all who wait, up to most, for s(b) seconds, at once.
---@param lambda number
---@param s fun(b: integer): number
---@param most integer
---@param last integer  where the chain is cut off
---@return number latency
---@return number size
function formulas.batch_server(lambda, s, most, last)
  local rows = {}
  for l = 0, last do
    local queue = math.max(l, 1)
    local b = math.min(queue, most)
    local arrivals = formulas.poisson(lambda * s(b), last)
    rows[l] = {}
    local rest = 1
    for k = 0, last - (queue - b) do
      rows[l][queue - b + k] = arrivals[k]
      rest = rest - arrivals[k]
    end
    rows[l][last] = (rows[l][last] or 0) + math.max(rest, 0)
  end
  local law = formulas.stationary(rows, last)
  local waited, time, size = 0, 0, 0
  for l = 0, last do
    local queue = math.max(l, 1)
    local b = math.min(queue, most)
    waited = waited + law[l] * (queue * s(b) + lambda * s(b) ^ 2 / 2)
    time = time + law[l] * (s(b) + (l == 0 and 1 / lambda or 0))
    size = size + law[l] * b
  end
  return waited / time / lambda, size
end

--- A server that goes on in steps of s seconds with up to c requests, each done after a step with
--- probability p. Steps follow each other while anybody is there; who finds it empty starts one.
--- The chain at the begin of steps, and what passes between them.
---@param lambda number
---@param s number
---@param p number
---@param c integer
---@param last integer  requests inside, beyond which nothing is counted
---@return { latency: number, wait: number, batch: number }
function formulas.steps_server(lambda, s, p, c, last)
  local come, rows = formulas.poisson(lambda * s, last), {}
  for n = 0, last do
    -- Who finds it empty begins the next step, alone.
    local inside = math.max(n, 1)
    local busy, row = math.min(inside, c), {}
    local leave = (1 - p) ^ busy
    for gone = 0, busy do
      local left = inside - gone
      for k = 0, last - left do row[left + k] = (row[left + k] or 0) + leave * come[k] end
      leave = leave * (busy - gone) / (gone + 1) * p / (1 - p)
    end
    rows[n] = row
  end
  local law = formulas.stationary(rows, last)
  local new = lambda * s * s / 2
  local inside, waiting, batch = new, new, 0
  for n = 0, last do
    local here = math.max(n, 1)
    inside = inside + law[n] * here * s
    waiting = waiting + law[n] * math.max(0, here - c) * s
    batch = batch + law[n] * math.min(here, c)
  end
  local time = s + law[0] / lambda
  return { latency = inside / time / lambda, wait = waiting / time / lambda, batch = batch }
end

--- M/D/c (Franx 2001): P(W <= x) by its stable sum. Returns a function of x.
---@param lambda number
---@param d number
---@param c integer
---@param last integer
---@return fun(x: number): number
function formulas.mdc(lambda, d, c, last)
  local arrivals, rows = formulas.poisson(lambda * d, last + c), {}
  for i = 0, last do
    rows[i] = {}
    local left, rest = math.max(i - c, 0), 1
    for k = 0, last - left do
      rows[i][left + k] = arrivals[k]
      rest = rest - arrivals[k]
    end
    rows[i][last] = rows[i][last] + math.max(rest, 0)
  end
  local p = formulas.stationary(rows, last)
  local q = {}
  local sum = 0
  for i = 0, c do sum = sum + p[i] end
  q[0] = sum
  for i = 1, last - c do
    sum = sum + p[c + i]
    q[i] = sum -- cumulative
  end
  return function(x)
    local k = math.floor(x / d) + 1
    local y = lambda * (k * d - x)
    local term, total = math.exp(-y), 0
    for j = 0, k * c - 1 do
      total = total + (q[k * c - j - 1] or 1) * term
      term = term * y / (j + 1)
    end
    return total
  end
end

--- Mean wait of customer n of M/M/1 that starts empty (Spitzer).
---@param lambda number
---@param mu number
---@param n integer
---@return number
function formulas.transient_wait(lambda, mu, n)
  local p = lambda / (lambda + mu)
  local q, wait = 1 - p, 0
  for k = 1, n - 1 do
    local expected, weight = 0, p ^ k
    for j = 0, k - 1 do
      expected = expected + weight * (k - j) / mu
      weight = weight * q * (k + j) / (j + 1)
    end
    wait = wait + expected / k
  end
  return wait
end

return formulas
