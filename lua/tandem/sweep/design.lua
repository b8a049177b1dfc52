--- Designs: which points of the axes' space are simulated, each by its number.
-- Owns the order of a grid, random and Latin-hypercube draws and their generator. A point is made
-- when it is asked for: ten million of them take no memory. Called by sweep/study.
local core = require "tandem.core"
local axes = require "tandem.sweep.axes"
local range = require "tandem.sweep.range"

local design = {}

---@class tandem.Design
---@field kind "grid"|"list"|"random"|"lhs"
---@field count integer
---@field point fun(number: integer): (tandem.AxisValue|false)[]  of the numbers 1 … count

design.kinds = { "grid", "list", "random", "lhs" }

--- More points than a sweep may have.
design.MOST = 10000000

-- Of a seed and a number: the same whatever was drawn before.
local mix <const>, fraction <const> = core.mix, core.fraction

-- A seed for each axis, by its name: an axis more does not change what the others draw.
local function axis_seed(seed, name)
  local h = mix(seed, 1)
  for i = 1, #name do h = mix(h ~ name:byte(i), 1) end
  return h
end

-- The value of an axis at a fraction of its way.
local function at(axis, share)
  if axis.values then return axis.values[math.floor(share * #axis.values) + 1] end
  return axes.number(range.at(axis.range, share), axis.dim)
end

--- Every combination; the last axis changes fastest.
---@param list tandem.Axis[]
---@return tandem.Design|nil
---@return string|nil message
function design.grid(list)
  local count, words = 1, {}
  for i, axis in ipairs(list) do
    count = count * #axis.values
    words[i] = ("%d"):format(#axis.values)
    if count > design.MOST then
      for k = i + 1, #list do words[k] = ("%d"):format(#list[k].values) end
      return nil, ("a grid of %s points is more than %d; take fewer values, or design = \"lhs\" "
        .. "with points = 1000"):format(table.concat(words, " × "), design.MOST)
    end
  end
  return { kind = "grid", count = count, point = function(number)
    local out, rest = {}, number - 1
    for i = #list, 1, -1 do
      local values = list[i].values
      out[i] = values[rest % #values + 1]
      rest = rest // #values
    end
    return out
  end }
end

--- Independent points.
---@param list tandem.Axis[]
---@param count integer
---@param seed integer
---@return tandem.Design
function design.random(list, count, seed)
  local seeds = {}
  for i, axis in ipairs(list) do seeds[i] = axis_seed(seed, axis.name) end
  return { kind = "random", count = count, point = function(number)
    local out = {}
    for i, axis in ipairs(list) do out[i] = at(axis, fraction(seeds[i], number)) end
    return out
  end }
end

--- A Latin hypercube: each axis is cut into as many strata as there are points, and each stratum
--- has one.
---@param list tandem.Axis[]
---@param count integer
---@param seed integer
---@return tandem.Design
function design.lhs(list, count, seed)
  local seeds, strata = {}, {}
  for i, axis in ipairs(list) do
    local own = axis_seed(seed, axis.name)
    local order = {}
    for k = 1, count do order[k] = k - 1 end
    for k = count, 2, -1 do
      local other = 1 + math.floor(fraction(own, count + k) * k)
      order[k], order[other] = order[other], order[k]
    end
    seeds[i], strata[i] = own, order
  end
  return { kind = "lhs", count = count, point = function(number)
    local out = {}
    for i, axis in ipairs(list) do
      local share = (strata[i][number] + fraction(seeds[i], number)) / count
      out[i] = at(axis, math.min(share, 1 - 2.0 ^ -53))
    end
    return out
  end }
end

--- The points that were listed.
---@param rows (tandem.AxisValue|false)[][]
---@return tandem.Design
function design.list(rows)
  return { kind = "list", count = #rows, point = function(number) return rows[number] end }
end

return design
