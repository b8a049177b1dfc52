-- luacheck: every Lua file of the project. `make lint` runs it.
std = "lua54"
max_line_length = 100
codes = true
self = false
ignore = { "581" } -- `not (x > y)` is not `x <= y` when x is NaN
exclude_files = { "build" }
files["tests/**/*_spec.lua"].std = "+busted"
