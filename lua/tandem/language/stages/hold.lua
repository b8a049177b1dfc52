--- td.hold: steps that hold memory until they end.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "hold", items = "steps",
  doc = "steps that hold memory until they end",
  keys = { memory = keys.cost("B", { required = true }), on = { kind = "place", memory = true },
    steps = { kind = "steps", required = true, min = 1 } },
  example = 'td.hold "kv cache" { memory = "2GiB",\n  td.fixed "inside" { time = "2ms" },\n}' }

function kind.uses_gpu(s) return s.on == nil or s.on == "gpu" end

function kind.check(s, at)
  if not kind.uses_gpu(s) then
    local memory = at:named(s.on)
    at:fits(s.on, memory and memory.bytes)
  elseif not at.target then
    at:report "holds GPU memory but the scenario has no target"
  else
    at:need("memory", "td.hold")
    for _, g in ipairs(at.gpus) do at:fits((g.gpu.name or "?") .. " memory", g.params.memory) end
  end
end

function kind.lower(to, step)
  local index = to.ctx.memory[step.on or "gpu"]
  local seize = { op = "seize", name = step.name, bytes = to:quantity(step.memory) }
  local release = { op = "release", name = step.name }
  if index then
    seize.memory, release.memory = index, index
  else
    seize.role, release.role = "memory", "memory"
  end
  to:add(seize)
  for _, op in ipairs(to:list(step.steps)) do to:add(op) end
  to:add(release)
end

function kind.text(s, words) return words(s.memory, "B") end

return kind
