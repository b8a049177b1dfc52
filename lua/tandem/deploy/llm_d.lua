--- llm-d: values of its chart modelservice.
--
-- Owns this layout. The chart serves one model by vLLM, with decode and prefill replicas; replicas
-- that do both are its decode replicas.
local deploy = require "tandem.deploy"
local launch = require "tandem.deploy.launch"
local yaml = require "tandem.io.yaml"

local llm_d = {}

local map = yaml.map

-- What the chart makes of `parallelism` itself.
local BY_CHART <const> = { ["--tensor-parallel-size"] = true, ["--data-parallel-size"] = true,
  ["--served-model-name"] = true }

local function arguments_of(server, pool)
  local _, options = launch.arguments(server, pool)
  local out, i = {}, 1
  while i <= #options do
    if BY_CHART[options[i]] then i = i + 2
    else
      out[#out + 1] = options[i]
      i = i + 1
    end
  end
  return out
end

local function part_of(server, pool)
  if not pool then return map { { "create", false } } end
  local shape = pool.shape
  return map {
    { "create", true },
    { "replicas", pool.replicas },
    { "parallelism", map { { "tensor", shape.tp }, { "data", shape.dp },
      { "dataLocal", math.max(1, shape.dp // pool.machines) },
      { "workers", pool.machines } } },
    { "containers", { map {
      { "name", "vllm" }, { "image", (launch.image(server)) }, { "modelCommand", "vllmServe" },
      { "args", arguments_of(server, pool) }, { "mountModelVolume", true } } } },
  }
end

--- The values.
---@param deployed tandem.Deployed
---@return string
function llm_d.text(deployed)
  local server = deployed.servers[1]
  if #deployed.servers > 1 then
    error({ plan = "--emit llm-d: a chart serves one model, and these are several servers" }, 0)
  elseif server.server ~= "vllm" then
    error({ plan = "--emit llm-d: its chart modelservice runs vLLM, not " .. server.server }, 0)
  end
  local parts, several = {}, false
  for _, pool in ipairs(server.pools) do
    local key = pool.role == "prefill" and "prefill" or "decode"
    if parts[key] then
      error({ plan = "--emit llm-d: its replicas are on one kind of GPU; plan a kind at a time" },
        0)
    end
    parts[key], several = pool, several or pool.machines > 1
  end
  local notes = launch.notes(deployed)
  local _, note = launch.image(server)
  notes[#notes + 1] = note
  notes[#notes + 1] = ("Simulated on %s: set acceleratorTypes to your nodes that have it."):format(
    server.pools[1].gpu)
  return deploy.head(deployed, notes) .. yaml.encode(map {
    { "multinode", several },
    { "modelArtifacts", map { { "name", server.model }, { "uri", "hf://" .. server.weights } } },
    { "routing", map { { "servicePort", launch.PORT },
      { "proxy", map { { "enabled", parts.prefill ~= nil } } } } },
    { "decode", part_of(server, parts.decode) },
    { "prefill", part_of(server, parts.prefill) },
  })
end

return llm_d
