-- Twins out of metrics alone: of simulated servers, whose parameters must lie within the intervals,
-- and of the measured runs of tests/data/serving, binned into the server's own histograms.
-- Gaps between tokens of the measured runs were not recorded one by one, so that their shares are
-- shown and held to nothing.

local binned = require "tests.accuracy.binned"
local compare = require "tandem.twin.compare"
local td = require "tandem"
local twin = require "tandem.twin"

local twins = {}

local SEEDS <const>, LEAST_HELD <const> = 10, 0.88
local MEANS <const>, APART <const> = 0.1, 0.05

local function known(options)
  return td.scenario "known" { target = td.gpu(options.gpu) { count = 1 },
    workload = td.poisson { rps = options.rps, duration = 300 },
    attrs = { prompt_tokens = td.lognormal { mean = 700, cv = 1 },
      output_tokens = td.gamma { mean = 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", prefix = options.prefix,
      group = 1, engine = { server = "vllm" },
      step = td.roofline { factor = options.factor, request = "8ms" } } } }
end

local SERVERS <const> = { { gpu = "H100 SXM", rps = 10, factor = 1.2, prefix = 256 },
  { gpu = "A100 SXM 80GB", rps = 4, factor = 0.85, prefix = 128 },
  { gpu = "L40S", rps = 2, factor = 1, prefix = 64 } }

local function simulated()
  local held, asked, apart, off = {}, 0, {}, 0
  for _, options in ipairs(SERVERS) do
    for seed = 1, SEEDS do
      local path = os.tmpname()
      assert(known(options):run { replications = 1, seed = seed, metrics = path, warmup = "none" })
      local answer = assert(twin.run { files = { path }, gpu = options.gpu,
        model = "Llama-3.1-8B" })
      os.remove(path)
      local truth = { rate = options.rps, prompt = 700, output = 120, prefix = options.prefix,
        factor = options.factor, burstiness = 1 }
      asked = asked + 1
      for _, p in ipairs(answer.parameters) do
        if truth[p.name] and p.low then
          local inside = p.low <= truth[p.name] and truth[p.name] <= p.high
          held[p.name] = (held[p.name] or 0) + (inside and 1 or 0)
        end
      end
      apart[#apart + 1] = compare.apart(answer.rows)
      for _, row in ipairs(answer.rows) do
        if row.key ~= "queue" then off = math.max(off, math.abs(row.error)) end
      end
    end
  end
  table.sort(apart)
  local sum, kinds = 0, 0
  for name, count in pairs(held) do
    print(("  %-12s in its interval %d of %d times"):format(name, count, asked))
    sum, kinds = sum + count, kinds + 1
  end
  local share, median = sum / (kinds * asked), apart[#apart // 2 + 1]
  print(("  together %.1f %%; means at most %.1f %% off; shares differ by %.3f in the median, %.3f "
    .. "at most"):format(100 * share, 100 * off, median, apart[#apart]))
  return share >= LEAST_HELD and off <= MEANS and median <= 0.05
end

local RUNS <const> = {
  { folder = "RTX4090", gpu = "RTX 4090", seqs = 256, blocks = 2588, every = 5 },
  { folder = "RTXPRO6000", gpu = "RTX PRO 6000", seqs = 128, every = 2 } }

local function measured(run)
  local out = os.tmpname()
  binned.write(binned.requests(("tests/data/serving/measured/%s/per_request.csv"):format(
    run.folder)), "Llama-3.1-8B", 'block_size="16"'
    .. (run.blocks and (',num_gpu_blocks="%d"'):format(run.blocks) or ""), run.every, out)
  local answer = assert(twin.run { files = { out }, gpu = run.gpu, server = ("vllm serve "
    .. "Llama-3.1-8B --max-num-batched-tokens 2048 --max-num-seqs %d"):format(run.seqs) })
  os.remove(out)
  local good, list = true, {}
  for _, row in ipairs(answer.rows) do
    local wanted = row.key == "ttft" or row.key == "tpot" or row.key == "e2e"
    print(("  %-24s %-9s mean %+6.1f %%  p99 %-5s shares %.3f%s"):format(run.folder, row.what,
      100 * row.error, row.p99_near and "near" or "off", row.apart, wanted and "" or "  (shown)"))
    if wanted then
      good = good and math.abs(row.error) <= MEANS and row.p99_near
    end
    list[#list + 1] = row.key ~= "itl" and row or nil
  end
  print(("  %-24s shares differ by %.3f in the median"):format(run.folder, compare.apart(list)))
  return good and compare.apart(list) <= APART
end

function twins.run()
  local good = simulated()
  for _, run in ipairs(RUNS) do
    good = measured(run) and good
  end
  print(good and "  bars held" or "  BARS MISSED")
  return good
end

return twins
