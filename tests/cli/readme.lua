-- Holds the README and the manual against the program: build/tandem lua tests/cli/readme.lua
-- [--update] [FILE…]; the README unless files are named. Several files are tried side by side, as
-- many as there are cores.
--
-- Every fenced block is tried, in order, in one scratch directory for each file:
--   ```lua, ```json   a file, named by its first line ("-- NAME.lua") or by a directive before it;
--                     each scenario among them must pass `tandem check`
--   ```sh             commands, run as one script; `tandem` is the program under test. Commands in
--                     EXEMPT install or take minutes and are not run here
--   ```text           after an sh block: what it printed, then what it said on standard error
--   ```console        a session: "$ command", then "td> input" and what each input printed
-- Directives are HTML comments on the line before a block, invisible to readers:
--   <!-- file: NAME -->           the name of a file block that cannot carry one
--   <!-- check: fails -->         a scenario that `tandem check` refuses
--   <!-- exit: N -->              the sh block's exit code, when it is not 0
--   <!-- run: COMMAND -->         what the text block shows, when no sh block stands above it
--   <!-- show: WORD, WORD -->     of the output, only the paragraphs whose first words are these;
--                                 "…" stands for the rest
-- What stands four spaces in is a piece of something: Lua must compile, a command must have the
-- options that it is given. Links to files and headings must lead somewhere. --update writes into
-- the file what was printed.

local EXEMPT = { ["make demo"] = true, ["make test"] = true, ["make bench"] = true,
  ["tandem capture -- ./infer 6"] = true }

local update, paths = false, {}
for _, word in ipairs { ... } do
  if word == "--update" then update = true else paths[#paths + 1] = word end
end
local path = paths[1] or "README.md"

local function read_all(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  local _, how, code = pipe:close()
  return text, how == "signal" and 128 + code or code
end

---Tries each file in a process of its own; prints what fails, and the sum.
local function side_by_side()
  local logs = read_all "mktemp -d":match "%S+"
  local list = {}
  for i, one in ipairs(paths) do list[i] = ("%s\n"):format(one) end
  local feed = assert(io.popen(("xargs -P $(nproc) -I@ sh -c '\"${PROGRAM:-build/tandem}\" lua "
    .. "tests/cli/readme.lua %s \"@\" > %s/$(basename \"@\") 2>&1 || :'"):format(
    update and "--update" or "", logs), "w"))
  feed:write(table.concat(list))
  feed:close()
  local good, bad = 0, 0
  for _, one in ipairs(paths) do
    local text = read_all(("cat '%s/%s'"):format(logs, one:match "[^/]+$"))
    local passed, failed = text:match "(%d+) passed, (%d+) failed\n$"
    if failed ~= "0" then io.write(passed and text:gsub("[^\n]*\n$", "") or text) end
    good, bad = good + tonumber(passed or 0), bad + tonumber(failed or 1)
  end
  os.execute(("rm -rf '%s'"):format(logs))
  print(("%d passed, %d failed"):format(good, bad))
  os.exit(bad == 0, true)
end
if #paths > 1 then side_by_side() end

local function write_file(name, text)
  local file = assert(io.open(name, "w"))
  file:write(text)
  file:close()
end

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

local program = os.getenv "PROGRAM" or "build/tandem"
local scratch = read_all "mktemp -d":match "%S+"
assert(os.execute(("mkdir -p '%s/build' '%s/tests' && cp -R scenarios '%s'"):format(scratch,
  scratch, scratch)))
assert(os.execute(("ln -s \"$PWD/tests/data\" '%s/tests/data'"):format(scratch)))
program = read_all(("realpath '%s'"):format(program)):match "[^\n]+"

---Runs a script in the scratch directory. What went to standard error comes last.
---@param script string
---@return string[] lines, integer code
local function run(script)
  write_file(scratch .. "/.script",
    ("mkdir -p .bin && ln -sf '%s' .bin/tandem\nPATH=$PWD/.bin:$PATH\ncd '%s'\n"
      .. "export LC_ALL=C.UTF-8 NO_COLOR=1\n"
      .. "export SOURCE_DATE_EPOCH=1795000000 TANDEM_PROGRESS=/dev/null\n"
      .. "unset COLUMNS TANDEM_STORE\n%s\n")
      :format(program, scratch, script))
  local text, code =
    read_all(("cd '%s' && sh .script 2>.errors </dev/null"):format(scratch))
  return lines_of(text .. read_all(("cat '%s/.errors'"):format(scratch))), code
end

-- ---- reading

---@class readme.block
---@field kind string
---@field first integer line of the opening fence
---@field body string[]
---@field directives table<string, string>

local document = {}
for line in io.lines(path) do document[#document + 1] = line end

---@return readme.block[]
local function blocks_of(lines)
  local blocks, open = {}, nil
  for number, line in ipairs(lines) do
    if open and line == "```" then
      blocks[#blocks + 1], open = open, nil
    elseif open then
      open.body[#open.body + 1] = line
    elseif line:find "^```" then
      open = { kind = line:sub(4), first = number, body = {}, directives = {} }
      local back = number - 1
      while lines[back] and lines[back]:find "^<!%-%- %l+: .+ %-%->$" do
        local key, value = lines[back]:match "^<!%-%- (%l+): (.+) %-%->$"
        open.directives[key] = value
        back = back - 1
      end
    end
  end
  assert(not open, "a block is not closed")
  return blocks
end

-- ---- judging

local passed, failed = 0, 0
local replacements = {} -- block → its new body

local function judge(good, line, text, shown)
  if good then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s:%d: %s"):format(path, line, text))
    for _, one in ipairs(shown or {}) do print("    " .. one) end
  end
  return good
end

local function same(a, b) return table.concat(a, "\n") == table.concat(b, "\n") end

---The paragraphs of an output that a directive asks for.
local function selected(lines, wanted)
  if not wanted then return lines end
  local words = {}
  for word in wanted:gmatch "[^,]+" do words[#words + 1] = word:match "^%s*(.-)%s*$" end
  local out, skipped, showing = {}, false, false
  local fresh = true
  for _, line in ipairs(lines) do
    if fresh and line ~= "" then
      showing = false
      for _, word in ipairs(words) do showing = showing or line:sub(1, #word) == word end
      if showing and skipped then out[#out + 1] = "…" end
      if showing and #out > 0 then out[#out + 1] = "" end
      skipped = not showing
    end
    fresh = line == ""
    if showing and line ~= "" then out[#out + 1] = line end
  end
  if skipped then
    out[#out + 1] = "…"
  end
  return out
end

local function hold(block, lines, what)
  local good = same(block.body, lines)
  if not good then replacements[block] = lines end
  judge(good, block.first, what .. " printed otherwise:", lines)
end

local kinds = {}
local printed -- by the last sh block

local function keep_file(block)
  local name = block.directives.file or (block.body[1] or ""):match "^%-%- (%S+)$"
  if judge(name ~= nil, block.first, "a block that names no file") then
    write_file(scratch .. "/" .. name, table.concat(block.body, "\n") .. "\n")
    local text = table.concat(block.body, "\n")
    if text:find "return td%.scenario" or text:find '"pipeline"' then
      local lines, code = run("tandem check " .. name)
      local wanted = block.directives.check == "fails" and 3 or 0
      judge(code == wanted, block.first, "tandem check says:", lines)
    end
  end
end
kinds.lua, kinds.json = keep_file, keep_file

function kinds.sh(block)
  local script = {}
  for _, command in ipairs(block.body) do
    local bare = command:gsub("%s+#.*$", "")
    if not EXEMPT[bare] then script[#script + 1] = command end
  end
  printed = nil
  if #script > 0 then
    local lines, code = run(table.concat(script, "\n"))
    printed = { lines = lines, command = script[#script] }
    judge(code == tonumber(block.directives.exit or 0), block.first,
      ("exit code %d of %s"):format(code, printed.command), lines)
  end
end

function kinds.text(block)
  local command = block.directives.run
  if command then printed = { lines = run(command), command = command } end
  if judge(printed ~= nil, block.first, "output without a command") then
    hold(block, selected(printed.lines, block.directives.show), printed.command)
  end
end

local MARK <const> = "----8<----"

---A session through a pipe: a mark after each input tells the outputs apart.
function kinds.console(block)
  local command = block.body[1]:match "^%$ (.+)$"
  local inputs = {}
  for _, line in ipairs(block.body) do inputs[#inputs + 1] = line:match "^td> (.*)$" end
  local feed = {}
  for _, input in ipairs(inputs) do
    feed[#feed + 1] = input
    feed[#feed + 1] = ("print %q"):format(MARK)
  end
  write_file(scratch .. "/.session", table.concat(feed, "\n") .. "\n")
  local lines, code = run(command .. " < .session")
  judge(code == 0, block.first, ("exit code %d of %s"):format(code, command))
  local out, next_input = { block.body[1] }, 1
  local fresh = true
  for _, line in ipairs(lines) do
    if fresh then
      out[#out + 1] = "td> " .. (inputs[next_input] or "")
      next_input, fresh = next_input + 1, false
    end
    if line == MARK then fresh = true else out[#out + 1] = line end
  end
  hold(block, out, command)
end

for _, block in ipairs(blocks_of(document)) do
  local try = kinds[block.kind]
  if judge(try ~= nil, block.first, ("a block of unknown kind '%s'"):format(block.kind)) then
    try(block)
  end
end

-- ---- pieces

-- The names of a command's options.
local function options_of(name)
  local command = require("tandem.cli").command(name)
  local names = {}
  for _, option in ipairs(command.options or {}) do
    for flag in option[1]:gmatch "%S+" do names[flag] = true end
  end
  return names
end

local function is_lua(text)
  text = text:gsub("…", "nil")
  return load(text) or load("return " .. text) or load("return { " .. text .. " }")
end

-- What is wrong with a piece; nil when nothing is.
local function fault_of(lines)
  local text = table.concat(lines, "\n")
  if text:find "^[{%[]" and text:find '^[{%[]%s*"' then
    return not pcall(require("cjson").decode, text) and "this is not JSON" or nil
  elseif not text:find "tandem [%l-]+" or text:find "^local" then
    return not is_lua(text) and "this is no Lua" or nil
  end
  for _, line in ipairs(lines) do
    local name = line:match "tandem ([%l-]+)"
    local known = name and options_of(name) or {}
    for flag in line:match("tandem.*"):gmatch "%s(%-%-[%l-]+)" do
      if not known[flag] then return ("tandem %s has no %s"):format(name, flag) end
    end
  end
end

local function judge_pieces()
  local piece, fenced = nil, false
  for number = 1, #document + 1 do
    local line = document[number] or ""
    if line:find "^```" then fenced = not fenced end
    local inside = not fenced and line:find "^    "
    if inside and (piece or document[number - 1] == "") then
      piece = piece or { first = number }
      piece[#piece + 1] = line:sub(5)
    elseif piece then
      local fault = fault_of(piece)
      judge(not fault, piece.first, fault)
      piece = nil
    end
  end
end
judge_pieces()

-- ---- links

-- The headings of a file, as links spell them.
local function anchors_of(file)
  local anchors = {}
  for line in io.lines(file) do
    local heading = line:match "^#+ (.+)$"
    if heading then anchors[heading:lower():gsub("[^%w%- ]", ""):gsub(" ", "-")] = true end
  end
  return anchors
end

for number, line in ipairs(document) do
  for target in line:gmatch "%]%(([^)]+)%)" do
    if not target:find "^%l+://" then
      local name, anchor = target:match "^([^#]*)#?(.*)$"
      local leads_to = name == "" and path or (path:match "^(.*/)" or "") .. name
      local file = io.open(leads_to)
      if judge(file ~= nil, number, "a link leads nowhere: " .. target) and anchor ~= "" then
        judge(anchors_of(leads_to)[anchor], number,
          "a link to a heading that is not there: " .. target)
      end
      if file then file:close() end
    end
  end
end

os.execute(("rm -rf '%s'"):format(scratch))

if update then
  local out, number = {}, 1
  for _, block in ipairs(blocks_of(document)) do
    local body
    for old, new in pairs(replacements) do
      if old.first == block.first then body = new end
    end
    if body then
      while number <= block.first do
        out[#out + 1] = document[number]
        number = number + 1
      end
      table.move(body, 1, #body, #out + 1, out)
      number = block.first + #block.body + 1
    end
  end
  table.move(document, number, #document, #out + 1, out)
  write_file(path, table.concat(out, "\n") .. "\n")
end

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0, true)
