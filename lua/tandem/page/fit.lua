--- A fit as a page: how well it predicts what was held out, real over simulated, what was fitted
--- and what could not be, what was measured, and the scenario to copy.
--
-- Owns the order of the sections and the tables of a fit's own figures; charts and other tables
-- are the score's, the overlay's and the coverage's. Called by tandem.Fit.
local answers = require "tandem.page.answer"
local format = require "tandem.text.format"
local html = require "tandem.page.html"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"
local tables = require "tandem.page.table"
local report = require "tandem.fit.report"

local page = {}

local function about(text) return ('<p class="about">%s</p>'):format(html.escape(text)) end

local function error_text(row)
  return row.half and ("%s ± %s"):format(format.change(row.error), format.percent(row.half))
    or format.change(row.error)
end

-- ---- at a glance ----

local function tiles(fit)
  local list = { { "requests fitted", format.integer(fit.train.count) },
    { "held out", format.integer(fit.hold.count) } }
  local total = fit.rows[#fit.rows]
  if total and total.stage == "total" then
    list[#list + 1] = { "mean total, measured", format.time(total.observed) }
    list[#list + 1] = { "predicted", format.time(total.predicted) }
    list[#list + 1] = { "error", format.change(total.error) }
  end
  return html.facts("tiles", list)
end

local function findings(fit, score)
  local good, bad = {}, {}
  for i, row in ipairs(fit.rows) do
    if i < #fit.rows then table.insert(row.within and good or bad, row.stage) end
  end
  local list = {}
  if #good + #bad > 0 then
    list[1] = ("%d of %d stages and gaps are predicted within 5 %% of the mean held out%s.")
      :format(#good, #good + #bad, #bad > 0 and "; not " .. format.list(bad, "and") or "")
  end
  local verdicts = { within = "every figure is within it", off = "some figure surely is not",
    ["cannot tell"] = "not for every figure are there enough requests to tell" }
  if score then
    list[#list + 1] = ("Simulated under the run's load, against a tolerance of %s: %s.")
      :format(format.percent(score.within), verdicts[score.verdict])
  end
  list[#list + 1] = ("Arrivals: %s."):format(fit.workload.source)
  return html.list("findings", list)
end

-- ---- predictions ----

local function verdict_of(row)
  if not row.within then return row.cause or "" end
  return (not row.half or row.half > 0.05) and "within 5 %, not surely" or "within 5 %"
end

local function verdict(text)
  return text == "within 5 %" and { text = text, color = "green" } or text
end

local function time(value) return value and format.time(value) or "" end

local function held_out(fit)
  if #fit.rows == 0 then
    return '<div class="cannot" role="note"><p>Nothing was held out.</p></div>'
  end
  local rows = {}
  for i, row in ipairs(fit.rows) do
    rows[i] = setmetatable({ verdict = verdict_of(row) }, { __index = row })
  end
  local rowtable = rows_of.new({
    { name = "stage", title = "stage" },
    { name = "visits", title = "visits", show = function(n) return format.integer(n) end },
    { name = "predicted", title = "predicted", show = time },
    { name = "observed", title = "measured", show = time },
    { name = "error", title = "error", show = function(_, row) return error_text(row) end },
    { name = "verdict", title = "verdict, or why not", show = verdict },
  }, rows)
  local notes = { "Means of own time, in which every instant of a request counts once; a total is "
    .. "stages and gaps without waits for other requests. Intervals hold with 95 %." }
  local total = fit.rows[#fit.rows]
  if total.standing_in then
    notes[2] = ("Of %s the total takes the fitted part's mean."):format(
      format.list(total.standing_in))
  end
  return tables.of(rowtable, {}) .. html.list("notes", notes)
end

local function figures(plots, from, to)
  local parts = {}
  for i = from, math.min(to, #plots) do parts[#parts + 1] = html.figure(plots[i].chart) end
  return '<div class="figures narrow">' .. table.concat(parts, "\n") .. "</div>"
end

-- ---- parameters ----

local function parameter_rows(fit)
  local rows = {}
  for i, p in ipairs(fit.parameters) do
    local name = p.path:gsub("^pipeline%.", "")
    rows[i] = { name = p.term and ("%s (%s)"):format(name, p.term) or name,
      value = report.value(p.value, p.unit), interval = report.interval(p),
      prior = p.prior and report.value(p.prior, p.unit) or nil,
      source = p.kind == "fitted" and p.source or ("%s: %s"):format(p.kind, p.source) }
  end
  return rows
end

local function parameters(fit)
  local columns = { { name = "name", title = "parameter" },
    { name = "value", title = "value", align = "right" },
    { name = "interval", title = "95 % interval", align = "right" } }
  if fit.given then columns[4] = { name = "prior", title = "before", align = "right" } end
  columns[#columns + 1] = { name = "source", title = "source" }
  return tables.of(rows_of.new(columns, parameter_rows(fit)), {})
end

local function refused(fit)
  local parts = {}
  for i, r in ipairs(fit.refused) do
    parts[i] = ("<dt>%s</dt><dd>%s</dd>"):format(html.escape(r.what), html.escape(r.why))
  end
  local list = #parts > 0 and '<dl class="facts">' .. table.concat(parts, "\n") .. "</dl>" or ""
  return list .. html.list("notes", fit.notes)
end

-- ---- what was measured, what was made ----

-- Line by line: control characters of a text are not shown.
local function source_text(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n?" do list[#list + 1] = html.escape(line) end
  return ('<pre class="source" tabindex="0"><code>%s</code></pre>'):format(
    table.concat(list, "\n"))
end

local function measured(fit)
  local real, parts = fit.real, {}
  local map = real.map
  if map and not map.by then
    parts[1] = about "The map: which of its spans are requests and stages."
      .. source_text(map:to_lua())
  end
  -- Visits that were made of tables have no coverage.
  local coverage = real.run and real:coverage()
  if coverage then parts[#parts + 1] = answers.body(coverage) end
  return table.concat(parts, "\n")
end

local function scenario(fit)
  local text, message = fit:source()
  if not text then
    return ('<div class="cannot" role="note"><p>It cannot be written: %s</p></div>'):format(
      html.escape(message))
  end
  return about "The scenario as a file: each fitted number with its interval and its source."
    .. '<div data-copy>' .. source_text(text) .. "</div>"
end

local function overlay_section(laid, message)
  if not laid then
    return ('<div class="cannot" role="note"><p>%s</p></div>'):format(html.escape(message))
  end
  return html.figure(laid:picture "stacked") .. html.figure(laid:picture "difference")
    .. tables.of(laid:frame "lanes", { few = 10 }) .. html.list("notes", laid:notes())
end

local function whose(fit)
  local run = fit.real.run
  return run and ("run %s · %s"):format(run.id:sub(1, 8), fit.real.kind) or fit.real.kind
end

--- The page.
---@param fit tandem.Fit
---@return string
function page.of(fit)
  local run = fit.real.run
  local score, laid, why, message
  if fit.hold.count > 0 then
    score, message = fit:score()
    laid, why = fit:overlay()
  end
  local sections = { { title = "At a glance", body = tiles(fit) .. findings(fit, score) },
    { title = "What was held out", body = about("Means that were predicted from the other part of "
      .. "the run, against those that were measured.") .. held_out(fit) } }
  local function add(title, body)
    if body ~= "" then sections[#sections + 1] = { title = title, body = body } end
  end
  if score then
    local plots = score:plots()
    add("Distributions", about("What was held out against its simulation: times of each stage and "
      .. "of whole requests.") .. figures(plots, 1, 1 + #score.distributions))
    add("Score", answers.cannot(score) .. tables.of(score:frame "verdict", {})
      .. html.list("notes", score:notes()))
  elseif message then
    add("Score", ('<div class="cannot" role="note"><p>%s</p></div>'):format(html.escape(message)))
  end
  if laid or why then add("Held out over simulated", overlay_section(laid, why)) end
  add("Parameters", parameters(fit))
  add("What could not be determined", refused(fit))
  add("What was measured", measured(fit))
  add("The scenario", scenario(fit))
  return require("tandem.page.document").of {
    title = styles.clean(("Fit%s to %s"):format(fit.given and " of " .. fit.base.name or "",
      run and run.name or "visits")),
    eyebrow = "Fit · " .. whose(fit),
    subtitle = ("%s: %s fitted, %s held out (%s)."):format(
      format.plural(fit.real.count, "request"), format.integer(fit.train.count),
      format.integer(fit.hold.count), fit.split == "half" and "the last part" or "spread evenly"),
    sections = sections, contents = true }
end

return page
