-- KV tiers against caches written block by block: lists that are searched from end to end, one
-- request at a time on each replica, and when each block is where: what a first token then takes.

local core = require "tandem.core"

local BLOCK <const> = 16 -- tokens
local PREFILL_S <const>, DECODE_S <const> = 1e-5, 1e-3
local LONG <const>, NEVER <const> = 256, math.maxinteger

local function model()
  return assert(core.llm.step { kind = "affine", pieces = { { decode_seqs_max = math.huge,
    prefill_tokens = PREFILL_S, decode_seqs = DECODE_S } } })
end

-- ---- the oracle: a replica has `gpu`, a free list of { name, requests } or false, and tiers,
-- lists of { name, there }, the one in use longest ago first; `ways` are when each is free

local function ns(seconds) return math.floor(seconds * 1e9 + 0.5) end

local function place_of(list, name)
  for i, one in ipairs(list) do
    if one and one.name == name then return i end
  end
  return nil
end

local function has(tier, name, now)
  local at = place_of(tier, name)
  return at and tier[at].there <= now
end

-- One block starts down at `now`; it is there no sooner than `above`.
local function send(tier, block, now, above)
  local w = tier.is.one_way and "load" or "store"
  tier.ways[w] = math.max(tier.ways[w], now) + ns(tier.is.store_s or 0)
  block.there = math.max(tier.ways[w] + ns(tier.is.latency_s), above)
  return tier.ways[w]
end

local put

-- Room for one more: who goes may go on to the tier below.
local function forget_oldest(r, k, now)
  local tiers, tier = r.tiers, r.tiers[k]
  if #tier < tier.is.blocks then return end
  local gone, below = table.remove(tier, 1), tiers[k + 1]
  if below and below.is.write == "write_back" then
    put(r, k + 1, gone.name, now,
      { later = gone.there == NEVER, above = math.max(gone.there, now) })
  end
end

-- how: later (at the end of the step), above, left (set: when the first has it)
function put(r, k, name, now, how)
  local tier, below = r.tiers[k], r.tiers[k + 1]
  if place_of(tier, name) then return end
  if tier.is.blocks > 0 then
    forget_oldest(r, k, now)
    local block = { name = name, there = NEVER }
    tier[#tier + 1] = block
    r.stored[k] = r.stored[k] + 1
    if how.later then
      r.later[#r.later + 1] = { tier = tier, block = block, follows = how.follows }
    else
      local passed = send(tier, block, now, how.above)
      how.above = block.there
      if not how.follows then how.left = passed end
    end
    how.follows = true
  end
  if below and below.is.write ~= "write_back" then put(r, k + 1, name, now, how) end
end

local function step_ends(r, now)
  local above = now
  for _, one in ipairs(r.later) do
    if not one.follows then above = now end
    send(one.tier, one.block, now, above)
    above = one.block.there
  end
  r.later = {}
end

local function touch(r, names, count)
  for _, tier in ipairs(r.tiers) do
    for i = count, 1, -1 do
      local at = place_of(tier, names[i])
      if at then table.insert(tier, (table.remove(tier, at))) end
    end
  end
end

local function computed(r, names, first, last, now)
  local first_tier = r.tiers[1].is
  for i = first, last do
    local often = first_tier.write ~= "write_through_selective" or r.mine[names[i]] > 1
    if first_tier.write ~= "write_back" and often then
      put(r, 1, names[i], now, { later = true })
    end
  end
end

-- Free blocks are used; when what they held is stored, where that matters.
local function take(r, count, now)
  local left = 0
  for _ = 1, count do
    local unit = table.remove(r.gpu, 1)
    if unit and r.tiers[1].is.write == "write_back" then
      local how = { above = now }
      put(r, 1, unit.name, now, how)
      left = math.max(left, how.left or 0)
    end
  end
  return left
end

-- From `hit` on, as far as each is in one of the first tiers: how many, and from where.
local function search(r, names, hit, limit, now, tiers)
  local found, at = {}, hit
  for k in ipairs(r.tiers) do found[k] = 0 end
  while at < limit do
    local from
    for k = 1, tiers do
      from = from or has(r.tiers[k], names[at + 1], now) and k or nil
    end
    if not from then break end
    found[from] = found[from] + 1
    at = at + 1
  end
  return at, found
end

local function load(tier, blocks, now)
  local is = tier.is
  tier.ways.load = math.max(tier.ways.load, now) + ns(blocks * is.block_s)
  return tier.ways.load + ns(is.latency_s)
end

local function load_all(r, found, now)
  local there = now
  for k, tier in ipairs(r.tiers) do
    if found[k] > 0 then
      there = math.max(there, load(tier, found[k], now))
      r.loaded[k] = r.loaded[k] + found[k]
    end
  end
  return there
end

-- SGLang: what is further down comes into the first tier, as far as it does in time. Returns when
-- the request's turn is, and what came by tier.
local function prefetch(r, names, hit, limit, now)
  local at, found = search(r, names, hit, limit, now, #r.tiers)
  local tokens, turn, came, begins = 0, now, {}, {}
  for k = 2, #r.tiers do tokens = tokens + found[k] * BLOCK end
  if tokens < LONG then return now, came end
  for k = 2, #r.tiers do
    local tier, is = r.tiers[k], r.tiers[k].is
    begins[k] = math.max(tier.ways.load, now)
    if found[k] > 0 then
      local there = load(tier, found[k], now)
      r.loaded[k] = r.loaded[k] + found[k]
      local patience = now + ns((is.timeout_s or 0) + found[k] * BLOCK * (is.timeout_token_s or 0))
      if is.prefetch == "wait_complete" then turn = math.max(turn, there) end
      if is.prefetch == "timeout" then turn = math.max(turn, math.min(there, patience)) end
    end
  end
  local left = {}
  for k = 2, #r.tiers do
    local is = r.tiers[k].is
    local blocks = (turn - begins[k] - ns(is.latency_s)) / ns(is.block_s)
    left[k] = math.max(0, math.min(found[k], blocks // 1))
  end
  for i = hit + 1, at do
    if not has(r.tiers[1], names[i], turn) then
      local from
      for k = 2, #r.tiers do from = from or has(r.tiers[k], names[i], turn) and k or nil end
      if not from or left[from] < 1 or r.tiers[1].is.blocks < 1 then break end
      left[from] = left[from] - 1
      came[from] = (came[from] or 0) + 1
      local old = place_of(r.tiers[1], names[i])
      if old then table.remove(r.tiers[1], old) end
      forget_oldest(r, 1, turn)
      table.insert(r.tiers[1], { name = names[i], there = turn })
    end
  end
  return turn, came
end

-- Its decode steps, one after the other: each may want a block whose last content is stored first.
local function decode(r, request, begin, blocks)
  local now = begin
  for k = 2, request.output do
    local wanted = (request.prompt + k - 1 + BLOCK - 1) // BLOCK
    local left = wanted > blocks and take(r, wanted - blocks, now) or 0
    blocks = math.max(blocks, wanted)
    now = math.max(now, left) + ns(DECODE_S)
  end
  return blocks
end

local function serve(r, server, request)
  local names, prompt, now = request.hashes, request.prompt, request.at_ns
  local full, all = math.min(#names, prompt // BLOCK), (prompt + BLOCK - 1) // BLOCK
  local limit = math.min((prompt - 1) // BLOCK, #names)
  local hit, came = 0, {}
  while hit < limit and place_of(r.gpu, names[hit + 1]) do hit = hit + 1 end
  local turn, first = now, server == "vllm" and #r.tiers or 1
  if server == "sglang" then turn, came = prefetch(r, names, hit, limit, now) end
  local at, found = search(r, names, hit, limit, turn, first)
  r.mine = {}
  local function hold()
    for i = 1, hit do
      local unit = table.remove(r.gpu, place_of(r.gpu, names[i]))
      r.mine[names[i]] = unit.requests + 1
    end
    computed(r, names, 1, hit, turn)
    touch(r, names, full)
  end
  local function publish(first_block, last)
    for i = first_block, last do r.mine[names[i]] = 1 end
    computed(r, names, first_block, last, turn)
    if last >= first_block then touch(r, names, last) end
  end
  local compute = ns((prompt - at * BLOCK) * PREFILL_S)
  local ends, waited
  if server == "vllm" then
    hold()
    local left, begin = take(r, all - hit, turn), turn
    if at > hit then
      begin = math.max(load_all(r, found, turn), left)
      left = 0
      publish(hit + 1, at)
    end
    publish(at + 1, full)
    ends = math.max(begin, left) + compute
    waited = begin - now
  else
    local there = load_all(r, found, turn)
    if server == "tensorrt_llm" then
      for i = hit + 1, at do table.remove(r.tiers[1], place_of(r.tiers[1], names[i])) end
    end
    hold()
    local left = take(r, all - hit, turn)
    if server == "sglang" then
      ends = math.max(math.max(turn, left) + compute, there)
    else
      ends = math.max(turn, left, there) + compute
    end
    publish(hit + 1, full)
    waited = turn - now
  end
  step_ends(r, ends)
  local blocks = decode(r, request, ends, all)
  for _ = 1, blocks - full do r.gpu[#r.gpu + 1] = false end
  for i = full, 1, -1 do r.gpu[#r.gpu + 1] = { name = names[i], requests = r.mine[names[i]] } end
  for k, blocks_of in pairs(came) do
    local part = math.min(blocks_of, found[1])
    found[1], found[k] = found[1] - part, found[k] + part
  end
  return { hit = hit, found = found, load_ns = waited, ttft_ns = ends - now }
end

local function expected(blocks, tiers, requests, server, replicas)
  local all, out, below, store = {}, {}, {}, nil
  for k in ipairs(tiers) do below[k] = { stored = 0, loaded = 0 } end
  for n = 0, replicas - 1 do
    local r = { gpu = {}, tiers = {}, later = {}, stored = {}, loaded = {} }
    for i = 1, blocks do r.gpu[i] = false end
    for k, is in ipairs(tiers) do
      r.tiers[k] = is.shared and store or { is = is, ways = { load = 0, store = 0 } }
      if is.shared then store = r.tiers[k] end
      r.stored[k], r.loaded[k] = 0, 0
    end
    all[n] = r
  end
  for i, request in ipairs(requests) do
    out[i] = serve(all[request.replica or 0], server, request)
  end
  for _, r in pairs(all) do
    for k in ipairs(tiers) do
      below[k].stored = below[k].stored + r.stored[k]
      below[k].loaded = below[k].loaded + r.loaded[k]
    end
  end
  return out, below
end

-- ---- what comes: agents whose context grows, with system prompts that several share

local function sessions(count, seed, replicas)
  local state = seed
  local function draw(n)
    state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return (state >> 33) % n
  end
  local agents, out, at_ns, named = {}, {}, 0, 1000
  for i = 1, count do
    local a = 1 + draw(12)
    if not agents[a] or draw(9) == 0 then
      agents[a] = { tokens = (3 + a % 3) * BLOCK, names = {} }
      for b = 1, 3 + a % 3 do agents[a].names[b] = (1 + a % 3) * 100 + b end
    end
    local agent, names = agents[a], {}
    agent.tokens = agent.tokens + 1 + draw(90)
    while #agent.names < agent.tokens // BLOCK do
      named = named + 1
      agent.names[#agent.names + 1] = named
    end
    if agent.tokens > 700 then agents[a] = nil end
    table.move(agent.names, 1, #agent.names, 1, names)
    out[i] = { at_ns = at_ns, prompt = agent.tokens, output = 1 + draw(40), hashes = names,
      replica = replicas and draw(replicas) or 0 }
    at_ns = at_ns + 1000000000
  end
  return out
end

local SERVERS <const> = {
  vllm = {},
  sglang = { steps = "prefill_first", admission = "estimate", victim = "least_output",
    shares_computed = true, preempted_last = true },
  tensorrt_llm = { steps = "decode_first", admission = "maximum", chunking = "blocks",
    shares_computed = true, waits_for_prefix = true, chunked_prefill = false },
}

local function replay(blocks, tiers, requests, server, replicas, more)
  local config = { blocks = blocks, block_tokens = BLOCK, hash_tokens = BLOCK, kv_tiers = tiers }
  for key, value in pairs(SERVERS[server or "vllm"]) do config[key] = value end
  for key, value in pairs(more or {}) do config[key] = value end
  return assert(core.serving.replay(config, model(), requests, false, replicas))
end

local function tier(blocks, more)
  local out = { name = "t" .. blocks, blocks = blocks, block_s = 2.5e-6, latency_s = 1e-5 }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local BACK <const> = "write_back"
-- What is slow is slow enough to be seen by the next request, a second later.
local CASES <const> = {
  ["one that writes through"] = { tier(150) },
  ["one that writes back"] = { tier(40, { write = BACK }) },
  ["smaller than the GPU"] = { tier(60), tier(70, { write = BACK }) },
  ["three, through"] = { tier(90), tier(160, { block_s = 3e-5 }), tier(300, { latency_s = 2e-3 }) },
  ["three, back"] = { tier(20, { write = BACK }), tier(50, { write = BACK, block_s = 1e-4 }),
    tier(200, { write = BACK }) },
  ["back, then through"] = { tier(50, { write = BACK }), tier(300) },
  ["through, then back, then through"] = { tier(100), tier(60, { write = BACK }), tier(70) },
  ["slow stores"] = { tier(150, { store_s = 0.13, latency_s = 0.4 }) },
  ["slow stores, one way"] = { tier(150, { store_s = 0.015, one_way = true }) },
  ["slow stores, back"] = { tier(90, { store_s = 2e-3, write = BACK }) },
  ["slow stores, back, one way"] = { tier(90, { store_s = 3e-4, write = BACK, one_way = true }),
    tier(400, { store_s = 0.2, latency_s = 0.1 }) },
  ["slow further down"] = { tier(30, { store_s = 1e-5 }), tier(300, { store_s = 0.15 }),
    tier(500, { store_s = 0.3, write = BACK }) },
  ["a second request's"] = { tier(150, { write = "write_through_selective" }) },
  ["a second request's, slow"] = { tier(60, { write = "write_through_selective", store_s = 0.1 }),
    tier(200, { store_s = 0.05 }) },
  ["SGLang: one"] = { server = "sglang", tier(150, { store_s = 0.01, block_s = 3e-4 }) },
  ["SGLang: one, a second request's"] = { server = "sglang",
    tier(150, { store_s = 1e-4, write = "write_through_selective" }) },
  ["SGLang: best effort"] = { server = "sglang", tier(120),
    tier(400, { block_s = 1e-3, store_s = 1e-3, prefetch = "best_effort" }) },
  ["SGLang: wait for all"] = { server = "sglang", tier(50),
    tier(400, { block_s = 1e-3, store_s = 2e-3, prefetch = "wait_complete" }) },
  ["SGLang: so long"] = { server = "sglang", tier(50), tier(400, { block_s = 1e-3,
    prefetch = "timeout", timeout_s = 5e-3, timeout_token_s = 2e-5 }) },
  ["SGLang: back"] = { server = "sglang", tier(60, { write = BACK, store_s = 1e-4 }),
    tier(400, { write = BACK, block_s = 2e-4, prefetch = "timeout", timeout_s = 1e-3,
      timeout_token_s = 1e-5 }) },
  ["TensorRT-LLM"] = { server = "tensorrt_llm", tier(90, { write = BACK, store_s = 2e-3 }) },
  ["TensorRT-LLM: small, one way"] = { server = "tensorrt_llm",
    tier(40, { write = BACK, store_s = 1e-4, block_s = 3e-4, one_way = true }) },
  ["shared by three"] = { replicas = 3, tier(400, { shared = true, store_s = 0.01 }) },
  ["shared by three, slow"] = { replicas = 3, tier(40),
    tier(300, { shared = true, store_s = 0.12, block_s = 5e-4, latency_s = 0.2 }) },
  ["shared by two, back"] = { replicas = 2, tier(30, { write = BACK, store_s = 1e-4 }),
    tier(200, { shared = true, write = BACK, store_s = 0.01, one_way = true }) },
  ["SGLang: shared by three"] = { server = "sglang", replicas = 3, tier(60), tier(400, {
    shared = true, block_s = 1e-3, store_s = 0.02, prefetch = "timeout", timeout_s = 4e-3,
    timeout_token_s = 1e-5 }) },
}

describe("KV tiers", function()
  for name, tiers in pairs(CASES) do
    it("hold what lists searched from end to end hold: " .. name, function()
      local server, replicas = tiers.server or "vllm", tiers.replicas or 1
      local requests, found = sessions(120, 7, tiers.replicas), {}
      local wanted, below = expected(80, tiers, requests, server, replicas)
      local got, totals = replay(80, tiers, requests, server, replicas)
      for i, one in ipairs(wanted) do
        local o, say = got[i], ("request %d"):format(i)
        assert.are.equal(one.hit * BLOCK, o.cached_tokens, say)
        for k in ipairs(tiers) do
          assert.are.equal(one.found[k] * BLOCK, o.below_tokens[k], say)
          found[k] = (found[k] or 0) + one.found[k]
        end
        assert.are.equal(one.ttft_ns, o.first_token_ns - requests[i].at_ns, say)
        assert.are.equal(one.load_ns, o.load_ns, say)
      end
      for k in ipairs(tiers) do
        assert.are.equal(below[k].stored, totals.stored[k])
        assert.are.equal(below[k].loaded, totals.loaded[k])
      end
      local sum = 0
      for _, blocks in ipairs(found) do sum = sum + blocks end
      assert.is_true(sum > 20)
    end)
  end

  it("have by a request's turn what has come of a prefetch, and more where it waits", function()
    local function blocks(first, count)
      local names = {}
      for i = 1, count do names[i] = first + i end
      return names
    end
    -- The first one's blocks leave the GPU and host memory; then it comes again behind one that has
    -- the only seat for 8 ms of prompt and 39 ms of decoding.
    local requests = {}
    local function request(at_s, first, count, output)
      requests[#requests + 1] = { at_ns = ns(at_s), prompt = count * BLOCK + 5,
        output = output or 1, hashes = blocks(first, count) }
    end
    request(0, 1000, 20)
    for i = 1, 6 do request(i, 1000 + 100 * i, 30) end
    requests[#requests + 1] = { at_ns = ns(10), prompt = 800, output = 40, hashes = {} }
    request(10.001, 1000, 20)
    local function last(policy)
      local tiers = { tier(60), tier(400, { block_s = 3e-3, latency_s = 1e-4, prefetch = policy,
        timeout_s = 45e-3 }) }
      local got = replay(80, tiers, requests, "sglang", 1, { max_seqs = 1 })
      return got[#got].below_tokens, got[#got].first_token_ns - ns(10), got[#got].load_ns
    end
    local seat = ns(47e-3)
    local function first_at(came, turn)
      return turn + math.max(ns((325 - came * BLOCK) * PREFILL_S), ns(came * 2.5e-6) + ns(1e-5))
    end
    local found, first_ns, waited = last "best_effort"
    assert.same({ 0, 12 * BLOCK }, found) -- of 39 ms, less latency, at 3 ms
    assert.equal(first_at(12, seat), first_ns)
    assert.equal(0, waited)
    found, first_ns, waited = last "timeout"
    assert.same({ 0, 14 * BLOCK }, found) -- of 45 ms, less latency
    assert.equal(first_at(14, ns(8e-3) + ns(45e-3)), first_ns)
    assert.equal(ns(45e-3), waited)
    found, first_ns, waited = last "wait_complete"
    assert.same({ 0, 20 * BLOCK }, found)
    assert.equal(first_at(20, ns(8e-3) + ns(60e-3) + ns(1e-4)), first_ns)
    assert.equal(ns(60e-3) + ns(1e-4), waited)
  end)

  it("of no room change nothing", function()
    local requests = sessions(150, 11)
    local without = replay(80, nil, requests)
    local with = replay(80, { tier(0) }, requests)
    for i, o in ipairs(without) do
      assert.are.equal(0, with[i].below_tokens[1])
      with[i].below_tokens, with[i].load_ns = nil, nil
      assert.are.same(o, with[i])
    end
  end)

  it("without limits are a GPU without limits", function()
    local requests = sessions(200, 13)
    local endless = replay(1 << 20, nil, requests)
    local with = replay(80, { tier(1 << 20, { block_s = 0, latency_s = 0 }) }, requests)
    local below = 0
    for i, o in ipairs(endless) do
      assert.are.equal(o.cached_tokens, with[i].cached_tokens + with[i].below_tokens[1])
      assert.are.equal(o.first_token_ns, with[i].first_token_ns)
      assert.are.equal(o.finished_ns, with[i].finished_ns)
      below = below + with[i].below_tokens[1]
    end
    assert.is_true(below > 10000)
  end)
end)
