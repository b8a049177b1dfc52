-- Is decoding bound by memory or by arithmetic, and at which batch size does that change?
--
-- Look at: the cost function below. It is plain arithmetic on the request and the GPU, is followed
-- once when the file is loaded and then runs in C (`tandem explain own-cost` shows it). At these
-- batch sizes every step reads all the weights, so the time hardly grows with the batch.
-- Try: tandem run own-cost --set gpu=L40S rps=200
--      tandem run own-cost --set pipeline.decode.batch.max=8

local td = require "tandem"

local parameters  = 8.03e9   -- of the model, two bytes each
local kv_bytes    = 131072   -- keys and values of one token of context (32 layers, 8 heads, fp16)
local launch_s    = 20e-6    -- a step's fixed cost
local output      = 8        -- tokens decoded for each request

return td.scenario "own-cost" {
  title = "A roofline of one's own",
  question = "Is decoding bound by memory or by arithmetic, and at which batch size does it change?",
  workload = td.poisson { rps = 500, duration = "20s" },
  attrs    = { ctx = td.lognormal { p50 = 800, p99 = 6000 } },
  target   = td.gpu "H200" {},
  pipeline = {
    td.stage "decode" { on = "gpu", batch = { max = 64, wait = "2ms" }, cost = function(r)
      local work = 2 * parameters * r.batch / r.gpu.flops
      local read = (2 * parameters + r.sum.ctx * kv_bytes) / r.gpu.bandwidth
      return output * (td.max(work, read) + launch_s)
    end },
  },
  slo = { p99 = "120ms" },
  replications = 8,
  expect = {
    slo      = true,
    overload = false,
    ["stages.decode.batch"]        = { min = 4, max = 40 },
    ["stages.decode.service.mean"] = { min = "27ms", max = "45ms" },
    ["latency.p99"]                = { max = "100ms" },
  },
}
