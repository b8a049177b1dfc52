--- Two stored runs side by side.
--
-- Owns `tandem.Comparison`: which figures and spans are put beside one another, and the order, the
-- largest change first. Figures are of simulated runs; spans by category and by name of both kinds.
-- Called by Store:compare and `tandem compare`.
local format = require "tandem.format"
local json = require "tandem.report.json"
local rows_of = require "tandem.store.rows"
local style = require "tandem.plot.style"

local compare = {}

---@class tandem.Comparison
---@field a tandem.Run
---@field b tandem.Run
---@field figures tandem.RowTable     of simulated runs: scope, subject, name, a, b, change
---@field categories tandem.RowTable  category, counts, times, their change
---@field names tandem.RowTable       the same by category and name; state: both, added, removed
local Comparison = { __name = "tandem.Comparison" }
Comparison.__index = Comparison

-- ---- figures ----

-- What a person compares; the rest of the figures says how the run was made.
local WANTED <const> = {
  run = { offered_rps = true, carried_rps = true, throughput_rps = true, goodput_rps = true,
    slo_met = true, in_system = true, ["latency.mean"] = true, ["latency.p50"] = true,
    ["latency.p90"] = true, ["latency.p95"] = true, ["latency.p99"] = true,
    ["latency.p999"] = true, ["latency.max"] = true },
  stage = { ["wait.mean"] = true, ["service.mean"] = true, batch = true },
  resource = { utilization = true, queue = true },
  recorded = { mean = true },
}

local SELECT_FIGURES <const> = [[
SELECT scope, subject, name, unit, value FROM metric WHERE run = ? AND value IS NOT NULL
ORDER BY id]]

local function figures_of(run)
  local order, by_key = {}, {}
  for _, row in ipairs(run.store.db:all(SELECT_FIGURES, run.number) or {}) do
    local key = ("%s\0%s\0%s"):format(row.scope, row.subject or "", row.name)
    if not by_key[key] then order[#order + 1] = key end
    by_key[key] = row
  end
  return order, by_key
end

-- The relative change; nil from nothing.
local function change_of(a, b)
  if not a or not b or a == 0 then return nil end
  return (b - a) / math.abs(a)
end

-- The intervals of the two leave room for no difference.
local function is_noise(a, b, half_a, half_b)
  if not half_a and not half_b then return nil end
  return math.abs(a - b) <= math.sqrt((half_a or 0) ^ 2 + (half_b or 0) ^ 2)
end

local function compare_figures(a, b)
  local order, of_a = figures_of(a)
  local order_b, of_b = figures_of(b)
  local rows = {}
  local function take(key)
    local x, y = of_a[key], of_b[key]
    local one = x or y
    if not (WANTED[one.scope] and WANTED[one.scope][one.name]) then return end
    local half_a, half_b = of_a[key .. ".half"], of_b[key .. ".half"]
    half_a, half_b = half_a and half_a.value, half_b and half_b.value
    rows[#rows + 1] = { scope = one.scope, subject = one.subject, name = one.name,
      unit = one.unit, a = x and x.value, b = y and y.value, a_half = half_a, b_half = half_b,
      change = change_of(x and x.value, y and y.value),
      noise = x and y and is_noise(x.value, y.value, half_a, half_b) }
  end
  for _, key in ipairs(order) do take(key) end
  for _, key in ipairs(order_b) do
    if not of_a[key] then take(key) end
  end
  return rows
end

-- ---- spans ----

local SELECT_SPANS <const> = "SELECT %s, count(*) AS spans,"
  .. " CAST(total(dur_ns) AS INTEGER) AS total_ns FROM span WHERE run = ? GROUP BY %s"

local function spans_of(run, by)
  local out, message, code = run.store.db:all(SELECT_SPANS:format(by, by), run.number)
  if not out then return nil, message, code end
  return out
end

local function compare_spans(a, b, by)
  local rows_a, message, code = spans_of(a, by)
  if not rows_a then return nil, message, code end
  local rows_b
  rows_b, message, code = spans_of(b, by)
  if not rows_b then return nil, message, code end
  local rows, by_key = {}, {}
  local function key_of(row) return row.category .. "\0" .. (row.name or "") end
  for _, row in ipairs(rows_a) do
    local one = { category = row.category, name = row.name, state = "removed", a_spans = row.spans,
      b_spans = 0, a_ns = row.total_ns or 0, b_ns = 0 }
    rows[#rows + 1], by_key[key_of(row)] = one, one
  end
  for _, row in ipairs(rows_b) do
    local one = by_key[key_of(row)]
    if not one then
      one = { category = row.category, name = row.name, state = "added", a_spans = 0, a_ns = 0 }
      rows[#rows + 1] = one
    else
      one.state = "both"
    end
    one.b_spans, one.b_ns = row.spans, row.total_ns or 0
  end
  for _, row in ipairs(rows) do
    row.change_ns = row.b_ns - row.a_ns
    row.change = change_of(row.a_ns, row.b_ns)
  end
  table.sort(rows, function(p, q)
    local x, y = math.abs(p.change_ns), math.abs(q.change_ns)
    if x ~= y then return x > y end
    return key_of(p) < key_of(q)
  end)
  return rows
end

-- ---- how it reads ----

local KINDS <const> = { s = "time", ["1/s"] = "rate", B = "bytes" }

local function figure_kind(row)
  if row.name == "utilization" or row.name == "slo_met" then return "percent" end
  return KINDS[row.unit] or "count"
end

--- "+12.5 %", "−3 %", "new".
local function percent(change)
  if change == nil then return "" end
  if change == 0 then return "0 %" end
  return (change > 0 and "+" or "") .. format.percent(change)
end

local function estimate_cell(which)
  return function(value, row)
    if value == nil then return "–" end
    return format.estimate({ value = value, half = row[which .. "_half"] }, figure_kind(row))
  end
end

local function time_cell(value) return format.time(value / 1e9) end
local function change_cell(value)
  if value == 0 then return "0" end
  return (value > 0 and "+" or "") .. format.time(value / 1e9)
end
local function relative_cell(_, row)
  if row.state == "added" or row.state == "removed" then return row.state end
  return percent(row.change)
end
local function clean(value) return value and style.clean(value) or "" end

local function right(name, title, show, optional)
  return { name = name, title = title, align = "right", show = show, optional = optional }
end

local FIGURE_COLUMNS <const> = {
  { name = "scope", hidden = true },
  { name = "subject", title = "of", show = function(value) return clean(value or "the run") end },
  { name = "name", title = "figure", show = clean },
  { name = "unit", hidden = true },
  right("a", "A", estimate_cell "a"),
  right("b", "B", estimate_cell "b"),
  { name = "a_half", hidden = true },
  { name = "b_half", hidden = true },
  right("change", "change", function(value, row)
    local noise = row.noise and value ~= 0
    return { text = noise and "within the noise" or percent(value), color = noise and "dim" or nil }
  end),
}

local function span_columns(named)
  local columns = { { name = "category", show = clean },
    right("a_spans", "A spans", format.integer, 1), right("b_spans", "B spans", format.integer, 1),
    right("a_ns", "A time", time_cell), right("b_ns", "B time", time_cell),
    right("change_ns", "change", change_cell), right("change", "", relative_cell) }
  if named then
    table.insert(columns, 2, { name = "name", show = clean })
    columns[#columns + 1] = { name = "state", hidden = true }
  end
  return columns
end

--- Compares two runs.
---@param store tandem.Store
---@param a string
---@param b string
---@return tandem.Comparison|nil
---@return string|nil message
---@return integer|nil code
function compare.compare(store, a, b)
  local run_a, message, code = store:run(a)
  if not run_a then return nil, message, code end
  local run_b
  run_b, message, code = store:run(b)
  if not run_b then return nil, message, code end
  local out = { a = run_a, b = run_b }
  out.figures = rows_of.new(FIGURE_COLUMNS, compare_figures(run_a, run_b))
  for field, by in pairs { categories = "category", names = "category, name" } do
    local rows
    rows, message, code = compare_spans(run_a, run_b, by)
    if not rows then return nil, message, code end
    out[field] = rows_of.new(span_columns(field == "names"), rows)
  end
  return setmetatable(out, Comparison)
end

local function put(lines, title, made, limit, place)
  local count = #made.rows
  if count == 0 then return end
  lines[#lines + 1] = ""
  lines[#lines + 1] = place:paint(place:text(title), "bold")
  local shown = limit and made:first(limit) or made
  local printed = shown:lines(place, 2)
  table.move(printed, 1, #printed, #lines + 1, lines)
  if #shown.rows < count then
    lines[#lines + 1] = place:paint(place:text(("  and %s more (--limit)"):format(
      format.integer(count - #shown.rows))), "dim")
  end
end

--- The comparison as lines.
---@param place? tandem.Style
---@param limit? integer  rows of each part
---@return string[]
function Comparison:lines(place, limit)
  place = place or style.detect(1)
  local lines = {}
  for _, name in ipairs { "a", "b" } do
    local run = self[name]
    local when = require("tandem.store.list").moment(run.created_utc_ns)
    lines[#lines + 1] = place:text(("%s  %s  %s  %s%s"):format(name:upper(), run.id, run.kind,
      style.clean(run.name), when and "  " .. when or ""))
  end
  put(lines, "Figures", self.figures, nil, place)
  local kept = self.a.span_count > 0 and self.b.span_count > 0
  if kept then
    put(lines, "Spans by category", self.categories, nil, place)
    put(lines, "Spans by name", self.names, limit, place)
  else
    local without = self.a.span_count > 0 and "B" or self.b.span_count > 0 and "A" or nil
    lines[#lines + 1] = ""
    lines[#lines + 1] = place:text(without and ("The spans of %s were not kept."):format(without)
      or "The spans of neither were kept.")
  end
  return lines
end

---@param place? tandem.Style
---@return string
function Comparison:report(place) return table.concat(self:lines(place, 20), "\n") end

Comparison.__tostring = function(self) return self:report() end

--- As JSON, schema tandem.compare/1; ends with a line end.
---@return string
function Comparison:to_json()
  local out = { schema = "tandem.compare/1" }
  for _, name in ipairs { "a", "b" } do
    local run = self[name]
    out[name] = { id = run.id, kind = run.kind, name = run.name, spans = run.span_count,
      created_utc_ns = run.created_utc_ns }
  end
  for _, part in ipairs { "figures", "categories", "names" } do
    out[part] = {}
    for i, row in ipairs(self[part].rows) do
      local one = {}
      for key, value in pairs(row) do
        one[key] = type(value) == "string" and rows_of.text(value) or value
      end
      out[part][i] = one
    end
  end
  return json.encode(out, { indent = 2, lists = { figures = true, categories = true,
    names = true } }) .. "\n"
end

--- Everything in one CSV: part, category or scope, name, A, B, change.
---@return string
function Comparison:to_csv()
  local lines = { "part,of,name,a,b,a_spans,b_spans,change" }
  local function add(...)
    local cells = table.pack(...)
    for i = 1, cells.n do cells[i] = rows_of.csv_cell(cells[i]) end
    lines[#lines + 1] = table.concat(cells, ",", 1, cells.n)
  end
  for _, row in ipairs(self.figures.rows) do
    add("figure", row.subject or row.scope, row.name, row.a, row.b, nil, nil, row.change)
  end
  for _, row in ipairs(self.categories.rows) do
    add("category", row.category, nil, row.a_ns, row.b_ns, row.a_spans, row.b_spans, row.change)
  end
  for _, row in ipairs(self.names.rows) do
    add("name", row.category, row.name, row.a_ns, row.b_ns, row.a_spans, row.b_spans, row.change)
  end
  return table.concat(lines, "\n") .. "\n"
end

return compare
