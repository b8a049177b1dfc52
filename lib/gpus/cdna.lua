--- GPUs: AMD Instinct, CDNA 2 and 3 (2021, 2023). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

return {
  {
    name = "MI250X", aliases = { "Instinct MI250X", "AMD MI250X" },
    vendor = "AMD", architecture = "CDNA 2", chip = "Aldebaran", year = 2021,
    form_factor = "OAM module",
    memory_bytes = 128 * GiB, bandwidth = 3276.8e9, tdp_w = 560,
    flops_by_type = {
      fp64 = 47.9e12, fp64_matrix = 95.7e12, fp32 = 47.9e12, fp32_matrix = 95.7e12, fp16 = 383e12,
      bf16 = 383e12, int8 = 383e12,
    },
    link = "PCIe 4.0 x16",
    notes = {
      "two dies in one module; software sees each as a GPU with half of everything here",
      "tdp_w: 500 W thermal, 560 W peak",
    },
    sources = {
      memory_bytes = "mi250x_datasheet", bandwidth = "mi250x_datasheet",
      flops = "mi250x_datasheet", tdp_w = "mi250x_datasheet", link = "mi250x_datasheet",
    },
  },
  {
    name = "MI300X", aliases = { "Instinct MI300X", "AMD MI300X", "MI300X-192GB" },
    vendor = "AMD", architecture = "CDNA 3", chip = "Aqua Vanjaram", year = 2023,
    form_factor = "OAM module",
    memory_bytes = 192 * GiB, bandwidth = 5300e9, tdp_w = 750,
    flops_by_type = {
      fp64 = 81.7e12, fp64_matrix = 163.4e12, fp32 = 163.4e12, tf32 = 653.7e12, fp16 = 1307.4e12,
      bf16 = 1307.4e12, fp8 = 2614.9e12, int8 = 2614.9e12,
    },
    link = "PCIe 5.0 x16", peer_link = "Infinity Fabric", peer_bandwidth = 448e9,
    price_per_hour_usd = { low = 1.71, high = 1.85, source = "gpu_blog" },
    sources = {
      memory_bytes = "mi300x_datasheet", bandwidth = "mi300x_datasheet",
      flops = "mi300x_datasheet", tdp_w = "mi300x_datasheet", link = "mi300x_datasheet",
      peer_bandwidth = "mi300x_datasheet",
    },
  },
}
