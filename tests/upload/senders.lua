-- Several senders at once to one receiver: different runs, the same run, and a run that comes in
-- two parcels at the same time. Each run is stored once.
--   [UPLOAD_ROUNDS=N] tandem lua tests/upload/senders.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local store = require "tandem.store"
local support = require "tests.upload.support"

local check, path = support.check, support.path
local ROUNDS <const> = math.tointeger(os.getenv "UPLOAD_ROUNDS") or 6
local here = path "here.db"

-- A round has two runs.
for seed = 1, 2 * ROUNDS do
  support.must(("'%s' run demo --seed %d --store %s --duration 5s"):format(support.program, seed,
    here))
end
local ids
do
  local source <close> = assert(store.open(here))
  ids = source:runs():column "id"
end
check(#ids == 2 * ROUNDS, "runs to send", #ids)
-- Other machines that have the same runs.
local SENDERS <const> = 5
for i = 1, SENDERS do support.must(("cp %s %s"):format(here, path("here" .. i .. ".db"))) end

local server = support.serve("there.db")
local sent, known = 0, 0
for round = 1, ROUNDS do
  local one, other = ids[2 * round - 1], ids[2 * round]
  local pids = {}
  for i, runs in ipairs { one, one, one, other, one .. " " .. other } do
    pids[i] = support.start(("upload %s --to %s --store %s --patience 600"):format(runs, server.url,
      path("here" .. i .. ".db")), path("said" .. i))
  end
  for i, pid in ipairs(pids) do
    while support.runs(pid) do support.sleep(0.01) end
    local said = support.read(path("said" .. i)):match "[^\n]*\n$" or ""
    if said:find "^sent " then sent = sent + 1 end
    if said:find "has them already" then known = known + 1 end
    check(said:find "^sent " or said:find "has them already", "each sender succeeds", said)
    check(said:find(one, 1, true) or said:find(other, 1, true), "and hears of the run's id", said)
  end
end
check(sent + known == SENDERS * ROUNDS, "all have sent", sent)
check(sent >= 3 * ROUNDS, "each parcel was sent by somebody", sent)
check(support.stop(server.pid), "the receiver ends")

support.check_store("there.db", 2 * ROUNDS)
support.must(("'%s' upload %s --to https://there --store %s --dry-run --output %s"):format(
  support.program, table.concat(ids, " "), here, path "sent.db"))
for _, id in ipairs(ids) do
  check(support.image(path "sent.db", id) == support.image(path "there.db", id),
    "a run is as it was sent: " .. id)
end
do
  local taken <close> = assert(store.open(path "there.db", { readonly = true }))
  local row = assert(taken.db:one("SELECT count(*) AS n, count(DISTINCT digest) AS d"
    .. " FROM upload_run"))
  check(row.n == 2 * ROUNDS and row.d == row.n, "each content is noted once", row.n)
end
print(("%d rounds of %d senders at once: %d sent, %d heard that it was there"):format(ROUNDS,
  SENDERS, sent, known))
support.finish()
