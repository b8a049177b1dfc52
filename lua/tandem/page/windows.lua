--- What a page says of a simulated run by windows of time: a day's hours as pictures and a table.
--
-- Owns which charts, and the table's columns as a page sorts them; which figures there are is
-- report/windows.lua's. Values are the stored result's (tandem.result/1). Called by page/simulated.
local objectives = require "tandem.language.objectives"
local report = require "tandem.report.windows"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"
local plot = require "tandem.plot"
local units = require "tandem.units"

local windows = {}

-- JSON's null is no value.
local function without_nulls(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, one in pairs(value) do
    if type(one) ~= "userdata" then out[key] = without_nulls(one) end
  end
  return out
end

--- The windows of a stored result with what is read beside them; nil where it has none.
---@param result table
---@return table|nil
local function told(result)
  local w = result.windows
  if type(w) ~= "table" or #w.items < 2 then return nil end
  local classes = {}
  for i, class in ipairs(result.classes or {}) do
    classes[i] = { name = class.name, slo = class.slo }
  end
  return without_nulls { windows = w, classes = classes }
end

-- One figure of each window, in its middle; a band where there are intervals. Nil: nowhere any.
local function line(result, name, of)
  local series, any, band = { name = name, x = {}, y = {}, low = {}, high = {} }, false, false
  for i, item in ipairs(result.windows.items) do
    local value = of(item, i)
    local one = type(value) == "table" and value or { value = value }
    local drawn = one.value and math.abs(one.value) < math.huge
    series.x[i] = (item.from_s + item.to_s) / 2
    series.y[i] = drawn and one.value or 0 / 0
    series.low[i] = drawn and one.half and math.max(0, one.value - one.half) or 0 / 0
    series.high[i] = drawn and one.half and one.value + one.half or 0 / 0
    any = any or drawn
    band = band or drawn and one.half and one.half > 0
  end
  if not band then series.low, series.high = nil, nil end
  return any and series or nil
end

local function chart(title, subtitle, unit, series, limits)
  if #series == 0 then return nil end
  if #series == 1 then series[1].name = nil end
  return plot.lines { title = title, subtitle = subtitle, x = { unit = "time" },
    y = { min = 0, unit = unit }, series = series, limits = limits }
end

-- The objective that every window has to keep: a line in the picture of its figure.
local function limits_of(result, names)
  local out = {}
  for _, class in ipairs(result.classes) do
    for _, slo in ipairs(class.slo or {}) do
      local of, window = objectives.parts(slo.metric)
      if window and names[of] then
        out[#out + 1] = { y = slo.of_limit or slo.limit,
          label = of .. (#result.classes > 1 and (" of %s"):format(class.name) or "") }
      end
    end
  end
  return out
end

--- The charts: load, latency, times of LLM servers, GPUs.
---@param stored table  tandem.result/1
---@return tandem.Plot[]
function windows.charts(stored)
  local result, out = told(stored), {}
  if not result then return out end
  local function add(...) out[#out + 1] = chart(...) end
  local by = units.format(result.windows.length_s, "s")
  local offered = line(result, "offered", function(item) return item.offered_rps end)
  local served = line(result, "served", function(item) return item.lost and item.carried_rps end)
  add("Load by " .. by, "requests that arrive, a second", "rate", { offered, served })
  local latency = {}
  for _, name in ipairs { "mean", "p99" } do
    latency[#latency + 1] = line(result, name,
      function(item) return item.latency and item.latency[name] end)
  end
  add("Latency by " .. by, "of the requests that arrive in each window, with 95 % intervals",
    "time", latency, limits_of(result, { mean = true, p99 = true }))
  for i, server in ipairs(report.servers(result)) do
    for _, time in ipairs { "ttft", "tpot", "itl" } do
      local series = {}
      for _, name in ipairs { "p50", "p99" } do
        series[#series + 1] = line(result, name, function(item)
          local times = item.llm and item.llm[i] and item.llm[i][time]
          return times and times[name]
        end)
      end
      add(("%s of %s by %s"):format(time:upper(), styles.clean(server), by),
        time == "itl" and "gaps between tokens, in the window in which they end"
          or "of the requests that arrive in each window", "time", series,
        limits_of(result, { [time .. "_p50"] = true, [time .. "_p99"] = true }))
    end
  end
  if report.busy(result, 1) then
    add("GPUs by " .. by, "mean of each window", nil, {
      line(result, "busy", function(_, i) return (report.busy(result, i)) end),
      line(result, "there", function(_, i) return (select(2, report.busy(result, i))) end) })
  end
  return out
end

-- What a page sorts by: the plain number.
local function plain(value)
  if type(value) == "table" then return value.value end
  return value
end

--- The table: every window.
---@param stored table
---@param run? tandem.Run  with whose trace rows have a time: `at_ns`, `dur_ns`
---@return tandem.RowTable|nil
function windows.rows(stored, run)
  local result = told(stored)
  if not result then return nil end
  local columns, rows = {}, {}
  for i, column in ipairs(report.columns(result)) do
    columns[i] = { name = column.name, title = column.title, align = i > 1 and "right" or "left",
      show = function(_, row)
        return report.show(result, column, row.values[column.name], row.index)
      end }
    for index, item in ipairs(result.windows.items) do
      local row = rows[index] or { index = index, values = {} }
      rows[index] = row
      row.values[column.name] = column.of(item, index)
      row[column.name] = plain(row.values[column.name])
    end
  end
  local first, last = run and run.first_ns, run and run.last_ns
  for index, item in ipairs(result.windows.items) do
    local from = math.floor(item.from_s * 1e9)
    if first and from < last then
      rows[index].at_ns, rows[index].dur_ns = from - first, math.floor(item.to_s * 1e9) - from
    end
  end
  return rows_of.new(columns, rows)
end

return windows
