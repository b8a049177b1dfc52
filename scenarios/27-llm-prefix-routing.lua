-- How much computation is saved when requests go where the beginning of their prompt is cached?
--
-- Eight replicas get a recorded load: the first 22 minutes of Mooncake's conversations, whose
-- prompts say which of their blocks they share. A third of all blocks have been there
-- before, somewhere. Taken in turn, replicas seldom meet a conversation again before they have
-- forgotten it.
--
-- Look at: what the report says of the prompts found in the cache, and the times to first token.
-- Try: tandem run llm-prefix-routing --set pipeline.answer.route=round_robin
--      tandem run llm-prefix-routing --set pipeline.answer.route=weighted

local td = require "tandem"

local been_before = 0.33 -- of the blocks of all prompts: what caches without limits would find

return td.scenario "llm-prefix-routing" {
  title = "Prefix-aware routing of recorded conversations",
  question = "How much of the prompts need not be computed when requests go where their prefix is?",
  workload = td.replay { file = "data/mooncake-conversation-4000.jsonl.gz" },
  target = td.gpu "H100 SXM" { count = 8 },
  pipeline = {
    td.generate "answer" { model = td.llm "Llama-3.1-8B", route = "prefix_aware" },
  },
  warmup = "none",
  replications = 1,
  expect = {
    ["classes.default.completed"] = 4000,
    ["llm.answer.cached"] = { min = been_before / 3, max = been_before },
    ["llm.answer.ttft.p50"] = { max = "500ms" },
  },
}
