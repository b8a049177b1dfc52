--- `tandem repl`: the interactive session; tandem.shell is the session itself.
local codes = require "tandem.cli.codes"

---@type tandem.Command
local repl = {
  summary = "try things interactively",
  about = "Starts an interactive session with td, the catalogue and, when a file is given, its "
    .. "scenario loaded. Type help there.",
  arguments = {
    { name = "file", value = "FILE", count = "?", help = "A scenario to start with." },
  },
  options = {
    { "--trusted",
      help = "Let the scenario use all of Lua (files, clock, modules). Only for files you trust." },
  },
  interactive = true,
  examples = { "tandem repl", "tandem repl scenarios/01-demo.lua" },
}

---@param args table
---@return integer code
function repl.run(args)
  return require("tandem.shell").main { file = args.file, trusted = args.trusted } or codes.OK
end

return repl
