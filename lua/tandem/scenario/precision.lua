--- Runs that go on until their figures are as sure as was asked for.
--
-- Owns which figures those are, how long the next look is and when to stop; what a run is stays
-- scenario/init's. Each look is a run of its own from the same seed, so that nothing depends on
-- threads or on what came before: longer while a figure has no interval yet, then by as much as the
-- width of its interval says (Stein 1945), in up to SPREAD replications and longer ones beyond.
--
-- Looking several times and stopping when an interval happens to be short is what makes such
-- intervals lie. So the error is spent over the looks that may end it: look k has its share of
-- 1 - confidence, the shares add up to 1, and the interval that is printed is the last look's own.
-- A look at which a figure has no interval can end nothing and spends nothing.
local arrivals = require "tandem.explain.arrivals"
local core = require "tandem.core"
local nearest = require "tandem.text.nearest"

local precision = {}

-- Of what may be wrong, the first looks' share; of the rest each look has half of what is left.
local SHARES <const> = { 0.2, 0.5 }
local SPREAD <const> = 32       -- replications beyond which runs get longer instead
local LEAST <const>, STRETCH <const> = 1.5, 16 -- times as much as the look before
local SPARE <const> = 1.15      -- a width is only estimated
--- Simulated requests, of all looks together, unless the precision says.
precision.MOST = 50000000

-- What figures are called in short.
local SHORT <const> = { p999 = "latency.p999", ["p99.9"] = "latency.p999",
  goodput = "goodput_rps", throughput = "throughput_rps", offered = "offered_rps",
  carried = "carried_rps", met = "slo_met", slo_met = "slo_met", in_system = "in_system" }
for _, name in ipairs { "mean", "p50", "p90", "p95", "p99" } do SHORT[name] = "latency." .. name end

---@class tandem.PrecisionFigure
---@field name string     as it was asked for
---@field path string     where it is in a result
---@field within number   wanted: the half-width by the value
---@field reached number|nil  what it is; nil: there is no interval

---@class tandem.PrecisionOutcome
---@field reached boolean
---@field why string|nil       why not, in words, where it was not for want of requests
---@field figures tandem.PrecisionFigure[]
---@field looks integer        runs that were made
---@field simulated integer    requests of them all
---@field most integer         that they might have been
---@field confidence number    of the intervals that are printed: the last look's

--- Where a figure called so is in a result: "p99", "ttft_p99", "resources.L40 gpu.utilization".
---@param name string
---@return string|nil
function precision.path(name)
  if SHORT[name] then return SHORT[name] end
  local time, rest = name:match "^(%l+)_(%l+[%d.]*)$"
  local level = rest and SHORT[rest]
  local is_llm = { ttft = true, tpot = true, itl = true, e2e = true, queueing = true }
  if is_llm[time] and level and level:find "^latency" then
    return level:gsub("^latency", "llm.1." .. time)
  end
  if name:find "%." or name:find "_rps$" then return name end
end

--- What figures may be called, for hints.
---@return string[]
function precision.names() return nearest.sorted_keys(SHORT) end

--- "5%" or "p99=5%, mean=2%, requests=1e6" as the scenario's key takes it.
---@param text string
---@return string|table|nil
---@return string|nil message
function precision.read(text)
  if not text:find "[=,]" then return text end
  local out = {}
  for part in text:gmatch "[^,]+" do
    local key, value = part:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
    key, value = key or "every", value or part:match "^%s*(.-)%s*$"
    if key == "" or value == "" or out[key] ~= nil then
      return nil, ("--precision wants 5%% or p99=5%%,mean=2%%, not '%s'"):format(text)
    end
    out[key] = tonumber(value) or value
  end
  return out
end

-- Objectives as figures: of a class by its name, where there are several.
local function objectives(checked)
  local out = {}
  for _, class in ipairs(checked.resolved) do
    local metrics = nearest.sorted_keys(class.slo or {})
    for _, metric in ipairs(metrics) do
      if metric ~= "deadline" and not metric:find "max$" then
        out[#out + 1] = { name = #checked.resolved > 1 and class.name .. " " .. metric or metric,
          path = ("classes.%s.slo.%s"):format(class.name, metric == "p99.9" and "p999" or metric) }
      end
    end
  end
  return out
end

-- The figures that are meant, in a fixed order.
local function figures_of(checked, wanted)
  local out = {}
  for _, name in ipairs(nearest.sorted_keys(wanted)) do
    if name ~= "every" and name ~= "requests" then
      out[#out + 1] = { name = name, path = precision.path(name), within = wanted[name] }
    end
  end
  local named = {}
  for _, one in ipairs(out) do named[one.path] = true end
  local usual = wanted.every and objectives(checked) or {}
  if wanted.every and #usual == 0 then
    usual = { { name = "mean", path = "latency.mean" }, { name = "p99", path = "latency.p99" } }
  end
  for _, one in ipairs(usual) do
    one.within = wanted.every
    if not named[one.path] then out[#out + 1] = one end
  end
  return out
end

--- What share of all that may be wrong the k-th look that may end it has.
---@param k integer
---@return number
function precision.share(k)
  if SHARES[k] then return SHARES[k] end
  local left = 1
  for _, one in ipairs(SHARES) do left = left - one end
  return left * 0.5 ^ (k - #SHARES)
end

---@class tandem.PrecisionLooks
---@field size { factor: number, replications: integer }  of the next look
local Looks = {}
Looks.__index = Looks

-- Longer arrivals than a recording has there are not; of a load that moves the length is a part of
-- the question, and so it is where many whole runs are asked about.
local function may_lengthen(checked, model, whole)
  if whole or arrivals.moves(model) then return false end
  for _, class in ipairs(checked.resolved) do
    if class.arrivals.data then return false end
  end
  return true
end

-- The changes that make a run so many times as long.
local function longer(checked, factor)
  if factor == 1 then return nil end
  local changes = {}
  if checked.duration then changes.duration = checked.duration * factor end
  if checked.requests or not checked.duration then
    changes.requests = math.ceil((checked.requests or 10000) * factor)
  end
  return changes
end

--- What the next look runs: changes of the scenario, and options of the run.
---@return table<string, any>|nil changes
---@return integer replications
---@return number confidence
function Looks:next()
  return longer(self.checked, self.factor), self.replications,
    1 - precision.share(self.spent + 1) * (1 - self.confidence)
end

-- How sure a figure is, by what the run says of it.
local function note(figure, result)
  local found = require("tandem.sweep.job").figure(result, figure.path, nil)
  if type(found) == "number" then found = { value = found } end
  if type(found) ~= "table" or type(found.value) ~= "number" then return nil end
  figure.reached, figure.needs = nil, found.needs
  if found.half == 0 then
    figure.reached = 0
  elseif found.half then
    figure.reached = found.value ~= 0 and found.half / math.abs(found.value) or math.huge
  end
  return found
end

-- What an interval at this look is a multiple of its standard error.
local function student(self, spent, replications)
  local groups = replications < 8 and 16 or math.min(replications, 64)
  local wrong = precision.share(spent) * (1 - self.confidence)
  return core.stats.student_quantile(1 - wrong / 2, groups - 1)
end

-- How many times as many requests the figures want.
local function wanted(self, result)
  local times, lacks = 1, false
  local shrinks = student(self, self.spent + 1, math.max(SPREAD, self.replications))
    / student(self, math.max(1, self.spent), self.replications)
  for _, figure in ipairs(self.figures) do
    if figure.needs then
      lacks = true
      times = math.max(times, SPARE * figure.needs.requests / math.max(1, result.requests))
    elseif figure.reached and figure.reached > figure.within then
      times = math.max(times, SPARE * (shrinks * figure.reached / figure.within) ^ 2)
    end
  end
  return math.max(LEAST, math.min(times, STRETCH)), lacks
end

-- Plans the next look; false: the bound is reached.
local function plan(self, result)
  local times, lacks = wanted(self, result)
  local now, room = self.last_requests, 0.9 * (self.most - self.simulated) -- lengths vary
  if now * times > room then times = room / now end
  if times < LEAST then return false end
  if not self.may_lengthen then
    self.replications = math.ceil(self.replications * times)
    return self.replications <= 1000000
  end
  local before = self.replications
  if not lacks then
    self.replications = math.max(before, math.min(SPREAD, math.ceil(before * times)))
  end
  self.factor = self.factor * math.max(1, times * before / self.replications)
  return true
end

-- Why no further look would help; nil: one would.
local function hopeless(self, result)
  if result.interrupted then return "the run was interrupted" end
  if result.overload then
    return "the system is overloaded: its times grow with the run, whatever its length"
  end
  for _, figure in ipairs(self.figures) do
    local more = self.replications == 1 and not self.may_lengthen
    if not figure.reached and not figure.needs and not more and result.requests > 0 then
      return ("%s has no interval at any length"):format(figure.name)
    elseif figure.reached == math.huge then
      return figure.name .. " is zero, and no share of zero is wide enough"
    end
  end
end

--- Takes a look's result. True: there is another look to make.
---@param result tandem.Result
---@return boolean more
---@return string|nil message  a figure that such a run does not have
function Looks:absorb(result)
  self.looks = self.looks + 1
  self.last_requests = math.max(1, result.requests + (result.warmup_requests or 0))
  self.simulated = self.simulated + self.last_requests
  local reached, withheld = true, false
  for _, figure in ipairs(self.figures) do
    if not note(figure, result) and result.requests > 0 then
      return false, ("precision: a run has no '%s'; %s"):format(figure.name,
        nearest.hint(figure.name, precision.names()))
    end
    reached = reached and figure.reached ~= nil and figure.reached <= figure.within
    withheld = withheld or figure.needs ~= nil
  end
  self.last_confidence = 1 - precision.share(self.spent + 1) * (1 - self.confidence)
  self.reached, self.why = reached, nil
  if reached then return false end
  if not withheld then self.spent = self.spent + 1 end
  self.why = hopeless(self, result)
  if self.why then return false end
  if self.replications == 1 and not self.may_lengthen then
    self.replications = 8
    return true
  end
  if plan(self, result) then return true end
  return false
end

--- What became of it.
---@return tandem.PrecisionOutcome
function Looks:outcome()
  local figures = {}
  for i, one in ipairs(self.figures) do
    figures[i] = { name = one.name, path = one.path, within = one.within, reached = one.reached,
      needs = one.needs and one.needs.requests }
  end
  return { reached = self.reached, why = self.why, figures = figures, looks = self.looks,
    simulated = self.simulated, most = self.most, confidence = self.last_confidence }
end

--- Begins.
---@param checked table       a checked scenario
---@param model table         its model
---@param asked table         a checked `precision`
---@param options { replications: integer|nil, confidence: number|nil, warmup: any }
---@return tandem.PrecisionLooks
function precision.begin(checked, model, asked, options)
  local replications = options.replications or checked.replications or 8
  local warmup = options.warmup or checked.warmup
  return setmetatable({ checked = checked, figures = figures_of(checked, asked),
    confidence = options.confidence or 0.95, most = asked.requests or precision.MOST,
    may_lengthen = may_lengthen(checked, model, warmup == "none" and replications >= 100),
    factor = 1, replications = replications, spent = 0, looks = 0, simulated = 0 }, Looks)
end

return precision
