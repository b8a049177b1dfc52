-- Maps for captures whose repetitions a person would look at more closely than a proposal does:
-- layers and steps of which there are many. Each: part of the capture's name, what repeats, map.

local td = require "tandem"

local gemms = { "gemm", kernel = "/Cijk|gemm|cutlass|matmul/" }

return {
  { "h100_2gpu", "launches from host to device", td.map { request = { range = "/^aten::copy_/" },
    stages = { { "copy", copy = "*" }, { "kernel", kernel = "*" } } } },
  { "h100_2gpu", "GEMM to GEMM", td.map {
    request = { starts = { kernel = "*tilesize64x256*" }, each = "stream" },
    stages = { { "gemm", kernel = "*tilesize64x256*" }, { "other kernels", kernel = "*" },
      { "copies", copy = "*" } } } },
  { "xdit", "blocks of the transformer", td.map {
    request = { starts = { kernel = "attn_fwd" }, each = "device" },
    sizes = { gelus = { count = { kernel = "*gelu*" } },
      matmuls = { count = { kernel = "Cijk*" } } },
    stages = { { "attention", kernel = "attn_fwd" }, gemms, { "elementwise", kernel = "*" } } } },
  { "xdit", "MLPs of the transformer", td.map {
    request = { starts = { kernel = "*addmm_gelu*" }, each = "device" },
    stages = { { "gelu", kernel = "*addmm_gelu*" }, { "attention", kernel = "attn_fwd" }, gemms,
      { "elementwise", kernel = "*" } } } },
  { "Qwen1.5", "GEMM to GEMM", td.map { request = { starts = { kernel = gemms.kernel },
    each = "device" }, stages = { gemms, { "other kernels", kernel = "*" } } } },
  { "nccl_parser", "normalizations, forward", td.map {
    request = { starts = { kernel = "*nchwToNhwcKernel*" }, each = "device" },
    stages = { { "to NHWC", kernel = "*nchwToNhwcKernel*" },
      { "other kernels", kernel = "*" } } } },
  { "ns_resolution", "operators of backward", td.map {
    request = { range = "autograd::engine::evaluate_function: *" },
    stages = { { "kernels", kernel = "*" }, { "operators", op = "aten::*" } } } },
  { "trace_diff", "operators of backward", td.map {
    request = { range = "autograd::engine::evaluate_function: *" },
    stages = { { "kernels", kernel = "*" }, { "operators", op = "aten::*" } } } },
  { "trace_diff", "matrix products", td.map {
    request = { range = "/^aten::(addmm|mm|bmm|linear)$/" },
    stages = { { "kernels", kernel = "*" }, { "launch", call = "cudaLaunch*" } } } },
  { "resnet50", "operators of backward", td.map {
    request = { range = "/^autograd::engine::evaluate_function|Backward\\d*$/" },
    stages = { { "kernels", kernel = "*" }, { "operators", op = "aten::*" } } } },
  { "df_index", "all-reduces on the GPU", td.map {
    request = { starts = { comm = "*" }, each = "stream" },
    stages = { { "all-reduce", comm = "*" }, { "kernels", kernel = "*" } } } },
}
