-- What kernels reach, from tables of measured operators
-- (operators/GPU/OPERATOR.ENGINE-VERSION.csv.gz of the folder of measurements): for each GPU and
-- engine the shares of peak and bandwidth, the sizes at which they are half reached, and starts of
-- exchanges, in the forms that the roofline has.
--
--   products   both(2·n·k·(m + half·m/(m + 128)) / (F·share), n·k·bytes / (B·reads)) + floor
--   experts    the same with tokens an expert for m (16 for 128) and (1 + width½/width) on the work
--   attention  prompts: work / (F·share) + floor; decoding: bytes / (B·reads) + floor
--   all-reduce start + hop·log2 n + 2·(n − 1)/n·bytes / (link·share)
--
-- Where several kernels have one size the fastest counts, as engines choose. Least |ln| by
-- tandem.llm.fit's search. Owns these forms; what becomes of the numbers is run.lua's.

local catalogue = require "tandem.catalogue"
local fit = require "tandem.llm.fit"
local precision = require "tandem.llm.precision"

local operators = {}

local MOST <const> = 700 -- rows of a fit

operators.gpus = { a100_sxm = "A100 80GB SXM", b200_sxm = "B200", b300_sxm = "B300",
  gb200 = "GB200", gb300 = "GB300", h100_sxm = "H100 SXM", h200_sxm = "H200 SXM", l40s = "L40S",
  rtx_pro_6000_server = "RTX PRO 6000 Server" }

-- ---- files

local function split(line)
  local fields = {}
  for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
  return fields
end

-- Rows by name of the column; those that `wanted` refuses are not kept.
local function read(path, wanted)
  local pipe = assert(io.popen(("gzip -dc '%s'"):format(path)))
  local same = require("cjson").decode((pipe:read("l"):gsub("^# ", "")))
  local names, list = split(pipe:read "l"), {}
  for line in pipe:lines() do
    local row = setmetatable({}, { __index = same })
    for i, value in ipairs(split(line)) do row[names[i]] = tonumber(value) or value end
    row.s = row.latency / 1e3
    if wanted(row) then list[#list + 1] = row end
  end
  pipe:close()
  return list
end

-- The fastest of each size, thinned evenly to what a fit needs.
local function chosen(list, key_of)
  local best, order = {}, {}
  for _, row in ipairs(list) do
    local key = key_of(row)
    if not best[key] then order[#order + 1] = key end
    if not best[key] or row.s < best[key].s then best[key] = row end
  end
  table.sort(order)
  local some, step = {}, math.max(1, #order / MOST)
  for i = 1, math.min(MOST, #order) do some[i] = best[order[math.floor((i - 1) * step) + 1]] end
  return some
end

-- Parameters of one form: name = { start, least, most }.
local function fitted(rows, form, parameters)
  local start, bounds, names = {}, {}, {}
  for name, p in pairs(parameters) do
    start[name], bounds[name], names[#names + 1] = p[1], { p[2], p[3] }, name
  end
  table.sort(names)
  local function loss(values)
    local found = {}
    for i, row in ipairs(rows) do found[i] = { form(row, values), row.s } end
    return fit.loss(found)
  end
  local values, error = fit.search(start, loss, { names = names, bounds = bounds, rounds = 30 })
  values.rows, values.error = #rows, error
  return values
end

local function both(a, b) return math.sqrt(a * a + b * b) end

-- ---- kinds

local bits = { bfloat16 = "16", fp8 = "8", fp8_block = "8", nvfp4 = "4" }
local stored = { ["16"] = { "bf16", 2 }, ["8"] = { "fp8", 1 }, ["4"] = { "nvfp4", 0.5625 } }

local FLOOR_MOST <const> = 60e-6 -- a table whose least product takes longer was launched eagerly

function operators.products(path, gpu)
  local found, by_type = {}, {}
  for _, row in ipairs(read(path, function(r)
    return bits[r.gemm_dtype] and r.m <= 16384 and r.n >= 1024 and r.k >= 1024 and r.n <= 32768
      and r.k <= 32768
  end)) do
    by_type[row.gemm_dtype] = by_type[row.gemm_dtype] or {}
    table.insert(by_type[row.gemm_dtype], row)
  end
  for kind, list in pairs(by_type) do
    local width = bits[kind]
    local F, bytes = precision.flops(gpu, stored[width][1]), stored[width][2]
    local least = math.huge
    for _, row in ipairs(list) do least = math.min(least, row.s) end
    if least < FLOOR_MOST then
      local rows = chosen(list, function(r) return ("%06d %06d %06d"):format(r.m, r.n, r.k) end)
      local values = fitted(rows, function(r, v)
        local m, nk = r.m, r.n * r.k
        return both(2 * nk * (m + v.half * m / (m + 128)) / (F * v.share),
          nk * bytes / (gpu.bandwidth * v.reads)) + v.floor
      end, { share = { 0.5, 0.02, 1 }, half = { 100, 1, 2000 }, reads = { 0.8, 0.1, 1 },
        floor = { 5e-6, 1e-6, 4e-5 } })
      if not found[width] or values.error < found[width].error then found[width] = values end
    end
  end
  return found
end

local experts_bits = { bfloat16 = "16", fp8 = "8", fp8_block = "8", nvfp4 = "4",
  w4a8_mxfp4_mxfp8 = "4" }

-- In some tables each GPU of a group brings as many tokens as one alone has, in others they are
-- divided among them: the time of many tokens then falls as GPUs are more.
local PARTS <const>, MANY <const>, FALLS <const> = 4, 4096, 0.8

local function divided(list)
  local alone, ratios = {}, {}
  local function key(r)
    return table.concat({ r.kernel_source, r.num_tokens, r.hidden_size, r.inter_size, r.topk,
      r.num_experts, r.moe_tp_size }, " ")
  end
  for _, r in ipairs(list) do
    if r.moe_ep_size == 1 and r.num_tokens >= MANY then alone[key(r)] = r.s end
  end
  for _, r in ipairs(list) do
    local one = r.moe_ep_size == PARTS and alone[key(r)]
    if one then ratios[#ratios + 1] = r.s / one end
  end
  table.sort(ratios)
  return #ratios == 0 or ratios[(#ratios + 1) // 2] < FALLS
end

function operators.experts(path, gpu)
  local found, by_width = {}, {}
  for _, row in ipairs(read(path, function(r)
    return experts_bits[r.moe_dtype] and r.distribution == "balanced" and r.num_experts >= 32
      and r.inter_size / r.moe_tp_size >= 128 and r.num_tokens <= 16384
      and not tostring(r.kernel_source):find "nongated"
  end)) do
    local width = experts_bits[row.moe_dtype]
    by_width[width] = by_width[width] or {}
    table.insert(by_width[width], row)
  end
  for width, list in pairs(by_width) do
    local F, bytes = precision.flops(gpu, stored[width][1]), stored[width][2]
    local some = list
    if not divided(list) then
      some = {}
      for _, r in ipairs(list) do if r.moe_ep_size == 1 then some[#some + 1] = r end end
    end
    local rows = chosen(some, function(r)
      return ("%06d %d %d %d %d %d %d"):format(r.num_tokens, r.hidden_size, r.inter_size, r.topk,
        r.num_experts, r.moe_tp_size, r.moe_ep_size)
    end)
    for _, r in ipairs(rows) do
      r.cut = r.inter_size / r.moe_tp_size
      r.weights = 3 * r.hidden_size * r.cut
      r.pairs = r.num_tokens * r.topk / r.moe_ep_size
      r.met = r.num_experts * (1 - (1 - r.topk / r.num_experts) ^ r.num_tokens)
        / r.moe_ep_size
      r.each = r.pairs / r.met
    end
    found[width] = fitted(rows, function(r, v)
      local work = 2 * r.weights * r.met * (r.each + v.half * r.each / (r.each + 16))
        * (1 + v.width / r.cut)
      local moved = r.pairs * (2 * r.hidden_size + 3 * r.cut) * 2 / (gpu.bandwidth * 0.85)
      return both(work / (F * v.share), r.met * r.weights * bytes / (gpu.bandwidth * v.reads))
        + moved + v.floor
    end, { share = { 0.3, 0.01, 1 }, half = { 30, 0.5, 1000 }, width = { 200, 1, 4000 },
      reads = { 0.7, 0.1, 1 }, floor = { 3e-5, 5e-6, 1e-4 } })
  end
  return found
end

function operators.prompts(path, gpu)
  local F = precision.flops(gpu, "bf16")
  local rows = chosen(read(path, function(r)
    return r.window_size == 0 and r.head_dim == 128 and r.isl >= 256 and r.kv_cache_dtype ~= "fp8"
      and r.attn_dtype ~= "fp8"
  end), function(r)
    return ("%06d %04d %04d %04d"):format(r.isl, r.batch_size, r.num_heads, r.num_key_value_heads)
  end)
  return fitted(rows, function(r, v)
    local work = 2 * r.batch_size * r.num_heads * r.head_dim * r.isl * (r.isl + 1)
    return work / (F * v.share) + v.floor
  end, { share = { 0.4, 0.02, 1 }, floor = { 1e-5, 1e-6, 1e-4 } })
end

function operators.decoding(path, gpu)
  local rows = chosen(read(path, function(r)
    return r.window_size == 0 and r.head_dim == 128 and r.kv_cache_dtype ~= "fp8" and r.step >= 64
      and r.num_heads / r.num_key_value_heads <= 16
  end), function(r)
    return ("%06d %04d %04d %04d"):format(r.step, r.batch_size, r.num_heads, r.num_key_value_heads)
  end)
  return fitted(rows, function(r, v)
    local bytes = r.batch_size * r.num_key_value_heads * 2 * r.head_dim * 2 * r.step
    return bytes / (gpu.bandwidth * v.reads) + v.floor
  end, { reads = { 0.85, 0.1, 1 }, floor = { 1e-5, 1e-6, 1e-4 } })
end

function operators.exchanges(path, gpu)
  local link = gpu.peer_bandwidth or 64e9
  local rows = chosen(read(path, function(r)
    return not tostring(r.backend):find "eager" and r.message_size * 2 <= 64e6
  end), function(r) return ("%03d %012d"):format(r.num_gpus, r.message_size) end)
  return fitted(rows, function(r, v)
    local n = r.num_gpus
    local bytes = 2 * (n - 1) / n * r.message_size * 2
    return v.start + v.hop * math.log(n, 2) + bytes / (link * v.share)
  end, { start = { 4e-6, 5e-7, 5e-5 }, hop = { 1e-6, 1e-8, 2e-5 }, share = { 0.6, 0.01, 1 } })
end

-- ---- all

local kinds = { { "gemm", "products" }, { "moe", "experts" }, { "context_attention", "prompts" },
  { "generation_attention", "decoding" }, { "custom_allreduce", "exchanges" } }

--- What each GPU and engine reaches: [GPU][engine][kind].
---@param root string
---@return table<string, table<string, table>>|nil
function operators.fit(root)
  local pipe, all = assert(io.popen(("ls %s/operators/*/*.csv.gz 2>/dev/null"):format(root))), {}
  local any = false
  for path in pipe:lines() do
    local folder, operator, engine, version = path:match "([^/]+)/([%w_]+)%.(%a+)%-(.-)%.csv%.gz$"
    local name = operators.gpus[folder]
    for _, kind in ipairs(name and kinds or {}) do
      if kind[1] == operator then
        any = true
        all[name] = all[name] or {}
        local mine = all[name][engine] or {}
        all[name][engine] = mine
        if not mine[kind[2]] then
          mine[kind[2]] = operators[kind[2]](path, assert(catalogue.gpu(name)))
          mine.version = mine.version or version
        end
      end
    end
  end
  pipe:close()
  return any and all or nil
end

--- The same, kept in build/ from one call to the next: the tables take minutes to read.
---@param root string
---@return table|nil
function operators.cached(root)
  local cjson, path = require "cjson", "build/operators.json"
  local file = io.open(path, "r")
  if file then
    local text = file:read "a"
    file:close()
    local ok, kept = pcall(cjson.decode, text)
    if ok and kept.root == root then return kept.all end
  end
  local all = operators.fit(root)
  file = all and io.open(path, "w")
  if file then
    file:write(cjson.encode { root = root, all = all })
    file:close()
  end
  return all
end

return operators
