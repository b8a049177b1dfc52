-- A run by windows of time, and objectives that hold in them, against sums over its requests.
local td = require "tandem"
local table_of_windows = require "tandem.report.windows"

local function day(slo, changes)
  local body = {
    workload = td.diurnal { mean = 20, peak = 36, peak_at = "5min", period = "10min",
      duration = "10min" },
    target = td.gpu "L4" { count = 2 },
    pipeline = { td.stage "infer" { on = "gpu", cost = td.exponential "50ms" } },
    slo = slo, warmup = "none", replications = 1,
  }
  for key, value in pairs(changes or {}) do body[key] = value end
  return td.scenario "a short day" (body)
end

-- Latencies by window of arrival, of the requests of one run; of those that are lost: math.huge.
local function by_window(result, seconds)
  local out, count = {}, 0
  for _, request in ipairs(result.requests_log) do
    local index = request.arrival_s // seconds
    if not out[index] then out[index], count = {}, count + 1 end
    table.insert(out[index], request.outcome == "ok" and request.latency_s or math.huge)
  end
  return out, count
end

local function share_within(list, limit)
  local within = 0
  for _, one in ipairs(list) do within = within + (one <= limit and 1 or 0) end
  return within / #list
end

-- The smallest time within which at least so many were served.
local function quantile(list, level)
  table.sort(list)
  return list[math.ceil(level * #list - 1e-9)]
end

local function mean(list)
  local sum = 0
  for _, one in ipairs(list) do sum = sum + one end
  return sum / #list
end

local function found(result)
  local out = {}
  for _, slo in ipairs(result.classes[1].slo) do out[slo.metric] = slo end
  return out
end

local function near(expected, actual, relative, what)
  assert(math.abs(actual - expected) <= relative * math.abs(expected),
    ("%s: %g, of the requests %g"):format(what, actual, expected))
end

describe("objectives by window", function()
  it("as a share are counted exactly", function()
    for seed = 1, 4 do
      local result = day({ p99 = "800ms", p90 = "200ms", mean = "300ms", met = 0.98,
        deadline = "500ms", within = { windows = "30s", share = "90%" } }):run {
        seed = seed, requests_log = "all" }
      local windows, count = by_window(result, 30)
      local good = { ["p99@30s%"] = 0, ["p90@30s%"] = 0, ["mean@30s%"] = 0, ["met@30s%"] = 0 }
      local function add(metric, yes) good[metric] = good[metric] + (yes and 1 or 0) end
      for _, list in pairs(windows) do
        add("p99@30s%", share_within(list, 0.8) >= 0.99)
        add("p90@30s%", share_within(list, 0.2) >= 0.9)
        add("mean@30s%", mean(list) <= 0.3)
        add("met@30s%", share_within(list, 0.5) >= 0.98)
      end
      for metric, number in pairs(good) do
        near(number / count, found(result)[metric].value.value, 1e-12, metric)
      end
    end
  end)

  it("are of the worst one where no share is given", function()
    local result = day({ p99 = "800ms", mean = "300ms", met = 0.98, deadline = "500ms",
      within = "1min" }):run { requests_log = "all" }
    local p99, average, met, at = 0, 0, 1, nil
    for index, list in pairs((by_window(result, 60))) do
      met = math.min(met, share_within(list, 0.5))
      average = math.max(average, mean(list))
      local q = quantile(list, 0.99)
      if q > p99 then p99, at = q, index * 60 end
    end
    near(p99, found(result)["p99@1min"].value.value, 0.008, "p99")
    near(at, found(result)["p99@1min"].worst_s, 0, "when")
    near(average, found(result)["mean@1min"].value.value, 1e-9, "mean")
    near(met, found(result)["met@1min"].value.value, 1e-9, "met")
  end)

  it("count lost requests as late", function()
    local scenario = day({ p99 = "20s", within = { windows = "30s", share = "90%" } },
      { patience = "100ms" })
    local result = scenario:run { requests_log = "all" }
    local good, count = 0, 0
    for _, list in pairs((by_window(result, 30))) do
      count = count + 1
      good = good + (share_within(list, 20) >= 0.99 and 1 or 0)
    end
    assert(good < count)
    near(good / count, found(result)["p99@30s%"].value.value, 1e-12, "share")
    local worst = day({ p99 = "20s", within = "30s" }, { patience = "10ms", replications = 4 })
    local slo = worst:run {}.classes[1].slo[1]
    assert.equal(math.huge, slo.value.value)
    assert.is_false(slo.met)
  end)

  it("decide over replications, and say so", function()
    local easy = day({ p99 = "800ms", within = { windows = "30s", share = "90%" } },
      { replications = 8, ["target"] = td.gpu "L4" { count = 4 } }):run {}
    assert.is_true(easy.classes[1].slo[1].met)
    local text = tostring(easy)
    assert.truthy(text:find("30 s windows that keep p99 ≤ 800 ms", 1, true), text)
    -- None of 8 × 20 windows is bad: of what is to be seen in none a share of e^(-160 p) is.
    local share = day({ p99 = "100s", within = { windows = "30s", share = "90%" } },
      { replications = 8 }):run({}).classes[1].slo[1].value
    near(1, share.value, 0, "share")
    near(-math.log(0.025) / 160, share.half, 1e-6, "half")
    local hard = day({ p99 = "100ms", within = "1min" }, { replications = 8 }):run {}
    assert.is_false(hard.classes[1].slo[1].met)
    assert.truthy(tostring(hard):find("p99 of the worst 1 min (from ", 1, true))
    assert.is_nil(day({ p99 = "100ms", within = "1min" }):run {}.classes[1].slo[1].met)
  end)

  -- Replications that are alike: rows of bad windows (or of good ones) say how sure a share is. The
  -- chi-squared quantiles are of published tables: half of them at 97.5 % and 2 (rows + 1) degrees.
  it("hold where a figure is just its limit", function()
    for metric, limit in pairs { mean = 1, max = 1, met = 1 } do
      local slo = { [metric] = limit == 1 and metric ~= "met" and "1s" or 1, deadline = "1s",
        within = { windows = "10s", share = "10%" } }
      local rows = {}
      for i = 1, 10 do rows[i] = { arrival = 10 * i - 10 } end
      local result = day(slo, { workload = td.replay { rows = rows },
        pipeline = { td.stage "infer" { on = "gpu", cost = "1s" } } }):run {}
      assert.equal(1, found(result)[metric .. "@10s%"].value.value, metric)
    end
  end)

  it("of a share are as sure as there are rows of the rarer windows", function()
    local function half_of(pattern)
      local rows = {}
      for i = 1, #pattern do
        rows[i] = { arrival = 10 * i - 10, work = pattern:sub(i, i) == "-" and 2 or 1 }
      end
      local slo = day({ p99 = "1.5s", within = { windows = "10s", share = "10%" } }, {
        workload = td.replay { rows = rows }, replications = 2, target = td.gpu "L4" { count = 4 },
        pipeline = { td.stage "infer" { on = "gpu", cost = function(r) return r.work end } },
      }):run({}).classes[1].slo[1]
      return slo.value.value, slo.value.half
    end
    local function check(pattern, share, chi2, each, few)
      local value, half = half_of(pattern)
      near(share, value, 1e-12, pattern)
      near(chi2 / 2 * each / (2 * #pattern) - few, half, 1e-4, pattern)
    end
    check("++--++-+++", 0.7, 20.4832, 1.5, 0.3) -- two rows in each of two replications
    check("-++++++++-", 0.8, 20.4832, 1, 0.2) -- a row does not go on in the next replication
    check("----+-----", 0.1, 14.4494, 1, 0.1)
    check("---++-----", 0.2, 14.4494, 2, 0.2)
    check("++++++++++", 1, 7.3778, 1, 0)
  end)

  it("are found in plans and sweeps", function()
    local base = day({ p99 = "1500ms", within = "1min" }, { replications = 8,
      workload = td.diurnal { mean = 26, peak = 46, peak_at = "90s", period = "3min",
        duration = "3min" } })
    local answer = td.plan.gpus { scenario = base, min = 2, max = 3, sensitivity = false }
    assert.equal(3, answer.rows[1].count)
    local text = tostring(td.sweep { scenario = base, over = { gpus = { 2, 4 } }, replications = 4,
      metrics = { "slo.p99@1min", "met" } })
    assert.truthy(text:find("no", 1, true) and text:find("yes", 1, true), text)
  end)

  it("are refused with a reason", function()
    local function wrong(slo, changes)
      local ok, problems = pcall(day, slo, changes)
      return not ok and tostring(problems) or "fine"
    end
    assert.truthy(wrong({ within = "1min" }):find("nothing has to hold", 1, true))
    assert.truthy(wrong({ p99 = "1s", within = "1ms" }):find("at most 4,096", 1, true))
    assert.truthy(wrong({ p99 = "1s", within = { share = 0.9 } }):find("windows", 1, true))
    assert.truthy(wrong({ p99 = "1s", within = { windows = "1min", share = "990%" } })
      :find("share", 1, true))
    local _, message = day({ p99 = "1s", within = "1min" }):run { windows = "2min" }
    assert.truthy(message:find("windows of 60 s", 1, true), message)
  end)
end)

describe("a run by windows", function()
  it("counts each request where it arrives, and servers where they are busy", function()
    local result = day { p99 = "800ms" } :run { requests_log = "all", windows = "1min" }
    local lists = by_window(result, 60)
    assert.equal(10, #result.windows.items)
    for index, item in ipairs(result.windows.items) do
      local list = lists[index - 1]
      near(#list / 60, item.offered_rps.value, 1e-12, "offered")
      near(mean(list), item.latency.mean.value, 1e-9, "mean")
      near(quantile(list, 0.99), item.latency.p99.value, 0.008, "p99")
      assert.is_nil(item.lost)
    end
    -- All of their work is done in some window, or after the arrivals.
    for _, station in ipairs(result.windows.stations) do
      local sum = 0
      for _, busy in ipairs(station.busy) do sum = sum + busy * 60 end
      for _, resource in ipairs(result.resources) do
        if resource.name == station.name and resource.utilization then
          near(resource.utilization.value * 600 * resource.servers, sum, 1e-9, station.name)
        end
      end
    end
  end)

  it("tells where in a day a window begins, where windows are whole minutes", function()
    local clock = require("tandem.report.windows").clock
    for _, case in ipairs { { 0, 3600, "00:00" }, { 50400, 3600, "14:00" }, { 300, 60, "00:05" },
      { 86340, 60, "23:59" }, { 86400, 60, "1 d 00:00" }, { 191220, 60, "2 d 05:07" },
      { 30, 30, "30 s" }, { 0, 59, "0 s" }, { 90, 90, "90 s" }, { 45, 45, "45 s" } } do
      assert.equal(case[3], clock(case[1], case[2]))
    end
  end)

  -- Of a stored result the scenario is not at hand.
  it("says who was in time where an objective or who was late tells of a limit", function()
    local function shown(slo, met)
      local columns = require("tandem.report.windows").columns { classes = { { slo = slo } },
        windows = { stations = {}, items = { { offered_rps = 1, slo_met = { value = 1 } },
          { offered_rps = 1, slo_met = { value = met } } } } }
      for _, column in ipairs(columns) do
        if column.name == "in_time" then
          assert.equal(0.5, column.of { slo_met = { value = 0.5, half = 0.1 } })
          assert.is_nil(column.of {})
          return true
        end
      end
      return false
    end
    assert.is_true(shown({ { metric = "p99@1min" } }, 1))
    assert.is_true(shown({ { metric = "ttft_p99" }, { metric = "p99" } }, 1))
    assert.is_true(shown({ { metric = "ttft_p99" } }, 0.99))
    assert.is_true(shown(nil, 0.99))
    assert.is_false(shown({ { metric = "ttft_p99" } }, 1))
    assert.is_false(shown(nil, 1))
  end)

  it("counts the GPUs that are held in a window, not all that there are", function()
    local busy = require("tandem.report.windows").busy
    local result = { windows = { stations = {
      { lane = "GPU", servers = 4, busy = { 1.5, 3 }, held = { 0.5, 1 } },
      { lane = "GPU", servers = 2, busy = { 1, 0 } },
      { lane = "CPU", servers = 8, busy = { 5, 5 } }, { lane = "GPU", busy = { 7, 7 } } } } }
    assert.same({ 2.5, 4.0 }, { busy(result, 1) })
    assert.same({ 3, 6 }, { busy(result, 2) })
    assert.same({}, { busy({ windows = { stations = {} } }, 1) })
  end)

  -- Steps of one length: so are all gaps, and who wants one token has it when he leaves.
  local function answers(output, slo)
    return td.scenario "answers" {
      workload = td.diurnal { mean = 20, peak = 36, peak_at = "2min", period = "4min",
        duration = "4min" },
      pipeline = { td.generate "chat" { prompt = 50, output = output,
        engine = { kv_blocks = 1 << 16, max_seqs = 4 },
        step = td.affine { step = 0.02, prefill_tokens = 1e-4 * (output == 1 and 1 or 0) } } },
      slo = slo, warmup = "none", replications = 1 }
  end

  it("has the times of LLM servers, of who came in each", function()
    local slo = { ttft_p99 = "60ms", within = { windows = "30s", share = "50%" } }
    local result = answers(1, slo):run { requests_log = "all", seed = 3 }
    local lists, count = by_window(result, 30)
    local good = 0
    for index, list in pairs(lists) do
      local ttft = result.windows.items[index + 1].llm[1].ttft
      near(mean(list), ttft.mean.value, 1e-9, "mean TTFT")
      near(quantile(list, 0.99), ttft.p99.value, 0.008, "p99 of TTFT")
      good = good + (share_within(list, 0.06) >= 0.99 and 1 or 0)
      assert.is_nil(result.windows.items[index + 1].llm[1].itl)
    end
    assert.equal(8, count)
    assert(good > 0 and good < count, good)
    near(good / count, found(result)["ttft_p99@30s%"].value.value, 1e-12, "share")
    assert.is_truthy(tostring(result):find("30 s windows that keep ttft_p99 ≤ 60 ms", 1, true))
  end)

  it("is of no other times of LLM servers", function()
    local ok, problems = pcall(answers, 1, { e2e_p99 = "1s", within = "1min" })
    assert.is_false(ok)
    assert.is_truthy(tostring(problems):find("ttft, tpot and itl", 1, true), tostring(problems))
  end)

  it("has gaps between tokens where they end, and no window for those after the last", function()
    local result = answers(10, { itl_p99 = "21ms", tpot_mean = "19ms", within = "1min" }):run {}
    assert.equal(4, #result.windows.items)
    assert.equal(0.02, result.llm[1].itl.max) -- whole nanoseconds, no gap of one more
    for _, item in ipairs(result.windows.items) do
      near(0.02, item.llm[1].itl.mean.value, 1e-9, "ITL")
      near(0.02, item.llm[1].tpot.mean.value, 1e-9, "TPOT")
    end
    near(0.02, found(result)["itl_p99@1min"].value.value, 0.008, "the worst ITL")
    near(0.02, found(result)["tpot_mean@1min"].value.value, 1e-9, "the worst TPOT")
  end)

  it("is told of loads that move, unless nobody wants it", function()
    assert.equal(30, day {}:run {}.windows.length_s)
    assert.is_nil(day {}:run { windows = false }.windows)
    assert.is_nil(td.load "demo":run { replications = 1 }.windows)
    assert.truthy(tostring(day {}:run {}):find("By 30 s", 1, true))
  end)
end)

describe("the table of windows", function()
  local MOST <const> = 48 -- of more, the worst half of so many, in order of time
  local function rows_of(count)
    local items = {}
    for i = 1, count do
      items[i] = { from_s = 60 * (i - 1), offered_rps = 1,
        latency = { p99 = { value = i % 5 + i / 100 } } }
    end
    return table_of_windows.rows { classes = {},
      windows = { length_s = 60, items = items, stations = {} } }
  end

  it("has all of them while they are few, and says nothing of it", function()
    local _, rows, remark = rows_of(MOST)
    assert.equal(MOST, #rows)
    assert.is_nil(remark)
  end)

  it("has those with the highest p99 of more, and says so", function()
    local _, rows, remark = rows_of(MOST + 1)
    assert.equal(MOST // 2, #rows)
    assert.equal(("the %d with the highest p99, of %d"):format(MOST // 2, MOST + 1), remark)
  end)
end)

describe("paths of windows", function()
  local function windows_of(slo, changes)
    local model = assert(day(slo):with(changes)):model()
    local one = model.classes[1].slo[1]
    return one.window, one.share
  end

  it("are those of a table, whether it was written as one, as a text, or not at all", function()
    for _, within in ipairs { { windows = "1min", share = "95%" }, "1min", false } do
      local slo = { p99 = "1s", within = within or nil }
      local window, share = windows_of(slo, { ["slo.within.windows"] = "2min",
        ["slo.within.share"] = "90%" })
      assert.equal(120, window)
      assert.equal(0.9, share)
    end
    assert.equal(60, windows_of({ p99 = "1s", within = "1min" }, { ["slo.within.share"] = "90%" }))
  end)

  it("of a single value lead nowhere", function()
    local ok, why = pcall(function() return day { p99 = "1s" }:with { ["slo.p99.x"] = 1 } end)
    assert.is_false(ok)
    assert.matches("'p99' is a single value, it has no parts", tostring(why))
  end)
end)
