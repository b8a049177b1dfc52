--- Graphs, ranks, overlap, idle streams, bandwidth, operators, stacks and waits: what other tools
--- do not print of them, counted plainly in Lua over the rows of the captures' own files
--- (tests/spec/support/source_rows.lua), none of which tandem has read.
local counted = require "tests.spec.support.counted"
local fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local KINETO <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"
local SECOND <const> = "kineto/trace_filter__sampled_rank-1.json.gz"
local GRAPHS <const> = { "kineto/inference__vllm_prefilldecode_piecewise__graph_execution.json.gz",
  "kineto/inference__vllm_decode_full__graph_execution.json.gz",
  "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz" }

local near, of_category, union, within = counted.near, counted.of_category, counted.union,
  counted.within

local WORK <const> = "kernel memcpy memset"

-- What GPU work is, as TraceLens has it: memsets compute.
local function what_of(row)
  if row.category == "memcpy" then return "copy" end
  return row.name:find "^nccl" and "comm" or "compute"
end

local function ns_of(rows)
  local sum = 0
  for _, row in ipairs(rows) do sum = sum + row.to - row.from end
  return sum
end

local function in_time(rows)
  table.sort(rows, function(a, b) return a.from < b.from end)
  return rows
end

describe("a count over captures with graphs", function()
  local data
  setup(function() data = fixture.new(table.unpack(GRAPHS)) end)
  teardown(function() data:remove() end)

  -- Graphs have no number here: those whose nodes have the same names in order are one.
  local function graphs_of(rows)
    local work = counted.by(of_category(rows, WORK), "cause")
    local graphs, cost, single = {}, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
    for _, call in ipairs(of_category(rows, "runtime driver")) do
      local nodes = in_time(call.cause and work[call.cause] or {})
      if call.name:find "GraphLaunch" then
        local names, first, last = {}, math.huge, 0
        for i, node in ipairs(nodes) do
          names[i], first, last = node.name, math.min(first, node.from), math.max(last, node.to)
        end
        local key = table.concat(names, "\0")
        local g = graphs[key] or { launches = 0, nodes = 0, gpu = 0, span = 0, call = 0,
          first = names[1] }
        graphs[key] = g
        g.launches, g.nodes, g.gpu = g.launches + 1, g.nodes + #nodes, g.gpu + ns_of(nodes)
        g.span, g.call = g.span + last - first, g.call + call.to - call.from
        cost = { cost[1] + 1, cost[2] + #nodes, cost[3] + call.to - call.from,
          cost[4] + ns_of(nodes) }
      else
        local kernels = of_category(nodes, "kernel")
        if #kernels > 0 then
          single = { single[1] + 1, single[2] + #kernels, single[3] + call.to - call.from,
            single[4] + ns_of(kernels) }
        end
      end
    end
    return graphs, { ["in graphs"] = cost, ["kernels singly"] = single }
  end

  for _, file in ipairs(GRAPHS) do
    it("has its graphs and what launching them costs: " .. file:match "__(.-)__", function()
      local rows = source_rows.kineto(file)
      local graphs, costs = graphs_of(rows)
      local answer, wanted, got = data:run(file):graphs(), {}, {}
      local LINE <const> = "%d launches of %.9g nodes, gpu %d span %d %.9g call %d %.9g: %s"
      for _, g in pairs(graphs) do
        wanted[#wanted + 1] = LINE:format(g.launches, g.nodes / g.launches, g.gpu, g.span,
          g.span / g.launches, g.call, g.call / g.launches, g.first)
      end
      for _, row in ipairs(answer:rows()) do
        got[#got + 1] = LINE:format(row.launches, row.nodes, row.gpu_ns, row.span_ns,
          row.mean_span_ns, row.call_ns, row.mean_call_ns, row.first_node)
        assert.equal("node", row.mode)
        assert.equal("GPU " .. of_category(rows, "kernel")[1].device, row.device)
      end
      table.sort(wanted)
      table.sort(got)
      assert.same(wanted, got)
      for _, row in ipairs(answer:frame("cost").rows) do
        assert.same(costs[row.how], { row.calls, row.works, row.call_ns, row.gpu_ns })
        near(row.call_ns / row.works, row.call_per_work_ns, row.how)
        costs[row.how] = nil
      end
      assert.is_nil(next(costs))
      local made = counted.by(of_category(rows, "runtime driver"), function(call)
        local makes = call.name:find "Graph" or call.name:find "Capture"
        return makes and not call.name:find "GraphLaunch" and call.name or nil
      end)
      local has, setup_rows = pcall(answer.frame, answer, "setup")
      for _, row in ipairs(has and setup_rows.rows or {}) do
        assert.same({ #made[row.name], ns_of(made[row.name]) }, { row.count, row.total_ns })
        made[row.name] = nil
      end
      assert.is_nil(next(made))
    end)
  end
end)

describe("a count over two of 128 ranks", function()
  local data, run, ranks
  setup(function()
    data = fixture.new()
    local _, err, code = data.stores:tandem("import", "--name", "two", "tests/data/" .. KINETO,
      "tests/data/" .. SECOND)
    assert(code == 0, err)
    run = data:run "two"
    ranks = { [0] = source_rows.kineto(KINETO), source_rows.kineto(SECOND) }
  end)
  teardown(function() data:remove() end)

  -- The k-th kernel of a name on one rank meets the k-th on the other.
  it("has who waits for whom at collectives", function()
    local kth, wait, last_count, held_up = {}, { [0] = 0, 0 }, { [0] = 0, 0 }, { [0] = 0, 0 }
    local first = math.min(ranks[0][1].from, ranks[1][1].from)
    for r = 0, 1 do
      local seen = {}
      for _, row in ipairs(in_time(of_category(ranks[r], "kernel"))) do
        if row.name:find "^nccl" then
          seen[row.name] = (seen[row.name] or 0) + 1
          local key = ("%s|%d"):format(row.name, seen[row.name] - 1)
          kth[key] = kth[key] or {}
          kth[key][r] = row
        end
      end
    end
    local answer = run:ranks()
    local rows = answer:frame("collectives").rows
    assert.equal(10, #rows)
    for _, row in ipairs(rows) do
      local key = ("%s|%d"):format(row.name, row.ordinal)
      local a, b = kth[key][0], kth[key][1]
      kth[key] = nil
      local late, last = math.max(a.from, b.from), b.from > a.from and 1 or 0
      local waits = { [0] = math.min(late, a.to) - a.from, math.min(late, b.to) - b.from }
      for r = 0, 1 do wait[r] = wait[r] + waits[r] end
      last_count[last] = last_count[last] + 1
      held_up[last] = held_up[last] + waits[0] + waits[1]
      assert.same({ math.min(a.from, b.from) - first, math.abs(a.from - b.from),
        math.abs(a.to - b.to), waits[0] + waits[1], math.min(a.to - a.from, b.to - b.from),
        math.max(a.to - a.from, b.to - b.from), 2, last },
        { row.at_ns, row.skew_ns, row.end_skew_ns, row.wait_ns, row.shortest_ns, row.longest_ns,
          row.ranks, row.last_rank })
    end
    assert.is_nil(next(kth))
    for _, row in ipairs(answer:rows()) do
      local r = row.rank
      assert.same({ wait[r], last_count[r], held_up[r] },
        { row.wait_ns, row.last_count, row.held_up_ns })
    end
    assert.is_true(wait[0] > 0 and wait[1] > 0)
  end)

  it("has what each rank did", function()
    local first = math.min(ranks[0][1].from, ranks[1][1].from)
    for _, row in ipairs(run:ranks():rows()) do
      local work = of_category(ranks[row.rank], WORK)
      local of, busy = counted.by(work, what_of), union(work)
      local compute, comm = union(of.compute), union(of.comm)
      local span = busy[#busy][2] - busy[1][1]
      assert.same({ busy[1][1] - first, span, within(busy), span - within(busy), within(compute),
        within(comm), within(comm) - counted.both(comm, compute) },
        { row.first_ns, row.span_ns, row.busy_ns, row.idle_ns, row.compute_ns, row.comm_ns,
          row.exposed_comm_ns })
      assert.matches(row.rank == 0 and KINETO or SECOND, row.file, 1, true)
      assert.equal(of_category(ranks[row.rank], "cpu_op")[1].pid, row.process)
    end
  end)
end)

describe("a count over the work of GPUs", function()
  local data, sources
  setup(function()
    data = fixture.new(NSYS, KINETO)
    sources = { [NSYS] = source_rows.nsys(NSYS), [KINETO] = source_rows.kineto(KINETO) }
  end)
  teardown(function() data:remove() end)

  -- What an answer says of each GPU, and its rows.
  local function each_gpu(check)
    for file, rows in pairs(sources) do
      local by = counted.by(of_category(rows, WORK), "device")
      for device, work in pairs(by) do check(data:run(file), device, work, rows) end
    end
  end

  local function of_gpu(rows, device)
    local out = {}
    for _, row in ipairs(rows) do
      if row.device:match "%d+$" == tostring(device) then out[#out + 1] = row end
    end
    return out
  end

  it("has what overlaps, and what is hidden", function()
    local hidden = 0
    each_gpu(function(run, device, work)
      local of = counted.by(work, what_of)
      local kernels = union(of_category(of.compute, "kernel"))
      local compute, comm, copy = union(of.compute), union(of.comm or {}), union(of.copy)
      local row = of_gpu(run:overlap():rows(), device)[1]
      -- Kernels alone: what computes beside memsets is told by kinds.
      assert.same({ within(comm), counted.both(comm, kernels), within(copy),
        counted.both(copy, kernels) },
        { row.comm_ns, row.comm_with_compute_ns, row.copy_ns, row.copy_with_compute_ns })
      near(row.copy_with_compute_ns / row.copy_ns, row.copy_overlap_share, "copies")
      hidden = hidden + row.comm_with_compute_ns
      row = of_gpu(run:breakdown():rows(), device)[1]
      local above = union(work)
      local computes_or_talks = {}
      for _, one in ipairs(work) do
        if what_of(one) ~= "copy" then computes_or_talks[#computes_or_talks + 1] = one end
      end
      local before_copies = union(computes_or_talks)
      local total = above[#above][2] - above[1][1]
      assert.same({ total, within(compute), counted.both(comm, compute),
        counted.both(copy, before_copies), within(comm) - counted.both(comm, compute),
        within(copy) - counted.both(copy, before_copies), total - within(above) },
        { row.total_ns, row.compute_ns, row.hidden_comm_ns, row.hidden_copy_ns,
          row.exposed_comm_ns, row.exposed_copy_ns, row.idle_ns })
      for _, part in ipairs { "compute", "exposed_comm", "exposed_copy", "idle", "busy" } do
        near(row[part .. "_ns"] / total, row[part .. "_share"], part)
      end
    end)
    assert.is_true(hidden > 0)
  end)

  it("has why its streams idle", function()
    local causes = { host_wait = 0, kernel_wait = 0, other = 0 }
    each_gpu(function(run, device, work, rows)
      local calls, streams = {}, counted.by(work, "stream")
      for _, call in ipairs(of_category(rows, "runtime driver")) do
        if call.cause then calls[call.cause] = call end
      end
      for _, row in ipairs(of_gpu(run:idle():rows(), device)) do
        local id = math.tointeger(tonumber(row.stream:match "%d+"))
        local list, wait, at = in_time(streams[id]), { host_wait = 0, kernel_wait = 0, other = 0 }
        for _, s in ipairs(list) do
          local launch = calls[s.cause]
          if at and s.from > at then
            local cause = launch and launch.from > at and "host_wait"
              or s.from - at < 30000 and "kernel_wait" or "other"
            wait[cause] = wait[cause] + s.from - at
          end
          at = math.max(at or s.to, s.to)
        end
        local idle = wait.host_wait + wait.kernel_wait + wait.other
        assert.same({ idle, wait.host_wait, wait.kernel_wait, wait.other, within(union(list)),
          #list }, { row.idle_ns, row.host_wait_ns, row.kernel_wait_ns, row.other_ns, row.busy_ns,
          row.count }, row.stream)
        for cause, ns in pairs(wait) do
          if idle > 0 then near(ns / idle, row[cause .. "_share"], cause) end
          causes[cause] = causes[cause] + ns
        end
        streams[id] = nil
      end
      assert.is_nil(next(streams))
    end)
    for cause, ns in pairs(causes) do assert.is_true(ns > 0, cause) end
  end)

  it("has how busy it is with what", function()
    each_gpu(function(run, device, work)
      local of = counted.by(work, what_of)
      local covered = { compute = union(of.compute), comm = union(of.comm or {}),
        copy = union(of.copy) }
      for _, row in ipairs(of_gpu(run:utilization({ bins = 40 }):rows(), device)) do
        for name, intervals in pairs(covered) do
          near(within(intervals, row.from_ns, row.to_ns) / (row.to_ns - row.from_ns),
            row[name .. "_share"], name)
        end
      end
    end)
  end)

  it("has the bytes that copies move over time, spread evenly over each", function()
    each_gpu(function(run, device, work, rows)
      local kinds = counted.by(of_category(work, "memcpy memset"), function(s)
        return s.category == "memset" and "Memset" or s.kind
      end)
      local seen = 0
      for _, row in ipairs(of_gpu(run:bandwidth({ bins = 20 }):frame("over_time").rows, device)) do
        local bytes = 0
        for _, s in ipairs(kinds[row.kind]) do
          local common = math.max(0, math.min(s.to, row.to_ns) - math.max(s.from, row.from_ns))
          bytes = bytes + s.bytes * common / (s.to - s.from)
        end
        assert.is_true(math.abs(bytes - row.bytes) <= 1, row.kind)
        near(row.bytes / ((row.to_ns - row.from_ns) / 1e9), row.bytes_per_s, row.kind)
        assert.equal(row.from_ns - rows[1].from, row.at_ns)
        if row.bytes > 0 then seen = seen + 1 end
      end
      assert.is_true(seen > 10)
    end)
  end)

  it("has the calls that wait, and the records behind them", function()
    local run, rows = data:run(NSYS), sources[NSYS]
    local calls = counted.by(of_category(rows, "runtime"), function(call)
      return call.name:find "Synchronize" and call.name:gsub("_v%d+$", "") or nil
    end)
    local answer = run:syncs()
    for _, row in ipairs(answer:frame("calls").rows) do
      local times = {}
      for i, call in ipairs(calls[row.name]) do times[i] = call.to - call.from end
      counted.check(times, row, row.name)
      calls[row.name] = nil
    end
    assert.is_nil(next(calls))
    -- ENUM_CUPTI_SYNC_TYPE: 2 stream waits for an event, 3 the host for a stream.
    local NAMES <const> = { [2] = "stream_wait_event", [3] = "stream_synchronize" }
    local records = counted.by(of_category(rows, "sync"), function(s) return NAMES[s.syncType] end)
    for _, row in ipairs(answer:rows()) do
      local times = {}
      for i, one in ipairs(records[row.name]) do times[i] = one.to - one.from end
      counted.check(times, row, row.name)
      records[row.name] = nil
    end
    assert.is_nil(next(records))
  end)
end)
