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

--- Of an LLM server's engine.
---@type table<string, { [1]: string, [2]: string }[]>
policies.engines = {
  server = {
    { "vllm", "running requests first, in order of admission, then waiting ones (V1)" },
    { "sglang", "as long as a prompt may start, steps compute prompts alone, else all decode "
      .. "(0.5.9 without overlap): max_batched_tokens is chunked_prefill_size, admit estimate, "
      .. "preempt least_output" },
    { "tensorrt_llm", "everybody decodes, prompts share what is left (in-flight batching of 1.1): "
      .. "admit maximum is GUARANTEED_NO_EVICT, admit prompt MAX_UTILIZATION; chunks when "
      .. "chunked_prefill = true" } },
  order = {
    { "fcfs", "in the order of arrival" },
    { "priority", "the smallest class priority first, then by arrival; the largest is preempted" },
    { "shortest_prompt", "fewest prompt tokens" },
    { "shortest_job", "fewest predicted output tokens" },
    { "longest_prefix", "most tokens in the prefix cache (SGLang's lpm; beyond 128 that wait the "
      .. "queue stays as it is)" },
    { "prefix_weight", "depth first through shared prefixes, most waiting first (dfs-weight)" },
    { "fair", "the tenant with the least virtual token counter (VTC)" } },
  admit = {
    { "input", "its prompt finds blocks beside the cached ones" },
    { "prompt", "its whole prompt finds blocks, cached or not" },
    { "estimate", "its tokens and what all are expected to add find room (SGLang)" },
    { "maximum", "all it may ever need is free and promised to nobody" } },
  preempt = {
    { "last", "the last to be admitted; with order priority the least important" },
    { "least_output", "fewest tokens generated, then the longest prompt" } },
  chunk = {
    { "greedy", "in order, each as much as there is" },
    { "blocks", "in order, parts in whole blocks (FIRST_COME_FIRST_SERVED)" },
    { "equal", "a block for each in turn (EQUAL_PROGRESS)" } },
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

local function engines_text(place)
  local column_table = require "tandem.column_table"
  local columns, out = { { title = "" }, { title = "", wrap = true } }, {}
  for _, key in ipairs { "server", "order", "admit", "preempt", "chunk" } do
    out[#out + 1] = ("\n\nOf an LLM server: engine.%s\n\n"):format(key)
      .. column_table.format(columns, policies.engines[key], { style = place, indent = 2 })
  end
  return table.concat(out)
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
    .. engines_text(place)
    .. "\n\nWho is served next: discipline = one of these, on a GPU, the CPU or a pool\n\n"
    .. column_table.format(columns, disciplines, { style = place, indent = 2 })
    .. '\n\n  target = td.fleet "pool" { td.gpu "L40" { count = 4 }, router = "power_of_two" }'
end

return policies
