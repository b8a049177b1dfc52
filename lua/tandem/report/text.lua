--- The summary that `tandem run` prints.
--
-- Owns its order and its headings: the verdict first, then load, latency, where the time goes,
-- resources, the bottleneck in words, the picture over time, the checks, and what to try next.
-- Tables come from report/columns.lua, sentences from report/words.lua.
local columns = require "tandem.report.columns"
local format = require "tandem.format"
local lost = require "tandem.lost"
local style = require "tandem.plot.style"
local timeline = require "tandem.report.timeline"
local words = require "tandem.report.words"

local text = {}

local INDENT <const> = 2

---@class tandem.ReportWriter
---@field result tandem.Result
---@field place tandem.Style
---@field options tandem.ReportOptions
---@field lines string[]
local Writer = {}
Writer.__index = Writer

function Writer:line(content)
  self.lines[#self.lines + 1] = self.place:text(content)
end

function Writer:add(lines)
  table.move(lines, 1, #lines, #self.lines + 1, self.lines)
end

--- A heading, with a remark in the same line.
function Writer:heading(title, remark)
  self:line("")
  local line = self.place:paint(title, "bold")
  if remark then
    remark = style.cut(self.place:text(remark), self.place.width - style.columns(title) - 2)
    line = line .. "  " .. self.place:paint(remark, "dim")
  end
  self:line(line)
end

function Writer:paragraph(sentences)
  local wrapped = style.wrap(format.bind(table.concat(sentences, " ")), self.place.width - INDENT)
  for _, line in ipairs(wrapped) do
    self:line(string.rep(" ", INDENT) .. line)
  end
end

--- A colored word and what it says, going on below the text where it is long.
function Writer:remark(word, color, content)
  local place, gap = self.place, "  "
  local hanging = string.rep(" ", #word + #gap)
  for index, line in ipairs(style.wrap(place:text(content), place.width - #hanging)) do
    self:line((index == 1 and place:paint(word, color) .. gap or hanging) .. line)
  end
end

function Writer:title()
  local result, place = self.result, self.place
  local name = style.clean(result.name)
  local facts = ("seed %s · %s"):format(tostring(result.seed),
    format.plural(result.replications, "replication"))
  local gap = place.width - style.columns(name) - style.columns(facts)
  if gap < 2 then
    self:line(place:paint(place:text(name), "bold"))
    self:line(place:paint(place:text(facts), "dim"))
  else
    self:line(place:paint(place:text(name), "bold") .. string.rep(" ", gap)
      .. place:paint(place:text(facts), "dim"))
  end
  self:line(place:paint(place:text(string.rep("─", place.width)), "dim"))
end

local function metric_name(metric)
  return metric == "p999" and "p99.9" or metric
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
    local bound = words.bound(result.overload)
    self:remark("OVERLOAD", "red", ("%s is offered %s of what it can serve%s"):format(
      style.clean(result.overload.resource), format.percent(result.overload.load),
      bound and ": " .. bound or ""))
  end
  if result.unsettled then
    self:remark("UNSURE  ", "yellow", ("whether %s keeps up: it has ever more requests inside, and "
      .. "the run is too short to tell; a longer one would"):format(
      style.clean(result.unsettled.resource)))
  end
  if result.interrupted then
    self:remark("PARTIAL ", "yellow",
      "interrupted; the numbers are of what was finished by then")
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
    local class = #result.classes > 1 and style.clean(verdict.class) .. " " or ""
    local line = ("%s%s %s, wanted %s %s"):format(class, metric_name(verdict.metric),
      format.estimate(verdict.value, kind), lower(verdict.metric) and "≥" or "≤",
      format.quantity(verdict.limit, kind))
    if not verdict.value or not verdict.value.value then
      line = line .. "; " .. nothing_measured(result, verdict)
    elseif verdict.met == nil and result.overload and not lower(verdict.metric) then
      line = line .. "; it grows with the run, which is overloaded"
    elseif verdict.met == nil then
      line = line .. "; the interval contains the limit, more replications would decide"
    end
    -- What was lost has no latency: fewer served are served sooner.
    if verdict.lost and verdict.value and verdict.value.value then
      line = ("%s%s; %s"):format(line, line:find ";" and "" or ", of those served",
        lost.words(verdict.lost))
      if verdict.met and verdict.lost > lost.LITTLE then color = "yellow" end
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
  local offered = result.offered_rps and result.offered_rps.value or 0
  local limit, judged = threshold(result)
  local in_time = result.slo_met and result.slo_met.value
    and format.percent(result.slo_met.value) .. " of all arrivals"
  local rows = {
    { "offered", format.estimate(result.offered_rps, "rate"), "requests arrived" },
    { "carried", format.estimate(result.carried_rps, "rate"),
      offered > 0 and format.percent(math.min(1, (result.carried_rps.value or 0) / offered))
        .. " of them were served" or "" },
    { "throughput", format.estimate(result.throughput_rps, "rate"), "completions" },
    { "in system", format.estimate(result.in_system, "count"), "requests at a time" },
  }
  if judged then
    table.insert(rows, #rows, { "goodput", format.estimate(result.goodput_rps, "rate"),
      in_time and in_time .. (limit and " within " .. format.time(limit) or " in time") or "" })
  end
  self:add(require("tandem.column_table").lines({ { title = "" },
    { title = "", align = "right" }, { title = "" } }, rows,
    { style = self.place, indent = INDENT }))
end

function Writer:latency()
  local result = self.result
  local interval = result.latency.mean and result.latency.mean.half
    and (" with %s intervals"):format(format.percent(result.confidence)) or ""
  self:heading("Latency", "arrival to completion" .. interval)
  self:add(columns.latency(result, self.place):lines(INDENT))
end

function Writer:stages()
  self:heading("Where the time goes", self.place.unicode and "█ service  ░ waiting"
    or "# service  . waiting")
  self:add(columns.stages(self.result, self.place):lines(INDENT))
end

function Writer:llm()
  local result = self.result
  if not result.llm then
    return
  end
  local llm, table_of = require "tandem.report.llm", require "tandem.column_table"
  self:heading("LLM serving", "from the arrival at the server")
  local titles, rows = llm.times(result)
  self:add(table_of.lines(titles, rows, { style = self.place, indent = INDENT }))
  for _, server in ipairs(result.llm) do
    self:line("")
    if #result.llm > 1 then
      self:line("  " .. style.clean(server.name))
    end
    self:add(table_of.lines({ { title = "" }, { title = "", align = "right" },
      { title = "", wrap = true } }, llm.facts(server), { style = self.place, indent = INDENT }))
    local columns_of_tenants, tenants = llm.tenants(server)
    if #tenants > 0 then
      self:line("")
      self:add(table_of.lines(columns_of_tenants, tenants,
        { style = self.place, indent = INDENT }))
    end
  end
end

function Writer:classes()
  if #self.result.classes > 1 then
    self:heading("Classes")
    self:add(columns.classes(self.result, self.place):lines(INDENT))
  end
end

function Writer:resources()
  self:heading("Resources")
  self:add(columns.resources(self.result, self.place):lines(INDENT))
end

function Writer:bottleneck()
  self:heading("Bottleneck")
  self:paragraph(words.bottleneck(self.result))
end

function Writer:timeline()
  local lines = timeline.lines(self.result, self.place, INDENT)
  if self.options.timeline ~= false and #lines > 0 then
    self:heading("Over time", "each lane to its own peak")
    self:add(lines)
  end
end

--- What hooks recorded, summed up: the values themselves are in the result and its JSON.
function Writer:recorded()
  local recorded, rows = self.result.recorded, {}
  for _, name in ipairs(require("tandem.nearest").sorted_keys(recorded or {})) do
    local one = recorded[name]
    rows[#rows + 1] = { style.clean(name), format.plural(one.count, "value"),
      ("mean %s, from %s to %s"):format(format.quantity(one.mean, "count"),
        format.quantity(one.min, "count"), format.quantity(one.max, "count")) }
  end
  if #rows > 0 then
    self:heading("Recorded")
    self:add(require("tandem.column_table").lines({ { title = "" },
      { title = "", align = "right" }, { title = "" } }, rows,
      { style = self.place, indent = INDENT }))
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
end

function Writer:advice()
  if self.options.advice == false then
    return
  end
  local advice = words.advice(self.result, self.options)
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
    commands = math.max(commands, style.columns(one.command))
    reasons = math.max(reasons, style.columns(one.why))
  end
  if INDENT + commands + 2 + reasons <= self.place.width then
    self:add(require("tandem.column_table").lines({ { title = "" }, { title = "" } }, rows,
      { style = self.place, indent = INDENT }))
    return
  end
  -- A command is never cut: it is there to be copied.
  for _, one in ipairs(advice) do
    self:line(string.rep(" ", INDENT) .. one.command)
    self:line(string.rep(" ", INDENT * 3) .. self.place:paint(one.why, "dim"))
  end
end

--- The whole summary, without a final line end.
---@param result tandem.Result
---@param options tandem.ReportOptions
---@return string
function text.report(result, options)
  local writer = setmetatable({
    result = result, place = options.style or style.detect(1), options = options, lines = {},
  }, Writer)
  writer:title()
  writer:verdicts()
  writer:load()
  writer:latency()
  writer:stages()
  writer:llm()
  writer:classes()
  writer:resources()
  writer:bottleneck()
  writer:timeline()
  writer:recorded()
  writer:checks()
  writer:advice()
  return table.concat(writer.lines, "\n")
end

return text
