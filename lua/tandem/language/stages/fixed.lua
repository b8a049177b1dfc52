--- td.fixed: a time on a CPU worker.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "fixed",
  doc = "a time on a CPU worker (or on = …)",
  keys = { time = keys.cost("s", { required = true }),
    jitter = keys.jitter, batch = keys.batch, on = keys.on },
  example = 'td.fixed "tokenize" { time = "2ms", jitter = 0.05 }',
  station = "cpu" }

function kind.lower(to, step) to:serve(step, step.time) end

function kind.text(s, words) return words(s.time, "s") end

return kind
