-- Holds src/README.md, the map, against the tree: build/tandem lua tests/docs/map.lua [FILE]
--
-- Every folder of src, lua/tandem and lib that has files has one line, "- `FOLDER`: …", and so has
-- every kind of test. What the map names is there: paths from the root or from src, lua/tandem or
-- tests, and names of C (tdm_…, TDM_…). It is a page that one reads: 350 lines at most.

local MAP <const> = ... or "src/README.md"
local MOST_LINES <const> = 350

local passed, problems = 0, {}

local function judge(good, text, ...)
  if good then passed = passed + 1 else problems[#problems + 1] = text:format(...) end
end

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

-- Folders that have a file, and kinds of tests; the map lies in src itself.
local function rooms()
  local found = {}
  for _, path in ipairs(lines_of "find src lua/tandem lib tests -type f") do
    local room = path:match "^tests/[^/]+%f[/]" or not path:find "^tests/" and path:match "^(.*)/"
    if room and room ~= "src" then found[room] = true end
  end
  return found
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- Where a path may begin.
local ROOTS <const> = { "", "src/", "lua/tandem/", "lua/", "tests/", "src/analysis/" }

-- A path of this tree, with names to be chosen left out: "lib/search/NAME.lua" → "lib/search".
local function is_there(path)
  path = path:gsub("/[^/]*%u%u.*$", ""):gsub("/$", "")
  for _, root in ipairs(ROOTS) do
    if exists(root .. path) or exists(root .. path .. ".c") or exists(root .. path .. ".h")
      or exists(root .. path .. ".lua") then return true end
  end
  return false
end

local function in_sources(name)
  return #lines_of(("grep -rlw '%s' --include=*.[ch] src | head -1"):format(name)) > 0
end

local told, count = {}, 0
for line in io.lines(MAP) do
  count = count + 1
  if line:find "^%- `" then
    for room in line:gmatch "`([%w_/]+)`:" do
      judge(not told[room], "%s:%d: %s has a line already", MAP, count, room)
      told[room] = count
    end
  end
  for name in line:gmatch "`([^`]+)`" do
    local path = name:match "^[%l][%w_./-]*/[%w_./{}-]+$"
    if path and not path:find "^build/" then
      judge(is_there(path), "%s:%d: there is no %s", MAP, count, name)
    end
    for symbol in name:gmatch "%f[%w_][Tt][Dd][Mm]_[%w_]*%w%f[^%w_]" do
      judge(in_sources(symbol), "%s:%d: nothing is called %s", MAP, count, symbol)
    end
  end
end
judge(count <= MOST_LINES, "%s has %d lines, %d at most", MAP, count, MOST_LINES)

local found = rooms()
for room in pairs(found) do judge(told[room], "%s: %s has no line", MAP, room) end
for room, line in pairs(told) do
  judge(found[room], "%s:%d: there are no files in %s", MAP, line, room)
end

table.sort(problems)
for _, problem in ipairs(problems) do print(problem) end
print(("%d passed, %d failed"):format(passed, #problems))
os.exit(#problems == 0, true)
