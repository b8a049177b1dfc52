-- What a sender makes of answers, tokens and failures of its own machine: repeats, refusals, an
-- outbox, garbage, redirects, full disks.
--   tandem lua tests/upload/answers.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local cjson = require "cjson"
local core = require "tandem.core"
local store = require "tandem.store"
local support = require "tests.upload.support"
local upload = require "tandem.upload"

local check, path, shell, tandem = support.check, support.path, support.shell, support.tandem
local SECRET <const> = "hush-4711-hush-4711"
local here = path "here.db"
local ids = support.fill "here.db"
local source = assert(store.open(here))

local function send(server, options)
  options.to, options.base_s = server.url, options.base_s or 0.002
  return upload.runs(source, options.runs or ids, options)
end

local function lines_of(text) return select(2, text:gsub("\n", "")) end

-- How many wait in the outbox.
local function kept() return #source.db:all "SELECT id FROM outbox" end

local function forget() assert(source.db:run "DELETE FROM outbox") end

-- ---- repeats and tokens, at a real receiver ----

do
  local server = support.serve("there.db", nil, "TANDEM_TOKEN=" .. SECRET)
  local words = ("upload last --to %s --store %s --patience 2 --token-file %s"):format(server.url,
    here, support.write(path "token", SECRET .. "\n"))
  shell("chmod 644 " .. path "token")
  local text, code = tandem(words)
  check(code == 4 and text:find "can be read by others" and lines_of(text) == 1,
    "a token that others can read is refused", text)
  check(not text:find(SECRET, 1, true) and kept() == 0, "and nothing is noted", text)
  shell("chmod 600 " .. path "token")
  text, code = tandem(words)
  check(code == 0 and text:find "^sent ", "a token from a 0600 file", text)
  text, code = tandem(words)
  check(code == 0 and text:find "has them already", "a repeat is harmless", text)
  text, code = tandem(words .. " " .. ids[2])
  check(code == 0, "a parcel that has a known run and a new one", text)
  text, code = shell(("TANDEM_TOKEN=wrong-wrong-wrong '%s' upload last --to %s --store %s"):format(
    support.program, server.url, here))
  check(code == 4 and text:find "401" and not text:find "wrong%-wrong" and lines_of(text) == 1,
    "a wrong token is told and not asked again", text)
  check(select(2, shell(("grep -r -q -a %s %s/*.db*"):format(SECRET, support.directory))) == 1,
    "tokens are in no store and no log")
  text = tandem(("outbox --store %s --csv"):format(here))
  check(text:find("401", 1, true), "the outbox keeps what failed", text)
  text, code = shell(("TANDEM_TOKEN=%s '%s' outbox send --store %s"):format(SECRET, support.program,
    here))
  check(code == 0, "the outbox sends it later", text)
  text = tandem(("outbox --store %s"):format(here))
  check(text:find "empty", "and is empty then", text)
  check(support.stop(server.pid), "the receiver ends")
  support.check_store("there.db", 2)
end

do
  local server = support.serve "run.db"
  local text, code = tandem(("run demo --seed 6 --store %s --upload %s"):format(path "own.db",
    server.url))
  check(code == 0 and text:find "sent [%d,]+ bytes", "tandem run --upload", text)
  local td = require "tandem"
  local own <close> = assert(td.store(path "own.db"))
  local sent, message = td.upload(own:run "last", { to = server.url })
  check(sent and sent.already, "td.upload", message)
  support.stop(server.pid)
end

-- ---- answers ----

do
  local server = support.endpoint("slow.db", { answers = { 503, 429, 500 } })
  local sent, message = send(server, { runs = { "last" } })
  check(sent, "429 and 5xx are asked again", message)
  local log = server.log()
  check(#log >= 6 and log[4].path == "/v1/uploads", "after three refusals", #log)
  server.stop()
end

do
  local server = support.endpoint("no.db", { answers = { 400, 400 } })
  local sent, message, _, number = send(server, { runs = { "last" } })
  check(not sent and message:find "400, bad request" and number, "400 is final", message)
  check(#server.log() == 1, "and asked once", #server.log())
  server.stop()
  forget()
end

local LONG <const> = {}
for i = 1, 100 do LONG[i] = ("X-Long-%d: %s"):format(i, ("x"):rep(1000)) end

local GARBAGE <const> = {
  { "text", "not JSON", { 200, {}, "<html>hello</html>" } },
  { "an empty answer", "not JSON", { 200, {}, "" } },
  { "a JSON list", "without a usable upload_id", { 200, {}, "[1, 2]" } },
  { "a hostile id", "without a usable upload_id", { 201, {}, '{"upload_id":"../x","offset":0}' } },
  { "an offset beyond the end", "without a usable upload_id",
    { 201, {}, '{"upload_id":"abc","offset":99999999999}' } },
  { "numbers that are none", "without a usable upload_id",
    { 201, {}, '{"upload_id":{},"offset":"x"}' } },
  { "too long an answer", "longer than it may be", { 200, {}, ("x"):rep(2 << 20) } },
  { "too long a head", "longer than it may be", { 200, LONG, "" } },
}
for _, one in ipairs(GARBAGE) do
  local what, wanted, answer = table.unpack(one)
  local server = support.endpoint("garbage.db", { answers = { answer } })
  local text, code = tandem(
    ("upload last --to %s --store %s --patience 0"):format(server.url, here))
  check(code == 4 and text:find(wanted) and lines_of(text) == 1, what .. " is told in one line",
    text)
  check(kept() == 1, what .. " leaves it in the outbox", kept())
  server.stop()
  forget()
end

-- A begin that is fine, then nonsense about what has arrived.
for what, answer in pairs {
  ["no offset"] = { 204, {} }, ["a negative offset"] = { 204, { "Upload-Offset: -5" } },
  ["an offset in words"] = { 204, { "Upload-Offset: many" } } } do
  local server = support.endpoint("garbage.db", { answers = { { 201, {},
    '{"upload_id":"abc","offset":0,"chunk_bytes":1}' }, answer } })
  local text, code = tandem(("upload last --to %s --store %s --patience 0"):format(server.url,
    here))
  check(code == 4 and text:find "does not say how much it has" and lines_of(text) == 1,
    what .. " is told in one line", text)
  server.stop()
  forget()
end

do -- a token is for one host
  local thief = support.endpoint("thief.db", {})
  for _, status in ipairs { 301, 302, 303, 307, 308 } do
    local server = support.endpoint("moved.db", { answers = { { status,
      { ("Location: %s/v1/uploads"):format(thief.url) }, "" } } })
    local text, code = shell(("TANDEM_TOKEN=%s '%s' upload last --to %s --store %s"):format(SECRET,
      support.program, server.url, here))
    check(code == 4 and text:find(status .. ", go elsewhere", 1, true) and lines_of(text) == 1,
      "a redirect is told", text)
    local log = server.log()
    check(#log == 1 and log[1].authorization == "Bearer " .. SECRET, "who was asked has the token")
    server.stop()
    forget()
  end
  check(#thief.log() == 0, "and nobody else was asked", #thief.log())
  thief.stop()
end

do
  local server = support.endpoint("hook.db", {})
  local sent, message = upload.runs(source, ids, { to = server.url .. "/hook", json = true })
  check(sent, "JSON to an address of somebody's", message)
  local log = server.log()
  local ok, body = pcall(cjson.decode, log[1].body)
  check(ok and body.schema == "tandem.upload/1" and #body.runs == 2, "documented JSON", body)
  check(ok and log[1].key == sent.key and core.digest.sha256(log[1].body) == sent.key,
    "its key is what it contains")
  check(not log[1].body:find("rich-wsl", 1, true), "scrubbed, too")
  server.stop()
end

do
  local text, code = tandem(("upload last --to http://127.0.0.1:1 --patience 0 --store %s"):format(
    here))
  check(code == 4 and lines_of(text) == 1 and text:find "kept as number %d+ in the outbox",
    "nobody is there: one line, and the outbox", text)
  text = tandem(("outbox rm %s --store %s"):format(text:match "number (%d+)", here))
  check(text:find "^forgot ", "what is forgotten", text)
end

-- ---- full disks ----

-- tests/store/fault.c: after so many bytes to files named *.db*, wherever they are.
local function on_full_disk(after, words)
  return shell(("LD_PRELOAD=%s/fault.so FAULT_KIND=full FAULT_AFTER=%d '%s' %s"):format(
    support.build, after, support.program, words))
end

do
  local server = support.endpoint("full.db", {})
  local words = ("upload last --to %s --patience 0 --store %s"):format(server.url, here)
  local parts, sent = { outbox = 0, parcel = 0 }, false
  -- The outbox's row is written first, then the parcel: disks that are full at each of many bytes.
  for i = 0, 40 do
    local text, code = on_full_disk(i < 8 and i * 1024 or (i - 7) * 40960, words)
    if code == 0 then
      sent = true
      break
    end
    check(code == 4 and lines_of(text) == 1 and text:find "full", "a full disk is told", text)
    parts[kept() == 0 and "outbox" or "parcel"] = parts[kept() == 0 and "outbox" or "parcel"] + 1
    check(#server.log() == 0, "nothing was sent", #server.log())
    forget()
  end
  check(parts.outbox > 0 and parts.parcel > 0, "both disks were full", parts.outbox)
  local text, code = tandem(words)
  check(sent or code == 0, "with room it goes", text)
  check(kept() == 0 and source.db:one("PRAGMA integrity_check").integrity_check == "ok",
    "the store is whole")
  check(#core.files.list(path "tmp") == 0, "no temporary files are left")
  server.stop()
end

do -- a receiver that takes long to finish, over a line that breaks between its answers
  local finishing = {}
  for i = 1, 40 do finishing[i] = i % 2 == 1 and 500 or 202 end
  local server = support.endpoint("long.db", { finishing = finishing })
  local sent, message = send(server, { patience_s = 2 })
  check(sent, "who is told that it goes on has all patience again", message)
  forget()
  server.stop()
end

do -- a line on which no piece arrives whole
  local pieces = {}
  for i = 1, 20 do pieces[i] = 500 end
  local server = support.endpoint("pieces.db", { pieces = pieces })
  local sent, message = send(server, { base_s = 1e-9 })
  check(sent, "an upload outlasts pieces that do not arrive", message)
  local tried = {}
  for _, request in ipairs(server.log()) do
    if request.method == "PATCH" then tried[#tried + 1] = request.bytes end
  end
  local halved = #tried > 20
  for i = 2, 21 do halved = halved and tried[i] == math.max(1024, tried[i - 1] // 2) end
  check(halved, "each piece is half of what was tried, 1 KiB at least", table.concat(tried, " "))
  forget()
  server.stop()
end

do -- a receiver whose disk is full while it finishes; then there is room
  local server = support.serve("small.db", nil, ("LD_PRELOAD=%s/fault.so FAULT_KIND=full "
    .. "FAULT_AFTER=400000"):format(support.build))
  local text, code = tandem(("upload %s --to %s --patience 0.2 --store %s"):format(
    table.concat(ids, " "), server.url, here))
  check(code == 4 and text:match "[^\n]*\n$":find "503", "a full disk over there is told", text)
  check(kept() == 1, "and stays in the outbox", kept())
  support.stop(server.pid)
  server = support.serve("small.db", server.port)
  text, code = tandem(("outbox send --store %s"):format(here))
  check(code == 0 and text:find "^sent ", "when there is room it is sent", text)
  support.stop(server.pid)
  support.check_store("small.db", 2)
end

source:close()
support.finish()
