--- td.loop: steps repeated.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "loop", items = "steps",
  doc = "steps repeated: times = n, or again = probability",
  keys = { steps = { kind = "steps", required = true, min = 1 },
    times = keys.cost("1", {}), again = keys.quantity("1", { max = 1 }),
    max = keys.quantity("1", { integer = true, min = 1, max = 1000000 }) },
  finish = function(ctx, c)
    if (c.times ~= nil) == (c.again ~= nil) then
      ctx:problem(nil, "wants times = n or again = probability, not both")
    end
    if type(c.times) == "number" and c.times > 1e6 then
      ctx:problem("times", "is more than 1,000,000")
    end
    if c.again and c.again >= 1 and not c.max then
      ctx:problem("again", "is 1: the loop would never end (give max)")
    end
  end,
  example = 'td.loop "retry" { again = 0.1, td.fixed "call" { time = "4ms" } }' }

-- A geometric loop is cut where fewer than one request in 1e12 would go on.
local function loop_bound(again)
  if again <= 0 then return 1 end
  return math.max(1, math.min(1000000, math.ceil(math.log(1e-12) / math.log(again))))
end

function kind.lower(to, step)
  to:add { op = "loop", name = step.name, again = step.again,
    times = step.times ~= nil and to:quantity(step.times) or nil,
    max = step.max or (step.again and loop_bound(step.again)) or 1000000,
    steps = to:list(step.steps) }
end

function kind.text(s, words)
  return s.times and words(s.times, "1") .. " times" or ("again with p = %g"):format(s.again)
end

return kind
