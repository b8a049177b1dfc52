--- The tables of an explanation: what each step takes, and how busy each station will be.
--
-- Owns their rows and columns; the numbers are explain/load.lua's and queueing.lua's, the sentences
-- around them explain/init.lua's, which calls this.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local tables = {}

--- A row a step, in the order of routes.
---@param offered tandem.Offered
---@return any[][]
function tables.step_rows(offered)
  local rows, several = {}, #offered.classes > 1
  for index, step in ipairs(offered.steps) do
    local time = step.time
    local row = several and { styles.clean(step.class) } or {}
    row[#row + 1] = styles.clean(step.name)
    row[#row + 1] = step.lane
    row[#row + 1] = styles.clean(step.where)
    row[#row + 1] = step.visits == 1 and "1" or format.quantity(step.visits, "count")
    row[#row + 1] = time and (time.approximate and "≈ " or "") .. format.time(time.mean) or "?"
    row[#row + 1] = time and time.mean > 0 and not step.llm
      and format.quantity(math.sqrt(time.var) / time.mean, "count", 2) or ""
    row[#row + 1] = step.batch and ("up to %d"):format(step.batch) or ""
    rows[index] = row
  end
  return rows
end

---@param offered tandem.Offered
---@return table[]
function tables.step_columns(offered)
  local columns = #offered.classes > 1 and { { title = "class" } } or {}
  local rest = { { title = "step" }, { title = "lane" }, { title = "runs on" },
    { title = "visits", align = "right" }, { title = "time", align = "right" },
    { title = "cv", align = "right", optional = 2 },
    { title = "batch", align = "right", optional = 1 } }
  return table.move(rest, 1, #rest, #columns + 1, columns)
end

--- Stations of GPUs of one kind, under one load, as one row.
---@param offered tandem.Offered
---@return { name: string, station: tandem.OfferedStation, count: integer }[]
function tables.station_groups(offered)
  local groups, by_key = {}, {}
  for _, station in ipairs(offered.stations) do
    local kind, rest = nil, nil
    if station.gpu then
      kind, rest = station.name:match("^(.-)#%d+(.*)$")
    end
    local key = kind and ("%s\0%s\0%.6g"):format(kind, rest, station.utilization)
    if key and by_key[key] then
      local group = by_key[key]
      group.count = group.count + 1
      group.name = ("%s ×%d%s"):format(kind, group.count, rest)
    else
      local group = { name = station.name, station = station, count = 1 }
      groups[#groups + 1] = group
      if key then
        by_key[key] = group
      end
    end
  end
  return groups
end

local MARKS <const> = { ["at most"] = "≤ ", about = "≈ " }

--- The mark before what a station will be busy, and the words for it.
---@param station tandem.OfferedStation
---@return string mark
---@return string words
function tables.busy_marks(station)
  if station.batched then return "≥ ", "at least " end
  local is = station.busy_is or station.inexact and "about"
  if is then return MARKS[is], is .. " " end
  return "", ""
end

local function turns_away(offered)
  for _, station in ipairs(offered.stations) do
    if station.queue then return true end
  end
  return false
end

--- A row a group of stations.
---@param offered tandem.Offered
---@param style tandem.Style
---@param moving boolean  the load changes: waits are not told
---@return any[][]
function tables.station_rows(offered, style, moving)
  local bar, rows, turned = require "tandem.plot.bar", {}, turns_away(offered)
  for index, group in ipairs(tables.station_groups(offered)) do
    local station = group.station
    local busy, endless = station.busy, station.servers == math.huge
    local mark = tables.busy_marks(station)
    local about = (station.wait_exact or endless) and "" or station.wait_is and "≥ "
      or station.rough and "~ " or "≈ "
    local wait = station.wait_s == math.huge and "grows without end"
      or about .. format.time(station.wait_s)
    if station.wait_s == math.huge then busy = station.utilization end
    rows[index] = {
      styles.clean(group.name), station.lane, endless and "∞" or format.integer(station.servers),
      format.rate(station.rate), format.time(station.service.mean),
      endless and "–" or { text = mark .. format.percent(busy),
        color = station.utilization >= 1 and "red" or busy >= 0.8 and "yellow" or nil },
      function(width)
        return endless and "" or bar.line(busy, width, style, true)
      end,
      (station.batched or moving) and "–" or wait,
      turned and (station.queue
        and (station.lost and about .. format.percent(station.lost) or "?") or "") or nil,
    }
  end
  return rows
end

---@param offered tandem.Offered
---@return table[]
function tables.station_columns(offered)
  local columns = { { title = "resource" }, { title = "lane", optional = 1 },
    { title = "servers", align = "right" }, { title = "visits", align = "right" },
    { title = "each takes", align = "right" }, { title = "busy", align = "right" },
    { title = "", flexible = 12 }, { title = "expected wait", align = "right" } }
  if turns_away(offered) then columns[#columns + 1] = { title = "turned away", align = "right" } end
  return columns
end

return tables
