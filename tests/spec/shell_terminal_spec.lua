-- The REPL on a real terminal: `script` gives one, keys go in through a pipe, the screen's bytes
-- come back through a file. What inputs mean is tested in shell_spec.lua.
local core = require "tandem.core"

local SECONDS <const> = 300 -- to wait for what must come, on however busy a machine

-- The program under test is the one that runs this spec.
local program = io.popen("readlink /proc/$PPID/exe"):read "l"

local Terminal = {}
Terminal.__index = Terminal

local function new_directory()
  local directory = os.tmpname()
  os.remove(directory)
  assert(os.execute("mkdir " .. directory))
  return directory
end

--- Starts `tandem repl` in a terminal of 80 columns, its history and its runs in a directory.
local function start(directory, arguments)
  local screen = directory .. "/screen"
  os.remove(screen)
  os.remove(screen .. ".left")
  local command = ("stty cols 80 rows 24; exec env TERM=xterm LC_ALL=C.UTF-8 XDG_STATE_HOME='%s' "
    .. "TANDEM_STORE='%s/runs.db' EDITOR='%s/editor' '%s' repl %s"):format(directory, directory,
    directory, program, arguments or "")
  -- Keys typed after the program has left are swallowed: a broken pipe would end this process. One
  -- that does not leave is ended, and its exit code tells.
  local pipe = assert(io.popen(("timeout 900 script -qefc \"%s\" '%s' >/dev/null 2>&1; code=$?; "
    .. ": >'%s.left'; cat >/dev/null; exit $code"):format(command, screen, screen), "w"))
  pipe:setvbuf "no"
  return setmetatable({ pipe = pipe, screen = screen, seen = 0 }, Terminal)
end

--- What was shown since the last expect(), without escape sequences.
function Terminal:text()
  local file = io.open(self.screen, "rb")
  local all = file and file:read "a" or ""
  if file then file:close() end
  local text = all:gsub("\27%[[%d;?]*%a", ""):gsub("\r", "")
  return text
end

function Terminal:type(keys) self.pipe:write(keys) end

--- Waits until `wanted` (plain text) is shown.
function Terminal:expect(wanted)
  local began = core.guard.seconds()
  while true do
    local text = self:text()
    local from, to = text:find(wanted, self.seen + 1, true)
    if from then
      self.seen = to
      return
    elseif core.guard.seconds() - began > SECONDS then
      error(("'%s' was not shown after:\n%s"):format(wanted, text:sub(self.seen + 1)), 2)
    end
    os.execute "sleep 0.01"
  end
end

--- Types a line, waits for the next prompt, and returns what was shown in between.
function Terminal:answer(line)
  local before = self.seen
  self:type(line .. "\r")
  self:expect("\ntd> ")
  local text = self:text():sub(before + 1, self.seen)
  return text:match "^[^\n]*\n(.*)\ntd> $" or ""
end

--- Leaves. A Ctrl-D that comes while the REPL works, when the terminal is in its plain mode, ends
--- no input: it is typed until somebody is there.
function Terminal:close()
  local began = core.guard.seconds()
  local left
  repeat
    self:type "\4"
    os.execute "sleep 0.1"
    left = io.open(self.screen .. ".left")
  until left or core.guard.seconds() - began > SECONDS
  if left then left:close() end
  local _, _, code = self.pipe:close()
  self.closed = true
  return code
end

local edits = core.features().libedit

-- A bare root without /dev/pts has no terminals to give; the specs are then pending, not passed.
local has_terminals = os.execute("script -qec true /dev/null >/dev/null 2>&1 </dev/null")
local it = has_terminals and it or function(name) -- luacheck: ignore it
  pending(name .. " (this machine gives no pseudo-terminals)", function() end)
end

describe("the REPL on a terminal", function()
  if not edits then return end -- built without libedit: lines are read plainly, see tests/cli
  local directory, terminal
  before_each(function()
    directory = new_directory()
    terminal = start(directory)
    terminal:expect "td> "
  end)
  after_each(function()
    if not terminal.closed then terminal:close() end -- the spec failed
    os.execute(("rm -rf '%s'"):format(directory))
  end)

  it("evaluates, completes, and leaves on Ctrl-D", function()
    terminal:type "6 * 7\r"
    terminal:expect "42\n"
    terminal:type "td.expon\t"
    terminal:expect "td.exponential"
    terminal:type "{ me\t'1ms' }\r"
    terminal:expect 'td.exponential { mean = "1ms" }'
    terminal:type "td.gpu 'L4\t\t"
    terminal:expect "L40S"
    terminal:type "\3"
    terminal:expect "^C"
    assert.equal(0, terminal:close())
  end)

  it("stops Lua that runs for ever, also in coroutines and behind pcall", function()
    for _, code in ipairs { "while true do end",
      "coroutine.wrap(function() while true do end end)()",
      "while true do pcall(function() while true do end end) end" } do
      terminal:type("io.write('beg', 'un\\n') " .. code .. "\r")
      terminal:expect "begun\n"
      terminal:type "\3"
      terminal:expect "interrupted\n"
      terminal:expect "td> "
    end
    terminal:type "'ali' .. 've'\r"
    terminal:expect '"alive"'
    assert.equal(0, terminal:close())
  end)

  it("stops a simulation and keeps what is done", function()
    terminal:type("base = td.scenario 'long' { workload = td.poisson { rps = 100 }, "
      .. "requests = 2e9, target = td.gpu 'L40' {}, on = { arrival = function(r) "
      .. "if r.id == 1000 then print('beg' .. 'un') end end }, "
      .. "pipeline = { td.fixed 'a' { time = '2ms' } } }\r")
    terminal:expect "td> "
    terminal:type "r = base:run { replications = 1 }\r"
    terminal:expect "begun\n"
    terminal:type "\3"
    terminal:expect "interrupted; what was done by then is kept\ntd> "
    terminal:type "'stopped: ' .. tostring(r.interrupted), r.requests > 0\r"
    terminal:expect '"stopped: true"\ntrue\n'
    assert.equal(0, terminal:close())
  end)

  it("clears the line on Ctrl-C", function()
    terminal:type "print 'lost"
    terminal:expect "'lost"
    terminal:type "\3"
    terminal:expect "td> "
    terminal:type "'ke' .. 'pt'\r"
    terminal:expect '"kept"'
    terminal:type "for i = 1, 2 do\r"
    terminal:expect " .. "
    terminal:type "\3"
    terminal:expect "td> "
    assert.equal(0, terminal:close())
  end)

  it("leaves on a Ctrl-D that follows one from before the line was read", function()
    terminal:type "'ali' .. 've'\0\r" -- such a one arrives as NUL
    terminal:expect '"alive"'
    terminal:expect "td> "
    terminal:type "\0\4"
    assert.equal(0, terminal:close())
  end)

  it("takes a pasted script as one input, tabs and all", function()
    terminal:type("\27[200~local a = 1\rlocal function g(x)\r\treturn x + a\rend\r"
      .. "print(g(41))\r\27[201~")
    terminal:expect "42\n"
    assert.is_nil(terminal:text():find("\a", 1, true)) -- no bell for the tab
    terminal:expect "note: `local a` ends with its input"
    assert.equal(0, terminal:close())
    -- One entry of history, which the next session brings back whole.
    terminal = start(directory)
    terminal:expect "td> "
    terminal:type "\27[A\r"
    terminal:expect "42\n"
    terminal:close()
    local pipe = assert(io.popen(("stat -c %%a '%s/tandem/history'"):format(directory)))
    assert.equal("600\n", pipe:read "a")
    pipe:close()
    local count = 0
    for _ in io.lines(directory .. "/tandem/history") do count = count + 1 end
    assert.equal(1, count)
  end)

  it("goes on until an input is complete, and keeps the last value", function()
    terminal:type "x = { 1,\r"
    terminal:expect " .. "
    terminal:type "math.mi\t"
    terminal:expect "math.min"
    terminal:type "(7, 8) }\r"
    terminal:expect "td> "
    assert.equal("{ 1, 7 }", terminal:answer "x")
    assert.equal("8", terminal:answer "_[1] + _[2]")
    assert.equal("9", terminal:answer "_ + 1")
    assert.equal("", terminal:answer "y = 3") -- a statement shows nothing
    assert.equal("9", terminal:answer "_")
    assert.equal(0, terminal:close())
  end)

  it("explains names, asked from either side", function()
    local told = terminal:answer "?td.delay"
    assert.truthy(told:find('td.delay "name" { … }', 1, true), told)
    assert.equal(told, terminal:answer "td.delay?")
    assert.truthy(terminal:answer(":help"):find(":quit", 1, true))
    assert.equal(0, terminal:close())
  end)

  it("completes names of the catalogue, files, runs and parts of a result", function()
    terminal:answer "base = td.load 'demo'; r = base:run { replications = 2, duration = '5s' }"
    terminal:answer ("s = td.store(); base:run { replications = 1, store = s.path }; "
      .. "for row in s:query 'SELECT id FROM run' do id = row.id end")
    for _, one in ipairs { { "td.llm 'Llama-3.2\t", "td.llm 'Llama-3.2-3B'" },
      { "td.load 'copy-b\t", "td.load 'copy-bound'" },
      { "io.open 'tests/spec/shell_t\t", "'tests/spec/shell_terminal_spec.lua'" },
      { "r:get 'latency.p90\t", "'latency.p90" },
      { "r:plot 'time\t", "'timeline'" },
      { "base:bot\3r:bot\t", "r:bottleneck(" },
      { "base:with { dura\t", "duration = " },
      { "td.gpu 'L40' { discip\t'li\t", "discipline = 'lifo'" },
      { "s:run 'la\t", "s:run 'last'" } } do
      terminal:type(one[1])
      terminal:expect(one[2])
      terminal:type "\3"
      terminal:expect "td> "
    end
    local id = terminal:answer("id"):match '"(%x+)"'
    terminal:type("s:run '" .. id:sub(1, 3) .. "\t")
    terminal:expect("s:run '" .. id .. "'")
    terminal:type "\3"
    assert.equal(0, terminal:close())
  end)

  it("shows values by their kind, within the terminal", function()
    terminal:answer "r = td.load('demo'):run { replications = 2, duration = '5s' }"
    local styles = require "tandem.plot.style"
    for value, wanted in pairs { r = "Where the time goes", ["r.stages"] = "preprocess",
      ["r.histogram"] = "█", ["r.series"] = "L40 gpu utilization │",
      ["r.series.in_system"] = "-- 64 numbers,", ["r:table 'resources'"] = "L40 h2d",
      ["r:plot 'timeline'"] = "GPU", ["r.carried_rps"] = "±", td = " poisson," } do
      local told = terminal:answer(value)
      assert.truthy(told:find(wanted, 1, true), told)
      for line in told:gmatch "[^\n]+" do
        assert.is_true(styles.columns(line) <= 80, line)
      end
    end
    assert.equal(0, terminal:close())
  end)

  it("says where errors are in the person's own lines, and that locals end", function()
    terminal:type "function f(a)\r  return a.b.c\rend\r"
    terminal:expect "td> "
    local told = terminal:answer "f {}"
    assert.truthy(told:find("attempt to index a nil value (field 'b')", 1, true), told)
    assert.truthy(told:find("input 1, line 2: return a.b.c", 1, true), told)
    assert.equal("note: `local z` ends with its input; write `z = …` to keep it",
      terminal:answer "local z = 1")
    assert.equal("nil", terminal:answer "z")
    assert.equal(0, terminal:close())
  end)

  it("times, saves, loads, edits and quits", function()
    assert.matches("^3\ntook [%d.]+ %S*s$", terminal:answer ":time 1 + 2")
    terminal:answer "a = 40"
    local path = directory .. "/saved.lua"
    assert.equal("2 inputs written to " .. path, terminal:answer(":save " .. path))
    terminal:answer "a = 0"
    terminal:answer(":load " .. path)
    assert.equal("40", terminal:answer "a")
    local editor = assert(io.open(directory .. "/editor", "w"))
    editor:write "#!/bin/sh\nsed -i s/a/a+1/ \"$1\"\n"
    editor:close()
    os.execute(("chmod +x '%s/editor'"):format(directory))
    assert.equal("41", terminal:answer ":edit")
    assert.truthy(terminal:answer(":load copy-bound"):find("bound to `scenario`", 1, true))
    assert.truthy(terminal:answer(":load tests/spec/shel.lua"):find("cannot read", 1, true))
    terminal:type ":quit\r"
    assert.equal(0, terminal:close())
  end)

  it("stops a query", function()
    terminal:type("io.write('beg', 'un\\n') for r in td.store():query 'WITH RECURSIVE c(n) AS "
      .. "(SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c' do end\r")
    terminal:expect "begun\n"
    terminal:type "\3"
    terminal:expect "interrupted\n"
    assert.equal('"alive"', terminal:answer "'ali' .. 've'")
    assert.equal(0, terminal:close())
  end)

  it("types characters wider than a byte", function()
    terminal:type "#'é∑'\r"
    terminal:expect "5\n"
    terminal:type "'é∑\127x'\r"
    terminal:expect '"éx"'
    terminal:close()
  end)
end)
