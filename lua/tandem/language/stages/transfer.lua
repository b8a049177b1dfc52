--- td.transfer: bytes over a copy engine or a link.
-- Owns all of this kind of step but what the engine does with its operations; stages/init.lua says
-- what each part is.

local keys = require "tandem.language.keys"

---@type tandem.StageKind
local kind = { type = "transfer",
  doc = "bytes over a copy engine or a link",
  keys = { bytes = keys.cost("B", { required = true }), on = keys.on,
    jitter = keys.jitter, batch = keys.batch,
    latency = keys.cost("s", { doc = "set-up time before the bytes flow" }) },
  finish = function(ctx, c)
    if c.on then return end
    local name = (c.name or ""):lower()
    if name:find("d2h", 1, true) or name:find("download", 1, true)
      or name:find("from_gpu", 1, true) then
      c.on = "d2h"
    elseif name:find("h2d", 1, true) or name:find("upload", 1, true)
      or name:find("to_gpu", 1, true) then
      c.on = "h2d"
    else
      ctx:problem("on", "cannot tell the direction from the name; write on = \"h2d\" or \"d2h\"")
    end
  end,
  example = 'td.transfer "h2d" { bytes = "8MiB" }' }

-- Engines of a GPU that share its rate take single copies.
local function check_batch(step, at)
  if not step.batch or at.station ~= "h2d" and at.station ~= "d2h" then return end
  for _, gpu in ipairs(at.target and (at.target.gpus or { at.target }) or {}) do
    if (gpu.copy_engines or 1) > 1 then
      at:report("is batched, and copies of several engines (copy_engines) share their link one by "
        .. "one")
      return
    end
  end
end

function kind.check(step, at)
  check_batch(step, at)
  if at.station == "h2d" or at.station == "d2h" then
    at:need(at.station, "a transfer")
  elseif not (at.resource and at.resource.type == "link") then
    at:report(("cannot transfer on '%s'; wanted \"h2d\", \"d2h\" or a td.link"):format(at.station))
  end
end

-- Bytes stand first in the cost: draws in them then have the numbers that they have alone, so the
-- trace tells the bytes that the time was computed from.
local function move(to, step, seconds)
  local op = to:serve(step, seconds)
  if not to.cost.is_function(step.bytes) then op.bytes = to:quantity(step.bytes) end
end

function kind.lower(to, step)
  local link = to.ctx.links[step.on]
  if (link and link.shared) or to.ctx.shares[step.on] then
    if step.latency and step.latency ~= 0 then
      to:add { op = "delay", name = step.name .. " latency", cost = to:quantity(step.latency) }
    end
    move(to, step, step.bytes)
    return
  end
  local rate = link and link.bandwidth or to:gpu_field(step.on)
  local seconds = to.cost.combine("div", step.bytes, rate)
  if to.ctx.splits[step.on] and step.latency and step.latency ~= 0 then
    to:add { op = "delay", name = step.name .. " latency", cost = to:quantity(step.latency) }
  elseif step.latency then
    seconds = to.cost.combine("add", seconds, step.latency)
  end
  move(to, step, seconds)
end

function kind.text(s, words) return words(s.bytes, "B") end

return kind
