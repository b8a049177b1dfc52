--- Names as clusters take them for what runs there (RFC 1123): lower case, digits and dashes.
local label = {}

-- Of the 63 that are allowed, so that endings have room.
local MOST <const> = 50

--- The nearest such name to a text; `otherwise` where nothing of it is left.
---@param text string
---@param otherwise string
---@return string
function label.of(text, otherwise)
  local out = text:lower():gsub("[^a-z0-9-]+", "-"):gsub("^%-+", ""):sub(1, MOST):gsub("%-+$", "")
  return out ~= "" and out or otherwise
end

return label
