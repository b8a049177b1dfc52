--- Specifications of keys that several types have.

local keys = {}

--- A cost: a number, a unit string, a distribution, an expression or a function of r.
---@param dim string|nil
---@param options table|nil
---@return table
function keys.cost(dim, options)
  options = options or {}
  options.kind, options.dim, options.cost = "quantity", dim, true
  return options
end

--- A plain quantity.
---@param dim string
---@param options table|nil
---@return table
function keys.quantity(dim, options)
  options = options or {}
  options.kind, options.dim = "quantity", dim
  return options
end

keys.jitter = { kind = "jitter" }
keys.batch = { kind = "batch" }
keys.on = { kind = "place" }

return keys
