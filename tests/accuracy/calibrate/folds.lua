-- Fifths of the configurations, the same everywhere. Called by leave_out.lua and estimate.lua.

local folds = {}

folds.COUNT = 5

-- FNV-1a.
local function hash(text)
  local h = 0xcbf29ce484222325
  for i = 1, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  return (h ~ (h >> 29)) & 0x7fffffff
end

--- Which of them a row is in.
---@param row { configuration: string }
---@return integer  from 0
function folds.of(row) return hash(row.configuration) % folds.COUNT end

return folds
