-- How do two replicas of a 70B model, each on four H100s, take 8 requests a second?
--
-- Look at: the KV cache. 141 GB of weights leave four cards of 80 GiB room for half a million
-- tokens; each card then reads its quarter of the weights for every token, and sums its layers'
-- results with the others twice a layer.
-- Try: tandem run llm-70b-tp4 --set pipeline.answer.tp=8     (one replica of all)
--      tandem run llm-70b-tp4 --set pipeline.answer.tp=2     (four: more weights a card)
--      tandem run llm-70b-tp4 --set pipeline.answer.pp=2     (two stages of four cards)
--      tandem plan llm-70b-tp4 --find gpus

local td = require "tandem"

local arrival_rate = 8
local prompt_p50, prompt_p99, output_p50, output_p99 = 512, 4000, 200, 1000

-- Mean of a lognormal by its median and 99th percentile, which is 2.326 standard deviations up.
local function mean(p50, p99) return p50 * math.exp((math.log(p99 / p50) / 2.32635) ^ 2 / 2) end

-- 80 layers; a token's keys and values are 8 heads of 128 numbers of 2 bytes.
local weights, token_bytes = 2 * 70.55e9, 80 * 2 * 8 * 128 * 2
local room = 0.9 * 80 * 1024 ^ 3 - weights / 4
-- Reading all but the input embedding, overheads of layers, 160 sums of 12 us.
local least = (weights - 2 * 128256 * 8192) / 4 / (0.85 * 3.35e12) + 80 * 28e-6 + 160 * 12e-6

return td.scenario "llm-70b-tp4" {
  title = "A 70B model on four GPUs a replica",
  question = "How do two replicas of a 70B model, each on four H100s, take 8 requests a second?",
  workload = td.poisson { rps = arrival_rate, duration = "300s" },
  attrs = {
    prompt_tokens = td.lognormal { p50 = prompt_p50, p99 = prompt_p99 },
    output_tokens = td.lognormal { p50 = output_p50, p99 = output_p99 },
  },
  target = td.gpu "H100 SXM" { count = 8 },
  pipeline = {
    td.fixed    "tokenize" { time = "1ms" },
    td.generate "answer"   { model = td.llm "Llama-3.1-70B", tp = 4,
      route = "least_outstanding" },
  },
  slo = { ttft_p99 = "1s", tpot_p99 = "50ms" },
  replications = 8,
  expect = {
    slo = true,
    ["llm.answer.replicas"] = 2,
    ["llm.answer.kv_blocks"] = { near = room / (token_bytes / 4) / 16, within = 0.002 },
    ["llm.answer.output_tokens_per_s"] = { near = arrival_rate * mean(output_p50, output_p99),
      within = 0.05 },
    ["llm.answer.tpot.p50"] = { min = least, max = 2 * least },
    ["llm.answer.preemptions"] = 0,
  },
}
