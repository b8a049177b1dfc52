-- A twin's detector of slow drift on drawn windows: false alarms in runs, shifts and ramps that no
-- window shows. Simulated servers are counted in tests/accuracy (scrapes).
local drift = require "tandem.twin.drift"
local slow = require "tandem.twin.slow"


-- A detector of one figure: recorded for `long` windows, deviation 0.05 of 48 simulated ones.
local function detector(draw, long, follows)
  local sum = 0
  for _ = 1, long do sum = sum + draw() end
  return { window_s = 60, long_s = 60 * long, expected = { ttft = math.exp(0.05 * sum / long) },
    luck = { ttft = { deviation = 0.05, count = 48, follows = follows or 0 } } }
end

-- After how many windows of a run it is called; nil: never.
local function called(slowly, draw, windows, shift)
  for k = 1, windows do
    local x = math.exp(0.05 * (draw() + shift(k)))
    local moved = slowly:add({ ttft = x }, 60, 60 * k)
    if moved then return k, moved[1] end
  end
end

local function none() return 0 end

describe("slow drift", function()
  math.randomseed(11, 5)
  local function draw()
    return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random())
  end

  it("is called in as few unchanged runs as was said, after recordings of any length", function()
    for _, long in ipairs { 2, 24 } do
      local alarms = 0
      for _ = 1, 400 do
        if called(slow.of(detector(draw, long)), draw, slow.HORIZON, none) then
          alarms = alarms + 1
        end
      end
      -- 5 % of 400 and four deviations; the doubt of the scatter takes its part.
      assert.is_true(alarms <= 38, alarms)
      assert.is_true(alarms >= 1, alarms)
    end
  end)

  it("is seen where a shift or a ramp is smaller than a window's luck", function()
    local late, half, steep = 0, 0, 0
    for _ = 1, 60 do
      local slowly = slow.of(detector(draw, 24))
      local k, moved = called(slowly, draw, 168, function(i) return i > 48 and 1 or 0 end)
      if not k or k > 108 then late = late + 1
      elseif k > 60 then
        assert.is_true(moved.change > 0)
        assert.equal("TTFT", moved.name)
      end
      if called(slow.of(detector(draw, 24)), draw, 168, function(i) return -0.03 * i end) then
        half = half + 1
      end
      local at = called(slow.of(detector(draw, 2)), draw, 168, function(i) return 0.1 * i end)
      if at and at <= 80 then steep = steep + 1 end
    end
    assert.is_true(late <= 6, late)
    assert.is_true(half >= 54, half)
    assert.is_true(steep >= 54, steep)
  end)

  it("says since when and by how much", function()
    local slowly = slow.of(detector(none, 24))
    local at, moved = called(slowly, none, 168, function(k) return k > 20 and 2 or 0 end)
    assert.is_true(at > 20 and at < 40)
    assert.equal(21 * 60, moved.since)
    assert.is_true(math.abs(moved.change - (math.exp(0.1) - 1)) < 0.001)
  end)

  it("waits longer where windows follow each other, and takes what is there", function()
    local free, bound = slow.of(detector(none, 24)), slow.of(detector(none, 24, 0.5))
    assert.is_true(bound.figures.ttft.deviation > 1.7 * free.figures.ttft.deviation)
    assert.is_nil(free:add(nil, 60, 0))
    assert.is_nil(free:add({ rate = 3 }, 60, 0))
    -- A longer run and fewer alarms want a higher bound.
    assert.is_true(slow.of(detector(none, 24), 1000).figures.ttft.bound > free.figures.ttft.bound)
    assert.is_true(slow.of(detector(none, 24), nil, 0.01).figures.ttft.bound
      > free.figures.ttft.bound)
    assert.equal(5, #drift.figures)
  end)
end)
