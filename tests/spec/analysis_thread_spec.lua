--- A filter by thread leaves of GPUs what the thread launched.
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

-- Thread 1 launches three kernels and a copy, thread 2 two kernels and a memset; all but one kernel
-- on one stream. The last work has no call. Times in us.
local WORKS <const> = {
  { tid = 1, category = "kernel", name = "gemm", call = 1, from = 10, to = 14 },
  { tid = 2, category = "kernel", name = "norm", call = 2, from = 14, to = 20 },
  { tid = 1, category = "memcpy", name = "Memcpy HtoD", call = 3, from = 22, to = 24,
    bytes = 100 },
  { tid = 2, category = "memset", name = "Memset", call = 4, from = 25, to = 26, bytes = 7 },
  { tid = 1, category = "kernel", name = "gemm", call = 40, from = 50, to = 55 },
  { tid = 2, category = "kernel", name = "norm", call = 41, from = 52, to = 58, stream = 8 },
  { tid = 1, category = "kernel", name = "last", call = 70, from = 80, to = 81 },
  { category = "kernel", name = "of nobody", from = 90, to = 95 },
}

local function trace(with_correlation)
  local made = made_trace.new()
  local threads = { made:thread(1), made:thread(2) }
  local streams = { [7] = made:stream(7), [8] = made:stream(8) }
  for id, w in ipairs(WORKS) do
    local correlation = with_correlation and id or nil
    if w.tid then
      made:span("runtime", threads[w.tid], "cudaLaunchKernel", w.call, w.call + 1,
        { correlation = correlation })
    end
    made:span(w.category, streams[w.stream or 7], w.name, w.from, w.to,
      { correlation = correlation, bytes = w.bytes })
  end
  return made
end

-- The pieces of work of a thread, that a test takes; how many and how long they are together.
local function of(tid, takes)
  local count, total_ns = 0, 0
  for _, w in ipairs(WORKS) do
    if w.tid == tid and (not takes or takes(w)) then
      count, total_ns = count + 1, total_ns + (w.to - w.from) * 1000
    end
  end
  return { count, total_ns }
end

local function sum_of(answer, frame)
  local count, total_ns = 0, 0
  local has, found = pcall(answer.frame, answer, frame)
  for _, row in ipairs(has and found.rows or {}) do
    count, total_ns = count + row.count, total_ns + row.total_ns
  end
  return { count, total_ns }
end

describe("a filter by thread", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  it("leaves of GPUs what the thread launched", function()
    local run = trace(true):run(stores)
    for tid = 1, 2 do
      local filter = { thread = tid }
      local kernels = of(tid, function(w) return w.category == "kernel" end)
      assert.same(kernels, sum_of(run:kernels(filter), "kernels"))
      assert.same(of(tid, function(w) return w.category ~= "kernel" end),
        sum_of(run:copies(filter), "time"))
      local all, busy_ns, compute_ns = of(tid), 0, 0
      for _, row in ipairs(run:breakdown(filter):rows()) do
        busy_ns, compute_ns = busy_ns + row.busy_ns, compute_ns + row.compute_ns
      end
      assert.same({ all[2], kernels[2] + (tid == 2 and 1000 or 0) }, { busy_ns, compute_ns })
      assert.equal(all[1], run:launch_delay(filter):rows()[1].launches)
      local launched = 0
      for _, row in ipairs(run:launches(filter):rows()) do launched = launched + row.count end
      assert.equal(kernels[1], launched)
    end
    local others = run:idle({ thread = 1 }):rows()
    assert.equal(1, #others)
    -- 14..22 was launched before, 24..50 and 55..80 after the stream fell idle.
    assert.same({ "stream 7", 51000, 0, 4 }, { others[1].stream, others[1].host_wait_ns,
      others[1].other_ns, others[1].count })
    assert.equal(8000, others[1].kernel_wait_ns)
    assert.matches("what thread 1 launched", table.concat(run:breakdown({ thread = 1 }).basis, ";"),
      1, true)
  end)

  it("knows calls that lie before a time", function()
    local run = trace(true):run(stores)
    local filter = { thread = 1, range = "12us..23us" }
    assert.same({ 1, 4000 }, sum_of(run:kernels(filter), "kernels"))
    assert.equal(2, run:launch_delay(filter):rows()[1].launches)
    local row = run:breakdown(filter):rows()[1]
    assert.same({ 11000, 3000, 8000 }, { row.total_ns, row.busy_ns, row.idle_ns })
  end)

  it("is refused where nothing says who launched what", function()
    local run = trace(false):run(stores)
    local why = "which GPU work thread 2 launched is not recorded (no argument correlation on it "
      .. "and on API calls)"
    for _, name in ipairs { "kernels", "gpu", "copies", "breakdown", "gaps", "sequences" } do
      local answer, message = run[name](run, { thread = 2 })
      assert.is_nil(answer, name)
      assert.equal(why, message, name)
    end
    assert.equal(3, run:api({ thread = 2 }):rows()[1].count) -- of the host's rows nothing is asked
  end)
end)
