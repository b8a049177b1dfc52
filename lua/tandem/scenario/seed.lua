--- The seed format: a small JSON scenario (rps, duration_s, kinds fixed_ms, bytes, tokens).
-- Owns its keys, their checks and their meaning in the language; the result is an ordinary raw
-- scenario. Rates named gbps are gigabytes (1e9) a second; requests arrive as a Poisson process
-- unless workload.arrivals is "constant".

local check = require "tandem.check"
local lines = require "tandem.check.lines"
local node = require "tandem.language.node"

local seed = {}

local function number(options)
  options = options or {}
  options.kind, options.dim = "quantity", "1"
  return options
end
local text = { kind = "string" }

node.types.seed_workload = { type = "seed_workload", group = "record", keys = {
  name = text, rps = number { required = true, positive = true },
  duration_s = number { required = true, positive = true },
  batch_size = number { integer = true, min = 1, default = 1 },
  jitter_pct = number { max = 1000, default = 0 },
  arrivals = { kind = "enum", of = { "poisson", "constant" }, default = "poisson" } } }

node.types.seed_target = { type = "seed_target", group = "record", keys = {
  name = text, tflops = number { positive = true }, mem_gbps = number { positive = true },
  ms_per_token = number {}, h2d_gbps = number { positive = true },
  d2h_gbps = number { positive = true },
  concurrency = number { integer = true, min = 1, default = 1 } } }

node.types.seed_stage = { type = "seed_stage", group = "record", keys = {
  name = { kind = "string", required = true },
  kind = { kind = "enum", required = true, of = { "fixed_ms", "bytes", "tokens" } },
  value = number { required = true } } }

node.types.seed = { type = "seed", group = "record", keys = {
  name = { kind = "string", required = true },
  workload = { kind = "record", of = "seed_workload", required = true },
  target = { kind = "record", of = "seed_target", required = true },
  pipeline = { kind = "list", required = true, min = 1,
    of = { kind = "record", of = "seed_stage" } } } }

--- Is this decoded JSON in the seed format?
---@param value table
---@return boolean
function seed.matches(value)
  local workload, target, pipeline = value.workload, value.target, value.pipeline
  if type(pipeline) == "table" then
    for _, step in ipairs(pipeline) do
      if type(step) == "table" and (step.kind ~= nil or step.type ~= nil) then
        return step.type == nil
      end
    end
  end
  return type(workload) == "table" and workload.type == nil and workload.duration_s ~= nil
    or type(target) == "table" and target.type == nil and target.tflops ~= nil
end

local function step_of(s, jitter)
  local out = { name = s.name, jitter = jitter }
  if s.kind == "fixed_ms" then
    out.type, out.time = "fixed", s.value / 1e3
  elseif s.kind == "tokens" then
    out.type, out.tokens = "tokens", s.value
  else
    out.type, out.bytes = "transfer", s.value
  end
  return out
end

-- Transfers carry no direction in the format: the name tells, else whether it is before or
-- after compute.
local function set_directions(steps, where)
  local first_tokens
  for i, s in ipairs(steps) do
    if s.type == "tokens" then
      first_tokens = i
      break
    end
  end
  for i, s in ipairs(steps) do
    if s.type == "transfer" then
      local name = s.name:lower()
      if name:find("d2h", 1, true) then s.on = "d2h"
      elseif name:find("h2d", 1, true) then s.on = "h2d"
      else s.on = first_tokens and i > first_tokens and "d2h" or "h2d" end
    end
    lines.inherit(s, where[i])
    node.adopt(s)
  end
end

--- Turn a seed scenario into a raw scenario of the language.
---@param value table decoded JSON
---@return table|nil raw
---@return tandem.Problems|nil
function seed.convert(value)
  local ctx = check.context()
  ctx:push("scenario", value)
  local c = check.fields(ctx, value, node.types.seed)
  ctx:pop()
  if #ctx.problems > 0 then return nil, ctx.problems end
  local w, t = c.workload, c.target
  local jitter = w.jitter_pct > 0 and w.jitter_pct / 100 or nil
  local workload = { type = w.arrivals == "constant" and "paced" or "poisson",
    rps = w.rps / w.batch_size, duration = w.duration_s,
    batch = w.batch_size > 1 and w.batch_size or nil }
  local target = { type = "gpu", name = t.name or "gpu", concurrency = t.concurrency,
    flops = t.tflops and t.tflops * 1e12, bandwidth = t.mem_gbps and t.mem_gbps * 1e9,
    ms_per_token = t.ms_per_token, h2d = t.h2d_gbps and t.h2d_gbps * 1e9,
    d2h = t.d2h_gbps and t.d2h_gbps * 1e9 }
  local steps = {}
  for i, s in ipairs(c.pipeline) do steps[i] = step_of(s, jitter) end
  set_directions(steps, value.pipeline)
  lines.inherit(workload, value.workload)
  lines.inherit(target, value.target)
  local raw = { name = c.name, workload = node.adopt(workload), target = node.adopt(target),
    pipeline = steps }
  lines.inherit(raw, value)
  return raw
end

return seed
