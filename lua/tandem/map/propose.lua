--- `td.map.propose(run)`: maps that a performance engineer could have written for a run, best
--- first.
--
-- Owns the proposals: candidates (requests.lua) with their stages (parts.lua) as checked maps, what
-- each covers once asked, and the one line that says why there is none.
local map = require "tandem.map"
local parts = require "tandem.map.parts"
local requests = require "tandem.map.requests"

local propose = {}

---@class tandem.MapProposal
---@field map tandem.Map
---@field why string       what repeats
---@field marked boolean   whether a person marked it
---@field once boolean     whether it came once only

local NOTHING <const> = 3
local MOST <const> = 20

-- Why nothing is proposed: what there is, and what would help.
local function why_none(view)
  local told = {}
  for row in view.run:span_categories() do
    if #told < 4 then
      told[#told + 1] = ("%s %s"):format(require("tandem.format").integer(row.spans), row.category)
    end
  end
  if #told == 0 then return "the run has no spans" end
  return ("nothing in the run repeats and no range is marked (it has %s); mark requests with NVTX "
    .. "or record_function, or write a map by hand (tandem help map)"):format(
    table.concat(told, ", "))
end

local function globs_of(view)
  local counted = view:count("candidate-ranges", { limit = 1000 })
  local globs = {}
  for i, row in ipairs(counted and counted.frames[1].rows or {}) do globs[i] = row.name end
  return globs
end

--- Candidate maps of a run, best first; none is nil, the reason, and 3.
---@param run tandem.Run
---@param options? { limit?: integer }  how many; 3 unless told
---@return tandem.MapProposal[]|nil
---@return string|nil message
---@return integer|nil code
function propose.of(run, options)
  if type(run) ~= "table" or not run.store then
    error("td.map.propose wants a run: store:run \"last\"", 2)
  end
  local limit = options and options.limit or 3
  if run.kind == "simulated" then
    return nil, "a simulated run needs no map: its spans say their request and stage", NOTHING
  end
  local view, message, code = require("tandem.analysis.view").of(run)
  if not view then return nil, message, code end
  local candidates
  candidates, message, code = requests.of(view)
  if not candidates then return nil, message, code end
  local globs, made = globs_of(view), {}
  for i = 1, math.min(#candidates, MOST) do
    if #made == limit then break end
    local raw
    raw, message, code = parts.map(view, candidates[i], globs)
    if not raw then return nil, message, code end
    if #raw.stages > 0 then
      made[#made + 1] = { map = assert(map.check(raw)), why = candidates[i].why,
        marked = candidates[i].tier ~= 2, once = candidates[i].tier == 3 }
    end
  end
  if #made == 0 then return nil, why_none(view), NOTHING end
  return made
end

return propose
