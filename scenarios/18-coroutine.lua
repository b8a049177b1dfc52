-- What does a request do that no list of steps describes: a session that decides as it goes?
--
-- Look at: the process below, a coroutine. It looks into a cache, asks for memory, works in chunks
-- until its tokens are done and writes down how often it went round.
-- Try: tandem run coroutine --set rps=12

local td = require "tandem"

return td.scenario "coroutine" {
  title = "A process as a coroutine",
  question = "What does a session cost that decides as it goes?",
  workload = td.poisson { rps = 8, duration = "60s" },
  attrs    = { tokens = td.gamma { mean = 300, cv = 1 },
    hit = td.uniform(0, 1) },
  target   = td.gpu "L40S" { concurrency = 4 },
  cpu      = { workers = 4 },
  pipeline = {
    td.process "session" { fn = function(p)
      p:use("cpu", "2ms")
      if p.hit < 0.3 then
        p:hold "1ms"
        return
      end
      local left, chunks = p.tokens, 0
      p:seize("memory", 131072 * p.tokens)
      while left > 0 do
        p:use("gpu", 0.0005 * math.min(left, 64))
        p:hold "5ms"
        left = left - 64
        chunks = chunks + 1
      end
      p:release("memory", 131072 * p.tokens)
      td.record("chunks", chunks)
    end },
  },
  slo = { p95 = "1s" },
  replications = 4,
  expect = {
    ["recorded.chunks.mean"] = { min = 3, max = 7 },
    slo = true,
  },
}
