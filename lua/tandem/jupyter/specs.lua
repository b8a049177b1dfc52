--- Kernelspecs: what tells Jupyter that there is a kernel and how to start it.
--
-- Owns the directories where Jupyter looks and what is written there. A spec is tandem's when its
-- command is `PROGRAM kernel run`; others are never touched. Called by cli/kernel.lua.
local core = require "tandem.core"
local infile = require "tandem.io.infile"
local json = require "tandem.io.json"

local specs = {}

local LOGO <const> = [[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<rect width="64" height="64" rx="10" fill="#1f4e79"/>
<rect x="10" y="16" width="20" height="9" fill="#8ec6ff"/>
<rect x="26" y="28" width="28" height="9" fill="#ffb347"/>
<rect x="10" y="40" width="34" height="9" fill="#8ec6ff"/>
</svg>
]]

---@class tandem.KernelSpec
---@field name string
---@field directory string
---@field display string
---@field program string
---@field works boolean  its program is there

--- The directory that holds a person's kernelspecs.
---@param getenv? fun(name: string): string|nil
---@return string|nil directory
function specs.user_directory(getenv)
  getenv = getenv or os.getenv
  local function given(name)
    local value = getenv(name)
    return value and value ~= "" and value or nil
  end
  local home = given "HOME" and given "HOME" .. "/.local/share"
  local data = given "JUPYTER_DATA_DIR"
    or (given "XDG_DATA_HOME" or home) and (given "XDG_DATA_HOME" or home) .. "/jupyter"
  return data and data .. "/kernels"
end

--- All directories where Jupyter looks, first found first.
---@return string[]
local function directories(prefix)
  local list = {}
  if prefix then return { prefix .. "/share/jupyter/kernels" } end
  for path in (os.getenv "JUPYTER_PATH" or ""):gmatch "[^:]+" do
    list[#list + 1] = path .. "/kernels"
  end
  list[#list + 1] = specs.user_directory()
  list[#list + 1] = "/usr/local/share/jupyter/kernels"
  list[#list + 1] = "/usr/share/jupyter/kernels"
  return list
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

--- The spec in a directory when it is tandem's.
local function spec_in(directory, name)
  local text = infile.read(directory .. "/kernel.json")
  local value = text and json.decode(text)
  local argv = type(value) == "table" and type(value.argv) == "table" and value.argv or {}
  if argv[2] ~= "kernel" or argv[3] ~= "run" then return nil end
  return { name = name, directory = directory, program = tostring(argv[1]),
    display = tostring(value.display_name or name), works = exists(tostring(argv[1])) }
end

--- tandem's kernelspecs, by folder and name.
---@param prefix? string  only those below it
---@return tandem.KernelSpec[]
function specs.list(prefix)
  local found = {}
  for _, directory in ipairs(directories(prefix)) do
    local names = core.files.list(directory) or {}
    table.sort(names)
    for _, entry in ipairs(names) do
      local name = entry:match "^(.*)/$"
      found[#found + 1] = name and spec_in(directory .. "/" .. name, name) or nil
    end
  end
  return found
end

--- Writes a kernelspec.
---@param options { name: string, prefix?: string, display: string }
---@return string|nil directory
---@return string|nil message
---@return integer|nil code
function specs.install(options)
  if not options.name:find "^[%w._-]+$" or options.name:find "^%.+$" then
    return nil, ("'%s' cannot be the name of a kernel: letters, digits, . _ - only"):format(
      options.name), 2
  end
  local parent = options.prefix and options.prefix .. "/share/jupyter/kernels"
    or specs.user_directory()
  if not parent then return nil, "there is no $HOME; say --prefix DIR", 4 end
  local directory = parent .. "/" .. options.name
  if exists(directory .. "/kernel.json") and not spec_in(directory, options.name) then
    return nil, ("%s is another program's kernel; say --name NAME"):format(directory), 4
  end
  local program, unknown = core.executable()
  if not program then return nil, unknown, 4 end
  local made, message = core.files.make(directory)
  if not made then return nil, message, 4 end
  local write = require("tandem.io.outfile").write
  local ok, why, code = write(directory .. "/kernel.json", json.encode({
    argv = { program, "kernel", "run", "{connection_file}" }, display_name = options.display,
    language = "lua", interrupt_mode = "message", metadata = { debugger = false } },
    { fit = true }) .. "\n")
  if ok then ok, why, code = write(directory .. "/logo-svg.svg", LOGO) end
  if not ok then return nil, why, code end
  return directory
end

--- Removes a kernelspec.
---@param name string
---@param prefix? string
---@return string|nil directory  that it was in
---@return string|nil message
---@return integer|nil code
function specs.remove(name, prefix)
  local names, chosen = {}, nil
  for _, spec in ipairs(specs.list(prefix)) do
    names[#names + 1] = spec.name
    chosen = chosen or spec.name == name and spec or nil
  end
  if not chosen then
    return nil, ("tandem has no kernel '%s' installed; %s"):format(name, #names == 0
      and "there is none" or require("tandem.text.nearest").hint(name, names)), 4
  end
  for _, file in ipairs(core.files.list(chosen.directory) or {}) do
    os.remove(chosen.directory .. "/" .. file)
  end
  local removed, message = os.remove(chosen.directory)
  if not removed then return nil, "cannot remove " .. message, 4 end
  return chosen.directory
end

return specs
