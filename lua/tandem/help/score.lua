--- Help topic: how far a simulation is off what was measured.
local page = require "tandem.help.page"

return page("how far a simulation is off what was measured", [[
tandem score REAL SIM --map map.lua, or td.score(real, sim, { map = … }): runs, or their visits.

The verdict has a line for each stage that both name alike (mean own time), the total time of
requests, throughput, and the utilization of each lane. A difference is a share of the real figure:

  within 5 %    the whole interval lies within the tolerance (--within 5%)
  off           none of it does
  cannot tell   a part does, or there are too few values for an interval, or they drift
  only real     the simulation has no such stage; give both the same names

Successive requests depend on each other, so intervals come from batch means, and those of the
verdict hold together (95 %, --confidence). Where both runs had the same requests (tandem help
replay) they are those of the request-wise differences, which are much narrower.

Other tables: stages ((waiting) is time before stages that were full, (between) time in which
nothing of the request ran; p50, p95, p99, waiting, the distances of Kolmogorov and Smirnov and of
Wasserstein), requests (errors one by one) and the worst of them, lanes over the common time,
throughput; over_time in CSV and JSON only. --out score.html has distributions side by side.

Gates, for CI: --gate CONDITION, exit code 1 when one fails; --strict when one is undecided too.

  STAGE.mean<5%       p50, p95, p99, wait; ks<0.1, wasserstein<1ms; in place of a stage total,
                      (waiting), (between)
  gpu.utilization<3%  in_service, queue; any lane in small letters
  throughput<5%       completions a second
  requests.mean<10%   of errors request by request: mean, median, p95 of their sizes; bias

A limit is held against the size of the difference: 5% of the real figure, or 2ms; with a sign
(<+5%, >-2ms) against the difference itself. Times without a unit are seconds.

Clocks are put together by the arrivals of requests where both had the same, else by the first work:
--align arrivals, first, event:PATTERN, activity, none.]])
