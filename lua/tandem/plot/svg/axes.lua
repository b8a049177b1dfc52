--- What surrounds a chart: title, axes with their ticks, limits, the legend.
--
-- Owns where these stand and how much room they take. Ranges and ticks come from plot/ticks.lua.
local canvas = require "tandem.plot.svg.canvas"
local styles = require "tandem.plot.style"
local theme = require "tandem.plot.svg.theme"
local ticks = require "tandem.plot.ticks"

local axes = {}

-- The mean width of a character of a subtitle, and of a title.
local SUBTITLE_EM <const>, TITLE_EM <const> = 0.56 * 13, 0.62 * 16

axes.MARGIN = 24
axes.WIDTH = 720
--- For a telephone.
axes.SLIM = 380
--- For a page that gives a chart all of its width.
axes.WIDE = 1040
---@type number?  how wide a chart of no width of its own is while `axes.at` draws; none is wider
axes.most = nil

---@class tandem.SvgSpec
---@field title? string
---@field subtitle? string
---@field width? number   default: 720
---@field height? number
---@field theme? "auto"|"light"|"dark"

---@class tandem.SvgLimit
---@field x? number      a vertical line
---@field y? number      a horizontal one
---@field label? string

---@class tandem.SvgBox
---@field left number
---@field top number
---@field right number
---@field bottom number

--- What `draw` draws, charts being as wide as this.
---@generic T
---@param width number
---@param draw fun(): T
---@return T
function axes.at(width, draw)
  local before = axes.most
  axes.most = width
  local ok, made = pcall(draw)
  axes.most = before
  if not ok then error(made, 0) end
  return made
end

--- A size from a chart's fields, kept within reason.
---@param value any
---@param usual number
---@param least number
---@return number
function axes.size(value, usual, least)
  if not ticks.drawable(value) then
    return usual
  end
  return math.max(least, math.min(value, 4000))
end

--- The width of a chart: its own, the usual one, or what `axes.at` allows.
---@param value any
---@param usual number
---@param least number
---@return number
function axes.width(value, usual, least)
  return math.min(axes.size(value, axes.most or usual, least), axes.most or math.huge)
end

--- Is what is drawn for a telephone?
---@param width number
---@return boolean
function axes.slim(width) return width <= axes.SLIM end

--- A list that a chart must have.
---@param spec table
---@param chart string
---@param field string
---@return table
function axes.need(spec, chart, field)
  if type(spec) ~= "table" then
    error(("svg.%s wants a table, not %s"):format(chart, type(spec)), 3)
  elseif type(spec[field]) ~= "table" then
    error(("svg.%s wants %s, a list, not %s"):format(chart, field, type(spec[field])), 3)
  end
  for index, item in ipairs(spec[field]) do
    if type(item) ~= "table" then
      error(("svg.%s: %s[%d] is %s, not a table"):format(chart, field, index, type(item)), 3)
    end
  end
  return spec[field]
end

--- Title and subtitle.
---@param c tandem.Canvas
---@param spec tandem.SvgSpec
---@return number bottom  where the next thing may begin
function axes.title(c, spec)
  local y, room = 14, c.width - 2 * axes.MARGIN
  if spec.title then
    local lines = { spec.title }
    if axes.slim(c.width) and canvas.fit(spec.title, room, 18) ~= spec.title then
      lines = styles.wrap(canvas.clean(spec.title), math.floor(room / TITLE_EM))
    end
    for index, line in ipairs(lines) do
      c:text(axes.MARGIN, y + 20, canvas.fit(line, room, 18), "title")
      y = y + (index < #lines and 21 or 28)
    end
  end
  if spec.subtitle then
    local lines = { spec.subtitle }
    if axes.slim(c.width) or canvas.fit(spec.subtitle, room, 13) ~= spec.subtitle then
      lines = styles.wrap(canvas.clean(spec.subtitle), math.floor(room / SUBTITLE_EM))
    end
    for _, line in ipairs(lines) do
      c:text(axes.MARGIN, y + 14, line, "subtitle")
      y = y + 18
    end
    y = y + 2
  end
  return y
end

--- Names with their colours, in rows.
---@param c tandem.Canvas
---@param items { name: string, draw: fun(x: number, y: number) }[]
---@param y number  top
---@return number bottom
function axes.legend(c, items, y)
  local x, right = axes.MARGIN, c.width - axes.MARGIN
  for _, item in ipairs(items) do
    local name = canvas.fit(item.name, 210)
    local width = 24 + canvas.text_width(name) + 18
    if x > axes.MARGIN and x + width - 18 > right then
      x, y = axes.MARGIN, y + 19
    end
    item.draw(x, y + 10)
    c:text(x + 24, y + 14, name, "word")
    x = x + width
  end
  return y + 22
end

--- Room that the tick labels of a vertical axis take.
---@param axis tandem.Axis
---@return number
function axes.room(axis)
  local most = 0
  for _, mark in ipairs(axis.marks) do
    most = math.max(most, canvas.text_width(mark.label))
  end
  return most
end

--- The vertical axis: grid lines, labels on the left, the title above.
---@param c tandem.Canvas
---@param axis tandem.Axis
---@param box tandem.SvgBox
function axes.vertical(c, axis, box)
  for _, mark in ipairs(axis.marks) do
    local y = box.bottom - axis:at(mark.value) * (box.bottom - box.top)
    c:line(box.left, y, box.right, y, "grid")
    c:text(box.left - 8, y + 4, mark.label, "tick end")
  end
  if axis.title ~= "" then
    c:text(axes.MARGIN, box.top - 14, canvas.fit(axis.title, c.width - 2 * axes.MARGIN), "name")
  end
end

---@class tandem.SvgHorizontal
---@field grid? boolean  lines up through the chart
---@field bare? boolean  no line along the axis

-- Labels that would touch are left out: every second one stays, or every third, and so on.
local function stride(axis, width)
  for every = 1, #axis.marks do
    local last, fits = -math.huge, true
    for index = 1, #axis.marks, every do
      local mark = axis.marks[index]
      local half = canvas.text_width(mark.label) / 2
      local x = axis:at(mark.value) * width
      fits = fits and x - half >= last + 10
      last = x + half
    end
    if fits then
      return every
    end
  end
  return math.max(1, #axis.marks)
end

-- So long an axis has three labels, where there can be.
local LONG <const> = 120

--- A horizontal axis: a mark each so many pixels, and room for the labels of three (two, where it
--- is short) where there can be.
---@param spec? tandem.AxisSpec
---@param low number
---@param high number
---@param options table  of ticks.axis; room: its length; each: how far marks are apart
---@return tandem.Axis
function axes.across(spec, low, high, options)
  local usual, best, most = math.max(2, math.floor(options.room / options.each)), nil, 0
  local enough = options.room >= LONG and 3 or 2
  for count = usual, usual + 6 do
    options.count = count
    local axis = ticks.axis(spec, low, high, options)
    local labels = math.ceil(#axis.marks / stride(axis, options.room))
    if labels >= enough then return axis end
    if not best or labels > most then best, most = axis, labels end
  end
  return best
end

--- The horizontal axis below the chart.
---@param c tandem.Canvas
---@param axis tandem.Axis
---@param box tandem.SvgBox
---@param how? tandem.SvgHorizontal
function axes.horizontal(c, axis, box, how)
  how = how or {}
  local width = box.right - box.left
  local every = stride(axis, width)
  for index, mark in ipairs(axis.marks) do
    local x = box.left + axis:at(mark.value) * width
    if how.grid then
      c:line(x, box.top, x, box.bottom, "grid")
    elseif not how.bare then
      c:line(x, box.bottom, x, box.bottom + 4, "axis")
    end
    if (index - 1) % every == 0 then
      local half = canvas.text_width(mark.label) / 2
      local at = math.max(half + 4, math.min(x, c.width - half - 4))
      c:text(at, box.bottom + 18, mark.label, "tick mid")
    end
  end
  if not how.bare then
    c:line(box.left, box.bottom, box.right, box.bottom, "axis")
  end
  if axis.title ~= "" then
    local title = canvas.fit(axis.title, c.width - 2 * axes.MARGIN)
    local half = canvas.text_width(title) / 2
    local middle = math.max(axes.MARGIN + half, math.min((box.left + box.right) / 2,
      c.width - axes.MARGIN - half))
    c:text(middle, box.bottom + 38, title, "name mid")
  end
end

--- How far below the chart the horizontal axis reaches.
---@param spec? tandem.AxisSpec
---@return number
function axes.below(spec)
  local axis = ticks.axis(spec, 0, 1)
  return axis.title ~= "" and 54 or 36
end

--- The range of an axis grown by the limits that are near enough; others are named at the edge.
---@param limits? tandem.SvgLimit[]
---@param key "x"|"y"
---@param low number
---@param high number
---@param log? boolean
---@return number low
---@return number high
function axes.with_limits(limits, key, low, high, log)
  local least, most = low, high
  for _, limit in ipairs(limits or {}) do
    local value = limit[key]
    if ticks.drawable(value) and not (log and value <= 0) then
      local reach = math.max(math.abs(low), math.abs(high))
      if low > high then
        least, most = math.min(least, value), math.max(most, value)
      elseif math.abs(value) <= 3 * reach then
        least, most = math.min(least, value), math.max(most, value)
      end
    end
  end
  return least, most
end

-- Names above a chart that would touch go to rows of their own.
local function stack(names)
  local ends = {}
  table.sort(names, function(a, b) return a.x < b.x end)
  for _, name in ipairs(names) do
    local half = name.label and canvas.text_width(name.label) * 0.53 or 0
    local row = 1
    while ends[row] and ends[row] > name.x - half - 8 do row = row + 1 end
    ends[row], name.row = name.x + half, row
  end
end

--- Lines at the limits, with their names where they cover least.
---@param c tandem.Canvas
---@param limits? tandem.SvgLimit[]
---@param axis tandem.Axis
---@param key "x"|"y"
---@param box tandem.SvgBox
---@param boxes? tandem.Boxes  what is taken on the chart; without, names stand above it
---@return fun() name  writes the names once everything else is known
function axes.limits(c, limits, axis, key, box, boxes)
  local names = {}
  for _, limit in ipairs(limits or {}) do
    local share = axis:at(limit[key])
    local label = limit.label and canvas.fit(limit.label, (box.right - box.left) / 2)
    local inside = share and share >= -1e-9 and share <= 1 + 1e-9
    if inside and key == "y" then
      local y = box.bottom - share * (box.bottom - box.top)
      c:line(box.left, y, box.right, y, "limit")
      names[#names + 1] = { label = label, y = y }
    elseif inside then
      local x = box.left + share * (box.right - box.left)
      c:line(x, box.top, x, box.bottom, "limit")
      names[#names + 1] = { label = label, x = x }
    elseif share and label then
      local arrow = key == "y" and (share > 0 and " ↑" or " ↓") or share > 0 and " →" or " ←"
      names[#names + 1] = { label = label .. arrow,
        y = key == "y" and (share > 0 and box.top - 3 or box.bottom + 3) or nil,
        x = key == "x" and (share > 0 and box.right or box.left) or nil }
    end
  end
  for _, name in ipairs(boxes and names or {}) do
    local x, y = name.x, name.y
    boxes:take_line { { x or box.left, y or box.top }, { x or box.right, y or box.bottom } }
  end
  if not boxes then stack(names) end
  return function()
    for _, name in ipairs(names) do
      if name.label and not boxes then
        local half = canvas.text_width(name.label) * 0.53
        c:text(math.max(axes.MARGIN + half, math.min(name.x, c.width - axes.MARGIN - half)),
          box.top - 8 - 15 * ((name.row or 1) - 1), name.label, "limit-word mid")
      elseif name.label then
        local width, spots = canvas.text_width(name.label) * 1.06, {}
        if name.y then
          for _, top in ipairs { name.y - 18, name.y + 4 } do
            for _, left in ipairs { box.left + 6, box.right - width - 6,
              (box.left + box.right - width) / 2 } do
              spots[#spots + 1] = { left, top }
            end
          end
        else
          for _, top in ipairs { box.top + 2, box.bottom - 18, (box.top + box.bottom) / 2 } do
            spots[#spots + 1] = { name.x + 6, top }
            spots[#spots + 1] = { name.x - 6 - width, top }
          end
        end
        local spot = boxes:place(width, 15, spots) or spots[1]
        boxes:take(spot[1], spot[2], spot[1] + width, spot[2] + 15, 4)
        c:text(spot[1], spot[2] + 12, name.label, "limit-word halo")
      end
    end
  end
end

--- Says that there is nothing to see, in the middle of the chart.
---@param c tandem.Canvas
---@param box tandem.SvgBox
function axes.nothing(c, box)
  c:text((box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4, "nothing to show", "name mid")
end

--- The class of series `index`: its colour by letter, its dashes when the colours begin again.
---@param letter "s"|"f"|"t"
---@param index integer
---@return string
function axes.color(letter, index)
  local class = letter .. ((index - 1) % theme.SERIES + 1)
  return letter == "s" and index > theme.SERIES and class .. " dash" or class
end

return axes
