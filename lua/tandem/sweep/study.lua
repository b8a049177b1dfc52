--- A study: a sweep as it will be run, checked: scenario, axes, design, metrics, seed.
-- Owns the options of td.sweep, what a scenario's own sweep block adds to them, and the name under
-- which a store keeps it. Runs nothing but a short probe. Called by sweep/init and cli/sweep.
local axes = require "tandem.sweep.axes"
local core = require "tandem.core"
local design = require "tandem.sweep.design"
local job = require "tandem.sweep.job"
local keys = require "tandem.sweep.key"
local metrics = require "tandem.sweep.metrics"
local nearest = require "tandem.text.nearest"
local scenario = require "tandem.scenario"
local units = require "tandem.units"

local MOST_REPLICATIONS <const> = require("tandem.language.scenario").MOST_REPLICATIONS

local study = {}

---@class tandem.Study
---@field base tandem.Scenario      without what only concerns studies and people
---@field name string
---@field axes tandem.Axis[]
---@field carried any[]             the crew's values
---@field design tandem.Design
---@field metrics string[]
---@field seed integer
---@field replications integer
---@field doubt boolean|nil         also what the model leaves open
---@field numbers integer[]|nil     the points that are wanted, in order; nil: all
---@field count integer             how many these are
---@field key string                the same key is the same sweep

---@class tandem.SweepOptions
---@field scenario tandem.Scenario  whose keys are varied
---@field over table<string, any>|table[]|nil  axes: td.range(…), lists (default: the scenario's)
---@field design "grid"|"list"|"random"|"lhs"|nil  default: grid, every combination
---@field points integer|table[]|nil  how many to draw, or the points themselves
---@field replications integer|nil  independent runs of every point
---@field seed integer|nil          of every point, and of random designs
---@field metrics string[]|nil      paths of the result to keep: { "latency.p99" }
---@field doubt boolean|nil         also what the step models of LLM servers leave open of each
---@field threads integer|nil       default: all processors
---@field store string|nil          a file that keeps the answers and continues a killed sweep
---@field fresh boolean|nil         forget what the store has of it
---@field where (fun(point: table): boolean)|table<string, any>|nil  which points
---@field shard { [1]: integer, [2]: integer }|nil  { I, N }: points whose number modulo N is I
---@field progress fun(done: integer, total: integer, failed: integer)|nil  told of points
---@field report fun(line: string)|nil  told of failing points (default: standard error)
---@field backend tandem.Backend|nil  who simulates (default: this machine's processors)
---@field name string|nil          of the sweep in the store (default: the scenario's)

-- What the sweep block of a scenario may say as well.
local SHARED = { "over", "design", "points", "replications", "seed", "metrics" }
local OWN = { "scenario", "doubt", "threads", "store", "fresh", "where", "shard", "progress",
  "report", "backend", "name", "study" }

-- Keys of a scenario that change no run.
local ASIDE = { "sweep", "plan", "whatif", "expect", "title", "question", "description", "tags" }

-- Points of which what is no number is looked at, and combinations of that.
local MOST_LOOKED <const>, MOST_KINDS <const> = 10000, 64

-- Axis names become columns beside these.
local RESERVED = { number = true, ok = true, message = true, half = true, failed = true }

local function stripped(base)
  local raw = {}
  for k, v in next, rawget(base, "raw") do raw[k] = v end
  local changed = false
  for _, name in ipairs(ASIDE) do
    changed = changed or raw[name] ~= nil
    raw[name] = nil
  end
  if not changed then return base end
  local made = scenario.check(require("tandem.language.node").copy(raw),
    { directory = rawget(base, "directory") })
  return made or base
end

local function whole(options, key, least, most)
  local v = options[key]
  if v == nil then return nil end
  local n = math.tointeger(v)
  if not n or n < least then
    return nil, ("%s wants a whole number, at least %d, not %s"):format(key, least, tostring(v))
  elseif most and n > most then
    return nil, ("%s is at most %d, not %d"):format(key, most, n)
  end
  return n
end

-- The options with what the scenario's own block says where they are silent.
local function joined(options)
  local known = table.move(SHARED, 1, #SHARED, #OWN + 1, table.move(OWN, 1, #OWN, 1, {}))
  for _, key in ipairs(nearest.sorted_keys(options)) do
    local found = false
    for _, k in ipairs(known) do found = found or k == key end
    if not found then
      return nil, ("unknown key '%s'; %s"):format(tostring(key), nearest.hint(tostring(key), known))
    end
  end
  if not scenario.is(options.scenario) then
    return nil, "scenario is missing: td.sweep { scenario = …, over = { … } }"
  end
  local own, out = rawget(options.scenario, "raw").sweep, {}
  for k, v in pairs(options) do out[k] = v end
  for _, key in ipairs(SHARED) do
    -- Axes of another kind make the block's design and points meaningless.
    local listed = type(options.points) == "table"
    local foreign = (key == "design" or key == "points") and (options.over ~= nil or listed)
      or key == "over" and listed
    if out[key] == nil and type(own) == "table" and not foreign then out[key] = own[key] end
  end
  return out
end

local function design_kind(options)
  local kind, points = options.design, options.points
  if kind ~= nil then
    local known = false
    for _, one in ipairs(design.kinds) do known = known or one == kind end
    if not known then
      return nil, ("there is no design '%s'; %s"):format(tostring(kind),
        nearest.hint(tostring(kind), design.kinds))
    end
  end
  kind = kind or type(points) == "table" and "list" or "grid"
  if kind == "grid" and points ~= nil then
    return nil, "points goes with design = \"lhs\" or \"random\"; a grid has every combination"
  elseif kind == "list" and (type(points) ~= "table" or #points == 0) then
    return nil, "design = \"list\" wants points = { { rps = 10, gpus = 1 }, … }"
  elseif (kind == "random" or kind == "lhs") then
    local count = math.tointeger(points)
    if not count or count < 1 then
      return nil, ("design = \"%s\" wants points, how many: points = 100"):format(kind)
    elseif count > design.MOST then
      return nil, ("points is %d; the most is %d"):format(count, design.MOST)
    end
  end
  return kind
end

local function make_design(made, options, kind)
  if kind == "list" then
    local rows
    made.axes, made.carried, rows = axes.listed(made.base, options.points)
    if not made.axes then return nil, made.carried end
    return design.list(rows --[[@as table]])
  end
  made.axes, made.carried = axes.read(made.base, options.over, kind ~= "grid")
  if not made.axes then return nil, made.carried end
  if kind == "grid" then return design.grid(made.axes) end
  return design[kind](made.axes, math.tointeger(options.points), made.seed)
end

--- The values of a point by the names of the axes.
---@param made tandem.Study
---@param number integer
---@return table<string, any>
function study.point(made, number)
  local out, cells = {}, made.design.point(number)
  for i, axis in ipairs(made.axes) do
    if cells[i] then out[axis.name] = cells[i].value end
  end
  return out
end

-- Which points are wanted.
local function choose(made, options)
  local where, shard = options.where, options.shard
  if type(where) == "table" then
    local names = {}
    for i, axis in ipairs(made.axes) do names[i] = axis.name end
    for _, name in ipairs(nearest.sorted_keys(where)) do
      local known = false
      for _, one in ipairs(names) do known = known or one == name end
      if not known then
        return ("where: '%s' is not varied; %s"):format(tostring(name),
          nearest.hint(tostring(name), names))
      end
    end
    local wanted = {}
    for name, v in pairs(where) do
      wanted[name] = {}
      for _, one in ipairs(type(v) == "table" and v or { v }) do
        -- "10rps" where the axis has numbers with units.
        local number = type(one) == "string" and not tonumber(one) and units.parse(one)
        for _, axis in ipairs(made.axes) do
          if axis.name == name and axis.numeric and number then one = number end
        end
        wanted[name][one] = true
      end
    end
    where = function(point)
      for name, some in pairs(wanted) do
        if not some[point[name]] then return false end
      end
      return true
    end
  end
  if shard then
    local index, of = math.tointeger(shard[1]), math.tointeger(shard[2])
    if not index or not of or of < 1 or index < 0 or index >= of then
      return ("shard wants { I, N } with I from 0 to N - 1, not { %s, %s }"):format(
        tostring(shard[1]), tostring(shard[2]))
    end
  end
  made.count = made.design.count
  if not where and not shard then return nil end
  made.numbers = {}
  for number = 1, made.design.count do
    if (not shard or number % shard[2] == shard[1])
      and (not where or where(study.point(made, number))) then
      made.numbers[#made.numbers + 1] = number
    end
  end
  made.count = #made.numbers
  if made.count == 0 and options.where then
    return "where leaves no point of " .. made.design.count
  end
end

-- The base, then each axis at some of its values.
local function variants(made)
  return coroutine.wrap(function()
    coroutine.yield(made.base)
    for _, axis in ipairs(made.axes) do
      for i = 1, math.min(#(axis.values or {}), 8) do
        local varied = made.base:try_with { [axis.path] = axis.values[i].given }
        if varied then coroutine.yield(varied) end
      end
    end
  end)
end

local function key_of(made, options, kind)
  local parts = { core.version(), keys.of_scenario(made.base), kind, tostring(made.seed),
    tostring(made.replications), table.concat(made.metrics, ",") }
  if made.doubt then parts[#parts + 1] = "doubt" end
  for _, axis in ipairs(made.axes) do parts[#parts + 1] = axes.text(axis) end
  if kind == "list" then
    for i = 1, made.design.count do
      parts[#parts + 1] = keys.text(study.point(made, i))
    end
  else
    parts[#parts + 1] = tostring(options.points)
  end
  return keys.digest(parts)
end

--- Reads and checks the options of a sweep.
---@param options tandem.SweepOptions
---@return tandem.Study|nil
---@return string|nil message one line
function study.new(options)
  local wrong, kind
  options, wrong = joined(options)
  if not options then return nil, wrong end
  local own = options.scenario.checked
  for _, key in ipairs { "seed", "replications" } do
    local value
    value, wrong = whole(options, key, key == "seed" and 0 or 1,
      key == "replications" and MOST_REPLICATIONS or nil)
    if wrong then return nil, wrong end
    options[key] = value
  end
  kind, wrong = design_kind(options)
  if not kind then return nil, wrong end
  local made = { base = stripped(options.scenario), name = options.name or own.name,
    seed = options.seed or own.seed or 1, metrics = options.metrics or job.usual(options.scenario),
    replications = options.replications or own.replications or 1,
    doubt = options.doubt == true or nil }
  made.design, wrong = make_design(made, options, kind)
  if not made.design then return nil, wrong end
  for _, axis in ipairs(made.axes) do
    if RESERVED[axis.name] then return nil, ("an axis cannot be called %s"):format(axis.name) end
  end
  if type(made.metrics) ~= "table" or #made.metrics == 0 then
    return nil, "metrics wants a list of paths: metrics = { \"latency.p99\", \"throughput_rps\" }"
  end
  wrong = axes.try(made.base, made.axes) or choose(made, options)
    or metrics.check(made.metrics, variants(made))
  if wrong then return nil, wrong end
  made.key = key_of(made, options, kind)
  return made
end

--- The number of the n-th point that is wanted.
---@param made tandem.Study
---@param n integer
---@return integer
function study.number(made, n) return made.numbers and made.numbers[n] or n end

--- Scenarios of a study that differ in what is no number: GPUs, models, servers.
---@param made tandem.Study
---@return tandem.Scenario[]
function study.kinds(made)
  local out, seen = {}, {}
  for n = 1, math.min(made.count, MOST_LOOKED) do
    local set, parts, cells = {}, {}, made.design.point(study.number(made, n))
    for i, axis in ipairs(made.axes) do
      if cells[i] and not axis.numeric then
        set[axis.path], parts[#parts + 1] = cells[i].given, tostring(cells[i].value)
      end
    end
    local key = table.concat(parts, "\0")
    if not seen[key] and #out < MOST_KINDS then
      seen[key] = true
      out[#out + 1] = next(set) and made.base:try_with(set) or made.base
    end
  end
  return out
end

--- The job of a point.
---@param made tandem.Study
---@param number integer
---@return tandem.Job
function study.job(made, number)
  local set, cells = {}, made.design.point(number)
  for i, axis in ipairs(made.axes) do
    if cells[i] then set[axis.path] = cells[i].set end
  end
  return { base = 1, set = set, seed = made.seed, replications = made.replications, first = 0,
    metrics = made.metrics, doubt = made.doubt }
end

return study
