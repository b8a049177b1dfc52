--- What vLLM's `vllm bench serve --save-result --save-detailed` (formerly benchmark_serving) and
-- SGLang's bench_serving with --output-details write: lists with one item a request.
--
-- Older versions have no start times; they are known where all requests start at once, or so many
-- clients each send the next when the last is answered. Owns these two formats. Called by init.lua.

local format = require "tandem.text.format"
local sums = require "tandem.llm.read.sums"

local function number(value) return type(value) == "number" and value or nil end

-- Where the rate is infinite, from the answers' own times: with a limit each start is an end.
local function closed_starts(requests, clients)
  local free = {}
  for i, r in ipairs(requests) do
    if i <= clients then
      r.at_s = 0.0
    else
      local first = 1
      for k = 2, #free do
        if free[k] < free[first] then first = k end
      end
      r.at_s = table.remove(free, first)
    end
    free[#free + 1] = r.at_s + r.e2e_s
  end
end

local function is_infinite(rate) return rate == "inf" or rate == math.huge end

local function add_starts(run, requests)
  local clients = math.tointeger(number(run.max_concurrency) or 0)
  if clients and clients < 1 then clients = nil end
  if is_infinite(run.request_rate) then
    closed_starts(requests, clients or #requests)
    return ("no start times: as of %s, each sending the next request when the last is answered")
      :format(format.plural(clients or #requests, "client"))
  end
  return nil, "has no start_times, and the request rate is not infinite: which requests met cannot "
    .. "be known; newer versions write them"
end

local function request_of(run, i)
  local error = type(run.errors) == "table" and run.errors[i]
  if type(error) == "string" and error ~= "" then return nil end
  local ttft, gaps_s = number(run.ttfts[i]), number(run.itls[i])
  local prompt, output = number(run.input_lens[i]), number(run.output_lens[i])
  if not (ttft and ttft > 0 and gaps_s and prompt and output) then return nil end
  if prompt < 1 or output < 1 then return nil end
  local starts = type(run.start_times) == "table" and run.start_times
  return { at_s = starts and number(starts[i]) or 0, prompt = math.floor(prompt),
    output = math.floor(output), ttft_s = ttft, e2e_s = ttft + gaps_s, position = i }
end

local function read_run(run, notes)
  local requests = {}
  for _, key in ipairs { "input_lens", "output_lens", "ttfts", "itls" } do
    if type(run[key]) ~= "table" then return nil, key .. " is not a list" end
  end
  for i = 1, #run.ttfts do requests[#requests + 1] = request_of(run, i) end
  if #requests < #run.ttfts then
    notes[#notes + 1] = ("%s failed or had no answer, left out of the load too"):format(
      format.plural(#run.ttfts - #requests, "request"))
  end
  if type(run.start_times) ~= "table" then
    local note, message = add_starts(run, requests)
    if not note then return nil, message end
    notes[#notes + 1] = note
  end
  return requests
end

-- The texts of answers that stand beside these are passed over, and of the times between a
-- request's tokens only their sum is wanted.
local KEEP <const> = { input_lens = true, output_lens = true, ttfts = true, itls = "sum",
  start_times = true, errors = true, request_rate = true, max_concurrency = true }

local function reader(name, shape, extra)
  return { name = name, shape = shape, keep = KEEP,
    fields = { "input_lens", "output_lens", "ttfts", "itls", table.unpack(extra or {}) },
    read = function(data)
      local notes, run = {}, data
      if shape == "lines" then
        run = data[#data]
        if #data > 1 then
          notes[1] = ("the last of %d runs in it is taken"):format(#data)
        end
      end
      local requests, message = read_run(run, notes)
      if not requests then return nil, message end
      return { kind = "requests", clock = "client", requests = requests, notes = notes,
        left_out = #run.ttfts - #requests }
    end }
end

-- ---- sums

local TIMES <const> = { ttft = { "ttft" }, tpot = { "tpot" }, itl = { "itl" },
  e2e = { "e2el", "e2e_latency" } }
local STATISTICS <const> = { mean = "mean", median = "p50", p90 = "p90", p95 = "p95", p99 = "p99" }

-- What a run tells of a time: "ttft" as { mean = 0.1, p50 = … }, seconds.
local function times_of(run)
  local out = {}
  for name, spellings in pairs(TIMES) do
    for _, spelling in ipairs(spellings) do
      for said, statistic in pairs(STATISTICS) do
        local ms = number(run[("%s_%s_ms"):format(said, spelling)])
        if ms then
          out[name] = out[name] or {}
          out[name][statistic] = ms / 1e3
        end
      end
    end
  end
  return out
end

-- Of a run whose requests only their sums are kept.
local function point_of(run, position)
  local done = number(run.completed) or number(run.num_prompts)
  local clients = number(run.max_concurrency)
  local rate = number(run.request_rate)
  -- A limit on requests at once counts where nothing else holds them up.
  if is_infinite(run.request_rate) then
    rate, clients = nil, clients or done
  elseif rate then
    clients = nil
  end
  local prompt, output = number(run.total_input_tokens), number(run.total_output_tokens)
  if not done or done == 0 then return nil end
  local model = type(run.model_id) == "string" and run.model_id:match "[^/]+$" or nil
  return sums.point { row = { model = model,
      backend = type(run.backend) == "string" and run.backend or nil }, position = position,
    requests = done, duration_s = number(run.duration), clients = clients, rate = rate,
    prompt = prompt and { mean = prompt / done }, output = output and { mean = output / done },
    times = times_of(run) }
end

local function read_sums(data)
  local found, failed, told = {}, 0, nil
  for i, run in ipairs(data) do
    local point, why = point_of(run, i)
    found[#found + 1], told = point, told or why
    if number(run.completed) == 0 then failed = failed + 1 end
  end
  if #found > 0 then
    return { kind = "points", points = found, notes = { #found < #data
      and ("%s without answers or a load: no operating points"):format(format.plural(#data - #found,
        "run")) or nil } }
  elseif failed == #data then
    return nil, "has no answered request: its zeros are no measurements"
  end
  return nil, ("is of sums that %s; --save-detailed (SGLang: --output-details) keeps each request")
    :format(told or "do not tell how many requests were answered")
end

return { reader("SGLang bench_serving with --output-details", "lines",
    { "total_output_tokens_retokenized" }),
  reader("vLLM bench serve with --save-detailed", "json"),
  reader("vLLM bench serve with --save-detailed", "lines"),
  { name = "sums of bench serve", shape = "lines", read = read_sums,
    fields = { { "request_throughput", "num_prompts" }, "mean_ttft_ms", "mean_tpot_ms" } },
  { name = "sums of SGLang's bench_serving", shape = "lines", read = read_sums,
    fields = { "median_ttft_ms", "total_input_tokens", "output_throughput" } } }
