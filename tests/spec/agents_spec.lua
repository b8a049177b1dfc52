-- Sessions of agents: what is read of recordings, in which order turns and sub-agents come, and how
-- much of their prompts is in the cache. The cache is held against one that keeps every block by
-- itself and evicts the least recently used; it and the times of turns are computed here from the
-- files, by another JSON reader. Over all sessions given, where they lie beside the checkout.

local cjson = require "cjson"
local core = require "tandem.core"
local replay = require "tandem.replay"
local td = require "tandem"
local unpacked = require "tests.spec.support.unpacked"

local weka, small = "tests/data/agents/trace_0274.json.gz", "tests/data/agents/trace_0504.json.gz"
local tracelab = "tests/data/agents/tracelab.jsonl.gz"

local function contents(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes:sub(1, 2) == "\x1f\x8b" and unpacked(bytes) or bytes
end

local function temporary(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function read(text, options, with)
  options = options or {}
  options.file = temporary(text)
  local data, problem, key = (with or replay.load)(options)
  os.remove(options.file)
  return data, problem, key
end

local function sum(list)
  local total = 0
  for _, n in ipairs(list) do total = total + n end
  return total
end

-- ---- the reference

-- Turns of a conversation with who begins them, in seconds: what the manual says, once more.
local function script_of(requests, begin)
  local turns, waiting = {}, {}
  for _, r in ipairs(requests) do
    local last = turns[#turns]
    if r.type == "subagent" then
      local start = r.t - r.duration_ms / 1000
      local inner = script_of(r.requests, start)
      waiting[#waiting + 1] = { at = start, turns = inner,
        done = math.max(r.t, inner[#inner].t + inner[#inner].took) }
    else
      turns[#turns + 1] = { t = begin + r.t, took = tonumber(r.api_time) or 0, think = last and
        tonumber(r.think_time), tokens = r["in"], output = r.out, ids = r.hash_ids,
        agents = waiting }
      waiting = {}
    end
  end
  for _, agent in ipairs(waiting) do table.insert(turns[#turns].agents, agent) end
  local before, open = turns[1].t, {}
  for _, turn in ipairs(turns) do
    for _, agent in ipairs(turn.agents) do
      open[#open + 1] = agent
      agent.turns[1].wait = agent.at - before
    end
    local all, latest = #open > 0, 0
    for _, agent in ipairs(open) do
      all, latest = all and agent.done <= turn.t, math.max(latest, agent.done)
    end
    turn.joins = all
    if all then open = {} end
    turn.wait = turn.wait or all and math.max(0, turn.t - math.max(before, latest)) or turn.think
      or math.max(0, turn.t - before)
    before = turn.t + turn.took
  end
  return turns
end

-- Requests in the order of time, when each takes a nanosecond a token it gives.
local function order_of(turns)
  local out, running = {}, {}
  local function begin(list, at, parent)
    running[#running + 1] = { list = list, k = 0, at = at, parent = parent, pending = 0 }
    return running[#running]
  end
  local advance
  local function finish(thread)
    local parent = thread.parent
    if not parent then return end
    parent.pending = parent.pending - 1
    if parent.pending == 0 and parent.held then
      parent.held = nil
      parent.at = thread.at
      advance(parent, true)
    end
  end
  function advance(thread, joined)
    if not joined then
      thread.k = thread.k + 1
      local turn = thread.list[thread.k]
      if not turn then
        if thread.pending > 0 then
          thread.held, thread.due = true, math.huge
          return
        end
        thread.due = math.huge
        return finish(thread)
      end
      for _, agent in ipairs(turn.agents) do
        thread.pending = thread.pending + 1
        advance(begin(agent.turns, thread.at, thread))
      end
      if turn.joins and thread.pending > 0 then
        thread.held, thread.due = true, math.huge
        return
      end
    end
    local turn = thread.list[thread.k]
    if not turn then
      thread.due = math.huge
      return finish(thread)
    end
    thread.due = thread.at + math.floor(turn.wait * 1e9 + 0.5)
  end
  advance(begin(turns, 0))
  while true do
    local first = nil
    for _, thread in ipairs(running) do
      if thread.due < math.huge and (not first or thread.due < first.due) then first = thread end
    end
    if not first then return out end
    local turn = first.list[first.k]
    out[#out + 1] = { at = first.due, turn = turn }
    first.at = first.due + math.max(1, turn.output)
    advance(first)
  end
end

-- A cache of single blocks: queue of free ones, least recently used first; copies by name.
local function new_cache(count)
  local cache = { at = {}, head = nil, tail = nil, plain = count }
  function cache.push(block)
    block.before, block.behind = cache.tail, nil
    if cache.tail then cache.tail.behind = block else cache.head = block end
    cache.tail = block
  end
  function cache.unlink(block)
    if block.before then block.before.behind = block.behind else cache.head = block.behind end
    if block.behind then block.behind.before = block.before else cache.tail = block.before end
    block.before, block.behind = nil, nil
  end
  function cache.take() -- never used ones first, as they were freed first
    if cache.plain > 0 then
      cache.plain = cache.plain - 1
      return {}
    end
    local block = cache.head
    cache.unlink(block)
    if block.name then
      local copies = cache.at[block.name]
      for i, other in ipairs(copies) do
        if other == block then
          table.remove(copies, i)
          break
        end
      end
      if #copies == 0 then cache.at[block.name] = nil end
      block.name = nil
    end
    return block
  end
  return cache
end

-- The blocks of a prompt by name: a place in a tree, so that a name is of all that is before it.
local function path_of(turn, tree, block_tokens, id_tokens)
  local path, node = {}, tree
  for _, id in ipairs(turn.ids) do
    local child = node[id]
    if not child then
      child = {}
      node[id] = child
    end
    for k = 1, id_tokens // block_tokens do
      child[-k] = child[-k] or {}
      path[#path + 1] = child[-k]
    end
    node = child
  end
  return path
end

-- Tokens found, of requests that come one after the other.
local function found_by(cache, requests, tree, block_tokens, id_tokens)
  local hits = 0
  for _, one in ipairs(requests) do
    local turn = one.turn
    local path, held = path_of(turn, tree, block_tokens, id_tokens), {}
    for k = 1, math.min(#path, (turn.tokens - 1) // block_tokens) do
      local copies = cache.at[path[k]]
      if not copies then break end
      cache.unlink(copies[1])
      held[k] = copies[1]
    end
    hits = hits + #held * block_tokens
    local tokens = turn.tokens + math.max(1, turn.output) - 1
    for k = #held + 1, (tokens + block_tokens - 1) // block_tokens do
      local block = cache.take()
      held[k] = block
      if path[k] then
        block.name = path[k]
        local copies = cache.at[block.name] or {}
        cache.at[block.name] = copies
        copies[#copies + 1] = block
      end
    end
    for k = #held, 1, -1 do cache.push(held[k]) end
  end
  return hits
end

-- Tokens that a server finds, and that the reference does.
local function compare(files, blocks, block_tokens)
  local cache, expected, prompts, texts = new_cache(blocks), 0, 0, {}
  for i, path in ipairs(files) do
    texts[i] = contents(path)
    local session = cjson.decode(texts[i])
    local requests = order_of(script_of(session.requests, 0))
    expected = expected + found_by(cache, requests, {}, block_tokens, session.block_size)
    for _, one in ipairs(requests) do prompts = prompts + one.turn.tokens end
  end
  local path = temporary(table.concat(texts, "\n"))
  local workload = td.closed { users = 1, requests = #files,
    sizes = td.resample { file = path, order = "recorded" } }
  local s = assert(td.check { name = "a", workload = workload, warmup = "none", replications = 1,
    pipeline = { td.loop { times = "r.turns", td.delay "between" { time = "r.wait" },
      td.generate "llm" { step = td.affine { step = 1e-9 }, engine = { kv_blocks = blocks,
        block_tokens = block_tokens, max_batched_tokens = 1 << 20, max_seqs = 1024 } } } } })
  os.remove(path)
  local result = assert(s:run())
  assert.near(prompts, result:get "llm.llm.prompt_tokens_per_s" * result.duration_s, 1e-3)
  local cached = prompts * result:get "llm.llm.cached"
  return math.floor(cached + 0.5), expected, prompts
end

-- ---- what is read

describe("sessions of agents", function()
  it("are Weka's, with their turns, blocks and sub-agents", function()
    local data = assert(replay.load { file = weka })
    assert.equal(105, data.count)
    assert.equal(64, data.blocks.tokens)
    assert.equal(4, #data.turns)
    assert.same({ 0 }, data.roots)
    assert.equal(3 * 2, #data.begun)
    -- All three were begun by one answer and done before the next turn.
    assert.equal(data.begun[1], data.begun[3])
    assert.equal(data.begun[1], data.begun[5])
    assert.is_true(#data.joins >= 1 and data.joins[1] == data.begun[1])
    local session, prompt, output, ids = cjson.decode(contents(weka)), 0, 0, 0
    local function count(list)
      for _, r in ipairs(list) do
        if r.type == "subagent" then
          count(r.requests)
        else
          prompt, output, ids = prompt + r["in"], output + r.out, ids + #r.hash_ids
        end
      end
    end
    count(session.requests)
    assert.equal(prompt, sum(data.attrs.prompt_tokens))
    assert.equal(output, sum(data.attrs.output_tokens))
    assert.equal(ids, data.blocks.count)
    for i = 1, data.count do
      assert.near(data.attrs.wait[i], data.attrs.think[i] + data.attrs.tool[i], 1e-9)
    end
  end)

  it("are TraceLab's, a round a line", function()
    local data = assert(replay.load { file = tracelab })
    assert.equal(19, data.count)
    assert.same({ 0, 9 }, data.turns) -- Codex's session was earlier
    assert.is_nil(data.roots)
    assert.equal(514012, sum(data.attrs.prompt_tokens))
    assert.equal(11335, sum(data.attrs.output_tokens))
    assert.is_true(data.times[2] > 86400)
    -- The second round waited for the slower of two tools: 05:40:31.647 to 05:40:50.938.
    assert.near(19.291, data.attrs.wait[11], 1e-6)
    assert.near(19.291, data.attrs.tool[11], 1e-6)
    assert.near(0, data.attrs.think[11], 1e-9)
    -- The sixth is a user's: 05:42:23.420 to 05:42:43.333.
    assert.near(19.913, data.attrs.think[15], 1e-6)
  end)

  it("are Mooncake's with session_id, whose block size is guessed", function()
    local text = '{"session_id": "a", "timestamp": 500, "input_length": 130, "output_length": 5, '
      .. '"hash_ids": [1, 2, 3]}\n{"session_id": "b", "timestamp": 900, "input_length": 64, '
      .. '"output_length": 7, "hash_ids": [1]}\n{"session_id": "a", "delay": 2500, '
      .. '"input_length": 193, "output_length": 6, "hash_ids": [1, 2, 4, 5]}\n'
    local data = assert(read(text))
    assert.equal(64, data.blocks.tokens)
    assert.same({ 0, 0.4 }, data.times)
    assert.same({ 0, 2.5, 0 }, data.attrs.wait)
    assert.same({ 2, 2, 1 }, data.attrs.turns)
    assert.same({ 0, 3, 0, 2, 3, 2, 0, 1 }, data.blocks.runs)
    assert.equal(128, read(text, { hash_tokens = 128 }).blocks.tokens)
    local _, problem, key = read((text:gsub('"input_length": 130', '"input_length": 5000')))
    assert.matches("hash_ids fit blocks of no usual size", problem, 1, true)
    assert.equal("hash_tokens", key)
  end)

  it("wait as long as Mooncake's delays say, whatever their clock, but the first", function()
    local text = ""
    for i, at in ipairs { '"delay": 700', '"delay": 2500, "timestamp": 9000',
      '"timestamp": 9500' } do
      text = text .. ('{"session_id": "a", %s, "input_length": 64, "output_length": 5, '
        .. '"hash_ids": [%d]}\n'):format(at, i)
    end
    assert.same({ 0, 2.5, 0.5 }, assert(read(text, { hash_tokens = 64 })).attrs.wait)
  end)

  it("are calls of a model in OpenTelemetry's spans, side by side where they overlap", function()
    local out = {}
    for i, call in ipairs { { 0, 2 }, { 3, 6 }, { 4, 5 }, { 5, 8 }, { 10, 11 } } do
      out[i] = ([[{"trace_id": "t", "span_id": "%d", "name": "chat", "start_time":
        "2026-02-25T10:00:%02d+00:00", "end_time": "2026-02-25T10:00:%02d+00:00", "attributes":
        {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": %d,
        "gen_ai.usage.output_tokens": 1}}]]):format(i, call[1], call[2], 100 * i)
    end
    local text = '{"trace_id": "t", "spans": [' .. table.concat(out, ",") .. "]}"
    local data = assert(read(text))
    assert.same({ 100, 200, 500, 300, 400 }, data.attrs.prompt_tokens)
    assert.same({ 0, 3 }, data.turns)
    assert.same({ 0 }, data.roots)
    assert.same({ 1, 1 }, data.begun)
    assert.same({ 2 }, data.joins)
    assert.same({ 0, 1, 2, 2, 0 }, data.attrs.wait)
    assert.matches("span 2 has no counts of tokens",
      select(2, read((text:gsub('"gen_ai.usage.input_tokens": 200,', "")))), 1, true)
    local seven = assert(replay.load { file = "tests/data/telemetry/prefix_sharing_example.json" })
    assert.equal(1065, sum(seven.attrs.prompt_tokens))
    assert.equal(280, sum(seven.attrs.output_tokens))
  end)

  it("come at a rate when they have clocks of their own", function()
    local both = contents(small) .. contents(weka)
    assert.same({ 0, 0 }, read(both).times)
    assert.same({ 0, 4 }, read(both, { rps = 0.25 }).times)
    -- All come at once in a window, which no rate spreads.
    assert.same({ "all requests come at once: there is no rate to scale", "rps" },
      { select(2, read(both, { rps = 0.25, from = 0 })) })
    assert.same({ 0, 0 }, read(both, { rps = 0.25, to = 5 }).times)
    assert.equal(1, #read(both, { limit = 1 }).times)
    local data = read(both, { rps = 1, sample = 2 })
    assert.equal(4, #data.roots)
    assert.equal(4 * 2 - 2 + 2 * 3, #data.turns + 2)
  end)

  it("are refused with a place", function()
    local function wrong(words, text, options)
      local data, problem = read(text, options)
      assert.is_nil(data)
      assert.matches(words, problem, 1, true)
    end
    local head = '{"id": "x", "block_size": 64, "requests": ['
    wrong("session x, request 2: wants numbers t, in and out", head
      .. '{"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [1]}, {"t": 1, "in": "many"}]}')
    wrong("session x, request 1: has no list 'requests'", head .. '{"t": 0, "type": "subagent"}]}')
    wrong("holds no turn", head .. "]}")
    wrong("holds no turn", head .. '{"t": 2, "type": "subagent", "requests": []}]}')
    wrong("block_size is no whole number", '{"block_size": 0, "requests": []}')
    wrong("columns of their own", head .. "]}", { format = "sessions", where = { a = 1 } })
    wrong("holds no known sessions", "a,b\n1,2\n", { format = "sessions" })
    wrong("line 1: wants numbers input_length", '{"session_id": 1, "input_length": "a", '
      .. '"output_length": 1}\n')
    for _, half in ipairs { '"input_tokens_total": 5, "output_tokens": "x"',
      '"input_tokens_total": "x", "output_tokens": 1' } do
      wrong("line 1: wants numbers input_tokens_total and output_tokens from 0",
        '{"session_id": "1", "round_index": 0, "timing_events": [{"timestamp": '
          .. '"2026-01-01T00:00:00Z", "event_type": "user_message"}], ' .. half .. "}\n")
    end
    wrong("line 1: has no timing_events", '{"session_id": "1", "round_index": 0, '
      .. '"input_tokens_total": 5, "output_tokens": 1}\n')
  end)
end)

-- ---- what is simulated

describe("a session of agents", function()
  it("has its turns and those of its sub-agents, in parallel, and waits for them", function()
    local text = [[{"id": "x", "block_size": 64, "hash_id_scope": "local", "requests": [
      {"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [1], "api_time": 2, "think_time": 0},
      {"t": 12, "type": "subagent", "duration_ms": 10000, "requests": [
        {"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [7], "api_time": 1},
        {"t": 9, "type": "n", "in": 64, "out": 1, "hash_ids": [8], "api_time": 1,
         "think_time": 8}]},
      {"t": 22, "type": "subagent", "duration_ms": 20000, "requests": [
        {"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [7], "api_time": 20}]},
      {"t": 25, "type": "n", "in": 64, "out": 1, "hash_ids": [1], "api_time": 1,
       "think_time": 23}]}]]
    local path = temporary(text)
    local function last(server)
      local s = assert(td.check { name = "x", workload = td.replay { file = path },
        warmup = "none", replications = 1, pipeline = { td.loop { times = "r.turns",
          td.delay "between" { time = "r.wait" }, server } } })
      return assert(s:run()):get "latency.max", s
    end
    -- 1 s an answer: the first, then agents of 1 + 8 + 1 s and 1 s, 3 s, the last.
    assert.near(1 + 10 + 3 + 1, last(td.delay "llm" { time = 1 }), 1e-9)
    -- 5 s: who is slower waits longer for them.
    local latency, s = last(td.delay "llm" { time = 5 })
    assert.near(5 + 18 + 3 + 5, latency, 1e-9)
    assert.equal(5, s:run():get "stages.llm.visits")
    os.remove(path)
  end)

  it("is done when its last sub-agent is, and gone when it times out", function()
    local text = [[{"id": "x", "block_size": 64, "requests": [
      {"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [1], "api_time": 2},
      {"t": 42, "type": "subagent", "duration_ms": 40000, "requests": [
        {"t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [2], "api_time": 40}]},
      {"t": 5, "type": "n", "in": 64, "out": 1, "hash_ids": [1], "api_time": 1, "think_time": 3}]}
    ]]
    local path = temporary(text)
    local function run(more)
      local body = { name = "x", workload = td.replay { file = path, repeats = 3, rps = 0.01 },
        warmup = "none", replications = 1, pipeline = { td.loop { times = "r.turns",
          td.delay "between" { time = "r.wait" }, td.delay "llm" { time = "r.turns * 4" } } } }
      for k, v in pairs(more or {}) do body[k] = v end
      return assert(assert(td.check(body)):run())
    end
    local result = run()
    -- Its own: 8 + 3 + 8 s; the sub-agent's 4 s begin with the second turn's round.
    assert.near(19, result:get "latency.max", 1e-9)
    assert.equal(9, result:get "stages.llm.visits")
    result = run { timeout = "10s", retry = { max = 1, backoff = 1, jitter = 0 } }
    assert.equal(0, result.classes[1].completed)
    assert.equal(3, result.classes[1].timed_out)
  end)

  it("finds in the cache what a brute-force LRU finds", function()
    local some = { small, weka }
    for _, blocks in ipairs { 1 << 24, 9000, 4000, 2500 } do
      local cached, expected, prompts = compare(some, blocks, 64)
      assert.equal(expected, cached)
      assert.is_true(expected > 0.3 * prompts)
    end
    for _, blocks in ipairs { 1 << 24, 16000, 10000 } do
      local cached, expected = compare(some, blocks, 16)
      assert.equal(expected, cached)
    end
  end)

  it("does so over all sessions given", function()
    local files = {}
    for _, up in ipairs { "../", "../../" } do
      local folder = up .. "shared/data/interop/agent_sessions_weka"
      for _, name in ipairs(#files == 0 and core.files.list(folder) or {}) do
        if name:find "%.json%.gz$" then files[#files + 1] = folder .. "/" .. name end
      end
    end
    if #files == 0 then return end
    table.sort(files)
    local cached, expected = compare(files, 60000, 64)
    assert.equal(expected, cached)
  end)

  it("is served at one thread as at four", function()
    local s = assert(td.check { name = "a", replications = 4, warmup = "none",
      workload = td.poisson { rps = 0.01, requests = 6, sizes = td.resample { file = weka } },
      pipeline = { td.loop { times = "r.turns", td.delay "between" { time = "r.wait" },
        td.generate "llm" { step = td.affine { step = "10ms", prefill_tokens = "5us" },
          replicas = 2, route = "prefix_aware", engine = { kv_blocks = 20000 } } } } })
    assert.equal(s:run({ threads = 1 }):to_json(), s:run({ threads = 4 }):to_json())
  end)
end)
