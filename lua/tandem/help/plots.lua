--- Help topic: plots from Lua. What each kind is for, its example and its keys come from the
--- sources (annotations, the table of keys); the pictures are drawn when the topic is read.
local page = require "tandem.help.page"

local HEAD <const> = [[
One call makes a picture of figures. A plot prints itself in a terminal (as wide as it is, in ASCII
where Unicode cannot be shown, without colour where NO_COLOR is set) and has other forms:

  print(plot)                     in a terminal; the shell does it by itself
  plot:svg()  plot:svg(FILE)      a picture for light and dark surroundings
  plot:html(FILE)                 a page with buttons that save PNG and SVG, and the figures
  plot:table()  plot:csv(FILE)    the figures as rows, in the units they came in
  plot:save(FILE)                 the form that the ending says: .svg .html .csv .txt
  plot:text { width = 60 }        the terminal's form as text

Results, sweeps, plans and analyses give the same plots: result:plot "cdf",
sweep:plot("rps", "p99"), td.plan.gpus { … }:plot(), td.whatif(…):plot(), run:breakdown():plot().

Units
  x_unit and y_unit say which unit the figures are in, as "5ms" would: ns us ms s min h; B KiB MiB
  GiB kB MB GB; GB/s Gbit/s; FLOP/s TFLOP/s; rps; % (40 is 40 %) and share (0.4 is 40 %); $ and $/h.
  Axes choose their own ticks. Any other word ("GPUs", "tok/s") is said in the title of the axis.

Data
  Lists of numbers; nil and NaN are gaps. Or data = …, and names of columns in place of lists: rows
  of named values, lists by name, frames of analyses, queries of a store, sweeps, plans, and results
  (t, in_system, GPU.queue, GPU.utilization). Columns bring their units along when they know them.

  td.plot.line { data = sweep, x = "rps", y = "latency.p99", series = "gpus" }
  td.plot.line { data = sweep, x = "rps", y = { "latency.p50", "latency.p99" }, log = "y" }
  td.plot.line { data = result, x = "t", y = "in_system" }
  td.plot.bar { data = run:kernels(), x = "name", y = "total_ns" }
  td.plot.histogram(result)

What cannot be drawn (no numbers, infinities, 0 on a logarithmic axis) is left out, and the plot
says how many. So is what nobody could see: a line of a million points keeps the first, least,
greatest and last of each column of pixels, and no extreme is lost.
]]

-- Kinds whose picture says more than words.
local SHOWN <const> = { line = true, stacked = true, histogram = true, heatmap = true,
  gantt = true }

local function indented(text)
  return "  " .. text:gsub("\n", "\n  ")
end

return page("plots from Lua with one call: td.plot", function(place)
  local examples = require "tandem.plot.public.examples"
  local keys = require "tandem.plot.public.keys"
  local style = require "tandem.plot.style"
  local small = style.new { width = math.min(place.width - 4, 72), unicode = place.unicode }
  local parts = { HEAD }
  for _, kind in ipairs(keys.order) do
    local about = examples.of(kind)
    parts[#parts + 1] = ("td.plot.%s"):format(kind)
    parts[#parts + 1] = indented(table.concat(style.wrap(about.words, small.width), "\n")) .. "\n"
    parts[#parts + 1] = indented(indented(about.code)) .. "\n"
    if SHOWN[kind] then
      parts[#parts + 1] = indented(indented(examples.run(about.code):text(small))) .. "\n"
    end
    local names = {}
    for _, key in ipairs(keys.kinds[kind].keys) do
      if key[3] and not keys.is_common(key) then names[#names + 1] = key[1] end
    end
    parts[#parts + 1] = indented(table.concat(style.wrap("keys: " .. table.concat(names, " "),
      small.width), "\n  ")) .. "\n"
  end
  local common = {}
  for _, key in ipairs(keys.common) do
    common[#common + 1] = ("  %-10s %s"):format(key[1], key[3])
  end
  parts[#parts + 1] = "Keys that every plot has\n" .. table.concat(common, "\n")
  return table.concat(parts, "\n")
end)
