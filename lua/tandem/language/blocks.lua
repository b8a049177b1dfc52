--- The blocks of a scenario that say what to do with it: expect, sweep, plan, whatif.
-- Owns their keys and kinds; they are data, and mean something only to the commands of the same
-- names. What they say of paths and values is tried there. Registered when check/scenario.lua loads
-- it.

local check = require "tandem.check"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local units = require "tandem.units"
local kinds = check.kinds

local quantity = require("tandem.language.keys").quantity

local figure = { kind = "quantity", signed = true, inherit = true }
node.types.wanted = { type = "wanted", group = "record",
  keys = { min = figure, max = figure, near = figure, within = quantity("1", { positive = true }),
    equals = { kind = "scalar" } },
  finish = function(ctx, c)
    if next(c) == nil then ctx:problem(nil, "wants min, max, near or equals") end
    if c.within and not c.near then ctx:problem("within", "goes with near") end
    if c.min and c.max and c.min > c.max then ctx:problem("max", "is below min") end
  end }

function kinds.scalar(ctx, v, _, key)
  -- "250ms" is a figure, "cpu" is a name.
  if type(v) == "string" and units.parse(v) then return units.parse(v) end
  if type(v) == "string" or type(v) == "number" or type(v) == "boolean" then return v end
  ctx:problem(key, "wants a number, a text, true or false")
end

-- What a figure of the result is measured in, as far as its name tells.
local function dimension_of(path)
  return (path:find "latency%.%w+$" or path:find "%.wait%.%w+$" or path:find "%.service%.%w+$"
    or path:find "^llm%..*%.%l+%d?%l*%.%w+$" or path:find "step_s$"
    or path:find "_s$" and not path:find "_per_s$") and "s" or path:find "_rps$" and "req/s" or nil
end

-- A path that leads nowhere in any result.
local function check_path(ctx, path)
  local result = require "tandem.result"
  local root, rest = path:match "^([^.]*)%.?(.*)$"
  if not result.has_root(root) then
    ctx:problem(path, ("a result has no '%s'; %s"):format(root,
      nearest.hint(root, result.roots())))
  elseif root == "latency" and not result.latency_fields[rest] then
    ctx:problem(path, ("latency has no '%s'; %s"):format(rest,
      nearest.hint(rest, nearest.sorted_keys(result.latency_fields))))
  end
end

-- { ["2x link"] = { ["target.h2d"] = "50GB/s" } }: variants for `tandem whatif`, tried there.
function kinds.whatif(ctx, v, _, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil or next(v) == nil then
    ctx:problem(key, "wants variants: { [\"a name\"] = { path = value } }")
    return nil
  end
  ctx:push(key, v)
  for _, name in ipairs(nearest.sorted_keys(v)) do
    local one = v[name]
    if type(name) == "number" then
      one = type(one) == "table" and type(one[1]) == "string" and one[2] or nil
    end
    if type(one) ~= "table" or getmetatable(one) ~= nil then
      ctx:problem(name, type(name) == "number" and "wants { \"a name\", { path = value } }"
        or "wants what it changes: { path = value }")
    end
  end
  ctx:pop()
  return v
end

-- { ["latency.p99"] = { max = "250ms" }, bottleneck = "gpu" } → sorted list of demands.
function kinds.expect(ctx, v, _, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    ctx:problem(key, "wants a table of result paths and what they must be")
    return nil
  end
  local out = {}
  ctx:push(key, v)
  for _, path in ipairs(nearest.sorted_keys(v)) do
    local wanted = v[path]
    if type(path) == "string" then check_path(ctx, path) end
    if type(path) ~= "string" then
      ctx:problem(path, "wants [\"result.path\"] = …")
    elseif type(wanted) == "table" and getmetatable(wanted) == nil then
      ctx.dim = dimension_of(path)
      local record = kinds.record(ctx, wanted, { of = "wanted" }, path)
      ctx.dim = nil
      if record then
        record.path = path
        out[#out + 1] = record
      end
    else
      out[#out + 1] = { path = path, equals = kinds.scalar(ctx, wanted, nil, path) }
    end
  end
  ctx:pop()
  return out
end

-- The values of axes, ranges and points: what they mean depends on the scenario as a whole, which
-- tandem.sweep tries when it is asked to.
function kinds.over(ctx, v, _, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil or next(v) == nil then
    ctx:problem(key, "wants { rps = td.range(10, 100, 10), gpus = { 1, 2, 4 } }")
    return nil
  end
  return v
end

function kinds.points(ctx, v, _, key)
  if type(v) == "table" and getmetatable(v) == nil and #v > 0 then return v end
  if type(v) == "table" then
    ctx:problem(key, "wants how many, or a list { { rps = 10, gpus = 1 }, … }")
    return nil
  end
  return kinds.quantity(ctx, v, { dim = "1", integer = true, min = 1 }, key)
end

node.types.sweep = { type = "sweep", group = "record",
  keys = { over = { kind = "over" }, points = { kind = "points" },
    design = { kind = "enum", of = { "grid", "list", "random", "lhs" } },
    replications = quantity("1", { integer = true, min = 1, max = 1000000 }),
    seed = quantity("1", { integer = true }),
    metrics = { kind = "list", min = 1, of = { kind = "string" } } },
  finish = function(ctx, c)
    if not c.over and type(c.points) ~= "table" then
      ctx:problem("over", "is missing: what is varied? over = { rps = td.range(10, 100, 10) }")
    end
  end }

-- What `tandem plan` asks when the command line does not say. Its values mean something only with
-- the scenario as a whole: plan/question checks them when it is asked.
local any = { kind = "any" }
node.types.plan = { type = "plan", group = "record",
  keys = { find = { kind = "enum", of = { "gpus", "load", "best" } }, kinds = any, kind = any,
    load = any, load_path = { kind = "string" }, slo = any, limits = any, over = any,
    budget = any, count = any, gpus = quantity("1", { integer = true, min = 1 }),
    min = quantity("1", { integer = true, min = 1 }),
    max = quantity("1", { integer = true, min = 1, max = 100000 }),
    minimize = { kind = "enum", of = { "usd_per_hour", "gpus", "watts" } },
    method = { kind = "enum", of = { "auto", "bisection", "scan" } },
    confidence = quantity("1", { min = 0.5, max = 0.999999 }),
    precision = quantity("1", { positive = true, max = 0.5 }),
    replications = quantity("1", { integer = true, min = 8, max = 4096 }),
    seed = quantity("1", { integer = true }), mix = { kind = "boolean" },
    survive = quantity("1", { integer = true, min = 0 }),
    monotone = { kind = "boolean" }, sensitivity = { kind = "boolean" },
    doubt = { kind = "boolean" } } }

return true
