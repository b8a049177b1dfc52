--- td.process: a Lua coroutine of your own.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

---@type tandem.StageKind
local kind = { type = "process", positional = { "fn" },
  doc = "a Lua coroutine function(p): p:use(station, cost), p:hold(seconds), …",
  keys = { fn = { kind = "fn", required = true } },
  example = 'td.process "own" { fn = function(p)\n'
    .. '  p:use("cpu", 0.002)\n  p:hold(0.010)\nend }' }

function kind.uses_gpu() return true end

function kind.lower(to, step) to:add { op = "process", name = step.name, fn = step.fn } end

function kind.text() return "a Lua coroutine" end

return kind
