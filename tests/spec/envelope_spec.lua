-- What commands leave as data: one envelope for each --json, whatever comes of the command.
local cli = require "tandem.cli"
local codes = require "tandem.cli.codes"
local envelope = require "tandem.cli.envelope"
local json = require "tandem.io.json"
local store_fixture = require "tests.spec.support.store_fixture"

local CAPTURE <const> = "tests/data/kineto/torch_compile_triton__trace.json.gz"

local files, scenario, wrong
setup(function()
  files = store_fixture.new()
  scenario = files:write("half.lua", [[
    local td = require "tandem"
    return td.scenario "half" { workload = td.poisson { rps = 20, duration = "2s" },
      target = "L40", pipeline = { td.fixed "pre" { time = "2ms" } }, slo = { p99 = "9ms" } }]])
  wrong = files:write("wrong.lua", [[
    local td = require "tandem"
    return td.scenario "wrong" { workload = td.poisson { rps = 20, duration = "2s" },
      target = "L40", pipeline = {
        td.fixed "pre" { tiem = "2ms" } } }]])
  assert.equal(0, select(3, files:tandem("import", CAPTURE)))
  assert.equal(0, select(3, files:tandem("run", scenario)))
end)
teardown(function() files:remove() end)

local WITHOUT_STORE <const> = { plan = true, whatif = true, explain = true, list = true,
  version = true, check = true }

-- What a command prints and leaves with, on the store of this spec.
local function tandem(...)
  if not WITHOUT_STORE[(...)] then return files:tandem(...) end
  local console = require("tandem.cli.console").of_strings()
  local code = cli.main({ ... }, console)
  return console.out, console.err, code
end

-- The envelope that a command printed, and its complaint; it holds the exit code.
local function told(...)
  local out, err, code = tandem(...)
  local value, unread = json.decode(out)
  assert.is_nil(unread, out)
  assert.equal(envelope.SCHEMA, value.schema, out)
  assert.equal(code, value.code, out)
  assert.is_table(value.problems)
  return value, err
end

describe("the envelope of --json", function()
  it("is what every command with --json prints, the result with its own schema in it", function()
    local commands = {
      run = { scenario, "--seed", "9" }, plan = { scenario, "--replications", "8" },
      explain = { scenario }, check = { scenario }, whatif = { scenario, "--variant", "a: rps=9" },
      sweep = { scenario, "--over", "rps=10:20:2", "--replications", "1" },
      list = { "gpus" }, version = {}, runs = {}, show = { "last" },
      sql = { "SELECT 1 AS one" },
      diff = { "last", "last" }, outbox = {}, import = { CAPTURE }, flame = { "half" },
      categories = { "triton" }, overlay = { "last", "last" }, fit = { "half" },
      score = { "last", "last" }, map = { "last" },
    }
    local asked = 0
    for _, name in ipairs(cli.commands) do
      local has = false
      for _, option in ipairs(cli.command(name).options or {}) do has = has or option.answers end
      local words = commands[name] or has and { "last" }
      if has then
        local line = table.move(words, 1, #words, 2, { name })
        line[#line + 1] = "--json"
        local value = told(table.unpack(line))
        if value.code == codes.OK then
          assert.is_string(value.result.schema, name)
          assert.same({}, value.problems)
        else
          assert.is_string(value.problems[1].what, name)
          assert.is_string(value.problems[1].kind, name)
        end
        asked = asked + 1
      end
    end
    assert.is_true(asked > 40)
  end)

  it("says what is wrong: what, what kind, where, and the nearest word", function()
    local value, err = told("run", wrong, "--json")
    assert.equal(codes.INVALID, value.code)
    assert.is_nil(value.result)
    local first = value.problems[1]
    assert.equal("invalid", first.kind)
    assert.same({ file = wrong, line = 4, path = "pipeline.pre.tiem" }, first.where)
    assert.equal("time", first.nearest)
    assert.truthy(err:find(first.what, 1, true))
    assert.truthy(err:find("tandem run: ", 1, true))
    for _, case in ipairs {
      { "usage", codes.USAGE, "--json", "run", scenario, "--jsno", "--json" },
      { "usage", codes.USAGE, "gpus", "list", "gpsu", "--json" },
      { "usage", codes.USAGE, false, "runs", "--csv", "--json" },
      { "absent", codes.INVALID, "half", "show", "halv", "--json" },
      { "absent", codes.INVALID, false, "kernels", "nobody-at-all", "--json" },
      { "io", codes.IO, false, "run", "/nothing/at/all.lua", "--json" },
      { "cannot_answer", codes.NO, false, "osrt", "last", "--json" },
      { "gate", codes.NO, false, "diff", "last", "last", "--gate", "total<-90%", "--json" },
      { "invalid", codes.INVALID, false, "sql", "SELECT FROM", "--json" },
    } do
      value = told(table.unpack(case, 4))
      assert.equal(case[2], value.code, case[4])
      assert.equal(case[1], value.problems[1].kind, case[4])
      assert.equal(case[3] or nil, value.problems[1].nearest, case[4])
    end
  end)

  it("keeps the result beside what could not be answered", function()
    local value = told("osrt", "last", "--json")
    assert.equal(codes.NO, value.code)
    assert.equal("cannot_answer", value.problems[1].kind)
    assert.equal("tandem.analysis/1", value.result.schema)
  end)

  it("has the chart that - asks for", function()
    local value = told("plan", scenario, "--replications", "8", "--json", "--plot", "-")
    assert.matches("^<svg", value.plot)
    local _, err, code = tandem("plan", scenario, "--plot", "-")
    assert.equal(codes.USAGE, code)
    assert.truthy(err:find("--plot - goes with --json", 1, true))
    value = told("sweep", scenario, "--over", "rps=10:20:2", "--replications", "1", "--json",
      "--plot", "rps,p99")
    assert.matches("^<svg", value.plot)
  end)

  it("is whole where a query breaks off", function()
    local value = told("sql", "SELECT json('{') FROM run", "--json")
    assert.is_true(value.code ~= codes.OK)
    assert.is_string(value.problems[1].what)
  end)

  it("tells a mistake of ours before it is raised", function()
    local command = cli.command "version"
    local run = command.run
    command.run = function() error "a mistake" end
    local console = require("tandem.cli.console").of_strings()
    local ok, raised = pcall(cli.main, { "version", "--json" }, console)
    command.run = run
    assert.is_false(ok)
    assert.truthy(tostring(raised):find("a mistake", 1, true))
    local value = assert(json.decode(console.out))
    assert.equal(codes.BUG, value.code)
    assert.equal("bug", value.problems[1].kind)
  end)
end)
