--- One line for every key of the language: what `help`, completion and the editor stubs show.
-- Owns wording only. `apply` gives each key's specification its `doc`; a word under "type.key"
-- wins over a doc written beside the specification, and that over the word under "key". Called by
-- whoever shows docs; a run shows none, and does not pay for them.

local node = require "tandem.language.node"

local glossary = {}

local types = {
  batch = "several requests served as one", choice = "one way of a td.branch",
  class = "a kind of request: its own arrivals, attributes, route and objectives",
  doubt = "rooflines of LLM servers that are off by standard deviations of what is known of them",
  doubt_place = "where a server works: the batch of its mean step",
  hooks = "functions called while the run goes on",
  requests_log = "which requests of the first replication to keep",
  precision = "how sure figures are to be",
  price = "a price, of one or of several that are sold together",
  prices = "what GPUs, CPU workers and pools cost an hour, by name",
  retry = "what a request does after it was dropped or gave up waiting",
  plan = "what a plan asks when nobody says otherwise",
  run = "how a scenario is run",
  script = "a scenario with functions as JSON",
  scenario = "a workload, a target and a pipeline: everything that is simulated",
  slo = "objectives: percentiles of latency, mean, goodput, fraction in time",
  slo_windows = "windows of time in each of which objectives have to hold",
  sweep = "what a sweep varies when nobody says otherwise",
  wanted = "what one value of the result must be",
}

local words = {
  -- scenario and class
  admit = "function(request): false turns an arriving request away",
  attrs = "request attributes: numbers, distributions or expressions, read as r.NAME in costs",
  classes = "kinds of requests with their own arrivals, routes and objectives",
  cpu = "CPU workers of the host; unlimited unless given",
  prices = "dollars an hour by name, of GPUs, of cpu (a worker) and of pools (a server): { L4 = "
    .. "\"0.8$/h\", cpu = { \"1.5$/h\", per = 32 } }; before those of td.gpu and the catalogue",
  ["prices.file"] = "a CSV file beside the scenario: gpu, price and, where they help, count (sold "
    .. "together), provider, region, offer",
  ["prices.offers"] = "which rows of the file count: a provider, a region, a kind of offer, "
    .. "\"aws, us-east-1, spot\"; on demand unless said",
  ["price.price"] = "dollars an hour for all that are sold together", ["price.per"] = "how many "
    .. "are sold together, as a machine; whole ones are paid", ["price.source"] = "whose price",
  description = "more about the scenario, for people",
  ["scenario.doubt"] = "steps of LLM servers are off by standard deviations of the model: 1.645 is "
    .. "slower than 95 % of what it leaves open, -1.645 faster",
  ["doubt.steps"] = "of the time of the mean step; more is slower",
  ["doubt.prompts"] = "of what prompts may be off beyond that",
  ["doubt.at"] = "where servers work; 32 sequences of 1,024 tokens unless given",
  ["doubt_place.server"] = "the name of the td.generate",
  ["doubt_place.seqs"] = "sequences of a step", ["doubt_place.context"] = "tokens of each; 1,024",
  ["doubt_place.prompt"] = "tokens of a prompt that are computed; 1,024",
  ["doubt_place.prefill"] = "prompt tokens of a mean step",
  ["scenario.duration"] = "arrivals stop after this time (wins over the workload's own)",
  whatif = "variants to compare: a name and the paths it changes",
  expect = "result paths and what they must be: the scenario as a test",
  ["class.name"] = "the name of the class",
  name = "its name, in reports and in paths of `with`",
  ["scenario.on"] = "hooks: arrival, start, complete, drop, tick",
  patience = "how long a request waits in a queue before it gives up",
  pipeline = "the steps of a request, in order",
  ["scenario.precision"] = "how sure figures are to be, by their value: \"5%\" or "
    .. "{ p99 = \"5%\", mean = \"2%\" }",
  ["run.precision"] = "how sure figures are to be: \"5%\", { p99 = \"5%\" }; false: one run",
  ["precision.every"] = "of the objectives' figures, or of mean and p99 where there are none",
  ["precision.requests"] = "simulate at most so many, all looks together; 50 million unless given",
  priority = "0 is served first, 15 last, where a resource has priorities",
  question = "the question this scenario answers",
  replications = "independent runs, for confidence intervals",
  ["scenario.requests"] = "arrivals stop after so many (wins over the workload's own)",
  resources = "pools, links and memories used by name",
  retry = "how often and how soon to try again",
  router = "how a request is given a GPU: a name or a function",
  seed = "the seed of every random draw",
  slo = "objectives: p50, p99, … mean, goodput, met, deadline",
  tags = "words to find the scenario by", target = "the GPU or fleet", title = "a title",
  timeout = "how long a request may take in all; not retried",
  warmup = "what to leave out at the start: \"auto\" (MSER-5), \"none\" or a time, rounded up to "
    .. "whole 64ths of the run, half of it at most",
  workload = "who arrives: one arrival process, or a list",
  ["scenario.sweep"] = "what a sweep varies: { over = { rps = td.range(10, 100, 10) } }",
  ["sweep.over"] = "axes and their values: { rps = td.range(10, 100, 10), gpus = { 1, 2, 4 } }",
  ["sweep.design"] = "grid (every combination), list, random or lhs (Latin hypercube)",
  ["sweep.points"] = "how many points random and lhs draw; the points themselves of a list",
  ["sweep.replications"] = "independent runs of every point",
  ["sweep.seed"] = "the seed of every point, and of random designs",
  ["sweep.metrics"] = "paths of the result to keep: { \"latency.p99\", \"throughput_rps\" }",
  ["scenario.plan"] = "what a plan asks: { kinds = { \"H100\", \"L40S\" }, "
    .. "load = \"400rps\" }",
  ["plan.doubt"] = "false: as if the step models of LLM servers were exact",
  ["plan.find"] = "gpus (fewest), load (highest) or best (cheapest of over)",
  ["plan.kinds"] = "GPUs to compare", ["plan.kind"] = "the GPU to use",
  ["plan.load"] = "requests a second: \"40rps\", a list, or td.range(\"10rps\", \"400rps\", 8)",
  ["plan.load_path"] = "the key that load sets, where it is not a rate of arrivals",
  ["plan.slo"] = "what must hold, with units: { p99 = \"250ms\" }, or by class",
  ["plan.limits"] = "limits on any figure: { [\"resources.gpu.utilization\"] = { max = 0.8 } }",
  ["plan.over"] = "what may be chosen: { kind = { … }, gpus = td.range(1, 8), batch = { 1, 4 } }",
  ["plan.budget"] = "at most so many gpus, usd_per_hour, watts or simulations",
  ["plan.count"] = "the key that is counted, gpus unless given; or two of them, the cheapest pair",
  ["plan.gpus"] = "with find = \"load\": how many GPUs", ["plan.min"] = "the fewest to consider",
  ["plan.max"] = "the most to consider; 64 unless given",
  ["plan.minimize"] = "what the best has least of; usd_per_hour unless given",
  ["plan.method"] = "auto, bisection (more is never worse) or scan (test every number)",
  ["plan.confidence"] = "how sure each row of the answer is; 0.95 unless given",
  ["plan.precision"] = "differences below this fraction of a limit are not resolved; 0.01",
  ["plan.replications"] = "the most for one candidate; 64 unless given",
  ["plan.seed"] = "one seed for every candidate", ["plan.mix"] = "also try two kinds together",
  ["plan.survive"] = "how many may be down while the objectives hold; 0 unless given",
  ["plan.monotone"] = "false: more can be worse, so every number is tested",
  ["plan.sensitivity"] = "what a tenth more or less would change: true for every load, false for "
    .. "none",
  -- hooks
  ["hooks.arrival"] = "function(request) as it arrives",
  ["hooks.start"] = "function(request) as a stage begins to serve it: r.stage, r.waited",
  ["hooks.complete"] = "function(request) as it leaves",
  ["hooks.drop"] = "function(request) as it is turned away, gives up or times out: r.outcome",
  ["hooks.tick"] = "function(now) at regular times",
  every = "time between ticks; 1 s unless given",
  -- of several records
  mean = "mean", min = "the least value", max = "the greatest value", values = "the values",
  -- steps
  time = "how long it takes", jitter = "noise on the cost: 0.05 for 5 %, or a distribution",
  on = "where it runs: gpu, cpu, h2d, d2h, none, or a resource",
  batch = "serve several at once: a size, or { max, wait, preferred, static }",
  bytes = "how many bytes", tokens = "how many tokens; r.tokens unless given",
  time_per_token = "time of one token; the GPU's own unless given", flops = "floating-point work",
  precision = "whose peak rate of the GPU counts",
  x = "what the table is over; r.tokens unless given",
  ["table.points"] = "{ {x, time}, … }, straight lines between, flat outside",
  cost = "seconds: a number, \"5ms\", a distribution, an expression or function(r)",
  choices = "{ { p = 0.3, steps … }, { steps … } }; one may go without p; what is left of the "
    .. "probability does nothing",
  p = "probability", steps = "the steps inside", times = "how often the steps are done",
  again = "probability of going round once more", ["loop.max"] = "at most so often",
  branches = "{ { steps … }, { steps … } }", ["hold.memory"] = "bytes held until the steps end",
  ["hold.on"] = "whose memory: the GPU's unless given",
  ["process.fn"] = "function(p): p:use(station, cost), p:hold(seconds), p:seize, p:release; "
    .. "distributions made outside its loops are faster than those made inside",
  ["batch.max"] = "most members of a batch",
  preferred = "sizes to form first, before the wait is over",
  decide = "function(waiting, oldest_wait, max) that returns how many to serve now, 0 to wait",
  -- LLM servers
  model = "td.llm \"…\": what GPUs hold and what a step computes",
  prompt = "prompt tokens of a request", output = "output tokens of a request",
  prefix = "leading prompt tokens that every request of the same group begins with, for the prefix "
    .. "cache; none unless given",
  group = "a number: whose prefix it is; one for all unless given",
  history = "true: a prompt begins with all that this request has asked here and been answered in "
    .. "earlier rounds; a branch of a fork goes on from what was said before it",
  tp = "GPUs that share every layer: tensor parallelism",
  pp = "stages of layers, each on tp x dp GPUs: pipeline parallelism, as many batches in flight",
  dp = "groups of tp GPUs with requests of their own that share the experts: data parallelism",
  ep = "ways by which whole experts are divided among tp x dp GPUs: expert parallelism",
  ["generate.replicas"] = "how many, of tp x pp x dp GPUs each; as many as there are GPUs for "
    .. "unless given, 1 without GPUs",
  network = "what joins machines when a replica needs several: a link's name, or { bandwidth, "
    .. "latency }",
  ["generate.prefill"] = "replicas that compute prompts alone; with decode and handover",
  ["generate.decode"] = "replicas that compute outputs alone",
  handover = "how KV caches go from prefill to decode replicas: a td.link or its name, or { link, "
    .. "latency }",
  ["llm_handover.link"] = "what all of them go over: a td.link or its name",
  ["llm_handover.latency"] = "before the first byte of each",
  ["llm_handover.token_bytes"] = "a token's share of the KV cache; as the model says unless given",
  ["llm_network.link"] = "a link of tandem list links", ["llm_network.latency"] = "of an exchange",
  ["llm_network.bandwidth"] = "of each GPU's port, one direction",
  ["llm_pool.replicas"] = "how many; as many as there are GPUs for unless given",
  ["llm_pool.engine"] = "how each of them schedules; as the td.generate's unless given",
  ["llm_pool.step"] = "how long their steps take; as the td.generate's unless given",
  ["generate.engine"] = "how each replica schedules: { max_seqs, max_batched_tokens, … }",
  ["generate.api"] = "what tokenizing and streaming take: { request, prompt_token, output_token, "
    .. "workers }; nothing unless given",
  ["generate.power"] = "what each GPU draws, where that is not as usual: { limit, idle, active, "
    .. "memory, arithmetic }",
  ["generate.step"] = "how long a step takes: a step model, or function(batch) of your own; "
    .. "td.roofline {} unless given",
  route = "how a request is given a replica: a name (tandem help policies) or "
    .. "function(r, replicas)",
  routing = "numbers of the routers weighted and prefix_aware",
  ["generate.key"] = "affinity: whose a request is, as r.session; unless given its "
    .. "conversation (history), or group",
  autoscale = "how many replicas there are, by the load: { min, max, target, … }",
  ["generate.mtbf"] = "mean time, or distribution, between failures of a replica by itself",
  ["generate.mttr"] = "until it is back, empty, with a cold cache",
  restarts = "times a request begins anew, from its prompt, when its replica fails; then it is "
    .. "dropped",
  prefix_weight = "weighted: of the share of the prompt that is cached",
  queue_weight = "weighted: of how short the queue is, between the shortest and the longest",
  kv_weight = "weighted: of the share of KV blocks that is free",
  cached_min = "prefix_aware: less than this share of the prompt in a cache is none",
  load_gap = "prefix_aware: the least loaded replica is taken while the most loaded has so many "
    .. "requests more …",
  load_ratio = "… and more than so many times as many",
  ["llm_autoscale.min"] = "fewest replicas",
  ["llm_autoscale.max"] = "most of them; GPUs / tp unless given",
  ["llm_autoscale.start"] = "at the beginning; min unless given",
  metric = "what is looked at: requests that are there or wait, or the share of KV blocks or of "
    .. "time in use",
  ["llm_autoscale.target"] = "how much of the metric each replica is to have: as many are wanted",
  tolerance = "nothing changes while that is off by no more than this share",
  ["llm_autoscale.every"] = "how often it is looked at",
  up_after = "how long more must be wanted without a break", down_after = "… fewer",
  provision = "until a new replica has its node",
  load_bandwidth = "… and until its weights are loaded, all of them at this rate; no time unless "
    .. "given",
  policy = "function(s) that returns how many replicas are wanted (tandem help hooks)",
  config = "a Hugging Face config.json, found beside the scenario",
  matrix_efficiency = "share of the peak that large matrix products reach",
  expert_efficiency = "… grouped products of experts", attention_efficiency = "… attention",
  weight_bandwidth = "share of the memory bandwidth while weights are read",
  expert_bandwidth = "… weights of experts", kv_bandwidth = "… the KV cache",
  link_efficiency = "share of the bandwidth between GPUs",
  link_latency = "of an exchange between two GPUs", link_hop = "more for each doubling of them",
  step = "of every step", layer = "of every layer", expert_layer = "more of a layer with experts",
  sequence = "of every sequence in a step",
  ["affine.pieces"] = "other coefficients by batch size: { { decode_seqs_max = 64, … }, { … } }",
  prefill_step = "more of a step that computes prompt tokens",
  decode_step = "more of a step in which sequences decode",
  prefill_seqs = "of every sequence that computes prompt tokens",
  prefill_tokens = "of every prompt token computed",
  prefill_context = "of every token that these sequences already have",
  prefill_attention = "of every pair of query and key among prompt tokens",
  prefill_squares = "of every prompt length squared",
  decode_seqs = "of every decoding sequence", decode_context = "of every key they read",
  decode_context_max = "of every key of the longest of them",
  sampled = "of every token that leaves", decode_seqs_max = "this piece holds up to so many",
  folder = "dense.csv, attention.csv, per_sequence.csv, for experts moe.csv; named tpN",
  skew = "correct for sequences of unequal length; as the folder says unless given",
  kv_blocks = "blocks of the KV cache; what GPU, weights and `memory` leave unless given",
  ["llm_power.limit"] = "of each GPU; its tdp_w unless given. Below that it is a cap, and steps "
    .. "of a roofline take longer",
  ["llm_power.idle"] = "share of the limit while no step runs; 0.15 unless given",
  ["llm_power.active"] = "… while one runs, whatever it does; 0.28 unless given",
  ["llm_power.memory"] = "… added at the peak memory bandwidth; 0.72 unless given",
  ["llm_power.arithmetic"] = "… added at the peak FLOP/s, up to the limit; 1.5 unless given",
  ["llm_api.workers"] = "processes that share this work",
  ["llm_engine.memory"] = "share of the GPU's memory for weights and KV cache",
  batching = "continuous: who comes joins those that run; dynamic and static: max_seqs at most are "
    .. "taken at once, and others when all of them are done; static ones wait until full",
  returns_together = "nobody of a batch leaves before the last; true unless given",
  adapter = "which LoRA adapter the request wants, a number; 0: none",
  lora = "LoRA adapters on the GPU: { max, load or size, step }, or how many",
  speculation = "speculative decoding: { tokens, acceptance, draft, mtp, time, share }",
  all_reduce = "a CSV of measured all-reduces between the GPUs of a machine, in place of latency "
    .. "and bandwidth: num_workers, size, devices_per_node, time_stats.all_reduce.median in ms",
  swap = "host memory for what is preempted: \"4GiB\" a GPU, or { space, bandwidth, block }; "
    .. "without it, preempted requests are computed anew",
  space = "host memory for each GPU", ["llm_swap.bandwidth"] = "of the host link, either way; the "
    .. "GPU's unless given",
  ["llm_swap.block"] = "bytes of a KV block on each GPU; the model's unless given",
  ["llm_engine.kv_tiers"] = "tiers below the GPUs' KV cache for prefix blocks, the nearest first: "
    .. "{ { name = \"cpu\", capacity = \"200GB\", bandwidth = \"50GB/s\" }, … }",
  ["llm_kv_tier.name"] = "what results call it",
  ["llm_kv_tier.capacity"] = "for each replica, all its GPUs together, or of a shared one;"
    .. " 0: none",
  ["llm_kv_tier.bandwidth"] = "of loads, to all GPUs of a replica together, or to all that share "
    .. "it; the first tier's: the GPUs' host links unless given",
  ["llm_kv_tier.write_bandwidth"] = "… of stores; that of loads unless given",
  ["llm_kv_tier.duplex"] = "loads and stores pass each other; false: they take turns",
  ["llm_kv_tier.latency"] = "of each load and store, beside",
  ["llm_kv_tier.shared"] = "all replicas have it together: they find what others stored",
  ["llm_kv_tier.write"] = "write_through: takes in what the tier above does, when that does; "
    .. "write_through_selective: of that what a second request has; write_back: what that has no "
    .. "more room for (TensorRT-LLM's, and its default)",
  ["llm_kv_tier.prefetch"] = "loads begin when a request comes, not when its turn comes; at that "
    .. "best_effort: has what is there, wait_complete: waits for all, timeout: for so long "
    .. "(SGLang, whose tiers after the first have it so unless given)",
  ["llm_kv_tier.timeout"] = "of a prefetch; 1 s unless given",
  ["llm_kv_tier.timeout_per_ki_token"] = "… and for each 1,024 tokens; 0.25 s unless given",
  ["llm_kv_tier.weight"] = "of a hit there to routers that look at caches, of one on the GPUs 1; "
    .. "0.75 of the first tier, 0.25 of others, 0.5 of a shared one unless given",
  ["llm_kv_tier.block"] = "bytes of a KV block, on all GPUs together; the model's unless given",
  ["llm_engine.server"] = "whose scheduler: vLLM V1's, SGLang's, TensorRT-LLM's; says what is not "
    .. "told below (tandem help policies)",
  ["llm_engine.estimate"] = "what SGLang expects running requests to add",
  ["llm_engine.fairness"] = "for order = \"fair\": what tokens count, and shares",
  ["llm_fairness.tenants"] = "shares of tenants 1, 2, …; 1 for others",
  ["llm_fairness.classes"] = "shares of classes by name, where each class is a tenant; 1 for "
    .. "others",
  tenant = "a number: whose request it is, 0 to 1048575; unless given, each class is a tenant",
  max_output = "tokens the request may generate at most, which admission sees; its output unless "
    .. "given",
  predicted = "tokens it is thought to generate, by which shortest_job goes; its output unless "
    .. "given",
  ["generate.on_failure"] = "restart (unless its GPUs say else): requests of a replica that fails "
    .. "begin anew; lost: they are dropped",
  -- script
  script = "the lines of the Lua script", with = "what was changed after it was loaded, in order",
  -- run
  ["run.doubt"] = "true: also what the step models of LLM servers leave open, by up to four more "
    .. "runs",
  ["run.duration"] = "arrivals stop after this time",
  ["run.requests"] = "arrivals stop after so many",
  first = "the number of the first replication: another part of the same luck",
  ["run.values"] = "true: one value a replication beside each estimate",
  brief = "true: nothing over time",
  confidence = "of the intervals; 0.95 unless given",
  threads = "how many to use; no number depends on it",
  engine = "which engine; both give the same bytes", trace = "a file for the Chrome trace",
  ["run.metrics"] = "a file for the metrics that its LLM servers would have exported",
  ["run.metrics_of"] = "whose names these have; each server's own where nothing is said",
  scrape = "how often these are scraped: \"15s\" unless given",
  store = "a store file the run is added to",
  spans = "keep the trace of replication 1: \"all\", \"none\", \"auto\" (of small runs)",
  looked = "function(result, outcome, more) told after each run that a precision makes",
  kept = "function(id, message, code) told what became of it",
  requests_log = "single requests to keep: \"all\", "
    .. "{ slowest = N } or { sample = N }", progress = "function(fraction) called now and then",
  slowest = "the N that took longest", sample = "N of them, evenly",
  -- retry, slo, expect
  ["retry.max"] = "attempts after the first", backoff = "wait before the first retry",
  factor = "each wait is so many times the one before",
  ["retry.jitter"] = "share of the wait that is random",
  goodput = "least good answers a second",
  met = "least fraction of requests within the deadline (without one: within the widest limit of a "
    .. "latency; without any: that are served)",
  ["slo.within"] = "they hold in each window of time, not of the whole run alone: \"1h\" (in the "
    .. "worst), { windows = \"5min\", share = \"99%\" }",
  ["slo_windows.windows"] = "how long each is, from the start on; the last may be shorter",
  ["slo_windows.share"] = "of all windows that somebody comes in, so many have to keep them; "
    .. "unless given, the worst one has",
  ["run.windows"] = "also tell the run by windows of this length: \"1h\"; false: do not",
  ["slo.mean"] = "highest mean latency", ["slo.max"] = "highest latency of any request",
  equals = "exactly this", near = "this, give or take", within = "how near, as a fraction",
}

local applied = setmetatable({}, { __mode = "k" })

--- Write the words into the specifications, once into each: some are defined when they are needed.
function glossary.apply()
  require "tandem" -- all that scenarios are made of
  for type_name, spec in pairs(node.types) do
    if not applied[spec] then
      applied[spec] = true
      glossary.describe(type_name, spec)
    end
  end
end

--- Write the words into one specification.
---@param type_name string
---@param spec tandem.Spec
function glossary.describe(type_name, spec)
  spec.doc = spec.doc or types[type_name]
  for key, key_spec in pairs(spec.keys) do
    local doc = words[type_name .. "." .. key] or key_spec.doc or words[key]
    -- A copy: several keys may share one specification.
    local copy = {}
    for k, v in pairs(key_spec) do copy[k] = v end
    copy.doc = doc
    spec.keys[key] = copy
  end
end

return glossary
