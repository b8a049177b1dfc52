-- Both ends of an upload: stores sent over connections that break, and what a receiver answers.
--   tandem lua tests/upload/check.lua BUILD
-- Prints a line for each check that failed, then `N passed, M failed`.
local cjson = require "cjson"
local core = require "tandem.core"
local json = require "tandem.report.json"
local store = require "tandem.store"
local transport = require "tandem.upload.transport"
local upload = require "tandem.upload"

local CUTS <const>, SECRET <const> = 200, "hush-4711-hush"

local build = ...
local program = build .. "/tandem"
local passed, failed = 0, 0
local function check(ok, what, detail)
  if ok then passed = passed + 1 return ok end
  failed = failed + 1
  print(("FAIL %s%s"):format(what, detail and ": " .. tostring(detail) or ""))
  return ok
end

local directory = os.tmpname()
os.remove(directory)
assert(core.files.make(directory))
local function path(name) return directory .. "/" .. name end
local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo \" exit $?\""))
  local text = pipe:read "a"
  pipe:close()
  return text:gsub(" exit (%d+)\n$", ""), tonumber(text:match " exit (%d+)\n$")
end
local function read(name)
  local file = io.open(name, "rb")
  local text = file and file:read "a" or ""
  if file then file:close() end
  return text
end

-- ---- a server of one's own for each case ----

local function serve(name, settings)
  local pipe = assert(io.popen(("'%s' lua tests/upload/server.lua '%s' '%s' '%s'"):format(program,
    build, path(name), json.encode(settings, { lists = { answers = true } }))))
  local port = assert(tonumber(pipe:read "l"), "the server does not start") // 1
  local line = assert(transport.open("http://127.0.0.1:" .. port, { patience_s = 5 }))
  local function ask(page)
    local answer = assert(line:ask { method = "POST", path = page, body = "" })
    return cjson.decode(answer.body)
  end
  return { url = "http://127.0.0.1:" .. port, log = function() return ask "/log" end,
    stop = function()
      local said = ask "/quit"
      line:close()
      pipe:close()
      return said
    end }
end

-- Everything that a run is, as SQL says it, as one hash: rows, spans, edges, counters, figures.
local function image(file, id)
  local opened <close> = assert(store.open(file, { readonly = true }))
  local hash = core.digest.sha256()
  local number = opened:run(id).number
  for _, name in ipairs { "run", "source", "fact", "problem", "class", "track", "name", "layout",
    "layout_arg", "request", "metric", "artifact", "span", "edge", "counter" } do
    local where = name == "run" and "number" or "run"
    local names = {}
    for _, column in ipairs(opened.db:columns("SELECT * FROM " .. name)) do
      if column ~= where then names[#names + 1] = ('"%s"'):format(column) end
    end
    local list = table.concat(names, ", ")
    for row in opened.db:lists(("SELECT %s FROM %s WHERE %s = ? ORDER BY %s"):format(list, name,
      where, list), number) do
      for i = 1, #names do hash:add(("%s|"):format(row[i] == nil and "-" or row[i])) end
    end
  end
  return hash:hex()
end

-- ---- what is sent ----

local here = path "here.db"
shell(("gunzip -c tests/data/nsys/mock.sqlite.gz > %s"):format(path "mock.sqlite"))
shell(("'%s' import %s --store %s"):format(program, path "mock.sqlite", here))
shell(("'%s' run demo --store %s"):format(program, here))
local source = assert(store.open(here))
local ids = source:runs():column "id"
check(#ids == 2, "two runs to send", #ids)

local function send(server, options)
  options.to, options.base_s = server.url, 0.002
  return upload.runs(source, options.runs or ids, options)
end

-- ---- 200 cuts ----

local function cut(raw)
  local name = raw and "cut-raw.db" or "cut.db"
  local server = serve(name, { cuts = CUTS, cut_bytes = 2500, chunk_bytes = 4096, seed = 7 })
  local began = core.clock()
  local sent, message = send(server, { raw = raw })
  if not check(sent, "an upload survives its cuts", message) then return server.stop() end
  -- What is left of the cuts meets repeats.
  local rounds = 0
  while server.log().cuts_left > 0 and rounds < 50 do
    rounds = rounds + 1
    check(send(server, { raw = raw, runs = { ids[rounds % 2 + 1] } }), "a repeat in between")
  end
  local said = server.stop()
  check(said.cuts_left == 0, "all connections were cut", said.cuts_left)
  local taken = assert(store.open(path(name), { readonly = true }))
  check(#taken:runs().rows == 2, "nothing is stored twice", #taken:runs().rows)
  check(taken.db:one("PRAGMA integrity_check").integrity_check == "ok", "the store is whole")
  local original = here
  if not raw then
    original = path "scrubbed.db"
    shell(("'%s' upload %s --to %s --store %s --dry-run --output %s"):format(program,
      table.concat(ids, " "), server.url, here, original))
  end
  for _, id in ipairs(ids) do
    check(image(original, id) == image(path(name), id), "the same rows, spans and figures: " .. id)
  end
  check(#(core.files.list(path(name) .. ".uploads") or {}) == 0, "no files are left behind")
  taken:close()
  print(("%d cuts in %d requests, %.1f s, %d bytes, %s"):format(CUTS, #said.log,
    core.clock() - began, sent.bytes, raw and "raw" or "scrubbed"))
end

cut(true)
cut(false)
check(read(path "cut.db"):find("rich-wsl", 1, true) == nil, "host names stay here")
check(read(path "cut-raw.db"):find("rich-wsl", 1, true) ~= nil, "unless they are asked for")

-- ---- repeats, tokens, answers ----

do
  local server = serve("there.db", { token = SECRET })
  local file = io.open(path "token", "w")
  file:write(SECRET, "\n")
  file:close()
  local command = ("'%s' upload last --to %s --store %s --patience 2 --token-file %s"):format(
    program, server.url, here, path "token")
  shell("chmod 644 " .. path "token")
  local text, code = shell(command)
  check(code == 4 and text:find "can be read by others", "a token that others can read", text)
  shell("chmod 600 " .. path "token")
  text, code = shell(command)
  check(code == 0 and text:find "^sent ", "a token from a 0600 file", text)
  text, code = shell(command)
  check(code == 0 and text:find "has them already", "a repeat is harmless", text)
  text, code = shell(("'%s' upload last %s --to %s --store %s --token-file %s"):format(program,
    ids[2], server.url, here, path "token"))
  check(code == 0, "a parcel that has a known run and a new one", text)
  local taken = assert(store.open(path "there.db", { readonly = true }))
  check(#taken:runs().rows == 2, "a run that came twice is one", #taken:runs().rows)
  taken:close()
  text, code = shell(("TANDEM_TOKEN=wrong '%s' upload last --to %s --store %s"):format(program,
    server.url, here))
  check(code == 4 and text:find "404, Who are you%?" and not text:find "wrong",
    "a wrong token is told and not asked again", text)
  check(select(2, shell(("grep -r -q -a %s %s/*.db*"):format(SECRET, directory))) == 1,
    "tokens are in no store")
  text = shell(("'%s' outbox --store %s --csv"):format(program, here))
  check(text:find("Who are you?", 1, true), "the outbox keeps what failed", text)
  text, code = shell(("TANDEM_TOKEN=%s '%s' outbox send --store %s"):format(SECRET, program, here))
  check(code == 0, "the outbox sends it later", text)
  text = shell(("'%s' outbox --store %s"):format(program, here))
  check(text:find "empty", "and is empty then", text)
  server.stop()
end

do
  local server = serve("slow.db", { answers = { 503, 429, 500 } })
  local sent, message = send(server, { runs = { "last" } })
  check(sent, "429 and 5xx are asked again", message)
  local said = server.stop()
  check(#said.log >= 6 and said.log[4].path == "/v1/uploads", "after three refusals", #said.log)
end

do
  local server = serve("no.db", { answers = { 400, 400 } })
  local sent, message, _, kept = send(server, { runs = { "last" } })
  check(not sent and message:find "400, bad request" and kept, "400 is final", message)
  check(#server.stop().log == 1, "and asked once")
end

do
  local text, code = shell(("'%s' upload last --to http://127.0.0.1:1 --patience 0 --store %s")
    :format(program, here))
  check(code == 4 and not text:find "\n.*\n" and text:find "kept as number %d+ in the outbox",
    "nobody is there: one line, and the outbox", text)
  text = shell(("'%s' outbox rm %s --store %s"):format(program, text:match "number (%d+)", here))
  check(text:find "^forgot ", "what is forgotten", text)
end

do
  local server = serve("hook.db", {})
  local sent, message = upload.runs(source, ids, { to = server.url .. "/hook", json = true })
  check(sent, "JSON to an address of somebody's", message)
  local said = server.stop()
  local ok, body = pcall(cjson.decode, said.log[1].body)
  check(ok and body.schema == "tandem.upload/1" and #body.runs == 2, "documented JSON", body)
  check(ok and said.log[1].key == sent.key
    and core.digest.sha256(said.log[1].body) == sent.key, "its key is what it contains")
  check(not said.log[1].body:find("rich-wsl", 1, true), "scrubbed, too")
end

do
  local server = serve("run.db", {})
  local text, code = shell(("'%s' run demo --seed 5 --store %s --upload %s"):format(program, here,
    server.url))
  check(code == 0 and text:find "sent [%d,]+ bytes", "tandem run --upload", text)
  local td = require "tandem"
  local kept = assert(td.store(here))
  local sent, message = td.upload(kept:run "last", { to = server.url })
  check(sent and sent.already, "td.upload", message)
  kept:close()
  server.stop()
end

source:close()
shell("rm -rf " .. directory)
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
