-- Does the simulation agree with Erlang's formula for four servers at 80 % load (M/M/4)?
--
-- Look at: the share of requests that are delayed, 59.6 % in theory, and their mean wait, 14.9 ms
-- in theory. `tandem explain queueing-theory` computes the wait without simulating.
-- Try: tandem run queueing-theory --set rps=190

local td = require "tandem"

local arrival_rate, service_s, servers = 160, 0.020, 4
local load = arrival_rate * service_s -- in servers

-- Erlang C, the probability that all servers are busy, by way of Erlang B.
local blocked = 1
for k = 1, servers do blocked = load * blocked / (k + load * blocked) end
local delayed = blocked / (1 - load / servers * (1 - blocked))
local mean_wait_s = delayed / (servers / service_s - arrival_rate)

return td.scenario "queueing-theory" {
  title = "M/M/4 against theory",
  question = "Does the simulation agree with Erlang's formula for four servers at 80 % load?",
  workload = td.poisson { rps = arrival_rate, duration = "120s" },
  resources = { td.pool "server" { servers = servers, lane = "GPU" } },
  pipeline = { td.stage "serve" { on = "server", cost = td.exponential(service_s) } },
  warmup = "2s",
  replications = 20,
  expect = {
    bottleneck                       = "server",
    ["resources.server.utilization"] = { near = load / servers, within = 0.02 },
    ["stages.serve.delayed"]         = { near = delayed, within = 0.04 },
    ["stages.serve.wait.mean"]       = { near = mean_wait_s, within = 0.12 },
    ["latency.mean"]                 = { near = mean_wait_s + service_s, within = 0.06 },
  },
}
