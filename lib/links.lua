--- Links between host, GPUs and machines, each per direction: `raw` is what the wire carries after
-- line coding, `bandwidth` what a large copy gets, `latency_s` what a small one waits. Owns these
-- constants and how each was derived; a field without a source is left out. Read by
-- tandem.catalogue, which gives a GPU its h2d and d2h from the link it hangs on.
--
-- raw, PCIe     lanes x GT/s x 128/130 / 8
-- raw, NVLink   links a GPU x 25 or 50 GB/s a link and direction
-- raw, network  bits/s / 8
-- bandwidth     measured where somebody published a measurement, else raw less the framing that the
--               specification asks for; `how` says which. Bandwidths are of one direction alone.

---@class tandem.Link
---@field name string
---@field aliases string[]
---@field kind "pcie"|"nvlink"|"infiniband"|"ethernet"
---@field raw number         bytes/s, one direction
---@field bandwidth number   bytes/s, one direction, usable by a large copy
---@field how string         how bandwidth was derived
---@field latency_s? number  seconds a small copy takes
---@field sources table<string, string|tandem.Source>

---@param generation integer
---@param gt number          giga-transfers per second and lane
---@param measured number    bytes/s of a large copy over 16 lanes
---@param source string
---@param latency_s number|nil
local function pcie(generation, gt, measured, source, latency_s)
  local raw16 = 16 * gt * 1e9 * 128 / 130 / 8
  local function lanes(count)
    local how = count == 16
      and "measured from page-locked host memory to the GPU; the way back is taken as equal"
      or "the same share of raw as measured on 16 lanes"
    local short = ("PCIe%d"):format(generation)
    local long = ("PCIe Gen%d"):format(generation)
    return {
      name = ("PCIe %d.0 x%d"):format(generation, count),
      aliases = count == 16 and { short, short .. " x16", long, long .. " x16" }
        or { short .. " x8", long .. " x8" },
      kind = "pcie", raw = raw16 * count / 16, bandwidth = measured * count / 16, how = how,
      latency_s = latency_s,
      sources = { raw = "pcie_base", bandwidth = source, latency_s = latency_s and "nsys_h100" },
    }
  end
  return lanes(16), lanes(8)
end

---@param payload number  bytes of payload a packet
---@param header number   bytes of headers, trailers and gaps a packet
local function framed(payload, header) return payload / (payload + header) end

-- NCCL send_recv of 64 MiB between two GPUs of one DGX: 67,108,864 bytes in a median of 0.294 ms
-- (A100) and 0.193 ms (H100); of 2 KiB: 8 us and 5 us.
local NVLINK3, NVLINK4 = 67108864 / 0.294e-3, 67108864 / 0.193e-3

-- A 4,096-byte InfiniBand packet carries LRH 8, BTH 12, ICRC 4 and VCRC 2 bytes. A 9,000-byte
-- Ethernet frame carries preamble 8, header 14, FCS 4, gap 12, and IPv4 20 + TCP 32 inside.
local INFINIBAND, ETHERNET = framed(4096, 26), framed(9000 - 52, 38 + 52)

local function infiniband(name, aliases, gbit, latency_s)
  return {
    name = name, aliases = aliases, kind = "infiniband",
    raw = gbit * 1e9 / 8, bandwidth = gbit * 1e9 / 8 * INFINIBAND,
    how = "framing of 4,096-byte packets", latency_s = latency_s,
    sources = { raw = "ibta", bandwidth = "ibta", latency_s = latency_s and "vidur_h100" },
  }
end

local function ethernet(gbit)
  return {
    name = ("Ethernet %dG"):format(gbit),
    aliases = { ("%dGbE"):format(gbit), ("%dG"):format(gbit), ("%dGE"):format(gbit) },
    kind = "ethernet",
    raw = gbit * 1e9 / 8, bandwidth = gbit * 1e9 / 8 * ETHERNET,
    how = "framing of TCP over 9,000-byte frames",
    sources = { raw = "ieee_802_3", bandwidth = "ieee_802_3" },
  }
end

local pcie3, pcie3x8 = pcie(3, 8, 12.36e9, "nvbandwidth_readme")
local pcie4, pcie4x8 = pcie(4, 16, 24.81e9, "nvbandwidth_a100")
-- 0.84 us: mean time on the copy engine of the four host-to-device copies under 4 KiB in a capture
-- of two H100; the launch on the host is not in it.
local pcie5, pcie5x8 = pcie(5, 32, 55.63e9, "nvbandwidth_blog", 0.84e-6)

---@type tandem.Link[]
return {
  pcie3, pcie3x8, pcie4, pcie4x8, pcie5, pcie5x8,
  {
    name = "NVLink 3", aliases = { "NVLink3", "NVLink Gen3" }, kind = "nvlink",
    raw = 12 * 25e9, bandwidth = NVLINK3, latency_s = 8e-6,
    how = "measured: NCCL send_recv, 64 MiB; latency of 2 KiB with NCCL in it",
    sources = { raw = "a100_datasheet", bandwidth = "vidur_a100", latency_s = "vidur_a100" },
  },
  {
    name = "NVLink 4", aliases = { "NVLink4", "NVLink Gen4" }, kind = "nvlink",
    raw = 18 * 25e9, bandwidth = NVLINK4, latency_s = 5e-6,
    how = "measured: NCCL send_recv, 64 MiB; latency of 2 KiB with NCCL in it",
    sources = { raw = "hopper_whitepaper", bandwidth = "vidur_h100", latency_s = "vidur_h100" },
  },
  {
    name = "NVLink 5", aliases = { "NVLink5", "NVLink Gen5" }, kind = "nvlink",
    raw = 18 * 50e9, bandwidth = 18 * 50e9 * NVLINK4 / (18 * 25e9),
    how = "the same share of raw as measured on NVLink 4",
    sources = { raw = "blackwell_brief", bandwidth = "vidur_h100" },
  },
  {
    name = "NVLink-C2C", aliases = { "C2C", "NVLink C2C" }, kind = "nvlink",
    raw = 450e9, bandwidth = 375e9,
    how = "measured from the Grace's memory to the Hopper of a GH200; the way back has 297 GB/s",
    sources = { raw = "gh200_datasheet", bandwidth = "gh200_measured" },
  },
  infiniband("InfiniBand HDR", { "HDR", "HDR200", "IB HDR" }, 200),
  -- 17 us: NCCL send_recv of 2 KiB between GPUs of two DGX H100; NCCL is in it.
  infiniband("InfiniBand NDR", { "NDR", "NDR400", "IB NDR" }, 400, 17e-6),
  ethernet(100), ethernet(200), ethernet(400),
}
