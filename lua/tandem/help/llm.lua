--- Help topic: LLM servers, where to begin.
return require("tandem.help.page")("LLM servers: what they are asked for", function(place)
  return [[
td.generate "answer" { model = td.llm "Llama-3.1-8B" } is an LLM server: replicas with continuous
batching, each on tp GPUs of the target. A request has prompt tokens (r.prompt_tokens) and output
tokens (r.output_tokens); attrs or columns of a replayed trace give them. Steps of one name are one
server, whatever class they stand in; several servers share the GPUs by replicas = N.

A prefix that requests share (a system prompt) is prefix = tokens, and group = a number that says
whose it is: its whole blocks are computed once while they stay in the cache. history = true makes
rounds of a td.loop turns of a conversation: the prompt is all that was asked and answered before,
after the prefix, then r.prompt_tokens more; branches of a td.fork (agents) go on from what was said
before it. Attributes are drawn once a request: for each turn write prompt = td.lognormal { … }.
Figures of the server are of turns, those of latency of whole sessions:

  td.loop { times = 5, td.generate "chat" { model = td.llm "Llama-3.1-8B", prefix = 500,
    history = true, prompt = td.lognormal { mean = 80, cv = 1 }, output = 200 },
    td.delay "think" { time = td.exponential "20s" } }

Objectives: slo = { ttft_p99 = "500ms", tpot_p99 = "30ms", p99 = "10s" }. A request is good when its
first token, its mean time of a token and its latency are within the widest of these.

A request longer than a replica could ever hold is dropped, as servers refuse it. Sequences of one
replica share its steps, so it is busy whenever anybody is there: utilization is the share of time
in which a step runs, not how near it is to its limit.

All keys: tandem help td.generate. How many replicas there are, on which GPUs, and which one a
request goes to: tandem help llm-replicas. Who is in a step: llm-scheduling. How long it takes, and
what it draws: llm-steps. What is told afterwards: llm-results. Recorded traffic: recordings. tandem
list models shows the models.

]] .. require("tandem.help.reference").constructor("llm", place)
end)
