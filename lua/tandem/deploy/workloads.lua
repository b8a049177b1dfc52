--- What runs LLM servers in manifests: each workload's words, image, GPUs and replicas.
--
-- Owns where these stand in Kubernetes' Deployments, StatefulSets and LeaderWorkerSets, in Dynamo's
-- graphs (v1beta1, v1alpha1), in values of llm-d's chart modelservice and of vLLM's
-- production-stack, and in launch scripts. What the words mean is arguments.lua's, what becomes of
-- all that manifest.lua's, which calls this.
local json = require "tandem.io.json"
local keys = require "tandem.deploy.keys"
local shell = require "tandem.text.shell"

local workloads = {}

---@class tandem.Workload
---@field name string
---@field words string[]     of the command line
---@field image string
---@field replicas integer
---@field gpus integer|nil   of one replica, as asked for
---@field machines integer|nil  of one replica
---@field role "prefill"|"decode"|nil
---@field gpu string|nil     its nodes' GPU, as their label says
---@field scaled table|nil   min, max, target, up_after, down_after: of what scales it
---@field engine_image boolean|nil  its tag is the engine's version

local RESOURCES <const> = { "nvidia.com/gpu", "amd.com/gpu", "gpu" }
local SHELLS <const> = { sh = true, bash = true, ash = true, dash = true }
-- Images that are told apart where nothing is said of what they run: repository, then the words.
local IMAGES <const> = { { "vllm/vllm%-openai", "vllm", "serve" },
  { "lmcache/vllm%-openai", "vllm", "serve" }, { "lmsysorg/sglang" },
  { "tensorrt%-llm/release" } }
local RUNS <const> = { "vllm", "sglang", "trtllm%-serve", "dynamo%.trtllm" }

local function at(value, ...)
  for _, key in ipairs { ... } do
    if type(value) ~= "table" then return nil end
    value = value[key]
  end
  if value == json.null then return nil end
  return value
end

local function list(value) return type(value) == "table" and value or {} end

local function words_of(value)
  if type(value) == "string" then return { value } end
  local out = {}
  for i, word in ipairs(list(value)) do out[i] = tostring(word) end
  return out
end

local function joined(first, second)
  return table.move(second, 1, #second, #first + 1, table.move(first, 1, #first, 1, {}))
end

local function runs_server(words)
  for i = 1, math.min(#words, 12) do
    for _, name in ipairs(RUNS) do
      if words[i]:find("^[%w/._-]*" .. name) and not words[i]:find("router", 1, true)
        and not words[i]:find "^%-%-" then
        return true
      end
    end
  end
  return false
end

-- $(NAME) of Kubernetes, where the container says what it is.
local function environment_of(container)
  local env = {}
  for _, one in ipairs(list(at(container, "env"))) do
    local name, value = at(one, "name"), at(one, "value")
    if name and value ~= nil then env[name] = tostring(value) end
  end
  return env
end

-- The command line of a container's server; nil where none is known.
local function command_of(container)
  local env = environment_of(container)
  local command, args = words_of(at(container, "command")), words_of(at(container, "args"))
  local words = joined(command, args)
  for i, word in ipairs(words) do
    words[i] = word:gsub("%$%(([%w_]+)%)", function(name) return env[name] end)
  end
  if words[1] and SHELLS[words[1]:match "[^/]+$"] then
    for i = 2, #words do
      if words[i - 1]:find "^%-%a*c$" or words[i - 1]:find "^%-c%a*$" then
        for _, one in ipairs(shell.commands(words[i], env)) do
          if runs_server(one) then return one end
        end
      end
    end
    return nil
  end
  if runs_server(words) then return words end
  local image = tostring(at(container, "image") or "")
  for _, known in ipairs(IMAGES) do
    if #command == 0 and known[2] and image:find(known[1]) and #args > 0 then
      -- The image's own command is its server's.
      return joined({ known[2], known[3] }, args)
    end
  end
end

local function gpus_of(resources)
  for _, part in ipairs { "limits", "requests" } do
    for _, name in ipairs(RESOURCES) do
      local count = tonumber(at(resources, part, name))
      if count then return math.tointeger(count) end
    end
  end
end

-- The GPU that a pod's nodes have, where a selector or an affinity says so.
local function gpu_of(spec)
  local said = at(spec, "nodeSelector", "nvidia.com/gpu.product")
  if type(said) == "string" then return said end
  local terms = at(spec, "affinity", "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
  for _, term in ipairs(list(terms)) do
    for _, one in ipairs(list(at(term, "matchExpressions"))) do
      if at(one, "key") == "nvidia.com/gpu.product" and at(one, "operator") == "In" then
        return at(one, "values", 1)
      end
    end
  end
end

local function count(value, otherwise)
  return math.tointeger(tonumber(value)) or otherwise
end

-- A pod's server among its containers.
local function of_pod(pod, name, replicas)
  for _, container in ipairs(list(at(pod, "spec", "containers"))) do
    local words = command_of(container)
    if words then
      return { name = name, words = words, image = tostring(at(container, "image") or ""),
        replicas = replicas, gpus = gpus_of(at(container, "resources")),
        gpu = gpu_of(at(pod, "spec")), engine_image = true,
        role = at(pod, "metadata", "labels", "llm-d.ai/role") }
    end
  end
end

local readers = {}

local function deployment(document, add, note)
  local name = at(document, "metadata", "name") or "server"
  local found = of_pod(at(document, "spec", "template"), name,
    count(at(document, "spec", "replicas"), 1))
  if found then return add(found) end
  note(("%s %s runs no LLM server that is known; it is left out"):format(document.kind, name))
end

readers.Deployment, readers.StatefulSet, readers.ReplicaSet = deployment, deployment, deployment

function readers.Pod(document, add)
  local found = of_pod(document, at(document, "metadata", "name") or "server", 1)
  if found then add(found) end
end

function readers.LeaderWorkerSet(document, add, note)
  local name = at(document, "metadata", "name") or "server"
  local template = at(document, "spec", "leaderWorkerTemplate")
  local size = count(at(template, "size"), 1)
  for _, part in ipairs { "leaderTemplate", "workerTemplate" } do
    local found = of_pod(at(template, part), name, count(at(document, "spec", "replicas"), 1))
    if found then
      found.gpus, found.machines = found.gpus and found.gpus * size, size
      return add(found)
    end
  end
  note(("LeaderWorkerSet %s runs no LLM server that is known; it is left out"):format(name))
end

-- ---- Dynamo

local ASIDE <const> = { frontend = true, planner = true, epp = true }

-- A worker of either version: its container, its GPUs on a node, nodes.
local function worker(add, note, graph, part, container, gpus)
  local kind = part.sub or part.type
  if ASIDE[part.type] then
    if part.type == "planner" then
      note "Dynamo's planner is not simulated: replicas stay as many"
    end
    return
  end
  local words = command_of(container)
  if not words then
    return note(("component %s runs no LLM server that is known; it is left out"):format(part.name))
  end
  local nodes = count(part.nodes, 1)
  add { name = graph, words = words, image = tostring(at(container, "image") or ""),
    replicas = count(part.replicas, 1), gpus = gpus and gpus * nodes, machines = nodes,
    role = (kind == "prefill" or kind == "decode") and kind or nil, gpu = part.gpu }
end

function readers.DynamoGraphDeployment(document, add, note)
  local graph, spec = at(document, "metadata", "name") or "server", at(document, "spec")
  for _, part in ipairs(list(at(spec, "components"))) do
    local pod = at(part, "podTemplate")
    local main
    for _, container in ipairs(list(at(pod, "spec", "containers"))) do
      if at(container, "name") == "main" or not main then main = container end
    end
    worker(add, note, graph, { name = at(part, "name"), type = at(part, "type"),
      replicas = at(part, "replicas"), nodes = at(part, "multinode", "nodeCount"),
      gpu = gpu_of(at(pod, "spec")) }, main, gpus_of(at(main, "resources")))
  end
  local services = list(at(spec, "services"))
  for _, name in ipairs(require("tandem.text.nearest").sorted_keys(services)) do
    local part = services[name]
    local main = at(part, "extraPodSpec", "mainContainer")
    worker(add, note, graph, { name = name, type = at(part, "componentType"),
      sub = at(part, "subComponentType"), replicas = at(part, "replicas"),
      nodes = at(part, "multinode", "nodeCount"), gpu = gpu_of(at(part, "extraPodSpec")) }, main,
      gpus_of(at(part, "resources")))
  end
end

-- ---- values of charts

local function llm_d(values, add, note)
  local artifacts = at(values, "modelArtifacts")
  local served = at(artifacts, "name") or ""
  local uri = tostring(at(artifacts, "uri") or "")
  local weights = uri:match "^hf://([^{]+)$" or served
  local apart = (count(at(values, "prefill", "replicas"), 0) > 0)
    and at(values, "prefill", "create") ~= false
  for _, role in ipairs { "prefill", "decode" } do
    local part = at(values, role)
    local replicas = count(at(part, "replicas"), role == "decode" and 1 or 0)
    local container = at(part, "containers", 1)
    if part and at(part, "create") ~= false and replicas > 0 and container then
      local words = words_of(at(container, "args"))
      if at(container, "modelCommand") == "custom" then
        words = command_of(container)
      else
        words = joined({ "vllm", "serve", weights }, words)
      end
      if not words then return note(("%s runs no LLM server that is known"):format(role)) end
      local cut = at(part, "parallelism")
      local tensor, data = count(at(cut, "tensor"), 1), at(cut, "data")
      local nodes = count(at(cut, "workers"), 1)
      data = count(data, count(at(cut, "dataLocal"), 1) * nodes)
      -- What the chart makes of parallelism stands before the arguments, which decide.
      local sizes = { "--tensor-parallel-size", tostring(tensor) }
      if data > 1 then sizes[3], sizes[4] = "--data-parallel-size", tostring(data) end
      words = joined({ words[1], words[2], words[3], table.unpack(sizes) },
        table.move(words, 4, #words, 1, {}))
      local asked = gpus_of(at(container, "resources"))
      add { name = served, served = served, words = words, engine_image = true,
        image = tostring(at(container, "image") or ""), replicas = replicas,
        gpus = asked and asked * nodes, machines = nodes, role = apart and role or nil,
        gpu = gpu_of(part) or at(part, "acceleratorTypes", "labelKey") == "nvidia.com/gpu.product"
          and at(part, "acceleratorTypes", "labelValues", 1) or nil }
    end
  end
end

-- Keys of vllmConfig that are arguments.
local CONFIG <const> = { { "tensorParallelSize", "--tensor-parallel-size" },
  { "pipelineParallelSize", "--pipeline-parallel-size" },
  { "gpuMemoryUtilization", "--gpu-memory-utilization" }, { "maxNumSeqs", "--max-num-seqs" },
  { "maxModelLen", "--max-model-len" }, { "dtype", "--dtype" } }
local SWITCHES <const> = { { "enablePrefixCaching", "enable-prefix-caching" },
  { "enableChunkedPrefill", "enable-chunked-prefill" } }
local KV_ROLES <const> = { kv_producer = "prefill", kv_consumer = "decode" }

local function production_stack(values, add, note)
  for _, model in ipairs(list(at(values, "servingEngineSpec", "modelSpec"))) do
    local config = at(model, "vllmConfig")
    local words = { "vllm", "serve", tostring(at(model, "modelURL") or "") }
    for _, pair in ipairs(CONFIG) do
      local value = at(config, pair[1])
      if value ~= nil and value ~= "" then
        words[#words + 1], words[#words + 2] = pair[2], tostring(value)
      end
    end
    for _, pair in ipairs(SWITCHES) do
      local value = at(config, pair[1])
      if value ~= nil then
        words[#words + 1] = ((value == true or value == "true") and "--" or "--no-") .. pair[2]
      end
    end
    words = joined(words, words_of(at(config, "extraArgs")))
    local cache = at(model, "lmcacheConfig")
    if at(cache, "enabled") == true then
      note "LMCache is not simulated: engine.kv_tiers has host memory and stores below the GPUs"
    end
    if at(model, "raySpec") then note "raySpec is not read: a replica's nodes are not known" end
    add { name = at(model, "name") or "server", words = words, engine_image = true,
      image = ("%s:%s"):format(at(model, "repository") or "", at(model, "tag") or ""),
      replicas = count(at(model, "replicaCount"), 1), gpus = count(at(model, "requestGPU")),
      role = KV_ROLES[at(cache, "kvRole") or ""],
      gpu = gpu_of { affinity = { nodeAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution = {
          nodeSelectorTerms = at(model, "nodeSelectorTerms") } } } } }
  end
  local routing = at(values, "routerSpec", "routingLogic")
  if routing then
    note(("the router's %s is not simulated: say route in td.generate"):format(tostring(routing)))
  end
end

--- Reads one document: its workloads, by `add`, and what is not understood, by `note`. False: it is
--- no kind that runs servers.
---@param document table
---@param add fun(workload: tandem.Workload)
---@param note fun(text: string)
---@return boolean
function workloads.read(document, add, note)
  local kind = at(document, "kind")
  if type(document) == "table" then keys.look(document, note) end
  if kind == "List" then
    for _, one in ipairs(list(at(document, "items"))) do workloads.read(one, add, note) end
    return true
  elseif kind and readers[kind] then
    readers[kind](document, add, note)
    return true
  elseif kind then
    return false
  elseif at(document, "servingEngineSpec", "modelSpec") then
    production_stack(document, add, note)
    return true
  elseif at(document, "modelArtifacts") then
    llm_d(document, add, note)
    return true
  end
  return false
end

--- A launch script: a server for each command that starts one. Lines as launch.lua writes them say
--- how many replicas there are, of what.
---@param text string
---@param add fun(workload: tandem.Workload)
function workloads.script(text, add)
  local said = {}
  local function piece(from, to)
    for _, words in ipairs(shell.commands(text:sub(from, to))) do
      if runs_server(words) then
        local out = { name = said.name or "server", words = words, image = "",
          replicas = said.replicas or 1, role = said.role, gpus = said.gpus, gpu = said.gpu }
        said = {}
        add(out)
      end
    end
  end
  local from = 1
  for start, line, stop in text:gmatch "()# ([^\n]*)()" do
    local who, replicas, gpus, gpu = line:match "^(.-): ([%d,]+) replicas? of ([%d,]+) (.+) each$"
    if who and (start == 1 or text:sub(start - 1, start - 1) == "\n") then
      piece(from, start - 1)
      local name, role = who:match "^(.*), (%l+)$"
      said = { name = name or who, role = (role == "prefill" or role == "decode") and role or nil,
        replicas = tonumber((replicas:gsub(",", ""))), gpus = tonumber((gpus:gsub(",", ""))),
        gpu = gpu }
      from = stop
    end
  end
  piece(from, #text)
end

return workloads
