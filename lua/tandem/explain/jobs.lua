--- Requests that come to a station again and again: their visits as one long service.
--
-- Owns which stations are seen so: the busiest of a route or of a loop, to which requests are soon
-- back while its queue has hardly moved (near-immediate feedback, Whitt and You 2022); and what
-- the visits of a request come to in all. Called by network.lua.
local routes = require "tandem.explain.routes"

local jobs = {}

---@class tandem.Job
---@field position integer  of the class, the only one that comes
---@field rate number       requests a second
---@field mean number       seconds of service of a request in all
---@field var number
---@field short number      of the wait of such a service, what one visit waits

-- Of a list of steps, at one station: mean and variance of the service in all, and of the visits.
local function work(list, index)
  local mean, var, visits, visits_var = 0, 0, 0, 0
  for _, item in ipairs(list) do
    local m, v, n, d = 0, 0, 0, 0
    if item.kind == "visit" then
      for _, one in ipairs(item.at) do
        if one.index == index then
          local service, share = one.service, one.share
          m, n = share * service.mean, share
          v = share * (service.var + service.mean ^ 2) - m * m
          d = share * (1 - share)
        end
      end
    elseif item.kind == "branch" then
      local square, several = 0, 0
      for i, inner in ipairs(item.lists) do
        local mi, vi, ni, di = work(inner, index)
        local p = item.p[i]
        m, n = m + p * mi, n + p * ni
        square, several = square + p * (vi + mi * mi), several + p * (di + ni * ni)
      end
      v, d = square - m * m, several - n * n
    elseif item.kind == "fork" then
      for _, inner in ipairs(item.lists) do
        local mi, vi, ni, di = work(inner, index)
        m, v, n, d = m + mi, v + vi, n + ni, d + di
      end
    elseif item.kind == "loop" then
      local turns = item.turns
      local spread = item.again and turns * (turns - 1) or item.turns_var or 0
      local mi, vi, ni, di = work(item.lists[1], index)
      m, v, n, d = mi * turns, vi * turns + spread * mi * mi, ni * turns,
        di * turns + spread * ni * ni
    end
    mean, var, visits, visits_var = mean + m, var + v, visits + n, visits_var + d
  end
  return mean, var, visits, visits_var
end

-- The busiest station with limited servers in a list of steps.
local function busiest(nodes, list)
  local most, found = 0, nil
  routes.each(list, function(item)
    for _, one in ipairs(item.at or {}) do
      local node = nodes[one.index]
      if node and node.servers < math.huge and node.busy > most then
        most, found = node.busy, one.index
      end
    end
  end)
  return found
end

-- Calls `visit` for every loop of a route.
local function each_loop(list, visit)
  for _, item in ipairs(list) do
    if item.kind == "loop" then visit(item) end
    for _, inner in ipairs(item.lists or {}) do each_loop(inner, visit) end
  end
end

local function consider(nodes, index, class, position)
  local node = nodes[index]
  local several = 0
  for _ in pairs(node.by_class) do several = several + 1 end
  if several > 1 or not node.returns or node.forked or node.pool or not class.rate then return end
  local mean, var, visits, visits_var = work(class.route, index)
  if node.item.batch or visits <= 1 + 1e-9 then return end
  -- A queue holds requests at all stages: the less is left of their service, the more of them it
  -- takes to make the same wait.
  node.job = { position = position, rate = class.rate, mean = mean, var = math.max(0, var),
    short = 2 / (visits + visits_var / visits + 1) }
end

--- Sets the jobs of stations.
---@param nodes table<integer, tandem.Node>
---@param classes tandem.NetworkClass[]
function jobs.mark(nodes, classes)
  for position, class in ipairs(classes) do
    local first = busiest(nodes, class.route)
    if first then consider(nodes, first, class, position) end
    each_loop(class.route, function(item)
      local inside = busiest(nodes, item.lists[1])
      if inside and not nodes[inside].job then consider(nodes, inside, class, position) end
    end)
  end
end

return jobs
