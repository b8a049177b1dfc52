--- Sessions that stand line by line, a round each: TraceLab's, and Mooncake's with `session_id`.
-- Called by tandem.replay.sessions.

local json = require "tandem.io.json"
local sessions = require "tandem.replay.sessions"
local text = require "tandem.replay.text"

local rounds = {}
local count, problem = sessions.count, sessions.problem

-- Lines of each session, in the order in which sessions come up.
local function by_session(content)
  local groups, order = {}, {}
  local rows, lines = text.jsonl(content)
  if not rows then return nil, lines end
  for i, row in ipairs(rows) do
    local id = row.session_id
    if type(id) == "number" then id = tostring(id) end
    if type(id) ~= "string" then return nil, ("line %d: has no session_id"):format(lines[i]) end
    if not groups[id] then
      groups[id] = {}
      order[#order + 1] = groups[id]
    end
    table.insert(groups[id], { row = row, line = lines[i] })
  end
  return order
end

-- ---- TraceLab

-- Its prompts are told by how much of each was there before, in tokens: named in blocks of so many.
local BLOCK <const> = 64

local given = { user_message = true, tool_result = true }

-- When a round began (all it was told was there), when its answer was, whether a user spoke.
local function times_of(row, where)
  local start, stop, user
  local events = row.timing_events
  if type(events) == "table" and events.written then events = json.decode(events.written) end
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

local function tracelab_turn(one, chain, fresh, origin)
  local row, where = one.row, ("line %d"):format(one.line)
  local prompt, output = count(row.input_tokens_total), count(row.output_tokens)
  local prefix = count(row.prefix_tokens) or 0
  if not (prompt and output) then
    return problem(where, "wants numbers input_tokens_total and output_tokens from 0")
  end
  local start, stop, user = times_of(row, where)
  if not start then return nil, stop end
  local ids = {}
  for i = 1, prompt // BLOCK do
    ids[i] = i <= prefix // BLOCK and chain[i] or fresh()
  end
  return { start = (start - origin) / 1e9, stop = (stop - origin) / 1e9, prompt = prompt,
    output = output, ids = ids, tool = user and 0 or math.huge, first = start }
end

function rounds.tracelab(content, options)
  local order, wrong = by_session(content)
  if not order then return nil, wrong end
  local columns, origin, next_id = sessions.columns(BLOCK), nil, 0
  local function fresh()
    next_id = next_id + 1
    return next_id
  end
  columns.rec.local_clock = false
  for k, group in ipairs(order) do
    if options.limit and k > options.limit then break end
    table.sort(group, function(a, b)
      local x, y = count(a.row.round_index) or 0, count(b.row.round_index) or 0
      if x ~= y then return x < y end
      return a.line < b.line
    end)
    local turns, chain = {}, {}
    for i, one in ipairs(group) do
      if not origin then
        origin, wrong = times_of(one.row, ("line %d"):format(one.line))
        if not origin then return nil, wrong end
      end
      local turn
      turn, wrong = tracelab_turn(one, chain, fresh, origin)
      if not turn then return nil, wrong end
      turns[i], chain = turn, turn.ids
    end
    sessions.add(columns, turns)
  end
  return columns
end

-- ---- Mooncake with sessions

-- The size of a block is not in the file: of the sizes in use, the first with which all rows agree.
local sizes = { 512, 16, 64, 32, 128, 256, 1024 }

local function agrees(size, lengths)
  for _, one in ipairs(lengths) do
    local blocks = one.tokens / size
    if one.ids ~= math.ceil(blocks) and one.ids ~= math.floor(blocks) then return false end
  end
  return true
end

local function ids_of(row)
  local ids = {}
  if type(row.hash_ids) == "table" then
    for id in text.items(row.hash_ids) do ids[#ids + 1] = id end
  end
  return ids
end

local function block_size(order)
  local lengths = {}
  for _, group in ipairs(order) do
    for _, one in ipairs(group) do
      one.ids = ids_of(one.row)
      local tokens = count(one.row.input_length)
      if #one.ids > 0 and tokens then
        lengths[#lengths + 1] = { tokens = tokens, ids = #one.ids }
      end
    end
  end
  for _, size in ipairs(sizes) do
    if agrees(size, lengths) then return size end
  end
  return nil, "hash_ids fit blocks of no usual size; say hash_tokens = tokens of each"
end

function rounds.mooncake(content, options)
  local order, wrong = by_session(content)
  if not order then return nil, wrong end
  local size, unclear = block_size(order)
  if not size and not options.hash_tokens then return nil, unclear, "hash_tokens" end
  local columns, shared = sessions.columns(options.hash_tokens or size), {}
  columns.rec.local_clock = false
  for k, group in ipairs(order) do
    if options.limit and k > options.limit then break end
    local turns, now = {}, 0
    for i, one in ipairs(group) do
      local row, where = one.row, ("line %d"):format(one.line)
      local prompt, output = count(row.input_length), count(row.output_length)
      if not (prompt and output) then
        return problem(where, "wants numbers input_length and output_length from 0")
      end
      local delay, at = count(row.delay), count(row.timestamp)
      now = at and at / 1000 or now + (delay or 0) / 1000
      turns[i] = { start = now, stop = now, prompt = prompt, output = output, ids = one.ids,
        gap = i > 1 and delay and delay / 1000 or nil }
    end
    sessions.add(columns, turns, shared)
  end
  return columns
end

return rounds
