-- What the publisher of InferenceX set and its rows do not say: how many sequences a decoding GPU
-- takes at a time where TensorRT-LLM prefills apart from decode. It stands in the names of the
-- recipes that SemiAnalysisAI/InferenceX @ 0004cf5f lists in .github/configs/nvidia-master.yaml
-- (…_dep32_batch16_…: 32 GPUs, 16 sequences each; tep8_batch8: 8 sequences on 8 GPUs together), by
-- lengths, clients and workers; facts, read on 2026-11-28. Clients beyond these places wait a
-- request's time for one. Recipes of the H200's rows are not listed there for their clients; those
-- of the same workers with so few clients are (ctx1_gen9_tep8_batch1, ctx1_gen7_tep8_batch1).
--
-- Owns these numbers. Called by inferencex.lua and closed_loop.lua beside it.

local recipes = {}

-- Clients, prefill workers, decode workers, GPUs of a decode worker, sequences at a time.
local LISTS <const> = {
  ["B200 fp4-latent 1024/1024"] = { { 4096, 1, 1, 8, 512 }, { 2192, 1, 2, 8, 128 },
    { 1365, 1, 5, 8, 32 }, { 6, 1, 5, 8, 1 }, { 10, 1, 5, 8, 32 }, { 15, 1, 5, 8, 32 },
    { 25, 1, 5, 8, 32 }, { 45, 1, 5, 8, 32 }, { 90, 1, 5, 8, 32 }, { 180, 1, 5, 8, 32 },
    { 450, 1, 6, 8, 64 } },
  ["B200 fp4-latent 8192/1024"] = { { 6, 1, 5, 8, 1 }, { 10, 1, 5, 8, 8 }, { 15, 1, 5, 8, 8 },
    { 25, 1, 5, 8, 8 }, { 50, 1, 5, 8, 8 }, { 100, 1, 5, 8, 8 }, { 370, 2, 5, 8, 64 },
    { 1606, 4, 1, 8, 192 }, { 837, 4, 3, 8, 32 }, { 2222, 7, 2, 8, 128 } },
  ["B200 fp8 1024/1024"] = { { 1920, 1, 5, 8, 48 }, { 4096, 1, 1, 8, 512 },
    { 5152, 2, 5, 8, 128 } },
  ["B200 fp8 8192/1024"] = { { 1, 1, 1, 8, 1 }, { 32, 1, 4, 8, 32 }, { 128, 1, 4, 8, 32 },
    { 96, 1, 6, 8, 16 }, { 256, 1, 1, 8, 256 }, { 640, 2, 1, 8, 640 } },
  ["B300 fp4-latent 1024/1024"] = { { 1176, 1, 2, 8, 64 }, { 6, 1, 4, 8, 1 }, { 5, 1, 5, 4, 4 },
    { 10, 1, 5, 4, 4 }, { 15, 1, 5, 4, 4 }, { 25, 1, 5, 4, 4 }, { 60, 1, 5, 8, 64 },
    { 110, 1, 5, 8, 64 }, { 195, 1, 5, 8, 64 }, { 395, 1, 5, 8, 64 }, { 4405, 2, 1, 8, 512 },
    { 8192, 3, 1, 8, 1024 }, { 4611, 3, 2, 8, 256 } },
  ["B300 fp4-latent 8192/1024"] = { { 105, 1, 3, 4, 32 }, { 63, 1, 3, 8, 16 }, { 4, 1, 3, 8, 1 },
    { 12, 1, 4, 4, 2 }, { 589, 5, 2, 8, 32 }, { 1093, 6, 1, 8, 128 }, { 2048, 8, 1, 8, 256 } },
  ["B300 fp8 1024/1024"] = { { 2112, 1, 1, 8, 256 }, { 3072, 1, 2, 8, 128 },
    { 1280, 1, 3, 8, 48 }, { 12, 1, 8, 8, 64 }, { 128, 1, 8, 8, 64 }, { 384, 1, 8, 8, 64 },
    { 16384, 2, 1, 8, 1024 } },
  ["B300 fp8 8192/1024"] = { { 64, 1, 4, 8, 16 }, { 16, 1, 8, 8, 2 }, { 256, 2, 1, 8, 32 },
    { 512, 3, 1, 8, 64 }, { 256, 3, 5, 8, 64 }, { 1075, 5, 1, 8, 128 }, { 3072, 7, 1, 8, 384 } },
  ["GB200 fp4-latent 1024/1024"] = { { 4301, 1, 1, 8, 512 }, { 666, 1, 1, 32, 16 },
    { 6144, 1, 2, 4, 768 }, { 12, 1, 4, 8, 32 }, { 24, 1, 4, 8, 32 }, { 48, 1, 4, 8, 32 },
    { 96, 1, 4, 8, 32 }, { 192, 1, 4, 8, 32 }, { 5, 1, 4, 8, 1 }, { 4301, 2, 1, 16, 256 },
    { 2253, 2, 1, 32, 64 } },
  ["GB200 fp4-latent 1024/8192"] = { { 5, 1, 7, 8, 1 }, { 60, 1, 15, 4, 4 }, { 135, 1, 15, 4, 8 },
    { 563, 1, 1, 32, 16 }, { 2048, 1, 1, 32, 64 }, { 4096, 1, 1, 32, 128 },
    { 8192, 1, 1, 32, 256 } },
  ["GB200 fp4-latent 8192/1024"] = { { 12, 1, 4, 8, 16 }, { 44, 1, 4, 8, 16 }, { 76, 1, 4, 8, 16 },
    { 5, 1, 4, 8, 1 }, { 333, 2, 1, 32, 8 }, { 1229, 7, 1, 32, 32 }, { 2253, 8, 1, 16, 128 },
    { 4096, 10, 1, 16, 256 } },
  ["GB200 fp8 1024/1024"] = { { 6144, 1, 1, 8, 768 }, { 4301, 1, 1, 8, 512 },
    { 2151, 1, 1, 16, 128 }, { 1127, 1, 1, 32, 32 }, { 256, 1, 1, 32, 8 }, { 27, 1, 3, 8, 8 },
    { 3, 1, 3, 8, 1 } },
  ["GB200 fp8 1024/8192"] = { { 8192, 1, 2, 16, 256 }, { 2048, 1, 1, 32, 64 },
    { 564, 1, 1, 32, 16 }, { 36, 1, 4, 8, 8 }, { 4, 1, 4, 8, 1 } },
  ["GB200 fp8 8192/1024"] = { { 1229, 5, 1, 16, 64 }, { 666, 4, 1, 32, 16 }, { 615, 3, 1, 16, 32 },
    { 333, 2, 1, 32, 8 }, { 63, 1, 3, 8, 16 }, { 18, 1, 3, 8, 4 }, { 6, 1, 3, 8, 1 } },
  ["H200 SXM fp8 1024/1024"] = { { 11, 1, 9, 8, 1 } },
  ["H200 SXM fp8 8192/1024"] = { { 9, 1, 7, 8, 1 } },
}

--- Sequences that one decoding group of a TensorRT-LLM deployment takes at a time; nil where no
--- recipe says so.
---@param p tests.Point
---@param nominal string  prompt/output as the benchmark calls them
---@return integer|nil
function recipes.batch(p, nominal)
  if p.engine ~= "trtllm" or not p.split then return nil end
  local cut, split = p.parallelism, p.split
  for _, one in ipairs(LISTS[("%s %s %s"):format(p.gpu, p.precision, nominal)] or {}) do
    if one[1] == p.concurrency and one[2] == split.prefill_workers
      and one[3] == split.decode_workers and one[4] == cut.tensor * cut.data then
      return one[5]
    end
  end
end

return recipes
