--- td.fork: several lists of steps at once, then joined.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

---@type tandem.StageKind
local kind = { type = "fork", items = "branches",
  doc = "several lists of steps at once, then joined",
  keys = { branches = { kind = "list", required = true, min = 1,
    of = { kind = "steps", min = 0 } } },
  example = 'td.fork "both" {\n  { td.fixed "text" { time = "2ms" } },\n'
    .. '  { td.fixed "image" { time = "5ms" } },\n}' }

function kind.lower(to, step)
  local branches = {}
  for i, branch in ipairs(step.branches) do branches[i] = to:list(branch) end
  to:add { op = "fork", name = step.name, branches = branches }
end

return kind
