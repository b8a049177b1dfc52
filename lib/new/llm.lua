-- QUESTION
--
-- Written by `tandem new --kind llm`: an LLM server with continuous batching. Change the figures
-- to yours; what is left out has a default (tandem help llm, and the topics llm-…).
--   tandem check FILE      lists all that is wrong, without running
--   tandem explain FILE    says what it will do: offered load, bounds
--   tandem run FILE        simulates it: TTFT, time per token, KV cache, what held requests back
--   tandem plan FILE --load 10..100rps    how many GPUs each load needs

local td = require "tandem"

return td.scenario "NAME" {
  question = "QUESTION",

  -- Who comes, and when; td.replay reads a recording of real requests. (tandem help recordings)
  workload = td.poisson { rps = 4, duration = "300s" },

  -- Tokens of each prompt and answer.
  attrs = {
    prompt_tokens = td.lognormal { p50 = 500, p99 = 4000 },
    output_tokens = td.lognormal { p50 = 200, p99 = 1000 },
  },

  -- The GPU, by name (tandem list gpus).
  target = td.gpu "H100 SXM" {},

  pipeline = {
    td.generate "answer" {
      -- The model, by name (tandem list models), or td.llm { config = "config.json" }.
      model = td.llm "Llama-3.1-8B",
      -- Most requests in a step, and most tokens: vLLM's settings. (tandem help llm-scheduling)
      engine = { max_seqs = 256, max_batched_tokens = 8192 },
    },
  },

  -- Time to first token and time per token after it, of 99 requests in 100.
  slo = { ttft_p99 = "500ms", tpot_p99 = "30ms" },

  -- Independent repetitions: more of them narrow the intervals behind each figure.
  replications = 4,
}
