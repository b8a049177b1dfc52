--- In what order a request's attributes are worked out: each after those that it reads.
-- Owns that order and the search for rings. Called by scenario.lua, which says what is wrong, and
-- by lower/init.lua, whose slots have this order.

local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"

local attributes = {}

-- Which attributes each of them reads, in any class. What a recording gives, reads nothing.
local function reads(checked)
  local out = {}
  for _, class in ipairs(checked.resolved) do
    local recorded = class.arrivals.data and class.arrivals.data.attrs or {}
    for name, value in next, class.attrs do
      out[name] = out[name] or {}
      if type(value) == "table" and not value.fn and not recorded[name] then
        expr.walk(value, function(n)
          if type(n) == "table" and n[1] == "attr" then out[name][n[2]] = true end
        end)
      end
    end
  end
  return out
end

--- The names in an order in which none reads a later one; by name where that does not say.
---@param checked table  the checked scenario, classes resolved
---@param names string[] sorted
---@return string[]
---@return string[]|nil ring  names that read each other in turn, if there are such
function attributes.order(checked, names)
  local read, out, state, ring = reads(checked), {}, {}, nil
  local path = {}
  local function visit(name)
    if state[name] == "done" then return end
    if state[name] == "open" then
      for i, other in ipairs(path) do
        if other == name then ring = ring or table.move(path, i, #path, 1, {}) end
      end
      return
    end
    state[name] = "open"
    path[#path + 1] = name
    for _, other in ipairs(nearest.sorted_keys(read[name] or {})) do visit(other) end
    path[#path] = nil
    state[name] = "done"
    out[#out + 1] = name
  end
  for _, name in ipairs(names) do visit(name) end
  return out, ring
end

return attributes
