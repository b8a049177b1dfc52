--- What if on reality: variants of a fitted scenario, carrying what the fit leaves open.
--
-- Owns fit:whatif and its answer: parameters are drawn again and again from their estimates, base
-- and variants simulated with each draw on the same luck, so that the interval of a change has the
-- fit's uncertainty and the simulation's. Variants say what scenario:with takes, and
-- { scale = { stage = factor } } for stages that would take so many times as long. Running is
-- whatif/variants. Called by fit/init.
local column_table = require "tandem.text.columns"
local core = require "tandem.core"
local expr = require "tandem.expr"
local format = require "tandem.text.format"
local metric = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"
local variants = require "tandem.whatif.variants"

local whatif = {}

local INVALID <const> = require("tandem.cli.codes").INVALID
local INTERRUPTED <const> = require("tandem.cli.codes").INTERRUPTED
local DRAWS <const>, LEAST <const> = 24, 4
local COST_KEY <const> = { fixed = "time", delay = "time", stage = "cost",
  tokens = "time_per_token" }

---@class tandem.FitWhatIfOptions
---@field metric string|nil        what variants are judged by (default: "latency.mean")
---@field draws integer|nil        of the parameters (default: 24)
---@field replications integer|nil simulations a draw (default: 1)
---@field seed integer|nil           of the draws and of the simulations
---@field threads integer|nil        how many to use (default: the processors)
---@field progress (fun(fraction: number))|nil  told how much is done, 0 to 1

---@class tandem.FitWhatIfRow
---@field name string
---@field value number             mean over the draws
---@field half number              of the 95 % interval in which the figure lies
---@field change { value: number, half: number, relative: number|nil }|nil  none for the base

---@class tandem.FitWhatIf
---@field metric string
---@field draws integer
---@field open boolean             the fit has parameters with errors to draw
---@field base tandem.FitWhatIfRow
---@field rows tandem.FitWhatIfRow[]
local WhatIf = { __name = "tandem.FitWhatIf" }
WhatIf.__index = WhatIf

-- ---- scaling a stage ----

local function steps_of(steps, out)
  for _, step in ipairs(steps) do
    out[#out + 1] = step
    for _, choice in ipairs(step.choices or {}) do steps_of(choice.steps or {}, out) end
    for _, branch in ipairs(step.branches or {}) do steps_of(branch, out) end
    steps_of(step.steps or {}, out)
  end
  return out
end

local function has_draw(cost)
  local found = false
  expr.walk(cost, function(n) found = found or type(n) == "table" and n[1] == "draw" end)
  return found
end

-- A checked cost times a factor, as scenario:with takes it; nil where that cannot be written.
local function times(cost, factor)
  if type(cost) == "number" then return cost * factor end
  if type(cost) ~= "table" or cost.fn or has_draw(cost) then return nil end
  return ("(%s) * %.17g"):format(expr.tostring(cost), factor)
end

-- The changes that make a stage take `factor` times as long.
local function scaled(scenario, name, factor)
  local names = {}
  for _, step in ipairs(steps_of(scenario.checked.resolved[1].pipeline, {})) do
    if step.name == name then
      local key = COST_KEY[step.type]
      local cost = key and step[key] and times(step[key], factor)
      if cost then return { [("pipeline.%s.%s"):format(name, key)] = cost } end
      return nil, ("the time of %s, a td.%s, cannot be scaled: change its bytes, its efficiency, "
        .. "its link or its GPU"):format(name, step.type)
    end
    names[#names + 1] = step.name
  end
  return nil, ("there is no stage '%s' to scale; %s"):format(tostring(name),
    nearest.hint(tostring(name), names))
end

-- A variant of one base: what it changes there.
local function changes_of(scenario, what)
  local changes = {}
  for path, value in pairs(what) do
    if path ~= "scale" then changes[path] = value end
  end
  if what.scale ~= nil and type(what.scale) ~= "table" then
    return nil, ("scale wants { STAGE = factor }, not '%s'"):format(tostring(what.scale))
  end
  for _, name in ipairs(nearest.sorted_keys(what.scale or {})) do
    local factor = what.scale[name]
    if type(factor) ~= "number" or not (factor > 0 and factor < math.huge) then
      return nil, ("scale: %s wants a factor above 0, not '%s'"):format(name, tostring(factor))
    end
    local own, message = scaled(scenario, name, factor)
    if not own then return nil, message end
    for key, value in pairs(own) do changes[key] = value end
  end
  return changes
end

-- ---- running ----

local function check_list(given)
  if type(given) ~= "table" then
    error("whatif wants { { \"a name\", { path = value } }, … }", 3)
  end
  local list = {}
  if #given > 0 then
    for i, one in ipairs(given) do
      if type(one) ~= "table" or type(one[1]) ~= "string" or type(one[2]) ~= "table" then
        error(("variant %d wants { \"a name\", { path = value } }"):format(i), 3)
      end
      list[i] = { name = one[1], what = one[2] }
    end
  else
    for _, name in ipairs(nearest.sorted_keys(given)) do
      if type(given[name]) ~= "table" then
        error(("variant '%s' wants { path = value, … }"):format(name), 3)
      end
      list[#list + 1] = { name = name, what = given[name] }
    end
  end
  if #list == 0 then error("whatif wants at least one variant", 3) end
  return list
end

-- Problems without the position in our own files at which a made scenario was written.
local function told(problems)
  local texts = {}
  for i, one in ipairs(problems) do
    texts[i] = (one.path ~= "" and one.path .. ": " or "") .. one.message
  end
  return table.concat(texts, "; ")
end

-- One draw's scenarios: as measured, then changed as the variants say.
local function scenarios_of(drawn, list)
  local out = { drawn }
  for i, one in ipairs(list) do
    local changes, message = changes_of(drawn, one.what)
    if not changes then return nil, ("variant '%s': %s"):format(one.name, message) end
    local made, problems = drawn:try_with(changes)
    if not made then return nil, ("variant '%s': %s"):format(one.name, told(problems)) end
    out[i + 1] = made
  end
  return out
end

-- The mean of draws, and the half width of the interval that one of them lies in.
local function spread(values)
  local n, mean, sd = #values, core.stats.moments(values)
  return mean, core.stats.student_quantile(0.975, n - 1) * sd * math.sqrt(1 + 1 / n)
end

local function mean_of(values) return (core.stats.moments(values)) end

-- All scenarios of all draws, draw after draw, each draw with luck of its own.
local function drawn_variants(fitted, scenario, list, draws, options)
  local random = require("tandem.search.random").new(options.seed or 1)
  local function uniform() return random:uniform() end
  local out, each = {}, options.replications or 1
  for draw = 1, draws do
    local drawn = scenario:try_with(fitted:draw(uniform))
    local made, message
    if drawn then
      made, message = scenarios_of(drawn, list)
      if not made then return nil, message end
    end
    for _, one in ipairs(made or {}) do
      out[#out + 1] = { name = ("draw %d"):format(draw), scenario = one, first = draw * each }
    end
  end
  return out
end

-- The metric by draw: values[i][draw] of the i-th of a draw's scenarios; nil and why when one
-- fails.
local function values_of(rows, count, path)
  local values = {}
  for i, row in ipairs(rows) do
    if not row.ok then return nil, ("%s fails: %s"):format(row.name, row.message) end
    local seen = row.values[path]
    if not seen or #seen == 0 then
      return nil, ("metric: a result of this scenario has no '%s'; %s"):format(path,
        nearest.hint(path, nearest.sorted_keys(row.metrics)))
    end
    local position, draw = (i - 1) % count + 1, (i - 1) // count + 1
    values[position] = values[position] or {}
    values[position][draw] = mean_of(seen)
  end
  return values
end

local function row_of(name, ours, base)
  local row = { name = name }
  row.value, row.half = spread(ours)
  if base then
    local gaps = {}
    for i, v in ipairs(ours) do gaps[i] = v - base[i] end
    local value, half = spread(gaps)
    local from = mean_of(base)
    row.change = { value = value, half = half, relative = from ~= 0 and value / from or nil }
  end
  return row
end

--- Simulates variants of a fitted scenario.
---@param fitted tandem.Fit
---@param given table  { { name, changes }, … } or { name = changes }
---@param options tandem.FitWhatIfOptions|nil
---@return tandem.FitWhatIf|nil
---@return string|nil message
---@return integer|nil code
function whatif.run(fitted, given, options)
  options = options or {}
  local stranger = nearest.stranger(options, { "metric", "draws", "replications", "seed", "threads",
    "progress" })
  if stranger then error("whatif: " .. stranger, 2) end
  local list, path = check_list(given), options.metric or "latency.mean"
  local scenario, problems = fitted:scenario()
  if not scenario then return nil, tostring(problems), INVALID end
  local draws = options.draws or DRAWS
  if math.type(draws) ~= "integer" or draws < LEAST then
    error(("draws wants a whole number from %d on"):format(LEAST), 2)
  end
  local all, message = drawn_variants(fitted, scenario, list, draws, options)
  if not all then return nil, message, INVALID end
  local count = 1 + #list
  if #all < LEAST * count then
    return nil, "the estimates leave so much open that hardly any draw of them is a valid scenario",
      INVALID
  end
  local rows, interrupted = variants.run(scenario, all, { metrics = { path },
    seed = options.seed, replications = options.replications or 1, threads = options.threads,
    progress = options.progress })
  if interrupted then return nil, "interrupted", INTERRUPTED end
  table.remove(rows, 1)
  local seen
  seen, message = values_of(rows, count, path)
  if not seen then return nil, message, INVALID end
  local self = setmetatable({ metric = path, draws = #all // count, rows = {},
    open = next(fitted:draw(function() return 0.5 end)) ~= nil,
    base = row_of("as measured", seen[1]) }, WhatIf)
  for i, one in ipairs(list) do self.rows[i] = row_of(one.name, seen[i + 1], seen[1]) end
  return self
end

-- ---- in words ----

local function verdict(row, path)
  local change, more = row.change, metric.more_is_better(path)
  if math.abs(change.value) <= change.half then
    return { text = "no clear change", color = "dim" }
  end
  if more == nil then return "" end
  local better = (change.value > 0) == more
  return { text = better and "better" or "worse", color = better and "green" or "red" }
end

--- The comparison as an aligned table.
---@param style tandem.Style|nil
---@return string
function WhatIf:report(style)
  style = style or styles.detect(1)
  local path, lines = self.metric, {}
  local function figure(value, half)
    return metric.show({ value = value, half = half }, path)
  end
  lines[1] = { self.base.name, figure(self.base.value, self.base.half), "", "", "" }
  for i, row in ipairs(self.rows) do
    local change = row.change
    lines[i + 1] = { row.name, figure(row.value, row.half),
      (change.value < 0 and "-" or "+") .. format.estimate({ value = math.abs(change.value),
        half = change.half }, metric.kind(path)),
      change.relative and format.change(change.relative) or "", verdict(row, path) }
  end
  local text = column_table.lines({ { title = "variant", wrap = true },
    { title = metric.title(path), align = "right" }, { title = "change", align = "right" },
    { title = "", align = "right" }, { title = "" } }, lines, { style = style })
  text[#text + 1] = ""
  local basis = self.open
    and ("Intervals (95 %%) carry what the fit leaves open: %d draws of its parameters, base and "
      .. "variants of each on the same luck."):format(self.draws)
    or "No parameter of the fit has an error, so none is carried: too few visits, or all assumed."
  for _, line in ipairs(styles.wrap(style:text(basis), style.width)) do
    text[#text + 1] = line
  end
  return table.concat(text, "\n")
end

WhatIf.__tostring = function(self) return self:report() end

--- As data, for JSON.
---@return table
function WhatIf:data()
  local function plain(row)
    return { name = row.name, value = row.value, half = row.half, change = row.change }
  end
  local rows = {}
  for i, row in ipairs(self.rows) do rows[i] = plain(row) end
  return { metric = self.metric, draws = self.draws,
    base = plain(self.base), rows = rows }
end

return whatif
