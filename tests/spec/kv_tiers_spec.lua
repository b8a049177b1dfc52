-- KV tiers against caches written block by block: lists that are searched from end to end, one
-- request at a time, and what its first token then takes.

local core = require "tandem.core"

local BLOCK <const> = 16 -- tokens
local PREFILL_S <const>, DECODE_S <const> = 1e-5, 1e-3

local function model()
  return assert(core.llm.step { kind = "affine", pieces = { { decode_seqs_max = math.huge,
    prefill_tokens = PREFILL_S, decode_seqs = DECODE_S } } })
end

-- ---- the oracle

local function place_of(list, name)
  for i, one in ipairs(list) do
    if one == name then return i end
  end
  return nil
end

-- A tier is a list of names, the one in use longest ago first.
local function put(tiers, k, name)
  local tier = tiers[k]
  if not tier or tier.blocks < 1 or place_of(tier, name) then return end
  if #tier == tier.blocks then
    local gone = table.remove(tier, 1)
    if tiers[k + 1] and tiers[k + 1].write_back then put(tiers, k + 1, gone) end
  end
  tier[#tier + 1] = name
  tier.stored = tier.stored + 1
  if tiers[k + 1] and not tiers[k + 1].write_back then put(tiers, k + 1, name) end
end

local function touch(tiers, names, count)
  for _, tier in ipairs(tiers) do
    for i = count, 1, -1 do
      local at = place_of(tier, names[i])
      if at then table.insert(tier, (table.remove(tier, at))) end
    end
  end
end

local function through(tiers, names, first, last)
  for i = first, last do
    if not tiers[1].write_back then put(tiers, 1, names[i]) end
  end
end

-- Of the free list of the GPU, whose blocks have a name or none (false).
local function take(gpu, tiers, count)
  for _ = 1, count do
    local name = table.remove(gpu, 1)
    if name and tiers[1].write_back then put(tiers, 1, name) end
  end
end

local function ns(seconds) return math.floor(seconds * 1e9 + 0.5) end

local function serve(gpu, tiers, request)
  local names, prompt = request.hashes, request.prompt
  local full = math.min(#names, prompt // BLOCK)
  local limit = math.min((prompt - 1) // BLOCK, #names)
  local hit, out = 0, { found = {}, load_ns = 0 }
  while hit < limit and place_of(gpu, names[hit + 1]) do hit = hit + 1 end
  local at = hit
  for k in ipairs(tiers) do out.found[k] = 0 end
  while at < limit do
    local from
    for k, tier in ipairs(tiers) do
      from = from or place_of(tier, names[at + 1]) and k
    end
    if not from then break end
    out.found[from] = out.found[from] + 1
    at = at + 1
  end
  for i = 1, hit do table.remove(gpu, place_of(gpu, names[i])) end
  through(tiers, names, 1, hit)
  touch(tiers, names, full)
  take(gpu, tiers, (prompt + BLOCK - 1) // BLOCK - hit)
  if at > hit then
    for k, tier in ipairs(tiers) do
      local load = out.found[k] > 0 and ns(out.found[k] * tier.block_s) + ns(tier.latency_s) or 0
      tier.loaded = tier.loaded + out.found[k]
      out.load_ns = math.max(out.load_ns, load)
    end
    through(tiers, names, hit + 1, at)
    touch(tiers, names, at)
  end
  if full > at then
    through(tiers, names, at + 1, full)
    touch(tiers, names, full)
  end
  out.hit = hit
  out.ttft_ns = out.load_ns + ns((prompt - at * BLOCK) * PREFILL_S)
  local blocks = (prompt + request.output - 1 + BLOCK - 1) // BLOCK
  take(gpu, tiers, blocks - (prompt + BLOCK - 1) // BLOCK)
  for _ = 1, blocks - full do gpu[#gpu + 1] = false end
  for i = full, 1, -1 do gpu[#gpu + 1] = names[i] end
  return out
end

local function expected(blocks, tiers, requests)
  local gpu, below, out = {}, {}, {}
  for i = 1, blocks do gpu[i] = false end
  for k, tier in ipairs(tiers) do
    below[k] = setmetatable({ stored = 0, loaded = 0 }, { __index = tier })
  end
  for i, request in ipairs(requests) do out[i] = serve(gpu, below, request) end
  return out, below
end

-- ---- what comes: agents whose context grows, with system prompts that several share

local function sessions(count, seed)
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
    out[i] = { at_ns = at_ns, prompt = agent.tokens, output = 1 + draw(40), hashes = names }
    at_ns = at_ns + 1000000000
  end
  return out
end

local function replay(blocks, tiers, requests, more)
  local config = { blocks = blocks, block_tokens = BLOCK, hash_tokens = BLOCK, kv_tiers = tiers }
  for key, value in pairs(more or {}) do config[key] = value end
  return assert(core.serving.replay(config, model(), requests))
end

local function tier(blocks, more)
  local out = { name = "t" .. blocks, blocks = blocks, block_s = 2.5e-6, latency_s = 1e-5 }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local CASES <const> = {
  ["one that writes through"] = { tier(150) },
  ["one that writes back"] = { tier(40, { write_back = true }) },
  ["smaller than the GPU"] = { tier(60), tier(70, { write_back = true }) },
  ["three, through"] = { tier(90), tier(160, { block_s = 3e-5 }), tier(300, { latency_s = 2e-3 }) },
  ["three, back"] = { tier(20, { write_back = true }),
    tier(50, { write_back = true, block_s = 1e-4 }), tier(200, { write_back = true }) },
  ["back, then through"] = { tier(50, { write_back = true }), tier(300) },
  ["through, then back, then through"] = { tier(100), tier(60, { write_back = true }), tier(70) },
}

describe("KV tiers", function()
  for name, tiers in pairs(CASES) do
    it("hold what lists searched from end to end hold: " .. name, function()
      local requests, found = sessions(400, 7), {}
      local wanted, below = expected(80, tiers, requests)
      local got, totals = replay(80, tiers, requests)
      for i, one in ipairs(wanted) do
        local o, say = got[i], ("request %d"):format(i)
        assert.are.equal(one.hit * BLOCK, o.cached_tokens, say)
        for k in ipairs(tiers) do
          assert.are.equal(one.found[k] * BLOCK, o.below_tokens[k], say)
          found[k] = (found[k] or 0) + one.found[k]
        end
        assert.are.equal(one.load_ns, o.load_ns, say)
        assert.are.equal(one.ttft_ns, o.first_token_ns - requests[i].at_ns, say)
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

  it("of no room change nothing", function()
    local requests = sessions(300, 11)
    local without = replay(80, nil, requests)
    local with = replay(80, { tier(0) }, requests)
    for i, o in ipairs(without) do
      assert.are.equal(0, with[i].below_tokens[1])
      with[i].below_tokens, with[i].load_ns = nil, nil
      assert.are.same(o, with[i])
    end
  end)

  it("without limits are a GPU without limits", function()
    local requests = sessions(400, 13)
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

describe("kv_tiers of an engine", function()
  local td = require "tandem"

  local function problems(engine, more)
    local step = { step = td.affine { step = "1ms" }, prompt = 100, output = 10, engine = engine }
    for key, value in pairs(more or {}) do step[key] = value end
    local checked, wrong = td.check { name = "t", workload = td.poisson { rps = 1,
      duration = "10s" }, pipeline = { td.generate "llm" (step) } }
    return checked and "" or tostring(wrong)
  end

  local function engine(tiers, more)
    local out = { kv_blocks = 100, kv_tiers = tiers }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  local function cpu(more)
    local out = { name = "cpu", capacity = "1GB", bandwidth = "1GB/s", block = "1MB" }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  it("are refused in one line where they cannot be", function()
    assert.equal("", problems(engine { cpu() }))
    local five = {}
    for i = 1, 5 do five[i] = cpu { name = "t" .. i } end
    for words, wrong in pairs {
      ["kv_tiers: has 5 tiers; at most 4"] = engine(five),
      ["kv_tiers: has two named \"cpu\""] = engine { cpu(), cpu() },
      ["kv_tiers: is for server = \"vllm\""] = engine({ cpu() }, { server = "sglang" }),
      ["kv_tiers: is for continuous batching"] = engine({ cpu() }, { batching = "dynamic" }),
      ["they want prefix_caching = true"] = engine({ cpu() }, { prefix_caching = false }),
      ["admit: as a function stands beside kv_tiers"] = engine({ cpu() },
        { admit = function() return true end }),
      ["write: 'back' is not known"] = engine { cpu { write = "back" } },
      ["wanted up to 31 letters"] = engine { cpu { name = "a b" } },
    } do
      assert.matches(words, problems(wrong), 1, true)
    end
    local unsized = cpu()
    unsized.block = nil
    assert.matches("wants a block, its bytes", problems(engine { unsized }), 1, true)
    local split = { handover = { link = td.link "l" { bandwidth = "10GB/s" },
      token_bytes = "1kB" } }
    split.prefill, split.decode = {}, { engine = engine { cpu() } }
    assert.matches("its blocks come from prefill replicas", problems({ kv_blocks = 100 }, split), 1,
      true)
  end)
end)
