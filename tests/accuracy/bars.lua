--- What intervals ask for and how much longer they are made, chosen by leaving systems out.
--
-- Owns the search, not the constants: those stand in src/base/evidence.c, and this says which ones
-- the grid of tests/theory/support/coverage.lua wants. Every run tells what each figure rests on
-- (excursions C, those of them that tell something, independent requests, ups and downs) and how
-- long its interval would be if it were not made longer. Bars are how many excursions are wanted
-- and how often a replication must go up and down; an interval becomes base + more/√C times as
-- long, C of those that tell something. For each pair of bars a length is chosen on all systems
-- but one, the shortest that holds on each of them, and tried on that one. The lowest bars are
-- taken at which it holds on every system that was left out.
--
-- BARS_ROWS=FILE keeps the runs there, or reads them where it exists. Minutes.
local coverage = require "tests.theory.support.coverage"

local bars = {}

local WORTH <const>, UNLIKE <const>, TELLING <const> = 20, 3, 20 -- as in src/base/evidence.c
local CYCLES <const> = { 12, 24, 36 }
local WANTED <const> = { time = { 40, 60, 80, 120 }, mean = { 30, 45, 60, 80 } }
local BASE <const> = { 0.8, 0.9, 1 }
local MORE <const> = { 0, 2, 3, 4, 5, 6, 8 }
-- A setting holds on a system where at least this share of its intervals do, of all and of those
-- with less than twice the excursions that are wanted; and of all systems together.
local POOLED <const>, ALONE <const>, NEAR <const>, ENOUGH <const> = 0.945, 0.92, 0.91, 60

local KINDS <const> = { mean = "mean", in_system = "mean", p50 = "time", p90 = "time", p95 = "time",
  p99 = "time", p999 = "time" }
local CLASSES <const> = { 1, 5, 8, 32 } -- of replications: 1, 2…7, 8…31, more

local function last(path) return path:match "[%w_]+$" end

local function class_of(replications)
  return replications == 1 and 1 or replications < 8 and 5 or replications < 32 and 8 or 32
end

-- How many times as long the interval must be to hold the truth; of quantiles it has a log scale.
local function needed(kind, truth, value, half)
  if kind == "mean" then return math.abs(value - truth) / half end
  local gap = truth > value and math.log(truth / value) or math.log(2 - truth / value)
  return gap / math.log(1 + half / value)
end

local FORMAT <const> = "%s\t%d\t%d\t%s\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n"

local function collect(path)
  local seed = tonumber(os.getenv "COVERAGE_SEED") or os.time() % 1000000 * 1000
  local file <close> = assert(io.open(path, "w"))
  local sizes = {}
  for _, size in ipairs { { 1000, 400, 400, 400, 400 }, { 10000, 400, 200, 200, 60 },
    { 100000, 100, 40, 30, 10 } } do
    for i, replications in ipairs { 1, 5, 8, 32 } do
      sizes[#sizes + 1] = { size[1], replications, size[i + 1] }
    end
  end
  coverage.each(sizes, seed, 0.4, function(system, size, figure_path, figure, truth)
    local seen = figure.seen
    if seen and KINDS[last(figure_path)] then
      file:write(FORMAT:format(system.name, size[2], size[1], figure_path,
        truth, figure.value, seen.half, seen.excursions, seen.telling,
        seen.worth, seen.cycles))
    end
  end)
end

local function read(path)
  local rows = {}
  for line in io.lines(path) do
    local system, replications, requests, figure, rest = line:match
      "^([^\t]+)\t(%d+)\t(%d+)\t([^\t]+)\t(.*)$"
    local kind = KINDS[last(figure)]
    local numbers = {}
    for number in rest:gmatch "[^\t]+" do numbers[#numbers + 1] = tonumber(number) or math.huge end
    local truth, value, half, excursions, telling, worth, cycles = table.unpack(numbers)
    if kind and half > 0 then
      rows[#rows + 1] = { system = system, kind = kind, class = class_of(tonumber(replications)),
        needed = needed(kind, truth, value, half), excursions = excursions, telling = telling,
        worth = worth, unlike = worth >= tonumber(requests) / UNLIKE, cycles = cycles }
    end
  end
  return rows
end

-- Of the rows of one kind and class that pass the bars, by system: what they need, and 1/√C.
local function passing(rows, kind, class, cycles, wanted)
  local by_system = {}
  for _, row in ipairs(rows) do
    if row.kind == kind and row.class == class then
      local own = by_system[row.system] or { all = 0, near = 0 }
      by_system[row.system], own.all = own, own.all + 1
      if row.excursions >= wanted and row.telling >= TELLING and row.worth >= WORTH
        and (row.cycles >= cycles or row.unlike) then
        -- Those just beyond the bars stand first.
        local near = row.excursions < 2 * wanted
        if near then own.near = own.near + 1 end
        table.insert(own, near and own.near or #own + 1,
          { row.needed, 1 / math.sqrt(math.max(1, row.telling)) })
      end
    end
  end
  return by_system
end

-- How many of a system's rows a length holds, and of those just beyond the bars; its mean.
local function try(own, base, more)
  local held, near, sum = 0, 0, 0
  for i, one in ipairs(own) do
    local length = base + more * one[2]
    if length < 1 then length = 1 end
    if one[1] <= length then held = held + 1 end
    if i == own.near then near = held end
    sum = sum + length
  end
  return { held = held, near = near, cost = #own > 0 and sum / #own or 0 }
end

-- A share with the two standard errors that chance may take off it.
local function holds(held, printed, share)
  return held >= share * printed - 2 * math.sqrt(share * (1 - share) * printed)
end

local function holds_alone(own, t)
  return (#own < ENOUGH or holds(t.held, #own, ALONE))
    and (own.near < ENOUGH or holds(t.near, own.near, NEAR))
end

local function lengths(by_system)
  local out = {}
  for _, base in ipairs(BASE) do
    for _, more in ipairs(MORE) do
      local one = { base = base, more = more, tried = {} }
      for system, own in pairs(by_system) do one.tried[system] = try(own, base, more) end
      out[#out + 1] = one
    end
  end
  return out
end

-- The shortest that holds on all systems but one.
local function best(all, by_system, without)
  local found, least
  for _, length in ipairs(all) do
    local printed, held, cost, good = 0, 0, 0, true
    for system, own in pairs(by_system) do
      local t = length.tried[system]
      if system ~= without then
        good = good and holds_alone(own, t)
        printed, held, cost = printed + #own, held + t.held, cost + t.cost
      end
    end
    if good and held >= POOLED * printed and (not least or cost < least) then
      found, least = length, cost
    end
  end
  return found
end

local function words(length)
  return length and ("%g + %g/√C"):format(length.base, length.more) or "no length"
end

-- Tries what is chosen without each system on it.
local function leave_one_out(by_system)
  local all = lengths(by_system)
  local printed, held, failed, among = 0, 0, {}, 0
  for _, system in ipairs(require("tandem.text.nearest").sorted_keys(by_system)) do
    local own, found = by_system[system], best(all, by_system, system)
    local t = found and found.tried[system]
    among = among + own.all
    if t then printed, held = printed + #own, held + t.held end
    if not t then
      failed[#failed + 1] = "no length without " .. system
    elseif not holds_alone(own, t) then
      failed[#failed + 1] = ("%s %.1f %% of %d, %.1f %% of the %d nearest"):format(system,
        100 * t.held / #own, #own, 100 * t.near / math.max(1, own.near), own.near)
    end
  end
  return best(all, by_system), printed, held, among, failed
end

--- Prints what each pair of bars comes to.
---@return boolean
function bars.run()
  local path = os.getenv "BARS_ROWS" or os.tmpname()
  local file = io.open(path)
  local there = file ~= nil and file:read(1) ~= nil
  if file then file:close() end
  if not there then collect(path) end
  local rows = read(path)
  print(("%d figures"):format(#rows))
  for _, kind in ipairs { "time", "mean" } do
    for _, class in ipairs(CLASSES) do
      print(("%s, %d replications%s"):format(kind, class, class > 1 and " or more" or ""))
      for _, cycles in ipairs(CYCLES) do
        for _, wanted in ipairs(WANTED[kind]) do
          local found, printed, held, among, failed =
            leave_one_out(passing(rows, kind, class, cycles, wanted))
          print(("  ups ≥ %d, C ≥ %3d: %-12s  left out %.1f %%, %.0f %% printed%s"):format(cycles,
            wanted, words(found), 100 * held / math.max(1, printed),
            100 * printed / math.max(1, among),
            #failed > 0 and "; not " .. table.concat(failed, "; ") or ""))
        end
      end
    end
  end
  return true
end

return bars
