-- What GPUs of a machine get from each other: keys of td.gpu, measured hosts of the catalogue and
-- NVLink racks. Steps are compared by their difference, which all-reduces alone make.

local td = require "tandem"
local catalogue = require "tandem.catalogue"

-- Qwen3-32B: 64 layers, 5,120 wide, two sums a layer of 16-bit activations.
local TOKENS <const> = 1000
local REDUCES <const>, BYTES <const> = 2 * 64, TOKENS * 5120 * 2

-- Seconds until the only token of one request, alone on the GPUs.
local function prefill_s(gpu, keys)
  local step = { model = td.llm "Qwen3-32B", tp = 2, prompt = TOKENS, output = 1 }
  for key, value in pairs(keys or {}) do step[key] = value end
  local s, problems = td.check { name = "links", target = gpu, replications = 1, warmup = "none",
    workload = td.paced { rps = 0.1, duration = "100s" },
    pipeline = { td.generate "answer"(step) } }
  assert(s, tostring(problems))
  return s:run({}).llm[1].ttft.mean.value
end

local function near(expected, value, what)
  assert(math.abs(value - expected) < 1e-6 + 1e-6 * expected,
    ("%s: %.9g for %.9g"):format(what or "", value, expected))
end

describe("links between GPUs of a machine", function()
  it("are what td.gpu says: a start and the bytes at a rate", function()
    local function with(bandwidth, latency)
      return prefill_s(td.gpu "L40S" { count = 2, memory = "96GiB", peer_bandwidth = bandwidth,
        peer_latency = latency })
    end
    -- 2(n - 1)/n of the bytes cross the link of each of two.
    near(REDUCES * BYTES * (1 / 16e9 - 1 / 32e9), with("16GB/s", "20us") - with("32GB/s", "20us"))
    near(REDUCES * 10e-6, with("16GB/s", "20us") - with("16GB/s", "10us"))
  end)

  it("are as measured where the catalogue has no NVLink", function()
    local base = prefill_s(td.gpu "L40S" { count = 2, memory = "96GiB", peer_bandwidth = "16GB/s",
      peer_latency = "20us" })
    local rows, below, above = catalogue.gpu("L40S").all_reduces, nil, nil
    for i = 1, #rows, 3 do
      if rows[i] == 2 and rows[i + 1] <= BYTES then below = { rows[i + 1], rows[i + 2] } end
      if rows[i] == 2 and rows[i + 1] > BYTES and not above then
        above = { rows[i + 1], rows[i + 2] }
      end
    end
    local measured = below[2] + (BYTES - below[1]) / (above[1] - below[1]) * (above[2] - below[2])
    near(REDUCES * (20e-6 + BYTES / 16e9 - measured),
      base - prefill_s(td.gpu "L40S" { count = 2, memory = "96GiB" }))
    -- What a td.roofline says of links is what it means.
    local hop_s = require("tandem.llm.rates").known("L40S").link_hop_s
    near(REDUCES * (6e-6 + hop_s + BYTES / 18.8e9 - measured),
      prefill_s(td.gpu "L40S" { count = 2, memory = "96GiB" },
        { step = td.roofline { link_latency = "6us" } })
      - prefill_s(td.gpu "L40S" { count = 2, memory = "96GiB" }))
  end)

  it("join 72 GPUs of an NVL72, and eight of what nobody lists", function()
    local function fits(name, tp)
      return td.check { name = "rack", target = td.gpu(name) { count = 64, memory = "200GiB" },
        workload = td.paced { rps = 1, duration = "1s" },
        pipeline = { td.generate "answer" { model = td.llm "DeepSeek-V3", tp = tp, prompt = 1,
          output = 1 } } }
    end
    for _, name in ipairs { "GB200", "GB300" } do assert(fits(name, 64), name) end
    for _, name in ipairs { "B200", "L40S" } do
      local s, problems = fits(name, 64)
      assert.is_nil(s)
      assert(tostring(problems):find("several machines of 8", 1, true), tostring(problems))
    end
    assert.equal(900e9, td.gpu "GB200".peer_bandwidth)
    assert.equal(16e9, td.gpu "L4" { peer_bandwidth = "16GB/s" }.peer_bandwidth)
  end)
end)
