--- Kubernetes: a Deployment a pool, a Service, and what scales: a HorizontalPodAutoscaler, or
--- KEDA's ScaledObject.
--
-- Owns these documents. The autoscaler's metric is made by the rules of rules.lua and has to reach
-- Kubernetes through an adapter; KEDA asks Prometheus itself. Both scale by requests that are in a
-- replica, running and waiting, which is what was simulated.
local deploy = require "tandem.deploy"
local launch = require "tandem.deploy.launch"
local rules = require "tandem.deploy.rules"
local yaml = require "tandem.io.yaml"

local kubernetes = {}

local map = yaml.map

-- A replica of several machines is no pod.
local function refuse(deployed)
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      if pool.machines > 1 then
        error({ plan = ("--emit kubernetes: a replica of %d GPUs takes %d machines, and a "
          .. "Deployment's pod has one; --emit dynamo says so"):format(pool.gpus, pool.machines) },
          0)
      end
    end
  end
end

local function name_of(server, pool)
  return #server.pools > 1 and server.name .. "-" .. pool.name or server.name
end

local function labels_of(server, pool)
  return map { { "app.kubernetes.io/name", server.name },
    { "app.kubernetes.io/component", #server.pools > 1 and pool.name or nil } }
end

local function container_of(server, pool)
  local command, options = launch.arguments(server, pool)
  local words = table.move(options, 1, #options, 1, {})
  words[#words + 1], words[#words + 2] = "--port", tostring(launch.PORT)
  local gpus = map { { "nvidia.com/gpu", tostring(pool.gpus) } }
  local health = map { { "httpGet", map { { "path", "/health" }, { "port", "http" } } } }
  return map {
    { "name", "server" },
    { "image", (launch.image(server)) },
    { "command", command },
    { "args", words },
    { "ports", { map { { "name", "http" }, { "containerPort", launch.PORT } } } },
    { "resources", map { { "limits", gpus }, { "requests", gpus } } },
    { "startupProbe", map { health[1], { "periodSeconds", 10 }, { "failureThreshold", 180 } } },
    { "readinessProbe", map { health[1], { "periodSeconds", 5 } } },
    -- Ranks share memory through it.
    { "volumeMounts", { map { { "name", "shm" }, { "mountPath", "/dev/shm" } } } },
  }
end

local function deployment_of(server, pool)
  local labels = labels_of(server, pool)
  return map {
    { "apiVersion", "apps/v1" },
    { "kind", "Deployment" },
    { "metadata", map { { "name", name_of(server, pool) }, { "labels", labels } } },
    { "spec", map {
      { "replicas", pool.replicas },
      { "selector", map { { "matchLabels", labels } } },
      { "template", map {
        { "metadata", map { { "labels", labels } } },
        { "spec", map {
          { "containers", { container_of(server, pool) } },
          { "volumes", { map { { "name", "shm" },
            { "emptyDir", map { { "medium", "Memory" } } } } } },
        } } } } } },
  }
end

local function service_of(server)
  return map {
    { "apiVersion", "v1" },
    { "kind", "Service" },
    { "metadata", map { { "name", server.name } } },
    { "spec", map {
      { "selector", map { { "app.kubernetes.io/name", server.name } } },
      { "ports", { map { { "name", "http" }, { "port", launch.PORT },
        { "targetPort", "http" } } } },
    } },
  }
end

local function behavior_of(scaling)
  local function window(seconds)
    return map { { "stabilizationWindowSeconds", math.floor(seconds + 0.5) } }
  end
  return map { { "scaleUp", window(scaling.up_after) },
    { "scaleDown", window(scaling.down_after) } }
end

local function autoscaler_of(server, pool)
  local scaling, name = pool.scaling, name_of(server, pool)
  return map {
    { "apiVersion", "autoscaling/v2" },
    { "kind", "HorizontalPodAutoscaler" },
    { "metadata", map { { "name", name } } },
    { "spec", map {
      { "scaleTargetRef", map { { "apiVersion", "apps/v1" }, { "kind", "Deployment" },
        { "name", name } } },
      { "minReplicas", math.max(1, scaling.min) },
      { "maxReplicas", scaling.max },
      { "metrics", { map {
        { "type", "Pods" },
        { "pods", map { { "metric", map { { "name", rules.OUTSTANDING } } },
          { "target", map { { "type", "AverageValue" },
            { "averageValue", ("%.14g"):format(scaling.target) } } } } } } } },
      { "behavior", behavior_of(scaling) },
    } },
  }
end

local function scaled_object_of(server, pool)
  local scaling, name = pool.scaling, name_of(server, pool)
  return map {
    { "apiVersion", "keda.sh/v1alpha1" },
    { "kind", "ScaledObject" },
    { "metadata", map { { "name", name } } },
    { "spec", map {
      { "scaleTargetRef", map { { "name", name } } },
      { "pollingInterval", math.max(1, math.floor(scaling.every + 0.5)) },
      { "minReplicaCount", scaling.min },
      { "maxReplicaCount", scaling.max },
      { "advanced", map { { "horizontalPodAutoscalerConfig",
        map { { "behavior", behavior_of(scaling) } } } } },
      { "triggers", { map {
        { "type", "prometheus" },
        { "metricType", "AverageValue" },
        { "metadata", map {
          { "serverAddress", "http://prometheus.monitoring.svc:9090" },
          { "query", rules.outstanding(server) },
          { "threshold", ("%.14g"):format(scaling.target) } } } } } },
    } },
  }
end

local function says(deployed, keda)
  local out = launch.notes(deployed)
  local kinds, images = {}, {}
  for _, server in ipairs(deployed.servers) do
    local _, note = launch.image(server)
    if note then images[note] = true end
    for _, pool in ipairs(server.pools) do
      kinds[pool.gpu] = true
      local scaling = pool.scaling
      if scaling then
        out[#out + 1] = ("%s: %g requests a replica, running and waiting, %s."):format(server.name,
          scaling.target, scaling.found
            and "as at the planned load; never fewer replicas than planned"
            or "as the scenario's autoscale says")
      end
    end
  end
  for _, note in ipairs(require("tandem.text.nearest").sorted_keys(images)) do
    out[#out + 1] = note
  end
  for _, kind in ipairs(require("tandem.text.nearest").sorted_keys(kinds)) do
    out[#out + 1] = ("Simulated on %s: add the nodeSelector of your nodes that have it."):format(
      kind)
  end
  out[#out + 1] = keda and "The address of Prometheus is a guess; set serverAddress."
    or ("%s comes from the rules of --emit rules, through an adapter for custom metrics."):format(
      rules.OUTSTANDING)
  return out
end

--- All documents of a deployment.
---@param deployed tandem.Deployed
---@param as "keda"|nil
---@return string
function kubernetes.text(deployed, as)
  refuse(deployed)
  local documents = {}
  local function add(document) documents[#documents + 1] = yaml.encode(document) end
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      add(deployment_of(server, pool))
      if pool.scaling and pool.scaling.max > 1 then
        add(as == "keda" and scaled_object_of(server, pool) or autoscaler_of(server, pool))
      end
    end
    add(service_of(server))
  end
  return deploy.head(deployed, says(deployed, as == "keda"))
    .. table.concat(documents, "---\n")
end

return kubernetes
