--- What LLM servers take when nobody sets it, by version and the GPU's memory: data with a source
-- for each figure.
--
-- Of a key the first entry that fits counts: of a version from `since` on and before `before`, a
-- GPU with at least `memory` GiB whose name has one of `gpus` and not `except` in it, at most
-- `stages` stages of a pipeline (pp). These are the defaults of the server that answers HTTP (vllm
-- serve, sglang.launch_server, trtllm-serve), not of offline classes. max_batched_tokens of SGLang
-- is its chunked_prefill_size. Read by tandem.llm.engines.

local arg_utils = "vllm-project/vllm: vllm/engine/arg_utils.py"
local server_args = "sgl-project/sglang: python/sglang/srt/server_args.py"
local llm_args = "NVIDIA/TensorRT-LLM: tensorrt_llm/llmapi/llm_args.py"

return {
  vllm = {
    { key = "max_batched_tokens", value = 8192, since = "0.9", memory = 70, except = "A100",
      source = arg_utils .. ", get_batch_defaults; pull requests 17073, 17885" },
    { key = "max_batched_tokens", value = 8192, since = "0.8.5", before = "0.9", memory = 70,
      source = arg_utils .. "; pull request 17073" },
    { key = "max_batched_tokens", value = 8192, since = "0.8", before = "0.8.5",
      gpus = { "H100", "H200" },
      source = arg_utils .. "; pull request 12369" },
    { key = "max_batched_tokens", value = 2048, source = arg_utils .. "; pull request 10544" },
    { key = "max_seqs", value = 1024, since = "0.9", memory = 70, except = "A100",
      source = arg_utils .. ", get_batch_defaults" },
    { key = "max_seqs", value = 256, source = arg_utils .. ", get_batch_defaults" },
    { key = "plans_ahead", value = true, since = "0.15",
      source = "vllm-project/vllm: pull requests 27614 (by default), 32359 (with pipelines)" },
    { key = "plans_ahead", value = true, since = "0.14", stages = 1,
      source = "vllm-project/vllm: pull request 27614" },
    { key = "plans_ahead", value = false,
      source = "vllm-project/vllm: pull request 19970 (an option, off)" },
  },
  sglang = {
    { key = "max_batched_tokens", value = 16384, since = "0.4.7", memory = 160,
      source = server_args },
    { key = "max_batched_tokens", value = 8192, memory = 60, source = server_args },
    { key = "max_batched_tokens", value = 4096, since = "0.5.3", memory = 35,
      source = server_args },
    { key = "max_batched_tokens", value = 8192, memory = 35, source = server_args },
    { key = "max_batched_tokens", value = 2048, source = server_args },
    { key = "max_seqs", value = 2048,
      source = "sgl-project/sglang: max_running_requests, the least that is taken" },
    { key = "plans_ahead", value = true, since = "0.4",
      source = "lmsys.org, SGLang v0.4 (December 2024): the overlap scheduler by default" },
    { key = "plans_ahead", value = false, source = server_args },
  },
  tensorrt_llm = {
    { key = "max_batched_tokens", value = 8192, source = llm_args .. ", max_num_tokens" },
    { key = "max_seqs", value = 2048, source = llm_args .. ", max_batch_size" },
    { key = "plans_ahead", value = true, since = "1.0",
      source = "NVIDIA/TensorRT-LLM: docs/source/features/overlap-scheduler.md, PyTorch backend" },
    { key = "plans_ahead", value = false, source = llm_args },
  },
}
