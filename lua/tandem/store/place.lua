--- Where runs are kept unless told, and the time that they are dated with.
--
-- Owns the two looks at the environment: $TANDEM_STORE, and $SOURCE_DATE_EPOCH for those who want
-- the same bytes twice. Used by every command that keeps or reads runs, sweeps included.
local place = {}

place.DEFAULT = "tandem.db"

--- The store of a command: what was given, else $TANDEM_STORE, else tandem.db in the working
--- directory.
---@param given? string
---@return string
function place.path(given)
  if given then return given end
  local named = os.getenv "TANDEM_STORE"
  return named and named ~= "" and named or place.DEFAULT
end

--- Nanoseconds since 1970.
---@return integer
function place.now_ns()
  local epoch = math.tointeger(tonumber(os.getenv "SOURCE_DATE_EPOCH" or ""))
  if epoch then return epoch * 1000000000 end
  return require("tandem.core").utc_ns()
end

return place
