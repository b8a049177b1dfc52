-- Is host memory for the KV cache worth it for agents?
--
-- Forty agents work on one H100. Each begins with a system prompt and the files of its task, then
-- calls tools: its context grows by what each tool returns, and comes again whole with the next
-- call. While tools run, others want the GPU's memory, and what an agent's turn needs is gone when
-- it comes back: most of a turn's time goes into a prompt that was computed before. Blocks kept in
-- host memory come back over the host link instead.
--
-- Look at: the share of the prompts that the tier gave back, the times to first token.
-- Try: tandem run llm-kv-tiers --set pipeline.turns.llm.engine.kv_tiers.cpu.capacity=0
--      tandem sweep llm-kv-tiers \
--        --over pipeline.turns.llm.engine.kv_tiers.cpu.capacity=0,50GB,100GB,200GB
--      tandem explain llm-kv-tiers

local td = require "tandem"

return td.scenario "llm-kv-tiers" {
  title = "KV blocks of agents in host memory",
  question = "Is host memory for the KV cache worth it for agents?",
  workload = td.closed { users = 40, duration = "4min" },
  target = td.gpu "H100 SXM",
  pipeline = {
    td.loop "turns" { times = 12,
      td.generate "llm" { model = td.llm "Llama-3.1-8B", prefix = 4000, history = true,
        prompt = td.lognormal { mean = 2500, cv = 1 },
        output = td.lognormal { mean = 180, cv = 0.8 },
        engine = { kv_tiers = { { name = "cpu", capacity = "200GB", latency = "20us" } } } },
      td.delay "tool" { time = td.lognormal { mean = "8s", cv = 1.5 } },
    },
  },
  replications = 1,
  expect = {
    ["llm.llm.kv_tiers.cpu.cached"] = { min = 0.2 },
    ["llm.llm.ttft.p50"] = { max = "400ms" },
  },
}
