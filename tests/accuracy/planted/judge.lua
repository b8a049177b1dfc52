--- Advice on programs with planted faults: whether its first finding is the fault, and whether what
--- it claims is what mending would gain.
--
-- Owns how cases are drawn and judged. A case is a function of its number and the seed: a kind of
-- fault, two at once, or none; written as Kineto or nsys. The truth is the program run again
-- without the fault. Called by tests/accuracy/planted/init.lua and by planted_faults_spec.lua.
local faults = require "tests.accuracy.planted.faults"
local kineto = require "tests.accuracy.planted.kineto"
local machine = require "tests.accuracy.planted.machine"
local nsys = require "tests.accuracy.planted.nsys"
local program = require "tests.accuracy.planted.program"

local judge = {}

--- A finding that gains less than this of the run is none: nothing is planted that small.
judge.LEAST = 0.02
--- What mending a planted fault gains at least, as a share.
judge.PLANTED = 0.03
--- How busy its GPU is without any.
judge.BUSY = 0.9

---@class tests.PlantedCase
---@field name string
---@field format "kineto"|"nsys"
---@field shapes boolean  nsys has them, in names of ranges
---@field kinds tests.Fault[]
---@field rows table[][]   by rank
---@field us number        how long it takes
---@field busy number      the share of its time that its GPU computes, without the faults
---@field truth number[]   of each kind: what mending it would gain, in µs

-- Of twenty cases two have no fault and three have two.
local ROUND <const> = 20

--- The kinds of fault that a case has.
---@param number integer
---@param d tests.Draws
---@return tests.Fault[]
function judge.kinds(number, d)
  local place = number % ROUND
  if place == 0 or place == 10 then return {} end
  if place % 6 == 5 then return faults.two(d) end
  local nth = number - number // ROUND * 5 - (place > 0 and 1 or 0) - (place > 5 and 1 or 0)
    - (place > 10 and 1 or 0) - (place > 11 and 1 or 0) - (place > 17 and 1 or 0)
  return { faults.kinds[1 + nth % #faults.kinds] }
end

local function copy_of(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, one in pairs(value) do copy[key] = copy_of(one) end
  return copy
end

-- The share of its time in which the first rank's computation runs.
local function busy_share(rows, us)
  local sum = 0
  for _, row in ipairs(rows[1]) do
    if row.stream == 7 then sum = sum + row.to - row.from end
  end
  return sum / us
end

local function drawn(number, seed)
  local d = machine.draws(seed)
  local kinds = judge.kinds(number, d)
  local p, names, format = program.base(d), {}, d:one_of("format", { "kineto", "nsys" })
  local shapes = d:chance("shapes", 0.5) -- of nsys; Kineto has them
  for i, kind in ipairs(kinds) do
    kind.plant(p, d)
    names[i] = kind.name
    shapes = shapes or kind.shapes
  end
  local made = { number = number, name = #names > 0 and table.concat(names, " + ") or "nothing",
    format = format, shapes = shapes, kinds = kinds, truth = {} }
  made.rows, made.us = program.run(p, d)
  for i, kind in ipairs(kinds) do
    local mended = copy_of(p)
    kind.mend(mended, d)
    local _, us = program.run(mended, d)
    made.truth[i] = made.us - us
  end
  local clean = copy_of(p)
  for _, kind in ipairs(kinds) do kind.mend(clean, d) end
  made.busy = busy_share(program.run(clean, d))
  return made
end

--- The case of a number: the first draw in which each fault matters, and without which nothing
--- else does.
---@param number integer
---@param seed integer
---@return tests.PlantedCase
function judge.case(number, seed)
  for try = 0, 99 do
    local made = drawn(number, seed * 1000003 + number + try * 7919)
    local fine = made.busy >= (made.kinds[1] and made.kinds[1].busy or judge.BUSY)
    for _, us in ipairs(made.truth) do fine = fine and us >= judge.PLANTED * made.us end
    if fine then return made end
  end
  error(("no draw of case %d has its faults"):format(number))
end

--- Its files in a folder.
---@param case tests.PlantedCase
---@param folder string
---@return string[] paths
function judge.write(case, folder)
  local paths = {}
  if case.format == "nsys" then
    paths[1] = ("%s/case%d.sqlite"):format(folder, case.number)
    os.remove(paths[1])
    nsys.write(case.rows, paths[1], case.shapes)
    return paths
  end
  for i, text in ipairs(kineto.texts(case.rows)) do
    paths[i] = ("%s/case%d-rank%d.pt.trace.json"):format(folder, case.number, i - 1)
    local file <close> = assert(io.open(paths[i], "w"))
    file:write(text)
  end
  return paths
end

local FAR <const> = 0.6

local function named_by(kind, rule)
  for _, one in ipairs(kind.rules) do
    if one == rule then return true end
  end
  return false
end

-- The kind that the first finding is of. Of two either may lead unless the other gains far more.
local function hit(case, rule)
  local most = 0
  for _, us in ipairs(case.truth) do most = math.max(most, us) end
  for i, kind in ipairs(case.kinds) do
    if case.truth[i] >= FAR * most and named_by(kind, rule) then return i end
  end
end

---@class tests.PlantedVerdict
---@field right boolean      the first finding is the fault, or there is none and none is planted
---@field first string       its rule, "-" where there is none
---@field truth? number      share of the run that mending what it names gains
---@field low? number        what it claims at least, and at most
---@field high? number
---@field near? boolean      an end of what it claims is within a fifth of the truth
---@field above? boolean     what it claims at least is above the truth, by more than it varies

local function is_near(claimed, truth) return math.abs(claimed - truth) <= 0.2 * truth end

--- What advice says of a case.
---@param case tests.PlantedCase
---@param answer tandem.Answer
---@return tests.PlantedVerdict
function judge.verdict(case, answer)
  local first
  for _, row in ipairs(answer:rows()) do
    if (row.most_share or row.gain_share or 0) >= judge.LEAST then
      first = row
      break
    end
  end
  local made = { first = first and first.rule or "-" }
  if #case.kinds == 0 then
    made.right = first == nil
    return made
  end
  local which = first and hit(case, first.rule)
  made.right = which ~= nil
  if not which then return made end
  made.truth = case.truth[which] / case.us
  made.low, made.high = first.gain_share or 0, first.most_share or first.gain_share or 0
  made.near = is_near(made.low, made.truth) or is_near(made.high, made.truth)
  made.above = made.low > 1.02 * made.truth + 0.002
  return made
end

return judge
