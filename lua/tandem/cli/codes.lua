--- The exit codes of every command: the one place that names them.
local codes = {
  OK = 0,
  NO = 1,
  USAGE = 2,
  INVALID = 3,
  IO = 4,
  BUG = 70,
  INTERRUPTED = 130,
}

---@alias tandem.ProblemKind "usage"|"invalid"|"absent"|"cannot_answer"|"gate"|"io"|"bug"|
---  "interrupted"

--- What kind of problem a code comes with, unless one says it more exactly: absent (there is no
--- such run) is a kind of invalid, gate a kind of no.
---@type table<integer, tandem.ProblemKind>
codes.kinds = { [codes.NO] = "cannot_answer", [codes.USAGE] = "usage", [codes.INVALID] = "invalid",
  [codes.IO] = "io", [codes.BUG] = "bug", [codes.INTERRUPTED] = "interrupted" }

--- In words, in order; `tandem help exit-codes` prints this.
---@type { [1]: integer, [2]: string }[]
codes.meanings = {
  { codes.OK, "the command did what was asked, and the answer is yes where one was asked" },
  { codes.NO, "the answer is no: a service-level objective was missed, a gate failed; or there is "
    .. "none: \"cannot answer\" and why, whatever the form (--json, --csv, --html, text)" },
  { codes.USAGE, "the command line is wrong: an unknown command, option or topic" },
  { codes.INVALID, "the scenario, query or trace is invalid; standard error lists the problems" },
  { codes.IO, "a file could not be read or written" },
  { codes.BUG, "a bug in tandem; please report it with the message" },
  { codes.INTERRUPTED, "stopped by Ctrl-C; what was finished by then was reported" },
}

return codes
