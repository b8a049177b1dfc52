--- Accelerators: Intel Gaudi (2022, 2024). Fields and rules: lib/gpus.lua. No list price was found.

local GiB = 1024 ^ 3

local function sources()
  local page = "gaudi3_hotchips"
  return { memory_bytes = page, bandwidth = page, flops = page, tdp_w = page, link = page,
    peer_bandwidth = "gaudi3_paper" }
end

return {
  {
    name = "Gaudi 2", aliases = { "Gaudi2", "HL-225H", "Intel Gaudi 2" },
    vendor = "Intel", architecture = "Gaudi 2", chip = "Gaudi 2", year = 2022,
    form_factor = "OAM module",
    memory_bytes = 96 * GiB, bandwidth = 2460e9, tdp_w = 600,
    flops_by_type = { bf16 = 432e12, fp8 = 865e12 },
    link = "PCIe 4.0 x16", peer_link = "RoCE", peer_bandwidth = 262.5e9,
    notes = { "to other GPUs: 21 of 24 ports of 100 Gbit/s, three to each of seven others" },
    sources = sources(),
  },
  {
    name = "Gaudi 3", aliases = { "Gaudi3", "HL-325L", "Intel Gaudi 3" },
    vendor = "Intel", architecture = "Gaudi 3", chip = "Gaudi 3", year = 2024,
    form_factor = "OAM module, air-cooled",
    memory_bytes = 128 * GiB, bandwidth = 3670e9, tdp_w = 900,
    flops_by_type = { bf16 = 1835e12, fp8 = 1835e12 },
    link = "PCIe 5.0 x16", peer_link = "RoCE", peer_bandwidth = 525e9,
    notes = {
      "to other GPUs: 21 of 24 ports of 200 Gbit/s, three to each of seven others",
      "tdp_w: 1,200 with liquid cooling",
    },
    sources = sources(),
  },
}
