-- How far deployments lie from what constants say of them, from predictions of those left out.
--
-- What is left of a configuration that was left out is a factor on all its times, and a shape, by
-- which one of its points is off beside others. The shape is the smallest with which intervals hold
-- 90 % of a configuration's other points once three were learned from; the factor's spread, of
-- models with experts and without, the smallest with which intervals hold 90 % of configurations
-- left out. A configuration counts once. Owns these choices and the intervals that they make;
-- predictions are leave_out.lua's. Called by run.lua, which writes them, and by
-- tests/accuracy/doubt.lua, which scores them.

local doubt = require "tandem.llm.doubt"

local spreads = {}

local Z90 <const>, WANTED <const> = 1.645, 0.9
local POINTS <const> = 5 -- of a configuration, to learn from three
local STEP <const>, LEAST <const>, MOST <const> = 0.005, 0.04, 0.3
local TRIED <const> = 20 -- configurations of a GPU on which a choice without it is tried

---@class tests.Spreads
---@field dense number
---@field moe number
---@field shape number

--- Does a row's model have experts?
---@param row table
---@return "dense"|"moe"
function spreads.kind(row)
  return (row.point.architecture.experts or 0) > 0 and "moe" or "dense"
end

--- ln(measured / predicted) of the time of a step.
---@param row table
---@param answer table  of leave_out.predict
---@return number
function spreads.far(row, answer)
  local p = row.point
  return p.tpot_s and math.log(p.tpot_s / answer.tpot_s)
    or math.log(answer.throughput / p.throughput)
end

--- Standard deviation of it, as runs print it.
---@param row table
---@param answer table
---@param s tests.Spreads
---@return number
function spreads.deviation(row, answer, s)
  return math.sqrt(s[spreads.kind(row)] ^ 2 + answer.unknown + answer.constants + s.shape ^ 2)
end

-- Effects in the coordinates of the root of the estimate without the row's group, and the factor.
local function effects_of(row, answer, s)
  local out = {}
  for i, vector in ipairs(answer.root) do
    local sum = 0
    for j, x in ipairs(vector) do sum = sum + x * row.J[j] end
    out[i] = sum
  end
  out[#out + 1] = math.sqrt(s[spreads.kind(row)] ^ 2 + answer.unknown)
  return out
end

--- Numbers of the rows of each configuration, the fewest clients first.
---@param rows table[]
---@return integer[][]
function spreads.configurations(rows)
  local groups, order = {}, {}
  for i, row in ipairs(rows) do
    local g = groups[row.configuration]
    if not g then
      g = {}
      groups[row.configuration], order[#order + 1] = g, g
    end
    g[#g + 1] = i
  end
  for _, g in ipairs(order) do
    table.sort(g, function(a, b)
      local x, y = rows[a].point.concurrency or 0, rows[b].point.concurrency or 0
      if x ~= y then return x < y end
      return a < b
    end)
  end
  return order
end

--- What the other points of a configuration are expected to be after three were learned from: the
--- fewest clients, the most, and one between. Nil of those with few points.
---@param rows table[]
---@param answers table[]
---@param group integer[]
---@param s tests.Spreads
---@return table<integer, { mean: number, deviation: number }>|nil  by number of the row
function spreads.learned(rows, answers, group, s)
  if #group < POINTS then return nil end
  local measured, out = {}, {}
  for _, i in ipairs(group) do out[i] = true end
  for _, at in ipairs { 1, (#group + 1) // 2, #group } do
    local i = group[at]
    out[i] = nil
    measured[#measured + 1] = { effects = effects_of(rows[i], answers[i], s),
      left = spreads.far(rows[i], answers[i]) }
  end
  local knows = doubt.learn(measured, s.shape)
  for i in pairs(out) do
    local mean, deviation = doubt.expect(knows, effects_of(rows[i], answers[i], s), s.shape)
    out[i] = { mean = mean, deviation = deviation }
  end
  return out
end

-- Shares of configurations that intervals hold: of a kind when left out, of all after three points.
local function held(rows, answers, groups, s, kind)
  local sum, count = 0, 0
  for _, group in ipairs(groups) do
    local inside, all = 0, 0
    local after = not kind and spreads.learned(rows, answers, group, s)
    for _, i in ipairs(group) do
      local known = after and after[i]
      local off = known and spreads.far(rows[i], answers[i]) - known.mean
        or kind == spreads.kind(rows[i]) and spreads.far(rows[i], answers[i])
      if off then
        local deviation = known and known.deviation
          or spreads.deviation(rows[i], answers[i], s)
        inside, all = inside + (math.abs(off) <= Z90 * deviation and 1 or 0), all + 1
      end
    end
    if all > 0 then sum, count = sum + inside / all, count + 1 end
  end
  return sum / math.max(1, count)
end

local function smallest(ok)
  for value = LEAST, MOST, STEP do
    if ok(value) then return value end
  end
  return MOST
end

--- The smallest spreads with which intervals hold.
---@param rows table[]
---@param answers table[]   each from the rows that are not of its configuration
---@param groups integer[][]
---@return tests.Spreads
function spreads.choose(rows, answers, groups)
  -- What three points leave of the factor hardly hangs on how far it might have been off.
  local s = { dense = 0.1, moe = 0.1, shape = 0 }
  s.shape = smallest(function(value)
    s.shape = value
    return held(rows, answers, groups, s) >= WANTED
  end)
  for _, kind in ipairs { "dense", "moe" } do
    s[kind] = smallest(function(value)
      s[kind] = value
      return held(rows, answers, groups, s, kind) >= WANTED
    end)
  end
  return s
end

--- Chosen without each GPU and tried on it: the share of configurations that intervals hold.
---@param rows table[]
---@param answers table[]
---@return number left_out, number three  after three points
function spreads.nested(rows, answers)
  local by_gpu, sums = {}, { 0, 0, 0, 0 }
  for _, group in ipairs(spreads.configurations(rows)) do
    local gpu = rows[group[1]].gpu
    by_gpu[gpu] = by_gpu[gpu] or {}
    table.insert(by_gpu[gpu], group)
  end
  for gpu, own in pairs(by_gpu) do
    if #own >= TRIED then
      local others = {}
      for _, group in ipairs(spreads.configurations(rows)) do
        if rows[group[1]].gpu ~= gpu then others[#others + 1] = group end
      end
      local s = spreads.choose(rows, answers, others)
      for _, kind in ipairs { "dense", "moe" } do
        local count = 0
        for _, group in ipairs(own) do
          count = count + (spreads.kind(rows[group[1]]) == kind and 1 or 0)
        end
        sums[1], sums[2] = sums[1] + held(rows, answers, own, s, kind) * count, sums[2] + count
      end
      sums[3], sums[4] = sums[3] + held(rows, answers, own, s) * #own, sums[4] + #own
    end
  end
  return sums[1] / sums[2], sums[3] / sums[4]
end

return spreads
