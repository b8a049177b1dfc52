-- A GPU of a datasheet.

local function add(copy)
  copy:after("lib/gpus/ada.lua", "return {\n", [[
  {
    name = "Recipe 1", aliases = { "R1-8GB" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD999", year = 2024,
    form_factor = "PCIe card",
    memory_bytes = 8 * GiB, bandwidth = 100e9, tdp_w = 50,
    flops_by_type = { fp16 = 10e12, bf16 = 10e12 },
    link = "PCIe 4.0 x16",
    sources = { memory_bytes = "recipe", bandwidth = "recipe", flops = "recipe", tdp_w = "recipe",
      link = "recipe" },
  },
]])
  copy:before("lib/sources.lua", "  l4_datasheet = {\n",
    '  recipe = { title = "Recipe 1", publisher = "nobody", date = "2024", checked = true },\n')
end

local function check(sh)
  assert(sh "build/tandem list gpus":find "Recipe 1")
  local td = require "tandem"
  local s = assert(td.check { name = "s", target = td.gpu "recipe1" {},
    workload = td.paced { rps = 1 }, requests = 3,
    pipeline = { td.compute "c" { bytes = "10GB" } } })
  local mean = s:run { warmup = "none" }:get "latency.mean"
  assert(math.abs(mean - 0.1) < 1e-6, mean)
end

return { about = "a card", most = 2, add = add, check = check }
