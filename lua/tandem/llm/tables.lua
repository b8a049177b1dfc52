--- Measured operator times as a step model: a folder tpN with dense.csv, attention.csv,
-- per_sequence.csv and, where there are any, moe.csv and skew_fit.csv, beside a meta.yaml.
--
-- Times were taken of one layer; how often an operator runs comes from the architecture.
-- Exchanges between GPUs were not measured and are added by the link's latency and bandwidth.
-- Owns the format of these files and the sums over operators; interpolation is the core's. Called
-- by tandem.llm.

local catalogue = require "tandem.catalogue"
local core = require "tandem.core"
local rates = require "tandem.llm.rates"

local tables = {}

-- How often an operator runs: in each layer, or once in a step.
local per_layer = { layernorm = 2, qkv_proj = 1, qk_norm = 1, rotary_emb = 1, o_proj = 1,
  gate_up_proj = 1, act_fn = 1, down_proj = 1 }
local per_step = { embedding = 1, final_layernorm = 1, lm_head = 1, sampler = 1 }

local MICRO <const> = 1e-6

-- ---- files

local function read_lines(path)
  local file, message = io.open(path, "r")
  if not file then return nil, message end
  local lines = {}
  for line in file:lines() do
    line = line:gsub("\r$", "")
    if line ~= "" then lines[#lines + 1] = line end
  end
  file:close()
  return lines
end

local function split(line)
  local fields = {}
  for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
  return fields
end

--- Rows as tables by column name; nil and a line when a column is not there.
local function read_csv(path, columns)
  local lines, message = read_lines(path)
  if not lines then return nil, message end
  if #lines < 2 then return nil, path .. ": has no rows" end
  local position = {}
  for i, name in ipairs(split(lines[1])) do position[name] = i end
  for _, name in ipairs(columns) do
    if not position[name] then return nil, ("%s: has no column %s"):format(path, name) end
  end
  local rows = {}
  for l = 2, #lines do
    local fields, row = split(lines[l]), {}
    for i, name in ipairs(columns) do row[i] = fields[position[name]] end
    rows[#rows + 1] = row
  end
  return rows
end

--- A flat list of numbers, the last column in seconds.
local function numbers(path, columns)
  local rows, message = read_csv(path, columns)
  if not rows then return nil, message end
  local flat = {}
  for l, row in ipairs(rows) do
    for i, text in ipairs(row) do
      local value = tonumber(text)
      if not value then
        return nil, ("%s: line %d: %s is not a number"):format(path, l + 1, columns[i])
      end
      flat[#flat + 1] = i == #row and value * MICRO or value
    end
  end
  return flat
end

-- ---- curves of operators, summed

local function at(curve, x)
  local low = 1
  while low + 1 < #curve and curve[low + 1][1] <= x do low = low + 1 end
  local a, b = curve[low], curve[low + 1]
  if not b or x <= a[1] then return a[2] end
  return a[2] + (x - a[1]) / (b[1] - a[1]) * (b[2] - a[2])
end

--- Σ times × curve over all values that any of them was measured at, as a flat list.
local function sum_curves(curves)
  local seen, xs = {}, {}
  for _, part in ipairs(curves) do
    for _, point in ipairs(part.curve) do
      if not seen[point[1]] then
        seen[point[1]] = true
        xs[#xs + 1] = point[1]
      end
    end
  end
  table.sort(xs)
  local flat = {}
  for _, x in ipairs(xs) do
    local sum = 0
    for _, part in ipairs(curves) do sum = sum + part.times * at(part.curve, x) end
    flat[#flat + 1] = x
    flat[#flat + 1] = sum
  end
  return flat
end

--- Operators of one file by name, with how often each runs in a step.
local function operators(path, unit, layers, notes)
  local rows, message = read_csv(path, { "layer", unit, "time_us" })
  if not rows then return nil, message end
  local by_name, curves = {}, {}
  for l, row in ipairs(rows) do
    local name, x, time = row[1], tonumber(row[2]), tonumber(row[3])
    if not x or not time then return nil, ("%s: line %d: no numbers"):format(path, l + 1) end
    local part = by_name[name]
    if not part then
      local times = per_layer[name] and per_layer[name] * layers or per_step[name]
      if not times then
        times = layers
        notes[#notes + 1] = ("%s: operator %s is not known, taken once a layer"):format(path, name)
      end
      part = { times = times, curve = {} }
      by_name[name] = part
      curves[#curves + 1] = part
    end
    table.insert(part.curve, { x, time * MICRO })
  end
  for _, part in ipairs(curves) do table.sort(part.curve, function(a, b) return a[1] < b[1] end) end
  return sum_curves(curves)
end

-- ---- meta.yaml

--- Nested maps of scalars, which is all of YAML that these files use beside lists we do not read.
local function read_meta(path)
  local lines = read_lines(path)
  if not lines then return {} end
  local root = {}
  local open = { { indent = -1, map = root } }
  for _, line in ipairs(lines) do
    local indent, key, value = line:match "^( *)([^:#]+):%s*(.-)%s*$"
    if key then
      while open[#open].indent >= #indent do open[#open] = nil end
      local map = open[#open].map
      if value == "" then
        map[key] = {}
        open[#open + 1] = { indent = #indent, map = map[key] }
      else
        map[key] = tonumber(value) or value
      end
    end
  end
  return root
end

local function reach(map, ...)
  for _, key in ipairs { ... } do map = type(map) == "table" and map[key] or nil end
  return map
end

-- ---- skew

--- The upper edge in a label: n<=128, sr<=15%, kvB<=16k; nil for the open bucket.
local function edge(label)
  local number, unit = label:match "<=([%d.]+)(.?)$"
  if not number then
    number = label:match "=([%d.]+)$" -- kp=0
    unit = ""
  end
  if not number then return nil end
  local scale = unit == "k" and 1024 or unit == "%" and 0.01 or 1
  return tonumber(number) * scale
end

local function edges(rows, column)
  local seen, list = {}, {}
  for _, row in ipairs(rows) do
    local value = edge(row[column])
    if value and not seen[value] then
      seen[value] = true
      list[#list + 1] = value
    end
  end
  table.sort(list)
  return list
end

local function bucket(list, value)
  if not value then return #list end
  for i, item in ipairs(list) do
    if item == value then return i - 1 end
  end
  return #list
end

--- Shares by bucket. Where nothing was fitted the whole fit's stands in, or without one the median.
--- A share is held to 0…1: outside, the two measured times it divides by were the same but for
--- noise.
local function skew(path, fallback)
  local rows = read_csv(path, { "pc", "n_label", "skew_rate_label", "kv_big_label", "kp_label",
    "alpha" })
  if not rows then return nil end
  local tokens, seen = {}, {}
  local shares = {}
  for i, row in ipairs(rows) do
    row[1], row[6] = tonumber(row[1]), math.max(0, math.min(1, tonumber(row[6])))
    if not seen[row[1]] then
      seen[row[1]] = true
      tokens[#tokens + 1] = row[1]
    end
    shares[i] = row[6]
  end
  table.sort(tokens)
  table.sort(shares)
  fallback = fallback or shares[(#shares + 1) // 2]
  local s = { prefill_tokens = tokens, seqs = edges(rows, 2), rate = edges(rows, 3),
    longest = edges(rows, 4), context = edges(rows, 5), alpha = {} }
  local sizes = { #s.seqs + 1, #s.rate + 1, #s.longest + 1, #s.context + 1 }
  for i = 1, #tokens * sizes[1] * sizes[2] * sizes[3] * sizes[4] do s.alpha[i] = fallback end
  for _, row in ipairs(rows) do
    local index = bucket(tokens, row[1])
    index = index * sizes[1] + bucket(s.seqs, edge(row[2]))
    index = index * sizes[2] + bucket(s.rate, edge(row[3]))
    index = index * sizes[3] + bucket(s.longest, edge(row[4]))
    index = index * sizes[4] + bucket(s.context, edge(row[5]))
    s.alpha[index + 1] = row[6]
  end
  return s
end

-- ---- the whole

---@class tandem.llm.TableOptions
---@field architecture tandem.llm.Architecture  of the whole model, for numbers of layers
---@field link? table       between GPUs, latency_s, hop_s, bandwidth; nil: of the GPU in meta.yaml
---@field step_s? number    overhead of a step
---@field sequence_s? number  and of each sequence in it
---@field skew? boolean     with the correction or without; nil: as meta.yaml says
---@field data? integer     groups with batches of their own that share the experts, 1
---@field stages? integer   of a pipeline, 1
---@field experts? fun(tokens: integer): number  seconds of a layer's experts for so many tokens of
---                         each group, where nobody measured them

local function gpus_of(folder) return math.tointeger(tonumber(folder:match "tp(%d+)/*$")) or 1 end

local function add_operators(spec, folder, notes)
  local message
  spec.tokens, message = operators(folder .. "/dense.csv", "tokens", spec.layers, notes)
  if not spec.tokens then return message end
  spec.sampled, message = operators(folder .. "/per_sequence.csv", "sequences", spec.layers, notes)
  if not spec.sampled then return message end
  spec.attention, message = numbers(folder .. "/attention.csv",
    { "prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us" })
  return message
end

-- Tokens of a group at which experts that nobody measured are asked of the roofline.
local ASKED <const> = 1 << 14

local function asked_experts(spec, a, ask)
  local rows, tokens = {}, 1
  while tokens <= ASKED do
    local all = tokens * spec.data
    local met = a.experts * (1 - (1 - a.experts_active / a.experts) ^ all)
    table.move({ all / spec.expert_groups, met / spec.expert_groups, ask(tokens) }, 1, 3,
      #rows + 1, rows)
    tokens = tokens * 2
  end
  return rows
end

-- Experts are measured whole on one GPU; where several share them, each has its part of them.
local function add_experts(spec, folder, options, notes)
  local a, columns = options.architecture, { "tokens", "activated_experts", "time_us" }
  local own, message = numbers(folder .. "/moe.csv", columns)
  spec.experts = spec.data == 1 and own or nil
  spec.experts_all, spec.experts_active = a.experts, a.experts_active
  spec.expert_layers = a.layers - (a.dense_layers or 0)
  if spec.experts then return nil end
  spec.expert_groups = spec.gpus * spec.data
  spec.experts = spec.gpus == 1 and own or numbers(folder .. "/../tp1/moe.csv", columns)
  if spec.experts then return nil end
  if not options.experts then return message end
  spec.experts = asked_experts(spec, a, options.experts)
  notes[#notes + 1] = folder .. ": experts were not measured; their time is the roofline's"
  return nil
end

--- Two all-reduces a layer, of 16-bit activations; with several groups, layers with experts gather
--- the tokens that theirs are for and scatter their sums in place of the second.
local function add_exchange(spec, folder, options, meta)
  local gpu = catalogue.gpu(meta.hardware or "")
  spec.link = options.link or gpu and rates.link(gpu)
  spec.reduces, spec.reduce_bytes = 2 * spec.layers, 2 * options.architecture.hidden
  if spec.data > 1 then
    spec.reduces = 2 * spec.layers - (spec.expert_layers or 0)
    spec.gathers = 2 * (spec.expert_layers or 0)
  end
  spec.sends = (options.stages or 1) - 1
  if spec.link then return nil end
  return folder .. ": all-reduces were not measured; say which link joins the GPUs"
end

local function add_skew(spec, folder, options, meta)
  local wanted = options.skew
  -- Not enabled means that nobody measured it on this GPU, though shares of another may lie here.
  if wanted == nil then wanted = reach(meta, "skew_fit", "enabled") ~= "false" end
  if not wanted then return end
  spec.skew = skew(folder .. "/skew_fit.csv",
    reach(meta, "skew_fit", "per_tp", tostring(spec.gpus), "alpha_default"))
end

--- What core.llm.step needs of a folder tpN. Notes say what was taken for granted.
---@param folder string
---@param options tandem.llm.TableOptions
---@return table|nil spec, string|nil message, string[]|nil notes
function tables.spec(folder, options)
  local a, notes = options.architecture, {}
  folder = folder:gsub("/*$", "")
  local meta = read_meta(folder .. "/../meta.yaml")
  local measured = reach(meta, "engine_effective", "hf_overrides", "num_hidden_layers") or 1
  if measured ~= 1 then
    return nil, ("%s: operators were taken of %s layers, not of one"):format(folder, measured)
  end
  local spec = { kind = "table", layers = a.layers, gpus = gpus_of(folder),
    data = options.data or 1, step_s = options.step_s, sequence_s = options.sequence_s }
  local message = add_operators(spec, folder, notes)
  if not message and (a.experts or 0) > 0 then
    message = add_experts(spec, folder, options, notes)
  end
  if not message and spec.gpus * spec.data * (options.stages or 1) > 1 then
    message = add_exchange(spec, folder, options, meta)
  end
  if message then return nil, message end
  add_skew(spec, folder, options, meta)
  return spec, nil, notes
end

--- The model whose operators a folder tpN has, where its meta.yaml says.
---@param folder string
---@return string|nil
function tables.model_name(folder)
  local name = read_meta(folder:gsub("/*$", "") .. "/../meta.yaml").model
  return type(name) == "string" and name or nil
end

--- A step model from a folder tpN.
---@param folder string
---@param options tandem.llm.TableOptions
---@return table|nil model, string|nil message, string[]|nil notes
function tables.model(folder, options)
  local spec, message, notes = tables.spec(folder, options)
  if not spec then return nil, message end
  local model, why = core.llm.step(spec)
  return model, why, notes
end

return tables
