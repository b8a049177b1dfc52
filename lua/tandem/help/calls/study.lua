--- Help on calls: sweeps, plans, comparisons of variants.
local shared = require "tandem.help.calls.shared"
local NOTHING, BASE, FILE = shared.NOTHING, shared.BASE, shared.FILE

local COLUMN <const> = "Raises where there is no such column, and names the nearest."
local function of_sweep(code)
  return BASE .. "\n" .. [[
local sweep = td.sweep { scenario = base, over = { rps = { 20, 40 }, gpus = { 1, 2 } },
  metrics = { "latency.p99", "throughput_rps" } }
]] .. code
end
local function of_plan(code)
  return shared.QUICK .. "\n" .. [[
local plan = td.plan.gpus { scenario = base, load = { "40rps", "90rps" }, slo = { p99 = "80ms" },
  max = 4, precision = 0.1, sensitivity = false }
]] .. code
end
local function of_whatif(code)
  return BASE .. "\n" .. [[
local compared = td.whatif(base, { ["two GPUs"] = { gpus = 2 } }, { replications = 2 })
]] .. code
end
local function of_tornado(code)
  return BASE .. "\n" .. [[
local tornado = td.tornado(base, { replications = 2, inputs = { "workload.rps" } })
]] .. code
end

return {
  ["Sweep:axis"] = { errors = "Raises nothing: nil where it is none.", see = { "Sweep:column" },
    example = of_sweep 'print(sweep:axis("gpus").numeric)  --> true' },
  ["Sweep:named"] = { errors = COLUMN, see = { "Sweep:column" },
    example = of_sweep 'print(sweep:named "p99")  --> latency.p99' },
  ["Sweep:filter"] = { errors = COLUMN, see = { "Sweep:sort" },
    example = of_sweep "print(sweep:filter { gpus = 2 })" },
  ["Sweep:sort"] = { errors = COLUMN, see = { "Sweep:filter" },
    example = of_sweep 'print(sweep:sort("p99", true))' },
  ["Sweep:group"] = { errors = COLUMN, see = { "Sweep:sql" },
    example = of_sweep 'print(sweep:group("gpus", "max"))' },
  ["Sweep:column"] = { errors = COLUMN, see = { "Sweep:sort" },
    example = of_sweep 'print(#sweep:column "p99")  --> 4' },
  ["Sweep:best"] = { errors = COLUMN, see = { "Sweep:describe" },
    example = of_sweep 'print(sweep:best("latency.p99").axes ~= false)  --> true' },
  ["Sweep:describe"] = { errors = NOTHING, see = { "Sweep:best" },
    example = of_sweep 'print(sweep:describe(sweep:best "latency.p99"))' },
  ["Sweep:report"] = { errors = NOTHING, see = { "Sweep:to_csv" },
    example = of_sweep "print(sweep:report(nil, { rows = 2 }))" },
  ["Sweep:to_csv"] = { errors = NOTHING, see = { "Sweep:to_json" },
    example = of_sweep 'print(sweep:to_csv():find "latency.p99" ~= nil)  --> true' },
  ["Sweep:write"] = { errors = FILE, see = { "Sweep:to_csv" },
    example = of_sweep 'print(sweep:write "points.parquet")  --> true' },
  ["Sweep:to_json"] = { errors = NOTHING, see = { "Sweep:to_csv" },
    example = of_sweep 'print(sweep:to_json():find "tandem.sweep/1" ~= nil)  --> true' },
  ["Sweep:sql"] = { errors = "Raises where the SQL is wrong.", see = { "Sweep:group" },
    example = of_sweep [[
local rows = sweep:sql('SELECT gpus, min("latency.p99") AS best FROM sweep GROUP BY gpus')
print(#rows)  --> 2]] },
  ["Sweep:plot"] = { errors = "Raises where there is no such column or the file cannot be written.",
    see = { "td.plot.line" },
    example = of_sweep 'print(sweep:plot("rps", "p99", "gpus"))' },

  ["PlanAnswer:records"] = { errors = NOTHING, see = { "PlanAnswer:to_json" },
    example = of_plan "print(plan:records().schema)  --> tandem.plan/1" },
  ["PlanAnswer:to_json"] = { errors = NOTHING, see = { "PlanAnswer:records" },
    example = of_plan 'print(plan:to_json():find "tandem.plan/1" ~= nil)  --> true' },
  ["PlanAnswer:to_csv"] = { errors = NOTHING, see = { "PlanAnswer:table" },
    example = of_plan "print(plan:to_csv())" },
  ["PlanAnswer:write"] = { errors = FILE, see = { "PlanAnswer:to_csv" },
    example = of_plan 'print(plan:write "plan.arrow")  --> true' },
  ["PlanAnswer:table"] = { errors = NOTHING, see = { "PlanAnswer:report" },
    example = of_plan "print(plan:table())" },
  ["PlanAnswer:report"] = { errors = NOTHING, see = { "td.plan.gpus" },
    example = of_plan "print(plan:report())" },
  ["PlanAnswer:deploy"] = { errors = "nil and why: no such form, no LLM server, nothing that "
    .. "meets the objectives, or what the form cannot say.", see = { "td.plan.gpus" },
    example = of_plan 'print(select(2, plan:deploy "launch"))  --> '
      .. "--emit writes deployments of LLM servers, and this scenario has no td.generate" },
  ["PlanAnswer:plot"] = { errors = FILE, see = { "Plot:save" },
    example = of_plan 'assert(plan:plot "plan.svg")' },

  ["WhatIf:row"] = { errors = "Raises nothing: nil where there is none.", see = { "WhatIf:pareto" },
    example = of_whatif 'print(compared:row("two GPUs").name)  --> two GPUs' },
  ["WhatIf:pareto"] = { errors = "Raises nothing: rows without these figures are left out.",
    see = { "WhatIf:plot" },
    example = of_whatif 'print(#compared:pareto("gpus") >= 1)  --> true' },
  ["WhatIf:cost"] = { errors = NOTHING, see = { "WhatIf:pareto" },
    example = of_whatif "print(compared:cost())" },
  ["WhatIf:report"] = { errors = NOTHING, see = { "td.whatif" },
    example = of_whatif "print(compared:report())" },
  ["WhatIf:plot"] = { errors = FILE, see = { "Plot:save" },
    example = of_whatif 'assert(compared:plot "whatif.svg")' },
  ["WhatIf:to_json"] = { errors = NOTHING, see = { "WhatIf:report" },
    example = of_whatif 'print(compared:to_json():find "tandem.whatif/1" ~= nil)  --> true' },

  ["Tornado:report"] = { errors = NOTHING, see = { "td.tornado" },
    example = of_tornado "print(tornado:report())" },
  ["Tornado:plot"] = { errors = FILE, see = { "Plot:save" },
    example = of_tornado 'assert(tornado:plot "tornado.svg")' },
  ["Tornado:to_json"] = { errors = NOTHING, see = { "Tornado:report" },
    example = of_tornado 'print(tornado:to_json():find "tandem.tornado/1" ~= nil)  --> true' },
}
