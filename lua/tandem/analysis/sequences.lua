--- Kernels that follow each other again and again; counted in src/analysis/process/sequences.c.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Frequent sequences",
  summary = "kernels that follow each other again and again; candidates for fusion and graphs",
  about = "Counts sequences of so many kernels, copies and memsets that follow each other in a "
    .. "stream, the one that takes the most time first. A sequence of short kernels is a candidate "
    .. "for fusion; one whose kernels are short and far apart, for a CUDA graph.",
  options = {
    { name = "length", value = "N", kind = "integer", help = "How many follow each other: 2 to 64 "
      .. "(default: 3)." },
    { name = "count", value = "N", kind = "integer", help = "How often at least (default: 2)." },
    { name = "short", value = "TIME", kind = "time", help = "A kernel is short below this "
      .. "(default: 10us)." },
    { name = "top", value = "N", kind = "integer", help = "How many sequences (default: 100), 0 "
      .. "for all." },
    { name = "each", value = "WHAT", choices = options.each.choices, help = "Apart for each of "
      .. "them (default: for each device)." },
  },
  frames = {
    sequences = { title = "Frequent sequences", columns = columns.join({
      columns.share("share", "time"), columns.time("total_ns", "total"),
      columns.count("count", "count"), columns.time("mean_ns", "each takes"),
      columns.time("gap_ns", "between"), columns.count("short_kernels", "short"),
      columns.text("candidate", "candidate"),
      columns.moment("first_ns", "first at", { optional = 2 }) }, columns.split(), {
      columns.text("sequence", "sequence", { under = true }) }) },
  },
  examples = { "tandem sequences last --length 5", "tandem sequences last --each stream" },
}
