--- Help topic: what a result says of LLM servers.
return require("tandem.help.page")("results of LLM servers: times, tokens, dollars, watts", [[
Results stand under llm.NAME. Times are counted from the arrival at the stage, each with mean, p50 …
p999 and max, and by class under llm.NAME.classes.CLASS (a class's further steps there are CLASS#2,
…):

  ttft        until the first token
  tpot        of a token after the first, mean of a request
  itl         each gap between tokens; of all classes together
  e2e         until the last token
  queueing    until first scheduled
  normalized  e2e by output tokens
  transfer    of a KV cache to its decode replica: from reserved blocks to filled ones

What is counted, each with its interval:

  output_tokens_per_s         … and prompt_tokens_per_s, finished_rps
  output_tokens_per_s_gpu     of each GPU that is held
  goodput_rps, slo_met        requests within the objectives; their share
  usd_per_hour                of the GPUs held, where they have a price
  usd_per_million_tokens      of output
  energy_j, power_w           of the GPUs, where that is known
  joules_per_output_token
  batch, step_s               sequences in a step; how long it takes
  kv_mean, kv_peak            shares of the KV blocks
  cached                      share of the prompt tokens, found in the prefix cache
  preemptions, restarts       a request; restarts because a replica failed
  swapped_out, swapped_in     tokens a request, to host memory and back
  accepted                    share of the drafted tokens
  adapter_loads               a request
  held.blocks, .seqs,         share of the time of steps that kept requests waiting because KV
  .tokens, .rule              blocks, max_seqs or max_batched_tokens did not suffice, or by a rule
  replicas_mean, gpus_mean    held: from the decision to have a replica until it is gone
  replicas_peak, gpu_seconds
  transfer_bytes_per_s        of KV caches on their way
  api                         work of the API server over what its workers can do

Where replicas differ, llm.NAME.pools.POOL has the counts of each kind, POOL being prefill, decode
or the GPU.

A server whose queue grows while requests come is overloaded, and every output says so first, with
what limits it. That is tested, not guessed: increments of the mean queue in the second half of the
arrivals, of all replications together, by a t test at a level of 0.1 %.

In traces each step is a span on a track of its own beside the requests (sequences, tokens), and
each replica has counters: running, waiting, KV blocks; a server whose replicas come and go has
replicas and replicas ready.]])
