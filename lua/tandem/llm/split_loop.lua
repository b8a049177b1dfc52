--- What a closed loop measures where prefill and decode have engines of their own, from step
-- models.
--
-- Nobody's prompts hold up a step: TPOT = D(n), n being the sequences of one decoding group, which
-- takes `places` of them at most and as many as its KV cache holds. A prompt's way is
--
--   queue of all prefill slots (engines × their data groups) → a batch of waiting prompts, up to
--   the tokens of a step → queue for a decoding place → its first token
--
-- and TTFT is the whole of it. n is sought by balance: X = n·groups / ((output − 1)·D(n)) requests
-- a second leave the decoding engines, and clients are in X·TTFT + n·groups places. TTFT then comes
-- from running the benchmark's rounds through these two queues with D fixed: all clients start at
-- once, so that the first round waits for everybody's prompts, and later ones come in the order and
-- at the distance that prefill gave them, until lengths mix them. Of many clients each stands for
-- several. A batch that has one data group's prompts alone has the experts of all GPUs: `alone`.
--
-- Owns these queues; step models are the caller's. Called by tests/accuracy; the scheduler of
-- src/engine/serving does it step by step.

local split_loop = {}

local CLIENTS <const> = 256 -- that are run; more stand for several
-- Additive recurrences of the golden and the silver ratio: lengths without dice.
local GOLDEN <const>, SILVER <const> = 0.6180339887498949, 0.4142135623730951

---@class tandem.llm.SplitLoop
---@field concurrency number
---@field prompt integer        mean tokens
---@field output integer
---@field budget integer        tokens a step of prefill may have
---@field prefill table         step model of a prefill engine whose data groups all have prompts
---@field alone? table          … of which one has
---@field prefill_slots number  engines × their data groups
---@field decode_groups number  engines × their data groups
---@field capacity? number      tokens that fit into a decoding group's KV cache
---@field places? number        sequences that a decoding group takes at a time
---@field rounds? number        requests of the benchmark for each client, 10
---@field spread? number        of lengths: (longest − shortest) / mean, 0
---@field request_s? number     what the API server adds to a request's first token, 0
---@field steps_alone? boolean  only TPOT is asked for

-- Seconds of a batch of whole prompts, whose tokens fit a step, or of one prompt in chunks.
local function batch_s(model, loop, prompts)
  local sum, done = 0, 0
  while done < loop.prompt do
    local tokens = math.min(loop.prompt - done, math.max(1, loop.budget // prompts))
    local last = done + tokens == loop.prompt
    sum = sum + model:step_s { prefill_seqs = prompts, prefill_tokens = prompts * tokens,
      prefill_context = prompts * done,
      prefill_attention = prompts * tokens * (done + (tokens + 1) / 2),
      prefill_squares = prompts * tokens * tokens, sampled = last and prompts or 0 }
    done = done + tokens
  end
  return sum
end

-- What batches of 1 and of `most` prompts take, by the share of groups that have one.
local function prefill_of(loop)
  local most = math.max(1, loop.budget // loop.prompt)
  local function both(model) return { batch_s(model, loop, 1), batch_s(model, loop, most) } end
  local all = both(loop.prefill)
  return { most = most, all = all, alone = loop.alone and both(loop.alone) or all }
end

local function at(prefill, load, prompts)
  local share = math.min(1, load)
  local function mixed(i) return prefill.alone[i] + share * (prefill.all[i] - prefill.alone[i]) end
  if prefill.most == 1 then return mixed(1) end
  return mixed(1) + (mixed(2) - mixed(1)) * (prompts - 1) / (prefill.most - 1)
end

--- Seconds of a step of n decoding sequences, n not whole.
local function decode_at(model, n, context)
  local low = math.max(1, math.floor(n))
  local function step(count)
    return model:step_s { decode_seqs = count, decode_context = count * context,
      decode_context_max = math.ceil(context), sampled = count }
  end
  local s = step(low)
  return n > low and s + (n - low) * (step(low + 1) - s) or s
end

-- TTFT but for waiting, the rate, and the share of prefill that is at work; nil beyond its most.
local function balance(decode, loop, prefill, n)
  local decode_s = decode_at(decode, n, loop.prompt + (loop.output + 1) / 2)
  local rate = n * loop.decode_groups / (math.max(1, loop.output - 1) * decode_s)
  local load = rate * at(prefill, 1, prefill.most) / prefill.most / loop.prefill_slots
  if load >= 1 then return nil, decode_s, 1 end
  return (loop.request_s or 0) + at(prefill, load, 1) + decode_s, decode_s, load, rate
end

-- Heaps of numbers, the smallest first.
local function sink(heap, value)
  local i, count = 1, #heap
  while 2 * i <= count do
    local child = 2 * i
    if child < count and heap[child + 1] < heap[child] then child = child + 1 end
    if heap[child] >= value then break end
    heap[i], i = heap[child], child
  end
  heap[i] = value
end

local function pop(heap)
  local least, last = heap[1], table.remove(heap)
  if #heap > 0 then sink(heap, last) end
  return least
end

local function push(heap, value)
  local i = #heap + 1
  heap[i] = value
  while i > 1 and heap[i // 2] > value do
    heap[i], i = heap[i // 2], i // 2
  end
  heap[i] = value
end

local function zeros(count)
  local list = {}
  for i = 1, count do list[i] = 0 end
  return list
end

-- The two queues, of clients that each stand for several.
local function queues_of(loop)
  local each = math.max(1, loop.concurrency / CLIENTS)
  local function share(count) return math.max(1, math.floor(count / each + 0.5)) end
  local clients, slots = share(loop.concurrency), share(loop.prefill_slots)
  local seats = loop.places and share(loop.places * loop.decode_groups)
  return { arrivals = zeros(clients), slots = zeros(slots),
    places = seats and seats < clients and zeros(seats) or nil,
    left = clients * ((loop.rounds or 10) - 1), slower = each * slots / loop.prefill_slots }
end

-- What has come when a slot is free, of as many as a step takes; and when it begins.
local function batch_of(queues, most)
  local arrivals = queues.arrivals
  local begin, batch = math.max(queues.slots[1], arrivals[1]), {}
  while #arrivals > 0 and #batch < most and arrivals[1] <= begin do
    batch[#batch + 1] = pop(arrivals)
  end
  return batch, begin
end

-- Runs the rounds: times of first tokens, without what the API server adds.
local function first_tokens(loop, prefill, load, decode_s)
  local queues, first, spread = queues_of(loop), {}, loop.spread or 0
  local u, v = 0, 0
  while #queues.arrivals > 0 do
    local batch, begin = batch_of(queues, prefill.most)
    local sum = 0
    for _ = 1, #batch do
      u = (u + GOLDEN) % 1
      sum = sum + 1 + spread * (u - 0.5)
    end
    local took = at(prefill, load, #batch) * sum / #batch
    sink(queues.slots, begin + took * queues.slower)
    for _, came in ipairs(batch) do
      v = (v + SILVER) % 1
      local decoding = decode_s * math.max(1, loop.output * (1 + spread * (v - 0.5)) - 1)
      local seated = begin + took
      if queues.places then
        seated = math.max(seated, queues.places[1])
        sink(queues.places, seated + decoding)
      end
      first[#first + 1] = seated + decode_s - came
      if queues.left > 0 then
        queues.left = queues.left - 1
        push(queues.arrivals, seated + decode_s + decoding)
      end
    end
  end
  return first
end

---@param decode table  step model of a decode engine
---@param loop tandem.llm.SplitLoop
---@return { ttft_s: number|nil, ttft_median_s: number|nil, tpot_s: number, running: number }
function split_loop.predict(decode, loop)
  local prefill, clients = prefill_of(loop), math.max(1, loop.concurrency)
  local low, high = 0, clients / loop.decode_groups
  if loop.capacity then high = math.min(high, loop.capacity / (loop.prompt + loop.output)) end
  if loop.places then high = math.min(high, loop.places) end
  for _ = 1, 60 do
    local n = (low + high) / 2
    local ttft, _, _, rate = balance(decode, loop, prefill, n)
    if ttft and rate * ttft + n * loop.decode_groups < clients then low = n else high = n end
  end
  local _, decode_s, load = balance(decode, loop, prefill, low)
  if loop.steps_alone then return { tpot_s = decode_s, running = low } end
  local first, sum = first_tokens(loop, prefill, load, decode_s), 0
  for _, one in ipairs(first) do sum = sum + one end
  table.sort(first)
  local request_s = loop.request_s or 0
  return { ttft_s = sum / #first + request_s,
    ttft_median_s = first[(#first + 1) // 2] + request_s, tpot_s = decode_s,
    running = low }
end

return split_loop
