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
  local port
  for _ = 1, 400 do
    local file = io.open(log, "rb")
    local text = file and file:read "a" or ""
    if file then file:close() end
    port = text:match "http://127%.0%.0%.1:(%d+)"
    if port then break end
    os.execute "sleep 0.05"
  end
  assert(port, "the server did not start")
  return { pid = pid, port = port, url = "http://127.0.0.1:" .. port }
end

--- Whether it ended by itself.
function served.stop(server, signal)
  os.execute(("kill -%s %s"):format(signal or "TERM", server.pid))
  for _ = 1, 400 do
    if not has("kill -0 " .. server.pid) then return true end
    os.execute "sleep 0.05"
  end
  os.execute("kill -9 " .. server.pid)
  return false
end

--- status, body of one request; `words` are curl's.
function served.ask(server, path, words)
  local text = served.shell(("curl -s -m 60 -w '\\n%%{http_code}' %s '%s%s'"):format(words or "",
    server.url, path:gsub("'", "'\\''")))
  local body, status = text:match "^(.*)\n(%d+)$"
  return tonumber(status), body
end

return served
