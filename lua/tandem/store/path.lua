--- Where runs are kept by default: the one look at $TANDEM_STORE.
--
-- Used by every command that keeps or reads runs, sweeps included.
local path = {}

local DEFAULT = "tandem.db"

--- The store of a command: what was given, else $TANDEM_STORE, else tandem.db in the working
--- directory.
---@param given? string
---@return string
function path.of(given)
  if given then return given end
  local named = os.getenv "TANDEM_STORE"
  return named and named ~= "" and named or DEFAULT
end

return path
