--- The stages that repeat in the requests of a candidate.
--
-- Owns the choice: the child ranges of the one nesting level that tells most instants of a request
-- apart, then copies by kind, collectives, kernels. Counting is C's (src/analysis/candidates) and
-- SQL's by distinct name. Called by propose.lua.
local names = require "tandem.map.names"

local repeating = {}

local MOST_RANGES <const>, MOST_KERNELS <const> = 8, 6
local LEAST_SHARE <const> = 0.01   -- of the requests' time, for a range to be a stage
local LEAST_KERNEL <const> = 0.05  -- of a period's work, for a kernel to be a stage of its own
local LEAST_COPY <const> = 0.001   -- of all GPU work
local LEAST_TOLD <const> = 0.05    -- a level that tells less apart is none
local LEAST_OPS <const> = 0.6      -- of the requests' time that operators as stages must cover
local LEAST_LAUNCHED <const> = 0.05 -- of the requests' GPU work, for a range to have a stage of it
local MARKED <const> = 0.8         -- of it that marks must cover for operators to be no stage
local COPY_NAMES <const> = { HtoD = "h2d", DtoH = "d2h", DtoD = "d2d", PtoP = "p2p" }

-- ---- ranges ----

-- The levels of the ranges inside: lists of rows by class and level.
local function levels_of(inside, classes)
  local levels, order = {}, {}
  for _, row in ipairs(inside.rows) do
    local key = row.class .. row.level
    if classes[row.class] then
      if not levels[key] then levels[key], order[#order + 1] = {}, key end
      levels[key][#levels[key] + 1] = row
    end
  end
  table.sort(order)
  return levels, order
end

-- How many instants of a request the ranges of a level tell apart: the chance that two of them lie
-- in different ranges (Gini's impurity, the rest left out).
local function told_apart(rows, total_ns)
  local sum = 0
  for _, row in ipairs(rows) do
    local share = math.min(1, row.total_ns / total_ns)
    sum = sum + share * (1 - share)
  end
  return sum
end

-- Those ranges of a level that most requests have, in order of the pipeline.
local function usual(rows, requests, total_ns)
  local kept = {}
  for _, row in ipairs(rows) do
    local long = row.total_ns >= LEAST_SHARE * total_ns
    if row.name ~= "" and row.requests >= requests / 2 and long then
      kept[#kept + 1] = row
    end
  end
  table.sort(kept, function(a, b)
    if a.total_ns ~= b.total_ns then return a.total_ns > b.total_ns end
    return a.name < b.name
  end)
  for i = #kept, MOST_RANGES + 1, -1 do kept[i] = nil end
  table.sort(kept, function(a, b)
    if a.offset_ns ~= b.offset_ns then return a.offset_ns < b.offset_ns end
    return a.name < b.name
  end)
  return kept
end

local CLASSES <const> = { mark = { { mark = true }, { op = true } },
  unit = { { mark = true }, { module = true }, { op = true } }, -- a mark that came once
  module = { { module = true }, { mark = true }, { op = true } }, op = { { op = true } } }

local function best_level(inside, class, requests, total_ns)
  local function covers(rows)
    local sum = 0
    for _, row in ipairs(rows) do sum = sum + row.total_ns end
    return sum / total_ns
  end
  for _, classes in ipairs(CLASSES[class]) do
    local levels, order = levels_of(inside, classes)
    local best, best_told = nil, LEAST_TOLD
    for _, key in ipairs(order) do
      local rows = usual(levels[key], requests, total_ns)
      local told = told_apart(rows, total_ns)
      -- Deeper only when it tells clearly more.
      local enough = not classes.op or covers(rows) >= LEAST_OPS
      if enough and told > best_told * (best and 1.1 or 1) then best, best_told = rows, told end
    end
    if best then return best, (next(classes)) end
  end
end

local function add_ranges(view, candidate, stages, taken, globs)
  local range = candidate.range
  local counted, message, code = view:count("candidate-inside", { name = range.name,
    category = range.category })
  if not counted then return nil, message, code end
  local all = counted.frames[2].rows[1]
  local rows, class = {}, nil
  if all.requests > 0 and all.total_ns > 0 then
    rows, class = best_level(counted.frames[1], candidate.tier == 2 and "unit" or range.class,
      all.requests, all.total_ns)
  end
  local covered, launched, launched_ns, gpu_ns = 0, {}, 0, range.gpu_ns or 0
  for _, row in ipairs(rows or {}) do
    local glob = names.range({ name = row.name, names = 2, count = 2 }, globs)
    local name = names.unique(names.stage(row.name), taken)
    stages[#stages + 1] = { name, range = glob }
    covered = covered + row.total_ns
    if class ~= "op" and gpu_ns > 0 and row.gpu_ns >= LEAST_LAUNCHED * gpu_ns then
      launched_ns = launched_ns + row.gpu_ns
      launched[#launched + 1] = { name .. " gpu", range = glob, on = "gpu" }
    end
  end
  if #launched < 2 or launched_ns < gpu_ns / 2 then launched = {} end
  local ops = false
  for _, row in ipairs(counted.frames[1].rows) do
    ops = ops or (row.class == "op" and row.category == "cpu_op")
  end
  return { covered = all.total_ns > 0 and covered / all.total_ns or 0, class = class, ops = ops,
    launched = launched }
end

-- ---- GPU work ----

local function no_work()
  return { total_ns = 0, copies = {}, comm_ns = 0, memset_ns = 0, graph_ns = 0, kernel_ns = 0 }
end

-- What the GPUs did, by what a stage could say of it.
local function work_of(view)
  local work = no_work()
  for row in view.run.store:query { "SELECT category, kind, lane = 'COMM' AS comm, count(*) AS n,"
    .. " CAST(total(dur_ns) AS INTEGER) AS ns FROM span WHERE run = ? AND category IN ('kernel',"
    .. " 'memcpy', 'memset', 'graph') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", view.run.number } do
    work.total_ns = work.total_ns + row.ns
    if row.category == "memcpy" then
      local kind = row.kind or "?"
      work.copies[kind] = (work.copies[kind] or 0) + row.ns
      work.copy_ns = (work.copy_ns or 0) + row.ns
    elseif row.comm == 1 then
      work.comm_ns = work.comm_ns + row.ns
    else
      local key = row.category .. "_ns"
      work[key] = work[key] + row.ns
    end
  end
  return work
end

local function add_copies(work, stages, taken, only)
  local function worth(kind) return (work.copies[kind] or 0) > LEAST_COPY * work.total_ns end
  local rest = false
  for _, kind in ipairs { "HtoD", "DtoH", "DtoD", "PtoP" } do
    if only == nil or only == kind then
      local main = kind == "HtoD" or kind == "DtoH"
      if main and work.copies[kind] or worth(kind) then
        stages[#stages + 1] = { names.unique(COPY_NAMES[kind], taken), copy = kind }
      end
    end
  end
  if only then return end
  for kind in pairs(work.copies) do rest = rest or not COPY_NAMES[kind] and worth(kind) end
  if rest then stages[#stages + 1] = { names.unique("other copies", taken), copy = "*" } end
end

-- What the collectives are: "allreduce" where there is one kind of them.
local function comm_name(view)
  local found
  for row in view.run.store:query { "SELECT DISTINCT name FROM span WHERE run = ? AND category ="
    .. " 'kernel' AND lane = 'COMM'", view.run.number } do
    local text = row.name:lower()
    local word = text:find "allreduce" and "allreduce" or text:find "allgather" and "allgather"
      or text:find "reducescatter" and "reducescatter" or text:find "broadcast" and "broadcast"
      or text:find "sendrecv" and "sendrecv" or "collectives"
    found = (found == nil or found == word) and word or "collectives"
  end
  return found or "collectives"
end

local function add_comm(view, work, stages, taken)
  if work.comm_ns > 0 then
    stages[#stages + 1] = { names.unique(comm_name(view), taken), comm = "*" }
  end
end

local function add_rest(work, stages, taken, compute)
  if work.kernel_ns > 0 then
    stages[#stages + 1] = { names.unique(compute, taken), kernel = "*" }
  end
  if work.graph_ns > 0 then
    stages[#stages + 1] = { names.unique("graph", taken), graph = "*" }
  end
  if work.memset_ns > LEAST_COPY * work.total_ns then
    stages[#stages + 1] = { names.unique("memset", taken), memset = "*" }
  end
end

-- What a kernel is for; what no rule knows is told by its own name.
local function purpose_of(category_rules, name)
  local labels = category_rules and category_rules.set:match(name)
  local word = labels and labels.category
  if word and word ~= "other" then return (word:gsub("_", " ")) end
  return names.stage(names.base_of(name))
end

-- The kernels of a period by what they are for: those that take most of it and have a pattern that
-- can be read, in order of their first positions; and whether there are more.
local function main_groups(rows, all, total_ns)
  local category_rules, groups, order = require("tandem.categories.choose").rules {}, {}, {}
  for _, row in ipairs(rows) do
    local word = purpose_of(category_rules, row.name)
    if not groups[word] then
      groups[word] = { word = word, names = {}, others = {}, work_ns = 0, position = #order }
      order[#order + 1] = groups[word]
    end
    local group = groups[word]
    group.names[#group.names + 1] = row.name
    group.work_ns = group.work_ns + row.work_ns
  end
  table.sort(order, function(a, b)
    if a.work_ns ~= b.work_ns then return a.work_ns > b.work_ns end
    return a.position < b.position
  end)
  local purpose = {}
  for i, name in ipairs(all) do purpose[i] = purpose_of(category_rules, name) end
  local kept = {}
  for _, group in ipairs(order) do
    -- Its pattern may take kernels for the same purpose that the period lacks.
    for i, name in ipairs(all) do
      if purpose[i] ~= group.word then group.others[#group.others + 1] = name end
    end
    group.glob = #kept < MOST_KERNELS and group.work_ns >= LEAST_KERNEL * total_ns
      and names.group(group.names, group.others) or nil
    if group.glob then kept[#kept + 1] = group end
  end
  table.sort(kept, function(a, b) return a.position < b.position end)
  return kept, #order > #kept
end

-- ---- the stages of each kind of request ----

-- Kernels by what they are for, as stages, where nothing else tells those of a request apart; what
-- is left is "other kernels".
local function add_kernel_groups(view, work, stages, taken)
  local rows = {}
  for row in view.run.store:query { "SELECT name, CAST(total(dur_ns) AS INTEGER) AS work_ns,"
    .. " min(start_ns) AS first FROM span WHERE run = ? AND category = 'kernel' AND lane <> 'COMM'"
    .. " GROUP BY name ORDER BY first, name", view.run.number } do rows[#rows + 1] = row end
  local all = require("tandem.map.requests").distinct_kernels(view)
  local groups, more = main_groups(rows, all, work.kernel_ns)
  if #groups < 2 then groups, more = {}, true end
  for _, group in ipairs(groups) do
    stages[#stages + 1] = { names.unique(group.word, taken), kernel = group.glob }
  end
  add_rest({ kernel_ns = more and 1 or 0, graph_ns = work.graph_ns, memset_ns = work.memset_ns,
    total_ns = work.total_ns }, stages, taken, #groups > 0 and "other kernels" or "compute")
end

local function of_range(view, candidate, globs)
  local stages, taken, work = {}, {}, work_of(view)
  local inside, message, code = add_ranges(view, candidate, stages, taken, globs)
  if not inside then return nil, message, code end
  if work.total_ns > 0 then
    add_copies(work, stages, taken, "HtoD")
    add_copies(work, stages, taken, "DtoD")
    add_copies(work, stages, taken, "PtoP")
    add_comm(view, work, stages, taken)
    -- Where several of the ranges launch most of the work, whose it is tells more than that it is
    -- a kernel.
    local told = #inside.launched > 0
    if told then add_copies(work, stages, taken, "DtoH") end
    table.move(inside.launched, 1, #inside.launched, #stages + 1, stages)
    if candidate.tier == 2 and not told then
      add_kernel_groups(view, work, stages, taken)
    else
      add_rest(work, stages, taken, told and "other compute" or "compute")
    end
    if not told then add_copies(work, stages, taken, "DtoH") end
  end
  -- Host time that no inner range holds: the operators, else the request's own range.
  if inside.ops and inside.covered < MARKED and inside.class ~= "op" then
    stages[#stages + 1] = { names.unique("operators", taken), op = "*" }
  elseif #stages == 0 then
    stages[1] = { names.stage(candidate.rule.range), range = candidate.rule.range }
  end
  return stages
end

local function of_sequence(view)
  local stages, taken, work = {}, {}, work_of(view)
  add_copies(work, stages, taken, "HtoD")
  add_copies(work, stages, taken, "DtoD")
  add_copies(work, stages, taken, "PtoP")
  add_comm(view, work, stages, taken)
  add_rest(work, stages, taken, "compute")
  add_copies(work, stages, taken, "DtoH")
  return stages
end

local function of_period(view, candidate)
  local counted, message, code = view:count("candidate-periods", { start = candidate.start })
  if not counted then return nil, message, code end
  local stages, taken, total_ns, kernels = {}, {}, 0, {}
  local work = no_work()
  local comm = require("tandem.map.pattern").matcher "/nccl|rccl|hccl/"
  for _, row in ipairs(counted.frames[1].rows) do
    total_ns = total_ns + row.work_ns
    if row.class == "kernel" and comm(row.name:lower()) then
      work.comm_ns = work.comm_ns + row.work_ns
    elseif row.class == "kernel" then
      kernels[#kernels + 1] = row
    elseif row.class == "copy" and row.kind then
      work.copies[row.kind] = (work.copies[row.kind] or 0) + row.work_ns
    elseif work[row.class .. "_ns"] then
      work[row.class .. "_ns"] = work[row.class .. "_ns"] + row.work_ns
    end
  end
  work.total_ns = total_ns
  add_copies(work, stages, taken)
  add_comm(view, work, stages, taken)
  local all = require("tandem.map.requests").distinct_kernels(view)
  local groups, more = main_groups(kernels, all, total_ns)
  for _, group in ipairs(groups) do
    stages[#stages + 1] = { names.unique(group.word, taken), kernel = group.glob }
  end
  work.kernel_ns = more and 1 or 0
  add_rest(work, stages, taken, #groups > 0 and "other kernels" or "compute")
  return stages
end

local function of_phases()
  return { { "input", phase = "input" }, { "execute", phase = "execute" },
    { "retrieve", phase = "retrieve" } }
end

-- Numbers in the names of the requests, in the order in which these came.
local function sizes_of(view, candidate)
  local range = candidate.range
  if not range or not range.example:find "%d" then return nil end
  if range.names == 1 and range.count > 1 then return nil end
  local matches, distinct = require("tandem.map.pattern").matcher(range.name), {}
  for row in view.run.store:query { "SELECT name, min(start_ns) AS first FROM span WHERE run = ?"
    .. " AND category = ? GROUP BY name ORDER BY first, name", view.run.number, range.category } do
    if matches(row.name) then distinct[#distinct + 1] = row.name end
  end
  if #distinct == 0 then return nil end
  return (names.sizes(distinct))
end

--- The map of a candidate as a plain table; stages may be none.
---@param view tandem.View
---@param candidate tandem.RequestCandidate
---@param globs string[]  of all ranges
---@return table|nil raw
---@return string|nil message
---@return integer|nil code
function repeating.map(view, candidate, globs)
  local makers = { range = of_range, sequence = of_sequence, starts = of_period,
    phases = of_phases }
  local stages, message, code = makers[candidate.kind](view, candidate, globs)
  if not stages then return nil, message, code end
  return { request = candidate.rule, sizes = sizes_of(view, candidate), stages = stages }
end

return repeating
