-- What the upload tests share: checks and their count, stores to send, a real `tandem serve`, the
-- proxy that breaks connections, and what a run is as one hash.
local core = require "tandem.core"
local json = require "tandem.io.json"
local store = require "tandem.store"

local support = {}

support.program = assert(core.executable())
support.build = support.program:match "^(.*)/[^/]*$"

local passed, failed = 0, 0

function support.check(ok, what, detail)
  if ok then passed = passed + 1 return ok end
  failed = failed + 1
  print(("FAIL %s%s"):format(what, detail ~= nil and ": " .. tostring(detail) or ""))
  return ok
end

support.directory = os.tmpname()
os.remove(support.directory)
assert(core.files.make(support.directory .. "/tmp"))

function support.path(name) return support.directory .. "/" .. name end

-- Output and exit code. Temporary files are ours to look at.
function support.shell(command)
  local pipe = assert(io.popen(("export TMPDIR=%s; { %s; } 2>&1; echo \" exit $?\""):format(
    support.path "tmp", command)))
  local text = pipe:read "a"
  pipe:close()
  return text:gsub(" exit (%d+)\n$", ""), tonumber(text:match " exit (%d+)\n$")
end

function support.must(command)
  local text, code = support.shell(command)
  if code ~= 0 then error(("%s\n%s (exit %d)"):format(command, text, code), 2) end
  return text
end

function support.tandem(words) return support.shell(("'%s' %s"):format(support.program, words)) end

function support.read(name)
  local file = io.open(name, "rb")
  local text = file and file:read "a" or ""
  if file then file:close() end
  return text
end

function support.write(name, text)
  local file = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
  return name
end

-- ---- processes ----

function support.sleep(seconds) os.execute(("sleep %.3f"):format(seconds)) end

local START <const> = [[rm -f '@said.code' '@said.pid'
( @environment '@program' @words >/dev/null 2>'@said' & echo $! >'@said.pid'
  wait $!; echo $? >'@said.code' ) >/dev/null 2>&1 &
until [ -s '@said.pid' ]; do sleep 0.01; done; cat '@said.pid']]

-- Starts a command of the program; its number. What it says goes into the file, and the code that
-- it ends with into FILE.code.
function support.start(words, said, environment)
  return support.must((START:gsub("@(%l+)", { said = said, environment = environment or "",
    program = support.program, words = words }))):match "%d+"
end

-- The code that a command ended with which has ended.
function support.code_of(said)
  for _ = 1, 1000 do
    local code = support.read(said .. ".code"):match "^(%d+)\n"
    if code then return tonumber(code) end
    support.sleep(0.01)
  end
end

function support.runs(pid) return (os.execute(("kill -0 %s 2>/dev/null"):format(pid))) end

-- Ends it; whether it ended.
function support.stop(pid, signal)
  os.execute(("kill -%s %s 2>/dev/null"):format(signal or "TERM", pid))
  for _ = 1, 30000 do
    if not support.runs(pid) then return true end
    support.sleep(0.01)
  end
  os.execute("kill -9 " .. pid)
  return false
end

-- A real server, on any free port or the one of a server before it.
function support.serve(name, port, environment)
  local said = support.path(name .. ".log")
  os.remove(said)
  local pid = support.start(("serve --listen 127.0.0.1:%d --store %s"):format(port or 0,
    support.path(name)), said, environment)
  for _ = 1, 30000 do
    port = support.read(said):match "http://127%.0%.0%.1:(%d+)"
    if port or not support.runs(pid) then break end
    support.sleep(0.01)
  end
  assert(port, "the server does not start: " .. support.read(said))
  return { pid = pid, port = port, url = "http://127.0.0.1:" .. port }
end

-- A script of this folder that prints its port.
function support.script(name, words)
  local pipe = assert(io.popen(("echo $$; exec '%s' lua tests/upload/%s.lua '%s' %s"):format(
    support.program, name, support.build, words)))
  local pid = assert(pipe:read "l")
  local port = assert(tonumber(pipe:read "l"), name .. " does not start") // 1
  return { pid = pid, port = port, url = "http://127.0.0.1:" .. port, pipe = pipe,
    stop = function()
      os.execute(("kill %s 2>/dev/null"):format(pid))
      pipe:close()
    end }
end

function support.proxy(upstream, settings)
  return support.script("proxy", ("%d '%s'"):format(upstream, json.encode(settings)))
end

-- A server that answers as it is told; what it heard: GET /log.
function support.endpoint(name, settings)
  local file = support.write(support.path(name .. ".json"), json.encode(settings, { lists = {
    answers = true } }))
  local made = support.script("server", ("%s %s"):format(support.path(name), file))
  made.log = function()
    local text = support.must(("curl -s --noproxy '*' %s/log"):format(made.url))
    return require("cjson").decode(text).log
  end
  return made
end

-- ---- stores ----

-- A store with two captures in one run and a simulation; the ids of its runs.
function support.fill(name)
  support.must(("'%s' import tests/data/nsys/mock.sqlite.gz tests/data/perfetto/sdk.pftrace "
    .. "--name capture --store %s"):format(support.program, support.path(name)))
  support.must(("'%s' run demo --seed 5 --store %s"):format(support.program, support.path(name)))
  local source <close> = assert(store.open(support.path(name)))
  assert(source:tag("last", "demo"))
  return source:runs():column "id"
end

local TABLES <const> = { "run", "run_tag", "source", "fact", "problem", "class", "track", "name",
  "layout", "layout_arg", "request", "metric", "artifact", "span", "edge", "counter" }

--- Everything that a run is, as SQL says it, as one hash: rows, spans, edges, counters, figures;
--- and how many rows each of these has.
function support.image(file, id)
  local opened <close> = assert(store.open(file, { readonly = true }))
  local hash, counts = core.digest.sha256(), {}
  local number = assert(opened:run(id)).number
  for _, name in ipairs(TABLES) do
    local where = name == "run" and "number" or "run"
    local names = {}
    for _, column in ipairs(opened.db:columns("SELECT * FROM " .. name)) do
      if column ~= where then names[#names + 1] = ('"%s"'):format(column) end
    end
    local list = table.concat(names, ", ")
    counts[name] = 0
    for row in opened.db:lists(("SELECT %s FROM %s WHERE %s = ? ORDER BY %s"):format(list, name,
      where, list), number) do
      counts[name] = counts[name] + 1
      for i = 1, #names do hash:add(("%s|"):format(row[i] == nil and "-" or row[i])) end
    end
  end
  return hash:hex(), counts
end

--- Is a receiver's store whole, with just these runs, and nothing left beside it?
function support.check_store(name, count)
  local taken <close> = assert(store.open(support.path(name), { readonly = true }))
  support.check(#taken:runs().rows == count, "each run is stored once", #taken:runs().rows)
  support.check(taken.db:one("PRAGMA integrity_check").integrity_check == "ok",
    "the receiver's store is whole")
  support.check(#assert(taken.db:all "PRAGMA foreign_key_check") == 0, "no row is without its run")
  local left = core.files.list(support.path(name) .. ".uploads") or {}
  if #left == 1 and left[1] == "finishing.lock" then left = {} end -- is kept, being nobody's
  support.check(#left == 0, "no files are left behind", table.concat(left, " "))
end

--- Prints the count and ends the program.
function support.finish()
  if failed == 0 then os.execute("rm -rf " .. support.directory) end
  print(("%d passed, %d failed"):format(passed, failed))
  os.exit(failed == 0)
end

return support
