-- Does a server drift from its twin? Simulated ones, changed and with nearly nobody. How often one
-- that has not changed is said to have is counted in tests/theory; one that is asked over HTTP is
-- in tests/web.
local drift = require "tandem.twin.drift"
local drifting = require "tests.theory.support.drifting"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local td = require "tandem"

local WINDOW <const>, RECORDED <const> = drifting.WINDOW, drifting.RECORDED
local exported, judged, share = drifting.exported, drifting.judged, drifting.share

describe("drift", function()
  local recorded, twin

  setup(function()
    recorded = exported({}, RECORDED, 1)
    twin = assert(td.twin { files = { recorded }, gpu = "H100 SXM" })
  end)
  teardown(function() os.remove(recorded) end)

  it("is seen when rate, lengths or steps change, and in what has changed", function()
    local detector = assert(drift.of(twin, WINDOW))
    assert(share(judged(detector, {}, 40, 5), "any") <= 0.1)
    for key, parts in pairs { rate = { rps = 10 }, prompt = { prompt = 1000 },
      output = { output = 160 }, gap = { factor = 0.8 } } do
      local list = judged(detector, parts, 10, 7)
      assert(share(list, key) >= 0.8, key .. " " .. share(list, key))
    end
    local slower = judged(detector, { factor = 0.8 }, 10, 8)
    assert(share(slower, "prompt") <= 0.2 and share(slower, "rate") <= 0.2)
  end)

  it("is not judged in windows that nearly nobody came in", function()
    local detector = assert(drift.of(twin, WINDOW))
    local path = exported({ rps = 0.02 }, 2 * WINDOW, 3, WINDOW)
    local merged = metrics.merged(assert(metrics.read { path }))
    os.remove(path)
    assert.is_nil(drift.seen(merged, names.own(), 1, 1))
    assert.is_nil((detector:judge(nil, WINDOW)))
  end)
end)
