-- tandem scrub: what is removed is gone from the file, and nothing else is.
local fixture = require "tests.spec.support.store_fixture"
local scrub = require "tandem.store.scrub"
local td = require "tandem"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

local function tandem(...) return files:tandem(...) end

local function import()
  local ranges = { "request of bob@example.org", "batch 1", "load /home/ann/data/train.bin now" }
  for i = 1, 400 do -- so that names take pages of their own
    ranges[#ranges + 1] = ("user_%d at /home/ann/secret/place_%d.py(3): step"):format(i, i)
  end
  local path = files:write("ann.jsonl", fixture.jsonl {
    path = "/home/ann/traces/rank0.json", rank = 0,
    kernels = { { "gemm<64/2, 1>", 100, 50 }, { "gemm<64/2, 1>", 200, 50 } }, ranges = ranges,
    facts = { ["environment.API_TOKEN"] = "hunter2hunter2", ["environment.HOME"] = "/home/ann",
      ["host.name"] = "node17.cluster", ["capture.process_0.argument_1"] = "--password=tiger",
      ["capture.process_0.command"] = "/home/ann/venv/bin/python",
      ["capture.note"] = "ran on node17.cluster with 8 GPUs", ["gpu.0.name"] = "H100",
      ["gpu.0.uuid"] = "554a6988-03dd" } })
  local _, err, code = tandem("import", path, "--name", "/home/ann/run of node17.cluster")
  assert.equal("", err)
  assert.equal(0, code)
end

local function has(text) return files:bytes "a.db":find(text, 1, true) ~= nil end

describe("tandem scrub", function()
  it("leaves nothing in the file of what was recorded of machine and user", function()
    import()
    for _, word in ipairs { "hunter2", "tiger", "node17", "/home/ann", "secret", "API_TOKEN" } do
      assert.is_true(has(word), word)
    end
    local _, err, code = tandem("scrub", "last", "--all")
    assert.equal(0, code)
    assert.matches("^removed 3 recorded variables and arguments, 2 facts of the host and %d+ "
      .. "directories and hosts in texts\n$", err)
    for _, word in ipairs { "hunter2", "tiger", "node17", "/home", "ann/", "secret", "API_TOKEN",
      "554a6988" } do
      assert.is_false(has(word), word)
    end
    local s <close> = assert(td.store(files:path "a.db"))
    local run = s:run "last"
    assert.equal("run of host", run.name)
    assert.equal("rank0.json", run:sources():one().path)
    local facts = {}
    for row in run:facts() do facts[row.key] = row.value end
    assert.same({ ["capture.process_0.command"] = "python", ["gpu.0.name"] = "H100",
      ["capture.note"] = "ran on host with 8 GPUs" }, facts)
    -- Times, counts and what is nobody's stay.
    assert.equal(405, run.span_count)
    assert.same({ { name = "gemm<64/2, 1>", n = 2, ns = 100 } }, s.db:all("SELECT name,"
      .. " count(*) AS n, sum(dur_ns) AS ns FROM span WHERE category = 'kernel' GROUP BY name"))
    assert.equal("user_7 at place_7.py(3): step", s:query("SELECT name FROM span"
      .. " WHERE name LIKE 'user_7 %'"):one().name)
    assert.equal('["net.py",1]', s:query("SELECT args ->> '$.where' AS w FROM span"
      .. " WHERE category = 'nvtx' ORDER BY start_ns"):one().w)
    assert.equal("ok", s.db:one("PRAGMA integrity_check").integrity_check)
  end)

  it("looks at tags, keys, figures and what else has a text", function()
    import()
    do
      local s <close> = assert(td.store(files:path "a.db"))
      for _, sql in ipairs { "INSERT INTO run_tag VALUES(1, 'on-node17'), (1, 'on-node17.cluster')",
        "UPDATE run SET note = 'see node17', version = '/home/ann/tandem'",
        "UPDATE layout SET category = 'of node17'", "UPDATE layout_arg SET key = '/home/ann/k'",
        "INSERT INTO problem VALUES(1, 0, 'no /home/ann/secret/x', 2)",
        "INSERT INTO fact VALUES(1, 0, '/home/ann/secret/key', 'v')",
        "INSERT INTO metric VALUES(1, 99, 's', NULL, NULL, 'node17', '/home/ann/u', 1, 't')" } do
        assert(s.db:run(sql))
      end
    end
    tandem("scrub", "last", "--all")
    assert.is_false(has "node17")
    assert.is_false(has "/home")
    assert.is_false(has "secret")
    local s <close> = assert(td.store(files:path "a.db"))
    assert.same({ { tag = "on-host" } }, s.db:all "SELECT tag FROM run_tag") -- the same one now
    assert.equal("see host", s.db:one("SELECT note FROM run").note)
    assert.equal("v", s.db:one("SELECT value FROM fact WHERE key = 'key'").value)
    assert.equal(2, s.db:one("SELECT count FROM problem WHERE kind = 'no x'").count)
  end)

  it("replaces names by pattern, the same name by the same", function()
    import()
    local _, err = tandem("scrub", "last", "--names", "user_*", "--names", "/@%w+%./")
    assert.matches("^removed 401 names\n$", err)
    assert.is_false(has "user_")
    assert.is_false(has "bob@")
    assert.is_true(has "hunter2") -- was not asked for
    local s <close> = assert(td.store(files:path "a.db"))
    assert.equal(401, s:query("SELECT count(DISTINCT name) AS n FROM span"
      .. " WHERE name LIKE 'scrubbed %'"):one().n)
    assert.equal(1, s:query("SELECT count(*) AS n FROM span WHERE name = 'batch 1'"):one().n)
  end)

  it("only says what it would do", function()
    import()
    local before = files:bytes "a.db"
    local _, said = tandem("scrub", "last", "--all", "--names", "user_*", "--dry-run")
    assert.equal(before, files:bytes "a.db")
    local _, done = tandem("scrub", "last", "--all", "--names", "user_*")
    assert.equal((done:gsub("^removed", "would remove")), said)
    local _, again = tandem("scrub", "last", "--all", "--names", "user_*")
    assert.equal("removed nothing\n", again)
  end)

  it("removes one kind only when asked for one", function()
    import()
    tandem("scrub", "last", "--environment")
    assert.is_false(has "hunter2")
    assert.is_true(has "node17")
    tandem("scrub", "last", "--hosts")
    assert.is_false(has "node17")
    assert.is_true(has "/home/ann")
    tandem("scrub", "last", "--paths")
    assert.is_false(has "/home/ann")
  end)

  it("knows the host in the names of PyTorch's files", function()
    local path = files:write("gpu-node-3_4012.1623143089861.pt.trace.json.jsonl", fixture.jsonl {
      path = "gpu-node-3_4012.1623143089861.pt.trace.json", kernels = { { "gemm", 1, 2 } },
      ranges = { "sent to gpu-node-3" } })
    assert.equal(0, select(3, tandem("import", path)))
    tandem("scrub", "last", "--hosts")
    assert.is_false(has "gpu-node-3")
    local s <close> = assert(td.store(files:path "a.db"))
    assert.equal("host_4012.1623143089861.pt.trace.json", s:run("last"):sources():one().path)
  end)

  it("removes artifacts, whatever is asked", function()
    import()
    do
      local s <close> = assert(td.store(files:path "a.db"))
      assert(s.db:run("INSERT INTO artifact VALUES(1, 0, 'log', 'text', 16,"
        .. " CAST('a text of others' AS BLOB))"))
    end
    local _, err = tandem("scrub", "last", "--environment")
    assert.matches("and 1 artifact\n$", err)
    assert.is_false(has "a text of others")
  end)

  it("says when another process keeps old pages alive", function()
    import()
    local reader <close> = assert(td.store(files:path "a.db"))
    local query = reader:query "SELECT name FROM name"
    query:next()
    do
      local s <close> = assert(td.store(files:path "a.db"))
      s.db:run "PRAGMA busy_timeout = 10"
      assert.is_false(assert(s:scrub("last", { environment = true })).clean)
    end
    query:close()
    assert.equal(0, select(3, tandem "gc"))
    assert.is_false(has "hunter2")
  end)

  it("wants to be told what", function()
    local _, err, code = tandem("scrub", "last")
    assert.equal(2, code)
    assert.matches("what is to be removed?", err, 1, true)
    import()
    _, err, code = tandem("scrub", "last", "--names", "/[/")
    assert.equal(2, code)
    assert.matches("/[/ is not a pattern", err, 1, true)
  end)
end)

describe("a text without paths", function()
  it("keeps what is no absolute path", function()
    for before, after in pairs {
      ["/home/ann/run.py(3): step"] = "run.py(3): step",
      ["torch/nn/m.py(3)"] = "torch/nn/m.py(3)",
      ["a / b"] = "a / b",
      ["gemm<64/2>"] = "gemm<64/2>",
      ["file:///home/u/x.py"] = "x.py",
      ["C:\\Users\\me\\x.py and"] = "x.py and",
      ["/home/ann"] = "~",
      ["/Users/ann/x"] = "x",
      ["PATH=/usr/bin:/home/ann/bin"] = "PATH=bin:bin",
      ['{"f":"\\n/home/u/x.py","g":"/usr/lib/y"}'] = '{"f":"\\nx.py","g":"y"}',
      ['{"f":"\\/home\\/u\\/x.py"}'] = '{"f":"x.py"}',
      ['["1\\/2"]'] = '["1\\/2"]',
      ["~/x/y.py"] = "y.py",
      [""] = "",
    } do
      assert.equal(after, scrub.without_paths(before), before)
    end
  end)
end)
