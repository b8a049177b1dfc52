-- Is decoding limited by arithmetic or by memory, and how much does a larger batch cost?
--
-- Look at: the cost function below: plain arithmetic on the request and its GPU, followed once when
-- the file is loaded and then run in C (`tandem explain own-cost` shows it). Every step reads all
-- the weights, so up to flops / bandwidth = 206 members (H200, fp16) more company is nearly free.
-- Try: tandem run own-cost --set rps=400     (ten times the load, a fifth more latency)
--      tandem run own-cost --set gpu=L40S

local td = require "tandem"

local parameters = 8.03e9 -- of the model, two bytes each
local kv_bytes   = 131072 -- keys and values of one token of context (32 layers, 8 heads, fp16)
local launch_s   = 20e-6  -- fixed cost of a step
local output     = 8      -- tokens decoded for each request

return td.scenario "own-cost" {
  title = "A roofline of one's own",
  question = "Is decoding limited by arithmetic or by memory, and what does a larger batch cost?",
  workload = td.poisson { rps = 40, duration = "60s" },
  attrs    = { ctx = td.lognormal { p50 = 800, p99 = 6000 } },
  target   = td.gpu "H200" {},
  pipeline = {
    td.stage "decode" { on = "gpu", batch = { max = 64, wait = "2ms", preferred = { 8, 16, 64 } },
      cost = function(r)
        local work = 2 * parameters * r.batch / r.gpu.flops
        local read = (2 * parameters + r.sum.ctx * kv_bytes) / r.gpu.bandwidth
        return output * (td.max(work, read) + launch_s)
      end },
  },
  slo = { p99 = "80ms" },
  replications = 8,
  expect = {
    slo = true,
    ["stages.decode.batch"]        = { min = 1.1, max = 3 },
    ["stages.decode.service.mean"] = { min = "26.9ms", max = "29ms" },
    ["latency.p99"]                = { max = "70ms" },
  },
}
