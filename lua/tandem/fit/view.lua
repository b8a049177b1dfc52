--- The visits of one stage as columns of seconds and sizes: what every estimate of a fit reads.
-- Owns the conversion from tandem.Visits; keeps nothing. Called by the files of this folder.

local nearest = require "tandem.text.nearest"

local view = {}

---@class tandem.FitView
---@field stage string
---@field count integer              visits
---@field requests integer           of the run, or slice, that they are of
---@field own number[]               seconds: the stage's part of its requests' time
---@field rest number[]              seconds before and between, in which nothing of the request ran
---@field busy number                seconds in which it was active, in all
---@field wait number                seconds in which its requests waited for others, in all
---@field bytes number[]|nil         where every visit has some
---@field pieces number[]|nil
---@field copies boolean             it is on a lane of copies
---@field sizes table<string, number[]>  sizes of the requests, by visit

local function seconds(ns)
  local out = {}
  for i, v in ipairs(ns or {}) do out[i] = v * 1e-9 end
  return out
end

local function sum(list)
  local total = 0
  for _, v in ipairs(list or {}) do total = total + v end
  return total
end
view.sum = sum

-- Bytes that some copies did not say are no column.
local function known(bytes)
  for _, v in ipairs(bytes or {}) do if v <= 0 then return nil end end
  return bytes
end

---@param visits tandem.Visits
---@param name string
---@return tandem.FitView
function view.of(visits, name)
  local of, requests = visits:of(name), visits:requests()
  local lane
  for _, stage in ipairs(visits.stages) do if stage.name == name then lane = stage.lane end end
  local out = { stage = name, count = #of.request, requests = visits.count,
    copies = lane == "H2D" or lane == "D2H",
    own = seconds(of.own_ns), rest = seconds(of.rest_ns), busy = sum(of.busy_ns) * 1e-9,
    wait = sum(of.wait_ns) * 1e-9, bytes = known(of.bytes), pieces = of.pieces, sizes = {} }
  for _, size in ipairs(nearest.sorted_keys(requests.sizes or {})) do
    local all, mine, complete = requests.sizes[size], {}, true
    for i, request in ipairs(of.request) do
      mine[i] = all[request]
      -- A size that some requests lack tells nothing of those.
      complete = complete and type(mine[i]) == "number"
    end
    if complete then out.sizes[size] = mine end
  end
  return out
end

--- The most requests that were at some stages at once, on however many devices.
---@param visits tandem.Visits
---@param names string[]  of stages
---@return integer
function view.at_once(visits, names)
  local changes = {}
  for _, name in ipairs(names) do
    local of = visits:of(name)
    for k, request in ipairs(of.request) do
      changes[#changes + 1] = { at = of.start_ns[k], request = request, by = 1 }
      changes[#changes + 1] = { at = of.end_ns[k], request = request, by = -1 }
    end
  end
  -- Who ends makes room; a visit without length takes none.
  table.sort(changes, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.by < b.by
  end)
  local at, most, present = {}, 1, 0
  for _, one in ipairs(changes) do
    local before = at[one.request] or 0
    at[one.request] = before + one.by
    present = present + (at[one.request] > 0 and 1 or 0) - (before > 0 and 1 or 0)
    most = math.max(most, present)
  end
  return most
end

--- What comes after a request's last visit, as a view whose `own` it is.
---@param visits tandem.Visits
---@return tandem.FitView
function view.tail(visits)
  local requests = visits:requests()
  return { stage = "tail", count = visits.count, requests = visits.count,
    own = seconds(requests.tail_ns), rest = {}, busy = 0, wait = 0,
    sizes = requests.sizes or {} }
end

--- Smallest and largest value.
---@param list number[]
---@return number low
---@return number high
function view.range(list)
  local low, high = math.huge, -math.huge
  for _, v in ipairs(list) do low, high = math.min(low, v), math.max(high, v) end
  return low, high
end

---@param list number[]
---@return number
function view.mean(list) return #list > 0 and sum(list) / #list or 0.0 end

---@param count integer
---@param value number
---@return number[]
function view.constant(count, value)
  local out = {}
  for i = 1, count do out[i] = value end
  return out
end

---@param count integer
---@return number[]
function view.ones(count) return view.constant(count, 1.0) end

return view
