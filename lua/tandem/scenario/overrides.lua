--- Applying `with` and `--set`: dotted paths into the data a scenario was written as.
-- Owns path resolution (names of steps stand for their positions in lists) and the short names
-- (rps, gpus, gpu or kind, batch, model, …). Works on a copy; the caller checks the outcome.

local check = require "tandem.check"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"

local overrides = {}

-- Short names people think in, and the paths they mean.
local aliases = {
  rps = "workload.rps", users = "workload.users", gpus = "target.count", count = "target.count",
  concurrency = "target.concurrency", workers = "cpu.workers", rate = "workload.rps",
}

-- Names below a table that a path could not hold piece by piece ("Optimizer.step"), longest first.
local function dotted_names(t, out, depth)
  if type(t) ~= "table" or depth > 16 then return out end
  local name = rawget(t, "name")
  if type(name) == "string" and name:find "[.%[%]]" then out[#out + 1] = name end
  for _, v in next, t do
    if type(v) == "table" then dotted_names(v, out, depth + 1) end
  end
  return out
end

local function split(path, names)
  local out, at = {}, 1
  while at <= #path do
    local taken
    for _, name in ipairs(names) do
      local after = path:sub(at + #name, at + #name)
      if not taken and path:sub(at, at + #name - 1) == name and (after == "" or after == ".") then
        taken = name
      end
    end
    if taken then
      out[#out + 1], at = taken, at + #taken
    else
      local from, to = path:find("^[^.%[%]]+", at)
      if from then
        local segment = path:sub(from, to)
        out[#out + 1], at = tonumber(segment) or segment, to
      end
      at = at + 1
    end
  end
  return out
end

-- The key of `t` that a path segment means: a key, a position, or the name of a listed node.
local function find(t, segment)
  if rawget(t, segment) ~= nil then return segment end
  for i, v in ipairs(t) do
    if type(v) == "table" and rawget(v, "name") == segment then return i end
  end
  -- In a node, the array part may be written out under its key.
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(v) == "table" and not node.group(v) and (k == "steps" or k == "gpus") then
      for i, x in ipairs(v) do
        if type(x) == "table" and rawget(x, "name") == segment then return k, i end
      end
    end
  end
  return nil
end

-- Steps inside branches, loops and forks are found by name too.
local function find_deep(t, segment, depth)
  if type(t) ~= "table" or depth > 12 then return nil end
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(v) == "table" then
      if rawget(v, "name") == segment and node.group(v) == "stage" then return v end
      local inner = find_deep(v, segment, depth + 1)
      if inner then return inner end
    end
  end
end

local function names_in(t)
  local names = {}
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(k) == "string" then names[#names + 1] = k end
    if type(k) == "number" and type(v) == "table" and type(rawget(v, "name")) == "string" then
      names[#names + 1] = v.name
    end
  end
  local spec = node.types[rawget(t, "type") or ""]
  for k in pairs(spec and spec.keys or {}) do names[#names + 1] = k end
  return names
end

-- Names of steps below a table, for the hint.
local function step_names(t, names, depth)
  if type(t) ~= "table" or depth > 12 then return names end
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(v) == "table" then
      if node.group(v) == "stage" and type(rawget(v, "name")) == "string" then
        names[#names + 1] = v.name
      end
      step_names(v, names, depth + 1)
    end
  end
  return names
end

local function is_leaf(v) return type(v) ~= "table" or getmetatable(v) ~= nil or #v > 0 end

local function assign(t, key, value)
  local old = rawget(t, key)
  if not is_leaf(value) and type(old) == "table" then
    for _, k in ipairs(nearest.sorted_keys(value)) do
      assign(old, find(old, k) or k, value[k])
    end
  else
    rawset(t, key, node.copy(value))
  end
end

local function problem(path, message)
  local list = check.problems()
  list[1] = check.problem(nil, nil, path, message)
  return list
end

-- `gpu = "H100"` changes the kind and keeps the rest of what was said about the target.
local function set_gpu(raw, value)
  local target = raw.target
  if type(value) ~= "string" or type(target) ~= "table" or target.type ~= "gpu" then
    raw.target = node.copy(value)
  else
    target.name = value
  end
end

-- Steps that run on the GPU as far as their text tells, nested ones included.
local ON_GPU = { tokens = true, compute = true, table = true, stage = true }

local function gpu_steps(t, out, depth)
  if type(t) ~= "table" or depth > 12 then return out end
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(v) == "table" then
      local on = rawget(v, "on")
      if node.group(v) == "stage" and (on == "gpu" or on == nil and ON_GPU[rawget(v, "type")]) then
        out[#out + 1] = v
      end
      gpu_steps(v, out, depth + 1)
    end
  end
  return out
end

-- `batch = 8` is the batch of the only step on the GPU.
local function set_batch(raw, value)
  local steps = gpu_steps({ raw.pipeline, raw.classes }, {}, 0)
  if #steps == 1 then
    assign(steps[1], "batch", value)
    return nil
  elseif #steps == 0 then
    return problem("batch", "no step runs on the GPU; name one: pipeline.NAME.batch")
  end
  return problem("batch", ("%d steps run on the GPU; name one: pipeline.%s.batch"):format(#steps,
    tostring(rawget(steps[1], "name") or "NAME")))
end

-- A step is known by its position in the list and by its name.
local function once_each(names)
  local seen, out = {}, {}
  for _, name in ipairs(names) do
    if not seen[name] then out[#out + 1], seen[name] = name, true end
  end
  return out
end

-- Short names of parts of the only LLM server.
local of_server = { model = "model", tp = "tp", replicas = "replicas",
  max_seqs = "engine.max_seqs", max_batched_tokens = "engine.max_batched_tokens",
  kv_blocks = "engine.kv_blocks" }

-- Steps that are td.generate's, and each one's path.
local function servers_in(t, out, depth, path)
  if type(t) ~= "table" or depth > 12 then return out end
  for _, k in ipairs(nearest.sorted_keys(t)) do
    local v = rawget(t, k)
    if type(v) == "table" then
      local at = ("%s%s."):format(path, type(k) == "number" and rawget(v, "name") or k)
      if rawget(v, "type") == "generate" and node.group(v) == "stage" then
        out[#out + 1], out[v] = v, at
      end
      servers_in(v, out, depth + 1, at)
    end
  end
  return out
end

-- `max_seqs = 64` is that of the only LLM server, in whichever classes its steps stand.
local function set_server(raw, short, value)
  local steps = servers_in({ pipeline = raw.pipeline, classes = raw.classes }, {}, 0, "")
  if #steps == 0 then return problem(short, "there is no td.generate here") end
  for _, step in ipairs(steps) do
    if rawget(step, "name") ~= rawget(steps[1], "name") then
      return problem(short, ("there are several LLM servers; name one: %s%s"):format(
        steps[steps[1]], of_server[short]))
    end
    local part, key = of_server[short]:match "^(.-)%.?([^.]+)$"
    if part ~= "" then
      if type(rawget(step, part)) ~= "table" then rawset(step, part, {}) end
      rawset(rawget(step, part), key, value)
    else
      rawset(step, key, node.copy(value))
    end
  end
end

-- What the part of a table may hold that a segment names; nil: nobody says. Plain tables do not
-- know what they are (slo, its within): `spec` does, by where they stand. All items of a list are.
local function spec_of(spec, t, segment, at)
  if type(at) == "number" then return spec end
  spec = node.group(t) and node.types[rawget(t, "type")] or spec
  local key = spec and spec.keys and spec.keys[segment]
  local of = key and key.of
  if type(of) == "table" then of = of.of end -- of the items of a list
  return of and node.types[of] or nil, key ~= nil and key.kind == "record"
end

-- A record that is not written yet, or as its one value: within = "1h" is { windows = "1h" }.
local function written_out(spec, value)
  if value == nil then return {} end
  local first = spec and spec.positional and spec.positional[1]
  if first and type(value) ~= "table" then return { [first] = value } end
end

-- The nearest thing to a segment that is not in t. At the top, steps are named from the pipeline.
local function hint_of(raw, t, segment)
  local names = once_each(step_names(t, names_in(t), 0))
  local near = t == raw and nearest.word(segment, names)
  if near and find_deep(raw.pipeline, near, 0) then
    return ("did you mean 'pipeline.%s'?"):format(near)
  end
  return nearest.hint(tostring(segment), names)
end

local function set_path(raw, path, value)
  local names = {}
  if path:find("[.%[].*[.%[]") then
    names = dotted_names(raw, names, 0)
    table.sort(names, function(a, b) return #a > #b or #a == #b and a < b end)
  end
  local segments = split(aliases[path] or path, names)
  if #segments == 0 then return problem(path, "is not a path") end
  local t, spec, scenario_keys = raw, node.types.scenario, node.types.scenario.keys
  for i = 1, #segments - 1 do
    local segment = segments[i]
    local key, index = find(t, segment)
    local next_table = key ~= nil and rawget(t, key) or nil
    if index then next_table = next_table[index] end
    local is_record
    spec, is_record = spec_of(spec, t, segment, key)
    local record = is_record and written_out(spec, next_table)
    if key == nil and i > 1 and type(segment) == "string" then
      next_table = find_deep(t, segment, 0)
    end
    if i == 1 and segment == "target" and type(next_table) == "string" then
      next_table = require("tandem.language.resources").gpu(next_table)
      raw.target = next_table
    elseif i == 1 and segment == "cpu" and type(next_table) ~= "table" then
      next_table = { workers = next_table }
      raw.cpu = next_table
    elseif key == nil and next_table == nil and i == 1 and scenario_keys[segment] then
      next_table = {}
      raw[segment] = next_table
    elseif record and (next_table == nil or type(next_table) ~= "table") then
      next_table = record
      rawset(t, segment, next_table)
    elseif type(next_table) == "number" or type(next_table) == "string" then
      return problem(path, ("'%s' is a single value, it has no parts"):format(segment))
    end
    if type(next_table) ~= "table" then
      local hint = hint_of(raw, t, segment)
      return problem(path, ("there is no '%s' here%s"):format(segment,
        hint ~= "" and "; " .. hint or ""))
    end
    t = next_table
  end
  local last = segments[#segments]
  local key, index = find(t, last)
  if t == raw and key == nil and not scenario_keys[last] then
    local known = nearest.sorted_keys(scenario_keys)
    table.move(nearest.sorted_keys(aliases), 1, #nearest.sorted_keys(aliases), #known + 1, known)
    table.move({ "gpu", "kind", "batch" }, 1, 3, #known + 1, known)
    if #servers_in({ raw.pipeline, raw.classes }, {}, 0) > 0 then
      for short in pairs(of_server) do known[#known + 1] = short end
    end
    return problem(path, "unknown key; " .. nearest.hint(tostring(last), known))
  end
  if index then
    assign(rawget(t, key), index, value)
  else
    assign(t, key or last, value)
  end
  return nil
end

-- "nil" of a command line is a text, and takes nothing away.
local function no_value(path, value)
  if value ~= "nil" and value ~= "null" then return nil end
  return problem(path, ("'%s' is not a value: a change gives another one, it takes nothing away")
    :format(value))
end

-- How many parts deep what a path means lies: "gpus" is a piece of the target.
local function depth_of(path)
  if path == "batch" or of_server[path] then return math.huge end
  return select(2, (aliases[path] or path):gsub("%.", ""))
end

--- Apply changes to a copy of `raw`.
---@param raw table
---@param changes table<string, any>
---@return table|nil copy
---@return tandem.Problems|nil
function overrides.apply(raw, changes)
  if type(changes) ~= "table" or getmetatable(changes) ~= nil then
    return nil, problem("", "with wants a table { path = value, … }")
  end
  local copy = node.copy(raw)
  -- Shorter paths first, so that replacing a whole part comes before changing a piece of it: a
  -- short name counts as the path that it means.
  local paths = nearest.sorted_keys(changes)
  for _, path in ipairs(paths) do
    if type(path) ~= "string" then return nil, problem(tostring(path), "is not a path") end
    local wrong = no_value(path, changes[path])
    if wrong then return nil, wrong end
  end
  table.sort(paths, function(a, b)
    local da, db = depth_of(a), depth_of(b)
    if da ~= db then return da < db end
    return a < b
  end)
  for _, path in ipairs(paths) do
    if path == "gpu" or path == "kind" then
      set_gpu(copy, changes[path])
    elseif path == "batch" then
      local wrong = set_batch(copy, changes[path])
      if wrong then return nil, wrong end
    elseif of_server[path] then
      local wrong = set_server(copy, path, changes[path])
      if wrong then return nil, wrong end
    else
      local wrong = set_path(copy, path, changes[path])
      if wrong then return nil, wrong end
    end
  end
  return copy
end

--- The short names `with` and `--set` know, for help and completion.
overrides.aliases = aliases

return overrides
