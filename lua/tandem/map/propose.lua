--- `td.map.propose(run)`: maps that a performance engineer could have written for a run, best
--- first.
--
-- Owns the proposals: candidates (requests.lua) with their stages (repeating.lua) as checked maps,
-- what each covers once asked, and the one line that says why there is none.
local map = require "tandem.map"
local repeating = require "tandem.map.repeating"
local requests = require "tandem.map.requests"

local propose = {}

---@class tandem.MapProposal
---@field map tandem.Map
---@field why string        what repeats
---@field once boolean      a person marked it, but it came once only
---@field visits tandem.Visits
---@field coverage tandem.Answer  of the visits

local NOTHING <const> = 3
local MOST <const> = 20

-- Why nothing is proposed: what there is, and what would help.
local function why_none(view)
  local told = {}
  for row in view.run:span_categories() do
    if #told < 4 then
      told[#told + 1] = ("%s %s"):format(
        require("tandem.text.format").integer(row.spans), row.category)
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

-- What a stage must stand behind: GPU work of ranges takes copies and collectives too, and patterns
-- that take everything take what others mean.
local function rank_of(stage, has_gpu_ranges, kernels)
  if stage.op == "*" or stage.copy == "*" then return 3 end
  if stage.kernel == "*" and (has_gpu_ranges or kernels > 1) then return 3 end
  return stage.on == "gpu" and 2 or 1
end

-- The stages that some request has, in order of the pipeline as far as who takes what allows it.
local function arranged(stages, visits)
  local position, kept, has_gpu_ranges, kernels = {}, {}, false, 0
  for i, stage in ipairs(visits.stages) do
    -- Where few requests have a stage its mean start says little.
    local seldom = stage.count < visits.count / 2 and #visits.stages or 0
    if stage.count > 0 then position[stage.name] = i + seldom end
  end
  for _, stage in ipairs(stages) do
    has_gpu_ranges = has_gpu_ranges or stage.on == "gpu"
    kernels = kernels + (stage.kernel and 1 or 0)
    if position[stage[1]] then kept[#kept + 1] = stage end
  end
  table.sort(kept, function(a, b)
    local x, y = rank_of(a, has_gpu_ranges, kernels), rank_of(b, has_gpu_ranges, kernels)
    if x ~= y then return x < y end
    return position[a[1]] < position[b[1]]
  end)
  return kept
end

local function same_order(a, b)
  for i, stage in ipairs(a) do
    if stage ~= b[i] then return false end
  end
  return #a == #b
end

-- The map of a raw one and its visits, with the stages that are used, in order; nil, why, code.
local function covered(run, raw)
  local made, problems = map.check(raw)
  if not made then return nil, tostring(problems), NOTHING end
  local visits, message, code = run:visits(made)
  if not visits then return nil, message, code end
  local stages = arranged(raw.stages, visits)
  if #stages == 0 then return nil, "nothing lies in what repeats", NOTHING end
  if same_order(stages, raw.stages) then return made, visits end
  made = assert(map.check { request = raw.request, sizes = raw.sizes, stages = stages })
  visits, message, code = run:visits(made)
  return visits and made, visits or message, code
end

-- The proposal of a candidate; nil, why, and 3 where its requests have no stage.
local function proposal_of(view, candidate, globs)
  local raw, message, code = repeating.map(view, candidate, globs)
  if not raw then return nil, message, code end
  if #raw.stages == 0 then return nil, "nothing lies in what repeats", NOTHING end
  local made, visits, why = covered(view.run, raw)
  if not made then return nil, visits, why end
  return { map = made, why = candidate.why, once = candidate.once or false, visits = visits,
    coverage = visits:coverage() }
end

--- Candidate maps of a run, best first, each with what it covers; none is nil, the reason, and 3.
---@param run tandem.Run
---@param options? { limit?: integer }  how many (default: 3)
---@return tandem.MapProposal[]|nil
---@return string|nil message
---@return integer|nil code
function propose.of(run, options)
  if type(run) ~= "table" or not run.store then
    error("td.map.propose wants a run: store:run \"last\"", 3)
  end
  local limit = options and options.limit or 3
  if run.kind == "simulated" then
    return nil, ("run %s is simulated and needs no map: its spans say their request and stage")
      :format(run.id), NOTHING
  end
  local view, message, code = require("tandem.analysis.view").of(run)
  if not view then return nil, message, code end
  local candidates
  candidates, message, code = requests.of(view)
  if not candidates then return nil, message, code end
  local globs, made, why = globs_of(view), {}, nil
  for i = 1, math.min(#candidates, MOST) do
    if #made == limit then break end
    local one
    one, message, code = proposal_of(view, candidates[i], globs)
    if not one and code ~= NOTHING then return nil, message, code end
    why = why or message
    made[#made + 1] = one
  end
  if #made == 0 then return nil, why or why_none(view), NOTHING end
  return made
end

return propose
