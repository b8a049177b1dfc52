-- Both ends of an upload with 200 broken connections between them: `tandem upload`, a proxy that
-- breaks connections at random bytes in both directions, `tandem serve`; then the stores are
-- compared.
--   [UPLOAD_CUTS=N] [UPLOAD_SEED=N] tandem lua tests/upload/cuts.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local core = require "tandem.core"
local store = require "tandem.store"
local support = require "tests.upload.support"
local upload = require "tandem.upload"

local check, path = support.check, support.path
local CUTS <const> = math.tointeger(os.getenv "UPLOAD_CUTS") or 200
local SEED <const> = math.tointeger(os.getenv "UPLOAD_SEED") or 7

local here = path "here.db"
local ids = support.fill "here.db"
check(#ids == 2, "two runs to send", #ids)
local source = assert(store.open(here))

local server = support.serve "there.db"
local told = path "told"
-- Of all bytes that a sender says, a cut may stand anywhere; answers are short.
local proxy = support.proxy(server.port, { cuts = CUTS, seed = SEED, there_most = 100000,
  back_most = 300, told = told, heard = path "heard" })

local function cuts() return select(2, support.read(told):gsub(" of connection ", "")) end
-- Every connection is cut while cuts are left, so that many tries in a row may fail: waits begin so
-- small that patience is not what ends them.
local function send(runs)
  return upload.runs(source, runs, { to = proxy.url, base_s = 1e-9, patience_s = 600 })
end

local began, sends = core.clock(), 0
while cuts() < CUTS and sends < 2000 do
  sends = sends + 1
  -- Each run, both, what is there already: cuts meet beginnings, repeats and ends.
  local runs = sends % 5 == 0 and ids or { ids[sends % 2 + 1] }
  local sent, message = send(runs)
  if not check(sent, "an upload survives its cuts", message) then break end
  -- What was there is begun anew now and then, so that there is something to send.
  if sends % 3 == 0 and cuts() < CUTS then
    support.must(("'%s' rm %s --store %s"):format(support.program, ids[sends % 2 + 1],
      path "there.db"))
  end
end
check(cuts() == CUTS, "all connections were cut", cuts())
check(send(ids), "and the last upload arrives whole")
local lines = support.read(told)
local there, back = select(2, lines:gsub("there\n", "")), select(2, lines:gsub("back\n", ""))
check(CUTS < 20 or there > CUTS // 4 and back > CUTS // 10, "cuts in both directions", there)

check(support.stop(server.pid), "the server ends")
proxy.stop()
support.check_store("there.db", 2)

-- What was sent is scrubbed; so is what a dry run shows, which is what is compared.
support.must(("'%s' upload %s --to %s --store %s --dry-run --output %s"):format(support.program,
  table.concat(ids, " "), proxy.url, here, path "scrubbed.db"))
local rows = {}
for _, id in ipairs(ids) do
  local sent, counts = support.image(path "scrubbed.db", id)
  check(sent == support.image(path "there.db", id), "the same rows in both stores: " .. id)
  for name, count in pairs(counts) do rows[name] = (rows[name] or 0) + count end
end
for _, name in ipairs { "span", "edge", "counter", "metric", "request", "fact", "run_tag" } do
  check(rows[name] > 0, "there is something to compare: " .. name)
end
check(#source.db:all "SELECT * FROM outbox" == 0, "the outbox is empty")
source:close()
print(("%d cuts (%d there, %d back), seed %d, %d uploads, %d bytes passed, %.1f s"):format(cuts(),
  there, back, SEED, sends, #support.read(path "heard"), core.clock() - began))
support.finish()
