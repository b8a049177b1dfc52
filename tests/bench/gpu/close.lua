--- The loop closed: what was measured at one rate predicts the others.
--
--   tandem lua tests/bench/gpu/close.lua FOLDER [fit=0.75] [store=FILE.db] [page=FILE.html]
--
-- FOLDER holds the recordings of pipeline.py, serving.py or both. Of the pipeline, each stage's
-- time is fitted at one rate as a sum over the members of its batch; every other rate's requests,
-- at their own times and of their own sizes, are simulated and held against what was measured. Of
-- the LLM server, the step model that `tandem fit` gets from one rate's requests. Ends with exit
-- code 1 when a bar is missed: mean within 5 %, 99th percentile within 10 % at every rate below
-- saturation that was not fitted; the knee of the load curve within 5 %. `page` is the overlay of
-- the highest such rate.

local cjson = require "cjson"
local core = require "tandem.core"
local td = require "tandem"
local calibrate = require "tandem.llm.calibrate"
local least_squares = dofile((arg[0]:match "^(.*/)" or "./") .. "least_squares.lua")

local MEAN_BAR <const>, P99_BAR <const>, KNEE_BAR <const> = 0.05, 0.10, 0.05
local KNEE <const> = 3      -- the rate at which the mean has grown so many times
local BEHIND <const> = 0.05 -- of the requests: a rate that leaves so many unanswered is saturated
local SETTLED <const> = 0.2 -- of the run's length, from which on they are counted
local SEEDS <const> = 5
local FACTORS <const> = 256 -- of the noise, by rank

local folder, options = nil, { fit = "0.75" }
for _, word in ipairs(arg) do
  local key, value = word:match "^(%l+)=(.*)$"
  if key then options[key] = value else folder = word end
end
if not folder then
  io.stderr:write("usage: tandem lua close.lua FOLDER [fit=SHARE] [store=FILE.db]"
    .. " [page=FILE.html]\n")
  os.exit(2)
end

local function shares_in(pattern)
  local found = {}
  local list = assert(io.popen(("ls %q"):format(folder)))
  for name in list:lines() do
    local share = name:match(pattern)
    if share then found[#found + 1] = { share = tonumber(share), path = folder .. "/" .. name } end
  end
  list:close()
  table.sort(found, function(a, b) return a.share < b.share end)
  return found
end

local function figures(list)
  if #list == 0 then return { mean = 0, p99 = 0 } end
  table.sort(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  local position = 1 + 0.99 * (#list - 1)
  local low = math.floor(position)
  local high = math.min(low + 1, #list)
  return { mean = sum / #list, p99 = list[low] + (position - low) * (list[high] - list[low]) }
end

-- Where the mean crosses KNEE times that of the lowest rate, between rates in its logarithm.
local function knee(rates, means)
  local level = math.log(KNEE * means[1])
  for i = 2, #rates do
    local before, after = math.log(means[i - 1]), math.log(means[i])
    if after >= level then
      return rates[i - 1] + (rates[i] - rates[i - 1]) * (level - before) / (after - before)
    end
  end
end

local function judged(error, bar, counts)
  local met = math.abs(error) <= bar
  return ("%+6.1f %%%s"):format(error * 100, not counts and "" or met and "  met" or "  MISSED"),
    met or not counts
end

-- rows: { rate, fitted, saturated, measured, predicted }, by rate. Prints them; are all bars met?
local function report(title, unit, rows)
  print(("\n%s\n%10s  %24s  %24s"):format(title, "rate", "mean " .. unit, "p99 " .. unit))
  local good, rates, measured, predicted = true, {}, {}, {}
  for i, row in ipairs(rows) do
    local counts = not row.fitted and not row.saturated
    local m, p = row.measured, row.predicted
    local mean, mean_met = judged(p.mean / m.mean - 1, MEAN_BAR, counts)
    local p99, p99_met = judged(p.p99 / m.p99 - 1, P99_BAR, counts)
    good = good and mean_met and p99_met
    print(("%10.2f  %9.2f → %9.2f %s  %9.2f → %9.2f %s  %s"):format(row.rate, m.mean, p.mean, mean,
      m.p99, p.p99, p99, row.fitted and "fitted" or row.saturated and "saturated" or ""))
    rates[i], measured[i], predicted[i] = row.rate, m.mean, p.mean
  end
  local a, b = knee(rates, measured), knee(rates, predicted)
  if not a or not b then
    print(("knee: the mean grows %d times at no rate that was measured%s"):format(KNEE,
      a and ", as predicted" or ""))
    return good
  end
  local text, met = judged(b / a - 1, KNEE_BAR, true)
  print(("knee: %.2f → %.2f requests/s %s"):format(a, b, text))
  return good and met
end

local function nearest(list)
  local best = list[1]
  for _, one in ipairs(list) do
    if math.abs(one.share - options.fit) < math.abs(best.share - options.fit) then best = one end
  end
  return best
end

-- ---- the pipeline

-- A stage's services: their time from when the server and the first member were ready (so that
-- handing over counts), members and units.
local function services(visits, name, before_ns)
  local of, units, batches, by_start = visits:of(name), visits:requests().sizes.units, {}, {}
  for i, request in ipairs(of.request) do
    local start = of.start_ns[i]
    local batch = by_start[start]
    if not batch then
      batch = { start = start, finish = of.end_ns[i], ready = math.huge, members = 0, units = 0 }
      by_start[start], batches[#batches + 1] = batch, batch
    end
    batch.ready = math.min(batch.ready, before_ns[request])
    batch.members, batch.units = batch.members + 1, batch.units + units[request]
    before_ns[request] = of.end_ns[i]
  end
  table.sort(batches, function(a, b) return a.start < b.start end)
  local free = 0
  for _, batch in ipairs(batches) do
    batch.seconds = (batch.finish - math.max(free, batch.ready)) * 1e-9
    free = batch.finish
  end
  return batches
end

-- What times are of the fitted cost, as factors by rank; by their mean the total is as measured.
local function factors_of(batches, cost)
  local ratios, sum, predicted = {}, 0, 0
  for _, batch in ipairs(batches) do
    local expected = cost(batch)
    ratios[#ratios + 1] = math.max(0, batch.seconds / expected)
    sum, predicted = sum + batch.seconds, predicted + expected
  end
  table.sort(ratios)
  local count = math.min(FACTORS, #ratios)
  local factors, mean = {}, 0
  for i = 1, count do
    local from = (i - 1) * #ratios // count + 1
    local to, part = i * #ratios // count, 0
    for k = from, to do part = part + ratios[k] end
    factors[i] = part / (to - from + 1)
    mean = mean + factors[i] / count
  end
  for i = 1, count do factors[i] = factors[i] / mean * sum / predicted end
  return td.empirical { values = factors }
end

local function fit_stage(name, batches, most)
  local rows, values, batched = {}, {}, false
  for i, batch in ipairs(batches) do
    rows[i], values[i] = { 1, batch.units, batch.members }, batch.seconds
    batched = batched or batch.members > 1
  end
  local b = least_squares(rows, values, batched and 3 or 2)
  local jitter = factors_of(batches, function(batch)
    return b[1] + b[2] * batch.units + b[3] * batch.members
  end)
  print(("  %-12s %8.3f ms + %7.3f ms a unit + %7.3f ms a member   (%d services, %d at most)")
    :format(name, b[1] * 1e3, b[2] * 1e3, b[3] * 1e3, #batches, most))
  return { on = name .. " thread", jitter = jitter,
    batch = batched and { max = most, wait = 0 } or nil,
    cost = batched and function(r) return b[1] + b[2] * r.sum.units + b[3] * r.batch end
      or function(r) return b[1] + b[2] * r.units end }
end

local function fit_pipeline(visits, most)
  local pools, pipeline = {}, {}
  local before_ns = table.move(visits:requests().arrival_ns, 1, visits.count, 1, {})
  for _, stage in ipairs(visits.stages) do
    local batches = services(visits, stage.name, before_ns)
    local single = #batches == visits.count and stage.lane == "CPU"
    pools[#pools + 1] = td.pool(stage.name .. " thread") { servers = 1, lane = stage.lane }
    pipeline[#pipeline + 1] = td.stage(stage.name)(fit_stage(stage.name, batches,
      single and 1 or most))
  end
  return td.scenario "pipeline" { workload = td.poisson { rps = 1, requests = 1 },
    attrs = { units = 1 }, resources = pools, pipeline = pipeline }
end

local function latencies_ms(visits)
  local requests, list = visits:requests(), {}
  for i, arrival in ipairs(requests.arrival_ns) do
    list[i] = (requests.end_ns[i] - arrival) * 1e-6
  end
  return list
end

-- Rate of a load, and whether its answers fell behind it.
local function load_of(arrivals_s, ends_s)
  local first, last, came, went = math.huge, 0, 0, 0
  for _, arrival in ipairs(arrivals_s) do
    first, last = math.min(first, arrival), math.max(last, arrival)
  end
  local from = first + SETTLED * (last - first)
  for i, arrival in ipairs(arrivals_s) do
    if arrival >= from then came = came + 1 end
    if ends_s[i] >= from and ends_s[i] <= last then went = went + 1 end
  end
  return (#arrivals_s - 1) / (last - first), came - went > BEHIND * came
end

local function seconds_of(list)
  local made = {}
  for i, ns in ipairs(list) do made[i] = ns * 1e-9 end
  return made
end

local function predict(visits, scenario)
  local mean, p99, run = 0, 0, nil
  for seed = 1, SEEDS do
    run = assert(visits:replay(scenario, { seed = seed }))
    local one = figures(latencies_ms(assert(run:visits())))
    mean, p99 = mean + one.mean / SEEDS, p99 + one.p99 / SEEDS
  end
  return { mean = mean, p99 = p99 }, run
end

local function close_pipeline(recordings)
  local store = assert(td.store(options.store or os.tmpname()))
  local map = assert(td.map.load((arg[0]:match "^(.*/)" or "./") .. "pipeline_map.lua"))
  local fitted, most = nearest(recordings), 1
  for _, one in ipairs(recordings) do
    one.visits = assert(assert(store:import(one.path)):visits(map))
    for _, stage in ipairs(one.visits.stages) do
      local by_start = {}
      for _, start in ipairs(one.visits:of(stage.name).start_ns) do
        by_start[start] = (by_start[start] or 0) + 1
        most = math.max(most, by_start[start])
      end
    end
  end
  print(("pipeline: fitted at %.0f %% of capacity"):format(fitted.share * 100))
  local scenario = fit_pipeline(fitted.visits, most)
  local rows, shown = {}, nil
  for i, one in ipairs(recordings) do
    local requests = one.visits:requests()
    local rate, saturated = load_of(seconds_of(requests.arrival_ns), seconds_of(requests.end_ns))
    local predicted, run = predict(one.visits, scenario)
    rows[i] = { rate = rate, fitted = one == fitted, saturated = saturated,
      measured = figures(latencies_ms(one.visits)), predicted = predicted }
    if one ~= fitted and not saturated then shown = { one.visits, assert(run:visits()) } end
  end
  local good = report("pipeline: measured → predicted latency", "ms", rows)
  if options.page and shown then
    local file = assert(io.open(options.page, "w"))
    file:write(assert(td.overlay(shown[1], shown[2])):to_html())
    file:close()
  end
  return good
end

-- ---- the LLM server

local function serving_figures(measured, outcomes)
  local ttft, e2e = {}, {}
  for i, r in ipairs(measured.requests) do
    local o = outcomes and outcomes[i]
    ttft[i] = 1e3 * (o and (o.first_token_ns - o.queued_ns) * 1e-9 or r.ttft_s)
    e2e[i] = 1e3 * (o and (o.finished_ns - o.queued_ns) * 1e-9 or r.e2e_s)
  end
  return figures(ttft), figures(e2e)
end

local function replayed(answer, measured)
  local requests = {}
  for i, r in ipairs(measured.requests) do
    requests[i] = { at_ns = math.floor(r.at_s * 1e9 + 0.5), prompt = r.prompt, output = r.output }
  end
  return assert(core.serving.replay(answer.config, answer:model(), requests))
end

local function close_serving(recordings)
  local file = assert(io.open(folder .. "/serving.json"))
  local engine = cjson.decode(file:read "a").engine
  file:close()
  local fitted = nearest(recordings)
  local answer = assert(calibrate.run { file = fitted.path, engine = engine, hold = 0 })
  print(("\nLLM server: fitted at %.0f %% of capacity: %s"):format(fitted.share * 100,
    tostring(answer:step())))
  local ttft_rows, e2e_rows = {}, {}
  for i, one in ipairs(recordings) do
    local measured = assert(require("tandem.llm.read").file(one.path))
    local arrivals, ends = {}, {}
    for k, r in ipairs(measured.requests) do arrivals[k], ends[k] = r.at_s, r.at_s + r.e2e_s end
    local rate, saturated = load_of(arrivals, ends)
    local base = { rate = rate, fitted = one == fitted, saturated = saturated }
    local real_ttft, real_e2e = serving_figures(measured)
    local ttft, e2e = serving_figures(measured, replayed(answer, measured))
    ttft_rows[i] = setmetatable({ measured = real_ttft, predicted = ttft }, { __index = base })
    e2e_rows[i] = setmetatable({ measured = real_e2e, predicted = e2e }, { __index = base })
  end
  local first = report("LLM server: measured → predicted time to first token", "ms", ttft_rows)
  return report("LLM server: measured → predicted time to the last token", "ms", e2e_rows) and first
end

local pipeline = shares_in "^pipeline%-([%d.]+)%.jsonl%.gz$"
local serving = shares_in "^serving%-([%d.]+)%.jsonl$"
if #pipeline + #serving == 0 then
  io.stderr:write(("close.lua: no pipeline-RATE.jsonl.gz and no serving-RATE.jsonl in %s\n")
    :format(folder))
  os.exit(5)
end
options.fit = assert(tonumber(options.fit), "fit wants a number")
local good = true
if #pipeline > 0 then good = close_pipeline(pipeline) end
if #serving > 0 then good = close_serving(serving) and good end
print(good and "\nall bars are met" or "\na bar is missed")
os.exit(good)
