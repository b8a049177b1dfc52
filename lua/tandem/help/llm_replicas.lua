--- Help topic: replicas of LLM servers, their GPUs, how requests reach them.
local page = require "tandem.help.page"
local reference = require "tandem.help.reference"

return page("replicas of LLM servers: GPUs, routing, autoscaling", function(place)
  local parts = { [[
A replica has tp x pp x dp GPUs. tp of them share every layer. pp stages of layers follow each
other, with as many batches in flight: a step lasts as long as a batch takes through all stages, and
each of the pp schedulers has its share of max_seqs and of the KV cache; what unequal batches wait
for each other is left out. dp groups have requests and KV caches of their own and share the
experts, of which ep says how many ways whole ones are divided (ep = tp x dp: none is cut); a step
takes the other groups' batches to be as its own. Replicas take the GPUs in the order of the
scenario, each of one kind and within one machine (node = GPUs a machine, 8, of td.gpu) when they
fit; GPUs passed over for that stay idle. A replica of several machines wants a network =
"InfiniBand NDR": collectives then sum and gather inside each machine and part by part between them.
On GPUs of several kinds each kind has steps and KV blocks of its own (llm.NAME.pools.KIND).

Prefill and decode replicas: prefill = { replicas = 2, tp = 4, engine = … }, decode = { … }, what
they do not say being the td.generate's, and handover = td.link "net" { bandwidth = … } (or { link,
latency, token_bytes }). A prefill replica computes the prompt and the first token and keeps the KV
cache; the request queues at a decode replica, blocks are reserved there for all its tokens in its
turn, the prompt's KV cache goes over the link (shared fairly, or one at a time with shared =
false), the kept blocks are free, it decodes. Prompt tokens that the decode replica has cached do
not travel. When the link is slow or decode replicas are full, prefill replicas fill up and stall.

Which replica a request goes to is route = a name or a function (tandem help policies). With
autoscale = { min = 1, max = 8, target = 32 } there are as many replicas as would each have 32
requests; new ones come after provision (and load_bandwidth), others finish what they have and go. A
replica fails with any of its GPUs (mtbf, mttr of td.gpu) or by itself (mtbf, mttr of td.generate):
its requests begin anew elsewhere from their prompts, tokens they had are lost, and it comes back
with a cold cache. Who comes when nobody takes requests waits.

api = { request = "5ms", prompt_token = "2us", output_token = "20us", workers = 1 } is the API
server: a worker tokenizes a request before a replica sees it, first come first served, and its
tokens reach the client output_token later. What streaming takes of a worker is charged when the
last token leaves. api in the results is that work over what the workers can do: near 1 they are
what requests wait for, beyond 1 they cannot keep up and tokens would be later than told.]] }
  for _, name in ipairs { "handover", "routing", "autoscale", "api" } do
    parts[#parts + 1] = name .. " = { … }"
    parts[#parts + 1] = reference.record("llm_" .. name, place)
  end
  return table.concat(parts, "\n\n")
end)
