-- Holds src/README.md, the map, against the tree: build/tandem lua tests/docs/map.lua
--
-- A heading "### ROOM" names a folder; the items below it begin with the names of its files, in
-- backticks, without endings, up to the colon. Every file of src/, lua/tandem/ and lib/ must be
-- named in its room, and every name must be a file or a folder there.

local MAP <const> = "src/README.md"

-- folder → name without ending → true
local function tree()
  local rooms = { tests = {} }
  local pipe = assert(io.popen "find src lua/tandem lib tests -type f")
  for path in pipe:lines() do
    local room, name = path:match "^(.*)/([^/]+)$"
    rooms[room] = rooms[room] or {}
    rooms[room][name:match "^[^.]+" or name] = true
    local kind = path:match "^tests/([^/]+)/"
    if kind then rooms.tests[kind] = true end
  end
  pipe:close()
  rooms.src = nil -- the map itself
  for room in pairs(rooms) do
    if room:find "^tests/" then rooms[room] = nil end
  end
  return rooms
end

-- room → name → line of the map
local function read_map()
  local named, room, item, number = {}, nil, nil, 0
  local function finish()
    for name in (item and item.text or ""):gmatch "`([^`]+)`" do named[room][name] = item.line end
    item = nil
  end
  for line in io.lines(MAP) do
    number = number + 1
    if line:find "^#" or line == "" or line:find "^%- " then finish() end
    if line:find "^#" then
      room = line:match "^### (%S+)$"
      if room then named[room] = {} end
    elseif room and line:find "^%- " then
      item = { line = number, text = line, open = true }
    elseif item and item.open then
      item.text = item.text .. " " .. line
    end
    if item and item.open and item.text:find ":" then
      item.text, item.open = item.text:match "^[^:]*", false
    end
  end
  finish()
  return named
end

local rooms, named = tree(), read_map()
local passed, problems = 0, {}

local function judge(good, text)
  if good then passed = passed + 1 else problems[#problems + 1] = text end
end

for room, files in pairs(rooms) do
  for name in pairs(files) do
    judge(named[room] and named[room][name], ("%s: %s/%s is missing"):format(MAP, room, name))
  end
end
for room, names in pairs(named) do
  for name, line in pairs(names) do
    judge(rooms[room] and rooms[room][name],
      ("%s:%d: there is no %s in %s"):format(MAP, line, name, room))
  end
end

table.sort(problems)
for _, problem in ipairs(problems) do print(problem) end
print(("%d passed, %d failed"):format(passed, #problems))
os.exit(#problems == 0, true)
