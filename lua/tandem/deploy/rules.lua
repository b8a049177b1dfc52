--- Prometheus: a plan's objectives as alerts over a server's own metrics, and the metric that
--- autoscalers scale by.
--
-- Owns the rules file; which metric of a server is which time is metrics/names.lua's. Grafana and
-- KEDA ask by the same expressions. A quantile of a histogram is known to its bucket: an alert on
-- p99 above 1 s fires by what the bucket around 1 s says.
local deploy = require "tandem.deploy"
local format = require "tandem.text.format"
local names = require "tandem.metrics.names"
local yaml = require "tandem.io.yaml"

local rules = {}

--- Requests in a replica, running and waiting: a name that adapters of Kubernetes take.
rules.OUTSTANDING = "tandem_outstanding_requests"

local WINDOW <const> = "5m"

-- What an objective calls what names.lua has under another key.
local KEYS <const> = { finished = "ended", tokens = "generated", queueing = "queue" }

-- SGLang's fullest pool is what is full first. Of its gauges the ranks of a replica all tell the
-- same.
local ALSO <const> = { sglang = { kv = "token_usage" } }
local OF_RANKS <const> = { sglang = true }
local LABEL <const> = "model_name"

-- The metric, whole; nil: the server has none.
local function metric_of(server, key)
  local dialect = names.of_server(server.server)
  key = KEYS[key] or key
  local list = dialect.names[key]
  local also = ALSO[server.server]
  return list and dialect.prefix .. (also and also[key] or list[1])
end

-- A text in PromQL.
local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"' end

-- One series: of this model alone.
local function of(server, key, ending)
  local name = metric_of(server, key)
  return name and ("%s%s{%s=%s}"):format(name, ending or "", LABEL, quoted(server.model))
end

local function a_pod(server, key)
  local by = OF_RANKS[server.server] and "max by (namespace, pod) (%s)"
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
