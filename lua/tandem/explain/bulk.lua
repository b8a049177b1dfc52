--- A server that takes as many as wait, up to its largest batch: how long they wait, how large
--- batches are, how busy it is.
--
-- Owns the chain of the queue at ends of batches (Bailey 1954, with times that depend on the size),
-- whose arrivals are as spread as the stream that comes. Called by network.lua.
local bulk = {}

local MOST_TURNS <const> = 400
-- So many products are felt; a chain that takes more is not solved.
local MOST_WORK <const> = 2e6
local MOST_SPREAD <const> = 4
local TAIL <const> = 1e-7

-- Chances of 0, 1, … arrivals of a mean and of a variance as a multiple of it: Poisson, or negative
-- binomial, or binomial. Ends where nothing is left.
local function counts(mean, spread)
  if mean <= 0 then return { [0] = 1 } end
  local chances, sum = {}, 0
  if spread < 0.98 then
    local n = math.max(1, math.floor(mean / math.max(1 - spread, 0.02) + 0.5))
    n = math.max(n, math.ceil(mean + 1e-9))
    local p = mean / n
    if p >= 1 then
      for k = 0, n do chances[k] = k == n and 1 or 0 end
      return chances
    end
    local one = (1 - p) ^ n
    for k = 0, n do
      chances[k] = one
      one = one * (n - k) / (k + 1) * p / (1 - p)
    end
    return chances
  end
  local size = spread > 1.02 and mean / (spread - 1) or math.huge
  local one = size < math.huge and spread ^ -size or math.exp(-mean)
  local k = 0
  repeat
    chances[k], sum = one, sum + one
    local ratio = size < math.huge and (size + k) / (k + 1) * (spread - 1) / spread
      or mean / (k + 1)
    one, k = one * ratio, k + 1
  until k > mean and (1 - sum < TAIL or k > mean + 12 * math.sqrt(mean * spread) + 20)
  return chances
end

---@class tandem.Bulk
---@field rate number        requests a second
---@field wait_s number      until a batch starts
---@field service_s number   mean of a request's own batch
---@field batch number       mean size of batches
---@field group number       of requests: E[B²]/E[B]
---@field total number       E[B]·cv² of the gaps of batches + Var[B]/E[B]
---@field busy number

--- Solves the chain.
---@param rate number   requests a second
---@param spread number  variance of arrivals over their mean
---@param most integer  largest batch
---@param seconds number[]  of a batch of 1, 2, … most
---@param hold_s number  how long the first of a batch waits for others; 0: not at all
---@return tandem.Bulk|nil  nil where it is overloaded
function bulk.solve(rate, spread, most, seconds, hold_s)
  if rate * seconds[most] >= most * 0.995 then return nil end
  spread = math.min(spread, MOST_SPREAD)
  local after, top = {}, most
  for b = 1, most do
    after[b] = counts(rate * seconds[b], spread)
    top = math.max(top, #after[b])
  end
  local busy = rate * seconds[most] / most
  local last = math.floor(top + most + math.min(1500, 12 * most / (1 - busy)))
  -- How many are there when a batch starts, after `n` were left: some come while it is held.
  local function held(n)
    local first = n == 0 and 1 or n
    if first >= most or hold_s <= 0 then return 0, first end
    -- Who is left has waited for a part of the last batch.
    local age = n == 0 and 0 or seconds[math.min(n, most)] / 2
    local wait = math.min(math.max(0, hold_s - age), (most - first) / rate)
    return wait, math.min(most, math.floor(first + rate * wait + 0.5))
  end
  local chance, done, moved = { [0] = 1 }, 0, 1
  for n = 1, last do chance[n] = 0 end
  for _ = 1, MOST_TURNS do
    local new = {}
    moved = 0
    for n = 0, last do new[n] = 0 end
    for n = 0, last do
      local p = chance[n]
      if p > 1e-10 then
        local _, there = held(n)
        local b = math.min(there, most)
        local left, add = there - b, after[b]
        done = done + #add
        for k = 0, #add do
          local to = math.min(last, left + k)
          new[to] = new[to] + p * add[k]
        end
      end
    end
    for n = 0, last do moved = moved + math.abs(new[n] - chance[n]) end
    chance = new
    if moved < 1e-6 or done > MOST_WORK then break end
  end
  if moved > 1e-3 then return nil end
  local area, length, sizes, squares, inside, second, square = 0, 0, 0, 0, 0, 0, 0
  for n = 0, last do
    local p = chance[n]
    if p > 0 then
      local wait, there = held(n)
      local b = math.min(there, most)
      local s, idle = seconds[b], n == 0 and 1 / rate or 0
      area = area + p * ((math.max(n, 1) + rate * wait / 2) * wait + (there - b) * s
        + rate * s * s / 2)
      local cycle = idle + wait + s
      length = length + p * cycle
      square = square + p * (cycle * cycle + idle * idle)
      sizes, squares = sizes + p * b, squares + p * b * b
      inside, second = inside + p * b * s, second + p * s
    end
  end
  local gap = square / length ^ 2 - 1
  return { wait_s = area / length / rate, service_s = inside / sizes, batch = sizes,
    group = squares / sizes, busy = second / length, rate = rate,
    total = sizes * gap + (squares - sizes * sizes) / sizes }
end

return bulk
