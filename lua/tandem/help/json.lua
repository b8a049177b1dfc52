--- Help topic: JSON in and out.
local page = require "tandem.help.page"

return page("scenarios as JSON, and results as JSON", function(place)
  local column_table = require "tandem.column_table"
  return [[
Scenarios

A JSON file is a scenario, too. The simple form:

  { "name": "demo",
    "workload": { "rps": 2, "duration_s": 10, "batch_size": 1, "jitter_pct": 5 },
    "target": { "tflops": 180, "mem_gbps": 864, "ms_per_token": 0.2,
                "h2d_gbps": 25, "d2h_gbps": 25, "concurrency": 4 },
    "pipeline": [ { "name": "preprocess", "kind": "fixed_ms", "value": 2 },
                  { "name": "h2d", "kind": "bytes", "value": 8388608 },
                  { "name": "compute", "kind": "tokens", "value": 128 } ] }

The full form says everything that Lua can, with "type" for the constructor. scenario:to_json()
writes it; a scenario with functions that are more than arithmetic becomes
{ "name", "script": [ lines ], "with": [ changes ] }.

  { "name": "demo", "workload": { "type": "poisson", "rps": 2, "duration": "10s" },
    "target": { "type": "gpu", "name": "L40", "concurrency": 4 },
    "pipeline": [ { "type": "fixed", "name": "preprocess", "time": "2ms" } ] }

Results

tandem run FILE --json prints one object. An estimate is { "value", "half" }: the half-width of its
95 % interval, left out when there is none. Keys are sorted and numbers are written in the fewest
digits that read back the same, so equal runs are equal bytes.

]] .. column_table.format({ { title = "" }, { title = "", wrap = true } },
    require("tandem.report.schema").fields, { style = place, indent = 2 })
end)
