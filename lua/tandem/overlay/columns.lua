--- How an overlay reads: its titles and columns, the sentence about its clocks.
--
-- Owns the description that tandem.Answer prints an overlay by. Columns are called real and
-- simulated in CSV and JSON whatever the runs are; people read what they are. Used by
-- tandem.overlay.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"

local described = {}

local function absent(column)
  local show = column.show
  column.show = function(value, row)
    if value == nil then return "–" end
    return show(value, row)
  end
  return column
end

-- An offset to the nanosecond: three digits of a far one would be no offset.
local function offset_words(value)
  local size, sign = math.abs(value), value > 0 and "+" or "-"
  if value == 0 then return "0 s" end
  if size < 1000 then return ("%s%d ns"):format(sign, size) end
  if size < 1000000 then return ("%s%.3f µs"):format(sign, size / 1e3) end
  if size < 1000000000 then return ("%s%.6f ms"):format(sign, size / 1e6) end
  return ("%s%d.%09d s"):format(sign, size // 1000000000, size % 1000000000)
end

local function ppm(name, title, more)
  return columns.number(name, title, 2, more)
end

local function frames(real, sim)
  return {
    alignment = { title = "One clock", columns = { columns.text("by", "aligned by"),
      { name = "offset_ns", title = "offset", align = "right", show = offset_words },
      ppm("drift_ppm", "drift, ppm"), ppm("measured_drift_ppm", "measured"),
      ppm("drift_error_ppm", "± (1 σ)"), columns.time("residual_ns", "residual"),
      columns.count("events", "events"), columns.number("likeness", "correlation", 2) } },
    lanes = { title = "Lanes", columns = { columns.text("lane", "lane"),
      { name = "kind", hidden = true },
      absent(columns.share("real_busy", real .. " busy")),
      absent(columns.share("simulated_busy", sim .. " busy")),
      absent(columns.share("alike", "alike")), columns.time("both_ns", "both"),
      columns.time("only_real_ns", "only " .. real),
      columns.time("only_simulated_ns", "only " .. sim), columns.time("neither_ns", "neither",
        { optional = 1 }),
      columns.number("real_mean", real .. " at once", 2, { optional = 3 }),
      columns.number("simulated_mean", sim .. " at once", 2, { optional = 3 }),
      columns.count("real_most", real .. " at most", { optional = 4 }),
      columns.count("simulated_most", sim .. " at most", { optional = 4 }),
      { name = "real_ns", hidden = true }, { name = "simulated_ns", hidden = true } } },
    differences = { title = "Largest differences", columns = { columns.time("time_ns", "time"),
      columns.moment("from_ns", "at"), { name = "to_ns", hidden = true },
      columns.text("lane", "lane"), columns.text("busy", "only"),
      columns.count("spans", "spans", { optional = 1 }),
      columns.text("ran", "what ran, most of it", { wrap = true }) } },
    over_time = { title = "Over time", plain = true, columns = { columns.text("lane", "lane"),
      columns.moment("from_ns", "from"), columns.share("real_busy", real),
      columns.share("simulated_busy", sim), columns.share("both_busy", "both"),
      columns.number("real_mean", real .. " at once"),
      columns.number("simulated_mean", sim .. " at once") } },
  }
end

local BY <const> = { first = "the first work on a common lane is at the same time",
  arrivals = "request by request arrivals are at the same time",
  activity = "the activity of lanes is most alike", none = "both clocks are taken as they are",
  hand = "the offset was given" }

local function drift_words(found)
  if found.drift_ppm ~= 0 then return ("drift %+.2f ppm"):format(found.drift_ppm) end
  local measured, err = found.measured_drift_ppm, found.drift_error_ppm
  if not measured then return "no drift" end
  if math.abs(measured) > 1000 then
    return ("no drift (%+.0f ppm apart is too much for two clocks: the runs go at different "
      .. "speeds)"):format(measured)
  end
  if not err then return "no drift" end
  return ("no drift (%+.2f ± %.2f ppm measured)"):format(measured, 2 * err)
end

--- What was done about the clocks, in one sentence.
---@param made tandem.Overlay
---@return string
function described.clock_words(made)
  local found = made.clock
  local name = found.by:match "^event:(.+)$"
  local parts = { name and ("the first '%s' is at the same time"):format(name) or BY[found.by] }
  if found.by ~= "none" then
    parts[#parts + 1] = ("%s on the %s run's times"):format(offset_words(found.offset_ns),
      made.sim.word)
  end
  if found.events > 1 or found.measured_drift_ppm then parts[#parts + 1] = drift_words(found) end
  if found.residual_ns then
    parts[#parts + 1] = ("a residual of %s"):format(format.time(found.residual_ns / 1e9))
  end
  if found.events == 1 then
    parts[#parts + 1] = "it rests on one event"
  elseif found.events > 1 then
    parts[#parts + 1] = ("it rests on %s events"):format(format.integer(found.events))
  end
  if found.left_out and found.left_out > 0 then
    parts[#parts + 1] = ("%s requests have no partner"):format(format.integer(found.left_out))
  end
  if found.why and found.why ~= "no requests in both" then
    parts[#parts + 1] = "not by arrivals: " .. found.why
  end
  return "clock: " .. table.concat(parts, "; ")
end

--- The description of an overlay.
---@param made table
---@return tandem.Analysis
function described.of(made)
  local real, sim = made.real.word, made.sim.word
  return { title = ("%s over %s"):format(real:gsub("^%l", string.upper), sim), summary = "",
    about = "", frames = frames(real, sim),
    heading = function(answer, style)
      return require("tandem.overlay.text").lines(answer, style)
    end,
    plots = function(answer)
      local plots, order = {}, { answer.view }
      for _, view in ipairs(require("tandem.overlay").views) do
        if view ~= answer.view then order[#order + 1] = view end
      end
      for i, view in ipairs(order) do
        plots[i] = { title = view, chart = answer:picture(view) }
      end
      return plots
    end }
end

return described
