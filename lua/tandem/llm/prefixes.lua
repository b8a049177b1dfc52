--- How many tokens a prefix hash of an LLM server covers: its pools and all who ask it agree.
-- Owns the choice only. Recorded prompts have blocks of their own; where a server has no other
-- prefixes its hashes are as long as those, which is exact and the cheapest. Called by
-- check/scenario.lua, which says what is wrong, and by lower/servers.lua.

local prefixes = {}

-- The blocks of all pools: the largest, a multiple of every other.
local function block_tokens(server)
  local largest = 1
  for _, pool in ipairs(server.pools) do
    largest = math.max(largest, pool.shape.engine.block_tokens)
  end
  for _, pool in ipairs(server.pools) do
    local own = pool.shape.engine.block_tokens
    if largest % own ~= 0 then
      return nil, ("pools share prefixes in blocks of %d and %d tokens; one must be a multiple of "
        .. "the other (engine.block_tokens)"):format(own, largest)
    end
  end
  return largest
end

-- Tokens of recorded blocks that requests bring to the server, and whether any request names its
-- prefix otherwise.
local function asked(checked, name)
  local recorded, otherwise = {}, false
  for _, class in ipairs(checked.resolved) do
    local blocks = class.arrivals.data and class.arrivals.data.blocks
    require("tandem.check.scenario").each_step(class.pipeline, function(step)
      if step.type ~= "generate" or step.name ~= name then return end
      if step.prefix or step.history then
        otherwise = true
      elseif blocks then
        recorded[#recorded + 1] = blocks.tokens
      end
    end)
  end
  return recorded, otherwise
end

--- Tokens of a hash of a planned server.
---@param checked table  the checked scenario, classes resolved
---@param server table   as pools.plan has it
---@return integer|nil
---@return string|nil problem
function prefixes.tokens(checked, server)
  local own, why = block_tokens(server)
  if not own then return nil, why end
  local recorded, otherwise = asked(checked, server.name)
  local least = math.huge
  for _, tokens in ipairs(recorded) do
    if tokens % own ~= 0 and own % tokens ~= 0 then
      return nil, ("recorded prompts have blocks of %d tokens, and those of its KV cache have %d; "
        .. "one must be a multiple of the other (engine.block_tokens)"):format(tokens, own)
    end
    least = math.min(least, math.max(tokens, own))
  end
  for _, tokens in ipairs(recorded) do
    if math.max(tokens, own) % least ~= 0 then least = own end
  end
  return (otherwise or least == math.huge) and own or math.tointeger(least)
end

return prefixes
