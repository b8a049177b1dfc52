--- Two kinds together: is a mixed fleet cheaper than the best single kind?
--
-- Owns which mixes are tried: of each pair, fewer of each than it would take alone, and cheaper
-- than the best so far. A mixed fleet needs a router that looks at the load; the scenario's own is
-- used, else least_outstanding. Called by plan/gpus.
local answer = require "tandem.plan.answer"
local best_of = require "tandem.plan.best"
local cheapest = require "tandem.plan.cheapest"
local evaluate = require "tandem.plan.evaluate"
local node = require "tandem.language.node"
local resources = require "tandem.language.resources"
local space_of = require "tandem.plan.space"

local mix = {}

local MOST <const> = 200 -- mixes of one load, the cheapest ones

local function gpu_of(q, kind, count)
  local raw = rawget(rawget(q.scenario, "raw"), "target")
  local given = kind.set.gpu
  local made
  if type(given) == "table" then made = node.copy(q.values[given["$"]])
  elseif type(raw) == "table" then made = node.copy(raw)
  else made = resources.gpu(kind.name) end
  rawset(made, "name", kind.name)
  rawset(made, "count", count)
  return made
end

-- Fewer than it takes alone: whole replicas where these are of several GPUs.
local function fewer_than(row)
  local out = {}
  for number = 1, row.count - 1 do
    if row.space.below(number + 1) == number then out[#out + 1] = number end
  end
  return out
end

local function mixes(q, load, one, other)
  local out = {}
  for _, i in ipairs(fewer_than(one)) do
    for _, j in ipairs(fewer_than(other)) do
      local fleet = resources.fleet { gpu_of(q, one.choice, i), gpu_of(q, other.choice, j),
        router = "least_outstanding" }
      -- What is compared with a row that holds over luck and model has to hold so, too.
      local doubted = one.doubt or other.doubt
      out[#out + 1] = { label = ("%d × %s + %d × %s"):format(i, one.choice.name, j,
        other.choice.name), fleet = fleet,
        set = space_of.merge(load.set, doubted and doubted.set or {}) }
    end
  end
  return out
end

-- Those that cost less than the best and are not overloaded.
local function worthwhile(q, load, rows, best, aim)
  local list = {}
  for a = 1, #rows do
    for b = a + 1, #rows do
      for _, one in ipairs(mixes(q, load, rows[a], rows[b])) do
        q.values[#q.values + 1] = one.fleet
        local set = one.set
        one.set = { target = { ["$"] = #q.values } }
        for k, v in pairs(set) do one.set[k] = v end
        cheapest.prepare(q, one, aim)
        if not one.state and one.cost and one.cost < best.cost then
          list[#list + 1] = one
          one.position = #list
        else
          q.values[#q.values] = nil
        end
      end
    end
  end
  table.sort(list, function(x, y)
    if x.cost ~= y.cost then return x.cost < y.cost end
    return x.position < y.position
  end)
  for i = #list, MOST + 1, -1 do list[i] = nil end
  return list
end

--- Adds the cheapest mix of each load, where it beats the best single kind.
---@param q tandem.PlanQuestion
---@param out tandem.PlanAnswer
---@param options tandem.PlanRunOptions
function mix.add(q, out, options)
  if q.count ~= "gpus" then return end
  local bodies, loads, tried = {}, {}, 0
  for i, load in ipairs(q.loads) do
    local best, rows = out.best[i], {}
    for _, row in ipairs(out.rows) do
      if row.demand == load and row.count then rows[#rows + 1] = row end
    end
    if best then
      local cost = out.aim == "gpus" and best.bill.gpus or best.bill[out.aim]
      local list = worthwhile(q, load, rows, { cost = cost }, out.aim)
      tried = tried + #list
      bodies[#bodies + 1] = function(ask) return (cheapest.run(q, list, cost, ask)) end
      loads[#loads + 1] = load
    end
  end
  options.values = q.values
  local results = evaluate.run(bodies, options, out.work)
  local found = false
  for i, winner in ipairs(results) do
    if winner then
      found = true
      out.rows[#out.rows + 1] = best_of.row(loads[i], winner)
    end
  end
  out.notes[#out.notes + 1] = not found and (out.work.stopped
    and "Mixes: not decided; the search was stopped before." or tried == 0
    and "Mixes: none of two kinds could be cheaper than the best kind alone."
    or ("Mixes: none of %d cheaper ones of two kinds meets the limits."):format(tried)) or nil
  answer.choose(out)
end

return mix
