--- What collectives send, and how fast: algorithm and bus bandwidth as nccl-tests defines them.
--
-- Owns sizes (the buffer that nccl-tests calls S: the larger of what a rank puts in and gets out)
-- and factors. What ran is counted by src/analysis/summary/collectives.c. Called by roofline.lua.
local attempt = require("tandem.text.shortage").attempt
local card = require "tandem.analysis.card"
local cjson = require "cjson"

local collective_work = {}

-- Bytes of an element, by PyTorch's names of types in any case.
local SIZES <const> = { float = 4, double = 8, half = 2, bfloat16 = 2, byte = 1, char = 1,
  short = 2, int = 4, long = 8, bool = 1, float8_e4m3fn = 1, float8_e5m2 = 1, float8_e4m3fnuz = 1,
  float8_e5m2fnuz = 1, complexfloat = 8, complexdouble = 16 }

local function ring(n) return (n - 1) / n end
local function whole() return 1 end

-- Which collective a name means, in order: a name holds the first words that are in it. `all`: NCCL
-- tells a rank's part of its buffer, so that the whole is as many times larger.
local KINDS <const> = {
  { word = "allreduce", factor = function(n) return 2 * (n - 1) / n end },
  { word = "reducescatter", factor = ring, all = true },
  { word = "allgather", factor = ring, all = true },
  { word = "alltoall", factor = ring, all = true },
  { word = "broadcast", factor = whole },
  { word = "reduce", factor = whole },
  { word = "gather", factor = ring, all = true },
  { word = "scatter", factor = ring, all = true },
  { word = "sendrecv", factor = whole }, { word = "send", factor = whole },
  { word = "recv", factor = whole },
}

local function kind_of(name)
  local plain = name:lower():gsub("[^%a]", "")
  for _, kind in ipairs(KINDS) do
    if plain:find(kind.word, 1, true) then return kind end
  end
end

-- Bytes and members of the group by the payload of NCCL's ranges.
local function of_payload(row, kind)
  local ok, told = attempt(cjson.decode, row.payload)
  if not ok or type(told) ~= "table" then return nil end
  local bytes, ranks = tonumber(told["Message size [bytes]"]), tonumber(told["No. of ranks"])
  if bytes and kind.all then bytes = ranks and bytes * ranks or nil end
  return bytes, ranks
end

local function of_elements(row)
  local size = row.type and SIZES[row.type:lower():gsub("^c10::", "")]
  local elements = math.max(row.sent or 0, row.received or 0)
  return size and elements > 0 and elements * size or nil, row.group
end

local function measure(row, found)
  local kind = kind_of(row.name or row.kernel)
  if not kind then return nil end
  local bytes, ranks
  if row.payload then bytes, ranks = of_payload(row, kind) else bytes, ranks = of_elements(row) end
  if not bytes or ranks == 1 then return nil end
  return { collective = kind.word, bytes = bytes, ranks = ranks, count = row.count,
    gpu_ns = row.gpu_ns, shortest_ns = row.shortest_ns, card = found,
    factor = ranks and kind.factor(ranks) or (kind.factor == whole and 1 or nil) }
end

local function finish(row)
  local function rate(ns) return ns > 0 and row.bytes / (ns / 1e9) or nil end
  local mean, best = rate(row.gpu_ns / row.count), rate(row.shortest_ns)
  row.algbw = mean
  row.busbw = row.factor and mean and mean * row.factor
  row.best_busbw = row.factor and best and best * row.factor
  local link = row.card and row.card.peer_bandwidth
  row.of_link = row.best_busbw and link and row.best_busbw / link or nil
  row.card = nil
end

--- Collectives by kind, size and group, over the GPUs of a card: those that take longest first; how
--- many of all calls tell their sizes.
---@param view tandem.View
---@return table[]|nil rows
---@return integer|string told    of calls; else why there are none
---@return integer calls  of collectives; else the exit code
function collective_work.rows(view)
  local raw, message, code = view:count("collective-sizes", {})
  if not raw then return nil, message, code end
  local sums, rows, told, calls, cards = {}, {}, 0, 0, {}
  for _, row in ipairs(raw.frames[1].rows) do
    local device = row.device or ""
    if cards[device] == nil then cards[device] = card.of(view.run, device) or false end
    local made = measure(row, cards[device] or nil)
    calls = calls + row.count
    if made then
      told = told + made.count
      local key = ("%s %.17g %s %s"):format(made.collective, made.bytes, made.ranks or "",
        made.card and made.card.name or "")
      local sum = sums[key]
      if not sum then
        sums[key], rows[#rows + 1] = made, made
      else
        sum.count, sum.gpu_ns = sum.count + made.count, sum.gpu_ns + made.gpu_ns
        sum.shortest_ns = math.min(sum.shortest_ns, made.shortest_ns)
      end
    end
  end
  for _, row in ipairs(rows) do finish(row) end
  table.sort(rows, function(a, b)
    if a.gpu_ns ~= b.gpu_ns then return a.gpu_ns > b.gpu_ns end
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a.collective < b.collective
  end)
  return rows, told, calls
end

return collective_work
