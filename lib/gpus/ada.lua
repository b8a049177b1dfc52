--- GPUs: NVIDIA Ada (2022, 2023). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

return {
  {
    name = "L4", aliases = { "L4-24GB" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD104", year = 2023,
    form_factor = "PCIe card, low profile, single slot",
    memory_bytes = 24 * GiB, bandwidth = 300e9, tdp_w = 72,
    flops_by_type = {
      fp32 = 30.3e12, tf32 = 60e12, fp16 = 121e12, bf16 = 121e12, fp8 = 242.5e12, int8 = 242.5e12,
    },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    notes = { "flops: printed with sparsity (120, 242, 485); halved here" },
    price_per_hour_usd = { low = 0.80, high = 0.80, source = "techbytes" },
    sources = {
      memory_bytes = "l4_datasheet", bandwidth = "l4_datasheet", flops = "l4_datasheet",
      tdp_w = "l4_datasheet", link = "l4_datasheet",
    },
  },
  {
    name = "L40", aliases = { "L40-48GB" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD102", year = 2022,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 48 * GiB, bandwidth = 864e9, tdp_w = 300,
    flops_by_type = {
      fp32 = 90.5e12, tf32 = 90.5e12, fp16 = 181.05e12, bf16 = 181.05e12, fp8 = 362e12,
      int8 = 362e12, int4 = 724e12,
    },
    mfu = { value = 0.32, measured_on = "L40S" },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    notes = { "flops: tables computed from clock and cores give twice the datasheet's rates, as "
      .. "for the L40S on the same chip; the datasheet is followed" },
    sources = {
      memory_bytes = "l40_datasheet", bandwidth = "l40_datasheet", flops = "l40_datasheet",
      tdp_w = "l40_datasheet", link = "l40_datasheet", mfu = "mfu",
    },
  },
  {
    name = "L40S", aliases = { "L40S-48GB" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD102", year = 2023,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 48 * GiB, bandwidth = 864e9, tdp_w = 350,
    flops_by_type = {
      fp32 = 91.6e12, tf32 = 183e12, fp16 = 362.05e12, bf16 = 362.05e12, fp8 = 733e12,
      int8 = 733e12,
    },
    mfu = { value = 0.32, measured_on = "L40S" },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    notes = {
      "fp8: twice the fp16 rate would be 724e12; the datasheet prints 733e12, sparse 1,466e12",
      "fp8: hardware_config.json of inference-sim holds 1,466e12, which is the sparse rate",
    },
    price_per_hour_usd = { low = 1.58, high = 1.58, source = "gpu_blog" },
    sources = {
      memory_bytes = "l40s_datasheet", bandwidth = "l40s_datasheet", flops = "l40s_datasheet",
      tdp_w = "l40s_datasheet", link = "l40s_datasheet", mfu = "mfu",
    },
  },
  {
    name = "RTX 4090", aliases = { "GeForce RTX 4090", "4090", "NVIDIA GeForce RTX 4090" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD102", year = 2022,
    form_factor = "PCIe card, triple slot",
    memory_bytes = 24 * GiB, bandwidth = 1008e9, tdp_w = 450,
    flops_by_type = {
      fp32 = 82.6e12, tf32 = 82.6e12, fp16 = 165.2e12, bf16 = 165.2e12, fp8 = 330.3e12,
      int8 = 660.6e12,
    },
    mfu = { value = 0.32, measured_on = "L40S" },
    link = "PCIe 4.0 x16",
    notes = {
      "fp16 and fp8 accumulate in fp32; with fp16 accumulation both rates double (330.3, 660.6)",
      "memory: vLLM found 25,250,627,584 bytes of the 24 GiB in the hands of programs",
      "to other GPUs: not measured; the driver has no peer access between GeForce cards",
    },
    sources = {
      memory_bytes = "ada_whitepaper", bandwidth = "ada_whitepaper", flops = "ada_whitepaper",
      tdp_w = "ada_whitepaper", link = "ada_whitepaper", mfu = "mfu",
    },
  },
  {
    name = "RTX 6000 Ada", aliases = { "RTX 6000 Ada Generation", "6000 Ada", "RTX6000Ada" },
    vendor = "NVIDIA", architecture = "Ada", chip = "AD102", year = 2022,
    form_factor = "PCIe card, dual slot",
    memory_bytes = 48 * GiB, bandwidth = 960e9, tdp_w = 300,
    flops_by_type = { fp32 = 91.1e12, fp16 = 364.25e12, bf16 = 364.25e12, fp8 = 728.5e12 },
    mfu = { value = 0.32, measured_on = "L40S" },
    link = "PCIe 4.0 x16",
    peer = "PCIe 4.0, 8 L40S",
    notes = { "flops: the datasheet prints fp8 with sparsity, 1,457e12; dense is half of it, fp16 "
      .. "and bf16 half of that" },
    sources = {
      memory_bytes = "rtx6000ada_datasheet", bandwidth = "rtx6000ada_datasheet",
      flops = "rtx6000ada_datasheet", tdp_w = "rtx6000ada_datasheet",
      link = "rtx6000ada_datasheet", mfu = "mfu",
    },
  },
}
