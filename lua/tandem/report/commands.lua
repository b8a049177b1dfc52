--- Commands to suggest: spelt so that they work when copied into a shell.
local shell = require "tandem.text.shell"

local commands = {}

--- `tandem COMMAND FILE --set …` with the settings of the run at hand.
---@param command string
---@param file string
---@param settings? string[]
---@param trusted? boolean  it was run with all of Lua
---@return string
function commands.of(command, file, settings, trusted)
  local parts = { "tandem", command, shell.word(file) }
  if trusted then parts[#parts + 1] = "--trusted" end
  for index, setting in ipairs(settings or {}) do
    if index == 1 then
      parts[#parts + 1] = "--set"
    end
    parts[#parts + 1] = shell.word(setting)
  end
  return table.concat(parts, " ")
end

return commands
