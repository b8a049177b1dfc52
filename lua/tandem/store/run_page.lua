--- One stored run on a page: what `tandem show` prints.
--
-- Owns which parts there are and how they read; the values are the run object's. JSON (schema
-- tandem.show/1) has all of them, the text the first of each. Called by cli/show.lua.
local format = require "tandem.text.format"
local json = require "tandem.io.json"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"

local run_page = {}

local MOST_TRACKS <const> = 12
local MOST_FACTS <const> = 24

local function ns(value) return value and format.time(value / 1e9) end
local function count(value) return format.integer(value) end

local function right(name, title, show)
  return { name = name, title = title, align = "right", show = show }
end

local function text(value) return value and styles.clean(value) or "" end

local LABELLED <const> = { { name = "label", title = "" },
  { name = "value", title = "", wrap = true, show = styles.clean } }

-- ---- parts ----

local function head(run, times)
  local list = require "tandem.store.list"
  local rows = {}
  local function add(label, value)
    if value ~= nil and value ~= "" then rows[#rows + 1] = { label = label, value = value } end
  end
  add("name", text(run.name))
  add("kind", run.kind)
  add("state", run.state)
  add("when", list.moment(run.created_utc_ns))
  add("tandem", run.version)
  if run.kind == "simulated" then add("seed", tostring(run.seed)) end
  add("scenario", run.scenario_hash and run.scenario_hash:sub(1, 16))
  add("duration", run:duration_s() and format.time(run:duration_s()))
  add("times", times and times.note:gsub("^times: ", ""))
  local spans = count(run.span_count)
  if require("tandem.store.run").lost_spans(run) then
    spans = "not kept (tandem run --spans all keeps them)"
  elseif run.spans_dropped > 0 then
    spans = ("%s; %s more were dropped%s"):format(spans, count(run.spans_dropped),
      run.complete_until_ns and ", complete until " .. ns(run.complete_until_ns) or "")
  end
  add("spans", spans)
  add("tags", text(table.concat(run.tags, " ")))
  add("note", text(run.note))
  return rows_of.new(LABELLED, rows)
end

local function source_columns(sources)
  local columns = {
    { name = "id", title = "#", align = "right" },
    { name = "path", title = "file", show = function(path)
      return text(path:match "([^/]+)/*$" or path)
    end },
    { name = "format", show = text },
    { name = "detail", show = text },
    right("rank", "rank"),
    right("rows", "records", count),
    right("offset_ns", "clock", function(value) return value == 0 and "0" or ns(value) end),
    { name = "alignment" },
    right("residual_ns", "residual", function(value) return value and "± " .. ns(value) or "–" end),
  }
  local shown, used = {}, {}
  for _, row in ipairs(sources) do
    for _, column in ipairs(columns) do
      used[column.name] = used[column.name] or row[column.name] ~= nil and row[column.name] ~= ""
    end
  end
  -- One file has no other clock to agree with.
  if #sources < 2 then
    used.id, used.offset_ns, used.alignment, used.residual_ns = false, false, false, false
  end
  for _, column in ipairs(columns) do
    if used[column.name] then shown[#shown + 1] = column end
  end
  return shown
end

local CATEGORY_COLUMNS <const> = {
  { name = "category", show = text },
  right("spans", "spans", count),
  right("total_ns", "total time", ns),
  right("total_ns", "mean", function(total, row) return ns(total / row.spans) end),
}

-- Of a run that has no times.
local COUNT_COLUMNS <const> = { CATEGORY_COLUMNS[1], CATEGORY_COLUMNS[2] }

local TRACK_COLUMNS <const> = {
  { name = "process", title = "on", show = text },
  { name = "name", title = "track", show = text },
  { name = "kind", optional = 1 },
  { name = "lane" },
}

-- The facts that people ask for, in this order; an import has hundreds.
local CHOSEN <const> = { "^gpu%.%d+%.name$", "^gpu%.%d+%.memory_bytes$", "^gpu%.%d+%.sm_count$",
  "^gpu%.%d+%.compute_capability$", "^host%.name$", "^system%.CpuDescription$",
  "^system%.CpuCores$", "^system%.OsDescription$", "[Dd]river_?[Vv]ersion$", "^cuda", "^process",
  "%.command$", "^distributed", "^rank", "^world", "^backend", "^diagnostic%.",
  "^complete_until" }

-- The chosen facts of a run, and how many there are in all.
local function facts_of(run)
  local rows, chosen, taken = run:facts():all(), {}, {}
  for _, pattern in ipairs(CHOSEN) do
    for _, row in ipairs(rows) do
      if not taken[row] and row.key:find(pattern) and row.value ~= "" then
        taken[row] = true
        if #chosen < MOST_FACTS then chosen[#chosen + 1] = row end
      end
    end
  end
  return chosen, #rows
end

local FIGURES <const> = {
  { "throughput_rps", "throughput", "rate" }, { "goodput_rps", "goodput", "rate" },
  { "slo_met", "in time", "percent" }, { "in_system", "in system", "count" },
  { "latency.mean", "mean latency", "time" }, { "latency.p50", "p50", "time" },
  { "latency.p90", "p90", "time" }, { "latency.p99", "p99", "time" },
  { "latency.max", "longest", "time" },
}

local SERVER <const> = {
  { "ttft.p50", "p50 TTFT", "time" }, { "ttft.p99", "p99 TTFT", "time" },
  { "tpot.p50", "p50 TPOT", "time" }, { "tpot.p99", "p99 TPOT", "time" },
  { "normalized.mean", "E2E a token", "time" },
  { "output_tokens_per_s", "output tokens/s", "count" },
  { "usd_per_million_tokens", "a million output tokens", "money" },
  { "kv_peak", "KV cache, peak", "percent" }, { "preemptions", "preemptions a request", "count" },
}

local function figure(out, values, one, prefix)
  local value = values[one[1]]
  if not value then return end
  local needs = values[one[1] .. ".needs"]
  out[#out + 1] = { label = prefix .. one[2], value = format.estimate({ value = value,
    half = values[one[1] .. ".half"], needs = needs and { requests = needs } }, one[3]) }
end

-- Resources whose servers have no limit ("inf" in the result): of these so many are busy, no share.
local function endless_of(run)
  local ok, result = require("tandem.text.shortage").attempt(require("cjson").decode,
    run.summary_json or "{}") -- the strict reader takes far longer
  local endless = {}
  for _, one in ipairs(ok and result.resources or {}) do
    if type(one.servers) ~= "number" then endless[one.name] = true end
  end
  return endless
end

-- Those of stages, which may be millions, are in the table alone.
local SHOWN <const> = "SELECT scope, subject, name, value, text FROM metric WHERE run = ?"
  .. " AND (scope IN ('run', 'llm') OR scope = 'resource' AND name = 'utilization') ORDER BY id"

local function figures_of(run)
  local values, resources, out = {}, {}, {}
  local servers, of_server = {}, {}
  for _, row in ipairs(run.store.db:all(SHOWN, run.number) or {}) do
    if row.scope == "run" then
      values[row.name] = row.value or row.text
    elseif row.scope == "llm" then
      if not of_server[row.subject] then
        of_server[row.subject], servers[#servers + 1] = {}, row.subject
      end
      of_server[row.subject][row.name] = row.value
    else
      resources[#resources + 1] = row
    end
  end
  for _, one in ipairs(FIGURES) do figure(out, values, one, "") end
  for _, name in ipairs(servers) do
    for _, one in ipairs(SERVER) do figure(out, of_server[name], one, text(name) .. " ") end
  end
  local endless = #resources > 0 and endless_of(run)
  for _, row in ipairs(resources) do
    out[#out + 1] = { label = text(row.subject), value = (endless[row.subject]
      and format.quantity(row.value, "count") or format.percent(row.value)) .. " busy" }
  end
  return out
end

-- Figures of a measured run that no result has: how many, by scope.
local function measured_figures(run)
  return run.store.db:all("SELECT scope, count(DISTINCT subject) AS subjects, count(*) AS figures"
    .. " FROM metric WHERE run = ? GROUP BY scope ORDER BY scope", run.number) or {}
end

---@class tandem.CardPart
---@field title? string
---@field table tandem.RowTable
---@field left? string  what the table leaves out

local function left_out(left, noun, where)
  if left <= 0 then return nil end
  return ("and %s more %s%s"):format(count(left), left == 1 and noun or noun .. "s", where or "")
end

local function problems_part(run, sources)
  local said = {}
  for i, row in ipairs(run:problems():all()) do
    said[i] = { label = count(row.count), value = row.kind
      .. (#sources > 1 and (" (file %d)"):format(row.source) or "") }
  end
  local columns = { { name = "label", title = "", align = "right" }, LABELLED[2] }
  return { title = "Dropped or repaired", table = rows_of.new(columns, said) }
end

local MOST_OF_FACT <const> = 120 -- characters; the table fact has it whole

local function cut(value)
  local after = utf8.len(value) and utf8.offset(value, MOST_OF_FACT + 1)
  return after and after <= #value and value:sub(1, after - 1) .. "…" or value
end

local function facts_part(run, sources)
  local facts, all_facts = facts_of(run)
  local said = {}
  for i, fact in ipairs(facts) do
    said[i] = { label = text(fact.key) .. (#sources > 1 and " #" .. fact.source or ""),
      value = cut(fact.value) }
  end
  return { title = "Recorded", table = rows_of.new(LABELLED, said),
    left = left_out(all_facts - #facts, "fact", " (the table fact)"), any = all_facts > 0 }
end

local function figures_part(run)
  local said = {}
  if run.kind == "simulated" then
    said = figures_of(run)
  else
    for i, row in ipairs(measured_figures(run)) do
      said[i] = { label = text(row.scope), value = ("%s%s"):format(
        format.plural(row.figures, "figure"), row.subjects > 0
        and " of " .. count(row.subjects) or "") }
    end
  end
  return { title = "Figures", table = rows_of.new(LABELLED, said) }
end

-- ---- the page ----

--- What is known of a run, part by part; the first has no title. Parts without rows are left out.
---@param run tandem.Run
---@return tandem.CardPart[]
function run_page.parts(run)
  local times = run.kind == "measured" and require("tandem.store.times").of(run) or nil
  local parts = { { table = head(run, times) } }
  local function add(part)
    if #part.table.rows > 0 or part.any then parts[#parts + 1] = part end
  end
  local sources = run:sources():all()
  if run.kind == "measured" then
    add { title = "Files", table = rows_of.new(source_columns(sources), sources) }
  end
  add(problems_part(run, sources))
  local categories = run:span_categories():all()
  if #categories > 0 then
    add { title = "Spans",
      table = rows_of.new(times and times.none and COUNT_COLUMNS or CATEGORY_COLUMNS, categories) }
    local all = run.store.db:one("SELECT count(*) AS n FROM track WHERE run = ?", run.number)
    add { title = "Tracks", any = true,
      table = rows_of.new(TRACK_COLUMNS, run:tracks(MOST_TRACKS):all()),
      left = left_out((all and all.n or 0) - MOST_TRACKS, "track") }
  end
  add(facts_part(run, sources))
  add(figures_part(run))
  return parts
end

--- The page as lines.
---@param run tandem.Run
---@param style tandem.Style
---@return string[]
function run_page.lines(run, style)
  local lines = { style:paint("run " .. run.id, "bold") }
  for _, part in ipairs(run_page.parts(run)) do
    if part.title then
      lines[#lines + 1] = ""
      lines[#lines + 1] = style:paint(style:text(part.title), "bold")
    end
    local made = part.table:lines(style, 2)
    table.move(made, 1, #made, #lines + 1, lines)
    if part.left then
      lines[#lines + 1] = style:paint(style:text("  " .. part.left), "dim")
    end
  end
  return lines
end

-- Rows as plain data; their metatables belong to the query.
local function plain(query)
  local out = {}
  for i, row in ipairs(query:all()) do
    local one = {}
    for name, value in pairs(row) do
      one[name] = type(value) == "string" and rows_of.text(value) or value
    end
    out[i] = one
  end
  return out
end

--- The page as JSON; ends with a line end.
---@param run tandem.Run
---@return string
function run_page.json(run)
  local out = { schema = "tandem.show/1", tags = run.tags, sources = plain(run:sources()),
    categories = plain(run:span_categories()), problems = plain(run:problems()),
    facts = plain(run:facts()), tracks = plain(run:tracks()), spans = run.span_count,
    duration_s = run:duration_s() }
  for _, name in ipairs { "id", "kind", "name", "state", "created_utc_ns", "scenario_hash", "seed",
    "version", "note", "spans_dropped", "complete_until_ns", "first_ns", "last_ns" } do
    out[name] = run[name]
  end
  if run.kind == "simulated" then out.metrics = plain(run:metrics()) end
  return json.encode(out, { indent = 2, lists = { tags = true, sources = true, categories = true,
    problems = true, facts = true, tracks = true, metrics = true } }) .. "\n"
end

return run_page
