--- Routes as trees: their leaves, loops of one station, and what routers do to streams.
--
-- Owns what network.lua, poisson.lua and waits.lua ask of the trees that walk.lua makes.
local routes = {}

-- Routers that draw each request's GPU by itself: what arrives Poisson stays so.
routes.INDEPENDENT = { random = true, weighted = true }
-- Routers that send a request where there is room: nearly one queue for all.
routes.JOINING = { least_outstanding = true, shortest_queue = true, power_of_two = true }

--- Calls `visit` for all leaves, with whether they are in a loop, and in a fork.
---@param route (tandem.Visit|tandem.Fan)[]
---@param visit fun(item: tandem.Visit, looped: boolean|nil, forked: boolean|nil)
---@param looped? boolean
---@param forked? boolean
function routes.each(route, visit, looped, forked)
  for _, item in ipairs(route) do
    if item.lists then
      local inside = looped or item.kind == "loop"
      local beside = forked or item.kind == "fork"
      for _, list in ipairs(item.lists) do routes.each(list, visit, inside, beside) end
    else
      visit(item, looped, forked)
    end
  end
end

--- A loop of nothing but one station, whose turns make one long service: its visit.
---@param item tandem.Visit|tandem.Fan
---@return tandem.Visit|nil
function routes.own_loop(item)
  local only = item.kind == "loop" and item.again and item.again < 1 and #item.lists[1] == 1
    and item.lists[1][1]
  return only and only.kind == "visit" and #only.at == 1 and not only.batch and only or nil
end

return routes
