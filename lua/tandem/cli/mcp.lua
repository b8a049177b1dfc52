--- `tandem mcp`: the store as tools of an agent, over standard input and output.
--
-- Owns the command line. Lines and jobs are src/serve/attend.c's (serve.so, loaded here), messages
-- and tools are tandem.mcp's.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

local MEBIBYTE <const>, GIBIBYTE <const> = 1 << 20, 1 << 30
local LINE_BYTES <const> = 8 * MEBIBYTE

---@type tandem.Command
local command = {
  summary = "serve the store to an agent (Model Context Protocol) on standard input and output",
  about = "Started by an agent's program, which lists it among its MCP servers. Every command that "
    .. "answers as data is a tool, its options are the tool's arguments; tandem help mcp tells "
    .. "about it. Files are read in one folder only and none is written; scenarios run in the "
    .. "sandbox; runs are kept in the store. The same tools are at /mcp of tandem serve.",
  options = {
    { "--files", value = "DIR", help = "The folder whose traces, scenarios and maps may be read "
      .. "(default: this one)." },
    storing.option,
    { "--jobs", value = "N", kind = "integer", least = 1, help = "Calls that are worked on at once "
      .. "(default: 2)." },
    { "--job-time", value = "SECONDS", kind = "integer", least = 1, help = "How long one of them "
      .. "may take (default: 600)." },
    { "--job-memory", value = "MIB", kind = "integer", least = 256, help = "Its address space "
      .. "(default: 8192)." },
  },
  interactive = true,
  examples = { "tandem mcp", "tandem mcp --files captures --store lab.db" },
}

--- The folder of --files by its whole path, or nil and what is wrong with it.
---@param text string
---@return string|nil
---@return string|nil message
function command.folder(text)
  local files = require("tandem.core").files
  local here, message = files.enter(text)
  if not here then return nil, "--files " .. message end
  return (files.enter(here))
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local module, missing = require("tandem.module").open("serve",
    "luaopen_tandem_serve_module")
  if not module then return console:fail(codes.IO, missing) end
  local folder, wrong = command.folder(args.files or ".")
  if not folder then return console:fail(codes.IO, wrong) end
  local path = require("tandem.store.path").of(args.store)
  local store <close>, message, code = require("tandem.store").open(path)
  if not store then return console:fail(code or codes.IO, tostring(message)) end
  local ended
  ended, message = module.attend { jobs = args.jobs or 2, waiting = 64,
    job_s = args.job_time or 600, job_bytes = (args.job_memory or 8192) * MEBIBYTE,
    job_file_bytes = 64 * GIBIBYTE, files = folder, line_bytes = LINE_BYTES,
    body = function(next_line)
      require("tandem.mcp.stdio").serve({ store = store, store_path = path, folder = folder,
        version = require("tandem.core").version() }, next_line)
    end }
  if not ended then return console:fail(codes.IO, message) end
  return codes.OK
end

return command
