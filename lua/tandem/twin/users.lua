--- A twin whose users each have a prefix of their own.
--
-- Metrics say how much was found in the cache, not by how many different users. Who knows their
-- number gets the prefix that a user must have for as much to be found: it is moved until the
-- simulated server, with the cache that the real one has, finds as much. Called by twin.

local steps = require "tandem.twin.steps"

local users = {}

local ROUNDS <const> = 8
local NEAR <const> = 0.01 -- of the share that is found

-- Share of the tokens asked for that were found, over the second half: a simulation begins with an
-- empty cache.
local function share(merged, names)
  local hits, queries = merged:gained(names.hits), merged:gained(names.queries)
  local h, q = 0, 0
  for k = #hits // 2 + 1, #hits do h, q = h + hits[k], q + queries[k] end
  return q > 0 and h / q or 0
end

--- The prefix of each user; nil and why none finds as much. `setting` has users and prompts, and
--- is left with the prefix.
---@param setting table
---@param context table   as steps.fit takes it
---@param constants table  of a step, before it is fitted
---@param found number     share that was found
---@return integer|nil prefix
---@return string|nil why
function users.prefix(setting, context, constants, found)
  local block = setting.engine.block_tokens or 16
  local longest = setting.prompts.edges[#setting.prompts.edges] // block * block
  local low, high, best, off = 0, longest, nil, math.huge
  local guess = math.min(longest, setting.prompts.mean * found * 1.2)
  for _ = 1, ROUNDS do
    setting.prefix = math.max(block, math.floor(guess / block + 0.5) * block)
    local sim, message = steps.simulate(context, constants)
    if not sim then return nil, message end
    local seen = share(sim, context.twin_names)
    if math.abs(seen - found) < off then best, off = setting.prefix, math.abs(seen - found) end
    if seen < found then low = setting.prefix else high = setting.prefix end
    if off < NEAR * found or high - low <= block then break end
    guess = (low + high) / 2
  end
  setting.prefix = best
  if off > 0.1 * found then
    return nil, ("so many users, each with a prefix of its own, do not find %.0f %% of their "
      .. "prompts again in this cache within the recording"):format(100 * found)
  end
  return best
end

return users
