--- The shipped packs of kernel rules, one a file in lib/rules, in the order in which they are asked
-- when no engine is named. Owns the list.
--
-- A rule (td.rules, lua/tandem/categories/pack.lua) says what kernels are called whose category it
-- gives, and why. Priorities, so that packs can stand together:
--   100   names that mean one thing everywhere: copies, memsets, collectives
--    10   what is named for its job although another job's word is in the name too
--     0   the rest
--   -10   words that only tell something when nothing better did
-- Categories are the same words in every pack: gemm, moe_gemm, moe_routing, attention,
-- linear_attention, kv_cache, norm, rope, activation, softmax, quantize, sampling, embedding,
-- convolution, pooling, elementwise, reduce, indexing, concat, layout, copy_kernel, fill, random,
-- sort, scan, fft, solver, sparse, rnn, loss, optimizer, input_preparation, lora, autotuning,
-- triton (any other kernel of Triton), communication, memcpy, memset, wait.
-- Read by tandem.categories.choose.

local all = {}
for _, name in ipairs { "vllm", "sglang", "tensorrt_llm", "jax", "torch", "amd",
  "cuda_libraries" } do
  all[#all + 1] = require("lib.rules." .. name)
end
return all
