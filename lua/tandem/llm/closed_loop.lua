--- What a closed loop measures, from a step model alone, without simulating it.
--
-- `concurrency` clients each send the next request when the last is answered. In the steady state a
-- server works on n sequences (all clients, or as many as its KV cache holds), and while each of
-- them has one request answered, all n prompts are computed and output − 1 steps decode. With
--
--   D  a step of n decoding sequences at their mean context,
--   P  what one prompt adds: its chunks' steps, each less D; where prompts have steps of their own,
--      those steps,
--   A  what the API server adds to a request,
--
-- a request takes E = n·P + output·D in the server, of which
--
--   TTFT = A + wait + P + 3/2·D            TPOT = (E − wait − P − 3/2·D) / (output − 1) ≥ D
--
-- What prompts wait for each other depends on how bunched they come. All clients start at once: in
-- the first of the benchmark's rounds a prompt waits for half of the others'. Lengths that differ
-- by a share `spread` of their mean let the clients drift apart, after r rounds over a window of
-- E·spread·√r, until they come at random. In a window w the other prompts load the server by
-- ρ = (n − 1)·P / w: below 1 they wait as in M/D/1, P·ρ / (2·(1 − ρ)), but never longer than for
-- half of the others. With equal lengths sequences keep the distance that the first round's prompts
-- gave them, and nobody waits again; but where prompts have steps of their own, before all others,
-- they start to decode together, end together, and each round is like the first. TTFT is the mean
-- over rounds; benchmarks that print medians leave the first of ten rounds out of them, so that is
-- told, too. A server that plans a step while the one before it runs gives each token a step later.
-- Clients beyond n wait for a slot: (clients − n) / n of a request's time.
--
-- Prefill and decode on separate engines are split_loop.lua's.
--
-- Owns this recursion, knows nothing of engines. Called by tests/accuracy; the scheduler of
-- src/engine/serving does it step by step.

local closed_loop = {}

local QUANTILES <const> = 21 -- of a round's waits: odd, so that the median is one

---@class tandem.llm.Loop
---@field concurrency number
---@field prompt integer       mean tokens
---@field output integer
---@field budget integer       tokens a step may have (chunked prefill)
---@field capacity? number     tokens that fit into the KV cache
---@field rounds? number       requests of the benchmark for each client, 10
---@field spread? number       of lengths: (longest − shortest) / mean, 0
---@field request_s? number    what the API server adds to a request's first token, 0
---@field separate? boolean    prompts have steps of their own
---@field ahead? boolean       a step is planned while the one before it runs

--- Seconds that one prompt adds to the steps of n decoding sequences.
---@param model table
---@param loop tandem.llm.Loop
---@param n integer       sequences that decode meanwhile
---@param context number  of each
---@param decode_s number a step of theirs alone
---@return number
function closed_loop.prompt_s(model, loop, n, context, decode_s)
  local sum, done = 0, 0
  local running = loop.separate and 0 or n
  local room = math.max(1, loop.budget - running)
  while done < loop.prompt do
    local tokens = math.min(room, loop.prompt - done)
    local last = done + tokens == loop.prompt
    sum = sum + model:step_s {
      prefill_seqs = 1, prefill_tokens = tokens, prefill_context = done,
      prefill_attention = tokens * (done + (tokens + 1) / 2), prefill_squares = tokens * tokens,
      decode_seqs = running, decode_context = running * context,
      decode_context_max = running > 0 and math.ceil(context) or 0,
      sampled = running + (last and 1 or 0),
    } - (loop.separate and 0 or decode_s)
    done = done + tokens
  end
  return math.max(sum, 1e-9)
end

--- Mean wait for others' prompts, over the rounds of a benchmark that take E each.
local function wait_s(loop, n, P, E)
  local rounds, most = loop.rounds or 10, (n - 1) / 2 * P
  if (loop.spread or 0) == 0 then return loop.separate and most or most / rounds end
  local sum = most
  for round = 1, rounds - 1 do
    local window = E * math.min(1, loop.spread * math.sqrt(round))
    local load = (n - 1) * P / window
    sum = sum + (load < 1 and math.min(most, P * load / (2 * (1 - load))) or most)
  end
  return sum / rounds
end

-- Waits for others' prompts at even quantiles, of one round: bunched, by all of the others' work;
-- at random as in M/D/1, whose waits beyond 0 are nearly exponential.
local function quantiles_of(out, n, P, load)
  for i = 1, QUANTILES do
    local u = (i - 0.5) / QUANTILES
    local wait = u * (n - 1) * P
    if load < 1 then
      local random = u > 1 - load and math.log(load / (1 - u)) * P / (2 * (1 - load)) or 0
      wait = math.min(wait, random)
    end
    out[#out + 1] = wait
  end
end

--- Median wait for others' prompts, over all requests of a benchmark.
local function median_wait_s(loop, n, P, E)
  local rounds, spread, waits = loop.rounds or 10, loop.spread or 0, {}
  quantiles_of(waits, n, P, math.huge)
  for round = 1, rounds - 1 do
    local window = E * math.min(1, spread * math.sqrt(round))
    local load = (n - 1) * P / window
    if spread == 0 then load = loop.separate and math.huge or 0 end
    quantiles_of(waits, n, P, load)
  end
  table.sort(waits)
  return waits[#waits // 2]
end

---@param model table  a step model
---@param loop tandem.llm.Loop
---@return { ttft_s: number, ttft_median_s: number, tpot_s: number, decode_s: number,
--- prompt_s: number, running: number }
function closed_loop.predict(model, loop)
  local context, steps = loop.prompt + (loop.output + 1) / 2, loop.output - 1
  local clients = math.max(1, loop.concurrency)
  local n = clients
  if loop.capacity then n = math.min(n, loop.capacity / (loop.prompt + loop.output)) end
  n = math.max(1, math.floor(n + 0.5))
  local decode_s = model:step_s { decode_seqs = n, decode_context = n * context,
    decode_context_max = math.ceil(context), sampled = n }
  local P = closed_loop.prompt_s(model, loop, n - 1, context, decode_s)
  local E = n * P + (steps + 1) * decode_s
  local own = P + (n > 1 and 1.5 or 1) * decode_s
  local first = wait_s(loop, n, P, E) + own
  local tpot = steps > 0 and math.max(decode_s, (E - first) / steps) or decode_s
  local queued = (clients - n) / n * (first + steps * tpot)
  local more = queued + (loop.request_s or 0) + (loop.ahead and decode_s or 0)
  return { ttft_s = first + more, ttft_median_s = median_wait_s(loop, n, P, E) + own + more,
    tpot_s = tpot, decode_s = decode_s, prompt_s = P, running = n }
end

return closed_loop
