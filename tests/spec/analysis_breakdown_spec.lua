--- Where GPU time goes: against HolisticTraceAnalysis and TraceLens on the same traces, and against
--- plain counting.
local fixture = require "tests.spec.support.analysis_fixture"
local hta = require "tests.spec.support.hta"
local store_fixture = require "tests.spec.support.store_fixture"

local ROOM <const> = "tests/data/kineto/"

-- Traces whose times are whole microseconds, which HTA reads as they are.
local MICROSECONDS <const> = { "df_index_resolver__df_index_resolver",
  "trace_diff__control__control", "trace_diff__test__test",
  "critical_path__alexnet__benchmark_result_2869224_1695835535_trace" }
-- Traces in nanoseconds, which HTA rounds.
local NANOSECONDS <const> = { "nccl_parser_config__nccl_data",
  "ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace" }
local ALEXNET <const> = MICROSECONDS[4]

local LAUNCHED <const> = { work = "launched" }
local STEPS <const> = { work = "whole_steps" } -- what HTA counts

local function percent(share) return tonumber(("%.2f"):format(100 * share)) end

-- Work of the GPU by time, read plainly.
local function gpu_work(store, run, where)
  return store.db:all(([[SELECT s.start_ns, s.dur_ns, s.category, s.name, s.correlation,
    t.stream, t.device FROM span s JOIN track t ON t.run = s.run AND t.id = s.track
    WHERE s.run = %d AND s.category IN ('kernel', 'memcpy', 'memset') %s
    ORDER BY s.start_ns, s.dur_ns DESC]]):format(run.number, where or ""))
end

describe("against HolisticTraceAnalysis", function()
  local data, runs, precise, theirs = nil, {}, {}, {} -- precise: in nanoseconds

  setup(function()
    local files = {}
    for i, name in ipairs(MICROSECONDS) do files[i] = "kineto/" .. name .. ".json.gz" end
    data = fixture.new(table.unpack(files))
    for i, name in ipairs(MICROSECONDS) do runs[name] = data:run(files[i]) end
    for _, name in ipairs(NANOSECONDS) do
      local path = ROOM .. name .. ".json.gz"
      assert.equal(0, select(3, data.stores:tandem("import", path)))
      precise[name] = data:run(path)
    end
    for i, name in ipairs(NANOSECONDS) do
      local file = ("rounded-%d.json"):format(i)
      local text = hta.whole_microseconds(ROOM .. name .. ".json.gz")
      local _, err, code = data.stores:tandem("import", data.stores:write(file, text))
      assert(code == 0, err)
      runs[name] = data:run(file)
    end
    for name in pairs(runs) do theirs[name] = hta.read("kineto/hta_" .. name .. ".txt") end
  end)
  teardown(function() data:remove() end)

  local function each(check)
    for _, list in ipairs { MICROSECONDS, NANOSECONDS } do
      for _, name in ipairs(list) do check(runs[name], theirs[name], name) end
    end
  end

  it("splits time into idle, compute and other as its temporal breakdown does", function()
    each(function(run, wanted, name)
      local rows = run:breakdown(STEPS):frame("temporal").rows
      assert.equal(1, #rows)
      local row = rows[1]
      assert.equal(wanted.temporal[2] * 1000, row.compute_ns, name)
      assert.equal(row.total_ns, row.idle_ns + row.compute_ns + row.non_compute_ns)
      if name == ALEXNET then return end
      assert.same(wanted.temporal, { row.idle_ns / 1000, row.compute_ns / 1000,
        row.non_compute_ns / 1000, row.total_ns / 1000, percent(row.idle_share),
        percent(row.compute_share), percent(row.non_compute_share) }, name)
    end)
  end)

  it("does not count synchronization as GPU work, as it does where that has a stream", function()
    local run = runs[ALEXNET]
    local span = assert(data.store.db:one([[SELECT max(start_ns + dur_ns) - min(start_ns) AS ns
      FROM span WHERE run = ? AND category IN ('kernel', 'memcpy', 'memset', 'sync')]],
      run.number))
    assert.equal(theirs[ALEXNET].temporal[4] * 1000, span.ns)
    local work = gpu_work(data.store, run)
    local last = 0
    for _, row in ipairs(work) do last = math.max(last, row.start_ns + row.dur_ns) end
    assert.equal(last - work[1].start_ns, run:breakdown():rows()[1].total_ns)
  end)

  it("gives its overlap of computation with communication", function()
    each(function(run, wanted, name)
      local share = run:overlap(STEPS):rows()[1].comm_overlap_share
      if wanted.overlap then
        assert.equal(wanted.overlap, percent(share), name)
      else
        assert.is_nil(share)
      end
    end)
  end)

  it("gives its kernel breakdown with all combinations", function()
    each(function(run, wanted, name)
      local ours, count = run:overlap(STEPS):frame("kinds").rows, 0
      for _, one in ipairs(wanted.kinds) do
        if one.us > 0 then -- a combination of 0 µs are touching intervals, which do not overlap
          count = count + 1
          assert.equal(one.kinds, ours[count].kinds, name)
          assert.equal(one.us * 1000, ours[count].time_ns, name)
          assert.equal(one.percent, tonumber(("%.1f"):format(100 * ours[count].share)), name)
        end
      end
      assert.equal(count, #ours)
    end)
  end)

  -- Its intervals between work that overlaps on a stream are negative and taken off; ours are none.
  local function overlap_on(run, stream, limit)
    local total, last = 0, nil
    for _, row in ipairs(gpu_work(data.store, run, "AND t.stream = " .. stream)) do
      if limit[row.correlation] then
        if last and row.start_ns < last then total = total + last - row.start_ns end
        last = row.start_ns + row.dur_ns
      end
    end
    return total
  end

  -- The correlations of launches before the last step, with their times.
  local function launches(run)
    local rows = data.store.db:all([[SELECT correlation, start_ns, name FROM span
      WHERE run = ?1 AND category = 'runtime' AND correlation IS NOT NULL AND start_ns <= ifnull(
        (SELECT nullif(max(start_ns), min(start_ns)) FROM span WHERE run = ?1
         AND category = 'user_annotation' AND name LIKE 'ProfilerStep%'), 9e18)]], run.number)
    local known = {}
    for _, row in ipairs(rows) do known[row.correlation] = row end
    return known
  end

  it("gives its causes of idle time by stream", function()
    each(function(run, wanted, name)
      local streams = {}
      for _, row in ipairs(run:idle(STEPS):rows()) do
        streams[math.tointeger(row.stream:match "%d+")] = row
      end
      for _, one in ipairs(wanted.idle) do
        local row = streams[one.stream]
        local ours = row[one.cause .. "_ns"]
        if one.cause == "kernel_wait" and ours ~= one.us * 1000 then
          ours = ours - overlap_on(run, one.stream, launches(run))
        end
        assert.equal(one.us * 1000, ours, ("%s stream %d %s"):format(name, one.stream, one.cause))
      end
    end)
  end)

  -- A launch and a start in the same microsecond come in any order in its sums: each such pair
  -- moves one sample by 2 at most.
  local function ties_on(run, stream)
    local known, starts, ties = launches(run), {}, 0
    local work = gpu_work(data.store, run, "AND t.stream = " .. stream)
    for _, row in ipairs(work) do
      if known[row.correlation] then starts[row.start_ns] = (starts[row.start_ns] or 0) + 1 end
    end
    for _, row in ipairs(work) do
      local call = known[row.correlation]
      if call then ties = ties + (starts[call.start_ns] or 0) end
    end
    return ties
  end

  it("gives its queue lengths by stream", function()
    local exact = 0
    each(function(run, wanted, name)
      local answer, count = run:queue { work = "whole_steps", no_graphs = true }, 0
      for _, row in ipairs(answer:rows()) do
        local stream = math.tointeger(row.stream:match "%d+")
        local one, where = wanted.queue[stream], ("%s stream %d"):format(name, stream)
        count = count + 1
        assert.equal(tonumber(one[1]), row.count, where)
        for i, key in ipairs { "min", "q25", "median", "q75", "max" } do
          assert.equal(tonumber(one[3 + i]), row[key], where .. " " .. key)
        end
        local ties = ties_on(run, stream)
        assert.is_true(math.abs(tonumber(one[2]) - row.mean) <= 2 * ties / row.count + 5e-6, where)
        if ties == 0 then
          exact = exact + 1
          assert.equal(one[2], hta.printed(row.mean, one[2]), where)
          assert.equal(one[3], hta.printed(row.stddev, one[3]), where)
        end
        assert.equal(0, row.blocked_ns)
      end
      local streams = 0
      for _ in pairs(wanted.queue) do streams = streams + 1 end
      assert.equal(streams, count)
    end)
    assert.is_true(exact >= 7)
  end)

  it("gives its breakdowns in nanoseconds to within what it rounds", function()
    for _, name in ipairs(NANOSECONDS) do
      local run = precise[name]
      local row, wanted = run:breakdown(STEPS):frame("temporal").rows[1], theirs[name].temporal
      local within = 2000 * #gpu_work(data.store, run)
      assert.is_true(math.abs(wanted[1] * 1000 - row.idle_ns) <= within)
      assert.is_true(wanted[2] * 1000 <= row.compute_ns) -- kernels lose what is rounded
      assert.is_true(row.compute_ns - wanted[2] * 1000 <= within)
      assert.is_true(math.abs(wanted[4] * 1000 - row.total_ns) < 2000)
    end
  end)

  it("gives its memory bandwidth by kind of copy", function()
    local keys = { "count", "mean", "stddev", "min", "q25", "median", "q75", "max" }
    local exact = 0
    each(function(run, wanted, name)
      for _, row in ipairs((precise[name] or run):bandwidth(STEPS):rows()) do
        -- Bandwidths are the profiler's, whatever the times are rounded to.
        local kind = row.kind == "Memset" and "Memset" or "Memcpy " .. row.kind
        local one = wanted.bandwidth[kind]
        if tonumber(one[1]) == row.count then
          exact = exact + 1
          for i, key in ipairs(keys) do
            local ours = i == 1 and row.count or row[key .. "_bytes_per_s"] / 1e9
            assert.equal(tonumber(one[i]), tonumber(hta.printed(ours, one[i])),
              ("%s %s %s"):format(name, kind, key))
          end
        else
          -- Two copies that touch in a rounded microsecond count as one for it, and what rounding
          -- leaves of a sum that should be 0 is a sample. Ours has one sample a copy here.
          assert.equal("Memcpy DtoD", kind)
          assert.equal(row.copies, row.count)
          assert.is_true(tonumber(one[1]) > row.count)
        end
      end
    end)
    assert.equal(14, exact)
  end)

  it("knows its rules by an option", function()
    local kinds = { "hipKernel", "dma_engine", "ncclDevKernel_AllReduce", "gemm" }
    local kernels = {}
    for i, name in ipairs(kinds) do kernels[i] = { name, 1000 * i, 100 * i } end
    local file = data.stores:write("rules.jsonl", store_fixture.jsonl { kernels = kernels })
    assert.equal(0, select(3, data.stores:tandem("import", file)))
    local run = data:run "rules.jsonl"
    local ours, like_hta = run:overlap():rows()[1], run:overlap({ rules = "hta" }):rows()[1]
    assert.same({ 300, 0 }, { ours.comm_ns, ours.copy_ns })
    assert.same({ 400, 200 }, { like_hta.comm_ns, like_hta.copy_ns })
  end)
end)

describe("against TraceLens", function()
  local FILES <const> = { -- traces, and the folders of their reports
    { "h100__Qwen_Qwen1.5-0.5B-Chat__1016005",
      "h100__Qwen_Qwen1.5-0.5B-Chat__1016005_perf_report" },
    { "h100__gaunernst_bert-small-uncased__1016001",
      "h100__gaunernst_bert-small-uncased__1016001_perf_report" },
    { "inference__sglang_decode__sglang_Qwen3-8B_decode", "inference__sglang_decode__perf" },
    { "inference__vllm_decode_full__graph_execution", "inference__vllm_decode_full__perf" },
    { "inference__vllm_prefilldecode_piecewise__graph_execution",
      "inference__vllm_prefilldecode_piecewise__perf" },
    { "inference__xdit_sd_3.5__profile_trace_rank_0", "inference__xdit_sd_3.5__perf" },
    { "mi300__Qwen_Qwen1.5-0.5B-Chat__1016005",
      "mi300__Qwen_Qwen1.5-0.5B-Chat__1016005_perf_report" },
    { "torch_compile_triton__trace", "torch_compile_triton__trace_perf_report" },
  }
  local COLUMNS <const> = { computation_time = "compute_ns", exposed_comm_time = "exposed_comm_ns",
    exposed_memcpy_time = "exposed_copy_ns", busy_time = "busy_ns", idle_time = "idle_ns",
    total_time = "total_ns", total_comm_time = "comm_ns", total_memcpy_time = "copy_ns" }

  -- It adds doubles of microseconds, which are a fraction of a nanosecond off each; ours are exact.
  it("gives the rows of its gpu_timeline", function()
    for _, file in ipairs(FILES) do
      local name, report = file[1], file[2]
      local data = fixture.new("kineto/" .. name .. ".json.gz")
      local run = data:run("kineto/" .. name .. ".json.gz")
      local rows = run:breakdown(LAUNCHED):rows()
      assert.equal(1, #rows, name)
      local within = 0.5 * #gpu_work(data.store, run) + 1
      local wanted = fixture.expected(("kineto/%s_csvs__gpu_timeline.csv"):format(report))
      assert.equal(8, #wanted)
      for _, one in ipairs(wanted) do
        local ours = rows[1][COLUMNS[one.type]]
        assert.is_true(math.abs(ours - tonumber(one["time ms"]) * 1e6) <= within,
          ("%s %s: %d"):format(name, one.type, ours))
        assert.is_true(math.abs(100 * ours / rows[1].total_ns - tonumber(one.percent)) < 2e-4)
      end
      data:remove()
    end
  end)
end)
