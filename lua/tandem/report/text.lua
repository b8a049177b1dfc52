--- The summary that `tandem run` prints.
--
-- Owns its order and its headings: the verdict first, then load, latency, where the time goes,
-- resources, the bottleneck in words, the picture over time, the checks, and what to try next.
-- Tables come from report/columns.lua, sentences from report/judgement.lua.
local columns = require "tandem.report.columns"
local format = require "tandem.text.format"
local objectives = require "tandem.language.objectives"
local unserved = require "tandem.result.unserved"
local styles = require "tandem.plot.style"
local timeline = require "tandem.report.timeline"
local judgement = require "tandem.report.judgement"

local text = {}

local INDENT <const> = 2
local ROWS <const> = 50 -- of a table, at most; result:table() has all

---@class tandem.ReportWriter
---@field result tandem.Result
---@field style tandem.Style
---@field options tandem.ReportOptions
---@field lines string[]
local Writer = {}
Writer.__index = Writer

function Writer:line(content)
  self.lines[#self.lines + 1] = self.style:text(content)
end

function Writer:add(lines)
  table.move(lines, 1, #lines, #self.lines + 1, self.lines)
end

--- A heading, with a remark in the same line.
function Writer:heading(title, remark)
  self:line("")
  local line = self.style:paint(title, "bold")
  if remark then
    remark = styles.cut(self.style:text(remark), self.style.width - styles.columns(title) - 2)
    line = line .. "  " .. self.style:paint(remark, "dim")
  end
  self:line(line)
end

function Writer:paragraph(sentences)
  local wrapped = styles.wrap(format.bind(table.concat(sentences, " ")), self.style.width - INDENT)
  for _, line in ipairs(wrapped) do
    self:line(string.rep(" ", INDENT) .. line)
  end
end

--- A colored word and what it says, going on below the text where it is long.
function Writer:remark(word, color, content)
  local style, gap = self.style, "  "
  local hanging = string.rep(" ", #word + #gap)
  for index, line in ipairs(styles.wrap(style:text(content), style.width - #hanging)) do
    self:line((index == 1 and style:paint(word, color) .. gap or hanging) .. line)
  end
end

function Writer:title()
  local result, style = self.result, self.style
  local name = styles.clean(result.name)
  local facts = ("seed %s · %s"):format(tostring(result.seed),
    format.plural(result.replications, "replication"))
  local gap = style.width - styles.columns(name) - styles.columns(facts)
  if gap < 2 then
    self:line(style:paint(style:text(name), "bold"))
    self:line(style:paint(style:text(facts), "dim"))
  else
    self:line(style:paint(style:text(name), "bold") .. string.rep(" ", gap)
      .. style:paint(style:text(facts), "dim"))
  end
  self:line(style:paint(style:text(string.rep("─", style.width)), "dim"))
end

-- "p99"; of an objective by window also in which, or what each of them has to keep.
local function verdict_name(verdict)
  local result = require "tandem.result"
  local of = objectives.parts(verdict.metric)
  local name = objectives.words(verdict.metric, verdict.of_limit and ("%s %s"):format(
    result.is_lower_limit(of) and "≥" or "≤",
    format.quantity(verdict.of_limit, result.metric_kind(of))))
  if not verdict.worst_s then return name end
  return ("%s (from %s on)"):format(name, format.time(verdict.worst_s))
end

local function metric_kind(metric)
  return require("tandem.result").metric_kind(metric)
end

-- Why an objective has no figure.
local function nothing_measured(result, verdict)
  for _, class in ipairs(result.classes) do
    if class.name == verdict.class and class.completed == 0 then
      return verdict.met == false and "no request was served: all that left were lost"
        or "no request completed, so there is nothing to judge"
    end
  end
  local time = verdict.metric:match "^(%a+)_"
  return (time == "tpot" or time == "itl")
    and "no answer had a second token, so there is no time between tokens"
    or "nothing was measured that it could be judged by"
end

function Writer:verdicts()
  local result = self.result
  if result.overload then
    local bound = judgement.bound(result.overload)
    self:remark("OVERLOAD", "red", ("%s is offered %s it can serve%s"):format(
      styles.clean(result.overload.resource), judgement.offered(result.overload.load),
      bound and ": " .. bound or ""))
  end
  if unserved.share(result) == 1 then
    self:remark("LOST    ", "red", "nobody was served: every request was turned away, gave up or "
      .. "timed out")
  end
  if result.unsettled then
    self:remark("UNSURE  ", "yellow", ("whether %s keeps up: it has more and more requests inside, "
      .. "and the run is too short to tell; a longer one would"):format(
      styles.clean(result.unsettled.resource)))
  end
  if result.interrupted then
    self:remark("PARTIAL ", "yellow",
      "interrupted; the numbers are of what was finished by then")
  end
  if result.precision then
    local reached = result.precision.reached
    self:remark(reached and "PRECISE " or "UNSURE  ", reached and "green" or "yellow",
      require("tandem.report.precision").outcome(result.precision))
  end
  local lower = require("tandem.result").is_lower_limit
  for _, verdict in ipairs(result:verdicts()) do
    local kind = metric_kind(verdict.metric)
    local word, color = "MET     ", "green"
    if verdict.met == false then
      word, color = "MISSED  ", "red"
    elseif verdict.met == nil then
      word, color = "UNSURE  ", "yellow"
    end
    local class = #result.classes > 1 and styles.clean(verdict.class) .. " " or ""
    local needs = verdict.met == nil and format.needs(verdict.value)
    local figure = needs and ("%s (%s)"):format(format.quantity(verdict.value.value, kind), needs)
      or format.estimate(verdict.value, kind)
    local line = ("%s%s %s, wanted %s %s"):format(class, verdict_name(verdict), figure,
      lower(verdict.metric) and "≥" or "≤", format.quantity(verdict.limit, kind))
    if not verdict.value or not verdict.value.value then
      line = line .. "; " .. nothing_measured(result, verdict)
    elseif verdict.met == nil and result.overload and not lower(verdict.metric) then
      line = line .. "; it grows with the run, which is overloaded"
    elseif verdict.met == nil and not needs then
      line = line .. ("; the interval contains the limit, more %s would decide"):format(
        result.moving and "replications" or "requests")
    end
    local model = require("tandem.report.doubt").undecided(verdict, kind)
    if model then line, color = line .. "; " .. model, color == "green" and "yellow" or color end
    -- What was lost has no latency: fewer served are served sooner.
    if verdict.lost and verdict.value and verdict.value.value then
      line = ("%s%s; %s"):format(line, line:find ";" and "" or ", of those served",
        unserved.words(verdict.lost))
      if verdict.met and verdict.lost > unserved.LITTLE then color = "yellow" end
    end
    self:remark(word, color, line)
  end
end

--- The limit that goodput is counted against: nil when the classes have different ones. The second
--- value says whether any class has one.
local function threshold(result)
  local limit, same, any = nil, true, false
  for index, class in ipairs(result.classes) do
    local own = columns.time_limit(result, index)
    same = same and own ~= nil and (limit or own) == own
    limit, any = limit or own, any or own ~= nil
    for _, slo in ipairs(class.slo or {}) do
      if slo.metric:find "_" then -- of an LLM stage: not one limit, but several
        same, any = false, true
      end
    end
  end
  return same and limit or nil, any
end

-- Requests that come together: a rate in the scenario is that of groups.
local function in_groups(result)
  local scenario, words = result:scenario(), {}
  for _, class in ipairs(scenario and scenario.resolved or {}) do
    local size = class.arrivals and class.arrivals.batch
    local found = type(size) == "table"
      and require("tandem.explain.moments").of_distribution(size)
    local whose = #scenario.resolved > 1 and styles.clean(class.name) .. " " or ""
    if type(size) == "number" or found then
      words[#words + 1] = ("%sin groups of %s"):format(whose, found
        and format.quantity(found.mean, "count") .. " at the mean"
        or format.quantity(size, "count"))
    elseif size then
      words[#words + 1] = whose .. "in groups"
    end
  end
  if #words == 0 then return "" end
  return (", %s; rps counts groups"):format(table.concat(words, ", "))
end

function Writer:load()
  local result = self.result
  local measured = ("%s over %s"):format(format.plural(result.requests, "request"),
    format.time(result.duration_s))
  if result.replications > 1 then
    measured = ("%s in %s × %s"):format(format.plural(result.requests, "request"),
      format.integer(result.replications), format.time(result.duration_s))
  end
  if (result.warmup_s or 0) > 0 then
    measured = measured .. (" after %s of warm-up"):format(format.time(result.warmup_s))
    if (result.warmup_requests or 0) > 0 then
      measured = measured .. (" (%s removed)"):format(format.integer(result.warmup_requests))
    end
  end
  self:heading("Load", measured)
  if result.warmup_unsettled then
    self:paragraph { "The run never settled down, so the warm-up is a guess and the figures "
      .. "describe the part that was seen: a longer run would tell more." }
  end
  for _, words in ipairs(judgement.unseen(result)) do self:paragraph { words } end
  local offered = result.offered_rps and result.offered_rps.value or 0
  local limit, judged = threshold(result)
  local in_time = result.slo_met and result.slo_met.value
    and format.percent(result.slo_met.value) .. " of all arrivals"
  local rows = {
    { "offered", format.estimate(result.offered_rps, "rate"),
      "requests arrived" .. in_groups(result) },
    { "carried", format.estimate(result.carried_rps, "rate"),
      offered > 0 and format.percent(math.min(1, (result.carried_rps.value or 0) / offered))
        .. " of them were served" or "" },
    { "throughput", format.estimate(result.throughput_rps, "rate"), "completions" },
    { "in system", format.estimate(result.in_system, "count"), "requests at a time" },
  }
  if result.gpus_held then
    rows[#rows + 1] = { "GPUs held", format.estimate(result.gpus_held.mean, "count"),
      ("at the mean, at most %s"):format(format.quantity(result.gpus_held.peak.value, "count")) }
  end
  if judged then
    local served = in_time and in_time
      .. (limit and " within " .. format.time(limit) or " in time") or ""
    local goodput = format.estimate(result.goodput_rps, "rate")
    local completed, good = result.throughput_rps.value or 0, result.goodput_rps.value or 0
    if served ~= "" and completed > 0 and good > completed
      and goodput ~= format.estimate(result.throughput_rps, "rate") then
      served = served .. ", some of them after the run's end" -- which no completions are
    end
    table.insert(rows, #rows, { "goodput", goodput, served })
  end
  self:add(require("tandem.text.columns").lines({ { title = "" },
    { title = "", align = "right" }, { title = "", wrap = true } }, rows,
    { style = self.style, indent = INDENT }))
end

function Writer:latency()
  local result = self.result
  local sure = false
  for _, one in ipairs(columns.PERCENTILES) do
    local figure = result.latency[one[1]]
    sure = sure or figure ~= nil and figure.half ~= nil
  end
  local interval = sure and (" with %s intervals"):format(format.percent(result.confidence)) or ""
  self:heading("Latency", "arrival to completion" .. interval)
  self:add(columns.latency(result, self.style):lines(INDENT))
end

function Writer:stages()
  self:heading("Where the time goes", self.style.unicode and "█ service  ░ waiting"
    or "# service  . waiting")
  self:add(columns.stages(self.result, self.style):head(INDENT, ROWS, "stages"))
end

function Writer:llm()
  local result = self.result
  if not result.llm then
    return
  end
  local llm, table_of = require "tandem.report.llm", require "tandem.text.columns"
  self:heading("LLM serving", "from the arrival at the server")
  local titles, rows = llm.times(result)
  self:add(table_of.lines(titles, rows, { style = self.style, indent = INDENT }))
  for _, server in ipairs(result.llm) do
    self:line("")
    if #result.llm > 1 then
      self:line("  " .. styles.clean(server.name))
    end
    self:add(table_of.lines({ { title = "" }, { title = "", align = "right" },
      { title = "", wrap = true } }, llm.facts(server), { style = self.style, indent = INDENT }))
    for _, note in ipairs(llm.step_notes(result, server)) do
      self:paragraph { "Note: " .. note .. "." }
    end
    local columns_of_tenants, tenants = llm.tenants(server)
    if #tenants > 0 then
      self:line("")
      self:add(table_of.lines(columns_of_tenants, tenants,
        { style = self.style, indent = INDENT }))
    end
  end
end

--- What the step models leave open beside luck.
function Writer:doubt()
  local doubt = self.result.doubt
  if not doubt then return end
  local words = require "tandem.report.doubt"
  self:heading("Model", ("what step models leave open, %s; luck is the intervals above"):format(
    format.percent(doubt.confidence)))
  local rows = words.rows(self.result)
  self:add(require("tandem.text.columns").lines({ { title = "" },
    { title = "luck", align = "right" }, { title = "model", align = "right" } }, rows,
    { style = self.style, indent = INDENT }))
  for _, finding in ipairs(words.findings(self.result)) do self:paragraph { finding } end
  for _, source in ipairs(words.sources(doubt)) do self:paragraph { source } end
end

function Writer:classes()
  if #self.result.classes > 1 then
    self:heading("Classes")
    self:add(columns.classes(self.result, self.style):head(INDENT, ROWS, "classes"))
  end
end

function Writer:resources()
  self:heading("Resources")
  self:add(columns.resources(self.result, self.style):head(INDENT, ROWS, "resources"))
end

function Writer:bottleneck()
  self:heading("Bottleneck")
  self:paragraph(judgement.bottleneck(self.result))
end

function Writer:timeline()
  local lines = timeline.lines(self.result, self.style, INDENT)
  if self.options.timeline ~= false and #lines > 0 then
    self:heading("Over time", "each lane to its own peak")
    self:add(lines)
  end
end

--- The run by windows of time: a day's hours.
function Writer:windows()
  local windows = self.result.windows
  if not windows or self.options.timeline == false then return end
  local titles, rows, left = require("tandem.report.windows").rows(self.result)
  self:heading(("By %s"):format(require("tandem.units").format(windows.length_s, "s")), left)
  self:add(require("tandem.text.columns").lines(titles, rows,
    { style = self.style, indent = INDENT }))
end

--- What hooks recorded, summed up: the values themselves are in the result and its JSON.
function Writer:recorded()
  local recorded, rows = self.result.recorded, {}
  for _, name in ipairs(require("tandem.text.nearest").sorted_keys(recorded or {})) do
    local one = recorded[name]
    rows[#rows + 1] = { styles.clean(name), format.plural(one.count, "value"),
      ("mean %s, from %s to %s"):format(format.quantity(one.mean, "count"),
        format.quantity(one.min, "count"), format.quantity(one.max, "count")) }
  end
  if #rows > 0 then
    self:heading("Recorded")
    self:add(require("tandem.text.columns").lines({ { title = "" },
      { title = "", align = "right" }, { title = "" } }, rows,
      { style = self.style, indent = INDENT }))
  end
end

function Writer:checks()
  local checks = self.result.checks
  if not checks then
    return
  end
  local little = "Little's law not applicable"
  if checks.little and checks.little == checks.little then
    -- An identity of every sample path: what is left is rounding.
    little = math.abs(checks.little) < 1e-6 and "Little's law holds"
      or ("Little's law is off by %s"):format(format.percent(math.abs(checks.little)))
  end
  local conserved = checks.conservation and "every request accounted for"
    or "REQUESTS ARE MISSING"
  self:heading("Checks")
  self:remark(checks.ok and "  ok" or "  FAILED", checks.ok and "green" or "red",
    ("%s; %s%s"):format(little, conserved, checks.ok and "" or ". Please report this."))
  -- Also of figures that are told without what they need.
  local mean, goodput = self.result.latency.mean, self.result.goodput_rps
  local _, judged = threshold(self.result)
  if mean and mean.needs or judged and goodput and goodput.needs then
    self:line(mean and mean.needs and mean.needs.by == "replications"
      and "  ≈   one run of a load that moves, and such runs differ"
      or "  ≈   too few requests for an interval")
  end
end

function Writer:advice()
  if self.options.advice == false then
    return
  end
  local advice = judgement.advice(self.result, self.options)
  if #advice == 0 then
    return
  end
  self:heading("Try next")
  local rows = {}
  for index, one in ipairs(advice) do
    rows[index] = { one.command, { text = one.why, color = "dim" } }
  end
  local commands, reasons = 0, 0
  for _, one in ipairs(advice) do
    commands = math.max(commands, styles.columns(one.command))
    reasons = math.max(reasons, styles.columns(one.why))
  end
  if INDENT + commands + 2 + reasons <= self.style.width then
    self:add(require("tandem.text.columns").lines({ { title = "" }, { title = "" } }, rows,
      { style = self.style, indent = INDENT }))
    return
  end
  -- A command is never cut: it is there to be copied.
  for _, one in ipairs(advice) do
    self:line(string.rep(" ", INDENT) .. one.command)
    self:line(string.rep(" ", INDENT * 3) .. self.style:paint(one.why, "dim"))
  end
end

--- The whole summary, without a final line end.
---@param result tandem.Result
---@param options tandem.ReportOptions
---@return string
function text.report(result, options)
  local writer = setmetatable({
    result = result, style = options.style or styles.detect(1), options = options, lines = {},
  }, Writer)
  writer:title()
  writer:verdicts()
  writer:load()
  writer:latency()
  writer:stages()
  writer:llm()
  writer:doubt()
  writer:classes()
  writer:resources()
  writer:bottleneck()
  writer:timeline()
  writer:windows()
  writer:recorded()
  writer:checks()
  writer:advice()
  return table.concat(writer.lines, "\n")
end

return text
