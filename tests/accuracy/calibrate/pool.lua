-- Constants of GPU × engine estimated together: partial pooling, linear on logarithms.
--
--   ln(measured / predicted) = J·θ + model + model × engine + model × engine × precision × GPU
--     + engine × version + configuration + set + noise
--   θ(GPU, engine) = world + architecture(GPU) + GPU + engine + GPU × engine
--
-- θ are logarithms of factors on what operators say (base.lua), one for each of PARAMETERS; each
-- level is Gaussian about 0 with a share of the parameter's own spread. So a GPU that was not
-- measured inherits what its relatives have in common, with the spread that they have. A
-- model has a factor on all its times, with each engine its own beside that, and in each precision
-- on each GPU one more (kernels are chosen by these); so has each version of an engine, whatever it
-- serves. A configuration (also version and cut) has a
-- factor of its own, which nobody knows before measuring it; so have sets whose loads are less
-- known (offline tables). Noise and configurations are Student's t with four
-- degrees of freedom, by reweighting, so that neither a tenth of the rows nor a few configurations
-- that are not what they are called rule.
--
-- Spreads of θ are capped judgement (the shares of a prototype on the same sets); those of factors
-- are what predicts configurations left out best (factors.lua). Owns the model and its solution;
-- predictions are the caller's. Called by run.lua and tests/accuracy.

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

-- Standard deviations of ln, within a configuration by set; of sets.
local NOISE <const> = { closed_loop = 0.09, inferencex = 0.09, stages = 0.065, mlenergy = 0.18,
  trtllm_table = 0.18 }
local SET <const> = 0.12
-- t₄'s 90 % interval is that of a Gaussian with a variance so much larger.
local FREEDOM <const>, TAIL <const> = 4, 1.68
local PASSES <const> = 4
-- Whose loads are known: what constants are meant to predict. ML.ENERGY's prompts are not, but it
-- is all of one version of vLLM, whose factor says the same of it.
local REFERENCE <const> = { closed_loop = true, inferencex = true, stages = true, mlenergy = true }

---@class tests.FactorSpreads  standard deviations of ln
---@field model number
---@field engine number         of a model with an engine, beside the model
---@field served number         … in a precision on a GPU, beside that
---@field version number        of an engine's version
---@field configuration number  beside that

--- Where factors.lua starts.
---@type tests.FactorSpreads
pool.FACTORS = { model = 0.06, engine = 0.09, served = 0.1, version = 0.06, configuration = 0.1 }
-- Of an architecture that nobody measured, beside the constants' own: run.lua prints how far those
-- lie that are left out, five of them, of which the one of another vendor is 0.56 off.
pool.architecture_spread = 0.27

--- The same of models that nobody measured, left out a fifth at a time; run.lua finds it.
pool.model_spread = 0.15

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

--- The factors of a deployment: level and name, the model's first, the widest of them first; that
--- of the engine's version where it is known.
---@param row { gpu: string, engine: string, model: string, precision: string|nil,
--- version: string|nil }
---@return { [1]: string, [2]: string }[]
function pool.factors(row)
  local name = "model " .. row.model
  local with = name .. " " .. row.engine
  local served = ("%s %s %s"):format(with, row.precision or "bf16", row.gpu)
  local list = { { "model", name }, { "engine", with }, { "served", served } }
  local version = row.version and rates.version(row.engine, row.version)
  if version then list[4] = { "version", ("version %s %s"):format(row.engine, version) } end
  return list
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
    for _, one in ipairs(pool.factors(row)) do place(one[2], 1) end
  end
  return at, count
end

-- Normal equations of one GPU × engine × set: K effects and 1, with configurations integrated out.
local function sums(members, own)
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
      c = { weight = 0, y = 0, name = row.configuration }
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
    local shrink = -1 / (c.weight + own(c.name))
    add(c, shrink, c.y)
  end
  return A, b
end

local function grouped(rows)
  local groups, order = {}, {}
  for _, row in ipairs(rows) do
    local key = row.gpu .. "|" .. row.engine .. "|" .. row.set .. "|" .. row.model .. "|"
      .. (row.precision or "") .. "|" .. (row.version or "")
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], row)
  end
  return order
end

-- The unknowns that a GPU × engine consists of, and those of a row's set and model: position and
-- factor of each column.
local function columns_of(self, gpu, engine, row)
  local columns, at = {}, self.at
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
  if row then
    one("set " .. row.set .. " " .. engine, SET)
    for _, factor in ipairs(pool.factors(row)) do one(factor[2], self.spreads[factor[1]]) end
  end
  return columns
end

local function assemble(self, rows)
  local count = self.count
  local A, b = linear.zeros(count), {}
  for i = 1, count do A[i][i], b[i] = 1, 0 end
  local function own(configuration) return self:own_precision(configuration) end
  for _, members in ipairs(grouped(rows)) do
    local small, right = sums(members, own)
    local columns = columns_of(self, members[1].gpu, members[1].engine, members[1])
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
  for _, column in ipairs(columns_of(self, gpu, engine)) do
    theta[column[2]] = theta[column[2]] + column[3] * self.x[column[1]]
  end
  return theta
end

--- The factor on all times of a model, with an engine, in a precision on a GPU, in a version, as
--- far as these are said; and the standard deviation of its logarithm, of what was not measured
--- too.
---@param row { model: string, engine: string|nil, precision: string|nil, gpu: string|nil,
--- version: string|nil }
---@return number factor
---@return number deviation
function Pooled:factor(row)
  local whole = { model = row.model, engine = row.engine or "", precision = row.precision,
    gpu = row.gpu or "", version = row.version }
  return self:factor_of(pool.factors(whole))
end

--- The factor of a version of an engine, whatever it serves.
---@param engine string
---@param version string
---@return number factor
---@return number deviation
function Pooled:of_version(engine, version)
  return self:factor_of { { "version", ("version %s %s"):format(engine, version) } }
end

function Pooled:factor_of(list)
  local sum, open, right, key = 0, 0, {}, {}
  for _, one in ipairs(list) do
    local spread, at = self.spreads[one[1]], self.at[one[2]]
    if at then
      sum = sum + spread * self.x[at + 1]
      right[at + 1], key[#key + 1] = spread, one[2]
    else
      open = open + spread ^ 2
    end
  end
  local name = table.concat(key, "|")
  self.known[name] = self.known[name] or self:variance_of(right)
  return math.exp(sum), math.sqrt(self.known[name] + open)
end

-- Variance of a sum of unknowns, by position.
function Pooled:variance_of(right)
  local sum = 0
  for p = 1, self.count do right[p] = right[p] or 0 end
  for _, y in ipairs(linear.forward(self.L, right)) do sum = sum + y * y end
  return sum
end

-- 1 / variance of a configuration's own factor.
function Pooled:own_precision(configuration)
  return (self.own[configuration] or 1) / self.spreads.configuration ^ 2
end

--- A root of θ's covariance: vectors whose outer products sum to it.
---@param gpu string
---@param engine string
---@return number[][]  vectors of K
function Pooled:root(gpu, engine)
  local key = gpu .. "|" .. engine
  if self.roots[key] then return self.roots[key] end
  local columns, vectors = columns_of(self, gpu, engine), {}
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
---@param row table
---@return number
function Pooled:variance(row)
  local _, model = self:factor(row)
  return TAIL * (self.spreads.configuration ^ 2 + NOISE[row.set] ^ 2)
    + (REFERENCE[row.set] and 0 or SET ^ 2) + model ^ 2 + self:constants_variance(row)
end

--- What is open of a row beside its configuration's own factor and shape: variances of factors
--- (its model's, and its architecture's where nobody measured it), and of constants.
---@param row table
---@return number unknown, number constants
function Pooled:open(row)
  local _, model = self:factor(row)
  local unknown = (self.at["model " .. row.model] and model or pool.model_spread) ^ 2
  if not self.at["architecture " .. pool.architecture(row.gpu)] then
    unknown = unknown + pool.architecture_spread ^ 2
  end
  return unknown, self:constants_variance(row)
end

--- The mode. Rows have gpu, engine, set, configuration, model, precision, J (K effects, then 1) and
--- y; their weights are left in `weight`.
---@param rows table[]
---@param passes? integer
---@param spreads? tests.FactorSpreads
---@return tests.Pooled
function pool.solve(rows, passes, spreads)
  local at, count = layout(rows)
  local self = setmetatable({ at = at, count = count, roots = {}, known = {}, own = {},
    spreads = spreads or pool.FACTORS }, Pooled)
  for _, row in ipairs(rows) do row.weight = row.weight or 1 / NOISE[row.set] ^ 2 end
  for _ = 1, passes or PASSES do
    local A, b = assemble(self, rows)
    self.L = linear.cholesky(A)
    self.x = linear.backward(self.L, linear.forward(self.L, b))
    self:reweigh(rows)
  end
  return self
end

--- What θ and the row's set leave of y, and what its model's factors leave of that.
---@param rows table[]
---@return table<table, number> of_constants  by row
---@return table<table, number> of_factors
function Pooled:left(rows)
  local of_constants, of_factors = {}, {}
  for _, members in ipairs(grouped(rows)) do
    local one = members[1]
    local theta, factors = {}, 0
    for i = 1, K + 1 do theta[i] = 0 end
    for _, c in ipairs(columns_of(self, one.gpu, one.engine, one)) do
      theta[c[2]] = theta[c[2]] + c[3] * self.x[c[1]]
    end
    for _, f in ipairs(pool.factors(one)) do
      local p = self.at[f[2]]
      factors = factors + (p and self.spreads[f[1]] * self.x[p + 1] or 0)
    end
    for _, row in ipairs(members) do
      local sum = row.y
      for i = 1, K + 1 do sum = sum - row.J[i] * theta[i] end
      of_constants[row], of_factors[row] = sum + factors, sum
    end
  end
  return of_constants, of_factors
end

local function of_t(squared) return (FREEDOM + 1) / (FREEDOM + squared) end

-- Weights of Student's t: of rows from what is left once the configuration's own factor is out, of
-- configurations from that factor.
function Pooled:reweigh(rows)
  local _, left = self:left(rows)
  local own = {}
  for _, row in ipairs(rows) do
    local c = own[row.configuration] or { 0, self:own_precision(row.configuration) }
    own[row.configuration] = c
    c[1], c[2] = c[1] + row.weight * left[row], c[2] + row.weight
  end
  for _, row in ipairs(rows) do
    local c, s2 = own[row.configuration], NOISE[row.set] ^ 2
    row.weight = of_t((left[row] - c[1] / c[2]) ^ 2 / s2) / s2
  end
  for name, c in pairs(own) do
    self.own[name] = of_t((c[1] / c[2] / self.spreads.configuration) ^ 2)
  end
end

return pool
