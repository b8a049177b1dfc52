--- Which stations Poisson streams come to, so that their formulas are exact.
--
-- Owns what lets a Poisson stream through (Burke 1956; Kelly 1979: first-come exponential stations,
-- processor sharing, delays), and independent gaps that come straight from a source. Called by
-- network.lua.
local routes = require "tandem.explain.routes"

local poisson = {}

-- Does a station let Poisson streams through, so that all behind it see them?
local function lets_through(station, tally)
  if station.outages or station.queue or tally.batched or station.patience or tally.link
    or station.service.approximate then
    return false
  elseif station.servers == math.huge then
    return true
  end
  local order = station.discipline == nil or station.discipline == "fifo"
    or station.discipline == "lifo" or station.discipline == "random"
  return order and station.service.exponential and tally.correlated == 0 or false
end

-- Marks which stations Poisson streams come to, and with what the others begin.
local function mark(self, tallies, by_index)
  local clean, dirty = {}, {}
  for index, station in pairs(by_index) do clean[index] = lets_through(station, tallies[index]) end
  local moved
  local function walk(list, state)
    for _, item in ipairs(list) do
      if item.kind == "visit" then
        for _, one in ipairs(item.at) do
          local mine = state.good
            and (not item.router or #item.at == 1 or routes.INDEPENDENT[item.router])
          if not mine and not dirty[one.index] then dirty[one.index], moved = true, true end
        end
        for _, one in ipairs(item.at) do
          if not clean[one.index] or dirty[one.index] then state.good = false end
        end
        if item.router and #item.at > 1 and not routes.INDEPENDENT[item.router] then
          state.good = false
        end
      elseif item.kind == "held" or item.batch then
        state.good = false
      elseif item.kind == "delay" then
        state.good = state.good and item.service ~= nil
      elseif item.kind == "fork" then
        for _, inner in ipairs(item.lists) do
          walk(inner, { good = state.good })
        end
        state.good = false
      elseif item.kind == "branch" then
        local good = state.good
        for _, inner in ipairs(item.lists) do
          local own = { good = state.good }
          walk(inner, own)
          good = good and own.good
        end
        state.good = good
      elseif item.kind == "loop" then
        -- What is in a loop comes back to itself: all of it must let Poisson through.
        local own = { good = state.good }
        routes.each(item.lists[1], function(visit)
          for _, one in ipairs(visit.at or {}) do
            own.good = own.good and clean[one.index] and not dirty[one.index]
          end
        end)
        walk(item.lists[1], own)
        state.good = own.good
      end
    end
  end
  repeat
    moved = false
    for _, class in ipairs(self.classes) do
      local arrival = class.arrival
      walk(class.route, { good = class.rate ~= nil and not arrival.groups and arrival.poisson })
    end
  until not moved
  for index, node in pairs(self.nodes) do
    node.exact = not dirty[index] and (clean[index] or not node.returns)
  end
end

-- Streams straight from the source, of independent gaps: gamma, or groups.
local function set_direct(self)
  for _, class in ipairs(self.classes) do
    local first = class.route[1]
    while first and first.kind == "branch" and #first.lists == 1 do first = first.lists[1][1] end
    if first and first.kind == "visit" then
      local arrival, count = class.arrival, #first.at
      for _, one in ipairs(first.at) do
        local node = self.nodes[one.index]
        if node and node.feeds == 1 and not node.returns then
          if arrival.groups and count == 1 then
            node.exact = arrival.groups.poisson and not arrival.groups.approximate
            node.total = arrival.groups.total
          elseif count == 1 then
            node.shape = not arrival.poisson and arrival.shape or nil
          elseif first.router == "round_robin" and first.alone and arrival.shape then
            node.shape = arrival.shape * count
          end
        end
      end
    end
  end
end

--- Sets of each node whether what comes is Poisson (exact), or else of what shape its gaps are.
---@param solver { classes: tandem.NetworkClass[], nodes: table<integer, tandem.Node> }
---@param tallies table<integer, tandem.Tally>
---@param by_index table<integer, tandem.OfferedStation>
function poisson.mark(solver, tallies, by_index)
  mark(solver, tallies, by_index)
  set_direct(solver)
end

return poisson
