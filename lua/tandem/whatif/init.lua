--- What if: variants of a scenario against it, with paired differences.
--
-- Owns td.whatif and the answer it gives; running is whatif/variants, one input at a time is
-- whatif/tornado. Called by scripts, the shell and `tandem whatif`.
local column_table = require "tandem.text.columns"
local core = require "tandem.core"
local format = require "tandem.text.format"
local metric = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"
local variants = require "tandem.whatif.variants"

local whatif = {}

---@class tandem.WhatIf
---@field name string
---@field metric string
---@field base tandem.VariantRow
---@field rows tandem.VariantRow[]     variants, in the order given
---@field interrupted boolean
local WhatIf = { __name = "tandem.WhatIf" }
WhatIf.__index = WhatIf

-- Columns beside the metric in question, as far as there is room.
local BESIDE = { "latency.p50", "latency.p99", "throughput_rps", "utilization", "usd_per_hour" }

---@class tandem.WhatIfOptions: tandem.VariantOptions
---@field metric string|nil  what the variants are judged by (default: "latency.p99")

local function check_metric(rows, path)
  if rows[1].ok and rows[1].metrics[path] == nil then
    local known = nearest.sorted_keys(rows[1].metrics)
    error(("metric: a result of this scenario has no '%s'; %s"):format(path,
      nearest.hint(path, known)), 0)
  end
end

--- Compare variants with a base: td.whatif(base, { ["2x link"] = { ["target.h2d"] = "50GB/s" } }).
--- A variant is what base:with takes, another scenario, or a function of the base that returns one
--- of them; a list { { name, variant }, … } keeps its order.
---@param base tandem.Scenario
---@param given table<string, table|tandem.Scenario|function>|table[]
---@param options tandem.WhatIfOptions|nil
---@return tandem.WhatIf
function whatif.run(base, given, options)
  options = options or {}
  local stranger = nearest.stranger(options, { "doubt", table.unpack(variants.options) })
  if stranger then error("td.whatif: " .. stranger, 2) end
  local path = options.metric or "latency.p99"
  local settings = {}
  for k, v in pairs(options) do settings[k] = v end
  settings.metrics = { path }
  local list = variants.read(base, given)
  local rows, interrupted = variants.run(base, list, settings)
  if options.doubt and not interrupted then
    interrupted = variants.doubt(base, list, rows, settings)
  end
  if not rows[1].ok then
    interrupted = interrupted or core.guard.interrupted()
    error(interrupted and "interrupted" or "the base fails: " .. rows[1].message, 0)
  end
  check_metric(rows, path)
  return setmetatable({ name = base.name, metric = path, base = table.remove(rows, 1),
    rows = rows, interrupted = interrupted, cautions = variants.cautions(base, list) }, WhatIf)
end

--- The row of a variant.
---@param name string
---@return tandem.VariantRow|nil
function WhatIf:row(name)
  if name == "base" then return self.base end
  for _, row in ipairs(self.rows) do
    if row.name == name then return row end
  end
end

--- Which rows nobody beats in both: less cost and a better metric. Base included, cheapest first.
---@param cost string|nil    "usd_per_hour" where it is known, else "gpus"
---@param path string|nil    the metric in question
---@return tandem.VariantRow[]
function WhatIf:pareto(cost, path)
  path = path or self.metric
  local all = { self.base }
  for _, row in ipairs(self.rows) do all[#all + 1] = row end
  cost = cost or self:cost()
  local sign = metric.more_is_better(path) and -1 or 1
  local known = {}
  for _, row in ipairs(all) do
    local x, y = row.metrics[cost], row.metrics[path]
    if row.ok and type(x) == "table" and type(y) == "table" then
      known[#known + 1] = { row = row, x = x.value, y = sign * y.value }
    end
  end
  table.sort(known, function(a, b)
    if a.x ~= b.x then return a.x < b.x end
    if a.y ~= b.y then return a.y < b.y end
    return a.row.name < b.row.name
  end)
  local front, best = {}, math.huge
  for _, one in ipairs(known) do
    if one.y < best then
      front[#front + 1] = one.row
      best = one.y
    end
  end
  return front
end

--- What a variant's cost is counted in: dollars where every row has a price, else GPUs.
---@return string
function WhatIf:cost()
  local priced = self.base.metrics.usd_per_hour ~= nil
  for _, row in ipairs(self.rows) do
    priced = priced and (not row.ok or row.metrics.usd_per_hour ~= nil)
  end
  return priced and "usd_per_hour" or "gpus"
end

-- "better", "worse", or nil where an interval, luck's or the model's, contains no change.
local function verdict(difference, path)
  if not difference or not difference.half or math.abs(difference.value) <= difference.half then
    return nil
  end
  local more, model = metric.more_is_better(path), difference.model
  if more == nil or model and model.low < 0 and model.high > 0 then return nil end
  return (difference.value > 0) == more and "better" or "worse"
end

local function change_cells(difference, path)
  if not difference then return "–", "" end
  local sign = difference.value < 0 and "-" or "+"
  local shown = format.estimate({ value = math.abs(difference.value), half = difference.half },
    metric.kind(path))
  local relative = difference.relative
    and ("%s%s"):format(difference.relative < 0 and "-" or "+",
      format.percent(math.abs(difference.relative))) or ""
  return sign .. shown, relative
end

-- What the model leaves open of a change.
local function model_cell(difference, path)
  local model = difference and difference.model
  if not model then return "–" end
  local kind = metric.kind(path)
  local function signed(value)
    return (value < 0 and "-" or "+") .. format.quantity(math.abs(value), kind)
  end
  return ("%s … %s"):format(signed(model.low), signed(model.high))
end

--- The comparison as an aligned table.
---@param style tandem.Style|nil
---@return string
function WhatIf:report(style)
  style = style or styles.detect(1)
  local columns = { { title = "variant", wrap = true },
    { title = metric.title(self.metric), align = "right" },
    { title = "change", align = "right" }, { title = "", align = "right" }, { title = "" } }
  local doubted = false
  for _, row in ipairs(self.rows) do
    local difference = row.ok and row.differences[self.metric]
    doubted = doubted or difference and difference.model
  end
  if doubted then columns[#columns + 1] = { title = "model", align = "right" } end
  local beside = {}
  for _, path in ipairs(BESIDE) do
    if path ~= self.metric and self.base.metrics[path] ~= nil then
      beside[#beside + 1] = path
      columns[#columns + 1] = { title = metric.title(path), align = "right", optional = #beside }
    end
  end
  local lines = {}
  local function add(row, is_base)
    if not row.ok then
      lines[#lines + 1] = { row.name, "failed", row.message }
      return
    end
    local difference = row.differences[self.metric]
    local change, relative = change_cells(not is_base and difference or nil, self.metric)
    local word = not is_base and verdict(difference, self.metric)
    local cells = { row.name, metric.show(row.metrics[self.metric], self.metric),
      is_base and "" or change, is_base and "" or relative,
      word and { text = word, color = word == "better" and "green" or "red" }
        or is_base and "" or { text = "no clear change", color = "dim" } }
    if doubted then cells[#cells + 1] = is_base and "" or model_cell(difference, self.metric) end
    for _, path in ipairs(beside) do
      local figure = row.metrics[path]
      cells[#cells + 1] = metric.show(type(figure) == "table" and { value = figure.value }
        or figure, path)
    end
    lines[#lines + 1] = cells
  end
  local losing = {}
  for _, row in ipairs { self.base, table.unpack(self.rows) } do
    local figure = row.metrics.lost
    if type(figure) == "table" and figure.value > 0 then
      losing[#losing + 1] = ("%s (%s)"):format(row.name, format.percent(figure.value))
    end
  end
  add(self.base, true)
  for _, row in ipairs(self.rows) do add(row, false) end
  local text = column_table.lines(columns, lines, { style = style })
  if #losing > 0 then
    text[#text + 1] = ""
    text[#text + 1] = style:text(("Requests are lost, and latencies are of those served: %s.")
      :format(table.concat(losing, ", ")))
  end
  for _, caution in ipairs(self.cautions) do
    text[#text + 1] = ""
    table.move(styles.wrap(style:text(styles.clean(caution)), style.width), 1, 10, #text + 1, text)
  end
  local front, names = self:pareto(), {}
  for i, row in ipairs(front) do names[i] = row.name end
  if #names == 0 then return table.concat(text, "\n") end
  text[#text + 1] = ""
  text[#text + 1] = style:text(("Nobody beats %s in both %s and %s."):format(
    table.concat(names, ", "), metric.title(self:cost()), metric.title(self.metric)))
  return table.concat(text, "\n")
end

WhatIf.__tostring = function(self) return self:report() end

local function points_of(self, cost, path)
  local on_front, points = {}, {}
  for _, row in ipairs(self:pareto(cost, path)) do on_front[row] = true end
  local function add(row)
    local x, y = row.metrics[cost], row.metrics[path]
    if row.ok and type(x) == "table" and type(y) == "table" then
      points[#points + 1] = { x = x.value, y = y.value, name = row.name, half_y = y.half,
        front = on_front[row] or nil }
    end
  end
  add(self.base)
  for _, row in ipairs(self.rows) do add(row) end
  return points
end

--- Cost against the metric, the front joined.
---@param path string|nil  a file, whose ending says the form: .svg, .html, .csv, .txt
---@param axes { cost: string|nil, metric: string|nil }|nil
---@return tandem.Plot|nil plot  nil, message when the file could not be written
function WhatIf:plot(path, axes)
  axes = axes or {}
  local cost, y = axes.cost or self:cost(), axes.metric or self.metric
  local spec = { title = self.name .. ": " .. metric.title(y) .. " against " .. metric.title(cost),
    x = { label = metric.title(cost), unit = metric.unit(cost) },
    y = { label = metric.title(y), unit = metric.unit(y) }, points = points_of(self, cost, y) }
  local chart = require("tandem.plot").scatter(spec)
  if not path then return chart end
  local ok, message = chart:save(path)
  if not ok then return nil, message end
  return chart
end

local function plain(row)
  return { name = row.name, ok = row.ok, message = row.message, metrics = row.metrics,
    differences = next(row.differences) and row.differences or nil }
end

--- As JSON, schema tandem.whatif/1; ends with a line end.
---@return string
function WhatIf:to_json()
  local rows = {}
  for i, row in ipairs(self.rows) do rows[i] = plain(row) end
  return require("tandem.io.json").encode({ schema = "tandem.whatif/1", name = self.name,
    metric = self.metric, base = plain(self.base), variants = rows,
    cautions = #self.cautions > 0 and self.cautions or nil,
    interrupted = self.interrupted or nil },
    { indent = 2, lists = { variants = true, cautions = true } }) .. "\n"
end

return whatif
