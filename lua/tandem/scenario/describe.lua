--- A scenario in a few readable lines: what `print(scenario)` shows.
-- Owns the wording but that of single kinds of steps (language/stages); reads the checked form.

local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local checks = require "tandem.check.scenario"
local units = require "tandem.units"

local describe = {}

local dist_dims = { mean = true, sd = true, min = true, max = true, value = true, scale = true }

--- A checked distribution in words.
---@param d table {dist = …}
---@param dim string
---@return string
local function dist(d, dim)
  if d.dist == "constant" then return units.format(d.value, dim) end
  local parts = {}
  for _, k in ipairs(nearest.sorted_keys(d)) do
    local v = d[k]
    if k ~= "dist" and type(v) == "number" then
      local scaled = dist_dims[k] or k:find("^p%d")
      parts[#parts + 1] = k .. " " .. units.format(v, scaled and dim or "1")
    end
  end
  return d.dist .. (#parts > 0 and "(" .. table.concat(parts, ", ") .. ")" or "")
end

--- A checked quantity (number, distribution, expression or function) in words.
---@param v any
---@param dim string
---@return string
local function quantity(v, dim)
  if type(v) == "number" then return units.format(v, dim) end
  if type(v) == "table" then
    if v.fn then return "a Lua function" end
    if v.dist then return dist(v, dim) end
    if v[1] == "draw" then return dist(v[2], dim) end
    local shown = expr.map(v, function(n)
      if type(n) == "table" and n[1] == "draw" then
        return { "attr", dist(n[2], "1") }
      end
    end)
    return (expr.tostring(shown):gsub("r%.(%l+%()", "%1"))
  end
  return tostring(v)
end

local function step_lines(steps, indent, out)
  for _, s in ipairs(steps) do
    local kind = node.types[s.type]
    local text = kind.text and kind.text(s, quantity) or ""
    local station = checks.station_of(s)
    local line = ("%s%-14s %-9s %s"):format(indent, s.name, s.type, text)
    if station ~= "none" then line = line .. "  on " .. station end
    if s.jitter then
      line = line .. "  jitter " .. (s.jitter.dist == "normal" and ("%g"):format(s.jitter.sd)
        or dist(s.jitter, "1"))
    end
    if s.batch then
      line = line .. ("  batch ≤ %d"):format(s.batch.max)
        .. (s.batch.wait and ", wait " .. units.format(s.batch.wait, "s") or "")
    end
    out[#out + 1] = (line:gsub("%s+$", ""))
    for _, choice in ipairs(s.choices or {}) do
      out[#out + 1] = ("%s  with p = %g"):format(indent, choice.p)
      step_lines(choice.steps or {}, indent .. "    ", out)
    end
    for i, branch in ipairs(s.branches or {}) do
      out[#out + 1] = ("%s  branch %d"):format(indent, i)
      step_lines(branch, indent .. "    ", out)
    end
    if s.steps then step_lines(s.steps, indent .. "    ", out) end
  end
end

--- An arrival process in words.
---@param a table checked
---@return string
local function arrivals(a)
  local parts, spec = {}, node.types[a.type]
  for _, key in ipairs(spec.shown or {}) do
    local v, wanted = a[key], spec.keys[key]
    if v and (wanted.kind == "pairs" or wanted.integer) then
      parts[#parts + 1] = ("%d %s"):format(type(v) == "table" and #v or v, key)
    elseif v then
      parts[#parts + 1] = (key == "rps" and "" or key .. " ") .. quantity(v, wanted.dim)
    end
  end
  if a.data then
    local of = a.sizes or a
    parts[#parts + 1] = ("%s, %d %s"):format(of.file or "rows",
      #(a.data.roots or a.data.turns or {}) > 0 and #(a.data.roots or a.data.turns)
        or a.data.count,
      a.data.turns and "conversations" or a.sizes and "recorded sizes" or "requests")
  end
  if a.repeats and a.repeats > 1 then
    parts[#parts + 1] = ("%d times"):format(a.repeats)
  end
  if a.batch then parts[#parts + 1] = "batches of " .. quantity(a.batch, "1") end
  if a.duration then parts[#parts + 1] = "for " .. units.format(a.duration, "s") end
  if a.requests then parts[#parts + 1] = ("%d requests"):format(a.requests) end
  return a.type .. (#parts > 0 and ": " .. table.concat(parts, ", ") or "")
end

local function gpu_text(g)
  local text = (g.count and g.count > 1 and g.count .. " × " or "") .. tostring(g.name)
  text = text .. (", concurrency %d"):format(g.concurrency or 1)
  if g.discipline then text = text .. ", " .. g.discipline end
  return text
end

--- The whole scenario.
---@param c table checked
---@return string
function describe.scenario(c)
  local out = { ("scenario %q"):format(c.name) }
  local function line(key, text) out[#out + 1] = ("  %-9s %s"):format(key, text) end
  if c.question then line("question", c.question) end
  local several = #c.resolved > 1
  if c.target then
    if c.target.type == "gpu" then
      line("target", gpu_text(c.target))
    else
      for i, g in ipairs(c.target.gpus) do line(i == 1 and "fleet" or "", gpu_text(g)) end
    end
    local router = c.router or c.target.router
    if router then line("router", type(router) == "function" and "a Lua function" or router) end
  end
  if c.cpu and c.cpu.workers then line("cpu", ("%s workers"):format(c.cpu.workers)) end
  for _, r in ipairs(c.places) do
    line(r.type, r.name .. (r.servers and (", %s servers"):format(r.servers) or "")
      .. (r.bandwidth and ", " .. units.format(r.bandwidth, "B/s") or "")
      .. (r.bytes and ", " .. units.format(r.bytes, "B") or "")
      .. (r.discipline and ", " .. r.discipline or ""))
  end
  local shown
  for _, class in ipairs(c.resolved) do
    line(several and "class" or "workload", (several and class.name .. ": " or "")
      .. arrivals(class.arrivals))
    for _, k in ipairs(nearest.sorted_keys(class.attrs)) do
      line("", ("%s = %s"):format(k, quantity(class.attrs[k], "1")))
    end
    if class.pipeline ~= shown then
      line("pipeline", "")
      out[#out] = "  pipeline"
      step_lines(class.pipeline, "    ", out)
      shown = class.pipeline
    end
    local slo = {}
    for _, metric in ipairs(nearest.sorted_keys(class.slo or {})) do
      local v = class.slo[metric]
      if metric == "within" then
        slo[#slo + 1] = ("in %s windows of %s"):format(v.share
          and ("%g %% of the"):format(v.share * 100) or "all", units.format(v.windows, "s"))
        goto continue
      end
      local relation = (metric == "goodput" or metric == "met") and "≥" or "≤"
      slo[#slo + 1] = ("%s %s %s"):format(metric, relation, units.format(v,
        metric == "goodput" and "req/s" or metric == "met" and "1" or "s"))
      ::continue::
    end
    if #slo > 0 then line("slo", table.concat(slo, ", ")) end
  end
  if c.duration then line("duration", units.format(c.duration, "s")) end
  if c.requests then line("requests", tostring(c.requests)) end
  if c.replications then line("runs", c.replications .. " replications") end
  return table.concat(out, "\n")
end

return describe
