--- What GuideLLM writes (benchmarks.json): benchmarks of several loads, each with its requests.
--
-- The loads ran one after the other, and all of their requests are taken, in time: GuideLLM's own
-- sums leave the warm-up and cool-down out. Two layouts are known: requests have `start_time` until
-- 2025, `request_start_time` since. Owns this format. Called by init.lua.

local format = require "tandem.text.format"

local function is_number(value) return math.type(value) ~= nil end

local function request_of(request, base_s, position)
  if type(request) ~= "table" then return nil end
  local at, ttft_ms, e2e = request.request_start_time or request.start_time,
    request.time_to_first_token_ms, request.request_latency
  local prompt, output = request.prompt_tokens, request.output_tokens
  if not (is_number(at) and is_number(ttft_ms) and is_number(e2e) and is_number(prompt)
    and is_number(output)) then
    return nil
  end
  if ttft_ms <= 0 or prompt < 1 or output < 1 then return nil end
  return { at_s = at - base_s, prompt = math.floor(prompt), output = math.floor(output),
    ttft_s = ttft_ms * 1e-3, e2e_s = math.max(e2e, ttft_ms * 1e-3), position = position }
end

local function list(requests, what)
  local of = type(requests) == "table" and requests[what]
  return type(of) == "table" and of or {}
end

-- The earliest start, of requests that failed too: that is when the load began.
local function first_start(benchmarks)
  local first
  for _, benchmark in ipairs(benchmarks) do
    for _, what in ipairs { "successful", "errored", "incomplete" } do
      for _, request in ipairs(list(benchmark.requests, what)) do
        local at = type(request) == "table" and (request.request_start_time or request.start_time)
        if is_number(at) and at > 0 and (not first or at < first) then first = at end
      end
    end
  end
  return first or 0
end

local function read_benchmarks(data)
  if type(data.benchmarks) ~= "table" then return nil, "benchmarks is no list" end
  local requests, left, loads = {}, 0, 0
  local base_s = first_start(data.benchmarks)
  for _, benchmark in ipairs(data.benchmarks) do
    if type(benchmark) == "table" then
      local before = #requests
      for _, request in ipairs(list(benchmark.requests, "successful")) do
        local one = request_of(request, base_s, #requests + 1)
        requests[#requests + 1] = one
        if not one then left = left + 1 end
      end
      left = left + #list(benchmark.requests, "errored") + #list(benchmark.requests, "incomplete")
      if #requests > before then loads = loads + 1 end
    end
  end
  if #requests == 0 then
    return nil, "its benchmarks hold no requests with tokens and times; GuideLLM keeps them unless "
      .. "told to sample fewer"
  end
  local notes = {}
  if left > 0 then
    notes[1] = ("%s failed or had no answer, left out of the load too"):format(
      format.plural(left, "request"))
  end
  if loads > 1 then
    notes[#notes + 1] = ("%d loads, one after the other, are taken as one"):format(loads)
  end
  return { kind = "requests", clock = "client", requests = requests, notes = notes,
    left_out = left }
end

-- The texts of prompts and answers that stand beside these are passed over.
local KEEP <const> = { benchmarks = true, requests = true, successful = true, errored = true,
  incomplete = true, request_start_time = true, start_time = true, time_to_first_token_ms = true,
  request_latency = true, prompt_tokens = true, output_tokens = true }

return { { name = "GuideLLM benchmarks", shape = "json", fields = { "benchmarks" }, keep = KEEP,
  read = read_benchmarks } }
