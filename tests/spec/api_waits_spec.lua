--- Calls in which the host waits for the GPU, whatever the tracer calls them: in every analysis
--- that asks.
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

-- Ten kernels of 100 us, 200 us apart, each waited for from its middle to 10 us after its end; the
-- runtime's wait has the driver's in it. Asynchronous copies wait for nothing. Times in us.
local function waits(stores, call, inside)
  local made = made_trace.new()
  local thread, stream = made:thread(), made:stream()
  for i = 0, 9 do
    local at = 1000 + 200 * i
    made:span("nvtx", thread, "request", at - 30, at + 120)
    made:launch(thread, stream, i + 1, { at - 20, at - 10 }, { at, at + 100 })
    made:span("runtime", thread, "cudaMemcpyAsync", at + 10, at + 20, { correlation = 100 + i })
    made:span("runtime", thread, call, at + 50, at + 110, { correlation = 200 + i })
    if inside then
      made:span("driver", thread, inside, at + 51, at + 109, { correlation = 300 + i })
    end
  end
  return made:run(stores)
end

-- How the runtime's call is written, and the driver's in it.
local SPELLINGS <const> = {
  { "cudaDeviceSynchronize" }, { "cudaDeviceSync" }, { "cudaDeviceSync", "cuCtxSynchronize" },
  { "cudaStreamSync" }, { "hipStreamSynchronize_spt" }, { "cuStreamSync_v2" },
}

for _, spelled in ipairs(SPELLINGS) do
  describe(table.concat(spelled, " with ") .. " inside", function()
    local stores, run
    setup(function()
      stores = store_fixture.new()
      run = waits(stores, spelled[1], spelled[2])
    end)
    teardown(function() stores:remove() end)

    it("is the one wait of syncs, and what is inside it is the same wait", function()
      local answer = run:syncs()
      local rows = answer:frame("calls").rows
      assert.equal(1, #rows)
      assert.same({ spelled[1], 10, 10 * 60000, 1 },
        { rows[1].name, rows[1].count, rows[1].total_ns, rows[1].share })
      assert.equal(spelled[2] ~= nil, table.concat(answer.basis, "\n"):find(
        "10 calls inside another that waits are the same wait and not counted", 1, true) ~= nil)
    end)

    it("is a switch from host to GPU", function()
      local row = run:phases():frame("switches").rows[1]
      assert.same({ 10, 10 * 60000 }, { row.host_gpu_switches, row.wait_ns })
    end)

    it("is what the critical path waits in", function()
      local bound = {}
      for _, row in ipairs(run:critical_path():frame("bound").rows) do
        bound[row.bound] = row.total_ns
      end
      assert.equal(10 * 100000, bound.gpu_compute_bound)
    end)

    it("is what a map's rule for synchronization takes", function()
      local of = assert(run:visits(td.map { request = { range = "request" },
        stages = { { "wait", sync = spelled[1] } } }))
      assert.equal(10, #of:of("wait").request)
    end)

    it("is evidence of too much synchronization, once each", function()
      local row = assert(run:advice { only = "oversynchronization" }):rows()[1]
      assert.matches("^10 waits of 600 µs in all; in 9 gaps", row.evidence)
      assert.is_true(row.gain_ns > 0 and row.most_ns <= 9 * 100000)
    end)
  end)
end

describe("a wait for an event", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  it("is a wait, but no evidence of too much synchronization", function()
    local run = waits(stores, "cudaEventSync")
    assert.equal(10, run:syncs():frame("calls").rows[1].count)
    assert.equal(0, #assert(run:advice { only = "oversynchronization" }):rows())
  end)
end)
