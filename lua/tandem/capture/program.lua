--- What can be told of a program before it runs: whether it is there, and whether libraries can be
--- put into it.
--
-- Owns the way along $PATH and a look into the first bytes of an ELF file. Used by the command
-- capture, which says what a program's kind means for it.
local program = {}

local PT_INTERP <const> = 3

local function readable(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local head = file:read(64) -- nil: a directory, or empty
  file:close()
  return head
end

--- The file that a name means, as execvp finds it.
---@param name string
---@return string|nil
local function find(name)
  if name:find("/", 1, true) then return name end
  for directory in (os.getenv "PATH" or "/usr/bin:/bin"):gmatch "[^:]+" do
    local path = directory .. "/" .. name
    if readable(path) then return path end
  end
end

-- The interpreter of a script's first line; the program itself otherwise.
local function behind(path, head)
  local interpreter = head:match "^#!%s*(%S+)"
  if interpreter == "/usr/bin/env" then
    local called = head:match "^#!%s*%S+%s+(%S+)"
    return called and find(called) or path
  end
  return interpreter or path
end

-- Whether an ELF file asks for a dynamic linker, which is what reads LD_PRELOAD.
local function is_dynamic(path)
  local file <close> = io.open(path, "rb")
  local head = file and file:read(64)
  if not head or #head < 64 or head:sub(1, 5) ~= "\127ELF\2" then return true end -- nobody knows
  local offset = string.unpack("<i8", head, 33)
  local size, count = string.unpack("<I2I2", head, 55)
  if size < 4 or not file:seek("set", offset) then return true end
  for _ = 1, math.min(count, 1000) do
    local entry = file:read(size)
    if not entry or #entry < 4 then return true end
    if string.unpack("<I4", entry) == PT_INTERP then return true end
  end
  return false
end

--- What stands in the way of tracing a program; nil where nothing does, as far as one can see.
---@param name string
---@return string|nil
function program.obstacle(name)
  local path = find(name)
  local head = path and readable(path)
  if not head then return nil end -- starting it says why
  local real = behind(path, head)
  if not is_dynamic(real) then
    return ("%s is linked statically: the dynamic linker, which would load tandem's library into "
      .. "it, is not in it. Only what CUDA itself loads can record its work"):format(real)
  end
  local rights = require("tandem.core").capture.privileged(real)
  if rights then
    return ("%s runs with rights of its own (set-user-ID, or capabilities), for which Linux "
      .. "ignores LD_PRELOAD and CUDA its injection: nothing can be recorded. Run it as the user "
      .. "that it becomes"):format(real)
  end
end

return program
