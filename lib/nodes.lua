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
}
