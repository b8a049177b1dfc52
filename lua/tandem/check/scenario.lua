--- The scenario itself: the rules that span several of its keys, which are language/scenario.lua's.
-- Owns classes (who arrives, with what attributes, along which steps) and the checks that need
-- the whole: every resource exists, every attribute read is given, every GPU field exists.
-- Called by scenario.lua through `rules.check`.

local canonical = require "tandem.scenario.canonical"
local check = require "tandem.check"
local expr = require "tandem.expr"
local format = require "tandem.text.format"
local keys = require "tandem.language.scenario"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local problem = require "tandem.check.problem"
local resources = require "tandem.language.resources"

local checks = { llm_times = keys.llm_times }
local class_keys, params_of = keys.of_class, keys.params_of

--- Call `visit` on every step, nested ones included.
---@param steps table[] checked steps
---@param visit fun(step: table)
function checks.each_step(steps, visit)
  for _, s in ipairs(steps or {}) do
    visit(s)
    checks.each_step(s.steps, visit)
    for _, choice in ipairs(s.choices or {}) do checks.each_step(choice.steps, visit) end
    for _, branch in ipairs(s.branches or {}) do checks.each_step(branch, visit) end
  end
end

-- Arrivals and classes joined: one entry per class, defaults filled from the scenario.
local function resolve_classes(ctx, c, failed)
  local out, by_class, unclaimed = {}, {}, {}
  for i, a in ipairs(c.workload or {}) do
    if a.class then
      if by_class[a.class] then
        ctx:problem("workload", ("class '%s' has two arrival processes"):format(a.class))
      end
      by_class[a.class] = a
    else
      unclaimed[#unclaimed + 1] = { arrivals = a, index = i }
    end
  end
  local names = {}
  if c.classes then
    for i, class in ipairs(c.classes) do
      local name = class.name or ("class%d"):format(i)
      if names[name] then ctx:problem("classes", ("two classes are named '%s'"):format(name)) end
      names[name] = true
      local own = class.workload and class.workload[1] or by_class[name]
      if class.workload and #class.workload > 1 then
        ctx:problem("classes", ("class '%s' has two arrival processes"):format(name))
      end
      if not own and #unclaimed > 0 then own = table.remove(unclaimed, 1).arrivals end
      if not own then
        ctx:problem("classes", ("class '%s' has no workload"):format(name))
      else
        out[#out + 1] = { name = name, arrivals = own, class = class }
      end
    end
    for name in pairs(by_class) do
      if not names[name] then
        ctx:problem("workload", ("class '%s' is not among the classes; %s"):format(name,
          nearest.hint(name, nearest.sorted_keys(names))))
      end
    end
    if #unclaimed > 0 then
      ctx:problem("workload", "an arrival process belongs to no class (give it class = \"…\")")
    end
  else
    for i, a in ipairs(c.workload or {}) do
      local name = a.class or (#c.workload == 1 and "default" or ("class%d"):format(i))
      out[#out + 1] = { name = name, arrivals = a, class = {} }
    end
  end
  for _, entry in ipairs(out) do
    for k in pairs(class_keys) do
      entry[k] = entry.class[k]
      if entry[k] == nil then entry[k] = c[k] end
    end
    local first, last = entry.arrivals.start or 0, entry.arrivals.duration
    if c.duration or c.requests then last = c.duration end
    if last and first >= last then
      ctx:problem("workload", ("arrivals of class '%s' begin at %s and stop at %s: there are none")
        :format(entry.name, format.time(first), format.time(last)))
    end
    entry.attrs = {}
    for k, v in pairs(c.attrs or {}) do entry.attrs[k] = v end
    for k, v in pairs(entry.class.attrs or {}) do entry.attrs[k] = v end
    entry.class = nil
    if not entry.pipeline and not (failed.pipeline or failed.classes) then
      ctx:problem("pipeline", #out > 1 and ("class '%s' has no steps"):format(entry.name)
        or "is missing: what does a request do?")
    end
  end
  return out
end

local roles = { gpu = true, h2d = true, d2h = true, cpu = true, none = true }

local function check_references(ctx, c, by_name)
  local names = nearest.sorted_keys(by_name)
  for role in pairs(roles) do names[#names + 1] = role end
  for _, reference in ipairs(ctx.references) do
    local found = by_name[reference.name]
    if reference.link or reference.memory then
      local wanted = reference.link and "link" or "memory"
      if not (found and found.type == wanted)
        and not (reference.memory and reference.name == "gpu") then
        local known = nearest.sorted_keys(by_name)
        ctx:report(reference.where, ("no %s is called '%s'; %s"):format(wanted, reference.name,
          #known > 0 and nearest.hint(reference.name, known)
            or ("resources = { td.%s \"%s\" { … } } makes one"):format(wanted, reference.name)))
      end
    elseif not found and not roles[reference.name] then
      ctx:report(reference.where, ("no resource is called '%s'; %s"):format(reference.name,
        nearest.hint(reference.name, names)))
    elseif found and found.type == "memory" then
      ctx:report(reference.where, "a memory is held with td.hold, not used as a place")
    elseif not c.target and not found and reference.name ~= "cpu" and reference.name ~= "none" then
      ctx:report(reference.where, ("runs on \"%s\" but the scenario has no target GPU"):format(
        reference.name))
    end
  end
end

--- Where a checked step runs: a role or a resource name.
---@param step table
---@return string
function checks.station_of(step)
  return step.on or node.types[step.type].station or "none"
end

---@class tandem.StepFacts what a kind of step may ask of its scenario
---@field step table
---@field station string              where it runs
---@field resource table|nil          of that name
---@field target table|nil
---@field gpus { gpu: table, params: table<string, number> }[]
local StepFacts = {}
StepFacts.__index = StepFacts

--- Says what is wrong with the step.
---@param message string
function StepFacts:report(message)
  self.ctx:report({ stack = self.where.stack, key = self.where.key, below = { self.step.name } },
    message)
end

--- A resource by name.
---@param name string
---@return table|nil
function StepFacts:named(name) return self.by_name[name] end

--- Every GPU must have the field.
---@param field string
---@param why string
function StepFacts:need(field, why)
  for _, g in ipairs(self.gpus) do
    if not g.params[field] then
      self:report(("GPU '%s' has no %s, which %s needs"):format(g.gpu.name or "?", field, why))
    end
  end
end

--- What the step holds must fit into a memory of that size.
---@param memory string
---@param bytes number|nil
function StepFacts:fits(memory, bytes)
  local held = self.step.memory
  if bytes and type(held) == "number" and held > bytes then
    self:report(("holds %s of '%s', which has %s"):format(format.bytes(held), memory,
      format.bytes(bytes)))
  end
end

local function check_step(at)
  local s, station, kind = at.step, at.station, node.types[at.step.type]
  if s.batch and station == "none" then
    at:report "has a batch, but runs on no resource that could serve one (on = …)"
  end
  if not s.on and kind.station == "gpu" and not at.target then
    at:report "runs on the GPU but the scenario has no target (add target = td.gpu …, or on = …)"
  end
  local shared_link = at.resource and at.resource.type == "link" and at.resource.shared
  if (station == "h2d" or station == "d2h") and at.target then
    for _, g in ipairs(at.gpus) do
      local link = at:named(g.gpu.link or at.target.type == "fleet" and at.target.link or "")
      shared_link = shared_link or (link and link.shared)
    end
  end
  if shared_link and s.type ~= "transfer" then
    at:report(("runs on '%s', a shared link, where only bytes can be timed; use td.transfer")
      :format(station))
  end
  -- Of what is no resource check_references has spoken.
  if kind.check and (roles[station] or at.resource) then kind.check(s, at) end
end

local function check_steps(ctx, c, by_name, pipeline)
  local gpus = {}
  if c.target then
    for _, g in ipairs(c.target.type == "gpu" and { c.target } or c.target.gpus or {}) do
      gpus[#gpus + 1] = { gpu = g, params = params_of(ctx, g) }
    end
  end
  local where = ctx:here("pipeline")
  checks.each_step(pipeline, function(s)
    local station = checks.station_of(s)
    check_step(setmetatable({ ctx = ctx, where = where, step = s, station = station,
      resource = by_name[station], by_name = by_name, target = c.target, gpus = gpus }, StepFacts))
  end)
end

-- What is doubted is a roofline of a server that there is.
local function check_doubt(ctx, c, servers)
  local names = {}
  for i, server in ipairs(servers) do names[i] = server.name end
  if #names == 0 then
    ctx:problem("doubt", "is of the step models of LLM servers, and there is no td.generate")
  end
  for _, place in ipairs(#names > 0 and c.doubt.at or {}) do
    local known = false
    for _, name in ipairs(names) do known = known or name == place.server end
    if not known then
      ctx:problem("doubt", ("at: no td.generate is called '%s'; %s"):format(
        tostring(place.server), nearest.hint(tostring(place.server), names)))
    end
  end
end

-- LLM servers: GPUs for all, a step model, room for a KV cache.
local function check_servers(ctx, c)
  local where = ctx:here("pipeline")
  local function report(step, message)
    ctx:report({ stack = where.stack, key = where.key, below = { step.name } }, message)
  end
  local on_gpu, used = nil, {}
  for _, class in ipairs(c.resolved) do
    checks.each_step(class.pipeline, function(s)
      if checks.station_of(s) == "gpu" then on_gpu = s end
      if s.type == "generate" then used[class] = s end
    end)
  end
  local servers, problems = require("tandem.llm.pools").plan(c)
  require("tandem.check.scaling").check(ctx, c, #servers > 0)
  for _, one in ipairs(problems) do report(one.step, one.message) end
  if c.doubt then check_doubt(ctx, c, servers) end
  for _, server in ipairs(#problems == 0 and servers or {}) do
    local handover = server.step.handover
    for _, resource in ipairs(handover and c.places or {}) do
      if resource.name == handover.link and resource.queue then
        report(server.step, ("hands over on '%s', whose queue has an end: requests may be dropped "
          .. "on a link (queue), their KV caches not"):format(resource.name))
      end
    end
    local _, disagree = require("tandem.llm.prefixes").tokens(c, server)
    if disagree then report(server.step, disagree) end
    for _, pool in ipairs(server.pools) do
      local gpu = pool.gpu
      if gpu and gpu.on_failure == "wait" and not server.step.on_failure then
        report(server.step, "a replica that fails loses what it has: its GPUs say on_failure = "
          .. '"wait", where "restart" or "lost" is wanted, or one of them here')
      end
      local made, why = require("tandem.llm.deployment").settle(pool.shape,
        gpu and params_of(ctx, gpu), gpu and resources.machine(gpu), gpu and gpu.name)
      if not made then
        report(server.step, #server.pools > 1 and pool.name .. ": " .. why or why)
        break
      end
      local _, unknown = require("tandem.llm.scheduler").shares(pool.shape.engine, c.resolved)
      if unknown then
        report(server.step, ("engine.fairness.classes: there is no class '%s'"):format(unknown))
      end
    end
  end
  if #servers > 0 and on_gpu and c.target then
    report(on_gpu, "runs on a GPU that td.generate has for itself (on = …)")
  end
  for _, class in ipairs(c.resolved) do
    if used[class] and class.patience then
      report(used[class], "has no patience: requests of an LLM server wait until they are served")
    end
    for metric in pairs(class.slo or {}) do
      if checks.llm_times[metric:match "^(.-)_"] and not used[class] then
        ctx:problem("slo", ("%s is of an LLM stage, and class '%s' has no td.generate"):format(
          metric, class.name))
      end
    end
  end
end

-- Stages that are expected to be there; processes have stages that only a run tells.
local function check_expected(ctx, c, expected)
  local names, process = {}, false
  for _, class in ipairs(c.resolved) do
    checks.each_step(class.pipeline, function(s)
      names[#names + 1] = s.name
      process = process or s.type == "process"
    end)
  end
  ctx:push("expect", expected)
  for _, demand in ipairs(not process and c.expect or {}) do
    local rest = demand.path:match "^stages%.(.*)$" or demand.path:match "^llm%.(.*)$"
    local found = rest == nil
    for _, name in ipairs(names) do
      found = found or rest == name or rest:sub(1, #name + 1) == name .. "."
    end
    if not found and not rest:find "^%d" then
      ctx:problem(demand.path, ("no stage is called '%s'; %s"):format(rest:match "^[^.]*",
        nearest.hint(rest:match "^[^.]*", names)))
    end
  end
  ctx:pop()
end

local function check_order(ctx, c)
  local names = {}
  for _, class in ipairs(c.resolved) do
    for name in pairs(class.attrs) do names[name] = true end
  end
  local _, ring = require("tandem.check.attributes").order(c, nearest.sorted_keys(names))
  if ring then
    ctx:problem("attrs", #ring == 1 and ("'%s' reads itself"):format(ring[1])
      or ("'%s' read each other: none can be worked out first"):format(
        table.concat(ring, "', '")))
  end
end

-- What a router goes by stands in the fleet; td.fleet looks after one of its own.
local function check_router(ctx, c)
  local target = c.target or {}
  if c.router == "weighted" and not target.weights then
    ctx:problem("router", "a weighted router wants the weights of a fleet: target = td.fleet "
      .. "\"pool\" { …, weights = { … } }")
  elseif c.router == "affinity" and not target.key then
    ctx:problem("router", "an affinity router wants the key of a fleet: target = td.fleet "
      .. "\"pool\" { …, key = \"attribute\" }")
  end
end

local function check_reads(ctx, c)
  local given, gpu_fields = {}, nil
  for _, class in ipairs(c.resolved) do
    for k in pairs(class.attrs) do given[k] = (given[k] or 0) + 1 end
    for k in pairs(class.arrivals.data and class.arrivals.data.attrs or {}) do
      if not class.attrs[k] then given[k] = (given[k] or 0) + 1 end
    end
  end
  if c.target then
    local first = c.target.type == "gpu" and c.target or c.target.gpus[1]
    gpu_fields = first and params_of(ctx, first) or {}
  end
  for _, read in ipairs(ctx.reads) do
    if read.what == "gpu" then
      if not gpu_fields then
        ctx:report(read.where, ("reads r.gpu.%s but the scenario has no target GPU")
          :format(read.name))
      elseif not gpu_fields[read.name] then
        ctx:report(read.where, ("reads r.gpu.%s, which the GPU does not have; %s"):format(
          read.name, nearest.hint(read.name, nearest.sorted_keys(gpu_fields))))
      end
    elseif not given[read.name] then
      local names = nearest.sorted_keys(given)
      ctx:report(read.where, ("reads the request attribute '%s', which nothing gives; %s"):format(
        read.name, #names > 0 and nearest.hint(read.name, names)
          or ("add attrs = { %s = … } to the scenario"):format(read.name)))
    end
  end
end

--- Which variables and tables the scenario's functions may change: costs that read them are not
--- traced.
---@param raw table
---@return table<any, true> upvalue ids and tables
function checks.shared_state(raw)
  local seen, shared = {}, {}
  local function passive(t)
    return node.group(t) ~= nil or expr.is_symbol(t)
      or rawget(t, "__tandem") == true
  end
  local function visit(v)
    if type(v) == "function" then
      require("tandem.expr.bytecode").collect_changes(v, shared, passive)
    elseif type(v) == "table" and not seen[v] and not expr.is_symbol(v) then
      seen[v] = true
      for _, x in next, v do visit(x) end
    end
  end
  visit(raw)
  return shared
end

--- Check a whole scenario.
---@param raw table the table given to td.scenario, with `name`
---@param options { directory: string|nil }|nil
---@return table|nil canonical nil when there are problems
---@return tandem.Problems problems empty when there are none
function checks.check(raw, options)
  local ctx = check.context(options)
  ctx.shared = checks.shared_state(raw)
  ctx:push("scenario", raw)
  if raw.name == "" then ctx:problem("name", "is empty") end
  if type(raw.name) == "string" and #raw.name > problem.NAME_MOST then
    ctx:problem("name", problem.too_long(raw.name))
  end
  local c, failed = check.fields(ctx, raw, node.types.scenario)
  if raw.workload == nil and raw.classes == nil then
    ctx:problem("workload", "is missing: who arrives? (td.poisson { rps = … }, td.closed { … }, …)")
  end
  local by_name = {}
  local function add_resource(r, where)
    local name = r.name
    if not name then
      ctx:report(where, ("this td.%s has no name: td.%s \"name\" { … }"):format(r.type, r.type))
    elseif roles[name] then
      ctx:report(where, ("'%s' is a reserved name; choose another for this td.%s"):format(name,
        r.type))
    elseif by_name[name] and canonical.text(by_name[name]) ~= canonical.text(r) then
      ctx:report(where, ("two different resources are named '%s'"):format(name))
    elseif not by_name[name] then
      by_name[name] = r
      c.places[#c.places + 1] = r
    end
  end
  c.places = {} -- hashes of scenarios are made from the keys: this one has to stay
  for i, r in ipairs(c.resources or {}) do
    ctx:push("resources", raw.resources)
    add_resource(r, ctx:here(i))
    ctx:pop()
  end
  for _, r in ipairs(ctx.resources) do add_resource(r.resource, r.where) end
  c.resources = nil
  if not failed.target and not failed.resources then check_references(ctx, c, by_name) end
  if not failed.target and not failed.router then check_router(ctx, c) end
  -- Say what spans several keys too, as far as those keys themselves are sound.
  if not (failed.workload or failed.classes or failed.attrs) then
    c.resolved = resolve_classes(ctx, c, failed)
    if not failed.target then
      local seen = {}
      for _, class in ipairs(c.resolved) do
        if class.pipeline and not seen[class.pipeline] and not failed.pipeline then
          seen[class.pipeline] = true
          check_steps(ctx, c, by_name, class.pipeline)
        end
      end
      if not (failed.pipeline or failed.classes or failed.slo) then
        check_servers(ctx, c)
        require("tandem.check.windows").check(ctx, c)
      end
      check_reads(ctx, c)
      check_order(ctx, c)
    end
    if not (failed.pipeline or failed.expect) then check_expected(ctx, c, raw.expect) end
  end
  ctx:pop()
  c.name = raw.name
  c.untraced = ctx.untraced
  local reads = {}
  for _, read in ipairs(ctx.reads) do
    if read.what == "attr" then reads[read.name] = true end
  end
  c.attr_reads = nearest.sorted_keys(reads)
  ctx.problems:sort()
  return #ctx.problems == 0 and c or nil, ctx.problems
end

return checks
