--- What a scenario will do, before running it: in words, with the offered load and the bounds that
--- queueing theory gives.
--
-- Owns the wording and the JSON form; the numbers are explain/load.lua's and queueing.lua's. Called
-- by `tandem explain`, scenario:explain() and the shell.
local column_table = require "tandem.text.columns"
local arrivals = require "tandem.explain.arrivals"
local course = require "tandem.explain.course"
local format = require "tandem.text.format"
local load = require "tandem.explain.load"
local queueing = require "tandem.explain.queueing"
local shortage = require "tandem.text.shortage"
local styles = require "tandem.plot.style"
local tables = require "tandem.explain.tables"

local explain = {}

explain.SCHEMA = "tandem.explain/1"

--- JSON keys that are lists even when empty.
explain.lists = { classes = true, rough = true, steps = true, stations = true }

---@class tandem.Bounds
---@field bottleneck? tandem.OfferedStation  the station that saturates first
---@field saturation_rps? number  total arrival rate at which it does
---@field offered_rps? number     total mean arrival rate
---@field expected_wait_s number  sum over the stations, weighted by visits; infinite under overload
---@field wait_is? "at least"
---@field exact boolean           every wait, and what users get through, is exact
---@field mean_s? number           mean latency of all classes, with the expected waits
---@field rough string[]           why waits may be far off

--- What follows from the offered load.
---@param offered tandem.Offered
---@return tandem.Bounds
function explain.bounds(offered)
  local bounds = { expected_wait_s = 0, exact = true, offered_rps = 0, rough = {} }
  for _, class in ipairs(offered.classes) do
    bounds.offered_rps = class.rps and bounds.offered_rps and bounds.offered_rps + class.rps or nil
    bounds.exact = bounds.exact and not class.approximate and class.rps_exact ~= false
  end
  for _, station in ipairs(offered.stations) do
    if queueing.capacity(station) < math.huge then
      local most = bounds.bottleneck
      if not most or station.utilization > most.utilization then
        bounds.bottleneck = station
      end
    end
    if station.rough then
      table.insert(bounds.rough, ("%s (%s)"):format(styles.clean(station.name), station.rough))
    end
    if station.wait_s > 0 then
      bounds.wait_is = bounds.wait_is or station.wait_is
      bounds.exact = bounds.exact and station.wait_exact
      if bounds.offered_rps and bounds.offered_rps > 0 then
        bounds.expected_wait_s = bounds.expected_wait_s
          + station.wait_s * (station.requests or station.rate) / bounds.offered_rps
      end
    end
  end
  local bottleneck = bounds.bottleneck
  if bottleneck and bounds.offered_rps and bottleneck.utilization > 0 then
    bounds.saturation_rps = bounds.offered_rps / bottleneck.utilization
  end
  bounds.mean_s = bounds.offered_rps and 0 or nil
  for _, class in ipairs(offered.classes) do
    bounds.mean_s = bounds.mean_s and class.mean_s and bounds.offered_rps > 0
      and bounds.mean_s + class.mean_s * class.rps / bounds.offered_rps or nil
  end
  return bounds
end

---@class tandem.ExplainOptions
---@field style? tandem.Style
---@field scenario? tandem.Scenario  to name the costs that stay functions
---@field file? string  what the scenario is called in the commands we suggest
---@field settings? string[]  the --set values it was changed by
---@field trusted? boolean     it was loaded with all of Lua

-- `limits` is the class's own arrival process, which may end before the model does.
local function arrival_words(class, limits, model)
  local arrival = class.arrival
  if arrival.users then
    return ("%s: %s, thinking %s between requests"):format(arrival.words,
      format.plural(arrival.users, "user"), format.time(arrival.think_s))
  end
  local text = arrival.words
  if arrival.rps then
    text = text .. ", " .. format.rate(arrival.rps)
      .. (arrival.peak_rps and " on average, " .. format.rate(arrival.peak_rps) .. " at most" or "")
  end
  local duration, requests = limits.duration or model.duration, limits.requests or model.requests
  if duration then
    text = text .. " for " .. format.time(duration)
    if arrival.rps then
      local count = math.min(arrival.rps * duration, requests or math.huge)
      text = text .. (", about %s"):format(format.plural(math.floor(count + 0.5), "request"))
    end
  elseif requests then
    text = text .. (", %s%s"):format(format.plural(requests, "request"),
      #model.classes > 1 and " in all" or "")
  end
  return text
end

-- What is rough, by reasons.
local function rough_words(offered)
  local names, reasons = {}, {}
  for _, group in ipairs(tables.station_groups(offered)) do
    local reason = group.station.rough
    if reason and not names[reason] then names[reason], reasons[#reasons + 1] = {}, reason end
    if reason then table.insert(names[reason], styles.clean(group.name)) end
  end
  for i, reason in ipairs(reasons) do
    reasons[i] = ("%s (%s)"):format(format.list(names[reason]), reason)
  end
  return table.concat(reasons, "; ")
end

-- A smaller share of losses is not worth a sentence.
local HARDLY <const> = 1e-4

-- What happens to the resource that is offered most.
local function bottleneck_words(offered, station)
  local name, _, mark = styles.clean(station.name), tables.busy_marks(station)
  if station.wait_s == math.huge then
    return ("%s is offered %s of what it can serve: it is overloaded, its queue will grow as long "
      .. "as requests arrive."):format(name, format.percent(station.utilization))
  end
  local users = true
  for _, class in ipairs(offered.classes) do users = users and class.arrival.users ~= nil end
  local text = ("%s saturates first; it will be busy %s%s of the time"):format(name, mark,
    format.percent(station.busy))
  if station.utilization >= 1 and not users then
    text = ("%s is offered %s%s of what it can serve"):format(name, station.busy_is and mark or "",
      format.percent(station.utilization))
  end
  if station.up < 1 then
    text = text .. (" and under repair %s"):format(format.percent(1 - station.up))
  end
  if not station.lost then
    text = text .. (": its queue has %s, and who finds it full is turned away"):format(
      format.plural(station.queue, "place"))
  elseif station.lost >= HARDLY then
    text = text .. (": its queue has %s, and %s%s of requests find it full and are turned away")
      :format(format.plural(station.queue, "place"), station.wait_exact and "" or "about ",
        format.percent(station.lost))
  elseif station.patience and station.utilization >= 1 then
    text = text .. ": requests that give up keep its queue from growing without end"
  end
  return text .. "."
end

-- May users leave without an answer? Then they ask for more than they get: for about as much as is
-- said where losses are counted, else for at least that.
local function loses(offered)
  local word = nil
  for _, station in ipairs(offered.stations) do
    if station.patience or station.queue and not station.lost then return "at least" end
    if station.queue and station.lost > 0 then word = "about" end
  end
  return word
end

-- The word before a mean latency.
local function sureness(bounds)
  return bounds.exact and "" or bounds.wait_is and "at least "
    or #bounds.rough > 0 and "roughly " or "about "
end

-- What users get through: they wait for their answers, so they never ask for too much.
local function user_words(offered, class, bounds)
  local who = #offered.classes > 1 and ("of class %s "):format(styles.clean(class.name)) or ""
  local lossy = loses(offered)
  local sentences = { ("The %s %s%s: who waits for an answer asks for nothing more, so no queue "
    .. "grows without end."):format(format.plural(class.arrival.users, "user"), who,
      lossy and ("ask for %s %s"):format(lossy, format.rate(class.rps))
        or ("get %s%s through, and never more than %s"):format(class.rps_exact and "" or "about ",
          format.rate(class.rps), format.rate(class.most_rps))) }
  if #offered.classes == 1 and class.unloaded_s then
    local least = class.arrival.users / class.most_rps - class.arrival.think_s
    if not lossy and least > class.unloaded_s * 1.001 then
      sentences[2] = ("With so many the mean latency cannot be less than %s."):format(
        format.time(least))
    end
    if not bounds.bottleneck.batched and class.mean_s then
      sentences[#sentences + 1] = ("With the expected waits the mean latency is %s%s."):format(
        sureness(bounds), format.time(class.mean_s))
    end
  end
  return sentences
end

-- What a load that moves comes to at its peak, and on average.
local function course_sentences(offered, found)
  local station, out = found.bottleneck, {}
  local name, _, mark = styles.clean(station.name), tables.busy_marks(station)
  local when = ("At its peak, %s of %s, %s arrive"):format(format.time(found.peak_s),
    format.time(found.length_s), format.rate(found.peak_rps))
  if station.utilization < 1 then
    out[1] = ("%s and %s is busy %s%s of the time."):format(when, name, mark,
      format.percent(station.busy))
  else
    out[1] = ("%s and %s is offered %s%s of what it can serve."):format(when, name, mark,
      format.percent(station.utilization))
    if found.lossy then
      out[2] = "Requests are turned away or give up there; how many, a run tells."
      return out
    end
    out[2] = ("More arrives than can be served for %s: about %s wait then, the last of them about "
      .. "%s."):format(format.time(found.over_s),
        format.plural(math.floor(found.backlog + 0.5), "request"), format.time(found.longest_s))
  end
  local class = offered.classes[1]
  if #offered.classes == 1 and class.unloaded_s and not station.batched and not found.lossy then
    out[#out + 1] = ("Over its course the mean latency is about %s."):format(
      format.time(class.unloaded_s + found.wait_s))
  end
  return out
end

local function bound_sentences(offered, bounds, model)
  local sentences, bottleneck = {}, bounds.bottleneck
  local serves = require("tandem.explain.serving").sentences(model, offered)
  if #serves > 0 then
    serves[#serves + 1] = "Objectives give way before that: what a load does to them is for the "
      .. "simulation."
    if not bottleneck then return serves end
    table.move(serves, 1, #serves, 1, sentences)
  elseif not offered.complete then
    sentences[#sentences + 1] = "Part of the load cannot be told without running it (a Lua "
      .. "function or process decides it), so these are lower bounds."
  end
  if not bottleneck then
    sentences[#sentences + 1] = offered.complete
      and "No limited resource is loaded, so nothing can saturate."
      or "What saturates first cannot be told, either."
    return sentences
  end
  local moving = course.of(model)
  if moving and moving.bottleneck then
    local more = course_sentences(offered, moving)
    table.move(more, 1, #more, #sentences + 1, sentences)
  else
    moving = nil
    sentences[#sentences + 1] = bottleneck_words(offered, bottleneck)
  end
  if bounds.saturation_rps then
    local full = bottleneck.batched or bottleneck.mean_batch
    sentences[#sentences + 1] = ("The most it can carry is %s%s."):format(
      format.rate(bounds.saturation_rps), full and " with full batches" or "")
  end
  for _, class in ipairs(offered.classes) do
    local who = #offered.classes > 1 and ("A request of class %s"):format(styles.clean(class.name))
      or "A request"
    if class.unloaded_s then
      sentences[#sentences + 1] = ("%s that meets nobody takes %s; the mean cannot be less.")
        :format(who, format.time(class.unloaded_s))
      if not moving and class.mean_s and class.mean_s < math.huge and not bottleneck.batched
        and not class.arrival.users then
        sentences[#sentences + 1] = ("With the expected waits its mean latency is %s%s."):format(
          sureness(bounds), format.time(class.mean_s))
      end
    end
    if class.arrival.users and class.rps then
      local more = user_words(offered, class, bounds)
      table.move(more, 1, #more, #sentences + 1, sentences)
    end
  end
  if #bounds.rough > 0 and not moving then
    sentences[#sentences + 1] = ("Rough, perhaps off by more than half: %s."):format(
      rough_words(offered))
  end
  return sentences
end

-- Of an objective by window, with what each of them has to keep.
local function objective_name(slo)
  if not slo.of then return slo.metric end
  local result = require "tandem.result"
  return require("tandem.language.objectives").words(slo.metric, ("%s %s"):format(
    result.is_lower_limit(slo.of) and "≥" or "≤",
    format.quantity(slo.of_limit, result.metric_kind(slo.of))))
end

local function objective_words(model)
  local lines = {}
  for _, class in ipairs(model.classes) do
    for _, slo in ipairs(class.slo or {}) do
      local result = require "tandem.result"
      lines[#lines + 1] = ("%s%s %s %s"):format(#model.classes > 1 and class.name .. " " or "",
        objective_name(slo), result.is_lower_limit(slo.metric) and "≥" or "≤",
        format.quantity(slo.limit, result.metric_kind(slo.metric)))
    end
  end
  return lines
end

--- Which engine will run it and why, and which costs it has to call Lua for.
local function engine_words(model, options)
  local sentences = {}
  local found, core = pcall(require, "tandem.core")
  if found and core.lowering then
    local why, failed = core.lowering(model)
    if failed and shortage.is(failed) then error("not enough memory", 0) end
    if not failed then
      sentences[1] = why and ("By the event engine: %s."):format(why)
        or "By the lowered engine: no event queue is needed, so it is fast."
    end
  end
  local scenario = options.scenario
  for _, cost in ipairs(scenario and scenario.untraced_costs and scenario:untraced_costs() or {}) do
    sentences[#sentences + 1] = ("%s stays a Lua function, called for each request: %s."):format(
      styles.clean(cost.path), styles.clean(cost.message))
  end
  return sentences
end

--- The numbers for `--json`: rates, offered load and bounds, in SI units.
---@param model table
---@return table
function explain.numbers(model)
  local offered = load.of(model)
  local bounds, moving = explain.bounds(offered), course.of(model)
  if moving then moving.bottleneck = moving.bottleneck and moving.bottleneck.name end
  return {
    schema = explain.SCHEMA, name = model.name, classes = offered.classes,
    steps = offered.steps, stations = offered.stations, complete = offered.complete,
    course = moving,
    bounds = {
      bottleneck = bounds.bottleneck and bounds.bottleneck.name,
      saturation_rps = bounds.saturation_rps, offered_rps = bounds.offered_rps,
      expected_wait_s = bounds.expected_wait_s, exact = bounds.exact,
      mean_s = bounds.mean_s, rough = bounds.rough,
    },
  }
end

--- The explanation as text, without a final line end.
---@param model table  the planner's output
---@param options? tandem.ExplainOptions
---@return string
function explain.text(model, options)
  options = options or {}
  local style = options.style or styles.detect(1)
  local offered, lines = load.of(model), {}
  local function line(text)
    lines[#lines + 1] = style:text(text)
  end
  local function heading(title)
    line("")
    line(style:paint(title, "bold"))
  end
  local function table_of(columns, rows)
    local made = column_table.lines(columns, rows, { style = style, indent = 2 })
    table.move(made, 1, #made, #lines + 1, lines)
  end
  local function paragraph(sentences)
    for _, wrapped in ipairs(styles.wrap(format.bind(style:text(table.concat(sentences, " "))),
      style.width - 2)) do
      line("  " .. wrapped)
    end
  end
  line(style:paint(styles.clean(model.name), "bold"))
  heading("Arrivals")
  for index, class in ipairs(offered.classes) do
    paragraph { (#offered.classes > 1 and styles.clean(class.name) .. ": " or "")
      .. arrival_words(class, model.classes[index].arrivals, model) }
  end
  heading("Each request")
  table_of(tables.step_columns(offered), tables.step_rows(offered))
  local stations = tables.station_rows(offered, style, arrivals.moves(model))
  if #stations > 0 or not model.servers then
    heading("Offered load")
    table_of(tables.station_columns(offered), stations)
  end
  heading("What to expect")
  paragraph(bound_sentences(offered, explain.bounds(offered), model))
  local objectives = objective_words(model)
  if #objectives > 0 then
    paragraph { "Wanted: " .. format.list(objectives) .. "." }
  end
  local notes = engine_words(model, options)
  if #notes > 0 then
    heading("How it is simulated")
    paragraph(notes)
  end
  line("")
  line("  ≈ marks an estimate" .. (model.servers and "." or offered.classes[1].arrival.users
    and ": exact formulas need exponential times where users queue."
    or ": exact formulas need Poisson arrivals, exponential times before."))
  if options.file and options.file ~= "-" then
    line("  Now simulate it: " .. require("tandem.report.commands").of("run", options.file,
      options.settings, options.trusted))
  end
  return table.concat(lines, "\n")
end

--- explain(scenario) is the text for a scenario.
return setmetatable(explain, {
  __call = function(_, scenario, options)
    options = options or {}
    return explain.text(scenario:model(), { scenario = scenario, style = options.style,
      file = options.file, settings = options.settings, trusted = options.trusted })
  end,
})
