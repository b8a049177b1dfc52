-- Runs command line transcripts: build/tandem lua tests/cli/run.lua [--update] FILE…
--
-- A transcript is a sequence of
--   $ command          run by sh in the repository's root; more lines of it start with "> "
--   expected output    standard output and standard error together
--   [exit N]           when the exit code is not 0
-- "..." alone on a line stands for any lines, inside a line for any text. Lines starting with "# "
-- before a command are comments; blank lines at the end of the output do not count. `tandem` is the
-- program under test, $PROGRAM its path, $T a fresh directory for each transcript, shown as $T when
-- printed. Runs are kept in $T/tandem.db.
-- --update writes what was printed into the transcript.

local program = os.getenv "PROGRAM" or "build/tandem"

---One command with what it should print.
---@class transcript.case
---@field line integer
---@field command string
---@field lead string[] lines before the command: comments, blank lines
---@field shown string[] the command's lines as written
---@field expected string[]
---@field code integer

---@param path string
---@return transcript.case[] cases, string[] rest what follows the last command's output
local function read_transcript(path)
  local cases, lead, number = {}, {}, 0
  ---Comments and blank lines at the end of the output belong to the next command.
  local function finish(case)
    lead = {}
    local lines = case.expected
    while lines[#lines] == "" or (lines[#lines] or ""):find "^# " do
      table.insert(lead, 1, table.remove(lines))
    end
    case.code = math.tointeger(tonumber((lines[#lines] or ""):match "^%[exit (%d+)%]$") or 0)
    if case.code ~= 0 then table.remove(lines) end
  end
  for line in io.lines(path) do
    number = number + 1
    local case = cases[#cases]
    if line:find "^%$ " then
      if case then finish(case) end
      local command = line:sub(3)
      cases[#cases + 1] =
        { line = number, command = command, lead = lead, shown = { line }, expected = {}, code = 0 }
    elseif not case then
      lead[#lead + 1] = line
    elseif line:find "^> " and #case.expected == 0 then
      case.command = case.command .. "\n" .. line:sub(3)
      case.shown[#case.shown + 1] = line
    else
      case.expected[#case.expected + 1] = line
    end
  end
  if #cases > 0 then finish(cases[#cases]) end
  return cases, lead
end

---How many lines there are, not counting blank ones at the end.
---@param lines string[]
---@return integer
local function length(lines)
  local n = #lines
  while n > 0 and lines[n] == "" do n = n - 1 end
  return n
end

---@param pattern string expected line, "..." inside stands for any text
---@param line string
---@return boolean
local function same_line(pattern, line)
  if pattern == line then return true end
  if not pattern:find("...", 1, true) then return false end
  local quoted = pattern:gsub("%p", "%%%0"):gsub("%%%.%%%.%%%.", ".*")
  return line:find("^" .. quoted .. "$") ~= nil
end

---@param expected string[]
---@param lines string[]
---@return boolean
local function matches(expected, lines)
  local m, n = #expected, length(lines)
  -- reach[j]: the expected lines so far can match the first j printed lines
  local reach = { [0] = true }
  for i = 1, m do
    local next_reach = {}
    if expected[i] == "..." then
      local any = false
      for j = 0, n do
        any = any or reach[j] or false
        next_reach[j] = any
      end
    else
      for j = 1, n do next_reach[j] = reach[j - 1] and same_line(expected[i], lines[j]) end
    end
    reach = next_reach
  end
  return reach[n] == true
end

---@param command string
---@param directory string
---@return string[] lines, integer code
local function run(command, directory)
  local script = directory .. "/.command"
  local file = assert(io.open(script, "w"))
  file:write(('PROGRAM="%s"\ntandem() { "$PROGRAM" "$@"; }\nT=%s\n'):format(program, directory),
    "export TANDEM_STORE=$T/tandem.db TANDEM_PROGRESS=/dev/null\n", command, "\n")
  file:close()
  local pipe = assert(io.popen(("sh %s 2>&1 </dev/null"):format(script)))
  local text = pipe:read "a":gsub(directory:gsub("%p", "%%%0"), "$T")
  local _, how, code = pipe:close()
  if how == "signal" then code = 128 + code end
  local lines = {}
  for line in text:gmatch "([^\n]*)\n?" do lines[#lines + 1] = line end
  return lines, code or 0
end

---@param out file*
---@param case transcript.case
---@param lines string[]
---@param code integer
local function write_case(out, case, lines, code)
  out:write(table.concat(case.lead, "\n"), #case.lead > 0 and "\n" or "")
  out:write(table.concat(case.shown, "\n"), "\n")
  for i = 1, length(lines) do out:write(lines[i], "\n") end
  if code ~= 0 then out:write("[exit ", code, "]\n") end
end

---@param text string
---@param lines string[]
local function show(text, lines)
  io.write("  ", text, "\n")
  for i = 1, length(lines) do io.write("    ", lines[i], "\n") end
end

local update, passed, failed = false, 0, 0
for _, path in ipairs(arg) do
  if path == "--update" then
    update = true
  else
    local cases, rest = read_transcript(path)
    local pipe = assert(io.popen "mktemp -d")
    local directory = pipe:read "l"
    pipe:close()
    local done = {}
    for i, case in ipairs(cases) do
      local lines, code = run(case.command, directory)
      local good = matches(case.expected, lines) and code == case.code
      done[i] = good and { case.expected, case.code } or { lines, code }
      if good then
        passed = passed + 1
      else
        failed = failed + 1
        io.write(("%s:%d: $ %s\n"):format(path, case.line, case.command))
        show(("expected (exit %d):"):format(case.code), case.expected)
        show(("printed (exit %d):"):format(code), lines)
      end
    end
    os.execute("rm -rf " .. directory)
    if update then
      local out = assert(io.open(path, "w"))
      for i, case in ipairs(cases) do write_case(out, case, done[i][1], done[i][2]) end
      out:write(table.concat(rest, "\n"), #rest > 0 and "\n" or "")
      out:close()
    end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0, true)
