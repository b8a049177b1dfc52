--- Variants as a command line writes them: "NAME: KEY=VALUE …", and "STAGE*FACTOR" where stages can
--- be scaled.
--
-- Owns the spelling. Used by whatif and fit.
local load = require "tandem.cli.load"

local variants = {}

--- The option of both commands.
---@type tandem.Option
variants.option = { "--variant", value = "TEXT", collect = true,
  help = "A name and what it changes: --variant \"2x link: target.h2d=50GB/s\". May be repeated." }

--- Reads variants into what td.whatif and fit:whatif take.
---@param texts string[]
---@param scales? boolean  whether "compute*0.6" makes a stage take so many times as long
---@return table[]|nil list  { { name, changes }, … }
---@return string|nil message
function variants.read(texts, scales)
  local list = {}
  for _, text in ipairs(texts) do
    local name, rest = text:match "^%s*(.-)%s*:%s+(.+)$"
    if not name then
      name, rest = text:match "^%s*(.-)%s*$", text
    end
    local settings, scale = {}, nil
    for word in rest:gmatch "%S+" do
      local stage, factor = word:match "^([^=]+)%*([^=*]+)$"
      if scales and stage then
        scale = scale or {}
        scale[stage] = tonumber(factor)
        if not scale[stage] then
          return nil, ("--variant: '%s' wants STAGE*FACTOR, such as compute*0.6"):format(word)
        end
      else
        settings[#settings + 1] = word
      end
    end
    local changes, wrong = load.overrides(settings)
    if not changes then
      return nil, ("--variant wants \"NAME: KEY=VALUE …\"; %s"):format(
        (wrong:gsub("^%-%-set ", "it ")))
    end
    changes.scale = scale
    list[#list + 1] = { name, changes }
  end
  return list
end

return variants
