--- Moments: now, and as text. The one writer of dates.
--
-- Owns the spellings, and the look at $SOURCE_DATE_EPOCH for those who want the same bytes twice.
-- Moments are nanoseconds since 1970 (UTC).
local date = {}

local SECOND_NS <const> = 1000000000

--- Now, or the time that $SOURCE_DATE_EPOCH says.
---@return integer utc_ns
function date.now_ns()
  local epoch = math.tointeger(tonumber(os.getenv "SOURCE_DATE_EPOCH" or ""))
  if epoch then return epoch * SECOND_NS end
  return require("tandem.core").utc_ns()
end

--- "2026-11-23 08:47", by the clock on this machine's wall: for people.
---@param utc_ns integer
---@return string
function date.minute(utc_ns)
  return os.date("%Y-%m-%d %H:%M", utc_ns // SECOND_NS) --[[@as string]]
end

--- "2026-11-23T08:47:11.000123Z" (ISO 8601, UTC): for programs.
---@param utc_ns integer
---@return string
function date.iso(utc_ns)
  return os.date("!%Y-%m-%dT%H:%M:%S", utc_ns // SECOND_NS) .. (".%06dZ"):format(
    utc_ns % SECOND_NS // 1000)
end

--- "20261123-084711" (UTC): for names of files.
---@param utc_ns integer
---@return string
function date.stamp(utc_ns)
  return os.date("!%Y%m%d-%H%M%S", utc_ns // SECOND_NS) --[[@as string]]
end

--- The day's beginning by the clock on this machine's wall, or so much later; nil for a day that is
--- in no calendar, such as 31 February.
---@param year integer
---@param month integer
---@param day integer
---@param hour? integer
---@param minute? integer
---@return integer|nil utc_ns
function date.of_wall(year, month, day, hour, minute)
  local midnight = os.time { year = year, month = month, day = day, hour = 0 }
  -- os.time takes 31 February for a day in March.
  local found = os.date("*t", midnight)
  if found.year ~= year or found.month ~= month or found.day ~= day then return nil end
  return os.time { year = year, month = month, day = day, hour = hour or 0, min = minute or 0 }
    * SECOND_NS
end

return date
