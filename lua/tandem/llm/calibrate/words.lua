--- A calibration in words: coefficients, the held-out part, what could not be told, the step model.
-- Owns the report's tables. Called by init.lua.

local column_table = require "tandem.text.columns"
local fit_report = require "tandem.fit.report"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local words = {}

local NOUNS <const> = { requests = "request", steps = "step", series = "interval",
  tables = "batch", points = "point" }

local function named(p) return p.engine and ("%s %s"):format(p.engine, p.name) or p.name end

local function parameters(self, style)
  local rows = {}
  for i, p in ipairs(self.parameters) do
    rows[i] = { named(p), fit_report.value(p.value, p.unit), fit_report.interval(p) }
  end
  return column_table.lines({ { title = "parameter", wrap = true },
    { title = "value", align = "right" }, { title = "95 % interval", align = "right" } }, rows,
    { style = style })
end

-- Operating points are of too many kinds for means over them to say anything.
local function held_out(self, style)
  local rows, points = {}, self.measured.kind == "points"
  local plural = NOUNS[self.measured.kind]
  plural = plural == "batch" and "batches" or plural .. "s"
  for i, r in ipairs(self.rows) do
    local what = r.engine and ("%s %s"):format(r.engine, r.what) or r.what
    rows[i] = points and { what, format.integer(r.count), format.percent(r.median),
      format.percent(r.p90), format.percent(r.before) }
      or { what, format.integer(r.count), format.time(r.predicted), format.time(r.observed),
        format.change(r.error), format.change(r.p99_error), format.percent(r.median),
        format.percent(r.p90) }
  end
  local function right(title, optional)
    return { title = title, align = "right", optional = optional }
  end
  local columns = points and { { title = "held out" }, right(plural), right "median error",
    right "p90 error", right "median before" }
    or { { title = "held out" }, right(plural), right "predicted", right "measured", right "mean",
      right("p99", 1), right "median error", right "p90 error" }
  return column_table.lines(columns, rows, { style = style })
end

local function count(value) return value >= 10 and format.integer(math.floor(value + 0.5))
  or ("%.3g"):format(value) end

local function settings(self)
  local c = self.config
  local text = ("%s sequences, %s tokens a step"):format(format.integer(c.max_seqs),
    format.integer(c.max_batched_tokens))
  if c.blocks < 1 << 24 then
    text = ("%s, %s KV blocks of %s tokens"):format(text, format.integer(c.blocks),
      format.integer(c.block_tokens))
  end
  return text
end

--- What was fitted to what, in sentences.
---@param self tandem.llm.Calibration
---@return string[]
function words.about(self)
  local noun = NOUNS[self.measured.kind]
  local list = { ("%s: %s fitted, %s held out (%s)."):format(self.measured.format,
    format.plural(self.fitted, noun, noun == "batch" and "batches" or nil),
    format.integer(self.held), self.options.split == "half" and "the last part"
      or ("by chance, seed %d"):format(self.options.seed or 1)) }
  if self.config then
    list[#list + 1] = ("Replayed with at most %s%s."):format(settings(self),
      self.preemptions > 0 and ("; %s"):format(format.plural(self.preemptions, "preemption")) or "")
  end
  if (self.outliers or 0) > 0 then
    list[#list + 1] = ("%s far from the others left out."):format(
      format.plural(self.outliers, noun))
  end
  local ranges = self.ranges or {}
  if ranges.batch then
    local contexts = ranges.context and (" with contexts of %s to %s tokens on average"):format(
      count(ranges.context[1]), count(ranges.context[2])) or ""
    list[#list + 1] = ("Decode steps had %s to %s sequences%s."):format(count(ranges.batch[1]),
      count(ranges.batch[2]), contexts)
  end
  return list
end

local function step_lines(self)
  local step, text = self:step(), require("tandem.llm.calibrate.source").text
  local function flat(part) return (text(part):gsub("\n%s*", " "):gsub(", }$", " }")) end
  if step.type then return { "step = " .. flat(step) } end
  local lines = {}
  for _, engine in ipairs(self.engines) do
    lines[#lines + 1] = ("%s: step = %s"):format(engine.name, flat(step[engine.name]))
  end
  return lines
end

---@param self tandem.llm.Calibration
---@param style tandem.Style|nil
---@return string
function words.report(self, style)
  style = style or styles.detect(1)
  local lines = {}
  local function say(text) lines[#lines + 1] = text end
  local function wrapped(text)
    local list = styles.wrap(style:text(text), style.width)
    table.move(list, 1, #list, #lines + 1, lines)
  end
  local function all(list) table.move(list, 1, #list, #lines + 1, lines) end
  say(style:paint(style:text(("A step model from %s"):format(self.name)), "bold"))
  for _, text in ipairs(words.about(self)) do wrapped(text) end
  say ""
  all(parameters(self, style))
  if #self.rows > 0 then
    say ""
    all(held_out(self, style))
  end
  if #self.refused > 0 then
    say ""
    say "Not fitted:"
    for _, r in ipairs(self.refused) do wrapped(("- %s: %s"):format(named(r), r.why)) end
  end
  if #self.notes > 0 then
    say ""
    for _, note in ipairs(self.notes) do wrapped("Note: " .. note .. ".") end
  end
  say ""
  for _, line in ipairs(step_lines(self)) do wrapped(line) end
  return table.concat(lines, "\n")
end

return words
