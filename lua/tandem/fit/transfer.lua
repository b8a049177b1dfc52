--- Bandwidths and latencies: all transfers that share a rate, fitted together.
-- Owns the identification: sizes that differ tell bandwidth from latency, one size does not. Called
-- by parameters.lua.

local format = require "tandem.text.format"
local linear = require "tandem.fit.linear"
local values = require "tandem.fit.values"
local views = require "tandem.fit.view"

local transfer = {}

local SAME <const> = 1e-3     -- sizes nearer than this are one size
local LEAST_SLOPE <const> = 20 -- visits below which sizes tell nothing
local LATENCY <const> = 65536  -- copies up to here take as long as the way to them, or longer

---@class tandem.FitMember
---@field step table
---@field view tandem.FitView
---@field bytes fun(view: tandem.FitView): number[]
---@field varies boolean
---@field latency number         the scenario's
---@field intercept integer|nil  its latency's column

--- Whether copies of at most so many bytes are all latency: they tell no bandwidth.
---@param most number
---@return boolean
function transfer.is_latency(most) return most <= LATENCY end

-- The bytes of a step's visits: measured, else by the scenario's word.
local function member_of(ctx, step, path)
  local view = ctx:enough(step.name, path)
  if not view then return nil end
  local function bytes(v)
    if v.bytes then return v.bytes end
    return (values.of(ctx.scenario.checked, step.bytes, v))
  end
  if not view.bytes then
    local found, why = values.of(ctx.scenario.checked, step.bytes, view)
    if not found then
      ctx:refuse(path .. ".bytes", why)
      return nil
    end
  end
  local mine = bytes(view)
  local low, high = views.range(mine)
  if high <= 0 then
    ctx:refuse(path, "its copies are of 0 bytes")
    return nil
  end
  local latency = values.of(ctx.scenario.checked, step.latency or 0, view)
  return { step = step, path = path, view = view, bytes = bytes, low = low, high = high,
    varies = high - low > SAME * high and view.count >= LEAST_SLOPE,
    latency = latency and latency[1] or 0 }
end

-- The columns of one member in the pooled regression: latencies that are free, then the bytes.
local function columns_of(member, intercepts)
  return function(view)
    local out = {}
    for i = 1, intercepts do
      out[i] = views.constant(view.count, member.intercept == i and 1.0 or 0.0)
    end
    out[intercepts + 1] = member.bytes(view)
    return out
  end
end

local function offset_of(member)
  if member.intercept or member.latency == 0 then return nil end
  return function(view) return views.constant(view.count, member.latency) end
end

local function stack(lists)
  local out = {}
  for _, list in ipairs(lists) do table.move(list, 1, #list, #out + 1, out) end
  return out
end

-- One regression over the visits of all members.
local function pooled(members)
  local intercepts, any = 0, false
  for _, m in ipairs(members) do any = any or m.varies end
  for _, m in ipairs(members) do
    m.intercept = any and not m.zero and intercepts + 1 or nil
    intercepts = m.intercept or intercepts
  end
  local y, parts, offsets, some = {}, {}, {}, false
  for i, m in ipairs(members) do
    y[i], parts[i] = m.view.own, columns_of(m, intercepts)(m.view)
    local offset = offset_of(m)
    some = some or offset ~= nil
    offsets[i] = offset and offset(m.view) or views.constant(m.view.count, 0.0)
  end
  local columns = {}
  for j = 1, intercepts + 1 do
    local lists = {}
    for i, part in ipairs(parts) do lists[i] = part[j] end
    columns[j] = stack(lists)
  end
  local whole = { count = #stack(y) }
  local fit, message = linear.fit(whole, stack(y), function() return columns end,
    { series = #members == 1, offset = some and function() return stack(offsets) end or nil })
  return fit, intercepts, message
end

-- A latency below zero is none: the member is fitted without one.
local function settle(ctx, members)
  while true do
    local fit, intercepts, message = pooled(members)
    if not fit then return nil, nil, message end
    local negative
    for _, m in ipairs(members) do
      if m.intercept and fit.b[m.intercept] <= 0 then negative = m end
    end
    if not negative then return fit, intercepts end
    negative.zero, negative.latency = true, 0
    negative.most = math.max(0, fit.b[negative.intercept] + fit.half[negative.intercept])
    ctx:note(("%s: its copies show no latency: their time is in proportion to their bytes"):format(
      negative.step.name))
  end
end

-- The part of a pooled fit that is one member's, for predictions and its noise.
local function part_of(fit, member, intercepts, first)
  local ratios = {}
  for i = 1, member.view.count do ratios[i] = fit.ratios[first + i] end
  return setmetatable({ columns = columns_of(member, intercepts), offset = offset_of(member),
    ratios = ratios, count = member.view.count }, { __index = fit })
end

-- The latency that the scenario says, if it does.
local function prior_of(m) return m.step.latency and m.latency or nil end

-- Time that does not grow with the bytes: the rate stays, what is left is latency.
local function latency_alone(ctx, m, rate, rate_path)
  local function offset(view)
    local out = {}
    for i, bytes in ipairs(m.bytes(view)) do out[i] = bytes / rate end
    return out
  end
  local fit = linear.fit(m.view, m.view.own, function(v) return { views.ones(v.count) } end,
    { offset = offset })
  if not fit or fit.b[1] <= 0 then
    ctx:refuse(m.path, ("its copies take less time than their bytes would at the assumed %s")
      :format(format.quantity(rate, "speed")))
    return
  end
  ctx:coefficient(fit, 1, { path = m.path .. ".latency", stage = m.step.name, unit = "s",
    prior = prior_of(m), source = ("%s, with the assumed bandwidth"):format(fit:source()) })
  ctx:parameter { path = rate_path, value = rate, unit = "B/s", kind = "assumed",
    source = "the scenario's" }
  ctx:group(fit, function(b) return { [m.path .. ".latency"] = b[1] } end)
  ctx:jitter(m.step.name, m.path, fit.ratios)
  ctx.models[m.step.name] = fit
end

local function latency_parameters(ctx, m, fit)
  local path = m.path .. ".latency"
  if m.intercept then
    ctx:coefficient(fit, m.intercept, { path = path, stage = m.step.name, unit = "s",
      prior = prior_of(m) })
  elseif m.zero then
    ctx:parameter { path = path, stage = m.step.name, value = 0.0, low = 0.0, high = m.most,
      unit = "s", kind = "bound", source = ("%d visits show none"):format(m.view.count) }
    ctx.changes[path] = 0
  else
    ctx:parameter { path = path, stage = m.step.name, value = m.latency, unit = "s",
      kind = "assumed", source = m.step.latency and "the scenario's" or "not measured" }
    ctx:refuse(path, ("all copies are of %s: one size cannot tell latency from bandwidth")
      :format(format.bytes(m.high)))
  end
end

-- What the capture says of the bytes, where the scenario has a number.
local function bytes_parameter(ctx, m)
  if not m.view.bytes or type(m.step.bytes) ~= "number" then return end
  local mean = views.mean(m.view.bytes)
  if m.varies then
    ctx:note(("%s: its copies are of %s to %s; the scenario draws from their sizes"):format(
      m.step.name, format.bytes(m.low), format.bytes(m.high)))
    ctx.changes[m.path .. ".bytes"] = require("tandem.fit.attributes").distribution(m.view.bytes)
  elseif math.abs(mean / m.step.bytes - 1) > SAME or m.step.bytes == 0 then
    ctx.changes[m.path .. ".bytes"] = mean
  end
  ctx:parameter { path = m.path .. ".bytes", stage = m.step.name, value = mean, unit = "B",
    prior = m.step.bytes, kind = "fitted", source = ("%d visits: mean of the bytes copied"):format(
      m.view.count) }
end

--- Fit the transfers of one rate.
---@param ctx tandem.FitContext
---@param steps { step: table, path: string }[]
---@param rate_path string
---@param rate number|nil  the scenario's
function transfer.fit(ctx, steps, rate_path, rate)
  local members = {}
  for _, one in ipairs(steps) do
    members[#members + 1] = member_of(ctx, one.step, one.path)
  end
  if #members == 0 then return end
  local fit, intercepts, message = settle(ctx, members)
  local most = 0
  for _, m in ipairs(members) do most = math.max(most, m.high) end
  -- Bytes take time where the slope's interval is above 0.
  if not fit or fit.half[#fit.b] >= fit.b[#fit.b] or transfer.is_latency(most) then
    ctx:refuse(rate_path, fit and (transfer.is_latency(most)
      and ("the copies are of %s at most: all latency, which tells no bandwidth"):format(
        format.bytes(most)) or "the time of the copies does not grow with their bytes") or message)
    if not rate then return end
    for _, m in ipairs(members) do latency_alone(ctx, m, rate, rate_path) end
    return
  end
  ctx:reciprocal(fit, #fit.b, { path = rate_path, unit = "B/s", prior = rate,
    stage = #members == 1 and members[1].step.name or nil })
  local first = 0
  for _, m in ipairs(members) do
    latency_parameters(ctx, m, fit)
    bytes_parameter(ctx, m)
    local part = part_of(fit, m, intercepts, first)
    first = first + m.view.count
    ctx.models[m.step.name] = part
    ctx:jitter(m.step.name, m.path, part.ratios)
  end
  ctx:group(fit, function(b)
    local changes = { [rate_path] = 1 / b[#b] }
    for _, m in ipairs(members) do
      if m.intercept then changes[m.path .. ".latency"] = b[m.intercept] end
    end
    return changes
  end)
end

return transfer
