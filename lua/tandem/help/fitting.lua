--- Help topic: what fits estimate, and what they refuse.
return require("tandem.help.page")("what a fit estimates, how surely, and what it refuses", [[
tandem fit RUN --map MAP.lua makes a scenario of a measured run; with --scenario FILE it fits the
parameters of one, stages matched by name, and keeps the rest. From Lua:

  local fit = assert(td.fit { real = run, map = map, scenario = base, split = "half" })
  print(fit)                          the report
  fit.parameters                      list of { path, value, unit, error, low, high, kind, source }
  fit:scenario()                      the scenario with the fitted values
  fit:source()                        the same as a Lua file
  fit:score()                         simulated under the run's load; what was held out, scored
  fit:draw(math.random)               changes for scenario:with, drawn from what the data leave open
  fit:whatif { { "2x link", { ["target.h2d"] = "50GB/s" } } }

Times are the stages' own times, in which every instant of a request counts once, so that stages
and gaps sum to the request. Where stages overlap, own time is less than they were busy, and the
report says so. Time in no stage becomes td.delay steps before the stage it precedes.

A time is a sum of terms: a fixed part, and parts per byte, per size of the request (tokens), per
piece (kernels, launches). Noise is a factor. Terms are chosen by BIC among those whose t test
reaches 1 %; coefficients solve weighted least squares whose totals are those of the data, outliers
included: they are counted, never dropped. Errors hold whatever the noise (HC3), and where visits
are correlated in time they are those of batches. Intervals are 95 %. The noise is the likeliest of
normal, lognormal, gamma, Weibull and exponential, or the factors as they were, where none is near.

  td.fixed, td.delay, td.stage     a mean time
  td.transfer                      bandwidth (target.h2d, target.d2h, a link) and latency
  td.tokens                        time_per_token
  td.compute                       efficiency of the roofline, overhead
  capacities                       as many at once as were seen, where requests waited; else a bound
  arrivals                         one after the other, even, Poisson, gamma; else the rows recorded

kind is fitted, assumed (the data cannot tell; the value is the scenario's) or bound (the data only
limit it). What is refused, and why, is in fit.refused: copies of one size do not tell latency from
bandwidth; sizes that grow together are not told apart (with their condition number); a stage with
fewer than 10 visits is not fitted (least = N); a cost that is a formula of your own is kept, and
the report says what to write instead; steps in batches and loops are kept.

Half of the requests are held out (hold = 0.5), spread evenly but in no period, or the last ones
(split = "half"). The means of their stages and of their totals are predicted from their sizes. An
error above 5 % has its cause beside it: fewer than 100 visits, a heavy tail (the longest 5 % take a
quarter of the time or more), two kinds of visits that no size tells apart, a spread so wide that
the error is luck, a drift while fitting, a change between the halves, or sizes that do not explain
the times. Arrivals are read from all requests: they are the load, not a prediction.

fit:overlay() lays what was held out over its simulation, fit:score() compares the two, and
fit:to_html() has all of it on one page: tandem fit RUN --map MAP --out fit.html.]])
