--- Help topic: Lua functions that the engine calls.
return require("tandem.help.page")("Lua functions called while it runs", [[
  on = {
    arrival  = function(r) … end,
    start    = function(r) td.record("waited", r.waited) end,   -- a stage begins to serve it
    complete = function(r) … end,
    drop     = function(r) … end,     -- r.outcome: dropped (full queue), refused, abandoned, …
    tick     = function(now) … end, every = "1s",
  },
  admit  = function(r) return r.tokens < 4096 end,       -- false turns the request away
  router = function(r, gpus)                             -- a place in gpus, or one of them
    return gpus[1].outstanding <= gpus[2].outstanding and 1 or 2
  end,

A request r can be read, not changed, and only during the call:

  r.tokens, …   its attributes          r.id       its number within its class
  r.class       the class's name        r.now      the simulated time, seconds
  r.stage       the stage's name        r.arrival  when it arrived, seconds
  r.gpu         its GPU: r.gpu.name,    r.waited   how long it just waited, seconds
                r.gpu.flops, …          r.batch    members of its batch

Each of a router's gpus has index, name, outstanding (routed there and not finished), waiting and
running (at its compute) and down.

  td.generate "answer" { …,
    route = function(r, replicas) … end,                 -- a place in replicas, or one of them
    autoscale = { max = 8, policy = function(s) return math.ceil(s.outstanding / 32) end } }

Replicas of an LLM server have the same fields, kv (share of KV blocks in use) and cached (prompt
tokens of r in the cache); only those that take requests are there. A scaling policy sees s.time,
server, replicas (that take requests), starting, draining, down, min, max, outstanding, waiting, kv
and utilization (means of a replica).

  engine = { order = function(request, state) return request.prompt / (1 + request.waited) end,
    admit = function(request, state) return state.running < 8 or request.class == "gold" end,
    preempt = function(requests, state) return requests[#requests] end,
    chunk = function(request, budget, state) return math.min(budget, 512) end }

Decisions of an LLM server's scheduler. The least key comes first, asked when a request begins to
wait and after it was preempted. admit is asked only about requests whose prompt finds blocks: true,
false, or for how many tokens there must be room beside the running ones' present blocks; while it
says no and nothing else changes it is asked again in every step. preempt names one of those that
run. A request has class, tenant, priority, arrival, waited, prompt, max_output, predicted,
generated, computed (tokens with KV, or found in the cache), kv_blocks and preemptions; state has
time, running, waiting, free_blocks, blocks and block_tokens.

td.record(name, number) keeps a number: the report sums up what was recorded, result.recorded and
the JSON have the values. What a function remembers in local variables starts anew with each
replication.

An absent hook costs nothing; a present one (but not a router) makes the event engine run instead of
the faster lowered one. Random decisions come from distributions (an attribute drawn with
td.uniform(0, 1)), so that the same seed gives the same bytes.

Processes

  td.process "own" { fn = function(p)
    p:use("cpu", "2ms")               queue at a station, hold it, leave it (bytes on a link)
    p:hold(td.exponential "10ms")     time passes
    p:seize("memory", "2GiB")         wait for memory and take it
    p:release("memory", "2GiB")
  end }

p has the fields of a request, too.]])
