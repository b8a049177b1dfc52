-- `tandem mcp`: from a capture to a verified finding by an agent's messages; both eras of the
-- protocol; what is no message; what a call may reach; pages, jobs and their ends.
local agents = require "tests.spec.support.agent"
local cli = require "tandem.cli"
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"
local tools = require "tandem.mcp.tools"

local case = served.there() and it or pending
local CAPTURE <const> = "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"

-- #slow: calls are processes, and sanitizers make them outlast what a call waits for.
describe("tandem mcp #slow", function()
  local at, agent
  setup(function()
    if not served.there() then return end
    at = served.shell("mktemp -d"):match "%S+"
    assert(os.execute(("mkdir %s/open && cp tests/data/kineto/%s %s/open/"):format(at, CAPTURE,
      at)))
    agent = agents.start(at, "--files " .. at .. "/open")
  end)
  teardown(function()
    if not served.there() then return end
    assert.is_true(agent:stop())
    os.execute("rm -rf " .. at)
  end)

  case("goes from a capture to a verified finding", function()
    local found = agent:ask "server/discover"
    assert.equal("complete", found.result.resultType)
    assert.equal(agents.MODERN, found.result.supportedVersions[1])
    local list = agent:ask("tools/list").result.tools
    local names = {}
    for _, tool in ipairs(list) do names[tool.name] = true end
    for name in ([[import runs show sql run plan schedule sweep whatif explain fit map overlay
        score diff help list check advice kernels critical_path job_status job_cancel]])
        :gmatch "%S+" do
      assert.is_true(names[name], name)
    end
    local seen = agent:call("files").result.files
    assert.equal(1, #seen)
    assert.equal(CAPTURE, seen[1].name)
    assert.is_true(seen[1].bytes > 1000)
    -- Four calls of tools: files, import, kernels, sql.
    local kept = agent:call("import", { files = { seen[1].name }, name = "alexnet" })
    assert.equal(0, kept.code)
    assert.equal(870, kept.result.spans) -- as tests/data/kineto/expected.tsv has it for spans
    local told = agent:call("kernels", { run = kept.run, limit = 1 })
    local first = told.result.tables[1].rows[1]
    -- The finding: one kernel has a quarter of the time. SQL says the same of the spans themselves.
    local rows = agent:call("sql", { query = ([[SELECT count(*) AS n, sum(dur_ns) AS of_it,
      sum(dur_ns) * 1.0 / (SELECT sum(dur_ns) FROM span WHERE run = run('%s')
      AND category = 'kernel') AS share FROM span WHERE run = run('%s') AND category = 'kernel'
      AND name = '%s']]):format(kept.run, kept.run, first.name) }).result.rows
    assert.equal(first.count, rows[1].n)
    assert.equal(first.total_ns, rows[1].of_it)
    assert.is_true(math.abs(first.share - rows[1].share) < 1e-12)
    -- A trace that is only looked at is not kept.
    local mapped = agent:call("map", { input = CAPTURE })
    assert.equal("tandem.analysis/1", mapped.result.schema)
    assert.equal(1, #agent:call("runs").result.rows)
    local advised = agent:call("advice", { run = "alexnet" })
    assert.is_true(#advised.result.tables[1].rows > 0)
    assert.equal(kept.run, agent:call("runs", { name = "alexnet" }).result.rows[1].id)
  end)

  case("simulates, plans and compares what its own scenario says", function()
    local text = [[local td = require "tandem" return td.scenario "mine" { workload =
      td.poisson { rps = 20, duration = "2s" }, target = "L40", slo = { p99 = "90ms" },
      pipeline = { td.fixed "pre" { time = "2ms" }, td.fixed "work" { time = "9ms" } } }]]
    local texts = { ["mine.lua"] = text }
    assert.equal(0, agent:call("check", { files = { "mine.lua" }, texts = texts }).code)
    local run = agent:call("run", { file = "mine.lua", texts = texts, seed = 1 })
    assert.equal("tandem.result/1", run.result.schema)
    local faster = agent:call("run", { file = "mine.lua", texts = texts, seed = 1,
      set = { ["pipeline.work.time"] = "4ms" } })
    assert.is_true(faster.result.latency.mean.value < run.result.latency.mean.value)
    local against = agent:call("diff", { a = run.run, b = faster.run, gate = { "p99<-1%" } })
    assert.equal(0, against.code)
    local plan = agent:call("plan", { file = "mine.lua", texts = texts, load = "100rps",
      replications = 8, slo = { p99 = "90ms" } })
    assert.equal("tandem.plan/1", plan.result.schema)
  end)

  case("serves both eras in one process", function()
    assert.same({}, agent:ask("ping", nil, false).result)
    local refused = agent:ask("tools/list", nil, false)
    assert.equal(-32602, refused.error.code)
    local hello = agent:ask("initialize", { protocolVersion = "2025-06-18", capabilities = {},
      clientInfo = { name = "x", version = "1" } }, false).result
    assert.equal("2025-06-18", hello.protocolVersion)
    assert.equal("tandem", hello.serverInfo.name)
    assert.is_nil(hello.resultType)
    agent:send [[{"jsonrpc":"2.0","method":"notifications/initialized"}]]
    local legacy = agent:ask("tools/list", nil, false).result
    local modern = agent:ask("tools/list").result
    assert.same(legacy.tools, modern.tools)
    assert.is_nil(legacy.ttlMs)
    assert.is_number(modern.ttlMs)
    assert.equal("2025-11-25", agent:ask("initialize", { protocolVersion = "1999-01-01",
      capabilities = {}, clientInfo = {} }, false).result.protocolVersion)
    agent:send [=[[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"}]]=]
    local batch = agent:answer(nil)
    assert.equal("a", batch[1].id)
    assert.equal(1, #batch)
  end)

  case("answers what is wrong as the specification asks", function()
    local function fails(code, message) assert.equal(code, message.error.code) return message end
    agent:send "{"
    fails(-32700, agent:answer(nil))
    agent:send "\0\255rubbish"
    fails(-32700, agent:answer(nil))
    agent:send "[]"
    fails(-32600, agent:answer(nil))
    agent:send [[{"jsonrpc":"1.0","id":"v","method":"ping"}]]
    fails(-32600, agent:answer "v")
    agent:send [[{"jsonrpc":"2.0","id":{},"method":"ping"}]]
    fails(-32600, agent:answer(nil))
    agent:send [[{"jsonrpc":"2.0","id":"p","method":"ping","params":[]}]]
    fails(-32600, agent:answer "p")
    agent:send(("x"):rep(9 << 20))
    fails(-32600, agent:answer(nil))
    fails(-32601, agent:ask "resources/list")
    fails(-32602, agent:ask("tools/list", { cursor = "next" }))
    fails(-32602, agent:ask("tools/call", { name = "kernls" }))
    fails(-32602, agent:ask("tools/call", { name = "kernels", arguments = "last" }))
    fails(-32602, agent:ask("tools/list", nil, { ["io.modelcontextprotocol/protocolVersion"] =
      agents.MODERN }))
    local wrong = fails(-32022, agent:ask("tools/list", nil, agents.meta "1900-01-01"))
    assert.equal("1900-01-01", wrong.error.data.requested)
    assert.equal(agents.MODERN, wrong.error.data.supported[1])
    agent:send [[{"jsonrpc":"2.0","method":"no/such/notification"}]]
    assert.equal("complete", agent:ask("tools/list").result.resultType)
  end)

  case("tells a model what to correct", function()
    local function wrong(name, arguments, words)
      local told, whole = agent:call(name, arguments)
      assert.is_true(whole.isError)
      assert.is_truthy(told.problems[1].what:find(words, 1, true), told.problems[1].what)
    end
    wrong("kernels", { rn = "last" }, "did you mean 'run'?")
    wrong("kernels", {}, "lacks its argument 'run'")
    wrong("kernels", { run = "last", by = "nme" }, "did you mean 'name'?")
    wrong("kernels", { run = "last", device = 1.5 }, "whole number")
    wrong("kernels", { run = "last", page_rows = 0 }, "from 1 to 1000")
    wrong("kernels", { run = { "last" , { } } }, "one value")
    wrong("kernels", { run = "ffff" }, "ffff")
    wrong("run", { file = "dmeo" }, "did you mean")
    wrong("run", { file = "demo", set = { "a" } }, "wants an object")
    wrong("run", { file = "demo", set = { ["--trusted"] = 1 } }, "no name of a setting")
    wrong("run", { file = "demo", trusted = true }, "no argument 'trusted'")
    wrong("sql", { query = "SELECT nme FROM span" }, "did you mean 'name'?")
    wrong("job_status", { job_id = "0123456789abcdef" }, "no job")
  end)

  case("reaches its folder and its store alone", function()
    local file = assert(io.open(at .. "/secret.csv", "wb"))
    file:write "arrival,word\n0,hunter2\n1,hunter2\n"
    file:close()
    assert(os.execute(("ln -s ../secret.csv %s/open/link.csv && ln -s .. %s/open/up"):format(at,
      at)))
    for _, name in ipairs { "/etc/passwd", "../secret.csv", "link.csv", "up/secret.csv", "-",
      "./../secret.csv", "a/../../secret.csv" } do
      local told, whole = agent:call("import", { files = { name } })
      assert.is_true(whole.isError, name)
      assert.is_truthy(told.problems[1].what:find("no file", 1, true), told.problems[1].what)
    end
    assert(os.execute(("mkdir %s/open/sub && echo x > %s/open/sub/.hidden && "
      .. "echo 12 > %s/open/sub/b"):format(at, at, at)))
    local listed = {}
    for i, one in ipairs(agent:call("files").result.files) do listed[i] = one.name end
    assert.same({ CAPTURE, "sub/" }, listed)
    assert.same({ { name = "sub/b", bytes = 3 } },
      agent:call("files", { under = "./sub/" }).result.files)
    for _, under in ipairs { "up", "..", "/etc", "sub/../..", "link.csv", "none" } do
      assert.is_true(select(2, agent:call("files", { under = under })).isError, under)
    end
    local page = agent:call("files", { page_rows = 1 })
    assert.same({ 1, { total = 2, next_offset = 1 } }, { #page.result.files, page.page })
    for _, path in ipairs { at .. "/secret.csv", at .. "/open/link.csv",
      at .. "/open/up/secret.csv", "../secret.csv" } do
      local text = ([[local td = require "tandem" return td.scenario "x" { workload = td.replay {
        file = %q }, target = "L40", pipeline = { td.fixed "a" { time = "1ms" } } }]]):format(path)
      local _, whole = agent:call("run", { file = "x.lua", texts = { ["x.lua"] = text } })
      assert.is_true(whole.isError)
      assert.is_nil(whole.content[1].text:find("hunter2", 1, true))
    end
    for _, query in ipairs { "ATTACH '" .. at .. "/other.db' AS x", "DELETE FROM run",
      "VACUUM INTO '" .. at .. "/stolen.db'", "SELECT load_extension('x')" } do
      assert.is_true(select(2, agent:call("sql", { query = query })).isError, query)
    end
    assert.is_false(served.exists(at .. "/stolen.db"))
    local names = {}
    for _, name in ipairs { "../x.lua", "/x.lua", "x", ".x.lua" } do
      local _, whole = agent:call("check", { files = { name }, texts = { [name] = "return 1" } })
      assert.is_true(whole.isError, name)
      names[#names + 1] = name
    end
    assert.equal(4, #names)
    assert.is_false(served.exists(at .. "/x.lua"))
  end)

  case("gives long answers a page at a time, and all of it over the pages", function()
    local query = [[WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
      SELECT i FROM n]]
    local seen, offset = 0, 0
    repeat
      local told = agent:call("sql", { query = query, page_rows = 40, page_offset = offset })
      for _, row in ipairs(told.result.rows) do
        seen = seen + 1
        assert.equal(seen, row.i)
      end
      assert.equal(150, told.page.cut[1].total)
      offset = told.page.next_offset
    until not offset
    assert.equal(150, seen)
    -- Wide rows: fewer of them, whatever was asked for.
    local _, whole = agent:call("sql", { page_rows = 1000, query =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
      .. "SELECT i, hex(zeroblob(2000)) AS x FROM n" })
    assert.is_true(#whole.content[1].text < 64 * 1024)
    assert.is_true(whole.structuredContent.page.rows < 30)
  end)

  case("hands out jobs that can be asked, awaited and cancelled", function()
    local long = { file = "demo", duration = "100000s", replications = 1000 }
    agent:send(json.encode { jsonrpc = "2.0", id = "long", method = "tools/call", params = {
      name = "run", arguments = long, _meta = agents.meta() } })
    local quick = agent:call("list", { what = "gpus", page_rows = 1 })
    assert.equal(0, quick.code) -- answered while the other is under way
    local message = agent:answer "long"
    local job = message.result.structuredContent.job
    assert.is_false(message.result.isError)
    assert.is_true(job.state == "running" or job.state == "queued", job.state)
    local status = agent:call("job_status", { job_id = job.id, wait_s = 0 })
    assert.equal(job.id, status.job.id)
    agent:call("job_cancel", { job_id = job.id })
    local told, whole = agent:call("job_status", { job_id = job.id, wait_s = 30 })
    assert.equal("cancelled", told.job.state)
    assert.is_true(whole.isError)
    -- A message that is cancelled is not answered, and its job ends.
    agent:send(json.encode { jsonrpc = "2.0", id = "gone", method = "tools/call", params = {
      name = "run", arguments = long, _meta = agents.meta() } })
    agent:send(json.encode { jsonrpc = "2.0", method = "notifications/cancelled",
      params = { requestId = "gone" } })
    assert.equal(0, agent:call("list", { what = "gpus", page_rows = 1 }).code)
    for _, line in ipairs(agent.lines) do assert.is_not.equal("gone", line.id) end
  end)

  case("tells progress where it is asked for, always more", function()
    local meta = agents.meta()
    meta.progressToken = "tok"
    local message, told = agent:ask("tools/call", { name = "run", arguments = { file = "demo",
      duration = "2000s", replications = 20 } }, meta)
    assert.is_table(message.result)
    local before = 0
    for _, one in ipairs(told) do
      assert.equal("notifications/progress", one.method)
      assert.equal("tok", one.params.progressToken)
      assert.is_true(one.params.progress > before)
      before = one.params.progress
    end
  end)
end)

describe("tools", function()
  local function has_answers(command)
    for _, option in ipairs(command.options or {}) do
      if option.answers then return true end
    end
    return false
  end

  it("are the commands that answer as data, each once", function()
    local seen = {}
    for _, tool in ipairs(tools.all()) do
      assert.is_nil(seen[tool.name])
      assert.is_truthy(tool.name:find "^[%w_]+$")
      seen[tool.name] = true
    end
    for _, name in ipairs(cli.commands) do
      local tool = seen[(name:gsub("-", "_"))] or false
      local other = name == "help" or name == "verify" or name == "outbox" or name == "version"
      assert.equal(other or has_answers(cli.command(name)) or false, tool or other, name)
    end
  end)

  it("offer every option of their command but those that reach out", function()
    local withheld = {}
    for _, tool in ipairs(tools.all()) do
      local command = tool.command and cli.command(tool.command)
      for _, option in ipairs(command and tool.name ~= "help" and command.options or {}) do
        local name = tools.property(option)
        local shown = tool.described.inputSchema.properties[name]
        if not shown then withheld[name] = true end
        if shown and option.value and not option.reads then
          assert.is_nil(option.value:find "FILE", tool.name .. " " .. name)
          assert.is_nil(option.value:find "OUT", tool.name .. " " .. name)
        end
      end
    end
    for _, name in ipairs { "store", "trusted", "out", "upload", "trace", "csv", "json",
      "token_file", "requests_log", "chrome", "perfetto", "timeline", "slurm", "out_dir" } do
      assert.is_true(withheld[name], name)
    end
    for _, name in ipairs { "set", "seed", "by", "range", "gate", "map", "prices", "kinds",
      "replications" } do
      assert.is_nil(withheld[name], name)
    end
  end)

  it("say of values what the commands say", function()
    local run = tools.named("run").described.inputSchema
    assert.same({ "file" }, run.required)
    assert.equal("integer", run.properties.seed.type)
    assert.same({ "auto", "event", "lowered" }, run.properties.engine.enum)
    assert.equal("object", run.properties.set.type)
    assert.equal("array", run.properties.tag.type)
    assert.is_false(tools.named("run").described.annotations.readOnlyHint)
    assert.is_true(tools.named("kernels").described.annotations.readOnlyHint)
    assert.is_nil(tools.named("list").described.inputSchema.required)
  end)
end)

describe("/mcp of tandem serve #slow", function()
  local at, server
  setup(function()
    if not served.there() then return end
    at = served.shell("mktemp -d"):match "%S+"
    server = served.start(at)
  end)
  teardown(function()
    if not served.there() then return end
    served.stop(server, "KILL")
    os.execute("rm -rf " .. at)
  end)

  local function ask(method, params, headers, meta)
    params = params or {}
    if meta ~= false then params._meta = meta or agents.meta() end
    local file = assert(io.open(at .. "/body", "wb"))
    file:write(json.encode { jsonrpc = "2.0", id = 1, method = method, params = params })
    file:close()
    local words = { ("--data-binary @%s/body"):format(at) }
    for name, value in pairs(headers or { ["MCP-Protocol-Version"] = agents.MODERN,
      ["Mcp-Method"] = method, ["Mcp-Name"] = params.name }) do
      words[#words + 1] = ("-H '%s: %s'"):format(name, value)
    end
    local status, body = served.ask(server, "/mcp", table.concat(words, " "))
    return status, json.decode(body), body
  end

  case("answers both eras on one path", function()
    local status, message = ask "server/discover"
    assert.equal(200, status)
    assert.equal("complete", message.result.resultType)
    status, message = ask("initialize", { protocolVersion = "2025-11-25", capabilities = {},
      clientInfo = {} }, {}, false)
    assert.equal(200, status)
    assert.equal("2025-11-25", message.result.protocolVersion)
    status = ask("tools/list", nil, { ["MCP-Protocol-Version"] = "2025-11-25" }, false)
    assert.equal(200, status)
    assert.equal(202, (served.ask(server, "/mcp",
      [[-d '{"jsonrpc":"2.0","method":"notifications/initialized"}']])))
    status, message = ask("tools/call", { name = "run", arguments = { file = "demo",
      duration = "5s" } })
    assert.equal(200, status)
    local told = message.result.structuredContent
    assert.equal(0, told.code)
    assert.equal(("%s/#/run/%s"):format(server.url, told.run), told.links.page)
    local _, page = served.ask(server, told.links.trace:sub(#server.url + 1), "--compressed")
    assert.is_truthy(page:find("traceEvents", 1, true))
    -- A job of an agent is one of the server's.
    status = served.ask(server, ("/v1/jobs/%s/result"):format(told.job.id))
    assert.equal(200, status)
  end)

  case("refuses what headers say otherwise, other sites, other methods, files", function()
    local modern = { ["MCP-Protocol-Version"] = agents.MODERN, ["Mcp-Method"] = "tools/list" }
    assert.equal(200, (ask("tools/list", nil, modern)))
    local status, message = ask("server/discover", nil, modern)
    assert.equal(400, status)
    assert.equal(-32020, message.error.code)
    status, message = ask("tools/list", nil, { ["Mcp-Method"] = "tools/list" })
    assert.equal(400, status)
    assert.equal(-32020, message.error.code)
    local call = { ["MCP-Protocol-Version"] = agents.MODERN, ["Mcp-Method"] = "tools/call" }
    for value, wanted in pairs { runs = 200, ["=?base64?cnVucw==?="] = 200, kernels = 400,
      ["=?base64?cnVu cw*=?="] = 400, ["=?base64?cnVucw?="] = 400, ["=?base64??="] = 400 } do
      call["Mcp-Name"] = value
      assert.equal(wanted, (ask("tools/call", { name = "runs" }, call)), value)
    end
    status, message = ask("no/such", nil)
    assert.equal(404, status)
    assert.equal(-32601, message.error.code)
    status, message = ask("tools/list", nil, { ["MCP-Protocol-Version"] = "1900-01-01" }, false)
    assert.equal(400, status)
    assert.equal(-32022, message.error.code)
    modern.Origin = "http://evil.example"
    assert.equal(403, (ask("tools/list", nil, modern)))
    modern.Origin = server.url
    assert.equal(200, (ask("tools/list", nil, modern)))
    assert.equal(405, (served.ask(server, "/mcp")))
    assert.equal(405, (served.ask(server, "/mcp", "-X DELETE")))
    assert.equal(400, (served.ask(server, "/mcp", "-d '{'")))
    status, message = ask("tools/call", { name = "import", arguments = { files = {
      "README.md" } } })
    assert.equal(200, status)
    assert.is_true(message.result.isError)
    assert.is_truthy(message.result.structuredContent.problems[1].what:find("no folder", 1, true))
  end)
end)
