--- The scenario itself: the rules that span several of its keys, which are scenario_keys.lua's.
-- Owns classes (who arrives, with what attributes, along which steps) and the checks that need
-- the whole: every place exists, every attribute read is given, every GPU field exists.
-- Called by scenario.lua through `rules.check`.

local canonical = require "tandem.canonical"
local check = require "tandem.check"
local expr = require "tandem.expr"
local format = require "tandem.format"
local keys = require "tandem.scenario_keys"
local nearest = require "tandem.nearest"
local node = require "tandem.node"
local resources = require "tandem.resources"

local rules = { llm_times = keys.llm_times }
local class_keys, params_of = keys.of_class, keys.params_of

--- Call `visit` on every step, nested ones included.
---@param steps table[] checked steps
---@param visit fun(step: table)
function rules.each_step(steps, visit)
  for _, s in ipairs(steps or {}) do
    visit(s)
    rules.each_step(s.steps, visit)
    for _, choice in ipairs(s.choices or {}) do rules.each_step(choice.steps, visit) end
    for _, branch in ipairs(s.branches or {}) do rules.each_step(branch, visit) end
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

local function check_places(ctx, c, by_name)
  local names = nearest.sorted_keys(by_name)
  for role in pairs(roles) do names[#names + 1] = role end
  for _, place in ipairs(ctx.places) do
    local found = by_name[place.name]
    if place.link or place.memory then
      local wanted = place.link and "link" or "memory"
      if not (found and found.type == wanted) and not (place.memory and place.name == "gpu") then
        local known = nearest.sorted_keys(by_name)
        ctx:report(place.where, ("no %s is called '%s'; %s"):format(wanted, place.name,
          #known > 0 and nearest.hint(place.name, known)
            or ("resources = { td.%s \"%s\" { … } } makes one"):format(wanted, place.name)))
      end
    elseif not found and not roles[place.name] then
      ctx:report(place.where, ("no resource is called '%s'; %s"):format(place.name,
        nearest.hint(place.name, names)))
    elseif found and found.type == "memory" then
      ctx:report(place.where, "a memory is held with td.hold, not used as a place")
    elseif not c.target and not found and place.name ~= "cpu" and place.name ~= "none" then
      ctx:report(place.where, ("runs on \"%s\" but the scenario has no target GPU"):format(
        place.name))
    end
  end
end

local default_place = { tokens = "gpu", compute = "gpu", table = "gpu", stage = "gpu",
  fixed = "cpu", delay = "none" }

--- Where a checked step runs: a role or a resource name.
---@param step table
---@return string
function rules.place_of(step) return step.on or default_place[step.type] or "none" end

local function check_steps(ctx, c, by_name, pipeline)
  local where = ctx:here("pipeline")
  local function at(step)
    return { stack = where.stack, key = where.key, below = { step.name } }
  end
  local params = {}
  if c.target then
    for _, g in ipairs(c.target.type == "gpu" and { c.target } or c.target.gpus or {}) do
      params[#params + 1] = { gpu = g, params = params_of(ctx, g) }
    end
  end
  local function need(step, field, why)
    for _, g in ipairs(params) do
      if not g.params[field] then
        ctx:report(at(step), ("GPU '%s' has no %s, which %s needs"):format(g.gpu.name or "?",
          field, why))
      end
    end
  end
  local function fits(step, memory, bytes)
    if bytes and type(step.memory) == "number" and step.memory > bytes then
      ctx:report(at(step), ("holds %s of '%s', which has %s"):format(format.bytes(step.memory),
        memory, format.bytes(bytes)))
    end
  end
  rules.each_step(pipeline, function(s)
    local place = rules.place_of(s)
    if s.batch and place == "none" then
      ctx:report(at(s), "has a batch, but runs on no resource that could serve one (on = …)")
    end
    if not s.on and default_place[s.type] == "gpu" and not c.target then
      ctx:report(at(s),
        "runs on the GPU but the scenario has no target (add target = td.gpu …, or on = …)")
    end
    local shared_link = by_name[place] and by_name[place].type == "link" and by_name[place].shared
    if (place == "h2d" or place == "d2h") and c.target then
      for _, g in ipairs(params) do
        local link = by_name[g.gpu.link or c.target.type == "fleet" and c.target.link or ""]
        shared_link = shared_link or (link and link.shared)
      end
    end
    if shared_link and s.type ~= "transfer" then
      ctx:report(at(s),
        ("runs on '%s', a shared link, where only bytes can be timed; use td.transfer")
          :format(place))
    end
    if not roles[place] and not by_name[place] then
      return -- said by check_places
    elseif s.type == "tokens" and not s.time_per_token then
      if place == "gpu" then
        need(s, "time_per_token", "a token's time")
      else
        ctx:report(at(s),
          "wants time_per_token: only a GPU has a default")
      end
    elseif s.type == "compute" then
      if place ~= "gpu" then
        ctx:report(at(s),
          "td.compute runs on a GPU (it needs its rates); use td.stage elsewhere")
      else
        if s.flops then need(s, "flops_" .. s.precision, "td.compute") end
        if s.bytes then need(s, "bandwidth", "td.compute") end
      end
    elseif s.type == "transfer" then
      if place == "h2d" or place == "d2h" then
        need(s, place, "a transfer")
      elseif not (by_name[place] and by_name[place].type == "link") then
        ctx:report(at(s),
          ("cannot transfer on '%s'; wanted \"h2d\", \"d2h\" or a td.link"):format(place))
      end
    elseif s.type == "hold" and (s.on == nil or s.on == "gpu") then
      if not c.target then
        ctx:report(at(s),
          "holds GPU memory but the scenario has no target")
      else
        need(s, "memory", "td.hold")
        for _, g in ipairs(params) do fits(s, (g.gpu.name or "?") .. " memory", g.params.memory) end
      end
    elseif s.type == "hold" then
      fits(s, s.on, by_name[s.on] and by_name[s.on].bytes)
    end
  end)
end

-- LLM servers: GPUs for all, a step model, room for a KV cache.
local function check_servers(ctx, c)
  local where = ctx:here("pipeline")
  local function report(step, message)
    ctx:report({ stack = where.stack, key = where.key, below = { step.name } }, message)
  end
  local on_gpu, used = nil, {}
  for _, class in ipairs(c.resolved) do
    rules.each_step(class.pipeline, function(s)
      if rules.place_of(s) == "gpu" then on_gpu = s end
      if s.type == "generate" then used[class] = s end
    end)
  end
  local servers, problems = require("tandem.pools").plan(c)
  for _, one in ipairs(problems) do report(one.step, one.message) end
  for _, server in ipairs(#problems == 0 and servers or {}) do
    local handover = server.step.handover
    for _, place in ipairs(handover and c.places or {}) do
      if place.name == handover.link and place.queue then
        report(server.step, ("hands over on '%s', whose queue has an end: requests may be dropped "
          .. "on a link (queue), their KV caches not"):format(place.name))
      end
    end
    local _, disagree = require("tandem.llm.prefixes").tokens(c, server)
    if disagree then report(server.step, disagree) end
    for _, pool in ipairs(server.pools) do
      local gpu = pool.gpu
      local made, why = require("tandem.settled").settle(pool.shape,
        gpu and params_of(ctx, gpu), gpu and resources.machine(gpu))
      if not made then
        report(server.step, #server.pools > 1 and pool.name .. ": " .. why or why)
        break
      end
      local _, unknown = require("tandem.llm.policies").shares(pool.shape.engine, c.resolved)
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
      if rules.llm_times[metric:match "^(.-)_"] and not used[class] then
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
    rules.each_step(class.pipeline, function(s)
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
  local _, ring = require("tandem.attributes").order(c, nearest.sorted_keys(names))
  if ring then
    ctx:problem("attrs", #ring == 1 and ("'%s' reads itself"):format(ring[1])
      or ("'%s' read each other: none can be worked out first"):format(
        table.concat(ring, "', '")))
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
function rules.shared_state(raw)
  local seen, shared = {}, {}
  local function passive(t)
    return node.group(t) ~= nil or expr.is_symbol(t)
      or rawget(t, "__tandem") == true
  end
  local function visit(v)
    if type(v) == "function" then
      require("tandem.bytecode").collect_changes(v, shared, passive)
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
function rules.check(raw, options)
  local ctx = check.context(options)
  ctx.shared = rules.shared_state(raw)
  ctx:push("scenario", raw)
  if raw.name == "" then ctx:problem("name", "is empty") end
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
  c.places = {}
  for i, r in ipairs(c.resources or {}) do
    ctx:push("resources", raw.resources)
    add_resource(r, ctx:here(i))
    ctx:pop()
  end
  for _, r in ipairs(ctx.resources) do add_resource(r.resource, r.where) end
  c.resources = nil
  if not failed.target and not failed.resources then check_places(ctx, c, by_name) end
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
      if not (failed.pipeline or failed.classes or failed.slo) then check_servers(ctx, c) end
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

return rules
