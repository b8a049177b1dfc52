--- Filters of time are windows onto the whole run: what is idle, queued or launched in them is
--- counted here a microsecond at a time.
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

local END <const> = 400

-- Three streams of two GPUs; calls lie up to 60 us before their work. Nothing runs from 150 to 190,
-- and GPU #1 has nothing after 250. Times in us.
local function work_of_streams()
  local state, works, id = 7, {}, 0
  local function random(most)
    state = state * 1103515245 + 12345 & 0x7fffffff
    return state // 65536 % most
  end
  for s, limit in ipairs { END, END, 250 } do
    local at, called = 8 + random(20), 0
    while at < limit - 20 do
      local from = at
      if from > 140 and from < 190 then from = 190 + random(5) end
      local to = from + 1 + random(9)
      called = math.max(called + 1, from - 1 - random(60))
      id = id + 1
      works[#works + 1] = { stream = s, from = from, to = to, call = called, id = id }
      at = to + (random(3) > 0 and random(14) or 0)
    end
  end
  return works
end

local WORKS <const> = work_of_streams()
local GPU_OF <const> = { "GPU #0", "GPU #0", "GPU #1" }
local NAMES <const> = { "stream 7", "stream 8", "stream 9" }
local PARTS <const> = { { 31, 64 }, { 120, 171 }, { 203, 290 } }

local function trace()
  local made = made_trace.new()
  local thread = made:thread(1)
  local streams = { made:stream(7, 0), made:stream(8, 0), made:stream(9, 1) }
  made:span("nvtx", thread, "all", 0, END)
  for _, part in ipairs(PARTS) do made:span("nvtx", thread, "part", part[1], part[2]) end
  -- One behind, within and over the other, each on a thread of its own; and one of no domain.
  for i, r in ipairs { { 60, 80 }, { 80, 100 }, { 90, 95 }, { 98, 130 }, { 130, 130 } } do
    made:span("nvtx", made:thread(1 + i), "touch", r[1], r[2], { domain = "mine" })
  end
  made:span("nvtx", made:thread(9), "touch", 200, 210)
  for _, w in ipairs(WORKS) do
    made:launch(thread, streams[w.stream], w.id, { w.call, w.call + 1 }, { w.from, w.to })
  end
  return made
end

-- Filters and the windows that they are.
local FILTERS <const> = {
  { { range = "40us..75us" }, { { 40, 75 } } },
  { { range = "100us..220us" }, { { 100, 220 } } },
  { { range = "155us..170us" }, { { 155, 170 } } }, -- nothing runs
  { { range = "..33us" }, { { 0, 33 } } },
  { { range = "260us.." }, { { 260, END } } }, -- GPU #1 has ended
  { { nvtx = "part" }, PARTS },
  { { nvtx = "touch@mine" }, { { 60, 130 } } },
  { { nvtx = "touch@" }, { { 200, 210 } } },
  { { nvtx = "touch" }, { { 60, 130 }, { 200, 210 } } },
}

local function merged(filter, more)
  for key, value in pairs(filter) do more[key] = value end
  return more
end

-- Whether each microsecond is busy, of what a test takes.
local function busy_of(takes)
  local busy = {}
  for _, w in ipairs(WORKS) do
    if takes(w) then for t = w.from, w.to - 1 do busy[t] = true end end
  end
  return busy
end

local function touches(windows, from, to)
  for _, w in ipairs(windows) do if from <= w[2] and to >= w[1] then return true end end
  return false
end

describe("a filter of time", function()
  local stores, run
  setup(function()
    stores = store_fixture.new()
    run = trace():run(stores)
  end)
  teardown(function() stores:remove() end)

  local function each(check)
    for i, filter in ipairs(FILTERS) do check(filter[1], filter[2], "filter " .. i) end
  end

  it("leaves the gaps of the whole timeline, cut to each window", function()
    each(function(filter, windows, what)
      local expected, idle = {}, {}
      for g, device in ipairs { "GPU #0", "GPU #1" } do
        local busy = busy_of(function(w) return GPU_OF[w.stream] == device end)
        idle[g] = 0
        for _, w in ipairs(windows) do
          local since
          for t = w[1], w[2] do
            local is_idle = t < w[2] and not busy[t]
            if is_idle then idle[g] = idle[g] + 1000 end
            if is_idle and not since then since = t end
            if since and not is_idle then
              expected[#expected + 1] = ("%s %d %d"):format(device, since * 1000,
                (t - since) * 1000)
              since = nil
            end
          end
        end
      end
      local found = {}
      local answer = run:gaps(merged(filter, { threshold = 1 }))
      for _, gap in ipairs(answer:rows()) do
        found[#found + 1] = ("%s %d %d"):format(gap.device, gap.at_ns, gap.gap_ns)
      end
      table.sort(expected)
      table.sort(found)
      assert.same(expected, found, what)
      for g, row in ipairs(answer:frame("devices").rows) do
        assert.equal(idle[g], row.total_ns, what)
      end
      local broken = run:breakdown(filter):rows()
      for g = 1, 2 do assert.equal(idle[g], broken[g].idle_ns, what) end
    end)
  end)

  it("leaves the idle time of each stream, with the causes that it has in the run", function()
    each(function(filter, windows, what)
      local function left(from, to)
        local sum = 0
        for _, w in ipairs(windows) do
          sum = sum + math.max(0, math.min(to, w[2]) - math.max(from, w[1]))
        end
        return sum * 1000
      end
      local rows = {}
      for _, row in ipairs(run:idle(merged(filter, { consecutive_kernel_delay = "4us" })):rows()) do
        rows[row.stream] = row
      end
      for s, name in ipairs(NAMES) do
        local host, kernel, other, busy, count, ended = 0, 0, 0, 0, 0, -1
        for _, w in ipairs(WORKS) do
          if w.stream == s then
            local idle = left(ended, w.from)
            if w.call > ended then
              host = host + idle
            elseif w.from - ended < 4 then
              kernel = kernel + idle
            else
              other = other + idle
            end
            busy = busy + left(w.from, w.to)
            if touches(windows, w.from, w.to) then count = count + 1 end
            ended = w.to
          end
        end
        host = host + left(ended, END)
        local row = rows[name]
        assert.same({ host, kernel, other, host + kernel + other, busy, count },
          { row.host_wait_ns, row.kernel_wait_ns, row.other_ns, row.idle_ns, row.busy_ns,
            row.count }, what .. ", " .. name)
      end
    end)
  end)

  it("leaves queues as long as they are in the run", function()
    each(function(filter, windows, what)
      local rows = {}
      for _, row in ipairs(run:queue(merged(filter, { full = 2 })):rows()) do
        rows[row.stream] = row
      end
      for s, name in ipairs(NAMES) do
        local count, sum, most, blocked = 0, 0, 0, 0
        for _, w in ipairs(windows) do
          for t = w[1], w[2] do
            -- Launches at t come after starts at t; each event is a sample.
            local length, starts, launches = 0, 0, 0
            for _, one in ipairs(WORKS) do
              if one.stream == s then
                if one.call < t and one.from >= t then length = length + 1 end
                if one.from == t then starts = starts + 1 end
                if one.call == t then launches = launches + 1 end
              end
            end
            for k = 1, starts + launches do
              length = length + (k <= starts and -1 or 1)
              count, sum, most = count + 1, sum + length, math.max(most, length)
            end
            if t < w[2] and length >= 2 then blocked = blocked + 1000 end
          end
        end
        local row = rows[name]
        if count == 0 then
          assert.is_nil(row, what)
        else
          assert.same({ count, most, blocked }, { row.count, row.max, row.blocked_ns },
            what .. ", " .. name)
          assert.near(sum / count, row.mean, 1e-9)
        end
      end
    end)
  end)

  it("leaves work with its call, wherever that lies", function()
    each(function(filter, windows, what)
      local count, delay = 0, 0
      for _, w in ipairs(WORKS) do
        if touches(windows, w.from, w.to) then
          count, delay = count + 1, delay + math.max(0, w.from - w.call - 1) * 1000
        end
      end
      local launches, delays, delayed = 0, 0, 0
      local answer = run:launches(filter)
      for _, row in ipairs(answer:rows()) do launches = launches + row.count end
      answer = run:launch_delay(filter)
      for _, row in ipairs(answer:rows()) do
        delays, delayed = delays + row.launches, delayed + row.total_delay_ns
      end
      assert.same({ count, count, delay }, { launches, delays, delayed }, what)
    end)
  end)

  it("finds GPUs idle that do nothing in it", function()
    local filter = { range = "155us..170us" }
    for _, row in ipairs(run:breakdown(filter):rows()) do
      assert.same({ 15000, 15000, 1 }, { row.total_ns, row.idle_ns, row.idle_share })
    end
    local used = run:utilization(merged(filter, { bins = 3 })):rows()
    assert.equal(6, #used)
    for _, row in ipairs(used) do assert.equal(0, row.busy_share) end
    local gap = run:gaps(merged(filter, { threshold = 1 })):rows()[1]
    assert.same({ "kernel", "kernel", "host wait" }, { gap.before, gap.after, gap.cause })
    -- Only the part of the gap in the window counts, also for what the host did.
    assert.same({ "part", 15000 }, { gap.range, gap.range_ns })
    local view <const> = assert(require("tandem.analysis.view").of(run, { range = "155us..170us" }))
    local device = view:count("evidence-idle").frames[1].rows[1]
    assert.same({ 15000, 0, 15000 }, { device.elapsed_ns, device.busy_ns, device.gap_ns })
  end)

  it("leaves of ranks what they did in it", function()
    local busy = busy_of(function() return true end)
    each(function(filter, windows, what)
      local span, used = 0, 0
      for _, w in ipairs(windows) do
        span = span + (w[2] - w[1]) * 1000
        for t = w[1], w[2] - 1 do used = used + (busy[t] and 1000 or 0) end
      end
      local row = run:ranks(filter):rows()[1]
      assert.same({ span, used, span - used, used },
        { row.span_ns, row.busy_ns, row.idle_ns, row.compute_ns }, what)
    end)
  end)

  it("leaves sequences of work that follows on another, not across what it hides", function()
    local made = made_trace.new()
    local thread, stream = made:thread(1), made:stream(7)
    for k, name in ipairs { "a", "hidden", "b", "hidden", "a", "hidden", "b" } do
      made:span("kernel", stream, name, 20 * k, 20 * k + 5)
      if name ~= "hidden" then made:span("nvtx", thread, "seen", 20 * k - 2, 20 * k + 7) end
    end
    local other = store_fixture.new()
    local apart = made:run(other)
    local whole = apart:sequences({ length = 3 }):rows()[1]
    assert.same({ "a > hidden > b", 2 }, { whole.sequence, whole.count })
    assert.is_true(apart:sequences({ length = 2, nvtx = "seen" }):abstains())
    local once = apart:sequences({ length = 3, range = "..52us", count = 1 }):rows()
    assert.same({ "a > hidden > b", 1, 1 }, { once[1].sequence, once[1].count, #once })
    other:remove()
  end)

  it("leaves GPU work under the stack that launched it before", function()
    local answer = run:flame { weight = "gpu", range = "100us..220us" }
    for _, row in ipairs(answer:frame("stacks").rows) do
      assert.not_equal("stream", row.category)
    end
    assert.is_nil(table.concat(answer.basis):find("no recorded call", 1, true))
    local categories = {}
    for _, row in ipairs(answer:frame("functions").rows) do categories[row.category] = row.count end
    local count = 0
    for _, w in ipairs(WORKS) do
      if touches({ { 100, 220 } }, w.from, w.to) then count = count + 1 end
    end
    assert.equal(count, categories.kernel)
  end)

  it("is what an empty answer names, not the run", function()
    for _, name in ipairs { "kernels", "gpu", "launches", "breakdown", "idle", "gaps", "queue",
      "launch_delay", "utilization", "steps", "overlap", "critical_path", "sequences", "ranks",
      "phases", "categories", "flame", "graphs", "ranges", "api" } do
      local answer = run[name](run, { range = "1ms.." })
      assert.is_true(answer:abstains(), name)
      assert.matches("the filter leaves n", table.concat(answer.cannot, ";"), 1, true)
    end
    local out = stores:path "none.json"
    local _, err, code = stores:tandem("export", run.id, "--from", "1ms", "-o", out)
    assert.same({ 3, "tandem export: no record of the run lies in this part of its time\n" },
      { code, err })
    assert.is_nil(io.open(out))
  end)

  it("finds no gap of an end that the run does not have", function()
    assert.is_true(run:gaps({ range = "1ms.." }):abstains())
    assert.equal(0, #run:gaps { range = "399us..", threshold = "2us" })
  end)
end)

describe("copies over time", function()
  local stores
  setup(function() stores = store_fixture.new() end)
  teardown(function() stores:remove() end)

  -- Bytes lie evenly over a copy; those of one that took no time lie in its microsecond.
  it("have their bytes in the parts that they ran in, each kind apart", function()
    local made = made_trace.new()
    local gpu, other = made:stream(7), made:stream(8)
    local copies = {}
    local function copy(on, kind, from, to, bytes)
      made:span("memcpy", on, "copy", from, to, { kind = kind, bytes = bytes })
      copies[#copies + 1] = { kind = kind, from = from, to = to, bytes = bytes }
    end
    made:span("kernel", gpu, "first", 0, 3)
    copy(gpu, "HtoD", 5, 35, 3000)
    copy(other, "DtoH", 10, 10, 70)
    copy(gpu, "HtoD", 40, 40, 11)
    copy(other, "DtoH", 20, 81, 6100)
    copy(gpu, "HtoD", 62, 99, 37)
    copy(other, "DtoH", 100, 100, 500) -- as the GPU's time ends
    local run = made:run(stores)
    for _, bins in ipairs { 1, 2, 4, 10, 20 } do
      local width, expected, got = 100 / bins, {}, {}
      for _, kind in ipairs { "HtoD", "DtoH" } do
        expected[kind], got[kind] = {}, {}
        for bin = 1, bins do
          local sum = 0
          for _, c in ipairs(copies) do
            local from, to = (bin - 1) * width, bin * width
            local share
            if c.from == c.to then
              local at = math.min(c.from, 99.999)
              share = at >= from and at < to and 1 or 0
            else
              share = math.max(0, math.min(c.to, to) - math.max(c.from, from)) / (c.to - c.from)
            end
            if c.kind == kind then sum = sum + share * c.bytes end
          end
          expected[kind][bin] = math.floor(sum + 0.5)
        end
      end
      for _, row in ipairs(run:bandwidth({ bins = bins }):frame("over_time").rows) do
        local list = got[row.kind]
        assert.equal(#list * width * 1000, row.at_ns)
        list[#list + 1] = row.bytes
        assert(math.abs(row.bytes_per_s * width * 1e-6 - row.bytes) <= 0.5)
      end
      assert.same(expected, got)
    end
    local whole = {}
    for _, row in ipairs(run:bandwidth():rows()) do
      whole[row.kind] = { row.copies, row.bytes, row.time_ns }
    end
    assert.same({ HtoD = { 3, 3048, 67000 }, DtoH = { 3, 6670, 61000 } }, whole)
  end)
end)
