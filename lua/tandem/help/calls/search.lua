--- Help on calls: searches, and what one of your own is made of.
local NOTHING <const> = require("tandem.help.calls.shared").NOTHING
local OPTIONS <const> = "Raises where an option is unknown, missing or wrong; a search that cannot "
  .. "go on ends with nil and one line."

-- A valley without a simulation, and a search that looks for its lowest point.
local function found_by(call)
  return [[
local search = td.search
local function valley(points)
  local told = {}
  for i, point in ipairs(points) do told[i] = { value = (point.batch - 12) ^ 2 } end
  return told
end
local body = search.]] .. call .. [[

local found = assert(search.drive(body, valley, { budget = 400 }))
print(found.best.point.batch)  --> 12]]
end
local function of_space(code)
  return 'local space = td.search.space { batch = { 1, 64, integer = true }, gpu = { choices = '
    .. '{ "L40", "H100" } } }\n' .. code
end
local function of_random(code) return "local random = td.search.random(7)\n" .. code end
local function of_two(code)
  return [[
local a = { point = { rps = 5 }, value = 10, half = 1, n = 8, ok = true }
local b = { point = { rps = 9 }, value = 14, half = 1, n = 8, ok = true }
]] .. code
end

return {
  ["td.search.golden"] = { errors = OPTIONS, see = { "td.optimize", "td.search.nelder_mead" },
    example = found_by "golden { over = { batch = { 1, 64, integer = true } } }" },
  ["td.search.nelder_mead"] = { errors = OPTIONS, see = { "td.optimize", "td.search.anneal" },
    example = found_by "nelder_mead { over = { batch = { 1, 64, integer = true } } }" },
  ["td.search.anneal"] = { errors = OPTIONS, see = { "td.optimize", "td.search.ocba" },
    example = found_by "anneal { over = { batch = { 1, 64, integer = true } }, seed = 3 }" },
  ["td.search.ocba"] = { errors = OPTIONS, see = { "td.optimize", "td.search.golden" },
    example = [[
local base = td.load "batching":with { duration = "2s" }
print(td.optimize { scenario = base, objective = "latency.mean", budget = 24,
  search = td.search.ocba { n0 = 4, budget = 24,
    over = { ["pipeline.infer.batch.wait"] = { choices = { "0ms", "4ms" } } } } })]] },
  ["td.search.drive"] = { see = { "td.optimize" },
    errors = "Raises where its arguments are none; nil, one line and what there was until then "
      .. "where the search or a point went wrong.",
    example = found_by "golden { over = { batch = { 1, 64, integer = true } } }" },
  ["td.search.best"] = { errors = NOTHING, see = { "td.search.apart", "td.optimize" },
    example = of_two "print(td.search.best({ a, b }).point.rps)  --> 5" },
  ["td.search.apart"] = { errors = NOTHING, see = { "td.search.noise", "td.search.more" },
    example = of_two "print(td.search.apart(a, b))  --> true" },
  ["td.search.noise"] = { errors = NOTHING, see = { "td.search.apart" },
    example = of_two 'print(("%.2f"):format(td.search.noise(a, b)))  --> 1.41' },
  ["td.search.more"] = { errors = NOTHING, see = { "td.search.apart", "td.search.drive" },
    example = [[
local search = td.search
local function mine(ask)
  local told = ask { { batch = 4 }, { batch = 8 } }
  if not search.apart(told[1], told[2]) then told = search.more(ask, told) or told end
  return search.best(told)
end
local found = assert(search.drive(mine, function(points)
  local told = {}
  for i, point in ipairs(points) do told[i] = { value = point.batch, half = 3, n = 8 } end
  return told
end))
print(found.best.point.batch, found.asks)  --> 4	2]] },
  ["td.search.space"] = { see = { "Space:points", "td.search.random" },
    errors = "Raises where a dimension is neither a range nor choices.",
    example = of_space "print(space:size())  --> 128" },
  ["td.search.random"] = { errors = "Raises where the seed is not a whole number.",
    see = { "Random:uniform" },
    example = of_random "print(random:integer(6) <= 6)  --> true" },
  ["Space:problem"] = { errors = NOTHING, see = { "Space:clamp" },
    example = of_space 'print(space:problem { batch = 99, gpu = "L40" } ~= nil)  --> true' },
  ["Space:dimension"] = { errors = "Raises nothing: nil where there is none of that name.",
    see = { "Space:size" },
    example = of_space 'print(space:dimension("batch").high)  --> 64' },
  ["Space:clamp"] = { errors = NOTHING, see = { "Space:problem" },
    example = of_space 'print(space:clamp({ batch = 99, gpu = "L40" }).batch)  --> 64' },
  ["Space:point"] = { errors = NOTHING, see = { "Space:unit" },
    example = of_space "print(space:point({ 0, 1 }).gpu)  --> H100" },
  ["Space:unit"] = { errors = NOTHING, see = { "Space:point" },
    example = of_space 'print(space:unit({ batch = 64, gpu = "L40" })[1])  --> 1.0' },
  ["Space:neighbour"] = { errors = "Raises nothing: nil at the end of a dimension.",
    see = { "Space:clamp" },
    example = of_space 'print(space:neighbour({ batch = 8, gpu = "L40" }, 1, 1).batch)  --> 9' },
  ["Space:size"] = { errors = "Raises nothing: nil where a range has no end of points.",
    see = { "Space:points" },
    example = of_space "print(space:size())  --> 128" },
  ["Space:points"] = { errors = "Raises where the space is not finite.", see = { "Space:size" },
    example = of_space "print(#space:points())  --> 128" },
  ["Random:bits"] = { errors = NOTHING, see = { "Random:uniform" },
    example = of_random "print(math.type(random:bits()))  --> integer" },
  ["Random:uniform"] = { errors = NOTHING, see = { "Random:integer" },
    example = of_random "print(random:uniform() < 1)  --> true" },
  ["Random:integer"] = { errors = NOTHING, see = { "Random:uniform" },
    example = of_random "print(random:integer(6) <= 6)  --> true" },
  ["Random:normal"] = { errors = NOTHING, see = { "Random:uniform" },
    example = of_random "print(random:normal() > -6)  --> true" },
}
