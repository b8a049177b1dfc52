-- Two GPUs that do everything, or one for prompts and one for outputs?
--
-- Look at: ITL of "split" and of "both", which have the same traffic and two GPUs each. A prompt of
-- 4,000 tokens takes 90 ms of a step, and everybody who decodes in it waits; alone with outputs, a
-- decode replica steps every 10 ms. The price: prompts have one GPU instead of two, so TTFT is
-- longer, and each KV cache of half a gigabyte goes over the network.
-- Try: tandem run llm-prefill-decode --set resources.network.bandwidth=2GB/s
--      tandem run llm-prefill-decode --set classes.both.pipeline.both.engine.max_batched_tokens=512
--      tandem plan llm-prefill-decode --find load

local td = require "tandem"

local arrival_rate, prompt, output = 3, 4000, 200

-- 8.03 G parameters less both embeddings, two FLOP each and token, at 70 % of the peak.
local prompt_s = 2 * 6.98e9 * prompt / (0.7 * 989.4e12)
local token_bytes = 32 * 2 * 8 * 128 * 2
local model = td.llm "Llama-3.1-8B"

local function class(name, step)
  return { name = name, pipeline = { step },
    attrs = { prompt_tokens = td.lognormal { mean = prompt, cv = 0.3 },
      output_tokens = td.lognormal { mean = output, cv = 0.5 } } }
end

return td.scenario "llm-prefill-decode" {
  title = "Prompts and outputs apart",
  question = "Two GPUs that do everything, or one for prompts and one for outputs?",
  workload = {
    td.poisson { rps = arrival_rate, duration = "240s", class = "split" },
    td.poisson { rps = arrival_rate, duration = "240s", class = "both" },
  },
  target = td.gpu "H100 SXM" { count = 4 },
  resources = { td.link "network" { bandwidth = "50GB/s" } },
  classes = {
    class("split", td.generate "split" { model = model, prefill = { replicas = 1 },
      decode = { replicas = 1 },
      handover = { link = "network", latency = "20us" } }),
    class("both", td.generate "both" { model = model, replicas = 2 }),
  },
  slo = { ttft_p99 = "1s", tpot_p99 = "20ms" },
  replications = 8,
  expect = {
    slo = true,
    ["llm.split.output_tokens_per_s"] = { near = arrival_rate * output, within = 0.06 },
    ["llm.both.output_tokens_per_s"]  = { near = arrival_rate * output, within = 0.06 },
    -- Every token but the first, against those that a prompt holds up.
    ["llm.split.itl.p99"] = { max = "15ms" },
    ["llm.both.itl.p99"]  = { min = 0.5 * prompt_s },
    ["llm.split.transfer.p50"] = { near = 20e-6 + prompt / math.sqrt(1.09) * token_bytes / 50e9,
      within = 0.05 },
    ["llm.split.transfer_bytes_per_s"] = { near = arrival_rate * prompt * token_bytes,
      within = 0.05 },
  },
}
