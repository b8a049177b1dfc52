--- td.tokens: tokens times a time per token.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "tokens",
  doc = "tokens times a time per token, on the GPU",
  keys = { tokens = keys.cost("tok", { default = function() return { "attr", "tokens" } end }),
    time_per_token = keys.cost("s/tok", {}),
    jitter = keys.jitter, batch = keys.batch, on = keys.on },
  example = 'td.tokens "generate" { tokens = 128, time_per_token = "0.2ms" }',
  station = "gpu" }

function kind.check(s, at)
  if s.time_per_token then return end
  if at.station == "gpu" then
    at:need("time_per_token", "a token's time")
  else
    at:report "wants time_per_token: only a GPU has a default"
  end
end

function kind.lower(to, step)
  local each = step.time_per_token or to:gpu_field "time_per_token"
  to:serve(step, to.cost.combine("mul", step.tokens, each))
end

function kind.text(s, words)
  return words(s.tokens, "tok") .. " tokens"
    .. (s.time_per_token and " × " .. words(s.time_per_token, "s") or "")
end

return kind
