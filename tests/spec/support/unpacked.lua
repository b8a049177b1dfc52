--- What gzip or zstd has packed, as the program reads it, whole; tables of Arrow as CSV.
local core = require "tandem.core"

---@param bytes string
---@return string|nil
---@return string|nil message  "memory: …"
return function(bytes)
  local pieces, message = core.pieces(nil, bytes)
  local parts = {}
  while pieces do
    local piece, why = pieces:next()
    if not piece then return nil, why end
    if piece == "" then return table.concat(parts) end
    parts[#parts + 1] = piece
  end
  return nil, message
end
