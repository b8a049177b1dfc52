--- A run by windows of time, as a table: what was offered, how long requests took, how busy the
--- GPUs were. Called by report/text and the pages.
local format = require "tandem.text.format"

local windows = {}

local MOST <const> = 48 -- rows; of more windows, the worst ones

--- Where in a day a second is, when windows are parts of hours: "14:00".
---@param seconds number
---@param length number
---@return string
function windows.clock(seconds, length)
  if length < 60 or length % 60 ~= 0 then return format.time(seconds) end
  local minutes = math.floor(seconds / 60 + 0.5)
  local days = minutes // 1440
  return ("%s%02d:%02d"):format(days > 0 and ("%d d "):format(days) or "", minutes // 60 % 24,
    minutes % 60)
end

--- How many GPUs were busy in a window: their compute, whole machines of servers counted as they
--- have them. Nil without GPUs.
---@param result tandem.Result
---@param index integer
---@return number|nil busy
---@return number|nil of  that are there
function windows.busy(result, index)
  local busy, of
  for _, station in ipairs(result.windows.stations) do
    if station.lane == "GPU" and station.servers then
      busy = (busy or 0) + station.busy[index]
      of = (of or 0) + station.servers * (station.held and station.held[index] or 1)
    end
  end
  return busy, of
end

-- The busiest of all stations with a limit, as a share.
local function busiest(result, index)
  local most
  for _, station in ipairs(result.windows.stations) do
    if station.servers and station.servers > 0 then
      most = math.max(most or 0, station.busy[index] / station.servers)
    end
  end
  return most
end

local function has_goodput(result)
  for index in ipairs(result.classes) do
    if require("tandem.report.columns").time_limit(result, index) then return true end
  end
  return false
end

-- The windows that are shown: all, or those with the highest p99, in order of time.
local function shown(result)
  local items, order = result.windows.items, {}
  for i = 1, #items do order[i] = i end
  if #items <= MOST then return order end
  local function p99(i)
    local latency = items[i].latency
    return latency and latency.p99.value or -1
  end
  table.sort(order, function(a, b)
    if p99(a) ~= p99(b) then return p99(a) > p99(b) end
    return a < b
  end)
  local out = table.move(order, 1, MOST // 2, 1, {})
  table.sort(out)
  return out
end

--- The table.
---@param result tandem.Result  with windows
---@return table[] titles
---@return table[] rows
---@return string|nil remark
function windows.rows(result)
  local w, rows = result.windows, {}
  local gpus, goodput, lost = windows.busy(result, 1) ~= nil, has_goodput(result), false
  for _, item in ipairs(w.items) do lost = lost or item.lost ~= nil end
  local titles = { { title = "from" }, { title = "offered", align = "right" },
    { title = "served", align = "right", optional = 2 }, { title = "mean", align = "right" },
    { title = "p99", align = "right" } }
  if goodput then titles[#titles + 1] = { title = "in time", align = "right" } end
  if lost then titles[#titles + 1] = { title = "lost", align = "right" } end
  titles[#titles + 1] = { title = gpus and "GPUs busy" or "busiest", align = "right" }
  local order = shown(result)
  for _, i in ipairs(order) do
    local item = w.items[i]
    local latency = item.latency
    local row = { windows.clock(item.from_s, w.length_s), format.estimate(item.offered_rps, "rate"),
      format.estimate(item.carried_rps, "rate"),
      latency and format.estimate(latency.mean, "time") or "–",
      latency and format.estimate(latency.p99, "time") or "–" }
    if goodput then
      row[#row + 1] = item.slo_met and item.slo_met.value and format.percent(item.slo_met.value)
        or "–"
    end
    if lost then row[#row + 1] = item.lost and format.percent(item.lost) or "0 %" end
    local busy, of = windows.busy(result, i)
    local share = busiest(result, i)
    row[#row + 1] = busy and ("%.2f of %s"):format(busy, ("%.2f"):format(of):gsub("%.?0+$", ""))
      or share and format.percent(share) or "–"
    rows[#rows + 1] = row
  end
  return titles, rows, #order < #w.items and ("the %d with the highest p99, of %d"):format(#order,
    #w.items) or nil
end

return windows
