--- How the table of a sweep is printed: axes, then what matters of the metrics.
-- Owns which columns and how many rows are shown and what is said of the rest. Called by
-- sweep/table.
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"
local metric = require "tandem.result.metric"
local styles = require "tandem.plot.style"
local units = require "tandem.units"

local print_of = {}

-- What is shown when nobody asked for metrics.
local USUAL = { "latency.p50", "latency.p99", "ttft_p99", "tpot_p99", "lost", "throughput_rps",
  "output_tokens_per_s", "usd_per_million_tokens", "utilization", "bottleneck", "met",
  "usd_per_hour" }
-- What of it goes first where there is no room; what was asked for goes from the right.
local DROPPED = { "bottleneck", "throughput_rps", "usd_per_hour", "latency.p50", "utilization",
  "latency.p99" }
-- Rows that fit on a screen or two.
local MOST_ROWS <const> = 100

--- A value of an axis for people.
---@param axis tandem.SweepAxis
---@param value any
---@return string
function print_of.axis_text(axis, value)
  if value == nil then return "–" end
  if type(value) ~= "number" then return tostring(value) end
  if axis.dim ~= "1" then return units.format(value, axis.dim) end
  return math.type(value) == "integer" and tostring(value) or ("%.6g"):format(value)
end

local function is_text(self, path)
  for _, row in ipairs(self.rows) do
    if row[path] ~= nil then return type(row[path]) == "string" end
  end
  return false
end

local function shown_metrics(self)
  if self.chosen then return self.metrics end
  local has, out = {}, {}
  for _, path in ipairs(self.metrics) do has[path] = true end
  if self.bursts and has.offered_rps then out[1] = "offered_rps" end
  for _, path in ipairs(USUAL) do
    if has[path] then out[#out + 1] = path end
  end
  return #out > 0 and out or self.metrics
end

local function metric_cell(row, path)
  local value = row[path]
  local text = styles.clean(metric.show(type(value) == "number"
    and { value = value, half = row.half[path], needs = row.needs[path] } or value, path))
  local model = row.model[path]
  if model then
    text = ("%s (%s)"):format(text, require("tandem.report.doubt").range({ model = model },
      metric.kind(path)))
  end
  if path == "met" and row.unsure then return { text = "≈ " .. text, color = "yellow" } end
  if path == "met" then return { text = text, color = value and "green" or "red" } end
  if path == "utilization" and type(value) == "number" then
    return { text = text, color = value >= 0.9 and "red" or value >= 0.7 and "yellow" or nil }
  end
  return text
end

-- Leaves out columns until a row fits; the axes and one metric always stay. Returns the titles of
-- those that went, in the order of the columns.
local function leave_out(columns, rows, paths, room, usual)
  local widths, total, gone = {}, -2, {}
  for i, column in ipairs(columns) do
    widths[i] = styles.columns(column.title)
    for _, row in ipairs(rows) do
      local cell = row[i]
      widths[i] = math.max(widths[i], styles.columns(type(cell) == "table" and cell.text or cell))
    end
    total = total + widths[i] + 2
  end
  local axes_count, left, next_drop = #columns - #paths, #paths, 1
  while total > room and left > 1 do
    local wanted, index = usual and DROPPED[next_drop], nil
    next_drop = next_drop + 1
    for i = #paths, 1, -1 do
      if not gone[i] and (paths[i] == wanted or not wanted) then
        index = i
        break
      end
    end
    if index then
      gone[index], left, total = true, left - 1, total - widths[axes_count + index] - 2
    end
  end
  local titles = {}
  for i = #paths, 1, -1 do
    if gone[i] then
      table.insert(titles, 1, columns[axes_count + i].title)
      table.remove(columns, axes_count + i)
      for _, row in ipairs(rows) do table.remove(row, axes_count + i) end
    end
  end
  return titles
end

-- What the runs of a point are too short for, of what is shown.
local function needs_words(self, paths)
  local most, alone = 0, false
  for _, row in ipairs(self.rows) do
    for _, path in ipairs(paths) do
      local needs = row.needs[path]
      most = math.max(most, needs and needs.requests or 0)
      alone = alone or needs and needs.by == "replications"
    end
  end
  if alone then
    return "≈ is one run of a load that moves, and such runs differ: more replications would tell"
  end
  if most == 0 then return nil end
  return ("≈ has no interval: that needs up to about %s requests a point"):format(
    format.about(most))
end

-- Where "met" goes by the estimate.
local function unsure_words(self)
  local points = 0
  for _, row in ipairs(self.rows) do points = points + (row.unsure == true and 1 or 0) end
  if points == 0 then return nil end
  return ("met is by the estimate and not sure at %s"):format(format.plural(points, "point"))
end

-- Where requests are lost, "met" and latencies are of those that were served.
local function lost_words(self)
  local points, most = 0, 0
  for _, row in ipairs(self.rows) do
    if type(row.lost) == "number" and row.lost > 0 then
      points, most = points + 1, math.max(most, row.lost)
    end
  end
  if points == 0 then return nil end
  return ("%s requests (%s%s): latencies and met there are of those served"):format(
    points == 1 and "1 point loses" or format.integer(points) .. " points lose",
    points == 1 and "" or "up to ", format.percent(most))
end

local function doubt_words(self)
  for _, row in ipairs(self.rows) do
    if next(row.model) then return "in brackets what the model leaves open, 90 %" end
  end
end

-- Notes in lines, as many in one as its width has room for.
local function together(said, width)
  local lines = {}
  for _, note in ipairs(said) do
    local longer = #lines > 0 and lines[#lines] .. " · " .. note
    if longer and styles.columns(longer) <= width then
      lines[#lines] = longer
    else
      for _, line in ipairs(styles.wrap(note, width)) do lines[#lines + 1] = line end
    end
  end
  return lines
end

local function notes(self, paths, hidden, left)
  local out = { doubt_words(self) }
  if left > 0 then
    out[#out + 1] = format.plural(left, "more row")
  end
  if #hidden > 0 then
    out[#out + 1] = "not shown: " .. table.concat(hidden, ", ")
  end
  if self.bursts then
    out[#out + 1] = ("%s is the rate of a burst, not the mean"):format(self.bursts)
  end
  local over = 0
  for _, row in ipairs(self.rows) do over = over + (row.overload == true and 1 or 0) end
  if over > 0 then
    out[#out + 1] = ("%s overloaded: latencies there grow with the run"):format(
      over == 1 and "1 point is" or format.integer(over) .. " points are")
  end
  local unsettled = 0
  for _, row in ipairs(self.rows) do
    unsettled = unsettled + (row.unsettled == true and 1 or 0)
  end
  if unsettled > 0 then
    out[#out + 1] = ("%s too short to tell whether a server keeps up"):format(
      format.plural(unsettled, "point"))
  end
  out[#out + 1] = lost_words(self)
  out[#out + 1] = needs_words(self, paths)
  out[#out + 1] = unsure_words(self)
  if #self.failed > 0 then out[#out + 1] = format.plural(#self.failed, "point") .. " failed" end
  local answered = #self.rows + #self.failed
  if self.interrupted then
    out[#out + 1] = ("interrupted: %s of %s points are here"):format(format.integer(answered),
      format.integer(self.points))
  end
  return out
end

--- The table as text, without a line end.
---@param self tandem.Sweep
---@param style? tandem.Style
---@param options? { rows?: integer }
---@return string
function print_of.text(self, style, options)
  style = style or styles.detect(1)
  local most = options and options.rows or MOST_ROWS
  local paths = shown_metrics(self)
  local columns, rows = {}, {}
  for i, axis in ipairs(self.axes) do
    columns[i] = { title = axis.name, align = axis.numeric and "right" or "left" }
  end
  for _, path in ipairs(paths) do
    columns[#columns + 1] = { title = metric.title(path),
      align = is_text(self, path) and "left" or "right" }
  end
  for i = 1, math.min(#self.rows, most) do
    local row, cells = self.rows[i], {}
    for k, axis in ipairs(self.axes) do
      cells[k] = styles.clean(print_of.axis_text(axis, row[axis.name]))
    end
    for _, path in ipairs(paths) do cells[#cells + 1] = metric_cell(row, path) end
    rows[i] = cells
  end
  local hidden = leave_out(columns, rows, paths, style.width, not self.chosen)
  local head = ("%s  %s"):format(style:paint(styles.clean(self.name), "bold"),
    style:text(("%s · %s · seed %s"):format(format.plural(self.points, "point"),
      format.plural(self.replications or 1, "replication"), self.seed or "–")))
  local lines = { head }
  if #rows > 0 then
    table.move(column_table.lines(columns, rows, { style = style }), 1, #rows + 1, 2, lines)
  else
    lines[2] = "no rows"
  end
  for _, caution in ipairs(self.cautions or {}) do
    for _, line in ipairs(styles.wrap(style:text(styles.clean(caution)), style.width)) do
      lines[#lines + 1] = style:paint(line, "yellow")
    end
  end
  for _, line in ipairs(together(notes(self, paths, hidden, #self.rows - #rows), style.width)) do
    lines[#lines + 1] = style:paint(style:text(line), "dim")
  end
  return table.concat(lines, "\n")
end

return print_of
