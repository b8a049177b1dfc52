--- Help on calls: maps, visits, overlays and fits.
local shared = require "tandem.help.calls.shared"
local NOTHING, VISITS = shared.NOTHING, shared.VISITS

local function of_visits(code) return VISITS .. "\n" .. code end
local function of_fit(code)
  return VISITS .. "\nlocal fit = assert(td.fit { real = visits })\n" .. code
end
local function of_twin(code) return shared.TWIN .. code end
local function of_overlay(code)
  return shared.TWO .. '\nlocal overlay = assert(td.overlay(first, store:run "last"))\n' .. code
end
local function of_map(code)
  return 'local map = td.map { request = { range = "step*" },\n'
    .. '  stages = { { "compute", kernel = "*" } } }\n' .. code
end
local SIMULATED <const> = "Nil, a message and 3 where nothing was held out, or the simulation "
  .. "failed."

return {
  ["Map:hash"] = { errors = NOTHING, see = { "td.map" },
    example = of_map "print(#map:hash())  --> 16" },
  ["Map:to_lua"] = { errors = NOTHING, see = { "td.map.load" }, example = of_map [[
print(map:to_lua { name = "train" })]] },

  ["Visits:requests"] = { errors = NOTHING, see = { "Visits:of" },
    example = of_visits "print(#visits:requests().arrival_ns == visits.count)  --> true" },
  ["Visits:stage"] = { errors = NOTHING, see = { "Visits:of" },
    example = of_visits "print(visits:stage(visits.stages[1].name).name == visits.stages[1].name)"
      .. "  --> true" },
  ["Visits:of"] = { errors = "Raises where there is no stage of that name.",
    see = { "Visits:stage" },
    example = of_visits "print(#visits:of(visits.stages[1].name).start_ns > 0)  --> true" },
  ["Visits:slice"] = { errors = NOTHING, see = { "td.fit" },
    example = of_visits "print(visits:slice(function(i) return i <= 10 end).count)  --> 10" },
  ["Visits:arrivals"] = { errors = NOTHING, see = { "td.replay", "Visits:load" },
    example = of_visits "print(#visits:arrivals() == visits.count)  --> true" },
  ["Visits:write_arrivals"] = { see = { "td.replay" },
    errors = "Nil, a message and 4 where the file cannot be written.",
    example = of_visits 'assert(visits:write_arrivals "load.csv")\n'
      .. 'td.replay { file = "load.csv" }' },
  ["Visits:load"] = { see = { "Visits:arrivals" },
    errors = "Nil, a message and 3 where there are too few requests.",
    example = of_visits "print(assert(visits:load()))" },
  ["Visits:replay"] = { see = { "Run:replay", "td.score" },
    errors = "Nil, a message and a code where the scenario cannot take these requests (3), or the "
      .. "store cannot be written (4).",
    example = of_visits [[
local scenario = assert(td.fit { real = visits }):scenario()
print(assert(visits:replay(scenario)).kind)  --> simulated]] },
  ["Visits:coverage"] = { errors = NOTHING, see = { "Answer:rows" },
    example = of_visits "print(visits:coverage())" },

  ["Overlay:picture"] = { errors = "Raises where there is no such view.", see = { "Plot:save" },
    example = of_overlay 'assert(overlay:picture("stacked", { width = 900 }):save "overlay.svg")' },
  ["Overlay:to_html"] = { errors = NOTHING, see = { "Overlay:picture" },
    example = of_overlay 'print(overlay:to_html():find "<!doctype html>" ~= nil)  --> true' },
  ["Overlay:timeline"] = { errors = NOTHING, see = { "Overlay:save_trace" },
    example = of_overlay "print(overlay:timeline().schema)  --> tandem.overlay/1" },
  ["Overlay:save_trace"] = { see = { "Overlay:timeline" },
    errors = "Nil, a message and a code where the format is unknown (2) or the file cannot be "
      .. "written (4).",
    example = of_overlay 'assert(overlay:save_trace("both.json", "chrome"))' },

  ["Twin:report"] = { errors = NOTHING, see = { "td.twin", "Twin:source" },
    example = of_twin "print(twin:report())" },
  ["Twin:source"] = { errors = "Nil and a line when the scenario cannot be written.",
    see = { "td.load", "Twin:report" },
    example = of_twin 'print(twin:source():find "td.scenario" ~= nil)  --> true' },
  ["Twin:data"] = { errors = NOTHING, see = { "Twin:report" },
    example = of_twin "print(twin:data().schema)  --> tandem.twin/1" },

  ["Fit:scenario"] = { see = { "Fit:source", "Scenario:run" },
    errors = "Nil and tandem.Problems where the fitted values make no valid scenario.",
    example = of_fit "print(assert(fit:scenario()))" },
  ["Fit:draw"] = { errors = NOTHING, see = { "Fit:whatif", "Scenario:with" },
    example = of_fit "print(fit:scenario():with(fit:draw(math.random)).name)" },
  ["Fit:whatif"] = { see = { "td.whatif", "FitWhatIf:report" },
    errors = "Raises where an option is unknown or there is no variant; nil, a message and 3 where "
      .. "one is not valid.",
    example = of_fit [[
local faster = { scale = { [visits.stages[1].name] = 0.5 } }
print(assert(fit:whatif({ { "faster first stage", faster } }, { draws = 4 })))]] },
  ["Fit:parameter"] = { errors = "Raises nothing: nil where there is none.", see = { "Fit:report" },
    example = of_fit [[
local first = fit.parameters[1]
print(fit:parameter(first.path, first.term) == first)  --> true]] },
  ["Fit:simulated"] = { errors = SIMULATED, see = { "Fit:score", "Fit:overlay" },
    example = of_fit "print(assert(fit:simulated()).count == fit.hold.count)  --> true" },
  ["Fit:score"] = { errors = SIMULATED, see = { "td.score" },
    example = of_fit "print(assert(fit:score()).verdict)" },
  ["Fit:overlay"] = { errors = SIMULATED, see = { "td.overlay" },
    example = of_fit "print(assert(fit:overlay()))" },
  ["Fit:source"] = { errors = "Nil and a line when the scenario holds a function.",
    see = { "td.load" },
    example = of_fit 'print(fit:source():find "td.scenario" ~= nil)  --> true' },
  ["Fit:to_json"] = { errors = NOTHING, see = { "Fit:report" },
    example = of_fit 'print(fit:to_json():find "tandem.fit/1" ~= nil)  --> true' },
  ["Fit:to_html"] = { errors = NOTHING, see = { "Fit:report" },
    example = of_fit 'print(fit:to_html():find "<!doctype html>" ~= nil)  --> true' },
  ["Fit:report"] = { errors = NOTHING, see = { "Fit:to_html" },
    example = of_fit "print(fit:report())" },

  ["FitWhatIf:report"] = { errors = NOTHING, see = { "Fit:whatif" }, example = of_fit [[
local changes = { { "faster", { scale = { [visits.stages[1].name] = 0.5 } } } }
print(assert(fit:whatif(changes, { draws = 4 })):report())]] },
  ["FitWhatIf:data"] = { errors = NOTHING, see = { "FitWhatIf:report" }, example = of_fit [[
local changes = { { "faster", { scale = { [visits.stages[1].name] = 0.5 } } } }
print(#assert(fit:whatif(changes, { draws = 4 })):data().rows > 0)  --> true]] },
}
