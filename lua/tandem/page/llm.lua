--- What a page says of the LLM servers of a simulated run: their times as tables and distributions,
--- what they did over time, their steps.
--
-- Owns which charts and tables; values are the stored result's (tandem.result/1), steps those of
-- the stored trace. Called by page/simulated.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local doubts = require "tandem.report.doubt"
local report = require "tandem.report.llm"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"
local plot = require "tandem.plot"

local llm = {}

local TIMES <const> = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "itl", "ITL" },
  { "e2e", "end to end" }, { "queueing", "queueing" }, { "normalized", "E2E a token" } }
local FIELDS <const> = { "mean", "p50", "p90", "p95", "p99", "p999", "max" }

-- JSON's null is no value.
local function given(value)
  if type(value) == "userdata" then return nil end
  return value
end

local function value_of(one)
  one = given(one)
  if type(one) ~= "table" then return one end
  return given(one.value)
end

-- A server and, where several share it, its classes: { name, values }.
local function parts_of(server)
  local out = { { name = "all", of = server } }
  if #(given(server.classes) or {}) > 1 then
    for _, class in ipairs(server.classes) do out[#out + 1] = { name = class.name, of = class } end
  end
  return out
end

local function estimate_column(name, title)
  return { name = name, title = title, align = "right", show = function(one)
    return one and format.estimate(one, "time") or ""
  end }
end

--- Times of a server, of each class too where there are several.
---@param server table
---@return tandem.Rows
local function times_of(server)
  local titles, rows = { columns.text("time"), columns.text("class") }, {}
  local parts = parts_of(server)
  if #parts == 1 then titles[2] = nil end
  for _, field in ipairs(FIELDS) do
    titles[#titles + 1] = estimate_column(field, field == "p999" and "p99.9" or field)
  end
  for _, time in ipairs(TIMES) do
    for _, part in ipairs(parts) do
      local times = given(part.of[time[1]])
      if times and value_of(times.mean) then
        local row = { time = time[2], class = part.name }
        for _, field in ipairs(FIELDS) do
          local one = given(times[field])
          row[field] = type(one) == "number" and { value = one } or one
        end
        rows[#rows + 1] = row
      end
    end
  end
  return rows_of.new(titles, rows)
end

-- One line: a time of a server or of one of its classes.
local function cdf_line(name, of, key)
  local cdf = given(of.cdf)
  local x = cdf and given(cdf[key])
  if not x or #x < 2 then return nil end
  return { name = name, x = x, y = table.move(cdf.levels, 1, #x, 1, {}) }
end

local function cdf_chart(title, series)
  if #series == 0 then return nil end
  local positive = true
  for _, one in ipairs(series) do positive = positive and one.x[1] > 0 end
  return plot.lines { title = title, subtitle = "share that took no longer",
    x = { unit = "time", log = positive }, y = { unit = "%", min = 0, max = 1 }, series = series }
end

-- Times that a chart holds beside each other.
local TOGETHER <const> = { { "Times of requests", { 1, 5, 4 } }, { "Times a token", { 2, 3, 6 } } }

-- Distributions: of one class all times together; of several a chart a time, a line a class.
local function cdf_charts(server)
  local out, parts = {}, parts_of(server)
  local function add(title, series) out[#out + 1] = cdf_chart(title, series) end
  for _, group in ipairs(#parts == 1 and TOGETHER or {}) do
    local series = {}
    for _, i in ipairs(group[2]) do
      series[#series + 1] = cdf_line(TIMES[i][2], server, TIMES[i][1])
    end
    add(group[1], series)
  end
  for _, time in ipairs(#parts > 1 and TIMES or {}) do
    local series = {}
    for _, part in ipairs(parts) do
      series[#series + 1] = cdf_line(styles.clean(part.name), part.of, time[1])
    end
    add(time[2], series)
  end
  return out
end

-- What a server did over time: title, what is meant, unit, { series, name } …
local OVER_TIME <const> = {
  { "Tokens a second", "output, and prompts computed", "count",
    { "output_tokens_per_s", "output" }, { "prefill_tokens_per_s", "prompts" } },
  { "KV cache", "share of the blocks in use, mean of each slice of time", "%", { "kv" } },
  { "Requests", "sequences a step, and requests that wait", "count", { "batch", "in a step" },
    { "waiting", "waiting" } },
  { "TTFT over time", "mean of the requests that came in each slice of time", "time",
    { "ttft_mean" } },
  { "Preemptions", "a second", "count", { "preemptions_per_s" } },
}

local function any(values)
  for _, value in ipairs(values or {}) do
    if (given(value) or 0) ~= 0 then return true end
  end
  return false
end

-- A point alone is no course of time.
local function is_course(values)
  local count = 0
  for _, value in ipairs(values) do count = count + (value == value and 1 or 0) end
  return count > 1
end

local function series_charts(one, t)
  local out = {}
  for _, spec in ipairs(OVER_TIME) do
    local series = {}
    for i = 4, #spec do
      local values = given(one[spec[i][1]])
      if any(values) then
        local y = {}
        for k, value in ipairs(values) do
          value = given(value)
          -- No first token takes no time: 0 stands for a slice in which nobody came.
          y[k] = value and (value ~= 0 or spec[i][1] ~= "ttft_mean") and value or 0 / 0
        end
        if is_course(y) then
          series[#series + 1] = { name = #spec > 4 and spec[i][2] or nil, x = t, y = y }
        end
      end
    end
    if #series > 0 then
      out[#out + 1] = plot.lines { title = spec[1], subtitle = spec[2], x = { unit = "time" },
        y = { min = 0, unit = spec[3] ~= "count" and spec[3] or nil }, series = series }
    end
  end
  return out
end

-- Points that a person can tell apart, and a page can hold.
local MOST_STEPS <const> = 1500
local STEPS <const> = [[
SELECT s.dur_ns AS dur_ns, json_extract(s.args, '$.tokens') AS tokens
FROM span AS s JOIN track AS t ON t.run = s.run AND t.id = s.track
WHERE s.run = ? AND s.category = 'step' AND t.name = ?]]

-- How long steps took by the tokens they computed: each of them, or every n-th.
local function steps_chart(run, server)
  local points = {}
  local replicas = math.tointeger(server.replicas) or 1
  for k = 1, math.min(replicas, 4) do
    local name = (replicas == 1 and server.name or ("%s#%d"):format(server.name, k)) .. " steps"
    for _, row in ipairs(run.store.db:all(STEPS, run.number, name) or {}) do
      points[#points + 1] = { x = row.tokens, y = row.dur_ns / 1e9 }
    end
  end
  local all, every = #points, math.ceil(#points / MOST_STEPS)
  if all < 2 then return nil end
  local kept = {}
  for i = 1, all, every do kept[#kept + 1] = points[i] end
  return plot.scatter { title = "Steps", subtitle = ("time of a step by the tokens it computes%s")
    :format(every > 1 and (", %s of %s steps"):format(format.integer(#kept), format.integer(all))
      or ""), x = { label = "tokens", log = true }, y = { unit = "time", log = true },
    points = kept }
end

--- Sentences for the head of a page.
---@param result table
---@return string[]
function llm.findings(result)
  local out = {}
  for _, server in ipairs(given(result.llm) or {}) do
    local why, share = report.held_most(server)
    if share >= 0.01 then
      out[#out + 1] = ("%s kept requests waiting %s of the time: %s."):format(
        styles.clean(server.name), format.percent(share), why)
    end
  end
  local doubt = given(result.doubt)
  for _, list in ipairs { doubts.findings(result), doubt and doubts.sources(doubt) or {} } do
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

-- Figures with both intervals, luck's and the model's; nil where the model's is not known.
local function doubted(result)
  local rows = {}
  for i, row in ipairs(given(result.doubt) and doubts.rows(result) or {}) do
    rows[i] = { figure = row[1], luck = row[2], model = row[3] }
  end
  return #rows > 0 and rows_of.new({ columns.text("figure"), columns.text("luck"),
    columns.text("model") }, rows) or nil
end

--- Figures for the head of a page.
---@param result table
---@return { [1]: string, [2]: string }[]
function llm.tiles(result)
  local out, servers = {}, given(result.llm) or {}
  for _, server in ipairs(servers) do
    local prefix = #servers > 1 and styles.clean(server.name) .. " " or ""
    local function add(label, one, kind, unit)
      if value_of(one) then
        out[#out + 1] = { prefix .. label, format.estimate(one, kind) .. (unit or "") }
      end
    end
    add("p99 TTFT", server.ttft.p99, "time")
    add("p99 TPOT", server.tpot.p99, "time")
    add("output", server.output_tokens_per_s, "count", " tokens/s")
    add("a million output tokens", server.usd_per_million_tokens, "money")
  end
  return out
end

-- Of a server with tenants: what each was given.
local function tenants_of(server)
  local titles, cells = report.tenants(server)
  if #cells == 0 then return nil end
  local listed, rows = {}, {}
  for i, title in ipairs(titles) do
    listed[i] = columns.text(tostring(i))
    listed[i].title = title.title
    listed[i].align = title.align
  end
  for k, row in ipairs(cells) do
    rows[k] = {}
    for i, cell in ipairs(row) do rows[k][tostring(i)] = cell end
  end
  return rows_of.new(listed, rows)
end

---@class tandem.LlmSection
---@field title string
---@field charts tandem.Plot[]
---@field table tandem.Rows|nil

--- Sections of a page, server by server.
---@param result table
---@param run tandem.Run|nil
---@return tandem.LlmSection[]
function llm.sections(result, run)
  local out, servers = {}, given(result.llm) or {}
  local series = given(result.series)
  for i, server in ipairs(servers) do
    local function titled(what)
      return #servers > 1 and ("%s: %s"):format(styles.clean(server.name), what) or what
    end
    out[#out + 1] = { title = titled "LLM serving: times", charts = cdf_charts(server),
      table = times_of(server) }
    local tenants = given(server.tenants) and tenants_of(server)
    if tenants then
      out[#out + 1] = { title = titled "LLM serving: tenants", charts = {}, table = tenants }
    end
    local over = series and given(series.llm)
    over = over and over[i] and series_charts(over[i], series.t) or {}
    over[#over + 1] = run and steps_chart(run, server)
    out[#out + 1] = { title = titled "LLM serving: over time", charts = over }
  end
  local both = doubted(result)
  if both then
    out[#out + 1] = { title = "LLM serving: luck and model", charts = {}, table = both }
  end
  return out
end

return llm
