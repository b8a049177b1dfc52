--- The windows of time by which a run is told.
--
-- Owns how long they are: what objectives or the caller ask for, else about 24 of a load that
-- moves (not where an engine is asked for by name: both give the same, and only one has
-- windows). What is counted in them is src/engine/windows.h's. Called by scenario/init and, for
-- what is wrong with them, by check/windows.
local format = require "tandem.text.format"

local windows = {}

windows.MOST = 4096     -- of a run; the engine's own limit
local ROWS <const> = 24 -- of a load that moves, when nobody says

local NICE <const> = { 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200,
  10800, 14400, 21600, 43200, 86400 }


--- The first nice length of which about 24 or fewer are in a time.
---@param seconds number
---@return number
function windows.fitting(seconds)
  local least = seconds / ROWS * (1 - 1e-9)
  if least < 1 then
    local power = 10 ^ math.floor(math.log(least, 10))
    for _, step in ipairs { 1, 2, 5, 10 } do
      if step * power >= least then return step * power end
    end
  end
  for _, one in ipairs(NICE) do
    if one >= least then return one end
  end
  return math.ceil(least / 86400) * 86400
end

--- What is wrong with windows of this length in a run that lasts so long, or nil.
---@param window number      seconds
---@param duration number|nil
---@return string|nil
function windows.wrong(window, duration)
  if duration and duration / window > windows.MOST then
    return ("are %s in %s; at most %s are told apart"):format(
      format.integer(math.ceil(duration / window)), format.time(duration),
      format.integer(windows.MOST))
  end
  return nil
end

--- Sets the windows of a model that is to be run.
---@param model table     changed
---@param options table   of the run: windows, moving, brief; windows is taken out
---@return string|nil wrong
function windows.set(model, options)
  local wanted = options.windows
  options.windows = nil
  if model.window then
    if wanted and wanted ~= model.window then
      return ("windows: the objectives are of windows of %s; leave windows out, or give them the "
        .. "same length"):format(format.time(model.window))
    end
  elseif wanted then
    local wrong = windows.wrong(wanted, model.duration)
    if wrong then return "windows: " .. wrong end
    model.window = wanted
  elseif wanted == nil and options.moving and not options.brief and model.duration
    and not model.requests and (options.engine or "auto") == "auto" then
    model.window = windows.fitting(model.duration)
  end
end

return windows
