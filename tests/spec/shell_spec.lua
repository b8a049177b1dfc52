-- The session behind the REPL and Jupyter: evaluation, completion, showing values, help, history.
-- The terminal itself is driven in shell_terminal_spec.lua.
local annotations = require "tandem.shell.annotations"
local commands = require "tandem.shell.commands"
local complete = require "tandem.shell.complete"
local core = require "tandem.core"
local evaluate = require "tandem.shell.evaluate"
local help = require "tandem.shell.help"
local history = require "tandem.shell.history"
local lexer = require "tandem.shell.lexer"
local show = require "tandem.shell.show"
local styles = require "tandem.plot.style"

local function new_session()
  return evaluate.new { env = setmetatable({}, { __index = _G }) }
end

local SCENARIO = [[base = td.scenario "small" { workload = td.poisson { rps = 2, duration = "10s" },
  target = td.gpu "L40" {}, pipeline = { td.fixed "a" { time = "2ms" } } }]]

describe("evaluation", function()
  local session
  before_each(function() session = new_session() end)

  it("tries an expression first, then statements", function()
    assert.same({ n = 1, 2 }, session:evaluate("1 + 1").values)
    assert.same({ n = 0 }, session:evaluate("x = 5").values)
    assert.same({ n = 3, 5, nil, true }, session:evaluate("x, nil, true").values)
    assert.equal(5, session:evaluate("= x").values[1])
  end)

  it("keeps the last value in _, but not nil", function()
    session:evaluate "41"
    assert.equal(42, session:evaluate("_ + 1").values[1])
    session:evaluate "nil"
    assert.equal(42, session:evaluate("_").values[1])
  end)

  it("knows which inputs want more lines", function()
    for _, text in ipairs { "for i = 1, 3 do", "f(", "x = ", "{ 1,", "function f()", "[[ long" } do
      assert.is_true(session:incomplete(text), text)
    end
    for _, text in ipairs { "1", "x =", "for", "if x" } do
      assert.equal(text ~= "1", session:incomplete(text), text)
    end
    for _, text in ipairs { "x = = 1", "end", "1 2" } do
      assert.is_false(session:incomplete(text), text)
    end
  end)

  it("names the person's line, of this input and of earlier ones", function()
    session:evaluate "function f(a)\n  local b = a\n  return b.c.d\nend"
    local outcome = session:evaluate "y = 1\nlocal z = f {}\nreturn z"
    assert.is_false(outcome.ok)
    assert.equal("attempt to index a nil value (field 'c')", outcome.message)
    assert.equal("input 1, line 3, in function 'f': return b.c.d", outcome.frames[1])
    assert.equal("line 2: local z = f {}", outcome.frames[2])
    assert.equal(2, #outcome.frames)
  end)

  it("tells of a recursion without end, whose stack is too deep to look at all of it", function()
    local outcome = session:evaluate "function f(n) return 1 + f(n) end\nreturn f(1)"
    assert.equal("stack overflow", outcome.message)
    assert.equal("line 1, in function 'f': function f(n) return 1 + f(n) end", outcome.frames[1])
    assert.equal("… and many more", outcome.frames[#outcome.frames])
    outcome = session:evaluate "function g(n) return n == 0 and f.x or 1 + g(n - 1) end g(20)"
    assert.matches("^… and 1%d more$", outcome.frames[#outcome.frames])
  end)

  it("does not point at the only line of an input", function()
    local outcome = session:evaluate "nowhere.x = 1"
    assert.equal("attempt to index a nil value (global 'nowhere')", outcome.message)
    assert.same({}, outcome.frames)
  end)

  it("strips our own lines from messages and traces", function()
    local outcome = session:evaluate 'td.scenario "s" { pipeline = { td.fixed "a" { tim = 1 } } }'
    assert.is_false(outcome.ok)
    assert.is_nil(outcome.message:find("lua/tandem", 1, true), outcome.message)
    assert.truthy(outcome.message:find("did you mean 'time'", 1, true), outcome.message)
    for _, frame in ipairs(outcome.frames) do
      assert.is_nil(frame:find("lua/tandem", 1, true), frame)
    end
  end)

  it("finds the place of an error that crossed a coroutine", function()
    local outcome = session:evaluate 'coroutine.wrap(function()\n error "inner"\nend)()'
    assert.equal("inner", outcome.message)
    assert.equal('line 2: error "inner"', outcome.frames[1])
  end)

  it("takes error values that are not text", function()
    assert.equal("boo", session:evaluate('error { message = "boo" }').message)
    assert.equal("plain", session:evaluate('error("plain", 0)').message)
    assert.truthy(session:evaluate("error(nil)").message:find("nil", 1, true))
    assert.is_false(session:evaluate("error(setmetatable({}, { __tostring = error }))").ok)
  end)

  it("says where a syntax error of several lines is", function()
    local outcome = session:evaluate "a = 1\nb = = 2\nc = 3"
    assert.same({ "line 2: b = = 2" }, outcome.frames)
    assert.is_nil(outcome.message:find("input", 1, true))
  end)

  it("warns about locals once, and only about outer ones", function()
    assert.is_nil(session:evaluate("do local a = 1 end").note)
    assert.is_nil(session:evaluate("if x then local b else local c end").note)
    assert.is_nil(session:evaluate("function f() local a end").note)
    assert.truthy(session:evaluate("local q = 1").note:find("`local q`", 1, true))
    assert.is_nil(session:evaluate("local r = 1").note)
    local other = new_session():evaluate("local function g() end")
    assert.truthy(other.note:find("`function g`", 1, true))
  end)
end)

describe("coroutines that Ctrl-C can find", function()
  local resume, wrap = core.guard.resume, core.guard.wrap

  it("resume as Lua's own", function()
    local co = coroutine.create(function(a) return coroutine.yield(a + 1) * 2 end)
    assert.same({ true, 2 }, { resume(co, 1) })
    assert.same({ true, 10 }, { resume(co, 5) })
    local ok, message = resume(co)
    assert.is_false(ok)
    assert.equal("cannot resume dead coroutine", message)
    assert.has_error(function() resume(1) end)
    ok, message = resume(coroutine.create(function() error({ 7 }) end))
    assert.is_false(ok)
    assert.same({ 7 }, message)
  end)

  it("wrap as Lua's own, closing what the coroutine held", function()
    local numbers = wrap(function() for i = 1, 2 do coroutine.yield(i) end end)
    assert.same({ 1, 2 }, { numbers(), numbers() })
    local closed = false
    local broken = wrap(function()
      local _ <close> = setmetatable({}, { __close = function() closed = true end })
      error("no", 0)
    end)
    local ok, message = pcall(broken)
    assert.is_false(ok)
    assert.truthy(message:find("no$"))
    assert.is_true(closed)
  end)
end)

describe("completion", function()
  local session
  setup(function()
    session = new_session()
    assert(session:evaluate(SCENARIO).ok)
  end)
  local function at(text)
    local found = complete.at(session, text)
    return found.matches, found.suffix, found
  end
  local function has(list, wanted)
    for _, one in ipairs(list) do
      if one == wanted then return true end
    end
    return false
  end

  it("offers globals, words of Lua, fields and methods", function()
    assert.same({ "base" }, (at "x = bas"))
    assert.same({ "while" }, (at "whi"))
    assert.is_true(has(at "td.po", "poisson"))
    assert.same({ "upper" }, (at "math, ('x'):upp"))
    assert.is_true(has(at "base:", "with"))
    assert.same({ "run" }, (at "base:ru"))
    assert.same({}, (at "nothing.x"))
    assert.same({}, (at "-- td."))
  end)

  it("does not run code of the user's while he types", function()
    local ran = false
    session.env.trap = setmetatable({}, { __index = function() ran = true return {} end })
    at "trap.inner.x"
    assert.is_false(ran)
  end)

  it("offers the keys of the constructor that is open", function()
    local keys, suffix = at 'td.scenario "x" { work'
    assert.same({ "workload" }, keys)
    assert.equal(" = ", suffix)
    assert.is_true(has(at 'td.scenario "x" {\n  pipeline = { td.fixed "a" { ', "time"))
    assert.is_true(has(at "base:with { ", "workload"))
    assert.is_true(has(at "base:run { seed = 1, ", "replications"))
    assert.is_false(has(at 'td.fixed "a" { time = ti', "time"))
  end)

  it("offers catalogue names and choices inside quotes", function()
    assert.is_true(has(at 'td.gpu "L4', "L40"))
    assert.is_true(has(at 'td.gpu("L4', "L40"))
    assert.is_true(has(at 'plan { kinds = { "H100 SXM", "L4', "L40"))
    assert.is_true(has(at 'td.gpu "L40" { discipline = "', "preempt"))
    assert.is_true(has(at 'td.fleet "f" { router = "po', "power_of_two"))
    local _, suffix = at 'td.gpu "H200'
    assert.equal('"', suffix)
  end)

  it("offers models and shipped scenarios, and files beside them", function()
    assert.is_true(has(at 'td.llm "Llama-3.1', "Llama-3.1-8B"))
    assert.is_true(has(at 'td.load "de', "demo"))
    assert.is_true(has(at 'td.load "tests/spec/shell_s', "tests/spec/shell_spec.lua"))
    local matches, suffix = at 'td.load "scen'
    assert.same({ "scenarios/" }, matches)
    assert.equal("", suffix) -- it goes on
  end)

  it("offers the runs of a store, of the one that is open or of the usual one", function()
    local path = os.tmpname()
    os.remove(path)
    local store = assert(require("tandem").store(path))
    session.env.s = store
    assert.same({ "last" }, (at 's:run "'))
    session.env.base:run { replications = 1, store = path }
    local id
    for row in store:query "SELECT id FROM run" do id = row.id end
    assert.same({ id, "last" }, (at 's:run "'))
    assert.same({ id }, (at('s:tag("' .. id:sub(1, 3))))
    assert.same({ id }, (at('x = s:remove "' .. id:sub(1, 7))))
    assert.is_false(has(at 's:import "', "last"))
    assert.is_false(has(at 'base:run "', "last"))
    store:close()
    assert.is_false(has(at 's:run "', id)) -- closed: the usual one is asked
    local getenv = os.getenv
    os.getenv = function(name) -- luacheck: ignore
      return name == "TANDEM_STORE" and path or getenv(name)
    end
    local usual = at 'td.store():run "'
    os.getenv = getenv -- luacheck: ignore
    assert.same({ id, "last" }, usual)
    os.remove(path)
  end)

  it("offers the parts of a result", function()
    session.env.r = session.env.base:run { replications = 2 }
    assert.same({ "stages.a" }, (at 'r:get "stages.'))
    assert.same({ "latency.p90", "latency.p95", "latency.p99", "latency.p999" },
      (at 'r:get("latency.p9'))
    assert.is_true(has(at 'r:find "', "bottleneck"))
    assert.is_true(has(at 'r:table "re', "resources"))
    assert.same({ "timeline" }, (at 'r:plot "t'))
  end)

  it("offers files, commands and topics", function()
    assert.is_true(has(at 'dofile "tests/spec/shell_s', "tests/spec/shell_spec.lua"))
    assert.same({ "tests/spec/" }, (at ':load tests/spe'))
    assert.same({ "load" }, (at ":lo"))
    assert.same({ "exit-codes" }, (at "?exit"))
    assert.same({ "base" }, (at ":time bas"))
  end)

  it("says which bytes it replaces", function()
    local _, _, found = at "x = td.gp"
    assert.equal(8, found.from)
    assert.equal(9, found.to)
    assert.equal("h2", complete.common { "h2d", "h2x" })
  end)
end)

describe("showing values", function()
  local style = styles.new { width = 60, unicode = true }

  it("quotes strings, keeps floats apart from integers", function()
    assert.equal('"a\\n\\"b\\""', show.value('a\n"b"'))
    assert.equal('"\\27[31m"', show.value("\27[31m"))
    assert.equal('"\\xFF"', show.value("\255"))
    assert.equal("3", show.value(3))
    assert.equal("3.0", show.value(3.0))
    assert.equal("0.1", show.value(0.1))
    assert.equal("1e+30", show.value(1e30))
    assert.equal("inf", show.value(math.huge))
    assert.equal("nil", show.value(nil))
    assert.equal("\"é\"", show.value("é"))
  end)

  it("lets objects speak for themselves, and estimates be estimates", function()
    assert.equal("I", show.value(setmetatable({}, { __tostring = function() return "I" end })))
    local estimate = { value = 0.5, half = 0.0123 }
    assert.equal("{ latency = 0.5 ± 0.012 }", show.value { latency = estimate })
  end)

  it("sets records in columns, names first", function()
    assert.equal("name      x\na       1.5\nlonger  2.0",
      show.value({ { x = 1.5, name = "a" }, { x = 2.0, name = "longer" } }, style))
    local many = {}
    for index = 1, 100 do many[index] = { id = index } end
    assert.truthy(show.value(many, style):find("… 80 more rows", 1, true))
  end)

  it("keeps within the width, and ends on cycles", function()
    local wide = { name = ("x"):rep(300), inner = { list = {} } }
    for index = 1, 200 do wide.inner.list[index] = index / 7 end
    wide.self = wide
    wide.list = { wide.inner.list }
    for _, value in ipairs { wide, wide.inner.list, { wide, wide } } do
      for line in show.value(value, style):gmatch("[^\n]+") do
        assert.is_true(styles.columns(line) <= 60, line)
      end
    end
    assert.truthy(show.value(wide, style):find("itself", 1, true))
  end)

  it("sums up long lists of numbers", function()
    local list = {}
    for index = 1, 1000 do list[index] = index end
    local text = show.value(list, style)
    assert.truthy(text:find("1,000 numbers, 1 to 1000, mean 500.5", 1, true), text)
    assert.truthy(text:find("▁▁", 1, true), text)
    assert.is_nil(show.value({ -1, 1, 0 }, style):find("numbers", 1, true))
    list[1] = -1
    assert.is_nil(show.value(list, style):find("▁", 1, true)) -- blocks have no height below 0
    assert.equal("{ list = { 1,000 numbers, -1 to 1000 } }", show.value({ list = list }, style))
  end)

  it("draws histograms and series over time", function()
    local told = show.value({ edges_s = { 0, 0.001, 0.002 }, counts = { 3, 1 } }, style)
    assert.truthy(told:find("1 ms – 2 ms", 1, true), told)
    assert.truthy(told:find("75 %%\n"), told)
    local series = { t = {}, in_system = {}, latency_mean = {}, gap = { 1 },
      stations = { { name = "gpu", utilization = {} } } }
    for index = 1, 10 do
      series.t[index] = index - 1
      series.in_system[index] = index
      series.latency_mean[index] = index / 1000
      series.stations[1].utilization[index] = index / 20
    end
    told = show.value(series, style)
    for _, line in ipairs { "in_system       │", "│ 1 to 10\n", "│ 1 ms to 10 ms\n",
      "gpu utilization │", "│ 5 % to 50 %\n", "10 s" } do
      assert.truthy(told:find(line, 1, true), told)
    end
    assert.is_nil(told:find("gap", 1, true))
    assert.equal("{ t = { 1, 2 }, x = { 3, 4 } }", show.value { t = { 1, 2 }, x = { 3, 4 } })
  end)

  it("names what a library holds, and touches nobody's __index", function()
    assert.truthy(show.value(math, style):find("^{ abs, .- }\n%-%- %d+ functions; ?"))
    assert.truthy(show.value(require "tandem", style):find(" poisson,", 1, true))
    local shy = setmetatable({ a = 1 }, { __index = function() error "no" end })
    assert.equal("{ a = 1 }", show.value(shy, style))
  end)
end)

describe("help", function()
  local session
  setup(function()
    session = new_session()
    session:evaluate(SCENARIO)
  end)
  local function text(name) return (help.text(session, name, styles.new { unicode = true })) end

  it("tells a constructor's keys", function()
    local told = text "td.fixed"
    assert.truthy(told:find('td.fixed "name" { … }', 1, true))
    assert.truthy(told:find("time +time in s, distribution or function +[^\n]*required"), told)
    assert.equal(told, text "fixed")
  end)

  it("reads a function's comments from its source", function()
    local told = text "td.load"
    assert.truthy(told:find("td.load(path, options)", 1, true))
    assert.truthy(told:find("Load a scenario from a file", 1, true))
    assert.truthy(text("base:with"):find("Scenario:with(changes)", 1, true))
  end)

  it("tells classes, commands, topics and words of Lua", function()
    assert.truthy(text("tandem.Result"):find("offered_rps", 1, true))
    assert.truthy(text(":load"):find(":load FILE", 1, true))
    assert.truthy(text("exit-codes"):find("130", 1, true))
    assert.truthy(text("string.format"):find("part of Lua", 1, true))
    assert.truthy(text("while"):find("word of Lua", 1, true))
    assert.truthy(text(""):find(":quit", 1, true))
  end)

  it("keeps the program's inside out of it", function()
    local told = text "run"
    assert.matches("Scenario:run +Run the scenario", told)
    assert.is_nil(told:find("check.run", 1, true))
    assert.is_nil(told:find("tandem.spec", 1, true))
  end)

  it("proposes the nearest name", function()
    local told, found = help.text(session, "td.possion", styles.new())
    assert.is_false(found)
    assert.truthy(told:find("did you mean 'td.poisson'", 1, true), told)
  end)

  it("understands LuaCATS types with spaces", function()
    local entry = annotations.parse("x.lua", table.concat({
      "--- Does it.", "-- In two lines.", "---@param f fun(a: number, b: string): boolean  called",
      "---@param o { x: number, y: string }|nil the options", "---@return integer count how many",
      "function m.does(f, o)" }, "\n"))[1]
    assert.equal("fun(a: number, b: string): boolean", entry.params[1].type)
    assert.equal("called", entry.params[1].text)
    assert.equal("{ x: number, y: string }|nil", entry.params[2].type)
    assert.equal("count how many", entry.returns[1].text)
    assert.same({ "Does it.", "In two lines." }, entry.text)
    assert.equal("(f, o)", entry.parameters)
  end)
end)

describe("commands and history", function()
  local directory
  setup(function()
    directory = os.tmpname()
    os.remove(directory)
  end)
  teardown(function() os.execute(("rm -rf '%s'"):format(directory)) end)

  it("keeps entries of several lines in a file of mode 600", function()
    local path = directory .. "/state/tandem/history"
    assert(history.append(path, "a = 1"))
    assert(history.append(path, "for i = 1, 2 do\n  print '\\n'\nend"))
    assert.same({ "a = 1", "for i = 1, 2 do\n  print '\\n'\nend" }, history.load(path))
    local pipe = assert(io.popen(("stat -c %%a '%s' '%s'"):format(path, directory .. "/state")))
    assert.equal("600\n700\n", pipe:read "a")
    pipe:close()
    assert.is_false(history.wanted(" secret"))
    assert.is_false(history.wanted("  \n"))
  end)

  it("finds its file where the XDG rules say", function()
    local function env(values) return function(name) return values[name] end end
    assert.equal("/s/tandem/history", history.path(env { XDG_STATE_HOME = "/s", HOME = "/h" }))
    assert.equal("/h/.local/state/tandem/history", history.path(env { HOME = "/h" }))
    assert.is_nil(history.path(env {}))
  end)

  it("says why history cannot be kept", function()
    local ok, message = history.append("/proc/none/history", "x")
    assert.is_nil(ok)
    assert.truthy(message:find("^/proc/none/history: "))
  end)

  it("saves what worked and loads it again", function()
    core.files.append(directory .. "/made", "")
    local session, path = new_session(), directory .. "/saved.lua"
    session:evaluate "a = 20"
    session:evaluate "broken ="
    session:evaluate "a + 1"
    assert.truthy(commands.run(session, ":save " .. path).text:find("2 inputs", 1, true))
    local other = new_session()
    assert.is_true(commands.run(other, ":load " .. path).outcome.ok)
    assert.equal(20, other.env.a)
    assert.equal(21, other.env._)
  end)

  it("leaves Lua alone", function()
    assert.is_nil(commands.run(new_session(), "::label::"))
    assert.is_nil(commands.run(new_session(), "x = 1"))
    assert.is_true(commands.run(new_session(), ":q").quit)
    assert.is_false(commands.run(new_session(), ":lod x").outcome.ok)
  end)
end)

describe("tokens", function()
  it("cover unfinished text", function()
    local function kinds(text)
      local list = {}
      for index, token in ipairs(lexer.tokens(text)) do
        list[index] = token.kind .. (token.open and "…" or "")
      end
      return table.concat(list, " ")
    end
    assert.equal("name mark name mark string…", kinds 'a.b("x')
    assert.equal("name mark string", kinds "x = [==[ ]] ]==]")
    assert.equal("comment…", kinds "--[[ a")
    assert.equal("comment name", kinds "-- a\nb")
    assert.equal("number mark number", kinds "0x1p4..1e-3")
  end)

  it("has a clock that only goes forward", function()
    local seconds = require("tandem.core").guard.seconds
    local before = seconds()
    for _ = 1, 1000 do
      local now = seconds()
      assert.is_true(now >= before)
      before = now
    end
  end)
end)
