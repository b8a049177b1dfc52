-- Real captures replayed into scenarios, and what a score then says.
local analysis_fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"
local td = require "tandem"

local PERIODIC <const> = "nsys/healthy_1pct.sqlite"
local COPIES <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local TRAINING <const> = "kineto/timeline_analysis__sampled_rank-0.json.gz"

local function by_name(rows)
  local out = {}
  for _, row in ipairs(rows) do out[row.name] = row end
  return out
end

describe("a capture replayed and scored", function()
  local data

  setup(function() data = analysis_fixture.new(PERIODIC, COPIES, TRAINING) end)
  teardown(function() data:remove() end)

  it("is within what its own constants leave out", function()
    local map = td.map { request = { starts = { kernel = "*elementwise_add*" }, each = "device" },
      stages = { { "add", kernel = "*elementwise_add*" }, { "gemm", kernel = "*gemm_nn*" } } }
    local real = assert(data:run(PERIODIC):visits(map))
    assert.equal(199, #real:arrivals())
    assert.equal("closed", assert(real:load()).workload.type)
    local model = td.scenario "constants" { workload = td.paced(1), target = td.gpu "L40",
      pipeline = { td.fixed "add" { on = "gpu", time = "1ms" },
        td.fixed "gemm" { on = "gpu", time = "1ms" } } }
    local made = assert(td.score(real, assert(real:replay(model))))
    local rows = by_name(made:frame "verdict".rows)
    assert.equal("within", made.verdict)
    assert.same({ 0, 0 }, { rows.add.difference, rows.gemm.difference })
    -- 20 µs of each 2.02 ms lie before the gemm, or after it, and are in no stage.
    assert.near(-20 / 2020, rows.total.difference, 1e-9)
    local between = by_name(made:frame "stages".rows)["(between)"]
    assert.equal(20000, between.real_mean_ns)
    assert.equal(0, between.simulated_mean_ns)
    assert.equal("time between stages", made:frame "worst".rows[1].mostly)
  end)

  it("says of lanes what an overlay of its stages says", function()
    local run = data:run(COPIES)
    local map = td.map { request = { sequence = { "HtoD", "kernel" }, each = "stream" },
      stages = { { "h2d", copy = "HtoD" }, { "d2d", copy = "DtoD" },
        { "compute", kernel = "*" } } }
    local model = td.scenario "constants" { workload = td.paced(1), target = td.gpu "H100",
      pipeline = { td.fixed "h2d" { on = "h2d", time = "8ms" },
        td.fixed "d2d" { on = "gpu", time = "290us" },
        td.fixed "compute" { on = "gpu", time = "390us" } } }
    local real = assert(run:visits(map))
    local again = assert(run:replay(model, { map = map })):visits()
    local lanes, stages = {}, {}
    for _, row in ipairs(assert(td.score(real, again)):frame("lanes").rows) do
      lanes[row.lane] = row
    end
    for _, row in ipairs(assert(td.overlay(real, again)):frame("lanes").rows) do
      stages[row.lane] = row
    end
    for _, side in ipairs { "real_busy", "simulated_busy" } do
      -- Shares of times that differ by what lies before the first arrival.
      assert.near(lanes.H2D[side], stages.h2d[side], 0.005)
      local gpu = stages.d2d[side] + stages.compute[side]
      assert.is_true(lanes.GPU[side] <= gpu + 0.002, side)
      assert.near(lanes.GPU[side], gpu, 0.01)
    end
    assert.is_true(stages.d2d.real_busy < 0.05)
    assert.is_true(stages.d2d.alike < 0.2)
  end)

  it("brings each request's own bytes", function()
    local run = data:run(COPIES)
    local map = td.map { request = { sequence = { "HtoD", "kernel" }, each = "stream" },
      stages = { { "h2d", copy = "HtoD" }, { "compute", kernel = "*" } } }
    local real = assert(run:visits(map))
    local rows, of = real:arrivals(), real:of "h2d"
    -- The file's own rows: on each stream, copies to the GPU until the kernels that follow them are
    -- over, which is where the next copy to the GPU begins.
    local open, counted = {}, {}
    for _, row in ipairs(source_rows.nsys(COPIES)) do
      local one = open[row.track]
      if row.kind == "HtoD" then
        if not one or one.kernels > 0 then
          one = { from = row.from, bytes = 0, own = 0, kernels = 0 }
          open[row.track] = one
        end
        one.bytes, one.own = one.bytes + row.bytes, one.own + row.to - row.from
      elseif row.category == "kernel" and one then
        if one.kernels == 0 then counted[#counted + 1] = one end
        one.kernels = one.kernels + 1
      end
    end
    table.sort(counted, function(x, y) return x.from < y.from end)
    assert.equal(#counted, #rows)
    for k, one in ipairs(counted) do
      assert.same({ one.bytes, one.own }, { of.bytes[k], of.own_ns[k] })
      assert.near(one.from - counted[1].from, (rows[k].arrival - rows[1].arrival) * 1e9, 0.5)
    end
    local bandwidth = 10e9
    local model = td.scenario "bytes" { workload = td.paced(1), attrs = { h2d_bytes = 0 },
      pipeline = {
      td.stage "h2d" { on = "cpu", cost = function(r) return r.h2d_bytes / bandwidth end } } }
    local again = assert(run:replay(model, { map = map }))
    local simulated = again:visits():of "h2d"
    assert.equal(#rows, #simulated.request)
    for k, request in ipairs(of.request) do
      assert.equal(of.bytes[k], rows[request].h2d_bytes)
      assert.near(of.bytes[k] / bandwidth * 1e9, simulated.own_ns[request], 1)
    end
    local made = assert(td.score(run, again, { map = map }))
    local error_ns, row = 0, by_name(made:frame "requests".rows).h2d
    for k, request in ipairs(of.request) do
      error_ns = error_ns + math.abs(simulated.own_ns[request] - of.own_ns[k]) / #of.request
    end
    assert.near(error_ns, row.mean_abs_ns, 1e-3)
    assert.equal("only real", by_name(made:frame "verdict".rows).compute.verdict)
  end)

  it("allows no verdict on two training steps, and wants a map", function()
    local run = data:run(TRAINING)
    local map = td.map { request = { range = "ProfilerStep#*" },
      stages = { { "compute", kernel = "*" } } }
    local model = td.scenario "steps" { workload = td.paced(1),
      pipeline = { td.fixed "compute" { time = "100ms" } } }
    local again = assert(run:replay(model, { map = map }))
    local made = assert(td.score(run, again, { map = map, gate = "compute.mean<5%" }))
    assert.equal("cannot tell", made.verdict)
    assert.equal("2 values: too few", by_name(made:frame "verdict".rows).compute.says)
    assert.equal("undecided", made:frame "gates".rows[1].verdict)
    local none, message, code = td.score(run, again)
    assert.is_nil(none)
    assert.matches("is measured: say which of its spans are requests", message, 1, true)
    assert.equal(3, code)
    local file = data.stores:write("map.lua", map:to_lua())
    local out, _, left = data.stores:tandem("score", run.id, again.id, "--map", file, "--gate",
      "compute.mean<5%", "--strict")
    assert.equal(1, left)
    assert.matches("Overall cannot tell: compute", out, 1, true)
    _, message, left = data.stores:tandem("score", run.id, again.id, "--map", "no/such.lua")
    assert.equal(4, left)
    assert.matches("cannot read", message, 1, true)
  end)
end)
