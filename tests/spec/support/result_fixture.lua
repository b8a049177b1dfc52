--- A result table as the engine returns it, made by hand: the demo on one L40.
--
-- Owns one plausible run whose every field is set; specs copy it and change what they test. The
-- numbers are consistent with one another (throughput × latency = in_system, and so on) but come
-- from no simulation.
local fixture = {}

local function est(value, half)
  return { value = value, half = half }
end

local function latency(scale)
  return {
    mean = est(0.04231 * scale, 0.00012), p50 = est(0.0408 * scale, 0.0001),
    p90 = est(0.0492 * scale, 0.0003), p95 = est(0.0538 * scale, 0.0005),
    p99 = est(0.0712 * scale, 0.0021), p999 = est(0.0894 * scale, 0.0063),
    min = 0.0361 * scale, max = 0.1013 * scale, sd = 0.0061 * scale,
  }
end

local function series()
  local made = { dt_s = 0.25, t = {}, arrived = {}, completed = {}, in_system = {},
    latency_mean = {}, latency_p99 = {}, stations = {} }
  for index = 1, 40 do
    made.t[index] = (index - 1) * 0.25
    made.arrived[index] = 0.5 + (index % 3) * 0.02
    made.completed[index] = 0.5
    made.in_system[index] = 0.08 + (index % 7) * 0.01
    made.latency_mean[index] = 0.0423
    made.latency_p99[index] = 0.07
  end
  for _, name in ipairs { "cpu", "L40#1 h2d", "L40#1 gpu", "L40#1 d2h" } do
    local station = { name = name, utilization = {}, queue = {} }
    for index = 1, 40 do
      local peak = name:find("gpu") and 0.03 or 0.002
      station.utilization[index] = peak * (1 + (index % 5) / 4)
      station.queue[index] = name:find("gpu") and 0.001 * (index % 4) or 0
    end
    made.stations[#made.stations + 1] = station
  end
  return made
end

--- A fresh copy of the result.
---@return table
function fixture.demo()
  return {
    name = "demo", seed = 1, replications = 10, confidence = 0.95,
    requests = 1960, events = 21560, duration_s = 9.8, warmup_s = 0.2, warmup_requests = 40,
    offered_rps = est(2.013, 0.044), carried_rps = est(2.013, 0.044),
    throughput_rps = est(2.011, 0.045), goodput_rps = est(2.011, 0.045), slo_met = est(1, 0),
    latency = latency(1),
    classes = { {
      name = "default", arrived = 1960, completed = 1960, dropped = 0, abandoned = 0,
      timed_out = 0, retried = 0, latency = latency(1), goodput_rps = est(2.011, 0.045),
      slo_met = est(1, 0),
      slo = { { metric = "p99", limit = 0.25, value = est(0.0712, 0.0021), met = true } },
    } },
    stages = {
      { name = "preprocess", class = "default", lane = "CPU", station = "cpu", visits = 1960,
        wait = { mean = est(0.000012, 0.000003), max = 0.0019 },
        service = { mean = est(0.002003, 0.000004) }, delayed = 0.008 },
      { name = "h2d", class = "default", lane = "H2D", station = "L40#1 h2d", visits = 1960,
        wait = { mean = est(0, 0), max = 0 }, service = { mean = est(0.000342, 0) },
        delayed = 0 },
      { name = "compute", class = "default", lane = "GPU", station = "L40#1 gpu", visits = 1960,
        wait = { mean = est(0.00021, 0.00006), max = 0.0121 },
        service = { mean = est(0.0384, 0) }, delayed = 0.021 },
      { name = "d2h", class = "default", lane = "D2H", station = "L40#1 d2h", visits = 1960,
        wait = { mean = est(0, 0), max = 0 }, service = { mean = est(0.000086, 0) },
        delayed = 0 },
      { name = "postprocess", class = "default", lane = "CPU", station = "cpu", visits = 1960,
        wait = { mean = est(0, 0), max = 0 }, service = { mean = est(0.001, 0) }, delayed = 0 },
    },
    resources = {
      { name = "cpu", lane = "CPU", servers = 8, utilization = est(0.0008, 0.0001),
        queue = est(0, 0), max_wait = 0.0019 },
      { name = "L40#1 h2d", lane = "H2D", gpu = "L40#1", kind = "L40", servers = 1,
        utilization = est(0.0007, 0.0001), queue = est(0, 0), max_wait = 0 },
      { name = "L40#1 gpu", lane = "GPU", gpu = "L40#1", kind = "L40", servers = 4,
        utilization = est(0.0193, 0.0004), queue = est(0.0004, 0.0001), max_wait = 0.0121 },
      { name = "L40#1 d2h", lane = "D2H", gpu = "L40#1", kind = "L40", servers = 1,
        utilization = est(0.0002, 0.0001), queue = est(0, 0), max_wait = 0 },
    },
    in_system = est(0.0851, 0.0019),
    checks = { little = 3e-13, conservation = true, ok = true },
    series = series(),
    histogram = { edges_s = { 0.035, 0.04, 0.045, 0.05, 0.06, 0.08, 0.12 },
      counts = { 700, 780, 320, 100, 45, 15 } },
  }
end

--- The same system offered more than one GPU can carry.
---@return table
function fixture.overloaded()
  local made = fixture.demo()
  made.name = "flood"
  made.offered_rps, made.carried_rps = est(150, 2), est(104.1, 0.3)
  made.throughput_rps, made.goodput_rps, made.slo_met = est(104.1, 0.3), est(3.1, 0.4),
    est(0.03, 0.004)
  made.overload = { resource = "L40#1 gpu", load = 1.44,
    reason = "L40#1 gpu is offered 144 % of what it can serve: its queue grows as long as the load "
      .. "lasts, so latencies say more about the run's length than the system" }
  made.resources[3].utilization, made.resources[3].queue = est(1, 0), est(231, 12)
  made.classes[1].slo[1].value, made.classes[1].slo[1].met = est(4.41, 0.09), false
  made.stages[3].wait.mean, made.stages[3].delayed = est(2.2, 0.05), 0.99
  made.latency.mean, made.latency.p99 = est(2.242, 0.05), est(4.41, 0.09)
  return made
end

--- Two classes on a fleet of four GPUs of two kinds.
---@return table
function fixture.fleet()
  local made = fixture.demo()
  made.name = "fleet"
  made.classes[1].name = "chat"
  for index, stage in ipairs(made.stages) do
    stage.class = index <= 3 and "chat" or "batch"
    stage.visits = index <= 3 and 1960 or 470
  end
  made.classes[2] = {
    name = "batch", arrived = 500, completed = 470, dropped = 20, abandoned = 6, timed_out = 4,
    retried = 31, latency = latency(4), goodput_rps = est(0.5, 0.02), slo_met = est(0.94, 0.01),
    slo = { { metric = "p95", limit = 0.2, value = est(0.215, 0.002), met = false } },
  }
  made.resources = { made.resources[1] }
  for index = 1, 4 do
    local kind = index <= 3 and "L40" or "H100"
    made.resources[#made.resources + 1] = {
      name = ("%s#%d gpu"):format(kind, index), lane = "GPU", servers = 4,
      gpu = ("%s#%d"):format(kind, index), kind = kind,
      utilization = est(0.5 + 0.1 * index, 0.01), queue = est(0.3 * index, 0.02),
      max_wait = 0.02 * index,
    }
  end
  return made
end

return fixture
