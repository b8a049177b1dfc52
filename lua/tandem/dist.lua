--- Distributions as data: `td.lognormal { p50 = "20ms", p99 = "180ms" }`.
-- Owns the types, their keys and what makes a parameter impossible. Turning them into numbers is
-- C's (src/base/dist.c); a quantity's dimension, and whether it may be negative, come from the key
-- the distribution is used for.

local expr = require "tandem.expr"
local node = require "tandem.node"
local units = require "tandem.units"

for name, operator in pairs(expr.operators) do node.metatables.dist[name] = operator end

local dist = {}

local function q(options)
  options = options or {}
  options.kind = "quantity"
  options.inherit = true
  return options
end
local function number(options)
  options = options or {}
  options.kind = "quantity"
  options.dim = "1"
  return options
end

local function define(spec)
  spec.group = "dist"
  dist[spec.type] = node.define(spec)
end

define { type = "constant", positional = { "value" }, doc = "always the same value",
  keys = { value = q { required = true, signed = "inherit" } } }

define { type = "uniform", positional = { "min", "max" },
  doc = "equally likely between min and max",
  keys = { min = q { required = true, signed = "inherit" },
    max = q { required = true, signed = "inherit" } },
  finish = function(ctx, c)
    if c.min and c.max and c.min > c.max then ctx:problem("max", "is below min") end
  end }

define { type = "exponential", positional = { "mean" }, doc = "memoryless, by its mean",
  keys = { mean = q { required = true, positive = true } } }

define { type = "normal", positional = { "mean", "sd" },
  doc = "normal, truncated at min (0 unless given) and max",
  keys = { mean = q { required = true, signed = true }, sd = q { required = true },
    min = q { signed = "inherit", default = 0 }, max = q { signed = "inherit" } },
  finish = function(ctx, c)
    if c.min and c.max and c.min >= c.max then ctx:problem("max", "is not above min") end
  end }

define { type = "lognormal", positional = { "mean", "cv" },
  doc = "skewed, by mean and cv or by any two percentiles (p50, p99)",
  keys = { mean = q { positive = true }, cv = number { positive = true } },
  pattern = { match = units.is_percentile, example = "p50", spec = q { positive = true } },
  finish = function(ctx, c)
    local percentiles = {}
    for k, v in pairs(c) do
      local p = k:match("^p(%d+%.?%d*)$")
      if p then
        -- p999 is written for 99.9
        local rank = tonumber(p)
        if rank > 100 then rank = tonumber(p:sub(1, 2) .. "." .. p:sub(3)) end
        percentiles[#percentiles + 1] = { rank = rank, value = v, key = k }
      end
    end
    table.sort(percentiles, function(a, b) return a.rank < b.rank end)
    local by_moments = c.mean ~= nil or c.cv ~= nil
    if by_moments and #percentiles > 0 then
      ctx:problem(percentiles[1].key, "give mean and cv, or two percentiles, not both")
    elseif by_moments and not (c.mean and c.cv) then
      ctx:problem(nil, c.mean and "wants cv beside mean" or "wants mean beside cv")
    elseif not by_moments and #percentiles ~= 2 then
      ctx:problem(nil, "wants mean and cv, or exactly two percentiles such as p50 and p99")
    elseif not by_moments and percentiles[1].value >= percentiles[2].value then
      ctx:problem(percentiles[2].key, ("is not above %s"):format(percentiles[1].key))
    end
  end }

define { type = "gamma", positional = { "mean", "cv" }, doc = "gamma, by mean and cv",
  keys = { mean = q { required = true, positive = true },
    cv = number { required = true, positive = true } } }

define { type = "erlang", positional = { "k", "mean" }, doc = "sum of k exponentials",
  keys = { k = number { required = true, integer = true, min = 1, max = 1000000 },
    mean = q { required = true, positive = true } } }

define { type = "hyperexponential", items = "parts",
  doc = "one of several exponentials: { {weight, mean}, … }",
  keys = { parts = { kind = "pairs", required = true, first = number {},
    second = q { positive = true }, words = "{weight, mean}" } },
  finish = function(ctx, c)
    if not c.parts then return nil end
    local out = { dist = "hyperexponential", weights = {}, means = {} }
    for i, pair in ipairs(c.parts) do out.weights[i], out.means[i] = pair[1], pair[2] end
    ctx:check_weights("parts", out.weights)
    return out
  end }

define { type = "weibull", positional = { "mean", "cv" },
  doc = "Weibull, by mean and cv or by shape and scale",
  keys = { mean = q { positive = true }, cv = number { positive = true },
    shape = number { positive = true }, scale = q { positive = true } },
  finish = function(ctx, c)
    local moments, shape = c.mean and c.cv, c.shape and c.scale
    if (moments and shape) or not (moments or shape)
      or (moments and (c.shape or c.scale)) or (shape and (c.mean or c.cv)) then
      ctx:problem(nil, "wants mean and cv, or shape and scale")
    end
  end }

define { type = "pareto", doc = "heavy tail between min and max, index alpha",
  keys = { min = q { required = true, positive = true },
    max = q { required = true, positive = true },
    alpha = number { required = true, positive = true } },
  finish = function(ctx, c)
    if c.min and c.max and c.min >= c.max then ctx:problem("max", "is not above min") end
  end }

define { type = "zipf", positional = { "n", "s" }, doc = "1..n, k with weight k^-s",
  keys = { n = number { required = true, integer = true, min = 1, max = 10000000 },
    s = number { required = true } } }

define { type = "empirical", items = "values", doc = "one of the given values",
  keys = { values = { kind = "list", required = true, of = q { signed = "inherit" }, min = 1 },
    weights = { kind = "list", of = number {}, min = 1 } },
  finish = function(ctx, c)
    if c.weights and c.values then
      if #c.weights ~= #c.values then ctx:problem("weights", "are not as many as the values") end
      ctx:check_weights("weights", c.weights)
    end
  end }

define { type = "histogram", doc = "bins with counts, uniform inside a bin",
  keys = { edges = { kind = "list", required = true, of = q { signed = "inherit" }, min = 2 },
    counts = { kind = "list", required = true, of = number {}, min = 1 } },
  finish = function(ctx, c)
    if not (c.edges and c.counts) then return end
    if #c.edges ~= #c.counts + 1 then
      ctx:problem("edges", ("wants one more than counts (%d, not %d)"):format(#c.counts + 1,
        #c.edges))
    end
    for i = 2, #c.edges do
      if c.edges[i] <= c.edges[i - 1] then
        ctx:problem("edges", ("edge %d is not above the one before"):format(i))
        break
      end
    end
    ctx:check_weights("counts", c.counts)
  end }

define { type = "mixture", items = "parts", doc = "one of several: { {weight, distribution}, … }",
  keys = { parts = { kind = "pairs", required = true, first = number {},
    second = { kind = "dist", inherit = true }, words = "{weight, distribution}" } },
  finish = function(ctx, c)
    if not c.parts then return nil end
    local out = { dist = "mixture", weights = {}, parts = {} }
    for i, pair in ipairs(c.parts) do out.weights[i], out.parts[i] = pair[1], pair[2] end
    ctx:check_weights("parts", out.weights)
    return out
  end }

define { type = "sample", positional = { "fn" }, doc = "a Lua function of u, uniform in (0,1)",
  keys = { fn = { kind = "fn", required = true } },
  finish = function(_, c) return { dist = "lua", fn = c.fn } end }

return dist
