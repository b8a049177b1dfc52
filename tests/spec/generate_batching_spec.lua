-- Static and dynamic batches of td.generate, against a simulation of a few lines, batch-service
-- theory, and in words.

local td = require "tandem"

local function checked(extra)
  local raw = { name = "llm", workload = td.poisson { rps = 8, duration = "2000s" },
    attrs = { prompt_tokens = 1, output_tokens = 1 } }
  for k, v in pairs(extra) do raw[k] = v end
  return td.check(raw)
end

local function rows(count)
  local list, at, state = {}, 0, 4711
  for i = 1, count do
    state = (state * 1103515245 + 12345) % (1 << 31)
    at = at + state % 1000 * 3e-4
    list[i] = { arrival = at, prompt_tokens = 1 + state % 90, output_tokens = 1 + state % 17 }
  end
  return list
end

local step = { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us" }

local function found(list, engine)
  engine.kv_blocks = engine.kv_blocks or 10000
  local s, problems = checked { attrs = {}, workload = td.replay { rows = list },
    pipeline = { td.generate "answer" { step = td.affine(step), engine = engine } } }
  assert(s, tostring(problems))
  local result = s:run { requests_log = "all", replications = 1, warmup = "none" }
  local out = {}
  for i = 1, #result.requests_log do out[i] = result.requests_log[i] end
  table.sort(out, function(a, b) return a.arrival_s < b.arrival_s end)
  return out, result
end

-- When each request leaves: batches of `max`, begun when full or when the oldest has waited `wait`.
local function simulated(list, max, wait, together)
  local leaves, free, first = {}, 0, 1
  while first <= #list do
    local full = list[first + max - 1]
    local begin = math.min(full and full.arrival or math.huge, list[first].arrival + wait)
    if begin == math.huge then begin = list[#list].arrival end
    begin = math.max(begin, free)
    local last = first
    while last < #list and last - first + 1 < max and list[last + 1].arrival <= begin do
      last = last + 1
    end
    local now, prompts, longest = begin + 2e-3, 0, 0
    for i = first, last do
      prompts, longest = prompts + list[i].prompt_tokens, math.max(longest, list[i].output_tokens)
    end
    now = now + prompts * 30e-6
    for token = 1, longest do
      local going = 0
      for i = first, last do
        if list[i].output_tokens == token then leaves[i] = now end
        if list[i].output_tokens > token then going = going + 1 end
      end
      if going > 0 then now = now + 2e-3 + going * 50e-6 end
    end
    for i = first, together and last or first - 1 do leaves[i] = now end
    free, first = now, last + 1
  end
  return leaves
end

describe("an LLM server that batches", function()
  it("does what a simulation of a few lines does", function()
    local list = rows(301)
    for _, case in ipairs {
      { engine = { batching = "static", max_seqs = 4 }, wait = math.huge, together = true },
      { engine = { batching = "static", max_seqs = 7, returns_together = false },
        wait = math.huge },
      { engine = { batching = "dynamic", max_seqs = 4, wait = "40ms" }, wait = 0.04,
        together = true },
      { engine = { batching = "dynamic", max_seqs = 9, returns_together = false }, wait = 0 } } do
      local leaves = simulated(list, case.engine.max_seqs, case.wait, case.together)
      for i, one in ipairs((found(list, case.engine))) do
        assert.near(leaves[i] - list[i].arrival, one.latency_s, 2e-8)
      end
    end
  end)

  it("starts an incomplete static batch when nobody else can come", function()
    -- Three users in a closed loop never fill four places; with them all waiting it starts.
    local s = assert(checked { workload = td.closed { users = 3, think = "1s", duration = "100s" },
      pipeline = { td.generate "answer" { step = td.affine { step = "500ms" },
        engine = { batching = "static", max_seqs = 4, kv_blocks = 10 } } } })
    local result = s:run { replications = 1, warmup = "none" }
    assert.equal(3, result:get "llm.answer.batch")
    assert.is_true(result.requests >= 195 and result.checks.ok)
  end)

  it("is a batch-service queue", function()
    -- Poisson arrivals, at most 8 at once, 0.3 + 0.05 b seconds: the queue that a batch leaves
    -- behind is a Markov chain; its stationary distribution by iteration, then batches and Little.
    local rate, max, states = 8, 8, 80
    local chain = {}
    for q = 0, states do chain[q] = q == 0 and 1 or 0 end
    local function coming(seconds)
      local p, mean = {}, rate * seconds
      p[0] = math.exp(-mean)
      for k = 1, states do p[k] = p[k - 1] * mean / k end
      return p
    end
    local arrivals = {}
    for b = 1, max do arrivals[b] = coming(0.3 + 0.05 * b) end
    for _ = 1, 100 do
      local after = {}
      for q = 0, states do after[q] = 0 end
      for q = 0, states do
        local b = math.min(math.max(q, 1), max)
        for k = 0, states - math.max(q - b, 0) do
          local to = math.max(q - b, 0) + k
          after[to] = after[to] + chain[q] * arrivals[b][k]
        end
      end
      chain = after
    end
    local members = 0
    for q = 0, states do members = members + chain[q] * math.min(math.max(q, 1), max) end
    local s = assert(checked { pipeline = { td.generate "answer" {
      step = td.affine { step = "300ms", prefill_seqs = "50ms" },
      engine = { batching = "dynamic", max_seqs = max, kv_blocks = 100 } } } })
    local batch = s:run({ replications = 10 }).llm[1].batch
    assert.is_true(math.abs(batch.value - members) < 2.5 * batch.half,
      ("%g ± %g, wanted %g"):format(batch.value, batch.half, members))
  end)

  it("says what is wrong", function()
    local function refused(engine, pattern)
      engine.kv_blocks = 100
      local s, problems = checked { pipeline = { td.generate "answer" { step = td.affine(step),
        engine = engine } } }
      assert.is_nil(s)
      assert.matches(pattern, tostring(problems), 1, true)
    end
    refused({ wait = "1ms" }, "batching = \"dynamic\"")
    refused({ batching = "static", wait = "1ms" }, "a static batch waits until it is full")
    refused({ batching = "static", prefix_caching = true }, "is for continuous batching")
    refused({ batching = "statc" }, "did you mean 'static'")
  end)
end)
