--- Variants as a command line writes them: "NAME: KEY=VALUE …", and "STAGE*FACTOR" where stages can
--- be scaled.
--
-- Owns the spelling. Used by whatif and fit.
local load = require "tandem.cli.load"

local variants = {}

--- The option of both commands.
---@type tandem.Option
variants.option = { "--variant", value = "TEXT", collect = true,
  help = "A name and what it changes: --variant \"2x link: target.h2d=50GB/s\"; a value with "
    .. "spaces in quotes: --variant \"H200: gpu='H200 SXM'\". May be repeated." }

-- The words of a text, a value in quotes being one with what stands before it; nil and the word
-- whose quote does not end.
local function words_of(text)
  local words, at = {}, text:find "%S"
  while at do
    local before, quote = text:match("^([^%s=]+=)([\"'])", at)
    local last
    if quote then
      local closing = text:find(quote, at + #before + 1, true)
      if not closing or not text:find("^%f[%s\0]", closing + 1) then
        return nil, text:match("^%S+", at)
      end
      words[#words + 1] = before .. text:sub(at + #before + 1, closing - 1)
      last = closing
    else
      words[#words + 1] = text:match("^%S+", at)
      last = at + #words[#words] - 1
    end
    at = text:find("%S", last + 1)
  end
  return words
end

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
    local words, open = words_of(rest)
    if not words then
      return nil, ("--variant: the quotes of %s do not end with the value"):format(open)
    end
    for _, word in ipairs(words) do
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
      return nil, ("--variant wants \"NAME: KEY=VALUE …\"%s; %s"):format(
        #settings > 1 and ", a value with spaces in quotes" or "",
        (wrong:gsub("^%-%-set ", "it ")))
    end
    changes.scale = scale
    list[#list + 1] = { name, changes }
  end
  return list
end

return variants
