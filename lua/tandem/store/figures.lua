--- The figures of a result as rows of the table `metric`.
--
-- Owns which figures of tandem.result/1 are kept and under which names: those that stand for the
-- whole run under their paths ("latency.p99"), those of a class, stage, resource or LLM server
-- under its name. The half-width of an interval is a figure of its own, "latency.p99.half", and so
-- are the requests that it needs where it has none, "latency.p99.needs". Series
-- and histograms are in the run's summary. Called by keep.lua.
local metric = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"

local figures = {}

local UNITS <const> = { time = "s", rate = "1/s", bytes = "B", percent = "1", count = "1",
  money = "USD/h" }

-- In the order in which they are shown; what is not here follows by name.
local FIRST <const> = { "offered_rps", "carried_rps", "throughput_rps", "goodput_rps", "slo_met",
  "in_system", "latency", "requests", "events" }

-- What a result says of itself, not of the scenario.
local LEFT_OUT <const> = { seed = true, confidence = true, name = true, lane = true, kind = true,
  gpu = true, class = true, schema = true }

-- By path, of one result: a million stages have the same few, and to find one takes a while.
local units

local function unit_of(scope, name)
  local path = scope .. "." .. name
  local unit = units[path]
  if unit == nil then
    unit = name:find "%.needs$" and "1" or UNITS[metric.kind((path:gsub("%.half$", "")))] or false
    units[path] = unit
  end
  return unit or nil
end

local function put(out, scope, subject, name, value, text)
  local number = type(value) == "number"
  if number and (value ~= value or value == math.huge or value == -math.huge) then return end
  out[#out + 1] = { scope = scope, subject = subject, name = name, value = number and value or nil,
    unit = number and unit_of(scope, name) or nil,
    text = text }
end

local function is_estimate(value) return type(value.value) == "number" end

-- Every number of a table, its estimates and the tables in it that are no lists.
local function walk(out, scope, subject, table_of, path)
  for _, key in ipairs(nearest.sorted_keys(table_of)) do
    local value = rawget(table_of, key)
    if type(key) == "string" and not (path == "" and LEFT_OUT[key]) then
      local here = path .. key
      if type(value) == "number" then
        put(out, scope, subject, here, value)
      elseif type(value) == "table" and is_estimate(value) then
        put(out, scope, subject, here, value.value)
        if value.half then put(out, scope, subject, here .. ".half", value.half) end
        if value.needs then put(out, scope, subject, here .. ".needs", value.needs.requests) end
      elseif type(value) == "table" and value[1] == nil then
        walk(out, scope, subject, value, here .. ".")
      end
    end
  end
end

-- Lists and tables that are not figures of the whole run.
local PARTS <const> = { classes = "class", stages = "stage", resources = "resource" }
local APART <const> = { series = true, histogram = true, requests_log = true, recorded = true,
  overload = true, unsettled = true, classes = true, stages = true, resources = true, llm = true }

local function of_run(out, result)
  local whole, seen = {}, {}
  for key, value in pairs(result) do
    if not APART[key] then whole[key] = value end
  end
  for _, key in ipairs(FIRST) do
    if whole[key] ~= nil then
      seen[key] = true
      walk(out, "run", nil, { [key] = whole[key] }, "")
    end
  end
  for key in pairs(seen) do whole[key] = nil end
  walk(out, "run", nil, whole, "")
  local bottleneck = result:bottleneck()
  if bottleneck then put(out, "run", nil, "bottleneck", nil, bottleneck) end
end

-- Of an LLM server; the rest follows by name.
local FIRST_OF_SERVER <const> = { "ttft", "tpot", "itl", "e2e", "normalized", "queueing",
  "output_tokens_per_s", "prompt_tokens_per_s", "usd_per_million_tokens", "goodput_rps", "slo_met" }

local function of_server(out, server)
  local rest = {}
  for key, value in pairs(server) do rest[key] = value end
  for _, key in ipairs(FIRST_OF_SERVER) do
    walk(out, "llm", server.name, { [key] = server[key] }, "")
    rest[key] = nil
  end
  walk(out, "llm", server.name, rest, "")
  for _, class in ipairs(#server.classes > 1 and server.classes or {}) do
    walk(out, "llm", server.name .. " " .. class.name, class, "")
  end
  for _, tenant in ipairs(server.tenants or {}) do
    walk(out, "llm", server.name .. " tenant " .. tenant.name, tenant, "")
  end
end

local VERDICTS <const> = { [true] = "met", [false] = "missed" }

--- The figures of a result.
---@param result tandem.Result
---@return { scope: string, subject?: string, name: string, unit?: string, value?: number,
---          text?: string }[]
function figures.of(result)
  local out = {}
  units = {}
  of_run(out, result)
  local several = #result.classes > 1
  for _, server in ipairs(result.llm or {}) do of_server(out, server) end
  for _, part in ipairs { "classes", "stages", "resources" } do
    for _, one in ipairs(result[part]) do
      local name = one.name
      if part == "stages" and several and one.class then name = one.class .. " " .. name end
      walk(out, PARTS[part], name, one, "")
    end
  end
  for _, verdict in ipairs(result:verdicts()) do
    local value = verdict.value and verdict.value.value
    put(out, "class", verdict.class, "slo." .. verdict.metric, value,
      VERDICTS[verdict.met] or "undecided")
    put(out, "class", verdict.class, "slo." .. verdict.metric .. ".limit", verdict.limit)
  end
  if result.overload then
    put(out, "resource", result.overload.resource, "overload", result.overload.load,
      result.overload.reason)
  end
  if result.unsettled then
    put(out, "resource", result.unsettled.resource, "unsettled", result.unsettled.load or 1,
      result.unsettled.reason)
  end
  for _, name in ipairs(nearest.sorted_keys(result.recorded or {})) do
    walk(out, "recorded", name, result.recorded[name], "")
  end
  units = nil
  return out
end

return figures
