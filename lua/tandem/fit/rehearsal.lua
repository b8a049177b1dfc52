--- What was held out, simulated: a fitted scenario under the very requests. Those that were fitted
-- are simulated too, since the ones held out waited for them.
-- Owns the store that holds the simulation for the while, and that the delays that stand for gaps
-- are gaps again, so that the two runs have the same stages. Called by init.lua.

local leave_out = require "tandem.visits.leave_out"

local rehearsal = {}

--- The fitted scenario simulated under the whole load; of it, what was held out.
---@param fit tandem.Fit
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function rehearsal.of(fit)
  local made, problems = fit:scenario()
  if not made then return nil, tostring(problems), require("tandem.cli.codes").INVALID end
  local file <close> = require("tandem.io.scratch").new ".db"
  local simulated
  local run, message, code = fit.real:replay(made, { store = file.path })
  if run then
    simulated, message, code = run:visits()
    if simulated then
      local gaps = {}
      for _, gap in ipairs(fit.gaps) do gaps[gap.name] = true end
      simulated = leave_out.of(simulated, gaps):slice(fit.held)
    end
    run.store:close()
  end
  return simulated, message, code
end

return rehearsal
