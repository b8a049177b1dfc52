--- Gaps between tokens by class and by tenant, against a second server written down here: it makes
--- every step and remembers when each request had its last token.

local td = require "tandem"

-- Nanoseconds: of a step, of a prompt token, of a sequence.
local A <const>, B <const>, D <const> = 4000000, 30000, 70000

-- Everything that has come is taken in at once: blocks, places and tokens are plenty.
local function gaps_of(requests)
  local now, inside, done, gaps = 0, {}, 0, {}
  local waiting = table.move(requests, 1, #requests, 1, {})
  table.sort(waiting, function(a, b) return a.at < b.at end)
  while done < #requests do
    if #inside == 0 then now = math.max(now, waiting[1].at) end
    local prompts, decoding = 0, #inside
    while waiting[1] and waiting[1].at <= now do
      local one = table.remove(waiting, 1)
      prompts = prompts + one.prompt
      inside[#inside + 1] = { of = one, got = 0 }
    end
    now = now + A + B * prompts + D * decoding
    local kept = {}
    for _, one in ipairs(inside) do
      if one.got > 0 then gaps[#gaps + 1] = { of = one.of, ns = now - one.last } end
      one.got, one.last = one.got + 1, now
      if one.got < one.of.output then kept[#kept + 1] = one else done = done + 1 end
    end
    inside = kept
  end
  return gaps
end

local function quantile(sorted, level)
  local at = level * (#sorted - 1)
  local low = math.floor(at)
  local next = sorted[low + 2] or sorted[low + 1]
  return sorted[low + 1] + (at - low) * (next - sorted[low + 1])
end

-- The gaps of those that `is` takes, against what a result says.
local function agree(gaps, times, is)
  local list, sum = {}, 0
  for _, gap in ipairs(gaps) do
    if is(gap.of) then
      list[#list + 1] = gap.ns
      sum = sum + gap.ns
    end
  end
  table.sort(list)
  assert.is_true(#list > 100)
  -- A row of equal steps has the gaps of its mean, in whole nanoseconds.
  local function near(wanted, said) assert.near(wanted, said * 1e9, 2) end
  near(sum / #list, times.mean.value)
  near(list[#list], times.max)
  for name, level in pairs { p50 = 0.5, p90 = 0.9, p95 = 0.95, p99 = 0.99, p999 = 0.999 } do
    near(quantile(list, level), times[name].value)
  end
  return #list, sum
end

-- Two classes, chat and batch, of tenants 0 … 2 where told.
local function draw(count)
  local state, requests = 20240, { chat = {}, batch = {} }
  local function below(n)
    state = (state * 1103515245 + 12345) % (1 << 31)
    return (state >> 8) % n
  end
  local at = 0
  for _ = 1, count do
    at = at + 1000000 * below(60) + 1 + below(1000)
    local class = below(3) == 0 and "batch" or "chat"
    local list = requests[class]
    list[#list + 1] = { at = at, class = class, tenant = below(3),
      prompt = class == "batch" and 500 + below(900) or 1 + below(100),
      output = class == "batch" and 1 + below(15) or 1 + below(60) }
    if #list == 1 then list[1].at = 0 end -- a replay begins with its first row
  end
  return requests
end

local function served(requests, generate)
  local classes = {}
  for _, name in ipairs { "chat", "batch" } do
    local rows = {}
    for i, one in ipairs(requests[name]) do
      rows[i] = { arrival = one.at * 1e-9, prompt_tokens = one.prompt, output_tokens = one.output,
        who = one.tenant }
    end
    local body = { step = td.affine { step = A * 1e-9, prefill_tokens = B * 1e-9,
      decode_seqs = D * 1e-9 }, engine = { max_seqs = 1024, max_batched_tokens = 1 << 30,
      kv_blocks = 1 << 20, prefix_caching = false } }
    for k, v in pairs(generate or {}) do body[k] = v end
    classes[#classes + 1] = { name = name, workload = td.replay { rows = rows },
      slo = { itl_p99 = "1s" }, pipeline = { td.generate "answer" (body) } }
  end
  local s, problems = td.check { name = "gaps", classes = classes }
  assert(s, tostring(problems))
  return s:run { replications = 1, warmup = "none" }
end

local function all_of(requests)
  local all = table.move(requests.chat, 1, #requests.chat, 1, {})
  return table.move(requests.batch, 1, #requests.batch, #all + 1, all)
end

describe("gaps between tokens", function()
  local requests = draw(400)
  local gaps = gaps_of(all_of(requests))

  it("are those of the class, and all classes' together the server's", function()
    local result = served(requests)
    local server = result.llm[1]
    local count, sum = 0, 0
    for _, class in ipairs(server.classes) do
      local n, ns = agree(gaps, class.itl, function(of) return of.class == class.name end)
      count, sum = count + n, sum + ns
    end
    local n, ns = agree(gaps, server.itl, function() return true end)
    assert.equal(count, n)
    assert.equal(sum, ns)
    assert.is_true(server.classes[1].itl.p99.value ~= server.classes[2].itl.p99.value)
    assert.is_nil(server.tenants)
  end)

  it("are those of the tenant as well", function()
    local server = served(requests, { tenant = "r.who" }).llm[1]
    assert.equal(3, #server.tenants)
    for _, tenant in ipairs(server.tenants) do
      agree(gaps, tenant.itl, function(of) return tostring(of.tenant) == tenant.name end)
      assert.near(tenant.itl.p99.value, tenant.cdf.itl[21], 1e-12)
    end
    for _, class in ipairs(server.classes) do
      agree(gaps, class.itl, function(of) return of.class == class.name end)
    end
    agree(gaps, server.itl, function() return true end)
  end)

  it("are told of the tenants of a single class", function()
    local only = { chat = requests.chat, batch = { requests.batch[1] } }
    local server = served(only, { tenant = "r.who" }).llm[1]
    local of_these = gaps_of(all_of(only))
    for _, tenant in ipairs(server.tenants) do
      agree(of_these, tenant.itl, function(of) return tostring(of.tenant) == tenant.name end)
    end
  end)

  it("are what a class's objective is about", function()
    local result = served(requests)
    for _, verdict in ipairs(result:verdicts()) do
      assert.equal("itl_p99", verdict.metric)
      assert.equal(result:get("llm.answer.classes." .. verdict.class .. ".itl.p99"),
        verdict.value.value)
    end
  end)

  it("stand beside the other times of classes and tenants in reports", function()
    local wide = require("tandem.plot.style").new { width = 120 }
    local text = served(requests, { tenant = "r.who" }):report { style = wide }
    assert.matches("answer ITL[^\n]*\n%s+chat [^\n]*\n%s+batch ", text)
    assert.matches("ITL p99", text, 1, true)
  end)

  it("add up where steps leave decoding out, and where tokens are drafted", function()
    for _, more in ipairs { { engine = { max_seqs = 64, kv_blocks = 4000, server = "sglang" } },
      { engine = { max_seqs = 64, kv_blocks = 4000,
        speculation = { tokens = 3, acceptance = 0.7 } } } } do
      local result = served(requests, more)
      local server = result.llm[1]
      local weights, mean, most = { chat = 0, batch = 0 }, 0, 0
      for name, list in pairs(requests) do
        for _, one in ipairs(list) do weights[name] = weights[name] + one.output - 1 end
      end
      for _, class in ipairs(server.classes) do
        mean = mean + weights[class.name] * class.itl.mean.value
        most = math.max(most, class.itl.max)
      end
      assert.near(server.itl.mean.value, mean / (weights.chat + weights.batch), 1e-12)
      assert.equal(server.itl.max, most)
    end
  end)
end)
