--- A step model fitted to measurements of an LLM server as a page: how well it predicts what was
--- held out, coefficients, what could not be told, the text to copy.
--
-- Owns the order of the sections. Called by tandem.llm.calibrate.
local fit_report = require "tandem.fit.report"
local format = require "tandem.text.format"
local html = require "tandem.page.html"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"
local tables = require "tandem.page.table"
local words = require "tandem.llm.calibrate.words"

local page = {}

local function named(p) return p.engine and ("%s %s"):format(p.engine, p.name) or p.name end

local function held_out(answer)
  if #answer.rows == 0 then
    return '<div class="cannot" role="note"><p>Nothing was held out.</p></div>'
  end
  local rows = {}
  for i, row in ipairs(answer.rows) do
    rows[i] = { what = row.engine and ("%s %s"):format(row.engine, row.what) or row.what,
      count = row.count, predicted = row.predicted, observed = row.observed, error = row.error,
      p99_error = row.p99_error, median = row.median, p90 = row.p90 }
  end
  return tables.of(rows_of.new({
    { name = "what", title = "held out" },
    { name = "count", title = "number", show = format.integer },
    { name = "predicted", title = "predicted, mean", show = format.time },
    { name = "observed", title = "measured, mean", show = format.time },
    { name = "error", title = "error of the mean", show = format.change },
    { name = "p99_error", title = "of the p99", show = format.change },
    { name = "median", title = "median error", show = format.percent },
    { name = "p90", title = "p90 error", show = format.percent },
  }, rows), {})
end

local function parameters(answer)
  local rows = {}
  for i, p in ipairs(answer.parameters) do
    rows[i] = { name = named(p), value = fit_report.value(p.value, p.unit),
      interval = fit_report.interval(p) }
  end
  return tables.of(rows_of.new({ { name = "name", title = "parameter" },
    { name = "value", title = "value", align = "right" },
    { name = "interval", title = "95 % interval", align = "right" } }, rows), {})
end

local function refused(answer)
  local parts = {}
  for i, r in ipairs(answer.refused) do
    parts[i] = ("<dt>%s</dt><dd>%s</dd>"):format(html.escape(named(r)), html.escape(r.why))
  end
  local list = #parts > 0 and '<dl class="facts">' .. table.concat(parts, "\n") .. "</dl>" or ""
  return list .. html.list("notes", answer.notes)
end

-- Line by line: control characters of a text are not shown.
local function source(answer)
  local text, message = answer:source()
  if not text then return ('<div class="cannot"><p>%s</p></div>'):format(html.escape(message)) end
  local list = {}
  for line in text:gmatch "([^\n]*)\n?" do list[#list + 1] = html.escape(line) end
  return ('<div data-copy><pre class="source" tabindex="0"><code>%s</code></pre></div>'):format(
    table.concat(list, "\n"))
end

--- The page.
---@param answer tandem.llm.Calibration
---@return string
function page.of(answer)
  local sections = { { title = "At a glance", body = html.list("findings", words.about(answer)) },
    { title = "What was held out", body = held_out(answer) },
    { title = "Parameters", body = parameters(answer) } }
  local untold = refused(answer)
  if untold ~= "" then
    sections[#sections + 1] = { title = "What could not be determined", body = untold }
  end
  sections[#sections + 1] = { title = "The text", body = source(answer) }
  return require("tandem.page.document").of {
    title = styles.clean(("A step model from %s"):format(answer.name)),
    eyebrow = "Fit · LLM server",
    subtitle = ("%s: %s fitted, %s held out."):format(answer.measured.format,
      format.integer(answer.fitted), format.integer(answer.held)),
    sections = sections, contents = true }
end

return page
