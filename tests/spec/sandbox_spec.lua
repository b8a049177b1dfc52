-- Loading scripts: what they may do, and how failures read.

local sandbox = require "tandem.sandbox"

local function run(text, options)
  options = options or {}
  options.text = text
  return sandbox.load_scenario("user.lua", options)
end

local function refused(text, pattern, options)
  local s, problems = run(text, options)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

local tail = [[ return td.scenario "x" { workload = td.poisson(1),
  pipeline = { td.fixed { time = 1 } } }]]
local head = [[local td = require "tandem" ]]

describe("the sandbox", function()
  it("loads a scenario", function()
    local s, problems = run(head .. tail)
    assert.equal("x", s.name)
    assert.equal(0, #problems)
  end)

  it("withholds files, clock, code loading and unseeded randomness", function()
    for text, pattern in pairs {
      ["io.open('x')"] = "'io' is not available in scenarios",
      ["os.time()"] = "'os' is not available",
      ["debug.getinfo(1)"] = "'debug' is not available",
      ["load('return 1')"] = "'load' is not available",
      ["dofile('x')"] = "'dofile' is not available",
      ["local x = math.random()"] = "math.random is not available in scenarios",
      ["require 'socket'"] = "may only require \"tandem\", not \"socket\"",
      ["getmetatable('').__index.rep = nil"] = "'getmetatable' is not available",
      ["setmetatable({}, { __gc = print })"] = "__gc and __close",
      ["local x = string.dump(print)"] = "field 'dump'",
      ["setmetatable(require 'tandem', {})"] = "no metatable yet",
    } do
      refused("\n" .. text, "user.lua:2: ")
      refused("\n" .. text, pattern)
    end
  end)

  it("is strict about globals and about td", function()
    refused("\nlocal x = undefinedd", "user.lua:2: unknown global 'undefinedd'; declare it")
    refused("\nlocal x = tostrng(1)", "did you mean 'tostring'?")
    refused("\ntd.fixed 'x' {}", "write: local td = require \"tandem\"")
    refused("\nx = 5", "user.lua:2: assignment to the global 'x'; write 'local x'")
    refused(head .. "\ntd.poison { rps = 1 }",
      "user.lua:2: td has no 'poison'; did you mean 'poisson'?")
    refused(head .. "\ntd.xqz { rps = 1 }", "td has no 'xqz'; one of abs, advice, ")
    refused(head .. "\ntd.fixed = 1", "user.lua:2: td cannot be changed")
  end)

  it("does not leak from one script to the next", function()
    refused("math.huge = 1; string.rep = nil; table.insert = nil; error 'done'", "done")
    assert.is_function(string.rep)
    assert.equal(math.huge, 1 / 0)
    assert.is_function(table.insert)
    assert.is_nil(rawget(_G, "leaked"))
  end)

  it("lists tables in sorted order, addresses are not shown", function()
    local text = head .. [[
      local keys = {}
      for k in pairs { b = 1, a = 2, c = 3, 10, 20 } do keys[#keys + 1] = tostring(k) end
      keys[#keys + 1] = tostring(next { z = 1, y = 2 })
      keys[#keys + 1] = tostring({}) .. tostring(print)
      error(table.concat(keys, " "), 0) ]]
    refused(text, "1 2 a b c y tablefunction")
  end)

  it("shows no addresses in any way", function()
    local shows = { "('%s'):format({})", "string.format('%10s', print)", "('%p'):format(print)",
      "('%-5p'):format('a')", "string.format('%s', coroutine.create(print))",
      "('%s'):format(setmetatable({}, { __name = 'N' }))", "tostring(td.fixed)",
      "tostring(td.fixed 'a' { time = print, [{}] = coroutine.create(print) })" }
    for _, show in ipairs(shows) do
      local _, problems = run(head .. ("error(%s, 0)"):format(show))
      assert.not_matches("0x%x", tostring(problems), show)
    end
    refused("error(('%p'):format('a'))", "invalid conversion '%p' to 'format'")
    local costs = { "error({})", "error(('%p'):format(r))", "error(('%s'):format({}))",
      "error(print)", "return {}", "return print" }
    for _, cost in ipairs(costs) do
      local _, problems = run(head .. ([[return td.scenario "x" { workload = td.poisson(1),
        pipeline = { td.fixed { time = function(r) %s end } } }]]):format(cost))
      assert.matches("pipeline", tostring(problems))
      assert.not_matches("0x%x", tostring(problems), cost)
    end
    for key in pairs { ["[{}]"] = 1, ["[print]"] = 2 } do
      local _, problems = run(head .. "return td.scenario 'x' { " .. key .. " = 1 }")
      assert.matches("unknown key", tostring(problems))
      assert.not_matches("0x%x", tostring(problems))
    end
  end)

  it("formats as Lua does otherwise", function()
    local own = assert(select(2, debug.getupvalue(string.format, 1)))
    local forms = { "%d", "%5.1f", "%s", "%-8s|", "%q", "%%", "%x", "%a", "%i", "%c", "%5", "%",
      "%.3s", "%y", "% d", "%+g", "a", "\0", "%010d", "%.20s", "%.99f", "%.100f", "%-+ #0123d" }
    local values = { 1, -7, 2.5, "ab", "a\0b", "", true, 1 / 0, 1e300, 65, "12" }
    math.randomseed(25)
    local same = 0
    for _ = 1, 3000 do
      local parts, given = {}, {}
      for i = 1, math.random(0, 4) do parts[i] = forms[math.random(#forms)] end
      for i = 1, math.random(0, 4) do given[i] = values[math.random(#values)] end
      local text = table.concat(parts)
      local good, wanted = pcall(own, text, table.unpack(given))
      local fine, got = pcall(string.format, text, table.unpack(given))
      assert.equal(good, fine, text)
      if good then
        assert.equal(wanted, got, text)
        same = same + 1
      end
    end
    assert.is_true(same > 300)
  end)

  it("says where a script went wrong, in one line", function()
    refused("local x =\n\n= 5", "user.lua:3: unexpected symbol near '='")
    refused("local t = nil\nlocal x = t.y", "user.lua:2: attempt to index a nil value (local 't')")
    refused("\nerror 'my own words'", "user.lua:2: my own words")
    refused("\nerror({})", "user.lua:2: raises a table instead of a message")
    refused("\nerror()", "user.lua:2: raises nil instead of a message")
    refused("return 5", "user.lua: does not return a scenario but 5")
    refused(head .. "return td.gpu 'L4'", "does not return a scenario but a td.gpu")
    refused("", "does not return a scenario but nothing; end it with `return td.scenario")
    refused("print()", "or run it as a script: tandem lua user.lua")
    refused(head .. "\nlocal t = {}\nt.t = t\nreturn td.scenario 'x' (t)",
      "user.lua:4: a table contains itself")
    refused(head .. "\n\nreturn td.scenario { x = 1 }", "user.lua:3: td.scenario wants a name")
    refused(head .. "\ntd.fixed(5)", "user.lua:2: td.fixed wants a name")
    refused("\27Lua", "user.lua: ")
    local _, problems = run("\n\n" .. head .. "\nlocal function f() return td.si 'x' end f()")
    assert.equal(1, #problems)
    assert.equal(4, problems[1].line)
    assert.is_nil(problems[1].message:find("\n"))
  end)

  it("reports a file that cannot be read as text, not as a problem", function()
    local s, message = sandbox.load_scenario "/no/such/scenario.lua"
    assert.is_nil(s)
    assert.is_string(message)
    assert.matches("cannot read /no/such/scenario.lua", message, 1, true)
  end)

  it("keeps a budget of instructions and memory", function()
    refused("while true do end", "more than 100000 instructions",
      { budget = { instructions = 100000 } })
    refused("while true do pcall(function() while true do end end) end",
      "more than 100000 instructions", { budget = { instructions = 100000 } })
    refused("local t = {} while true do t[#t + 1] = { #t } end", "bytes of memory",
      { budget = { memory_bytes = 8e6 } })
    local s = run(head .. tail, { budget = { instructions = 1e8, memory_bytes = 1e9 } })
    assert.equal("x", s.name)
    assert.is_nil((debug.gethook()))
  end)

  it("stops what is over its budget at its line, whatever it catches", function()
    local budget = { instructions = 10000000, memory_bytes = 8000000 }
    for text, message in pairs {
      ["\nlocal c = coroutine.wrap(function()\nwhile true do end\nend)\nc()"] =
        ":5: .*instructions",
      ["\nlocal p, s = ('a*'):rep(40) .. 'b', ('a'):rep(40)\nlocal x = s:find(p)"] =
        ":3: .*instructions",
      -- Some 7 M steps, of which each costs as much time as three instructions.
      ["\nlocal p, s = ('a*'):rep(7) .. 'b', ('a'):rep(20)\nlocal x = s:find(p)"] =
        ":3: .*instructions",
      ["\nlocal s = ('x'):rep(1 << 31)\nreturn #s"] = ":2: .*8000000 bytes of memory",
      ["local s = 'x'\nfor i = 1, 40 do\ns = s .. s\nend"] = ":3: .*bytes of memory",
      ["local t = {}\nwhile true do pcall(function()\n"
        .. "for i = 1, 1e9 do t[i] = { i } end end) end"] = ":3: .*bytes of memory",
      ["\nlocal c = coroutine.wrap(function() local t = {} while true do pcall(function()\n"
        .. "for i = 1, 1e9 do t[#t + 1] = { i } end end) end end)\nc()"] = ":%d: .*bytes of memory",
      ["\ncoroutine.yield(1)"] = ":2: the script yields outside a coroutine",
      ["\nlocal s, p = require 'tandem'.load('x.lua', { text = 'while true do end' }) error 'on'"] =
        ":%d: .*instructions" } do
      local value, problems = sandbox.evaluate(text, "@user.lua", { budget = budget })
      assert.is_nil(value, text)
      assert.matches("user.lua" .. message, (tostring(problems):gsub("\n", " ")))
    end
    assert.is_nil((debug.gethook()))
    assert.equal(100000000, #("x"):rep(100000000)) -- all memory is there again
    -- Garbage is none that counts, and functions of a script live on without its budget.
    local f = sandbox.evaluate("for i = 1, 20000 do local s = ('x'):rep(1000) .. i end\n"
      .. "return function() for i = 1, 2000000 do end return 7 end", "@user.lua",
      { budget = budget })
    assert.equal(7, f())
    assert.equal(3, sandbox.evaluate("return 3, 4", "@user.lua", { budget = budget }))
    assert.is_nil(sandbox.evaluate("return", "@user.lua", { budget = budget }))
  end)

  it("trusts nothing that a script loads, whatever the script says", function()
    local inner = [[os.exit(1)]]
    refused(head .. ("local s, p = td.load('x.lua', { text = %q, trusted = true })"):format(inner)
      .. "error(tostring(p))", "'os' is not available")
  end)

  it("loads only what is shipped or lies beside the script", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(require("tandem.core").files.make(folder .. "/own/below"))
    local function write(name, text)
      local file <close> = assert(io.open(folder .. "/" .. name, "wb"))
      assert(file:write(text))
    end
    write("secret.lua", "hunter2")
    write("secret.json", '{ "hunter2": 1 }')
    write("own/below/part.lua", head .. tail)
    assert(os.execute(("ln -s ../secret.lua %s/own/link.lua"):format(folder)))
    local function loaded(expression, options)
      write("own/main.lua", head .. "local made, why = " .. expression
        .. "\nif not made then error(tostring(why)) end\nreturn made")
      local made, problems = sandbox.load_scenario(folder .. "/own/main.lua", options)
      return made and made.name or tostring(problems)
    end
    for _, path in ipairs { folder .. "/secret.lua", "../secret.lua", "below/../../secret.lua",
      "link.lua", "../secret.json", "/etc/passwd", "-", "", "below" } do
      local said = loaded(("td.load(%q)"):format(path))
      assert.matches("td.load: ", said, 1, true)
      assert.is_nil(said:find("hunter2", 1, true), said)
      assert.is_nil(said:find("root:", 1, true), said)
    end
    for _, options in ipairs { "directory = '/'", "budget = {}, trusted = true" } do
      assert.matches("td.load: ", loaded(("td.load('../secret.lua', { %s })"):format(options)), 1,
        true)
    end
    local inner = head .. [[return td.scenario "y" {
      workload = td.curve { file = "../secret.lua", duration = "1s" } }]]
    assert.matches("lies outside",
      loaded(("td.load('x.lua', { directory = '/', text = %q })"):format(inner)))
    assert.equal("x", loaded "td.load 'below/part.lua'")
    assert.equal("x", loaded(("td.load(%q)"):format(folder .. "/own/below/part.lua")))
    assert.equal("demo", loaded "td.load 'demo'")
    assert(os.execute(("rm -r '%s'"):format(folder)))
  end)

  it("runs nothing while a scenario is described, or inside a run", function()
    refused(head .. ("local s = td.load('x.lua', { text = %q }) s:run { trace = 'out.json' }")
      :format(head .. tail),
      "a scenario file only describes and runs nothing")
    for _, word in ipairs { "fit", "overlay", "store", "upload", "plot" } do
      refused(head .. ("td.%s {}"):format(word), "a scenario file only describes")
    end
    local s = run(head .. [[local made
      made = td.scenario "x" { workload = td.poisson(1), requests = 2, attrs = { n = 1 },
        pipeline = { td.stage "a" { on = "cpu", cost = function(r)
          if r.n > 0 then made:run() end
          return 1e-3 end } } }
      return made]])
    local ok, result, why = pcall(s.run, s)
    assert.matches("cannot start another", tostring(ok and why or result))
    assert.is_table(run(head .. tail):run { requests = 2 })
  end)

  it("shows no compiled code and lets nothing of td be changed", function()
    refused("local f = (''):dump()" .. tail, "dump")
    refused("local f = ('').dump f(print)" .. tail, "a nil value")
    refused(head .. "td.search.random = 1" .. tail, "td.search cannot be changed")
    assert.equal("ABC", (sandbox.evaluate('return ("abc"):upper()', "@x.lua")))
  end)

  it("prints nothing that drives a terminal", function()
    local script = os.tmpname()
    local out <close> = assert(io.open(script, "wb"))
    out:write(head, 'print("a\\27]0;x\\7b\\tc", "\\u{9b}31m\\u{202e}d")', tail)
    out:close()
    local pipe = assert(io.popen(("build/tandem check %s 2>&1"):format(script)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(script)
    assert.matches("a?]0;x?b\tc\t?31m?d\n", text, 1, true)
  end)

  it("lifts the fences when trusted", function()
    local s = run("local f = os.time() + #package.path " .. head .. tail, { trusted = true })
    assert.equal("x", s.name)
  end)

  it("skips a first line for the shell and a byte-order mark", function()
    assert.equal("x", run("#!/usr/bin/env tandem\n" .. head .. tail).name)
    assert.equal("x", run("\239\187\191" .. head .. tail).name)
  end)

  it("takes bytes that are no UTF-8 as its JSON has them", function()
    local s = run(head .. [[
      return td.scenario "x" { workload = td.poisson(1), cpu = 1,
        on = { start = function(r) td.record("w]] .. "\xff" .. [[", r.waited) end },
        pipeline = { td.stage "a" { on = "cpu", cost = 1 } } }]])
    local again = assert(sandbox.load_scenario("again.json", { text = s:to_json() }))
    assert.equal(s:hash(), again:hash())
    assert.matches("w\u{FFFD}", s:to_json(), 1, true)
  end)

  it("traces costs that use math and td alike", function()
    local s = run(head .. [[
      local max = math.max
      return td.scenario "x" { workload = td.poisson(1), attrs = { n = 5 }, pipeline = {
        td.stage "a" { on = "cpu", cost = function(r)
          return max(r.n, 3) + math.floor(r.n / 2) + math.log(r.n, 2) + td.sqrt(r.n)
        end } } }]])
    assert.same({}, s.untraced)
    local cost = s:model().classes[1].route[1].cost
    assert.equal("add", cost[1])
  end)
end)

describe("memory that is short", function()
  it("is no problem of the script", function()
    local ok, raised = pcall(sandbox.evaluate, 'error "not enough memory"', "@short.lua")
    assert.is_false(ok)
    assert.equal("not enough memory", raised)
  end)
end)

describe("an allowance of instructions", function()
  local core = require "tandem.core"
  local function stopped(body, instructions)
    local text = ("for i = 1, 20000 do %s end"):format(body)
    local ok, why, line = core.allowance(assert(load(text, "=own", "t")), "=own", instructions,
      1 << 30, 0)
    if ok then return false end
    assert.equal("the script ran for more than " .. instructions
      .. " instructions (--script-limit raises this)", why)
    assert.equal(1, line)
    return true
  end

  it("counts what objects take to make, which little of the script asks for", function()
    for _, body in ipairs { "local t = {}", "local f = function() return i end",
      "coroutine.create(print)", "xpcall(error, function(m) return m .. i end, i .. '')" } do
      assert.is_true(stopped(body, 300000), body)
      assert.is_false(stopped(body, 5000000), body)
    end
    assert.is_false(stopped("local t = i * 2", 300000))
  end)

  it("ends what takes long in few instructions by the processor's time", function()
    for _, body in ipairs { "pcall(string.rep)", "local t = ('%99.99f'):format(1e300)",
      "local t = utf8.len(long)", "local t = long < other", "table.sort(list)" } do
      local text = ("local long, list = ('x'):rep(1 << 20), {} local other = long .. 'y' "
        .. "for i = 1, 5000 do list[i] = i end while true do %s end"):format(body)
      local ok, why, line = core.allowance(assert(load(text, "=own", "t")), "=own", 0, 1 << 30,
        0.01)
      assert.same({ false, "the script ran for more than 0.01 s of processor time "
        .. "(--script-limit raises this)", 1 }, { ok, why, line })
    end
  end)

  it("comes after the call that was under way when the time was up", function()
    for _, body in ipairs { "while true do n = n + 1 local _ = utf8.len(long) end",
      "while true do coroutine.wrap(function() n = n + 1 local _ = utf8.len(long) end)() end",
      "while true do pcall(coroutine.wrap(function() while true do n = n + 1 "
        .. "pcall(utf8.len, long) end end)) end" } do
      local wrap, calls = coroutine.wrap, { n = 0, long = ("x"):rep(1 << 24) }
      local function known(_, name) return calls[name] or _G[name] end
      local own = setmetatable({ coroutine = { wrap = core.guard.wrap } },
        { __index = known, __newindex = calls })
      local ok, why = core.allowance(assert(load(body, "=own", "t", own)), "=own", 0, 1 << 30, 0.02)
      assert.is_false(ok)
      assert.matches("more than 0.02 s of processor time", why, 1, true)
      assert.is_true(calls.n < 100, calls.n) -- a thousand instructions are 150 calls and more
      assert.equal(wrap, coroutine.wrap)
    end
  end)

  it("stops handlers of xpcall, sets of patterns and sorts that are nothing but long", function()
    for _, body in ipairs {
      "local function f() while true do end end while true do xpcall(f, f) end",
      "local _ = ('a'):rep(10000):find('[' .. ('b-c'):rep(100000) .. ']*$x')",
      "local _ = ('a'):rep(1000000):find('%f[' .. ('b-c'):rep(100000) .. ']x')",
      "table.sort(setmetatable({}, { __len = function() return 1 << 30 end }), rawequal)" } do
      local ok, why, line, met = core.allowance(assert(load(body, "=own", "t")), "=own", 10000000,
        1 << 30, 0)
      assert.same({ false, "the script ran for more than 10000000 instructions "
        .. "(--script-limit raises this)", 1, true }, { ok, why, line, met }, body)
    end
  end)

  it("tells of one call in its own words", function()
    local ok, why = core.allowance(function() while true do end end, "=x", 10000, 0, 0, "one call")
    assert.same({ false, "one call ran for more than 10000 instructions" }, { ok, why })
  end)
end)

describe("xpcall", function()
  it("is Lua's, wherever no hook raised", function()
    assert.same({ true, 1, nil, 3 }, { xpcall(function(...) return ... end, print, 1, nil, 3) })
    local function said(message) return "said: " .. message end
    assert.same({ false, "said: no" }, { xpcall(error, said, "no") })
    assert.matches("stack traceback", select(2, xpcall(error, debug.traceback, "x")), 1, true)
    assert.is_false((xpcall(error, error, "x"))) -- a handler that fails
    assert.is_false((pcall(xpcall, print)))
    local co = coroutine.wrap(function() return xpcall(coroutine.yield, print, 1) end)
    assert.equal(1, co())
    assert.same({ true, 2 }, { co(2) })
  end)
end)

describe("what a script says of itself", function()
  it("is cut where it is long", function()
    for _, text in ipairs { "error(('x\\n'):rep(1e6))", "td[('x'):rep(1e6)] = 1",
      "local _ = _G[('é'):rep(1e6)]", "return td.scenario 'x' { [('x'):rep(1e6)] = 1 }" } do
      local _, problems = run(head .. text)
      local said = tostring(problems[1])
      assert.matches("user.lua:1: ", said, 1, true)
      assert.matches("… %(%d+ bytes%)", said)
      assert.is_true(#said < 4000, #said)
      assert.truthy(utf8.len(said))
      assert.falsy(said:find("\n", 1, true))
    end
  end)

  it("has its line where a table was raised", function()
    refused("\n\nerror(setmetatable({}, { __tostring = function() while true do end end }))",
      "user.lua:3: raises a table instead of a message")
  end)
end)
