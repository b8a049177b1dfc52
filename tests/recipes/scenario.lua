-- A shipped scenario.

local function add(copy)
  copy:write("scenarios/99-recipe.lua", [[
-- How long does a pause take?
local td = require "tandem"

return td.scenario "recipe" {
  question = "How long does a pause take?",
  workload = td.paced { rps = 10, duration = "1s" },
  pipeline = { td.delay "pause" { time = "5ms" } },
  expect = { ["latency.mean"] = { near = "5ms", within = 0.01 } },
}
]])
end

local function check(sh)
  assert(sh "build/tandem list scenarios":find "How long does a pause take")
  local text, ok = sh "build/tandem run recipe"
  assert(ok, text)
end

return { about = "a scenario", most = 1, add = add, check = check }
