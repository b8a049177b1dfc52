-- How does one H100 serve an 8B language model at 8 requests a second?
--
-- Look at: what the report says of the LLM server: TTFT, the time of a token, how many sequences
-- share a step, how full the KV cache gets. Every token costs at least one pass over the weights,
-- 16 GB at 85 % of 3.35 TB/s: 5.6 ms, and overheads. What leaves is what comes: tokens a second
-- are known beforehand.
-- Try: tandem run llm-one-h100 --set rps=25
--      tandem run llm-one-h100 --set rps=40 max_seqs=16
--      tandem explain llm-one-h100
--      tandem plan llm-one-h100 --load 50rps

local td = require "tandem"

local arrival_rate = 8
local prompt_p50, prompt_p99, output_p50, output_p99 = 512, 4000, 200, 1000

-- Mean of a lognormal by its median and 99th percentile, which is 2.326 standard deviations up.
local function mean(p50, p99) return p50 * math.exp((math.log(p99 / p50) / 2.32635) ^ 2 / 2) end

local weights_bytes, bandwidth = 16.06e9, 0.85 * 3.35e12
local overhead_s = 0.5e-3 + 32 * 28e-6 -- of a step, of its layers

return td.scenario "llm-one-h100" {
  title = "An LLM server on one H100",
  question = "How does one H100 serve an 8B language model at 8 requests a second?",
  workload = td.poisson { rps = arrival_rate, duration = "300s" },
  attrs = {
    prompt_tokens = td.lognormal { p50 = prompt_p50, p99 = prompt_p99 },
    output_tokens = td.lognormal { p50 = output_p50, p99 = output_p99 },
  },
  target = td.gpu "H100 SXM" {},
  pipeline = {
    td.fixed    "tokenize" { time = "1ms" },
    td.generate "answer"   { model = td.llm "Llama-3.1-8B" },
  },
  slo = { ttft_p99 = "500ms", tpot_p99 = "30ms" },
  replications = 8,
  expect = {
    slo = true,
    ["llm.answer.output_tokens_per_s"] = { near = arrival_rate * mean(output_p50, output_p99),
      within = 0.05 },
    ["llm.answer.prompt_tokens_per_s"] = { near = arrival_rate * mean(prompt_p50, prompt_p99),
      within = 0.05 },
    ["llm.answer.tpot.p50"] = { min = weights_bytes / bandwidth + overhead_s, max = "15ms" },
    ["llm.answer.preemptions"] = 0,
    ["llm.answer.kv_peak"] = { max = 1 },
  },
}
