--- The tables of a result: which columns they have and how each number is written.
--
-- Owns the per-stage, per-resource, per-class and latency tables, used by the text report and by
-- result:table(). Layout is text/columns.lua's.
local bar = require "tandem.plot.bar"
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local columns = {}

---@class tandem.PrintableTable
---@field columns tandem.Column[]
---@field rows tandem.Cell[][]
---@field style tandem.Style
---@field weights? number[]   of the rows: which matter where there is no room for all
local PrintableTable = {}
PrintableTable.__index = PrintableTable

--- A table that prints itself.
---@param titles tandem.Column[]
---@param rows tandem.Cell[][]
---@param style tandem.Style
---@param weights? number[]
---@return tandem.PrintableTable
local function printable(titles, rows, style, weights)
  return setmetatable({ columns = titles, rows = rows, style = style, weights = weights },
    PrintableTable)
end
columns.printable = printable

--- The lines of the table.
---@param indent? integer
---@return string[]
function PrintableTable:lines(indent)
  return column_table.lines(self.columns, self.rows, { style = self.style, indent = indent })
end

-- The places of the heaviest rows, in the order of the table.
local function heaviest(weights, count)
  local order = {}
  for index = 1, #weights do order[index] = index end
  table.sort(order, function(a, b)
    if weights[a] ~= weights[b] then return weights[a] > weights[b] end
    return a < b
  end)
  local kept = table.move(order, 1, count, 1, {})
  table.sort(kept)
  return kept
end

--- The lines of the table where it has at most so many rows; of a longer one those of the rows
--- that matter most, and how many others there are.
---@param indent integer
---@param most integer
---@param of string  what its rows are: "stages"
---@return string[]
function PrintableTable:head(indent, most, of)
  if #self.rows <= most then return self:lines(indent) end
  local rows = {}
  for place, index in ipairs(heaviest(self.weights, most)) do rows[place] = self.rows[index] end
  local lines = printable(self.columns, rows, self.style):lines(indent)
  local others = ("… and %s other %s"):format(format.integer(#self.rows - most), of)
  lines[#lines + 1] = (" "):rep(indent) .. self.style:paint(self.style:text(others), "dim")
  return lines
end

PrintableTable.__tostring = function(self)
  return table.concat(self:lines(), "\n")
end

--- Seconds that a request of the class spends at a stage, waiting and being served, over all its
--- visits.
---@param result tandem.Result
---@param stage table
---@return number waiting
---@return number service
function columns.time_per_request(result, stage)
  local completed = 0
  for _, class in ipairs(result.classes) do
    if stage.class == nil or class.name == stage.class then
      completed = completed + class.completed
    end
  end
  -- Visits count for all requests; per completed one they are what its latency is made of.
  local visits = completed > 0 and stage.visits / completed or 0
  return visits * (stage.wait.mean.value or 0), visits * (stage.service.mean.value or 0)
end

-- Seconds that a request of each class spends at all its stages, by its name.
local function time_of_classes(result)
  local sums = {}
  for _, stage in ipairs(result.stages) do
    local waiting, service = columns.time_per_request(result, stage)
    sums[stage.class] = (sums[stage.class] or 0) + waiting + service
  end
  return sums
end

local function has(list, field)
  for _, item in ipairs(list) do
    if item[field] then
      return true
    end
  end
  return false
end

--- Per stage: waiting and service, and its share of a request's time.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.stages(result, style)
  local several, batched = #result.classes > 1, has(result.stages, "batch")
  local titles = {}
  if several then
    titles[1] = { title = "class" }
  end
  table.move({ { title = "stage" }, { title = "lane", optional = 1 },
    { title = "waiting", align = "right" }, { title = "service", align = "right" } },
    1, 4, #titles + 1, titles)
  if batched then
    titles[#titles + 1] = { title = "batch", align = "right" }
  end
  table.move({ { title = "delayed", align = "right", optional = 2 },
    { title = "share", align = "right" }, { title = "", flexible = 24 } },
    1, 3, #titles + 1, titles)
  local rows, totals, times = {}, time_of_classes(result), {}
  for index, stage in ipairs(result.stages) do
    local waiting, service = columns.time_per_request(result, stage)
    local total = totals[stage.class]
    local row = several and { styles.clean(stage.class) } or {}
    row[#row + 1] = styles.clean(stage.name)
    row[#row + 1] = stage.lane
    row[#row + 1] = format.estimate(stage.wait.mean, "time")
    row[#row + 1] = format.estimate(stage.service.mean, "time")
    if batched then
      row[#row + 1] = stage.batch and format.quantity(stage.batch.value, "count") or ""
    end
    row[#row + 1] = format.percent(stage.delayed)
    row[#row + 1] = format.percent(total > 0 and (waiting + service) / total or 0)
    row[#row + 1] = function(width)
      return bar.split(service, waiting, total, width, style)
    end
    rows[index], times[index] = row, waiting + service
  end
  return printable(titles, rows, style, times)
end

-- "L40#2 gpu" of the GPU "L40#2" → "L40", " gpu": GPUs of a kind are shown as one row.
local function split_name(resource)
  local gpu = resource.gpu
  if resource.replica then
    return resource.name:match "^(.*)#%d+$" or resource.name, ""
  end
  if not gpu or not resource.kind or resource.name:sub(1, #gpu) ~= gpu then
    return nil
  end
  return resource.kind, resource.name:sub(#gpu + 1)
end

-- What was never measured (no time was observed) counts as nothing.
local function measured(estimate)
  if estimate and estimate.value then
    return estimate
  end
  return { value = 0 }
end

---@class tandem.ResourceGroup
---@field name string         "L40 ×3 gpu", or the resource's own name
---@field lane string
---@field servers number      of each member
---@field members table[]
---@field utilization tandem.Estimate  of the busiest member
---@field least number        utilization of the least busy member
---@field queue tandem.Estimate        of the longest queue
---@field least_queue number
---@field max_wait number
---@field down? number        largest fraction of time down

--- Resources with the GPUs of a kind folded together, in order of first appearance.
---@param result tandem.Result
---@return tandem.ResourceGroup[]
function columns.groups(result)
  local groups, by_key = {}, {}
  for _, resource in ipairs(result.resources) do
    local kind, rest = split_name(resource)
    local key = kind and kind .. "\0" .. rest .. "\0" .. tostring(resource.servers)
    local group = key and by_key[key]
    local busy, queue = measured(resource.utilization), measured(resource.queue)
    if not group then
      group = {
        name = resource.name, kind = kind, rest = rest, lane = resource.lane,
        servers = resource.servers, members = {}, utilization = busy, least = busy.value,
        queue = queue, least_queue = queue.value, max_wait = resource.max_wait or 0,
        down = resource.down,
      }
      groups[#groups + 1] = group
      if key then
        by_key[key] = group
      end
    else
      if busy.value > group.utilization.value then
        group.utilization = busy
      end
      if queue.value > group.queue.value then
        group.queue = queue
      end
      group.least = math.min(group.least, busy.value)
      group.least_queue = math.min(group.least_queue, queue.value)
      group.max_wait = math.max(group.max_wait, resource.max_wait or 0)
      group.down = group.down and math.max(group.down, resource.down or 0) or resource.down
    end
    group.members[#group.members + 1] = resource
  end
  for _, group in ipairs(groups) do
    if #group.members > 1 then
      group.name = ("%s ×%d%s"):format(group.kind, #group.members, group.rest)
    end
  end
  return groups
end

--- "50.1 % – 80 %" for a group, "80 ± 1 %" for one resource.
local function span(group, least, most, kind)
  if #group.members == 1 then
    return format.estimate(most, kind)
  end
  if kind == "count" and most.value > 0 and most.value < 1e-4 then
    return "< 0.0001"
  end
  local low, high = format.quantity(least, kind), format.quantity(most.value, kind)
  return low == high and low or low:gsub(" %%$", "") .. " – " .. high
end

--- Per resource: how busy it was and how long its queue.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.resources(result, style)
  local groups = columns.groups(result)
  local fails = has(groups, "down")
  local titles = { { title = "resource" }, { title = "lane", optional = 1 },
    { title = "servers", align = "right" }, { title = "in use", align = "right" },
    { title = "", flexible = 16 }, { title = "queue", align = "right" },
    { title = "longest wait", align = "right", optional = 2 } }
  if fails then
    titles[#titles + 1] = { title = "down", align = "right" }
  end
  local rows, uses = {}, {}
  for index, group in ipairs(groups) do
    local busy, endless = group.utilization.value, group.servers == math.huge
    local servers = format.integer(group.servers)
    if group.members[1].bytes then
      servers = format.bytes(group.members[1].bytes)
    end
    local row = {
      styles.clean(group.name), group.lane,
      #group.members > 1 and servers .. " each" or servers,
      -- Without a limit there is no fraction, only how many are at work.
      endless and format.estimate(group.utilization, "count") .. " busy"
        or { text = span(group, group.least, group.utilization, "percent"),
          color = busy >= 0.9 and "red" or busy >= 0.7 and "yellow" or nil },
      function(width)
        return endless and "" or bar.line(busy, width, style, true)
      end,
      span(group, group.least_queue, group.queue, "count"),
      group.members[1].max_wait and format.time(group.max_wait) or "–",
    }
    if fails then
      row[#row + 1] = format.percent(group.down)
    end
    rows[index], uses[index] = row, endless and 0 or busy
  end
  return printable(titles, rows, style, uses)
end

--- The time within which a class's requests count as goodput; nil without an objective in time.
---@param result tandem.Result
---@param index integer of the class
---@return number|nil seconds
function columns.time_limit(result, index)
  local class = result.classes[index]
  local scenario = result:scenario()
  local wanted = scenario and scenario.resolved and scenario.resolved[index]
  local limit = class.slo_s or wanted and wanted.slo and wanted.slo.deadline
  if limit then
    return limit
  end
  -- The widest limit on a latency, as the planner has it.
  for _, slo in ipairs(class.slo or {}) do
    local of = require("tandem.language.objectives").parts(slo.metric)
    if require("tandem.result").metric_kind(of) == "time" and not slo.metric:find "_" then
      limit = math.max(limit or 0, slo.of_limit or slo.limit)
    end
  end
  return limit
end

--- Per class: what became of its requests.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.classes(result, style)
  local titles = { { title = "class" }, { title = "arrived", align = "right" },
    { title = "completed", align = "right" }, { title = "lost", align = "right" },
    { title = "mean", align = "right", optional = 1 }, { title = "p99", align = "right" } }
  local rows, limits, arrived = {}, {}, {}
  for index, class in ipairs(result.classes) do
    arrived[index] = class.arrived
    limits[index] = columns.time_limit(result, index)
    rows[index] = { styles.clean(class.name), format.integer(class.arrived),
      format.integer(class.completed),
      format.integer((class.dropped or 0) + (class.abandoned or 0) + (class.timed_out or 0)),
      format.estimate(class.latency.mean, "time"), format.estimate(class.latency.p99, "time") }
  end
  if next(limits) then
    titles[#titles + 1] = { title = "goodput", align = "right", optional = 2 }
    titles[#titles + 1] = { title = "in time", align = "right" }
    for index, class in ipairs(result.classes) do
      local row, judged = rows[index], limits[index] ~= nil
      row[#row + 1] = judged and format.estimate(class.goodput_rps, "rate") or "–"
      row[#row + 1] = judged and class.slo_met and format.percent(class.slo_met.value) or "–"
    end
  end
  return printable(titles, rows, style, arrived)
end

-- Field, name, and the fraction of requests beyond it.
columns.PERCENTILES = { { "mean", "mean", math.huge }, { "p50", "p50", 0.5 }, { "p90", "p90", 0.1 },
  { "p95", "p95", 0.05 }, { "p99", "p99", 0.01 }, { "p999", "p99.9", 0.001 } }

--- Latency: mean, percentiles and maximum with their intervals, each with a bar.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.latency(result, style)
  local latency = result.latency
  local scale = latency.max
  if not scale or scale ~= scale or scale <= 0 then
    scale = measured(latency.p999).value
  end
  -- A percentile that not even one request of a replication lies beyond is that run's maximum.
  local each, rows, weak = result.requests / math.max(1, result.replications), {}, false
  local function add(label, estimate, beyond)
    local value, half = format.estimate_parts(estimate, "time")
    local note = format.needs(estimate)
    if not note and not estimate.half and each * beyond < 1 and estimate.value ~= nil then
      note = "too few requests"
    end
    weak = weak or note ~= nil
    rows[#rows + 1] = { label, value, half, function(width)
      return bar.line(scale > 0 and (estimate.value or 0) / scale or 0, width, style)
    end, { text = note or "", color = "dim" } }
  end
  for _, percentile in ipairs(columns.PERCENTILES) do
    if latency[percentile[1]] then
      add(percentile[2], latency[percentile[1]], percentile[3])
    end
  end
  add("max", { value = latency.max }, math.huge)
  local titles = { { title = "" }, { title = "", align = "right" },
    { title = "", align = "right" }, { title = "", flexible = 48 } }
  if weak then
    titles[5] = { title = "" }
  end
  return printable(titles, rows, style)
end

--- The first requests of the log, when one was kept.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.requests(result, style)
  local rows = {}
  for index, request in ipairs(result.requests_log or {}) do
    rows[index] = { tostring(request.id), styles.clean(request.class or ""),
      format.time(request.arrival_s), format.time(request.latency_s) }
  end
  return printable({ { title = "request", align = "right" }, { title = "class" },
    { title = "arrived at", align = "right" }, { title = "latency", align = "right" } },
    rows, style)
end

--- Times of LLM servers.
---@param result tandem.Result
---@param style tandem.Style
---@return tandem.PrintableTable
function columns.llm(result, style)
  local titles, rows = require("tandem.report.llm").times(result)
  return printable(titles, rows, style)
end

--- The names that there are.
columns.names = { "stages", "resources", "classes", "latency", "requests", "llm" }

--- A table by name; a name that is none raises.
---@param result tandem.Result
---@param name string
---@param style? tandem.Style
---@return tandem.PrintableTable
function columns.of(result, name, style)
  for _, known in ipairs(columns.names) do
    if known == name then
      return columns[name](result, style or styles.detect(1))
    end
  end
  error(("a result has no table '%s'; %s"):format(tostring(name),
    require("tandem.text.nearest").hint(name, columns.names)), 3)
end

return columns
