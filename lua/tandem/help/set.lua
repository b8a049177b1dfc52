--- Help topic: changing a scenario without editing it.
local page = require "tandem.help.page"

return page("changing a scenario from the command line or a script", function()
  local aliases = require("tandem.overrides").aliases
  local rows = {}
  for _, short in ipairs(require("tandem.nearest").sorted_keys(aliases)) do
    rows[#rows + 1] = ("  %-12s %s"):format(short, aliases[short])
  end
  return [[
A path of keys, joined by dots, reaches any part of a scenario. A step or a GPU is reached by its
name, an item of a list by its number.

  tandem run FILE --set workload.rps=4 pipeline.h2d.bytes=16MiB
  tandem run FILE --set 'classes[2].priority=3' --set slo.p99=100ms
  base:with { rps = 4, ["pipeline.compute.tokens"] = 256 }

Short names

]] .. table.concat(rows, "\n") .. [[

  gpu          the kind of the target: gpu="H100 SXM"
  model, tp, replicas, max_seqs, max_batched_tokens, kv_blocks
               of the only LLM server: model=Qwen3-32B tp=2 gpus=4

rps is what the scenario calls so: of td.bursts the rate of a burst, not the mean, which is what
tandem plan --load sets and what a sweep over rps shows as offered.

The outcome is checked like the scenario itself, so a wrong unit or a path that does not exist is
said, with the nearest one that does.]]
end)
