--- The type that a kernel computes in, by its name: for shapes that came without types.
--
-- Owns the spellings of cuBLAS, CUTLASS, PyTorch and FlashAttention. Where a name tells two types,
-- the smaller is what lies in memory: PyTorch's elementwise kernels name the type of their
-- arithmetic, too. Called by roofline.lua.
local kernel_type = {}

local BF16 <const>, HALF <const>, FP8 <const> = "c10::BFloat16", "c10::Half", "c10::Float8_e4m3fn"

-- "nvjet_tst_192x192_…": the letters are the types of the first input, the scale and the output.
local NVJET <const> = { t = BF16, h = HALF, s = "float", d = "double", q = FP8 }

-- In order: those further up are parts of longer names.
local SPELLINGS <const> = { { "e4m3", FP8 }, { "e5m2", "c10::Float8_e5m2" }, { "bfloat16", BF16 },
  { "bf16", BF16 }, { "c10::half", HALF }, { "__half", HALF }, { "half_t", HALF },
  { "fp16", HALF }, { "f16f16", HALF }, { "f16_s", HALF }, { "hgemm", HALF },
  { "h%d+gemm", HALF }, { "h884", HALF }, { "h1688", HALF }, { "h16816", HALF },
  { "dgemm", "double" }, { "double", "double" }, { "f64f64", "double" }, { "sgemm", "float" },
  { "tf32", "float" }, { "f32f32", "float" }, { "float", "float" } }

--- As a profiler of PyTorch names it; nil where the name does not tell.
---@param kernel string
---@return string|nil
function kernel_type.of(kernel)
  local name = kernel:lower()
  local letter = name:match "^nvjet_(%l)"
  if letter then return NVJET[letter] end
  for _, one in ipairs(SPELLINGS) do
    if name:find(one[1]) then return one[2] end
  end
end

return kernel_type
