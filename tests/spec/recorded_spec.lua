-- Recorded requests of LLM servers: published layouts, windows and rates, prefix blocks, sizes
-- drawn from recordings, conversations.

local replay = require "tandem.replay"
local td = require "tandem"

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

local mooncake = "scenarios/data/mooncake-conversation-4000.jsonl.gz"

-- Room for everybody: nothing is ever evicted, nobody waits for a block.
local function server(more)
  local body = { step = td.affine { prefill_tokens = 1e-6, decode_seqs = 1e-9 },
    engine = { kv_blocks = 1 << 30, max_batched_tokens = 1 << 20, max_seqs = 1024 } }
  for k, v in pairs(more or {}) do body[k] = v end
  return td.generate "llm" (body)
end

local function checked(body)
  body.warmup, body.replications = body.warmup or "none", body.replications or 1
  local s, problems = td.check(body)
  assert.equal("no problems", tostring(problems))
  return s
end

local function refused(body, words)
  local s, problems = td.check(body)
  assert.is_nil(s)
  assert.matches(words, tostring(problems), 1, true)
end

-- Blocks stand as runs: the first and how many.
local function ids_of(blocks)
  local ids = {}
  for i = 1, #blocks.runs, 2 do
    for k = 0, blocks.runs[i + 1] - 1 do ids[#ids + 1] = blocks.runs[i] + k end
  end
  return ids
end

describe("layouts", function()
  it("reads Mooncake's, packed, with its blocks", function()
    local data = assert(replay.load { file = mooncake })
    assert.equal(4000, data.count)
    assert.equal(512, data.blocks.tokens)
    assert.equal(data.blocks.ends[4000], data.blocks.count)
    assert.equal(data.blocks.ends[4000], #ids_of(data.blocks))
    for i = 1, 4000 do
      local ids = data.blocks.ends[i] - (i > 1 and data.blocks.ends[i - 1] or 0)
      assert.equal(math.ceil(data.attrs.prompt_tokens[i] / 512), ids)
    end
  end)

  it("reads BurstGPT's, and only the rows asked for", function()
    local text = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      .. "5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1087,230,1317,API log\n"
      .. "118,GPT-4,417,0,417,Conversation log\n"
    local data = assert(read(text))
    assert.same({ 0, 40, 113 }, data.times)
    assert.same({ 472, 1087, 417 }, data.attrs.prompt_tokens)
    assert.same({ 18, 230, 0 }, data.attrs.output_tokens)
    data = assert(read(text, { where = { Model = "GPT-4", ["Log Type"] = "API log" } }))
    assert.same({ 1087 }, data.attrs.prompt_tokens)
    local _, problem, key = read(text, { where = { model = "GPT-4" } })
    assert.matches("there is no column 'model'; did you mean 'Model'", problem, 1, true)
    assert.equal("where", key)
    assert.matches("no row is so", select(2, read(text, { where = { Model = "x" } })), 1, true)
  end)

  it("reads Bailian's: seconds, blocks of 16 tokens, ids of any size", function()
    local data = assert(read('{"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.5, '
      .. '"input_length": 40, "output_length": 7, "type": "text", "turn": 1, '
      .. '"hash_ids": [18446744073709551615, 9007199254740993, 5]}\n'
      .. '{"chat_id": 2, "parent_chat_id": 1, "timestamp": 63, "input_length": 20, '
      .. '"output_length": 7, "type": "text", "turn": 2, '
      .. '"hash_ids": [18446744073709551615, 9007199254740992]}\n'))
    assert.same({ 0, 1.5 }, data.times)
    assert.same({ 0, 1, 2, 0, 3 }, ids_of(data.blocks))
    assert.same({ 16, 5, { 3, 5 } }, { data.blocks.tokens, data.blocks.count, data.blocks.ends })
  end)

  it("reads conversations as turns, of so many bytes a token", function()
    local said = '{"id": "a", "conversations": [{"from": "human", "value": "12345678"}, '
      .. '{"from": "gpt", "value": "123\\u0034 \\"}"}, {"from": "human", "value": "1"}, '
      .. '{"from": "human", "value": "234"}, {"from": "gpt", "value": "x"}, '
      .. '{"from": "human", "value": "nobody answers"}]}'
    local other = '{"messages": [{"role": "user", "content": "1234"}, '
      .. '{"role": "assistant", "content": "12345"}]}'
    local expected = { prompt_tokens = { 2, 1, 1 }, output_tokens = { 2, 1, 2 },
      turns = { 2, 2, 1 } }
    for _, text in ipairs { "[" .. said .. ",\n " .. other .. "]",
      said .. "\n" .. other .. "\n" } do
      local data = assert(read(text, {}, replay.sizes))
      assert.same(expected, data.attrs)
      assert.same({ 0, 2 }, data.turns)
    end
    assert.same({ 8, 4, 4 },
      read("[" .. said .. "," .. other .. "]", { bytes_per_token = 1 }, replay.sizes)
        .attrs.prompt_tokens)
    assert.equal(2, read("[" .. said .. "," .. other .. "]", { limit = 1 }, replay.sizes).count)
    assert.matches("conversations without times", select(2, read("[" .. said .. "]")), 1, true)
    assert.matches("conversation 1: has no list 'conversations'",
      select(2, read('[{"id": 1}]', {}, replay.sizes)), 1, true)
  end)

  it("puts rows of a session together", function()
    local data = assert(read("arrival,chat,n\n1,a,1\n2,b,2\n0.5,c,3\n3,a,4\n",
      { columns = { session = "chat", n = "n" } }))
    assert.same({ 0, 0.5, 1.5 }, data.times)
    assert.equal(4, #read("arrival,session,n\n1,7,1\n2,8,2\n0.5,9,3\n3,7,4\n").times)
    assert.same({ n = { 3, 1, 4, 2 }, turns = { 1, 2, 2, 1 } }, data.attrs)
    assert.same({ 0, 1, 3 }, data.turns)
  end)
end)

describe("a recording's pace", function()
  local function times(options)
    local rows = { { arrival = 0, n = 1 }, { arrival = 10, n = 2 }, { arrival = 20, n = 3 },
      { arrival = 40, n = 4 }, { arrival = 50, n = 5 } }
    options.rows = rows
    local data, problem = replay.of_rows(options)
    return data and data.times, data or problem
  end

  it("is cut by a window, which begins at its begin", function()
    local at, data = times { from = 5, to = 45 }
    assert.same({ 5, 15, 35 }, at)
    assert.same({ 2, 3, 4 }, data.attrs.n)
    assert.equal(40, data.period)
    assert.is_nil((times { from = 60 }))
    assert.same({ 2, 3 }, select(2, times { from = 5, limit = 2 }).attrs.n)
  end)

  it("follows a speed, a mean rate or a length", function()
    -- Five requests and the mean gap of 12.5 s behind the last: 62.5 s.
    assert.same({ 0, 5, 10, 20, 25 }, (times { speed = 2 }))
    local at, data = times { rps = 0.16 }
    assert.near(31.25, data.period, 1e-12)
    assert.near(25, at[5], 1e-12)
    at, data = times { time = 6250 }
    assert.equal(6250, data.period)
    assert.near(5000, at[5], 1e-9)
  end)

  it("has fewer or more requests, each copy in the gap behind its own", function()
    local at, data = times { sample = 2 }
    assert.same({ 0, 5, 10, 15, 20, 30, 40, 45, 50, 56.25 }, at)
    assert.same({ 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 }, data.attrs.n)
    local many = {}
    for i = 1, 20000 do many[i] = { arrival = i } end
    local share = #replay.of_rows({ rows = many, sample = 0.3 }).times / 20000
    assert.near(0.3, share, 4 * math.sqrt(0.21 / 20000))
    local _, day = times { time = 625, rps = 0.8 }
    assert.equal(500, #day.times)
    assert.equal(625, day.period)
  end)

  it("comes over and over, told to the engine once", function()
    local body = { name = "r", workload = td.replay { rows = { { arrival = 0, n = 1 },
        { arrival = 2, n = 3 } }, repeats = 1000 },
      pipeline = { td.fixed "s" { time = "r.n * 0.1" } }, warmup = "none", replications = 1 }
    local s = checked(body)
    assert.equal(2, #s:model().classes[1].arrivals.times)
    local result = s:run()
    assert.equal(2000, result.requests)
    -- Period 4 s: 0.1 s of service at 0 s, 0.3 s at 2 s.
    assert.near(0.2, result:get "latency.mean", 1e-12)
    assert.near(999 * 4 + 2.3, result.duration_s, 1e-6)
    body.pipeline = { td.delay "s" { time = "r.n * 0.1" }, td.hold "h" { memory = 1, on = "m",
      td.delay "z" { time = 0 } } }
    body.resources = { td.memory "m" { bytes = 10 } }
    assert.near(0.2, checked(body):run():get "latency.mean", 1e-12) -- the event engine
  end)

  it("says what does not go together", function()
    local rows = { { arrival = 0, n = 1 }, { arrival = 0, n = 2 } }
    local function wrong(words, options)
      options.rows = rows
      refused({ name = "r", workload = td.replay(options),
        pipeline = { td.fixed "s" { time = 1 } } }, words)
    end
    wrong("rps: says how fast it goes, and so does speed", { rps = 2, speed = 2 })
    wrong("sample: follows from rps and time", { rps = 2, time = 2, sample = 2 })
    wrong("to: is not after from", { from = 2, to = 1 })
    wrong("rps: all requests come at once", { rps = 2 })
    wrong("where: says how a file is read", { where = { a = 1 } })
    wrong("sizes: a replayed trace has sizes of its own", { sizes = td.resample(mooncake) })
    refused({ name = "r", workload = td.poisson { rps = 1, batch = 2,
        sizes = td.resample { file = mooncake, order = "recorded" } },
      pipeline = { server() } }, "come one by one")
    refused({ name = "r", workload = td.replay { file = mooncake, limit = 9 },
      pipeline = { server { engine = { kv_blocks = 9, block_tokens = 48 } } } },
      "recorded prompts have blocks of 512 tokens, and those of its KV cache have 48")
  end)
end)

describe("recorded prompts", function()
  -- Tokens that a cache without limit would find, prompts coming one after the other: whole blocks
  -- of it, never the whole prompt.
  local function found(data, block_tokens)
    local seen, hit, ids = {}, 0, ids_of(data.blocks)
    for i = 1, data.count do
      local first = i > 1 and data.blocks.ends[i - 1] or 0
      local prompt, same, chain = data.attrs.prompt_tokens[i], 0, ""
      local own = {}
      for k = first + 1, data.blocks.ends[i] do
        chain = chain .. "," .. ids[k]
        local size = math.min(512, prompt - (k - first - 1) * 512)
        local before = same == (k - first - 1) * 512 and seen[chain]
        if before then same = same + math.min(before, size) end
        own[chain] = math.max(seen[chain] or 0, size)
      end
      for k, v in pairs(own) do seen[k] = v end
      same = math.min(same, prompt - 1)
      hit = hit + same // block_tokens * block_tokens
    end
    return hit
  end

  it("are found in the prefix cache as far as they are the same", function()
    local data = assert(replay.load { file = mooncake, limit = 300 })
    for block_tokens, hash_tokens in pairs { [16] = 512, [256] = 512, [512] = 512 } do
      local s = checked { name = "m", workload = td.replay { file = mooncake, limit = 300,
          time = "1000000s" }, pipeline = { server { engine = { kv_blocks = 1 << 26,
          block_tokens = block_tokens, max_batched_tokens = 1 << 20 } } } }
      assert.equal(hash_tokens, s:model().servers[1].pools[1].config.hash_tokens)
      local prompts = 0
      for _, n in ipairs(data.attrs.prompt_tokens) do prompts = prompts + n end
      assert.near(found(data, block_tokens) / prompts, s:run():get "llm.llm.cached", 1e-12)
    end
  end)

  it("are named in finer blocks beside other prefixes, to the same effect", function()
    local function cached(extra)
      local pipeline = { server() }
      pipeline[2] = extra
      return checked { name = "m", workload = td.replay { file = mooncake, limit = 300,
        time = "1000000s" }, pipeline = pipeline }
    end
    local plain = cached():run():get "llm.llm.cached"
    local body = cached():model()
    assert.equal(512, body.servers[1].pools[1].config.hash_tokens)
    local fine = checked { name = "m", workload = { td.replay { file = mooncake, limit = 300,
        time = "1000000s", class = "a" }, td.paced { rps = 1e-9, requests = 1, class = "b" } },
      classes = { { name = "a", pipeline = { server() } },
        { name = "b", attrs = { prompt_tokens = 1, output_tokens = 1 },
          pipeline = { server { prefix = 1 } } } } }
    assert.equal(16, fine:model().servers[1].pools[1].config.hash_tokens)
    assert.near(plain, fine:run():get "llm.llm.cached", 1e-6)
  end)

  it("are new in each repeat and in each copy", function()
    local function cached(options)
      options.file, options.limit = mooncake, 100
      return checked { name = "m", workload = td.replay(options),
        pipeline = { server() } }:run():get "llm.llm.cached"
    end
    local once = cached { time = "100000s" }
    assert.near(once, cached { time = "100000s", repeats = 3 }, 1e-12)
    assert.near(once, cached { time = "100000s", sample = 3 }, 1e-12)
  end)
end)

describe("td.resample", function()
  local rows = "arrival,prompt_tokens,output_tokens\n"
  for i = 1, 50 do rows = rows .. ("%d,%d,%d\n"):format(i, 100 + i, 300 - i) end
  local path
  setup(function() path = temporary(rows) end)
  teardown(function() os.remove(path) end)

  it("draws rows whole, each as often", function()
    local result = checked { name = "s", workload = td.poisson { rps = 100, requests = 20000,
        sizes = td.resample(path) },
      pipeline = { td.delay "joint" { time = "r.prompt_tokens + r.output_tokens" },
        td.delay "one" { time = "r.prompt_tokens" } } }:run()
    assert.near(400, result:get "stages.joint.service.mean", 1e-9)
    local sd = math.sqrt((50 ^ 2 - 1) / 12 / 20000)
    assert.near(125.5, result:get "stages.one.service.mean", 4 * sd)
  end)

  it("takes them in turn, whatever the arrivals", function()
    for _, workload in ipairs {
      td.closed { users = 3, requests = 100, sizes = td.resample { file = path,
        order = "recorded" } },
      td.paced { rps = 1, requests = 100, sizes = td.resample { file = path,
        order = "recorded" } } } do
      local result = checked { name = "s", workload = workload,
        pipeline = { td.delay "one" { time = "r.prompt_tokens" } } }:run()
      assert.near(125.5, result:get "stages.one.service.mean", 1e-9)
      assert.equal(150, result:get "latency.max")
    end
  end)

  it("is the same draw in both engines and at any number of threads", function()
    local function scenario(discipline)
      return checked { name = "s", replications = 4, workload = td.poisson { rps = 5,
          requests = 2000, sizes = td.resample(path) },
        resources = { td.pool "p" { servers = 1, discipline = discipline } },
        pipeline = { td.stage "one" { on = "p", cost = "r.prompt_tokens * 1e-3" } } }
    end
    local lowered, event = scenario "fifo", scenario "priority"
    assert.equal(lowered:run():get "latency.mean", event:run():get "latency.mean")
    assert.equal(event:run({ threads = 1 }):to_json(), event:run({ threads = 4 }):to_json())
  end)
end)
