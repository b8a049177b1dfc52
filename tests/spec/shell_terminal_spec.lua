-- The REPL on a real terminal: `script` gives one, keys go in through a pipe, the screen's bytes
-- come back through a file. What inputs mean is tested in shell_spec.lua.
local core = require "tandem.core"

local SECONDS <const> = 30 -- to wait for what must come; sanitizers are slow

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

--- Starts `tandem repl` in a terminal of 80 columns.
local function start(directory, arguments)
  local screen = directory .. "/screen"
  os.remove(screen)
  os.remove(screen .. ".left")
  local command = ("stty cols 80 rows 24; exec env TERM=xterm LC_ALL=C.UTF-8 XDG_STATE_HOME='%s' "
    .. "'%s' repl %s"):format(directory, program, arguments or "")
  -- Keys typed after the program has left are swallowed: a broken pipe would end this process.
  local pipe = assert(io.popen(("script -qefc \"%s\" '%s' >/dev/null 2>&1; code=$?; "
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

--- Waits until `wanted` (plain text) is shown; returns how long it took, in seconds.
function Terminal:expect(wanted)
  local began = core.guard.seconds()
  while true do
    local text = self:text()
    local from, to = text:find(wanted, self.seen + 1, true)
    if from then
      self.seen = to
      return core.guard.seconds() - began, text
    elseif core.guard.seconds() - began > SECONDS then
      error(("'%s' was not shown after:\n%s"):format(wanted, text:sub(self.seen + 1)), 2)
    end
    os.execute "sleep 0.01"
  end
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
  after_each(function() os.execute(("rm -rf '%s'"):format(directory)) end)

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
      assert.is_true(terminal:expect "interrupted\n" < 2)
      terminal:expect "td> "
    end
    terminal:type "'ali' .. 've'\r"
    terminal:expect '"alive"'
    assert.equal(0, terminal:close())
  end)

  it("stops a simulation and keeps what is done", function()
    terminal:type("base = td.scenario 'long' { workload = td.poisson { rps = 100 }, "
      .. "requests = 2e9, target = td.gpu 'L40' {}, "
      .. "pipeline = { td.fixed 'a' { time = '2ms' } } }\r")
    terminal:expect "td> "
    terminal:type "io.write('beg', 'un\\n') r = base:run { replications = 1 }\r"
    terminal:expect "begun\n"
    os.execute "sleep 0.5" -- planning is over, the engine runs
    terminal:type "\3"
    assert.is_true(terminal:expect "td> " < 2)
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

  it("takes a pasted script as one input, tabs and all", function()
    terminal:type("\27[200~local a = 1\rlocal function g(x)\r\treturn x + a\rend\r"
      .. "print(g(41))\r\27[201~")
    terminal:expect "42\n"
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

  it("types characters wider than a byte", function()
    terminal:type "#'é∑'\r"
    terminal:expect "5\n"
    terminal:type "'é∑\127x'\r"
    terminal:expect '"éx"'
    terminal:close()
  end)
end)
