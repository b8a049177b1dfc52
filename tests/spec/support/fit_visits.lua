--- Visits with known parameters: requests whose stages follow one another, with sizes, copies,
-- noise and gaps drawn from a seed.
local made = {}

local function generator(seed)
  local state = seed
  -- SplitMix64, so that tests do not depend on the seed of math.random.
  local function uniform()
    state = state + 0x9e3779b97f4a7c15
    local z = state
    z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    return (((z ~ (z >> 31)) >> 11) + 0.5) / 2 ^ 53
  end
  local function normal()
    return math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
  end
  return { uniform = uniform, normal = normal,
    exponential = function(mean) return -mean * math.log(uniform()) end,
    -- A factor with mean 1.
    lognormal = function(cv)
      local v = math.log(1 + cv * cv)
      return math.exp(math.sqrt(v) * normal() - v / 2)
    end }
end
made.generator = generator

local function ns(seconds) return math.floor(seconds * 1e9 + 0.5) end

---@class tandem.MadeStage
---@field name string
---@field lane string
---@field time fun(r: table, g: table, i: integer): number|nil  seconds; nil: not visited
---@field bytes (fun(r: table): integer)|nil
---@field gap (fun(g: table, r: table): number)|nil  seconds before it

---@param spec { count: integer, seed: integer, stages: tandem.MadeStage[], tail: number|nil,
---  sizes: fun(g: table, i: integer): table, gap: fun(g: table, i: integer): number,
---  closed: boolean|nil }  gap: between arrivals; closed: from an end to the next arrival
---@return table visits
function made.visits(spec)
  local g = generator(spec.seed)
  local tables = { kind = "measured", stages = {}, visits = {},
    requests = { arrival_ns = {}, end_ns = {}, sizes = {} } }
  for i, stage in ipairs(spec.stages) do
    tables.stages[i] = { name = stage.name, lane = stage.lane }
    tables.visits[stage.name] = { request = {}, start_ns = {}, end_ns = {},
      bytes = stage.bytes and {} or nil }
  end
  local arrival = 0.0
  for i = 1, spec.count do
    local r = spec.sizes and spec.sizes(g, i) or {}
    for name, value in pairs(r) do
      tables.requests.sizes[name] = tables.requests.sizes[name] or {}
      tables.requests.sizes[name][i] = value
    end
    arrival = arrival + spec.gap(g, i)
    local now = arrival
    tables.requests.arrival_ns[i] = ns(now)
    for _, stage in ipairs(spec.stages) do
      local seconds = stage.time(r, g, i)
      if seconds then
        if stage.gap then now = now + stage.gap(g, r) end
        local of = tables.visits[stage.name]
        of.request[#of.request + 1] = i
        of.start_ns[#of.request] = ns(now)
        now = now + seconds
        of.end_ns[#of.request] = ns(now)
        if stage.bytes then of.bytes[#of.request] = stage.bytes(r) end
      end
    end
    now = now + (spec.tail or 0)
    tables.requests.end_ns[i] = ns(now)
    if spec.closed then arrival = now end
  end
  return require("tandem.visits").of(tables)
end

return made
