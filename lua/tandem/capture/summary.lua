--- What was captured, in a few lines: counts, bytes, phases, what it cost.
--
-- Owns the lines that `tandem capture` ends with. Figures are the run's: SQL and the analysis
-- phases. Used by the command capture.
local bar = require "tandem.plot.bar"
local column_table = require "tandem.text.columns"
local format = require "tandem.text.format"

local summary = {}

local BAR <const> = 24

local function count_of(run)
  local sums = {}
  for row in run.store:query { "SELECT category, kind, count(*) AS count, "
    .. "sum(coalesce(bytes, 0)) AS bytes, sum(dur_ns) AS ns FROM span WHERE run = ? "
    .. "GROUP BY category, kind", run.number } do
    local sum = sums[row.category] or { count = 0, bytes = 0, ns = 0, kinds = {} }
    sum.count, sum.bytes, sum.ns = sum.count + row.count, sum.bytes + row.bytes, sum.ns + row.ns
    if row.kind then sum.kinds[row.kind] = row.bytes end
    sums[row.category] = sum
  end
  return sums
end

local NONE <const> = { count = 0, bytes = 0, ns = 0, kinds = {} }

--- The facts of a run's first source by key, numbers as numbers.
---@param run tandem.Run
---@return table<string, string>
local function facts_of(run)
  local facts = {}
  for row in run.store:query { "SELECT key, value FROM fact WHERE run = ? AND key GLOB "
    .. "'capture.*'", run.number } do
    facts[row.key:sub(9)] = row.value
  end
  return facts
end

-- What recording cost the program's threads at most: the time from one call to the next is at
-- least that, and is short where a program calls in a row.
local function overhead(run, facts, calls, seconds)
  local gap = tonumber(facts.call_gap_ns)
  if not gap or calls == 0 then return nil end
  local cost = gap * 1e-9 * calls
  local threads = 1
  for row in run.store:query { "SELECT count(DISTINCT track) AS threads FROM span WHERE run = ? "
    .. "AND category IN ('runtime', 'driver')", run.number } do
    threads = math.max(1, row.threads)
  end
  local text = ("at most %s a call, %s in all"):format(format.time(gap * 1e-9), format.time(cost))
  if seconds <= 0 then return text end
  return ("%s (%s of the time%s)"):format(text, format.percent(cost / seconds / threads),
    threads > 1 and (" of %d threads"):format(threads) or "")
end

local function copies_text(copies)
  if copies.count == 0 then return nil end
  local parts = {}
  for _, way in ipairs { { "HtoD", "to the GPU" }, { "DtoH", "from it" }, { "DtoD", "on it" },
    { "PtoP", "between GPUs" } } do
    local bytes = copies.kinds[way[1]]
    if bytes then parts[#parts + 1] = ("%s %s"):format(format.bytes(bytes), way[2]) end
  end
  if #parts == 0 then parts[1] = format.bytes(copies.bytes) end
  return ("%s in %s"):format(table.concat(parts, ", "), format.time(copies.ns / 1e9))
end

local function kernels_text(kernels, calls, facts)
  if kernels.count > 0 then
    return ("%s of work%s"):format(format.time(kernels.ns / 1e9),
      facts.estimated and ", by events around it" or "")
  end
  return calls > 0 and "what ran on the GPU was not recorded" or nil
end

local function rows_of(run, facts, seconds)
  local sums = count_of(run)
  local calls = (sums.runtime or NONE).count + (sums.driver or NONE).count
  local rows = {}
  local function add(name, value, text) rows[#rows + 1] = { name, value, text or "" } end
  local span = run.first_ns and (run.last_ns - run.first_ns) / 1e9 or 0
  add("calls", format.integer(calls), span > 0 and format.rate(calls / span) or nil)
  local kernels = sums.kernel or NONE
  add("kernels", format.integer(kernels.count), kernels_text(kernels, calls, facts))
  if sums.graph then
    add("graphs", format.integer(sums.graph.count), format.time(sums.graph.ns / 1e9) .. " of work")
  end
  local copies = sums.memcpy or NONE
  add("copies", format.integer(copies.count), copies_text(copies))
  if sums.nvtx then add("ranges", format.integer(sums.nvtx.count)) end
  add("lost", format.integer(tonumber(facts.lost) or 0))
  local processes = tonumber(facts.processes) or 1
  if processes > 1 then add("processes", format.integer(processes)) end
  local cost = overhead(run, facts, calls, seconds)
  if cost then add("overhead", "", cost) end
  return rows, calls
end

local function phase_lines(run, style)
  local answer = run:phases()
  local rows = answer and answer:rows() or {}
  if #rows == 0 then return {} end
  local several = false
  for _, row in ipairs(rows) do several = several or row.process ~= rows[1].process end
  local cells = {}
  for i, row in ipairs(rows) do
    local bytes = (row.to_gpu_bytes or 0) + (row.from_gpu_bytes or 0)
    local note = bytes > 0 and format.bytes(bytes) .. " copied"
      or (row.allocated_bytes or 0) > 0 and format.bytes(row.allocated_bytes) .. " allocated"
      or row.launches > 0 and format.plural(row.launches, "launch", "launches") or ""
    cells[i] = { (row.phase:gsub("_", " ")), format.time(row.total_ns / 1e9),
      format.percent(row.share), bar.line(row.share, BAR, style), note }
    if several then table.insert(cells[i], 1, row.process) end
  end
  local columns = { { title = "" }, { title = "", align = "right" },
    { title = "", align = "right" }, { title = "", optional = 1 }, { title = "" } }
  if several then table.insert(columns, 1, { title = "", optional = 2 }) end
  local lines = column_table.lines(columns, cells, { style = style, indent = 2 })
  table.insert(lines, 1, style:paint("Where the time goes", "bold"))
  table.insert(lines, 1, "")
  return lines
end

--- A problem as a line. What a library says in a sentence is not counted.
---@param problem { kind: string, count: integer }
---@return string
function summary.problem(problem)
  if problem.count == 1 and problem.kind:find "^%u" then return problem.kind end
  return ("%s %s"):format(format.integer(problem.count), problem.kind)
end

--- The lines.
---@param run tandem.Run
---@param ended tandem.CaptureEnd
---@param style tandem.Style
---@return string[] lines
---@return integer calls
function summary.lines(run, ended, style)
  local facts = facts_of(run)
  local rows, calls = rows_of(run, facts, ended.seconds)
  local lines = column_table.lines({ { title = "" }, { title = "", align = "right" },
    { title = "", wrap = true } }, rows, { style = style, indent = 2 })
  for problem in run:problems() do
    lines[#lines + 1] = style:text("  " .. summary.problem(problem))
  end
  table.move(phase_lines(run, style), 1, 100, #lines + 1, lines)
  return lines, calls
end

return summary
