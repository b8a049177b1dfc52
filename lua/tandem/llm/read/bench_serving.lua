--- What vLLM's `vllm bench serve --save-result --save-detailed` (formerly benchmark_serving) and
-- SGLang's bench_serving with --output-details write: lists with one item a request.
--
-- Older versions have no start times; they are known where all requests start at once, or so many
-- clients each send the next when the last is answered. Owns these two formats. Called by init.lua.

local format = require "tandem.text.format"

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
  local ttft, itls = number(run.ttfts[i]), run.itls[i]
  local prompt, output = number(run.input_lens[i]), number(run.output_lens[i])
  if not (ttft and ttft > 0 and type(itls) == "table" and prompt and output) then return nil end
  if prompt < 1 or output < 1 then return nil end
  local sum = ttft
  for _, gap in ipairs(itls) do sum = sum + (number(gap) or 0) end
  local starts = type(run.start_times) == "table" and run.start_times
  return { at_s = starts and number(starts[i]) or 0, prompt = math.floor(prompt),
    output = math.floor(output), ttft_s = ttft, e2e_s = sum, position = i }
end

local function read_run(run, notes)
  local requests = {}
  for _, key in ipairs { "input_lens", "output_lens", "ttfts", "itls" } do
    if type(run[key]) ~= "table" then return nil, key .. " is not a list" end
  end
  for i = 1, #run.ttfts do requests[#requests + 1] = request_of(run, i) end
  if #requests < #run.ttfts then
    notes[#notes + 1] = ("%s failed or had no answer, and are left out of the load too"):format(
      format.plural(#run.ttfts - #requests, "request"))
  end
  if type(run.start_times) ~= "table" then
    local note, message = add_starts(run, requests)
    if not note then return nil, message end
    notes[#notes + 1] = note
  end
  return requests
end

local function reader(name, shape, extra)
  return { name = name, shape = shape,
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

-- Of a run whose requests only their sums are kept: the point at which so many clients, each with
-- one request at a time, held the server. Means are over requests, as of points measured elsewhere.
local function point_of(run, position)
  local clients, done = number(run.max_concurrency), number(run.completed)
  local prompt, output = number(run.total_input_tokens), number(run.total_output_tokens)
  local ttft, tpot = number(run.mean_ttft_ms), number(run.mean_tpot_ms)
  if not (clients and clients >= 1 and is_infinite(run.request_rate)) then return nil end
  if not (done and done >= clients and prompt and output and ttft and tpot) then return nil end
  if output / done <= 1 or ttft <= 0 or tpot <= 0 then return nil end
  local model = type(run.model_id) == "string" and run.model_id:match "[^/]+$" or nil
  return { row = { model = model, backend = type(run.backend) == "string" and run.backend or nil },
    position = position, prompt = math.floor(prompt / done + 0.5),
    output = math.floor(output / done + 0.5), concurrency = math.tointeger(clients) or clients,
    ttft_s = ttft / 1e3, tpot_s = tpot / 1e3 }
end

local function read_sums(data)
  local found, failed = {}, 0
  for i, run in ipairs(data) do
    found[#found + 1] = point_of(run, i)
    if number(run.completed) == 0 then failed = failed + 1 end
  end
  if #found > 0 then
    return { kind = "points", points = found, notes = { #found < #data
      and ("%s at a rate or failed: no operating points"):format(format.plural(#data - #found,
        "run")) or nil } }
  elseif failed == #data then
    return nil, "has no answered request: its zeros are no measurements"
  end
  return nil, "is of sums over requests at a rate, no operating point of so many clients; "
    .. "--save-detailed (SGLang: --output-details) keeps each request"
end

return { reader("SGLang bench_serving with --output-details", "lines",
    { "total_output_tokens_retokenized" }),
  reader("vLLM bench serve with --save-detailed", "json"),
  reader("vLLM bench serve with --save-detailed", "lines"),
  { name = "sums of bench serve", shape = "lines", read = read_sums,
    fields = { { "request_throughput", "num_prompts" }, "mean_ttft_ms", "mean_tpot_ms" } },
  { name = "sums of SGLang's bench_serving", shape = "lines", read = read_sums,
    fields = { "median_ttft_ms", "total_input_tokens", "output_throughput" } } }
