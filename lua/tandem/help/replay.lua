--- Help topic: a scenario under the load of a capture.
local page = require "tandem.help.page"

return page("a scenario under the load of a capture", [[
A simulation can be held against a measurement only where both had the same work to do. A run knows
its requests through a map (tandem help map); a simulated run needs none:

  local store = assert(td.store())
  local real = assert(store:run "6f64":visits(td.map.load "map.lua"))
  local sim = assert(real:replay(scenario))      -- or run:replay(scenario, { map = … })
  print(td.score(real, sim))

replay takes the scenario's own arrivals away, with whatever ends them, and the attributes that the
capture gives; request i of the simulation is request i of the capture, at the same time after the
first, of the same sizes. The simulation (one replication, no warm-up) is kept in the store of the
capture, or in store = "FILE.db". seed = N chooses its luck. A scenario of several classes cannot be
replayed: a capture does not say which request is of which.

What a request brings along, as r.NAME for costs:

  sizes of the map       r.tokens
  bytes of copy stages   r.h2d_bytes: of a stage h2d, 0 where the request skipped it
  pieces of stages       r.compute_pieces: rows of it, where requests differ in their number

A scenario that reads them says what they are without a capture, attrs = { h2d_bytes = "4MiB" }.

The same as data: real:arrivals() gives rows { arrival = 0.5, tokens = 128, h2d_bytes = 4096 } in
seconds from the first arrival, which td.replay { rows = rows } takes as a workload;
real:write_arrivals "load.csv" writes them for td.replay { file = "load.csv" }.

More of the same, but not the same again: real:load() fits distributions. Its workload is td.paced,
td.poisson, td.renewal (gamma), one td.closed user where each request came after the one before had
ended, or the rows where none of these can have made the gaps; its attrs are the sizes that were
seen, and its notes say why. real:replay(scenario, { arrivals = "fitted" }) simulates that.

A capture in which each request waits for the one before (training steps) is a closed loop:
replayed by its rows a slower model queues where the program would have slowed down. arrivals =
"fitted" keeps the loop.]])
