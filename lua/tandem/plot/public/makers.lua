--- The plots of td.plot, one function a kind: from the caller's table to the plot that reports use.
--
-- Owns what each kind does with its figures beyond what series.lua and samples.lua have for all.
-- Tables come checked by keys.lua.
local data = require "tandem.plot.public.data"
local keys = require "tandem.plot.public.keys"
local plot = require "tandem.plot"
local samples = require "tandem.plot.public.samples"
local series = require "tandem.plot.public.series"

local function fail(text, ...) error(text:format(...), 0) end

local makers = {}

local function lines_of(given, kind, step)
  local made, x, y, notes = series.numbers(given, kind)
  return plot.lines(series.dress(given, { x = x, y = y, series = made, step = step, notes = notes,
    limits = series.limits(given, x, y) }))
end

function makers.line(given) return lines_of(given, "line") end

function makers.step(given) return lines_of(given, "step", given.step or "after") end

function makers.scatter(given)
  local made, x, y, notes = series.numbers(given, "scatter")
  local points, names = {}, {}
  local kept, note = require("tandem.plot.thin").points(made, x, y, given.width, given.height)
  if note then notes = table.move({ note }, 1, 1, #(notes or {}) + 1, notes or {}) end
  local function rows_of(most)
    return require("tandem.plot.rows").lines({ x = x, y = y, series = made }, most)
  end
  for number, one in ipairs(made) do
    names[number] = one.name or ("series %d"):format(number)
    for at_kept = 1, kept and #kept[number] or #one.y do
      local index = kept and kept[number][at_kept] or at_kept
      local value = one.y[index]
      local at = index
      if one.x then at = one.x[index] end
      points[#points + 1] = { x = at, y = value, half_y = one.half and one.half[index],
        name = one.names and series.word(one.names[index]), series = #made > 1 and number or nil }
    end
  end
  return plot.scatter(series.dress(given, { x = x, y = y, points = points, notes = notes,
    series = #made > 1 and names or nil, limits = series.limits(given, x, y),
    rows_of = kept and rows_of }))
end

-- The numbers of bars: raw series with y in SI.
local function bar_numbers(given, kind)
  local raw = series.read(given, kind)
  local y = series.axis(given, "y", raw.y_column)
  local count, found = 0, { gaps = 0, huge = 0, log = 0, all = 0 }
  for _, one in ipairs(raw) do
    local most = math.max(#one.y, one.x and #one.x or 0)
    one.values = data.numbers(one.y, most, one.path .. ".y", y.factor, found)
    one.halves = one.half and data.numbers(one.half, most, one.path .. ".half", y.factor)
    count, found.all = math.max(count, most), found.all + most
  end
  return raw, y, count, series.notes(found)
end

function makers.bar(given)
  local raw, y, count, notes = bar_numbers(given, "bar")
  local rows, names = {}, {}
  for index = 1, count do
    for number, one in ipairs(raw) do
      rows[#rows + 1] = { name = number == 1 and series.name_at(raw, index) or "",
        value = one.values[index], half = one.halves and one.halves[index],
        note = one.names and series.word(one.names[index]), series = #raw > 1 and number or nil }
    end
  end
  for number, one in ipairs(raw) do names[number] = one.name or ("series %d"):format(number) end
  local limits = series.limits(given, nil, y)
  for _, limit in ipairs(limits or {}) do limit.x, limit.y = limit.y, nil end
  return plot.bars(series.dress(given, { rows = rows, x = y, notes = notes, limits = limits,
    series = #raw > 1 and names or nil }))
end

-- Parts below 0 have no place in a whole.
local function check_parts(raw, kind)
  for _, one in ipairs(raw) do
    for index, value in ipairs(one.values) do
      if value < 0 then
        fail("%s.y[%d]: a part of a whole is not below 0: %s", one.path or kind, index,
          tostring(one.y[index]))
      end
    end
  end
end

function makers.stacked(given)
  local raw, y, count, notes = bar_numbers(given, "stacked")
  check_parts(raw, "stacked")
  local bars = {}
  for index = 1, count do
    local parts = {}
    for number, one in ipairs(raw) do
      parts[number] = { name = one.name or ("part %d"):format(number), value = one.values[index] }
    end
    bars[index] = { name = series.name_at(raw, index), parts = parts }
  end
  return plot.stacked(series.dress(given, { bars = bars, x = y, notes = notes }))
end

function makers.area(given)
  local made, x, y, notes = series.numbers(given, "area")
  local at = made[1] and made[1].x or {}
  for index = 1, made[1] and not made[1].x and #made[1].y or 0 do at[index] = index end
  for index = 2, #at do
    if not (at[index] > at[index - 1]) then fail("area.x[%d]: must ascend", index) end
  end
  for number, one in ipairs(made) do
    one.name = one.name or ("series %d"):format(number)
    one.values = one.y
  end
  check_parts(made, "area")
  return plot.area(series.dress(given, { x = x, y = y, at = at, series = made, notes = notes }))
end

makers.histogram, makers.cdf = samples.histogram, samples.cdf

-- Values of one axis of a heat map's rows of data, in the order in which they first come.
local function distinct(column)
  local list, seen = {}, {}
  for _, value in ipairs(column.values) do
    if value ~= false and not seen[value] then
      list[#list + 1] = value
      seen[value] = true
    end
  end
  return list
end

-- Cells from rows of data: one row a cell.
local function cells_of(given, source)
  local x = data.column(given.x, source, "heatmap.x")
  local y = data.column(given.y, source, "heatmap.y")
  local z = data.column(given.z, source, "heatmap.z")
  local columns, rows = distinct(x), distinct(y)
  for _, list in ipairs { columns, rows } do
    local numeric = true
    for _, value in ipairs(list) do numeric = numeric and type(value) == "number" end
    if numeric then table.sort(list) end
  end
  local across, down = {}, {}
  for index, value in ipairs(columns) do across[value] = index end
  for index, value in ipairs(rows) do down[value] = index end
  local cells = {}
  for row = 1, #rows do
    cells[row] = {}
    for column = 1, #columns do cells[row][column] = false end
  end
  for index, value in ipairs(z.values) do
    local row, column = down[y.values[index]], across[x.values[index]]
    if row and column then cells[row][column] = value end
  end
  return { x = columns, y = rows, z = cells, x_column = x, y_column = y, z_column = z }
end

-- Names of columns or rows: numbers in SI, words as they are.
local function heat_axis(given, axis, values, column)
  local spec = series.axis(given, axis, column)
  if values then
    local si = series.to_si(spec)
    spec.values = {}
    for index, value in ipairs(values) do
      spec.values[index] = type(value) == "number" and si(value) or tostring(value)
    end
  end
  return spec
end

function makers.heatmap(given)
  local cells = { x = given.x, y = given.y, z = given.z }
  if given.data ~= nil then
    for _, axis in ipairs { "x", "y", "z" } do
      if type(given[axis]) ~= "string" then fail("heatmap.%s: wants a column of data", axis) end
    end
    cells = cells_of(given, data.source(given.data, "heatmap.data"))
  elseif type(given.z) ~= "table" then
    fail("heatmap.z: wants the rows of cells, { { 1, 2 }, { 3, 4 } }, not %s", keys.said(given.z))
  end
  local z = series.axis(given, "z", cells.z_column)
  local values, found, width = {}, { gaps = 0, huge = 0, log = 0, all = 0 }, 0
  for row, line in ipairs(cells.z) do
    if type(line) ~= "table" then
      fail("heatmap.z[%d]: wants a row of numbers, not %s", row, keys.said(line))
    end
    width = math.max(width, #line)
    values[row] = data.numbers(line, #line, ("heatmap.z[%d]"):format(row), z.factor, found, z.log)
    found.all = found.all + #line
  end
  for _, axis in ipairs { "x", "y" } do
    local names, count = cells[axis], axis == "x" and width or #values
    if type(names) == "table" and #names ~= count then
      fail("heatmap.%s: %d names for %d %s", axis, #names, count,
        axis == "x" and "columns" or "rows")
    end
  end
  return plot.heatmap(series.dress(given, { values = values, unit = z.unit, label = z.label,
    log = z.log, min = z.min, max = z.max, factor = z.factor, called = z.called,
    x = heat_axis(given, "x", cells.x, cells.x_column),
    y = heat_axis(given, "y", cells.y, cells.y_column), notes = series.notes(found) }))
end

-- Spans from rows of data, by the columns' names.
local function spans_of(given)
  local source = data.source(given.data, "gantt.data")
  local function column(key, needed)
    local name = given[key] or key
    if not given[key] and not needed then
      local found = source.column(name)
      return found
    end
    return data.column(name, source, "gantt." .. key)
  end
  local lane, from, to = column("lane", true), column("from", true), nil
  local dur = column "dur"
  if not dur then to = column("to", true) end
  local name, kind = column "name", column "kind"
  local spans = {}
  for index, value in ipairs(lane.values) do
    local function cell(one) return one and one.values[index] or nil end
    spans[index] = { lane = value, from = cell(from), to = cell(to), dur = cell(dur),
      name = cell(name), kind = cell(kind) }
  end
  return spans, from
end

function makers.gantt(given)
  if (given.spans == nil) == (given.data == nil) then fail "gantt: wants spans, or data" end
  local spans, column = given.spans, nil
  if given.data ~= nil then spans, column = spans_of(given) end
  local x = series.axis(given, "x", column and { unit = column.unit } or { unit = "s" })
  local si, made, lanes = series.to_si(x), {}, given.lanes and {}
  for index, lane in ipairs(given.lanes or {}) do lanes[index] = tostring(lane) end
  for index, span in ipairs(spans) do
    local path = ("gantt.spans[%d]"):format(index)
    if type(span) ~= "table" then fail("%s: wants a table, not %s", path, keys.said(span)) end
    local to = span.to or span.dur and type(span.from) == "number" and span.from + span.dur
    for _, pair in ipairs { { "from", span.from }, { "to", to or nil } } do
      if type(pair[2]) ~= "number" then
        fail("%s.%s: wants a number, not %s", path, pair[1], keys.said(pair[2]))
      end
    end
    if span.lane == nil then fail("%s: wants a lane", path) end
    if to < span.from then
      fail("%s: ends (%s) before it begins (%s)", path, tostring(to), tostring(span.from))
    end
    made[index] = { lane = tostring(span.lane), from = si(span.from), to = si(to),
      name = series.word(span.name), kind = series.word(span.kind) }
  end
  return plot.gantt(series.dress(given, { spans = made, x = x, lanes = lanes,
    limits = series.limits(given, x) }))
end

return makers
