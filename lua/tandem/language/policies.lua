--- Routing and queueing policies: their names in order, and what each of them is, in a line.
-- The only list of them in Lua; keys (resources.lua, scenario.lua, stages/generate.lua), the
-- manual (help/inserts.lua), search and `tandem list` read it. What they do is C.

local policies = {}

---@alias tandem.Policy { [1]: string, [2]: string }  name and description

---@type tandem.Policy[]
policies.routers = {
  { "round_robin", "each GPU in its turn; the default" },
  { "random", "any GPU, all equally likely" },
  { "least_outstanding", "the GPU with the fewest requests routed to it and not finished; of "
    .. "equals the next in turn; the turn moves with each request" },
  { "shortest_queue", "the GPU with the fewest requests at its compute, waiting or in service, "
    .. "where a batch in service counts as one; of equals the next in turn" },
  { "power_of_two", "of two GPUs drawn at random, the one with fewer requests routed to it and not "
    .. "finished; of equals the first drawn" },
  { "weighted", "at random, in proportion to weights" },
  { "affinity", "always the same GPU for the same value of an attribute" },
}

--- Of replicas of an LLM server.
---@type tandem.Policy[]
policies.replica_routers = {
  { "round_robin", "each replica in its turn; the default" },
  { "least_outstanding", "the replica with the fewest requests; of equals the next in turn" },
  { "least_kv", "the replica with the fewest KV blocks in use; of equals the next in turn" },
  { "random", "any of them, all equally likely" },
  { "power_of_two", "the one with fewer requests of two drawn at random; of equals the first "
    .. "drawn" },
  { "weighted", "highest sum of weighted scores: share of the prompt that is cached, shortness of "
    .. "the queue, free share of the KV cache" },
  { "prefix_aware", "the one with most of the prompt in its cache; the one with the fewest "
    .. "requests when no cache has enough of it, or while loads are too far apart" },
  { "affinity", "always the same one for the same key; when replicas come or go, only keys of "
    .. "those move" },
}

---@type tandem.Policy[]
policies.disciplines = {
  { "fifo", "in the order of arrival" },
  { "lifo", "the latest first" },
  { "random", "any of those waiting" },
  { "priority", "the smallest class priority first; work in progress is not interrupted" },
  { "preempt", "the smallest class priority first, interrupting others, who resume later" },
  { "ps", "processor sharing: on a GPU, at most `concurrency` jobs (on a pool, at most its "
    .. "servers) are served at once, each at its share of the speed; the rest wait, so that with "
    .. "concurrency 1 it is fifo" },
}

--- Their names, in order.
---@param list tandem.Policy[]
---@return string[]
function policies.names(list)
  local names = {}
  for i, one in ipairs(list) do names[i] = one[1] end
  return names
end

return policies
