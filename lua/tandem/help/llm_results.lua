--- Help topic: what a result says of LLM servers.
return require("tandem.help.page")("results of LLM servers: times, tokens, dollars, watts", [[
Results stand under llm.NAME. Times are counted from the arrival at the stage, each with mean, p50 …
p999 and max, and by class under llm.NAME.classes.CLASS (a class's further steps there are CLASS#2,
…):

  ttft        until the first token
  tpot        of a token after the first, mean of a request
  itl         each gap between tokens
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

Classes have output_tokens_per_s, prompt_tokens_per_s, goodput_rps and slo_met of their own, tokens
being those of requests that were done. Where a step names a tenant, or order = "fair", tenants have
the same under llm.NAME.tenants.TENANT, which is the number of the tenant, or the class that it is.
Tenants 0 to 31 have figures of their own, all others are together in llm.NAME.tenants.others: give
the ones that matter these numbers. llm.NAME.fairness is Jain's index of what tenants got, (sum x)^2
/ (n sum x^2) with x the tokens, weighted as fairness says, by the share: 1 when each got what was
due to it, 1/n when one of n got all. It speaks of the scheduler where all tenants wait; where they
do not, of what they asked for.

Where replicas differ, llm.NAME.pools.POOL has the counts of each kind, POOL being prefill, decode
or the GPU.

A server that does not keep up is overloaded, and every output says so first, with what limits it.
That is tested, not guessed, on the second half of the arrivals, all replications together. Either
the mean queue of those that wait grows (a t test of its increments at a level of 0.1 %); load is
what is asked for by what is served. Or nobody need wait, since the batch takes everybody in and its
steps get longer: ever more requests are inside (5 %), and more is offered than steps that are full
can carry at most (1 %), by the step model and the mean sizes of the requests; load is that ratio.
Where ever more are inside without such a load the run may only be filling up, which takes long near
saturation: the result then has unsettled in place of overload, the report says UNSURE, and a longer
run tells. The same where the load cannot be said: drafted tokens, batches that return together,
steps timed by a function. Plans make such runs longer and count neither as within a limit.

In traces each step is a span on a track of its own beside the requests (sequences, tokens), and
each replica has counters: running, waiting, KV blocks, preemptions so far; a server whose replicas
come and go has replicas and replicas ready.]])
