-- The log and its index that a killed writer leaves beside a store, damaged at random: every figure
-- is the same, or an error says why not; what a repair leaves is whole. Run inside the program by
-- tests/run-all: [LOGS=N] [LOG_REPAIRS=N] build/tandem lua tests/store/log.lua BUILD
--
-- With an index nothing else will do. Without one (it does not outlive a power cut) SQLite's own
-- rule may hold: what the store told after an earlier commit.

local core = require "tandem.core"
local damage = dofile "tests/store/damage.lua"
local copy = require "tandem.store.copy"
local repair = require "tandem.store.repair"
local verify = require "tandem.store.verify"
local build = assert(..., "usage: log.lua BUILD")
local COUNT <const> = math.tointeger(os.getenv "LOGS") or 600
local REPAIRS <const> = math.tointeger(os.getenv "LOG_REPAIRS") or 150
local ENDINGS <const> = { "", "-wal", "-shm" }
local FRAME <const> = 4096 + 24
local folder = os.tmpname() .. ".d"
local below = damage.below

local failures, passed = 0, 0
local function check(condition, what)
  if condition then
    passed = passed + 1
  else
    failures = failures + 1
    if failures <= 20 then io.write("FAIL ", what, "\n") end
  end
  return condition
end

local function must(command)
  local pipe = assert(io.popen(("{ %s; } 2>&1"):format(command)))
  local text = pipe:read "a"
  if not pipe:close() then error(command .. "\n" .. text, 0) end
end

local function read(path)
  local file <close> = io.open(path, "rb")
  return file and file:read "a"
end

local function files_of(path)
  local out = {}
  for _, ending in ipairs(ENDINGS) do out[ending] = read(path .. ending) end
  return out
end

local function lay(path, files)
  for _, ending in ipairs(ENDINGS) do
    os.remove(path .. ending)
    if files[ending] then
      local file <close> = assert(io.open(path .. ending, "wb"))
      assert(file:write(files[ending]))
    end
  end
end

local function figures(path)
  local text = damage.figures(path)
  collectgarbage() -- views of runs are open until then
  return text
end

-- What each command of a series leaves while another has the store open: as after a kill.
local function states(name, commands)
  local path, out = ("%s/%s.db"):format(folder, name), {}
  must(("%s/tandem run demo --duration 1s --seed 7 --store %s"):format(build, path))
  out.first, out.base = figures(path), { [""] = read(path) }
  local holder = assert(core.database(path, { store = true }))
  assert(holder:one "SELECT count(*) FROM run")
  for _, command in ipairs(commands) do
    must(("%s/tandem %s --store %s"):format(build, command, path))
    -- Another process copies: closing the files here would drop the holder's locks.
    must(("rm -f %s/held* && for e in '' -wal -shm; do cp %s$e %s/held$e; done"):format(folder,
      path, folder))
    out[#out + 1] = files_of(folder .. "/held")
  end
  for _, state in ipairs(out) do
    lay(folder .. "/told.db", state)
    state.told = figures(folder .. "/told.db")
    state.name = name
  end
  holder:close()
  return out
end

local function replaced(bytes, at, with)
  return bytes:sub(1, at) .. with .. bytes:sub(at + #with + 1)
end

-- Of the log alone.
local kinds = {
  { name = "cut", make = function(bytes) return bytes:sub(1, below(#bytes)) end },
  { name = "cut at a frame", make = function(bytes)
    return bytes:sub(1, 32 + below((#bytes - 32) // FRAME) * FRAME)
  end },
  { name = "emptied", make = function() return "" end },
  { name = "missing", make = function() return nil end },
  { name = "header", make = function(bytes)
    local at = below(32)
    return replaced(bytes, at, string.char(bytes:byte(at + 1) ~ (1 << below(8))))
  end },
  { name = "frames swapped", make = function(bytes)
    local n = (#bytes - 32) // FRAME
    local a, b = 32 + below(n) * FRAME, 32 + below(n) * FRAME
    local first, second = bytes:sub(a + 1, a + FRAME), bytes:sub(b + 1, b + FRAME)
    return replaced(replaced(bytes, a, second), b, first)
  end },
  damage.kinds[1], damage.kinds[1], damage.kinds[2], damage.kinds[3], damage.kinds[4],
}

local function spoil_index(bytes)
  local how = below(4)
  if how == 0 then return nil end
  if how == 1 then return bytes:sub(1, below(200)) end
  local at = below(136)
  return replaced(bytes, at, string.char(bytes:byte(at + 1) ~ (1 << below(8))))
end

must("mkdir " .. folder)
local SMALL <const> = { "tag last kept", "run demo --duration 1s --spans all",
  "run demo --duration 1s --seed 3", "note last 'a note'" }
local LARGE <const> = { "import tests/data/nsys/h100_cut.sqlite.gz --name h100",
  "run demo --duration 30s --spans all --seed 4", "tag last kept",
  "run demo --duration 2s --spans all --seed 5", "rm last" }
local series = { states("small", SMALL), states("large", LARGE) }
local foreign = states("foreign", { "run demo --duration 1s --seed 9", "tag last there" })

local path, noticed, quiet = folder .. "/t.db", {}, 0
local function told_before(list, upto, text)
  if list.first == text then return true end
  for i = 1, upto do if list[i].told == text then return true end end
  return false
end

local function try(n)
  local list = series[1 + below(#series)]
  local at = 1 + below(#list)
  local state = list[at]
  local files, indexed = { [""] = state[""], ["-wal"] = state["-wal"] }, true
  local name = "another store's"
  local how = below(8)
  files["-shm"] = state["-shm"]
  if how < 5 then -- the log
    local kind = kinds[1 + below(#kinds)]
    name, files["-wal"] = kind.name, kind.make(files["-wal"])
  elseif how == 5 then -- its index
    name, files["-shm"] = "index", spoil_index(files["-shm"])
  elseif how == 6 then -- both
    local kind = kinds[1 + below(#kinds)]
    name, files["-wal"] = kind.name .. " and index", kind.make(files["-wal"])
    files["-shm"], indexed = spoil_index(files["-shm"]), false
  else
    files["-wal"] = foreign[1 + below(#foreign)]["-wal"]
  end
  lay(path, files)
  local ok, text = pcall(figures, path)
  collectgarbage()
  if not ok then
    noticed[name] = (noticed[name] or 0) + 1
    check(not tostring(text):find("traceback", 1, true), "a traceback")
    -- Nothing was taken in, or dropped: whoever comes next sees the same.
    check(not tostring(text):find("(-wal)", 1, true) or files["-wal"] == read(path .. "-wal"),
      name .. ": the log is another after the error")
  elseif text ~= state.told then
    local earlier = not indexed and told_before(list, at, text)
    if earlier then quiet = quiet + 1 end
    check(earlier, ("number %d: %s, %s %d: other figures, no error%s"):format(n, name, state.name,
      at, told_before(list, at, text) and " (an earlier state)" or ""))
  else
    passed = passed + 1
  end
end
for n = 1, COUNT do try(n) end

-- ---- repairs ----

local function digests(from)
  local db <close> = assert(core.database(from, { store = true, readonly = true }))
  local out = {}
  for _, row in ipairs(assert(db:all "SELECT number, id FROM run")) do
    out[row.id] = assert(copy.digest(db, "main", row.number))
  end
  return out
end

local truth, once = {}, {} -- of the last states; all that a run ever was
for i, list in ipairs(series) do
  for at = 0, #list do
    lay(path, list[at] or list.base)
    truth[i] = digests(path)
    for id, digest in pairs(truth[i]) do once[id .. digest] = true end
  end
end

local function mended(n)
  local which = 1 + below(#series)
  local list = series[which]
  local files = {}
  for _, ending in ipairs(ENDINGS) do files[ending] = list[#list][ending] end
  local how = below(3)
  if how > 0 then files["-wal"] = kinds[1 + below(#kinds)].make(files["-wal"]) end
  if how < 2 then files[""] = damage.kinds[1 + below(#damage.kinds)].make(files[""]) end
  os.execute(("rm -f '%s'*"):format(path))
  lay(path, files)
  local log = verify.log(path)
  local done, why = repair.store(path, log)
  collectgarbage()
  if not done then -- refused: nothing was touched but, with a copy, the log
    check(read(path) == files[""] or core.files.size(path .. ".damaged-wal"),
      ("repair %d: refused, and the store is another: %s"):format(n, why))
    return "refused"
  end
  local db <close> = assert(core.database(path, { store = true, readonly = true }))
  local seen = assert(verify.look(db))
  check(seen.sound and seen.checked, ("repair %d leaves damage"):format(n))
  db:close()
  local found, count = digests(path), 0
  for id, digest in pairs(found) do
    count = count + 1
    check(truth[which][id] == digest or log and once[id .. digest],
      ("repair %d: run %s is another"):format(n, id))
  end
  local missing = 0
  for id in pairs(truth[which]) do if not found[id] then missing = missing + 1 end end
  check(missing == 0 or #done.lost > 0 or log, ("repair %d: runs are missing, no word"):format(n))
  check(done.kept == count, ("repair %d says %d kept, there are %d"):format(n, done.kept, count))
  check(core.files.size(done.old), "the old file is kept")
  check(not core.files.size(path .. ".repairing"), "nothing is left")
  check(not log or files["-wal"] == nil or read(done.old .. "-wal") == files["-wal"],
    ("repair %d: the old log is not kept"):format(n))
  return "mended"
end
local ends = {}
for n = 1, REPAIRS do
  local how = mended(n)
  ends[how] = (ends[how] or 0) + 1
end

-- Nobody may have the store open: what he then writes would be in the old file.
do
  local list = series[1]
  os.execute(("rm -f '%s'*"):format(path))
  lay(path, list[#list])
  local holder = assert(core.database(path, { store = true }))
  assert(holder:one "SELECT count(*) FROM run")
  local done, why = repair.store(path)
  check(not done and why:find("in use by another process", 1, true), "a repair beside a user: "
    .. tostring(why))
  holder:close()
  check(figures(path) == list[#list].told, "a repair that was refused changed the store")
end

os.execute(("rm -rf '%s'"):format(folder))
local parts = {}
for name, count in pairs(noticed) do parts[#parts + 1] = ("%s %d"):format(name, count) end
table.sort(parts)
print("noticed: " .. table.concat(parts, ", "))
print(("without an index an earlier state %d times; repairs: %d mended, %d refused"):format(quiet,
  ends.mended or 0, ends.refused or 0))
print(("%d passed, %d failed"):format(passed, failures))
os.exit(failures == 0)
