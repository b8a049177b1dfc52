--- A simulated run into a store, with its figures, and its trace when that is small.
--
-- Owns which traces are kept by default: those of runs that stay small, since tracing costs the
-- fast path. The rows are core.keep's. Called by scenario:run.
local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"

local keep = {}

-- Of the first replication. So many are less than a tenth of a second's work, and one or two
-- megabytes in the file.
local SMALL_REQUESTS <const> = 20000

--- How many requests a replication will have; nil where that cannot be said.
---@param model table
---@return number|nil
function keep.expected_requests(model)
  local arrivals = require "tandem.explain.arrivals"
  local sum, known = 0, true
  for _, class in ipairs(model.classes) do
    local process = class.arrivals
    local duration = process.duration or model.duration
    local rate = arrivals.rate(process, duration)
    local count = process.requests or process.times and #process.times or math.huge
    if duration and rate.rps then count = math.min(count, rate.rps * duration) end
    if duration and rate.users and rate.think_s and rate.think_s > 0 then
      count = math.min(count, rate.users * (duration / rate.think_s + 1))
    end
    known = known and count < math.huge
    sum = sum + count
  end
  local most = model.requests or math.huge
  if known then return math.min(sum, most) end
  return most < math.huge and most or nil
end

--- Is the trace of this run kept?
---@param spans "all"|"auto"|"none"
---@param model table
---@return boolean
function keep.wants_trace(spans, model)
  if spans ~= "auto" then return spans == "all" end
  local expected = keep.expected_requests(model)
  return expected ~= nil and expected <= SMALL_REQUESTS
end

--- Keeps a run.
---@param path string
---@param scenario tandem.Scenario  what was run
---@param result tandem.Result
---@param trace userdata|nil        of its first replication
---@return string|nil id
---@return string|nil message
---@return integer|nil code
function keep.run(path, scenario, result, trace)
  local written, text = attempt(scenario.to_json, scenario) -- functions have no JSON
  return require("tandem.store.made").by(path, core.keep, path, {
    name = result.name, seed = result.seed, version = core.version(), hash = scenario:hash(),
    scenario = written and text or nil, summary = result:to_json(),
    metrics = require("tandem.store.figures").of(result), interrupted = result.interrupted,
    created_utc_ns = require("tandem.io.date").now_ns(),
  }, trace)
end

return keep
