--- Categories of GPU work: against gputrc2graph's semantics computed here from the rows, against
--- Nsight Systems' sums by name, and in the cases that its users trip over.
local fixture = require "tests.spec.support.analysis_fixture"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local KINETO <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"

-- In the manner of an engine's file: the order decides, the last two catch what is left.
local ORDERED <const> = {
  { "splitK|split_k", "reduce_gemm" }, { "gemm|nvjet", "gemm" }, { "nccl", "nccl" },
  { "Cat|gather", "prepare_next" }, { "norm|Norm", "norm" }, { "oft", "softmax" },
  { "fill|Fill", "fill" }, { "vectorized", "fast" }, { "elementwise", "elementwise" },
  { "reduce", "reduce" }, { "CUDA mem", "non-gpu-H_D_memops" }, { ".*", "misc" },
}

local function rules_json(rules)
  local lines = {}
  for i, rule in ipairs(rules) do lines[i] = ('      "%s": "%s"'):format(rule[1], rule[2]) end
  return ('{\n  "DEF": {\n    "ABC": {\n%s\n    }\n  }\n}\n'):format(table.concat(lines, ",\n"))
end

-- re.search over alternatives of plain words, first rule in file order.
local function category_of(name)
  for _, rule in ipairs(ORDERED) do
    if rule[1] == ".*" then return rule[2] end
    for word in rule[1]:gmatch "[^|]+" do
      if name:find(word, 1, true) then return rule[2] end
    end
  end
end

local COPIES <const> = { HtoD = "Host-to-Device", DtoH = "Device-to-Host",
  DtoD = "Device-to-Device" }

local function nsys_name(row)
  if row.category == "memset" then return "[CUDA memset]" end
  if row.category == "memcpy" then return ("[CUDA memcpy %s]"):format(COPIES[row.kind]) end
  return row.name
end

-- By name: what each row adds to the time covered so far, in order of start.
local function elapsed_by_name(run, device)
  local rows = run.store:query { "SELECT start_ns, end_ns, category, kind, name FROM span"
    .. " WHERE run = ? AND device = ? AND category IN ('kernel', 'memcpy', 'memset')"
    .. " ORDER BY start_ns, end_ns DESC", run.number, device }
  local sums, covered, all = {}, math.mininteger, 0
  for row in rows do
    local name, own = nsys_name(row), 0
    if row.start_ns > covered then
      own = row.end_ns - row.start_ns
    elseif row.end_ns > covered then
      own = row.end_ns - covered
    end
    covered, all = math.max(covered, row.end_ns), all + own
    local sum = sums[name] or { elapsed_ns = 0, total_ns = 0, count = 0 }
    sum.elapsed_ns, sum.count = sum.elapsed_ns + own, sum.count + 1
    sum.total_ns = sum.total_ns + row.end_ns - row.start_ns
    sums[name] = sum
  end
  return sums, all
end

describe("categories of GPU work", function()
  local data, run, rules

  setup(function()
    data = fixture.new(NSYS, KINETO)
    run = data:run(NSYS)
    rules = data.stores:write("engine.json", rules_json(ORDERED))
  end)
  teardown(function() data:remove() end)

  for _, case in ipairs { { "an nsys capture", NSYS, 0 }, { "a trace whose streams overlap",
    KINETO, 0 } } do
    it("count as gputrc2graph does on one GPU: " .. case[1], function()
      local one = data:run(case[2])
      local wanted, busy = elapsed_by_name(one, case[3])
      local answer = one:categories { device = case[3], rules = rules, elapsed = "10s" }
      local seen = 0
      for _, row in ipairs(answer:frame("kernels").rows) do
        local sum = assert(wanted[row.name], row.name)
        assert.same(sum, { elapsed_ns = row.elapsed_ns, total_ns = row.total_ns,
          count = row.count }, row.name)
        assert.equal(category_of(row.name), row.category, row.name)
        seen = seen + 1
      end
      for _ in pairs(wanted) do seen = seen - 1 end
      assert.equal(0, seen)
      assert.same({ 10000000000, busy, 10000000000 - busy, 0.0 }, (function(time)
        return { time.wall_ns, time.gpu_ns, time.non_gpu_ns, time.unmatched_share }
      end)(answer:frame("time").rows[1]))
    end)
  end

  it("tell overlapping work from its sum", function()
    local time = data:run(KINETO):categories():frame("time").rows[1]
    assert.is_true(time.total_ns > time.gpu_ns)
  end)

  it("sum to what Nsight Systems has for each name", function()
    local by_name = {}
    for _, row in ipairs(run:categories({ each = "all" }):frame("kernels").rows) do
      by_name[row.name] = row
    end
    local function check(file, title)
      for _, one in ipairs(fixture.expected(file)) do
        local row = assert(by_name[one[title]], one[title])
        assert.equal(one["Total Time (ns)"], ("%d"):format(row.total_ns))
        assert.equal(one.Instances or one.Count, ("%d"):format(row.count))
        by_name[one[title]] = nil
      end
    end
    check("nsys/s_cuda_gpu_kern_sum.csv", "Name")
    check("nsys/s_cuda_gpu_mem_time_sum.csv", "Operation")
    assert.is_nil(next(by_name))
  end)

  it("keep GPUs apart, whatever runs on them at the same time", function()
    local apart = run:categories():frame("time").rows
    assert.same({ "GPU #0", "GPU #1" }, { apart[1].device, apart[2].device })
    for number, time in ipairs(apart) do
      local _, busy = elapsed_by_name(run, number - 1)
      assert.equal(busy, time.gpu_ns)
      assert.equal(time.wall_ns, time.gpu_ns + time.non_gpu_ns)
    end
    local all = run:categories({ each = "all" }):frame("time").rows[1]
    assert.equal(2, all.devices)
    assert.equal(apart[1].gpu_ns + apart[2].gpu_ns, all.gpu_ns)
    assert.equal(apart[1].wall_ns + apart[2].wall_ns, all.wall_ns)
  end)

  it("keep GPUs of files apart that have the same name", function()
    local stores = store_fixture.new()
    local one = stores:write("one.jsonl", store_fixture.jsonl { kernels = { { "gemm", 0, 700 } } })
    local two = stores:write("two.jsonl", store_fixture.jsonl { kernels = { { "gemm", 0, 300 },
      { "norm", 300, 100 } } })
    local three = stores:write("three.jsonl",
      store_fixture.jsonl { kernels = { { "gemm", 0, 500 } } })
    assert.equal(0, select(3, stores:tandem("import", one, two, three, "--align", "none")))
    local csv = stores:tandem("categories", "last", "--csv")
    assert.matches(",gemm,0.000000700,0.000000700,GPU #0,", csv, 1, true)
    assert.matches(",gemm,0.000000300,0.000000300,GPU #0 (2),", csv, 1, true)
    assert.matches(",norm,0.000000100,0.000000100,GPU #0 (2),", csv, 1, true)
    assert.matches(",gemm,0.000000500,0.000000500,GPU #0 (3),", csv, 1, true)
    stores:remove()
  end)

  it("say shares of GPU time and of the wall clock that add up", function()
    local gpu, wall = 0, 0
    for _, row in ipairs(run:categories({ device = 1 }):rows()) do
      gpu, wall = gpu + (row.share or 0), wall + row.wall_share
    end
    assert.near(1, gpu, 1e-12)
    assert.near(1, wall, 1e-12)
  end)

  it("have a chart with a bar for each GPU", function()
    local text = run:categories():plot():svg()
    assert.matches("GPU #0, memcpy: ", text, 1, true)
    assert.matches("GPU #1, CPU(non-GPU): ", text, 1, true)
  end)

  it("show what no rule matched", function()
    local file = data.stores:write("few.json", '{"A": {"B": {"gemm": "gemm"}}}')
    local answer = run:categories { device = 0, rules = file }
    local matched, unmatched = 0, 0
    for _, row in ipairs(answer:frame("kernels").rows) do
      if row.rule then
        assert.equal("gemm", row.rule)
        matched = matched + row.elapsed_ns
      else
        assert.is_nil(row.category)
        unmatched = unmatched + row.elapsed_ns
      end
    end
    local time = answer:frame("time").rows[1]
    assert.equal(unmatched, time.unmatched_ns)
    assert.near(unmatched / (matched + unmatched), time.unmatched_share, 1e-12)
    assert.equal("unmatched", answer:rows()[1].category)
  end)

  it("take 0 for the time without GPU when the given clock is too short, and say so", function()
    local answer = run:categories { device = 0, elapsed = "1ms" }
    assert.equal(0, answer:frame("time").rows[1].non_gpu_ns)
    assert.matches("shorter than the GPU worked", table.concat(answer.basis, "\n"), 1, true)
  end)

  it("are those of a window of time, cut at its edges", function()
    local time = run:categories({ range = "100ms..200ms" }):frame("time").rows[1]
    assert.equal(100000000, time.wall_ns)
    assert.is_true(time.gpu_ns > 0 and time.gpu_ns <= time.wall_ns)
  end)

  it("tell rules that gave up", function()
    local file = data.stores:write("slow.json", '{"A": {"B": {"(a+)+$|(.*)*b(.*)*c(.*)*!": "s"}}}')
    local basis = table.concat(run:categories({ device = 0, rules = file }).basis, "\n")
    assert.matches("reached the match limit on %d+ of %d+ names", basis)
  end)

  it("abstain on a run without GPU work", function()
    local opened <close> = setmetatable({ data = fixture.new
      "cuda_api/vllm-37343.ingero.jsonl.gz" }, { __close = function(self) self.data:remove() end })
    local _, err, code = opened.data.stores:tandem("categories", "last")
    assert.matches("cannot answer: the run has no GPU work", err, 1, true)
    assert.equal(1, code)
  end)

  it("have stages for categories in a simulated run", function()
    local stores = store_fixture.new()
    local id = stores:keep("a.db", { scenario = td.scenario "gpu" { requests = 50,
      workload = td.poisson { rps = 20 }, target = td.gpu "L40" {},
      pipeline = { td.fixed "first" { time = "5ms" },
        td.fixed "second" { time = "20ms", on = "gpu" } } } })
    local store = assert(td.store(stores:path "a.db"))
    local rows = store:run(id):categories():rows()
    store:close()
    assert.same({ "second", "CPU(non-GPU)" }, { rows[1].category, rows[2].category })
    assert.equal(50, rows[1].count)
    stores:remove()
  end)

  it("work on a trace of a single kernel", function()
    local stores = store_fixture.new()
    local path = stores:write("one.jsonl", store_fixture.jsonl { kernels = {
      { "nvjet_hsh_128x128", 1000, 500 } } })
    local out, err, code = stores:tandem("categories", path, "--csv")
    assert.equal("", err)
    assert.equal(0, code)
    assert.equal("Model_Engine,Category,Instances,Name,Elapsed Time (sec),Total Time (sec),Device,"
      .. "Rule\none.jsonl_0,gemm,1,nvjet_hsh_128x128,0.000000500,0.000000500,GPU #0,"
      .. "cuda_libraries/cublas-nvjet\none.jsonl_0,CPU(non-GPU),,CPU(non-GPU),0.000000000,,GPU #0,"
      .. "\n", out)
    stores:remove()
  end)
end)
