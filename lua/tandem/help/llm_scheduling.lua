--- Help topic: who computes what in a step of an LLM server.
local page = require "tandem.help.page"
local reference = require "tandem.help.reference"

return page("who is in a step of an LLM server: its engine", function(place)
  local parts = { [[
Whose turn it is: engine = { server = "sglang" } or "tensorrt_llm" schedules as these do, single
decisions are engine.order, admit, preempt and chunk (tandem help policies). order = "fair" serves
tenants by turns: td.generate { tenant = "r.customer", engine = { order = "fair", fairness = {
tenants = { 1, 3 } } } } gives tenant 2 three times what tenant 1 gets while both wait.

Other servers take a batch and finish it before they take another: engine = { batching = "dynamic",
max_seqs = 8, wait = "50ms" } starts when eight wait or the oldest has waited so long; "static" when
eight wait, or nobody else can come. Its members leave together unless returns_together = false.

A request that finds no KV block preempts another, which is computed anew later; with engine = {
swap = "4GiB" } its blocks move to host memory while there is room, over the GPU's host link, and
the step waits for them as in vLLM V0. engine = { speculation = { tokens = 3, acceptance = 0.7,
share = 0.05 } } drafts three tokens ahead of every decoding request; each is right with 0.7 if
those before it are, and a step verifies all, so that it gives (1 - 0.7^4) / 0.3 = 2.5 tokens a
request. Drafted tokens count towards max_batched_tokens and need KV blocks; tokens that come
together have gaps of 0 between them (itl).

LoRA: td.generate { adapter = "r.adapter", engine = { lora = { max = 4, size = "160MB" } } } keeps
four adapters on the GPU. Who wants one that finds no place, four others running, is passed over
until it does; a step waits for adapters that load.]] }
  for _, name in ipairs { "engine", "swap", "speculation", "lora", "estimate", "fairness" } do
    parts[#parts + 1] = name .. " = { … }"
    parts[#parts + 1] = reference.record("llm_" .. name, place)
  end
  return table.concat(parts, "\n\n")
end)
