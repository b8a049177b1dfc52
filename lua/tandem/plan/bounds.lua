--- What queueing theory says before anything is simulated: where a configuration saturates, and a
--- first guess of whether it meets its limits.
--
-- Owns the guess; offered load and formulas are explain/'s. Saturation is exact where the load can
-- be said at all; the guess is only where a search starts and how long its runs are.
local core = require "tandem.core"
local load = require "tandem.explain.load"
local queueing = require "tandem.explain.queueing"

local bounds = {}

-- Routers that send a request where there is room: nearly one queue for all.
local JOINING = { least_outstanding = true, shortest_queue = true, power_of_two = true }

---@class tandem.PlanBounds
---@field offered tandem.Offered
---@field model table
---@field complete boolean  the whole load could be said
---@field lossy boolean     requests leave early, so overload need not build a queue
---@field timed boolean     its requests know times of their own: patience, timeouts
---@field closed boolean
---@field patient boolean   a request alone meets no waiting of a batch's making
---@field gpus integer      how many the numbers are for
---@field router string|nil

local function each_op(steps, visit)
  for _, step in ipairs(steps or {}) do
    visit(step)
    each_op(step.steps, visit)
    for _, choice in ipairs(step.choices or {}) do each_op(choice.steps, visit) end
    for _, branch in ipairs(step.branches or {}) do each_op(branch, visit) end
  end
end

-- Do requests leave early?
local function is_lossy(model)
  local lossy = model.hooks ~= nil and model.hooks.admit ~= nil
  for _, station in ipairs(model.stations) do lossy = lossy or station.queue ~= nil end
  return lossy
end

local function is_timed(model)
  for _, class in ipairs(model.classes) do
    if class.patience ~= nil or class.timeout ~= nil then return true end
  end
  return false
end

--- May it lose requests at all? LLM servers turn prompts away that no replica has room for.
---@param model table
---@return boolean
function bounds.may_lose(model)
  return is_lossy(model) or is_timed(model) or #(model.servers or {}) > 0
end

--- The bounds of a scenario.
---@param scenario tandem.Scenario
---@return tandem.PlanBounds
function bounds.of(scenario)
  local model = scenario:model()
  local offered = load.of(model)
  local out = { offered = offered, model = model, complete = offered.complete, lossy = false,
    closed = false, patient = true, gpus = math.max(#model.gpus, 1),
    router = scenario.checked.router
      or scenario.checked.target and scenario.checked.target.router }
  out.timed = is_timed(model)
  out.lossy = is_lossy(model) or out.timed
  for i, class in ipairs(model.classes) do
    out.closed = out.closed or offered.classes[i].arrival.users ~= nil
    each_op(class.route, function(step)
      if step.batch and (step.batch.static or (step.batch.wait or 0) ~= 0 or step.batch.decide) then
        out.patient = false
      end
    end)
  end
  return out
end

-- A station as it is with `more` times the GPUs, `load` times the load.
local function station_at(one, station, more, factor)
  local share = station.gpu and more or 1
  local out = { servers = station.servers, discipline = station.discipline,
    service = station.service, rate = station.rate * factor / share,
    arrival_cv2 = station.arrival_cv2, poisson = false }
  out.utilization = station.utilization * factor / share
  local members = one.gpus * more
  if station.gpu and members > 1 then
    if JOINING[one.router] and station.discipline ~= "ps" then
      out.servers, out.rate = station.servers * members, out.rate * members
    elseif one.router == nil or one.router == "round_robin" then
      out.arrival_cv2 = station.arrival_cv2 / members
    end
  end
  return out
end

-- What one waits for, by Allen and Cunneen: where a search begins, rather too long than too short.
local function wait_at(at)
  local servers, mean = queueing.capacity(at), at.service.mean
  local offered = at.rate * mean
  if offered >= servers then return math.huge end
  local spread = at.discipline == "ps" and 1
    or (at.arrival_cv2 + at.service.var / mean ^ 2) / 2
  return queueing.erlang_c(offered, servers) * mean / (servers - offered) * spread
end

---@class tandem.PlanForecast
---@field utilization number     of the busiest limited station
---@field bottleneck string|nil  its name
---@field loads table<string, number>  of each limited station
---@field gpu number|nil         utilization of the busiest station of a GPU
---@field relaxation number      requests of one queue until it forgets
---@field settling number        requests of all until every queue has forgotten its start
---@field waits { mean: number, chance: number }[]

--- The load and waits with other numbers of GPUs (as a multiple of those of `one`) and load.
---@param one tandem.PlanBounds
---@param more? number
---@param factor? number
---@return tandem.PlanForecast
function bounds.forecast(one, more, factor)
  more, factor = more or 1, factor or 1
  local out = { utilization = 0, relaxation = 0, settling = 0, waits = {}, loads = {} }
  local seen = {}
  local total = 0
  for _, class in ipairs(one.offered.classes) do
    total = total + (class.arrival.rps or 0) * factor
  end
  for _, station in ipairs(one.offered.stations) do
    local capacity = queueing.capacity(station)
    if capacity < math.huge and station.service.mean > 0 then
      local at = station_at(one, station, more, factor)
      out.loads[station.name] = at.utilization
      if station.gpu then out.gpu = math.max(out.gpu or 0, at.utilization) end
      if at.utilization > out.utilization then
        out.utilization, out.bottleneck = at.utilization, station.name
      end
      -- Members of a group are alike: one stands for all.
      local key = station.gpu and station.name:gsub("#%d+", "") or station.name
      if not seen[key] then
        seen[key] = true
        local wait = wait_at(at)
        local cv2 = station.service.var / station.service.mean ^ 2
        local busy = math.min(at.utilization, 0.999)
        local relax = busy * math.max(1, (at.arrival_cv2 + cv2) / 2) / (1 - math.sqrt(busy)) ^ 2
        out.relaxation = math.max(out.relaxation, relax)
        out.settling = math.max(out.settling,
          relax * (at.rate > 0 and total > 0 and math.max(1, total / at.rate) or 1))
        out.waits[#out.waits + 1] = { mean = wait,
          chance = at.discipline == "ps" and 1
            or queueing.erlang_c(at.rate * at.service.mean, queueing.capacity(at)) }
      end
    end
  end
  return out
end

--- A station that is no part of a GPU, so that more of these do not relieve it.
---@param one tandem.PlanBounds|nil
---@param name string|nil
---@return tandem.OfferedStation|nil
function bounds.apart(one, name)
  for _, station in ipairs(one and one.offered.stations or {}) do
    if station.name == name and not station.gpu then return station end
  end
end

local POINTS <const> = 100

-- Chance that a request of a class takes longer than t: the unloaded time as a lognormal, plus an
-- exponential tail of the longest wait, plus the means of the others.
local function beyond(one, forecast, class, t)
  local alone = class.unloaded_s
  if not alone then return 0 end
  local variance = 0
  for _, step in ipairs(one.offered.steps) do
    if step.class == class.name and step.time then
      variance = variance + step.visits * step.time.var
    end
  end
  local longest, others = { mean = 0, chance = 0 }, 0
  for _, wait in ipairs(forecast.waits) do
    if wait.mean == math.huge then return 1 end
    if wait.mean > longest.mean then
      others, longest = others + longest.mean, wait
    else
      others = others + wait.mean
    end
  end
  local sigma = alone > 0 and math.sqrt(math.log(1 + variance / alone ^ 2)) or 0
  local rate = longest.mean > 0 and longest.chance / longest.mean or math.huge
  local sum = 0
  for i = 1, POINTS do
    local s = alone * math.exp(sigma * core.stats.normal_quantile((i - 0.5) / POINTS)
      - sigma ^ 2 / 2)
    local left = t - others - s
    if left < 0 then sum = sum + 1
    elseif longest.mean > 0 then sum = sum + longest.chance * math.exp(-rate * left) end
  end
  return sum / POINTS
end

--- Would it meet its limits, as far as formulas can tell? Limits they know nothing of count as met.
---@param one tandem.PlanBounds
---@param limits tandem.PlanLimit[]
---@param more? number
---@param factor? number
---@return boolean
function bounds.guess(one, limits, more, factor)
  local forecast = bounds.forecast(one, more, factor)
  if forecast.utilization >= 1 and not one.closed then return false end
  for _, limit in ipairs(limits) do
    for _, class in ipairs(one.offered.classes) do
      local of_llm = limit.metric and limit.metric:find("_", 1, true)
      if not of_llm and (not limit.class or limit.class == class.name) then
        if limit.quantile and beyond(one, forecast, class, limit.limit) > 1 - limit.quantile then
          return false
        elseif limit.metric == "met" and limit.deadline
          and beyond(one, forecast, class, limit.deadline) > 1 - limit.limit then
          return false
        elseif limit.metric == "mean" and class.unloaded_s then
          local sum = class.unloaded_s
          for _, wait in ipairs(forecast.waits) do sum = sum + wait.mean end
          if sum > limit.limit then return false end
        end
      end
    end
    if limit.path:find "utilization$" and not limit.least
      and forecast.utilization > limit.limit then
      return false
    end
  end
  return true
end

return bounds
