--- `td.overlay(real, sim, options)`: a measured run and a simulated one in one time frame.
--
-- Owns what may be asked, the frame, and which tables an answer has. Clocks are clock.lua's,
-- counting is src/analysis/overlay's, pictures are picture.lua's and text.lua's. Any two runs can
-- be laid over one another, and tandem.Visits of runs, whose lanes are their stages.
local answers = require "tandem.analysis.answer"
local clock = require "tandem.overlay.clock"
local core = require "tandem.core"
local described = require "tandem.overlay.columns"
local nearest = require "tandem.text.nearest"
local options_of = require "tandem.analysis.options"

local overlay = {}

local BYS <const> = { "lane", "stage", "device", "stream" }
overlay.views = { "stacked", "overlay", "difference" }

---@class tandem.Overlay: tandem.Answer
---@field real tandem.OverlaySide  internal
---@field sim tandem.OverlaySide  internal
---@field clock tandem.Clock
---@field by string
---@field view string
---@field from_ns integer  the frame, on the real run's clock
---@field to_ns integer
---@field zero_ns integer  what times are told from: the real run's first record
---@field laid userdata    the lanes side by side
local METHODS = {}

---@class tandem.OverlayOptions
---@field by? string         lane (the default), stage (the default of simulated runs and of
---                          visits: their lanes), device, stream
---@field map? tandem.Map    of measured runs: their requests and stages
---@field align? string      auto, first, event:PATTERN, arrivals, activity or none (default: auto)
---@field drift? string      auto, on, off
---@field offset? string|number  the second run's times are moved by it: "5ms" or nanoseconds
---@field range? string      "100ms..250ms" from the real run's first record; ".." is all that
---                          either has (default: from its first to its last work)
---@field bins? integer      of the table over time (default: 60)
---@field most? integer      differences that are listed (default: 20)
---@field view? string       which picture comes first: stacked, overlay, difference

local KNOWN <const> = { "by", "map", "align", "drift", "offset", "range", "bins", "most", "view" }

local function unknown_word(name, value, known)
  for _, word in ipairs(known) do
    if word == value then return nil end
  end
  return ("%s cannot be '%s'; %s"):format(name, tostring(value),
    nearest.hint(tostring(value), known))
end

local function whole_of(name, value, most)
  local number = math.tointeger(tonumber(value))
  if number and number >= 1 and number <= most then return number end
  return nil, ("%s wants a whole number from 1 to %d, not '%s'"):format(name, most,
    tostring(value))
end

local function checked(given)
  local out = {}
  for name, value in pairs(given or {}) do
    local known, message = false, nil
    for _, one in ipairs(KNOWN) do known = known or one == name end
    if not known then
      return nil, ("there is no option '%s'; %s"):format(tostring(name),
        nearest.hint(tostring(name), KNOWN))
    end
    out[name] = value
    if name == "by" or name == "view" then
      message = unknown_word(name, value, name == "by" and BYS or overlay.views)
    elseif name == "bins" then
      out.bins, message = whole_of(name, value, 10000)
    elseif name == "most" then
      out.most, message = whole_of(name, value, 100000)
    end
    if message then return nil, message end
  end
  return out
end

-- ---- the frame ----

local function moment(text, zero_ns)
  if text == "" then return nil end
  local ns, message = options_of.nanoseconds(text)
  if not ns then return nil, message end
  return zero_ns + ns
end

-- From the real run's first to its last work, or what was asked for; all that either has where an
-- end is left open.
local function frame_of(range, zero_ns, lanes, found)
  local first, last = lanes.real:extent()
  if not range then
    -- Differences of far times wrap around.
    if last - first > 0 then return first, last end
    return nil, nil, "there is no time from the first to the last work of the first run that a "
      .. "frame could show; --range FROM..TO chooses one"
  end
  local from, to = tostring(range):match "^(.-)%.%.(.-)$"
  if not from then
    return nil, nil, ("a range is FROM..TO, such as 100ms..250ms, not '%s'"):format(
      tostring(range))
  end
  local sim_first, sim_last = lanes.sim:extent()
  local from_ns, wrong = moment(from, zero_ns)
  if wrong then return nil, nil, wrong end
  local to_ns
  to_ns, wrong = moment(to, zero_ns)
  if wrong then return nil, nil, wrong end
  from_ns = from_ns or math.min(first, clock.time(found, sim_first))
  to_ns = to_ns or math.max(last, clock.time(found, sim_last))
  if from_ns >= to_ns or to_ns - from_ns < 0 then
    return nil, nil, ("the range %s is %s"):format(range, from_ns >= to_ns and "empty"
      or "longer than 292 years")
  end
  return from_ns, to_ns
end

-- ---- tables ----

local function alignment_frame(found)
  local row = { by = found.by, offset_ns = found.offset_ns, drift_ppm = found.drift_ppm,
    measured_drift_ppm = found.measured_drift_ppm, drift_error_ppm = found.drift_error_ppm,
    residual_ns = found.residual_ns, events = found.events, likeness = found.likeness }
  return { name = "alignment", columns = { "by", "offset_ns", "drift_ppm", "measured_drift_ppm",
    "drift_error_ppm", "residual_ns", "events", "likeness", "origin_ns" }, rows = { row } }
end

local function over_time_frame(made, bins)
  local rows, length = {}, made.to_ns - made.from_ns
  -- Two clocks may lie years apart: no product is larger than the length.
  local width, more = length // bins, length % bins
  for index, lane in ipairs(made.laid:lanes()) do
    local of = made.laid:bins(index, bins)
    for i = 1, bins do
      rows[#rows + 1] = { lane = lane.label,
        from_ns = made.from_ns - made.zero_ns + width * (i - 1) + more * (i - 1) // bins,
        real_busy = lane.real and of.real_busy[i] or nil,
        simulated_busy = lane.simulated and of.simulated_busy[i] or nil,
        both_busy = lane.real and lane.simulated and of.both_busy[i] or nil,
        real_mean = lane.real and of.real_mean[i] or nil,
        simulated_mean = lane.simulated and of.simulated_mean[i] or nil }
    end
  end
  return { name = "over_time", columns = { "lane", "from_ns", "real_busy", "simulated_busy",
    "both_busy", "real_mean", "simulated_mean" }, rows = rows }
end

local function tables_of(made, given)
  local raw, message, code = made.laid:answer(given.most or 20)
  if not raw then return nil, message, code end
  for _, row in ipairs(raw.frames[2].rows) do
    row.busy = row.busy == "real" and made.real.word or made.sim.word
    row.from_ns, row.to_ns = row.from_ns - made.zero_ns, row.to_ns - made.zero_ns
  end
  table.insert(raw.frames, 1, alignment_frame(made.clock))
  raw.frames[#raw.frames + 1] = over_time_frame(made, given.bins or 60)
  return raw
end

-- What the frame leaves out of the second run.
local function outside(made, lanes)
  local format = require "tandem.text.format"
  local first, last = lanes.sim:extent()
  local before = made.from_ns - clock.time(made.clock, first)
  local after = clock.time(made.clock, last) - made.to_ns
  local parts = {}
  if before > 0 then parts[1] = ("%s before"):format(format.time(before / 1e9)) end
  if after > 0 then parts[#parts + 1] = ("%s after"):format(format.time(after / 1e9)) end
  if #parts == 0 then return nil end
  return ("the %s run has %s it, which a wider range shows"):format(made.sim.word,
    table.concat(parts, " and "))
end

local function basis_of(made, lanes, range)
  local real, sim = made.real.word, made.sim.word
  local basis = { described.clock_words(made) }
  basis[2] = range and "shares are of the range"
    or ("shares are of the time from the %s run's first to its last work"):format(real)
  local left = outside(made, lanes)
  if left then basis[2] = basis[2] .. "; " .. left end
  basis[3] = "alike: of the time in which either is busy, the share in which both are"
  if made.real.visits and made.by == "stage" then
    basis[3] = "alike: of the time in which either has a visit, from its first row to its last, "
      .. "the share in which both have; so are both, only and neither"
    basis[4] = "a stage is busy while rows of a visit run, told evenly over the visit"
  elseif made.by ~= "stage" then
    for _, side in ipairs { made.real, made.sim } do
      if not side:is_simulated() then
        basis[4] = lanes[side == made.real and "real" or "sim"]:is_plain()
          and "a run without GPU work, calls and operators shows all its spans"
          or "CPU: operators and API calls, but for calls that only wait for a GPU"
      end
    end
  end
  if #(made.delays or {}) > 0 then
    basis[#basis + 1] = ("delays of the %s run alone are not lanes: %s"):format(sim,
      table.concat(made.delays, ", "))
  end
  basis[#basis + 1] = ("times are told from the %s run's first record"):format(real)
  local only = {}
  for _, lane in ipairs(made.laid:lanes()) do
    if not lane.real or not lane.simulated then
      only[#only + 1] = ("%s (%s)"):format(lane.label, lane.real and real or sim)
    end
  end
  if #only > 0 then
    basis[#basis + 1] = "in one of the runs only, and not compared: " .. table.concat(only, ", ")
  end
  return basis
end

-- ---- the answer ----

local function lanes_of(real, sim, by)
  local of_real, message, code = real:lanes(by)
  if not of_real then return nil, message, code end
  local of_sim
  of_sim, message, code = sim:lanes(by)
  if not of_sim then return nil, message, code end
  return { real = of_real, sim = of_sim }
end

-- Runs that a Visits made by hand does not have.
local function run_of(side)
  return side.run or { id = "", kind = side.visits.kind, name = side:name() }
end

local function extended(made)
  local class = getmetatable(made)
  return setmetatable(made, { __index = function(_, name)
    return METHODS[name] or class.__index[name]
  end, __tostring = class.__tostring, __len = class.__len, __name = "tandem.Overlay" })
end

local function no_lane_in_common(laid, by)
  local names = { real = {}, simulated = {} }
  for _, lane in ipairs(laid:lanes()) do
    if lane.real and lane.simulated then return nil end
    for _, side in ipairs { "real", "simulated" } do
      if lane[side] then table.insert(names[side], lane.label) end
    end
  end
  return ("what they have in common: by %s no lane is in both, %s against %s"):format(by,
    table.concat(names.real, ", "), table.concat(names.simulated, ", "))
end

-- Both as visits where one of them is, or where a map makes it so: rows of stages of one run are
-- not held against visits of the other. Simulated runs need no map.
local function alike(real, sim, map)
  local is_visits = require("tandem.overlay.side").is_visits
  if not map and not is_visits(real) and not is_visits(sim) then return { real, sim } end
  local made = {}
  for i, one in ipairs { real, sim } do
    made[i] = one
    if type(one) == "table" and not is_visits(one) and (map or one.kind == "simulated") then
      local message, code
      made[i], message, code = one:visits(one.kind == "measured" and map or nil)
      if not made[i] then return nil, ("%s: %s"):format(one.name, message), code end
    end
  end
  if is_visits(made[1]) and is_visits(made[2]) then
    made[2], made.delays = require("tandem.visits.leave_out").delays(made[2], made[1])
  end
  return made
end

--- Lays one run over another.
---@param real tandem.Run|tandem.Visits
---@param sim tandem.Run|tandem.Visits
---@param given? tandem.OverlayOptions
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function overlay.of(real, sim, given)
  local chosen, wrong = checked(given)
  if not chosen then return nil, wrong, 2 end
  local lacking = require("tandem.store.times").lacking { real, sim }
  if lacking then return nil, lacking, 1 end
  local both, message, code = alike(real, sim, chosen.map)
  if not both then return nil, message, code end
  local of_real, of_sim = require("tandem.overlay.side").both(both[1], both[2])
  local by = chosen.by or (of_real.visits or of_sim.visits) and "stage" or "lane"
  local lanes
  lanes, message, code = lanes_of(of_real, of_sim, by)
  if not lanes then return nil, message, code end
  local found
  found, message, code = clock.of(of_real, of_sim, { by = chosen.align, drift = chosen.drift,
    offset = chosen.offset, lanes = by == "stage" and "stage" or nil })
  if not found then return nil, message, code end
  local made = { real = of_real, sim = of_sim, clock = found, by = by,
    view = chosen.view or "stacked", delays = both.delays }
  made.zero_ns = of_real.run and of_real.run.first_ns or lanes.real:extent()
  made.from_ns, made.to_ns, wrong = frame_of(chosen.range, made.zero_ns, lanes, found)
  if not made.from_ns then return nil, wrong, 2 end
  made.laid, message, code = core.overlay.lay(lanes.real, lanes.sim, found, made.from_ns,
    made.to_ns)
  if not made.laid then return nil, message, code end
  local raw
  raw, message, code = tables_of(made, chosen)
  if not raw then return nil, message, code end
  raw.basis = basis_of(made, lanes, chosen.range)
  raw.cannot = { no_lane_in_common(made.laid, by) }
  local answer = answers.new("overlay", described.of(made), { run = run_of(of_real),
    filter = {} }, raw)
  for name, value in pairs(made) do answer[name] = value end
  answer.compared = { a = { run_of(of_real) }, b = { run_of(of_sim) } }
  for side, list in pairs(answer.compared) do
    local run = list[1]
    answer.compared[side] = { { id = run.id, kind = run.kind, name = run.name,
      spans = run.span_count } }
  end
  return extended(answer) --[[@as tandem.Overlay]]
end

-- ---- its other forms ----

--- A picture: stacked, overlay, difference (default: the one asked for).
---@param view? string
---@param options? { width?: number, theme?: "auto"|"light"|"dark" }
---@return tandem.Plot
function METHODS:picture(view, options)
  view = view or self.view
  local wrong = unknown_word("view", view, overlay.views)
  if wrong then error(wrong, 2) end
  return require("tandem.plot").of { kind = "overlay",
    title = ("%s over %s"):format(self.real:name(), self.sim:name()),
    lines = function(style)
      return require("tandem.overlay.text").lines(setmetatable({ view = view },
        { __index = self }), style)
    end,
    picture = function() return require("tandem.overlay.picture").draw(self, view, options) end,
    rows = function() return self:frame "lanes" end }
end

--- One page with all three pictures and the tables.
---@return string
function METHODS:to_html() return require("tandem.page").overlay(self) end

--- The same as data for a timeline: schema tandem.overlay/1 (tandem help lanes).
---@return table
function METHODS:timeline() return require("tandem.overlay.timeline").of(self) end

--- Both runs as one trace, two groups of processes on one clock: "chrome", "perfetto" or another
--- format of `tandem export`.
---@param path string
---@param kind? string  default: chrome
---@return boolean|nil
---@return string|nil message
---@return integer|nil code
function METHODS:save_trace(path, kind)
  local views = {}
  for i, side in ipairs { self.real, self.sim } do
    local view, message, code = side:view()
    if not view then return nil, message, code end
    views[i] = view.core
  end
  return core.overlay.write { real = views[1], simulated = views[2], real_word = self.real.word,
    simulated_word = self.sim.word, clock = self.clock, from_ns = self.from_ns,
    to_ns = self.to_ns, format = kind or "chrome", path = path,
    name = ("%s over %s"):format(self.real:name(), self.sim:name()), version = core.version() }
end

return overlay
