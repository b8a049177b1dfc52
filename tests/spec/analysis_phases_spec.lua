--- Phases of a process, its bursts, idle times and switches: counted over the rows of captures' own
--- files by what the manual says a phase is, with nothing of tandem's (support/source_rows.lua).
local counted = require "tests.spec.support.counted"
local fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local INGERO <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"

local near, of_category, union, within = counted.near, counted.of_category, counted.union,
  counted.within

local function median(values)
  table.sort(values)
  local n = #values
  return (values[(n + 1) // 2] + values[n // 2 + 1]) / 2
end

-- Of a process: its calls in order of time, each with what it does and the bytes that it moves.
local function calls_of(rows, pid)
  local copy, calls = {}, {}
  for _, row in ipairs(of_category(rows, "memcpy")) do copy[row.cause] = row end
  for _, row in ipairs(of_category(rows, "runtime")) do
    if row.pid == pid then calls[#calls + 1] = row end
  end
  table.sort(calls, function(a, b) return a.from < b.from end)
  local WAYS <const> = { HtoD = "to_gpu", DtoH = "from_gpu" }
  for _, call in ipairs(calls) do
    local moved = copy[call.cause]
    if call.name:find "Launch" or call.name:find "Memset" then
      call.does = "launch"
    elseif call.name:find "Memcpy" then
      call.does, call.moved = moved and WAYS[moved.kind] or "copy", moved
    elseif call.name:find "Synchronize" then
      call.does = "wait"
    end
  end
  return calls
end

-- How many of the first calls load weights: until the copies before the first result, after a
-- launch, have brought 99 % of their bytes.
local function loading(calls)
  local launched, total, result = false, 0, #calls + 1
  for i, call in ipairs(calls) do
    if call.does == "launch" then launched = true end
    if call.does == "from_gpu" and launched then
      result = i
      break
    end
    if call.does == "to_gpu" then total = total + call.moved.bytes end
  end
  local sum, last = 0, 0
  for i = 1, result - 1 do
    if calls[i].does == "to_gpu" and sum < 0.99 * total then
      sum, last = sum + calls[i].moved.bytes, i
    end
  end
  assert(total >= 16 << 20) -- or they would be input
  return last
end

local function phase_of(does, now, loads)
  if does == "to_gpu" then return loads and "weight_load" or "input" end
  if does and does ~= "wait" and not (loads and now == "weight_load") then
    return does == "from_gpu" and "retrieve" or "execute"
  end
  return now == "weight_load" and not loads and "execute" or now
end

-- Stretches in one phase, from its first call to that of the next.
local function stretches(calls)
  local loaded, list, now = loading(calls), {}, nil
  local last = 0
  for i, call in ipairs(calls) do
    local phase = phase_of(call.does, now and now.phase or "init", i <= loaded)
    if not now or phase ~= now.phase then
      if now then now.to = call.from end
      now = { phase = phase, from = call.from, calls = 0, call_ns = 0, to_gpu = 0, from_gpu = 0,
        copy = 0, launches = 0, copies_ns = 0 }
      list[#list + 1] = now
    end
    last, now.calls = math.max(last, call.to), now.calls + 1
    now.call_ns = now.call_ns + call.to - call.from
    if call.does == "launch" then now.launches = now.launches + 1 end
    if call.moved then
      now[call.does] = now[call.does] + call.moved.bytes
      if call.does == "to_gpu" then
        now.copies_ns = now.copies_ns + call.moved.to - call.moved.from
      end
    end
  end
  now.to = last
  if list[1].phase == "init" and list[1].calls == 0 then table.remove(list, 1) end
  return list
end

describe("phases of the two processes of a capture", function()
  local data, answer, rows
  setup(function()
    data = fixture.new(NSYS)
    answer = data:run(NSYS):phases { idle = "200us" }
    rows = source_rows.nsys(NSYS)
  end)
  teardown(function() data:remove() end)

  local function of(frame, pid)
    return counted.by(answer:frame(frame).rows, "process")[("python3 (%d)"):format(pid)]
  end

  local function each(check)
    for _, pid in ipairs { 111, 112 } do check(pid, calls_of(rows, pid)) end
  end

  it("follow each other as the calls do, and add up", function()
    each(function(pid, calls)
      local list, sums, times = stretches(calls), {}, {}
      local told = of("timeline", pid)
      assert.equal(#list, #told)
      assert.is_true(#list > 20)
      for i, s in ipairs(list) do
        assert.same({ s.phase, s.from - rows[1].from, s.to - s.from, s.calls, s.to_gpu, s.from_gpu,
          s.launches }, { told[i].phase, told[i].at_ns, told[i].dur_ns, told[i].calls,
          told[i].to_gpu_bytes, told[i].from_gpu_bytes, told[i].launches }, "stretch " .. i)
        local sum = sums[s.phase] or { total = 0 }
        sums[s.phase], times[s.phase] = sum, (times[s.phase] or 0) + 1
        sum.total = sum.total + s.to - s.from
        for key, value in pairs(s) do
          if type(value) == "number" then sum[key] = (sum[key] or 0) + value end
        end
      end
      local whole = list[#list].to - list[1].from
      for _, row in ipairs(of("phases", pid)) do
        local sum = sums[row.phase]
        assert.same({ times[row.phase], sum.total, sum.calls, sum.call_ns, sum.to_gpu,
          sum.from_gpu, sum.copy, sum.launches }, { row.times, row.total_ns, row.calls, row.call_ns,
          row.to_gpu_bytes, row.from_gpu_bytes, row.copied_bytes or 0, row.launches }, row.phase)
        near(sum.total / whole, row.share, row.phase)
        if sum.to_gpu > 0 then
          near(sum.to_gpu * 1e9 / sum.copies_ns, row.to_gpu_bytes_per_s, row.phase)
        else
          assert.is_nil(row.to_gpu_bytes_per_s)
        end
        sums[row.phase] = nil
      end
      assert.is_nil(next(sums))
    end)
  end)

  it("have launches in bursts, without a copy or a wait between", function()
    each(function(pid, calls)
      local between, every, sizes, before, start = {}, {}, {}, nil, nil
      for _, call in ipairs(calls) do
        if call.does == "launch" then
          if before then
            between[#between + 1] = call.from - before
            sizes[#sizes] = sizes[#sizes] + 1
          else
            if start then every[#every + 1] = call.from - start end
            sizes[#sizes + 1], start = 1, call.from
          end
          before = call.from
        elseif call.does then
          before = nil
        end
      end
      local first
      for _, call in ipairs(calls) do
        if call.does == "launch" then first = first or call.from end
      end
      local work = {}
      for _, one in ipairs(of_category(rows, "kernel memcpy memset")) do
        if one.pid == pid then work[#work + 1] = one end
      end
      local busy = union(work)
      while busy[1][2] <= first do table.remove(busy, 1) end
      local from, to = math.max(first, busy[1][1]), busy[#busy][2]
      local longest, at = 0, nil
      for i = 2, #busy do
        local gap = busy[i][1] - busy[i - 1][2]
        if gap > longest then longest, at = gap, busy[i - 1][2] end
      end
      local row, launches = of("execution", pid)[1], 0
      for _, size in ipairs(sizes) do launches = launches + size end
      assert.same({ launches, #sizes, within(busy, from, to), #busy - 1, longest,
        at - rows[1].from }, { row.launches, row.bursts, row.gpu_ns, row.gpu_gaps,
        row.longest_gap_ns, row.longest_gap_at_ns })
      assert.is_true(#sizes > 10)
      near(median(sizes), row.launches_per_burst, "each")
      assert.is_true(math.abs(median(between) - row.between_ns) <= 0.5)
      assert.is_true(math.abs(median(every) - row.burst_every_ns) <= 0.5)
      near(row.gpu_ns / (to - from), row.gpu_share, "share")
    end)
  end)

  it("have how busy the GPU is in each cell of the time from the first call to the last", function()
    each(function(pid, calls)
      local work, last = {}, 0
      for _, one in ipairs(of_category(rows, "kernel memcpy memset")) do
        if one.pid == pid then work[#work + 1] = one end
      end
      for _, call in ipairs(calls) do last = math.max(last, call.to) end
      local busy, at = union(work), calls[1].from
      local cells = of("gpu_activity", pid)
      assert.equal(72, #cells)
      for _, cell in ipairs(cells) do
        assert.equal(at - rows[1].from, cell.at_ns)
        near(within(busy, at, at + cell.dur_ns) / cell.dur_ns, cell.share, "cell")
        at = at + cell.dur_ns
      end
      assert.equal(last, at)
    end)
  end)

  it("have the calls in which the host waits, and when nothing happens", function()
    each(function(pid, calls)
      local count, ns, last = 0, 0, 0
      for _, call in ipairs(calls) do
        last = math.max(last, call.to)
        if call.does == "wait" then count, ns = count + 1, ns + call.to - call.from end
      end
      local row = of("switches", pid)[1]
      assert.same({ count, ns }, { row.host_gpu_switches, row.wait_ns })
      near(ns / (last - calls[1].from), row.wait_share, "share")
      local all, wanted = {}, {}
      for _, one in ipairs(of_category(rows, "runtime kernel memcpy memset")) do
        if one.pid == pid then all[#all + 1] = one end
      end
      local does = union(all)
      for i = 2, #does do
        local gap = does[i][1] - does[i - 1][2]
        if gap >= 200000 then
          wanted[#wanted + 1] = { does[i - 1][2] - rows[1].from, gap }
        end
      end
      local told = {}
      for i, one in ipairs(of("idle", pid) or {}) do told[i] = { one.at_ns, one.dur_ns } end
      assert.same(wanted, told)
    end)
  end)
end)

describe("phases of a process whose calls alone were traced", function()
  local data, answer, calls, lines
  setup(function()
    data = fixture.new(INGERO)
    answer = data:run(INGERO):phases()
    lines, calls = source_rows.lines(INGERO), {}
    for _, line in ipairs(lines) do
      local h, m, s, ns = line.timestamp:match "T(%d+):(%d+):(%d+)%.(%d+)Z"
      line.from = math.tointeger((h * 60 + m) * 60 + s) * 1000000000 + math.tointeger(tonumber(ns))
      line.duration_ns = math.tointeger(line.duration_ns)
      -- A switch is told when the thread is back: from the time itself on, it makes calls.
      if line.op == "sched_switch" then line.from = line.from - line.duration_ns end
      line.to = line.from + line.duration_ns
      if line.source == "cuda" or line.source == "driver" then calls[#calls + 1] = line end
    end
    table.sort(calls, function(a, b) return a.from < b.from end)
  end)
  teardown(function() data:remove() end)

  it("are input until the first launch, then execution", function()
    local launch, last = nil, 0
    for i, call in ipairs(calls) do
      last = math.max(last, call.to)
      if call.op:find "Launch" then launch = launch or i end
    end
    local input, execute = table.unpack(answer:rows())
    assert.same({ "input", calls[launch].from - calls[1].from, launch - 1 },
      { input.phase, input.total_ns, input.calls })
    assert.same({ "execute", last - calls[launch].from },
      { execute.phase, execute.total_ns })
    local bytes = 0
    for _, call in ipairs(calls) do
      if call.op:find "Memcpy" then bytes = bytes + call.args[1] end
    end
    assert.equal(bytes, input.to_gpu_bytes)
    -- A driver's call in a runtime call is that one.
    local outer, until_at = 0, 0
    for i = launch, #calls do
      if not (calls[i].source == "driver" and calls[i].to <= until_at) then outer = outer + 1 end
      until_at = math.max(until_at, calls[i].to)
    end
    assert.same({ outer, outer }, { execute.calls, execute.launches })
  end)

  it("have the times without a call", function()
    local wanted, told, first = {}, {}, lines[1].from
    for _, line in ipairs(lines) do first = math.min(first, line.from) end
    local busy = union(calls)
    for i = 2, #busy do
      local gap = busy[i][1] - busy[i - 1][2]
      if gap >= 1000000 then wanted[#wanted + 1] = { busy[i - 1][2] - first, gap } end
    end
    for i, row in ipairs(answer:frame("idle").rows) do told[i] = { row.at_ns, row.dur_ns } end
    assert.is_true(#wanted > 5)
    assert.same(wanted, told)
  end)

  it("have how often and how long it was off the CPU", function()
    local count, ns = 0, 0
    for _, line in ipairs(lines) do
      if line.op == "sched_switch" and line.pid == calls[1].pid then
        count, ns = count + 1, ns + line.duration_ns
      end
    end
    local row = answer:frame("switches").rows[1]
    assert.same({ count, ns, 0 }, { row.os_switches, row.off_cpu_ns, row.host_gpu_switches })
  end)
end)
