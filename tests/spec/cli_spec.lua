-- The command line, run inside the process against strings.
local cli = require "tandem.cli"
local consoles = require "tandem.cli.console"
local fixture = require "tests.spec.support.result_fixture"
local loading = require "tandem.cli.load"
local result = require "tandem.result"

local directory

---@return tandem.Console|{ out: string, err: string } console, integer code
local function run(...)
  local console = consoles.of_strings { unicode = true }
  local code = cli.main({ ... }, console)
  return console, code
end

local function write(name, text)
  local path = directory .. "/" .. name
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

local VALID = [[
local td = require "tandem"
return td.scenario "small" {
  workload = td.poisson { rps = 10, duration = "10s" },
  pipeline = { td.fixed "work" { time = td.exponential "50ms" } },
  cpu = { workers = 1 }, slo = { p99 = "2s" },
}]]
local INVALID = [[
local td = require "tandem"
return td.scenario "wrong" {
  workload = td.poisson { rp = 10 },
  pipeline = { td.fixed "work" { time = "5GB" } },
}]]

setup(function()
  directory = os.tmpname()
  os.remove(directory)
  assert(os.execute("mkdir " .. directory))
end)

teardown(function()
  os.execute("rm -rf " .. directory)
end)

describe("the command line", function()
  it("prints its usage on standard error when told nothing", function()
    local console, code = run()
    assert.equal(2, code)
    assert.equal("", console.out)
    assert.matches("usage: tandem COMMAND", console.err, 1, true)
  end)

  it("prints help that was asked for on standard output", function()
    for _, words in ipairs { { "help" }, { "--help" }, { "-h" }, { "help", "run" },
      { "run", "--help" }, { "check", "-h" } } do
      local console, code = run(table.unpack(words))
      assert.equal(0, code)
      assert.equal("", console.err)
      assert.is_true(#console.out > 100)
    end
  end)

  it("says what was meant", function()
    local cases = {
      { { "rnu" }, "tandem: unknown command 'rnu'; did you mean 'run'?" },
      { { "run", "--sede", "4", "x" }, "unknown option '--sede'; did you mean '--seed'?" },
      { { "help", "exitcodes" }, "no help on 'exitcodes'; did you mean 'exit-codes'?" },
      { { "help", "exit-code" }, "no help on 'exit-code'; did you mean 'exit-codes'?" },
      { { "help", "poison" }, "no help on 'poison'; did you mean 'poisson'?" },
      { { "list", "gpu" }, "cannot list 'gpu'; did you mean 'gpus'?" },
      { { "run", "x", "--engine", "lowerd" }, "did you mean 'lowered'?" },
      { { "run", "x", "--seed", "many" }, "--seed wants a whole number, not 'many'" },
      { { "run", "x", "--replications", "0" }, "--replications wants at least 1" },
      { { "run" }, "missing argument 'file'" },
      { { "run", "x", "--set", "novalue" }, "--set wants KEY=VALUE, not 'novalue'" },
      { { "--verson" }, "unknown option '--verson'" },
    }
    for _, case in ipairs(cases) do
      local console, code = run(table.unpack(case[1]))
      assert.equal(2, code, case[2])
      assert.equal("", console.out)
      assert.is_true(console.err:find(case[2], 1, true) ~= nil, console.err)
    end
  end)

  it("knows --version", function()
    local console, code = run "--version"
    assert.equal(0, code)
    assert.matches("^tandem %d+%.%d+%.%d+\n", console.out)
  end)

  it("gives every command a summary, and every option help", function()
    for _, name in ipairs(cli.commands) do
      local command = cli.command(name)
      assert.is_true(#command.summary > 10)
      for _, option in ipairs(command.options or {}) do
        assert.is_true(#option.help > 10, option[1])
      end
      for _, example in ipairs(command.examples or {}) do
        assert.equal("tandem ", example:sub(1, 7))
      end
    end
  end)

  it("writes a manual page from the same tables", function()
    local console, code = run("help", "--man")
    assert.equal(0, code)
    assert.matches("^%.TH TANDEM 1", console.out)
    for _, name in ipairs(cli.commands) do
      local title = ".SS tandem " .. name:gsub("%-", "\\-") .. "\n"
      local from = console.out:find(title, 1, true)
      assert.is_truthy(from, name)
      local own = console.out:sub(from, (console.out:find("\n.S[SH]", from + #title)))
      for _, option in ipairs(cli.command(name).options or {}) do
        local flags = option[1]:gsub("%s+", ", "):gsub("%-", "\\-")
        assert.is_truthy(own:find(flags, 1, true), name .. " " .. option[1])
      end
    end
    for line in console.out:gmatch "[^\n]+" do
      local request = line:match "^%.(%u+)"
      assert.is_true(line:sub(1, 1) ~= "." or request ~= nil or line:find "^%.[nf][fi]" ~= nil,
        line)
    end
  end)

  it("writes completion scripts for three shells", function()
    for _, shell in ipairs { "bash", "zsh", "fish" } do
      local console, code = run("help", "--completion", shell)
      assert.equal(0, code)
      for _, name in ipairs(cli.commands) do
        assert.is_truthy(console.out:find(name, 1, true), shell .. " " .. name)
        for _, option in ipairs(cli.command(name).options or {}) do
          local word = option[1]:match "%-%-(%S+)$"
          assert.is_truthy(console.out:find(word, 1, true), shell .. " " .. word)
        end
      end
    end
  end)

  it("completes in bash, each command and each of its options", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write((run("help", "--completion", "bash").out), [[

ask() { COMP_WORDS=(tandem "$@"); COMP_CWORD=$#; COMPREPLY=(); _tandem; echo " ${COMPREPLY[*]} "; }
ask ''
for name in ]], table.concat(cli.commands, " "), [[; do ask "$name" --; done
]])
    file:close()
    local pipe = assert(io.popen("bash " .. script .. " 2>&1"))
    local commands = pipe:read "l"
    for _, name in ipairs(cli.commands) do
      assert.is_truthy(commands:find(" " .. name .. " ", 1, true), name)
      local options = assert(pipe:read "l", name)
      for _, option in ipairs(cli.command(name).options or {}) do
        local word = option[1]:match "%-%-%S+$"
        assert.is_truthy(options:find(" " .. word .. " ", 1, true), name .. " " .. word)
      end
    end
    pipe:close()
    os.remove(script)
  end)
end)

describe("the console", function()
  it("draws progress in a terminal and rubs it out", function()
    local console = consoles.of_strings()
    assert.is_nil((console:progress "x"))
    console.error_style.terminal = true
    local progress, finish = console:progress "label"
    progress(0.5)
    progress(0.501)
    assert.matches("^\rlabel #+%.+  50 %%$", console.err)
    finish()
    assert.equal("\r\27[K", console.err:sub(-4))
  end)

  it("cleans what comes from files", function()
    local console = consoles.of_strings()
    console:problems { { file = "a\27[2J", line = 3, path = "x", message = "is\7 wrong" } }
    assert.equal("a?[2J:3: x: is? wrong\n", console.err)
  end)
end)

describe("--set", function()
  it("takes several KEY=VALUE, and what follows is the file", function()
    local path = write("set.lua", VALID)
    for _, words in ipairs {
      { "explain", "--set", "workload.rps=5", "workload.duration=20s", path },
      { "explain", path, "--set", "workload.rps=5", "--set", "workload.duration=20s" },
      { "explain", path, "--set=workload.rps=5", "--set=workload.duration=20s" },
    } do
      local console, code = run(table.unpack(words))
      assert.equal(0, code, console.err)
      assert.matches("Poisson, 5 /s for 20 s, about 100 requests", console.out, 1, true)
    end
  end)

  it("reads numbers, truth values and text", function()
    assert.same({ a = 4, ["b.c"] = "5ms", d = true, e = 0.5, f = "x=y" },
      loading.overrides { "a=4", "b.c=5ms", "d=true", "e=0.5", "f=x=y" })
    assert.is_nil((loading.overrides { "=4" }))
  end)

  it("lists what is wrong with a change", function()
    local console, code = run("explain", write("set.lua", VALID), "--set", "workload.rpz=5")
    assert.equal(3, code)
    assert.is_not_nil(console.err:find("workload.rpz: unknown key; did you mean 'rps'?", 1, true),
      console.err)
  end)
end)

describe("--replications", function()
  it("has the limit that scenarios have, and scripts that run them", function()
    local most = require("tandem.language.scenario").MOST_REPLICATIONS
    assert.equal(most, require("tandem.cli.load").MOST_REPLICATIONS)
    local td = require "tandem"
    local scenario = td.scenario "many" { workload = td.poisson { rps = 10, requests = 5 },
      pipeline = { td.fixed "work" { time = "1ms" } } }
    for _, many in ipairs { function(count)
      return td.whatif(scenario, { x = { rps = 20 } }, { replications = count })
    end, function(count)
      return td.sweep { scenario = scenario, over = { rps = { 10, 20 } }, replications = count }
    end } do
      assert.is_true(pcall(many, 2))
      local ok, wrong = pcall(many, most + 1)
      assert.is_false(ok and wrong ~= nil)
      if not ok then assert.matches("at most 1000000", tostring(wrong), 1, true) end
    end
  end)
end)

describe("--variant", function()
  local read = require("tandem.cli.variants").read

  it("takes values with spaces in either quotes", function()
    for _, quote in ipairs { '"', "'" } do
      local list = assert(read { ("two fast: gpus=2 gpu=%sH200 SXM%s rps=5"):format(quote, quote) })
      assert.same({ { "two fast", { gpus = 2, gpu = "H200 SXM", rps = 5 } } }, list)
    end
    assert.same({ gpu = "" }, assert(read { "x: gpu=''" })[1][2])
  end)

  it("says where quotes do not end with the value", function()
    for _, text in ipairs { 'x: gpu="H200 SXM', 'x: gpu="H200 SXM"b gpus=2' } do
      local list, wrong = read { text }
      assert.is_nil(list)
      assert.matches('the quotes of gpu="H200 do not end', wrong, 1, true)
    end
  end)
end)

describe("check", function()
  it("says ok and lists all problems", function()
    local good, bad = write("good.lua", VALID), write("bad.lua", INVALID)
    local console, code = run("check", good)
    assert.equal(0, code)
    assert.equal(good .. ": ok\n", console.out)
    console, code = run("check", good, bad)
    assert.equal(3, code)
    for _, part in ipairs { good .. ": ok", bad .. ":3: workload.rp: unknown key",
      bad .. ":4: pipeline.work.time: '5GB' is a size" } do
      assert.is_true(console.out:find(part, 1, true) ~= nil, console.out)
    end
  end)

  it("tells a file it cannot read from a scenario that is wrong", function()
    local _, code = run("check", directory .. "/nothing.lua")
    assert.equal(4, code)
    _, code = run("check", directory)
    assert.equal(4, code)
    _, code = run("check", directory .. "/nothing.lua", write("bad.lua", INVALID))
    assert.equal(3, code)
  end)

  it("writes JSON", function()
    local console, code = run("check", "--json", write("bad.lua", INVALID))
    assert.equal(3, code)
    local told = require("cjson").decode(console.out)
    assert.equal("tandem.answer/1", told.schema)
    assert.equal(3, told.code)
    assert.equal(3, told.problems[1].where.line)
    local read = told.result
    assert.equal("tandem.check/1", read.schema)
    assert.is_false(read.files[1].ok)
    assert.equal(3, read.files[1].problems[1].line)
  end)
end)

describe("explain", function()
  it("says what to expect, as text, as numbers, and as the engine's own model", function()
    local path = write("good.lua", VALID)
    local console, code = run("explain", path)
    assert.equal(0, code)
    assert.matches("cpu saturates first; it will be busy 50 % of the time", console.out, 1, true)
    console, code = run("explain", path, "--json")
    assert.equal(0, code)
    assert.equal(20, require("cjson").decode(console.out).result.bounds.saturation_rps)
    console, code = run("explain", path, "--ops")
    assert.equal(0, code, console.err)
    assert.matches('"classes"', console.out, 1, true)
  end)
end)

describe("list", function()
  it("lists every kind it names, as text and as JSON", function()
    for _, kind in ipairs(require("tandem.cli.list").kinds()) do
      local console, code = run("list", kind)
      assert.equal(0, code, kind)
      assert.is_true(#console.out > 0)
      console, code = run("list", kind, "--json")
      assert.equal(0, code)
      local read = require("cjson").decode(console.out).result
      assert.equal(kind, read.kind)
      assert.is_true(type(read.items) == "table")
    end
    local console = run "list"
    assert.is_true(console.out:find("tandem list gpus", 1, true) ~= nil)
  end)

  it("shows one GPU with the source of each number", function()
    local console, code = run("list", "gpus", "h100-sxm")
    assert.equal(0, code)
    assert.matches("H100 SXM", console.out, 1, true)
    assert.matches("whitepaper", console.out, 1, true)
    for name, wanted in pairs { L40S = "2023, PCIe card, dual slot, on PCIe 4.0 x16\n",
      ["TPU v5e"] = "2023, chip of a pod of 256\n" } do
      assert.matches(wanted, run("list", "gpus", name).out, 1, true)
    end
    console, code = run("list", "gpus", "L40SS")
    assert.equal(2, code)
    assert.matches("did you mean 'L40S'?", console.err, 1, true)
    assert.equal(2, (select(2, run("list", "links", "pcie"))))
  end)

  it("knows what each policy does", function()
    local policies = require "tandem.language.policies"
    for _, entries in ipairs { policies.routers, policies.disciplines, policies.replica_routers } do
      for _, entry in ipairs(entries) do
        assert.is_string(entry[2], entry[1])
      end
    end
  end)
end)

describe("run", function()
  --- A scenario that returns a prepared result instead of simulating.
  local function with_result(raw, body)
    local sandbox = require "tandem.sandbox"
    local original, given = sandbox.load_scenario, nil
    sandbox.load_scenario = function()
      return {
        name = raw and raw.name, expect = raw and raw.expected,
        checked = {},
        run = function(_, options)
          given = options
          if not raw then
            return nil, "the disk is full", 4
          end
          return result.wrap(raw)
        end,
      }
    end
    local ok, message = pcall(body, function() return given end)
    sandbox.load_scenario = original
    assert(ok, message)
  end

  it("prints the report and leaves with 0", function()
    local path = write("any.lua", VALID)
    with_result(fixture.demo(), function(options)
      local console, code = run("run", path, "--seed", "7", "--replications", "3", "--engine",
        "event", "--threads", "2")
      assert.equal(0, code)
      assert.equal("", console.err)
      assert.is_true(console.out:find("MET       p99", 1, true) ~= nil)
      assert.equal(7, options().seed)
      assert.equal(3, options().replications)
      assert.equal("event", options().engine)
      assert.equal(2, options().threads)
    end)
  end)

  it("leaves with 1 after the report when an objective was missed", function()
    local path = write("any.lua", VALID)
    with_result(fixture.overloaded(), function()
      local console, code = run("run", path)
      assert.equal(1, code)
      assert.is_true(console.out:find("MISSED", 1, true) ~= nil)
    end)
  end)

  it("prints JSON only when asked for JSON", function()
    local path = write("any.lua", VALID)
    with_result(fixture.demo(), function()
      local console, code = run("run", path, "--json")
      assert.equal(0, code)
      assert.equal("tandem.result/1", require("cjson").decode(console.out).result.schema)
    end)
  end)

  it("leaves out what it is told to leave out", function()
    local path = write("any.lua", VALID)
    with_result(fixture.demo(), function()
      local console = run("run", path, "--no-timeline", "--no-advice")
      assert.is_nil(console.out:find("Over time", 1, true))
      assert.is_nil(console.out:find("Try next", 1, true))
    end)
  end)

  it("leaves with 130 when interrupted, after the partial report", function()
    local path, raw = write("any.lua", VALID), fixture.demo()
    raw.interrupted = true
    with_result(raw, function()
      local console, code = run("run", path)
      assert.equal(130, code)
      assert.is_true(console.out:find("PARTIAL", 1, true) ~= nil)
    end)
  end)

  it("says what the world did", function()
    local path = write("any.lua", VALID)
    with_result(nil, function()
      local console, code = run("run", path)
      assert.equal(4, code)
      assert.matches("tandem run: the disk is full", console.err, 1, true)
    end)
  end)

  it("holds the result against the expect block when asked", function()
    local path, raw = write("any.lua", VALID), fixture.demo()
    raw.expected = { { path = "latency.p99", max = 0.01 } }
    with_result(raw, function()
      local console, code = run("run", path, "--expect")
      assert.equal(1, code)
      assert.matches("FAIL  latency.p99 is 0.0712, wanted at most 0.01", console.err, 1, true)
      assert.equal(0, (select(2, run("run", path))))
    end)
  end)

  it("refuses a trace it cannot write before it simulates", function()
    local console, code = run("run", write("any.lua", VALID), "--trace",
      directory .. "/no/such/trace.json")
    assert.equal(4, code)
    assert.matches("cannot write", console.err, 1, true)
  end)

  it("leaves an invalid scenario alone", function()
    local console, code = run("run", write("bad.lua", INVALID))
    assert.equal(3, code)
    assert.equal("", console.out)
    assert.matches("3 problems; nothing was run", console.err, 1, true)
  end)
end)

describe("help topics", function()
  local styles = require "tandem.plot.style"
  local topics = require "tandem.help"
  local style = styles.new { unicode = true, width = 88 }

  it("all have a title and a text that fits", function()
    for _, name in ipairs(topics.topics()) do
      local topic = assert(topics.topic(name))
      assert.is_true(#topic.title >= 4, name)
      for line in topic.text(style):gmatch "[^\n]+" do
        -- Code and what commands printed is not wrapped.
        assert.is_true(styles.columns(line) <= (line:find "^  " and 125 or 88),
          name .. ": " .. line)
      end
    end
    assert.equal(topics.topic("arrivals").section, topics.topic("workload").section)
    assert.is_nil(topics.topic "nothing")
  end)

  it("name every exit code", function()
    local text = topics.topic("exit-codes").text(style)
    for name, code in pairs(require "tandem.cli.codes") do
      if type(code) == "number" then
        assert.is_true(text:find("%f[%d]" .. code .. "%f[%D]") ~= nil, name)
      end
    end
  end)

  it("show an example for every constructor, and each one works", function()
    local td = require "tandem"
    local node = require "tandem.language.node"
    local reference = require "tandem.help.reference"
    write("trace.csv", "timestamp\n0\n1\n2\n")
    os.execute("cp -r tests/data/serving/step_tables/RTX4090 " .. directory)
    local seen = 0
    for _, group in ipairs { "stage", "dist", "arrivals", "resource", "llm", "rows" } do
      for _, name in ipairs(reference.names(group)) do
        local example = assert(node.types[name].example, name)
        assert.is_true(reference.constructor(name, style):find(example:match "^[^\n]+", 1, true)
          ~= nil)
        local value = assert(load("local td = ...; return " .. example, name))(td)
        assert.equal(name, value.type)
        assert.equal(group, node.group(value))
        local raw = { name = "example", attrs = { tokens = 5, output_tokens = 9 },
          target = td.gpu "L40" { count = 2 }, requests = 5, workload = td.poisson { rps = 1 },
          pipeline = { td.tokens "t" { tokens = 4 } } }
        if group == "stage" then
          raw.pipeline = { value }
        elseif group == "dist" then
          raw.attrs.tokens = value
        elseif group == "arrivals" then
          raw.workload = value
        elseif group == "rows" then
          raw.attrs.tokens, raw.workload = nil, td.poisson { rps = 1, sizes = value }
        elseif group == "llm" then
          raw.pipeline = { td.generate "g" { prompt = 5, output = 9, model = name == "llm" and value
            or td.llm "Llama-3.1-8B", step = name ~= "llm" and value or nil } }
        elseif name == "gpu" or name == "fleet" then
          raw.target = value
        else
          raw.resources = { value }
        end
        if group == "dist" and example:find "ms" then
          raw.attrs.tokens, raw.pipeline = 5, { td.delay "d" { time = value } }
        end
        local made, problems = require("tandem.scenario").check(raw, { directory = directory })
        assert(made, tostring(problems))
        assert.is_true(#require("tandem.explain")(made, { style = style }) > 50)
        seen = seen + 1
      end
    end
    local count = 0
    for _, spec in pairs(node.types) do
      if spec.example then count = count + 1 end
    end
    assert.equal(count, seen)
  end)
end)
