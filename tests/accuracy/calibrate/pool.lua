-- Constants of GPU × engine estimated together: partial pooling, linear on logarithms.
--
--   ln(measured / predicted) = J·θ + model + model × engine + configuration + set + noise
--   θ(GPU, engine) = world + architecture(GPU) + GPU + engine + GPU × engine
--
-- θ are logarithms of factors on what operators say (base.lua), one for each of PARAMETERS; each
-- level is Gaussian about 0 with a share of the parameter's own spread. So a GPU that was not
-- measured inherits what its relatives have in common, with the spread that they have. A
-- configuration (GPU, engine, version, model, precision, cut) has a factor of its own, which
-- nobody knows before measuring it; so have sets whose loads are less known (offline tables,
-- steady states). Noise is Student's t with four degrees of freedom, by reweighting, so that a
-- tenth of the rows does not rule.
--
-- Spreads are capped judgement (the shares of a prototype on the same sets); nothing here was
-- chosen by what it scores. Owns the model and its solution; predictions are the caller's. Called
-- by run.lua and tests/accuracy.

local catalogue = require "tandem.catalogue"
local linear = require "tests.accuracy.calibrate.linear"
local rates = require "tandem.llm.rates"

local pool = {}

---@class tests.Parameter
---@field name string      of rates.parameters
---@field spread number    standard deviation of ln, of all levels together when nobody was measured

---@type tests.Parameter[]
pool.PARAMETERS = {
  { name = "matrix", spread = 0.2 },
  { name = "expert", spread = 0.5 },
  { name = "slices", spread = 1 },
  { name = "attention", spread = 0.4 },
  { name = "weights", spread = 0.10 },
  { name = "experts_read", spread = 0.2 },
  { name = "cache", spread = 0.15 },
  { name = "excess", spread = 0.8 },
  { name = "layer", spread = 0.4 },
  { name = "quantize_8", spread = 0.6 },
  { name = "quantize_4", spread = 0.6 },
  { name = "expert_layer", spread = 0.5 },
  { name = "sequence", spread = 0.8 },
  { name = "link_start", spread = 0.5 },
  { name = "link", spread = 0.4 },
}
local K <const> = #pool.PARAMETERS

-- Shares of a parameter's spread that each level has.
local LEVELS <const> = { world = 0.8, architecture = 0.35, gpu = 0.3, engine = 0.4, cell = 0.3 }
local UNKNOWN_ARCHITECTURE <const> = 2.5 -- nobody like it was measured

-- Standard deviations of ln. Within a configuration by set; between configurations; sets.
local NOISE <const> = { closed_loop = 0.09, inferencex = 0.09, stages = 0.065, mlenergy = 0.18,
  trtllm_table = 0.18 }
local CONFIGURATION <const>, SET <const> = 0.13, 0.12
local MODEL <const>, MODEL_ENGINE <const> = 0.06, 0.09
-- t₄'s 90 % interval is that of a Gaussian with a variance so much larger.
local FREEDOM <const>, TAIL <const> = 4, 1.68
local PASSES <const> = 4
-- Of which factors are no business of the server: what constants are meant to predict.
local REFERENCE <const> = { closed_loop = true, inferencex = true, stages = true }

pool.model_spread, pool.model_engine_spread = MODEL, MODEL_ENGINE
-- Of an architecture that nobody measured, beside the constants' own: run.lua prints how far those
-- lie that are left out, five of them, of which the one of another vendor is 0.56 off.
pool.architecture_spread = 0.27

---@param constants tandem.llm.Constants  of base.lua
---@param theta number[]
---@return tandem.llm.Constants
function pool.apply(constants, theta)
  local moved = {}
  for i, parameter in ipairs(pool.PARAMETERS) do moved[parameter.name] = theta[i] end
  return rates.vary(constants, moved)
end

--- Of a GPU of the catalogue; "" for others.
---@param gpu string
---@return string
function pool.architecture(gpu)
  local found = catalogue.gpu(gpu)
  return found and found.architecture or ""
end

local function levels_of(gpu, engine)
  return { { "world", "world" }, { "architecture", pool.architecture(gpu) },
    { "gpu", gpu }, { "engine", engine }, { "cell", gpu .. " " .. engine } }
end

-- Positions of the unknowns: K for each level, then one for each set and engine.
local function layout(rows)
  local at, count = {}, 0
  local function place(name, size)
    if not at[name] then
      at[name] = count
      count = count + size
    end
  end
  for _, row in ipairs(rows) do
    for _, level in ipairs(levels_of(row.gpu, row.engine)) do
      place(level[1] .. " " .. level[2], K)
    end
  end
  for _, row in ipairs(rows) do
    if not REFERENCE[row.set] then place("set " .. row.set .. " " .. row.engine, 1) end
    if REFERENCE[row.set] then
      place("model " .. row.model, 1)
      place("model " .. row.model .. " " .. row.engine, 1)
    end
  end
  return at, count
end

-- Normal equations of one GPU × engine × set: K effects and 1, with configurations integrated out.
local function sums(members)
  local A, b = linear.zeros(K + 1), {}
  for i = 1, K + 1 do b[i] = 0 end
  local function add(vector, weight, target)
    for i = 1, K + 1 do
      local v = vector[i] * weight
      if v ~= 0 then
        local row = A[i]
        for j = 1, i do row[j] = row[j] + v * vector[j] end
        b[i] = b[i] + v * target
      end
    end
  end
  local by_configuration = {}
  for _, row in ipairs(members) do
    local c = by_configuration[row.configuration]
    if not c then
      c = { weight = 0, y = 0 }
      for i = 1, K + 1 do c[i] = 0 end
      by_configuration[row.configuration] = c
      by_configuration[#by_configuration + 1] = c
    end
    local w = row.weight
    add(row.J, w, row.y)
    for i = 1, K + 1 do c[i] = c[i] + w * row.J[i] end
    c.weight, c.y = c.weight + w, c.y + w * row.y
  end
  for _, c in ipairs(by_configuration) do
    local shrink = -1 / (c.weight + 1 / CONFIGURATION ^ 2)
    add(c, shrink, c.y)
  end
  return A, b
end

local function grouped(rows)
  local groups, order = {}, {}
  for _, row in ipairs(rows) do
    local key = row.gpu .. "|" .. row.engine .. "|" .. row.set .. "|" .. row.model
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], row)
  end
  return order
end

-- The unknowns that a GPU × engine (with a set and model) consists of: position and factor of each
-- column.
local function columns_of(at, gpu, engine, set, model)
  local columns = {}
  for _, level in ipairs(levels_of(gpu, engine)) do
    local start = at[level[1] .. " " .. level[2]]
    if start then
      for i = 1, K do
        columns[#columns + 1] = { start + i, i, pool.PARAMETERS[i].spread * LEVELS[level[1]] }
      end
    end
  end
  local function one(name, spread)
    if at[name] then columns[#columns + 1] = { at[name] + 1, K + 1, spread } end
  end
  if set then one("set " .. set .. " " .. engine, SET) end
  if model and (not set or REFERENCE[set]) then
    one("model " .. model, MODEL)
    one("model " .. model .. " " .. engine, MODEL_ENGINE)
  end
  return columns
end

local function assemble(rows, at, count)
  local A, b = linear.zeros(count), {}
  for i = 1, count do A[i][i], b[i] = 1, 0 end
  for _, members in ipairs(grouped(rows)) do
    local small, right = sums(members)
    local columns = columns_of(at, members[1].gpu, members[1].engine, members[1].set,
      members[1].model)
    for _, one in ipairs(columns) do
      local p, i, f = one[1], one[2], one[3]
      b[p] = b[p] + f * right[i]
      local row = A[p]
      for _, other in ipairs(columns) do
        local q, j = other[1], other[2]
        if q <= p then
          row[q] = row[q] + f * other[3] * (i >= j and small[i][j] or small[j][i])
        end
      end
    end
  end
  return A, b
end

---@class tests.Pooled
local Pooled = {}
Pooled.__index = Pooled

--- θ of a GPU and engine, and the spread of each that nothing known narrows.
---@param gpu string
---@param engine string
---@return number[] theta
function Pooled:theta(gpu, engine)
  local theta = {}
  for i = 1, K do theta[i] = 0 end
  for _, column in ipairs(columns_of(self.at, gpu, engine)) do
    theta[column[2]] = theta[column[2]] + column[3] * self.x[column[1]]
  end
  return theta
end

--- The factor on all times of a model with an engine; 1 where neither was measured.
---@param model string
---@param engine string
---@return number
function Pooled:factor(model, engine)
  local sum = 0
  for name, spread in pairs { ["model " .. model] = MODEL,
    ["model " .. model .. " " .. engine] = MODEL_ENGINE } do
    if self.at[name] then sum = sum + spread * self.x[self.at[name] + 1] end
  end
  return math.exp(sum)
end

--- A root of θ's covariance: vectors whose outer products sum to it.
---@param gpu string
---@param engine string
---@return number[][]  vectors of K
function Pooled:root(gpu, engine)
  local key = gpu .. "|" .. engine
  if self.roots[key] then return self.roots[key] end
  local columns, vectors = columns_of(self.at, gpu, engine), {}
  -- Known levels: L⁻¹ of each parameter's column, gathered by unknown.
  local solved = {}
  for i = 1, K do
    local right = {}
    for p = 1, self.count do right[p] = 0 end
    for _, column in ipairs(columns) do
      if column[2] == i then right[column[1]] = column[3] end
    end
    solved[i] = linear.forward(self.L, right)
  end
  local covariance = linear.zeros(K)
  for i = 1, K do
    for j = 1, i do
      local sum, a, b = 0, solved[i], solved[j]
      for p = 1, self.count do sum = sum + a[p] * b[p] end
      covariance[i][j] = sum
    end
  end
  for _, level in ipairs(levels_of(gpu, engine)) do
    if not self.at[level[1] .. " " .. level[2]] then
      local share = LEVELS[level[1]] * (level[1] == "architecture" and UNKNOWN_ARCHITECTURE or 1)
      for i = 1, K do
        covariance[i][i] = covariance[i][i] + (pool.PARAMETERS[i].spread * share) ^ 2
      end
    end
  end
  local L = linear.cholesky(covariance)
  for j = 1, K do
    vectors[j] = {}
    for i = 1, K do vectors[j][i] = i >= j and L[i][j] or 0 end
  end
  self.roots[key] = vectors
  return vectors
end

-- What is not known of a model is nearly all or nothing: so many points each.
function Pooled:model_variance(row)
  return (self.at["model " .. row.model] and 0 or MODEL ^ 2)
    + (self.at["model " .. row.model .. " " .. row.engine] and 0 or MODEL_ENGINE ^ 2)
end

-- Of what constants leave open where effects are J.
function Pooled:constants_variance(row)
  local sum = 0
  for _, vector in ipairs(self:root(row.gpu, row.engine)) do
    local dot = 0
    for i = 1, K do dot = dot + vector[i] * row.J[i] end
    sum = sum + dot * dot
  end
  return sum
end

--- Variance of ln(measured) about a prediction with effects J: constants, the configuration's own
--- factor, the set's, and noise made as wide as its tails want at 90 %.
---@param row { gpu: string, engine: string, set: string, J: number[] }
---@return number
function Pooled:variance(row)
  return CONFIGURATION ^ 2 + TAIL * NOISE[row.set] ^ 2 + (REFERENCE[row.set] and 0 or SET ^ 2)
    + self:model_variance(row) + self:constants_variance(row)
end

--- What is open of a row beside its configuration's own factor and shape: variances of factors that
--- nobody measured (its model's, its architecture's), and of constants.
---@param row { gpu: string, engine: string, model: string, J: number[] }
---@return number unknown, number constants
function Pooled:open(row)
  local unknown = self:model_variance(row)
  if not self.at["architecture " .. pool.architecture(row.gpu)] then
    unknown = unknown + pool.architecture_spread ^ 2
  end
  return unknown, self:constants_variance(row)
end

--- The mode. Rows have gpu, engine, set, configuration, model, J (K effects, then 1) and y; their
--- weights are left in `weight`.
---@param rows table[]
---@param passes? integer
---@return tests.Pooled
function pool.solve(rows, passes)
  local at, count = layout(rows)
  local self = setmetatable({ at = at, count = count, roots = {} }, Pooled)
  for _, row in ipairs(rows) do row.weight = row.weight or 1 / NOISE[row.set] ^ 2 end
  for _ = 1, passes or PASSES do
    local A, b = assemble(rows, at, count)
    self.L = linear.cholesky(A)
    self.x = linear.backward(self.L, linear.forward(self.L, b))
    self:reweigh(rows)
  end
  return self
end

-- Weights of Student's t from what is left once the configuration's own factor is out.
function Pooled:reweigh(rows)
  local left, own = {}, {}
  for _, members in ipairs(grouped(rows)) do
    local columns = columns_of(self.at, members[1].gpu, members[1].engine, members[1].set,
      members[1].model)
    local theta = {}
    for i = 1, K + 1 do theta[i] = 0 end
    for _, c in ipairs(columns) do theta[c[2]] = theta[c[2]] + c[3] * self.x[c[1]] end
    for _, row in ipairs(members) do
      local sum = row.y
      for i = 1, K + 1 do sum = sum - row.J[i] * theta[i] end
      left[row] = sum
      local c = own[row.configuration] or { 0, 1 / CONFIGURATION ^ 2 }
      own[row.configuration] = c
      c[1], c[2] = c[1] + row.weight * sum, c[2] + row.weight
    end
  end
  for _, row in ipairs(rows) do
    local c, s2 = own[row.configuration], NOISE[row.set] ^ 2
    local r2 = (left[row] - c[1] / c[2]) ^ 2 / s2
    row.weight = (FREEDOM + 1) / (FREEDOM + r2) / s2
  end
end

return pool
