--- GPUs: NVIDIA Blackwell (2025). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

return {
  {
    name = "B200", aliases = { "B200 SXM", "B200 SXM6", "HGX B200", "B200-180GB" },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB100", year = 2025,
    form_factor = "SXM6 module",
    memory_bytes = 180 * GiB, bandwidth = 8000e9, tdp_w = 1000,
    flops_by_type = {
      fp64 = 40e12, fp32 = 80e12, tf32 = 1100e12, fp16 = 2250e12, bf16 = 2250e12, fp8 = 4500e12,
      int8 = 4500e12, fp4 = 9000e12,
    },
    link = "PCIe 5.0 x16", peer_link = "NVLink 5", peer_bandwidth = 900e9,
    notes = {
      "memory: the architecture brief says up to 192 GB; the DGX B200 has 1,440 GB in 8 GPUs",
      "fp64, fp32: later pages give 37e12 and 75e12",
      "link: a GPU in a Grace Blackwell machine hangs on NVLink-C2C, not on PCIe",
    },
    price_per_hour_usd = { low = 4.50, high = 6.03, source = "b200_price" },
    sources = {
      memory_bytes = "dgx_b200_datasheet", bandwidth = "dgx_b200_datasheet",
      flops = "blackwell_brief", tdp_w = "blackwell_brief", link = "dgx_b200_datasheet",
      peer_bandwidth = "blackwell_brief",
    },
  },
  {
    name = "GB200", aliases = { "GB200 NVL72", "GB200 NVL4" },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB100", year = 2025,
    form_factor = "Grace Blackwell superchip, half of it",
    memory_bytes = 186 * GiB, bandwidth = 8000e9, tdp_w = 1200,
    flops_by_type = {
      fp64 = 40e12, fp32 = 80e12, tf32 = 1250e12, fp16 = 2500e12, bf16 = 2500e12, fp8 = 5000e12,
      int8 = 5000e12, fp4 = 10000e12,
    },
    link = "PCIe 5.0 x16", peer_link = "NVLink 5", peer_bandwidth = 900e9,
    notes = { "link: hangs on NVLink-C2C, not on PCIe; the entry is the slowest that is offered" },
    price_per_hour_usd = { low = 4.54, high = 4.54, source = "spheron" },
    sources = {
      memory_bytes = "gb200_page", bandwidth = "gb200_page", flops = "gb200_page",
      tdp_w = "gb200_page", link = "gb200_page", peer_bandwidth = "gb200_page",
    },
  },
  {
    name = "B300", aliases = { "B300 SXM", "HGX B300", "B300-270GB" },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB110", year = 2025,
    form_factor = "SXM6 module",
    memory_bytes = 270 * GiB, bandwidth = 8000e9, tdp_w = 1100,
    flops_by_type = {
      fp32 = 75e12, tf32 = 1100e12, fp16 = 2250e12, bf16 = 2250e12, fp8 = 4500e12, fp4 = 13500e12,
    },
    link = "PCIe 5.0 x16", peer_link = "NVLink 5", peer_bandwidth = 900e9,
    price_per_hour_usd = { low = 5.00, high = 7.25, source = "ornn" },
    sources = {
      memory_bytes = "hgx_b300_page", bandwidth = "hgx_b300_page", flops = "hgx_b300_page",
      tdp_w = "hgx_b300_page", link = "hgx_b300_page", peer_bandwidth = "hgx_b300_page",
    },
  },
  {
    name = "GB300", aliases = { "GB300 NVL72" },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB110", year = 2025,
    form_factor = "Grace Blackwell Ultra superchip, half of it",
    memory_bytes = 279 * GiB, bandwidth = 8000e9, tdp_w = 1400,
    flops_by_type = {
      fp32 = 80e12, tf32 = 1250e12, fp16 = 2500e12, bf16 = 2500e12, fp8 = 5000e12, fp4 = 15000e12,
    },
    link = "PCIe 5.0 x16", peer_link = "NVLink 5", peer_bandwidth = 900e9,
    notes = { "link: hangs on NVLink-C2C, not on PCIe; the entry is the slowest that is offered" },
    sources = {
      memory_bytes = "gb300_page", bandwidth = "gb300_page", flops = "gb300_page",
      tdp_w = "gb300_page", link = "gb300_page", peer_bandwidth = "gb300_page",
    },
  },
  {
    name = "RTX PRO 6000",
    aliases = {
      "RTX PRO 6000 Blackwell", "RTX PRO 6000 Blackwell Workstation Edition", "RTXPRO6000",
      "PRO 6000",
    },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB202", year = 2025,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 96 * GiB, bandwidth = 1792e9, tdp_w = 600,
    flops_by_type = { fp32 = 125e12, fp16 = 500e12, bf16 = 500e12, fp8 = 1000e12, fp4 = 2000e12 },
    link = "PCIe 5.0 x16",
    peer = "PCIe 5.0, 2 RTX PRO 6000 without peer access",
    notes = {
      "flops: the datasheet prints fp4 with sparsity, 4,000e12; dense is half of it, fp8 half of "
        .. "that, fp16 and bf16 half again",
    },
    sources = {
      memory_bytes = "rtxpro6000_datasheet", bandwidth = "rtxpro6000_datasheet",
      flops = "rtxpro6000_datasheet", tdp_w = "rtxpro6000_datasheet",
      link = "rtxpro6000_datasheet",
    },
  },
  {
    name = "RTX PRO 6000 Server",
    aliases = {
      "RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Server Edition", "RTXPRO6000S",
    },
    vendor = "NVIDIA", architecture = "Blackwell", chip = "GB202", year = 2025,
    form_factor = "PCIe card, dual slot, passive",
    memory_bytes = 96 * GiB, bandwidth = 1792e9, tdp_w = 600,
    flops_by_type = { fp32 = 120e12, fp16 = 480e12, bf16 = 480e12, fp8 = 960e12, fp4 = 1920e12 },
    link = "PCIe 5.0 x16",
    peer = "PCIe 5.0, 8 RTX PRO 6000 Server",
    notes = {
      "bandwidth: the page says 1,597 GB/s; kernels measured on the card read weights at 1,610 and "
        .. "caches at 1,670 GB/s, so what 28 Gbit/s over 512 bits give is taken",
      "flops: fp32 as printed, the others four, eight and sixteen times of it, as for the "
        .. "Workstation Edition on the same chip",
      "tdp_w: configurable from 400 to 600",
    },
    sources = {
      memory_bytes = "rtxpro6000s_page", bandwidth = "collectives_rtxpro6000s",
      flops = "rtxpro6000s_page", tdp_w = "rtxpro6000s_page", link = "rtxpro6000s_page",
    },
  },
}
