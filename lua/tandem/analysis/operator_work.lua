--- What an operator of PyTorch must compute and move, by the shapes that it was given.
--
-- Owns the formulas: FLOPs of products, convolutions and attention; the least bytes, each input
-- read once and each output written once. An operator without a formula, or without what its
-- formula asks for, has none: nothing is guessed. Called by roofline.lua.
local attempt = require("tandem.text.shortage").attempt
local cjson = require "cjson"

local work = {}

---@class tandem.OperatorWork
---@field kind string         "gemm", "convolution", "attention", "softmax", "norm", "elementwise",
---                           "reduction", "embedding"
---@field flops number|nil    of one call, on matrix units; nil: it is memory that it waits for
---@field bytes number        of one call
---@field type string         of its first tensor, as the profiler names it

--- Bytes of an element.
local SIZES <const> = { float = 4, double = 8, int = 4, ["long int"] = 8, long = 8, bool = 1,
  short = 2, ["unsigned char"] = 1, ["signed char"] = 1, ["c10::BFloat16"] = 2, ["c10::Half"] = 2,
  ["c10::complex<float>"] = 8, ["c10::complex<double>"] = 16, ["c10::Float8_e4m3fn"] = 1,
  ["c10::Float8_e5m2"] = 1, ["c10::Float8_e4m3fnuz"] = 1, ["c10::Float8_e5m2fnuz"] = 1,
  ["c10::Float8_e8m0fnu"] = 1 }

-- ---- inputs ----

---@class tandem.OperatorInputs
---@field dims any[]
---@field types string[]
---@field concrete string[]
local Inputs = {}
Inputs.__index = Inputs

-- The shape of an input that is a tensor.
function Inputs:shape(i)
  local shape = self.dims[i]
  if type(shape) ~= "table" or not SIZES[self.types[i]] then return nil end
  for _, n in ipairs(shape) do
    if type(n) ~= "number" then return nil end
  end
  return shape
end

local function elements(shape)
  local n = 1
  for _, size in ipairs(shape) do n = n * size end
  return n
end

function Inputs:elements(i)
  local shape = self:shape(i)
  return shape and elements(shape)
end

function Inputs:size(i) return SIZES[self.types[i]] end
function Inputs:bytes(i)
  local n = self:elements(i)
  return n and n * self:size(i)
end

-- A bias or mask that may be absent.
function Inputs:optional_bytes(i)
  return #(self.dims[i] or {}) > 0 and self:bytes(i) or 0
end

function Inputs:numbers(i)
  local ok, list = attempt(cjson.decode, self.concrete[i] or "")
  if ok and type(list) == "number" then list = { list } end
  if not ok or type(list) ~= "table" then return nil end
  return list
end

function Inputs:is_true(i) return self.concrete[i] == "True" end

-- ---- formulas ----

-- a: [M, K], b: [K, N], or with a batch before; a bias is read as well.
local function product(a_at, b_at, bias_at)
  return function(inputs)
    local a, b = inputs:shape(a_at), inputs:shape(b_at)
    if not a or not b or #a < 2 or #a ~= #b or a[#a] ~= b[#b - 1] then return nil end
    local out = elements(a) / a[#a] * b[#b]
    return { kind = "gemm", flops = 2 * out * a[#a], bytes = inputs:bytes(a_at)
      + inputs:bytes(b_at) + out * inputs:size(a_at)
      + (bias_at and inputs:optional_bytes(bias_at) or 0), type = inputs.types[a_at] }
  end
end

-- x: [..., K], weight: [N, K].
local function linear(inputs)
  local x, weight = inputs:shape(1), inputs:shape(2)
  if not x or not weight or #weight ~= 2 or x[#x] ~= weight[2] then return nil end
  local out = elements(x) / x[#x] * weight[1]
  return { kind = "gemm", flops = 2 * out * x[#x], bytes = inputs:bytes(1) + inputs:bytes(2)
    + out * inputs:size(1) + inputs:optional_bytes(3), type = inputs.types[1] }
end

-- Operands of 8 bits give an output of 16.
local function scaled_product(inputs)
  local made = product(1, 2)(inputs)
  if not made then return nil end
  local a, b = inputs:shape(1), inputs:shape(2)
  made.bytes = inputs:bytes(1) + inputs:bytes(2) + 2 * a[1] * b[2]
  return made
end

-- Sizes of an output in space; nil where the settings are not told.
local function convolved(inputs, padding_at, stride_at, dilation_at)
  local x, weight = inputs:shape(1), inputs:shape(2)
  local padding, stride = inputs:numbers(padding_at), inputs:numbers(stride_at)
  local dilation = inputs:numbers(dilation_at)
  if not x or not weight or not padding or not stride or not dilation or #x < 3 then return nil end
  local out = x[1] * weight[1]
  for axis = 1, #x - 2 do
    local kernel = (dilation[axis] or dilation[1]) * (weight[axis + 2] - 1) + 1
    out = out * ((x[axis + 2] + 2 * (padding[axis] or padding[1]) - kernel)
      // (stride[axis] or stride[1]) + 1)
  end
  return out > 0 and out or nil
end

local function convolution(padding_at, stride_at, dilation_at, transposed_at)
  return function(inputs)
    if transposed_at and inputs.concrete[transposed_at] ~= "False" then return nil end
    local out = convolved(inputs, padding_at, stride_at, dilation_at)
    if not out then return nil end
    local weight = inputs:shape(2)
    return { kind = "convolution", flops = 2 * out * elements(weight) / weight[1],
      bytes = inputs:bytes(1) + inputs:bytes(2) + out * inputs:size(1), type = inputs.types[1] }
  end
end

-- Of the output's gradient, the input, the weight; the gradients asked for are in the last list.
local function convolution_backward(inputs)
  local gradient, weight = inputs:shape(1), inputs:shape(3)
  if not gradient or not weight or not inputs:shape(2) or inputs.concrete[8] ~= "False" then
    return nil
  end
  local of_input, of_weight = (inputs.concrete[11] or ""):match "^%[(%a+), (%a+)"
  if not of_input then return nil end
  local asked = (of_input == "True" and 1 or 0) + (of_weight == "True" and 1 or 0)
  local each = 2 * elements(gradient) * elements(weight) / weight[1]
  return { kind = "convolution", flops = asked * each, type = inputs.types[1],
    bytes = inputs:bytes(1) + inputs:bytes(2) + inputs:bytes(3)
      + (of_input == "True" and inputs:bytes(2) or 0)
      + (of_weight == "True" and inputs:bytes(3) or 0) }
end

-- cuDNN's of its own, before PyTorch 1.11: sizes of the input, the output's gradient, the weight.
local function convolution_backward_input(inputs)
  local gradient, weight = inputs:shape(2), inputs:shape(3)
  if not gradient or not weight then return nil end
  return { kind = "convolution", flops = 2 * elements(gradient) * elements(weight) / weight[1],
    bytes = inputs:bytes(2) + inputs:bytes(3), type = inputs.types[2] }
end

-- Pairs of a query and a key that it sees: of a causal mask those up to its own place, counted from
-- the end of the keys.
local function pairs_of(queries, keys, causal)
  if not causal then return queries * keys end
  if queries > keys then
    return keys * (keys + 1) / 2
  end
  return queries * (keys - queries) + queries * (queries + 1) / 2
end

---@param o { first: integer, causal: integer, heads_first?: boolean, backward?: boolean,
---           lengths?: integer, causal_is?: string }  first: of q, k, v; lengths: where they vary
local function attention(o)
  return function(inputs)
    local q, k, v = inputs:shape(o.first), inputs:shape(o.first + 1), inputs:shape(o.first + 2)
    if not q or not k or not v or #q ~= 4 or #k ~= 4 or #v ~= 4 then return nil end
    if o.lengths and #(inputs.dims[o.lengths] or {}) > 0 then return nil end
    local told = inputs.concrete[o.causal]
    if not told or told == "" then return nil end
    local causal = told == "True" or o.causal_is and told ~= "0" and told ~= "False"
    local S, H = o.heads_first and 3 or 2, o.heads_first and 2 or 3
    local seen = q[1] * q[H] * pairs_of(q[S], k[S], causal)
    local read = inputs:bytes(o.first) + inputs:bytes(o.first + 1) + inputs:bytes(o.first + 2)
    local out = q[1] * q[H] * q[S] * v[4] * inputs:size(o.first)
    if o.backward then -- the scores once more, then four products; reads the output, too
      return { kind = "attention", flops = 2 * seen * (3 * q[4] + 2 * v[4]),
        bytes = 2 * read + 2 * out, type = inputs.types[o.first] }
    end
    return { kind = "attention", flops = 2 * seen * (q[4] + v[4]), bytes = read + out,
      type = inputs.types[o.first] }
  end
end

-- What waits for memory alone: inputs that are read, times that the first one's size is written.
local function moves(kind, reads, writes)
  return function(inputs)
    local sum = 0
    for i = 1, reads do
      local bytes = inputs:bytes(i)
      if not bytes then return nil end
      sum = sum + bytes
    end
    return { kind = kind, bytes = sum + writes * inputs:bytes(1), type = inputs.types[1] }
  end
end

-- Two tensors, one of which may be a number or be repeated along its axes of one.
local function binary(inputs)
  local a, b = inputs:shape(1), inputs:shape(2)
  if not a then return nil end
  local out, sum = elements(a), inputs:bytes(1)
  if b then
    local rank = math.max(#a, #b)
    out = 1
    for i = 0, rank - 1 do out = out * math.max(a[#a - i] or 1, b[#b - i] or 1) end
    sum = sum + inputs:bytes(2)
  end
  return { kind = "elementwise", bytes = sum + out * inputs:size(1), type = inputs.types[1] }
end

-- Into the first from the second.
local function copy(inputs)
  local to, from = inputs:bytes(1), inputs:bytes(2)
  return to and from and { kind = "elementwise", bytes = to + from, type = inputs.types[1] } or nil
end

-- Rows of a table, as many as there are indices.
local function lookup(index_at)
  return function(inputs)
    local table_, count = inputs:shape(1), inputs:elements(index_at)
    if not table_ or not count or #table_ < 1 then return nil end
    local row = elements(table_) / table_[1]
    return { kind = "embedding", bytes = 2 * count * row * inputs:size(1)
      + inputs:bytes(index_at), type = inputs.types[1] }
  end
end

---@type table<string, fun(inputs: tandem.OperatorInputs): tandem.OperatorWork|nil>
local FORMULAS <const> = {
  mm = product(1, 2), bmm = product(1, 2), addmm = product(2, 3, 1), baddbmm = product(2, 3, 1),
  linear = linear, _scaled_mm = scaled_product,
  convolution = convolution(5, 4, 6, 7), _convolution = convolution(5, 4, 6, 7),
  cudnn_convolution = convolution(3, 4, 5), miopen_convolution = convolution(4, 5, 6),
  convolution_backward = convolution_backward,
  cudnn_convolution_backward_input = convolution_backward_input,
  _flash_attention_forward = attention { first = 1, causal = 9, lengths = 4 },
  _flash_attention_backward = attention { first = 2, causal = 12, lengths = 7, backward = true },
  _efficient_attention_forward = attention { first = 1, causal = 10, lengths = 5,
    causal_is = "kind" },
  _efficient_attention_backward = attention { first = 2, causal = 15, lengths = 7, backward = true,
    causal_is = "kind" },
  _scaled_dot_product_flash_attention = attention { first = 1, causal = 5, heads_first = true },
  _scaled_dot_product_efficient_attention = attention { first = 1, causal = 7,
    heads_first = true },
  _scaled_dot_product_cudnn_attention = attention { first = 1, causal = 7, heads_first = true },
  _flash_attn_forward = attention { first = 1, causal = 6 },
  _flash_attn_backward = attention { first = 2, causal = 12, backward = true },
  _softmax = moves("softmax", 1, 1), _log_softmax = moves("softmax", 1, 1),
  _softmax_backward_data = moves("softmax", 2, 1),
  native_layer_norm = moves("norm", 1, 1), native_group_norm = moves("norm", 1, 1),
  native_layer_norm_backward = moves("norm", 2, 1), cudnn_batch_norm = moves("norm", 1, 1),
  cudnn_batch_norm_backward = moves("norm", 2, 1),
  miopen_batch_norm = moves("norm", 1, 1), native_batch_norm = moves("norm", 1, 1),
  _fused_rms_norm = moves("norm", 1, 1), native_dropout = moves("elementwise", 1, 1),
  copy_ = copy, embedding = lookup(2), index_select = lookup(3),
  fill_ = moves("elementwise", 0, 1), zero_ = moves("elementwise", 0, 1),
}
for _, name in ipairs { "add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "maximum",
  "minimum", "threshold_backward", "gelu_backward", "silu_backward", "tanh_backward",
  "sigmoid_backward" } do
  FORMULAS[name] = binary
end
for _, name in ipairs { "relu", "relu_", "gelu", "silu", "silu_", "sigmoid", "sigmoid_", "tanh",
  "exp", "neg", "rsqrt", "sqrt", "abs", "cos", "sin", "pow", "clamp", "clamp_min", "clamp_min_",
  "hardtanh_", "leaky_relu", "reciprocal" } do
  FORMULAS[name] = moves("elementwise", 1, 1)
end
for _, name in ipairs { "sum", "mean", "max", "amax", "amin", "argmax", "norm",
  "linalg_vector_norm", "var_mean", "var" } do
  FORMULAS[name] = moves("reduction", 1, 0)
end

local function list_of(text)
  local ok, list = attempt(cjson.decode, text or "")
  return ok and type(list) == "table" and list or {}
end

-- Their tensors are of different types, which shapes alone do not tell.
local MIXED <const> = { copy_ = true, embedding = true, index_select = true, _scaled_mm = true }

--- The same where one type is known for all tensors of an operator, from elsewhere.
---@param name string
---@param dims string|nil
---@param type_name string
---@return tandem.OperatorWork|nil
function work.of_type(name, dims, type_name)
  local types = {}
  for i, shape in ipairs(list_of(dims)) do
    types[i] = type(shape) == "table" and #shape > 0 and type_name or ""
  end
  if MIXED[name:match "([%w_]+)$" or ""] then return nil end
  return work.of(name, dims, cjson.encode(types))
end

--- What one call must do; nil where that is not known.
---@param name string          of the operator, with its namespace
---@param dims string|nil      JSON lists, as the profiler wrote them
---@param types string|nil
---@param concrete string|nil
---@return tandem.OperatorWork|nil
function work.of(name, dims, types, concrete)
  local space, plain = name:match "^([%w_]+)::([%w_]+)$"
  local formula = (space == "aten" or space == "flash_attn") and FORMULAS[plain]
  if not formula or not dims or not types then return nil end
  local inputs = setmetatable({ dims = list_of(dims), types = list_of(types),
    concrete = list_of(concrete) }, Inputs)
  local made = formula(inputs)
  if not made or not (made.bytes > 0) then return nil end
  return made
end

return work
