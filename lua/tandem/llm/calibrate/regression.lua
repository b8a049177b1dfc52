--- Coefficients of terms from times: least squares with coefficients that cannot be negative, terms
-- taken only as far as the data tell them apart, errors by resampling.
--
-- A row is one measured time: y = Σ b × x, with the variance of its noise taken to grow with y
-- within a group of rows (weight 1 / (y × the group's mean)), so that predicted means stay near the
-- measured ones; groups weigh as their noise allows. Neighbours in time share engine steps and
-- their errors; resampling takes blocks of neighbours. Owns normal equations and the choice of
-- terms, no clock and no chance but its own seed. Called by the files of this folder.

local core = require "tandem.core"
local nearest = require "tandem.text.nearest"

local regression = {}

---@class tandem.llm.Row
---@field y number               seconds
---@field x table<string, number>  terms
---@field group string           rows of one kind: ttft, tpot, step
---@field position integer       of its request or step in time

---@class tandem.llm.Regression
---@field names string[]                  terms in use, in order of preference
---@field b table<string, number>         coefficients; terms that are not in use have none
---@field errors table<string, number>    standard errors
---@field draws table<string, number>[]   coefficients of resampled data
---@field refused { name: string, why: string }[]
---@field rows integer

local BLOCKS <const> = 24       -- of neighbours, for resampling
local DRAWS <const> = 200
-- A term of whose weighted square less than this share is its own cannot be told from the others.
local OWN_LEAST <const> = 1e-3
local OWN_SMALL <const> = 0.1
local RATIO_MOST <const> = 1e3 -- between the variances of groups
local ROUNDS <const> = 3        -- of weights and coefficients
local F <const> = 4             -- of one more term, at 5 % with many rows

-- ---- normal equations

local function zeros(k)
  local n = { rows = 0, yy = 0, xy = {}, xx = {} }
  for i = 1, k do
    n.xy[i], n.xx[i] = 0.0, {}
    for j = 1, k do n.xx[i][j] = 0.0 end
  end
  return n
end

local function add(to, from, times)
  to.rows, to.yy = to.rows + times * from.rows, to.yy + times * from.yy
  for i = 1, #from.xy do
    to.xy[i] = to.xy[i] + times * from.xy[i]
    local into, out = to.xx[i], from.xx[i]
    for j = 1, #out do into[j] = into[j] + times * out[j] end
  end
end

--- The weight of a row within its group, and of the group: 1 / the variance that `b` leaves of it.
local function weights_of(rows, b)
  local sums, counts, left = {}, {}, {}
  local names = nearest.sorted_keys(b or {}) -- sums must not depend on the order of keys
  for _, row in ipairs(rows) do
    local g = row.group
    sums[g], counts[g] = (sums[g] or 0) + row.y, (counts[g] or 0) + 1
  end
  -- Tiny times are mostly noise of their own.
  local function within(row)
    local mean = sums[row.group] / counts[row.group]
    return 1 / (mean * math.max(row.y, 0.05 * mean))
  end
  for _, row in ipairs(rows) do
    local miss = row.y
    for _, name in ipairs(names) do miss = miss - b[name] * (row.x[name] or 0) end
    left[row.group] = (left[row.group] or 0) + within(row) * miss * miss / counts[row.group]
  end
  local least = math.huge
  for _, value in pairs(left) do least = math.min(least, value) end
  return function(row)
    local variance = b and math.max(left[row.group], 1e-12) / math.max(least, 1e-12) or 1
    return within(row) / math.min(variance, RATIO_MOST) / counts[row.group]
  end, left
end

--- How far `b` is from the rows: the product over groups of the variance that it leaves.
---@param rows tandem.llm.Row[]
---@param b table<string, number>
---@return number
function regression.loss(rows, b)
  local _, left = weights_of(rows, b)
  local loss = 1
  for _, value in pairs(left) do loss = loss * math.max(value, 1e-18) end
  return loss
end

--- One set of normal equations a block of neighbours.
local function blocks_of(rows, names, b)
  local weight, last = weights_of(rows, b), 0
  for _, row in ipairs(rows) do last = math.max(last, row.position) end
  local blocks = {}
  for i = 1, BLOCKS do blocks[i] = zeros(#names) end
  for _, row in ipairs(rows) do
    local n = blocks[math.min(BLOCKS, 1 + (row.position - 1) * BLOCKS // math.max(last, 1))]
    local w = weight(row)
    n.rows, n.yy = n.rows + 1, n.yy + w * row.y * row.y
    for i, name in ipairs(names) do
      local x = row.x[name] or 0
      if x ~= 0 then
        n.xy[i] = n.xy[i] + w * x * row.y
        local xx = n.xx[i]
        for j, other in ipairs(names) do xx[j] = xx[j] + w * x * (row.x[other] or 0) end
      end
    end
  end
  return blocks
end

-- ---- solving

--- Least squares over the terms `use` (positions in names): Cholesky of the scaled matrix, which
--- fails where a term is nearly a sum of those before it. → coefficients, or nil and the term's
--- position.
local function solve(n, use)
  local k, l, z = #use, {}, {}
  local scale = {}
  for i, p in ipairs(use) do
    scale[i] = math.sqrt(n.xx[p][p])
    if scale[i] == 0 then return nil, i end
  end
  for i = 1, k do
    l[i] = {}
    for j = 1, i do
      local left = n.xx[use[i]][use[j]] / (scale[i] * scale[j])
      for m = 1, j - 1 do left = left - l[i][m] * l[j][m] end
      if i > j then
        l[i][j] = left / l[j][j]
      else
        if left < OWN_LEAST * 1e-3 then return nil, i end
        l[i][i] = math.sqrt(left)
      end
    end
    local left = n.xy[use[i]] / scale[i]
    for m = 1, i - 1 do left = left - l[i][m] * z[m] end
    z[i] = left / l[i][i]
  end
  local b = {}
  for i = k, 1, -1 do
    local left = z[i]
    for m = i + 1, k do left = left - l[m][i] * b[m] end
    b[i] = left / l[i][i]
  end
  for i = 1, k do b[i] = b[i] / scale[i] end
  return b
end

--- Share of a term's weighted square that the terms `use` do not explain.
local function own_share(n, use, p)
  if n.xx[p][p] == 0 then return 0 end
  local shadow = { xx = n.xx, xy = n.xx[p] }
  local b = solve(shadow, use)
  if not b then return 0 end
  local explained = 0
  for i, q in ipairs(use) do explained = explained + b[i] * n.xx[p][q] end
  return 1 - explained / n.xx[p][p]
end

--- Least squares with coefficients ≥ 0: the most negative leaves until none is. `use` is kept.
local function solve_positive(n, use)
  use = table.move(use, 1, #use, 1, {})
  while #use > 0 do
    local b, bad = solve(n, use)
    if b then
      bad = nil
      for i, value in ipairs(b) do
        if value < 0 and (not bad or value * math.sqrt(n.xx[use[i]][use[i]])
          < b[bad] * math.sqrt(n.xx[use[bad]][use[bad]])) then bad = i end
      end
      if not bad then return b, use end
    end
    table.remove(use, bad)
  end
  return {}, use
end

local function left_over(n, b, use)
  local left = n.yy
  for i, p in ipairs(use) do
    left = left - 2 * b[i] * n.xy[p]
    for j, q in ipairs(use) do left = left + b[i] * b[j] * n.xx[p][q] end
  end
  return math.max(left, 0)
end

-- ---- resampling

local function generator(seed)
  local drawn = 0
  return function(n) -- 1 … n
    drawn = drawn + 1
    return 1 + (core.mix(seed, drawn) >> 1) % n
  end
end

local function draws_of(blocks, names, use, seed)
  local filled = {}
  for _, block in ipairs(blocks) do
    if block.rows > 0 then filled[#filled + 1] = block end
  end
  local pick, draws = generator(seed), {}
  for d = 1, DRAWS do
    local n = zeros(#names)
    for _ = 1, #filled do add(n, filled[pick(#filled)], 1) end
    local b, kept = solve_positive(n, use)
    local draw = {}
    for _, p in ipairs(use) do draw[names[p]] = 0.0 end
    for i, p in ipairs(kept) do draw[names[p]] = b[i] end
    draws[d] = draw
  end
  return draws
end

local function spread(draws, name)
  local list = {}
  for i, draw in ipairs(draws) do list[i] = draw[name] end
  local _, sd = core.stats.moments(list)
  return sd
end

-- ---- the choice of terms

-- Tries one more term; what is in use already does not give way to it.
local function try(n, use, p, left)
  if n.xx[p][p] == 0 then return nil, "nothing in the data asks for it" end
  local own = own_share(n, use, p)
  if own < OWN_LEAST then return nil, "the data cannot tell it from the others" end
  local trial = table.move(use, 1, #use, 1, {})
  trial[#trial + 1] = p
  local b, kept = solve_positive(n, trial)
  if #kept < #trial then return nil, "it came out negative" end
  local now = left_over(n, b, kept)
  if (left - now) * math.max(n.rows - #kept, 1) <= F * math.max(now, 1e-300) then
    return nil, own < OWN_SMALL and "the others stand for it, if it has an effect"
      or "no effect is seen"
  end
  return { use = kept, b = b, left = now }
end

--- Terms in order of preference, each taken where the data can tell it from those in use, where it
--- explains more than noise would and where none of those gets negative; after each, those that are
--- more needed are asked again, since the effect of one may hide that of another.
local function choose(n, names, why)
  local now, used, p = { use = {}, b = {}, left = n.yy }, {}, 1
  while p <= #names do
    local better
    if not used[p] then better, why[names[p]] = try(n, now.use, p, now.left) end
    if better then
      now, used[p], p = better, true, 1
    else
      p = p + 1
    end
  end
  return now.use, now.b
end

---@param rows tandem.llm.Row[]
---@param names string[]  terms that may be used, the most needed first
---@param options { seed: integer?, errors: boolean? }|nil  errors = false: none, which is faster
---@return tandem.llm.Regression|nil
---@return string|nil message
function regression.fit(rows, names, options)
  options = options or {}
  local blocks, why, use, b, by_name
  for _ = 1, ROUNDS do
    local all = zeros(#names)
    blocks, why = blocks_of(rows, names, by_name), {}
    for _, block in ipairs(blocks) do add(all, block, 1) end
    use, b = choose(all, names, why)
    by_name = {}
    for i, p in ipairs(use) do by_name[names[p]] = b[i] end
  end
  if #use == 0 then return nil, "no time grows with anything that was done" end
  local out = { names = {}, b = {}, errors = {}, refused = {}, rows = #rows }
  for i, p in ipairs(use) do
    out.names[i], out.b[names[p]] = names[p], b[i]
  end
  for _, name in ipairs(names) do
    if not out.b[name] then
      out.refused[#out.refused + 1] = { name = name, why = why[name] or "it came out negative" }
    end
  end
  if options.errors == false then return out end
  out.draws = draws_of(blocks, names, use, options.seed or 1)
  for _, name in ipairs(out.names) do out.errors[name] = spread(out.draws, name) end
  return out
end

return regression
