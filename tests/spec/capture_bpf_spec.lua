-- Tracing with bpftrace (lib/capture): what its programs print is read with the right counts, they
-- parse, and, where this machine lets probes be set, they count the calls of a process on the fake
-- driver of tests/capture. What cannot be had here is pending, with a word.
local fixture = require "tests.spec.support.store_fixture"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- What a command prints, both ways, and how it ended.
local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  local _, how, code = pipe:close()
  return text, how == "exit" and code or -1
end

local function has(command) return select(2, run("command -v " .. command)) == 0 end

-- The records that a program can print, one of each of its formats, as often as told: bpftrace's
-- own formats with values of their kinds.
local function printed(path, times)
  local lines = {}
  for format in read(path):gmatch 'printf%("(.-[^\\])"' do
    format = format:gsub('\\"', '"'):gsub("\\n", "\n")
    for i = 1, times do
      local name = "uretprobe:/usr/lib/libcuda.so.1:cuMemcpyHtoD_v2"
      if format:find '"grid"' then name = "uretprobe:/usr/lib/libcuda.so.1:cuLaunchKernel" end
      if format:find '"ioctl"' then name = "kretprobe:nvidia_unlocked_ioctl" end
      local values = { ts_ns = 1000000 * (#lines + 1), duration_ns = 5000, pid = 10, tid = 10 + i,
        ret = 0, bytes = 4096, cmd = 70 }
      local line = format:gsub('"([%w_]+)":%%llu', function(key)
        return ('"%s":%d'):format(key, values[key])
      end):gsub('"([%w_]+)":%%d', function(key) return ('"%s":%d'):format(key, values[key]) end)
        :gsub('"comm":"%%s"', '"comm":"python"'):gsub('"name":"%%s"', '"name":"' .. name .. '"')
        :gsub("%%llu", "8")
      assert.is_nil(line:find("%", 1, true), line)
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines)
end

local function rows_by_name()
  local out = files:tandem("sql", "--csv", "SELECT name, category, count(*) AS n,"
    .. " sum(dur_ns) AS ns, min(args) AS args FROM span GROUP BY name ORDER BY name")
  return out
end

it("prints records that are read", function()
  local path = files:write("calls.jsonl", printed("lib/capture/cuda.bt", 3)
    .. printed("lib/capture/kernel.bt", 3))
  local _, err, code = files:tandem("import", path)
  assert.equal("", err)
  assert.equal(0, code)
  local rows = rows_by_name()
  -- Three formats of calls, one of launches among them, and one of the kernel's.
  assert.matches('cuLaunchKernel,driver,3,15000,"{""grid_x"":8', rows, 1, true)
  assert.matches("cuMemcpyHtoD_v2,driver,6,30000,", rows, 1, true)
  assert.matches("nvidia_unlocked_ioctl,osrt,3,15000,", rows, 1, true)
end)

describe("bpftrace", function()
  local function program(library)
    return "sed 's|LIBCUDA|" .. library .. "|g' lib/capture/cuda.bt > " .. files:path "cuda.bt"
      .. "; sed 's|TARGET|1|g' lib/capture/kernel.bt > " .. files:path "kernel.bt"
  end

  local function driver()
    local _, code = run(("cc -shared -fPIC -o %s -Wl,-soname,libcuda.so.1 tests/capture/fake_cuda.c"
      .. " -ldl -lpthread"):format(files:path "libcuda.so.1"))
    assert.equal(0, code)
    return files:path "libcuda.so.1"
  end

  it("takes the programs", function()
    if not has "bpftrace" then return pending "bpftrace is not installed" end
    if select(2, run "test $(id -u) = 0") ~= 0 then return pending "bpftrace asks for root" end
    run(program(driver()))
    local text, code = run("bpftrace -d " .. files:path "cuda.bt" .. " 0")
    assert.is_nil(text:match "cuda%.bt:%d+:[^\n]*", text:match "cuda%.bt:%d+:[^\n]*")
    assert.equal(0, code)
  end)

  it("counts the calls of a process that runs", function()
    if not has "bpftrace" then return pending "bpftrace is not installed" end
    local library = driver()
    local _, code = run(("timeout 600 bpftrace -e 'uprobe:%s:cuInit { } BEGIN { exit(); }'")
      :format(library))
    if code ~= 0 then return pending "this machine lets no probes be set" end
    _, code = run(("cc -o %s tests/capture/looped.c -L%s -l:libcuda.so.1 -Wl,-rpath,%s"):format(
      files:path "looped", files.directory, files.directory))
    assert.equal(0, code)
    -- It says its number and synchronizes until there is a file `go`, which comes when that is
    -- seen: entries of calls are the first probes that are set, their ends the last, or the other
    -- way.
    local script = files:write("run.sh", ([[
cd %s
./looped go > pid &
while ! [ -s pid ]; do sleep 0.1; done
timeout -s INT 600 %s/lib/capture/cuda-bpf --live $(cat pid) > calls.jsonl 2> err &
for i in $(seq 6000); do grep -q cuStreamSynchronize calls.jsonl && break; sleep 0.1; done
touch go
wait
]]):format(files.directory, run("pwd"):match "[^\n]+"))
    run("sh " .. script)
    local _, err, failure = files:tandem("import", files:path "calls.jsonl")
    assert.equal("", err)
    assert.equal(0, failure)
    local rows = rows_by_name()
    assert.matches('cuLaunchKernel,driver,1000,%d+,"{""grid_x"":4,""grid_y"":3', rows)
    assert.matches('cuMemcpyHtoD_v2,driver,100,%d+,"{""bytes"":4096', rows)
    assert.matches('cuMemAlloc_v2,driver,100,%d+,"{""bytes"":4096', rows)
    assert.matches("cuMemFree_v2,driver,100,", rows, 1, true)
  end)
end)

describe("cuda-bpf", function()
  local wrapper = "lib/capture/cuda-bpf"

  it("says what it wants", function()
    local text, code = run(wrapper)
    assert.matches("^cuda%-bpf: which process%?", text)
    assert.equal(2, code)
    text, code = run(wrapper .. " --least many 1")
    assert.matches("--least wants a whole number, not 'many'", text, 1, true)
    assert.equal(2, code)
    text, code = run(wrapper .. " 99999999")
    assert.matches("there is no process 99999999", text, 1, true)
    assert.equal(5, code)
    text, code = run(wrapper .. " $$")
    assert.matches("has not loaded libcuda.so: it uses no CUDA, or not yet", text, 1, true)
    assert.equal(5, code)
  end)
end)
