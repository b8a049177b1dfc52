--- Small named pipelines, written as anybody would write them: `pipeline(td)` gives the steps of a
-- scenario. Owns the steps and where their sizes come from. Compute costs are rooflines at peak
-- rate, a lower bound: give `efficiency` a measured value in work of your own.
-- Read by tandem.catalogue.

---@class tandem.Preset
---@field name string
---@field models string              one sentence: what it stands for
---@field how string                 where bytes and FLOPs come from
---@field pipeline fun(td: table): table[]

-- 8.03e9 parameters in two bytes each.
local P8B = 8.03e9

---@type tandem.Preset[]
return {
  {
    name = "five-stages",
    models = "The shape of most GPU services: prepare, copy in, compute, copy out, finish.",
    how = "the sizes of the first demonstration: 8 MiB in, 128 tokens, 2 MiB out",
    pipeline = function(td)
      return {
        td.fixed "preprocess" { time = "2ms", jitter = 0.05 },
        td.transfer "h2d" { bytes = "8MiB" },
        td.tokens "compute" { tokens = 128 },
        td.transfer "d2h" { bytes = "2MiB" },
        td.fixed "postprocess" { time = "1ms" },
      }
    end,
  },
  {
    name = "image-classification",
    models = "ResNet-50 on one picture of 224 x 224: small copies, small kernels.",
    how = "in: 224 x 224 x 3 x 4 bytes; 4.09e9 multiply-adds, two FLOPs each; 25,557,032 weights "
      .. "in two bytes (torchvision, resnet50); out: 1,000 classes x 4 bytes",
    pipeline = function(td)
      return {
        td.fixed "decode" { time = "3ms", jitter = 0.2 },
        td.transfer "h2d" { bytes = 224 * 224 * 3 * 4 },
        td.compute "classify" { flops = 2 * 4.09e9, bytes = 2 * 25557032 },
        td.transfer "d2h" { bytes = 1000 * 4 },
      }
    end,
  },
  {
    name = "text-embedding",
    models = "A BERT-large encoder: 128 tokens in, one vector of 1,024 numbers out.",
    how = "340e6 parameters (Devlin et al. 2018), 2 FLOPs a parameter and token, two bytes a "
      .. "parameter read once; in: 128 x 8 bytes; out: 1,024 x 4 bytes",
    pipeline = function(td)
      return {
        td.fixed "tokenize" { time = "0.5ms", jitter = 0.1 },
        td.transfer "h2d" { bytes = 128 * 8 },
        td.compute "encode" { flops = 2 * 340e6 * 128, bytes = 2 * 340e6 },
        td.transfer "d2h" { bytes = 1024 * 4 },
      }
    end,
  },
  {
    name = "prompt-8b",
    models = "A language model of 8 billion parameters reads a prompt of r.tokens tokens.",
    how = "2 FLOPs a parameter and token, every weight read once in two bytes (Llama 3.1 8B, "
      .. "8.03e9 parameters); attention itself left out",
    pipeline = function(td)
      return {
        td.fixed "tokenize" { time = "1ms", jitter = 0.1 },
        td.transfer "h2d" { bytes = function(r) return 8 * r.tokens end },
        td.compute "prefill" {
          flops = function(r) return 2 * P8B * r.tokens end, bytes = 2 * P8B,
        },
        td.transfer "d2h" { bytes = 8 },
      }
    end,
  },
}
