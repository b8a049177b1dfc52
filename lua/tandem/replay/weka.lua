--- Sessions of coding agents as kv-cache-tester records them: an object a session, `requests` with
-- `hash_ids`, sub-agents among them. Called by tandem.replay.sessions.
--
-- `t` of a request is seconds from the begin of its conversation; `t` of a sub-agent's entry is
-- when it was done (begin = t - duration_ms: those that were begun together then agree to
-- milliseconds, right behind the answer that asked for them). Where that would be before the turn
-- that began it, t is its begin.

local sessions = require "tandem.replay.sessions"

local weka = {}
local count, problem = sessions.count, sessions.problem

local function has(list, word)
  for _, item in ipairs(type(list) == "table" and list or {}) do
    if item == word then return true end
  end
  return false
end

local turns_of

local function agent_of(entry, last, where)
  local done, length = count(entry.t), count(entry.duration_ms)
  if not done then return problem(where, "has no time t") end
  if type(entry.requests) ~= "table" then return problem(where, "has no list 'requests'") end
  length = (length or 0) / 1000
  local begin = done - length
  if begin < (last and last.start or 0) then begin, done = done, done + length end
  local turns, wrong = turns_of(entry.requests, begin, where)
  if not turns then return nil, wrong end
  if #turns > 0 then done = math.max(done, turns[#turns].stop) end
  return { start = begin, stop = done, turns = turns }
end

local function turn_of(entry, begin, last, where)
  local t, prompt, output = count(entry.t), count(entry["in"]), count(entry.out)
  if not (t and prompt and output) then
    return problem(where, "wants numbers t, in and out from 0")
  end
  local gap = last and count(entry.think_time) or nil
  local api = count(entry.api_time)
  return { start = begin + t, stop = begin + t + (api or 0), prompt = prompt, output = output,
    gap = gap, ids = type(entry.hash_ids) == "table" and entry.hash_ids or nil,
    tool = has(entry.input_types, "tool_result") and math.huge or 0 }
end

-- Sub-agents go to the turn behind them, or to the last.
function turns_of(list, begin, where)
  local turns, agents = {}, {}
  for i, entry in ipairs(list) do
    local at = ("%s, request %d"):format(where, i)
    if type(entry) ~= "table" then return problem(at, "is no object") end
    local last = turns[#turns]
    if entry.type == "subagent" then
      local agent, wrong = agent_of(entry, last, at)
      if not agent then return nil, wrong end
      if #agent.turns > 0 then agents[#agents + 1] = agent end
    else
      local turn, wrong = turn_of(entry, begin, last, at)
      if not turn then return nil, wrong end
      turn.agents, agents = agents, {}
      turns[#turns + 1] = turn
    end
  end
  local last = turns[#turns]
  if not last and #agents > 0 then -- nothing but sub-agents: the first is the session
    last = agents[1]
    table.remove(agents, 1)
    turns = last.turns
  end
  if last and #agents > 0 then
    local target = turns[#turns]
    for _, agent in ipairs(agents) do table.insert(target.agents, agent) end
  end
  return turns
end

-- What is read of a session; texts are passed over.
local KEEP <const> = { id = true, block_size = true, hash_id_scope = true, requests = true,
  type = true, t = true, ["in"] = true, out = true, think_time = true, api_time = true,
  duration_ms = true, hash_ids = true, input_types = true }

function weka.weka(source, options)
  local columns, shared
  local tokens
  local next_object = sessions.objects(source, KEEP)
  while true do
    local object, number = next_object()
    if not object then
      if number then return nil, number end
      break
    end
    local where = ("session %s"):format(object.id or number)
    local block = math.tointeger(options.hash_tokens or object.block_size)
    if not block or block < 1 or block > 1 << 20 then
      return problem(where, "block_size is no whole number from 1")
    end
    if tokens and tokens ~= block then
      return problem(where, "has blocks of %d tokens, those before it %d", block, tokens)
    end
    if type(object.requests) ~= "table" then return problem(where, "has no list 'requests'") end
    tokens = block
    columns = columns or sessions.columns(block)
    local turns, wrong = turns_of(object.requests, 0, where)
    if not turns then return nil, wrong end
    if object.hash_id_scope == "global" then shared = shared or {} end
    if #turns > 0 then
      sessions.add(columns, turns, object.hash_id_scope == "global" and shared or nil)
    end
    if options.limit and columns.rec.session_count == options.limit then return columns end
  end
  return columns
end

return weka
