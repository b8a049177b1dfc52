--- Keys of manifests that are misspelt where one that is read is missing: a `replica` for
--- `replicas` would silently be one replica.
--
-- Owns which keys are read at which place, and those beside them that are close to one. Other keys
-- are the cluster's affair and are not looked at. Called by workloads.lua, and by manifest.lua
-- for what scales.
local nearest = require "tandem.text.nearest"

local keys = {}

-- Places, by the keys that are read there; a table is a place below, of each item where the value
-- is a list. `others` are right, too, and near to one of these.
local GPUS <const> = { others = { "cpu", "memory" }, ["nvidia.com/gpu"] = true,
  ["amd.com/gpu"] = true, gpu = true }
local RESOURCES <const> = { others = { "claims" }, limits = GPUS, requests = GPUS }
local CONTAINER <const> = { others = { "ports", "envFrom", "stage" }, name = true, image = true,
  command = true, args = true, env = true, resources = RESOURCES, modelCommand = true }
local POD <const> = { others = { "initContainers", "nodeName" }, containers = CONTAINER,
  nodeSelector = true, affinity = true, mainContainer = CONTAINER }
local TEMPLATE <const> = { others = {}, metadata = true, spec = POD }
local WORKLOAD <const> = { others = {}, metadata = true,
  spec = { others = {}, replicas = true, template = TEMPLATE } }
local NODES <const> = { others = {}, nodeCount = true }
local SERVICE <const> = { others = { "componentName", "extraPodMetadata" }, componentType = true,
  subComponentType = true, replicas = true, multinode = NODES, resources = RESOURCES,
  extraPodSpec = POD }
local PART <const> = { others = {}, create = true, replicas = true, containers = CONTAINER,
  parallelism = { others = {}, tensor = true, data = true, dataLocal = true, workers = true },
  acceleratorTypes = { others = {}, labelKey = true, labelValues = true } }
local WINDOW <const> = { others = { "policies" }, stabilizationWindowSeconds = true }
local BEHAVIOR <const> = { others = {}, scaleUp = WINDOW, scaleDown = WINDOW }
local KINDS <const> = {
  HorizontalPodAutoscaler = { others = {}, metadata = true, spec = { others = {},
    scaleTargetRef = { others = {}, name = true }, minReplicas = true, maxReplicas = true,
    metrics = { others = {}, pods = true }, behavior = BEHAVIOR } },
  ScaledObject = { others = {}, metadata = true, spec = { others = { "cooldownPeriod" },
    scaleTargetRef = { others = {}, name = true }, minReplicaCount = true,
    maxReplicaCount = true, pollingInterval = true, triggers = { others = {}, metadata = {
      others = {}, query = true, threshold = true } }, advanced = { others = {},
      horizontalPodAutoscalerConfig = { others = {}, behavior = BEHAVIOR } } } },
  Deployment = WORKLOAD, StatefulSet = WORKLOAD, ReplicaSet = WORKLOAD, Pod = TEMPLATE,
  LeaderWorkerSet = { others = {}, metadata = true, spec = { others = {}, replicas = true,
    leaderWorkerTemplate = { others = {}, size = true, leaderTemplate = TEMPLATE,
      workerTemplate = TEMPLATE } } },
  DynamoGraphDeployment = { others = {}, metadata = true, spec = { others = {},
    components = { others = {}, name = true, type = true, replicas = true, multinode = NODES,
      podTemplate = TEMPLATE }, services = { each = SERVICE } } },
}
local VALUES <const> = { others = {}, prefill = PART, decode = PART,
  modelArtifacts = { others = { "size" }, name = true, uri = true } }

local function is_other(place, key)
  for _, other in ipairs(place.others) do if other == key then return true end end
  return false
end

local function missing(place, value)
  local out = {}
  for key in pairs(place) do
    if key ~= "others" and value[key] == nil then out[#out + 1] = key end
  end
  table.sort(out)
  return out
end

local look

local function look_below(place, value, path, note)
  if #value == 0 then return look(place, value, path, note) end
  for i, item in ipairs(value) do look(place, item, ("%s[%d]"):format(path, i), note) end
end

function look(place, value, path, note)
  if type(value) ~= "table" then return end
  for _, key in ipairs(nearest.sorted_keys(value)) do
    local where = path .. "." .. key
    local below = place.each or place[key]
    if type(below) == "table" and type(value[key]) == "table" then
      look_below(below, value[key], where, note)
    elseif not below and not is_other(place, key) then
      local near = nearest.word(key, missing(place, value))
      if near and nearest.distance(key:lower(), near:lower()) <= 2 then
        note(("%s is not read; did you mean '%s'?"):format(where, near))
      end
    end
  end
end

--- Tells, by `note`, the keys of a document that are misspelt.
---@param document table
---@param note fun(text: string)
function keys.look(document, note)
  local kind = document.kind
  local place = kind == nil and VALUES or KINDS[kind]
  local name = type(document.metadata) == "table" and document.metadata.name
  local called = name and ("%s %s: "):format(kind, name) or ""
  if place then look(place, document, "", function(text) note(called .. text:sub(2)) end) end
end

return keys
