--- `tandem lua`: runs a Lua script that is no scenario.
--
-- Here for help, completion and the manual page: the script itself is run by app/main.c, in a state
-- that nothing of the command line has touched.
---@type tandem.Command
return {
  summary = "run a Lua script that uses td: sweeps, comparisons, tools",
  about = "Runs a Lua script with all of Lua; require \"tandem\" gives it td, and the words after "
    .. "FILE are its arguments. A scenario is run by tandem run. Leaves with 1 when the script "
    .. "raises an error.",
  arguments = {
    { name = "file", value = "FILE", help = "A Lua file, or - for standard input." },
    { name = "arguments", value = "ARGS", count = "*", help = "Arguments of the script." },
  },
  examples = { "tandem lua sweep.lua", "tandem lua compare.lua L40S \"H100 SXM\"" },
  run = function(args, console)
    return console:usage(("'%s' is run by the program, not from Lua"):format(args.file))
  end,
}
