-- How often a twin says of a server that has not changed that it has.
local drift = require "tandem.twin.drift"
local drifting = require "tests.theory.support.drifting"
local td = require "tandem"

local WINDOW <const>, RECORDED <const> = drifting.WINDOW, drifting.RECORDED
local exported, judged, share = drifting.exported, drifting.judged, drifting.share

describe("drift", function()
  -- 5 % are asked for, of twins of three recordings, each of which errs in its own way.
  it("is seen in as few unchanged windows as was said", function()
    local seen, n = 0, 0
    for seed = 11, 13 do
      local path = exported({}, RECORDED, seed)
      local one = assert(td.twin { files = { path }, gpu = "H100 SXM" })
      os.remove(path)
      local list = judged(assert(drift.of(one, WINDOW, 0.05)), {}, 40, 100 + seed)
      seen, n = seen + share(list, "any") * #list, n + #list
    end
    assert(seen / n <= 0.08, seen / n)
  end)
end)
