-- Captures of CUDA programs: the file's records as every analysis sees them, and the commands that
-- make and follow one. The program that is traced is tests/capture/made.lua, which writes what the
-- libraries would.
local cli = require "tandem.cli"
local consoles = require "tandem.cli.console"
local fixture = require "tests.spec.support.store_fixture"
local made = dofile "tests/capture/made.lua"
local td = require "tandem"

local PROGRAM <const> = os.getenv "PROGRAM" or "build/tandem"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

-- A capture of five requests in the store.
local function captured()
  made.write(files:path "x.tdmc", 5)
  local out, err, code = files:tandem("import", files:path "x.tdmc")
  assert.equal("", err)
  assert.equal(0, code)
  return out
end

local function with_run(work)
  local store <close> = assert(td.store(files:path "a.db"))
  return work(assert(store:run "last"))
end

-- tandem capture OPTIONS -- the program doing `what`, silently.
local function capture(options, what)
  local words = { "capture", "--store", files:path "a.db" }
  table.move(options, 1, #options, #words + 1, words)
  words[#words + 1] = "sh"
  words[#words + 1] = "-c"
  words[#words + 1] = what
  local console = consoles.of_strings { unicode = true }
  local code = cli.main(words, console)
  return console.out, console.err, code
end

local function traced(what)
  return ("%s lua tests/capture/made.lua %s >/dev/null"):format(PROGRAM, what)
end

describe("a program that is captured", function()
  it("has the environment of its caller, each variable once", function()
    local seen = files:path "environment"
    capture({}, ("env -0 > %s"):format(seen))
    local file <close> = assert(io.open(seen, "rb"))
    local values, ours = {}, 0
    for name, value in file:read("a"):gmatch "([^=%z]+)=([^%z]*)%z" do
      assert.is_nil(values[name], name)
      values[name] = value
      ours = ours + (os.getenv(name) == value and 1 or 0)
    end
    assert.equal(os.getenv "PATH", values.PATH)
    assert.is_true(ours >= 3, ours) -- what the shell sets itself, or what is put in place, is not
    local other = false -- what the libraries are told
    for name, value in pairs(values) do other = other or os.getenv(name) ~= value end
    assert.is_true(other)
  end)
end)

describe("a capture", function()
  it("is found by its content", function()
    assert.matches("x%.tdmc +tandem%-capture +131 ", captured())
  end)

  it("joins launches with their kernels", function()
    captured()
    with_run(function(run)
      local rows = run:kernels():rows()
      assert.equal(2, #rows)
      assert.equal("gemm", rows[1].name)
      assert.equal(30, rows[1].calls or rows[1].count)
      local launches = run:launches()
      assert.same({}, launches.cannot)
    end)
  end)

  it("tells phases with their bytes", function()
    captured()
    with_run(function(run)
      local by_phase = {}
      for _, row in ipairs(run:phases():rows()) do by_phase[row.phase] = row end
      assert.equal(256 << 20, by_phase.weight_load.to_gpu_bytes)
      assert.equal(256 << 20, by_phase.weight_load.allocated_bytes)
      assert.equal(40, by_phase.execute.launches)
      assert.equal(5 * 1024, by_phase.retrieve.from_gpu_bytes)
      assert.equal(40000400, by_phase.init.total_ns)
    end)
  end)

  it("tells bursts of launches, how busy the GPU is, and how fast weights came", function()
    captured()
    with_run(function(run)
      local answer = run:phases()
      local row = answer:frame("execution").rows[1]
      assert.same({ 40, 5, 8.0, 3400 }, { row.launches, row.bursts, row.launches_per_burst,
        row.between_ns })
      -- Kernels of 0.1 … 0.8 ms one after another, five times: 18 ms, with copies of 85 µs.
      assert.is_true(row.gpu_ns > 18000000 and row.gpu_ns < 18100000)
      local load = answer:filtered { phase = "weight_load" }.rows[1]
      -- 64 MiB in 4.8995 ms each
      assert.is_true(math.abs(load.to_gpu_bytes_per_s / ((64 << 20) / 4.8995e-3) - 1) < 1e-6)
    end)
  end)

  it("is drawn as a line for each phase", function()
    captured()
    with_run(function(run)
      local text = run:phases():report(require("tandem.plot.style").new { unicode = true })
      assert.matches("^infer %(4242%)\n  init +[^\n ]+\n  weight load +[^\n ]+\n  input +", text)
      assert.matches("\n  GPU busy +[^\n]+\n +0 +89%.2 ms\n", text)
    end)
  end)

  it("counts each allocation once, though its call says it too", function()
    captured()
    with_run(function(run)
      local answer = run:memory()
      assert.same({}, answer.cannot)
      local rows = answer:rows()
      assert.equal(1, #rows)
      assert.equal("NVIDIA H100 #0", rows[1].device)
      assert.equal(256 << 20, rows[1].peak_bytes)
      assert.equal(0, rows[1].never_freed)
    end)
  end)

  it("has ranges whose kernels are theirs", function()
    captured()
    with_run(function(run)
      local rows = run:ranges():rows()
      assert.equal(1, #rows)
      assert.equal("request", rows[1].name)
      assert.equal(2, #run:range_kernels():rows())
    end)
  end)

  it("gives sensible answers without records of the GPU", function()
    local host = made.inference(1000000000, 3)
    files:write("host.tdmc", made.header { start_ns = 1000000000, chunks = 1 }
      .. made.chunk(1, 2, host))
    local _, err, code = files:tandem("import", files:path "host.tdmc")
    assert.equal("", err)
    assert.equal(0, code)
    with_run(function(run)
      assert.equal(24, run:phases():filtered { phase = "execute" }.rows[1].launches)
      assert.is_true(#run:api():rows() > 0)
      assert.is_true(run:kernels():abstains())
    end)
  end)

  it("that ends in its header is refused in one line", function()
    local path = files:write("cut.tdmc", made.header({}):sub(1, 900))
    local _, err, code = files:tandem("import", path)
    assert.equal(3, code)
    assert.matches("ends within its header: nothing was captured\n$", err)
  end)

  it("of another version is refused in one line", function()
    local path = files:write("new.tdmc", "TANDEMC1\3\0\0\0" .. ("\0"):rep(5000))
    local _, err, code = files:tandem("import", path)
    assert.equal(3, code)
    assert.matches("is a capture of version 3; this tandem reads versions up to 2\n$", err)
  end)
end)

describe("tandem capture", function()
  it("keeps what the program did, and says it", function()
    local out, err, code = capture({ "--name", "five", "--tag", "x" }, traced "infer")
    assert.equal("", out)
    assert.equal(0, code)
    assert.matches("captured sh %-c .-\nkept as %x+ in ", err)
    assert.matches("\n  calls +64 ", err)
    assert.matches("\n  kernels +40 ", err)
    assert.matches("\n  lost +0\n", err)
    assert.matches("weight load .- 256 MiB copied", err)
    with_run(function(run)
      assert.equal("five", run.name)
      assert.equal("complete", run.state)
      assert.same({ "x" }, run.tags)
      assert.equal(131, run.span_count)
    end)
    assert.is_nil(td.store and io.open(files:path "a.db.captures"))
  end)

  it("records a program that goes elsewhere, whatever the path of the store", function()
    local pipe <close> = assert(io.popen("realpath --relative-to=. " .. files.directory))
    local above = pipe:read "l" .. "/a.db"
    local console = consoles.of_strings()
    local program = ("here=$PWD; program=$(realpath %s); cd / && $program lua "
      .. "$here/tests/capture/made.lua >/dev/null"):format(PROGRAM)
    assert.equal(0, cli.main({ "capture", "--store", above, "sh", "-c", program }, console))
    assert.matches("\n  calls +64 ", console.err)
  end)

  it("leaves with the program's code, and keeps the run", function()
    local _, err, code = capture({}, traced "infer" .. "; exit 7")
    assert.equal(7, code)
    assert.matches("it ended with exit code 7\nkept as ", err)
    with_run(function(run) assert.equal("complete", run.state) end)
  end)

  it("keeps what there was when the program is killed", function()
    local _, err, code = capture({}, traced "infer" .. "; kill -9 $$")
    assert.equal(137, code)
    assert.matches("it was ended by SIGKILL\nkept as ", err)
    with_run(function(run) assert.equal("interrupted", run.state) end)
  end)

  it("says that a program used no CUDA, and keeps nothing", function()
    local _, err, code = capture({}, "true")
    assert.equal(1, code)
    assert.matches("^tandem capture: sh used no CUDA: .-; nothing is kept\n$", err)
    local out = files:tandem "runs"
    assert.not_matches("measured", out)
  end)

  it("says that a program has lost its way to the file", function()
    local _, err, code = capture({}, traced "lost")
    assert.equal(1, code)
    assert.matches("^tandem capture: sh lost its way to the capture file before its first record "
      .. "%(Permission denied%): .-; nothing is kept\n$", err)
    _, err, code = capture({}, traced "infer" .. "; " .. traced "lost")
    assert.equal(0, code)
    assert.matches("\n  Records are missing: a process lost its way to the capture file "
      .. "%(Permission denied%)\n", err)
  end)

  it("says why a program cannot be run", function()
    for program, why in pairs { ["./no/such"] = "there is no such program",
      ["/etc/passwd"] = "it is not executable, or a directory" } do
      local console = consoles.of_strings()
      local code = cli.main({ "capture", "--store", files:path "a.db", program }, console)
      assert.equal(4, code)
      assert.equal(("tandem capture: cannot run %s: %s\n"):format(program, why), console.err)
    end
  end)

  it("runs nothing where no store can be", function()
    local console = consoles.of_strings()
    assert.equal(4, cli.main({ "capture", "--store", files:path "no/such/a.db", "sh", "-c",
      "echo this is not to be seen >&2" }, console))
    assert.matches("^tandem capture: no store can be at .-: No such file or directory\n$",
      console.err)
    assert.is_nil(io.open(files:path "no"))
  end)

  it("says what it is about a program that nothing can be put into", function()
    local program = require "tandem.capture.program"
    -- An ELF file with one program header, which is none of an interpreter.
    local static = files:write("static", "\127ELF\2\1\1" .. ("\0"):rep(9)
      .. string.pack("<I2I2I4i8i8i8I4I2I2I2I2I2I2", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
      .. string.pack("<I4", 1) .. ("\0"):rep(52))
    assert.matches("is linked statically", program.obstacle(static))
    assert.is_nil(program.obstacle "sh")
    assert.is_nil(program.obstacle "nosuchprogram")
  end)

  it("writes the run in the format of --output, or the raw file", function()
    local _, err = capture({ "-o", files:path "x.json" }, traced "infer")
    assert.matches("written to .-x%.json\n$", err)
    assert.matches('"traceEvents"', assert(io.open(files:path "x.json")):read "a")
    capture({ "-o", files:path "raw.tdmc" }, traced "infer")
    assert.equal("TANDEMC1", assert(io.open(files:path "raw.tdmc")):read(8))
  end)

  it("leaves no zeroes in a raw file that it keeps", function()
    capture({ "-o", files:path "raw.tdmc" }, traced "infer")
    local raw = files:path "raw.tdmc"
    local pipe <close> = assert(io.popen(("stat -c '%%s %%b %%B' %s"):format(raw)))
    local size, blocks, unit = pipe:read("n", "n", "n")
    assert.equal(4096 + 2 * (1 << 18), size) -- a header and two chunks with little in them
    assert.is_true(blocks * unit < size / 4)
    local out, err, code = files:tandem("import", raw, "--name", "again")
    assert.equal("", err)
    assert.equal(0, code)
    assert.matches("raw%.tdmc +tandem%-capture +131 ", out)
  end)

  it("names what a tandem that was killed has left", function()
    local directory = require("tandem.capture.files").directory(files:path "a.db")
    os.execute("mkdir " .. directory)
    made.write(directory .. "/20260101-000000.000000-old.tdmc")
    local _, err = capture({}, "true")
    assert.matches("^a capture of a tandem that was cut short: tandem import .-old%.tdmc reads it",
      err)
  end)

  for name, case in pairs {
    ["--record"] = { "api,gpus", "cannot be 'gpus'; did you mean 'gpu'%?" },
    ["--delay"] = { "3", "%-%-delay wants a time such as 1.5s, not '3'" },
    ["--limit"] = { "1KiB", "%-%-limit wants at least 1MiB" },
    ["--output"] = { "x.foo", "its ending names no format" },
  } do
    it("refuses a wrong " .. name, function()
      local _, err, code = capture({ name, case[1] }, "true")
      assert.equal(2, code)
      assert.matches(case[2], err)
    end)
  end

  it("leaves options behind the program to it", function()
    local console = consoles.of_strings()
    local code = cli.main({ "capture", "--store", files:path "a.db", "test", "--help", "=",
      "--help" }, console)
    assert.equal(1, code)
    assert.matches("test used no CUDA", console.err)
  end)
end)

describe("tandem watch", function()
  it("tells what was recorded, once", function()
    made.write(files:path "x.tdmc", 5)
    local out, err, code = files:tandem("watch", files:path "x.tdmc", "--once")
    assert.equal(0, code)
    assert.matches("calls .- kernels .- copies HtoD .- GPU 0 0 B in use %(most 256 MiB%)", out)
    assert.matches("^131? ?records?, 516 KiB\n$", (err:gsub("^%d+", "131")))
  end)

  it("draws rates, the calls and kernels that take the most time", function()
    made.write(files:path "x.tdmc", 5)
    local one = assert(require("tandem.capture.live").open(files:path "x.tdmc"))
    assert.is_true(one:look())
    local lines = one:lines(require("tandem.plot.style").new { unicode = true })
    local text = table.concat(lines, "\n")
    assert.matches("^%./infer model%.bin\n  89%.2 ms · execution · 1 process · 516 KiB\n", text)
    assert.matches("\n  calls +times +time\n  cuInit +1 +40 ms\n", text)
    assert.matches("\n  kernels +times +time\n  gemm +30 +12 ms\n  softmax +10 +6 ms$", text)
    one:close()
  end)

  it("ends with the capture", function()
    made.write(files:path "x.tdmc", 5)
    local _, err, code = files:tandem("watch", files:path "x.tdmc")
    assert.equal(0, code)
    assert.matches("^the capture has ended: ", err)
  end)

  it("says that none is running", function()
    local _, err, code = files:tandem "watch"
    assert.equal(3, code)
    assert.matches("no capture is running %(none in .-a%.db%.captures%)", err)
  end)

  it("refuses what is no capture", function()
    local _, err, code = files:tandem("watch", files:write("text", ("x"):rep(9000)))
    assert.equal(3, code)
    assert.matches("is not a capture file\n$", err)
  end)
end)

-- A new capture of the store a.db, as the command makes it; `before` is called ere it is made.
local function new_capture(before)
  local plan = { argv = { "x" }, wanted = 31, limit = 0 }
  return require("tandem.capture.files").new(files:path "a.db", "x", 1767225600000000000,
    function(path)
      if before then before(path) end
      return require("tandem.capture.record").make(plan, path)
    end)
end

describe("captures into one store at once", function()
  local capture_files = require "tandem.capture.files"

  it("are all kept, and none is taken for a leftover", function()
    local one = ("%s capture --store %s -- %s"):format(PROGRAM, files:path "a.db", traced "infer")
    local script = files:write("all.sh", ("for i in $(seq 12); do (%s 2>%s.$i; echo $? >%s.$i) & "
      .. "done; wait"):format(one, files:path "said", files:path "code"))
    for round = 1, 3 do
      assert(os.execute("sh " .. script))
      for i = 1, 12 do
        local said = assert(io.open(files:path("said." .. i))):read "a"
        assert.not_matches("cut short", said)
        assert.matches("\n  calls +64 ", said)
        assert.equal("0\n", assert(io.open(files:path("code." .. i))):read "a")
      end
      local store <close> = assert(td.store(files:path "a.db"))
      local count = 0
      for row in store:query "SELECT count(*) AS spans FROM span GROUP BY run" do
        assert.equal(131, row.spans)
        count = count + 1
      end
      assert.equal(12 * round, count)
    end
    assert.is_nil(io.open(files:path "a.db.captures"))
  end)

  it("have a file each that is theirs from its first byte on until they close it", function()
    local session <close>, path = new_capture()
    assert.same({}, capture_files.left(files:path "a.db"))
    assert.equal(4096, require("tandem.core").files.size(path))
    made.write(path) -- now with records
    session:stop()
    assert.same({}, capture_files.left(files:path "a.db"))
    session:close()
    assert.same({ path }, capture_files.left(files:path "a.db"))
  end)

  it("remove what a tandem that was killed has left without a record", function()
    local session, path = new_capture()
    session:close()
    assert.same({}, capture_files.left(files:path "a.db"))
    assert.is_nil(io.open(path))
  end)

  it("begin though another removes the directory, or has the name", function()
    local times = 0
    local session <close>, path = new_capture(function(at)
      times = times + 1
      if times == 1 then capture_files.remove(at) end -- the last one of another tandem
    end)
    assert.is_userdata(session)
    local second <close>, beside = new_capture()
    assert.is_userdata(second)
    assert.is_true(path < beside)
  end)
end)

describe("signals to tandem capture", function()
  for _, name in ipairs { "INT", "QUIT", "TERM", "HUP", "USR1", "USR2", "ALRM", "WINCH", "CONT" } do
    it("are handed on to the program: " .. name, function()
      local program = files:write("program.sh", ("trap 'echo %s came; exit 7' %s; %s; "
        .. "kill -%s $PPID; for i in $(seq 6000); do sleep 0.05; done"):format(name, name,
        traced "infer", name))
      local _, _, code = os.execute(("env --default-signal %s capture --store %s -- sh %s >%s "
        .. "2>%s"):format(PROGRAM, files:path "a.db", program, files:path "out",
        files:path "err"))
      assert.equal(7, code)
      assert.equal(name .. " came\n", assert(io.open(files:path "out")):read "a")
      assert.matches("it ended with exit code 7\nkept as ",
        assert(io.open(files:path "err")):read "a")
    end)
  end
end)

describe("a program's rights", function()
  local privileged = require("tandem.core").capture.privileged

  it("are its own when its owner or group is another than ours", function()
    local path = files:path "program"
    assert(io.open(path, "w")):close()
    assert.is_false(privileged(path))
    assert(os.execute("chmod 6755 " .. path))
    assert.is_false(privileged(path))
    -- Only root may give files away, and then the bits are gone.
    if io.popen("id -u"):read "n" ~= 0 then return end
    for _, owner in ipairs { "1:0", "0:1" } do
      assert(os.execute(("chown %s %s && chmod 6755 %s"):format(owner, path, path)))
      assert.is_true(privileged(path))
    end
    assert(os.execute(("chmod 2755 %s && chown 1:0 %s && chmod 2755 %s"):format(path, path, path)))
    assert.is_false(privileged(path))
  end)
end)
