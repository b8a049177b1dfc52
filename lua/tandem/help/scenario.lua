--- Help topic: what a scenario is and which keys it has.
local page = require "tandem.help.page"

return page("what a scenario is, and how to write one", function(place)
  return [[
A scenario says who arrives, what each request does, on what, and what is wanted. It is a Lua file
that returns td.scenario "name" { … }, or a JSON file (tandem help json).

  local td = require "tandem"
  return td.scenario "demo" {
    workload = td.poisson { rps = 2, duration = "10s" },     -- who arrives
    target   = td.gpu "L40" { concurrency = 4 },             -- on what
    pipeline = {                                             -- what each request does
      td.fixed    "preprocess"  { time = "2ms", jitter = 0.05 },
      td.transfer "h2d"         { bytes = "8MiB" },
      td.tokens   "compute"     { tokens = 128 },
      td.transfer "d2h"         { bytes = "2MiB" },
      td.fixed    "postprocess" { time = "1ms" },
    },
    slo = { p99 = "250ms" },                                 -- what is wanted
  }

Quantities are numbers in SI units, or text with a unit (tandem help units). Any time, size or rate
may also be a distribution or a Lua function of the request (tandem help costs). What is wrong is
listed all at once by: tandem check FILE

Keys of a scenario

]] .. require("tandem.help.reference").record("scenario", place) .. [[


Objectives (slo)

]] .. require("tandem.help.reference").record("slo", place) .. [[

Times are of the requests that were served. Where others were lost (turned away, gave up, timed
out) each verdict says how many; met counts them as missed, and tandem plan allows few of them.


Several kinds of requests are classes, each with its own workload, attrs, pipeline, priority,
patience, timeout, retry and slo; what a class leaves out is taken from the scenario.

  classes = {
    { name = "chat",  workload = td.poisson { rps = 20 }, attrs = { tokens = 128 }, priority = 0 },
    { name = "batch", workload = td.poisson { rps = 2 },  attrs = { tokens = 4096 }, priority = 1 },
  }

A timeout covers the whole request, its retries included, and a request that timed out is not
retried: retry = { … } is for those that were dropped (a full queue, admit) or gave up waiting.

A scenario never changes. In Lua, base:with { rps = 4 } makes a variant and base:run {} runs it;
tandem run FILE --set rps=4 does the same (tandem help set).]]
end)
