--- td.stage: any cost on any resource.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "stage",
  doc = "any cost on any resource: number, distribution, function of r",
  keys = { cost = keys.cost("s", { required = true }),
    on = keys.on, jitter = keys.jitter, batch = keys.batch },
  example = 'td.stage "decode" { on = "gpu", batch = { max = 8, wait = "2ms" },\n'
    .. '  cost = function(r) return 0.004 + 0.0005 * r.batch end }',
  station = "gpu" }

function kind.lower(to, step) to:serve(step, step.cost) end

function kind.text(s, words) return words(s.cost, "s") end

return kind
