--- When GPUs did nothing. The counting is src/analysis/breakdown/gaps.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

local hidden <const> = { hidden = true }

---@type tandem.Analysis
return {
  title = "GPU gaps",
  summary = "times when a GPU did nothing, and what the host did meanwhile",
  about = "Gaps between the pieces of work of each GPU, the longest first: the work before and "
    .. "after, whether the work after was launched in the gap (host wait), and the API call and "
    .. "the range or operator that cover it on the host. `nsys analyze -r gpu_gaps` lists gaps "
    .. "from 500 ms: --threshold 500ms. The profiler's own overhead is taken off where it was "
    .. "recorded. A filter of time is a window onto the run: gaps are cut to it, and where it "
    .. "begins or ends while the GPU does nothing, that is a gap too.",
  options = {
    { name = "threshold", value = "TIME", kind = "time",
      help = "The shortest gap to count (default: 1ms)." },
    { name = "most", value = "N", kind = "integer",
      help = "How many gaps to list (default: the 1000 longest)." },
    { name = "overhead", help = "Count the profiler's own overhead as gap." },
    options.names,
    options.work,
  },
  frames = {
    gaps = { title = "GPU gaps", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"), columns.moment("at_ns", "at"),
      columns.time("gap_ns", "gap"), columns.share("share", "share", { optional = 3 }),
      columns.time("overhead_ns", "overhead", { optional = 3 }), columns.text("cause", "cause"),
      columns.text("call", "call"), columns.text("range", "range"),
      columns.text("before", "before", { optional = 2 }),
      columns.text("after", "after", { optional = 1 }),
      columns.text("thread", "thread", { optional = 4 }), columns.time("call_ns", nil, hidden),
      columns.time("range_ns", nil, hidden), columns.count("from_ns", nil, hidden),
      columns.time("asked_ns", nil, hidden) } },
    devices = { title = "Gaps by GPU", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.count("count", "gaps"), columns.time("total_ns", "together"),
      columns.share("share", "share"), columns.time("longest_ns", "longest") } },
  },
  answer = function(view, chosen)
    local raw, message, code = view:count("gaps", chosen)
    columns.since_start(view, raw, "from_ns", "at_ns")
    return raw, message, code
  end,
}
