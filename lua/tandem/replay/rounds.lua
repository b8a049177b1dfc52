--- Sessions that stand line by line, a round each: TraceLab's, and Mooncake's with `session_id`.
-- Called by tandem.replay.sessions.

local blocks = require "tandem.replay.blocks"
local sessions = require "tandem.replay.sessions"
local text = require "tandem.replay.text"

local rounds = {}
local count, problem = sessions.count, sessions.problem

-- What `of` makes of the rows of each session, sessions in the order in which they come up. What is
-- wrong with a row is told when its session is taken.
local function by_session(source, keep, of)
  local groups, order = {}, {}
  local next_row = sessions.objects(source, keep)
  while true do
    local row, number = next_row()
    if not row and number then return nil, number end
    if not row then return order end
    local id = row.session_id
    if type(id) == "number" then id = tostring(id) end
    if type(id) ~= "string" then return nil, ("line %d: has no session_id"):format(number) end
    if not groups[id] then
      groups[id] = {}
      order[#order + 1] = groups[id]
    end
    local one, wrong = of(row, ("line %d"):format(number))
    one = one or { wrong = wrong }
    one.line = number
    table.insert(groups[id], one)
  end
end

-- ---- TraceLab

-- Its prompts are told by how much of each was there before, in tokens: named in blocks of so many.
local BLOCK <const> = 64

local given = { user_message = true, tool_result = true }

-- When a round began (all it was told was there), when its answer was, whether a user spoke.
local function times_of(row, where)
  local start, stop, user
  local events = row.timing_events
  if type(events) ~= "table" then return problem(where, "has no timing_events") end
  for _, event in ipairs(events) do
    local at = type(event) == "table" and type(event.timestamp) == "string"
      and text.timestamp_ns(event.timestamp)
    if not at then return problem(where, "an event has no timestamp") end
    if given[event.event_type] then
      start = math.max(start or at, at)
      user = user or event.event_type == "user_message"
    else
      stop = math.max(stop or at, at)
    end
  end
  start, stop = start or stop, stop or start
  if not start then return problem(where, "has no timing_events") end
  return start, math.max(start, stop), user
end

local TRACELAB <const> = { session_id = true, round_index = true, input_tokens_total = true,
  output_tokens = true, prefix_tokens = true, timing_events = true, timestamp = true,
  event_type = true }

local function tracelab_round(row, where)
  local prompt, output = count(row.input_tokens_total), count(row.output_tokens)
  if not (prompt and output) then
    return problem(where, "wants numbers input_tokens_total and output_tokens from 0")
  end
  local start, stop, user = times_of(row, where)
  if not start then return nil, stop end
  return { round = count(row.round_index) or 0, prompt = prompt, output = output, start = start,
    stop = stop, user = user, prefix = count(row.prefix_tokens) or 0 }
end

function rounds.tracelab(source, options)
  local order, wrong = by_session(source, TRACELAB, tracelab_round)
  if not order then return nil, wrong end
  local columns, origin, next_id = sessions.columns(BLOCK), nil, 0
  columns.rec.local_clock = false
  for k, group in ipairs(order) do
    if options.limit and k > options.limit then break end
    table.sort(group, function(a, b)
      if a.round ~= b.round then return (a.round or 0) < (b.round or 0) end
      return a.line < b.line
    end)
    local turns, chain = {}, {}
    for i, one in ipairs(group) do
      if one.wrong then return nil, one.wrong end
      origin = origin or one.start
      local whole = one.prompt // BLOCK
      local runs, known = blocks.first(chain, math.min(one.prefix, one.prompt) // BLOCK)
      blocks.extend(runs, next_id, whole - known)
      next_id = next_id + whole - known
      turns[i] = { start = (one.start - origin) / 1e9, stop = (one.stop - origin) / 1e9,
        prompt = one.prompt, output = one.output, runs = runs, tool = one.user and 0 or math.huge }
      chain = runs
    end
    sessions.add(columns, turns)
    order[k] = false -- its rows are done with
  end
  columns.rec.distinct = next_id
  return columns
end

-- ---- Mooncake with sessions

-- The size of a block is not in the file: of the sizes in use, the first with which all rows agree.
local sizes = { 512, 16, 64, 32, 128, 256, 1024 }

local function agrees(size, lengths)
  for _, one in ipairs(lengths) do
    local whole = one.tokens / size
    if one.ids ~= math.ceil(whole) and one.ids ~= math.floor(whole) then return false end
  end
  return true
end

local MOONCAKE <const> = { session_id = true, input_length = true, output_length = true,
  timestamp = true, delay = true, hash_ids = true }

-- Of the rows of a file; numbers of blocks are its own, until sessions.add gives others.
local function mooncake_rows()
  local intern = blocks.interner()
  return function(row, where)
    local runs, number = {}, 0
    for _, id in ipairs(type(row.hash_ids) == "table" and row.hash_ids or {}) do
      blocks.push(runs, intern(id))
      number = number + 1
    end
    local out = { prompt = count(row.input_length), output = count(row.output_length),
      delay = count(row.delay), at = count(row.timestamp), ids = runs, id_count = number }
    if not (out.prompt and out.output) then
      out.wrong = where .. ": wants numbers input_length and output_length from 0"
    end
    return out
  end
end

local function block_size(order)
  local lengths = {}
  for _, group in ipairs(order) do
    for _, one in ipairs(group) do
      if one.id_count > 0 and one.prompt then
        lengths[#lengths + 1] = { tokens = one.prompt, ids = one.id_count }
      end
    end
  end
  for _, size in ipairs(sizes) do
    if agrees(size, lengths) then return size end
  end
  return nil, "hash_ids fit blocks of no usual size; say hash_tokens = tokens of each"
end

function rounds.mooncake(source, options)
  local order, wrong = by_session(source, MOONCAKE, mooncake_rows())
  if not order then return nil, wrong end
  local size, unclear = block_size(order)
  if not size and not options.hash_tokens then return nil, unclear, "hash_tokens" end
  local columns, shared = sessions.columns(options.hash_tokens or size), {}
  columns.rec.local_clock = false
  for k, group in ipairs(order) do
    if options.limit and k > options.limit then break end
    local turns, now = {}, 0
    for i, one in ipairs(group) do
      if one.wrong then return nil, one.wrong end
      now = one.at and one.at / 1000 or now + (one.delay or 0) / 1000
      local ids = {}
      for id in blocks.each(one.ids) do ids[#ids + 1] = id end
      turns[i] = { start = now, stop = now, prompt = one.prompt, output = one.output, ids = ids,
        gap = i > 1 and one.delay and one.delay / 1000 or nil }
    end
    sessions.add(columns, turns, shared)
  end
  return columns
end

return rounds
