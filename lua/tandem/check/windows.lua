--- What is wrong with objectives that hold by window of time.
--
-- Owns these rules; the record is language/scenario.lua's, lengths are scenario/windows.lua's.
-- Called by check/scenario when classes are known.
local format = require "tandem.text.format"
local lengths = require "tandem.scenario.windows"
local objectives = require "tandem.language.objectives"

local windows = {}

-- Times of LLM servers that are counted by window.
local TIMES <const> = { ttft = true, tpot = true, itl = true }
local COUNTED <const> = 4 -- percentiles of a class with a share of windows; the engine's own limit

-- How long requests of a class arrive; nil: nobody says.
local function duration_of(c, class)
  return c.duration or class.arrivals.duration
end

local function check_class(ctx, c, class, first)
  local within = class.slo.within
  if first and first.slo.within.windows ~= within.windows then
    return ctx:problem("slo", ("within.windows is %s for class '%s' and %s for '%s': one length "
      .. "for all"):format(format.time(first.slo.within.windows), first.name,
      format.time(within.windows), class.name))
  end
  local duration = duration_of(c, class)
  local wrong = lengths.wrong(within.windows, duration)
  if wrong then ctx:problem("slo", "within.windows: " .. wrong) end
  if not duration and class.arrivals.type == "closed" then
    ctx:problem("slo", "within: wants a duration; how long so many requests of users take, nobody "
      .. "knows")
  end
  local counted, any = 0, false
  for _, one in ipairs(objectives.of(class.slo)) do
    any = true
    local time, figure = one.of:match "^(%w+)_(%w+)$"
    if time and not TIMES[time] then
      ctx:problem("slo", ("%s goes without within: windows are of whole requests (p99, mean, max, "
        .. "met, goodput) and of ttft, tpot and itl (ttft_p99)"):format(one.of))
    end
    figure = figure or one.of
    if one.share and (figure == "max" or figure:find "^p%d") then counted = counted + 1 end
  end
  if not any then
    ctx:problem("slo", "within: nothing has to hold in these windows; p99 = \"500ms\" beside it "
      .. "would")
  elseif counted > COUNTED then
    ctx:problem("slo", ("within: at most %d percentiles with a share"):format(COUNTED))
  end
end

--- Reports what is wrong.
---@param ctx table
---@param c table  the checked scenario, classes resolved
function windows.check(ctx, c)
  local first
  for _, class in ipairs(c.resolved) do
    if class.slo and class.slo.within then
      check_class(ctx, c, class, first)
      first = first or class
    end
  end
end

return windows
