-- How should eight GPUs divide a mixture of experts?
--
-- Look at: the KV cache, and `tandem whatif llm-moe-ep`. A token's latent keys are one vector that
-- every head needs: cut by heads (tp = 8), each card keeps all of it. With requests of its own on
-- each card (dp = 8) and whole experts shared by all (ep = 8) the weights of attention are there
-- eight times, and yet eight caches hold more than four times as many tokens.
-- Try: tandem run llm-moe-ep --set rps=4
--      tandem run llm-moe-ep --set pipeline.answer.ep=1
--      tandem run llm-moe-ep --set pipeline.answer.route=round_robin

local td = require "tandem"

local arrival_rate = 2
local prompt, output = 3000, 400

-- A token's latent (512 + 64 numbers of 2 bytes) and index (128 of 1) in 78 layers.
local token_bytes = 78 * (576 * 2 + 128)
local memory = 0.9 * 141 * 1024 ^ 3
-- Parameters, matrix by matrix as the published config sizes them: 743.9 G in all.
local layers, sparse, hidden, heads, query = 78, 75, 6144, 64, 2048
local attention = hidden * query + query * heads * (192 + 64) + hidden * (512 + 64)
  + 512 * heads * (192 + 256) + heads * 256 * hidden
local indexer = query * 32 * 128 + hidden * 128 + hidden * 32
local expert = 3 * hidden * 2048
local router = hidden * 256
local experts = sparse * 256 * expert
local others = layers * (attention + indexer) + sparse * (expert + router)
  + (layers - sparse) * 3 * hidden * 12288
-- A byte each; those of the vocabulary and the router two.
local weights = experts / 8 + others + sparse * router + 2 * 2 * 154880 * hidden

return td.scenario "llm-moe-ep" {
  title = "A mixture of experts on eight GPUs",
  question = "How should eight GPUs divide a mixture of experts?",
  workload = td.poisson { rps = arrival_rate, duration = "800s" },
  attrs = {
    prompt_tokens = td.lognormal { mean = prompt, cv = 1 },
    output_tokens = td.lognormal { mean = output, cv = 1 },
  },
  target = td.gpu "H200" { count = 8 },
  pipeline = {
    td.generate "answer" { model = td.llm "GLM-5.2-FP8", tp = 1, dp = 8, ep = 8,
      route = "least_outstanding" },
  },
  slo = { ttft_p99 = "10s", tpot_p99 = "150ms" },
  replications = 4,
  whatif = {
    { "attention by heads",      { ["pipeline.answer.tp"] = 8, ["pipeline.answer.dp"] = 1 } },
    { "experts cut into slices", { ["pipeline.answer.ep"] = 1 } },
  },
  expect = {
    slo = true,
    -- One replica: eight schedulers, each with its own blocks.
    ["llm.answer.replicas"] = 1,
    ["llm.answer.kv_blocks"] = { near = 8 * (memory - weights) / token_bytes / 16, within = 0.001 },
    ["llm.answer.output_tokens_per_s"] = { near = arrival_rate * output, within = 0.08 },
    ["llm.answer.preemptions"] = 0,
  },
}
