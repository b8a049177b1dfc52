--- Scenarios fitted to measurements: `td.fit { real = run, map = map, scenario = base }`.
--
-- Owns what is asked, the split into a part that is fitted and a part that is held out, and the
-- answer. The models use a stage's own time, in which every instant of a request counts once, so
-- that stages and gaps sum to the request's time; where stages overlap this is less than they were
-- busy. Called by scripts and `tandem fit`.

local core = require "tandem.core"
local context = require "tandem.fit.context"
local format = require "tandem.text.format"
local parameters = require "tandem.fit.parameters"
local linear = require "tandem.fit.linear"
local nearest = require "tandem.text.nearest"
local rest = require "tandem.fit.rest"
local views = require "tandem.fit.view"

local fit = {}

local INVALID <const> = require("tandem.cli.codes").INVALID
local LEAST <const> = 10       -- visits of a stage
local OVERLAP <const> = 0.95   -- own ÷ busy time below which overlap is told

---@class tandem.FitOptions
---@field real tandem.Run|tandem.Visits    what was measured
---@field map table|nil                     for a measured run: a map
---@field scenario tandem.Scenario|nil      whose parameters are fitted; without one, one is made
---@field split "alternate"|"half"|nil  hold out requests among the others (the default) or the last
---@field hold number|nil                   share of the requests held out (default: 0.5); 0: none
---@field least integer|nil                 visits that a stage must have (default: 10)
---@field rest boolean|nil                  false: no delays for the time between stages
---@field name string|nil                   of a scenario that is made

---@class tandem.Fit
---@field real tandem.Visits
---@field train tandem.Visits
---@field hold tandem.Visits
---@field held fun(i: integer): boolean     is request i of `real` held out
---@field split string
---@field given boolean                     a scenario was
---@field parameters tandem.FitParameter[]
---@field refused { what: string, why: string }[]
---@field notes string[]
---@field rows tandem.FitHoldRow[]          predictions of what was held out, the total last
---@field workload tandem.FitArrivals
---@field changes table<string, any>        for scenario:with
local Fit = { __name = "tandem.Fit" }
Fit.__index = Fit

local OPTIONS <const> = { "real", "map", "scenario", "split", "hold", "least", "rest", "name" }

local function is_visits(v)
  return type(v) == "table" and type(v.of) == "function" and type(v.slice) == "function"
end

local function check_options(options)
  if type(options) ~= "table" then
    error("td.fit wants a table { real = run, map = map, … }", 3)
  end
  for key in pairs(options) do
    local known = false
    for _, name in ipairs(OPTIONS) do known = known or name == key end
    if not known then
      error(("td.fit has no option '%s'; %s"):format(tostring(key),
        nearest.hint(tostring(key), OPTIONS)), 3)
    end
  end
  if options.split ~= nil and options.split ~= "alternate" and options.split ~= "half" then
    error(("split = %q is not known; \"alternate\" or \"half\""):format(tostring(options.split)), 3)
  end
  local hold = options.hold
  if hold ~= nil and not (type(hold) == "number" and hold >= 0 and hold < 1) then
    error("hold wants a share of the requests, from 0 to below 1", 3)
  end
  if options.scenario ~= nil and not require("tandem.scenario").is(options.scenario) then
    error("scenario wants a tandem.Scenario (td.load \"file.lua\")", 3)
  end
end

local function visits_of(options)
  local real = options.real
  if not is_visits(real) then
    if type(real) ~= "table" or type(real.visits) ~= "function" then
      error("real wants a run of a store, or its visits (run:visits(map))", 3)
    end
    local message, code
    real, message, code = real:visits(options.map)
    if not real then return nil, message, code end
  end
  local outcome = real:requests().outcome
  if not outcome then return real end
  return real:slice(function(i) return outcome[i] == "ok" end)
end

-- Requests are held out evenly over the run, block by block, but in no period: every second one
-- would be one of two GPUs that take turns.
local BLOCK <const> = 20

-- Bits that depend on a request's position alone.
local function scatter(i) return core.mix(0, i) >> 1 end

local function held_evenly(count, hold)
  local held = {}
  for first = 1, count, BLOCK do
    local block = {}
    for i = first, math.min(first + BLOCK - 1, count) do block[#block + 1] = i end
    table.sort(block, function(a, b) return scatter(a) < scatter(b) end)
    local count_held = math.floor(#block * hold + (#block == BLOCK and 0.5 or 0))
    for k = 1, count_held do held[block[k]] = true end
  end
  return held
end

-- Which requests are held out: evenly among the others, or the last ones.
local function held_of(visits, split, hold)
  if hold == 0 then return function() return false end end
  local evenly = split ~= "half" and held_evenly(visits.count, hold)
  local first = visits.count - math.floor(hold * visits.count + 0.5)
  return function(i)
    if evenly then return evenly[i] == true end
    return i > first
  end
end

-- An attribute of all requests, by the name that formulas give it.
local function attribute_values(visits, attributes)
  return function(name)
    local requests, what = visits:requests(), attributes[name]
    if what.term ~= "bytes" and what.term ~= "pieces" then return requests.sizes[what.term] end
    local of, out = visits:of(what.stage), views.constant(visits.count, 0)
    for i, request in ipairs(of.request) do out[request] = of[what.term][i] end
    return out
  end
end

local function check_scenario(raw)
  local made, problems = require("tandem.scenario").check(raw)
  if not made then return nil, tostring(problems) end
  return made
end

-- Without a scenario: one made of the visits, its workload by the arrivals.
local function from_nothing(self, ctx, name)
  local skeleton = require "tandem.fit.skeleton"
  local out, message = skeleton.of(ctx, name)
  if not out then return nil, message end
  if self.wants_rest then skeleton.add_rest(out, self.gaps) end
  local value_of = attribute_values(self.real, out.attributes)
  local arrivals = require "tandem.fit.arrivals"
  local names = nearest.sorted_keys(out.attributes)
  self.workload = arrivals.keep_together(arrivals.of(self.real, value_of), self.real, names,
    value_of)
  local doubt = arrivals.doubt(self.workload, self.real)
  if doubt then ctx:note(doubt) end
  out.raw.workload = self.workload.node(names)
  if self.workload.kind ~= "replay" then
    if #names > 0 then out.raw.attrs = arrivals.attributes(names, value_of) end
    if #names > 1 then
      ctx:note(("%s are drawn independently of one another"):format(format.list(names)))
    end
    out.raw.requests = self.real.count
  end
  ctx.chosen = out.chosen
  ctx.scenario, message = check_scenario(out.raw)
  return ctx.scenario, message
end

local function with_rest(self, scenario)
  if not self.wants_rest or #self.gaps == 0 then return scenario end
  local raw = rawget(scenario, "raw")
  if type(raw.pipeline) ~= "table" then return scenario end
  return scenario:try_with { pipeline = rest.insert(raw.pipeline, self.gaps) }
end

local function tell_overlap(ctx)
  for _, stage in ipairs(ctx.train.stages) do
    local view = ctx.views[stage.name]
    local share = view.busy > 0 and views.sum(view.own) / view.busy or 1
    if share < OVERLAP then
      ctx:note(("%s: %s of its busy time lies under other stages of its request; own time is "
        .. "fitted, so what is said of it holds only with that overlap"):format(stage.name,
        format.percent(1 - share)))
    end
  end
end

local function arrival_parameter(self, ctx)
  local w = self.workload
  if not w.rate then return end
  local half = w.error and 1.96 * w.error
  ctx:parameter { path = "workload.rps", value = w.rate, unit = "req/s", error = w.error,
    low = half and w.rate - half, high = half and w.rate + half, kind = "fitted",
    source = ("%d arrivals: %s"):format(self.real.count, w.source) }
end

--- Fit. Nil, a message and a code when the data do not allow any.
---@param options tandem.FitOptions
---@return tandem.Fit|nil
---@return string|nil message
---@return integer|nil code
function fit.run(options)
  check_options(options)
  local real, message, code = visits_of(options)
  if not real then return nil, message, code or INVALID end
  if real.count == 0 then return nil, "the run has no requests to fit to", INVALID end
  local self = setmetatable({ real = real, split = options.split or "alternate",
    given = options.scenario ~= nil, wants_rest = options.rest ~= false }, Fit)
  self.held = held_of(real, self.split, options.hold or 0.5)
  self.train = real:slice(function(i) return not self.held(i) end)
  self.hold = real:slice(self.held)
  self.hold.word = "held out"
  if self.train.count == 0 then
    return nil, ("%g of %d requests held out leaves none to fit to: hold out a smaller share")
      :format(options.hold or 0.5, real.count), INVALID
  end
  local ctx = context.new(self.train, real, { least = options.least or LEAST })
  self.gaps = rest.of(self.train, ctx.views)
  ctx.rests = {}
  for _, gap in ipairs(self.gaps) do ctx.rests[gap.name] = true end
  local made
  if self.given then
    ctx.scenario, message = with_rest(self, options.scenario)
    self.workload = require("tandem.fit.arrivals").of(real, function() return {} end)
    made = ctx.scenario
  else
    made, message = from_nothing(self, ctx, options.name or ("fitted to "
      .. (real.run and real.run.name or "a run")))
  end
  if not made then return nil, tostring(message), INVALID end
  local ok
  ok, message = parameters.fit(ctx)
  if not ok then return nil, message, INVALID end
  if self.wants_rest then
    rest.fit(ctx, self.gaps, not self.given and parameters.attribute_of or nil)
  end
  require("tandem.fit.capacity").fit(ctx)
  if not self.given then arrival_parameter(self, ctx) end
  tell_overlap(ctx)
  self.base, self.ctx = ctx.scenario, ctx
  self.parameters, self.refused, self.notes = ctx.parameters, ctx.refused, ctx.notes
  self.changes = ctx.changes
  self.rows = require("tandem.fit.holdout").rows(ctx, self.wants_rest and self.gaps or {},
    self.hold, self.split)
  return self
end

--- The scenario with the fitted values.
---@return tandem.Scenario|nil
---@return tandem.Problems|nil
function Fit:scenario() return self.base:try_with(self.changes) end

--- Values drawn from what the data leave open, as changes for fit:scenario():with(…): coefficients
--- of one regression together, jitters beside them.
---@param uniform fun(): number  in [0, 1), such as math.random
---@return table<string, any>
function Fit:draw(uniform)
  local changes = {}
  for _, group in ipairs(self.ctx.groups) do
    for path, value in pairs(group.apply(group.fit:draw(uniform))) do changes[path] = value end
  end
  for _, one in ipairs(self.ctx.jitters) do
    local j = one.jitter
    if j.error and j.error > 0 and j.cv > 0 and j.family ~= "exponential" then
      local cv = j.cv * math.exp(linear.normal(uniform) * j.error / j.cv)
      changes[one.path] = require("tandem.fit.jitter").node(j.family, cv)
    end
  end
  return changes
end

--- Variants of what was measured: fit:whatif { { "twice the link", { ["target.h2d"] = "50GB/s" } },
--- { "faster kernels", { scale = { compute = 0.6 } } }, { "two GPUs", { gpus = 2 } } }.
---@param changes table
---@param options tandem.FitWhatIfOptions|nil
---@return tandem.FitWhatIf|nil
---@return string|nil message
---@return integer|nil code
function Fit:whatif(changes, options)
  return require("tandem.fit.whatif").run(self, changes, options)
end

--- The parameter of a path.
---@param path string
---@param term string|nil
---@return tandem.FitParameter|nil
function Fit:parameter(path, term)
  for _, p in ipairs(self.parameters) do
    if p.path == path and (term == nil or p.term == term) then return p end
  end
end

--- The fitted scenario simulated under the load of the whole run; of it, the requests held out:
--- request i there is request i of fit.hold, so that td.score and td.overlay take both. Simulated
--- once, kept nowhere.
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function Fit:simulated()
  if self.hold.count == 0 then return nil, "nothing was held out to be simulated", INVALID end
  local message, code
  if not self.rehearsed then
    self.rehearsed, message, code = require("tandem.fit.rehearsal").of(self)
  end
  return self.rehearsed, message, code
end

--- What was held out against its simulation: waits and percentiles too, which means of own time do
--- not tell.
---@param options table|nil  as td.score takes them
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function Fit:score(options)
  local simulated, message, code = self:simulated()
  if not simulated then return nil, message, code end
  return require("tandem.score").of(self.hold, simulated, options)
end

--- What was held out laid over its simulation.
---@param options tandem.OverlayOptions|nil
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function Fit:overlay(options)
  local simulated, message, code = self:simulated()
  if not simulated then return nil, message, code end
  return require("tandem.overlay").of(self.hold, simulated, options)
end

--- The fitted scenario as a Lua file that a person would have written. Nil and a line when it
--- holds a function.
---@return string|nil
---@return string|nil message
function Fit:source() return require("tandem.fit.source").of(self) end

--- As JSON, schema tandem.fit/1; ends with a line end.
---@return string
function Fit:to_json()
  return require("tandem.io.json").encode({ schema = "tandem.fit/1", name = self.base.name,
    requests = self.real.count, fitted = self.train.count, held_out = self.hold.count,
    split = self.split, arrivals = { kind = self.workload.kind, source = self.workload.source,
      rate = self.workload.rate, p = self.workload.p }, parameters = self.parameters,
    rows = self.rows, refused = self.refused, notes = self.notes },
    { indent = 2, lists = { parameters = true, rows = true, refused = true, notes = true } })
    .. "\n"
end

--- As a page that needs nothing from outside.
---@return string
function Fit:to_html() return require("tandem.page").fit(self) end

--- In words: parameters, what was held out, what could not be told.
---@param style tandem.Style|nil
---@return string
function Fit:report(style) return require("tandem.fit.report").text(self, style) end

Fit.__tostring = function(self) return self:report() end

return fit
