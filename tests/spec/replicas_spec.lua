-- Replicas of an LLM server: routers, autoscaling, failures; against closed forms, by what traces
-- show, and by laws that hold for any configuration.

local core = require "tandem.core"
local td = require "tandem"

-- Functions that go to other threads must not carry the environment of busted.
local error, ipairs = error, ipairs

local affine = { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us",
  decode_context = "10ns" }

-- A function is drawn as it is: the first failure comes after so long, not somewhere within.
local function always(seconds) return td.sample(function() return seconds end) end

local function scenario(body, raw)
  local step = { step = not body.model and td.affine(affine) or nil,
    engine = not body.model and { max_seqs = 8, max_batched_tokens = 128, kv_blocks = 90 } or nil }
  for k, v in pairs(body) do step[k] = v end
  raw.name, raw.pipeline = "replicas", { td.generate "answer" (step) }
  local s, problems = td.check(raw)
  return s, tostring(problems)
end

local function checked(body, raw)
  local s, problems = scenario(body, raw)
  assert(s, problems)
  return s
end

local function refused(body, pattern)
  local s, problems = scenario(body, { workload = td.poisson { rps = 1, duration = "10s" },
    attrs = { prompt_tokens = 4, output_tokens = 4 } })
  assert.is_nil(s)
  assert.matches(pattern, problems, 1, true)
end

-- Times as they are written, counted from the first arrival.
local function replay(list) return { workload = td.replay { rows = list }, attrs = {} } end

local function once(s, options)
  options = options or {}
  options.replications, options.warmup = 1, "none"
  local result, message = s:run(options)
  if not result then error(message, 0) end
  return result
end

-- The events of a trace, and which track is which.
local function traced(s)
  local path = os.tmpname()
  local result = once(s, { trace = path })
  local file = assert(io.open(path))
  local trace = require("cjson").decode(file:read "a")
  file:close()
  os.remove(path)
  local tracks = {}
  for _, event in ipairs(trace.traceEvents) do
    if event.name == "thread_name" then tracks[event.tid] = event.args.name end
  end
  return trace.traceEvents, tracks, result
end

-- Counter → its samples.
local function counted(events)
  local out = {}
  for _, event in ipairs(events) do
    if event.ph == "C" then
      local _, value = next(event.args)
      out[event.name] = out[event.name] or {}
      table.insert(out[event.name], { at = event.ts / 1e6, value = value })
    end
  end
  return out
end

-- Request → name of the replica that finished it.
local function homes(s)
  local events, tracks = traced(s)
  local out = {}
  for _, event in ipairs(events) do
    if event.cat == "stage" then out[event.args.request] = tracks[event.tid]:match "^answer#%d+" end
  end
  return out
end

local routers = { "round_robin", "least_outstanding", "least_kv", "random", "power_of_two",
  "weighted", "prefix_aware", "affinity" }

describe("a router of replicas", function()
  it("makes of single-sequence replicas something between M/M/c and c queues", function()
    local service, load, count = 0.010, 0.8, 4
    -- Erlang's formula for the wait in M/M/c.
    local offered, term, sum = load * count, 1, 0
    for k = 0, count - 1 do
      sum = sum + term
      term = term * offered / (k + 1)
    end
    local delayed = term / (1 - load) / (sum + term / (1 - load))
    local together, apart = delayed * service / (count * (1 - load)), load * service / (1 - load)
    local function wait(route)
      return checked({ replicas = count, route = route,
        step = td.affine { prefill_tokens = "10us" },
        engine = { max_seqs = 1, max_batched_tokens = 1 << 20, kv_blocks = 1 << 20 } },
        { workload = td.poisson { rps = load * count / service, duration = "150s" },
          attrs = { prompt_tokens = td.exponential(1000), output_tokens = 1 } })
        :run({ replications = 10, threads = 2 }).llm[1].queueing.mean
    end
    local shortest, random = wait "least_outstanding", wait "random"
    assert.near(apart, random.value, 2.3 * random.half)
    assert.is_true(shortest.value > together + shortest.half)
    assert.is_true(shortest.value < 0.5 * apart)
  end)

  it("by affinity keeps a key on its replica; one more replica takes only its share", function()
    local list, sessions = {}, 300
    for i = 1, 900 do
      list[i] = { arrival = i * 0.05, prompt_tokens = 20, output_tokens = 3,
        session = (i * 7) % sessions + 0.5 }
    end
    local function placed(count)
      local out, used = {}, {}
      for request, home in pairs(homes(checked({ replicas = count, route = "affinity",
        key = "r.session" }, replay(list)))) do
        local key = list[request].session
        assert.is_true(out[key] == nil or out[key] == home)
        out[key], used[home] = home, (used[home] or 0) + 1
      end
      return out, used
    end
    local eight, used = placed(8)
    local nine = placed(9)
    -- Highest random weight, each weight a hash of the key's and the replica's: SplitMix64's.
    local function mixed(z)
      z = z + 0x9E3779B97F4A7C15
      z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
      z = (z ~ (z >> 27)) * 0x94D049BB133111EB
      return z ~ (z >> 31)
    end
    for key, home in pairs(nine) do
      local bits, best, most = mixed(string.unpack("<i8", string.pack("<d", key))), 0, nil
      for i = 0, 8 do
        local weight = mixed((bits ~ mixed(i)) - 0x9E3779B97F4A7C15)
        if not most or math.ult(most, weight) then best, most = i, weight end
      end
      assert.equal("answer#" .. best + 1, home)
    end
    -- Another server before it in the scenario moves nobody.
    local engine = { max_seqs = 8, max_batched_tokens = 128, kv_blocks = 90 }
    local other = assert(td.check { name = "two servers", workload = td.replay { rows = list },
      attrs = {}, pipeline = {
        td.generate "first" { replicas = 3, step = td.affine(affine), engine = engine },
        td.generate "answer" { replicas = 9, route = "affinity", key = "r.session",
          step = td.affine(affine), engine = engine } } })
    for request, home in pairs(homes(other)) do
      assert.equal(nine[list[request].session], home)
    end
    local moved = 0
    for key, home in pairs(eight) do
      if nine[key] ~= home then
        moved = moved + 1
        assert.equal("answer#9", nine[key])
      end
    end
    -- Binomial with p = 1/9 of 300: 33 ± 5.4.
    assert.is_true(moved > 12 and moved < 56, moved)
    for i = 1, 8 do
      assert.is_true((used["answer#" .. i] or 0) > 900 / 8 / 2) -- no replica is left out
    end
  end)

  it("that is prefix-aware sends requests where their prefix is, unless loads are apart", function()
    local list = {}
    for i = 1, 60 do
      list[i] = { arrival = i, prompt_tokens = 100, output_tokens = 2, whose = i % 3 }
    end
    local body = { replicas = 3, prefix = 80, group = "r.whose" }
    local function cached(route, extra)
      body.route, body.routing = route, extra
      return once(checked(body, replay(list))):get "llm.answer.cached"
    end
    -- Three groups, three replicas: the first of each group computes its prefix, once in all.
    assert.near(57 * 80 / 6000, cached "prefix_aware", 1e-12)
    assert.near(57 * 80 / 6000, cached("weighted", { prefix_weight = 1, queue_weight = 0,
      kv_weight = 0 }), 1e-12)
    -- In turn each replica meets one group alone, at random all of them meet all.
    assert.near(57 * 80 / 6000, cached "round_robin", 1e-12)
    assert.is_true(cached "random" <= (60 - 9) * 80 / 6000 + 80 / 6000 * 3)
    assert.equal(0, cached("prefix_aware", { cached_min = 0.9 }) - cached "least_outstanding")
    -- One group in a burst: all on one replica, or spread when a gap of 4 is too much.
    for i = 1, 60 do list[i].arrival, list[i].whose = i < 2 and 0 or 1 + i * 1e-6, 1 end
    local function busiest(routing)
      body.route, body.routing = "prefix_aware", routing
      local count, most = {}, 0
      for _, home in pairs(homes(checked(body, replay(list)))) do
        count[home] = (count[home] or 0) + 1
        most = math.max(most, count[home])
      end
      return most
    end
    assert.equal(60, busiest { load_gap = 64 })
    assert.is_true(busiest { load_gap = 4, load_ratio = 1 } < 30)
  end)

  it("may be a function, which sees what C sees", function()
    local list = {}
    for i = 1, 200 do
      list[i] = { arrival = i * 0.01, prompt_tokens = 10 + i % 90, output_tokens = 1 + i % 40 }
    end
    local first = function(_, replicas)
      local best = 1
      for i, one in ipairs(replicas) do
        if one.name ~= "answer#" .. i or one.kv < 0 or one.kv > 1 or one.cached ~= 0
          or one.waiting + one.running ~= one.outstanding then
          error(one.name .. " does not look so")
        end
        if one.outstanding < replicas[best].outstanding then best = i end
      end
      return replicas[best]
    end
    local found = homes(checked({ replicas = 3, route = first }, replay(list)))
    local count = 0
    for _ in pairs(found) do count = count + 1 end
    assert.equal(200, count)
    local ok, message = pcall(once, checked({ replicas = 3, route = function() return 4 end },
      replay(list)))
    assert.is_false(ok)
    assert.matches("wanted an index from 1 to 3 or one of its replicas", tostring(message), 1, true)
  end)
end)

describe("autoscaling", function()
  local steady = { workload = td.paced { rps = 10, duration = "400s" },
    attrs = { prompt_tokens = 16, output_tokens = 101 } }

  it("has as many replicas as the target wants, and holds them as long", function()
    -- Steps of 10 ms whatever is in them: 101 of them a request, so 10.1 are there on average.
    local result = once(checked({ step = td.affine { step = "10ms" }, engine = { kv_blocks = 2000 },
      autoscale = { max = 6, target = 3, every = "20s", provision = "30s", tolerance = 0 } },
      steady))
    local one = result.llm[1]
    -- Looked at after 20 s: ⌈10.1 / 3⌉ = 4, held from then on.
    assert.equal(4, one.replicas_peak.value)
    assert.near(1 + 3 * 380 / 400, one.replicas_mean.value, 1e-9)
    assert.equal(3999, result.requests)
  end)

  it("brings replicas after their delay, and lets them finish before they go", function()
    local events, _, result = traced(checked({ step = td.affine { step = "10ms" },
      engine = { kv_blocks = 2000 }, autoscale = { max = 2, every = "50s", down_after = 0,
        provision = "7s", policy = function(s) return s.time < 149 and 2 or 1 end } }, steady))
    local counters = counted(events)
    local held, ready = counters["answer replicas"], counters["answer replicas ready"]
    local function changes(list)
      local out, last = {}, nil
      for _, one in ipairs(list) do
        if one.value ~= last then out[#out + 1] = ("%g@%.1f"):format(one.value, one.at) end
        last = one.value
      end
      return table.concat(out, " ")
    end
    assert.equal("1@0.0 2@50.0 1@151.0", (changes(held):gsub("1@15[01]%.%d", "1@151.0")))
    assert.equal("1@0.0 2@57.0 1@150.0", changes(ready))
    local mean = result:get "llm.answer.replicas_mean"
    assert.is_true(mean > 1 + 100 / 400 and mean < 1 + 101.1 / 400) -- a request's time
  end)

  it("waits until more, or fewer, have been wanted long enough", function()
    local function peak(up_after, period)
      return once(checked({ autoscale = { max = 2, every = "5s", provision = 0, down_after = 0,
        up_after = up_after, policy = function(s) return s.time // period % 2 + 1 end } }, steady))
        :get "llm.answer.replicas_peak"
    end
    assert.equal(2, peak("10s", 20))
    assert.equal(1, peak("10s", 10)) -- never wanted for more than 5 s in a row
  end)

  it("forgets what was wanted while replicas were down that are back", function()
    -- Both fail at 10.5 s and are back at 13.5 s: one is wanted at 11 s, two are there at 15 s.
    local result = once(checked({ mtbf = always(10.5), mttr = "3s", autoscale = { min = 1,
      start = 2,
      max = 50, every = "1s", up_after = "4s", provision = 0,
      policy = function(s) return s.time < 11 and 2 or s.replicas + s.starting + 1 end } },
      { workload = td.paced { rps = 10, duration = "18s" },
        attrs = { prompt_tokens = 5, output_tokens = 10 } }))
    assert.equal(2, result:get "llm.answer.replicas_peak")
    assert.is_true(result.checks.ok)
  end)

  it("from nothing: who comes first waits for the first replica", function()
    local result = once(checked({ step = td.affine { step = "10ms" }, engine = { kv_blocks = 2000 },
      autoscale = { min = 0, max = 2, target = 100, every = "4s", provision = "6s" } },
      { workload = td.replay { rows = { { arrival = 0, prompt_tokens = 5, output_tokens = 1 },
        { arrival = 20, prompt_tokens = 5, output_tokens = 1 } } }, attrs = {} }))
    assert.equal(2, result.requests)
    -- Wanted at 4 s, there at 10 s; the second comes to a replica that idles.
    assert.near((10.01 + 0.01) / 2, result:get "llm.answer.ttft.mean", 1e-9)
  end)

  it("takes the delay from the weights and the rate they are loaded at", function()
    local s = checked({ model = td.llm "Llama-3.1-8B",
      autoscale = { max = 4, target = 10, provision = "40s", load_bandwidth = "2GB/s" } },
      { workload = td.poisson { rps = 1, duration = "10s" },
        target = td.gpu "H100 SXM" { count = 4 },
        attrs = { prompt_tokens = 4, output_tokens = 4 } })
    assert.near(40 + 16.06e9 / 2e9, s:model().servers[1].pools[1].scaling.delay_s, 0.01)
    local result = once(s)
    assert.near(result:get "llm.answer.gpus_mean" * result.duration_s,
      result:get "llm.answer.gpu_seconds", 1e-6)
  end)
end)

describe("a replica that fails", function()
  -- One request a second, 80 of its 100 tokens are everybody's.
  local list = {}
  for i = 1, 30 do list[i] = { arrival = i - 0.5, prompt_tokens = 100, output_tokens = 5 } end
  local body = { prefix = 80, mtbf = always(10), mttr = "5s" }

  it("comes back with a cold cache; who comes meanwhile waits", function()
    local result = once(checked(body, replay(list)))
    assert.equal(30, result.requests)
    assert.equal(0, result:get "llm.answer.restarts")
    -- Arrivals count from the first: 0 … 29. It is down from 10 to 15 s and from 25 to 30 s; after
    -- each its first prompt is computed whole; of those that waited the rest find its blocks.
    assert.near((30 - 3) * 80 / 3000, result:get "llm.answer.cached", 1e-12)
    assert.near(5, result:get "llm.answer.ttft.max", 0.1)
    assert.near(10 / result.duration_s, result:get "resources.answer.down", 0.01)
  end)

  it("sends what it had elsewhere, from the prompt, up to `restarts` times", function()
    local late = {}
    for i = 1, 10 do
      late[i] = { arrival = (i - 1) * 1.1, prompt_tokens = 100, output_tokens = 2000 }
    end
    local function failing(every, restarts, rows)
      return once(checked({ step = td.affine { step = "5ms" }, engine = { kv_blocks = 4000 },
        mtbf = always(every), mttr = "1s", restarts = restarts }, replay(rows)))
    end
    -- Ten seconds each: those of the first ten seconds lose what they had when the replica fails.
    local result = failing(10, 0, late)
    assert.is_true(result.classes[1].dropped >= 9)
    assert.equal(10, result.requests + result.classes[1].dropped)
    local again = failing(30, nil, { { arrival = 0, prompt_tokens = 100, output_tokens = 1000 },
      { arrival = 28, prompt_tokens = 100, output_tokens = 1000 } })
    -- The second has had 2 s of its 5, is down for 1 s, and begins anew: its tokens are lost.
    assert.near(2 + 1 + 5, again:get "llm.answer.e2e.max", 0.01)
    assert.near(2 + 1 + 0.005, again:get "llm.answer.ttft.max", 0.006)
    assert.near(1 / 2, again:get "llm.answer.restarts", 1e-12)
  end)

  it("does so with any of its GPUs", function()
    local s = checked({ step = td.affine(affine), engine = { kv_blocks = 90 }, tp = 2 },
      { workload = td.paced { rps = 5, duration = "100s" },
        target = td.gpu "H100 SXM" { count = 4, mtbf = td.exponential "40s", mttr = "4s" },
        attrs = { prompt_tokens = 40, output_tokens = 20 } })
    local result = s:run { replications = 4 }
    assert.is_true(result:get "llm.answer.restarts" > 0)
    -- Either of two GPUs, each down 4 of 44 s.
    local down = 1 - (40 / 44) ^ 2
    assert.near(down, result:get "resources.answer#1.down", 0.1)
    assert.is_true(result.checks.ok)
  end)

  it("tells of all steps that were over, made singly or many at a time", function()
    local function outcome(singly)
      local model = checked({ replicas = 2, mtbf = td.exponential "3s", mttr = "1s" },
        { workload = td.poisson { rps = 15, requests = 800 },
          attrs = { prompt_tokens = 60, output_tokens = 40 } }):model()
      model.servers[1].pools[1].config.step_by_step = singly
      local result = assert(core.run(model, { replications = 2, warmup = "none" }))
      local one = result.llm[1]
      return { one.ttft, one.e2e, one.tpot, one.restarts, one.output_tokens_per_s, one.batch,
        one.step_s, one.itl.mean }
    end
    local jumps, steps = outcome(false), outcome(true)
    assert.is_true(jumps[4].value > 0)
    for i = 1, 7 do assert.same(steps[i], jumps[i]) end
    assert.near(steps[8].value, jumps[8].value, 1e-9)
  end)
end)

describe("replicas of any configuration", function()
  local function draws(seed)
    local state = seed * 2654435761 % (1 << 31) + 1
    return function(n)
      state = (state * 1103515245 + 12345) % (1 << 31)
      return state // 65536 % n
    end
  end
  local function random(seed)
    local below = draws(seed)
    local body = { route = routers[below(#routers) + 1], prefix = below(2) * 40,
      group = "r.session", replicas = 2 + below(5), restarts = below(4) }
    if below(2) == 0 then
      body.mtbf = td.exponential(5 + below(20))
      body.mttr = td.exponential(1 + below(4))
    end
    if below(2) == 0 then
      local metric = ({ "outstanding", "queue", "kv", "utilization" })[below(4) + 1]
      local share = metric == "kv" or metric == "utilization"
      body.autoscale = { min = below(2), max = body.replicas, metric = metric,
        target = share and 0.4 or 1 + below(6), every = 1 + below(4), provision = below(5),
        up_after = below(3), down_after = below(9) }
      body.replicas = nil
    end
    if below(3) == 0 then -- prompts and outputs apart
      body.prefill = { replicas = body.replicas, autoscale = body.autoscale }
      body.decode = { replicas = 1 + below(3) }
      body.replicas, body.autoscale = nil, nil
      body.handover = { link = td.link "kv" { bandwidth = "1GB/s" }, token_bytes = 1e4 }
    end
    return checked(body, { seed = seed, workload = td.poisson { rps = 5 + below(40),
      duration = "12s" }, attrs = { prompt_tokens = td.uniform(1, 120),
      output_tokens = td.uniform(1, 60), session = td.uniform(0, 30) },
      timeout = below(4) == 0 and "5s" or nil }), body
  end

  it("conserve requests, tokens, KV blocks and GPUs", function()
    local restarts, scaled, timed_out, split = 0, 0, 0, 0
    for seed = 1, 20 do
      local s, body = random(seed)
      local events, _, result = traced(s)
      local one, class = result.llm[1], result.classes[1]
      assert.is_true(result.checks.ok)
      local counters = counted(events)
      for name, list in pairs(counters) do
        local ready = counters[name .. " ready"]
        for i, sample in ipairs(ready and list or {}) do
          assert.is_true(sample.value <= 6 and ready[i].value <= sample.value)
        end
        -- Every replica ends empty.
        if name:find " running$" or name:find " waiting$" or name:find " KV blocks$" then
          assert.equal(0, list[#list].value, name)
        end
      end
      assert.is_true(one.replicas_peak.value <= 9 and one.kv_peak.value <= 1)
      split = split + (body.prefill and one.restarts.value or 0)
      -- A scheduler has one step at a time.
      local last = {}
      for _, event in ipairs(events) do
        if event.name == "step" then
          assert.is_true(event.ts >= (last[event.tid] or 0) - 1e-3)
          last[event.tid] = event.ts + event.dur
        end
      end
      restarts = restarts + (one.restarts.value or 0)
      scaled = scaled + (one.replicas_peak.value > one.replicas_mean.value and 1 or 0)
      timed_out = timed_out + class.timed_out
    end
    -- The cases are not all dull.
    assert.is_true(restarts > split and split > 0 and scaled > 3 and timed_out > 0)
  end)

  it("have the same bytes at one thread and at four", function()
    for seed = 1, 8 do
      local s = random(seed)
      assert.equal(s:run({ threads = 1, replications = 4 }):to_json(),
        s:run({ threads = 4, replications = 4 }):to_json())
    end
    local s = checked({ route = function(r, list) return r.id % #list + 1 end,
      autoscale = { max = 4, provision = 1, every = 1, policy = function(seen)
        return seen.outstanding / 4 end } },
      { workload = td.poisson { rps = 40, duration = "20s" },
        attrs = { prompt_tokens = 40, output_tokens = td.uniform(1, 60) } })
    assert.equal(s:run({ threads = 1, replications = 4 }):to_json(),
      s:run({ threads = 4, replications = 4 }):to_json())
  end)
end)

describe("what is written of replicas", function()
  it("is refused in one line when it is wrong", function()
    refused({ route = "prefix" }, "'prefix' is not known; did you mean 'prefix_aware'?")
    refused({ route = "affinity" }, 'key = "r.session"')
    refused({ routing = { prefix_weight = 0, queue_weight = 0, kv_weight = 0 } },
      "no weight above 0")
    refused({ autoscale = { max = 4 } }, "missing: how much of the metric")
    refused({ autoscale = { max = 4, target = 1, policy = function() return 1 end } }, "policy")
    refused({ autoscale = { max = 4, target = 2, metric = "kv" } }, "kv is a share")
    refused({ autoscale = { min = 3, max = 2, target = 2 } }, "is above max")
    refused({ autoscale = { max = 2, target = 2, start = 3 } }, "start")
    refused({ replicas = 2, autoscale = { max = 2, target = 2 } }, "stands beside autoscale")
    refused({ autoscale = { max = 2, target = 2, load_bandwidth = "1GB/s" } }, "wants a model")
    refused({ mtbf = "1h" }, "go together")
    refused({ prefill = { replicas = 2, autoscale = { max = 2, target = 2 } }, decode = {},
      handover = { link = td.link "kv" { bandwidth = "1GB/s" }, token_bytes = 1 } },
      "stands beside autoscale")
    local ok, message = pcall(once, checked({ autoscale = { max = 2, policy = function() end,
      every = 1 } }, { workload = td.paced { rps = 1, duration = "10s" },
      attrs = { prompt_tokens = 4, output_tokens = 4 } }))
    assert.is_false(ok)
    assert.matches("wanted a number of replicas", tostring(message), 1, true)
  end)
end)
