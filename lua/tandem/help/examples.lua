--- One working example per constructor, shown by its help; the specs run every one of them.
-- Those of distributions stand beside their families in the core, those of steps with their kinds.

---@type table<string, string>
local examples = {
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

require "tandem"
for name, spec in pairs(require("tandem.language.node").types) do
  examples[name] = spec.example or examples[name]
end

return examples
