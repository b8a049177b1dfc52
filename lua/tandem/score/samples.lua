--- What a score compares, taken out of tandem.Visits: lists of numbers in order of arrival.
--
-- Owns which requests count (those that were served) and whether two runs had the same ones. Used
-- by the other files of this folder.
local compare = require "tandem.score.compare"
local format = require "tandem.text.format"
local nearest = require "tandem.text.nearest"

local samples = {}

---@class tandem.StageSample  of one stage, a value a visit
---@field name string
---@field lane string
---@field capacity integer|nil
---@field shared boolean     what a visit takes depends on who else is there
---@field request integer[]  numbers of the requests, from 1
---@field own number[]       ns
---@field wait number[]

---@class tandem.ScoreSample
---@field visits tandem.Visits
---@field requests table      v:requests()
---@field served boolean[]    by request
---@field left_out integer    requests that were not
---@field request integer[]   those that were
---@field total number[]      ns from arrival to end, of each of them
---@field waiting number[]    ns of it before stages that were full
---@field between number[]    ns of it in which nothing of the request ran
---@field stages tandem.StageSample[]
---@field by_name table<string, tandem.StageSample>

-- Are several served by the same, in batches or in turns? So they are unless each has a server:
-- then all of these are busy at some time.
local function is_shared(stage)
  local most, capacity = stage.concurrency or 1, stage.capacity or 1
  return most > 1 and (capacity == 1 or most < capacity)
end

-- The numbers of a stage; its waits and rests are added to those of the requests.
local function stage_sample(visits, stage, served, waiting, between)
  local of = visits:of(stage.name)
  local made = { name = stage.name, lane = stage.lane, capacity = stage.capacity,
    shared = is_shared(stage), request = {}, own = {}, wait = {} }
  local n = 0
  for k, request in ipairs(of.request) do
    if served[request] then
      n = n + 1
      made.request[n], made.own[n], made.wait[n] = request, of.own_ns[k], of.wait_ns[k]
      waiting[request] = waiting[request] + of.wait_ns[k]
      between[request] = between[request] + of.rest_ns[k]
    end
  end
  return made
end

--- The samples of a run.
---@param visits tandem.Visits
---@return tandem.ScoreSample
function samples.of(visits)
  local requests = visits:requests()
  local made = { visits = visits, requests = requests, served = {}, left_out = 0, request = {},
    total = {}, waiting = {}, between = {}, stages = {}, by_name = {} }
  local waiting, between = {}, {}
  for i = 1, visits.count do
    local outcome = requests.outcome and requests.outcome[i]
    made.served[i] = (outcome == nil or outcome == "ok") and requests.end_ns[i] ~= nil
    waiting[i], between[i] = 0, requests.tail_ns[i]
    if made.served[i] then
      made.request[#made.request + 1] = i
      made.total[#made.total + 1] = requests.end_ns[i] - requests.arrival_ns[i]
    else
      made.left_out = made.left_out + 1
    end
  end
  for i, stage in ipairs(visits.stages) do
    local one = stage_sample(visits, stage, made.served, waiting, between)
    made.stages[i], made.by_name[stage.name] = one, one
  end
  for k, i in ipairs(made.request) do made.waiting[k], made.between[k] = waiting[i], between[i] end
  return made
end

--- Were the same requests at this stage in both?
---@param a { request: integer[] }
---@param b { request: integer[] }
---@return boolean
function samples.are_paired(a, b) return compare.are_equal(a.request, b.request) end

-- Clocks and formats round; more is another load.
local SAME_NS <const> = 1000

-- Numbers pass through decimals on their way into a simulation and out of it.
local SAME_SIZE <const> = 1e-9

local function same_sizes(a, b)
  for i, value in ipairs(a) do
    local other = b[i]
    if value ~= other and not (value and other
      and math.abs(value - other) <= SAME_SIZE * math.abs(value)) then
      return false
    end
  end
  return true
end

--- Did both runs have the same requests: as many, after one another in the same way, of the same
--- sizes?
---@param real tandem.ScoreSample
---@param simulated tandem.ScoreSample
---@return boolean
---@return string|nil why not
function samples.have_same_requests(real, simulated)
  local a, b = real.requests, simulated.requests
  local n, m = real.visits.count, simulated.visits.count
  if n ~= m then return false, ("%d real ones, %d simulated"):format(n, m) end
  if n == 0 then return false, "there are none" end
  for i = 2, n do
    local apart = (a.arrival_ns[i] - a.arrival_ns[1]) - (b.arrival_ns[i] - b.arrival_ns[1])
    if math.abs(apart) > SAME_NS then
      return false, ("request %d arrives %s %s in the simulation"):format(i,
        format.time(math.abs(apart) / 1e9), apart > 0 and "earlier" or "later")
    end
  end
  for _, name in ipairs(nearest.sorted_keys(a.sizes or {})) do
    local others = b.sizes and b.sizes[name]
    if others and not same_sizes(a.sizes[name], others) then
      return false, ("they differ in %s"):format(name)
    end
  end
  return true
end

-- Where several serve side by side, one quick request says nothing of the others: so many in a row
-- for each of them do. As measure.c has it.
local SMOOTH <const>, SMOOTH_MOST <const> = 8, 512

--- How many requests in a row must be quick where a busy time has ended: more than one where stages
-- of the run have several servers at work.
---@param sample tandem.ScoreSample  of the run that knows its servers
---@return integer
function samples.smooth(sample)
  local visits, most = sample.visits, 1
  for _, stage in ipairs(visits.stages) do
    local of, busy, last = visits:of(stage.name), 0, 0
    for k, start in ipairs(of.start_ns) do
      busy, last = busy + of.end_ns[k] - start, math.max(last, of.end_ns[k])
    end
    -- Who is served beyond the capacity is in one batch with others.
    local apart = math.min(1, (stage.capacity or 1) / math.max(1, stage.concurrency))
    if last > visits.first_ns then
      most = math.max(most, apart * busy / (last - visits.first_ns))
    end
  end
  return most > 1 and math.min(SMOOTH * math.ceil(most), SMOOTH_MOST) or 1
end

--- Nanoseconds between one end of a request and the next.
---@param sample tandem.ScoreSample
---@return number[]
function samples.between_ends(sample)
  local ends, gaps = {}, {}
  for k, i in ipairs(sample.request) do ends[k] = sample.requests.end_ns[i] end
  table.sort(ends)
  for k = 2, #ends do gaps[k - 1] = ends[k] - ends[k - 1] end
  return gaps
end

return samples
