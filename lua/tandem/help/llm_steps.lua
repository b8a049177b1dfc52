--- Help topic: how long steps of LLM servers take, and what they draw.
local page = require "tandem.help.page"
local reference = require "tandem.help.reference"

return page("how long a step of an LLM server takes, what it draws", function(place)
  local parts = { [[
How long a step takes: td.roofline from the model's sizes and the GPU's datasheet unless told;
td.affine from fitted coefficients; td.step_table from measured operators; step = function(batch)
return seconds end, asked once a step, for anything else: batch has prefill_seqs, prefill_tokens,
prefill_context, prefill_attention (query-key pairs), prefill_squares, decode_seqs, decode_context
(sum of the contexts), decode_context_max, decode_squares, sampled. The KV cache has what the GPU's
memory leaves beside the weights (engine.memory, 0.9 of it), unless engine.kv_blocks says.

Where the model, the GPU's rates and its power limit (tdp_w) are known, results have energy_j,
power_w and joules_per_output_token of the GPUs. A GPU draws 0.15 of its limit while it waits, 0.28
while a step runs, and more by the shares of its peak bandwidth (0.72) and FLOP/s (1.5) that the
step reaches, up to the limit. That is within 3 % (median; 21 % in the ninth decile) of runs of two
models on A100s; other cards are taken to be like them. power = { limit, idle, active, memory,
arithmetic } changes it.]] }
  for _, name in ipairs { "power" } do
    parts[#parts + 1] = name .. " = { … }"
    parts[#parts + 1] = reference.record("llm_" .. name, place)
  end
  for _, name in ipairs { "roofline", "affine", "step_table" } do
    parts[#parts + 1] = reference.constructor(name, place)
  end
  return table.concat(parts, "\n\n")
end)
