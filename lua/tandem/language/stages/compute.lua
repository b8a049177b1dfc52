--- td.compute: the slower of FLOPs and bytes on the GPU.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "compute",
  doc = "roofline: the slower of FLOPs and bytes on the GPU",
  keys = { flops = keys.cost("FLOP", {}), bytes = keys.cost("B", {}),
    efficiency = keys.quantity("1", { positive = true, max = 1, default = 1,
      doc = "the share of the peak rates that is reached" }),
    precision = { kind = "enum", default = "fp16",
      of = require("tandem.language.resources").precisions },
    overhead = keys.cost("s", { doc = "launch time added to the roofline" }),
    jitter = keys.jitter, batch = keys.batch, on = keys.on },
  finish = function(ctx, c)
    if c.flops == nil and c.bytes == nil then
      ctx:problem(nil, "wants flops, bytes or both")
    end
  end,
  example = 'td.compute "matmul" { flops = "2 TFLOP", bytes = "14GB", precision = "fp16" }',
  station = "gpu" }

function kind.check(s, at)
  if at.station ~= "gpu" then
    at:report "td.compute runs on a GPU (it needs its rates); use td.stage elsewhere"
    return
  end
  if s.flops then at:need("flops_" .. s.precision, "td.compute") end
  if s.bytes then at:need("bandwidth", "td.compute") end
end

function kind.lower(to, step)
  local combine, seconds = to.cost.combine, nil
  if step.flops then
    seconds = combine("div", step.flops,
      combine("mul", to:gpu_field("flops_" .. step.precision), step.efficiency))
  end
  if step.bytes then
    local memory = combine("div", step.bytes,
      combine("mul", to:gpu_field "bandwidth", step.efficiency))
    seconds = seconds and combine("max", seconds, memory) or memory
  end
  if step.overhead then seconds = combine("add", seconds, step.overhead) end
  to:serve(step, seconds)
end

function kind.text(s, words)
  local parts = {}
  if s.flops then parts[#parts + 1] = words(s.flops, "FLOP") end
  if s.bytes then parts[#parts + 1] = words(s.bytes, "B") end
  return table.concat(parts, " | ") .. " " .. s.precision
end

return kind
