--- The critical path of real captures against what their rows say, found here without it: threads
-- that take turns, samples of CPUs, scheduling. Captures that cannot be shipped are looked for in
-- $TANDEM_DATA.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

-- A ResNet-50 that loads in its own thread (num_workers = 0), by PyTorch of 2021.
local RESNET <const> =
  "kineto_2021/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz"
-- What the same program took with 4 workers, from the first row of its capture to the last.
local WITH_WORKERS_NS <const>, WITHOUT_NS <const> = 846954000, 1065723000

local function by(answer, frame, key, value)
  local found = {}
  for _, row in ipairs(answer:frame(frame).rows) do found[row[key]] = row[value] end
  return found
end

local function said(answer, pattern)
  for _, sentence in ipairs(answer.basis) do
    local found = sentence:match(pattern)
    if found then return found end
  end
end

describe("the critical path of a training in two threads", function()
  local data
  setup(function() data = fixture.new(RESNET) end)
  teardown(function() data:remove() end)

  it("goes through both: idle is what neither has recorded", function()
    local run = data:run(RESNET)
    local answer = run:critical_path()
    -- Operators and calls of both threads cover 92.2 % of the steps; the GPU works in the rest too.
    assert.is_true(by(answer, "bound", "bound", "share").idle <= 0.078)
    assert.is_true(tonumber(said(answer, "^evidence: recorded ([%d.]+) %%")) > 92.2)
    local total = 0
    for _, row in ipairs(answer:frame("bound").rows) do total = total + row.total_ns end
    assert.near(WITHOUT_NS, total, 1e6)
  end)

  it("has steps, which its operators of 2021 mark", function()
    local run, sum = data:run(RESNET), 0
    local rows = run:steps():rows()
    for _, row in ipairs(rows) do sum = sum + row.total_ns end
    assert.equal(6, #rows)
    assert.near(174.8e6, sum / 6, 0.1e6)
  end)

  it("foretells what workers were measured to gain", function()
    local answer = data:run(RESNET):critical_path { faster = "DataLoader=100x" }
    local row = answer:frame("what_if").rows[1]
    local measured_ns = WITHOUT_NS - WITH_WORKERS_NS
    assert.is_true(row.gain_ns <= measured_ns, "the low end leads")
    assert.is_true(row.most_ns >= measured_ns)
    assert.is_truthy(said(answer, "(workers)"))
  end)

  it("tells no interval where no loader is faster", function()
    local row = data:run(RESNET):critical_path { faster = "aten::add_=2x" }:frame("what_if").rows[1]
    assert.is_true(row.gain_ns > 0)
    assert.is_nil(row.most_ns)
  end)
end)

describe("a thread without a record", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  local function names(answer)
    local list = {}
    for i, row in ipairs(answer:frame("path").rows) do
      list[i] = ("%s %s %d"):format(row.bound, row.name, row.dur_ns // 1000)
    end
    return list
  end

  it("was on a CPU when scheduling says so, and off it otherwise", function()
    local made = made_trace.new()
    local thread = made:thread()
    made:span("runtime", thread, "cudaMalloc", 0, 10)
    made:instant("sched", thread, "sched in", 0)
    made:instant("sched", thread, "sched out", 60)
    made:instant("sched", thread, "sched in", 90)
    made:span("runtime", thread, "cudaFree", 100, 110)
    made:instant("sched", thread, "sched out", 120)
    assert.same({ "cpu_bound cudaMalloc 10", "cpu_bound (on a CPU, by scheduling) 50",
      "idle (off the CPU) 30", "cpu_bound (on a CPU, by scheduling) 10", "cpu_bound cudaFree 10" },
      names(made:run(stores):critical_path()))
  end)

  it("is where its samples are, each half the way to the next", function()
    local made = made_trace.new()
    local thread = made:thread()
    made:span("runtime", thread, "cudaMalloc", 0, 10)
    for i = 0, 2 do made:instant("sample", thread, "main;fill", 20 + 10 * i) end
    made:instant("sample", thread, "main;add", 50)
    made:span("runtime", thread, "cudaFree", 100, 110)
    local answer = made:run(stores):critical_path()
    local path = names(answer)
    assert.same({ "cpu_bound cudaMalloc 10", "idle (nothing recorded) 4", "cpu_bound fill 30",
      "cpu_bound add 10", "idle (nothing recorded) 44", "cpu_bound cudaFree 10" }, path)
    assert.matches("by samples of CPUs 36.", said(answer, "^(evidence: .*)$"), 1, true)
  end)
end)

describe("captures with samples or scheduling", function()
  local folder = os.getenv "TANDEM_DATA"
  local function run_of(stores, file)
    local path = ("%s/nsys/%s.sqlite.gz"):format(folder or "", file)
    local there = folder and io.open(path, "rb")
    if not there then return nil end
    there:close()
    local _, err, code = stores:tandem("import", path)
    assert.equal(0, code, err)
    local store = assert(require("tandem").store(stores:path "a.db"))
    return assert(store:run "last")
  end

  for file, most in pairs { cutlass_cpu_samples = 0.01, cpu_only_sampled = 0.25,
    openmp_offload_sched = 0.01 } do
    it("are not idle where the thread was on a CPU: " .. file, function()
      local stores = store_fixture.new()
      local run = run_of(stores, file)
      if not run then
        stores:remove()
        return pending("TANDEM_DATA has no " .. file)
      end
      local answer = run:critical_path()
      assert.is_true(by(answer, "bound", "bound", "share").idle <= most, file)
      stores:remove()
    end)
  end
end)

describe("waits of two GPUs whose file calls every device 0", function()
  local FILE <const> = "nsys/h100_2gpu_1s.sqlite.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("lie on the GPU that their context's kernels run on", function()
    local run, devices = data:run(FILE), {}
    for row in run.store.db:rows([[SELECT t.device AS device, count(*) AS waits FROM span AS s
      JOIN track AS t ON t.run = s.run AND t.id = s.track WHERE s.run = ? AND s.category = 'sync'
      GROUP BY t.device]], run.number) do
      devices[row.device] = row.waits
    end
    -- Of the file's rows 122 are of context 1, whose 1,721 kernels ran on device 0, and 122 of 2.
    assert.same({ [0] = 122, [1] = 122 }, devices)
  end)
end)
