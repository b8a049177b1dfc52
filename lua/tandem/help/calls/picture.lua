--- Help on calls: td.plot, whose examples stand above its functions, plots and where they print.
local shared = require "tandem.help.calls.shared"
local NOTHING = shared.NOTHING

local WRITTEN <const> = "Nil, a message and 4 where the file cannot be written."

local calls = {}
for _, kind in ipairs(require("tandem.plot.public.keys").order) do
  calls["td.plot." .. kind] = { see = { "Plot:save" }, errors = "Raises one line that names the "
    .. "key: unknown, of the wrong type, or of another length." }
end

local PLOT <const> = 'local plot = td.plot.line { x = { 10, 20 }, y = { 3.1, 9.0 }, y_unit = "ms" }'

local function add(name, errors, code, see)
  calls["Plot:" .. name] = { errors = errors, see = see, example = PLOT .. "\n" .. code }
end
add("text", NOTHING, "print(plot:text { width = 60 })", { "Plot:svg" })
add("svg", WRITTEN, 'print(plot:svg():find "<svg" ~= nil)  --> true', { "Plot:save" })
add("slim", NOTHING, 'print(plot:slim():find "<svg" ~= nil)  --> true', { "Plot:svg" })
add("wide", NOTHING, 'print(plot:wide():find "<svg" ~= nil)  --> true', { "Plot:slim" })
add("html", WRITTEN, 'assert(plot:html "plot.html")', { "Plot:save" })
add("csv", WRITTEN, 'print(plot:csv():find "3.1" ~= nil)  --> true', { "Plot:table" })
add("table", NOTHING, "print(#plot:table().rows)  --> 2", { "RowTable:sort" })
add("head", NOTHING, "local rows, all = plot:head(1)\nprint(#rows.rows, all)  --> 1	2",
  { "Plot:table" })
add("save", "Raises where the path is not a text; nil, a message and a code where the file cannot "
  .. "be written (4) or its ending names no format (2).", 'assert(plot:save "plot.svg")',
  { "Plot:svg" })

calls["Style:text"] = { errors = NOTHING, see = { "Plot:text" }, example = [[
local style = require("tandem.plot.style").new { width = 60, unicode = false }
print(style:text "5 µs")  --> 5 us]] }
calls["Style:paint"] = { errors = NOTHING, see = { "Style:text" }, example = [[
local style = require("tandem.plot.style").new { width = 60, color = false }
print(style:paint("late", "red"))  --> late]] }
calls["Style:title"] = { errors = NOTHING, see = { "Style:paint" }, example = [[
local style = require("tandem.plot.style").new { width = 4, color = false, unicode = false }
print(style:title "late")  --> late]] }

return calls
