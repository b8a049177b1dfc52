-- Measured requests as the scrapes that their server would have shown: what it knows of each
-- request is binned into its own histograms, and then forgotten. Gaps between tokens are taken to
-- be even within a request, as nobody recorded them; steps are not known. Called by twins.

local binned = {}

local FIRST <const> = { .001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10,
  20, 40, 80, 160, 640, 2560 }
local GAP <const> = { .01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20,
  40, 80 }
local REQUEST <const> = { .3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480,
  960, 1920, 7680 }
local LENGTH <const> = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000 }

--- Requests of a measured run (tests/data/serving/measured/*/per_request.csv), with times in
--- seconds from the first arrival.
---@param path string
---@return table[]
function binned.requests(path)
  local list = {}
  for line in io.lines(path) do
    local came, prompt, output, queue, first, whole = line:match
      "^[^,]+,([%d.]+),(%d+),(%d+),([%d.]+),([%d.]+),([%d.]+),"
    if came then
      came = tonumber(came)
      list[#list + 1] = { came = came, scheduled = came + queue / 1e3, first = came + first / 1e3,
        last = came + whole / 1e3, prompt = tonumber(prompt), output = tonumber(output) }
    end
  end
  return list
end

-- Cumulative text of everything that had happened by a time.
local function scrape(list, at, config, put)
  local ended, running, waiting, hist = 0, 0, 0, {}
  local function observe(name, bounds, value, times)
    local h = hist[name] or { bounds = bounds, counts = {}, sum = 0, count = 0 }
    hist[name] = h
    local b = 1
    while bounds[b] and value > bounds[b] do b = b + 1 end
    h.counts[b] = (h.counts[b] or 0) + times
    h.sum, h.count = h.sum + value * times, h.count + times
  end
  for name, bounds in pairs { time_to_first_token_seconds = FIRST,
    inter_token_latency_seconds = GAP, request_time_per_output_token_seconds = GAP,
    e2e_request_latency_seconds = REQUEST, request_queue_time_seconds = REQUEST,
    request_inference_time_seconds = REQUEST, request_prefill_time_seconds = REQUEST,
    request_decode_time_seconds = REQUEST, request_prompt_tokens = LENGTH,
    request_generation_tokens = LENGTH } do
    hist[name] = { bounds = bounds, counts = {}, sum = 0, count = 0 }
  end
  for _, r in ipairs(list) do
    local gap = r.output > 1 and (r.last - r.first) / (r.output - 1) or nil
    if r.came <= at and r.scheduled > at then waiting = waiting + 1 end
    if r.scheduled <= at and r.last > at then running = running + 1 end
    if r.first <= at then
      observe("time_to_first_token_seconds", FIRST, r.first - r.came, 1)
      local made = gap and math.min(r.output - 1, math.floor((at - r.first) / gap + 1e-9)) or 0
      if made > 0 then observe("inter_token_latency_seconds", GAP, gap, made) end
    end
    if r.last <= at then
      ended = ended + 1
      observe("e2e_request_latency_seconds", REQUEST, r.last - r.came, 1)
      observe("request_queue_time_seconds", REQUEST, r.scheduled - r.came, 1)
      observe("request_inference_time_seconds", REQUEST, r.last - r.scheduled, 1)
      observe("request_prefill_time_seconds", REQUEST, r.first - r.scheduled, 1)
      observe("request_decode_time_seconds", REQUEST, r.last - r.first, 1)
      if gap then observe("request_time_per_output_token_seconds", GAP, gap, 1) end
      observe("request_prompt_tokens", LENGTH, r.prompt, 1)
      observe("request_generation_tokens", LENGTH, r.output, 1)
    end
  end
  put("request_success_total", nil, ended)
  put("num_requests_running", nil, running)
  put("num_requests_waiting", nil, waiting)
  put("cache_config_info", config, 1)
  for name, h in pairs(hist) do
    local sum = 0
    for b = 1, #h.bounds + 1 do
      sum = sum + (h.counts[b] or 0)
      put(name .. "_bucket", ('le="%s"'):format(h.bounds[b] or "+Inf"), sum)
    end
    put(name .. "_count", nil, h.count)
    put(name .. "_sum", nil, h.sum)
  end
end

--- Writes the scrapes of a run, one every `every` seconds.
---@param list table[]
---@param model string
---@param config string  labels of cache_config_info
---@param every number
---@param path string
function binned.write(list, model, config, every, path)
  local last, file = 0, assert(io.open(path, "w"))
  for _, r in ipairs(list) do last = math.max(last, r.last) end
  for k = 0, math.ceil(last / every) do
    scrape(list, k * every, config, function(name, label, value)
      file:write(('vllm:%s{model_name="%s",engine="0"%s} %.17g %d\n'):format(name, model,
        label and "," .. label or "", value, math.floor((1767225600 + k * every) * 1000)))
    end)
  end
  file:close()
end

return binned
