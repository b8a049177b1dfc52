-- How far the models are from measurements: `make accuracy`, or build/tandem lua
-- tests/accuracy/run.lua [CASE]. Cases: roofline, operating, left_out, doubt, measured, halves,
-- power, caps, captures, coverage, scores, plans, talks, pairs, networks, planted, twins, scrapes,
-- elsewhere, and bars, which is run when it is named alone.
-- Ends with exit code 1 when a bar is missed.

package.path = "./?.lua;" .. package.path

local cases = { { name = "roofline", module = "tests.accuracy.roofline" },
  { name = "operating", module = "tests.accuracy.operating" },
  { name = "left_out", module = "tests.accuracy.left_out" },
  { name = "doubt", module = "tests.accuracy.doubt" },
  { name = "measured", module = "tests.accuracy.measured" },
  { name = "halves", module = "tests.accuracy.halves" },
  { name = "power", module = "tests.accuracy.power" },
  { name = "caps", module = "tests.accuracy.caps" },
  { name = "captures", module = "tests.accuracy.captures" },
  { name = "coverage", module = "tests.accuracy.coverage" },
  { name = "scores", module = "tests.accuracy.scores" },
  { name = "plans", module = "tests.accuracy.plans" },
  { name = "talks", module = "tests.accuracy.talks" },
  { name = "pairs", module = "tests.accuracy.pairs" },
  { name = "networks", module = "tests.accuracy.networks" },
  { name = "planted", module = "tests.accuracy.planted.init" },
  { name = "twins", module = "tests.accuracy.twins" },
  { name = "scrapes", module = "tests.accuracy.scrapes" },
  { name = "elsewhere", module = "tests.accuracy.elsewhere" },
  { name = "bars", module = "tests.accuracy.bars", alone = true } }

local wanted = ... or ""
local good = true
for _, case in ipairs(cases) do
  if case.name:find(wanted, 1, true) and (not case.alone or case.name == wanted) then
    print("== " .. case.name)
    if not require(case.module).run() then good = false end
  end
end
os.exit(good)
