--- The manual page, from the tables that the commands themselves use.
--
-- Owns the roff; what is said stands in the option tables, the chapters' titles and the exit codes.
-- Printed by `tandem help --man`; installation puts it in place.
local codes = require "tandem.cli.codes"

local manual = {}

--- Text as roff takes it: backslashes and dashes spelt out, no line starting with a control.
local function escape(text)
  text = text:gsub("\\", "\\e"):gsub("%-", "\\-")
  return (text:gsub("^([.'])", "\\&%1"):gsub("\n([.'])", "\n\\&%1"))
end

local function bold(text)
  return "\\fB" .. escape(text) .. "\\fR"
end

local function options_of(command, lines)
  for _, argument in ipairs(command.arguments or {}) do
    lines[#lines + 1] = ".TP\n\\fI" .. escape(argument.value) .. "\\fR\n" .. escape(argument.help)
  end
  for _, option in ipairs(command.options or {}) do
    local flags = option[1]:gsub("%s+", ", ")
    lines[#lines + 1] = ".TP\n" .. bold(flags)
      .. (option.value and " \\fI" .. escape(option.value) .. "\\fR" or "") .. "\n"
      .. escape(option.help)
  end
end

--- The page as roff.
---@return string
function manual.page()
  local cli = require "tandem.cli"
  local version = require("tandem.core").version()
  local lines = {
    '.TH TANDEM 1 "" "tandem ' .. version .. '" "User Commands"',
    ".SH NAME",
    "tandem \\- simulate GPU workloads, read traces of real ones, and say where the time goes",
    ".SH SYNOPSIS",
    bold "tandem" .. " \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]",
    ".SH COMMANDS",
  }
  for _, name in ipairs(cli.commands) do
    local command = cli.command(name)
    lines[#lines + 1] = ".SS tandem " .. escape(name)
    lines[#lines + 1] = escape(command.about or command.summary)
    options_of(command, lines)
    for _, example in ipairs(command.examples or {}) do
      lines[#lines + 1] = ".IP\n.nf\n" .. escape(example) .. "\n.fi"
    end
  end
  lines[#lines + 1] = ".SH MANUAL\nThe chapters, shown by " .. bold "tandem help"
    .. " \\fICHAPTER\\fR:"
  for _, chapter in ipairs(require("tandem.help").chapters()) do
    lines[#lines + 1] = ".TP\n" .. bold(chapter[1]) .. "\n" .. escape(chapter[2])
  end
  lines[#lines + 1] = ".SH EXIT STATUS"
  for _, meaning in ipairs(codes.meanings) do
    lines[#lines + 1] = (".TP\n%d\n%s"):format(meaning[1], escape(meaning[2]))
  end
  lines[#lines + 1] = ".SH ENVIRONMENT"
  for _, variable in ipairs {
    { "NO_COLOR", "when set and not empty, nothing is colored" },
    { "COLUMNS", "the width to print to, instead of the terminal's" },
    { "LC_ALL, LC_CTYPE, LANG", "say whether UTF-8 may be printed; otherwise ASCII is" },
    { "TANDEM_STORE", "the store that runs are kept in, instead of tandem.db here" },
    { "TANDEM_UMASK", "who may read the files that tandem makes, as in 022; without it "
      .. "their owner alone" },
    { "TANDEM_ROOT", "load the front end, the catalogue and the scenarios from this directory" },
  } do
    lines[#lines + 1] = ".TP\n" .. bold(variable[1]) .. "\n" .. escape(variable[2])
  end
  return table.concat(lines, "\n") .. "\n"
end

return manual
