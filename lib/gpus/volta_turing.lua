--- GPUs: NVIDIA Volta and Turing (2017, 2018). Fields and rules: lib/gpus.lua.

local GiB = 1024 ^ 3

return {
  {
    name = "V100 PCIe", aliases = { "V100-PCIE-32GB", "Tesla V100 PCIe" },
    vendor = "NVIDIA", architecture = "Volta", chip = "GV100", year = 2018,
    form_factor = "PCIe card, dual slot", memory_bytes = 32 * GiB, bandwidth = 900e9, tdp_w = 250,
    flops_by_type = { fp64 = 7e12, fp32 = 14e12, fp16 = 112e12 },
    link = "PCIe 3.0 x16",
    sources = {
      memory_bytes = "v100_datasheet", bandwidth = "v100_datasheet", flops = "v100_datasheet",
      tdp_w = "v100_datasheet", link = "v100_datasheet",
    },
  },
  {
    name = "V100 SXM2", aliases = { "V100", "V100 SXM", "V100-SXM2-32GB", "Tesla V100" },
    vendor = "NVIDIA", architecture = "Volta", chip = "GV100", year = 2018,
    form_factor = "SXM2 module", memory_bytes = 32 * GiB, bandwidth = 900e9, tdp_w = 300,
    flops_by_type = { fp64 = 7.8e12, fp32 = 15.7e12, fp16 = 125e12 },
    link = "PCIe 3.0 x16", peer_link = "NVLink", peer_bandwidth = 150e9,
    notes = { "bandwidth: the memory clock of 876 MHz over 4,096 bits gives 897e9" },
    sources = {
      memory_bytes = "v100_datasheet", bandwidth = "v100_datasheet", flops = "v100_datasheet",
      tdp_w = "v100_datasheet", link = "v100_datasheet", peer_bandwidth = "v100_datasheet",
    },
  },
  {
    name = "T4", aliases = { "Tesla T4" },
    vendor = "NVIDIA", architecture = "Turing", chip = "TU104", year = 2018,
    form_factor = "PCIe card, low profile, single slot",
    memory_bytes = 16 * GiB, bandwidth = 320e9, tdp_w = 70,
    flops_by_type = { fp32 = 8.1e12, fp16 = 65e12, int8 = 130e12, int4 = 260e12 },
    link = "PCIe 3.0 x16",
    sources = {
      memory_bytes = "t4_datasheet", bandwidth = "t4_datasheet", flops = "t4_datasheet",
      tdp_w = "t4_datasheet", link = "t4_datasheet",
    },
  },
}
