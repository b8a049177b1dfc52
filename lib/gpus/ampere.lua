--- GPUs: NVIDIA Ampere (2020, 2021). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

-- One chip, four products: the arithmetic is the same, memory and power are not.
local function a100_flops()
  return {
    fp64 = 9.7e12, fp64_matrix = 19.5e12, fp32 = 19.5e12, tf32 = 156e12, fp16 = 312e12,
    bf16 = 312e12, int8 = 624e12, int4 = 1248e12,
  }
end

local function a100_sources(document)
  return {
    memory_bytes = document, bandwidth = document, flops = "a100_datasheet", tdp_w = document,
    link = "a100_datasheet", peer_bandwidth = "a100_datasheet", mfu = "mfu",
  }
end

return {
  {
    name = "A10", aliases = { "A10 PCIe", "A10-24GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA102", year = 2021,
    form_factor = "PCIe card, single slot",
    memory_bytes = 24 * GiB, bandwidth = 600e9, tdp_w = 150,
    flops_by_type = {
      fp32 = 31.2e12, tf32 = 62.5e12, fp16 = 125e12, bf16 = 125e12, int8 = 250e12, int4 = 500e12,
    },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    price_per_hour_usd = { low = 0.86, high = 0.86, source = "techbytes" },
    sources = {
      memory_bytes = "a10_datasheet", bandwidth = "a10_datasheet", flops = "a10_datasheet",
      tdp_w = "a10_datasheet", link = "a10_datasheet",
    },
  },
  {
    name = "A10G", aliases = { "A10G-24GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA102", year = 2021,
    form_factor = "PCIe card, Amazon EC2 G5 only",
    memory_bytes = 24 * GiB, bandwidth = 600e9, tdp_w = 300,
    flops_by_type = { fp32 = 35e12, tf32 = 35e12, fp16 = 70e12, bf16 = 70e12, int8 = 140e12 },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    notes = { "fp32: other tables give 31.5e12; fp16: other tables give 62.5e12" },
    price_per_hour_usd = { low = 1.006, high = 1.006, source = "aws_g5" },
    sources = {
      memory_bytes = "a10g_datasheet", bandwidth = "a10g_datasheet", flops = "a10g_datasheet",
      tdp_w = "a10g_nvidia_smi", link = "a10g_datasheet",
    },
  },
  {
    name = "A30", aliases = { "A30 PCIe", "A30-24GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA100", year = 2021,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 24 * GiB, bandwidth = 933e9, tdp_w = 165,
    flops_by_type = {
      fp64 = 5.2e12, fp64_matrix = 10.3e12, fp32 = 10.3e12, tf32 = 82e12, fp16 = 165e12,
      bf16 = 165e12, int8 = 330e12, int4 = 661e12,
    },
    mfu = { value = 0.38, measured_on = "A100" },
    link = "PCIe 4.0 x16", peer_link = "NVLink bridge", peer_bandwidth = 100e9,
    sources = {
      memory_bytes = "a30_datasheet", bandwidth = "a30_datasheet", flops = "a30_datasheet",
      tdp_w = "a30_datasheet", link = "a30_datasheet", peer_bandwidth = "a30_datasheet",
      mfu = "mfu",
    },
  },
  {
    name = "A100 40GB PCIe", aliases = { "A100-PCIE-40GB", "A100 PCIe 40GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA100", year = 2020,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 40 * GiB, bandwidth = 1555e9, tdp_w = 250, flops_by_type = a100_flops(),
    mfu = { value = 0.38, measured_on = "A100" },
    link = "PCIe 4.0 x16", peer_link = "NVLink bridge", peer_bandwidth = 300e9,
    sources = a100_sources "a100_40_datasheet",
  },
  {
    name = "A100 40GB SXM", aliases = { "A100-40GB", "A100-SXM4-40GB", "A100 SXM 40GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA100", year = 2020,
    form_factor = "SXM4 module",
    memory_bytes = 40 * GiB, bandwidth = 1555e9, tdp_w = 400, flops_by_type = a100_flops(),
    mfu = { value = 0.38, measured_on = "A100" },
    link = "PCIe 4.0 x16", peer_link = "NVLink 3", peer_bandwidth = 300e9,
    sources = a100_sources "a100_40_datasheet",
  },
  {
    name = "A100 80GB PCIe", aliases = { "A100 PCIe", "A100-PCIE-80GB", "A100 PCIe 80GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA100", year = 2021,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 80 * GiB, bandwidth = 1935e9, tdp_w = 300, flops_by_type = a100_flops(),
    mfu = { value = 0.38, measured_on = "A100" },
    link = "PCIe 4.0 x16", peer_link = "NVLink bridge", peer_bandwidth = 300e9,
    sources = a100_sources "a100_datasheet",
  },
  {
    name = "A100 80GB SXM",
    aliases = { "A100", "A100 SXM", "A100-80GB", "A100-80", "A100-SXM4-80GB", "A100 SXM 80GB" },
    vendor = "NVIDIA", architecture = "Ampere", chip = "GA100", year = 2020,
    form_factor = "SXM4 module",
    memory_bytes = 80 * GiB, bandwidth = 2039e9, tdp_w = 400, flops_by_type = a100_flops(),
    mfu = { value = 0.38, measured_on = "A100" },
    link = "PCIe 4.0 x16", peer_link = "NVLink 3", peer_bandwidth = 300e9,
    price_per_hour_usd = { low = 0.80, high = 3.00, source = "mercatus" },
    sources = a100_sources "a100_datasheet",
  },
}
