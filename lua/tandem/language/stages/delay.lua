--- td.delay: time that passes outside.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "delay",
  doc = "time that passes outside: no resource, no queue",
  keys = { time = keys.cost("s", { required = true }), jitter = keys.jitter },
  example = 'td.delay "network" { time = td.exponential "3ms" }',
  station = "none" }

function kind.lower(to, step) to:serve(step, step.time) end

function kind.text(s, words) return words(s.time, "s") end

return kind
