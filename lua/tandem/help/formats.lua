--- Help topic: the formats that are read and written, from the tables of readers and writers.
local column_table = require "tandem.column_table"
local page = require "tandem.help.page"

local function listing(place, rows)
  return column_table.format({ { title = "" }, { title = "", wrap = true },
    { title = "", wrap = true } }, rows, { style = place, indent = 2 })
end

return page("traces that are read and written", function(place)
  local formats = require("tandem.core").formats()
  local readers, writers = {}, {}
  for i, one in ipairs(formats.readers) do
    readers[i] = { { text = one.name, color = "bold" }, one.accepts, one.title }
  end
  for i, one in ipairs(formats.writers) do
    writers[i] = { { text = one.name, color = "bold" }, "*" .. one.ending, one.title }
  end
  return ([[
tandem import FILE… finds the format by what is in the file, not by its name:

%s

tandem export RUN --format NAME writes:

%s

tandem export RUN --as-captured writes a simulated run as a profiler would have captured it, with
--format nsys as Nsight Systems' SQLite export, with chrome as Kineto's JSON: a server with a thread
for each request in flight. A request is a range on its thread, "request 17 tokens=128", a stage on
the CPU a range inside it; stages on a GPU are kernels of their name, transfers copies between
pinned memory and the device, each with the CUDA call that asked for it. The call is made when the
request enters the queue and takes no time, so queueing is what a capture would show: a gap between
the call and its work. A batch is one kernel, launched by its first member when the last has come;
the others wait for it in a range. Times are the simulation's, to the nanosecond. nsys writes
measured runs too, and tells what of them has no place in that format.

Several files of one measurement (ranks, nodes) are one run. Their clocks are aligned: by NCCL
collectives, which end at the same time everywhere, or by recorded start times; tandem import says
by which and how well they agree, tandem show repeats it.]]):format(listing(place, readers),
    listing(place, writers))
end)
