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

Several files of one measurement (ranks, nodes) are one run. Their clocks are aligned: by NCCL
collectives, which end at the same time everywhere, or by recorded start times; tandem import says
by which and how well they agree, tandem show repeats it.]]):format(listing(place, readers),
    listing(place, writers))
end)
