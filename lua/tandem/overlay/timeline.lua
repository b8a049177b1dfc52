--- An overlay as data for a timeline that zooms: schema tandem.overlay/1.
--
-- Owns the schema. Times are nanoseconds from the frame's beginning, so that they are exact in any
-- program.
--
--   schema   "tandem.overlay/1"
--   runs     { real = { word, id, name, kind }, simulated = … }
--   clock    what tandem.Clock has: by, offset_ns, origin_ns, drift_ppm, residual_ns, events, …
--   frame    { from_ns, length_ns }: from the real run's first record, and how long
--   lanes    in order, each
--     label, kind, real, simulated   whether the runs have it
--     most     the most that either has at once
--     levels   coarse to fine, each { bins, real, simulated, both }: lists of as many numbers, the
--              mean of how many were active in the real and the simulated run, and the share of the
--              bin in which both were
--     parts    where there are at most 20,000: { start, real, simulated, start, … }, how many are
--              active from when on, until the next start; else `parts_left_out` is true and the
--              last level is the finest that there is
local timeline = {}

local LEVELS <const> = { 256, 1024, 4096 }
local PARTS <const> = 20000

local function rounded(values)
  local out = {}
  for i, value in ipairs(values) do out[i] = math.floor(value * 10000 + 0.5) / 10000 end
  return out
end

local function lane_of(made, index, lane, row)
  local out = { label = lane.label, kind = lane.kind, real = lane.real,
    simulated = lane.simulated, levels = {},
    most = math.max(row.real_most or 0, row.simulated_most or 0) }
  for i, bins in ipairs(LEVELS) do
    if i > 1 and bins > made.to_ns - made.from_ns then break end
    local of = made.laid:bins(index, bins)
    out.levels[i] = { bins = bins, real = rounded(of.real_mean),
      simulated = rounded(of.simulated_mean), both = rounded(of.both_busy) }
  end
  out.parts = made.laid:parts(index, PARTS)
  if not out.parts then
    out.parts_left_out = true
    return out
  end
  for i = 1, #out.parts, 3 do out.parts[i] = out.parts[i] - made.from_ns end
  return out
end

local function run_of(side)
  local run = side.run or {}
  return { word = side.word, id = run.id, name = side:name(),
    kind = side:is_simulated() and "simulated" or "measured" }
end

--- The data of an overlay.
---@param made tandem.Overlay
---@return table
function timeline.of(made)
  local lanes, rows = {}, made:frame("lanes").rows
  for index, lane in ipairs(made.laid:lanes()) do
    lanes[index] = lane_of(made, index, lane, rows[index])
  end
  local clock = {}
  for name, value in pairs(made.clock) do clock[name] = value end
  return { schema = "tandem.overlay/1", by = made.by,
    runs = { real = run_of(made.real), simulated = run_of(made.sim) }, clock = clock,
    frame = { from_ns = made.from_ns - made.zero_ns, length_ns = made.to_ns - made.from_ns },
    lanes = lanes }
end

--- The same as JSON, with a line end.
---@param made tandem.Overlay
---@return string
function timeline.json(made)
  return require("tandem.io.json").encode(timeline.of(made), { lists = { lanes = true,
    levels = true, parts = true, real = true, simulated = true, both = true } }) .. "\n"
end

return timeline
