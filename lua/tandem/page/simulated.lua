--- The result of a simulated run as sections of a page: figures with their intervals, latency,
--- resources, stages.
--
-- Owns which figures and charts; the values are the stored result's (tandem.result/1). Called by
-- reports.
local format = require "tandem.text.format"
local columns = require "tandem.analysis.columns"
local html = require "tandem.page.html"
local llm = require "tandem.page.llm"
local rows_of = require "tandem.store.rows"
local plot = require "tandem.plot"
local tables = require "tandem.page.table"
local units = require "tandem.units"
local windows = require "tandem.page.windows"

local simulated = {}

--- The result of a run; nil where none is stored.
---@param run tandem.Run
---@return table|nil
function simulated.result(run)
  if not run.summary_json then return nil end
  local ok, result = require("tandem.text.shortage").attempt(require("cjson").decode,
    run.summary_json)
  return ok and type(result) == "table" and result.latency and result or nil
end

local function given(value)
  if value == nil or type(value) == "userdata" then return nil end -- cjson.null
  return value
end

local TILES <const> = { { "throughput_rps", "throughput", "rate" },
  { "goodput_rps", "goodput", "rate" }, { "slo_met", "in time", "percent" },
  { "in_system", "requests in the system", "count" } }

--- { label, text } of the figures that matter most.
---@param result table
---@return { [1]: string, [2]: string }[]
function simulated.tiles(result)
  local out = {}
  for _, tile in ipairs(TILES) do
    local value = given(result[tile[1]])
    if value then out[#out + 1] = { tile[2], format.estimate(value, tile[3]) } end
  end
  for _, name in ipairs { "mean", "p50", "p99" } do
    local value = given(result.latency[name])
    if value then out[#out + 1] = { name .. " latency", format.estimate(value, "time") } end
  end
  return table.move(llm.tiles(result), 1, 99, #out + 1, out)
end

-- How busy a resource is, as a share of its servers; nil where their number has no
-- limit ("inf").
local function share(resource)
  return type(resource.servers) == "number" and given(resource.utilization) or nil
end

--- What a headline says of it.
---@param result table
---@return string[]
function simulated.findings(result)
  local found, busiest = {}, nil
  local overload = given(result.overload)
  if overload then
    local judgement = require "tandem.report.judgement"
    local bound, offered = judgement.bound(overload), judgement.offered(overload.load)
    found[1] = ("Overloaded: %s is offered %s it can do%s."):format(
      tostring(overload.resource), offered, bound and "; " .. bound or "")
  end
  local unsettled = given(result.unsettled)
  if unsettled then found[#found + 1] = tostring(unsettled.reason) .. "." end
  table.move(llm.findings(result), 1, 99, #found + 1, found)
  for _, resource in ipairs(result.resources or {}) do
    local used = share(resource)
    if used and (not busiest or used.value > busiest.value) then
      busiest = { value = used.value, name = resource.name, servers = given(resource.servers) }
    end
  end
  if busiest then
    local servers = busiest.servers
    found[#found + 1] = ("The busiest resource is %s: %s of the time%s."):format(
      tostring(busiest.name), format.percent(busiest.value), type(servers) == "number"
      and servers > 1 and (" of its %s servers"):format(format.integer(servers)) or "")
  end
  for _, words in ipairs(require("tandem.report.judgement").unseen(result)) do
    found[#found + 1] = words
  end
  if given(result.warmup_unsettled) then
    found[#found + 1] = "No steady state was found: the figures are of a run that still drifts."
  end
  return found
end

local MOST_BARS <const> = 40 -- that anybody reads

-- Of more rows the largest, in the order that they have, and the subtitle that says so.
local function largest(rows, subtitle)
  if #rows <= MOST_BARS then return rows, subtitle end
  local order, kept = {}, {}
  for i = 1, #rows do order[i] = i end
  table.sort(order, function(a, b)
    if rows[a].value ~= rows[b].value then return rows[a].value > rows[b].value end
    return a < b
  end)
  order = table.move(order, 1, MOST_BARS, 1, {})
  table.sort(order)
  for i, index in ipairs(order) do kept[i] = rows[index] end
  return kept, ("%s; the %d largest of %s"):format(subtitle, MOST_BARS, format.integer(#rows))
end

--- Utilization of the resources, for the head of a report.
---@param result table
---@return tandem.Plot|nil
function simulated.utilization(result)
  local rows = {}
  for _, resource in ipairs(result.resources or {}) do
    local used = share(resource)
    if used then
      rows[#rows + 1] = { name = tostring(resource.name), value = used.value, half = used.half }
    end
  end
  if #rows == 0 then return nil end
  local shown, subtitle = largest(rows, "share of the time, of all its servers")
  return plot.bars { title = "How busy each resource is", rows = shown, subtitle = subtitle,
    x = { unit = "%", max = 1, min = 0 } }
end

-- An axis that holds figures of both runs, where one stands beside the other: from the least to the
-- most of two lists.
local function shared(axis, mine, others)
  for _, list in ipairs { mine, others } do
    for _, value in ipairs(list) do
      if value == value then
        axis.min, axis.max = math.min(axis.min or value, value), math.max(axis.max or value, value)
      end
    end
  end
  return axis
end

local function latency_chart(result, beside)
  local histogram = given(result.histogram)
  if not histogram then return nil end
  local edges, total = histogram.edges_s, 0
  local other = beside and given(beside.histogram)
  local x = { unit = "time", log = edges[1] > 0 and not (other and other.edges_s[1] <= 0) }
  for _, count in ipairs(histogram.counts) do total = total + count end
  if total == 0 then return nil end
  return plot.lines(plot.distribution { edges = edges, counts = histogram.counts,
    title = "Latency", subtitle = "share of the requests that took no longer",
    x = other and shared(x, edges, other.edges_s) or x })
end

--- Waiting and service of each stage; nil for fewer than two stages.
---@param result table
---@param beside? table  the result of a run whose chart stands beside it, on the same axis
---@return tandem.SvgChart|nil
function simulated.stage_chart(result, beside)
  local rows, most = {}, 0
  local function both(stage)
    local wait, service = given(stage.wait), given(stage.service)
    if wait and service and given(wait.mean) and given(service.mean) then
      most = math.max(most, wait.mean.value + service.mean.value)
      return wait, service
    end
  end
  for _, stage in ipairs(beside and beside.stages or {}) do both(stage) end
  for _, stage in ipairs(result.stages or {}) do
    local wait, service = both(stage)
    if wait and service then
      rows[#rows + 1] = { name = tostring(stage.name),
        value = wait.mean.value + service.mean.value,
        note = wait.mean.value > 0 and ("· %s waiting"):format(format.time(wait.mean.value))
          or nil }
    end
  end
  if #rows < 2 then return nil end
  local shown, subtitle = largest(rows, "waiting and service, mean")
  return plot.bars { title = "Time per visit", subtitle = subtitle, rows = shown,
    x = { unit = "time", max = beside and most > 0 and most or nil } }
end

-- Requests in the system of each slice of time; nil where they are not told.
local function in_system(result)
  local series = given(result.series)
  if not series or #series.t < 2 then return nil end
  local system = {}
  for i, value in ipairs(series.in_system) do system[i] = given(value) or 0 / 0 end
  return { x = series.t, y = system }
end

local function series_chart(result, beside)
  local mine = in_system(result)
  if not mine then return nil end
  local other, x, y = beside and in_system(beside), { unit = "time" }, { min = 0 }
  if other then x, y = shared(x, mine.x, other.x), shared(y, mine.y, other.y) end
  return plot.lines { title = "Requests in the system", subtitle = "mean of each slice of time",
    x = x, y = y, series = { mine } }
end

--- All charts of a result, with names by which one is asked for.
---@param result table
---@param run? tandem.Run  whose trace has steps of LLM servers
---@param beside? table  the result of a run whose charts stand beside these, on the same axes
---@return { name: string, title: string, chart: tandem.Plot|tandem.SvgChart }[]
function simulated.charts(result, run, beside)
  local out = {}
  local function add(name, title, chart)
    if chart then out[#out + 1] = { name = name, title = title, chart = chart } end
  end
  add("latency", "Latency", latency_chart(result, beside))
  add("in_system", "Requests in the system", series_chart(result, beside))
  add("resources", "How busy each resource is", simulated.utilization(result))
  add("stages", "Time per visit", simulated.stage_chart(result, beside))
  for i, chart in ipairs(windows.charts(result)) do
    add(i > 1 and "windows_" .. i or "windows", chart.title, chart)
  end
  for _, section in ipairs(llm.sections(result, run)) do
    local name = section.title:lower():gsub("[^%w]+", "_"):gsub("^_+", ""):gsub("_+$", "")
    for i, chart in ipairs(section.charts) do
      add(("llm_%s%s"):format(name, i > 1 and "_" .. i or ""), section.title, chart)
    end
  end
  return out
end

local function estimate_column(name, title, kind)
  return { name = name, title = title, align = "right", show = function(value)
    return value and format.quantity(value, kind) or ""
  end }
end

local function stage_table(result)
  local rows = {}
  for i, stage in ipairs(result.stages or {}) do
    local function mean(field)
      local one = given(stage[field])
      return one and given(one.mean) and one.mean.value or nil
    end
    rows[i] = { stage = stage.name, class = given(stage.class), lane = given(stage.lane),
      visits = given(stage.visits), wait_s = mean "wait", service_s = mean "service",
      delayed = given(stage.delayed) }
  end
  if #rows == 0 then return nil end
  return rows_of.new({ columns.text("stage"), columns.text("class"), columns.text("lane"),
    columns.count("visits"), estimate_column("wait_s", "mean wait", "time"),
    estimate_column("service_s", "mean service", "time"),
    estimate_column("delayed", "had to wait", "percent") }, rows)
end

--- Sections of a report; the first bears the group's heading.
---@param result table
---@param run? tandem.Run  whose trace has steps of LLM servers
---@param options? tandem.PageTableOptions  of its tables
---@return tandem.PageSection[]
function simulated.sections(result, run, options)
  local function figures(charts)
    local parts = {}
    for _, chart in ipairs(charts) do parts[#parts + 1] = html.figure(chart) end
    return #parts > 0 and '<div class="figures">' .. table.concat(parts) .. "</div>" or ""
  end
  local sections = {}
  local function add(title, charts, rowtable)
    if #charts == 0 and not rowtable then return end
    sections[#sections + 1] = { title = title, group = #sections == 0 and "The simulation" or nil,
      body = figures(charts) .. (rowtable and tables.of(rowtable, setmetatable({ caption = title,
        spans = { "stage" } }, { __index = options })) or "") }
  end
  local load = {}
  load[1] = latency_chart(result)
  load[#load + 1] = series_chart(result)
  add("Latency and load", load)
  local by_window = windows.rows(result, run)
  if by_window then
    add(("By %s"):format(units.format(result.windows.length_s, "s")), windows.charts(result),
      by_window)
  end
  for _, one in ipairs(llm.sections(result, run)) do add(one.title, one.charts, one.table) end
  add("Stages", { simulated.stage_chart(result) }, stage_table(result))
  return sections
end

return simulated
