--- An overlay as an SVG picture: stacked, overlay, difference.
--
-- Owns the layout: a band a lane, time from left to right. A lane of few parts is drawn exactly; of
-- more than a picture can show each column stands for the mean of its time. What would be too thin
-- or too low to be seen is a hair wide and high, so that no span is lost however short. Called by
-- tandem.Overlay.
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local format = require "tandem.text.format"

local picture = {}

-- Series of the theme: blue and orange, told apart by everybody.
local REAL <const>, SIM <const> = 1, 2
local WIDTH <const> = 1120
local LABEL <const>, NOTE <const> = 184, 132
-- Between the bands; for a telephone, whose words stand above and below each band.
local BAND <const>, GAP <const>, SLIM_GAP <const> = 56, 18, 64
-- Parts of a lane that are drawn one by one: a few for each column.
local EXACT <const> = 1500
-- What is drawn is at least so wide and so high.
local THIN <const>, LOW <const> = 0.75, 1.25
local ABOUT <const> = { QUEUE = "waiting", CPU = "host", H2D = "host to device", GPU = "kernels",
  D2H = "device to host", COMM = "communication", OTHER = "other" }

---@class tandem.OverlayPictureOptions
---@field width? number
---@field theme? "auto"|"light"|"dark"

-- ---- a lane as steps over the picture ----

-- { x, … } where values change, and a list of values a series; the last x is the end.
local function exact(answer, parts, box)
  local steps = { x = {}, real = {}, sim = {}, only_real = {}, only_sim = {}, both = {} }
  local scale = (box.right - box.left) / (answer.to_ns - answer.from_ns)
  for i = 1, #parts // 3 do
    local real, sim = parts[3 * i - 1], parts[3 * i]
    steps.x[i] = box.left + (parts[3 * i - 2] - answer.from_ns) * scale
    steps.real[i], steps.sim[i] = real, sim
    steps.only_real[i] = real > 0 and sim == 0 and 1 or 0
    steps.only_sim[i] = sim > 0 and real == 0 and 1 or 0
    steps.both[i] = real > 0 and sim > 0 and 1 or 0
  end
  steps.x[#parts // 3 + 1] = box.right
  return steps
end

local function binned(of, count, box)
  local steps = { x = {}, real = of.real_mean, sim = of.simulated_mean, only_real = {},
    only_sim = {}, both = of.both_busy }
  for i = 1, count do
    steps.x[i] = box.left + (box.right - box.left) * (i - 1) / count
    steps.only_real[i] = of.real_busy[i] - of.both_busy[i]
    steps.only_sim[i] = of.simulated_busy[i] - of.both_busy[i]
  end
  steps.x[count + 1] = box.right
  return steps
end

local function steps_of(answer, index, box)
  local parts = answer.laid:parts(index, EXACT)
  if parts then return exact(answer, parts, box), true end
  local count = math.floor(box.right - box.left)
  return binned(answer.laid:bins(index, count), count, box), false
end

local function most_of(values)
  local most = 0
  for _, value in ipairs(values) do most = math.max(most, value) end
  return most
end

-- ---- areas ----

-- The outline of a series over a base line, upwards or (height < 0) downwards: a path for each
-- stretch in which it is not zero.
local function area(c, steps, values, most, base, height, class)
  local points
  local function close(x)
    x = math.max(x, points[1][1] + THIN)
    points[#points][1] = x
    points[#points + 1] = { x, base }
    c:path(points, class, true)
    points = nil
  end
  if most <= 0 then return end
  local last
  for i, value in ipairs(values) do
    local tall = math.max(LOW, math.abs(height) * math.min(1, value / most))
    local y = height > 0 and base - tall or base + tall
    if value > 0 then
      if not points then
        points = { { steps.x[i], base }, { steps.x[i], y } }
      elseif y ~= last then
        points[#points + 1] = { steps.x[i], last }
        points[#points + 1] = { steps.x[i], y }
      end
      last = y
    elseif points then
      points[#points + 1] = { steps.x[i], last }
      close(steps.x[i])
    end
  end
  if points then
    points[#points + 1] = { steps.x[#values + 1], last }
    close(steps.x[#values + 1])
  end
end

local views = {}

function views.stacked(c, steps, band)
  local most, middle, half = band.most, (band.top + band.bottom) / 2, BAND / 2 - 1
  area(c, steps, steps.real, most, middle - 0.75, half, "f" .. REAL)
  area(c, steps, steps.sim, most, middle + 0.75, -half, "f" .. SIM)
  c:line(band.left, middle, band.right, middle, "axis")
end

function views.overlay(c, steps, band)
  area(c, steps, steps.sim, band.most, band.bottom, BAND - 2, "sheer f" .. SIM)
  area(c, steps, steps.real, band.most, band.bottom, BAND - 2, "sheer f" .. REAL)
  c:line(band.left, band.bottom, band.right, band.bottom, "axis")
end

function views.difference(c, steps, band)
  local middle, half = (band.top + band.bottom) / 2, BAND / 2 - 4
  area(c, steps, steps.both, 1, middle + 3, 6, "faded")
  area(c, steps, steps.only_real, 1, middle - 3, half, "f" .. REAL)
  area(c, steps, steps.only_sim, 1, middle + 3, -half, "f" .. SIM)
end

-- ---- around the bands ----

local function share(word, value)
  if not value then return word .. " –" end
  if value > 0 and value < 0.0005 then return word .. " < 0.1 %" end
  return ("%s %.1f %%"):format(word, 100 * value)
end

-- What the full height of a band stands for, where that is not one all the time.
local function scale_words(most)
  if most <= 0 then return nil end
  if most > 1.005 then return ("top %.3g at once"):format(most) end
  if most < 0.995 then return ("top %.2g %%"):format(100 * most) end
end

local function notes_of(answer, row)
  if answer.shown == "difference" then
    return row.alike and "only " .. format.time(row.only_real_ns / 1e9)
      or share(answer.real.word, row.real_busy), row.alike and "only "
      .. format.time(row.only_simulated_ns / 1e9) or share(answer.sim.word, row.simulated_busy)
  end
  return share(answer.real.word, row.real_busy), share(answer.sim.word, row.simulated_busy)
end

local function draw_words(c, answer, lane, row, band)
  local about = ABOUT[lane.kind] or ""
  local scale = answer.shown ~= "difference" and scale_words(band.most)
  if scale then about = ("%s · %s"):format(about, scale) end
  local real, sim = notes_of(answer, row)
  local alike = row.alike and ("%.1f %% alike"):format(100 * row.alike) or "in one run only"
  if axes.slim(c.width) then
    local name = canvas.fit(lane.label, 0.6 * c.width, 13)
    c:text(band.left, band.top - 8, name, "word strong")
    local x = band.left + 1.1 * canvas.text_width(name) + 10
    c:text(x, band.top - 8, canvas.fit(about, band.right - x, 11), "name small")
    local third = (band.right - band.left) / 3
    c:text(band.left, band.bottom + 16, real, "small t" .. REAL)
    c:text(band.left + third, band.bottom + 16, sim, "small t" .. SIM)
    c:text(band.right, band.bottom + 16, alike, "name small end")
    return
  end
  local middle = (band.top + band.bottom) / 2
  c:text(axes.MARGIN, middle - 1, canvas.fit(lane.label, LABEL - 12, 13), "word strong")
  c:text(axes.MARGIN, middle + 15, canvas.fit(about, LABEL - 10, 11), "name small")
  local x = band.right + 12
  c:text(x, middle - 12, real, "small t" .. REAL)
  c:text(x, middle + 4, sim, "small t" .. SIM)
  c:text(x, middle + 20, alike, "name small")
end

local TITLES <const> = { stacked = "%s above %s", overlay = "%s over %s",
  difference = "%s against %s" }

local function legend_of(c, answer)
  local real, sim = answer.real.word, answer.sim.word
  local function swatch(class)
    return function(x, y) c:rect(x, y - 6, 16, 12, class, nil, 2) end
  end
  if answer.shown == "stacked" then
    return { { name = real .. ", upwards", draw = swatch("f" .. REAL) },
      { name = sim .. ", downwards", draw = swatch("f" .. SIM) } }
  elseif answer.shown == "overlay" then
    return { { name = real, draw = swatch("sheer f" .. REAL) },
      { name = sim, draw = swatch("sheer f" .. SIM) },
      { name = "both", draw = function(x, y)
        swatch("sheer f" .. SIM)(x, y)
        swatch("sheer f" .. REAL)(x, y)
      end } }
  end
  return { { name = "only " .. real, draw = swatch("f" .. REAL) },
    { name = "only " .. sim, draw = swatch("f" .. SIM) },
    { name = "both", draw = swatch "faded" } }
end

local function heading(c, answer)
  local title = TITLES[answer.shown]:format(answer.real.word:gsub("^%l", string.upper),
    answer.sim.word)
  local y = axes.title(c, { title = ("%s: %s, %s"):format(title, answer.real:name(),
    answer.sim:name()), subtitle = require("tandem.overlay.columns").clock_words(answer)
    :gsub("^clock: ", "") })
  return axes.legend(c, legend_of(c, answer), y + 4)
end

-- Lanes that neither run ever uses within the frame are only named.
local function bands_of(answer)
  local rows, bands = answer:frame("lanes").rows, {}
  for index, lane in ipairs(answer.laid:lanes()) do
    bands[index] = { lane = lane, row = rows[index], index = index }
  end
  return bands
end

local function about(answer)
  local parts = {}
  for i, row in ipairs(answer:frame("lanes").rows) do
    parts[i] = ("%s: %s, %s"):format(row.lane, share(answer.real.word, row.real_busy),
      share(answer.sim.word, row.simulated_busy))
  end
  return table.concat(parts, "; ")
end

--- Draws a view.
---@param made tandem.Overlay
---@param view string
---@param options? tandem.OverlayPictureOptions
---@return tandem.SvgChart
function picture.draw(made, view, options)
  options = options or {}
  local answer = setmetatable({ shown = view }, { __index = made })
  local c = canvas.new(axes.width(options.width, WIDTH, 480), 0)
  local slim = axes.slim(c.width)
  local gap, left, right = GAP, LABEL, NOTE
  if slim then gap, left, right = SLIM_GAP, 0, 0 end
  local top = heading(c, answer) + (slim and 32 or 10)
  local bands = bands_of(answer)
  local box = { left = axes.MARGIN + left, right = c.width - axes.MARGIN - right, top = top,
    bottom = top + #bands * (BAND + gap) - (slim and gap - 24 or 0) }
  local zero = answer.zero_ns
  local axis = axes.across({ unit = "time" }, (answer.from_ns - zero) / 1e9,
    (answer.to_ns - zero) / 1e9, { nice = false,
      room = box.right - box.left, each = 90 })
  c.height = box.bottom + axes.below { unit = "time" }
  axes.horizontal(c, axis, box, { grid = true, bare = true })
  local binned_lanes = 0
  for i, band in ipairs(bands) do
    band.top = top + (i - 1) * (BAND + gap)
    band.bottom, band.left, band.right = band.top + BAND, box.left, box.right
    local steps, is_exact = steps_of(answer, band.index, box)
    band.most = math.max(most_of(steps.real), most_of(steps.sim))
    if not is_exact then binned_lanes = binned_lanes + 1 end
    views[view](c, steps, band)
    draw_words(c, answer, band.lane, band.row, band)
  end
  local notes = binned_lanes > 0 and { ("%d of %d lanes have more spans than can be drawn: there a "
    .. "column is the mean of its %s"):format(binned_lanes, #bands, format.time((answer.to_ns
    - answer.from_ns) / 1e9 / math.floor(box.right - box.left))) } or nil
  return c:finish(("%s over %s"):format(answer.real:name(), answer.sim:name()), about(answer),
    options.theme, notes)
end

return picture
