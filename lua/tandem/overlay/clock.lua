--- One clock for two runs: where the second one's times lie on the first one's clock.
--
-- Owns the ways to align and what is said when they fail. The arithmetic is src/analysis/overlay's.
-- Called by the overlay and by whatever compares two runs over time.
--
--   first          the first work on a lane that both have is at the same time
--   event:PATTERN  the first span of such a name; PATTERN is a glob, or /…/ a regular expression
--   arrivals       request i of both arrives at the same time
--   activity       where the activity of lanes is most alike
--   none           the clocks are taken as they are
--   auto           arrivals where both runs know requests that come alike, else first
local core = require "tandem.core"
local format = require "tandem.text.format"
local patterns = require "tandem.map.pattern"

local clock = {}

local WAYS = { "auto", "first", "event:PATTERN", "arrivals", "activity", "none" }
local DRIFTS = { "auto", "on", "off" }

-- Spans of a name that are looked at: enough for any clock.
local MOST <const> = 20000

---@class tandem.Clock
---@field by string          how it was found; "hand" where an offset was given
---@field offset_ns integer  a time t of the second run is t + offset + drift · (t − origin) of the
---                          first
---@field origin_ns integer  on the second run's clock
---@field drift_ppm number   applied; 0 where none is
---@field measured_drift_ppm number|nil  as measured; nil where it cannot be
---@field drift_error_ppm number|nil     its standard error
---@field residual_ns number|nil  median distance of the events that remains; nil: one event
---                               tells none
---@field events integer     that it rests on
---@field likeness number|nil  of activity: its correlation
---@field why string|nil     why auto took no better way

---@class tandem.ClockOptions
---@field by? string         of WAYS (default: auto)
---@field drift? string      auto (where larger than twice its error and below 1000 ppm), on, off
---@field offset? string|number  added to the second run's times: "5ms" or nanoseconds
---@field lanes? string      whose activity: lane, device, stream, stage

-- A glob as a regular expression; /…/ is one.
local function expression_of(pattern)
  local plain = patterns.expression(pattern)
  if plain then return plain end
  local escaped = pattern:gsub("[%^%$%.%[%]%|%(%)%+%{%}\\]", "\\%0")
  return "^" .. escaped:gsub("%*", ".*"):gsub("%?", ".") .. "$"
end

local ways = {}

function ways.none()
  return { offset_ns = 0, origin_ns = 0, drift_ppm = 0.0, events = 0 }
end

local function by_lanes(way)
  return function(real, sim, options)
    local by = options.lanes or real.visits and sim.visits and "stage" or "lane"
    local of_real, message, code = real:lanes(by)
    if not of_real then return nil, message, code end
    local of_sim
    of_sim, message, code = sim:lanes(by)
    if not of_sim then return nil, message, code end
    return core.overlay.align(of_real, of_sim, way, options.drift)
  end
end

ways.first = by_lanes "first"
ways.activity = by_lanes "activity"

-- Distances of the k-th spans of both under a clock without drift: their median.
local function residual_of(a, b, offset)
  local apart = {}
  for i = 1, #a do apart[i] = math.abs(a[i] - b[i] - offset) end
  table.sort(apart)
  return apart[(#apart + 1) // 2] + 0.0
end

function ways.event(real, sim, options, pattern)
  local times, counts, problem = {}, {}, patterns.problem(pattern)
  if problem then return nil, ("align: the event %s"):format(problem), 2 end
  for i, one in ipairs { real, sim } do
    local view, message, code = one:view()
    if not view then return nil, message, code end
    times[i], counts[i], code = core.overlay.starts(view.core, expression_of(pattern), MOST)
    if not times[i] then return nil, counts[i], code end
    if counts[i] == 0 then
      return nil, ("%s, %s: no span is called '%s' (tandem kernels, ranges and api list names)")
        :format(one.word, one:name(), pattern), 3
    end
  end
  local alike = counts[1] == counts[2]
  if options.drift == "on" and (counts[1] == 1 or not alike) then
    return nil, ("one event tells no drift, and '%s' is %d times in one run and %d times in the "
      .. "other: name an event that both have equally often, or leave the drift out"):format(
      pattern, counts[1], counts[2]), 3
  end
  local fitted = alike and core.overlay.fit(times[1], times[2], options.drift)
  if fitted and fitted.drift_ppm ~= 0 then return fitted end
  local one = assert(core.overlay.fit({ times[1][1] }, { times[2][1] }, "off"))
  if fitted and counts[1] > 1 then
    one.measured_drift_ppm, one.drift_error_ppm = fitted.measured_drift_ppm,
      fitted.drift_error_ppm
    one.residual_ns = residual_of(times[1], times[2], one.offset_ns)
  end
  return one
end

function ways.arrivals(real, sim, options)
  local of_real, of_sim = real:arrivals(), sim:arrivals()
  for _, pair in ipairs { { real, of_real }, { sim, of_sim } } do
    if not pair[2] or #pair[2] == 0 then
      return nil, ("%s, %s: %s"):format(pair[1].word, pair[1]:name(), pair[1]:is_simulated()
        and "its requests were not kept"
        or "a measured run has requests with a map only (--map FILE; tandem map proposes one)"), 3
    end
  end
  local found, message, code = core.overlay.fit(of_real, of_sim, options.drift)
  if not found then return nil, message, code end
  local n = math.min(#of_real, #of_sim)
  local gap = n > 1 and (of_real[n] - of_real[1]) / (n - 1) or 0
  if n >= 3 and found.residual_ns > gap / 2 then
    return nil, ("request by request the arrivals stay %s apart, with %s from one to the next: the "
      .. "runs did not see the same load (tandem help arrivals; or align by first or activity)")
      :format(format.time(found.residual_ns / 1e9), format.time(gap / 1e9)), 3
  end
  found.left_out = math.max(#of_real, #of_sim) - n
  return found
end

function ways.auto(real, sim, options)
  local found, message = nil, "no requests in both"
  if real:arrivals() and sim:arrivals() then found, message = ways.arrivals(real, sim, options) end
  if found then
    found.by = "arrivals"
    return found
  end
  local code
  local why = message
  found, message, code = ways.first(real, sim, options)
  if not found then return nil, message, code end
  found.by, found.why = "first", why
  return found
end

local function offset_of(text)
  if math.type(text) == "integer" then return text end
  return require("tandem.analysis.options").nanoseconds(text)
end

--- The clock of two sides. Wrong words come back as a message, like clocks that cannot be aligned.
---@param real tandem.OverlaySide
---@param sim tandem.OverlaySide
---@param options? tandem.ClockOptions
---@return tandem.Clock|nil
---@return string|nil message
---@return integer|nil code
function clock.of(real, sim, options)
  options = options or {}
  local by, nearest = options.by or "auto", require "tandem.text.nearest"
  local drift_known = options.drift == nil
  for _, word in ipairs(DRIFTS) do drift_known = drift_known or word == options.drift end
  if not drift_known then
    return nil, ("drift cannot be '%s'; %s"):format(tostring(options.drift),
      nearest.hint(tostring(options.drift), DRIFTS)), 2
  end
  if options.offset ~= nil then
    local offset, message = offset_of(options.offset)
    if not offset then return nil, ("offset: %s"):format(message), 2 end
    return { by = "hand", offset_ns = offset, origin_ns = 0, drift_ppm = 0.0, events = 0 }
  end
  local pattern = tostring(by):match "^event:(.+)$"
  local way = pattern and "event" or by
  if way == "event" and not pattern or not ways[way] then
    return nil, ("align cannot be '%s'; %s"):format(tostring(by),
      nearest.hint(tostring(by), WAYS)), 2
  end
  local found, message, code = ways[way](real, sim, options, pattern)
  if not found then return nil, message, code end
  found.by = found.by or by
  return found
end

--- The clock of two runs, or tandem.Visits of runs.
---@param real tandem.Run|table
---@param sim tandem.Run|table
---@param options? tandem.ClockOptions
---@return tandem.Clock|nil
---@return string|nil message
---@return integer|nil code
function clock.align(real, sim, options)
  local of_real, of_sim = require("tandem.overlay.side").both(real, sim)
  return clock.of(of_real, of_sim, options)
end

--- A time of the second run on the first one's clock.
---@param found tandem.Clock
---@param time_ns integer
---@return integer
function clock.time(found, time_ns)
  local drift = found.drift_ppm * 1e-6 * (time_ns - found.origin_ns)
  return time_ns + found.offset_ns + math.floor(drift + 0.5)
end

return clock
