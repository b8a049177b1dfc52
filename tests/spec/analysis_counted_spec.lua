--- Every analysis is held against a real capture: by another tool's figures (tests/data/expected,
--- the specs named below), or, here, by counting the rows of the capture's spans plainly in Lua.
local analysis = require "tandem.analysis"
local fixture = require "tests.spec.support.analysis_fixture"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local KINETO <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"
local CALLS <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"

-- Analysis → the spec that holds it against a capture, and who is asked there.
local ORACLES <const> = {
  kernels = { "analysis_kernels", "nsys stats" }, gpu = { "analysis_summary", "nsys stats" },
  api = { "analysis_summary", "nsys stats" }, launches = { "analysis_summary", "nsys stats" },
  syncs = { "analysis_summary", "nsys analyze" }, ranges = { "analysis_summary", "nsys stats" },
  projected = { "analysis_projected", "nsys stats" },
  range_kernels = { "analysis_projected", "nsys stats" }, ops = { "analysis_ops", "TraceLens" },
  osrt = { "analysis_counted", "a count" },
  breakdown = { "analysis_breakdown", "HolisticTraceAnalysis, TraceLens" },
  overlap = { "analysis_breakdown", "HolisticTraceAnalysis" },
  idle = { "analysis_breakdown", "HolisticTraceAnalysis" },
  gaps = { "analysis_counted", "a count" },
  queue = { "analysis_breakdown", "HolisticTraceAnalysis" },
  launch_delay = { "analysis_counted", "a count" },
  utilization = { "analysis_counted", "a count" },
  sequences = { "analysis_counted", "a count" }, graphs = { "analysis_process", "a count" },
  critical_path = { "analysis_critical_path", "HolisticTraceAnalysis" },
  ranks = { "analysis_process", "a count" }, phases = { "analysis_process", "two tracers" },
  categories = { "analysis_categories", "gputrc2graph, nsys stats" },
  flame = { "analysis_flame", "nsys stats" }, steps = { "analysis_counted", "a count" },
  copies = { "analysis_summary", "nsys stats" },
  bandwidth = { "analysis_breakdown", "HolisticTraceAnalysis" },
  memory = { "analysis_memory", "PyTorch" }, compile = { "analysis_compile", "PyTorch's log" },
  advice = { "advice", "nsys analyze" },
}

describe("every analysis", function()
  it("is held against a real capture", function()
    for _, name in ipairs(analysis.names()) do
      local oracle = assert(ORACLES[name], name .. " is held against no capture")
      local file <close> = assert(io.open(("tests/spec/%s_spec.lua"):format(oracle[1])))
      local text = file:read "a"
      assert.matches("[:\"]" .. name .. "[%(%s\"{]", text, nil, nil, name)
      assert.is_truthy(text:find 'gz"', name)
    end
  end)
end)

---@class tests.CountedSpan
---@field device string
---@field category string
---@field name string
---@field track integer
---@field from integer
---@field to integer
---@field cause string|nil  process and correlation: which call it is, or came from

---@return tests.CountedSpan[]  by track, then time
local function spans_of(data, run, categories)
  return data.store.db:all(([[SELECT t.process AS device, s.category, s.name, s.track,
    s.start_ns AS "from", s.start_ns + s.dur_ns AS "to", s.pid || ' ' || s.correlation AS cause
    FROM span s JOIN track t ON t.run = s.run AND t.id = s.track
    WHERE s.run = ? AND s.category IN (%s) AND s.shape = 'span'
    ORDER BY s.track, s.start_ns]]):format("'" .. categories:gsub(" ", "','") .. "'"),
    run.number)
end

-- Intervals of time as a list of { from, to } that neither touch nor overlap.
local function union(spans)
  local list = {}
  for i, s in ipairs(spans) do list[i] = { s.from, s.to } end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  local out = {}
  for _, one in ipairs(list) do
    local last = out[#out]
    if last and one[1] <= last[2] then
      last[2] = math.max(last[2], one[2])
    else
      out[#out + 1] = { one[1], one[2] }
    end
  end
  return out
end

local function within(intervals, from, to)
  local sum = 0
  for _, one in ipairs(intervals) do
    sum = sum + math.max(0, math.min(one[2], to) - math.max(one[1], from))
  end
  return sum
end

local function by_device(spans)
  local out = {}
  for _, s in ipairs(spans) do
    out[s.device] = out[s.device] or {}
    table.insert(out[s.device], s)
  end
  return out
end

local function near(wanted, got, what)
  assert(math.abs(wanted - got) <= 1e-9 * math.max(1, math.abs(wanted)),
    ("%s: %.17g counted, %.17g answered"):format(what, wanted, got))
end

describe("a count over the spans of a capture of two GPUs", function()
  local data, run, work
  setup(function()
    data = fixture.new(NSYS)
    run = data:run(NSYS)
    work = by_device(spans_of(data, run, "kernel memcpy memset"))
  end)
  teardown(function() data:remove() end)

  it("has the gaps", function()
    local answer = run:gaps { threshold = "10us", overhead = true, most = 100000 }
    local got, wanted = {}, {}
    for _, row in ipairs(answer:rows()) do
      got[#got + 1] = ("%s %d %d"):format(row.device, row.from_ns, row.gap_ns)
    end
    local devices = {}
    for device, spans in pairs(work) do
      local busy, count, total, longest = union(spans), 0, 0, 0
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
    for _, row in ipairs(answer:frame("devices").rows) do
      assert.same(devices[row.device], { row.count, row.total_ns, row.longest_ns })
      devices[row.device] = nil
    end
    assert.is_nil(next(devices))
  end)

  -- Of a gap: the innermost that covers more than half of it, else the one that covers most.
  it("has what the host did in the gaps", function()
    local calls, ranges = spans_of(data, run, "runtime driver osrt"), spans_of(data, run, "nvtx")
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
    local rows, named, waits = run:gaps({ threshold = "10us", overhead = true }):rows(), 0, 0
    assert.is_true(#rows > 20)
    for i, row in ipairs(rows) do
      local from, to, after = row.from_ns, row.from_ns + row.gap_ns, nil
      for _, s in ipairs(work[row.device]) do if s.from == to then after = after or s end end
      local launch = call_of[after.cause]
      local call = best(calls, from, to, launch and launch.track)
      local range = best(ranges, from, to, launch and launch.track)
      local what = ("gap %d from %d"):format(i, from)
      assert.same({ after.name, call and call.name, call and call.common, range and range.name,
        range and range.common, launch and (launch.from > from and "host wait" or "other") },
        { row.after, row.call, row.call_ns, row.range, row.range_ns, row.cause }, what)
      if call then named = named + 1 end
      if row.cause == "host wait" then waits = waits + 1 end
      if i > 1 then assert.is_true(rows[i - 1].gap_ns >= row.gap_ns) end
    end
    assert.is_true(named > 10 and waits > 5)
    -- The longest of them, by most.
    local few = run:gaps({ threshold = "10us", overhead = true, most = 7 }):rows()
    assert.equal(7, #few)
    for i, row in ipairs(few) do assert.same(rows[i], row) end
  end)

  it("has how busy the GPUs are over time", function()
    local rows, bins = run:utilization({ bins = 50 }):rows(), {}
    local busy = {}
    for device, spans in pairs(work) do busy[device] = union(spans) end
    for _, row in ipairs(rows) do
      bins[row.device] = (bins[row.device] or 0) + 1
      near(within(busy[row.device], row.from_ns, row.to_ns) / (row.to_ns - row.from_ns),
        row.busy_share, row.device)
    end
    assert.same({ ["GPU #0"] = 50, ["GPU #1"] = 50 }, bins)
  end)

  it("has the delays of launches, graphs apart", function()
    local calls = {}
    for _, call in ipairs(spans_of(data, run, "runtime driver")) do
      if call.cause then calls[call.cause] = call end
    end
    local counted = {}
    for device, spans in pairs(work) do
      local c = { launches = 0, short = 0, long = 0, late = 0, delay = 0, delays = {} }
      for _, s in ipairs(spans) do
        local call = calls[s.cause]
        if call and not call.name:find "GraphLaunch" then
          local delay, took = math.max(0, s.from - call.to), call.to - call.from
          c.launches, c.delay = c.launches + 1, c.delay + delay
          if s.to - s.from < took then c.short = c.short + 1 end
          if took > 50000 then c.long = c.long + 1 end
          if delay > 100000 then c.late = c.late + 1 end
          table.insert(c.delays, delay)
        end
      end
      table.sort(c.delays)
      counted[device] = c
    end
    local answer = run:launch_delay()
    assert.equal(2, #answer:rows())
    for _, row in ipairs(answer:rows()) do
      local c = counted[row.device]
      assert.same({ c.launches, c.short, c.long, c.late, c.delay }, { row.launches, row.short,
        row.runtime_outliers, row.delay_outliers, row.total_delay_ns })
      assert.is_true(c.launches > 1000)
    end
    for _, row in ipairs(answer:frame("durations").rows) do
      if row.measure == "launch_delay" then
        local c = counted[row.device]
        local n, squares = #c.delays, 0
        for _, d in ipairs(c.delays) do squares = squares + (d - c.delay / n) ^ 2 end
        near(c.delay / n, row.mean_ns, "mean")
        near((squares / (n - 1)) ^ 0.5, row.stddev_ns, "deviation")
        near((c.delays[(n + 1) // 2] + c.delays[n // 2 + 1]) / 2, row.median_ns, "median")
        assert.same({ c.delays[1], c.delays[n] }, { row.min_ns, row.max_ns })
      end
    end
  end)

  it("has the sequences that recur, those of one name apart", function()
    local LENGTH <const> = 4
    local tracks, order, counted = {}, {}, {}
    for _, spans in pairs(work) do
      for _, s in ipairs(spans) do
        if not tracks[s.track] then order[#order + 1] = s.track end
        tracks[s.track] = tracks[s.track] or {}
        table.insert(tracks[s.track], s)
      end
    end
    for _, track in ipairs(order) do
      local list, ends = tracks[track], {}
      for i = 1, #list - LENGTH + 1 do
        local names, ns, last = { list[i].device }, 0, 0
        for k = i, i + LENGTH - 1 do
          names[#names + 1] = list[k].name
          ns, last = ns + list[k].to - list[k].from, math.max(last, list[k].to)
        end
        local key = table.concat(names, "\0")
        if i >= (ends[key] or 0) then
          ends[key] = i + LENGTH
          local c = counted[key] or { count = 0, ns = 0, span = 0 }
          c.count, c.ns, c.span = c.count + 1, c.ns + ns, c.span + last - list[i].from
          counted[key] = c
        end
      end
    end
    local wanted, got = {}, {}
    for key, c in pairs(counted) do
      if c.count >= 5 then
        wanted[#wanted + 1] = ("%s %d %d %d"):format(key:match "^[^\0]+", c.count, c.ns,
          math.max(0, c.span - c.ns))
      end
    end
    for _, row in ipairs(run:sequences({ length = LENGTH, count = 5, top = 0 }):rows()) do
      got[#got + 1] = ("%s %d %d %d"):format(row.device, row.count, row.total_ns, row.gap_ns)
      near((row.total_ns + row.gap_ns) / row.count, row.mean_ns, "each")
    end
    table.sort(wanted)
    table.sort(got)
    assert.is_true(#wanted > 20)
    assert.same(wanted, got)
  end)
end)

describe("a count over the spans of a training step", function()
  local data, run
  setup(function()
    data = fixture.new(KINETO)
    run = data:run(KINETO)
  end)
  teardown(function() data:remove() end)

  -- Of each nanosecond in which something begins or ends, the first of the parts that covers it.
  local function counted(window, parts)
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
    local work = spans_of(data, run, "kernel memcpy memset")
    local function of(category, is_comm)
      local list = {}
      for _, s in ipairs(work) do
        local comm = s.category == "kernel" and s.name:find "^nccl" ~= nil
        if s.category == category and comm == is_comm then list[#list + 1] = s end
      end
      return union(list)
    end
    local loads, operators = {}, spans_of(data, run, "cpu_op")
    for _, s in ipairs(spans_of(data, run, "user_annotation")) do
      if s.name:find "^enumerate%(DataLoader%)" then loads[#loads + 1] = s end
    end
    local parts = { { name = "kernel", busy = of("kernel", false) },
      { name = "memcpy", busy = of("memcpy", false) },
      { name = "memset", busy = of("memset", false) }, { name = "comm", busy = of("kernel", true) },
      { name = "runtime", busy = union(spans_of(data, run, "runtime driver")) },
      { name = "data_loader", busy = union(loads) }, { name = "cpu", busy = union(operators) } }
    local steps = {}
    for _, s in ipairs(spans_of(data, run, "user_annotation")) do
      if s.name:find "^ProfilerStep" then steps[s.name] = s end
    end
    local middle
    local function check(row, from, to)
      local all = counted({ from, to }, parts)
      assert.equal(to - from, row.total_ns, row.step)
      for name, ns in pairs(all) do
        assert.equal(ns, row[name .. "_ns"], row.step .. " " .. name)
        near(ns / row.total_ns, row[name .. "_share"], name)
      end
      assert.is_true(all.kernel > 0 and all.cpu > 0 and all.runtime > 0)
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
    local run, counted, all = data.made:run(CALLS), {}, 0
    for _, s in ipairs(spans_of(data.made, run, "osrt")) do
      local c = counted[s.name] or { 0, 0, math.huge, 0 }
      local ns = s.to - s.from
      counted[s.name] = { c[1] + 1, c[2] + ns, math.min(c[3], ns), math.max(c[4], ns) }
      all = all + ns
    end
    assert.is_truthy(next(counted))
    for _, row in ipairs(run:osrt():rows()) do
      assert.same(counted[row.name], { row.count, row.total_ns, row.min_ns, row.max_ns })
      near(counted[row.name][2] / all, row.share, "share")
      counted[row.name] = nil
    end
    assert.is_nil(next(counted))
  end)
end)
