--- Kernel rules: JAX, that is XLA's compiler for GPUs. Fields and priorities: lib/rules.lua. XLA
-- names kernels after the fusion that they are: loop_add_fusion, input_reduce_fusion_3.
local td = require "tandem"

return td.rules "jax" {
  about = "XLA fusions, its Triton GEMMs, Pallas and Mosaic kernels",
  extends = { "amd", "cuda_libraries" },
  { id = "gemm-fusion",
    match = "^gemm_fusion|^triton_gemm|_dot_fusion|^__triton_gemm|^block_scaled_dot",
    category = "gemm", library = "xla", why = "matrix products that XLA gives to Triton" },
  { id = "softmax-fusion", match = "^triton_softmax", category = "softmax", library = "xla",
    why = "a softmax or normalization that XLA recognized" },
  { id = "pallas-attention", match = "^(mha|flash_attention|paged_attention|splash)\\w*(kernel|"
    .. "forward|backward)$", category = "attention", library = "pallas",
    why = "attention written in Pallas" },
  { id = "reduce-fusion", match = "^(input_|loop_|row_|column_)?(\\w+_)?reduce(_\\w+)?_fusion|"
    .. "^reduce(_\\d+)?$|^input_(multiply|add|convert)_reduce",
    category = "reduce", library = "xla", why = "a reduction and what feeds it" },
  { id = "transpose-fusion", match = "^(input_|loop_|wrapped_)(\\w+_)?transpose|"
    .. "^\\w*transpose\\w*_fusion(_\\d+)*$|^transpose(_\\d+)*$", category = "layout",
    library = "xla",
    why = "transposed copies" },
  { id = "scatter-fusion", match = "^(input_|loop_|wrapped_)(\\w+_)?(scatter|gather|slice)|"
    .. "^\\w*(scatter|gather|dynamic_(update_)?slice)\\w*_fusion(_\\d+)*$|"
    .. "^(scatter|gather)(_\\d+)*$", category = "indexing", library = "xla",
    why = "gathers, scatters, slices at an index" },
  { id = "concat-fusion", match = "^(input_|loop_)?(\\w+_)?concatenate(_\\w+)?_fusion",
    category = "concat", library = "xla", why = "arrays joined" },
  { id = "copy-fusion", match = "^(loop_|wrapped_)(copy|convert)|^(copy|convert)(_\\w+)?_fusion",
    category = "copy_kernel", library = "xla", why = "copies and casts" },
  { id = "fill-fusion", match = "^(loop_|wrapped_)(broadcast|iota)|^(broadcast|iota)(_\\w+_fusion)?"
    .. "(_\\d+)*$",
    category = "fill", library = "xla", why = "constants written out" },
  { id = "random-fusion", match = "rng_bit_generator|^(loop_)?rng|threefry", category = "random",
    library = "xla", why = "random bits" },
  { id = "sort", match = "^(wrapped_)?sort(_\\d+)*$", category = "sort", library = "xla",
    why = "XLA's bitonic sort" },
  { id = "loop-fusion", match = "^(loop_|input_)?(\\w+_)?fusion(_\\d+)*$|^wrapped_\\w+$",
    category = "elementwise", library = "xla", priority = -5,
    why = "any other fusion: operations element by element" },
  { id = "autotuning", match = "redzone_checker|RedzoneAllocator|buffer_comparator|"
    .. "^(fp|bf|int|f)\\w*_comparison$", category = "autotuning", library = "xla",
    why = "XLA compares candidates while it compiles" },
  { id = "mosaic", match = "mosaic_gpu|pallas", library = "pallas", why = "its marks" },
}
