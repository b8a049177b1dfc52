--- Shared objects of tandem's own: heavy libraries that are loaded only when a command needs them.
--
-- Owns where they lie (beside the program, in the folder above it, or where `make install` puts
-- them), what each brings, and what to install where one is not. Used by what wraps one: serve,
-- mcp, upload, jupyter, sweep. HDF5's is C's own: src/base/module.h.
local module = {}

local BRINGS <const> = {
  serve = { "server", "libmicrohttpd-dev" },
  upload = { "uploads", "libcurl4-openssl-dev" },
  jupyter = { "kernel for Jupyter", "libzmq3-dev" },
  mpi = { "sweeps over MPI", "libopenmpi-dev" },
}

--- Where a shared object lies.
---@param name "serve"|"upload"|"jupyter"|"mpi"
---@return string|nil path
---@return string|nil message  what to install
function module.find(name)
  local program = require("tandem.core").executable()
  local directory = program and program:match "^(.*)/[^/]*$" or "."
  for _, folder in ipairs { "/", "/../", "/../lib/tandem/" } do
    local path = ("%s%s%s.so"):format(directory, folder, name)
    local there = io.open(path, "rb")
    if there then
      there:close()
      return path
    end
  end
  return nil, ("this tandem has no %s: install the package tandem-%s, or %s and build again")
    :format(BRINGS[name][1], name, BRINGS[name][2])
end

--- What a shared object's opener gives.
---@param name "serve"|"upload"|"jupyter"|"mpi"
---@param opener string  the C function's name
---@return table|nil functions
---@return string|nil message
function module.open(name, opener)
  local path, missing = module.find(name)
  if not path then return nil, missing end
  local open, why = package.loadlib(path, opener)
  if not open then return nil, ("%s cannot be loaded: %s"):format(path, why) end
  return open()
end

return module
