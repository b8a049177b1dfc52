--- Which sizes a stage's time grows with: the fewest terms that the visits support.
-- Owns the candidates (sizes of requests, bytes, pieces), what rules them out, and the choice: of
-- all sets of terms with no negative coefficient the one of least BIC, without terms whose t test
-- does not reach 1 %. Called by skeleton.lua, rest.lua and parameters.lua.

local core = require "tandem.core"
local linear = require "tandem.fit.linear"
local nearest = require "tandem.text.nearest"
local views = require "tandem.fit.view"

local terms = {}

local MOST <const> = 5         -- candidates: 2 × 2⁵ regressions
local LEAST_VISITS <const> = 20 -- below, nothing but a mean
local COLLINEAR <const> = 100  -- condition of centred columns: a correlation of 0.9998
local CERTAIN <const> = 0.995  -- two-sided 1 %
local STRONG <const> = 6       -- of BIC: what sizes must gain over a mean

---@class tandem.FitTerm
---@field name string                  "fixed", a size's name, "bytes" or "pieces"
---@field values fun(view: tandem.FitView): number[]

local function fixed()
  return { name = "fixed", values = function(v) return views.ones(v.count) end }
end

local function named(name)
  if name == "bytes" or name == "pieces" then
    return { name = name, values = function(v) return v[name] end }
  end
  return { name = name, values = function(v) return v.sizes[name] end }
end

local function columns_of(list)
  return function(view)
    local out = {}
    for i, term in ipairs(list) do out[i] = term.values(view) end
    return out
  end
end

local function centred(list)
  local mean, out = views.mean(list), {}
  for i, v in ipairs(list) do out[i] = v - mean end
  return out
end

-- The condition of the centred columns of some terms.
local function condition_of(view, list)
  local columns = {}
  for i, term in ipairs(list) do columns[i] = centred(term.values(view)) end
  local r, _, condition = core.estimate.regress(views.ones(view.count), columns, { power = 0 })
  return r and r.condition or condition or math.huge
end

-- Correlation with the times: which candidates to keep when there are too many.
local function strength(y, values)
  local a, b, xy, xx, yy = centred(y), centred(values), 0, 0, 0
  for i, v in ipairs(a) do xy, xx, yy = xy + v * b[i], xx + b[i] * b[i], yy + v * v end
  return xx * yy > 0 and math.abs(xy) / math.sqrt(xx * yy) or 0
end

--- The sizes that vary and can be told apart, and a line for each that cannot.
---@param view tandem.FitView
---@param y number[]
---@return tandem.FitTerm[]
---@return string[] left_out
function terms.candidates(view, y)
  local names = nearest.sorted_keys(view.sizes)
  -- What a copy moves comes before why it does.
  if view.bytes then table.insert(names, view.copies and 1 or #names + 1, "bytes") end
  if view.pieces then names[#names + 1] = "pieces" end
  local list, left_out = {}, {}
  if view.count < LEAST_VISITS then return list, left_out end
  for _, name in ipairs(names) do
    local term = named(name)
    local low, high = views.range(term.values(view))
    if low < high and low >= 0 then
      term.strength = strength(y, term.values(view))
      list[#list + 1] = term
    end
  end
  local kept = {}
  for _, term in ipairs(list) do
    kept[#kept + 1] = term
    local condition = #kept > 1 and condition_of(view, kept) or 1
    if condition > COLLINEAR then
      kept[#kept] = nil
      left_out[#left_out + 1] = ("%s grows with %s (condition %s): it cannot be told apart")
        :format(term.name, #kept == 1 and kept[1].name or "the other sizes",
          condition < 1e9 and ("%.0f"):format(condition) or "beyond 1e9")
    end
  end
  while #kept > MOST do
    local least = 1
    for i, term in ipairs(kept) do if term.strength < kept[least].strength then least = i end end
    table.remove(kept, least)
  end
  return kept, left_out
end

local function no_negative(fit)
  for _, b in ipairs(fit.b) do if b < 0 then return false end end
  return true
end

local function bic(fit, k) return -2 * fit.fit.log_likelihood + k * math.log(fit.count) end

-- The best set of terms that leaves out those whose test failed.
local function best_of(view, y, candidates, banned)
  local best, best_bic, best_list
  for mask = 0, (1 << #candidates) - 1 do
    for with_fixed = 1, 0, -1 do
      local list = with_fixed == 1 and { fixed() } or {}
      local allowed = #candidates > 0 or with_fixed == 1
      for i, term in ipairs(candidates) do
        if mask & (1 << (i - 1)) ~= 0 then
          list[#list + 1] = term
          allowed = allowed and not banned[term.name]
        end
      end
      if allowed and #list > 0 then
        local fit = linear.fit(view, y, columns_of(list))
        local value = fit and no_negative(fit) and bic(fit, #list)
        -- A size that hardly varies is as good as a constant, which is simpler.
        if value and not (#list == 1 and list[1].name == "fixed") then value = value + STRONG end
        if value and (not best or value < best_bic - 1e-9) then
          best, best_bic, best_list = fit, value, list
        end
      end
    end
  end
  return best, best_list
end

--- The model of a stage's times.
---@param view tandem.FitView
---@param y number[]
---@return (tandem.FitLinear|{ terms: tandem.FitTerm[] })|nil  nil when there is no time to fit
---@return string[] left_out
function terms.choose(view, y)
  if #y == 0 or views.sum(y) <= 0 then return nil, {} end
  local candidates, left_out = terms.candidates(view, y)
  local banned = {}
  while true do
    local fit, list = best_of(view, y, candidates, banned)
    if not fit then return nil, left_out end
    local worst, worst_t
    for i, term in ipairs(list) do
      local t = fit.errors[i] > 0 and fit.b[i] / fit.errors[i] or math.huge
      if term.name ~= "fixed" and (not worst or t < worst_t) then worst, worst_t = term, t end
    end
    if not worst or worst_t >= core.stats.student_quantile(CERTAIN, fit.df) then
      fit.terms = list
      return fit, left_out
    end
    banned[worst.name] = true
  end
end

-- The addends of a formula that is a sum of numbers and of numbers times sizes; false otherwise.
local function addends(e, out)
  if type(e) == "number" then
    out[#out + 1] = "fixed"
  elseif e[1] == "add" then
    return addends(e[2], out) and addends(e[3], out)
  elseif e[1] == "attr" then
    out[#out + 1] = e[2]
  elseif e[1] == "mul" or e[1] == "div" then
    local size, number = e[2], e[3]
    if e[1] == "mul" and type(size) == "number" then size, number = number, size end
    if type(number) ~= "number" or type(size) ~= "table" or size[1] ~= "attr" then return false end
    out[#out + 1] = size[2]
  else
    return false
  end
  return true
end

-- What a formula calls a size of these visits.
local function size_called(view, attribute)
  local call = require("tandem.visits.arrivals").attribute
  for _, name in ipairs(nearest.sorted_keys(view.sizes)) do
    if call(name) == attribute then return name end
  end
  for _, name in ipairs { "bytes", "pieces" } do
    if view[name] and call(view.stage .. "_" .. name) == attribute then return name end
  end
end

--- The terms of a scenario's formula, when it is a sum of them: fitted as they stand, none chosen.
---@param view tandem.FitView
---@param cost any  a checked cost
---@return (tandem.FitLinear|{ terms: tandem.FitTerm[] })|nil
---@return string|nil message
function terms.as_written(view, cost)
  local names, list, seen = {}, {}, {}
  if type(cost) ~= "table" or cost.fn or not addends(cost, names) then
    return nil, "is a formula of your own that is not a sum of sizes"
  end
  for _, attribute in ipairs(names) do
    local name = attribute == "fixed" and "fixed" or size_called(view, attribute)
    if not name then
      return nil, ("reads r.%s, a size that the capture does not have"):format(attribute)
    end
    if not seen[name] then list[#list + 1] = name == "fixed" and fixed() or named(name) end
    seen[name] = true
  end
  local fit, message, condition = linear.fit(view, view.own, columns_of(list))
  if not fit then
    return nil, condition and ("has terms that cannot be told apart: %s"):format(message) or message
  end
  if not no_negative(fit) then return nil, "has a term that would be negative" end
  fit.terms = list
  return fit
end

--- A mean, whatever the sizes.
---@param view tandem.FitView
---@param y number[]
---@return (tandem.FitLinear|{ terms: tandem.FitTerm[] })|nil
---@return string|nil message
function terms.mean(view, y)
  local list = { fixed() }
  local fit, message = linear.fit(view, y, columns_of(list))
  if fit then fit.terms = list end
  return fit, message
end

terms.columns_of, terms.fixed, terms.named = columns_of, fixed, named

return terms
