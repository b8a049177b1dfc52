-- Do short questions get through a full LLM server when long documents let them pass?
--
-- Look at: who is next. A document of 24,000 tokens is a second of prefill, and behind it everybody
-- waits. The key below is the length of the prompt plus 3,000 for each second of the clock: a
-- question passes the documents that came in the last eight seconds, and no document waits for
-- ever, because those that come later have later clocks.
-- Try: tandem run llm-own-scheduler --set pipeline.answer.engine.order=fcfs
--      tandem run llm-own-scheduler --set pipeline.answer.engine.order=shortest_prompt

local td = require "tandem"

local tokens_a_second = 3000

return td.scenario "llm-own-scheduler" {
  title = "A scheduler in Lua",
  question = "Do short questions get through a full LLM server when long documents let them pass?",
  workload = {
    td.poisson { rps = 5, duration = "120s", class = "question" },
    td.poisson { rps = 0.4, duration = "120s", class = "document" },
  },
  classes = {
    { name = "question", attrs = { prompt_tokens = 300, output_tokens = 120 } },
    { name = "document", attrs = { prompt_tokens = 24000, output_tokens = 200 } },
  },
  target = td.gpu "H100 SXM" {},
  pipeline = {
    td.generate "answer" {
      model = td.llm "Llama-3.1-8B",
      engine = {
        max_seqs = 12,
        long_prefill_tokens = 4096,
        order = function(request)
          return request.prompt + tokens_a_second * request.arrival
        end,
      },
    },
  },
  replications = 8,
  expect = {
    ["llm.answer.classes.question.ttft.p99"] = { max = "2.5s" },  -- first come, first served: 4.5 s
    ["llm.answer.classes.document.ttft.p99"] = { min = "4s", max = "12s" },
    ["carried_rps"] = { near = 5.4, within = 0.05 },
  },
}
