--- What visits cover of a run: stages, unmapped time by name, what was left out and why.
--
-- Owns the answer and how it reads. Called by Visits:coverage and `tandem map`.
local answers = require "tandem.analysis.answer"
local columns = require "tandem.analysis.columns"

local coverage = {}

--- What its tables are called.
coverage.description = { title = "Coverage", summary = "", about = "", frames = {
  time = { title = "Time of requests", columns = {
    columns.text("part", "part"), columns.time("total_ns", "total"),
    columns.share("share", "share") } },
  stages = { title = "Stages", columns = {
    columns.text("stage", "stage"), columns.text("lane", "lane"),
    columns.count("requests", "requests"),
    columns.share("request_share", "of all", { optional = 4 }),
    columns.count("pieces", "rows"), columns.time("own_ns", "own"),
    columns.share("share", "time"), columns.time("busy_ns", "busy", { optional = 1 }),
    columns.time("wait_ns", "wait"), columns.time("rest_ns", "rest"),
    columns.count("concurrency", "at once", { optional = 2 }),
    columns.count("outside_rows", "rows outside"),
    columns.time("outside_ns", "outside", { optional = 3 }) } },
  unmapped = { title = "Unmapped time", columns = {
    columns.text("where", "where"), columns.time("total_ns", "total"),
    columns.share("share", "share"), columns.count("rows", "rows"),
    columns.text("name", "name", { wrap = true }) } },
  left_out = { title = "Left out", columns = {
    columns.count("count", "count"), columns.text("what", "what") } },
} }

local function sum(list)
  local total = 0
  for _, value in ipairs(list) do total = total + value end
  return total
end

local function stage_rows(of, left, all_ns)
  local rows = {}
  for i, stage in ipairs(of.stages) do
    local columns_of = of:of(stage.name)
    local own_ns = sum(columns_of.own_ns)
    local outside = left.outside and left.outside[i]
    rows[i] = { stage = stage.name, lane = stage.lane, requests = #columns_of.request,
      request_share = of.count > 0 and #columns_of.request / of.count or nil,
      pieces = sum(columns_of.pieces), own_ns = own_ns, busy_ns = sum(columns_of.busy_ns),
      wait_ns = sum(columns_of.wait_ns), rest_ns = sum(columns_of.rest_ns),
      share = all_ns > 0 and own_ns / all_ns or nil, concurrency = stage.concurrency,
      outside_rows = outside and outside.rows > 0 and outside.rows or nil,
      outside_ns = outside and outside.rows > 0 and outside.total_ns or nil }
  end
  return rows
end

local function time_rows(of, stages, all_ns)
  local rows, sums = {}, { own = 0, wait = 0, rest = 0 }
  for _, stage in ipairs(stages) do
    for part in pairs(sums) do sums[part] = sums[part] + stage[part .. "_ns"] end
  end
  sums.tail = sum(of:requests().tail_ns)
  for i, part in ipairs { "own", "wait", "rest", "tail" } do
    rows[i] = { part = part, total_ns = sums[part],
      share = all_ns > 0 and sums[part] / all_ns or nil }
  end
  return rows
end

local function unmapped_rows(left)
  local rows, total = {}, {}
  for i, one in ipairs(left.unmapped or {}) do
    total[one.where] = (total[one.where] or 0) + one.total_ns
    rows[i] = one
  end
  for _, row in ipairs(rows) do
    row.share = total[row.where] > 0 and row.total_ns / total[row.where] or nil
  end
  return rows
end

local LEFT <const> = {
  { "inside", "matches inside a match of the request's rule: part of it" },
  { "before", "rows before the first request" },
  { "open", "requests that lack a step, or whose end the run does not show" },
  { "untraced", "requests that ended after the trace was full" },
  { "outside_rows", "rows of stages of such requests" },
  { "lost_members", "members of batches that the trace does not tell: rest or tail of theirs" },
  { "unclear", "GPU rows begun while several requests of a process were open: counted for none" },
  { "by_nobody", "spans that the map's function gave to none" },
}

local function left_rows(left)
  local rows = {}
  for _, one in ipairs(LEFT) do
    local count = left[one[1]]
    if count and count > 0 then rows[#rows + 1] = { count = count, what = one[2] } end
  end
  return rows
end

local function say(of, left)
  local basis = { "share: of the requests' own time, from each arrival to its end, which own, wait "
    .. "and rest of all stages and the tails add up to; own: every instant of a request counts "
    .. "once, for GPU before COMM, H2D, D2H, CPU, others, then for the stage that stands earlier" }
  basis[#basis + 1] = of.kind == "simulated"
    and "wait: as the simulation has it, for service that came; rest: neither in service nor in "
      .. "such a wait"
    or "wait: before a visit, while its resource held as many other requests as it ever did at "
      .. "once; rest: nothing of the request ran"
  if left.by_launch and left.by_launch + left.by_time > 0 then
    basis[#basis + 1] = ("GPU work belongs to a request by its launching call (%d rows), by its "
      .. "own start where no call is known or the rule is about GPU work (%d rows)")
      :format(left.by_launch, left.by_time)
  end
  if of.kind == "measured" and of.map then
    basis[#basis + 1] = "a request ends with its window, or with its last row where that is later"
  end
  if left.unmapped then
    basis[#basis + 1] = "unmapped: GPU work that no stage takes, by name; host time in requests, "
      .. "the outermost range or call on each thread that neither is nor holds a stage's"
  end
  if left.slice_of then
    basis[#basis + 1] = ("%d of %d requests; what is unmapped or left out covers all")
      :format(of.count, left.slice_of)
  end
  return basis
end

--- The answer.
---@param of tandem.Visits
---@param left table  counts, as visits:left() of core has them
---@return tandem.Answer
function coverage.answer(of, left)
  local requests, all_ns = of:requests(), 0
  for i, arrival in ipairs(requests.arrival_ns) do
    all_ns = all_ns + (requests.end_ns[i] - arrival)
  end
  local stages = stage_rows(of, left, all_ns)
  local raw = { basis = say(of, left), cannot = {}, frames = {
    { name = "stages", columns = { "stage" }, rows = stages },
    { name = "time", columns = { "part" }, rows = time_rows(of, stages, all_ns) },
    { name = "unmapped", columns = { "where", "name" }, rows = unmapped_rows(left) },
    { name = "left_out", columns = { "what" }, rows = left_rows(left) } } }
  local made = answers.new("coverage", coverage.description, { run = of.run or {}, filter = {} },
    raw)
  made.visits = of
  return made
end

return coverage
