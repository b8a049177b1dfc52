--- A flame graph as an SVG file: the root on top, frames under the one they ran in.
--
-- Owns the layout. Frames thinner than a share of a pixel are not drawn, so that the file stays
-- small however many there are. With a second run, red has grown and blue has shrunk.
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local flame = require "tandem.flame"
local html = require "tandem.page.html"
local theme = require "tandem.plot.svg.theme"

local svg = {}

local ROW <const> = 18
local TIP <const> = 300  -- characters of a name that a tip has
local function share_words(part, whole)
  return whole > 0 and ("%.2f %%"):format(100 * part / whole) or "–"
end

local function tip_of(graph, frame)
  local root = graph.frames[1]
  local text = ("%s: %s, %s; own %s"):format(html.cut(canvas.clean(frame.name), TIP),
    flame.words(graph, frame.total),
    share_words(frame.total, root.total), flame.words(graph, frame.self))
  if frame.was_total then text = text .. "; was " .. flame.words(graph, frame.was_total) end
  return text
end

-- The class of a frame's colour.
local function class_of(frame)
  if frame.was_total then
    local more, most = frame.total - frame.was_total, math.max(frame.total, frame.was_total)
    local level = most > 0 and math.floor(theme.LEVELS * math.abs(more) / most + 0.5) or 0
    if level == 0 then return "none" end
    return (more > 0 and "grown" or "shrunk") .. level
  end
  local color = flame.color(frame.category)
  return color == 0 and "none" or ("f%d pale"):format(color)
end

-- Which kinds of frames there are, for the legend, in the words of the page.
local function legend_of(graph)
  local there = {}
  for _, frame in ipairs(graph.frames) do there[frame.category] = true end
  local items, by, said = {}, {}, {}
  for _, one in ipairs(flame.KINDS) do
    local category, words = one[1], one[2]
    local color = flame.color(category)
    if there[category] and not said[words] then
      said[words] = true
      if by[color] then
        by[color].name = by[color].name .. ", " .. words
      else
        by[color] = { name = words, class = ("f%d pale"):format(color) }
        items[#items + 1] = by[color]
      end
    end
  end
  return items
end

---@class tandem.FlameSvgOptions
---@field title? string         default: the run's name
---@field width? number         default: 1200
---@field least_pixels? number  default: 0.5; thinner frames are left out
---@field deepest? integer      rows at most
---@field theme? "auto"|"light"|"dark"

-- Where each frame that is drawn begins: { frame, x, width }; and the deepest of them.
local function laid_out(graph, left, width, options)
  local least, deepest = options.least_pixels or 0.5, options.deepest or math.huge
  local whole, next_x, out, bottom = graph.frames[1].total, { [0] = left }, {}, 0
  for _, frame in ipairs(graph.frames) do
    local x = next_x[frame.depth]
    local wide = whole > 0 and frame.total / whole * width or 0
    next_x[frame.depth] = x + wide
    next_x[frame.depth + 1] = x
    if wide >= least and frame.depth <= deepest then
      out[#out + 1] = { frame = frame, x = x, width = wide }
      bottom = math.max(bottom, frame.depth)
    end
  end
  return out, bottom
end

--- Draws it.
---@param graph tandem.FlameGraph
---@param options? tandem.FlameSvgOptions
---@return tandem.SvgChart
function svg.draw(graph, options)
  options = options or {}
  local width = axes.width(options.width, 1200, 320)
  local inner = width - 2 * axes.MARGIN
  local boxes, bottom = laid_out(graph, axes.MARGIN, inner, options)
  local c = canvas.new(width, 0)
  local root = graph.frames[1]
  local subtitle = ("%s in all%s"):format(flame.words(graph, root.total), graph.against
    and (", was %s in %s; red has grown, blue has shrunk"):format(
      flame.words(graph, root.was_total), graph.against.run.name) or "")
  local title = options.title or graph.title
  local top = axes.title(c, { title = title, subtitle = subtitle }) + 10
  if not graph.against then
    local items = legend_of(graph)
    for _, item in ipairs(items) do
      item.draw = function(x, y) c:rect(x, y - 6, 16, 12, item.class, nil, 2) end
    end
    if #items > 0 then top = axes.legend(c, items, top) + 6 end
  end
  c.height = top + (bottom + 1) * ROW + axes.MARGIN
  for _, box in ipairs(boxes) do
    local y = top + box.frame.depth * ROW
    c:rect(box.x, y, math.max(box.width - 0.6, 0.4), ROW - 1, class_of(box.frame),
      tip_of(graph, box.frame), box.width > 6 and 2 or nil)
    if box.width > 36 then
      c:text(box.x + 4, y + 12.5, canvas.middle(box.frame.name, box.width - 7, 11), "label")
    end
  end
  local made = c:finish(title, ("%d frames, %d drawn"):format(#graph.frames, #boxes), options.theme)
  made.again = function() return svg.draw(graph, options) end
  return made
end

return svg
