--- Stacked bars: what each of several wholes is made of.
--
-- Owns the order of parts, which is one for all bars (the largest over all of them first), so that
-- a part has one colour and bars can be compared; and what is pooled when there are more parts than
-- colours. Names stand above their bars, so that long ones and narrow screens do.
local raster = require "tandem.plot.raster"
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local theme = require "tandem.plot.svg.theme"
local ticks = require "tandem.plot.ticks"

local stacked = {}

---@class tandem.StackedPart
---@field name string
---@field value number
---@field rest? boolean  what is left over: grey, and behind all others

---@class tandem.StackedBar
---@field name string
---@field parts tandem.StackedPart[]
---@field note? string  in place of the sum

---@class tandem.StackedChart: tandem.SvgSpec
---@field x? tandem.AxisSpec  of the values
---@field bars tandem.StackedBar[]

local ROW <const>, BAR <const> = 62, 30
local MOST <const> = 2 * theme.SERIES -- parts that have a colour of their own
local OTHER <const> = "other"

local function usable(part)
  return ticks.drawable(part.value) and part.value > 0
end

-- Names of parts, the largest over all bars first, what is left over last; which of them that is.
local function names_of(bars)
  local sum, names, rest = {}, {}, {}
  for _, bar in ipairs(bars) do
    for _, part in ipairs(bar.parts) do
      if usable(part) then
        if not sum[part.name] then names[#names + 1] = part.name end
        sum[part.name] = (sum[part.name] or 0) + part.value
        rest[part.name] = rest[part.name] or part.rest == true
      end
    end
  end
  table.sort(names, function(a, b)
    if rest[a] ~= rest[b] then return rest[b] end
    if sum[a] ~= sum[b] then return sum[a] > sum[b] end
    return a < b
  end)
  return names, rest
end

-- The drawn name of each part, and what is drawn, in order: { name, class }.
local function shown_of(bars)
  local names, rest = names_of(bars)
  local coloured = 0
  for _, name in ipairs(names) do
    if not rest[name] then coloured = coloured + 1 end
  end
  local own = coloured <= MOST and MOST or MOST - 1
  local drawn, shown, index = {}, {}, 0
  for _, name in ipairs(names) do
    if rest[name] then
      shown[#shown + 1] = { name = name, class = "none" }
      drawn[name] = name
    elseif index < own then
      index = index + 1
      shown[#shown + 1] = { name = name, class = axes.color("f", index)
        .. (index > theme.SERIES and " pale" or "") }
      drawn[name] = name
    else
      if index == own then
        index = index + 1
        shown[#shown + 1] = { name = OTHER, class = "faded" }
      end
      drawn[name] = OTHER
    end
  end
  return drawn, shown
end

-- The values of a bar by drawn name, and their sum.
local function values_of(bar, drawn)
  local values, sum = {}, 0
  for _, part in ipairs(bar.parts) do
    if usable(part) then
      local name = drawn[part.name]
      values[name] = (values[name] or 0) + part.value
      sum = sum + part.value
    end
  end
  return values, sum
end

local function draw_bar(c, bar, chart, shown, values, sum, y, pixel)
  local right = chart.width - axes.MARGIN
  local total = bar.note or ticks.value(sum, chart.x)
  local room = right - axes.MARGIN - canvas.text_width(total) - 12
  c:text(axes.MARGIN, y + 14, canvas.fit(bar.name, room / 1.1), "word strong")
  c:text(right, y + 14, total, "tick end")
  local at = 0
  for _, part in ipairs(shown) do
    local value = values[part.name]
    if value then
      local from, to = pixel(at), pixel(at + value)
      local words = ("%s: %s (%.1f %%)"):format(part.name, ticks.value(value, chart.x),
        100 * value / sum)
      c:rect(from, y + 21, math.max(to - from, 0.5), BAR, part.class, bar.name .. ", " .. words)
      local label = part.name
      if to - from > canvas.text_width(label) + 14 then
        c:text((from + to) / 2, y + 21 + BAR / 2 + 4, label, "word mid halo")
      end
      at = at + value
    end
  end
end

--- What is drawn: parts in their order, and for each bar its sum and its values by part.
---@param chart tandem.StackedChart
---@return { name: string, class: string }[] shown
---@return number[] sums
---@return table<string, number>[] values
local function parts_of(chart)
  local drawn, shown = shown_of(chart.bars)
  local values, sums = {}, {}
  for i, bar in ipairs(chart.bars) do values[i], sums[i] = values_of(bar, drawn) end
  return shown, sums, values
end

--- Draws stacked bars, one below the other, and their legend.
---@param chart tandem.StackedChart
---@return tandem.SvgChart
function stacked.svg(chart)
  local bars = axes.need(chart, "stacked", "bars")
  for index, bar in ipairs(bars) do
    if type(bar.parts) ~= "table" then
      error(("svg.stacked: bars[%d] wants parts, a list"):format(index), 2)
    end
  end
  local width = axes.width(chart.width, axes.WIDTH, 240)
  chart = setmetatable({ width = width }, { __index = chart })
  local c = canvas.new(width, 0)
  local shown, sums, values = parts_of(chart)
  local most = math.max(0, table.unpack(sums))
  local y = axes.title(c, chart) + 6
  if #shown > 0 then
    local legend = {}
    for i, part in ipairs(shown) do
      legend[i] = { name = part.name, draw = function(x, at)
        c:rect(x, at - 6, 16, 12, part.class, nil, 2)
      end }
    end
    y = axes.legend(c, legend, y) + 8
  end
  local box = { left = axes.MARGIN, right = width - axes.MARGIN, top = y,
    bottom = y + math.max(1, #bars) * ROW }
  c.height = box.bottom + axes.below(chart.x)
  local axis = axes.across(setmetatable({ log = false }, { __index = chart.x }), 0,
    most > 0 and most or 1, { zero = true, nice = false,
      room = box.right - box.left, each = 80 })
  axes.horizontal(c, axis, box, { grid = true, bare = true })
  local function pixel(value)
    return box.left + math.max(0, math.min(axis:at(value), 1)) * (box.right - box.left)
  end
  for i, bar in ipairs(bars) do
    draw_bar(c, bar, chart, shown, values[i], sums[i], box.top + (i - 1) * ROW, pixel)
  end
  if #bars == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Stacked bars"), ("%d bars of %d parts"):format(#bars,
    #shown), chart.theme, chart.notes)
end

-- ---- in a terminal ----

--- Draws stacked bars.
---@param chart tandem.StackedChart
---@param style tandem.Style
---@return string[] lines
function stacked.text(chart, style)
  local shown, sums, values = parts_of(chart)
  local most, names, lines = 0, {}, {}
  for _, sum in ipairs(sums) do most = math.max(most, sum) end
  if #chart.bars == 0 or most <= 0 then return { "(empty)" } end
  for index, part in ipairs(shown) do names[index] = part.name end
  local widest, totals = 0, 0
  for index, one in ipairs(chart.bars) do
    widest = math.max(widest, styles.columns(style:text(styles.clean(one.name))))
    totals = math.max(totals,
      styles.columns(style:text(one.note or ticks.value(sums[index], chart.x))))
  end
  widest, totals = math.min(widest, style.width // 3), math.min(totals, style.width // 4)
  local room = math.max(10, style.width - widest - totals - 4)
  lines[1] = style:title(chart.title)
  for index, one in ipairs(chart.bars) do
    local parts, sum, used = {}, 0, 0
    for number, part in ipairs(shown) do
      sum = sum + (values[index][part.name] or 0)
      local to = math.floor(sum / most * room + 0.5)
      local sign, color = raster.fill(number, style)
      parts[#parts + 1] = style:paint(sign:rep(to - used), color)
      used = to
    end
    lines[#lines + 1] = styles.pad(style:text(styles.clean(one.name)), widest) .. "  "
      .. table.concat(parts) .. (" "):rep(room - used) .. "  "
      .. styles.pad(style:text(one.note or ticks.value(sums[index], chart.x)), totals, "right")
  end
  local title = ticks.axis(chart.x, 0, 1).title
  if title ~= "" then
    lines[#lines + 1] = style:paint(style:text(styles.clean(title)), "dim")
  end
  return table.move(raster.legend(names, style), 1, #names, #lines + 1, lines)
end

return stacked
