--- Prometheus: a plan's objectives as alerts over a server's own metrics, and the metric that
--- autoscalers scale by.
--
-- Owns which metric of vLLM, SGLang and TensorRT-LLM is which time, and the rules file. Grafana and
-- KEDA ask by the same expressions. A quantile of a histogram is known to its bucket: an alert on
-- p99 above 1 s fires by what the bucket around 1 s says.
local deploy = require "tandem.deploy"
local format = require "tandem.text.format"
local yaml = require "tandem.io.yaml"

local rules = {}

--- Requests in a replica, running and waiting: a name that adapters of Kubernetes take.
rules.OUTSTANDING = "tandem_outstanding_requests"

local WINDOW <const> = "5m"

-- Of SGLang's gauges the ranks of a replica all tell the same.
local METRICS <const> = {
  vllm = { label = "model_name", running = "vllm:num_requests_running",
    waiting = "vllm:num_requests_waiting", finished = "vllm:request_success_total",
    kv = "vllm:kv_cache_usage_perc", tokens = "vllm:generation_tokens_total",
    ttft = "vllm:time_to_first_token_seconds",
    tpot = "vllm:request_time_per_output_token_seconds",
    itl = "vllm:inter_token_latency_seconds", e2e = "vllm:e2e_request_latency_seconds",
    queueing = "vllm:request_queue_time_seconds" },
  sglang = { label = "model_name", running = "sglang:num_running_reqs", of_ranks = true,
    waiting = "sglang:num_queue_reqs", finished = "sglang:num_requests_total",
    kv = "sglang:token_usage", tokens = "sglang:generation_tokens_total",
    ttft = "sglang:time_to_first_token_seconds", itl = "sglang:inter_token_latency_seconds",
    e2e = "sglang:e2e_request_latency_seconds", queueing = "sglang:queue_time_seconds" },
  tensorrt_llm = { label = "model_name", running = "trtllm_num_requests_running",
    waiting = "trtllm_num_requests_waiting", finished = "trtllm_request_success_total",
    kv = "trtllm_kv_cache_utilization", tokens = "trtllm_generation_tokens_total",
    ttft = "trtllm_time_to_first_token_seconds",
    tpot = "trtllm_time_per_output_token_seconds", e2e = "trtllm_e2e_request_latency_seconds",
    queueing = "trtllm_request_queue_time_seconds" },
}

-- A text in PromQL.
local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"' end

-- One series: of this model alone.
local function of(server, key, ending)
  local names = METRICS[server.server]
  if not names[key] then return nil end
  return ("%s%s{%s=%s}"):format(names[key], ending or "", names.label, quoted(server.model))
end

local function a_pod(server, key)
  local by = METRICS[server.server].of_ranks and "max by (namespace, pod) (%s)"
    or "sum by (namespace, pod) (%s)"
  return by:format(of(server, key))
end

--- Requests in all replicas, running and waiting.
---@param server tandem.DeployedServer
---@return string
function rules.outstanding(server)
  return ("sum(%s + %s)"):format(a_pod(server, "running"), a_pod(server, "waiting"))
end

--- A gauge or counter over all replicas.
---@param server tandem.DeployedServer
---@param what "running"|"waiting"|"kv"|"finished"|"tokens"
---@return string
function rules.over_all(server, what)
  if what == "finished" or what == "tokens" then
    return ("sum(rate(%s[%s]))"):format(of(server, what), WINDOW)
  end
  if what == "kv" then return ("max(%s)"):format(of(server, what)) end
  return ("sum(%s)"):format(a_pod(server, what))
end

--- The figure that an objective limits, in seconds; nil where the server does not export it.
---@param server tandem.DeployedServer
---@param objective tandem.DeployedObjective
---@return string|nil
function rules.figure(server, objective)
  local bucket = of(server, objective.of, "_bucket")
  if not bucket then return nil end
  if objective.quantile then
    return ("histogram_quantile(%.14g, sum by (le) (rate(%s[%s])))"):format(objective.quantile,
      bucket, WINDOW)
  end
  return ("sum(rate(%s[%s])) / sum(rate(%s[%s]))"):format(of(server, objective.of, "_sum"), WINDOW,
    of(server, objective.of, "_count"), WINDOW)
end

--- The server of an objective.
---@param deployed tandem.Deployed
---@param objective tandem.DeployedObjective
---@return tandem.DeployedServer
function rules.server_of(deployed, objective)
  for _, server in ipairs(deployed.servers) do
    if server.name == objective.server then return server end
  end
  error("no server of this name")
end

-- "ttft_p99" → "TtftP99"
local function camel(text)
  return (("_" .. text):gsub("[^%w]+(%w?)", function(first) return first:upper() end))
end

local function alert(name, expr, wait, summary, severity)
  return yaml.map { { "alert", name }, { "expr", expr }, { "for", wait },
    { "labels", yaml.map { { "severity", severity } } },
    { "annotations", yaml.map { { "summary", summary } } } }
end

local function rules_of(deployed, server)
  local out = { yaml.map { { "record", rules.OUTSTANDING },
    { "expr", ("%s + %s"):format(a_pod(server, "running"), a_pod(server, "waiting")) },
    { "labels", yaml.map { { "server", server.name } } } } }
  for _, one in ipairs(deployed.objectives) do
    local figure = one.server == server.name and rules.figure(server, one)
    if figure then
      out[#out + 1] = alert(camel(server.name) .. camel(one.metric),
        ("%s > %.14g"):format(figure, one.limit), "10m",
        ("%s of %s is above %s, which the plan keeps"):format(one.metric, server.name,
          format.time(one.limit)), "warning")
    end
  end
  out[#out + 1] = alert(camel(server.name) .. "LoadAbovePlan",
    ("%s > %.6g"):format(rules.over_all(server, "finished"), deployed.load), "30m",
    ("%s gets more than the %s that were planned for"):format(server.name,
      format.rate(deployed.load)), "info")
  out[#out + 1] = alert(camel(server.name) .. "KvCacheFull",
    ("%s > 0.95"):format(rules.over_all(server, "kv")), "10m",
    ("a KV cache of %s is nearly full: requests wait or are preempted"):format(server.name),
    "warning")
  return out
end

--- The file of rules.
---@param deployed tandem.Deployed
---@return string
function rules.text(deployed)
  local groups, notes = {}, {}
  for i, server in ipairs(deployed.servers) do
    groups[i] = yaml.map { { "name", "tandem-" .. server.name }, { "interval", "15s" },
      { "rules", rules_of(deployed, server) } }
  end
  for _, one in ipairs(deployed.objectives) do
    if not rules.figure(rules.server_of(deployed, one), one) then
      notes[#notes + 1] = ("%s is not exported by this server: no alert."):format(one.metric)
    end
  end
  for _, metric in ipairs(deployed.untold) do
    notes[#notes + 1] = ("%s is not told by metrics of the server: no alert."):format(metric)
  end
  return deploy.head(deployed, notes) .. yaml.encode(yaml.map { { "groups", groups } })
end

return rules
