--- Help topic: expectations that turn a scenario into a test.
return require("tandem.help.page")("turning a scenario into a test", [[
expect names figures of the result and says what they must be. tandem run FILE --expect holds the
result against them and leaves with 1 when one fails; the project's own tests do it for every
shipped scenario.

  expect = {
    ["latency.p99"]               = { max = "250ms" },
    ["resources.L40 gpu.utilization"] = { near = 0.55, within = 0.02 },
    ["stages.compute.wait.mean"]  = { min = 0, max = "5ms" },
    bottleneck                    = "L40 gpu",
  }

  min, max       bounds, inclusive
  near, within   |value - near| <= within · |near| (within is 5% unless told)
  a plain value  must be equal

A path is made of the names in the JSON form (tandem help json); items of a list are reached by
their name. An estimate stands for its value; add .half for its interval. bottleneck is the name of
the resource that saturates first; overload is true or false, and so is unsettled (an LLM server of
which the run is too short to tell); slo is whether every objective was met. Times of an overloaded
run grow with its length: they are within no max and near nothing, unless the block says that
overload is true.]])
