--- Arrival processes as data: `td.poisson { rps = 20, duration = "60s" }`.
-- One entry each: its keys with their words, an example, how it is lowered to a kind that the
-- engine knows, which keys show it and grow with the load. Where a kind of the engine is first met
-- stands what can be said of it before a run. Checks, help, the web form, describe, lower, explain
-- and plan read this. Recordings are recordings.lua's.

local keys = require "tandem.language.keys"
local node = require "tandem.language.node"
local recordings = require "tandem.language.recordings"

---@class tandem.ArrivalProcess : tandem.Spec
---@field lower fun(a: table, as_dist: fun(v: any): table): table  ARR of the model table
---@field shown string[]|nil       keys that tell it in a line
---@field load (string|table)[]|nil  rates that grow with the load; { key of a list, item }
---@field stationary boolean|nil   looks the same at any time: a longer run shows more of the same
---@field kind string|nil          of the engine, where it is described here
---@field expects (fun(a: table, moments: fun(d: table): table, duration: number|nil):
---       tandem.ArrivalRate)|nil  what a lowered process of that kind promises

local arrivals = {}

local quantity = keys.quantity
local function time(doc, options)
  options = quantity("s", options)
  options.doc = doc
  return options
end
-- Time is counted in nanoseconds.
local function rate(doc, options)
  options = quantity("req/s", options)
  options.doc, options.max = doc, 1e9
  return options
end
local function rps(options) return rate('requests a second (or "15rps")', options) end

-- Keys every arrival process takes.
local common = {
  batch = quantity("1", { dist = true, min = 1,
    doc = "requests that arrive together, a group; rps counts groups" }),
  start = time "first arrivals after this time",
  duration = time("arrivals stop after this time", { positive = true }),
  requests = quantity("req", { integer = true, min = 1, doc = "arrivals stop after so many" }),
  class = { kind = "string", doc = "the request class that arrives" },
  sizes = { kind = "node", groups = { rows = true },
    doc = "attributes of each request out of a recording: td.resample { file = … }" },
}

local function define(spec)
  spec.group = "arrivals"
  for k, v in pairs(common) do spec.keys[k] = spec.keys[k] or v end
  local finish = spec.finish
  function spec.finish(ctx, c, raw)
    if finish then finish(ctx, c, raw) end
    recordings.join(ctx, c)
  end
  arrivals[spec.type] = node.define(spec)
end

-- ---- gaps of a distribution

define { type = "poisson", positional = { "rps" }, doc = "independent users: exponential gaps",
  keys = { rps = rps { required = true, positive = true } },
  shown = { "rps" }, load = { "rps" }, stationary = true,
  example = 'td.poisson { rps = 20, duration = "60s" }',
  lower = function(a)
    return { kind = "renewal", gap = { dist = "exponential", mean = 1 / a.rps } }
  end }

define { type = "paced", positional = { "rps" }, doc = "evenly spaced",
  keys = { rps = rps { required = true, positive = true } },
  shown = { "rps" }, load = { "rps" }, stationary = true,
  example = 'td.paced { rps = 20, duration = "10s" }',
  lower = function(a) return { kind = "constant", rps = a.rps } end,
  kind = "constant",
  expects = function(a) return { rps = a.rps, cv2 = 0, words = "evenly spaced" } end }

define { type = "renewal", doc = "independent gaps of any distribution, or by rps and cv",
  keys = { rps = rps { positive = true },
    cv = quantity("1", { positive = true, doc = "coefficient of variation: sd over mean" }),
    shape = { kind = "enum", of = { "gamma", "weibull" }, default = "gamma",
      doc = "which family the gaps follow" },
    gap = time("time between arrivals", { dist = true }) },
  shown = { "rps", "gap", "cv" }, load = { "rps" }, stationary = true,
  example = 'td.renewal { rps = 20, cv = 2.5, duration = "60s" }',
  finish = function(ctx, c)
    if c.gap and (c.rps or c.cv) then
      ctx:problem("gap", "give gap, or rps and cv, not both")
    elseif not c.gap and not (c.rps and c.cv) then
      ctx:problem(nil, "wants gap = DISTRIBUTION, or rps and cv")
    end
  end,
  lower = function(a, as_dist)
    local gap = a.gap or a.cv == 1 and { dist = "exponential", mean = 1 / a.rps }
      or { dist = a.shape, mean = 1 / a.rps, cv = a.cv }
    return { kind = "renewal", gap = as_dist(gap) }
  end,
  kind = "renewal",
  expects = function(a, moments)
    local gap = moments(a.gap)
    if not gap or not (gap.mean > 0) then return { cv2 = 1, words = "gaps of a distribution" } end
    local poisson = a.gap.dist == "exponential"
    return { rps = 1 / gap.mean, cv2 = gap.var / gap.mean ^ 2, poisson = poisson,
      words = poisson and "Poisson" or a.gap.dist .. " gaps" }
  end }

-- ---- Poisson whose rate switches

define { type = "mmpp", items = "states",
  doc = "Poisson whose rate switches: { {rps, mean time}, … }; begins in any state, by its time",
  keys = { states = { kind = "pairs", required = true, min = 2, first = rate(),
    second = time(nil, { positive = true }), words = "{rps, mean time}",
    doc = "{ {rps, mean time}, … }" } },
  shown = { "states" }, load = { { "states", 1 } }, stationary = true,
  example = 'td.mmpp { {5, "10s"}, {50, "1s"}, duration = "60s" }',
  finish = function(ctx, c)
    if not c.states then return end
    for _, s in ipairs(c.states) do
      if s[1] > 0 then return end
    end
    ctx:problem("states", "every state has rate 0: nothing would ever arrive")
  end,
  lower = function(a)
    local states = {}
    for _, s in ipairs(a.states) do table.move(s, 1, 2, #states + 1, states) end
    return { kind = "mmpp", states = states }
  end,
  kind = "mmpp",
  expects = function(a)
    local length, requests, peak = 0, 0, 0
    for i = 1, #a.states, 2 do
      local state_rps, stay = a.states[i], a.states[i + 1]
      length, requests = length + stay, requests + state_rps * stay
      peak = math.max(peak, state_rps)
    end
    return { rps = requests / length, peak_rps = peak, cv2 = 1,
      words = "Poisson whose rate switches" }
  end }

define { type = "bursts",
  doc = "on/off: rps for a while, idle_rps for a while, both times exponential; begins in either",
  keys = { rps = rps { required = true, positive = true },
    on = time("mean length of a burst", { required = true, positive = true }),
    off = time("mean length of a pause", { required = true, positive = true }),
    idle_rps = rate("rate in a pause", { default = 0 }) },
  shown = { "rps" }, load = { "rps", "idle_rps" }, stationary = true,
  example = 'td.bursts { rps = 40, on = "2s", off = "8s", duration = "60s" }',
  lower = function(a)
    return { kind = "mmpp", states = { a.rps, a.on, a.idle_rps + 0.0, a.off } }
  end }

-- ---- Poisson whose rate follows points

node.types.curve_columns = { type = "curve_columns", group = "record",
  doc = "which columns of a file a curve is", order = { "time", "rps" },
  keys = { time = { kind = "string", doc = "the times; the first column unless given" },
    rps = { kind = "string", doc = "the rates, requests a second; the second one unless given" } } }

-- The points of a curve that stand in a file.
local function points_of_file(ctx, c, raw)
  if (c.file == nil) == (raw.points == nil) then
    ctx:problem(c.file and "points" or "points", c.file and "give points or a file, not both"
      or "wants points = { {time, rps}, … }, or file = \"day.csv\"")
    return
  elseif not c.file then
    local stray = raw.columns and "columns" or raw.unit and "unit"
    if stray then ctx:problem(stray, "says how a file is read; points need none") end
    c.unit = nil
    return
  end
  local beside = require "tandem.sandbox.beside"
  local _, wrong, header = beside.csv(c.file, ctx.directory)
  local columns = c.columns or {}
  local rows = header and { columns.time or header[1], columns.rps or header[2] }
  if header and not rows[2] then wrong = c.file .. ": has one column, and a curve needs two" end
  if not wrong then rows, wrong = beside.csv(c.file, ctx.directory, rows) end
  if wrong then return ctx:problem("file", wrong) end
  for i, row in ipairs(rows) do
    if type(row[1]) ~= "number" or type(row[2]) ~= "number" or row[1] < 0 or row[2] < 0 then
      return ctx:problem("file", ("%s: row %d is %s, %s; a time and a rate, both numbers from 0 "
        .. "on, are wanted"):format(c.file, i, tostring(row[1]), tostring(row[2])))
    end
    row[1] = row[1] * c.unit
  end
  c.points, c.file, c.columns, c.unit = rows, nil, nil, nil
end

define { type = "curve", items = "points", doc = "a rate that follows points { {time, rps}, … }",
  keys = { points = { kind = "pairs", first = time(), second = rate(),
      words = "{time, rps}", doc = "{ {time, rps}, … }, straight lines between" },
    file = { kind = "string", doc = "in place of points: a CSV file in the scenario's folder" },
    columns = { kind = "record", of = "curve_columns",
      doc = "which of its columns are the times and the rates; the first two unless given" },
    unit = time("what a time of 1 in the file is: \"1h\", \"1min\"",
      { positive = true, default = 1 }),
    period = time("the pattern repeats after this time", { positive = true }) },
  shown = { "points" }, load = { { "points", 2 } },
  example = 'td.curve { {"0s", 2}, {"30s", 20}, {"60s", 2}, duration = "60s" }',
  finish = function(ctx, c, raw)
    points_of_file(ctx, c, raw)
    if not c.points then return end
    local any = false
    for i, p in ipairs(c.points) do
      any = any or p[2] > 0
      if i > 1 and p[1] < c.points[i - 1][1] then
        ctx:problem("points", ("point %d is earlier than the one before"):format(i))
        return
      end
    end
    if not any then ctx:problem("points", "every rate is 0: nothing would ever arrive") end
    local last = c.points[#c.points]
    if c.period and last and last[1] > c.period then
      ctx:problem("period", "ends before the last point")
    end
  end,
  lower = function(a)
    local points = {}
    for _, p in ipairs(a.points) do table.move(p, 1, 2, #points + 1, points) end
    return { kind = "curve", points = points, period = a.period }
  end,
  kind = "curve",
  expects = function(a, _, duration)
    local points, area, peak = a.points, 0, 0
    for i = 3, #points, 2 do
      area = area + (points[i] - points[i - 2]) * (points[i + 1] + points[i - 1]) / 2
    end
    for i = 2, #points, 2 do peak = math.max(peak, points[i]) end
    local length = points[#points - 1] - points[1]
    -- The last rate holds until the curve begins again, or the arrivals end.
    local whole = a.period or math.max(duration or 0, length)
    area, length = area + (whole - length) * points[#points], whole
    return { rps = length > 0 and area / length or peak, peak_rps = peak, cv2 = 1,
      words = "a rate that moves" }
  end }

-- 96 straight pieces a period: within 0.06 % of the sine.
local PIECES <const> = 96

define { type = "diurnal", doc = "a day: a sine between night and peak",
  keys = { mean = rate("mean rate over the day", { required = true, positive = true }),
    peak = rate("the highest rate", { required = true, positive = true }),
    period = time("the pattern repeats after this time", { positive = true, default = 86400 }),
    peak_at = time("when the peak comes", { default = 50400 }) },
  shown = { "mean", "peak" }, load = { "mean", "peak" },
  example = 'td.diurnal { mean = 10, peak = 18, duration = "24h" }',
  finish = function(ctx, c)
    if not (c.mean and c.peak) then return end
    if c.peak < c.mean then
      ctx:problem("peak", "is below the mean")
    elseif c.peak > 2 * c.mean then
      ctx:problem("peak", "is more than twice the mean: a sine would go below zero at night"
        .. " (use td.curve for sharper peaks)")
    end
  end,
  lower = function(a)
    local points = {}
    for i = 0, PIECES do
      local t = a.period * i / PIECES
      local now = a.mean + (a.peak - a.mean) * math.cos(2 * math.pi * (t - a.peak_at) / a.period)
      table.move({ t, math.max(0, now) }, 1, 2, #points + 1, points)
    end
    return { kind = "curve", points = points, period = a.period + 0.0 }
  end }

define { type = "ramp", doc = "from one rate to another, evenly, over its duration",
  keys = { from = rate("the rate at the beginning", { required = true }),
    to = rate("the rate at the end", { required = true }),
    duration = time("how long the ramp takes; arrivals end with it",
      { required = true, positive = true }) },
  shown = { "from", "to" }, load = { "from", "to" },
  example = 'td.ramp { from = 1, to = 50, duration = "60s" }',
  finish = function(ctx, c)
    if c.from == 0 and c.to == 0 then
      ctx:problem("to", "from and to are both 0: nothing would ever arrive")
    end
  end,
  lower = function(a) return { kind = "curve", points = { 0.0, a.from, a.duration, a.to } } end }

define { type = "spike", doc = "a base rate with one jump to a peak",
  keys = { base = rate("the rate before and after", { required = true }),
    peak = rate("the highest rate", { required = true, positive = true }),
    at = time("when the spike begins", { required = true }),
    width = time("how long it lasts", { required = true, positive = true }) },
  shown = { "peak", "base" }, load = { "base", "peak" },
  example = 'td.spike { base = 5, peak = 80, at = "20s", width = "2s", duration = "60s" }',
  lower = function(a)
    local to = a.at + a.width
    return { kind = "curve",
      points = { 0.0, a.base, a.at, a.base, a.at, a.peak, to, a.peak, to, a.base } }
  end }

-- ---- users who wait for their answer

define { type = "closed", positional = { "users", "think" },
  doc = "users who wait for their answer, think, then ask again",
  keys = { users = quantity("1", { required = true, integer = true, min = 1,
      doc = "how many users there are" }),
    think = time("time a user waits before asking again", { dist = true, default = 0 }) },
  shown = { "users", "think" }, load = { "users" }, stationary = true,
  example = 'td.closed { users = 20, think = td.exponential "5s", duration = "60s" }',
  lower = function(a, as_dist)
    return { kind = "closed", users = a.users, think = as_dist(a.think) }
  end,
  kind = "closed",
  expects = function(a, moments)
    local think = moments(a.think or { dist = "constant", value = 0 })
    return { users = a.users, think_s = think and think.mean, cv2 = 1,
      words = "users who wait for their answer" }
  end }

-- ---- given times, and gaps of a user's function

define(recordings.replay)
arrivals.resample = recordings.resample

define { type = "arrivals", positional = { "fn" },
  doc = "a Lua function (n, t) that returns the gap to the next arrival in seconds",
  keys = { fn = { kind = "fn", required = true, doc = "function(n, t) that returns the gap in "
    .. "seconds to arrival n; t: when the one before came" } },
  example = 'td.arrivals(function(n, t) return n % 10 == 0 and 1.0 or 0.05 end)',
  lower = function(a) return { kind = "lua", fn = a.fn } end,
  kind = "lua",
  expects = function(a)
    return { cv2 = 1, words = a.coroutine and "a Lua coroutine" or "a Lua function" }
  end }

define { type = "arrivals_coroutine", positional = { "fn" },
  doc = "a Lua coroutine that yields gaps in seconds",
  keys = { fn = { kind = "fn", required = true, doc = "function that yields gaps in seconds" } },
  example = 'td.arrivals_coroutine(function()\n'
    .. '  while true do coroutine.yield(0.1) end\nend)',
  lower = function(a) return { kind = "lua", fn = a.fn, coroutine = true } end }

return arrivals
