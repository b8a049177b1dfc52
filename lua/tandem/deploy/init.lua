--- What was planned as something to deploy: an LLM server's replicas, as its cluster wants them.
--
-- Owns what of a scenario a deployment consists of (tandem.Deployed: pools with their engines, the
-- objectives, the load, and what a run at that load found), and the list of forms. Each form is a
-- file of this room and owns its layout; launch.lua owns the engines' arguments. Called by
-- plan/answer.lua and `tandem plan --emit`.
--
-- A form says only what was simulated. What it cannot say (which node has such a GPU, where weights
-- are kept) stands in the comment at its top.
local engines = require "tandem.llm.engines"
local label = require "tandem.text.label"
local nearest = require "tandem.text.nearest"
local objectives = require "tandem.language.objectives"
local pools = require "tandem.llm.pools"
local resources = require "tandem.language.resources"

local deploy = {}

---@class tandem.DeployForm
---@field name string
---@field about string
---@field module string
---@field as string|nil    which of the module's forms
---@field schema string|nil  what our tests hold it against
---@field whole boolean|nil  prompts and outputs apart want a router that it does not have

---@type tandem.DeployForm[]
deploy.forms = {
  { name = "launch", about = "a shell script with the servers' launch arguments",
    module = "tandem.deploy.launch" },
  { name = "kubernetes", about = "Deployment, Service and HorizontalPodAutoscaler",
    module = "tandem.deploy.kubernetes", whole = true, schema = "kubernetes-models 4.5" },
  { name = "keda", about = "Deployment, Service and KEDA's ScaledObject",
    module = "tandem.deploy.kubernetes", as = "keda", whole = true,
    schema = "kubernetes-models 4.5 and its KEDA models 0.4" },
  { name = "dynamo", about = "DynamoGraphDeployment, nvidia.com/v1beta1",
    module = "tandem.deploy.dynamo", schema = "Dynamo's nvidia.com/v1beta1 at 006b6e10" },
  { name = "dynamo-v1alpha1", about = "DynamoGraphDeployment, nvidia.com/v1alpha1",
    module = "tandem.deploy.dynamo", as = "v1alpha1",
    schema = "Dynamo's nvidia.com/v1alpha1 at 00686d64" },
  { name = "llm-d", about = "values of llm-d's chart modelservice",
    module = "tandem.deploy.llm_d", schema = "the values of llm-d-modelservice v0.4.0" },
  { name = "rules", about = "Prometheus: the objectives as alerts, and what scales",
    module = "tandem.deploy.rules" },
  { name = "grafana", about = "a Grafana dashboard of the objectives over live metrics",
    module = "tandem.deploy.grafana" },
}

---@class tandem.DeployedPool
---@field name string
---@field role "whole"|"prefill"|"decode"
---@field replicas integer
---@field gpus integer      of one replica
---@field machines integer  that one replica needs
---@field gpu string
---@field engine table<string, any>  what was simulated, the server's own defaults filled in
---@field shape table       the checked td.generate
---@field scaling { min: integer, max: integer, target: number, up_after: number,
---                 down_after: number, every: number, found: boolean }|nil  found: by the run

---@class tandem.DeployedServer
---@field name string       as Kubernetes takes it
---@field model string      what clients ask for
---@field weights string    where they are: a repository's name
---@field guessed boolean   the repository is not known: its name is the model's
---@field server "vllm"|"sglang"|"tensorrt_llm"
---@field version string|nil
---@field pools tandem.DeployedPool[]
---@field outstanding number  requests a replica, at the planned load

---@class tandem.DeployedObjective
---@field server string
---@field metric string   "ttft_p99"
---@field of string       "ttft", "tpot", "itl", "e2e", "queueing"
---@field quantile number|nil  nil: the mean
---@field limit number    seconds

---@class tandem.Deployed
---@field name string
---@field load number       requests a second, of all classes
---@field servers tandem.DeployedServer[]
---@field objectives tandem.DeployedObjective[]
---@field untold string[]   objectives that live metrics do not tell
---@field words string[]    what the plan says, a line each

local function fail(...) error({ plan = (...):format(select(2, ...)) }, 0) end

local function named(text) return label.of(text, "server") end

-- The engine that is simulated: what it says, and what its server takes by version and GPU.
local function engine_of(pool)
  local engine, gpu = {}, pool.gpu
  for key, value in pairs(pool.shape.engine) do engine[key] = value end
  local params = gpu and resources.gpu_params(gpu)
  if params then
    local at = { gpu = gpu.name, memory = params.memory, pp = pool.shape.pp }
    for key, value in pairs(engines.taken(pool.shape.engine, at)) do engine[key] = value end
  end
  return engine
end

-- The scenario's rule where it scales by requests, else one that keeps what the run found.
local function scaling_of(pool, outstanding)
  local rule = pool.shape.autoscale
  if rule and rule.metric == "outstanding" and rule.target then
    return { min = rule.min, max = rule.max or pool.replicas, target = rule.target,
      up_after = rule.up_after, down_after = rule.down_after, every = rule.every, found = false }
  end
  if not (outstanding > 0) or pool.role ~= "whole" then return nil end
  -- Never fewer than were planned, and more as soon as there is more load than that.
  return { min = pool.replicas, max = 2 * pool.replicas,
    target = math.max(1, math.ceil(outstanding)),
    up_after = 0, down_after = 300, every = 15, found = true }
end

local function pool_of(pool, outstanding)
  if not pool.gpu then fail("--emit: '%s' is on no GPUs; say which with target", pool.name) end
  local machine = resources.machine(pool.gpu) or pool.gpus
  local rule = pool.shape.autoscale
  return { name = named(pool.name), role = pool.role,
    replicas = rule and math.max(rule.start, rule.min) or pool.replicas, gpus = pool.gpus,
    machines = math.max(1, math.ceil(pool.gpus / machine)), gpu = pool.gpu.name,
    engine = engine_of(pool), shape = pool.shape, scaling = scaling_of(pool, outstanding) }
end

-- Where a model's weights are, by its name in the catalogue.
local function repository_of(name)
  local entry = name and require("tandem.language.generation").shipped(name)
  return entry and entry.repository
end

local function server_of(planned, measured)
  local step = planned.step
  local repository = repository_of(step.model.name)
  local outstanding = 0
  if measured and measured.finished_rps.value > 0 then
    outstanding = measured.finished_rps.value * measured.e2e.mean.value
      / math.max(measured.replicas_mean.value, 1)
  end
  local out = { name = named(planned.name), model = repository or step.model.name or "model",
    weights = repository or step.model.name or "model", guessed = not repository,
    server = step.engine.server,
    version = step.engine.version, pools = {}, outstanding = outstanding }
  for i, pool in ipairs(planned.pools) do out.pools[i] = pool_of(pool, outstanding) end
  return out
end

local TIMES <const> = { ttft = true, tpot = true, itl = true, e2e = true, queueing = true }

-- "ttft_p99" → "ttft", 0.99; the mean has no quantile. Nil: not a time that servers export.
local function parts_of(metric)
  local of, rest = metric:match "^(%l%w*)_(.+)$"
  if not of or not TIMES[of] then of, rest = "e2e", metric end
  if rest == "mean" then return of end
  local digits = rest:match "^p(%d+%.?%d*)$"
  if not digits then return nil end
  local percent = tonumber(digits)
  return of, percent < 100 and percent / 100 or tonumber("0." .. digits)
end

-- Metrics do not tell classes of one server apart: of several limits the widest stands.
local function objectives_of(checked, out)
  local by_key = {}
  for _, class in ipairs(checked.resolved) do
    local servers = {}
    require("tandem.check.scenario").each_step(class.pipeline, function(step)
      if step.type == "generate" then servers[#servers + 1] = named(step.name) end
    end)
    for _, one in ipairs(objectives.of(class.slo)) do
      local of, quantile = parts_of(one.of or one.metric)
      if not of or #servers ~= 1 then
        out.untold[#out.untold + 1] = one.metric
      else
        local key = servers[1] .. " " .. (one.of or one.metric)
        local found = by_key[key]
        local limit = one.of_limit or one.limit
        if found then found.limit = math.max(found.limit, limit)
        else
          found = { server = servers[1], metric = one.of or one.metric, of = of,
            quantile = quantile, limit = limit }
          by_key[key], out.objectives[#out.objectives + 1] = found, found
        end
      end
    end
  end
end

--- Why a scenario is no deployment in a form; nil where it may be one.
---@param scenario tandem.Scenario
---@param form tandem.DeployForm
---@return string|nil
function deploy.refuses(scenario, form)
  local planned = pools.plan(scenario.checked)
  if #planned == 0 then
    return "--emit writes deployments of LLM servers, and this scenario has no td.generate"
  end
  for _, server in ipairs(planned) do
    if not server.step.model then
      return ("--emit: '%s' has no model, only the times of its steps; say model = td.llm …")
        :format(server.name)
    end
    if form.whole and server.pools[1] and server.pools[1].role ~= "whole" then
      return ("--emit %s: prefill and decode replicas of '%s' want a router between them; --emit "
        .. "dynamo and llm-d have one"):format(form.name, server.name)
    end
  end
end

--- What a scenario is as a deployment, by a run of it. It has LLM servers with models (refuses).
--- Raises { plan = why } where they are on no GPUs.
---@param scenario tandem.Scenario  with as many GPUs as were planned
---@param words string[]            what the plan says of it
---@param options? { seed: integer?, threads: integer?, load: number? }  load: of all, a second
---@return tandem.Deployed
function deploy.of(scenario, words, options)
  local checked = scenario.checked
  local planned = pools.plan(checked)
  local result = scenario:run { brief = true, seed = options and options.seed,
    threads = options and options.threads }
  local out = { name = label.of(scenario.name, "tandem"), servers = {}, objectives = {},
    untold = {}, words = words, load = options and options.load or result.offered_rps.value }
  for i, server in ipairs(planned) do
    local measured
    for _, one in ipairs(result.llm or {}) do
      if one.name == server.name then measured = one end
    end
    out.servers[i] = server_of(server, measured)
  end
  objectives_of(checked, out)
  return out
end

--- A form by its name; nil and what is there instead.
---@param name string
---@return tandem.DeployForm|nil form
---@return string|nil message
function deploy.form(name)
  local names = {}
  for i, form in ipairs(deploy.forms) do
    if form.name == name then return form end
    names[i] = form.name
  end
  return nil, ("no deployment is written as '%s'; %s"):format(name, nearest.hint(name, names))
end

--- The text of a form. Raises { plan = why } where it cannot say what was planned.
---@param form tandem.DeployForm
---@param deployed tandem.Deployed
---@return string
function deploy.text(form, deployed)
  local text = require(form.module).text(deployed, form.as)
  if not form.schema then return text end
  return ("# Its layout is that of %s.\n%s"):format(form.schema, text)
end

--- The comment at the top of a form: what was planned, and what is left to do.
---@param deployed tandem.Deployed
---@param more string[]|nil
---@return string
function deploy.head(deployed, more)
  local lines = {}
  for _, list in ipairs { deployed.words, more or {} } do
    for _, line in ipairs(list) do lines[#lines + 1] = "# " .. line:gsub("%c", " ") end
  end
  for _, server in ipairs(deployed.servers) do
    if server.guessed then
      lines[#lines + 1] = ("# Where the weights of %s are is not known: set it."):format(
        server.model:gsub("%c", " "))
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return deploy
