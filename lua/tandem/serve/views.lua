--- Runs as people see them: the timeline, the report, charts, the answers of analyses, as pages and
--- pictures made by the commands of the same names.
--
-- Owns which commands these are and what a browser may do with the pages: they run in a sandbox, an
-- origin of their own. Charts of simulated runs are drawn from the stored result, here.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"

local views = {}

local PAGE_POLICY <const> = "default-src 'none'; script-src 'unsafe-inline'; "
  .. "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
  .. "frame-ancestors 'none'; sandbox allow-scripts allow-downloads"

local SVG <const>, HTML <const> = "image/svg+xml", "text/html; charset=utf-8"

-- ---- what commands write

-- The picture of a command that has --out but not --svg.
local PICTURE <const>, SLIM <const>, WIDE <const> = "plot.svg", "plot.slim.svg", "plot.wide.svg"

-- What a command printed, or its picture, as an answer of a type.
local function printed(kind, policy)
  return function(job)
    return jobs.printed(job, { ["Content-Type"] = kind, ["Content-Security-Policy"] = policy },
      { "out", PICTURE, SLIM, WIDE })
  end
end

jobs.kinds.page = printed(HTML, PAGE_POLICY)
jobs.kinds.plot = printed(SVG)
jobs.kinds.table = printed "text/csv; charset=utf-8"
jobs.kinds.answer = printed "application/json"

-- Answers with what a command prints.
local function command(request, context, kind, words)
  return jobs.answer(request, context, { kind = kind, arguments = function(job)
    if kind == "plot" then
      local name = request.query.slim and SLIM or request.query.wide and WIDE or PICTURE
      words[#words + 1] = ("--out=%s/%s"):format(job.directory, name)
    end
    return jobs.stored(context, words)
  end })
end

local function other_run(request, context)
  return request.query.with and answer.check(context.store:run(request.query.with)) or nil
end

-- ---- charts of simulated runs

local function charts_of(run, other)
  local simulated = require "tandem.page.simulated"
  local result = run.kind == "simulated" and simulated.result(run)
  local beside = other and other.kind == "simulated" and simulated.result(other) or nil
  return result and simulated.charts(result, run, beside) or {}
end

-- The command of categories compares runs: it writes pages and tables, no picture of one.
local function has_picture(name, description)
  return description.plots ~= nil and name ~= "categories"
end

-- Analyses that have a chart; whether they have one of this run shows when it is asked for.
local function drawn()
  local analysis, list = require "tandem.analysis", {}
  for _, name in ipairs(analysis.names()) do
    local description = analysis.named(name)
    if has_picture(name, description) then
      list[#list + 1] = { name = name, title = description.title }
    end
  end
  return list
end

local function plots(request, context)
  local run = runs.find(request, context)
  local out = {}
  local function add(name, title)
    out[#out + 1] = { name = name, title = title,
      href = ("/v1/runs/%s/plots/%s.svg"):format(run.id, name) }
  end
  for _, one in ipairs(charts_of(run)) do add(one.name, one.title) end
  for _, one in ipairs(run.kind == "measured" and drawn() or {}) do add(one.name, one.title) end
  return answer.json(200, { run_id = run.id, plots = out })
end

-- The figures that matter most and what a headline says, in the words of reports.
local function glance(request, context)
  local run = runs.find(request, context)
  local simulated = require "tandem.page.simulated"
  local result = run.kind == "simulated" and simulated.result(run)
  local pairs_ = result and simulated.tiles(result) or require("tandem.page.report").tiles(run)
  local tiles = {}
  for i, pair in ipairs(pairs_) do tiles[i] = { label = pair[1], text = pair[2] } end
  local open = {}
  local told = result and type(result.doubt) == "table" and require "tandem.report.doubt"
  for i, row in ipairs(told and told.rows(result) or {}) do
    open[i] = { figure = row[1], luck = row[2], model = row[3] }
  end
  return answer.json(200, { run_id = run.id, tiles = tiles, open = open,
    findings = result and simulated.findings(result) or {} })
end

local function plot(request, context)
  local run, name = runs.find(request, context), request.params.name
  local known = {}
  for _, one in ipairs(charts_of(run, other_run(request, context))) do
    if one.name == name then
      local chart = one.chart
      if chart.svg then
        chart = request.query.slim and chart:slim() or request.query.wide and chart:wide()
          or chart:svg()
      end
      return answer.text(200, SVG, tostring(chart))
    end
    known[#known + 1] = one.name
  end
  for _, one in ipairs(drawn()) do
    if one.name == name then
      return command(request, context, "plot", { (name:gsub("_", "-")), run.id })
    end
    known[#known + 1] = one.name
  end
  return answer.problem(404, "not_found", ("There is no chart '%s'; %s."):format(name,
    require("tandem.text.nearest").hint(name, known)), "name")
end

-- ---- analyses

local function described(name, title, group, summary, frames, has_plots)
  local out = { name = name, title = title, group = group, summary = summary, frames = {},
    plots = has_plots }
  for frame, one in pairs(frames) do
    local list = {}
    for i, column in ipairs(one.columns) do
      list[i] = { name = column.name, title = column.head or column.title,
        hidden = column.hidden or nil, right = column.align == "right" or nil,
        words = column.words }
    end
    out.frames[frame] = { title = one.title, columns = list }
  end
  return out
end

local function analyses()
  local analysis, out = require "tandem.analysis", {}
  for _, group in ipairs(analysis.groups) do
    for _, name in ipairs(group.names) do
      local one = analysis.named(name)
      out[#out + 1] = described(name, one.title, group.title, one.summary, one.frames,
        has_picture(name, one))
    end
  end
  out[#out + 1] = described("coverage", "Coverage", nil, nil,
    require("tandem.visits.coverage").description.frames)
  out[#out + 1] = described("score", "Score", nil, nil,
    require("tandem.score.columns").frames(0.05))
  out[#out + 1] = described("diff", "Comparison", nil, nil,
    require("tandem.diff.columns").frames_of "windows")
  local overlay = require("tandem.overlay.columns").of { real = { word = "real" },
    sim = { word = "simulated" } }
  out[#out + 1] = described("overlay", overlay.title, nil, nil, overlay.frames)
  return answer.json(200, { analyses = out })
end

local FORMS <const> = { json = "answer", csv = "table", html = "page", svg = "plot" }

local function analysis(request, context)
  local run, name = runs.find(request, context), request.params.name:gsub("-", "_")
  local known = require "tandem.analysis"
  if not known.named(name) then
    return answer.problem(404, "not_found", ("There is no analysis '%s'; %s."):format(name,
      require("tandem.text.nearest").hint(name, known.names())), "name")
  end
  local form = request.query.form
  local words = { (name:gsub("_", "-")), run.id }
  if form ~= "svg" then words[3] = "--" .. form end
  if name == "flame" and form ~= "svg" then words[4] = "--out=-" end
  if request.query.table and form == "csv" then
    words[#words + 1] = "--table=" .. request.query.table
  end
  return command(request, context, FORMS[form], words)
end

---@type tandem.serve.Route[]
views.routes = {
  { method = "GET", path = "/v1/runs/{id}/timeline", tag = "runs",
    summary = "its timeline as an interactive page",
    about = "What tandem view writes; with a second run both on one clock.",
    query = { with = { pattern = "^%w+$", about = "a second run's id" },
      align = { pattern = "^[%w:*?_./ -]+$", about = "as of tandem view" },
      offset = { pattern = "^-?[%w.]+$", about = "as of tandem view" } },
    answers = { [200] = "HTML", [202] = "a job", [404] = "there is no such run",
      [422] = "its spans were not kept" },
    handle = function(request, context)
      local run, other = runs.find(request, context), other_run(request, context)
      local words = { "view", run.id }
      if other then words[#words + 1] = other.id end
      for _, name in ipairs { "align", "offset" } do
        local value = request.query[name]
        if value then words[#words + 1] = ("--%s=%s"):format(name, value) end
      end
      words[#words + 1] = "--out=-"
      return command(request, context, "page", words)
    end },
  { method = "GET", path = "/v1/runs/{id}/report", tag = "runs",
    summary = "everything that is known of it as a page", about = "What tandem report writes.",
    answers = { [200] = "HTML", [202] = "a job", [404] = "there is no such run" },
    handle = function(request, context)
      local run = runs.find(request, context)
      return command(request, context, "page", { "report", run.id, "--out=-" })
    end },
  { method = "GET", path = "/v1/runs/{id}/glance", tag = "runs",
    summary = "the figures that matter most, in words",
    answers = { [200] = "{run_id, tiles: [{label, text}], findings: [sentence], open: "
      .. "[{figure, luck, model}], what step models of LLM servers leave open}",
      [404] = "there is no such run" }, handle = glance },
  { method = "GET", path = "/v1/runs/{id}/plots", tag = "runs", summary = "its charts",
    answers = { [200] = "{run_id, plots: [{name, title, href}]}",
      [404] = "there is no such run" }, handle = plots },
  { method = "GET", path = "/v1/runs/{id}/plots/{name}.svg", tag = "runs",
    summary = "one chart", given = { name = "latency" },
    query = { slim = { choices = { "yes" }, about = "for a narrow screen, where it can be" },
      wide = { choices = { "yes" }, about = "for a room as wide as a page" },
      with = { pattern = "^%w+$", about = "a second simulated run, beside whose chart of that "
        .. "name it stands: both on the same axes" } },
    answers = { [200] = "SVG", [202] = "a job", [404] = "there is no such run or chart",
      [422] = "this run does not tell what it would show" }, handle = plot },
  { method = "GET", path = "/v1/runs/{id}/analyses/{name}", tag = "runs",
    summary = "an analysis asked about it", given = { name = "flame" },
    query = { form = { choices = { "json", "csv", "html", "svg" }, default = "json",
      about = "which form" }, table = { pattern = "^[%l_]+$", about = "which table, as CSV" } },
    answers = { [200] = "the result of the command of that name (tandem.analysis/1; of categories, "
      .. "tandem.categories/1)",
      [202] = "a job", [404] = "there is no such run or analysis",
      [422] = "this run cannot tell" }, handle = analysis },
  { method = "GET", path = "/v1/analyses", tag = "runs",
    summary = "the analyses, and what their columns are called",
    answers = { [200] = "{analyses: [{name, title, group, summary, frames}]}" },
    handle = function() return analyses() end },
}

return views
