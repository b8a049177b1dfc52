local td = require "tandem"
return td.scenario "broken" {
  workload = td.poisson { rps = "5ms" }, target = "L4O",
  pipeline = { td.fixed "x" { tim = -1 }, td.stage "y" { on = "nowhere", cost = "2 * r.q" } },
}
