-- What `tandem serve` answers with, where a run cannot tell, a scenario is wrong, or a client knows
-- more than it needs: each sentence and figure is held against what the command line says.
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"

local ask, case, shell = served.ask, served.there() and it or pending, served.shell

local MEMORY <const> = "tests/data/torch/memory_timeline.raw.json.gz"
local KERNELS_ONLY <const> = "tests/data/kineto/torch_compile_triton__trace.json.gz"

describe("what the server answers of a damaged run", function()
  local on = served.there() and it or pending
  on("is a problem in one line, that tells no path", function()
    local at = shell("mktemp -d"):match "%S+"
    local path = at .. "/t.db"
    shell(("%s import tests/data/nsys/h100_cut.sqlite.gz --name h100 --store %s"):format(
      served.program, path))
    local db <close> = assert(require("tandem.core").database(path, { store = true }))
    local id = assert(db:one "SELECT id FROM run").id
    assert(db:run "UPDATE chunk_data SET data = substr(data, 1, length(data) - 9)")
    db:close()
    local server <const> = served.start(at)
    for _, what in ipairs { "glance", "report", "timeline", "trace", "analyses/kernels",
      "analyses/breakdown", "plots/kernels.svg" } do
      local status, body = ask(server, ("/v1/runs/%s/%s"):format(id, what))
      assert.equal(422, status, what .. body)
      assert.matches("chunk of the store is damaged", body, 1, true)
      assert.is_nil(body:find(at, 1, true), body)
      assert.is_nil(body:find("traceback", 1, true), body)
    end
    served.stop(server, "KILL")
    os.execute("rm -rf " .. at)
  end)
end)

describe("tandem serve #slow", function()
  local at, server
  setup(function()
    if not served.there() then return end
    at = shell("mktemp -d"):match "%S+"
    server = served.start(at)
  end)
  teardown(function()
    if not served.there() then return end
    served.stop(server, "KILL")
    os.execute("rm -rf " .. at)
  end)

  local function json_of(path, words)
    local status, body = ask(server, path, words)
    local value, wrong = json.decode(body)
    assert.is_nil(wrong, body)
    return status, value, body
  end

  local function post(path, object)
    return json_of(path, ("-d '%s'"):format(json.encode(object):gsub("'", "'\\''")))
  end

  local function imported(path)
    local _, made = json_of("/v1/realtraces", "-F file=@" .. path)
    return made.real_trace_id
  end

  case("tells what is wrong with what a request sets, of which no line of the scenario knows",
    function()
      local status, made = post("/v1/runs", { scenario_id = "demo", set = { rsp = 4 } })
      assert.equal(422, status)
      assert.equal("rsp: unknown key; did you mean 'rps'?", made.error.message)
      assert.equal("rsp", made.error.path)
      status, made = post("/v1/plans", { scenario_id = "demo", load = "9rps", set = { rsp = 4 } })
      assert.equal(422, status)
      assert.equal("rsp", made.error.path)
    end)

  case("says what a script is that is not a scenario, and not where the server keeps it", function()
    for _, path in ipairs { "/v1/runs", "/v1/plans", "/v1/check" } do
      local _, made, body = post(path, { script = "return 1" })
      local first = (made.problems or made.error.problems)[1]
      assert.matches("^does not return a scenario but 1", first.message)
      assert.is_nil(first.path)
      assert.is_nil(body:find(at, 1, true), body)
    end
    local status, made = json_of("/v1/scenarios", [[-H 'Content-Type: text/x-lua' -d 'return 1']])
    assert.equal(422, status)
    assert.matches("^Does not return a scenario but 1", made.error.message)
  end)

  case("ends a sentence once", function()
    local status, made = post("/v1/plans", { scenario_id = "demo", kinds = { "H101" },
      load = "9rps" })
    assert.equal(400, status)
    assert.matches("did you mean 'H100 SXM'%?$", made.error.message)
  end)

  case("answers with a problem, not with nothing, where a run cannot tell", function()
    local memory = imported(MEMORY)
    for _, path in ipairs { "/api/profiler/flame?run=" .. memory,
      ("/v1/runs/%s/compare?with=%s&by=range"):format(memory, memory) } do
      local status, made = json_of(path)
      assert.equal(422, status, path)
      assert.equal("cannot_answer", made.error.code)
      assert.matches("^Cannot answer: ", made.error.message)
    end
  end)

  case("leaves figures out that a run does not tell, rather than call them 0", function()
    local _, memory = json_of("/api/profiler/memory?run="
      .. imported(MEMORY))
    assert.is_true(memory.summary.peak_memory_mb > 0)
    assert.is_nil(memory.summary.reserved_memory_mb)
    local _, compiled = json_of("/api/profiler/compile?run=" .. imported(KERNELS_ONLY))
    assert.is_true(compiled.tables[1].rows[1].generated > 0)
    assert.is_nil(compiled.summary)
  end)

  case("documents what it answers with", function()
    local _, document = json_of "/openapi.json"
    local open = { ["/"] = true, ["/healthz"] = true, ["/openapi.json"] = true,
      ["/ui/{name}"] = true, ["/docs"] = true }
    for path, methods in pairs(document.paths) do
      for method, one in pairs(methods) do
        assert.is_table(one.responses.default, method .. " " .. path)
        assert.equal(open[path] and 0 or nil, one.security and #one.security, path)
      end
    end
  end)

  case("knows a page's tag in a list, weak, and as a star", function()
    local tag = shell(("curl -sI %s/ui/app.js"):format(server.url)):match "ETag: (%S+)"
    for _, given in ipairs { tag, "W/" .. tag, '"x", ' .. tag, "*" } do
      local words = ("-H 'If-None-Match: %s'"):format(given)
      assert.equal(304, (ask(server, "/ui/app.js", words)), given)
    end
    assert.equal(200, (ask(server, "/ui/app.js", [[-H 'If-None-Match: "x"']])))
  end)
end)
