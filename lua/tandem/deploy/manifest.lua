--- What is deployed, read back: manifests, chart values and launch scripts as a scenario.
--
-- manifest.read("k8s.yaml") → tandem.Manifest;  manifest.scenario(it, { gpu = "H100 SXM" })
--
-- Owns what workloads become: servers by model, their pools, what scales them; and the scenario,
-- whose load is an example, for no manifest says who comes. Where workloads stand in documents is
-- workloads.lua's. Called by `tandem new --deploy` and `tandem twin --deploy`.
local arguments = require "tandem.deploy.arguments"
local keys = require "tandem.deploy.keys"
local label = require "tandem.text.label"
local nearest = require "tandem.text.nearest"
local rules = require "tandem.deploy.rules"
local safe = require "tandem.text.safe"
local workloads = require "tandem.deploy.workloads"

local manifest = {}

local INVALID <const> = 3
local LINK <const> = "InfiniBand NDR" -- between machines, where nothing is said

-- Kinds that say nothing of servers.
local ASIDE <const> = { Service = true, ServiceAccount = true, ConfigMap = true, Secret = true,
  Namespace = true, PersistentVolume = true, PersistentVolumeClaim = true, Role = true,
  RoleBinding = true, ClusterRole = true, ClusterRoleBinding = true, Ingress = true,
  PodMonitor = true, ServiceMonitor = true, PodDisruptionBudget = true, PrometheusRule = true,
  HTTPRoute = true, Gateway = true, InferencePool = true, InferenceModel = true,
  NetworkPolicy = true, ResourceClaimTemplate = true }
-- Arguments that change nothing of what is simulated.
local SILENT <const> = {}
for _, name in ipairs { "host", "port", "backend", "enable-metrics", "disable-log-requests",
  "disable-log-stats", "enable-log-requests", "uvicorn-log-level", "log-level",
  "trust-remote-code", "download-dir", "api-key", "tokenizer", "chat-template",
  "tool-call-parser", "reasoning-parser", "enable-auto-tool-choice", "data-parallel-size-local",
  "data-parallel-address", "data-parallel-rpc-port" } do
  SILENT["--" .. name] = true
end

---@class tandem.ManifestPool
---@field role "whole"|"prefill"|"decode"
---@field replicas integer
---@field gpus integer   of one replica
---@field machines integer|nil
---@field launched tandem.LaunchArguments
---@field scaled table|nil

---@class tandem.ManifestServer
---@field name string
---@field server "vllm"|"sglang"|"tensorrt_llm"
---@field version string|nil
---@field weights string
---@field pools tandem.ManifestPool[]

---@class tandem.Manifest
---@field name string
---@field servers tandem.ManifestServer[]
---@field gpu string|nil   of its nodes, as td.gpu takes it
---@field notes string[]   what was not understood

local function fail(...) error({ manifest = safe.line((...):format(select(2, ...))) }, 0) end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do if not same(value, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

-- The engine's version in an image's tag.
local function version_of(work)
  local tag = work.engine_image and work.image:match ":v?(%d+%.%d[%w.]*)[^/]*$"
  return tag
end

-- ---- what scales

-- A HorizontalPodAutoscaler or ScaledObject: whom it scales, and how; nil and why it is not known.
local function scaling_of(document)
  local spec = document.spec or {}
  local function at(...)
    local value = spec
    for _, key in ipairs { ... } do value = type(value) == "table" and value[key] or nil end
    return value
  end
  local target = at("scaleTargetRef", "name")
  local behavior = { "behavior" }
  local out = { min = at "minReplicas" or 1, max = at "maxReplicas" }
  local value
  if document.kind == "ScaledObject" then
    out = { min = at "minReplicaCount" or 0, max = at "maxReplicaCount" or 100,
      every = tonumber(at "pollingInterval") }
    behavior = { "advanced", "horizontalPodAutoscalerConfig", "behavior" }
    local query = tostring(at("triggers", 1, "metadata", "query") or "")
    if query:find "running" and query:find "waiting" or query:find "queue_reqs" then
      value = at("triggers", 1, "metadata", "threshold")
    end
  elseif at("metrics", 1, "pods", "metric", "name") == rules.OUTSTANDING then
    value = at("metrics", 1, "pods", "target", "averageValue")
  end
  -- Without a count at either end it is not known either.
  out.min, out.max = math.tointeger(tonumber(out.min)), math.tointeger(tonumber(out.max))
  out.target = out.min and out.max and tonumber(value)
  local place = #behavior + 1
  behavior[place + 1] = "stabilizationWindowSeconds"
  for key, name in pairs { up_after = "scaleUp", down_after = "scaleDown" } do
    behavior[place] = name
    out[key] = tonumber(at(table.unpack(behavior)))
  end
  return type(target) == "string" and target or nil, out
end

-- ---- servers

local function pool_of(work, note)
  local launched, wrong = arguments.read(work.words)
  if not launched then fail("%s: %s", work.name, wrong) end
  if not launched.server then
    fail("%s: which server is it? its command is '%s'", work.name, table.concat(work.words, " "))
  elseif not launched.weights or launched.weights:find "[${]" then
    fail("%s: its command names no model: '%s'", work.name, table.concat(work.words, " "))
  end
  local unknown = {}
  for _, name in ipairs(launched.unknown) do
    if not SILENT[name] then
      local near = arguments.near(name)
      unknown[#unknown + 1] = near and ("%s (did you mean %s?)"):format(name, near) or name
    end
  end
  if #unknown > 0 then
    note(("%s: not simulated: %s"):format(work.name, table.concat(unknown, ", ")))
  end
  local gpus = launched.tp * launched.pp * (launched.dp or 1)
  if work.gpus and work.gpus ~= gpus then
    note(("%s: asks for %.14g GPUs, and its arguments make %.14g of a replica"):format(work.name,
      work.gpus, gpus))
  end
  return { role = work.role or launched.role or "whole", replicas = work.replicas, gpus = gpus,
    machines = work.machines, launched = launched, scaled = work.scaled }
end

-- What one td.generate says of all its replicas.
local function fits(pool, other)
  if pool.role ~= other.role or pool.scaled or other.scaled then return false end
  local a, b = pool.launched, other.launched
  for _, key in ipairs { "tp", "pp", "dp", "ep", "kv", "quantization", "server" } do
    if a[key] ~= b[key] then return false end
  end
  return same(a.engine, b.engine)
end

local function add_pool(server, pool)
  for _, other in ipairs(server.pools) do
    if fits(pool, other) then
      other.replicas = other.replicas + pool.replicas
      return true
    elseif pool.role == other.role or pool.role == "whole" or other.role == "whole" then
      return false
    end
  end
  table.insert(server.pools, pool)
  return true
end

local function name_of(text)
  for _, ending in ipairs { "prefill", "decode", "worker" } do
    text = text:gsub("[-_ ]" .. ending .. "$", "")
  end
  return label.of(text, "server")
end

-- Servers of workloads: one for all that serve the same model in the same way.
local function servers_of(works, note)
  local out, names = {}, {}
  for _, work in ipairs(works) do
    local pool = pool_of(work, note)
    local home
    for _, server in ipairs(out) do
      if server.weights == pool.launched.weights and server.server == pool.launched.server
        and not home and add_pool(server, pool) then
        home = server
      end
    end
    if not home then
      local name = name_of(work.name)
      names[name] = (names[name] or 0) + 1
      table.insert(out, { name = names[name] > 1 and name .. "-" .. names[name] or name,
        server = pool.launched.server, version = version_of(work),
        weights = pool.launched.weights, pools = { pool } })
    end
  end
  for _, server in ipairs(out) do
    if #server.pools == 1 then
      local pool = server.pools[1]
      if pool.role ~= "whole" then
        note(("%s: its %s replicas stand alone, so they are simulated as whole ones"):format(
          server.name, pool.role))
        pool.role = "whole"
      end
    end
  end
  return out
end

-- ---- reading

local function documents_of(text, path)
  if path:find "%.json$" or text:find "^%s*{%s*\"" then
    local value, wrong = require("tandem.io.json").decode(text)
    if value == nil then fail("%s", tostring(wrong)) end
    return { value }
  end
  local documents, wrong = require("tandem.io.yaml_reader").documents(text)
  if not documents then fail("%s", wrong) end
  return documents
end

-- What `kubectl get -o yaml` gives is one list.
local function flat(documents)
  local out = {}
  for _, document in ipairs(documents) do
    local items = type(document) == "table" and document.kind == "List" and document.items
    items = type(items) == "table" and items or { document }
    for _, one in ipairs(items) do out[#out + 1] = one end
  end
  return out
end

local function is_script(text)
  return text:find "^#!" or text:find "^%s*vllm serve" or text:find "^%s*trtllm%-serve"
    or text:find "^%s*python3? %-m"
end

-- All workloads of a file, with what scales each.
local function works_of(text, path, note)
  local works = {}
  local function add(work) works[#works + 1] = work end
  if is_script(text) then
    workloads.script(text, add)
    return works
  end
  local scaled, strange = {}, {}
  for _, document in ipairs(flat(documents_of(text, path))) do
    local kind = type(document) == "table" and document.kind
    if kind == "HorizontalPodAutoscaler" or kind == "ScaledObject" then
      keys.look(document, note)
      local target, rule = scaling_of(document)
      if target then scaled[target] = rule end
    elseif type(document) ~= "table" or not workloads.read(document, add, note) then
      if kind and not ASIDE[kind] then strange[tostring(kind)] = true end
    end
  end
  for _, kind in ipairs(nearest.sorted_keys(strange)) do
    note(("documents of kind %s are not read"):format(kind))
  end
  for _, work in ipairs(works) do
    local rule = scaled[work.name]
    scaled[work.name] = nil
    if rule and rule.target then work.scaled = rule
    elseif rule then
      note(("%s: what it scales by is not simulated; it stays at %s"):format(work.name,
        require("tandem.text.format").plural(work.replicas, "replica")))
    end
  end
  for _, name in ipairs(nearest.sorted_keys(scaled)) do
    note(("an autoscaler scales %s, which is not among what was read"):format(name))
  end
  return works
end

local function gpu_of(works, note)
  local out, unknown
  for _, work in ipairs(works) do
    if work.gpu then
      local found = require("tandem.catalogue").gpu(work.gpu)
      if not found then unknown = work.gpu
      elseif out and out ~= found.name then
        note(("nodes have %s and %s; all replicas are simulated on the first"):format(out,
          found.name))
      else out = found.name end
    end
  end
  if unknown and not out then note(("no GPU is called '%s'"):format(unknown)) end
  return out
end

--- Reads what is deployed. Nil, what is wrong, and a code.
---@param text string
---@param path string  where it stands, for messages
---@return tandem.Manifest|nil
---@return string|nil message
---@return integer|nil code
function manifest.parse(text, path)
  local notes, seen = {}, {}
  local function note(line)
    line = safe.line(line)
    if not seen[line] then seen[line], notes[#notes + 1] = true, line end
  end
  local ok, out = pcall(function()
    local works = works_of(text, path, note)
    if #works == 0 then
      fail("no LLM server of vLLM, SGLang or TensorRT-LLM is deployed here%s",
        notes[1] and ": " .. notes[1] or "")
    end
    local servers = servers_of(works, note)
    return { name = servers[1].name, servers = servers, gpu = gpu_of(works, note), notes = notes }
  end)
  if ok then return out end
  if type(out) == "table" and out.manifest then
    return nil, ("%s: %s"):format(path, out.manifest), INVALID
  end
  error(out, 0)
end

--- … of a file.
---@param path string
---@return tandem.Manifest|nil
---@return string|nil message
---@return integer|nil code
function manifest.read(path)
  local text, wrong, code = require("tandem.io.infile").read(path)
  if not text then return nil, wrong, code end
  return manifest.parse(text, path)
end

--- How the one server of a manifest was launched. Nil, what is wrong and a code.
---@param path string
---@return tandem.LaunchArguments|nil
---@return string|nil message
---@return integer|nil code
function manifest.launched(path)
  local read, wrong, code = manifest.read(path)
  if not read then return nil, wrong, code end
  if #read.servers > 1 or #read.servers[1].pools > 1 then
    return nil, ("%s: deploys several kinds of replicas, and a twin is of one"):format(path),
      INVALID
  end
  return read.servers[1].pools[1].launched
end

-- ---- the scenario

---@class tandem.ManifestOptions
---@field gpu string|nil    where the manifest does not say
---@field model string|nil  as td.llm takes it, for all servers
---@field name string|nil   of the scenario

local function engine_of(server, pool)
  local engine = { server = server.server, version = server.version }
  for key, value in pairs(pool.launched.engine) do engine[key] = value end
  return engine
end

-- What a pool says of itself; sizes of 1 are left out.
local function shape_of(server, pool)
  local launched = pool.launched
  local function more(value) return value and value > 1 and value or nil end
  local out = { tp = more(launched.tp), pp = more(launched.pp), dp = more(launched.dp),
    ep = more(launched.ep), engine = engine_of(server, pool) }
  if pool.scaled then
    local rule = pool.scaled
    out.autoscale = { min = rule.min, max = rule.max,
      start = math.min(math.max(pool.replicas, rule.min), rule.max), target = rule.target,
      every = rule.every, up_after = rule.up_after, down_after = rule.down_after }
  else
    out.replicas = pool.replicas
  end
  return out
end

local function most_of(pool) return pool.scaled and pool.scaled.max or pool.replicas end

-- A replica over several machines wants to know what joins them.
local function spreads(pool, gpu)
  local params = require("tandem.catalogue").gpu(gpu)
  local machine = params and params.node or 8
  return (pool.machines or 1) > 1 or pool.gpus > machine
end

local function generate_of(td, server, options, gpu)
  local first = server.pools[1].launched
  local name = options.model or server.weights:match "[^/]+$" or server.weights
  local architecture, words = require("tandem.language.generation").architecture(name)
  if not architecture then
    fail("%s: %s; --model says which to take (tandem list models)", server.name, words)
  end
  local model = td.llm(name)
  if first.kv or first.quantization then
    model = model { kv = first.kv, weights = first.quantization }
  end
  local step = { model = model }
  if #server.pools == 1 then
    for key, value in pairs(shape_of(server, server.pools[1])) do step[key] = value end
  else
    for _, pool in ipairs(server.pools) do step[pool.role] = shape_of(server, pool) end
    local link = require("tandem.catalogue").link(LINK)
    step.handover = td.link "handover" { bandwidth = link.bandwidth }
  end
  for _, pool in ipairs(server.pools) do
    if spreads(pool, gpu) then step.network = LINK end
  end
  return td.generate(server.name)(step)
end

-- Who comes is not in a manifest: the load and lengths of `tandem new --kind llm`.
local RPS <const> = 4

--- The scenario of what is deployed. Nil and what is wrong.
---@param self tandem.Manifest
---@param options tandem.ManifestOptions
---@return tandem.Scenario|nil
---@return string|nil message
function manifest.scenario(self, options)
  local td = require "tandem"
  local gpu = options.gpu or self.gpu
  if not gpu then
    return nil, "--gpu is missing: the manifest does not say what its nodes have (tandem list gpus)"
  end
  local known, near = require("tandem.catalogue").gpu(gpu)
  if not known then
    return nil, ("no GPU is called '%s'%s (tandem list gpus)"):format(gpu,
      near and ("; did you mean '%s'?"):format(near) or "")
  end
  local ok, out = pcall(function()
    local count, steps = 0, {}
    for i, server in ipairs(self.servers) do
      for _, pool in ipairs(server.pools) do count = count + pool.gpus * most_of(pool) end
      steps[i] = generate_of(td, server, options, gpu)
    end
    local attrs = { prompt_tokens = td.lognormal { p50 = 500, p99 = 4000 },
      output_tokens = td.lognormal { p50 = 200, p99 = 1000 } }
    local raw = { target = td.gpu(gpu) { count = count }, replications = 4 }
    if #steps == 1 then
      raw.workload, raw.attrs, raw.pipeline = td.poisson { rps = RPS, duration = "300s" }, attrs,
        { steps[1] }
    else
      raw.workload, raw.classes = {}, {}
      for i, server in ipairs(self.servers) do
        raw.workload[i] = td.poisson { rps = RPS, duration = "300s", class = server.name }
        raw.classes[i] = { name = server.name, attrs = attrs, pipeline = { steps[i] } }
      end
    end
    return td.scenario(options.name or self.name)(raw)
  end)
  if ok then return out end
  if type(out) == "table" and out.manifest then return nil, out.manifest end
  return nil, (tostring(out):gsub("\n.*", ""):gsub("^[%w_/.-]+%.lua:%d+: ", ""))
end

--- The scenario as a Lua file.
---@param self tandem.Manifest
---@param scenario tandem.Scenario
---@param path string  of the manifest
---@return string|nil
---@return string|nil why
function manifest.source(self, scenario, path)
  local head = { ("What %s deploys."):format(path), "",
    "Who comes is in no manifest: the load and the lengths are examples, yours to set." }
  for _, server in ipairs(self.servers) do
    if #server.pools > 1 then
      head[#head + 1] = ("Nor is the way of KV caches: %s."):format(LINK)
    end
  end
  for _, line in ipairs(self.notes) do head[#head + 1] = ("Note: %s."):format(line) end
  return require("tandem.scenario.source").of(rawget(scenario, "raw"), { head = head })
end

return manifest
