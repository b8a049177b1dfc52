--- Everything that is known of a run as one page: what ran where, where the time went, every
--- analysis that has an answer, and why the others have none.
--
-- Owns the order and the head of the page. It walks tandem.analysis.groups, so that a new analysis
-- appears by itself; charts, tables and words are the analyses' own. Called by `tandem report`.
local analysis = require "tandem.analysis"
local answers = require "tandem.page.answer"
local run_page = require "tandem.store.run_page"
local format = require "tandem.text.format"
local html = require "tandem.page.html"
local measured = require "tandem.page.measured"
local simulated = require "tandem.page.simulated"
local styles = require "tandem.plot.style"
local places = require "tandem.page.place"
local plot = require "tandem.plot"
local tables = require "tandem.page.table"

local report = {}

-- Rows of a table that are seen, and that are on the page at all.
local FEW <const>, MOST <const> = 10, 200

-- ---- asking ----

---@class tandem.ReportAnswers
---@field given { name: string, group: string, answer: tandem.Answer, headline?: string|string[] }[]
---@field missing { title: string, why: string[] }[]

-- Those that share the graph of the critical path, by far the largest thing that analyses make:
-- they are asked last, one after the other, when all else is forgotten.
local LAST <const> = { advice = 1, critical_path = 2 }

-- Tables of a large run that take more are read again by who wants them.
local MANY_BYTES <const> = 96 << 20

-- Every analysis in the order in which they are asked; `place` is that of the page.
local function in_turn()
  local list = {}
  for _, group in ipairs(analysis.groups) do
    for _, name in ipairs(group.names) do
      list[#list + 1] = { name = name, group = group.title, place = #list + 1 }
    end
  end
  table.sort(list, function(a, b)
    return (LAST[a.name] or 0) * #list + a.place < (LAST[b.name] or 0) * #list + b.place
  end)
  return list
end

-- How long these take beside the others, whose weight is 1; and the page.
local WEIGHT <const> = { advice = 14, critical_path = 3 }
local PAGE_WEIGHT <const> = 2

local function weight_of(turns)
  local sum = PAGE_WEIGHT
  for _, one in ipairs(turns) do sum = sum + (WEIGHT[one.name] or 1) end
  return sum
end

-- Asks every analysis. What fails is told with the rest, and does not take the page with it.
local function ask_all(view, tell)
  local given, missing, turns = {}, {}, in_turn()
  local done, all = 0, weight_of(turns)
  for _, one in ipairs(turns) do
    if tell then tell(done / all) end
    done = done + (WEIGHT[one.name] or 1)
    local description = analysis.named(one.name)
    local copy = {}
    for key, value in pairs(view.filter) do copy[key] = value end
    analysis.shown(description, copy, MOST)
    view:trim(LAST[one.name] ~= 1 and MANY_BYTES or nil)
    local answer, message, code = analysis.ask(view.run, one.name, copy)
    if not answer and (code == 2 or code == 130) then return nil, message, code end
    if answer and not answer:abstains() then
      given[#given + 1] = { name = one.name, group = one.group, answer = answer, place = one.place,
        headline = description.headline and description.headline(answer) or nil }
      answers.settle(answer, MOST)
    else
      missing[#missing + 1] = { title = description.title, place = one.place,
        why = answer and answer.cannot or { message } }
    end
  end
  local function by_place(a, b) return a.place < b.place end
  table.sort(given, by_place)
  table.sort(missing, by_place)
  return { given = given, missing = missing }
end

-- ---- the head ----

local function categories_of(run)
  local by = {}
  for _, row in ipairs(run:span_categories():all()) do by[row.category] = row end
  return by
end

local function gpus_of(run)
  local rows = run.store.db:all("SELECT DISTINCT source, process FROM track WHERE run = ?"
    .. " AND device IS NOT NULL ORDER BY source, process", run.number)
  return rows or {}
end

-- What a GPU is called: its file's word for it where that has one.
local function gpu_name(run, gpu)
  local number = gpu.process:match "#(%d+)$"
  local fact = number and run.store.db:one("SELECT value FROM fact WHERE run = ? AND source = ?"
    .. " AND key = ?", run.number, gpu.source, ("gpu.%s.name"):format(number))
  if not fact or fact.value == "" or gpu.process:find(fact.value, 1, true) then
    return gpu.process
  end
  return ("%s (#%s)"):format(fact.value, number)
end

local function problem_count(run)
  local row = run.store.db:one("SELECT sum(count) AS n FROM problem WHERE run = ?", run.number)
  return row and row.n or 0
end

--- { label, text } of what a measured run holds.
---@param run tandem.Run
---@return { [1]: string, [2]: string }[]
function report.tiles(run)
  local tiles, by = {}, categories_of(run)
  local function add(label, value) tiles[#tiles + 1] = { label, value } end
  if (run:duration_s() or 0) > 0 then
    add("first to last record", format.time(run:duration_s()))
  end
  local gpus = #gpus_of(run)
  if gpus > 0 then add(gpus == 1 and "GPU" or "GPUs", format.integer(gpus)) end
  local function count(label, ...)
    local sum = 0
    for _, category in ipairs { ... } do sum = sum + (by[category] and by[category].spans or 0) end
    if sum > 0 then add(label, format.integer(sum)) end
  end
  count("kernels", "kernel")
  count("copies and memsets", "memcpy", "memset")
  count("API calls", "runtime", "driver")
  local others = measured.tiles(run)
  if run.span_count > 0 or #others == 0 then
    add("spans in all", format.integer(run.span_count))
  end
  table.move(others, 1, #others, #tiles + 1, tiles)
  local problems = problem_count(run)
  add("records dropped or repaired", format.integer(problems))
  return tiles
end

-- Time by category, where no analysis has a chart of where the time goes.
local function category_chart(run)
  local rows, all_ns = {}, 0
  for i, row in ipairs(run:span_categories():all()) do
    if i > 10 then break end
    all_ns = all_ns + row.total_ns
    rows[i] = { name = styles.clean(row.category), value = row.total_ns / 1e9,
      note = "· " .. format.plural(row.spans, "span") }
  end
  if all_ns == 0 then return nil end
  return plot.bars { title = "Time by kind of record", rows = rows, x = { unit = "time" },
    subtitle = "summed: what overlaps or nests counts each time" }
end

-- The group that a head shows a chart of; whose chart says best where the time went.
local TIME <const> = "Where the time goes"
local TELLING <const> = { "breakdown", "utilization", "overlap" }

local function headline_chart(run, found, result)
  if result then return simulated.utilization(result) end
  for _, name in ipairs(TELLING) do
    for _, one in ipairs(found.given) do
      local first = one.name == name and answers.plots(one.answer)[1]
      if first then return first.chart end
    end
  end
  for _, one in ipairs(found.given) do
    if one.group == TIME then
      local first = answers.plots(one.answer)[1]
      if first then return first.chart end
    end
  end
  return category_chart(run)
end

-- What a reader wants to know before anything else: these, in this order; the others follow.
local LEADING <const> = { "breakdown", "advice" }
-- What advice found says more of these.
local TOLD <const> = { "critical_path", "flame" }

local function findings_of(found, result)
  local sentences, said = result and simulated.findings(result) or {}, {}
  local function say(one)
    local told = not said[one.name] and one.headline
    said[one.name] = true
    if not told then return end
    local list = type(told) == "table" and told or { told }
    table.move(list, 1, #list, #sentences + 1, sentences)
    for _, name in ipairs(one.name == "advice" and TOLD or {}) do said[name] = true end
  end
  for _, name in ipairs(LEADING) do
    for _, one in ipairs(found.given) do
      if one.name == name then say(one) end
    end
  end
  for _, one in ipairs(found.given) do say(one) end
  return sentences
end

local function overview(run, found, result)
  local parts = { html.facts("tiles", result and simulated.tiles(result) or report.tiles(run)) }
  local sentences = findings_of(found, result)
  if #sentences > 0 then
    for i, sentence in ipairs(sentences) do sentences[i] = html.without_options(sentence) end
    local list = html.list("findings", sentences)
    parts[#parts + 1] = list
  end
  local chart = headline_chart(run, found, result)
  if chart then parts[#parts + 1] = html.figure(chart) end
  return { title = "At a glance", body = table.concat(parts, "\n") }
end

-- ---- what ran where ----

local function labelled(rowtable)
  local pairs_ = {}
  for i, row in ipairs(rowtable.rows) do
    local bytes = tostring(row.label):find "[._]bytes$" and tonumber(row.value)
    pairs_[i] = { row.label, bytes and format.bytes(bytes)
      or html.without_options(tostring(row.value)) }
  end
  return html.facts("facts", pairs_)
end

local QUALITY <const> = "Dropped or repaired"

-- Figures of a simulation have sections of their own; tracks are for those who ask.
local ASIDE <const> = { Tracks = true }

-- Rows of files, whose times are those of their own clocks, as others have them.
local function with_times(rows, run)
  for _, row in ipairs(rows) do
    row.at_ns = row.first_ns and row.first_ns + (row.offset_ns or 0) - (run.first_ns or 0)
    row.dur_ns = row.at_ns and row.last_ns - row.first_ns
    row.first_ns = nil
  end
end

-- The parts of the run's card; labelled values as lists side by side, the rest as tables.
local function where_sections(run, result, options)
  local lists, body, quality = {}, {}, nil
  for _, part in ipairs(run_page.parts(run)) do
    local has_labels = part.table.columns[1].name == "label"
    if part.title == "Files" then with_times(part.table.rows, run) end
    local made = has_labels and labelled(part.table)
      or tables.of(part.table, setmetatable({ few = FEW, tracks = part.title == "Tracks",
        caption = not ASIDE[part.title] and part.title or nil }, { __index = options }))
    if part.left then made = made .. html.list("notes", { part.left }) end
    if part.title == QUALITY then
      quality = made
    elseif ASIDE[part.title] then
      body[#body + 1] = ('<details class="part"><summary>%s</summary>%s</details>'):format(
        html.escape(part.title), made)
    elseif not has_labels then
      body[#body + 1] = made
    elseif part.title ~= "Figures" or not (result or run.kind == "measured") then
      lists[#lists + 1] = ("<section><h3>%s</h3>%s</section>"):format(
        html.escape(part.title or "Run"), made)
    end
  end
  local sections = { { title = "What ran where", body = ('<div class="lists">%s</div>%s'):format(
    table.concat(lists, "\n"), table.concat(body, "\n")) } }
  if run.kind == "measured" then
    sections[2] = { title = "Data quality", body = quality
      and '<p class="about">What the readers had to drop or repair:</p>' .. quality
      or '<p class="about">The readers neither dropped nor repaired a record.</p>' }
  end
  return sections
end

-- ---- the analyses ----

local function sentence_of(text)
  return text:sub(1, 1):upper() .. text:sub(2) .. (text:find "[.!?]$" and "" or ".")
end

-- Analyses whose rows sum spans of a name, and the fields that name them.
local NAMED <const>, KERNELS <const>, EITHER <const> = { "name" }, { "kernel" },
  { "kernel", "name" }
local OF_SPANS <const> = { kernels = NAMED, gpu = NAMED, api = NAMED, syncs = NAMED,
  ranges = NAMED, projected = NAMED, ops = EITHER, osrt = NAMED, critical_path = NAMED,
  flame = NAMED, launch_delay = NAMED, categories = NAMED, copies = NAMED,
  launches = KERNELS, range_kernels = KERNELS }

local function answer_section(one, options)
  local description = one.answer.description
  local more = ('<details class="how"><summary>How it is counted</summary><p>%s</p></details>')
    :format(html.prose(html.without_options(description.about)))
  return { title = description.title, body = ('<p class="about">%s</p>%s\n%s'):format(
    html.prose(sentence_of(description.summary)),
    answers.body(one.answer, setmetatable({ few = FEW, most = MOST, spans = OF_SPANS[one.name] },
      { __index = options })), more) }
end

-- Analyses that miss the same thing stand together: a run without GPU work has thirty of them.
local function missing_section(missing)
  local by, groups = {}, {}
  for _, one in ipairs(missing) do
    local why = {}
    for k, sentence in ipairs(one.why) do why[k] = html.prose(html.without_options(sentence)) end
    local reason = table.concat(why, "<br>")
    if not by[reason] then
      by[reason] = { reason = reason }
      groups[#groups + 1] = by[reason]
    end
    table.insert(by[reason], html.escape(one.title))
  end
  for i, group in ipairs(groups) do
    groups[i] = ("<dt>%s</dt><dd>%s</dd>"):format(table.concat(group, ", "), group.reason)
  end
  return { title = "What this run cannot tell", group = "Not answered",
    body = '<dl class="facts told">' .. table.concat(groups, "\n") .. "</dl>" }
end

local function subtitle_of(run)
  local names, seen = {}, {}
  for _, gpu in ipairs(gpus_of(run)) do
    local name = styles.clean(gpu_name(run, gpu))
    if not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  if #names > 4 then
    names = table.move(names, 1, 4, 1, { [5] = ("%d more"):format(#names - 4) })
  end
  if #names == 0 then return nil end
  return "On " .. format.list(names, "and") .. "."
end

-- When the rows of the page begin and end, on the run's clock: spans there stay in its timeline.
local function moments_of(run, found)
  local moments, first = {}, run.first_ns or 0
  for _, one in ipairs(found.given) do
    for _, frame in ipairs(one.answer.frames) do
      for i, row in ipairs(frame.table.rows) do
        if i > MOST then break end
        local from, to = places.times(row)
        if from then
          moments[#moments + 1], moments[#moments + 2] = first + from, first + to
        end
      end
    end
  end
  return moments
end

--- The page; nil when the world failed.
---@param run tandem.Run
---@param filter? tandem.AnalysisFilter
---@param tell? fun(fraction: number)  how much of the work is done
---@return string|nil
---@return string|nil message
---@return integer|nil code
function report.of(run, filter, tell)
  filter = filter or {}
  local views = require "tandem.analysis.view"
  local lent = views.is_open(run, filter)
  local view, message, code = views.of(run, filter)
  if not view then return nil, message, code end
  view.alone = true
  local found
  found, message, code = ask_all(view, tell)
  if not lent then view:close() end -- the page is made beside no graph
  collectgarbage() -- answers that were cut are gone before the timeline is made
  if not found then return nil, message, code end
  local result = run.kind == "simulated" and simulated.result(run) or nil
  local sections = { overview(run, found, result) }
  local window = require("tandem.analysis.options").view_filter(run, filter) or {}
  local timeline_ns
  sections[2], timeline_ns = require("tandem.page.timeline").section(run, nil,
    { from_ns = window.from_ns, to_ns = window.to_ns, moments = moments_of(run, found) })
  local options = { timeline_ns = timeline_ns, categories = categories_of(run) }
  table.move(where_sections(run, result, options), 1, 2, #sections + 1, sections)
  sections[1].group = "The run"
  if result then
    local more = simulated.sections(result, run, options)
    table.move(more, 1, #more, #sections + 1, sections)
  elseif run.kind == "measured" then
    local more = measured.sections(run)
    table.move(more, 1, #more, #sections + 1, sections)
  end
  local group
  for _, one in ipairs(found.given) do
    local section = answer_section(one, options)
    if one.group ~= group then section.group, group = one.group, one.group end
    sections[#sections + 1] = section
  end
  if #found.missing > 0 then sections[#sections + 1] = missing_section(found.missing) end
  return require("tandem.page.document").of {
    title = styles.clean(run.name), eyebrow = "Report · " .. answers.whose(run, filter),
    subtitle = subtitle_of(run), sections = sections, contents = true }
end

return report
