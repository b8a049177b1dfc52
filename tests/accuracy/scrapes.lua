-- What is said of servers by their scrapes, of simulated ones whose truth is known: intervals of
-- scores of a server against itself with other luck, bins in the range of simulations, how often a
-- twin calls a server drifted that has not changed, and one that has, at once or little by little.
--
-- SCRAPES_SEED draws others, SCRAPES_RUNS so many recordings (10) and twins (6).

local drift = require "tandem.twin.drift"
local drifting = require "tests.theory.support.drifting"
local slow = require "tandem.twin.slow"
local td = require "tandem"

local scrapes = {}

local LEAST_HELD <const>, MOST_ALARMS <const> = 0.93, 2 -- alarms: times what was asked for
local DURATION <const>, SCRAPE <const>, ALARM <const>, WINDOWS <const> = 300, 5, 0.05, 60

local function scored(seed, runs)
  local directory = os.tmpname()
  os.remove(directory)
  local store <close> = assert(td.store(directory .. ".db"))
  local held, printed, lines, inside, bins = 0, 0, 0, 0, 0
  for n = 1, runs do
    local path = drifting.exported({}, DURATION, seed + n, SCRAPE)
    local run = assert(store:import(path))
    os.remove(path)
    local made = assert(td.score(run, drifting.server({}, DURATION), { confidence = 0.95 }))
    for _, row in ipairs(made:frame "verdict".rows) do
      if row.kind ~= "overall" and row.difference ~= 0 then
        lines = lines + 1
        if row.low then
          printed = printed + 1
          held = held + (row.low <= 0 and row.high >= 0 and 1 or 0)
        end
      end
    end
    for _, row in ipairs(made:frame "metrics".rows) do
      inside, bins = inside + (row.inside or 0) * row.bins, bins + row.bins
    end
  end
  for _, ending in ipairs { ".db", ".db-wal", ".db-shm" } do os.remove(directory .. ending) end
  print(("scores of %d recordings against their scenario: %d of %d printed intervals hold 0 (%.1f "
    .. "%%; together they promise 95 %% a recording), of %d lines"):format(runs, held, printed,
    100 * held / printed, lines))
  print(("bins in the range of 19 simulations: %.1f %% (90 %% expected)"):format(
    100 * inside / bins))
  return held / printed >= LEAST_HELD
end

local CHANGES <const> = { { "rate +25 %", "rate", { rps = 10 } },
  { "prompt +43 %", "prompt", { prompt = 1000 } }, { "output +33 %", "output", { output = 160 } },
  { "steps at factor 0.8", "gap", { factor = 0.8 } } }

-- Little by little, in each of so many windows: steps slow down by 0.3 %, prompts grow by 0.5 %.
local CREEPS <const> = { { "steps +0.3 % a window", function(k) return { factor = 1.003 ^ k } end },
  { "prompts +0.5 % a window", function(k) return { prompt = 700 * 1.005 ^ k } end } }
local MOST_SLOW <const> = 0.05

local function crept(seed, detectors)
  local alarms, late = 0, {}
  for n, detector in ipairs(detectors) do
    local list = drifting.judged(detector, {}, WINDOWS, seed + 3000 + n,
      slow.of(detector, WINDOWS, MOST_SLOW))
    alarms = alarms + (drifting.share(list, "slowly") > 0 and 1 or 0)
    for k, creep in ipairs(CREEPS) do
      local at = drifting.crept(slow.of(detector, WINDOWS, MOST_SLOW), creep[2], WINDOWS,
        seed + 4000 + 100 * n)
      late[k] = late[k] or {}
      table.insert(late[k], at or math.huge)
    end
  end
  print(("slow drift called in %d of %d runs of %d windows of unchanged servers (%.0f %% asked "
    .. "for)"):format(alarms, #detectors, WINDOWS, 100 * MOST_SLOW))
  for k, creep in ipairs(CREEPS) do
    table.sort(late[k])
    local seen = 0
    for _, at in ipairs(late[k]) do seen = seen + (at < math.huge and 1 or 0) end
    print(("  %-24s seen in %d of %d runs, in the median after %s windows"):format(creep[1], seen,
      #late[k], tostring(late[k][(#late[k] + 1) // 2])))
  end
  -- What is asked for, and three deviations of so few runs.
  return alarms <= #detectors * MOST_SLOW
    + 3 * math.sqrt(#detectors * MOST_SLOW * (1 - MOST_SLOW))
end

local function drifted(seed, twins)
  local detectors = {}
  local alarms, windows, seen = 0, 0, {}
  for n = 1, twins do
    local path = drifting.exported({}, drifting.RECORDED, seed + n)
    local twin = assert(td.twin { files = { path }, gpu = "H100 SXM" })
    os.remove(path)
    local detector = assert(drift.of(twin, drifting.WINDOW, ALARM))
    detectors[n] = detector
    local list = drifting.judged(detector, {}, WINDOWS, seed + 1000 + n)
    alarms, windows = alarms + drifting.share(list, "any") * #list, windows + #list
    for k, change in ipairs(CHANGES) do
      local found = drifting.judged(detector, change[3], 10, seed + 2000 + n)
      seen[k] = (seen[k] or 0) + drifting.share(found, change[2]) / twins
    end
  end
  print(("drift called in %.0f of %d windows of unchanged servers, %.1f %% (%.0f %% asked for)")
    :format(alarms, windows, 100 * alarms / windows, 100 * ALARM))
  for k, change in ipairs(CHANGES) do
    print(("  %-20s seen in %3.0f %% of windows"):format(change[1], 100 * seen[k]))
  end
  return crept(seed, detectors) and alarms / windows <= ALARM * MOST_ALARMS
end

--- Prints both; false when intervals hold too seldom or alarms come too often.
---@return boolean
function scrapes.run()
  local seed = tonumber(os.getenv "SCRAPES_SEED") or os.time() % 1000000 * 100
  local runs = tonumber(os.getenv "SCRAPES_RUNS")
  print(("from seed %d on"):format(seed))
  local good = scored(seed, runs or 10)
  return drifted(seed, runs or 6) and good
end

return scrapes
