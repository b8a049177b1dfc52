-- Stores in folders that cannot be written: read as they lie, or as a copy; never changed.
local fixture = require "tests.spec.support.store_fixture"

local files, folder

-- A command as somebody who may read here and not write; root may write everywhere.
local function as_reader(command)
  local pipe = assert(io.popen("id -u"))
  local root = pipe:read "l" == "0"
  pipe:close()
  local who = root and "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp " or ""
  pipe = assert(io.popen(("%sTMPDIR=%s %s 2>&1"):format(who == "" and "env " or who,
    files:path "temporary", command)))
  local text = pipe:read "a"
  local _, _, code = pipe:close()
  return text, code or 0
end

local function shell(command) assert(os.execute(command)) end

local function listing()
  local pipe = assert(io.popen(("ls -l --full-time %s; cat %s/* | cksum"):format(folder, folder)))
  return pipe:read "a"
end

before_each(function()
  files = fixture.new()
  folder = files:path "theirs"
  shell(("chmod 755 %s && mkdir %s"):format(files.directory, folder))
  shell(("mkdir -m 777 %s"):format(files:path "temporary"))
  files:tandem("run", "demo", "--duration", "2s")
  files:tandem("note", "last", "of a colleague")
end)
after_each(function()
  shell(("chmod -R u+w %s"):format(files.directory))
  files:remove()
end)

local function lay(endings)
  for _, ending in ipairs(endings) do
    shell(("cp %s%s %s/t.db%s"):format(files:path "a.db", ending, folder, ending))
  end
  shell(("chmod 644 %s/* && chmod 555 %s"):format(folder, folder))
end

describe("a store that cannot be written", function()
  it("reads as any other, and stays as it is", function()
    lay { "" }
    local before = listing()
    for _, words in ipairs { "runs", "show last", "breakdown last",
      "sql 'SELECT count(*) FROM span'", "verify", "export last --format jsonl --out -",
      "upload last --to http://x --dry-run", "outbox" } do
      local text, code = as_reader(("build/tandem %s --store %s/t.db"):format(words, folder))
      assert.equal(0, code, words .. ": " .. text)
    end
    assert.equal(before, listing())
  end)

  it("reads with what a killed writer left in the log", function()
    local store <close> = assert(require("tandem").store(files:path "a.db"))
    assert(store:note("last", "in the log"))
    lay { "", "-wal" }
    local before = listing()
    local text, code = as_reader(("build/tandem note last --store %s/t.db"):format(folder))
    assert.equal("in the log\n", text)
    assert.equal(0, code)
    assert.equal(before, listing())
    -- Its copy is gone, and the folder that was made for it: rmdir takes empty ones only.
    shell(("rmdir %s"):format(files:path "temporary"))
  end)

  it("is sent from without an outbox", function()
    lay { "" }
    local before = listing()
    local text, code = as_reader(("build/tandem upload last --to http://127.0.0.1:1 --patience 1 "
      .. "--store %s/t.db"):format(folder))
    assert.equal(4, code)
    assert.matches("tandem upload: http://127%.0%.0%.1:1: [^\n]*\n$", text)
    assert.not_matches("read%-only", text)
    assert.not_matches("in the outbox", text)
    assert.equal(before, listing())
  end)

  it("tells why it cannot be looked at", function()
    shell(("chmod 700 %s"):format(folder))
    local text, code = as_reader(("build/tandem runs --store %s/t.db"):format(folder))
    assert.equal(4, code)
    assert.matches("Permission denied", text)
  end)

  it("says that it is read-only to whoever wants to write", function()
    lay { "" }
    for _, words in ipairs { "note last mine", "rm last", "gc", "run demo --duration 2s",
      "import tests/data/nsys/h100_cut.sqlite.gz" } do
      local text, code = as_reader(("build/tandem %s --store %s/t.db"):format(words, folder))
      assert.equal(4, code, words .. ": " .. text)
      assert.is_truthy(text:find "read%-only" or text:find "Permission denied", text)
      assert.not_matches("it is empty", text, 1, true)
    end
  end)

  it("says why it cannot be read", function()
    lay { "" }
    shell(("chmod 000 %s/t.db"):format(folder))
    local text, code = as_reader(("build/tandem runs --store %s/t.db"):format(folder))
    assert.equal(4, code)
    assert.matches("Permission denied", text)
  end)
end)
