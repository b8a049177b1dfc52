--- What was held out, simulated: a fitted scenario under the very requests. Those that were fitted
-- are simulated too, since the ones held out waited for them.
-- Owns the store that holds the simulation for the while, and that the delays that stand for gaps
-- are gaps again, so that the two runs have the same stages. Called by init.lua.

local visits = require "tandem.visits"

local rehearsal = {}

-- Waits as spans: a visit waits right before it begins.
local function waits_of(of)
  local out = { request = {}, start_ns = {}, end_ns = {} }
  for i, wait in ipairs(of.wait_ns) do
    if wait > 0 then
      local n = #out.request + 1
      out.request[n], out.end_ns[n] = of.request[i], of.start_ns[i]
      out.start_ns[n] = of.start_ns[i] - wait
    end
  end
  return out
end

-- Visits without the steps that stand for gaps.
local function without(simulated, gaps)
  local requests = simulated:requests()
  local tables = { kind = "simulated", stages = {}, visits = {}, waits = {}, requests = {
    id = requests.id, arrival_ns = requests.arrival_ns, end_ns = requests.end_ns,
    outcome = requests.outcome, sizes = requests.sizes } }
  for _, stage in ipairs(simulated.stages) do
    if not gaps[stage.name] then
      local of = simulated:of(stage.name)
      table.insert(tables.stages, { name = stage.name, lane = stage.lane,
        capacity = stage.capacity })
      tables.visits[stage.name] = { request = of.request, start_ns = of.start_ns,
        end_ns = of.end_ns, bytes = of.bytes }
      tables.waits[stage.name] = waits_of(of)
    end
  end
  local made = visits.of(tables)
  made.run = simulated.run
  return made
end

--- The fitted scenario simulated under the whole load; of it, what was held out.
---@param fit tandem.Fit
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function rehearsal.of(fit)
  local made, problems = fit:scenario()
  if not made then return nil, tostring(problems), require("tandem.cli.codes").INVALID end
  local path = os.tmpname()
  os.remove(path)
  path = path .. ".db"
  local simulated
  local run, message, code = fit.real:replay(made, { store = path })
  if run then
    simulated, message, code = run:visits()
    if simulated then
      local gaps = {}
      for _, gap in ipairs(fit.gaps) do gaps[gap.name] = true end
      simulated = without(simulated, gaps):slice(fit.held)
    end
    run.store:close()
  end
  os.remove(path)
  return simulated, message, code
end

return rehearsal
