--- What a map may say: its keys, which of them go together, and what each must be.
--
-- Owns the check of a whole map: every problem at once, each with its position (check/problem.lua).
-- A rule has one selector, which says what rows it takes; the other keys of a rule depend on it.
-- Called by map/init.lua.
local check = require "tandem.check"
local nearest = require "tandem.text.nearest"
local pattern = require "tandem.map.pattern"

local kinds = check.kinds

local shape = {}

---@alias tandem.MapEach "stream"|"device"|"process"

---@class tandem.MapRequest  exactly one of range, sequence, starts, phases, by
---@field range? string          pattern of the names of ranges: each is a request, on its thread
---@field domain? string         of NVTX ranges: pattern of their domain
---@field category? string|string[]  of the ranges (default: of nvtx, marker, torch and Python)
---@field sequence? string[]     kinds of GPU work in order: "HtoD", "kernel", "DtoH", …
---@field starts? tandem.MapRule a request from one match to the next
---@field phases? boolean        API calls alone: input → execute → retrieve
---@field by? fun(span: table): any, string|true|nil
---@field each? tandem.MapEach   of sequence and starts
---@field attribute? "launch"|"time"  how GPU work finds its range

---@class tandem.MapRule  exactly one of SELECTORS
---@field range? string
---@field domain? string
---@field category? string|string[]
---@field on? "cpu"|"gpu"  of range: host time in it, or the GPU work launched in it
---@field kernel? string
---@field comm? string     collectives
---@field copy? string     the kind of copies: "HtoD", "DtoH", "*"
---@field memset? string
---@field graph? string
---@field call? string     API calls
---@field op? string       operators of PyTorch
---@field sync? string     synchronization as the profiler tells it
---@field phase? string    with phases: "input", "execute", "retrieve"

---@class tandem.MapStage: tandem.MapRule
---@field [1] string       its name
---@field lane? string     QUEUE CPU H2D GPU D2H COMM OTHER (default: by its rows)

---@alias tandem.MapSize string|{ arg: string }|{ count: tandem.MapRule }|{ bytes: tandem.MapRule }

---@class tandem.MapSpec
---@field request tandem.MapRequest  which spans are requests
---@field sizes? table<string, tandem.MapSize>  sizes of requests, by name
---@field stages? tandem.MapStage[]  none with `by`, which names them itself

--- What a rule can take, in the order that help shows it.
local SELECTORS = { "range", "kernel", "comm", "copy", "memset", "graph", "call", "op", "sync",
  "phase" }
local LANES = { "QUEUE", "CPU", "H2D", "GPU", "D2H", "COMM", "OTHER" }
--- What a sequence is made of, besides kinds of copies.
local STEPS = { "kernel", "comm", "memset", "graph", "copy" }
local COPIES = { "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA" }
local PHASES = { "weight_load", "input", "execute", "retrieve" }
local REQUESTS <const> = { "range", "sequence", "starts", "phases", "by" }

-- ---- kinds of value ----

function kinds.map_pattern(ctx, v, _, key)
  if type(v) ~= "string" then
    ctx:problem(key, ("is %s; wanted a pattern: \"*\", \"name*\" or \"/expression/\"")
      :format(check.describe(v)))
    return nil
  end
  local wrong = pattern.problem(v)
  if not wrong then return v end
  ctx:problem(key, wrong)
end

-- A pattern that must be one of few words where it is no pattern.
local function word_or_pattern(words)
  return function(ctx, v, spec, key)
    local text = kinds.map_pattern(ctx, v, spec, key)
    if not text or text:find "[%*%?/ ]" then return text end
    return kinds.enum(ctx, text, { of = words }, key)
  end
end

kinds.map_copy = word_or_pattern(COPIES)
kinds.map_phase = word_or_pattern(PHASES)

local MOST_CATEGORIES <const> = 8 -- TDM_RULE_CATEGORIES of src/analysis/visits/visits.h

function kinds.map_categories(ctx, v, _, key)
  if type(v) == "string" then return kinds.string(ctx, v, {}, key) end
  if type(v) == "table" and #v > MOST_CATEGORIES then
    ctx:problem(key, ("has %d; a rule can name %d"):format(#v, MOST_CATEGORIES))
    return nil
  end
  return kinds.list(ctx, v, { min = 1, of = { kind = "string" } }, key)
end

function kinds.map_step(ctx, v, _, key)
  if type(v) == "string" and v:find "^UVM " then return v end
  local words = table.move(COPIES, 1, #COPIES, #STEPS + 1,
    { table.unpack(STEPS) })
  return kinds.enum(ctx, v, { of = words }, key)
end

-- A table of known keys, whose specification is not one of the scenario language.
local function record(ctx, v, spec, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    ctx:problem(key, ("is %s; wanted a table with %s"):format(check.describe(v),
      nearest.hint("", nearest.sorted_keys(spec.keys))))
    return nil
  end
  ctx:push(key, v)
  local made = check.fields(ctx, v, spec)
  spec.validate(ctx, v)
  ctx:pop()
  return made
end

-- Exactly one of several keys; returns which. Where a key is unknown that is what is wrong.
local function one_of(ctx, raw, words, what, keys)
  local found = {}
  for _, word in ipairs(words) do
    if rawget(raw, word) ~= nil and rawget(raw, word) ~= false then found[#found + 1] = word end
  end
  if #found == 1 then return found[1] end
  if #found == 0 then
    for key in next, raw do
      if key ~= "name" and not keys[key] then return nil end
    end
    ctx:problem(nil, ("does not say %s; give it one of %s"):format(what,
      table.concat(words, ", ")))
  else
    ctx:problem(found[2], ("stands beside %s; give one of the two"):format(found[1]))
  end
end

-- Keys that only go with some selectors.
local function only_with(ctx, raw, found, pairs_of)
  for _, key in ipairs(nearest.sorted_keys(pairs_of)) do
    local allowed, fits = pairs_of[key], false
    for _, word in ipairs(allowed) do fits = fits or word == found end
    if rawget(raw, key) ~= nil and found and not fits then
      ctx:problem(key, ("goes with %s, not with %s"):format(table.concat(allowed, " or "), found))
    end
  end
end

local function keys_with(more)
  local keys = { range = { kind = "map_pattern" }, domain = { kind = "map_pattern" },
    category = { kind = "map_categories" } }
  for key, spec in pairs(more) do keys[key] = spec end
  return keys
end

local RULE_KEYS <const> = keys_with { on = { kind = "enum", of = { "cpu", "gpu" } },
  kernel = { kind = "map_pattern" }, comm = { kind = "map_pattern" },
  copy = { kind = "map_copy" }, memset = { kind = "map_pattern" },
  graph = { kind = "map_pattern" }, call = { kind = "map_pattern" }, op = { kind = "map_pattern" },
  sync = { kind = "map_pattern" }, phase = { kind = "map_phase" } }
local RANGE_ONLY <const> = { domain = { "range" }, category = { "range" }, on = { "range" } }

local STAGE_KEYS <const> = { lane = { kind = "enum", of = LANES } }
for key, spec in pairs(RULE_KEYS) do STAGE_KEYS[key] = spec end

local function validate_rule(ctx, raw)
  only_with(ctx, raw, one_of(ctx, raw, SELECTORS, "what it takes", STAGE_KEYS),
    RANGE_ONLY)
end

local RULE <const> = { type = "rule", group = "record", keys = RULE_KEYS, validate = validate_rule }

function kinds.map_rule(ctx, v, _, key) return record(ctx, v, RULE, key) end

local STAGE <const> = { type = "stage", group = "record", named = true, keys = STAGE_KEYS,
  validate = validate_rule }

-- A stage begins with its name; inside the check it is a record with a name.
function kinds.map_stage(ctx, v, _, key)
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    ctx:problem(key, ("is %s; wanted a stage: { \"h2d\", copy = \"HtoD\" }")
      :format(check.describe(v)))
    return nil
  end
  local named, name = {}, rawget(v, 1)
  for k, one in next, v do
    if k ~= 1 then named[k] = one end
  end
  if type(name) ~= "string" or name == "" then
    ctx:problem(key, name == nil
      and "has no name; a stage begins with it: { \"h2d\", copy = \"HtoD\" }"
      or ("begins with %s; wanted its name, a text"):format(check.describe(name)))
    named.name = nil
  else
    named.name = name
  end
  local made = record(ctx, named, STAGE, key)
  if made then made[1], made.name = made.name, nil end
  return made
end

function kinds.map_stages(ctx, v, _, key)
  local made = kinds.list(ctx, v, { min = 1, of = { kind = "map_stage" } }, key)
  local seen = {}
  ctx:push(key, v)
  for i, stage in ipairs(type(v) == "table" and v or {}) do
    local name = type(stage) == "table" and rawget(stage, 1)
    if name and seen[name] then ctx:problem(i, ("two stages are named '%s'"):format(name)) end
    if name then seen[name] = true end
  end
  ctx:pop()
  return made
end

local REQUEST_KEYS <const> = keys_with {
  sequence = { kind = "list", min = 2, of = { kind = "map_step" } },
  starts = { kind = "map_rule" },
  phases = { kind = "boolean" }, by = { kind = "fn" },
  each = { kind = "enum", of = { "stream", "device", "process" } },
  attribute = { kind = "enum", of = { "launch", "time" } } }
local REQUEST <const> = { type = "request", group = "record", keys = REQUEST_KEYS,
  validate = function(ctx, raw)
    only_with(ctx, raw, one_of(ctx, raw, REQUESTS, "what a request is", REQUEST_KEYS), {
      domain = { "range" }, category = { "range" }, attribute = { "range", "starts" },
      each = { "sequence", "starts" } })
  end }

function kinds.map_request(ctx, v, _, key) return record(ctx, v, REQUEST, key) end

-- Sizes are numbers by name, one rule each.
local SIZE_KEYS <const> = { arg = { kind = "string" }, count = { kind = "map_rule" },
  bytes = { kind = "map_rule" } }
local SIZE <const> = { type = "size", group = "record", keys = SIZE_KEYS,
  validate = function(ctx, raw)
    one_of(ctx, raw, { "arg", "count", "bytes" }, "where its number is from", SIZE_KEYS)
  end }

function kinds.map_size(ctx, v, _, key)
  if type(v) ~= "string" then return record(ctx, v, SIZE, key) end
  local expression = pattern.expression(v)
  local text = kinds.map_pattern(ctx, v, {}, key)
  if text and not expression then
    ctx:problem(key, ("is '%s'; a size is an expression with the number in parentheses: "
      .. "\"/tokens=(\\\\d+)/\""):format(v))
  elseif text and not expression:gsub("\\.", ""):find "%(" then
    ctx:problem(key, "has no parentheses around the number that it means: \"/tokens=(\\\\d+)/\"")
  else
    return text
  end
end

function kinds.map_sizes(ctx, v, _, key)
  local made = kinds.map(ctx, v, { of = { kind = "map_size" } }, key)
  for _, name in ipairs(made and nearest.sorted_keys(v) or {}) do
    if type(name) == "string" and not name:find "^[%a_][%w_]*$" then
      ctx:push(key, v)
      ctx:problem(name, "is not a name: letters, digits and _")
      ctx:pop()
    end
  end
  return made
end

local MAP <const> = { type = "map", group = "record", keys = {
  request = { kind = "map_request", required = true,
    words = "which spans are requests: request = { range = \"step*\" }" },
  sizes = { kind = "map_sizes" }, stages = { kind = "map_stages" } },
  validate = function(ctx, raw)
    local request = type(raw.request) == "table" and raw.request or {}
    if request.by then
      if raw.stages ~= nil then
        ctx:problem("stages", "stands beside by, which names the stages")
      end
    elseif raw.stages == nil then
      ctx:problem("stages", "is missing (what the parts of a request are: "
        .. "{ { \"compute\", kernel = \"*\" } })")
    end
    for i, stage in ipairs(type(raw.stages) == "table" and raw.stages or {}) do
      if type(stage) == "table" and rawget(stage, "phase") ~= nil and not request.phases then
        ctx:push("stages", raw.stages)
        ctx:problem(i, "takes a phase, which goes with request = { phases = true }")
        ctx:pop()
      end
    end
  end }

--- Checks a map as it was written.
---@param raw table
---@return tandem.MapSpec|nil
---@return tandem.Problems
function shape.check(raw)
  local ctx = check.context()
  ctx:push("map", raw)
  local made = check.fields(ctx, raw, MAP)
  MAP.validate(ctx, raw)
  ctx:pop()
  ctx.problems:sort()
  if #ctx.problems > 0 then return nil, ctx.problems end
  return made, ctx.problems
end

return shape
