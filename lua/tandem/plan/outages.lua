--- When GPUs are down: how often so many are at a time, and what happens from the failure of one
--- too many until all is as before.
--
-- Owns the process of failures and repairs, in numbers alone: GPUs that are alike fail
-- independently, `rate` times a second while they are up, and each is repaired by itself. So many
-- may be down that the rest still keeps up; up to there the fleet is taken to be steady with any of
-- them down, which their repairs are long enough for. A failure beyond that begins an episode: the
-- rest is overloaded, a queue grows, and when enough are up again it drains. How long an episode
-- lasts is found by its fluid: so much comes, so much can be served; what queues swing by is added.
-- Called by plan/rare, which simulates both.
local core = require "tandem.core"
local format = require "tandem.text.format"

local outages = {}

---@class tandem.PlanFleet
---@field count integer
---@field rate number      failures a second of one that is up
---@field repairs number[] times of repair, each as likely, in their order: what is drawn from
---@field repair number    their mean
---@field load number      requests a second
---@field capacity fun(down: integer): number  requests a second that are served with so many down
---@field settle fun(down: integer): number  seconds until queues have forgotten
---@field seed integer

---@class tandem.PlanEpisode
---@field list number[][]  { at, how long }, from the episode's begin; those down before are at < 0
---@field seconds number   how long it lasts
---@field weight number    of its kind, among its equals

---@class tandem.PlanStates
---@field steady integer    so many may be down
---@field chances number[]  chances[d + 1]: that d are down, while there is no episode
---@field rate number       episodes a second of the time between them
---@field alone number      share of the time in episodes of one failure
---@field several number    … of more
---@field length number     mean of an episode, seconds

local SAMPLES <const> = 256   -- episodes whose mean length is taken
local OTHER <const> = 5       -- no part of their number, a power of two
local CUT <const> = 40        -- mean repairs that an episode may last
local STEADY <const> = 10     -- settling times that a repair must be worth
local BUSY <const> = 0.98     -- … and how busy the rest may be

-- Numbers that depend on the seed and on how many were drawn before, nothing else.
local function generator(seed)
  local drawn = 0
  return function()
    drawn = drawn + 1
    return core.fraction(seed, drawn)
  end
end

-- Of times in their order, the one that the share u is below.
local function quantile(list, u) return list[math.min(#list, math.floor(u * #list) + 1)] end

-- How long one that is being repaired, for who knows how long, still takes; u: at which part of it
-- it is met.
local function rest_of(fleet, draw, u)
  local left = draw() * fleet.repair * #fleet.repairs
  for _, v in ipairs(fleet.repairs) do
    left = left - v
    if left <= 0 then return v * u end
  end
  return fleet.repairs[#fleet.repairs] * u
end

--- How many may be down with the rest keeping up, each such time being long enough to settle in.
---@param fleet tandem.PlanFleet
---@return integer
function outages.steady(fleet)
  local most = 0
  for down = 1, fleet.count - 1 do
    local able = fleet.capacity(down)
    if able <= 0 or fleet.load > BUSY * able
      or fleet.repair / down < STEADY * fleet.settle(down) then
      break
    end
    most = down
  end
  return most
end

--- Chances that 0, 1, … `most` are down, given that no more are.
---@param fleet tandem.PlanFleet
---@param most integer
---@return number[]
function outages.chances(fleet, most)
  local odds, sum, out = fleet.rate * fleet.repair, 0, {}
  local weight = 1
  for down = 0, most do
    out[down + 1], sum = weight, sum + weight
    weight = weight * odds * (fleet.count - down) / (down + 1)
  end
  for i = 1, #out do out[i] = out[i] / sum end
  return out
end

-- The changes of how many are down, in their order: { at, +1 or -1 }.
local function steps_of(list)
  local steps = {}
  for _, outage in ipairs(list) do
    steps[#steps + 1] = { math.max(0, outage[1]), 1 }
    steps[#steps + 1] = { outage[1] + outage[2], -1 }
  end
  table.sort(steps, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  return steps
end

-- When an episode of these outages is over: no more down than may be, the queue drained, and what
-- is left of it forgotten.
local function end_of(fleet, list, steady)
  local steps, down, waiting, at, swung, to_come = steps_of(list), 0, 0, 0, 0, #list
  local function pass(to)
    local gain = fleet.load - fleet.capacity(down)
    if gain > -0.02 * fleet.load then swung = swung + (to - at) * fleet.load end
    if waiting + gain * (to - at) < 0 then waiting = 0
    else waiting = waiting + gain * (to - at) end
    at = to
  end
  for _, step in ipairs(steps) do
    pass(step[1])
    down = down + step[2]
    if step[2] > 0 then to_come = to_come - 1 end
    -- Those that were down before are no part of it once enough are up and nobody waits.
    if to_come == 0 and step[1] > 0 and down <= steady and waiting == 0 then break end
  end
  local able = fleet.capacity(math.min(down, steady))
  waiting = waiting + 3 * math.sqrt(2 * swung)
  local drain = waiting / math.max(able - fleet.load, 1e-9 * fleet.load)
  return at + 1.1 * drain + 3 * fleet.settle(math.min(down, steady))
end

local function up_at(fleet, list, at)
  local up = fleet.count
  for _, outage in ipairs(list) do
    if outage[1] <= at and outage[1] + outage[2] > at then up = up - 1 end
  end
  return up
end

-- How many failures are to be expected of those that are up, from the episode's begin to `to`; and
-- when so many of them have come.
local function expected(fleet, list, to, wanted)
  local times, sum, at = {}, 0, 0
  for _, outage in ipairs(list) do
    local back = outage[1] + outage[2]
    if back > 0 and back < to then times[#times + 1] = back end
  end
  table.sort(times)
  times[#times + 1] = to
  for _, time in ipairs(times) do
    local rate = fleet.rate * up_at(fleet, list, at)
    if wanted and sum + rate * (time - at) >= wanted then
      return at + (wanted - sum) / rate
    end
    sum, at = sum + rate * (time - at), time
  end
  return sum
end

-- Goes on with failures as they come; `from` is when the last one that is known came.
local function go_on(fleet, list, steady, from, draw)
  local most = CUT * fleet.repair
  local over = end_of(fleet, list, steady)
  local at = from
  while at < over and over < most do
    at = at - math.log(1 - draw()) / (fleet.rate * fleet.count)
    if at < over and draw() * fleet.count < up_at(fleet, list, at) then
      list[#list + 1] = { at, quantile(fleet.repairs, draw()) }
      over = end_of(fleet, list, steady)
    end
  end
  return math.min(over, most)
end

--- Episode number `index` of `count`, a power of two, whose first repairs are as different as they
--- can be: of one failure, and of more, each with its part of all.
---@param fleet tandem.PlanFleet
---@param steady integer
---@param index integer
---@param count integer
---@return tandem.PlanEpisode alone
---@return tandem.PlanEpisode several
function outages.episode(fleet, steady, index, count)
  local draw = generator(fleet.seed * 1000003 + count * 8191 + index)
  local list = {}
  -- The first in order, the next in another: both are spread evenly.
  local other = steady > 0 and index * OTHER % count or index - 1
  for i = 1, steady do
    list[i] = { -1, 1 + rest_of(fleet, draw, i == 1 and (index - 1 + draw()) / count or draw()) }
  end
  list[#list + 1] = { 0, quantile(fleet.repairs, (other + draw()) / count) }
  local over = math.min(end_of(fleet, list, steady), CUT * fleet.repair)
  local more = expected(fleet, list, over)
  local chance = 1 - math.exp(-more)
  local alone = { list = list, seconds = over, weight = 1 - chance }
  local with = table.move(list, 1, #list, 1, {})
  local several = { list = with, seconds = over, weight = chance }
  if chance > 0 then
    local at = expected(fleet, list, over, -math.log(1 - draw() * chance))
    with[#with + 1] = { at, quantile(fleet.repairs, draw()) }
    several.seconds = go_on(fleet, with, steady, at, draw)
  end
  return alone, several
end

--- How much of the time is what.
---@param fleet tandem.PlanFleet
---@return tandem.PlanStates
function outages.states(fleet)
  local steady = outages.steady(fleet)
  local chances = outages.chances(fleet, steady)
  local alone, several = 0, 0
  for i = 1, SAMPLES do
    local one, more = outages.episode(fleet, steady, i, SAMPLES)
    alone = alone + one.weight * one.seconds / SAMPLES
    several = several + more.weight * more.seconds / SAMPLES
  end
  local rate = chances[steady + 1] * (fleet.count - steady) * fleet.rate
  local cycle = 1 + rate * (alone + several)
  return { steady = steady, chances = chances, rate = rate, alone = rate * alone / cycle,
    several = rate * several / cycle, length = alone + several }
end

--- What is said of them: which part of the time is what.
---@param fleet tandem.PlanFleet
---@param states tandem.PlanStates
---@param label string|nil  the figure that is of all of it
---@return string
function outages.words(fleet, states, label)
  local rest, parts = 1 - states.alone - states.several, {}
  local function add(share, what)
    if share > 0.000005 then
      parts[#parts + 1] = ("%s of the time %s"):format(format.percent(share), what)
    end
  end
  for down = 0, states.steady do
    add(rest * states.chances[down + 1], down == 0 and "all are up"
      or ("%d %s down"):format(down, down == 1 and "is" or "are"))
  end
  add(states.alone + states.several, states.steady == 0
    and "one or more are down, or what waited for them is caught up with"
    or "more are down than the rest keeps up with, or what waited is caught up with")
  return ("One of them fails every %s, for %s: %s. %s is of all that time."):format(
    format.time(1 / (fleet.rate * fleet.count)), format.time(fleet.repair), format.list(parts),
    label or "What is told")
end

return outages
