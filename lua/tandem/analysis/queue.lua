--- How long the queues of streams are. The counting is src/analysis/breakdown/queue.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Queue lengths",
  summary = "work launched and not yet begun, by stream",
  about = "How many launches wait in each stream, from the start of the API call to the start of "
    .. "its work, sampled after every launch and every start as HolisticTraceAnalysis has it, "
    .. "and how long the queue was full: with 1024 outstanding launches the next one blocks. The "
    .. "launch of a CUDA graph is one entry. A filter of time is a window onto the run: the queues "
    .. "in it hold what was launched before.",
  options = {
    { name = "full", value = "N", kind = "integer",
      help = "How many outstanding launches block the host (default: 1024)." },
    { name = "no_graphs", help = "Without launches of CUDA graphs, as HolisticTraceAnalysis." },
    options.work,
  },
  frames = {
    queue = { title = "Queue lengths", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.text("stream", "stream"), columns.count("count", "count"),
      columns.number("mean", "mean"), columns.number("stddev", "std dev", 2, { optional = 2 }),
      columns.number("min", "min", 0, { optional = 1 }), columns.number("q25", "25 %", 2),
      columns.number("median", "median", 1), columns.number("q75", "75 %", 2),
      columns.number("max", "max", 0), columns.time("blocked_ns", "blocked"),
      columns.share("blocked_share", "blocked", { optional = 3 }) } },
  },
}
