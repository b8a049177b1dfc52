--- Accelerators: Google TPU (2023 to 2025), a chip each. Fields and rules: lib/gpus.lua.
-- Google publishes neither power limits nor host links: they are left out.

local GiB = 1024 ^ 3

local function sources(page)
  return { memory_bytes = page, bandwidth = page, flops = page, peer_bandwidth = page }
end

return {
  {
    name = "TPU v5e", aliases = { "v5e", "TPUv5e", "TPU v5 lite" },
    vendor = "Google", architecture = "TPU v5e", chip = "v5e", year = 2023,
    form_factor = "chip of a pod of 256",
    memory_bytes = 16 * GiB, bandwidth = 819e9,
    flops_by_type = { bf16 = 197e12, int8 = 393e12 },
    peer_link = "ICI", peer_bandwidth = 200e9,
    notes = {
      "to other GPUs: 1,600 Gbit/s over four ports of a 2D torus; farther chips share them",
      "bandwidth: the page of the v6e rounds it to 800 GB/s",
    },
    price_per_hour_usd = { low = 1.20, high = 1.20, source = "tpu_price" },
    sources = sources "tpu_v5e_page",
  },
  {
    name = "TPU v6e", aliases = { "v6e", "TPUv6e", "Trillium" },
    vendor = "Google", architecture = "TPU v6e", chip = "Trillium", year = 2024,
    form_factor = "chip of a pod of 256",
    memory_bytes = 32 * GiB, bandwidth = 1638e9,
    flops_by_type = { bf16 = 918e12, fp8 = 918e12, int8 = 1836e12 },
    peer_link = "ICI", peer_bandwidth = 400e9,
    notes = {
      "to other GPUs: 3,200 Gbit/s over four ports of a 2D torus; farther chips share them",
      "fp8: at the rate of bf16; bandwidth: the page of the v6e rounds it to 1,600 GB/s",
    },
    price_per_hour_usd = { low = 2.70, high = 2.70, source = "tpu_price" },
    sources = sources "tpu7x_page",
  },
  {
    name = "TPU7x", aliases = { "Ironwood", "TPU v7", "TPU v7x", "TPU Ironwood" },
    vendor = "Google", architecture = "TPU v7", chip = "Ironwood", year = 2025,
    form_factor = "chip of a pod of 9,216",
    memory_bytes = 192 * GiB, bandwidth = 7380e9,
    flops_by_type = { bf16 = 2307e12, fp8 = 4614e12 },
    peer_link = "ICI", peer_bandwidth = 600e9,
    notes = {
      "to other GPUs: 1,200 GB/s both ways over the ports of a 3D torus; farther chips share them",
      "software sees its two halves as two devices; here they are one",
    },
    sources = sources "tpu7x_page",
  },
}
