--- A store that was made for a run goes again where the run does not come.
--
-- Owns the question whether a store is empty and nobody else's. Called by whatever keeps a run:
-- import, capture, simulations.
local core = require "tandem.core"

local made = {}

-- Whether no table has a row.
local function is_empty(db)
  for _, row in ipairs(db:all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name"
    .. " NOT LIKE 'sqlite_%'") or {}) do
    local found, why = db:one(('SELECT 1 AS one FROM "%s" LIMIT 1'):format(row.name))
    if found or why then return false end
  end
  return true
end

-- Whoever waits for the store meanwhile learns that it was replaced, and has lost nothing.
local function remove_empty(path)
  if core.files.size(path) == 0 then
    os.remove(path)
    return
  end
  local db <close> = require("tandem.store.repair").open_alone(path)
  if db and is_empty(db) then os.remove(path) end
end

--- What `work` returns for its arguments. Where that is nil, a store at `path` that was not there
--- before is removed, unless somebody has put something into it.
---@generic T, A
---@param path string
---@param work fun(...: A): T|nil, string|nil, integer|nil
---@param ... A
---@return T|nil
---@return string|nil message
---@return integer|nil code
function made.by(path, work, ...)
  local there, unknown = core.files.size(path)
  local done, message, code = work(...)
  if not done and not there and not unknown and core.files.size(path) then remove_empty(path) end
  return done, message, code
end

return made
