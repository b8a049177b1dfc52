-- Secrets planted in every column of text that a run has: what is sent has none of them, and is
-- what `--dry-run` shows, byte by byte.
--   tandem lua tests/upload/planted.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local core = require "tandem.core"
local store = require "tandem.store"
local support = require "tests.upload.support"
local unpacked = require "tests.spec.support.unpacked"

local check, path, must = support.check, support.path, support.must
local here = path "here.db"
local ids = support.fill "here.db"
-- Of a name of two letters every text has holes: it stays.
local own_host = support.read "/proc/sys/kernel/hostname":match "%S+"

local HOST <const>, FOLDER <const> = "node77-planted.example", "/home/planted-ann/planted hidden"
-- What must not be found afterwards, anywhere; "planted" is in all that is planted.
local SECRETS <const> = { "planted", "node77", "/home/", "hunter2", "tiger" }

-- A text with a machine and a directory in it, different for each row.
local PLANT <const> = [["%s" || ' on node77-planted.example at /home/planted-ann/planted_dir/' ||
  "%s" || '/' || rowid_of || ' {"in":"\/home\/planted-ann\/planted_dir\/x"}']]

-- Words that are this program's alone.
local KEPT <const> = { id = true, kind = true, state = true, scenario_hash = true }

-- ---- planting ----

local planted = 0
do
  local db <close> = assert(core.database(here, { store = true }))
  for _, run in ipairs(assert(db:all "SELECT number FROM run")) do
    for key, value in pairs { ["host.name"] = HOST, ["environment.PLANTED"] = "hunter2",
      ["capture.argument_1"] = "--password=tiger", ["host.planted_user_name"] = "planted-ann" } do
      assert(db:run("INSERT OR REPLACE INTO fact VALUES(?, 0, ?, ?)", run.number, key, value))
    end
    assert(db:run("INSERT INTO artifact VALUES(?, 99, 'planted name', 'planted type', 7,"
      .. " CAST('planted' AS BLOB))", run.number))
    assert(db:run("INSERT INTO problem VALUES(?, 0, 'a problem', 1)", run.number))
    assert(db:run("INSERT OR IGNORE INTO run_tag VALUES(?, 'tag')", run.number))
  end
  for _, name in ipairs { "run", "run_tag", "source", "fact", "problem", "class", "track", "name",
    "layout", "layout_arg", "request", "metric" } do
    local unique = name == "run" and "number" or "run"
    for _, column in ipairs(assert(db:all("SELECT name, type, pk FROM pragma_table_info(?)",
      name))) do
      local kept = name == "run" and KEPT[column.name]
      local own = name == "fact" and " WHERE key NOT LIKE 'host.%' AND key NOT LIKE 'env%'"
        .. " AND key NOT LIKE '%argument%'" or ""
      if column.type == "TEXT" and not kept then
        local text = PLANT:gsub('"%%s"', ('coalesce("%s", \'\')'):format(column.name))
          :gsub("rowid_of", unique)
        local rows = assert(db:run(("UPDATE %s SET %s = %s%s"):format(name, column.name, text,
          own)))
        check(rows > 0, "there is a row to plant in: " .. name .. "." .. column.name)
        planted = planted + rows
      end
    end
  end
  assert(db:run("UPDATE run SET note = note || ?", " made on " .. own_host))
end

-- ---- what was sent ----

-- The requests of a recording: method, path, headers as a text, body.
local function requests_in(text)
  local list, at = {}, 1
  while at <= #text do
    local stop = assert(text:find("\r\n\r\n", at, true), "half a request was heard")
    local head = text:sub(at, stop + 1)
    local bytes = tonumber(head:match "[Cc]ontent%-[Ll]ength: (%d+)" or "0") // 1
    list[#list + 1] = { method = head:match "^%S+", head = head,
      body = text:sub(stop + 4, stop + 3 + bytes) }
    at = stop + 4 + bytes
  end
  return list
end

local function find_secrets(what, text)
  for _, secret in ipairs(SECRETS) do
    local at = text:lower():find(secret, 1, true)
    check(not at, what .. " has a secret", at and text:sub(at - 30, at + 50):gsub("%c", "."))
  end
  local word = "%f[%w]" .. own_host:gsub("%p", "%%%0") .. "%f[%W]"
  check(#own_host < 3 or not text:find(word), what .. " names this machine")
end

-- What a store says in SQL, arguments of spans included: those lie in packed columns.
local function texts_of(file)
  local opened <close> = assert(store.open(file, { readonly = true }))
  local parts = {}
  for _, name in ipairs { "span", "edge", "counter" } do
    for row in opened.db:lists("SELECT * FROM " .. name) do
      for i = 1, 40 do
        if type(row[i]) == "string" then parts[#parts + 1] = row[i] end
      end
    end
  end
  return table.concat(parts, "\n")
end

local server = support.serve("there.db")
local runs = table.concat(ids, " ")

local function send(words)
  local heard = path("heard" .. words)
  local proxy = support.proxy(server.port, { heard = heard })
  local shown = must(("'%s' upload %s --to %s --store %s --dry-run --output '%s' %s"):format(
    support.program, runs, proxy.url, here, path("shown" .. words), words))
  check(support.read(heard) == "", "a dry run sends nothing")
  must(("'%s' upload %s --to %s --store %s %s"):format(support.program, runs, proxy.url, here,
    words))
  proxy.stop()
  local all = requests_in(support.read(heard))
  local body, said = {}, {}
  for _, one in ipairs(all) do
    said[#said + 1] = one.head
    if one.method == "PATCH" then body[#body + 1] = one.body else said[#said + 1] = one.body end
  end
  local bytes = table.concat(body)
  check(shown:find(core.digest.sha256(bytes), 1, true), "a dry run shows the key", shown)
  check(shown:find(("%d bytes"):format(#bytes)) or #bytes > 999, "and the bytes", shown)
  local content = assert(unpacked(bytes))
  check(content == support.read(path("shown" .. words)), "what is sent is what a dry run wrote")
  return content, table.concat(said), shown
end

local content, said, shown = send ""
find_secrets("the store that was sent", content)
find_secrets("a request", said)
find_secrets("what a dry run prints", shown)
local texts = texts_of(path "shown")
find_secrets("a span", texts)
check(#texts > 10000, "there are spans to look at", #texts)

content = send "--raw"
for _, secret in ipairs(SECRETS) do
  check(content:find(secret, 1, true), "unless it is sent raw: " .. secret)
end
check(content:find(FOLDER:match "^/home/planted%-ann", 1, true), "with directories")

-- As JSON, to an endpoint that keeps it.
must(("'%s' upload %s --to https://there --json --dry-run --output %s --store %s"):format(
  support.program, runs, path "shown.json", here))
find_secrets("the JSON", support.read(path "shown.json"))
do
  local endpoint = support.endpoint("hook.db", {})
  must(("'%s' upload %s --to %s/hook --json --store %s"):format(support.program, runs,
    endpoint.url, here))
  check(endpoint.log()[1].body .. "\n" == support.read(path "shown.json"),
    "JSON is sent as it is shown")
  endpoint.stop()
end

check(support.stop(server.pid), "the receiver ends")
support.check_store("there.db", 4) -- scrubbed and raw
print(("%d texts planted in %d bytes"):format(planted, #content))
support.finish()
