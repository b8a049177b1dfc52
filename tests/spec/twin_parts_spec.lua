-- Parts of a twin: rows beside each other, lengths out of histograms, who came; against plain
-- computations. Twins as a whole are in twin_spec.lua.

local arrivals = require "tandem.twin.arrivals"
local compare = require "tandem.twin.compare"
local lengths = require "tandem.twin.lengths"
local server = require "tandem.deploy.arguments"
local twin = require "tandem.twin"

-- ---- rows

-- A histogram of counts by bucket over one time.
local function histogram(bounds, counts, sum)
  local out, n = { bounds = bounds, counts = {}, sum = { sum } }, 0
  for b, count in ipairs(counts) do
    out.counts[b], n = { count }, n + count
  end
  out.count = { n }
  return out
end

local function instance(of) return { histogram = function(_, name) return of[name] end } end

local function row(recorded, own)
  local rows = compare.rows(instance { r = recorded }, instance { t = own }, { ttft = "r" },
    { ttft = "t", e2e = "t" })
  assert(#rows <= 1)
  return rows[1]
end

describe("rows of a server and its twin", function()
  local bounds = { 1, 2, 4, math.huge }

  it("have both means, and how far they are apart", function()
    local one = row(histogram(bounds, { 10, 20, 70, 0 }, 200),
      histogram(bounds, { 5, 5, 40, 0 }, 150))
    assert.same({ "ttft", "TTFT", false, 100 }, { one.key, one.what, one.tokens, one.count })
    assert.near(2, one.mean, 1e-12)
    assert.near(3, one.twin_mean, 1e-12)
    assert.near(0.5, one.error, 1e-12)
    -- shares below 1, 2 and 4: 0.1, 0.3, 1 and 0.1, 0.2, 1
    assert.near(0.1, one.apart, 1e-12)
    local free = histogram(bounds, { 9, 0, 0, 0 }, 0)
    assert.equal(0, row(free, histogram(bounds, { 9, 0, 0, 0 }, 1)).error)
  end)

  it("are none where one of them has nobody", function()
    local some, nobody = histogram(bounds, { 1, 0, 0, 0 }, 1), histogram(bounds, { 0, 0, 0, 0 }, 0)
    assert.is_table(row(some, some))
    assert.is_nil(row(some, nobody))
    assert.is_nil(row(nobody, some))
    assert.is_nil(row(some, nil))
    assert.is_nil(row(nil, some))
  end)

  it("have the bucket of the recorded 99th percentile and the twin's between its bounds", function()
    local one = row(histogram(bounds, { 500, 400, 100, 0 }, 1),
      histogram(bounds, { 0, 980, 20, 0 }, 1))
    assert.same({ 2, 4 }, one.p99)
    assert.near(2 + 2 * (0.99 - 0.98) / 0.02, one.twin_p99, 1e-9)
    assert.is_true(one.p99_near)
    local quick = histogram(bounds, { 1000, 0, 0, 0 }, 1)
    local just = histogram(bounds, { 99, 1, 0, 0 }, 1) -- to the share itself
    assert.same({ 0, 1 }, row(just, just).p99)
    local first = row(quick, quick)
    assert.same({ 0, 1 }, first.p99)
    assert.near(0.99, first.twin_p99, 1e-9)
    local last = row(histogram(bounds, { 0, 0, 0, 9 }, 1), histogram(bounds, { 0, 0, 0, 9 }, 1))
    assert.same({ 4, math.huge }, last.p99)
    assert.equal(4, last.twin_p99)
  end)

  it("say whether a percentile is in reach of the bucket", function()
    -- In 2 … 3, without doubt.
    local of = histogram({ 1, 2, 3, 4, math.huge }, { 0, 0, 1e6, 0, 0 }, 1)
    local function near(p99) -- all within 0.02 of it
      return row(of, histogram({ p99 - 0.02, p99, math.huge }, { 0, 1e6, 0 }, 1)).p99_near
    end
    assert.is_true(near(2.5))
    assert.is_true(near(3.55))
    assert.is_false(near(3.7))
    assert.is_true(near(1.65))
    assert.is_false(near(1.55))
    -- Of 20 requests the 99th percentile may be in any bucket that has the 90th.
    local few = histogram({ 1, 2, 3, 4, math.huge }, { 0, 19, 0, 1, 0 }, 1)
    assert.is_true(row(few, histogram({ 1.9, 2, math.huge }, { 0, 1e6, 0 }, 1)).p99_near)
  end)

  it("compare shares at the bounds that both have", function()
    local one = row(histogram({ 1, 2, 3, math.huge }, { 50, 25, 25, 0 }, 1),
      histogram({ 1.5, 2, math.huge }, { 60, 10, 30 }, 1))
    assert.near(0.05, one.apart, 1e-12) -- 0.75 and 0.7 at 2
    assert.is_nil(row(histogram({ 1, math.huge }, { 5, 0 }, 1),
      histogram({ 2, math.huge }, { 5, 0 }, 1)).apart)
  end)

  it("have a median of what they are apart", function()
    local function median(...)
      local rows = {}
      for i, apart in ipairs { ... } do rows[i] = { apart = apart } end
      return compare.apart(rows)
    end
    assert.equal(0.2, median(0.9, 0.1, 0.2))
    assert.equal(0.2, median(0.9, 0.1, 0.2, 0.8))
    assert.equal(0, median())
    assert.equal(0.3, compare.apart { { apart = 0.3 }, {}, { apart = 0.4 } })
  end)
end)

-- ---- lengths

local function erf(x) -- by its series, for small x
  local sum, term = x, x
  for n = 1, 60 do
    term = -term * x * x / n
    sum = sum + term / (2 * n + 1)
  end
  return 2 / math.sqrt(math.pi) * sum
end
local function phi(x)
  if math.abs(x) > 5 then return x > 0 and 1 or 0 end
  return (1 + erf(x / math.sqrt(2))) / 2
end

describe("lengths", function()
  -- Counts of a lognormal in buckets of equal width in logarithms, to a hair of all of it.
  local MEDIAN <const>, SIGMA <const>, N <const> = 400, 0.6, 10000
  local function below(x) return phi(math.log(x / MEDIAN) / SIGMA) end
  local function of_lognormal(mean)
    local bounds, counts, at = {}, {}, 0
    for b = 0, 9 do
      bounds[#bounds + 1] = math.floor(MEDIAN * 2 ^ (b - 4.5) + 0.5)
      local share = below(bounds[#bounds] + 0.5)
      counts[#counts + 1], at = N * (share - at), share
    end
    bounds[#bounds + 1], counts[#counts + 1] = math.huge, N * (1 - at)
    return histogram(bounds, counts, mean * N), bounds
  end

  it("of a lognormal lie between the bounds as it does", function()
    local mean = MEDIAN * math.exp(SIGMA ^ 2 / 2)
    local fit = assert(lengths.of((of_lognormal(mean))))
    assert.near(mean, fit.mean, 1e-9)
    assert.near(math.sqrt(math.exp(SIGMA ^ 2) - 1), fit.cv, 0.05)
    local at, off = 0, 0
    for i, count in ipairs(fit.counts) do
      at = at + count / N
      off = math.max(off, math.abs(at - below(fit.edges[i + 1])))
    end
    assert.near(1, at, 1e-9)
    assert.is_true(off < 0.02, off)
  end)

  it("have the mean of the sum, its interval and the spread of what they are", function()
    for _, mean in ipairs { 440, 480, 520 } do
      local fit = assert(lengths.of((of_lognormal(mean))))
      local sum, squares, n = 0, 0, 0
      for i, count in ipairs(fit.counts) do
        local low, high = fit.edges[i], fit.edges[i + 1]
        assert.is_true(low < high)
        sum, n = sum + count * (low + high) / 2, n + count
        squares = squares + count * ((low + high) ^ 2 / 4 + (high - low) ^ 2 / 12)
      end
      assert.near(mean, sum / n, 0.01)
      local deviation = math.sqrt(squares / n - mean ^ 2)
      assert.near(deviation / mean, fit.cv, 1e-4)
      assert.near(mean - 1.96 * deviation / 100, fit.low, 0.01)
      assert.near(mean + 1.96 * deviation / 100, fit.high, 0.01)
    end
  end)

  it("leave out buckets with nobody, and end beyond the last bound", function()
    local fit = assert(lengths.of(histogram({ 1, 10, 20, 30, math.huge }, { 0, 8, 0, 8, 4 }, 400)))
    assert.near(1.5, fit.edges[1], 1e-12)
    assert.near(60.5, fit.edges[#fit.edges], 1e-12)
    local empty = 0
    for i, count in ipairs(fit.counts) do
      if count == 0 then
        assert.same({ 10.5, 20.5 }, { fit.edges[i], fit.edges[i + 1] })
        empty = empty + 1
      end
    end
    assert.equal(1, empty)
    assert.equal(13, #fit.counts)
    -- Bounds at which a quotient's powers miss, and such as nobody tells apart in four figures.
    local bounds = { 300, 500, 700, 1000, 1500, 2000, 5000, 6000, 6001, 7000, 7001, 9000, 1/0 }
    local shares = { 0, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 2 }
    fit = assert(lengths.of(histogram(bounds, shares, 67 * 4000)))
    local sum, written = 0, {}
    for _, count in ipairs(fit.counts) do sum = sum + count end
    for i, edge in ipairs(fit.edges) do written[i] = tonumber(("%.4g"):format(edge)) end
    assert.near(67, sum, 1e-9)
    assert.equal(#fit.counts + 1, #fit.edges)
    for i = 2, #written do assert.is_true(written[i] > written[i - 1], written[i]) end
    local alone = assert(lengths.of(histogram({ 0, math.huge }, { 0, 5 }, 5)))
    assert.near(1.5, alone.edges[#alone.edges], 1e-12)
  end)

  it("of answers are spread as the times of requests where totals alone are counted", function()
    -- 0.2 s and then 10 ms a token: a third each of 10, 100 and 300 tokens.
    local bounds = { 0.1, 0.2, 0.4, 1.0, 1.5, 3, 4, math.huge }
    local e2e = histogram(bounds, { 0, 0, 100, 0, 100, 0, 100, 0 }, 0)
    e2e.sum[1] = 100 * (0.2 + 0.09) + 100 * (0.2 + 0.99) + 100 * (0.2 + 2.99)
    local ttft = histogram({ 0.1, 0.5, math.huge }, { 0, 300, 0 }, 60)
    local fit = assert(lengths.of_times({ 100 * 410 }, e2e, ttft))
    assert.is_true(fit.by_times)
    assert.near(410 / 3, fit.mean, 1e-9)
    local shorter = 0
    for i, count in ipairs(fit.counts) do
      if fit.edges[i + 1] <= 132 then shorter = shorter + count end
    end
    assert.near(200, shorter, 1e-6)
    local squares = (10 ^ 2 + 100 ^ 2 + 300 ^ 2) / 3
    assert.near(math.sqrt(squares - (410 / 3) ^ 2) / (410 / 3), fit.cv, 0.08)
    assert.is_nil(lengths.of_times({ 100 }, e2e, ttft)) -- less than a token each
    assert.is_nil(lengths.of_times(nil, e2e, ttft))
    assert.is_nil(lengths.of_times({ 100 }, nil, ttft))
  end)

  it("of totals alone are exponential, with the interval of their mean by bins", function()
    local tokens, requests = { 900, 2500, 0, 1600 }, { 10, 20, 0, 20 }
    local fit = assert(lengths.of_totals(tokens, requests))
    assert.same({ 100, 1, true }, { fit.mean, fit.cv, fit.totals })
    -- From the mean of 100 each: 900 of 1000, 2500 of 2000, 1600 of 2000.
    local half = 1.96 * math.sqrt((100 ^ 2 + 500 ^ 2 + 400 ^ 2) * 4 / 3) / 50
    assert.near(100 + half, fit.high, 1e-9)
    assert.near(100 - half, fit.low, 1e-9)
    local at = 0
    for i, count in ipairs(fit.counts) do
      at = at + count
      assert.is_true(fit.edges[i] < fit.edges[i + 1])
      assert.near(1 - math.exp(-fit.edges[i + 1] / 100), at, 1e-12)
    end
    assert.is_true(at > 0.999)
    assert.equal(0, lengths.of_totals({ 1, 999 }, { 9, 1 }).low)
    assert.is_nil(lengths.of_totals(nil, {}))
    assert.is_nil(lengths.of_totals({ 5 }, { 0 }))
    assert.is_nil(lengths.of_totals({ 0 }, { 5 }))
  end)

  it("share the prefix in whole blocks that is found so often", function()
    local prompts = { edges = { 0.5, 100.5, 300.5, 900.5 }, counts = { 20, 50, 30 } }
    local function found(prefix, block)
      local sum = 0
      for i, middle in ipairs { 50.5, 200.5, 600.5 } do
        sum = sum + prompts.counts[i] * math.min(prefix, (middle - 1) // block * block)
      end
      return sum / 100
    end
    for _, block in ipairs { 16, 64 } do
      for blocks = 0, 8 do
        local prefix = blocks * block
        assert.equal(prefix, lengths.prefix(prompts, found(prefix, block), block))
        assert.equal(prefix, lengths.prefix(prompts, found(prefix, block) + 0.1, block))
      end
    end
    assert.equal(0, lengths.prefix(prompts, 0, 16))
  end)
end)

-- ---- who came

local function came(counts, width, more)
  local times, running, waiting = { 1000 }, { 0 }, { 0 }
  for k in ipairs(counts) do
    times[k + 1], running[k + 1], waiting[k + 1] = 1000 + k * width, 0, 0
  end
  for key, value in pairs(more or {}) do
    if key == "running" then running = value else waiting = value end
  end
  local merged = { times = times, gained = function() return counts end,
    gauge = function(_, name) return name == "r" and running or waiting end }
  return arrivals.of(merged, { ended = "e", running = "r", waiting = "w" })
end

describe("arrivals", function()
  it("are those that ended and those that are more inside", function()
    local a = came({ 5, 5, 5 }, 10, { running = { 1, 3, 2, 2 }, waiting = { 0, 4, 0, 0 } })
    assert.same({ 11, 0, 5 }, a.counts)
    assert.equal(10, a.width)
    assert.near(16 / 30, a.rps, 1e-12)
    assert.matches("only 3 times between scrapes", a.why, 1, true)
    assert.near(a.rps + 1.96 * math.sqrt(16 / 3 / 3) / 10, a.rps_high, 1e-12)
    assert.near(math.max(0, a.rps - 1.96 * math.sqrt(16 / 3 / 3) / 10), a.rps_low, 1e-12)
    assert.is_nil(a.dispersion)
    assert.equal("poisson", a.kind)
  end)

  it("are what is counted when they come, or what ended and what of the rest is known", function()
    local gained = { e = { 5, 5, 1 }, c = { 7, 8, 9 } }
    local merged = { gained = function(_, name) return { table.unpack(gained[name]) } end,
      gauge = function(_, name)
        return ({ r = { 1, 3, 2, 2 }, w = { 0, 4, 0, 0 } })[name]
      end }
    assert.same({ 7, 8, 9 }, arrivals.counts(merged, { came = "c", ended = "e", running = "r" }))
    assert.same({ 11, 0, 1 }, arrivals.counts(merged, { ended = "e", running = "r",
      waiting = "w" }))
    assert.same({ 7, 4, 1 }, arrivals.counts(merged, { ended = "e", running = "r" }))
    assert.same({ 9, 1, 1 }, arrivals.counts(merged, { ended = "e", waiting = "w" }))
    assert.same({ 5, 5, 1 }, arrivals.counts(merged, { ended = "e", waiting = "other" }))
  end)

  it("last from the first to the last bin with somebody", function()
    local a = came({ 0, 0, 3, 0, 3, 0 }, 5)
    assert.same({ 3, 5 }, { a.first, a.last })
    assert.near(6 / 15, a.rps, 1e-12)
    local one = came({ 0, 2, 0 }, 5)
    assert.same({ 2, 2 }, { one.first, one.last })
    assert.is_nil(came({ 0, 0, 0 }, 5))
  end)

  it("are bursty by the index of dispersion, from ten bins on", function()
    local counts = { 4, 0, 7, 1, 9, 2, 0, 8, 3, 6 }
    local a = came(counts, 10)
    local sum, squares = 0, 0
    for _, count in ipairs(counts) do sum = sum + count end
    for _, count in ipairs(counts) do squares = squares + (count - sum / 10) ^ 2 end
    local variance = squares / 9
    assert.near(variance / (sum / 10), a.dispersion, 1e-12)
    -- Quantiles of chi square with 9 degrees of freedom, from a table.
    assert.near(a.dispersion * 9 / 19.023, a.dispersion_low, 0.01)
    assert.near(a.dispersion * 9 / 2.700, a.dispersion_high, 0.1)
    assert.near(sum / 100 + 1.96 * math.sqrt(variance / 10) / 10, a.rps_high, 1e-12)
    assert.is_nil(a.why)
    assert.is_string(came({ 4, 0, 7, 1, 9, 2, 0, 8, 3 }, 10).why)
    assert.equal("renewal", came({ 40, 2, 40, 2, 40, 2, 40, 2, 40, 2 }, 10).kind)
    assert.equal("renewal", came({ 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 }, 10).kind)
    assert.equal("poisson", came({ 5, 3, 7, 4, 6, 5, 2, 8, 5, 5 }, 10).kind)
  end)

  it("follow a curve where the load moves slowly, over twenty bins", function()
    local function hill(n)
      local counts = {}
      for k = 1, n do counts[k] = math.floor(50 + 45 * math.sin(math.pi * k / n) + 0.5) end
      return counts
    end
    local counts = hill(32)
    local a = came(counts, 10)
    assert.equal("curve", a.kind)
    assert.not_equal("curve", came(hill(19), 10).kind)
    assert.equal("curve", came(hill(20), 10).kind)
    assert.equal(5, #came(hill(20), 10).points) -- three windows at least
    -- Four windows of eight bins, each at its middle, and the ends as the first and the last.
    assert.equal(6, #a.points)
    for w = 1, 4 do
      local sum = 0
      for k = 8 * w - 7, 8 * w do sum = sum + counts[k] end
      assert.near(80 * w - 40, a.points[w + 1][1], 1e-9)
      assert.near(sum / 80, a.points[w + 1][2], 1e-9)
    end
    assert.same({ 0, a.points[2][2] }, a.points[1])
    assert.same({ 320, a.points[5][2] }, a.points[6])
    local workload = arrivals.workload(a)
    assert.same({ "curve", 320, a.points }, { workload.type, workload.duration, workload.points })
  end)

  it("are a workload for as long as they came", function()
    local a = { kind = "poisson", rps = 2, first = 3, last = 7, width = 10, dispersion = 4 }
    local even = arrivals.workload(a)
    assert.same({ "poisson", 2, 50 }, { even.type, even.rps, even.duration })
    a.kind = "renewal"
    local bursts = arrivals.workload(a)
    assert.same({ "renewal", 2, 2, 50 }, { bursts.type, bursts.rps, bursts.cv, bursts.duration })
  end)

  it("come again one by one, each in its bin", function()
    local a = came({ 0, 2.4, 0.3, 3.4, 1, 0 }, 10)
    local gaps, last = arrivals.gaps(a, 100)
    local at, bins = 0, {}
    for _, gap in ipairs(gaps) do
      assert.is_true(gap >= 0)
      at = at + gap
      local bin = at // 10 + a.first
      bins[bin] = (bins[bin] or 0) + 1
    end
    -- 2.4 → 2, with 0.3 and what is owed 0.7 → 1, 3.4 and −0.3 → 3, 1.1 → 1
    assert.same({ [2] = 2, [3] = 1, [4] = 3, [5] = 1 }, bins)
    assert.equal(5, last)
    assert.same(gaps, (arrivals.gaps(a, 7)))
    local few, until_bin = arrivals.gaps(a, 6)
    assert.same({ 6, 4 }, { #few, until_bin })
    few, until_bin = arrivals.gaps(a, 1)
    assert.same({ 2, 3 }, { #few, until_bin + 1 })
  end)
end)

-- ---- arguments, and what is no twin

describe("launch arguments of a server", function()
  it("are numbers and flags of it, in either spelling", function()
    local read = assert(server.read("vllm serve org/m/ -tp 2 --pipeline_parallel_size 3 "
      .. "--max-num-seqs=5 --max-num-batched-tokens 6 --block-size 7 --gpu-memory-utilization 0.5 "
      .. "--num-gpu-blocks-override 8 --enable-chunked-prefill --async-scheduling"))
    assert.same({ server = "vllm", model = "m", weights = "org/m", tp = 2, pp = 3, unknown = {},
      engine = { max_seqs = 5, max_batched_tokens = 6, block_tokens = 7, memory = 0.5,
      kv_blocks = 8, chunked_prefill = true, plans_ahead = true } }, read)
    assert.equal("integer", math.type(read.engine.max_seqs))
    assert.same({ model = "n", weights = "a/n", tp = 1, pp = 1,
      unknown = { "--port", "--x", "--y" },
      engine = { prefix_caching = true, chunked_prefill = false } },
      server.read("--model a/n --port 8000 --x --enable-prefix-caching "
        .. "--no-enable-chunked-prefill --y"))
    assert.same({ tp = 1, pp = 1, unknown = {}, engine = {} }, server.read(nil))
    assert.equal("plain", server.read("vllm serve plain").model)
    assert.is_nil(server.read("vllm plain").model)
    assert.equal("b", server.read("vllm /models/b").model)
    local none, why = server.read "--tp"
    assert.is_nil(none)
    assert.equal("--tp wants a number, not ''", why)
  end)

  it("are sizes as td.generate has them", function()
    local function sizes(text)
      local read = assert(server.read(text))
      return { read.tp, read.pp, read.dp, read.ep, read.role }
    end
    -- SGLang divides the attention of its tp GPUs among dp; vLLM's experts are on all GPUs.
    assert.same({ 2, 1, 4, 8 }, sizes("python3 -m sglang.launch_server --model-path a/b --tp 8 "
      .. "--dp 4 --ep 8 --enable-dp-attention"))
    assert.same({ 2, 1, 4, 8 }, sizes "vllm serve a/b -tp 2 -dp 4 --enable-expert-parallel")
    assert.equal("decode", server.read("vllm serve a/b --kv-transfer-config "
      .. [['{"kv_connector": "x", "kv_role": "kv_consumer"}']]).role)
    assert.equal("prefill", server.read("python3 -m dynamo.vllm --model a/b "
      .. "--disaggregation-mode prefill").role)
    local read = assert(server.read("vllm serve a/b --kv-cache-dtype fp8 --quantization fp8 "
      .. "--scheduling-policy priority --served-model-name x"))
    assert.same({ "fp8", "fp8", "priority", "x", {} }, { read.kv, read.quantization,
      read.engine.order, read.served, read.unknown })
    assert.same({ "--quantization", "--schedule-policy" }, server.read("vllm serve a/b "
      .. "--quantization awq --schedule-policy random").unknown)
    local none, why = server.read("sglang.launch_server --tp 3 --dp 2 --enable-dp-attention")
    assert.is_nil(none)
    assert.equal("--tp-size 3 is no multiple of --dp-size 2", why)
  end)
end)

describe("metrics", function()
  local HISTOGRAMS <const> = { "inter_token_latency_seconds", "request_prompt_tokens",
    "request_generation_tokens" }
  local function refused(scrapes, options)
    options = options or {}
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    for k = 1, scrapes do
      local function line(name, value)
        if name ~= options.without then
          file:write(("vllm:%s %d %d\n"):format(name:find "{" and name or name
            .. '{model_name="org/Llama-3.1-8B"}', value, (1700000000 + 10 * k) * 1000))
        end
      end
      line("request_success_total", options.still and 0 or k)
      line("num_requests_running", 0)
      line("num_requests_waiting", 0)
      for _, name in ipairs(HISTOGRAMS) do
        if name ~= options.without then
          line(name .. '_bucket{model_name="org/Llama-3.1-8B",le="+Inf"}', 0)
          line(name .. "_count", 0)
          line(name .. "_sum", 0)
        end
      end
    end
    if options.without == "all" then file:write("x 1 1700000000000\n") end
    file:close()
    local answer, message, code = twin.run { files = { path }, gpu = "H100 SXM",
      model = options.model, server = options.server }
    os.remove(path)
    assert.is_nil(answer)
    return (message:gsub("^[^:]*: ", "")), code
  end

  it("are refused where a twin cannot be made of them", function()
    assert.same({ "a twin wants three scrapes at least, and there is one", 3 }, { refused(1) })
    assert.same({ "a twin wants three scrapes at least, and there are two", 3 }, { refused(2) })
    assert.same({ "no request ended while it was scraped", 3 }, { refused(3, { still = true }) })
    assert.matches("no metrics of vLLM", (refused(3, { without = "request_success_total" })))
    for _, name in ipairs { "num_requests_running", "inter_token_latency_seconds",
      "request_prompt_tokens", "request_generation_tokens" } do
      assert.equal(("there is no vllm:%s in it, which a twin wants"):format(name),
        (refused(3, { without = name })))
    end
    local message, code = refused(3, { model = "no-such-model" })
    assert.matches("the model 'no%-such%-model' is not known", message)
    assert.equal(2, code)
    message, code = refused(3, { server = "--tp many" })
    assert.matches("%-%-tp wants a number", message)
    assert.equal(2, code)
  end)
end)
