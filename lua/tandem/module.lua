--- Shared objects of tandem's own: heavy libraries that are loaded only when a command needs them.
--
-- Owns where they lie: beside the program, in the folder above it, or where `make install` puts
-- them. Used by what wraps one: serve, upload, jupyter.
local module = {}

--- What a shared object's opener gives.
---@param file string    "serve.so"
---@param opener string  the C function's name
---@param missing string what to say where the file is not
---@return table|nil functions
---@return string|nil message
function module.open(file, opener, missing)
  local program = require("tandem.core").executable()
  local directory = program and program:match "^(.*)/[^/]*$" or "."
  for _, folder in ipairs { "/", "/../", "/../lib/tandem/" } do
    local path = directory .. folder .. file
    local there = io.open(path, "rb")
    if there then
      there:close()
      local open, why = package.loadlib(path, opener)
      if not open then return nil, ("%s cannot be loaded: %s"):format(path, why) end
      return open()
    end
  end
  return nil, missing
end

return module
