--- GPUs: AMD Instinct, CDNA 2 to 4 (2021 to 2025). Fields and rules: lib/gpus.lua.

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
  {
    name = "MI325X", aliases = { "Instinct MI325X", "AMD MI325X", "MI325X-256GB" },
    vendor = "AMD", architecture = "CDNA 3", chip = "Aqua Vanjaram", year = 2024,
    form_factor = "OAM module",
    memory_bytes = 256 * GiB, bandwidth = 6000e9, tdp_w = 1000,
    flops_by_type = {
      fp64 = 81.7e12, fp64_matrix = 163.4e12, fp32 = 163.4e12, tf32 = 653.7e12, fp16 = 1307.4e12,
      bf16 = 1307.4e12, fp8 = 2614.9e12, int8 = 2614.9e12,
    },
    link = "PCIe 5.0 x16", peer_link = "Infinity Fabric", peer_bandwidth = 448e9,
    price_per_hour_usd = { low = 1.95, high = 2.25, source = "mi325x_price" },
    sources = {
      memory_bytes = "mi325x_datasheet", bandwidth = "mi325x_datasheet",
      flops = "mi325x_datasheet", tdp_w = "mi325x_datasheet", link = "mi325x_datasheet",
      peer_bandwidth = "mi325x_datasheet",
    },
  },
  {
    name = "MI355X", aliases = { "Instinct MI355X", "AMD MI355X", "MI355X-288GB" },
    vendor = "AMD", architecture = "CDNA 4", chip = "MI350", year = 2025,
    form_factor = "OAM module, liquid-cooled",
    memory_bytes = 288 * GiB, bandwidth = 8000e9, tdp_w = 1400,
    flops_by_type = {
      fp64 = 78.6e12, fp64_matrix = 78.6e12, fp32 = 157.3e12, fp16 = 2516.6e12,
      bf16 = 2516.6e12, fp8 = 5033.2e12, int8 = 5033.2e12, fp6 = 10066.3e12, fp4 = 10066.3e12,
    },
    link = "PCIe 5.0 x16", peer_link = "Infinity Fabric", peer_bandwidth = 537.6e9,
    notes = { "flops: 256 units at 2.4 GHz; 8 bits twice, 4 and 6 bits four times the rate of 16" },
    sources = {
      memory_bytes = "mi355x_datasheet", bandwidth = "mi355x_datasheet",
      flops = "mi355x_datasheet", tdp_w = "mi355x_datasheet", link = "mi355x_datasheet",
      peer_bandwidth = "mi355x_datasheet",
    },
  },
}
