--- One working example per constructor, shown by its help; the specs run every one of them.
-- Those of distributions stand beside their families in the core, those of steps and arrivals with
-- their kinds.

---@type table<string, string>
local examples = {
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
