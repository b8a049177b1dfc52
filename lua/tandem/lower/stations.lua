--- The things requests queue for: stations, links, memories and the GPU group of a model.
-- Turns target, cpu, pools, links and memories of a checked scenario into the arrays of the model
-- table, and answers which station a step uses. Called by lower/init.lua.

local resources = require "tandem.language.resources"
local checks = require "tandem.check.scenario"

local stations = {}

local function as_dist(v)
  if type(v) == "number" then return { dist = "constant", value = v } end
  return v
end
stations.as_dist = as_dist

---@class tandem.PlanContext
---@field model table the model table being built
---@field checked table the checked scenario
---@field station table<string, integer> resource or role name → station index (one GPU: roles too)
---@field memory table<string, integer> memory name → index
---@field links table<string, table> link name → its checked record
---@field shares table<string, boolean> "h2d"/"d2h" → its stations share a link
---@field splits table<string, boolean> "h2d"/"d2h" → several copies of a GPU share its rate
---@field group integer|nil index of the GPU group when there are several GPUs
---@field gpu_value fun(field: string): number|nil a GPU field that all GPUs agree on

local function expand_gpus(target)
  local out = {}
  if not target then return out end
  local counts, seen = {}, {}
  local list = target.type == "gpu" and { target } or target.gpus
  -- One that the scenario describes without a name.
  local function called(g) return g.name or "gpu" end
  for _, g in ipairs(list) do counts[called(g)] = (counts[called(g)] or 0) + (g.count or 1) end
  for _, g in ipairs(list) do
    local kind = called(g)
    local outages = g.outages and resources.outages(g.outages, g.count or 1) or {}
    for i = 1, g.count or 1 do
      seen[kind] = (seen[kind] or 0) + 1
      local name = counts[kind] == 1 and kind or ("%s#%d"):format(kind, seen[kind])
      out[#out + 1] = { name = name, kind = kind, checked = g, outages = outages[i] }
    end
  end
  return out
end

-- Which of the roles any pipeline uses; a process may name any station, so it uses them all.
local function used_roles(checked)
  local used, moves = {}, {}
  for _, class in ipairs(checked.resolved) do
    checks.each_step(class.pipeline, function(step)
      used[checks.station_of(step)] = used[checks.station_of(step)] or true
      if step.type == "transfer" then moves[checks.station_of(step)] = true end
      if step.handover then used[step.handover.link] = "COMM" end
      if step.type == "process" then
        used.cpu, used.gpu, used.h2d, used.d2h, used.memory = true, true, true, true, true
      end
      if step.type == "hold" and (step.on == nil or step.on == "gpu") then used.memory = true end
    end)
  end
  return used, moves
end

local function add(list, record)
  list[#list + 1] = record
  return #list
end

local function add_cpu(ctx, used)
  if not used.cpu then return end
  local cpu = ctx.checked.cpu or {}
  ctx.station.cpu = add(ctx.model.stations, { name = "cpu", lane = "CPU",
    servers = cpu.workers or math.huge, discipline = cpu.discipline or "fifo", queue = cpu.queue })
end

-- The model links of a shared td.link: one for both directions, or one each when duplex.
local function link_index(ctx, link, direction)
  local name = (link.duplex and direction) and (link.name .. " " .. direction) or link.name
  for i, l in ipairs(ctx.model.links) do
    if l.name == name then return i end
  end
  return add(ctx.model.links, { name = name, bandwidth = link.bandwidth })
end

local lanes = { h2d = "H2D", gpu = "GPU", d2h = "D2H" }

-- Copies of one GPU that move at the same time share its rate, evenly: of bytes, that is. Where all
-- copies are told as times, an engine takes as long as it says.
local function add_gpu(ctx, gpu, index, used, moves, fleet)
  local g, params = gpu.checked, gpu.params
  local link = ctx.links[g.link or fleet and fleet.link or ""]
  for _, role in ipairs { "h2d", "gpu", "d2h" } do
    if used[role] then
      local station = { name = gpu.name .. " " .. role, lane = lanes[role], gpu = index,
        discipline = g.discipline or "fifo", queue = role == "gpu" and g.queue or nil,
        on_failure = g.on_failure }
      if role == "gpu" then
        station.servers = g.concurrency or 1
      else
        station.servers = g.copy_engines or 1
        station.discipline = "fifo"
        if link and link.shared then
          station.link, station.rate = link_index(ctx, link, role), params[role]
          ctx.shares[role] = true
        else
          if link then params[role] = math.min(params[role] or math.huge, link.bandwidth) end
          if station.servers > 1 and moves[role] then
            station.discipline, ctx.splits[role] = "ps", true
          end
        end
      end
      gpu.stations[role] = add(ctx.model.stations, station)
    end
  end
  if used.memory and params.memory then
    gpu.stations.memory = add(ctx.model.memories, { name = gpu.name .. " memory", gpu = index,
      bytes = params.memory })
  end
end

-- How many of the GPUs there are, where that changes.
local function scaling_of(target)
  local rule = target.type == "gpu" and target.autoscale
  if not rule then return nil end
  local steps
  for _, step in ipairs(rule.schedule or {}) do
    steps = table.move(step, 1, 2, #(steps or {}) + 1, steps or {})
  end
  return { min = rule.min, start = rule.start, metric = rule.metric, target = rule.target,
    tolerance = rule.tolerance, every_s = rule.every, up_after_s = rule.up_after,
    down_after_s = rule.down_after, delay_s = rule.provision, steps = steps }
end

-- A GPU by itself needs no choosing, but requests that restart go back to where they were given it.
local function add_group(ctx, gpus)
  if not gpus[1] or #gpus < 2 and gpus[1].checked.on_failure ~= "restart" then return end
  local target, checked = ctx.checked.target, ctx.checked
  local members = {}
  for i = 1, #gpus do members[i] = i end
  ctx.group = add(ctx.model.groups, { scaling = scaling_of(target),
    name = target.name or "gpu", members = members,
    router = checked.router or target.router or "round_robin", weights = target.weights,
    key = target.key })
end

local function add_resources(ctx)
  for _, r in ipairs(ctx.checked.places) do
    if r.type == "pool" then
      ctx.station[r.name] = add(ctx.model.stations, { name = r.name, lane = r.lane,
        servers = r.servers, discipline = r.discipline or "fifo", queue = r.queue,
        mtbf = as_dist(r.mtbf), mttr = as_dist(r.mttr), on_failure = r.on_failure })
    elseif r.type == "memory" then
      ctx.memory[r.name] = add(ctx.model.memories, { name = r.name, bytes = r.bytes })
    end
  end
  -- Links become stations only where a step transfers over them by name.
  local used = used_roles(ctx.checked)
  for _, r in ipairs(ctx.checked.places) do
    if r.type == "link" and used[r.name] then
      ctx.station[r.name] = add(ctx.model.stations, { name = r.name,
        lane = used[r.name] == "COMM" and "COMM" or "OTHER", discipline = "fifo",
        servers = r.shared and math.huge or 1, queue = r.queue,
        link = r.shared and link_index(ctx, r) or nil })
    end
  end
end

--- Build stations, links, memories, gpus and groups into `ctx.model`.
---@param ctx tandem.PlanContext
function stations.build(ctx)
  local checked = ctx.checked
  for _, r in ipairs(checked.places) do
    if r.type == "link" then ctx.links[r.name] = r end
  end
  local used, moves = used_roles(checked)
  local gpus = expand_gpus(checked.target)
  add_cpu(ctx, used)
  local written, params -- many GPUs are one line of the scenario
  for i, gpu in ipairs(gpus) do
    if gpu.checked ~= written then
      written, params = gpu.checked, resources.gpu_params(gpu.checked)
    end
    gpu.stations, gpu.params = {}, {}
    for k, v in pairs(params) do gpu.params[k] = v end
    add_gpu(ctx, gpu, i, used, moves,
      checked.target.type == "fleet" and checked.target or nil)
    ctx.model.gpus[i] = { name = gpu.name, kind = gpu.kind, params = gpu.params,
      mtbf = as_dist(gpu.checked.mtbf), mttr = as_dist(gpu.checked.mttr), outages = gpu.outages }
  end
  add_group(ctx, gpus)
  if #gpus == 1 then
    for role, index in pairs(gpus[1].stations) do
      if role == "memory" then ctx.memory.gpu = index else ctx.station[role] = index end
    end
  end
  add_resources(ctx)
  function ctx.gpu_value(field)
    local value = ctx.model.gpus[1] and ctx.model.gpus[1].params[field]
    for _, g in ipairs(ctx.model.gpus) do
      if g.params[field] ~= value then return nil end
    end
    return value
  end
end

return stations
