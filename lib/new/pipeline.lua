-- QUESTION
--
-- Written by `tandem new`: a service whose requests go through CPU, copies and a GPU. Change the
-- figures to yours; what is left out has a default (tandem help scenario, and one topic a part).
--   tandem check FILE      lists all that is wrong, without running
--   tandem explain FILE    says what it will do: offered load, bounds
--   tandem run FILE        simulates it and says where the time goes
--   tandem plan FILE --load 50..500rps    how many GPUs each load needs

local td = require "tandem"

return td.scenario "NAME" {
  question = "QUESTION",

  -- Who comes, and when: Poisson arrivals are independent users. (tandem help arrivals)
  workload = td.poisson { rps = 20, duration = "60s" },

  -- What requests carry: numbers, distributions, or columns of a recording.
  attrs = { tokens = td.lognormal { p50 = 100, p99 = 400 } },

  -- The GPU, by name (tandem list gpus); concurrency is how many requests it works on at once.
  target = td.gpu "L40S" { concurrency = 2 },

  -- What a request goes through, in order. (tandem help stages)
  pipeline = {
    -- Time on a CPU worker; jitter 0.1 makes it vary by a tenth.
    td.fixed    "preprocess"  { time = "2ms", jitter = 0.1 },
    -- Bytes over the host's link to the GPU, at the link's bandwidth.
    td.transfer "h2d"         { bytes = "4MiB" },
    -- Any function of the request (r) is a cost, in seconds. (tandem help costs) Here each token
    -- reads 35 MB of the GPU's memory, so that a faster card takes less time.
    td.stage    "compute"     { on = "gpu",
      cost = function(r) return 0.005 + r.tokens * 35e6 / r.gpu.bandwidth end },
    td.transfer "d2h"         { bytes = "1MiB" },
    td.fixed    "postprocess" { time = "1ms" },
  },

  -- What must hold; `tandem run` says whether it does and leaves with 1 where it does not.
  slo = { p99 = "100ms" },

  -- Independent repetitions: more of them narrow the intervals behind each figure.
  replications = 5,
}
