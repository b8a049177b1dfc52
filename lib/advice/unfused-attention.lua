local td = require "tandem"

-- What FlashAttention-2 was measured to gain over attention in several kernels.
local LOW <const>, HIGH <const> = 3, 10

return td.advice "unfused-attention" {
  title = "Attention in several kernels",
  looks_for = "softmax between two products of batches: attention whose scores go to memory and "
    .. "back",
  needs = { "kernel", "cpu_op|nvtx", "kernel.correlation" },
  threshold = "5%",
  find = function(view, least)
    local counted = view:count("evidence-causes", { nodes = 100 })
    local total_ns, most, kernels = counted.run[1].total_ns, nil, 0
    for _, row in ipairs(counted.nodes) do
      if row.cause == "attention" and not most then most = row end
    end
    if not most or most.total_ns < least * total_ns then return {} end
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.device == most.device and row.rank == most.rank then kernels = row.kernel_ns end
    end
    return { where = view:where(most),
      evidence = ("softmax and two products of batches, %s kernels, take %s%s"):format(
        view:integer(most.count), view:time(most.total_ns), kernels > 0
          and (": %s of the kernels' %s"):format(view:percent(math.min(1, most.total_ns / kernels)),
            view:time(kernels)) or ""),
      claims = { { cause = "attention", low = LOW, high = HIGH } },
      how = "the run replayed with attention 3 to 10 times as fast, as FlashAttention-2 was "
        .. "measured against attention in several kernels",
      rows = { { what = "attention, the longest stretch", start_ns = most.start_ns,
        dur_ns = most.dur_ns } } }
  end,
  what_to_do = "One kernel for it: torch.nn.functional.scaled_dot_product_attention "
    .. "(attn_implementation=\"sdpa\" or \"flash_attention_2\" in transformers), which never "
    .. "writes the scores.",
  source = "Dao, FlashAttention-2 (2023), Section 4.1; PyTorch documentation, "
    .. "scaled_dot_product_attention",
}
