--- A file that is read whole.
--
-- Owns nothing. Used by whatever takes a small file: scripts, rules, maps, notebooks, settings.
local infile = {}

--- The text of a file.
---@param path string
---@return string|nil text
---@return string|nil message
---@return integer|nil code  4
function infile.read(path)
  local file <close>, message = io.open(path, "rb")
  if not file then return nil, "cannot read " .. message, 4 end
  local text, why = file:read "a"
  if not text then return nil, ("cannot read %s: %s"):format(path, why), 4 end
  return text
end

return infile
