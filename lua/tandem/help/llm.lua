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

A replica has tp x pp x dp GPUs. tp of them share every layer. pp stages of layers follow each
other, with as many batches in flight: a step lasts as long as a batch takes through all stages, and
each of the pp schedulers has its share of max_seqs and of the KV cache; what unequal batches wait
for each other is left out. dp groups have requests and KV caches of their own and share the
experts, of which ep says how many ways whole ones are divided (ep = tp x dp: none is cut); a step
takes the other groups' batches to be as its own. Replicas take the GPUs in the order of the
scenario, each of one kind and within one machine (node = GPUs a machine, 8, of td.gpu) when they
fit; GPUs passed over for that stay idle. A replica of several machines wants a network =
"InfiniBand NDR": collectives then sum and gather inside each machine and part by part between them.
On GPUs of several kinds each kind has steps and KV blocks of its own (llm.NAME.pools.KIND).

Prefill and decode replicas: prefill = { replicas = 2, tp = 4, engine = … }, decode = { … }, what
they do not say being the td.generate's, and handover = td.link "net" { bandwidth = … } (or { link,
latency, token_bytes }). A prefill replica computes the prompt and the first token and keeps the KV
cache; the request queues at a decode replica, blocks are reserved there for all its tokens in its
turn, the prompt's KV cache goes over the link (shared fairly, or one at a time with shared =
false), the kept blocks are free, it decodes. Prompt tokens that the decode replica has cached do
not travel. When the link is slow or decode replicas are full, prefill replicas fill up and stall.

Which replica a request goes to is route = a name or a function (tandem help policies). With
autoscale = { min = 1, max = 8, target = 32 } there are as many replicas as would each have 32
requests; new ones come after provision (and load_bandwidth), others finish what they have and go.
A replica fails with any of its GPUs (mtbf, mttr of td.gpu) or by itself (mtbf, mttr of
td.generate): its requests begin anew elsewhere from their prompts, tokens they had are lost, and it
comes back with a cold cache. Who comes when nobody takes requests waits.

Other servers take a batch and finish it before they take another: engine = { batching = "dynamic",
max_seqs = 8, wait = "50ms" } starts when eight wait or the oldest has waited so long; "static" when
eight wait, or nobody else can come. Its members leave together unless returns_together = false.

Whose turn it is: engine = { server = "sglang" } or "tensorrt_llm" schedules as these do, single
decisions are engine.order, admit, preempt and chunk (tandem help policies). order = "fair" serves
tenants by turns: td.generate { tenant = "r.customer", engine = { order = "fair", fairness = {
tenants = { 1, 3 } } } } gives tenant 2 three times what tenant 1 gets while both wait.

A request that finds no KV block preempts another, which is computed anew later; with engine = {
swap = "4GiB" } its blocks move to host memory while there is room, over the GPU's host link, and
the step waits for them as in vLLM V0. engine = { speculation = { tokens = 3, acceptance = 0.7,
share = 0.05 } } drafts three tokens ahead of every decoding request; each is right with 0.7 if
those before it are, and a step verifies all, so that it gives (1 - 0.7^4) / 0.3 = 2.5 tokens a
request. Drafted tokens count towards max_batched_tokens and need KV blocks; tokens that come
together have gaps of 0 between them (itl).

LoRA: td.generate { adapter = "r.adapter", engine = { lora = { max = 4, size = "160MB" } } } keeps
four adapters on the GPU. Who wants one that finds no place, four others running, is passed over
until it does; a step waits for adapters that load.

How long a step takes: td.roofline from the model's sizes and the GPU's datasheet unless told;
td.affine from fitted coefficients; td.step_table from measured operators; step = function(batch)
return seconds end, asked once a step, for anything else: batch has prefill_seqs, prefill_tokens,
prefill_context, prefill_attention (query-key pairs), prefill_squares, decode_seqs, decode_context
(sum of the contexts), decode_context_max, decode_squares, sampled. The KV cache has what the
GPU's memory leaves beside the weights (engine.memory, 0.9 of it), unless engine.kv_blocks says.

api = { request = "5ms", prompt_token = "2us", output_token = "20us", workers = 1 } is the API
server: a worker tokenizes a request before a replica sees it, first come first served, and its
tokens reach the client output_token later. What streaming takes of a worker is charged when the
last token leaves. api in the results is that work over what the workers can do: near 1 they are
what requests wait for, beyond 1 they cannot keep up and tokens would be later than told.

Where the model, the GPU's rates and its power limit (tdp_w) are known, results have energy_j,
power_w and joules_per_output_token of the GPUs. A GPU draws 0.15 of its limit while it waits, 0.28
while a step runs, and more by the shares of its peak bandwidth (0.72) and FLOP/s (1.5) that the
step reaches, up to the limit. That is within 3 % (median; 21 % in the ninth decile) of runs of two
models on A100s; other cards are taken to be like them. power = { limit, idle, active, memory,
arithmetic } changes it.

Results stand under llm.NAME, times counted from the arrival at the stage: ttft (first token), tpot
(a token after the first, mean of a request), itl (each gap between tokens), e2e, queueing (until
first scheduled), normalized (e2e by output tokens), each with mean, p50 … p999 and max, and by
class under llm.NAME.classes.CLASS (itl of all classes together; a class's further steps there are
CLASS#2, …); output_tokens_per_s (also _gpu), prompt_tokens_per_s, usd_per_hour and usd_per_million_tokens (of output, where the GPUs have a
price), goodput_rps, slo_met, preemptions (a request), swapped_out and swapped_in (tokens a request
to host memory and back), accepted (share of the drafted tokens), adapter_loads (a request), batch
(sequences a step), step_s, kv_mean and kv_peak (shares of the blocks), cached (share of the prompt
tokens), replicas_mean, replicas_peak, gpus_mean, gpu_seconds (held, from the decision to have a
replica until it is gone), restarts (a request), held.blocks, held.seqs, held.tokens and held.rule
(share of the time of steps that kept requests waiting because KV blocks, max_seqs or
max_batched_tokens did not suffice, or by a rule of the scheduler); with prefill and decode replicas
transfer (the way of a KV cache, from reserved blocks to filled ones, as the times above) and
transfer_bytes_per_s. Where replicas differ, llm.NAME.pools.POOL has the counts of each kind, POOL
being prefill, decode or the GPU.

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
