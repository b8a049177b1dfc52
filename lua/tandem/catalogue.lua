--- The shipped catalogue: GPUs, machines, links, language models, arrival shapes and pipelines by
-- name.
-- Owns looking up (case, spaces and punctuation do not matter), what is derived from the data, and
-- handing out copies, so that nobody changes the catalogue for somebody else. The data itself is
-- in lib/. Called by resources (td.gpu), by `tandem list` and by scenarios.

local nearest = require "tandem.text.nearest"
local sources = require "lib.sources"

local catalogue = {}

---@class tandem.Gpu
---@field name string
---@field aliases string[]
---@field vendor string
---@field architecture string
---@field chip string
---@field year integer
---@field form_factor string
---@field memory_bytes number
---@field bandwidth number          memory, bytes/s
---@field flops number              dense bf16 FLOP/s, or fp16 where there is no bf16
---@field flops_by_type table<string, number>  the same values also stand as flops_fp16, …
---@field h2d? number               usable bytes/s from the host
---@field d2h? number               usable bytes/s to the host
---@field tdp_w? number
---@field link? string              host link, a name of catalogue.link
---@field peer_link? string
---@field peer? string              a name of lib/peers.lua: what it gets without a peer_link
---@field peer_measured_on? string  on which card
---@field peer_bandwidth? number    to another GPU, one direction, bytes/s: raw over a peer_link,
---                                 over the host's links what collectives of two get
---@field peer_share? number        1: peer_bandwidth is what collectives get
---@field peer_latency? number      seconds of an exchange between two, over the host's links
---@field all_reduces? number[]     measured, flat: GPUs, bytes, seconds
---@field node? integer             GPUs that see each other at peer_bandwidth
---@field mfu? { value: number, measured_on: string }  share of the peak that long prompts reach
---@field ms_per_token? number      time of one prompt token, see catalogue.token_model
---@field time_per_token? number    the same in seconds
---@field price_per_hour_usd? { low: number, high: number, source: tandem.Source }
---@field price? number             the middle of that range in dollars per second
---@field notes? string[]
---@field sources table<string, tandem.Source>

--- What ms_per_token means. A GPU has it where `mfu` was measured on its chip family.
catalogue.token_model = {
  parameters = 8.03e9,
  how = "one token of a long prompt through Llama 3.1 8B in bf16: 2 FLOPs a parameter, over the "
    .. "dense bf16 peak times the MFU measured on the same chip family",
  sources = { sources.llama31_8b, sources.mfu },
}

--- What is left of a name when only its letters and digits count, vendor and brand dropped.
local function key_of(name)
  local key = name:lower():gsub("[^%w]", "")
  for _, brand in ipairs { "nvidia", "amd", "geforce", "tesla", "instinct" } do
    if #key > #brand and key:sub(1, #brand) == brand then key = key:sub(#brand + 1) end
  end
  return key
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for k, v in pairs(value) do result[k] = copy(v) end
  return result
end

--- Citation keys of an entry become the citations.
local function cite(keys, owner)
  local result = {}
  for field, key in pairs(keys or {}) do
    result[field] = sources[key] or error(("%s: unknown source '%s'"):format(owner, key))
  end
  return result
end

---@class tandem.CatalogueIndex
---@field by_key table<string, table>  name and aliases → entry
---@field keys string[]
---@field names string[]  sorted
---@field list table[]    by name
---@field entry fun(raw: table): table  what is derived added, made when first asked for

--- An index over entries. A name taken twice is a mistake in lib/.
---@param entries table[]
---@param complete fun(raw: table): table
---@return tandem.CatalogueIndex
local function index(entries, complete)
  local by_key, keys, names, finished = {}, {}, {}, {}
  for _, entry in ipairs(entries) do
    names[#names + 1] = entry.name
    local function add(name)
      local key = key_of(name)
      if by_key[key] == entry then return end
      if by_key[key] then
        error(("catalogue: '%s' names both %s and %s"):format(name, by_key[key].name, entry.name))
      end
      by_key[key] = entry
      keys[#keys + 1] = key
    end
    add(entry.name)
    for _, alias in ipairs(entry.aliases or {}) do add(alias) end
  end
  table.sort(names)
  local list = table.move(entries, 1, #entries, 1, {})
  table.sort(list, function(a, b) return a.name < b.name end)
  local function entry(raw)
    finished[raw] = finished[raw] or complete(raw)
    return finished[raw]
  end
  return { by_key = by_key, keys = keys, names = names, list = list, entry = entry }
end

--- Each part of lib/ is read when it is first asked for: most runs name a GPU and nothing else.
---@param make fun(): tandem.CatalogueIndex
---@return fun(): tandem.CatalogueIndex
local function once(make)
  local made
  return function()
    made = made or make()
    return made
  end
end

--- The entry of that name, or nil and the nearest name there is.
---@param idx tandem.CatalogueIndex
local function find(idx, name)
  if type(name) ~= "string" then return nil end
  local key = key_of(name)
  local raw = idx.by_key[key]
  if raw then return copy(idx.entry(raw)) end
  local near = nearest.word(key, idx.keys)
  return nil, near and idx.by_key[near].name or nil
end

--- Every entry, by name.
---@param idx tandem.CatalogueIndex
local function all(idx)
  local list = {}
  for i, raw in ipairs(idx.list) do list[i] = copy(idx.entry(raw)) end
  return list
end

--- An entry to which only its citations are added.
local function cited(raw)
  local entry = copy(raw)
  entry.sources = cite(raw.sources, raw.name)
  return entry
end

local links = once(function() return index(require "lib.links", cited) end)

-- By card, the first machine that has it.
local machines
local function machine_of(card)
  if not machines then
    machines = {}
    for _, node in ipairs(require "lib.nodes") do
      machines[node.gpu] = machines[node.gpu] or node
    end
  end
  return machines[card]
end

-- What GPUs get from each other over the host's links, as measured: all numbers of its entry in
-- lib/peers.lua.
local function measured_peer(gpu)
  local peer = require "lib.peers"[gpu.peer]
    or error(("%s: unknown peer '%s'"):format(gpu.name, gpu.peer))
  gpu.peer_bandwidth, gpu.peer_latency, gpu.peer_share = peer.bandwidth, peer.latency_s, 1
  gpu.peer_measured_on = peer.measured_on
  gpu.notes = gpu.notes or {}
  table.insert(gpu.notes, ("to other GPUs: between two over the host's links, measured on %s%s; "
    .. "another host says its own (peer_bandwidth, peer_latency)"):format(peer.measured_on,
    peer.all_reduces and ", as are larger groups" or ""))
  gpu.sources.peer_bandwidth = sources[peer.source]
  gpu.sources.peer_latency = sources[peer.source]
  for _, count in ipairs { 2, 4, 8 } do
    local points = peer.all_reduces and peer.all_reduces[count] or {}
    gpu.all_reduces = gpu.all_reduces or peer.all_reduces and {}
    for i = 1, #points, 2 do
      table.move({ count, points[i], points[i + 1] * 1e-6 }, 1, 3, #gpu.all_reduces + 1,
        gpu.all_reduces)
    end
  end
end

--- Adds to a card what follows from its data.
local function complete(card)
  local gpu = cited(card)
  for kind, rate in pairs(gpu.flops_by_type) do gpu["flops_" .. kind] = rate end
  gpu.flops = gpu.flops_by_type.bf16 or gpu.flops_by_type.fp16
  local link = gpu.link and (find(links(), gpu.link)
    or error(("%s: unknown link '%s'"):format(gpu.name, gpu.link)))
  if link then
    gpu.h2d, gpu.d2h = link.bandwidth, link.bandwidth
    gpu.sources.h2d, gpu.sources.d2h = link.sources.bandwidth, link.sources.bandwidth
  end
  if gpu.peer then measured_peer(gpu) end
  if gpu.mfu then
    gpu.time_per_token = 2 * catalogue.token_model.parameters / (gpu.mfu.value * gpu.flops)
    gpu.ms_per_token = gpu.time_per_token * 1e3
    gpu.sources.ms_per_token = sources.mfu
  end
  local together = machine_of(gpu.name)
  if together and not gpu.node then
    gpu.node, gpu.sources.node = together.gpus, sources[together.sources.gpus]
  end
  local price = gpu.price_per_hour_usd
  if price then
    price.source = sources[price.source]
      or error(("%s: unknown source '%s'"):format(gpu.name, price.source))
    gpu.price = (price.low + price.high) / 2 / 3600
  end
  return gpu
end

local gpus = once(function() return index(require "lib.gpus", complete) end)

--- Names of what a machine is made of must be known.
local function machine(raw)
  local node = cited(raw)
  assert(find(gpus(), node.gpu), node.name .. ": unknown GPU " .. node.gpu)
  assert(not node.nic or find(links(), node.nic), node.name .. ": unknown link")
  return node
end

local nodes = once(function() return index(require "lib.nodes", machine) end)
local arrivals = once(function() return index(require "lib.arrivals", cited) end)
local presets = once(function() return index(require "lib.presets", copy) end)

--- A GPU by name or alias ("H100 SXM", "h100-sxm", "a100"): a copy, or nil and the nearest name.
---@param name string
---@return tandem.Gpu|nil
---@return string|nil nearest
function catalogue.gpu(name) return find(gpus(), name) end

--- A GPU by name or alias, for names that nobody typed: what is near costs a search, and is not
--- told.
---@param name string
---@return tandem.Gpu|nil
function catalogue.known_gpu(name)
  local idx = gpus()
  local raw = idx.by_key[key_of(name)]
  return raw and copy(idx.entry(raw)) or nil
end

--- Every GPU, sorted by name.
---@return tandem.Gpu[]
function catalogue.gpus() return all(gpus()) end

--- Their names, sorted.
---@return string[]
function catalogue.gpu_names() return copy(gpus().names) end

--- A link by name or alias ("PCIe 5.0 x16", "nvlink4", "ndr"): a copy, or nil and the nearest name.
---@param name string
---@return tandem.Link|nil
---@return string|nil nearest
function catalogue.link(name) return find(links(), name) end

--- Every link, sorted by name.
---@return tandem.Link[]
function catalogue.links() return all(links()) end

--- A machine by name or alias ("DGX H100", "hgx h100", "GB200 NVL72"): a copy, or nil and the
--- nearest name.
---@param name string
---@return tandem.Node|nil
---@return string|nil nearest
function catalogue.node(name) return find(nodes(), name) end

--- Every machine, sorted by name.
---@return tandem.Node[]
function catalogue.nodes() return all(nodes()) end

--- Every arrival shape, sorted by name.
---@return tandem.ArrivalShape[]
function catalogue.arrivals() return all(arrivals()) end

--- The body of a td.curve that follows a shape:
--- td.curve(catalogue.curve("office-day", { rps = 5 })).
---@param name string
---@param options { rps: number, length: number|nil } mean rate; seconds the shape takes
---@return { points: number[][], period: number|nil }|nil
---@return string|nil nearest
function catalogue.curve(name, options)
  local shape, near = find(arrivals(), name)
  if not shape then return nil, near end
  local length = options.length or shape.period_s
  local points = {}
  for i = 1, #shape.points, 2 do
    points[#points + 1] = { shape.points[i] * length, shape.points[i + 1] * options.rps }
  end
  return { points = points, period = shape.periodic and length or nil }
end

--- Every pipeline, sorted by name.
---@return tandem.Preset[]
function catalogue.presets() return all(presets()) end

return catalogue
