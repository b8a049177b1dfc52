--- One working example per constructor, shown by its help; the specs run every one of them.
---@type table<string, string>
return {
  -- arrivals
  arrivals = 'td.arrivals(function(n, t) return n % 10 == 0 and 1.0 or 0.05 end)',
  arrivals_coroutine = 'td.arrivals_coroutine(function()\n'
    .. '  while true do coroutine.yield(0.1) end\nend)',
  bursts = 'td.bursts { rps = 40, on = "2s", off = "8s", duration = "60s" }',
  closed = 'td.closed { users = 20, think = td.exponential "5s", duration = "60s" }',
  curve = 'td.curve { {"0s", 2}, {"30s", 20}, {"60s", 2}, duration = "60s" }',
  diurnal = 'td.diurnal { mean = 10, peak = 18, duration = "24h" }',
  mmpp = 'td.mmpp { {5, "10s"}, {50, "1s"}, duration = "60s" }',
  paced = 'td.paced { rps = 20, duration = "10s" }',
  poisson = 'td.poisson { rps = 20, duration = "60s" }',
  ramp = 'td.ramp { from = 1, to = 50, duration = "60s" }',
  renewal = 'td.renewal { rps = 20, cv = 2.5, duration = "60s" }',
  replay = 'td.replay { file = "trace.csv", columns = { arrival = "timestamp" }, speed = 2 }\n'
    .. '-- or: td.replay { rows = { { arrival = 0, tokens = 9 }, { arrival = 1, tokens = 5 } } }\n'
    .. '-- a day out of an hour: file = "azure.csv.gz", time = "24h", rps = 5',
  resample = 'td.resample { file = "trace.csv", columns = { tokens = "timestamp" } }',
  spike = 'td.spike { base = 5, peak = 80, at = "20s", width = "2s", duration = "60s" }',
  -- distributions
  constant = 'td.constant "2ms"',
  empirical = 'td.empirical { 64, 128, 512, weights = { 5, 3, 1 } }',
  erlang = 'td.erlang { k = 4, mean = "2ms" }',
  exponential = 'td.exponential "2ms"',
  gamma = 'td.gamma { mean = "2ms", cv = 0.5 }',
  histogram = 'td.histogram { edges = { 0, 128, 512, 2048 }, counts = { 700, 250, 50 } }',
  hyperexponential = 'td.hyperexponential { {0.9, "1ms"}, {0.1, "20ms"} }',
  lognormal = 'td.lognormal { p50 = "20ms", p99 = "180ms" }',
  mixture = 'td.mixture { {0.8, td.constant "1ms"}, {0.2, td.exponential "10ms"} }',
  normal = 'td.normal { mean = "5ms", sd = "1ms", max = "9ms" }',
  pareto = 'td.pareto { min = "1ms", max = "10s", alpha = 1.3 }',
  sample = 'td.sample(function(u) return 0.001 + 0.002 * u end)',
  uniform = 'td.uniform("1ms", "3ms")',
  weibull = 'td.weibull { shape = 0.7, scale = "2ms" }',
  zipf = 'td.zipf { n = 1000, s = 1.1 }',
  -- stages
  branch = 'td.branch "cache" {\n  { p = 0.3, steps = {} },\n'
    .. '  { td.fixed "compute" { time = "8ms" } },\n}',
  compute = 'td.compute "matmul" { flops = "2 TFLOP", bytes = "14GB", precision = "fp16" }',
  delay = 'td.delay "network" { time = td.exponential "3ms" }',
  fixed = 'td.fixed "tokenize" { time = "2ms", jitter = 0.05 }',
  fork = 'td.fork "both" {\n  { td.fixed "text" { time = "2ms" } },\n'
    .. '  { td.fixed "image" { time = "5ms" } },\n}',
  generate = 'td.generate "answer" { model = td.llm "Llama-3.1-8B", tp = 1,\n'
    .. '  replicas = 2, prompt = 512, output = "r.output_tokens", route = "least_outstanding" }',
  hold = 'td.hold "kv cache" { memory = "2GiB",\n  td.fixed "inside" { time = "2ms" },\n}',
  loop = 'td.loop "retry" { again = 0.1, td.fixed "call" { time = "4ms" } }',
  process = 'td.process "own" { fn = function(p)\n'
    .. '  p:use("cpu", 0.002)\n  p:hold(0.010)\nend }',
  stage = 'td.stage "decode" { on = "gpu", batch = { max = 8, wait = "2ms" },\n'
    .. '  cost = function(r) return 0.004 + 0.0005 * r.batch end }',
  table = 'td.table "measured" { x = "tokens", points = { {1, "3ms"}, {128, "20ms"} } }',
  tokens = 'td.tokens "generate" { tokens = 128, time_per_token = "0.2ms" }',
  transfer = 'td.transfer "h2d" { bytes = "8MiB" }',
  -- parts of td.generate
  affine = 'td.affine { step = "6ms", prefill_tokens = "20us", decode_seqs = "30us" }',
  llm = 'td.llm "Llama-3.1-8B" { weights = "fp8" }\n'
    .. '-- or: td.llm { config = "config.json" }',
  roofline = 'td.roofline { matrix_efficiency = 0.6, step = "1ms" }',
  step_table = 'td.step_table "RTX4090/tp1"',
  -- resources
  fleet = 'td.fleet "pool" { td.gpu "L40" { count = 2 }, td.gpu "H100 SXM" {},\n'
    .. '  router = "least_outstanding" }',
  gpu = 'td.gpu "L40" { count = 2, concurrency = 4, queue = 100 }',
  link = 'td.link "pcie switch" { bandwidth = "25GB/s", shared = true }',
  memory = 'td.memory "host cache" { bytes = "64GiB" }',
  pool = 'td.pool "tokenizers" { servers = 8, queue = 200 }',
}
