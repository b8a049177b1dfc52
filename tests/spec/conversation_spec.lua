-- Conversations at LLM servers: rounds of a loop as turns, branches of a fork as agents, think
-- times, closed loops; what of a prompt is found in the prefix cache.

local td = require "tandem"

local function server(more)
  local body = { history = true, prompt = 100, output = 50,
    step = td.affine { step = "1ms", prefill_tokens = "10us", decode_seqs = "20us" },
    engine = { kv_blocks = 1 << 24, max_batched_tokens = 1 << 20, max_seqs = 1024 } }
  for k, v in pairs(more or {}) do body[k] = v end
  return td.generate "llm" (body)
end

local function run(body)
  body.name, body.warmup, body.replications = "c", "none", body.replications or 1
  body.workload = body.workload or td.paced { rps = 0.001, requests = 1 }
  local s, problems = td.check(body)
  assert.equal("no problems", tostring(problems))
  return assert(s:run()), s
end

-- Prompt tokens, and those found in the cache.
local function tokens(result)
  local prompts = result:get "llm.llm.prompt_tokens_per_s" * result.duration_s
  return math.floor(prompts + 0.5), math.floor(prompts * result:get "llm.llm.cached" + 0.5)
end

describe("a conversation", function()
  it("has all that was said before each turn, which is in the cache", function()
    local prompts, cached = tokens((run { pipeline = { td.loop { times = 3, server(),
      td.delay "think" { time = "10s" } } } }))
    -- 100, 250, 400; the last token of an answer is never computed, whole blocks of 16 count.
    assert.equal(750, prompts)
    assert.equal(149 // 16 * 16 + 299 // 16 * 16, cached)
  end)

  it("begins with a prefix that others share", function()
    local prompts, cached = tokens((run { workload = td.paced { rps = 0.001, requests = 2 },
      pipeline = { td.loop { times = 2, server { prefix = 330 },
        td.delay "think" { time = 1 } } } }))
    assert.equal(2 * (430 + 580), prompts)
    -- The second session finds the prefix of the first, and nothing that was said in it.
    assert.equal(479 // 16 * 16 + 330 // 16 * 16 + 479 // 16 * 16, cached)
  end)

  it("is nobody else's", function()
    local prompts, cached = tokens((run { workload = td.paced { rps = 0.001, requests = 5 },
      pipeline = { server() } }))
    assert.equal(500, prompts)
    assert.equal(0, cached)
  end)

  it("goes on in the branches of a fork, in each for itself, and after it", function()
    local function branch(wait)
      return { td.delay "tool" { time = wait }, server { prompt = 30, output = 20 } }
    end
    local prompts, cached = tokens((run { pipeline = { server(),
      td.fork { branch(1), branch(5), branch(9) }, server { prompt = 60 } } }))
    -- 100; three of 150 + 30 that find the 149 before them; 150 + 60 that finds them too.
    assert.equal(100 + 3 * 180 + 210, prompts)
    assert.equal(4 * 144, cached)
    -- Rounds with a fork in each: every branch is another, also where the same one was before.
    prompts, cached = tokens((run { pipeline = { server(), td.loop { times = 2,
      td.fork { branch(1), branch(5) } } } }))
    assert.equal(100 + 4 * 180, prompts)
    assert.equal(4 * 144, cached)
    -- A fork within a fork: branches that begin with 150 + 50 tokens.
    prompts, cached = tokens((run { pipeline = { server(), td.fork { { server { prompt = 30,
      output = 20 }, td.fork { branch(1), branch(5) } } } } }))
    assert.equal(100 + 180 + 2 * 230, prompts)
    assert.equal(144 + 2 * (199 // 16 * 16), cached)
  end)

  it("has figures of each of its steps at a server", function()
    local result = run { pipeline = { server(), server { prompt = 1000, output = 1 } } }
    local one = result.llm[1].classes
    assert.same({ "default", "default#2" }, { one[1].name, one[2].name })
    -- 1 ms and 10 us a token that is computed: 100; 150 + 1000 but 144.
    assert.near(1e-3 + 100e-5, result:get "llm.llm.classes.default.ttft.mean", 1e-9)
    assert.near(1e-3 + 1006e-5, result:get "llm.llm.classes.default#2.ttft.mean", 1e-9)
  end)

  it("is remembered by other servers as text, not as keys and values", function()
    local other = td.generate "judge" { history = true, prompt = 10, output = 1, replicas = 1,
      step = td.affine { step = "1ms" }, engine = { kv_blocks = 1 << 20 } }
    local result = run { pipeline = { server { replicas = 1 }, other, server { replicas = 1 } } }
    assert.near(160, result:get "llm.judge.prompt_tokens_per_s" * result.duration_s, 1e-6)
    assert.equal(0, result:get "llm.judge.cached")
    -- 150, then 161 and 100 more; of the first server's own 149 are cached.
    local prompts, cached = tokens(result)
    assert.equal(100 + 261, prompts)
    assert.equal(144, cached)
  end)

  it("stays with its replica by affinity, and finds less by turns", function()
    local function cached(route)
      return select(2, tokens((run { workload = td.poisson { rps = 0.5, requests = 200 },
        pipeline = { td.loop { times = 4, server { replicas = 4, route = route },
          td.delay "think" { time = td.exponential "5s" } } } })))
    end
    assert.equal(200 * (144 + 288 + 448), cached "affinity")
    assert.is_true(cached "round_robin" < 0.6 * cached "affinity")
  end)

  it("says the same again when its replica fails", function()
    local result = run { workload = td.poisson { rps = 0.5, requests = 300 },
      pipeline = { td.loop { times = 4, server { replicas = 2, prefix = 64, mtbf = "20s",
          mttr = "1s", output = 400 }, td.delay "think" { time = td.exponential "5s" } } } }
    assert.is_true(result:get "llm.llm.restarts" > 0)
    assert.equal(300 * (164 + 664 + 1164 + 1664), (tokens(result)))
  end)

  it("goes over to decode replicas turn by turn, and back into the prompts", function()
    local function split(more)
      local body = { prefill = { replicas = 1 }, decode = { replicas = 1 },
        handover = { link = td.link "nic" { bandwidth = "50GB/s" }, token_bytes = 131072 } }
      for k, v in pairs(more or {}) do body[k] = v end
      return server(body)
    end
    local function talk(one, count)
      return run { workload = td.poisson { rps = 0.2, requests = count }, pipeline = {
        td.loop { times = 3, one, td.delay "think" { time = "3s" } } } }
    end
    local result = talk(split(), 20)
    local prompts, cached = tokens(result)
    assert.equal(20 * 750, prompts)
    -- The prefill replica has computed prompts, and no answer but its first token.
    assert.equal(20 * (100 // 16 * 16 + 250 // 16 * 16), cached)
    -- What another server is told in the end is as long, whoever failed on the way.
    local judge = td.generate "judge" { history = true, prompt = 1, output = 1, replicas = 1,
      step = td.affine { step = "1ms" }, engine = { kv_blocks = 1 << 20 } }
    result = run { workload = td.poisson { rps = 0.2, requests = 100 }, pipeline = {
      td.loop { times = 3, split { mtbf = "5s", mttr = "1s", output = 300 } }, judge } }
    assert.is_true(result:get "llm.llm.restarts" > 0)
    assert.near(100 * 1201, result:get "llm.judge.prompt_tokens_per_s" * result.duration_s, 1e-6)
  end)

  it("is computed again where its blocks are gone, or were never kept", function()
    local _, cached = tokens((run { pipeline = { td.loop { times = 3,
      server { engine = { kv_blocks = 1 << 20, prefix_caching = false } } } } }))
    assert.equal(0, cached)
    -- Sessions in turn, a pool that holds one of them.
    local _, kept = tokens((run { workload = td.paced { rps = 1, requests = 4 }, pipeline = {
      td.loop { times = 2, server { engine = { kv_blocks = 24 } },
        td.delay "think" { time = "10s" } } } }))
    assert.is_true(kept < 4 * 144)
  end)

  it("starts anew when it is tried again", function()
    -- Turns of 100 + 50: the third answer to 400 does not fit into 27 blocks of 16.
    local result = run { retry = { max = 1, backoff = 1, jitter = 0 }, pipeline = {
      td.loop { times = 4, server { engine = { kv_blocks = 27 } }, td.delay "t" { time = 1 } } } }
    assert.equal(1, result.classes[1].dropped)
    local prompts, cached = tokens(result)
    assert.equal(2 * 350, prompts)
    -- The second time it asks the same: 100 and 250 that were there before, but the last block.
    assert.equal(144 + 96 + 240, cached)
  end)

  it("takes prompts and think times anew in each round", function()
    local result = run { workload = td.poisson { rps = 5, requests = 2000 }, pipeline = {
      td.loop { times = 3, server { prompt = td.uniform(50, 150), output = td.uniform(20, 40) },
        td.delay "think" { time = td.exponential "2s" } } } }
    -- New tokens of 100 and 30 a turn: prompts of 100, 230, 360.
    local prompts = tokens(result) / 2000
    local sd = math.sqrt((100 ^ 2 / 12) * (9 + 4 + 1) + (20 ^ 2 / 12) * (4 + 1))
    assert.near(690, prompts, 4 * sd / math.sqrt(2000))
    assert.near(2, result:get "stages.think.service.mean", 4 * 2 / math.sqrt(6000))
    -- The latency of a request is that of its session.
    assert.near(3 * (result:get "llm.llm.e2e.mean" + result:get "stages.think.service.mean"),
      result:get "latency.mean", 1e-6)
  end)
end)

describe("recorded conversations", function()
  local path
  setup(function()
    path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "chat,asked,answered\na,100,50\na,30,20\nb,40,10\na,7,3\n"
    file:close()
  end)
  teardown(function() os.remove(path) end)

  it("are held turn by turn", function()
    local sizes = td.resample { file = path, order = "recorded", columns = { session = "chat",
      prompt_tokens = "asked", output_tokens = "answered" } }
    local result = run { workload = td.closed { users = 1, requests = 4, sizes = sizes },
      pipeline = { td.loop { times = "r.turns", td.generate "llm" { history = true,
        step = td.affine { step = "1ms" }, engine = { kv_blocks = 1 << 20 } },
        td.delay "think" { time = "1s" } } } }
    local prompts = tokens(result)
    -- a: 100, 180, 207; b: 40; each twice.
    assert.equal(2 * (100 + 180 + 207 + 40), prompts)
    assert.near(2 * (50 + 20 + 3 + 10),
      result:get "llm.llm.output_tokens_per_s" * result.duration_s, 1e-6)
    assert.equal(8, result:get "stages.think.visits")
  end)
end)

describe("a closed loop", function()
  it("keeps as many requests inside as there are users", function()
    for _, users in ipairs { 1, 7, 40 } do
      local result = run { workload = td.closed { users = users, requests = 2000 },
        pipeline = { server { history = false, prompt = td.uniform(50, 150),
          output = td.uniform(20, 80), engine = { kv_blocks = 1 << 20, max_seqs = 16 } } } }
      -- Little: the last of them leave an emptier server behind.
      local inside = 2000 / result.duration_s * result:get "latency.mean"
      assert.is_true(inside <= users and inside > users * (1 - 2 * users / 2000) - 0.05)
      assert.is_true(result:get "llm.llm.batch" <= math.min(users, 16))
    end
  end)

  it("has the same bytes at one thread and at four, with sessions and forks in it", function()
    local _, s = run { replications = 4, workload = td.closed { users = 6, requests = 300 },
      pipeline = { td.loop { again = 0.6, server { prompt = td.uniform(20, 60), replicas = 2,
          prefix = 40, engine = { kv_blocks = 300, max_seqs = 8 } },
        td.fork { { td.delay "tool" { time = td.exponential "1s" } }, { td.delay "t" { time = 1 },
          server { prompt = td.uniform(20, 60), replicas = 2, prefix = 40,
            engine = { kv_blocks = 300, max_seqs = 8 } } } } } } }
    assert.equal(s:run({ threads = 1 }):to_json(), s:run({ threads = 4 }):to_json())
  end)
end)
