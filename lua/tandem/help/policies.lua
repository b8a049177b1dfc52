--- Help topic: routing and queueing policies; also what each of them is, in a line.
--
-- Owns the descriptions; which policies there are is said by tandem.resources and its records (a
-- spec holds the two against each other).
local policies = { title = "how GPUs are chosen, and who is served next" }

---@type table<string, string>
policies.routers = {
  round_robin = "each GPU in its turn",
  random = "any GPU, all equally likely",
  least_outstanding = "the GPU with the fewest requests routed to it and not finished",
  shortest_queue = "the GPU with the fewest requests waiting for compute",
  power_of_two = "the better of two GPUs drawn at random",
  weighted = "at random, in proportion to weights",
  affinity = "always the same GPU for the same value of an attribute",
}

--- Of replicas of an LLM server.
---@type table<string, string>
policies.replica_routers = {
  round_robin = "each replica in its turn",
  least_outstanding = "the replica with the fewest requests",
  least_kv = "the replica with the fewest KV blocks in use",
  random = "any of them, all equally likely",
  power_of_two = "the one with fewer requests of two drawn at random",
  weighted = "highest sum of weighted scores: share of the prompt that is cached, shortness of the "
    .. "queue, free share of the KV cache",
  prefix_aware = "the one with most of the prompt in its cache; the one with the fewest requests "
    .. "when no cache has enough of it, or while loads are too far apart",
  affinity = "always the same one for the same key; when replicas come or go, only keys of those "
    .. "move",
}

---@type table<string, string>
policies.disciplines = {
  fifo = "in the order of arrival",
  lifo = "the latest first",
  random = "any of those waiting",
  priority = "the smallest class priority first; work in progress is not interrupted",
  preempt = "the smallest class priority first, interrupting others, who resume later",
  ps = "processor sharing: on a GPU, at most `concurrency` jobs (on a pool, at most its servers) "
    .. "are served at once, each at its share of the speed; the rest wait, so that with "
    .. "concurrency 1 it is fifo",
}

--- Names and descriptions, in the order of the registry.
---@return { [1]: string, [2]: string }[] routers
---@return { [1]: string, [2]: string }[] disciplines
---@return { [1]: string, [2]: string }[] replica_routers
function policies.listed()
  local routers, disciplines, replica_routers = {}, {}, {}
  for index, name in ipairs(require("tandem.replicas").routers) do
    replica_routers[index] = { name, policies.replica_routers[name] }
  end
  for index, name in ipairs(require("tandem.resources").routers) do
    routers[index] = { name, policies.routers[name] }
  end
  for index, name in ipairs(require("tandem.node").types.cpu.keys.discipline.of) do
    disciplines[index] = { name, policies.disciplines[name] }
  end
  return routers, disciplines, replica_routers
end

--- The topic's text.
---@param place tandem.Style
---@return string
function policies.text(place)
  local column_table = require "tandem.column_table"
  local routers, disciplines, replica_routers = policies.listed()
  local columns = { { title = "" }, { title = "", wrap = true } }
  return "Which GPU of a fleet a request goes to: router = one of these, or a function "
    .. "(tandem help hooks)\n\n"
    .. column_table.format(columns, routers, { style = place, indent = 2 })
    .. "\n\nWhich replica of an LLM server: route = one of these in td.generate, or a function; "
    .. "numbers in\nrouting = { … } (tandem help llm)\n\n"
    .. column_table.format(columns, replica_routers, { style = place, indent = 2 })
    .. "\n\nWho is served next: discipline = one of these, on a GPU, the CPU or a pool\n\n"
    .. column_table.format(columns, disciplines, { style = place, indent = 2 })
    .. '\n\n  target = td.fleet "pool" { td.gpu "L40" { count = 4 }, router = "power_of_two" }'
end

return policies
