--- Advice on real captures against what their rows say, found here in SQL without it. Captures that
--- cannot be shipped are looked for in $TANDEM_DATA.
local fixture = require "tests.spec.support.analysis_fixture"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local function finding(answer, frame, rule)
  for _, row in ipairs(answer:frame(frame).rows) do
    if row.rule == rule then return row end
  end
end

local function rules_of(answer, frame)
  local names = {}
  for i, row in ipairs(answer:frame(frame).rows) do names[i] = row.rule end
  return names
end

-- Every instant has one cause, and what is claimed is no more than the run.
local function assert_sums(answer, total_ns)
  local sum_ns, most = 0, 0
  for _, row in ipairs(answer:frame("causes").rows) do sum_ns = sum_ns + row.total_ns end
  assert.near(total_ns, sum_ns, 1e-3 * total_ns)
  for _, row in ipairs(answer:rows()) do
    most = most + (row.most_share or 0)
    assert.is_true((row.gain_ns or 0) <= (row.most_ns or math.huge), row.rule)
    if row.held_ns and row.held_ns > 0 and row.rule ~= "oversynchronization" then
      assert.is_true(row.most_ns <= row.held_ns, row.rule)
    end
  end
  assert.is_true(most <= 1 + 1e-9)
end

local function one(data, sql, run) return data.store.db:one(sql, run.number) end

describe("advice on a training that loads in its own thread", function()
  local FILE <const> =
    "kineto_2021/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("names the loader first, and what four workers were measured to gain lies in its interval",
    function()
      local run = data:run(FILE)
      local answer = assert(run:advice())
      local first = answer:rows()[1]
      assert.equal("data-loader", first.rule)
      local loads = one(data, [[SELECT sum(dur_ns) AS ns FROM span WHERE run = ?
        AND name LIKE 'enumerate(DataLoader)%']], run)
      assert.near(loads.ns, first.held_ns, 1e-3 * loads.ns)
      -- 1065.7 ms without workers, 847.0 ms with four.
      local measured = 1 - 846954 / 1065723
      assert.is_true(first.gain_share <= measured and measured <= first.most_share)
      assert_sums(answer, 1065.7e6)
      -- The gaps are the loads': no second finding on the same time.
      assert.equal("data-loader", finding(answer, "merged", "gpu-gaps").part_of)
    end)

  it("tells a V100 of FP16, not of BF16", function()
    local answer = assert(data:run(FILE):advice { only = "tensor-cores-unused",
      threshold = "tensor-cores-unused=5%" })
    assert.matches("FP16", answer:rows()[1].what_to_do, 1, true)
    assert.not_matches("or compute in BF16", answer:rows()[1].what_to_do, 1, true)
  end)
end)

describe("advice on weights that are copied over and over", function()
  local FILE <const> = "nsys/h100_2gpu_1s.sqlite.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("says so first, with overlap at least and all of it at most", function()
    local run = data:run(FILE)
    local answer = assert(run:advice())
    local first = answer:rows()[1]
    assert.equal("repeated-copies", first.rule)
    local copies = one(data, [[SELECT sum(dur_ns) AS ns, sum(json_extract(args, '$.bytes')) AS bytes
      FROM span WHERE run = ? AND category = 'memcpy' AND name LIKE '%HtoD%' AND track = 0]], run)
    assert.near(copies.ns, first.held_ns, 1e-3 * copies.ns)
    assert.is_true(first.most_ns > 0.9 * copies.ns)
    local kernels = one(data, [[SELECT sum(dur_ns) AS ns FROM span WHERE run = ?
      AND category = 'kernel' AND track = 0]], run)
    assert.near(kernels.ns, first.gain_ns, 0.05 * kernels.ns)
    assert.matches("FSDP", first.evidence, 1, true)
    local sizes = {}
    for row in data.store.db:rows([[SELECT json_extract(args, '$.bytes') AS bytes, count(*) AS n
      FROM span WHERE run = ? AND category = 'memcpy' AND name LIKE '%HtoD%' AND track = 0
      AND json_extract(args, '$.bytes') >= 1048576 GROUP BY 1 ORDER BY sum(dur_ns) DESC]],
      run.number) do
      sizes[#sizes + 1] = ("%d of %s"):format(row.n, require("tandem.text.format").bytes(row.bytes))
    end
    assert.matches(": " .. table.concat(sizes, ", ") .. ";", first.evidence, 1, true)
    assert.equal("repeated-copies", finding(answer, "merged", "exposed-copies").part_of)
    -- What gains 0.7 % at most is a finding, and no sentence.
    local said = require("tandem.analysis.advice").headline(answer)
    assert.equal(2, #said)
    assert.matches("^The run's time %(969 ms from its first call or work to its last%) is "
      .. "97.0 %% copies%.$", said[1])
    assert.matches("^First to change %(at least 2.3 %%, at most 90.5 %% of the run%): The same",
      said[2])
    assert_sums(answer, 969.4e6)
  end)
end)

describe("advice on an object detector", function()
  local FILE <const> = "kineto/owlv2_h100.json.gz"

  it("names the loader and the attention, and merges the rest into them", function()
    local folder = os.getenv "TANDEM_DATA"
    local there = folder and io.open(("%s/%s"):format(folder, FILE), "rb")
    if not there then return pending("TANDEM_DATA has no " .. FILE) end
    there:close()
    local stores = store_fixture.new()
    finally(function() stores:remove() end)
    local _, err, code = stores:tandem("import", ("%s/%s"):format(folder, FILE))
    assert.equal(0, code, err)
    local store <close> = assert(td.store(stores:path "a.db"))
    local data, run = { store = store }, assert(store:run "last")
    local answer = assert(run:advice())
    local names = rules_of(answer, "findings")
    assert.same({ "data-loader", "unfused-attention" }, { names[1], names[2] })
    local loader, attention = answer:rows()[1], answer:rows()[2]
    local loads = one(data, [[SELECT sum(dur_ns) AS ns FROM span WHERE run = ?
      AND name LIKE 'enumerate(DataLoader)%' AND category = 'user_annotation']], run)
    assert.near(loads.ns, loader.held_ns, 1e-3 * loads.ns)
    -- All but the first of five loads may go.
    assert.is_true(loader.gain_ns > 0.75 * loads.ns and loader.most_ns < 0.81 * loads.ns)
    local parts = one(data, [[SELECT sum(dur_ns) AS ns FROM span WHERE run = ?
      AND category = 'kernel' AND (name LIKE '%cunn_SoftMax%' OR name LIKE '%cutlass_75%'
      OR name LIKE '%softmax%')]], run)
    assert.near(parts.ns, attention.held_ns, 0.03 * parts.ns)
    for rule, by in pairs { oversynchronization = "data-loader", ["gpu-gaps"] = "data-loader",
      ["unaligned-products"] = "unfused-attention" } do
      assert.equal(by, finding(answer, "merged", rule).part_of)
    end
    assert.matches("5185 are no multiple of 8", finding(answer, "merged",
      "unaligned-products").evidence, 1, true)
    assert_sums(answer, 1211.6e6)
  end)
end)

describe("advice on two ranks in one capture", function()
  local FILE <const> = "nsys/mfu_2gpu_before.sqlite.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("judges stragglers by the waiting that ranks has", function()
    local run = data:run(FILE)
    local answer = assert(run:advice())
    local late = finding(answer, "findings", "stragglers")
    local most = 0
    for _, row in ipairs(run:ranks():rows()) do most = math.max(most, row.wait_ns) end
    assert.is_true(late.most_ns <= most)
    assert.matches(require("tandem.text.format").time(most / 1e9), late.evidence, 1, true)
    assert_sums(answer, 300e6)
  end)

  it("gives gaps the share that gaps gives them", function()
    local run = data:run(FILE)
    local answer = assert(run:advice { only = "gpu-gaps" })
    local most
    for _, row in ipairs(run:gaps():frame("devices").rows) do
      if not most or row.total_ns > most.total_ns then most = row end
    end
    assert.matches(("%s of the GPU's time"):format(require("tandem.text.format").percent(
      most.share)), answer:rows()[1].evidence, 1, true)
  end)
end)

describe("advice on a step of a server that waits", function()
  local FILE <const> = "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("says that what held its work up is not recorded, and promises nothing", function()
    local run = data:run(FILE)
    local answer = assert(run:advice())
    local call = one(data, "SELECT max(dur_ns) AS ns FROM span WHERE run = ?"
      .. " AND name = 'hipMemcpyWithStream'", run)
    local most = answer:frame("causes").rows[1]
    assert.equal("held", most.cause)
    assert.near(call.ns, most.total_ns, 1e-3 * call.ns)
    local said = require("tandem.analysis.advice").headline(answer)
    assert.matches("97.8 %% waiting for what is not recorded%.$", said[1])
    assert.matches("^First to look into %(at most 97.8 %% of the run%)", said[2])
    assert.matches("Begin recording earlier", said[2], 1, true)
  end)
end)

describe("advice on a recording of a start", function()
  local FILE <const> =
    "kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"
  local data
  setup(function() data = fixture.new(FILE) end)
  teardown(function() data:remove() end)

  it("says that it is one, in the first sentence on what to do", function()
    local said = require("tandem.analysis.advice").headline(assert(data:run(FILE):advice()))
    assert.matches("^First to look into .*One stretch of the host holds the run up: .*"
      .. "cudaDeviceGetStreamPriorityRange %(68.9 %%, in one go%).* record later steps", said[2])
  end)
end)

-- ---- the table of the manual ----

local MANUAL <const> = "lua/tandem/manual/11-performance.md"
local NO_WORKERS <const> =
  "kineto_2021/samples__resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz"
local LOADS <const> = "SELECT sum(dur_ns) AS ns FROM span WHERE run = ? AND category <> 'gpu_user"
  .. "_annotation' AND name LIKE 'enumerate(DataLoader)%'"
local LENGTH <const> = "SELECT max(start_ns + dur_ns) - min(start_ns) AS ns FROM span WHERE run = ?"
  .. " AND category IN ('cpu_op', 'runtime', 'kernel', 'memcpy')"

local function sum_of(where)
  return "SELECT sum(dur_ns) AS ns FROM span WHERE run = ? AND " .. where
end

-- Capture, how its row begins, what is found first, and the times its own rows have.
local ROWS <const> = {
  { NO_WORKERS, "ResNet-50, V100, no loader workers", "data-loader", { LOADS, LENGTH } },
  { "kineto_2021/samples__resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz",
    "the same with four workers", "launch-bound", { sum_of "name LIKE 'cudaLaunchKernel%'",
    sum_of "category = 'kernel'", LENGTH } },
  { "kineto/owlv2_h100.json.gz", "OWLv2, H100", "data-loader", { LOADS, LENGTH,
    sum_of "category = 'kernel' AND (name LIKE '%cutlass_75%' OR name LIKE '%softmax%')" } },
  { "nsys/h100_2gpu_1s.sqlite.gz", "weights on the host", "repeated-copies", {
    sum_of "category = 'memcpy' AND name LIKE '%HtoD%' AND track = 0", LENGTH,
    sum_of "category = 'kernel' AND track = 0" } },
  { "nsys/mfu_2gpu_before.sqlite.gz", "diffusion on two H100", "host-work", {
    sum_of "category = 'kernel' AND name LIKE '%nccl%' AND track = 0",
    sum_of "category = 'kernel' AND name LIKE '%nccl%' AND track = 1" } },
  { "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz", "SGLang decoding",
    "gpu-gaps", { sum_of "name = 'hipMemcpyWithStream' AND dur_ns > 1e8" } },
  { "kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
    "AlexNet, A100", "host-work",
    { sum_of "name = 'cudaDeviceGetStreamPriorityRange' AND dur_ns > 1e9" } },
  { "nsys/cutlass_cpu_samples.sqlite.gz", "a CUTLASS program", "host-work",
    { sum_of "category = 'kernel'", sum_of "category = 'memcpy'" } },
}

-- Where a capture is: of the tests, or of $TANDEM_DATA; nil: nowhere.
local function path_of(file)
  for _, folder in ipairs { "tests/data", os.getenv "TANDEM_DATA" } do
    local path = folder .. "/" .. file
    local there = io.open(path, "rb")
    if there then
      there:close()
      return path
    end
  end
end

local function row_of(text, begins)
  for line in text:gmatch "[^\n]+" do
    if line:find("| " .. begins, 1, true) == 1 then return line end
  end
end

describe("the manual's table of advice", function()
  local file <close> = assert(io.open(MANUAL))
  local manual = file:read "a"

  for _, case in ipairs(ROWS) do
    local name, begins, rule, facts = table.unpack(case)
    it("has what the rows of a capture say: " .. begins, function()
      local path = path_of(name)
      if not path then return pending("TANDEM_DATA has no " .. name) end
      local stores = store_fixture.new()
      finally(function() stores:remove() end)
      local _, err, code = stores:tandem("import", path)
      assert.equal(0, code, err)
      local store <close> = assert(td.store(stores:path "a.db"))
      local run = assert(store:run "last")
      local answer = assert(run:advice())
      local first, row = answer:rows()[1], assert(row_of(manual, begins), begins)
      assert.equal(rule, first.rule)
      assert.truthy(row:find("`" .. rule .. "`", 1, true))
      local gain = first.gain_ns > 0 and ("%.1f to %.1f %%"):format(100 * first.gain_share,
        100 * first.most_share) or ("at most %.1f %%"):format(100 * first.most_share)
      assert.truthy(row:find(gain, 1, true), gain)
      for _, sql in ipairs(facts) do
        local ns = store.db:one(sql, run.number).ns
        local time = require("tandem.text.format").time(ns / 1e9)
        assert.truthy(row:find(time, 1, true), time)
      end
      assert_sums(answer, assert(answer:frame("causes").rows[1]).total_ns
        / answer:frame("causes").rows[1].share)
    end)
  end
end)
