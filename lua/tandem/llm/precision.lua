--- What numbers a served model is made of: bytes of its weights and cache, and the type in which a
-- GPU multiplies. Owns these tables; knows neither models nor GPUs. Called by tandem.llm.

local precision = {}

---@class tandem.llm.Precision
---@field attention string  type of the projections around attention
---@field ffn string        of dense and shared feed-forward layers
---@field expert string     of the experts
---@field note string

-- Bytes a number, scales included: one 8-bit scale for 16 numbers (nvfp4), for 32 (mxfp4), a 16-bit
-- one for 32 (int4); scales of 128 × 128 blocks (fp8) weigh nothing.
local bytes = { fp32 = 4, bf16 = 2, fp16 = 2, fp8 = 1, nvfp4 = 0.5625, mxfp4 = 0.53125,
  int4 = 0.5625 }

---@type table<string, tandem.llm.Precision>
local known = {
  bf16 = { attention = "bf16", ffn = "bf16", expert = "bf16", note = "as trained" },
  fp8 = { attention = "fp8", ffn = "fp8", expert = "fp8", note = "all matrices of the layers" },
  fp4 = { attention = "nvfp4", ffn = "nvfp4", expert = "nvfp4", note = "all of the layers" },
  ["fp4-latent"] = { attention = "bf16", ffn = "nvfp4", expert = "nvfp4",
    note = "models with latent attention keep its projections in 16 bits" },
  mxfp4 = { attention = "bf16", ffn = "bf16", expert = "mxfp4", note = "gpt-oss: experts only" },
  ["fp8-mxfp4"] = { attention = "fp8", ffn = "fp8", expert = "mxfp4",
    note = "DeepSeek V4: experts in 4 bits, all else in 8" },
  int4 = { attention = "bf16", ffn = "bf16", expert = "int4",
    note = "experts only, and multiplied in 16 bits" },
  ["int4-all"] = { attention = "int4", ffn = "int4", expert = "int4",
    note = "AWQ, GPTQ: all matrices, multiplied in 16 bits" },
}

precision.known = known

-- What a GPU multiplies in when it holds a type: its own where it can, else the next wider one.
local wider = { nvfp4 = { "fp4", "fp8", "bf16", "fp16" }, mxfp4 = { "fp4", "bf16", "fp16" },
  fp8 = { "fp8", "bf16", "fp16" }, int4 = { "bf16", "fp16" }, bf16 = { "bf16", "fp16" },
  fp16 = { "fp16", "bf16" }, fp32 = { "tf32", "fp32" } }

-- Bits of what is multiplied, for shares that kernels reach.
local bits = { fp4 = 4, fp8 = 8 }

--- FLOP/s that a GPU reaches on weights of a type, by its datasheet, and the bits it multiplies in.
---@param gpu tandem.Gpu
---@param name string
---@return number|nil flops, integer bits
function precision.flops(gpu, name)
  for _, kind in ipairs(wider[name] or {}) do
    if gpu.flops_by_type[kind] then return gpu.flops_by_type[kind], bits[kind] or 16 end
  end
  return nil, 16
end

--- Fills an architecture's bytes.
---@param architecture tandem.llm.Architecture
---@param name string       a key of precision.known
---@param kv_type? string   type of the KV cache, bf16
function precision.apply(architecture, name, kv_type)
  local p = known[name]
  architecture.attention_bytes = bytes[p.attention]
  architecture.ffn_bytes = bytes[p.ffn]
  architecture.expert_bytes = bytes[p.expert]
  architecture.kv_bytes = bytes[kv_type or "bf16"]
end

return precision
