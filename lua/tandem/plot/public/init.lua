--- `td.plot`: figures in a picture with one call.
--
-- Owns what each word takes and hands it to the plots that the reports use (tandem.plot). What is
-- wrong raises one line that names the key. Units are the caller's: units.lua brings them to SI.
-- Loaded when the first plot is made.
local public = {}

-- What may stand for a whole table: a list of numbers, a result.
local function table_of(given, kind)
  if type(given) ~= "table" then
    error(("%s: wants a table, not %s"):format(kind,
      require("tandem.plot.public.keys").said(given)), 0)
  elseif require("tandem.result").is(given) then
    return { data = given }
  elseif type(given[1]) == "number" then
    return (kind == "histogram" or kind == "cdf") and { x = given } or { y = given }
  end
  return given
end

-- Errors of ours are lines without a position; they get the caller's.
local function make(kind, given)
  local ok, made = pcall(function()
    local whole = table_of(given, kind)
    require("tandem.plot.public.keys").check(kind, whole)
    return require("tandem.plot.public.makers")[kind](whole)
  end)
  if ok then return made end
  if type(made) ~= "string" or made:find "^[^\n]-%.lua:%d+: " then error(made, 0) end
  if not made:find("^" .. kind .. "[.:%[]") then made = kind .. "." .. made end
  error("td.plot." .. made, 3)
end

--- Lines over an axis: values over a load, a time, a size. Gaps (nil, NaN) stay gaps.
---   td.plot.line { x = { 10, 20, 40 }, y = { 3.1, 3.4, 9.0 }, x_unit = "rps", y_unit = "ms" }
---@param spec tandem.PlotLine|number[]  plain numbers, or in the units told
---@return tandem.Plot
function public.line(spec) return make("line", spec) end

--- Lines that stay until they change: counts of GPUs over load, a queue over time.
---   td.plot.step { x = { 0, 1, 2 }, y = { 1, 4, 2 }, x_unit = "s" }
---@param spec tandem.PlotStep|number[]  plain numbers, or in the units told
---@return tandem.Plot
function public.step(spec) return make("step", spec) end

--- Points over two axes.
---   td.plot.scatter { x = { 1, 2, 3 }, y = { 9, 4, 1 }, names = { "a", "b", "c" } }
---@param spec tandem.PlotScatter|number[]  plain numbers, or in the units told
---@return tandem.Plot
function public.scatter(spec) return make("scatter", spec) end

--- Bars with their values, one a name; several series stand below one another.
---   td.plot.bar { x = { "H2D", "GPU" }, y = { 1.5, 7.25 }, y_unit = "ms" }
---@param spec tandem.PlotBar|number[]  plain numbers, or in the units told
---@return tandem.Plot
function public.bar(spec) return make("bar", spec) end

--- Bars of parts: what each of several wholes is made of.
---   td.plot.stacked { x = { "4 GPUs", "8 GPUs" }, y_unit = "ms", series = {
---     { name = "wait", y = { 9, 1 } }, { name = "service", y = { 5, 5 } } } }
---@param spec tandem.PlotStacked
---@return tandem.Plot
function public.stacked(spec) return make("stacked", spec) end

--- Areas on top of one another: how parts make up a whole over time.
---   td.plot.area { x = { 0, 1, 2 }, y_unit = "GiB", series = {
---     { name = "weights", y = { 14, 14, 14 } }, { name = "KV cache", y = { 0, 3, 8 } } } }
---@param spec tandem.PlotArea
---@return tandem.Plot
function public.area(spec) return make("area", spec) end

--- How often values lie in which interval; a result stands for its latencies.
---   td.plot.histogram { x = { 1, 2, 2, 3, 9 }, x_unit = "ms", bins = 4 }
---@param spec tandem.PlotHistogram|number[]|tandem.Result  plain numbers, or in the units told
---@return tandem.Plot
function public.histogram(spec) return make("histogram", spec) end

--- The share of values at or below each; a result stands for its latencies.
---   td.plot.cdf { x_unit = "ms", series = {
---     { name = "before", x = { 5, 7, 9 } }, { name = "after", x = { 2, 3, 8 } } } }
---@param spec tandem.PlotCdf|number[]|tandem.Result  plain numbers, or in the units told
---@return tandem.Plot
function public.cdf(spec) return make("cdf", spec) end

--- Cells shaded by value over two axes.
---   td.plot.heatmap { x = { 1, 2 }, y = { "L4", "H100" }, z = { { 9, 8 }, { 3, 2 } },
---     z_unit = "ms" }
---@param spec tandem.PlotHeatmap
---@return tandem.Plot
function public.heatmap(spec) return make("heatmap", spec) end

--- Spans of time on lanes: what ran where, and when.
---   td.plot.gantt { x_unit = "ms", spans = { { lane = "GPU", from = 1, to = 4, name = "kernel" },
---     { lane = "copy", from = 0, dur = 1, name = "H2D" } } }
---@param spec tandem.PlotGantt
---@return tandem.Plot
function public.gantt(spec) return make("gantt", spec) end

return setmetatable(public, { __index = function(_, word)
  error(require("tandem.text.nearest").absent("td.plot", public, word), 2)
end })
