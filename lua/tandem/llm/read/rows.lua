--- Plain tables: a row a request, a step, a second of a server or a closed-loop operating point.
--
-- Columns are known by several spellings; times say their unit (_s, _ms, _us, _ns), seconds without
-- one. Owns these spellings. Called by init.lua.

local format = require "tandem.text.format"

local UNITS <const> = { s = 1, ms = 1e-3, us = 1e-6, ns = 1e-9 }

-- Spellings of a time: name, name_s, name_ms …
local function times(...)
  local list = {}
  for _, name in ipairs { ... } do
    for _, unit in ipairs { "_ms", "_s", "_us", "_ns", "" } do list[#list + 1] = name .. unit end
  end
  return list
end

local function seconds(row, name)
  local value = name and row[name]
  if not math.type(value) then return nil end
  return value * (UNITS[name:match "_(%a+)$"] or 1)
end

local PROMPT <const> = { "prompt_tokens", "input_tokens", "input_toks", "prompt_len", "input_len",
  "num_prefill_tokens", "isl" }
local OUTPUT <const> = { "output_tokens", "output_toks", "output_len", "num_decode_tokens",
  "completion_tokens", "osl" }
local ARRIVAL <const> = times("arrival", "arrival_time", "start_time", "start", "timestamp")
local TTFT <const> = times("ttft", "time_to_first_token")
local E2E <const> = times("e2e", "e2e_latency", "latency", "request_latency", "e2el")
local TPOT <const> = times("tpot", "time_per_output_token")
local QUEUE <const> = times("queue", "queueing", "queue_time")

local function left_out(all, kept, why)
  if kept == all then return {} end
  return { ("%s %s"):format(format.plural(all - kept, "row"), why) }
end

-- ---- requests

local function read_requests(data, from)
  local at, prompt, output = from.has(ARRIVAL), from.has(PROMPT), from.has(OUTPUT)
  local ttft, e2e, tpot = from.has(TTFT), from.has(E2E), from.has(TPOT)
  if not (e2e or tpot) then return nil, "has neither e2e nor tpot" end
  local requests = {}
  for i, row in ipairs(data.rows or data) do
    local p, o, first = row[prompt], row[output], seconds(row, ttft)
    local start, whole = seconds(row, at), seconds(row, e2e)
    if not whole and first and math.type(o) and seconds(row, tpot) then
      whole = first + (o - 1) * seconds(row, tpot)
    end
    if math.type(p) and math.type(o) and p >= 1 and o >= 1 and start and first and first > 0
      and whole then
      requests[#requests + 1] = { at_s = start, prompt = math.floor(p), output = math.floor(o),
        ttft_s = first, e2e_s = math.max(whole, first), position = i }
    end
  end
  -- Who knows how long requests queued in the engine has the engine's clock.
  return { kind = "requests", clock = from.has(QUEUE) and "engine" or "client",
    requests = requests, notes = left_out(#(data.rows or data), #requests,
      "without an answer, left out of the load too") }
end

-- Times of vLLM's own statistics of a request.
local function read_engine(records)
  local requests = {}
  for i, r in ipairs(records) do
    local queued, first, last = r.queued_ts, r.first_token_ts, r.last_token_ts
    local prompt, output = math.type(r.input_toks) and r.input_toks or 0,
      math.type(r.output_toks) and r.output_toks or 0
    if math.type(queued) and math.type(first) and math.type(last) and prompt >= 1 and output >= 1
      and first > queued and last >= first then
      requests[#requests + 1] = { at_s = queued, prompt = prompt, output = output,
        ttft_s = first - queued, e2e_s = last - queued, position = i }
    end
  end
  return { kind = "requests", clock = "engine", requests = requests,
    notes = left_out(#records, #requests, "without an answer, left out of the load too") }
end

-- ---- steps

local STEP <const> = times("step", "step_time", "duration", "iteration_time", "elapsed", "time",
  "latency")
local TERMS <const> = {
  prefill_seqs = { "prefill_seqs", "num_ctx_requests", "context_requests", "num_prefills" },
  prefill_tokens = { "prefill_tokens", "num_ctx_tokens", "context_tokens", "num_prefill_tokens" },
  prefill_context = { "prefill_context" }, prefill_attention = { "prefill_attention" },
  prefill_squares = { "prefill_squares" },
  decode_seqs = { "decode_seqs", "num_generation_tokens", "generation_requests", "num_decodes",
    "num_decode_tokens" },
  decode_context = { "decode_context", "decode_kv_tokens" },
  decode_context_max = { "decode_context_max" }, sampled = { "sampled" } }

local function read_steps(data, from)
  local time, named, steps = from.has(STEP), {}, {}
  for term, spellings in pairs(TERMS) do named[term] = from.has(spellings) end
  for _, row in ipairs(data.rows) do
    local y, x = seconds(row, time), { step = 1 }
    for term, name in pairs(named) do x[term] = math.type(row[name]) and row[name] or 0 end
    local prefills, decodes = x.prefill_tokens or 0, x.decode_seqs or 0
    x.prefill_step, x.decode_step = prefills > 0 and 1 or 0, decodes > 0 and 1 or 0
    if y and y > 0 and prefills + decodes > 0 then steps[#steps + 1] = { y = y, x = x } end
  end
  if #steps == 0 then return nil, "has no step that computed anything" end
  return { kind = "steps", steps = steps, notes = left_out(#data.rows, #steps,
    "in which nothing was computed or no time stands") }
end

-- ---- seconds of a server

local function of(row, name) return row and math.type(row[name]) and row[name] or 0 end

-- Busy throughout: sequences at both ends of the interval and tokens in it, and it goes on.
local function busy_second(before, row, after)
  local length = before and row and math.type(row.t) and math.type(before.t) and row.t - before.t
    or 0
  if not (length > 0 and of(row, "running") > 0 and of(before, "running") > 0
    and of(row, "gen_throughput") > 0 and of(after, "running") > 0) then return nil end
  local tokens = row.gen_throughput * length
  return { y = length, x = { step = tokens / ((row.running + before.running) / 2),
    decode_seqs = tokens, prefill_tokens = of(row, "prompt_throughput") * length } }
end

local function read_series(data)
  local steps, before, row = {}, nil, nil
  for _, after in ipairs(data.rows) do
    steps[#steps + 1] = busy_second(before, row, after)
    before, row = row, after
  end
  if #steps == 0 then return nil, "has no second in which the server was busy throughout" end
  return { kind = "series", steps = steps, notes = {} }
end

-- ---- operating points

local CONCURRENCY <const> = { "concurrency", "max_concurrency", "batch_size" }
local POINT_TTFT <const> = { "ttft_ms", "silicon_ttft_ms", "mean_ttft_ms", "ttft_s" }
local POINT_TPOT <const> = { "tpot_ms", "silicon_tpot_ms", "mean_tpot_ms", "tpot_s" }

local function read_points(data, from)
  local points = {}
  local prompt, output = from.has { "isl", table.unpack(PROMPT) },
    from.has { "osl", table.unpack(OUTPUT) }
  local concurrency, ttft, tpot = from.has(CONCURRENCY), from.has(POINT_TTFT),
    from.has(POINT_TPOT)
  for i, row in ipairs(data.rows) do
    local told = type(row.silicon_data_source) == "string"
      and tonumber(row.silicon_data_source:match "silicon_concurrency=(%d+)")
    local point = { row = row, position = i, prompt = row[prompt], output = row[output],
      concurrency = told or row[concurrency], ttft_s = seconds(row, ttft),
      tpot_s = seconds(row, tpot) }
    if math.type(point.prompt) and math.type(point.output) and math.type(point.concurrency)
      and point.output > 1 and point.ttft_s and point.tpot_s and point.ttft_s > 0
      and point.tpot_s > 0 then
      point.clients, point.times = point.concurrency, { ttft = { mean = point.ttft_s },
        tpot = { mean = point.tpot_s } }
      point.lengths = { prompt = { mean = point.prompt }, output = { mean = point.output } }
      points[#points + 1] = point
    end
  end
  if #points == 0 then return nil, "has no operating point with all of its numbers" end
  return { kind = "points", points = points, notes = left_out(#data.rows, #points,
    "without a number of its own") }
end

local request_fields = { ARRIVAL, PROMPT, OUTPUT, TTFT }

return {
  { name = "operating points (CSV)", shape = "csv", fields = { CONCURRENCY,
    { "isl", table.unpack(PROMPT) }, { "osl", table.unpack(OUTPUT) }, POINT_TTFT, POINT_TPOT },
    read = read_points },
  { name = "requests (CSV)", shape = "csv", fields = request_fields, read = read_requests },
  { name = "requests (JSON Lines)", shape = "lines", fields = request_fields,
    read = read_requests },
  { name = "requests with an engine's times (JSON Lines)", shape = "lines",
    fields = { "input_toks", "output_toks", "queued_ts", "first_token_ts", "last_token_ts" },
    read = read_engine },
  { name = "seconds of a server (CSV)", shape = "csv",
    fields = { "t", "running", "gen_throughput", "prompt_throughput" }, read = read_series },
  { name = "steps (CSV)", shape = "csv", fields = { STEP, { "decode_seqs", "prefill_tokens",
    "num_ctx_tokens", "num_generation_tokens", "context_tokens", "generation_requests" } },
    read = read_steps } }
