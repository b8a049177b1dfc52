--- Sessions out of OpenTelemetry's spans: which calls of a model followed which, and which ran
-- beside others.
--
-- Parents are often missing, so time tells: calls that overlap, directly or through others, are one
-- round; its first call is the session's turn, the others are sub-agents that begin with it, calls
-- that do not overlap one after another. The next round waits for all of them. Prompts' blocks are
-- not known. Called by tandem.replay.sessions.

local sessions = require "tandem.replay.sessions"
local telemetry = require "tandem.telemetry.spans"

local spans = {}

-- Calls of each session, sessions and calls in the order of their begins.
local function by_session(all)
  local groups, order = {}, {}
  for _, span in ipairs(all) do
    local name = telemetry.session(span)
    if not groups[name] then
      groups[name] = { calls = {}, tools = {} }
      order[#order + 1] = groups[name]
    end
    local kept = span.sort == "request" and "calls" or span.sort == "tool" and "tools"
    if kept then table.insert(groups[name][kept], span) end
  end
  return order
end

-- Of the time before a call, how much a tool ran that ended last.
local function tool_before(tools, from_ns, to_ns)
  local last = from_ns
  for _, tool in ipairs(tools) do
    if tool.stop_ns > last and tool.stop_ns <= to_ns and tool.start_ns >= from_ns then
      last = tool.stop_ns
    end
  end
  return (last - from_ns) / 1e9
end

local function turn_of(span, origin)
  local prompt, output = telemetry.number(span, "prompt_tokens"),
    telemetry.number(span, "output_tokens")
  if not (prompt and output) then
    return nil, ("span %s has no counts of tokens; their texts are not counted"):format(span.id)
  end
  return { start = (span.start_ns - origin) / 1e9, stop = (span.stop_ns - origin) / 1e9,
    prompt = prompt, output = output, agents = {} }
end

-- The first of a round's other threads that is over by then.
local function free(threads, start)
  for _, thread in ipairs(threads) do
    if thread.stop <= start then return thread end
  end
end

local function turns_of(group, origin)
  local turns, reach, threads, ended
  turns = {}
  for _, span in ipairs(group.calls) do
    local turn, wrong = turn_of(span, origin)
    if not turn then return nil, wrong end
    if not reach or span.start_ns >= reach then -- a round of its own
      turn.tool = ended and tool_before(group.tools, ended, span.start_ns) or 0
      turns[#turns + 1], threads = turn, {}
    else
      local main = turns[#turns]
      local thread = free(threads, turn.start)
      if not thread then
        thread = { start = turn.start, stop = turn.stop, turns = {} }
        threads[#threads + 1] = thread
        main.agents[#main.agents + 1] = thread
      end
      thread.turns[#thread.turns + 1] = turn
      thread.stop = turn.stop
    end
    reach = math.max(reach or span.stop_ns, span.stop_ns)
    ended = reach
  end
  return turns
end

function spans.otel(source, options)
  local all, problem = telemetry.read(source)
  if not all then return nil, problem end
  telemetry.classify(all)
  local columns, taken = sessions.columns(), 0
  columns.rec.local_clock = false
  for _, group in ipairs(by_session(all)) do
    if options.limit and taken == options.limit then break end
    local turns, wrong = turns_of(group, all[1].start_ns)
    if not turns then return nil, wrong end
    if #turns > 0 then
      sessions.add(columns, turns)
      taken = taken + 1
    end
  end
  return columns
end

return spans
