--- Help on calls: stores, their runs, and what queries give.
local shared = require "tandem.help.calls.shared"
local NOTHING, STORE, MEASURED, SIMULATED = shared.NOTHING, shared.STORE, shared.MEASURED,
  shared.SIMULATED

local CHANGE <const> = "Nil, a message and a code where there is no such run (3) or the file "
  .. "cannot be written (4)."
local function of_run(code) return MEASURED .. "\n" .. code end
local function of_simulated(code) return SIMULATED .. "\n" .. code end
local function of_query(code)
  return MEASURED .. '\nlocal query = store:query "SELECT name, dur_ns FROM span ORDER BY id"\n'
    .. code
end
local function of_rows(code) return MEASURED .. "\nlocal runs = assert(store:runs())\n" .. code end

return {
  ["Store:query"] = { errors = "Raises where the SQL is wrong.", see = { "Query:all" },
    example = of_run [[
for row in store:query { "SELECT name FROM run WHERE kind = ?", "measured" } do
  print(row.name)  --> capture.json.gz
end]] },
  ["Store:run"] = { see = { "Store:runs", "Run:kernels" },
    errors = "Nil, a message and 3 where no run, or more than one, is meant.",
    example = of_run 'print(store:run "last".kind)  --> measured' },
  ["Store:import"] = { see = { "Run:kernels", "td.map.propose" },
    errors = "Raises where the files are not texts; nil, a message and a code where a file cannot "
      .. "be read (4) or is not a trace (3).",
    example = [[
local store = assert(td.store())
local run = assert(store:import("capture.json.gz", { name = "before", tags = { "h100" } }))
print(run.name, run.tags[1])  --> before	h100]] },
  ["Store:runs"] = { see = { "Store:run", "RowTable:filter" },
    errors = "Nil, a message and a code where the filter is wrong (2) or the file cannot be read "
      .. "(4).",
    example = of_run 'print(assert(store:runs { kind = "measured" }))' },
  ["Store:tag"] = { errors = CHANGE, see = { "Store:untag", "Store:note" },
    example = of_run 'assert(store:tag(run.id, "h100", "baseline"))\n'
      .. 'print(store:run(run.id).tags[1])  --> baseline' },
  ["Store:untag"] = { errors = CHANGE, see = { "Store:tag" },
    example = of_run 'assert(store:tag(run.id, "h100"))\nassert(store:untag(run.id, "h100"))\n'
      .. "print(#store:run(run.id).tags)  --> 0" },
  ["Store:note"] = { errors = CHANGE, see = { "Store:tag" },
    example = of_run 'assert(store:note(run.id, "after the driver update"))\n'
      .. "print(store:run(run.id).note)  --> after the driver update" },
  ["Store:remove"] = { errors = CHANGE, see = { "Store:gc" },
    example = of_run 'assert(store:remove(run.id))\nprint((store:run(run.id)))  --> nil' },
  ["Store:gc"] = { see = { "Store:remove" },
    errors = "Nil, a message and 4 where the file cannot be written.",
    example = of_run "assert(store:remove(run.id))\nprint(assert(store:gc()).runs)" },
  ["Store:scrub"] = { errors = "Nil, a message and a code where an option is wrong (2), there is "
      .. "no such run (3) or the file cannot be written (4).",
    see = { "td.upload" },
    example = of_run "print(assert(store:scrub(run.id, { all = true, dry_run = true })))" },
  ["Store:verify"] = { see = { "Store:gc" },
    errors = "Nil, a message and a code where there is no such run (3) or the file cannot be read "
      .. "(4). Damage is no error here: `sound` is false.",
    example = of_run "print(assert(store:verify()).sound)  --> true" },
  ["Store:close"] = { errors = NOTHING, see = { "td.store" },
    example = "local store = assert(td.store())\nstore:close()" },

  ["Query:all"] = { errors = STORE, see = { "Query:next", "Query:table" },
    example = of_query "print(query:all()[1].name ~= nil)  --> true" },
  ["Query:next"] = { errors = STORE, see = { "Query:all" },
    example = of_query "print(query:next().dur_ns >= 0)  --> true" },
  ["Query:one"] = { errors = STORE, see = { "Query:next" },
    example = of_run 'print(store:query "SELECT count(*) AS runs FROM run":one().runs)  --> 1' },
  ["Query:list"] = { errors = STORE, see = { "Query:columns" },
    example = of_query "print(#query:list())  --> 2" },
  ["Query:columns"] = { errors = NOTHING, see = { "Query:list" },
    example = of_query 'print(table.concat(query:columns(), " "))  --> name dur_ns' },
  ["Query:table"] = { errors = STORE, see = { "RowTable:sort", "td.plot.bar" },
    example = of_query 'print(query:table():sort("dur_ns", true):first(3))' },
  ["Query:close"] = { errors = NOTHING,
    see = { "Store:query" }, example = of_query "query:close()" },

  ["RowTable:filter"] = { errors = "Raises where there is no such column.",
    see = { "RowTable:sort" },
    example = of_rows 'print(#runs:filter { kind = "simulated" }.rows)  --> 0' },
  ["RowTable:sort"] = { errors = "Raises where there is no such column.",
    see = { "RowTable:first" },
    example = of_rows 'print(runs:sort("name").rows[1].name)  --> capture.json.gz' },
  ["RowTable:first"] = { errors = NOTHING, see = { "RowTable:sort" },
    example = of_rows "print(#runs:first(5).rows)  --> 1" },
  ["RowTable:column"] = { errors = "Raises where there is no such column.",
    see = { "RowTable:filter" },
    example = of_rows 'print(runs:column("kind")[1])  --> measured' },
  ["RowTable:lines"] = { errors = NOTHING, see = { "RowTable:report" },
    example = of_rows "print(#runs:lines() > 1)  --> true" },
  ["RowTable:report"] = { errors = NOTHING, see = { "RowTable:to_csv" },
    example = of_rows "print(runs:report())" },
  ["RowTable:to_csv"] = { errors = NOTHING, see = { "RowTable:to_json" },
    example = of_rows 'print(runs:to_csv():find "name" ~= nil)  --> true' },
  ["RowTable:to_json"] = { errors = NOTHING, see = { "RowTable:to_csv" },
    example = of_rows 'print(runs:to_json("mine/1", { question = "which runs" }))' },

  ["Run:spans"] = { see = { "Run:tracks", "Store:query" },
    errors = "Raises where the filter has an unknown key, or the store can no longer be read.",
    example = of_run [[
local longest = run:spans { category = "kernel" }:table():sort("dur_ns", true):first(3)
print(longest.rows[1].dur_ns > 0)  --> true]] },
  ["Run:counters"] = { errors = STORE, see = { "Run:spans" },
    example = of_simulated "print(run:counters():one() ~= nil)" },
  ["Run:edges"] = { errors = STORE, see = { "Run:launches" },
    example = of_run "print(#run:edges():all() > 0)  --> true" },
  ["Run:requests"] = { errors = STORE, see = { "Run:visits" },
    example = of_simulated "print(run:requests():next().outcome)  --> ok" },
  ["Run:metrics"] = { errors = STORE, see = { "Run:figure" },
    example = of_simulated "print(#run:metrics():all() > 10)  --> true" },
  ["Run:sources"] = { errors = STORE, see = { "Run:problems" },
    example = of_run "print(run:sources():one().path)" },
  ["Run:problems"] = { errors = STORE, see = { "Run:sources" },
    example = of_run "print(run:problems():table())" },
  ["Run:facts"] = { errors = STORE, see = { "Run:sources" },
    example = of_run "print(run:facts():table():first(3))" },
  ["Run:tracks"] = { errors = STORE, see = { "Run:spans" },
    example = of_run "print(run:tracks():next().kind ~= nil)  --> true" },
  ["Run:span_categories"] = { errors = STORE, see = { "Run:categories" },
    example = of_run "print(run:span_categories():table())" },
  ["Run:diff"] = { see = { "Run:visits" },
    errors = "Nil, a message and a code where an option is unknown (2) or a run is not found (3).",
    example = shared.TWO .. '\nprint(assert(first:diff(assert(store:run "last"))))' },
  ["Run:visits"] = { see = { "td.map", "Visits:of", "td.score" },
    errors = "Raises where an option is unknown; nil, a message and 3 where a measured run has no "
      .. "map or the map finds no request.",
    example = of_simulated "print(assert(run:visits()).count)  --> 200" },
  ["Run:figure"] = { errors = "Raises nothing: nil where there is none.",
    see = { "Run:metrics", "Result:get" },
    example = of_simulated 'print(td.show(run:figure "latency.p99", "s"))' },
  ["Run:duration_s"] = { errors = "Raises nothing: nil where it has no records.",
    see = { "Run:figure" }, example = of_run "print(run:duration_s() > 0)  --> true" },
  ["Run:replay"] = { see = { "Visits:replay", "td.score" },
    errors = "Nil, a message and a code where a measured run has no map (3), the scenario cannot "
      .. "take its requests (3), or the store cannot be written (4).",
    example = of_simulated [[
local again = assert(run:replay(td.load "demo":with { gpu = "H100" }))
print(again.kind)  --> simulated]] },
}
