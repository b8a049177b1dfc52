--- Stacks by weight: closed results on small traces, other tools' files, other analyses' sums.
local fixture = require "tests.spec.support.analysis_fixture"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

-- A Chrome trace in µs. Main thread: A 0…100 with B 10…40, B 50…70 (a B inside it 55…65), which
-- launch; another thread: C 0…50; kernels of 30 and 20 µs launched by the Bs, one by nobody known.
local TRACE <const> = [[{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"A","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"B","pid":1,"tid":1,"ts":10,"dur":30},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,
 "args":{"correlation":7}},
{"ph":"X","cat":"cpu_op","name":"B","pid":1,"tid":1,"ts":50,"dur":20},
{"ph":"X","cat":"cpu_op","name":"B","pid":1,"tid":1,"ts":55,"dur":10},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":56,"dur":4,
 "args":{"correlation":8}},
{"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":1,"ts":90,"dur":30},
{"ph":"X","cat":"cpu_op","name":"C","pid":1,"tid":2,"ts":0,"dur":50},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":60,"dur":30,
 "args":{"device":0,"stream":7,"correlation":7}},
{"ph":"X","cat":"kernel","name":"tiny","pid":0,"tid":7,"ts":95,"dur":20,
 "args":{"device":0,"stream":7,"correlation":8}},
{"ph":"X","cat":"kernel","name":"stray","pid":0,"tid":7,"ts":130,"dur":5,
 "args":{"device":0,"stream":7,"correlation":99}}
]}]]

describe("stacks by weight", function()
  local stores, store, run

  setup(function()
    stores = store_fixture.new()
    local _, err, code = stores:tandem("import", stores:write("small.json", TRACE))
    assert(code == 0, err)
    store = assert(td.store(stores:path "a.db"))
    run = assert(store:run "last")
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  -- "A;B" → own weight.
  local function folded(options)
    local graph = assert(require("tandem.flame").of(assert(run:flame(options))))
    local own = {}
    for line in require("tandem.flame.folded").text(graph):gmatch "[^\n]+" do
      local path, weight = line:match "^(.*) (%d+)$"
      own[path] = math.tointeger(weight)
    end
    return own
  end

  it("holds files apart, by their rank where they say it", function()
    local made_trace = require "tests.spec.support.made_trace"
    local held <close> = setmetatable({ stores = store_fixture.new() },
      { __close = function(self) self.stores:remove() end })
    local function two(first, second)
      local made = made_trace.new(first)
      made:span("cpu_op", made:thread(1), "A", 0, 10)
      made:source(second):span("cpu_op", made:thread(2), "A", 0, 5)
      local graph = assert(require("tandem.flame").of(assert(made:run(held.stores):flame())))
      return require("tandem.flame.folded").text(graph)
    end
    local text = two(3, 1)
    assert.matches("rank 3;python (1);thread 1;A 10000\n", text, 1, true)
    assert.matches("rank 1;python (1);thread 2;A 5000\n", text, 1, true)
    text = two(nil, 0)
    assert.matches("file 0;python (1);thread 1;A 10000\n", text, 1, true)
    assert.matches("rank 0;python (1);thread 2;A 5000\n", text, 1, true)
  end)

  it("has the time that is a frame's own, and cuts what outlasts its frame", function()
    assert.same({ ["A"] = 40000, ["A;B"] = 35000, ["A;B;cudaLaunchKernel"] = 5000,
      ["A;B;B"] = 6000, ["A;B;B;cudaLaunchKernel"] = 4000, ["A;late"] = 10000, ["C"] = 50000 },
      folded { merge = true })
    local answer = run:flame()
    assert.matches("1 of 8 spans outlast the one they began in", answer.basis[2], 1, true)
    local root = answer:frame("stacks").rows[1]
    assert.equal(150000, root.total_ns)
    assert.equal(0, root.depth)
  end)

  it("counts recursion once in totals of functions", function()
    local by = {}
    for _, row in ipairs(run:flame():rows()) do by[row.name] = row end
    assert.equal(50000, by.B.total_ns)
    assert.equal(41000, by.B.self_ns)
    assert.equal(3, by.B.count)
    assert.equal(9000, by.cudaLaunchKernel.self_ns)
  end)

  it("keeps threads apart unless they are merged", function()
    local names = {}
    for _, row in ipairs(run:flame():frame("stacks").rows) do
      if row.category == "thread" then names[#names + 1] = row.total_ns end
    end
    assert.same({ 100000, 50000 }, names)
  end)

  it("puts GPU work under the calls that launched it, by device", function()
    local own = folded { weight = "gpu", merge = true }
    local device = run:flame({ weight = "gpu" }):frame("stacks").rows[2].name
    assert.same({ [device .. ";A;B;cudaLaunchKernel;gemm"] = 30000,
      [device .. ";A;B;B;cudaLaunchKernel;tiny"] = 20000,
      [device .. ";stream 7;stray"] = 5000 }, own)
    assert.matches("1 of 3 have no recorded call (9.1 % of the time)",
      run:flame({ weight = "gpu" }).basis[2], 1, true)
  end)

  it("gathers light frames and small kernels, and never loses weight", function()
    assert.same({ ["A"] = 40000, ["A;B"] = 35000, ["A;B;(2 smaller frames)"] = 15000,
      ["A;(1 smaller frame)"] = 10000, ["C"] = 50000 }, folded { merge = true, min = "11us" })
    assert.same({ ["A"] = 40000, ["A;B"] = 50000, ["A;late"] = 10000, ["C"] = 50000 },
      folded { merge = true, depth = 2 })
    for _, options in ipairs { { min = "20%" }, { depth = 1 },
      { small = "25us", weight = "gpu" } } do
      local rows, sum = run:flame(options):frame("stacks").rows, 0
      for _, row in ipairs(rows) do sum = sum + row.self_ns end
      assert.equal(options.weight and 55000 or 150000, sum)
    end
    local own = folded { weight = "gpu", merge = true, small = "25us" }
    local sum = 0
    for path, weight in pairs(own) do
      if path:find "smaller" then sum = sum + weight end
    end
    assert.equal(25000, sum)
  end)

  it("takes some categories only", function()
    assert.same({ cudaLaunchKernel = 9000 }, folded { merge = true, only = "runtime" })
    local _, message = run:flame { only = "cpuop" }
    assert.matches("'only' cannot be 'cpuop'", message, 1, true)
  end)

  it("is the diff of two runs, frame by frame", function()
    local flame = require "tandem.flame"
    local now, was = run:flame { merge = true }, run:flame { merge = true, only = "cpu_op" }
    local graph = assert(flame.of(now, was))
    local at, calls = {}, 0
    for _, frame in ipairs(graph.frames) do
      at[frame.name] = at[frame.name] or frame
      if frame.name == "cudaLaunchKernel" then calls = calls + frame.total end
    end
    assert.equal(150000, at.all.total)
    assert.equal(150000, at.all.was_total)
    assert.equal(9000, calls)
    assert.equal(0, at.cudaLaunchKernel.was_total)
    assert.equal(40000, at.B.was_self)
  end)

  it("writes the forms of its command, and says which it does not know", function()
    local out = stores:tandem("flame", "last", "--folded", "--merge")
    assert.matches("^A 40000\n", out)
    out = stores:tandem("flame", "last", "--speedscope")
    local profile = require("cjson").decode(out).profiles[1]
    assert.equal(150000, profile.endValue)
    out = stores:tandem("flame", "last", "--svg")
    assert.matches("^<svg .*</svg>\n$", out)
    local _, err, code = stores:tandem("flame", "last", "--out", "x.txt")
    assert.matches("its ending is none of", err, 1, true)
    assert.equal(2, code)
    _, err, code = stores:tandem("flame", "last", "--out", stores:path "f.html",
      "--against", "last")
    assert.matches("wrote", err, 1, true)
    assert.equal(0, code)
    _, err, code = stores:tandem("flame", "last", "--folded", "--against", "last")
    assert.matches("--against compares in --html and --svg; --folded has one run", err, 1, true)
    assert.equal(2, code)
  end)
end)

describe("stacks of other tools' captures", function()
  local FOLDED <const> = "speedscope/perf-vertx-stacks-01-collapsed-all.txt.gz"
  local CAPTURE <const> = "nsys/h100_2gpu_1s.sqlite.gz"
  local SAMPLES <const> = "kineto/trace-event__simple-with-samples.json"
  local NOTHING <const> = "ncu/copy_blocked.csv"
  local data

  setup(function() data = fixture.new(FOLDED, CAPTURE, SAMPLES, NOTHING) end)
  teardown(function() data:remove() end)

  it("give back the folded stacks that were read", function()
    local wanted = {}
    local pipe = assert(io.popen("gzip -dc tests/data/" .. FOLDED))
    for line in pipe:lines() do
      local path, weight = line:match "^(.*) (%d+)%s*$"
      if path then path = path:gsub(";%s*$", ";(no name)") end -- a frame of no name
      if path then wanted[path] = (wanted[path] or 0) + math.tointeger(weight) end
    end
    pipe:close()
    local own = {}
    local run = data:run(FOLDED)
    local graph = require("tandem.flame").of(run:flame { merge = true })
    for line in require("tandem.flame.folded").text(graph):gmatch "[^\n]+" do
      local path, weight = line:match "^(.*) (%d+)$"
      own[path] = math.tointeger(weight)
    end
    for path, weight in pairs(wanted) do assert.equal(weight, own[path]) end
    for path, weight in pairs(own) do assert.equal(weight, wanted[path]) end
  end)

  it("have the time of every kernel, copy and memset on the GPU", function()
    local run, by = data:run(CAPTURE), {}
    for _, row in ipairs(run:flame({ weight = "gpu" }):rows()) do
      if row.category == "kernel" then by[row.name] = row.self_ns end
    end
    local kernels = run:kernels():rows()
    assert.is_true(#kernels > 0)
    for _, row in ipairs(kernels) do assert.equal(row.total_ns, by[row.name]) end
    local wanted = 0
    for _, row in ipairs(fixture.expected "nsys/s_cuda_gpu_sum.csv") do
      wanted = wanted + math.tointeger(row["Total Time (ns)"])
    end
    assert.equal(wanted, run:flame({ weight = "gpu" }):frame("stacks").rows[1].total_ns)
  end)

  it("have the calls of nsys stats -r cuda_api_sum", function()
    local by = {}
    for _, row in ipairs(data:run(CAPTURE):flame({ only = "runtime,driver" }):rows()) do
      by[row.name] = row
    end
    for _, row in ipairs(fixture.expected "nsys/s_cuda_api_sum.csv") do
      local one = by[row.Name] or by[row.Name:gsub("_v%d+$", "")]
      assert.equal(row["Num Calls"], ("%d"):format(one.count))
      assert.equal(row["Total Time (ns)"], ("%d"):format(one.total_ns))
    end
  end)

  it("fold the ranges that PyTorch numbers", function()
    for _, row in ipairs(data:run(CAPTURE):flame():rows()) do
      assert.is_nil(row.name:find(", op_id = ", 1, true))
    end
  end)

  it("count samples where there are only those", function()
    local answer = data:run(SAMPLES):flame()
    local root = answer:frame("stacks").rows[1]
    assert.equal(7, root.total_samples)
    assert.is_nil(root.total_ns)
  end)

  it("abstain where nothing nests, and say what is missing", function()
    local answer = data:run(NOTHING):flame()
    if answer:abstains() then
      assert.matches("neither spans on threads", answer.cannot[1], 1, true)
    end
    answer = data:run(SAMPLES):flame { weight = "gpu" }
    assert.is_true(answer:abstains())
    assert.matches("no rows of category kernel", answer.cannot[1], 1, true)
    answer = data:run(CAPTURE):flame { weight = "samples" }
    assert.matches("no sampled stacks", answer.cannot[1], 1, true)
  end)
end)

describe("stacks of a part of a run", function()
  local made_trace = require "tests.spec.support.made_trace"
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  local function paths(answer)
    local path, out = {}, {}
    for _, row in ipairs(answer:frame("stacks").rows) do
      path[row.depth] = row.name
      if row.self_ns > 0 then
        out[#out + 1] = table.concat(path, ";", 0, row.depth) .. " " .. row.self_ns
      end
    end
    return out
  end

  it("have GPU time under the frames of the categories asked for, calls or not", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("nvtx", thread, "step", 0, 100)
    made:launch(thread, stream, 1, { 10, 20 }, { 30, 40 })
    local run = made:run(stores)
    assert.same({ "all;GPU #0;python (1);thread 1;step;kernel 10000" },
      paths(run:flame { weight = "gpu", only = "nvtx", merge = false }))
    local answer = run:flame { only = "mpi" } -- none of them: by GPU time
    assert.same({ "all;GPU #0;python (1);thread 1;kernel 10000" }, paths(answer))
    assert.is_nil(table.concat(answer.basis):find "no recorded call")
  end)

  it("count the time in the window, not of what lies around it", function()
    local made = made_trace.new()
    local thread = made:thread()
    made:span("cpu_op", thread, "main", 0, 100)
    made:span("cpu_op", thread, "left", 0, 50)
    made:span("cpu_op", thread, "right", 50, 90)
    assert.same({ "all;python (1);thread 1;main 5000", "all;python (1);thread 1;main;right 30000" },
      paths(made:run(stores):flame { range = "60us..95us" }))
  end)
end)

describe("stacks of a simulated run", function()
  it("are the services by GPU and station", function()
    local stores = store_fixture.new()
    local _, err, code = stores:tandem("run", "scenarios/01-demo.lua", "--spans", "all", "--set",
      "requests=200")
    assert.equal(0, code, err)
    local store = assert(td.store(stores:path "a.db"))
    local run = assert(store:run "last")
    local answer = run:flame()
    local wanted = store.db:one("SELECT sum(s.dur_ns) AS ns FROM span AS s JOIN track AS t"
      .. " ON t.run = s.run AND t.id = s.track WHERE s.run = ? AND s.category = 'stage'"
      .. " AND t.lane IN ('GPU', 'H2D', 'D2H')", run.number)
    assert.equal(wanted.ns, answer:frame("stacks").rows[1].total_ns)
    store:close()
    stores:remove()
  end)
end)
