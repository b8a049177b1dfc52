-- Steps of training or inference that torch.profiler marks: each ProfilerStep is a request. Copies
-- and collectives first, since a row is the first stage's that takes it.
local td = require "tandem"

return td.map {
  request = { range = "ProfilerStep#*" },
  stages = {
    { "h2d", copy = "HtoD" },
    { "d2h", copy = "DtoH" },
    { "d2d", copy = "*" },
    { "collectives", comm = "*" },
    { "compute", kernel = "*" },
    { "optimizer", range = "Optimizer.step#*" },
    { "operators", op = "*" },
  },
}
