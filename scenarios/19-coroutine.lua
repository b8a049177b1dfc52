-- What does a session cost that decides as it goes, which no list of steps describes?
--
-- Look at: the process below, a coroutine that one request runs from start to end. Three in ten
-- find their answer in a cache; the others hold memory and work in chunks of 64 tokens, with a
-- pause after each. What it writes down with td.record comes back under "Recorded".
-- Try: tandem run coroutine --set rps=40              (more than it can carry)
--      tandem run coroutine --set attrs.tokens=1000

local td = require "tandem"

local chunk, per_token_s, kv_bytes = 64, 0.5e-3, 131072
local pause = td.exponential "5ms"

local function session(p)
  p:use("cpu", "2ms")
  if p.luck < 0.3 then
    p:hold "1ms"
    return
  end
  local left, rounds = p.tokens, 0
  p:seize("memory", kv_bytes * p.tokens)
  while left > 0 do
    p:use("gpu", per_token_s * math.min(left, chunk))
    p:hold(pause)
    left = left - chunk
    rounds = rounds + 1
  end
  p:release("memory", kv_bytes * p.tokens)
  td.record("rounds", rounds)
end

return td.scenario "coroutine" {
  title = "A process as a coroutine",
  question = "What does a session cost that decides as it goes, which no list of steps describes?",
  workload = td.poisson { rps = 25, duration = "60s" },
  attrs    = { tokens = td.gamma { mean = 300, cv = 0.8 }, luck = td.uniform(0, 1) },
  target   = td.gpu "L40S" { concurrency = 4 },
  cpu      = { workers = 4 },
  pipeline = { td.process "session" { fn = session } },
  slo = { p95 = "1.5s" },
  replications = 6,
  expect = {
    slo = true,
    -- Seven in ten sessions of 300 tokens, 0.5 ms each, on four slots.
    ["resources.L40S gpu.utilization"] = { near = 25 * 0.7 * 300 * 0.5e-3 / 4, within = 0.12 },
    ["recorded.rounds.mean"]           = { near = 5.2, within = 0.1 },
    ["recorded.rounds.min"]            = 1,
  },
}
