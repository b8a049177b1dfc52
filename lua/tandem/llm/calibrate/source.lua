--- A fitted step model as Lua text: in a scenario under the load that was measured, in a scenario
-- of somebody's own, or alone.
-- Owns what is written and the comments; the text is scenario/source.lua's. Called by init.lua.

local format = require "tandem.text.format"
local holdout = require "tandem.llm.calibrate.holdout"
local scenario_source = require "tandem.scenario.source"
local fit_report = require "tandem.fit.report"

local source = {}

local DIGITS <const> = 5
local WIDTH <const> = 97
local ROWS_MOST <const> = 1000  -- requests that are written one by one
local QUANTILES <const> = 100

-- ---- the step model

local function affine_of(b)
  local td, piece = require "tandem", {}
  for name, value in pairs(b) do
    if name ~= "request" then piece[name] = value end
  end
  return td.affine(piece)
end

local function roofline_of(engine)
  local constants = {}
  for _, name in ipairs(engine.names) do
    constants[name:gsub("_s$", "")] = engine.constants[name]
  end
  constants.factor, constants.spread = engine.factor, engine.spread
  return require("tandem").roofline(constants)
end

--- As td.generate takes it.
---@param self tandem.llm.Calibration
---@param as string|nil
---@return table
function source.step(self, as)
  if self.engines then
    if #self.engines == 1 then return roofline_of(self.engines[1]) end
    local by_name = {}
    for _, engine in ipairs(self.engines) do by_name[engine.name] = roofline_of(engine) end
    return by_name
  end
  if self.measured.kind == "tables" and as ~= "affine" then
    return require("tandem").step_table { self.measured.folder }
  end
  return affine_of(self.b)
end

-- ---- comments

local function head_of(self)
  local texts = { ("Fitted to %s (%s): %s fitted, %s held out."):format(self.name,
    self.measured.format, format.integer(self.fitted), format.integer(self.held)) }
  for _, row in ipairs(self.rows) do
    texts[#texts + 1] = row.before and ("Held out%s, %s: median error %s, p90 %s; before %s.")
      :format(row.engine and " of " .. row.engine or "", row.what, format.percent(row.median),
        format.percent(row.p90), format.percent(row.before))
      or ("Held out%s, mean %s %s, predicted %s (%s); median error %s, p90 %s."):format(
      row.engine and " of " .. row.engine or "", row.what, format.time(row.observed),
      format.time(row.predicted), format.change(row.error), format.percent(row.median),
      format.percent(row.p90))
  end
  for _, p in ipairs(self.parameters) do
    if p.name == "request" and self.b then
      texts[#texts + 1] = ("Before the engine has it a request takes %s: a td.fixed before the "
        .. "td.generate."):format(format.time(p.value))
    end
  end
  for _, refused in ipairs(self.refused) do
    texts[#texts + 1] = ("Not fitted: %s%s: %s."):format(refused.engine and refused.engine .. " "
      or "", refused.name, refused.why)
  end
  for _, note in ipairs(self.notes) do texts[#texts + 1] = "Note: " .. note .. "." end
  local lines = {}
  for _, text in ipairs(texts) do
    local wrapped = require("tandem.plot.style").wrap(text, WIDTH)
    table.move(wrapped, 1, #wrapped, #lines + 1, lines)
  end
  return lines
end

local function comments_of(self, path)
  local comments = {}
  for _, p in ipairs(self.parameters) do
    local range = fit_report.interval(p)
    if p.name == "request" and self.b then
      comments["pipeline.request.time"] = range
    elseif not p.engine then
      comments[path .. "." .. p.name] = range
    end
  end
  return comments
end

-- ---- the load

local function attribute(requests, name)
  local td, list = require "tandem", {}
  for i, r in ipairs(requests) do list[i] = r[name] end
  table.sort(list)
  local values = {}
  for i = 1, QUANTILES do values[i] = holdout.quantile(list, (i - 0.5) / QUANTILES) end
  return td.empirical(values)
end

local function workload_of(requests)
  local td = require "tandem"
  if #requests > ROWS_MOST then
    local span = requests[#requests].at_s
    return td.poisson { rps = (#requests - 1) / math.max(span, 1e-9) },
      { prompt_tokens = attribute(requests, "prompt"),
        output_tokens = attribute(requests, "output") }
  end
  local rows = {}
  for i, r in ipairs(requests) do
    rows[i] = { arrival = r.at_s, prompt_tokens = r.prompt, output_tokens = r.output }
  end
  return td.replay { rows = rows }
end

local function engine_of(self)
  local engine = {}
  for key, value in pairs(self.told) do engine[key] = value end
  engine.prefix_caching = false
  return engine
end

local function scenario_of(self)
  local td = require "tandem"
  local options, pipeline = self.options, {}
  local load, attrs = workload_of(self.measured.requests)
  if self.b.request then pipeline[1] = td.fixed "request" { time = self.b.request } end
  pipeline[#pipeline + 1] = td.generate "server" { step = affine_of(self.b),
    engine = engine_of(self), model = options.model and not options.model:find "[./]json$"
      and td.llm(options.model) or nil }
  return td.scenario("fitted to " .. self.name) { workload = load, attrs = attrs,
    pipeline = pipeline, requests = #self.measured.requests, replications = 1, warmup = "none" }
end

-- ---- text

-- The stage whose steps these are.
local function server_of(raw)
  local found, count = nil, 0
  require("tandem.check.scenario").each_step(raw.pipeline or {}, function(step)
    if type(step) == "table" and step.type == "generate" then found, count = step, count + 1 end
  end)
  if count == 1 then return found.name end
  return nil, count == 0 and "it has no td.generate" or "it has several td.generate"
end

local function text_of(step) return assert(scenario_source.part(step, DIGITS)) end
source.text = text_of

-- The step model and nothing else.
local function alone(self, as)
  local step = self:step(as)
  local lines = { 'local td = require "tandem"', "" }
  for i, text in ipairs(head_of(self)) do table.insert(lines, i, "-- " .. text) end
  if step.type then
    lines[#lines + 1] = "return " .. text_of(step)
  else
    lines[#lines + 1] = "return {"
    for _, engine in ipairs(self.engines) do
      lines[#lines + 1] = ("  [%q] = %s,"):format(engine.name, text_of(step[engine.name]))
    end
    lines[#lines + 1] = "}"
  end
  return table.concat(lines, "\n") .. "\n"
end

---@param self tandem.llm.Calibration
---@param options { scenario: tandem.Scenario|nil, as: string|nil }
---@return string|nil
---@return string|nil message
function source.of(self, options)
  local raw, name
  if options.scenario then
    local step = self:step(options.as)
    if not step.type then return nil, "there are several engines' constants, not one step model" end
    local why
    name, why = server_of(rawget(options.scenario, "raw"))
    if not name then return nil, why end
    local changed, problems = options.scenario:try_with { ["pipeline." .. name .. ".step"] = step }
    if not changed then return nil, tostring(problems) end
    raw = rawget(changed, "raw")
  elseif self.measured.kind == "requests" then
    raw, name = rawget(scenario_of(self), "raw"), "server"
  else
    return alone(self, options.as)
  end
  return scenario_source.of(raw, { head = head_of(self), digits = DIGITS,
    comments = comments_of(self, ("pipeline.%s.step"):format(name)) })
end

return source
