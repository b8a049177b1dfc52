--- The shipped rules of advice, in the order in which they are asked: lib/advice/NAME.lua each.
-- tandem.advice.rule says what a rule is.
return {
  "async-pageable", "sync-memcpy", "sync-memset", "oversynchronization", "gpu-gaps",
  "low-utilization", "launch-bound", "small-kernels", "uncaptured-graphs",
  "exposed-communication", "exposed-copies", "tensor-cores-unused", "slow-copies",
  "fragmentation", "stragglers", "data-loader", "repeated-copies", "unfused-attention",
  "unaligned-products", "host-work",
}
