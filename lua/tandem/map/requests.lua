--- What may be the requests of a run: candidates, best first.
--
-- Owns the ranking. Ranges that a person marked, that repeat and that hold most of the GPU work
-- come first; then a mark that came once, is named as one step or request and holds nearly all of
-- it: what repeats in it (layers) is a part, unless the outermost of PyTorch's modules repeats;
-- then what repeats without marks (modules, copies and kernels in turn, kernels that begin a
-- period, phases where only API calls are known); then other marks that came once; operators last.
-- Counting is C's (src/analysis/candidates).
local format = require "tandem.text.format"
local names = require "tandem.map.names"

local requests = {}

---@class tandem.RequestCandidate
---@field rule tandem.MapRequest
---@field kind "range"|"sequence"|"starts"|"phases"
---@field tier integer     1: marked and repeated, 2: marked once, as one, 3: repeated, 4: marked
---                        once, 5: operators
---@field once? boolean    a person marked it, but it came once only
---@field score number     within its tier
---@field count integer    how often it came
---@field why string       one sentence
---@field range? table     the row of candidate-ranges
---@field start? string    the name of the work that begins a period
---@field sequence? string[]
---@field sizes? table<string, string>

local LEAST_SHARE <const> = 0.5 -- of the GPU work around it that a mark must hold
local LEAST_REPEATS <const> = 3 -- of what nobody marked
local LEAST_FOUND <const> = 0.25 -- of the GPU work that what nobody marked must hold
-- How much what repeats says: a module's name is a person's word, an operator is too fine.
local WEIGHT <const> = { module = 2, sequence = 1, starts = 1 }
-- Names of what is served or trained again and again, and of what comes before.
local WORDS <const> = { "step", "iter", "batch", "request", "forward", "infer", "execute",
  "generat", "measure", "decode", "prefill" }
-- Those that are said of one of them; "steps" and "training loop" are not.
local UNITS <const> = { "step", "iter", "iteration", "batch", "request", "forward", "execute",
  "decode", "prefill" }
local LEAST_OF_UNIT <const> = 0.9 -- of the GPU work around it that one such must hold
local BEFORE <const> = { "warmup", "warm_up", "warm-up", "dummy", "compile" }

local function has_word(name, words)
  name = name:lower()
  for _, word in ipairs(words) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

local function is_unit(name)
  name = name:lower()
  for _, word in ipairs(UNITS) do
    if name:find(word .. "%f[%A]") and not name:find(word .. "%W*loop") then return true end
  end
  return false
end

local function percent(share) return ("%.0f %%"):format(100 * share) end

-- ---- ranges ----

-- Of a run without GPU work, the time of ranges is held against the widest of them, since a server
-- may be idle for most of the run.
local function most_time(rows)
  local most = 0
  for _, row in ipairs(rows) do most = math.max(most, row.time_share or 0) end
  return most
end

-- Modules say themselves what is the whole: the outermost that holds nearly all of the GPU work
-- repeats in a step of several forward passes.
local function modules_repeat(rows)
  local outermost
  for _, row in ipairs(rows) do
    if row.class == "module" and (row.gpu_share or 0) >= LEAST_OF_UNIT
      and (not outermost or row.total_ns > outermost.total_ns) then outermost = row end
  end
  return outermost ~= nil and outermost.count >= LEAST_REPEATS
end

local function range_candidate(row, globs, most, modules)
  if row.name == "" then return nil end
  local of_time = most > 0 and (row.time_share or 0) / most or 0
  local share, repeats = row.gpu_share or of_time, row.count / (row.count + 1)
  local near = row.local_share or row.gpu_share or of_time
  local made = { kind = "range", range = row, count = row.count }
  if row.class == "mark" and row.count >= 2 and near >= LEAST_SHARE then
    made.tier, made.score = 1, share * repeats
  elseif row.class == "mark" and row.count == 1 then
    local unit = not modules and near >= LEAST_OF_UNIT and is_unit(row.name)
      and not has_word(row.name, BEFORE)
    made.once, made.tier = true, unit and 2 or 4
    made.score = share + (has_word(row.name, WORDS) and 1 or 0)
  elseif row.count >= LEAST_REPEATS then
    made.tier = row.class == "op" and 5 or 3
    made.score = share ^ 2 * repeats * (WEIGHT[row.class] or 1)
    if share < LEAST_FOUND then return nil end
  else
    return nil
  end
  if has_word(row.name, BEFORE) then made.score = made.score / 4 end
  made.rule = { range = names.range(row, globs) }
  made.why = ("%s %s%s"):format(format.integer(row.count), row.count == 1 and "range" or "ranges",
    row.gpu_share and (" in which %s of the GPU work was launched"):format(percent(row.gpu_share))
      or (" over %s of the time"):format(percent(math.min(1, row.time_share or 0))))
  if made.tier == 2 then made.why = made.why .. ", named as one" end
  return made
end

-- The same glob in two categories would take the rows of both.
local function add_categories(made)
  for _, one in ipairs(made) do
    for _, other in ipairs(made) do
      if one ~= other and one.rule.range == other.rule.range
        and one.range.category ~= other.range.category then
        one.rule.category = one.range.category
      end
    end
  end
end

-- A range that comes as often as a wider one is a stage of it.
local function is_part(one, better)
  return one.count == better.count and one.range.total_ns <= better.range.total_ns
    and one.range.first_ns >= better.range.first_ns and one.range.last_ns <= better.range.last_ns
end

-- Whether a range repeats around another one that comes more often.
local function is_around(outer, inner)
  local least = outer.tier == 1 and 2 or LEAST_REPEATS
  local a, b = outer.range, inner.range
  return outer.tier == inner.tier and outer.count >= least and inner.count >= 2 * outer.count
    and (a.gpu_share or 0) >= (b.gpu_share or 0) and a.total_ns > b.total_ns
    and a.first_ns <= b.first_ns and a.last_ns >= b.last_ns
end

-- A request is the outermost that repeats: what lies in it (layers of a forward pass) comes more
-- often, and is a stage of it.
local function put_outermost_first(kept)
  for _, outer in ipairs(kept) do
    local most
    for _, inner in ipairs(kept) do
      if inner ~= outer and is_around(outer, inner) and (not most or inner.score > most.score) then
        most = inner
      end
    end
    if most then
      outer.score = math.max(outer.score, 1.01 * most.score)
      outer.why = ("%s; the outermost that repeat, each around %s of %s"):format(outer.why,
        format.integer(most.count // outer.count), most.rule.range)
    end
  end
end

local function ranges(view, add)
  local counted, message, code = view:count("candidate-ranges", { limit = 60 })
  if not counted then return nil, message, code end
  local rows, globs, made = counted.frames[1].rows, {}, {}
  for i, row in ipairs(rows) do globs[i] = row.name end
  local most, modules = most_time(rows), modules_repeat(rows)
  for _, row in ipairs(rows) do made[#made + 1] = range_candidate(row, globs, most, modules) end
  add_categories(made)
  table.sort(made, function(a, b)
    if a.tier ~= b.tier then return a.tier < b.tier end
    if a.range.total_ns ~= b.range.total_ns then return a.range.total_ns > b.range.total_ns end
    return a.rule.range < b.rule.range
  end)
  local kept = {}
  for _, one in ipairs(made) do
    local part = false
    for _, better in ipairs(kept) do
      part = part or (one.tier == better.tier and one.tier ~= 4
        and one.range.class == better.range.class and is_part(one, better))
    end
    if not part then kept[#kept + 1] = one end
  end
  put_outermost_first(kept)
  for _, one in ipairs(kept) do add(one) end
  return true
end

-- ---- GPU work ----

local function sequences(view, add)
  local counted, message, code = view:count "candidate-sequences"
  if not counted then return nil, message, code end
  local seen = {}
  for _, row in ipairs(counted.frames[1].rows) do -- streams before devices
    if row.count >= LEAST_REPEATS and row.count >= row.begun / 2 and row.share >= LEAST_FOUND
      and not seen[row.sequence .. row.count] then
      seen[row.sequence .. row.count] = true
      local steps = {}
      for word in row.sequence:gmatch "%S+" do steps[#steps + 1] = word end
      -- Copies on a stream of their own overlap those of the next: a stream's order says more.
      local whole = (#steps == 3 and 1.2 or 1) * (row.each == "stream" and 1 or 0.7)
      add { kind = "sequence", tier = 3, count = row.count, sequence = steps,
        rule = { sequence = steps, each = row.each },
        score = row.share ^ 2 * row.count / (row.count + 1) * WEIGHT.sequence * whole,
        why = ("%s times %s on a %s, with %s of the GPU work"):format(format.integer(row.count),
          table.concat(steps, ", "), row.each, percent(row.share)) }
    end
  end
  return true
end

local MOST_BEGINNINGS <const> = 3

local READABLE <const> = 60
local function same_period(a, b)
  return a.periods == b.periods and a.length == b.length
    and math.abs(a.work_ns - b.work_ns) <= 0.03 * b.work_ns
end

local function distinct_kernels(view)
  local list = {}
  for row in view.run.store:query { "SELECT DISTINCT name FROM span WHERE run = ? AND category IN"
    .. " ('kernel', 'graph') ORDER BY name", view.run.number } do list[#list + 1] = row.name end
  return list
end
requests.distinct_kernels = distinct_kernels

-- Of kernels that begin periods of the same work, the first whose pattern can be read.
local function beginning(group, all)
  table.sort(group, function(a, b)
    if a.first_ns ~= b.first_ns then return a.first_ns < b.first_ns end
    return a.name < b.name
  end)
  local shortest, its_row
  for _, row in ipairs(group) do
    local glob = names.glob(row.name, all)
    if #glob <= READABLE then return row, glob end
    if not shortest or #glob < #shortest then shortest, its_row = glob, row end
  end
  return its_row, shortest
end

local function periods(view, add)
  local counted, message, code = view:count("candidate-periods", { limit = 200 })
  if not counted then return nil, message, code end
  local groups = {}
  for _, row in ipairs(counted.frames[1].rows) do
    -- A name that recurs within its own period cuts it in pieces.
    local whole = row.count <= 1.5 * (row.periods + row.streams)
    if whole and row.periods >= LEAST_REPEATS - 1 and row.share >= LEAST_FOUND then
      local found
      for _, group in ipairs(groups) do found = found or same_period(row, group[1]) and group end
      if not found then
        found = {}
        groups[#groups + 1] = found
      end
      found[#found + 1] = row
    end
  end
  local all = groups[1] and distinct_kernels(view)
  for i = 1, math.min(#groups, MOST_BEGINNINGS) do
    local best, glob = beginning(groups[i], all)
    add { kind = "starts", tier = 3, count = best.periods, start = best.name,
      rule = { starts = { kernel = glob },
        each = best.streams > best.devices and "stream" or "device" },
      score = best.share ^ 2 * best.periods / (best.periods + 1) * WEIGHT.starts,
      why = ("%s periods of the same %s kernels and copies, with %s of the GPU work"):format(
        format.integer(best.periods), format.integer(best.length), percent(best.share)) }
  end
  return true
end

-- ---- calls alone ----

local function times_text(count)
  if not count then return "never" end
  return count == 1 and "once" or format.integer(count) .. " times"
end

local function phases(view, add)
  if view.run.store.db:one("SELECT 1 AS any FROM layout WHERE run = ? AND category IN ('kernel',"
    .. " 'memcpy', 'graph')", view.run.number) then return true end
  local counted, message, code = view:count("phases", {})
  if not counted then return nil, message, code end
  local times = {}
  for _, row in ipairs(counted.frames[1] and counted.frames[1].rows or {}) do
    if row.phase then times[row.phase] = (times[row.phase] or 0) + (row.times or row.count or 0) end
  end
  local count = math.min(times.input or 0, times.execute or 0)
  if count < 1 then return true end
  add { kind = "phases", tier = count > 1 and 3 or 4, once = count == 1, count = count, score = 0.5,
    rule = { phases = true },
    why = ("API calls alone: input %s, execute %s, retrieve %s"):format(times_text(times.input),
      times_text(times.execute), times_text(times.retrieve)) }
  return true
end

--- All candidates of a run, best first.
---@param view tandem.View
---@return tandem.RequestCandidate[]|nil
---@return string|nil message
---@return integer|nil code
function requests.of(view)
  local made = {}
  local function add(one) made[#made + 1] = one end
  for _, search in ipairs { ranges, sequences, periods, phases } do
    local ok, message, code = search(view, add)
    if not ok then return nil, message, code end
  end
  for i, one in ipairs(made) do one.found = i end
  table.sort(made, function(a, b)
    if a.tier ~= b.tier then return a.tier < b.tier end
    if a.score ~= b.score then return a.score > b.score end
    return a.found < b.found
  end)
  return made
end

return requests
