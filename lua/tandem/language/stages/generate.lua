--- td.generate: tokens from an LLM server.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local generation = require "tandem.language.generation"
local keys = require "tandem.language.keys"
local policies = require "tandem.language.policies"
local replicas = require "tandem.language.replicas"

local cut = keys.quantity("1", { integer = true, min = 1, max = 1024, default = 1 })

local MOST_TENANTS <const> = 0xfffff

---@type tandem.StageKind
local kind = { type = "generate",
  doc = "tokens from an LLM server: replicas with continuous batching",
  keys = { model = { kind = "node", groups = { llm = true }, types = { llm = true },
      from = function(name)
        return require("tandem.language.generation").constructors.llm(name)
      end },
    prompt = keys.cost("tok", { attribute = true,
      default = function() return { "attr", "prompt_tokens" } end }),
    output = keys.cost("tok", { attribute = true,
      default = function() return { "attr", "output_tokens" } end }),
    prefix = keys.cost("tok", { attribute = true }), group = keys.cost("1", { attribute = true }),
    history = { kind = "boolean" }, adapter = keys.cost("1", { attribute = true }),
    tenant = keys.cost("1", { attribute = true }),
    max_output = keys.cost("tok", { attribute = true }),
    predicted = keys.cost("tok", { attribute = true }),
    tp = cut, pp = cut, dp = cut, ep = cut,
    network = { kind = "record", of = "llm_network" },
    prefill = { kind = "record", of = "llm_pool" }, decode = { kind = "record", of = "llm_pool" },
    handover = { kind = "record", of = "llm_handover" },
    replicas = keys.quantity("1", { integer = true, min = 1, max = 100000 }),
    engine = { kind = "record", of = "llm_engine" },
    api = { kind = "record", of = "llm_api" },
    power = { kind = "record", of = "llm_power" },
    step = generation.step,
    route = { kind = "router", of = policies.names(policies.replica_routers),
      default = "round_robin" },
    routing = { kind = "record", of = "llm_routing" }, key = keys.cost("1", { attribute = true }),
    autoscale = { kind = "record", of = "llm_autoscale" },
    mtbf = keys.quantity("s", { dist = true, positive = true }),
    mttr = keys.quantity("s", { dist = true, positive = true }),
    on_failure = { kind = "enum", of = { "restart", "lost" } },
    restarts = keys.quantity("1", { integer = true, min = 0, max = 1000000, default = 3 }) },
  finish = function(ctx, c)
    replicas.finish(ctx, c)
    if not c.engine then
      c.engine = require("tandem.check").kinds.record(ctx, {}, { of = "llm_engine" }, "engine")
    end
    local fairness = c.engine and c.engine.fairness or {}
    if fairness.tenants and not c.tenant then
      ctx:problem("tenant",
        "is missing: whose request is it? engine.fairness has shares of tenants")
    elseif fairness.classes and c.tenant then
      ctx:problem("tenant", "stands beside shares of classes (engine.fairness.classes)")
    end
    require("tandem.language.generation").finish_split(ctx, c)
    if c.adapter and not (c.engine and c.engine.lora) then
      ctx:problem("adapter", "wants engine = { lora = … }: how many adapters a GPU holds")
    end
    local tenant = c.tenant
    if type(tenant) == "number" and (tenant ~= math.floor(tenant) or tenant > MOST_TENANTS) then
      ctx:problem("tenant", ("is %.9g; wanted a whole number from 0 to %d"):format(tenant,
        MOST_TENANTS))
    end
    local alone = type(c.step) == "function" or c.step and c.step.type == "affine"
    if not (c.model or alone) then
      ctx:problem("model",
        "is missing: model = td.llm \"…\", or step = td.affine { … } or a function of the batch")
    end
  end,
  example = 'td.generate "answer" { model = td.llm "Llama-3.1-8B", tp = 1,\n'
    .. '  replicas = 2, prompt = 512, output = "r.output_tokens", route = "least_outstanding" }' }

-- What a request asks of the server beside prompt and output; absent ones are not lowered.
local ASKED <const> = { "prefix", "group", "key", "adapter", "tenant", "max_output", "predicted" }

function kind.lower(to, step)
  local op = { op = "generate", name = step.name, server = to.ctx.server[step.name],
    prompt = to:quantity(step.prompt), output = to:quantity(step.output),
    history = step.history or nil }
  for _, key in ipairs(ASKED) do op[key] = step[key] and to:quantity(step[key]) end
  to:add(op)
end

-- How a replica's GPUs divide the model.
local function cut_text(s)
  local parts = {}
  for _, key in ipairs { "tp", "pp", "dp", "ep" } do
    if s[key] > 1 then parts[#parts + 1] = ("%s %d"):format(key, s[key]) end
  end
  if #parts == 0 then return "" end
  return (", %d GPUs a replica (%s)"):format(s.tp * s.pp * s.dp, table.concat(parts, ", "))
end

function kind.text(s, words)
  local scaled = s.autoscale
  return ("%s, prompt %s, output %s%s%s%s%s"):format(s.model and s.model.name or "a server",
    words(s.prompt, "tok"), words(s.output, "tok"), cut_text(s),
    scaled and (", %d to %s replicas"):format(scaled.min, scaled.max or "all") or "",
    s.route ~= "round_robin" and ", route " .. (type(s.route) == "function" and "a Lua function"
      or s.route) or "",
    type(s.step) == "function" and ", step times by a function"
      or s.step and ", step times by td." .. s.step.type or "")
end

return kind
