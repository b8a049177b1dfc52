--- `tandem kernel run`: a kernel on the sockets that a connection file names.
--
-- Owns the file's reading and the process's life; messages are kernel.lua's. Ends when it is asked
-- to, or when the process that started it has ended.
local core = require "tandem.core"
local infile = require "tandem.io.infile"
local json = require "tandem.io.json"

local run = {}

local PORTS <const> = { "shell", "control", "stdin", "iopub", "hb" }

--- The settings of a connection file, as the link takes them.
---@param path string
---@return table|nil settings
---@return string|nil message
---@return integer|nil code  4: it cannot be read, 3: it is no connection file
function run.connection(path)
  local text, message, code = infile.read(path)
  if not text then return nil, message, code end
  local function wrong(what) return nil, ("%s: %s"):format(path, what), 3 end
  local value, problem = json.decode(text)
  if type(value) ~= "table" then
    return wrong(problem and ("line %d: %s"):format(problem.line, problem.message)
      or "a connection file is a JSON object")
  end
  local settings = { transport = value.transport or "tcp", address = value.ip or "127.0.0.1",
    key = value.key or "" }
  for _, name in ipairs { "transport", "address", "key" } do
    if type(settings[name]) ~= "string" then return wrong(("its %s is not a text"):format(name)) end
  end
  if settings.transport ~= "tcp" and settings.transport ~= "ipc" then
    return wrong(("transport '%s' is not known; tcp or ipc"):format(settings.transport))
  elseif settings.key ~= "" and (value.signature_scheme or "hmac-sha256") ~= "hmac-sha256" then
    return wrong(("signature_scheme '%s' is not known; hmac-sha256"):format(
      tostring(value.signature_scheme)))
  end
  for _, name in ipairs(PORTS) do
    local port = value[name .. "_port"]
    if math.type(port) ~= "integer" or port < 1 or port > 65535 then
      return wrong(("%s_port wants a port, 1 to 65535%s"):format(name,
        port == nil and "; it is missing" or ", not " .. tostring(port)))
    end
    settings[name] = port
  end
  return settings
end

local function now() return require("tandem.io.date").iso(core.utc_ns()) end

local function random_id()
  local file = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(16) or tostring(core.utc_ns())
  if file then file:close() end
  return core.digest.sha256(bytes):sub(1, 32)
end

--- Runs a kernel until it ends.
---@param path string  the connection file
---@param say fun(text: string)  a line for whoever runs the kernel
---@return true|nil ended
---@return string|nil message
---@return integer|nil code
function run.main(path, say)
  local settings, message, code = run.connection(path)
  if not settings then return nil, message, code end
  local module, missing = require("tandem.module").open("jupyter",
    "luaopen_tandem_jupyter_module")
  if not module then return nil, missing, 4 end
  local link <close>, refused = module.open(settings)
  if not link then return nil, refused, 4 end
  local ports = {}
  for _, name in ipairs(PORTS) do ports[name] = settings[name] end
  local parent = module.parent()
  local kernel = require("tandem.jupyter.kernel").new { link = link, key = settings.key,
    session = random_id(), now = now, say = say, ports = ports }
  -- Who started this says so; a kernel that was started by hand outlives its shell.
  local watched = os.getenv "JPY_PARENT_PID" ~= nil
  kernel:serve(function() return not watched or module.parent() == parent end)
  return true
end

return run
