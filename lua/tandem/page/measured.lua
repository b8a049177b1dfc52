--- What a measured run holds beside its spans, for its report: figures of what was profiled, and
--- what was sampled: counters, and histograms of a server's metrics.
--
-- Owns which tables these are and how units read; what histograms are is tandem.metrics'. Called
-- by page/report.lua.
local format = require "tandem.text.format"
local html = require "tandem.page.html"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"
local tables = require "tandem.page.table"

local measured = {}

-- Rows that are seen, and that are on the page at all.
local FEW <const>, MOST <const> = 10, 200
local SAID <const> = 200 -- characters of a name in a sentence

-- What Nsight Compute and metrics call their units: a kind of quantity, and its base units in one.
local KINDS <const> = { s = { "time", 1 }, ms = { "time", 1e-3 }, us = { "time", 1e-6 },
  ns = { "time", 1e-9 }, byte = { "bytes", 1 }, bytes = { "bytes", 1 }, B = { "bytes", 1 },
  ["byte/s"] = { "speed", 1 }, ["B/s"] = { "speed", 1 }, W = { "power", 1 } }

-- A number in the unit that came with it.
local function value_text(value, unit)
  local kind = KINDS[unit]
  if kind then return format.quantity(value * kind[2], kind[1]) end
  local text = format.quantity(value, "count")
  if not unit or unit == "" then return text end
  local prefix = text:match " [GM]$" and "" or " "
  return styles.clean(text .. prefix .. (unit == "hz" and "Hz" or unit))
end

local function right(name, title, show)
  return { name = name, title = title, align = "right", show = show }
end

local function text(value) return value and styles.clean(value) or "" end

local function drawn(caption, columns, rows, all)
  return tables.of(rows_of.new(columns, rows), { caption = caption, few = FEW, most = MOST,
    all = all, rest = "the store has all" })
end

-- ---- figures ----

local function figures(run)
  local db = run.store.db
  local all = db:one("SELECT count(*) AS n FROM metric WHERE run = ?", run.number).n
  local rows = db:all("SELECT subject, name, value, unit, text FROM metric WHERE run = ?"
    .. (" ORDER BY id LIMIT %d"):format(MOST), run.number)
  if #rows == 0 then return nil end
  local subject, one = rows[1].subject, all <= #rows
  for _, row in ipairs(rows) do
    row.said = row.value and value_text(row.value, row.unit) or text(row.text)
    one = one and row.subject == subject
  end
  local columns = { { name = "name", title = "figure", show = text },
    { name = "said", title = "value" }, { name = "subject", title = "of", show = text } }
  if one then columns[3] = nil end
  return { title = "Figures", body = ('<p class="about">%s</p>'):format(one and subject ~= ""
    and "What was measured of " .. html.escape(html.cut(text(subject), SAID)) .. "."
    or "What was measured of each kernel, request or process.")
    .. drawn(nil, columns, rows, all) }
end

-- ---- samples ----

-- Parts of a histogram: each bound is a series.
local HISTOGRAM <const> = "name LIKE '%\\_bucket{%le=\"%' ESCAPE '\\'"

local SERIES <const> = [[
  SELECT c.name, t.process, t.name AS track, max(c.unit) AS unit, count(*) AS samples,
    min(c.value) AS lowest, avg(c.value) AS mean, max(c.value) AS highest
  FROM counter c JOIN track t ON t.run = c.run AND t.id = c.track
  WHERE c.run = ? AND NOT (c.]] .. HISTOGRAM .. [[)
  GROUP BY c.track, c.name ORDER BY c.track, c.name]]

-- A metric's unit stands in its name.
local function unit_of(row)
  if row.unit and row.unit ~= "" then return row.unit end
  local name = row.name:match "^[^{]*"
  return name:match "_seconds" and not name:find "_count$" and "s"
    or name:match "_bytes" and "B" or nil
end

local function in_unit(value, row) return value_text(value, unit_of(row)) end

local SERIES_COLUMNS <const> = { { name = "name", title = "counter", show = text },
  { name = "process", title = "of", show = text }, right("samples", nil, format.integer),
  right("lowest", nil, in_unit), right("mean", nil, in_unit), right("highest", nil, in_unit) }

-- With one sample a counter has one value.
local ONCE_COLUMNS <const> = { SERIES_COLUMNS[1], SERIES_COLUMNS[2],
  right("mean", "value", in_unit) }

-- Below what a share of the observations lies: a sign and a value. On a line within a bucket, as
-- Prometheus' histogram_quantile says it; of the first and the last bucket one bound is known.
local function quantile(bounds, counts, total, share)
  local wanted, sum, lower = share * total, 0, nil
  for b, bound in ipairs(bounds) do
    local count = counts[b]
    if sum + count >= wanted and count > 0 then
      if bound == math.huge then return "> ", lower end
      if not lower then return "≤ ", bound end
      return "", lower + (bound - lower) * (wanted - sum) / count
    end
    sum, lower = sum + count, bound
  end
  return "> ", lower
end

-- What came in over all scrapes, or since the server began where there is one.
local function gained(series, scrapes)
  if scrapes == 1 then return series[1] end
  local sum = 0
  for _, value in ipairs(require("tandem.metrics").increments(series)) do
    if value == value then sum = sum + value end
  end
  return sum
end

-- A histogram's row out of its bounds and what came in below each of them.
local function histogram(instance, name, labels, below)
  local scrapes, bounds, counts = #instance.times, {}, {}
  for bound in pairs(below) do bounds[#bounds + 1] = bound end
  table.sort(bounds)
  if bounds[#bounds] ~= math.huge then return nil end
  for b, bound in ipairs(bounds) do
    counts[b] = math.max(0, below[bound] - (below[bounds[b - 1]] or 0))
  end
  local total, sum = below[math.huge], instance.series[name .. "_sum" .. labels]
  if total <= 0 then return nil end
  local row = { name = name .. labels, process = instance.name, count = total, bounds = bounds,
    counts = counts }
  row.mean = sum and gained(sum, scrapes) / total
  return row
end

local function histograms_of(run)
  local rows = {}
  local metrics = require "tandem.metrics"
  for _, instance in ipairs(metrics.of_run(run)) do
    local found, order = {}, {}
    for key, series in pairs(instance.series) do
      local name, labels = key:match "^(.-)_bucket(%b{})$"
      local bound = labels and metrics.bound_of(key)
      if bound then
        labels = labels:gsub('([{,])le="[^"]*",?', "%1"):gsub(",}$", "}"):gsub("^{}$", "")
        local one = found[name .. labels] or { name = name, labels = labels, below = {} }
        if not found[name .. labels] then
          found[name .. labels], order[#order + 1] = one, name .. labels
        end
        one.below[bound] = gained(series, #instance.times)
      end
    end
    table.sort(order)
    for _, key in ipairs(order) do
      local one = found[key]
      rows[#rows + 1] = histogram(instance, one.name, one.labels, one.below)
    end
  end
  return rows
end

local function at(share)
  return function(_, row)
    local sign, value = quantile(row.bounds, row.counts, row.count, share)
    return value and sign .. in_unit(value, row) or "–"
  end
end

local HISTOGRAM_COLUMNS <const> = { { name = "name", title = "histogram", show = text },
  { name = "process", title = "of", show = text }, right("count", nil, format.integer),
  right("mean", nil, in_unit), right("count", "p50", at(0.5)), right("count", "p90", at(0.9)),
  right("count", "p99", at(0.99)) }

local function samples(run)
  local db = run.store.db
  local rows = db:all(SERIES, run.number)
  local buckets = db:one("SELECT 1 AS some FROM counter WHERE run = ? AND " .. HISTOGRAM
    .. " LIMIT 1", run.number)
  local parts, once, said = {}, true, {}
  for _, row in ipairs(rows) do once = once and row.samples == 1 end
  if buckets then
    local made = histograms_of(run)
    for _, row in ipairs(made) do
      for _, part in ipairs { "_sum", "_count" } do
        said[row.name:gsub("^[^{]*", "%0" .. part, 1)] = true
      end
    end
    if #made > 0 then
      parts[1] = drawn("Histograms", HISTOGRAM_COLUMNS, made)
        .. ('<ul class="notes"><li>%s; percentiles lie on a line within their bucket, of the'
        .. " first and the last one bound is known</li></ul>"):format(once
        and "since the server began" or "between the first and the last scrape")
    end
  end
  local others = {}
  for _, row in ipairs(rows) do
    if not said[row.name] then others[#others + 1] = row end
  end
  if #others > 0 then
    parts[#parts + 1] = drawn(buckets and "Counters and gauges" or nil,
      once and ONCE_COLUMNS or SERIES_COLUMNS, others)
  end
  if #parts == 0 then return nil end
  return { title = "Samples", body = '<p class="about">What counters said, each by itself.</p>'
    .. table.concat(parts, "\n") }
end

--- Sections of a report; none where the run has nothing but spans.
---@param run tandem.Run
---@return { title: string, body: string }[]
function measured.sections(run)
  local sections = {}
  sections[1] = figures(run)
  sections[#sections + 1] = samples(run)
  return sections
end

--- { label, text } of what the run holds beside spans.
---@param run tandem.Run
---@return { [1]: string, [2]: string }[]
function measured.tiles(run)
  local tiles, db = {}, run.store.db
  local function add(label, sql)
    local row = db:one(sql, run.number)
    if row and row.n > 0 then tiles[#tiles + 1] = { label, format.integer(row.n) } end
  end
  add("figures", "SELECT count(*) AS n FROM metric WHERE run = ?")
  add("samples of counters", "SELECT count(*) AS n FROM counter WHERE run = ?")
  return tiles
end

return measured
