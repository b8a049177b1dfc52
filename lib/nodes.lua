--- Machines that hold several GPUs: how many, how they are joined inside, what leads outside. Owns
-- these numbers; the cards are in lib/gpus, the links in lib/links.lua. Read by tandem.catalogue.
--
-- An entry holds
--   name, aliases   as everywhere in the catalogue
--   gpu             its card, by its name in lib/gpus
--   gpus            how many see each other at peer_bandwidth: in a GB200 rack 72, of 18 trays
--   peer_link, peer_bandwidth   between any two of them, raw, one direction and GPU, bytes/s
--   switched        true: any pair has all of it; false: it is divided among the others
--   nics, nic, nic_bandwidth    network adapters for the GPUs, by the name of their link in
--                   lib/links.lua, raw, one direction and adapter, bytes/s
--   power_w         of the whole machine, at most
--   notes, sources  as lib/gpus
-- What has no source is left out.

---@class tandem.Node
---@field name string
---@field aliases string[]
---@field gpu string
---@field gpus integer
---@field peer_link string
---@field peer_bandwidth number
---@field switched boolean
---@field nics? integer
---@field nic? string
---@field nic_bandwidth? number
---@field power_w? number
---@field notes? string[]
---@field sources table<string, tandem.Source>

local function dgx(generation, gpu, link, bandwidth, rest)
  local source = ("dgx_%s_datasheet"):format(generation:lower())
  local node = { name = "DGX " .. generation, aliases = { "HGX " .. generation }, gpu = gpu,
    gpus = 8, peer_link = link, peer_bandwidth = bandwidth, switched = true, nics = 8,
    sources = { gpus = source, peer_bandwidth = source, nics = source, nic_bandwidth = source,
      power_w = source } }
  for key, value in pairs(rest) do node[key] = value end
  return node
end

--- Eight, each with a link to each of the others.
local function mesh(name, gpu, link, bandwidth, source, how)
  return { name = name, aliases = { name .. " x8" }, gpu = gpu, gpus = 8, peer_link = link,
    peer_bandwidth = bandwidth, switched = false, notes = { how },
    sources = { gpus = source, peer_bandwidth = source } }
end

local function pod(name, gpu, chips, bandwidth, source, how)
  return { name = name, aliases = {}, gpu = gpu, gpus = chips, peer_link = "ICI",
    peer_bandwidth = bandwidth, switched = false, notes = { how },
    sources = { gpus = source, peer_bandwidth = source } }
end

---@type tandem.Node[]
return {
  dgx("A100", "A100 80GB SXM", "NVLink 3", 300e9, { nic = "InfiniBand HDR", nic_bandwidth = 25e9,
    power_w = 6500 }),
  dgx("H100", "H100 SXM", "NVLink 4", 450e9, { nic = "InfiniBand NDR", nic_bandwidth = 50e9,
    power_w = 10200 }),
  dgx("H200", "H200 SXM", "NVLink 4", 450e9, { nic = "InfiniBand NDR", nic_bandwidth = 50e9,
    power_w = 10200 }),
  dgx("B200", "B200", "NVLink 5", 900e9, { nic = "InfiniBand NDR", nic_bandwidth = 50e9,
    power_w = 14300 }),
  {
    name = "GB200 NVL72", aliases = { "NVL72" }, gpu = "GB200", gpus = 72,
    peer_link = "NVLink 5", peer_bandwidth = 900e9, switched = true,
    notes = { "one NVLink domain of 18 trays with 4 GPUs each" },
    sources = { gpus = "gb200_page", peer_bandwidth = "gb200_page" },
  },
  {
    name = "MI300X platform", aliases = { "MI300X x8", "8x MI300X" }, gpu = "MI300X", gpus = 8,
    peer_link = "Infinity Fabric", peer_bandwidth = 448e9, switched = false,
    notes = { "seven links of 64 GB/s and direction, one to each of the others" },
    sources = { gpus = "mi300x_platform", peer_bandwidth = "mi300x_platform" },
  },
  {
    name = "GB300 NVL72", aliases = {}, gpu = "GB300", gpus = 72,
    peer_link = "NVLink 5", peer_bandwidth = 900e9, switched = true,
    notes = { "one NVLink domain of 18 trays with 4 GPUs each" },
    sources = { gpus = "gb300_page", peer_bandwidth = "gb300_page" },
  },
  {
    name = "HGX B300", aliases = { "DGX B300" }, gpu = "B300", gpus = 8,
    peer_link = "NVLink 5", peer_bandwidth = 900e9, switched = true,
    sources = { gpus = "hgx_b300_page", peer_bandwidth = "hgx_b300_page" },
  },
  mesh("MI325X platform", "MI325X", "Infinity Fabric", 448e9, "mi325x_datasheet",
    "seven links of 64 GB/s and direction, one to each of the others"),
  mesh("MI355X platform", "MI355X", "Infinity Fabric", 537.6e9, "mi355x_datasheet",
    "seven links of 76.8 GB/s and direction, one to each of the others"),
  mesh("HLS-Gaudi 2", "Gaudi 2", "RoCE", 262.5e9, "gaudi3_paper",
    "three ports of 100 Gbit/s to each of the others"),
  mesh("Gaudi 3 UBB", "Gaudi 3", "RoCE", 525e9, "gaudi3_paper",
    "three ports of 200 Gbit/s to each of the others"),
  pod("TPU v5e pod", "TPU v5e", 256, 200e9, "tpu_v5e_page", "a 2D torus"),
  pod("TPU v6e pod", "TPU v6e", 256, 400e9, "tpu7x_page", "a 2D torus"),
  pod("TPU7x pod", "TPU7x", 9216, 600e9, "tpu7x_page", "a 3D torus"),
}
