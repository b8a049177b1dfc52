--- The published JSON form of a result: schema "tandem.result/1".
--
-- Owns which fields there are and what they are called in JSON; io/json.lua owns the bytes.
-- The fields are those of the result table; estimates are { "value", "half" } with half left out
-- when there is no interval, and { "value", "needs" } where the run does not support one; an
-- unlimited number of servers is "inf".
local json = require "tandem.io.json"

local schema = {}

local NAME = "tandem.result/1"

-- Fields that are lists even when empty.
local LISTS = {
  classes = true, slo = true, stages = true, resources = true, stations = true, t = true,
  arrived = true, completed = true, in_system = true, latency_mean = true, latency_p99 = true,
  edges_s = true, counts = true, requests_log = true, utilization = true, queue = true,
  levels = true, figures = true, items = true, busy = true,
}

-- What each field means: `tandem help json` prints this, and the specs hold results against it.
---@type { [1]: string, [2]: string }[]
schema.fields = {
  { "schema", 'always "tandem.result/1"' },
  { "name", "the scenario's name" },
  { "seed", "the seed; the same seed gives the same bytes" },
  { "replications", "independent repetitions" },
  { "confidence", "of the intervals: 0.95. An estimate is { value, half }, its interval being "
    .. "value ± half; or { value, needs { requests, by } } where the run is too short for one: so "
    .. "many requests in all would do, by \"length\" in replications that are longer, by "
    .. "\"requests\" in longer ones or in more, by \"replications\" in more of a load that "
    .. "moves" },
  { "precision", "what a precision that was asked for led to: reached, why (not, in words), "
    .. "figures [{ name, path, within (wanted), reached (half by value), needs (requests) }], "
    .. "looks (runs), simulated (requests of them all), most (that they might have been), "
    .. "confidence (of the "
    .. "intervals that are told: the last run's, so that all looks together have that of the "
    .. "run); else absent" },
  { "requests", "measured, over all replications" },
  { "events", "events simulated" },
  { "duration_s", "mean observed window after the warm-up, in seconds" },
  { "warmup_s", "removed from the start, in seconds" },
  { "warmup_requests", "removed with it" },
  { "moving", "true where the rate of arrivals moves (a curve, a day): figures are of whole runs, "
    .. "with no warm-up left out unless asked for; else absent" },
  { "course_s", "how long the load takes to run its course, where arrivals ended before that; else "
    .. "absent" },
  { "warmup_unsettled", "true when no steady state was found; else absent" },
  { "open", "requests still in the system at the end; absent when there are none" },
  { "offered_rps", "estimate: requests that arrived, per second" },
  { "carried_rps", "estimate: arrivals that were served, per second" },
  { "throughput_rps", "estimate: requests completed, per second" },
  { "goodput_rps", "estimate: requests completed within the objective, per second" },
  { "slo_met", "estimate: fraction of the arrivals completed within the objective" },
  { "in_system", "estimate: requests in the system at a time, on average" },
  { "llm", "of each LLM server: ttft, tpot, itl, e2e, queueing, normalized (e2e by output tokens), "
    .. "tokens, cost, KV cache, held (share of the time that requests were kept out, by reason: "
    .. "blocks, seqs, tokens, rule), cdf { levels, ttft, … }, classes and tenants "
    .. "(times, tokens, goodput_rps, slo_met of each), fairness; else absent" },
  { "doubt", "what the step models of LLM servers leave open, when asked for: confidence; servers "
    .. "[{ server, pool, gpu, engine, step and prompt (standard deviations of the logarithms of "
    .. "their times), measured (runs, relatives, none, own), points, configurations, near (GPUs of "
    .. "its architecture), kernels, seqs }]; overload (at the slow end alone). Estimates then have "
    .. "model { low, high } beside half, high absent where the server does not keep up; else "
    .. "absent" },
  { "gpus_held", "GPUs that come and go (autoscale): mean and peak; else absent" },
  { "latency", "mean, p50, p90, p95, p99, p999: estimates; min, max, sd: all in seconds" },
  { "classes", "per class: arrived, completed, dropped, abandoned, timed_out, retried, latency, "
    .. "offered_rps, carried_rps, goodput_rps, slo_met, slo [{ metric, limit, value, met, "
    .. "lost, window_s, worst_s, of_limit }], met being absent when undecided, lost being the "
    .. "share of requests that were not served and so have no time, absent when there are none; "
    .. "by windows of time: their length, when the worst begins, what each has to keep where the "
    .. "figure is their share" },
  { "stages", "in route order: name, class, lane, station, visits, wait { mean, max }, "
    .. "service { mean }, batch, delayed (fraction of the visits that waited)" },
  { "resources", "name, lane, gpu, kind, servers, bytes (of a memory), utilization, queue (mean "
    .. "waiting), max_wait; of what may fail: down (share of the time; 0: it never failed), mtbf "
    .. "(mean, in seconds)" },
  { "overload", "resource, load (offered utilization), reason; bound (kv, seqs, tokens, "
    .. "rule, steps) of an LLM server; absent when there is none" },
  { "unsettled", "resource, reason, load (offered by what it can take at most, where that is "
    .. "known) of an LLM server that has more and more requests inside, the run being too short to "
    .. "tell whether it keeps up; else absent" },
  { "checks", "little (relative error of Little's law), conservation, ok" },
  { "series", "dt_s, t, arrived, completed, in_system, latency_mean, latency_p99, stations, "
    .. "llm (of each LLM server): equal slices of time" },
  { "windows", "length_s; items: of each window of time from_s, to_s, offered_rps, carried_rps, "
    .. "slo_met, lost (the share, where some were), latency (mean, p50, p99) of the requests that "
    .. "arrive in it, llm (of each LLM server: name, ttft, tpot, itl; gaps where they end); "
    .. "stations: name, lane, servers, busy (servers, by window), held (GPUs "
    .. "that come and go); absent where "
    .. "nothing is told by window" },
  { "histogram", "edges_s and counts of the latency" },
  { "requests_log", "per request, when asked for: id, class, arrival_s, latency_s, …" },
  { "recorded", "what td.record was given, by name: count, sum, mean, min, max, values (the "
    .. "first ones)" },
  { "interrupted", "true when the run was stopped early; else absent" },
}

--- Encodes a result; ends with a line end.
---@param result tandem.Result
---@return string
function schema.encode(result)
  local copy = {}
  for _, field in ipairs(schema.fields) do
    copy[field[1]] = result[field[1]]
  end
  copy.schema = NAME
  return json.encode(copy, { indent = 2, lists = LISTS }) .. "\n"
end

return schema
