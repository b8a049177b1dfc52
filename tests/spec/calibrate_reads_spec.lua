--- What the calibration takes from tables and runs before it estimates anything: which rows of
--- kernels count, and how sure a request's time is.
local operators = require "tests.accuracy.calibrate.operators"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local requests = require "tests.accuracy.calibrate.requests"

-- A table of experts at 0.4 of a peak of 312 TFLOP/s: `all` tokens of a group meet each GPU, or a
-- part of them.
local function experts_table(path, all)
  local lines = { '# {"moe_dtype":"bfloat16","kernel_source":"k","distribution":"balanced"}',
    "num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,latency" }
  for _, tokens in ipairs { 64, 512, 2048, 4096, 8192, 16384 } do
    for _, inner in ipairs { 768, 1536, 3072 } do
      for _, ep in ipairs { 1, 2, 4, 8 } do
        local met = all and tokens or tokens / ep
        local s = 3 * 2 * 2048 * inner * met * 8 / (0.4 * 312e12) + 3e-5
        lines[#lines + 1] = ("%d,2048,%d,8,128,1,%d,%.9g"):format(tokens, inner, ep, 1e3 * s)
      end
    end
  end
  local file <close> = assert(io.popen("gzip -c > '" .. path .. "'", "w"))
  file:write(table.concat(lines, "\n"), "\n")
end

describe("calibration", function()
  it("sees whether a table divides tokens among the GPUs of a group", function()
    local gpu = require("tandem.catalogue").gpu "A100 80GB SXM"
    local path = os.tmpname()
    for _, all in ipairs { false, true } do
      experts_table(path, all)
      local share = operators.experts(path, gpu)["16"].share
      assert.is_true(share > 0.3 and share < 0.6, ("%s: %g"):format(all, share))
    end
    os.remove(path)
  end)

  -- Runs of open loads whose first token comes 11 to 15 ms after what steps take.
  local function asked(sets)
    local rows = {}
    for i, set in ipairs(sets) do
      rows[i] = { gpu = "H100 SXM", engine = "vllm", configuration = ("c%d"):format(i), set = set,
        point = { load = "open", ttft_s = 0.05 + 0.001 * i, tpot_s = 0.01 } }
    end
    local apply, point = pool.apply, predict.point
    pool.apply = function() return { factor = 1 } end
    predict.point = function() return { ttft_s = 0.04, tpot_s = 0.01 } end
    local fit = { theta = function() return {} end, factor = function() return 1 end }
    local ok, out = pcall(requests.of, rows, function() return {} end, fit)
    pool.apply, predict.point = apply, point
    return assert(ok and out, out)
  end

  it("is surer of a request's time where two laboratories measured it", function()
    local one, two = asked { "a", "a", "a", "a", "a" }.vllm, asked { "a", "a", "b", "a", "a" }
    assert.equal(5, one.count)
    assert.near(13e-3, two.vllm.value, 1e-9)
    assert.is_true(two.vllm.deviation < 0.3)
    assert.near(math.sqrt(two.vllm.deviation ^ 2 + 0.8 ^ 2), one.deviation, 1e-9)
    assert.equal(0, two.sglang.count)
  end)
end)
