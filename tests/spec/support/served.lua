--- `tandem serve` as a process beside a test or a benchmark: this program's, on a free port, with a
--- store of its own in a directory of the caller's; asked by curl.
local served = {}

served.program = require("tandem.core").executable()
served.directory = served.program:match "^(.*)/[^/]*$"

local function has(command) return (os.execute(command .. " >/dev/null 2>&1")) end

function served.exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

--- Whether this build has a server, and this machine curl.
function served.there()
  return served.exists(served.directory .. "/serve.so") and has "command -v curl"
end

-- Seconds after which something hangs, on however busy a machine. Nothing is measured by it.
local PATIENT_S <const> = 300

--- Asks until the answer is neither nil nor false, and returns it; nil after a long time.
---@generic T
---@param question fun(): T
---@return T|nil
function served.wait(question)
  for _ = 1, PATIENT_S * 20 do
    local answer = question()
    if answer then return answer end
    os.execute "sleep 0.05"
  end
end

--- What a command prints.
function served.shell(command)
  local pipe = assert(io.popen(command, "r"))
  local text = pipe:read "a"
  pipe:close()
  return text
end

--- A server with the store AT/t.db.
---@param at string   a directory
---@param options? { environment?: string, words?: string }
---@return { pid: string, port: string, url: string }
function served.start(at, options)
  local log = at .. "/log"
  os.remove(log)
  options = options or {}
  local pid = served.shell(("%s %s serve --listen 127.0.0.1:0 --store %s/t.db %s >/dev/null 2>%s "
    .. "& echo $!"):format(options.environment or "", served.program, at, options.words or "", log))
    :match "%d+"
  local port = served.wait(function()
    local file = io.open(log, "rb")
    local text = file and file:read "a" or ""
    if file then file:close() end
    return text:match "http://127%.0%.0%.1:(%d+)"
  end)
  assert(port, "the server did not start")
  return { pid = pid, port = port, url = "http://127.0.0.1:" .. port }
end

--- Whether it ended by itself.
function served.stop(server, signal)
  os.execute(("kill -%s %s"):format(signal or "TERM", server.pid))
  if served.wait(function() return not has("kill -0 " .. server.pid) end) then return true end
  os.execute("kill -9 " .. server.pid)
  return false
end

local function request(server, path, words)
  local text = served.shell(("curl -s -m %d -w '\\n%%{http_code} %%header{location}' %s '%s%s'")
    :format(PATIENT_S, words, server.url, path:gsub("'", "'\\''")))
  local body, status, location = text:match "^(.*)\n(%d+) ?(%S*)%s*$"
  return tonumber(status), body, location
end

--- status, body of one request; `words` are curl's. Where a job is still under way when the server
--- does not want to wait longer, its answer is waited for, unless that was asked for.
function served.ask(server, path, words)
  words = words or ""
  local status, body, location = request(server, path, words)
  local job = status == 202 and location:match "^/v1/jobs/%w+$"
  if not job or words:find "respond%-async" or path:find "^/v1/jobs/" then return status, body end
  served.wait(function()
    status, body = request(server, job .. "/result", words:match "%-o %S+" or "")
    return status ~= 202
  end)
  return status, body
end

return served
