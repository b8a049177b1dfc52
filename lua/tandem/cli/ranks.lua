--- A command among the ranks of an MPI job: rank 0 drives, the others work for it.
--
-- Owns that division and what each rank leaves with. All ranks are given the same command line and
-- prepare the same work; what is wrong with it only rank 0 says. Called by sweep and plan.
local codes = require "tandem.cli.codes"
local consoles = require "tandem.cli.console"

local ranks = {}

-- One crew after another over the one backend that a process can have: numbers are the job's, and
-- an answer to a crew that has ended is dropped.
local function shared(backend)
  local last, asked = 0, {}
  return { size = backend.size, remote = true,
    give = function(_, number, text)
      last = last + 1
      asked[last] = number
      backend:give(last, text)
    end,
    take = function(_, timeout_s)
      while true do
        local number, text, message = backend:take(timeout_s)
        if not number then return nil, text end
        local known = asked[number]
        asked[number] = nil
        if known then return known, text, message end
      end
    end,
    close = function() asked = {} end }
end

---@class tandem.Prepared
---@field work fun(text: string): string  what every rank does with a job

--- Prepares and drives a command: alone, or among ranks when mpirun started several.
---@param console tandem.Console
---@param prepare fun(console: tandem.Console): tandem.Prepared|nil, integer|nil  nil and a code
---                                               when the command line or the scenario is wrong
---@param drive fun(prepared: tandem.Prepared, backend: tandem.Backend|nil): integer
---@return integer code
function ranks.run(console, prepare, drive)
  local mpi = require "tandem.sweep.mpi"
  local world, problem, rank = mpi.world()
  if problem then
    if rank ~= 0 then console.close_envelope = nil end
    return rank == 0 and console:fail(codes.IO, problem) or codes.IO
  elseif not world then
    local prepared, code = prepare(console)
    return prepared and drive(prepared) or code
  end
  if world.rank ~= 0 then
    local silent = consoles.of_strings()
    console.close_envelope = nil -- rank 0 answers
    local prepared, code = prepare(silent)
    local work = prepared and prepared.work
      or function() error(("rank %d has no work: %s"):format(world.rank, silent.err), 0) end
    local served = mpi.serve(world, work)
    return served and (prepared and codes.OK or code) or codes.IO -- rank 0 has the code that counts
  end
  local prepared, code = prepare(console)
  local backend = mpi.backend(world, prepared and { work = prepared.work, ahead = 4 } or nil)
  local ok, left = pcall(function()
    return prepared and drive(prepared, shared(backend)) or code
  end)
  backend:close()
  if not ok then error(left, 0) end
  return left
end

return ranks
