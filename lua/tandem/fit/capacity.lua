--- How many requests a resource serves at once: what the capture saw, and whether it was the limit.
-- Owns the rule: as many at once as were ever seen, on all devices together, is the capacity where
-- requests waited for one another; where none did, it is a lower bound. Both directions of copies
-- have as many engines: what counts is the busier one. Called by init.lua.

local checks = require "tandem.check.scenario"
local views = require "tandem.fit.view"

local capacity = {}

-- Path and present value of the capacity behind a station.
local function of_station(checked, station)
  local target = checked.target
  if station == "cpu" then return "cpu.workers", (checked.cpu or {}).workers or math.huge end
  if target and target.type == "gpu" then
    if station == "gpu" then return "target.concurrency", target.concurrency or 1 end
    if station == "h2d" or station == "d2h" then
      return "target.copy_engines", target.copy_engines or 1
    end
  end
  for _, r in ipairs(checked.places or {}) do
    if r.type == "pool" and r.name == station then
      return ("resources.%s.servers"):format(station), r.servers or 1
    end
  end
end

-- The most at once at any of the stations that have this capacity, whether requests waited there,
-- and the most on one of its devices.
local function busiest(ctx, stations)
  local most, limit, on_each = 0, false, 0
  for _, one in pairs(stations) do
    local here, waited = views.at_once(ctx.real, one.names), one.wait > 0
    if here > most then
      most, limit, on_each = here, waited, one.on_each
    elseif here == most then
      limit, on_each = limit or waited, math.max(on_each, one.on_each)
    end
  end
  return most, limit, on_each
end

---@param ctx tandem.FitContext
function capacity.fit(ctx)
  local checked = ctx.scenario.checked
  local stages, seen, order = {}, {}, {}
  for _, stage in ipairs(ctx.train.stages) do stages[stage.name] = stage end
  checks.each_step(checked.resolved[1].pipeline, function(step)
    local stage = step.name and stages[step.name]
    local path, prior = of_station(checked, stage and checks.station_of(step) or "none")
    if not path or step.batch then return end
    if not seen[path] then
      seen[path] = { stations = {}, prior = prior }
      order[#order + 1] = path
    end
    local stations, station = seen[path].stations, checks.station_of(step)
    stations[station] = stations[station] or { names = {}, wait = 0 }
    local one = stations[station]
    one.names[#one.names + 1] = stage.name
    one.on_each = math.max(one.on_each or 0, stage.concurrency or 0)
    one.wait = one.wait + ctx.views[step.name].wait
  end)
  for _, path in ipairs(order) do
    local one = seen[path]
    local most, limit, on_each = busiest(ctx, one.stations)
    if limit and on_each > 0 and on_each < most then
      ctx:note(("%s: at most %d at once in all, %d on each device: the scenario has one queue for "
        .. "all, in which requests wait less than before each"):format(path, most, on_each))
    end
    local p = { path = path, value = most, unit = "1", low = most, prior = one.prior,
      high = limit and most or nil, kind = limit and "fitted" or "bound",
      source = limit and ("requests waited while %d %s served"):format(most,
          most == 1 and "was" or "were")
        or ("at most %d at once, none waited"):format(most) }
    ctx:parameter(p)
    if limit and most ~= one.prior or most > one.prior then
      ctx.changes[path] = most
    elseif not limit then
      p.value = one.prior
    end
  end
end

return capacity
