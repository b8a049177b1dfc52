--- Help topic: LLM serving, with the parts of td.generate from the specifications.
local opening = [[
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

Which replica a request goes to is route = a name or a function (tandem help policies). With
autoscale = { min = 1, max = 8, target = 32 } there are as many replicas as would each have 32
requests; new ones come after provision (and load_bandwidth), others finish what they have and go.
A replica fails with any of its GPUs (mtbf, mttr of td.gpu) or by itself (mtbf, mttr of
td.generate): its requests begin anew elsewhere from their prompts, tokens they had are lost, and it
comes back with a cold cache. Who comes when nobody takes requests waits.

Other servers take a batch and finish it before they take another: engine = { batching = "dynamic",
max_seqs = 8, wait = "50ms" } starts when eight wait or the oldest has waited so long; "static" when
eight wait, or nobody else can come. Its members leave together unless returns_together = false.

A request that finds no KV block preempts another, which is computed anew later; with engine = {
swap = "4GiB" } its blocks move to host memory while there is room, over the GPU's host link, and the
step waits for them as in vLLM V0. engine = { speculation = { tokens = 3, acceptance = 0.7, share =
0.05 } } drafts three tokens ahead of every decoding request; each is right with 0.7 if those before
it are, and a step verifies all, so that it gives (1 - 0.7^4) / 0.3 = 2.5 tokens a request. Drafted
tokens count towards max_batched_tokens and need KV blocks; tokens that come together have gaps of 0
between them (itl).

LoRA: td.generate { adapter = "r.adapter", engine = { lora = { max = 4, size = "160MB" } } } keeps
four adapters on the GPU. Who wants one that finds no place, four others running, is passed over
until it does; a step waits for adapters that load.

How long a step takes: td.roofline from the model's sizes and the GPU's datasheet unless told;
td.affine from fitted coefficients; td.step_table from measured operators. The KV cache has what the
GPU's memory leaves beside the weights (engine.memory, 0.9 of it), unless engine.kv_blocks says.

Results stand under llm.NAME, times counted from the arrival at the stage: ttft (first token), tpot
(a token after the first, mean of a request), itl (each gap between tokens), e2e, queueing (until
first scheduled), normalized (e2e by output tokens), each with mean, p50 … p999 and max, and by
class under llm.NAME.classes.CLASS (itl of all classes together); output_tokens_per_s (also _gpu),
prompt_tokens_per_s, usd_per_hour and usd_per_million_tokens (of output, where the GPUs have a
price), goodput_rps, slo_met, preemptions (a request), swapped_out and swapped_in (tokens a request
to host memory and back), accepted (share of the drafted tokens), adapter_loads (a request), batch
(sequences a step), step_s, kv_mean and kv_peak (shares of the blocks), cached (share of the prompt
tokens), replicas_mean, replicas_peak, gpus_mean, gpu_seconds (held, from the decision to have a
replica until it is gone), restarts (a request), held.blocks, held.seqs, held.tokens and held.rule
(share of the time of steps that kept requests waiting because KV blocks, max_seqs or
max_batched_tokens did not suffice, or by a rule of the scheduler).

A server whose queue grows while requests come is overloaded, and every output says so first, with
what limits it. That is tested, not guessed: increments of the mean queue in the second half of the
arrivals, of all replications together, by a t test at a level of 0.1 %.

Objectives: slo = { ttft_p99 = "500ms", tpot_p99 = "30ms", p99 = "10s" }. A request is good when its
first token, its mean time of a token and its latency are within the widest of these.

In traces each step is a span on a track of its own beside the requests (sequences, tokens), and
each replica has counters: running, waiting, KV blocks; a server whose replicas come and go has
replicas and replicas ready. Recorded traffic: tandem help recordings.

A request longer than a replica could ever hold is dropped, as servers refuse it. Sequences of one
replica share its steps, so it is busy whenever anybody is there: utilization is the share of time
in which a step runs, not how near it is to its limit.]]

return require("tandem.help.reference").topic("llm", "LLM servers: models, steps, results", opening)
