--- What no other tool prints of the time of GPUs and hosts, counted plainly in Lua over the rows
--- that a capture's own file has (tests/spec/support/source_rows.lua).
local counted = require "tests.spec.support.counted"
local fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local KINETO <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"
local CALLS <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"

local near, of_category, union, within = counted.near, counted.of_category, counted.union,
  counted.within

local function by_device(spans)
  return counted.by(spans, function(row) return "GPU #" .. row.device end)
end

-- What GPU work is, as TraceLens has it: memsets compute.
local function what_of(row)
  if row.category == "memcpy" then return "copy" end
  return row.name:find "^nccl" and "comm" or "compute"
end

describe("a count over the spans of a capture of two GPUs", function()
  local data, run, all, work
  setup(function()
    data = fixture.new(NSYS)
    run = data:run(NSYS)
    all = source_rows.nsys(NSYS)
    work = by_device(of_category(all, "kernel memcpy memset"))
  end)
  teardown(function() data:remove() end)

  it("has the gaps", function()
    local answer = run:gaps { threshold = "10us", overhead = true, most = 100000 }
    local got, wanted, whole = {}, {}, {}
    for _, row in ipairs(answer:rows()) do
      got[#got + 1] = ("%s %d %d"):format(row.device, row.from_ns, row.gap_ns)
      assert.equal(row.from_ns - all[1].from, row.at_ns)
    end
    local devices = {}
    for device, spans in pairs(work) do
      local busy, count, total, longest = union(spans), 0, 0, 0
      whole[device] = busy[#busy][2] - busy[1][1]
      for i = 2, #busy do
        local gap = busy[i][1] - busy[i - 1][2]
        if gap >= 10000 then
          wanted[#wanted + 1] = ("%s %d %d"):format(device, busy[i - 1][2], gap)
          count, total, longest = count + 1, total + gap, math.max(longest, gap)
        end
      end
      devices[device] = { count, total, longest }
    end
    table.sort(got)
    table.sort(wanted)
    assert.is_true(#wanted > 20)
    assert.same(wanted, got)
    for _, row in ipairs(answer:rows()) do
      near(row.gap_ns / whole[row.device], row.share, "share")
    end
    for _, row in ipairs(answer:frame("devices").rows) do
      assert.same(devices[row.device], { row.count, row.total_ns, row.longest_ns })
      near(row.total_ns / whole[row.device], row.share, "share")
      devices[row.device] = nil
    end
    assert.is_nil(next(devices))
  end)

  -- Of a gap: the innermost that covers more than half of it, else the one that covers most.
  it("has what the host did in the gaps", function()
    local calls, ranges = of_category(all, "runtime"), of_category(all, "nvtx")
    local call_of = {}
    for _, call in ipairs(calls) do
      if call.cause then call_of[call.cause] = call end
    end
    local function better(a, b)
      if a.half ~= b.half then return a.half end
      if not a.half and a.common ~= b.common then return a.common > b.common end
      if a.launches ~= b.launches then return a.launches end
      if a.to - a.from ~= b.to - b.from then return a.to - a.from < b.to - b.from end
      if a.from ~= b.from then return a.from < b.from end
      return a.track < b.track
    end
    local function best(rows, from, to, launcher)
      local found
      for _, r in ipairs(rows) do
        local common = math.min(r.to, to) - math.max(r.from, from)
        if common > 0 then
          local one = { name = r.name, from = r.from, to = r.to, track = r.track, common = common,
            half = common > (to - from) // 2, launches = r.track == launcher }
          if not found or better(one, found) then found = one end
        end
      end
      if found and found.common >= (to - from) // 10 then return found end
    end
    local rows, named, waits = run:gaps({ threshold = "10us", overhead = true,
      names = "whole" }):rows(), 0, 0
    assert.is_true(#rows > 20)
    for i, row in ipairs(rows) do
      local from, to, after = row.from_ns, row.from_ns + row.gap_ns, nil
      local before = false
      for _, s in ipairs(work[row.device]) do
        if s.from == to then after = after or s end
        before = before or s.to == from and s.name == row.before
      end
      local launch = call_of[after.cause]
      local call = best(calls, from, to, launch and launch.track)
      local range = best(ranges, from, to, launch and launch.track)
      local what = ("gap %d from %d"):format(i, from)
      local called = call and call.name:gsub("_v%d+$", "") -- versions of a call are one
      assert.same({ after.name, called, call and call.common, range and range.name,
        range and range.common, launch and (launch.from > from and "host wait" or "other") },
        { row.after, row.call, row.call_ns, row.range, row.range_ns, row.cause }, what)
      local asked = launch and (after.category == "kernel" and launch.to or launch.from)
      assert.equal(asked and math.max(0, asked - from), row.asked_ns, what)
      assert.is_true(before, what)
      local host = launch or call or range
      if host then
        assert.matches(("^thread %s "):format(host.track:match "%d+$"), row.thread, nil, nil, what)
      else
        assert.is_nil(row.thread)
      end
      if call then named = named + 1 end
      if row.cause == "host wait" then waits = waits + 1 end
      if i > 1 then assert.is_true(rows[i - 1].gap_ns >= row.gap_ns) end
    end
    assert.is_true(named > 10 and waits > 5)
    -- The longest of them, by most.
    local few = run:gaps({ threshold = "10us", overhead = true, most = 7,
      names = "whole" }):rows()
    assert.equal(7, #few)
    for i, row in ipairs(few) do assert.same(rows[i], row) end
  end)

  it("has how busy the GPUs are over time", function()
    local rows, bins = run:utilization({ bins = 50 }):rows(), {}
    local covered = {}
    for device, spans in pairs(work) do
      local of = counted.by(spans, what_of)
      covered[device] = { busy_share = union(spans), compute_share = union(of.compute or {}),
        comm_share = union(of.comm or {}), copy_share = union(of.copy or {}) }
    end
    local some = { compute_share = 0, copy_share = 0 } -- nothing communicates in this capture
    for _, row in ipairs(rows) do
      bins[row.device] = (bins[row.device] or 0) + 1
      for name, intervals in pairs(covered[row.device]) do
        near(within(intervals, row.from_ns, row.to_ns) / (row.to_ns - row.from_ns), row[name], name)
        if row[name] > 0 and some[name] then some[name] = some[name] + 1 end
      end
      assert.equal(row.from_ns - all[1].from, row.at_ns)
    end
    for name, count in pairs(some) do assert.is_true(count > 0, name) end
    assert.same({ ["GPU #0"] = 50, ["GPU #1"] = 50 }, bins)
  end)

  -- Of each piece of work: how long its call took, it took itself, and it was late.
  it("has the delays of launches, graphs apart", function()
    local calls = {}
    for _, call in ipairs(of_category(all, "runtime")) do
      if call.cause then calls[call.cause] = call end
    end
    local pairs_of, names = {}, {}
    for device, spans in pairs(work) do
      for _, s in ipairs(spans) do
        local call = calls[s.cause]
        if call and not call.name:find "GraphLaunch" then
          for list, key in pairs { [pairs_of] = device, [names] = device .. "|" .. s.name } do
            list[key] = list[key] or { cpu = {}, gpu = {}, delay = {} }
            table.insert(list[key].cpu, call.to - call.from)
            table.insert(list[key].gpu, s.to - s.from)
            table.insert(list[key].delay, math.max(0, s.from - call.to))
          end
        end
      end
    end
    local function sums(of)
      local c = { short = 0, runtime_outliers = 0, delay_outliers = 0, total = 0 }
      for i, delay in ipairs(of.delay) do
        c.total = c.total + delay
        if of.gpu[i] < of.cpu[i] then c.short = c.short + 1 end
        if of.cpu[i] > 50000 then c.runtime_outliers = c.runtime_outliers + 1 end
        if delay > 100000 then c.delay_outliers = c.delay_outliers + 1 end
      end
      return c
    end
    local answer = run:launch_delay()
    assert.equal(2, #answer:rows())
    for _, row in ipairs(answer:rows()) do
      local c, launches = sums(pairs_of[row.device]), #pairs_of[row.device].delay
      assert.same({ launches, c.short, c.runtime_outliers, c.delay_outliers, c.total },
        { row.launches, row.short, row.runtime_outliers, row.delay_outliers, row.total_delay_ns })
      near(c.short / launches, row.short_share, "share")
      assert.is_true(launches > 1000)
    end
    local MEASURES <const> = { cpu_duration = "cpu", gpu_duration = "gpu", launch_delay = "delay" }
    local seen = 0
    for _, row in ipairs(answer:frame("kernels").rows) do
      local of = assert(names[row.device .. "|" .. row.name], row.name)
      local c = sums(of)
      assert.same({ #of.delay, c.short, c.delay_outliers },
        { row.count, row.short, row.delay_outliers })
      counted.check(of.cpu, { count = #of.cpu, mean_ns = row.cpu_mean_ns }, row.name)
      counted.check(of.gpu, { count = #of.gpu, mean_ns = row.gpu_mean_ns }, row.name)
      counted.check(of.delay, { mean_ns = row.delay_mean_ns, max_ns = row.delay_max_ns }, row.name)
      names[row.device .. "|" .. row.name], seen = nil, seen + 1
    end
    assert.is_nil(next(names))
    assert.is_true(seen > 50)
    for _, row in ipairs(answer:frame("durations").rows) do
      counted.check(pairs_of[row.device][MEASURES[row.measure]], row, row.measure)
    end
  end)

  -- A kernel of a sequence is short where it is on the mean of all its occurrences.
  it("has the sequences that recur, those of one name apart", function()
    local LENGTH <const>, SHORT <const> = 4, 10000
    local found, whole = {}, 0
    for device, spans in pairs(work) do
      for _, s in ipairs(spans) do whole = whole + s.to - s.from end
      for _, list in pairs(counted.by(spans, "track")) do
        local ends = {}
        for i = 1, #list - LENGTH + 1 do
          local names, ns, last = { device }, 0, 0
          for k = i, i + LENGTH - 1 do
            names[#names + 1] = list[k].name
            ns, last = ns + list[k].to - list[k].from, math.max(last, list[k].to)
          end
          local key = table.concat(names, "\0")
          if i >= (ends[key] or 0) then
            ends[key] = i + LENGTH
            local c = found[key] or { count = 0, ns = 0, span = 0, of = list, at = i,
              each = { 0, 0, 0, 0 } }
            c.count, c.ns, c.span = c.count + 1, c.ns + ns, c.span + last - list[i].from
            c.first = math.min(c.first or list[i].from, list[i].from)
            for k = 1, LENGTH do
              local s = list[i + k - 1]
              c.each[k] = c.each[k] + s.to - s.from
            end
            found[key] = c
          end
        end
      end
    end
    local wanted, got, candidates = {}, {}, 0
    for key, c in pairs(found) do
      local kernels, short, gap = 0, 0, math.max(0, c.span - c.ns)
      for k = 1, LENGTH do
        if c.of[c.at + k - 1].category == "kernel" then
          kernels = kernels + 1
          if c.each[k] / c.count < SHORT then short = short + 1 end
        end
      end
      local fusion, graph = short == LENGTH, short > 0 and gap > c.ns / 4
      local candidate = (fusion and "fusion" or "") .. (fusion and graph and ", " or "")
        .. (graph and "graph" or "")
      if c.count >= 5 then
        wanted[#wanted + 1] = ("%s %d %d %d %d %s %d"):format(key:match "^[^\0]+", c.count, c.ns,
          gap, short, candidate, c.first - all[1].from)
        if candidate ~= "" then candidates = candidates + 1 end
      end
    end
    for _, row in ipairs(run:sequences({ length = LENGTH, count = 5, top = 0 }):rows()) do
      got[#got + 1] = ("%s %d %d %d %d %s %d"):format(row.device, row.count, row.total_ns,
        row.gap_ns, row.short_kernels, row.candidate or "", row.first_ns)
      near((row.total_ns + row.gap_ns) / row.count, row.mean_ns, "each")
      near(row.total_ns / whole, row.share, "share")
    end
    table.sort(wanted)
    table.sort(got)
    assert.is_true(#wanted > 20 and candidates > 5)
    assert.same(wanted, got)
  end)
end)

describe("a count over the spans of a training step", function()
  local data, run, all
  setup(function()
    data = fixture.new(KINETO)
    run = data:run(KINETO)
    all = source_rows.kineto(KINETO)
  end)
  teardown(function() data:remove() end)

  -- Of each nanosecond in which something begins or ends, the first of the parts that covers it.
  local function by_priority(window, parts)
    local out, cuts = {}, { window[1], window[2] }
    for _, part in ipairs(parts) do
      out[part.name] = 0
      for _, one in ipairs(part.busy) do
        for _, at in ipairs(one) do
          if at > window[1] and at < window[2] then cuts[#cuts + 1] = at end
        end
      end
    end
    out.other = 0
    table.sort(cuts)
    local at = {}
    for i = 2, #cuts do
      local from, to, of = cuts[i - 1], cuts[i], "other"
      for p, part in ipairs(parts) do
        local busy = part.busy
        at[p] = at[p] or 1
        while busy[at[p]] and busy[at[p]][2] <= from do at[p] = at[p] + 1 end
        local one = busy[at[p]]
        if to > from and one and one[1] <= from and one[2] >= to then
          of = part.name
          break
        end
      end
      out[of] = out[of] + to - from
    end
    return out
  end

  it("has what each step spent its time on", function()
    local work = of_category(all, "kernel memcpy memset")
    local function of(category, is_comm)
      local list = {}
      for _, s in ipairs(work) do
        local comm = s.category == "kernel" and s.name:find "^nccl" ~= nil
        if s.category == category and comm == is_comm then list[#list + 1] = s end
      end
      return union(list)
    end
    local loads, operators = {}, of_category(all, "cpu_op")
    for _, s in ipairs(of_category(all, "user_annotation")) do
      if s.name:find "^enumerate%(DataLoader%)" then loads[#loads + 1] = s end
    end
    local parts = { { name = "kernel", busy = of("kernel", false) },
      { name = "memcpy", busy = of("memcpy", false) },
      { name = "memset", busy = of("memset", false) }, { name = "comm", busy = of("kernel", true) },
      { name = "runtime", busy = union(of_category(all, "runtime driver")) },
      { name = "data_loader", busy = union(loads) }, { name = "cpu", busy = union(operators) } }
    local steps = {}
    for _, s in ipairs(of_category(all, "user_annotation")) do
      if s.name:find "^ProfilerStep" then steps[s.name] = s end
    end
    local middle
    local function check(row, from, to)
      local sums = by_priority({ from, to }, parts)
      assert.equal(to - from, row.total_ns, row.step)
      for name, ns in pairs(sums) do
        assert.equal(ns, row[name .. "_ns"], row.step .. " " .. name)
        near(ns / row.total_ns, row[name .. "_share"], name)
      end
      assert.is_true(sums.kernel > 0 and sums.cpu > 0 and sums.runtime > 0)
    end
    local rows = run:steps():rows()
    assert.is_true(#rows >= 2)
    for _, row in ipairs(rows) do
      local s = steps[row.step]
      assert.equal(s.from, row.from_ns)
      check(row, s.from, s.to)
      middle = middle or { row.step, s.from, s.to }
    end
    -- And of a part of a step.
    local from = middle[2] - run.first_ns + (middle[3] - middle[2]) // 3
    local to = middle[2] - run.first_ns + (middle[3] - middle[2]) // 2
    local cut = run:steps({ range = ("%dns..%dns"):format(from, to), name = middle[1] }):rows()
    assert.equal(1, #cut)
    check(cut[1], from + run.first_ns, to + run.first_ns)
  end)
end)

describe("a count over the calls of a traced process", function()
  it("has those of the operating system", function()
    local data <close> = setmetatable({ made = fixture.new(CALLS) },
      { __close = function(self) self.made:remove() end })
    local times, all = {}, 0
    for _, line in ipairs(source_rows.lines(CALLS)) do
      -- Scheduling is none; what lasts 0 ns happened, and was not called.
      if line.source == "net" or line.source == "host" and not line.op:find "^sched_"
        and line.duration_ns > 0 then
        times[line.op] = times[line.op] or {}
        table.insert(times[line.op], line.duration_ns)
        all = all + line.duration_ns
      end
    end
    assert.is_truthy(next(times))
    for _, row in ipairs(data.made:run(CALLS):osrt():rows()) do
      counted.check(times[row.name], row, row.name)
      counted.near(row.total_ns / all, row.share, "share")
      times[row.name] = nil
    end
    assert.is_nil(next(times))
  end)
end)
