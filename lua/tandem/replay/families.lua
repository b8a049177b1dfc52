--- Sessions of agents in the order in which they arrive, each with the sub-agents that its turns
-- begin.
-- Owns how read sessions become columns of a model; when they come is schedule.lua's, what was
-- read sessions.lua's. Called by tandem.replay.

local blocks = require "tandem.replay.blocks"
local schedule = require "tandem.replay.schedule"

local families = {}

-- Rows of each thread, and the threads that are begun by a row; rows are as they were read.
local function threads_of(rec)
  local of, roots, begun = {}, {}, {}
  for i = 1, rec.count do
    local name = rec.sessions[i]
    local thread = of[name]
    if not thread then
      thread = { rows = {} }
      of[name] = thread
      local by = rec.begun_by[name]
      if by then
        begun[by] = begun[by] or {}
        table.insert(begun[by], thread)
      else
        roots[#roots + 1] = thread
      end
    end
    table.insert(thread.rows, i)
  end
  return roots, begun
end

-- Where each session has a clock of its own, nobody knows when they began: they come at once, or
-- evenly where a rate is asked for. Returns options of the schedule, too.
local function times_of(rec, roots, options)
  local times = {}
  if rec.local_clock then
    local evenly = (options.rps or options.time) and not (options.from or options.to)
    for k in ipairs(roots) do times[k] = evenly and k - 1.0 or 0.0 end
    if not evenly then return times, 0.0, options end
    local whole = {}
    for key, value in pairs(options) do whole[key] = value end
    whole.to, whole.limit = #roots, nil
    return times, 0.0, whole
  end
  local origin = math.huge
  for _, thread in ipairs(roots) do origin = math.min(origin, rec.ticks[thread.rows[1]]) end
  table.sort(roots, function(a, b)
    local x, y = rec.ticks[a.rows[1]], rec.ticks[b.rows[1]]
    if x ~= y then return x < y end
    return a.rows[1] < b.rows[1]
  end)
  for k, thread in ipairs(roots) do times[k] = rec.ticks[thread.rows[1]] - origin end
  return times, origin, options
end

-- A thread's rows, then those of the threads they begin.
local function add_thread(rec, out, thread, begun, copy)
  local unit, began = #out.turns, {}
  out.turns[unit + 1] = out.count
  for _, i in ipairs(thread.rows) do
    local n = out.count + 1
    for name, values in pairs(rec.attrs) do out.attrs[name][n] = values[i] end
    out.attrs.turns[n] = #thread.rows + 0.0
    if rec.blocks then
      blocks.add_row(out.blocks, rec.blocks[i], copy * (rec.distinct or 0))
    end
    if rec.joins[i] then out.joins[#out.joins + 1] = n - 1 end
    if begun[i] then began[#began + 1] = { row = n - 1, threads = begun[i] } end
    out.count = n
  end
  for _, one in ipairs(began) do
    for _, child in ipairs(one.threads) do
      local number = add_thread(rec, out, child, begun, copy)
      out.pairs[#out.pairs + 1] = { row = one.row, unit = number }
    end
  end
  return unit
end

--- Columns of the sessions that arrive.
---@param rec tandem.Recorded
---@param options table  the keys of td.replay
---@return tandem.ReplayData|nil
---@return string|nil problem
---@return string|nil key
function families.arrange(rec, options)
  local roots, begun = threads_of(rec)
  local times, origin, pace = times_of(rec, roots, options)
  local plan, problem, key = schedule.make(times, pace)
  if not plan then return nil, problem, key end
  local out = { count = 0, attrs = { turns = {} }, turns = {}, roots = {}, joins = {}, pairs = {},
    blocks = rec.blocks and blocks.rows(rec.block_tokens) or nil }
  for name in pairs(rec.attrs) do out.attrs[name] = {} end
  for k, number in ipairs(plan.units) do
    local copy = plan.copies and plan.copies[k] or 0
    out.roots[k] = add_thread(rec, out, roots[number], begun, copy)
  end
  if out.blocks and out.blocks.count == 0 then out.blocks = nil end
  table.sort(out.pairs, function(a, b)
    if a.row ~= b.row then return a.row < b.row end
    return a.unit < b.unit
  end)
  out.begun = {}
  for _, pair in ipairs(out.pairs) do
    out.begun[#out.begun + 1] = pair.row
    out.begun[#out.begun + 1] = pair.unit
  end
  out.pairs = nil
  if #out.joins == 0 then out.joins = nil end
  if #out.begun == 0 then out.roots, out.begun, out.joins = nil, nil, nil end
  out.times, out.period = plan.times, plan.period
  out.origin = { tick = origin, scale = 1.0, from = options.from or 0, speed = plan.speed }
  return out
end

return families
