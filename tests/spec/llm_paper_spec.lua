-- Figures of an LLM server that takes one request at a time, in steps of 10 ms: each token takes a
-- step, so that a request begins when those before it are done. That queue is worked out here, and
-- every figure of the server, its classes and its tenants counted from it.

local td = require "tandem"

local STEP = 0.010

-- Rows of a class in whole ms; later ones come quicker, so that the queue grows.
local function rows_of(class, count, gap_ms)
  local rows, at_ms = {}, 0
  for i = 1, count do
    rows[i] = { class = class, at_ms = at_ms, prompt = 10 * i, output = 1 + i * i % 11,
      tenant = i % 3 }
    at_ms = at_ms + gap_ms - i % 5
  end
  return rows
end

local all = rows_of("chat", 30, 73)
table.move(rows_of("batch", 20, 117), 1, 20, #all + 1, all)
-- Two requests at the same time are taken in the order of their classes.
table.sort(all, function(a, b)
  if a.at_ms ~= b.at_ms then return a.at_ms < b.at_ms end
  return a.class > b.class
end)
local free_ms, steps = 0, 0
for _, r in ipairs(all) do
  local start_ms = math.max(free_ms, r.at_ms)
  free_ms = start_ms + 10 * r.output
  steps, r.done_ms = steps + r.output, free_ms
  r.queueing, r.ttft = (start_ms - r.at_ms) * 1e-3, (start_ms + 10 - r.at_ms) * 1e-3
  r.e2e = (free_ms - r.at_ms) * 1e-3
  r.normalized, r.tpot = r.e2e / r.output, r.output > 1 and STEP or nil
end
local window = free_ms * 1e-3

local function served()
  local classes = {}
  for i, name in ipairs { "chat", "batch" } do
    local rows = {}
    for _, r in ipairs(all) do
      if r.class == name then
        rows[#rows + 1] = { arrival = r.at_ms * 1e-3, prompt_tokens = r.prompt,
          output_tokens = r.output, who = r.tenant }
      end
    end
    classes[i] = { name = name, workload = td.replay { rows = rows },
      slo = i == 1 and { deadline = "200ms", met = 0.5 } or { ttft_mean = "40ms",
        ttft_max = "1s", ttft_p50 = "30ms", e2e_p90 = "90ms" },
      pipeline = { td.generate "answer" { step = td.affine { step = STEP }, tenant = "r.who",
        engine = { max_seqs = 1, kv_blocks = 50, block_tokens = 1024, prefix_caching = false } } } }
  end
  local s, problems = td.check { name = "paper", classes = classes }
  assert(s, tostring(problems))
  return s:run { replications = 1, warmup = "none" }
end

local function same(expected, found, what)
  assert(found and math.abs(expected - found) <= 2e-9 * math.max(1, math.abs(expected)),
    ("%s: %s, not %.12g"):format(what, found, expected))
end

local function times_of(name, belongs)
  local times = {}
  for _, r in ipairs(all) do
    if belongs(r) then times[#times + 1] = r[name] end
  end
  table.sort(times)
  return times
end

-- Linear between neighbours in order.
local function quantile(times, level)
  local at = 1 + level * (#times - 1)
  local low = math.floor(at)
  return times[low] + (at - low) * ((times[low + 1] or times[low]) - times[low])
end

local function expect_times(of, what, belongs)
  for _, name in ipairs { "ttft", "e2e", "queueing", "normalized", "tpot" } do
    local times, sum = times_of(name, belongs), 0
    for _, time in ipairs(times) do sum = sum + time end
    same(sum / #times, of[name].mean.value, what .. name .. " mean")
    same(times[#times], of[name].max, what .. name .. " max")
    for _, p in ipairs { "50", "90", "95", "99", "999" } do
      local level = tonumber("0." .. p)
      same(quantile(times, level), of[name]["p" .. p].value, what .. name .. " p" .. p)
    end
    assert.equal(#of.cdf.levels, #of.cdf[name])
    for i, level in ipairs(of.cdf.levels) do
      same(quantile(times, level), of.cdf[name][i], what .. name .. " at " .. level)
    end
  end
end

local function expect_tokens(of, what, belongs)
  local prompts, outputs = 0, 0
  for _, r in ipairs(all) do
    if belongs(r) then prompts, outputs = prompts + r.prompt, outputs + r.output end
  end
  same(prompts / window, of.prompt_tokens_per_s.value, what .. "prompt tokens")
  same(outputs / window, of.output_tokens_per_s.value, what .. "output tokens")
end

describe("a server that takes one at a time", function()
  local result = served()
  local server = result.llm[1]

  it("has the times and tokens of its queue", function()
    expect_times(server, "", function() return true end)
    expect_tokens(server, "", function() return true end)
    same(window, result.duration_s, "duration")
    same(#all / window, server.finished_rps.value, "finished")
  end)

  it("has those of each class", function()
    assert.equal(2, #server.classes)
    for _, class in ipairs(server.classes) do
      local function belongs(r) return r.class == class.name end
      expect_times(class, class.name .. " ", belongs)
      expect_tokens(class, class.name .. " ", belongs)
    end
  end)

  it("has those of each tenant", function()
    assert.equal(3, #server.tenants)
    for _, tenant in ipairs(server.tenants) do
      local function belongs(r) return tostring(r.tenant) == tenant.name end
      expect_times(tenant, "tenant " .. tenant.name .. " ", belongs)
      expect_tokens(tenant, "tenant " .. tenant.name .. " ", belongs)
    end
  end)

  it("counts who was within the deadline of their class", function()
    local within = 0
    for _, time in ipairs(times_of("e2e", function(r) return r.class == "chat" end)) do
      within = within + (time <= 0.200 + 1e-12 and 1 or 0)
    end
    local chat = server.classes[1]
    assert.equal("chat", chat.name)
    same(within / 30, chat.slo_met.value, "met")
    same(within / window, chat.goodput_rps.value, "goodput")
    same(within / 30, result.classes[1].slo_met.value, "of the class")
    assert.is_true(within > 3 and within < 27, within)
  end)

  it("has steps of one request, which has one block", function()
    same(STEP, server.step_s.value, "step")
    same(1, server.batch.value, "batch")
    same(steps * STEP / window, result:get "resources.answer.utilization", "busy")
    same(steps * STEP / window / 50, server.kv_mean.value, "blocks")
    same(1 / 50, server.kv_peak.value, "peak")
    local waited = 0
    for _, r in ipairs(all) do waited = waited + r.queueing end
    same(waited / window, result:get "resources.answer.queue", "queue")
    local all_times = times_of("queueing", function() return true end)
    same(all_times[#all_times], result:get "resources.answer.max_wait", "longest wait of all")
    for _, stage in ipairs(result.stages) do
      local sum, count, longest = 0, 0, 0
      for _, time in ipairs(times_of("queueing", function(r) return r.class == stage.class end)) do
        sum, count, longest = sum + time, count + 1, math.max(longest, time)
      end
      assert.equal(count, stage.visits)
      same(sum / count, stage.wait.mean.value, "wait")
      same(longest, stage.wait.max, "longest wait")
    end
  end)

  it("answers objectives with the figures of their class", function()
    local found = {}
    for _, verdict in ipairs(result:verdicts()) do
      if verdict.class == "batch" then found[verdict.metric] = verdict.value.value end
    end
    local batch = server.classes[2]
    same(batch.ttft.mean.value, found.ttft_mean, "mean")
    same(batch.ttft.max, found.ttft_max, "max")
    same(batch.ttft.p50.value, found.ttft_p50, "p50")
    same(batch.e2e.p90.value, found.e2e_p90, "p90")
  end)

  it("tells over time what it did", function()
    local series, width = result.series.llm[1], result.series.dt_s
    local busy, outputs = result.series.stations[1].utilization, 0
    for k = 1, 64 do
      -- The last slice lasts as long as the run.
      local from_ms, to_ms, done_ms = (k - 1) * width * 1e3, k * width * 1e3, 0
      if k == 64 then to_ms = window * 1e3 end
      for _, r in ipairs(all) do
        local start_ms = r.done_ms - 10 * r.output
        done_ms = done_ms + math.max(0, math.min(to_ms, r.done_ms) - math.max(from_ms, start_ms))
      end
      same(done_ms / (to_ms - from_ms), busy[k], "busy")
      outputs = outputs + series.output_tokens_per_s[k] * (to_ms - from_ms) * 1e-3
    end
    same(steps, outputs, "tokens")
  end)
end)
