--- Two counts together: the cheapest pair, such as GPUs and CPU workers, that meets the limits.
--
-- More of either is never worse, so what meets the limits is bounded by a staircase, and what costs
-- least is one of its corners. A search goes down to a corner, then asks the dearest pairs that are
-- still cheaper: each that does not meet the limits speaks for all pairs with no more of either,
-- each that does leads down to a cheaper corner. The answer stands when no cheaper pair is left.
--
-- Pairs share their luck, and with the same luck more of either waits no longer. So what may be
-- wrong with the pairs along a line is what may be wrong with one of them: the error is divided
-- among lines, not pairs (plan/verdict).
--
-- Owns the order of the pairs, and what one says of others. A pair is tested as a count in the
-- space of its row (plan/space), so whatever is said of counts is said of pairs. Called by
-- plan/gpus; words are pair_words.lua's.
local bill = require "tandem.scenario.bill"
local find = require "tandem.plan.find"
local prices = require "tandem.scenario.prices"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"

local pair = {}

-- Of the second, unless max says so: what is stable twice over, and no fewer than that.
local LEAST_RANGE <const>, ROOM <const>, MOST <const> = 64, 2, 4096

---@class tandem.PlanPair       of a row
---@field with integer         how many of the second
---@field tested table[]       { count, with, trial } of each pair that was simulated
---@field undecided table[]    { count, with, trial, cost } of those cheaper than the answer
---@field corners { count: integer, with: integer, cost: number }[]  others that meet the limits
---@field costs boolean        anything of it costs something
---@field fewer table|nil      why not one fewer of the first
---@field fewer_with table|nil … and of the second
---@field odd { smaller: table, larger: table }|nil  a pair that meets, one with more that does not

---@class tandem.PlanPlane
---@field counts integer[]     of the first, in order; a cell is (position in it, number of second)
---@field least integer        the fewest of the second that can be stable
---@field most integer
local Plane = {}
Plane.__index = Plane

--- The space of counts of the first, with so many of the second.
---@param with integer
---@return tandem.PlanSpace
function Plane:row(with)
  local one = self.rows[with]
  if not one then
    local kind = { name = self.kind.name,
      set = space_of.merge(self.kind.set, { [self.q.pair.count] = with }) }
    one = space_of.counts(self.q, kind, self.load, self.high)
    one.load_factor, one.trials = self.load.factor, {}
    self.rows[with] = one
  end
  return one
end

-- Dollars (or whatever is to be least) of a pair. Prices of two things that are not bought together
-- add up.
local function cost_of(self)
  local q, kind, load = self.q, self.kind, self.load
  local function at(count, with)
    local set = space_of.merge(kind.set, load.set, { [q.count] = count, [q.pair.count] = with })
    local one = bill.of(space_of.with(q, set, q.unscaled))
    return one[q.minimize] or one.gpus
  end
  local together = q.pair.count:find "^target%." ~= nil
  local base = { self.counts[1], 1 }
  local first, second, cells = { not together and at(base[1], base[2]) or nil }, {}, {}
  return function(i, with)
    if together then
      local key = i << 20 | with
      cells[key] = cells[key] or at(self.counts[i], with)
      return cells[key]
    end
    first[i] = first[i] or at(self.counts[i], base[2])
    second[with] = second[with] or at(base[1], with)
    return first[i] + second[with] - first[1]
  end
end

-- Is one pair cheaper than another? Where they cost the same, fewer in all are.
function Plane:cheaper(i, with, than)
  local cost, other = self.cost(i, with), self.cost(than.i, than.with)
  if math.abs(cost - other) > 1e-9 * math.max(1, math.abs(other)) then return cost < other end
  local sum, total = self.counts[i] + with, self.counts[than.i] + than.with
  return sum < total or sum == total and i < than.i
end

-- Does a pair that does not meet the limits say so of those with no more of either? An undecided
-- one only where it is told: where it is cheaper than the answer.
function Plane:speaks(one)
  if one.trial.state == "undecided" then
    return not self.best or self:cheaper(one.i, one.with, self.best)
  end
  return one.trial.state ~= nil and one.trial.state ~= "meets"
end

-- What is known of a pair without a run of it: by others, or by theory. And which other.
function Plane:known(i, with)
  for _, one in ipairs(self.tested) do
    if one.i == i and one.with == with then return one.trial.state, one end
  end
  for _, one in ipairs(self.tested) do
    if one.trial.state == "meets" and one.i <= i and one.with <= with then return "meets", one end
    if one.i >= i and one.with >= with and self:speaks(one) then
      return "misses", one
    end
  end
  if with < self.least or self.counts[i] < self:row(with).low then return "misses" end
end

-- Simulates a pair, unless it is known; nil once there are no more answers.
function Plane:test(i, with)
  local state = self:known(i, with)
  if state or self.stopped then return state end
  return self:run(i, with)
end

function Plane:run(i, with)
  local q, row, count = self.q, self:row(with), self.counts[i]
  local one = find.candidate(q, row, count, self.line, find.conditions(q, row.paths(count)))
  row.trials[count] = one
  if row.bounded and find.unsettled(q, row, count) then
    one.state, one.unsettled = "undecided", true
  end
  self.tested[#self.tested + 1] = { i = i, with = with, count = count, trial = one }
  self.stopped = not trial.run({ one }, self.ask) or nil
  if one.state == "failed" then self.failed, self.stopped = self.failed or one.message, true end
  if one.state == "meets" and not (self.best and not self:cheaper(i, with, self.best)) then
    self.best = { i = i, with = with }
  end
  return one.state
end

-- The least number below `high`, which meets, that does: by doubling steps, then halving.
local function lowest(high, least, meets)
  local low, step = least - 1, 1
  while high - low > 1 and high - step > low do
    local probe = high - step
    if meets(probe) then
      high, step = probe, 2 * step
    else
      low = probe
    end
  end
  while high - low > 1 do
    local middle = (low + high) // 2
    if meets(middle) then high = middle else low = middle end
  end
  return high
end

-- From a pair that meets the limits down to a corner of the staircase.
function Plane:descend(i, with)
  self.line = self.line + 1
  i = lowest(i, 1, function(k) return self:test(k, with) == "meets" end)
  self.line = self.line + 1
  with = lowest(with, self.least, function(k) return self:test(i, k) == "meets" end)
  self.corners[#self.corners + 1] = { i = i, with = with }
end

-- Where theory would begin: the cheapest of its own staircase.
function Plane:guess()
  local best, with = nil, self.least
  while with <= self.most do
    local row = self:row(with)
    if best and not self:cheaper(1, with, best) then break end
    for i, count in ipairs(self.counts) do
      if count >= row.start then
        if not best or self:cheaper(i, with, best) then best = { i = i, with = with } end
        break
      end
    end
    with = with + math.max(1, with // 8)
  end
  return best or { i = #self.counts, with = self.most }
end

-- Upwards until a pair meets the limits; nil where none does.
function Plane:climb()
  local at, step = self:guess(), 1
  while self:test(at.i, at.with) ~= "meets" do
    if self.stopped or at.i == #self.counts and at.with == self.most then return nil end
    if step == 1 then
      local one = find.lonely(self.q, self:row(self.most), self.counts[#self.counts],
        self.line)
      if one then
        trial.run({ one }, self.ask)
        self.alone, self.hopeless = one, one.state == "misses"
        if self.hopeless then return nil end
      end
    end
    -- More of what is busiest, and a little of the other.
    local few = step // 4
    local more_first, more_second = step, few
    local last = self.tested[#self.tested]
    if at.i == #self.counts or last and self.owner
      and (last.trial.facts.bottleneck or "") == self.owner then
      more_first, more_second = few, step
    end
    at = { i = math.min(at.i + more_first, #self.counts),
      with = math.min(at.with + more_second, self.most) }
    step = 2 * step
  end
  return at
end

-- The most of the first that are cheaper than the best, beside so many of the second; 0: none.
function Plane:cap(with)
  local low, high = 0, #self.counts + 1
  while high - low > 1 do
    local middle = (low + high) // 2
    if self:cheaper(middle, with, self.best) then low = middle else high = middle end
  end
  return low
end

-- A pair that is cheaper than the best, of which nothing is known, and that speaks for most others:
-- near the best first, where it is least clear what would do.
function Plane:open()
  local near = self.best.with
  for away = 0, self.most do
    for _, with in ipairs { near + away, away > 0 and near - away or nil } do
      if with >= self.least and with <= self.most then
        local i = self:cap(with)
        local least = with == self.most or self:cap(with + 1) < i
        if i > 0 and least and not self:known(i, with) then return i, with end
      end
    end
  end
end

function Plane:solve(ask)
  self.ask = ask
  if #self.counts == 0 then return end
  local at = self:climb()
  if not at then return end
  self:descend(at.i, at.with)
  while not self.stopped do
    local i, with = self:open()
    if not i then break end
    self.line = self.line + 1
    if self:test(i, with) == "meets" then self:descend(i, with) end
  end
  -- Where batches wait to be filled, more can be worse: its neighbours are asked themselves.
  local best, template = self.best, self:row(self.best.with).template
  if template and not template.patient and not self.stopped and best.i < #self.counts then
    local state = self:run(best.i + 1, best.with)
    if state == "misses" then self.odd = { smaller = best, larger = self.tested[#self.tested] } end
  end
end

-- The fewest of the second that can be stable with the most of the first, and the most to look at.
local function bound(self)
  local q = self.q
  local limit = q.max_given and q.max or MOST
  local function stable(with) return self:row(with).low <= self.high end
  local least, below = 1, 0
  while least < limit and not stable(least) do
    below, least = least, math.min(2 * least, limit)
  end
  while least - below > 1 do
    local middle = (below + least) // 2
    if stable(middle) then least = middle else below = middle end
  end
  self.least = least
  self.most = math.min(limit, math.max(LEAST_RANGE, ROOM * least))
end

local function plane_of(q, load, kind, high)
  local self = setmetatable({ q = q, load = load, kind = kind, high = high, rows = {}, tested = {},
    corners = {}, line = 1 }, Plane)
  self.owner = prices.counted(q.pair.count)
  bound(self)
  local row = self:row(self.most)
  self.counts = {}
  if row.numbers then
    for _, number in ipairs(row.numbers) do
      if number >= row.least then self.counts[#self.counts + 1] = number end
    end
  else
    for number = row.least, high do self.counts[#self.counts + 1] = number end
  end
  if #self.counts > 0 then self.cost = cost_of(self) end
  return self
end

-- Why a pair beside the answer is none: itself, or one with more that says so.
function Plane:evidence(i, with)
  if i < 1 or with < 1 then return nil end
  local count, state, by = self.counts[i], self:known(i, with)
  if by and by.trial.state then
    local one = by.trial
    return { count = count, with = with, state = one.state, unsettled = one.unsettled,
      why = one.facts.why, binding = one.verdict and one.verdict.binding,
      by = (by.i ~= i or by.with ~= with) and { count = by.count, with = by.with } or nil,
      utilization = self:row(by.with).forecast(by.count).utilization }
  end
  return { count = count, with = with, overload = state ~= nil, open = state == nil,
    utilization = self:row(with).forecast(count).utilization }
end

-- What was found, for the row of the answer.
function Plane:record(row)
  local best, out = self.best, { with = self.best and self.best.with or self.most,
    tested = self.tested, undecided = {}, corners = {}, odd = self.odd }
  out.costs = best ~= nil and self.cost(best.i, best.with) > 0
  for _, one in ipairs(best and self.tested or {}) do
    if one.trial.state == "undecided" and self:cheaper(one.i, one.with, best) then
      out.undecided[#out.undecided + 1] = one
    end
  end
  for _, one in ipairs(self.corners) do
    if one.i ~= best.i or one.with ~= best.with then
      out.corners[#out.corners + 1] = { count = self.counts[one.i], with = one.with,
        cost = self.cost(one.i, one.with) }
    end
  end
  table.sort(out.corners, function(a, b)
    if a.cost ~= b.cost then return a.cost < b.cost end
    return a.count + a.with < b.count + b.with
  end)
  if best then
    out.fewer, out.fewer_with = self:evidence(best.i - 1, best.with),
      self:evidence(best.i, best.with - 1)
  end
  row.pair, row.space = out, self:row(out.with)
  return { answer = best and self.counts[best.i], trials = row.space.trials, order = {},
    undecided = {}, alone = self.alone, hopeless = self.hopeless == true,
    finished = not self.stopped or self.failed ~= nil, failed = self.failed }
end

--- One search: a load and a kind.
---@param q tandem.PlanQuestion
---@param load tandem.PlanLoad
---@param kind tandem.PlanKind
---@param row tandem.PlanRow  with high, the most of the first
---@param settle fun(outcome: tandem.PlanOutcome): tandem.PlanRow
---@return fun(ask: function): tandem.PlanRow
function pair.searcher(q, load, kind, row, settle)
  local plane = plane_of(q, load, kind, row.high)
  row.space = plane:row(plane.most)
  row.plane = plane
  return function(ask)
    plane:solve(ask)
    return settle(plane:record(row))
  end
end

return pair
