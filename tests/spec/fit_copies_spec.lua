--- Bandwidths and latencies of copies whose truth is known: what is fitted, and what is left as the
--- scenario has it, and why.
local fit_visits = require "tests.spec.support.fit_visits"
local td = require "tandem"

local function near(wanted, got)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.abs(wanted),
    ("%s, not %s"):format(got, wanted))
end

describe("copies of a fit", function()
  local MIB <const> = 1024 * 1024

  -- A fit of copies, one after the other, of so many bytes and seconds each.
  local function fitted(copies, link, extra)
    local made, raw = {}, {}
    for i, copy in ipairs(copies) do
      made[i] = { name = "c" .. i, lane = "H2D", bytes = function(r) return copy.bytes(r.i) end,
        time = function(r, g) return copy.time(r.i, copy.bytes(r.i)) * g.lognormal(0.001) end }
      raw[i] = td.transfer("c" .. i) { on = copy.on or "h2d", bytes = copy.wants,
        latency = copy.latency }
    end
    local real = fit_visits.visits { count = 60, seed = 4, stages = made,
      sizes = function(_, i) return { i = i } end, gap = function() return 1.0 end }
    local own = { workload = td.poisson { rps = 1, requests = 60 },
      target = td.gpu "mine" { h2d = link }, pipeline = raw }
    for key, value in pairs(extra or {}) do own[key] = value end
    return assert(td.fit { real = real, hold = 0, rest = false,
      scenario = td.scenario "copies" (own) })
  end
  local function one_size() return MIB end
  local function sizes(i) return MIB * (1 + i % 4) end
  local function refused(made)
    local out = {}
    for i, one in ipairs(made.refused) do out[i] = one.what .. ": " .. one.why end
    return table.concat(out, "; ")
  end

  it("share one bandwidth and have latencies of their own", function()
    local made = fitted({ { bytes = sizes, wants = "1MiB", latency = "3us",
      time = function(_, bytes) return 20e-6 + bytes / 10e9 end },
      { bytes = sizes, wants = "1MiB", time = function(_, bytes) return 50e-6 + bytes / 10e9 end }
    }, "4GB/s")
    local rate = made:parameter "target.h2d"
    assert.near(10e9, rate.value, 2e7)
    near(4e9, rate.prior)
    assert.is_nil(rate.stage)
    local first, second = made:parameter "pipeline.c1.latency", made:parameter "pipeline.c2.latency"
    assert.near(20e-6, first.value, 5e-7)
    assert.near(50e-6, second.value, 5e-7)
    near(3e-6, first.prior)
    assert.is_nil(second.prior)
    assert.near(2.5 * MIB, made:parameter "pipeline.c1.bytes".value, 1)
    assert.same({ "empirical", "empirical" }, { made.changes["pipeline.c1.bytes"].type,
      made.changes["pipeline.c2.bytes"].type })
  end)

  it("that fall so fast with their bytes that no line has times above 0 leave it all", function()
    local made = fitted({ { bytes = sizes, wants = "1MiB",
      time = function(i) return 1e-3 / (1 + i % 4) ^ 14 end } }, "4GB/s")
    assert.matches("target.h2d: the best fit has times that are not above 0", refused(made), 1,
      true)
    assert.is_nil(made.changes["target.h2d"])
  end)

  it("of a few bytes tell no bandwidth, whatever they take", function()
    local made = fitted({ { bytes = function() return 8 end, wants = "8B",
      time = function() return 0.785e-6 end } }, "4GB/s")
    assert.is_nil(made.changes["target.h2d"])
    assert.equal("assumed", made:parameter "target.h2d".kind)
    assert.near(0.785e-6 - 8 / 4e9, made:parameter "pipeline.c1.latency".value, 1e-9)
    assert.matches("target.h2d: the copies are of 8 B at most: all latency, which tells no "
      .. "bandwidth", refused(made), 1, true)
  end)

  it("of one size leave latencies as the scenario has them", function()
    local made = fitted({ { bytes = one_size, wants = "1MiB", latency = "20us",
      time = function(_, bytes) return 20e-6 + bytes / 10e9 end },
      { bytes = function() return 2 * MIB end, wants = "1MiB",
        time = function(_, bytes) return bytes / 10e9 end } }, "4GB/s")
    assert.near(10e9, made:parameter "target.h2d".value, 2e7)
    local first, second = made:parameter "pipeline.c1.latency", made:parameter "pipeline.c2.latency"
    assert.same({ "assumed", 20e-6, "the scenario's" }, { first.kind, first.value, first.source })
    assert.same({ "assumed", 0, "not measured" }, { second.kind, second.value, second.source })
    assert.equal("pipeline.c1.latency: all copies are of 1 MiB: one size cannot tell latency from "
      .. "bandwidth; pipeline.c2.latency: all copies are of 2 MiB: one size cannot tell latency "
      .. "from bandwidth", refused(made))
    assert.is_nil(made.changes["pipeline.c1.bytes"])
    near(2 * MIB, made.changes["pipeline.c2.bytes"])
  end)

  it("have a latency of 0 where their time is in proportion to their bytes", function()
    local function lacking(seconds)
      return fitted({ { bytes = sizes, wants = "1MiB", latency = "20us",
        time = function(_, bytes) return bytes / 10e9 - seconds end } }, "4GB/s")
    end
    local made = lacking(2e-6)
    local latency = made:parameter "pipeline.c1.latency"
    assert.same({ "bound", 0, 0, "60 visits show none" }, { latency.kind, latency.value,
      latency.low, latency.source })
    assert.equal(0, latency.high)
    -- So much might have been overlooked.
    latency = lacking(5e-8):parameter "pipeline.c1.latency"
    assert.equal("bound", latency.kind)
    assert.is_true(latency.high > 1e-8 and latency.high < 1e-7)
    assert.equal(0, made.changes["pipeline.c1.latency"])
    assert.same({ "c1: its copies show no latency: their time is in proportion to their bytes",
      "c1: its copies are of 1 MiB to 4 MiB; the scenario draws from their sizes" }, made.notes)
    assert.equal("c1", made:parameter "target.h2d".stage)
  end)

  it("take the assumed bandwidth where their time does not grow", function()
    local function flat(link, latency)
      return fitted({ { bytes = sizes, wants = "1MiB", latency = latency,
        time = function(_, bytes) return 1e-3 - bytes / 1e12 end } }, link)
    end
    local made = flat("10GB/s", "20us")
    assert.matches("^target.h2d: the time of the copies does not grow with their bytes",
      refused(made))
    local latency, rate = made:parameter "pipeline.c1.latency", made:parameter "target.h2d"
    -- 2.5 MiB at the mean, off a millisecond.
    assert.near(1e-3 - 2.5 * MIB / 1e12 - 2.5 * MIB / 10e9, latency.value, 3e-5)
    near(20e-6, latency.prior)
    assert.equal("60 visits, with the assumed bandwidth", latency.source)
    assert.same({ "assumed", 10e9, "the scenario's" }, { rate.kind, rate.value, rate.source })
    assert.is_nil(flat("10GB/s").parameters[1].prior)
    assert.matches("; pipeline.c1: its copies take less time than their bytes would at the assumed "
      .. "1 GB/s$", refused(flat "1GB/s"))
  end)

  it("have the rate of their link, where they go over one", function()
    local function over(on, extra)
      return fitted({ { bytes = sizes, wants = "1MiB", on = on,
        time = function(_, bytes) return 20e-6 + bytes / 10e9 end } }, "4GB/s", extra)
    end
    local links = { td.link "slow" { bandwidth = "1GB/s" }, td.link "net" { bandwidth = "2GB/s" } }
    local made = over("net", { resources = links })
    local rate = made:parameter "resources.net.bandwidth"
    assert.near(10e9, rate.value, 2e7)
    near(2e9, rate.prior)
    assert.is_nil(made:parameter "resources.slow.bandwidth" or made:parameter "target.h2d")
    assert.equal("pipeline.c1: its GPUs are several kinds with rates of their own",
      refused(over("h2d", { target = td.fleet { td.gpu "L40" {}, td.gpu "L4" {} } })))
    assert.equal("pipeline.c1: it goes over the link 'pcie' of the GPU, whose rate requests share",
      refused(over("h2d", { target = td.gpu "mine" { h2d = "4GB/s", link = td.link "pcie" {
        bandwidth = "25GB/s", shared = true } } })))
  end)

  it("are of some bytes", function()
    assert.matches("pipeline.c1: its copies are of 0 bytes", refused(fitted({ { wants = 0,
      bytes = function() return 0 end, time = function() return 1e-3 end },
      { wants = "1MiB", bytes = sizes, time = function(_, bytes) return bytes / 1e9 end } },
      "1GB/s")))
  end)
end)
