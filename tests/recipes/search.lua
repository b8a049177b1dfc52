-- A search that tries whole numbers in order.

local function add(copy)
  copy:before("lua/tandem/search/init.lua", '"golden", "nelder_mead"', '"march", ')
  copy:write("lib/search/march.lua", [[
--- Tries x = low, low + 1, … until the budget ends.
return function(options)
  local low, high = options.low, options.high
  return function(ask, left)
    local best
    for x = low, high do
      if left() < 1 then break end
      local told = ask { { x = x } }
      if not told then break end
      if not best or told[1].value < best.value then best = told[1] end
    end
    return best
  end
end
]])
end

local function check()
  local search = require "tandem.search"
  local shipped = false
  for _, name in ipairs(search.shipped) do shipped = shipped or name == "march" end
  assert(shipped)
  local body = require "lib.search.march" { low = 1, high = 9 }
  local best = body(function(points)
    return { { value = (points[1].x - 6) ^ 2, point = points[1] } }
  end, function() return 10 end)
  assert(best.point.x == 6)
end

return { about = "a search", most = 2, add = add, check = check }
