--- Turning a cost function into data: called once with a symbolic request, checked against itself.
-- Owns the decision whether a Lua function may be traced, and the reason when it may not. A
-- function that is refused stays a function (the engine calls it protected, about 40 ns a call);
-- tracing is an optimisation that must never change a result. Called by check/init.lua.

local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"
local bytecode = require "tandem.expr.bytecode"
local expr = require "tandem.expr"

local tracing = {}

local function recorder(reads)
  return setmetatable({}, {
    __index = function(_, key)
      if type(key) ~= "string" then
        error(setmetatable({ why = "it indexes the request with a " .. type(key) },
          expr.Untraceable), 0)
      end
      if key == "batch" then return expr.symbol { "batch" } end
      if key == "sum" or key == "gpu" then
        return setmetatable({}, { __index = function(_, name)
          if key == "sum" then reads.attrs[name] = true else reads.gpu[name] = true end
          return expr.symbol { key, name }
        end, __newindex = function()
          error(setmetatable({ why = "it assigns to r." .. key }, expr.Untraceable), 0)
        end })
      end
      if expr.request_fields[key] then
        error(setmetatable({ why = "it reads r." .. key }, expr.Untraceable), 0)
      end
      reads.attrs[key] = true
      return expr.symbol { "attr", key }
    end,
    __newindex = function()
      error(setmetatable({ why = "it assigns to the request" }, expr.Untraceable), 0)
    end,
    __pairs = function()
      error(setmetatable({ why = "it lists the request's fields" }, expr.Untraceable), 0)
    end,
  })
end

-- A fixed seed: the sample inputs are the same in every run, on every machine.
local function sampler(seed)
  local drawn = 0
  return function()
    drawn = drawn + 1
    return core.fraction(seed, drawn)
  end
end

local edges = { 0, 1, 2, 0.5, 1023, 1e9 }

-- One numeric request: every attribute read gets a value, the same one each time it is asked.
local function sample_request(uniform, edge, gpu_params, reads)
  local attrs, sums, gpu = {}, {}, {}
  local batch = edge and (edge == 0 and 1.0 or 64.0) or math.floor(uniform() * 64) + 1.0
  local env = { batch = batch }
  function env.attr(name)
    if attrs[name] == nil then
      attrs[name] = edge and edge + 0.0 or math.floor(10 ^ (uniform() * 6)) + 0.0
    end
    return attrs[name]
  end
  function env.sum(name)
    if sums[name] == nil then sums[name] = env.attr(name) * (1 + (batch - 1) * 0.75) end
    return sums[name]
  end
  function env.gpu(name)
    if gpu[name] == nil then
      local known = gpu_params and gpu_params[name]
      gpu[name] = known and (edge and known or known * (0.5 + uniform())) or 10 ^ (uniform() * 15)
    end
    return gpu[name]
  end
  function env.draw() return edge or 0.75 end
  local r = setmetatable({ batch = batch, id = 1, now = 1.0, time = 1.0, waited = 0.25,
    arrival = 0.5, class = "default", stage = "stage", outcome = "ok",
    sum = setmetatable({}, { __index = function(_, k)
      reads.attrs[k] = true
      return env.sum(k)
    end }),
    gpu = setmetatable({}, { __index = function(_, k) return env.gpu(k) end }) },
    { __index = function(_, k)
      if type(k) ~= "string" then return nil end
      reads.attrs[k] = true
      return env.attr(k)
    end })
  return r, env
end

local function same(a, b)
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= 1e-12 * math.max(math.abs(a), math.abs(b))
end

-- What a numeric call returned, as a number, evaluating any distribution it used at a fixed draw.
local function as_number(value, env)
  local e = expr.of(value)
  if e == nil then return nil end
  return expr.eval(e, env)
end

local samples = 16

-- What one call may take. An engine calls it for every request: even this would be seconds.
local MOST_INSTRUCTIONS <const>, MOST_BYTES <const>, MOST_SECONDS <const> = 50000000, 1 << 30, 2

-- As pcall; a call that does not end is stopped, and its third value is true then.
local function bounded(fn, ...)
  local arguments = table.pack(...)
  local source = debug.getinfo(fn, "S") -- its own line, not that of what it calls
  local ok, value, line, met = core.allowance(function()
    return fn(table.unpack(arguments, 1, arguments.n))
  end, source.source, MOST_INSTRUCTIONS, MOST_BYTES, MOST_SECONDS, "one call")
  if ok or not met then return ok, value end
  return false, ("%s:%d: %s"):format(source.short_src, line or source.linedefined, value), true
end

---@class tandem.Traced
---@field expr any[]|number|nil the program, when the function was traced
---@field fn function the function itself
---@field why string|nil why it was not traced
---@field attrs table<string, true> request attributes it reads (as far as seen)
---@field gpu table<string, true> GPU fields it reads (traced only)
---@field problem string|nil it fails on every sample input: this is the message

--- Trace a cost function.
---@param fn fun(r: table): any
---@param options { gpu: table<string, number>|nil, shared: table|nil, args: any[]|nil }|nil
---  gpu: parameters of the target, for realistic samples; shared: state other functions assign
---@return tandem.Traced
function tracing.trace(fn, options)
  options = options or {}
  local reads = { attrs = {}, gpu = {} }
  local out = { fn = fn, attrs = reads.attrs, gpu = reads.gpu }
  local why = bytecode.refuses(fn, options.shared)
  local program
  if not why then
    local ok, value, endless = bounded(fn, recorder(reads))
    if endless then
      out.problem = value
      return out
    end
    if not ok then
      why = getmetatable(value) == expr.Untraceable and value.why
        or ("it fails on a symbolic request: " .. ("%s"):format(value))
    else
      local problem
      program, problem = expr.of(value)
      if program == nil then
        why = value == nil and "it returns nothing" or ("it returns " .. ("%s"):format(problem))
      end
    end
  end
  local uniform = sampler(0x74616E64)
  local failures, first_failure, tried = 0, nil, 0
  for i = 1, samples + #edges do
    local edge = edges[i - samples]
    local r, env = sample_request(uniform, edge, options.gpu, reads)
    local ok, value, endless = bounded(fn, r)
    if endless then
      out.problem = value
      return out
    end
    tried = tried + 1
    local number
    -- The engine takes only plain numbers from a function that it has to call.
    if ok and (program or type(value) == "number") then number = as_number(value, env) end
    if not ok or number == nil then
      failures = failures + 1
      first_failure = first_failure or (ok and ("it returns %s, not a number%s"):format(
        value == nil and "nothing" or "a " .. type(value),
        why and value ~= nil and " (it stays a function: " .. why .. ")" or "")
        or ("%s"):format(value))
    end
    if program and not edge or program and ok then
      local ok_eval, mine = attempt(expr.eval, program, env)
      if not (ok and number and ok_eval and same(mine, number)) then
        program, why = nil, ("the traced program disagrees with it on a sample (%s against %s)")
          :format(tostring(mine), tostring(number))
      end
    end
  end
  if failures == tried then out.problem = first_failure end
  out.expr, out.why = program, why
  return out
end

return tracing
