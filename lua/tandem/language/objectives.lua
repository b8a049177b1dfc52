--- Objectives of a class as a list: those of the whole run, and those that hold by window of time.
--
-- A record slo says { p99 = "500ms", within = { windows = "5min", share = "99%" } }. Without a
-- share every window has to keep it, which is the worst one's figure against the limit, "p99@5min";
-- with one, the figure is the share of windows that keep it, "p99@5min%". Owns these names and what
-- is read off them; the record itself is language/scenario.lua's. Called by lower, plan, describe
-- and reports.
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"

local objectives = {}

---@class tandem.Objective
---@field metric string      its name in results: "p99", "p99@1h", "p99@5min%"
---@field of string|nil      what is looked at in a window: "p99"
---@field of_limit number|nil
---@field limit number       of the figure: of_limit, or the share of windows
---@field window number|nil  seconds
---@field share number|nil

--- The name of an objective by window.
---@param metric string
---@param window number     seconds
---@param share number|nil
---@return string
function objectives.name(metric, window, share)
  local length = units.format(window, "s"):gsub("%s+", "")
  return ("%s@%s%s"):format(metric, length, share and "%" or "")
end

--- What the name of a metric says: the metric in each window, the window's length as a text,
--- whether the figure is a share of windows. The metric alone where it is of the whole run.
---@param metric string
---@return string of
---@return string|nil window
---@return boolean share
function objectives.parts(metric)
  local of, window, share = metric:match "^([^@]+)@([^%%]+)(%%?)$"
  return of or metric, window, share == "%"
end

--- The objectives of a checked record slo, in order of their names. The deadline is none.
---@param slo table|nil
---@return tandem.Objective[]
function objectives.of(slo)
  local out = {}
  local within = slo and slo.within
  for _, metric in ipairs(nearest.sorted_keys(slo or {})) do
    if metric ~= "deadline" and metric ~= "within" then
      local limit = slo[metric]
      local one = { metric = metric, limit = limit }
      if within then
        one.of, one.of_limit = metric, limit
        one.window, one.share = within.windows, within.share
        one.metric = objectives.name(metric, within.windows, within.share)
        one.limit = within.share or limit
      end
      out[#out + 1] = one
    end
  end
  return out
end

--- A metric in words: "p99", "p99 of the worst 1 h", "5 min windows that keep p99 ≤ 500 ms".
---@param metric string
---@param of_limit string|nil  "≤ 500 ms"
---@return string
function objectives.words(metric, of_limit)
  local of, window, share = objectives.parts(metric)
  of = of == "p999" and "p99.9" or of
  if not window then return of end
  window = window:gsub("^([%d.]+)(%a+)$", "%1 %2")
  if not share then return ("%s of the worst %s"):format(of, window) end
  return ("%s windows that keep %s%s"):format(window, of, of_limit and " " .. of_limit or "")
end

return objectives
