-- What a power cut leaves of a store: after each write, sync, truncation or removal of import, run,
-- rm, gc, tag, note, scrub, merge, a repair, of the outbox and of the receiving end of an upload.
-- Run inside the program by tests/run-all:
-- [CRASH_IMAGES=N] build/tandem lua tests/store/crash.lua BUILD
--
-- crash.so records what a command asks of the file system. Of each prefix of that, images are made
-- as a disk may hold them: what was synced is there, of the rest any pages of any writes, in any
-- order, torn at pages, the file's end and its name as they were before or after. Each is opened:
-- all it tells is what the store told before the command or after it. Nothing else will do, an
-- error neither: syncs stand where SQLite's log wants them.

local core = require "tandem.core"
local damage = dofile "tests/store/damage.lua"
local support = require "tests.upload.support"
local build = assert(..., "usage: crash.lua BUILD")
local IMAGES <const> = math.tointeger(os.getenv "CRASH_IMAGES") or 2 -- of each prefix, at random
local PAGE <const> = 4096
local ENDINGS <const> = { "", "-wal", "-journal" }
local folder, program = support.directory, support.program

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local random = 20261128
local function below(n)
  random = (random * 1103515245 + 12345) & 0x7fffffff
  return (random >> 8) % n
end

-- ---- what was asked of the file system ----

-- { op, name, bytes, number }, as crash.c writes them.
local function operations(log)
  local text, at, list = assert(read(log)), 1, {}
  while at <= #text do
    local op, name_length, length, number
    op, name_length, length, number, at = ("<c1I2I4i8"):unpack(text, at)
    local name = text:sub(at, at + name_length - 1)
    list[#list + 1] = { op = op, name = name, number = number,
      bytes = text:sub(at + name_length, at + name_length + length - 1) }
    at = at + name_length + length
  end
  return list
end

-- ---- a disk: names, and what each file was asked since it was last synced ----

-- A file is its pages and its size.
local function file_of(text)
  local pages = {}
  for at = 1, #text, PAGE do pages[#pages + 1] = text:sub(at, at + PAGE - 1) end
  return { pages = pages, size = #text }
end

local function put(file, at, bytes)
  local page, within = at // PAGE + 1, at % PAGE
  for i = #file.pages + 1, page do file.pages[i] = "" end
  local old = file.pages[page]
  if #old < within then old = old .. ("\0"):rep(within - #old) end
  file.pages[page] = old:sub(1, within) .. bytes .. old:sub(within + #bytes + 1)
  file.size = math.max(file.size, at + #bytes)
end

local function cut(file, size)
  file.size = size
  for i = #file.pages, size // PAGE + 2, -1 do file.pages[i] = nil end
  local last = size // PAGE + 1
  if file.pages[last] then file.pages[last] = file.pages[last]:sub(1, size % PAGE) end
end

local function text_of(file)
  local parts, left = {}, file.size
  for i = 1, (file.size + PAGE - 1) // PAGE do
    local want = math.min(PAGE, left)
    local page = (file.pages[i] or ""):sub(1, want)
    parts[i] = page .. ("\0"):rep(want - #page)
    left = left - want
  end
  return table.concat(parts)
end

local function copy(file)
  return { pages = table.move(file.pages, 1, #file.pages, 1, {}), size = file.size }
end

local function apply(file, change)
  if change.size then cut(file, change.size) else put(file, change.at, change.bytes) end
end

local disk = {}
disk.__index = disk

local function new_disk(names)
  local made = { names = {}, safe = {}, files = {} }
  for name, text in pairs(names) do
    made.names[name] = { safe = file_of(text), asked = {} }
    made.safe[name] = made.names[name]
  end
  return setmetatable(made, disk)
end

local function shallow(names)
  local out = {}
  for name, file in pairs(names) do out[name] = file end
  return out
end

function disk:take(one)
  local file = self.names[one.name]
  if one.op == "c" then
    self.names[one.name] = { safe = file_of "", asked = {} }
  elseif one.op == "u" then
    self.names[one.name] = nil
  elseif one.op == "r" then
    self.names[one.bytes], self.names[one.name] = file, nil
  elseif one.op == "l" then
    self.names[one.bytes] = file
  elseif one.op == "s" and file then
    for _, change in ipairs(file.asked) do apply(file.safe, change) end
    file.asked = {}
    if not self.safe[one.name] then self.safe[one.name] = file end -- it can be found again
  elseif one.op == "s" then -- a folder
    self.safe = shallow(self.names)
  elseif one.op == "t" and file then
    file.asked[#file.asked + 1] = { size = one.number }
  elseif file then
    local at, from = one.number, 1
    while from <= #one.bytes do -- what a disk writes at once lies in one page
      local count = math.min(PAGE - at % PAGE, #one.bytes - from + 1)
      file.asked[#file.asked + 1] = { at = at, bytes = one.bytes:sub(from, from + count - 1) }
      at, from = at + count, from + count
    end
  end
end

-- Of a file, after a crash: `keeps(i, n)` says which of what was asked had come to the disk.
local function left_of(file, keeps, mixed)
  local out, order = copy(file.safe), {}
  for i, change in ipairs(file.asked) do
    if keeps(i, #file.asked) then order[#order + 1] = change end
  end
  if mixed then -- pages in another order; only truncations stay behind what they cut
    for i = #order, 2, -1 do
      local j = 1 + below(i)
      if not order[i].size and not order[j].size and order[i].at ~= order[j].at then
        order[i], order[j] = order[j], order[i]
      end
    end
  end
  for _, change in ipairs(order) do apply(out, change) end
  return text_of(out)
end

function disk:image(names, keeps, mixed)
  local out = {}
  for name, file in pairs(names) do out[name] = left_of(file, keeps, mixed) end
  return out
end

-- The images of this moment: nothing that was not synced, all of it, all but the last, only the
-- last, and some at random; names as they are now or as they were synced.
function disk:images()
  local list = {}
  local function add(names, keeps, mixed) list[#list + 1] = self:image(names, keeps, mixed) end
  for _, names in ipairs { self.names, self.safe } do
    add(names, function() return false end)
    add(names, function() return true end)
    add(names, function(i, n) return i < n end)
    add(names, function(i, n) return i == n end)
  end
  for i = 1, IMAGES do
    local of = 1 + below(4)
    local keep = i % 2 == 0
    local names = i % 3 == 0 and self.safe or self.names
    add(names, function() return (below(of + 1) > 0) == keep end, true)
  end
  return list
end

-- ---- what is left ----

local failures, passed = 0, 0
local function check(condition, what)
  if condition then
    passed = passed + 1
  else
    failures = failures + 1
    io.write("FAIL ", what, "\n")
  end
end

-- How many rows the outbox and the ledgers of sweeps have; one that is laid out and empty tells
-- nothing. How often a try failed is not asked: that row is written twice.
local function ledgers(db)
  local out = {}
  for _, row in ipairs(assert(db:all("SELECT name FROM sqlite_schema WHERE type = 'table' AND"
    .. " (name LIKE 'sweep%' OR name = 'outbox') ORDER BY name"))) do
    local count = assert(db:one(("SELECT count(*) AS n FROM %s"):format(row.name))).n
    if count > 0 then out[#out + 1] = ("%s %d"):format(row.name, count) end
  end
  return table.concat(out, ", ")
end

-- Views of runs are open until they are collected. A store with a damaged page tells just that.
local function told(path)
  local ok, figures = pcall(damage.figures, path)
  collectgarbage()
  if not ok and tostring(figures):find "page %d+ is damaged" then return "damaged" end
  if not ok then error(figures, 0) end
  local db <close> = assert(core.database(path, { store = true, readonly = true }))
  return assert(db:one "PRAGMA integrity_check").integrity_check .. "\n" .. figures .. ledgers(db)
end

local seen -- of one command: an image → what it tells

local function look(image, store)
  local path = folder .. "/left.db"
  local hash = core.digest.sha256()
  for _, ending in ipairs(ENDINGS) do
    local text = image[store .. ending]
    hash:add(("%s %d|%s"):format(ending, text and #text or -1, text or ""))
  end
  local key = hash:hex()
  if seen[key] then return seen[key] end
  os.remove(path .. "-shm")
  for _, ending in ipairs(ENDINGS) do
    os.remove(path .. ending)
    local text = image[store .. ending]
    if text then support.write(path .. ending, text) end
  end
  local ok, text = pcall(told, path)
  seen[key] = { ok = ok, text = tostring(text) }
  return seen[key]
end

-- Every image of every prefix. `lies`: syncs are nothing. Returns how many were judged, how many
-- of them bad, and the first of these in words.
local function judge(store, list, base, before, after, lies)
  local now, images, bad, first = new_disk { [store] = base }, 0, 0, nil
  for k, one in ipairs(list) do
    if not (lies and one.op == "s") then now:take(one) end
    for i, image in ipairs(now:images()) do
      local left = look(image, store)
      images = images + 1
      if not left.ok or left.text ~= before and left.text ~= after then
        bad = bad + 1
        first = first or ("image %d after call %d, %s: %s"):format(i, k, one.op,
          left.ok and "neither old nor new" or left.text)
      end
    end
  end
  return images, bad, first, now
end

local lied = 0

local function try(name, act, prepare)
  local store, log = folder .. "/t.db", folder .. "/log"
  seen = {}
  support.must(("rm -rf %s* %s && cp %s/base.db %s"):format(store, log, folder, store))
  if prepare then prepare(store) end
  local base, before = read(store), told(store)
  act(store, ("LD_PRELOAD=%s/crash.so CRASH_LOG=%s"):format(build, log))
  local list, after = operations(log), told(store)
  local images, bad, first, last = judge(store, list, base, before, after)
  passed = passed + images - bad
  check(bad == 0, ("%s: %d of %d images, the first %s"):format(name, bad, images, first))
  check(before ~= after or name == "gc", name .. ": nothing was changed")
  -- The recorder saw all: what it says is what lies there.
  local whole = last:image(last.names, function() return true end)
  check(whole[store] == read(store), name .. ": the record is not what was done")
  local unlike = 0
  for _ in pairs(seen) do unlike = unlike + 1 end
  -- Teeth: a disk that calls safe what is not leaves a store that is neither, or damaged.
  local _, caught = judge(store, list, base, before, after, true)
  lied = lied + caught
  io.write(("%s: %d calls, %d images, %d of them unlike; without syncs %d are bad\n"):format(name,
    #list, images, unlike, caught))
end

local function run(words)
  return function(store, recorded)
    support.must(("%s '%s' %s --store %s"):format(recorded, program, words, store))
  end
end

for _, words in ipairs { "run demo --duration 1s --spans all", "run demo --duration 1s --seed 3",
  "run demo --duration 1s --seed 4", "rm last" } do
  support.must(("'%s' %s --store %s/base.db"):format(program, words, folder))
end
for _, words in ipairs { "import tests/data/nsys/mock.sqlite.gz --no-progress --tag nightly",
  "run demo --duration 1s --spans all", "rm last", "gc", "tag last kept" } do
  try(words:match "^%a+", run(words))
end
try("note", run "note last 'a note'")
try("scrub", run "scrub last --names '*'")
try("merge", function(store, recorded)
  support.must(("%s '%s' merge --into %s %s/swept.db"):format(recorded, program, store, folder))
end, function()
  support.must(("'%s' sweep demo --over rps=50,60 --duration 1s --store %s/swept.db"):format(
    program, folder))
end)
-- A page of the last run's rows is damaged: the store is that, or without the run.
try("repair", function(store, recorded)
  support.must(("%s '%s' verify %s --repair"):format(recorded, program, store))
end, function(store)
  local db <close> = assert(core.database(store, { store = true, readonly = true }))
  local row = assert(db:one "SELECT substr(data, -60) AS tail FROM chunk_data ORDER BY id DESC")
  db:close()
  local bytes = read(store)
  local at = assert(bytes:find(row.tail, 1, true))
  support.write(store, bytes:sub(1, at + 9) .. "damage" .. bytes:sub(at + 16))
end)
support.must(("'%s' run demo --duration 1s --seed 9 --store %s/sent.db"):format(program, folder))
try("upload", function(store, recorded)
  local server = support.serve(store:match "[^/]+$", nil, recorded)
  support.must(("'%s' upload last --to %s --store %s/sent.db"):format(program, server.url, folder))
  support.stop(server.pid)
end)
-- What has nobody at the other end stays in the outbox, until it is sent or forgotten.
local function unsent(store, recorded)
  support.must(("! %s '%s' upload last --to http://127.0.0.1:9 --patience 1 --store %s"):format(
    recorded or "", program, store) .. " 2> /dev/null")
end
try("outbox", unsent)
try("outbox rm", function(store, recorded)
  support.must(("%s '%s' outbox rm 1 --store %s"):format(recorded, program, store))
end, unsent)
local receiver
try("outbox send", function(store, recorded)
  support.must(("%s '%s' outbox send --store %s"):format(recorded, program, store))
  support.stop(receiver.pid)
end, function(store)
  unsent(store)
  receiver = support.serve "received.db"
  local db <close> = assert(core.database(store, { store = true }))
  assert(db:run("UPDATE outbox SET url = ?", receiver.url))
end)
check(lied > 0, "a disk that does not sync goes unnoticed")
support.must("rm -r " .. folder)
print(("%d passed, %d failed"):format(passed, failures))
os.exit(failures == 0)
