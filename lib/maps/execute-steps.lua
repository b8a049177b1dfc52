-- Steps of an inference server whose ranges are called execute_TOKENS_… (vLLM and SGLang with such
-- annotations): each is a request, its size the tokens of its batch.
local td = require "tandem"

return td.map {
  request = { range = "/^execute_\\d+_/" },
  sizes = { tokens = "/^execute_(\\d+)_/" },
  stages = {
    { "h2d", copy = "HtoD" },
    { "d2h", copy = "DtoH" },
    { "collectives", comm = "*" },
    { "attention", kernel = "/attention|flash|fmha|attn/" },
    { "gemm", kernel = "/gemm|matmul|Cijk|cutlass/" },
    { "other kernels", kernel = "*" },
  },
}
