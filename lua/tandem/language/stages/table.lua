--- td.table: a measured table, interpolated.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "table",
  doc = "a measured table, interpolated: { {x, time}, … }",
  keys = {
    x = keys.cost(nil, { default = function() return { "attr", "tokens" } end, attribute = true }),
    points = { kind = "pairs", required = true, min = 1,
      first = { kind = "quantity", signed = true }, second = keys.quantity("s"),
      words = "{x, time}" },
    jitter = keys.jitter, batch = keys.batch, on = keys.on },
  finish = function(ctx, c)
    for i = 2, #(c.points or {}) do
      if c.points[i][1] <= c.points[i - 1][1] then
        ctx:problem("points", ("point %d is not above the one before"):format(i))
        return
      end
    end
  end,
  example = 'td.table "measured" { x = "tokens", points = { {1, "3ms"}, {128, "20ms"} } }',
  station = "gpu" }

function kind.lower(to, step)
  local flat = {}
  for _, p in ipairs(step.points) do
    flat[#flat + 1] = p[1]
    flat[#flat + 1] = p[2]
  end
  if to.cost.is_function(step.x) then
    local interp, x = require("tandem.expr").functions.interp, step.x.fn
    to:serve(step, { fn = function(r) return interp(x(r), flat) end, why = step.x.why })
  else
    to:serve(step, { "interp", step.x, flat })
  end
end

function kind.text(s, words)
  return ("table of %d points over %s"):format(#s.points, words(s.x, "1"))
end

return kind
