--- A run by windows of time: what was offered, how long requests took, how busy the GPUs were.
--
-- Owns which figures a window is told by, for live results and stored ones (tandem.result/1), and
-- their table as text; tables and pictures of pages are page/windows.lua's, which calls this.
local format = require "tandem.text.format"
local objectives = require "tandem.language.objectives"
local styles = require "tandem.plot.style"

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
---@param result tandem.Result|table
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

-- Is there a limit that a request is in time by? Of a stored result, whose scenario is not at hand,
-- objectives and who was late tell.
local function has_goodput(result)
  if result.scenario then
    for index in ipairs(result.classes) do
      if require("tandem.report.columns").time_limit(result, index) then return true end
    end
    return false
  end
  for _, class in ipairs(result.classes or {}) do
    for _, slo in ipairs(class.slo or {}) do
      if not objectives.parts(slo.metric):find "_" then return true end
    end
  end
  for _, item in ipairs(result.windows.items) do
    if item.slo_met and item.slo_met.value and item.slo_met.value < 1 then return true end
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

---@class tandem.WindowColumn
---@field name string
---@field title string
---@field kind string  "clock", a kind of quantity, or "GPUs"
---@field optional integer|nil
---@field of fun(item: table, index: integer): any  an estimate, a number, or nothing

local TIMES <const> = { "ttft", "tpot", "itl" }

--- The LLM servers of a result by windows: their names; none where it has none.
---@param result tandem.Result|table
---@return string[]
function windows.servers(result)
  local names = {}
  for _, item in ipairs(result.windows.items) do
    for i, server in ipairs(item.llm or {}) do names[i] = server.name end
  end
  return names
end

--- What windows are told by.
---@param result tandem.Result|table  with windows
---@return tandem.WindowColumn[]
function windows.columns(result)
  local w = result.windows
  local lost, servers = false, windows.servers(result)
  for _, item in ipairs(w.items) do lost = lost or item.lost ~= nil end
  local out = { { name = "from_s", title = "from", kind = "clock",
    of = function(item) return item.from_s end } }
  local function add(name, title, kind, of, optional)
    out[#out + 1] = { name = name, title = title, kind = kind, of = of, optional = optional }
  end
  add("offered_rps", "offered", "rate", function(item) return item.offered_rps end)
  add("carried_rps", "served", "rate", function(item) return item.carried_rps end, 4)
  for _, figure in ipairs { "mean", "p99" } do
    add("latency_" .. figure, figure, "time",
      function(item) return item.latency and item.latency[figure] end)
  end
  for i, server in ipairs(servers) do
    local whose = #servers > 1 and styles.clean(server) .. " " or ""
    for k, time in ipairs(TIMES) do
      add(("%s_%d_p99"):format(time, i), ("%s%s p99"):format(whose, time:upper()), "time",
        function(item)
          local times = item.llm and item.llm[i] and item.llm[i][time]
          return times and times.p99
        end, k)
    end
  end
  if has_goodput(result) then
    add("in_time", "in time", "percent", function(item)
      return item.slo_met and item.slo_met.value
    end)
  end
  if lost then
    add("lost", "lost", "percent", function(item) return item.lost or 0 end)
  end
  if windows.busy(result, 1) then
    add("gpus_busy", "GPUs busy", "GPUs", function(_, index) return windows.busy(result, index) end)
  else
    add("busiest", "busiest", "percent", function(_, index) return busiest(result, index) end)
  end
  return out
end

--- A figure of a window in words.
---@param result tandem.Result|table
---@param column tandem.WindowColumn
---@param value any
---@param index integer
---@return string
function windows.show(result, column, value, index)
  if value == nil then return "–" end
  if column.kind == "clock" then return windows.clock(value, result.windows.length_s) end
  if column.kind == "GPUs" then
    local _, of = windows.busy(result, index)
    return ("%.2f of %s"):format(value, ("%.2f"):format(of):gsub("%.?0+$", ""))
  end
  if type(value) == "table" then return format.estimate(value, column.kind) end
  return value == 0 and column.name == "lost" and "0 %" or format.quantity(value, column.kind)
end

--- The table.
---@param result tandem.Result  with windows
---@return table[] titles
---@return table[] rows
---@return string|nil remark
function windows.rows(result)
  local rows, titles, items = {}, {}, result.windows.items
  local shown_columns = windows.columns(result)
  for i, column in ipairs(shown_columns) do
    titles[i] = { title = column.title, align = i > 1 and "right" or nil,
      optional = column.optional }
  end
  local order = shown(result)
  for _, index in ipairs(order) do
    local row = {}
    for i, column in ipairs(shown_columns) do
      row[i] = windows.show(result, column, column.of(items[index], index), index)
    end
    rows[#rows + 1] = row
  end
  return titles, rows, #order < #items and ("the %d with the highest p99, of %d"):format(#order,
    #items) or nil
end

return windows
