--- Sessions of agents as recorded rows: turns, the time between them, sub-agents, shared prompts.
-- Owns which files are sessions, and the columns that their readers fill: a session's turns in
-- order, who begins a sub-agent, which turns wait for them. What a file's fields mean is weka's,
-- rounds' and spans'. Called by tandem.replay.

local blocks = require "tandem.replay.blocks"
local json_file = require "tandem.io.json_file"

local sessions = {}

---@class tandem.SessionTurn
---@field start number   seconds, of the session's clock
---@field stop number    when its answer was there
---@field prompt number  tokens
---@field output number  tokens
---@field ids any[]|nil  blocks of its prompt, by any names
---@field runs integer[]|nil  instead of ids: numbers of its reader's own (replay/blocks.lua)
---@field tool number|nil  of the time before it: tools ran; the rest is thinking
---@field gap number|nil   seconds before it, where the recording says so itself
---@field agents tandem.SessionAgent[]|nil  those that its round begins, beside it

---@class tandem.SessionAgent
---@field start number
---@field stop number
---@field turns tandem.SessionTurn[]

---@class tandem.SessionColumns
---@field rec tandem.Recorded
---@field numbers table  of ids that all sessions share

--- What readers fill.
---@param block_tokens integer|nil
---@return tandem.SessionColumns
function sessions.columns(block_tokens)
  local attrs = { prompt_tokens = {}, output_tokens = {}, tokens = {}, wait = {}, think = {},
    tool = {} }
  return { numbers = {}, rec = { count = 0, ticks = {}, scale = 1.0, attrs = attrs, sessions = {},
    blocks = block_tokens and {} or nil, block_tokens = block_tokens, begun_by = {}, joins = {},
    local_clock = true } }
end

-- Numbers from 0, through all sessions, for ids that may be those of one session only; as runs.
local function numbered(columns, ids, scope)
  local runs, rec = {}, columns.rec
  for _, id in ipairs(ids or {}) do
    local number = scope[id]
    if not number then
      number = rec.distinct or 0
      rec.distinct = number + 1
      scope[id] = number
    end
    blocks.push(runs, number)
  end
  return runs
end

-- Until when who was begun before turn k and is not yet joined was busy; nil: it did not wait.
local function joined_at(open, turn)
  local last = nil
  for _, agent in ipairs(open) do
    if agent.stop > turn.start then return nil end
    last = math.max(last or agent.stop, agent.stop)
  end
  return last
end

local add_thread

-- Its row, with the time before it: from the last answer, or from the last of who it waited for.
local function add_turn(columns, name, turn, before, open, scope)
  local rec = columns.rec
  local n = rec.count + 1
  rec.count, rec.sessions[n], rec.ticks[n] = n, name, turn.start
  local joined = joined_at(open, turn)
  local wait
  if joined then
    wait = math.max(0, turn.start - math.max(before, joined))
    rec.joins[n] = true
  else
    wait = turn.gap or math.max(0, turn.start - before)
  end
  local tool = math.min(wait, turn.tool or 0)
  local attrs = rec.attrs
  attrs.prompt_tokens[n], attrs.output_tokens[n] = turn.prompt + 0.0, turn.output + 0.0
  attrs.tokens[n] = turn.output + 0.0
  attrs.wait[n], attrs.tool[n], attrs.think[n] = wait + 0.0, tool + 0.0, wait - tool + 0.0
  if rec.blocks then rec.blocks[n] = turn.runs or numbered(columns, turn.ids, scope) end
  return n, joined ~= nil
end

-- Sub-agents come behind the rows of who begins them.
function add_thread(columns, name, turns, began, scope)
  local before, open, begun = began, {}, {}
  for _, turn in ipairs(turns) do
    for _, agent in ipairs(turn.agents or {}) do open[#open + 1] = agent end
    local row, joins = add_turn(columns, name, turn, before, open, scope)
    for _, agent in ipairs(turn.agents or {}) do
      begun[#begun + 1] = { agent = agent, row = row, before = before }
    end
    if joins then open = {} end
    before = turn.stop
  end
  for i, one in ipairs(begun) do
    local own = ("%s/%d"):format(name, i)
    columns.rec.begun_by[own] = one.row
    add_thread(columns, own, one.agent.turns, one.before, scope)
  end
end

--- One more session.
---@param columns tandem.SessionColumns
---@param turns tandem.SessionTurn[]  one at least
---@param scope table|nil  numbers of its ids; nil: they are its own
function sessions.add(columns, turns, scope)
  local rec = columns.rec
  rec.session_count = (rec.session_count or 0) + 1
  add_thread(columns, tostring(rec.session_count), turns, turns[1].start, scope or {})
end

--- A problem with a place.
---@return nil
---@return string
function sessions.problem(where, words, ...) return nil, where .. ": " .. words:format(...) end

--- A number from 0, or nil.
---@param value any
---@return number|nil
function sessions.count(value)
  local number = type(value) == "number" and value or nil
  return number and number >= 0 and number < 1e12 and number or nil
end

-- ---- which files are sessions

-- By the fields of the first object.
local readers = {
  { name = "weka", module = "tandem.replay.weka", known = function(o)
    return o.requests == true and o.block_size ~= nil
  end },
  { name = "tracelab", module = "tandem.replay.rounds", known = function(o)
    return o.session_id ~= nil and o.round_index ~= nil and o.input_tokens_total ~= nil
  end },
  { name = "mooncake", module = "tandem.replay.rounds", known = function(o)
    return o.session_id ~= nil and o.input_length ~= nil and o.output_length ~= nil
  end },
  { name = "otel", module = "tandem.replay.spans", known = function(_, source)
    return require("tandem.telemetry.spans").known(source)
  end },
}

--- Which kind of sessions a file holds; nil: none that is known.
---@param source tandem.TextSource
---@return string|nil name
function sessions.kind(source)
  local object = json_file.first(source)
  if not object then return nil end
  for _, reader in ipairs(readers) do
    if reader.known(object, source) then return reader.name end
  end
end

--- Reads sessions into columns.
---@param source tandem.TextSource
---@param kind string   as sessions.kind says
---@param options table the keys of td.replay
---@return tandem.Recorded|nil
---@return string|nil problem
---@return string|nil key of the option at fault
function sessions.read(source, kind, options)
  for _, reader in ipairs(readers) do
    if reader.name == kind then
      local columns, problem, key = require(reader.module)[kind](source, options)
      if not columns then return nil, ("%s: %s"):format(options.file, problem), key or "file" end
      if columns.rec.count == 0 then return nil, options.file .. ": holds no turn", "file" end
      return columns.rec
    end
  end
end

--- Each object of a file; they stand one after another, a line each, or in one list.
---@param source tandem.TextSource
---@param keep table<string, true>  the keys that are wanted of them
---@return fun(): table|nil, integer|string  the object and its number, or nil and the problem
function sessions.objects(source, keep)
  local stream, unreadable = json_file.open(source)
  local number = 0
  return function()
    if not stream then return nil, unreadable end
    local kind = stream:record()
    if not kind then return nil, json_file.problem(stream) end
    number = number + 1
    local object = stream:value(keep)
    if object == nil then return nil, json_file.problem(stream) end
    if kind ~= "object" then return nil, ("object %d is none"):format(number) end
    return object, number
  end
end

return sessions
