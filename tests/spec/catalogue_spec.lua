-- The catalogue: every entry whole and cited, rates in plausible order, names found as people write
-- them, copies that nobody else can change, arrival shapes that keep their mean.

local catalogue = require "tandem.catalogue"
local sources = require "lib.sources"

local GiB = 1024 ^ 3

local function positive(value, what)
  assert(type(value) == "number" and value > 0 and value < math.huge,
    ("%s is %s"):format(what, tostring(value)))
end

local function text(value, what)
  assert(type(value) == "string" and value ~= "", what .. " is missing")
end

local function cited(source, what)
  assert(type(source) == "table", what .. " has no source")
  text(source.title, what .. ": source title")
  text(source.publisher, what .. ": source publisher")
  assert(tostring(source.date):match "%d%d%d%d", what .. ": source without a year")
end

-- The mean of a piecewise linear curve given as {t, rate} pairs.
local function mean(points)
  local area = 0
  for i = 1, #points - 1 do
    local a, b = points[i], points[i + 1]
    area = area + (b[1] - a[1]) * (a[2] + b[2]) / 2
  end
  return area / (points[#points][1] - points[1][1])
end

describe("sources", function()
  it("each say title, publisher, year and whether they were compared", function()
    for key, source in pairs(sources) do
      cited(source, key)
      assert.equal("boolean", type(source.checked), key)
    end
  end)

  it("are all used", function()
    local used = {}
    local function mark(value)
      if type(value) ~= "table" then return end
      for key, source in pairs(sources) do
        if value.title == source.title then used[key] = true end
      end
      for _, v in pairs(value) do mark(v) end
    end
    for _, list in ipairs { catalogue.gpus(), catalogue.nodes(), catalogue.links(),
      catalogue.arrivals(), catalogue.token_model } do mark(list) end
    for key in pairs(sources) do assert(used[key], "nobody cites " .. key) end
  end)
end)

describe("GPUs", function()
  local all = catalogue.gpus()

  it("are at least sixteen, sorted, with one name each", function()
    assert(#all >= 16)
    for i = 2, #all do assert(all[i - 1].name < all[i].name) end
    local names = catalogue.gpu_names()
    assert.equal(#all, #names)
    for i, gpu in ipairs(all) do assert.equal(gpu.name, names[i]) end
  end)

  it("are found by names that nobody typed, without a search for near ones", function()
    for _, gpu in ipairs(all) do assert.same(gpu, catalogue.known_gpu("NVIDIA " .. gpu.name)) end
    assert.equal("H100 SXM", select(2, catalogue.gpu "H100 SXN"))
    local found, near = catalogue.known_gpu "H100 SXN"
    assert.same({}, { found, near })
  end)

  it("have every required field and a citation for each number", function()
    for _, gpu in ipairs(all) do
      for _, field in ipairs { "name", "vendor", "architecture", "chip", "form_factor" } do
        text(gpu[field], gpu.name .. "." .. field)
      end
      assert(gpu.year >= 2017 and gpu.year <= 2026, gpu.name)
      -- Google publishes neither power limits nor host links.
      local tpu = gpu.vendor == "Google"
      for _, field in ipairs { "memory_bytes", "bandwidth", "flops",
        not tpu and "h2d" or nil, not tpu and "d2h" or nil, not tpu and "tdp_w" or nil } do
        positive(gpu[field], gpu.name .. "." .. field)
        cited(gpu.sources[field], gpu.name .. "." .. field)
      end
      assert.equal(tpu, gpu.link == nil, gpu.name)
      if gpu.link then cited(gpu.sources.link, gpu.name .. ".link") end
      for kind, rate in pairs(gpu.flops_by_type) do
        positive(rate, gpu.name .. " " .. kind)
        assert.equal(rate, gpu["flops_" .. kind])
      end
      for _, optional in ipairs { "peer_bandwidth", "peer_latency", "mfu", "ms_per_token" } do
        if gpu[optional] then cited(gpu.sources[optional], gpu.name .. "." .. optional) end
      end
      for field in pairs(gpu.sources) do
        assert(gpu[field], gpu.name .. " cites a field it does not have: " .. field)
      end
    end
  end)

  it("hang on a link of the catalogue, and their copies run at its usable rate", function()
    for _, gpu in ipairs(all) do
      local link = gpu.link and assert(catalogue.link(gpu.link))
      assert.equal(link and link.bandwidth, gpu.h2d)
      assert(not link or gpu.h2d < link.raw, gpu.name)
      if gpu.peer_link and gpu.peer_link:find "^NVLink %d" then
        assert.equal(catalogue.link(gpu.peer_link).raw, gpu.peer_bandwidth, gpu.name)
      end
    end
  end)

  it("without links of their own get from each other what was measured", function()
    local hosts = 0
    for _, gpu in ipairs(all) do
      local over_host = gpu.peer_bandwidth ~= nil and gpu.peer_link == nil
      assert.equal(over_host, gpu.peer_share == 1, gpu.name)
      if gpu.peer_share then
        hosts = hosts + 1
        assert(gpu.peer_bandwidth < catalogue.link(gpu.link).raw, gpu.name)
        assert(gpu.peer_latency > 1e-6 and gpu.peer_latency < 1e-4, gpu.name)
        text(gpu.peer_measured_on, gpu.name)
        -- Of each group, times that grow with the bytes in the main, and with the group.
        local rows, by = gpu.all_reduces or {}, {}
        for i = 1, #rows, 3 do
          by[rows[i]] = by[rows[i]] or {}
          by[rows[i]][rows[i + 1]] = rows[i + 2]
        end
        for bytes, time in pairs(by[2] or {}) do
          assert(by[4][bytes] > time and by[8][bytes] > by[4][bytes], gpu.name .. " " .. bytes)
        end
        if #rows > 0 then
          -- 64 MiB of two: n/2 of 2(n - 1)/n bytes at peer_bandwidth.
          assert.near(1, by[2][1 << 26] * gpu.peer_bandwidth / (1 << 26), 0.05, gpu.name)
          assert.equal(by[2][256], math.min(table.unpack { by[2][256], by[4][256], by[8][256] }))
        end
      end
    end
    assert(hosts >= 8, hosts)
  end)

  it("see as many others as their machine holds", function()
    for name, count in pairs { GB200 = 72, GB300 = 72, B200 = 8, ["H100 SXM"] = 8, GH200 = 1,
      ["TPU v5e"] = 256, MI355X = 8 } do
      assert.equal(count, catalogue.gpu(name).node, name)
    end
    assert.is_nil(catalogue.gpu("L4").node)
  end)

  it("hold dense rates: each halving of the width at most doubles the rate", function()
    -- 2.05: sheets round each row by itself (B200: bf16 2,250 against tf32 1,100). Blackwell Ultra
    -- (GB110) has three times as many 4-bit as 8-bit units.
    for _, gpu in ipairs(all) do
      local by = gpu.flops_by_type
      for _, step in ipairs { { "tf32", "bf16" }, { "fp16", "fp8" }, { "fp8", "fp4" },
        { "int8", "int4" } } do
        local wide, narrow = by[step[1]], by[step[2]]
        if wide and narrow then
          local what = ("%s: %s against %s"):format(gpu.name, step[2], step[1])
          assert(narrow >= wide, what)
          local ultra = gpu.chip == "GB110" and step[2] == "fp4"
          assert(narrow <= (ultra and 3.05 or 2.05) * wide, what)
        end
      end
      if by.bf16 and by.fp16 then assert.equal(by.fp16, by.bf16, gpu.name) end
      if by.fp64 then assert(by.fp64 <= by.fp32, gpu.name) end
      assert(not by.fp32 or by.fp16 > by.fp32, gpu.name)
    end
  end)

  it("agree with what is printed", function()
    -- Written down apart from lib/, so that a slip in either shows: GiB, GB/s, TFLOP/s, W.
    local printed = {
      ["T4"] = { 16, 320, 65, 70 }, ["V100 SXM2"] = { 32, 900, 125, 300 },
      ["A10"] = { 24, 600, 125, 150 }, ["A10G"] = { 24, 600, 70, 300 },
      ["A30"] = { 24, 933, 165, 165 }, ["A100 40GB SXM"] = { 40, 1555, 312, 400 },
      ["A100 80GB PCIe"] = { 80, 1935, 312, 300 }, ["A100 80GB SXM"] = { 80, 2039, 312, 400 },
      ["L4"] = { 24, 300, 121, 72 }, ["L40"] = { 48, 864, 181.05, 300 },
      ["L40S"] = { 48, 864, 362.05, 350 }, ["RTX 4090"] = { 24, 1008, 165.2, 450 },
      ["RTX 6000 Ada"] = { 48, 960, 364.25, 300 }, ["H100 PCIe"] = { 80, 2000, 756, 350 },
      ["H100 SXM"] = { 80, 3350, 989.4, 700 }, ["H100 NVL"] = { 94, 3938, 835.5, 400 },
      ["H200 SXM"] = { 141, 4800, 989.4, 700 }, ["B200"] = { 180, 8000, 2250, 1000 },
      ["RTX PRO 6000"] = { 96, 1792, 500, 600 }, ["MI250X"] = { 128, 3276.8, 383, 560 },
      ["MI300X"] = { 192, 5300, 1307.4, 750 }, ["MI325X"] = { 256, 6000, 1307.4, 1000 },
      ["MI355X"] = { 288, 8000, 2516.6, 1400 }, ["H20"] = { 96, 4000, 148, 400 },
      ["GH200"] = { 96, 4000, 989.4, 1000 }, ["Gaudi 2"] = { 96, 2460, 432, 600 },
      ["Gaudi 3"] = { 128, 3670, 1835, 900 }, ["TPU v5e"] = { 16, 819, 197 },
      ["TPU v6e"] = { 32, 1638, 918 }, ["Ironwood"] = { 192, 7380, 2307 },
      ["RTX PRO 6000 Server"] = { 96, 1792, 480, 600 },
    }
    for name, row in pairs(printed) do
      local gpu = assert(catalogue.gpu(name), name)
      assert.near(row[1], gpu.memory_bytes / GiB, 1e-9, name)
      assert.near(row[2], gpu.bandwidth / 1e9, 1e-6, name)
      assert.near(row[3], gpu.flops / 1e12, 1e-6, name)
      assert.equal(row[4], gpu.tdp_w, name)
    end
  end)

  it("are shown with every number they have, called as the fields of a GPU are", function()
    local words = require "tandem.report.gpus"
    local not_shown = { year = true, ms_per_token = true, flops = true, price = true,
      peer_share = true }
    for _, gpu in ipairs(catalogue.gpus()) do
      local shown = {}
      for _, figure in ipairs(words.figures(gpu)) do
        assert.is_nil(shown[figure.key], figure.key)
        shown[figure.key] = figure
      end
      for key, value in pairs(gpu) do
        assert(type(value) ~= "number" or not_shown[key] or shown[key], gpu.name .. " " .. key)
      end
      for key, figure in pairs(shown) do
        assert(gpu[key], key)
        if gpu.sources[key] then assert.same(gpu.sources[key], figure.source) end
      end
    end
    -- As text, a line at least for each, and notes behind an empty line.
    local noted, style = 0, require("tandem.plot.style").new { unicode = true, width = 100 }
    for _, gpu in ipairs(catalogue.gpus()) do
      if gpu.notes and noted < 4 then
        local shown = words.text(gpu, style)
        for _, figure in ipairs(words.figures(gpu)) do
          assert(shown:find("\n  " .. figure.title, 1, true), gpu.name .. ": " .. figure.title)
        end
        assert(shown:find "\n  LLM steps" and shown:find "\n +tensorrt_llm ", gpu.name)
        assert.equal(#gpu.notes, select(2, shown:gsub("\n\nNote: ", "")), gpu.name)
        noted = noted + 1
      end
    end
    assert.equal(4, noted)
    local figures = {}
    for i, figure in ipairs(words.figures(catalogue.gpu "A100")) do
      figures[i] = figure.title .. ": " .. figure.text
    end
    assert.same({ "memory: 80 GiB", "memory bandwidth: 2.04 TB/s", "from the host: 24.8 GB/s",
      "to the host: 24.8 GB/s", "to other GPUs: 300 GB/s", "GPUs together: 8",
      "time per token: 135 µs",
      "share of the peak: 38 %", "power limit: 400 W", "bf16, dense: 312 TFLOP/s",
      "fp16, dense: 312 TFLOP/s", "fp32, dense: 19.5 TFLOP/s", "fp64, dense: 9.70 TFLOP/s",
      "fp64 matrix, dense: 19.5 TFLOP/s", "int4, dense: 1.25 POP/s", "int8, dense: 624 TOP/s",
      "tf32, dense: 156 TFLOP/s", "price per hour: $0.80–3.00" }, figures)
  end)

  it("give a time per token only where an MFU was measured on the same chip family", function()
    assert.is_nil(catalogue.gpu("T4").ms_per_token)
    assert.is_nil(catalogue.gpu("B200").ms_per_token)
    -- 2 x 8.03e9 / (0.32 x 181.05e12) s
    assert.near(0.27720, catalogue.gpu("L40").ms_per_token, 5e-6)
    -- 2 x 8.03e9 / (0.45 x 989.4e12) s
    assert.near(0.036071, catalogue.gpu("H100").ms_per_token, 5e-7)
    for _, gpu in ipairs(all) do
      assert.equal(gpu.mfu ~= nil, gpu.ms_per_token ~= nil, gpu.name)
      if gpu.mfu then
        local measured = assert(catalogue.gpu(gpu.mfu.measured_on), gpu.name)
        assert.equal(measured.chip, gpu.chip, gpu.name)
      end
    end
  end)

  it("state prices as ranges with source and date", function()
    local priced = 0
    for _, gpu in ipairs(all) do
      local price = gpu.price_per_hour_usd
      if price then
        priced = priced + 1
        assert(price.low > 0 and price.low <= price.high and price.high < 20, gpu.name)
        cited(price.source, gpu.name .. " price")
        assert.near((price.low + price.high) / 7200, gpu.price, 1e-12)
      else
        assert.is_nil(gpu.price, gpu.name)
      end
    end
    assert(priced >= 5)
  end)

  it("are found as people write them", function()
    for written, name in pairs {
      ["H100 SXM"] = "H100 SXM", ["h100-sxm"] = "H100 SXM", ["h100_sxm"] = "H100 SXM",
      ["H100"] = "H100 SXM", ["NVIDIA H100 80GB HBM3"] = "H100 SXM", ["a100"] = "A100 80GB SXM",
      ["A100-80"] = "A100 80GB SXM", ["A100-SXM4-40GB"] = "A100 40GB SXM", ["l40"] = "L40",
      ["Tesla T4"] = "T4", ["v100"] = "V100 SXM2", ["NVIDIA GeForce RTX 4090"] = "RTX 4090",
      ["rtx-4090"] = "RTX 4090", ["RTXPRO6000"] = "RTX PRO 6000", ["h200"] = "H200 SXM",
      ["AMD Instinct MI300X"] = "MI300X", ["b200_sxm"] = "B200", ["6000 ada"] = "RTX 6000 Ada",
    } do
      local gpu = catalogue.gpu(written)
      assert(gpu, written .. " is not found")
      assert.equal(name, gpu.name, written)
    end
    for _, gpu in ipairs(all) do
      assert.equal(gpu.name, catalogue.gpu(gpu.name).name)
      for _, alias in ipairs(gpu.aliases) do
        assert.equal(gpu.name, catalogue.gpu(alias).name, alias)
      end
    end
  end)

  it("suggest the nearest name, and nothing when nothing is near", function()
    for written, name in pairs {
      ["H100 SXN"] = "H100 SXM", ["L40SS"] = "L40S", ["MI300"] = "MI300X", ["B2000"] = "B200",
      ["RTX 4900"] = "RTX 4090",
    } do
      local gpu, near = catalogue.gpu(written)
      assert.is_nil(gpu, written)
      assert.equal(name, near, written)
    end
    for _, written in ipairs { "abacus", "", "!!" } do
      local gpu, near = catalogue.gpu(written)
      assert.is_nil(gpu)
      assert.is_nil(near, written)
    end
    assert.is_nil(catalogue.gpu(nil))
    assert.is_nil(catalogue.gpu(4090))
  end)

  it("are copies: changing one changes nobody else's", function()
    local mine = catalogue.gpu "L40"
    mine.bandwidth, mine.flops_by_type.fp16, mine.sources.flops.title = 1, 1, "?"
    local fresh = catalogue.gpu "L40"
    assert.equal(864e9, fresh.bandwidth)
    assert.equal(181.05e12, fresh.flops_by_type.fp16)
    assert.not_equal("?", fresh.sources.flops.title)
    assert.not_equal("?", sources.l40_datasheet.title)
    catalogue.gpus()[1].name = "?"
    assert.not_equal("?", catalogue.gpus()[1].name)
  end)
end)

describe("machines", function()
  it("hold cards of the catalogue, joined as these are, each number with its source", function()
    local all = catalogue.nodes()
    assert(#all >= 6)
    for i, node in ipairs(all) do
      assert(i == 1 or all[i - 1].name < node.name)
      local gpu = assert(catalogue.gpu(node.gpu), node.name)
      assert(math.type(node.gpus) == "integer" and node.gpus >= 2, node.name)
      assert.equal(gpu.peer_link, node.peer_link, node.name)
      assert.equal(gpu.peer_bandwidth, node.peer_bandwidth, node.name)
      assert.equal("boolean", type(node.switched), node.name)
      for _, field in ipairs { "gpus", "peer_bandwidth", "nics", "nic_bandwidth", "power_w" } do
        if node[field] then
          positive(node[field], node.name .. "." .. field)
          cited(node.sources[field], node.name .. "." .. field)
        end
      end
      if node.nic then assert.equal(catalogue.link(node.nic).raw, node.nic_bandwidth, node.name) end
      if node.power_w then assert(node.power_w > node.gpus * gpu.tdp_w, node.name) end
    end
  end)

  it("agree with what is printed", function()
    -- GPUs, aggregate NVLink or XGMI of one GPU both ways (GB/s), adapters, Gbit/s each, kW.
    for name, row in pairs {
      ["DGX A100"] = { 8, 600, 8, 200, 6.5 }, ["hgx h100"] = { 8, 900, 8, 400, 10.2 },
      ["DGX H200"] = { 8, 900, 8, 400, 10.2 }, ["dgx-b200"] = { 8, 1800, 8, 400, 14.3 },
      ["GB200 NVL72"] = { 72, 1800 }, ["MI300X platform"] = { 8, 896 },
      ["gb300 nvl72"] = { 72, 1800 }, ["MI355X platform"] = { 8, 1075.2 },
      ["TPU7x pod"] = { 9216, 1200 },
    } do
      local node = assert(catalogue.node(name), name)
      assert.equal(row[1], node.gpus, name)
      assert.near(row[2], 2 * node.peer_bandwidth / 1e9, 1e-9, name)
      assert.equal(row[3], node.nics, name)
      assert.equal(row[4] and row[4] * 1e9 / 8, node.nic_bandwidth, name)
      assert.equal(row[5] and row[5] * 1e3, node.power_w, name)
    end
  end)

  it("suggest the nearest name", function()
    assert.same({ nil, "DGX H100" }, { catalogue.node "DGX H10" })
  end)
end)

describe("links", function()
  it("carry less than raw, say how that is known, and cite it", function()
    for _, link in ipairs(catalogue.links()) do
      positive(link.raw, link.name)
      positive(link.bandwidth, link.name)
      assert(link.bandwidth < link.raw, link.name)
      assert(link.bandwidth > 0.7 * link.raw, link.name)
      text(link.how, link.name)
      cited(link.sources.raw, link.name .. ".raw")
      cited(link.sources.bandwidth, link.name .. ".bandwidth")
      if link.latency_s then
        assert(link.latency_s > 0 and link.latency_s < 1e-3, link.name)
        cited(link.sources.latency_s, link.name .. ".latency_s")
      end
    end
  end)

  it("have the raw rate of the specification", function()
    -- GB/s, one direction: 16 lanes x 8, 16, 32 GT/s x 128/130; NVLink halves of 600, 900, 1,800.
    for name, raw in pairs {
      ["pcie3"] = 15.754, ["PCIe 4.0 x16"] = 31.508, ["pcie gen5 x16"] = 63.015,
      ["pcie4x8"] = 15.754, ["nvlink3"] = 300, ["NVLink 4"] = 450, ["nvlink-5"] = 900,
      ["hdr"] = 25, ["ndr"] = 50, ["100GbE"] = 12.5, ["ethernet 400g"] = 50,
    } do
      assert.near(raw, assert(catalogue.link(name), name).raw / 1e9, 5e-4, name)
    end
  end)

  it("suggest the nearest name", function()
    local link, near = catalogue.link "NVLink 6"
    assert.is_nil(link)
    assert(near:find "^NVLink")
    assert.equal("PCIe 5.0 x16", select(2, catalogue.link "PCI 5.0 x16"))
  end)
end)

describe("arrival shapes", function()
  it("say what they model and run from 0 to 1 with a mean of 1", function()
    for _, shape in ipairs(catalogue.arrivals()) do
      text(shape.models, shape.name)
      text(shape.how, shape.name)
      positive(shape.period_s, shape.name)
      assert.equal("boolean", type(shape.assumed), shape.name)
      assert.equal(not shape.assumed, shape.sources.points ~= nil, shape.name)
      local points = catalogue.curve(shape.name, { rps = 1, length = 1 }).points
      assert.equal(0, points[1][1])
      assert.equal(1, points[#points][1])
      for i, p in ipairs(points) do
        assert(p[2] >= 0, shape.name)
        if i > 1 then assert(p[1] > points[i - 1][1], shape.name .. " goes back in time") end
      end
      assert.near(1, mean(points), 1e-12, shape.name)
      if shape.periodic then assert.near(points[1][2], points[#points][2], 1e-12, shape.name) end
    end
  end)

  it("scale to a rate and a length", function()
    local day = catalogue.curve("office-day", { rps = 30 })
    assert.equal(86400, day.period)
    assert.near(30, mean(day.points), 1e-9)
    local peak = { 0, 0 }
    for _, p in ipairs(day.points) do if p[2] > peak[2] then peak = p end end
    assert.equal(15 * 3600, peak[1])
    assert.near(50, peak[2], 1e-9)
    local crowd = catalogue.curve("flash-crowd", { rps = 8, length = 600 })
    assert.is_nil(crowd.period)
    assert.equal(600, crowd.points[#crowd.points][1])
    assert.near(8, mean(crowd.points), 1e-12)
    local none, near = catalogue.curve("office day 2", { rps = 1 })
    assert.is_nil(none)
    assert.equal("office-day", near)
  end)

  it("keep the ratios counted in the Azure trace", function()
    local points = catalogue.curve("azure-chat-hour", { rps = 1 }).points
    assert.near(2239 / 1297, points[7][2] / points[12][2], 1e-12)
    assert.equal(150, points[2][1])
  end)
end)

describe("pipelines", function()
  it("are built with the td that is handed in", function()
    -- Stands in for td: records which constructors are called with which body.
    local calls = {}
    local td = setmetatable({}, { __index = function(_, kind)
      return function(name)
        return function(body)
          calls[#calls + 1] = kind .. " " .. name
          return { kind = kind, name = name, body = body }
        end
      end
    end })
    for _, preset in ipairs(catalogue.presets()) do
      text(preset.models, preset.name)
      text(preset.how, preset.name)
      local before = #calls
      local steps = preset.pipeline(td)
      assert(#steps >= 3, preset.name)
      assert.equal(#steps, #calls - before, preset.name)
    end
    assert.equal("fixed preprocess", calls[1])
    local images
    for _, preset in ipairs(catalogue.presets()) do
      if preset.name == "image-classification" then images = preset.pipeline(td) end
    end
    assert.equal(602112, images[2].body.bytes)
  end)
end)
