--- What a simulated server's metrics say, against each other: the identities that real scrapes
--- keep, scrape by scrape, and against the run's own result.

local td = require "tandem"
local metrics = require "tandem.metrics"

local function server(options)
  return td.scenario "server" {
    target = td.gpu "H100 SXM" { count = options.gpus or 1 },
    workload = td.poisson { rps = options.rps, duration = 60 },
    timeout = options.timeout,
    attrs = { prompt_tokens = td.lognormal { mean = 900, cv = 1 },
      output_tokens = td.lognormal { mean = 60, cv = 1 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", prefix = options.prefix,
      group = options.prefix and 1, replicas = options.gpus, engine = options.engine } } }
end

-- A run's metrics as they are read back, and its result.
local function exported(scenario, scrape, of)
  local path = os.tmpname()
  local result, message = scenario:run { replications = 1, metrics = path, scrape = scrape,
    metrics_of = of ~= "own" and (of or "vllm") or nil, seed = 3, warmup = "none" }
  assert(result, message)
  local instances = assert(metrics.read { path })
  os.remove(path)
  return instances, result
end

local NAMES <const> = { "request_success_total", "generation_tokens_total", "prompt_tokens_total",
  "prompt_tokens_cached_total", "prefix_cache_queries_total", "prefix_cache_hits_total",
  "external_prefix_cache_queries_total", "external_prefix_cache_hits_total",
  "num_preemptions_total", "time_to_first_token_seconds_count", "time_to_first_token_seconds_sum",
  "inter_token_latency_seconds_count", "inter_token_latency_seconds_sum",
  "iteration_tokens_total_count", "iteration_tokens_total_sum", "e2e_request_latency_seconds_count",
  "e2e_request_latency_seconds_sum", "request_queue_time_seconds_sum",
  "request_inference_time_seconds_sum", "request_prefill_time_seconds_sum",
  "request_decode_time_seconds_sum", "request_prompt_tokens_sum", "request_generation_tokens_sum",
  "request_prefill_kv_computed_tokens_sum" }

-- Cumulative values at each scrape, by the name without what all have.
local function totals(instance)
  local out = {}
  for _, name in ipairs(NAMES) do
    local sum, series = 0, { 0 }
    for k, gained in ipairs(assert(instance:gained("vllm:" .. name), name)) do
      sum = sum + gained
      series[k + 1] = sum
    end
    out[name] = series
  end
  return out
end

local function whole(a, b, what) assert(a == b, ("%s: %s is not %s"):format(what, a, b)) end
local function near(a, b, what)
  assert(math.abs(a - b) < 1e-6 * math.max(1, math.abs(b)), ("%s: %s, %s"):format(what, a, b))
end

local function holds(instance, count_from, block)
  local t, running = totals(instance), instance:gauge "vllm:num_requests_running"
  local waiting, last = instance:gauge "vllm:num_requests_waiting", #instance.times
  for k = 1, last do
    local at = "scrape " .. k
    local first, made = t.time_to_first_token_seconds_count[k], t.generation_tokens_total[k]
    whole(t.inter_token_latency_seconds_count[k], made - first, at .. ": gaps")
    whole(t.iteration_tokens_total_sum[k],
      t.prompt_tokens_total[k] - t.prompt_tokens_cached_total[k] + made, at .. ": steps' tokens")
    -- Those whose prompts are not computed yet run without a first token.
    local done = t.request_success_total[k]
    assert(first >= done and first <= done + running[k] + waiting[k], at .. ": first tokens")
    whole(t.e2e_request_latency_seconds_count[k], done, at .. ": ends")
    near(t.request_inference_time_seconds_sum[k], t.request_prefill_time_seconds_sum[k]
      + t.request_decode_time_seconds_sum[k], at .. ": time inside")
    assert(t.e2e_request_latency_seconds_sum[k] >= t.request_queue_time_seconds_sum[k]
      + t.request_inference_time_seconds_sum[k] - 1e-6, at .. ": time in front")
    assert(made >= t.request_generation_tokens_sum[k], at .. ": tokens in flight")
    assert(t.prompt_tokens_total[k] >= t.request_prompt_tokens_sum[k], at .. ": prompts")
    whole(t.prefix_cache_hits_total[k] % block, 0, at .. ": hits come in blocks")
    assert(running[k] >= 0 and waiting[k] >= 0, at .. ": gauges")
  end
  whole(running[last] + waiting[last], 0, "all have left")
  whole(t.time_to_first_token_seconds_count[last], count_from, "first tokens of all")
  whole(t.generation_tokens_total[last], t.request_generation_tokens_sum[last], "all tokens")
  whole(t.prompt_tokens_total[last], t.request_prompt_tokens_sum[last], "all prompts")
  near(t.request_decode_time_seconds_sum[last], t.inter_token_latency_seconds_sum[last],
    "time of gaps")
  return t
end

describe("metrics of a simulated server", function()
  it("keep the identities of real ones at every scrape", function()
    for _, options in ipairs { { rps = 6 }, { rps = 14, prefix = 320 },
      { rps = 25, engine = { kv_blocks = 800, max_seqs = 48 } },
      { rps = 8, engine = { server = "vllm", version = "0.15.1", max_batched_tokens = 512 } },
      { rps = 8, engine = { server = "sglang" } } } do
      local instances, result = exported(server(options), 5)
      whole(#instances, 1, "servers")
      local t = holds(instances[1], result.requests, 16)
      local last = #instances[1].times
      whole(t.request_success_total[last], result.requests, "requests")
      assert(options.prefix == nil or t.prefix_cache_hits_total[last] > 0)
      assert(not (options.engine and options.engine.kv_blocks)
        or t.num_preemptions_total[last] > 0)
      near(t.e2e_request_latency_seconds_sum[last] / result.requests,
        result.llm[1].e2e.mean.value, "mean of E2E")
      near(t.time_to_first_token_seconds_sum[last] / result.requests,
        result.llm[1].ttft.mean.value, "mean of TTFT")
    end
  end)

  it("tell apart what tiers below the KV cache had", function()
    local scenario = td.scenario "t" { workload = td.closed { users = 6, requests = 24,
        duration = "600s" },
      pipeline = { td.loop { times = 8, td.generate "a" { step = td.affine { step = "1ms",
          prefill_tokens = "20us" }, prompt = 200, output = 40, history = true,
          engine = { kv_blocks = 150, kv_tiers = { { name = "cpu", capacity = "40MB",
            bandwidth = "1GB/s", block = "100kB" } } } },
        td.delay "think" { time = td.exponential "3s" } } } }
    local instances, result = exported(scenario, 5)
    local t, tier = holds(instances[1], result:get "stages.a.visits", 16), "llm.a.kv_tiers.cpu."
    local function last(name) return t[name][#instances[1].times] end
    local prompts, hits = last "prompt_tokens_total", last "external_prefix_cache_hits_total"
    near(hits / prompts, result:get(tier .. "cached"), "share found below")
    near(last "prefix_cache_hits_total" / prompts, result:get "llm.a.cached", "share found")
    whole(last "external_prefix_cache_queries_total",
      last "prefix_cache_queries_total" - last "prefix_cache_hits_total", "looked for below")
    whole(last "prompt_tokens_cached_total", hits + last "prefix_cache_hits_total", "cached")
    local function bytes(way)
      local sum = 0
      for _, gained in ipairs(instances[1]:gained("vllm:kv_offload_" .. way .. "_bytes_total")) do
        sum = sum + gained
      end
      return sum
    end
    whole(bytes "load", hits // 16 * 100000, "bytes loaded")
    -- Steps tell of stores: what the very last request left is untold.
    local untold = result:get(tier .. "stored_bytes_per_s") * result.duration_s - bytes "store"
    assert(untold > -1 and untold < 20 * 100000 and hits > 0)
  end)

  it("are the same whether they are asked for or not, and by single replicas", function()
    local scenario = server { rps = 20, gpus = 2 }
    local instances, result = exported(scenario, 15)
    local plain = assert(scenario:run { replications = 1, seed = 3, warmup = "none" })
    assert.same(plain.latency.p99.value, result.latency.p99.value)
    assert.same(plain.llm[1].itl.p99.value, result.llm[1].itl.p99.value)
    whole(#instances, 2, "instances")
    local done = 0
    for _, instance in ipairs(instances) do
      local t = totals(instance)
      done = done + t.request_success_total[#instance.times]
    end
    whole(done, result.requests, "requests of both")
  end)

  it("have what came between two scrapes in the later one", function()
    local instances, result = exported(server { rps = 10 }, 1)
    local one = instances[1]
    local done = assert(one:gained "vllm:request_success_total")
    local running, waiting = one:gauge "vllm:num_requests_running",
      one:gauge "vllm:num_requests_waiting"
    local came = 0
    for k, ended in ipairs(done) do
      local arrived = ended + running[k + 1] - running[k] + waiting[k + 1] - waiting[k]
      assert(arrived >= 0 and arrived < 40, "arrivals of a second")
      came = came + arrived
    end
    whole(came, result.requests, "arrivals")
    local ttft = assert(one:histogram "vllm:time_to_first_token_seconds")
    local total = 0
    for b in ipairs(ttft.bounds) do
      for _, count in ipairs(ttft.counts[b]) do total = total + count end
    end
    whole(total, result.requests, "in buckets")
    whole(#ttft.bounds, 23, "bounds as vLLM has them")
  end)

  -- The same run in two spellings: what both count must be equal wherever they count at the same
  -- moment, and in the end everywhere.
  it("are what vLLM's are under the names of other servers", function()
    local function sum(instance, name)
      local total, series = 0, { 0 }
      for k, gained in ipairs(assert(instance:gained(name), name)) do
        total = total + gained
        series[k + 1] = total
      end
      return series
    end
    local ended = { prompt_tokens_total = "request_prompt_tokens_sum",
      generation_tokens_total = "request_generation_tokens_sum" }
    local function alike(scenario, of, prefix, pairs_of)
      local mine = exported(scenario, 5, of)[1]
      local theirs = exported(scenario, 5, "vllm")[1]
      for name, other in pairs(pairs_of) do
        local a, b = sum(mine, prefix .. name), sum(theirs, "vllm:" .. other)
        whole(#a, #b, "scrapes")
        for k = 1, #a do near(a[k], b[k], name .. " at scrape " .. k) end
        assert(a[#a] > 0 or name:find "retract", name)
      end
      return mine, theirs
    end
    local scenario = server { rps = 25, prefix = 320,
      engine = { server = "sglang", kv_blocks = 12800, max_seqs = 48 } }
    local mine, theirs = alike(scenario, "own", "sglang:", { num_requests_total =
      "request_success_total", num_retracted_requests_total = "num_preemptions_total",
      time_to_first_token_seconds_sum = "time_to_first_token_seconds_sum",
      inter_token_latency_seconds_count = "inter_token_latency_seconds_count",
      e2e_request_latency_seconds_sum = "e2e_request_latency_seconds_sum",
      queue_time_seconds_sum = "request_queue_time_seconds_sum",
      uncached_prompt_tokens_histogram_sum = "request_prefill_kv_computed_tokens_sum",
      prompt_tokens_total = ended.prompt_tokens_total,
      generation_tokens_total = ended.generation_tokens_total })
    local hits, uncached = sum(mine, "sglang:cached_tokens_total"),
      sum(mine, "sglang:uncached_prompt_tokens_histogram_sum")
    local tokens, gaps = sum(mine, "sglang:realtime_tokens_total"),
      sum(mine, "sglang:inter_token_latency_seconds_count")
    local steps, prompts = sum(theirs, "vllm:generation_tokens_total"),
      sum(mine, "sglang:prompt_tokens_total")
    local all, first = sum(theirs, "vllm:prompt_tokens_total"),
      sum(mine, "sglang:time_to_first_token_seconds_count")
    for k = 1, #mine.times do
      whole(hits[k] + uncached[k], prompts[k], "prompts are found or computed")
      whole(tokens[k], all[k] + steps[k], "tokens by mode")
      whole(gaps[k], steps[k] - first[k], "gaps")
    end
    assert(hits[#hits] > 0)
    assert.same(theirs:gauge "vllm:num_requests_running", mine:gauge "sglang:num_running_reqs")
    assert.same(theirs:gauge "vllm:kv_cache_usage_perc", mine:gauge "sglang:full_token_usage")
    whole(mine:gauge "sglang:max_total_num_tokens"[1],
      12800 * mine:gauge "sglang:page_size"[1], "tokens of the cache")
    whole(#mine:histogram "sglang:time_to_first_token_seconds".bounds, 19, "SGLang's bounds")

    mine = alike(server { rps = 12, prefix = 320, engine = { server = "tensorrt_llm" } }, "own",
      "trtllm_", { request_success_total = "request_success_total",
      time_per_output_token_seconds_sum = "request_time_per_output_token_seconds_sum",
      request_prefill_time_seconds_sum = "request_prefill_time_seconds_sum",
      request_inference_time_seconds_count = "request_inference_time_seconds_count",
      prompt_tokens_total = ended.prompt_tokens_total,
      generation_tokens_total = ended.generation_tokens_total })
    local done, started = sum(mine, "trtllm_request_success_total"),
      sum(mine, "trtllm_time_to_first_token_seconds_count")
    assert.same(done, started) -- all of a request when it ends
    local cached = sum(mine, "trtllm_prompt_cached_tokens_total")
    assert(cached[#cached] > 0)
  end)

  -- Two replicas that preempt, and requests that give up: one frontend counts what both do.
  it("are what all replicas do where a frontend stands before them", function()
    local scenario = server { gpus = 2, rps = 80, prefix = 320, timeout = "6s",
      engine = { kv_blocks = 1000, max_seqs = 32 } }
    local servers = exported(scenario, 5, "vllm")
    whole(#servers, 2, "replicas")
    local function sum(instances, name, pattern)
      local total, series = 0, { 0 }
      for k = 1, #instances[1].times - 1 do
        for _, one in ipairs(instances) do
          for key, values in pairs(one.series) do
            if key:match "^[^{]*" == name and key:find(pattern or "", 1, true) then
              total = total + values[k + 1] - values[k]
            end
          end
        end
        series[k + 1] = total
      end
      return series
    end
    local function gauge(instances, name)
      local out = {}
      for _, one in ipairs(instances) do
        for k, value in ipairs(one:gauge(name)) do out[k] = (out[k] or 0) + value end
      end
      return out
    end
    local running, waiting = gauge(servers, "vllm:num_requests_running"),
      gauge(servers, "vllm:num_requests_waiting")
    local aborted = sum(servers, "vllm:request_success_total", "abort")
    local dynamo
    assert(aborted[#aborted] > 10 and sum(servers, "vllm:num_preemptions_total")[#running] > 0)
    for of, said in pairs {
      dynamo = { prefix = "dynamo_frontend_", first = "time_to_first_token_seconds",
        gaps = "inter_token_latency_seconds", e2e = "request_duration_seconds",
        output = "output_sequence_tokens", inside = "inflight_requests",
        came = "requests_started_total", aborted = "requests_total", why = "cancelled" },
      llm_d = { prefix = "llm_d_epp_", first = "request_ttft_seconds",
        gaps = "request_streaming_itl_seconds", e2e = "request_duration_seconds",
        output = "request_output_tokens", inside = "request_running", came = "request_total",
        aborted = "request_error_total", why = "" } } do
      local mine = exported(scenario, 5, of)
      whole(#mine, 1, "frontends")
      dynamo = of == "dynamo" and mine or dynamo
      local function of_mine(name, ...) return sum(mine, said.prefix .. said[name], ...) end
      local function counted(name, what) return sum(mine, said.prefix .. said[name] .. what) end
      for name, other in pairs { first = "time_to_first_token_seconds",
        gaps = "inter_token_latency_seconds", e2e = "e2e_request_latency_seconds",
        output = "request_generation_tokens" } do
        for _, what in ipairs { "_sum", "_count" } do
          local a, b = counted(name, what), sum(servers, "vllm:" .. other .. what)
          whole(#a, #b, "scrapes")
          for k = 1, #a do near(a[k], b[k], of .. name .. what .. k) end
        end
      end
      local came, ended, gave_up = of_mine "came", counted("e2e", "_count"),
        of_mine("aborted", said.why)
      local inside = gauge(mine, said.prefix .. said.inside)
      for k, value in ipairs(inside) do
        whole(value, running[k] + waiting[k], "inside")
        whole(gave_up[k], aborted[k], "given up")
        whole(came[k], ended[k] + gave_up[k] + value, "who came has ended or is inside")
      end
    end
    local function total(name) return sum(dynamo, "dynamo_frontend_" .. name) end
    local first, tokens, gaps = total "time_to_first_token_seconds_count",
      total "output_tokens_total", total "inter_token_latency_seconds_count"
    local prompts, cached = total "input_sequence_tokens_count", total "cached_tokens_sum"
    local hits, came = sum(servers, "vllm:prompt_tokens_cached_total"),
      total "requests_started_total"
    local queued = gauge(dynamo, "dynamo_frontend_queued_requests")
    for k = 1, #first do
      whole(tokens[k], first[k] + gaps[k], "tokens are first ones or have a gap")
      whole(prompts[k], first[k], "a prompt with each first token")
      whole(cached[k], hits[k], "found in the cache")
      assert(queued[k] >= 0 and queued[k] <= came[k] - first[k], "queued")
    end
    assert(cached[#cached] > 0)
    whole(queued[#queued], 0, "all have left")
    local bounds = dynamo[1]:histogram "dynamo_frontend_time_to_first_token_seconds".bounds
    assert.same({ 0, 0.0022, 0.0047, 0.01 }, table.move(bounds, 1, 4, 1, {}))
    whole(#bounds, 19, "Dynamo's bounds")
  end)

  it("are of each server under its own names", function()
    local function generate(name, engine)
      return td.generate(name) { step = td.affine { step = "5ms" }, prompt = 20, output = 4,
        engine = { server = engine, kv_blocks = 1000 } }
    end
    local path = os.tmpname()
    assert(td.scenario "two" { workload = td.poisson { rps = 5, duration = 20 },
      pipeline = { generate("a", "sglang"), generate("b", "tensorrt_llm"), generate "c" } }:run {
      replications = 1, metrics = path })
    local file <close> = assert(io.open(path))
    local text = file:read "a"
    os.remove(path)
    assert.matches('\nsglang:num_requests_total{engine_type="unified",instance="a-0:8000"', text, 1,
      true)
    assert.matches('\ntrtllm_request_success_total{engine_type="trtllm",instance="b-0:8000"', text,
      1, true)
    assert.matches('\nvllm:request_success_total{engine="0",instance="c-0:8000"', text, 1, true)
    for line in text:gmatch "[^\n]+" do
      local whose, letter = line:match '^(%l+)[:_].*instance="(%l)'
      if whose then
        whole(({ sglang = "a", trtllm = "b", vllm = "c" })[whose], letter, "whose")
      end
    end
  end)

  it("are refused where a real server has none like them", function()
    local function why(parts, options)
      local _, message, code = server(parts):run { replications = 1, metrics = os.tmpname() }
      whole(code, 2, "the caller's mistake")
      return assert.matches(options, message, 1, true)
    end
    why({ rps = 1, engine = { batching = "dynamic", max_seqs = 4, wait = 1 } }, "batches that wait")
    local plain = td.scenario "plain" { workload = td.poisson { rps = 1, duration = 1 },
      pipeline = { td.delay "think" { time = 1 } } }
    local _, message = plain:run { metrics = os.tmpname() }
    assert.matches("no td.generate", message, 1, true)
  end)
end)
