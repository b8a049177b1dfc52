--- GPUs: NVIDIA Hopper (2022 to 2024). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

-- H100 SXM5 and H200 SXM are the same chip at the same clocks.
local function sxm_flops()
  return {
    fp64 = 34e12, fp64_matrix = 67e12, fp32 = 67e12, tf32 = 494.7e12, fp16 = 989.4e12,
    bf16 = 989.4e12, fp8 = 1978.9e12, int8 = 1978.9e12,
  }
end

return {
  {
    name = "H100 PCIe", aliases = { "H100-PCIE-80GB", "H100 80GB PCIe" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2022,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 80 * GiB, bandwidth = 2000e9, tdp_w = 350,
    flops_by_type = {
      fp64 = 26e12, fp64_matrix = 51e12, fp32 = 51e12, tf32 = 378e12, fp16 = 756e12, bf16 = 756e12,
      fp8 = 1513e12, int8 = 1513e12,
    },
    mfu = { value = 0.45, measured_on = "H100 SXM" },
    link = "PCIe 5.0 x16", peer_link = "NVLink bridge", peer_bandwidth = 300e9,
    notes = { "bandwidth: the product brief says greater than 2,000 GB/s" },
    sources = {
      memory_bytes = "h100_pcie_brief", bandwidth = "h100_pcie_brief", flops = "hopper_whitepaper",
      tdp_w = "h100_pcie_brief", link = "h100_pcie_brief", peer_bandwidth = "hopper_whitepaper",
      mfu = "mfu",
    },
  },
  {
    name = "H100 SXM",
    aliases = { "H100", "H100 SXM5", "H100-80GB", "H100 80GB HBM3", "H100-SXM5-80GB" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2022,
    form_factor = "SXM5 module",
    memory_bytes = 80 * GiB, bandwidth = 3350e9, tdp_w = 700, flops_by_type = sxm_flops(),
    mfu = { value = 0.45, measured_on = "H100 SXM" },
    link = "PCIe 5.0 x16", peer_link = "NVLink 4", peer_bandwidth = 450e9,
    notes = {
      "fp16: hardware_config.json of inference-sim holds 989.5e12, half of the printed 1,979e12",
    },
    price_per_hour_usd = { low = 1.99, high = 5.00, source = "mercatus" },
    sources = {
      memory_bytes = "h100_page", bandwidth = "h100_page", flops = "hopper_whitepaper",
      tdp_w = "h100_page", link = "h100_page", peer_bandwidth = "h100_page", mfu = "mfu",
    },
  },
  {
    name = "H100 NVL", aliases = { "H100-NVL-94GB", "H100 94GB" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2023,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 94 * GiB, bandwidth = 3938e9, tdp_w = 400,
    flops_by_type = {
      fp64 = 30e12, fp64_matrix = 60e12, fp32 = 60e12, tf32 = 417.5e12, fp16 = 835.5e12,
      bf16 = 835.5e12, fp8 = 1670.5e12, int8 = 1670.5e12,
    },
    mfu = { value = 0.45, measured_on = "H100 SXM" },
    link = "PCIe 5.0 x16", peer_link = "NVLink bridge", peer_bandwidth = 300e9,
    notes = {
      "one card of the pair; flops: printed with sparsity (835, 1,671, 3,341); halved here",
      "tdp_w: configurable from 350 to 400",
    },
    price_per_hour_usd = { low = 1.91, high = 3.07, source = "gpu_blog" },
    sources = {
      memory_bytes = "h100_page", bandwidth = "h100_nvl_brief", flops = "h100_page",
      tdp_w = "h100_page", link = "h100_page", peer_bandwidth = "h100_page", mfu = "mfu",
    },
  },
  {
    name = "H200 SXM", aliases = { "H200", "H200 SXM5", "H200-141GB", "H200-SXM-141GB" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2024,
    form_factor = "SXM5 module",
    memory_bytes = 141 * GiB, bandwidth = 4800e9, tdp_w = 700, flops_by_type = sxm_flops(),
    mfu = { value = 0.45, measured_on = "H100 SXM" },
    link = "PCIe 5.0 x16", peer_link = "NVLink 4", peer_bandwidth = 450e9,
    price_per_hour_usd = { low = 2.50, high = 7.00, source = "mercatus" },
    sources = {
      memory_bytes = "h200_datasheet", bandwidth = "h200_datasheet", flops = "h200_datasheet",
      tdp_w = "h200_datasheet", link = "h200_datasheet", peer_bandwidth = "h200_datasheet",
      mfu = "mfu",
    },
  },
  {
    name = "H20", aliases = { "H20 SXM", "H20-96GB", "HGX H20" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2024,
    form_factor = "SXM5 module",
    memory_bytes = 96 * GiB, bandwidth = 4000e9, tdp_w = 400,
    flops_by_type = {
      fp64 = 1e12, fp32 = 44e12, tf32 = 74e12, fp16 = 148e12, bf16 = 148e12, fp8 = 296e12,
      int8 = 296e12,
    },
    link = "PCIe 5.0 x16", peer_link = "NVLink 4", peer_bandwidth = 450e9,
    notes = {
      "NVIDIA published no datasheet; tables of the press agree with each other",
      "mfu: that of the H100 was measured against 6.7 times the peak, so it does not carry over",
    },
    sources = {
      memory_bytes = "h20_press", bandwidth = "h20_press", flops = "h20_press",
      tdp_w = "h20_press", link = "h20_press", peer_bandwidth = "h20_press",
    },
  },
  {
    name = "GH200", aliases = { "GH200 96GB", "GH200-96GB", "GH200 480GB", "Grace Hopper" },
    vendor = "NVIDIA", architecture = "Hopper", chip = "GH100", year = 2023,
    form_factor = "Grace Hopper superchip",
    memory_bytes = 96 * GiB, bandwidth = 4000e9, tdp_w = 1000, flops_by_type = sxm_flops(),
    mfu = { value = 0.45, measured_on = "H100 SXM" },
    link = "NVLink-C2C", peer_link = "NVLink 4", peer_bandwidth = 450e9, node = 1,
    notes = {
      "one superchip a machine; in an NVL32 rack say node = 32",
      "tdp_w: of the module with its CPU, configurable from 450 to 1,000",
      "the later model has 144 GB of HBM3e at 4.9 TB/s: say memory and bandwidth",
    },
    sources = {
      memory_bytes = "gh200_datasheet", bandwidth = "gh200_datasheet", flops = "gh200_datasheet",
      tdp_w = "gh200_datasheet", link = "gh200_datasheet", peer_bandwidth = "gh200_datasheet",
      node = "gh200_datasheet", mfu = "mfu",
    },
  },
}
