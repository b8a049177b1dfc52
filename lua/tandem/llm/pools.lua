--- Which replicas serve a td.generate, and which GPUs each has.
-- A server's replicas form pools of like ones: one, or one for prompts and one for outputs, each
-- cut again where its GPUs are of several kinds. Owns this division and the rule by which GPUs are
-- handed out; what a replica is made of is language/generation.lua's. Called by check/scenario.lua,
-- which says what is wrong, and by lower/servers.lua.
--
-- The rule: servers take GPUs in the order in which both stand in the scenario. A replica's GPUs
-- follow each other, are of one kind, and are of one machine when they fit into one, else they
-- begin a machine. GPUs that are passed over for that stay idle.

local canonical = require "tandem.scenario.canonical"
local format = require "tandem.text.format"
local replicas = require "tandem.language.replicas"
local resources = require "tandem.language.resources"

local pools = {}

-- What a pool says itself, and else its td.generate.
local own = { "tp", "pp", "dp", "ep", "engine", "step" }
-- What a request asks of its server.
local of_request = { prompt = true, output = true, prefix = true, group = true, key = true,
  history = true, adapter = true }

---@class tandem.Pool
---@field name string
---@field role "whole"|"prefill"|"decode"
---@field shape table        the td.generate with what the pool says itself
---@field gpu table|nil      the checked td.gpu that its replicas are on
---@field gpus integer       of one replica
---@field open boolean       as many replicas as there is room for
---@field replicas integer
---@field lanes integer      schedulers of one replica: see language/generation.lua
---@field firsts integer[]   first GPU of each replica; empty without GPUs

---@class tandem.PlannedServer
---@field name string
---@field step table       the checked td.generate
---@field pools tandem.Pool[]

local function shape_of(step, part)
  local shape = {}
  for key, value in pairs(step) do shape[key] = value end
  for _, key in ipairs(own) do
    if part[key] ~= nil then shape[key] = part[key] end
  end
  return shape
end

--- The pools as they are written, before anybody knows which GPUs there are.
---@param step table  a checked td.generate
---@return { role: string, shape: table, replicas: integer|nil }[]
local function written_of(step)
  if not (step.prefill and step.decode) then
    return { { role = "whole", shape = step, replicas = replicas.most(step) } }
  end
  local out = {}
  for i, role in ipairs { "prefill", "decode" } do
    local shape = shape_of(step, step[role])
    shape.autoscale = step[role].autoscale
    out[i] = { role = role, shape = shape, replicas = replicas.most(step[role]) }
  end
  return out
end

--- Every GPU in order, with its index among those of its line.
local function gpus_of(target)
  local out = {}
  for _, gpu in ipairs(target and (target.type == "gpu" and { target } or target.gpus) or {}) do
    local count = gpu.count or 1
    for index = 0, count - 1 do out[#out + 1] = { gpu = gpu, index = index, count = count } end
  end
  return out
end

--- The first GPU from `at` on where a replica of `size` begins, or nil.
local function position_of(gpus, at, size)
  while gpus[at] do
    local one = gpus[at]
    local node, left = resources.machine(one.gpu), one.count - one.index
    local inside = one.index % node
    if size <= left and (inside + size <= node or inside == 0) then return at end
    at = at + math.min(node - inside, left)
  end
  return nil
end

-- A shape with what the scenario doubts of its steps, where this server works.
local function doubted(shape, server, role, doubt)
  if not doubt then return shape end
  local place = require("tandem.llm.doubt").somewhere
  for _, one in ipairs(doubt.at or {}) do
    if one.server == server.name then place = one end
  end
  local out = shape_of(shape, {})
  out.role = role
  out.doubt = { steps = doubt.steps or 0, prompts = doubt.prompts or 0, place = place }
  return out
end

-- Replicas of a written pool, as many as it says or as there is room for, by kind of GPU.
local function hand_out(state, server, written, problem)
  local shape = doubted(written.shape, server, written.role, state.doubt)
  local gpus = state.gpus
  local size, lanes = shape.tp * shape.pp * shape.dp, shape.dp * shape.pp
  local name = written.role == "whole" and server.name or written.role
  local first, found, cut, by_gpu = state.at, 0, {}, {}
  local function pool_on(gpu)
    local pool = by_gpu[gpu or 1]
    if not pool then
      pool = { name = name, role = written.role, shape = shape, gpu = gpu, gpus = size,
        open = written.replicas == nil, lanes = lanes, replicas = 0, firsts = {} }
      by_gpu[gpu or 1] = pool
      cut[#cut + 1] = pool
    end
    return pool
  end
  if #gpus == 0 then
    pool_on(nil).replicas, pool_on(nil).gpus = written.replicas or 1, 0
  end
  while #gpus > 0 and found < (written.replicas or math.huge) do
    local at = position_of(gpus, state.at, size)
    if not at then break end
    local pool = pool_on(gpus[at].gpu)
    pool.replicas, found = pool.replicas + 1, found + 1
    pool.firsts[#pool.firsts + 1] = at
    state.at = at + size
  end
  local wanted = written.replicas or 1
  if #gpus > 0 and found < wanted then
    local left = math.max(0, #gpus - first + 1)
    problem(server.step, ("wants %s (%s of %d), and %d %s left%s"):format(
      format.plural(wanted * size, "GPU"), format.plural(wanted, "replica"), size, left,
      left == 1 and "is" or "are", left >= wanted * size
        and "; a replica's are of one kind, and of one machine if they fit" or ""))
  end
  for i, pool in ipairs(#cut > 1 and cut or {}) do
    pool.name = ("%s%s"):format(written.role == "whole" and "" or written.role .. " ",
      pool.gpu.name or ("GPU %d"):format(i))
  end
  return cut
end

-- Kinds of GPUs that were meant for somebody and are too few for a single replica.
local function report_unused(state, server, problem)
  local used = {}
  for _, pool in ipairs(server.pools) do used[pool.gpu or 1] = true end
  for _, one in ipairs(state.gpus) do
    if one.index == 0 and not used[one.gpu] then
      problem(server.step, ("%d × %s are too few for a replica of %d GPUs"):format(one.count,
        one.gpu.name or "GPU", server.pools[1] and server.pools[1].gpus or server.step.tp))
    end
  end
end

-- All td.generate of a scenario: steps of one name are one server.
local function servers_of(checked, problem)
  local servers, by_name = {}, {}
  for _, class in ipairs(checked.resolved) do
    require("tandem.check.scenario").each_step(class.pipeline, function(step)
      if step.type ~= "generate" then return end
      local other = by_name[step.name]
      if not other then
        servers[#servers + 1] = { name = step.name, step = step, pools = {} }
        by_name[step.name] = servers[#servers]
      elseif other.step ~= step and canonical.text(pools.server(other.step))
        ~= canonical.text(pools.server(step)) then
        problem(step, "another td.generate of this name has other settings; one name, one server")
      end
    end)
  end
  return servers
end

--- Which GPUs serve which td.generate.
---@param checked table   the checked scenario, classes resolved
---@return tandem.PlannedServer[]
---@return { step: table, message: string }[] problems
function pools.plan(checked)
  local problems = {}
  local function problem(step, message)
    problems[#problems + 1] = { step = step, message = message }
  end
  local servers = servers_of(checked, problem)
  local state, open = { gpus = gpus_of(checked.target), at = 1, doubt = checked.doubt }, 0
  for _, server in ipairs(servers) do
    for _, written in ipairs(written_of(server.step)) do
      if not written.replicas then
        open = open + 1
        if open > 1 and #state.gpus > 0 then
          problem(server.step, "several share the GPUs: say how many replicas each has")
          return servers, problems
        end
      end
      local cut = hand_out(state, server, written, problem)
      table.move(cut, 1, #cut, #server.pools + 1, server.pools)
      local wrong = replicas.wrong(cut)
      if wrong then problem(server.step, wrong) end
    end
  end
  if #problems == 0 and open == 1 and #servers == 1 then
    report_unused(state, servers[1], problem)
  end
  return servers, problems
end

--- The fewest GPUs that a scenario can be on: those of all replicas it says, and of one where it
--- leaves the number open; 1 without LLM servers.
---@param checked table
---@return integer
function pools.least(checked)
  local count = 0
  for _, server in ipairs(servers_of(checked, function() end)) do
    for _, written in ipairs(written_of(server.step)) do
      local shape = written.shape
      count = count + (written.replicas or 1) * shape.tp * shape.pp * shape.dp
    end
  end
  return math.max(1, count)
end

--- The numbers of GPUs, up to `most`, with each of which one more replica runs: GPUs between them
--- stay idle. Nil where every GPU counts: without LLM servers, with replicas of one GPU, with
--- replicas whose number the scenario says, on fleets.
---@param checked table
---@param most integer
---@return integer[]|nil counts
---@return integer|nil size  GPUs of a replica
function pools.counts(checked, most)
  local target, open = checked.target, nil
  for _, server in ipairs(servers_of(checked, function() end)) do
    for _, written in ipairs(written_of(server.step)) do
      if not written.replicas then open = written.shape end
    end
  end
  if not open or not target or target.type ~= "gpu" or open.tp * open.pp * open.dp == 1 then
    return nil
  end
  local wide = {}
  for key, value in pairs(target) do wide[key] = value end
  wide.count = most
  local out = {}
  for _, server in ipairs((pools.plan { target = wide, resolved = checked.resolved })) do
    for _, pool in ipairs(server.pools) do
      for _, first in ipairs(pool.open and pool.firsts or {}) do
        out[#out + 1] = first + pool.gpus - 1
      end
    end
  end
  return out, open.tp * open.pp * open.dp
end

--- What makes a server: all of a step but what a request asks of it.
---@param step table
---@return table
function pools.server(step)
  local out = {}
  for k, v in pairs(step) do
    if not of_request[k] then out[k] = v end
  end
  return out
end

return pools
