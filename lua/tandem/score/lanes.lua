--- Lanes over time: how busy they were and how many requests waited for them, in both runs.
--
-- Owns the sums over visits: a visit is busy evenly from its start to its end, those of a request
-- that lie over one another evenly together; a wait ends where its visit begins. The clock that
-- puts both runs beside one another is init.lua's. Used there.
local compare = require "tandem.score.compare"

local lanes = {}

---@class tandem.LaneSample
---@field busy number[]     share of each slice in which some request was served, 0 to 1
---@field serving number[]  mean number that was served, by slice
---@field waiting number[]  mean number that waited, by slice
---@field most_waiting integer
---@field servers integer|nil  of the simulation

---@class tandem.TimeWindow
---@field from number  ns on the common clock
---@field to number
---@field slices integer

local ORDER <const> = { "CPU", "H2D", "GPU", "D2H", "COMM", "OTHER", "QUEUE" }

-- Adds weight × (the part of each slice that lies between two times, in ns).
local function add(into, window, from, to, weight)
  local width = (window.to - window.from) / window.slices
  from, to = math.max(from, window.from), math.min(to, window.to)
  if to <= from then return end
  local first = math.min((from - window.from) // width, window.slices - 1) // 1 | 0
  local last = math.min((to - window.from) // width, window.slices - 1) // 1 | 0
  if first == last then
    into[first + 1] = into[first + 1] + weight * (to - from)
    return
  end
  into[first + 1] = into[first + 1] + weight * (window.from + (first + 1) * width - from)
  for k = first + 2, last do into[k] = into[k] + weight * width end
  into[last + 1] = into[last + 1] + weight * (to - window.from - last * width)
end

-- Numbers of a list in the order of their values; most lists are in order as they are.
local function ascending(values)
  local order, sorted = {}, true
  for k, value in ipairs(values) do
    order[k] = k
    sorted = sorted and (k == 1 or values[k - 1] <= value)
  end
  if not sorted then
    table.sort(order, function(p, q)
      if values[p] ~= values[q] then return values[p] < values[q] end
      return p < q
    end)
  end
  return order
end

---@class tandem.LaneVisit
---@field from number
---@field to number
---@field busy number
---@field order integer

-- The visits of a stage: to those of their requests, and to the lane's services and waits.
local function add_stage(visits, stage, clock, made)
  local of, services, waits = visits:of(stage.name), made.services, made.waits
  for k, start in ipairs(of.start_ns) do
    local to, busy, request = of.end_ns[k], of.busy_ns[k], of.request[k]
    local mine, n = made.by_request[request] or {}, #services.from + 1
    made.by_request[request], mine[#mine + 1] = mine,
      { from = start, to = to, busy = busy, order = #mine }
    services.from[n], services.to[n] = clock(start), clock(to)
    services.share[n] = to > start and math.min(1, busy / (to - start)) or 0
    if of.wait_ns[k] > 0 then
      waits.from[#waits.from + 1], waits.to[#waits.to + 1] = clock(start - of.wait_ns[k]),
        services.from[n]
    end
  end
end

-- Adds the changes of how many requests are served. Visits of one request that lie over one
-- another, as kernels of several stages that take turns, are one.
local function add_request(mine, clock, at, change)
  table.sort(mine, function(p, q)
    if p.from ~= q.from then return p.from < q.from end
    return p.order < q.order
  end)
  local i = 1
  while mine[i] do
    local from, to, busy = mine[i].from, mine[i].to, 0
    while mine[i] and (mine[i].from == from or mine[i].from < to) do
      to, busy = math.max(to, mine[i].to), busy + mine[i].busy
      i = i + 1
    end
    if to > from then
      local share, n = math.min(1, busy / (to - from)), #at
      at[n + 1], at[n + 2], change[n + 1], change[n + 2] = clock(from), clock(to), share, -share
    end
  end
end

-- Adds the time in which some request was served: requests that are at a lane at the same time
-- without keeping it busy take turns.
local function add_busy(into, window, made, count, clock)
  local at, change, share, last = {}, {}, 0, nil
  for request = 1, count do
    if made.by_request[request] then add_request(made.by_request[request], clock, at, change) end
  end
  for _, k in ipairs(ascending(at)) do
    if last then add(into, window, last, at[k], math.min(1, share)) end
    share, last = share + change[k], at[k]
  end
end

-- The largest number of waits at one time in the window; one that ends makes room for the next.
local function most_at_once(waits, window)
  local starts, ends, most, open, done = {}, {}, 0, 0, 1
  for k, from in ipairs(waits.from) do
    if waits.to[k] > window.from and from < window.to then
      starts[#starts + 1], ends[#ends + 1] = from, waits.to[k]
    end
  end
  table.sort(starts)
  table.sort(ends)
  for _, start in ipairs(starts) do
    while ends[done] <= start do
      done, open = done + 1, open - 1
    end
    open = open + 1
    most = math.max(most, open)
  end
  return most
end

local function servers_of(stages)
  local most = 0
  for _, stage in ipairs(stages) do most = math.max(most, stage.capacity or math.huge) end
  return most < math.huge and most or nil
end

local function of_lane(visits, stages, clock, window)
  local made = { busy = {}, serving = {}, waiting = {}, servers = servers_of(stages) }
  for k = 1, window.slices do made.busy[k], made.serving[k], made.waiting[k] = 0, 0, 0 end
  local services, waits = { from = {}, to = {}, share = {} }, { from = {}, to = {} }
  local all = { services = services, waits = waits, by_request = {} }
  for _, stage in ipairs(stages) do add_stage(visits, stage, clock, all) end
  add_busy(made.busy, window, all, visits.count, clock)
  for k, from in ipairs(services.from) do
    add(made.serving, window, from, services.to[k], services.share[k])
  end
  for k, from in ipairs(waits.from) do add(made.waiting, window, from, waits.to[k], 1) end
  local width = (window.to - window.from) / window.slices
  for _, values in ipairs { made.busy, made.serving, made.waiting } do
    for k = 1, window.slices do values[k] = values[k] / width end
  end
  made.most_waiting = most_at_once(waits, window)
  return made
end

-- A stage that both have is on the lane that it has in the real run: a model may put it elsewhere.
local function by_lane(visits, lane_of)
  local found = {}
  for _, stage in ipairs(visits.stages) do
    local lane = lane_of[stage.name] or stage.lane
    found[lane] = found[lane] or {}
    table.insert(found[lane], stage)
  end
  return found
end

---@class tandem.LanePair
---@field name string
---@field real tandem.LaneSample|nil
---@field simulated tandem.LaneSample|nil

--- The lanes of both runs over the same time.
---@param real tandem.Visits
---@param simulated tandem.Visits
---@param clock fun(ns: number): number  simulated to real time
---@param window tandem.TimeWindow
---@return tandem.LanePair[]
function lanes.of(real, simulated, clock, window)
  local lane_of = {}
  for _, stage in ipairs(real.stages) do lane_of[stage.name] = stage.lane end
  local a, b, pairs_of = by_lane(real, lane_of), by_lane(simulated, lane_of), {}
  local function own(ns) return ns end
  for _, name in ipairs(ORDER) do
    if a[name] or b[name] then
      pairs_of[#pairs_of + 1] = { name = name,
        real = a[name] and of_lane(real, a[name], own, window),
        simulated = b[name] and of_lane(simulated, b[name], clock, window) }
    end
  end
  return pairs_of
end

local function mean_of(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum / #values
end

--- A lane's slices compared: "busy", "serving", "waiting".
---@param pair tandem.LanePair
---@param what string
---@param paired boolean
---@param confidence number
---@return tandem.Comparison
function lanes.compare(pair, what, paired, confidence)
  return compare.means(pair.real and pair.real[what] or {},
    pair.simulated and pair.simulated[what] or {}, paired, confidence, 1)
end

--- A row a lane: shares, numbers served and waiting.
---@param list tandem.LanePair[]
---@return table[]
function lanes.rows(list)
  local rows = {}
  for i, pair in ipairs(list) do
    local row = { lane = pair.name }
    for side, sample in pairs { real = pair.real, simulated = pair.simulated } do
      row[side .. "_busy"] = mean_of(sample.busy)
      row[side .. "_in_service"] = mean_of(sample.serving)
      row[side .. "_queue"] = mean_of(sample.waiting)
      row[side .. "_queue_most"] = sample.most_waiting
      row[side .. "_servers"] = sample.servers
    end
    rows[i] = row
  end
  return rows
end

-- Means of each of `bins` groups of slices; the number of slices is a multiple of theirs.
local function in_bins(values, bins)
  local group, made = #values // bins, {}
  for i = 1, bins do
    local sum = 0
    for k = (i - 1) * group + 1, i * group do sum = sum + values[k] end
    made[i] = sum / group
  end
  return made
end

--- A row a lane and bin.
---@param list tandem.LanePair[]
---@param window tandem.TimeWindow
---@param bins integer
---@return table[]
function lanes.over_time(list, window, bins)
  local rows = {}
  for _, pair in ipairs(list) do
    local binned = {}
    for side, sample in pairs { real = pair.real, simulated = pair.simulated } do
      binned[side .. "_busy"] = in_bins(sample.busy, bins)
      binned[side .. "_queue"] = in_bins(sample.waiting, bins)
    end
    for i = 1, bins do
      local row = { lane = pair.name, at_s = (window.to - window.from) * (i - 1) / bins / 1e9 }
      for name, values in pairs(binned) do row[name] = values[i] end
      rows[#rows + 1] = row
    end
  end
  return rows
end

return lanes
