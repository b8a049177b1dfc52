--- td.branch: one of several ways, by probability.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"
local node = require "tandem.language.node"

---@type tandem.StageKind
local kind = { type = "branch", items = "choices",
  doc = "one of several ways, by probability",
  keys = { choices = { kind = "list", required = true, min = 1,
    of = { kind = "record", of = "choice" } } },
  finish = function(ctx, c)
    local sum = 0
    local without = 0
    for _, choice in ipairs(c.choices or {}) do
      if choice.p then sum = sum + choice.p else without = without + 1 end
    end
    if sum > 1 + 1e-9 then
      ctx:problem("choices", ("probabilities sum to %.6g, more than 1"):format(sum))
    elseif without > 1 then
      ctx:problem("choices", "only one choice may go without p (it takes the rest)")
    else
      for _, choice in ipairs(c.choices or {}) do
        if not choice.p then choice.p = math.max(0, 1 - sum) end
      end
    end
  end,
  example = 'td.branch "cache" {\n  { p = 0.3, steps = {} },\n'
    .. '  { td.fixed "compute" { time = "8ms" } },\n}' }

node.types.choice = { type = "choice", group = "record", items = "steps",
  keys = { p = keys.quantity("1", { max = 1 }), steps = { kind = "steps", min = 0 } } }

function kind.lower(to, step)
  local choices = {}
  for i, choice in ipairs(step.choices) do
    choices[i] = { p = choice.p, steps = to:list(choice.steps or {}) }
  end
  to:add { op = "branch", name = step.name, choices = choices }
end

return kind
