-- Either end of an upload when one call fails: any allocation, write, sync, rename, truncation,
-- open or read of `tandem upload`, or of the `tandem serve` that takes what it sends. Afterwards
-- the receiver has the run wholly or not at all, the sender has said so, and sending again works;
-- a server that cannot start says why in one line.
--   [ONCE_ALL=1] tandem lua tests/upload/once.lua
-- A sample of calls (tests/store/once.c has how), the same in every run of the test.

local store = require "tandem.store"
local support = require "tests.upload.support"
local upload = require "tandem.upload"

local check, path = support.check, support.path
local ALL <const> = os.getenv "ONCE_ALL" ~= nil
local KINDS <const> = { memory = 30, write = 6, sync = 4, name = 4, cut = 3, open = 5, read = 6 }
-- and of the calls before a server listens
local STARTS <const> = { memory = 15, write = 2, sync = 1, name = 1, cut = 1, open = 3, read = 2 }
local ORDER <const> = { "memory", "write", "sync", "name", "cut", "open", "read" }
local told = path "told"

local function faults(kind, at)
  return ("LD_PRELOAD=%s/once.so ONCE_OF=%s ONCE_AT=%d ONCE_TELLS=%s"):format(support.build, kind,
    at, told)
end

local function counted()
  local text = support.read(told)
  if #text < 16 then return 0, 0 end
  return ("<i8i8"):unpack(text)
end

local random = 20261128
local function points(first, count, most)
  local out = {}
  local all = count - first
  if ALL then most = all end
  for i = 0, math.min(most, all) - 1 do
    random = (random * 1103515245 + 12345) & 0x7fffffff
    local from, to = all * i // most, all * (i + 1) // most
    out[#out + 1] = first + from + 1 + (to > from and random % (to - from) or 0)
  end
  return out
end

support.must(("'%s' run demo --duration 2s --spans all --seed 5 --store %s"):format(
  support.program, path "here.db"))
local source = assert(store.open(path "here.db"))
local id = source:runs():column("id")[1]
support.must(("'%s' upload %s --to http://127.0.0.1:9 --store %s --dry-run --output %s"):format(
  support.program, id, path "here.db", path "scrubbed.db"))
local whole = support.image(path "scrubbed.db", id)

-- What the receiver has: "" or the image of its run.
local function received(name)
  local taken <close> = assert(store.open(path(name), { readonly = true }))
  check(taken.db:one("PRAGMA integrity_check").integrity_check == "ok", "the store is whole")
  check(#assert(taken.db:all "PRAGMA foreign_key_check") == 0, "no row is without its run")
  local rows = taken:runs().rows
  if not check(#rows <= 1, "one run at most", #rows) or #rows == 0 then return "" end
  return (support.image(path(name), id))
end

local function one_line(said, what)
  check(not said:find("traceback", 1, true), what .. ": a traceback", said)
  check(select(2, said:gsub("\n", "")) == 1, what .. ": not one line", said)
end

-- ---- the sender ----

local server = support.serve "there.db"
local function send(kind, at)
  local text, code = support.shell(("%s '%s' upload %s --to %s --store %s 2>&1 >/dev/null"):format(
    faults(kind, at), support.program, id, server.url, path "here.db"))
  return text, code
end
local function forget()
  support.shell(("'%s' rm %s --store %s; '%s' outbox --forget all --store %s"):format(
    support.program, id, path "there.db", support.program, path "here.db"))
end

local tried = 0
for _, kind in ipairs(ORDER) do
  forget()
  send(kind, 0)
  for _, at in ipairs(points(0, (counted()), KINDS[kind])) do
    forget()
    local said, code = send(kind, at)
    local what = ("the sender's %s %d"):format(kind, at)
    tried = tried + 1
    local there = received "there.db"
    check(there == "" or there == whole, what .. ": another run arrived")
    if code == 0 then
      check(there == whole, what .. ": it says sent, and nothing is there", said)
    else
      check(code == 4, what .. ": exit " .. code, said)
      one_line(said, what)
      said, code = send(kind, 0)
      check(code == 0 and received "there.db" == whole, what .. ": sending again fails", said)
    end
  end
end
check(support.stop(server.pid), "the server ends")

-- ---- the receiver ----

local function serve(kind, at)
  return pcall(support.serve, "taker.db", nil, kind and faults(kind, at))
end
local function forget_taker()
  for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path "taker.db" .. ending) end
  os.execute(("rm -rf '%s.uploads'"):format(path "taker.db"))
end
local function give(taker)
  return upload.runs(source, { id }, { to = taker.url, base_s = 1e-9, patience_s = 0.5 })
end

local function takes_all(taker, what, message)
  local again, why = give(taker)
  check(again, what .. ": sending again fails", ("%s, first %s"):format(why, message))
  check(support.stop(taker.pid), "the server ends")
  check(received "taker.db" == whole, what .. ": another run is there", message)
end

-- It says why in one line for a person, and what it left is no hindrance.
local refused = 0
local function refuses_to_start(what)
  local said = support.read(path "taker.db.log")
  refused = refused + 1
  check(support.code_of(path "taker.db.log") == 4, what .. ": not exit 4", said)
  one_line(said, what)
  check(said:find "^tandem[^\n]*: " and not said:find "%.lua:" and not said:find "%.c:",
    what .. ": no line for a person", said)
  local began, taker = serve()
  if check(began, what .. ": afterwards it does not start", taker) then takes_all(taker, what) end
end

-- How many calls come before it listens differs a little from start to start: a point just behind
-- them may fall among them, and one among them behind.
local function fail_in_receiver(kind, at)
  local what = ("the receiver's %s %d"):format(kind, at)
  forget_taker()
  local began, taker = serve(kind, at)
  tried = tried + 1
  if not began then return refuses_to_start(what) end
  local _, message = give(taker)
  check(support.runs(taker.pid), what .. ": the server died", support.read(path "taker.db.log"))
  takes_all(taker, what, message)
end

for _, kind in ipairs(ORDER) do
  forget_taker()
  local _, plain = serve(kind, 0)
  local started = counted()
  check(give(plain), "the upload works")
  local count = counted()
  check(support.stop(plain.pid), "the server ends")
  for _, at in ipairs(points(0, started, STARTS[kind])) do fail_in_receiver(kind, at) end
  for _, at in ipairs(points(started, count, KINDS[kind])) do fail_in_receiver(kind, at) end
end
check(refused > 0, "some starts fail")
source:close()
print(("%d calls failed"):format(tried))
support.finish()
