-- kill -9 of the receiver and of the sender at random moments of an upload, one run a time; each is
-- started again and goes on. Afterwards every run is there, once, whole.
--   [UPLOAD_KILLS=N] [UPLOAD_SEED=N] tandem lua tests/upload/kills.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local core = require "tandem.core"
local store = require "tandem.store"
local support = require "tests.upload.support"

local check, path, tandem = support.check, support.path, support.tandem
local KILLS <const> = math.tointeger(os.getenv "UPLOAD_KILLS") or 20
local SEED <const> = math.tointeger(os.getenv "UPLOAD_SEED") or 11
math.randomseed(SEED)

-- Everybody's temporary files are here, so that what is left can be seen.
local AT <const> = "TMPDIR=" .. path "tmp"
local here = path "here.db"

local function fill(count)
  for seed = 1, count do
    support.must(("'%s' run demo --seed %d --store %s --duration 5s"):format(support.program, seed,
      here))
  end
  local source <close> = assert(store.open(here))
  local ids = source:runs():column "id"
  table.sort(ids)
  return ids
end

local function compare(name, ids)
  support.check_store(name, #ids)
  support.must(("'%s' upload %s --to https://there --store %s --dry-run --output %s"):format(
    support.program, table.concat(ids, " "), here, path "sent.db"))
  for _, id in ipairs(ids) do
    check(support.image(path "sent.db", id) == support.image(path(name), id),
      "a run is as it was sent: " .. id)
  end
end

local function left_over()
  local names = {}
  for _, name in ipairs(core.files.list(path "tmp") or {}) do
    if name:find "^tandem%-upload" then names[#names + 1] = name end
  end
  return names
end

-- Starts to send a run; its process, and what it says.
local function start(id, url, said)
  return support.start(("upload %s --to %s --store %s --patience 300"):format(id, url, here),
    path(said), AT)
end

local function await(pid)
  for _ = 1, 60000 do
    if not support.runs(pid) then return true end
    support.sleep(0.01)
  end
  return false
end

-- How long a whole upload takes here and now.
local function duration(server, id)
  local began = core.clock()
  support.must(("'%s' upload %s --to %s --store %s"):format(support.program, id, server.url, here))
  return core.clock() - began
end

-- Waits for a random part of an upload, and says whether it is still under way. One that was over
-- before makes those after it wait for half as long: however fast the machine, most are not over.
local longest_s, midway
local function meanwhile(pid)
  support.sleep(math.random() * longest_s)
  local under_way = support.runs(pid)
  if under_way then midway = midway + 1 else longest_s = longest_s / 2 end
end

local ids = fill(KILLS + 1)

-- ---- the receiver ----

local server = support.serve("there.db")
longest_s, midway = duration(server, ids[KILLS + 1]), 0
for i = 1, KILLS do
  local pid = start(ids[i], server.url, "said")
  meanwhile(pid)
  check(support.stop(server.pid, "KILL"), "the receiver is dead")
  support.sleep(math.random() * 0.1)
  server = support.serve("there.db", server.port)
  check(await(pid), "the sender comes to an end")
  local said = support.read(path "said")
  check(said:find("sent [%d,]+ bytes") or said:find "has them already",
    "an upload survives kill -9 of its receiver", said)
end
check(support.stop(server.pid), "the receiver ends")
check(midway > KILLS // 4, "receivers were killed during uploads", midway)
compare("there.db", ids)
check(#left_over() == 0, "senders leave nothing behind", table.concat(left_over(), " "))
print(("%d kills of the receiver, %d during an upload, seed %d"):format(KILLS, midway, SEED))

-- ---- the sender ----

server = support.serve("there2.db")
longest_s, midway = duration(server, ids[KILLS + 1]), 0
for i = 1, KILLS do
  local pid = start(ids[i], server.url, "said")
  meanwhile(pid)
  check(support.stop(pid, "KILL"), "the sender is dead")
  local kept <close> = assert(store.open(here))
  if #kept.db:all "SELECT * FROM outbox" > 0 then
    local text, code = tandem(("outbox send --store %s"):format(here))
    check(code == 0 and text:find(ids[i], 1, true), "the outbox knows what was asked", text)
  else
    local text, code = tandem(("upload %s --to %s --store %s"):format(ids[i], server.url, here))
    check(code == 0, "what was not asked yet, or has arrived, can be sent", text)
  end
  check(#kept.db:all "SELECT * FROM outbox" == 0, "the outbox is empty then")
end
check(support.stop(server.pid), "the receiver ends")
check(midway > KILLS // 4, "senders were killed during uploads", midway)
compare("there2.db", ids)
check(#left_over() == 0, "what killed senders left is gone", table.concat(left_over(), " "))
do
  local source <close> = assert(store.open(here, { readonly = true }))
  check(source.db:one("PRAGMA integrity_check").integrity_check == "ok",
    "the sender's store is whole")
  check(#source:runs().rows == #ids, "and has its runs")
end
print(("%d kills of the sender, %d during an upload"):format(KILLS, midway))
support.finish()
