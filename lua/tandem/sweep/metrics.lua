--- Which figures a sweep may be asked for.
-- Owns the check of the paths, by a short run, and the hint at the nearest; what is known of a path
-- is result/metric's. Called by sweep/study.
local attempt = require("tandem.text.shortage").attempt
local job = require "tandem.sweep.job"
local nearest = require "tandem.text.nearest"

local metrics = {}

-- Every path of a result that has a figure.
local function paths_of(result, path, out, depth)
  for _, key in ipairs(nearest.sorted_keys(result)) do
    local v = rawget(result, key)
    local label = type(key) == "number" and type(v) == "table" and rawget(v, "name") or key
    local here = path == "" and tostring(label) or path .. "." .. tostring(label)
    if type(v) == "table" and type(v.value) ~= "number" then
      if depth < 5 and label ~= "series" and label ~= "histogram" then
        paths_of(v, here, out, depth + 1)
      end
    elseif key ~= "name" and type(key) == "string" then
      out[#out + 1] = here
    end
  end
  return out
end

-- A short run tells which paths there are; nil where it cannot be run.
local function probe(scenario)
  local short = scenario:try_with { requests = 200 } or scenario
  local ok, result = attempt(short.run, short, { replications = 1, threads = 1, brief = true })
  return ok and result or nil
end

local usual = {}
for _, path in ipairs(job.metrics) do usual[path] = true end

--- Is each metric one that some point of the sweep can have?
---@param wanted string[]
---@param scenarios fun(): tandem.Scenario|nil  the base, then variants of it
---@return string|nil message
function metrics.check(wanted, scenarios)
  local open, seen = {}, {}
  for _, path in ipairs(wanted) do
    if type(path) ~= "string" then
      return ("metrics wants paths such as \"latency.p99\", not %s"):format(tostring(path))
    elseif seen[path] then
      return ("the metric %s stands there twice"):format(path)
    end
    seen[path] = true
    if not usual[path] then open[#open + 1] = path end
  end
  local known
  for scenario in scenarios do
    if #open == 0 then return nil end
    local result = probe(scenario)
    if result then
      known = known or paths_of(result, "", {}, 0)
      local left = {}
      for _, path in ipairs(open) do
        if job.figure(result, path, scenario) == nil then left[#left + 1] = path end
      end
      open = left
    end
  end
  if #open == 0 or not known then return nil end
  table.move(job.metrics, 1, #job.metrics, #known + 1, known)
  -- "p99" is what people call latency.p99.
  local path = open[1]
  if usual["latency." .. path] then
    return ("there is no metric '%s'; did you mean 'latency.%s'?"):format(path, path)
  end
  local near = nearest.word(path, known)
  return ("there is no metric '%s'; %s"):format(path, near and ("did you mean '%s'?"):format(near)
    or "the usual ones are " .. table.concat(job.metrics, ", "))
end

return metrics
