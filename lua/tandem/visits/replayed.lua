--- A scenario under the load of a run: the same requests at the same times, of the same sizes.
--
-- Owns the variant of the scenario that is simulated (what of it would stand against the capture's
-- load is taken away) and the keeping of that run. The rows are visits/arrivals.lua's, fitted
-- distributions visits/load.lua's. Called as v:replay(scenario) of tandem.Visits and as
-- run:replay(scenario).
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local scenarios = require "tandem.scenario"

local replayed = {}

---@class tandem.ReplayOptions
---@field map? tandem.Map     of a measured run
---@field arrivals? "rows"|"fitted"  the very requests (the default), or others that are alike
---@field store? string       where the simulation is kept (default: the capture's store)
---@field seed? integer       of the random numbers (default: the scenario's)

local OPTIONS <const> = { "arrivals", "map", "seed", "store" }
local USAGE <const>, INVALID <const> = 2, 3

local function wrong_option(options)
  for _, name in ipairs(nearest.sorted_keys(options)) do
    local known = false
    for _, one in ipairs(OPTIONS) do known = known or one == name end
    if not known then
      return ("replay has no option '%s'; %s"):format(name, nearest.hint(tostring(name), OPTIONS))
    end
  end
  if options.arrivals ~= nil and options.arrivals ~= "rows" and options.arrivals ~= "fitted" then
    return ("arrivals is '%s'; wanted rows or fitted"):format(tostring(options.arrivals))
  end
end

-- What the load says, the scenario no longer says.
local function without(attrs, names)
  if type(attrs) ~= "table" then return attrs end
  local left = {}
  for name, value in next, attrs do left[name] = value end
  for _, name in ipairs(names) do left[name] = nil end
  return next(left) and left or nil
end

local function one_line(problems)
  local texts = {}
  for i, problem in ipairs(problems) do texts[i] = tostring(problem) end
  return table.concat(texts, "; ")
end

-- A workload, attributes beside it, and the names of all sizes that the two give.
local function load_of(visits, kind)
  local made
  if kind == "fitted" then
    local message, code
    made, message, code = require("tandem.visits.load").of(visits)
    if not made then return nil, message, code end
  else
    local rows = require("tandem.visits.arrivals").rows(visits)
    made = { workload = require("tandem.language.arrivals").replay { rows = rows }, attrs = {} }
  end
  local rows = rawget(made.workload, "rows")
  return { workload = made.workload, attrs = made.attrs,
    names = nearest.sorted_keys(rows and rows[1] or made.attrs) }
end

--- The scenario with a run's load: no other arrivals, no end before the last of them, no warm-up,
--- one replication.
---@param visits tandem.Visits
---@param scenario tandem.Scenario
---@param kind? "rows"|"fitted"
---@return tandem.Scenario|nil
---@return string|nil message
---@return integer|nil code
function replayed.scenario(visits, scenario, kind)
  local raw = node.copy(rawget(scenario, "raw"))
  local classes = raw.classes
  if classes and #classes > 1 then
    return nil, ("%s has %d classes of requests, and the run does not say which of its requests "
      .. "are which; replay one class at a time"):format(scenario.name, #classes), INVALID
  end
  local load, message, code = load_of(visits, kind)
  if not load then return nil, message, code end
  raw.workload, raw.attrs = load.workload, without(raw.attrs, load.names) or {}
  for name, value in next, load.attrs do raw.attrs[name] = value end
  if classes then
    classes[1].workload, classes[1].attrs = nil, without(classes[1].attrs, load.names)
  end
  raw.duration, raw.requests, raw.warmup, raw.replications = nil, nil, "none", 1
  local made, problems = scenarios.check(raw, { directory = rawget(scenario, "directory") })
  if not made then
    return nil, ("under the run's load: %s"):format(one_line(problems)), INVALID
  end
  return made
end

-- The store that a simulation is kept in, and whose it is: the capture's is open already.
local function kept_in(visits, path)
  local own = visits.run and visits.run.store
  if not path and not own then
    return nil, "replay has no store to keep its simulation in; give it store = \"FILE.db\"", USAGE
  end
  return path or own.path, own and (not path or path == own.path) and own or nil
end

--- Simulates a scenario under a run's load and keeps that.
---@param visits tandem.Visits
---@param scenario tandem.Scenario
---@param options? tandem.ReplayOptions
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function replayed.run(visits, scenario, options)
  options = options or {}
  local wrong = wrong_option(options)
  if wrong then return nil, wrong, USAGE end
  if not scenarios.is(scenario) then return nil, "replay wants a scenario", USAGE end
  if visits.count == 0 then return nil, "there is no request to replay", INVALID end
  local path, opened, code = kept_in(visits, options.store)
  if not path then return nil, opened, code end
  local varied, message
  varied, message, code = replayed.scenario(visits, scenario, options.arrivals)
  if not varied then return nil, message, code end
  local kept, result
  result, message, code = varied:run { store = path, seed = options.seed,
    kept = function(...) kept = { ... } end }
  if not result then return nil, message, code end
  local id = kept[1]
  if not id then return nil, kept[2], kept[3] end
  local store = opened
  if not store then
    store, message, code = require("tandem.store").open(path)
    if not store then return nil, message, code end
  end
  return store:run(id)
end

return replayed
