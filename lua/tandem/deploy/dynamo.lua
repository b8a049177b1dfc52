--- NVIDIA Dynamo: a DynamoGraphDeployment, in the current version of its API and the one before.
--
-- Owns both layouts. Dynamo's workers take their engine's own options, so launch.lua's arguments
-- stand here without what Dynamo does itself: the port, the name that clients use. Its autoscaling
-- is by adapters beside this document; what to scale by is in the rules.
local deploy = require "tandem.deploy"
local launch = require "tandem.deploy.launch"
local nearest = require "tandem.text.nearest"
local yaml = require "tandem.io.yaml"

local dynamo = {}

local map = yaml.map

local BACKENDS <const> = { vllm = "vllm", sglang = "sglang", tensorrt_llm = "trtllm" }
local RUNTIMES <const> = { vllm = "vllm-runtime", sglang = "sglang-runtime",
  tensorrt_llm = "tensorrtllm-runtime" }
local MODULES <const> = { vllm = "dynamo.vllm", sglang = "dynamo.sglang",
  tensorrt_llm = "dynamo.trtllm" }
-- What names the model, for each worker.
local MODEL <const> = { vllm = "--model", sglang = "--model-path", tensorrt_llm = "--model-path" }
local RELEASE <const> = "1.6.2" -- of Dynamo, whose images these are
local NAMES <const> = { whole = "worker", prefill = "prefill", decode = "decode" }

-- Options that Dynamo's workers do not take, with how many words follow: it sets them itself, or
-- its TensorRT-LLM reads them from a file.
local NOT_TAKEN <const> = { ["--enable-metrics"] = 0, ["--backend"] = 1,
  ["--enable_chunked_prefill"] = 0 }
local RENAMED <const> = {
  tensorrt_llm = { ["--tp_size"] = "--tensor-parallel-size",
    ["--pp_size"] = "--pipeline-parallel-size", ["--ep_size"] = "--expert-parallel-size",
    ["--max_batch_size"] = "--max-batch-size", ["--max_num_tokens"] = "--max-num-tokens",
    ["--kv_cache_free_gpu_memory_fraction"] = "--free-gpu-memory-fraction" },
}

local function arguments_of(server, pool)
  local _, options = launch.arguments(server, pool)
  local out, skip = { MODEL[server.server], server.weights }, 0
  local renamed = RENAMED[server.server] or {}
  for _, word in ipairs(options) do
    if skip > 0 then skip = skip - 1
    elseif NOT_TAKEN[word] then skip = NOT_TAKEN[word]
    else out[#out + 1] = renamed[word] or word end
  end
  if pool.role ~= "whole" then
    out[#out + 1], out[#out + 2] = "--disaggregation-mode", pool.role
  end
  return out
end

local function image_of(server)
  return ("nvcr.io/nvidia/ai-dynamo/%s:%s"):format(RUNTIMES[server.server], RELEASE)
end

local function command_of(server) return { "python3", "-m", MODULES[server.server] } end

local function name_of(server, pool, several)
  local role = NAMES[pool.role]
  return several and server.name .. "-" .. role or role
end

local function nodes_of(pool)
  return pool.machines > 1 and map { { "nodeCount", pool.machines } } or nil
end

-- GPUs that one node gives.
local function gpus_of(pool) return tostring(pool.gpus // pool.machines) end

local function components(deployed)
  local first = deployed.servers[1]
  local out = { map { { "name", "Frontend" }, { "type", "frontend" }, { "replicas", 1 },
    { "podTemplate", map { { "spec", map { { "containers",
      { map { { "name", "main" }, { "image", image_of(first) } } } } } } } } } }
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      local gpus = map { { "nvidia.com/gpu", gpus_of(pool) } }
      out[#out + 1] = map { { "name", name_of(server, pool, #deployed.servers > 1) },
        { "type", NAMES[pool.role] }, { "replicas", pool.replicas },
        { "multinode", nodes_of(pool) },
        { "podTemplate", map { { "spec", map { { "containers", { map {
          { "name", "main" }, { "image", image_of(server) }, { "command", command_of(server) },
          { "args", arguments_of(server, pool) },
          { "resources", map { { "limits", gpus }, { "requests", gpus } } } } } } } } } } }
    end
  end
  return out
end

local SUB_TYPES <const> = { prefill = "prefill", decode = "decode" }

local function services(deployed)
  local first = deployed.servers[1]
  local out = { { "Frontend", map { { "componentType", "frontend" }, { "replicas", 1 },
    { "extraPodSpec", map { { "mainContainer", map { { "image", image_of(first) } } } } } } } }
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do
      local gpus = map { { "gpu", gpus_of(pool) } }
      out[#out + 1] = { name_of(server, pool, #deployed.servers > 1), map {
        { "componentType", "worker" }, { "subComponentType", SUB_TYPES[pool.role] },
        { "replicas", pool.replicas }, { "multinode", nodes_of(pool) },
        { "resources", map { { "limits", gpus }, { "requests", gpus } } },
        { "extraPodSpec", map { { "mainContainer", map { { "image", image_of(server) },
          { "command", command_of(server) }, { "args", arguments_of(server, pool) } } } } } } }
    end
  end
  return map(out)
end

local function says(deployed)
  local out, kinds = launch.notes(deployed), {}
  for _, server in ipairs(deployed.servers) do
    for _, pool in ipairs(server.pools) do kinds[pool.gpu] = true end
    if server.server == "tensorrt_llm" and server.pools[1].engine.chunked_prefill then
      out[#out + 1] = "enable_chunked_prefill: true belongs into TensorRT-LLM's own options."
    end
  end
  for _, kind in ipairs(nearest.sorted_keys(kinds)) do
    out[#out + 1] = ("Simulated on %s: add the nodeSelector of your nodes that have it."):format(
      kind)
  end
  out[#out + 1] = ("Images are those of Dynamo %s: set your own."):format(RELEASE)
  return out
end

--- The document.
---@param deployed tandem.Deployed
---@param as "v1alpha1"|nil
---@return string
function dynamo.text(deployed, as)
  local backend = deployed.servers[1].server
  for _, server in ipairs(deployed.servers) do
    if server.server ~= backend then
      error({ plan = "--emit dynamo: one graph has one engine, and these servers have several" }, 0)
    end
  end
  local old = as == "v1alpha1"
  return deploy.head(deployed, says(deployed)) .. yaml.encode(map {
    { "apiVersion", "nvidia.com/" .. (old and "v1alpha1" or "v1beta1") },
    { "kind", "DynamoGraphDeployment" },
    { "metadata", map { { "name", deployed.name } } },
    { "spec", map { { "backendFramework", BACKENDS[backend] },
      { old and "services" or "components",
        old and services(deployed) or components(deployed) } } },
  })
end

return dynamo
