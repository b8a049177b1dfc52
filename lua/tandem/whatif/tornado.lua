--- What matters most: every input turned down and up by the same share, one at a time.
--
-- Owns td.tornado and its answer: how far the metric swings for each input, widest first, each
-- swing a paired difference on common random numbers. Which inputs there are, whatif/inputs says.
-- Called by scripts, the shell and `tandem whatif --tornado`.
local column_table = require "tandem.text.columns"
local core = require "tandem.core"
local format = require "tandem.text.format"
local inputs = require "tandem.whatif.inputs"
local metric = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"
local variants = require "tandem.whatif.variants"

local tornado = {}

---@class tandem.TornadoRow
---@field name string
---@field path string
---@field low tandem.Difference     the metric's change with the input turned down
---@field high tandem.Difference    … and up
---@field low_input any             what it was turned to
---@field high_input any
---@field swing number              distance of the two
---@field low_by number             the share by which it was turned down, 0 of a count of one
---@field high_by number            … and up
---@field coarse boolean|nil        a count, turned by so much more or less than the others that
---                                 its swing is not to be held against theirs

---@class tandem.Tornado
---@field name string
---@field metric string
---@field by number
---@field base tandem.Estimate
---@field rows tandem.TornadoRow[]  widest swing first; coarse ones behind the others
---@field overloaded boolean        the base does not keep up
---@field failed { name: string, message: string }[]
local Tornado = { __name = "tandem.Tornado" }
Tornado.__index = Tornado

---@class tandem.TornadoOptions: tandem.VariantOptions
---@field metric string|nil          default: "latency.p99"
---@field by number|string|nil       0.1, or "10%"
---@field inputs string[]|nil        paths (default: all that are found)

local function share(by)
  if by == nil then return 0.1 end
  local value = tonumber(by) or type(by) == "string" and tonumber(by:match "^%s*([%d.]+)%s*%%%s*$")
  if type(by) == "string" and by:find "%%" and value then value = value / 100 end
  if not value or not (value > 0 and value < 1) then
    error(("by: wants a share above 0 and below 100 %%, such as \"10%%\" or 0.1, not %s"):format(
      tostring(by)), 0)
  end
  return value
end

local function chosen(base, paths)
  local found = inputs.of(base)
  if not paths then return found end
  local by_path, known, out = {}, {}, {}
  for i, input in ipairs(found) do
    by_path[input.path], known[i] = input, input.path
  end
  local aliases = require("tandem.scenario.overrides").aliases
  for i, path in ipairs(paths) do
    out[i] = by_path[path] or by_path[aliases[path] or ""]
    if not out[i] then
      error(("inputs: '%s' is not an input of this scenario; %s"):format(path,
        nearest.hint(path, known)), 0)
    end
  end
  return out
end

-- The run says so, or its load does: one that comes in bursts hides it from a run.
local function is_overloaded(base, row)
  local bounds = require "tandem.plan.bounds"
  local one = bounds.of(base)
  return row.metrics.overload == true
    or not one.lossy and not one.closed and bounds.forecast(one).utilization >= 1
end

-- Turned down and up; a count of one cannot be turned down.
local function turns(found, by)
  local list, rows = {}, {}
  for _, input in ipairs(found) do
    local row = { name = input.name, path = input.path,
      low_input = inputs.turned(input, 1 - by), high_input = inputs.turned(input, 1 + by) }
    row.low_by, row.high_by = inputs.shares(input, row.low_input, row.high_input, by)
    row.coarse = math.max(math.abs(row.low_by - by), math.abs(row.high_by - by)) > by / 2 or nil
    rows[#rows + 1] = row
    for _, side in ipairs { "low", "high" } do
      list[#list + 1] = { name = row.name .. " " .. side,
        changes = { [row.path] = row[side .. "_input"] } }
    end
  end
  return list, rows
end

--- Turn every input of a scenario down and up and see what the metric does.
---@param base tandem.Scenario
---@param options tandem.TornadoOptions|nil
---@return tandem.Tornado
function tornado.run(base, options)
  options = options or {}
  local stranger = nearest.stranger(options, table.move(variants.options, 1, #variants.options, 3,
    { "by", "inputs" }))
  if stranger then error("td.tornado: " .. stranger, 2) end
  local path, by = options.metric or "latency.p99", share(options.by)
  local list, rows = turns(chosen(base, options.inputs), by)
  if #rows == 0 then error("this scenario has no number that could be turned", 0) end
  local settings = {}
  for k, v in pairs(options) do settings[k] = v end
  settings.metrics = { path }
  local done, interrupted = variants.run(base, list, settings)
  if not done[1].ok then
    error(core.guard.interrupted() and "interrupted" or "the base fails: " .. done[1].message, 0)
  end
  if type(done[1].metrics[path]) ~= "table" then
    error(("metric: '%s' is not a number of this scenario; %s"):format(path,
      nearest.hint(path, nearest.sorted_keys(done[1].metrics))), 0)
  end
  local kept, failed = {}, {}
  for i, row in ipairs(rows) do
    local low, high = done[2 * i], done[2 * i + 1]
    row.low, row.high = low.differences[path], high.differences[path]
    if row.low and row.high then
      row.swing = math.abs(row.high.value - row.low.value)
      kept[#kept + 1] = row
    else
      failed[#failed + 1] = { name = row.name, message = low.message or high.message
        or "no figure" }
    end
  end
  table.sort(kept, function(a, b)
    if a.coarse ~= b.coarse then return not a.coarse end
    if a.swing ~= b.swing then return a.swing > b.swing end
    return a.path < b.path
  end)
  return setmetatable({ name = base.name, metric = path, by = by,
    base = done[1].metrics[path], rows = kept, failed = failed, interrupted = interrupted,
    overloaded = is_overloaded(base, done[1]) }, Tornado)
end

local function signed(difference, path)
  local shown = format.quantity(math.abs(difference.value), metric.kind(path))
  return (difference.value < 0 and "-" or "+") .. shown
end

local function input_words(value)
  if type(value) ~= "number" then return nil end
  return math.type(value) == "integer" and tostring(value) or nil
end

-- "1.83 s at 3": the figure at an end that is a count.
local function end_words(self, input, change)
  local words = input_words(input)
  return words and ("%s at %s"):format(ticks.value(self.base.value + change,
    { unit = metric.unit(self.metric) }), words)
end

-- "(2, 4: −33 %, +33 %)" of a count.
local function count_words(row)
  if math.type(row.low_input) ~= "integer" then return "" end
  local values = ("%d, %d"):format(row.low_input, row.high_input)
  if not row.coarse then return (" (%s)"):format(values) end
  return (" (%s: -%s, +%s)"):format(values, format.percent(row.low_by), format.percent(row.high_by))
end

--- The swings as a table with bars around the base.
---@param style tandem.Style|nil
---@return string
function Tornado:report(style)
  style = style or styles.detect(1)
  local by = ("%g %%"):format(self.by * 100)
  local columns = { { title = "input", wrap = true }, { title = "-" .. by, align = "right" },
    { title = "+" .. by, align = "right" }, { title = "swing of " .. metric.title(self.metric),
      flexible = 40 } }
  local most = 0
  for _, row in ipairs(self.rows) do most = math.max(most, row.swing) end
  local lines, coarse = {}, false
  for _, row in ipairs(self.rows) do
    local clear = math.max(math.abs(row.low.value) - (row.low.half or 0),
      math.abs(row.high.value) - (row.high.half or 0)) > 0
    if row.coarse and not coarse then
      coarse = true
      lines[#lines + 1] = { { text = ("not by %s:"):format(by), color = "dim" }, "", "", "" }
    end
    lines[#lines + 1] = { row.name .. count_words(row), signed(row.low, self.metric),
      signed(row.high, self.metric), function(width)
        local length = most > 0 and math.floor(row.swing / most * width + 0.5) or 0
        if clear then return length > 0 and string.rep("█", length) or "▏" end
        return string.rep("░", math.max(1, length))
      end }
  end
  local text = column_table.lines(columns, lines, { style = style })
  table.insert(text, 1, style:text(("%s of %s is %s; each input turned by %s, the rest unchanged")
    :format(metric.title(self.metric), self.name, metric.show(self.base, self.metric), by)))
  if coarse then
    text[#text + 1] = ""
    text[#text + 1] = style:text(("A count changes by one at least; where that is not %s, its "
      .. "swing is not comparable."):format(by))
  end
  if self.overloaded then
    text[#text + 1] = ""
    text[#text + 1] = style:text(("%s is overloaded as it is: its times grow with the run, and so "
      .. "do these swings."):format(self.name))
  end
  for _, one in ipairs(self.failed) do
    text[#text + 1] = style:text(("%s could not be turned: %s"):format(one.name, one.message))
  end
  return table.concat(text, "\n")
end

Tornado.__tostring = function(self) return self:report() end

--- The tornado chart: as an SVG file, or in the terminal.
---@param path string|nil
---@return any plot  nil, message when the file could not be written
function Tornado:plot(path)
  local rows, share_words = {}, ("%g %%"):format(self.by * 100)
  for _, row in ipairs(self.rows) do
    rows[#rows + 1] = row.swing > 0 and { name = row.name .. count_words(row),
      low = self.base.value + row.low.value, high = self.base.value + row.high.value,
      low_label = end_words(self, row.low_input, row.low.value),
      high_label = end_words(self, row.high_input, row.high.value) } or nil
  end
  local spec = { title = ("%s: what moves %s"):format(self.name, metric.title(self.metric)),
    base = self.base.value, unit = metric.unit(self.metric), rows = rows, ends = false,
    label = metric.title(self.metric),
    low_name = share_words .. " less", high_name = share_words .. " more" }
  local chart = require("tandem.plot").tornado(spec)
  if not path then return chart end
  local ok, message = chart:save(path)
  if not ok then return nil, message end
  return chart
end

--- As JSON, schema tandem.tornado/1; ends with a line end.
---@return string
function Tornado:to_json()
  local rows = {}
  for i, row in ipairs(self.rows) do
    rows[i] = { name = row.name, path = row.path, low = row.low, high = row.high,
      swing = row.swing, low_by = row.low_by, high_by = row.high_by, coarse = row.coarse,
      low_input = type(row.low_input) == "number" and row.low_input or nil,
      high_input = type(row.high_input) == "number" and row.high_input or nil }
  end
  return require("tandem.io.json").encode({ schema = "tandem.tornado/1", name = self.name,
    metric = self.metric, by = self.by, base = self.base, inputs = rows,
    overloaded = self.overloaded or nil, failed = #self.failed > 0 and self.failed or nil },
    { indent = 2, lists = { inputs = true, failed = true } }) .. "\n"
end

return tornado
