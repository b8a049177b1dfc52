-- Conversations: do intervals hold whose samples are turns? Turns of one conversation are alike
-- (its prompts are as long, its history grows), so they say less than as many requests.
--
-- Servers of conversations are run as long as plans begin with (plan/space.lua: a thousand turns,
-- ten conversations of every user) on many seeds; the truth is one run that is ten times as long.
-- Counted are the intervals that are printed at 90 and 95 % and hold it, and those that lie below
-- it, which would buy too few GPUs. Users of a closed loop begin all at once, of which an automatic
-- warm-up leaves out the first round: one system is there with that and without its first minute.
--
-- Minutes. TALKS_SEEDS (24) seeds from TALKS_SEED (1) on; TALKS_ONLY=N: the Nth system alone.

local td = require "tandem"

local accuracy = {}

local step = td.affine { step = "8ms", prefill_tokens = "25us", decode_seqs = "80us",
  decode_context = "3ns" }

-- Turns of a conversation, all with its own length of prompt; between them somebody thinks.
local function talk(fields)
  local think = fields.think or 4
  return { name = fields.name, workload = fields.workload, attrs = { size =
      td.lognormal { mean = fields.prompt, cv = fields.cv } },
    target = td.gpu "H100 SXM" { count = fields.gpus or 1 }, warmup = fields.warmup or "auto",
    pipeline = { td.loop "turns" { times = fields.turns, td.generate "llm" { step = step,
      prefix = fields.prefix, history = true, prompt = "size",
      output = td.lognormal { mean = fields.output, cv = 0.8 },
      replicas = fields.gpus, engine = { kv_blocks = fields.blocks or 20000, max_seqs = 128 } },
      td.delay "think" { time = td.lognormal { mean = think, cv = 1.5 } } } } }
end

-- What is run, and how many conversations a plan's first run has.
local SYSTEMS <const> = {
  { first = 400, body = function() return talk { name = "40 users, 10 turns", prompt = 300, cv = 1,
    workload = td.closed { users = 40 }, turns = 10, output = 60, prefix = 500 } end },
  { first = 400, body = function() return talk { name = "… first minute left out", prompt = 300,
    cv = 1, warmup = "60s", workload = td.closed { users = 40 }, turns = 10, output = 60,
    prefix = 500 } end },
  { first = 100, body = function() return talk { name = "6 users, 20 turns", prompt = 800, cv = 1.5,
    workload = td.closed { users = 6 }, turns = 20, output = 120, think = 1 } end },
  { first = 600, body = function() return talk { name = "60 users, cache too small", prompt = 500,
    cv = 1, workload = td.closed { users = 60 }, turns = 8, output = 50, blocks = 4000 } end },
  { first = 400, body = function() return talk { name = "arrivals, 8 turns", prompt = 400, cv = 1.5,
    workload = td.poisson { rps = 0.5 }, turns = 8, output = 60 } end },
}

local TRUTH <const>, TRUTHS <const> = 10, 8 -- times as long, replications
local METRICS <const> = { "ttft.p50", "ttft.p95", "ttft.p99", "tpot.p95", "ttft.mean", "e2e.mean" }

local function estimate_of(result, metric)
  local time, field = metric:match "^(%w+)%.(%w+)$"
  return result.llm[1][time][field]
end

local function run(body, requests, replications, seed, confidence)
  local scenario = assert(td.check(body)):with { requests = requests }
  return assert(scenario:run { replications = replications, seed = seed, confidence = confidence,
    doubt = false })
end

local function count(system, seeds, first)
  local truth = run(system.body(), TRUTH * system.first, TRUTHS, 987654321)
  local cells = {}
  for _, confidence in ipairs { 0.9, 0.95 } do
    local c = { confidence = confidence, runs = 0, printed = 0, held = 0, below = 0 }
    cells[#cells + 1] = c
    for i = 0, seeds - 1 do
      local result = run(system.body(), system.first, 8, first + i, confidence)
      for _, metric in ipairs(METRICS) do
        local one, right = estimate_of(result, metric), estimate_of(truth, metric).value
        c.runs = c.runs + 1
        if one.half then
          c.printed = c.printed + 1
          local off = one.value - right
          if math.abs(off) <= one.half then
            c.held = c.held + 1
          elseif off < 0 then
            c.below = c.below + 1
          end
        end
      end
    end
  end
  return cells
end

--- Prints coverage; false where fewer hold, or more lie below, than chance explains.
---@return boolean good
function accuracy.run()
  local seeds = tonumber(os.getenv "TALKS_SEEDS") or 24
  local first = tonumber(os.getenv "TALKS_SEED") or 1
  local all, only = {}, os.getenv "TALKS_ONLY"
  print(("  %-28s %6s %8s %8s %8s"):format("", "of", "printed", "hold", "below"))
  for i, system in ipairs(SYSTEMS) do
    for _, c in ipairs((not only or tonumber(only) == i) and count(system, seeds, first) or {}) do
      print(("  %-28s %5.0f%% %7.0f%% %7.1f%% %7.1f%%"):format(system.body().name,
        100 * c.confidence, 100 * c.printed / c.runs, 100 * c.held / math.max(1, c.printed),
        100 * c.below / math.max(1, c.printed)))
      local sum = all[c.confidence] or { printed = 0, held = 0, below = 0 }
      for key in pairs(sum) do sum[key] = sum[key] + c[key] end
      all[c.confidence] = sum
    end
  end
  local good = true
  for _, confidence in ipairs { 0.9, 0.95 } do
    local sum = all[confidence]
    local n = math.max(1, sum.printed)
    print(("  all at %.0f %%: %.1f %% of %d hold, %.1f %% lie below"):format(100 * confidence,
      100 * sum.held / n, sum.printed, 100 * sum.below / n))
    -- Figures of one run move together: a run counts as one.
    local half = (1 - confidence) / 2
    good = good and sum.below / n <= half + 2.5 * math.sqrt(half / (n / #METRICS))
      and sum.held / n >= confidence - 2.5 * math.sqrt((1 - confidence) / (n / #METRICS))
  end
  return good
end

return accuracy
