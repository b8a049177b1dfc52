--- `tandem serve`: the store over HTTP.
--
-- Owns the command line, where the token comes from, and the spool. The server is src/serve
-- (serve.so, loaded here), its routes are tandem.serve's.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

local MEBIBYTE <const>, GIBIBYTE <const> = 1 << 20, 1 << 30
local LEAST_TOKEN <const> = 16

---@type tandem.Command
local command = {
  summary = "serve the store over HTTP: runs, uploads, overlays, plans",
  about = "Serves a store as pages for a browser and as an HTTP interface: scenarios are built and "
    .. "simulated, real traces uploaded, runs read, compared and laid over one another. "
    .. "/openapi.json lists all of it, tandem help serve tells about it. By default it listens on "
    .. "this machine only; any other address wants a token. Ctrl-C, SIGTERM or SIGHUP ends it: "
    .. "jobs are cancelled, the store stays whole.",
  options = {
    { "--listen", value = "ADDRESS:PORT", help = "Where (default: 127.0.0.1:8080). Port 0 is "
      .. "any free one." },
    storing.option,
    { "--token-file", value = "FILE", help = "A file with the token that requests must bring "
      .. "(Authorization: Bearer TOKEN), readable by its owner only; $TANDEM_TOKEN is the other "
      .. "way." },
    { "--name", value = "HOST", collect = true, help = "A host name that requests may be sent to, "
      .. "besides addresses and localhost. May be repeated." },
    { "--workers", value = "N", kind = "integer", least = 1, help = "Requests that are answered "
      .. "at once (default: 4)." },
    { "--jobs", value = "N", kind = "integer", least = 1, help = "Simulations, imports and "
      .. "searches that run at once (default: 2)." },
    { "--job-time", value = "SECONDS", kind = "integer", least = 1, help = "How long one of them "
      .. "may take (default: 600)." },
    { "--job-memory", value = "MIB", kind = "integer", least = 256, help = "Its address space "
      .. "(default: 8192)." },
    { "--patience", value = "SECONDS", kind = "integer", least = 1, help = "How long a connection "
      .. "may be silent, or slower than 16 KiB a second (default: 30)." },
    { "--max-upload", value = "MIB", kind = "integer", least = 1, help = "The largest upload "
      .. "(default: 4096)." },
    { "--files", value = "DIR", help = "A folder whose traces, scenarios and maps the tools of "
      .. "/mcp may read (default: none; see tandem mcp)." },
    { "--spool", value = "DIR", help = "Where uploads and jobs keep their files (default: a "
      .. "directory beside the store). What is in it is removed." },
  },
  interactive = true,
  examples = { "tandem serve", "tandem serve --listen 0.0.0.0:8080 --token-file token",
    "tandem serve --store lab.db --jobs 2 --max-upload 1024" },
}

-- "127.0.0.1:8080", "[::1]:8080", ":8080", "8080", "localhost:0" → address, port.
local function address_of(text)
  local address, port = text:match "^%[([%x:.]+)%]:(%d+)$"
  if not address then address, port = text:match "^([^:]*):(%d+)$" end
  if not address then address, port = "", text:match "^%d+$" end
  port = math.tointeger(tonumber(port))
  if not port or port > 65535 then
    return nil, ("--listen wants ADDRESS:PORT such as 127.0.0.1:8080, not '%s'"):format(text)
  end
  if address == "" or address == "localhost" then address = "127.0.0.1" end
  return address, port
end

local function is_loopback(address) return address:find "^127%." ~= nil or address == "::1" end

-- The token: of the file, which only its owner may read, else of the environment; "" is none.
local function token_of(args, module)
  local text = os.getenv "TANDEM_TOKEN" or ""
  if args.token_file then
    local why
    text, why = module.token(args.token_file)
    if not text then return nil, why end
  end
  if (args.token_file or text ~= "") and (#text < LEAST_TOKEN or text:find "[^%g]") then
    return nil, ("a token is at least %d characters without spaces"):format(LEAST_TOKEN)
  end
  return text
end

local function open_paths()
  local out, large = {}, {}
  for _, route in ipairs(require("tandem.serve.routes").all()) do
    if route.open then out[#out + 1] = route.path:match "^[^{]*" end
    if route.large then large[#large + 1] = route.path:match "^[^{]*" end
  end
  return out, large
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local address, port = address_of(args.listen or "127.0.0.1:8080")
  if not address then return console:usage(port) end
  local module, missing = require("tandem.module").open("serve",
    "luaopen_tandem_serve_module")
  if not module then return console:fail(codes.IO, missing) end
  local token, wrong = token_of(args, module)
  if not token then return console:fail(codes.IO, wrong) end
  if token == "" and not is_loopback(address) then
    return console:usage(("--listen %s can be reached by others, so a token is wanted: "
      .. "--token-file FILE or $TANDEM_TOKEN"):format(args.listen))
  end
  local folder
  if args.files then
    folder, wrong = require("tandem.cli.mcp").folder(args.files)
    if not folder then return console:fail(codes.IO, wrong) end
  end
  local core = require "tandem.core"
  local path = require("tandem.store.path").of(args.store)
  local store, message, code = require("tandem.store").open(path)
  if not store then return console:fail(code or codes.IO, tostring(message)) end
  store:close()
  local open, large = open_paths()
  local json = require "tandem.io.json"
  local most_upload = (args.max_upload or 4096) * MEBIBYTE
  local setup = json.encode { store = path, upload_bytes = most_upload,
    folder = folder, began_utc_ns = core.utc_ns() }
  local ended
  ended, message = module.run { address = address, port = port, token = token,
    spool = args.spool or path .. "-spool",
    names = args.name or {}, open = open, large = large, body_bytes = 8 * MEBIBYTE,
    upload_bytes = most_upload, connections = 1024,
    patience_s = args.patience or 30,
    workers = args.workers or 4, jobs = args.jobs or 2, waiting = 64,
    job_s = args.job_time or 600, job_bytes = (args.job_memory or 8192) * MEBIBYTE,
    job_file_bytes = 64 * GIBIBYTE, files = folder or "", module = "tandem.serve", setup = setup,
    ready = function(at)
      local shown = address:find ":" and ("[%s]"):format(address) or address
      console:note(("listening on http://%s:%d, store %s"):format(shown, at, path))
      io.stderr:flush()
    end }
  if not ended then return console:fail(codes.IO, message) end
  console:note "ended"
  return codes.OK
end

return command
